// SPDX-License-Identifier: MIT
/*
 * The pusher: reads IB entries and push buffer words, turns them into pairs of
 * method and data in the CACHE.
 */
#include "core.h"
#include "fault.h"
#include "fifo.h"
#include "mmu.h"

enum pusher_error {
	ERR_CALL_SUBR_ACTIVE = 1,
	ERR_INVALID_MTHD = 2,
	ERR_RET_SUBR_INACTIVE = 3,
	ERR_INVALID_CMD = 4,
	ERR_IB_EMPTY = 5,
	ERR_MEM_FAULT = 6,
};

static const char *const error_names[] = {
	"NONE",	       "CALL_SUBR_ACTIVE", "INVALID_MTHD", "RET_SUBR_INACTIVE",
	"INVALID_CMD", "IB_EMPTY",	   "MEM_FAULT",
};

#define ST_NONINC	NV_FLD_MASK(NV_CACHE1_DMA_STATE__NONINC)
#define ST_IB_UNK8	NV_FLD_MASK(NV_CACHE1_DMA_STATE__IB_UNK8)
#define ST_METHOD	NV_FLD_MASK(NV_CACHE1_DMA_STATE__METHOD)
#define ST_SUBC		NV_FLD_MASK(NV_CACHE1_DMA_STATE__SUBCHANNEL)
#define ST_LONG		NV_FLD_MASK(NV_CACHE1_DMA_STATE__LARGE_LEN_PENDING)
#define ST_SUBR		NV_FLD_MASK(NV_CACHE1_DMA_STATE__SUBROUTINE_ACTIVE)
#define ST_NON_MAIN	NV_FLD_MASK(NV_CACHE1_DMA_STATE__NON_MAIN)
#define ST_ERROR	NV_FLD_MASK(NV_CACHE1_DMA_STATE__ERROR)

#define MGET_VALID	NV_FLD_MASK(NV_CACHE1_DMA_MGET_HIGH__VALID)
#define SLI_ACTIVE	NV_FLD_MASK(NV_PFIFO_SLI__ACTIVE)
#define SLI_ENABLE	NV_FLD_MASK(NV_PFIFO_SLI__ENABLE)

/* Commands: a word of the push buffer that is no data, by the bits that every one of them has */
#define CMD_OLD_JUMP_BITS	0xe0000003
#define CMD_OLD_JUMP		0x20000000
#define CMD_OLD_JUMP_TARGET	0x1ffffffc
#define CMD_FLOW_BITS		0x00000003
#define CMD_JUMP		0x00000001
#define CMD_CALL		0x00000002
#define CMD_RETURN		0x00020000
#define CMD_METHODS_BITS	0xe0030003
#define CMD_INCREASING		0x00000000
#define CMD_NON_INCREASING	0x40000000
#define CMD_OTHER_BITS		0xffff0003
#define CMD_LONG		0x00030000
#define CMD_SLI			0x00010000
#define CMD_SLI_MASK(word)	((word) >> 4 & 0xfff)
#define CMD_COUNT(word)		((word) >> 18 & 0x7ff)
#define CMD_LONG_COUNT		0x00ffffff

/* Word 0 of an IB entry: the address, and two bits that only a quirk knows */
#define IB_SKIP			0x00000001
#define IB_KEEP_CHANNEL		0x00000002

/* Word 1 of an IB entry */
#define IB_ADDRESS_HIGH		0x000000ff
#define IB_UNK8			0x00000100
#define IB_NOT_MAIN		0x00000200
#define IB_LENGTH(w1)		((w1) >> 10)
#define IB_LENGTH_MASK		0x001fffff
#define IB_NO_PREFETCH		0x80000000

static u64 reg40(const struct nvsim *s, u32 low, u32 high)
{
	return PF(s, low) | (u64)(PF(s, high) & 0xff) << 32;
}

static void set_get(struct nvsim *s, u64 get)
{
	PF(s, NV_CACHE1_DMA_GET) = (u32)get;
	PF(s, NV_CACHE1_DMA_GET_HIGH) = get >> 32 & 0xff;
}

static void set_mget(struct nvsim *s, u64 get)
{
	PF(s, NV_CACHE1_DMA_MGET) = (u32)get;
	PF(s, NV_CACHE1_DMA_MGET_HIGH) = MGET_VALID | (get >> 32 & 0xff);
}

static bool ib_mode(const struct nvsim *s)
{
	return PF(s, NV_CACHE1_DMA_FETCH) & NV_FLD_MASK(NV_CACHE1_DMA_FETCH__IB_ENABLE);
}

