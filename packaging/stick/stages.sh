# shellcheck shell=dash disable=SC2154 # others assign what make.sh and stick.sh have
# SPDX-License-Identifier: MIT
#
# The test, in stages from harmless to risky. The stick knows of each stage before it begins, so
# that the next start can tell in which of them a machine stopped.

pci=/sys/bus/pci/devices
report=/tmp/report
# Milliseconds that the driver gives to a job
job_timeout=10000

note() # line of result.txt
{
	printf '%s\n' "$*" >>"$report/result.txt"
}

# Begin a stage: what is known so far goes to the stick.
# Return: 1 if that is not possible.
begin() # number, name
{
	local status

	echo "$1 $2" >"$report/stage.txt"
	on_stick_again store_report
	status=$?
	if [ $status -eq 0 ]; then
		say "  stage $1: $2 ..."
		return 0
	fi
	explain_stick $status
	say "The test ends before stage $1, as a stage is written down before it begins."
	note "ended: before stage $1, the stick was $(stick_state $status)"
	return 1
}

# End the stage of stage.txt. Return: 0 if the result begins with "ok".
end() # result
{
	local stage

	stage=$(cat "$report/stage.txt")
	note "stage $stage: $*"
	rm -f "$report/stage.txt"
	say "  stage $stage: $*"
	case $1 in
	ok*) return 0 ;;
	esac
	return 1
}

# Run a command, at most so long. A process that waits in the kernel cannot be killed: it is left.
# Return: its status, or 124.
limited() # seconds, command...
{
	local left=$(($1 * 10)) pid

	shift
	"$@" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		if [ $left -eq 0 ]; then
			kill -9 $pid
			return 124
		fi
		left=$((left - 1))
		usleep 100000
	done
	wait $pid
}

# Numbers that tell one machine from another of its kind do not leave it.
without_serials()
{
	sed -E 's/(serial ?(number|no\.?): *).*/\1(left out)/I
		s/([0-9a-f]{2}[:-]){5,}[0-9a-f]{2}/(address left out)/Ig'
}

kernel_log() # file of the report
{
	dmesg | without_serials >"$report/$1"
}

# --- Which card -----------------------------------------------------------

# A register of BAR0, by the kernel's window into memory
register() # offset
{
	devmem $((bar0 + 0x$1)) 32 | tr -d x | sed 's/^0//' | tr A-F a-f
}

# The name that Debian's pci.ids has
pci_name() # vendor, device, without 0x
{
	awk -v vendor="$1" -v device="$2" '
		/^[0-9a-f]/ { in_it = $1 == vendor; if (in_it) { $1 = ""; name = $0 } }
		in_it && /^\t[0-9a-f]/ && $1 == device { $1 = ""; found = $0; exit }
		END { sub(/^ */, "", name); sub(/^ */, "", found); print found ? name " " found : name " " vendor ":" device }
	' /pci.ids
}

id_of() # device, file
{
	cut -c3-6 <"$pci/$1/$2"
}

# What "nvfifo chips" knows of a card: its chip ...
chip_of() # device
{
	nvfifo chips "10de:$(id_of "$1" device)" | awk 'NR == 1 { print $2 }'
}

# ... and its name, such as GeForce 8600 GT
board_of() # device
{
	nvfifo chips "10de:$(id_of "$1" device)" |
		awk 'NR == 1 { $1 = $2 = $3 = ""; sub(/^ */, ""); print }'
}

# 1 if the firmware shows the screen by this card, else 0
screen_of() # device
{
	cat "$pci/$1/boot_vga" 2>/dev/null || echo 0
}

# Set $card: the card to test, one that does not show the screen if there are several; $others:
# further cards of the family; $strangers: names of other graphics cards, a line each.
find_card()
{
	local dir name vendor device family=

	card='' others='' strangers=''
	for dir in "$pci"/*; do
		case $(cat "$dir/class") in 0x0300* | 0x0302* | 0x0380*) ;; *) continue ;; esac
		name=${dir##*/}
		vendor=$(id_of "$name" vendor)
		device=$(id_of "$name" device)
		if [ "$vendor" = 10de ] && nvfifo chips "10de:$device" >/dev/null 2>&1; then
			family="$family $name"
		else
			strangers="$strangers$(pci_name "$vendor" "$device")
