// SPDX-License-Identifier: MIT
/*
 * The puller: executes the pair at GET. Methods below MTHD_ENGINE are its own; all others go to
 * the engine that is bound to the subchannel.
 */
#include "core.h"
#include "engine.h"
#include "fault.h"
#include "fifo.h"
#include "mem.h"
#include "mmu.h"
#include "ptimer.h"

#define P0_ACCESS		NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS)
#define P0_HASH_FAILED		NV_FLD_MASK(NV_CACHE1_PULL0__HASH_FAILED)
#define P0_SOFTWARE		NV_FLD_MASK(NV_CACHE1_PULL0__DEVICE_SOFTWARE)
#define P0_INVALID_ENGINE	NV_FLD_MASK(NV_CACHE1_PULL0__INVALID_ENGINE)
#define P0_UNK2C_ZERO		NV_FLD_MASK(NV_CACHE1_PULL0__MTHD_UNK2C_UNK0_0_UNK28_1)
#define P0_UNK2C_INVALID	NV_FLD_MASK(NV_CACHE1_PULL0__MTHD_UNK2C_UNK29_INVALID)
#define P1_ACTIVE		NV_FLD_MASK(NV_CACHE1_PULL1__ACQUIRE_ACTIVE)
#define P1_NEW			NV_FLD_MASK(NV_CACHE1_PULL1__ACQUIRE_SOURCE_NEW)
#define P1_GEQ			NV_FLD_MASK(NV_CACHE1_PULL1__ACQUIRE_MODE_GEQ)
#define SEM_VALID		NV_FLD_MASK(NV_CACHE1_SEMAPHORE__OFFSET_VALID)

enum sem_error {
	SEM_UNALIGNED = 1,
	SEM_INVALID_STATE = 2,
	SEM_TOO_LARGE = 3,
	SEM_MEM_FAULT = 4,
};

static void advance(struct nvsim *s)
{
	PF(s, NV_CACHE1_GET) = (PF(s, NV_CACHE1_GET) + 4) & 0xffc;
	s->pfifo->blocked_at[sim_pfifo_chid(s)] = 0;
}

static enum sim_step done(struct nvsim *s)
{
	advance(s);
	return STEP_DONE;
}

/* Stop with GET at the entry that could not be executed. */
static enum sim_step stop(struct nvsim *s, u32 pull0, u32 intr, const char *what)
{
	u32 i = PF(s, NV_CACHE1_GET) >> 2 & 0x1ff;

	PF(s, NV_CACHE1_PULL0) = (PF(s, NV_CACHE1_PULL0) & ~P0_ACCESS) | pull0;
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR ch %u %s subc %u mthd %04x data %08x", sim_pfifo_chid(s), what,
			  NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, s->pfifo->cache[2 * i]),
			  s->pfifo->cache[2 * i] & 0x1ffc, s->pfifo->cache[2 * i + 1]);

	sim_pfifo_intr(s, intr);
	return STEP_DONE;
}

static enum sim_step cache_error(struct nvsim *s, u32 pull0, const char *what)
{
	return stop(s, pull0, NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR), what);
}

static enum sim_step sem_error(struct nvsim *s, enum sem_error err)
{
	static const char *const names[] = {
		"", "SEMAPHORE ADDRESS_UNALIGNED", "SEMAPHORE INVALID_STATE",
		"SEMAPHORE ADDRESS_TOO_LARGE", "SEMAPHORE MEM_FAULT",
	};

	PF(s, NV_CACHE1_PULL0) &= ~NV_FLD_MASK(NV_CACHE1_PULL0__SEMAPHORE_ERROR);
	return stop(s, NV_FLD_SET(NV_CACHE1_PULL0__SEMAPHORE_ERROR, err),
		    NV_FLD_MASK(NV_PFIFO_INTR__SEMAPHORE), names[err]);
}

/* --- RAMHT --- */

static u32 ramht_hash(u32 handle, unsigned int bits)
{
	u32 h = 0;

	for (; handle; handle >>= bits)
		h ^= handle & ((1u << bits) - 1);
	return h;
}

/* With ramht-lookup=misses */
#define MISS_NS		(100ull * 1000 * 1000)

