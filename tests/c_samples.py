#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The C programs of the pages, compiled with libnvfifo.so and run on the model: TAP.

A sample without main() is the body of one. Each C block of each page has a row here. Runs at the
top of the tree after `make lib`.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from results import report

# Page, a word that only this block of it has, variables that it takes from the text before, what it
# prints on the model; None: it is compiled only, as it continues another one, or needs two drivers or
# a node of the kernel.
SAMPLES = (
    ("Documentation/uapi.rst", "0xcafe0001", "", "fence 1, word 0x12345678, reference counter 0xcafe0001"),
    ("Documentation/uapi.rst", "#define UNMAP", "", None),
    ("Documentation/uapi.rst", "#define IOCTL", "", None),
    ("Documentation/guides/library.rst", "nvfifo_submit", "", "12345678"),
    ("Documentation/guides/library.rst", "SET_DST_FORMAT",
     "struct nvfifo_dev *dev = NULL; __u32 channel = 0; struct nvfifo_push p = { 0 };", None),
)
FLAGS = ("-std=gnu11", "-Wall", "-Werror", "-Iuapi", "-Ilib", "-Ihw", "-Ibuild/gen")
BODY = """#include <err.h>
#include <stdio.h>
#include <nvfifo.h>
#include <nvfifo_class.h>
%s
int main(void)
{
	%s
%s
	return 0;
}
"""


def blocks(page):
    """The C code blocks of a page"""
    with open(page, encoding="utf-8") as file:
        for found in re.finditer(r"\.\. code-block:: c\n\n((?: {3}.*\n|\n)+)", file.read()):
            yield re.sub(r"(?m)^ {3}", "", found[1])


def program(source, variables):
    """A whole program of a block"""
    if "int main" in source:
        return source
    includes = "".join(re.findall(r"(?m)^#include.*\n", source))
    return BODY % (includes, variables, re.sub(r"(?m)^#include.*\n", "", source))


def run(page, word, variables, want):
    """What is wrong with a sample, or None"""
    source = next((block for block in blocks(page) if word in block), None)
    if source is None:
        return f"no block has {word}"
    source = program(source, variables)
    with tempfile.TemporaryDirectory() as directory:
        name, binary = os.path.join(directory, "sample.c"), os.path.join(directory, "sample")
        with open(name, "w", encoding="utf-8") as file:
            file.write(source)
        built = subprocess.run([os.environ.get("CC", "cc"), *FLAGS, name, "-Lbuild/lib", "-lnvfifo", "-o", binary], capture_output=True, text=True, check=False)
        if built.returncode:
            return built.stderr.replace("\n", " ")[:500]
        if want is None:
            return None
        done = subprocess.run([binary], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "LD_LIBRARY_PATH": "build/lib", "NVFIFO_MODEL": "g84"})
    if done.returncode or done.stdout.strip() != want:
        return f"ended with {done.returncode} and printed {done.stdout!r} {done.stderr!r}, not {want!r}"
    return None


def unknown():
    """The first line of each block that has no row"""
    for page in sorted(glob.glob("Documentation/**/*.rst", recursive=True)):
        words = [word for where, word, _, _ in SAMPLES if where == page]
        for block in blocks(page):
            if not any(word in block for word in words):
                yield f"{page}: {block.splitlines()[0]}"


def main():
    results = [(f"{page}: the sample with {word}", run(page, word, variables, want))
               for page, word, variables, want in SAMPLES]
    lost = list(unknown())
    results.append(("each C block has a row", ", ".join(lost) or None))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
