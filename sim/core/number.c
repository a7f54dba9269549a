// SPDX-License-Identifier: MIT
/* Conversions of floating-point formats: half and single precision */
#include <math.h>

#include "number.h"

float sim_half_to_float(uint32_t half)
{
	uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;

	if (exponent == 31)
		return sim_bits_to_float(sign | 0x7f800000 | fraction << 13);
	if (!exponent) {
		float v = (float)fraction / (1 << 24);

		return sign ? -v : v;
	}

	return sim_bits_to_float(sign | (exponent + 112) << 23 | fraction << 13);
}

/* Round to the nearest, ties to even. */
uint32_t sim_float_to_half(float v)
{
	uint32_t bits = sim_float_to_bits(v), sign = bits >> 16 & 0x8000, fraction, rest;
	int exponent = (int)(bits >> 23 & 0xff) - 112;

	bits &= 0x7fffffff;
	if (bits > 0x7f800000)
		return sign | 0x7e00;
	if (exponent >= 31)
		return sign | 0x7c00;
	fraction = (bits & 0x7fffff) | 0x800000;
	if (exponent <= 0) {
		uint32_t shift = 14 - exponent;

		if (shift > 24)
			return sign;
		rest = fraction & ((1u << shift) - 1);
		fraction >>= shift;
		if (rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && (fraction & 1)))
			fraction++;
		return sign | fraction;
	}

	rest = fraction & 0x1fff;
	fraction = (uint32_t)exponent << 10 | (fraction >> 13 & 0x3ff);
	if (rest > 0x1000 || (rest == 0x1000 && (fraction & 1)))
		fraction++;
	return sign | fraction;
}

/* Of numbers from 0 to 1 */
double sim_linear_to_srgb(double v)
{
	return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

float sim_srgb_to_linear(float v)
{
	return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}