static bool segment_left(const struct nvsim *s)
{
	return PF(s, NV_CACHE1_DMA_GET) != PF(s, NV_CACHE1_DMA_PUT) ||
	       ((PF(s, NV_CACHE1_DMA_GET_HIGH) ^ PF(s, NV_CACHE1_DMA_PUT_HIGH)) & 0xff);
}

bool sim_pusher_has_work(struct nvsim *s)
{
	return segment_left(s) ||
	       (ib_mode(s) && PF(s, NV_CACHE1_IB_GET) != PF(s, NV_CACHE1_IB_PUT));
}

static enum sim_step fail(struct nvsim *s, enum pusher_error err)
{
	PF(s, NV_CACHE1_DMA_STATE) = (PF(s, NV_CACHE1_DMA_STATE) & ~ST_ERROR) | (u32)err << 29;
	PF(s, NV_CACHE1_DMA_PUSH) = NV_FLD_MASK(NV_CACHE1_DMA_PUSH__SUSPENDED);
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR ch %u DMA_PUSHER %s get %010llx ib_get %x state %08x word %08x",
			  sim_pfifo_chid(s), error_names[err],
			  (unsigned long long)reg40(s, NV_CACHE1_DMA_GET, NV_CACHE1_DMA_GET_HIGH),
			  PF(s, NV_CACHE1_IB_GET), PF(s, NV_CACHE1_DMA_STATE),
			  PF(s, NV_CACHE1_DMA_RSVD_SHADOW));

	sim_pfifo_intr(s, NV_FLD_MASK(NV_PFIFO_INTR__DMA_PUSHER));

	return STEP_DONE;
}

static u16 push_object(const struct nvsim *s)
{
	return PF(s, NV_CACHE1_DMA_INSTANCE) & 0xffff;
}

static bool fetch(struct nvsim *s, u64 addr, u32 *words, unsigned int n)
{
	bool big = sim_pfifo_big(s);
	u8 raw[8];
	unsigned int i;

	if (!sim_vm_fetch(s, push_object(s), addr, raw, n * 4))
		return false;
	for (i = 0; i < n; i++)
		words[i] = sim_flipped(s, addr, sim_cpu_word(big, get_le32(raw + 4 * i)));
	return true;
}

/* The address of a segment, from its entry */
static u64 ib_address(const u32 *w)
{
	return (w[0] & ~3u) | (u64)(w[1] & IB_ADDRESS_HIGH) << 32;
}

/* With NO_PREFETCH the pusher reads the entry's words after all earlier words were executed. */
static bool no_prefetch(const struct nvsim *s, u32 w1)
{
	return (w1 & IB_NO_PREFETCH) && sim_quirk(s, NVSIM_QUIRK_IB_PREFETCH) &&
	       !sim_quirk(s, NVSIM_QUIRK_IB_BIT31);
}

/* Read the first words of the next entry while the one before it is at work. */
static void prefetch(struct nvsim *s, u64 ring)
{
	bool big = sim_pfifo_big(s);
	struct sim_prefetch *a = &s->pfifo->ahead;
	u32 index = PF(s, NV_CACHE1_IB_GET), w[2], i;
	u8 raw[4 * SIM_PREFETCH];

	a->valid = false;
	if (!sim_quirk(s, NVSIM_QUIRK_IB_PREFETCH) || index == PF(s, NV_CACHE1_IB_PUT))
		return;
	if (!sim_vm_prefetch(s, push_object(s), ring + index * 8ull, raw, 8))
		return;

	w[0] = sim_cpu_word(big, get_le32(raw));
	w[1] = sim_cpu_word(big, get_le32(raw + 4));
	if (no_prefetch(s, w[1]))
		return;

	a->index = index;
	a->addr = ib_address(w);
	a->count = IB_LENGTH(w[1]) & IB_LENGTH_MASK;
	if (a->count > SIM_PREFETCH)
		a->count = SIM_PREFETCH;

	if (!sim_vm_prefetch(s, push_object(s), a->addr, raw, a->count * 4))
		return;

	for (i = 0; i < a->count; i++)
		a->word[i] = sim_cpu_word(big, get_le32(raw + 4 * i));

	a->valid = true;
}

/* Get a word of the current segment: from prefetch(), or from memory */
static bool fetch_word(struct nvsim *s, u64 addr, u32 *word)
{
	const struct sim_prefetch *c = &s->pfifo->current;

	if (c->valid && addr >= c->addr && addr < c->addr + 4ull * c->count) {
		*word = c->word[(addr - c->addr) / 4];
		return true;
	}
	return fetch(s, addr, word, 1);
}

