// SPDX-License-Identifier: MIT
/*
 * The vertices that a geometry program has emitted are points, strips of lines or of triangles, which
 * are drawn one by one.
 */
#include "gr3d.h"

#define TO_POINTS	1	/* GP_OUTPUT_PRIMITIVE_TYPE */
#define TO_LINES	2

static void vertex_of(const struct sim_emitted *e, u32 i, struct sim_vertex *v)
{
	memset(v, 0, sizeof(*v));
	memcpy(v->result, e->result[i], sizeof(v->result));
}

/* The primitive that vertex @i of the strip completes, of @count vertices */
static void give(struct nvsim *s, u32 i, u32 count)
{
	const struct sim_emitted *e = &s->gr->emitted;
	struct sim_primitive p = { .count = count, .edges = SIM_EDGES_ALL };
	u32 *st = sim_gr3d_state(s), k, from[3];
	bool last = st[PROVOKING_VERTEX_LAST / 4] & 1, odd;
	struct sim_vertex v[3];

	for (k = 0; k < count; k++)
		from[k] = i + 1 - count + k;
	odd = count == 3 && (i - e->first) % 2;
	if (odd && last) {
		from[0] = i - 1;
		from[1] = i - 2;
	} else if (odd) {
		from[1] = i;
		from[2] = i - 1;
	}
	for (k = 0; k < count; k++) {
		vertex_of(e, from[k], &v[k]);
		p.corner[k] = &v[k];
	}
	p.provoking = &v[last ? count - 1 : 0];
	sim_gr3d_count(st, SIM_COUNT_GP_PRIMITIVES, 1);
	sim_gr3d_primitive(s, &p);
}

static void next_vertex(struct nvsim *s)
{
	struct sim_emitted *e = &s->gr->emitted;
	u32 type = sim_gr3d_state(s)[GP_OUTPUT_PRIMITIVE_TYPE / 4], count = 3, i = e->next++;

	if (type == TO_POINTS || type == TO_LINES)
		count = type;
	if (i - e->first + 1 >= count)
		give(s, i, count);
	if (e->ends[i]) {
		e->first = i + 1;
		s->gr->draw.open.stipple_next = 0;
	}
}

/* Vertices up to the next primitive that is a job */
void sim_gr3d_geometry_step(struct nvsim *s)
{
	s->gr->job = SIM_GR_JOB_NONE;
	while (s->gr->job == SIM_GR_JOB_NONE && sim_gr3d_more_emitted(s))
		next_vertex(s);
	sim_gr3d_next_job(s);
}
