#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build everything, run all tests, count.
#
#	run.sh [kind]...
#
# Kinds: host (library and model, on this machine under ASan and UBSan), kunit
# (in UML), driver (on the model in UML, on each chipset), variants (the unusual
# cards of tests/guest/variants.txt), qemu (on a distribution's kernel, what needs BARs
# that can be mapped), nouveau (the distribution's driver on the model). Default: all.
#
# Environment:
#	CHIPSETS="g80 g84"	only these (default: all 14)
#	SUITES="name ..."	only these of tests/guest
#	FULL=1			all tests on every chipset: else those that take long and do not
#				depend on the chipset run on g80, g84, gt215 and mcp77 only
#	GUESTS=n		guests at a time (default: one more than there are CPUs, as
#				much of their time is waiting)
#	NPROC=n			compilers at a time (default: one per CPU)
#
# What the last run said is kept in build/results; two runs at a time do not disturb
# each other. Prints a line for each suite, what each
# failed test said, and as the last line
#	N passed, N failed, N skipped
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../testbox/lib.sh"
cd "$top"

kinds=${*:-host kunit driver variants qemu nouveau}
for kind in $kinds; do
	case $kind in
	host | kunit | driver | variants | qemu | nouveau) ;;
	*)
		say "run.sh: '$kind' is none of host, kunit, driver, variants, qemu, nouveau"
		exit 2
		;;
	esac
done
for c in ${CHIPSETS:=$chipsets}; do
	case " $chipsets " in
	*" $c "*) ;;
	*) die "CHIPSETS: '$c' is none of $chipsets" ;;
	esac
