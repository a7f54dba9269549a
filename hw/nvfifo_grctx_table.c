// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * PGRAPH's context program, the parts of its context image, and their initial values.
 *
 * Pure data; nvfifo_grctx.c has the rules. A row that names no chips is for all of them. Units have
 * rnndb's names. The meaning of most words is unknown; only the values and their places matter.
 */
#include "nvfifo_grctx_table.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum {
	G80 = 1 << NV_CHIP_G80, G84 = 1 << NV_CHIP_G84, G86 = 1 << NV_CHIP_G86,
	G92 = 1 << NV_CHIP_G92, G94 = 1 << NV_CHIP_G94, G96 = 1 << NV_CHIP_G96,
	G98 = 1 << NV_CHIP_G98, G200 = 1 << NV_CHIP_G200,
	MCP77 = 1 << NV_CHIP_MCP77, MCP79 = 1 << NV_CHIP_MCP79,
	GT215 = 1 << NV_CHIP_GT215, GT216 = 1 << NV_CHIP_GT216,
	GT218 = 1 << NV_CHIP_GT218, MCP89 = 1 << NV_CHIP_MCP89,

	/* Four classes of contexts; most differences are between them. */
	A = G80,
	B = G84 | G86 | G92 | G94 | G96 | G98,
	C = G200 | MCP77 | MCP79,
	D = GT215 | GT216 | GT218 | MCP89,
	AB = A | B, BC = B | C, CD = C | D, ABC = AB | C, BCD = B | CD,

	/* In short */
	ONE = NVFIFO_GRCTX_ONE, ROP = NVFIFO_GRCTX_ROP, TP = NVFIFO_GRCTX_TP,

	/* MPs in a TP, as far as they count for MPC; the other chips have 2. */
	MP1 = G98 | MCP77,
	MP3 = G200 | GT215 | GT216 | MCP89,
};

/* --- The context program ---------------------------------------------------- */

/* The program's words before the moves. Jumps to 0 go to the end, which is patched in. */
const __u32 nvfifo_grctx_head[] = {
	SET(PM0), SET(TRANSFER_ON), JUMP(SAVE, AUTO_SAVE), JUMP(SAVE, WANT_SAVE),
	[CHECK] = JUMP(LOAD_AUTO, AUTO_LOAD), JUMP(LOAD, WANT_LOAD), JUMP(0, ALWAYS),
	[LOAD_AUTO] = DISABLE_LOW, DISABLE_HIGH, COMMAND(ENABLE_UNITS), COMMAND(NEXT_TO_SWAP),
	SET(BUSY),
	[LOAD] = COMMAND(NEW_DMA), WAIT(NEW_DMA_DONE), CLEAR(PM1), CLEAR(SAVING),
	JUMP(0, NO_LOAD), JUMP(SWAP, ALWAYS),
	[SAVE] = SET(PM1), WAIT(IDLE), WAIT(NOT(INTR_PENDING)), JUMP(SAVE, NOT(IDLE)),
	SET(BUSY), SET(SAVING),
	[SWAP] = SET(DROP_METHODS), RA(FLAGS_1_WORD), COMMAND(SET_REG_POINTER),
	MOVE(1, NV_PGRAPH_CTXCTL_FLAGS_1), RA(REGS_WORD), COMMAND(SET_REG_POINTER), 0
};

/* The program's last words. The generator patches the target of the jump over NEXT_TO_CURRENT. */
const __u32 nvfifo_grctx_tail[] = {
	CLEAR(BUSY), CLEAR(DROP_METHODS), CLEAR(PM1), JUMP(0, WANT_SAVE), COMMAND(NEXT_TO_CURRENT),
	CLEAR(WANT_SAVE), CLEAR(WANT_LOAD), CLEAR(TRANSFER_ON), CLEAR(PM0), COMMAND(END), 0
};

/* --- PGRAPH's initialisation: { register, value, chips } ------------------- */

#define TRAP_ON	(NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__CLEAR) | \
		 NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__ENABLE))

/* The hardware switches contexts by itself; each unit reports its traps. */
const struct nvfifo_grctx_reg nvfifo_grctx_init_units[] = {
	{ NV_PGRAPH_DISPATCH_TRAP, TRAP_ON, 0, NV_FLD_MASK(NV_PGRAPH_TRAP__DISPATCH) },
	{ NV_PGRAPH_M2MF_TRAP, TRAP_ON, 0, NV_FLD_MASK(NV_PGRAPH_TRAP__M2MF) },
	{ NV_PGRAPH_VFETCH_TRAP, TRAP_ON, 0, NV_FLD_MASK(NV_PGRAPH_TRAP__VFETCH) },
	{ NV_PGRAPH_STRMOUT_TRAP, TRAP_ON, 0, NV_FLD_MASK(NV_PGRAPH_TRAP__STRMOUT) },
	{ NV_PGRAPH_CCACHE_TRAP, TRAP_ON, 0, NV_FLD_MASK(NV_PGRAPH_TRAP__CCACHE) },
	{ NV_PGRAPH_CLIPID_TRAP, TRAP_ON, 0, NV_FLD_MASK(NV_PGRAPH_TRAP__CLIPID) },
	{}
};

/* The same for the units of each TP */
const struct nvfifo_grctx_reg nvfifo_grctx_init_tp[] = {
	{ 0x900, TRAP_ON, AB, NV_FLD_MASK(NV_PGRAPH_TRAP__TEX) },
	{ 0xe08, TRAP_ON, AB, NV_FLD_MASK(NV_PGRAPH_TRAP__PROP) },
	{ 0x314, TRAP_ON, AB, NV_FLD_MASK(NV_PGRAPH_TRAP__MP) },
	{ 0x600, TRAP_ON, CD, NV_FLD_MASK(NV_PGRAPH_TRAP__TEX) },
	{ 0x708, TRAP_ON, CD, NV_FLD_MASK(NV_PGRAPH_TRAP__PROP) },
	{ 0x31c, TRAP_ON, CD, NV_FLD_MASK(NV_PGRAPH_TRAP__MP) },
	{}
};

