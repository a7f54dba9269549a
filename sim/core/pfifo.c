// SPDX-License-Identifier: MIT
/*
 * PFIFO's global part: channel table, playlist, switching with RAMFC and the CACHE save area, kick,
 * freeze. pusher.c and puller.c are the other parts.
 *
 * The scheduler goes round the playlist. It leaves a channel that has no work, waits in an acquire,
 * yielded, may no longer run, or used up its slice while others wait. An error interrupt keeps its
 * channel loaded until the driver has handled it, and no other channel runs.
 */
#include <stdlib.h>

#include "core.h"
#include "engine.h"
#include "fault.h"
#include "fifo.h"
#include "mem.h"
#include "mmu.h"
#include "pci.h"
#include "pfifo.h"
#include "pflush.h"
#include "store.h"

#define INTR_BLOCKING	(NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR) | \
			 NV_FLD_MASK(NV_PFIFO_INTR__DMA_PUSHER) | \
			 NV_FLD_MASK(NV_PFIFO_INTR__SEMAPHORE))

#define PULL0_ERRORS	(NV_FLD_MASK(NV_CACHE1_PULL0__HASH_FAILED) | \
			 NV_FLD_MASK(NV_CACHE1_PULL0__DEVICE_SOFTWARE) | \
			 NV_FLD_MASK(NV_CACHE1_PULL0__SEMAPHORE_ERROR) | \
			 NV_FLD_MASK(NV_CACHE1_PULL0__INVALID_ENGINE) | 3u << 25)

struct ramfc_field {
	u32 off, reg;
};

/* The words of RAMFC by their registers. CACHE_CNT at 0x84 has no register. */
static const struct ramfc_field ramfc_all[] = {
	{ 0x00, NV_CACHE1_IB_PUT },
	{ 0x04, NV_CACHE1_IB_GET },
	{ 0x08, NV_CACHE1_DMA_PUT },
	{ 0x0c, NV_CACHE1_DMA_PUT_HIGH },
	{ 0x10, NV_CACHE1_DMA_GET },
	{ 0x14, NV_CACHE1_DMA_GET_HIGH },
	{ 0x18, NV_CACHE1_DMA_MGET },
	{ 0x1c, NV_CACHE1_DMA_MGET_HIGH },
	{ 0x20, NV_CACHE1_GET_HIGH_RDSHADOW },
	{ 0x24, NV_CACHE1_PUT_HIGH_RDSHADOW },
	{ 0x28, NV_CACHE1_PUT_HIGH_WRSHADOW },
	{ 0x2c, NV_CACHE1_MGET_HIGH_RDSHADOW },
	{ 0x30, NV_CACHE1_DMA_STATE },
	{ 0x34, NV_CACHE1_METHOD_COUNT },
	{ 0x38, NV_CACHE1_DMA_DCOUNT_SHADOW },
	{ 0x3c, NV_CACHE1_DMA_FETCH },
	{ 0x40, NV_CACHE1_SUBROUTINE },
	{ 0x44, NV_PFIFO_DMA_TIMESLICE },
	{ 0x48, NV_CACHE1_DMA_INSTANCE },
	{ 0x4c, NV_CACHE1_DMA_LIMIT },
	{ 0x50, NV_CACHE1_IB_ADDRESS_LOW },
	{ 0x54, NV_CACHE1_IB_CONFIG },
	{ 0x58, NV_CACHE1_ENGINE },
	{ 0x5c, NV_CACHE1_PULL1 },
	{ 0x60, NV_CACHE1_ACQUIRE_TIMEOUT },
	{ 0x64, NV_CACHE1_ACQUIRE_TIMESTAMP },
	{ 0x68, NV_CACHE1_ACQUIRE_VALUE },
	{ 0x6c, NV_CACHE1_SEMAPHORE },
	{ 0x70, NV_CACHE1_UNK0E4 },
	{ 0x74, NV_CACHE1_REF },
	{ 0x78, NV_PFIFO_DEBUG_2 },
	{ 0x7c, NV_PFIFO_SLI },
	{ 0x80, NV_PFIFO_RAMHT },
};

#define RAMFC_CACHE_CNT	0x84

static const struct ramfc_field ramfc_g84[] = {
	{ 0x88, NV_CACHE1_CACHE_INST },
	{ 0x8c, NV_CACHE1_SEMAPHORE_ADDRESS_HIGH },
	{ 0x90, NV_CACHE1_SEMAPHORE_ADDRESS_LOW },
	{ 0x94, NV_CACHE1_SEMAPHORE_SEQUENCE },
	{ 0x98, NV_CACHE1_CHAN_INST },
};

static const struct ramfc_field ramfc_mcp89[] = {
	{ 0x9c, NV_CACHE1_MTHD_UNK28 },
	{ 0xa0, NV_CACHE1_UNK304 },
};

static u32 ramfc_size(const struct nvsim *s)
{
	if (sim_is_g80(s))
		return 0x88;
	return s->chip == NV_CHIP_MCP89 ? 0xa4 : 0x9c;
}

