#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A small Debian 13 in a folder, with the headers of its own kernel (6.12) and of
# the newest kernel in its backports, gcc, clang and sparse. On Debian 12 neither
# that kernel's build tools nor its headers can be installed; a folder also keeps
# the machine as it is.
#
#	headers-root.sh
#
# Prints the folder. Made once, with root rights or sudo, from the archive that
# this machine's apt uses; looks for newer headers once a day.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

suite=trixie
root=$cache/$suite

command -v debootstrap >/dev/null || die "debootstrap is not installed: run testbox/setup.sh check"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || die "making $root takes root rights: install sudo, or run this as root"
	as_root=(sudo)
fi

mkdir -p "$cache"
exec 9>"$cache/$suite.lock"
flock 9

# The archive that apt has the machine's own release from.
# shellcheck disable=SC1091
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016 # apt expands these
archive=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
	awk -v c="$codename" '$1 == c { print $2; exit }')
[ -n "$archive" ] || die "cannot tell from apt where this machine's $codename comes from"

in_root()
{
	"${as_root[@]}" chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
		DEBIAN_FRONTEND=noninteractive ${http_proxy:+"http_proxy=$http_proxy"} \
		${https_proxy:+"https_proxy=$https_proxy"} "$@" 9>&- </dev/null
}

if [ ! -e "$root/.made" ]; then
	say "Making a Debian $suite in $root (about 1 minute)."
	"${as_root[@]}" rm -rf "$root"
	"${as_root[@]}" debootstrap --variant=minbase "$suite" "$root" "$archive" \
		>"$cache/$suite.log" 2>&1 9>&- </dev/null || {
		tail -n 20 "$cache/$suite.log" >&2
		die "debootstrap failed; the whole log is $cache/$suite.log"
	}
	# Proxies and the like, as on this machine.
	for conf in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy*; do
		[ ! -f "$conf" ] || "${as_root[@]}" cp "$conf" "$root/etc/apt/apt.conf.d/"
	done
	printf 'deb %s %s main\n' "$archive" "$suite" "$archive" "$suite-backports" |
		"${as_root[@]}" tee "$root/etc/apt/sources.list" >/dev/null
	"${as_root[@]}" touch "$root/.made"
fi

if [ -z "$(find "$root/.updated" -mtime -1 2>/dev/null)" ]; then
	say "Installing compilers and the newest kernel headers in $root."
	{
		in_root apt-get -q update
		in_root apt-get -q -y --no-install-recommends install gcc clang lld llvm make sparse libc6-dev
		# The meta packages exclude each other; what they stand for does not.
		known=$(in_root apt-cache show linux-headers-amd64 | grep '^Depends:' |
			grep -o 'linux-headers-[0-9][^ ,]*' | sort -uV)
		oldest=$(grep -F -- '-headers-6.12.' <<<"$known" | tail -n 1)
		newest=$(tail -n 1 <<<"$known")
		[ -n "$oldest" ] || { echo "no linux-headers-6.12 in $suite"; exit 1; }
		in_root apt-get -q -y --no-install-recommends install "$oldest"
		in_root apt-get -q -y --no-install-recommends install -t "$suite-backports" "$newest"
	} >"$cache/$suite.log" 2>&1 || {
		tail -n 20 "$cache/$suite.log" >&2
		die "installing in $root failed; the whole log is $cache/$suite.log"
	}
	"${as_root[@]}" touch "$root/.updated"
fi
printf '%s\n' "$root"
