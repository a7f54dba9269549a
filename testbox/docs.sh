#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Build the documentation as HTML, and print the name of its first page.
#
#	docs.sh [OUTPUT [sphinx-build option]...]
#
# OUTPUT is a folder, by default build/docs. The kernel's extension for kernel-doc comments comes from its source:
# the package linux-source-6.12, or KSRC=dir.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

output=$(realpath -m "${1:-build/docs}")
shift $(($# ? 1 : 0))
tarball=/usr/src/linux-source-6.12.tar.xz
kernel=${KSRC:-$output/kernel}
if [ -z "${KSRC-}" ] && [ ! -e "$kernel/scripts/kernel-doc" ]; then
	[ -e "$tarball" ] || die "there is no $tarball: apt install linux-source-6.12, or KSRC=dir"
	mkdir -p "$kernel"
	tar xf "$tarball" -C "$kernel" --strip-components=1 linux-source-6.12/Documentation/sphinx \
		linux-source-6.12/scripts/kernel-doc
fi
make -s man
make -s -C Documentation KERNELSRC="$kernel" OUTPUT="$output" SPHINXOPTS="$*" html
