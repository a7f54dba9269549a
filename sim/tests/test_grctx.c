// SPDX-License-Identifier: MIT
/*
 * Context programs and images of PGRAPH, on every chipset.
 *
 * The output of the driver's generator must equal the recorded vectors. The model's context
 * unit, which is written from the hardware documents, must load and save with it. Wrong
 * programs and images must cause a violation.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../hw/nvfifo_grctx.h"
#include "../core/grctx.h"
#include "../../tests/tap.h"
#include "nvfifo_text.h"

#define DATA		"tests/data/grctx/"
#define IMAGE_MAX	0x40000u	/* words */
#define UPLOAD		0x400328u
#define CHAN(n)		(0x80000000u | (n))

/* --- Vectors ----------------------------------------------------------------- */

struct pair {
	uint32_t at, value;
};

struct window {
	uint32_t reg, count, word;
};

struct vector {
	const char *name;
	struct nvfifo_grctx gr;
	uint32_t program[SIM_GRCTX_PROGRAM], length;
	uint32_t image[IMAGE_MAX], bytes;
	struct pair init[256];
	uint32_t inits;
	struct window window[256];
	uint32_t windows;
	struct window area[2];
};

static struct vector vec;

static const uint16_t chip_ids[NV_CHIP_END] = {
	[NV_CHIP_G80] = 0x50, [NV_CHIP_G84] = 0x84, [NV_CHIP_G86] = 0x86, [NV_CHIP_G92] = 0x92,
	[NV_CHIP_G94] = 0x94, [NV_CHIP_G96] = 0x96, [NV_CHIP_G98] = 0x98, [NV_CHIP_G200] = 0xa0,
	[NV_CHIP_MCP77] = 0xaa, [NV_CHIP_MCP79] = 0xac, [NV_CHIP_GT215] = 0xa3,
	[NV_CHIP_GT216] = 0xa5, [NV_CHIP_GT218] = 0xa8, [NV_CHIP_MCP89] = 0xaf,
};

static const uint32_t whole_card[NV_CHIP_END] = {
	[NV_CHIP_G80] = 0xf33f00ff, [NV_CHIP_G84] = 0xf3030003, [NV_CHIP_G86] = 0xf3030001,
	[NV_CHIP_G92] = 0xf30f00ff, [NV_CHIP_G94] = 0xf30f000f, [NV_CHIP_G96] = 0xf3030003,
	[NV_CHIP_G98] = 0xf1010001, [NV_CHIP_G200] = 0xf7ff03ff, [NV_CHIP_MCP77] = 0xf1010001,
	[NV_CHIP_MCP79] = 0xf3010001, [NV_CHIP_GT215] = 0xf703000f, [NV_CHIP_GT216] = 0xf7030003,
	[NV_CHIP_GT218] = 0xf3010001, [NV_CHIP_MCP89] = 0xf7030003,
};

__attribute__((noreturn)) static void bail(const char *name, const char *why)
{
	printf("Bail out! %s%s: %s\n", DATA, name, why);
	exit(1);
}

/* Words that are not numbers end a list. */
static void read_vector(const char *name)
{
	char path[200], line[100], token[64], what[64] = "";
	uint32_t chipset, units, gddr5, at = 0, n = 0, i;
	struct window w;
	FILE *f;

	snprintf(path, sizeof(path), DATA "%s.txt", name);
	f = fopen(path, "r");
	if (!f)
		bail(name, "cannot be opened");
	memset(&vec, 0, sizeof(vec));
	vec.name = name;
	if (!fgets(line, sizeof(line), f) || !fgets(line, sizeof(line), f) ||
	    sscanf(line, "card %x %x %u", &chipset, &units, &gddr5) != 3)
		bail(name, "no card");
	for (i = 0; i < NV_CHIP_END && chip_ids[i] != chipset; i++)
		;
	vec.gr = (struct nvfifo_grctx){ .chip = i, .units = units, .gddr5 = gddr5 };

	while (fscanf(f, "%63s", token) == 1) {
		if (!strcmp(token, "program") || !strcmp(token, "image") ||
		    !strcmp(token, "init") || !strcmp(token, "windows")) {
			strcpy(what, token);
			n = fscanf(f, "%63s", token) == 1 ? nvfifo_text_value(token, 10) : 0;
			if (*what == 'i' && what[1] == 'm')
				vec.bytes = n;
		} else if (!strcmp(token, "areas")) {
			strcpy(what, token);
			n = 0;
		} else if (!strcmp(what, "program") && vec.length < SIM_GRCTX_PROGRAM) {
			vec.program[vec.length++] = nvfifo_text_value(token, 16);
		} else if (!strcmp(what, "image")) {
			if (strchr(token, ':')) {
				at = nvfifo_text_value(token, 16) / 4;
			} else if (at < IMAGE_MAX) {
				vec.image[at++] = nvfifo_text_value(token, 16);
			}
		} else if (!strcmp(what, "init") && vec.inits < 256) {
			struct pair *p = &vec.init[vec.inits++];

			if (!strcmp(token, "upload"))
				p->at = UPLOAD;
			else if (sscanf(token, "%x=%x", &p->at, &p->value) != 2)
				bail(name, token);
		} else if (!strcmp(what, "windows") && vec.windows < 256 &&
			   sscanf(token, "%x*%u@%x", &w.reg, &w.count, &w.word) == 3) {
			vec.window[vec.windows++] = w;
		} else if (!strcmp(what, "areas") && n < 2 &&
			   sscanf(token, "%u@%x", &w.count, &w.word) == 2) {
			vec.area[n++] = w;
		} else {
			bail(name, token);
		}
	}

	fclose(f);
	if (!vec.length || !vec.bytes || !vec.inits || !vec.windows || n != 2)
		bail(name, "incomplete");
}

