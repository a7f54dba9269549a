// SPDX-License-Identifier: MIT
/*
 * The jobs of a draw: the next one, and its end before all is drawn.
 */
#include "gr3d.h"

bool sim_gr3d_more_vertices(const struct sim_draw *d)
{
	return d->open.active && (d->left || d->queue_next < d->queued);
}

bool sim_gr3d_more_emitted(const struct nvsim *s)
{
	return s->gr->emitted.next < s->gr->emitted.count;
}

void sim_gr3d_next_job(struct nvsim *s)
{
	if (s->gr->job != SIM_GR_JOB_NONE)
		return;
	if (sim_gr3d_more_emitted(s))
		s->gr->job = SIM_GR_JOB_GEOMETRY;
	else if (sim_gr3d_more_vertices(&s->gr->draw))
		s->gr->job = SIM_GR_JOB_VERTICES;
}

void sim_gr3d_give_up(struct nvsim *s)
{
	s->gr->draw.open.active = false;
	s->gr->draw.fan_count = 0;
	s->gr->draw.outline_left = 0;
	s->gr->emitted.count = 0;
	s->gr->job = SIM_GR_JOB_NONE;
}
