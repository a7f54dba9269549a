#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the guest, with the module unloaded: the command lines of manual pages and --help that
# take a card, on the model. Prints TAP. $MODULE is the module's path.
#
# Guards command lines of manual pages and --help (testing.rst), on one chip.
set -u

table=/src/tests/promises.txt
out=/tmp/promises.out
count=0
failed=0

check() # name status
{
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		echo "# exit status $2"
		sed 's/^/# /' $out
		failed=$((failed + 1))
	fi
}

# The commands are the same on every chipset.
if [ -n "${NVFIFO_SHORT-}" ]; then
	echo "1..0 # SKIP $NVFIFO_SHORT"
	exit 0
fi

mkdir -p /tmp/promises
cd /tmp/promises || exit 1
ln -s /src/examples examples
export NO_COLOR=1

if ! insmod "${MODULE:=/src/build/uml-module/nvfifo.ko}"; then
	echo "Bail out! cannot load $MODULE"
	exit 1
fi

# A channel that dies leaves a line in the log and a dump to look at.
nvfifo run --quiet /src/tests/golden/dies.nvp >$out 2>&1
check "a channel dies" $(($? != 1))

grep "^guest	" $table >/tmp/promised
while IFS='	' read -r _ command; do
	sh -c "$command" >$out 2>&1 </dev/null
	check "$command" $?
done </tmp/promised

# What was poked goes with the next start of the card.
rmmod nvfifo
check "the module is unloaded" $?
echo "1..$count"
exit $((failed > 0))
