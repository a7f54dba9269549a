#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command lines of README, Documentation, manual pages and --help hold: prints TAP.

tests/promises.txt has each of them and says who runs it, and it has no others. Targets of
make and subcommands exist, programs and scripts know their options, files are there; also
in commands that a sentence mentions. A command that takes neither a card nor minutes runs
here, in a scratch folder. Runs at the top of the tree.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile

from command_lines import help_of, is_command, mentioned, promised, subcommands, words_of
from results import report

HOW = ("run", "guest", "fresh", "test", "ci", "card", "terminal")

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


def unknown_option(words, text):
    """The first option among words that a text does not have."""
    for word in words:
        option = word.partition("=")[0]
        if re.fullmatch(r"--[a-z][a-z-]*|-[a-zA-Z]", option) and not re.search(rf"(?<![\w-]){option}(?![\w-])", text):
            return option
    return None


def wrong_nvfifo(words):
    """What is wrong with a call of the nvfifo command: its subcommand or an option."""
    name = words[1] if len(words) > 1 else "--help"
    if name.startswith("-"):
        option = unknown_option([name], help_of())
        return f"nvfifo has no option {option}" if option else None
    if name not in subcommands():
        return f"nvfifo has no subcommand {name}"
    words = words[2:]
    if name == "gl":
        # What follows the first word is another program's.
        words = list(itertools.takewhile(lambda word: word.startswith("-"), words))
    option = unknown_option(words, help_of(name))
    return f"nvfifo {name} has no option {option}" if option else None


def wrong_script(words):
    """What is wrong with a call of a script: its name or an option."""
    if not os.path.exists(words[0]):
        return f"there is no {words[0]}"
    with open(words[0], encoding="utf-8") as file:
        text = file.read()
    if words[0].startswith("testbox/run-"):
        with open("testbox/guest-lib.sh", encoding="utf-8") as file:
            text += file.read()
    option = unknown_option(words[1:], text)
    return f"{words[0]} does not know {option}" if option else None


def wrong_words(command, targets):
    """What is wrong with the words of a command of this project, or nothing."""
    words = words_of(command)
    program = os.path.basename(words[0])
    if program == "make":
        for word in words[1:]:
            if "=" not in word and '"' not in word and word not in targets:
                return f"make has no target {word}"
        return None
    if program == "nvfifo":
        return wrong_nvfifo(words)
    if program == "nvsim":
        option = unknown_option(words, help_of(program="build/sim/nvsim"))
        return f"nvsim has no option {option}" if option else None
    # What is built for one purpose only may not be there.
    return wrong_script(words) if "/" in words[0] and not words[0].startswith("build/") else None


def wrong(command, targets):
    """What is wrong with the words of a command, whose parts a shell runs, or nothing."""
    for part in re.split(r"\s*(?:\||&&|;)\s+|\s-- ", command):
        if is_command(part):
            problem = wrong_words(part, targets)
            if problem:
                return problem
    for word in command.split():
        if word.startswith("examples/") and not os.path.exists(word):
            return f"there is no {word}"
    return None


def broken(command, how, targets, folder):
    """What is wrong with a promised command, or nothing."""
    how, _, status = how.partition("/")
    if how not in HOW:
        return f"'{how}' is none of {', '.join(HOW)}"
    problem = wrong(command, targets)
    if not problem and how == "run":
        problem = fails(command, int(status or 0), folder)
    return problem


def wide():
    """(command, what is wrong) for the lines of each --help, which a terminal of 80 columns shows whole"""
    helps = [("nvfifo", help_of()), ("nvsim", help_of(program="build/sim/nvsim"))]
    helps += [(f"nvfifo {name}", help_of(name)) for name in subcommands()]
    for name, text in helps:
        lines = [line for line in text.splitlines() if len(line) > 79]
        yield f"{name} --help", f"more than 79 columns: {lines[0]}" if lines else None


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
                results.append((f"{page}: {command}", broken(command, rows[command], targets, folder)))
    results += [(f"{page}: {text}", wrong(text, targets)) for page, text in mentioned()]
    results += wide()
    for command in rows:
        if command not in {c for _, c in lines}:
            results.append((command, "no page has it: take it out of tests/promises.txt"))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
