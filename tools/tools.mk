# SPDX-License-Identifier: MIT
# Sources of the nvfifo command; paths from the top of the tree.
TOOLS_SRCS := \
	tools/nvfifo.c \
	tools/calc_nouveau.c \
	tools/cmd_asm.c \
	tools/cmd_bench.c \
	tools/cmd_calc.c \
	tools/cmd_chips.c \
	tools/cmd_disasm.c \
	tools/cmd_dump.c \
	tools/cmd_explain.c \
	tools/cmd_info.c \
	tools/cmd_lint.c \
	tools/cmd_regs.c \
	tools/cmd_run.c \
	tools/cmd_selftest.c \
	tools/cmd_trace.c \
	tools/debugfs.c \
	tools/input.c \
	tools/json.c \
	tools/png.c
