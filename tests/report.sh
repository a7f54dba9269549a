#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The report of nvfifo selftest, repeated on the model: a report of a card with another side of an open
# question names the register, one of the same card has no difference. Prints TAP.
#
#	report.sh [chipset]
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../testbox/lib.sh"

chipset=${1:-g84}
dir=$(mktemp -d "${TMPDIR:-/tmp}/nvfifo.XXXXXX")
trap 'rm -rf "$dir"' EXIT
number=0
failed=0

check() # name, command...
{
	local name=$1 result=ok

	shift
	number=$((number + 1))
	"$@" >"$dir/said" 2>&1 || {
		result="not ok"
		failed=1
	}
	echo "$result $number - $chipset: $name"
	[ "$result" = ok ] || sed 's/^/#  | /' "$dir/said"
}

# shellcheck disable=SC2317 # check calls it
report() # name, option of the model...
{
	local name=$1

	shift
	# shellcheck disable=SC2016 # the guest expands it
	"$top/testbox/run-guest.sh" --chipset "$chipset" --timeout 400 --sim-args "$*" -- sh -c '
		insmod /src/build/uml-module/nvfifo.ko record=200000 || exit
		nvfifo selftest --report /tmp/report >&2 || exit
		cat /tmp/report
		rmmod nvfifo' >"$dir/$name" 2>"$dir/$name.err"
}

# shellcheck disable=SC2317 # check calls it
replay() # name, option of the model..., what it must say; status first
{
	local want=$1 status=0

	"$top/build/sim/nvsim" --replay "$dir/$2" "${@:4}" || status=$?
	[ "$status" -eq "$want" ]
}

# shellcheck disable=SC2317 # check calls it
says() # text
{
	grep -qF -- "$1" "$dir/last"
}

check "a report" report plain
check "it has no difference on the same model" replay 0 plain ""
replay 0 plain "" >"$dir/last" 2>&1 || true
check "and registers were compared" grep -qE '[1-9][0-9]* compared: 0 differences' "$dir/last"
check "it answers a question" grep -q 'ptimer  *PTIMER after POST: it stands still' "$dir/plain"
check "a report of a card whose timer runs" report runs --quirk posted-ptimer=runs
check "it says so" grep -q 'ptimer  *PTIMER after POST: it runs, and' "$dir/runs"
check "a report of a card whose firmware left all units on" report units --quirk posted-units=all
check "it differs from another model" replay 1 units ""
replay 1 units "" >"$dir/last" 2>&1 || true
check "which names the register" says "PMC.ENABLE: the card df73d113, the model 40110111"
check "and not from one with that quirk" replay 0 units "" --quirk posted-units=all
echo "1..$number"
exit $failed
