#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Show that it works: boot a UML kernel with the model of a card, load the driver,
# run programs of examples/, show what the card did, keep the pictures it drew.
#
#	[CHIPSET=g84] demo.sh [program.nvp]...
#
# Programs are files below the repository. In build/demo stay:
#
#	log		what the commands in the guest said
#	dmesg		the kernel's messages
#	trace		each method, switch of channel and flush that the model saw
#	*.png		the pictures
#
# Exit status 0 if everything was as expected.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

chipset=${CHIPSET:-g84}
chipset=${chipset,,}
case " $chipsets " in
*" $chipset "*) ;;
*) die "CHIPSET '$chipset' is none of $chipsets" ;;
esac
if [ $# -eq 0 ]; then
	set -- examples/01-refcnt-semaphore.nvp examples/02-semaphore-pair.nvp examples/08-drawing.nvp
fi
for program; do
	case $program in
	/* | *..*) die "'$program': give a path below $top" ;;
	*.nvp) ;;
	*) die "'$program' is not a program: its name does not end in .nvp" ;;
	esac
	[ -f "$program" ] || die "'$program': no such file"
done
out=build/demo
nvfifo=build/guest/nvfifo

echo "The demonstration takes these steps; what was built before is not built again:"
echo "  1. the UML kernel: Linux as an ordinary program (2 to 8 minutes the first time)"
echo "  2. the driver for it, the model of the card, the nvfifo command (1 minute)"
echo "  3. boot it with the model of a ${chipset^^}, load the driver, run $# programs (10 s)"
echo
lock_build
rm -rf $out
mkdir $out

# The model and the command, beside the kernel: unpacking and linking it take one processor only.
make -s sim $nvfifo >$out/build.log 2>&1 &
make_pid=$!

# shellcheck disable=SC2317 # a trap calls it
finish()
{
	trap - EXIT INT TERM HUP
	[ -z "$make_pid" ] || kill "$make_pid" 2>/dev/null || true
	wait
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

echo "=== 1. The UML kernel"
kernel=${NVFIFO_UML:-$(testbox/build-uml.sh)}
echo "$kernel/linux"

echo "=== 2. Driver, model, command"
status=0
wait "$make_pid" || status=$?
make_pid=
if [ $status -ne 0 ] || ! NVFIFO_UML=$kernel testbox/build-module.sh --no-kunit >>$out/build.log 2>&1; then
	cat $out/build.log >&2
	need_room "$top/build" 100
	die "the build failed"
fi
rm $out/build.log
unlock_build
echo "build/uml-module/nvfifo.ko build/sim/nvsim build/guest/nvfifo"

echo "=== 3. The guest"
color=never
if [ -t 1 ] && [ -z "${NO_COLOR-}" ] && [ "${TERM:-dumb}" != dumb ]; then
	color=always
fi
status=0
NVFIFO_UML=$kernel testbox/run-guest.sh --env COLOR=$color --chipset "$chipset" --timeout 300 --no-leak-check \
	--trace $out/trace --log $out/dmesg --keep $out -- sh /src/testbox/demo-in-guest.sh "$@" |
	tee $out/log.color || status=$?
sed 's/\x1b\[[0-9;]*m//g' $out/log.color >$out/log
rm $out/log.color

if [ ! -s $out/log ] || [ ! -s $out/trace ]; then
	echo "demo: FAIL: ${chipset^^}: the guest did not run (status $status); the reason is above"
	exit 1
fi

# --- what is left on the screen

# The lines of the log about one program.
said() # program
{
	awk -v program="$1" '/^--- / { on = $NF == program } on' $out/log
}

# The first methods that the card got from a program, with their names. The model's
# trace knows words only, the disassembler the names; the log knows the objects' classes.
methods() # number of the program, program
{
	local classes=()

	mapfile -t classes < <(said "$2" |
		sed -nE 's/^  (0x[0-9a-f]+) .*, [A-Z0-9_]+ (0x[0-9a-f]+)$/--class\n\1=\2/p')
	sed -n "/MARK $1\$/,/MARK 255\$/p" $out/trace |
		sed -nE 's/^M ch [0-9]+ subc ([0-7]) mthd ([0-9a-f]+) .*data ([0-9a-f]+)$/\1 \2 \3/p' >$out/methods
	while read -r subc mthd data; do
		printf '%08x %s\n' $((1 << 18 | subc << 13 | 16#$mthd)) "$data"
	done <$out/methods | "$nvfifo" disasm --color never "${classes[@]}" - 2>/dev/null |
		sed -nE -e '/\.DMA_/d' -e 's/^.*data (0x[0-9a-f]+) *# ([^:]*)(: )?(.*)/    \2 = \1  \4/p' |
		sed -E -e 's/( = [^=]*) = 0x[0-9a-f]+ /\1 /' -e 's/ +$//' | cut -c1-86 >$out/named
	sed -n "1,${lines}p" $out/named
	if [ "$(wc -l <$out/named)" -gt "$lines" ]; then
		echo "    ... and $(($(wc -l <$out/named) - lines)) more methods"
	fi
	rm $out/methods $out/named
}

lines=$((12 / $#))
[ $lines -ge 2 ] || lines=2
n=0
echo
echo "=== What was done on a ${chipset^^}"
for program; do
	n=$((n + 1))
	name=${program##*/}
	name=${name%.nvp}
	verdict=$(said "$program" | sed -nE 's/^(PASS|FAIL) .*/\1/p')
	printf '%s  %s: %s\n' "${verdict:-FAIL}" "$name" "$(said "$program" | sed -n 3p)"
	echo "    checked: $(said "$program" | grep -c '^  ok  ' || true) results as expected, $(
		said "$program" | grep -cE '^  (FAIL|DIFFERENT|bad)' || true) not. The card's first methods:"
	methods $n "$program"
done
for picture in "$out"/*.png; do
	if [ -f "$picture" ]; then
		testbox/show-picture.py "$picture" || true
		echo "picture   $top/$picture"
	fi
done
echo "log       $top/$out/log: every word, buffer and comparison"
echo "kernel    $top/$out/dmesg"
echo "trace     $top/$out/trace: what the model saw, $(wc -l <$out/trace) lines"
if [ "$status" -eq 0 ]; then
	echo "demo: PASS: ${chipset^^}: everything was as expected"
else
	echo "demo: FAIL: ${chipset^^}: something differed (status $status); see above and the log"
fi
exit "$status"
