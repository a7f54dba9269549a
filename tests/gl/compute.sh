#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# tests/gl/compute.c by Mesa on the model in the program's own process, on the chips for which its nv50
# has OpenGL ES 3.1 and a class of its own for compute.
set -u

cd "$(dirname "$0")/../.." || exit 99
export MESA_SHADER_CACHE_DISABLE=1
for chip in gt215 gt216 gt218; do
	LD_PRELOAD=$PWD/build/gl/libunsent.so build/bin/nvfifo gl --model=$chip build/gl/compute 2>/dev/null |
		sed -n "s/^\(\(not \)\?ok\) [0-9]* - /\1 $chip: /p; /^#/p"
done | awk '/ok/ && !/^#/ { n++; sub("ok ", "ok " n " - ") } { print } END { print "1.." n }'
