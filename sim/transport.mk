# SPDX-License-Identifier: MIT
# The transports of the model: vhost-user and vfio-user. Paths are relative to the repository root.

# Everything but the program itself; the tests bring their own card and are linked
# with these only.
SIM_TRANSPORT_LIB_SRCS := \
	lib/nvfifo_json.c \
	lib/nvfifo_row.c \
	lib/nvfifo_text.c \
	sim/record/port.c \
	sim/record/reader.c \
	sim/record/writer.c \
	sim/transport/access.c \
	sim/transport/control.c \
	sim/transport/guest_mem.c \
	sim/transport/pcidev.c \
	sim/transport/server.c \
	sim/transport/session.c \
	sim/transport/stream.c \
	sim/transport/vfio_server.c \
	sim/transport/vfio_user.c \
	sim/transport/vhost_user.c \
	sim/transport/vring.c

# The program nvsim: these and the core.
SIM_TRANSPORT_SRCS := $(SIM_TRANSPORT_LIB_SRCS) $(SIM_RECORD_SRCS) \
	tools/report_file.c \
	sim/transport/like.c \
	sim/transport/options.c \
	sim/transport/main.c

SIM_TRANSPORT_TESTS += sim/tests/test_vfio.c sim/tests/test_vhost.c
