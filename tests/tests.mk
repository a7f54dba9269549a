# SPDX-License-Identifier: MIT
# Sources of the programs that run in a guest; paths from the top of the tree.

# Linked to each program of tests/guest and tests/fuzz, and to the benchmark.
RIG_SRCS := $(sort $(wildcard tests/rig/*.c))

# The fuzzers: build/guest/tests/fuzz_NAME, which run-in-guest.sh's "program" runs.
FUZZ_BINS := $(addprefix build/guest/tests/fuzz_,push ioctl fairness)
build/guest/tests/fuzz_push: build/host/tests/fuzz/push.o build/host/tests/fuzz/push_gen.o
build/guest/tests/fuzz_ioctl: build/host/tests/fuzz/ioctl.o build/host/tests/fuzz/ioctl_calls.o
build/guest/tests/fuzz_fairness: build/host/tests/fuzz/fairness.o

# A 32-bit program without a C library, which an x86-64 compiler builds as it is.
COMPAT_BIN := build/guest/tests/compat32
$(COMPAT_BIN): tests/compat/compat32.c uapi/nvfifo_drm.h
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) -m32 -std=gnu11 -O2 -Wall -Wextra $(WERROR) -ffreestanding -fno-pic -no-pie -fno-stack-protector \
		-nostdlib -static -Iuapi -idirafter /usr/include/$(shell $(CC) -print-multiarch) -o $@ $<

# Preloaded into the programs of IGT, which are not built here
build/igt/libconsole.so: tests/igt/console.c
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -fPIC -fvisibility=hidden -shared -o $@ $<
