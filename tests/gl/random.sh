#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# Random programs in GLSL (tests/gl/random.c) by Mesa on the model in the program's own process,
# beside llvmpipe's pictures of the same programs:
#
#	random.sh			those of the tests, on one chip of each generation
#	random.sh FIRST COUNT CHIP...	of COUNT seeds
set -u

cd "$(dirname "$0")/../.." || exit 99
program=build/gl/random
# Mesa 22.3 and 25.0 translate these without their faults (Documentation/mesa.rst).
first=${1:-46}
count=${2:-14}
[ $# -lt 2 ] || shift 2
[ $# -gt 0 ] || set -- g80 g96 g200 gt215
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MESA_SHADER_CACHE_DISABLE=1

LIBGL_ALWAYS_SOFTWARE=1 "$program" "$work/llvmpipe" "$first" "$count" >"$work/log" 2>&1 ||
	sed 's/^/#   /' "$work/log"
for chip; do
	build/bin/nvfifo gl --model="$chip" "$program" "$work/nvfifo" "$first" "$count" >"$work/log" 2>&1 ||
		sed 's/^/#   /' "$work/log"
	"$program" --compare "$work/nvfifo" "$work/llvmpipe" "$first" |
		sed -n "s/^\(\(not \)\?ok\) [0-9]* - /\1 $chip: /p; /^#/p"
	rm -f "$work/nvfifo"
done | awk '/ok/ && !/^#/ { n++; sub("ok ", "ok " n " - ") } { print } END { print "1.." n }'