static void clear_playlist(struct nvsim *s)
{
	s->pfifo->playlist_len = 0;
	memset(s->pfifo->in_playlist, 0, sizeof(s->pfifo->in_playlist));
}

static bool error_pending(const struct nvsim *s)
{
	if (PF(s, NV_PFIFO_INTR) & INTR_BLOCKING)
		return true;
	if (!(PF(s, NV_CACHE1_PULL0) & 1) && (PF(s, NV_CACHE1_PULL0) & PULL0_ERRORS))
		return true;
	return !(PF(s, NV_CACHE1_DMA_PUSH) & 1) &&
	       NV_FLD_GET(NV_CACHE1_DMA_STATE__ERROR, PF(s, NV_CACHE1_DMA_STATE));
}

static void hint_all(struct nvsim *s)
{
	memset(s->pfifo->chan_hint, 1, sizeof(s->pfifo->chan_hint));
	memset(s->pfifo->chan_bad, 0, sizeof(s->pfifo->chan_bad));
}

int sim_pfifo_create(struct nvsim *s)
{
	s->pfifo = calloc(1, sizeof(*s->pfifo));
	if (!s->pfifo)
		return -1;

	sim_store_attach(s, 0x2000, 2, s->pfifo->reg);
	sim_store_attach(s, 0x90000, 1, s->pfifo->cache);
	return 0;
}

void sim_pfifo_reset(struct nvsim *s, bool power_on)
{
	u32 table[128], i;

	for (i = 0; i < 128; i++) {
		/* A reset disables all channels, but keeps their addresses in the table. */
		table[i] = power_on ? 0x00a5a500 + i : *sim_chan_entry(s, i) & ~SIM_CHAN_ENABLE;
		s->pfifo->chan_written[i] = 0;
	}

	memset(s->pfifo->reg, 0, sizeof(s->pfifo->reg));
	memset(s->pfifo->cache, 0, sizeof(s->pfifo->cache));

	for (i = 0; i < 128; i++)
		*sim_chan_entry(s, i) = table[i];

	PF(s, NV_PFIFO_C11_MIN_SLICE) = 0x90100;
	PF(s, NV_PFIFO_DEBUG_1) = sim_is_g80(s) ? 0x0072f200 : 0;
	PF(s, NV_PFIFO_DEBUG_4) = sim_is_g80(s) ? 0x00443333 : 0x33c43333;
	PF(s, NV_CACHE1_UNK100) = sim_is_g80(s) ? 0 : 0x0004004f;
	PF(s, NV_CACHE1_UNK104) = 3;
	PF(s, NV_CACHE1_UNK118) = 2;

	clear_playlist(s);
	s->pfifo->playlist_pos = 0;
	sim_mem_guard_playlist(s, 0, 0);
	s->pfifo->playlist_pending = false;
	s->pfifo->slice_used = 0;
	s->pfifo->slice_expired = false;
	s->pfifo->freeze_until = 0;
	s->pfifo->kick_pending = false;
	s->pfifo->loaded_by_hand = false;
	s->pfifo->stale_hash = false;
	sim_vm_set_chid(s, 0);
	sim_vm_bind(s, VMENG_PFIFO, false, 0);
	sim_vm_bind(s, VMENG_SEM_BG, false, 0);
	hint_all(s);
	sim_pfifo_wake(s);
	sim_irq_update(s);
}

/* --- loading and saving --- */

static void check_ramfc(struct nvsim *s, unsigned int chid, u64 addr)
{
	u32 ramht = PF(s, NV_PFIFO_RAMHT), conf = PF(s, NV_CACHE1_IB_CONFIG);
	u32 order = NV_FLD_GET(NV_CACHE1_IB_CONFIG__ORDER, conf);
	u32 inst = NV_FLD_GET(NV_PFIFO_RAMHT__INSTANCE, ramht);
	bool ib = PF(s, NV_CACHE1_DMA_FETCH) & NV_FLD_MASK(NV_CACHE1_DMA_FETCH__IB_ENABLE);
	const char *why = NULL;

	if (PF(s, NV_CACHE1_DMA_FETCH) & ~0x407fe0f8u)
		why = "DMA_FETCH (3c) has reserved bits set";
	else if (PF(s, NV_PFIFO_DMA_TIMESLICE) & 0x0efe0000)
		why = "DMA_TIMESLICE (44) has reserved bits set";
	else if (PF(s, NV_PFIFO_SLI) & ~0x30000fffu)
		why = "SLI (7c) has reserved bits set";
	else if (ramht & 0xe0ff0000)
		why = "RAMHT (80) has reserved bits set";
	else if (inst * 16u + (0x1000u << NV_FLD_GET(NV_PFIFO_RAMHT__SIZE, ramht)) > 0x100000)
		why = "RAMHT (80) leaves the first MiB of the channel structure";
	else if (ib && (PF(s, NV_CACHE1_IB_ADDRESS_LOW) & 7))
		why = "the IB ring (50) is not aligned to 8 bytes";
	else if (ib && ((conf & 0xff00) || order > 31))
		why = "IB_CONFIG (54) has reserved bits set";
	else if (ib && PF(s, NV_CACHE1_IB_PUT) >= 1ull << order && !s->pfifo->chan_endless[chid])
		why = "IB_PUT (00) does not fit the ring's order (54)";
	else if (PF(s, NV_CACHE1_DMA_INSTANCE) & 0xffff0000)
		why = "DMA_INSTANCE (48) has reserved bits set";
	else if ((PF(s, NV_CACHE1_DMA_GET) | PF(s, NV_CACHE1_DMA_PUT)) & 3)
		why = "DMA_GET or DMA_PUT is not aligned to 4 bytes";
	else if (!sim_is_g80(s) && (PF(s, NV_CACHE1_CHAN_INST) & 0xc0000000))
		why = "CHAN_INST (98) has reserved bits set";
	else if (!sim_is_g80(s) && !PF(s, NV_CACHE1_CHAN_INST))
		why = "CHAN_INST (98) is 0";
	else if (!sim_is_g80(s) && !PF(s, NV_CACHE1_CACHE_INST))
		why = "CACHE_INST (88) is 0";

	if (why)
		sim_violation(s, "RAMFC of channel %u at %llx: %s", chid,
			      (unsigned long long)addr, why);
}

