#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command lines of README and Documentation hold: prints TAP.

Each one stands in tests/promises.txt, which says who runs it; none stands there in vain.
Targets of make exist, options of the scripts are known to them, files are there, and
what takes neither a card nor minutes is run here. Runs at the top of the tree.
"""

import re
import subprocess
import sys

PAGES = ("README.md", "Documentation/quick-start.rst", "Documentation/testing.rst", "Documentation/testbox.rst")
HOW = ("run", "fresh", "test", "ci", "card", "terminal")
COMMAND = re.compile(r"^(?: {4}|\t)((?:sudo|make|nvfifo|testbox/|tests/|echo)\b.*)$")


def promised():
    """(page, command) of all pages, without remarks."""
    found = []
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


def wrong(command, how, targets):
    """What is wrong with a command, or nothing."""
    words = command.removeprefix("sudo ").split()
    if how not in HOW:
        return f"'{how}' is none of {', '.join(HOW)}"
    if words[0] == "make":
        for word in words[1:]:
            if "=" not in word and word not in targets:
                return f"make has no target {word}"
    if "/" in words[0]:
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
        words[0] = "build/bin/nvfifo" if words[0] == "nvfifo" else words[0]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"exit status {done.returncode}: {done.stderr}"
    return None


def main():
    with open("Makefile", encoding="utf-8") as file:
        targets = set(re.findall(r"^([a-z-]+):", file.read(), re.MULTILINE))
    rows = table()
    lines = promised()
    results = []
    for page, command in lines:
        if command not in rows:
            results.append((f"{page}: {command}", "it is not in tests/promises.txt"))
        else:
            results.append((f"{page}: {command}", wrong(command, rows[command], targets)))
    for command in rows:
        if command not in {c for _, c in lines}:
            results.append((command, "no page has it: take it out of tests/promises.txt"))
    for number, (name, problem) in enumerate(results, 1):
        print(f"{'not ok' if problem else 'ok'} {number} - {name.replace('#', ' ')}")
        if problem:
            print(f"# {problem}")
    print(f"1..{len(results)}")
    return any(problem for _, problem in results)


if __name__ == "__main__":
    sys.exit(main())
