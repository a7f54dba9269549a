#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# What a person sees: which card there is, four lines of menu, and where the report is.

# shellcheck source=packaging/stick/stick.sh
. /stick.sh
# shellcheck source=packaging/stick/stages.sh
. /stages.sh

watchdog=
# Seconds until a machine that hangs is reset, by the chipset
watchdog_seconds=120

# A watchdog that is not fed resets the machine.
start_watchdog()
{
	[ -c /dev/watchdog ] || return
	busybox watchdog -F -T $watchdog_seconds -t 10 /dev/watchdog &
	watchdog=$!
}

# What says that the test is over when the screen is dark
signal_end()
{
	local i led

	for i in 1 2 3 4 5 6; do
		for led in /sys/class/leds/*lock/brightness; do
			[ ! -w "$led" ] || echo $((i % 2)) >"$led"
		done
		[ $((i % 2)) -eq 0 ] || printf '\a' >/dev/tty1
		usleep 400000
	done
}

# Store what is in $report under its name.
keep_report()
{
	local status

	pack_report
	on_stick_again store_archive "$(report_name)"
	status=$?
	if [ $status -eq 0 ]; then
		say "The report is on the stick: $(cat /run/stored)"
		return 0
	fi
	explain_stick $status
	say "The report could not be written. What it says:"
	say_text <"$report/result.txt"
	return 1
}

# What the last test left. Return: 1 if there was none.
last_test()
{
	rm -rf "$report"
	mkdir -p "$report"
	last=
	on_stick look_around
	case $last in
	unfinished) hung ;;
	report)
		say "A report of an earlier test is on this stick. Please send it; see README.TXT there."
		say
		;;
	*) return 1 ;;
	esac
}

# Report a test that did not come to its end.
hung()
{
	board=$(sed -n 's/^board: //p' "$report/result.txt")
	if [ -s "$report/stage.txt" ]; then
		note "hung at stage $(cat "$report/stage.txt")"
		grep -v '^$' "$report/steps.txt" | tail -n 1 | sed 's/^/last step: /' >>"$report/result.txt"
		say "The machine hung or was switched off at stage $(cat "$report/stage.txt") of the last test."
	else
		note "ended: between two stages"
	fi
	keep_report && say "Please send it; see README.TXT on the stick."
	say
}

# Ask the stick before anything happens. Return: 1 after saying why the test cannot begin.
stick_is_ready()
{
	local status

	on_stick_again has_room
	status=$?
	[ $status -eq 0 ] && return 0
	explain_stick $status
	say "The test does not begin, as it could not leave a report."
	return 1
}

test_card() # msi
{
	stick_is_ready || return
	say "Testing $board ($chip). It takes about a minute, ten at most."
	[ "$screen" = 0 ] || say "The screen goes dark now, or stands still. Wait until the machine switches off."
	begin_report "$1"
	start_watchdog
	run_stages "$1"
	if all_passed; then
		say "All went well."
	else
		say "Not all went well: the report says what failed."
	fi
	keep_report
	# Not its usual end, which would stop the watchdog: a machine that does not switch off is reset.
	# The kernel complains of that.
	dmesg -n 1
	[ -z "$watchdog" ] || kill -9 $watchdog
	signal_end
	say "The machine switches off. Then take the stick out, and send the report; see README.TXT on it."
	sleep 5
	sync
	poweroff -f
}

no_card()
{
	if [ -z "$strangers" ]; then
		say "No graphics card was found."
	else
		say "This machine's graphics:"
		printf '%s' "$strangers" | say_text
		say_text <<-END
			That is not one of the NV50 family: GeForce 8, 9, 100, 200 and most of 300, and
			the Quadro, NVS, Tesla and ION of these years.
		END
	fi
	say "There is nothing to test. The machine switches off in a minute, or when you press a key."
	ask 60
}

about_card()
{
	say "The card is a $board ($chip, PCI $card)."
	[ -z "$others" ] || say "There are others of the family, which are not tested: ${others#, }."
	[ "$screen" = 0 ] ||
		say_text <<-END
			It shows this screen, which goes DARK or stands still during the test.
		END
	say_text <<-END
		The test takes about a minute, ten at most. At the end the keyboard's lights
		blink, the speaker beeps, and the machine switches off by itself.
		If it is still on after ten minutes, switch it off by its button and start it
		from this stick again: it then writes down where it stopped.
	END
}

menu() # what no key means
{
	say_text <<-END

		  1  test my card
		  2  test it again, with MSI (another kind of interrupt)
		  3  shell, for those who know what to type
		  4  switch off

	END
	say "Press a key from 1 to 4; without one it is $1 in two minutes."
	ask 120
	case ${key:-$1} in
	1) test_card 0 ;;
	2) test_card 1 ;;
	3)
		say "A shell; 'exit' leads back. 'touch /run/suspend' adds a suspend to the next test."
		setsid -c sh </dev/tty1 >/dev/tty1 2>&1
		;;
	4) return 1 ;;
	esac
	# A test that could not begin leads back to the menu, too.
	return 0
}

clear >/dev/tty1
say_text <<-END
	nvfifo: a test of your graphics card

	No disk of this machine is used. The report comes to this stick, as a file.
	It has no serial numbers and no MAC addresses.

END
default=1
if ! wait_for_stick 30; then
	say_text <<-END
		The stick's partition $label was not found. Plug the stick into another port and
		start again. The machine switches off in two minutes, or when you press a key.
	END
	ask 120
	exit
fi
# A machine that starts once more by itself does not test once more.
! last_test || default=4
if ! find_card; then
	no_card
	exit
fi
about_card
while menu $default; do
	default=4
done
