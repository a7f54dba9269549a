// SPDX-License-Identifier: MIT
/*
 * The engines as PFIFO sees them: the channel that each one works for, the objects that are bound
 * to its subchannels, whether it is idle. The model records every method that is sent to an engine.
 * PGRAPH executes methods (pgraph.c); all other engines accept any method and do nothing.
 */
#include <stdlib.h>

#include "core.h"
#include "engine.h"
#include "fifo.h"
#include "mem.h"
#include "missing.h"
#include "mmu.h"
#include "nvfifo_crc.h"
#include "store.h"

#define SIM_RECORDS	65536

struct sim_engines {
	struct sim_engine engine[SIM_ENGINES];
	const struct sim_engine_ops *ops[SIM_ENGINES];
	u32 context[SIM_ENGINES];		/* offset of its DMA object in a channel structure */
	u16 bound[SIM_ENGINES][128][8];		/* class by channel and subchannel */
	struct sim_record record[SIM_RECORDS];
	struct sim_record_sum record_sum[128];	/* by channel, 0 of all */
	u32 crc[4][256];			/* CRC of a byte, and of a byte with 1 to 3 zeros after it */
	u64 record_pos;				/* position of sim_record_next() */
};

/* From now on @ops do the engine's work. An engine without them accepts any method. */
void sim_engine_register(struct nvsim *s, u32 engine, const struct sim_engine_ops *ops)
{
	s->engines->ops[engine] = ops;
}

/* The channel that the engine works for */
const struct sim_engine *sim_engine(const struct nvsim *s, u32 engine)
{
	return &s->engines->engine[engine];
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
	static const u8 none[24];
	const u64 addr = ((u64)(chan & 0x0fffffff) << 12) + s->engines->context[engine];
	const int64_t off = sim_vram_offset(s, chan >> 28 & 3, addr, sizeof(none));
	u8 copy[sizeof(none)];

	/* Each method asks for it, so VRAM is compared in place. */
	if (off >= 0)
		return memcmp(sim_vram_at(s, off), none, sizeof(none));

	sim_peek(s, chan >> 28 & 3, addr, copy, sizeof(copy));
	return memcmp(copy, none, sizeof(none));
}

/* --- the record --- */

/* nvfifo_crc32() takes half a byte a step, which is too slow for each method. */
static void crc_init(u32 crc[4][256])
{
	u32 i, k;

	for (i = 0; i < 256; i++) {
		const u8 byte = (u8)i;

		crc[0][i] = ~nvfifo_crc32(~0u, &byte, 1);
	}

	for (k = 1; k < 4; k++)
		for (i = 0; i < 256; i++)
			crc[k][i] = crc[k - 1][i] >> 8 ^ crc[0][crc[k - 1][i] & 0xff];
}

/* The same as nvfifo_crc32_word() */
static u32 add_word(const u32 crc[4][256], u32 sum, u32 word)
{
	sum = ~sum ^ word;
	return ~(crc[3][sum & 0xff] ^ crc[2][sum >> 8 & 0xff] ^ crc[1][sum >> 16 & 0xff] ^
		 crc[0][sum >> 24]);
}

int sim_engine_create(struct nvsim *s)
{
	u32 i;

	s->engines = calloc(1, sizeof(*s->engines));
	if (!s->engines)
		return -1;

	for (i = 0; i < SIM_ENGINES; i++)
		s->engines->context[i] = sim_engine_ctx(s, i) * 16u;
	crc_init(s->engines->crc);
	return 0;
}

static void count(struct nvsim *s, unsigned int chid, u32 where, u32 data)
{
	struct sim_record_sum *sum = &s->engines->record_sum[chid];

	sum->count++;
	sum->crc = add_word(s->engines->crc, add_word(s->engines->crc, sum->crc, where), data);
}

static void record(struct nvsim *s, unsigned int chid, u32 engine, u32 subc, u32 mthd, u32 raw,
		   u32 data, u16 class)
{
	u32 where = engine << 20 | subc << 16 | mthd;
	struct sim_record *r = &s->engines->record[s->engines->record_sum[0].count % SIM_RECORDS];

	*r = (struct sim_record){
		.where = chid << 24 | where, .data = raw, .class = class, .object = data,
	};
	count(s, 0, where, raw);
	count(s, chid, where, raw);
}

void sim_record_reset(struct nvsim *s)
{
	memset(s->engines->record_sum, 0, sizeof(s->engines->record_sum));
	s->engines->record_pos = 0;
}

/* Methods of channel @chid, or with 0 of all channels */
const struct sim_record_sum *sim_record_sum(const struct nvsim *s, unsigned int chid)
{
	return &s->engines->record_sum[chid];
}

