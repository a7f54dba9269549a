# SPDX-License-Identifier: MIT
# The vhost-user transport of the model. Paths are relative to the repository root.

# Everything but the program itself; sim/tests/test_vhost.c brings its own card and
# is linked with these only.
SIM_TRANSPORT_LIB_SRCS := \
	sim/transport/guest_mem.c \
	sim/transport/pcidev.c \
	sim/transport/server.c \
	sim/transport/vhost_user.c \
	sim/transport/vring.c

# The program nvsim: these and the core.
SIM_TRANSPORT_SRCS := $(SIM_TRANSPORT_LIB_SRCS) sim/transport/main.c

SIM_TRANSPORT_TESTS += sim/tests/test_vhost.c
