#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build nvfifo.ko for one of the distribution's kernels, as it is packaged, and print
# the module's path: build/qemu/V/nvfifo.ko.
#
#	qemu-module.sh V
#
# V begins the kernel's release, as in the file "versions" of qemu-setup.sh. Compiled
# in the folder of headers-root.sh, whose compiler is the one that made the kernel.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=testbox/qemu-lib.sh
. "$(dirname "$0")/qemu-lib.sh"

[ $# -eq 1 ] || die "needs the version of a kernel"
version=$1
root=$(headers_root)
[ -e "$root/kdir/$version-gcc" ] || [ -L "$root/kdir/$version-gcc" ] ||
	die "kernel '$version': there are $(<"$root/kdir/versions")"
out=$top/build/qemu/$version
mkdir -p "$out"
exec 8>"$out/.lock"
flock 8

cd "$top"
sources=$(module_sources)
key=$({
	readlink "$root/kdir/$version-gcc"
	# shellcheck disable=SC2086 # a list
	sha256sum $sources "$0"
} | sha256sum)
if [ ! -f "$out/nvfifo.ko" ] || [ "$(cat "$out/.key" 2>/dev/null || true)" != "$key" ]; then
	# One directory for each working copy and kernel.
	copy=/build/testbox-$(printf '%s' "$top" | sha256sum | cut -c 1-16)-$version
	"$testbox/headers-root.sh" run sh -c "rm -rf $copy && mkdir -p $copy" 8>&-
	# shellcheck disable=SC2086 # a list
	tar cf - $sources | "$testbox/headers-root.sh" feed tar xf - -C "$copy" 8>&-
	# The type information needs the vmlinux that the headers do not have.
	"$testbox/headers-root.sh" run make -s -C "/kdir/$version-gcc" M="$copy" \
		-j"$(compilers)" KCFLAGS="-ffile-prefix-map=$copy/=" CONFIG_DEBUG_INFO_BTF_MODULES= modules >&2 8>&-
	cp "$root$copy/nvfifo.ko" "$out/"
	printf '%s\n' "$key" >"$out/.key"
fi
printf '%s\n' "$out/nvfifo.ko"