/* Whether PFIFO or an engine has the method. Methods from MTHD_ENGINE on belong to engines. */
bool sim_method_known(const struct nvsim *s, u32 mthd)
{
	if (mthd >= MTHD_ENGINE)
		return true;

	switch (mthd) {
	case MTHD_OBJECT:
	case MTHD_REF_CNT:
	case MTHD_DMA_SEMAPHORE:
	case MTHD_SEM_OFFSET:
	case MTHD_SEM_ACQUIRE:
	case MTHD_SEM_RELEASE:
	case MTHD_YIELD:
		return true;
	case MTHD_SEM_ADDRESS_HIGH:
	case MTHD_SEM_ADDRESS_LOW:
	case MTHD_SEM_SEQUENCE:
	case MTHD_SEM_TRIGGER:
	case MTHD_NOTIFY_INTR:
	case MTHD_WRCACHE_FLUSH:
		return !sim_is_g80(s);
	case MTHD_UNK28:
	case MTHD_UNK2C:
		return s->chip == NV_CHIP_MCP89;
	}

	return false;
}

static enum sim_step data_word(struct nvsim *s, u32 word)
{
	u32 state = PF(s, NV_CACHE1_DMA_STATE), sli = PF(s, NV_PFIFO_SLI);
	u32 i;

	PF(s, NV_CACHE1_DMA_DATA_SHADOW) = word;
	if (!sim_method_known(s, state & ST_METHOD))
		return fail(s, ERR_INVALID_MTHD);

	if (!(sli & SLI_ENABLE) || (sli & SLI_ACTIVE)) {
		i = PF(s, NV_CACHE1_PUT) >> 2 & 0x1ff;
		s->pfifo->cache[2 * i] = state & (ST_METHOD | ST_SUBC | ST_NONINC);
		s->pfifo->cache[2 * i + 1] = word;
		PF(s, NV_CACHE1_PUT) = (PF(s, NV_CACHE1_PUT) + 4) & 0xffc;
	}

	if (!(state & ST_NONINC))
		PF(s, NV_CACHE1_DMA_STATE) = (state & ~ST_METHOD) | ((state + 4) & ST_METHOD);

	PF(s, NV_CACHE1_METHOD_COUNT)--;
	PF(s, NV_CACHE1_DMA_DCOUNT_SHADOW)++;

	return STEP_DONE;
}

static void start_command(struct nvsim *s, u32 word, bool nonincr, bool large)
{
	u32 state = PF(s, NV_CACHE1_DMA_STATE);

	state &= ~(ST_NONINC | ST_METHOD | ST_SUBC | ST_LONG);
	state |= word & (ST_METHOD | ST_SUBC);
	if (nonincr)
		state |= ST_NONINC;

	if (large)
		state |= ST_LONG;
	else
		PF(s, NV_CACHE1_METHOD_COUNT) = CMD_COUNT(word);

	PF(s, NV_CACHE1_DMA_STATE) = state;
	PF(s, NV_CACHE1_DMA_DCOUNT_SHADOW) = 0;
}

/* Jump, call and return exist in NV04 mode only. */
static bool flow_command(struct nvsim *s, u32 word, enum pusher_error *err)
{
	u64 get = reg40(s, NV_CACHE1_DMA_GET, NV_CACHE1_DMA_GET_HIGH);

	*err = 0;
	if ((word & CMD_OLD_JUMP_BITS) == CMD_OLD_JUMP) {
		PF(s, NV_CACHE1_DMA_GET_JMP_SHADOW) = (u32)get;
		set_get(s, word & CMD_OLD_JUMP_TARGET);
	} else if ((word & CMD_FLOW_BITS) == CMD_JUMP) {
		PF(s, NV_CACHE1_DMA_GET_JMP_SHADOW) = (u32)get;
		set_get(s, word & ~3u);
	} else if ((word & CMD_FLOW_BITS) == CMD_CALL) {
		if (PF(s, NV_CACHE1_DMA_STATE) & ST_SUBR) {
			*err = ERR_CALL_SUBR_ACTIVE;
			return true;
		}
		PF(s, NV_CACHE1_SUBROUTINE) = (u32)get;
		PF(s, NV_CACHE1_DMA_STATE) |= ST_SUBR;
		set_get(s, word & ~3u);
	} else if (word == CMD_RETURN) {
		if (!(PF(s, NV_CACHE1_DMA_STATE) & ST_SUBR)) {
			*err = ERR_RET_SUBR_INACTIVE;
			return true;
		}
		PF(s, NV_CACHE1_DMA_STATE) &= ~ST_SUBR;
		set_get(s, PF(s, NV_CACHE1_SUBROUTINE) & ~3u);
	} else {
		return false;
	}

	return true;
}

