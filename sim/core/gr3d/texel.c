// SPDX-License-Identifier: MIT
/*
 * Formats of texels. A texture header gives the sizes and types of the components. It says which
 * of them the program gets as x, y, z and w.
 */
#include <math.h>

#include "gr3d.h"
#include "../number.h"

#define FORMAT_SHARED_EXPONENT	0x20

#define TYPE_SNORM	1
#define TYPE_UNORM	2
#define TYPE_SINT	3
#define TYPE_UINT	4
#define TYPE_SNORM_HALF	5	/* the same numbers, kept in half precision */
#define TYPE_UNORM_HALF	6
#define TYPE_FLOAT	7

#define SOURCE_FIRST	2	/* red; then green, blue, alpha */
#define SOURCE_ONE_INT	6
#define SOURCE_ONE	7

static const struct sim_texel_format formats[] = {
	{ 0x01, 16, { 32, 32, 32, 32 }, { 0, 32, 64, 96 } },
	{ 0x03, 8, { 16, 16, 16, 16 }, { 0, 16, 32, 48 } },
	{ 0x04, 8, { 32, 32, 0, 0 }, { 0, 32, 0, 0 } },
	{ 0x05, 8, { 32, 8, 24, 0 }, { 0, 32, 40, 0 } },
	{ 0x07, 4, { 8, 8, 8, 0 }, { 0, 8, 16, 0 } },
	{ 0x08, 4, { 8, 8, 8, 8 }, { 0, 8, 16, 24 } },
	{ 0x09, 4, { 10, 10, 10, 2 }, { 0, 10, 20, 30 } },
	{ 0x0c, 4, { 16, 16, 0, 0 }, { 0, 16, 0, 0 } },
	{ 0x0d, 4, { 24, 8, 0, 0 }, { 0, 24, 0, 0 } },
	{ 0x0e, 4, { 8, 24, 0, 0 }, { 0, 8, 0, 0 } },
	{ 0x0f, 4, { 32, 0, 0, 0 }, { 0, 0, 0, 0 } },
	{ 0x12, 2, { 4, 4, 4, 4 }, { 0, 4, 8, 12 } },
	{ 0x13, 2, { 1, 5, 5, 5 }, { 0, 1, 6, 11 } },
	{ 0x14, 2, { 5, 5, 5, 1 }, { 0, 5, 10, 15 } },
	{ 0x15, 2, { 5, 6, 5, 0 }, { 0, 5, 11, 0 } },
	{ 0x16, 2, { 5, 5, 6, 0 }, { 0, 5, 10, 0 } },
	{ 0x18, 2, { 8, 8, 0, 0 }, { 0, 8, 0, 0 } },
	{ 0x1b, 2, { 16, 0, 0, 0 }, { 0, 0, 0, 0 } },
	{ 0x1d, 1, { 8, 0, 0, 0 }, { 0, 0, 0, 0 } },
	{ 0x1e, 1, { 4, 4, 0, 0 }, { 0, 4, 0, 0 } },
	{ FORMAT_SHARED_EXPONENT, 4, { 9, 9, 9, 5 }, { 0, 9, 18, 27 } },
	{ 0x21, 4, { 11, 11, 10, 0 }, { 0, 11, 22, 0 } },
	{ SIM_TEXEL_DXT1, 8, { 0 }, { 0 } },
	{ SIM_TEXEL_DXT3, 16, { 0 }, { 0 } },
	{ SIM_TEXEL_DXT5, 16, { 0 }, { 0 } },
	{ SIM_TEXEL_RGTC1, 8, { 0 }, { 0 } },
	{ SIM_TEXEL_RGTC2, 16, { 0 }, { 0 } },
	/* depth and stencil */
	{ 0x29, 4, { 8, 24, 0, 0 }, { 0, 8, 0, 0 } },
	{ 0x2a, 4, { 24, 0, 0, 0 }, { 0, 0, 0, 0 } },
	{ 0x2b, 4, { 24, 8, 0, 0 }, { 0, 24, 0, 0 } },
	{ 0x2f, 4, { 32, 0, 0, 0 }, { 0, 0, 0, 0 } },
	{ 0x30, 8, { 32, 8, 0, 0 }, { 0, 32, 0, 0 } },
	{ 0x3a, 2, { 16, 0, 0, 0 }, { 0, 0, 0, 0 } },
};

const struct sim_texel_format *sim_texel_format(u32 id)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(formats); i++) {
		if (formats[i].id == id)
			return &formats[i];
	}
	return NULL;
}

