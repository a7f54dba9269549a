#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build everything, run all tests, count.
#
#	run.sh [kind]...
#
# tests/plan.sh says which kinds `make test` and `make test-all` have, and which suites a kind.
# Kinds: host (library and model, on this machine under ASan and UBSan), playground (the command as
# WebAssembly in node), browser (the playground's page in chromium), kunit (in UML), driver (on
# the model in UML, on a chip of each generation), chips (on each chip what driver has not run
# there), variants (the unusual
# cards of tests/guest/variants.txt, and the replay of what a card shows), qemu (on a
# distribution's kernel, what needs BARs that can be mapped), nouveau (the
# distribution's driver on the model), gl (the distribution's Mesa on nvfifo on the
# model, in UML), igt (programs of Debian's IGT that depend on no driver, in UML; on g84 or CHIPSETS),
# fuzz (tests/fuzz with fixed seeds, FUZZ_TIME seconds each, default 20). Default: those of
# `make test`; "all" are those of `make test-all`. And quirks (the points that no
# source decides, one by one and mixed; hours on all chipsets), debug (the suites that race
# easily, or with FULL=1 all, on a kernel with KASAN and lockdep in QEMU; builds that kernel; on g84
# or CHIPSETS), kcsan (the same with KCSAN instead),
# piglit (tests of Debian's piglit with Mesa on the model in their own process, or with GUEST=1 with
# the driver in UML; on g80, g96, g200, gt215, or CHIPSETS), gl-nouveau (Mesa's pictures with nouveau
# and with nvfifo, in QEMU; on g96 or CHIPSETS; EVERY=N takes each N-th test of piglit's, and with
# OFFSET=K the K-th of each N).
#
# Environment:
#	CHIPSETS="g80 g84"	only these (default: one of each generation, and all 14 for chips)
#	SUITES="name ..."	only these of tests/guest, each on all of CHIPSETS, if there are any:
#				without kinds, only the kind driver then. For kunit a suite may be a
#				pattern, as in 'nvfifo_pt*'
#	FULL=1			all tests on every chipset
#	REUSE=			with all, run again what the last `make test` has run for the same
#				sources; else it is counted as it was
#	GUESTS=n		guests at a time (default: four for each CPU, as more than
#				half of their time is waiting; fewer where memory is short)
#	NPROC=n			compilers at a time (default: one per CPU that this machine or container
#				gives, fewer where memory is short)
#
# What the last run said is kept in build/results; two runs at a time do not disturb
# each other. Prints a line for each suite, what each
# failed test said, and as the last line
#	N passed, N failed, N skipped
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../testbox/lib.sh"
cd "$top"

# shellcheck source=tests/plan.sh
. tests/plan.sh

if [ $# -gt 0 ]; then
	kinds=$*
	[ "$kinds" != all ] || kinds=$all_kinds
elif [ -n "${SUITES-}" ]; then
	kinds=driver
else
	kinds=$short_kinds
fi
for kind in $kinds; do
	case $kind in
	host | kunit | driver | chips | variants | qemu | nouveau | gl | igt | fuzz | quirks | debug | kcsan | piglit | gl-nouveau | playground | browser) ;;
	*)
		say "run.sh: '$kind' is none of all, host, kunit, driver, chips, variants, qemu, nouveau, gl, igt, fuzz, quirks, debug, kcsan, piglit, gl-nouveau, playground, browser"
		exit 2
		;;
	esac
done
fuzz_chipsets=${CHIPSETS-}
debug_chipsets=${CHIPSETS:-g84}
igt_chipsets=${CHIPSETS:-g84}
piglit_chipsets=${CHIPSETS:-g80 g96 g200 gt215}
gl_nouveau_chipsets=${CHIPSETS:-g96}
driver_chipsets=${CHIPSETS:-${FULL:+$chipsets}}
: "${driver_chipsets:=$generations}"
only="${CHIPSETS-}:${SUITES-}:${FULL-}"
for c in ${CHIPSETS:=$chipsets}; do
	case " $chipsets " in
	*" $c "*) ;;
	*) die "CHIPSETS: '$c' is none of $chipsets" ;;
	esac
done
[ "$kinds" = kunit ] || check_suites

