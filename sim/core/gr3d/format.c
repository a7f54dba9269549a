// SPDX-License-Identifier: MIT
/* Formats of render targets and of depth and stencil. */
#include <math.h>

#include "gr3d.h"
#include "../number.h"

/* By RT_FORMAT; unknown ones have no bytes. */
static const struct sim_color_format color_formats[] = {
	[0xc0] = { 16, CHANNEL_FLOAT, { 32, 32, 32, 32 }, { 0, 32, 64, 96 } },
	[0xc1] = { 16, CHANNEL_SINT, { 32, 32, 32, 32 }, { 0, 32, 64, 96 } },
	[0xc2] = { 16, CHANNEL_UINT, { 32, 32, 32, 32 }, { 0, 32, 64, 96 } },
	[0xc3] = { 16, CHANNEL_FLOAT, { 32, 32, 32, 0 }, { 0, 32, 64, 96 } },
	[0xc4] = { 16, CHANNEL_SINT, { 32, 32, 32, 0 }, { 0, 32, 64, 96 } },
	[0xc5] = { 16, CHANNEL_UINT, { 32, 32, 32, 0 }, { 0, 32, 64, 96 } },
	[0xc6] = { 8, CHANNEL_UNORM, { 16, 16, 16, 16 }, { 0, 16, 32, 48 } },
	[0xc7] = { 8, CHANNEL_SNORM, { 16, 16, 16, 16 }, { 0, 16, 32, 48 } },
	[0xc8] = { 8, CHANNEL_SINT, { 16, 16, 16, 16 }, { 0, 16, 32, 48 } },
	[0xc9] = { 8, CHANNEL_UINT, { 16, 16, 16, 16 }, { 0, 16, 32, 48 } },
	[0xca] = { 8, CHANNEL_FLOAT, { 16, 16, 16, 16 }, { 0, 16, 32, 48 } },
	[0xcb] = { 8, CHANNEL_FLOAT, { 32, 32, 0, 0 }, { 0, 32, 0, 0 } },
	[0xcc] = { 8, CHANNEL_SINT, { 32, 32, 0, 0 }, { 0, 32, 0, 0 } },
	[0xcd] = { 8, CHANNEL_UINT, { 32, 32, 0, 0 }, { 0, 32, 0, 0 } },
	[0xce] = { 8, CHANNEL_FLOAT, { 16, 16, 16, 0 }, { 0, 16, 32, 48 } },
	[0xcf] = { 4, CHANNEL_UNORM, { 8, 8, 8, 8 }, { 16, 8, 0, 24 } },
	[0xd0] = { 4, CHANNEL_SRGB, { 8, 8, 8, 8 }, { 16, 8, 0, 24 } },
	[0xd1] = { 4, CHANNEL_UNORM, { 10, 10, 10, 2 }, { 0, 10, 20, 30 } },
	[0xd2] = { 4, CHANNEL_UINT, { 10, 10, 10, 2 }, { 0, 10, 20, 30 } },
	[0xd5] = { 4, CHANNEL_UNORM, { 8, 8, 8, 8 }, { 0, 8, 16, 24 } },
	[0xd6] = { 4, CHANNEL_SRGB, { 8, 8, 8, 8 }, { 0, 8, 16, 24 } },
	[0xd7] = { 4, CHANNEL_SNORM, { 8, 8, 8, 8 }, { 0, 8, 16, 24 } },
	[0xd8] = { 4, CHANNEL_SINT, { 8, 8, 8, 8 }, { 0, 8, 16, 24 } },
	[0xd9] = { 4, CHANNEL_UINT, { 8, 8, 8, 8 }, { 0, 8, 16, 24 } },
	[0xda] = { 4, CHANNEL_UNORM, { 16, 16, 0, 0 }, { 0, 16, 0, 0 } },
	[0xdb] = { 4, CHANNEL_SNORM, { 16, 16, 0, 0 }, { 0, 16, 0, 0 } },
	[0xdc] = { 4, CHANNEL_SINT, { 16, 16, 0, 0 }, { 0, 16, 0, 0 } },
	[0xdd] = { 4, CHANNEL_UINT, { 16, 16, 0, 0 }, { 0, 16, 0, 0 } },
	[0xde] = { 4, CHANNEL_FLOAT, { 16, 16, 0, 0 }, { 0, 16, 0, 0 } },
	[0xdf] = { 4, CHANNEL_UNORM, { 10, 10, 10, 2 }, { 20, 10, 0, 30 } },
	[0xe0] = { 4, CHANNEL_UFLOAT, { 11, 11, 10, 0 }, { 0, 11, 22, 0 } },
	[0xe3] = { 4, CHANNEL_SINT, { 32, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xe4] = { 4, CHANNEL_UINT, { 32, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xe5] = { 4, CHANNEL_FLOAT, { 32, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xe6] = { 4, CHANNEL_UNORM, { 8, 8, 8, 0 }, { 16, 8, 0, 24 } },
	[0xe7] = { 4, CHANNEL_SRGB, { 8, 8, 8, 0 }, { 16, 8, 0, 24 } },
	[0xe8] = { 2, CHANNEL_UNORM, { 5, 6, 5, 0 }, { 11, 5, 0, 0 } },
	[0xe9] = { 2, CHANNEL_UNORM, { 5, 5, 5, 1 }, { 10, 5, 0, 15 } },
	[0xea] = { 2, CHANNEL_UNORM, { 8, 8, 0, 0 }, { 0, 8, 0, 0 } },
	[0xeb] = { 2, CHANNEL_SNORM, { 8, 8, 0, 0 }, { 0, 8, 0, 0 } },
	[0xec] = { 2, CHANNEL_SINT, { 8, 8, 0, 0 }, { 0, 8, 0, 0 } },
	[0xed] = { 2, CHANNEL_UINT, { 8, 8, 0, 0 }, { 0, 8, 0, 0 } },
	[0xee] = { 2, CHANNEL_UNORM, { 16, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xef] = { 2, CHANNEL_SNORM, { 16, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xf0] = { 2, CHANNEL_SINT, { 16, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xf1] = { 2, CHANNEL_UINT, { 16, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xf2] = { 2, CHANNEL_FLOAT, { 16, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xf3] = { 1, CHANNEL_UNORM, { 8, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xf4] = { 1, CHANNEL_SNORM, { 8, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xf5] = { 1, CHANNEL_SINT, { 8, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xf6] = { 1, CHANNEL_UINT, { 8, 0, 0, 0 }, { 0, 0, 0, 0 } },
	[0xf7] = { 1, CHANNEL_UNORM, { 0, 0, 0, 8 }, { 0, 0, 0, 0 } },
	[0xf8] = { 2, CHANNEL_UNORM, { 5, 5, 5, 0 }, { 10, 5, 0, 15 } },
	[0xf9] = { 4, CHANNEL_UNORM, { 8, 8, 8, 0 }, { 0, 8, 16, 24 } },
	[0xfa] = { 4, CHANNEL_SRGB, { 8, 8, 8, 0 }, { 0, 8, 16, 24 } },
};

static const struct sim_zeta_format zeta_formats[] = {
	{ 0x0a, 4, true, 32, 0, 0, 0 },		/* Z32_FLOAT */
	{ 0x13, 2, false, 16, 0, 0, 0 },	/* Z16 */
	{ 0x14, 4, false, 24, 8, 8, 0 },	/* S8_Z24, the low bits first */
	{ 0x15, 4, false, 24, 0, 0, 0 },	/* Z24_X8 */
	{ 0x16, 4, false, 24, 0, 8, 24 },	/* Z24_S8 */
	{ 0x18, 4, false, 24, 0, 0, 0 },	/* Z24_C8 */
	{ 0x19, 8, true, 32, 0, 8, 32 },	/* Z32_S8_X24 */
};

const struct sim_color_format *sim_color_format(u32 id)
{
	if (id >= ARRAY_LEN(color_formats) || !color_formats[id].bpp)
		return NULL;
	return &color_formats[id];
}

const struct sim_zeta_format *sim_zeta_format(u32 id)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(zeta_formats); i++) {
		if (zeta_formats[i].id == id)
			return &zeta_formats[i];
	}
	return NULL;
}

static double clamp(double v, double low, double high)
{
	/* Written so that a NaN becomes the low end. */
	if (!(v > low))
		return low;
	return v < high ? v : high;
}

/* A float without a sign, of 5 bits of exponent: the same as half precision, cut */
static u32 unsigned_float(float v, u32 bits)
{
	u32 half = sim_float_to_half(v);

	if (half & 0x8000 && (half & 0x7fff) <= 0x7c00)
		return 0;
	return (half & 0x7fff) >> (15 - bits);
}

static u32 pack_channel(const struct sim_color_format *f, u32 channel, u32 value)
{
	u32 bits = f->bits[channel];
	double most = (double)((1ull << bits) - 1), v = sim_bits_to_float(value);
	int64_t low = -(1ll << (bits - 1)), high = (1ll << (bits - 1)) - 1;

	switch (f->type) {
	case CHANNEL_SRGB:
		if (channel < 3)
			v = sim_linear_to_srgb(clamp(v, 0, 1));
		return (u32)(clamp(v, 0, 1) * most + 0.5);
	case CHANNEL_UNORM:
		return (u32)(clamp(v, 0, 1) * most + 0.5);
	case CHANNEL_SNORM:
		return (u32)(int32_t)floor(clamp(v, -1, 1) * (double)high + 0.5);
	case CHANNEL_UINT:
		return value > most ? (u32)most : value;
	case CHANNEL_SINT:
		if ((int32_t)value < low)
			return (u32)low;
		return (int32_t)value > high ? (u32)high : value;
	case CHANNEL_UFLOAT:
		return unsigned_float((float)v, bits);
	case CHANNEL_FLOAT:
		break;
	}
	return bits == 16 ? sim_float_to_half((float)v) : value;
}

static u64 bits_below(u32 bits)
{
	return (1ull << bits) - 1;
}

static void put_bits(u8 *out, u32 shift, u32 bits, u32 value)
{
	u64 word = (value & bits_below(bits)) << shift % 8;
	u32 i;

	if (bits == 8 && !(shift % 8)) {
		out[shift / 8] = (u8)value;
		return;
	}
	for (i = shift / 8; word; i++, word >>= 8)
		out[i] |= (u8)word;
}

void sim_color_pack(const struct sim_color_format *f, const u32 value[4], u8 *out)
{
	u32 i;

	memset(out, 0, f->bpp);
	for (i = 0; i < 4; i++) {
		if (f->bits[i])
			put_bits(out, f->shift[i], f->bits[i], pack_channel(f, i, value[i]));
	}
}

static u32 get_bits(const u8 *raw, u32 shift, u32 bits)
{
	u64 word = 0;
	u32 i;

	for (i = 0; i * 8 < shift % 8 + bits; i++)
		word |= (u64)raw[shift / 8 + i] << 8 * i;
	return (u32)(word >> shift % 8 & bits_below(bits));
}

static double unpack_channel(const struct sim_color_format *f, u32 channel, u32 value)
{
	u32 bits = f->bits[channel];
	double most = (double)((1ull << bits) - 1);
	int64_t high = (1ll << (bits - 1)) - 1, v = value;

	switch (f->type) {
	case CHANNEL_SRGB:
		if (channel < 3)
			return sim_srgb_to_linear((float)(value / most));
		return value / most;
	case CHANNEL_UNORM:
		return value / most;
	case CHANNEL_SNORM:
		if (v > high)
			v -= 1ll << bits;
		return fmax((double)v / (double)high, -1);
	case CHANNEL_UFLOAT:
		return sim_half_to_float(value << (15 - bits));
	case CHANNEL_FLOAT:
		return bits == 16 ? sim_half_to_float(value) : sim_bits_to_float(value);
	case CHANNEL_UINT:
	case CHANNEL_SINT:
		break;
	}
	return value;
}

void sim_color_unpack(const struct sim_color_format *f, const u8 *raw, double value[4])
{
	u32 i;

	for (i = 0; i < 4; i++) {
		value[i] = i == 3;
		if (f->bits[i])
			value[i] = unpack_channel(f, i, get_bits(raw, f->shift[i], f->bits[i]));
	}
}

void sim_color_mask(const struct sim_color_format *f, u32 mask, u8 *out)
{
	u32 i;

	/* Bits of no channel are written as 0 when all channels are written. */
	memset(out, (mask & 0xf) == 0xf ? 0xff : 0, f->bpp);
	for (i = 0; i < 4; i++) {
		if (mask >> i & 1)
			put_bits(out, f->shift[i], f->bits[i], ~0u);
	}
}
