# SPDX-License-Identifier: MIT
# Sources of the nvfifo command; paths from the top of the tree.
TOOLS_SRCS = \
	tools/nvfifo.c \
	tools/cmd_asm.c \
	tools/cmd_bench.c \
	tools/cmd_bind.c \
	tools/cmd_calc.c \
	tools/cmd_chips.c \
	tools/cmd_context.c \
	tools/cmd_disasm.c \
	tools/cmd_dump.c \
	tools/cmd_explain.c \
	tools/cmd_gl.c \
	tools/cmd_info.c \
	tools/cmd_lint.c \
	tools/cmd_methods.c \
	tools/cmd_regs.c \
	tools/cmd_report.c \
	tools/cmd_run.c \
	tools/cmd_selftest.c \
	tools/questions.c \
	tools/cmd_trace.c \
	tools/complete.c \
	tools/debugfs.c \
	tools/disasm_json.c \
	tools/dump_json.c \
	tools/dump_program.c \
	tools/dump_text.c \
	tools/input.c \
	tools/options.c \
	tools/perfetto.c \
	tools/png.c \
	tools/report_file.c \
	tools/run_json.c \
	tools/run_text.c \
	tools/run_why.c \
	tools/step.c \
	tools/terminal.c \
	$(MODEL_SRCS)

# The model in the command's own process, and what the driver shares with it
MODEL_SRCS := \
	tools/model/card.c \
	tools/model/channel.c \
	tools/model/device.c \
	tools/model/error.c \
	tools/model/memory.c \
	tools/model/open.c \
	tools/model/pages.c \
	hw/nvfifo_chip.c \
	hw/nvfifo_error.c \
	hw/nvfifo_pfifo.c \
	hw/nvfifo_grctx.c \
	hw/nvfifo_grctx_table.c \
	hw/nvfifo_pt.c \
	$(SIM_CORE_SRCS)

# Pictures are packed by zlib where its header and archive are there.
ifneq ($(wildcard /usr/include/zlib.h),)
build/host/tools/png.o: USER_CFLAGS += -DNVFIFO_HAVE_ZLIB
build/bin/nvfifo build/guest/nvfifo: LDLIBS += -lz
endif

# Each is a program of its own that prints TAP, linked with the library and the model.
TOOLS_TESTS := tools/tests/tool_bind.c tools/tests/tool_model.c tools/tests/tool_stream.c \
	tools/tests/tool_version.c

# The version of the package, and of the checkout if it is one: "0.1.0, 1d96730".
NVFIFO_VERSION_H := build/gen/nvfifo_version.h

.PHONY: tools-version
tools-version:
	@mkdir -p $(dir $(NVFIFO_VERSION_H))
	@version=$$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' packaging/dkms.conf); \
	commit=$$(git describe --always --dirty 2>/dev/null || :); \
	printf '#define NVFIFO_VERSION "%s%s"\n' "$$version" "$${commit:+, $$commit}" \
		>$(NVFIFO_VERSION_H).new; \
	cmp -s $(NVFIFO_VERSION_H).new $(NVFIFO_VERSION_H) || \
		cp $(NVFIFO_VERSION_H).new $(NVFIFO_VERSION_H)

$(NVFIFO_VERSION_H): tools-version ;

build/host/tools/nvfifo.o: $(NVFIFO_VERSION_H)
build/host/tools/nvfifo.o: USER_CFLAGS += -Ibuild/gen
