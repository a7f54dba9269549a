#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Measure nvfifo and the distribution's own nouveau side by side: the same kernel in QEMU, the
# same model of a card, boots of the two in turns. Prints a table of both and of their ratio, which
# is greater than 1 where nvfifo needs less.
#
#	[CHIPSET=g96] bench-nouveau.sh [--rates | --memory] [--keep DIR] [boots]
#
#	--rates		submits per second of 1, 2 and 4 processes instead, with 2 processors
#	--memory	only the rows of channels and buffers
#	--keep DIR	keep what each boot printed and counted there
#
# Times are the medians over the boots (default 3) of the 10th percentile of the calls of a boot,
# in brackets the least and the greatest boot. Instructions are the guest's, of all that runs
# between the begin and the end of the call, as a plugin of QEMU counts them: the median of the
# calls. They repeat, whatever else the machine does; times do not.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

rates=
part=
keep=
while [ $# -gt 0 ]; do
	case $1 in
	--rates)
		rates=1
		part=rates
		shift
		;;
	--memory)
		part=memory
		shift
		;;
	--keep)
		[ $# -ge 2 ] || die "--keep needs a directory"
		keep=$2
		shift 2
		;;
	*) break ;;
	esac
done
boots=${1:-3}
[[ $boots =~ ^[1-9][0-9]?$ ]] || die "'$boots': not a number of boots from 1 to 99"
chipset=${CHIPSET:-g96}
kernel=6.12
dir=$(mktemp -d "${TMPDIR:-/tmp}/nvfifo.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# Both get the card with the same properties, those that nouveau needs.
card="--whole-card --quirk pfifo-tlb=coherent --quirk ectx-word3=low"

boot() # nvfifo or nouveau, number
{
	local side=$1 number=$2 options=() command status=0

	options=(--chipset "$chipset" --kernel "$kernel" --vram 256 --mem 1024 --lenient --timeout 560
		--append no_timer_check --sim-args "$card")
	if [ -n "$rates" ]; then
		options+=(--smp 2)
	else
		options+=(--smp 1 --count "$dir/$side.$number.count")
	fi
	if [ "$side" = nvfifo ]; then
		command="insmod \$MODULE && side_nvfifo $part"
	else
		options+=(--no-nvfifo --modules nouveau)
		command="side_nouveau $part"
	fi
	testbox/run-qemu.sh "${options[@]}" -- sh -c "$command" >"$dir/$side.$number.out" 2>"$dir/$side.$number.err" ||
		status=$?
	if [ "$status" -ne 0 ] && [ "$status" -ne 125 ]; then
		tail -n 20 "$dir/$side.$number.out" "$dir/$side.$number.err" >&2
		say "the boot of $side ended with status $status: its rows end there"
	fi
	[ -z "$keep" ] || { mkdir -p "$keep" && cp "$dir/$side.$number".* "$keep/"; }
}

for ((number = 1; number <= boots; number++)); do
	for side in nvfifo nouveau; do
		say "boot $number of $boots: $side"
		boot $side "$number"
	done
done

# SIDE NAME UNIT VALUE, one line for each boot: a time is the 10th percentile, all else the median.
for side in nvfifo nouveau; do
	for ((number = 1; number <= boots; number++)); do
		tr -d '\r' <"$dir/$side.$number.out" | grep '^row ' >"$dir/rows" || true
		touch "$dir/$side.$number.count"
		awk -v side=$side '
			FILENAME == ARGV[1] { count[++counts] = $3; next }
			{ print side, $2, $3, $3 == "us" || $3 == "rate" ? $4 : $5 }
			$3 == "us" { rows++; if (rows in count) print side, $2, "insn", count[rows] }
		' "$dir/$side.$number.count" "$dir/rows"
	done
done >"$dir/all"
[ -z "$keep" ] || cp "$dir/all" "$keep/all"

echo "nvfifo and nouveau on $chipset, kernel $kernel, $boots boots of each, $(git describe --always --dirty 2>/dev/null || echo unknown)"
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed -n 1p), $(nproc) processors; load $(cut -d' ' -f1-3 /proc/loadavg)"
# Rows that only one of them has stand alone; EXEC is compared with SUBMIT, too, and CHANNEL_WAIT
# with the call in which nouveau polls.
awk -v rates="$rates" '
	function median(key,   n, i, j, t, v) {
		n = split(values[key], v, " ")
		for (i = 1; i <= n; i++)
			for (j = i + 1; j <= n; j++)
				if (v[j] + 0 < v[i] + 0) { t = v[i]; v[i] = v[j]; v[j] = t }
		low = v[1]
		high = v[n]
		return n ? v[int((n + 1) / 2)] : "-"
	}
	# At most six characters.
	function short(v) {
		if (v >= 100000)
			return sprintf("%.0fk", v / 1000)
		return sprintf(v >= 100 ? "%.0f" : "%.1f", v)
	}
	function spread(key,   m) {
		m = median(key)
		if (m == "-")
			return m
		if (high == low)
			return short(m)
		return sprintf("%s (%s..%s)", short(m), short(low), short(high))
	}
	function ratio(mine, theirs, more,   a, b) {
		a = median(mine)
		b = median(theirs)
		if (a == "-" || b == "-" || a + 0 == 0 || b + 0 == 0)
			return "-"
		return sprintf("%.2f", more ? a / b : b / a)
	}
	function count(key,   m) {
		m = median(key)
		return m == "-" ? m : sprintf("%.0f", m)
	}
	function pair(mine, theirs, unit) {
		return sprintf(" %7s %7s ", count(mine " " unit), count(theirs " " unit))
	}
	function line(title, mine, theirs) {
		if (table == "work")
			printf "%-24s%s%s%s %9s %9s %6s\n", title, pair(mine, theirs, "reads"),
				pair(mine, theirs, "writes"), pair(mine, theirs, "stores"),
				count(mine " insn"), count(theirs " insn"), ratio(mine " insn", theirs " insn")
		else
			printf "%-24s %23s %23s %7s\n", title, spread(mine " " table),
				spread(theirs " " table), ratio(mine " " table, theirs " " table, table == "rate")
	}
	function print_table(what,   i, n, e) {
		table = what
		for (i = 1; i <= rows; i++) {
			n = name[i]
			if (n ~ /^exec/)
				continue
			# Both wait with a call of the driver.
			e = n
			sub(/^channel-wait/, "fence", e)
			line(n, "nvfifo " n, "nouveau " e)
			e = n
			if (sub(/^submit/, "exec", e) || sub(/^fence/, "exec-fence", e))
				if (e in seen)
					line("  against EXEC", "nvfifo " n, "nouveau " e)
		}
	}
	{
		if (!($2 in seen)) { seen[$2] = ++rows; name[rows] = $2 }
		values[$1 " " $2 " " $3] = values[$1 " " $2 " " $3] " " $4
	}
	END {
		if (rates) {
			printf "%-24s %23s %23s %7s\n", "submits per second", "nvfifo", "nouveau", "ratio"
			print_table("rate")
			exit
		}
		printf "%-24s%17s%17s%17s %26s\n", "", "register reads", "register writes", "stores to VRAM",
			"instructions"
		printf "%-24s", ""
		for (i = 0; i < 3; i++)
			printf " %7s %7s ", "nvfifo", "nouveau"
		printf " %9s %9s %6s\n", "nvfifo", "nouveau", "ratio"
		print_table("work")
		printf "\n%-24s %23s %23s %7s\n", "microseconds", "nvfifo", "nouveau", "ratio"
		print_table("us")
	}' "$dir/all"
