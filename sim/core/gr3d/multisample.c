// SPDX-License-Identifier: MIT
/*
 * Pixels with several samples. A pixel is a block of samples in memory, whose places in the pixel
 * envytools' page on surfaces gives. The program runs once for a pixel, or from the GT215 on for
 * each sample. Coverage, depth and stencil belong to samples. Coverage samples (CSAA) are not
 * modelled, and so are their modes drawn with the full samples only. Which samples a card takes
 * for a value of alpha is not known: here they are the first ones.
 */
#include <math.h>

#include "gr3d.h"
#include "../number.h"

#define ALPHA_TO_COVERAGE	1u	/* of MULTISAMPLE_CTRL */
#define ALPHA_TO_ONE		(1u << 4)
#define SHADING_ENABLE		(1u << 4)	/* of SAMPLE_SHADING */
#define EXPORT_MASK		1u	/* of FP_MULTISAMPLE */
#define PER_SAMPLE		2u
#define EXPORTS_Z		(1u << 8)	/* of FP_CONTROL */

#define STEP	(SIM_SUBPIXEL / 16)	/* of places */

/* Four pixels at work */
struct quad {
	int64_t x, y;
	struct sim_spot middle[SIM_QUAD], spot[SIM_QUAD][SIM_PIXEL_SAMPLES];
	bool inside[SIM_QUAD];		/* the middle is the triangle's */
	u32 cover[SIM_QUAD];		/* samples of the triangle, a bit for each */
	struct sim_thread t[SIM_QUAD];
	u32 centroid[SIM_QUAD][SIM_ATTRIBUTES];
};

static u32 all_of(const struct sim_samples *m)
{
	return (1u << m->count) - 1;
}

static int64_t column(const struct quad *q, u32 i)
{
	return q->x + (i & 1);
}

static int64_t row(const struct quad *q, u32 i)
{
	return q->y + (i >> 1);
}

/* --- coverage --- */

static void cover_samples(const u32 *st, const struct sim_draw *d, struct quad *q, u32 i)
{
	const struct sim_samples *m = sim_gr3d_samples(st);
	u32 k;

	for (k = 0; k < m->count; k++) {
		struct sim_spot *spot = &q->spot[i][k];

		spot->x = column(q, i) * SIM_SUBPIXEL + m->place[k].x * STEP;
		spot->y = row(q, i) * SIM_SUBPIXEL + m->place[k].y * STEP;
		q->cover[i] |= (sim_gr3d_covers(d, spot) ? 1u : 0) << k;
		spot->z = sim_gr3d_spot_depth(d, spot);
	}
	q->cover[i] &= st[MSAA_MASK(i) / 4];
}

/* Without MULTISAMPLE_ENABLE all samples are as the pixel's middle is. */
static void cover_middle(const u32 *st, struct quad *q, u32 i)
{
	u32 k;

	for (k = 0; k < SIM_PIXEL_SAMPLES; k++)
		q->spot[i][k] = q->middle[i];
	if (q->inside[i])
		q->cover[i] = all_of(sim_gr3d_samples(st));
}

/* False if the quad has no samples of the triangle */
static bool cover(const u32 *st, const struct sim_draw *d, struct quad *q)
{
	bool differ = sim_gr3d_samples_differ(st), any = false;
	const int64_t *b = d->bounds;
	u32 i;

	for (i = 0; i < SIM_QUAD; i++) {
		int64_t x = column(q, i), y = row(q, i);

		q->cover[i] = 0;
		q->middle[i].x = x * SIM_SUBPIXEL + SIM_SUBPIXEL / 2;
		q->middle[i].y = y * SIM_SUBPIXEL + SIM_SUBPIXEL / 2;
		q->inside[i] = sim_gr3d_covers(d, &q->middle[i]);
		q->middle[i].z = sim_gr3d_spot_depth(d, &q->middle[i]);
		if (differ)
			cover_samples(st, d, q, i);
		else
			cover_middle(st, q, i);
		if (x < b[0] || x >= b[2] || y < b[1] || y >= b[3] ||
		    (d->may_hide && sim_gr3d_hides(st, d, x, y)))
			q->cover[i] = 0;
		any |= q->cover[i] != 0;
	}
	return any;
}

/* --- tests and colors --- */

static u32 by_alpha(const u32 *st, const struct sim_thread *t)
{
	float alpha = sim_bits_to_float(t->r[3]), count = sim_gr3d_samples(st)->count;

	if (!(alpha > 0))
		return 0;
	return (1u << (u32)(fminf(alpha, 1) * count + 0.5f)) - 1;
}

