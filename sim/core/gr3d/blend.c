// SPDX-License-Identifier: MIT
/*
 * Writes a pixel's colors to the targets: blending, logical operations, masks. Arithmetic
 * is in double precision and rounded once, by the format; a card's own steps are not known.
 */
#include <math.h>

#include "gr3d.h"
#include "../number.h"

#define MULTIPLE_RESULTS	1u	/* of FP_CONTROL */
#define LOGIC_COPY		0x1503

#define EQUATION_ADD		0x8006
#define EQUATION_MIN		0x8007
#define EQUATION_MAX		0x8008
#define EQUATION_SUBTRACT	0x800a
#define EQUATION_REVERSE	0x800b

/* Of BLEND_FACTOR, whose numbers have bit 14 set or not */
#define FACTOR_ZERO		0x0000
#define FACTOR_ONE		0x0001
#define FACTOR_SOURCE		0x0300
#define FACTOR_SOURCE_ALPHA	0x0302
#define FACTOR_TARGET_ALPHA	0x0304
#define FACTOR_TARGET		0x0306
#define FACTOR_SATURATE		0x0308
#define FACTOR_CONSTANT		0x8001
#define FACTOR_CONSTANT_ALPHA	0x8003
#define FACTOR_SECOND		0x8900
#define FACTOR_SECOND_ALPHA	0x8902

struct equation {
	u32 function, source, target;
};

/* Four colors, of which a factor is made */
struct inputs {
	double source[4], target[4], second[4], constant[4];
};

static double factor_value(u32 factor, const struct inputs *in, u32 i)
{
	switch (factor) {
	case FACTOR_ONE:
		return 1;
	case FACTOR_SOURCE:
		return in->source[i];
	case FACTOR_SOURCE_ALPHA:
		return in->source[3];
	case FACTOR_TARGET_ALPHA:
		return in->target[3];
	case FACTOR_TARGET:
		return in->target[i];
	case FACTOR_SATURATE:
		return i < 3 ? fmin(in->source[3], 1 - in->target[3]) : 1;
	case FACTOR_CONSTANT:
		return in->constant[i];
	case FACTOR_CONSTANT_ALPHA:
		return in->constant[3];
	case FACTOR_SECOND:
		return in->second[i];
	case FACTOR_SECOND_ALPHA:
		return in->second[3];
	}
	return 0;
}

/* The number after a factor f is 1 - f, except for 0, 1 and the saturated factor. */
static double factor(u32 number, const struct inputs *in, u32 i)
{
	u32 of = number & 0xbfff;
	bool constant = (of & 0xff00) == 0x8000;

	if (of <= FACTOR_ONE || of == FACTOR_SATURATE)
		return factor_value(of, in, i);
	if ((of & 1) == constant)
		return factor_value(of, in, i);
	return 1 - factor_value(of - 1, in, i);
}

static double blended(struct nvsim *s, const struct equation *e, const struct inputs *in, u32 i)
{
	double source = in->source[i], target = in->target[i];
	double a = source * factor(e->source, in, i), b = target * factor(e->target, in, i);

	switch (e->function) {
	case EQUATION_ADD:
		return a + b;
	case EQUATION_MIN:
		return fmin(source, target);
	case EQUATION_MAX:
		return fmax(source, target);
	case EQUATION_SUBTRACT:
		return a - b;
	case EQUATION_REVERSE:
		return b - a;
	}
	sim_gr_missing(s, NVSIM_MISSING_BLEND, "equation", e->function);
	return source;
}

static struct equation equation_at(const u32 *st, u32 function, u32 source, u32 target)
{
	return (struct equation){ st[function / 4], st[source / 4], st[target / 4] };
}

static void equations(const u32 *st, u32 rt, struct equation *color, struct equation *alpha)
{
	u32 at = IBLEND(rt);

	if (st[BLEND_INDEPENDENT / 4] & 1) {
		*color = equation_at(st, at + 4, at + 8, at + 12);
		*alpha = equation_at(st, at + 16, at + 20, at + 24);
		return;
	}
	*color = equation_at(st, BLEND_EQUATION_RGB, BLEND_FUNC_SRC_RGB, BLEND_FUNC_DST_RGB);
	*alpha = *color;
	if (st[BLEND_SEPARATE_ALPHA / 4] & 1)
		*alpha = equation_at(st, BLEND_EQUATION_ALPHA, BLEND_FUNC_SRC_ALPHA,
				     BLEND_FUNC_DST_ALPHA);
}

/* Colors as the format can hold them */
static void take(const struct sim_color_format *f, const u32 *bits, double color[4])
{
	u32 i;

	for (i = 0; i < 4; i++) {
		color[i] = sim_bits_to_float(bits[i]);
		if (f->type == CHANNEL_UNORM || f->type == CHANNEL_SRGB)
			color[i] = color[i] > 0 ? fmin(color[i], 1) : 0;
		else if (f->type == CHANNEL_SNORM)
			color[i] = color[i] > -1 ? fmin(color[i], 1) : -1;
	}
}

