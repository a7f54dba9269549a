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
if [ -n "$dedma" ]; then
	# The file on which dedma keeps step.
	dump=tests/data/mesa-gles2-nv96.txt
	$out/decode $dump $out/trace.txt
	set -- -m 96 -o beef5039 5039 -o beef502d 502d -o beef5097 8297
	# Its own time only: the last line of "times" is that of the children.
	# shellcheck disable=SC2016 # for the inner shell
	sh -c '"$@" >/dev/null 2>&1; times' sh "$dedma" "$@" -v 1 $out/trace.txt >$out/times
	$out/decode $dump | {
		read -r speed _ words
		tail -n 1 $out/times | tr 'ms' '  ' | awk -v w="$((words * 10))" -v s="$speed" '{
			us = ($1 * 60 + $2 + $3 * 60 + $4) * 1e6
			printf "  dedma: %.2f million words/s; ratio %.1f (target 20)\n", w / us, s * us / w }'
	}
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
