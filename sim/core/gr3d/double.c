// SPDX-License-Identifier: MIT
/*
 * Doubles, which the G200 alone has: sums, products, comparisons and conversions, rounded in four
 * modes. Results and flags are those of envytools' hwtest, which compares them with a card. The
 * arithmetic is that of integers, because not every compiler of the model can round in other modes.
 */
#include "gr3d.h"
#include "../number.h"

/* Of word 1 */
#define FROM_PAIR	(1u << 14)
#define FROM_SIGNED	(1u << 16)
#define ABSOLUTE	(1u << 20)
#define TO_PAIR		(1u << 26)
#define TO_SIGNED	(1u << 27)
#define TO_ROUND	(1u << 27)	/* from float to float */
#define NEGATIVE	(1u << 29)

#define SIGN		(1ull << 63)
#define INFINITE	(0x7ffull << 52)
#define QUIET		(1ull << 51)
#define ONE		(0x3ffull << 52)
#define NO_NUMBER	(SIGN | INFINITE | QUIET)	/* the result of infinity times 0 */

typedef unsigned __int128 u128;

struct format {
	int fraction;		/* bits */
	int bias;
};

static const struct format word = { 23, 127 }, pair = { 52, 1023 };

/* @size * 2^@exponent */
struct number {
	bool negative;
	int exponent;
	u128 size;
};

static u64 infinity(const struct format *f)
{
	return (2 * (u64)f->bias + 1) << f->fraction;
}

static u64 sign_of(const struct format *f)
{
	return infinity(f) + (1ull << f->fraction);
}

static bool is_nan(const struct format *f, u64 v)
{
	return (v & (sign_of(f) - 1)) > infinity(f);
}

static bool is_infinite(const struct format *f, u64 v)
{
	return (v & (sign_of(f) - 1)) == infinity(f);
}

static int length(u128 v)
{
	int n = 0;

	for (; v; v >>= 1)
		n++;

	return n;
}

static struct number number_of(const struct format *f, u64 v)
{
	int exponent = (int)((v & infinity(f)) >> f->fraction);
	struct number n = { .negative = v & sign_of(f), .size = v & ((1ull << f->fraction) - 1) };

	if (exponent)
		n.size |= 1ull << f->fraction;
	else
		exponent = 1;

	n.exponent = exponent - f->bias - f->fraction;
	return n;
}

/* A number too large for the format */
static u64 too_large(const struct format *f, bool negative, u32 mode)
{
	if (mode == SIM_ROUND_NEAREST || mode == (negative ? SIM_ROUND_DOWN : SIM_ROUND_UP))
		return infinity(f);

	return infinity(f) - 1;
}

static u64 packed(const struct format *f, struct number n, u32 mode)
{
	u64 sign = n.negative ? sign_of(f) : 0, v;
	int excess = length(n.size) - f->fraction - 1, least = 1 - f->bias - f->fraction - n.exponent;
	int exponent;

	if (!n.size)
		return sign;

	/* A denormal */
	if (excess < least)
		excess = least;
	if (excess > 0)
		v = (u64)sim_rounded(n.size, (u32)excess, mode, n.negative);
	else
		v = (u64)(n.size << -excess);

	/* The implicit bit adds one to the exponent, and a second one after a carry. */
	exponent = excess - least;
	if (exponent < 2 * f->bias)
		v += (u64)exponent << f->fraction;
	if (exponent >= 2 * f->bias || v >= infinity(f))
		v = too_large(f, n.negative, mode);

	return sign | v;
}

static u32 flags_of(const struct format *f, u64 v)
{
	if (is_nan(f, v))
		return SIM_FLAG_ZERO | SIM_FLAG_SIGN;
	if (!(v & (sign_of(f) - 1)))
		return SIM_FLAG_ZERO;

	return v & sign_of(f) ? SIM_FLAG_SIGN : 0;
}

/* --- arithmetic --- */

/* The last bit stands for those that are lost below it. */
static u128 shortened(u128 v, int n)
{
	if (n > 127)
		return 1;

	return v >> n | !!(v & (((u128)1 << n) - 1));
}

static struct number sum_of(struct number a, struct number b, u32 mode)
{
	struct number swap = a;
	int gap;

