// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: PGRAPH contexts
 *
 * PGRAPH switches contexts by a program that the driver uploads. The program moves a channel's
 * state between the units and the channel's context image. From word 0x40 on the image holds
 * windows of registers, one after the other. Two areas follow with words that no register shows.
 * The program reads them through eight strands at a time, so that a row of eight words has one of
 * each strand. The length of both depends on the units of the card. The first load gives PGRAPH its
 * initial state.
 *
 * The rules are here, the contents in nvfifo_grctx_table.c. The sources of both are the output of
 * nouveau's generator (MIT), and envytools' description of the instructions.
 */
#include "nvfifo_grctx_table.h"

struct walk {
	const struct nvfifo_grctx *gr;
	__u32 *words;			/* NULL or the program */
	__u32 length;
	nvfifo_grctx_write_t write;	/* NULL or of the image */
	void *arg;
	__u32 at;			/* next word of the image */
};

static bool on(const struct nvfifo_grctx *gr, __u16 chips)
{
	return !chips || chips >> gr->chip & 1;
}

static bool is_g200(const struct nvfifo_grctx *gr)
{
	return gr->chip >= NV_CHIP_G200;
}

/* Register windows of texture processors are 0x1000 apart, from G200 on 0x800. */
static __u32 tp_base(const struct nvfifo_grctx *gr, __u32 tp)
{
	return 0x408000 + tp * (is_g200(gr) ? 0x800 : 0x1000);
}

static void op(struct walk *w, __u32 word)
{
	if (w->words)
		w->words[w->length] = word;

	w->length++;
}

static void ops(struct walk *w, const __u32 *words)
{
	for (; *words; words++)
		op(w, *words);
}

static void put(struct walk *w, __u32 word, __u32 value)
{
	if (w->write && value)
		w->write(w->arg, word * 4, value);
}

/*
 * Write runs of words, @step apart in the image, from @at on. Return: the number of words. Most
 * words of an image are 0, and put() does not write zeros.
 */
static __u32 runs(struct walk *w, const struct nvfifo_grctx_run *run, __u32 at, __u32 step)
{
	__u32 n = 0, end;

	for (; run->count; run++) {
		if (!on(w->gr, run->chips))
			continue;

		end = n + run->count;

		if (!w->write || !run->value)
			n = end;

		for (; n < end; n++)
			put(w, at + n * step, run->value);
	}

	return n;
}

static void move(struct walk *w, __u32 reg, __u32 n)
{
	if (n > 0xf)
		op(w, RA(n));

	op(w, n > 0xf ? MOVE_RA(reg) : MOVE(n, reg));
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
	const __u32 words[] = {
		RA(word), COMMAND(SET_TRANSFER_POINTER), RA(rows), SEEK(area), TRANSFER(area),
		WAIT(NOT(TRANSFER_BUSY)), 0
	};

	ops(w, words);
}