static void bind_current(struct nvsim *s)
{
	unsigned int chid = sim_pfifo_chid(s);
	u32 desc = sim_is_g80(s) ? *sim_chan_entry(s, chid) & 0x3fffffff :
				   PF(s, NV_CACHE1_CHAN_INST) & 0x3fffffff;
	bool loaded = sim_pfifo_loaded(s);

	sim_vm_set_chid(s, chid);
	sim_vm_bind(s, VMENG_PFIFO, loaded, desc);
	if (!sim_is_g80(s))
		sim_vm_bind(s, VMENG_SEM_BG, loaded, desc);

	PF(s, NV_PFIFO_OLD_CTX_MAP) = PF(s, NV_PFIFO_CUR_CTX_MAP);
	PF(s, NV_PFIFO_CUR_CTX_MAP) = loaded ? desc : 0;
}

static void save_area(struct nvsim *s, u32 *target, u64 *addr)
{
	u32 inst = PF(s, NV_CACHE1_CACHE_INST);

	if (sim_is_g80(s)) {
		sim_ramfc_location(s, sim_pfifo_chid(s), target, addr);
		*addr += 0x400;
	} else {
		*target = NV_FLD_GET(NV_CACHE1_CACHE_INST__TARGET, inst);
		*addr = (u64)NV_FLD_GET(NV_CACHE1_CACHE_INST__ADDRESS, inst) << 10;
	}
}

static void ramfc_regs_load(struct nvsim *s, const u8 *mem, const struct ramfc_field *f, size_t n)
{
	for (; n; n--, f++)
		s->pfifo->reg[(f->reg - 0x2000) >> 2] = get_le32(mem + f->off);
}

static void ramfc_regs_save(struct nvsim *s, u8 *mem, const struct ramfc_field *f, size_t n)
{
	for (; n; n--, f++)
		put_le32(mem + f->off, s->pfifo->reg[(f->reg - 0x2000) >> 2]);
}

static bool load_channel(struct nvsim *s, unsigned int chid)
{
	u8 mem[0x100] = { 0 }, pairs[0x1000];
	u32 target, cnt, i, area_target;
	u64 addr, area;

	s->pfifo->chan_hint[chid] = 0;
	if (!sim_ramfc_location(s, chid, &target, &addr)) {
		sim_violation(s, "channel %u is enabled, but its table entry %08x names no RAMFC",
			      chid, *sim_chan_entry(s, chid));
		s->pfifo->chan_bad[chid] = 1;
		return false;
	}

	if (sim_struct_read(s, target, addr, mem, ramfc_size(s), "RAMFC")) {
		s->pfifo->chan_bad[chid] = 1;
		return false;
	}

	ramfc_regs_load(s, mem, ramfc_all, ARRAY_LEN(ramfc_all));
	if (!sim_is_g80(s))
		ramfc_regs_load(s, mem, ramfc_g84, ARRAY_LEN(ramfc_g84));

	if (s->chip == NV_CHIP_MCP89)
		ramfc_regs_load(s, mem, ramfc_mcp89, ARRAY_LEN(ramfc_mcp89));

	PF(s, NV_CACHE1_PUSH1) = chid | NV_FLD_MASK(NV_CACHE1_PUSH1__MODE_DMA);
	s->pfifo->loaded_by_hand = false;
	PF(s, NV_CACHE1_DMA_PUSH) = 1;
	check_ramfc(s, chid, addr);
	bind_current(s);

	cnt = get_le32(mem + RAMFC_CACHE_CNT);
	if (cnt > 512) {
		sim_violation(s, "RAMFC of channel %u: CACHE_CNT is %u, 512 is the most", chid,
			      cnt);
		cnt = 0;
	}

	if (cnt) {
		save_area(s, &area_target, &area);
		sim_struct_read(s, area_target, area, pairs, cnt * 8, "CACHE save area");
		for (i = 0; i < cnt * 2; i++)
			s->pfifo->cache[i] = get_le32(pairs + i * 4);
	}

	PF(s, NV_CACHE1_GET) = 0;
	PF(s, NV_CACHE1_PUT) = cnt << 2;
	s->pfifo->slice_used = 0;
	s->pfifo->slice_expired = false;
	sim_pusher_loaded(s);

	return true;
}

