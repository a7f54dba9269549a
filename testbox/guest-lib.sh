# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Common to run-guest.sh and run-qemu.sh: options, the model's and the guest's life, and
# what is said of a run. Source it after lib.sh.
# shellcheck disable=SC2034,SC2154 # those who source this use them, and lib.sh assigns some

nvsim=$top/build/sim/nvsim
self=$(basename "$0" .sh)
chipset=g84
vram=
timeout=300
log=
strict=1
files=()
sim_args=()
append=()
env=()
allow=()

fail()
{
	say "$self: $*"
	exit 126
}

need_number() # option, value, least, most
{
	if ! [[ $2 =~ ^[0-9]{1,9}$ ]] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		fail "$1 '$2': not a number from $3 to $4"
	fi
}

# Take an option that both scripts have. Sets $taken: how many words that were.
common_option() # word...
{
	taken=2
	case $1 in
	--lenient)
		strict=
		taken=1
		return
		;;
	-h | --help)
		sed -n '2,/^set -/p' "$0" | grep '^#' | cut -c3-
		exit 0
		;;
	--chipset | --vram | --timeout | --log | --trace | --stats | --record | --sim-args | \
		--append | --env | --allow) need_value "$@" ;;
	*) fail "unknown option $1; see --help" ;;
	esac
	case $1 in
	--chipset) chipset=${2,,} ;;
	--vram) need_number "$1" "$2" 1 4096 && vram=$2 ;;
	--timeout) need_number "$1" "$2" 1 86400 && timeout=$2 ;;
	--log) log=$2 ;;
	# Files that the model writes, from a directory of its own.
	--trace | --stats | --record) files+=("$1" "$(absolute "$2")") ;;
	--sim-args) read -ra words <<<"$2" && sim_args+=("${words[@]}") ;;
	--append) read -ra words <<<"$2" && append+=("${words[@]}") ;;
	--env)
		[[ $2 =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || fail "--env '$2': not NAME=VALUE"
		env+=("$2")
		;;
	--allow)
		[ -n "$2" ] || fail "--allow '': empty, would allow everything"
		allow+=("$2")
		;;
	esac
}

