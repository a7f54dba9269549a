#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build the driver for the UML kernel: in build/uml-module as users have it, with the tests'
# nvfifo_yank.ko and nvfifo_screen.ko, and in build/uml-kunit with the KUnit suites in nvfifo.ko. The suites would make
# each load of the module in a guest 60 ms longer.
#
#	build-module.sh [--no-kunit|--kunit]
#
# --no-kunit builds the first only, --kunit the second only.
#
# It works on a copy of the sources in either directory, so that a module for the
# machine's own kernel can lie in the tree at the same time. NVFIFO_UML in the
# environment names the directory of another UML kernel.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

wanted=(uml-module uml-kunit)
case ${1-} in
"") ;;
--no-kunit) wanted=(uml-module) ;;
--kunit) wanted=(uml-kunit) ;;
*) die "'$1': the options are --no-kunit and --kunit" ;;
esac

kernel=${NVFIFO_UML:-$("$testbox/build-uml.sh")}

# Make the files in a directory the same as the sources: those that did not change keep their time.
copy_sources() # directory
{
	local copy=$1 sources file

	# A copy for another kernel is of no use.
	[ "$(cat "$copy/.kernel" 2>/dev/null || true)" = "$kernel" ] ||
		find "$copy" -mindepth 1 ! -name .lock -delete
	printf '%s\n' "$kernel" >"$copy/.kernel"

	sources=$(module_sources kunit tests/kernel tests/data/grctx)
	while read -r file; do
		mkdir -p "$copy/$(dirname "$file")"
		cmp -s "$file" "$copy/$file" || cp "$file" "$copy/$file"
	done <<<"$sources"

	# What was deleted here must not live on there.
	(cd "$copy" && find . -type f \( -name '*.[ch]' ! -name '*.mod.c' -o -name '*.csv' -o -name '*.awk' \
		-o -name '*.txt' -o -name Kbuild \) -printf '%P\n') |
		while read -r file; do
			[ -e "$file" ] || rm -f "$copy/$file"
		done
}

build() # directory below build
{
	local out=$top/build/$1 copy=$top/build/$1 options

	if ! [[ $top =~ $plain_path ]]; then
		# Kbuild takes no blank and no colon in a path.
		need_cache
		copy=$cache/module-$(printf '%s' "$out" | sha256sum | cut -c1-16)
	fi
	mkdir -p "$copy" "$out"
	exec 9>"$copy/.lock"
	flock 9
	copy_sources "$copy"

	case $1 in
	uml-module)
		# A second DRM device, for tests that share buffers.
		cmp -s "$kernel/vgem.ko" "$copy/vgem.ko" || cp "$kernel/vgem.ko" "$copy/"
		# KCOV_INSTRUMENT: coverage of the driver, not of the kernel. fuzz_ioctl, the only reader,
		# wants no comparisons, which take a tenth of a guest's time.
		options=(KCOV_INSTRUMENT=y CFLAGS_KCOV=-fsanitize-coverage=trace-pc NVFIFO_TESTS=y)
		;;
	uml-kunit) options=(CONFIG_NVFIFO_KUNIT_TEST=y) ;;
	esac
	# Messages of the compiler and of KUnit name the files of this checkout.
	options+=("KCFLAGS=-fmacro-prefix-map=$copy/=")
	make -s -C "$kernel" M="$copy" ARCH=um "${options[@]}" -j"$(compilers)" modules 9>&- 2>&1 |
		sed "s|$copy/||g" >&2
	[ "$copy" = "$out" ] || cp "$copy"/*.ko "$out/"
	exec 9>&-
}

cd "$top"
for directory in "${wanted[@]}"; do
	build "$directory"
done
