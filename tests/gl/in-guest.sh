#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the UML guest: run a command with this machine's own Mesa on nvfifo.
#
#	in-guest.sh TOP command [argument]...
#
# The root of the command is the machine's, read only, with the guest's devices and /tmp. TOP is
# the repository, the current directory. /tmp/out is where the host finds results.
set -u

top=$1
shift
root=/run/machine
if [ ! -d $root ]; then
	mkdir -p $root
	mount -t hostfs -o ro,/ hostfs $root || exit 99
	for dir in dev proc sys tmp; do
		mount --bind /$dir $root/$dir || exit 99
	done
	mkdir -p /tmp/out
	mount --bind /out $root/tmp/out || exit 99
	# The guest's /tmp hides a repository that lies below the machine's.
	if [ ! -d "$root$top" ]; then
		mkdir -p "$root$top"
		mount --bind /src "$root$top" || exit 99
	fi
fi
# shellcheck disable=SC2016 # the inner shell expands it
PATH=$top/build/bin:/usr/bin:/bin HOME=/tmp MESA_SHADER_CACHE_DISABLE=1 exec chroot $root sh -c \
	'cd "$1" && shift && exec "$@"' sh "$top" "$@"
