#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A freshly installed Debian in a folder: what debootstrap's minimal variant gives. For
# `make fresh` and .ci/run, which try the two commands on a machine that nobody prepared.
#
#	root.sh base SUITE [--plain]	make the tarball of SUITE, or find it; print its path
#	root.sh new SUITE DIR [--plain]	unpack it into DIR
#	root.sh run [option]... DIR command [argument]...
#					run a command in it
#	root.sh keep DIR		keep the packages that apt fetched in it for the next one
#	root.sh can			is there everything that this takes? Says what not
#
# apt in the root has the archives of this machine's apt, with its proxies, for SUITE
# and for the suite's updates and security. With --plain it has SUITE alone, which is
# how debootstrap leaves it.
#
# The command sees a machine of its own: processes, mounts, /dev, /proc, /sys and /run.
# They live in namespaces, so the kernel takes them down when the command ends,
# whatever ends it. Options of run:
#
#	--user NAME		run as NAME of the root, else as its root
#	--cd DIR		start there
#	--bind FROM TO		show FROM of this machine as TO
#	--bind-ro FROM TO	the same, read only
#	--tmpfs SIZE TO		an empty file system of that size at TO
#	--no-net		no network
#	--env NAME=VALUE	more of the environment, which is nearly empty
#
# Needs root rights. Tarballs lie in the cache directory and are made again every week.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

usage()
{
	sed -n '/^#	root/p' "$0" | cut -c3- >&2
	exit 2
}

# "codename URI" of each archive that this machine's apt has.
archives()
{
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' | sort -u
}

# The lines of sources.list for a suite: this machine's archives, other names.
sources() # suite, "plain" or nothing
{
	local suite=$1 own line name uri part

	# shellcheck disable=SC1091
	own=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	while read -r name uri; do
		case $name in
		"$own") part= ;;
		"$own-updates" | "$own-security") part=${name#"$own"} ;;
		*) continue ;;
		esac
		if [ -z "$part" ] || [ -z "${2-}" ]; then
			line="deb $uri $suite$part main"
			printf '%s\n' "$line"
		fi
	done < <(archives)
}

# What of apt's configuration says how the archives are reached.
transport()
{
	local name proxy

	apt-config dump | grep -iE '^Acquire::(Retries|ForceIPv[46]|Check-(Date|Valid-Until)|https?::[^"]*) "[^"]' || true
	# It says: Using proxy 'URL' for URL 'URL'.
	proxy=$(/usr/lib/apt/apt-helper auto-detect-proxy "$1" 2>/dev/null || true)
	proxy=${proxy#*"'"}
	proxy=${proxy%%"'"*}
	[ -z "$proxy" ] || printf 'Acquire::http::Proxy "%s";\n' "$proxy"
	for name in http https; do
		proxy=${name}_proxy
		[ -z "${!proxy-}" ] || printf 'Acquire::%s::Proxy "%s";\n' "$name" "${!proxy}"
	done
	case $1 in
	https:*) echo 'Acquire::https::CaInfo "/etc/apt/machine-ca.crt";' ;;
	esac
}

# debootstrap, this machine's or one that is only fetched: it is a script.
debootstrap_program()
{
	local apt=$cache/apt

	if command -v debootstrap; then
		return
	fi
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	(
		set -- -q -q -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root
		cd "$apt"
		rm -rf debootstrap*
		apt-get "$@" update
		apt-get "$@" download debootstrap
		dpkg-deb -x debootstrap_*.deb debootstrap
	) >&2
	printf '%s\n' "$apt/debootstrap/usr/sbin/debootstrap"
}

