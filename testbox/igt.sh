#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Unpack Debian's package igt-gpu-tools-tests with all libraries that it needs, and print the folder.
#
# Debian 14 is the first that packages IGT's tests. Their C library is newer than this machine's, so
# the folder has everything from there down to the C library and serves as the root of their processes.
# Nothing is installed, and no root rights are needed. It stays in the cache folder: one of the
# version that the table was made with is used as it is, else the newest that the archive has.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

package=igt-gpu-tools-tests
suite=forky
key=$(sha256sum <"$0" | cut -c1-16)
wanted=$(sed -n 's/^# IGT //p' "$top/tests/igt/igt.txt")
folder=$cache/igt-$wanted-$key

# apt with the archives of that suite, in a folder of its own, as if nothing were installed here.
apt() # command of apt-get...
{
	apt-get -q -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
		-o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" \
		-o APT::Default-Release= -o APT::Sandbox::User=root "$@" >&2
}

fetch() # directory to fill
{
	local deb dir

	mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial"
	printf 'deb %s %s main\n' "$(debian_archive)" "$suite" >"$work/sources.list"
	: >"$work/status"
	apt update
	apt -y --no-install-recommends --download-only install "$package"

	# The package base-files would make these.
	mkdir -p "$1/usr/bin" "$1/usr/lib" "$1/usr/lib64" "$1/usr/sbin"
	for dir in bin lib lib64 sbin; do
		ln -s "usr/$dir" "$1/$dir"
	done
	for deb in "$work"/cache/archives/*.deb; do
		dpkg --fsys-tarfile "$deb" | tar x -C "$1" --keep-directory-symlink --no-same-owner
	done
	mkdir -p "$1/proc" "$1/dev" "$1/sys" "$1/tmp"
	dpkg-deb -f "$work/cache/archives/$package"_*.deb Version >"$1/version"
}

if [ ! -d "$folder" ]; then
	need_cache
	need_room "$cache" 300
	exec 9>"$cache/igt.lock"
	flock 9
fi
if [ ! -d "$folder" ]; then
	work=$(mktemp -d "$cache/igt.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/tree"
	fetch "$work/tree"
	folder=$cache/igt-$(<"$work/tree/version")-$key
	[ -d "$folder" ] || mv "$work/tree" "$folder"
	# Those that nobody asked for since yesterday.
	find "$cache" -maxdepth 1 -name 'igt-*' -type d -mtime +1 ! -path "$folder" -exec rm -rf {} +
fi
touch "$folder"
echo "$folder"
