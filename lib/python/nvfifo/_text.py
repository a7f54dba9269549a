# SPDX-License-Identifier: MIT
"""Text and words without a card: assembler, disassembler, lint, log lines, layouts."""
import ctypes
from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Optional, Union

from . import _lib
from ._lib import call, check_text, lib

FORMATS = {"nv04": 0, "nv04-dma": 1, "nvc0": 2}
CHIPSETS = {"g80": 0x50, "g84": 0x84, "g86": 0x86, "g92": 0x92, "g94": 0x94, "g96": 0x96, "g98": 0x98, "g200": 0xa0,
            "mcp77": 0xaa, "mcp79": 0xac, "gt215": 0xa3, "gt216": 0xa5, "gt218": 0xa8, "mcp89": 0xaf}

_VA_START, _VA_END = 0x10000, 0xffe0000000
_ALL_FIELDS, _STRICT = 1, 2


def format_number(name: str) -> int:
    """The number of a format: "nv04", "nv04-dma" or "nvc0"."""
    if name not in FORMATS:
        raise ValueError(f"format: {name!r} is none of {' '.join(FORMATS)}")
    return FORMATS[name]


def chipset_number(chipset: Union[str, int, None]) -> int:
    """The id of a chipset: of its name ("g84"), of its id (0x84), 0 for None."""
    if chipset is None:
        return 0
    if isinstance(chipset, int):
        if chipset not in CHIPSETS.values():
            raise ValueError(f"chipset: {chipset:#x} is none of {' '.join(f'{n:#x}' for n in CHIPSETS.values())}")
        return chipset
    if chipset.lower() not in CHIPSETS:
        raise ValueError(f"chipset: {chipset!r} is none of {' '.join(CHIPSETS)}")
    return CHIPSETS[chipset.lower()]


def word_list(words: Iterable[int]) -> "list[int]":
    """The words as a list, each checked: 0 to 0xffffffff."""
    result = list(words)
    for index, word in enumerate(result):
        if not 0 <= word <= 0xffffffff:
            raise ValueError(f"words[{index}]: {word:#x} is not 0 to 0xffffffff")
    return result


def assemble(text: str, format: str = "nv04", symbols: Optional[Mapping[str, int]] = None) -> "list[int]":
    """Translate assembler text to words.

    ``symbols`` has the values of names in expressions, such as the address of a buffer.
    Raises :class:`TextError` with line and column.

    >>> [hex(word) for word in assemble("mthd 0 REF_CNT : 0x1234")]
    ['0x40050', '0x1234']
    """
    def find(_ctx: Any, name: Any, length: int, value: Any) -> int:
        found = (symbols or {}).get(name[:length].decode(errors="replace"))
        if found is None:
            return -2
        value[0] = found
        return 0

    words, diag = _lib.Words(), _lib.Diag()
    code = text.encode()
    try:
        check_text(lib.nvfifo_assemble(code, len(code), format_number(format), _lib.SYMBOL_FN(find), None,
                                       ctypes.byref(words), ctypes.byref(diag)), diag)
        return list(words.data[:words.count])
    finally:
        lib.nvfifo_words_free(ctypes.byref(words))


def disassemble(words: Iterable[int], format: str = "nv04", chipset: Union[str, int, None] = None,
                classes: Optional[Mapping[int, int]] = None) -> "list[str]":
    r"""Translate words to assembler text, a line for each word.

    ``classes`` has the class of each handle that OBJECT may bind; at most 64.

    >>> print("\n".join(disassemble([0x40050, 0x1234])))
    mthd 0 REF_CNT x1
        data 0x00001234  # REF_CNT: set when the engine's work is done
    """
    decoder, word = _lib.Decoder(), _lib.Word()
    text = ctypes.create_string_buffer(512)
    number = format_number(format)
    lib.nvfifo_decoder_init(ctypes.byref(decoder), number, chipset_number(chipset))
    for handle, oclass in (classes or {}).items():
        if lib.nvfifo_decoder_handle(ctypes.byref(decoder), handle, oclass):
            raise ValueError("classes: more than 64 handles")
    lines = []
    for value in word_list(words):
        lib.nvfifo_decode(ctypes.byref(decoder), value, ctypes.byref(word))
        lib.nvfifo_word_text(ctypes.byref(word), number, text)
        lines.append(text.value.decode())
    return lines


@dataclass
class Explanation:
    """What a line of the kernel log says. ``means`` has the words for those fields that have some."""
    kind: str
    driver: str
    advice: str
    fields: "dict[str, str]" = field(default_factory=dict)
    means: "dict[str, str]" = field(default_factory=dict)
    cut: bool = False


def _row_fields(row: "_lib.Row") -> "tuple[dict[str, str], dict[str, str]]":
    fields, means = {}, {}
    for item in row.fields[:row.count]:
        name = item.name.decode()
        fields[name] = item.text.decode(errors="replace")
        if item.means:
            means[name] = item.means.decode(errors="replace")
    return fields, means