static void blend(struct nvsim *s, u32 rt, const struct sim_color_format *f, const u32 *results,
		  const u8 *old, u32 value[4])
{
	const u32 *st = sim_gr3d_state(s);
	struct equation color, alpha;
	struct inputs in = { 0 };
	u32 i;

	take(f, value, in.source);
	take(f, results + 4, in.second);
	take(f, st + BLEND_COLOR(0) / 4, in.constant);
	sim_color_unpack(f, old, in.target);
	equations(st, rt, &color, &alpha);
	for (i = 0; i < 4; i++)
		value[i] = sim_float_to_bits((float)blended(s, i < 3 ? &color : &alpha, &in, i));
}

/* Bit by bit: an operation's low four bits say for which of source and target it gives 1. */
static void logic(u32 op, u8 *source, const u8 *target, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++) {
		u8 a = source[i], b = target[i], result = 0;

		if (op & 1)
			result |= a & b;
		if (op & 2)
			result |= a & ~b;
		if (op & 4)
			result |= ~a & b;
		if (op & 8)
			result |= ~a & ~b;
		source[i] = result;
	}
}

static bool can_blend(const struct sim_color_format *f)
{
	return f->type != CHANNEL_UINT && f->type != CHANNEL_SINT;
}

static bool can_combine(const struct sim_color_format *f)
{
	return f->type != CHANNEL_FLOAT && f->type != CHANNEL_UFLOAT && f->type != CHANNEL_SRGB;
}

static u32 channels_of(const u32 *st, u32 rt)
{
	u32 mask = st[COLOR_MASK(st[COLOR_MASK_COMMON / 4] & 1 ? 0 : rt) / 4], channels = 0, i;

	for (i = 0; i < 4; i++)
		channels |= (mask >> 4 * i & 0xf ? 1u : 0u) << i;
	return channels;
}

static bool clamps(const u32 *st, u32 rt)
{
	return st[FRAG_COLOR_CLAMP_EN / 4] >> 4 * rt & 1;
}

static u32 clamped_color(u32 bits)
{
	float v = sim_bits_to_float(bits);

	return sim_float_to_bits(v > 0 ? fminf(v, 1) : 0);
}

static bool write_one(struct nvsim *s, u32 rt, int64_t x, int64_t y, const u32 *results,
		      const u32 color[4])
{
	const u32 *st = sim_gr3d_state(s);
	u32 channels = channels_of(st, rt), i, value[4];
	const struct sim_color_format *f;
	u8 raw[16], old[16], bits[16];
	bool blends, combines;
	struct sim_surface to;

	if (!channels || !sim_gr3d_color(s, rt, s->gr->draw.layer, &to, &f))
		return true;
	for (i = 0; i < 4; i++)
		value[i] = clamps(st, rt) && can_blend(f) ? clamped_color(color[i]) : color[i];
	combines = st[LOGIC_OP_ENABLE / 4] & 1 && st[LOGIC_OP / 4] != LOGIC_COPY && can_combine(f);
	blends = st[BLEND_ENABLE(st[BLEND_ENABLE_COMMON / 4] & 1 ? 0 : rt) / 4] & 1 && can_blend(f) &&
		 !(st[LOGIC_OP_ENABLE / 4] & 1);
	if ((blends || combines || channels != 0xf) &&
	    !sim_surface_row(s, &to, (u32)x * f->bpp, (u32)y, old, f->bpp, false))
		return false;
	if (blends)
		blend(s, rt, f, results, old, value);
	sim_color_pack(f, value, raw);
	if (combines)
		logic(st[LOGIC_OP / 4], raw, old, f->bpp);
	if (channels != 0xf)
		sim_color_mask(f, channels, bits);
	for (i = 0; channels != 0xf && i < f->bpp; i++)
		raw[i] = (old[i] & ~bits[i]) | (raw[i] & bits[i]);
	return sim_surface_row(s, &to, (u32)x * f->bpp, (u32)y, raw, f->bpp, true);
}

bool sim_gr3d_write_colors(struct nvsim *s, int64_t x, int64_t y, const struct sim_thread *t)
{
	const u32 *st = sim_gr3d_state(s);
	u32 control = st[RT_CONTROL / 4], count = control & 0xf, i, from;

	for (i = 0; i < count && i < 8; i++) {
		from = st[FP_CONTROL / 4] & MULTIPLE_RESULTS ? 4 * i : 0;
		if (!write_one(s, control >> (4 + 3 * i) & 7, x, y, t->r, t->r + from))
			return false;
	}
	return true;
}
