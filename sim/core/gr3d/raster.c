// SPDX-License-Identifier: MIT
/*
 * Triangles become pixels. Edge functions at pixel centers with 8 bits of subpixel give coverage.
 * A pixel on an edge belongs to the triangle on its right or below. Values are weighted by areas
 * and passed to the fragment program. No document says how a card rounds.
 */
#include <math.h>

#include "gr3d.h"

#define SUBPIXEL	256
#define MOST		32768.0		/* pixels; what lies further outside needs clipping */

#define CULL_FRONT	0x404
#define CULL_BACK	0x405
#define CULL_BOTH	0x408
#define FRONT_CW	0x900

static int64_t edge(const struct sim_draw *d, int a, int b, int64_t x, int64_t y)
{
	return (d->x[b] - d->x[a]) * (y - d->y[a]) - (d->y[b] - d->y[a]) * (x - d->x[a]);
}

/* Whether pixels on the edge are the triangle's; its area is positive. */
static bool owns_edge(const struct sim_draw *d, int a, int b)
{
	int64_t dx = d->x[b] - d->x[a], dy = d->y[b] - d->y[a];

	return dy < 0 || (!dy && dx > 0);
}

bool sim_gr3d_is_culled(const u32 *st, bool front)
{
	u32 face = st[CULL_FACE / 4];

	if (!(st[CULL_FACE_ENABLE / 4] & 1))
		return false;
	return face == CULL_BOTH || (face == CULL_FRONT && front) || (face == CULL_BACK && !front);
}

/* Of a triangle seen from behind, colors are other results of its vertices. */
static void take_back_colors(const u32 *st, struct sim_draw *d)
{
	u32 semantic = st[SEMANTIC_COLOR / 4], count = semantic >> 16 & 0xff, i, k;

	for (i = 0; i < count && i < ARRAY_LEN(d->flat); i++) {
		u32 front = ((semantic & 0xff) + i) % ARRAY_LEN(d->flat);
		u32 back = ((semantic >> 8 & 0xff) + i) % ARRAY_LEN(d->flat);

		for (k = 0; k < 3; k++)
			d->corner[k].result[front] = d->corner[k].result[back];
		d->flat[front] = d->flat[back];
	}
}

/* Corners in fixed point; false if there is nothing to draw, or what is not modelled */
static bool set_up(struct nvsim *s, struct sim_draw *d)
{
	const u32 *st = sim_gr3d_state(s);
	int i;

	for (i = 0; i < 3; i++) {
		const struct sim_vertex *v = &d->corner[i];

		if (!(v->inverse_w > 0) || !(fabs(v->x) < MOST) || !(fabs(v->y) < MOST)) {
			sim_gr3d_not_modelled(s, "a triangle that has to be clipped");
			return false;
		}
		d->x[i] = llrint(v->x * SUBPIXEL);
		d->y[i] = llrint(v->y * SUBPIXEL);
	}
	d->area = edge(d, 0, 1, d->x[2], d->y[2]);
	/* On a screen whose y goes down a positive area is clockwise. */
	d->front = d->thin || (d->area > 0) == (st[FRONT_FACE / 4] == FRONT_CW);
	if (d->outlined)
		d->front = d->outline_front;
	if (!d->area || (!d->thin && sim_gr3d_is_culled(st, d->front)))
		return false;
	if (!d->front && st[VERTEX_TWO_SIDE_ENABLE / 4] & 1)
		take_back_colors(st, d);
	if (d->area < 0) {
		struct sim_vertex v = d->corner[0];
		int64_t x = d->x[0], y = d->y[0];

		d->corner[0] = d->corner[1];
		d->corner[1] = v;
		d->x[0] = d->x[1];
		d->y[0] = d->y[1];
		d->x[1] = x;
		d->y[1] = y;
		d->area = -d->area;
	}
	return true;
}

static int64_t least(const int64_t v[3])
{
	int64_t m = v[0] < v[1] ? v[0] : v[1];

	return m < v[2] ? m : v[2];
}

