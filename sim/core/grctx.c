// SPDX-License-Identifier: MIT
/*
 * The interpreter of context programs: PGRAPH's context unit runs the program that the driver has
 * uploaded, which saves and loads PGRAPH's state on a switch.
 *
 * An instruction has its operation in bits 23:20. Instructions take no time: a transfer ends with
 * its instruction. Sources know few results of a wrong program: a transfer never ends if it touches
 * a disabled unit or lacks its enable flag. So the model hangs on every program that cannot go on.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grctx.h"

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

/* More instructions than a program that ends can have */
#define ENDLESS		(64 * SIM_GRCTX_PROGRAM)

/* Value of strand words before anything is written to them */
#define GARBAGE		0xdead0000u

#define ALL_UNITS	0x7fffffu

/* Status flags, by their bit in FLAGS_2 */
#define STATUS_IDLE		(1u << 0)
#define STATUS_AUTO_SAVE	(1u << 4)
#define STATUS_AUTO_LOAD	(1u << 5)
#define STATUS_BIND_DONE	(1u << 10)
#define STATUS_TIMER_ZERO	(1u << 12)
#define STATUS_ALWAYS		(1u << 13)
#define STATUS_INTR		(1u << 15)

#define VALID		(1u << 31)

/* Layout of the image for each chip, in the order of enum nv_chip */
static const struct layout {
	uint16_t rows;		/* of the first area */
	uint16_t tp_rows;	/* of a TP in the second area */
	uint16_t regs, per_rop, per_tp;	/* image words up to the end of the registers */
	uint16_t dispatch, m2mf;	/* first two blocks of strand 0 */
} layouts[NV_CHIP_END] = {
	[NV_CHIP_G80] = { 9767, 1087, 480, 9, 46, 153, 1192 },
	[NV_CHIP_G84] = { 10518, 1085, 452, 10, 39, 900, 1192 },
	[NV_CHIP_G86] = { 10518, 1089, 452, 10, 39, 900, 1192 },
	[NV_CHIP_G92] = { 11730, 1085, 416, 10, 39, 896, 2408 },
	[NV_CHIP_G94] = { 11730, 1086, 417, 10, 39, 896, 2408 },
	[NV_CHIP_G96] = { 11730, 1086, 417, 10, 39, 896, 2408 },
	[NV_CHIP_G98] = { 10514, 1060, 417, 10, 39, 896, 1192 },
	[NV_CHIP_G200] = { 8556, 1120, 451, 13, 47, 900, 2408 },
	[NV_CHIP_MCP77] = { 8304, 1063, 451, 13, 47, 900, 2408 },
	[NV_CHIP_MCP79] = { 8304, 1095, 451, 13, 47, 900, 2408 },
	[NV_CHIP_GT215] = { 8306, 1181, 459, 14, 50, 901, 2408 },
	[NV_CHIP_GT216] = { 8306, 1181, 459, 14, 49, 901, 2408 },
	[NV_CHIP_GT218] = { 8306, 1158, 459, 14, 49, 901, 2408 },
	[NV_CHIP_MCP89] = { 8306, 1181, 459, 14, 49, 901, 2408 },
};

/* The first words of M2MF, which are not 0 in a fresh image */
#define M2MF_VALUES	22
#define FIRST_REG	0x40

#define R(g, off)	((g)->reg[((uint32_t)(off) - 0x400000u) / 4])

static bool is_g200(const struct sim_grctx *g)
{
	return g->chip >= NV_CHIP_G200;
}

