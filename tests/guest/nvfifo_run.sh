#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the guest, with the module unloaded: what of the nvfifo command needs a card,
# on the model. Prints TAP. $MODULE is the module's path, $CHIPSET the card's name.
#
# Guards the nvfifo command with a card (quick-start.rst), on each generation.
set -u

cd /src || exit 1
export NO_COLOR=1
out=/tmp/nvfifo-run.out
count=0
failed=0

check() # name condition...
{
	count=$((count + 1))
	name=$1
	shift
	if "$@"; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		sed 's/^/# /' $out
		failed=$((failed + 1))
	fi
}

# The exit code, the verdict, and what else must be printed.
as_expected() # code verdict [pattern]...
{
	[ "$status" -eq "$1" ] || return 1
	case $(tail -n 1 $out) in
	"$2"*) ;;
	*) return 1 ;;
	esac
	shift 2
	for pattern; do
		grep -q -e "$pattern" $out || return 1
	done
}

# False, after a skipped test, where NVFIFO_SHORT leaves out those that do not depend on the chipset.
on_this_chipset() # name of the tests that follow
{
	[ -n "${NVFIFO_SHORT-}" ] || return 0
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $NVFIFO_SHORT"
	return 1
}

# Until a condition holds, two minutes at most.
wait_for() # condition...
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		if [ $tries -ge 2400 ]; then
			check "this came: $*" false
			return
		fi
		sleep 0.05
	done
}

run() # file [option]...
{
	nvfifo run --timeout 120000 "$@" >$out 2>&1
	status=$?
}

status=0
nvfifo info >$out 2>&1 || status=$?
check "info without the driver says that there is none" as_expected 3 "nvfifo: "

if ! insmod "${MODULE:=/src/build/uml-module/nvfifo.ko}"; then
	echo "Bail out! cannot load $MODULE"
	exit 1
fi

status=0
nvfifo info >$out 2>&1 || status=$?
check "info names the card" grep -qi "^$CHIPSET, chipset 0x" $out
check "info shows features and limits" as_expected 0 "  hang limit " "^  BOs  *[1-9]" "^  features " "^  VM_BIND " \
	"^  BAR1 .* MiB "
nvfifo info --json >$out 2>&1 || status=$?
check "info --json" as_expected 0 "{" '"va_end":"[0-9a-f]\{10\}"' '"ring_order_max":[0-9]' \
	'"tags_free":[0-9]' '"label_size":[0-9]' '"file_bytes":[1-9]' '"hang_limit_max":[0-9]'
pci=$(sed -n 's/.*"pci":"\([^"]*\)".*/\1/p' $out)
nvfifo info --device "$pci" >$out 2>&1 || status=$?
check "info finds the card by its PCI address $pci" as_expected 0 "  hang limit " "PCI $pci"
nvfifo info --device 0000:1f:1f.7 >$out 2>&1
status=$?
check "info does not find a card at another address" as_expected 3 "nvfifo: no card"

# Registers, by name.
drop_dumps()
{
	for data in /sys/class/devcoredump/devcd*/data; do
		test ! -e "$data" || echo 0 >"$data"
	done
}

nv() # subcommand [argument]...
{
	nvfifo "$@" >$out 2>&1
	status=$?
}

# The driver writes a dump after the channel's death.
has_dump() # [option]...
{
	nv dump --summary "$@"
	! grep -q "there is no device coredump" $out
}

scratch="PBUS.INTR_USER0_SCRATCH[2]"
nv peek PMC.BOOT_0
check "peek knows the chipset" as_expected 0 "" "^000000  0[0-9a-f]*  PMC.BOOT_0" \
	"CHIPSET .*# $(echo "$CHIPSET" | tr '[:lower:]' '[:upper:]')$"
nv peek --json --device "$pci" CACHE1.DMA_FETCH
check "peek --json --device" as_expected 0 "{" '"register":"CACHE1.DMA_FETCH"' '"MAX_REQS":[0-9]'
nv peek --device 0000:1f:1f.7 PMC.BOOT_0
check "peek does not find another card" as_expected 3 "nvfifo: no card 0000:1f:1f.7"
nv peek CHAN_TABLE 128
check "peek reads all of an array" as_expected 0 "" "PFIFO.CHAN_TABLE\[127\]"
if on_this_chipset "poke and watch"; then
	nv poke "$scratch" cafe0001
	check "poke without its flag does nothing" as_expected 2 "Try 'nvfifo poke --help'" "yes-write-registers"
	nv poke --yes-write-registers "$scratch" cafe0001
	check "poke writes" as_expected 0 "" "was 00000000, wrote cafe0001, is cafe0001"
	nv poke --yes-write-registers --mask ff "$scratch" 1234
	check "poke with a mask" as_expected 0 "" "was cafe0001, wrote cafe0034, is cafe0034"
	nv peek "$scratch"
	check "the register has it" as_expected 0 "00115c  cafe0034  PBUS.INTR_USER0_SCRATCH"
	nv watch --interval 20 --count 3 --changes "$scratch" PTIMER.TIME_LOW
	check "watch shows what changes" as_expected 0 "" "00115c  cafe0034"
	check "and only that" test "$(grep -c "00115c" $out)" -eq 1 -a "$(grep -c "PTIMER.TIME_LOW" $out)" -ge 2
