#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The distribution's nouveau.ko and nvfifo.ko draw the same with this machine's Mesa on the model.
# Each boots in QEMU, with one kernel; the pictures of the programs in tests/gl and all that piglit's
# tests read back have to be equal to the byte.
#
#	gl-nouveau.sh [--every N [--offset K]] [--keep DIR] [--tap] [chipset]...
#
#	--every N	each N-th test of tests/gl/piglit.txt (default 60); 1 takes hours
#	--offset K	the K-th of each N tests, 0 (the default) for the last: the runs with
#			K from 0 to N - 1 have each test once
#	--keep DIR	keep each driver's pictures and kernel log there
#	--tap		print TAP alone, without how long each boot took
#
# Without a chipset: g96. Exit status 0 if there is no difference.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

every=60
offset=0
keep=
tap=
# Mesa 22.3 and 25.0 translate these without their faults (Documentation/mesa.rst).
first=46
count=14
while [ $# -gt 0 ]; do
	case $1 in
	--every | --offset | --keep)
		[ $# -ge 2 ] || {
			say "gl-nouveau: $1 needs a value"
			exit 2
		}
		;;
	esac
	case $1 in
	--every) every=$2 && shift ;;
	--offset) offset=$2 && shift ;;
	--keep) keep=$2 && shift ;;
	--tap) tap=1 ;;
	-h | --help)
		sed -n '2,/^set -/p' "$0" | grep '^#' | cut -c3-
		exit 0
		;;
	-*)
		say "gl-nouveau: unknown option $1; see --help"
		exit 2
		;;
	*) break ;;
	esac
	shift
done
[[ $every =~ ^[1-9][0-9]*$ ]] || {
	say "gl-nouveau: --every '$every': not a number from 1"
	exit 2
}
[[ $offset =~ ^(0|[1-9][0-9]*)$ ]] && [ "$offset" -lt "$every" ] || {
	say "gl-nouveau: --offset '$offset': not a number from 0 to $((every - 1))"
	exit 2
}
[ $# -gt 0 ] || set -- g96
for c; do
	case " $chipsets " in
	*" $c "*) ;;
	*)
		say "gl-nouveau: '$c': not one of $chipsets"
		exit 2
		;;
	esac
