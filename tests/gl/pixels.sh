#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# Pictures of a program, of tests/gl/pixels.c if none is named, by Mesa on the model in the
# program's own process, beside llvmpipe's, on one chip of each generation.
set -u

program=build/gl/${1:-pixels}
cd "$(dirname "$0")/../.." || exit 99
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MESA_SHADER_CACHE_DISABLE=1

LIBGL_ALWAYS_SOFTWARE=1 "$program" "$work/llvmpipe" 2>"$work/log" || sed 's/^/#   /' "$work/log"
for chip in g80 g96 g200 gt215; do
	build/bin/nvfifo gl --model=$chip "$program" "$work/nvfifo" >"$work/log" 2>&1 ||
		sed 's/^/#   /' "$work/log"
	"$program" --compare "$work/nvfifo" "$work/llvmpipe" |
		sed -n "s/^\(\(not \)\?ok\) [0-9]* - /\1 $chip: /p; /^#/p"
done | awk '/ok/ && !/^#/ { n++; sub("ok ", "ok " n " - ") } { print } END { print "1.." n }'
