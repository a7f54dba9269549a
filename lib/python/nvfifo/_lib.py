# SPDX-License-Identifier: MIT
"""libnvfifo.so by ctypes: its structures, its functions, and its errors as exceptions."""
import ctypes
import errno
import os
from ctypes import POINTER, c_bool, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any

LIBRARY = "libnvfifo.so.0"


class Error(OSError):
    """A call of the library failed. ``errno`` is the kernel's number, ``strerror`` the library's sentence."""


class ChannelDead(Error):
    """The channel has died of an error; :meth:`nvfifo.Channel.query` says of which one."""


class Timeout(Error, TimeoutError):
    """A wait has reached its time limit."""


class TextError(ValueError):
    """An error in a text, with the place: ``line`` and ``column``, from 1."""

    def __init__(self, message: str, line: int, column: int):
        super().__init__(f"{line}:{column}: {message}")
        self.line = line
        self.column = column


def _fields(*groups: "tuple[Any, str]") -> "list[tuple[str, Any]]":
    """Members of a structure: pairs of a type and names with blanks between."""
    return [(name, kind) for kind, names in groups for name in names.split()]


class QueryDevice(ctypes.Structure):
    """struct drm_nvfifo_query_device"""
    _fields_ = _fields((c_uint32, "chipset boot_0"), (c_char * 16, "name"),
                       (c_uint64, "vram_size vram_free va_start va_end page_sizes features"),
                       (c_uint32, "engines bound_engines tags tags_free"), (c_uint64, "bar1_size"),
                       (c_uint32, "graph_units pad"))


class QueryLimits(ctypes.Structure):
    """struct drm_nvfifo_query_limits"""
    _fields_ = _fields((c_uint32, "channels ring_order_min ring_order_max ring_order_default submit_entries submit_words "
                                  "submit_syncs bind_ops objects label_size binds file_channels file_vms pad"),
                       (c_uint64, "file_bytes bind_bytes"), (c_uint32, "hang_limit_min hang_limit_max"))


class QueryTime(ctypes.Structure):
    """struct drm_nvfifo_query_time"""
    _fields_ = _fields((c_uint64, "timer_ns monotonic_ns"))


class Bo(ctypes.Structure):
    """struct nvfifo_bo"""
    _fields_ = _fields((c_uint32, "handle domain"), (c_uint64, "size mmap_offset"), (c_void_p, "map"))


class VmBindOp(ctypes.Structure):
    """struct drm_nvfifo_vm_bind_op"""
    _fields_ = _fields((c_uint32, "op flags bo_handle page_shift"), (c_uint64, "va range bo_offset"),
                       (c_uint32, "kind compression"))


class ChannelCreate(ctypes.Structure):
    """struct drm_nvfifo_channel_create"""
    _fields_ = _fields((c_uint32, "vm_id flags ring_order id timeslice sli_mask"),
                       (c_uint64, "user_data start control_offset"), (c_uint32, "hang_limit_ms dma_limit"))


class ChannelQuery(ctypes.Structure):
    """struct drm_nvfifo_channel_query"""
    _fields_ = _fields((c_uint32, "id state error error_code error_method error_data hw_id ring_order"),
                       (c_uint64, "get put"), (c_uint32, "ib_get ib_put ref fault"), (c_uint64, "fault_address"),
                       (c_uint32, "fault_engine fault_client fault_slot fault_reason fault_write pad"),
                       (c_uint64, "submitted completed mget"),
                       (c_uint32, "mget_valid loaded dma_state method_count subroutine bound error_detail pad2"))


class ObjectCreate(ctypes.Structure):
    """struct drm_nvfifo_object_create"""
    _fields_ = _fields((c_uint32, "channel_id handle type oclass access flags"), (c_uint64, "start size"),
                       (c_uint32, "bo_handle user kind compression cycle pad"))


class Entry(ctypes.Structure):
    """struct drm_nvfifo_entry"""
    _fields_ = _fields((c_uint64, "address"), (c_uint32, "words flags"))


class Sync(ctypes.Structure):
    """struct drm_nvfifo_sync"""
    _fields_ = _fields((c_uint32, "flags handle"), (c_uint64, "timeline_value"))


class EventMethod(ctypes.Structure):
    """struct drm_nvfifo_event_software_method"""
    _fields_ = _fields((c_uint32, "type length channel_id handle method data"), (c_uint64, "user_data"))


class EventDead(ctypes.Structure):
    """struct drm_nvfifo_event_channel_dead"""
    _fields_ = _fields((c_uint32, "type length channel_id error error_code error_detail error_method error_data fault pad"),
                       (c_uint64, "fault_address user_data"))


