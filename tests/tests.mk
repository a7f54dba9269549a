# SPDX-License-Identifier: MIT
# Sources of the programs that run in a guest; paths from the top of the tree.

# Linked to each program of tests/guest and tests/fuzz, and to the benchmark.
RIG_SRCS := $(sort $(wildcard tests/rig/*.c))
