#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A small Debian 13 in a folder, to build modules for its kernels: a compiler and the
# headers of its own 6.12, which is all that `make test` needs. With --full also clang,
# sparse and the newest kernel of its backports, for `make check` and `make testbox`. The
# tools of the newest do not run on Debian 12; a folder also keeps the machine as it is.
#
#	headers-root.sh [--full]	prepare the folder and print its name
#	headers-root.sh can		may this user? Says why not
#	headers-root.sh run command...	run a command in it
#	headers-root.sh feed command...	the same, with standard input
#
# For a kernel whose release begins with V it has /kdir/V-gcc, the distribution's
# headers, and with --full /kdir/V-clang, configured again for clang: the options in the
# headers are gcc's. /kdir/versions lists the V.
#
# Made once, with root rights or sudo, from the archive that this machine's apt
# uses; looks for newer headers once a day.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

suite=trixie
root=$cache/$suite

as_root=()
if [ "${1-}" = can ]; then
	if [ "$(id -u)" -ne 0 ]; then
		as_root=(sudo)
		{ command -v sudo >/dev/null && sudo true; } ||
			die "making a Debian 13 in $root takes root rights, or sudo"
	fi
	# Containers refuse some of this to root, too.
	# shellcheck disable=SC2016 # sh expands it
	"${as_root[@]}" unshare --mount sh -ec 'mount -t proc proc /proc
		[ -e "$1/kdir/versions" ] || { mount -t tmpfs tmpfs /mnt && mknod /mnt/null c 1 3; }' sh "$root" 2>/dev/null ||
		die "making and using a Debian 13 in $root takes mounts and device nodes, which this machine refuses to root"
	exit 0
fi
command -v debootstrap >/dev/null || die "debootstrap is not installed: run testbox/setup.sh"
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || die "making $root takes root rights: install sudo, or run this as root"
	as_root=(sudo)
fi

need_cache
exec 9>"$cache/$suite.lock"
flock 9

archive=$(debian_archive)

# With /proc, which objtool reads, in a mount namespace that ends with the command. Headers bring
# the kernel along, which boots without a file system of its distribution (INITRD).
in_root()
{
	# shellcheck disable=SC2016 # sh expands it
	"${as_root[@]}" unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
		DEBIAN_FRONTEND=noninteractive INITRD=No ${http_proxy:+"http_proxy=$http_proxy"} \
		${https_proxy:+"https_proxy=$https_proxy"} "$@" 9>&-
}

install()
{
	in_root apt-get -q -y --no-install-recommends install "$@"
}

# A tree for clang out of the kernel's source and the headers' configuration.
clang_tree() # version, suite
{
	local version=$1 headers=/kdir/$1-gcc tree=/kdir/$1-clang

	"${as_root[@]}" rm -rf "$root$tree" "$root/kdir/tmp"
	install -t "$2" "linux-source-$version"
	in_root mkdir -p /kdir/tmp
	in_root tar xf "/usr/src/linux-source-$version.tar.xz" -C /kdir/tmp --strip-components=1
	in_root apt-get -q -y remove "linux-source-$version"
	in_root apt-get -q clean
	in_root cp "$headers/.config" "$headers/Module.symvers" /kdir/tmp
	in_root sh -ec 'cd /kdir/tmp && scripts/config -d DEBUG_INFO_BTF -d MODULE_SIG -d SYSTEM_TRUSTED_KEYRING'
	in_root make -s -C /kdir/tmp LLVM=1 olddefconfig
	in_root make -s -C /kdir/tmp LLVM=1 -j"$(compilers)" modules_prepare
	# Headers, Makefiles and scripts are all that a module's build reads.
	in_root sh -ec 'cd /kdir/tmp && rm -rf Documentation sound samples &&
		find . -path ./scripts -prune -o -path ./tools/objtool -prune -o -type f \
			\( -name "*.[cSo]" -o -name "*.dts*" -o -name "*.rst" \) -print | xargs rm -f'
	in_root mv /kdir/tmp "$tree"
}

