#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A loaded machine is a machine: run tests/run.sh three times beside eight processes that only
# compute. Its variables, as CHIPSETS, have their usual meaning, and
#
#	LOAD=n	processes beside the tests, 1 to 99 (default: 8)
#	RUNS=n	runs, 1 to 99 (default: 3)
#
# Prints a line for each run, and ends at the first one that fails.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../testbox/lib.sh"
cd "$top"

for name in LOAD RUNS; do
	[[ ${!name-1} =~ ^[1-9][0-9]?$ ]] || die "$name '${!name}': not a number from 1 to 99"
done
end_jobs_at_exit

for ((i = 0; i < ${LOAD:-8}; i++)); do
	while :; do :; done &
done

for ((i = 1; i <= ${RUNS:-3}; i++)); do
	begin=$SECONDS
	if ! tests/run.sh; then
		say "Run $i of ${RUNS:-3} failed, at a load of ${LOAD:-8} and $(processors) processors."
		exit 1
	fi
	echo "Run $i of ${RUNS:-3} passed, in $(((SECONDS - begin) / 60)) minutes."
done
