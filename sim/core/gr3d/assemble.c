// SPDX-License-Identifier: MIT
/*
 * Vertices become primitives. One that is complete goes to the geometry program, or else to
 * transform feedback and the rasteriser.
 *
 * Quads and polygons are split for transform feedback only; the rasteriser has them whole.
 */
#include "gr3d.h"
#include "../number.h"

#define POINTS			0
#define LINES			1
#define LINE_LOOP		2
#define LINE_STRIP		3
#define TRIANGLES		4
#define TRIANGLE_STRIP		5
#define TRIANGLE_FAN		6
#define QUADS			7
#define QUAD_STRIP		8
#define POLYGON			9
#define LINES_ADJACENCY		10
#define LINE_STRIP_ADJACENCY	11
#define TRIANGLES_ADJACENCY	12
#define STRIP_ADJACENCY		13

#define USE_GP			(1u << 16)	/* of LAYER */
#define WITH_PRIMITIVE_ID	(1u << 8)	/* of VP_GP_BUILTIN_ATTR_EN */

static bool last_provokes(const u32 *st)
{
	return st[PROVOKING_VERTEX_LAST / 4] & 1;
}

/* --- to the screen --- */

/* A layer that the target does not have is layer 0, as Direct3D 10 asks of such cards. */
static u32 layer_of(const u32 *st, const struct sim_vertex *v)
{
	u32 layer = st[LAYER / 4], at = st[SEMANTIC_LAYER / 4] & 0xff;

	if (!(layer & USE_GP))
		return layer & 0xffff;
	layer = sim_float_to_bits(v->result[at % ARRAY_LEN(v->result)]);
	return layer < (st[RT_ARRAY_MODE / 4] & 0xffff) ? layer : 0;
}

/* An absent viewport is viewport 0. */
static u32 viewport_of(const u32 *st, const struct sim_vertex *v)
{
	u32 number, at = st[SEMANTIC_VIEWPORT / 4] & 0xff;

	if (!(st[GP_VIEWPORT_ID_ENABLE / 4] & 1))
		return 0;
	number = sim_float_to_bits(v->result[at % ARRAY_LEN(v->result)]);
	return number < GR3D_VIEWPORTS ? number : 0;
}

static void rasterise(struct nvsim *s, const struct sim_primitive *p)
{
	u32 *st = sim_gr3d_state(s);

	s->gr->draw.layer = layer_of(st, p->provoking);
	s->gr->draw.viewport = viewport_of(st, p->provoking);
	s->gr->draw.of_lines = p->count == 2;
	if (p->count == 1)
		sim_gr3d_point(s, p->corner[0]);
	else if (p->count == 2)
		sim_gr3d_line(s, p->corner[0], p->corner[1], p->provoking);
	else
		sim_gr3d_polygon(s, p->corner, p->count, p->provoking, p->edges);
	if (s->gr->draw.fan_count >= 3)
		sim_gr3d_count(st, SIM_COUNT_POSTCLIP, p->count < 3 ? 1 : s->gr->draw.fan_count - 2);
}

/* Without a geometry program one of the results may be the primitive's number. */
static void with_number(struct nvsim *s, const struct sim_primitive *p)
{
	const u32 *st = sim_gr3d_state(s);
	u32 i, at = st[SEMANTIC_PRIM_ID / 4] & 0xff;
	struct sim_primitive numbered = *p;
	struct sim_vertex v[4];

	for (i = 0; i < p->count; i++) {
		v[i] = *p->corner[i];
		v[i].result[at % ARRAY_LEN(v->result)] = sim_bits_to_float(st[PRIMITIVE_ID / 4]);
		numbered.corner[i] = &v[i];
		if (p->corner[i] == p->provoking)
			numbered.provoking = &v[i];
	}
	rasterise(s, &numbered);
}

void sim_gr3d_primitive(struct nvsim *s, const struct sim_primitive *p)
{
	u32 *st = sim_gr3d_state(s);

	sim_gr3d_stream_out(s, p);
	if (!(st[RASTERIZE_ENABLE / 4] & 1))
		return;
	sim_gr3d_count(st, SIM_COUNT_PRECLIP, p->count == 4 ? 2 : 1);
	if (st[VP_GP_BUILTIN_ATTR_EN / 4] & WITH_PRIMITIVE_ID && st[SEMANTIC_PRIM_ID / 4] &&
	    !(st[GP_ENABLE / 4] & 1))
		with_number(s, p);
	else
		rasterise(s, p);
}

/* --- output of the draw --- */

/* @p has the vertices between its corners, if @adjacent. */
static void give(struct nvsim *s, struct sim_primitive *p, bool adjacent)
{
	u32 *st = sim_gr3d_state(s), i;

	sim_gr3d_count(st, SIM_COUNT_VFETCH_PRIMITIVES, 1);
	if (st[GP_ENABLE / 4] & 1) {
		sim_gr3d_geometry(s, p);
	} else {
		/* Of a line the second and third, of a triangle every second one */
		for (i = 0; adjacent && i < p->count / 2; i++)
			p->corner[i] = p->corner[p->count == 4 ? i + 1 : 2 * i];
		if (adjacent)
			p->count /= 2;
		sim_gr3d_primitive(s, p);
	}
	st[PRIMITIVE_ID / 4]++;
}