# The suites of kunit/, a line each.
kunit_suites()
{
	sed -n 's/^\t\.name = "\(nvfifo_[a-z0-9_]*\)",$/\1/p' kunit/*.c | sort
}

# Refuse a pattern of SUITES that fits no suite of kunit/.
check_kunit_suites()
{
	local known pattern suite fits

	known=$(kunit_suites | tr '\n' ' ')
	set -f
	for pattern in ${SUITES-}; do
		fits=
		for suite in $known; do
			# A test's name may follow the suite's.
			# shellcheck disable=SC2053 # a pattern
			[[ $suite != ${pattern%%.*} ]] || fits=1
		done
		[ -n "$fits" ] || die "SUITES: '$pattern' is none of ${known% }"
	done
	set +f
}

[ "$kinds" != kunit ] || check_kunit_suites
# A guest and its model have 512 MiB, except for a few.
guests_default()
{
	local n room

	n=$((4 * $(processors)))
	room=$(($(free_memory) / 512))
	[ "$n" -le "$room" ] || n=$room
	[ "$n" -le 9 ] || n=9
	[ "$n" -ge 1 ] || n=1
	printf '%d\n' "$n"
}

[[ ${FUZZ_TIME:=20} =~ ^[1-9][0-9]{0,4}$ ]] || die "FUZZ_TIME '$FUZZ_TIME': not a number of seconds"

# Nothing is written beside the sources.
export PYTHONDONTWRITEBYTECODE=1
NPROC=$(compilers)
export NPROC
guests=${GUESTS:-$(guests_default)}
[[ $guests =~ ^[1-9]$ ]] || die "GUESTS '$guests': not a number from 1 to 9"
every=${EVERY:-60}
offset=${OFFSET:-0}
[[ $every =~ ^[1-9][0-9]*$ ]] || die "EVERY '$every': not a number from 1"
[[ $offset =~ ^(0|[1-9][0-9]*)$ && $offset -lt $every ]] ||
	die "OFFSET '$offset': not a number from 0 to $((every - 1))"
# Each guest asks for room for the memory of all.
export NVFIFO_GUESTS=$guests

mkdir -p build
# Those of earlier runs that ended go, the last three stay.
find build -maxdepth 1 -type d -name 'results.*' -printf '%T@ %p\n' | sort -rn | tail -n +4 |
	while read -r _ old; do rm -rf "$old"; done
out=$(mktemp -d "$top/build/results.XXXXXX")
ln -sfn "$(basename "$out")" build/results
results=$out/results
: >"$results"
built=' '

end_jobs_at_exit

# What a run of `make test` said, for `make test-all`: build/kept/RUN has the name of the results'
# folder and the lines of its tests. "key" is a sum of all that the runs depend on.
kept=build/kept
sum_of_sources()
{
	{
		find . \( -path ./build -o -path ./.git -o -name __pycache__ \) -prune -o -type f -print0 | sort -z |
			xargs -0 sha256sum
		${CC:-gcc} --version
		printf '%s\n' "$(uname -r)" "$only" "${KSRC-}"
		dpkg-query -W linux-source-6.12 2>/dev/null || true
	} | sha256sum
}

keep_in='' reuse_from=''
case $kinds in
"$short_kinds")
	keep_in=$kept
	rm -rf "$kept"
	mkdir "$kept"
	sum_of_sources >"$kept/key"
	;;
"$all_kinds")
	if [ -n "${REUSE-1}" ] && [ "$(cat "$kept/key" 2>/dev/null)" = "$(sum_of_sources)" ]; then
		reuse_from=$kept
	fi
	;;
esac

# Keep what a run said.
# shellcheck disable=SC2317 # run calls it
keep() # name
{
	local file=$keep_in/${1//\//-}

	[ -n "$keep_in" ] || return 0
	{
		printf '%s\n' "$out"
		grep $'^[a-z]*\t'"$1[:/]" "$results"
	} >"$file.new"
	mv "$file.new" "$file"
}

# Take what a run has said before.
reuse() # name
{
	local file=$reuse_from/${1//\//-} from

	[ -n "$reuse_from" ] && [ -e "$file" ] || return
	read -r from <"$file"
	sed 1d "$file" >>"$results"
	cp "$from/${1//\//-}".* "$out/" 2>/dev/null || true
	reused=$((reused + 1))
}
reused=0

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
	case $built in
	*" $name "*) return ;;
	esac
	built+="$name "
	echo "build: $name"
	lock_build
	if ! "$@" >"$out/build-$name.log" 2>&1; then
		printf 'fail\tbuild: %s\n' "$name" >>"$results"
		echo "FAIL build: $name"
		tail -n 40 "$out/build-$name.log" | sed 's/^/       | /'
		(need_room "$top/build" 100) || true
		verdict
	fi
	unlock_build
}

# Takes minutes the first time and says how far it is.
kernel()
{
	echo "build: kernel"
	# One kernel for all of this run, whatever is edited meanwhile.
	if [ -n "${NVFIFO_UML-}" ] || NVFIFO_UML=$(testbox/build-uml.sh); then
		export NVFIFO_UML
		return
	fi
	printf 'fail\tbuild: UML kernel\n' >>"$results"
	verdict
}

# Run a command, keep its output, parse it, say how far all of this is.
# shellcheck disable=SC2317 # run_queue evaluates it
run() # share, name, command...
{
	local share=$1 name=$2 base=$out/${2//\//-} status=0 child begin=$SECONDS

	shift 2
	printf '%s %s\n' "$name" "$begin" >>"$out/started"
	# In the background and waited for, so that a signal can end it.
	"$@" >"$base.tap" 2>"$base.err" </dev/null &
	child=$!
	# shellcheck disable=SC2064 # this child
	trap "kill $child 2>/dev/null; wait; exit 143" TERM
	wait "$child" || status=$?
	times >"$base.times"
	exec 8>>"$out/lock"
	flock 8
	tests/run-tap.py --name "$name" --status "$status" --results "$results" \
		--errors "$base.err" "$base.tap" || true
	printf '%s %s %s %s\n' "$name" $((SECONDS - begin)) "$(processor_time <"$base.times")" "$share" >>"$out/times"
	far
	keep "$name"
}

# Seconds of processor time of a shell's children: the second line of what "times" says.
# shellcheck disable=SC2317
processor_time()
{
	awk 'NR == 2 {
		for (i = 1; i <= 2; i++) {
			split($i, part, /[ms]/)
			sum += 60 * part[1] + part[2]
		}
		printf "%d", sum
	}'
}

# Share done, time gone, time left. A share takes as long as those of the runs that have ended
# did. What runs now has taken its part already.
# shellcheck disable=SC2317
far()
{
	awk -v total="$total" -v begin="$tests_begin" -v now="$SECONDS" -v guests="$guests" '
		FILENAME ~ /started$/ { since[$1] = $2; next }
		{
			done += $4
			seconds += $2
			delete since[$1]
		}
		END {
			gone = now - begin
			left = (total - done) * seconds / done
			for (name in since)
				left -= now - since[name]
			left = left > 0 ? left / guests : 0
			share = gone + left ? 100 * gone / (gone + left) : 100
			printf "     %3d %%, %d:%02d gone, about %d min left\n", share,
				now / 60, now % 60, (left + 59) / 60
		}' "$out/started" "$out/times"
}

# Note a run for later, with the share of the time that it is likely to take. The variable place, if
# set, is its place in the order instead of the share.
names=()
shares=()
places=()
commands=()
queue() # share, name, command...
{
	! reuse "$2" || return 0
	shares+=("$1")
	places+=("${place:-$1}")
	names+=("$2")
	shift 2
	commands+=("$(printf '%q ' "$@")")
}

# The longest first, at most $guests at a time.
run_queue()
{
	local i order

	tests_begin=$SECONDS
	total=$(printf '%s\n' "${shares[@]}" | awk '{ sum += $1 } END { print sum }')
	: >"$out/times"
	: >"$out/started"
	order=$(printf '%s\n' "${places[@]}" | awk '{ print $1, NR - 1 }' | sort -k1,1nr -k2,2n | cut -d' ' -f2)
	for i in $order; do
		while [ "$(jobs -rp | wc -l)" -ge "$guests" ]; do
			wait -n || true
		done
		eval "run ${shares[$i]} ${names[$i]} ${commands[$i]}" &
	done
	wait
	# Nothing that was queued may be missing from the count.
	for i in "${names[@]}"; do
		grep -qE $'^[a-z]+\t'"${i}[:/]" "$results" || printf 'fail\t%s: no result\n' "$i" >>"$results"
	done
}

queue_host()
{
	local test

	export NVSIM=$top/build/sim/nvsim
	build host make -s -j"$NPROC" sim lib tools host-tests
	queue 1 host/promises tests/promises.py
	queue 1 host/show-picture tests/show_picture.py
	queue 1 host/grammars tests/grammars.py
	queue 1 host/json tests/json_outputs.py
	queue 1 host/timelines tests/timelines.py
	queue 1 host/mistakes tests/mistakes.py
	queue 1 host/messages tests/messages.py
	queue 1 host/complete tests/complete.py
	queue 1 host/python tests/python_module.py
	queue 1 host/samples tests/c_samples.py
	queue 1 host/card-report tests/card_report.py
	[ "$kinds" = "$short_kinds" ] || queue 1 host/abi tests/abi.sh
	for test in $(make -s --no-print-directory list-host-tests); do
		# shellcheck disable=SC2016 # sh expands it
		queue 12 "host/$(basename "$test")" sh -c 'exec timeout 1800 "$0" 2>&1' "$test"
	done
}

queue_guest() # share, chip, name, word of run-in-guest.sh...
{
	local share=$1 c=$2 name=$3

	shift 3
	queue "$share" "$name" testbox/run-guest.sh --chipset "$c" --timeout 1800 --log "$out/$name.dmesg" \
		--stats "$out/$name.stats" -- sh /src/tests/run-in-guest.sh driver "$@"
}

# More than half of a guest's time is waiting, so the suites of a chip are in two guests.
queue_driver()
{
	local c words half

	for c in $driver_chipsets; do
		if [ -n "${SUITES-}" ]; then
			read -ra words <<<"$SUITES"
			queue_guest 100 "$c" "$c" "${words[@]}"
			continue
		elif [ -n "${FULL-}" ]; then
			queue_guest 100 "$c" "$c"
			continue
		fi

		# shellcheck disable=SC2086 # a list
		mapfile -t words < <(plan_driver "$c" $driver_chipsets)
		half=$((${#words[@]} / 2))
		queue_guest 50 "$c" "$c-1" "${words[@]:0:half}"
		queue_guest 50 "$c" "$c-2" "${words[@]:half}"
	done
}

queue_chips()
{
	local c words share

	if [ -z "${FULL-}" ]; then
		for c in $CHIPSETS; do
			# shellcheck disable=SC2086 # a list
			mapfile -t words < <(plan_chips "$c" $driver_chipsets)
			share=60
			[[ " $driver_chipsets " != *" $c "* ]] || share=30
			queue_guest $share "$c" "$c-rest" "${words[@]}"
		done
		return
	fi
	queue 1500 removals testbox/run-guest.sh --chipset g84 --timeout 5400 --log "$out/removals.dmesg" \
		--env NVFIFO_REMOVALS=1000 -- sh /src/tests/run-in-guest.sh program gone removals
	queue 600 submissions testbox/run-guest.sh --chipset g84 --timeout 5400 --log "$out/submissions.dmesg" \
		--env NVFIFO_STEPS=1000000 -- sh /src/tests/run-in-guest.sh program stress t_random
	queue 60 isolation testbox/run-guest.sh --chipset g84 --timeout 1800 --log "$out/isolation.dmesg" \
		--env NVFIFO_STEPS=10000 -- sh /src/tests/run-in-guest.sh program gr t_isolation
}

queue_kunit()
{
	local pattern

	if [ "$kinds" != kunit ] || [ -z "${SUITES-}" ]; then
		queue 40 kunit testbox/run-guest.sh --no-card --timeout 600 --log "$out/kunit.dmesg" \
			-- sh /src/tests/run-in-guest.sh kunit
		[ -z "${FULL-}" ] || queue 120 kunit/long testbox/run-guest.sh --no-card --timeout 1800 \
			--log "$out/kunit-long.dmesg" -- sh /src/tests/run-in-guest.sh kunit random_factor=3
		return
	fi
	set -f
	for pattern in $SUITES; do
		queue 40 "kunit/${pattern//[^a-z0-9_.]/_}" testbox/run-guest.sh --no-card --no-leak-check --timeout 600 \
			--append "kunit.filter_glob=$pattern" --log "$out/kunit.dmesg" -- sh /src/tests/run-in-guest.sh kunit
	done
	set +f
}

queue_variants()
{
	local name c options program words cards short place

	while IFS='|' read -r name c options program; do
		read -r name <<<"$name"
		read -r c <<<"$c"
		read -ra words <<<"$program"
		case $name in
		"" | "#"*) continue ;;
		esac
		short=()
		if [ "${words[0]}" = suites ]; then
			words=(driver "${words[@]:1}")
			short=(--env "NVFIFO_SHORT=on a card without quirks")
			place=
		else
			# Most of its time is waiting, so it starts beside guests that are busy.
			words=(program "${words[@]}")
			place=50
		fi
		cards=()
		if [[ $options == *--second-card* ]]; then
			cards=(--second-card)
			options=${options/--second-card/}
		fi
		queue 8 "variant/$name" testbox/run-guest.sh --chipset "$c" "${cards[@]}" \
			--sim-args "$options" --timeout 600 "${short[@]}" \
			--log "$out/variant-$name.dmesg" -- sh /src/tests/run-in-guest.sh "${words[@]}"
	done <tests/guest/variants.txt
	place=
	queue 8 variant/replay tests/replay.sh
}

# Each point that no source decides alone on a chip of each generation, all of them on these, and
# on every chip the mixes of variants.txt, in which each pair of points meets on all four
# combinations of sides. The mixes of the four come first, then those of the others.
queue_quirks()
{
	local c point seed share suites

	read -ra suites <<<"${SUITES-probe submit errors lifetime inject gr vm suspend}"
	for c in $CHIPSETS; do
		share=100
		[[ " $generations " == *" $c "* ]] || share=99
		# shellcheck disable=SC2013 # numbers
		for seed in $(sed -n 's/.*--adverse random:\([0-9]*\) .*/\1/p' tests/guest/variants.txt); do
			queue_quirk $share "$c" "--adverse random:$seed"
		done
		[ $share = 100 ] || continue
		queue_quirk 98 "$c" --adverse
		# shellcheck disable=SC2013 # words without blanks
		for point in $(awk -F'"' '/", { "/ { print $2 "=" $6 }' sim/core/quirk.c | sed -n '/^posted-units/,$p'); do
			queue_quirk 98 "$c" "--quirk $point"
		done
	done
}

