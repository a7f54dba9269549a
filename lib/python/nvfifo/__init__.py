# SPDX-License-Identifier: MIT
"""NV50-family cards (GeForce 8 to 300) word by word: libnvfifo for Python.

A card of the driver nvfifo, or a model of one in this process:

>>> import nvfifo
>>> device = nvfifo.open("model:g84")
>>> vm = device.vm()
>>> result = device.buffer(4096)
>>> address = vm.map(result)
>>> channel = vm.channel()
>>> channel.dma_object(0xbeef0001, address, 4096)
>>> push = nvfifo.Push()
>>> _ = push.text('''
... mthd 0 DMA_SEMAPHORE : 0xbeef0001
... mthd 0 SEMAPHORE_OFFSET : 0x40
... mthd 0 SEMAPHORE_RELEASE : 0x12345678
... ''')
>>> channel.submit(push).wait()
>>> hex(result.words[16])
'0x12345678'

Sizes, offsets and addresses are bytes. Failed calls raise :class:`Error` with the library's
sentence. Objects close themselves when nothing refers to them any more, in the right order.
Without a card set ``NVFIFO_MODEL=g84`` and open no name. ``NVFIFO_LIBRARY_PATH`` names the directory
of a libnvfifo.so that is not installed.
"""
import ctypes
import weakref
from typing import Any, Iterable, Optional, Sequence, Union

from . import _lib
from ._dump import ERRORS as _ERRORS, Dump, DumpChannel, DumpFault, DumpMapping, DumpWord, read_dump
from ._lib import ChannelDead, Error, TextError, Timeout, call, lib
from ._push import Methods, Push, class_name, classes, method_name, methods
from ._text import (CHIPSETS, FORMATS, Explanation, Finding, assemble, chipset_number, decode, disassemble, encode, explain,
                    lint)

__all__ = ["Buffer", "CHIPSETS", "Channel", "ChannelDead", "ChannelState", "Device", "Dump", "DumpChannel", "DumpFault",
           "DumpMapping", "DumpWord", "Error", "Event", "Explanation", "FORMATS", "Fence", "Finding", "Methods", "Push",
           "TextError", "Timeout", "VM", "assemble", "chipset_number", "class_name", "classes", "decode", "disassemble", "encode",
           "explain", "lint", "method_name", "methods", "open", "read_dump"]

for _class in (Error, ChannelDead, Timeout, TextError):
    _class.__module__ = __name__    # as a traceback names them

_DOMAINS = {"system": 0, "vram": 1}
_ACCESSES = {"vm": 0, "ro": 1, "rw": 2}
_STATES = ("alive", "dead")
_FEATURES = ("semaphore64", "igp", "vram_mmap", "msi", "compression", "encryption", "long_cycle", "user_queue")
_PAGE = 4096

BO_WC, BO_CONTIGUOUS, BO_LSR = 1, 2, 8
READ_ONLY, SUPERVISOR, NOSNOOP, REPLACE, LONG_CYCLE, ENCRYPTED = (1 << bit for bit in range(6))
CHANNEL_EVENT, CHANNEL_DMA_MODE, CHANNEL_USER_QUEUE, CHANNEL_NO_SLI = (1 << bit for bit in range(4))
_SYNC_WAIT, _SYNC_SIGNAL = 1, 2
_EVENT_DEAD = 0x80000000
_CLASS_SOFTWARE = 0x506e


def _choice(argument: str, value: str, choices: "dict[str, int]") -> int:
    if value not in choices:
        raise ValueError(f"{argument}: {value!r} is none of {' '.join(choices)}")
    return choices[value]


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else str(number)


def _nanoseconds(timeout: Optional[float]) -> int:
    return -1 if timeout is None else max(0, int(timeout * 1e9))


