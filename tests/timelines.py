#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Timelines keep the rules of Chrome's "Trace Event Format": prints TAP.

Those of "nvfifo trace --perfetto", also of a trace that begins late, and of "nvfifo run --model
--perfetto" with each example. Perfetto drops bars that overlap in part and ends without a begin,
without a message. Runs at the top of the tree.
"""
import glob
import json
import subprocess

from results import report

NVFIFO = "build/bin/nvfifo"
GOLDEN = "tests/golden"

# Members of an event of each phase, with their types; those with "?" may be missing.
ALWAYS = {"ph": str, "name": str, "pid": int, "tid": int}
PHASES = {
    "M": {"args": dict},
    "X": {"ts": float, "dur": float, "args?": dict},
    "i": {"ts": float, "s": str, "args?": dict},
    "b": {"ts": float, "cat": str, "id": str, "args?": dict},
    "e": {"ts": float, "cat": str, "id": str, "args?": dict},
}


def check_members(event):
    """What is wrong with the members of an event, or None"""
    if event.get("ph") not in PHASES:
        return "an unknown phase"
    members = {**ALWAYS, **PHASES[event["ph"]]}
    for name, kind in members.items():
        value = event.get(name.rstrip("?"))
        if value is None and name.endswith("?"):
            continue
        if type(value) is not kind or value in ("", -1):
            return f"{name} is {value!r}, not of {kind.__name__}"
    unknown = set(event) - {name.rstrip("?") for name in members}
    if unknown:
        return f"unknown members {unknown}"
    if event["pid"] < 0 or event["tid"] < 0 or event.get("ts", 0) < 0 or event.get("dur", 0) < 0:
        return "a negative number"
    if event["ph"] == "i" and event["s"] not in "gpt":
        return f"the scope {event['s']}"
    return None


def check_names(events):
    """Each process and each thread has one name, in front of its events."""
    named = set()
    for event in events:
        process, thread = ("process_name", event["pid"]), ("thread_name", event["pid"], event["tid"])
        if event["ph"] == "M":
            place = {"process_name": process, "thread_name": thread}.get(event["name"])
            if not place or place in named or list(event["args"]) != ["name"] or type(event["args"]["name"]) is not str:
                return f"a wrong name: {event}"
            named.add(place)
        elif process not in named:
            return f"the process has no name: {event}"
        elif thread not in named and not (event["ph"] == "i" and event["s"] == "p"):
            return f"the thread has no name: {event}"
    return None


def check_bars(events):
    """The bars "X" of a thread nest, also for a reader that adds begin and duration as doubles."""
    threads = {}
    for event in events:
        if event["ph"] == "X":
            bar = (event["ts"], -event["dur"], event["name"])
            threads.setdefault((event["pid"], event["tid"]), []).append(bar)
    for bars in threads.values():
        ends = []
        for begin, length, name in sorted(bars):
            while ends and ends[-1] <= begin:
                ends.pop()
            if ends and begin - length > ends[-1]:
                return f"{name} at {begin} us ends after the bar around it"
            ends.append(begin - length)
    return None


def check_pairs(events):
    """Each "e" ends a "b" of the same name and id, which began before; no id begins twice."""
    begun = {}
    used = set()
    for event in events:
        place = event.get("pid"), event.get("cat"), event.get("id")
        if event["ph"] == "b":
            if place in used:
                return f"begins twice: {event}"
            used.add(place)
            begun[place] = event
        elif event["ph"] == "e":
            begin = begun.pop(place, None)
            if not begin or begin["name"] != event["name"] or begin["ts"] > event["ts"]:
                return f"ends nothing: {event}"
    return None


def check(text):
    """What is wrong with a timeline, or None"""
    def no_constant(name):
        raise ValueError(f"{name} is not JSON")

    try:
        timeline = json.loads(text, parse_constant=no_constant)
    except ValueError as error:
        return f"no JSON: {error}"
    if type(timeline) is not dict or set(timeline) != {"displayTimeUnit", "traceEvents"}:
        return "not an object with displayTimeUnit and traceEvents"
    if timeline["displayTimeUnit"] not in ("ms", "ns") or type(timeline["traceEvents"]) is not list:
        return "a wrong displayTimeUnit, or events that are no list"
    events = timeline["traceEvents"]
    if not any(event.get("ph") != "M" for event in events):
        return "no events"
    for event in events:
        problem = check_members(event)
        if problem:
            return f"{problem}: {event}"
    return check_names(events) or check_bars(events) or check_pairs(events)


def timeline(arguments, given=""):
    run = subprocess.run(f"{NVFIFO} {arguments} --perfetto /dev/fd/3 3>&1 >/dev/null", shell=True, input=given,
                         capture_output=True, text=True)
    return run.stdout


def runs_on(example, chip):
    """Whether the chip has what the program asks for: it is skipped else."""
    run = subprocess.run([NVFIFO, "run", f"--model={chip}", "--json", example], capture_output=True, text=True)
    return json.loads(run.stdout)["verdict"] != "SKIP"


def main():
    results = []
    for names in ("trace.txt", "words.trace wait.trace"):
        files = " ".join(f"{GOLDEN}/{name}" for name in names.split())
        results.append((f"trace {files}", check(timeline(f"trace {files}"))))

    with open(f"{GOLDEN}/trace.txt", encoding="utf-8") as f:
        lines = f.readlines()
    submit = next(n for n, line in enumerate(lines) if "nvfifo_submit:" in line)
    results.append(("trace that begins after a submission", check(timeline("trace -", "".join(lines[submit + 1:])))))

    for example in sorted(glob.glob("examples/*.nvp")) + [f"{GOLDEN}/model-dead.nvp"]:
        for chip in ("g80", "gt215"):
            if runs_on(example, chip):
                results.append((f"run {example} on {chip}", check(timeline(f"run --model={chip} --quiet {example}"))))
    return report(results)


raise SystemExit(main())
