// SPDX-License-Identifier: MIT
/*
 * Points and lines become rectangles on the screen, which the rasteriser fills. A line is as wide
 * as LINE_WIDTH along the axis that it follows less. It has the pixel of its first end, and not
 * the one of its last. A card's rule for lines that end between pixels is not known.
 */
#include <math.h>

#include "gr3d.h"
#include "../number.h"

#define LEAST_STEP	(1.0 / 256)	/* of the rasteriser, in pixels */

#define REPLACE_S	1	/* of POINT_COORD_REPLACE_MAP, four bits for each result */
#define REPLACE_T	2
#define REPLACE_ONE	4
#define ORIGIN_ABOVE	(1u << 4)

static void start(struct nvsim *s)
{
	struct sim_draw *d = &s->gr->draw;

	d->fan_count = 4;
	d->fan_next = 1;
	d->thin = true;
	sim_gr3d_fan_triangle(s);
}

/* --- lines --- */

void sim_gr3d_line(struct nvsim *s, const struct sim_vertex *a, const struct sim_vertex *b,
		   const struct sim_vertex *provoking)
{
	const u32 *st = sim_gr3d_state(s);
	double width = fmax(sim_bits_to_float(st[LINE_WIDTH / 4]), 1), x, y;
	struct sim_draw *d = &s->gr->draw;
	struct sim_vertex *fan = d->fan;
	u32 i;

	memcpy(d->flat, provoking->result, sizeof(d->flat));
	fan[0] = *a;
	fan[1] = *b;
	d->fan_count = 2;
	sim_gr3d_clip_fan(st, d);
	if (d->fan_count != 2) {
		d->fan_count = 0;
		return;
	}
	sim_gr3d_stipple_line(s, fan);

	d->smooth.shape = SIM_SMOOTH_NONE;
	if (sim_gr3d_is_smooth(st, LINE_SMOOTH_ENABLE)) {
		sim_gr3d_smooth_line(d, width);
		if (d->fan_count)
			start(s);
		return;
	}

	/* A pixel on a left or upper border is inside: that of the first end, whatever the direction. */
	x = fan[1].x - fan[0].x;
	y = fan[1].y - fan[0].y;
	for (i = 0; i < 2; i++) {
		if (fabs(x) >= fabs(y) && x < 0)
			fan[i].x += LEAST_STEP;
		if (fabs(x) < fabs(y) && y < 0)
			fan[i].y += LEAST_STEP;
	}

	fan[2] = fan[1];
	fan[3] = fan[0];
	for (i = 0; i < 4; i++) {
		double side = i < 2 ? -width / 2 : width / 2;

		if (fabs(x) >= fabs(y))
			fan[i].y += side;
		else
			fan[i].x += side;
	}
	start(s);
}

/* --- points --- */

/* POINT_COORD_REPLACE_MAP puts a corner's coordinates, 0 to 1, instead of its results. */
static void replace(const u32 *st, float s, float t, float result[64])
{
	u32 i, what;

	for (i = 0; i < 64; i++) {
		what = st[POINT_COORD_REPLACE_MAP(i / 8) / 4] >> 4 * (i % 8) & 0xf;
		if (what == REPLACE_S)
			result[i] = s;
		else if (what == REPLACE_T)
			result[i] = st[POINT_SPRITE_CTRL / 4] & ORIGIN_ABOVE ? t : 1 - t;
		else if (what)
			result[i] = what == REPLACE_ONE ? 1 : 0;
	}
}

static double size_of(const u32 *st, const struct sim_vertex *v)
{
	u32 semantic = st[SEMANTIC_PTSZ / 4];
	double size = sim_bits_to_float(st[POINT_SIZE / 4]);

	if (semantic & 1)
		size = v->result[(semantic >> 4 & 0xff) % ARRAY_LEN(v->result)];
	return size > 1 ? fmin(size, 2048) : 1;
}

void sim_gr3d_point(struct nvsim *s, const struct sim_vertex *v)
{
	static const float across[] = { 0, 1, 1, 0 }, down[] = { 0, 0, 1, 1 };
	const u32 *st = sim_gr3d_state(s);
	double size = size_of(st, v);
	struct sim_draw *d = &s->gr->draw;
	u32 i;

	memcpy(d->flat, v->result, sizeof(d->flat));
	d->fan[0] = *v;
	d->fan_count = 1;
	sim_gr3d_clip_fan(st, d);
	if (d->fan_count != 1)
		return;

	d->smooth.shape = SIM_SMOOTH_NONE;
	if (sim_gr3d_is_smooth(st, POINT_SMOOTH_ENABLE))
		size = sim_gr3d_smooth_point(d, size);
	for (i = 1; i < 4; i++)
		d->fan[i] = d->fan[0];
	for (i = 0; i < 4; i++) {
		d->fan[i].x += size * (across[i] - 0.5);
		d->fan[i].y += size * (down[i] - 0.5);
		if (st[POINT_SPRITE_ENABLE / 4] & 1)
			replace(st, across[i], down[i], d->fan[i].result);
	}
	start(s);
}
