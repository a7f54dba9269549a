#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Show that it works: boot a UML kernel with the model of a card, load the driver,
# run programs of examples/, show what the card did, keep the pictures it drew.
#
#	[CHIPSET=g84] demo.sh [program.nvp]...
#
# Programs are files below the repository. Exit status 0 if everything was as
# expected.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

chipset=${CHIPSET:-g84}
chipset=${chipset,,}
case " $chipsets " in
*" $chipset "*) ;;
*) die "CHIPSET '$chipset' is none of $chipsets" ;;
esac
if [ $# -eq 0 ]; then
	set -- examples/01-refcnt-semaphore.nvp examples/02-semaphore-pair.nvp examples/08-drawing.nvp
fi
for program; do
	case $program in
	/* | *..*) die "'$program': give a path below $top" ;;
	esac
	[ -f "$program" ] || die "'$program': no such file"
done

echo "The demonstration takes these steps; what was built before is not built again:"
echo "  1. the UML kernel: Linux as an ordinary program (3 to 10 minutes the first time)"
echo "  2. the driver for it, the model of the card, the nvfifo command"
echo "  3. boot it with the model of a ${chipset^^}, load the driver, run $# programs"
echo

echo "=== 1. The UML kernel"
kernel=$(testbox/build-uml.sh)
echo "$kernel/linux"

echo "=== 2. Driver, model, command"
log=$(mktemp)
out=$(mktemp -d)
trap 'rm -rf "$log" "$out"' EXIT
if ! { make -s -j"${NPROC:-$(nproc)}" sim guest && testbox/build-module.sh; } >"$log" 2>&1; then
	cat "$log" >&2
	die "the build failed"
fi
echo "build/uml-module/nvfifo.ko build/sim/nvsim build/guest/nvfifo"

echo "=== 3. The guest"
color=never
[ ! -t 1 ] || color=always
status=0
testbox/run-guest.sh --env COLOR=$color --chipset "$chipset" --timeout 300 --no-leak-check --trace "$out/trace" \
	--log "$out/dmesg" --keep "$out/pictures" -- sh /src/testbox/demo-in-guest.sh "$@" || status=$?

n=0
for program; do
	n=$((n + 1))
	echo
	echo "--- What the model did for $program"
	sed -n "/MARK $n\$/,/MARK 255\$/p" "$out/trace" 2>/dev/null | grep -v 'MARK ' >"$out/part" || true
	if [ ! -s "$out/part" ]; then
		echo "(nothing)"
	fi
	head -n 80 "$out/part"
	[ "$(wc -l <"$out/part")" -le 80 ] || echo "... $(($(wc -l <"$out/part") - 80)) more lines"
done

echo
rm -rf build/demo
if [ -d "$out/pictures" ] && [ -n "$(ls "$out/pictures")" ]; then
	mkdir -p build/demo
	cp "$out/pictures"/* build/demo/
	for picture in build/demo/*; do
		echo "The picture that the card has drawn: $top/$picture"
	done
fi
if [ "$status" -eq 0 ]; then
	echo "demo: PASS: ${chipset^^}: everything was as expected"
else
	echo "demo: FAIL: ${chipset^^}: something differed (status $status); see above"
fi
exit "$status"
