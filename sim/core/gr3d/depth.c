// SPDX-License-Identifier: MIT
/* Tests of a pixel in front of the color targets: alpha, stencil, depth. */
#include <math.h>

#include "gr3d.h"
#include "../number.h"

#define FUNC_NEVER	0x200		/* GL's; those of D3D begin at 1 */

#define OP_ZERO		0
#define OP_INVERT	0x150a
#define OP_KEEP		0x1e00
#define OP_REPLACE	0x1e01
#define OP_INCREMENT	0x1e02
#define OP_DECREMENT	0x1e03
#define OP_WRAP_UP	0x8507
#define OP_WRAP_DOWN	0x8508

#define EXPORTS_Z	(1u << 8)	/* of FP_CONTROL */
#define CLAMPS_DEPTH	(3u << 3)	/* of VIEW_VOLUME_CLIP_CTRL: near, far */

/* The stencil test of one face */
struct stencil {
	u32 fail, zfail, zpass, function, reference, mask, function_mask;
};

/* A function is the set of relations at which it holds: less 1, equal 2, greater 4. */
static bool compare(u32 function, double is, double reference)
{
	u32 holds = function >= FUNC_NEVER ? function & 7 : (function - 1) & 7;

	if (is < reference)
		return holds & 1;
	return holds & (is > reference ? 4 : 2);
}

bool sim_gr3d_alpha_test(const u32 *st, const struct sim_thread *t)
{
	if (!(st[ALPHA_TEST_ENABLE / 4] & 1))
		return true;
	return compare(st[ALPHA_TEST_FUNC / 4], sim_bits_to_float(t->r[3]),
		       sim_bits_to_float(st[ALPHA_TEST_REF / 4]));
}

/* --- depth --- */

/* Without near and far planes the depth range clips. */
static double clamped_depth(const u32 *st, u32 viewport, double z)
{
	double near = sim_bits_to_float(st[DEPTH_RANGE_NEAR(viewport) / 4]);
	double far = sim_bits_to_float(st[DEPTH_RANGE_FAR(viewport) / 4]);

	return fmin(fmax(z, fmin(near, far)), fmax(near, far));
}

double sim_gr3d_depth_of(struct nvsim *s, const struct sim_thread *t, double z)
{
	const u32 *st = sim_gr3d_state(s);
	u32 at = st[FP_RESULT_COUNT / 4] - 1;

	if (st[FP_CONTROL / 4] & EXPORTS_Z && at < SIM_REGISTERS)
		z = sim_bits_to_float(t->r[at]);
	if (st[VIEW_VOLUME_CLIP_CTRL / 4] & CLAMPS_DEPTH)
		z = clamped_depth(st, s->gr->draw.viewport, z);
	return z;
}

double sim_gr3d_depth_offset(const u32 *st, const struct sim_vertex corner[3])
{
	double factor = sim_bits_to_float(st[POLYGON_OFFSET_FACTOR / 4]), step, offset, most;
	double units = sim_bits_to_float(st[POLYGON_OFFSET_UNITS / 4]), dx, dy;
	const struct sim_zeta_format *f = sim_zeta_format(st[ZETA_FORMAT / 4]);
	const struct sim_vertex *c = corner;
	double ax = c[1].x - c[0].x, ay = c[1].y - c[0].y, bx = c[2].x - c[0].x;
	double by = c[2].y - c[0].y, az = c[1].z - c[0].z, bz = c[2].z - c[0].z;

	if (!f)
		return 0;
	dx = (az * by - bz * ay) / (ax * by - bx * ay);
	dy = (bz * ax - az * bx) / (ax * by - bx * ay);
	step = ldexp(1, -(int)f->z_bits);
	if (f->is_float)
		step = ldexp(1, ilogb(fmax(fmax(c[0].z, c[1].z), fmax(c[2].z, 1e-30))) - 23);
	offset = factor * fmax(fabs(dx), fabs(dy)) + units * step;
	most = sim_bits_to_float(st[POLYGON_OFFSET_CLAMP / 4]);
	if (most > 0)
		offset = fmin(offset, most);
	else if (most < 0)
		offset = fmax(offset, most);
	return isfinite(offset) ? offset : 0;
}

static u32 depth_bits(const struct sim_zeta_format *f, double z)
{
	double v = z > 0 ? fmin(z, 1) : 0;

	if (f->is_float)
		return sim_float_to_bits((float)v);
	return (u32)(v * (double)((1ull << f->z_bits) - 1) + 0.5);
}

/* --- stencil --- */

static struct stencil stencil_of(const u32 *st, bool front)
{
	struct stencil s = {
		.fail = st[STENCIL_FRONT_OP_FAIL / 4],
		.zfail = st[STENCIL_FRONT_OP_ZFAIL / 4],
		.zpass = st[STENCIL_FRONT_OP_ZPASS / 4],
		.function = st[STENCIL_FRONT_FUNC_FUNC / 4],
		.reference = st[STENCIL_FRONT_FUNC_REF / 4],
		.mask = st[STENCIL_FRONT_MASK / 4],
		.function_mask = st[STENCIL_FRONT_FUNC_MASK / 4],
	};

