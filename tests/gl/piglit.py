#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run tests of Debian's piglit and compare with the results that a list expects.

    piglit.py FOLDER LIST           TAP; a result that the list does not have is a failure
    piglit.py --record FOLDER LIST  the list again, with the results of this run
    piglit.py --pictures FOLDER LIST
                                    the result of each test, how many pictures it read back and a
                                    checksum of them all; with libreadback.so preloaded

A line of LIST is an expected result and a test: the path of a shader test below tests/spec, or a
program and its arguments. "pass,g80=fail" is what a chip has for itself: NVFIFO_GL_MODEL or CHIPSET
names the chip. FOLDER is where testbox/piglit.sh unpacked the package. PIGLIT_LIMIT
is the number of seconds that a test may take, default 300; with --record and --pictures, PIGLIT_JOBS
says how many run at a time. Tests are run with the Mesa that the environment selects.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import zlib

BATCH = 25  # shader tests of one process: most of the time of a single one is its start
LIMIT = float(os.environ.get("PIGLIT_LIMIT", "300"))


def read_list(path):
    """Pairs of expected result and test."""
    with open(path, encoding="utf-8") as f:
        lines = (line.split("#")[0].strip() for line in f)
        return [tuple(line.split(None, 1)) for line in lines if line]


def expected_result(result):
    """Of "pass,g80=fail" what the chip at hand has to have."""
    chip = (os.environ.get("NVFIFO_GL_MODEL") or os.environ.get("CHIPSET") or "").lower()
    common, *special = result.split(",")
    return dict(one.split("=") for one in special).get(chip, common)


class Piglit:
    def __init__(self, folder):
        self.folder = folder
        self.environment = dict(
            os.environ,
            LD_LIBRARY_PATH=f"{folder}/lib",
            PIGLIT_PLATFORM="surfaceless_egl",
            PIGLIT_SOURCE_DIR=folder,
            MESA_SHADER_CACHE_DISABLE="1",
        )

    def run(self, command, limit):
        """Output and status; None after the limit."""
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            try:
                out, _ = process.communicate(timeout=limit)
                status = process.returncode
            except subprocess.TimeoutExpired:
                process.kill()
                out, _ = process.communicate()
                status = None
        return out.decode("utf-8", "replace"), status

    def program(self, test):
        """Result and output of a program."""
        words = test.split()
        out, status = self.run([f"bin/{words[0]}", *words[1:], "-auto", "-fbo"], LIMIT)
        if status is None:
            return "timeout", out
        results = re.findall(r'^PIGLIT: {"result": "(\w+)"', out, re.M)
        if status < 0 or not results:
            return "crash", out
        return results[-1], out

    def shaders(self, tests):
        """Tests of one process; what ends the process has a result, those behind it run again."""
        left = list(tests)
        while left:
            batch = [f"tests/spec/{test}" for test in left]
            command = ["bin/shader_runner", *batch, "-auto", "-fbo", "-report-subtests"]
            out, status = self.run(command, LIMIT * 2)
            # Each test begins with its name, twice.
            parts = re.split(r"^PIGLIT TEST: (\d+) - .*\n", out, flags=re.M)
            said, seen = {}, {}
            for number, text in zip(parts[1::2], parts[2::2]):
                at = int(number) - 1
                said[at] = said.get(at, "") + text
                match = re.search(r'^PIGLIT: {"subtest": {".*" : "(\w+)"}', text, re.M)
                if match:
                    seen[at] = match.group(1)
            done = 0
            while done in seen and done < len(left):
                yield left[done], seen[done], said[done]
                done += 1
            if done < len(left) and len(left) > 1 and done == 0:
                # Alone, so that its own result shows.
                yield from self.shaders(left[:1])
                done = 1
            elif done < len(left) and len(left) == 1:
                yield left[0], self.last_word(out, status), out
                done = 1
            left = left[done:]

    @staticmethod
    def last_word(out, status):
        if status is None:
            return "timeout"
        results = re.findall(r'^PIGLIT: {"result": "(\w+)"', out, re.M)
        if status < 0 or not results:
            return "crash"
        return results[-1]


def jobs(piglit, tests):
    """Functions, each of which gives results of some tests."""
    shaders = [test for _, test in tests if test.endswith(".shader_test")]
    for at in range(0, len(shaders), BATCH):
        yield lambda some=shaders[at : at + BATCH]: list(piglit.shaders(some))
    for _, test in tests:
        if not test.endswith(".shader_test"):
            yield lambda test=test: [(test, *piglit.program(test))]


def pictures(out):
    """How many pictures a test read back, and a checksum, of the lines of libreadback.so."""
    lines = [line for line in out.splitlines() if line.startswith("READBACK ")]
    return f"{len(lines)}\t{zlib.crc32(chr(10).join(lines).encode()):08x}"


def main():
    arguments = sys.argv[1:]
    record = arguments[0] if arguments[:1] in (["--record"], ["--pictures"]) else None
    folder, path = arguments[1:] if record else arguments
    tests = read_list(path)
    expected = {test: expected_result(result) for result, test in tests}
    piglit = Piglit(folder)
    count = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("PIGLIT_JOBS", "1"))) as pool:
        for results in pool.map(lambda job: job(), jobs(piglit, tests)):
            for test, result, out in results:
                count += 1
                if record == "--pictures":
                    print(f"{result}\t{pictures(out)}\t{test}", flush=True)
                    continue
                if record:
                    print(f"{result}\t{test}", flush=True)
                    continue
                if result == expected[test]:
                    print(f"ok {count} - {test}: {result}", flush=True)
                    continue
                wrong += 1
                for line in out.splitlines()[-12:]:
                    print(f"#   {line}")
                print(f"not ok {count} - {test}: {result}, not {expected[test]}", flush=True)
    if not record:
        print(f"1..{count}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
