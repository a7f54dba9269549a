// SPDX-License-Identifier: MIT
/*
 * Triangles become pixels. Edge functions at pixel centers with 8 bits of subpixel give coverage.
 * A pixel on an edge belongs to the triangle on its right or below. Values are weighted by areas
 * and passed to the fragment program. No document says how a card rounds.
 */
#include <math.h>
#include <stdlib.h>

#include "gr3d.h"
#include "../number.h"

#define SUBPIXEL	SIM_SUBPIXEL
#define MOST		32768.0		/* pixels; vertices further outside need clipping */

#define CULL_FRONT	0x404
#define CULL_BACK	0x405
#define CULL_BOTH	0x408
#define FRONT_CW	0x900
#define SHADE_FLAT	0x1d00

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

/* A triangle that shows its back has the back colors of its vertices. */
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

/* With SHADE_MODEL flat, colors of all corners are those of one. */
static void flatten_colors(const u32 *st, struct sim_draw *d)
{
	u32 semantic = st[SEMANTIC_COLOR / 4], count = semantic >> 16 & 0xff, i, k;

	for (i = 0; i < count && i < ARRAY_LEN(d->flat); i++) {
		u32 at = ((semantic & 0xff) + i) % ARRAY_LEN(d->flat);

		for (k = 0; k < 3; k++)
			d->corner[k].result[at] = d->flat[at];
	}
}