static uint32_t count(uint32_t mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

/* Rows of the longest strand. Strand 0 has one word more than its TPs need. */
static uint32_t second_area_rows(const struct sim_grctx *g)
{
	static const uint16_t g80[] = { 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80 };
	static const uint16_t g200[] = { 0x003, 0x00c, 0x070, 0x380 };
	const uint16_t *tps = is_g200(g) ? g200 : g80;
	size_t n = is_g200(g) ? ARRAY_LEN(g200) : ARRAY_LEN(g80), i;
	uint32_t most = 0;

	for (i = 0; i < n; i++) {
		uint32_t rows = !i + layouts[g->chip].tp_rows * count(g->units & tps[i]);

		if (rows > most)
			most = rows;
	}

	return most;
}

/* Registers of the image, with the flags in its word 1 */
static uint32_t image_regs(const struct sim_grctx *g)
{
	const struct layout *l = &layouts[g->chip];
	uint32_t mps = count(g->units & (is_g200(g) ? 0xf000000 : 0x3000000));

	return l->regs + count(g->units & 0xff0000) * l->per_rop +
	       count(g->units & 0x3ff) * (l->per_tp + 32 * mps) - FIRST_REG + 1;
}

static void forget(struct sim_grctx *g)
{
	uint32_t area, i;

	for (area = 0; area < 2; area++)
		for (i = 0; i < 8 * g->rows[area]; i++)
			g->strand[area][i] = GARBAGE | (i & 0xffff);
}

int sim_grctx_init(struct sim_grctx *g, enum nv_chip chip, uint32_t units,
		   const struct sim_grctx_ops *ops, void *arg)
{
	uint32_t area;

	memset(g, 0, sizeof(*g));
	g->ops = ops;
	g->arg = arg;
	g->chip = chip;
	g->units = units;
	g->rows[0] = layouts[chip].rows;
	g->rows[1] = second_area_rows(g);

	for (area = 0; area < 2; area++) {
		g->strand[area] = calloc(8 * (size_t)g->rows[area], sizeof(uint32_t));
		if (!g->strand[area]) {
			sim_grctx_fini(g);
			return -1;
		}
	}

	g->word_count = layouts[chip].m2mf - M2MF_VALUES;
	g->words = g->strand[0] + layouts[chip].dispatch + M2MF_VALUES;
	sim_grctx_reset(g);

	return 0;
}

void sim_grctx_fini(struct sim_grctx *g)
{
	free(g->strand[0]);
	free(g->strand[1]);
	g->strand[0] = NULL;
	g->strand[1] = NULL;
}

void sim_grctx_reset(struct sim_grctx *g)
{
	memset(g->reg, 0, sizeof(g->reg));
	memset(g->program, 0xff, sizeof(g->program));	/* no instruction */
	memset(g->row, 0, sizeof(g->row));
	g->upload = 0;
	g->state = GRCTX_STOPPED;
	g->paused = false;
	g->bound = false;
	g->bind_done = 0;
	g->auto_save = false;
	g->auto_load = false;
	forget(g);
}

__attribute__((format(printf, 2, 3)))
static void violation(struct sim_grctx *g, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	g->ops->violation(g->arg, text);
}

static uint32_t pc(const struct sim_grctx *g)
{
	return R(g, NV_PGRAPH_CTXCTL_PC);
}

#define hang(g, ...) \
	do { \
		violation(g, __VA_ARGS__); \
		(g)->state = GRCTX_HUNG; \
	} while (0)

/* A fault at the image. The MMU has recorded it, PGRAPH hangs. */
static void fault(struct sim_grctx *g, uint32_t bits)
{
	g->state = GRCTX_HUNG;
	g->ops->trap(g->arg, bits);
}

static uint32_t status(const struct sim_grctx *g)
{
	uint32_t bits = STATUS_ALWAYS | STATUS_TIMER_ZERO;

	if (g->ops->idle(g->arg))
		bits |= STATUS_IDLE;

	if (g->auto_save)
		bits |= STATUS_AUTO_SAVE;

	if (g->auto_load)
		bits |= STATUS_AUTO_LOAD;

	if (g->bind_done)
		bits |= STATUS_BIND_DONE;

	if (g->ops->intr(g->arg))
		bits |= STATUS_INTR;

	return bits;
}

/* Whether the flag in bits 6:0 is clear if bit 7 is 1, set if it is 0 */
static bool condition(const struct sim_grctx *g, uint32_t insn)
{
	uint32_t flag = insn & 0x7f, word;

	if (flag >> 5 == 2)
		word = status(g);
	else
		word = g->reg[(NV_PGRAPH_CTXCTL_FLAGS_0 - 0x400000) / 4 + (flag >> 5)];
	return (word >> (flag & 31) & 1) != (insn >> 7 & 1);
}

static bool saving(const struct sim_grctx *g)
{
	return R(g, NV_PGRAPH_CTXCTL_FLAGS_0) & 1;
}

/* Does the register exist? The card may lack its unit. */
static bool present(const struct sim_grctx *g, uint32_t reg)
{
	uint32_t step = is_g200(g) ? 0x800 : 0x1000;
	uint32_t mp_base = is_g200(g) ? 0x100 : 0x200;
	uint32_t mp_end = mp_base + (is_g200(g) ? 4 : 2) * 0x80, tp, in_tp;

	if (reg >= 0x407000 && reg < 0x407800)
		return g->units >> (16 + (reg - 0x407000) / 0x100) & 1;
	if (reg < 0x408000)
		return true;

	tp = (reg - 0x408000) / step;
	in_tp = (reg - 0x408000) % step;
	if (!(g->units >> tp & 1))
		return false;

	return in_tp < mp_base || in_tp >= mp_end ||
	       (g->units >> (24 + (in_tp - mp_base) / 0x80) & 1);
}

static void put_le32(uint8_t *p, uint32_t v)
{
	p[0] = v;
	p[1] = v >> 8;
	p[2] = v >> 16;
	p[3] = v >> 24;
}

static uint32_t get_le32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Move registers to or from the image, at the register pointer. */
static void move(struct sim_grctx *g, uint32_t insn)
{
	uint32_t n = insn >> 16 & 0xf, first = insn & 0x3fff, at = R(g, NV_PGRAPH_CTXCTL_PTR_REG);
	bool save = saving(g);
	uint8_t word[4];
	uint32_t i;

	if (!n)
		n = R(g, NV_PGRAPH_CTXCTL_SCRATCH);

	if (first + n > ARRAY_LEN(g->reg)) {
		hang(g, "context program: %u registers from %06x on, which is behind PGRAPH", n,
		     0x400000 + first * 4);
		return;
	}

	if (!g->bound) {
		hang(g, "context program: moves registers, but there is no context DMA object");
		return;
	}

	if (R(g, NV_PGRAPH_SUBUNIT_RESET) & ALL_UNITS)
		violation(g, "context program: moves registers while units are disabled");

	for (i = first; i < first + n; i++) {
		uint32_t reg = 0x400000 + i * 4;

		if (!present(g, reg))
			violation(g, "context program: register %06x is of a unit that is not there",
				  reg);
		put_le32(word, present(g, reg) ? g->reg[i] : 0);
		if (!g->ops->access(g->arg, at++ * 4, word, sizeof(word), save)) {
			fault(g, NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__GRCTX_FAULT_MMIO));
			return;
		}

		if (!save && present(g, reg))
			g->reg[i] = get_le32(word);
		g->moved[save]++;
	}

	R(g, NV_PGRAPH_CTXCTL_PTR_REG) = at;
}