/*
 * Does this look-up fail without a reason? Logs of nouveau on two MCP79 have HASH_FAILED for a
 * handle that it had used in each fence before.
 */
static bool ramht_misses(struct nvsim *s)
{
	u64 now = sim_now(s);

	if (!sim_quirk(s, NVSIM_QUIRK_RAMHT_LOOKUP))
		return false;

	/* However late the driver repeats a look-up, it finds its handle. */
	if (s->pfifo->missed || (s->pfifo->missed_at && now - s->pfifo->missed_at < MISS_NS)) {
		s->pfifo->missed = false;
		return false;
	}

	s->pfifo->missed_at = now + !now;
	s->pfifo->missed = true;
	return true;
}

/*
 * Start at the XOR-folded slot and go on cyclically. Free slots do not end the
 * search. HASH keeps the instance that was found.
 */
static bool ramht_find(struct nvsim *s, u32 handle, u32 *engine, u32 *inst)
{
	u32 reg = PF(s, NV_PFIFO_RAMHT), chan = sim_vm_channel(s, VMENG_PFIFO);
	unsigned int bits = 9 + NV_FLD_GET(NV_PFIFO_RAMHT__SIZE, reg);
	u32 mask = (1u << bits) - 1, slot = ramht_hash(handle, bits), n, context;
	u64 base = ((u64)(chan & 0x0fffffff) << 12) +
		   NV_FLD_GET(NV_PFIFO_RAMHT__INSTANCE, reg) * 16ull;
	struct nvsim_ramht_lookup *seen = &s->seen.ramht;
	u32 target = chan >> 28 & 3, stale;
	u8 raw[8];

	if (sim_quirk(s, NVSIM_QUIRK_RAMHT_HASH))
		slot = (slot ^ sim_pfifo_chid(s) << (bits - 4)) & mask;
	*seen = (struct nvsim_ramht_lookup) { .count = seen->count + 1, .handle = handle, .hash = slot };

	stale = s->pfifo->stale_hash ? PF(s, NV_CACHE1_HASH) : 0;
	s->pfifo->stale_hash = false;
	PF(s, NV_CACHE1_HASH) = 0;
	if (PF(s, NV_PFIFO_DEBUG_1) & NV_FLD_MASK(NV_PFIFO_DEBUG_1__RAMHT_ALWAYS_FAIL))
		return false;

	n = 16u << NV_FLD_GET(NV_PFIFO_RAMHT__SEARCH, reg);
	if (reg & NV_FLD_MASK(NV_PFIFO_RAMHT__SEARCH_FULL))
		n = mask + 1;

	for (; n; n--, slot++) {
		u64 addr = base + (slot & mask) * 8ull;

		sim_peek(s, target, addr, raw, sizeof(raw));
		context = get_le32(raw + 4);
		if (get_le32(raw) != handle)
			continue;
		if (!context && !sim_quirk(s, NVSIM_QUIRK_RAMHT_EMPTY))
			continue;
		if (ramht_misses(s))
			return false;
		sim_struct_read(s, target, addr, raw, sizeof(raw), "RAMHT entry");
		if (context & 0xff0f0000)
			sim_violation(s, "RAMHT context %08x of handle %08x: reserved bits are set",
				      context, handle);
		seen->found = true;
		seen->slot = slot & mask;
		seen->context = context;
		*engine = context >> 20 & 0xf;
		*inst = stale ? stale : context & 0xffff;
		PF(s, NV_CACHE1_HASH) = *inst;
		return true;
	}

	return false;
}

static bool has_handle(u32 mthd)
{
	return mthd == MTHD_OBJECT || mthd == MTHD_DMA_SEMAPHORE ||
	       (mthd >= MTHD_DMA_FIRST && mthd < MTHD_DMA_END);
}

/* Whether the puller has a handle to look up. The pusher of a card runs ahead of the puller. */
static bool in_lookup(struct nvsim *s)
{
	u32 i = PF(s, NV_CACHE1_GET) >> 2 & 0x1ff, words = 4;

	if (!sim_pfifo_loaded(s) || !sim_chan_runnable(s, sim_pfifo_chid(s)))
		return false;

	while (sim_cache_empty(s) && words-- && sim_pusher_step(s) == STEP_DONE)
		;

	return !sim_cache_empty(s) && !(PF(s, NV_CACHE1_PULL1) & P1_ACTIVE) &&
	       has_handle(s->pfifo->cache[2 * i] & 0x1ffc);
}

