#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the model's core (sim/core) with its layers in Documentation/files.rst.

    check_model.py

    layers     each file is in one layer; it calls functions of its own layer and of those below
    circle     no two files call each other, directly or by way of others, but for those of a
               group of the page
    headers    a unit's inner header is included by files of the unit only
    state      only its own files, and core.c, touches a unit's structure in struct nvsim
    calls      each pointer to a function has its row on the page, with the function that it has

It prints a line for each fault.
"""
import collections
import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = "Documentation/files.rst"
CORE = "sim/core/"

# Headers of a unit that no other unit includes, and programs that use the unit without a card.
INNER = {
    "fifo.h": ["channel.c", "engine.c", "pusher.c", "puller.c", "user.c", "pfifo.c"],
    "gr.h": ["methods.c", "methods.h", "no_effect.c", "values.c", "gr.c", "surface.c", "m2mf.c", "eng2d.c", "pgraph.c", "gr3d/"],
    "grctx.h": ["grctx.c", "gr.h", "pgraph.c"],
    "gr3d/gr3d.h": ["gr3d/"],
}

# The units' structures in struct nvsim, and the files that touch each.
STATE = {
    "missing": ["missing.c"],
    "faults": ["fault.c", "fault.h", "inject.c", "command.c"],
    "pci": ["pci.c"],
    "store": ["store.c", "store.h"],
    "vga": ["vga.c"],
    "mem": ["mem.c"],
    "mmu": ["mmu.c"],
    "pflush": ["pflush.c"],
    "ptimer": ["ptimer.c"],
    "pfifo": INNER["fifo.h"] + ["fifo.h"],
    "engines": ["engine.c"],
    "grctx": INNER["gr.h"] + ["gr.h"],
    "gr": INNER["gr.h"] + ["gr.h"],
    "methods": ["methods.c"],
    "board": ["board.c"],
    "sources": ["sources.c"],
    "watch": ["watch.c"],
    "posted_writes": ["posted.c"],
    "command": ["command.c"],
    "control": ["control.c"],
}


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def bare(text):
    """The text without comments and strings, on the same lines."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  lambda match: re.sub(r"[^\n]", " ", match.group(0)), text, flags=re.S)


def sources(ending):
    return sorted(path[len(CORE):] for path in glob.glob(CORE + "**/*." + ending, recursive=True))


def is_of(path, names):
    return any(path == name or name.endswith("/") and path.startswith(name) for name in names)


def section():
    """The page's part about the model."""
    return read(PAGE).split("The files of the model\n", 1)[1]


def layers():
    """The page's layers, from the ground up: names of files, and of folders with a slash at the end."""
    rows = re.findall(r"^#\. (.*(?:\n   .*)*)", section(), re.M)
    return [re.findall(r"``((?:\w+/)*(?:\w+\.c)?)``", row) for row in rows]


def layer_of(path, order):
    for number, names in enumerate(order):
        if is_of(path, names):
            return number
    return None


def functions(paths):
    """Definitions as (name, file)."""
    out = subprocess.run(["ctags", "-x", "--language-force=C", "--kinds-C=f", "--_xformat=%N\t%F", "-o", "-"]
                         + [CORE + path for path in paths], capture_output=True, text=True, check=True).stdout
    return [(line.split("\t")[0], line.split("\t")[1][len(CORE):]) for line in out.splitlines()]


def named_functions():
    """For each file the functions of other files that it names, as {file: {home: {name}}}."""
    paths = sources("c")
    declared = set(re.findall(r"\b([a-z]\w+)\(", "".join(bare(read(CORE + path)) for path in sources("h"))))
    inline = {name for name, _ in functions(sources("h"))}
    # A function without a declaration is a file's own.
    home = {name: path for name, path in functions(paths) if name in declared - inline}
    calls = {path: collections.defaultdict(set) for path in paths}
    for path in paths:
        text = bare(read(CORE + path))
        # The inline functions of a file's header are the file's.
        if os.path.exists(CORE + path[:-1] + "h"):
            text += "".join(re.findall(r"^static inline .*?^\}", bare(read(CORE + path[:-1] + "h")), re.M | re.S))
        for name in set(re.findall(r"\w+", text)):
            if home.get(name, path) != path:
                calls[path][home[name]].add(name)
    return calls