class FileEvent(ctypes.Union):
    """union nvfifo_file_event"""
    _fields_ = [("method", EventMethod), ("dead", EventDead)]


class Diag(ctypes.Structure):
    """struct nvfifo_diag"""
    _fields_ = _fields((c_uint, "line column"), (c_char * 240, "text"))


class Words(ctypes.Structure):
    """struct nvfifo_words"""
    _fields_ = _fields((POINTER(c_uint32), "data"), (c_size_t, "count room"), (c_uint, "line column"), (c_void_p, "places"))


class Command(ctypes.Structure):
    """struct nvfifo_command"""
    _fields_ = _fields((c_uint, "type"), (c_uint8, "subc"), (c_uint16, "method count"), (c_uint32, "value"), (c_bool, "old"))


class Handle(ctypes.Structure):
    """A handle of struct nvfifo_decoder"""
    _fields_ = _fields((c_uint32, "handle oclass"))


class Decoder(ctypes.Structure):
    """struct nvfifo_decoder"""
    _fields_ = _fields((c_uint, "format"), (c_uint32, "chipset left"), (c_bool, "long_pending"), (Command, "cmd"),
                       (c_uint32 * 8, "oclass"), (Handle * 64, "handles"), (c_uint, "handle_count"), (c_int, "last_subc"),
                       (c_uint32, "high_method high"))


class Word(ctypes.Structure):
    """struct nvfifo_word"""
    _fields_ = _fields((c_uint32, "word"), (c_uint, "kind"), (Command, "cmd"), (c_uint32, "method oclass"),
                       (c_bool, "refused"), (c_uint, "wait"), (c_uint32, "from_subc"), (c_bool, "has_address"),
                       (c_uint64, "address"), (c_void_p, "named"), (c_uint, "form"))


class Field(ctypes.Structure):
    """struct nvfifo_field"""
    _fields_ = _fields((c_char_p, "name text means"), (c_uint, "kind"), (c_bool, "used"))


class Row(ctypes.Structure):
    """struct nvfifo_row"""
    _fields_ = _fields((POINTER(Field), "fields"), (c_size_t, "count room"), (c_void_p, "texts"))


class Explanation(ctypes.Structure):
    """struct nvfifo_explanation"""
    _fields_ = _fields((c_char_p, "cls driver"), (Row, "fields"), (c_char * 480, "advice"), (c_bool, "cut"))


class Kind(ctypes.Structure):
    """struct nvfifo_calc_kind"""
    _fields_ = _fields((c_char_p, "name words fields means"))


class Rule(ctypes.Structure):
    """struct nvfifo_rule"""
    _fields_ = _fields((c_char_p, "name"), (c_uint, "severity"), (c_char_p, "why"))


class FindingRecord(ctypes.Structure):
    """struct nvfifo_finding"""
    _fields_ = _fields((POINTER(Rule), "rule"), (c_uint, "line column"), (c_char_p, "place"), (c_size_t, "word"),
                       (c_bool, "has_word"), (c_uint32, "value"), (c_char_p, "attribute"), (c_uint, "expected"),
                       (c_char * 320, "text"))


class Program(ctypes.Structure):
    """struct nvfifo_prog"""
    _fields_ = [("title", c_char * 128), ("requires_features", c_uint64), ("words", Words)]
    for _list, _number in (("spaces", "space"), ("buffers", "buffer"), ("fills", "fill"), ("channels", "channel"),
                           ("objects", "object"), ("pushes", "push"), ("entries", "entry"), ("images", "image"),
                           ("steps", "step"), ("fences", "fence")):
        _fields_ += [(_list, c_void_p), (f"{_number}_count", c_size_t)]


class RegRef(ctypes.Structure):
    """struct nvfifo_reg_ref"""
    _fields_ = _fields((c_void_p, "reg field"), (c_uint32, "index address"))


class DumpReg(ctypes.Structure):
    """struct nvfifo_coredump_reg"""
    _fields_ = _fields((c_uint32, "address value"))


class DumpFault(ctypes.Structure):
    """struct nvfifo_coredump_fault"""
    _fields_ = _fields((c_uint64, "address inst"), (c_uint32, "engine reason client slot"), (c_bool, "write"))


class DumpRamht(ctypes.Structure):
    """struct nvfifo_coredump_ramht"""
    _fields_ = _fields((c_uint32, "slot handle context"))


class DumpObject(ctypes.Structure):
    """struct nvfifo_coredump_object"""
    _fields_ = _fields((c_uint32, "offset count"), (c_uint32 * 8, "words"))