/* Convert corners to fixed point; false for an empty or an unmodelled primitive */
static bool set_up(struct nvsim *s, struct sim_draw *d)
{
	const u32 *st = sim_gr3d_state(s);
	int i;

	for (i = 0; i < 3; i++) {
		const struct sim_vertex *v = &d->corner[i];

		if (!(v->inverse_w > 0) || !(fabs(v->x) < MOST) || !(fabs(v->y) < MOST)) {
			sim_gr_missing(s, NVSIM_MISSING_CLIP, "corner", (u32)i);
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
	if (!d->thin && st[POLYGON_SMOOTH_ENABLE / 4] & 1)
		sim_gr_missing(s, NVSIM_MISSING_SMOOTH_POLYGON, "POLYGON_SMOOTH_ENABLE", 1);
	if (!d->front && st[VERTEX_TWO_SIDE_ENABLE / 4] & 1)
		take_back_colors(st, d);
	if (st[SHADE_MODEL / 4] == SHADE_FLAT)
		flatten_colors(st, d);
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

static const int edge_from[] = { 1, 2, 0 }, edge_to[] = { 2, 0, 1 };

/*
 * How much an edge function is larger in a quad than in the middle of its first pixel, at most.
 * Samples lie up to half a pixel beside the middles.
 */
static void set_reach(const u32 *st, struct sim_draw *d)
{
	int i;

	for (i = 0; i < 3; i++) {
		int64_t dx = d->x[edge_to[i]] - d->x[edge_from[i]];
		int64_t dy = d->y[edge_to[i]] - d->y[edge_from[i]];

		d->reach[i] = ((dx > 0 ? dx : 0) + (dy < 0 ? -dy : 0)) * SUBPIXEL;
		if (sim_gr3d_samples_differ(st))
			d->reach[i] += (llabs(dx) + llabs(dy)) * SUBPIXEL / 2;
	}
}

void sim_gr3d_triangle(struct nvsim *s, const struct sim_vertex *v[3])
{
	const u32 *st = sim_gr3d_state(s);
	struct sim_draw *d = &s->gr->draw;
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
	d->may_hide = sim_gr3d_may_hide(st, d);
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
	set_reach(st, d);
	d->line = b[1] & ~1ll;
	s->gr->job = SIM_GR_JOB_TRIANGLE;
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
void sim_gr3d_interpolants(const u32 *st, const struct sim_draw *d, const struct sim_spot *spot,
			   u32 in[SIM_ATTRIBUTES])
{
	u32 control = st[FP_INTERPOLANT_CTRL / 4], i, n = 0;
	u32 count = control & 0xff, first = control >> 8 & 0xff, smooth = control >> 16 & 0xff;
	double middle = st[PIXEL_CENTER_INTEGER / 4] & 1 ? 0.5 : 0;
	const struct sim_vertex *c = d->corner;
	const double *share = spot->share;
	double position[4] = {
		(double)spot->x / SUBPIXEL - middle, (double)spot->y / SUBPIXEL - middle, spot->z,
		weigh(share, c[0].inverse_w, c[1].inverse_w, c[2].inverse_w),
	};

	for (i = 0; i < 4; i++) {
		if (control >> (24 + i) & 1)
			in[n++] = sim_float_to_bits((float)position[i]);
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
		in[n] = sim_float_to_bits((float)v);
	}
}

void sim_gr3d_count_sample(u32 *st)
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
	if (!sim_gr3d_depth_test(s, x, y, sim_gr3d_depth_of(s, t, z), &fault) && !fault)
		return true;
	sim_gr3d_count_sample(st);
	if (fault || !sim_gr3d_write_colors(s, x, y, t)) {
		sim_gr3d_target_fault(s);
		return false;
	}
	return true;
}

bool sim_gr3d_covers(const struct sim_draw *d, struct sim_spot *spot)
{
	bool inside = true;
	int64_t e;
	int i;

	for (i = 0; i < 3; i++) {
		e = edge(d, edge_from[i], edge_to[i], spot->x, spot->y);
		spot->share[i] = (double)e / (double)d->area;
		if (e < 0 || (!e && !owns_edge(d, edge_from[i], edge_to[i])))
			inside = false;
	}
	return inside;
}

/* A flat triangle has one depth, to the last bit. */
double sim_gr3d_spot_depth(const struct sim_draw *d, const struct sim_spot *spot)
{
	const struct sim_vertex *c = d->corner;

	return c[0].z + spot->share[1] * (c[1].z - c[0].z) + spot->share[2] * (c[2].z - c[0].z) +
	       d->offset;
}

/* Whether the pixel is the triangle's; @spot becomes its middle. */
static bool has_pixel(const u32 *st, const struct sim_draw *d, int64_t x, int64_t y,
		      struct sim_spot *spot)
{
	bool inside = x >= d->bounds[0] && x < d->bounds[2] && y >= d->bounds[1] && y < d->bounds[3];

	spot->x = x * SUBPIXEL + SUBPIXEL / 2;
	spot->y = y * SUBPIXEL + SUBPIXEL / 2;
	inside &= sim_gr3d_covers(d, spot);
	return inside && !(d->may_hide && sim_gr3d_hides(st, d, x, y));
}

/* Four pixels; those beside the triangle run along for differences. False if the draw is over */
static bool quad(struct nvsim *s, int64_t x, int64_t y)
{
	struct sim_thread t[SIM_QUAD];
	u32 *st = sim_gr3d_state(s), count = 0;
	const struct sim_draw *d = &s->gr->draw;
	struct sim_spot spot[SIM_QUAD];
	int i;

	memset(t, 0, sizeof(t));
	for (i = 0; i < SIM_QUAD; i++) {
		t[i].program = SIM_PROGRAM_FP;
		t[i].face = d->front ? ~0u : 0;
		t[i].helper = !has_pixel(st, d, x + (i & 1), y + (i >> 1), &spot[i]);
		count += t[i].helper ? 0 : 1;
	}
	if (!count)
		return true;
	sim_gr3d_count(st, SIM_COUNT_PIXELS, count);
	for (i = 0; i < SIM_QUAD; i++) {
		spot[i].z = sim_gr3d_spot_depth(d, &spot[i]);
		sim_gr3d_interpolants(st, d, &spot[i], t[i].in);
	}
	if (!sim_gr3d_run(s, t, SIM_QUAD))
		return false;
	for (i = 0; i < SIM_QUAD; i++) {
		if (d->thin)
			sim_gr3d_smooth(st, d, &spot[i], &t[i]);
		if (!t[i].helper && !t[i].killed &&
		    !pixel(s, x + (i & 1), y + (i >> 1), spot[i].z, &t[i]))
			return false;
	}
	return true;
}

/* Whether the quad may have pixels of the triangle: not all of it is outside of one edge */
static bool quad_is_near(const struct sim_draw *d, int64_t x, int64_t y)
{
	int64_t low_x = x * SUBPIXEL + SUBPIXEL / 2, low_y = y * SUBPIXEL + SUBPIXEL / 2;
	int i;

	for (i = 0; i < 3; i++) {
		if (edge(d, edge_from[i], edge_to[i], low_x, low_y) + d->reach[i] < 0)
			return false;
	}
	return true;
}

/* A line and the one below it */
static bool lines(struct nvsim *s, struct sim_draw *d, int64_t y)
{
	bool several = sim_gr3d_samples(sim_gr3d_state(s))->count > 1;
	int64_t x;

	for (x = d->bounds[0] & ~1ll; x < d->bounds[2]; x += 2) {
		if (!quad_is_near(d, x, y))
			continue;
		if (several ? !sim_gr3d_quad_of_samples(s, x, y) : !quad(s, x, y))
			return false;
	}
	return true;
}

bool sim_gr3d_triangle_step(struct nvsim *s)
{
	struct sim_draw *d = &s->gr->draw;

	s->gr->job = SIM_GR_JOB_TRIANGLE;
	if (d->line < d->bounds[3]) {
		d->line += 2;
		if (lines(s, d, d->line - 2))
			return false;
		sim_gr3d_give_up(s);
	}
	return true;
}
