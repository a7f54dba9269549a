#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Run the driver's tests in QEMU, on the distribution's kernels as they are packaged,
# with the model of a card: each kernel with 1 and 2 CPUs, MSI and INTx, without and
# with an IOMMU. All suites with 2 CPUs, MSI and no IOMMU, a few in the other ways.
#
# Environment:
#	CHIPSET=g84		which card
#	KERNELS="6.12 7.3"	which kernels (default: all that there are)
#	CPUS="1 2"		how many CPUs
#	INTERRUPTS="msi intx"
#	IOMMU="off on"
#	SUITES="name ..."	only these of tests/guest, in each way
#	GUESTS=n		guests at a time (default 1)
#
# What the runs said is kept in build/testbox. Prints a line for each suite, what
# each failed test said, and as the last line
#	N passed, N failed, N skipped
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$top"

# Where every kind of access to the card and each kind of interrupt is used.
short="probe submit errors"

# The words of a variable are among those allowed.
words() # variable, default, allowed
{
	local name=$1 word

	for word in ${!name=$2}; do
		case " $3 " in
		*" $word "*) ;;
		*) die "$name: '$word' is none of $3" ;;
		esac
	done
}
words CPUS "1 2" "1 2 3 4 5 6 7 8"
words INTERRUPTS "msi intx" "msi intx"
words IOMMU "off on" "off on"
words CHIPSET g84 "$chipsets"
guests=${GUESTS:-1}
[[ $guests =~ ^[1-9]$ ]] || die "GUESTS '$guests': not a number from 1 to 9"
check_suites

"$testbox/headers-root.sh" --full >/dev/null
qemu=$("$testbox/qemu-setup.sh")
known=$(<"$qemu/versions")
words KERNELS "$known" "$known"

out=$top/build/testbox
rm -rf "$out"
mkdir -p "$out"
results=$out/results
: >"$results"
names=()

end_jobs_at_exit

run() # name, suites, option of run-qemu.sh...
{
	local name=$1 base=$out/$1 status=0 list child

	read -ra list <<<"$2"
	shift 2
	# In the background and waited for, so that a signal can end it.
	testbox/run-qemu.sh --chipset "$CHIPSET" --timeout 1800 --log "$base.dmesg" --stats "$base.stats" "$@" \
		-- sh /src/tests/run-in-guest.sh driver "${list[@]}" >"$base.tap" 2>"$base.err" </dev/null &
	child=$!
	# shellcheck disable=SC2064 # this child
	trap "kill $child 2>/dev/null; wait; exit 143" TERM
	wait "$child" || status=$?
	flock "$results" tests/run-tap.py --name "$name" --status "$status" --results "$results" \
		--errors "$base.err" "$base.tap" || true
}

# shellcheck disable=SC2153 # words() has set them
for kernel in $KERNELS; do
	# Not in each of the runs.
	testbox/qemu-module.sh "$kernel" >/dev/null
	for cpus in $CPUS; do
		for interrupt in $INTERRUPTS; do
			for iommu in $IOMMU; do
				name=$kernel-$cpus-$interrupt
				options=(--kernel "$kernel" --smp "$cpus")
				[ "$interrupt" = msi ] || options+=(--intx)
				[ "$iommu" = off ] || options+=(--iommu)
				[ "$iommu" = off ] || name+=-iommu
				suites=${SUITES-$short}
				[ -n "${SUITES-}" ] || [ "$cpus-$interrupt-$iommu" != 2-msi-off ] || suites=
				while [ "$(jobs -rp | wc -l)" -ge "$guests" ]; do
					wait -n || true
				done
				run "$name" "$suites" "${options[@]}" &
				names+=("$name")
			done
		done
	done
done
wait
# Nothing that was started may be missing from the count.
for name in "${names[@]}"; do
	grep -qE $'^[a-z]+\t'"${name}[:/]" "$results" || printf 'fail\t%s: no result\n' "$name" >>"$results"
done
count()
{
	grep -c "^$1" "$results" || true
}
failed=$(count fail)
if [ "$failed" -gt 0 ]; then
	echo
	echo "Failed:"
	sed -n 's/^fail\t/  /p' "$results"
fi
echo
echo "$(count pass) passed, $failed failed, $(count skip) skipped"
[ "$failed" -eq 0 ] && [ "$(count pass)" -gt 0 ]
