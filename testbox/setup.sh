#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Install what the test bed needs and this machine lacks, after saying so.
#
#	setup.sh [demo | kunit | test | test-all | check | docs | testbox | gl | piglit | stick | playground | test-playground]
#
# kunit: compile and boot the UML kernel. demo: the same, and programs for it. test (default): the
# same, and the tests on this machine. test-all: the same, and boot the distribution's kernels in
# QEMU, with Mesa. check: the same as test-all, and the tools of `make check`.
# testbox: compile, and boot the distribution's kernels in QEMU. gl: what demo takes, and Mesa.
# piglit: the same as test-all, and the libraries that piglit is linked with.
# docs: build the pages. stick: make the USB stick. playground: compile for a browser. test-playground: the same, and a
# browser. Does nothing, and asks for nothing, when all is there. A user without root rights and
# without sudo is told what an administrator has to do; nothing is changed then.
#
# Environment:
#	KSRC=dir	the kernel's source comes from there instead of a package
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"

source_package=linux-source-6.12
lock_wait=600

# Package; what takes it (d demo, k kunit, u test, t test-all, b testbox, c check, g gl, h docs, p piglit,
# s stick, w playground, x test-playground); what it is for.
needs="
$source_package    kudtch     the kernel that the tests boot, as source
gcc                kudtbcswxh compiler
libc6-dev          kudtbcswxh C library headers
make               kudtbcswxh make
patch              kudtc      patches the kernel source
flex               kudtc      kernel configuration
bison              kudtc      kernel configuration
bc                 kudtc      kernel build
libelf-dev         kudtc      kernel build
libssl-dev         kudtc      kernel build
xz-utils           kudtbcsh   unpacks the kernel source and modules
cpio               kudtbcs    packs the guest's first file system
kmod               kudtbcs    kernel modules
busybox-static     kudtbcs    the guest's user space
libdrm-dev         udtbcswxh  drm.h for programs
pkgconf            utc        how a program finds the library
python3            kudtbch    reads test data and results
python3-jsonschema utc        compares the command's JSON with its schema
libgl1-mesa-dri    tg         the OpenGL driver that runs on nvfifo
libegl1            tg         OpenGL without a display
libgles2           tg         OpenGL ES
libgbm1            tg         buffers for OpenGL without a display
libegl-dev         tgc        headers for a program with OpenGL
libgles-dev        tgc        the same
libwaffle-1-0      p          piglit's windows and OpenGL contexts
libgl1             p          piglit is linked with it
libxkbcommon0      p          the same
g++                utc        the library's headers are for C++ as well
debootstrap        tbcs       a small Debian 13 in a folder, with QEMU, a compiler and kernel headers
ca-certificates    tbcs       archives that are reached with https
clang              c          the other compiler
clang-tidy         c          checks of user-space C
cppcheck           c          checks of user-space C
sparse             c          checks of kernel C
shellcheck         c          checks of scripts
abigail-tools      tc         compares the library with that of the last tag
universal-ctags    ch         definitions of names
python3-sphinx     ch         the documentation as HTML
graphviz           ch         its drawings
perl               ch         checkpatch and kernel-doc
git                tc         which files there are, and a tag to compare with
grub-common        ts         makes the boot loader of the stick
grub-pc-bin        ts         that for a BIOS
grub-efi-amd64-bin ts         that for UEFI
grub-efi-ia32-bin  ts         that for UEFI of 32 bits
mtools             ts         writes the stick's file system
zstd               ts         packs the stick's first file system
pci.ids            utsc       names of graphics cards that are not of the family
ovmf               ts         UEFI for the stick in QEMU
emscripten         utwx       compiles for WebAssembly
nodejs             utwx       runs emscripten's linker, and WebAssembly in tests
chromium           txc        shows the page in tests
fonts-dejavu-core  tx         letters for that
"

case ${1-test} in
demo) letter=d ;;
kunit) letter=k ;;
test) letter=u ;;
test-all) letter=t ;;
testbox) letter=b ;;
check) letter=c ;;
docs) letter=h ;;
gl) letter=dg ;; # what boots the UML kernel is what the demonstration takes
piglit) letter=tp ;;
stick) letter=s ;;
playground) letter=w ;;
test-playground) letter=x ;;
*)
	say "setup.sh: '$1' is none of demo, kunit, test, test-all, check, docs, testbox, gl, piglit, stick, playground, test-playground"
	exit 2
	;;
esac
needs=$(awk -v letter="$letter" '$2 ~ "[" letter "]"' <<<"$needs")
if [ -n "${KSRC-}" ]; then
	needs=$(grep -v "^$source_package " <<<"$needs")
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	say "This is not a Debian system: nothing is installed. Needed, by their Debian names:" \
		"$(awk '{ $2 = ""; print "  " $0 }' <<<"$needs")"
	say "Instead of $source_package, KSRC=dir may name any Linux 6.12 source tree."
	exit 0
fi

status_of() # package
{
	dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true
}

