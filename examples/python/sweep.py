#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sweep the values of a method, and look at what becomes of a surface.

2D.OPERATION says how the 2D object combines what it draws with what is there. The program draws
one rectangle over the same background with each value, and prints the pixel and the card's answer.

    NVFIFO_MODEL=g84 python3 examples/python/sweep.py
"""
import nvfifo

BACKGROUND, COLOR = 0x00406080, 0x00ff8000
PITCH, HEIGHT = 128, 8


def draw(device, operation):
    """The first pixel after a rectangle with an operation, or the error that the card has raised"""
    vm = device.vm()
    surface = device.buffer(4096)
    address = vm.map(surface)
    surface.words[:] = memoryview(BACKGROUND.to_bytes(4, "little") * 1024).cast("I")
    channel = vm.channel()
    channel.engine_object(0xbeef502d, 0x502d)
    channel.dma_object(0xbeef0001, address, surface.size)

    push = nvfifo.Push()
    eng2d = push.bind(0, 0x502d, handle=0xbeef502d)
    eng2d.dma_dst(0xbeef0001)
    eng2d.dst_format("BGRX8_UNORM", 1)
    eng2d.dst_pitch(PITCH, PITCH // 4, HEIGHT, 0, 0)
    eng2d.clip_x(0, 0, PITCH // 4, HEIGHT)
    eng2d.operation(operation)
    eng2d.draw_shape("RECTANGLES", "BGRX8_UNORM", COLOR)
    eng2d.draw_point32_x(0, 0, 4, 1)

    try:
        channel.submit(push).wait()
    except nvfifo.ChannelDead as error:
        return f"the channel dies: {error.strerror}"
    return f"{surface.words[0]:08x}"


def main():
    """Print a line for each value."""
    device = nvfifo.open()
    print(f"{device.name}: {COLOR:08x} over {BACKGROUND:08x}")
    for operation in range(8):
        print(f"2D.OPERATION {operation}: {draw(device, operation)}")


if __name__ == "__main__":
    main()