# The random calls of vm take as long as all the rest. A tenth of them, and others in each guest.
queue_quirk() # share, chipset, options of the model
{
	local name="quirks/$2-${3//[^a-z0-9]/-}"

	queue "$1" "$name" testbox/run-guest.sh --chipset "$2" --sim-args "$3" --timeout 900 \
		--env "NVFIFO_SHORT=on a card without quirks" --env NVFIFO_STEPS=500 \
		--env "NVFIFO_SEED=$((16#$(sha256sum <<<"$name" | cut -c 1-8)))" --log "$out/${name//\//-}.dmesg" \
		-- sh /src/tests/run-in-guest.sh driver "${suites[@]}"
}

# Pushbuffers on one chip of each kind: without and with 64-bit semaphores, an IGP. System calls
# are the same on all. The cases of earlier findings come first.
queue_fuzz()
{
	local c name

	: "${FUZZ_TIME:=20}"
	for c in ${fuzz_chipsets:-g80 g84 mcp89}; do
		queue $((FUZZ_TIME + 15)) "fuzz-push/$c" env CHIPSETS="$c" FUZZ_TIME="$FUZZ_TIME" \
			tests/fuzz/run.sh push
		if grep -q "^$c " tests/fuzz/push.cases; then
			queue 25 "fuzz-kept/$c" env CHIPSETS="$c" FUZZ_TIME=10 FUZZ_CASES=kept \
				tests/fuzz/run.sh push
		fi
	done
	for c in ${fuzz_chipsets:-g84}; do
		queue $((3 * FUZZ_TIME + 15)) "fuzz-ioctl/$c" env CHIPSETS="$c" \
			FUZZ_TIME=$((3 * FUZZ_TIME)) tests/fuzz/run.sh ioctl
	done

	build host make -s -j"$NPROC" sim lib tools host-tests
	for name in $random_programs; do
		# shellcheck disable=SC2016 # sh expands it
		queue 60 "fuzz-model/$name" sh -c 'NVSIM_ROUNDS=all exec timeout 1200 "$0" 2>&1' \
			"build/tests/$name"
	done
}

