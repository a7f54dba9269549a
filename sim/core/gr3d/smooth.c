// SPDX-License-Identifier: MIT
/*
 * Smooth lines and points. The share of a pixel that the primitive covers multiplies the alpha of
 * each color, before the alpha test. A line is a rectangle along its own direction, a point is a
 * disk. The filter is a pixel wide along the line and across it, or along the radius. No source
 * says how a card computes the share; OpenGL leaves it to the implementation.
 *
 * Targets with several samples have none of this, as OpenGL wants it.
 */
#include <math.h>

#include "gr3d.h"
#include "../number.h"

#define MULTIPLE_RESULTS	1u	/* of FP_CONTROL */

/* Pixels that a border's filter reaches beyond it */
#define REACH	0.5

bool sim_gr3d_is_smooth(const u32 *st, u32 enable)
{
	return st[enable / 4] & 1 && sim_gr3d_samples(st)->count == 1;
}

void sim_gr3d_smooth_line(struct sim_draw *d, double width)
{
	struct sim_smooth *smooth = &d->smooth;
	struct sim_vertex *fan = d->fan;
	double across, x = fan[1].x - fan[0].x, y = fan[1].y - fan[0].y, length = hypot(x, y);
	u32 i;

	if (!(length > 0)) {
		d->fan_count = 0;
		return;
	}

	*smooth = (struct sim_smooth){
		.shape = SIM_SMOOTH_LINE,
		.x = fan[0].x,
		.y = fan[0].y,
		.along_x = x / length,
		.along_y = y / length,
		.length = length,
		.radius = width / 2,
	};

	for (i = 0; i < 2; i++) {
		double end = i ? REACH : -REACH;

		fan[i].x += smooth->along_x * end;
		fan[i].y += smooth->along_y * end;
	}

	fan[2] = fan[1];
	fan[3] = fan[0];
	for (i = 0; i < 4; i++) {
		across = i < 2 ? -smooth->radius - REACH : smooth->radius + REACH;
		fan[i].x -= smooth->along_y * across;
		fan[i].y += smooth->along_x * across;
	}
}

double sim_gr3d_smooth_point(struct sim_draw *d, double size)
{
	d->smooth = (struct sim_smooth){
		.shape = SIM_SMOOTH_POINT,
		.x = d->fan[0].x,
		.y = d->fan[0].y,
		.radius = size / 2,
	};
	return size + 2 * REACH;
}

/* The part of a pixel's width that a border @inside of it leaves */
static double share_of(double inside)
{
	return fmin(fmax(inside + REACH, 0), 1);
}

static double share(const struct sim_smooth *smooth, const struct sim_spot *spot)
{
	double x = (double)spot->x / SIM_SUBPIXEL - smooth->x;
	double y = (double)spot->y / SIM_SUBPIXEL - smooth->y;
	double along = x * smooth->along_x + y * smooth->along_y;
	double across = y * smooth->along_x - x * smooth->along_y;

	if (smooth->shape == SIM_SMOOTH_POINT)
		return share_of(smooth->radius - hypot(x, y));

	/* A line that is shorter than a pixel has two borders in it. */
	return share_of(smooth->radius - fabs(across)) *
	       fmax(share_of(along) + share_of(smooth->length - along) - 1, 0);
}

void sim_gr3d_smooth(const u32 *st, const struct sim_draw *d, const struct sim_spot *spot,
		     struct sim_thread *t)
{
	u32 count = st[RT_CONTROL / 4] & 0xf, i;
	float part;

	if (d->smooth.shape == SIM_SMOOTH_NONE)
		return;
	if (!(st[FP_CONTROL / 4] & MULTIPLE_RESULTS) || count < 1)
		count = 1;

	part = (float)share(&d->smooth, spot);
	if (part <= 0)
		t->killed = true;
	for (i = 0; i < count && i < 8; i++) {
		u32 *alpha = &t->r[4 * i + 3];

		*alpha = sim_float_to_bits(sim_bits_to_float(*alpha) * part);
	}
}
