// SPDX-License-Identifier: MIT
/*
 * The flush of CPU writes: PFIFO's 0x330c on G80, PFLUSH later.
 */
#include <stdlib.h>

#include "core.h"
#include "fault.h"
#include "mem.h"
#include "pflush.h"

struct sim_pflush {
	bool busy;		/* for ever */
};

#define FLUSH_TRIGGER	NV_FLD_MASK(NV_PFLUSH_BAR_FLUSH__TRIGGER)
#define FLUSH_BUSY	NV_FLD_MASK(NV_PFLUSH_BAR_FLUSH__BUSY)

int sim_pflush_create(struct nvsim *s)
{
	s->pflush = calloc(1, sizeof(*s->pflush));
	return s->pflush ? 0 : -1;
}

void sim_pflush_init(struct nvsim *s)
{
	s->pflush->busy = false;
}

/* A stuck flush ends. */
void sim_pflush_end(struct nvsim *s)
{
	s->pflush->busy = false;
}

u32 sim_barflush_read(struct nvsim *s)
{
	return s->pflush->busy || sim_delayed(s, SIM_DELAY_BAR_FLUSH) ? FLUSH_BUSY : 0;
}

void sim_barflush_write(struct nvsim *s, u32 val)
{
	if (val & ~FLUSH_TRIGGER)
		sim_violation(s, "BAR flush = %08x: only bit 0 may be written", val);

	if (!(val & FLUSH_TRIGGER))
		return;
	if (sim_inject(s, NVSIM_INJECT_BARFLUSH_STUCK)) {
		s->pflush->busy = true;
		return;
	}

	sim_delay_start(s, SIM_DELAY_BAR_FLUSH);
	sim_mem_flush(s);
}
