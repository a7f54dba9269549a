#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'nvfifo explain' knows each message that the driver logs with drm_err() and the like: prints TAP.

The messages are the format strings in the sources, with a value in the place of each conversion.
Runs at the top of the tree.
"""

import json
import pathlib
import re
import subprocess
import sys

from results import report

STRINGS = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
CALL = re.compile(rf"\b(?:(?:drm|dev)_(?:err|warn|notice|info)(?:_once|_ratelimited)?|nvfifo_card_err)\([^;\"]*?,\s*({STRINGS})")
CONVERSION = re.compile(r"%#?\d*(?:ll|l|h)?([xuds])")
VALUES = {"x": "00000020", "u": "1", "d": "1", "s": "PGRAPH"}

# Formats of two texts or of a line that other functions make, and what stands for them.
SAMPLES = {
    "%s: %s": ["kick: reset of PFIFO", "freeze: reset of all units"],
    "%pV": [],
}


def messages(path):
    """The messages of a source file."""
    for call in CALL.finditer(path.read_text(encoding="utf-8")):
        text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call[1])).replace("\\n", "")
        yield from SAMPLES.get(text, [CONVERSION.sub(lambda conversion: VALUES[conversion[1]], text)])


def problem_of(message):
    """What is wrong with the answer to a message, or None."""
    line = f"nvfifo 0000:01:00.0: [drm] {message}\n"
    done = subprocess.run(["build/bin/nvfifo", "explain", "--json", "-"], input=line,
                          capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.strip():
        return "no answer " + done.stderr

    # A summary of the log may follow.
    answer = [row for row in map(json.loads, done.stdout.splitlines()) if "summary" not in row][-1]
    if answer["driver"] != "nvfifo" or not (answer.get("advice") or answer["decoded"]):
        return f"answer: {done.stdout}"

    return None


def main():
    results = []
    for path in sorted([*pathlib.Path(".").glob("nvfifo_*.c"), *pathlib.Path(".").glob("driver/*/*.c")]):
        results += [(f"{path}: {message}", problem_of(message)) for message in messages(path)]
    results.append(("the sources have messages", None if len(results) > 20 else f"only {len(results)}"))

    return report(results)


if __name__ == "__main__":
    sys.exit(main())
