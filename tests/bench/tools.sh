#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Speed of the disassembler and of the push builder, next to the programs that
# people use today. Those are not part of this tree: build envytools and take
# nv_push.h out of Mesa, and name them, or see our own numbers only.
#
#	tools.sh [--dedma PROGRAM] [--nv-push DIRECTORY]
#
# dedma needs RNN_PATH or an installed rnndb. DIRECTORY has nv_push.h, nvtypes.h and
# util/macros.h.
set -eu

cd "$(dirname "$0")/../.."
dedma='' nv_push=''
while [ $# -gt 0 ]; do
	case $1 in
	--dedma) dedma=$2 ;;
	--nv-push) nv_push=$2 ;;
	*)
		sed -n 's/^# \{0,1\}//; 4,12p' "$0" >&2
		exit 2
		;;
	esac
	shift 2
done

make -s lib tools
out=build/bench/tools
mkdir -p $out
flags="-O2 -std=gnu11 -I. -Ihw -Iuapi -Ilib"
# shellcheck disable=SC2086 # a list of flags
${CC:-cc} $flags -o $out/decode tests/bench/decode.c build/lib/libnvfifo.a -lpthread

echo "disassembler, words to text:"
for dump in tests/data/mesa-gles2-nv96.txt tests/data/mesa-gl33-nv96.txt; do
	$out/decode $dump | {
		read -r speed bytes _
		echo "  $(basename $dump): library $speed million words/s, $bytes MB/s of text"
	}
done
# Processor time of a whole process, in seconds: the last line of "times" is that of the children.
seconds() # command...
{
	# shellcheck disable=SC2016 # for the inner shell
	sh -c '"$@" >/dev/null 2>&1; times' sh "$@" | tail -n 1 | tr 'ms' '  ' |
		awk '{ print $1 * 60 + $2 + $3 * 60 + $4 }'
}

# The words of one submission again and again, which dedma keeps step with.
dump=tests/data/mesa-gles2-nv96.txt
$out/decode $dump $out/trace.txt
traced=$(wc -l <$out/trace.txt)
# Ours need a longer input for the clock of "times".
for _ in 1 2 3 4 5 6 7 8; do
	awk '{ print substr($NF, 3) }' $out/trace.txt
done >$out/words.txt
words=$(wc -l <$out/words.txt)
classes="--class 0xbeef5039=0x5039 --class 0xbeef502d=0x502d --class 0xbeef5097=0x8297"
# shellcheck disable=SC2086 # a list of options
build/bin/nvfifo disasm --source $classes $out/words.txt >$out/source.txt

echo "commands, whole processes, million words/s of processor time:"
# shellcheck disable=SC2086
ours=$(seconds build/bin/nvfifo disasm $classes $out/words.txt)
# shellcheck disable=SC2086
json=$(seconds build/bin/nvfifo disasm --json $classes $out/words.txt)
asm=$(seconds build/bin/nvfifo asm --binary $out/source.txt)
for row in "disasm $ours" "disasm --json $json" "asm $asm"; do
	awk -v w="$words" -v s="${row##* }" -v n="${row% *}" 'BEGIN {
		printf "  %-14s %.1f\n", n, w / s / 1e6 }'
done
if [ -n "$dedma" ]; then
	theirs=$(seconds "$dedma" -m 96 -o beef5039 5039 -o beef502d 502d -o beef5097 8297 \
		-v 1 $out/trace.txt)
	awk -v t="$traced" -v w="$words" -v s="$theirs" -v o="$ours" 'BEGIN {
		printf "  %-14s %.2f; ratio %.1f (target 20)\n", "dedma", t / s / 1e6,
			w / o / (t / s) }'
fi

echo "push builder:"
if [ -n "$nv_push" ]; then
	# Mesa's release builds have no assertions; ours checks always.
	for define in '' -DNDEBUG; do
		# shellcheck disable=SC2086
		${CC:-cc} $flags $define -DNV_PUSH -I"$nv_push" -o $out/push tests/bench/push.c
		echo "  nv_push.h ${define:+without assertions}${define:-with assertions}" |
			sed 's/-DNDEBUG//'
		$out/push | sed 's/^/  /'
	done
else
	# shellcheck disable=SC2086
	${CC:-cc} $flags -o $out/push tests/bench/push.c
	$out/push | sed 's/^/  /'
fi
