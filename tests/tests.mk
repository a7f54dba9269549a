# SPDX-License-Identifier: MIT
# Sources of the programs that run in a guest; paths from the top of the tree.

# Linked to each program of tests/guest and tests/fuzz, and to the benchmark.
RIG_SRCS := $(sort $(wildcard tests/rig/*.c))

# The fuzzers: build/guest/tests/fuzz_NAME, which run-in-guest.sh's "program" runs.
FUZZ_BINS := $(addprefix build/guest/tests/fuzz_,push ioctl fairness)
build/guest/tests/fuzz_push: build/host/tests/fuzz/push.o build/host/tests/fuzz/push_gen.o
build/guest/tests/fuzz_ioctl: build/host/tests/fuzz/ioctl.o build/host/tests/fuzz/ioctl_calls.o
build/guest/tests/fuzz_fairness: build/host/tests/fuzz/fairness.o