# Fill a directory with the suite.
bootstrap() # suite, directory, "plain" or nothing
{
	local list archive program

	program=$(debootstrap_program)
	list=$(sources "$1" "$3")
	archive=$(sources "$1" plain)
	archive=${archive%% "$1" main*}
	archive=${archive#deb }
	DEBOOTSTRAP_DIR=${program%/sbin/*}/share/debootstrap "$program" --variant=minbase "$1" "$2" "$archive"
	rm -rf "$2"/var/cache/apt/archives/*.deb
	printf '%s\n' "$list" >"$2/etc/apt/sources.list"
	transport "$archive" >"$2/etc/apt/apt.conf.d/90machine"
	if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
		cp /etc/ssl/certs/ca-certificates.crt "$2/etc/apt/machine-ca.crt"
	fi
	cp -r /etc/apt/auth.conf.d "$2/etc/apt/" 2>/dev/null || true
	[ ! -f /etc/apt/auth.conf ] || cp -p /etc/apt/auth.conf "$2/etc/apt/"
}

base() # suite, "plain" or nothing
{
	local suite=$1 plain=${2-} list key tarball work

	list=$(sources "$suite" "$plain")
	[ -n "$list" ] || die "cannot tell from apt where this machine's Debian comes from"
	key=$({ printf '%s\n' "$list"; sha256sum <"$0"; transport "$(sources "$suite" plain | cut -d' ' -f2)"; } | sha256sum | cut -c1-16)
	tarball=$cache/base-$suite${plain:+-plain}-$key.tar
	mkdir -p "$cache"
	exec 9>"$cache/base-$suite.lock"
	flock 9
	if [ -f "$tarball" ] && ! sha256sum --status -c "$tarball.sum" 2>/dev/null; then
		say "$tarball is damaged and will be made again."
		rm -f "$tarball"
	fi
	if [ -z "$(find "$tarball" -mtime -7 2>/dev/null)" ]; then
		say "Making a minimal Debian $suite, $tarball (about 1 minute)."
		rm -rf "$cache/base-$suite".tmp.*
		work=$(mktemp -d "$cache/base-$suite.tmp.XXXXXX")
		# In the background because "||" would switch the shell's -e off.
		bootstrap "$suite" "$work/root" "$plain" >"$cache/base-$suite.log" 2>&1 </dev/null 9>&- &
		if wait $! && tar --numeric-owner -C "$work/root" -cf "$work/tar" .; then
			find "$cache" -maxdepth 1 -name "base-$suite${plain:+-plain}-????????????????.tar*" -delete
			mv "$work/tar" "$tarball"
			sha256sum "$tarball" >"$tarball.sum"
		elif [ -f "$tarball" ]; then
			say "That failed (log: $cache/base-$suite.log); the one from $(date -r "$tarball" +%F) is used."
		else
			tail -n 20 "$cache/base-$suite.log" >&2
			rm -rf "$work"
			die "debootstrap failed; the whole log is $cache/base-$suite.log"
		fi
		rm -rf "$work"
	fi
	exec 9>&-
	printf '%s\n' "$tarball"
}

new() # suite, directory, "plain" or nothing
{
	local suite=$1 dir=$2 tarball

	tarball=$(base "$suite" "${3-}")
	mkdir -p "$dir"
	[ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
	tar --numeric-owner -xf "$tarball" -C "$dir"
	echo "$suite" >"$dir/etc/nvfifo-root"
	cp -L /etc/resolv.conf "$dir/etc/resolv.conf" 2>/dev/null || true
	{ cat /etc/hosts 2>/dev/null && echo "127.0.1.1 fresh"; } >"$dir/etc/hosts" || true
	echo fresh >"$dir/etc/hostname"
	if [ -d "$cache/packages-$suite" ]; then
		cp "$cache/packages-$suite"/*.deb "$dir/var/cache/apt/archives/" 2>/dev/null || true
	fi
}

keep() # directory
{
	local suite packages f

	suite=$(cat "$1/etc/nvfifo-root")
	packages=$cache/packages-$suite
	mkdir -p "$packages"
	for f in "$1"/var/cache/apt/archives/*.deb; do
		[ -f "$f" ] || continue
		if [ ! -f "$packages/${f##*/}" ]; then
			cp "$f" "$packages/.tmp.$$"
			mv "$packages/.tmp.$$" "$packages/${f##*/}"
		fi
	done
	# What no root has asked for in a month.
	find "$packages" -name '*.deb' -mtime +30 -delete
}

# In the new namespaces: make the root a machine, then be its process 1. Words before "--"
# are mounts.
inside() # directory, mount word..., --, command...
{
	local root=$1 kind from to device child

	shift
	# A chroot whose root is no mount point cannot make namespaces of its own.
	mount --bind "$root" "$root"
	mount -t proc proc "$root/proc"
	mount -t sysfs -o ro sysfs "$root/sys" || mount --rbind -o ro /sys "$root/sys"
	mount -t tmpfs -o mode=755 tmpfs "$root/dev"
	for device in null zero full random urandom tty; do
		: >"$root/dev/$device"
		mount --bind "/dev/$device" "$root/dev/$device"
	done
	mkdir -p "$root/dev/pts" "$root/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
	ln -s pts/ptmx "$root/dev/ptmx"
	ln -s /proc/self/fd "$root/dev/fd"
	ln -s fd/0 "$root/dev/stdin"
	ln -s fd/1 "$root/dev/stdout"
	ln -s fd/2 "$root/dev/stderr"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	mount -t tmpfs -o mode=755 tmpfs "$root/run"
	while [ "$1" != -- ]; do
		kind=$1 from=$2 to=$root$3
		shift 3
		mkdir -p "$to"
		case $kind in
		tmpfs) mount -t tmpfs -o "size=$from,mode=1777" tmpfs "$to" ;;
		bind) mount --bind "$from" "$to" ;;
		bind-ro)
			mount --bind "$from" "$to"
			mount -o remount,bind,ro "$to"
			;;
		esac
	done
	shift
	chroot "$root" "$@" &
	child=$!
	trap 'kill -TERM $child 2>/dev/null || true' INT TERM HUP
	# A signal ends the wait, not the command.
	while :; do
		status=0
		wait $child || status=$?
		kill -0 $child 2>/dev/null || exit $status
	done
}

