// SPDX-License-Identifier: MIT
/*
 * The instruction cvt: between integers and floats of words, halves and bytes. Results and flags are
 * those of envytools' hwtest, which compares them with cards.
 */
#include "gr3d.h"
#include "../number.h"

/* Of word 1 */
#define FROM_WORD	(1u << 14)
#define FROM_BYTE	(1u << 15)
#define FROM_SIGNED	(1u << 16)
#define SATURATES	(1u << 19)	/* to a float: to the range from 0 to 1 */
#define TO_BYTE		(1u << 19)	/* to an integer */
#define ABSOLUTE	(1u << 20)
#define TO_WORD		(1u << 26)
#define TO_SIGNED	(1u << 27)
#define TO_ROUND	(1u << 27)	/* from float to float */
#define NEGATIVE	(1u << 29)

#define SIGN		0x80000000u
#define INFINITE	0x7f800000u
#define ONE		0x3f800000u
#define HALF_NAN	0x7fffu
#define HALF_INFINITE	0x7c00u
#define HALF_LARGEST	0x7bffu

static u32 mode_of(const struct sim_conversion *c)
{
	return c->w1 >> 17 & 3;
}

unsigned __int128 sim_rounded(unsigned __int128 v, u32 n, u32 mode, bool negative)
{
	unsigned __int128 rest = v, half = 0;

	if (!n)
		return v;
	if (n > 127) {
		v = 0;
		half = rest + 1;
	} else {
		rest = v & (((unsigned __int128)1 << n) - 1);
		half = (unsigned __int128)1 << (n - 1);
		v >>= n;
	}

	switch (mode) {
	case SIM_ROUND_NEAREST:
		return v + (rest > half || (rest == half && v & 1));
	case SIM_ROUND_DOWN:
		return v + (negative && rest);
	case SIM_ROUND_UP:
		return v + (!negative && rest);
	}
	return v;
}

static bool is_nan(u32 v)
{
	return (v & ~SIGN) > INFINITE;
}

static u32 fraction_of(u32 v)
{
	return v >> 23 & 0xff ? (v & 0x7fffff) | 0x800000 : 0;
}

static u32 float_flags(u32 v)
{
	if (is_nan(v))
		return SIM_FLAG_ZERO | SIM_FLAG_SIGN;
	if (!fraction_of(v))
		return SIM_FLAG_ZERO;
	return v & SIGN ? SIM_FLAG_SIGN : 0;
}

static u32 integer_flags(u32 v, u32 top)
{
	if (!v)
		return SIM_FLAG_ZERO;
	return v & top ? SIM_FLAG_SIGN : 0;
}

/* --- floats --- */

u32 sim_float_saturated(u32 v, bool nan_is_zero)
{
	if (is_nan(v))
		return nan_is_zero ? 0 : SIM_NAN_BITS;
	if (v & SIGN)
		return 0;
	return v < ONE ? v : ONE;
}

/* There is one NaN of halves. */
static u32 from_half(u32 v)
{
	u32 sign = (v & 0x8000) << 16, exponent = v >> 10 & 0x1f, fraction = v & 0x3ff;

	if (exponent == 31)
		return fraction ? SIM_NAN_BITS : sign | INFINITE;
	if (!exponent && !fraction)
		return sign;
	if (exponent)
		return sign | (exponent + 112) << 23 | fraction << 13;

	exponent = 113;
	while (!(fraction & 0x400)) {
		fraction <<= 1;
		exponent--;
	}
	return sign | exponent << 23 | (fraction & 0x3ff) << 13;
}

/* A number that halves do not reach is the largest one when it is rounded towards 0. */
static u32 too_large(u32 mode, bool negative)
{
	if (mode == SIM_ROUND_NEAREST || (mode == SIM_ROUND_DOWN && negative) || (mode == SIM_ROUND_UP && !negative))
		return HALF_INFINITE;
	return HALF_LARGEST;
}

/* @exact: the float is an integer, whose rest is cut off */
static u32 to_half(u32 v, u32 mode, bool exact)
{
	u32 sign = v >> 16 & 0x8000, fraction = fraction_of(v), half;
	int exponent = (int)(v >> 23 & 0xff) - 112, shift = 13;
	bool negative = sign;

	if (is_nan(v))
		return HALF_NAN;
	if ((v & ~SIGN) == INFINITE)
		return sign | HALF_INFINITE;
	/* So far below the smallest half nothing is rounded up. */
	if (exponent <= 0x5d - 112)
		return sign;
	if (exponent <= 0) {
		shift += 1 - exponent;
		exponent = 1;
	}

	half = (u32)sim_rounded(fraction, (u32)shift, exact ? 3 : mode, negative);
	/* The implicit bit adds one to the exponent. */
	half += (u32)(exponent - 1) << 10;
	return sign | (half < HALF_INFINITE ? half : too_large(mode, negative));
}

static u32 round_to_integer(u32 v, u32 mode)
{
	u32 exponent = v >> 23 & 0xff, number;

	if (is_nan(v))
		return SIM_NAN_BITS;
	if (exponent >= 150)
		return v;
	number = (u32)sim_rounded(fraction_of(v), 150 - exponent, mode, v & SIGN);
	return (v & SIGN) | sim_float_to_bits((float)number);
}

/* --- conversions --- */

static u32 limited(const struct sim_conversion *c, u32 v, bool negative, u32 bits)
{
	u32 limit = 1u << (bits - 1);

	if (!(c->w1 & TO_SIGNED)) {
		if (negative)
			return 0;
		return v > limit - 1 + limit ? limit - 1 + limit : v;
	}
	if (negative)
		return 0 - (v > limit ? limit : v);
	return v >= limit ? limit - 1 : v;
}

