// SPDX-License-Identifier: MIT
/*
 * The engines as PFIFO sees them: the channel that each one works for, the objects that are bound
 * to its subchannels, whether it is idle. The model records every method that is sent to an engine.
 * PGRAPH executes methods (pgraph.c); all other engines accept any method and do nothing.
 */
#include <stdlib.h>

#include "core.h"
#include "gr.h"

#define PGRAPH	1
#define PCIPHER	5

struct class_row {
	u16 class;
	u8 first, end;		/* enum nv_chip, half open */
	u8 engine;
};

#define ROW(class, first, end, engine)	{ class, NV_CHIP_##first, NV_CHIP_##end, engine }

/* Only PGRAPH and PCIPHER check the class; those of other engines are drivers' conventions. */
static const struct class_row classes[] = {
	ROW(0x0012, G80, G84, 1), ROW(0x0019, G80, G84, 1), ROW(0x0030, G80, END, 1),
	ROW(0x0043, G80, G84, 1), ROW(0x0044, G80, G84, 1), ROW(0x004a, G80, G84, 1),
	ROW(0x0057, G80, G84, 1), ROW(0x005d, G80, G84, 1), ROW(0x005f, G80, G84, 1),
	ROW(0x0072, G80, G84, 1), ROW(0x305c, G80, G84, 1), ROW(0x3064, G80, G84, 1),
	ROW(0x3066, G80, G84, 1), ROW(0x307b, G80, G84, 1), ROW(0x308a, G80, G84, 1),
	ROW(0x5062, G80, G84, 1), ROW(0x5089, G80, G84, 1),
	ROW(0x502d, G80, END, 1), ROW(0x5039, G80, END, 1), ROW(0x50c0, G80, END, 1),
	ROW(0x5097, G80, G200, 1), ROW(0x8297, G84, G200, 1), ROW(0x8397, G200, GT215, 1),
	ROW(0x8597, GT215, MCP89, 1), ROW(0x8697, MCP89, END, 1), ROW(0x85c0, GT215, END, 1),
	ROW(0x74c1, G84, G98, 5), ROW(0x74c1, G200, MCP77, 5),
};

/* PCIPHER is engine 5 of the chips with VP2; its successors run microcode. */
static bool is_pcipher(const struct nvsim *s, u32 engine)
{
	return engine == PCIPHER && ((s->chip >= NV_CHIP_G84 && s->chip < NV_CHIP_G98) ||
				     s->chip == NV_CHIP_G200);
}

bool sim_class_ok(const struct nvsim *s, u32 engine, u32 class)
{
	size_t i;

	if (engine != PGRAPH && !is_pcipher(s, engine))
		return true;
	for (i = 0; i < ARRAY_LEN(classes); i++)
		if (classes[i].class == class && classes[i].engine == engine &&
		    s->chip >= classes[i].first && s->chip < classes[i].end)
			return true;
	return false;
}

bool sim_engine_exists(const struct nvsim *s, u32 engine)
{
	return engine < SIM_ENGINES && (s->info->engines & 1u << engine);
}

/* Offset of an engine's context DMA object in the channel structure */
static u32 context_offset(const struct nvsim *s, u32 engine)
{
	static const u16 g80[SIM_ENGINES] = { 0, 0x200, 0x260, 0x240, 0x220 };
	static const u16 g84[SIM_ENGINES] = { 0, 0x20, 0x60, 0xc0, 0x40, 0xa0, 0x80 };

	return sim_is_g80(s) ? g80[engine] : g84[engine];
}

/* Whether an instance is the place of an engine's context DMA object */
bool sim_is_engine_ctx(const struct nvsim *s, u16 inst)
{
	u32 i;

	for (i = 1; i < SIM_ENGINES; i++)
		if (context_offset(s, i) >> 4 == inst)
			return true;
	return false;
}

u16 sim_engine_ctx(const struct nvsim *s, u32 engine)
{
	return context_offset(s, engine) >> 4;
}

static u32 enable_bit(const struct nvsim *s, u32 engine)
{
	static const u8 bit[SIM_ENGINES] = { 0, 12, 1, 13, 17, 14, 15 };

	/* On the G80 PME shares PMPEG's enable bit. */
	if (sim_is_g80(s) && engine == 3)
		return 1u << 1;
	return 1u << bit[engine];
}