"
		fi
	done
	[ -n "$family" ] || return 1

	for name in $family; do
		if [ -z "$card" ] || [ "$(screen_of "$card")" -gt "$(screen_of "$name")" ]; then
			card=$name
		fi
	done
	for name in $family; do
		[ "$name" = "$card" ] || others="$others, $(board_of "$name") (PCI $name)"
	done
	chip=$(chip_of "$card")
	board=$(board_of "$card")
	bar0=$(awk 'NR == 1 { print $1 }' "$pci/$card/resource")
	screen=$(screen_of "$card")
}

# --- The stages -----------------------------------------------------------

machine()
{
	local file dir

	cat /proc/version
	echo "command line: $(cat /proc/cmdline)"
	grep -m 1 'model name' /proc/cpuinfo
	grep MemTotal /proc/meminfo
	for file in sys_vendor product_name board_vendor board_name bios_vendor bios_version bios_date; do
		echo "$file: $(cat /sys/class/dmi/id/$file 2>/dev/null)"
	done
	[ -d /sys/firmware/efi ] && echo "firmware: UEFI" || echo "firmware: BIOS"
	echo "iommu: $(find /sys/class/iommu -mindepth 1 2>/dev/null | tr '\n' ' ')"
	for dir in "$pci"/*; do
		echo "pci ${dir##*/} $(cat "$dir/vendor" "$dir/device" "$dir/subsystem_vendor" "$dir/subsystem_device" "$dir/class" "$dir/revision" | tr '\n' ' ')"
	done
}

# The capabilities of a configuration space, from its bytes in hexadecimal
capabilities()
{
	awk '
		function value(digits) {
			return index(hex, substr(digits, 1, 1)) * 16 + index(hex, substr(digits, 2, 1)) - 17
		}
		BEGIN {
			hex = "0123456789abcdef"
			name["01"] = "power management"; name["02"] = "AGP"; name["03"] = "vital product data"
			name["05"] = "MSI"; name["09"] = "of the vendor"; name["10"] = "PCI Express"; name["11"] = "MSI-X"
		}
		{ for (i = 1; i <= NF; i++) byte[count++] = $i }
		END {
			at = value(byte[52])
			for (n = 0; n < 48 && at >= 64; n++) {
				at -= at % 4
				line = "capability " byte_of(at) ": " byte[at] " " name[byte[at]] ","
				for (i = at; i < at + 16 && i < count; i++) line = line " " byte[i]
				print line
				at = value(byte[at + 1])
			}
		}
		function byte_of(n) {
			return substr(hex, int(n / 16) + 1, 1) substr(hex, n % 16 + 1, 1)
		}
	'
}

# Configuration space, BARs, VBIOS: nothing is read from the card's registers but BOOT_0 and straps.
stage_identify()
{
	local dir=$pci/$card

	machine | without_serials >"$report/machine.txt"
	{
		echo "card $card $(cat "$dir/vendor" "$dir/device" "$dir/subsystem_vendor" "$dir/subsystem_device" | tr '\n' ' ')screen $screen"
		cat "$dir/resource"
		head -c 256 "$dir/config" | od -An -v -tx1
		head -c 256 "$dir/config" | od -An -v -tx1 | capabilities
	} >"$report/pci.txt"
	echo 1 >"$dir/enable"
	echo 1 >"$dir/rom"
	dd if="$dir/rom" of="$report/vbios.rom" 2>/dev/null
	echo 0 >"$dir/rom"
	[ -s "$report/vbios.rom" ] || rm -f "$report/vbios.rom"
	boot_0=$(register 000000)
	case $boot_0 in
	ffffffff)
		end "failed: the card does not answer, BOOT_0 is $boot_0"
		return
		;;
	"")
		end "failed: the kernel does not let BOOT_0 be read"
		return
		;;
	esac
	note "boot_0: $boot_0"
	note "straps: $(register 101000)"
	end "ok, $chip, BOOT_0 $boot_0"
}

stage_registers()
{
	local offset

	while read -r offset; do
		echo "$offset $(register "$offset")"
	done </registers.txt >"$report/registers.txt"
	nvfifo peek --color never --chipset "$chip" --reads "$report/registers.txt" >"$report/registers-decoded.txt" 2>&1
	end "ok, $(wc -l <"$report/registers.txt") registers"
}

