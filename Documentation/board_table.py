#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of boards: Documentation/board_table.py >Documentation/boards.rst

Names come from lib/boards.tbl, chips from build/bin/nvfifo. With --check it prints what
is wrong: a page that is not up to date, an id that the driver has for another chip, and names that
differ from the database pci.ids, if the version is installed from which they were taken.
"""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path("Documentation/boards.rst")
DATABASE = pathlib.Path("/usr/share/misc/pci.ids")
HEAD = """\
.. SPDX-License-Identifier: MIT
.. Made by Documentation/board_table.py.

======
Boards
======

The boards of the NV50 family by chip, with the names of the pci.ids database. ``lspci -nn -d 10de:`` prints the id of
yours, such as ``[10de:0402]``, and ``nvfifo chips 10de:0402`` or ``nvfifo chips "GeForce 8600 GT"`` its chip. A number
above 300, or GF, GK and later letters in the chip's name, means a later family; a GeForce 7 or older is an earlier one.
Boards that share a name may have different chips.
"""


def boards():
    """(id, chip, name) of each board, as the command lists them."""
    said = subprocess.run(["build/bin/nvfifo", "chips", "--boards"], check=True, capture_output=True, text=True).stdout
    for line in said.splitlines():
        device, chip, _, name = line.split(None, 3)
        yield int(device.removeprefix("10de:"), 16), chip, name


def page(table):
    """The text of the page."""
    chips = {}
    for _, chip, name in table:
        chips.setdefault(chip, {})[name] = True
    text = HEAD
    for chip, names in chips.items():
        title = f"{chip}"
        lines, line = [], ""
        for word in (", ".join(sorted(names)) + ".").split(" "):
            if len(line) + len(word) > 117:
                lines.append(line)
                line = ""
            line += (" " if line else "") + word
        text += f"\n{title}\n{'=' * len(title)}\n\n" + "\n".join(lines + [line]) + "\n"
    return text


def wrong_ids(table):
    """Boards that the driver does not know, or knows as another chip."""
    source = pathlib.Path("hw/nvfifo_pci_table.h").read_text(encoding="utf-8")
    driver = {int(device, 16): chip for chip, device in re.findall(r"ID\((\w+), 0x(\w+)\)", source)}
    for device, chip, name in table:
        if driver.get(device) != chip:
            yield f"hw/nvfifo_pci_table.h: 10de:{device:04x} {name} is a {chip}, not {driver.get(device)}"


def wrong_names(table):
    """Names that the database does not have."""
    text = DATABASE.read_text(encoding="utf-8") if DATABASE.exists() else ""
    version = re.search(r"pci\.ids database of ([0-9-]+)",
                        pathlib.Path("lib/boards.tbl").read_text(encoding="utf-8"))[1]
    if "Version: " + version.replace("-", ".") not in text:
        return
    nvidia = re.search(r"^10de  .*\n((?:\t.*\n|#.*\n)*)", text, re.M)[1]
    names = {int(device, 16): name for device, name in re.findall(r"^\t(\w{4})  (.*)$", nvidia, re.M)}
    for device, _, name in table:
        if name not in names.get(device, ""):
            yield f"lib/boards.tbl: 10de:{device:04x} is {names.get(device)}, not {name}"


def main():
    table = list(boards())
    if sys.argv[1:] != ["--check"]:
        print(page(table), end="")
        return 0
    wrong = [*wrong_ids(table), *wrong_names(table)]
    if not PAGE.exists() or page(table) != PAGE.read_text(encoding="utf-8"):
        wrong.append(f"{PAGE}: not up to date; see the head of Documentation/board_table.py")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
