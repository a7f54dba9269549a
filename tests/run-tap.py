#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read the output of one test run, TAP or KTAP, and count.

    run-tap.py --name NAME --status N --results FILE [--errors FILE] OUTPUT

The output holds suites between the lines "# begin SUITE" and "# end SUITE STATUS",
or is one suite named NAME. Prints a line for each suite and what each failed test
said; appends a line for each test to the results file:

    pass|fail|skip<TAB>name

A test that has tests below it is not counted itself, unless it failed and none of
them did. These are failures of their own: a suite without a test, a plan that was
not met, a suite that did not end, a program or a guest with a bad exit status.
"""

import argparse
import re
import sys

RESULT = re.compile(r"^( *)(not )?ok (\d+)\s*(?:- )?(.*)$")
PLAN = re.compile(r"^( *)1\.\.(\d+)\s*(?:# *(SKIP.*))?$", re.IGNORECASE)
SUBTEST = re.compile(r"^ *# Subtest: (.*)$")
SKIP = re.compile(r"#\s*SKIP\b\s*(.*)$", re.IGNORECASE)


class Level:
    """The results at one depth of indentation since the last one above it."""

    def __init__(self):
        self.plan = None
        self.count = 0
        self.failed = 0
        self.title = None


class Suite:
    def __init__(self, name):
        self.name = name
        self.tests = []  # (outcome, name, what it said)
        self.levels = {}
        self.said = []
        self.last_failed = None

    def add(self, outcome, name, said=()):
        self.tests.append([outcome, name, list(said)])
        return self.tests[-1]

    def close_below(self, depth, name):
        """Take the levels deeper than depth; (number of results, failures) there."""
        count = failed = 0
        for deep in sorted(d for d in self.levels if d > depth):
            level = self.levels.pop(deep)
            count += level.count
            failed += level.failed
            if level.plan is not None and level.plan != level.count:
                self.add("fail", f"{name}: planned {level.plan} tests, ran {level.count}", self.said)
                failed += 1
        return count, failed

    def path(self, depth, name):
        titles = [self.levels[d].title for d in sorted(self.levels) if d <= depth]
        return ".".join([t for t in titles if t and t != self.name] + [name])

    def line(self, text):
        plan = PLAN.match(text)
        if plan:
            depth = len(plan.group(1))
            level = self.levels.setdefault(depth, Level())
            level.plan = int(plan.group(2))
            if plan.group(3) and level.plan == 0:
                self.add("skip", self.path(depth, plan.group(3)))
                level.plan = level.count = 1
            return
        subtest = SUBTEST.match(text)
        if subtest:
            depth = len(text) - len(text.lstrip(" "))
            self.levels.setdefault(depth, Level()).title = subtest.group(1)
            return
        if text.startswith("Bail out!"):
            self.add("fail", text, self.said)
            return
        result = RESULT.match(text)
        if not result:
            if text.strip() and not text.lstrip().startswith("KTAP version"):
                if self.last_failed is not None and text.lstrip().startswith("#"):
                    self.last_failed[2].append(text)
                else:
                    self.said.append(text)
            return

        depth = len(result.group(1))
        rest = result.group(4)
        skip = SKIP.search(rest)
        name = SKIP.sub("", rest).strip() or f"test {result.group(3)}"
        level = self.levels.setdefault(depth, Level())
        path = self.path(depth, name)
        below, failed_below = self.close_below(depth, path)
        bad = bool(result.group(2))
        level.count += 1
        level.failed += bad
        self.last_failed = None
        if below:
            if bad and not failed_below:
                self.last_failed = self.add("fail", path, self.said)
        elif skip:
            self.add("skip", f"{path} # SKIP {skip.group(1)}")
        elif bad:
            self.last_failed = self.add("fail", path, self.said)
        else:
            self.add("pass", path)
        self.said = []

    def end(self, status):
        self.close_below(-1, self.name)
        if status is None:
            self.add("fail", "did not end", self.said[-40:])
        elif not self.tests:
            self.add("fail", "no test ran", self.said[-40:])
        if status and not any(t[0] == "fail" for t in self.tests):
            self.add("fail", f"exit status {status}", self.said[-40:])


def parse(lines, name, status):
    suites = []
    current = None
    marked = False
    outside = []
    for text in lines:
        words = text.split()
        if words[:2] == ["#", "begin"] and len(words) == 3:
            marked = True
            if current:
                current.end(None)
            current = Suite(words[2])
            suites.append(current)
        elif words[:2] == ["#", "end"] and len(words) == 4 and current:
            current.end(int(words[3]))
            current = None
        elif current:
            current.line(text)
        else:
            outside.append(text)
    if marked:
        if current:
            current.end(None)
        return suites
    whole = Suite(name)
    for text in outside:
        whole.line(text)
    whole.end(status)
    return [whole]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--status", type=int, required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("--errors")
    parser.add_argument("output")
    args = parser.parse_args()

    with open(args.output, encoding="utf-8", errors="replace") as f:
        lines = [line.rstrip("\r\n") for line in f]
    said = []
    if args.errors:
        with open(args.errors, encoding="utf-8", errors="replace") as f:
            said = [line.rstrip("\r\n") for line in f]

    suites = parse(lines, args.name, args.status)
    nested = len(suites) != 1 or suites[0].name != args.name
    failed = any(t[0] == "fail" for s in suites for t in s.tests)
    if args.status in (124, 125, 126) or args.status and nested and not failed:
        # Not what a test said, but what became of the guest.
        guest = Suite("guest")
        guest.add("fail", f"exit status {args.status}", said)
        suites.append(guest)
        nested = True

    out = []
    results = []
    for suite in suites:
        name = f"{args.name}/{suite.name}" if nested else args.name
        n = {"pass": 0, "fail": 0, "skip": 0}
        for outcome, test, _ in suite.tests:
            n[outcome] += 1
            results.append(f"{outcome}\t{name}: {test}\n")
        out.append(f"{'FAIL' if n['fail'] else 'ok':5}{name}: "
                   f"{n['pass']} passed, {n['fail']} failed, {n['skip']} skipped\n")
        for outcome, test, output in suite.tests:
            if outcome == "fail":
                out.append(f"     not ok: {test}\n")
                out += [f"       | {text}\n" for text in output]
    with open(args.results, "a", encoding="utf-8") as f:
        f.write("".join(results))
    sys.stdout.write("".join(out))
    return 1 if any(line.startswith("fail\t") for line in results) else 0


if __name__ == "__main__":
    sys.exit(main())
