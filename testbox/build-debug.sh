#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build a kernel for QEMU that finds races, or find the one built before, and print the directory
# in which it is:
#
#	vmlinuz		the kernel
#	release		its release
#	modules/	its modules, with modules.dep
#	kdir/		a KDIR to build external modules against
#	build.log	what the compiler said
#
#	build-debug.sh [--path] [debug|kcsan]
#
# debug (the default) is testbox/debug.config, with KASAN and lockdep. kcsan is the same with the
# lines of testbox/kcsan.config, with KCSAN instead.
#
# --path only looks: it fails when the kernel has not been built yet.
#
# Environment:
#	NPROC=n		compilers at a time (default: one per CPU)
#	XDG_CACHE_HOME	where results are kept, default ~/.cache
#
# The source is that of the package linux-source-6.12. The name of the directory is a hash of
# everything that goes in. A build takes some 15 minutes of processor time.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

package=linux-source-6.12
patch=$testbox/patches/0005-drm-helpers-for-external-modules.patch

only_path=
flavour=debug
for argument; do
	case $argument in
	--path) only_path=1 ;;
	debug | kcsan) flavour=$argument ;;
	*) die "'$argument': no such argument; see the head of this script" ;;
	esac
done

# The lines of debug.config, and those of the other file instead where both name a symbol.
config()
{
	local files=("$testbox/debug.config")

	[ "$flavour" = debug ] || files=("$testbox/$flavour.config" "$testbox/debug.config")
	awk '
		!match($0, /CONFIG_[A-Z0-9_]+/) { next }
		{ symbol = substr($0, RSTART, RLENGTH) }
		!(symbol in owner) { owner[symbol] = FILENAME }
		owner[symbol] == FILENAME
	' "${files[@]}"
}

version=$(dpkg-query -W -f='${Version}' "$package" 2>/dev/null) ||
	die "package $package is not installed: run testbox/setup.sh"
inputs=$(
	echo "$version"
	${CC:-gcc} --version | sed -n 1p
	config
	cat "$patch" "$0"
)
result=$cache/$flavour-$(printf '%s' "$inputs" | sha256sum | cut -c1-16)

found()
{
	touch "$result"
	printf '%s\n' "$result"
	exit 0
}

[ ! -f "$result/vmlinuz" ] || found
[ -z "$only_path" ] || die "the kernel is not built yet: run testbox/build-debug.sh $flavour"

for tool in make flex bison bc patch xz depmod "${CC:-gcc}"; do
	command -v "$tool" >/dev/null || die "$tool is not installed: run testbox/setup.sh"
done
tarball=/usr/src/$package.tar.xz
[ -f "$tarball" ] || die "$tarball is missing: apt-get install --reinstall $package"

mkdir -p "$cache"
exec 9>"$cache/$flavour.lock"
if ! flock -n 9; then
	say "Another build of the $flavour kernel is running; waiting for it."
	flock 9
	[ ! -f "$result/vmlinuz" ] || found
fi
rm -rf "$cache/$flavour"-build.*
free=$(df -Pk "$cache" | awk 'NR == 2 { print int($4 / 1024) }')
[ "$free" -ge 5000 ] || die "$cache has $free MiB free; building the kernel needs 5000"
work=$(mktemp -d "$cache/$flavour-build.XXXXXX")
config >"$work/config"
make_pid=

# shellcheck disable=SC2317 # a trap calls it
finish()
{
	local status=$?

	trap - EXIT INT TERM HUP
	[ -z "$make_pid" ] || kill "$make_pid" 2>/dev/null || true
	wait
	if [ $status -ne 0 ] && [ -s "$work/build.log" ]; then
		cp "$work/build.log" "$cache/$flavour-failed.log"
		say "The end of $cache/$flavour-failed.log:"
		tail -n 30 "$work/build.log" >&2
	fi
	rm -rf "$work"
	exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

log=$work/build.log
tree=$work/$package
say "Unpacking $tarball."
tar xf "$tarball" -C "$work"
patch -d "$tree" -p1 -s <"$patch" >>"$log" 2>&1

kmake()
{
	make -C "$tree" ARCH=x86_64 CC="${CC:-gcc}" "$@" 9>&-
}

kmake -s KCONFIG_ALLCONFIG="$work/config" allnoconfig >>"$log" 2>&1
lost=$(while IFS= read -r line; do
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
done <"$work/config")
if [ -n "$lost" ]; then
	say "This kernel cannot have these lines of its configuration:" "$lost"
	exit 1
fi

say "Compiling the $flavour kernel with $(compilers) jobs, about 15 CPU minutes. Log: $log"
kmake -j"$(compilers)" bzImage modules >>"$log" 2>&1 &
make_pid=$!
SECONDS=0
while kill -0 "$make_pid" 2>/dev/null; do
	sleep 1
	# Some 2000 steps.
	progress "compiling" $(($(grep -cE '^  [A-Z]+ ' "$log") * 100 / 2000))
done
progress_end
wait "$make_pid" || die "the build failed"
make_pid=

release=$(kmake -s kernelrelease)
mkdir -p "$work/result/modules"
kmake -s INSTALL_MOD_PATH="$work/result/modules" DEPMOD=true modules_install >>"$log" 2>&1
rm -f "$work/result/modules/lib/modules/$release"/{build,source}
depmod -b "$work/result/modules" "$release"
cp "$tree/arch/x86/boot/bzImage" "$work/result/vmlinuz"
echo "$release" >"$work/result/release"

# What external modules need: headers, Makefiles, scripts.
mkdir "$work/result/kdir"
(
	cd "$tree"
	{
		find . -maxdepth 1 -type f ! -name 'vmlinux*' ! -name '*.o' ! -name '*.a'
		find arch/x86 include -type f ! -name '*.o' ! -name '*.a' ! -name '.*.cmd' ! -name '*.[cS]'
		find scripts tools/objtool tools/include -type f ! -name '*.o' ! -name '.*.cmd'
		find . -path ./include -prune -o -path ./scripts -prune -o \
			\( -name 'Kconfig*' -o -name 'Makefile*' -o -name Kbuild \) -type f -print
	} | LC_ALL=C sort -u | tar cf - -T - | tar xf - -C "$work/result/kdir"
)
mv "$log" "$work/result/build.log"
rm -rf "$result"
mv "$work/result" "$result"
say "Built $result/vmlinuz in $SECONDS s."

# Older results go.
find "$cache" -maxdepth 1 -type d -name "$flavour-????????????????" ! -path "$result" -mtime +1 -exec rm -rf {} +
printf '%s\n' "$result"
