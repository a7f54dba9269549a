#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# Mesa on the model in the program's own process, on each chip: tests/gl/steps.c and tests/gl/gbm.c,
# and that the model has no rule of the hardware broken.
set -u

cd "$(dirname "$0")/../.." || exit 99
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export MESA_SHADER_CACHE_DISABLE=1
count=0

for chip in g80 g84 g86 g92 g94 g96 g98 g200 mcp77 mcp79 gt215 gt216 gt218 mcp89; do
	for program in steps gbm; do
		count=$((count + 1))
		if build/bin/nvfifo gl --model=$chip build/gl/$program >"$log" 2>&1 &&
			grep -q "the renderer is nouveau's" "$log" && ! grep -q 'the model objects' "$log"; then
			echo "ok $count - $chip: $program with Mesa on the model in its own process"
		else
			sed 's/^/#   /' "$log"
			echo "not ok $count - $chip: $program with Mesa on the model in its own process"
		fi
	done
done
echo "1..$count"