def _record(structure: ctypes.Structure) -> "dict[str, Any]":
    """The members of a structure, without padding."""
    result = {}
    for name, *_kind in structure._fields_:
        value = getattr(structure, name)
        if not name.startswith("pad"):
            result[name] = value.decode() if isinstance(value, bytes) else value
    return result


def open(name: Optional[str] = None) -> "Device":
    """Open a card: its node, its PCI address, "model:g84" for a new model of a card, or None for the
    first card that the driver nvfifo has, else for the model that NVFIFO_MODEL names."""
    return Device(name)


class Device:
    """An open card. ``chipset`` is its id, ``name`` its name, ``features`` the set of its features."""

    def __init__(self, name: Optional[str] = None):
        pointer = ctypes.c_void_p()
        call("nvfifo_open", name.encode() if name is not None else None, ctypes.byref(pointer))
        self._pointer = pointer
        self._finalizer = weakref.finalize(self, lib.nvfifo_close, pointer)
        info = self.info()
        self.chipset: int = info["chipset"]
        self.name: str = info["name"]
        self.features = {feature for bit, feature in enumerate(_FEATURES) if info["features"] >> bit & 1}

    def __repr__(self) -> str:
        return f"<nvfifo.Device {self.name} {lib.nvfifo_path(self._pointer).decode()}>"

    def _query(self, function: str, structure: Any) -> "dict[str, Any]":
        record = structure()
        call(function, self._pointer, ctypes.byref(record))
        return _record(record)

    def info(self) -> "dict[str, Any]":
        """The members of struct drm_nvfifo_query_device: ``name`` is a string, all others are numbers."""
        return self._query("nvfifo_query_device", _lib.QueryDevice)

    def limits(self) -> "dict[str, int]":
        """The members of struct drm_nvfifo_query_limits."""
        return self._query("nvfifo_query_limits", _lib.QueryLimits)

    def time(self) -> "dict[str, int]":
        """PTIMER's time and the kernel's monotonic time of the same moment, ns."""
        return self._query("nvfifo_query_time", _lib.QueryTime)

    def buffer(self, size: int, domain: str = "system", flags: int = 0, label: Optional[str] = None) -> "Buffer":
        """Make a buffer of zeroed memory. ``domain`` is "system" or "vram", ``flags`` are BO_WC,
        BO_CONTIGUOUS, BO_LSR. The kernel rounds ``size`` up."""
        return Buffer(self, size, domain, flags, label)

    def vm(self) -> "VM":
        """Make an address space."""
        return VM(self)

    def event(self, timeout: Optional[float] = 0) -> "Optional[Event]":
        """Wait for an event of a channel with CHANNEL_EVENT or a software object, ``timeout`` seconds,
        None for ever. Returns None when the time is over."""
        record = _lib.FileEvent()
        milliseconds = -1 if timeout is None else max(0, int(timeout * 1000))
        if not call("nvfifo_event_read_any", self._pointer, milliseconds, ctypes.byref(record)):
            return None
        return Event(record)


class Event:
    """An event, of a software method with ``handle``, ``method`` (the subchannel in bits 15:13) and ``data``. Or a
    ``dead`` channel with ``error``, ``code``, ``detail``, ``method``, ``data``, and ``fault_address`` of a VM fault or None."""

    def __init__(self, record: "_lib.FileEvent"):
        method, dead = record.method, record.dead
        self.dead = method.type == _EVENT_DEAD
        if self.dead:
            self.channel: int = dead.channel_id
            self.user_data: int = dead.user_data
            self.error = _name(_ERRORS, dead.error)
            self.code: int = dead.error_code
            self.detail: int = dead.error_detail
            self.method: int = dead.error_method
            self.data: int = dead.error_data
            self.fault_address: Optional[int] = dead.fault_address if dead.fault else None
        else:
            self.channel = method.channel_id
            self.user_data = method.user_data
            self.handle: int = method.handle
            self.method = method.method
            self.data = method.data

    def __repr__(self) -> str:
        return f"<nvfifo.Event {' '.join(f'{name}={value}' for name, value in vars(self).items())}>"


