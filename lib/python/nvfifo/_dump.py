# SPDX-License-Identifier: MIT
"""Dumps of the driver: device coredumps, and the file nvfifo_dump of debugfs."""
import ctypes
import errno
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Union

from . import _lib
from ._lib import lib

ERRORS = ("none", "pusher", "cache", "semaphore", "timeout", "lost", "graph", "fence")

_LINE = 400
_NONE = ctypes.c_size_t(-1).value


@dataclass
class DumpWord:
    """A word of a pushbuffer: its virtual address, what the disassembler says of it, and whether it
    is the one that failed. For an error that is not about a word, ``failed`` marks the word at
    which the puller was."""
    address: int
    word: int
    text: str
    failed: bool


@dataclass
class DumpMapping:
    """A mapping of addresses ``first`` to ``last``. ``domain`` is "system" or "vram", ``offset`` is in
    bytes of the buffer, ``kind`` the storage type, ``label`` the buffer's name."""
    first: int
    last: int
    domain: str
    offset: int
    kind: int
    compression: int
    read_only: bool
    supervisor: bool
    label: str


@dataclass
class DumpFault:
    """A VM fault. ``reason`` is the field's name for it, ``line`` what the driver logs, which
    :func:`nvfifo.explain` explains."""
    address: int
    write: bool
    reason: str
    line: str


@dataclass
class DumpChannel:
    """A channel of a dump. ``id`` is PFIFO's number.

    ``error`` is one of none pusher cache semaphore timeout lost graph fence; ``code``, ``subchannel``,
    ``method`` and ``data`` belong to it. ``log`` has the lines that the driver logs for the error,
    which :func:`nvfifo.explain` explains. ``get`` and ``put`` are virtual addresses, None if the dump
    has no position. ``ramfc`` has the words of RAMFC by name, or by offset where they have none;
    ``ramht`` the context of each handle. ``words`` is the pushbuffer.
    """
    id: int
    dead: bool
    error: str
    code: int
    subchannel: int
    method: int
    data: int
    log: "list[str]"
    fault: Optional[DumpFault]
    get: Optional[int]
    put: Optional[int]
    ref_cnt: Optional[int]
    ramfc: "dict[str, int]"
    ramht: "dict[int, int]"
    words: "list[DumpWord]"
    mappings: "list[DumpMapping]"
    _walk: Callable[[int], Optional[int]] = field(repr=False, compare=False)

    @property
    def failed(self) -> Optional[DumpWord]:
        """The word that failed, None if the error is about no word of the dump."""
        return next((word for word in self.words if word.failed), None)

    def mapping(self, address: int) -> Optional[DumpMapping]:
        """The mapping of a virtual address, None if it has none."""
        return next((m for m in self.mappings if m.first <= address <= m.last), None)

    def translate(self, address: int) -> Optional[int]:
        """The address in memory that the page tables of the dump give for a virtual address, None
        without a page."""
        return self._walk(address)


@dataclass
class Dump:
    """What a dump has. ``chipset`` is the chip's id, ``vram`` bytes, ``registers`` the values by name.

    ``complete`` is false if the text ends too early or the driver has cut it. ``problems`` are the
    first 32 lines that could not be read, with the reasons.
    """
    card: str
    kernel: str
    chipset: int
    boot_0: int
    vram: int
    complete: bool
    registers: "dict[str, int]"
    channels: "list[DumpChannel]"
    problems: "list[str]"

    @property
    def dead(self) -> Optional[DumpChannel]:
        """The channel that an error has killed, None if there is none."""
        return next((channel for channel in self.channels if channel.error != "none"), None)


def read_dump(text: Union[str, bytes]) -> Dump:
    """Read a dump, such as the content of /sys/class/devcoredump/devcd1/data.

    Raises :class:`ValueError` if the text is no dump of the driver. Damaged lines are left out.

    >>> dump = read_dump("nvfifo dump 1\\ncard 0000:01:00.0 chipset 84 boot0 084300a2 vram 268435456\\nend\\n")
    >>> dump.card, hex(dump.chipset), dump.complete
    ('0000:01:00.0', '0x84', True)
    """
    code = text.encode() if isinstance(text, str) else bytes(text)
    record = _Record()
    result = lib.nvfifo_coredump_read(code, len(code), ctypes.byref(record))
    if result == -errno.EINVAL:
        raise ValueError(lib.nvfifo_last_error().decode())
    if result:
        raise MemoryError("libnvfifo is out of memory")
    return Dump(card=record.card.decode(), kernel=record.kernel.decode(), chipset=record.chipset, boot_0=record.boot_0,
                vram=record.vram, complete=record.complete and not record.cut,
                registers={_register(record.chipset, reg.address): reg.value for reg in record.regs[:record.reg_count]},
                channels=[_channel(record, record.channels[i]) for i in range(record.channel_count)],
                problems=[f"{diag.line}:{diag.column}: {diag.text.decode(errors='replace')}"
                          for diag in record.problems[:min(record.problem_count, len(record.problems))]])


