#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build nvfifo.ko for a kernel of build-debug.sh, and print the module's path. It has KCOV for
# debug, and KCSAN for kcsan.
#
#	debug-module.sh [debug|kcsan]
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

flavour=${1:-debug}
kernel=$("$testbox/build-debug.sh" "$flavour")
out=$top/build/qemu/$flavour
kcov=()
[ "$flavour" != debug ] || kcov=(KCOV_INSTRUMENT=y)
mkdir -p "$out"
exec 8>"$out/.lock"
flock 8

cd "$top"
sources=$(module_sources)
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
	make -s -C "$kernel/kdir" M="$out/src" "${kcov[@]}" -j"$(compilers)" modules >&2 8>&-
	cp "$out/src/nvfifo.ko" "$out/"
	printf '%s\n' "$key" >"$out/.key"
fi
printf '%s\n' "$out/nvfifo.ko"