static enum sim_step header_word(struct nvsim *s, u32 word, u64 old_get, u32 old_mget,
				 u32 old_mget_high)
{
	enum pusher_error err;

	PF(s, NV_CACHE1_DMA_RSVD_SHADOW) = word;
	if (!ib_mode(s) && flow_command(s, word, &err))
		return err ? fail(s, err) : STEP_DONE;

	if ((word & CMD_METHODS_BITS) == CMD_INCREASING) {
		start_command(s, word, false, false);
	} else if ((word & CMD_METHODS_BITS) == CMD_NON_INCREASING) {
		start_command(s, word, true, false);
	} else if ((word & CMD_OTHER_BITS) == CMD_LONG && ib_mode(s)) {
		start_command(s, word, true, true);
	} else if ((word & CMD_OTHER_BITS) == CMD_SLI && (PF(s, NV_PFIFO_SLI) & SLI_ENABLE)) {
		if (CMD_SLI_MASK(word) & PF(s, NV_PFIFO_SLI))
			PF(s, NV_PFIFO_SLI) |= SLI_ACTIVE;
		else
			PF(s, NV_PFIFO_SLI) &= ~SLI_ACTIVE;
	} else {
		/* In the documents' pseudocode GET is past the bad word, in logs of a GT216 at it. */
		if (!sim_quirk(s, NVSIM_QUIRK_INVALID_CMD_GET)) {
			set_get(s, old_get);
			PF(s, NV_CACHE1_DMA_MGET) = old_mget;
			PF(s, NV_CACHE1_DMA_MGET_HIGH) = old_mget_high;
		}
		return fail(s, ERR_INVALID_CMD);
	}

	return STEP_DONE;
}

/* Whether GET is outside of DMA_LIMIT, which NV04 mode has. No limit lies above 4 GiB. */
static bool past_limit(const struct nvsim *s, u64 get)
{
	u32 limit = PF(s, NV_CACHE1_DMA_LIMIT);

	return get > limit || (get == limit && sim_quirk(s, NVSIM_QUIRK_DMA_LIMIT));
}

static enum sim_step segment_word(struct nvsim *s)
{
	u64 get = reg40(s, NV_CACHE1_DMA_GET, NV_CACHE1_DMA_GET_HIGH);
	u32 mget = PF(s, NV_CACHE1_DMA_MGET), mget_high = PF(s, NV_CACHE1_DMA_MGET_HIGH);
	u32 state = PF(s, NV_CACHE1_DMA_STATE), word;
	bool super, ok;

	/* The next word may be data: read it only if the CACHE has room for it. */
	if (!(state & ST_LONG) && PF(s, NV_CACHE1_METHOD_COUNT) && sim_cache_full(s))
		return STEP_IDLE;
	if (!ib_mode(s) && past_limit(s, get))
		return fail(s, ERR_MEM_FAULT);

	super = ib_mode(s) && (state & ST_IB_UNK8) && sim_quirk(s, NVSIM_QUIRK_IB_BIT8);
	if (super)
		sim_vm_set_super(s, VMENG_PFIFO, true);
	ok = fetch_word(s, get, &word);
	if (super)
		sim_vm_set_super(s, VMENG_PFIFO, false);
	if (!ok)
		return fail(s, ERR_MEM_FAULT);

	s->st.words++;
	set_get(s, (get + 4) & MASK40);
	if (ib_mode(s) && !(state & ST_NON_MAIN))
		set_mget(s, (get + 4) & MASK40);

	if (state & ST_LONG) {
		PF(s, NV_CACHE1_DMA_STATE) &= ~ST_LONG;
		PF(s, NV_CACHE1_METHOD_COUNT) = word & CMD_LONG_COUNT;
		return STEP_DONE;
	}

	if (PF(s, NV_CACHE1_METHOD_COUNT))
		return data_word(s, word);

	return header_word(s, word, get, mget, mget_high);
}