# What needs several processors to go wrong: threads, work items and interrupts of one card.
# With FULL=1 each suite has a guest.
queue_debug() # debug, or kcsan
{
	local c suite list

	read -ra list <<<"${SUITES-submit lifetime queue fence vm uqueue clear software unplug}"
	[ -z "${FULL-}" ] || mapfile -t list < <(suites)
	for c in $debug_chipsets; do
		if [ -z "${FULL-}" ]; then
			queue_checked 600 "$1" "$1/$c" "$c" "${list[@]}"
			continue
		fi
		for suite in "${list[@]}"; do
			queue_checked 60 "$1" "$1/$c-$suite" "$c" "$suite"
		done
	done
}

queue_checked() # share, kernel, name, chip, suite...
{
	queue "$1" "$3" testbox/run-qemu.sh --kernel "$2" --smp 2 --mem 1024 --chipset "$4" --vram 64 --timeout 3600 \
		--append no_timer_check --env "NVFIFO_SHORT=on a kernel without checks" --log "$out/${3/\//-}.dmesg" \
		-- sh /src/tests/run-in-guest.sh driver "${@:5}"
}

# One of each generation; Mesa is this machine's.
queue_gl()
{
	local c

	if ! dpkg-query -W libgl1-mesa-dri >/dev/null 2>&1; then
		echo "Left out, OpenGL: Mesa is not installed."
		printf 'skip\tgl: Mesa is not installed\n' >>"$results"
		return
	fi

	build gl make -s -j"$NPROC" tools gl-programs
	queue 10 gl/model tests/gl/model.sh
	queue 10 gl/pixels tests/gl/pixels.sh
	queue 10 gl/pipeline tests/gl/pixels.sh pipeline
	queue 10 gl/random tests/gl/random.sh
	queue 10 gl/compute tests/gl/compute.sh
	for c in g80 g96 g200 gt215; do
		queue 40 "gl/$c" testbox/run-guest.sh --chipset "$c" --vram 128 --mem 1024 --timeout 600 \
			--log "$out/gl-$c.dmesg" -- sh /src/tests/run-in-guest.sh gl "$top"
	done
}