static bool chan_has_work(struct nvsim *s)
{
	return !sim_cache_empty(s) || sim_pusher_has_work(s) ||
	       (PF(s, NV_CACHE1_PULL1) & NV_FLD_MASK(NV_CACHE1_PULL1__ACQUIRE_ACTIVE));
}

static void save_channel(struct nvsim *s)
{
	unsigned int chid = sim_pfifo_chid(s);
	u8 mem[0x100], pairs[0x1000];
	u32 target, cnt, i, area_target;
	u32 get = PF(s, NV_CACHE1_GET);
	u64 addr, area;

	s->pfifo->chan_hint[chid] = chan_has_work(s);
	if (!sim_ramfc_location(s, chid, &target, &addr)) {
		sim_violation(s, "channel %u is loaded, but its table entry was cleared before it "
				 "was switched out", chid);
		return;
	}

	cnt = ((PF(s, NV_CACHE1_PUT) - get) & 0xfff) >> 2;
	if (cnt > 512)
		cnt = 512;

	for (i = 0; i < cnt; i++) {
		u32 e = ((get >> 2) + i) & 0x1ff;

		put_le32(pairs + i * 8, s->pfifo->cache[e * 2]);
		put_le32(pairs + i * 8 + 4, s->pfifo->cache[e * 2 + 1]);
	}

	if (cnt) {
		save_area(s, &area_target, &area);
		sim_struct_write(s, area_target, area, pairs, cnt * 8, "CACHE save area");
	}

	sim_peek(s, target, addr, mem, ramfc_size(s));
	ramfc_regs_save(s, mem, ramfc_all, ARRAY_LEN(ramfc_all));
	put_le32(mem + RAMFC_CACHE_CNT, cnt);
	if (!sim_is_g80(s))
		ramfc_regs_save(s, mem, ramfc_g84, ARRAY_LEN(ramfc_g84));

	if (s->chip == NV_CHIP_MCP89)
		ramfc_regs_save(s, mem, ramfc_mcp89, ARRAY_LEN(ramfc_mcp89));

	sim_struct_write(s, target, addr, mem, ramfc_size(s), "RAMFC");
}

static void unload(struct nvsim *s)
{
	save_channel(s);
	PF(s, NV_CACHE1_PUSH1) = SIM_NO_CHANNEL | NV_FLD_MASK(NV_CACHE1_PUSH1__MODE_DMA);
	PF(s, NV_CACHE1_GET) = 0;
	PF(s, NV_CACHE1_PUT) = 0;
	bind_current(s);
}

static void switch_to(struct nvsim *s, unsigned int chid)
{
	unsigned int from = sim_pfifo_loaded(s) ? sim_pfifo_chid(s) : SIM_NO_CHANNEL;

	if (from != SIM_NO_CHANNEL)
		unload(s);

	if (chid != SIM_NO_CHANNEL && !load_channel(s, chid))
		return;

	s->st.switches++;
	if (s->cfg.trace_mthd)
		sim_trace(s, "SW ch %u -> %u", from, chid);
}

/* --- scheduling --- */

static bool unloaded_eligible(struct nvsim *s, unsigned int chid)
{
	u8 mem[0x88];
	u32 target;
	u64 addr;

	if (!s->pfifo->chan_hint[chid] || s->pfifo->chan_bad[chid] || !sim_chan_runnable(s, chid))
		return false;
	if (s->pfifo->retry_at[chid] > sim_now(s))
		return false;
	if (!sim_ramfc_location(s, chid, &target, &addr) ||
	    sim_peek(s, target, addr, mem, sizeof(mem)))
		return true;	/* loading it reports the mistake */
	if (get_le32(mem + 0x08) != get_le32(mem + 0x10) ||
	    get_le32(mem + 0x0c) != get_le32(mem + 0x14) || get_le32(mem + RAMFC_CACHE_CNT) ||
	    (get_le32(mem + 0x5c) & NV_FLD_MASK(NV_CACHE1_PULL1__ACQUIRE_ACTIVE)))
		return true;
	if ((get_le32(mem + 0x3c) & NV_FLD_MASK(NV_CACHE1_DMA_FETCH__IB_ENABLE)) &&
	    get_le32(mem + 0x00) != get_le32(mem + 0x04))
		return true;
	s->pfifo->chan_hint[chid] = 0;

	return false;
}

