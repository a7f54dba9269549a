#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python module nvfifo on the model: TAP. Runs at the top of the tree after `make lib`."""
import contextlib
import ctypes
import doctest
import gc
import io
import os
import runpy
import subprocess
import sys
import tempfile

from results import report

os.environ["NVFIFO_LIBRARY_PATH"] = os.path.abspath("build/lib")
os.environ["NVFIFO_MODEL"] = "g84"
sys.path.insert(0, os.path.abspath("lib/python"))

# pylint: disable=wrong-import-position
import nvfifo  # noqa: E402
from nvfifo import _lib, _push, _text  # noqa: E402

CHIPS = ("g80", "g84", "gt215", "mcp79")
RELEASE = """
mthd 0 DMA_SEMAPHORE : 0xbeef0001
mthd 0 SEMAPHORE_OFFSET : offset
mthd 0 SEMAPHORE_RELEASE : value
"""


def expect(condition, problem):
    """Fail with a sentence."""
    if not condition:
        raise AssertionError(problem)


def equal(is_, want):
    """Fail if two values differ."""
    expect(is_ == want, f"is {is_!r}, not {want!r}")


def raises(kind, function, *arguments, has=""):
    """Fail if a call does not raise an exception whose text has these words."""
    try:
        function(*arguments)
    except kind as error:
        expect(has in str(error), f"'{error}' lacks '{has}'")
        return error
    raise AssertionError(f"no {kind.__name__}")