/* Clear pending interrupts, enable all reports, accept methods, begin the upload */
const struct nvfifo_grctx_reg nvfifo_grctx_init_common[] = {
	{ NV_PGRAPH_TRAP, ~0u }, { NV_PGRAPH_TRAP_EN, ~0u },
	{ NV_PGRAPH_INTR, ~0u }, { NV_PGRAPH_INTR_EN, ~0u },
	{ NV_PGRAPH_CONTROL, NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS) |
			     NV_FLD_MASK(NV_PGRAPH_CONTROL__QUERY_ENABLE) },
	{ NV_PGRAPH_CTXCTL_INDEX, 0 }, {}
};

/* After the upload: no flag is set and no channel loaded; ZCULL */
const struct nvfifo_grctx_reg nvfifo_grctx_init_state[] = {
	{ NV_PGRAPH_CTXCTL_FLAGS_0, 0 }, { NV_PGRAPH_CTXCTL_FLAGS_1, 0 },
	{ NV_PGRAPH_CTXCTL_FLAGS_2, 0 }, { NV_PGRAPH_CTXCTL_FLAGS_3, 0 },
	{ NV_PGRAPH_CTXCTL_CUR, 0 }, { NV_PGRAPH_CTXCTL_NEXT, 0 },
	{ NV_PGRAPH_ZCULL_UNK0C0, 0, D }, { NV_PGRAPH_ZCULL_MODE, 2, D },
	{ NV_PGRAPH_ZCULL_MODE, 0x800, AB }, { NV_PGRAPH_ZCULL_MODE, 0x802, C }, {}
};

/*
 * --- Registers of the image -------------------------------------------------
 *
 * Windows of consecutive registers, { first, words, chips }, in the program's order,
 * which is that of the image. Values other than 0, { register, value, chips }.
 */

static const struct nvfifo_grctx_reg common_windows[] = {
	{ 0x400808, 7 }, { 0x400834, 50 },					/* DISPATCH */
	{ 0x400908, 11, A }, { 0x400908, 12, B }, { 0x400908, 14, CD },
	{ 0x400b00, 1, CD }, { 0x400b10, 1, D }, { 0x400b20, 1, D },
	{ 0x405400, 0, ABC }, { 0x404800, 0, D },				/* state */
	{ 0x400c08, 2 },							/* VFETCH */
	{ 0x401008, 4, AB }, { 0x401008, 5, CD },				/* VATTR */
	{ 0x401400, 8 }, { 0x401424, 3 }, { 0x401540, 5 },			/* VCLIP */
	{ 0x401814, 1 },							/* STRMOUT */
	{ 0x40181c, 14, A }, { 0x40181c, 15, B }, { 0x40181c, 19, CD },
	{ 0x401c00, 1 },							/* TRAST */
	{ 0x402400, 1 }, { 0x402408, 1, A }, { 0x402408, 2, BCD },		/* RATTR */
	{ 0x402800, 1 },							/* APLANE */
	{ 0x402c08, 6 }, { 0x402ca0, 1, A }, { 0x402ca0, 2, BCD }, { 0x402cac, 4 }, /* ZCULL */
	{ 0x403004, 1 },							/* ENG2D */
	{ 0x403404, 1, CD },							/* RMASK */
	{ 0x405000, 1 }, { 0x405014, 1 }, { 0x40501c, 1 }, { 0x405024, 1 },	/* CCACHE */
	{ 0x40502c, 1 },
	{ 0x4063e0, 1, A },
	{ 0x406814, 43, A | G84 | G86 },					/* M2MF */
	{ 0x406814, 4, G92 | G94 | G96 | G98 | CD }, { 0x406830, 3, G92 | G94 | G96 | G98 | CD },
	{}
};

static const struct nvfifo_grctx_reg common_values[] = {
	/* DISPATCH */
	{ 0x400814, 0x30 },
	{ 0x400834, 0xff400040, A }, { 0x400838, 0xfff00080, A }, { 0x40083c, 0xfff70090, A },
	{ 0x400840, 0xffe806a8, A }, { 0x400844, 2 }, { 0x400894, 0x1000, D }, { 0x4008e8, 3 },
	{ 0x4008ec, 0x1000 }, { 0x400b10, 0x1629d, D }, { 0x400b20, 0x1629d, D },
	/* VFETCH, VATTR, VCLIP, STRMOUT */
	{ 0x400c08, 0xfe0c },
	{ 0x401014, 0x1000, AB }, { 0x401018, 0x1000, C }, { 0x401018, 0x4000, D },
	{ 0x40142c, 0x1fd87, A }, { 0x40142c, 0x187, BCD }, { 0x401550, 0x1018 },
	{ 0x401814, 0xff }, { 0x401850, 4, A }, { 0x401854, 4, B }, { 0x401864, 4, CD },
	/* TRAST, RATTR, APLANE, ZCULL, ENG2D, RMASK */
	{ 0x401c00, 0x1005f, A }, { 0x401c00, 0x44d00df, G84 | G86 | G94 },
	{ 0x401c00, 0x42500df, G92 | G96 | G98 | C }, { 0x401c00, 0x142500df, D },
	{ 0x402408, 0x600 }, { 0x402800, 6, A }, { 0x402c14, 0x1000000, BCD }, { 0x402c18, 0xff },
	{ 0x402ca0, 0x400, AB | D }, { 0x402ca0, 0x800, C }, { 0x403004, 1 }, { 0x403404, 1, CD },
	/* CCACHE */
	{ 0x405000, 0x300080, A }, { 0x405000, 0xe0080, G84 | CD },
	{ 0x405000, 0x80, G86 | G92 | G94 | G96 | G98 }, { 0x405014, 4 },
	/* M2MF */
	{ 0x406818, 0xf80, A | G84 | G86 | G98 }, { 0x406818, 0x1f80, G92 | G94 | G96 | CD },
	{ 0x40681c, 0x30, D },
	{ 0x406860, 0x7f0080, A | G84 | G86 }, { 0x40689c, 0x7f0080, A | G84 | G86 },
	{}
};

/* For each ROP: colour, then depth */
static const struct nvfifo_grctx_reg rop_windows[] = {
	{ 0x000, 3 }, { 0x010, 1, A }, { 0x010, 2, B }, { 0x010, 3, CD },
	{ 0x080, 4 }, { 0x094, 1, AB }, { 0x094, 3, C }, { 0x094, 4, D }, {}
};

