/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Types of the tables in nvfifo_grctx_table.c: rows, and words of the context program.
 */
#ifndef _NVFIFO_GRCTX_TABLE_H_
#define _NVFIFO_GRCTX_TABLE_H_

#include "nvfifo_grctx.h"

/* --- The context program --------------------------------------------------- */

/* Instructions. A flag with NOT is meant to be 0; its number is in bits 6:0. */
#define MOVE(n, reg)	(0x100000 | (n) << 16 | ((reg) - 0x400000) / 4)
#define MOVE_RA(reg)	MOVE(0, reg)
#define RA(value)	(0x200000 | (value))
#define JUMP(to, flag)	(0x400000 | (to) << 8 | (flag))
#define WAIT(flag)	(0x500000 | (flag))
#define COMMAND(n)	(0x600000 | (n))
#define CLEAR(flag)	(0x700000 | (flag))
#define SET(flag)	(0x700080 | (flag))
#define TRANSFER(area)	(0x8000ff | (area) << 19)
#define DISABLE_LOW	0x90ffff
#define DISABLE_HIGH	0x91ffff
#define SEEK(area)	(0xc000ff | (area) << 19)
#define NOT(flag)	(0x80 | (flag))

enum {
	/* Flags: SAVING is the direction of moves, software sets WANT_*, PM* are the counters'. */
	SAVING = 0x00, BUSY = 0x01, DROP_METHODS = 0x03, WANT_SAVE = 0x05, WANT_LOAD = 0x06,
	NO_LOAD = 0x0b, TRANSFER_ON = 0x0e, PM0 = 0x1c, PM1 = 0x1d, CLOSING = 0x20,
	/* Flags of the hardware */
	IDLE = 0x40, AUTO_SAVE = 0x44, AUTO_LOAD = 0x45, NEW_DMA_DONE = 0x4a,
	TRANSFER_BUSY = 0x4b, ALWAYS = 0x4d, INTR_PENDING = 0x4f,
	/* Commands; NEW_DMA reads the image's DMA object. */
	NEW_DMA = 0x04, NEXT_TO_SWAP = 0x05, SET_REG_POINTER = 0x06, SET_TRANSFER_POINTER = 0x07,
	ENABLE_UNITS = 0x09, END = 0x0c, NEXT_TO_CURRENT = 0x0d,
	/* Addresses in the program */
	CHECK = 4, LOAD_AUTO = 7, LOAD = 12, SAVE = 18, SWAP = 24,
	/* Words of the image; those of TAIL, at the end, are unused. */
	FLAGS_1_WORD = 1, REGS_WORD = 0x40, ALIGN = 0x40, TAIL = 0x400,
};

/* --- Rows; chips is 1 << enum nv_chip, or 0 for all ------------------------- */

struct nvfifo_grctx_reg {
	__u32 reg;
	__u32 value;		/* of a window: words, 0 for one that has a rule of its own */
	__u16 chips;
	__u16 unit;		/* of a trap: bit of the unit in PGRAPH.TRAP */
};

struct nvfifo_grctx_section {
	const struct nvfifo_grctx_reg *windows, *values;
};

struct nvfifo_grctx_run {
	__u16 count;
	__u32 value;
	__u16 chips;
};

enum { NVFIFO_GRCTX_ONE, NVFIFO_GRCTX_ROP, NVFIFO_GRCTX_TP };

struct nvfifo_grctx_strand {
	__u8 area, strand;
	__u16 chips;
	__u8 unit;
	__u16 which;
	struct {
		const struct nvfifo_grctx_run *runs;
		__u16 chips;
	} blocks[7];
};

extern const struct nvfifo_grctx_reg nvfifo_grctx_init_units[], nvfifo_grctx_init_tp[],
				     nvfifo_grctx_init_common[], nvfifo_grctx_init_state[];
extern const struct nvfifo_grctx_section nvfifo_grctx_common, nvfifo_grctx_rop, nvfifo_grctx_bar,
					 nvfifo_grctx_tp_g80, nvfifo_grctx_tp_g200,
					 nvfifo_grctx_mp;
extern const struct nvfifo_grctx_run nvfifo_grctx_state[];
extern const struct nvfifo_grctx_strand nvfifo_grctx_strands[];
extern const __u32 nvfifo_grctx_head[], nvfifo_grctx_tail[];

#endif
