// SPDX-License-Identifier: MIT
/*
 * Vertices: from VERTEX_DATA, from VTX_ATTR or from arrays, by number or by indices, through the
 * vertex program, to primitives.
 */
#include "gr3d.h"
#include "../gr.h"
#include "../number.h"

#define ATTRIBUTES	16
#define FETCH_ENABLE	(1u << 29)
#define ATTRIB_CONST	(1u << 4)
#define ATTRIB_BGRA	(1u << 31)

#define INSTANCE_NEXT	(1u << 28)	/* of VERTEX_BEGIN_GL */
#define PRIMITIVE_CONT	(1u << 29)
#define INSTANCE_CONT	(1u << 30)


#define TYPE_SNORM	1
#define TYPE_UNORM	2
#define TYPE_SINT	3
#define TYPE_UINT	4
#define TYPE_USCALED	5
#define TYPE_SSCALED	6
#define TYPE_FLOAT	7

#define NO_MORE		0x3fffffff	/* indices, of SETUP */

#define WITH_VERTEX_ID		1u	/* of VP_GP_BUILTIN_ATTR_EN */
#define WITH_INSTANCE_ID	(1u << 4)

#define CLAMP_COLORS	(1u << 24)	/* of SEMANTIC_COLOR */

struct attribute_format {
	u8 id, bytes, bits[4];
};

static const struct attribute_format formats[] = {
	{ 0x01, 16, { 32, 32, 32, 32 } }, { 0x02, 12, { 32, 32, 32 } },
	{ 0x03, 8, { 16, 16, 16, 16 } }, { 0x04, 8, { 32, 32 } },
	{ 0x05, 6, { 16, 16, 16 } }, { 0x0a, 4, { 8, 8, 8, 8 } },
	{ 0x0f, 4, { 16, 16 } }, { 0x12, 4, { 32 } },
	{ 0x13, 3, { 8, 8, 8 } }, { 0x18, 2, { 8, 8 } },
	{ 0x1b, 2, { 16 } }, { 0x1d, 1, { 8 } },
	{ 0x30, 4, { 10, 10, 10, 2 } }, { 0x31, 4, { 11, 11, 10 } },
};

static const struct attribute_format *find_format(u32 attrib)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(formats); i++) {
		if (formats[i].id == (attrib >> 19 & 0x3f))
			return &formats[i];
	}
	return NULL;
}

/* Components that the vertex program reads of an attribute, a bit for each */
static u32 wanted(const u32 *st, u32 attribute)
{
	return st[VP_ATTR_EN(attribute / 8) / 4] >> 4 * (attribute % 8) & 0xf;
}

static double sign_extended(u32 v, u32 bits)
{
	u32 sign = 1u << (bits - 1);

	return (double)(v & (sign - 1)) - (double)(v & sign);
}

/* A component as a program sees it */
static u32 component(u32 type, u32 bits, u32 v)
{
	double most = (double)((1ull << bits) - 1), high = (double)((1ull << (bits - 1)) - 1), d;

	switch (type) {
	case TYPE_UNORM:
		return sim_float_to_bits((float)(v / most));
	case TYPE_SNORM:
		d = sign_extended(v, bits) / high;
		return sim_float_to_bits((float)(d < -1 ? -1 : d));
	case TYPE_USCALED:
		return sim_float_to_bits((float)v);
	case TYPE_SSCALED:
		return sim_float_to_bits((float)sign_extended(v, bits));
	case TYPE_SINT:
		return (u32)(int64_t)sign_extended(v, bits);
	case TYPE_FLOAT:
		if (bits == 32)
			return v;
		return sim_float_to_bits(sim_half_to_float(bits < 16 ? v << (15 - bits) : v));
	}
	return v;
}

/* An attribute's four words as a program sees them */
static void unpack(const struct attribute_format *f, u32 attrib, const u8 raw[20], u32 value[4])
{
	u32 i, type = attrib >> 25 & 7, shift = 0, x;
	u64 word;

	value[0] = value[1] = value[2] = 0;
	value[3] = type == TYPE_SINT || type == TYPE_UINT ? 1 : sim_float_to_bits(1);
	for (i = 0; i < 4 && f->bits[i]; i++) {
		word = get_le32(raw + shift / 8) >> shift % 8;
		value[i] = component(type, f->bits[i], word & ((1ull << f->bits[i]) - 1));
		shift += f->bits[i];
	}
	if (attrib & ATTRIB_BGRA) {
		x = value[0];
		value[0] = value[2];
		value[2] = x;
	}
}

