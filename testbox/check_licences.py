#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""packaging/debian/copyright says what the SPDX lines say. Prints a line for each file that differs.

A file without an SPDX line needs a pattern of its own there, and "*" is none. As Debian's format
has it, the last paragraph that matches counts, and a "*" stands for any text, with slashes too.
"""
import fnmatch
import os
import re
import subprocess
import sys

COPYRIGHT = "packaging/debian/copyright"
SPDX = re.compile(rb"SPDX-License-Identifier: *([^\n\"]*)")
NAMES = {
    "MIT": "Expat",
    "GPL-2.0-only": "GPL-2.0-only",
    "GPL-2.0-only OR MIT": "GPL-2.0-only or Expat",
    "((GPL-2.0 WITH Linux-syscall-note) OR MIT)": "GPL-2.0-only-with-Linux-syscall-note or Expat",
}


def paragraphs():
    """Patterns and licence of each paragraph that has files, and the licences that have a text."""
    files, texts = [], set()
    with open(COPYRIGHT, encoding="utf-8") as text:
        for paragraph in text.read().split("\n\n"):
            fields = dict(re.findall(r"^([A-Z][A-Za-z-]*): *((?:.*)(?:\n .*)*)", paragraph, re.MULTILINE))
            licence = fields.get("License", "").split("\n")
            if "Files" in fields:
                files.append((fields["Files"].split(), licence[0]))
            elif len(licence) > 1:
                texts.add(licence[0])
    return files, texts


def main():
    """Exit status 1 for a difference"""
    files, texts = paragraphs()
    wrong = []
    for licence in {name for _, whole in files for name in whole.split(" or ")} - texts:
        wrong.append(f"{COPYRIGHT}: there is no text of {licence}")
    used = set()
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for path in filter(os.path.isfile, listed.split("\0")):
        match = [(pattern, licence) for patterns, licence in files for pattern in patterns
                 if fnmatch.fnmatchcase(path, pattern)]
        used.update(pattern for pattern, _ in match)
        pattern, said = match[-1] if match else ("", "nothing")
        with open(path, "rb") as file:
            line = SPDX.search(file.read(4096))
        if path.startswith("LICENSES/") and not path.endswith(".md"):
            continue
        if not line:
            if pattern in ("", "*"):
                wrong.append(f"{path}: neither an SPDX line nor a pattern in {COPYRIGHT}")
            continue
        spdx = re.sub(r" *(\*/|-->).*", "", line.group(1).decode()).strip()
        if NAMES.get(spdx) != said:
            wrong.append(f"{path}: its SPDX line has '{spdx}', {COPYRIGHT} has '{said}'")
    for pattern in {pattern for patterns, _ in files for pattern in patterns} - used:
        wrong.append(f"{COPYRIGHT}: no file matches '{pattern}'")
    print(*sorted(wrong), sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
