#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build nvfifo.ko, nvfifo_kunit.ko, and the tests' nvfifo_yank.ko, for the UML kernel.
#
#	build-module.sh [--no-kunit]
#
# --no-kunit leaves out the suites, and what nvfifo.ko exports to them: two fifths of the work.
# If the suites are there already they are built all the same, so that both modules fit.
#
# It works on a copy of the sources in build/uml-module, so that a module for the
# machine's own kernel can lie in the tree at the same time. NVFIFO_UML in the
# environment names the directory of another UML kernel.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

without=
case ${1-} in
"") ;;
--no-kunit) without=1 ;;
*) die "'$1': the only option is --no-kunit" ;;
esac

kernel=${NVFIFO_UML:-$("$testbox/build-uml.sh")}
out=$top/build/uml-module
copy=$out
if ! [[ $top =~ $plain_path ]]; then
	# Kbuild takes no blank and no colon in a path.
	need_cache
	copy=$cache/module-$(printf '%s' "$top" | sha256sum | cut -c1-16)
fi
mkdir -p "$copy" "$out"
exec 9>"$copy/.lock"
flock 9

cd "$top"
# A copy for another kernel is of no use.
[ "$(cat "$copy/.kernel" 2>/dev/null || true)" = "$kernel" ] ||
	find "$copy" -mindepth 1 ! -name .lock -delete
printf '%s\n' "$kernel" >"$copy/.kernel"

sources=$(module_sources)
while read -r file; do
	mkdir -p "$copy/$(dirname "$file")"
	cmp -s "$file" "$copy/$file" || cp "$file" "$copy/$file"
done <<<"$sources"
# What was deleted here must not live on there.
(cd "$copy" && find . -type f \( -name '*.[ch]' ! -name '*.mod.c' -o -name Kbuild \) -printf '%P\n') |
	while read -r file; do
		[ -e "$file" ] || rm -f "$copy/$file"
	done

# A second DRM device, for tests that share buffers.
cmp -s "$kernel/vgem.ko" "$copy/vgem.ko" || cp "$kernel/vgem.ko" "$copy/"

kunit=()
if [ -n "$without" ] && [ ! -e "$copy/nvfifo_kunit.ko" ]; then
	kunit=(CONFIG_KUNIT=)
fi

# KCOV_INSTRUMENT: coverage of the driver, not of the kernel. fuzz_ioctl, the only reader, wants no
# comparisons, which take a tenth of a guest's time.
make -s -C "$kernel" M="$copy" ARCH=um KCOV_INSTRUMENT=y CFLAGS_KCOV=-fsanitize-coverage=trace-pc NVFIFO_TESTS=y \
	"${kunit[@]}" -j"$(compilers)" modules 9>&- >&2
[ "$copy" = "$out" ] || cp "$copy"/*.ko "$out/"
