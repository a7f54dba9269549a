#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Break the driver in the ways of tests/mutants.txt, one at a time, and list which tests notice.
#
#	mutate.sh [name]...
#
# Each mutant is built and tested in a copy of the sources, in build/mutants: with the KUnit suites of
# its row, then with all of them, then with the row's suites of tests/guest on a g84, or on CHIPSETS,
# until a test notices. Without names all are tried. With "check" instead, each row is only tried on
# its file: it changes a line.
#
# Environment:
#	CHIPSETS="g80 g84"	chips for the suites of tests/guest
#	ALL=1			all of these, also when a test has noticed
#
# What each one said is in build/mutants/NAME. Prints a line for each, and as the last line
#	N mutants: N noticed, N not
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../testbox/lib.sh"
cd "$top"

table=tests/mutants.txt
out=$top/build/mutants
copy=$out/tree
: "${CHIPSETS:=g84}"
for c in $CHIPSETS; do
	[[ " $chipsets " == *" $c "* ]] || die "CHIPSETS: '$c' is none of $chipsets"
done
check_only=
if [ "${1-}" = check ]; then
	check_only=1
	shift
fi
known=$(sed -n 's/^\([a-z0-9-]*\)\t.*/\1/p' "$table")
for name; do
	grep -qxF -e "$name" <<<"$known" || die "'$name' is none of $(tr '\n' ' ' <<<"$known")"
done

end_jobs_at_exit

# The files of this checkout, with their times, so that a mutant compiles what it changes.
refresh()
{
	mkdir -p "$copy"
	git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
		[ ! -f "$file" ] || cmp -s "$file" "$copy/$file" || cp --parents -p "$file" "$copy/"
	done
}

# Change one place of a file. A row that fits nothing, or more than one place, is a mistake.
mutate() # file, script, result
{
	local hunks

	sed "$2" "$1" >"$3"
	hunks=$(diff -U 1 "$1" "$3" | grep -c '^@@' || true)
	[ "$hunks" -eq 1 ]
}

# The tests that failed, at most three of them.
failed_tests() # results
{
	sed -n 's/^fail\t//p' "$1" 2>/dev/null | sed 's/: .*//' | sort | uniq -c | sort -rn |
		awk 'NR <= 3 { printf "%s%s (%d)", sep, $2, $1; sep = ", " } END { if (NR > 3) printf ", and %d more", NR - 3 }'
}

# Run suites in the copy, and add to $by what fails there.
notices() # kind, suites
{
	(cd "$copy" && CHIPSETS="$CHIPSETS" SUITES="$2" tests/run.sh "$1") >>"$out/$name/log" 2>&1 && return
	by="${by:+$by, }$(failed_tests "$copy/build/results/results")"
	if grep -q $'^fail\tbuild:' "$copy/build/results/results"; then
		by="it does not compile"
		wrong=1
	fi
}

one() # name, file, script, suites
{
	local name=$1 file=$2 suites=$4 by='' word patterns='' guest=''

	mkdir -p "$out/$name"
	: >"$out/$name/log"
	if ! mutate "$file" "$3" "$copy/$file"; then
		cp -p "$file" "$copy/$file"
		die "$table: $name does not change one place of $file"
	fi
	diff -u "$file" "$copy/$file" >"$out/$name/diff" || true

	set -f
	for word in $suites; do
		case $word in
		-) ;;
		nvfifo_*) patterns+="$word " ;;
		*) guest+="$word " ;;
		esac
	done
	set +f
	[ -z "$patterns" ] || [ -n "${ALL-}" ] || notices kunit "$patterns"
	[ -n "$by" ] || notices kunit ''
	[ -z "$guest" ] || { [ -n "$by" ] && [ -z "${ALL-}" ]; } || notices driver "$guest"
	cp -p "$file" "$copy/$file"
	touch "$copy/$file"

	if [ -n "$by" ]; then
		noticed=$((noticed + 1))
		printf '%-22s %s\n' "$name" "$by"
	else
		missed=$((missed + 1))
		printf '%-22s NOBODY noticed\n' "$name"
	fi
}

noticed=0 missed=0 wrong=0
mkdir -p "$out"
[ -n "$check_only" ] || refresh
while IFS=$'\t' read -r -u 5 name file script suites; do
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	if [ -n "$check_only" ]; then
		if ! mutate "$file" "$script" "$out/mutated"; then
			echo "$table: $name does not change one place of $file"
			wrong=1
		fi
		continue
	fi
	one "$name" "$file" "$script" "$suites"
done 5< <(grep -v '^#' "$table")
[ -z "$check_only" ] || exit $wrong
echo "$((noticed + missed)) mutants: $noticed noticed, $missed not"
[ $missed -eq 0 ] && [ $wrong -eq 0 ]
