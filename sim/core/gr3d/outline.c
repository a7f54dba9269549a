// SPDX-License-Identifier: MIT
/*
 * Polygons drawn as lines or points: POLYGON_MODE. The face is that of the polygon's visible part.
 * Each edge is then clipped and drawn as a line by itself, each corner as a point. An edge that
 * clipping makes is not drawn.
 */
#include "gr3d.h"

#define MODE_POINT	0x1b00
#define MODE_LINE	0x1b01

#define FRONT_CW	0x900

static u32 mode_of(const u32 *st, bool front)
{
	return st[(front ? POLYGON_MODE_FRONT : POLYGON_MODE_BACK) / 4];
}

static bool is_thin(u32 mode)
{
	return mode == MODE_POINT || mode == MODE_LINE;
}

/* Twice the area of the fan; as seen on the screen, clockwise is positive. */
static double fan_area(const struct sim_draw *d)
{
	double area = 0;
	u32 i;

	for (i = 0; i < d->fan_count; i++) {
		const struct sim_vertex *a = &d->fan[i], *b = &d->fan[(i + 1) % d->fan_count];

		area += a->x * b->y - b->x * a->y;
	}
	return area;
}

static double offset_of(const u32 *st, const struct sim_draw *d)
{
	u32 enable = d->outline_points ? POLYGON_OFFSET_POINT_ENABLE : POLYGON_OFFSET_LINE_ENABLE;

	return st[enable / 4] & 1 ? sim_gr3d_depth_offset(st, d->fan) : 0;
}

bool sim_gr3d_outlines(struct nvsim *s, const struct sim_vertex *const *v, u32 count,
		       const struct sim_vertex *provoking, u32 edges)
{
	const u32 *st = sim_gr3d_state(s);
	struct sim_draw *d = &s->gr->draw;
	bool front;
	u32 i, mode;

	d->outlined = false;
	d->outline_left = 0;
	if (!is_thin(mode_of(st, true)) && !is_thin(mode_of(st, false)))
		return false;
	front = (fan_area(d) > 0) == (st[FRONT_FACE / 4] == FRONT_CW);
	mode = mode_of(st, front);
	if (!is_thin(mode))
		return false;

	d->outline_points = mode == MODE_POINT;
	d->outline_front = front;
	d->outline_offset = d->fan_count >= 3 ? offset_of(st, d) : 0;
	d->outlined = true;
	d->outline_count = count;
	for (i = 0; i < count; i++)
		d->outline[i] = *v[i];
	d->outline_flat = *provoking;
	if (d->fan_count >= 3 && !sim_gr3d_is_culled(st, front))
		d->outline_left = edges & ((1u << count) - 1);
	d->fan_count = 0;
	if (!(edges & SIM_EDGES_ONLY))
		d->open.stipple_next = 0;
	return true;
}

void sim_gr3d_next_outline(struct nvsim *s)
{
	struct sim_draw *d = &s->gr->draw;
	u32 i = 0;

	while (!(d->outline_left >> i & 1))
		i++;
	d->outline_left &= ~(1u << i);
	if (!d->outline_points) {
		sim_gr3d_line(s, &d->outline[i], &d->outline[(i + 1) % d->outline_count],
			      &d->outline_flat);
		return;
	}
	sim_gr3d_point(s, &d->outline[i]);
	/* The polygon's corner provokes, not the point's own. */
	memcpy(d->flat, d->outline_flat.result, sizeof(d->flat));
}
