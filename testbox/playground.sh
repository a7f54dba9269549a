#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Make the playground, build/playground. Its engine takes more than a minute of processor time, so
# it is kept in the cache directory by a hash of all that goes in: sources, Makefiles, compiler.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

keep=3

for tool in emcc node; do
	command -v $tool >/dev/null || die "$tool is not installed: run testbox/setup.sh playground"
done

key()
{
	find hw lib sim tools uapi -type f ! -path 'tools/playground/page/*' ! -name '*.mjs' ! -path '*/__pycache__/*' -print0 |
		sort -z | xargs -0 sha256sum
	sha256sum Makefile packaging/dkms.conf testbox/playground.sh
	emcc --version | sed -n 1p
	dpkg-query -W libdrm-dev linux-libc-dev 2>/dev/null || true
}

hash=$(key | sha256sum | cut -c1-16)
result=$cache/playground-$hash
need_cache
exec 9>"$cache/playground.lock"
flock 9

if ! (cd "$result" && sha256sum --quiet --status -c complete) 2>/dev/null; then
	say "Compiling the playground's engine with $(compilers) jobs: about 1 1/2 minutes of processor time."
	make --no-print-directory -j"$(compilers)" playground-engine 9>&-
	rm -rf "$result" "$cache"/playground-new.*
	work=$(mktemp -d "$cache/playground-new.XXXXXX")
	cp build/wasm/engine/nvfifo.js build/wasm/engine/nvfifo.wasm "$work"
	(cd "$work" && sha256sum nvfifo.js nvfifo.wasm >complete)
	mv "$work" "$result"
fi
touch "$result"
make -s --no-print-directory playground-files PLAYGROUND_ENGINE="$result" 9>&-

# Older results go, the ones used last stay.
find "$cache" -maxdepth 1 -type d -name 'playground-????????????????' -printf '%T@ %p\n' | sort -rn |
	tail -n +$((keep + 1)) | while read -r _ old; do
	rm -rf "$old"
done