static __u32 present(const struct nvfifo_grctx *gr, const struct nvfifo_grctx_strand *s)
{
	if (s->unit == NVFIFO_GRCTX_ROP)
		return s->which & (gr->units >> 16);

	return s->unit == NVFIFO_GRCTX_TP ? s->which & gr->units : s->which;
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

/*
 * Generate the program and the image, if @w has a place for them. Return: the number of words of
 * the image.
 */
static __u32 walk(struct walk *w)
{
	const struct nvfifo_grctx *gr = w->gr;
	__u32 i, area0, end;

	ops(w, nvfifo_grctx_head);
	w->at = REGS_WORD;
	section(w, &nvfifo_grctx_common, 0);

	for (i = 0; i < 8; i++)
		if (gr->units >> (16 + i) & 1)
			section(w, &nvfifo_grctx_rop, 0x407000 + i * 0x100);

	section(w, &nvfifo_grctx_bar, 0);

	for (i = 0; i < 10; i++)
		if (gr->units >> i & 1)
			section(w, is_g200(gr) ? &nvfifo_grctx_tp_g200 : &nvfifo_grctx_tp_g80,
				tp_base(gr, i));

	area0 = (w->at + ALIGN - 1) & ~(ALIGN - 1);
	w->at = area0;
	area(w, 0);
	area(w, 1);

	/* A load may follow a save. A load ends with four rows like those of a save. */
	op(w, JUMP(CHECK, SAVING));
	op(w, SET(CLOSING));
	op(w, SET(SAVING));
	transfer(w, 0, area0, 4);

	end = w->length;
	ops(w, nvfifo_grctx_tail);

	if (w->words)
		w->words[end + 3] |= JUMP(end + 5, 0);
	for (i = 0; w->words && i < SAVE; i++)
		if (w->words[i] == JUMP(0, ALWAYS) || w->words[i] == JUMP(0, NO_LOAD))
			w->words[i] |= JUMP(end, 0);

	return w->at + TAIL;
}

/**
 * nvfifo_grctx_program() - Generate the context program
 * @gr: the card
 * @words: room for the program, or NULL to count its words only
 *
 * Return: number of words.
 */
__u32 nvfifo_grctx_program(const struct nvfifo_grctx *gr, __u32 *words)
{
	struct walk w = { .gr = gr, .words = words };

	walk(&w);

	return w.length;
}

/**
 * nvfifo_grctx_image() - Write the words of the initial context image that are not 0
 * @gr: the card
 * @write: called for each word with its byte offset, may be NULL
 * @arg: for @write
 *
 * Return: size of the image, bytes.
 */
__u32 nvfifo_grctx_image(const struct nvfifo_grctx *gr, nvfifo_grctx_write_t write, void *arg)
{
	struct walk w = { .gr = gr, .write = write, .arg = arg };

	return walk(&w) * 4;
}

static void init(const struct nvfifo_grctx *gr, const struct nvfifo_grctx_reg *row, __u32 base,
		 nvfifo_grctx_write_t write, void *arg)
{
	for (; row->reg; row++)
		if (on(gr, row->chips))
			write(arg, base + row->reg, row->value);
}

static void traps(const struct nvfifo_grctx *gr, const struct nvfifo_grctx_reg *row, __u32 base,
		  __u32 units, nvfifo_grctx_write_t write, void *arg)
{
	for (; row->reg; row++)
		if (on(gr, row->chips) && row->unit & units)
			write(arg, base + row->reg, row->value);
}

/**
 * nvfifo_grctx_traps() - Enable the traps of units, which also acknowledges them
 * @gr: the card
 * @units: bits of PGRAPH.TRAP
 * @write: called for each register
 * @arg: for @write
 */
void nvfifo_grctx_traps(const struct nvfifo_grctx *gr, __u32 units, nvfifo_grctx_write_t write,
			void *arg)
{
	__u32 i;

	traps(gr, nvfifo_grctx_init_units, 0, units, write, arg);

	for (i = 0; i < 16; i++)
		if (gr->units >> i & 1)
			traps(gr, nvfifo_grctx_init_tp, tp_base(gr, i), units, write, arg);
}

/**
 * nvfifo_grctx_init() - Write all registers that initialise PGRAPH after its reset, in order
 * @gr: the card
 * @program: the context program, of nvfifo_grctx_program()
 * @length: number of its words
 * @write: called for each register
 * @arg: for @write
 */
void nvfifo_grctx_init(const struct nvfifo_grctx *gr, const __u32 *program, __u32 length,
		       nvfifo_grctx_write_t write, void *arg)
{
	__u32 i;

	write(arg, NV_PGRAPH_DEBUG_3, NV_FLD_MASK(NV_PGRAPH_DEBUG_3__HW_CONTEXT_SWITCH));
	nvfifo_grctx_traps(gr, ~0u, write, arg);
	init(gr, nvfifo_grctx_init_common, 0, write, arg);

	for (i = 0; i < length; i++)
		write(arg, NV_PGRAPH_CTXCTL_DATA, program[i]);

	init(gr, nvfifo_grctx_init_state, 0, write, arg);

	for (i = 0; i < NV_PGRAPH_ZCULL_REGION__COUNT; i++)
		write(arg, NV_REG_AT(NV_PGRAPH_ZCULL_REGION, i), 0);
}