/* --- The generator against the vectors ---------------------------------------- */

static uint32_t image[IMAGE_MAX];
static bool image_bad;

static void image_write(void *arg, uint32_t at, uint32_t value)
{
	(void)arg;
	image_bad |= at % 4 || at / 4 >= IMAGE_MAX || !value || image[at / 4];
	if (at / 4 < IMAGE_MAX)
		image[at / 4] = value;
}

static uint32_t make_image(const struct nvfifo_grctx *gr)
{
	memset(image, 0, sizeof(image));
	image_bad = false;
	return nvfifo_grctx_image(gr, image_write, NULL);
}

struct trace {
	uint32_t at, uploaded;
	bool bad;
};

static void trace_write(void *arg, uint32_t reg, uint32_t value)
{
	struct trace *t = arg;

	if (reg == UPLOAD && t->uploaded < vec.length) {
		t->bad |= value != vec.program[t->uploaded++] || vec.init[t->at].at != UPLOAD;
		return;
	}

	if (vec.init[t->at].at == UPLOAD)
		t->at++;

	t->bad |= t->at >= vec.inits || vec.init[t->at].at != reg ||
		  vec.init[t->at].value != value;
	t->at++;
}

static void test_generator(void)
{
	uint32_t words[NVFIFO_GRCTX_PROGRAM_MAX], n, i;
	struct trace t = { 0 };

	n = nvfifo_grctx_program(&vec.gr, words);

	for (i = 0; i < n && i < vec.length && words[i] == vec.program[i]; i++)
		;

	tap(n == vec.length && i == n, "%s: program, word for word, is equal up to %u of %u",
	    vec.name, i, vec.length);
	n = make_image(&vec.gr);

	for (i = 0; i < IMAGE_MAX && image[i] == vec.image[i]; i++)
		;

	tap(n == vec.bytes && i == IMAGE_MAX && !image_bad, "%s: image, word for word, of %u bytes",
	    vec.name, vec.bytes);
	nvfifo_grctx_init(&vec.gr, words, vec.length, trace_write, &t);
	tap(!t.bad && t.at == vec.inits && t.uploaded == vec.length,
	    "%s: register writes that initialise", vec.name);
}

/* --- The context unit ----------------------------------------------------------- */

/* A card with memory for the images of two channels */
static struct card {
	struct sim_grctx g;
	uint32_t image[2][IMAGE_MAX], bytes;
	bool no_object, busy, pending;
	uint32_t bound, traps;
	unsigned int violations;
	char last[200];
	unsigned int strands[2];	/* calls before a save; after a load is 0 */
} card;

static bool op_bind(void *arg, uint32_t chan)
{
	struct card *c = arg;

	c->bound = chan & 1;
	return !c->no_object && chan >> 31;
}

static bool op_access(void *arg, uint32_t offset, void *buf, uint32_t len, bool write)
{
	struct card *c = arg;
	uint8_t *at = (uint8_t *)c->image[c->bound] + offset;

	if (offset > c->bytes || len > c->bytes - offset)
		return false;

	if (write)
		memcpy(at, buf, len);
	else
		memcpy(buf, at, len);

	return true;
}