class DumpIb(ctypes.Structure):
    """struct nvfifo_coredump_ib"""
    _fields_ = _fields((c_uint32, "index"), (c_uint32 * 2, "words"))


class DumpSegment(ctypes.Structure):
    """struct nvfifo_coredump_segment"""
    _fields_ = _fields((c_bool, "ib"), (c_uint32, "index"), (c_uint64, "va"), (c_uint32, "words skip"),
                       (POINTER(c_uint32), "data"), (c_size_t, "count"))


class DumpMapping(ctypes.Structure):
    """struct nvfifo_coredump_mapping"""
    _fields_ = _fields((c_uint64, "first last offset"), (c_uint32, "kind comp"),
                       (c_bool, "vram read_only supervisor long_cycle encrypted nosnoop"), (c_char * 64, "label"))


class DumpPde(ctypes.Structure):
    """struct nvfifo_coredump_pde"""
    _fields_ = _fields((c_uint32, "index"), (c_uint64, "value"))


class DumpPte(ctypes.Structure):
    """struct nvfifo_coredump_pte"""
    _fields_ = _fields((c_uint64, "first last value"))


class DumpBo(ctypes.Structure):
    """struct nvfifo_coredump_bo"""
    _fields_ = _fields((c_uint64, "bytes tags"), (c_bool, "vram"), (c_char * 16, "flags"), (c_char * 64, "label"))


class DumpChannel(ctypes.Structure):
    """struct nvfifo_coredump_channel"""
    _fields_ = [*_fields((c_uint32, "id"), (c_bool, "dead dma user"), (c_uint64, "inst"),
                         (c_uint32, "error code detail method data"), (c_int32, "err"), (c_bool, "has_pos"),
                         (c_uint64, "get put mget mput"), (c_uint32, "state ib_get ib_put ref"), (c_uint32 * 64, "ramfc"),
                         (c_uint64, "ramfc_known")),
                ("ramht", POINTER(DumpRamht)), ("ramht_count", c_size_t),
                ("objects", POINTER(DumpObject)), ("object_count", c_size_t), ("ring", c_uint64), ("ring_order", c_uint32),
                ("ibs", POINTER(DumpIb)), ("ib_count", c_size_t),
                ("segments", POINTER(DumpSegment)), ("segment_count", c_size_t), ("has_vm", c_bool), ("vm", c_uint32),
                ("mappings", POINTER(DumpMapping)), ("mapping_count", c_size_t),
                ("pdes", POINTER(DumpPde)), ("pde_count", c_size_t), ("ptes", POINTER(DumpPte)), ("pte_count", c_size_t)]


class Dump(ctypes.Structure):
    """struct nvfifo_coredump"""
    _fields_ = [*_fields((c_uint32, "version"), (c_char * 64, "card kernel"), (c_char * 32, "machine"),
                         (c_uint32, "chipset boot_0"), (c_uint64, "vram"), (c_char * 16, "wedged"), (c_bool, "has_counters"),
                         (c_uint64, "timeouts errors submits vram_free"), (c_bool, "complete cut")),
                ("regs", POINTER(DumpReg)), ("reg_count", c_size_t), ("faults", POINTER(DumpFault)), ("fault_count", c_size_t),
                ("channels", POINTER(DumpChannel)), ("channel_count", c_size_t),
                ("bos", POINTER(DumpBo)), ("bo_count", c_size_t),
                ("problems", Diag * 32), ("problem_count", c_size_t), ("unknown", c_size_t)]


class DumpWalk(ctypes.Structure):
    """struct nvfifo_coredump_walk"""
    _fields_ = _fields((c_bool, "present"), (c_uint32, "reason"), (c_void_p, "pde pte"), (c_uint32, "index"),
                       (c_uint64, "linear"))


class DumpBlame(ctypes.Structure):
    """struct nvfifo_coredump_blame"""
    _fields_ = _fields((c_size_t, "segment word"), (c_uint64, "va"), (c_uint, "matches"), (c_bool, "stale"),
                       (c_uint32, "seen"), (c_size_t, "get_segment get_word ib"))


# Structures by their names in C: a test compares sizes and members with the compiler's.
STRUCTURES = {(structure.__doc__ or "").split(";")[0]: structure for structure in (
    QueryDevice, QueryLimits, QueryTime, Bo, VmBindOp, ChannelCreate, ChannelQuery, ObjectCreate, Entry, Sync, EventMethod, EventDead,
    Diag, Words, Command, Decoder, Word, Field, Row, Explanation, Kind, Rule, FindingRecord, Program, RegRef, DumpReg, DumpFault,
    DumpRamht, DumpObject, DumpIb, DumpSegment, DumpMapping, DumpPde, DumpPte, DumpBo, DumpChannel, Dump, DumpWalk, DumpBlame)}