/* --- the vertex program --- */

/* An element of the map of results: an output of the program, 0.0 or 1.0 */
static float result(const u32 *st, const struct sim_thread *t, u32 i)
{
	u32 at = st[VP_RESULT_MAP(i / 4) / 4] >> 8 * (i % 4) & 0xff;

	if (at == 0x41)
		return 1;
	return at < 0x40 ? sim_bits_to_float(t->out[at]) : 0;
}

static void add_input(struct sim_thread *t, u32 *n, u32 value)
{
	if (*n < SIM_ATTRIBUTES)
		t->in[(*n)++] = value;
}

/* @value: four words of each attribute; @id: the vertex's number */
static void shade(struct nvsim *s, u32 value[ATTRIBUTES][4], u32 id)
{
	u32 *st = sim_gr3d_state(s);
	struct sim_thread t = { .program = SIM_PROGRAM_VP };
	u32 builtin = st[VP_GP_BUILTIN_ATTR_EN / 4], i, k, n = 0;
	struct sim_vertex v = { 0 };

	for (i = 0; i < ATTRIBUTES; i++) {
		for (k = 0; k < 4; k++) {
			if (wanted(st, i) >> k & 1)
				add_input(&t, &n, value[i][k]);
		}
	}
	if (builtin & WITH_VERTEX_ID)
		add_input(&t, &n, id);
	if (builtin & WITH_INSTANCE_ID)
		add_input(&t, &n, st[GR3D_INSTANCE]);
	sim_gr3d_count(st, SIM_COUNT_VFETCH_VERTICES, 1);
	sim_gr3d_count(st, SIM_COUNT_VP_LAUNCHES, 1);
	if (!sim_gr3d_run(s, &t, 1)) {
		sim_gr3d_give_up(s);
		return;
	}
	v.edge = st[EDGEFLAG / 4] & 1;
	for (i = 0; i < ARRAY_LEN(v.result); i++)
		v.result[i] = result(st, &t, i);
	if (st[SEMANTIC_COLOR / 4] & CLAMP_COLORS && !(st[GP_ENABLE / 4] & 1))
		sim_gr3d_clamp_colors(st, &v);
	sim_gr3d_assemble(s, &v);
}

void sim_gr3d_begin(struct nvsim *s, u32 data)
{
	u32 *st = sim_gr3d_state(s), primitive = data & 0xfffffff;
	struct sim_draw *d = &s->gr->draw;

	memset(d, 0, sizeof(*d));
	d->open.primitive = primitive;
	if (data & INSTANCE_NEXT)
		st[GR3D_INSTANCE]++;
	else if (!(data & INSTANCE_CONT))
		st[GR3D_INSTANCE] = 0;
	if (!(data & PRIMITIVE_CONT) || sim_is_g80(s))
		st[PRIMITIVE_ID / 4] = 0;
	d->open.active = !st[GR3D_SKIPS];
}

void sim_gr3d_end(struct nvsim *s)
{
	sim_gr3d_end_strip(s);
	s->gr->draw.open.active = false;
}

/* --- VERTEX_DATA --- */

/* The words of a vertex come attribute by attribute, those that the program reads. */
static u32 words_per_vertex(const u32 *st)
{
	const struct attribute_format *f;
	u32 i, words = 0;

	for (i = 0; i < ATTRIBUTES; i++) {
		f = find_format(st[VERTEX_ARRAY_ATTRIB(i) / 4]);
		if (wanted(st, i) && f)
			words += (f->bytes + 3) / 4;
	}
	return words;
}

static void complete_vertex(struct nvsim *s)
{
	const u32 *st = sim_gr3d_state(s), *data = s->gr->draw.open.data;
	u32 value[ATTRIBUTES][4] = { { 0 } }, i, k, attrib;
	const struct attribute_format *f;
	u8 raw[20] = { 0 };

	for (i = 0; i < ATTRIBUTES; i++) {
		attrib = st[VERTEX_ARRAY_ATTRIB(i) / 4];
		f = find_format(attrib);
		if (!wanted(st, i) || !f)
			continue;
		for (k = 0; k < (f->bytes + 3u) / 4; k++)
			put_le32(raw + 4 * k, *data++);
		unpack(f, attrib, raw, value[i]);
	}
	shade(s, value, s->gr->draw.open.next++);
}

