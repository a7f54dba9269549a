#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the guest: have a driver probe, do all steps, and unload, with marks for the record. The guest is
# switched off behind it, which is nvfifo's shutdown.
#
#	compare.sh nouveau|nvfifo
set -u

driver=$1
# nouveau is loaded when this begins: what comes before the first mark is the probe.
[ "$driver" = nouveau ] || insmod "$MODULE" || exit 1
sleep 1
# The unload of a driver that is stuck would wait, too.
compare steps "$driver" || exit 1
compare mark unload
rmmod "$driver" || exit 1
sleep 1
compare mark other
[ "$driver" = nvfifo ] || exit 0
# Once more, with a channel that runs until the shutdown. nouveau has no such method.
insmod "$MODULE" || exit 1
sleep 1
compare hold nvfifo >/tmp/hold &
while kill -0 $! && ! grep -q shutdown /tmp/hold; do
	sleep 1
done
cat /tmp/hold
kill -0 $!
