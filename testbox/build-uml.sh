#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build the UML kernel that the tests boot, or find the one built before.
#
#	build-uml.sh [--path]
#
# Prints the directory that holds it as the only line on stdout:
#
#	linux		the kernel, an ordinary program
#	.		a KDIR to build external modules against (ARCH=um)
#	vgem.ko		a second DRM device, for tests that share buffers
#	build.log	what the compiler said
#	complete	checksums; without them, or with others, it is built again
#
# --path only looks: it fails when the kernel has not been built yet.
#
# Environment:
#	KSRC=dir	use this kernel source, 6.12 or later; else the tarball of the
#			package linux-source-6.12
#	NPROC=n		how many compilers at a time (default: one per CPU)
#	XDG_CACHE_HOME	where results are kept, default ~/.cache
#
# The name of the directory is a hash of everything that goes in, so a change
# of the configuration, a patch, the source or the compiler makes a new one. A build
# that was interrupted goes on where it was.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

package=linux-source-6.12
keep=3
# MiB that a build takes, and how many lines make prints in one.
room=2500
steps=1213

usage()
{
	sed -n '/^#	build/p' "$0" | cut -c3- >&2
	exit 2
}

only_path=
case ${1-} in
"") ;;
--path) only_path=1 ;;
*) usage ;;
esac
[ $# -le 1 ] || usage

# What the source is, in a few bytes.
source_id()
{
	if [ -z "${KSRC-}" ]; then
		dpkg-query -W -f='${Package} ${Version}\n' "$package" 2>/dev/null ||
			die "package $package is not installed: run testbox/setup.sh"
	elif git -C "$KSRC" rev-parse HEAD >/dev/null 2>&1; then
		git -C "$KSRC" rev-parse HEAD
		git -C "$KSRC" diff HEAD | sha256sum
	else
		(cd "$KSRC" && find . -type f \( -name '*.[chS]' -o -name 'K[bc]*' -o -name 'Makefile*' \) \
			-printf '%p %s %T@\n' | sort | sha256sum)
	fi
}

if [ -n "${KSRC-}" ]; then
	[ -f "$KSRC/arch/um/Makefile" ] || die "KSRC=$KSRC is not a kernel source tree: it has no arch/um/Makefile"
	KSRC=$(cd "$KSRC" && pwd)
	version=$(sed -n 's/^\(VERSION\|PATCHLEVEL\) = \([0-9]*\)$/\2/p' "$KSRC/Makefile" | tr '\n' ' ')
	read -r major minor <<<"$version" || true
	if [ "$((${major:-0} * 1000 + ${minor:-0}))" -lt 6012 ]; then
		die "KSRC=$KSRC is Linux ${major:-?}.${minor:-?}: give the source of 6.12 or later"
	fi
fi
[ "$(uname -m)" = x86_64 ] || die "the test kernel is for x86-64 machines only; this one is $(uname -m)"
command -v "${CC:-gcc}" >/dev/null || die "${CC:-gcc} is not installed: run testbox/setup.sh"

# --- how it is made: a change of these functions makes another kernel

kmake()
{
	make -C "$tree" ARCH=um CC="${CC:-gcc}" "$@" 9>&-
}

# The tree with our patches and configuration.
prepare_tree()
{
	local tarball=/usr/src/$package.tar.xz version patch name strict=''

	rm -rf "$tree" "$work/linux-source"*
	: >"$log"
	if [ -n "${KSRC-}" ]; then
		say "Copying the kernel source from $KSRC."
		mkdir "$tree"
		(cd "$KSRC" && tar cf - --exclude=./.git --exclude='*.o' .) | tar xf - -C "$tree"
		kmake -s mrproper >>"$log" 2>&1
	else
		[ -f "$tarball" ] || die "$tarball is missing: apt-get install --reinstall $package"
		say "Unpacking $tarball."
		# A third of the bytes, which no Makefile or Kconfig file reads here.
		wait_for tar xf "$tarball" -C "$work" --exclude='*/drivers/gpu/drm/amd/include/*' \
			--exclude='*.dts' --exclude='*.dtsi' --exclude='*/tools/testing/selftests/*'
		mv "$work/$package" "$tree"
	fi
	version=$(kmake -s kernelversion)
	case $version in
	6.12.*) strict=1 ;;
	esac

	for patch in "$testbox"/patches/*.patch; do
		name=${patch##*/}
		if patch -d "$tree" -p1 -s --dry-run -f <"$patch" >>"$log" 2>&1; then
			patch -d "$tree" -p1 -s -f <"$patch" >>"$log" 2>&1
		elif [ -n "$strict" ]; then
			die "$name does not apply to Linux $version"
		else
			say "Linux $version: $name does not apply and is left out; its head says when that is right."
		fi
	done

	say "Configuring Linux $version."
	kmake -s KCONFIG_ALLCONFIG="$testbox/uml.config" allnoconfig >>"$log" 2>&1
	check_config "$version" "$strict"
	: >"$work/prepared"
}

# Did each line of uml.config survive Kconfig?
check_config() # version, "1" if all must
{
	local lost line symbol

	lost=$(grep -E '^(# )?CONFIG_' "$testbox/uml.config" | while IFS= read -r line; do
		case $line in
		*" is not set")
			symbol=${line#\# }
			grep -q "^${symbol%% *}=" "$tree/.config" || continue
			;;
		*)
			! grep -qxF "$line" "$tree/.config" || continue
			;;
		esac
		printf '  %s\n' "$line"
	done)
	if [ -n "$lost" ]; then
		say "Linux $1 cannot have these lines of testbox/uml.config:" "$lost"
		[ -z "$2" ] || exit 1
	fi
}