static const struct nvfifo_grctx_reg rop_values[] = {
	{ 0x000, 0x1b74f820, A }, { 0x000, 0x3b74f821, BCD & ~GT216 }, { 0x000, 0x7b74f821, GT216 },
	{ 0x004, 0x89058001 }, { 0x010, 0x1000, BCD },
	{ 0x014, 0x1f, B }, { 0x014, 0xff, CD & ~GT216 }, { 0x014, 0x1ff, GT216 },
	{ 0x080, 0x27c10fa, ABC | (D & ~GT216) }, { 0x080, 0x827c10fa, GT216 },
	{ 0x084, 0xc0, A }, { 0x084, 0x400000c0, BCD }, { 0x088, 0xb7892080 }, { 0x0a0, 1, D }, {}
};

/* After the ROPs: ZBAR, CBAR. With GDDR5, 407d08 has another value. */
static const struct nvfifo_grctx_reg bar_windows[] = {
	{ 0x407c00, 3 }, { 0x407c10, 3, CD }, { 0x407c20, 1, CD }, { 0x407c2c, 1, CD },
	{ 0x407d00, 9, AB }, { 0x407d00, 21, CD }, {}
};

static const struct nvfifo_grctx_reg bar_values[] = {
	{ 0x407c00, 0x10040, A | G84 | G86 }, { 0x407c00, 0x390040, G92 | G94 | G96 | G98 },
	{ 0x407c00, 0x3d0040, CD }, { 0x407c08, 0x22 },
	{ 0x407d08, 0x10040, A | G84 | G86 }, { 0x407d08, 0x390040, G92 | G94 | G96 },
	{ 0x407d08, 0x380040, G98 }, { 0x407d08, 0x3d0040, CD }, { 0x407d0c, 0x22, ABC & ~G98 },
	{ 0x407d0c, 0x22, D }, {}
};

/* For each TP, G80 to G98: RAST, MPs, MPC, GEOM, texture, PROP */
static const struct nvfifo_grctx_reg tp_g80_windows[] = {
	{ 0xc00, 1 }, { 0xc08, 1 }, { 0x200, 0 },
	{ 0x300, 4 }, { 0x318, 1 }, { 0x324, 5 }, { 0x340, 9 }, { 0x400, 2 }, { 0x40c, 2 },
	{ 0x800, 6 }, { 0x81c, 2 }, { 0xa00, 1 },
	{ 0xe00, 2 }, { 0xe2c, 1 }, { 0xe50, 9, A }, { 0xe50, 1, B }, { 0xe70, 1, B }, {}
};

static const struct nvfifo_grctx_reg tp_g80_values[] = {
	{ 0xc00, 0xff0a },
	{ 0x304, 0x7070, A }, { 0x304, 0x27070, B }, { 0x318, 0x3ffff, A }, { 0x318, 0x3ffffff, B },
	{ 0x340, 0x120407 }, { 0x344, 0x5091507 },
	{ 0x348, 0x5010202, AB & ~G84 }, { 0x348, 0x5100202, G84 }, { 0x34c, 0x30201 },
	{ 0x404, 0x40 }, { 0x40c, 0xd0c0b0a }, { 0x410, 0x141210 },
	{ 0x800, 0x1f0 }, { 0x804, 1 }, { 0x808, 3 }, { 0x80c, 0x8000, A }, { 0x814, 0x39e00 },
	{ 0x81c, 0x40, A }, { 0x81c, 0x100, B }, { 0x820, 0x3800 }, { 0xa00, 0x404040 },
	{ 0xe00, 0x77f005 }, { 0xe04, 0x7fff, A }, { 0xe04, 0x3f7fff, B },
	{ 0xe54, 0x3ff, A }, { 0xe58, 3, A }, { 0xe5c, 3, A }, { 0xe60, 0x1ff, A },
	{ 0xe64, 0x1f, A }, { 0xe68, 0xf, A }, { 0xe6c, 0xf, A }, {}
};

/* The same units from G200 on */
static const struct nvfifo_grctx_reg tp_g200_windows[] = {
	{ 0x080, 1 }, { 0x088, 1 }, { 0x100, 0 },
	{ 0x300, 5 }, { 0x320, 1 }, { 0x328, 4 }, { 0x33c, 11, C }, { 0x33c, 13, D },
	{ 0x36c, 1, GT215 }, { 0x400, 2 }, { 0x40c, 2 },
	{ 0x500, 6 }, { 0x51c, 2 }, { 0x54c, 2 }, { 0x680, 1 },
	{ 0x700, 2 }, { 0x72c, 1 }, { 0x750, 1 }, { 0x760, 5 }, {}
};

static const struct nvfifo_grctx_reg tp_g200_values[] = {
	{ 0x080, 0xff0a },
	{ 0x304, 0x1127070, C }, { 0x304, 0x5127070, D }, { 0x320, 0x7ffffff },
	{ 0x344, 0x120407 }, { 0x348, 0x5091507 }, { 0x34c, 0x5010202 }, { 0x350, 0x30201 },
	{ 0x404, 0x40 }, { 0x40c, 0xd0c0b0a }, { 0x410, 0x141210 },
	{ 0x500, 0x1f0 }, { 0x504, 1 }, { 0x508, 3 }, { 0x50c, 0x8000, MCP77 | MCP79 },
	{ 0x514, 0x39e00 }, { 0x51c, 0x100 }, { 0x520, 0x3800 },
	{ 0x54c, 0x3fe006, C }, { 0x54c, 0x3fe007, D }, { 0x550, 0x3fe000 }, { 0x680, 0x404040 },
	{ 0x700, 0xcf7f007, G200 | MCP77 | GT215 | MCP89 }, { 0x700, 0xcfff007, MCP79 },
	{ 0x700, 0x6cf7f007, GT216 }, { 0x700, 0x6cfff007, GT218 }, { 0x704, 0x2bf7fff }, {}
};

/* For each MP of a TP */
static const struct nvfifo_grctx_reg mp_windows[] = { { 0x000, 32 }, {} };

