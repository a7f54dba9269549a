#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What nvfifo report and nvsim --like make of a test stick's report. Prints TAP.

The report is tests/data/card-report, packed here: a G84 whose firmware left all units on.
"""
import pathlib
import subprocess
import sys
import tarfile
import tempfile

DATA = pathlib.Path("tests/data/card-report")
NVFIFO, NVSIM = "build/bin/nvfifo", "build/sim/nvsim"
count = 0
failed = 0


def check(name, good, said=""):
    """Print a result, and what was said if it is bad."""
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - card report: {name}")
    if not good:
        print("\n".join("#  | " + line for line in said.splitlines()))


def run(*command):
    """Return the exit code, and both kinds of output together."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode()


def pack(path, change=None):
    """Make a report of the files, with their texts changed by a function."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for file in DATA.iterdir():
            text = file.read_text(encoding="utf-8")
            (folder / file.name).write_text(change(file.name, text) if change else text, encoding="utf-8")
        with tarfile.open(path, "w:gz", format=tarfile.USTAR_FORMAT) as tar:
            tar.add(folder, "report")


def contains(name, command, code, *texts):
    """Check the exit code of a command, and that it says all of the texts."""
    status, said = run(*command)
    missing = [text for text in texts if text not in said]
    check(name, status == code and not missing, f"status {status}, without {missing}:\n{said}")


def test_summary(report):
    """nvfifo report"""
    contains("a stage that failed is exit code 1", [NVFIFO, "report", report], 1, "board       GeForce 8600 GT\n",
             "stage 7 faults on purpose: failed", "units           PMC.ENABLE when all ones were written: ff7fdfff\n")
    contains("registers that differ have names", [NVFIFO, "report", report], 1,
             "000200  PMC.ENABLE               card df73d113  model 40110111\n",
             "101000  PSTRAPS.STRAPS_PRIMARY   card 0040008c  model 00400000\n", "\n  3 of 19 differ\n")
    contains("--file prints one of its files", [NVFIFO, "report", "--file", "post.txt", report], 0, "crtc 1a 02\n")
    contains("--list prints their names", [NVFIFO, "report", "--list", report], 0, "  registers.txt\n")
    contains("--file of none", [NVFIFO, "report", "--file", "no.txt", report], 2, "has no file 'no.txt'")


def test_results(folder):
    """Other reports"""
    report = folder / "good.tar.gz"
    pack(report, lambda name, text: text.replace("failed: see selftest.json", "ok"))
    contains("one without a failure is exit code 0", [NVFIFO, "report", report], 0)
    report = folder / "hung.tar.gz"
    pack(report, lambda name, text: text.partition("stage 5")[0] + "hung at stage 5 self-test\n"
         if name == "result.txt" else text)
    contains("a machine that hung", [NVFIFO, "report", report], 1, "  hung at stage 5 self-test\n")
    report = folder / "escape.tar.gz"
    pack(report, lambda name, text: text.replace("GeForce", "\033[2JGeForce"))
    _, said = run(NVFIFO, "report", report)
    check("control characters do not reach the terminal", "\033" not in said and "?[2JGeForce 8600 GT" in said, said)


def test_bad(folder, report):
    """Files that are none"""
    cut = folder / "cut.tar.gz"
    cut.write_bytes(report.read_bytes()[:-100])
    other = folder / "other.tar.gz"
    pack(other, lambda name, text: text.replace("nvfifo card report 1", "something else"))
    for name, path, text in (("a text file", "Makefile", "is cut, or no .tar.gz"), ("a cut report", cut, "is cut"),
                             ("another archive", other, "is no report of a test stick"),
                             ("no file", folder / "none", "No such file")):
        contains(f"{name} is refused", [NVFIFO, "report", path], 2, text)
        contains(f"{name} is no card for nvsim", [NVSIM, "--like", path, "--describe"], 2, text)


def test_like(report):
    """nvsim --like"""
    status, said = run(NVSIM, "--like", report, "--describe")
    want = ["chipset g84", "vram 256", "bar1 128", "boot0 84000a2", "pmc-enable df73d113", "straps 40008c", "boot-vga"]
    check("nvsim --like takes the card's values", status == 0 and said.splitlines() == want, said)
    status, said = run(NVSIM, "--like", report, "--vram", "64", "--describe")
    check("options after it change single points", status == 0 and "vram" not in said and "straps" in said, said)


def test_post(folder):
    """The POST state"""
    report = folder / "efi.tar.gz"
    empty = {"post.txt": "crtc 00 00\ncrtc 1a 00\n"}
    pack(report, lambda name, text: empty.get(name, text))
    contains("a card that EFI has set up", [NVSIM, "--like", report, "--describe"], 0, "\nefi\n")
    pack(report, lambda name, text: empty.get(name, text.replace("df73d113", "00000000")))
    contains("a card whose VBIOS was not run", [NVSIM, "--like", report, "--describe"], 0, "\nnot-posted\n")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        report = folder / "report.tar.gz"
        pack(report)
        test_summary(report)
        test_results(folder)
        test_bad(folder, report)
        test_like(report)
        test_post(folder)
    print(f"1..{count}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
