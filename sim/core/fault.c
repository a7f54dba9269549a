// SPDX-License-Identifier: MIT
/*
 * Requested failures and delays, as the units ask for them.
 *
 * A flush, a kick and a change of the playlist take place at once, and show as busy for the time of
 * their delay. A read of a register takes the time, and a write to a register is posted (posted.c).
 * An access to memory, and a method, keep PFIFO and PGRAPH for the time.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "fault.h"

#define NS_PER_US	1000ull
#define DELAY_MAX_US	10000000

static const char *const delay_names[SIM_DELAYS] = {
	[SIM_DELAY_TLB_FLUSH] = "tlb-flush",
	[SIM_DELAY_BAR_FLUSH] = "bar-flush",
	[SIM_DELAY_PLAYLIST] = "playlist",
	[SIM_DELAY_KICK] = "kick",
	[SIM_DELAY_REGISTER_READ] = "register-read",
	[SIM_DELAY_REGISTER_WRITE] = "register-write",
	[SIM_DELAY_MEMORY] = "memory",
	[SIM_DELAY_METHOD] = "method",
};

int sim_fault_create(struct nvsim *s)
{
	s->faults = calloc(1, sizeof(*s->faults));
	return s->faults ? 0 : -1;
}

void sim_inject_begin(struct nvsim *s, enum nvsim_inject which)
{
	s->inject |= 1u << which;
}

void sim_inject_end(struct nvsim *s, enum nvsim_inject which)
{
	s->inject &= ~(1u << which);
}

bool sim_delay_set(struct nvsim *s, const char *name, u64 us)
{
	unsigned int op;

	if (us > DELAY_MAX_US)
		return false;

	for (op = 0; op < SIM_DELAYS; op++) {
		if (strcmp(name, delay_names[op]))
			continue;

		s->faults->delay[op] = us * NS_PER_US;
		s->faults->timed = true;
		return true;
	}

	return false;
}

void sim_delay_start(struct nvsim *s, enum sim_delay op)
{
	if (s->faults->delay[op])
		s->faults->busy_until[op] = sim_now(s) + s->faults->delay[op];
}

bool sim_delayed(struct nvsim *s, enum sim_delay op)
{
	return s->faults->busy_until[op] && s->faults->busy_until[op] > sim_now(s);
}

void sim_delay_read(struct nvsim *s)
{
	u64 ns = s->faults->delay[SIM_DELAY_REGISTER_READ];

	if (ns && s->host.wait_ns)
		s->host.wait_ns(s->host.ctx, ns);
}

u64 sim_stall_left(struct nvsim *s)
{
	struct sim_faults *f = s->faults;
	u64 now = sim_now(s);

	if (f->stall_ns)
		f->stall_until = now + f->stall_ns;

	f->stall_ns = 0;
	if (f->stall_until > now)
		return f->stall_until - now;

	f->stall_until = 0;

	return 0;
}

bool sim_forced(struct nvsim *s, u32 off, u32 *val)
{
	unsigned int i;

	for (i = 0; i < SIM_FORCED; i++) {
		struct sim_forced *f = &s->faults->forced[i];

		if (!f->left || f->off != off)
			continue;
		if (f->left != ~0u)
			f->left--;
		*val = f->val;
		return true;
	}
	return false;
}

u32 sim_flip(struct nvsim *s, u64 va, u32 word)
{
	struct sim_faults *f = s->faults;

	if (f->flip_at_page && va >> 12 != f->flip_page)
		return word;
	if (++f->flip_count < f->flip_every)
		return word;
	f->flip_count = 0;
	return word ^ f->flip_mask;
}

bool sim_fault_wanted(struct nvsim *s, u32 engine, u64 va)
{
	struct sim_faults *f = s->faults;

	if (!f->vm_left || f->vm_engine != engine || (f->vm_at_page && va >> 12 != f->vm_page))
		return false;
	if (f->vm_left != ~0u)
		f->vm_left--;
	return true;
}

/* Whether the flush of a TLB does not end */
bool sim_flush_stuck(const struct nvsim *s, u32 engine)
{
	return s->faults->flush_stuck & 1u << engine;
}

/* Bits of INTR that the storm sets, without counting them */
u32 sim_storm_bits(const struct nvsim *s, enum sim_storm unit)
{
	return s->faults->storm_left[unit] ? s->faults->storm_bits[unit] : 0;
}

u32 sim_storm(struct nvsim *s, enum sim_storm unit)
{
	struct sim_faults *f = s->faults;

	if (!f->storm_left[unit])
		return 0;
	if (f->storm_left[unit] != ~0u)
		f->storm_left[unit]--;
	return f->storm_bits[unit];
}

bool sim_irq_lost(struct nvsim *s)
{
	if (!s->faults->lose_irqs)
		return false;
	s->faults->lose_irqs--;
	return true;
}