missing=()
while read -r package _ reason; do
	if [ "$(status_of "$package")" != installed ]; then
		[ ${#missing[@]} -gt 0 ] || say "Packages to install:"
		say "$(printf '  %-19s%s' "$package" "$reason")"
		missing+=("$package")
	fi
done <<<"$needs"
[ ${#missing[@]} -gt 0 ] || exit 0

by_hand="apt-get update && apt-get install --no-install-recommends ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	as_root=(sudo)
	if ! command -v sudo >/dev/null; then
		say "You are not root and there is no sudo; nothing was changed. Ask an administrator to run, as root:"
		say "  $by_hand"
		die "then run this again"
	fi
	say "sudo asks for your password if it must."
	if ! sudo true; then
		say "sudo does not let you; nothing was changed. Ask an administrator to run, as root:"
		say "  $by_hand"
		die "then run this again"
	fi
fi

# Those of the packages that apt cannot install.
unknown()
{
	local package policy

	for package; do
		# Not a pipe into "grep -q": grep leaves at the first match, apt-cache dies
		# of SIGPIPE, and pipefail makes that the answer.
		policy=$(apt-cache policy "$package" 2>/dev/null) || true
		[[ $policy =~ 'Candidate: '[^\(] ]] || printf '%s ' "$package"
	done
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# apt-get leaves as if it had failed by itself, which must not be tried again.
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkfifo "$scratch/never"

# Tell how far apt-get is, from the file in which it says so.
follow()
{
	local kind share last

	SECONDS=0 progress_told=0 progress_of=
	# A second of waiting without a process that would be left when this one is killed.
	while ! read -r -t 1 <>"$scratch/never"; do
		last=$(tail -n 1 "$scratch/status")
		IFS=: read -r kind _ share _ <<<"$last"
		share=${share%%.*}
		case $kind in
		dlstatus) progress "fetching packages" "${share:-0}" ;;
		pmstatus) progress "unpacking and setting up packages" "${share:-0}" ;;
		esac
	done
}

# apt-get; its lock on the package lists knows no waiting.
apt()
{
	local status follower started=$SECONDS

	while :; do
		status=0
		: >"$scratch/log"
		: >"$scratch/status"
		follow &
		follower=$!
		# sudo passes no further file descriptors on.
		# shellcheck disable=SC2016 # sh expands it
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 sh -c \
			'dir=$1 && shift && exec "$@" >>"$dir/log" 2>&1 3>>"$dir/status" </dev/null' sh "$scratch" \
			apt-get -q -q -o DPkg::Lock::Timeout=$lock_wait -o Dpkg::Use-Pty=0 -o APT::Status-Fd=3 "$@" ||
			status=$?
		kill $follower 2>/dev/null || true
		wait $follower 2>/dev/null || true
		progress_end
		if [ $status -eq 0 ] || [ $((SECONDS - started)) -ge $lock_wait ] ||
			! grep -q 'Could not get lock' "$scratch/log"; then
			break
		fi
		say "Another apt is at work; waiting for it."
		sleep 5
	done
	[ $status -eq 0 ] || tail -n 20 "$scratch/log" >&2
	return $status
}

update()
{
	say "apt-get update"
	# Without this apt-get calls it a success when no list could be fetched.
	apt -o APT::Update::Error-Mode=any update
}

install()
{
	say "apt-get install ${missing[*]}"
	# An installation that was interrupted blocks all others.
	if [ -n "$(dpkg --audit 2>/dev/null)" ]; then
		say "dpkg was interrupted before; letting it finish: dpkg --configure -a"
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive dpkg --configure -a >&2
	fi
	apt -y --no-install-recommends install "${missing[@]}"
}

# "suite URI" of each archive that apt uses.
suites()
{
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' | sort -u
}

# Where a package is that apt cannot see, and how to make it see it.
explain() # package...
{
	local codename uri security line=

	# shellcheck disable=SC1091
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	say "apt has no package of the name: $*"
	case "$codename $* " in
	"bookworm "*"$source_package "*)
		uri=$(suites | awk '$1 == "bookworm" { uri = $2 } END { print uri }')
		# Where the archives of a release and of its security lie beside each other.
		security=${uri%/}-security/
		if [ -n "$uri" ] && /usr/lib/apt/apt-helper download-file \
			"${security}dists/bookworm-security/InRelease" "$scratch/InRelease" >/dev/null 2>&1; then
			line="deb $security bookworm-security main"
		fi
		say "Debian 12 has $source_package in its suite bookworm-security, which this machine's apt does not use."
		say "As root, run:"
		say "  echo '${line:-deb ADDRESS-OF-THE-SECURITY-ARCHIVE bookworm-security main}' >>/etc/apt/sources.list"
		;;
	"bookworm "* | "trixie "*)
		say "Debian has these in the component main of its suite $codename; is it in /etc/apt/sources.list?"
		;;
	*)
		say "This is made for Debian 12 (bookworm) and 13 (trixie); here it is '${codename:-unknown}'."
		;;
	esac
	case " $* " in
	*" $source_package "*) say "Or give KSRC=dir: any Linux 6.12 source tree will do." ;;
	esac
	die "nothing was installed"
}

if [ -n "$(unknown "${missing[@]}")" ]; then
	update || say "Package lists could not be updated; is there a network?"
	unknown=$(unknown "${missing[@]}")
	# shellcheck disable=SC2086 # a list
	[ -z "$unknown" ] || explain $unknown
	updated=1
fi
if ! install; then
	[ -z "${updated-}" ] || die "apt-get could not install the packages; it says why above"
	say "That failed; the package lists may be old."
	update || say "Package lists could not be updated; is there a network?"
	install || die "apt-get could not install the packages; it says why above"
fi