# The processes whose parent is this one.
children() # process
{
	cat "/proc/$1/task/$1/children" 2>/dev/null || true
}

run() # option..., directory, command...
{
	local user=root where=/ net=() mounts=() env=() root home child status=0

	while [ $# -gt 0 ]; do
		case $1 in
		--user) user=$2 && shift 2 ;;
		--cd) where=$2 && shift 2 ;;
		--env) env+=("$2") && shift 2 ;;
		--bind | --bind-ro | --tmpfs) mounts+=("${1#--}" "$2" "$3") && shift 3 ;;
		--no-net) net=(--net) && shift ;;
		-*) usage ;;
		*) break ;;
		esac
	done
	[ $# -ge 2 ] || usage
	root=$(cd "$1" && pwd -P)
	shift
	home=$(awk -F: -v user="$user" '$1 == user { print $6 }' "$root/etc/passwd")
	[ -n "$home" ] || die "$root has no user '$user'"
	env=("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "HOME=$home" "USER=$user"
		"LOGNAME=$user" "LANG=C.UTF-8" "TERM=${TERM:-dumb}" "${env[@]}")
	# shellcheck disable=SC2016 # sh expands it
	unshare --mount --pid --fork --kill-child=KILL --propagation private "${net[@]}" \
		"$0" inside "$root" "${mounts[@]}" -- \
		/usr/bin/env -i "${env[@]}" setpriv --reuid "$user" --regid "$user" --init-groups \
		sh -c 'cd "$1" && shift && exec "$@"' sh "$where" "$@" <&0 &
	child=$!
	# unshare itself ignores them. The command may say good-bye for ten seconds.
	# shellcheck disable=SC2064 # this child
	trap "stop $child; exit 130" INT
	# shellcheck disable=SC2064 # this child
	trap "stop $child; exit 143" TERM HUP
	wait $child || status=$?
	exit $status
}

# shellcheck disable=SC2317 # a trap calls it
stop() # process of unshare
{
	local i

	# shellcheck disable=SC2046 # a list
	kill -TERM $(children "$1") 2>/dev/null || true
	for ((i = 0; i < 100; i++)); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL "$1" 2>/dev/null || true
}

can()
{
	local tool

	[ "$(id -u)" -eq 0 ] || die "this takes root rights"
	for tool in unshare chroot setpriv mount apt-get dpkg-deb tar; do
		command -v $tool >/dev/null || die "$tool is not installed"
	done
	unshare --mount --pid --fork --propagation private sh -c 'mount -t tmpfs tmpfs /mnt' 2>/dev/null ||
		die "this machine refuses to mount, even in a namespace of its own"
}

[ $# -ge 1 ] || usage
verb=$1
shift
case $verb in
base)
	[ $# -ge 1 ] || usage
	base "$1" ${2:+plain}
	;;
new)
	[ $# -ge 2 ] || usage
	new "$1" "$2" ${3:+plain}
	;;
run) run "$@" ;;
keep)
	[ $# -eq 1 ] || usage
	keep "$1"
	;;
inside) inside "$@" ;;
can) can ;;
*) usage ;;
esac
