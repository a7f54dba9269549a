#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A small scene by this machine's Mesa on nvfifo on the model, beside its software renderer's.
#
# Environment:
#	CHIPSET=name	another card than g96
#
# Leaves build/gl-demo: scene.png (nvfifo left, llvmpipe right), both as PPM, and the kernel's
# messages. Exit status 0 if no color differs by more than 1 of 255.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

out=build/gl-demo
rm -rf $out
mkdir -p $out
NVFIFO_UML=${NVFIFO_UML:-$(testbox/build-uml.sh)}
export NVFIFO_UML
make -s tools sim gl-programs
testbox/build-module.sh --no-kunit
status=0
testbox/run-guest.sh --chipset "${CHIPSET:-g96}" --vram 128 --mem 1024 --keep $out --log $out/dmesg \
	-- sh /src/tests/run-in-guest.sh gl "$top" scene || status=$?
[ -s $out/scene.ppm ] || die "the guest drew nothing (status $status); the reason is above"

python3 - $out <<'END'
import struct, sys, zlib

def picture(name):
    data = open(name, "rb").read()
    _, width, height, _ = data.split(None, 3)[:4]
    width, height = int(width), int(height)
    pixels = data[-width * height * 3:]
    return [pixels[y * width * 3:(y + 1) * width * 3] for y in range(height)]

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

ZOOM, GAP = 4, 8
left, right = (picture(f"{sys.argv[1]}/{name}.ppm") for name in ("scene", "llvmpipe"))

def wide(row):
    return b"".join(row[i:i + 3] * ZOOM for i in range(0, len(row), 3))

rows = [b"\0" + wide(a) + b"\xff" * (3 * GAP) + wide(b) for a, b in zip(left, right)]
size = (len(rows[0]) - 1) // 3, len(rows) * ZOOM
body = zlib.compress(b"".join(row * ZOOM for row in rows), 9)
with open(f"{sys.argv[1]}/scene.png", "wb") as f:
    f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", *size, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", body) + chunk(b"IEND", b""))
END
testbox/show-picture.py $out/scene.png || true
echo "picture   $top/$out/scene.png: nvfifo left, llvmpipe right"
exit "$status"