SYMBOL_FN = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_char), c_size_t, POINTER(c_uint64))
DUMP_WORD_FN = ctypes.CFUNCTYPE(c_int, c_void_p, c_size_t, c_size_t, POINTER(Word), c_bool)
FINDING_FN = ctypes.CFUNCTYPE(None, c_void_p, POINTER(FindingRecord))

_SIGNATURES: "dict[str, tuple[Any, ...]]" = {
    # Device; the result is 0 or a negative errno.
    "nvfifo_open": (c_int, c_char_p, POINTER(c_void_p)),
    "nvfifo_close": (None, c_void_p),
    "nvfifo_fd": (c_int, c_void_p),
    "nvfifo_path": (c_char_p, c_void_p),
    "nvfifo_pci_address": (c_char_p, c_void_p),
    "nvfifo_query_device": (c_int, c_void_p, POINTER(QueryDevice)),
    "nvfifo_query_limits": (c_int, c_void_p, POINTER(QueryLimits)),
    "nvfifo_query_time": (c_int, c_void_p, POINTER(QueryTime)),
    "nvfifo_bo_create": (c_int, c_void_p, c_uint64, c_uint32, c_uint32, POINTER(Bo)),
    "nvfifo_bo_label": (c_int, c_void_p, POINTER(Bo), c_char_p),
    "nvfifo_bo_map": (c_int, c_void_p, POINTER(Bo)),
    "nvfifo_bo_close": (c_int, c_void_p, POINTER(Bo)),
    "nvfifo_vm_create": (c_int, c_void_p, POINTER(c_uint32)),
    "nvfifo_vm_destroy": (c_int, c_void_p, c_uint32),
    "nvfifo_vm_bind": (c_int, c_void_p, c_uint32, POINTER(VmBindOp), c_uint32),
    "nvfifo_channel_create_with": (c_int, c_void_p, POINTER(ChannelCreate)),
    "nvfifo_channel_destroy": (c_int, c_void_p, c_uint32),
    "nvfifo_channel_query": (c_int, c_void_p, c_uint32, POINTER(ChannelQuery)),
    "nvfifo_object_create": (c_int, c_void_p, POINTER(ObjectCreate)),
    "nvfifo_object_destroy": (c_int, c_void_p, c_uint32, c_uint32),
    "nvfifo_submit": (c_int, c_void_p, c_uint32, POINTER(Entry), c_uint32, POINTER(Sync), c_uint32, POINTER(c_uint64)),
    "nvfifo_syncobj_create": (c_int, c_void_p, POINTER(c_uint32)),
    "nvfifo_syncobj_destroy": (c_int, c_void_p, c_uint32),
    "nvfifo_syncobj_wait": (c_int, c_void_p, c_uint32, c_uint64, c_int64),
    "nvfifo_syncobj_status": (c_int, c_void_p, c_uint32, POINTER(c_int)),
    "nvfifo_event_read_any": (c_int, c_void_p, c_int, POINTER(FileEvent)),
    "nvfifo_exec_error_text": (c_char_p, POINTER(ChannelQuery), c_char_p, c_size_t),
    "nvfifo_exec_fault_text": (c_char_p, c_uint32, POINTER(ChannelQuery), c_char_p, c_size_t),
    # Names
    "nvfifo_class_name": (c_char_p, c_uint32),
    "nvfifo_class_next": (c_uint32, c_uint32),
    "nvfifo_method_name": (c_char_p, c_uint32, c_uint32),
    "nvfifo_pusher_error_name": (c_char_p, c_uint32),
    # Text
    "nvfifo_assemble": (c_int, c_char_p, c_size_t, c_uint, SYMBOL_FN, c_void_p, POINTER(Words), POINTER(Diag)),
    "nvfifo_words_free": (None, POINTER(Words)),
    "nvfifo_decoder_init": (None, POINTER(Decoder), c_uint, c_uint32),
    "nvfifo_decoder_handle": (c_int, POINTER(Decoder), c_uint32, c_uint32),
    "nvfifo_decode": (None, POINTER(Decoder), c_uint32, POINTER(Word)),
    "nvfifo_word_text": (c_size_t, POINTER(Word), c_uint, c_char_p),
    "nvfifo_explain": (c_int, c_char_p, c_uint, POINTER(Explanation)),
    "nvfifo_explanation_free": (None, POINTER(Explanation)),
    "nvfifo_calc_find": (POINTER(Kind), c_char_p),
    "nvfifo_calc_next": (POINTER(Kind), POINTER(Kind)),
    "nvfifo_calc": (c_int, POINTER(Kind), POINTER(Row), c_uint, c_char_p),
    "nvfifo_row_set": (c_int, POINTER(Row), c_char_p, c_uint, c_char_p, c_char_p),
    "nvfifo_row_free": (None, POINTER(Row)),
    "nvfifo_prog_read": (c_int, c_char_p, c_size_t, c_uint64, c_uint64, POINTER(Program), POINTER(Diag)),
    "nvfifo_prog_free": (None, POINTER(Program)),
    "nvfifo_lint_new": (c_void_p, c_uint, c_uint32, FINDING_FN, c_void_p),
    "nvfifo_lint_free": (None, c_void_p),
    "nvfifo_lint_segment": (None, c_void_p, c_uint, c_char_p, c_uint64, c_size_t, c_void_p, c_uint),
    "nvfifo_lint_word": (None, c_void_p, c_uint32, c_uint),
    "nvfifo_lint_end": (None, c_void_p),
    "nvfifo_lint_program": (None, c_void_p, POINTER(Program)),
    "nvfifo_lint_chipset": (c_uint32, POINTER(Program)),
    # Dumps
    "nvfifo_coredump_read": (c_int, c_char_p, c_size_t, POINTER(Dump)),
    "nvfifo_coredump_free": (None, POINTER(Dump)),
    "nvfifo_coredump_channel_fault": (POINTER(DumpFault), POINTER(Dump), POINTER(DumpChannel)),
    "nvfifo_coredump_fault_line": (None, POINTER(Dump), POINTER(DumpFault), c_char_p, c_size_t),
    "nvfifo_coredump_line": (None, POINTER(Dump), POINTER(DumpChannel), c_char_p, c_size_t),
    "nvfifo_coredump_unit_line": (c_bool, POINTER(Dump), POINTER(DumpChannel), POINTER(c_uint), c_char_p, c_size_t),
    "nvfifo_coredump_ramfc": (c_bool, POINTER(DumpChannel), c_uint32, POINTER(c_uint32)),
    "nvfifo_coredump_walk": (None, POINTER(DumpChannel), c_uint64, POINTER(DumpWalk)),
    "nvfifo_coredump_blame": (None, POINTER(Dump), POINTER(DumpChannel), POINTER(DumpBlame)),
    "nvfifo_coredump_format": (c_uint, POINTER(DumpChannel)),
    "nvfifo_coredump_decode": (c_int, POINTER(Dump), POINTER(DumpChannel), DUMP_WORD_FN, c_void_p),
    "nvfifo_ramfc_name": (c_char_p, c_uint32),
    "nvfifo_fault_reason_name": (c_char_p, c_uint32),
    "nvfifo_fault_engine": (c_char_p, c_uint32),
    "nvfifo_reg_at": (None, c_uint32, c_uint32, POINTER(RegRef)),
    "nvfifo_reg_name": (None, POINTER(RegRef), c_char_p),
    "nvfifo_last_error": (c_char_p,),
}


