#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""testbox/show-picture.py on terminals that draw pictures and that do not, and in a session, and the
file that the command writes: prints TAP.

The test is the terminal: it answers the question as kitty, as one with sixel or as one
without, and decodes what it gets back to the file or to its pixels. Runs at the top of the
tree.
"""

import base64
import os
import pty
import random
import re
import select
import struct
import subprocess
import sys
import tempfile
import zlib

from results import report

PROGRAM = os.path.abspath("testbox/show-picture.py")
QUESTION_END = b"\x1b[c"
KITTY = b"\x1b_Gi=31;OK\x1b\\\x1b[?62;c"
SIXEL = b"\x1b[?62;4;22c"
NEITHER = b"\x1b[?64;14;22c"
WIDTH, HEIGHT = 21, 16
# zlib's CRC of the pixels of examples/08-drawing.nvp, each line with a byte for its filter
DRAWING = 0x2acdd3f9


def filtered(rows, step):
    """The lines of a PNG, each with another of the five filters."""
    out, above = b"", bytes(len(rows[0]))
    for y, row in enumerate(rows):
        line = bytearray()
        for i, value in enumerate(row):
            left = row[i - step] if i >= step else 0
            corner = above[i - step] if i >= step else 0
            guess = left + above[i] - corner
            paeth = min((left, above[i], corner), key=lambda v, guess=guess: abs(guess - v))
            line.append(value - (0, left, above[i], (left + above[i]) // 2, paeth)[y % 5] & 255)
        out += bytes([y % 5]) + line
        above = row
    return out


def png(color, step, colors):
    """A PNG of a color type with some colors, and its pixels."""
    chance = random.Random(step)
    palette = [chance.randbytes(min(step, 3)) for _ in range(colors)]
    pixels = [[chance.choice(palette) for _ in range(WIDTH)] for _ in range(HEIGHT)]
    rows = [b"".join(p + b"\xff" * (step == 4) for p in row) for row in pixels]
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in ((b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, color, 0, 0, 0)),
                       (b"IDAT", zlib.compress(filtered(rows, step))), (b"IEND", b"")):
        data += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return data, [[tuple(p * (3 // len(p))) for p in row] for row in pixels]


def unsixel(text):
    """Rows of (red, green, blue) in percent of what a sixel terminal draws."""
    body = re.search(r'\x1bPq"1;1;(\d+);(\d+)(.*)\x1b\\', text, re.DOTALL)
    if not body:
        return None
    width, height = int(body.group(1)), int(body.group(2))
    rows = [[None] * width for _ in range(height)]
    colors, color, x, y = {}, None, 0, 0
    for token in re.findall(r"#\d+;2;\d+;\d+;\d+|#\d+|!\d+.|[-$?-~]", body.group(3)):
        if token[0] == "#":
            numbers = [int(n) for n in token[1:].split(";")]
            color = numbers[0]
            if len(numbers) == 5:
                colors[color] = tuple(numbers[2:])
        elif token == "$":
            x = 0
        elif token == "-":
            x, y = 0, y + 6
        else:
            count = int(token[1:-1]) if token[0] == "!" else 1
            bits = ord(token[-1]) - 63
            for column in range(x, x + count):
                for k in range(6):
                    if bits >> k & 1 and y + k < height:
                        rows[y + k][column] = colors[color]
            x += count
    return rows


def show(file, answer, **changes):
    """What a terminal gets that answers so, without the question; and the exit status."""
    environment = {**os.environ, "TERM": "xterm", **changes}
    if answer:
        # A machine with other work to do may be slow to answer.
        environment["NVFIFO_TERMINAL_WAIT"] = "100"
    environment = {name: value for name, value in environment.items()
                   if name in changes or name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    child, terminal = pty.fork()
    if not child:
        os.execve(sys.executable, [sys.executable, PROGRAM, file], environment)
    said, asked = b"", False
    while select.select([terminal], [], [], 120)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if QUESTION_END in said and not asked:
            asked = True
            os.write(terminal, answer)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    # What is asked, and the echo of the answer until the terminal is silent.
    return said.partition(QUESTION_END)[2] if asked else said, status, asked


def kitty(file, data):
    """What is wrong with what kitty gets, or nothing."""
    said, status, _ = show(file, KITTY)
    pieces = re.findall(rb"\x1b_G([^;\x1b]*);([A-Za-z0-9+/=]*)\x1b\\", said)
    pieces = [(keys, text) for keys, text in pieces if b"m=" in keys]
    if status or not pieces or pieces[0][0] != b"a=T,f=100,m=" + (b"1" if len(pieces) > 1 else b"0"):
        return f"exit status {status}, {said[:80]!r}"
    if [keys[-1:] for keys, _ in pieces] != [b"1"] * (len(pieces) - 1) + [b"0"]:
        return "the pieces do not end with the last one"
    if max(len(text) for _, text in pieces) > 4096:
        return "a piece has more than 4096 bytes"
    return None if base64.b64decode(b"".join(text for _, text in pieces)) == data else "not the file"


def sixel(file, pixels):
    """What is wrong with what a sixel terminal gets, or nothing."""
    said, status, _ = show(file, SIXEL)
    rows = unsixel(said.decode("latin-1"))
    if status or not rows:
        return f"exit status {status}, {said[:80]!r}"
    if len({p for row in pixels for p in row}) > 256:
        # A terminal has no more colors: six shades of each.
        pixels = [[tuple(v // 51 * 51 for v in p) for p in row] for row in pixels]
    wanted = [[tuple(v * 100 // 255 for v in p) for p in row] for row in pixels]
    return None if rows == wanted else "other pixels"


def session(file, folder, answer, **changes):
    """Does a session's program get the file?"""
    mark = os.path.join(folder, "opened")
    with open(os.path.join(folder, "xdg-open"), "w", encoding="utf-8") as script:
        script.write(f'#!/bin/sh\nprintf %s "$1" >"{mark}.new" && mv "{mark}.new" "{mark}"\n')
    os.chmod(script.name, 0o755)
    said, status, _ = show(file, answer, PATH=f"{folder}:{os.environ['PATH']}", **changes)
    # It is left to itself.
    for _ in range(1200 if b"window" in said else 0):
        if os.path.exists(mark):
            break
        select.select([], [], [], 0.1)
    opened = os.path.exists(mark)
    if opened:
        os.unlink(mark)
    return opened and not status and b"it is shown in a window" in said


