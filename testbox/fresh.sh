#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Try `make demo` and `make test` as a newcomer does: on freshly installed minimal Debians,
# which root.sh makes in folders and which are thrown away afterwards. Each case checks
# what is said, the exit status, the files and the processes that are left.
#
#	fresh.sh [case]...
#
# Without a case: all but the two long ones, test-12 and test-13. "all" are all,
# "list" lists them.
#
# Environment:
#	KEEP=1		keep the folders, whose names are printed
#	CHIPSETS="..."	those that test-12 and test-13 test, instead of all
#
# Needs root rights and about 6 GB of disk. What each case said is in build/fresh. Prints
# a line for each case and as the last line
#	N passed, N failed, N skipped
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

out=$top/build/fresh
roots=$cache/fresh
passed=0
failed=0
skipped=0
declare -A about
root=
admin_home=
log=
bad=
child=

# --- what the cases are made of

# What is wrong with this case.
wrong() # text
{
	bad=1
	say "     $1"
}

# The home of the root's administrator
find_home()
{
	admin_home=$(awk -F: '$3 == 0 && !seen { print $6; seen = 1 }' "$root/etc/passwd")
}

# A fresh machine with make and the checkout in /srv/nvfifo.
machine() # suite, option of root.sh new...
{
	local suite=$1

	shift
	root=$roots/$name.$$
	testbox/root.sh new "$suite" "$root" "$@" 2>>"$log"
	find_home
	quietly apt-get -q -q update
	quietly apt-get -q -q -y install make
	checkout /srv/nvfifo
}

# A Debian 12 on which setup.sh has been, where that is not what the case is about: the first one of
# this run is copied for the next.
prepared()
{
	local kept=$roots/prepared.$$

	if [ -d "$kept" ]; then
		root=$roots/$name.$$
		cp -a "$kept" "$root"
		find_home
		return
	fi
	machine bookworm
	expect 0 --cd /srv/nvfifo -- testbox/setup.sh demo
	[ -n "$bad" ] || cp -a "$root" "$kept"
}

# The files of this checkout, owned by whoever owns the directory above.
checkout() # path in the root
{
	local owner

	mkdir -p "$root$1"
	git ls-files --cached --others --exclude-standard | while IFS= read -r f; do
		[ ! -e "$f" ] || printf '%s\n' "$f"
	done | tar cf - -T - | tar xf - -C "$root$1"
	owner=$(stat -c %u:%g "$(dirname "$root$1")")
	chown -R "$owner" "$root$1"
	(cd "$root$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum) >"$root/.before${1//[^A-Za-z0-9]/_}"
}

# A command of the case's preparation.
quietly() # command...
{
	testbox/root.sh run "$root" "$@" >>"$log" 2>&1 || wrong "'$*' failed: see $log"
}

user() # name, home
{
	quietly useradd -m -d "$2" -s /bin/bash "$1"
}

# The kernel that an earlier case built: not what this one is about.
seed() # cache directory in the root; it belongs to the owner of the directory above
{
	mkdir -p "$root$1/nvfifo"
	if [ -d "$roots/kernel-$(cat "$root/etc/nvfifo-root")" ]; then
		cp -a "$roots/kernel-$(cat "$root/etc/nvfifo-root")/." "$root$1/nvfifo/"
	fi
	chown -R --reference="$root$(dirname "$1")" "$root$1"
}

# Keep the kernel for seed().
harvest() # cache directory in the root
{
	local keep

	keep=$roots/kernel-$(cat "$root/etc/nvfifo-root")
	rm -rf "$keep"
	mkdir -p "$keep"
	cp -a "$root$1/nvfifo"/uml-????????????????/ "$keep/" 2>/dev/null || true
}

# Run a command and check its status; what it says is appended to the log and is $root/said.
# Its processes get a few seconds to end: the progress display of dkms sleeps for three.
expect() # status, option of root.sh run..., --, command...
{
	local wanted=$1 options=() status=0 running begun=$SECONDS

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	printf '\n$ %s\n' "$*" >>"$log"
	# shellcheck disable=SC2015,SC2016 # bash in the root expands it
	testbox/root.sh run "${options[@]}" "$root" bash -c '"$@" && status=0 || status=$?
		for tries in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
			sleep 0.3
			for p in /proc/[0-9]*; do
				[ "$p" = /proc/1 ] || [ "$p" = /proc/$$ ] ||
					tr "\0" " " <$p/cmdline 2>/dev/null
			done >/tmp/.left
			[ -s /tmp/.left ] || break
		done
		exit $status' bash "$@" >"$root/said" 2>&1 </dev/null &
	# Waited for, so that a signal ends it at once.
	child=$!
	wait $child || status=$?
	child=
	cat "$root/said" >>"$log"
	printf '(exit status %s after %s s)\n' $status $((SECONDS - begun)) >>"$log"
	case $wanted in
	fails) [ $status -ne 0 ] || wrong "'$*' succeeded" ;;
	*) [ $status -eq "$wanted" ] || wrong "'$*': exit status $status, not $wanted" ;;
	esac
	running=$(cat "$root/tmp/.left")
	[ -z "$running" ] || wrong "processes are left: $running"
	rm -f "$root/tmp/.left"
}