# The headers of one kernel, for gcc and with --full for clang.
kernel() # package, suite
{
	local package=$1 version

	[[ $package =~ [0-9]+\.[0-9]+ ]]
	version=${BASH_REMATCH[0]}
	install -t "$2" "$package"
	in_root mkdir -p /kdir
	in_root ln -sfn "/usr/src/$package" "/kdir/$version-gcc"
	if [ -n "$full" ] && [ "$(in_root cat "/kdir/$version-clang/.package" 2>/dev/null || true)" != "$package" ]; then
		clang_tree "$version" "$2"
		in_root sh -c "echo $package >/kdir/$version-clang/.package"
	fi
	versions+=("$version")
}

prepare()
{
	local known oldest newest versions=()

	# What an interrupted run left half installed.
	in_root dpkg --configure -a
	in_root apt-get -q -y --fix-broken install
	in_root apt-get -q update
	install gcc make libc6-dev
	[ -z "$full" ] ||
		install clang lld llvm sparse xz-utils flex bison bc perl python3 libelf-dev libssl-dev

	# The meta packages exclude each other; what they stand for does not.
	known=$(in_root apt-cache show linux-headers-amd64 | grep '^Depends:' |
		grep -o 'linux-headers-[0-9][^ ,]*' | sort -uV)
	oldest=$(grep -F -- '-headers-6.12.' <<<"$known" | tail -n 1)
	newest=$(tail -n 1 <<<"$known")
	[ -n "$oldest" ] || {
		echo "no linux-headers-6.12 in $suite"
		return 1
	}
	kernel "$oldest" "$suite"
	if [ -n "$full" ] && [ "$newest" != "$oldest" ]; then
		kernel "$newest" "$suite-backports"
	fi
	in_root sh -c "echo ${versions[*]} >/kdir/versions"
}

full=
case ${1-} in
run)
	shift
	in_root "$@" </dev/null
	exit
	;;
feed)
	shift
	in_root "$@"
	exit
	;;
--full) full=1 ;;
"") ;;
*) die "'$1' is none of --full, run, feed" ;;
esac
exec </dev/null

if [ -e "$root/.updated" ] && ! in_root gcc --version >/dev/null 2>&1; then
	say "The folder $root is damaged and will be made again."
	"${as_root[@]}" rm -f "$root/.made"
fi
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

# What was there before stays there.
[ ! -e "$root/.full" ] || full=1
stamp=$root/.updated
[ -z "$full" ] || [ -e "$root/.full" ] || "${as_root[@]}" rm -f "$stamp" "$root/.tried"
if [ -z "$(find "$stamp" -mtime -1 2>/dev/null)" ] && [ -z "$(find "$root/.tried" -mmin -60 2>/dev/null)" ]; then
	say "Preparing compilers and kernel headers in $root (some minutes when there is a new kernel)."
	# Not with "||", which would switch -e off in it, and in the foreground, where ^C is heard.
	set +e
	(set -e && trap 'exit 130' INT && prepare) >"$cache/$suite.log" 2>&1
	status=$?
	set -e
	if [ $status -eq 0 ]; then
		[ -z "$full" ] || "${as_root[@]}" touch "$root/.full"
		"${as_root[@]}" touch "$stamp"
		"${as_root[@]}" rm -f "$root/.tried"
	elif [ $status -lt 128 ] && [ -e "$stamp" ] && in_root gcc --version >/dev/null 2>&1; then
		# Newer kernels are nothing that a machine without a network has to have.
		"${as_root[@]}" touch "$root/.tried"
		say "That failed (log: $cache/$suite.log); what is there from $(date -r "$stamp" +%F) is used."
	else
		tail -n 20 "$cache/$suite.log" >&2
		die "that failed; the whole log is $cache/$suite.log"
	fi
fi
printf '%s\n' "$root"
