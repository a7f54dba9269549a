# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# Common to bind.sh and console.sh: checks of what "nvfifo bind" does and says. The card is
# $card, its folder in sysfs. $n counts the checks.

n=0
ok() # name, status
{
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' /tmp/said
	fi
}

# Run the command, and look at its status and at what it says.
expect() # name, status, text, argument...
{
	what=$1 wanted=$2 text=$3
	shift 3
	nvfifo "$@" >/tmp/said 2>&1
	got=$?
	grep -qF -- "$text" /tmp/said && [ $got -eq "$wanted" ]
	ok "$what" $?
}

has() # driver, name
{
	driver=$(readlink "$card/driver")
	[ "${driver##*/}" = "$1" ]
	ok "$2" $?
}
