#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Boot the UML kernel with the model of a card in it, run one command, switch off.
#
#	run-guest.sh [option]... [--] command [argument]...
#
#	--chipset NAME	which card (default g84); g80 g84 g86 g92 g94 g96 g98 g200
#			mcp77 mcp79 gt215 gt216 gt218 mcp89
#	--no-card	no card at all
#	--vram MIB	memory of the card (default: what the model takes)
#	--mem MIB	memory of the guest (default 256)
#	--timeout S	kill the guest after S seconds (default 300)
#	--log FILE	keep the kernel's messages
#	--trace FILE	keep the model's trace
#	--stats FILE	keep the model's counters
#	--keep DIR	keep what the command leaves in /out/keep
#	--sim-args STR	more options for the model, split at blanks; may be repeated
#	--append STR	more of the kernel's command line; may be repeated
#	--env NAME=VAL	set a variable for the command; may be repeated
#	--lenient	accesses that no correct driver makes do not fail the run
#	--no-leak-check	skip the search for leaked memory, which takes 6 s
#	--allow REGEX	kernel messages that are wanted although they look like a
#			mistake (extended regular expression); may be repeated
#
# In the guest, /src is the repository (read only), /out a directory that is
# thrown away afterwards, $CHIPSET the name of the card. PATH starts with
# build/guest. The command's output, both kinds, appears on stdout.
#
# NVFIFO_UML in the environment names the directory of another UML kernel than the
# one that build-uml.sh would build now.
#
# Exit status: the command's; or
#	125	the command may have succeeded, but the kernel or the model complained
#	124	the time was up
#	126	the guest could not be started, or ended without a result
# What went wrong is said on stderr.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

device_id=1234 # CONFIG_UML_PCI_OVER_VIRTIO_DEVICE_ID
chipset=g84
card=1
vram=
mem=256
timeout=300
log=
trace=
stats=
keep=
strict=1
leaks=1
sim_args=()
append=()
env=()
allow=()

fail()
{
	say "run-guest: $*"
	exit 126
}

need_number() # option, value, least, most
{
	if ! [[ $2 =~ ^[0-9]{1,9}$ ]] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		fail "$1 '$2': not a number from $3 to $4"
	fi
}

while [ $# -gt 0 ]; do
	case $1 in
	--chipset | --vram | --mem | --timeout | --log | --trace | --stats | --keep | --sim-args | \
		--append | --env | --allow)
		[ $# -ge 2 ] || fail "$1 needs a value"
		;;
	esac
	case $1 in
	--chipset) chipset=${2,,} ;;
	--vram) need_number "$1" "$2" 1 4096 && vram=$2 ;;
	--mem) need_number "$1" "$2" 64 4096 && mem=$2 ;;
	--timeout) need_number "$1" "$2" 1 86400 && timeout=$2 ;;
	--log) log=$2 ;;
	--trace) trace=$2 ;;
	--stats) stats=$2 ;;
	--keep) keep=$2 ;;
	--sim-args) read -ra words <<<"$2" && sim_args+=("${words[@]}") ;;
	--append) read -ra words <<<"$2" && append+=("${words[@]}") ;;
	--env)
		[[ $2 =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || fail "--env '$2': not NAME=VALUE"
		env+=("$2")
		;;
	--allow) allow+=("$2") ;;
	--no-card) card= ;;
	--lenient) strict= ;;
	--no-leak-check) leaks= ;;
	--)
		shift
		break
		;;
	-h | --help)
		sed -n '2,/^set -/p' "$0" | grep '^#' | cut -c3-
		exit 0
		;;
	-*) fail "unknown option $1; see --help" ;;
	*) break ;;
	esac
	case $1 in
	--no-card | --lenient | --no-leak-check) shift ;;
	*) shift 2 ;;
	esac
done
[ $# -gt 0 ] || fail "no command given; see --help"
case " $chipsets " in
*" $chipset "*) ;;
*) fail "--chipset '$chipset': not one of $chipsets" ;;
esac

