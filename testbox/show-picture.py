#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Show a PNG file where this terminal or this session can; say which way, or nothing.

    [NVFIFO_TERMINAL_WAIT=1.5] show-picture.py FILE.png

A terminal that draws pictures says so when it is asked (kitty's protocol, or sixel); in
a graphical session xdg-open starts whatever shows pictures there. Does nothing when
standard output is no terminal. A terminal that says nothing for so many seconds cannot
draw.
"""

import base64
import os
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import tty
import zlib

# Does it draw kitty's pictures; what can it do at all. The second is answered by every terminal.
QUESTION = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c"
ANSWER = re.compile(rb"\x1b\[\?([0-9;]*)c")


def ask():
    """What the terminal answers: a set of 'kitty' and 'sixel'."""
    seconds = float(os.environ.get("NVFIFO_TERMINAL_WAIT", "1.5"))
    with open("/dev/tty", "r+b", buffering=0) as terminal:
        before = termios.tcgetattr(terminal)
        said = b""
        try:
            tty.setcbreak(terminal)
            terminal.write(QUESTION)
            while not ANSWER.search(said) and select.select([terminal], [], [], seconds)[0]:
                said += os.read(terminal.fileno(), 1000)
        finally:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
    can = set()
    if b"_Gi=31;OK" in said:
        can.add("kitty")
    match = ANSWER.search(said)
    if match and b"4" in match.group(1).split(b";")[1:]:
        can.add("sixel")
    return can


def kitty(data):
    """The file itself, in pieces."""
    text = base64.standard_b64encode(data)
    pieces = [text[i:i + 4096] for i in range(0, len(text), 4096)]
    out = b""
    for i, piece in enumerate(pieces):
        first = b"a=T,f=100," if i == 0 else b""
        more = b"1" if i + 1 < len(pieces) else b"0"
        out += b"\x1b_G" + first + b"m=" + more + b";" + piece + b"\x1b\\"
    return out + b"\n"


def unfilter(kind, line, above, step):
    """Undo one line's filter of PNG."""
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            line[i] = line[i] + left & 255
        elif kind == 2:
            line[i] = line[i] + above[i] & 255
        elif kind == 3:
            line[i] = line[i] + (left + above[i]) // 2 & 255
        elif kind == 4:
            guess = left + above[i] - corner
            nearest = min((left, above[i], corner), key=lambda value: abs(guess - value))
            line[i] = line[i] + nearest & 255
    return line


def pixels(data):
    """Width and rows of (red, green, blue), of a PNG with 8 bits per channel."""
    pos, packed, header = 8, b"", None
    while pos < len(data):
        length, kind = struct.unpack(">I4s", data[pos:pos + 8])
        body = data[pos + 8:pos + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        pos += length + 12
    width, height, depth, color, _, _, interlaced = header
    step = {0: 1, 2: 3, 6: 4}.get(color)
    if depth != 8 or step is None or interlaced:
        raise ValueError("a kind of PNG that this does not know")
    raw = zlib.decompress(packed)
    above, rows = bytearray(width * step), []
    for y in range(height):
        at = y * (width * step + 1)
        above = unfilter(raw[at], bytearray(raw[at + 1:at + 1 + width * step]), above, step)
        if step == 1:
            rows.append([(v, v, v) for v in above])
        else:
            rows.append([tuple(above[i:i + 3]) for i in range(0, len(above), step)])
    return width, rows


def run_lengths(codes):
    """Sixel's own packing: !n and a character."""
    out, i = "", 0
    while i < len(codes):
        n = 1
        while i + n < len(codes) and codes[i + n] == codes[i]:
            n += 1
        char = chr(63 + codes[i])
        out += f"!{n}{char}" if n > 3 else char * n
        i += n
    return out


def sixel(data):
    """Bands of six rows, and in each a line for each color."""
    width, rows = pixels(data)
    if len({p for row in rows for p in row}) > 256:
        rows = [[tuple(c // 51 * 51 for c in p) for p in row] for row in rows]
    colors = {p: i for i, p in enumerate(sorted({p for row in rows for p in row}))}
    out = f'\x1bPq"1;1;{width};{len(rows)}'
    for (r, g, b), i in colors.items():
        out += f"#{i};2;{r * 100 // 255};{g * 100 // 255};{b * 100 // 255}"
    for y in range(0, len(rows), 6):
        band = rows[y:y + 6]
        for p in sorted({p for row in band for p in row}):
            codes = [sum(1 << k for k, row in enumerate(band) if row[x] == p) for x in range(width)]
            out += f"#{colors[p]}{run_lengths(codes)}$"
        out += "-"
    return (out + "\x1b\\\n").encode()


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "linux"):
        return
    try:
        can = ask()
    except OSError:
        can = set()
    if "kitty" in can:
        sys.stdout.buffer.write(kitty(data))
    elif "sixel" in can:
        sys.stdout.buffer.write(sixel(data))
    elif (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and shutil.which("xdg-open"):
        subprocess.Popen(["xdg-open", sys.argv[1]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
        print("(it is shown in a window)")


if __name__ == "__main__":
    main()