done
cd "$top"
# Nothing is left to do where tests/run.sh has built them.
make -s sim tools gl-programs >&2
package=$(testbox/piglit.sh)
dir=$(mktemp -d "${TMPDIR:-/tmp}/nvfifo.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# What the guest needs of this machine's files, at the same places
tree=$dir/tree
give() # file...
{
	local file

	for file; do
		[ ! -e "$tree$file" ] || continue
		mkdir -p "$tree$(dirname "$file")"
		cp -rL "$file" "$tree$file"
	done
}
give_with_libraries() # file...
{
	local libraries

	give "$@"
	mapfile -t libraries < <(LD_LIBRARY_PATH=$package/lib ldd "$@" |
		awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && $2 ~ /^\(/ { print $1 }' | sort -u)
	give "${libraries[@]}"
}
libs=/usr/lib/$(gcc -print-multiarch)
give_with_libraries "$libs"/libEGL_mesa.so.0 "$libs"/libGLX_mesa.so.0 "$libs"/dri/nouveau_dri.so "$libs"/libEGL.so.1 \
	"$libs"/libGLESv2.so.2 "$libs"/libGL.so.1
give /usr/share/glvnd/egl_vendor.d
python=$(python3 -c 'import sys; print(f"python{sys.version_info[0]}.{sys.version_info[1]}")')
give_with_libraries "/usr/bin/$python"
give "/usr/lib/$python"
mkdir -p "$tree/bin" "$tree/gl/bin" "$tree/gl/lib" "$tree/gl/piglit/bin"
ln -s "/usr/bin/$python" "$tree/bin/python3"
cp build/gl/features build/gl/pixels build/gl/pipeline build/gl/random tests/gl/in-qemu.sh tests/gl/piglit.py "$tree/gl"
cp build/bin/nvfifo "$tree/gl/bin"
cp build/lib/libnvfifo-nouveau.so build/gl/libreadback.so "$tree/gl/lib"
grep -v '^#' tests/gl/piglit.txt | awk -v every="$every" -v offset="$offset" 'NR % every == offset' >"$tree/gl/piglit.txt"
cp -r "$package/lib" "$tree/gl/piglit"
while read -r _ test _; do
	case $test in
	*.shader_test)
		mkdir -p "$tree/gl/piglit/tests/spec/$(dirname "$test")"
		cp "$package/tests/spec/$test" "$tree/gl/piglit/tests/spec/$test"
		;;
	*) cp -n "$package/bin/$test" "$tree/gl/piglit/bin" ;;
	esac
done <"$tree/gl/piglit.txt"
give_with_libraries "$package/bin/shader_runner" "$package/lib/libpiglitutil_gl.so.0"
rm -rf "${tree:?}${package%%/.cache/*}"
cp "$package/bin/shader_runner" "$tree/gl/piglit/bin"

# What nouveau does and a card forgives, see nouveau-on-sim.sh
options="--whole-card --quirk pfifo-tlb=coherent --quirk ectx-word3=low"
run_one() # chipset, driver
{
	local to=$dir/$1.$2 modules=() status=0 begin=$SECONDS

	[ "$2" = nvfifo ] || modules=(--no-nvfifo --modules nouveau)
	mkdir -p "$to"
	testbox/run-qemu.sh --chipset "$1" --vram 512 --mem 2560 --lenient "${modules[@]}" --tree "$tree" \
		--append no_timer_check --sim-args "$options" --log "$to/dmesg" --timeout $((2400 + 100000 / every)) \
		--env PIGLIT_LIMIT=1200 -- sh /gl/in-qemu.sh "$2" $first $count >"$to/out" 2>"$to/err" || status=$?
	sed '1,/^--- results$/d' "$to/out" | base64 -di | tar xz -C "$to" || {
		say "gl-nouveau: $2 on $1 did not get through (status $status):"
		tail -n 5 "$to/out" "$to/err" >&2
		return 1
	}
	[ -n "$tap" ] || say "gl-nouveau: $1, $2: $((SECONDS - begin)) s"
	sed -n '/^--- results$/q; /status 0$/!s/^/#   /p' "$to/out"
}

compare() # chipset
{
	local nouveau=$dir/$1.nouveau nvfifo=$dir/$1.nvfifo program

	for program in features pixels pipeline; do
		build/gl/$program --same "$nouveau/$program" "$nvfifo/$program"
	done
	build/gl/random --compare "$nouveau/random" "$nvfifo/random" "$first"
	awk -F'\t' 'NR == FNR { said[$4] = $0; next }
		{
			split(said[$4], other)
			equal = $0 == said[$4]
			print (equal ? "ok" : "not ok") " 0 - " $4 ": " $1 ", " $2 " pictures"
			if (!equal)
				print "#   nouveau: " other[1] ", " other[2] " pictures, checksum " other[3] "; nvfifo: " $1 ", " $2 ", " $3
			delete said[$4]
		}
		END {
			for (test in said)
				print "not ok 0 - " test ": only on nouveau"
		}' "$nouveau/piglit" "$nvfifo/piglit"
}

for c; do
	run_one "$c" nouveau
	run_one "$c" nvfifo
	compare "$c" | sed -n "s/^\(\(not \)\?ok\) [0-9]* - /\1 $c: /p; /^#/p"
	if [ -n "$keep" ]; then
		mkdir -p "$keep"
		cp -r "$dir/$c.nouveau" "$dir/$c.nvfifo" "$keep"
	fi
done | awk '/ok/ && !/^#/ { n++; bad += /^not/; sub("ok ", "ok " n " - ") } { print } END { print "1.." n; exit bad > 0 }'
