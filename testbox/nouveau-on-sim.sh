#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The distribution's own nouveau.ko, unchanged, on the model of the card: it probes, makes a
# channel, copies with M2MF and draws with 2D through its own ioctls, moves buffers, unloads.
# tests/nouveau/nouveau.c compares the bytes. Each run is recorded; the record must replay without
# a difference, and name every register.
#
#	nouveau-on-sim.sh [--kernel V] [--keep DIR] [--record DIR] [--tap] [chipset]...
#
#	--kernel V	which kernel, by the begin of its release (default 6.12)
#	--keep DIR	keep each chipset's output, kernel log and model's report there
#	--record DIR	keep each chipset's record there, for nvsim --replay and --decode
#	--tap		print TAP instead of the table
#
# Without a chipset: one of each generation. "all" are all 14. Prints a table of chipset and step;
# exit status 0 if every step passed.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

kernel=6.12
keep=
record=
tap=
while [ $# -gt 0 ]; do
	case $1 in
	--kernel | --keep | --record)
		[ $# -ge 2 ] || {
			say "nouveau-on-sim: $1 needs a value"
			exit 2
		}
		;;
	esac
	case $1 in
	--kernel) kernel=$2 ;;
	--keep) keep=$2 ;;
	--record) record=$2 ;;
	--tap)
		tap=1
		shift
		continue
		;;
	-h | --help)
		sed -n '2,/^set -/p' "$0" | grep '^#' | cut -c3-
		exit 0
		;;
	-*)
		say "nouveau-on-sim: unknown option $1; see --help"
		exit 2
		;;
	*) break ;;
	esac
	shift 2
done
[ $# -gt 0 ] || set -- g80 g84 g200 gt215
[ "$*" != all ] || read -ra chips <<<"$chipsets"
[ "$*" = all ] || chips=("$@")

declare -A ids=([g80]=50 [g84]=84 [g86]=86 [g92]=92 [g94]=94 [g96]=96 [g98]=98 [g200]=a0
	[mcp77]=aa [mcp79]=ac [gt215]=a3 [gt216]=a5 [gt218]=a8 [mcp89]=af)
for c in "${chips[@]}"; do
	[ -n "${ids[$c]:-}" ] || {
		say "nouveau-on-sim: '$c': not one of $chipsets"
		exit 2
	}
done

dir=$(mktemp -d "${TMPDIR:-/tmp}/nvfifo.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# Each step is a test of that name, or several.
steps=(probe channel objects copy 2D move unload clean replay)
names=(
	"it knows the chipset"
	"a channel"
	"objects are bound by a pushbuffer"
	"all bytes are there|all bytes are there again"
	"exactly that"
	"with its contents|with its contents, too"
	"unloaded"
	""
	""
)
# What this driver does and a card forgives: it never flushes PFIFO's TLB, rewrites the playlist
# in place, and has the low half of the start in word 3 of context objects.
options="--whole-card --quirk pfifo-tlb=coherent --quirk ectx-word3=low"
expected='into the committed playlist$'
bad=0
number=0

# Nothing in TAP, where each step has its line.
table()
{
	# shellcheck disable=SC2059 # the caller's format
	[ -n "$tap" ] || printf "$@"
}
table '%-8s' chipset
table '%-9s' "${steps[@]}"
table '\n'
for c in "${chips[@]}"; do
	: >"$dir/violations"
	"$testbox/run-qemu.sh" --chipset "$c" --kernel "$kernel" --no-nvfifo --lenient --modules nouveau \
		--append no_timer_check \
		--sim-args "$options --report $dir/violations" --record "$dir/record" --log "$dir/dmesg" --timeout 600 -- \
		sh -c "nouveau ${ids[$c]}; rmmod nouveau && echo 'ok 99 - unloaded'" \
		>"$dir/out" 2>"$dir/err" || true
	table '%-8s' "$c"
	for i in "${!steps[@]}"; do
		result=ok
		IFS='|' read -ra wanted <<<"${names[$i]}"
		for w in "${wanted[@]}"; do
			grep -qE "^ok [0-9]+ - $w\$" "$dir/out" || result=FAIL
		done
		if [ "${steps[$i]}" = clean ]; then
			# Errors of the card, complaints of the kernel, mistakes that are not known
			grep -E 'nouveau.*(ERROR|error|fail|trap|TRAP|timeout|stall)|WARNING:|BUG:|Oops' \
				"$dir/dmesg" >"$dir/bad" || true
			grep -vE "$expected" "$dir/violations" >>"$dir/bad" || true
			[ ! -s "$dir/bad" ] || result=FAIL
		fi
		if [ "${steps[$i]}" = replay ]; then
			"$top/build/sim/nvsim" --replay "$dir/record" >"$dir/replay" 2>&1 || result=FAIL
			"$top/build/sim/nvsim" --decode "$dir/record" 2>>"$dir/replay" |
				grep -E '^ *[0-9]+ +[0-9.]+ [RW] [0-9a-f]{6} [?]' >"$dir/unnamed" && result=FAIL
			[ "$result" = ok ] || cat "$dir/replay" "$dir/unnamed" >>"$dir/bad"
		fi
		[ "$result" = ok ] || bad=1
		table '%-9s' "$result"
		number=$((number + 1))
		[ -z "$tap" ] || echo "${result/FAIL/not ok} $number - $c: ${steps[$i]}"
	done
	table '\n'
	[ ! -s "$dir/bad" ] || sed -n "1,5s/^/${tap:+#}  | /p" "$dir/bad"
	if [ -n "$record" ]; then
		mkdir -p "$record"
		cp "$dir/record" "$record/$c.record" || true
	fi
	if [ -n "$keep" ]; then
		mkdir -p "$keep/$c"
		cp "$dir/out" "$dir/err" "$dir/dmesg" "$dir/violations" "$keep/$c/" 2>/dev/null || true
	fi
	: >"$dir/bad"
	rm -f "$dir/record"
done
[ -z "$tap" ] || echo "1..$number"
exit $bad
