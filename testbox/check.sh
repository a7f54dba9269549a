#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Everything that can be said about the code without running it. Prints a line for
# each check, what it found, and a verdict.
#
#	check.sh [name]...
#
# Names: modules (each kernel and compiler, W=1; no exports), sparse, checkpatch, kernel-doc,
# source (names, documents, licences, files, English, plainness), user (gcc and clang), abi (the library,
# beside that of the last tag), cppcheck, clang-tidy,
# pages (HTML, its links and width; boards, README's picture), shell, python, in-tree
# (the driver in a kernel tree: kunit.py, W=1 with sparse, its pages, the patches), cross (that tree for
# other architectures whose compilers are installed). Default: all but cross.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

out=$top/build/check
rm -rf "$out"
mkdir -p "$out"
jobs=$(compilers)
wanted=" ${*:-modules sparse checkpatch kernel-doc source user abi cppcheck clang-tidy pages shell python in-tree} "
for name in $wanted; do
	case $name in
	modules | sparse | checkpatch | kernel-doc | source | user | abi | cppcheck | clang-tidy | pages | shell | python | in-tree | cross) ;;
	*) die "'$name' is not a check; see the head of $0" ;;
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
		# They take what they need of a row of a table.
		kunit/fake.c | driver/debug/nvfifo_dump.c | driver/card/nvfifo_card.c) set -- --ignore MACRO_ARG_UNUSED ;;
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
	check "what is not modelled" testbox/check_source.py missing
	check "calls between folders" testbox/check_source.py folders
	check "order of locks" testbox/check_source.py locks
	check "files of the model" testbox/check_model.py
	check "no exports" testbox/check_source.py exports
	check "what the suites guard" testbox/check_source.py guards
	check "mutants change the driver" tests/mutate.sh check
	check "English of the comments" testbox/check_source.py english
	check "plain statements in user space" testbox/check_source.py stacked
	check "readers of numbers" testbox/check_source.py numbers
	check "readers of lines" testbox/check_source.py lines
	check "readers and writers of JSON" testbox/check_source.py json
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

# What programs include, in a folder: types of other headers are the library's own affair.
public_headers() # tree folder
{
	mkdir -p "$2"
	(cd "$1" && make -pn help 2>/dev/null | sed -n 's/^LIB_HEADERS := //p' | xargs cp -t "$2" \
		hw/nvfifo_fmt.h hw/nvfifo_code_names.h uapi/nvfifo_drm.h)
}
version() # tree
{
	sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$1/packaging/dkms.conf"
}
# Programs that were compiled at the tag must run, unless the library's name has changed since.
abi() # tag
{
	local dir=$out/abi changes

	mkdir -p "$dir/tree"
	git archive "$1" | tar xf - -C "$dir/tree"
	cmp -s <(grep ^LIB_SONAME "$dir/tree/lib/lib.mk") <(grep ^LIB_SONAME lib/lib.mk) || return 0
	make -s -C "$dir/tree" -j"$jobs" build/gen/nvfifo_class.h "build/lib/libnvfifo.so.$(version "$dir/tree")"
	make -s -j"$jobs" build/gen/nvfifo_class.h "build/lib/libnvfifo.so.$(version .)"
	public_headers "$dir/tree" "$dir/old"
	public_headers "$top" "$dir/new"
	changes=$(abidiff --no-added-syms --headers-dir1 "$dir/old" --headers-dir2 "$dir/new" \
		"$dir/tree/build/lib/libnvfifo.so" build/lib/libnvfifo.so) && return
	echo "The library has another ABI than $1: programs that were compiled with that one break."
	echo "Keep the old one, or give LIB_SONAME in lib/lib.mk the next number. abidiff says:"
	echo "$changes"
	return 1
}
if on abi; then
	if tag=$(git describe --tags --abbrev=0 2>/dev/null); then
		check "ABI of the library since $tag" abi "$tag"
	else
		echo "      ABI of the library: left out, there is no tag to compare with"
	fi
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

