# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Common to the scripts of the test bed; source it.

testbox=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for those who source this
top=$(dirname "$testbox")
# shellcheck disable=SC2034
cache=${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/nvfifo

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

# The chipsets of the family, in the order of their PMC_BOOT_0 numbers.
# shellcheck disable=SC2034
chipsets="g80 g84 g86 g92 g94 g96 g98 g200 mcp77 mcp79 gt215 gt216 gt218 mcp89"