void sim_gr3d_vertex_word(struct nvsim *s, u32 data)
{
	struct sim_open_draw *d = &s->gr->draw.open;
	u32 words = words_per_vertex(sim_gr3d_state(s));

	if (!d->active)
		return;
	d->data[d->words++] = data;
	if (d->words < words)
		return;
	d->words = 0;
	if (words)
		complete_vertex(s);
}

/* --- attributes one by one --- */

struct attribute_form {
	u16 first;
	u8 stride, count;
};

static const struct attribute_form forms[] = {
	{ VTX_ATTR_4F(0), 16, 4 }, { VTX_ATTR_3F(0), 16, 3 }, { VTX_ATTR_2F(0), 8, 2 },
	{ VTX_ATTR_1F(0), 4, 1 },
};

static void vertex_of_attributes(struct nvsim *s)
{
	const u32 *st = sim_gr3d_state(s);
	u32 value[ATTRIBUTES][4];

	memcpy(value, st + GR3D_ATTRIBUTE(0), sizeof(value));
	shade(s, value, s->gr->draw.open.next++);
}

void sim_gr3d_attribute(struct nvsim *s, u32 mthd, u32 data)
{
	u32 *st = sim_gr3d_state(s), *value, attribute, which;
	const struct attribute_form *f = forms;

	while (f->first > mthd)
		f++;
	attribute = (mthd - f->first) / f->stride;
	which = (mthd - f->first) % f->stride / 4;
	/* Halves, integers and bytes: 2H lies between the others, the rest after them. */
	if (attribute >= ATTRIBUTES) {
		sim_gr_missing(s, NVSIM_MISSING_ATTRIBUTE, "VTX_ATTR", mthd);
		return;
	}
	if (which >= f->count)
		return;
	value = st + GR3D_ATTRIBUTE(attribute);
	if (!which) {
		memset(value, 0, 3 * sizeof(*value));
		value[3] = sim_float_to_bits(1);
	}
	value[which] = data;
	if (!attribute && which == f->count - 1u && s->gr->draw.open.active)
		vertex_of_attributes(s);
}

/* --- arrays --- */

/* The element of an array: the vertex's, or one for some instances */
static u32 element(const u32 *st, u32 array, u32 index)
{
	u32 divisor = st[VERTEX_ARRAY_DIVISOR(array) / 4];

	if (!(st[VERTEX_ARRAY_PER_INSTANCE(array) / 4] & 1))
		return index;
	return st[VB_INSTANCE_BASE / 4] + st[GR3D_INSTANCE] / (divisor ? divisor : 1);
}

static u64 address_of(const u32 *st, u32 high, u32 low)
{
	return st[low / 4] | (u64)(st[high / 4] & 0xff) << 32;
}

/*
 * An attribute past the last byte of its array comes from VERTEX_RUNOUT_ADDRESS. Mesa has zeros there.
 * The model reads an array without a limit. Cards may not: the sources do not say it.
 */
static u64 within_limit(const u32 *st, u32 array, u64 address, u32 bytes)
{
	u64 limit = address_of(st, VERTEX_ARRAY_LIMIT_HIGH(array), VERTEX_ARRAY_LIMIT_LOW(array));

	if (!limit || address + bytes - 1 <= limit)
		return address & MASK40;
	return address_of(st, VERTEX_RUNOUT_HIGH, VERTEX_RUNOUT_LOW);
}

static bool fetch(struct nvsim *s, const u32 *st, u32 attribute, u32 index, u32 value[4])
{
	u32 attrib = st[VERTEX_ARRAY_ATTRIB(attribute) / 4], array = attrib & 0xf;
	const struct attribute_format *f = find_format(attrib);
	u32 control = st[VERTEX_ARRAY_FETCH(array) / 4];
	u64 address = address_of(st, VERTEX_ARRAY_HIGH(array), VERTEX_ARRAY_LOW(array));
	u8 raw[20] = { 0 };

	if (attrib & ATTRIB_CONST || !(control & FETCH_ENABLE)) {
		memcpy(value, st + GR3D_ATTRIBUTE(attribute), 4 * sizeof(*value));
		return true;
	}
	if (!f) {
		sim_gr_missing(s, NVSIM_MISSING_ATTRIBUTE, "VERTEX_ARRAY_ATTRIB", attrib);
		return false;
	}
	address += (u64)(control & 0xfff) * element(st, array, index) + (attrib >> 5 & 0x3fff);
	address = within_limit(st, array, address, f->bytes);
	if (!sim_gr_vm(s, SIM_GR_3D_VTXBUF, st[DMA_VTXBUF / 4], address, raw, f->bytes, false)) {
		sim_gr_vfetch_trap(s, 1);
		return false;
	}
	unpack(f, attrib, raw, value);
	return true;
}

