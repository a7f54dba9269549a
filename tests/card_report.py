#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What nvfifo report and nvsim --like make of a test stick's report. Prints TAP.

The report is tests/data/card-report, packed here: a G84 whose firmware left all units on.
"""
import gzip
import os
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
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=300)
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
             "stage 8 faults on purpose: failed")
    contains("registers that differ have names", [NVFIFO, "report", report], 1,
             "000200  PMC.ENABLE               card df73d113  model 40110111\n",
             "101000  PSTRAPS.STRAPS_PRIMARY   card 0040008c  model 00400000\n", "\n  3 of 19 differ\n")
    contains("rows of open-questions.rst have their answers", [NVFIFO, "report", report], 1,
             "\n  A kick with an unhandled error (either way): kick: ended 8 times",
             "\n  IB entry, word 0 bits 1:0 (either way): step 5: ok; step 12: failed\n", "\n  4 of 8 rows;")
    _, said = run(NVFIFO, "report", report)
    check("but not those that were settled before", "(settled)" not in said, said)
    contains("--questions prints all rows", [NVFIFO, "report", "--questions", report], 0,
             "answered   IB entry, word 0 bits 1:0 (either way): step 5: ok; step 12: failed\n",
             "answered   A kick with an unhandled error (either way): kick: ended 8 times",
             "not asked  0x100c90 (settled): the test did not come to step 16\n",
             "not asked  PDE of an IGP (settled): not about this chip\n",
             "(G84 and later) (settled): stage 5 load with INTx: ok",
             "not asked  PFIFO interrupts without a name (either way): the test did not come to the kernel log\n",
             "not asked  Rasterisation (open): the self-test has no part that shows it\n")
    contains("--file prints one of its files", [NVFIFO, "report", "--file", "post.txt", report], 0, "crtc 1a 02\n")
    contains("--file of none", [NVFIFO, "report", "--file", "no.txt", report], 2, "has no file 'no.txt'")


def test_results(folder):
    """Other reports"""
    report = folder / "good.tar.gz"
    pack(report, lambda name, text: text.replace("failed: see selftest.json", "ok"))
    contains("one without a failure is exit code 0", [NVFIFO, "report", report], 0)
    report = folder / "hung.tar.gz"
    pack(report, lambda name, text: text.partition("stage 6")[0] + "hung at stage 6 self-test\n"
         if name == "result.txt" else text)
    contains("a machine that hung", [NVFIFO, "report", report], 1, "  hung at stage 6 self-test\n")
    report = folder / "escape.tar.gz"
    pack(report, lambda name, text: text.replace("GeForce", "\033[2JGeForce"))
    _, said = run(NVFIFO, "report", report)
    check("control characters do not reach the terminal", "\033" not in said and "?[2JGeForce 8600 GT" in said, said)


def write_tar(path, *members):
    """Make an archive of names, contents, and sizes that a header says in their place."""
    blocks = b""
    for name, content, size in members:
        info = tarfile.TarInfo(name)
        info.size = len(content) if size is None else size
        blocks += info.tobuf(tarfile.USTAR_FORMAT) + content + bytes(-len(content) % 512)
    path.write_bytes(gzip.compress(blocks + bytes(1024)))


def test_bad(folder, report):
    """Files that are none, each of which is one sentence"""
    result = (DATA / "result.txt").read_bytes()
    bad = {name: folder / f"{name}.tar.gz" for name in ("cut", "other", "empty", "huge", "past", "negative", "many",
                                                        "noise", "fifo")}
    bad["cut"].write_bytes(report.read_bytes()[:-100])
    pack(bad["other"], lambda name, text: text.replace("nvfifo card report 1", "something else"))
    bad["empty"].write_bytes(b"")
    bad["huge"].write_bytes(gzip.compress(bytes(80 << 20), 1))
    write_tar(bad["past"], ("report/result.txt", result, None), ("report/dmesg.txt", b"x", 1 << 30))
    write_tar(bad["negative"], ("report/result.txt", result, 0o77777777777))
    write_tar(bad["many"], ("report/result.txt", result, None), *((f"report/{i}", b"", None) for i in range(100)))
    bad["noise"].write_bytes(bytes(i * 7919 % 251 for i in range(5000)))
    os.mkfifo(bad["fifo"])
    said = {"cut": "is cut, or no .tar.gz", "huge": "unpacks to too much", "fifo": "Invalid argument",
            "empty": "is cut, or no .tar.gz", "noise": "is cut, or no .tar.gz"}
    files = [(name, path, said.get(name, "is not a report of a test stick")) for name, path in bad.items()]
    files += [("a text file", "Makefile", "is cut, or no .tar.gz"), ("no file", folder / "none", "No such file"),
              ("a device", "/dev/zero", "Invalid argument"), ("a folder", "tests", "is not a report of a test stick")]
    for name, path, text in files:
        for command in ([NVFIFO, "report", path], [NVSIM, "--like", path, "--describe"]):
            status, out = run(*command)
            check(f"{name} is refused by {command[0].rpartition('/')[2]}",
                  status == 2 and text in out and out.count("\n") == 1, f"status {status}:\n{out}")


def test_part(folder):
    """A report without most of its files, as of a test that ended early, and its folder"""
    part = folder / "part"
    part.mkdir()
    result = (DATA / "result.txt").read_text(encoding="utf-8").partition("boot_0")[0]
    (part / "result.txt").write_text(result, encoding="utf-8")
    contains("a report that ended before the first stage", [NVFIFO, "report", part], 1, "board       GeForce 8600 GT\n",
             "none: the test ended before the first", "not compared: the card's were not read", "0 of 0 rows")
    contains("its questions", [NVFIFO, "report", "--questions", part], 0)
    contains("its model", [NVSIM, "--like", part, "--describe"], 0, "chipset g84\n")
    (part / "result.txt").write_text(result.replace("chip: G84", "chip: GF100"), encoding="utf-8")
    (part / "registers.txt").write_text("000000 0c0000a1\n10020c ffffffff\nxyz\n99999999999 1\n", encoding="utf-8")
    contains("a chip that is unknown", [NVFIFO, "report", part], 1, "not compared: the chip is not known")
    contains("which is no model", [NVSIM, "--like", part, "--describe"], 2, "its chip is none of the model's")


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
        test_part(folder)
        test_like(report)
        test_post(folder)
    print(f"1..{count}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
