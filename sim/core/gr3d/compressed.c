// SPDX-License-Identifier: MIT
/*
 * Texels of compressed textures: blocks of 4 x 4, as the specifications of OpenGL's extensions
 * EXT_texture_compression_s3tc and ARB_texture_compression_rgtc define them. Values between the
 * two of a block are exact here; a card's rounding of them is not known.
 */
#include "gr3d.h"

/* --- colors: two of 5, 6 and 5 bits, then two bits of each texel --- */

static void color_565(u32 v, double color[3])
{
	color[0] = (v >> 11) / 31.0;
	color[1] = (v >> 5 & 0x3f) / 63.0;
	color[2] = (v & 0x1f) / 31.0;
}

/* Alpha is 0 only for the fourth color of blocks that have three. */
static void block_color(const u8 *raw, u32 texel, bool may_have_three, double value[4])
{
	u32 low = raw[0] | raw[1] << 8, high = raw[2] | raw[3] << 8;
	u32 which = get_le32(raw + 4) >> 2 * texel & 3, i;
	bool three = may_have_three && low <= high;
	double first[3], second[3], share = which;

	value[3] = 1;
	if (three && which == 3) {
		for (i = 0; i < 4; i++)
			value[i] = 0;
		return;
	}

	if (which >= 2)
		share = three ? 1.0 / 2 : (which - 1) / 3.0;
	color_565(low, first);
	color_565(high, second);
	for (i = 0; i < 3; i++)
		value[i] = first[i] + share * (second[i] - first[i]);
}

/* --- one component: two values of 8 bits, then three bits of each texel --- */

static double block_end(u8 v, bool is_signed)
{
	if (!is_signed)
		return v / 255.0;
	return (int8_t)v < -127 ? -1 : (int8_t)v / 127.0;
}

static double block_component(const u8 *raw, u32 texel, bool is_signed)
{
	double first = block_end(raw[0], is_signed), second = block_end(raw[1], is_signed);
	u64 bits = raw[2] | raw[3] << 8 | (u64)get_le32(raw + 4) << 16;
	bool eight = is_signed ? (int8_t)raw[0] > (int8_t)raw[1] : raw[0] > raw[1];
	u32 which = bits >> 3 * texel & 7, steps = eight ? 7 : 5;

	if (which < 2)
		return which ? second : first;
	if (!eight && which == 6)
		return is_signed ? -1 : 0;
	if (!eight && which == 7)
		return 1;
	return first + (second - first) * (which - 1) / steps;
}

/* --- formats --- */

void sim_texel_decompress(u32 id, bool is_signed, const u8 *raw, u32 texel, double value[4])
{
	value[0] = value[1] = value[2] = 0;
	value[3] = 1;
	switch (id) {
	case SIM_TEXEL_DXT1:
		block_color(raw, texel, true, value);
		break;
	case SIM_TEXEL_DXT3:
		block_color(raw + 8, texel, false, value);
		value[3] = (raw[texel / 2] >> 4 * (texel & 1) & 0xf) / 15.0;
		break;
	case SIM_TEXEL_DXT5:
		block_color(raw + 8, texel, false, value);
		value[3] = block_component(raw, texel, false);
		break;
	case SIM_TEXEL_RGTC1:
		value[0] = block_component(raw, texel, is_signed);
		break;
	case SIM_TEXEL_RGTC2:
		value[0] = block_component(raw, texel, is_signed);
		value[1] = block_component(raw + 8, texel, is_signed);
		break;
	}
}