static const struct nvfifo_grctx_reg mp_values[] = {
	{ 0x000, 0x1800000 }, { 0x004, 0x160000 }, { 0x008, 0x1800000 }, { 0x018, 0x3ffff },
	{ 0x01c, 0x80000, A }, { 0x01c, 0x880000, G84 }, { 0x01c, 0x18c0000, G86 },
	{ 0x01c, 0x10880000, G94 }, { 0x01c, 0x118c0000, G92 | G96 | G98 },
	{ 0x01c, 0x310c0000, G200 | GT216 }, { 0x01c, 0x300c0000, CD & ~(G200 | GT216) },
	{ 0x040, 0x10401 }, { 0x048, 0x40, A }, { 0x048, 0x78, BCD }, { 0x050, 0xbf },
	{ 0x058, 0x1210 }, { 0x05c, 0x80, A }, { 0x05c, 0x8000080, BCD }, { 0x068, 0x3e, CD }, {}
};

const struct nvfifo_grctx_section nvfifo_grctx_common = { common_windows, common_values };
const struct nvfifo_grctx_section nvfifo_grctx_rop = { rop_windows, rop_values };
const struct nvfifo_grctx_section nvfifo_grctx_bar = { bar_windows, bar_values };
const struct nvfifo_grctx_section nvfifo_grctx_tp_g80 = { tp_g80_windows, tp_g80_values };
const struct nvfifo_grctx_section nvfifo_grctx_tp_g200 = { tp_g200_windows, tp_g200_values };
const struct nvfifo_grctx_section nvfifo_grctx_mp = { mp_windows, mp_values };

/*
 * --- Words without a register -----------------------------------------------
 *
 * Runs of equal words, { how many, value, chips }. Long runs of 0 are buffers and
 * method queues; 0x3f800000 is 1.0.
 */

/*
 * State of the methods of 2D, memory copy, compute and 3D objects, decoded; on the
 * G80 also of the older 2D classes. One window of registers.
 */
const struct nvfifo_grctx_run nvfifo_grctx_state[] = {
	{ 3 }, { 1, 2 }, { 1, 1 }, { 2 }, { 1, 0, G94 | G96 | G98 | CD }, { 1, 1 }, { 1, 0x100 },
	{ 5 }, { 1, 2 }, { 2, 1 }, { 3 }, { 1, 1 }, { 1, 0x3fffff }, { 1, 0x1fff }, { 1 }, { 2, 1 },
	{ 1 }, { 3, 1 }, { 1, 4 }, { 3, 1, ABC }, { 1, 1, D }, { 1, 0, D }, { 2, 1, D }, { 1, 7 },
	{ 1, 1 }, { 1, 7 }, { 3, 1 }, { 4 }, { 2, 1, A }, { 1, 0, A }, { 1, 1, A }, { 1, 0xa, A },
	{ 3, 0, A }, { 1, 0x40, A }, { 1, 0, A }, { 1, 2, A }, { 1, 0x100, A }, { 1, 1, A },
	{ 1, 0x100, A }, { 6, 0, A }, { 1, 1, A }, { 8, 0, A }, { 1, 4, A }, { 5, 0, A }, { 1, 1 },
	{ 1, 0x100 }, { 1 }, { 1, 1 }, { 2 }, { 1, 0x100 }, { 1, 1 }, { 1, 0x100 }, { 1 }, { 1, 1 },
	{ 2 }, { 1, 0x100 }, { 1, 1, A }, { 1, 0, A }, { 1, 1, A }, { 2, 0, A }, { 1, 2, A },
	{ 1, 0, A }, { 1, 1, A }, { 1, 0, A }, { 1, 1, A }, { 4, 0, A }, { 1, 3, A }, { 6, 0, A },
	{ 4, 0, BCD }, { 1, 4 }, { 1, 0x70 }, { 1, 0x80 }, { 4 }, { 1, 0, D }, { 1, 0xc },
	{ 1, 0, BCD }, { 1, 8 }, { 1, 0x14 }, { 3, 0, A }, { 1, 0, BCD }, { 1, 0x29, BCD },
	{ 1, 0x27, BCD }, { 1, 0x26, BCD }, { 1, 8, BCD }, { 1, 4, BCD }, { 1, 0x27, BCD },
	{ 2, 0, BCD }, { 1, 1 }, { 1, 2 }, { 1, 3 }, { 1, 4 }, { 1, 5 }, { 1, 6 }, { 1, 7 },
	{ 1, 1 }, { 16 }, { 1, 0xcf }, { 10 }, { 1, 0, BCD }, { 1, 0x80 }, { 2, 4 }, { 1, 3, BCD },
	{ 1, 0, D }, { 1, 3, D }, { 1, 1 }, { 1, 0, A }, { 2, 0, BCD }, { 1, 0x12 }, { 1, 0x10 },
	{ 1, 0xc }, { 1, 1 }, { 3 }, { 1, 4 }, { 1, 2 }, { 1, 4 }, { 2 }, { 1, 0, CD },
	{ 1, 0x3fffff }, { 1, 0x1fff }, { 1, 0, A }, { 9, 0, BCD }, { 2, 1, CD }, { 1, 2, CD },
	{ 1, 0, CD }, { 1, 4 }, { 1, 0x14 }, { 1, 1 }, { 2 }, { 1, 0, D }, { 1, 2 }, { 2 },
	{ 2, 0, CD }, { 1, 1 }, { 1 }, { 1, 2 }, { 1, 0x1000 }, { 1, 0xe00, BCD },
	{ 1, 0x1000, BCD }, { 1, 0x1e00, BCD }, { 1 }, { 5, 1 }, { 3 }, { 1, 0x200 },
	{ 1, 0x200, D }, { 1 }, { 1, 1 }, { 1, 0x70, AB }, { 1, 0x80, AB }, { 1, 0xf0, CD },
	{ 1, 0xff, CD }, { 2 }, { 1, 1 }, { 1, 0x70, AB }, { 1, 0x80, AB }, { 1, 0xf0, CD },
	{ 1, 0xff, CD }, { 3, 0, AB }, { 1, 0, CD }, { 1, 9, CD }, { 2, 0, CD }, { 1, 1 },
	{ 1, 0xcf }, { 1 }, { 1, 1 }, { 3 }, { 1, 0xcf }, { 1 }, { 1, 2 }, { 1 }, { 1, 1 }, { 1 },
	{ 1, 1 }, { 1 }, { 2, 0xcf }, { 1, 1 }, {}
};

/* Front end; its method queue has 8 entries on the G80, 256 later. */
static const struct nvfifo_grctx_run dispatch[] = {
	{ 153, 0, A }, { 900, 0, G84 | G86 | C }, { 896, 0, G92 | G94 | G96 | G98 }, { 901, 0, D },
	{}
};