static int64_t largest(const int64_t v[3])
{
	int64_t m = v[0] > v[1] ? v[0] : v[1];

	return m > v[2] ? m : v[2];
}

void sim_gr3d_triangle(struct nvsim *s, const struct sim_vertex *v[3])
{
	const u32 *st = sim_gr3d_state(s);
	struct sim_draw *d = &s->gr.draw;
	int64_t *b = d->bounds, area[4];
	int i;

	for (i = 0; i < 3; i++)
		d->corner[i] = *v[i];
	if (!set_up(s, d))
		return;
	d->offset = 0;
	if (d->outlined)
		d->offset = d->outline_offset;
	else if (!d->thin && st[POLYGON_OFFSET_FILL_ENABLE / 4] & 1)
		d->offset = sim_gr3d_depth_offset(st, d->corner);
	d->stippled = sim_gr3d_is_stippled(st, d);
	sim_gr3d_draw_area(s, area);
	b[0] = least(d->x) / SUBPIXEL - 1;
	b[1] = least(d->y) / SUBPIXEL - 1;
	b[2] = largest(d->x) / SUBPIXEL + 2;
	b[3] = largest(d->y) / SUBPIXEL + 2;
	for (i = 0; i < 2; i++) {
		if (area[i] > b[i])
			b[i] = area[i];
		if (area[i + 2] < b[i + 2])
			b[i + 2] = area[i + 2];
	}
	d->line = b[1] & ~1ll;
	s->gr.job = SIM_GR_JOB_TRIANGLE;
}

/* --- one pixel --- */

static double weigh(const double share[3], double a, double b, double c)
{
	return share[0] * a + share[1] * b + share[2] * c;
}

/*
 * v[] begins with the components of the position that UMASK asks for, w as 1 / w. The results
 * follow, divided by w but for those without perspective and the flat ones.
 */
static void interpolants(const u32 *st, const struct sim_draw *d, const double share[3], int64_t x,
			 int64_t y, double z, struct sim_thread *t)
{
	u32 control = st[FP_INTERPOLANT_CTRL / 4], i, n = 0;
	u32 count = control & 0xff, first = control >> 8 & 0xff, smooth = control >> 16 & 0xff;
	const struct sim_vertex *c = d->corner;
	double position[4] = {
		(double)x + 0.5, (double)y + 0.5, z,
		weigh(share, c[0].inverse_w, c[1].inverse_w, c[2].inverse_w),
	};

	for (i = 0; i < 4; i++) {
		if (control >> (24 + i) & 1)
			t->in[n++] = sim_float_to_bits((float)position[i]);
	}
	for (i = 0; i < count && n < SIM_ATTRIBUTES; i++, n++) {
		u32 at = (first + i) % ARRAY_LEN(c->result);
		double v = d->flat[at];

		if (i < smooth && (st[NOPERSPECTIVE(at / 32) / 4] >> at % 32 & 1))
			v = weigh(share, c[0].result[at], c[1].result[at], c[2].result[at]);
		else if (i < smooth)
			v = weigh(share, c[0].result[at] * c[0].inverse_w,
				  c[1].result[at] * c[1].inverse_w,
				  c[2].result[at] * c[2].inverse_w);
		t->in[n] = sim_float_to_bits((float)v);
	}
}

static void count_sample(u32 *st)
{
	if (!(st[SAMPLECNT_ENABLE / 4] & 1))
		return;
	if (!++st[GR3D_SAMPLES])
		st[GR3D_SAMPLES + 1]++;
}

/* False if the draw is over: a fault */
static bool pixel(struct nvsim *s, int64_t x, int64_t y, double z, const struct sim_thread *t)
{
	u32 *st = sim_gr3d_state(s);
	bool fault = false;

	if (!sim_gr3d_alpha_test(st, t))
		return true;
	if (!sim_gr3d_depth_test(s, x, y, sim_gr3d_depth_of(st, t, z), &fault) && !fault)
		return true;
	count_sample(st);
	if (fault || !sim_gr3d_write_colors(s, x, y, t)) {
		sim_gr3d_target_fault(s);
		return false;
	}
	return true;
}

