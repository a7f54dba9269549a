// SPDX-License-Identifier: MIT
/*
 * Transform feedback: results of each primitive's vertices go to buffers. STRMOUT_MAP has the word's
 * place for each result. A primitive without room is not written, nor any that follows.
 *
 * Up to the G98 a number of primitives is the limit, from the G200 on it may be the bytes of a buffer.
 */
#include "gr3d.h"
#include "../gr.h"
#include "../number.h"

#define BUFFERS		4
#define INTERLEAVED	1u		/* of STRMOUT_BUFFERS_CTRL */
#define LIMIT_OFFSET	(1u << 1)
#define MAPPED		0x80u		/* of a byte of STRMOUT_MAP */

/* The distance of vertices in a buffer, in bytes; 0 for one that is not used */
static u32 stride_of(const u32 *st, u32 buffer)
{
	u32 control = st[STRMOUT_BUFFERS_CTRL / 4];

	if (control & INTERLEAVED)
		return buffer ? 0 : control >> 8 & 0xfff;
	return buffer < (control >> 4 & 0xf) ? 4 * (st[STRMOUT_NUM_ATTRIBS(buffer) / 4] & 0x7f) : 0;
}

/* The map counts words through all buffers, each of which begins at a multiple of four. */
static bool place_of(const u32 *st, u32 word, u32 *buffer, u32 *offset)
{
	u32 i, words, base = 0;

	if (st[STRMOUT_BUFFERS_CTRL / 4] & INTERLEAVED) {
		*buffer = 0;
		*offset = 4 * word;
		return true;
	}
	for (i = 0; i < BUFFERS; i++) {
		words = stride_of(st, i) / 4;
		if (word >= base && word < base + words) {
			*buffer = i;
			*offset = 4 * (word - base);
			return true;
		}
		base = (base + words + 3) & ~3u;
	}
	return false;
}

static bool has_room(struct nvsim *s, const u32 *st, u32 vertices)
{
	u32 i;
	u64 end;

	if (!(st[STRMOUT_BUFFERS_CTRL / 4] & LIMIT_OFFSET) || s->chip < NV_CHIP_G200)
		return st[GR3D_STRMOUT_DONE] < st[STRMOUT_PRIMITIVE_LIMIT / 4];
	for (i = 0; i < BUFFERS; i++) {
		end = (u64)st[STRMOUT_OFFSET(i) / 4] + (u64)vertices * stride_of(st, i);
		if (stride_of(st, i) && end > st[STRMOUT_OFFSET_LIMIT(i) / 4])
			return false;
	}
	return true;
}

static bool write_vertex(struct nvsim *s, u32 *st, const struct sim_vertex *v)
{
	u32 i, map, buffer, offset;
	u64 address;
	u8 raw[4];

	for (i = 0; i < ARRAY_LEN(v->result); i++) {
		map = st[STRMOUT_MAP(i / 4) / 4] >> 8 * (i % 4) & 0xff;
		if (!(map & MAPPED) || !place_of(st, map & ~MAPPED, &buffer, &offset))
			continue;
		address = st[STRMOUT_ADDRESS_LOW(buffer) / 4] |
			  (u64)(st[STRMOUT_ADDRESS_HIGH(buffer) / 4] & 0xff) << 32;
		address += (u64)st[STRMOUT_OFFSET(buffer) / 4] + offset;
		put_le32(raw, sim_float_to_bits(v->result[i]));
		if (!sim_gr_vm(s, SIM_GR_3D_STRMOUT, st[DMA_STRMOUT / 4], address & MASK40, raw,
			       sizeof(raw), true)) {
			sim_gr_strmout_trap(s, 1);
			return false;
		}
	}
	for (i = 0; i < BUFFERS; i++)
		st[STRMOUT_OFFSET(i) / 4] += stride_of(st, i);
	st[GR3D_STRMOUT_VERTICES]++;
	return true;
}

static void write_primitive(struct nvsim *s, u32 count, const struct sim_vertex *const *v)
{
	u32 *st = sim_gr3d_state(s), i;

	sim_gr3d_count(st, SIM_COUNT_GENERATED, 1);
	if (!(st[STRMOUT_ENABLE / 4] & 1))
		return;
	if (st[GR3D_STRMOUT_OVERFLOW] || !has_room(s, st, count)) {
		st[GR3D_STRMOUT_OVERFLOW] = 1;
		return;
	}
	for (i = 0; i < count; i++) {
		if (!write_vertex(s, st, v[i]))
			return;
	}
	st[GR3D_STRMOUT_DONE]++;
	sim_gr3d_count(st, SIM_COUNT_FEEDBACK, 1);
}

/* A quad is two triangles, which both end with the corner that provokes, the first or the last. */
void sim_gr3d_stream_out(struct nvsim *s, const struct sim_primitive *p)
{
	const struct sim_vertex *triangle[3];
	u32 last = 0, i;

	if (p->count != 4) {
		write_primitive(s, p->count, p->corner);
		return;
	}
	while (last < 3 && p->corner[last] != p->provoking)
		last++;
	triangle[2] = p->corner[last];
	for (i = 1; i < 3; i++) {
		triangle[0] = p->corner[(last + i) % 4];
		triangle[1] = p->corner[(last + i + 1) % 4];
		write_primitive(s, 3, triangle);
	}
}

/* STRMOUT_PARAMS_LATCH. On chips without the method STRMOUT_OFFSET, reset the buffers. */
void sim_gr3d_latch_stream_out(struct nvsim *s, u32 *st)
{
	u32 i;

	st[GR3D_STRMOUT_DONE] = 0;
	st[GR3D_STRMOUT_OVERFLOW] = 0;
	for (i = 0; i < BUFFERS && s->chip < NV_CHIP_G200; i++)
		st[STRMOUT_OFFSET(i) / 4] = 0;
}
