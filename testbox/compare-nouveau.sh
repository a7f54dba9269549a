#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What the distribution's nouveau.ko and nvfifo.ko do to the same model of a card, compared register by
# register. Both probe, make channels, map, submit, make mistakes and unload, in QEMU, with a
# record each. Every difference must have its reason in tests/nouveau/compare.csv, and every row
# there a difference (tests/nouveau/compare.py).
#
#	compare-nouveau.sh [--kernel V] [--keep DIR] [--sleep] [--suggest] [chipset]...
#
#	--kernel V	which kernel, by the begin of its release (default 6.12)
#	--keep DIR	keep the records there; those that are there already are not made again
#	--sleep		also a suspend: nouveau takes minutes for it in an emulator
#	--suggest	print the rows that are missing, without their reasons
#
# Without a chipset: one of each generation. "all" are all 14. Exit status 0 if all differences are in
# the table.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

kernel=6.12
keep=
sleep=()
table=("--table" "$top/tests/nouveau/compare.csv" --without suspend)
while [ $# -gt 0 ]; do
	case $1 in
	--kernel | --keep)
		[ $# -ge 2 ] || {
			say "compare-nouveau: $1 needs a value"
			exit 2
		}
		;;
	esac
	case $1 in
	--kernel) kernel=$2 && shift ;;
	--keep) keep=$2 && shift ;;
	--sleep)
		sleep=(--env COMPARE_SLEEP=1)
		table=("--table" "$top/tests/nouveau/compare.csv")
		;;
	--suggest) table+=(--suggest) ;;
	-h | --help)
		sed -n '2,/^set -/p' "$0" | grep '^#' | cut -c3-
		exit 0
		;;
	-*)
		say "compare-nouveau: unknown option $1; see --help"
		exit 2
		;;
	*) break ;;
	esac
	shift
done
[ $# -gt 0 ] || set -- g80 g84 gt215 mcp77 mcp89
[ "$*" != all ] || read -ra chips <<<"$chipsets"
[ "$*" = all ] || chips=("$@")
for c in "${chips[@]}"; do
	case " $chipsets " in
	*" $c "*) ;;
	*)
		say "compare-nouveau: '$c': not one of $chipsets"
		exit 2
		;;
	esac
done

dir=$keep
if [ -z "$dir" ]; then
	dir=$(mktemp -d "${TMPDIR:-/tmp}/nvfifo.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"

# What nouveau does and a card forgives, see nouveau-on-sim.sh. One processor, so that an interrupt is
# handled before the work behind it goes on.
options="--whole-card --quirk pfifo-tlb=coherent --quirk ectx-word3=low"
run_one() # chipset, driver
{
	local base=$dir/$1.$2 modules=()

	[ ! -s "$base.record" ] || return 0
	[ "$2" = nvfifo ] || modules=(--no-nvfifo --modules nouveau)
	# The model's complaints are about nouveau, and the messages about errors are wanted.
	"$testbox/run-qemu.sh" --chipset "$1" --kernel "$kernel" --smp 1 --lenient "${modules[@]}" "${sleep[@]}" \
		--append no_timer_check --sim-args "$options --report $dir/violations" \
		--record "$base.partial" --log "$base.dmesg" --timeout 900 \
		-- sh /src/tests/nouveau/compare.sh "$2" >"$base.out" 2>"$base.err" || [ $? -eq 125 ] || {
		say "compare-nouveau: $2 on $1 did not get through:"
		tail -n 5 "$base.out" "$base.err" >&2
		return 1
	}
	# With complaints the exit status does not tell whether the steps ended.
	if grep '^failed ' "$base.out" >&2; then
		say "compare-nouveau: $2 on $1 refused a step"
		return 1
	fi
	mv "$base.partial" "$base.record"
}

for c in "${chips[@]}"; do
	run_one "$c" nouveau
	run_one "$c" nvfifo
done
"$top/tests/nouveau/compare.py" --nvsim "$top/build/sim/nvsim" "${table[@]}" "$dir" "${chips[@]}"