# What stays is the kernel and what external modules need: headers, Makefiles,
# scripts. Everything else is 9 of 10 bytes.
pack()
{
	local kdir=$work/kdir

	rm -rf "$kdir"
	mkdir "$kdir"
	(
		cd "$tree"
		{
			find . -maxdepth 1 -type f ! -name 'vmlinux*' ! -name '.tmp_*' ! -name '*.o' ! -name '*.a'
			find arch/um arch/x86 include -type f ! -name '*.o' ! -name '*.a' ! -name '.*.cmd' \
				! -name '*.[cS]' ! -name '*.dts*' ! -name vmlinux
			find scripts -type f ! -name '*.o' ! -name '.*.cmd'
			find tools/testing/kunit -type f
			find . -path ./include -prune -o -path ./scripts -prune -o \
				\( -name 'Kconfig*' -o -name 'Makefile*' -o -name Kbuild \) -type f -print
		} | sort -u | tar cf - -T - | tar xf - -C "$kdir"
		cp drivers/gpu/drm/vgem/vgem.ko "$kdir/"
	)
	cp "$log" "$kdir/build.log"
	# shellcheck disable=SC2086 # a list
	(cd "$kdir" && sha256sum $sealed >complete)
	mv "$kdir" "$result"
}

# --- is it there?

inputs=$(
	source_id
	${CC:-gcc} --version | sed -n 1p
	cat "$testbox/uml.config" "$testbox"/patches/*.patch
	declare -f kmake prepare_tree check_config pack
)
hash=$(printf '%s' "$inputs" | sha256sum | cut -c1-16)
result=$cache/uml-$hash

# Files without which the result is of no use.
sealed="linux vgem.ko Module.symvers .config include/generated/autoconf.h scripts/mod/modpost"

# Leave with the result if it is there and whole.
found()
{
	if [ ! -d "$result" ]; then
		return
	fi
	if ! (cd "$result" && sha256sum --quiet --status -c complete) 2>/dev/null; then
		say "The kernel in $result is damaged and will be built again."
		return
	fi
	touch "$result" 2>/dev/null || true
	printf '%s\n' "$result"
	exit 0
}

found
[ -z "$only_path" ] || die "the UML kernel is not built yet: run make uml"

for tool in make flex bison bc patch xz cpio; do
	command -v "$tool" >/dev/null || die "$tool is not installed: run testbox/setup.sh"
done

need_cache
exec 9>"$cache/uml.lock"
if ! flock -n 9; then
	say "Another build of the UML kernel is running; waiting for it."
	flock 9
	found
fi

# Under the lock nobody else's build can be unfinished. One of this kernel goes on.
work=$cache/uml-build.$hash
find "$cache" -maxdepth 1 -name 'uml-build.*' ! -path "$work" -exec rm -rf {} +
rm -rf "$result"
log=$work/build.log
tree=$work/tree
mkdir -p "$work"
free=$(df -Pk "$cache" | awk 'NR == 2 { print int($4 / 1024) }')
used=$(du -sm "$work" | cut -f1)
if [ $((free + used)) -lt $room ]; then
	rm -rf "$work"
	die "$cache has $free MiB free and building the kernel takes $room: make room, or set XDG_CACHE_HOME"
fi
make_pid=

# shellcheck disable=SC2317 # a trap calls it
finish()
{
	local status=$?

	trap - EXIT INT TERM HUP
	[ -z "$make_pid" ] || kill "$make_pid" 2>/dev/null || true
	wait
	if [ $status -ge 128 ]; then
		say "Interrupted. The next run goes on from here; $work can be deleted."
	elif [ $status -ne 0 ] && [ -d "$work" ]; then
		if [ -s "$log" ]; then
			cp "$log" "$cache/uml-failed.log" || true
			say "" "The end of $cache/uml-failed.log:"
			tail -n 30 "$log" >&2
		fi
		rm -rf "$work"
	fi
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# In the background and waited for, so that a signal ends it at once.
wait_for() # command...
{
	local status=0

	"$@" 9>&- &
	make_pid=$!
	wait "$make_pid" || status=$?
	make_pid=
	return $status
}

compile()
{
	local jobs made share

	jobs=$(compilers)
	say "Compiling with $jobs jobs: about 4 minutes of processor time. Log: $log"
	SECONDS=0 progress_told=0 progress_of=
	kmake -j"$jobs" linux modules >>"$log" 2>&1 &
	make_pid=$!
	while kill -0 "$make_pid" 2>/dev/null; do
		sleep 1
		made=$(grep -cE '^  [A-Z]+ ' "$log" || true)
		share=$((${made:-0} * 100 / steps))
		progress "compiling the UML kernel" $((share < 99 ? share : 99))
	done
	progress_end
	wait "$make_pid" || {
		make_pid=
		die "the build failed"
	}
	make_pid=
}

if [ -e "$work/prepared" ]; then
	say "Going on with the build that was interrupted."
else
	prepare_tree
fi
compile
pack
rm -rf "$work"
say "Built $result/linux in $SECONDS s."

# Older results go, the ones used last stay.
find "$cache" -maxdepth 1 -type d -name 'uml-????????????????' -printf '%T@ %p\n' | sort -rn |
	tail -n +$((keep + 1)) | while read -r _ old; do
	rm -rf "$old"
done

printf '%s\n' "$result"
