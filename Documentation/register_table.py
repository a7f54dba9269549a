# SPDX-License-Identifier: MIT
"""Write a page for each block of registers from hw/nvfifo_reg_table.h and the driver's sources."""
import glob
import os
import re
import subprocess

HEAD = """.. SPDX-License-Identifier: MIT

=============
All registers
=============

Made from ``hw/nvfifo_reg_table.h`` and the driver's sources when these pages are built, a page for each block.
``nvfifo peek --list`` prints the same table.

.. toctree::
   :maxdepth: 1

"""

BLOCK_HEAD = """.. SPDX-License-Identifier: MIT

{title}
{line}

Chips: the first that has the register and the first after that has not. Functions: those of the driver that name it.
:doc:`/registers` explains how the driver uses them.

"""

DIRECTORY = "register-blocks"


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def users(top):
    """Functions of the driver by the registers that they name."""
    paths = sorted(glob.glob(os.path.join(top, "nvfifo_*.c")) +
                   glob.glob(os.path.join(top, "driver", "*", "*.c")) +
                   glob.glob(os.path.join(top, "hw", "nvfifo_*.c")))
    out = subprocess.run(["ctags", "-x", "--kinds-C=f", "--extras=+F",
                          "--_xformat=%N\t%F\t%n\t%{end}", "-o", "-"] + paths,
                         capture_output=True, text=True, check=False).stdout
    lines = {path: read(path).split("\n") for path in paths}
    found = {}
    for row in out.splitlines():
        name, path, first, last = row.split("\t")
        body = "\n".join(lines[path][int(first) - 1:int(last or first)])
        for register in set(re.findall(r"\b(NV_[A-Z0-9]+_\w+?)(?:__\w+)?\b", body)):
            found.setdefault(register, set()).add(name)
    return found


TABLE = (".. list-table::\n   :header-rows: 1\n   :widths: 30 10 8 14 24 24\n\n"
         "   * - register\n     - offset\n     -\n     - chips\n     - fields\n     - functions\n")


def pages(top):
    """All pages by their paths: the list of blocks, and a page for each."""
    text = read(os.path.join(top, "hw", "nvfifo_reg_table.h"))
    value = dict(re.findall(r"^#define (NV_\w+)[ \t]+(0x[0-9a-f]+|NV_BITS\(.*\))", text, re.M))
    rows = re.findall(r"^\tREG\((\w+), (\w+), [^)]*?NV_CHIP_(\w+), NV_CHIP_(\w+),\s*NV_(\w+)\)",
                      text, re.M)
    fields = re.findall(r"^\t+FLD\((\w+), (\w+)\)", text, re.M)
    callers = users(top)
    blocks = {}
    done = set()
    for block, register, first, end, access in rows:
        if register in done:
            continue
        done.add(register)
        bits = ", ".join(
            f"{name[len(register) + 2:]} {value[name][8:-1].replace(', ', ':')}"
            for owner, name in fields if owner == register)
        names = ", ".join(f"``{name}()``" for name in sorted(callers.get(register, ())))
        blocks.setdefault(block, []).append(
            f"   * - {block}.{register[len(block) + 4:]}\n     - {value[register][2:]}\n"
            f"     - {access}\n     - {first} to {end}\n     - {bits}\n     - {names}\n")
    found = {"register-table": HEAD + "".join(f"   {DIRECTORY}/{block.lower()}\n" for block in blocks)}
    for block, lines in blocks.items():
        title = f"Registers of {block}"
        found[os.path.join(DIRECTORY, block.lower())] = (
            BLOCK_HEAD.format(title=title, line="=" * len(title)) + TABLE + "".join(lines))
    return found


def write(here):
    """Write the pages beside this file: those that changed."""
    os.makedirs(os.path.join(here, DIRECTORY), exist_ok=True)
    for name, text in pages(os.path.dirname(here)).items():
        path = os.path.join(here, name + ".rst")
        if not os.path.exists(path) or read(path) != text:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