bool sim_engine_has_context(struct nvsim *s, u32 engine, u32 chan)
{
	u8 ctx[24], zero[24] = { 0 };

	sim_peek(s, chan >> 28 & 3,
		 ((u64)(chan & 0x0fffffff) << 12) + context_offset(s, engine), ctx, sizeof(ctx));
	return memcmp(ctx, zero, sizeof(ctx));
}

/* --- the record --- */

static void crc_init(u32 table[4][256])
{
	unsigned int i, k;
	u32 crc;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		table[0][i] = crc;
	}

	for (k = 1; k < 4; k++)
		for (i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
}

int sim_engine_init(struct nvsim *s)
{
	crc_init(s->crc_table);
	s->record = calloc(SIM_RECORDS, sizeof(*s->record));
	return s->record ? 0 : -1;
}

void sim_engine_fini(struct nvsim *s)
{
	free(s->record);
}

static u32 crc32_word(const u32 table[4][256], u32 crc, u32 word)
{
	crc = ~crc ^ word;
	return ~(table[3][crc & 0xff] ^ table[2][crc >> 8 & 0xff] ^ table[1][crc >> 16 & 0xff] ^
		 table[0][crc >> 24]);
}

static void count(struct nvsim *s, unsigned int chid, u32 where, u32 data)
{
	struct sim_record_sum *sum = &s->record_sum[chid];

	sum->count++;
	sum->crc = crc32_word(s->crc_table, crc32_word(s->crc_table, sum->crc, where), data);
}

static void record(struct nvsim *s, unsigned int chid, u32 engine, u32 subc, u32 mthd, u32 raw,
		   u32 data, u16 class)
{
	u32 where = engine << 20 | subc << 16 | mthd;
	struct sim_record *r = &s->record[s->record_sum[0].count % SIM_RECORDS];

	*r = (struct sim_record){
		.where = chid << 24 | where, .data = raw, .class = class, .object = data,
	};
	count(s, 0, where, raw);
	count(s, chid, where, raw);
}

void sim_record_reset(struct nvsim *s)
{
	memset(s->record_sum, 0, sizeof(s->record_sum));
	s->record_pos = 0;
}

/* The next record of channel @chid, or with 0 of any channel; NULL at the end */
const struct sim_record *sim_record_next(struct nvsim *s, unsigned int chid)
{
	u64 end = s->record_sum[0].count;

	if (end - s->record_pos > SIM_RECORDS)
		s->record_pos = end - SIM_RECORDS;
	while (s->record_pos < end) {
		const struct sim_record *r = &s->record[s->record_pos++ % SIM_RECORDS];

		if (!chid || r->where >> 24 == chid)
			return r;
	}

	return NULL;
}

/* --- switching --- */

bool sim_engine_idle(struct nvsim *s, u32 engine)
{
	if (engine == PGRAPH)
		return !sim_pgraph_busy(s);
	return true;
}

/* Whether the engine has finished the loaded channel's methods; it may work for another one. */
bool sim_engine_done(struct nvsim *s, u32 engine)
{
	const struct sim_engine *e = &s->engine[engine % SIM_ENGINES];

	return !e->valid || e->chan != s->vm[VMENG_PFIFO].chan || sim_engine_idle(s, engine);
}

/* The value of ENGINE_IDLE */
u32 sim_engine_idle_mask(struct nvsim *s)
{
	u32 mask = NV_FLD_MASK(NV_PFIFO_ENGINE_IDLE__ALL), i;

	for (i = 1; i < SIM_ENGINES; i++) {
		bool reset = sim_engine_exists(s, i) &&
			     !(*sim_reg(s, NV_PMC_ENABLE) & enable_bit(s, i));

		if (!sim_engine_idle(s, i) || (reset && !sim_quirk(s, NVSIM_QUIRK_RESET_IDLE)))
			mask &= ~(1u << (i - 1));
	}

	return mask;
}

void sim_engine_reset(struct nvsim *s, u32 engine)
{
	memset(&s->engine[engine], 0, sizeof(s->engine[engine]));
	if (engine == PGRAPH)
		sim_pgraph_reset(s);
	sim_pfifo_wake(s);
}