def silent(file, answer, may_ask=True, **changes):
    """What is said where no picture can be shown, or nothing."""
    said, status, asked = show(file, answer, **changes)
    if status or (asked and not may_ask) or re.sub(rb"\^\[\S*", b"", said).strip():
        return f"exit status {status}, asked {asked}, {said[:80]!r}"
    return None


def drawn(folder):
    """What is wrong with the file that the command writes for a picture of a program, or nothing."""
    ran = subprocess.run(["build/bin/nvfifo", "run", "--model=g84", "--images", folder, "examples/08-drawing.nvp"],
                         capture_output=True, text=True, check=False)
    if ran.returncode:
        return ran.stdout + ran.stderr
    with open(os.path.join(folder, "drawing.png"), "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 4:at + 8 + length]
        if struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] != zlib.crc32(body):
            return f"the CRC of {kind}"
        packed += body[4:] if kind == b"IDAT" else b""
        at += length + 12
    crc = zlib.crc32(zlib.decompress(packed))
    return None if crc == DRAWING else f"its pixels have the CRC {crc:08x}, not {DRAWING:08x}"


def main():
    results = []
    with tempfile.TemporaryDirectory(prefix="show picture ") as folder:
        for name, color, step, colors in (("grey", 0, 1, 6), ("RGB", 2, 3, 40), ("RGBA", 6, 4, 40), ("many", 2, 3, 5000)):
            file = os.path.join(folder, f"{name}.png")
            data, pixels = png(color, step, colors)
            with open(file, "wb") as out:
                out.write(data)
            results.append((f"kitty gets a {name} file", kitty(file, data)))
            results.append((f"sixel gets the pixels of a {name} file", sixel(file, pixels)))
        large = os.path.join(folder, "large.png")
        with open(large, "wb") as out:
            out.write(data + os.urandom(20000))
        with open(large, "rb") as out:
            results.append(("kitty gets a file in pieces", kitty(large, out.read())))
        results.append(("the command's own file", drawn(folder)))
        for display in ("DISPLAY", "WAYLAND_DISPLAY"):
            opened = session(file, folder, NEITHER, **{display: ":9"})
            results.append((f"a session gets the file: {display}", None if opened else "it does not"))
        results.append(("kitty before a session", None if not session(file, folder, KITTY, DISPLAY=":9") else "a window"))
        results.append(("a terminal without pictures", silent(file, NEITHER)))
        results.append(("a terminal that does not answer", silent(file, b"")))
        results.append(("a dumb terminal is not asked", silent(file, KITTY, False, TERM="dumb")))
        results.append(("nor is the kernel's console", silent(file, KITTY, False, TERM="linux")))
        done = subprocess.run([sys.executable, PROGRAM, file], capture_output=True, check=False, stdin=subprocess.DEVNULL,
                              env={**os.environ, "TERM": "xterm", "DISPLAY": ":9", "PATH": f"{folder}:{os.environ['PATH']}"})
        results.append(("a pipe gets nothing", (done.stdout + done.stderr).decode() or None))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
