#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Install what the test bed needs and this machine lacks, after saying so.
#
#	setup.sh [test | check | testbox]
#
# test (default): compile, build and boot the UML kernel, boot the distribution's in QEMU. check: the same, and
# the tools of `make check`. testbox: compile, and boot the distribution's kernels
# in QEMU. Does nothing, and asks for nothing, when all is there.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

# package: what it is for
needs_test="
linux-source-6.12: the kernel that the tests boot, as source
gcc: compiler
libc6-dev: C library headers
make: make
patch: patches the kernel source
flex: kernel configuration
bison: kernel configuration
bc: kernel build
libelf-dev: kernel build
libssl-dev: kernel build
xz-utils: unpacks the kernel source
cpio: packs the guest's first file system
kmod: kernel modules
busybox-static: the guest's user space
libdrm-dev: drm.h for programs
python3: reads test data
debootstrap: a small Debian 13 in a folder, with QEMU and the distribution's kernels
"
needs_check="
clang: the other compiler
clang-tidy: checks of user-space C
cppcheck: checks of user-space C
sparse: checks of kernel C
shellcheck: checks of scripts
perl: checkpatch and kernel-doc
"
needs_testbox="
gcc: compiler
libc6-dev: C library headers
make: make
libdrm-dev: drm.h for programs
debootstrap: a small Debian 13 in a folder, with QEMU, a compiler and kernel headers
xz-utils: unpacks kernel modules
cpio: packs the guest's first file system
kmod: kernel modules
busybox-static: the guest's user space
python3: reads test results
"

case ${1-test} in
test) needs=$needs_test ;;
testbox) needs=$needs_testbox ;;
check) needs=$needs_test$needs_check ;;
*)
	say "setup.sh: '$1' is none of test, check, testbox"
	exit 2
	;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	say "This is not a Debian system: nothing is installed. Needed, by their Debian names:" "$needs"
	say "Instead of linux-source-6.12, KSRC=dir may name any Linux 6.12 source tree."
	exit 0
fi

missing=()
while IFS=: read -r package reason; do
	[ -n "$package" ] || continue
	[ -z "${KSRC-}" ] || [ "$package" != linux-source-6.12 ] || continue
	case $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) in
	installed) ;;
	*)
		[ ${#missing[@]} -gt 0 ] || say "Packages to install:"
		say "$(printf '  %-18s%s' "$package" "$reason")"
		missing+=("$package")
		;;
	esac
done <<<"$needs"
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null ||
		die "not root and no sudo. As root: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
	as_root=(sudo)
	say "sudo asks for your password if it must."
fi

known()
{
	local package policy

	for package; do
		# Not a pipe into "grep -q": grep leaves at the first match, apt-cache dies
		# of SIGPIPE, and pipefail makes that the answer.
		policy=$(apt-cache policy "$package" 2>/dev/null)
		[[ $policy =~ 'Candidate: '[^\(] ]] || return 1
	done
}

update()
{
	say "apt-get update"
	"${as_root[@]}" apt-get -q -q update >&2
}

install()
{
	say "apt-get install ${missing[*]}"
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -q -y install \
		-o Dpkg::Use-Pty=0 --no-install-recommends "${missing[@]}" >&2
}

if ! known "${missing[@]}"; then
	update
	known "${missing[@]}" || die "apt does not know all of: ${missing[*]}"
	install
elif ! install; then
	say "That failed; the package lists may be old."
	update
	install
fi