static bool op_idle(void *arg)
{
	return !((struct card *)arg)->busy;
}

static bool op_intr(void *arg)
{
	return ((struct card *)arg)->pending;
}

static void op_trap(void *arg, uint32_t bits)
{
	((struct card *)arg)->traps |= bits;
}

static void op_violation(void *arg, const char *text)
{
	struct card *c = arg;

	c->violations++;
	snprintf(c->last, sizeof(c->last), "%s", text);
}

static void op_strands(void *arg, bool save)
{
	((struct card *)arg)->strands[save]++;
}

static const struct sim_grctx_ops ops = {
	op_bind, op_access, op_idle, op_intr, op_trap, op_strands, op_violation,
};

static void reg_write(void *arg, uint32_t reg, uint32_t value)
{
	struct card *c = arg;

	if (sim_grctx_owns(reg))
		sim_grctx_write(&c->g, reg, value);
	else if (reg < 0x410000)
		c->g.reg[(reg - 0x400000) / 4] = value;
}

/* The driver's part, with its generator */
static uint32_t card_up(const struct nvfifo_grctx *gr, uint32_t *words)
{
	uint32_t n, i;

	card.bytes = make_image(gr);

	for (i = 0; i < 2; i++)
		memcpy(card.image[i], image, sizeof(image));

	card.no_object = false;
	card.busy = false;
	card.pending = false;
	card.traps = 0;
	card.violations = 0;
	card.last[0] = '\0';
	if (sim_grctx_init(&card.g, gr->chip, gr->units, &ops, &card))
		bail("", "no memory");

	n = nvfifo_grctx_program(gr, words);
	nvfifo_grctx_init(gr, words, n, reg_write, &card);
	return n;
}

static void upload(const uint32_t *words, uint32_t n)
{
	uint32_t i;

	sim_grctx_write(&card.g, NV_PGRAPH_CTXCTL_INDEX, 0);
	for (i = 0; i < n; i++)
		sim_grctx_write(&card.g, NV_PGRAPH_CTXCTL_DATA, words[i]);
}

static enum sim_grctx_state want(uint32_t next)
{
	sim_grctx_want(&card.g, next);
	return sim_grctx_run(&card.g);
}

static bool switch_to(uint32_t next)
{
	return want(next) == GRCTX_STOPPED && sim_grctx_switched(&card.g) && !card.violations;
}

/* Whether the card's state equals the image */
static bool holds(const uint32_t *img)
{
	const struct sim_grctx *g = &card.g;
	uint32_t i, r, s, a;

	/* The first window is the flags of word 1, of which the program sets one. */
	for (i = 1; i < vec.windows; i++)
		if (memcmp(&g->reg[(vec.window[i].reg - 0x400000) / 4], img + vec.window[i].word,
			   vec.window[i].count * 4))
			return false;

	for (a = 0; a < 2; a++)
		for (r = 0; r < vec.area[a].count; r++)
			for (s = 0; s < 8; s++)
				if (g->strand[a][s * g->rows[a] + r] !=
				    img[vec.area[a].word + 8 * r + s])
					return false;

	return true;
}

/* Change a context as methods do: every register and word gets another value. */
static void change(uint32_t seed)
{
	struct sim_grctx *g = &card.g;
	uint32_t i, a, n;

	for (i = 1; i < vec.windows; i++)
		for (n = 0; n < vec.window[i].count; n++)
			g->reg[(vec.window[i].reg - 0x400000) / 4 + n] += seed + n;

	for (a = 0; a < 2; a++)
		for (n = 0; n < 8 * g->rows[a]; n++)
			g->strand[a][n] ^= seed + n;
}

