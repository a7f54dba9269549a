/* SPDX-License-Identifier: MIT */
/*
 * The inside of PFIFO: its state, and the functions by which its files know each other
 */
#ifndef SIM_CORE_FIFO_H
#define SIM_CORE_FIFO_H

#include "core.h"
#include "pfifo.h"

/*
 * PFIFO polls a blocked channel at these intervals, whether or not it is loaded. An interval is 1/16
 * of the time that the channel has been blocked, within these limits, so a long wait costs little.
 */
#define SIM_RETRY_NS		50000
#define SIM_RETRY_MAX_NS	1000000

#define SIM_CHAN_ENABLE		NV_FLD_MASK(NV_PFIFO_CHAN_TABLE__ENABLE)

/* PFIFO's own methods, which the puller executes itself */
enum sim_method {
	MTHD_OBJECT = 0x00,
	MTHD_SEM_ADDRESS_HIGH = 0x10,
	MTHD_SEM_ADDRESS_LOW = 0x14,
	MTHD_SEM_SEQUENCE = 0x18,
	MTHD_SEM_TRIGGER = 0x1c,
	MTHD_NOTIFY_INTR = 0x20,
	MTHD_WRCACHE_FLUSH = 0x24,
	MTHD_UNK28 = 0x28,
	MTHD_UNK2C = 0x2c,
	MTHD_REF_CNT = 0x50,
	MTHD_DMA_SEMAPHORE = 0x60,
	MTHD_SEM_OFFSET = 0x64,
	MTHD_SEM_ACQUIRE = 0x68,
	MTHD_SEM_RELEASE = 0x6c,
	MTHD_YIELD = 0x80,
	MTHD_ENGINE = 0x100,	/* the first method of an engine */
	MTHD_DMA_FIRST = 0x180,	/* from here to MTHD_DMA_END data is a handle of a DMA object */
	MTHD_DMA_END = 0x200,
};

#define SIM_PREFETCH	16

/* Words that the pusher has prefetched */
struct sim_prefetch {
	bool valid;
	u32 index;		/* of the IB entry */
	u64 addr;
	u32 count;
	u32 word[SIM_PREFETCH];
};

struct sim_pfifo {
	u32 reg[0x2000 / 4];	/* 0x002000 to 0x003fff */
	u32 cache[1024];	/* 0x090000: 512 pairs of method and data */

	u8 playlist[128];
	unsigned int playlist_len, playlist_pos;
	bool in_playlist[128];	/* by channel, as each step asks for it */
	bool playlist_pending;
	u8 chan_written[128];	/* since the last reset */
	u8 chan_hint[128];	/* may have work */
	u8 chan_bad[128];	/* could not be loaded */
	u8 chan_endless[128];	/* IB_PUT is past the ring's end, already reported */
	u64 retry_at[128];	/* blocked acquire: earliest next poll */
	u64 blocked_at[128];	/* its first poll; 0: the channel is not blocked */
	u32 slice_used;
	bool slice_expired;
	u64 frozen_at;		/* the write of FREEZE that froze PFIFO */
	u64 freeze_until;	/* PFIFO has not followed FREEZE yet; 0: it has */
	u64 missed_at;		/* when a look-up in RAMHT last missed a handle; 0: none did */
	bool missed;		/* the last look-up missed, so the next one does not */
	bool stale_hash;	/* the next look-up takes the instance in HASH, if it is not 0 */
	u32 spoilt_lookups;	/* stops of the puller in a look-up, with puller-stop=spoils */
	bool kick_pending;
	bool loaded_by_hand;	/* PUSH1 was written since the last switch */
	bool keep_channel;	/* IB word 0 bit 1: no switch before the next entry */
	struct sim_prefetch ahead;	/* of the next entry */
	struct sim_prefetch current;	/* of the entry at work */
	u64 lap_until;		/* after a lap of an endless ring the pusher pauses until then */
};

/* A register of PFIFO by name, without a look-up */
#define PF(s, off)	((s)->pfifo->reg[((u32)(off) - 0x2000u) >> 2])

/* channel.c */
bool sim_ramfc_location(struct nvsim *s, unsigned int chid, u32 *target, u64 *addr);

/* pusher.c, puller.c */
enum sim_step sim_pusher_step(struct nvsim *s);
bool sim_pusher_has_work(struct nvsim *s);
void sim_pusher_loaded(struct nvsim *s);
enum sim_step sim_puller_step(struct nvsim *s);
void sim_puller_stopped(struct nvsim *s);
bool sim_method_known(const struct nvsim *s, u32 mthd);

static inline unsigned int sim_pfifo_chid(const struct nvsim *s)
{
	return NV_FLD_GET(NV_CACHE1_PUSH1__CHID, PF(s, NV_CACHE1_PUSH1));
}

static inline bool sim_pfifo_loaded(const struct nvsim *s)
{
	unsigned int chid = sim_pfifo_chid(s);

	return (PF(s, NV_CACHE1_PUSH1) & NV_FLD_MASK(NV_CACHE1_PUSH1__MODE_DMA)) && chid &&
	       chid != SIM_NO_CHANNEL;
}

static inline bool sim_pfifo_big(const struct nvsim *s)
{
	u32 v = PF(s, NV_CACHE1_FIFO_ENDIAN);

	if (v & NV_FLD_MASK(NV_CACHE1_FIFO_ENDIAN__OVERRIDE))
		return v & NV_FLD_MASK(NV_CACHE1_FIFO_ENDIAN__BIG);
	return s->big;
}

/* The channel's entry in the channel table */
static inline u32 *sim_chan_entry(struct nvsim *s, unsigned int chid)
{
	return &s->pfifo->reg[(NV_REG_AT(NV_PFIFO_CHAN_TABLE, chid) - 0x2000) >> 2];
}

/*
 * Whether the CPU loaded the channel by a write to PUSH1 while PFIFO does not reassign. Such a
 * channel runs without a playlist. NVIDIA's nv works this way.
 */
static inline bool sim_chan_loaded_by_hand(const struct nvsim *s, unsigned int chid)
{
	return s->pfifo->loaded_by_hand && sim_pfifo_loaded(s) && sim_pfifo_chid(s) == chid &&
	       !(PF(s, NV_PFIFO_CACHES) & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

/* Whether the channel may run, with or without work */
static inline bool sim_chan_runnable(struct nvsim *s, unsigned int chid)
{
	return (*sim_chan_entry(s, chid) & SIM_CHAN_ENABLE) && s->pfifo->chan_written[chid] &&
	       (s->pfifo->in_playlist[chid] || sim_chan_loaded_by_hand(s, chid));
}

static inline bool sim_cache_empty(const struct nvsim *s)
{
	return PF(s, NV_CACHE1_GET) == PF(s, NV_CACHE1_PUT);
}

/* The pointers count to twice the array's size, so that a full CACHE differs from an empty one. */
static inline bool sim_cache_full(const struct nvsim *s)
{
	return (PF(s, NV_CACHE1_GET) ^ PF(s, NV_CACHE1_PUT)) == 0x800;
}

#endif
