#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# From a card to the model: what "nvfifo selftest" reports of a card is replayed by nvsim, which
# names the first access in which card and model differ. The cards are models in a guest, one
# like the replaying model, one with the other side of an open question. Prints TAP.
#
# Environment:
#	CHIPSET		which card (default g84)
#	KEEP		a directory for the reports, which are thrown away otherwise
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../testbox/lib.sh"
cd "$top"

chipset=${CHIPSET:-g84}
keep=${KEEP:-$(mktemp -d)}
[ -n "${KEEP-}" ] || trap 'rm -rf "$keep"' EXIT
mkdir -p "$keep"
count=0
failed=0

# The units that are on after POST.
differs='^access [0-9]+ at [0-9.]+ s: 000200 PMC\.ENABLE: the card [0-9a-f]{8}, the model [0-9a-f]{8}$'

check() # name, command...
{
	local name=$1

	shift
	count=$((count + 1))
	if "$@" >"$keep/said" 2>&1; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		sed 's/^/# /' "$keep/said"
		failed=$((failed + 1))
	fi
}

# What swallows the card's interrupts: two words of the control capability, see sim/nvsim_ctl.h.
deaf='poke() { printf "\\$2\\0\\0\\0" | dd of="$1" bs=4 seek="$3" conv=notrunc 2>/dev/null; }
	for c in /sys/bus/pci/devices/*/config; do poke "$c" 4 51 && poke "$c" 4 50; done &&'

# Bind the driver with a trace of its accesses, and write the report REPORT.
report() # name of the report, option of the model...
{
	local name=$1 options=("${@:2}") before=

	[ "$name" != deaf ] || before=$deaf

	mkdir -p "$keep/$name"
	# shellcheck disable=SC2016 # sh in the guest expands it
	timeout 650 testbox/run-guest.sh --chipset "$chipset" --timeout 600 --keep "$keep/$name" \
		${options[0]+--sim-args "${options[*]}"} -- sh -c 'mkdir -p /out/keep
			'"$before"' sh /src/tests/traced-probe.sh /src/build/uml-module/nvfifo.ko &&
				nvfifo selftest --faults --timeout 60 --report /out/keep/report.txt &&
				rmmod nvfifo'
}

# Replay a report; exit status and the whole of one line must be these.
replays() # exit status, line as an extended regular expression, report, option of the model...
{
	local wanted=$1 line=$2 name=$3 status=0

	build/sim/nvsim --replay "$keep/$name/report.txt" "${@:4}" >"$keep/replayed" 2>&1 || status=$?
	cat "$keep/replayed"
	echo "exit status $status"
	[ "$status" -eq "$wanted" ] && grep -qE "$line" "$keep/replayed"
}

answers() # question, answer as an extended regular expression, report
{
	grep -E "^  $1 " "$keep/$3/report.txt"
	grep -qE "^  $1 +.*$2" "$keep/$3/report.txt"
}

all_units() # report
{
	local said

	grep -A 2 "^  units " "$keep/$1/report.txt"
	said=$(grep -A 1 "^  units " "$keep/$1/report.txt")
	[[ $said == *"W 000200 ffffffff" ]]
}

# nvsim takes the lines of a trace without the report around them.
replays_trace()
{
	grep "nvfifo_access: " "$keep/same/report.txt" >"$keep/same/trace.txt"
	build/sim/nvsim --replay "$keep/same/trace.txt" >"$keep/replayed" 2>&1
	cat "$keep/replayed"
	grep -qE "$equal" "$keep/replayed"
}

# What was written down is cut off in the middle of a line.
damage() # report, new report
{
	mkdir -p "$keep/$2"
	head -c "$(($(wc -c <"$keep/$1/report.txt") * 3 / 4))" "$keep/$1/report.txt" >"$keep/$2/report.txt"
}

equal='^[0-9]{4,} accesses, [0-9]{2,} compared: 0 differences$'

check "a card like the model passes the self-test" report same
check "its accesses give the same on the model" replays 0 "$equal" same
check "with a quirk the model differs from it, in a register that is named" \
	replays 1 "$differs" same --quirk posted-units=all
check "its timer stands still" answers ptimer "it stands still" same
check "tracefs alone gives the same on the model" replays_trace
check "a card with a quirk passes the self-test" report other --quirk posted-units=all
check "the first access in which card and model differ is named" replays 1 "$differs" other
check "the model with the quirk is the same card" replays 0 "$equal" other --quirk posted-units=all
check "another quirk does not explain it" replays 1 "$differs" other --quirk kick-unloads=no
check "the answer about its units is of a write of all ones" all_units same
check "interrupts arrive on it" answers interrupts "[0-9]+ arrived, so they come again" same
check "its flush of PGRAPH ends" answers tlb-graph "ended [0-9]+ times" same
check "a card whose timer runs passes the self-test" report runs --quirk posted-ptimer=runs
check "its report says so" answers ptimer "it runs, and the driver sets its rate" runs
check "a card whose interrupts are lost passes the self-test" report deaf
check "its report says that none arrived" answers interrupts "none arrived, and a poll found one [0-9]+ times" deaf
damage other cut
check "a report that is cut is refused" replays 2 "ends before the last of its accesses" cut
echo "1..$count"
exit $((failed > 0))
