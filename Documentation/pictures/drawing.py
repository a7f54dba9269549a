#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README's picture: words of examples/08-drawing.nvp, and what they draw on the model's G84.

	Documentation/pictures/drawing.py >Documentation/pictures/drawing.svg

Runs build/bin/nvfifo at the top of the tree. `make check` compares the output with the file.
"""
import base64
import html
import pathlib
import re
import struct
import subprocess
import tempfile
import zlib

SHOWN = ("00048000", "000c8580", "00108600")  # the headers whose words are shown
LINE = re.compile(r"^  [0-9a-f]{8}: ([0-9a-f]{8})  (?:(mthd .*)|    data 0x[0-9a-f]+  # (.*))$")


def words(output):
    """(word, its meaning, whether it is a header) of the first occurrence of each of SHOWN."""
    rows, left, wanted = [], 0, list(SHOWN)
    for line in output.split("\n"):
        match = LINE.match(line)
        if not match:
            continue
        word, header, data = match.groups()
        if header and word in wanted:
            wanted.remove(word)
            left = (int(word, 16) >> 18 & 0x7ff) + 1
        if left:
            rows.append((word, header or "    " + data, bool(header)))
            left -= 1
    return rows


def chunk(kind, data):
    """A part of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pixels(png):
    """The lines of a PNG file without interlacing that has one IDAT, and its IHDR."""
    at, parts = 8, {}
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        parts[kind] = parts.get(kind, b"") + png[at + 8:at + 8 + size]
        at += size + 12
    return parts[b"IHDR"], zlib.decompress(parts[b"IDAT"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run(["build/bin/nvfifo", "run", "--model", "--images", folder, "examples/08-drawing.nvp"],
                                check=True, capture_output=True, text=True).stdout
        header, lines = pixels(pathlib.Path(folder, "drawing.png").read_bytes())
    small = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) +
             chunk(b"IEND", b""))
    rows = words(output)
    print("<!-- SPDX-License-Identifier: MIT -->")
    print('<svg xmlns="http://www.w3.org/2000/svg" width="800" height="280" viewBox="0 0 800 280">')
    print('<rect width="800" height="280" rx="6" fill="#16191d"/>')
    print('<g font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="13" xml:space="preserve">')
    print('<text x="20" y="34" fill="#e8ecf0">$ nvfifo run --model examples/08-drawing.nvp</text>')
    for n, (word, meaning, header_word) in enumerate(rows):
        y = 60 + 18 * n
        colour = "#f0c674" if header_word else "#8a949e"
        print(f'<text x="20" y="{y}" fill="{colour}">{word}</text>')
        print(f'<text x="100" y="{y}" fill="{"#e8ecf0" if header_word else "#8fc7a4"}">{html.escape(meaning)}</text>')
    print("</g>")
    print('<image x="460" y="20" width="320" height="240" image-rendering="pixelated" '
          f'href="data:image/png;base64,{base64.b64encode(small).decode()}"/>')
    print("</svg>")


if __name__ == "__main__":
    main()
