# shellcheck shell=dash disable=SC2034,SC2154,SC3045 # busybox; others use and assign some
# SPDX-License-Identifier: MIT
#
# The stick: what it tells, what it asks, and what it writes to its partition NVREPORT.

label=NVREPORT
# The number of the volume, 4e565250, as it lies in the boot sector
serial="50 52 56 4e"
# Where the files of a test that runs are, on the partition
unfinished=/mnt/unfinished
# KiB that a report may take
report_room=16384

consoles=/dev/tty1
if stty -F /dev/ttyS0 sane 2>/dev/null; then
	consoles="$consoles /dev/ttyS0"
fi

# Print on the screen, which may have 80 columns only, and on the serial line.
say()
{
	local tty

	for tty in $consoles; do
		printf '%s\n' "$*" | fold -s -w 79 >"$tty"
	done
}

# Print a text of several lines.
say_text()
{
	while IFS= read -r line; do
		say "$line"
	done
}

# Wait for a key on any console. Sets $key, which is empty after that time.
ask() # seconds
{
	local tty readers=

	rm -f /run/keys
	mkfifo /run/keys
	for tty in $consoles; do
		(IFS= read -r -s -n 1 k <"$tty" && echo "$k" >/run/keys) &
		readers="$readers $!"
	done
	key=
	IFS= read -r -t "$1" key <>/run/keys
	# shellcheck disable=SC2086 # a list
	kill $readers 2>/dev/null
	for tty in $consoles; do
		stty -F "$tty" sane
	done
}

# The bytes of a file in hexadecimal
bytes() # file, offset, count
{
	dd if="$1" bs=1 skip="$2" count="$3" 2>/dev/null | od -An -tx1 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# Find the partition by the label and the number in its boot sector, which needs no mount. Sets $partition.
find_stick()
{
	local dir dev

	partition=
	for dir in /sys/class/block/sd*; do
		[ -e "$dir/partition" ] || continue
		dev=/dev/${dir##*/}
		[ "$(bytes "$dev" 67 4)" = "$serial" ] || continue
		[ "$(dd if="$dev" bs=1 skip=71 count=8 2>/dev/null)" = "$label" ] || continue
		partition=$dev
		return 0
	done
	return 1
}

# Wait until the stick is there, as USB takes its time.
wait_for_stick() # seconds
{
	local i=0

	until find_stick; do
		i=$((i + 1))
		[ $i -le "$1" ] || return 1
		sleep 1
	done
}

# Run a command while the partition is mounted. It is mounted no longer than that, so that a machine
# that hangs does not leave it in a half-written state.
# Return: the command's status, 100 if the stick is gone, 101 if it is write-protected, 102 if it is
# full, 103 if the command failed for another reason.
on_stick() # command...
{
	local status free

	find_stick || return 100
	if [ "$(cat "/sys/class/block/${partition##*/}/ro")" = 1 ]; then
		return 101
	fi
	mount -t vfat -o iocharset=ascii "$partition" /mnt 2>/dev/null || return 100
	"$@"
	status=$?
	free=$(free_room)
	sync
	umount /mnt || status=103
	[ $status -ne 0 ] || return 0

	# The kernel takes a moment to hear that a stick was pulled.
	sleep 2
	find_stick || return 100
	[ "$free" -ge $report_room ] || return 102
	return 103
}

# As on_stick, but wait up to two minutes for a stick that is gone.
on_stick_again() # command...
{
	local status left=60

	while :; do
		on_stick "$@"
		status=$?
		if [ $status -ne 100 ] || [ $left -eq 0 ]; then
			return $status
		fi
		[ $left -lt 60 ] || say "The stick is gone. Plug it in again; the test waits for two minutes."
		left=$((left - 1))
		sleep 2
	done
}

# What on_stick found
stick_state() # status
{
	case $1 in
	100) echo "gone" ;;
	101) echo "write-protected" ;;
	102) echo "full" ;;
	*) echo "not writable" ;;
	esac
}

# Say why on_stick failed.
explain_stick() # status
{
	case $1 in
	100) say "The stick has not come back." ;;
	101) say "The stick is write-protected: it may have a small switch at its side." ;;
	102) say "The stick is full. Delete old reports on it with another machine." ;;
	*) say "Writing to the stick failed. It may be damaged: use another one." ;;
	esac
}

# Free room of the partition in KiB, which is mounted
free_room()
{
	df -k /mnt | awk 'NR == 2 { print $4 }'
}

has_room()
{
	[ "$(free_room)" -ge $report_room ]
}

# A file with its data on the medium when this returns
store() # file, directory
{
	dd if="$1" of="$2/${1##*/}" bs=64k conv=fsync 2>/dev/null
}

# Store those files of the report that are new or have changed.
store_report()
{
	local file name

	mkdir -p $unfinished || return 1
	for file in "$report"/*; do
		name=${file##*/}
		cmp -s "$file" "$unfinished/$name" || store "$file" $unfinished || return 1
	done
}

# Write steps.txt over what is there, which changes no directory and no table of the file system.
store_steps()
{
	dd if="$report/steps.txt" of="$unfinished/steps.txt" bs=64k conv=notrunc,fsync 2>/dev/null
}

# Set $last to what the last test left: "unfinished", with its files in $report, "report", or nothing.
look_around()
{
	last=
	! ls /mnt/report-*.tar.gz >/dev/null 2>&1 || last=report
	[ -d $unfinished ] || return 0
	last=unfinished
	cp $unfinished/* "$report/"
}

# Pack the report under a name that is free, and remove the files of the test.
store_archive() # name without its end
{
	local name=$1 n=1

	while [ -e "/mnt/$name.tar.gz" ]; do
		n=$((n + 1))
		name=$1-$n
	done
	if ! store /tmp/report.tar.gz /mnt || ! mv /mnt/report.tar.gz "/mnt/$name.tar.gz"; then
		rm -f /mnt/report.tar.gz
		return 1
	fi
	rm -rf $unfinished
	echo "$name.tar.gz" >/run/stored
}