nvsim=$top/build/sim/nvsim
kernel=${NVFIFO_UML:-$("$testbox/build-uml.sh" --path)} || exit 126
busybox=$(command -v busybox) || fail "busybox is not installed: run testbox/setup.sh"
command -v cpio >/dev/null || fail "cpio is not installed: run testbox/setup.sh"
[ -z "$card" ] || [ -x "$nvsim" ] || fail "$nvsim is missing: run make sim"

# The guest's memory is a file that must be executable; in memory if possible.
mem_dir=${TMPDIR:-/tmp}
try=/dev/shm/nvfifo.$$
if (printf '#!/bin/sh\n' >"$try" && chmod +x "$try" && "$try") 2>/dev/null &&
	[ "$(df -Pk /dev/shm | awk 'NR == 2 { print int($4 / 1024) }')" -ge $((2 * mem)) ]; then
	mem_dir=/dev/shm
fi
rm -f "$try"

run=$(mktemp -d "${TMPDIR:-/tmp}/nvfifo.XXXXXX")
guest_pid=
sim_pid=
tail_pid=

# shellcheck disable=SC2317 # a trap calls it
finish()
{
	trap - EXIT INT TERM HUP
	# The guest is a group of processes of its own, led by guest_pid.
	[ -z "$guest_pid" ] || kill -KILL -- "-$guest_pid" 2>/dev/null || true
	[ -z "$sim_pid" ] || kill "$sim_pid" 2>/dev/null || true
	[ -z "$tail_pid" ] || kill "$tail_pid" 2>/dev/null || true
	wait
	rm -rf "$run"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The first file system: busybox, init and what init must know.
root=$run/root
mkdir -p "$root/bin" "$root/dev" "$run/out" "$run/uml"
cp "$busybox" "$root/bin/busybox"
cp "$testbox/guest-init" "$root/init"
{
	printf 'SRC=%q\n' "$top"
	printf 'OUT=%q\n' "$run/out"
	printf 'LEAKS=%s\n' "$leaks"
} >"$root/settings"
(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0) >"$run/initrd"
{
	[ -z "$card" ] || printf 'export CHIPSET=%q\n' "$chipset"
	for e in "${env[@]}"; do
		printf 'export %s=%q\n' "${e%%=*}" "${e#*=}"
	done
	printf '%q ' "$@"
	echo
} >"$run/out/command"

device=()
if [ -n "$card" ]; then
	args=(--socket "$run/card" --chipset "$chipset" --report "$run/violations")
	[ -z "$vram" ] || args+=(--vram "$vram")
	[ -z "$strict" ] || args+=(--strict)
	[ -z "$trace" ] || args+=(--trace "$trace")
	[ -z "$stats" ] || args+=(--stats "$stats")
	"$nvsim" "${args[@]}" "${sim_args[@]}" >"$run/model.log" 2>&1 </dev/null &
	sim_pid=$!
	for ((i = 0; i < 200; i++)); do
		[ ! -S "$run/card" ] || break
		kill -0 "$sim_pid" 2>/dev/null || break
		sleep 0.05
	done
	if [ ! -S "$run/card" ]; then
		cat "$run/model.log" >&2
		fail "the model did not start"
	fi
	device=("virtio_uml.device=$run/card:$device_id")
fi

: >"$run/console"
: >"$run/stdout"
ulimit -c 0
TMPDIR=$mem_dir setsid "$kernel/linux" "mem=${mem}M" "initrd=$run/initrd" "uml_dir=$run/uml" umid=guest \
	con=null con0=null,fd:1 con1=null,fd:3 panic=-1 oops=panic kasan_multi_shot loglevel=8 kunit.enable=1 \
	virt_pci.max_delay_us=60000000 \
	"${device[@]}" "${append[@]}" \
	</dev/null >"$run/console" 2>&1 3>"$run/stdout" &
guest_pid=$!
tail -n +1 -s 0.2 -f --pid="$guest_pid" "$run/stdout" &
tail_pid=$!

timed_out=
SECONDS=0
while kill -0 "$guest_pid" 2>/dev/null; do
	if [ "$SECONDS" -ge "$timeout" ]; then
		timed_out=1
		kill -KILL -- "-$guest_pid" 2>/dev/null || true
		break
	fi
	sleep 0.1
done 2>/dev/null # the shell would tell that the guest was aborted
guest_status=0
wait "$guest_pid" 2>/dev/null || guest_status=$?
kill -KILL -- "-$guest_pid" 2>/dev/null || true
guest_pid=
wait "$tail_pid" 2>/dev/null || true
tail_pid=

sim_status=0
if [ -n "$sim_pid" ]; then
	# The model leaves when the guest hangs up.
	for ((i = 0; i < 100; i++)); do
		kill -0 "$sim_pid" 2>/dev/null || break
		sleep 0.05
	done
	if kill -0 "$sim_pid" 2>/dev/null; then
		kill "$sim_pid" 2>/dev/null || true
		say "run-guest: the model did not leave when the guest did"
		wait "$sim_pid" 2>/dev/null || true
		sim_status=1
	else
		wait "$sim_pid" || sim_status=$?
	fi
	sim_pid=
fi

tr -d '\r' <"$run/console" >"$run/dmesg"
[ -z "$log" ] || cp "$run/dmesg" "$log"

bad=
complain() # what, file with the lines
{
	bad=1
	say "run-guest: $1"
	head -n 60 "$2" | sed 's/^/  | /' >&2
}

# What the kernel says when something is wrong: these words begin its reports.
mistakes='BUG:|WARNING:|Oops|Kernel panic|KASAN|UBSAN|kernel BUG|general protection|Unable to handle|'
mistakes+='INFO: (task|rcu|trying to register)|DMA-API:|ODEBUG:|refcount_t:|list_(add|del) corruption|'
mistakes+='sleeping function called|scheduling while atomic|bad unlock balance|held lock freed|'
mistakes+='um virt-pci|Bad page|Out of memory|nobody cared|segfault'
allowed='^$'
for a in "${allow[@]}"; do
	allowed+="|$a"
done
grep -nE "$mistakes" "$run/dmesg" | grep -vE "DMA-API: (preallocated|debugging enabled)|$allowed" \
	>"$run/first" || true
if [ -s "$run/first" ]; then
	line=$(head -n 1 "$run/first" | cut -d: -f1)
	# A panic is said after the registers and the trace, most others before.
	sed -n "$((line > 15 ? line - 15 : 1)),$((line + 45))p" "$run/dmesg" >"$run/excerpt"
	complain "the kernel complained ($(wc -l <"$run/first") lines match); the first place:" "$run/excerpt"
fi
if [ -s "$run/out/leaks" ]; then
	complain "memory was leaked:" "$run/out/leaks"
fi
if [ "$sim_status" -eq 3 ]; then
	complain "the model saw accesses that no correct driver makes:" "$run/violations"
elif [ "$sim_status" -ne 0 ]; then
	complain "the model failed with status $sim_status:" "$run/model.log"
elif [ -s "${run}/model.log" ]; then
	sed 's/^/model: /' "$run/model.log" >&2
fi

if [ -n "$keep" ] && [ -d "$run/out/keep" ]; then
	mkdir -p "$keep" && cp -r "$run/out/keep/." "$keep/"
fi

if [ -n "$timed_out" ]; then
	tail -n 40 "$run/dmesg" >"$run/excerpt"
	complain "the guest was still running after $timeout s and was killed; its last messages:" "$run/excerpt"
	exit 124
fi
if [ ! -s "$run/out/status" ]; then
	tail -n 40 "$run/dmesg" >"$run/excerpt"
	complain "the guest ended (status $guest_status) without a result; its last messages:" "$run/excerpt"
	exit 126
fi
[ -z "$bad" ] || exit 125
exit "$(cat "$run/out/status")"