def explain(line: str, chipset: Union[str, int, None] = None) -> Optional[Explanation]:
    """Decode a line of the kernel log, of nvfifo, nouveau or pscnv. Returns None if it is not understood."""
    record = _lib.Explanation()
    result = lib.nvfifo_explain(line.rstrip("\n").encode(), chipset_number(chipset), ctypes.byref(record))
    try:
        if result < 0:
            raise MemoryError("libnvfifo is out of memory")
        if not result:
            return None
        fields, means = _row_fields(record.fields)
        return Explanation(record.cls.decode(), record.driver.decode(), record.advice.decode(), fields, means, record.cut)
    finally:
        lib.nvfifo_explanation_free(ctypes.byref(record))


@dataclass
class Finding:
    """A mistake that lint has found. ``line`` is 0 for words; ``word`` is None if no word is meant."""
    rule: str
    severity: str
    text: str
    why: str
    line: int
    column: int
    place: str
    word: Optional[int]


def lint(program: Union[str, Iterable[int]], format: str = "nv04", chipset: Union[str, int, None] = None) -> "list[Finding]":
    """Find mistakes in a text program (a string) or in words, in their order.

    Raises :class:`TextError` if the text is no program.
    """
    found = []

    def collect(_ctx: Any, pointer: Any) -> None:
        f = pointer[0]
        rule = f.rule[0]
        found.append(Finding(rule.name.decode(), ("error", "warning")[rule.severity], f.text.decode(), rule.why.decode(), f.line,
                             f.column, (f.place or b"").decode(), f.word if f.has_word else None))

    callback = _lib.FINDING_FN(collect)
    if isinstance(program, str):
        _lint_program(program.encode(), format, chipset, callback)
    else:
        _lint_words(word_list(program), format, chipset, callback)
    return found


def _new_lint(format: str, chipset: int, callback: Any) -> int:
    checker: int = lib.nvfifo_lint_new(format_number(format), chipset, callback, None)
    if not checker:
        raise MemoryError("libnvfifo is out of memory")
    return checker


def _lint_program(text: bytes, format: str, chipset: Union[str, int, None], callback: Any) -> None:
    prog, diag = _lib.Program(), _lib.Diag()
    check_text(lib.nvfifo_prog_read(text, len(text), _VA_START, _VA_END, ctypes.byref(prog), ctypes.byref(diag)), diag)
    try:
        number = chipset_number(chipset) or lib.nvfifo_lint_chipset(ctypes.byref(prog))
        checker = _new_lint(format, number, callback)
        lib.nvfifo_lint_program(checker, ctypes.byref(prog))
        lib.nvfifo_lint_free(checker)
    finally:
        lib.nvfifo_prog_free(ctypes.byref(prog))


def _lint_words(words: "list[int]", format: str, chipset: Union[str, int, None], callback: Any) -> None:
    checker = _new_lint(format, chipset_number(chipset), callback)
    lib.nvfifo_lint_segment(checker, 0, b"words", 0, len(words), None, 0)
    for word in words:
        lib.nvfifo_lint_word(checker, word, 0)
    lib.nvfifo_lint_end(checker)
    lib.nvfifo_lint_free(checker)


def _kind(name: str) -> Any:
    kind = lib.nvfifo_calc_find(name.encode())
    if not kind:
        names, known = [], lib.nvfifo_calc_next(None)
        while known:
            names.append(known[0].name.decode())
            known = lib.nvfifo_calc_next(known)
        raise ValueError(f"kind: {name!r} is none of {' '.join(names)}")
    return kind


def _calculate(name: str, values: Mapping[str, Union[int, str]]) -> "dict[str, str]":
    row = _lib.Row()
    note = ctypes.create_string_buffer(200)
    kind = _kind(name)
    try:
        for field_name, value in values.items():
            text = f"{value:#x}" if isinstance(value, int) else str(value)
            if lib.nvfifo_row_set(ctypes.byref(row), field_name.encode(), 0, text.encode(), None):
                raise MemoryError("libnvfifo is out of memory")
        call("nvfifo_calc", kind, ctypes.byref(row), _ALL_FIELDS | _STRICT, note)
        return _row_fields(row)[0]
    finally:
        lib.nvfifo_row_free(ctypes.byref(row))


def decode(kind: str, *words: int) -> "dict[str, str]":
    """Take the words of a layout apart: the fields by name, as ``nvfifo calc`` prints them.

    ``kind`` is one of ``nvfifo calc``'s: "pte", "pde", "ib", "dmaobj" ...
    """
    names = _kind(kind)[0].words.decode().split()
    if not 1 <= len(words) <= len(names):
        raise ValueError(f"words: {len(words)} of them, but {kind} has {' '.join(names)}")
    return _calculate(kind, dict(zip(names, words)))


def encode(kind: str, **fields: Union[int, str]) -> "dict[str, str]":
    """Put a layout together from its fields. The result has its words and all fields.

    An integer is passed in hexadecimal, as ``nvfifo calc`` reads numbers; a string goes as it is.
    """
    return _calculate(kind, fields)