	if (front || !(st[STENCIL_TWO_SIDE_ENABLE / 4] & 1))
		return s;
	s.fail = st[STENCIL_BACK_OP_FAIL / 4];
	s.zfail = st[STENCIL_BACK_OP_ZFAIL / 4];
	s.zpass = st[STENCIL_BACK_OP_ZPASS / 4];
	s.function = st[STENCIL_BACK_FUNC_FUNC / 4];
	s.reference = st[STENCIL_BACK_FUNC_REF / 4];
	s.mask = st[STENCIL_BACK_MASK / 4];
	s.function_mask = st[STENCIL_BACK_FUNC_MASK / 4];
	return s;
}

static u32 operate(struct nvsim *s, u32 op, u32 old, u32 reference)
{
	switch (op) {
	case OP_ZERO:
		return 0;
	case OP_INVERT:
		return ~old & 0xff;
	case OP_KEEP:
		return old;
	case OP_REPLACE:
		return reference & 0xff;
	case OP_INCREMENT:
		return old < 0xff ? old + 1 : old;
	case OP_DECREMENT:
		return old ? old - 1 : 0;
	case OP_WRAP_UP:
		return (old + 1) & 0xff;
	case OP_WRAP_DOWN:
		return (old - 1) & 0xff;
	}
	sim_gr_missing(s, NVSIM_MISSING_STENCIL, "operation", op);
	return old;
}

/* --- both --- */

static u64 get_le(const u8 *raw, u32 bytes)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < bytes; i++)
		v |= (u64)raw[i] << 8 * i;
	return v;
}

static void put_field(u64 *word, u32 shift, u64 mask, u32 value)
{
	*word = (*word & ~(mask << shift)) | (value & mask) << shift;
}

/* Whether DEPTH_BOUNDS, as numbers of the depth format, let the depth in memory pass */
static bool within_bounds(const u32 *st, const struct sim_zeta_format *f, u32 old)
{
	if (!(st[DEPTH_BOUNDS_EN / 4] & 1))
		return true;
	return old >= depth_bits(f, sim_bits_to_float(st[DEPTH_BOUNDS(0) / 4])) &&
	       old <= depth_bits(f, sim_bits_to_float(st[DEPTH_BOUNDS(1) / 4]));
}

/* The pixel's new word; whether it passes */
static bool test(struct nvsim *s, const struct sim_zeta_format *f, double z, u64 *word)
{
	const u32 *st = sim_gr3d_state(s);
	u64 z_mask = (1ull << f->z_bits) - 1;
	u32 old_z = *word >> f->z_shift & z_mask, old = *word >> f->s_shift & 0xff, new_z, op;
	bool stencil_on = st[STENCIL_ENABLE / 4] & 1 && f->s_bits;
	bool depth_on = st[DEPTH_TEST_ENABLE / 4] & 1, passes = true;
	struct stencil m = stencil_of(st, s->gr->draw.front);

	if (!within_bounds(st, f, old_z))
		return false;
	op = m.zpass;
	new_z = depth_bits(f, z);
	if (stencil_on && !compare(m.function, m.reference & m.function_mask & 0xff,
				   old & m.function_mask)) {
		op = m.fail;
		passes = false;
	} else if (depth_on && !compare(st[DEPTH_TEST_FUNC / 4], new_z, old_z)) {
		op = m.zfail;
		passes = false;
	}
	if (passes && depth_on && st[DEPTH_WRITE_ENABLE / 4] & 1)
		put_field(word, f->z_shift, z_mask, new_z);
	if (stencil_on)
		put_field(word, f->s_shift, m.mask & 0xff, operate(s, op, old, m.reference) & m.mask);
	return passes;
}

bool sim_gr3d_depth_test(struct nvsim *s, int64_t x, int64_t y, double z, bool *fault)
{
	const u32 *st = sim_gr3d_state(s);
	const struct sim_zeta_format *format;
	struct sim_surface f;
	u64 word, old;
	bool passes;
	u8 raw[8];
	u32 i;

	*fault = false;
	if (!(st[ZETA_ENABLE / 4] & 1) ||
	    !((st[DEPTH_TEST_ENABLE / 4] | st[STENCIL_ENABLE / 4] | st[DEPTH_BOUNDS_EN / 4]) & 1))
		return true;
	if (!sim_gr3d_zeta(s, s->gr->draw.layer, &f, &format)) {
		sim_gr_missing(s, NVSIM_MISSING_ZETA, "format", st[ZETA_FORMAT / 4]);
		return true;
	}
	*fault = !sim_surface_row(s, &f, (u32)x * format->bpp, (u32)y, raw, format->bpp, false);
	if (*fault)
		return false;
	old = get_le(raw, format->bpp);
	word = old;
	passes = test(s, format, z, &word);
	if (word == old)
		return passes;
	for (i = 0; i < format->bpp; i++)
		raw[i] = word >> 8 * i;
	*fault = !sim_surface_row(s, &f, (u32)x * format->bpp, (u32)y, raw, format->bpp, true);
	return passes && !*fault;
}
