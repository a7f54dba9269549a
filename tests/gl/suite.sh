#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the UML guest, with the module loaded: one suite with Mesa.
#
#	suite.sh NAME TOP
#
# steps: an OpenGL ES program, step by step. gbm: the same with libgbm. parallel: three at once. killed: what a program
# leaves that is killed in the middle. capture: a captured file can be read again. scene and
# features: pictures beside llvmpipe's. piglit: tests of the package in $PIGLIT.
set -u

name=$1
top=$2
here=/src/tests/gl
count=0

gl()
{
	sh $here/in-guest.sh "$top" build/bin/nvfifo gl "$@"
}

tap() # status, name
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
	fi
}

# Shown as comments, so that the lines of one program are not taken for the suite's.
comment()
{
	sed 's/^/#   /' "$1"
}

parallel()
{
	gl true # mounts what the three then find
	for i in 1 2 3; do
		gl build/gl/steps >/tmp/steps.$i 2>&1 &
		eval "p$i=\$!"
	done
	for i in 1 2 3; do
		status=0
		eval "wait \$p$i" || status=$?
		[ $status -eq 0 ] || comment /tmp/steps.$i
		tap $status "program $i of three at once"
	done
}

# Buffers and address spaces of all open files
holdings()
{
	grep "^bo " /sys/kernel/debug/dri/0/nvfifo_dump
	ls /sys/kernel/debug/dri/0/nvfifo_vm
}

killed()
{
	gl true
	holdings >/tmp/before
	for delay in 0.3 0.7 1.1 1.5; do
		gl build/gl/steps >/tmp/steps.k 2>&1 &
		sleep $delay
		for pid in $(pidof steps); do
			kill -KILL "$pid"
		done
		wait
	done

	# The driver frees what they had a moment later.
	tries=0
	status=1
	while [ $status -ne 0 ] && [ $tries -lt 60 ]; do
		sleep 1
		holdings >/tmp/after
		cmp -s /tmp/before /tmp/after
		status=$?
		tries=$((tries + 1))
	done
	[ $status -eq 0 ] || comment /tmp/after
	tap $status "programs that were killed leave nothing"
	gl build/gl/steps >/tmp/steps.k 2>&1
	status=$?
	[ $status -eq 0 ] || comment /tmp/steps.k
	tap $status "and the next one works"
}

capture()
{
	gl --capture /tmp/capture.txt build/gl/steps >/tmp/steps.c 2>&1
	tap $? "a program whose pushbuffers are captured"
	nvfifo disasm --input capture /tmp/capture.txt >/tmp/capture.asm
	tap $? "the captured file is read"
	grep -q 'DMA_NOTIFY' /tmp/capture.asm && grep -q 'SIFC' /tmp/capture.asm
	tap $? "it has Mesa's methods, by name"
	gl --capture /tmp/capture-scene.txt build/gl/scene /tmp/scene.ppm >/tmp/scene.log 2>&1
	tap $? "a scene whose memory is captured"
	nvfifo disasm --program /tmp/capture-scene.txt >/tmp/capture.nvp 2>/tmp/capture.log &&
		nvfifo run --model="$CHIPSET" --quiet /tmp/capture.nvp >>/tmp/capture.log 2>&1
	tap $? "the capture runs again, and draws the same"
	comment /tmp/capture.log
	mkdir -p /out/keep
	cp /tmp/capture-scene.txt /tmp/capture.nvp /tmp/scene.ppm /out/keep
}

# Coverage and depth are the same; a color may be rounded the other way.
scene()
{
	gl build/gl/scene /tmp/scene.ppm >/tmp/scene.log 2>&1
	tap $? "a scene on nvfifo"
	LIBGL_ALWAYS_SOFTWARE=1 sh $here/in-guest.sh "$top" build/gl/scene /tmp/llvmpipe.ppm \
		>>/tmp/scene.log 2>&1
	tap $? "the same by llvmpipe"
	comment /tmp/scene.log
	sh $here/in-guest.sh "$top" build/gl/scene --compare /tmp/scene.ppm /tmp/llvmpipe.ppm 1 \
		>/tmp/scene.cmp 2>&1
	tap $? "no color differs by more than 1 of 255"
	comment /tmp/scene.cmp
	mkdir -p /out/keep
	cp /tmp/scene.ppm /tmp/llvmpipe.ppm /out/keep
}

# Each picture has its own tolerance; tests/gl/features.c has them.
features()
{
	without=
	gl build/gl/features /tmp/features.nvfifo >/tmp/features.log 2>&1 || comment /tmp/features.log
	LIBGL_ALWAYS_SOFTWARE=1 sh $here/in-guest.sh "$top" build/gl/features /tmp/features.llvmpipe \
		>>/tmp/features.log 2>&1 || comment /tmp/features.log
	# Texture headers of the G80 have no first level, and Mesa generates levels from level 0.
	[ "$CHIPSET" != g80 ] || without='generated levels'
	sh $here/in-guest.sh "$top" build/gl/features --compare /tmp/features.nvfifo \
		/tmp/features.llvmpipe ${without:+"$without"}
}

# A list of tests of Debian's piglit, each with the result that it has to have
piglit()
{
	gl python3 tests/gl/piglit.py "$PIGLIT" tests/gl/piglit.txt
}

case $name in
piglit)
	piglit
	exit
	;;
features)
	mkdir -p /out/keep
	features
	status=$?
	cp /tmp/features.* /out/keep
	exit $status
	;;
steps | gbm)
	gl "build/gl/$name"
	exit
	;;
parallel | killed | capture | scene)
	$name
	echo "1..$count"
	;;
*)
	echo "suite.sh: no suite $name" >&2
	exit 99
	;;
esac
