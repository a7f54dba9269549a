#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build nvfifo.ko for the kernel of build-debug.sh, with KCOV, and print the module's path.
#
#	debug-module.sh
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

kernel=$("$testbox/build-debug.sh")
out=$top/build/qemu/debug
mkdir -p "$out"
exec 8>"$out/.lock"
flock 8

cd "$top"
sources=$(find Kbuild nvfifo_*.[ch] hw uapi kunit -type f \( -name '*.[ch]' -o -name '*.csv' -o -name '*.awk' -o -name Kbuild \) | sort)
# shellcheck disable=SC2086 # a list
key=$({
	echo "$kernel"
	sha256sum $sources "$0"
} | sha256sum)
if [ ! -f "$out/nvfifo.ko" ] || [ "$(cat "$out/.key" 2>/dev/null || true)" != "$key" ]; then
	rm -rf "$out/src"
	mkdir -p "$out/src"
	# shellcheck disable=SC2086 # a list
	tar cf - $sources | tar xf - -C "$out/src"
	make -s -C "$kernel/kdir" M="$out/src" KCOV_INSTRUMENT=y -j"${NPROC:-$(nproc)}" modules >&2 8>&-
	cp "$out/src/nvfifo.ko" "$out/"
	printf '%s\n' "$key" >"$out/.key"
fi
printf '%s\n' "$out/nvfifo.ko"