says() # regular expression
{
	grep -qE -- "$1" "$root/said" || wrong "it does not say '$1'"
}

says_not() # regular expression
{
	! grep -qE -- "$1" "$root/said" || wrong "it says '$(grep -E -m 1 -- "$1" "$root/said")'"
}

# Nothing is new outside of what apt changes but the checkout's build/ and the cache, and the
# checkout's own files are what they were.
only() # regular expression of further paths that may be there, checkout...
{
	local found path

	found=$({ cd "$root" && find home "${admin_home#/}" tmp opt srv mnt media var/tmp -type f ! -path '*/nvfifo/*' \
		! -name '.bash*' ! -name .profile ! -name .sudo_as_admin_successful -print; } | { grep -vE "^($1)" || true; })
	[ -z "$found" ] || wrong "files are left: $(head -n 3 <<<"$found" | tr '\n' ' ')"
	shift
	for path; do
		(cd "$root$path" && sha256sum --quiet -c "$root/.before${path//[^A-Za-z0-9]/_}") >>"$log" 2>&1 ||
			wrong "files of $path were changed"
		found=$(cd "$root$path" && find . -path ./build -prune -o -type f -print | wc -l)
		[ "$found" -eq "$(wc -l <"$root/.before${path//[^A-Za-z0-9]/_}")" ] || wrong "there are new files in $path"
	done
}

passes_demo()
{
	says '^demo: PASS'
	says 'build/demo/drawing.png'
}

# --- the cases

about[demo_12]="Debian 12, root, no sudo: make demo, twice"
case_demo_12()
{
	machine bookworm
	expect 0 --cd /srv/nvfifo -- make demo
	passes_demo
	cp "$root/said" "$root/tmp/said"
	expect 0 --cd /srv/nvfifo -- tests/readme.py /tmp/said
	[ ! -s "$root/said" ] || wrong "$(head -n 1 "$root/said")"
	rm "$root/tmp/said"
	harvest "$admin_home/.cache"
	expect 0 --cd /srv/nvfifo -- make demo
	passes_demo
	says_not 'apt-get|Compiling|Unpacking'
	only '^$' /srv/nvfifo
}

about[at_once]="Debian 12 with the packages that README's first lines name"
case_at_once()
{
	machine bookworm
	expect fails --cd /srv/nvfifo -- make tools
	says 'cc is not installed: on Debian, apt install gcc'
	quietly apt-get -q -q -y install git gcc libdrm-dev
	expect 0 --cd /srv/nvfifo -- make tools
	expect 0 --cd /srv/nvfifo -- build/bin/nvfifo run --model examples/01-refcnt-semaphore.nvp
	says '^PASS 01-refcnt-semaphore'
	expect 0 --cd /srv/nvfifo -- build/bin/nvfifo run --model=gt215 --images /tmp examples/08-drawing.nvp
	says '^PASS 08-drawing'
	expect fails --cd /srv/nvfifo -- make
	says '^No kernel headers in /lib/modules/.*: install linux-headers-'
	only 'tmp/drawing.png' /srv/nvfifo
}

about[piglit]="Debian 12: make test-piglit for one chip installs what it needs"
case_piglit()
{
	machine bookworm
	expect 0 --cd /srv/nvfifo -- make test-piglit CHIPSETS=g96
	says 'libwaffle-1-0 '
	says '^[0-9]{4,} passed, 0 failed, 0 skipped$'
	only '^$' /srv/nvfifo
}

about[demo_13]="Debian 13, a user with sudo: make demo"
case_demo_13()
{
	machine trixie
	user ada /home/ada
	quietly apt-get -q -q -y install --no-install-recommends sudo
	echo 'ada ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/ada"
	checkout /home/ada/nvfifo
	expect 0 --user ada --cd /home/ada/nvfifo -- make demo
	passes_demo
	[ -z "$(find "$root/home/ada" ! -user "$(stat -c %u "$root/home/ada")" -print -quit)" ] ||
		wrong "files in the user's home are not hers"
	harvest /home/ada/.cache
	only '^$' /home/ada/nvfifo
}

about[no_sudo]="a user without sudo is told the administrator's command, which is enough"
case_no_sudo()
{
	local command

	machine bookworm
	user ada /home/ada
	checkout /home/ada/nvfifo
	for command in demo test; do
		expect fails --user ada --cd /home/ada/nvfifo -- make $command
		says 'nothing was changed'
		says '^  apt-get update && apt-get install --no-install-recommends .*linux-source-6.12'
		[ ! -e "$root/home/ada/.cache" ] || wrong "there is a .cache"
		[ ! -e "$root/home/ada/nvfifo/build" ] || wrong "there is a build/"
	done
	command=$(sed -n 's/^  \(apt-get update &&\)/\1/p' "$root/said")
	quietly sh -c "${command/install/-y install}"
	seed /home/ada/.cache
	expect 0 --user ada --cd /home/ada/nvfifo -- make demo
	passes_demo
	says_not 'apt-get'
	only '^$' /home/ada/nvfifo
}

about[no_root]="a user without root rights, all packages there: only what needs QEMU is left out"
case_no_root()
{
	machine bookworm
	expect 0 --cd /srv/nvfifo -- testbox/setup.sh test-all
	user ada /home/ada
	checkout /home/ada/nvfifo
	seed /home/ada/.cache
	expect 0 --user ada --env CHIPSETS=g84 --env SUITES=probe --cd /home/ada/nvfifo -- tests/run.sh driver qemu nouveau
	says '^Left out, what needs QEMU: making a Debian 13 in /home/ada/.cache/nvfifo/trixie takes root rights'
	says '^[1-9][0-9]* passed, 0 failed, [2-9][0-9]* skipped'
	[ "$(grep -cE "^skip.(qemu|nouveau): " "$root/home/ada/nvfifo/build/results/results")" -eq 2 ] ||
		wrong "what was left out is not counted"
	[ ! -e "$root/home/ada/.cache/nvfifo/trixie" ] || wrong "there is half a Debian 13"
	only '^$' /home/ada/nvfifo
}

about[sudo_refuses]="a user whom sudo does not let"
case_sudo_refuses()
{
	machine trixie
	user ada /home/ada
	quietly apt-get -q -q -y install --no-install-recommends sudo
	checkout /home/ada/nvfifo
	expect fails --user ada --cd /home/ada/nvfifo -- make demo
	says 'sudo does not let you; nothing was changed'
	says '^  apt-get update && apt-get install --no-install-recommends .*linux-source-6.12'
	only '^$' /home/ada/nvfifo
}

about[no_suite]="apt of Debian 12 without its security suite: package and suite are named"
case_no_suite()
{
	machine bookworm --plain
	expect fails --cd /srv/nvfifo -- make demo
	says 'apt has no package of the name: linux-source-6.12'
	says "suite bookworm-security"
	says "^  echo 'deb .* bookworm-security main'"
	says_not '^apt-get install'
	only '^$' /srv/nvfifo
}

# Start a command, wait until it says something, send its processes a signal, or the command alone
# ("only:TERM").
interrupt() # signal, regular expression, option of root.sh run..., --, command...
{
	local signal=$1 pattern=$2 options=()

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	# shellcheck disable=SC2016 # bash in the root expands it
	expect fails "${options[@]}" -- bash -c '
		signal=${1#only:} pattern=$2
		receiver=-
		[ "$signal" = "$1" ] || receiver=
		shift 2
		# A shell starts what is in the background deaf to ^C.
		env --default-signal=INT,QUIT setsid "$@" >/tmp/.interrupted 2>&1 &
		child=$!
		while ! grep -qE -- "$pattern" /tmp/.interrupted; do
			kill -0 $child 2>/dev/null || break
			sleep 0.2
		done
		sleep 1
		kill -$signal -- $receiver$child
		wait $child
		status=$?
		# dpkg is not left alone in the middle.
		while fuser=$(grep -lE "^(apt-get|dpkg)" /proc/[0-9]*/comm 2>/dev/null) && [ -n "$fuser" ]; do sleep 0.5; done
		cat /tmp/.interrupted
		rm -f /tmp/.interrupted
		exit $status' bash "$signal" "$pattern" "$@"
	says "$pattern"
}

about[interrupted]="interrupted at each long step, and started again"
case_interrupted()
{
	local here=(--cd /srv/nvfifo -- make demo)

	machine bookworm
	interrupt INT '^apt-get install' "${here[@]}"
	interrupt TERM 'unpacking and setting up' "${here[@]}"
	interrupt INT '^Unpacking' "${here[@]}"
	interrupt KILL '^Unpacking' "${here[@]}"
	interrupt INT '^Compiling' "${here[@]}"
	interrupt KILL '^Going on with' "${here[@]}"
	interrupt TERM '^ +[2-9][0-9] %  compiling' "${here[@]}"
	says '^Going on with'
	interrupt INT '^=== 2' "${here[@]}"
	interrupt only:TERM '^=== 2' "${here[@]}"
	interrupt INT '^=== 3' "${here[@]}"
	expect 0 "${here[@]}"
	passes_demo
	only 'tmp/' /srv/nvfifo
	[ -z "$(find "$root$admin_home/.cache/nvfifo" -name 'uml-build*' -print -quit)" ] || wrong "a half build is left"
}

about[two]="two at once, with nothing there before"
case_two()
{
	machine trixie
	checkout /srv/second/nvfifo
	# shellcheck disable=SC2016 # bash in the root expands it
	expect 0 -- bash -c '
		(cd /srv/nvfifo && make demo >/tmp/one 2>&1; echo "one: status $?") &
		(cd /srv/second/nvfifo && make demo >/tmp/two 2>&1; echo "two: status $?") &
		wait
		cat /tmp/one /tmp/two
		rm /tmp/one /tmp/two'
	says '^one: status 0'
	says '^two: status 0'
	[ "$(grep -c '^demo: PASS' "$root/said")" -eq 2 ] || wrong "not both passed"
	[ "$(grep -c '^Built .*/linux in' "$root/said")" -eq 1 ] || wrong "the kernel was not built once"
	only '^$' /srv/nvfifo /srv/second/nvfifo
}

about[no_network]="no network: said when packages are missing, no matter when not"
case_no_network()
{
	machine bookworm
	# Packages that an earlier root fetched would do without a network.
	rm -f "$root"/var/cache/apt/archives/*.deb
	expect fails --no-net --cd /srv/nvfifo -- make demo
	says 'is there a network\?'
	expect 0 --cd /srv/nvfifo -- testbox/setup.sh demo
	seed "$admin_home/.cache"
	expect 0 --no-net --cd /srv/nvfifo -- make demo
	passes_demo
	only '^$' /srv/nvfifo
}

about[full_disk]="a full disk: said, and nothing half-done is used afterwards"
case_full_disk()
{
	prepared
	expect fails --tmpfs 200M "$admin_home/.cache" --cd /srv/nvfifo -- make demo
	says 'MiB free and building the kernel takes'
	seed "$admin_home/.cache"
	expect fails --tmpfs 2M /srv/nvfifo/build --cd /srv/nvfifo -- make demo
	says 'No space left|no space'
	expect 0 --cd /srv/nvfifo -- make demo
	passes_demo
	only '^$' /srv/nvfifo
}

about[read_only_home]="a home that cannot be written: said; XDG_CACHE_HOME helps"
case_read_only_home()
{
	prepared
	mkdir -p "$root/srv/home"
	expect fails --env HOME=/srv/home --bind-ro "$root/srv/home" /srv/home --cd /srv/nvfifo -- make demo
	says '/srv/home/.cache/nvfifo cannot be written: set XDG_CACHE_HOME'
	seed /opt/cache
	expect 0 --env HOME=/srv/home --bind-ro "$root/srv/home" /srv/home --env XDG_CACHE_HOME=/opt/cache \
		--cd /srv/nvfifo -- make demo
	passes_demo
	only 'opt/cache/' /srv/nvfifo
}

about[names]="blanks and umlauts in the names of home, TMPDIR and checkout"
case_names()
{
	local home="/home/Jürgen Groß" place tmp="/tmp/mit Blank, ß"

	place="$home/Quell text/nvfifo"
	prepared
	user juergen "$home"
	mkdir -p "$root$home/Quell text" "$root$tmp"
	chown -R --reference="$root$home" "$root$home/Quell text" "$root$tmp"
	checkout "$place"
	seed /var/tmp/x
	mv "$root/var/tmp/x/nvfifo" "$root/var/tmp/nvfifo-$(stat -c %u "$root$home")"
	chown -R --reference="$root$home" "$root/var/tmp/nvfifo-$(stat -c %u "$root$home")"
	rmdir "$root/var/tmp/x"
	expect 0 --user juergen --env TMPDIR="$tmp" --cd "$place" -- make demo
	passes_demo
	[ -z "$(ls -A "$root$tmp")" ] || wrong "files are left in TMPDIR"
	only 'var/tmp/nvfifo-[0-9]+/' "$place"
}

about[second_user]="a second user of a cache that is somebody else's, writable or not"
case_second_user()
{
	prepared
	user ada /home/ada
	user bob /home/bob
	checkout /home/bob/nvfifo
	seed /srv/cache
	chown -R --reference="$root/home/ada" "$root/srv/cache"
	expect 0 --user bob --env XDG_CACHE_HOME=/srv/cache --cd /home/bob/nvfifo -- make demo
	passes_demo
	# One that is not for what bob has changed: not his to make.
	echo '# another line' >>"$root/home/bob/nvfifo/testbox/uml.config"
	expect fails --user bob --env XDG_CACHE_HOME=/srv/cache --cd /home/bob/nvfifo -- make demo
	says '/srv/cache/nvfifo cannot be written: set XDG_CACHE_HOME'
	sed -i '$d' "$root/home/bob/nvfifo/testbox/uml.config"
	only 'srv/cache/' /home/bob/nvfifo
}

about[broken_cache]="a truncated kernel, a source of the wrong version, a missing tool"
case_broken_cache()
{
	local kernel

	prepared
	seed "$admin_home/.cache"
	expect 0 --cd /srv/nvfifo -- make demo
	kernel=$(echo "$root$admin_home"/.cache/nvfifo/uml-????????????????/linux)
	truncate -s 1M "$kernel"
	# Building it again is what case interrupted does to the end.
	interrupt TERM '^Unpacking' --cd /srv/nvfifo -- make demo
	says 'is damaged and will be built again'
	rm -rf "$root$admin_home"/.cache/nvfifo/uml-*
	seed "$admin_home/.cache"
	mkdir -p "$root/srv/linux/arch/um"
	: >"$root/srv/linux/arch/um/Makefile"
	printf 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\n' >"$root/srv/linux/Makefile"
	expect fails --env KSRC=/srv/linux --cd /srv/nvfifo -- make demo
	says 'KSRC=/srv/linux is Linux 6.1: give the source of 6.12 or later'
	expect fails --env KSRC=/srv --cd /srv/nvfifo -- make demo
	says 'KSRC=/srv is not a kernel source tree'
	mv "$root/usr/bin/cpio" "$root/usr/bin/cpio.away"
	expect fails --cd /srv/nvfifo -- make demo
	says 'cpio is not installed'
	mv "$root/usr/bin/cpio.away" "$root/usr/bin/cpio"
	only 'srv/linux/' /srv/nvfifo
}

about[bad_words]="an unknown chipset, kernel, suite or kind: one line, at once"
case_bad_words()
{
	machine bookworm
	expect 0 --cd /srv/nvfifo -- testbox/setup.sh test
	expect fails --env CHIPSET=g70 --cd /srv/nvfifo -- make demo
	says "CHIPSET 'g70' is none of g80 g84"
	expect fails --env "CHIPSETS=g80 g70" --cd /srv/nvfifo -- make test
	says "CHIPSETS: 'g70' is none of g80 g84"
	expect fails --env SUITES=sumbit --cd /srv/nvfifo -- make test
	says "SUITES: 'sumbit' is none of "
	expect fails --cd /srv/nvfifo -- tests/run.sh hots
	says "'hots' is none of all, host, kunit"
	expect fails --env KERNEL=5.10 --cd /srv/nvfifo -- make nouveau-on-sim
	says "KERNEL '5.10'"
	[ ! -e "$root$admin_home/.cache/nvfifo" ] || wrong "something was built"
}

about[no_base]="a Debian that the archive no longer has: said, and not kept as one"
case_no_base()
{
	root=$roots/$name.$$
	if testbox/root.sh new wheezy "$root" >"$out/no_base.said" 2>&1; then
		wrong "root.sh made a Debian that the archive does not have"
	fi
	cat "$out/no_base.said" >>"$log"
	grep -q '^root.sh: debootstrap failed; the whole log is ' "$out/no_base.said" || wrong "it does not say what failed"
	[ -z "$(find "$cache" -maxdepth 1 -name 'base-wheezy*' ! -name '*.lock' ! -name '*.log' -print -quit)" ] ||
		wrong "files of it are kept"
	rm -rf "$cache"/base-wheezy* "$out/no_base.said" "$root"
	root=
}

# make test, with the chipsets that were asked for.
passes_test() # option of root.sh run...
{
	expect 0 ${CHIPSETS:+--env "CHIPSETS=$CHIPSETS"} "$@" -- make test-all
	[[ $(tail -n 1 "$root/said") =~ ^[0-9]+\ passed,\ 0\ failed ]] || wrong "the last line: $(tail -n 1 "$root/said")"
}

about[test_12]="Debian 12, root: make test-all"
case_test_12()
{
	machine bookworm
	passes_test --cd /srv/nvfifo
	only '^$' /srv/nvfifo
}

about[test_13]="Debian 13, a user with sudo: make test-all"
case_test_13()
{
	machine trixie
	user ada /home/ada
	quietly apt-get -q -q -y install --no-install-recommends sudo
	echo 'ada ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/ada"
	checkout /home/ada/nvfifo
	passes_test --user ada --cd /home/ada/nvfifo
	only '^$' /home/ada/nvfifo
}

# Every path but those that change by themselves, and what apt and dkms keep for themselves.
paths()
{
	(cd "$root" && find etc usr var lib opt boot -path var/log -prune -o -path var/cache -prune -o \
		-path var/lib/apt -prune -o -path var/lib/dpkg -prune -o -path 'var/lib/dkms/mok.*' -o \
		-name '__pycache__' -prune -o -print) | sort
}

# The packages of what lies in the root's /home/ada/nvfifo.
build_packages()
{
	expect 0 --user ada --cd /home/ada/nvfifo -- make deb
	says 'build/deb/nvfifo-tools_'
}

# What is installed works, and has this version.
check_packages() # version
{
	expect 0 -- nvfifo --version
	says "^nvfifo ${1//./\\.}"
	expect 0 -- nvfifo gl --print
	says '/nvfifo/libnvfifo-nouveau.so$'
	expect 0 -- dkms status
	says "^nvfifo/$1, .*: installed"
	[ "$(grep -c nvfifo "$root/said")" -eq 1 ] || wrong "dkms has more than one: $(cat "$root/said")"
	[ -n "$(find "$root/lib/modules/" -name 'nvfifo.ko*')" ] || wrong "there is no module"
	grep -q '^blacklist nvfifo$' "$root/usr/lib/modprobe.d/nvfifo.conf" || wrong "the module would load by itself"
	# bash, fish and zsh
	expect 0 -- /home/ada/nvfifo/tests/complete.py installed
	says '^ok [0-9]+ - fish: '
	says '^ok [0-9]+ - zsh'
	printf 'channel ch0\n# remark\n' >"$root/tmp/a.nvp"
	# shellcheck disable=SC2016 # vim expands it
	expect 0 -- vim -Nu NONE -es --cmd 'set rtp^=/usr/share/vim/vimfiles' -c 'filetype on | syntax on' \
		-c 'edit /tmp/a.nvp | redir! > /tmp/a.out | echo &filetype synIDattr(synID(1,1,1), "name") synIDattr(synID(2,1,1), "name")' \
		-c 'qa!'
	grep -q '^nvp nvpStatement nvpComment' "$root/tmp/a.out" || wrong "vim: $(cat "$root/tmp/a.out")"
	rm -f "$root/tmp/a.nvp" "$root/tmp/a.out"
}

# Build, check, install, test, upgrade, purge.
packages() # suite, kernel headers: a name, or a pattern whose newest match is taken
{
	local headers install

	# shellcheck disable=SC2016 # sh expands it
	install=(sh -c 'apt-get -q -y --no-install-recommends install $(ls /home/ada/nvfifo/build/deb/*.deb | grep -v dbgsym)')
	machine "$1"
	# shellcheck disable=SC2016 # sh expands it
	headers=$(testbox/root.sh run "$root" sh -c 'apt-cache search --names-only "$1" | cut -d" " -f1 | sort -V | tail -n 1' \
		sh "^linux-headers-$2\$" 2>>"$log")
	quietly apt-get -q -q -y --no-install-recommends install build-essential debhelper dh-dkms dh-python dkms libdrm-dev lintian \
		zlib1g-dev python3-sphinx graphviz universal-ctags autopkgtest fish zsh vim "${headers:-no-headers-for-$2}"
	user ada /home/ada
	checkout /home/ada/nvfifo
	# What the packages' own tests take would count as left by the purge.
	# shellcheck disable=SC2046 # words
	quietly apt-get -q -q -y --no-install-recommends install $(
		sed -n '/^Tests: kunit/,/^Restrictions/{/^Depends:/,/^Restrictions/{/^Restrictions/!{s/^Depends://;s/,//g;p}}}' \
			packaging/debian/tests/control)
	build_packages
	# Debian 12's takes the end of a word in a table for a word, and knows an older Policy.
	expect 0 --user ada --cd /home/ada/nvfifo/build/deb -- \
		sh -c 'lintian --info --display-info --pedantic --suppress-tags spelling-error-in-binary,newer-standards-version *.changes'
	[ ! -s "$root/said" ] || wrong "lintian complains"
	paths >"$root/.paths"
	expect 0 -- "${install[@]}"
	check_packages 0.1.0
	seed "$admin_home/.cache"
	expect 0 --cd /home/ada/nvfifo/build/deb -- \
		sh -c 'cd / && autopkgtest -B /home/ada/nvfifo/build/deb/nvfifo-0.1.0/ -- null'
	says '^examples +PASS'
	says '^kunit +PASS'
	harvest "$admin_home/.cache"
	# The next version, from the same sources.
	sed -i 's/^PACKAGE_VERSION="0.1.0"/PACKAGE_VERSION="0.1.1"/' "$root/home/ada/nvfifo/packaging/dkms.conf"
	sed -i '1s/0\.1\.0/0.1.1/' "$root/home/ada/nvfifo/packaging/debian/changelog"
	build_packages
	expect 0 -- "${install[@]}"
	check_packages 0.1.1
	[ -z "$(cd "$root" && find usr var/lib/dkms -path '*nvfifo*0.1.0*')" ] || wrong "files of the old version are left"
	expect 0 -- apt-get -q -y purge nvfifo-tools nvfifo-dkms libnvfifo0 libnvfifo-dev nvfifo-doc python3-nvfifo
	paths >"$root/.paths.after"
	diff "$root/.paths" "$root/.paths.after" >>"$log" || wrong "purge left, or took away: $(
		diff "$root/.paths" "$root/.paths.after" | sed -n '2,4p' | tr '\n' ' ')"
}

about[packages_12]="Debian 12: the packages built, checked, installed, upgraded, purged"
case_packages_12()
{
	packages bookworm '6.12.[0-9]+.deb12-amd64'
}

about[packages_13]="Debian 13: the same"
case_packages_13()
{
	packages trixie 'amd64'
}

# --- running them

short="at_once demo_12 piglit demo_13 no_sudo no_root sudo_refuses no_suite interrupted two no_network full_disk read_only_home
	names second_user broken_cache bad_words no_base packages_12 packages_13"
long="test_12 test_13"

# shellcheck disable=SC2317 # a trap calls it
finish()
{
	local status=$?

	trap - EXIT INT TERM HUP
	if [ -n "$child" ]; then
		kill "$child" 2>/dev/null || true
		wait "$child" 2>/dev/null || true
	fi
	[ -n "${KEEP-}" ] || [ -z "$root" ] || rm -rf "$root"
	rm -rf "$roots/prepared.$$"
	exit "$status"
}

run_case()
{
	name=$1
	log=$out/$name.log
	: >"$log"
	bad=
	root=
	SECONDS=0
	"case_$name"
	if [ -n "$bad" ]; then
		failed=$((failed + 1))
		echo "FAIL $name ($SECONDS s; $log)"
	else
		passed=$((passed + 1))
		echo "ok   $name ($SECONDS s)"
	fi
	[ -z "$root" ] || testbox/root.sh keep "$root"
	if [ -n "${KEEP-}" ]; then
		echo "     $root"
	else
		rm -rf "$root"
	fi
	root=
}

cases=${*//-/_}
[ "$cases" != all ] || cases="$short $long"
if [ "$cases" = list ]; then
	for name in $short $long; do
		printf '%-16s%s\n' "${name//_/-}" "${about[$name]}"
	done
	exit
fi
for name in ${cases:=$short}; do
	declare -F "case_$name" >/dev/null || die "there is no case '$name': see fresh.sh list"
done
testbox/root.sh can
mkdir -p "$out" "$roots"
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
for name in $cases; do
	run_case "$name"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
