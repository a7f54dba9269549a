// SPDX-License-Identifier: MIT
/*
 * The unit for special functions: reciprocal, reciprocal square root, sine, cosine, power of two and
 * logarithm, to the last bit. Steps and widths are those of envytools' hwtest, which compares each
 * result with cards. A polynomial of the second degree gives the fraction of the result, by the first
 * digits of the operand's fraction; the exponent is counted.
 */
#include "gr3d.h"

/* Of the polynomial in one interval */
struct coefficients {
	u32 constant;
	int32_t linear, square;
};

#include "special_table.h"

#define FRACTION	0x7fffffu
#define ONE		0x800000u	/* the digit in front of the fraction */
#define BIAS		127
#define EXPONENT_MAX	255
#define INFINITE	0x7f800000u
#define SIGN		0x80000000u

/* Results of presin and preex2: numbers with 23 binary digits, or one of these */
#define PREPARED_NAN	0x40000000u
#define PREPARED_INF	0x40800000u
#define PREPARED_TURN	0x1ffffffu	/* four quarters of a turn */

struct polynomial {
	const struct coefficients *table;
	u32 low_bits;		/* of the fraction, for the polynomial; those above select a row */
	u32 constant_shift, square_shift;
	int64_t rounding;
};

static const struct polynomial rcp = { rcp_table, 16, 13, 0, 0x47e7 };
static const struct polynomial rsqrt = { rsqrt_table, 17, 14, 2, 0x7fff };
static const struct polynomial sine = { sin_table, 17, 11, 0, 0 };
static const struct polynomial ex2 = { ex2_table, 17, 13, 0, 0x77e2 };
static const struct polynomial lg2 = { lg2_table, 17, 12, 1, 0x3345 };

/* Of 17 bits, in 2^-19; each partial product is cut. Shifts by one are the cheapest. */
static u32 cut_square(u32 x)
{
	u32 sum = 0, part = x >> 2, bits = x << 15;

	for (; bits; bits <<= 1) {
		sum += part & -(bits >> 31);
		part >>= 1;
	}
	return sum >> 1;
}

static int64_t evaluate(const struct polynomial *p, u32 fraction)
{
	const struct coefficients *c = &p->table[fraction >> p->low_bits];
	u32 x = fraction & ((1u << p->low_bits) - 1);
	int64_t square = cut_square(x << (17 - p->low_bits));

	return ((int64_t)c->constant << p->constant_shift) + (int64_t)c->linear * x +
	       c->square * square * (1 << p->square_shift) + p->rounding;
}

static bool is_nan(u32 v)
{
	return (v & ~SIGN) > INFINITE;
}

static int exponent_of(u32 v)
{
	return v >> 23 & 0xff;
}

/* @fraction: 0, or from ONE to twice of it. Numbers without an exponent are zeros. */
static u32 number(u32 sign, int exponent, u32 fraction)
{
	if (fraction == 2 * ONE) {
		fraction = ONE;
		exponent++;
	}
	if (fraction < ONE || exponent <= 0)
		return sign;
	if (exponent >= EXPONENT_MAX)
		return sign | INFINITE;
	return sign | (u32)exponent << 23 | (fraction & FRACTION);
}

u32 sim_special_rcp(u32 v)
{
	u32 sign = v & SIGN;

	if (is_nan(v))
		return SIM_NAN_BITS;
	if ((v & ~SIGN) == INFINITE)
		return sign;
	if (!exponent_of(v))
		return sign | INFINITE;
	return number(sign, 2 * BIAS - 1 - exponent_of(v), evaluate(&rcp, v & FRACTION) >> 15);
}