def structures():
    """Sizes and members of all structures, as the C compiler lays them out"""
    lines = ['#include <stdio.h>', *(f'#include "nvfifo{name}.h"' for name in ("", "_calc", "_explain", "_lint", "_prog"))]
    lines.append("int main(void) {")
    for name, structure in _lib.STRUCTURES.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for member, _kind in structure._fields_:
            member = {"type": "base.type", "length": "base.length"}.get(member, member) if "event" in name else member
            lines.append(f'printf("%zu %zu\\n", __builtin_offsetof({name}, {member}), sizeof((({name} *)0)->{member}));')
    with tempfile.TemporaryDirectory() as directory:
        source = os.path.join(directory, "layout.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("\n".join([*lines, "return 0; }"]))
        program = os.path.join(directory, "layout")
        subprocess.run([os.environ.get("CC", "cc"), "-I.", "-Iuapi", "-Ilib", "-Ihw", "-o", program, source], check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    want = []
    for name, structure in _lib.STRUCTURES.items():
        want.append(f"{name} {ctypes.sizeof(structure)}")
        want += [f"{getattr(structure, member).offset} {getattr(structure, member).size}" for member, _kind in structure._fields_]
    equal(want, printed.splitlines())


def doctests():
    """The examples in the docstrings"""
    for module in (nvfifo, _text, _push):
        result = doctest.testmod(module)
        expect(result.attempted and not result.failed, f"{module.__name__}: {result}")


def world(chip="g84", **channel):
    """A card with a mapped buffer of semaphores and a channel"""
    device = nvfifo.open(f"model:{chip}")
    vm = device.vm()
    result = device.buffer(4096)
    address = vm.map(result)
    made = vm.channel(**channel)
    made.dma_object(0xbeef0001, address, result.size)
    return device, vm, result, made


def release(offset, value):
    """A push that writes a word"""
    return nvfifo.Push().text(RELEASE, offset=offset, value=value)


def chips():
    """A word written by a channel on a chip of each generation"""
    for chip in CHIPS:
        device, _vm, result, channel = world(chip)
        channel.submit(release(16, 0x600d)).wait()
        equal((device.name.lower(), result.words[4]), (chip, 0x600d))


def copy():
    """M2MF by names: VRAM and back"""
    device, vm, result, channel = world()
    far = device.buffer(4096, "vram", label="far")
    addresses = vm.map(result), vm.map(far)
    result.words[:4] = memoryview((ctypes.c_uint32 * 4)(1, 2, 3, 4)).cast("B").cast("I")
    channel.engine_object(0xbeef5039, 0x5039)
    channel.dma_object(0xbeef0002, 0, device.info()["va_end"])
    push = nvfifo.Push()
    m2mf = push.bind(5, 0x5039, handle=0xbeef5039)
    expect(push.m2mf is m2mf, "the class's name is no attribute")
    m2mf.dma_notify(0xbeef0001, 0xbeef0002, 0xbeef0002)
    for source, target in (addresses, (addresses[1], addresses[0] + 64)):
        m2mf.serialize(0)
        m2mf.layout_in("PITCH")
        m2mf.layout_out("PITCH")
        m2mf.offset_in_high(source >> 32, target >> 32)
        m2mf.offset_in(source & 0xffffffff, target & 0xffffffff, 16, 16, 16, 1, "INPUT_INC = 1 | OUTPUT_INC = 1")
        m2mf.buf_notify(0)
    channel.submit(push).wait()
    equal(list(result.words[16:20]), [1, 2, 3, 4])


def order():
    """A submission waits for fences of another channel"""
    _device, vm, result, first = world()
    second = vm.channel()
    second.dma_object(0xbeef0001, next(iter(vm._mapped)), result.size)
    wait = nvfifo.Push().text("mthd 0 DMA_SEMAPHORE : 0xbeef0001\nmthd 0 SEMAPHORE_OFFSET : 0\nmthd 0 SEMAPHORE_ACQUIRE : 7")
    held = first.submit(wait)
    after = second.submit(release(32, 5), after=[held])
    raises(nvfifo.Timeout, after.wait, 0.001)
    equal(result.words[8], 0)
    result.words[0] = 7
    after.wait()
    equal(result.words[8], 5)


def many():
    """Buffers of finished submissions are given back"""
    device, _vm, result, channel = world()
    for value in range(300):
        channel.submit(release(0, value)).wait()
        equal(result.words[0], value)
    expect(len(channel._buffers) <= 1, f"{len(channel._buffers)} buffers are kept")
    equal(channel.query().completed, 300)
    expect(device.time()["timer_ns"] > 0, "no time has passed")


def death():
    """The error of a channel, its event, and calls after it"""
    device, vm, _result, _channel = world()
    channel = vm.channel(flags=nvfifo.CHANNEL_EVENT, user_data=77)
    equal(device.event(), None)
    fence = channel.submit([0xffffffff])
    raises(nvfifo.ChannelDead, fence.wait, has="dead: pusher")
    event = device.event(1)
    equal((event.dead, event.error, event.user_data), (True, "pusher", 77))
    equal(channel.query().state, "dead")
    raises(nvfifo.ChannelDead, channel.submit, release(0, 1), has="")


def software():
    """A software object's methods are events"""
    device, _vm, _result, channel = world(flags=nvfifo.CHANNEL_EVENT)
    channel.software_object(0xbeef506e)
    channel.submit(nvfifo.Push().method(3, 0, 0xbeef506e).method(3, 0x104, 9)).wait()
    event = device.event(1)
    equal((event.dead, event.handle, event.method, event.data), (False, 0xbeef506e, 3 << 13 | 0x104, 9))


def bad_input():
    """Sentences that name the argument and its range"""
    device, vm, _result, channel = world()
    raises(nvfifo.Error, nvfifo.open, "model:nv40", has="none of g80")
    raises(nvfifo.Error, nvfifo.open, "foo", has="model:g84")
    raises(ValueError, device.buffer, 4096, "agp", has="none of system vram")
    raises(nvfifo.Error, device.buffer, 0)
    raises(nvfifo.Error, vm.map, device.buffer(4096), 123)
    raises(nvfifo.Error, channel.engine_object, 1, 0x1234)
    raises(ValueError, nvfifo.Push().method, 8, 0, 1, has="not 0 to 7")
    raises(ValueError, nvfifo.Push().method, 0, 2, 1, has="multiple of 4")
    raises(ValueError, nvfifo.Push().method, 0, 0, 1 << 32, has="words[0]")
    raises(ValueError, nvfifo.Push().bind, 0, 0x1234, 1, has="no class")
    raises(AttributeError, getattr, nvfifo.Push().bind(0, 0x5039, 1), "nonsense", has="M2MF")
    raises(IndexError, lambda: nvfifo.Push().bind(0, 0x5097, 1).rt_format(0, index=8), has="0 to 7")
    error = raises(nvfifo.TextError, nvfifo.assemble, "nop\nmthd 9 0 : 1", has="2:")
    equal(error.line, 2)
    raises(ValueError, nvfifo.assemble, "nop", "nv99", has="none of nv04")
    raises(ValueError, nvfifo.disassemble, [0], "nv04", "nv40", has="none of g80")
    raises(ValueError, nvfifo.decode, "nonsense", 1, has="pte")
    raises(ValueError, nvfifo.decode, "pte", 1, 2, has="2 of them")
    raises(nvfifo.Error, lambda: nvfifo.encode("pte", nonsense=1), has="nonsense")


def layouts():
    """Fields of layouts, there and back"""
    fields = nvfifo.decode("pte", 0x12345109)
    equal((fields["address"], fields["target"], fields["ro"]), ("0012345000", "vram", "1"))
    equal(nvfifo.encode("ramht", handle=0xbeef0201, bits=12, engine=1, offset=0x5540)["context"], "00100554")
    pte = nvfifo.encode("pte", address=0x12345000, target="vram", ro=1, contig=2)["pte"]
    equal(int(pte, 16), 0x12345109)


def texts():
    """Assembler, disassembler, lint and log lines"""
    source = "mthd 5 OBJECT : 0xbeef5039\nmthd 5 M2MF.LINE_COUNT : 4"
    lines = nvfifo.disassemble(nvfifo.assemble(source), classes={0xbeef5039: 0x5039})
    expect("M2MF.LINE_COUNT = 4" in lines[-1], lines)
    findings = nvfifo.lint([0x00040050])
    equal((findings[0].rule, findings[0].severity, findings[0].word), ("incomplete-command", "error", 0))
    with open("tests/golden/mistakes.nvp", encoding="ascii") as file:
        expect(len(nvfifo.lint(file.read())) > 5, "few mistakes in mistakes.nvp")
    raises(nvfifo.TextError, nvfifo.lint, "nonsense", has="1:1")
    line = nvfifo.explain("nouveau 0000:01:00.0: fifo: CACHE_ERROR - ch 2 [foo[123]] subc 0 mthd 0060 data beef0201")
    equal((line.kind, line.fields["method"], line.means["method"]), ("cache_error", "0060", "DMA_SEMAPHORE"))
    equal(nvfifo.explain("usb 1-1: new device"), None)


def closing():
    """Objects close in the right order, whatever is dropped first"""
    for keep in range(4):
        items = list(world())
        kept = items[keep]
        del items
        gc.collect()
        expect(repr(kept), "no text")
        del kept
        gc.collect()


def examples():
    """The examples print what they find"""
    for name, want in (("sweep", "2D.OPERATION 3: 00ff8000"), ("replay", "another picture")):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            runpy.run_path(f"examples/python/{name}.py", run_name="__main__")
        expect(want in output.getvalue(), output.getvalue())


def main():
    """Run all tests."""
    results = []
    for test in (structures, doctests, chips, copy, order, many, death, software, bad_input, layouts, texts, closing, examples):
        try:
            test()
            results.append((test.__doc__.splitlines()[0], None))
        except Exception as error:  # pylint: disable=broad-except
            results.append((test.__doc__.splitlines()[0], f"{type(error).__name__}: {error}".replace("\n", " ")[:500]))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