# A kernel tree with the driver in it; it stays for the next run.
tree=$top/build/in-tree/linux
driver=drivers/gpu/drm/nvfifo
in_tree()
{
	if [ ! -e "$tree/complete" ]; then
		rm -rf "$tree"
		mkdir -p "$tree"
		tar xf /usr/src/linux-source-6.12.tar.xz -C "$tree" --strip-components=1 \
			--exclude='*/drivers/gpu/drm/amd/include/*' --exclude='*.dts' --exclude='*.dtsi'
		touch "$tree/complete"
	fi
	rm -rf "${tree:?}/$driver"
	testbox/in-tree.sh "$tree" 2>&1 | grep -v "^$tree/$driver: \|^  ./tools/testing" || true
}
# Return: whether each suite of this checkout passed in stock UML, and no compiler said anything of it.
kunit_py()
{
	local said=$out/kunit.py.said wanted suite

	(cd "$tree" && ./tools/testing/kunit/kunit.py run --jobs="$jobs" --build_dir=../kunit \
		--kunitconfig="$driver") >"$said" 2>&1 || { tail -n 40 "$said"; return 1; }
	! grep -E "$driver.*(warning|error):" "$said" || return 1
	# shellcheck disable=SC2013 # names without blanks
	for suite in $(sed -n 's/^\t\.name = "\(nvfifo_[a-z0-9_]*\)",$/\1/p' kunit/*.c); do
		grep -qE "= .*$suite " "$said" || echo "kunit.py has not run $suite"
	done
	grep -qE 'Testing complete\. Ran [1-9][0-9]* tests: passed: [1-9][0-9]*$' "$said" ||
		grep 'Testing complete' "$said"
}
more_warnings()
{
	local object

	# Each object anew.
	for object in "$tree/../kunit/$driver"/*.o "$tree/../kunit/$driver"/*/*.o; do
		rm -f "$object"
	done
	# It does not know that guard() unlocks at the end of a scope.
	make -s -C "$tree" ARCH=um O="$top/build/in-tree/kunit" W=1 C=1 CF=-Wno-context -j"$jobs" "$driver/"
}
# Of the driver's pages only: all of the kernel's take an hour.
html_pages()
{
	local dir=$tree/Documentation/nvfifo page said=$out/htmldocs.said

	rm -rf "$dir"
	mkdir "$dir"
	cp "$tree"/Documentation/gpu/nvfifo*.rst "$dir/"
	printf '%s\n' nvfifo ====== '' '.. toctree::' '' '   nvfifo' >"$dir/index.rst"
	make -s -C "$tree" O="$top/build/in-tree/html" SPHINXDIRS=nvfifo htmldocs >"$said" 2>&1 || tail -n 40 "$said"
	grep -E '(WARNING|ERROR|SEVERE):|nvfifo.*[Ww]arning' "$said" || true
	for page in nvfifo nvfifo-threat-model; do
		[ -n "$(find "$top/build/in-tree/html" -name "$page.html" -print -quit)" ] || echo "there is no $page.html"
	done
	rm -rf "$dir"
}
patches()
{
	local dir=$top/build/in-tree/patches file table=COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_UNUSED

	table+=,MACRO_WITH_FLOW_CONTROL,TRAILING_SEMICOLON,MACRO_ARG_PRECEDENCE,MACRO_ARG_UNUSED
	table+=,MULTISTATEMENT_MACRO_USE_DO_WHILE,BIT_MACRO,ARRAY_SIZE,PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE
	rm -rf "$dir"
	# shellcheck disable=SC2046 # nothing but patches of it
	testbox/in-tree.sh --patches "$dir" >/dev/null 2>&1
	[ "$(find "$dir" -name '*.patch' | wc -l)" -le 8 ] || echo "more than eight patches"
	for file in "$dir"/*.patch; do
		# The author is who makes the export. A patch adds whole folders.
		perl "$tree/scripts/checkpatch.pl" --root="$tree" --strict --terse --no-summary --show-types \
			--ignore "$table",FILE_PATH_CHANGES,NO_AUTHOR_SIGN_OFF,BAD_SIGN_OFF "$file" 2>&1 |
			grep -E '^[^ ]*:[0-9]+: |[Cc]annot|[Cc]an.t' || true # not what its spdxcheck.py lacks
	done
}
# What it must refuse, in one line and without a change.
refusals()
{
	local said dir=$top/build/in-tree/refused

	refused() # regular expression, argument...
	{
		local wanted=$1

		shift
		said=$(testbox/in-tree.sh "$@" 2>&1) && echo "in-tree.sh $* succeeds"
		[ "$(wc -l <<<"$said")" -eq 1 ] && grep -qE "$wanted" <<<"$said" || echo "in-tree.sh $*: $said"
	}

	rm -rf "$dir"
	mkdir -p "$dir/full"
	touch "$dir/full/file"
	refused 'say where'
	refused 'there is no directory' "$dir/missing"
	refused 'is not a kernel source tree' "$dir/full"
	refused 'is not empty' --patches "$dir/full"
	refused 'there is no directory' --patches "$dir/missing/patches"
	printf '\n' >>"$tree/$driver/nvfifo_vm.h"
	refused 'nvfifo_vm.h has local changes' "$tree"
	mv "$tree/$driver/.export" "$dir/export"
	refused 'this script has not made it' "$tree"
	mv "$dir/export" "$tree/$driver/.export"
	sed '$d' "$tree/$driver/nvfifo_vm.h" >"$dir/vm" && cp "$dir/vm" "$tree/$driver/nvfifo_vm.h"
	touch "$tree/$driver/mem/mine.c"
	refused 'mine.c is not of the export' "$tree"
	rm "$tree/$driver/mem/mine.c"
	sed -i 's/^PATCHLEVEL = 12$/PATCHLEVEL = 11/' "$tree/Makefile"
	refused 'is Linux 6.11' "$tree"
	sed -i 's/^PATCHLEVEL = 11$/PATCHLEVEL = 12/' "$tree/Makefile"
	testbox/in-tree.sh "$tree" >/dev/null 2>&1 || echo "a second export fails"
}
if on in-tree; then
	check "the driver in a kernel tree" in_tree
	check "the export refuses" refusals
	check "the export as patches, checkpatch --strict" patches
	check "kunit.py" kunit_py
	check "in tree, W=1 and sparse" more_warnings
	check "in tree, make htmldocs" html_pages
fi

# Compile the driver for another architecture, with all options of allmodconfig.
cross() # ARCH, prefix of the compiler
{
	local o=$top/build/in-tree/$1

	make -s -C "$tree" ARCH="$1" CROSS_COMPILE="$2" O="$o" allmodconfig >/dev/null
	"$tree/scripts/config" --file "$o/.config" -d WERROR -d GCC_PLUGINS -d DEBUG_INFO_BTF -m DRM_NVFIFO
	make -s -C "$tree" ARCH="$1" CROSS_COMPILE="$2" O="$o" olddefconfig prepare >/dev/null
	make -s -C "$tree" ARCH="$1" CROSS_COMPILE="$2" O="$o" W=1 -j"$jobs" "$driver/"
	[ -e "$o/$driver/nvfifo.o" ] || echo "allmodconfig does not build it"
	# The kernel has no division of 64 bits for 32-bit processors.
	find "$o/$driver" -name '*.o' -exec "${2}nm" -Au {} + | grep -E '__u?(div|mod)di3' || true
}
if on cross; then
	[ -e "$tree/$driver/Makefile" ] || in_tree
	while read -r arch prefix; do
		if command -v "${prefix}gcc" >/dev/null; then
			check "in tree, $arch" cross "$arch" "$prefix"
		else
			echo "      in tree, $arch: left out, as there is no ${prefix}gcc: apt install gcc-${prefix%-}"
		fi
	done <<-EOF
		x86_64 x86_64-linux-gnu-
		i386 x86_64-linux-gnu-
		arm64 aarch64-linux-gnu-
		powerpc powerpc64-linux-gnu-
		s390 s390x-linux-gnu-
	EOF
fi

echo
echo "$((checks - failed)) checks passed, $failed failed"
[ "$failed" -eq 0 ]