/* Move rows of an area to or from the image, at the transfer pointer. A row has 8 words. */
static void transfer(struct sim_grctx *g, uint32_t insn)
{
	uint32_t area = insn >> 19 & 1, n = R(g, NV_PGRAPH_CTXCTL_SCRATCH), at, r, s;
	uint32_t *row = &g->row[area];
	bool save = saving(g);
	uint8_t words[32];

	if ((insn & 0xff) != 0xff) {
		hang(g, "context program: transfer of strands %02x alone", insn & 0xff);
		return;
	}

	if (!g->bound) {
		hang(g, "context program: a transfer, but there is no context DMA object");
		return;
	}

	if (!(R(g, NV_PGRAPH_CTXCTL_FLAGS_0) & NV_FLD_MASK(NV_PGRAPH_CTXCTL_FLAGS_0__XFER_ENABLE))) {
		hang(g, "context program: a transfer without flag 0e never ends");
		return;
	}

	if (R(g, NV_PGRAPH_SUBUNIT_RESET) & ALL_UNITS) {
		hang(g, "context program: a transfer while units are disabled never ends");
		return;
	}

	if (n > g->rows[area] - *row) {
		hang(g, "context program: area %u has %u rows, not %u from %u on", area + 1,
		     g->rows[area], n, *row);
		return;
	}

	at = R(g, NV_PGRAPH_CTXCTL_PTR_XFER);

	if (save && !area && !*row)
		g->ops->strands(g->arg, true);
	for (r = 0; r < n; r++, at += 8, (*row)++) {
		for (s = 0; s < 8; s++)
			put_le32(words + 4 * s, g->strand[area][s * g->rows[area] + *row]);
		if (!g->ops->access(g->arg, at * 4, words, sizeof(words), save)) {
			fault(g, area ? NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__GRCTX_FAULT_XFER2) :
					NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__GRCTX_FAULT_XFER1));
			return;
		}

		for (s = 0; !save && s < 8; s++)
			g->strand[area][s * g->rows[area] + *row] = get_le32(words + 4 * s);
	}

	if (!save && !area && *row == g->rows[area])
		g->ops->strands(g->arg, false);
	R(g, NV_PGRAPH_CTXCTL_PTR_XFER) = at;
	if (*row > g->transferred[save][area])
		g->transferred[save][area] = *row;
}