fi

run examples/01-refcnt-semaphore.nvp
check "example 01 passes" as_expected 0 "PASS 01-refcnt-semaphore" \
	"sem+0x0040 *deadbeef -> 12345678" "REF 0xcafe0001" "seqno 1, signalled" "IB_GET 2  IB_PUT 2"

check "the example of system calls alone" test "$(build/guest/raw_ioctl)" = "the semaphore is 0x12345678"

if on_this_chipset "JSON, titles, refusals and software objects"; then
	nv run --json examples/01-refcnt-semaphore.nvp
	check "run --json" as_expected 0 '{"program":"01-refcnt-semaphore","verdict":"PASS","exit":0,' '"differences":\[\],' \
		'"buffer":"sem","offset":60,.*"after":\["00000000","12345678"' '"ref":"cafe0001"' '"status":1'
	nv run --json tests/golden/title.nvp
	check "a title is no difference" as_expected 0 '{"program":"title","verdict":"PASS",' '"differences":\[\],'
	nv run tests/golden/bad-map.nvp
	check "a refused mapping names its line and attribute" as_expected 2 "FAIL bad-map" \
		"tests/golden/bad-map.nvp:4:12: map b: kind: there is no such storage type"
	nv run tests/golden/limits.nvp
	check "a channel without SLI, and one with a last word" as_expected 0 "PASS limits" \
		"channel plain is dead, as expected" "channel linear is dead, as expected"
	nv run tests/golden/software.nvp
	check "methods of software objects are events" as_expected 0 "PASS software" \
		"the driver sent method 0x104 of object 0xcafe0001, data 0x2, channel asks"
fi
for example in 09-dma-mode 11-object-attributes 12-event 13-spaces 14-software-method; do
	run examples/$example.nvp
	if [ "$CHIPSET" = g80 ] && [ $example = 09-dma-mode ]; then
		check "example $example is skipped on G80" as_expected 0 "SKIP $example"
	else
		check "example $example passes" as_expected 0 "PASS $example"
	fi
done
if on_this_chipset "trace"; then
	nvfifo trace --words >$out 2>&1 &
	trace=$!
	wait_for grep -qx X /sys/kernel/tracing/events/nvfifo/enable
	# The first is over, and its channel gone, long before anybody reads the events.
	nvfifo run --quiet examples/01-refcnt-semaphore.nvp >/dev/null
	nvfifo run --quiet --timeout 300 tests/golden/timeout.nvp >/dev/null
	wait_for grep -q "taken off the card" $out
	kill -INT $trace
	wait $trace
	status=$?
	check "trace --words disassembles what is submitted" as_expected 0 "" "submission 1, 1 entries" \
		"entry 0 at 0020010000, 8 words" "cafe0001 .*# REF_CNT" \
		"beef0001 .*# DMA_SEMAPHORE" "SEMAPHORE_ACQUIRE: waits for the semaphore"
	nvfifo trace >$out 2>&1 &
	trace=$!
	wait_for grep -qx X /sys/kernel/tracing/events/nvfifo/enable
	nvfifo run --quiet examples/03-m2mf-copy.nvp >/dev/null
	wait_for grep -q "taken off the card" $out
	kill -INT $trace
	wait $trace
	status=$?
	check "trace without --words names objects" as_expected 0 "" "object 0x.* of class 0x5039"
	check "and reads no words" sh -c "! grep -q words $out"
fi

run examples/02-semaphore-pair.nvp
if [ "$CHIPSET" = g80 ]; then
	check "example 02 is skipped" as_expected 0 "SKIP 02-semaphore-pair: it needs 64-bit semaphores"
else
	check "example 02 passes" as_expected 0 "PASS 02-semaphore-pair" \
		"fence waited is still unsignalled after 100 ms" "log+0x0010 *00000000 -> 22222222"
fi

for example in 03-m2mf-copy 04-m2mf-tiled 05-2d-fill 06-2d-blit 07-notify-query; do
	run examples/$example.nvp
	check "example $example passes" as_expected 0 "PASS $example"
done
run --images /tmp examples/08-drawing.nvp
check "example 08 draws" as_expected 0 "PASS 08-drawing" "image drawing, 320 x 240, is in /tmp/drawing.png"
if on_this_chipset "places for pictures"; then
	run --images /nowhere examples/08-drawing.nvp
	check "a folder that is not there is told before the card draws" as_expected 2 "" \
		"--images is a folder that can be written, not '/nowhere'"
	mkdir -p /tmp/taken/drawing.png
	run --images /tmp/taken examples/08-drawing.nvp
	check "a picture that cannot be written is told" as_expected 1 "FAIL 08-drawing: 1 difference" \
		"cannot write /tmp/taken/drawing.png"
	rm -rf /tmp/drawing.png /tmp/taken