done
known=$(cd tests/guest && printf '%s\n' ./*.c ./*.sh | sed 's|^\./||; s|\.[a-z]*$||' | grep -vx rig | tr '\n' ' ')
for suite in ${SUITES-}; do
	case " $known" in
	*" $suite "*) ;;
	*) die "SUITES: '$suite' is none of $known" ;;
	esac
done
export NPROC=${NPROC:-$(nproc)}
guests=${GUESTS:-$(nproc | awk '{ print $1 < 8 ? $1 + 1 : 9 }')}
# One of each generation.
whole="g80 g84 gt215 mcp77"
[[ $guests =~ ^[1-9]$ ]] || die "GUESTS '$guests': not a number from 1 to 9"

mkdir -p build
# Those of earlier runs that ended go, the last three stay.
find build -maxdepth 1 -type d -name 'results.*' -printf '%T@ %p\n' | sort -rn | tail -n +4 |
	while read -r _ old; do rm -rf "$old"; done
out=$(mktemp -d "$top/build/results.XXXXXX")
ln -sfn "$(basename "$out")" build/results
results=$out/results
: >"$results"
started=()

# shellcheck disable=SC2317 # a trap calls it
finish()
{
	local running

	trap - EXIT INT TERM HUP
	# Those that still run: the number of one that ended may be another process's now.
	mapfile -t running < <(jobs -rp)
	[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null || true
	wait
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

count()
{
	grep -c "^$1" "$results" || true
}

verdict()
{
	local failed

	failed=$(count fail)
	if [ "$failed" -gt 0 ]; then
		echo
		echo "Failed:"
		sed -n 's/^fail\t/  /p' "$results"
	fi
	echo
	echo "$(count pass) passed, $failed failed, $(count skip) skipped"
	[ "$failed" -eq 0 ] && [ "$(count pass)" -gt 0 ]
	exit
}

# A build is a test without which nothing else makes sense.
build() # name command...
{
	local name=$1

	shift
	echo "build: $name"
	if ! "$@" >"$out/build-$name.log" 2>&1; then
		printf 'fail\tbuild: %s\n' "$name" >>"$results"
		echo "FAIL build: $name"
		tail -n 40 "$out/build-$name.log" | sed 's/^/       | /'
		verdict
	fi
}

# Takes minutes the first time and says how far it is.
kernel()
{
	# One kernel for all of this run, whatever is edited meanwhile.
	if [ -n "${NVFIFO_UML-}" ] || NVFIFO_UML=$(testbox/build-uml.sh); then
		export NVFIFO_UML
		return
	fi
	printf 'fail\tbuild: UML kernel\n' >>"$results"
	verdict
}

# Run a command, keep its output, parse it.
run() # name command...
{
	local name=$1 base=$out/${1//\//-} status=0 child

	shift
	# In the background and waited for, so that a signal can end it.
	"$@" >"$base.tap" 2>"$base.err" </dev/null &
	child=$!
	# shellcheck disable=SC2064 # this child
	trap "kill $child 2>/dev/null; wait; exit 143" TERM
	wait "$child" || status=$?
	flock "$results" tests/run-tap.py --name "$name" --status "$status" --results "$results" \
		--errors "$base.err" "$base.tap" || true
}

# Start run in the background, at most $guests at a time.
start()
{
	while [ "$(jobs -rp | wc -l)" -ge "$guests" ]; do
		wait -n || true
	done
	run "$@" &
	started+=("$1")
}

SECONDS=0
for kind in $kinds; do
	case $kind in
	host)
		export NVSIM=$top/build/sim/nvsim
		build host make -s -j"$NPROC" sim lib tools host-tests
		for test in $(make -s --no-print-directory list-host-tests); do
			# shellcheck disable=SC2016 # sh expands it
			start "host/$(basename "$test")" \
				sh -c 'exec timeout 600 "$0" 2>&1' "$test"
		done
		;;
	kunit)
		kernel
		build module testbox/build-module.sh
		start kunit testbox/run-guest.sh --no-card --timeout 600 --log "$out/kunit.dmesg" \
			-- sh /src/tests/run-in-guest.sh kunit
		;;
	driver)
		kernel
		build module testbox/build-module.sh
		build guest make -s -j"$NPROC" sim guest
		read -ra suites <<<"${SUITES-}"
		[ -n "${FULL-}" ] || echo "Left out but on $whole: $(
			cat tests/guest/*.c | grep -c 'TEST_ONCE('
		) tests that take long and do not depend on the chipset. FULL=1 runs them."
		for c in $CHIPSETS; do
			short=()
			case "${FULL:+ $c} $whole " in
			*" $c "*) ;;
			*) short=(--env "NVFIFO_SHORT=on $whole, or with FULL=1") ;;
			esac
			start "$c" testbox/run-guest.sh --chipset "$c" --timeout 900 --log "$out/$c.dmesg" \
				--stats "$out/$c.stats" "${short[@]}" \
				-- sh /src/tests/run-in-guest.sh driver "${suites[@]}"
		done
		;;
	variants)
		kernel
		build module testbox/build-module.sh
		build guest make -s -j"$NPROC" sim guest
		while IFS='|' read -r name c options program; do
			read -r name <<<"$name"
			read -r c <<<"$c"
			read -ra words <<<"$program"
			case $name in
			"" | "#"*) continue ;;
			esac
			cards=()
			if [[ $options == *--second-card* ]]; then
				cards=(--second-card)
				options=${options/--second-card/}
			fi
			start "variant/$name" testbox/run-guest.sh --chipset "$c" "${cards[@]}" \
				--sim-args "$options" --timeout 600 \
				--log "$out/variant-$name.dmesg" -- sh /src/tests/run-in-guest.sh program "${words[@]}"
		done <tests/guest/variants.txt
		;;
	qemu)
		build qemu testbox/qemu-setup.sh
		build qemu-module testbox/qemu-module.sh 6.12
		build guest make -s -j"$NPROC" sim guest
		for c in g80 g84; do
			start "qemu/$c" testbox/run-qemu.sh --chipset $c --vram 32 --timeout 1200 \
				--append no_timer_check --log "$out/qemu-$c.dmesg" \
				-- sh /src/tests/run-in-guest.sh driver uqueue bo errors
		done
		;;
	nouveau)
		build qemu testbox/qemu-setup.sh
		build guest make -s -j"$NPROC" sim guest
		for c in g80 g84 g200 gt215; do
			start "nouveau/$c" testbox/nouveau-on-sim.sh --tap $c
		done
		;;
	esac
done
wait
# Nothing that was started may be missing from the count.
for name in "${started[@]}"; do
	grep -qE $'^[a-z]+\t'"${name}[:/]" "$results" || printf 'fail\t%s: no result\n' "$name" >>"$results"
done
echo "All done after $SECONDS s."
verdict
