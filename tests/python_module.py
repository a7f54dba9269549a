#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python module nvfifo on the model: TAP. Runs at the top of the tree after `make lib`."""
import contextlib
import ctypes
import doctest
import gc
import inspect
import io
import os
import re
import runpy
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from results import report

os.environ["NVFIFO_LIBRARY_PATH"] = os.path.abspath("build/lib")
os.environ["NVFIFO_MODEL"] = "g84"
sys.path.insert(0, os.path.abspath("lib/python"))

# pylint: disable=wrong-import-position
import nvfifo  # noqa: E402
from nvfifo import _dump, _lib, _push, _text  # noqa: E402

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
    lines = ['#include <stdio.h>', *(f'#include "nvfifo{name}.h"' for name in ("", "_calc", "_coredump", "_explain", "_lint", "_prog", "_reg"))]
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
    for module in (nvfifo, _dump, _text, _push):
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
    raises(nvfifo.ChannelDead, fence.wait, has="is dead: DMA_PUSHER error 4, INVALID_CMD")
    event = device.event(1)
    equal((event.dead, event.error, event.user_data, event.fault_address), (True, "pusher", 77, None))
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


def dumps():
    """A dump: the error, the word that failed, registers, page tables"""
    with open("tests/golden/bad-method.dump", encoding="ascii") as file:
        text = file.read()
    dump = nvfifo.read_dump(text)
    equal((dump.card, dump.chipset, dump.complete, dump.problems), ("0000:00:00.0", 0x84, True, []))
    equal(dump.registers["PMC.BOOT_0"], dump.boot_0)
    channel = dump.dead
    equal((channel.id, channel.error, channel.code, channel.method, channel.fault), (1, "pusher", 2, 0x70, None))
    expect("INVALID_MTHD, word 0000dada" in channel.log[0], channel.log)
    equal((channel.failed.address, channel.failed.word), (0x140004, 0xdada))
    equal((channel.get, channel.ramfc["IB_PUT"], channel.mapping(0x140004).domain), (0x140008, 2, "system"))
    equal((channel.translate(0x140004), channel.translate(0x10000000)), (0x1baaa004, None))
    expect(len({word.address for word in channel.words}) == len(channel.words) > 10, channel.words)
    del dump
    gc.collect()
    equal(channel.translate(0x140004), 0x1baaa004)
    with open("tests/golden/vm-fault.dump", "rb") as file:
        fault = nvfifo.read_dump(file.read()).dead.fault
    equal((fault.address, fault.write, fault.reason), (0x180000, False, "PAGE_NOT_PRESENT"))
    expect(not nvfifo.read_dump(text[:len(text) // 2]).complete, "half a dump is complete")
    raises(ValueError, nvfifo.read_dump, "nonsense")


def described():
    """Each public name has a docstring and types"""
    for name in nvfifo.__all__:
        item = getattr(nvfifo, name)
        members = [(name, item)]
        if inspect.isclass(item):
            members += [(f"{name}.{key}", value) for key, value in vars(item).items() if not key.startswith("_")]
        for path, member in members:
            member = member.fget if isinstance(member, property) else member
            if not callable(member):
                continue
            expect(inspect.getdoc(member), f"{path} has no docstring")
            if not inspect.isclass(member):
                signature = inspect.signature(member)
                kinds = [p.annotation for p in signature.parameters.values() if p.name != "self"]
                expect(inspect.Signature.empty not in [*kinds, signature.return_annotation], f"{path} lacks a type")


def pages():
    """The cells of the guide and of the notebook"""
    with open("Documentation/guides/python.rst", encoding="utf-8") as file:
        cells = re.findall(r"\.\. code-block:: python\n\n((?: {3}.*\n|\n)+)", file.read())
    expect(len(cells) == 4, f"{len(cells)} cells")
    names = {"open": lambda _name: io.StringIO(dump)}
    with open("tests/golden/vm-fault.dump", encoding="ascii") as file:
        dump = file.read()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        for cell in cells:
            exec(re.sub(r"(?m)^ {3}", "", cell), names)  # pylint: disable=exec-used
    expect("0x12345678" in output.getvalue(), output.getvalue())
    result = doctest.testfile(os.path.abspath("Documentation/guides/notebook.rst"), module_relative=False)
    expect(result.attempted > 40 and not result.failed, f"notebook.rst: {result}")


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
    for name, want in (("sweep", "2D.OPERATION 3: 00ff8000"), ("replay", "another picture"), ("timeline", "copy 1000 lines  |")):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            runpy.run_path(f"examples/python/{name}.py", run_name="__main__")
        expect(want in output.getvalue(), output.getvalue())
    timeline()


def timeline():
    """The bars of the timeline's example, and its picture"""
    example = runpy.run_path("examples/python/timeline.py")
    rows = example["run"](nvfifo.open())
    (_, ((_, begin, end), _)), (_, copies) = rows
    expect(0 < begin < copies[0][1] < copies[0][2] <= copies[1][2] < end, rows)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "timeline.svg")
        example["draw_svg"](rows, path)
        equal(len(xml.etree.ElementTree.parse(path).findall(".//{*}rect")), 5)


def main():
    """Run all tests."""
    results = []
    for test in (structures, doctests, chips, copy, order, many, death, software, bad_input, layouts, texts, dumps, described, pages, closing,
                 examples):
        try:
            test()
            results.append((test.__doc__.splitlines()[0], None))
        except Exception as error:  # pylint: disable=broad-except
            results.append((test.__doc__.splitlines()[0], f"{type(error).__name__}: {error}".replace("\n", " ")[:500]))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