bool sim_texel_is_compressed(const struct sim_texel_format *f)
{
	return f->id >= SIM_TEXEL_DXT1 && f->id <= SIM_TEXEL_RGTC2;
}

/* At most 32 bits of a texel */
static u32 field(const u8 *raw, u32 shift, u32 bits)
{
	u64 v = 0;
	u32 i;

	for (i = shift / 8; i <= (shift + bits - 1) / 8; i++)
		v |= (u64)raw[i] << 8 * (i - shift / 8);

	return (u32)(v >> shift % 8 & ((1ull << bits) - 1));
}

static double signed_field(u32 v, u32 bits)
{
	u32 sign = 1u << (bits - 1);

	return (double)v - (v & sign ? 2.0 * sign : 0);
}

static float small_float(u32 v, u32 bits)
{
	if (bits == 32)
		return sim_bits_to_float(v);
	/* Floats of 11 and 10 bits are half precision without a sign, and cut. */
	return sim_half_to_float(bits < 16 ? v << (15 - bits) : v);
}

/* A component as a program gets it: a float's bits, or an integer */
static u32 component(u32 type, u32 bits, u32 v)
{
	double most = (double)((1ull << bits) - 1), low = (double)((1ull << (bits - 1)) - 1);

	switch (type) {
	case TYPE_SNORM:
	case TYPE_SNORM_HALF:
		return sim_float_to_bits((float)fmax(signed_field(v, bits) / fmax(low, 1), -1));
	case TYPE_UNORM:
	case TYPE_UNORM_HALF:
		return sim_float_to_bits((float)(v / most));
	case TYPE_SINT:
		return (u32)(int64_t)signed_field(v, bits);
	case TYPE_FLOAT:
		return sim_float_to_bits(small_float(v, bits));
	}
	return v;
}

static u32 shared_exponent(u32 v, u32 exponent)
{
	return sim_float_to_bits(ldexpf((float)v, (int)exponent - 15 - 9));
}

static u32 source(u32 header, u32 which, const u32 value[4])
{
	u32 from = header >> (18 + 3 * which) & 7;

	if (from >= SOURCE_FIRST && from < SOURCE_FIRST + 4)
		return value[from - SOURCE_FIRST];
	if (from == SOURCE_ONE)
		return sim_float_to_bits(1);
	return from == SOURCE_ONE_INT;
}

bool sim_texel_is_constant(u32 header, u32 which)
{
	u32 from = header >> (18 + 3 * which) & 7;

	return from < SOURCE_FIRST || from >= SOURCE_FIRST + 4;
}

static void unpack_compressed(const struct sim_texel_format *f, u32 header, bool srgb,
			      const u8 *raw, u32 texel, u32 value[4])
{
	double color[4];
	u32 i;

	sim_texel_decompress(f->id, (header >> 6 & 7) == TYPE_SNORM, raw, texel, color);
	for (i = 0; i < 4; i++) {
		if (srgb && i < 3)
			color[i] = sim_srgb_to_linear((float)color[i]);
		value[i] = sim_float_to_bits((float)color[i]);
	}
}

/*
 * sRGB is of red, green and blue. The second of two components is taken for alpha, as Mesa's
 * L8A8_SRGB has it; no document describes the card.
 */
static bool may_be_srgb(const struct sim_texel_format *f, u32 i)
{
	if (i && !f->bits[2])
		return false;
	return i < 3 && f->bits[i] == 8;
}

void sim_texel_unpack(const struct sim_texel_format *f, u32 header, bool srgb, const u8 *raw,
		      u32 texel, u32 value[4])
{
	u32 i, type, all[4] = { 0 };

	if (sim_texel_is_compressed(f))
		unpack_compressed(f, header, srgb, raw, texel, all);
	for (i = 0; i < 4; i++) {
		type = header >> (6 + 3 * i) & 7;
		if (!f->bits[i])
			continue;
		all[i] = field(raw, f->shift[i], f->bits[i]);
		if (f->id != FORMAT_SHARED_EXPONENT)
			all[i] = component(type, f->bits[i], all[i]);
		if (srgb && may_be_srgb(f, i))
			all[i] = sim_float_to_bits(sim_srgb_to_linear(sim_bits_to_float(all[i])));
	}
	if (f->id == FORMAT_SHARED_EXPONENT) {
		for (i = 0; i < 3; i++)
			all[i] = shared_exponent(all[i], all[3]);
		all[3] = sim_float_to_bits(1);
	}
	for (i = 0; i < 4; i++)
		value[i] = source(header, i, all);
}