fi

run tests/golden/entries.nvp
check "many entries and an order between channels" as_expected 0 "PASS entries" "REF 0x00000009"
run tests/golden/memory.nvp
check "memory of every sort" as_expected 0 "PASS memory" "tile .*, contiguous, .* kind 0x70" \
	"out .*, not snooped"
# What the suites before this one left.
drop_dumps
nv dump --summary
check "without a death there is the state as it is" as_expected 0 "" "there is no device coredump" \
	"^Dump of card $pci"
run tests/golden/dead-command.nvp
check "a channel that must die does" as_expected 0 "PASS dead-command" \
	"DMA_PUSHER error 4, INVALID_CMD: command word 0x20000050" "ended with error -125"
# What that one left.
wait_for has_dump --device "$pci"
check "dump marks the word" as_expected 0 "" "^nvfifo: reading /sys/class/devcoredump/devcd" \
	"^Channel 1: dead" "DMA_PUSHER INVALID_CMD, word 20000050" \
	"=> 20.*: 20000050  .word 0x20000050 .*<== the pusher stopped at this word, GET"
nv dump
check "dump shows everything" as_expected 0 "" "^ RAMFC" "^ RAMHT" "handle beef0001.*software" \
	"^ IB ring" "^ Pushbuffer" "REF_CNT" "^ Address space" '"sem"' "PDE 0.*KiB pages" \
	"002500  .*  PFIFO.CACHES"
nvfifo dump --json 2>$out >/tmp/dump.json
status=$?
check "dump --json" grep -q '"failing_word":{"segment":0,"word":2,.*"value":"20000050"' /tmp/dump.json
drop_dumps
run tests/golden/dead-fault.nvp
wait_for has_dump
check "dump finds the place of a fault" as_expected 0 "" "SEMAPHORE MEM_FAULT" \
	"va  *0030001000" "mapping  none" "now      PAGE_NOT_PRESENT" "<== the puller stopped at this method"
drop_dumps
run tests/golden/dead-fault.nvp
check "a fault is decoded" as_expected 0 "PASS dead-fault" "SEMAPHORE error 4, MEM_FAULT" \
	"VM fault: write of 0x0030001000, PAGE_NOT_PRESENT"
run tests/golden/dead-readonly.nvp
check "a fault is found in a buffer" as_expected 0 "PASS dead-readonly" "PAGE_READ_ONLY" \
	"that is sem+0x0"
run tests/golden/dead-graph.nvp
check "errors of PGRAPH" as_expected 0 "PASS dead-graph" \
	"PGRAPH DATA_ERROR 0x5, .*: subchannel 4, method 0x0200.*, data 0x12345678" \
	"PGRAPH TRAP of M2MF: " "VM fault: read of 0x7f00000000"
if on_this_chipset "differences"; then
	run tests/golden/dies.nvp
	check "a death that nobody expects is a difference" as_expected 1 "FAIL dies: 2 differences" \
		"channel ch0 is dead: DMA_PUSHER error 2, INVALID_MTHD: subchannel 0, method 0x0070"
	nv run --json tests/golden/differs.nvp
	check "each difference, as JSON" as_expected 1 "{" '{"line":9,"text":"sem+0x0004 is 0x00000002' '"verdict":"FAIL"'
	run tests/golden/differs.nvp --timeout 300
	check "each difference is told" as_expected 1 "FAIL differs: 6 differences" \
		"line 9: sem+0x0004 is 0x00000002, expected 0x00000007" "line 10: REF of ch0 is 0x00000005" \
		"line 11: channel ch0 is alive" "line 12: fence done has signalled already" "line 13: the time"
	run tests/golden/timeout.nvp --timeout 300
	check "waits end" as_expected 1 "FAIL timeout: 2 differences" \
		"fence never has not signalled within 300 ms" "does not become 0x00000001 within 300 ms"
	run tests/golden/refused.nvp
	check "a refused call is told" as_expected 3 "FAIL refused" "OBJECT_CREATE of handle 0xbeef5039"
fi
run tests/golden/vram.nvp
nvfifo info --json >/tmp/info.json
if grep -q vram_mmap /tmp/info.json; then
	check "VRAM that the CPU reads" as_expected 0 "PASS vram"
else
	check "VRAM that the CPU cannot read is a reason to skip" as_expected 0 "SKIP vram"
fi

# Many channels of many processes come and go.
if on_this_chipset "processes at once"; then
	jobs=
	for n in 1 2 3 4; do
		nvfifo run --timeout 120000 tests/golden/entries.nvp >$out.$n 2>&1 &
		jobs="$jobs $!"
	done
	status=0
	for job in $jobs; do
		wait "$job" || status=1
	done
	cat $out.1 $out.2 $out.3 $out.4 >$out
	rm -f $out.?
	check "four at once" as_expected 0 "PASS entries"
fi

if ! rmmod nvfifo; then
	echo "# the module cannot be unloaded"
	failed=$((failed + 1))
fi
echo "1..$count"
[ "$failed" -eq 0 ]