static u32 integer_result(const struct sim_conversion *c, u32 v, u32 *flags)
{
	if (!(c->w1 & TO_WORD))
		v &= 0xffff;
	*flags = integer_flags(v, c->w1 & TO_WORD ? SIGN : 0x8000);
	return v;
}

static u32 float_result(const struct sim_conversion *c, u32 v, bool exact, u32 *flags)
{
	if (c->w1 & TO_WORD) {
		*flags = float_flags(v);
		return v;
	}
	v = to_half(v, mode_of(c), exact);
	*flags = float_flags(from_half(v));
	return v;
}

/* The size of an integer operand, and its sign */
static u32 operand(const struct sim_conversion *c, bool *negative)
{
	u32 v = c->a;
	bool is_signed = c->w1 & FROM_SIGNED;

	if (!(c->w1 & FROM_WORD))
		v = is_signed ? (u32)(int32_t)(int16_t)v : v & 0xffff;
	if (c->w1 & FROM_BYTE)
		v = is_signed ? (u32)(int32_t)(int8_t)v : v & 0xff;
	*negative = is_signed && v >> 31;
	return *negative ? 0 - v : v;
}

static bool changed_sign(const struct sim_conversion *c, bool negative)
{
	if (c->w1 & ABSOLUTE)
		negative = false;
	return c->w1 & NEGATIVE ? !negative : negative;
}

static u32 integer_to_integer(const struct sim_conversion *c, u32 *flags)
{
	bool negative;
	u32 v = operand(c, &negative), bits = c->w1 & TO_WORD ? 32 : 16;

	if (c->w1 & TO_BYTE)
		bits = 8;
	return integer_result(c, limited(c, v, changed_sign(c, negative), bits), flags);
}

/*
 * Cards lose upper bits of integers that become halves, as hwtest found out. Some numbers that are
 * rounded up lose all. Others lose as many as the lower half has zeros at its upper end.
 */
static u32 lose_bits(u32 v, bool was_negative, u32 mode, bool negative)
{
	u16 low;
	u32 n = 2;

	if (mode == SIM_ROUND_NEAREST || mode == (negative ? SIM_ROUND_DOWN : SIM_ROUND_UP)) {
		if ((v >> 5 & 0x1ffffff) == 0x1ffffff)
			v = 0;
	}
	low = (u16)(v - was_negative);
	while (low < 0x8000 && n < 7) {
		low = (u16)(low << 1);
		n++;
	}
	return v << n >> n;
}

static u32 float_of(u32 v, u32 mode, bool negative)
{
	u32 exponent = 150, n = 0;

	if (!v)
		return 0;
	while (v >> n >= 0x1000000)
		n++;
	v = (u32)sim_rounded(v, n, mode, negative);
	while (v < 0x800000) {
		v <<= 1;
		exponent--;
	}
	/* The implicit bit adds one to the exponent, and a second one after a carry. */
	return ((exponent + n - 1) << 23) + v;
}

static u32 integer_to_float(const struct sim_conversion *c, u32 *flags)
{
	bool was_negative, negative;
	u32 v = operand(c, &was_negative);

	negative = changed_sign(c, was_negative);
	if (!(c->w1 & TO_WORD))
		v = lose_bits(v, was_negative, mode_of(c), negative);
	v = float_of(v, mode_of(c), negative);
	if (negative)
		v ^= SIGN;
	if (c->w1 & SATURATES)
		v = sim_float_saturated(v, c->nan_is_zero);
	return float_result(c, v, false, flags);
}

static u32 float_operand(const struct sim_conversion *c)
{
	u32 v = c->w1 & FROM_WORD ? c->a : from_half(c->a);

	if (c->w1 & ABSOLUTE)
		v &= ~SIGN;
	if (c->w1 & NEGATIVE)
		v ^= SIGN;
	return v;
}

/* Out of range is the nearest that there is, a NaN 0. */
static u32 float_to_integer(const struct sim_conversion *c, u32 *flags)
{
	u32 v = float_operand(c), exponent = v >> 23 & 0xff;
	bool negative = v & SIGN;
	u64 number = ~0u;

	if (is_nan(v))
		number = 0;
	else if (exponent < 150)
		number = sim_rounded(fraction_of(v), 150 - exponent, mode_of(c), negative);
	else if (exponent < 159)
		number = (u64)fraction_of(v) << (exponent - 150);
	return integer_result(c, limited(c, (u32)number, negative, c->w1 & TO_WORD ? 32 : 16), flags);
}

static u32 float_to_float(const struct sim_conversion *c, u32 *flags)
{
	u32 v = float_operand(c);

	if (is_nan(v))
		v = SIM_NAN_BITS;
	else if (!fraction_of(v))
		v &= SIGN;
	if (c->w1 & SATURATES)
		v = sim_float_saturated(v, c->nan_is_zero);
	if (c->w1 & TO_ROUND)
		v = round_to_integer(v, mode_of(c));
	return float_result(c, v, c->w1 & TO_ROUND, flags);
}

u32 sim_convert(const struct sim_conversion *c, u32 *flags)
{
	switch (c->w1 >> 30) {
	case 0:
		return integer_to_integer(c, flags);
	case 1:
		return integer_to_float(c, flags);
	case 2:
		return float_to_integer(c, flags);
	}
	return float_to_float(c, flags);
}
