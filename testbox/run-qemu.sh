#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Boot a distribution's kernel in QEMU with the model of a card in it, run one
# command, switch off: the test box without the card.
#
#	run-qemu.sh [option]... [--] command [argument]...
#	run-qemu.sh --shell [option]...
#
#	--chipset NAME	which card (default g84); g80 g84 g86 g92 g94 g96 g98 g200
#			mcp77 mcp79 gt215 gt216 gt218 mcp89
#	--kernel V	which kernel, by the begin of its release (default 6.12)
#	--smp N		CPUs of the guest, 1 to 8 (default 2)
#	--iommu		with an IOMMU (Intel's, emulated) between card and memory
#	--intx		the card's line interrupt instead of MSI: sets $NVFIFO_INTX, which
#			makes run-in-guest.sh load the module with msi=0
#	--vram MIB	memory of the card (default: what the model takes)
#	--mem MIB	memory of the guest (default 512)
#	--timeout S	kill the guest after S seconds (default 300; none with --shell)
#	--log FILE	keep the kernel's messages
#	--trace FILE	keep the model's trace
#	--stats FILE	keep the model's counters
#	--sim-args STR	more options for the model, split at blanks; may be repeated
#	--append STR	more of the kernel's command line; may be repeated
#	--modules STR	more of the kernel's modules, by name; may be repeated
#	--env NAME=VAL	set a variable for the command; may be repeated
#	--lenient	accesses that no correct driver makes do not fail the run
#	--allow REGEX	kernel messages that are wanted although they look like a
#			mistake (extended regular expression); may be repeated
#	--no-nvfifo	do not build nvfifo.ko for the kernel
#	--shell		a shell on this terminal instead of a command
#
# In the guest, /src is the repository (read only), /out a directory that is
# thrown away afterwards, $CHIPSET the name of the card, $MODULE the path of
# nvfifo.ko. PATH starts with build/guest. The command's output, both kinds, appears
# on stdout.
#
# Exit status: the command's; or
#	125	the command may have succeeded, but the kernel or the model complained
#	124	the time was up
#	126	the guest could not be started, or ended without a result
# What went wrong is said on stderr.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

chipset=g84
version=6.12
smp=2
iommu=
intx=
vram=
mem=512
timeout=300
log=
trace=
stats=
strict=1
driver=1
shell=
sim_args=()
append=()
env=()
allow=()
modules=(9pnet_virtio 9p virtio_pci)

fail()
{
	say "run-qemu: $*"
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
	--chipset | --kernel | --smp | --vram | --mem | --timeout | --log | --trace | --stats | \
		--sim-args | --append | --modules | --env | --allow)
		[ $# -ge 2 ] || fail "$1 needs a value"
		;;
	esac
	case $1 in
	--chipset) chipset=${2,,} ;;
	--kernel) version=$2 ;;
	--smp) need_number "$1" "$2" 1 8 && smp=$2 ;;
	--vram) need_number "$1" "$2" 1 4096 && vram=$2 ;;
	--mem) need_number "$1" "$2" 128 16384 && mem=$2 ;;
	--timeout) need_number "$1" "$2" 1 86400 && timeout=$2 ;;
	--log) log=$2 ;;
	--trace) trace=$2 ;;
	--stats) stats=$2 ;;
	--sim-args) read -ra words <<<"$2" && sim_args+=("${words[@]}") ;;
	--append) read -ra words <<<"$2" && append+=("${words[@]}") ;;
	--modules) read -ra words <<<"$2" && modules+=("${words[@]}") ;;
	--env)
		[[ $2 =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || fail "--env '$2': not NAME=VALUE"
		env+=("$2")
		;;
	--allow) allow+=("$2") ;;
	--iommu) iommu=1 ;;
	--intx) intx=1 ;;
	--lenient) strict= ;;
	--no-nvfifo) driver= ;;
	--shell) shell=1 ;;
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
	--iommu | --intx | --lenient | --no-nvfifo | --shell) shift ;;
	*) shift 2 ;;
	esac
done
if [ -n "$shell" ]; then
	[ $# -eq 0 ] || fail "--shell runs no command"
	[ -t 0 ] || fail "--shell needs a terminal"
	set -- sh /src/testbox/shell-in-guest.sh
	timeout=86400
else
	[ $# -gt 0 ] || fail "no command given; see --help"
fi
case " $chipsets " in
*" $chipset "*) ;;
*) fail "--chipset '$chipset': not one of $chipsets" ;;
esac

