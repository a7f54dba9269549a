#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README's part of the demonstration is what it prints: prints the lines that are not.

	readme.py FILE

FILE holds the output of `make demo`. "..." in README stands for any text, alone in a line for
any lines; the name of the checkout's folder differs. Exit status 1 if a line is missing, or is
not in README's order.
"""

import pathlib
import re
import sys

BEGIN, END = "    --- nvfifo run examples/01-", "    demo: PASS"
FOLDER = "/path/to/nvfifo"


def promised():
    """The lines of README, as regular expressions."""
    lines = pathlib.Path("README.md").read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(BEGIN))
    last = next(i for i, line in enumerate(lines) if line.startswith(END))
    for line in lines[first:last + 1]:
        text = line[4:].rstrip()
        if text.strip() not in ("", "..."):
            yield text, re.escape(text).replace(re.escape(FOLDER), "/.*").replace(r"\.\.\.", ".*")


def main():
    said = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    missing, at = 0, 0
    for text, pattern in promised():
        found = next((i for i in range(at, len(said)) if re.fullmatch(pattern, said[i].rstrip())), None)
        if found is None:
            print(f"README shows what make demo does not print: {text}")
            missing += 1
        else:
            at = found + 1
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
