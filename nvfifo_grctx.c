// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: PGRAPH contexts
 *
 * PGRAPH switches contexts by a program that the driver uploads. It moves a channel's
 * state between the units and the channel's context image: windows of registers one after
 * the other from word 0x40 of the image on, then two areas with the words that no register
 * shows, read through eight strands at a time, so that a row of eight words has one of each
 * strand. The program is as long, and the image as large, as the units of the card make
 * them; the first load gives PGRAPH its initial state.
 *
 * The rules are here, the contents in nvfifo_grctx_table.c. Both come from what nouveau's
 * generator (MIT) is known to write, and from envytools' description of the instructions.
 */
#ifdef __KERNEL__
#include <linux/kernel.h>
#include <kunit/visibility.h>
#else
#define EXPORT_SYMBOL_IF_KUNIT(...)
#endif

#include "nvfifo_grctx.h"

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
	/* Flags; all from 0x40 on are the hardware's. */
	SAVING = 0x00,		/* direction of moves and transfers */
	BUSY = 0x01,
	DROP_METHODS = 0x03,
	WANT_SAVE = 0x05,	/* asked for by software */
	WANT_LOAD = 0x06,
	NO_LOAD = 0x0b,
	TRANSFER_ON = 0x0e,
	PM0 = 0x1c,		/* to the performance counters */
	PM1 = 0x1d,
	CLOSING = 0x20,
	IDLE = 0x40,
	AUTO_SAVE = 0x44,
	AUTO_LOAD = 0x45,
	NEW_DMA_DONE = 0x4a,
	TRANSFER_BUSY = 0x4b,
	ALWAYS = 0x4d,
	INTR_PENDING = 0x4f,

	/* Commands */
	NEW_DMA = 0x04,		/* read the image's DMA object */
	NEXT_TO_SWAP = 0x05,
	SET_REG_POINTER = 0x06,
	SET_TRANSFER_POINTER = 0x07,
	ENABLE_UNITS = 0x09,
	END = 0x0c,
	NEXT_TO_CURRENT = 0x0d,

	/* Addresses in the program */
	CHECK = 4,
	LOAD_AUTO = 7,
	LOAD = 12,
	SAVE = 18,
	SWAP = 24,

	/* Words of the image */
	FLAGS_1_WORD = 1,
	REGS_WORD = 0x40,
	ALIGN = 0x40,
	TAIL = 0x400,		/* unused, at the end */
};

