# SPDX-License-Identifier: MIT
# The model's core and its host tests; paths from the top of the tree.

# From the ground up, see Documentation/files.rst; numbers are read as in the library.
SIM_CORE_SRCS := \
	lib/nvfifo_text.c \
	sim/core/log.c \
	sim/core/missing.c \
	sim/core/quirk.c \
	sim/core/number.c \
	sim/core/regs.c \
	sim/core/chip.c \
	sim/core/fault.c \
	sim/core/pci.c \
	sim/core/store.c \
	sim/core/vga.c \
	sim/core/mem.c \
	sim/core/mmu.c \
	sim/core/pflush.c \
	sim/core/ptimer.c \
	sim/core/channel.c \
	sim/core/engine.c \
	sim/core/pusher.c \
	sim/core/puller.c \
	sim/core/user.c \
	sim/core/pfifo.c \
	sim/core/grctx.c \
	sim/core/gr.c \
	sim/core/surface.c \
	sim/core/methods.c \
	sim/core/no_effect.c \
	sim/core/values.c \
	sim/core/m2mf.c \
	sim/core/eng2d.c \
	sim/core/gr3d/assemble.c \
	sim/core/gr3d/blend.c \
	sim/core/gr3d/buffer.c \
	sim/core/gr3d/clip.c \
	sim/core/gr3d/compressed.c \
	sim/core/gr3d/compute.c \
	sim/core/gr3d/convert.c \
	sim/core/gr3d/depth.c \
	sim/core/gr3d/double.c \
	sim/core/gr3d/emit.c \
	sim/core/gr3d/format.c \
	sim/core/gr3d/geometry.c \
	sim/core/gr3d/integer.c \
	sim/core/gr3d/job.c \
	sim/core/gr3d/multisample.c \
	sim/core/gr3d/outline.c \
	sim/core/gr3d/program.c \
	sim/core/gr3d/query.c \
	sim/core/gr3d/raster.c \
	sim/core/gr3d/reach.c \
	sim/core/gr3d/sampler.c \
	sim/core/gr3d/rules.c \
	sim/core/gr3d/samples.c \
	sim/core/gr3d/smooth.c \
	sim/core/gr3d/special.c \
	sim/core/gr3d/state.c \
	sim/core/gr3d/stipple.c \
	sim/core/gr3d/strips.c \
	sim/core/gr3d/strmout.c \
	sim/core/gr3d/target.c \
	sim/core/gr3d/texel.c \
	sim/core/gr3d/texop.c \
	sim/core/gr3d/texture.c \
	sim/core/gr3d/thin.c \
	sim/core/gr3d/vertex.c \
	sim/core/pgraph.c \
	sim/core/inject.c \
	sim/core/bar.c \
	sim/core/pbus.c \
	sim/core/board.c \
	sim/core/sources.c \
	sim/core/pmc.c \
	sim/core/leftovers.c \
	sim/core/watch.c \
	sim/core/mmio.c \
	sim/core/posted.c \
	sim/core/command.c \
	sim/core/control.c \
	sim/core/core.c

# What is done with records
SIM_RECORD_SRCS := \
	sim/record/accesses.c \
	sim/record/mmiotrace.c \
	sim/record/names.c \
	sim/record/replay.c \
	sim/record/decode.c

# What the test of contexts is linked with, the driver's generator for one
SIM_GRCTX_SRCS := lib/nvfifo_text.c sim/core/grctx.c hw/nvfifo_grctx.c hw/nvfifo_grctx_table.c

# What tests upload to PGRAPH: the driver's context program
SIM_TEST_SRCS := hw/nvfifo_grctx.c hw/nvfifo_grctx_table.c

# Each of these is one program, linked with SIM_CORE_SRCS and SIM_TEST_SRCS.
SIM_TESTS := \
	sim/tests/test_core.c \
	sim/tests/test_mmu.c \
	sim/tests/test_fifo.c \
	sim/tests/test_engine.c \
	sim/tests/test_quirk.c \
	sim/tests/test_adverse.c \
	sim/tests/test_nv.c \
	sim/tests/test_watch.c \
	sim/tests/test_inject.c \
	sim/tests/test_pgraph.c \
	sim/tests/test_gr3d.c \
	sim/tests/test_special.c \
	sim/tests/test_integer.c \
	sim/tests/test_compute.c \
	sim/tests/test_forms.c \
	sim/tests/test_reference.c \
	sim/tests/test_hwtest.c \
	sim/tests/test_rules.c \
	sim/tests/test_convert.c \
	sim/tests/test_pusher_ref.c \
	sim/tests/test_fuzz.c \
	sim/tests/test_fuzz_gr.c \
	sim/tests/test_fuzz_3d.c

# Each of these is one program, linked with SIM_CORE_SRCS, SIM_TEST_SRCS and all that has to do with records
SIM_RECORD_TESTS := sim/tests/test_record.c sim/tests/test_mmiotrace.c
SIM_RECORD_TEST_SRCS := $(SIM_RECORD_SRCS) sim/record/port.c sim/record/reader.c sim/record/writer.c

# One program, linked with SIM_GRCTX_SRCS
SIM_GRCTX_TESTS := sim/tests/test_grctx.c