# The node is the same on all chips. A card that loses its registers on the way from D3hot to D0 is
# one that the kernel can reset.
queue_igt()
{
	local c folder

	if ! folder=$(testbox/igt.sh 2>"$out/igt-setup.log"); then
		echo "Left out, IGT: $(tail -n 1 "$out/igt-setup.log")"
		printf 'skip\tigt: its package cannot be had\n' >>"$results"
		return
	fi

	build igt make -s build/igt/libconsole.so
	for c in $igt_chipsets; do
		queue 40 "igt/$c" testbox/run-guest.sh --chipset "$c" --sim-args "--d3-loss lost" --timeout 600 \
			--log "$out/igt-$c.dmesg" -- sh /src/tests/run-in-guest.sh igt "$folder"
	done
}

# Mesa is this machine's; the package is unpacked, not installed.
queue_piglit()
{
	local c folder

	if ! folder=$(testbox/piglit.sh 2>"$out/piglit-setup.log"); then
		echo "Left out, piglit: $(tail -n 1 "$out/piglit-setup.log")"
		printf 'skip\tpiglit: it cannot be had\n' >>"$results"
		return
	fi

	build gl make -s -j"$NPROC" tools
	for c in $piglit_chipsets; do
		if [ -n "${GUEST-}" ]; then
			queue 900 "piglit/$c" testbox/run-guest.sh --chipset "$c" --vram 128 --mem 1024 \
				--timeout 7200 --env "PIGLIT=$folder" --log "$out/piglit-$c.dmesg" \
				-- sh /src/tests/run-in-guest.sh gl "$top" piglit
		else
			queue 90 "piglit/$c" build/bin/nvfifo gl --model="$c" \
				python3 tests/gl/piglit.py "$folder" tests/gl/piglit.txt
		fi
	done
}

