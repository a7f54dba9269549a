#!/bin/sh
# SPDX-License-Identifier: MIT
#
# In a guest: load the module, trace the accesses of the card from the first one on, and bind the
# card. Documentation/hardware-bringup.rst has the same steps.
#
#	traced-probe.sh module.ko
set -e

echo 0 >/sys/bus/pci/drivers_autoprobe
insmod "$1"
cd /sys/kernel/tracing
echo mono >trace_clock
echo 16384 >buffer_size_kb
echo 0 >options/overwrite
echo 1 >events/nvfifo/nvfifo_access/enable
for device in /sys/bus/pci/devices/*; do
	echo "${device##*/}" >/sys/bus/pci/drivers/nvfifo/bind || true
done
echo 1 >/sys/bus/pci/drivers_autoprobe
ls /sys/bus/pci/drivers/nvfifo/0* >/dev/null
