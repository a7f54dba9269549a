/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver has to know of the suites' card; fake.c makes it.
 */
#ifndef _NVFIFO_CARD_H_
#define _NVFIFO_CARD_H_

#include <linux/types.h>

struct nvfifo_pt;

/* A card made of ordinary memory, for the KUnit suites. */
struct nvfifo_fake {
	u32 (*rd)(struct nvfifo_fake *fake, u32 reg);
	void (*wr)(struct nvfifo_fake *fake, u32 reg, u32 val);
	void (*wr8)(struct nvfifo_fake *fake, u32 reg, u8 val);
	u32 *vram;		/* stands for VRAM from vram_base on */
	u64 vram_base, vram_size;
	u32 timeout_us;		/* instead of NVFIFO_TIMEOUT_US */
	void (*on_store)(struct nvfifo_fake *fake, u64 addr);	/* after each store to VRAM */
	u64 dma_offset;		/* page tables are at their physical address plus this */
	void (*on_pt_store)(struct nvfifo_pt *pt, u32 index);	/* and to a page table */
};

#endif
