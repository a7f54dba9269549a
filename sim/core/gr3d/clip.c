// SPDX-License-Identifier: MIT
/*
 * Primitives become triangles on the screen. Polygons are clipped, in homogeneous coordinates,
 * by the near and far planes, by clip distances, and by a guard band far outside of the screen.
 * The rest of a polygon is drawn as a fan.
 */
#include <math.h>

#include "gr3d.h"
#include "../number.h"

#define GUARD		30000.0		/* pixels */
#define LEAST_W		1e-9

#define CLAMP_NEAR	(1u << 3)	/* of VIEW_VOLUME_CLIP_CTRL */
#define CLAMP_FAR	(1u << 4)

/* A point inside has no negative distance: of x, y, z, w, and of a result beside them */
struct plane {
	double x, y, z, w, constant;
	int result;		/* or -1 */
};

static double distance(const struct plane *p, const struct sim_vertex *v)
{
	const float *r = v->result;
	double d = p->x * r[0] + p->y * r[1] + p->z * r[2] + p->w * r[3] + p->constant;

	return p->result < 0 ? d : d + r[p->result];
}

static void between(const struct sim_vertex *a, const struct sim_vertex *b, double share,
		    struct sim_vertex *v)
{
	u32 i;

	for (i = 0; i < ARRAY_LEN(v->result); i++)
		v->result[i] = (float)(a->result[i] + share * ((double)b->result[i] - a->result[i]));
}

/* The part of a line, or a point, that is inside of a plane */
static void clip_thin(struct sim_draw *d, const struct plane *p)
{
	double first = distance(p, &d->fan[0]), last = distance(p, &d->fan[d->fan_count - 1]);
	struct sim_vertex cut;

	/* A NaN is outside. */
	if (!(first >= 0) && !(last >= 0)) {
		d->fan_count = 0;
		return;
	}
	if ((first >= 0) == (last >= 0))
		return;
	between(&d->fan[0], &d->fan[1], first / (first - last), &cut);
	d->fan[first >= 0] = cut;
}

/* The part of the fan's polygon that is inside of a plane */
static void clip(struct sim_draw *d, const struct plane *p)
{
	struct sim_vertex whole[SIM_FAN];
	u32 i, n = 0;

	if (d->fan_count == 1 || d->fan_count == 2) {
		clip_thin(d, p);
		return;
	}

	memcpy(whole, d->fan, sizeof(whole));
	for (i = 0; i < d->fan_count && n + 2 <= SIM_FAN; i++) {
		const struct sim_vertex *a = &whole[i], *b = &whole[(i + 1) % d->fan_count];
		double from = distance(p, a), to = distance(p, b);

		if (from >= 0)
			d->fan[n++] = *a;
		if ((from >= 0) != (to >= 0))
			between(a, b, from / (from - to), &d->fan[n++]);
	}
	d->fan_count = n;
}

/* How far from the middle x / w or y / w may be */
static double guard(const u32 *st, u32 viewport, u32 axis)
{
	double scale = fabs(sim_bits_to_float(st[VIEWPORT_SCALE(viewport, axis) / 4]));
	double translate = fabs(sim_bits_to_float(st[VIEWPORT_TRANSLATE(viewport, axis) / 4]));

	return fmax(GUARD - fmin(translate, GUARD / 2), 1) / fmax(scale, 1);
}

static void clip_all(const u32 *st, struct sim_draw *d)
{
	u32 control = st[VIEW_VOLUME_CLIP_CTRL / 4], first = st[SEMANTIC_CLIP / 4] & 0xff, i;
	bool half_z = st[DEPTH_CLIP_NEGATIVE_Z / 4] & 1;
	double x = guard(st, d->viewport, 0), y = guard(st, d->viewport, 1);
	struct plane p = { .result = -1 };

	clip(d, &(struct plane){ 0, 0, 0, 1, -LEAST_W, -1 });
	if (!(control & CLAMP_NEAR))
		clip(d, &(struct plane){ 0, 0, 1, half_z ? 0 : 1, 0, -1 });
	if (!(control & CLAMP_FAR))
		clip(d, &(struct plane){ 0, 0, -1, 1, 0, -1 });
	clip(d, &(struct plane){ 1, 0, 0, x, 0, -1 });
	clip(d, &(struct plane){ -1, 0, 0, x, 0, -1 });
	clip(d, &(struct plane){ 0, 1, 0, y, 0, -1 });
	clip(d, &(struct plane){ 0, -1, 0, y, 0, -1 });
	for (i = 0; i < 8; i++) {
		p.result = (int)((first + i) % ARRAY_LEN(d->flat));
		if (st[CLIP_DISTANCE_ENABLE / 4] >> i & 1)
			clip(d, &p);
	}
}

static void place(const u32 *st, u32 viewport, struct sim_vertex *v)
{
	double p[3], scale, translate, w = v->result[3];
	u32 i;

	v->inverse_w = w > 0 ? 1 / w : 0;
	for (i = 0; i < 3; i++) {
		p[i] = v->result[i];
		if (!(st[VIEWPORT_TRANSFORM_EN / 4] & 1))
			continue;
		scale = sim_bits_to_float(st[VIEWPORT_SCALE(viewport, i) / 4]);
		translate = sim_bits_to_float(st[VIEWPORT_TRANSLATE(viewport, i) / 4]);
		p[i] = p[i] * v->inverse_w * scale + translate;
	}
	v->x = p[0];
	v->y = p[1];
	v->z = p[2];
}

void sim_gr3d_clip_fan(const u32 *st, struct sim_draw *d)
{
	u32 i;

	if (st[VIEWPORT_TRANSFORM_EN / 4] & 1)
		clip_all(st, d);
	for (i = 0; i < d->fan_count; i++)
		place(st, d->viewport, &d->fan[i]);
}

void sim_gr3d_fan_triangle(struct nvsim *s)
{
	struct sim_draw *d = &s->gr->draw;
	const struct sim_vertex *corner[3];

	s->gr->job = SIM_GR_JOB_NONE;
	while (d->fan_next + 1 < d->fan_count && s->gr->job == SIM_GR_JOB_NONE) {
		corner[0] = &d->fan[0];
		corner[1] = &d->fan[d->fan_next];
		corner[2] = &d->fan[d->fan_next + 1];
		d->fan_next++;
		sim_gr3d_triangle(s, corner);
	}
}

void sim_gr3d_next_triangle(struct nvsim *s)
{
	sim_gr3d_fan_triangle(s);
	while (s->gr->job == SIM_GR_JOB_NONE && s->gr->draw.outline_left)
		sim_gr3d_next_outline(s);
}

void sim_gr3d_polygon(struct nvsim *s, const struct sim_vertex *const *v, u32 count,
		      const struct sim_vertex *provoking, u32 edges)
{
	const u32 *st = sim_gr3d_state(s);
	struct sim_draw *d = &s->gr->draw;
	u32 i, first = 0;

	/* A quad's two triangles have the corner that provokes in common. */
	while (count == 4 && first < 3 && v[first] != provoking)
		first++;
	memcpy(d->flat, provoking->result, sizeof(d->flat));
	for (i = 0; i < count; i++)
		d->fan[i] = *v[(first + i) % count];
	d->fan_count = count;
	sim_gr3d_clip_fan(st, d);
	d->fan_next = 1;
	d->thin = false;
	if (!sim_gr3d_outlines(s, v, count, provoking, edges) && edges & SIM_EDGES_ONLY)
		d->fan_count = 0;
	sim_gr3d_next_triangle(s);
}
