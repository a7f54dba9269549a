/* SPDX-License-Identifier: MIT */
/*
 * Conversions of numbers for 2D and 3D. They need nothing of the card.
 */
#ifndef SIM_CORE_NUMBER_H
#define SIM_CORE_NUMBER_H

#include <stdint.h>
#include <string.h>

static inline float sim_bits_to_float(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static inline uint32_t sim_float_to_bits(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

float sim_half_to_float(uint32_t half);
uint32_t sim_float_to_half(float v);
double sim_linear_to_srgb(double v);
float sim_srgb_to_linear(float v);

#endif
