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
#
# --path only looks: it fails when the kernel has not been built yet.
#
# Environment:
#	KSRC=dir	use this kernel source; else the tarball of the package
#			linux-source-6.12
#	NPROC=n		how many compilers at a time (default: one per CPU)
#	XDG_CACHE_HOME	where results are kept, default ~/.cache
#
# The name of the directory is a hash of everything that goes in, so a change
# of the configuration, a patch, the source or the compiler makes a new one.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

package=linux-source-6.12
keep=3

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

# One line that changes whenever the source does.
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
			-printf '%p %s %T@\n' | LC_ALL=C sort | sha256sum)
	fi
}

if [ -n "${KSRC-}" ]; then
	[ -f "$KSRC/arch/um/Makefile" ] || die "KSRC=$KSRC: not a kernel source tree"
	KSRC=$(cd "$KSRC" && pwd)
fi

inputs=$(
	source_id
	${CC:-gcc} --version | sed -n 1p
	cat "$testbox/uml.config" "$testbox"/patches/*.patch "$testbox/build-uml.sh"
)
result=$cache/uml-$(printf '%s' "$inputs" | sha256sum | cut -c1-16)

found()
{
	touch "$result"
	printf '%s\n' "$result"
	exit 0
}

[ ! -x "$result/linux" ] || found
[ -z "$only_path" ] || die "the UML kernel is not built yet: run make uml"

for tool in make flex bison bc patch xz cpio "${CC:-gcc}"; do
	command -v "$tool" >/dev/null || die "$tool is not installed: run testbox/setup.sh"
done

mkdir -p "$cache"
exec 9>"$cache/uml.lock"
if ! flock -n 9; then
	say "Another build of the UML kernel is running; waiting for it."
	flock 9
	[ ! -x "$result/linux" ] || found
fi

# Under the lock nobody else's build can be unfinished: what is, was interrupted.
rm -rf "$cache"/uml-build.*
free=$(df -Pk "$cache" | awk 'NR == 2 { print int($4 / 1024) }')
[ "$free" -ge 3000 ] || die "$cache has $free MiB free; building the kernel needs 3000"
work=$(mktemp -d "$cache/uml-build.XXXXXX")
make_pid=

finish()
{
	status=$?
	trap - EXIT INT TERM HUP
	[ -z "$make_pid" ] || kill "$make_pid" 2>/dev/null || true
	wait
	if [ -d "$work" ]; then
		if [ $status -ne 0 ] && [ -s "$work/build.log" ]; then
			cp "$work/build.log" "$cache/uml-failed.log"
			say "" "The end of $cache/uml-failed.log:"
			tail -n 30 "$work/build.log" >&2
		fi
		rm -rf "$work"
	fi
	exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

log=$work/build.log
tree=$work/tree

if [ -n "${KSRC-}" ]; then
	say "Copying the kernel source from $KSRC."
	mkdir "$tree"
	(cd "$KSRC" && tar cf - --exclude=./.git --exclude='*.o' .) | tar xf - -C "$tree"
	make -s -C "$tree" ARCH=um mrproper >>"$log" 2>&1 9>&-
else
	tarball=/usr/src/$package.tar.xz
	[ -f "$tarball" ] || die "$tarball is missing: apt-get install --reinstall $package"
	say "Unpacking $tarball."
	tar xf "$tarball" -C "$work"
	mv "$work/$package" "$tree"
fi

version=$(make -s -C "$tree" ARCH=um kernelversion 9>&-)
case $version in
6.12.*) strict=1 ;;
*) strict= ;;
esac

for patch in "$testbox"/patches/*.patch; do
	name=$(basename "$patch")
	if patch -d "$tree" -p1 -s --dry-run -f <"$patch" >>"$log" 2>&1; then
		patch -d "$tree" -p1 -s -f <"$patch" >>"$log" 2>&1
	elif [ -n "$strict" ]; then
		die "$name does not apply to Linux $version"
	else
		say "Linux $version: $name does not apply and is left out; its head says when that is right."
	fi
done

kmake()
{
	make -C "$tree" ARCH=um CC="${CC:-gcc}" "$@" 9>&-
}

say "Configuring Linux $version."
kmake -s KCONFIG_ALLCONFIG="$testbox/uml.config" allnoconfig >>"$log" 2>&1

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
	say "Linux $version cannot have these lines of testbox/uml.config:" "$lost"
	[ -z "$strict" ] || exit 1
fi

jobs=${NPROC:-$(nproc)}
say "Compiling with $jobs jobs: some 1300 steps, about 5 CPU minutes. Log: $log"
kmake -j"$jobs" linux modules >>"$log" 2>&1 &
make_pid=$!
SECONDS=0
told=0
while kill -0 "$make_pid" 2>/dev/null; do
	sleep 1
	if [ $((SECONDS - told)) -ge 15 ]; then
		told=$SECONDS
		say "  ${SECONDS} s: $(grep -cE '^  [A-Z]+ ' "$log") steps"
	fi
done
wait "$make_pid" || die "the build failed"
make_pid=

# What stays is the kernel and what external modules need: headers, Makefiles,
# scripts. Everything else is 9 of 10 bytes.
(
	cd "$tree"
	mkdir "$work/kdir"
	{
		find . -maxdepth 1 -type f ! -name 'vmlinux*' ! -name '*.o' ! -name '*.a'
		find arch/um arch/x86 include -type f ! -name '*.o' ! -name '*.a' ! -name '.*.cmd' \
			! -name '*.[cS]' ! -name '*.dts*' ! -name vmlinux
		find scripts -type f ! -name '*.o' ! -name '.*.cmd'
		find tools/testing/kunit -type f
		find . -path ./include -prune -o -path ./scripts -prune -o \
			\( -name 'Kconfig*' -o -name 'Makefile*' -o -name Kbuild \) -type f -print
	} | LC_ALL=C sort -u | tar cf - -T - | tar xf - -C "$work/kdir"
	cp drivers/gpu/drm/vgem/vgem.ko "$work/kdir/" 2>/dev/null || true
)
mv "$log" "$work/kdir/build.log"
rm -rf "$result"
mv "$work/kdir" "$result"
say "Built $result/linux in $SECONDS s."

# Older results go, the ones used last stay.
find "$cache" -maxdepth 1 -type d -name 'uml-????????????????' -printf '%T@ %p\n' | sort -rn |
	tail -n +$((keep + 1)) | while read -r _ old; do
	rm -rf "$old"
done

printf '%s\n' "$result"