/* The program's own mask comes after its colors, and before its depth. */
static u32 by_program(const u32 *st, const struct sim_thread *t)
{
	u32 at = st[FP_RESULT_COUNT / 4] - 1;

	if (st[FP_CONTROL / 4] & EXPORTS_Z)
		at--;
	return at < SIM_REGISTERS ? t->r[at] : ~0u;
}

/* Of all colors, the second one of a blending with two included */
static void set_alpha(const u32 *st, struct sim_thread *t)
{
	u32 i, count = st[FP_RESULT_COUNT / 4];

	for (i = 3; i < count && i < 32; i += 4)
		t->r[i] = sim_float_to_bits(1);
}

/* The samples of @mask. False if the draw is over: a fault */
static bool write_pixel(struct nvsim *s, struct quad *q, u32 i, u32 mask)
{
	u32 *st = sim_gr3d_state(s), control = 0, k;
	const struct sim_samples *m = sim_gr3d_samples(st);
	struct sim_thread *t = &q->t[i];
	bool fault = false;

	if (!sim_gr3d_alpha_test(st, t))
		return true;
	if (sim_gr3d_samples_differ(st))
		control = st[MULTISAMPLE_CTRL / 4];
	if (control & ALPHA_TO_COVERAGE)
		mask &= by_alpha(st, t);
	if (st[FP_MULTISAMPLE / 4] & EXPORT_MASK && s->chip >= NV_CHIP_GT215)
		mask &= by_program(st, t);
	if (control & ALPHA_TO_ONE)
		set_alpha(st, t);
	for (k = 0; k < m->count && !fault; k++) {
		int64_t x = column(q, i) << m->log_x | m->place[k].column;
		int64_t y = row(q, i) << m->log_y | m->place[k].row;

		if (!(mask >> k & 1))
			continue;
		if (!sim_gr3d_depth_test(s, x, y, sim_gr3d_depth_of(s, t, q->spot[i][k].z), &fault))
			continue;
		sim_gr3d_count_sample(st);
		fault = !sim_gr3d_write_colors(s, x, y, t);
	}
	if (fault)
		sim_gr3d_target_fault(s);
	return !fault;
}

/* --- programs --- */

/* Position of "centroid": the sample, or the first covered one if the middle is outside */
static const struct sim_spot *centroid(const u32 *st, const struct quad *q, u32 i, u32 samples)
{
	u32 k = 0;

	if (samples == all_of(sim_gr3d_samples(st))) {
		if (q->inside[i] || !q->cover[i])
			return &q->middle[i];
		samples = q->cover[i];
	}
	while (!(samples >> k & 1))
		k++;
	return &q->spot[i][k];
}

/* Run the program for the samples @samples of each pixel, the first of which is @first. */
static bool shade(struct nvsim *s, struct quad *q, u32 samples, u32 first)
{
	u32 *st = sim_gr3d_state(s), count = 0, i;
	const struct sim_draw *d = &s->gr->draw;

	memset(q->t, 0, sizeof(q->t));
	for (i = 0; i < SIM_QUAD; i++) {
		struct sim_thread *t = &q->t[i];

		t->program = SIM_PROGRAM_FP;
		t->face = d->front ? ~0u : 0;
		t->sample = first;
		t->helper = !(q->cover[i] & samples);
		count += t->helper ? 0 : 1;
		sim_gr3d_interpolants(st, d, &q->middle[i], t->in);
		sim_gr3d_interpolants(st, d, centroid(st, q, i, samples), q->centroid[i]);
		t->centroid = q->centroid[i];
	}
	if (!count)
		return true;
	sim_gr3d_count(st, SIM_COUNT_PIXELS, count);
	if (!sim_gr3d_run(s, q->t, SIM_QUAD))
		return false;
	for (i = 0; i < SIM_QUAD; i++) {
		if (!q->t[i].helper && !q->t[i].killed &&
		    !write_pixel(s, q, i, q->cover[i] & samples))
			return false;
	}
	return true;
}

static bool is_per_sample(const struct nvsim *s, const u32 *st)
{
	return s->chip >= NV_CHIP_GT215 && sim_gr3d_samples_differ(st) &&
	       (st[SAMPLE_SHADING / 4] & SHADING_ENABLE || st[FP_MULTISAMPLE / 4] & PER_SAMPLE);
}

bool sim_gr3d_quad_of_samples(struct nvsim *s, int64_t x, int64_t y)
{
	const u32 *st = sim_gr3d_state(s);
	struct quad q = { .x = x, .y = y };
	u32 k, count = sim_gr3d_samples(st)->count;

	if (!cover(st, &s->gr->draw, &q))
		return true;
	if (!is_per_sample(s, st))
		return shade(s, &q, all_of(sim_gr3d_samples(st)), 0);
	for (k = 0; k < count; k++) {
		if (!shade(s, &q, 1u << k, k))
			return false;
	}
	return true;
}
