#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command lines of README, Documentation, manual pages and --help hold: prints TAP.

tests/promises.txt has each of them and says who runs it, and it has no others. Targets of
make exist, the scripts know their options, files are there. A command that takes neither
a card nor minutes runs here, in a scratch folder. Runs at the top of the tree.
"""

import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from results import report

PAGES = ("README.md", "Documentation/quick-start.rst", "Documentation/testing.rst", "Documentation/testbox.rst")
HOW = ("run", "guest", "fresh", "test", "ci", "card", "terminal")
COMMAND = re.compile(r"^(?: {4}|\t)((?:sudo|make|nvfifo|build/|testbox/|tests/|echo)\b.*)$")
NVFIFO = "build/bin/nvfifo"

# The files that examples of the command name, and what stands for them.
FILES = {
    "push.txt": "tests/golden/source.txt",
    "words.txt": "tests/golden/words.txt",
    "frame.txt": "tests/data/mesa-gles2-nv96.txt",
    "ring.txt": "tests/golden/ring.txt",
    "card.dump": "tests/golden/semaphore.dump",
    "kernel.log": "tests/golden/kernel.log",
    "trace.txt": "tests/golden/trace.txt",
    "program.nvp": "examples/01-refcnt-semaphore.nvp",
}


def of_manuals():
    """(page, command) of the manual pages' examples."""
    found = []
    for page in sorted(glob.glob("man/*.[1-9]")):
        text = pathlib.Path(page).read_text(encoding="utf-8")
        for examples in re.findall(r"^\.SH EXAMPLES\n\.nf\n(.*?)^\.fi", text, re.MULTILINE | re.DOTALL):
            found += [(page, line.replace("\\-", "-")) for line in examples.splitlines()]
    return found


def help_of(*subcommand):
    """The text of --help."""
    command = [NVFIFO, *subcommand, "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def of_help():
    """(subcommand, command) of the examples in --help, without remarks."""
    found = []
    for name in re.findall(r"^  ([a-z]+) ", help_of().partition("Subcommands:")[2], re.MULTILINE):
        examples = help_of(name).partition("\nExamples:\n")[2]
        for line in examples.splitlines():
            found.append((f"nvfifo {name} --help", re.sub(r" {4,}.*$", "", line.strip())))
    return found


def promised():
    """(page, command) of all pages, without remarks."""
    found = of_manuals() + of_help()
    for page in PAGES:
        with open(page, encoding="utf-8") as file:
            for line in file:
                match = COMMAND.match(line.rstrip())
                if match and not line.startswith("     "):
                    found.append((page, re.sub(r"(\s+#.*|\s*\\)$", "", match.group(1))))
    return found


def table():
    """command: how."""
    rows = {}
    with open("tests/promises.txt", encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                how, command = line.rstrip("\n").split("\t", 1)
                rows[command] = how
    return rows


def scratch():
    """A folder in which the examples of the command find their files."""
    folder = tempfile.TemporaryDirectory(prefix="promises")
    for name in ("build", "examples", "tests"):
        os.symlink(os.path.abspath(name), os.path.join(folder.name, name))
    for name, source in FILES.items():
        os.symlink(os.path.abspath(source), os.path.join(folder.name, name))
    return folder


def fails(command, wanted, folder):
    """Why a command does not end with the wanted status, or nothing."""
    environment = dict(os.environ, PATH=f"{os.path.abspath('build/bin')}:{os.environ['PATH']}")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == wanted:
        return None
    return f"exit status {done.returncode}: {done.stderr.strip()}"


def wrong(command, how, targets, folder):
    """What is wrong with a command, or nothing."""
    words = command.removeprefix("sudo ").split()
    how, _, status = how.partition("/")
    if how not in HOW:
        return f"'{how}' is none of {', '.join(HOW)}"
    if words[0] == "make":
        for word in words[1:]:
            if "=" not in word and word not in targets:
                return f"make has no target {word}"
    if "/" in words[0] and not words[0].startswith("build/"):
        with open(words[0], encoding="utf-8") as file:
            text = file.read()
        if words[0].startswith("testbox/run-"):
            with open("testbox/guest-lib.sh", encoding="utf-8") as file:
                text += file.read()
        for word in words[1:words.index("--") if "--" in words else None]:
            if word.startswith("--") and word not in text:
                return f"{words[0]} does not know {word}"
    for word in words:
        if word.startswith("examples/"):
            open(word, encoding="utf-8").close()
    if how == "run":
        return fails(command, int(status or 0), folder)
    return None


def main():
    with open("Makefile", encoding="utf-8") as file:
        targets = set(re.findall(r"^([a-z-]+):", file.read(), re.MULTILINE))
    rows = table()
    lines = promised()
    results = []
    with scratch() as folder:
        for page, command in lines:
            if command not in rows:
                results.append((f"{page}: {command}", "it is not in tests/promises.txt"))
            else:
                results.append((f"{page}: {command}", wrong(command, rows[command], targets, folder)))
    for command in rows:
        if command not in {c for _, c in lines}:
            results.append((command, "no page has it: take it out of tests/promises.txt"))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