static void test_switch(void)
{
	static uint32_t saved[2][IMAGE_MAX];
	uint32_t words[SIM_GRCTX_PROGRAM], n, i;
	bool ok;

	card_up(&vec.gr, words);
	tap(card.g.rows[0] == vec.area[0].count && card.g.rows[1] == vec.area[1].count,
	    "%s: rows as the model counts them", vec.name);
	tap(switch_to(CHAN(0)) && holds(vec.image), "%s: the image is loaded %s", vec.name,
	    card.last);
	tap(card.g.reg[(0x402ca8 - 0x400000) / 4] && card.bound == 0 &&
	    sim_grctx_read(&card.g, NV_PGRAPH_CTXCTL_CUR) == CHAN(0),
	    "%s: the channel is current, and registers in no context stay", vec.name);

	/* As loaded, so saved; word 1 shows that a load was completed. */
	ok = switch_to(0);
	card.image[0][1] ^= 1;
	tap(ok && !memcmp(card.image[0], vec.image, sizeof(vec.image)) &&
	    !sim_grctx_read(&card.g, NV_PGRAPH_CTXCTL_CUR),
	    "%s: the image is saved as it was loaded %s", vec.name, card.last);
	card.image[0][1] ^= 1;

	ok = switch_to(CHAN(0));

	for (i = 1; i <= 20; i++) {
		n = i % 2;
		change(i * 0x10101);
		ok &= switch_to(CHAN(n));
		memcpy(saved, card.image, sizeof(saved));
		ok &= holds(saved[n]) && !holds(saved[!n]);
	}

	tap(ok, "%s: two channels keep their own state %s", vec.name, card.last);
	sim_grctx_fini(&card.g);
}

/* All chips, also with units missing: the driver's contexts suit the model's card. */
static void test_units(void)
{
	uint32_t words[SIM_GRCTX_PROGRAM], chip, i, x = 0x50;

	for (chip = 0; chip < NV_CHIP_END; chip++) {
		bool ok = true;

		for (i = 0; ok && i < 6; i++) {
			struct nvfifo_grctx gr = { .chip = chip, .units = whole_card[chip] };

			if (i) {
				x = x * 1103515245 + 12345;
				gr.units &= 0xff000000 | x >> 8;
			}
			card_up(&gr, words);
			ok &= switch_to(CHAN(0)) && switch_to(CHAN(1)) && switch_to(0);
			sim_grctx_fini(&card.g);
		}
		tap(ok, "chipset %02x: contexts are switched with any units %s", chip_ids[chip],
		    card.last);
	}
}

static bool said(const char *text)
{
	return strstr(card.last, text);
}

/* Index of the first instruction @insn in the program */
static uint32_t find(const uint32_t *words, uint32_t n, uint32_t insn)
{
	uint32_t i;

	for (i = 0; i < n && words[i] != insn; i++)
		;
	return i;
}

static void wrong_no_program(uint32_t *words)
{
	const struct nvfifo_grctx g96 = { .chip = NV_CHIP_G96, .units = 0xf3030003 };
	struct sim_grctx *g = &card.g;

	card_up(&g96, words);
	sim_grctx_reset(g);
	g->reg[(NV_PGRAPH_DEBUG_3 - 0x400000) / 4] = 4;
	tap(want(CHAN(0)) == GRCTX_HUNG && said("is no instruction") &&
	    sim_grctx_read(g, NV_PGRAPH_CTXCTL_STATUS) & 1, "no program: %s", card.last);
	tap(want(0) == GRCTX_HUNG && !sim_grctx_switched(g), "a unit that hangs goes on hanging");
	sim_grctx_reset(g);
	tap(sim_grctx_run(g) == GRCTX_STOPPED && !sim_grctx_want(g, CHAN(0)) &&
	    sim_grctx_run(g) == GRCTX_STOPPED, "without DEBUG_3 nothing switches by itself");
	sim_grctx_fini(g);
}

static void wrong_card(uint32_t *words)
{
	const struct nvfifo_grctx g96 = { .chip = NV_CHIP_G96, .units = 0xf3030003 };
	const struct nvfifo_grctx g84 = { .chip = NV_CHIP_G84, .units = 0xf3030003 };
	const struct nvfifo_grctx small = { .chip = NV_CHIP_G96, .units = 0xf1010001 };
	struct sim_grctx *g = &card.g;
	uint32_t other[SIM_GRCTX_PROGRAM], m;

	card_up(&g96, words);
	m = nvfifo_grctx_program(&g84, other);
	upload(other, m);
	tap(want(CHAN(0)) == GRCTX_STOPPED && said("there are"), "the program of a G84: %s",
	    card.last);
	sim_grctx_fini(g);

	card_up(&small, words);
	m = nvfifo_grctx_program(&g96, other);
	upload(other, m);

	/* A register window for each, and the counts at the end */
	tap(want(CHAN(0)) == GRCTX_STOPPED && card.violations > 100 &&
	    said("load of 580 registers, there are 435"), "the program of a larger card: %s",
	    card.last);
	sim_grctx_fini(g);

	card_up(&g96, words);
	m = nvfifo_grctx_program(&small, other);
	upload(other, m);
	tap(want(CHAN(0)) == GRCTX_STOPPED && card.violations == 1 &&
	    said("load of 435 registers, there are 580"), "the program of a smaller card: %s",
	    card.last);
	sim_grctx_fini(g);
}

