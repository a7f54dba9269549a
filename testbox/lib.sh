# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Common to the scripts of the test bed; source it.

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

[ -n "${XDG_CACHE_HOME-}${HOME-}" ] || die "neither HOME nor XDG_CACHE_HOME is set"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/nvfifo
# The kernel's Makefiles refuse blanks and colons in a path, other tools other characters.
# Not a name that another user could have made: need_cache looks.
plain_path='^[A-Za-z0-9/._+~-]+$'
if ! [[ $cache =~ $plain_path ]]; then
	cache=/var/tmp/nvfifo-$(id -u)
fi

# The files from which Kbuild makes the module and its KUnit suites, a line each, as paths below $top.
module_sources()
{
	(cd "$top" && find Kbuild nvfifo_*.[ch] hw lib/nvfifo_method_table.c uapi kunit -type f \
		\( -name '*.[ch]' -o -name '*.csv' -o -name '*.awk' -o -name Kbuild \) | sort)
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

# What failed may have failed for want of room, and been unable to say so.
need_room() # directory, MiB
{
	local free

	free=$(df -Pk "$1" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge "$2" ] || die "no space left: $1 has $free MiB free and $2 are needed"
}

# The chipsets of the family, in the order of their PMC_BOOT_0 numbers.
# shellcheck disable=SC2034
chipsets="g80 g84 g86 g92 g94 g96 g98 g200 mcp77 mcp79 gt215 gt216 gt218 mcp89"

# Say how far a long step is, and how long the rest takes if it goes on like that: on a
# terminal in one line, else every 15 seconds. SECONDS counts from the step's begin.
progress_told=0
progress() # what, share done in percent
{
	local left="" line

	[ "$2" -le 3 ] || [ "$2" -ge 100 ] || left=", $(((SECONDS * (100 - $2) / $2 + 59) / 60)) min left"
	line=$(printf '  %3d %%  %s (%d:%02d%s)' "$2" "$1" $((SECONDS / 60)) $((SECONDS % 60)) "$left")
	if [ -t 2 ]; then
		printf '\r%-79s' "$line" >&2
	elif [ $((SECONDS - progress_told)) -ge 15 ]; then
		progress_told=$SECONDS
		say "$line"
	fi
}

# Where it ends.
progress_end()
{
	[ ! -t 2 ] || printf '\r%79s\r' "" >&2
}