/* Reset the engines whose bits were cleared in PMC.ENABLE. */
void sim_engine_disabled(struct nvsim *s, u32 bits)
{
	u32 i;

	for (i = 1; i < SIM_ENGINES; i++)
		if (bits & enable_bit(s, i))
			sim_engine_reset(s, i);
}

/*
 * Switch the engine to the channel that PFIFO has loaded; false while it cannot. PGRAPH stays on
 * its own channel if it only records the new channel's methods.
 */
static bool switch_to(struct nvsim *s, u32 engine)
{
	struct sim_engine *e = &s->engine[engine];
	u32 chan = s->vm[VMENG_PFIFO].chan;
	bool context = s->cfg.engine_context != NVSIM_ENGINE_RECORD &&
		       sim_engine_has_context(s, engine, chan);

	if (engine == PGRAPH) {
		if (s->cfg.engine_context == NVSIM_ENGINE_REQUIRE)
			context = true;
		if (context && !sim_pgraph_switch(s, chan))
			return false;
	}

	e->valid = true;
	e->chan = chan;
	e->recording = !context;
	return true;
}

/*
 * Unload a kicked channel from the engines in @mask, bit n for engine n + 1. False while one of
 * them still needs it.
 */
bool sim_engine_kick(struct nvsim *s, u32 desc, u32 mask)
{
	u32 i;

	for (i = 1; i < SIM_ENGINES; i++) {
		struct sim_engine *e = &s->engine[i];

		if (!(mask & 1u << (i - 1)))
			continue;
		if (i == PGRAPH && !sim_pgraph_unload(s, desc))
			return false;
		if (e->valid && e->chan == desc)
			e->valid = false;
	}

	return true;
}

static u16 object_class(struct nvsim *s, u32 chan, u32 inst)
{
	return sim_struct_read32(s, chan >> 28 & 3,
				 ((u64)(chan & 0x0fffffff) << 12) + inst * 16ull, "graph object");
}

/*
 * The engine is in reset, so the method is lost and its channel sees no error. Each bind is a
 * violation, another method only if it is the first that is lost.
 */
static void swallow(struct nvsim *s, u32 engine, u32 mthd)
{
	struct sim_engine *e = &s->engine[engine];

	if (!mthd)
		sim_violation(s, "object bound to engine %u, which is switched off in PMC.ENABLE",
			      engine);
	else if (!e->swallowed)
		sim_violation(s, "method %04x of channel %u is lost: engine %u is switched off in "
				 "PMC.ENABLE", mthd, sim_pfifo_chid(s), engine);
	e->swallowed = true;
}

/*
 * Send one method. Returns false while the engine does not take it. @raw is the word of the push
 * buffer, @data the value after the look-up in RAMHT.
 */
bool sim_engine_send(struct nvsim *s, u32 engine, u32 subc, u32 mthd, u32 raw, u32 data)
{
	struct sim_engine *e = &s->engine[engine];
	unsigned int chid = sim_pfifo_chid(s);
	u32 last = NV_FLD_GET(NV_CACHE1_PULL1__ENGINE, PF(s, NV_CACHE1_PULL1));
	u16 *class = &s->bound[engine][chid][subc];

	/* The puller waits until the last engine has finished this channel's methods. */
	if (last != engine && !sim_engine_done(s, last))
		return false;
	if (!(*sim_reg(s, NV_PMC_ENABLE) & enable_bit(s, engine))) {
		swallow(s, engine, mthd);
	} else {
		if (engine == PGRAPH && sim_pgraph_busy(s))
			return false;
		if (!switch_to(s, engine))
			return false;
		if (!mthd)
			*class = object_class(s, e->chan, data);
	}

	record(s, chid, engine, subc, mthd, raw, data, *class);
	if (s->cfg.trace_mthd)
		sim_trace(s, "ENG ch %u engine %u subc %u mthd %04x data %08x", chid, engine, subc,
			  mthd, data);
	PF(s, NV_CACHE1_PULL1) =
		(PF(s, NV_CACHE1_PULL1) & ~NV_FLD_MASK(NV_CACHE1_PULL1__ENGINE)) | engine;
	if (engine == PGRAPH && e->valid)
		sim_pgraph_method(s, subc, mthd, data, *class, e->recording);
	return true;
}
