#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the guest, beside a card of QEMU's that has the firmware's console: "nvfifo bind" takes no
# card with a console, be it vesafb's or that of the card's driver, unless --console allows it.
# The vendor that sysfs shows is replaced, as the command takes no other maker's cards.

# shellcheck source=tests/nouveau/bind-lib.sh
. /src/tests/nouveau/bind-lib.sh

# Show other text than the kernel's in a file of sysfs.
show() # file, text
{
	file=/tmp/shown$(echo "$1" | tr / _)
	echo "$2" >"$file"
	mount --bind "$file" "$1"
}

# Find QEMU's card of this class.
find_card() # class
{
	for card in /sys/bus/pci/devices/*; do
		[ "$(cat "$card/class") $(cat "$card/vendor")" != "$1 0x1234" ] || break
	done
	address=${card##*/}
	show "$card/vendor" 0x10de
}

# Is the only driver that may take the card this one?
override_is() # driver, name
{
	[ "$(cat "$card/driver_override")" = "$1" ]
	ok "$2" $?
}

echo "# begin console"
insmod "$MODULE"
find_card 0x030000
expect "the firmware's console, as the boot screen" 3 "the boot screen is on it; --console" bind "$address"
expect "it is taken only by a module that takes consoles" 3 "modprobe nvfifo console=1" bind --console "$address"
show "$card/boot_vga" 0
[ -d "$card/vesa-framebuffer.0/graphics/fb0" ]
ok "the console's frame buffer is vesafb's" $?
expect "the frame buffer of vesafb" 3 "the firmware's frame buffer is on it" bind "$address"
expect "vesafb's, and the module" 3 "modprobe nvfifo console=1" bind --console "$address"
override_is "(null)" "nothing was written"

while read -r file; do
	insmod "/modules/$file" 2>/dev/null
done </modules/carried
has bochs-drm "bochs has the card"
[ ! -e "$card/vesa-framebuffer.0" ] && [ -d "$card/graphics/fb0" ]
ok "and the console" $?
expect "the console of bochs" 3 "a console's frame buffer is on it; --console" bind --take "$address"
expect "a console, but the driver" 3 "it is bound to the driver bochs-drm" bind --console "$address"
expect "--dry-run says what would be written" 0 "/drivers/bochs-drm/unbind" bind --console --take --dry-run "$address"
override_is "(null)" "and writes nothing"
umount "$card/boot_vga"
expect "the boot screen under bochs" 3 "the boot screen is on it" bind --take "$address"
expect "which the module would refuse" 3 "modprobe nvfifo console=1" bind --console --take "$address"
has bochs-drm "bochs still has the card"

# The module takes a console now, and finds no card of its kind.
rmmod nvfifo
insmod "$MODULE" console=1
expect "the boot screen without --console" 3 "the boot screen is on it" bind --take "$address"
expect "nvfifo refuses the card" 3 "nvfifo has refused it: 'dmesg | nvfifo explain' says why; it is bound to bochs-drm now" \
	bind --console --take "$address"
override_is "(null)" "the card may go to any driver again"
[ -d "$card/graphics/fb0" ]
ok "and has its console again" $?

find_card 0x038000
has bochs-drm "bochs has the second card"
expect "a console that is not the boot screen's" 3 "a console's frame buffer is on it" bind --take "$address"

# The model's card has no console.
for card in /sys/bus/pci/devices/*; do
	case $(readlink "$card/driver") in
	*/nvfifo) break ;;
	esac
done
address=${card##*/}
has nvfifo "nvfifo has its card"
expect "which works beside the console" 0 "PASS" run --quiet /src/examples/01-refcnt-semaphore.nvp
expect "unbound, with no other driver for it" 0 "no driver has $address" unbind "$address"
has "" "it is not bound to nvfifo"
expect "and taken without --console" 0 "nvfifo has $address" bind "$address"
rmmod nvfifo
echo "1..$n"
echo "# end console 0"