def _load() -> ctypes.CDLL:
    """Load the library: from the directory NVFIFO_LIBRARY_PATH, or as the system finds it."""
    directory = os.environ.get("NVFIFO_LIBRARY_PATH")
    if directory:
        library = ctypes.CDLL(os.path.join(directory, LIBRARY))
        # libnvfifo finds it by this name when a program opens the model.
        ctypes.CDLL(os.path.join(directory, "libnvfifo-model.so.0"))
    else:
        library = ctypes.CDLL(LIBRARY)
    for name, (result, *arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()

_EXCEPTIONS = {errno.ECANCELED: ChannelDead, errno.ETIME: Timeout}


def call(name: str, *arguments: Any) -> int:
    """Call a function whose result is a negative errno on failure.

    Returns the result, 0 or more. Raises :class:`ChannelDead`, :class:`Timeout` or :class:`Error`.
    """
    result: int = getattr(lib, name)(*arguments)
    if result < 0:
        raise _EXCEPTIONS.get(-result, Error)(-result, lib.nvfifo_last_error().decode())
    return result


def check_text(result: int, diag: Diag) -> None:
    """Raise :class:`TextError` for -EINVAL of a reader, :class:`MemoryError` for any other failure."""
    if result == -errno.EINVAL:
        raise TextError(diag.text.decode(), diag.line, diag.column)
    if result < 0:
        raise MemoryError("libnvfifo is out of memory")