/* Memory copy, with its buffer */
static const struct nvfifo_grctx_run m2mf[] = {
	{ 9 }, { 1, 0x21 }, { 1, 1 }, { 1, 2 }, { 2, 0x100 }, { 1, 1 }, { 2 }, { 1, 1 }, { 1, 2 },
	{ 2, 0x100 }, { 1, 1 }, { 1170, 0, A | G84 | G86 | G98 },
	{ 2386, 0, G92 | G94 | G96 | C | D }, {}
};

/* Vertex fetch: 16 attributes, 32 on class D, and buffers */
static const struct nvfifo_grctx_run vfetch[] = {
	{ 1, 0, CD }, { 1, 1, CD }, { 4 }, { 1, 0xf }, { 4 }, { 4, 0, D }, { 1, 0x20 }, { 14 },
	{ 1, 0, C }, { 3, 0, D }, { 1, 0x1a }, { 13 }, { 2, 4 }, { 1 }, { 1, 4 }, { 1, 8 }, { 1 },
	{ 1, 0x3ff, A }, { 1, 0x7ff, BCD }, { 1, 0x1e00, GT218 }, { 12 }, { 1, 0xf }, { 293, 0, A },
	{ 294, 0, B }, { 292, 0, C }, { 503, 0, D }, { 1, 0xf }, { 1 }, { 2, 0, D }, { 1, 1 },
	{ 90, 0, A | B | C }, { 161, 0, D }, { 1, 0xf }, { 2100, 0, AB }, { 6259, 0, G200 },
	{ 2099, 0, MCP77 | MCP79 }, { 2234, 0, D }, { 1, 0xf }, { 10 }, { 6, 0, D }, {}
};

/* Vertex attributes: eight equal buffers */
static const struct nvfifo_grctx_run vattr[] = {
	{ 2, 4 }, { 1 }, { 1, 0x80 }, { 1, 4 }, { 1, 0x80c14 }, { 1 }, { 1, 0x3ff, A },
	{ 1, 0x7ff, BCD }, { 1346, 0, A | G86 | G98 | MCP77 | MCP79 },
	{ 2370, 0, G84 | G92 | G94 | G96 }, { 8258, 0, G200 | GT215 | MCP89 },
	{ 2114, 0, GT216 | GT218 }, { 2, 4 }, { 1 }, { 1, 0x80 }, { 1, 4 }, { 1, 1 }, { 1 },
	{ 1, 0x27 }, { 1 }, { 1, 0x26 }, { 1 }, {}
};

/* Clipping and viewports */
static const struct nvfifo_grctx_run vclip[] = {
	{ 5, 0, BCD }, { 1, 0x80c14, BCD }, { 2, 0, BCD }, { 1, 0x804, BCD }, { 1 }, { 2, 4 },
	{ 1, 0x8100c12, BCD }, { 1, 0, BCD }, { 2, 4, BCD }, { 1 }, { 1, 0x10 }, { 3 },
	{ 1, 0, BCD }, { 1, 0x804 }, { 1, 1 }, { 1, 0x1a }, { 1, 0x7f, BCD }, { 1 }, { 1, 1 },
	{ 1, 0x80c14 }, { 1 }, { 1, 0x8100c12 }, { 2, 4 }, { 1 }, { 1, 0x10 }, { 3 }, { 1, 1 },
	{ 1, 0x8100c12 }, { 6 }, { 1, 0x3ff, A }, { 1, 0x7ff, BCD }, { 1, 0x80c14 }, { 56 },
	{ 1, 1 }, { 2 }, { 1, 0x10 }, { 56 }, { 2, 0x88 }, { 2 }, { 1, 4 }, { 22 }, { 1, 0x26 },
	{ 2 }, { 1, 0x3f800000 }, { 3 }, { 1, 0, D }, { 1, 0x1a }, { 1, 0x10 }, { 37 },
	{ 3, 0, BCD }, { 1, 0x52 }, { 1 }, { 1, 0x26 }, { 1 }, { 2, 4 }, { 1 }, { 1, 0x1a }, { 2 },
	{ 1, 0xffff00 }, { 1 }, {}
};

/* Stream output */
static const struct nvfifo_grctx_run strmout[] = {
	{ 1, 0x102 }, { 1 }, { 4, 4 }, { 8, 0, CD }, { 2, 4 }, { 1 }, { 1, 0x3ff, A },
	{ 1, 0x7ff, BCD }, { 1 }, { 1, 0x102 }, { 9 }, { 4, 4 }, { 44 }, { 8, 0, CD }, {}
};

/* TRAST */
static const struct nvfifo_grctx_run trast[] = {
	{ 2 }, { 1, 0x3f800000 }, { 6 }, { 1, 4 }, { 1, 0x1a }, { 2 }, { 1, 1 }, { 18 },
	{ 1, 0xffff00 }, { 6 }, { 1, 0xf }, { 7 }, { 1, 0xfac6881 }, { 1, 0x11 }, { 15 }, { 1, 4 },
	{ 4, 0, AB }, { 2, 0, CD }, { 1, 1, C }, { 1, 3, D }, { 2, 0, CD }, { 1, 2 },
	{ 2, 0x4000000 }, { 3 }, { 1, 5 }, { 1, 0x52 }, { 19, 0, A }, { 4, 0, BCD }, { 1, 1, BCD },
	{ 16, 0, BCD }, { 1, 0, D }, { 16, 0x3f800000 }, { 1, 0x10 }, { 38 }, { 1, 0x8100c12 },
	{ 1, 5 }, { 2 }, { 1, 1 }, { 1 }, { 4, 0xffff }, { 1, 3, BCD }, { 31, 0, AB }, { 3, 0, C },
	{ 12, 0, D }, { 1, 0xffff00 }, { 1, 0x1a }, { 1, 0, BCD }, { 1, 3, BCD }, { 38 },
	{ 22, 0, CD }, {}
};

/* The longest block, which determines the number of rows of the first area */
static const struct nvfifo_grctx_run rattr[] = {
	{ 54 }, { 2, 4 }, { 7243, 0, A | B | C }, { 7245, 0, D }, { 2, 4 }, { 1, 0x8100c12 },
	{ 1, 3, BCD }, { 1 }, { 1, 0x8100c12 }, { 1 }, { 1, 0x80c14 }, { 1, 1 }, { 2, 4, CD },
	{ 1, 0x80c14 }, { 2 }, { 1, 0x8100c12 }, { 1, 0x27 }, { 2 }, { 1, 1 }, { 961 }, { 1, 1 },
	{ 22 }, { 1, 0x8100c12 }, { 1, 0, BCD }, {}
};

