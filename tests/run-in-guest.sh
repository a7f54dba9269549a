#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the guest: run the suites of one kind, each between the marks that
# run-tap.py knows.
#
#	run-in-guest.sh kunit [parameter=value]...
#	run-in-guest.sh driver [suite|suite~]...
#	run-in-guest.sh program name [argument]...
#	run-in-guest.sh programs name[:test]...
#	run-in-guest.sh gl TOP [suite]...
#	run-in-guest.sh igt FOLDER
#
# driver runs each program in build/guest/tests with the module loaded, then each
# script in tests/guest, which finds it unloaded and leaves it so; "~" leaves out the tests that do
# not depend on the chipset; program runs one
# of the programs; programs runs several, each whole or those of its tests whose names contain
# the word after the colon; gl runs the suites of tests/gl with Mesa, whose files, and the repository in
# TOP, are the host's; igt runs the programs of tests/igt/igt.txt, which testbox/igt.sh unpacked into
# FOLDER. $MODULE is the module's path (default: the one for UML); with
# $NVFIFO_INTX set, these programs see the card's line interrupt instead of MSI.
set -u

short=${NVFIFO_SHORT-}
MODULE=${MODULE:-/src/build/uml-module/nvfifo.ko}
export MODULE

suite() # name command...
{
	suite=$1
	shift
	echo "# begin $suite"
	# In the kernel's log too, so that its messages can be told apart.
	echo "test: begin $suite" >/dev/kmsg
	begin=$(hundredths)
	"$@" </dev/null
	status=$?
	echo "test: end $suite" >/dev/kmsg
	echo "# took $suite $(($(hundredths) - begin))"
	echo "# end $suite $status"
}

# Of a second, since the guest booted.
hundredths()
{
	awk '{ print int($1 * 100) }' /proc/uptime
}

# Is it in the list, or is there none? Sets NVFIFO_SHORT for a suite with "~".
wanted() # name list...
{
	name=$1
	shift
	unset NVFIFO_SHORT
	[ -z "$short" ] || export NVFIFO_SHORT="$short"
	[ $# -gt 0 ] || return 0
	for w; do
		[ "$w" != "$name" ] || return 0
		if [ "$w" = "$name~" ]; then
			export NVFIFO_SHORT="${short:-on another chip, or with FULL=1}"
			return 0
		fi
	done
	return 1
}

# The suites run while their module is being loaded; debugfs keeps what they said.
kunit() # [parameter=value]...
{
	if ! insmod /src/build/uml-kunit/nvfifo.ko "$@"; then
		suite kunit false
		return
	fi
	for dir in /sys/kernel/debug/kunit/*/; do
		[ -d "$dir" ] || continue
		suite "$(basename "$dir")" cat "$dir/results"
	done
	rmmod nvfifo
}

# A fence that a suite waited for may hold the module for a moment longer.
unload()
{
	try=0
	while [ $try -lt 60 ]; do
		rmmod nvfifo 2>/tmp/rmmod && return 0
		try=$((try + 1))
		sleep 1
	done
	cat /tmp/rmmod >&2
	echo "# rmmod failed $try times"
	return 1
}

# Compare the orders of locks that lockdep has seen with the table of nvfifo_drv.h. A kernel without
# lockdep has no such file.
lock_order()
{
	[ -r /proc/lockdep ] || return 0
	awk '
		NR == FNR {
			if ($0 ~ /^ \*\t&/)
				rank[$2] = ++n
			next
		}
		{
			name = $0
			sub(/^.*[]:] /, "", name)
			sub(/[#\/][0-9]+$/, "", name)
		}
		/^ -> / && from in rank && name in rank && rank[from] >= rank[name] && from != name {
			print "# nvfifo_drv.h has another order of locks: " from " was held for " name
			wrong = 1
		}
		/ FD:/ {
			from = name
		}
		END {
			exit wrong
		}' /src/nvfifo_drv.h /proc/lockdep
}

program()
{
	insmod "$MODULE" ${NVFIFO_INTX:+msi=0} || return 99
	"$@"
	status=$?
	lock_order || status=96
	unload || return 98
	return $status
}

script()
{
	sh "$1"
	status=$?
	if [ -d /sys/module/nvfifo ]; then
		echo "# the module is still loaded"
		rmmod nvfifo
		return 97
	fi
	return $status
}

kind=$1
shift
case $kind in
kunit)
	kunit "$@"
	;;
program)
	name=$1
	shift
	suite "$name" program "/src/build/guest/tests/$name" "$@"
	;;
programs)
	for word; do
		test=${word#*:}
		[ "$test" != "$word" ] || test=
		# shellcheck disable=SC2086 # no argument if there is no test
		suite "$word" program "/src/build/guest/tests/${word%%:*}" $test
	done
	;;
gl)
	top=$1
	shift
	[ $# -gt 0 ] || set -- steps gbm parallel killed capture scene features
	for name; do
		suite "gl-$name" program sh /src/tests/gl/suite.sh "$name" "$top"
	done
	;;
igt)
	# shellcheck disable=SC2013 # words without blanks
	for name in $(awk -F'\t' '!/^#/ && !seen[$2]++ { print $2 }' /src/tests/igt/igt.txt); do
		suite "$name" program sh /src/tests/igt/suite.sh "$name" "$1"
	done
	;;
driver)
	for file in /src/tests/guest/*.c; do
		[ -f "$file" ] || continue
		name=$(basename "$file" .c)
		! wanted "$name" "$@" || suite "$name" program "/src/build/guest/tests/$name"
	done
	for file in /src/tests/guest/*.sh; do
		[ -f "$file" ] || continue
		name=$(basename "$file" .sh)
		! wanted "$name" "$@" || suite "$name" script "$file"
	done
	;;
esac
