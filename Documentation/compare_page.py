# SPDX-License-Identifier: MIT
"""Write the differences between nouveau and nvfifo, of tests/nouveau/compare.csv, as sections."""
import csv
import os
import re

PAGE = "compare-rows"


def text(cell):
    """A cell as text of the page, in which these characters mark words."""
    return re.sub(r"[*|`]|_(?!\w)", r"\\\g<0>", cell)


def accesses(cell):
    """The accesses of a row."""
    return ", ".join(f"``{access}``" for access in cell.split("|"))


def side(driver, cell):
    """What a driver does."""
    if cell == "-":
        return f"{driver} does not"
    if cell == "yes":
        return f"{driver} does"
    if cell == "*":
        return f"{driver}: any value"
    return f"{driver}: {text(cell)}"


def write(here):
    """Write the page's part, a section for each procedure."""
    sections = {}
    with open(os.path.join(here, "..", "tests", "nouveau", "compare.csv"), encoding="utf-8") as table:
        for row in csv.DictReader(table):
            sections.setdefault(row["procedure"], []).append(row)
    out = [".. SPDX-License-Identifier: MIT\n"]
    for procedure, rows in sections.items():
        title = procedure.replace("|", ", ")
        out.append(f"\n{title}\n{'-' * len(title)}\n\n")
        for row in rows:
            out.append(f"* {accesses(row['access'])} ({text(row['chips'])}): {side('nouveau', row['nouveau'])}, "
                       f"{side('nvfifo', row['nvfifo'])}. {row['reason']}\n")
    with open(os.path.join(here, PAGE + ".inc"), "w", encoding="utf-8") as page:
        page.write("".join(out))