/* The next channel of the playlist that has work, or SIM_NO_CHANNEL */
static unsigned int pick(struct nvsim *s)
{
	unsigned int current = sim_pfifo_loaded(s) ? sim_pfifo_chid(s) : SIM_NO_CHANNEL, i;

	for (i = 1; i <= s->pfifo->playlist_len; i++) {
		unsigned int pos = (s->pfifo->playlist_pos + i) % s->pfifo->playlist_len;
		unsigned int chid = s->pfifo->playlist[pos];

		if (chid != current && unloaded_eligible(s, chid)) {
			s->pfifo->playlist_pos = pos;
			return chid;
		}
	}

	return SIM_NO_CHANNEL;
}

static bool kick_match(struct nvsim *s)
{
	u32 desc = PF(s, NV_CACHE1_KICK_CHANNEL) & 0x3fffffff;

	return sim_pfifo_loaded(s) && sim_vm_channel(s, VMENG_PFIFO) == desc;
}

/*
 * Unload a channel that may no longer run, and load @next or none. False if PFIFO keeps the channel
 * because it has no successor.
 */
static bool leave(struct nvsim *s, unsigned int next)
{
	if (next == SIM_NO_CHANNEL && sim_quirk(s, NVSIM_QUIRK_EMPTY_PLAYLIST))
		return false;
	switch_to(s, next);
	return true;
}

static void try_kick(struct nvsim *s)
{
	u32 mask = 0x3f;

	if (!s->pfifo->kick_pending || sim_pfifo_frozen(s) || sim_inject(s, NVSIM_INJECT_KICK_STUCK) ||
	    sim_delayed(s, SIM_DELAY_KICK))
		return;

	/* On the G80 a kick waits for ever if PME does not answer. */
	if (sim_is_g80(s) && (!(*sim_reg(s, NV_PME_CONTROL) & 1) ||
			      !sim_unit_enabled(s, NV_PME_CONTROL)))
		return;

	/* On the G80 a kick asks all engines. */
	if (!sim_is_g80(s)) {
		mask = PF(s, NV_PFIFO_ENGINE_CTRL) & 0x3f;
		if (!mask && sim_quirk(s, NVSIM_QUIRK_KICK_MASK_0))
			return;
	}

	if (kick_match(s) && !sim_quirk(s, NVSIM_QUIRK_KICK_UNLOADS)) {
		if (error_pending(s) && !sim_quirk(s, NVSIM_QUIRK_KICK_ERROR))
			return;
		leave(s, pick(s));
	}

	if (!sim_engine_kick(s, PF(s, NV_CACHE1_KICK_CHANNEL) & 0x3fffffff, mask))
		return;

	if (s->cfg.trace_mthd)
		sim_trace(s, "KICK %08x done", PF(s, NV_CACHE1_KICK_CHANNEL));

	s->pfifo->kick_pending = false;
}

static bool slice_over(struct nvsim *s)
{
	u32 slice = PF(s, NV_PFIFO_DMA_TIMESLICE);

	if ((slice & NV_FLD_MASK(NV_PFIFO_DMA_TIMESLICE__TIMEOUT)) &&
	    s->pfifo->slice_used > NV_FLD_GET(NV_PFIFO_DMA_TIMESLICE__SELECT, slice))
		s->pfifo->slice_expired = true;
	return s->pfifo->slice_expired;
}

enum sim_step sim_pfifo_step(struct nvsim *s)
{
	bool reassign, blocked = false;
	enum sim_step r;
	unsigned int next;

	if (!(*sim_reg(s, NV_PMC_ENABLE) & NV_FLD_MASK(NV_PMC_ENABLE__PFIFO)))
		return STEP_IDLE;
	if (sim_pfifo_frozen(s))
		return STEP_IDLE;

	try_kick(s);
	reassign = PF(s, NV_PFIFO_CACHES) & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN);

	if (sim_pfifo_loaded(s) && sim_chan_runnable(s, sim_pfifo_chid(s))) {
		if (slice_over(s) && !s->pfifo->keep_channel && reassign && !error_pending(s)) {
			next = pick(s);
			s->pfifo->slice_used = 0;
			s->pfifo->slice_expired = false;
			if (next != SIM_NO_CHANNEL) {
				switch_to(s, next);
				return STEP_DONE;
			}
		}
		r = sim_puller_step(s);
		if (r != STEP_DONE) {
			blocked = r == STEP_BLOCKED;
			r = sim_pusher_step(s);
			if (r == STEP_BLOCKED) {
				s->pfifo->retry_at[sim_pfifo_chid(s)] = s->pfifo->lap_until;
				blocked = true;
			}
		}
		if (r == STEP_DONE) {
			s->pfifo->slice_used++;
			return STEP_DONE;
		}
	} else if (sim_pfifo_loaded(s) && reassign && !error_pending(s)) {
		/* The quirk: only the end of its slice unloads a channel without a successor. */
		next = pick(s);
		if (next == SIM_NO_CHANNEL && sim_quirk(s, NVSIM_QUIRK_KICK_UNLOADS) && !slice_over(s))
			return STEP_IDLE;
		return leave(s, next) ? STEP_DONE : STEP_IDLE;
	}

	/* A channel that only waits for an ACCESS bit keeps its turn. */
	if (!reassign || error_pending(s) || (sim_pfifo_loaded(s) && !blocked && chan_has_work(s)))
		return blocked ? STEP_BLOCKED : STEP_IDLE;

	next = pick(s);
	if (next == SIM_NO_CHANNEL)
		return blocked ? STEP_BLOCKED : STEP_IDLE;

	switch_to(s, next);

	return STEP_DONE;
}