/*
 * The CPU has stopped the puller. With puller-stop=spoils this spoils the look-up of the handle at
 * GET, as nouveau's nv04_fifo_pause() describes. The look-up fails, or it gives the instance of the
 * last one. These two take turns.
 */
void sim_puller_stopped(struct nvsim *s)
{
	if (!sim_quirk(s, NVSIM_QUIRK_PULLER_STOP) || !in_lookup(s))
		return;

	s->pfifo->spoilt_lookups++;
	if (s->pfifo->spoilt_lookups % 2)
		s->pfifo->stale_hash = true;
	else
		cache_error(s, P0_HASH_FAILED, "CACHE_ERROR HASH_FAILED, by a stop");
}

/* --- engines --- */

/* GET stays at the pair. The puller tries again later; other channels may run in between. */
static enum sim_step block(struct nvsim *s)
{
	unsigned int chid = sim_pfifo_chid(s);
	u64 now = sim_now(s), delay;

	if (!s->pfifo->blocked_at[chid])
		s->pfifo->blocked_at[chid] = now;

	delay = (now - s->pfifo->blocked_at[chid]) / 16;
	if (delay < SIM_RETRY_NS)
		delay = SIM_RETRY_NS;
	if (delay > SIM_RETRY_MAX_NS)
		delay = SIM_RETRY_MAX_NS;

	s->pfifo->retry_at[chid] = now + delay;
	s->pfifo->chan_hint[chid] = 1;
	return STEP_BLOCKED;
}

/* Whether the engine that this channel used last has finished the channel's methods */
static bool last_idle(struct nvsim *s)
{
	return sim_engine_done(s, NV_FLD_GET(NV_CACHE1_PULL1__ENGINE, PF(s, NV_CACHE1_PULL1)));
}

/*
 * A method of a software object. Wait for the engine that the channel used last, as before a method
 * of any other engine (envytools, docs/hw/fifo/puller.rst).
 */
static enum sim_step software(struct nvsim *s)
{
	if (!last_idle(s))
		return block(s);

	return cache_error(s, P0_SOFTWARE, "CACHE_ERROR DEVICE_SOFTWARE");
}

static enum sim_step mthd_object(struct nvsim *s, u32 subc, u32 handle)
{
	u32 engine, inst, shift = 4 * subc;

	if (!ramht_find(s, handle, &engine, &inst))
		return cache_error(s, P0_HASH_FAILED, "CACHE_ERROR HASH_FAILED");
	if (!engine)
		return software(s);
	if (!sim_engine_exists(s, engine))
		return cache_error(s, P0_INVALID_ENGINE, "CACHE_ERROR INVALID_ENGINE");
	if (!sim_engine_send(s, engine, subc, 0, handle, inst))
		return block(s);

	PF(s, NV_CACHE1_ENGINE) = (PF(s, NV_CACHE1_ENGINE) & ~(0xfu << shift)) | engine << shift;
	return done(s);
}

static enum sim_step mthd_engine(struct nvsim *s, u32 subc, u32 mthd, u32 data)
{
	u32 engine = PF(s, NV_CACHE1_ENGINE) >> 4 * subc & 0xf, raw = data, ignored;

	if (mthd >= MTHD_DMA_FIRST && mthd < MTHD_DMA_END && !ramht_find(s, data, &ignored, &data))
		return cache_error(s, P0_HASH_FAILED, "CACHE_ERROR HASH_FAILED");
	if (!engine)
		return software(s);
	if (!sim_engine_exists(s, engine))
		return cache_error(s, P0_INVALID_ENGINE, "CACHE_ERROR INVALID_ENGINE");
	if (!sim_engine_send(s, engine, subc, mthd, raw, data))
		return block(s);

	return done(s);
}

/* --- semaphores --- */

static u64 sem_address(const struct nvsim *s, bool new_style)
{
	if (new_style)
		return PF(s, NV_CACHE1_SEMAPHORE_ADDRESS_LOW) |
		       (u64)(PF(s, NV_CACHE1_SEMAPHORE_ADDRESS_HIGH) & 0xff) << 32;
	return (u64)NV_FLD_GET(NV_CACHE1_SEMAPHORE__OFFSET, PF(s, NV_CACHE1_SEMAPHORE)) << 2;
}