u32 sim_special_rsqrt(u32 v)
{
	int exponent = exponent_of(v) - BIAS;
	u32 fraction;

	if (is_nan(v))
		return SIM_NAN_BITS;
	if (!exponent_of(v))
		return (v & SIGN) | INFINITE;
	if (v & SIGN)
		return SIM_NAN_BITS;
	if (v == INFINITE)
		return 0;

	/* The exponent's last bit selects the half of the table. */
	fraction = (v & FRACTION) | ((u32)exponent & 1) << 23;
	exponent -= exponent & 1;
	if (!fraction)
		return number(0, BIAS - exponent / 2, ONE);
	return number(0, BIAS - 1 - exponent / 2, evaluate(&rsqrt, fraction) >> 16);
}

/* Shift @value, which is not 0, so that bit @top is its first one. Returns how far. */
static int normalize(u64 *value, u32 top)
{
	int shift = 0;

	for (; !(*value >> top & 1); shift++)
		*value <<= 1;
	return shift;
}

/* Quarters of a turn, of which the table has one */
u32 sim_special_sin(u32 v, bool cosine)
{
	u32 sign = v >> 31, quarter = v >> 23 & 3, fraction = v & FRACTION;
	int exponent = BIAS;
	u64 value;

	if (v & PREPARED_NAN)
		return SIM_NAN_BITS;
	if (cosine) {
		quarter++;
		sign = 0;
	}
	if (quarter & 1)
		fraction ^= FRACTION;
	sign ^= quarter >> 1 & 1;

	value = evaluate(&sine, fraction);
	if (!value)
		return sign << 31;
	exponent -= normalize(&value, 37);
	return number(sign << 31, exponent, value >> 14);
}

u32 sim_special_ex2(u32 v)
{
	int exponent = v >> 23 & 0x7f;
	u32 fraction = v & FRACTION;

	if ((v & PREPARED_INF) == PREPARED_INF)
		return v & SIGN ? 0 : INFINITE;
	if (v & PREPARED_NAN)
		return SIM_NAN_BITS;
	if (v & SIGN) {
		/* The next lower whole number, and the complement of the fraction */
		exponent = -exponent;
		if (fraction) {
			exponent--;
			fraction ^= FRACTION;
		}
	}
	return number(0, exponent + BIAS, evaluate(&ex2, fraction) >> 15);
}

u32 sim_special_lg2(u32 v)
{
	int exponent = exponent_of(v);
	int64_t sum = 0;
	u32 sign = 0;
	u64 value;

	if (is_nan(v))
		return SIM_NAN_BITS;
	if (!exponent)
		return SIGN | INFINITE;
	if (v & SIGN)
		return SIM_NAN_BITS;
	if (v == INFINITE)
		return v;

	/* 36 binary digits. The polynomial is not 0 where the logarithm of 1 is. */
	if ((v & FRACTION) || exponent != BIAS)
		sum = evaluate(&lg2, v & FRACTION) >> 2;
	sum += (int64_t)(exponent - BIAS) * (1ll << 36);
	if (sum < 0) {
		sign = SIGN;
		sum = ~sum;
	}
	if (!sum)
		return sign;
	value = sum;
	exponent = BIAS + 6 - normalize(&value, 42);
	return number(sign, exponent, value >> 19);
}

/* A fraction of 24 bits, shifted to the left, or to the right where its last digits are lost */
static u32 shifted(u32 fraction, int left)
{
	if (left >= 32 || left <= -32)
		return 0;
	return left >= 0 ? fraction << left : fraction >> -left;
}

u32 sim_special_prepare(u32 v, bool power)
{
	u32 sign = v & SIGN, fraction = 0;
	int exponent = exponent_of(v) - BIAS;

	if (is_nan(v))
		return sign | PREPARED_NAN;
	if ((v & ~SIGN) == INFINITE || (power && exponent >= 7))
		return sign | PREPARED_INF;
	if (exponent_of(v))
		fraction = (v & FRACTION) | ONE;
	if (power)
		return sign | shifted(fraction, exponent);

	/* 2 / pi, with 24 binary digits. Whole turns do not count. */
	fraction = (u64)fraction * 0xa2f983 >> 16;
	return sign | (shifted(fraction, exponent - 8) & PREPARED_TURN);
}