/* What comes before the moves. Jumps to 0 go to the end, which is patched in. */
static const __u32 head[] = {
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

struct walk {
	const struct nvfifo_grctx *gr;
	__u32 *words;			/* NULL or the program */
	__u32 length;
	nvfifo_grctx_write_t write;	/* NULL or of the image */
	void *arg;
	__u32 at;			/* next word of the image */
};

static inline bool on(const struct nvfifo_grctx *gr, __u16 chips)
{
	return !chips || chips >> gr->chip & 1;
}

static inline bool is_g200(const struct nvfifo_grctx *gr)
{
	return gr->chip >= NV_CHIP_G200;
}

static void op(struct walk *w, __u32 word)
{
	if (w->words)
		w->words[w->length] = word;
	w->length++;
}

static void put(struct walk *w, __u32 word, __u32 value)
{
	if (w->write && value)
		w->write(w->arg, word * 4, value);
}

/* Each @step words of the image from @at on; returns how many. */
static __u32 runs(struct walk *w, const struct nvfifo_grctx_run *run, __u32 at, __u32 step)
{
	__u32 n = 0, end;

	for (; run->count; run++)
		if (on(w->gr, run->chips))
			for (end = n + run->count; n < end; n++)
				put(w, at + n * step, run->value);
	return n;
}

static void move(struct walk *w, __u32 reg, __u32 n)
{
	if (n > 0xf) {
		op(w, RA(n));
		op(w, MOVE_RA(reg));
	} else {
		op(w, MOVE(n, reg));
	}
	w->at += n;
}

static void section(struct walk *w, const struct nvfifo_grctx_section *s, __u32 base)
{
	const struct nvfifo_grctx_reg *win, *val;
	__u32 mp, value;

	for (win = s->windows; win->reg || win->value; win++) {
		if (!on(w->gr, win->chips))
			continue;
		if (!win->value && !base) {
			move(w, win->reg, runs(w, nvfifo_grctx_state, w->at, 1));
			continue;
		}
		if (!win->value) {
			for (mp = 0; mp < (is_g200(w->gr) ? 4 : 2); mp++)
				if (w->gr->units >> (24 + mp) & 1)
					section(w, &nvfifo_grctx_mp, base + win->reg + mp * 0x80);
			continue;
		}
		for (val = s->values; val->value; val++) {
			if (!on(w->gr, val->chips) || val->reg < win->reg ||
			    val->reg >= win->reg + win->value * 4)
				continue;
			value = val->value;
			if (w->gr->gddr5 && is_g200(w->gr) && val->reg == 0x407d08)
				value = 0x3c0040;
			put(w, w->at + (val->reg - win->reg) / 4, value);
		}
		move(w, base + win->reg, win->value);
	}
}

static void transfer(struct walk *w, __u32 area, __u32 word, __u32 rows)
{
	op(w, RA(word));
	op(w, COMMAND(SET_TRANSFER_POINTER));
	op(w, RA(rows));
	op(w, SEEK(area));
	op(w, TRANSFER(area));
	op(w, WAIT(NOT(TRANSFER_BUSY)));
}

static __u32 present(const struct nvfifo_grctx *gr, const struct nvfifo_grctx_strand *s)
{
	switch (s->unit) {
	case NVFIFO_GRCTX_ROP:
		return s->which & (gr->units >> 16);
	case NVFIFO_GRCTX_TP:
		return s->which & gr->units;
	default:
		return s->which;
	}
}

static void area(struct walk *w, __u32 area)
{
	const struct nvfifo_grctx_strand *s;
	__u32 length[8] = {}, rows = 0, units, i;

	for (s = nvfifo_grctx_strands; s->which; s++) {
		__u32 *n = &length[s->strand];

		if (s->area != area || !on(w->gr, s->chips))
			continue;
		for (units = present(w->gr, s); units; units &= units - 1)
			for (i = 0; s->blocks[i].runs; i++)
				if (on(w->gr, s->blocks[i].chips))
					*n += runs(w, s->blocks[i].runs,
						   w->at + *n * 8 + s->strand, 8);
		if (*n > rows)
			rows = *n;
	}
	transfer(w, area, w->at, rows);
	w->at = (w->at + rows * 8 + ALIGN - 1) & ~(ALIGN - 1);
}

/* Program and image at once: whatever @w asks for. Returns the words of the image. */
static __u32 walk(struct walk *w)
{
	const struct nvfifo_grctx *gr = w->gr;
	__u32 i, area0, end;

	for (i = 0; head[i]; i++)
		op(w, head[i]);
	w->at = REGS_WORD;
	section(w, &nvfifo_grctx_common, 0);
	for (i = 0; i < 8; i++)
		if (gr->units >> (16 + i) & 1)
			section(w, &nvfifo_grctx_rop, 0x407000 + i * 0x100);
	section(w, &nvfifo_grctx_bar, 0);
	for (i = 0; i < 10; i++) {
		if (!(gr->units >> i & 1))
			continue;
		if (is_g200(gr))
			section(w, &nvfifo_grctx_tp_g200, 0x408000 + i * 0x800);
		else
			section(w, &nvfifo_grctx_tp_g80, 0x408000 + i * 0x1000);
	}
	area0 = (w->at + ALIGN - 1) & ~(ALIGN - 1);
	w->at = area0;
	area(w, 0);
	area(w, 1);

	/* A save may have a load to follow; a load ends with four rows as if saved. */
	op(w, JUMP(CHECK, SAVING));
	op(w, SET(CLOSING));
	op(w, SET(SAVING));
	transfer(w, 0, area0, 4);

	end = w->length;
	op(w, CLEAR(BUSY));
	op(w, CLEAR(DROP_METHODS));
	op(w, CLEAR(PM1));
	op(w, JUMP(end + 5, WANT_SAVE));
	op(w, COMMAND(NEXT_TO_CURRENT));
	op(w, CLEAR(WANT_SAVE));
	op(w, CLEAR(WANT_LOAD));
	op(w, CLEAR(TRANSFER_ON));
	op(w, CLEAR(PM0));
	op(w, COMMAND(END));
	for (i = 0; w->words && i < SAVE; i++)
		if (w->words[i] == JUMP(0, ALWAYS) || w->words[i] == JUMP(0, NO_LOAD))
			w->words[i] |= JUMP(end, 0);
	return w->at + TAIL;
}

/**
 * nvfifo_grctx_program() - Make the context program
 * @gr: the card
 * @words: NVFIFO_GRCTX_PROGRAM_MAX words for it, or NULL to count only
 *
 * Return: its words.
 */
__u32 nvfifo_grctx_program(const struct nvfifo_grctx *gr, __u32 *words)
{
	struct walk w = { .gr = gr, .words = words };

	walk(&w);
	return w.length;
}
EXPORT_SYMBOL_IF_KUNIT(nvfifo_grctx_program);

/**
 * nvfifo_grctx_image() - Make the initial context image
 * @gr: the card
 * @write: called for each word that is not 0, or NULL to measure only
 * @arg: for @write
 *
 * Return: its bytes.
 */
__u32 nvfifo_grctx_image(const struct nvfifo_grctx *gr, nvfifo_grctx_write_t write, void *arg)
{
	struct walk w = { .gr = gr, .write = write, .arg = arg };

	return walk(&w) * 4;
}
EXPORT_SYMBOL_IF_KUNIT(nvfifo_grctx_image);

static void init(const struct nvfifo_grctx *gr, const struct nvfifo_grctx_reg *row, __u32 base,
		 nvfifo_grctx_write_t write, void *arg)
{
	for (; row->reg; row++)
		if (on(gr, row->chips))
			write(arg, base + row->reg, row->value);
}

/* Enable the traps of all units, which also acknowledges them. */
void nvfifo_grctx_traps(const struct nvfifo_grctx *gr, nvfifo_grctx_write_t write, void *arg)
{
	__u32 i;

	init(gr, nvfifo_grctx_init_units, 0, write, arg);
	for (i = 0; i < 16; i++)
		if (gr->units >> i & 1)
			init(gr, nvfifo_grctx_init_tp,
			     0x408000 + i * (is_g200(gr) ? 0x800 : 0x1000), write, arg);
}

/**
 * nvfifo_grctx_init() - All register writes that initialise PGRAPH after its reset
 * @gr: the card
 * @program: from nvfifo_grctx_program()
 * @length: words of it
 * @write: called for each write, in order
 * @arg: for @write
 */
void nvfifo_grctx_init(const struct nvfifo_grctx *gr, const __u32 *program, __u32 length,
		       nvfifo_grctx_write_t write, void *arg)
{
	__u32 i;

	nvfifo_grctx_traps(gr, write, arg);
	init(gr, nvfifo_grctx_init_common, 0, write, arg);
	for (i = 0; i < length; i++)
		write(arg, NV_PGRAPH_CTXCTL_DATA, program[i]);
	init(gr, nvfifo_grctx_init_state, 0, write, arg);
	for (i = 0; i < NV_PGRAPH_ZCULL_REGION__COUNT; i++)
		write(arg, NV_REG_AT(NV_PGRAPH_ZCULL_REGION, i), 0);
}
EXPORT_SYMBOL_IF_KUNIT(nvfifo_grctx_init);