static bool sem_read(struct nvsim *s, enum sim_vmeng eng, u64 addr, u32 *val)
{
	u8 raw[4];

	if (!sim_vm_access(s, eng, 1, PF(s, NV_CACHE1_SEMAPHORE) >> 16, addr, raw, 4, false))
		return false;
	*val = sim_cpu_word(sim_pfifo_big(s), get_le32(raw));
	return true;
}

static bool sem_write(struct nvsim *s, u64 addr, const u32 *words, unsigned int n)
{
	bool big = sim_pfifo_big(s);
	unsigned int i;
	u8 raw[16];

	for (i = 0; i < n; i++)
		put_le32(raw + 4 * i, sim_cpu_word(big, words[i]));

	if (!sim_vm_access(s, VMENG_PFIFO, 1, PF(s, NV_CACHE1_SEMAPHORE) >> 16, addr, raw, 4 * n,
			   true))
		return false;

	/* An acquire may wait for this word. */
	sim_pfifo_wake(s);
	return true;
}

static bool acquired(u32 have, u32 want, bool geq)
{
	return geq ? (int32_t)(have - want) >= 0 : have == want;
}

static enum sim_step acquire(struct nvsim *s, u32 want, bool new_style, bool geq)
{
	u32 have, pull1;

	if (!sem_read(s, VMENG_PFIFO, sem_address(s, new_style), &have))
		return sem_error(s, SEM_MEM_FAULT);
	if (acquired(have, want, geq))
		return done(s);

	pull1 = PF(s, NV_CACHE1_PULL1) & ~(P1_NEW | P1_GEQ);
	pull1 |= P1_ACTIVE;
	if (new_style)
		pull1 |= P1_NEW;

	if (geq)
		pull1 |= P1_GEQ;

	PF(s, NV_CACHE1_PULL1) = pull1;
	PF(s, NV_CACHE1_ACQUIRE_VALUE) = want;
	PF(s, NV_CACHE1_ACQUIRE_TIMESTAMP) = (u32)(sim_ptimer_time(s) >> 5);
	if (s->cfg.trace_mthd)
		sim_trace(s, "WAIT ch %u at %010llx want %08x have %08x", sim_pfifo_chid(s),
			  (unsigned long long)sem_address(s, new_style), want, have);

	return block(s);
}

/* Poll the semaphore of an acquire that waits. */
static enum sim_step retry(struct nvsim *s, u32 mthd)
{
	u32 pull1 = PF(s, NV_CACHE1_PULL1), have;
	unsigned int chid = sim_pfifo_chid(s);

	if (s->pfifo->retry_at[chid] > sim_now(s))
		return STEP_BLOCKED;

	if (!sem_read(s, sim_is_g80(s) ? VMENG_PFIFO : VMENG_SEM_BG,
		      sem_address(s, pull1 & P1_NEW), &have)) {
		PF(s, NV_CACHE1_PULL1) &= ~P1_ACTIVE;
		return sem_error(s, SEM_MEM_FAULT);
	}

	if (!acquired(have, PF(s, NV_CACHE1_ACQUIRE_VALUE), pull1 & P1_GEQ))
		return block(s);

	s->pfifo->retry_at[chid] = 0;
	s->pfifo->blocked_at[chid] = 0;
	PF(s, NV_CACHE1_PULL1) &= ~P1_ACTIVE;

	/* The driver's handler may have skipped the acquire. */
	if (mthd == MTHD_SEM_ACQUIRE || mthd == MTHD_SEM_TRIGGER)
		advance(s);

	return STEP_DONE;
}

static enum sim_step mthd_trigger(struct nvsim *s, u32 data)
{
	u32 seq = PF(s, NV_CACHE1_SEMAPHORE_SEQUENCE), words[4];
	u64 now;

	switch (data & 7) {
	case 1:
		return acquire(s, seq, true, false);
	case 4:
		return acquire(s, seq, true, true);
	case 2:
		if (!last_idle(s))
			return block(s);
		now = sim_ptimer_time(s);
		words[0] = seq;
		words[1] = 0;
		words[2] = (u32)now;
		words[3] = now >> 32;
		if (!sem_write(s, sem_address(s, true), words, 4))
			return sem_error(s, SEM_MEM_FAULT);
		return done(s);
	}

