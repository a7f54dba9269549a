# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Common to the scripts of the test bed; source it.

# What fails in $(...) ends it, too: bash would go on there.
shopt -s inherit_errexit
# Messages of other programs are read: in English. Names may be of any language.
export LC_ALL=C.UTF-8
# A user's PATH lacks them on Debian; depmod, modinfo and debootstrap are there.
PATH=$PATH:/usr/sbin:/sbin

testbox=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for those who source this
top=$(dirname "$testbox")

# Messages go to stderr: stdout is for what a caller reads.
say()
{
	printf '%s\n' "$*" >&2
}

die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# End the jobs of the script that still run. The number of an ended job may be another process's.
# shellcheck disable=SC2317 # a trap calls it
end_jobs()
{
	local running

	trap - EXIT INT TERM HUP
	mapfile -t running < <(jobs -rp)
	[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null || true
	wait
}

# End the jobs of the script when it ends or is interrupted.
end_jobs_at_exit()
{
	trap end_jobs EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# Wait until nothing is built in this checkout any more. A compiler or assembler that outlives a
# killed make has the lock as well, as it may still write an object file.
lock_build()
{
	mkdir -p "$top/build"
	exec 7>"$top/build/lock"
	if ! flock -n 7; then
		say "Another build in $top still runs; waiting for it."
		flock 7
	fi
}

unlock_build()
{
	exec 7>&-
}

[ -n "${XDG_CACHE_HOME-}${HOME-}" ] || die "neither HOME nor XDG_CACHE_HOME is set"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/nvfifo
# The kernel's Makefiles refuse blanks and colons in a path, other tools other characters.
# Not a name that another user could have made: need_cache looks.
plain_path='^[A-Za-z0-9/._+~-]+$'
if ! [[ $cache =~ $plain_path ]]; then
	cache=/var/tmp/nvfifo-$(id -u)
fi

# The files from which Kbuild makes the module, and those of more folders, a line each, as paths below $top.
module_sources() # [folder]...
{
	(cd "$top" && find Kbuild nvfifo_*.[ch] driver hw uapi "$@" -type f \
		\( -name '*.[ch]' -o -name '*.csv' -o -name '*.awk' -o -name '*.txt' -o -name Kbuild \) | sort)
}

# Make the cache directory, or say why that is not possible.
need_cache()
{
	if ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
		die "$cache cannot be written: set XDG_CACHE_HOME to a directory with 5 GB of room"
	fi
	case $cache in
	/var/tmp/nvfifo-*)
		if [ ! -O "$cache" ] || [ -L "$cache" ]; then
			die "$cache is not yours: set XDG_CACHE_HOME to a directory without blanks in its name"
		fi
		chmod go-w "$cache"
		say "Built things are kept in $cache: make cannot work in '${XDG_CACHE_HOME:-$HOME/.cache}'."
		;;
	esac
}

# The archive that apt has the machine's own release from.
debian_archive()
{
	local codename archive

	# shellcheck disable=SC1091
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	# shellcheck disable=SC2016 # apt expands these
	archive=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
		awk -v c="$codename" '$1 == c && !seen { print $2; seen = 1 }')
	[ -n "$archive" ] || die "cannot tell from apt where this machine's ${codename:-Debian} comes from"
	printf '%s\n' "$archive"
}

