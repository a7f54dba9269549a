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
#	--second-card	another one of the same kind
#	--vram MIB	memory of the card (default: what the model takes)
#	--mem MIB	memory of the guest (default 256)
#	--timeout S	kill the guest after S seconds (default 300)
#	--log FILE	keep the kernel's messages
#	--trace FILE	keep the model's trace
#	--stats FILE	keep the model's counters
#	--record FILE	keep a record of the run, for nvsim --replay and --decode
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
# shellcheck source=testbox/guest-lib.sh
. "$(dirname "$0")/guest-lib.sh"

device_id=1234 # CONFIG_UML_PCI_OVER_VIRTIO_DEVICE_ID
card=1
second=
mem=256
keep=
leaks=1

while [ $# -gt 0 ]; do
	taken=1
	case $1 in
	--mem) need_value "$@" && need_number "$1" "$2" 64 4096 && mem=$2 && taken=2 ;;
	--keep) need_value "$@" && keep=$2 && taken=2 ;;
	--no-card) card= ;;
	--second-card) second=1 ;;
	--no-leak-check) leaks= ;;
	--)
		shift
		break
		;;
	-*) common_option "$@" ;;
	*) break ;;
	esac
	shift $taken
done
[ $# -gt 0 ] || fail "no command given; see --help"
need_chipset

kernel=${NVFIFO_UML:-$("$testbox/build-uml.sh" --path)} || exit 126
busybox=$(command -v busybox) || fail "busybox is not installed: run testbox/setup.sh"
command -v cpio >/dev/null || fail "cpio is not installed: run testbox/setup.sh"
[ -z "$card" ] || [ -x "$nvsim" ] || fail "$nvsim is missing: run make sim"

# The guest's memory is a file that must be executable, in memory if possible. Other guests that run
# at the same time take of the same room.
can_hold_guests() # directory, guests
{
	local try=$1/nvfifo.$$ runs=''

	if (printf '#!/bin/sh\n' >"$try" && chmod +x "$try" && "$try") 2>/dev/null; then
		runs=1
	fi
	rm -f "$try"
	[ -n "$runs" ] && [ "$(free_room "$1")" -ge $(($2 * mem)) ]
}
mem_dir=/dev/shm
if ! can_hold_guests $mem_dir $((${NVFIFO_GUESTS:-1} + 1)); then
	mem_dir=${TMPDIR:-/tmp}
	can_hold_guests "$mem_dir" 1 || fail "neither /dev/shm nor $mem_dir lets programs run and has" \
		"$mem MiB free for the guest's memory: set TMPDIR to a directory that does"
fi

begin_run

# The first file system: busybox, init and what init must know.
root=$run/root
mkdir -p "$root/bin" "$root/dev" "$run/uml"
cp "$busybox" "$root/bin/busybox"
cp "$testbox/guest-init" "$root/init"
{
	printf 'SRC=%q\n' "$top"
	printf 'OUT=%q\n' "$run/out"
	printf 'LEAKS=%s\n' "$leaks"
} >"$root/settings"
(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0) >"$run/initrd"
write_command "${card:+export CHIPSET=$chipset$'\n'}" "$@"

device=()
if [ -n "$card" ]; then
	start_model --socket card "$chipset"
	device=("virtio_uml.device=card:$device_id")
fi
if [ -n "$second" ]; then
	start_model --socket card2 "$chipset"
	device+=("virtio_uml.device=card2:$device_id")
fi

: >"$run/console"
: >"$run/stdout"
# Its command line has no way to write a blank: names are relative to $run.
cd "$run"
TMPDIR=$mem_dir setsid "$kernel/linux" "mem=${mem}M" initrd=initrd uml_dir=uml/ umid=guest \
	con=null con0=null,fd:1 con1=null,fd:3 panic=-1 oops=panic kasan_multi_shot loglevel=8 kunit.enable=1 \
	virt_pci.max_delay_us=60000000 \
	"${device[@]}" "${append[@]}" \
	</dev/null >"$run/console" 2>&1 3>"$run/stdout" &
guest_pid=$!
cd "$OLDPWD"
wait_guest $guest_pid
wait_models
if [ -n "$keep" ] && [ -d "$run/out/keep" ]; then
	mkdir -p "$keep" && cp -r "$run/out/keep/." "$keep/"
fi
# The check of DMA mappings gives up if a test lets its own allocations fail.
end_run 'um virt-pci' 'DMA-API: (preallocated|debugging enabled|cacheline tracking ENOMEM)'