	/* Other values are no operation: cards wait for ever. */
	return block(s);
}

static enum sim_step mthd_sem_address_high(struct nvsim *s, u32 data)
{
	if (data & ~0xffu)
		return sem_error(s, SEM_TOO_LARGE);

	PF(s, NV_CACHE1_SEMAPHORE_ADDRESS_HIGH) = data;
	return done(s);
}

static enum sim_step mthd_sem_address_low(struct nvsim *s, u32 data)
{
	/* At the error the register has the bad address, and GET is past the method. */
	PF(s, NV_CACHE1_SEMAPHORE_ADDRESS_LOW) = data;
	if (data & 3) {
		sem_error(s, SEM_UNALIGNED);
		advance(s);
		return STEP_DONE;
	}

	return done(s);
}

static enum sim_step mthd_dma_semaphore(struct nvsim *s, u32 data)
{
	u32 engine, inst;

	if (!ramht_find(s, data, &engine, &inst))
		return cache_error(s, P0_HASH_FAILED, "CACHE_ERROR HASH_FAILED");

	PF(s, NV_CACHE1_SEMAPHORE) = (PF(s, NV_CACHE1_SEMAPHORE) & 0xffff) | inst << 16;
	sim_vm_drop_obj(s, VMENG_PFIFO, 1);
	sim_vm_drop_obj(s, VMENG_SEM_BG, 1);
	return done(s);
}

static enum sim_step mthd_sem_offset(struct nvsim *s, u32 data)
{
	if (data & 3)
		return sem_error(s, SEM_UNALIGNED);
	if (data > 0xffff)
		return sem_error(s, SEM_TOO_LARGE);

	PF(s, NV_CACHE1_SEMAPHORE) =
		(PF(s, NV_CACHE1_SEMAPHORE) & 0xffff0000) | SEM_VALID | data >> 2;
	return done(s);
}

static enum sim_step mthd_sem_acquire(struct nvsim *s, u32 data)
{
	if (!(PF(s, NV_CACHE1_SEMAPHORE) & SEM_VALID))
		return sem_error(s, SEM_INVALID_STATE);

	return acquire(s, data, false, false);
}

static enum sim_step mthd_sem_release(struct nvsim *s, u32 data)
{
	if (!(PF(s, NV_CACHE1_SEMAPHORE) & SEM_VALID))
		return sem_error(s, SEM_INVALID_STATE);
	if (!last_idle(s))
		return block(s);
	if (!sem_write(s, sem_address(s, false), &data, 1))
		return sem_error(s, SEM_MEM_FAULT);

	return done(s);
}

/* The names of PULL0's bits in rnndb are all that is known of the data that MCP89 refuses. */
static enum sim_step mthd_unk2c(struct nvsim *s, u32 data)
{
	u32 pull0 = 0;

	if ((data & 1u << 28) && !(data & 0x0fffffff))
		pull0 |= P0_UNK2C_ZERO;
	if (data >> 29 > 2)
		pull0 |= P0_UNK2C_INVALID;
	if (!pull0)
		return done(s);

	return stop(s, pull0, NV_FLD_MASK(NV_PFIFO_INTR__MTHD_UNK2C), "MTHD_UNK2C");
}

