#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In a guest with a disk (run-qemu.sh --disk): hibernate while a process has a channel and buffers.
# The kernel writes its image to the disk and resets the machine. The next boot meets a new card,
# does not load the driver, and reads the image, in which this script then goes on.

# What the header of a swap area says at the end of its first page
case $(dd if=/dev/vda bs=1 skip=4086 count=10 2>/dev/null | tr -d '\0') in
"") ;;
SWAPSPACE2)
	echo "# the machine was reset, and its disk has no image"
	exit 1
	;;
*)
	cat /sys/block/vda/dev >/sys/power/resume
	echo "# the image could not be read"
	exit 1
	;;
esac

mkswap /dev/vda >/dev/null
swapon /dev/vda

# The output of the program is a part of the image.
NVFIFO_HIBERNATE=1 sh /src/tests/run-in-guest.sh program suspend t_hibernate >/tmp/output
status=$?
cat /tmp/output
exit $status