	if (!a.size && !b.size) {
		if (a.negative != b.negative)
			a.negative = mode == SIM_ROUND_DOWN;
		return a;
	}
	if (!a.size || !b.size)
		return a.size ? a : b;

	if (a.exponent + length(a.size) < b.exponent + length(b.size)) {
		a = b;
		b = swap;
	}
	gap = 126 - length(a.size);
	a.size <<= gap;
	a.exponent -= gap;
	gap = a.exponent - b.exponent;
	b.size = gap > 0 ? shortened(b.size, gap) : b.size << -gap;

	if (a.negative == b.negative) {
		a.size += b.size;
	} else if (a.size == b.size) {
		a.size = 0;
		a.negative = mode == SIM_ROUND_DOWN;
	} else {
		a.negative = a.size > b.size ? a.negative : b.negative;
		a.size = a.size > b.size ? a.size - b.size : b.size - a.size;
	}

	return a;
}

/* @a * @b + @c. Of several NaNs the result is that of @b, @c or @a, in this order. */
static u64 multiply_add(u64 a, u64 b, u64 c, u32 mode)
{
	bool infinite = is_infinite(&pair, a) || is_infinite(&pair, b), negative = (a ^ b) & SIGN;
	struct number product, factor;

	if (is_nan(&pair, b))
		return b;
	if (is_nan(&pair, c))
		return c;
	if (is_nan(&pair, a))
		return a;

	if (infinite && (!(a & ~SIGN) || !(b & ~SIGN)))
		return NO_NUMBER;
	if (infinite && is_infinite(&pair, c) && negative != !!(c & SIGN))
		return NO_NUMBER;
	if (infinite)
		return INFINITE | (negative ? SIGN : 0);
	if (is_infinite(&pair, c))
		return c;

	product = number_of(&pair, a);
	factor = number_of(&pair, b);
	product.negative = negative;
	product.size *= factor.size;
	product.exponent += factor.exponent;

	return packed(&pair, sum_of(product, number_of(&pair, c), mode), mode);
}

static u64 with_sign(u64 v, bool absolute, bool negative)
{
	if (absolute)
		v &= ~SIGN;

	return negative ? v ^ SIGN : v;
}

/* A NaN keeps its sign and becomes quiet. */
static u64 operand(u64 v, bool absolute, bool negative)
{
	return is_nan(&pair, v) ? v | QUIET : with_sign(v, absolute, negative);
}

/* 0 less, 1 equal, 2 greater, 3 unordered */
static u32 relation_of(u64 a, u64 b)
{
	if (is_nan(&pair, a) || is_nan(&pair, b))
		return 3;
	if (a == b || !((a | b) & ~SIGN))
		return 1;
	if ((a ^ b) & SIGN)
		return a & SIGN ? 0 : 2;

	return (a < b) == !(a & SIGN) ? 0 : 2;
}

/* Any NaN gives way to a number, and -0 is less than 0. */
static u64 smaller_or_larger(u64 a, u64 b, bool smaller)
{
	u32 relation = relation_of(a, b);

	if (relation == 3)
		return is_nan(&pair, b) && !is_nan(&pair, a) ? a : b;
	if (relation == 1)
		relation = a & SIGN ? 0 : 2;

	return !relation == smaller ? a : b;
}

u32 sim_double_relation(const struct sim_double *op)
{
	return relation_of(with_sign(op->a, op->w1 & ABSOLUTE, op->w1 >> 26 & 1),
			   with_sign(op->b, op->w1 >> 19 & 1, op->w1 >> 27 & 1));
}

u64 sim_double(const struct sim_double *op, u32 *flags)
{
	bool first = op->w1 >> 26 & 1, last = op->w1 >> 27 & 1;
	u64 a = operand(op->a, false, first), b = operand(op->b, false, false);
	u64 c = operand(op->c, false, last), v;

	switch (op->w1 >> 29) {
	case 2:
		v = multiply_add(a, b, c, op->w1 >> 22 & 3);
		break;
	case 3:
		v = multiply_add(a, ONE, c, op->w0 >> 16 & 3);
		break;
	case 4:
		/* A product of 0 keeps its sign. */
		v = multiply_add(a, b, (a ^ b) & SIGN, op->w1 >> 17 & 3);
		break;
	default:
		v = smaller_or_larger(operand(op->a, op->w1 & ABSOLUTE, first),
				      operand(op->b, op->w1 >> 19 & 1, last), op->w1 >> 29 == 5);
	}

	*flags = flags_of(&pair, v);
	return v;
}

