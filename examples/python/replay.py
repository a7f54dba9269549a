#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replay a pushbuffer with one word changed, and compare what it draws.

A pushbuffer copies a surface with M2MF. Each of its data words is changed by one bit in turn. The
program prints which words matter to the copy, which ones the card refuses, and which do nothing.

    NVFIFO_MODEL=g84 python3 examples/python/replay.py
"""
import nvfifo

SIZE = 4096


def setup(device):
    """A channel with two buffers, and the words that copy 256 bytes from one to the other"""
    vm = device.vm()
    source, target = device.buffer(SIZE), device.buffer(SIZE)
    source.words[:] = memoryview(b"".join(i.to_bytes(4, "little") for i in range(SIZE // 4))).cast("I")
    addresses = vm.map(source), vm.map(target)
    channel = vm.channel(hang_limit=0.1)
    channel.engine_object(0xbeef5039, 0x5039)
    channel.dma_object(0xbeef0001, addresses[0], SIZE)
    channel.dma_object(0xbeef0002, addresses[1], SIZE)

    push = nvfifo.Push()
    m2mf = push.bind(0, 0x5039, handle=0xbeef5039)
    m2mf.dma_notify(0xbeef0002, 0xbeef0001, 0xbeef0002)
    m2mf.layout_in("PITCH")
    m2mf.layout_out("PITCH")
    m2mf.offset_in_high(0, 0)
    # From and to offset 0: 4 lines of 64 bytes, byte after byte; the notifier lies at 1024.
    m2mf.offset_in(0, 0, 64, 64, 64, 4, 0x101)
    m2mf.buf_notify(1)
    return channel, target, push


def run(device, change=None):
    """What the target holds after the words, with the lowest bit of one of them changed"""
    channel, target, push = setup(device)
    if change is not None:
        push.words[change] ^= 1
    try:
        channel.submit(push).wait()
    except nvfifo.ChannelDead as error:
        return error.strerror
    return target.map.tobytes()


def main():
    """Print a line for each word."""
    device = nvfifo.open()
    _, _, push = setup(device)
    lines = str(push).splitlines()
    want = run(device)
    for position, line in enumerate(lines):
        got = run(device, position)
        if isinstance(got, str):
            verdict = f"refused: {got.split(': ', 1)[1]}"
        else:
            verdict = "the same" if got == want else "another picture"
        print(f"{line.strip():60} {verdict}")


if __name__ == "__main__":
    main()
