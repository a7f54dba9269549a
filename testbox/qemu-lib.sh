# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Common to the scripts of the test box in QEMU; source it after lib.sh.
# shellcheck disable=SC2154 # lib.sh assigns them

# The folder of headers-root.sh. When it is up to date there is no need to wait for
# those who compile in it.
headers_root()
{
	if [ -x "$cache/trixie/usr/bin/gcc" ] && [ -n "$(find "$cache/trixie/.updated" -mtime -1 2>/dev/null)" ]; then
		printf '%s\n' "$cache/trixie"
	else
		"$testbox/headers-root.sh"
	fi
}
