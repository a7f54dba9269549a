#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Put the driver into a kernel tree, 6.12 or later, or write it as a series of patches.
#
#	in-tree.sh TREE			into drivers/gpu/drm/nvfifo and its lists
#	in-tree.sh --patches DIR [TREE]	as patches on TREE (default: of the package linux-source-6.12)
#
# Code for other kernels than TREE is left out. TREE is not changed before all is known to work. An
# earlier export is replaced, unless somebody has changed its files.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

patches=
if [ "${1-}" = --patches ]; then
	patches=${2:?"a directory for the patches is missing"}
	shift 2
fi
if [ $# -gt 1 ] || [ -z "${1-}$patches" ]; then
	die "say where: make in-tree DIR=a kernel tree, or make in-tree PATCHES=a new directory"
fi
tree=${1-}
from=$top
tarball=/usr/src/linux-source-6.12.tar.xz
driver=drivers/gpu/drm/nvfifo
lists="MAINTAINERS drivers/gpu/drm/Kconfig drivers/gpu/drm/Makefile Documentation/gpu/drivers.rst"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- What is asked for can be done

if [ -n "$patches" ]; then
	command -v git >/dev/null || die "git is not installed"
	[ ! -e "$patches" ] || [ -d "$patches" ] || die "PATCHES: $patches is not a directory"
	[ -z "$(ls -A "$patches" 2>/dev/null)" ] || die "PATCHES: $patches is not empty"
	[ -d "$(dirname "$patches")" ] || die "PATCHES: there is no directory $(dirname "$patches")"
fi
if [ -z "$tree" ]; then
	[ -f "$tarball" ] || die "$tarball is missing: run testbox/setup.sh, or give DIR=a kernel tree"
	tree=$work/linux
	mkdir "$tree"
	# shellcheck disable=SC2046,SC2086 # lists
	tar xf "$tarball" -C "$tree" --strip-components=1 --wildcards linux-source-6.12/Makefile \
		linux-source-6.12/include/drm/ linux-source-6.12/include/linux/dma-buf.h \
		linux-source-6.12/include/linux/mm.h linux-source-6.12/scripts/unifdef.c \
		$(printf 'linux-source-6.12/%s ' $lists)
fi
[ -d "$tree" ] || die "DIR: there is no directory $tree"
tree=$(cd "$tree" && pwd)
for file in Makefile scripts/unifdef.c include/drm/drm_drv.h $lists; do
	[ -f "$tree/$file" ] || die "DIR: $tree is not a kernel source tree: it has no $file"
done
version=$(sed -n 's/^\(VERSION\|PATCHLEVEL\) = \([0-9]*\)$/\2/p' "$tree/Makefile" | tr '\n' ' ')
read -r major minor <<<"$version" || true
if [ "$((${major:-0} * 1000 + ${minor:-0}))" -lt 6012 ]; then
	die "DIR: $tree is Linux ${major:-?}.${minor:-?}: give the source of 6.12 or later"
fi
if [ -z "$patches" ] && [ -e "$tree/$driver" ]; then
	[ -f "$tree/$driver/.export" ] ||
		die "DIR: $tree/$driver exists, and this script has not made it: move it away"
	changed=$(cd "$tree" && sha256sum --quiet -c "$driver/.export" 2>/dev/null | sed -n '1s/: .*//p') || true
	[ -z "$changed" ] || die "DIR: $tree/$changed has local changes: move $driver away, or undo them"
	# What builds leave goes with the export.
	added=$(cd "$tree" && find "$driver" -type f ! -name .export ! -name '*.[oa]' ! -name '.*.cmd' ! -name '*.ko' \
		! -name '*.mod' ! -name '*.mod.c' ! -name '*.inc' ! -name modules.order ! -name '*.d' |
		grep -vxFf <(sed 's/^[0-9a-f]*  //' "$driver/.export") | sed -n 1p) || true
	[ -z "$added" ] || die "DIR: $tree/$added is not of the export: move it away"
fi

# --- The files, in $work/new as they lie in the kernel's tree

new=$work/new
mkdir -p "$new/$driver" "$new/include/uapi/drm" "$new/Documentation/gpu"
cd "$from"
tar cf - nvfifo_*.[ch] hw kunit | tar xf - -C "$new/$driver"
cp -r driver/* "$new/$driver/"
find "$new/$driver" -type f ! -name '*.[ch]' ! -name '*.csv' ! -name '*.awk' -delete
find "$new/$driver" -name '*.mod.c' -delete
mkdir -p "$new/$driver/kunit/data/grctx"
cp tests/data/grctx/*.txt "$new/$driver/kunit/data/grctx/"
cp testbox/in-tree/Kconfig "$new/$driver/Kconfig"
grep -v "^#" kunit/.kunitconfig >"$new/$driver/.kunitconfig"

# The options of the compiler by which Kbuild tells what TREE has
have()
{
	# shellcheck disable=SC2016 # a name of make
	sed -n 's/^ccflags-y += \$(call have,\([^,]*\),\(.*\),\([A-Z_]*\))$/\1\t\2\t\3/p' Kbuild
}
flags=(-DCONFIG_64BIT)
while IFS=$'\t' read -r header pattern name; do
	if grep -qsE "$pattern" "$tree/include/$header"; then
		flags+=("-DNVFIFO_HAVE_$name")
	else
		flags+=("-UNVFIFO_HAVE_$name")
	fi
done < <(have)
[ ${#flags[@]} -gt 1 ] || die "Kbuild has no line with 'call have'"
"${CC:-gcc}" -w -o "$work/unifdef" "$tree/scripts/unifdef.c"

# Leave out what is for other kernels.
# shellcheck disable=SC2013 # names without blanks
for file in $(grep -lrE 'NVFIFO_HAVE_|ifndef CONFIG_64BIT' "$new/$driver" --include='*.[ch]'); do
	"$work/unifdef" "${flags[@]}" "$file" >"$work/out" || [ $? -eq 1 ]
	# Where a part went, an empty line stays.
	cat -s "$work/out" >"$file"
done
sed -i 's/NVFIFO_HIDDEN_PAGES/CONFIG_DMABUF_DEBUG/
	s/^ \* Differences between the kernels from 6\.12 on\./ * Calls of DRM and of dma-buf that differ between kernels./
	/^ \* Stable and distribution kernels backport/,/^ \* kernel.s headers and defines/d
	/^\/\* No other has been tried\. \*\/$/d' "$new/$driver/card/nvfifo_compat.h"
sed -i '/^ \*$/{N;/^ \*\n \*\/$/s/^ \*\n//}' "$new/$driver/card/nvfifo_compat.h"
cat -s "$new/$driver/card/nvfifo_compat.h" >"$work/out"
cp "$work/out" "$new/$driver/card/nvfifo_compat.h"

# The header of user space, as its neighbours begin
sed '/^\/\* drm\.h is in drm\//,/^#include <drm\/drm\.h>$/c\#include "drm.h"' uapi/nvfifo_drm.h |
	sed '/^#include "drm\.h"$/{n;/^#endif$/d}' >"$new/include/uapi/drm/nvfifo_drm.h"
grep -q '^#include "drm\.h"$' "$new/include/uapi/drm/nvfifo_drm.h" || die "uapi/nvfifo_drm.h has another beginning"
grep -lr '"uapi/nvfifo_drm\.h"' "$new/$driver" | xargs sed -i 's|"uapi/nvfifo_drm\.h"|<uapi/drm/nvfifo_drm.h>|'

# Kbuild without the search and the tests' modules; the folders of driver/ lie beside hw/.
# shellcheck disable=SC2016 # names of make
{
	printf '# SPDX-License-Identifier: GPL-2.0-only\n'
	sed -e 1d -e 's/^obj-m := nvfifo\.o/obj-$(CONFIG_DRM_NVFIFO) += nvfifo.o/' \
		-e 's|driver/||g' -e 's| -I$(src)/driver||' \
		-e 's|^ccflags-y := .*|ccflags-y := -I$(src) -I$(src)/hw -I$(obj)/kunit -I$(obj)/kunit/data|' \
		-e '/^# Which interfaces/,/^ccflags-$(CONFIG_DMABUF_DEBUG)/d' \
		-e "/^# KUnit's suites are part/,/^ccflags-y += -DCONFIG_NVFIFO_KUNIT_TEST=1/c\\
ifeq (\$(CONFIG_DRM_NVFIFO_KUNIT_TEST),y)" \
		-e '/^# Helpers of the tests/,$d' -e 's|$(src)/tests/data/grctx|$(src)/kunit/data/grctx|' Kbuild
} | cat -s >"$new/$driver/Makefile"
! grep -n 'NVFIFO_HAVE\|obj-m\|tests/\|/driver' "$new/$driver/Makefile" || die "Kbuild has lines that the export does not know"
grep -lr 'CONFIG_NVFIFO_KUNIT_TEST' "$new/$driver" | xargs -r sed -i 's/CONFIG_NVFIFO_KUNIT_TEST/CONFIG_DRM_NVFIFO_KUNIT_TEST/'

# Documentation: the parts from the heads of the files, in the order of their folders
parts=
for file in $(cd "$new" && find "$driver" -name '*.c' | sort); do
	title=$(sed -n 's/^ \* DOC: //p' "$new/$file" | sed -n 1p)
	[ -z "$title" ] || parts+=".. kernel-doc:: $file"$'\n'"   :doc: $title"$'\n\n'
done
awk -v parts="$parts" '$0 == "@PARTS@" { printf "%s", parts; getline; next } { print }' \
	testbox/in-tree/nvfifo.rst >"$new/Documentation/gpu/nvfifo.rst"
# shellcheck disable=SC2016 # marks of reStructuredText
sed 's/:doc:`\([^`]*\)`/\1/g' Documentation/threat-model.rst >"$new/Documentation/gpu/nvfifo-threat-model.rst"

# --- The kernel's lists with the driver's lines

edited() # list, text that may be there, awk program
{
	mkdir -p "$new/$(dirname "$1")"
	if grep -q "$2" "$tree/$1"; then
		cp "$tree/$1" "$new/$1"
		return
	fi
	awk "$3" "$tree/$1" >"$new/$1"
	grep -q "$2" "$new/$1" || die "DIR: $tree/$1 has no place for the driver"
}

edited drivers/gpu/drm/Kconfig nvfifo '{ print } /^source "drivers\/gpu\/drm\/nouveau\/Kconfig"$/ {
	print ""
	print "source \"drivers/gpu/drm/nvfifo/Kconfig\""
}'
# shellcheck disable=SC2016 # a name of make
edited drivers/gpu/drm/Makefile nvfifo '{ print } /^obj-\$\(CONFIG_DRM_NOUVEAU\)/ {
	print "obj-$(CONFIG_DRM_NVFIFO) += nvfifo/"
}'
edited Documentation/gpu/drivers.rst nvfifo '{ print } /^   meson$/ { print "   nvfifo" }'
edited MAINTAINERS nvfifo '/^DRM DRIVER FOR O/ && !done {
	print "DRM DRIVER FOR NVIDIA NV50 FAMILY (NVFIFO)"
	print "L:\tdri-devel@lists.freedesktop.org"
	print "S:\tMaintained"
	print "T:\tgit https://gitlab.freedesktop.org/drm/misc/kernel.git"
	print "F:\tDocumentation/gpu/nvfifo*"
	print "F:\tdrivers/gpu/drm/nvfifo/"
	print "F:\tinclude/uapi/drm/nvfifo_drm.h"
	print ""
	done = 1
}
{ print }'

# --- Into the tree

if [ -z "$patches" ]; then
	(cd "$new" && find "$driver" include Documentation/gpu/nvfifo* -type f | sort | xargs sha256sum) >"$work/export"
	mv "$work/export" "$new/$driver/.export"
	rm -rf "${tree:?}/$driver"
	(cd "$new" && tar cf - .) | tar xf - -C "$tree"
	say "$tree/$driver: $(find "$new/$driver" -name '*.[ch]' | wc -l) files. In $tree:" \
		"  ./tools/testing/kunit/kunit.py run --kunitconfig=$driver"
	exit
fi

# --- Or as patches: a part of the driver each, and the lists where all is there to be built

series=$work/series
mkdir -p "$series"
# shellcheck disable=SC2086 # a list
(cd "$tree" && tar cf - $lists) | tar xf - -C "$series"
quiet_git()
{
	git -C "$series" -c user.name="${name:-nvfifo}" -c user.email="${email:-nvfifo@localhost}" -c core.autocrlf=false "$@" >/dev/null
}
name=$(git config user.name || true)
email=$(git config user.email || true)
quiet_git init -q
quiet_git add -A
quiet_git commit -q -m base
base=$(git -C "$series" rev-parse HEAD)

patch() # subject, text, path...
{
	local subject=$1 text=$2

	shift 2
	(cd "$new" && tar cf - "$@") | tar xf - -C "$series"
	quiet_git add -A -f
	quiet_git commit -q -s -m "drm/nvfifo: $subject" -m "$(fold -s -w 72 <<<"$text" | sed 's/ *$//')"
}

patch "Add the interface for user space" \
	"Memory, address spaces, channels, objects and SUBMIT, for a render node that executes pushbuffers." \
	include/uapi/drm/nvfifo_drm.h
patch "Add registers and layouts of the NV50 family" \
	"What the hardware reads and writes, as tables and pure functions: registers, codes, page table entries, DMA objects, RAMFC, the context program of PGRAPH." \
	$driver/hw
patch "Add access to the card, interrupts and recovery" \
	"One layer accesses registers. It has a named wait for each procedure of the card, with a limit, and resets what does not answer." \
	$driver/card $driver/nvfifo_drv.h
patch "Add memory and address spaces" \
	"VRAM, buffers, the windows of BAR1, page tables in VRAM, and VM_BIND by DRM's GPUVM." \
	$driver/mem $driver/mmu $driver/nvfifo_vm.c $driver/nvfifo_vm.h
patch "Add channels, objects and fences" \
	"PFIFO with its playlist, RAMFC and RAMHT, SUBMIT by DRM's scheduler, fences, the watchdog, and PGRAPH's contexts." \
	$driver/fifo $driver/gr $driver/nvfifo_pusher.c $driver/nvfifo_pusher.h $driver/nvfifo_ramht.c $driver/nvfifo_ramht.h
patch "Probe the cards, and build the driver" \
	"The PCI driver, dumps and debugfs, and the lines by which the kernel finds it. The driver has no display, and takes no card that another driver has." \
	$driver/nvfifo_main.c $driver/debug $driver/Kconfig $driver/Makefile drivers/gpu/drm/Kconfig drivers/gpu/drm/Makefile
patch "Add KUnit suites" \
	"They compare layouts and page tables with vectors, and follow each store and each register access on a card that is memory: kunit.py run --kunitconfig=$driver" \
	$driver/kunit $driver/.kunitconfig
patch "Add documentation and MAINTAINERS" \
	"The threat model says what a user of the render node may expect." \
	Documentation/gpu MAINTAINERS

mkdir -p "$work/patches"
git -C "$series" format-patch -q --zero-commit -o "$work/patches" "$base"
mkdir -p "$patches"
cp "$work/patches"/*.patch "$patches/"
say "$patches: $(find "$work/patches" -type f | wc -l) patches on Linux $major.$minor"