/* ns until the next poll of a blocked acquire */
u64 sim_pfifo_deadline(struct nvsim *s)
{
	u64 now = sim_now(s), best = UINT64_MAX;
	unsigned int i, loaded = sim_pfifo_chid(s);

	if (!(*sim_reg(s, NV_PMC_ENABLE) & NV_FLD_MASK(NV_PMC_ENABLE__PFIFO)))
		return UINT64_MAX;

	if (sim_pfifo_frozen(s))
		return s->pfifo->freeze_until ? s->pfifo->freeze_until - now : UINT64_MAX;

	for (i = 0; i < s->pfifo->playlist_len; i++) {
		unsigned int chid = s->pfifo->playlist[i];
		u64 at = s->pfifo->retry_at[chid];

		if (at > now && at - now < best && sim_chan_runnable(s, chid))
			best = at - now;
	}

	if (sim_chan_loaded_by_hand(s, loaded) && s->pfifo->retry_at[loaded] > now &&
	    s->pfifo->retry_at[loaded] - now < best)
		best = s->pfifo->retry_at[loaded] - now;

	return best;
}

/* --- playlist, kick, channel table --- */

/* The bit of PLAYLIST_LEN that an update sets */
static u32 playlist_busy(const struct nvsim *s)
{
	if (sim_is_g80(s) || sim_quirk(s, NVSIM_QUIRK_PLAYLIST_PENDING))
		return NV_FLD_MASK(NV_CACHE1_PLAYLIST_LEN__PENDING_G80);
	return NV_FLD_MASK(NV_CACHE1_PLAYLIST_LEN__PENDING_G84);
}

static void commit_playlist(struct nvsim *s, u32 val)
{
	u32 reg = PF(s, NV_CACHE1_PLAYLIST), i, n, target;
	bool unwritten = false;
	u64 addr;

	if (sim_inject(s, NVSIM_INJECT_PLAYLIST_STUCK)) {
		s->pfifo->playlist_pending = true;
		return;
	}

	n = sim_is_g80(s) ? NV_FLD_GET(NV_CACHE1_PLAYLIST_LEN__LEN_G80, val) :
			    NV_FLD_GET(NV_CACHE1_PLAYLIST_LEN__LEN_G84, val);

	if (n != val)
		sim_violation(s, "PLAYLIST_LEN = %08x: reserved bits are set", val);

	if (n > 128) {
		sim_violation(s, "PLAYLIST_LEN = %u: a playlist has 128 entries at most", n);
		n = 128;
	}

	if (reg & 0xc0000000)
		sim_violation(s, "PLAYLIST = %08x: reserved bits are set", reg);

	target = NV_FLD_GET(NV_CACHE1_PLAYLIST__TARGET, reg);
	addr = (u64)NV_FLD_GET(NV_CACHE1_PLAYLIST__ADDRESS, reg) << 12;

	clear_playlist(s);

	for (i = 0; i < n; i++) {
		u32 chid = sim_struct_read32(s, target, addr + i * 4, "playlist");

		if (chid == 0 || chid >= SIM_NO_CHANNEL) {
			sim_violation(s, "playlist entry %u is %08x; channel ids are 1 to 126", i,
				      chid);
			continue;
		}
		s->pfifo->playlist[s->pfifo->playlist_len++] = chid;
		s->pfifo->in_playlist[chid] = true;
	}

	s->pfifo->playlist_pos = s->pfifo->playlist_len ? s->pfifo->playlist_len - 1 : 0;
	sim_mem_guard_playlist(s, 0, 0);
	if (n && target == TGT_VRAM)
		sim_mem_guard_playlist(s, addr, addr + n * 4);

	for (i = 0; i < 128; i++)
		unwritten |= !s->pfifo->chan_written[i];

	if (n && unwritten)
		sim_violation(s, "playlist committed, but not all 128 channel table entries were "
				 "written since the reset");

	hint_all(s);
}