void sim_gr3d_draw_arrays(struct nvsim *s, u32 first, u32 count)
{
	struct sim_draw *d = &s->gr->draw;

	if (!d->open.active || !count)
		return;
	d->open.next = first;
	d->left = count;
	s->gr->job = SIM_GR_JOB_VERTICES;
}

/*
 * SETUP says how many bytes of the first word to skip, and how many indices to draw; 0 is all.
 * After the last one the count is all ones, until the next SETUP.
 */
static bool is_drawn(u32 *setup, u32 bytes)
{
	u32 count = *setup & NO_MORE;

	if (!*setup)
		return true;
	if (*setup >> 30 >= bytes) {
		*setup -= bytes << 30;
		return false;
	}
	if (count == NO_MORE)
		return false;
	*setup = count > 1 ? count - 1 : NO_MORE;
	return true;
}

void sim_gr3d_indices(struct nvsim *s, u32 mthd, u32 data)
{
	u32 *st = sim_gr3d_state(s), none = 0, *setup = &none, bits = 32, i;
	struct sim_draw *d = &s->gr->draw;

	if (mthd == VB_ELEMENT_U16) {
		setup = &st[VB_ELEMENT_U16_SETUP / 4];
		bits = 16;
	} else if (mthd == VB_ELEMENT_U8) {
		setup = &st[VB_ELEMENT_U8_SETUP / 4];
		bits = 8;
	}
	d->queued = 0;
	for (i = 0; i < 32; i += bits) {
		if (is_drawn(setup, bits / 8))
			d->queue[d->queued++] = data >> i & (u32)((1ull << bits) - 1);
	}
	d->queue_next = 0;
	if (d->open.active && d->queued)
		s->gr->job = SIM_GR_JOB_VERTICES;
}

/* @is_array: by VERTEX_BUFFER_COUNT, not by indices */
static bool restarts(const u32 *st, u32 index, bool is_array)
{
	if (is_array && !(st[PRIM_RESTART_WITH_DRAW_ARRAYS / 4] & 1))
		return false;
	return st[PRIM_RESTART_ENABLE / 4] & 1 && index == st[PRIM_RESTART_INDEX / 4];
}

/* The next vertex to fetch, and its number as programs see it; false if a new strip begins */
static bool next_vertex(struct nvsim *s, u32 *index, u32 *id)
{
	const u32 *st = sim_gr3d_state(s);
	struct sim_draw *d = &s->gr->draw;
	bool is_array = d->left;

	if (is_array) {
		d->left--;
		*index = d->open.next++;
	} else {
		*index = d->queue[d->queue_next++];
	}

	if (restarts(st, *index, is_array)) {
		sim_gr3d_end_strip(s);
		d->open.stipple_next = 0;
		return false;
	}

	*id = *index;
	if (is_array)
		return true;
	*id = *index + st[VERTEX_ID_BASE / 4];
	*index += st[VB_ELEMENT_BASE / 4];
	return true;
}

/* Process one vertex. If it completes a triangle, the triangle is the next job. */
void sim_gr3d_vertices_step(struct nvsim *s)
{
	const u32 *st = sim_gr3d_state(s);
	u32 value[ATTRIBUTES][4] = { { 0 } }, i, index = 0, id = 0;
	struct sim_draw *d = &s->gr->draw;
	bool is_vertex;

	s->gr->job = SIM_GR_JOB_NONE;
	if (!sim_gr3d_more_vertices(d))
		return;
	is_vertex = next_vertex(s, &index, &id);
	for (i = 0; i < ATTRIBUTES && is_vertex; i++) {
		if (wanted(st, i) && !fetch(s, st, i, index, value[i])) {
			sim_gr3d_give_up(s);
			return;
		}
	}
	if (is_vertex)
		shade(s, value, id);
	sim_gr3d_next_job(s);
}