static void give_point(struct nvsim *s, const struct sim_vertex *v)
{
	struct sim_primitive p = { .count = 1, .corner = { v }, .provoking = v };

	give(s, &p, false);
}

static void give_line(struct nvsim *s, const struct sim_vertex *a, const struct sim_vertex *b)
{
	struct sim_primitive p = { .count = 2, .corner = { a, b } };

	p.provoking = last_provokes(sim_gr3d_state(s)) ? b : a;
	give(s, &p, false);
}

/* The corners at which an edge begins; in strips and fans all of them */
static u32 edges_of(const struct sim_open_draw *d, const struct sim_primitive *p)
{
	u32 i, edges = 0;

	if (d->primitive != TRIANGLES && d->primitive != QUADS)
		return SIM_EDGES_ALL;
	for (i = 0; i < p->count; i++)
		edges |= (p->corner[i]->edge ? 1u : 0) << i;
	return edges;
}

static void give_triangle(struct nvsim *s, const struct sim_vertex *a, const struct sim_vertex *b,
			  const struct sim_vertex *c, const struct sim_vertex *provoking)
{
	struct sim_primitive p = { .count = 3, .corner = { a, b, c }, .provoking = provoking };

	p.edges = edges_of(&s->gr->draw.open, &p);
	give(s, &p, false);
}

/*
 * The next triangle of a polygon, whose first corner is vertex[0]. The edges between its
 * triangles are none.
 */
static void give_of_polygon(struct nvsim *s, const struct sim_vertex *v)
{
	const struct sim_open_draw *d = &s->gr->draw.open;
	const struct sim_vertex *a = &d->vertex[0], *b = &d->vertex[1];
	struct sim_primitive p = { .count = 3, .corner = { a, b, v }, .provoking = a };

	p.edges = (a->edge && !d->odd ? 1u : 0) | (b->edge ? 1u : 0) << 1;
	give(s, &p, false);
}

/* The last edge of a polygon that is drawn as lines; its last triangle has been drawn. */
static void close_polygon(struct nvsim *s)
{
	const struct sim_open_draw *d = &s->gr->draw.open;
	struct sim_primitive p = {
		.count = 3,
		.corner = { &d->vertex[0], &d->vertex[2], &d->vertex[1] },
		.provoking = &d->vertex[0],
		.edges = SIM_EDGES_ONLY | (d->vertex[1].edge ? 1u : 0) << 2,
	};
	const u32 *st = sim_gr3d_state(s);

	if (st[RASTERIZE_ENABLE / 4] & 1 && !(st[GP_ENABLE / 4] & 1))
		rasterise(s, &p);
}

static void give_quad(struct nvsim *s, const struct sim_vertex *last)
{
	const struct sim_vertex *v = s->gr->draw.open.vertex;
	struct sim_primitive p = { .count = 4, .corner = { &v[0], &v[1], &v[2], last } };

	p.provoking = last_provokes(sim_gr3d_state(s)) ? last : &v[0];
	if (s->gr->draw.open.primitive == QUAD_STRIP) {
		p.corner[2] = last;
		p.corner[3] = &v[2];
	}
	p.edges = edges_of(&s->gr->draw.open, &p);
	give(s, &p, false);
}

static void assemble_quad(struct nvsim *s, const struct sim_vertex *v)
{
	struct sim_open_draw *d = &s->gr->draw.open;

	if (d->vertices < 3) {
		d->vertex[d->vertices++] = *v;
		return;
	}
	give_quad(s, v);
	d->vertices = 0;
	if (d->primitive == QUAD_STRIP) {
		d->vertex[0] = d->vertex[2];
		d->vertex[1] = *v;
		d->vertices = 2;
	}
}

/* vertex[0] is where the next line begins, vertex[1] where a loop does. */
static void assemble_line(struct nvsim *s, const struct sim_vertex *v)
{
	struct sim_open_draw *d = &s->gr->draw.open;

	if (d->primitive == POINTS) {
		give_point(s, v);
		return;
	}
	if (!d->vertices) {
		d->vertex[0] = *v;
		d->vertex[1] = *v;
		d->vertices = 1;
		return;
	}
	give_line(s, &d->vertex[0], v);
	d->looped = d->primitive == LINE_LOOP;
	if (d->primitive == LINES)
		d->vertices = 0;
	else
		d->vertex[0] = *v;
}

/*
 * Every second triangle of a strip has its first two corners the other way round, or, if the first
 * one provokes, its last two.
 */
