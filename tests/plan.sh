# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which test is in `make test`, and which in `make test-all` only; tests/run.sh sources it.
#
# `make test` has what needs no second kernel, no QEMU and no Mesa, and no test twice:
#
#	- library, command and model on this machine, and as WebAssembly in node
#	- all KUnit suites
#	- each suite of tests/guest, on the model in UML. The line "Guards" at the head of a suite says
#	  what it tests, and where: "on one chip", or "on each generation" where the answer depends on
#	  the chip, that is on g80, g84, gt215 and mcp77. Tests marked TEST_ONCE take long and do not
#	  depend on the chip: they run on the first of a suite's chips only.
#	- Host programs with random inputs (random_programs) run one round in ten; the kind "fuzz"
#	  runs all.
#
# `make test-all` has these and all the rest: each suite on each of the 14 chips (without the tests
# marked TEST_ONCE), unusual cards, fuzzers, QEMU, nouveau, Mesa, IGT, a browser. A test that only `make test-all`
# has, and that finds a fault of the driver, gets a case in a suite of `make test`.

# shellcheck disable=SC2034 # run.sh reads them
short_kinds="host playground kunit driver"
# shellcheck disable=SC2034
all_kinds="$short_kinds browser chips variants fuzz qemu nouveau gl igt"

# Programs of the host with NVSIM_ROUNDS (sim/tests/rig.h).
random_programs="test_gr3d test_compute test_fuzz_3d"

# One of each generation.
generations="g80 g84 gt215 mcp77"

# The suites of tests/guest, in the order in which a guest runs them.
suites()
{
	printf '%s\n' tests/guest/*.c tests/guest/*.sh | sed 's|.*/||; s|\.[a-z]*$||'
}

# The words of run-in-guest.sh for the kind "driver": a suite's name, or the name and "~" for the
# suite without TEST_ONCE. Suites on one chip take turns.
plan_driver() # chip, chips of the run...
{
	local chip=$1 suite turn=0 first

	shift
	for suite in $(suites); do
		first=$((turn++ % $# + 1))
		if [ "$chip" = "${!first}" ]; then
			printf '%s\n' "$suite"
		elif grep -q '^[# ][* ]*Guards .*, on each generation\.$' tests/guest/"$suite".*; then
			printf '%s~\n' "$suite"
		fi
	done
}

# Those for the kind "chips": what the kind "driver" does not run on this chip.
plan_chips() # chip, chips of the kind "driver"...
{
	local chip=$1

	case " ${*:2} " in
	*" $chip "*) suites | grep -vxFf <(plan_driver "$@" | tr -d '~') | sed 's/$/~/' ;;
	*) suites | sed 's/$/~/' ;;
	esac
}