static void wrong_rows(uint32_t *words)
{
	const struct nvfifo_grctx g96 = { .chip = NV_CHIP_G96, .units = 0xf3030003 };
	struct sim_grctx *g = &card.g;
	uint32_t n, i;

	n = card_up(&g96, words);
	i = find(words, n, 0xc000ff);
	words[i - 1]++;
	upload(words, n);
	tap(want(CHAN(0)) == GRCTX_HUNG && said("has 11730 rows, not 11731"), "a row too many: %s",
	    card.last);
	sim_grctx_fini(g);

	n = card_up(&g96, words);
	i = find(words, n, 0xc800ff);
	words[i - 1]--;
	upload(words, n);
	tap(want(CHAN(0)) == GRCTX_STOPPED && said("load of 1086 rows of area 2, there are 1087"),
	    "a row too few: %s", card.last);
	sim_grctx_fini(g);
}

static void wrong_image(uint32_t *words)
{
	const struct nvfifo_grctx g96 = { .chip = NV_CHIP_G96, .units = 0xf3030003 };
	struct sim_grctx *g = &card.g;
	uint32_t bytes;

	card_up(&g96, words);
	card.no_object = true;
	tap(want(CHAN(0)) == GRCTX_HUNG && card.traps == 1u << 2 && !card.violations,
	    "no context DMA object: hangs with GRCTX_MMIO in DISPATCH_TRAP");
	sim_grctx_fini(g);

	card_up(&g96, words);
	bytes = card.bytes;
	card.bytes = 0x1000;
	tap(want(CHAN(0)) == GRCTX_HUNG && card.traps == 1u << 3,
	    "an image that ends in area 1: XFER1");
	sim_grctx_fini(g);
	card_up(&g96, words);
	card.bytes = bytes - 0x400 * 4 - 8 * 4 * 2;
	tap(want(CHAN(0)) == GRCTX_HUNG && card.traps == 1u << 4,
	    "an image that ends in area 2: XFER2");
	sim_grctx_fini(g);
	card_up(&g96, words);
	card.bytes = 0x100;
	tap(want(CHAN(0)) == GRCTX_HUNG && card.traps == 1u << 2,
	    "an image that ends before the registers: MMIO");
	sim_grctx_fini(g);

	/* The remainder of the image has no use, as far as is known. */
	card_up(&g96, words);
	card.bytes -= 0x400 * 4;
	tap(switch_to(CHAN(0)) && switch_to(0), "its last 4 KiB are not used %s", card.last);
	sim_grctx_fini(g);
}

static void wrong_instructions(uint32_t *words)
{
	const struct nvfifo_grctx g96 = { .chip = NV_CHIP_G96, .units = 0xf3030003 };
	struct sim_grctx *g = &card.g;
	uint32_t n;

	n = card_up(&g96, words);
	words[1] = 0x200000;
	upload(words, n);
	tap(want(CHAN(0)) == GRCTX_HUNG && said("without flag 0e"), "%s", card.last);
	sim_grctx_fini(g);

	n = card_up(&g96, words);
	words[9] = 0x200000;
	upload(words, n);
	want(CHAN(0));
	tap(g->state == GRCTX_HUNG && said("units are disabled"), "%s", card.last);
	sim_grctx_fini(g);

	n = card_up(&g96, words);
	words[n - 6] = 0x200000;
	upload(words, n);
	tap(want(CHAN(0)) == GRCTX_HUNG && said("the channel is still 00000000 and not 80000000"),
	    "%s", card.last);
	sim_grctx_fini(g);

	n = card_up(&g96, words);
	words[n - 1] = 0x400000 | (n - 2) << 8 | 0x4d;
	upload(words, n);
	tap(want(CHAN(0)) == GRCTX_HUNG && said("does not end"), "%s", card.last);
	sim_grctx_fini(g);

	n = card_up(&g96, words);
	words[4] = 0x200000;
	upload(words, n);
	tap(want(CHAN(0)) == GRCTX_STOPPED && said("without a load"), "%s", card.last);
	sim_grctx_fini(g);

	n = card_up(&g96, words);
	words[13] = 0x200000;
	words[14] = 0x50004a;
	upload(words, n);
	tap(want(CHAN(0)) == GRCTX_RUNNING, "the new DMA object is only said at once");
	sim_grctx_fini(g);
}