/* Execute a method that belongs to PFIFO itself: those below MTHD_ENGINE. */
static enum sim_step builtin(struct nvsim *s, u32 subc, u32 mthd, u32 data)
{
	switch (mthd) {
	case MTHD_OBJECT:
		return mthd_object(s, subc, data);
	case MTHD_SEM_ADDRESS_HIGH:
		return mthd_sem_address_high(s, data);
	case MTHD_SEM_ADDRESS_LOW:
		return mthd_sem_address_low(s, data);
	case MTHD_SEM_SEQUENCE:
		PF(s, NV_CACHE1_SEMAPHORE_SEQUENCE) = data;
		return done(s);
	case MTHD_SEM_TRIGGER:
		return mthd_trigger(s, data);
	case MTHD_NOTIFY_INTR:
		sim_pfifo_intr(s, NV_FLD_MASK(NV_PFIFO_INTR__NOTIFY));
		return done(s);
	case MTHD_WRCACHE_FLUSH:
		return done(s);
	case MTHD_UNK28:
		PF(s, NV_CACHE1_MTHD_UNK28) = data;
		return done(s);
	case MTHD_UNK2C:
		return mthd_unk2c(s, data);
	case MTHD_REF_CNT:
		if (!last_idle(s))
			return block(s);
		PF(s, NV_CACHE1_REF) = data;
		return done(s);
	case MTHD_DMA_SEMAPHORE:
		return mthd_dma_semaphore(s, data);
	case MTHD_SEM_OFFSET:
		return mthd_sem_offset(s, data);
	case MTHD_SEM_ACQUIRE:
		return mthd_sem_acquire(s, data);
	case MTHD_SEM_RELEASE:
		return mthd_sem_release(s, data);
	case MTHD_YIELD:
		s->pfifo->slice_expired = true;
		return done(s);
	}

	/* The pusher refuses unknown methods; only writes of the CPU to the CACHE lead here. */
	return cache_error(s, P0_SOFTWARE, "CACHE_ERROR unknown method");
}

static const char *method_name(u32 mthd)
{
	switch (mthd) {
	case MTHD_OBJECT:
		return "OBJECT";
	case MTHD_SEM_ADDRESS_HIGH:
		return "SEMAPHORE_ADDRESS_HIGH";
	case MTHD_SEM_ADDRESS_LOW:
		return "SEMAPHORE_ADDRESS_LOW";
	case MTHD_SEM_SEQUENCE:
		return "SEMAPHORE_SEQUENCE";
	case MTHD_SEM_TRIGGER:
		return "SEMAPHORE_TRIGGER";
	case MTHD_NOTIFY_INTR:
		return "NOTIFY_INTR";
	case MTHD_WRCACHE_FLUSH:
		return "WRCACHE_FLUSH";
	case MTHD_UNK28:
		return "UNK28";
	case MTHD_UNK2C:
		return "UNK2C";
	case MTHD_REF_CNT:
		return "REF_CNT";
	case MTHD_DMA_SEMAPHORE:
		return "DMA_SEMAPHORE";
	case MTHD_SEM_OFFSET:
		return "SEMAPHORE_OFFSET";
	case MTHD_SEM_ACQUIRE:
		return "SEMAPHORE_ACQUIRE";
	case MTHD_SEM_RELEASE:
		return "SEMAPHORE_RELEASE";
	case MTHD_YIELD:
		return "YIELD";
	}

	return "-";
}

enum sim_step sim_puller_step(struct nvsim *s)
{
	u32 i = PF(s, NV_CACHE1_GET) >> 2 & 0x1ff, mthd, data, subc, get;
	unsigned int chid = sim_pfifo_chid(s);
	enum sim_step r;

	if (!(PF(s, NV_CACHE1_PULL0) & P0_ACCESS))
		return STEP_IDLE;

	mthd = s->pfifo->cache[2 * i] & 0x1ffc;
	if (PF(s, NV_CACHE1_PULL1) & P1_ACTIVE)
		return retry(s, sim_cache_empty(s) ? ~0u : mthd);
	if (sim_cache_empty(s))
		return STEP_IDLE;

	/* A trigger that is no operation waits without an active acquire. */
	if (s->pfifo->retry_at[chid] && s->pfifo->retry_at[chid] > sim_now(s))
		return STEP_BLOCKED;

	data = s->pfifo->cache[2 * i + 1];
	subc = NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, s->pfifo->cache[2 * i]);
	get = PF(s, NV_CACHE1_GET);
	if (mthd >= MTHD_ENGINE)
		r = mthd_engine(s, subc, mthd, data);
	else
		r = builtin(s, subc, mthd, data);

	if (PF(s, NV_CACHE1_GET) == get)
		return r;

	s->st.methods++;
	sim_delay_work(s, SIM_DELAY_METHOD);
	if (s->cfg.trace_mthd)
		sim_trace(s, "M ch %u subc %u mthd %04x %s data %08x", chid, subc, mthd,
			  method_name(mthd), data);

	return r;
}