# Two bytes of the CRTC tell whether the VBIOS has run, as nouveau asks it.
stage_post()
{
	local index byte line=

	for index in 00 1a; do
		devmem $((bar0 + 0x6013d4)) 8 0x$index
		byte=$(devmem $((bar0 + 0x6013d5)) 8)
		echo "crtc $index ${byte#0x}" >>"$report/post.txt"
		line="$line CRTC $index ${byte#0x}"
	done
	end "ok,$line"
}

# Load the driver without a card, and trace its accesses from the first one on. The self-test finds
# the trace, which lasts until the module is unloaded. The limit of jobs has room for slow machines.
insert_driver() # msi
{
	local name trace=/sys/kernel/tracing

	while read -r name; do
		insmod "/modules/$name" 2>>"$report/insmod.txt"
	done </modules/card.order
	echo 0 >/sys/bus/pci/drivers_autoprobe
	insmod /modules/nvfifo.ko console=1 interrupts=0 msi="$1" job_timeout_ms=$job_timeout 2>>"$report/insmod.txt"
	echo mono >$trace/trace_clock
	echo 16384 >$trace/buffer_size_kb
	echo 0 >$trace/options/overwrite
	echo 1 >$trace/events/nvfifo/nvfifo_access/enable
	bind_card
	echo 1 >/sys/bus/pci/drivers_autoprobe
}

bind_card()
{
	echo "$card" >/sys/bus/pci/drivers/nvfifo/bind 2>>"$report/insmod.txt"
}

bind_with_interrupts()
{
	echo "$card" >/sys/bus/pci/drivers/nvfifo/unbind
	echo 1 >/sys/module/nvfifo/parameters/interrupts
	bind_card
}

has_driver()
{
	[ "$(basename "$(readlink "$pci/$card/driver")" 2>/dev/null)" = nvfifo ]
}

driver_said()
{
	dmesg | grep 'nvfifo 0' | tail -n 1 | sed 's/.*nvfifo [^ ]* *//'
}

stage_load() # command...
{
	local status

	limited 120 "$@"
	status=$?
	kernel_log dmesg.txt
	if [ $status -eq 124 ]; then
		end "failed: the load of the driver did not end in 120 s"
	elif ! has_driver; then
		end "failed: $(driver_said)"
	else
		nvfifo info --color never >"$report/info.txt" 2>&1
		end "ok, $(driver_said)"
	fi
}

# Bytes of steps.txt, which has blank lines at its end until the report is packed
steps_size=4096

# Make steps.txt of the steps so far. dd pads with zeros what is shorter than a block.
pad_steps()
{
	dd if=/run/steps bs=$steps_size count=1 conv=sync 2>/dev/null | tr '\0' '\n' >"$report/steps.txt"
}

# Store each step when it has passed. The next one runs meanwhile and may hang the machine: so the
# bytes of a file change that is there already, and not the file system.
stored_steps()
{
	local line

	while IFS= read -r line; do
		printf '%s\n' "$line" >>/run/steps
		pad_steps
		on_stick store_steps
	done
}

selftest() # option...
{
	nvfifo selftest --timeout 30 --color never "$@"
	echo $? >/run/status
}

stage_selftest()
{
	local status

	echo 124 >/run/status
	limited 300 selftest --report "$report/selftest.txt" 2>&1 | stored_steps
	kernel_log dmesg.txt
	status=$(cat /run/status)
	case $status in
	0) end "ok, $(grep -c ' ok ' /run/steps) steps" ;;
	124) end "failed: it did not end in 300 s, after: $(tail -n 1 /run/steps)" ;;
	*) end "failed: $(grep -m 1 'failed:' /run/steps || tail -n 1 /run/steps)" ;;
	esac
}

