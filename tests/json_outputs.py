#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each golden output of --json is JSON: one value, or one a line, beside lines of standard error."""
import json
import os

from results import report

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
    results = []
    for name in json_cases():
        wrong = wrong_line(name)
        results.append((f"{name} is JSON", wrong and wrong[:200]))
    report(results)


main()
