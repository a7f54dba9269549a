#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Run one of the guest's fuzzers on the model, in User Mode Linux or in QEMU.
#
#	run.sh push|ioctl|fairness
#
# Environment:
#	FUZZ_TIME=s		seconds on each chipset (default 60)
#	FUZZ_SEED=n		other random numbers (default 1)
#	FUZZ_CASES=a,b		push: only these cases, as an earlier run printed them; "kept" runs
#				those of tests/fuzz/push.cases for the chipset
#	FUZZ_ROW=text		fairness: only rows with this in their name; FUZZ_TIME is for each row
#	FUZZ_QEMU=1		in QEMU, where user queues can be mapped, instead of User Mode Linux
#	FUZZ_KERNEL=v		of QEMU's guest: as run-qemu.sh --kernel (default 6.12)
#	FUZZ_UNPLUG=1		ioctl: unbind and bind the driver every 2 s, without witnesses
#	CHIPSETS="g80 g84"	one guest after the other (default: all 14)
#
# Prints the fuzzer's lines; the kernel's messages go to build/fuzz/NAME-CHIPSET.dmesg,
# with FUZZ_CASES to build/fuzz/NAME-cases-CHIPSET.dmesg.
# Exit status: 0 if nothing was found on any chipset.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../../testbox/lib.sh"
cd "$top"

name=${1-}
case $name in
push | ioctl | fairness) ;;
*) die "run.sh: '$name' is none of push, ioctl, fairness" ;;
esac
seconds=${FUZZ_TIME:-60}
[[ $seconds =~ ^[1-9][0-9]{0,4}$ ]] || die "FUZZ_TIME '$seconds': not a number of seconds"
for chipset in ${CHIPSETS:=$chipsets}; do
	case " $chipsets " in
	*" $chipset "*) ;;
	*) die "CHIPSETS: '$chipset' is none of $chipsets" ;;
	esac
done
mkdir -p build/fuzz

bad=0
for chipset in $CHIPSETS; do
	cases=${FUZZ_CASES-}
	if [ "$cases" = kept ]; then
		cases=$(awk -v c="$chipset" '$1 == c { printf "%s%s", sep, $2; sep = "," }' tests/fuzz/push.cases)
		[ -n "$cases" ] || continue
	fi
	# Two runs at a time on a chipset, one of them with cases, keep their files apart.
	base=build/fuzz/$name${cases:+-cases}-$chipset
	say "fuzz_$name on $chipset for $seconds s"
	limit=$((seconds * 14 + 300))
	# A phase is longer where a witness gets few rounds.
	[ "$name" != fairness ] || limit=$((seconds * 16 + 3000))
	guest=(testbox/run-guest.sh --mem 512 --keep "$base")
	if [ "${FUZZ_QEMU-}" = 1 ]; then
		guest=(testbox/run-qemu.sh --kernel "${FUZZ_KERNEL:-6.12}" --mem 1024 --vram 32
			--append no_timer_check)
	fi
	"${guest[@]}" --chipset "$chipset" --timeout $limit \
		--log "$base.dmesg" \
		--env "FUZZ_SECONDS=$seconds" --env "FUZZ_SEED=${FUZZ_SEED:-1}" \
		--env "FUZZ_CASES=$cases" --env "FUZZ_UNPLUG=${FUZZ_UNPLUG:-0}" \
		--env "FUZZ_ROW=${FUZZ_ROW-}" \
		-- sh /src/tests/run-in-guest.sh program "fuzz_$name" || bad=1
done
exit $bad