# Both drivers on one kernel; Mesa is this machine's.
queue_gl_nouveau()
{
	local c

	if ! testbox/piglit.sh >"$out/piglit-setup.log" 2>&1; then
		echo "Left out, gl-nouveau: $(tail -n 1 "$out/piglit-setup.log")"
		printf 'skip\tgl-nouveau: piglit cannot be had\n' >>"$results"
		return
	fi

	build gl make -s -j"$NPROC" tools gl-programs
	for c in $gl_nouveau_chipsets; do
		queue 200 "gl-nouveau/$c" testbox/gl-nouveau.sh --tap --every "$every" --offset "$offset" "$c"
	done
}

# Is there what makes the playground? Only other systems than Debian lack it here.
can_make_playground() # kind, program...
{
	local kind=$1 program

	for program in emcc node "${@:2}"; do
		if ! command -v "$program" >/dev/null; then
			echo "Left out, $kind: $program is not installed."
			printf 'skip\t%s: %s is not installed\n' "$kind" "$program" >>"$results"
			return 1
		fi
	done
	build tools make -s -j"$NPROC" tools
	build playground testbox/playground.sh
}

queue_playground()
{
	can_make_playground playground || return 0
	queue 10 playground/engine timeout 1800 node tests/playground/engine.mjs
}

# It mostly waits, so it starts first.
queue_browser()
{
	can_make_playground browser chromium || return 0
	place=100
	queue 60 browser/page timeout 2400 node tests/playground/browser.mjs
	place=
}

# QEMU comes from a folder that takes root rights to make.
with_root_rights() # kind
{
	if [ -z "${can-}" ]; then
		can=yes
		reason=$(testbox/headers-root.sh can 2>&1) || can=no
		[ $can = yes ] || echo "Left out, what needs QEMU: ${reason#*: }"
	fi
	[ "$can" = no ] || return 0
	printf 'skip\t%s: %s\n' "$1" "${reason#*: }" >>"$results"
	return 1
}

