// SPDX-License-Identifier: MIT
/*
 * Geometry programs. A primitive's vertices are p[], which the program addresses by pointers that it
 * reads from a[]. The vertices that it emits are drawn later, see strips.c.
 */
#include "gr3d.h"

#define PRIMITIVE_AT	6	/* words of a[]: up to six pointers, then the primitive's number */

void sim_gr3d_geometry(struct nvsim *s, const struct sim_primitive *p)
{
	u32 *st = sim_gr3d_state(s), i;
	struct sim_thread t = { .program = SIM_PROGRAM_GP, .primitive = p };
	struct sim_emitted *e = &s->gr->emitted;

	for (i = 0; i < PRIMITIVE_AT; i++)
		t.in[i] = 4 * i;
	t.in[PRIMITIVE_AT] = st[PRIMITIVE_ID / 4];
	e->count = 0;
	e->next = 0;
	e->first = 0;
	sim_gr3d_count(st, SIM_COUNT_GP_LAUNCHES, 1);
	if (!sim_gr3d_run(s, &t, 1)) {
		sim_gr3d_give_up(s);
		return;
	}
	if (e->count)
		s->gr->job = SIM_GR_JOB_GEOMETRY;
}
