// SPDX-License-Identifier: MIT
/*
 * Vertices of a geometry program: the results of its primitive's vertices, which it reads, and the
 * vertices that it emits.
 */
#include <math.h>

#include "gr3d.h"
#include "../number.h"

#define CLAMP_COLORS	(1u << 24)	/* of SEMANTIC_COLOR */

/* Of the front and of the back */
void sim_gr3d_clamp_colors(const u32 *st, struct sim_vertex *v)
{
	u32 semantic = st[SEMANTIC_COLOR / 4], count = semantic >> 16 & 0xff, i, side, at;

	for (i = 0; i < 2 * count && i < 2 * ARRAY_LEN(v->result); i++) {
		side = i < count ? semantic & 0xff : semantic >> 8 & 0xff;
		at = side + i;
		if (i >= count)
			at -= count;
		at %= ARRAY_LEN(v->result);
		v->result[at] = v->result[at] > 0 ? fminf(v->result[at], 1) : 0;
	}
}

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