/* Coarse depth test */
static const struct nvfifo_grctx_run zcull[] = {
	{ 1, 0x3f }, { 10 }, { 1, 2 }, { 2, 0x4000000 }, { 8 }, { 1, 4 }, { 3 }, { 1, 4 }, { 16 },
	{ 1, 0, BCD }, { 1, 1 }, { 1, 0x1001 }, { 4, 0xffff }, { 32 }, { 16, 0x3f800000 },
	{ 1, 0x10 }, { 1 }, { 1, 3 }, { 2 }, { 1, 0, BCD }, {}
};

/* Clip ids */
static const struct nvfifo_grctx_run clipid[] = {
	{ 11 }, { 2, 0x4000000 }, { 1 }, { 1, 0x80 }, { 3 }, { 1, 0x80 }, { 1 }, {}
};

/* 2D */
static const struct nvfifo_grctx_run eng2d[] = {
	{ 5 }, { 2, 0, AB }, { 1, 1 }, { 1, 1, AB }, { 1, 0, AB }, { 1, 1, AB }, { 2, 0x100 },
	{ 1, 0x11 }, { 1 }, { 1, 8 }, { 5 }, { 1, 1 }, { 1 }, { 3, 1 }, { 1, 0xcf }, { 1, 2 },
	{ 6 }, { 1, 1 }, { 1 }, { 3, 1 }, { 4 }, { 1, 4 }, { 1 }, { 1, 1 }, { 1, 0x15 }, { 3 },
	{ 1, 0x4444480 }, { 55 }, {}
};

/* RMASK */
static const struct nvfifo_grctx_run rmask[] = {
	{ 2 }, { 16, 0x4000000 }, { 36 }, { 2, 0x4e3bfdf }, { 2 }, { 1, 0x1fe21 },
	{ 1, 0xfac6881, CD }, { 1, 1, D }, { 3, 0, D }, {}
};

/* Constant cache */
static const struct nvfifo_grctx_run ccache[] = {
	{ 2682 }, { 2, 0, G94 | G96 | GT215 }, { 4, 0, G84 }, { 6, 0, A | G92 | G200 },
	{ 1, 0x3fffff }, { 2 }, { 1, 0x1fff }, { 12 }, {}
};

/* Tables of a scheduler; one word of it is in the second area */
static const struct nvfifo_grctx_run csched[] = {
	{ 4 }, { 1, 0x8100c12 }, { 4 }, { 1, 0x100 }, { 2 }, { 1, 0x10001 }, { 1 }, { 1, 0x10001 },
	{ 1, 1 }, { 1, 0x10001 }, { 1, 1 }, { 1, 4 }, { 1, 2 }, { 251, 0, A | G92 },
	{ 211, 0, G84 | GT215 }, { 107, 0, G86 | G98 | MCP79 | GT218 }, { 171, 0, G94 | G96 },
	{ 391, 0, G200 }, { 151, 0, GT216 | MCP89 }, { 99, 0, MCP77 }, {}
};

static const struct nvfifo_grctx_run csched_word[] = {
	{ 1, 0x8100c12 }, {}
};

/* Between the ROPs and memory */
static const struct nvfifo_grctx_run ropm1[] = {
	{ 2, 0x4e3bfdf }, { 2 }, { 1, 0, ABC }, { 1, 0x11, D }, { 1, 0, D }, {}
};

static const struct nvfifo_grctx_run ropm2[] = {
	{ 1 }, { 1, 0xfac6881 }, { 11 }, { 2, 0x4e3bfdf }, { 3 }, { 1, 0, ABC }, { 1, 0x11, D },
	{ 1, 0, D }, {}
};

/* A ROP; class D has separate blending for each of eight render targets */
static const struct nvfifo_grctx_run ropc[] = {
	{ 8 }, { 1, 2 }, { 1 }, { 1, 0x3e60, A }, { 1, 0x1ffe67, B | C }, { 1, 0x87e67, D },
	{ 4, 0, D }, { 1, 1, D }, { 7, 0, D }, { 12, 0, AB | MCP77 | MCP79 }, { 11, 0, G200 },
	{ 1, 0x15, G200 | D }, { 1, 0, G200 | D }, { 1, 1 }, { 1, 0x10 }, { 2 }, { 1, 1 },
	{ 6, 0, A | G84 | G94 | G96 }, { 4, 0, G86 | G92 | G98 | CD },
	{ 1, 4, G86 | G92 | G98 | CD }, { 1, 0x400, G86 | G92 | G98 | CD },
	{ 1, 0x300, G86 | G92 | G98 | CD }, { 1, 0x1001, G86 | G92 | G98 | CD },
	{ 1, 0x15, G86 | G92 | G98 | MCP77 | MCP79 }, { 5, 0, G86 | G92 | G98 | CD }, { 1, 0, D },
	{ 1, 2 }, { 8 }, { 1, 1 }, { 1, 0x10 }, { 1 }, { 1, 1 }, { 19 }, { 1, 0x10 }, { 16 },
	{ 16, 0x3f800000 }, { 25 }, { 1, 0x10 }, { 1 }, { 1, 0x3f }, { 6 }, { 1, 1 }, { 1 },
	{ 1, 1 }, { 1 }, { 1, 1 }, { 12, 0, AB }, { 2, 0, CD }, { 1, 0x1001, CD }, { 11, 0, CD },
	{ 1, 0x11 }, { 7 }, { 1, 0xf }, { 7 }, { 1, 0x11 }, { 4, 0, A }, { 6, 0, BCD }, { 3, 1 },
	{ 1, 2 }, { 1, 1 }, { 1, 2 }, { 1, 1 }, { 1 }, { 1, 0x3e60, A }, { 1, 0x1ffe67, BC },
	{ 1, 0x87e67, D }, { 1 }, { 1, 0xfac6881 }, { 21, 0, AB }, { 27, 0, C }, { 1, 0, D },
	{ 24, 1, D }, { 8, 2, D }, { 8, 1, D }, { 8, 2, D }, { 8, 1, D }, { 3, 0, D }, { 1, 1, D },
	{ 5, 0, D }, { 1, 1, D }, { 22, 0, D }, { 1, 1 }, { 1, 2 }, { 2, 1 }, { 1, 2 }, { 2, 1 },
	{ 3, 0, AB }, { 4, 0, CD }, { 16, 1, D }, { 8, 2, D }, { 16, 1, D }, { 8, 2, D },
	{ 8, 1, D }, { 3, 0, D }, { 1, 0x11 }, { 1, 1 }, { 91 }, {}
};