class _Record(_lib.Dump):
    """The library's record. Channels refer to it for translate(); the last one frees its lists."""

    def __del__(self) -> None:
        lib.nvfifo_coredump_free(ctypes.byref(self))


def _register(chipset: int, address: int) -> str:
    reference, name = _lib.RegRef(), ctypes.create_string_buffer(80)
    lib.nvfifo_reg_at(address, chipset, ctypes.byref(reference))
    lib.nvfifo_reg_name(ctypes.byref(reference), name)
    return name.value.decode() or f"{address:06x}"


def _channel(record: _Record, channel: Any) -> DumpChannel:
    known = channel.has_pos
    return DumpChannel(id=channel.id, dead=channel.dead, error=_error(channel.error), code=channel.code,
                       subchannel=channel.method >> 13 & 7, method=channel.method & 0x1ffc, data=channel.data,
                       log=_log(record, channel), fault=_fault(record, channel), get=channel.get if known else None,
                       put=channel.put if known else None, ref_cnt=channel.ref if known else None, ramfc=_ramfc(channel),
                       ramht={entry.handle: entry.context for entry in channel.ramht[:channel.ramht_count]},
                       words=_words(record, channel), mappings=[_mapping(m) for m in channel.mappings[:channel.mapping_count]],
                       _walk=lambda address: _translate(record, channel, address))


def _error(number: int) -> str:
    return ERRORS[number] if number < len(ERRORS) else str(number)


def _log(record: _Record, channel: Any) -> "list[str]":
    line, unit = ctypes.create_string_buffer(_LINE), ctypes.c_uint()
    lib.nvfifo_coredump_line(ctypes.byref(record), ctypes.byref(channel), line, _LINE)
    lines = [line.value.decode()] if line.value else []
    while lib.nvfifo_coredump_unit_line(ctypes.byref(record), ctypes.byref(channel), ctypes.byref(unit), line, _LINE):
        lines.append(line.value.decode())
    return lines


def _fault(record: _Record, channel: Any) -> Optional[DumpFault]:
    found = lib.nvfifo_coredump_channel_fault(ctypes.byref(record), ctypes.byref(channel))
    if not found:
        return None
    line = ctypes.create_string_buffer(_LINE)
    lib.nvfifo_coredump_fault_line(ctypes.byref(record), found, line, _LINE)
    fault = found[0]
    return DumpFault(fault.address, fault.write, (lib.nvfifo_fault_reason_name(fault.reason) or b"").decode(),
                     line.value.decode())


def _ramfc(channel: Any) -> "dict[str, int]":
    words, value = {}, ctypes.c_uint32()
    for offset in range(0, 4 * len(channel.ramfc), 4):
        if lib.nvfifo_coredump_ramfc(ctypes.byref(channel), offset, ctypes.byref(value)):
            name = lib.nvfifo_ramfc_name(offset)
            words[name.decode() if name else f"{offset:02x}"] = value.value
    return words


def _mapping(m: Any) -> DumpMapping:
    return DumpMapping(m.first, m.last, "vram" if m.vram else "system", m.offset, m.kind, m.comp, m.read_only, m.supervisor,
                       m.label.decode(errors="replace"))


def _words(record: _Record, channel: Any) -> "list[DumpWord]":
    words: "list[DumpWord]" = []
    blame, text = _lib.DumpBlame(), ctypes.create_string_buffer(512)
    format_number = lib.nvfifo_coredump_format(ctypes.byref(channel))
    lib.nvfifo_coredump_blame(ctypes.byref(record), ctypes.byref(channel), ctypes.byref(blame))

    def collect(_ctx: Any, segment: int, position: int, word: Any, known: bool) -> int:
        text.value = b""
        if known:
            lib.nvfifo_word_text(word, format_number, text)
        address = channel.segments[segment].va + 4 * (channel.segments[segment].skip + position)
        failed = blame.segment != _NONE and (segment, position) == (blame.segment, blame.word)
        words.append(DumpWord(address, word[0].word, text.value.decode().strip(), failed))
        return 0

    lib.nvfifo_coredump_decode(ctypes.byref(record), ctypes.byref(channel), _lib.DUMP_WORD_FN(collect), None)
    return words


def _translate(_record: _Record, channel: Any, address: int) -> Optional[int]:
    walk = _lib.DumpWalk()
    lib.nvfifo_coredump_walk(ctypes.byref(channel), address, ctypes.byref(walk))
    return walk.linear if walk.present else None
