#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Write the image to a USB stick, after showing what that is and asking.
#
#	write.sh [--check] DEVICE [IMAGE]
#
# --check: say only whether the device can be written.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../../testbox/lib.sh"

check=
if [ "${1-}" = --check ]; then
	check=1
	shift
fi
[ $# -ge 1 ] || die "needs a device such as /dev/sdb"
device=$1
image=${2:-$top/build/nvfifo-stick.img}
least=$((64 * 1000 * 1000))
# A disk of the machine that is taken for a stick costs more than a stick that is refused.
most=$((512 * 1000 * 1000 * 1000))

[ -e "$device" ] || die "$device does not exist"
[ -b "$device" ] || die "$device is not a disk"
device=$(realpath "$device")
name=${device##*/}
block=/sys/class/block/$name
[ ! -e "$block/partition" ] || die "$device is a partition: give the whole stick"
size=$(($(<"$block/size") * 512))
[ "$size" -ge $least ] || die "$device has room for $((size / 1000000)) MB only"
[ "$size" -le $most ] || die "$device has $((size / 1000000000)) GB: a stick has at most 512 GB"

# Mounted, swap, or a part of a RAID or of LVM, itself or one of its partitions. What is mounted has
# the device's number, as its name may be another one, such as /dev/root.
used=$({
	cat "$block/dev"
	cat "$block/$name"*/dev 2>/dev/null || true # not every stick has partitions
	cat /proc/self/mountinfo
} | awk 'NF == 1 { number[$1] } NF > 1 && $3 in number { print "mounted at " $5; exit }')
[ -n "$used" ] || used=$(awk -v name="$name" '$1 ~ "^/dev/" name "(p?[0-9]+)?$" { print "swap"; exit }' /proc/swaps)
[ -z "$used" ] || die "$device is in use: $used"
for holder in "$block"/holders/* "$block/$name"*/holders/*; do
	[ ! -e "$holder" ] || die "$device is in use by ${holder##*/}"
done
[ "$(<"$block/ro")" = 0 ] || die "$device is write-protected"
[ -w "$device" ] || die "no right to write $device: run make stick, then sudo packaging/stick/write.sh $device"
[ -z "$check" ] || exit 0
[ -f "$image" ] || die "$image is not there: run make stick"

say "$device: $(cat "$block/device/vendor" "$block/device/model" 2>/dev/null | tr -s ' \n' ' ')," \
	"$((size / 1000000)) MB$([ "$(cat "$block/removable")" = 1 ] && echo ", removable")"
lsblk -n -o NAME,SIZE,FSTYPE,LABEL "$device" >&2 2>/dev/null || true
printf 'All that is on it is lost. Write the image to it? Type yes: ' >&2
read -r answer || answer=
[ "$answer" = yes ] || die "nothing was written"
dd if="$image" of="$device" bs=4M conv=fsync status=none || die "writing $device failed"
cmp -n "$(stat -c %s "$image")" "$image" "$device" || die "$device does not hold what was written"
say "Written. Start a machine from it."
