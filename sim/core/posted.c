// SPDX-License-Identifier: MIT
/*
 * Posted writes to registers: with a delay on request a write arrives after that time. Accesses
 * other than such writes do not overtake it: they make it arrive before them.
 */
#include <stdlib.h>

#include "core.h"
#include "fault.h"
#include "mmio.h"
#include "pci.h"
#include "posted.h"

#define POSTED	64

/* A write to BAR0 that is on its way until @at */
struct sim_posted {
	u64 at;
	u32 off, val;
	unsigned int size;
};

struct sim_posted_writes {
	struct sim_posted write[POSTED];
	unsigned int first, count;
	bool is_arriving;
};

int sim_posted_create(struct nvsim *s)
{
	s->posted_writes = calloc(1, sizeof(*s->posted_writes));
	return s->posted_writes ? 0 : -1;
}

static void posted_execute(struct nvsim *s)
{
	struct sim_posted_writes *p = s->posted_writes;
	const struct sim_posted w = p->write[p->first];

	p->first = (p->first + 1) % POSTED;
	p->count--;
	if (sim_lost(s) || !sim_pci_decodes(s))
		return;

	p->is_arriving = true;
	sim_mmio_write(s, w.off, w.val, w.size);
	p->is_arriving = false;
}

bool sim_delay_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	struct sim_posted_writes *p = s->posted_writes;
	u64 ns = sim_delay_ns(s, SIM_DELAY_REGISTER_WRITE);

	if (!ns && !p->count)
		return false;

	if (p->count == POSTED)
		posted_execute(s);

	p->write[(p->first + p->count++) % POSTED] = (struct sim_posted){
		.at = sim_now(s) + ns, .off = off, .val = val, .size = size,
	};

	return true;
}

void sim_posted_arrive(struct nvsim *s)
{
	/* A write to the mirror of configuration space is an access of that space. */
	while (s->posted_writes->count && !s->posted_writes->is_arriving)
		posted_execute(s);
}

u64 sim_posted_poll(struct nvsim *s)
{
	struct sim_posted_writes *p = s->posted_writes;
	u64 now;

	if (!p->count)
		return UINT64_MAX;

	now = sim_now(s);
	while (p->count && p->write[p->first].at <= now)
		posted_execute(s);

	return p->count ? p->write[p->first].at - now : UINT64_MAX;
}
