/* SPDX-License-Identifier: MIT */
/*
 * Requested failures and delays: fault.c answers the units, inject.c and command.c set them.
 * No other unit touches the structure; it is here for the inline functions.
 */
#ifndef SIM_CORE_FAULT_H
#define SIM_CORE_FAULT_H

#include "core.h"

/* Operations that can be delayed; the first four show as busy for the time */
enum sim_delay {
	SIM_DELAY_TLB_FLUSH,
	SIM_DELAY_BAR_FLUSH,
	SIM_DELAY_PLAYLIST,
	SIM_DELAY_KICK,
	SIM_DELAY_REGISTER_READ,
	SIM_DELAY_REGISTER_WRITE,
	SIM_DELAY_MEMORY,
	SIM_DELAY_METHOD,
	SIM_DELAYS
};

#define SIM_FORCED	8

/* A register that reads as @val, @left times; ~0: until a command ends it */
struct sim_forced {
	u32 off, val, left;
};

/* Units that can raise an interrupt again whenever it is acknowledged */
enum sim_storm {
	SIM_STORM_PBUS,
	SIM_STORM_PFIFO,
	SIM_STORM_PGRAPH,
	SIM_STORM_UNIT,		/* one that the model does not have: nothing acknowledges it */
	SIM_STORMS
};

/* Failures that lines of text have requested, in addition to the bits of nvsim.inject */
struct sim_faults {
	bool timed;		/* a failure that depends on time was requested */
	u64 until[NVSIM_INJECT_COUNT];
	u32 until_reset[NVSIM_INJECT_COUNT];	/* bits of PMC.ENABLE; 0: no reset helps */
	u64 delay[SIM_DELAYS], busy_until[SIM_DELAYS];
	u64 stall_ns, stall_until;	/* PFIFO and PGRAPH do nothing: their work is slow */
	struct sim_forced forced[SIM_FORCED];
	u32 flip_mask, flip_every, flip_count;
	u64 flip_page;			/* only its words, if flip_at_page */
	bool flip_at_page;
	u32 lose_irqs;
	u32 storm_bits[SIM_STORMS], storm_left[SIM_STORMS];
	u32 vm_engine, vm_left;
	bool vm_at_page;
	u64 vm_page;
	u32 flush_stuck;	/* bit per VM engine */
	bool dispatch;		/* the next method gets stuck in DISPATCH */
};

int sim_fault_create(struct nvsim *s);
/* Set or clear a bit of nvsim.inject, without the effects of sim_inject_set(). */
void sim_inject_begin(struct nvsim *s, enum nvsim_inject which);
void sim_inject_end(struct nvsim *s, enum nvsim_inject which);
bool sim_forced(struct nvsim *s, u32 off, u32 *val);
u32 sim_flip(struct nvsim *s, u64 va, u32 word);
/* Whether an access of a VM engine fails, as requested. It counts the access. */
bool sim_fault_wanted(struct nvsim *s, u32 engine, u64 va);
/* Whether the flush of a TLB does not end */
bool sim_flush_stuck(const struct nvsim *s, u32 engine);
/* Bits of INTR that a storm sets at an acknowledgement; the second without counting it */
u32 sim_storm(struct nvsim *s, enum sim_storm unit);
u32 sim_storm_bits(const struct nvsim *s, enum sim_storm unit);
bool sim_irq_lost(struct nvsim *s);
bool sim_delay_set(struct nvsim *s, const char *name, u64 us);
void sim_delay_start(struct nvsim *s, enum sim_delay op);
bool sim_delayed(struct nvsim *s, enum sim_delay op);
void sim_delay_read(struct nvsim *s);
u64 sim_stall_left(struct nvsim *s);

/* The requested delay of an operation, or 0 */
static inline u64 sim_delay_ns(const struct nvsim *s, enum sim_delay op)
{
	return s->faults->delay[op];
}

/* Count one operation for which PFIFO or PGRAPH waits. */
static inline void sim_delay_work(struct nvsim *s, enum sim_delay op)
{
	s->faults->stall_ns += s->faults->delay[op];
}

/* The same for @n of them */
static inline void sim_delay_works(struct nvsim *s, enum sim_delay op, u32 n)
{
	s->faults->stall_ns += n * s->faults->delay[op];
}

/* The ns for which slow work keeps PFIFO and PGRAPH, or 0 */
static inline u64 sim_stalled(struct nvsim *s)
{
	if (!s->faults->stall_ns && !s->faults->stall_until)
		return 0;

	return sim_stall_left(s);
}

/* The word at @va, in which a requested failure of memory may change bits */
static inline u32 sim_flipped(struct nvsim *s, u64 va, u32 word)
{
	if (!s->faults->flip_every)
		return word;

	return sim_flip(s, va, word);
}

/* Whether accesses of VM engines fail at present, of whichever engine */
static inline bool sim_faults_requested(const struct nvsim *s)
{
	return s->faults->vm_left;
}

/* Whether this method gets stuck in DISPATCH */
static inline bool sim_dispatch_stuck(struct nvsim *s)
{
	bool stuck = s->faults->dispatch;

	s->faults->dispatch = false;
	return stuck;
}

#endif
