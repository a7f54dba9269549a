#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Unpack the parts of Debian's package piglit that tests/gl/piglit.py runs, and print the folder.
#
# It stays in the cache folder and is not installed: of its 2 GB tests need 60 MB. The libraries
# that it is linked with, libwaffle above all, have to be on this machine.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

version=$(apt-cache show piglit 2>/dev/null | sed -n 's/^Version: //p' | sed -n 1p)
[ -n "$version" ] || die "the package piglit is not known here (apt-get update)"
dpkg-query -W libwaffle-1-0 >/dev/null 2>&1 || die "libwaffle-1-0 is not installed"
inside=usr/lib/x86_64-linux-gnu/piglit
parts=("lib/*" "bin/*" "tests/spec/glsl-1.[1235]0/execution/*")
# A folder with fewer parts is another one.
folder=$cache/piglit-$version-$(cksum <<<"${parts[*]}" | cut -d' ' -f1)
if [ ! -d "$folder" ]; then
	need_cache
	work=$(mktemp -d "$cache/piglit.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	(cd "$work" && apt-get -q -q -o APT::Sandbox::User=root download piglit >&2)
	mkdir "$work/root"
	dpkg --fsys-tarfile "$work"/piglit_*.deb |
		tar x -C "$work/root" --wildcards "${parts[@]/#/./$inside/}"
	mv "$work/root" "$folder"
fi
echo "$folder/$inside"
