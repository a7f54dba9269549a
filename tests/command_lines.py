# SPDX-License-Identifier: MIT
"""The command lines that README, Documentation, manual pages and --help promise."""

import functools
import glob
import pathlib
import re
import subprocess

# Their indented blocks are commands, except for what the demonstration prints.
PAGES = ("README.md", "Documentation/quick-start.rst", "Documentation/testing.rst", "Documentation/testbox.rst")
# Their indented blocks are commands or anything else.
GUIDES = ("examples/README.md", *sorted(glob.glob("Documentation/guides/*.rst")))
# And these have also commands for a person who looks at a card, of other programs.
OTHERS = tuple(page for page in sorted(glob.glob("Documentation/*.rst")) if page not in PAGES)
MANUALS = tuple(sorted(glob.glob("tools/man/*.[1-9]")))

OWN = ("make", "nvfifo", "nvsim")
FOLDERS = ("build/", "testbox/", "tests/")
PROGRAMS = (*OWN, "apt", "cat", "cc", "cp", "dmesg", "dpkg", "echo", "git", "insmod", "journalctl", "ln", "modprobe",
            "printf", "python3", "rmmod", "trace-cmd")
NVFIFO = "build/bin/nvfifo"


@functools.cache
def help_of(*subcommand, program=NVFIFO):
    """The text of --help."""
    command = [program, *subcommand, "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@functools.cache
def subcommands():
    """The names that nvfifo --help lists."""
    return re.findall(r"^  ([a-z]+) ", help_of().partition("Subcommands:")[2], re.MULTILINE)


def blocks(page):
    """(kind, lines without their indentation) of the indented blocks of a page."""
    kind, found = None, []
    markdown = page.endswith(".md")
    for line in pathlib.Path(page).read_text(encoding="utf-8").splitlines():
        indent = re.match(r"\t| {3,4}", line)
        if not line:
            if markdown:
                kind = None
        elif indent and (kind is not None or markdown):
            if kind is None:
                kind = ""
                found.append((kind, []))
            found[-1][1].append(line[indent.end():])
        else:
            code = re.match(r"\.\. code-block:: *(\S*)", line)
            kind = None
            if code or (line.endswith("::") and not line.startswith(".. ")):
                kind = code.group(1) if code else ""
                found.append((kind, []))
    return found


def words_of(command):
    """Program and arguments, without what stands before the program."""
    command = re.sub(r"""^(sudo +|[A-Z_]+=("[^"]*"|\S*) +)*""", "", command)
    return re.sub(r"""('[^']*'|"[^"]*")""", lambda quoted: quoted.group().replace(" ", "_"), command).split()


def is_command(line, programs=PROGRAMS):
    """Does a line begin with one of the programs, or a script?"""
    words = words_of(line)
    return bool(words) and (words[0] in programs or words[0].startswith(FOLDERS))


def commands_of(kind, lines, page):
    """The commands of a block, which may have prompts, remarks and continued lines."""
    programs = OWN if page in OTHERS else PROGRAMS
    prompts = [re.match(r"[$#] ", line) for line in lines]
    if any(prompts):
        taken = [line[2:] for line, prompt in zip(lines, prompts) if prompt and is_command(line[2:], programs)]
    elif page in OTHERS:
        taken = [line for line in lines if is_command(line, programs)]
    elif kind in ("", "sh") and (is_command(lines[0]) or (page in PAGES and not lines[0].startswith("--- "))):
        taken = [line for line in lines if not line[0].isspace()]
    else:
        taken = []
    return [re.sub(r"(\s+#.*|\s*\\)$", "", line) for line in taken]


def of_pages():
    """(page, command) of the indented blocks. lib_docs runs the consoles of the guides."""
    found = []
    for page in (*PAGES, *GUIDES, *OTHERS):
        for kind, lines in blocks(page):
            if lines and (page not in GUIDES or kind != "console"):
                found += [(page, command) for command in commands_of(kind, lines, page)]
    return found


def of_manuals():
    """(page, command) of the manual pages' examples."""
    found = []
    for page in MANUALS:
        text = pathlib.Path(page).read_text(encoding="utf-8")
        for examples in re.findall(r"^\.SH EXAMPLES\n\.nf\n(.*?)^\.fi", text, re.MULTILINE | re.DOTALL):
            found += [(page, line.replace("\\-", "-")) for line in examples.splitlines()]
    return found


def of_help():
    """(subcommand, command) of the examples in --help, without remarks."""
    found = []
    for name in subcommands():
        examples = help_of(name).partition("\nExamples:\n")[2]
        for line in examples.splitlines():
            found.append((f"nvfifo {name} --help", re.sub(r" {4,}.*$", "", line.strip())))
    return found


def promised():
    """(page, command) of what a reader is told to type."""
    return of_manuals() + of_help() + of_pages()


def mentioned():
    """(page, command) of commands in sentences: `like this` in a page, "like this" in --help, bold in a manual."""
    found = []
    for page in (*PAGES, *GUIDES, *OTHERS, *MANUALS):
        text = pathlib.Path(page).read_text(encoding="utf-8")
        if page.endswith(".md"):
            quoted = re.findall(r"(?<!`)`([^`]+)`(?!`)", text)
        elif page.endswith(".rst"):
            quoted = re.findall(r"``(.+?)``", text, re.DOTALL)
        else:
            quoted = re.findall(r"\\fB(.+?)\\f[RP]|^\.B (.+)$", text.replace("\\-", "-"), re.MULTILINE)
            quoted = [a or b for a, b in quoted]
        found += [(page, " ".join(text.split())) for text in quoted]
    for name in subcommands():
        quoted = re.findall(r"(?<!\w)'([^'\n]+)'", help_of(name))
        found += [(f"nvfifo {name} --help", text) for text in quoted]
    return [(page, text) for page, text in found if " " in text and is_command(text)]
