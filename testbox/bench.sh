#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Count the card's MMIO accesses per SUBMIT, VM_BIND, BO_CREATE and CHANNEL_CREATE and
# measure their time, on the model in UML; then what errors cost, and each step of recovery.
#
#	[CHIPSET=g84] bench.sh [rounds]
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

chipset=${CHIPSET:-g84}
case " $chipsets " in
*" $chipset "*) ;;
*) die "CHIPSET '$chipset' is none of $chipsets" ;;
esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
NVFIFO_UML=$(testbox/build-uml.sh)
export NVFIFO_UML
if ! { make -s -j"$(compilers)" sim guest && testbox/build-module.sh --no-kunit; } >"$log" 2>&1; then
	cat "$log" >&2
	die "the build failed"
fi

# shellcheck disable=SC2016 # the guest expands it
testbox/run-guest.sh --chipset "$chipset" --vram 256 --timeout 1200 --no-leak-check -- sh -c '
	insmod /src/build/uml-module/nvfifo.ko || exit
	bench "$@" && echo && bench_faults "$@"
	status=$?
	rmmod nvfifo
	exit $status' bench "$@"
