// SPDX-License-Identifier: MIT
/*
 * Geometry programs. A primitive's vertices are p[], which the program addresses by pointers that it
 * reads from a[]. The vertices that it emits wait here and are points, strips of lines or of
 * triangles, which are drawn one by one.
 */
#include "gr3d.h"
#include "../number.h"

#define PRIMITIVE_AT	6	/* words of a[]: up to six pointers, then the primitive's number */

#define TO_POINTS	1	/* GP_OUTPUT_PRIMITIVE_TYPE */
#define TO_LINES	2

#define CLAMP_COLORS	(1u << 24)	/* of SEMANTIC_COLOR */

/* A byte of GP_RESULT_MAP: an output, or from 0x80 on 0.0 and 1.0; Mesa 22.3.6 writes these two. */
static float result(const u32 *st, const struct sim_thread *t, u32 i)
{
	u32 at = st[GP_RESULT_MAP(i / 4) / 4] >> 8 * (i % 4) & 0xff;

	if (at == 0x81)
		return 1;
	return at < 0x80 ? sim_bits_to_float(t->out[at]) : 0;
}

void sim_gr3d_emit(struct nvsim *s, const struct sim_thread *t)
{
	const u32 *st = sim_gr3d_state(s);
	struct sim_emitted *e = &s->gr->emitted;
	u32 most = st[GP_VERTEX_OUTPUT_COUNT / 4], i;
	struct sim_vertex v = { 0 };

	/* Further vertices are lost. No source describes the card's behaviour. */
	if (e->count >= SIM_EMITTED || e->count >= most)
		return;
	for (i = 0; i < ARRAY_LEN(v.result); i++)
		v.result[i] = result(st, t, i);
	if (st[SEMANTIC_COLOR / 4] & CLAMP_COLORS)
		sim_gr3d_clamp_colors(st, &v);
	memcpy(e->result[e->count], v.result, sizeof(v.result));
	e->ends[e->count++] = false;
}

void sim_gr3d_restart(struct nvsim *s)
{
	struct sim_emitted *e = &s->gr->emitted;

	if (e->count)
		e->ends[e->count - 1] = true;
}

bool sim_gr3d_primitive_word(const struct sim_thread *t, u32 address, u32 *word)
{
	u32 which = address % SIM_P_STRIDE / 4, at = address / SIM_P_STRIDE;
	const struct sim_primitive *p = t->primitive;

	if (!p || which >= p->count || at >= ARRAY_LEN(p->corner[0]->result))
		return false;
	*word = sim_float_to_bits(p->corner[which]->result[at]);
	return true;
}

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

/* --- emitted vertices --- */

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

bool sim_gr3d_more_emitted(const struct nvsim *s)
{
	return s->gr->emitted.next < s->gr->emitted.count;
}

/* Vertices up to the next primitive that is a job */
void sim_gr3d_geometry_step(struct nvsim *s)
{
	s->gr->job = SIM_GR_JOB_NONE;
	while (s->gr->job == SIM_GR_JOB_NONE && sim_gr3d_more_emitted(s))
		next_vertex(s);
	sim_gr3d_next_job(s);
}
