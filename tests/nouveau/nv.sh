#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the guest, with no driver loaded: nv.c on each card, between the marks that run-tap.py
# knows. $CHIPSETS names the cards in the order of their addresses.

# Each run binds its own card, while the others are as the firmware left them.
echo 0 >/sys/bus/pci/drivers_autoprobe

status=0
# shellcheck disable=SC2086 # one word for each card
set -- $CHIPSETS
for vendor in /sys/bus/pci/devices/*/vendor; do
	[ "$(cat "$vendor")" = 0x10de ] || continue
	slot=${vendor%/vendor}
	echo "# begin nv-$1"
	CHIPSET=$1 NV_CARD=${slot##*/} nv
	ended=$?
	echo "# end nv-$1 $ended"
	[ $ended -eq 0 ] || status=$ended
	shift
done
[ $# -eq 0 ] || {
	echo "nv.sh: no card for $*"
	status=1
}
exit $status
