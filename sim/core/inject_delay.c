// SPDX-License-Identifier: MIT
/*
 * Delays on request.
 *
 * A flush, a kick and a change of the playlist take place at once, and show as busy for the time. A
 * read of a register takes the time. A write to a register is posted, and arrives after the time.
 * Accesses other than such writes do not overtake it: they make it arrive before them. An access
 * to memory, and a method, keep PFIFO and PGRAPH for the time.
 */
#include <string.h>

#include "core.h"

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

bool sim_delay_set(struct nvsim *s, const char *name, u64 us)
{
	unsigned int op;

	if (us > DELAY_MAX_US)
		return false;

	for (op = 0; op < SIM_DELAYS; op++) {
		if (strcmp(name, delay_names[op]))
			continue;

		s->faults.delay[op] = us * NS_PER_US;
		s->faults.timed = true;
		return true;
	}

	return false;
}

void sim_delay_start(struct nvsim *s, enum sim_delay op)
{
	if (s->faults.delay[op])
		s->faults.busy_until[op] = sim_now(s) + s->faults.delay[op];
}

bool sim_delayed(struct nvsim *s, enum sim_delay op)
{
	return s->faults.busy_until[op] && s->faults.busy_until[op] > sim_now(s);
}

void sim_delay_read(struct nvsim *s)
{
	u64 ns = s->faults.delay[SIM_DELAY_REGISTER_READ];

	if (ns && s->host.wait_ns)
		s->host.wait_ns(s->host.ctx, ns);
}

static void posted_execute(struct nvsim *s)
{
	struct sim_faults *f = &s->faults;
	const struct sim_posted p = f->posted[f->posted_first];

	f->posted_first = (f->posted_first + 1) % SIM_POSTED;
	f->posted_count--;
	if (sim_lost(s) || !sim_pci_decodes(s))
		return;

	f->is_arriving = true;
	sim_mmio_write(s, p.off, p.val, p.size);
	f->is_arriving = false;
}

bool sim_delay_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	struct sim_faults *f = &s->faults;
	u64 ns = f->delay[SIM_DELAY_REGISTER_WRITE];

	if (!ns && !f->posted_count)
		return false;

	if (f->posted_count == SIM_POSTED)
		posted_execute(s);

	f->posted[(f->posted_first + f->posted_count++) % SIM_POSTED] = (struct sim_posted){
		.at = sim_now(s) + ns, .off = off, .val = val, .size = size,
	};

	return true;
}

void sim_posted_arrive(struct nvsim *s)
{
	/* A write to the mirror of configuration space is an access of that space. */
	while (s->faults.posted_count && !s->faults.is_arriving)
		posted_execute(s);
}

u64 sim_posted_poll(struct nvsim *s)
{
	struct sim_faults *f = &s->faults;
	u64 now = sim_now(s);

	while (f->posted_count && f->posted[f->posted_first].at <= now)
		posted_execute(s);

	return f->posted_count ? f->posted[f->posted_first].at - now : UINT64_MAX;
}

u64 sim_stalled(struct nvsim *s)
{
	struct sim_faults *f = &s->faults;
	u64 now;

	if (!f->stall_ns && !f->stall_until)
		return 0;

	now = sim_now(s);
	if (f->stall_ns)
		f->stall_until = now + f->stall_ns;

	f->stall_ns = 0;
	if (f->stall_until > now)
		return f->stall_until - now;

	f->stall_until = 0;

	return 0;
}
