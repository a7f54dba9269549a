// SPDX-License-Identifier: MIT
/*
 * Vertices: from VERTEX_DATA or from arrays, through the vertex program, to triangles. Attributes
 * of 32-bit and of normalised 8-bit channels; triangles, strips and fans.
 */
#include "gr3d.h"

#define ATTRIBUTES	16
#define FETCH_ENABLE	(1u << 29)
#define ATTRIB_CONST	(1u << 4)

#define TRIANGLES	4
#define TRIANGLE_STRIP	5
#define TRIANGLE_FAN	6

#define TYPE_UNORM	0x12

struct attribute_format {
	u8 id, count, bytes;	/* channels, and bytes of each */
};

static const struct attribute_format formats[] = {
	{ 0x01, 4, 4 }, { 0x02, 3, 4 }, { 0x04, 2, 4 }, { 0x12, 1, 4 }, { 0x0a, 4, 1 },
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

static u32 size_of(const struct attribute_format *f)
{
	return f->count * f->bytes;
}

/* An attribute's four words as a program sees them */
static void unpack(const struct attribute_format *f, u32 attrib, const u8 *raw, u32 value[4])
{
	u32 i, type = attrib >> 25 & 0x3f;

	value[0] = value[1] = value[2] = 0;
	value[3] = sim_float_to_bits(1);
	for (i = 0; i < f->count; i++) {
		if (f->bytes == 4)
			value[i] = get_le32(raw + 4 * i);
		else if (type == TYPE_UNORM)
			value[i] = sim_float_to_bits(raw[i] / 255.0f);
		else
			value[i] = sim_float_to_bits(raw[i]);
	}
}

/* --- vertices become triangles --- */

static void keep(struct sim_draw *d, u32 slot, const struct sim_vertex *v)
{
	d->vertex[slot] = *v;
}

static void assemble(struct nvsim *s, const struct sim_vertex *v)
{
	struct sim_draw *d = &s->gr.draw;
	const struct sim_vertex *corner[3];

	if (d->vertices < 2) {
		keep(d, d->vertices++, v);
		return;
	}
	corner[0] = &d->vertex[0];
	corner[1] = &d->vertex[1];
	corner[2] = v;
	if (d->primitive == TRIANGLE_STRIP && d->odd) {
		corner[0] = &d->vertex[1];
		corner[1] = &d->vertex[0];
	}
	sim_gr3d_triangle(s, corner);
	if (d->primitive == TRIANGLES) {
		d->vertices = 0;
		return;
	}
	if (d->primitive == TRIANGLE_STRIP) {
		d->odd = !d->odd;
		keep(d, 0, &d->vertex[1]);
	}
	keep(d, 1, v);
}

/* What the map of results makes of the program's outputs: an output, 0.0 or 1.0 */
static float result(const u32 *st, const struct sim_thread *t, u32 i)
{
	u32 at = st[VP_RESULT_MAP(i / 4) / 4] >> 8 * (i % 4) & 0xff;

	if (at == 0x41)
		return 1;
	return at < 0x40 ? sim_bits_to_float(t->out[at]) : 0;
}

static void place(const u32 *st, const struct sim_thread *t, struct sim_vertex *v)
{
	double p[3], w;
	u32 i;

	for (i = 0; i < ARRAY_LEN(v->result); i++)
		v->result[i] = result(st, t, i);
	w = v->result[3];
	v->inverse_w = w > 0 ? 1 / w : 0;
	for (i = 0; i < 3; i++) {
		p[i] = v->result[i];
		if (st[VIEWPORT_TRANSFORM_EN / 4] & 1)
			p[i] = p[i] * v->inverse_w * sim_bits_to_float(st[VIEWPORT_SCALE(i) / 4]) +
			       sim_bits_to_float(st[VIEWPORT_TRANSLATE(i) / 4]);
	}
	v->x = p[0];
	v->y = p[1];
	v->z = p[2];
}

/* @value: four words of each attribute */
static void shade(struct nvsim *s, u32 value[ATTRIBUTES][4])
{
	const u32 *st = sim_gr3d_state(s);
	struct sim_thread t = { .program = SIM_PROGRAM_VP };
	struct sim_vertex v;
	u32 i, k, n = 0;

	for (i = 0; i < ATTRIBUTES; i++) {
		for (k = 0; k < 4; k++) {
			if (wanted(st, i) >> k & 1)
				t.in[n++] = value[i][k];
		}
	}
	if (!sim_gr3d_run(s, &t, 1)) {
		s->gr.draw.active = false;
		return;
	}
	place(st, &t, &v);
	assemble(s, &v);
}

/* --- VERTEX_DATA --- */

void sim_gr3d_begin(struct nvsim *s, u32 primitive)
{
	const u32 *st = sim_gr3d_state(s);
	struct sim_draw *d = &s->gr.draw;

	memset(d, 0, sizeof(*d));
	d->primitive = primitive;
	if (primitive != TRIANGLES && primitive != TRIANGLE_STRIP && primitive != TRIANGLE_FAN)
		sim_gr3d_not_modelled(s, "primitive %x", primitive);
	else if (st[GP_ENABLE / 4] & 1)
		sim_gr3d_not_modelled(s, "a geometry program");
	else
		d->active = true;
}

/* The words of a vertex come attribute by attribute, those that the program reads. */
static u32 words_per_vertex(const u32 *st)
{
	const struct attribute_format *f;
	u32 i, words = 0;

	for (i = 0; i < ATTRIBUTES; i++) {
		f = find_format(st[VERTEX_ARRAY_ATTRIB(i) / 4]);
		if (wanted(st, i) && f)
			words += (size_of(f) + 3) / 4;
	}
	return words;
}

static void complete_vertex(struct nvsim *s)
{
	const u32 *st = sim_gr3d_state(s), *data = s->gr.draw.data;
	u32 value[ATTRIBUTES][4] = { { 0 } }, i, k, attrib;
	const struct attribute_format *f;
	u8 raw[16] = { 0 };

	for (i = 0; i < ATTRIBUTES; i++) {
		attrib = st[VERTEX_ARRAY_ATTRIB(i) / 4];
		f = find_format(attrib);
		if (!wanted(st, i) || !f)
			continue;
		for (k = 0; k < (size_of(f) + 3) / 4; k++)
			put_le32(raw + 4 * k, *data++);
		unpack(f, attrib, raw, value[i]);
	}
	shade(s, value);
}

void sim_gr3d_vertex_word(struct nvsim *s, u32 data)
{
	struct sim_draw *d = &s->gr.draw;
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
	shade(s, value);
}

void sim_gr3d_attribute(struct nvsim *s, u32 mthd, u32 data)
{
	u32 *st = sim_gr3d_state(s), *value, attribute, component;
	const struct attribute_form *f = forms;

	while (f->first > mthd)
		f++;
	attribute = (mthd - f->first) / f->stride;
	component = (mthd - f->first) % f->stride / 4;
	/* Those of halves and integers lie between them. */
	if (attribute >= ATTRIBUTES || component >= f->count)
		return;
	value = st + GR3D_ATTRIBUTE(attribute);
	if (!component) {
		memset(value, 0, 3 * sizeof(*value));
		value[3] = sim_float_to_bits(1);
	}
	value[component] = data;
	if (!attribute && component == f->count - 1u && s->gr.draw.active)
		vertex_of_attributes(s);
}

/* --- arrays --- */

static bool fetch(struct nvsim *s, const u32 *st, u32 attribute, u32 index, u32 value[4])
{
	u32 attrib = st[VERTEX_ARRAY_ATTRIB(attribute) / 4], array = attrib & 0xf;
	const struct attribute_format *f = find_format(attrib);
	u32 control = st[VERTEX_ARRAY_FETCH(array) / 4];
	u64 address = st[VERTEX_ARRAY_LOW(array) / 4] |
		      (u64)(st[VERTEX_ARRAY_HIGH(array) / 4] & 0xff) << 32;
	u8 raw[16] = { 0 };

	if (!f || attrib & ATTRIB_CONST || !(control & FETCH_ENABLE)) {
		sim_gr3d_not_modelled(s, "attribute %u, format %08x", attribute, attrib);
		return false;
	}
	address += (u64)(control & 0xfff) * index + (attrib >> 5 & 0x3fff);
	if (!sim_gr_vm(s, SIM_GR_3D_VTXBUF, st[0x18c / 4], address & MASK40, raw, size_of(f),
		       false)) {
		sim_gr_vfetch_trap(s, 1);
		return false;
	}
	unpack(f, attrib, raw, value);
	return true;
}

void sim_gr3d_draw_arrays(struct nvsim *s, u32 first, u32 count)
{
	struct sim_draw *d = &s->gr.draw;

	if (!d->active || !count)
		return;
	d->next = first;
	d->left = count;
	s->gr.job = SIM_GR_JOB_VERTICES;
}

/* One vertex; its triangle, if it completes one, is a job in front of the next vertex. */
void sim_gr3d_vertices_step(struct nvsim *s)
{
	const u32 *st = sim_gr3d_state(s);
	u32 value[ATTRIBUTES][4] = { { 0 } }, i;
	struct sim_draw *d = &s->gr.draw;

	s->gr.job = SIM_GR_JOB_NONE;
	for (i = 0; i < ATTRIBUTES; i++) {
		if (wanted(st, i) && !fetch(s, st, i, d->next, value[i])) {
			d->active = false;
			d->left = 0;
			return;
		}
	}
	d->next++;
	d->left--;
	shade(s, value);
	if (!d->active)
		d->left = 0;
	if (d->left && s->gr.job == SIM_GR_JOB_NONE)
		s->gr.job = SIM_GR_JOB_VERTICES;
}