absolute() # path
{
	case $1 in
	/*) printf '%s' "$1" ;;
	*) printf '%s/%s' "$PWD" "$1" ;;
	esac
}

need_value() # option, value...
{
	[ $# -ge 2 ] || fail "$1 needs a value"
}

need_chipset()
{
	case " $chipsets " in
	*" $chipset "*) ;;
	*) fail "--chipset '$chipset': not one of $chipsets" ;;
	esac
}

guest_pid=
sim_pids=()
tail_pid=

# Everything of this run lies in the directory $run and goes with it.
begin_run()
{
	run=$(absolute "$(mktemp -d "${TMPDIR:-/tmp}/nvfifo.XXXXXX")")
	trap finish EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	[ "$(free_room "$run")" -ge 30 ] ||
		fail "${TMPDIR:-/tmp} has less than 30 MiB free for the guest's files: set TMPDIR"
	mkdir "$run/out"
	exec {never}<> <(:)
	ulimit -c 0
}

# Sleep, without starting a process: $never is a pipe into which nobody writes.
pause() # seconds
{
	read -r -t "$1" -u "$never" || true
}

# shellcheck disable=SC2317 # a trap calls it
finish()
{
	trap - EXIT INT TERM HUP
	# The guest is a group of processes of its own, led by guest_pid.
	[ -z "$guest_pid" ] || kill -KILL -- "-$guest_pid" 2>/dev/null || true
	[ ${#sim_pids[@]} -eq 0 ] || kill "${sim_pids[@]}" 2>/dev/null || true
	[ -z "$tail_pid" ] || kill "$tail_pid" 2>/dev/null || true
	wait
	[ -z "${terminal-}" ] || stty "$terminal"
	rm -rf "$run"
}

# What the guest's process 1 runs: assignments first.
write_command() # assignments, word...
{
	local e

	{
		printf '%s' "$1"
		for e in "${env[@]}"; do
			printf 'export %s=%q\n' "${e%%=*}" "${e#*=}"
		done
		shift
		printf '%q ' "$@"
		echo
	} >"$run/out/command"
}

# Start a model that listens at $run/NAME when this returns. Its violations are in
# $run/NAME.violations, what it says in $run/NAME.log. The options of one model, files
# among them, are those of the card "card".
start_model() # option for the kind of socket, name, chipset
{
	local args i

	# From there: the name of a socket has room for 107 bytes.
	args=("$1" "$2" --chipset "$3" --report "$run/$2.violations")
	[ "$2" != card ] || args+=("${files[@]}" "${sim_args[@]}")
	[ -z "$vram" ] || args+=(--vram "$vram")
	[ -z "$strict" ] || args+=(--strict)
	(cd "$run" && exec "$nvsim" "${args[@]}") >"$run/$2.log" 2>&1 </dev/null &
	sim_pids+=("$!")
	# Two minutes: on a loaded machine seconds pass before a process runs at all.
	for ((i = 0; i < 2400; i++)); do
		[ ! -S "$run/$2" ] || return 0
		kill -0 "${sim_pids[-1]}" 2>/dev/null || break
		pause 0.05
	done
	cat "$run/$2.log" >&2
	fail "the model did not start"
}

# Wait for the guest, which its caller started with setsid in the background, at most
# $timeout s, and show what it writes to $run/stdout. Sets guest_status and timed_out.
wait_guest() # its process
{
	local now until

	guest_pid=$1
	tail -n +1 -s 0.2 -f --pid="$guest_pid" "$run/stdout" &
	tail_pid=$!
	# Of a clock that nobody sets, which SECONDS is not.
	read -r now _ </proc/uptime
	until=$((${now%.*} + timeout))
	while kill -0 "$guest_pid" 2>/dev/null; do
		read -r now _ </proc/uptime
		if [ "${now%.*}" -ge "$until" ]; then
			timed_out=1
			kill -KILL -- "-$guest_pid" 2>/dev/null || true
			break
		fi
		pause 0.1
	done 2>/dev/null # the shell would tell that the guest was killed
	wait "$guest_pid" 2>/dev/null || guest_status=$?
	kill -KILL -- "-$guest_pid" 2>/dev/null || true
	guest_pid=
	wait "$tail_pid" 2>/dev/null || true
	tail_pid=
}

# A model leaves when the guest hangs up; two minutes are for a loaded machine. A guest that has
# failed may never have come. Sets sim_status: that of the first model that failed.
wait_models()
{
	local i pid status tries=2400

	[ "$guest_status" -eq 0 ] || tries=100
	sim_status=0
	for pid in "${sim_pids[@]}"; do
		status=0
		for ((i = 0; i < tries; i++)); do
			kill -0 "$pid" 2>/dev/null || break
			pause 0.05
		done
		if kill -0 "$pid" 2>/dev/null; then
			kill "$pid" 2>/dev/null || true
			say "$self: the model did not leave when the guest did"
			wait "$pid" 2>/dev/null || true
			status=1
		else
			wait "$pid" || status=$?
		fi
		[ "$sim_status" -ne 0 ] || sim_status=$status
	done
	sim_pids=()
}

complain() # what, file with the lines
{
	bad=1
	say "$self: $1"
	head -n 60 "$2" | sed 's/^/  | /' >&2
}

# What the kernel says when something is wrong: these words begin its reports.
mistakes='BUG:|WARNING:|Oops|Kernel panic|KASAN|UBSAN|kernel BUG|general protection|Unable to handle|'
mistakes+='INFO: (task|rcu|trying to register)|DMA-API:|ODEBUG:|refcount_t:|list_(add|del) corruption|'
mistakes+='sleeping function called|scheduling while atomic|bad unlock balance|held lock freed|'
mistakes+='Bad page|Out of memory|nobody cared|segfault'

# Say what went wrong, and leave with the status that tells it.
end_run() # more mistakes of the kernel's, more kernel messages that are none
{
	local line

	bad=
	tr -d '\r' <"$run/console" >"$run/dmesg"
	[ -z "$log" ] || cp "$run/dmesg" "$log"
	if [ "$guest_status" -ne 0 ] && grep -q '^check_ptrace\|ptrace: Operation not permitted' "$run/dmesg"; then
		fail "this machine or container forbids ptrace, without which UML does not start" \
			"(docker: --cap-add SYS_PTRACE; kernel.yama.ptrace_scope must be less than 3)"
	fi

	grep -nE "$mistakes|$1" "$run/dmesg" | grep -vE "$(IFS='|' && echo "$2${allow[*]:+|${allow[*]}}")" \
		>"$run/first" || true
	if [ -s "$run/first" ]; then
		line=$(head -n 1 "$run/first" | cut -d: -f1)
		# A panic is said after the registers and the trace, most others before.
		sed -n "$((line > 15 ? line - 15 : 1)),$((line + 45))p" "$run/dmesg" >"$run/excerpt"
		complain "the kernel complained ($(wc -l <"$run/first") lines match); the first place:" "$run/excerpt"
	fi
	[ ! -s "$run/out/leaks" ] || complain "memory was leaked:" "$run/out/leaks"
	[ ! -s "$run/qemu.log" ] || complain "QEMU complained:" "$run/qemu.log"
	find "$run" -maxdepth 1 -name 'card*.log' -exec cat {} + >"$run/model.log"
	find "$run" -maxdepth 1 -name 'card*.violations' -exec cat {} + >"$run/model.violations"
	if [ "$sim_status" -eq 3 ]; then
		complain "the model saw accesses that no correct driver makes:" "$run/model.violations"
	elif [ "$sim_status" -ne 0 ]; then
		complain "the model failed with status $sim_status:" "$run/model.log"
	elif [ -s "$run/model.log" ]; then
		sed 's/^/model: /' "$run/model.log" >&2
	fi

	tail -n 40 "$run/dmesg" >"$run/excerpt"
	if [ -n "$timed_out" ]; then
		complain "the guest was still running after $timeout s and was killed; its last messages:" "$run/excerpt"
		exit 124
	fi
	if [ ! -s "$run/out/status" ]; then
		complain "the guest ended (status $guest_status) without a result; its last messages:" "$run/excerpt"
		exit 126
	fi
	[ -z "$bad" ] || exit 125
	exit "$(cat "$run/out/status")"
}

timed_out=
guest_status=0
