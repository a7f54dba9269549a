#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Everything that can be said about the code without running it. Prints a line for
# each check, what it found, and a verdict.
#
#	check.sh [name]...
#
# Names: modules (each kernel and compiler, W=1; no exports), sparse, checkpatch, kernel-doc,
# source (names, documents, licences, rooms, English, plainness), user (gcc and clang), cppcheck, clang-tidy,
# pages (HTML, its links and width; boards, README's picture), shell, python. Default: all.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

out=$top/build/check
rm -rf "$out"
mkdir -p "$out"
jobs=$(compilers)
wanted=" ${*:-modules sparse checkpatch kernel-doc source user cppcheck clang-tidy pages shell python} "
for name in $wanted; do
	case $name in
	modules | sparse | checkpatch | kernel-doc | source | user | cppcheck | clang-tidy | pages | shell | python) ;;
	*) die "'$name' is no check; see the head of $0" ;;
	esac
done

kernel_c=$(git ls-files 'nvfifo_*.[ch]' 'driver/*.[ch]' 'hw/*.[ch]' 'kunit/*.[ch]' 'uapi/*.h')
# Without the 32-bit program, which has a compiler's options of its own.
user_c=$(git ls-files 'gl/*.c' 'lib/*.c' 'tools/*.c' 'sim/*.c' 'tests/*.c' ':!tests/compat' ':!tests/kernel')
scripts=$(git ls-files | while read -r f; do
	[ ! -f "$f" ] || ! read -r line <"$f" || ! [[ $line =~ ^#!.*/(ba|busybox\ )?sh ]] || echo "$f"
done)
python=$(git ls-files '*.py')
cflags=(-std=gnu11 -Wall -Wextra -Werror -I. -Ihw -Iuapi -Ilib -Isim -Ibuild/gen -I/usr/include/libdrm)
checks=0
failed=0

on()
{
	case $wanted in
	*" $1 "*) return 0 ;;
	*) return 1 ;;
	esac
}

