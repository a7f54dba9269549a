#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Compare what writing a page table entry costs in nvfifo and in nouveau, whose code is
# taken out of the kernel's source package and compiled for user space.
#
#	pt.sh [rounds]
#
# Environment:
#	KSRC=dir	take nouveau from this kernel source; else from the tarball of
#			the package linux-source-6.12
#	CC=compiler	default gcc
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../../testbox/lib.sh"
cd "$top"

package=linux-source-6.12
out=$top/build/bench
nouveau=$out/nouveau
files="
nvkm/subdev/mmu/vmmnv50.c
nvkm/subdev/mmu/vmm.h
nvkm/subdev/mmu/priv.h
include/nvkm/core/layout.h
include/nvkm/core/memory.h
include/nvkm/core/mm.h
include/nvkm/subdev/mmu.h
include/nvif/if000c.h
include/nvif/if500d.h
include/nvif/unpack.h
"

unpack()
{
	local id tarball=/usr/src/$package.tar.xz prefix=$package/drivers/gpu/drm/nouveau members=() f

	if [ -n "${KSRC-}" ]; then
		[ -d "$KSRC/drivers/gpu/drm/nouveau" ] || die "KSRC=$KSRC: no kernel source with nouveau"
		rm -rf "$nouveau"
		mkdir -p "$nouveau"
		# shellcheck disable=SC2086 # a list
		(cd "$KSRC/drivers/gpu/drm/nouveau" && tar cf - $files) | tar xf - -C "$nouveau" ||
			die "KSRC=$KSRC: another nouveau than the one of Linux 6.12"
		return
	fi
	id=$(dpkg-query -W -f='${db:Status-Status} ${Version}' "$package" 2>/dev/null || true)
	[ "${id%% *}" = installed ] ||
		die "nouveau's source is missing: package $package is not installed; run testbox/setup.sh"
	[ ! -f "$nouveau/version" ] || [ "$id" != "$(cat "$nouveau/version")" ] || return 0
	[ -f "$tarball" ] || die "$tarball is missing: apt-get install --reinstall $package"
	rm -rf "$nouveau"
	mkdir -p "$nouveau"
	for f in $files; do
		members+=("$prefix/$f")
	done
	tar xf "$tarball" --occurrence=1 --strip-components=5 -C "$nouveau" "${members[@]}" ||
		die "$tarball has not all of nouveau's files that are compared"
	printf '%s\n' "$id" >"$nouveau/version"
}

unpack

# As the kernel is compiled: no aliasing rules, no vector registers.
options=(-std=gnu11 -O2 -g -fno-strict-aliasing -mgeneral-regs-only -I. -Ihw -Itests/bench)
compile() # object source option...
{
	local object=$out/$1.o source=$2

	shift 2
	"${CC:-gcc}" "${options[@]}" -Wall -Wextra "$@" -c -o "$object" "$source"
}
paths=(-I "$nouveau/nvkm/subdev/mmu" -I tests/bench/nouveau_shim -I "$nouveau/include/nvkm"
	-I "$nouveau/include")

compile vmmnv50 "$nouveau/nvkm/subdev/mmu/vmmnv50.c" -w -ffunction-sections -fdata-sections "${paths[@]}"
compile pt_nouveau tests/bench/pt_nouveau.c -Wno-unused-parameter -Wno-empty-body "${paths[@]}"
compile nvfifo_pt hw/nvfifo_pt.c
compile pt_nvfifo tests/bench/pt_nvfifo.c
"${CC:-gcc}" -std=gnu11 -O2 -g -Wall -Wextra -c -o "$out/pt.o" tests/bench/pt.c
# What makes a whole address space of nouveau's is not here, and nothing uses it.
"${CC:-gcc}" -Wl,--gc-sections -o "$out/pt" \
	"$out"/{pt,pt_nouveau,pt_nvfifo,vmmnv50,nvfifo_pt}.o

exec "$out/pt" "$@"
