# SPDX-License-Identifier: MIT
"""Write a page for each class of objects from the method tables of the library."""
import os
import re

PLACES = ["g80", "g84", "g86", "g92", "g94", "g96", "g98", "g200", "mcp77", "mcp79", "gt215", "gt216",
          "gt218", "mcp89"]
DIRECTORY = "classes"

HEAD = """.. SPDX-License-Identifier: MIT

{title}
{line}

"""

INDEX = """The classes whose methods have names here, each with its methods and what their data mean, from
``lib/nvfifo_method_table.c`` when these pages are built. The names are those of rnndb. ``nvfifo methods`` prints the same,
``nvfifo disasm`` and ``nvfifo asm`` use them, and ``nvfifo_class.h`` has them for C (:doc:`/guides/library`).

Methods below 0x100 are PFIFO's own and mean the same on every subchannel: :doc:`pfifo`.

.. toctree::
   :maxdepth: 1

"""

NOTE = """*Method* is the number, for an array that of the first element; *elements* is how many elements the array has and how many
bytes they are apart. *The model refuses* names the code of DATA_ERROR that the model raises, and the numbers that it takes, in
hexadecimal; "not checked": no source gives the rule, so that the model takes any value. "not modelled unless 0": another value is
reported (:doc:`/not-modelled`), as no unit of the model looks at it, or no source says what a card does; "no effect": nothing that a
program can see depends on it. Data without a description are a number. Fields are name, bits, and what they hold. ``type`` names a list at
the end of the page.

"""


def read(path):
    """The text of a file."""
    with open(path, encoding="utf-8") as f:
        return f.read()


def strings(text):
    """The text of adjacent string literals, None for NULL."""
    if text.strip() == "NULL":
        return None
    return "".join(re.findall(r'"([^"]*)"', text))


