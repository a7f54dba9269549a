#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plot a timeline of a run: what two channels did, by the card's clock.

Two channels copy with M2MF. The first one waits for a semaphore that the second one releases after
its second copy. A notifier at the begin and at the end of each job has the time of PTIMER. The
program prints the bars as text; with the name of a file it draws them with matplotlib, or as SVG
if matplotlib is not installed.

    NVFIFO_MODEL=g84 python3 examples/python/timeline.py [timeline.svg]
"""
import sys

import nvfifo

LINE, SIZE = 1024, 1 << 20
NOTES, SEMAPHORE, COPY = 0xbeef0001, 0xbeef0002, 0xbeef0003
SEMAPHORE_TEXT = """
mthd 0 DMA_SEMAPHORE : semaphore
mthd 0 SEMAPHORE_OFFSET : 0
mthd 0 SEMAPHORE_{} : 1
"""
BEGIN, END, BYTES = 0, 16, 32		# notifiers of a job


class Worker:
    """A channel that copies, and the notifiers of its jobs"""

    def __init__(self, vm, name, memory, semaphore):
        self.name = name
        self.jobs = []
        self.notes = vm.device.buffer(4096)
        self.address = vm.map(self.notes)
        self.channel = vm.channel()
        self.channel.engine_object(0xbeef5039, 0x5039)
        self.channel.dma_object(SEMAPHORE, semaphore, 4096)
        self.channel.dma_object(COPY, memory, 2 * SIZE)

    def submit(self, job, size, text=""):
        """A job: assembler text, then a copy of that many lines of 1024 bytes"""
        number = len(self.jobs)
        self.channel.dma_object(NOTES + 0x100 * number, self.address + BYTES * number, BYTES)
        push = nvfifo.Push()
        m2mf = push.bind(5, 0x5039, handle=0xbeef5039)
        m2mf.dma_notify(NOTES + 0x100 * number, COPY, COPY)
        m2mf.notify(0)
        m2mf.nop(0)
        push.text(text, semaphore=SEMAPHORE)
        m2mf.layout_in("PITCH")
        m2mf.layout_out("PITCH")
        m2mf.offset_in_high(0, 0)
        m2mf.offset_in(0, SIZE, LINE, LINE, LINE, size, 0x101, 0)
        m2mf.serialize(0)
        self.jobs.append(job)
        return self.channel.submit(push)

    def bars(self):
        """Name, begin and end of each job in ns of PTIMER"""
        times = self.notes.map.cast("Q")
        return [(job, times[(BYTES * number + BEGIN) // 8], times[(BYTES * number + END) // 8])
                for number, job in enumerate(self.jobs)]


def run(device):
    """The bars of two channels: pairs of a channel's name and its bars"""
    vm = device.vm()
    memory, semaphore = device.buffer(2 * SIZE), device.buffer(4096)
    addresses = vm.map(memory), vm.map(semaphore)
    first, second = (Worker(vm, name, *addresses) for name in ("first", "second"))
    fences = [first.submit("wait, copy", 100, SEMAPHORE_TEXT.format("ACQUIRE")),
              second.submit("copy 1000 lines", 1000),
              second.submit("copy 500 lines", 500),
              second.submit("release, copy", 1, SEMAPHORE_TEXT.format("RELEASE")),
              first.submit("copy 200 lines", 200)]
    for fence in fences:
        fence.wait()
    return [(worker.name, worker.bars()) for worker in (first, second)]


def scale(rows):
    """Begin of the run and its length, ns"""
    begin = min(bar[1] for _, bars in rows for bar in bars)
    return begin, max(max(bar[2] for _, bars in rows for bar in bars) - begin, 1)


def show(rows, width=60):
    """The bars as text"""
    begin, length = scale(rows)
    for name, bars in rows:
        print(f"channel {name}")
        for job, start, end in bars:
            left = (start - begin) * width // length
            right = max(left + 1, (end - begin) * width // length)
            print(f"  {job:16} |{' ' * left}{'#' * (right - left)}{' ' * (width - right)}| {end - start} ns")


def draw_svg(rows, file):
    """The bars as SVG"""
    begin, length = scale(rows)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{40 * len(rows) + 10}" font-size="10">']
    for row, (name, bars) in enumerate(rows):
        lines.append(f'<text x="5" y="{40 * row + 30}">{name}</text>')
        for job, start, end in bars:
            x, width = 80 + 700 * (start - begin) / length, 700 * (end - start) / length
            lines.append(f'<rect x="{x:.1f}" y="{40 * row + 10}" width="{max(width, 1):.1f}" height="30" fill="#7ac" '
                         f'stroke="#000"><title>{job}, {end - start} ns</title></rect>')
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join([*lines, "</svg>\n"]))


def draw(rows, file):
    """The bars as a picture"""
    try:
        from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    except ImportError:
        draw_svg(rows, file)
        return
    begin, _ = scale(rows)
    axes = pyplot.subplots(figsize=(8, 1 + len(rows)))[1]
    for row, (_, bars) in enumerate(rows):
        axes.broken_barh([(start - begin, max(end - start, 1)) for _, start, end in bars], (row - 0.4, 0.8), edgecolor="black")
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.invert_yaxis()
    axes.set_xlabel("ns of PTIMER")
    pyplot.tight_layout()
    pyplot.savefig(file)


def main():
    """Run, print the bars, and draw them if a file is named."""
    rows = run(nvfifo.open())
    show(rows)
    if len(sys.argv) > 1:
        draw(rows, sys.argv[1])


if __name__ == "__main__":
    main()