class Buffer:
    """A buffer. ``size`` is its size in bytes, ``map`` its memory as bytes, ``words`` as 32-bit words."""

    def __init__(self, device: Device, size: int, domain: str, flags: int, label: Optional[str]):
        self.device = device
        self._bo = _lib.Bo()
        call("nvfifo_bo_create", device._pointer, size, _choice("domain", domain, _DOMAINS), flags, ctypes.byref(self._bo))
        self._finalizer = weakref.finalize(self, _close_buffer, device, self._bo)
        self.size: int = self._bo.size
        self.domain = domain
        if label is not None:
            call("nvfifo_bo_label", device._pointer, ctypes.byref(self._bo), label.encode())

    def __repr__(self) -> str:
        return f"<nvfifo.Buffer {self.size:#x} bytes {self.domain}>"

    @property
    def map(self) -> memoryview:
        """The memory as bytes. The buffer must outlive the view."""
        if not self._bo.map:
            call("nvfifo_bo_map", self.device._pointer, ctypes.byref(self._bo))
        return memoryview((ctypes.c_uint8 * self.size).from_address(self._bo.map)).cast("B")

    @property
    def words(self) -> memoryview:
        """The memory as 32-bit words. The buffer must outlive the view."""
        return self.map.cast("I")


def _close_buffer(device: Device, bo: "_lib.Bo") -> None:
    lib.nvfifo_bo_close(device._pointer, ctypes.byref(bo))


