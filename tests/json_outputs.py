#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each golden output of --json is JSON: one value, or one a line, beside lines of standard error."""
import json
import os

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")


def json_cases():
    """Names of the golden cases with --json"""
    with open(os.path.join(GOLDEN, "cases"), encoding="utf-8") as cases:
        rows = [line.split(None, 2) for line in cases if line.strip() and line[0] != "#"]
    return [row[0] for row in rows if len(row) == 3 and "--json" in row[2].split("|")[-1]]


def wrong_line(name):
    """The first line that is no JSON, or None"""
    with open(os.path.join(GOLDEN, name + ".out"), encoding="utf-8") as output:
        text = output.read()
    lines = [line for line in text.splitlines() if line[:1] in ("{", "[")]
    for line in lines:
        try:
            json.loads(line)
        except ValueError:
            break
    else:
        return None
    try:
        json.loads(text)
    except ValueError:
        return line
    return None


def main():
    """Test Anything Protocol"""
    names = json_cases()
    for number, name in enumerate(names, 1):
        wrong = wrong_line(name)
        print(f"{'ok' if wrong is None else 'not ok'} {number} - {name} is JSON")
        if wrong is not None:
            print(f"# {wrong[:200]}")
    print(f"1..{len(names)}")


main()