static void start_kick(struct nvsim *s, u32 val)
{
	u32 target, i;
	u64 addr;

	if (val & 0xc0000000)
		sim_violation(s, "KICK_CHANNEL = %08x: reserved bits are set", val);

	if (s->pfifo->kick_pending)
		sim_violation(s, "KICK_CHANNEL = %08x while another kick is running", val);

	if (!sim_is_g80(s) && (PF(s, NV_PFIFO_ENGINE_CTRL) & 0xffc0))
		sim_violation(s, "kick with ENGINE_CTRL %08x: there are 6 engines at most",
			      PF(s, NV_PFIFO_ENGINE_CTRL));

	for (i = 1; i < SIM_NO_CHANNEL; i++) {
		u8 mem[4];
		u32 desc;

		if (!sim_ramfc_location(s, i, &target, &addr))
			continue;
		if (sim_is_g80(s)) {
			desc = *sim_chan_entry(s, i) & 0x3fffffff;
		} else {
			sim_peek(s, target, addr + 0x98, mem, 4);
			desc = get_le32(mem);
		}
		if (desc != (val & 0x3fffffff))
			continue;
		if (sim_chan_runnable(s, i))
			sim_violation(s, "kick of channel %u, which is enabled and in the playlist",
				      i);
		break;
	}

	if (i == SIM_NO_CHANNEL)
		sim_violation(s, "kick of %08x, which no channel table entry leads to", val);

	PF(s, NV_CACHE1_KICK_CHANNEL) = val;
	s->pfifo->kick_pending = true;
	sim_delay_start(s, SIM_DELAY_KICK);
	try_kick(s);
}

static void write_chan_table(struct nvsim *s, unsigned int chid, u32 val)
{
	u32 reserved = sim_is_g80(s) ? 0x40000000 : 0x7c000000;
	u32 target = sim_is_g80(s) ? NV_FLD_GET(NV_PFIFO_CHAN_TABLE__TARGET_G80, val) :
				     NV_FLD_GET(NV_PFIFO_CHAN_TABLE__TARGET_G84, val);
	u32 *e = sim_chan_entry(s, chid);

	if (val & reserved)
		sim_violation(s, "CHAN_TABLE[%u] = %08x: reserved bits are set", chid, val);

	if (target == TGT_INVALID)
		sim_violation(s, "CHAN_TABLE[%u] = %08x: target 1 does not exist", chid, val);

	if ((val & SIM_CHAN_ENABLE) && (chid == 0 || chid == SIM_NO_CHANNEL))
		sim_violation(s, "CHAN_TABLE[%u] = %08x: ids 0 and 127 are not for use", chid, val);

	if (sim_pfifo_loaded(s) && sim_pfifo_chid(s) == chid && ((*e ^ val) & ~(3u << 30)))
		sim_violation(s, "CHAN_TABLE[%u] = %08x while the channel is loaded", chid, val);

	*e = val;
	s->pfifo->chan_written[chid] = 1;
	s->pfifo->chan_hint[chid] = 1;
	s->pfifo->chan_bad[chid] = 0;
	s->pfifo->chan_endless[chid] = 0;
	s->pfifo->retry_at[chid] = 0;
	s->pfifo->blocked_at[chid] = 0;
}

/* --- registers --- */

static u32 status(const struct nvsim *s)
{
	return NV_FLD_SET(NV_CACHE1_STATUS__EMPTY, sim_cache_empty(s)) |
	       NV_FLD_SET(NV_CACHE1_STATUS__FULL, sim_cache_full(s));
}

u32 sim_pfifo_read(struct nvsim *s, u32 off)
{
	u32 v = s->pfifo->reg[(off - 0x2000) >> 2];

	switch (off) {
	case NV_PFIFO_TIMESLICE:
		return slice_over(s) ? 0x3ffff : s->pfifo->slice_used;
	case NV_PFIFO_DEBUG_0:
		/* Two copies of CACHE_ERROR */
		return PF(s, NV_PFIFO_INTR) & NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR) ? 0x11 : 0;
	case NV_PFIFO_CACHES:
		/* A log of a GT218 reads 11 after 1. */
		if (s->chip == NV_CHIP_GT218 && v & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN))
			v |= NV_FLD_MASK(NV_PFIFO_CACHES__DMA_SUSPEND_BUSY);
		return v;
	case NV_PFIFO_INTR_EN:
		/* A log of an MCP79 reads 7ffd1151 after ffffffff. */
		return s->chip == NV_CHIP_MCP79 ? v & 0x7ffd1151 : v;
	case NV_PFIFO_FREEZE:
		return v | NV_FLD_SET(NV_PFIFO_FREEZE__FROZEN, sim_pfifo_frozen(s));
	case NV_PFIFO_ENGINE_IDLE:
		return sim_engine_idle_mask(s);
	case NV_CACHE1_STATUS:
		return status(s);
	case NV_CACHE1_DMA_PUSH:
		return v | NV_FLD_SET(NV_CACHE1_DMA_PUSH__EMPTY,
				      !sim_pfifo_loaded(s) || !sim_pusher_has_work(s));
	case NV_CACHE1_PLAYLIST_LEN:
		v &= sim_is_g80(s) ? 0xff : 0xfff;
		if ((s->pfifo->playlist_pending && sim_inject(s, NVSIM_INJECT_PLAYLIST_STUCK)) ||
		    sim_delayed(s, SIM_DELAY_PLAYLIST))
			v |= playlist_busy(s);
		return v;
	case NV_CACHE1_UNK0F0:
		return sim_pfifo_chid(s);
	case NV_CACHE1_KICK_CHANNEL:
		return s->pfifo->kick_pending || sim_inject(s, NVSIM_INJECT_KICK_STUCK) ? ~0u : 0;
	case NV_CACHE1_FLUSH_CTRL_G80:
		return sim_barflush_read(s);
	}

	return v;
}

