#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# "make check" refuses a library with another ABI than that of the last tag: prints TAP. In a copy
# with a tag of its own: as it is, with a name more, with a larger public structure, without a
# public function, and with these under a new name of the library.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../testbox/lib.sh"
cd "$top"

# The builds are for abidiff only.
export CFLAGS=-O0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0

# This tree may be no checkout.
mkdir "$work/tree"
tar cf - --exclude=./build --exclude=./.git . | tar xf - -C "$work/tree"
cd "$work/tree"
git init -q
git config user.name test
git config user.email test@example.org
git add .
git commit -q -m test
git tag -a -m test v0.0-test

# Run the check and restore the tree. Its status and its text must be as expected.
expect() # title, status, text
{
	local status=0 said=

	said=$(testbox/check.sh abi 2>&1) || status=$?
	git checkout -q .
	number=$((number + 1))
	if [ "$status" -eq "$2" ] && grep -q -- "$3" <<<"$said"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		printf 'status %d:\n%s\n' "$status" "$said" | sed 's/^/# /'
	fi
}

# The first structure that a program hands in
grow_struct()
{
	sed -i 's/^struct nvfifo_bo {$/&\n\t__u64 new_member;/' lib/nvfifo.h
}
remove_function()
{
	sed -i '/^\tnvfifo_class_name;$/d' lib/libnvfifo.map
}

expect "the same library" 0 "^ok *ABI of the library since v0.0-test"

sed -i 's/^\tnvfifo_class_name;$/&\n\tnvfifo_text_number;/' lib/libnvfifo.map
expect "one more function" 0 "^ok *ABI of the library since v0.0-test"

grow_struct
expect "a public structure with another member" 1 "another ABI than v0.0-test"

remove_function
expect "a public function less" 1 "another ABI than v0.0-test"

grow_struct
sed -i 's/^LIB_SONAME := .*/LIB_SONAME := libnvfifo.so.99/' lib/lib.mk
expect "the same under a new name of the library" 0 "^ok *ABI of the library since v0.0-test"

echo "1..$number"
