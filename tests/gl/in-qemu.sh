#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the QEMU guest of testbox/gl-nouveau.sh: draw with Mesa on the kernel driver that is named, and
# print the results, packed, as text.
#
#	in-qemu.sh nouveau|nvfifo FIRST COUNT
#
# FIRST and COUNT are the seeds of the random programs.
set -u

driver=$1
first=$2
count=$3
[ "$driver" = nouveau ] || insmod "$MODULE" || exit
bound=$(basename "$(readlink /sys/class/drm/card0/device/driver)")
[ "$bound" = "$driver" ] || {
	echo "in-qemu.sh: the card's driver is $bound, not $driver"
	exit 1
}
export HOME=/tmp MESA_SHADER_CACHE_DISABLE=1

# libnvfifo-nouveau makes a file of nvfifo look like one of nouveau's.
on()
{
	if [ "$driver" = nvfifo ]; then
		/gl/bin/nvfifo gl "$@"
	else
		"$@"
	fi
}

results=/tmp/results
mkdir $results
for program in features pixels pipeline; do
	on /gl/$program $results/$program 2>$results/$program.err
	echo "$program: status $?"
done
on /gl/random $results/random "$first" "$count" 2>$results/random.err
echo "random: status $?"
export LD_PRELOAD=/gl/lib/libreadback.so
on python3 -S /gl/piglit.py --pictures /gl/piglit /gl/piglit.txt >$results/piglit
echo "piglit: status $?"
unset LD_PRELOAD

echo "--- results"
tar c -C $results . | gzip | base64