static void start(struct sim_grctx *g)
{
	memset(g->moved, 0, sizeof(g->moved));
	memset(g->transferred, 0, sizeof(g->transferred));
	g->state = GRCTX_RUNNING;
}

/* The program has ended: check that it did the load or save that it was started for. */
static void end(struct sim_grctx *g)
{
	static const char * const what[] = { "load", "save" };
	bool wanted = g->auto_load || g->auto_save;
	uint32_t dir, area;

	g->state = GRCTX_STOPPED;
	R(g, NV_PGRAPH_CTXCTL_PC) = 0;

	for (dir = 0; dir < 2; dir++) {
		bool done = g->moved[dir];

		if (!done && (dir ? g->auto_save : g->auto_load))
			violation(g, "context program: ended without a %s", what[dir]);
		if (done && g->moved[dir] != image_regs(g))
			violation(g, "context program: %s of %u registers, there are %u", what[dir],
				  g->moved[dir], image_regs(g));
		for (area = 0; done && area < 2; area++)
			if (g->transferred[dir][area] != g->rows[area])
				violation(g, "context program: %s of %u rows of area %u, there are %u",
					  what[dir], g->transferred[dir][area], area + 1,
					  g->rows[area]);
	}

	g->auto_save = false;
	g->auto_load = false;
	if (wanted && !sim_grctx_switched(g))
		hang(g, "context program: ended, but the channel is still %08x and not %08x",
		     R(g, NV_PGRAPH_CTXCTL_CUR), R(g, NV_PGRAPH_CTXCTL_NEXT));
}

static void disable(struct sim_grctx *g, uint32_t units)
{
	R(g, NV_PGRAPH_SUBUNIT_RESET) |= units;
	/* Units lose their state. On cards some may keep it, but no program may rely on that. */
	if ((R(g, NV_PGRAPH_SUBUNIT_RESET) & ALL_UNITS) == ALL_UNITS)
		forget(g);
}

static void command(struct sim_grctx *g, uint32_t n)
{
	switch (n) {
	case 0x04:
		g->bound = g->ops->bind(g->arg, R(g, NV_PGRAPH_CTXCTL_SWAP));
		if (g->bound)
			g->bind_done = 2;
		else
			fault(g, NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__GRCTX_FAULT_MMIO));
		break;
	case 0x05:
		R(g, NV_PGRAPH_CTXCTL_SWAP) = R(g, NV_PGRAPH_CTXCTL_NEXT);
		break;
	case 0x06:
		R(g, NV_PGRAPH_CTXCTL_PTR_REG) = R(g, NV_PGRAPH_CTXCTL_SCRATCH);
		break;
	case 0x07:
		R(g, NV_PGRAPH_CTXCTL_PTR_XFER) = R(g, NV_PGRAPH_CTXCTL_SCRATCH) & 0xffff8;
		break;
	case 0x08:	/* a timer, which ends at once */
		break;
	case 0x09:
		R(g, NV_PGRAPH_SUBUNIT_RESET) = 0;
		break;
	case 0x0c:
		end(g);
		break;
	case 0x0d:
		R(g, NV_PGRAPH_CTXCTL_CUR) = R(g, NV_PGRAPH_CTXCTL_NEXT);
		break;
	default:
		violation(g, "context unit: command %02x is not known", n);
		if (g->state == GRCTX_RUNNING)
			g->state = GRCTX_HUNG;
	}
}

