# SPDX-License-Identifier: MIT
"""Write a page for each manual page: of tools/man, and of build/man, which `make man` makes."""
import glob
import os
import re

DIRECTORY = "man"
INDEX = """.. SPDX-License-Identifier: MIT

============
Manual pages
============

.. toctree::
   :maxdepth: 1

"""
FONT = {"B": ("**", ""), "I": ("*", ""), "BR": ("**", ""), "RI": ("", "*"), "IR": ("*", "")}


def plain(text):
    """Text of roff without its escapes of characters."""
    for escape, character in ((r"\-", "-"), (r"\(bu", "•"), (r"\(lq", "“"), (r"\(rq", "”"), (r"\&", ""), (r"\e", "\\")):
        text = text.replace(escape, character)
    return text


def marked(text, mark):
    """Text between marks of reStructuredText, which stand beside no blank."""
    text = re.sub(r"([\\*`|_])", r"\\\1", plain(text))
    inner = text.strip()
    if not mark or not inner:
        return text
    before, after = text[:len(text) - len(text.lstrip())], text[len(text.rstrip()):]
    return f"{before}{mark}{inner}{mark}{after}"


def inline(text):
    """A line of text with changes of the font."""
    parts = re.split(r"\\f([BIRP])", text)
    out = marked(parts[0], "")
    for font, part in zip(parts[1::2], parts[2::2]):
        piece = marked(part, {"B": "**", "I": "*"}.get(font, ""))
        out += (r"\ " if out and piece and not out[-1].isspace() else "") + piece
        if font in "BI" and part:
            out += r"\ "
    return re.sub(r"\\ (?=\s|$)", "", out)


def words(text):
    """The arguments of a macro."""
    return [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', text)]


def macro(name, text):
    """A line in the fonts of .B, .BR and their like."""
    marks = FONT[name]
    arguments = words(text)
    if len(name) == 1:
        return marked(" ".join(arguments), marks[0])
    pieces = [marked(word, marks[n % 2]) for n, word in enumerate(arguments)]
    return r"\ ".join(pieces)


def page(path):
    """Title and text of a page. A macro that is not known here ends the build."""
    out, title, literal, indent, item = [], "", False, "", False
    with open(path, encoding="utf-8") as text:
        lines = text.read().split("\n")
    for line in lines:
        name, _, rest = line[1:].partition(" ") if line.startswith(".") else ("", "", "")
        if line.startswith((".\\\"", "'\\\"")) or not line and not literal:
            continue
        if literal and name != "fi" and name != "SH":
            out.append("   " + plain(line) if line else "")
            continue
        if name in FONT or not name:
            piece = macro(name, rest) if name else inline(line)
            if item:
                out += ["", piece]
                item, indent = False, "   "
            else:
                out.append(indent + piece)
            continue
        if name == "TH":
            title = "{}({})".format(*words(plain(rest))[:2]).lower()
            out = [".. SPDX-License-Identifier: MIT", "", "=" * len(title), title, "=" * len(title)]
        elif name == "SH":
            head = " ".join(words(plain(rest))).capitalize()
            out += ["", head, "=" * len(head), ""]
        elif name == "TP":
            item = True
        elif name == "IP":
            out += ["", "\\ "]
        elif name in ("PP", "br"):
            out.append("")
        elif name in ("nh", "ad", "in"):
            continue
        elif name == "nf":
            out += ["", "::", ""]
        elif name == "fi":
            out.append("")
        else:
            raise SystemExit(f"{path}: macro .{name} is not known in manual.py")
        literal = name == "nf"
        if name in ("SH", "PP", "IP", "nf", "fi"):
            indent = ""
    return title, "\n".join(out) + "\n"


def write(here):
    """Write the pages and their index."""
    folder = os.path.join(here, DIRECTORY)
    os.makedirs(folder, exist_ok=True)
    index = INDEX
    top = os.path.join(here, "..")
    for path in glob.glob(os.path.join(top, "tools/man/*.[15]")) + sorted(glob.glob(os.path.join(top, "build/man/*.1"))):
        title, text = page(path)
        name = os.path.basename(path)
        index += f"   {title} <{name}>\n"
        with open(os.path.join(folder, name + ".rst"), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(folder, "index.rst"), "w", encoding="utf-8") as file:
        file.write(index)