nvsim=$top/build/sim/nvsim
[ -x "$nvsim" ] || fail "$nvsim is missing: run make sim"
busybox=$(command -v busybox) || fail "busybox is not installed: run testbox/setup.sh testbox"
qemu=$("$testbox/qemu-setup.sh") || exit 126
case " $(<"$qemu/versions") " in
*" $version "*) ;;
*) fail "--kernel '$version': not one of $(<"$qemu/versions")" ;;
esac
[ -z "$driver" ] || "$testbox/qemu-module.sh" "$version" >/dev/null || fail "nvfifo.ko could not be built"

run=$(mktemp -d "${TMPDIR:-/tmp}/nvfifo.XXXXXX")
guest_pid=
sim_pid=
tail_pid=
terminal=

# shellcheck disable=SC2317 # a trap calls it
finish()
{
	trap - EXIT INT TERM HUP
	[ -z "$guest_pid" ] || kill -KILL "$guest_pid" 2>/dev/null || true
	[ -z "$sim_pid" ] || kill "$sim_pid" 2>/dev/null || true
	[ -z "$tail_pid" ] || kill "$tail_pid" 2>/dev/null || true
	wait
	[ -z "$terminal" ] || stty "$terminal"
	rm -rf "$run"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

modules_dir=$qemu/$version/modules/lib/modules/$(<"$qemu/$version/release")

# Which modules are to be loaded for these, in order.
in_order() # name...
{
	# modules.dep names each with all that it needs, the deepest last.
	awk -v names="$*" '
		function plain(path) {
			sub(/.*\//, "", path)
			sub(/\.ko.*/, "", path)
			gsub(/-/, "_", path)
			return path
		}
		{ sub(/:$/, "", $1); line[plain($1)] = $0 }
		END {
			n = split(names, name, " ")
			for (i = 1; i <= n; i++) {
				gsub(/-/, "_", name[i])
				# Not there: built in, or the kernel has no such module.
				for (j = split(line[name[i]], path, " "); j > 0; j--)
					if (!seen[path[j]]++)
						print path[j]
			}
		}' "$modules_dir/modules.dep"
}

# The first file system: busybox, init, modules and what init must know.
root=$run/root
mkdir -p "$root/bin" "$root/dev" "$root/modules" "$run/out"
cp "$busybox" "$root/bin/busybox"
cp "$testbox/qemu-init" "$root/init"
chmod +x "$root/init"
module=$top/build/qemu/$version/nvfifo.ko
if [ -n "$driver" ]; then
	IFS=, read -ra words <<<"$(modinfo -F depends "$module")"
	modules+=("${words[@]}")
fi
# To share buffers with.
modules+=(drm_shmem_helper)
unpack() # path below modules_dir, file
{
	case $1 in
	*.xz) xz -dc "$modules_dir/$1" >"$2" ;;
	*.zst) zstd -qdc "$modules_dir/$1" >"$2" ;;
	*) cp "$modules_dir/$1" "$2" ;;
	esac
}
in_order "${modules[@]}" >"$run/order"
while read -r path; do
	name=$(basename "$path")
	name=${name%.ko*}.ko
	unpack "$path" "$root/modules/$name"
	echo "$name" >>"$root/modules/order"
done <"$run/order"
vgem=$(cd "$modules_dir" && find . -name 'vgem.ko*' | head -n 1)
[ -z "$vgem" ] || unpack "$vgem" "$root/modules/vgem.ko"
printf 'SHELL_WANTED=%s\n' "$shell" >"$root/settings"
(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0) >"$run/initrd"
{
	printf 'export CHIPSET=%q\n' "$chipset"
	[ -z "$driver" ] || printf 'export MODULE=/src/build/qemu/%q/nvfifo.ko\n' "$version"
	echo 'export VGEM=/modules/vgem.ko'
	[ -z "$intx" ] || echo 'export NVFIFO_INTX=1'
	for e in "${env[@]}"; do
		printf 'export %s=%q\n' "${e%%=*}" "${e#*=}"
	done
	printf '%q ' "$@"
	echo
} >"$run/out/command"

args=(--vfio-user "$run/card" --chipset "$chipset" --report "$run/violations")
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

machine=q35,memory-backend=mem
devices=()
cmdline=(console=ttyS0 panic=-1 oops=panic loglevel=8 rdinit=/init)
if [ -n "$iommu" ]; then
	devices+=(-device "intel-iommu,caching-mode=on")
	cmdline+=(intel_iommu=on)