/* --- conversions, with 64 bits on one side at least --- */

static u64 integer_to_float(u32 w1, u64 a, const struct format *to)
{
	u64 top = w1 & FROM_PAIR ? SIGN : 1u << 31;
	struct number n = { .negative = w1 & FROM_SIGNED && a & top, .size = a };
	u32 mode = w1 >> 17 & 3;

	if (n.negative)
		n.size = (0 - a) & (top | (top - 1));
	if (w1 & ABSOLUTE)
		n.negative = false;
	if (w1 & NEGATIVE)
		n.negative = !n.negative;

	/* An unsigned one is rounded before its sign changes. */
	if (!(w1 & FROM_SIGNED) && n.negative && mode == SIM_ROUND_DOWN)
		mode = SIM_ROUND_UP;
	else if (!(w1 & FROM_SIGNED) && n.negative && mode == SIM_ROUND_UP)
		mode = SIM_ROUND_DOWN;

	return packed(to, n, mode);
}

/* Out of range is the nearest that there is, and a NaN the lowest, with an overflow. */
static u64 float_to_integer(u32 w1, u64 a, const struct format *from, u32 *flags)
{
	u64 top = w1 & TO_PAIR ? SIGN : 1u << 31, limit = top | (top - 1), v;
	struct number n = number_of(from, a);
	bool overflow;

	if (w1 & TO_SIGNED)
		limit = n.negative ? top : top - 1;
	else if (n.negative)
		limit = 0;

	if (n.size && n.exponent > 64)
		n.size = (u128)SIGN << 1;
	else if (n.exponent >= 0)
		n.size <<= n.exponent;
	else
		n.size = sim_rounded(n.size, (u32)-n.exponent, w1 >> 17 & 3, n.negative);

	overflow = is_nan(from, a) || n.size > limit;
	v = overflow ? limit : (u64)n.size;
	if (n.negative)
		v = (0 - v) & (top | (top - 1));
	if (is_nan(from, a))
		v = top;

	/* hwtest expects no overflow of 64 bits without a sign. */
	*flags = overflow && (limit != ~0ull || is_nan(from, a)) ? SIM_FLAG_OVERFLOW : 0;
	if (!v)
		*flags |= SIM_FLAG_ZERO;
	if (v & top)
		*flags |= SIM_FLAG_SIGN;

	return v;
}

/* Its upper bits stay. */
static u64 nan_to_float(u64 a, const struct format *from, const struct format *to)
{
	u64 v = infinity(to) | 1ull << (to->fraction - 1), rest = a & ((1ull << from->fraction) - 1);

	if (a & sign_of(from))
		v |= sign_of(to);
	if (from->fraction > to->fraction)
		return v | rest >> (from->fraction - to->fraction);

	return v | rest << (to->fraction - from->fraction);
}

static u64 float_to_float(u32 w1, u64 a, const struct format *from, const struct format *to)
{
	struct number n = number_of(from, a);
	u32 mode = w1 >> 17 & 3;

	if (is_infinite(from, a))
		return infinity(to) | (n.negative ? sign_of(to) : 0);

	if (w1 & TO_ROUND && from == &pair && to == &pair && n.exponent < 0) {
		n.size = sim_rounded(n.size, (u32)-n.exponent, mode, n.negative);
		n.exponent = 0;
	}

	return packed(to, n, mode);
}

u64 sim_double_convert(u32 w1, u64 a, u32 *flags)
{
	const struct format *from = w1 & FROM_PAIR ? &pair : &word, *to = w1 & TO_PAIR ? &pair : &word;
	u64 sign = sign_of(from), v;

	if (w1 >> 30 == 1) {
		v = integer_to_float(w1, a, to);
	} else if (w1 >> 30 == 3 && is_nan(from, a)) {
		v = nan_to_float(a, from, to);
	} else {
		if (w1 & ABSOLUTE)
			a &= ~sign;
		if (w1 & NEGATIVE)
			a ^= sign;
		if (w1 >> 30 == 2)
			return float_to_integer(w1, a, from, flags);
		v = float_to_float(w1, a, from, to);
	}

	*flags = flags_of(to, v);
	return v;
}
