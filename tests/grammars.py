#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Editors' grammars and the reference of the text format know the parser's words: prints TAP.

The parser's source says which words there are: those that it takes, the tables of names,
and the mnemonics of the assembler. Runs at the top of the tree.
"""

import json
import pathlib
import re
import sys

VIM = "tools/vim/syntax/nvp.vim"
CODE = "tools/vscode/syntaxes/nvp.tmLanguage.json"
REFERENCES = ("examples/README.md", "tools/man/nvfifo-program.5")
WORD = r'"([a-z0-9_.]+)"'

failed = 0
count = 0


def check(what, differences):
    """A line of TAP, and what differs."""
    global failed, count
    count += 1
    print(f"{'not ok' if differences else 'ok'} {count} - {what}")
    if differences:
        failed += 1
        print(f"# {' '.join(sorted(differences))}")


def read(path):
    """The text of a file."""
    return pathlib.Path(path).read_text(encoding="utf-8")


def parser_words():
    """(statements, words inside of a statement) of lib/nvfifo_prog.c and nvfifo_lex.c."""
    source = read("lib/nvfifo_prog.c")
    table = re.search(r"\} statements\[\] = \{(.*?)\n\};", source, re.DOTALL)
    statements = set(re.findall(r"\{ " + WORD, table.group(1)))
    words = set(re.findall(r"(?:take_word|token_is)\([^\"()]*" + WORD + r"\)", source + read("lib/nvfifo_lex.c") + read("lib/nvfifo_asm.c")))
    words |= set(re.findall(r"\{ " + WORD + r", (?:DRM_|NVFIFO_|read_)", source))
    return statements, words - statements


def assembler_words():
    """The mnemonics of lib/nvfifo_asm.c."""
    table = re.search(r"\} mnemonics\[\] = \{(.*?)\n\};", read("lib/nvfifo_asm.c"), re.DOTALL)
    return set(re.findall(r"\{ " + WORD, table.group(1)))


def of_vim():
    """(statements, attributes, mnemonics) of vim's grammar."""
    text = read(VIM)
    found = {group: set() for group in ("nvpStatement", "nvpAttribute", "nvpWord")}
    for group, words in re.findall(r"^syntax keyword (\w+) (.*)$", text, re.MULTILINE):
        found[group] |= set(words.split())
    more = re.search(r"syntax match nvpWord .*?\\\((.*)\\\)", text).group(1)
    found["nvpWord"] |= set(more.replace("\\.", ".").split("\\|"))
    return found["nvpStatement"], found["nvpAttribute"], found["nvpWord"]


def of_code():
    """The same of VS Code's grammar."""
    rules = json.loads(read(CODE))["repository"]
    sets = []
    for name in ("statement", "attribute", "command"):
        words = re.search(r"\(([a-z0-9_.|\\]+)\)", rules[name]["match"]).group(1)
        sets.append(set(words.replace("\\", "").split("|")))
    return sets


def plain(text):
    """Text without the marks of roff and of Markdown."""
    text = re.sub(r"\\f[BIR]|\\&|`", "", text)
    return text.replace("\\-", "-").replace("\\|", "|")


def words_of(path):
    """All words of a page."""
    return set(re.findall(r"[a-z0-9_.]*[a-z0-9_]", plain(read(path))))


def statements_of(path):
    """The rows that explain a statement: (statement, meaning)."""
    pattern = r"^\.TP\n(.+)\n((?:[^.\n].*\n|\.B .*\n)+)" if path.endswith(".5") else r"^\| (`.*?`) \| (.*) \|$"
    rows = re.findall(pattern, read(path), re.MULTILINE)
    return {plain(f"{statement}: {meaning}").replace("\n.B", "").replace("\n", " ").strip() for statement, meaning in rows
            if not re.match(r"`\d\d-", statement)}


def main():
    """Compare grammars and references with the parser."""
    statements, words = parser_words()
    mnemonics = assembler_words()
    check("the parser's words are found", set() if len(statements) > 10 and len(words) > 40 and len(mnemonics) > 10 else {"too few"})
    for name, grammar in (("vim", of_vim()), ("VS Code", of_code())):
        check(f"{name}: statements", grammar[0] ^ statements)
        check(f"{name}: attributes", grammar[1] ^ words)
        # Vim can say of a word only one thing: what is an attribute too stays one.
        check(f"{name}: mnemonics", (grammar[2] ^ mnemonics) - words)
    for path in REFERENCES:
        check(f"{path}: words", (statements | words) - words_of(path))
    first, second = (statements_of(path) for path in REFERENCES)
    check(f"both references explain the same statements, {len(first)}", first ^ second or (set() if len(first) > 40 else {"too few"}))
    print(f"1..{count}")
    sys.exit(bool(failed))


main()
