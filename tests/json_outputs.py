#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each --json output is what tools/json-schema.json says: TAP.

Golden outputs, and commands that need neither a card nor a driver. The schema's members are all
there are: a member that is not described fails. Runs at the top of the tree.
"""
import json
import os
import subprocess

from jsonschema import Draft202012Validator

from results import report

GOLDEN = "tests/golden"
NVFIFO = "build/bin/nvfifo"

# Arguments of nvfifo, which a shell runs
COMMANDS = [f"run --model --json examples/{name}" for name in sorted(os.listdir("examples")) if name.endswith(".nvp")]
COMMANDS += [
    "run --model --step --json examples/01-refcnt-semaphore.nvp", "run --model=gt215 --step --json examples/03-m2mf-copy.nvp",
    "run --model --step --json tests/golden/model-dead.nvp",
    "run --model=g80 --json examples/02-semaphore-pair.nvp", "run --model --json tests/golden/wrong.nvp",
    "run --model --json tests/golden/differs.nvp",
    "run -n --json examples/13-spaces.nvp", "disasm --json tests/data/mesa-gl33-nv96.txt",
    "disasm --json --chipset g80 tests/golden/words.txt", "disasm --json --format nvc0 tests/golden/words-nvc0.txt",
    "asm --json tests/golden/source.txt", "lint --json tests/golden/mistakes.nvp",
    "lint --json --chipset g80 tests/golden/words.txt", "methods --json", "methods --json 3D", "methods --json pfifo",
    "methods --json --chipset mcp89", "calc --json pte 0000700012345109", "calc --json pde 9523d2b00b",
    "calc --json dmaobj fbfb5039 12345678 87654321 aabbccdd 0fff0fff 000fffff",
    "calc --json ramht handle=beef0201 bits=12 engine=1 offset=5540", "calc --json ib 2001 80000101",
    "calc --json chan 20001054", "calc --json fault chipset=af 13060d00 0 0 0 0 0", "calc --json dma-state e0073fff",
    "calc --json pull0 06f21111", "calc --json kind 2c", "calc --json tlb engine=5", "calc --json pgraph 41",
    "explain --json --all tests/golden/kernel.log", "trace --json tests/golden/trace.txt",
    "peek --json --decode 1c001000 PFIFO.RAMHT", "peek --json --decode 7fffffff 3fc", "chips --json",
    "peek --json --chipset mcp79 --reads tests/data/reports/regs-hung-mcp79.txt",
    "calc --json pgraph 503 8 0 0", "context --chipset g80 --json", "context --chipset gt215 --gddr5 --json",
]

# Reports: with each line, and the summary alone
REPORTS = sorted(name for name in os.listdir("tests/data/reports") if not name.startswith(("paste-", "fermi-", "regs-")))
COMMANDS += [f"explain --json {option} tests/data/reports/{name}" for name in REPORTS for option in ("--all", "--summary")]


def values(text):
    """The JSON values of an output: one, or one a line, beside lines of standard error"""
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line[:1] in ("{", "[")]


def check(text, command, schema):
    """What is wrong with an output of the subcommand, or None"""
    try:
        found = values(text)
    except ValueError as error:
        return f"no JSON: {error}"
    if not found:
        return "no JSON at all"
    validator = Draft202012Validator({**schema, "$ref": f"#/$defs/{command.split()[0]}"})
    wrong = next((error for value in found for error in validator.iter_errors(value)), None)
    return wrong and f"{wrong.json_path}: {wrong.message}"


def golden():
    """Output and arguments of each golden case with --json"""
    with open(os.path.join(GOLDEN, "cases"), encoding="utf-8") as cases:
        rows = [line.rstrip("\n").split(None, 2) for line in cases if line.strip() and line[0] != "#"]
    for row in rows:
        if len(row) < 3 or "--json" not in row[2].split() or "|" in row[2]:
            continue
        with open(os.path.join(GOLDEN, row[0] + ".out"), encoding="utf-8") as output:
            text = output.read()
        if row[1] != "2" or "{" in text:
            yield text, row[2]


def live(command):
    """What a command prints"""
    done = subprocess.run(f"{NVFIFO} {command}", shell=True, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=300)
    return done.stdout


def main():
    """Test Anything Protocol"""
    with open("tools/json-schema.json", encoding="utf-8") as text:
        schema = json.load(text)
    Draft202012Validator.check_schema(schema)
    results = [(f"golden: {command}", check(text, command, schema)) for text, command in golden()]
    results += [(command, check(live(command), command, schema)) for command in COMMANDS]
    report(results)


main()