def tables(top):
    """Rows by table, and the named types, of lib/nvfifo_method_table.c."""
    text = read(os.path.join(top, "lib", "nvfifo_method_table.c"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    parts = re.split(r"const struct nvfifo_method_(type|row) nvfifo_methods?_(\w+)\[\] = \{", text)
    found, types = {}, {}
    for kind, name, body in zip(parts[1::3], parts[2::3], parts[3::3]):
        if kind == "type":
            types = {row: strings(value) for row, value in
                     re.findall(r'\{\s*"(\w+)",\s*((?:"[^"]*"\s*)+)\}', body)}
            continue
        found[name] = [(int(method, 16), int(stride), int(count), int(mask, 16), row, strings(value))
                       for method, stride, count, mask, row, value in re.findall(
                           r'\{\s*(0x[0-9a-f]+),\s*(\d+),\s*(\d+),\s*(0x[0-9a-f]+),\s*"([^"]*)",'
                           r'\s*(NULL\s|(?:"[^"]*"\s*)+)\}', body)]
    return found, types


def families(top):
    """Name, table and classes of each family of lib/nvfifo_methods.c."""
    text = read(os.path.join(top, "lib", "nvfifo_methods.c"))
    return [(name, table, [int(c, 16) for c in classes.split(",")]) for name, table, classes in
            re.findall(r'\{ "(\w+)", nvfifo_methods_(\w+), \d+, \{ ([^}]*?) \} \}', text)]


def names(top):
    """Name and chips of each class of hw/nvfifo_class_table.h."""
    text = read(os.path.join(top, "hw", "nvfifo_class_table.h"))
    macros = dict(re.findall(r"^#define (NVFIFO_ON_\w+)\t(.*)$", text, re.M))

    def chips(expression):
        for macro, value in macros.items():
            expression = re.sub(rf"\b{macro}\b", value, expression)
        expression = re.sub(r"1u << (\w+)", r"CHIPS(\1, \1)", expression)
        found = []
        for first, last in re.findall(r"CHIPS\(NV_CHIP_(\w+), NV_CHIP_(\w+)\)", expression):
            found += PLACES[PLACES.index(first.lower()):PLACES.index(last.lower()) + 1]
        return found

    return {int(oclass, 16): (name, chips(expression)) for oclass, expression, name in
            re.findall(r'X\((0x[0-9a-f]+), \d, \w+, (.*?), "(\w+)"\)', text)}


def describe(value, generation, used):
    """A description of data in words; the types that it names are added to @used."""
    if value is None:
        return ""
    if value.startswith("<"):
        return f"times {1 << int(value[1])} {describe(value[2:].strip(), generation, used)}".strip()
    if value.startswith("@"):
        used.add(value[1:])
        return f"``{value[1:]}``"
    if value.startswith("="):
        return ", ".join(f"{number} {name}" for number, name in
                         re.findall(r"([0-9a-f]+):(\S+)", value[1:].split("^")[0]))
    if not value.startswith("{"):
        return value
    fields = []
    for field in value[1:-1].split("|"):
        match = re.match(r"(\S+) (\d+(?::\d+)?) ?(.*?) ?(?:\^(\d+))?$", field)
        name, bits, data, only = match.groups()
        if only and str(generation) not in only:
            continue
        meaning = describe(data or None, generation, used)
        fields.append(f"{name} {bits}" + (f" ({meaning})" if meaning else ""))
    return "; ".join(fields)


def limits(top):
    """Rows of the model's limits of values, sim/core/methods.c, by the first class of a family."""
    text = read(os.path.join(top, "sim", "core", "methods.c"))
    numbers = {name: int(value, 16) for name, value in re.findall(
        r"#define CLASS_(\w+)\s+(0x\w+)", read(os.path.join(top, "sim", "core", "methods.h")))}
    found = {}
    for name, *values, code in re.findall(
            r"\{ CLASS_(\w+), (\w+), (\d+), (\d+), (\d+), (\d+), (\w+), (\w+), (\w+), (\w+) \},", text):
        row = [0xffffffff if value == "ANY" else int(value, 0) for value in values]
        found.setdefault(numbers[name], []).append((*row, f"INVALID_{code}"))
    return found


def without_effect(top):
    """Values with which methods without an effect in the model are not reported, by family and method."""
    text = read(os.path.join(top, "sim", "core", "no_effect.c"))
    found = {}
    for name, method, count, stride, values in re.findall(
            r"\{ CLASS_(\w+), (0x\w+), (\d+), (\d+), ([^}]*) \},", text):
        low, high = {"EACH": ("0", "~0u"), "NONE": ("1", "0")}.get(values, ("", ""))
        if values.startswith("ONLY"):
            low = high = values[5:-1]
        elif not low:
            low, high = values.split(", ")
        low, high = (0xffffffff if value == "~0u" else int(value, 0) for value in (low, high))
        for element in range(int(count)):
            found.setdefault((name, int(method, 16) + element * int(stride)), []).append((low, high))
    return found


def unmodelled(spans):
    """What the model says of a method that it does not look at."""
    if (0, 0xffffffff) in spans:
        return "no effect"
    spans = [f"{low:x}" if low == high else f"{low:x} or more" if high == 0xffffffff else f"{low:x} to {high:x}"
             for low, high in spans if low <= high]
    return "not modelled" + (" unless " + " or ".join(spans) if spans else "")


# What the model checks of a value by a function: the family, and its methods
CHECKED = {
    "2D": {},
    "M2MF": {0x324: "INVALID_VALUE"},
    "3D": {0x1444: "SAMPLER_OVER_LIMIT, INVALID_OPERATION", 0x1448: "TEXTURE_OVER_LIMIT, INVALID_OPERATION",
           0x1b0c: "INVALID_OPERATION unless a mode and a unit of the list"},
    "COMPUTE": {0x368: "codes of launches", 0x3c0: "SAMPLER_OVER_LIMIT, INVALID_OPERATION",
                0x3c4: "TEXTURE_OVER_LIMIT, INVALID_OPERATION"},
}


def spans_of(text):
    """Spans of numbers as C has them, in words."""
    return [first if first == last else f"{first} to {last}" for first, last in
            ((f"{int(first, 0):x}", f"{int(last, 0):x}") for first, last in re.findall(r"\{ (\w+), (\w+)", text))]


def enumerations(top):
    """What sim/core/values.c says of values, by family and method."""
    text = read(os.path.join(top, "sim", "core", "values.c"))
    said = {}
    for name, taken, reported in re.findall(r"\[(\w+)\] = \{ \d+, \{(.*?)\} \},\s*(\w+|\{[^}]*\}) \}", text, re.S):
        if reported == "ALL":
            said[name] = ("not modelled unless ", ", ".join(spans_of(taken)))
            continue
        later = " and ".join(spans_of(reported))
        said[name] = ("INVALID_ENUM unless ", ", ".join(spans_of(taken)) + (f"; not modelled: {later}" if later else ""))
    found = {}
    for name, method, count, stride, high, low, values in re.findall(
            r"\{ CLASS_(\w+), (0x\w+), (\d+), (\d+), (\d+), (\d+), (\w+) \},", text):
        bits = "" if (high, low) == ("31", "0") else f"{high}:{low} "
        for element in range(int(count)):
            found.setdefault((name, int(method, 16) + element * int(stride)), []).append(bits.join(said[values]))
    return found


def refused(family, method, rows, idle, typed):
    """What the model refuses of a method's data, and whether it looks at the method."""
    if family not in CHECKED:
        return "not modelled"
    found = checked(family, method, rows) + typed.get((family, method), [])
    if (family, method) in idle:
        found.append(unmodelled(idle[family, method]))
    return "; ".join(found) or "not checked"


def checked(family, method, rows):
    """What the model refuses of a method's data by limits and functions."""
    if 0x180 <= method < 0x200:
        return ["INVALID_OBJECT unless a DMA object or NULL; SUPERVISOR_OBJECT; READ_ONLY_OBJECT where the class writes"]
    found = []
    for at, count, stride, high, low, least, most, align, code in rows:
        if method < at or (method - at) % stride or (method - at) // stride >= count:
            continue
        bits = "" if (high, low) == (31, 0) else f"{high}:{low} " if high > low else f"{high} "
        span = f"{least:x} to {most:x}" if most != 0xffffffff else "any"
        step = f" in steps of {align:x}" if align > 1 else ""
        found.append(f"{code} unless {bits}{span}{step}")
    if method in CHECKED[family]:
        found.append(CHECKED[family][method])
    return found


def lines(cells):
    """One row of a list table."""
    text = [f"   * - {cells[0]}\n"]
    text += [f"     - {cell}\n" if cell else "     -\n" for cell in cells[1:]]
    return "".join(text)


def table(head, widths):
    """The beginning of a list table."""
    return (".. list-table::\n   :header-rows: 1\n   :widths: " + " ".join(map(str, widths)) + "\n\n" +
            lines(head))


def class_page(family, oclass, generation, rows, types, known, rules, idle, typed):  # pylint: disable=too-many-arguments
    """The page of one class."""
    name, chips = known.get(oclass, (family, []))
    title = f"{name}, class {oclass:04x}"
    used = set()
    out = [HEAD.format(title=title, line="=" * len(title)),
           f"Chips: {', '.join(chips)}. In names of methods the class is ``{family}``.\n\n", NOTE,
           table(["method", "name", "elements", "data", "the model refuses"], [8, 28, 10, 36, 18])]
    for method, stride, count, mask, row, value in rows:
        if not mask >> generation & 1:
            continue
        array = f"{count}, {stride} apart" if count > 1 else ""
        out.append(lines([f"{method:04x}", f"``{family}.{row}``", array,
                          describe(value, generation, used), refused(family, method, rules, idle, typed)]))
    if used:
        out.append("\nTypes\n-----\n\n" + table(["type", "data"], [24, 76]))
        done = set()
        while used - done:
            for each in sorted(used - done):
                done.add(each)
                out.append(lines([f"``{each}``", describe(types[each], generation, used)]))
    return "".join(out)


def pfifo_page(top):
    """The page of the methods that PFIFO executes itself, and the chips whose pusher lets them pass."""
    numbers = re.findall(r"\bNVFIFO_MTHD_(\w+) = (0x[0-9a-f]+)", read(os.path.join(top, "hw", "nvfifo_code_table.h")))
    text = read(os.path.join(top, "hw", "nvfifo_command.h"))
    text = re.search(r"nvfifo_pfifo_method_valid\(.*?^\}", text, re.S | re.M).group(0)
    chips = {}
    for cases, answer in re.findall(r"((?:\s*case NVFIFO_MTHD_\w+:)+)\s*return (.*?);", text):
        for name in re.findall(r"NVFIFO_MTHD_(\w+)", cases):
            chips[name] = {"true": "all", "chipset != 0x50": "G84 and later", "chipset == 0xaf": "MCP89"}[answer]
    title = "PFIFO's own methods"
    rows = [lines([f"{int(number, 16):04x}", f"``{name}``", chips[name]]) for name, number in numbers if name in chips]
    return (HEAD.format(title=title, line="=" * len(title)) +
            "The puller executes these itself, on every subchannel; the others go to the engine of the subchannel's object. What they\n"
            "wait for, and when they take effect, is what ``nvfifo disasm`` writes beside them. Pushers of other chips refuse them.\n\n" +
            table(["method", "name", "chips"], [12, 48, 40]) + "".join(rows))


def pages(top):
    """All pages by their names."""
    rows, types = tables(top)
    known, rules, idle, typed = names(top), limits(top), without_effect(top), enumerations(top)
    found, listed = {"pfifo": pfifo_page(top)}, ["pfifo"]
    for family, name, classes in families(top):
        for generation, oclass in enumerate(classes):
            page = f"{family.lower()}-{oclass:04x}"
            found[page] = class_page(family, oclass, generation, rows[name], types, known,
                                     rules.get(classes[0], []), idle, typed)
            listed.append(page)
    title = "All classes"
    found["index"] = (HEAD.format(title=title, line="=" * len(title)) + INDEX +
                      "".join(f"   {page}\n" for page in listed))
    return found


def write(here):
    """Write the folder of pages beside this file: those that changed."""
    folder = os.path.join(here, DIRECTORY)
    os.makedirs(folder, exist_ok=True)
    for name, text in pages(os.path.dirname(here)).items():
        path = os.path.join(folder, name + ".rst")
        if not os.path.exists(path) or read(path) != text:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)


if __name__ == "__main__":
    write(os.path.dirname(os.path.abspath(__file__)))