static void set_flag(struct sim_grctx *g, uint32_t insn)
{
	uint32_t flag = insn & 0x7f, bit = 1u << (flag & 31), *word;

	if (flag >> 5 == 2) {
		violation(g, "context program: writes status flag %02x", flag);
		return;
	}

	word = &g->reg[(NV_PGRAPH_CTXCTL_FLAGS_0 - 0x400000) / 4 + (flag >> 5)];
	*word = insn >> 7 & 1 ? *word | bit : *word & ~bit;
}

/* One instruction; false if it waits. */
static bool step(struct sim_grctx *g)
{
	uint32_t at = pc(g), insn = g->program[at], next = (at + 1) % SIM_GRCTX_PROGRAM;

	if (g->bind_done)
		g->bind_done--;

	switch (insn >> 20 & 0xf) {
	case 0x1:
		move(g, insn);
		break;
	case 0x2:
		R(g, NV_PGRAPH_CTXCTL_SCRATCH) = insn & 0xfffff;
		break;
	case 0x3:
		R(g, NV_PGRAPH_CTXCTL_SCRATCH2) = insn & 0xfffff;
		break;
	case 0x4:
		if (insn >> 18 & 3)
			hang(g, "context program: %06x at %u is no jump", insn, at);
		else if (condition(g, insn))
			next = insn >> 8 & 0x1ff;
		break;
	case 0x5:
		if (!condition(g, insn))
			return false;
		break;
	case 0x6:
		command(g, insn & 0x1f);
		if (g->state == GRCTX_STOPPED)
			return true;
		break;
	case 0x7:
		set_flag(g, insn);
		break;
	case 0x8:
		transfer(g, insn);
		break;
	case 0x9:
		disable(g, insn >> 16 & 1 ? insn << 16 : insn & 0xffff);
		break;
	case 0xa:
		R(g, NV_PGRAPH_CTXCTL_FLAGS_3) = g->reg[insn & 0x3fff];
		break;
	case 0xc:
		if (insn & 0x7ff00 || (insn & 0xff) != 0xff)
			hang(g, "context program: %06x at %u: only position 0 of all strands is known",
			     insn, at);
		else
			g->row[insn >> 19 & 1] = 0;
		break;
	default:
		hang(g, "context program: %06x at %u is no instruction", insn & 0xffffff, at);
	}

	/* The PC of a hung program stays at its instruction. */
	if (g->state == GRCTX_RUNNING)
		R(g, NV_PGRAPH_CTXCTL_PC) = next;
	return true;
}

enum sim_grctx_state sim_grctx_run(struct sim_grctx *g)
{
	uint32_t n;

	for (n = 0; g->state == GRCTX_RUNNING && !g->paused; n++) {
		if (n == ENDLESS)
			hang(g, "context program: does not end");
		else if (!step(g))
			break;
	}

	return g->state;
}

bool sim_grctx_switched(const struct sim_grctx *g)
{
	return g->state == GRCTX_STOPPED &&
	       R(g, NV_PGRAPH_CTXCTL_CUR) == R(g, NV_PGRAPH_CTXCTL_NEXT);
}

bool sim_grctx_want(struct sim_grctx *g, uint32_t next)
{
	uint32_t cur = R(g, NV_PGRAPH_CTXCTL_CUR);

	R(g, NV_PGRAPH_CTXCTL_NEXT) = next;
	if (cur == next || g->state != GRCTX_STOPPED)
		return true;
	if (!(R(g, NV_PGRAPH_DEBUG_3) & NV_FLD_MASK(NV_PGRAPH_DEBUG_3__HW_CONTEXT_SWITCH)))
		return false;

	g->auto_save = cur & VALID;
	g->auto_load = next & VALID;
	start(g);

	return true;
}