class VM:
    """An address space."""

    def __init__(self, device: Device):
        self.device = device
        number = ctypes.c_uint32()
        call("nvfifo_vm_create", device._pointer, ctypes.byref(number))
        self.id = number.value
        self._finalizer = weakref.finalize(self, _destroy_vm, device, self.id)
        self._next = device.info()["va_start"]
        self._end = device.info()["va_end"]
        self._mapped: "dict[int, Buffer]" = {}

    def map(self, buffer: Buffer, address: Optional[int] = None, flags: int = 0, page_shift: int = 0, kind: int = 0,
            compression: int = 0) -> int:
        """Map a buffer, at a free address if none is given. Returns the address.

        ``flags`` are READ_ONLY, SUPERVISOR, NOSNOOP, REPLACE, LONG_CYCLE, ENCRYPTED; ``page_shift`` is
        0 for the largest page, 12, 14 or 16; ``kind`` is the storage type; ``compression`` 0, 1 or 2.
        """
        if address is None:
            # Regions with one page size each
            region = 1 << 29
            address = -(-self._next // region) * region
            self._next = address + buffer.size
            if self._next > self._end:
                raise MemoryError("no free addresses are left; give one")
        op = _lib.VmBindOp(op=0, flags=flags, bo_handle=buffer._bo.handle, page_shift=page_shift, va=address,
                           range=buffer.size, kind=kind, compression=compression)
        call("nvfifo_vm_bind", self.device._pointer, self.id, ctypes.byref(op), 1)
        self._mapped[address] = buffer
        return address

    def unmap(self, address: int, size: int) -> None:
        """Remove all mappings in a range."""
        op = _lib.VmBindOp(op=1, va=address, range=size)
        call("nvfifo_vm_bind", self.device._pointer, self.id, ctypes.byref(op), 1)
        for start in [start for start in self._mapped if address <= start < address + size]:
            del self._mapped[start]

    def channel(self, ring_order: int = 0, flags: int = 0, hang_limit: float = 0, timeslice: int = 0, start: int = 0,
                user_data: int = 0) -> "Channel":
        """Make a channel that works in this address space.

        ``ring_order`` is log2 of the IB ring's entries, ``hang_limit`` is in seconds; 0 means the
        default. ``start`` is where a user queue's entries or the words of DMA mode begin.
        """
        record = _lib.ChannelCreate(vm_id=self.id, flags=flags, ring_order=ring_order, timeslice=timeslice, start=start,
                                    user_data=user_data, hang_limit_ms=int(hang_limit * 1000))
        return Channel(self, record)


def _destroy_vm(device: Device, number: int) -> None:
    lib.nvfifo_vm_destroy(device._pointer, number)


class ChannelState:
    """The state of a channel: the members of struct drm_nvfifo_channel_query.

    ``state`` is "alive" or "dead", ``error`` one of none pusher cache semaphore timeout lost graph
    fence, and ``reason`` says it in words. ``error_code``, ``error_method`` (the subchannel in bits 15:13) and ``error_data``
    belong to it.
    ``get``, ``put``, ``mget`` and ``subroutine`` are virtual addresses, ``ib_get`` and ``ib_put`` numbers of
    IB entries, ``submitted`` and ``completed`` numbers of submissions, ``ref`` is the reference counter.
    If ``fault`` is 1, ``fault_address`` and the members after it describe a VM fault.
    """
    state: str
    error: str
    reason: str
    error_code: int
    error_detail: int
    error_method: int
    error_data: int
    submitted: int
    completed: int
    ref: int
    get: int
    put: int
    mget: int
    mget_valid: int
    ib_get: int
    ib_put: int
    ring_order: int
    fault: int
    fault_address: int
    fault_engine: int
    fault_client: int
    fault_slot: int
    fault_reason: int
    fault_write: int
    id: int
    hw_id: int
    loaded: int
    dma_state: int
    method_count: int
    subroutine: int
    bound: int

    def __init__(self, record: "_lib.ChannelQuery", chipset: int):
        self.__dict__.update(_record(record))
        self.state = _name(_STATES, record.state)
        self.error = _name(_ERRORS, record.error)
        self.reason = _reason(record, chipset) if record.error else ""

    def __repr__(self) -> str:
        if self.state == "alive":
            return f"<nvfifo.ChannelState alive, {self.completed} of {self.submitted} submissions done>"
        return f"<nvfifo.ChannelState dead: {self.reason}>"


def _reason(record: "_lib.ChannelQuery", chipset: int) -> str:
    """The error of a channel, and the VM fault that came with it, in words."""
    text, fault = ctypes.create_string_buffer(400), ctypes.create_string_buffer(400)
    lib.nvfifo_exec_error_text(ctypes.byref(record), text, len(text))
    lib.nvfifo_exec_fault_text(chipset, ctypes.byref(record), fault, len(fault))
    return "; ".join(part.value.decode() for part in (text, fault) if part.value)


class Channel:
    """A channel. ``id`` is its number in the file, ``query()`` its state."""

    def __init__(self, vm: VM, record: "_lib.ChannelCreate"):
        self.vm = vm
        self.device = vm.device
        call("nvfifo_channel_create_with", self.device._pointer, ctypes.byref(record))
        self.id: int = record.id
        self._finalizer = weakref.finalize(self, _destroy_channel, vm, self.id)
        self._buffers: "list[tuple[Fence, Buffer, int]]" = []

    def query(self) -> ChannelState:
        """Positions, reference counter, and the error if the channel has died."""
        record = _lib.ChannelQuery()
        call("nvfifo_channel_query", self.device._pointer, self.id, ctypes.byref(record))
        return ChannelState(record, self.device.chipset)

    def dma_object(self, handle: int, start: int, size: int, oclass: int = 0x3d, access: str = "vm", flags: int = 0) -> None:
        """Name a range of the address space for methods. ``oclass`` is 0x02 read, 0x03 write, 0x3d
        both; ``access`` is "vm", "ro" or "rw"."""
        self._object(type=0, handle=handle, oclass=oclass, access=_choice("access", access, _ACCESSES), flags=flags, start=start,
                     size=size)

    def engine_object(self, handle: int, oclass: int) -> None:
        """Name an object of an engine's class, such as 0x5039 for M2MF."""
        self._object(type=1, handle=handle, oclass=oclass)

    def software_object(self, handle: int) -> None:
        """Name a software object of a channel with CHANNEL_EVENT: its methods come as events."""
        self._object(type=2, handle=handle, oclass=_CLASS_SOFTWARE)

    def destroy_object(self, handle: int) -> None:
        """Remove an object."""
        call("nvfifo_object_destroy", self.device._pointer, self.id, handle)

    def _object(self, **members: int) -> None:
        record = _lib.ObjectCreate(channel_id=self.id, **members)
        call("nvfifo_object_create", self.device._pointer, ctypes.byref(record))

    def submit(self, push: Union[Push, Iterable[int]], after: "Sequence[Fence]" = ()) -> "Fence":
        """Submit words: they are copied to a buffer of their own, which lives until their fence has
        signalled. ``after`` are fences that the submission waits for. Returns its fence."""
        words = push.words if isinstance(push, Push) else list(push)
        self._collect()
        buffer = self.device.buffer(max(4 * len(words), _PAGE))
        address = self.vm.map(buffer, flags=READ_ONLY)
        buffer.words[:len(words)] = memoryview((ctypes.c_uint32 * len(words))(*words)).cast("B").cast("I")
        try:
            fence = self.submit_entries([(address, len(words))], after)
        except Error:
            self.vm.unmap(address, buffer.size)
            raise
        self._buffers.append((fence, buffer, address))
        return fence

    def submit_entries(self, entries: "Sequence[tuple[int, int]]", after: "Sequence[Fence]" = ()) -> "Fence":
        """Submit segments that lie in the address space: pairs of address and number of words."""
        fence = Fence(self)
        records = (_lib.Entry * len(entries))(*(_lib.Entry(address, words, 0) for address, words in entries))
        syncs = (_lib.Sync * (len(after) + 1))(*(_lib.Sync(_SYNC_WAIT, other.handle, 0) for other in after),
                                               _lib.Sync(_SYNC_SIGNAL, fence.handle, 0))
        number = ctypes.c_uint64()
        call("nvfifo_submit", self.device._pointer, self.id, records, len(entries), syncs, len(syncs), ctypes.byref(number))
        fence.seqno = number.value
        return fence

    def _collect(self) -> None:
        """Give the buffers of finished submissions back."""
        for item in [item for item in self._buffers if item[0].status]:
            fence, buffer, address = item
            self.vm.unmap(address, buffer.size)
            self._buffers.remove(item)


def _destroy_channel(vm: VM, number: int) -> None:
    lib.nvfifo_channel_destroy(vm.device._pointer, number)


class Fence:
    """The end of a submission. ``seqno`` is its number in the channel."""

    def __init__(self, channel: Channel):
        self.channel = channel
        self.seqno = 0
        number = ctypes.c_uint32()
        call("nvfifo_syncobj_create", channel.device._pointer, ctypes.byref(number))
        self.handle: int = number.value
        self._finalizer = weakref.finalize(self, _destroy_fence, channel.device, self.handle)

    @property
    def status(self) -> int:
        """1 signalled, 0 not yet, a negative errno: ended with that error."""
        status = ctypes.c_int()
        call("nvfifo_syncobj_status", self.channel.device._pointer, self.handle, ctypes.byref(status))
        return status.value

    def wait(self, timeout: Optional[float] = 5.0) -> None:
        """Wait until the submission is done, ``timeout`` seconds, None for ever.

        Raises :class:`Timeout`, or :class:`ChannelDead` with the channel's error.
        """
        call("nvfifo_syncobj_wait", self.channel.device._pointer, self.handle, 0, _nanoseconds(timeout))
        status = self.status
        if status < 0:
            raise ChannelDead(-status, f"the channel is dead: {self.channel.query().reason}")


def _destroy_fence(device: Device, number: int) -> None:
    lib.nvfifo_syncobj_destroy(device._pointer, number)