/* Units of a TP */
static const struct nvfifo_grctx_run geom[] = {
	{ 1 }, { 1, 4 }, { 21, 0, AB }, { 20, 0, C }, { 36, 0, D }, { 2, 4 }, { 1, 0x608080, AB },
	{ 1, 0x3020100, CD }, { 4 }, { 1, 4 }, { 2 }, { 2, 4 }, { 1, 0x80 }, { 1, 0x1000, A },
	{ 1, 0x1e00, G86 | G98 | MCP77 | MCP79 | GT218 | MCP89 }, { 1, 4 }, { 36 }, { 1, 4 },
	{ 1, 0x80 }, { 1, 4 }, { 1, 0x3020100 }, { 1, 3 }, { 1, 0x1000, A },
	{ 1, 0x1e00, G86 | G98 | MCP77 | MCP79 | GT218 | MCP89 }, { 1, 4 }, { 4 }, { 1, 4 },
	{ 1, 3 }, { 3 }, { 1, 4 }, { 2596, 0, A | G84 | G86 | G92 | G98 }, { 4132, 0, G94 | G96 },
	{ 532, 0, C }, { 1044, 0, D }, { 1, 4 }, { 1, 3 }, { 2 }, {}
};

static const struct nvfifo_grctx_run prop[] = {
	{ 3, 0, D }, { 1, 1, D }, { 12, 0, D }, { 15, 0, ABC }, { 1, 0xf }, { 11 }, { 1, 4 },
	{ 4, 0xffff }, { 8 }, { 1, 1 }, { 3 }, { 1, 1 }, { 5 }, { 1, 1 }, { 12, 0, AB },
	{ 2, 0, CD }, { 1, 1, C }, { 1, 3, D }, { 10, 0, C }, { 11, 0, D }, { 2, 1 }, { 1, 2 },
	{ 2, 1 }, { 1, 2 }, { 1, 1, ABC }, { 1 }, { 24, 1, D }, { 8, 2, D }, { 8, 1, D },
	{ 8, 2, D }, { 8, 1, D }, { 1, 0, D }, { 1, 1, D }, { 1, 0, D }, { 1, 0x11 }, { 7 },
	{ 1, 0xfac6881 }, { 2 }, { 1, 4 }, { 3 }, { 1, 0x11 }, { 1, 1 }, { 1 }, { 3, 0xcf },
	{ 1, 1, D }, { 10 }, { 2, 1 }, { 1, 2 }, { 2, 1 }, { 1, 2 }, { 1, 1 }, { 1 }, { 8, 1 },
	{ 1, 0x11 }, { 7 }, { 1, 0xfac6881 }, { 1, 0xf }, { 7 }, { 1, 0x3e60, A },
	{ 1, 0x1ffe67, BC }, { 1, 0x87e67, D }, { 2 }, { 1, 0x11 }, { 1, 1 }, { 1, 0, A },
	{ 1, 1, D }, { 3, 0, BCD }, { 1, 4 }, { 5 }, { 1, 1 }, { 4 }, { 1, 0x11 }, { 7 },
	{ 1, 0xfac6881 }, { 3 }, { 1, 0x11 }, { 1, 1 }, { 1 }, { 1, 1 }, { 1 }, { 1, 1 }, { 1 },
	{ 1, 0x3ff, A }, { 1, 0x7ff, BCD }, { 1 }, { 1, 1 }, { 1 }, { 1, 1 }, { 42, 0, ABC },
	{ 2, 0, D }, { 1, 1, D }, { 40, 0, D }, { 8, 8 }, { 1, 0x11 }, { 7 }, { 1, 0xfac6881 },
	{ 8, 0x400 }, { 8, 0x300 }, { 1, 1 }, { 1, 0xf }, { 7 }, { 1, 0x20 }, { 1, 0x11 },
	{ 1, 0x100 }, { 1 }, { 1, 1 }, { 2 }, { 1, 0x40 }, { 1, 0x100 }, { 1 }, { 1, 3 }, { 4 },
	{ 1, 1, D }, { 1, 0x3e60, A }, { 1, 0x1ffe67, BC }, { 1, 0x87e67, D }, { 3 }, { 1, 2 },
	{ 1, 0xfac6881 }, { 9 }, { 1, 1 }, { 4 }, { 1, 4 }, { 1 }, { 1, 1 }, { 1, 0x400 },
	{ 1, 0x300 }, { 1, 0x1001 }, { 3 }, { 1, 0, D }, { 1, 0x11 }, { 7 }, { 1, 0xfac6881 },
	{ 1, 0xf }, { 23, 0, ABC }, { 21, 0, D }, { 1, 1, D }, { 3, 0, D }, { 1, 0xfac6881, CD },
	{ 1, 0x3e60, A }, { 1, 0x1ffe67, BC }, { 1, 0x87e67, D }, { 3 }, { 1, 0x11 }, { 2 },
	{ 1, 4 }, { 1 }, { 2, 1 }, { 3 }, { 1, 1 }, { 1, 1, D }, { 1, 0, AB }, { 4, 0, C },
	{ 5, 0, D }, { 1, 0xfac6881, CD }, { 4, 0, CD }, { 1, 4, CD }, { 1, 0, CD }, { 2, 1, CD },
	{ 2, 0, CD }, { 1, 1, CD }, { 10, 0, C }, { 11, 0, D }, { 8, 1, CD }, { 1, 0x11, CD },
	{ 7, 0, CD }, { 1, 0xfac6881, CD }, { 1, 0xf, CD }, { 7, 0, CD }, { 1, 0x11, CD },
	{ 1, 1, CD }, { 5, 0, C }, { 6, 0, D }, { 1, 1, D }, {}
};

