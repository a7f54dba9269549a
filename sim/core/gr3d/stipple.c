// SPDX-License-Identifier: MIT
/*
 * Stipple. A line's pixels are counted along the axis that it follows more. The count begins with
 * the strip or the polygon; the pattern says which are drawn. A polygon's pattern covers the
 * target, 32 x 32 pixels again and again. Its words are as Mesa packs OpenGL's bytes: the first
 * byte is the lowest one, and the leftmost pixel its highest bit. Clip rectangles hide pixels in
 * the same way.
 */
#include <math.h>

#include "gr3d.h"

#define PRIMITIVE_LINES	1

#define FURTHEST	1e6	/* pixels */

#define CLIP_RECTS		8
#define RECTS_INSIDE_ANY	0	/* of CLIP_RECTS_MODE */
#define RECTS_OUTSIDE_ALL	1

/* As the rasteriser places it, which draws nothing that is further outside */
static double snapped(double v)
{
	return fabs(v) < FURTHEST ? rint(v * 256) / 256 : 0;
}

void sim_gr3d_stipple_line(struct nvsim *s, const struct sim_vertex ends[2])
{
	double x = ends[1].x - ends[0].x, y = ends[1].y - ends[0].y, first, last;
	struct sim_draw *d = &s->gr->draw;

	d->stipple_by_y = fabs(y) > fabs(x);
	first = snapped(d->stipple_by_y ? ends[0].y : ends[0].x) - 0.5;
	last = snapped(d->stipple_by_y ? ends[1].y : ends[1].x) - 0.5;
	if (d->open.primitive == PRIMITIVE_LINES)
		d->open.stipple_next = 0;

	/* The pixels whose middles lie between the ends, that of the first one included */
	d->stipple_done = d->open.stipple_next;
	d->stipple_backward = last < first;
	if (d->stipple_backward) {
		d->stipple_first = llrint(floor(first));
		d->open.stipple_next += d->stipple_first - llrint(floor(last));
	} else {
		d->stipple_first = llrint(ceil(first));
		d->open.stipple_next += llrint(ceil(last)) - d->stipple_first;
	}
}

static bool is_line(const struct sim_draw *d)
{
	return d->outlined ? !d->outline_points : d->of_lines;
}

static bool is_stippled(const u32 *st, const struct sim_draw *d)
{
	if (!d->thin)
		return st[POLYGON_STIPPLE_ENABLE / 4] & 1;
	return is_line(d) && st[LINE_STIPPLE_ENABLE / 4] & 1;
}

bool sim_gr3d_may_hide(const u32 *st, const struct sim_draw *d)
{
	return is_stippled(st, d) || st[CLIP_RECTS_EN / 4] & 1;
}

static bool line_has(const u32 *st, const struct sim_draw *d, int64_t x, int64_t y)
{
	u32 pattern = st[LINE_STIPPLE / 4] >> 8 & 0xffff, factor = (st[LINE_STIPPLE / 4] & 0xff) + 1;
	int64_t n = (d->stipple_by_y ? y : x) - d->stipple_first;

	if (d->stipple_backward)
		n = -n;
	n += d->stipple_done;
	return n >= 0 && pattern >> n / factor % 16 & 1;
}

static bool polygon_has(const u32 *st, int64_t x, int64_t y)
{
	u32 column = (u32)x % 32, word = st[POLYGON_STIPPLE_PATTERN((u32)y % 32) / 4];

	return word >> (column / 8 * 8 + 7 - column % 8) & 1;
}

/* Pixels in one of the rectangles are drawn, or those in none of them. */
static bool rectangles_have(const u32 *st, int64_t x, int64_t y)
{
	bool inside = false;
	u32 i, h, v;

	for (i = 0; i < CLIP_RECTS; i++) {
		h = st[CLIP_RECT_HORIZ(i) / 4];
		v = st[CLIP_RECT_VERT(i) / 4];
		inside |= x >= (h & 0xffff) && x < h >> 16 && y >= (v & 0xffff) && y < v >> 16;
	}
	if (st[CLIP_RECTS_MODE / 4] == RECTS_OUTSIDE_ALL)
		return !inside;
	return inside && st[CLIP_RECTS_MODE / 4] == RECTS_INSIDE_ANY;
}

bool sim_gr3d_hides(const u32 *st, const struct sim_draw *d, int64_t x, int64_t y)
{
	if (st[CLIP_RECTS_EN / 4] & 1 && !rectangles_have(st, x, y))
		return true;
	if (!is_stippled(st, d))
		return false;
	return d->thin ? !line_has(st, d, x, y) : !polygon_has(st, x, y);
}