# The directories of a controller's cgroups, from this shell's own up to the root, a line each. The
# kernel's /proc/meminfo and nproc do not know a container's limits, which are here.
cgroups() # controller
{
	local line mount=/sys/fs/cgroup path=

	while IFS= read -r line; do
		case ${line#*:} in
		"$1":* | "$1",*:* | *,"$1":* | *,"$1",*:*)
			mount=/sys/fs/cgroup/$1
			path=${line#*:*:}
			break
			;;
		:*) path=${line#*::} ;;
		esac
	done </proc/self/cgroup
	while :; do
		path=${path%/}
		# A container may see its own cgroup as the root.
		[ ! -d "$mount$path" ] || printf '%s\n' "$mount$path"
		[ -n "$path" ] || break
		path=${path%/*}
	done 2>/dev/null
}

# The number in one of two files, which the versions of cgroups have; nothing where there is no limit.
cgroup_number() # file...
{
	sed -n 's/^\([0-9][0-9]*\)$/\1/p' "$@" 2>/dev/null || true
}

# MiB of memory that may still be taken.
free_memory()
{
	local room dir limit used cached

	room=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
	for dir in $(cgroups memory); do
		limit=$(cgroup_number "$dir/memory.max" "$dir/memory.limit_in_bytes")
		used=$(cgroup_number "$dir/memory.current" "$dir/memory.usage_in_bytes")
		cached=$(awk '/^(total_)?(in)?active_file / { sum[/^total_/] += $2 }
			END { printf "%d", 1 in sum ? sum[1] : sum[0] }' "$dir/memory.stat" 2>/dev/null || true)
		# Without a limit, version 1 has a number near the largest.
		if [ "${#limit}" -gt 0 ] && [ "${#limit}" -lt 18 ]; then
			limit=$(((limit - ${used:-0} + ${cached:-0}) / 1048576))
			[ "$limit" -ge "$room" ] || room=$limit
		fi
	done
	printf '%d\n' "$room"
}

# Processors that may be used at a time.
processors()
{
	local n dir quota period

	n=$(nproc)
	for dir in $(cgroups cpu); do
		read -r quota period < <(cat "$dir/cpu.max" 2>/dev/null ||
			paste -d' ' "$dir/cpu.cfs_quota_us" "$dir/cpu.cfs_period_us" 2>/dev/null) || true
		if [[ $quota =~ ^[0-9]+$ ]] && [[ $period =~ ^[1-9][0-9]*$ ]]; then
			quota=$(((quota + period - 1) / period))
			[ "$quota" -ge "$n" ] || n=$quota
		fi
	done
	printf '%d\n' $((n > 0 ? n : 1))
}

# Compilers at a time: one for each processor, with 256 MiB for each.
compilers()
{
	local n room

	if [ -z "${NPROC-}" ]; then
		n=$(processors)
		room=$(($(free_memory) / 256))
		[ "$n" -le "$room" ] || n=$room
		NPROC=$((n > 0 ? n : 1))
	fi
	printf '%d\n' "$NPROC"
}
[[ ${NPROC:-1} =~ ^[1-9][0-9]{0,3}$ ]] || die "NPROC '$NPROC': not a number of compilers from 1 to 9999"

# MiB that are free where a directory is.
free_room() # directory
{
	df -Pk "$1" | awk 'NR == 2 { print int($4 / 1024) }'
}

# What failed may have failed for want of room, and been unable to say so.
need_room() # directory, MiB
{
	local free

	free=$(free_room "$1")
	[ "$free" -ge "$2" ] || die "no space left: $1 has $free MiB free and $2 are needed"
}

# The chipsets of the family, in the order of their PMC_BOOT_0 numbers.
# shellcheck disable=SC2034
chipsets="g80 g84 g86 g92 g94 g96 g98 g200 mcp77 mcp79 gt215 gt216 gt218 mcp89"

# Refuse a word of SUITES that is no suite of tests/guest.
check_suites()
{
	local known suite

	known=$(cd "$top/tests/guest" && printf '%s\n' ./*.c ./*.sh | sed 's|^\./||; s|\.[a-z]*$||' | tr '\n' ' ')
	for suite in ${SUITES-}; do
		case " $known" in
		*" $suite "*) ;;
		*) die "SUITES: '$suite' is none of ${known% }" ;;
		esac
	done
}

# Sets $width: columns of the terminal at stderr in which a line can be written again, at most 79.
terminal_width()
{
	local columns

	columns=$(stty size <&2 2>/dev/null) || columns=
	columns=${columns#* }
	width=$((${columns:-0} - 1))
	[ "$width" -gt 0 ] && [ "$width" -lt 79 ] || width=79
}

# Say how far a long step is, and how long the rest takes if it goes on like that: on a
# terminal in one line, else at its begin and every 15 seconds. SECONDS counts from the step's begin.
progress_told=0
progress_of=
progress() # what, share done in percent
{
	local left="" line

	[ "$2" -le 3 ] || [ "$2" -ge 100 ] || left=", $(((SECONDS * (100 - $2) / $2 + 59) / 60)) min left"
	line=$(printf '  %3d %%  %s (%d:%02d%s)' "$2" "$1" $((SECONDS / 60)) $((SECONDS % 60)) "$left")
	if [ -t 2 ]; then
		terminal_width
		printf '\r%-*.*s' "$width" "$width" "$line" >&2
	elif [ $((SECONDS - progress_told)) -ge 15 ] || [ "$1" != "$progress_of" ]; then
		progress_told=$SECONDS
		progress_of=$1
		say "$line"
	fi
}

# Where it ends.
progress_end()
{
	[ -t 2 ] || return 0
	terminal_width
	printf '\r%*s\r' "$width" "" >&2
}