static void write_pull0(struct nvsim *s, u32 val)
{
	bool ran = PF(s, NV_CACHE1_PULL0) & 1;

	/* Enabling the puller again clears the reason of its stop. */
	if (val & 1) {
		PF(s, NV_CACHE1_PULL0) = 1;
		return;
	}

	PF(s, NV_CACHE1_PULL0) &= ~1u;
	if (ran)
		sim_puller_stopped(s);
}

/* Writes of ones clear INTR, but not the bits of a storm. */
static void write_intr(struct nvsim *s, u32 off, u32 val)
{
	s->pfifo->reg[(off - 0x2000) >> 2] &= ~val;
	if (off == NV_PFIFO_INTR)
		PF(s, NV_PFIFO_INTR) |= sim_storm(s, SIM_STORM_PFIFO);

	sim_irq_update(s);
}

static void write_playlist_len(struct nvsim *s, u32 val)
{
	PF(s, NV_CACHE1_PLAYLIST_LEN) = val;
	s->pfifo->playlist_pending = false;
	sim_delay_start(s, SIM_DELAY_PLAYLIST);
	commit_playlist(s, val);
}

#define FREEZE_LAG_NS	4000

static void write_freeze(struct nvsim *s, u32 val)
{
	const u64 now = sim_now(s);

	if (val != PF(s, NV_PFIFO_FREEZE)) {
		if (val && sim_pfifo_frozen(s))
			sim_violation(s, "FREEZE = 1 while FROZEN still shows the last freeze");
		s->pfifo->freeze_until = sim_quirk(s, NVSIM_QUIRK_FROZEN) ? 0 : now + FREEZE_LAG_NS;
	}

	if (PF(s, NV_PFIFO_FREEZE) && !val)
		s->st.frozen_us += (now - s->pfifo->frozen_at) / 1000;
	else if (!PF(s, NV_PFIFO_FREEZE))
		s->pfifo->frozen_at = now;

	PF(s, NV_PFIFO_FREEZE) = val;
}

/* A write of PUSH1 selects the channel without the playlist. */
static void write_push1(struct nvsim *s, u32 val)
{
	PF(s, NV_CACHE1_PUSH1) = val & 0x1007f;
	s->pfifo->loaded_by_hand = true;
	bind_current(s);
}

static void drop_semaphore_object(struct nvsim *s)
{
	sim_vm_drop_obj(s, VMENG_PFIFO, 1);
	sim_vm_drop_obj(s, VMENG_SEM_BG, 1);
}

void sim_pfifo_write(struct nvsim *s, u32 off, u32 val)
{
	if (off >= NV_PFIFO_CHAN_TABLE && off < NV_REG_AT(NV_PFIFO_CHAN_TABLE, 128)) {
		write_chan_table(s, (off - NV_PFIFO_CHAN_TABLE) / 4, val);
		return;
	}
	switch (off) {
	case NV_PFIFO_INTR:
	case NV_PFIFO_INTR_NRHOST:
		write_intr(s, off, val);
		return;
	case NV_PFIFO_INTR_EN:
	case NV_PFIFO_INTR_EN_NRHOST:
		s->pfifo->reg[(off - 0x2000) >> 2] = val;
		sim_irq_update(s);
		return;
	case NV_PFIFO_TIMESLICE:
		s->pfifo->slice_expired = val >= 0x20000;
		return;
	case NV_PFIFO_CACHES:
		PF(s, NV_PFIFO_CACHES) = val & 0x3;
		return;
	case NV_PFIFO_FREEZE:
		write_freeze(s, val & 1);
		return;
	case NV_CACHE1_PUSH1:
		write_push1(s, val);
		return;
	case NV_CACHE1_PUT:
	case NV_CACHE1_GET:
		s->pfifo->reg[(off - 0x2000) >> 2] = val & 0xffc;
		return;
	case NV_CACHE1_DMA_PUSH:
		PF(s, NV_CACHE1_DMA_PUSH) = val & 1;
		return;
	case NV_CACHE1_DMA_INSTANCE:
		sim_vm_drop_obj(s, VMENG_PFIFO, 0);
		break;
	case NV_CACHE1_SEMAPHORE:
		drop_semaphore_object(s);
		break;
	case NV_CACHE1_PULL0:
		write_pull0(s, val);
		return;
	case NV_CACHE1_PLAYLIST_LEN:
		write_playlist_len(s, val);
		return;
	case NV_CACHE1_KICK_CHANNEL:
		start_kick(s, val);
		return;
	case NV_CACHE1_FLUSH_CTRL_G80:
		sim_barflush_write(s, val);
		return;
	case NV_CACHE1_CHAN_INST:
		PF(s, off) = val;
		bind_current(s);
		return;
	}
	s->pfifo->reg[(off - 0x2000) >> 2] = val;
}
