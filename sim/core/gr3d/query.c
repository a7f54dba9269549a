// SPDX-License-Identifier: MIT
/*
 * Counters of the 3D unit, reports of them, and conditional rendering. rnndb's G80_3D has the
 * numbers of counters and queries. COND_MODE skips draws and clears; no source lists other methods.
 */
#include "gr3d.h"
#include "../gr.h"

#define TYPE_COUNTER	(1u << 23)	/* of QUERY_GET */
#define BRIEF		(1u << 28)
#define INTERRUPT	(1u << 20)

#define QUERY_SAMPLES		1	/* QUERY_GET, bits 27:24, without TYPE_COUNTER */
#define QUERY_NO_OVERFLOW	2
#define QUERY_DROPPED		3
#define QUERY_VERTICES		4
#define QUERY_OFFSET		0xd

#define RESET_SAMPLES	1
#define RESET_VERTICES	8

/* Values of COUNTER_RESET for the counters by number */
static const u8 reset_codes[GR3D_COUNTERS] = {
	[SIM_COUNT_VFETCH_VERTICES] = 0x12,
	[SIM_COUNT_VFETCH_PRIMITIVES] = 0x13,
	[SIM_COUNT_VP_LAUNCHES] = 0x15,
	[SIM_COUNT_GP_LAUNCHES] = 0x1a,
	[SIM_COUNT_GP_PRIMITIVES] = 0x1b,
	[SIM_COUNT_FEEDBACK] = 0x10,
	[SIM_COUNT_GENERATED] = 0x11,
	[SIM_COUNT_PRECLIP] = 0x1c,
	[SIM_COUNT_POSTCLIP] = 0x1d,
	[SIM_COUNT_PIXELS] = 0x1e,
};

static u64 get_counter(const u32 *st, u32 word)
{
	return st[word] | (u64)st[word + 1] << 32;
}

static void set_counter(u32 *st, u32 word, u64 value)
{
	st[word] = (u32)value;
	st[word + 1] = (u32)(value >> 32);
}

/* rnndb lists the modes and the units of QUERY_GET. */
bool sim_gr3d_is_query(u32 data)
{
	const u32 units = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 0xa |
			  1u << 0xc | 1u << 0xf;

	return (data & 3) != 3 && units >> (data >> 12 & 0xf) & 1;
}

void sim_gr3d_count(u32 *st, enum sim_counter counter, u32 n)
{
	u32 word = GR3D_COUNTER(counter);

	if (st[COUNTER_ENABLE / 4] >> counter & 1)
		set_counter(st, word, get_counter(st, word) + n);
}

void sim_gr3d_reset_counter(struct nvsim *s, u32 *st, u32 data)
{
	u32 i;

	if (data == RESET_SAMPLES) {
		set_counter(st, GR3D_SAMPLES, 0);
		return;
	}
	if (data == RESET_VERTICES) {
		st[GR3D_STRMOUT_VERTICES] = 0;
		return;
	}

	for (i = 0; i < GR3D_COUNTERS; i++) {
		if (reset_codes[i] == data) {
			set_counter(st, GR3D_COUNTER(i), 0);
			return;
		}
	}
	sim_gr_missing(s, NVSIM_MISSING_QUERY, "reset of counter", data);
}

/* Word 1 of a query's report */
static u32 query_value(struct nvsim *s, const u32 *st, u32 data)
{
	u32 select = data >> 24 & 0xf;

	switch (select) {
	case 0:
		return 0;
	case QUERY_SAMPLES:
		return st[GR3D_SAMPLES];
	case QUERY_NO_OVERFLOW:
		return !st[GR3D_STRMOUT_OVERFLOW];
	case QUERY_DROPPED:
		return (u32)(get_counter(st, GR3D_COUNTER(SIM_COUNT_GENERATED)) -
			     get_counter(st, GR3D_COUNTER(SIM_COUNT_FEEDBACK)));
	case QUERY_VERTICES:
		return st[GR3D_STRMOUT_VERTICES];
	case QUERY_OFFSET:
		return st[STRMOUT_OFFSET(data >> 5 & 3) / 4];
	}

	sim_gr_missing(s, NVSIM_MISSING_QUERY, "query", select);
	return 0;
}

void sim_gr3d_query(struct nvsim *s, const u32 *st, u32 data)
{
	struct sim_gr_query q = {
		.inst = st[DMA_QUERY / 4],
		.address = st[QUERY_ADDRESS_LOW / 4] | (u64)(st[QUERY_ADDRESS_HIGH / 4] & 0xff) << 32,
		.brief = data & BRIEF,
		.intr = data & INTERRUPT,
	};
	u32 select = data >> 24 & 0xf, sequence = st[QUERY_SEQUENCE / 4], value;

	if (!(data & TYPE_COUNTER)) {
		value = query_value(s, st, data);
		/* Only this query has its words the other way round. */
		q.word[0] = select == QUERY_DROPPED ? value : sequence;
		q.word[1] = select == QUERY_DROPPED ? sequence : value;
	} else if (select < GR3D_COUNTERS) {
		q.word[0] = st[GR3D_COUNTER(select)];
		q.word[1] = st[GR3D_COUNTER(select) + 1];
	} else {
		sim_gr_missing(s, NVSIM_MISSING_QUERY, "counter", select);
	}
	sim_gr_query(s, &q);
}

void sim_gr3d_set_condition(struct nvsim *s, u32 *st)
{
	struct sim_gr_condition c = {
		.inst = st[DMA_QUERY / 4],
		.address = st[COND_ADDRESS_LOW / 4] | (u64)(st[COND_ADDRESS_HIGH / 4] & 0xff) << 32,
		.mode = st[COND_MODE / 4],
	};

	st[GR3D_SKIPS] = !sim_gr_condition(s, &c);
}
