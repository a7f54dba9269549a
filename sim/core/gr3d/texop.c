// SPDX-License-Identifier: MIT
/*
 * Texture instructions of programs: arguments come from consecutive registers, of which results
 * then take as many as the mask has bits. A quad's threads do it together, as the level of
 * detail depends on all of them.
 */
#include "gr3d.h"

#define LONG		1u	/* of word 0 */
#define FETCH		(1u << 24)
#define CUBE		(1u << 27)
#define LIVE_SHORT	(1u << 8)	/* all threads, not only those of pixels */
#define LIVE_LONG	(1u << 2)	/* of word 1: only threads of pixels */
#define DERIVE		(1u << 3)	/* of word 1: also outside of fragment programs */

static u32 word(const struct sim_thread *t, u32 n)
{
	return n < SIM_REGISTERS ? t->r[n] : 0;
}

static int offset(u32 v)
{
	return (int)(v & 7) - (int)(v & 8);
}

/* False if there is no such instruction */
static bool kind_of(u32 w0, u32 w1, enum sim_sample_kind *kind)
{
	static const enum sim_sample_kind queries[] = {
		SIM_SAMPLE_SIZE, SIM_SAMPLE_PREPARE, SIM_SAMPLE_QUERY_LOD,
	};
	u32 query = w1 >> 16 & 0xf;

	switch (w1 >> 28) {
	case 0:
		*kind = w0 & FETCH ? SIM_SAMPLE_FETCH : SIM_SAMPLE_AUTO;
		return true;
	case 2:
		*kind = SIM_SAMPLE_BIAS;
		return true;
	case 4:
		*kind = SIM_SAMPLE_LOD;
		return true;
	case 6:
		if (query >= ARRAY_LEN(queries))
			return false;
		*kind = queries[query];
		return true;
	case 8:
		*kind = SIM_SAMPLE_GATHER;
		return w0 & FETCH;
	}
	return false;
}

static bool decode(const u32 w[2], struct sim_sample *q)
{
	u32 i, w1 = w[0] & LONG ? w[1] : 0;

	if (!kind_of(w[0], w1, &q->kind))
		return false;
	q->texture = w[0] >> 9 & 0xff;
	q->sampler = w[0] >> 17 & 0x1f;
	q->cube = w[0] & LONG && w[0] & CUBE;
	q->derive = q->program == SIM_PROGRAM_FP || w1 & DERIVE;
	for (i = 0; i < 3 && !q->cube && w1 >> 28 != 6; i++)
		q->offset[i] = offset(w1 >> (24 - 4 * i) & 0xf);
	return true;
}

static u32 first_register(const u32 w[2])
{
	return w[0] >> 2 & (w[0] & LONG ? 0x7f : 0x3f);
}

static void take_arguments(struct sim_sample *q, const struct sim_thread *threads, u32 count,
			   u32 first)
{
	u32 lane, i;

	for (lane = 0; lane < SIM_QUAD; lane++) {
		for (i = 0; i < 4; i++)
			q->arg[lane][i] = lane < count ? word(&threads[lane], first + i) : 0;
	}
}

static void give_results(const struct sim_sample *q, struct sim_thread *t, u32 lane, u32 first,
			 u32 mask)
{
	u32 i, at = first;

	for (i = 0; i < 4; i++) {
		if (!(mask >> i & 1))
			continue;
		if (at < SIM_REGISTERS)
			t->r[at] = q->result[lane][i];
		at++;
	}
}

bool sim_gr3d_texture(struct nvsim *s, struct sim_thread *threads, u32 count, u32 lanes,
		      const u32 w[2], bool *known)
{
	struct sim_sample q = { .program = threads[0].program, .lanes = lanes };
	u32 first = first_register(w), mask = 0xf, lane;
	bool live = w[0] & LONG ? w[1] & LIVE_LONG : !(w[0] & LIVE_SHORT);

	*known = decode(w, &q);
	if (!*known)
		return false;
	if (w[0] & LONG)
		mask = (w[0] >> 25 & 3) | (w[1] >> 12 & 0xc);
	for (lane = 0; lane < count; lane++) {
		if (live && threads[lane].helper)
			q.lanes &= ~(1u << lane);
	}
	take_arguments(&q, threads, count, first);
	if (!sim_gr3d_sample(s, &q))
		return false;
	for (lane = 0; lane < count; lane++) {
		if (q.lanes >> lane & 1)
			give_results(&q, &threads[lane], lane, first, mask);
	}
	return true;
}
