#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Get a QEMU that speaks vfio-user and the distribution's kernels, as they are
# packaged, and print the directory in which they are:
#
#	qemu			runs qemu-system-x86_64
#	V/vmlinuz		the kernel whose release begins with V
#	V/release		its release
#	V/modules/		its modules, unpacked, with modules.dep
#	versions		the V, oldest first
#
# QEMU is the machine's own if that is 10.1 or newer, else it comes from the Debian
# 13 folder of headers-root.sh and runs from there without being installed here.
# The kernels are those that the folder has headers of. Looks for newer ones once a
# day; safe against being interrupted and against running twice.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=testbox/qemu-lib.sh
. "$(dirname "$0")/qemu-lib.sh"

for tool in debootstrap depmod xz dpkg-deb; do
	command -v $tool >/dev/null || die "$tool is not installed: run testbox/setup.sh testbox"
done
root=$(headers_root)
mkdir -p "$cache"
exec 8>"$cache/qemu.lock"
flock 8

# A command in the folder. The lock is not for what it starts.
in_root()
{
	"$testbox/headers-root.sh" run "$@" 8>&-
}

# Is this version of QEMU 10.1 or later?
new_enough()
{
	[[ $("$@" --version 2>/dev/null) =~ version\ ([0-9]+)\.([0-9]+) ]] &&
		[ $((BASH_REMATCH[1] * 100 + BASH_REMATCH[2])) -ge 1001 ]
}

# Everything that the result is made of.
key()
{
	local version

	sha256sum <"$0"
	stat -c %Y "$root/.updated"
	cat "$root/kdir/versions"
	for version in $(<"$root/kdir/versions"); do
		readlink "$root/kdir/$version-gcc"
	done
	command -v qemu-system-x86_64 || true
}

# From the archive, for a kernel that the folder has headers of only.
fetch_kernel() # release, directory to fill
{
	local release=$1 to=$2 packages package deb tmp

	packages=linux-image-$release
	# Newer packages are split.
	for package in "linux-base-$release" "linux-binary-$release" "linux-modules-$release"; do
		! in_root apt-cache show "$package" >/dev/null 2>&1 || packages+=" $package"
	done
	# shellcheck disable=SC2086 # a list
	in_root sh -ec 'rm -rf /kernel && mkdir /kernel && cd /kernel &&
		apt-get -q -o APT::Sandbox::User=root download "$@" && chmod a+r ./*' sh $packages
	tmp=$to/unpack
	mkdir -p "$tmp"
	for deb in "$root"/kernel/*.deb; do
		dpkg-deb -x "$deb" "$tmp"
	done
	in_root rm -rf /kernel
	mkdir -p "$to/modules/lib"
	if [ -d "$tmp/usr/lib/modules" ]; then
		mv "$tmp/usr/lib/modules" "$to/modules/lib/"
	else
		mv "$tmp/lib/modules" "$to/modules/lib/"
	fi
	if [ -f "$tmp/boot/vmlinuz-$release" ]; then
		mv "$tmp/boot/vmlinuz-$release" "$to/vmlinuz"
	else
		mv "$to/modules/lib/modules/$release/vmlinuz" "$to/vmlinuz"
	fi
	rm -rf "$tmp"
}

kernel() # version, directory to fill
{
	local version=$1 to=$2 release

	release=$(readlink "$root/kdir/$version-gcc")
	release=${release##*/linux-headers-}
	if [ -f "$root/boot/vmlinuz-$release" ] && [ -d "$root/usr/lib/modules/$release/kernel" ]; then
		# The headers of newer packages bring it along.
		mkdir -p "$to/modules/lib/modules"
		cp "$root/boot/vmlinuz-$release" "$to/vmlinuz"
		cp -r "$root/usr/lib/modules/$release" "$to/modules/lib/modules/"
	else
		fetch_kernel "$release" "$to"
	fi
	depmod -b "$to/modules" "$release"
	echo "$release" >"$to/release"
}

# A program of the folder with the folder's libraries, but in this machine's file system. The cache may
# have another name for who uses it later, such as .ci/run.
wrapper()
{
	cat <<-'END'
		#!/bin/sh
		root=${0%/*}/../trixie
		lib=$root/usr/lib/x86_64-linux-gnu
		QEMU_MODULE_DIR=$lib/qemu exec "$root/lib64/ld-linux-x86-64.so.2" --library-path "$lib" \
			"$root/usr/bin/qemu-system-x86_64" -L "$root/usr/share/qemu" -L "$root/usr/share/seabios" "$@"
	END
}

prepare() # directory to fill
{
	local version

	if new_enough qemu-system-x86_64; then
		# shellcheck disable=SC2016 # sh expands it
		printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v qemu-system-x86_64)" >"$1/qemu"
	else
		new_enough "$root/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" \
			"$root/usr/bin/qemu-system-x86_64" ||
			in_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
				-t trixie-backports install qemu-system-x86
		wrapper >"$1/qemu"
	fi
	chmod +x "$1/qemu"
	new_enough "$1/qemu" || {
		echo "no QEMU 10.1 or newer: it is not in the backports, or does not start"
		return 1
	}
	for version in $(<"$root/kdir/versions"); do
		kernel "$version" "$1/$version"
	done
	cp "$root/kdir/versions" "$1/versions"
	(cd "$1" && sha256sum qemu versions ./*/vmlinuz ./*/modules/lib/modules/*/modules.dep >complete)
}

# Is it there, as it was made, and does it run?
whole() # directory
{
	(cd "$1" && sha256sum --status -c complete) 2>/dev/null && new_enough "$1/qemu"
}

dir=$cache/qemu-$(key | sha256sum | cut -c 1-16)
if [ -d "$dir" ] && ! whole "$dir"; then
	say "QEMU or a kernel in $dir is damaged; they will be made again."
	rm -rf "$dir"
fi
if [ ! -d "$dir" ]; then
	say "Preparing QEMU and the distribution's kernels in $dir (about 1 minute)."
	rm -rf "$cache"/qemu-*.tmp
	mkdir "$dir.tmp"
	# Not with "||", which would switch -e off in it, and in the foreground, where ^C is heard.
	set +e
	(set -e && trap 'exit 130' INT && prepare "$dir.tmp") >"$cache/qemu.log" 2>&1
	status=$?
	set -e
	[ $status -eq 0 ] || {
		tail -n 20 "$cache/qemu.log" >&2
		die "that failed; the whole log is $cache/qemu.log"
	}
	mv "$dir.tmp" "$dir"
	# Those that nobody asked for since yesterday.
	find "$cache" -maxdepth 1 -name 'qemu-*' -type d -mtime +1 -exec rm -rf {} +
fi
touch "$dir"
printf '%s\n' "$dir"