/* Report bits that must be 0, except those of a quirk. */
static void check_entry(struct nvsim *s, u32 index, const u32 *w)
{
	unsigned int chid = sim_pfifo_chid(s);

	if ((w[0] & 3) && !sim_quirk(s, NVSIM_QUIRK_IB_WORD0))
		sim_violation(s, "IB entry %u of channel %u: bits 1:0 of word 0 (%08x) must be 0",
			      index, chid, w[0]);

	if ((w[1] & IB_UNK8) && !sim_quirk(s, NVSIM_QUIRK_IB_BIT8))
		sim_violation(s, "IB entry %u of channel %u: bit 8 of word 1 (%08x) must be 0",
			      index, chid, w[1]);
}

/*
 * IB_GET never reaches an IB_PUT past the ring. After each lap other channels and the host get
 * their turn.
 */
static void end_of_lap(struct nvsim *s, u32 order)
{
	if (order < 32 && PF(s, NV_CACHE1_IB_PUT) >= 1u << order && !PF(s, NV_CACHE1_IB_GET))
		s->pfifo->lap_until = sim_now(s) + SIM_RETRY_NS;
}

static enum sim_step ib_entry(struct nvsim *s)
{
	u64 ring = reg40(s, NV_CACHE1_IB_ADDRESS_LOW, NV_CACHE1_IB_CONFIG), addr;
	u32 order = NV_FLD_GET(NV_CACHE1_IB_CONFIG__ORDER, PF(s, NV_CACHE1_IB_CONFIG));
	u32 index = PF(s, NV_CACHE1_IB_GET), w[2], len, state;

	if (!fetch(s, ring + index * 8ull, w, 2))
		return fail(s, ERR_MEM_FAULT);
	if (no_prefetch(s, w[1]) && !sim_cache_empty(s))
		return STEP_IDLE;

	s->st.ib_entries++;
	s->pfifo->current = s->pfifo->ahead;
	s->pfifo->current.valid = s->pfifo->ahead.valid && s->pfifo->ahead.index == index;
	PF(s, NV_CACHE1_IB_GET) = (index + 1) & (order < 32 ? (1u << order) - 1 : ~0u);
	end_of_lap(s, order);
	addr = ib_address(w);
	len = IB_LENGTH(w[1]);
	if (!sim_quirk(s, NVSIM_QUIRK_IB_BIT31))
		len &= IB_LENGTH_MASK;

	if (s->cfg.trace_mthd)
		sim_trace(s, "IB ch %u get %u addr %010llx words %u%s", sim_pfifo_chid(s), index,
			  (unsigned long long)addr, len, w[1] & IB_NOT_MAIN ? " not-main" : "");

	check_entry(s, index, w);
	s->pfifo->keep_channel = false;
	if (sim_quirk(s, NVSIM_QUIRK_IB_WORD0)) {
		if (w[0] & IB_SKIP)
			return STEP_DONE;
		s->pfifo->keep_channel = w[0] & IB_KEEP_CHANNEL;
	}

	if (!len)
		return fail(s, ERR_IB_EMPTY);

	state = PF(s, NV_CACHE1_DMA_STATE) & ~(ST_IB_UNK8 | ST_NON_MAIN | ST_SUBR);
	if (w[1] & IB_UNK8)
		state |= ST_IB_UNK8;

	if (w[1] & IB_NOT_MAIN)
		state |= sim_quirk(s, NVSIM_QUIRK_IB_BIT9) ? ST_NON_MAIN | ST_SUBR : ST_NON_MAIN;
	else
		set_mget(s, addr);

	PF(s, NV_CACHE1_DMA_STATE) = state;
	set_get(s, addr);
	addr = (addr + 4ull * len) & MASK40;
	PF(s, NV_CACHE1_DMA_PUT) = (u32)addr;
	PF(s, NV_CACHE1_DMA_PUT_HIGH) = addr >> 32;
	prefetch(s, ring);

	return STEP_DONE;
}

/* A channel has just been loaded. */
void sim_pusher_loaded(struct nvsim *s)
{
	s->pfifo->keep_channel = false;
	s->pfifo->ahead.valid = false;
	s->pfifo->current.valid = false;
	s->pfifo->lap_until = 0;
}

enum sim_step sim_pusher_step(struct nvsim *s)
{
	if (!(PF(s, NV_CACHE1_PUSH0) & 1) || !(PF(s, NV_CACHE1_DMA_PUSH) & 1))
		return STEP_IDLE;
	if (segment_left(s))
		return segment_word(s);
	if (!ib_mode(s) || PF(s, NV_CACHE1_IB_GET) == PF(s, NV_CACHE1_IB_PUT))
		return STEP_IDLE;
	return s->pfifo->lap_until > sim_now(s) ? STEP_BLOCKED : ib_entry(s);
}
