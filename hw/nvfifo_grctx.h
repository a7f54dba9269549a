/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * PGRAPH's context program, context image and initialisation.
 *
 * No MMIO, no allocation, no state. The kernel driver, its KUnit suites and host
 * tests compile nvfifo_grctx.c and nvfifo_grctx_table.c.
 */
#ifndef _NVFIFO_GRCTX_H_
#define _NVFIFO_GRCTX_H_

#include <linux/types.h>

#ifndef __KERNEL__
#include <stdbool.h>
#include <stddef.h>
#endif

#include "nvfifo_reg_table.h"

/* Words of PGRAPH's program memory; no card's program is longer. */
#define NVFIFO_GRCTX_PROGRAM_MAX	512

/* The facts that a card's contexts depend on. */
struct nvfifo_grctx {
	enum nv_chip chip;
	__u32 units;	/* PBUS.HWUNITS_0: TPs (15:0), ROPs (23:16), MPs in a TP (27:24) */
	bool gddr5;
};

/* One 32-bit value: @at is a byte offset in the image or a register. */
typedef void (*nvfifo_grctx_write_t)(void *arg, __u32 at, __u32 value);

__u32 nvfifo_grctx_program(const struct nvfifo_grctx *gr, __u32 *words);
__u32 nvfifo_grctx_image(const struct nvfifo_grctx *gr, nvfifo_grctx_write_t write, void *arg);
void nvfifo_grctx_traps(const struct nvfifo_grctx *gr, __u32 units, nvfifo_grctx_write_t write,
			void *arg);
void nvfifo_grctx_init(const struct nvfifo_grctx *gr, const __u32 *program, __u32 length,
		       nvfifo_grctx_write_t write, void *arg);

#endif