# Fetching and unpacking leave most of the processors' time to the builds below.
# shellcheck disable=SC2317 # build calls it
qemu_is_there()
{
	local status=0

	wait "$qemu_pid" || status=$?
	cat "$out/qemu-setup.log"
	return "$status"
}

# Does this kind boot the kernel of User Mode Linux?
boots_uml() # kind
{
	case $1 in
	kunit | driver | chips | variants | gl | igt | fuzz | quirks) return 0 ;;
	piglit) [ -n "${GUEST-}" ] ;;
	*) return 1 ;;
	esac
}

qemu_pid=
SECONDS=0
for kind in $kinds; do
	case $kind in
	qemu | nouveau | debug | kcsan | gl-nouveau)
		# First, while somebody who may have to give a password is still there.
		if with_root_rights "$kind" && [ -z "$qemu_pid" ]; then
			testbox/qemu-setup.sh >"$out/qemu-setup.log" 2>&1 &
			qemu_pid=$!
		fi
		;;
	esac
done
for kind in $kinds; do
	if boots_uml "$kind"; then
		[ -n "${ready-}" ] || kernel
		ready=1
		case $kind in
		kunit) build kunit-module testbox/build-module.sh --kunit ;;
		*) build module testbox/build-module.sh --no-kunit ;;
		esac
	fi
	case $kind in
	driver | chips | variants | fuzz | quirks | qemu | nouveau | gl | igt | debug | kcsan | gl-nouveau) build guest make -s -j"$NPROC" sim guest ;;
	esac
	case $kind in
	qemu | nouveau | debug | kcsan | gl-nouveau)
		[ -z "$qemu_pid" ] || build qemu qemu_is_there
		;;
	esac
	case $kind in
	qemu | gl-nouveau)
		[ -z "$qemu_pid" ] || build qemu-module testbox/qemu-module.sh 6.12
		;;
	esac
	case $kind in
	debug | kcsan)
		[ -z "$qemu_pid" ] || build "$kind-kernel" testbox/debug-module.sh "$kind"
		;;
	esac
	case $kind in
	host) queue_host ;;
	driver) queue_driver ;;
	chips) queue_chips ;;
	variants) queue_variants ;;
	fuzz) queue_fuzz ;;
	gl) queue_gl ;;
	igt) queue_igt ;;
	playground) queue_playground ;;
	browser) queue_browser ;;
	piglit) queue_piglit ;;
	gl-nouveau) [ "$can" = no ] || queue_gl_nouveau ;;
	quirks) queue_quirks ;;
	debug | kcsan) [ "$can" = no ] || queue_debug "$kind" ;;
	kunit) queue_kunit ;;
	qemu)
		[ "$can" = yes ] || continue
		# TEST_ONCE of each suite runs on one of them.
		queue 120 qemu/g80 testbox/run-qemu.sh --chipset g80 --vram 32 --timeout 1200 \
			--append no_timer_check --log "$out/qemu-g80.dmesg" \
			-- sh /src/tests/run-in-guest.sh driver uqueue~ bo errors~ gone matrix~ ladder
		queue 120 qemu/g84 testbox/run-qemu.sh --chipset g84 --vram 32 --timeout 1200 \
			--append no_timer_check --log "$out/qemu-g84.dmesg" \
			-- sh /src/tests/run-in-guest.sh driver uqueue bo~ errors gone~ matrix ladder~
		# The kernel of User Mode Linux runs no 32-bit programs. It has no userfaultfd, no memory
		# cgroups and no user namespaces, and maps neither VRAM nor a control page.
		queue 60 qemu/only testbox/run-qemu.sh --chipset g84 --vram 64 --timeout 1200 \
			--sim-args "--bar1 16" --append no_timer_check --log "$out/qemu-only.dmesg" \
			-- sh /src/tests/run-in-guest.sh programs compat32 attack:_absent_ \
			attack:t_vram_pages attack:t_slow_array reach:t_charged \
			reach:t_throttled recover:t_vram_writes reach:t_window_place reach:t_fault_tables lifetime:t_udmabuf process:t_namespace \
			process:t_subordinates suspend:t_control_page
		# Nor can it be told to copy memory on its way to a device.
		queue 20 qemu/swiotlb testbox/run-qemu.sh --chipset g84 --vram 32 --timeout 600 \
			--append "no_timer_check swiotlb=force" --log "$out/qemu-swiotlb.dmesg" \
			-- sh /src/tests/run-in-guest.sh program probe swiotlb
		# The kernel of User Mode Linux has no hibernation. This guest boots twice.
		queue 60 qemu/hibernate testbox/run-qemu.sh --chipset g84 --vram 32 --disk 512 --timeout 1200 \
			--append no_timer_check --log "$out/qemu-hibernate.dmesg" \
			-- sh /src/tests/nouveau/hibernate.sh
		# The card goes from nouveau to nvfifo, to vfio-pci and back.
		queue 30 qemu/bind testbox/run-qemu.sh --chipset g84 --vram 64 --iommu --lenient --timeout 600 \
			--modules "nouveau vfio-pci" \
			--sim-args "--whole-card --quirk pfifo-tlb=coherent --quirk ectx-word3=low" \
			--append no_timer_check --log "$out/qemu-bind.dmesg" -- sh /src/tests/nouveau/bind.sh
		# The kernel of User Mode Linux has no console on a PCI card.
		queue 20 qemu/console testbox/run-qemu.sh --chipset g84 --vram 32 --timeout 600 \
			--console --carry bochs --append no_timer_check --log "$out/qemu-console.dmesg" \
			-- sh /src/tests/nouveau/console.sh
		# A line that an interrupt holds is a level in QEMU, and an edge in User Mode Linux.
		queue 20 qemu/intx testbox/run-qemu.sh --chipset mcp77 --intx --vram 32 --timeout 600 \
			--sim-args "--quirk posted-irqs=on" \
			--append no_timer_check --log "$out/qemu-intx.dmesg" \
			-- sh /src/tests/run-in-guest.sh program suspend t_firmware_irq
		# The image of make stick; make test-stick has more boots of it.
		build stick packaging/stick/make.sh
		queue 30 qemu/stick tests/stick.py bios-g84
		# One guest with all the cards.
		cards=()
		for c in $CHIPSETS; do
			cards+=("${cards[0]+--beside}" "$c")
		done
		cards[0]=--chipset
		queue 40 qemu/nv testbox/run-qemu.sh "${cards[@]}" --vram 32 --timeout 1200 \
			--append no_timer_check --log "$out/qemu-nv.dmesg" -- sh /src/tests/nouveau/nv.sh
		;;
	nouveau)
		[ "$can" = yes ] || continue
		for c in g80 g84 g200 gt215; do
			queue 40 "nouveau/$c" testbox/nouveau-on-sim.sh --tap $c
		done
		;;
	esac