# A check passes when its command succeeds and finds nothing to say.
check() # title command...
{
	local title=$1 log status=0

	shift
	log=$out/${title//[^A-Za-z0-9.-]/_}.log
	"$@" >"$log" 2>&1 </dev/null || status=$?
	checks=$((checks + 1))
	if [ $status -eq 0 ] && [ ! -s "$log" ]; then
		echo "ok    $title"
		return
	fi
	failed=$((failed + 1))
	echo "FAIL  $title ($(wc -l <"$log") lines in ${log#"$top"/})"
	head -n 30 "$log" | sed 's/^/      | /'
}

# Run make for the module in the Debian 13 folder.
make_module() # V-compiler make-argument...
{
	local kdir=$1 dir=/build/$1

	shift
	"$testbox/headers-root.sh" run sh -c "rm -rf $dir && mkdir -p $dir"
	module_sources kunit tests/data/grctx | tar cf - -T - | "$testbox/headers-root.sh" feed tar xf - -C "$dir"
	# The type information needs the vmlinux that the headers do not have.
	"$testbox/headers-root.sh" run make -s -C "/kdir/$kdir" M="$dir" W=1 -j"$jobs" \
		CONFIG_DEBUG_INFO_BTF_MODULES= "$@"
}
# Build the module, and print the symbols that it exports.
module() # V-compiler make-argument...
{
	make_module "$@" modules
	"$testbox/headers-root.sh" run cat "/build/$1/Module.symvers"
}
# Compile the module with the suites. These kernels are built without KUnit, so modpost would fail.
suites() # V-compiler make-argument...
{
	make_module "$@" CONFIG_KUNIT=m KCFLAGS=-DCONFIG_KUNIT_MODULE=1 CONFIG_NVFIFO_KUNIT_TEST=y nvfifo.o
}

if on modules; then
	root=$("$testbox/headers-root.sh" --full)
	read -ra versions <"$root/kdir/versions"
fi
if on checkpatch || on kernel-doc || on source; then
	kernel=${NVFIFO_UML:-$("$testbox/build-uml.sh")}
fi

if on modules; then
	for v in "${versions[@]}"; do
		check "module, Linux $v, gcc, W=1" module "$v-gcc"
		check "module, Linux $v, clang, W=1" module "$v-clang" LLVM=1
		check "module with the suites, Linux $v, gcc, W=1" suites "$v-gcc"
		check "module with the suites, Linux $v, clang, W=1" suites "$v-clang" LLVM=1
	done
fi

if on sparse; then
	"$testbox/headers-root.sh" --full >/dev/null
	# The distribution's sparse is too old for the newest kernels, which refuse it. It does not
	# know that guard() unlocks at the end of a scope; lockdep watches the locks in the tests.
	check "sparse, Linux 6.12" suites 6.12-gcc C=2 CF=-Wno-context
fi

# What cannot be otherwise: a table of X(...) rows is no expression, and what user
# space includes too has no BIT() and no ARRAY_SIZE().
checkpatch()
{
	local f status=0 table=COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_UNUSED
	local shared=BIT_MACRO,ARRAY_SIZE

	table+=,MACRO_WITH_FLOW_CONTROL,TRAILING_SEMICOLON,MACRO_ARG_PRECEDENCE
	table+=,MULTISTATEMENT_MACRO_USE_DO_WHILE
	for f in $kernel_c; do
		case $f in
		hw/*.[ch]) set -- --ignore "$table,$shared" ;;
		uapi/*) set -- --ignore "$shared" ;;
		# They take what they need of a row of the register table.
		kunit/fake.c | driver/debug/nvfifo_dump.c) set -- --ignore MACRO_ARG_UNUSED ;;
		# The form of all trace headers.
		driver/debug/nvfifo_trace.h) set -- --ignore PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE ;;
		*) set -- ;;
		esac
		perl "$kernel/scripts/checkpatch.pl" --no-tree --strict --terse --no-summary --show-types \
			"$@" -f "$f" || status=1
	done
	return $status
}
if on checkpatch; then
	check "checkpatch --strict" checkpatch
fi

kernel_doc()
{
	local f

	for f in $kernel_c; do
		perl "$kernel/scripts/kernel-doc" -none -Wall "$f" || return
	done
}
if on kernel-doc; then
	check "kernel-doc" kernel_doc
fi

# v3d of the kernel's source package, for comparison
v3d()
{
	local dir=$out/v3d tarball=/usr/src/linux-source-6.12.tar.xz

	[ -f "$tarball" ] || return 0
	[ -d "$dir" ] || tar xf "$tarball" -C "$out" --strip-components=4 \
		linux-source-6.12/drivers/gpu/drm/v3d
	printf '%s\n' "$dir"
}
# Packages are not built where the second lacks a name of the first.
symbols()
{
	diff -U 0 --label libnvfifo.map --label packaging/debian/libnvfifo0.symbols \
		<(sed -n 's/^\t\(nvfifo_[a-z0-9_]*\);$/\1/p' lib/libnvfifo.map tools/model/libnvfifo-model.map |
			LC_ALL=C sort) \
		<(sed -n 's/^ \(nvfifo_[a-z0-9_]*\)@.*/\1/p' packaging/debian/libnvfifo0.symbols | LC_ALL=C sort)
}
# README promises that "make" builds the module; a rule of a file that is included would be first.
default_goal()
{
	local goal

	goal=$(make -p help 2>/dev/null | sed -n 's/^\.DEFAULT_GOAL := //p')
	[ "$goal" = module ] || echo "make without a target makes '$goal', not 'module'"
}
if on source; then
	check "make without a target" default_goal
	check "names of the library" symbols
	check "names in the driver" env KERNEL="$kernel" testbox/check_source.py names
	check "names in the documents" testbox/check_source.py docs
	check "licences" testbox/check_licences.py
	check "open questions" testbox/check_source.py questions
	check "calls between folders" testbox/check_source.py folders
	check "order of locks" testbox/check_source.py locks
	check "rooms of the model" testbox/check_model.py
	check "no exports" testbox/check_source.py exports
	check "English of the comments" testbox/check_source.py english
	check "plain statements in user space" testbox/check_source.py stacked
	checks=$((checks + 1))
	V3D=$(v3d) testbox/check_source.py plainness || failed=$((failed + 1))
fi

compile() # compiler
{
	local f

	for f in $user_c; do
		"$1" "${cflags[@]}" -O2 -c -o /dev/null "$f"
	done
}
if on user; then
	make -s build/gen/nvfifo_class.h build/gen/nvfifo_version.h
	check "user space, gcc" compile gcc
	check "user space, clang" compile clang
fi

if on cppcheck; then
	# shellcheck disable=SC2086 # a list
	# It takes the register's address for the name that the two tables of names cut a prefix off.
	check "cppcheck" cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
		--error-exitcode=1 -j "$jobs" -I. -Ihw -Iuapi -Ilib -Isim --suppress=missingIncludeSystem \
		--suppress=arrayIndexOutOfBounds:lib/nvfifo_reg.c --suppress=arrayIndexOutOfBounds:sim/core/regs.c \
		$user_c
fi

tidy()
{
	# One file at a time: version 14 mixes up the va_lists of two. On stderr it counts
	# what it has to say about the system's headers.
	printf '%s\n' "$user_c" | xargs -P "$jobs" -n 1 sh -c \
		'clang-tidy --quiet "$@" -- -std=gnu11 -I. -Ihw -Iuapi -Ilib -Isim -Ibuild/gen -I/usr/include/libdrm 2>/dev/null' sh
}
if on clang-tidy; then
	check "clang-tidy" tidy
fi

# Each page without a warning
pages()
{
	KSRC='' testbox/docs.sh "$out/pages" -W --keep-going >"$out/pages.log" 2>&1 || cat "$out/pages.log"
}
picture()
{
	Documentation/pictures/drawing.py | diff - Documentation/pictures/drawing.svg
}
if on pages; then
	check "documentation as HTML" pages
	# shellcheck disable=SC2046 # a list
	check "links of the documentation" testbox/check_links.py "$out/pages/html" \
		$(git ls-files '*.md')
	check "width of the pages" testbox/page_width.py "$out/pages/html"
	check "boards" Documentation/board_table.py --check
	check "README's picture" picture
fi

if on shell; then
	# shellcheck disable=SC2086 # a list
	check "shellcheck" shellcheck -x $scripts
fi

if on python; then
	# shellcheck disable=SC2086 # a list
	check "python" python3 -c 'import ast, sys
for name in sys.argv[1:]:
	ast.parse(open(name, encoding="utf-8").read(), name)' $python
	check "table of special functions" sh -c \
		'python3 sim/core/gr3d/special_table.py | diff - sim/core/gr3d/special_table.h'
fi

echo
echo "$((checks - failed)) checks passed, $failed failed"
[ "$failed" -eq 0 ]
