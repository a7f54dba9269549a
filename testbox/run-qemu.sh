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
#	--beside NAME	another card of this chipset, which starts with the model's defaults; may
#			be repeated: $CHIPSETS names all cards, in the order of their addresses
#	--kernel V	which kernel, by the begin of its release (default 6.12), or "debug" or
#			"kcsan": those of build-debug.sh, which find races (built when not there)
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
#	--record FILE	keep a record of the run, for nvsim --replay and --decode
#	--sim-args STR	more options for the model, split at blanks; may be repeated
#	--append STR	more of the kernel's command line; may be repeated
#	--modules STR	more of the kernel's modules, by name; may be repeated
#	--carry STR	modules that are not loaded: /modules/carried lists their files and
#			those of the modules that they need, in order; may be repeated
#	--console	two more graphics cards, of QEMU's kind: the first has the firmware's
#			console, the second has none
#	--env NAME=VAL	set a variable for the command; may be repeated
#	--lenient	accesses that no correct driver makes do not fail the run
#	--allow REGEX	kernel messages that are wanted although they look like a
#			mistake (extended regular expression); may be repeated
#	--count FILE	have tests/bench/count.c count instructions, with build/bench/count.so
#	--disk MIB	an empty disk, /dev/vda, for an image of a hibernation; the machine resets
#			when the guest's kernel restarts it, and the card is then a new one
#	--no-nvfifo	do not build nvfifo.ko for the kernel
#	--tree DIR	copy the files below DIR into the guest's root
#	--shell		a shell on this terminal instead of a command
#
# In the guest, /src holds a copy of the repository's tests, examples and build/guest,
# $CHIPSET is the name of the card, $MODULE the path of nvfifo.ko, and $NVFIFO_SLOW_BARS is
# set. PATH starts with build/guest. The command's output, both kinds, appears on stdout.
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

version=6.12
smp=2
iommu=
intx=
mem=512
beside=()
driver=1
shell=
modules=()
carry=()
console=
plugin=()
disk=
tree=

while [ $# -gt 0 ]; do
	taken=2
	case $1 in
	--beside | --kernel | --smp | --mem | --disk | --modules | --carry | --count | --tree) need_value "$@" ;;
	esac
	case $1 in
	--beside) beside+=("${2,,}") ;;
	--kernel) version=$2 ;;
	--smp) need_number "$1" "$2" 1 8 && smp=$2 ;;
	--mem) need_number "$1" "$2" 128 16384 && mem=$2 ;;
	--disk) need_number "$1" "$2" 64 16384 && disk=$2 && modules+=(virtio_pci virtio_blk) ;;
	--modules) read -ra words <<<"$2" && modules+=("${words[@]}") ;;
	--carry) read -ra words <<<"$2" && carry+=("${words[@]}") ;;
	--count) plugin=(-plugin "file=$top/build/bench/count.so,out=$(absolute "$2")") ;;
	--tree) tree=$(absolute "$2") ;;
	--iommu) iommu=1 && taken=1 ;;
	--console) console=1 && taken=1 ;;
	--intx) intx=1 && taken=1 ;;
	--no-nvfifo) driver= && taken=1 ;;
	--shell) shell=1 && taken=1 ;;
	--)
		shift
		break
		;;
	-*) common_option "$@" ;;
	*) break ;;
	esac
	shift $taken
done
if [ -n "$shell" ]; then
	[ $# -eq 0 ] || fail "--shell runs no command"
	[ -t 0 ] || fail "--shell needs a terminal"
	set -- sh /src/testbox/shell-in-guest.sh
	timeout=86400
else
	[ $# -gt 0 ] || fail "no command given; see --help"
fi
need_chipset
for name in "${beside[@]}"; do
	case " $chipsets " in
	*" $name "*) ;;
	*) fail "--beside '$name': not one of $chipsets" ;;
	esac
done

[ -x "$nvsim" ] || fail "$nvsim is missing: run make sim"
busybox=$(command -v busybox) || fail "busybox is not installed: run testbox/setup.sh testbox"
case $version in
6.12 | debug | kcsan) ;;
# Not in the folder unless somebody asked for more.
*) [ -e "$cache/trixie/.full" ] || "$testbox/headers-root.sh" --full >/dev/null || exit 126 ;;
esac
qemu=$("$testbox/qemu-setup.sh") || exit 126
case " $(<"$qemu/versions") debug kcsan " in
*" $version "*) ;;
*) fail "--kernel '$version': not one of $(<"$qemu/versions") debug kcsan" ;;
esac
kernel=$qemu/$version
build_module=("$testbox/qemu-module.sh" "$version")
case $version in
debug | kcsan)
	kernel=$("$testbox/build-debug.sh" "$version") || exit 126
	build_module=("$testbox/debug-module.sh" "$version")
	;;
esac
[ -z "$driver" ] || "${build_module[@]}" >/dev/null || fail "nvfifo.ko could not be built"

begin_run
terminal=