static const struct nvfifo_grctx_run tex[] = {
	{ 2 }, { 1, 0, BCD }, { 1, 1 }, { 1 }, { 1, 1 }, { 2 }, { 1, 0, BCD }, { 1, 0x2a712488 },
	{ 1 }, { 1, 0x4085c000 }, { 1, 0x40 }, { 1, 0x100 }, { 1, 0x10100 }, { 1, 0x2800000 },
	{ 9 }, { 1, 0, MCP77 | MCP79 }, { 3, 0, B | G200 | D }, {}
};

static const struct nvfifo_grctx_run rast[] = {
	{ 6 }, { 2, 0x4e3bfdf }, { 1, 1 }, { 1 }, { 1, 0xffff00 }, { 1, 1 }, { 1, 1, D }, { 2 },
	{ 1, 0xffff00 }, { 8 }, { 1, 1 }, { 1 }, { 1, 1 }, { 1, 0x30201000 }, { 1, 0x70605040 },
	{ 1, 0xb8a89888 }, { 1, 0xf8e8d8c8 }, { 1 }, { 1, 0x1a }, {}
};

/* An MP, as MPC saves it; then MPC itself */
static const struct nvfifo_grctx_run mpc_mp[] = {
	{ 1 }, { 1, 0x80 }, { 1, 0x80007004 }, { 1, 0x4000400 }, { 1, 0xc0, CD }, { 1, 0x1000 },
	{ 2 }, { 1, 0xe00, G86 | G98 | MCP77 | MCP79 | GT218 },
	{ 1, 0x1e00, G86 | G98 | MCP77 | MCP79 | GT218 }, { 1, 1 }, { 2 }, { 2, 0x1000, A },
	{ 1, 1 }, { 1 }, { 1, 4 }, { 1, 2 }, { 10 }, { 1, 0, CD }, { 1, 0, G200 | D }, {}
};

static const struct nvfifo_grctx_run mpc[] = {
	{ 1, 0x8100c12 }, { 6, 0, AB }, { 1, 0, CD }, { 1, 0x1fe21, CD }, { 5, 0, CD },
	{ 4, 0xffff }, { 1, 1 }, { 2, 0x10001 }, { 1, 1 }, { 1 }, { 1, 0x1fe21 }, { 5, 0, ABC },
	{ 1, 0, D }, { 1, 1, D }, { 4, 0, D }, { 1, 0x8100c12 }, { 1, 4 }, { 1 }, { 1, 2 },
	{ 1, 0x11 }, { 8 }, { 1, 0xfac6881 }, { 4, 0, ABC }, { 1, 0, D }, { 1, 3, D }, { 3, 0, D },
	{ 1, 4 }, { 9 }, { 1, 2 }, { 2, 1 }, { 1, 2 }, { 3, 1 }, { 1 }, { 8, 2, D }, { 16, 1, D },
	{ 8, 2, D }, { 24, 1, D }, { 3, 0, D }, { 1, 4 }, { 927 }, { 1, 0, A },
	{ 3, 0, G84 | G86 | G92 }, { 4, 0, G94 | G96 | G200 | MCP79 | D }, { 1, 0x11 }, { 1 },
	{ 1, 1 }, { 45 }, {}
};

/*
 * --- Strands ------------------------------------------------------------------
 *
 * Words without a register are in eight strands in each of two areas. A strand is its blocks one
 * after the other: { area, strand, chips, unit, which of them, blocks }. The blocks come once for
 * each of those units that the card has.
 */

#define TP_AB	{ { geom }, { prop }, { tex }, { rast } }
#define TP_CD	{ { tex }, { prop }, { rast }, { geom } }
#define MPC	{ { mpc_mp }, { mpc_mp, (ABC | D) & ~MP1 }, { mpc_mp, MP3 }, { mpc } }

const struct nvfifo_grctx_strand nvfifo_grctx_strands[] = {
	{ 0, 0, AB, ONE, 1, { { dispatch }, { m2mf }, { rattr }, { clipid }, { zcull } } },
	{ 0, 1, AB, ONE, 1, { { vfetch }, { eng2d }, { csched }, { ropm1 }, { ropm2 } } },
	{ 0, 2, AB, ONE, 1,
	  { { ccache }, { trast }, { strmout }, { vclip }, { vattr }, { rmask } } },
	{ 0, 3, AB, ROP, 0x3f, { { ropc } } },
	{ 0, 4, AB, TP, 0x03, TP_AB }, { 0, 5, AB, TP, 0x0c, TP_AB },
	{ 0, 6, AB, TP, 0x30, TP_AB }, { 0, 7, AB, TP, 0xc0, TP_AB },

	{ 0, 0, CD, ONE, 1,
	  { { dispatch }, { m2mf }, { rmask }, { csched }, { trast }, { strmout } } },
	{ 0, 1, CD, ONE, 1, { { vattr } } },
	{ 0, 2, CD, ONE, 1, { { vclip, G200 }, { rattr } } },
	{ 0, 3, CD, ONE, 1, { { vfetch } } },
	{ 0, 4, CD, ONE, 1, { { ccache } } },
	{ 0, 5, CD, ONE, 1, { { ropm2 }, { ropm1 } } },
	{ 0, 5, CD, ROP, 0xff, { { ropc } } },
	{ 0, 6, CD, ONE, 1, { { zcull }, { clipid }, { eng2d } } },
	{ 0, 6, CD, TP, 0x00f, TP_CD },
	{ 0, 7, G200, TP, 0x3f0, TP_CD },
	{ 0, 7, CD & ~G200, ONE, 1, { { vclip } } },

	{ 1, 0, ABC | D, ONE, 1, { { csched_word } } },
	{ 1, 0, AB, TP, 0x01, MPC }, { 1, 1, AB, TP, 0x02, MPC },
	{ 1, 2, AB, TP, 0x04, MPC }, { 1, 3, AB, TP, 0x08, MPC },
	{ 1, 4, AB, TP, 0x10, MPC }, { 1, 5, AB, TP, 0x20, MPC },
	{ 1, 6, AB, TP, 0x40, MPC }, { 1, 7, AB, TP, 0x80, MPC },
	{ 1, 0, CD, TP, 0x003, MPC }, { 1, 1, CD, TP, 0x00c, MPC },
	{ 1, 2, CD, TP, 0x070, MPC }, { 1, 3, CD, TP, 0x380, MPC }, {}
};