static void assemble_strip(struct nvsim *s, const struct sim_vertex *v)
{
	struct sim_open_draw *d = &s->gr->draw.open;
	bool last = last_provokes(sim_gr3d_state(s));

	if (!d->odd)
		give_triangle(s, &d->vertex[0], &d->vertex[1], v, last ? v : &d->vertex[0]);
	else if (last)
		give_triangle(s, &d->vertex[1], &d->vertex[0], v, v);
	else
		give_triangle(s, &d->vertex[0], v, &d->vertex[1], &d->vertex[0]);
	d->odd = !d->odd;
	d->vertex[0] = d->vertex[1];
	d->vertex[1] = *v;
}

static void assemble_triangle(struct nvsim *s, const struct sim_vertex *v)
{
	struct sim_open_draw *d = &s->gr->draw.open;
	bool last = last_provokes(sim_gr3d_state(s));

	if (d->vertices < 2) {
		d->vertex[d->vertices++] = *v;
		return;
	}
	switch (d->primitive) {
	case TRIANGLES:
		give_triangle(s, &d->vertex[0], &d->vertex[1], v, last ? v : &d->vertex[0]);
		d->vertices = 0;
		return;
	case TRIANGLE_STRIP:
		assemble_strip(s, v);
		return;
	case POLYGON:
		/* The vertex before the last two, needed for the last triangle */
		give_of_polygon(s, v);
		d->vertex[2] = d->vertex[1];
		d->odd = true;
		break;
	default:
		if (last)
			give_triangle(s, &d->vertex[0], &d->vertex[1], v, v);
		else
			give_triangle(s, &d->vertex[1], v, &d->vertex[0], &d->vertex[1]);
	}
	d->vertex[1] = *v;
}

/* --- adjacency --- */

static void give_adjacent(struct nvsim *s, u32 count, const u8 *which)
{
	const struct sim_open_draw *d = &s->gr->draw.open;
	struct sim_primitive p = { .count = count, .edges = SIM_EDGES_ALL };
	u32 i, first = count == 4 ? 1 : 0, last = count == 4 ? 2 : 4;

	for (i = 0; i < count; i++)
		p.corner[i] = &d->vertex[which[i]];
	p.provoking = p.corner[last_provokes(sim_gr3d_state(s)) ? last : first];
	give(s, &p, true);
}

/*
 * A triangle of a strip, whose vertices 2i - 1 to 2i + 7, counted from 1, wait as 0 to 8. OpenGL 3.2
 * has the table: the corners, and the neighbor on each side, differ for even and odd, first and last.
 * Vertex 2i + 8 shows that a triangle is not the last one.
 */
static void give_of_strip(struct nvsim *s, bool is_last)
{
	struct sim_open_draw *d = &s->gr->draw.open;
	u8 before = d->strip ? 0 : 3, after = is_last ? 7 : 8;
	const u8 even[6] = { 2, before, 4, after, 6, 5 }, odd[6] = { 4, before, 2, 5, 6, after };

	give_adjacent(s, 6, d->odd ? odd : even);
	d->odd = !d->odd;
	d->strip = true;
}

static void assemble_adjacent(struct nvsim *s, const struct sim_vertex *v)
{
	static const u8 in_order[6] = { 0, 1, 2, 3, 4, 5 };
	struct sim_open_draw *d = &s->gr->draw.open;
	u32 count = d->primitive < TRIANGLES_ADJACENCY ? 4 : 6;

	if (d->primitive == STRIP_ADJACENCY) {
		/* The first one has two absent vertices before it. */
		d->vertices = d->vertices ? d->vertices : 2;
		count = SIM_WAITING;
	}
	d->vertex[d->vertices++] = *v;
	if (d->vertices < count)
		return;
	if (d->primitive == STRIP_ADJACENCY) {
		give_of_strip(s, false);
		d->vertices -= 2;
		memmove(d->vertex, d->vertex + 2, d->vertices * sizeof(d->vertex[0]));
		return;
	}
	give_adjacent(s, count, in_order);
	d->vertices = 0;
	if (d->primitive == LINE_STRIP_ADJACENCY) {
		memmove(d->vertex, d->vertex + 1, 3 * sizeof(d->vertex[0]));
		d->vertices = 3;
	}
}

void sim_gr3d_assemble(struct nvsim *s, const struct sim_vertex *v)
{
	u32 primitive = s->gr->draw.open.primitive;

	if (primitive < TRIANGLES)
		assemble_line(s, v);
	else if (primitive == QUADS || primitive == QUAD_STRIP)
		assemble_quad(s, v);
	else if (primitive >= LINES_ADJACENCY)
		assemble_adjacent(s, v);
	else
		assemble_triangle(s, v);
}

/* The last line of a loop or an outline, or the last triangle with adjacency, is a job. */
void sim_gr3d_end_strip(struct nvsim *s)
{
	struct sim_open_draw *d = &s->gr->draw.open;

	if (d->active && d->looped)
		give_line(s, &d->vertex[0], &d->vertex[1]);
	else if (d->active && d->primitive == POLYGON && d->odd)
		close_polygon(s);
	if (d->active && d->primitive == STRIP_ADJACENCY && d->vertices >= SIM_WAITING - 2)
		give_of_strip(s, true);
	d->looped = false;
	d->vertices = 0;
	d->odd = false;
	d->strip = false;
}