modules_dir=$kernel/modules/lib/modules/$(<"$kernel/release")

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
mkdir -p "$root/bin" "$root/dev" "$root/modules"
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
unpack_all() # list of names to write, name...
{
	local list=$1 path name

	shift
	in_order "$@" >"$run/order"
	while read -r path; do
		name=$(basename "$path")
		name=${name%.ko*}.ko
		unpack "$path" "$root/modules/$name"
		echo "$name" >>"$root/modules/$list"
	done <"$run/order"
}
unpack_all order "${modules[@]}"
[ ${#carry[@]} -eq 0 ] || unpack_all carried "${carry[@]}"
vgem=$(cd "$modules_dir" && find . -name 'vgem.ko*' | sed -n 1p)
[ -z "$vgem" ] || unpack "$vgem" "$root/modules/vgem.ko"
printf 'SHELL_WANTED=%s\n' "$shell" >"$root/settings"
assignments=$(
	echo "export CHIPSET=$chipset"
	echo "export CHIPSETS='$chipset${beside[*]:+ ${beside[*]}}'"
	[ -z "$driver" ] || printf 'export MODULE=/src/build/qemu/%q/nvfifo.ko\n' "$version"
	echo 'export VGEM=/modules/vgem.ko NVFIFO_SLOW_BARS=1'
	[ -z "$intx" ] || echo 'export NVFIFO_INTX=1'
)
write_command "$assignments"$'\n' "$@"
# All that the guest reads is in its memory, so that it survives that the machine
# sleeps: a 9p file system of the host's does not.
for path in tests testbox examples build/guest Documentation/ladder.csv nvfifo_drv.h ${driver:+"${module#"$top/"}"}; do
	mkdir -p "$root/src/$(dirname "$path")"
	cp -r "$top/$path" "$root/src/$path"
done
cp "$run/out/command" "$root/command"
pack() # folder
{
	(cd "$1" && find . | cpio -o -H newc --quiet -R 0:0)
}
pack "$root" >"$run/initrd"
[ -z "$tree" ] || pack "$tree" >>"$run/initrd"
start_model --vfio-user card "$chipset"
for i in "${!beside[@]}"; do
	start_model --vfio-user "card$((i + 1))" "${beside[i]}"
done

machine=q35,memory-backend=mem
devices=()
cmdline=(console=ttyS0 panic=-1 oops=panic loglevel=8 rdinit=/init)
# The guest's clock goes on while the host has no time for the guest, and a kernel that boots
# meanwhile reports a stall of its own. Two minutes still find a loop without an end.
cmdline+=(rcupdate.rcu_cpu_stall_suppress_at_boot=1 rcupdate.rcu_cpu_stall_timeout=120 watchdog_thresh=60)
if [ -n "$iommu" ]; then
	devices+=(-device "intel-iommu,caching-mode=on")
	cmdline+=(intel_iommu=on)
fi
if [ -n "$console" ]; then
	# The number is that of VESA's mode, 1024 x 768, from which the kernel sets it.
	devices+=(-device VGA -device secondary-vga)
	cmdline+=(vga=0x317)
fi
restarts=(-no-reboot)
if [ -n "$disk" ]; then
	truncate -s "${disk}M" "$run/disk"
	devices+=(-drive "if=none,id=disk,format=raw,file=disk" -device "virtio-blk-pci,drive=disk")
	restarts=()
fi
add_card() # number, name of its socket
{
	devices+=(
		-device "pcie-root-port,id=rp$1,chassis=$(($1 + 1)),slot=$(($1 + 1))"
		-device "{\"driver\":\"vfio-user-pci\",\"bus\":\"rp$1\",\"id\":\"gpu$1\",\"x-msg-timeout\":120000,\"x-send-queued\":true,\"socket\":{\"type\":\"unix\",\"path\":\"$2\"}}"
	)
}
add_card 0 card
for i in "${!beside[@]}"; do
	add_card $((i + 1)) "card$((i + 1))"
done
: >"$run/console"
: >"$run/stdout"
# Without the fast string instructions the kernel fills and copies by 8 bytes, with them
# by single ones, of which each is an access to the card when there is no hardware.
start=("$qemu/qemu" -accel "tcg,thread=multi" -cpu "max,erms=off,fsrm=off,fsrs=off,fzrm=off" -M "$machine" -m "${mem}M" -smp "$smp"
	-object "memory-backend-memfd,id=mem,size=${mem}M,share=on"
	-nodefaults -display none -monitor none "${restarts[@]}" -net none
	-kernel "$kernel/vmlinuz" -initrd initrd
	-append "${cmdline[*]} ${append[*]}"
	-serial file:console "${devices[@]}" "${plugin[@]}")
# What QEMU's options mean by a comma or a quote is not part of a name: names are
# relative to $run.
cd "$run"
if [ -n "$shell" ]; then
	terminal=$(stty -g)
	# In the foreground, for the terminal's sake; ^C goes to the guest.
	stty raw -echo
	"${start[@]}" -chardev stdio,id=tty,signal=off -serial chardev:tty \
		-serial file:out/status 2>"$run/qemu.log" || guest_status=$?
	stty "$terminal"
	terminal=
else
	setsid "${start[@]}" -serial file:stdout -serial file:out/status \
		>"$run/qemu.log" 2>&1 </dev/null &
	wait_guest $!
fi
cd "$OLDPWD"
wait_models
end_run 'run-qemu:|DMAR: \[DMA|soft lockup|AER: [^e]' 'DMA-API: (preallocated|debugging enabled)'