/* sim_record_next() goes on at this record, counted from the last reset on. */
void sim_record_seek(struct nvsim *s, u64 pos)
{
	s->engines->record_pos = pos;
}

/* The next record of channel @chid, or with 0 of any channel; NULL at the end */
const struct sim_record *sim_record_next(struct nvsim *s, unsigned int chid)
{
	u64 end = s->engines->record_sum[0].count;

	if (end - s->engines->record_pos > SIM_RECORDS)
		s->engines->record_pos = end - SIM_RECORDS;
	while (s->engines->record_pos < end) {
		const struct sim_record *r = &s->engines->record[s->engines->record_pos++ % SIM_RECORDS];

		if (!chid || r->where >> 24 == chid)
			return r;
	}

	return NULL;
}

/* --- switching --- */

bool sim_engine_idle(struct nvsim *s, u32 engine)
{
	const struct sim_engine_ops *ops = s->engines->ops[engine];

	return !ops || !ops->busy(s);
}

/* Whether the engine has finished the loaded channel's methods; it may work for another one. */
bool sim_engine_done(struct nvsim *s, u32 engine)
{
	const struct sim_engine *e;

	/* The CPU can write the number of no engine to PULL1. */
	if (engine >= SIM_ENGINES)
		return true;

	e = &s->engines->engine[engine];
	return !e->valid || e->chan != sim_vm_channel(s, VMENG_PFIFO) || sim_engine_idle(s, engine);
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
	const struct sim_engine_ops *ops = s->engines->ops[engine];

	memset(&s->engines->engine[engine], 0, sizeof(s->engines->engine[engine]));
	if (ops)
		ops->reset(s);
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
	const struct sim_engine_ops *ops = s->engines->ops[engine];
	struct sim_engine *e = &s->engines->engine[engine];
	u32 chan = sim_vm_channel(s, VMENG_PFIFO);
	bool context = s->cfg.engine_context != NVSIM_ENGINE_RECORD &&
		       sim_engine_has_context(s, engine, chan);

	if (ops) {
		if (s->cfg.engine_context == NVSIM_ENGINE_REQUIRE)
			context = true;
		if (context && !ops->switch_to(s, chan))
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
		const struct sim_engine_ops *ops = s->engines->ops[i];
		struct sim_engine *e = &s->engines->engine[i];

		if (!(mask & 1u << (i - 1)))
			continue;
		if (ops && !ops->unload(s, desc))
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
	struct sim_engine *e = &s->engines->engine[engine];

	if (!mthd)
		sim_violation(s, "object bound to engine %u, which is switched off in PMC.ENABLE",
			      engine);
	else if (!e->swallowed)
		sim_violation(s, "method %04x of channel %u is lost: engine %u is switched off in "
				 "PMC.ENABLE", mthd, sim_pfifo_chid(s), engine);
	e->swallowed = true;
}

/* PGRAPH takes no method while the CPU has turned its FIFO access off. */
static bool has_fifo_access(struct nvsim *s)
{
	return *sim_reg(s, NV_PGRAPH_CONTROL) & NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS);
}

/*
 * Send one method. Returns false while the engine does not take it. @raw is the word of the push
 * buffer, @data the value after the look-up in RAMHT.
 */
bool sim_engine_send(struct nvsim *s, u32 engine, u32 subc, u32 mthd, u32 raw, u32 data)
{
	const struct sim_engine_ops *ops = s->engines->ops[engine];
	struct sim_engine *e = &s->engines->engine[engine];
	unsigned int chid = sim_pfifo_chid(s);
	u32 last = NV_FLD_GET(NV_CACHE1_PULL1__ENGINE, PF(s, NV_CACHE1_PULL1));
	u16 *class = &s->engines->bound[engine][chid][subc];

	/* The puller waits until the last engine has finished this channel's methods. */
	if (last != engine && !sim_engine_done(s, last))
		return false;
	if (!(*sim_reg(s, NV_PMC_ENABLE) & enable_bit(s, engine))) {
		swallow(s, engine, mthd);
	} else {
		if (ops && ops->busy(s))
			return false;
		if (engine == 1 && ops && !has_fifo_access(s))
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
	if (!ops && mthd)
		sim_missing(s, NVSIM_MISSING_ENGINE, engine,
			    "method %04x of class %04x of engine %u with %08x, on channel %u", mthd,
			    *class, engine, data, chid);
	if (ops && e->valid)
		ops->method(s, subc, mthd, data, *class, e->recording);
	return true;
}
