#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The C programs of the pages, compiled with libnvfifo.so and run on the model: TAP.

A sample without main() is the body of one. Runs at the top of the tree after `make lib`.
"""
import os
import re
import subprocess
import sys
import tempfile

from results import report

# Page, a word of the sample, what it prints on the model. The other samples need two drivers, or
# ioctls of the node itself, and run in a guest.
SAMPLES = (
    ("Documentation/uapi.rst", "0xcafe0001", "fence 1, word 0x12345678, reference counter 0xcafe0001"),
    ("Documentation/guides/library.rst", "nvfifo_submit", "12345678"),
)
BODY = """#include <err.h>
#include <stdio.h>
#include <nvfifo.h>
#include <nvfifo_class.h>

int main(void)
{
%s
	return 0;
}
"""


def blocks(page):
    """The C code blocks of a page"""
    with open(page, encoding="utf-8") as file:
        for found in re.finditer(r"\.\. code-block:: c\n\n((?: {3}.*\n|\n)+)", file.read()):
            yield re.sub(r"(?m)^ {3}", "", found[1])


def run(page, word, want):
    """What is wrong with a sample, or None"""
    source = next((block for block in blocks(page) if word in block), None)
    if source is None:
        return f"no block has {word}"
    if "int main" not in source:
        source = BODY % source
    with tempfile.TemporaryDirectory() as directory:
        name, program = os.path.join(directory, "sample.c"), os.path.join(directory, "sample")
        with open(name, "w", encoding="utf-8") as file:
            file.write(source)
        built = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-Iuapi", "-Ilib", "-Ihw", "-Ibuild/gen", name,
                                "-Lbuild/lib", "-lnvfifo", "-o", program], capture_output=True, text=True, check=False)
        if built.returncode:
            return built.stderr.replace("\n", " ")[:500]
        done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "LD_LIBRARY_PATH": "build/lib", "NVFIFO_MODEL": "g84"})
    if done.returncode or done.stdout.strip() != want:
        return f"ended with {done.returncode} and printed {done.stdout!r} {done.stderr!r}, not {want!r}"
    return None


if __name__ == "__main__":
    sys.exit(report([(f"{page}: the sample with {word}", run(page, word, want)) for page, word, want in SAMPLES]))