fi
devices+=(
	-device "pcie-root-port,id=rp0,chassis=1,slot=1"
	-device "{\"driver\":\"vfio-user-pci\",\"bus\":\"rp0\",\"id\":\"gpu\",\"x-msg-timeout\":120000,\"x-send-queued\":true,\"socket\":{\"type\":\"unix\",\"path\":\"$run/card\"}}"
	-fsdev "local,id=src,path=$top,security_model=none,readonly=on,multidevs=remap"
	-device "virtio-9p-pci,fsdev=src,mount_tag=src"
	-fsdev "local,id=out,path=$run/out,security_model=none"
	-device "virtio-9p-pci,fsdev=out,mount_tag=out"
)
: >"$run/console"
: >"$run/stdout"
ulimit -c 0
# Without the fast string instructions the kernel fills and copies by 8 bytes, with them
# by single ones, of which each is an access to the card when there is no hardware.
start=("$qemu/qemu" -accel "tcg,thread=multi" -cpu "max,erms=off,fsrm=off,fsrs=off,fzrm=off" -M "$machine" -m "${mem}M" -smp "$smp"
	-object "memory-backend-memfd,id=mem,size=${mem}M,share=on"
	-nodefaults -display none -monitor none -no-reboot -net none
	-kernel "$qemu/$version/vmlinuz" -initrd "$run/initrd"
	-append "${cmdline[*]} ${append[*]}"
	-serial "file:$run/console" "${devices[@]}")
timed_out=
guest_status=0
SECONDS=0
if [ -n "$shell" ]; then
	terminal=$(stty -g)
	# In the foreground, for the terminal's sake; ^C goes to the guest.
	stty raw -echo
	"${start[@]}" -chardev stdio,id=tty,signal=off -serial chardev:tty 2>"$run/qemu.log" || guest_status=$?
	stty "$terminal"
	terminal=
else
	"${start[@]}" -serial "file:$run/stdout" >"$run/qemu.log" 2>&1 </dev/null &
	guest_pid=$!
	tail -n +1 -s 0.2 -f --pid="$guest_pid" "$run/stdout" &
	tail_pid=$!
	while kill -0 "$guest_pid" 2>/dev/null; do
		if [ "$SECONDS" -ge "$timeout" ]; then
			timed_out=1
			kill -KILL "$guest_pid" 2>/dev/null || true
			break
		fi
		sleep 0.1
	done 2>/dev/null # the shell would tell that the guest was killed
	wait "$guest_pid" 2>/dev/null || guest_status=$?
	guest_pid=
	wait "$tail_pid" 2>/dev/null || true
	tail_pid=
fi

sim_status=0
# The model leaves when the guest hangs up.
for ((i = 0; i < 100; i++)); do
	kill -0 "$sim_pid" 2>/dev/null || break
	sleep 0.05
done
if kill -0 "$sim_pid" 2>/dev/null; then
	kill "$sim_pid" 2>/dev/null || true
	say "run-qemu: the model did not leave when the guest did"
	wait "$sim_pid" 2>/dev/null || true
	sim_status=1
else
	wait "$sim_pid" || sim_status=$?
fi
sim_pid=

tr -d '\r' <"$run/console" >"$run/dmesg"
[ -z "$log" ] || cp "$run/dmesg" "$log"

bad=
complain() # what, file with the lines
{
	bad=1
	say "run-qemu: $1"
	head -n 60 "$2" | sed 's/^/  | /' >&2
}

# What the kernel says when something is wrong: these words begin its reports.
mistakes='BUG:|WARNING:|Oops|Kernel panic|KASAN|UBSAN|kernel BUG|general protection|Unable to handle|'
mistakes+='INFO: (task|rcu|trying to register)|DMA-API:|ODEBUG:|refcount_t:|list_(add|del) corruption|'
mistakes+='sleeping function called|scheduling while atomic|bad unlock balance|held lock freed|'
mistakes+='Bad page|Out of memory|nobody cared|segfault|run-qemu:|DMAR: \[DMA|soft lockup|AER: [^e]'
allowed='^$'
for a in "${allow[@]}"; do
	allowed+="|$a"
done
grep -nE "$mistakes" "$run/dmesg" | grep -vE "$allowed" >"$run/first" || true
if [ -s "$run/first" ]; then
	line=$(head -n 1 "$run/first" | cut -d: -f1)
	# A panic is said after the registers and the trace, most others before.
	sed -n "$((line > 15 ? line - 15 : 1)),$((line + 45))p" "$run/dmesg" >"$run/excerpt"
	complain "the kernel complained ($(wc -l <"$run/first") lines match); the first place:" "$run/excerpt"
fi
[ ! -s "$run/qemu.log" ] || complain "QEMU complained:" "$run/qemu.log"
if [ "$sim_status" -eq 3 ]; then
	complain "the model saw accesses that no correct driver makes:" "$run/violations"
elif [ "$sim_status" -ne 0 ]; then
	complain "the model failed with status $sim_status:" "$run/model.log"
elif [ -s "$run/model.log" ]; then
	sed 's/^/model: /' "$run/model.log" >&2
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
