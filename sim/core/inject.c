// SPDX-License-Identifier: MIT
/*
 * Failures of enum nvsim_inject. Their bits stay set until they are cleared, until their time is
 * over, or until a reset of units.
 */
#include "core.h"
#include "fault.h"
#include "inject.h"
#include "mmu.h"
#include "pci.h"
#include "pfifo.h"
#include "pflush.h"

void sim_inject_set(struct nvsim *s, unsigned int which, u64 duration)
{
	sim_inject_begin(s, which);
	s->faults->until[which] = duration ? sim_now(s) + duration : 0;
	s->faults->until_reset[which] = 0;
	sim_irq_update(s);
}

/* One write to PMC.ENABLE has switched off @units, which were on: end failures until this reset. */
void sim_inject_reset(struct nvsim *s, u32 units)
{
	unsigned int i;

	for (i = 0; i < NVSIM_INJECT_COUNT; i++) {
		u32 want = s->faults->until_reset[i];

		if (want && (units & want) == want)
			sim_inject_clear(s, 1u << i);
	}
}

void sim_inject_clear(struct nvsim *s, u32 mask)
{
	unsigned int i;

	s->inject &= ~mask;
	for (i = 0; i < NVSIM_INJECT_COUNT; i++)
		if (mask & 1u << i) {
			s->faults->until[i] = 0;
			s->faults->until_reset[i] = 0;
		}
	/* A stuck operation ends as if it had only taken longer. */
	if (!sim_inject(s, NVSIM_INJECT_TLB_STUCK) && !s->faults->flush_stuck)
		sim_mmu_end_flush(s);
	if (!sim_inject(s, NVSIM_INJECT_BARFLUSH_STUCK))
		sim_pflush_end(s);
	sim_pfifo_wake(s);
	sim_irq_update(s);
}

u64 sim_inject_poll(struct nvsim *s)
{
	u64 now, next = UINT64_MAX;
	unsigned int i;

	if (!s->faults->timed)
		return UINT64_MAX;
	now = sim_now(s);
	for (i = 0; i < NVSIM_INJECT_COUNT; i++) {
		u64 until = s->faults->until[i];

		if (until && until <= now)
			sim_inject_clear(s, 1u << i);
		else if (until && until - now < next)
			next = until - now;
	}
	if (s->faults->busy_until[SIM_DELAY_KICK] > now &&
	    s->faults->busy_until[SIM_DELAY_KICK] - now < next)
		next = s->faults->busy_until[SIM_DELAY_KICK] - now;

	return next;
}