/* Shares of the corners in a pixel's middle, also outside; whether it is the triangle's */
static bool covers(const struct sim_draw *d, int64_t x, int64_t y, double share[3])
{
	static const int from[] = { 1, 2, 0 }, to[] = { 2, 0, 1 };
	int64_t px = x * SUBPIXEL + SUBPIXEL / 2, py = y * SUBPIXEL + SUBPIXEL / 2, e;
	bool inside = x >= d->bounds[0] && x < d->bounds[2] && y >= d->bounds[1] && y < d->bounds[3];
	int i;

	for (i = 0; i < 3; i++) {
		e = edge(d, from[i], to[i], px, py);
		share[i] = (double)e / (double)d->area;
		if (e < 0 || (!e && !owns_edge(d, from[i], to[i])))
			inside = false;
	}
	return inside;
}

/* Four pixels; those beside the triangle run along for differences. False if the draw is over */
static bool quad(struct nvsim *s, int64_t x, int64_t y)
{
	struct sim_thread t[SIM_QUAD];
	u32 *st = sim_gr3d_state(s), count = 0;
	const struct sim_draw *d = &s->gr.draw;
	double share[SIM_QUAD][3], z[SIM_QUAD];
	int i;

	memset(t, 0, sizeof(t));
	for (i = 0; i < SIM_QUAD; i++) {
		t[i].program = SIM_PROGRAM_FP;
		t[i].face = d->front ? ~0u : 0;
		t[i].helper = !covers(d, x + (i & 1), y + (i >> 1), share[i]);
		if (d->stippled)
			t[i].helper |= sim_gr3d_stipple_hides(st, d, x + (i & 1), y + (i >> 1));
		count += t[i].helper ? 0 : 1;
	}
	if (!count)
		return true;
	sim_gr3d_count(st, SIM_COUNT_PIXELS, count);
	for (i = 0; i < SIM_QUAD; i++) {
		z[i] = weigh(share[i], d->corner[0].z, d->corner[1].z, d->corner[2].z) + d->offset;
		interpolants(st, d, share[i], x + (i & 1), y + (i >> 1), z[i], &t[i]);
	}
	if (!sim_gr3d_run(s, t, SIM_QUAD))
		return false;
	for (i = 0; i < SIM_QUAD; i++) {
		if (!t[i].helper && !t[i].killed &&
		    !pixel(s, x + (i & 1), y + (i >> 1), z[i], &t[i]))
			return false;
	}
	return true;
}

/* Whether the quad may have pixels of the triangle: not all four are outside of one edge */
static bool quad_is_near(const struct sim_draw *d, int64_t x, int64_t y)
{
	static const int from[] = { 1, 2, 0 }, to[] = { 2, 0, 1 };
	int64_t low_x = x * SUBPIXEL + SUBPIXEL / 2, low_y = y * SUBPIXEL + SUBPIXEL / 2;
	int i, k, outside;

	for (i = 0; i < 3; i++) {
		outside = 0;
		for (k = 0; k < SIM_QUAD; k++)
			outside += edge(d, from[i], to[i], low_x + (k & 1) * SUBPIXEL,
					low_y + (k >> 1) * SUBPIXEL) < 0;
		if (outside == SIM_QUAD)
			return false;
	}
	return true;
}

/* A line and the one below it */
static bool lines(struct nvsim *s, struct sim_draw *d, int64_t y)
{
	int64_t x;

	for (x = d->bounds[0] & ~1ll; x < d->bounds[2]; x += 2) {
		if (quad_is_near(d, x, y) && !quad(s, x, y))
			return false;
	}
	return true;
}

void sim_gr3d_triangle_step(struct nvsim *s)
{
	struct sim_draw *d = &s->gr.draw;

	s->gr.job = SIM_GR_JOB_TRIANGLE;
	if (d->line < d->bounds[3]) {
		d->line += 2;
		if (lines(s, d, d->line - 2))
			return;
		sim_gr3d_give_up(s);
	}
	sim_gr3d_next_triangle(s);
	sim_gr3d_next_job(s);
}