def check_layers(calls):
    order = layers()
    faults = []
    for path in calls:
        found = sum(is_of(path, names) for names in order)
        if found != 1:
            faults.append(f"{PAGE}: {CORE}{path} is in {found} layers")
    for name in sum(order, []):
        if not os.path.exists(CORE + name):
            faults.append(f"{PAGE}: there is no {CORE}{name}")
    for path, homes in calls.items():
        for home, names in sorted(homes.items()):
            if (layer_of(home, order) or 0) > (layer_of(path, order) or 0):
                faults.append(f"{CORE}{path} names {', '.join(sorted(names))} of {home}, upwards")
    return faults


def check_circle(calls):
    """Remove files that call no other one, or that no other one calls. The files of circles are left."""
    groups = [re.findall(r"``([\w/]+\.c)``", row) for row in re.findall(r"^\* (.*(?:\n  .*)*)", section(), re.M)]
    left = {path: {home for home in homes if not any(path in group and home in group for group in groups)}
            for path, homes in calls.items()}
    while True:
        called = set().union(*left.values())
        kept = {path: homes & set(left) for path, homes in left.items() if homes & set(left) and path in called}
        if kept == left:
            break
        left = kept
    return [f"{CORE}{path} calls {', '.join(sorted(homes))} in a circle" for path, homes in sorted(left.items())]


def check_headers():
    faults = []
    for path in sources("[ch]"):
        for name in re.findall(r'^#include "(?:\.\./)*([\w/]+\.h)"', read(CORE + path), re.M):
            inner = "gr3d/gr3d.h" if name == "gr3d.h" else name
            if inner in INNER and not is_of(path, INNER[inner]):
                faults.append(f"{CORE}{path} includes {inner}, which is for {', '.join(INNER[inner])}")
    return faults


def check_state():
    units = set(re.findall(r"^\tstruct sim_\w+ \*(\w+);", read(CORE + "core.h"), re.M))
    faults = [f"{CORE}core.h: {unit} belongs to no file; see STATE in testbox/check_model.py" for unit in sorted(units - set(STATE))]
    faults += [f"testbox/check_model.py: struct nvsim has no {unit}" for unit in sorted(set(STATE) - units)]
    for path in sources("[ch]"):
        for n, line in enumerate(bare(read(CORE + path)).split("\n"), 1):
            for unit in re.findall(r"\bs->(\w+)\b", line):
                if unit in STATE and path != "core.c" and not is_of(path, STATE[unit]):
                    faults.append(f"{CORE}{path}:{n}: {unit} belongs to {', '.join(STATE[unit])}")
    return faults


def check_calls():
    """Tables of functions, against the page's list of calls that go up."""
    listed = {(table, member): target for table, member, target in
              re.findall(r"^   \* - ``(\w+)\.(\w+)``, ``(\w+)\(\)``$", section(), re.M)}
    texts = "".join(bare(read(CORE + path)) for path in sources("c"))
    faults = []
    found = set()
    for path in sources("h"):
        for table, body in re.findall(r"^struct (\w+) \{\n(.*?)^\}", bare(read(CORE + path)), re.M | re.S):
            for member in re.findall(r"\(\*(\w+)\)\(", body):
                found.add((table, member))
                target = listed.get((table, member))
                if not target:
                    faults.append(f"{PAGE}: no row for {table}.{member} of {CORE}{path}")
                elif not re.search(rf"\.{member} = {target}\b", texts):
                    faults.append(f"{PAGE}: {table}.{member} is not {target}()")
                elif f"->{member}(" not in texts:
                    faults.append(f"{CORE}{path}: nobody calls {table}.{member}")
    return faults + [f"{PAGE}: there is no {table}.{member}" for table, member in sorted(set(listed) - found)]


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    os.chdir(TOP)
    calls = named_functions()
    faults = check_layers(calls) + check_circle(calls) + check_headers() + check_state() + check_calls()
    for fault in faults:
        print(fault)
    sys.exit(bool(faults))


main()