bool sim_grctx_owns(uint32_t off)
{
	return off == NV_PGRAPH_SUBUNIT_RESET || (off >= 0x400300 && off < 0x400340) ||
	       off == NV_PGRAPH_CTXCTL_SWAP || (off >= 0x400824 && off < 0x400834);
}

uint32_t sim_grctx_read(struct sim_grctx *g, uint32_t off)
{
	bool running = g->state != GRCTX_STOPPED;

	switch (off) {
	case NV_PGRAPH_CTXCTL_STATUS:
		return (running ? 0x23 : 0xe) |
		       NV_FLD_SET(NV_PGRAPH_CTXCTL_STATUS__NEXT_DIFFERS,
				  R(g, NV_PGRAPH_CTXCTL_CUR) != R(g, NV_PGRAPH_CTXCTL_NEXT));
	case NV_PGRAPH_CTXCTL_CONTROL:
		return running;
	case NV_PGRAPH_CTXCTL_OPCODE:
		return g->program[pc(g)];
	case NV_PGRAPH_CTXCTL_PC_RD:
		return pc(g);
	case NV_PGRAPH_CTXCTL_CMD:
	case NV_PGRAPH_CTXCTL_INDEX:
	case NV_PGRAPH_CTXCTL_DATA:
		return 0;
	case NV_PGRAPH_CTXCTL_FLAGS_2:
		return status(g);
	}

	return R(g, off);
}

void sim_grctx_write(struct sim_grctx *g, uint32_t off, uint32_t val)
{
	switch (off) {
	case NV_PGRAPH_SUBUNIT_RESET:
		R(g, off) = 0;
		disable(g, val);
		return;
	case NV_PGRAPH_CTXCTL_CONTROL:
		if (val & 1u << 2)
			R(g, NV_PGRAPH_CTXCTL_PC) = 0;
		if (val & 1u << 3)
			memset(&R(g, NV_PGRAPH_CTXCTL_FLAGS_0), 0, 4 * sizeof(uint32_t));
		if (val & NV_FLD_MASK(NV_PGRAPH_CTXCTL_CONTROL__RESUME))
			g->paused = false;
		if (val & NV_FLD_MASK(NV_PGRAPH_CTXCTL_CONTROL__PAUSE))
			g->paused = true;
		if (val & NV_FLD_MASK(NV_PGRAPH_CTXCTL_CONTROL__RUN) && g->state == GRCTX_STOPPED)
			start(g);
		return;
	case NV_PGRAPH_CTXCTL_PC:
		R(g, off) = val % SIM_GRCTX_PROGRAM;
		return;
	case NV_PGRAPH_CTXCTL_CMD:
		command(g, val & 0x1f);
		return;
	case NV_PGRAPH_CTXCTL_INDEX:
		g->upload = val % SIM_GRCTX_PROGRAM;
		return;
	case NV_PGRAPH_CTXCTL_DATA:
		if (g->state != GRCTX_STOPPED)
			violation(g, "context program written while it runs");
		g->program[g->upload] = val & 0xffffff;
		g->upload = (g->upload + 1) % SIM_GRCTX_PROGRAM;
		return;
	case NV_PGRAPH_CTXCTL_SCRATCH:
	case NV_PGRAPH_CTXCTL_SCRATCH2:
	case NV_PGRAPH_CTXCTL_PTR_REG:
		R(g, off) = val & 0xfffff;
		return;
	case NV_PGRAPH_CTXCTL_PTR_XFER:
		R(g, off) = val & 0xffff8;
		return;
	case NV_PGRAPH_CTXCTL_STATUS:
	case NV_PGRAPH_CTXCTL_OPCODE:
	case NV_PGRAPH_CTXCTL_PC_RD:
	case NV_PGRAPH_CTXCTL_FLAGS_2:
		return;
	}

	R(g, off) = val;
}