done
[ $reused -eq 0 ] || echo "Of make test, $reused runs have the same sources and count again. REUSE= runs all."
echo "Everything is built after $((SECONDS / 60)):$(printf %02d $((SECONDS % 60))). ${#names[@]} runs, $guests at a time."
[ ${#names[@]} -eq 0 ] || run_queue

# For the words "tried with" of the documentation: versions move by themselves.
tried_with()
{
	local qemu

	# shellcheck disable=SC1091
	printf 'Tried with %s, %s' "$(. /etc/os-release && echo "$PRETTY_NAME")" "$(${CC:-gcc} --version | sed -n 1p)"
	[ -z "${ready-}" ] ||
		printf ', UML Linux %s' "$(cat "$NVFIFO_UML/include/config/kernel.release" 2>/dev/null || echo '?')"
	if [ "${can-}" = yes ]; then
		qemu=$(tail -n 1 "$out/build-qemu.log")
		printf ', %s' "$("$qemu/qemu" --version | sed -n 1p)"
		printf ', Linux %s' "$(cat "$qemu/6.12/release")"
	fi
	echo .
}
tried_with

# Where the time went; each run is in build/results/times.
print_times()
{
	awk '{ kind = $1; sub("/.*", "", kind); if (kind !~ /^(host|kunit|variant|qemu|nouveau|gl|igt|fuzz|quirks|debug|kcsan|piglit|playground|browser)/) kind = "driver"
		cpu[kind] += $3; all += $3 }
		END {
			printf "Processor time of the tests: %d:%02d min", all / 60, all % 60
			for (kind in cpu)
				printf ", %s %d:%02d", kind, cpu[kind] / 60, cpu[kind] % 60
			print ""
		}' "$out/times"
	# The suites that took the longest, waiting included, in all guests together.
	cat "$out"/*.tap | awk '$1 == "#" && $2 == "took" && NF == 4 { sum[$3] += $4; all += $4 }
		END {
			for (suite in sum)
				printf "%d %s %d:%02d\n", sum[suite], suite, sum[suite] / 6000, sum[suite] / 100 % 60
		}' | sort -rn | awk 'NR <= 15 { line = line " " $2 " " $3 "," }
		END { if (line) print "Longest suites, all guests together, in minutes:" substr(line, 1, length(line) - 1) }'
}
[ ${#names[@]} -eq 0 ] || print_times
echo "All done after $((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))."
verdict