# The examples with M2MF and 2D, and their pictures beside those of the model of this chipset. One
# that does not end is the last.
stage_pictures()
{
	local program name status bad='' count=0

	mkdir -p /tmp/card /tmp/model
	for program in /examples/0[3-8]*.nvp /pictures.nvp; do
		name=$(basename "$program" .nvp)
		count=$((count + 1))
		limited 60 nvfifo run --quiet --timeout 30000 --images /tmp/card "$program" >>"$report/pictures.txt" 2>&1
		status=$?
		[ $status -eq 0 ] || bad="$bad $name"
		[ $status -ne 124 ] || break
		nvfifo run --quiet --model="$chip" --images /tmp/model "$program" >/dev/null 2>>"$report/pictures.txt"
	done
	for program in /tmp/model/*.png; do
		name=$(basename "$program")
		cmp -s "$program" "/tmp/card/$name" && continue
		bad="$bad $name"
		[ ! -e "/tmp/card/$name" ] || cp "/tmp/card/$name" "$report/"
	done
	if [ -n "$bad" ]; then
		end "failed:$bad"
	else
		end "ok, $count programs and $(find /tmp/model -name '*.png' | wc -l) pictures as on the model"
	fi
}

stage_faults()
{
	local status

	echo 124 >/run/status
	limited 300 selftest --faults --json --report "$report/faults.txt" >"$report/selftest.json" 2>"$report/faults-said.txt"
	kernel_log dmesg.txt
	cat /sys/kernel/debug/dri/*/nvfifo_dump >"$report/dump.txt" 2>/dev/null
	status=$(cat /run/status)
	case $status in
	0) end "ok" ;;
	124) end "failed: it did not end in 300 s" ;;
	*) end "failed: see selftest.json" ;;
	esac
}

stage_suspend()
{
	local rtc=/sys/class/rtc/rtc0/wakealarm

	if [ ! -w $rtc ]; then
		end "left out: the machine has no clock that wakes it"
		return
	fi
	echo 0 >$rtc
	echo +20 >$rtc
	echo mem >/sys/power/state
	limited 300 selftest --report "$report/resumed.txt" >/dev/null 2>&1
	kernel_log dmesg.txt
	if [ "$(cat /run/status)" = 0 ]; then
		end "ok"
	else
		end "failed: the self-test after the resume"
	fi
}

# The stages in their order; the first that fails ends the test, but for pictures that differ.
run_stages() # msi
{
	local msi=$1 interrupt=INTx

	[ "$msi" = 0 ] || interrupt=MSI
	begin 1 "identify" && stage_identify || return
	begin 2 "registers that only tell" && stage_registers || return
	begin 3 "POST state" && stage_post || return
	begin 4 "load without interrupts" && stage_load insert_driver "$msi" || return
	begin 5 "load with $interrupt" && stage_load bind_with_interrupts || return
	begin 6 "self-test" && stage_selftest || return
	begin 7 "M2MF and 2D" || return
	stage_pictures
	begin 8 "faults on purpose" && stage_faults || return
	if [ -e /run/suspend ]; then
		begin 9 "suspend" && stage_suspend
	fi
}

all_passed()
{
	! grep -q -E '^(stage [0-9].*: failed|ended: )' "$report/result.txt"
}

begin_report()
{
	rm -rf "$report"
	mkdir -p "$report"
	echo >/run/steps
	pad_steps
	# shellcheck source=/dev/null
	. /version
	note "nvfifo card report 1"
	note "date: $(date -u '+%Y-%m-%d %H:%M:%S') UTC"
	note "board: $board"
	note "chip: $chip"
	note "pci: $card 10de:$(id_of "$card" device) subsystem $(id_of "$card" subsystem_vendor):$(id_of "$card" subsystem_device)"
	note "screen: $screen"
	note "nvfifo: $version, commit $commit"
	note "kernel: $(uname -r)"
	note "parameters: console=1 interrupts=0, then 1, msi=$1 job_timeout_ms=$job_timeout"
}

report_name()
{
	echo "report-$(date -u +%Y%m%d)-$(echo "$board" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9-')"
}

# What the driver's accesses say, all rows of Documentation/open-questions.rst with their answers,
# and the summary that nvfifo report prints
questions()
{
	local file=$report/selftest.txt

	[ ! -s "$report/faults.txt" ] || file=$report/faults.txt
	[ ! -s "$file" ] || sed -n '/^open questions/,/^accesses/p' "$file" | sed '$d' >"$report/questions.txt"
	cp /questions.list "$report/"
	nvfifo report --color never --questions "$report" >/tmp/open-questions.txt
	nvfifo report --color never "$report" >/tmp/summary.txt
	mv /tmp/open-questions.txt /tmp/summary.txt "$report/"
}

pack_report()
{
	rm -f "$report/stage.txt"
	sed -i '/^$/d' "$report/steps.txt"
	cat >"$report/README.txt" <<-END
		A report of nvfifo's test stick. result.txt has the result of each stage. Serial numbers and MAC
		addresses are left out. vbios.rom is the card's firmware, by the card's maker: remove it if you
		do not want to pass it on.
	END
	questions
	tar -C /tmp -czf /tmp/report.tar.gz report
}