static void test_wrong(void)
{
	uint32_t words[SIM_GRCTX_PROGRAM];

	wrong_no_program(words);
	wrong_card(words);
	wrong_rows(words);
	wrong_image(words);
	wrong_instructions(words);
}

/* A save waits for the units, and for interrupts to be acknowledged. */
static void test_waits(void)
{
	const struct nvfifo_grctx g84 = { .chip = NV_CHIP_G84, .units = 0xf3030003 };
	struct sim_grctx *g = &card.g;
	uint32_t words[SIM_GRCTX_PROGRAM], n;

	card_up(&g84, words);
	card.busy = true;
	tap(switch_to(CHAN(0)), "a first load waits for nothing %s", card.last);
	tap(want(CHAN(1)) == GRCTX_RUNNING && !sim_grctx_switched(g) &&
	    sim_grctx_read(g, NV_PGRAPH_CTXCTL_STATUS) == 0x123 &&
	    sim_grctx_read(g, NV_PGRAPH_CTXCTL_PC) == 19, "a save waits for idle units");
	card.busy = false;
	card.pending = true;
	tap(sim_grctx_run(g) == GRCTX_RUNNING && sim_grctx_read(g, NV_PGRAPH_CTXCTL_PC) == 20,
	    "and for the end of an interrupt");
	card.pending = false;
	tap(sim_grctx_run(g) == GRCTX_STOPPED && sim_grctx_switched(g) && card.bound == 1 &&
	    sim_grctx_read(g, NV_PGRAPH_CTXCTL_STATUS) == 0xe && !card.violations,
	    "and then goes on %s", card.last);

	sim_grctx_write(g, NV_PGRAPH_CTXCTL_CONTROL, 0x11);
	tap(sim_grctx_run(g) == GRCTX_RUNNING && sim_grctx_read(g, NV_PGRAPH_CTXCTL_PC) == 0 &&
	    sim_grctx_read(g, NV_PGRAPH_CTXCTL_OPCODE) == words[0], "paused at its first instruction");
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_DATA, 0);
	tap(said("written while it runs"), "%s", card.last);
	card.violations = 0;
	card.last[0] = '\0';
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_CONTROL, 2);
	tap(sim_grctx_run(g) == GRCTX_STOPPED && !card.violations, "nothing asked, nothing done %s",
	    card.last);

	/* By hand, as drivers did: flag 05 for a save, 06 for a load. */
	memset(card.image[1] + 0x40, 0, 0x40);
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_FLAGS_0, 1u << 5);
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_CONTROL, 1);
	n = sim_grctx_run(g);
	card.image[1][1] = 0;
	tap(n == GRCTX_STOPPED && !memcmp(card.image[1], image, sizeof(image)) &&
	    !(sim_grctx_read(g, NV_PGRAPH_CTXCTL_FLAGS_0) & 1u << 5), "a save by hand %s", card.last);
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_SWAP, CHAN(0));
	card.image[0][0x40] = 0x12345;
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_FLAGS_0, 1u << 6);
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_CONTROL, 1);
	tap(sim_grctx_run(g) == GRCTX_STOPPED && g->reg[0x808 / 4] == 0x12345 && !card.violations,
	    "a load by hand %s", card.last);
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_CMD, 0x1f);
	tap(said("command 1f is not known") && g->state == GRCTX_STOPPED, "%s", card.last);
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_SCRATCH, 0x1234f);
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_CMD, 7);
	tap(sim_grctx_read(g, NV_PGRAPH_CTXCTL_PTR_XFER) == 0x12348, "the transfer pointer is aligned");
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_INDEX, 511);
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_DATA, 0x211111);
	sim_grctx_write(g, NV_PGRAPH_CTXCTL_DATA, 0x222222);
	tap(sim_grctx_read(g, NV_PGRAPH_CTXCTL_OPCODE) == 0x222222, "the upload index wraps at 512");
	sim_grctx_write(g, NV_PGRAPH_SUBUNIT_RESET, ~0u);
	tap(sim_grctx_words(g, &n)[0] && n >= 1170, "a reset clears the units' state");
	sim_grctx_fini(g);
}

int main(void)
{
	static const char * const names[] = {
		"g80-f1010001", "g80-f33f00ff", "g96-f3030003", "g200-f7ff03ff",
		"gt215-f703000f", "gt215-f703000f-gddr5", "gt218-f3010001",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		read_vector(names[i]);
		test_generator();
		test_switch();
	}

	test_units();
	test_wrong();
	test_waits();
	return tap_end();
}
