#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the guest, with nouveau and vfio-pci loaded: "nvfifo bind" and "unbind" on the kernel's own
# sysfs. The card goes from nouveau to nvfifo and back, to vfio-pci, and stays where it is when a
# program uses it or nvfifo refuses it.

# shellcheck source=tests/nouveau/bind-lib.sh
. /src/tests/nouveau/bind-lib.sh

node()
{
	for file in "$card"/drm/renderD*; do
		echo "/dev/dri/${file##*/}"
	done
}

# A command of the model's control capability, sim/nvsim_ctl.h.
control() # command, argument
{
	printf '%b' "\\0$(printf '%03o' "$2")\\0\\0\\0" | dd of="$card/config" bs=4 seek=51 conv=notrunc 2>/dev/null
	printf '%b' "\\0$(printf '%03o' "$1")\\0\\0\\0" | dd of="$card/config" bs=4 seek=50 conv=notrunc 2>/dev/null
}

for card in /sys/bus/pci/devices/*; do
	[ "$(cat "$card/vendor")" != 0x10de ] || break
done
address=${card##*/}

echo "# begin bind"
has nouveau "nouveau has the card"
expect "no card: nouveau has it" 3 "it is bound to the driver nouveau" info
expect "not at this address: nouveau has it" 3 "it is bound to the driver nouveau" info --device "$address"
expect "without the module" 3 "modprobe nvfifo" bind --take "$address"
insmod "$MODULE"
has nouveau "loading nvfifo takes nothing"
expect "nouveau's card, without --take" 3 "it is bound to the driver nouveau" bind "$address"
exec 9<"$(node)"
expect "nouveau's card in use" 3 "has its node open" bind --take "$address"
exec 9<&-
has nouveau "it stays nouveau's"
expect "taken from nouveau" 0 "nvfifo has $address" bind --take "$address"
expect "it works" 0 "PASS" run --quiet /src/examples/01-refcnt-semaphore.nvp
expect "a second time" 3 "it is bound to nvfifo already" bind "$address"
expect "given back" 0 "nouveau has $address" unbind "$address"
has nouveau "nouveau has it again"

expect "taken again" 0 "nvfifo has $address" bind --take "$address"
rmmod nvfifo
has "" "nobody has it after rmmod"
echo "$address" >/sys/bus/pci/drivers_probe
has "" "as it is kept for nvfifo"
expect "unbind frees it" 0 "nouveau has $address" unbind "$address"
insmod "$MODULE"

expect "taken for vfio-pci" 0 "nvfifo has $address" bind --take "$address"
expect "and freed" 0 "nouveau has $address" unbind "$address"
echo vfio-pci >"$card/driver_override"
echo "$address" >"$card/driver/unbind"
echo "$address" >/sys/bus/pci/drivers_probe
has vfio-pci "vfio-pci has it"
expect "no card: vfio-pci has it" 3 "it is bound to the driver vfio-pci" info
group=$(readlink "$card/iommu_group")
exec 9<>"/dev/vfio/${group##*/}"
expect "vfio-pci's card in use" 3 "has its node open" bind --take "$address"
exec 9>&-

# Every register reads all ones.
control 4 3
expect "a card that nvfifo refuses" 3 "nvfifo has refused it: 'dmesg | nvfifo explain' says why; it is bound to vfio-pci now" \
	bind --take "$address"
control 5 3
has vfio-pci "vfio-pci has it again"
expect "taken from vfio-pci" 0 "nvfifo has $address" bind --take "$address"
expect "unbind says who has it" 0 "nouveau has $address" unbind "$address"
rmmod nvfifo
echo "1..$n"
echo "# end bind 0"
