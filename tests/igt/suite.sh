#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the UML guest, with the module loaded: run one test program of IGT and compare the result of each of
# its subtests with the table tests/igt/igt.txt.
#
#	suite.sh PROGRAM FOLDER
#
# FOLDER is where testbox/igt.sh unpacked the package; it is the root of the program's processes.
set -u

name=$1
folder=$2
table=/src/tests/igt/igt.txt
root=/run/igt
if [ ! -d $root ]; then
	mkdir -p $root
	mount -t hostfs -o "ro,$folder" hostfs $root || exit 99
	for dir in dev proc sys tmp; do
		mount --bind /$dir $root/$dir || exit 99
	done
fi

igt() # option...
{
	LD_PRELOAD=/tmp/libconsole.so timeout 300 chroot $root "/usr/libexec/igt-gpu-tools/$name" "$@" 2>&1
}

cp /src/build/igt/libconsole.so /tmp || exit 99
igt >/tmp/igt.out
status=$?

# Their time limits are tenths of a second, and a guest on a loaded machine may sleep longer. The
# subtests are deterministic otherwise: a fault of the driver fails each try.
again()
{
	# shellcheck disable=SC2013 # words without blanks
	for subtest in $(sed -n 's/^Subtest \([^ ]*\): FAIL .*/\1/p' /tmp/igt.out); do
		for try in 2 3 4 5; do
			sleep 1
			igt --run-subtest "$subtest" >/tmp/igt.again
			if grep -q "^Subtest $subtest: SUCCESS " /tmp/igt.again; then
				echo "# $subtest: passed at try $try"
				sed -i "s/^Subtest $subtest: FAIL /Subtest $subtest: SUCCESS /" /tmp/igt.out
				break
			fi
		done
	done
}
case $name in
syncobj_*) again ;;
esac

awk -F'\t' -v program="$name" -v status=$status -v version="$(cat $root/version)" '
	function tap(good, text)
	{
		printf "%s %d - %s\n", good ? "ok" : "not ok", ++count, text
		if (good)
			return
		for (i = 1; i <= lines; i++)
			print "#   " said[i]
		wrong = 1
	}

	# Another version of IGT may have other subtests.
	function other_version(text)
	{
		return "# SKIP " text " IGT " version ", and the table is that of " made_with
	}

	function compare(subtest, result)
	{
		seen[subtest] = 1
		if (!(subtest in expected)) {
			if (version == made_with)
				tap(0, subtest ": " result ", and the table does not have it")
			else
				tap(1, subtest " " other_version("is of"))
		} else if (result != expected[subtest]) {
			tap(0, subtest ": " result ", not " expected[subtest])
		} else if (result == "pass") {
			tap(1, subtest)
		} else {
			tap(1, subtest " # SKIP " result ": " reason[subtest])
		}
		lines = 0
	}

	NR == FNR {
		if (/^# IGT /)
			made_with = substr($0, 7)
		else if ($2 == program) {
			expected[$3] = $1
			reason[$3] = $4
		}
		next
	}
	match($0, /^(Subtest [^ ]*: )?(SUCCESS|SKIP|FAIL|CRASH|TIMEOUT) \(/) {
		subtest = "whole"
		result = $0
		if (sub(/^Subtest /, "", result)) {
			subtest = result
			sub(/: .*/, "", subtest)
			sub(/^[^ ]*: /, "", result)
		}
		sub(/ .*/, "", result)
		compare(subtest, result == "SUCCESS" ? "pass" : tolower(result))
		next
	}
	{
		said[++lines] = $0
	}
	END {
		for (subtest in expected)
			if (!(subtest in seen)) {
				if (version == made_with)
					tap(0, subtest ": did not run")
				else
					tap(1, subtest " " other_version("is not in"))
			}
		# Passed, skipped, failed.
		if (status != 0 && status != 77 && status != 98)
			tap(0, "ends with status " status)
		print "1.." count
		exit wrong
	}' $table /tmp/igt.out
