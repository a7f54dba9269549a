#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the guest: load the driver, say what there is, be a shell.
insmod "$MODULE"
cat <<END

This is $(uname -sr) in QEMU with the model of a card of the kind $CHIPSET.
The module nvfifo is loaded ($MODULE). Try

	nvfifo info
	nvfifo run /src/examples/01-refcnt-semaphore.nvp
	cat /sys/kernel/debug/dri/0/*
	sh /src/tests/run-in-guest.sh driver submit	(after rmmod nvfifo)

/src holds a copy of the repository's tests, examples and programs. ^D or "exit" switches the guest off.

END
cd /src/examples || exit 1
PS1='nvfifo# ' HOME=/tmp sh -i
