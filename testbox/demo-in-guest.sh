#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# The guest's part of demo.sh: load the driver, show the card, run the programs.
# Between "MARK n" and the next mark in the model's trace is program n.
#
#	demo-in-guest.sh program...
set -u

step()
{
	echo
	echo "--- $*"
}

# The model's control capability (sim/nvsim_ctl.h): ARG, then CMD 1, at 0xc8 of
# the card's configuration space.
mark() # number below 256
{
	for card in /sys/bus/pci/devices/*; do
		if [ "$(cat "$card/vendor")" = 0x10de ]; then
			printf '%b' "\\0$(printf '%03o' "$1")\\0\\0\\0" |
				dd of="$card/config" bs=4 seek=51 conv=notrunc 2>/dev/null
			printf '\1\0\0\0' | dd of="$card/config" bs=4 seek=50 conv=notrunc 2>/dev/null
		fi
	done
}

bad=0

step "insmod nvfifo.ko"
insmod /src/build/uml-module/nvfifo.ko || exit 1
dmesg | sed -n -e 's/^\[[ 0-9.]*\] \(nvfifo .*\)/\1/p' -e 's/^\[[ 0-9.]*\] \(\[drm\] .*\)/\1/p'

step "nvfifo info"
nvfifo info --color "$COLOR" || bad=1

mkdir -p /out/keep
n=0
for program; do
	n=$((n + 1))
	# Of long ones the words would hide the rest.
	quiet=
	[ "$(wc -c <"/src/$program")" -lt 5000 ] || quiet=--quiet
	step "nvfifo run $quiet${quiet:+ }$program"
	mark $n
	nvfifo run --color "$COLOR" --images /out/keep $quiet "/src/$program" || bad=1
	mark 255
done

step "rmmod nvfifo"
rmmod nvfifo || bad=1
[ -d /sys/module/nvfifo ] || echo "unloaded"
exit $bad
