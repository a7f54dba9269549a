/* SPDX-License-Identifier: MIT */
/*
 * The results of Tesla's instructions, written from envytools' documents before the author had read
 * the model. These are docs/hw/graph/tesla/cuda, hwtest/g80_*.cc and envydis/g80.c of 2023-10-26.
 * Numbers are exact here until their one rounding.
 */
#ifndef SIM_TESTS_TESLA_REFERENCE_H
#define SIM_TESTS_TESLA_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 wide;

/* A code and the values of its operands. The widths are in bits; 0 is an operand that is not used. */
struct tesla_op {
	uint32_t w0, w1;
	bool g200;
	uint32_t width[4];		/* of a, b, c and the result */
	uint64_t a, b, c;
	uint32_t flags;			/* zero 1, sign 2, carry 4, overflow 8 */
};

struct tesla_result {
	uint64_t value;
	uint32_t flags;
};

enum { RESULT_OF = 3 };
enum rounding { NEAREST, DOWN, UP, TO_ZERO };

/* Zero, sign, carry and overflow */
enum { Z = 1, S = 2, C = 4, O = 8 };

static inline uint32_t field(uint32_t word, uint32_t at, uint32_t bits)
{
	return word >> at & ((1u << bits) - 1);
}

static inline bool is_long(const struct tesla_op *op)
{
	return (op->w0 & 1) && (op->w1 & 3) != 3;
}

static inline bool is_immediate(const struct tesla_op *op)
{
	return (op->w0 & 1) && (op->w1 & 3) == 3;
}

/* The first four bits of the code and, of long codes, three of the second word; else 8 */
static inline uint32_t opcode(const struct tesla_op *op)
{
	return op->w0 >> 28 << 4 | (is_long(op) ? op->w1 >> 29 : 8);
}

static inline uint64_t ones(uint32_t bits)
{
	return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

static inline int64_t extended(uint64_t value, uint32_t bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static inline bool top(uint64_t value, uint32_t bits)
{
	return value >> (bits - 1) & 1;
}

static inline uint32_t zero_and_sign(uint64_t value, uint32_t bits)
{
	value &= ones(bits);

	return !value * Z | top(value, bits) * S;
}

/* --- integers --- */

enum { ADD, SUB, SUBR, ADDC };

static inline struct tesla_result ref_add(uint32_t kind, bool saturate, uint32_t bits, uint64_t a,
					  uint64_t b, uint32_t flags)
{
	uint64_t x = (kind == SUBR ? ~a : a) & ones(bits);
	uint64_t y = (kind == SUB ? ~b : b) & ones(bits);
	uint64_t carry = kind == ADDC ? !!(flags & C) : kind != ADD;
	uint64_t sum = x + y + carry;
	struct tesla_result r = { .value = sum & ones(bits) };
	bool overflow = top(x, bits) == top(y, bits) && top(x, bits) != top(sum, bits);

	if (overflow && saturate)
		r.value = top(x, bits) ? 1ull << (bits - 1) : ones(bits - 1);
	r.flags = (sum >> bits & 1) * C | overflow * O | zero_and_sign(r.value, bits);

	return r;
}

static inline uint64_t ref_mul24(uint64_t a, uint64_t b, bool is_signed, bool high)
{
	uint64_t product = is_signed ? (uint64_t)(extended(a, 24) * extended(b, 24)) :
				       (a & ones(24)) * (b & ones(24));

	return product >> (high ? 16 : 0) & ones(32);
}

static inline uint64_t ref_mul16(uint64_t a, uint64_t b, bool signed_a, bool signed_b)
{
	uint64_t x = signed_a ? (uint64_t)extended(a, 16) : a & ones(16);
	uint64_t y = signed_b ? (uint64_t)extended(b, 16) : b & ones(16);

	return x * y & ones(32);
}

static inline int64_t number(uint64_t value, uint32_t bits, bool is_signed)
{
	return is_signed ? extended(value, bits) : (int64_t)(value & ones(bits));
}

static inline struct tesla_result ref_sad(const struct tesla_op *op, bool is_signed)
{
	int64_t x = number(op->a, op->width[0], is_signed);
	int64_t y = number(op->b, op->width[1], is_signed);

	return ref_add(ADD, false, 32, (uint64_t)(x > y ? x - y : y - x), op->c, 0);
}

static inline struct tesla_result ref_set(const struct tesla_op *op, int order)
{
	/* less, equal, greater, unordered */
	static const uint32_t bit[] = { 14, 15, 16, 17 };
	struct tesla_result r = { .value = field(op->w1, bit[order], 1) ? ones(op->width[RESULT_OF]) : 0 };

	r.flags = r.value ? S : Z;
	return r;
}

static inline struct tesla_result ref_min_max(const struct tesla_op *op)
{
	uint32_t bits = op->width[0];
	bool is_signed = field(op->w1, 27, 1), smaller = field(op->w1, 29, 1);
	int64_t x = number(op->a, bits, is_signed), y = number(op->b, bits, is_signed);
	struct tesla_result r = { .value = (uint64_t)((x < y) == smaller ? x : y) & ones(bits) };

	r.flags = zero_and_sign(r.value, bits);
	return r;
}

static inline struct tesla_result ref_shift(const struct tesla_op *op)
{
	uint32_t bits = op->width[0];
	uint64_t count = field(op->w1, 20, 1) ? field(op->w0, 16, 7) : op->b & ones(bits);
	int64_t x = number(op->a, bits, field(op->w1, 27, 1));
	bool right = field(op->w1, 29, 1), partial = count && count < bits;
	uint32_t places = count < 32 ? (uint32_t)count : 32;
	struct tesla_result r = { 0 };
	uint64_t out;

	if (right) {
		r.value = (uint64_t)(x >> places);
		out = partial ? (uint64_t)x >> (count - 1) & 1 : 0;
	} else {
		r.value = (uint64_t)x << places;
		out = partial ? r.value >> bits & 1 : 0;
	}
	r.value &= ones(bits);
	r.flags = (out ? C : 0) | zero_and_sign(r.value, bits);
	if (count == 1 && top(r.value, bits) != top((uint64_t)x, bits))
		r.flags |= O;

	return r;
}

static inline struct tesla_result ref_logic(uint32_t kind, uint64_t a, uint64_t b, uint32_t bits)
{
	const uint64_t results[] = { a & b, a | b, a ^ b, b };
	struct tesla_result r = { .value = results[kind] & ones(bits) };

	r.flags = zero_and_sign(r.value, bits);
	return r;
}

static inline struct tesla_result ref_long_mad(const struct tesla_op *op)
{
	static const struct {
		uint8_t is_16, is_signed, high, saturate;
	} kinds[9] = {
		{ .is_16 = 1 }, { .is_16 = 1, .is_signed = 1 },
		{ .is_16 = 1, .is_signed = 1, .saturate = 1 }, { 0 }, { .is_signed = 1 },
		{ .is_signed = 1, .saturate = 1 }, { .high = 1 }, { .is_signed = 1, .high = 1 },
		{ .is_signed = 1, .high = 1, .saturate = 1 },
	};
	uint32_t kind = op->w1 >> 29 | field(op->w0, 28, 1) << 3;
	bool is_signed = kinds[kind].is_signed;
	uint64_t product = kinds[kind].is_16 ? ref_mul16(op->a, op->b, is_signed, is_signed) :
					       ref_mul24(op->a, op->b, is_signed, kinds[kind].high);

	return ref_add(field(op->w1, 26, 2), kinds[kind].saturate, 32, product, op->c, op->flags);
}

/* Short codes and those with a number */
static inline struct tesla_result ref_short_mad(const struct tesla_op *op)
{
	uint32_t kind = field(op->w0, 15, 1) << 1 | field(op->w0, 8, 1);
	uint64_t product = kind == 3 ? ref_mul24(op->a, op->b, false, false) :
				       ref_mul16(op->a, op->b, kind != 0, kind != 0);

	return ref_add(field(op->w0, 22, 1) | field(op->w0, 28, 1) << 1, kind == 2, 32, product, op->c,
		       op->flags);
}

static inline struct tesla_result ref_mul(const struct tesla_op *op)
{
	bool wide_ones = op->width[0] == 32;
	bool first = is_long(op) ? field(op->w1, 15, 1) : field(op->w0, 15, 1);
	bool second = is_long(op) ? field(op->w1, 14, 1) : field(op->w0, 8, 1);
	struct tesla_result r = { .value = wide_ones ? ref_mul24(op->a, op->b, first, second) :
						       ref_mul16(op->a, op->b, first, second) };

	r.flags = zero_and_sign(r.value, 32);
	return r;
}

/* --- floats --- */

struct format {
	uint32_t fraction, exponent;
};

static const struct format f16 = { 10, 5 }, f32 = { 23, 8 }, f64 = { 52, 11 };

/* (-1)^negative * mantissa * 2^exponent */
struct exact {
	bool negative, infinite, nan;
	wide mantissa;
	int exponent;
};

static inline int bias(struct format f)
{
	return (1 << (f.exponent - 1)) - 1;
}

static inline uint64_t sign_bit(struct format f)
{
	return 1ull << (f.fraction + f.exponent);
}

static inline uint64_t infinity(struct format f)
{
	return ones(f.exponent) << f.fraction;
}

static inline bool is_nan(struct format f, uint64_t bits)
{
	return (bits & (sign_bit(f) - 1)) > infinity(f);
}

static inline struct exact unpacked(struct format f, uint64_t bits, bool flush)
{
	uint64_t fraction = bits & ones(f.fraction), exponent = bits >> f.fraction & ones(f.exponent);
	struct exact x = { .negative = bits & sign_bit(f) };

	x.nan = is_nan(f, bits);
	x.infinite = !x.nan && exponent == ones(f.exponent);
	x.exponent = (int)(exponent ? exponent : 1) - bias(f) - (int)f.fraction;
	x.mantissa = exponent ? fraction | 1ull << f.fraction : fraction;
	if (!exponent && flush)
		x.mantissa = 0;

	return x;
}

static inline int highest(wide x)
{
	int n = -1;

	for (; x; x >>= 1)
		n++;
	return n;
}

/* @x without its last @places, rounded as a positive or negative number is */
static inline wide rounded(wide x, int places, enum rounding mode, bool negative)
{
	wide rest, half, kept;

	if (places <= 0)
		return x << -places;
	if (places > 126)
		return x && (mode == UP ? !negative : mode == DOWN && negative);

	kept = x >> places;
	rest = x - (kept << places);
	half = (wide)1 << (places - 1);
	if (mode == NEAREST)
		return kept + (rest > half || (rest == half && (kept & 1)));
	if (mode == TO_ZERO)
		return kept;
	return kept + (rest && (mode == DOWN) == negative);
}

enum { DENORMALS, FLUSH, FLUSH_LATE };

static inline uint64_t packed(struct format f, struct exact x, enum rounding mode, int small)
{
	int last = x.exponent + highest(x.mantissa) - (int)f.fraction;
	int least = 1 - bias(f) - (int)f.fraction;
	uint64_t sign = x.negative ? sign_bit(f) : 0;
	wide m;

	if (x.infinite)
		return sign | infinity(f);
	if (!x.mantissa)
		return sign;
	/* A flush looks at the number that full precision gives, one that is late at a denormal. */
	if (small != FLUSH && last < least)
		last = least;
	m = rounded(x.mantissa, last - x.exponent, mode, x.negative);
	if (m >> (f.fraction + 1)) {
		m >>= 1;
		last++;
	}
	if (last < least || !(m >> f.fraction))
		return small == DENORMALS ? sign | (uint64_t)m : sign;
	if (last - least + 1 >= (int)ones(f.exponent)) {
		if (mode == TO_ZERO || (mode != NEAREST && (mode == UP) == x.negative))
			return sign | (infinity(f) - 1);
		return sign | infinity(f);
	}

	return sign | (uint64_t)(last - least + 1) << f.fraction | ((uint64_t)m & ones(f.fraction));
}

/* Exact but for a last bit that stands for all lower ones */
static inline struct exact exact_sum(struct exact x, struct exact y, enum rounding mode, bool ieee)
{
	struct exact sum = { 0 };
	int places, low;
	bool lost;

	if (!x.mantissa || !y.mantissa) {
		sum = x.mantissa ? x : y;
		if (!sum.mantissa)
			sum.negative = x.negative == y.negative ? x.negative : ieee && mode == DOWN;
		return sum;
	}

	if (x.exponent + highest(x.mantissa) < y.exponent + highest(y.mantissa)) {
		sum = x;
		x = y;
		y = sum;
	}
	low = 124 - highest(x.mantissa);
	x.mantissa <<= low;
	x.exponent -= low;
	places = x.exponent - y.exponent;
	if (places > 120) {
		y.mantissa = 1;
	} else if (places > 0) {
		lost = y.mantissa & (((wide)1 << places) - 1);
		y.mantissa = y.mantissa >> places | lost;
	} else {
		y.mantissa <<= -places;
	}

	sum = x;
	if (x.negative == y.negative) {
		sum.mantissa += y.mantissa;
	} else {
		sum.negative = x.mantissa >= y.mantissa ? x.negative : y.negative;
		sum.mantissa = x.mantissa >= y.mantissa ? x.mantissa - y.mantissa :
							  y.mantissa - x.mantissa;
	}
	if (!sum.mantissa)
		sum.negative = ieee && mode == DOWN;

	return sum;
}

static inline struct exact exact_product(struct exact x, struct exact y)
{
	return (struct exact){ .negative = x.negative != y.negative,
			       .infinite = x.infinite || y.infinite,
			       .mantissa = x.mantissa * y.mantissa,
			       .exponent = x.exponent + y.exponent };
}

#define NAN32	0x7fffffffu
#define SIGN32	0x80000000u

/* Whether a product is infinity times nothing, or a sum that of two opposite infinities */
static inline bool no_product(struct exact x, struct exact y)
{
	return x.nan || y.nan || (x.infinite && !y.infinite && !y.mantissa) ||
	       (y.infinite && !x.infinite && !x.mantissa);
}

static inline bool no_sum(struct exact x, struct exact y)
{
	return x.nan || y.nan || (x.infinite && y.infinite && x.negative != y.negative);
}

static inline uint32_t f32_add(uint32_t a, uint32_t b, enum rounding mode)
{
	struct exact x = unpacked(f32, a, true), y = unpacked(f32, b, true);

	if (no_sum(x, y))
		return NAN32;
	if (x.infinite || y.infinite)
		return x.infinite ? a : b;
	return (uint32_t)packed(f32, exact_sum(x, y, mode, false), mode, FLUSH);
}

static inline uint32_t f32_mul(uint32_t a, uint32_t b, enum rounding mode)
{
	struct exact x = unpacked(f32, a, true), y = unpacked(f32, b, true);

	if (no_product(x, y))
		return NAN32;
	return (uint32_t)packed(f32, exact_product(x, y), mode, FLUSH);
}

/* The product keeps 24 bits, and any exponent, before the sum is rounded. */
static inline uint32_t f32_mad(uint32_t a, uint32_t b, uint32_t c)
{
	struct exact x = unpacked(f32, a, true), y = unpacked(f32, b, true), z = unpacked(f32, c, true);
	struct exact p = exact_product(x, y);
	int excess = highest(p.mantissa) - 23;

	if (no_product(x, y) || no_sum(p, z))
		return NAN32;
	if (p.infinite)
		return (uint32_t)packed(f32, p, NEAREST, FLUSH);
	if (z.infinite)
		return c;
	if (!p.mantissa || !z.mantissa)
		return f32_add(f32_mul(a, b, NEAREST), c, NEAREST);
	if (excess > 0) {
		p.mantissa >>= excess;
		p.exponent += excess;
	}

	return (uint32_t)packed(f32, exact_sum(p, z, NEAREST, false), NEAREST, FLUSH_LATE);
}

static inline uint32_t f32_saturated(uint32_t x)
{
	if (is_nan(f32, x))
		return NAN32;
	if (x & SIGN32)
		return 0;
	return x > 0x3f800000 ? 0x3f800000 : x;
}

/* 0 less, 1 equal, 2 greater, 3 unordered */
static inline int float_order(struct format f, uint64_t a, uint64_t b, bool flush)
{
	struct exact x = unpacked(f, a, flush), y = unpacked(f, b, flush);
	uint64_t m = a & (sign_bit(f) - 1), n = b & (sign_bit(f) - 1);
	int less;

	if (x.nan || y.nan)
		return 3;
	m = x.mantissa ? m : 0;
	n = y.mantissa ? n : 0;
	if (m == n && (!m || x.negative == y.negative))
		return 1;
	if (x.negative != y.negative)
		return x.negative ? 0 : 2;
	less = (m < n) != x.negative;
	return less ? 0 : 2;
}

/* Flags are those of a comparison with 0. */
static inline uint32_t float_flags(struct format f, uint64_t x, bool flush)
{
	static const uint32_t flags[] = { S, Z, 0, Z | S };

	return flags[float_order(f, x, 0, flush)];
}

static inline struct tesla_result f32_result(uint32_t value, bool saturate)
{
	struct tesla_result r = { .value = saturate ? f32_saturated(value) : value };

	r.flags = float_flags(f32, r.value, true);
	return r;
}

/* Absolute value, then the opposite */
static inline uint64_t modified(struct format f, uint64_t x, bool absolute, bool opposite)
{
	if (absolute)
		x &= ~sign_bit(f);
	return opposite ? x ^ sign_bit(f) : x;
}

static inline uint64_t smaller_or_larger(struct format f, uint64_t a, uint64_t b, bool smaller)
{
	int order = float_order(f, a, b, false);

	/* of two zeros -0 is the smaller */
	if (order == 1)
		order = (a & sign_bit(f)) ? 0 : 2;
	return (order == 0) == smaller ? a : b;
}

static inline struct tesla_result ref_f32_min_max(const struct tesla_op *op)
{
	uint32_t a = (uint32_t)modified(f32, op->a, field(op->w1, 20, 1), field(op->w1, 26, 1));
	uint32_t b = (uint32_t)modified(f32, op->b, field(op->w1, 19, 1), field(op->w1, 27, 1));

	if (is_nan(f32, a) && is_nan(f32, b))
		return f32_result(NAN32, false);
	if (is_nan(f32, a))
		a = b;
	if (is_nan(f32, b))
		b = a;
	a = (uint32_t)packed(f32, unpacked(f32, a, true), NEAREST, FLUSH);
	b = (uint32_t)packed(f32, unpacked(f32, b, true), NEAREST, FLUSH);

	return f32_result((uint32_t)smaller_or_larger(f32, a, b, field(op->w1, 29, 1)), false);
}

static inline struct tesla_result ref_select(const struct tesla_op *op)
{
	uint32_t c = (uint32_t)op->c ^ (field(op->w1, 29, 1) ? SIGN32 : 0);
	int order = float_order(f32, c, 0, true);
	struct tesla_result r = { .value = order == 1 || order == 2 ? op->a : op->b };

	r.flags = r.value & SIGN32 ? S : 0;
	if (!(r.value & ~(uint64_t)SIGN32))
		r.flags = Z;
	return r;
}

static inline struct tesla_result ref_float(const struct tesla_op *op)
{
	static const enum rounding modes[] = { NEAREST, DOWN, UP, TO_ZERO };
	bool words = is_long(op);
	uint32_t first = words ? field(op->w1, 26, 1) : field(op->w0, 15, 1);
	uint32_t last = words ? field(op->w1, 27, 1) : field(op->w0, 22, 1);
	uint32_t a = (uint32_t)op->a ^ first << 31, b = (uint32_t)op->b, c = (uint32_t)op->c;
	bool saturate = words ? field(op->w1, 29, 1) : field(op->w0, 8, 1);

	switch (op->w0 >> 28) {
	case 0xb:
		if (words)
			b = c;
		return f32_result(f32_add(a, b ^ last << 31, words ? modes[field(op->w0, 16, 2)] : NEAREST),
				  saturate);
	case 0xc:
		if (words)
			saturate = field(op->w1, 20, 1);
		return f32_result(f32_mul(a, b ^ last << 31, words ? modes[field(op->w1, 14, 2)] : NEAREST),
				  saturate);
	default:
		return f32_result(f32_mad(a, b, c ^ last << 31), saturate);
	}
}

/* --- doubles, of the G200 --- */

#define QUIET		(1ull << 51)
#define NO_DOUBLE	0xfff8000000000000ull

static inline struct tesla_result f64_result(uint64_t value)
{
	return (struct tesla_result){ value, float_flags(f64, value, false) };
}

/* A NaN keeps its sign and becomes quiet. */
static inline uint64_t f64_operand(uint64_t x, bool absolute, bool opposite)
{
	return is_nan(f64, x) ? x | QUIET : modified(f64, x, absolute, opposite);
}

static inline uint64_t f64_add(uint64_t a, uint64_t b, enum rounding mode)
{
	struct exact x = unpacked(f64, a, false), y = unpacked(f64, b, false);

	if (x.nan || y.nan)
		return y.nan ? b : a;
	if (no_sum(x, y))
		return NO_DOUBLE;
	if (x.infinite || y.infinite)
		return x.infinite ? a : b;
	return packed(f64, exact_sum(x, y, mode, true), mode, DENORMALS);
}

static inline uint64_t f64_mul(uint64_t a, uint64_t b, enum rounding mode)
{
	struct exact x = unpacked(f64, a, false), y = unpacked(f64, b, false);

	if (x.nan || y.nan)
		return y.nan ? b : a;
	if (no_product(x, y))
		return NO_DOUBLE;
	return packed(f64, exact_product(x, y), mode, DENORMALS);
}

static inline uint64_t f64_fma(uint64_t a, uint64_t b, uint64_t c, enum rounding mode)
{
	struct exact x = unpacked(f64, a, false), y = unpacked(f64, b, false);
	struct exact z = unpacked(f64, c, false), p = exact_product(x, y);

	if (y.nan)
		return b;
	if (z.nan || x.nan)
		return z.nan ? c : a;
	if (no_product(x, y) || no_sum(p, z))
		return NO_DOUBLE;
	if (p.infinite)
		return packed(f64, p, mode, DENORMALS);
	if (z.infinite)
		return c;
	return packed(f64, exact_sum(p, z, mode, true), mode, DENORMALS);
}

static inline struct tesla_result ref_double(const struct tesla_op *op)
{
	bool absolute_a = field(op->w1, 20, 1), absolute_b = field(op->w1, 19, 1);
	bool negative_a = field(op->w1, 26, 1), negative_b = field(op->w1, 27, 1);
	uint64_t a, b;

	switch (op->w1 >> 29) {
	case 2:
		return f64_result(f64_fma(f64_operand(op->a, false, negative_a),
					  f64_operand(op->b, false, false),
					  f64_operand(op->c, false, negative_b), field(op->w1, 22, 2)));
	case 3:
		return f64_result(f64_add(f64_operand(op->a, false, negative_a),
					  f64_operand(op->c, false, negative_b), field(op->w0, 16, 2)));
	case 4:
		return f64_result(f64_mul(f64_operand(op->a, false, negative_a),
					  f64_operand(op->b, false, false), field(op->w1, 17, 2)));
	case 7:
		return ref_set(op, float_order(f64, modified(f64, op->a, absolute_a, negative_a),
					       modified(f64, op->b, absolute_b, negative_b), false));
	}

	a = f64_operand(op->a, absolute_a, negative_a);
	b = f64_operand(op->b, absolute_b, negative_b);
	if (is_nan(f64, b))
		return f64_result(is_nan(f64, a) ? b : a);
	if (is_nan(f64, a))
		return f64_result(b);
	return f64_result(smaller_or_larger(f64, a, b, op->w1 >> 29 == 5));
}

/* --- conversions --- */

struct cvt {
	bool to_32, to_64, from_32, from_64, is_signed, absolute, opposite, saturate, rint, byte;
	enum rounding mode;
};

static inline enum rounding mirrored(enum rounding mode, bool negative)
{
	if (!negative || mode == NEAREST || mode == TO_ZERO)
		return mode;
	return mode == UP ? DOWN : UP;
}

static inline struct cvt cvt_of(const struct tesla_op *op)
{
	bool doubles = op->g200 && field(op->w1, 22, 1);

	return (struct cvt){
		.to_32 = field(op->w1, 26, 1), .from_32 = field(op->w1, 14, 1),
		.to_64 = doubles && field(op->w1, 26, 1), .from_64 = doubles && field(op->w1, 14, 1),
		.is_signed = field(op->w1, 16, 1), .absolute = field(op->w1, 20, 1),
		.opposite = field(op->w1, 29, 1), .saturate = field(op->w1, 19, 1),
		.rint = field(op->w1, 27, 1), .byte = field(op->w1, 15, 1), .mode = field(op->w1, 17, 2),
	};
}

/* A magnitude that fits @bits, with a sign where there is one */
static inline uint64_t clamped(wide m, bool negative, bool is_signed, uint32_t bits, bool *over)
{
	wide limit = negative ? 0 : ones(bits);

	if (is_signed)
		limit = ((wide)1 << (bits - 1)) - !negative;
	*over = m > limit;
	if (*over)
		m = limit;
	return (uint64_t)(negative ? -m : m);
}

static inline struct tesla_result ref_i2i(const struct tesla_op *op)
{
	struct cvt k = cvt_of(op);
	uint32_t from = k.byte ? 8 : op->width[0], to = op->width[RESULT_OF];
	bool to_signed = field(op->w1, 27, 1), over, negative;
	int64_t x = number(op->a, from, k.is_signed);
	struct tesla_result r;
	uint32_t bits = to;

	negative = (x < 0 && !k.absolute) != k.opposite;
	if (field(op->w1, 19, 1))
		bits = 8;
	r.value = clamped((wide)(x < 0 ? -x : x), negative, to_signed, bits, &over) & ones(to);
	r.flags = zero_and_sign(r.value, to);

	return r;
}

static inline uint32_t f16_to_f32(uint64_t x)
{
	struct exact n = unpacked(f16, x & 0xffff, false);

	return n.nan ? NAN32 : (uint32_t)packed(f32, n, NEAREST, FLUSH);
}

/* Below 2^-33 all modes give 0. */
static inline uint32_t f32_to_f16(uint32_t x, enum rounding mode, bool rint)
{
	struct exact n = unpacked(f32, x, true);

	if (n.nan)
		return 0x7fff;
	if (!n.infinite && field(x, 23, 8) <= 0x5d)
		n.mantissa = 0;
	/* A number that was rounded to an integer is cut off. */
	if (rint && n.mantissa && !n.infinite) {
		int last = n.exponent + highest(n.mantissa) - 10, places;

		last = last < -24 ? -24 : last;
		places = last - n.exponent;
		n.mantissa = rounded(n.mantissa, places, TO_ZERO, n.negative);
		n.exponent = last;
	}

	return (uint32_t)packed(f16, n, mode, DENORMALS);
}

static inline uint64_t rounded_to_integer(struct format f, uint64_t x, enum rounding mode,
					  bool flush)
{
	struct exact n = unpacked(f, x, flush);

	if (n.nan || n.infinite || n.exponent >= 0)
		return x;
	n.mantissa = rounded(n.mantissa, -n.exponent, mode, n.negative);
	n.exponent = 0;
	return packed(f, n, mode, flush ? FLUSH : DENORMALS);
}

static inline struct tesla_result ref_f2f(const struct tesla_op *op)
{
	struct cvt k = cvt_of(op);
	uint32_t x = (uint32_t)op->a;
	struct tesla_result r;

	if (!k.from_32)
		x = f16_to_f32(x);
	x = f32_add((uint32_t)modified(f32, x, k.absolute, k.opposite), SIGN32, NEAREST);
	if (k.saturate)
		x = f32_saturated(x);
	if (k.rint)
		x = (uint32_t)rounded_to_integer(f32, x, k.mode, true);
	if (k.to_32)
		return f32_result(x, false);

	r.value = f32_to_f16(x, k.mode, k.rint);
	r.flags = float_flags(f32, f16_to_f32(r.value), true);
	return r;
}

/* 32-bit floats and halves as integers: a NaN is 0. */
static inline struct tesla_result ref_f2i(const struct tesla_op *op)
{
	struct cvt k = cvt_of(op);
	uint32_t x = k.from_32 ? (uint32_t)op->a : f16_to_f32(op->a), to = op->width[RESULT_OF];
	struct tesla_result r = { 0 };
	struct exact n;
	bool over;

	n = unpacked(f32, modified(f32, x, k.absolute, k.opposite), true);
	if (n.infinite || (n.mantissa && n.exponent > 40))
		n.mantissa = (wide)1 << 64;
	else
		n.mantissa = rounded(n.mantissa, -n.exponent, k.mode, n.negative);
	if (!n.nan)
		r.value = clamped(n.mantissa, n.negative, field(op->w1, 27, 1), to, &over) & ones(to);
	r.flags = zero_and_sign(r.value, to);

	return r;
}

/* Cards lose the upper bits of an integer that becomes a half. */
static inline uint32_t shortened(uint32_t magnitude, bool negative, enum rounding mode)
{
	uint16_t low = (uint16_t)(magnitude - negative);
	uint32_t lost = 2;

	if ((mode == NEAREST || mode == UP) && field(magnitude, 5, 25) == 0x1ffffff) {
		magnitude = 0;
		low = (uint16_t)(0u - negative);
	}
	for (; low < 0x8000 && lost < 7; low = (uint16_t)(low << 1))
		lost++;

	return magnitude & (~0u >> lost);
}

static inline struct tesla_result ref_i2f(const struct tesla_op *op)
{
	struct cvt k = cvt_of(op);
	int64_t x = number(op->a, k.byte ? 8 : op->width[0], k.is_signed);
	struct exact n = { .negative = (x < 0 && !k.absolute) != k.opposite,
			   .mantissa = (wide)(x < 0 ? -x : x) };
	struct tesla_result r;
	uint32_t value;

	if (!k.to_32)
		n.mantissa = shortened((uint32_t)n.mantissa, x < 0, mirrored(k.mode, n.negative));
	value = (uint32_t)packed(f32, n, k.mode, FLUSH);
	if (k.saturate)
		value = f32_saturated(value);
	if (k.to_32)
		return f32_result(value, false);

	r.value = f32_to_f16(value, k.mode, false);
	r.flags = float_flags(f32, f16_to_f32(r.value), true);
	return r;
}

/* 64 bits on at least one side */
static inline struct tesla_result ref_i2f64(const struct tesla_op *op)
{
	struct cvt k = cvt_of(op);
	uint32_t bits = op->width[0];
	bool below = k.is_signed && top(op->a, bits);
	uint64_t x = (uint64_t)number(op->a, bits, k.is_signed);
	struct exact n = { .negative = (below && !k.absolute) != k.opposite, .mantissa = below ? -x : x };
	/* An unsigned one rounds as if it were not negated. */
	enum rounding mode = k.is_signed ? k.mode : mirrored(k.mode, n.negative);

	if (k.to_64)
		return f64_result(packed(f64, n, mode, DENORMALS));

	x = packed(f32, n, mode, FLUSH);
	return (struct tesla_result){ x, float_flags(f32, x, false) };
}

static inline struct tesla_result ref_f2i64(const struct tesla_op *op)
{
	struct cvt k = cvt_of(op);
	struct format f = k.from_64 ? f64 : f32;
	struct exact n = unpacked(f, modified(f, op->a, k.absolute, k.opposite), false);
	uint32_t to = op->width[RESULT_OF];
	struct tesla_result r = { .value = 1ull << (to - 1) };
	bool over = true;

	if (n.infinite || (n.mantissa && n.exponent > (k.from_64 ? 11 : 40)))
		n.mantissa = ~0ull;
	else
		n.mantissa = rounded(n.mantissa, -n.exponent, k.mode, n.negative);
	if (!n.nan)
		r.value = clamped(n.mantissa, n.negative, field(op->w1, 27, 1), to, &over) & ones(to);
	r.flags = zero_and_sign(r.value, to) | (over ? O : 0);

	return r;
}

static inline struct tesla_result ref_f2f64(const struct tesla_op *op)
{
	struct cvt k = cvt_of(op);
	struct format from = k.from_64 ? f64 : f32;
	uint64_t x = op->a, sign;

	if (is_nan(from, x)) {
		sign = (x & sign_bit(from)) != 0;
		x = (x & ones(from.fraction)) << (52 - from.fraction) | QUIET | sign << 63 | infinity(f64);
		if (k.to_64)
			return f64_result(x);
		x = sign << 31 | infinity(f32) | (x & ones(52)) >> 29;
		return (struct tesla_result){ x, Z | S };
	}

	x = packed(f64, unpacked(from, modified(from, x, k.absolute, k.opposite), false), NEAREST,
		   DENORMALS);
	if (k.to_64)
		return f64_result(k.rint && k.from_64 ? rounded_to_integer(f64, x, k.mode, false) : x);
	x = packed(f32, unpacked(f64, x, false), k.mode, DENORMALS);
	return (struct tesla_result){ x, float_flags(f32, x, false) };
}

static inline struct tesla_result ref_cvt(const struct tesla_op *op)
{
	struct cvt k = cvt_of(op);
	bool doubles = k.to_64 || k.from_64;

	switch (op->w1 >> 30) {
	case 0:
		return ref_i2i(op);
	case 1:
		return doubles ? ref_i2f64(op) : ref_i2f(op);
	case 2:
		return doubles ? ref_f2i64(op) : ref_f2i(op);
	default:
		return doubles ? ref_f2f64(op) : ref_f2f(op);
	}
}

/* --- all of them --- */

static inline void set_widths(struct tesla_op *op, uint32_t a, uint32_t b, uint32_t c,
			      uint32_t result)
{
	const uint32_t widths[] = { a, b, c, result };
	uint32_t i;

	for (i = 0; i < 4; i++)
		op->width[i] = widths[i];
}

/* Widths of a short code or one with a number; false: the reference does not know the code. */
static inline bool short_widths(struct tesla_op *op)
{
	uint32_t word = field(op->w0, 15, 1) ? 32 : 16;

	switch (op->w0 >> 28) {
	case 1:
		set_widths(op, !is_immediate(op) * word, is_immediate(op) * word, 0, word);
		return true;
	case 2: case 3:
		set_widths(op, word, word, 0, word);
		return true;
	case 4:
		word = field(op->w0, 22, 1) ? 32 : 16;
		set_widths(op, word, word, 0, 32);
		return true;
	case 5:
		set_widths(op, word, word, 32, 32);
		return !is_immediate(op);
	case 6: case 7:
		word = field(op->w0, 15, 1) && field(op->w0, 8, 1) ? 32 : 16;
		set_widths(op, word, word, 32, 32);
		return true;
	case 0xd:
		set_widths(op, 32, 32, 0, 32);
		return is_immediate(op);
	case 0xb: case 0xc:
		set_widths(op, 32, 32, 0, 32);
		return true;
	case 0xe:
		set_widths(op, 32, 32, 32, 32);
		return true;
	}

	return false;
}

static inline void cvt_widths(struct tesla_op *op)
{
	struct cvt k = cvt_of(op);
	bool doubles = op->g200 && field(op->w1, 22, 1);
	uint32_t from = k.from_32 ? 32 : 16;
	uint32_t to = k.to_32 ? 32 : 16;

	if (doubles) {
		from = k.from_64 ? 64 : 32;
		to = k.to_64 ? 64 : 32;
	}
	set_widths(op, from, 0, 0, to);
}

static inline bool integer_widths(struct tesla_op *op)
{
	uint32_t word = field(op->w1, 26, 1) ? 32 : 16;

	switch (opcode(op)) {
	case 0x20: case 0x30:
		set_widths(op, word, 0, word, word);
		return true;
	case 0x33: case 0x34: case 0x35: case 0xd0:
		set_widths(op, word, word, 0, word);
		return true;
	case 0x36: case 0x37:
		set_widths(op, word, field(op->w1, 20, 1) ? 0 : word, 0, word);
		return true;
	case 0x40:
		word = field(op->w1, 16, 1) ? 32 : 16;
		set_widths(op, word, word, 0, 32);
		return true;
	case 0x50:
		set_widths(op, word, word, 32, 32);
		return true;
	case 0x60: case 0x61: case 0x62:
		set_widths(op, 16, 16, 32, 32);
		return true;
	case 0x63: case 0x64: case 0x65: case 0x66: case 0x67: case 0x70:
		set_widths(op, 32, 32, 32, 32);
		return true;
	}

	return false;
}

static inline bool tesla_widths(struct tesla_op *op)
{
	if (!is_long(op))
		return short_widths(op);

	switch (opcode(op)) {
	case 0xa0 ... 0xa7:
		cvt_widths(op);
		return true;
	case 0xb0: case 0xb1:
		set_widths(op, 32, 0, 32, 32);
		return true;
	case 0xb3: case 0xb4: case 0xb5: case 0xc0:
		set_widths(op, 32, 32, 0, 32);
		return true;
	case 0xc2: case 0xc3: case 0xe0: case 0xe1:
		set_widths(op, 32, 32, 32, 32);
		return true;
	case 0xe2:
		set_widths(op, 64, 64, 64, 64);
		return op->g200;
	case 0xe3:
		set_widths(op, 64, 0, 64, 64);
		return op->g200;
	case 0xe4: case 0xe5: case 0xe6:
		set_widths(op, 64, 64, 0, 64);
		return op->g200;
	case 0xe7:
		set_widths(op, 64, 64, 0, 32);
		return op->g200;
	default:
		return integer_widths(op);
	}
}

static inline struct tesla_result short_result(const struct tesla_op *op)
{
	uint32_t kind = field(op->w0, 22, 1) | field(op->w0, 28, 1) << 1;

	switch (op->w0 >> 28) {
	case 1:
		return (struct tesla_result){ is_immediate(op) ? op->b : op->a, 0 };
	case 2: case 3:
		return ref_add(kind, field(op->w0, 8, 1), op->width[0], op->a, op->b, op->flags);
	case 4:
		return ref_mul(op);
	case 5:
		return ref_sad(op, field(op->w0, 8, 1));
	case 6: case 7:
		return ref_short_mad(op);
	case 0xd:
		return ref_logic(field(op->w0, 8, 1) | field(op->w0, 15, 1) << 1,
				 field(op->w0, 22, 1) ? ~op->a : op->a, op->b, 32);
	default:
		return ref_float(op);
	}
}

static inline int integer_order(const struct tesla_op *op)
{
	int64_t x = number(op->a, op->width[0], field(op->w1, 27, 1));
	int64_t y = number(op->b, op->width[1], field(op->w1, 27, 1));

	return x < y ? 0 : 1 + (x > y);
}

/* The result of a code whose widths are known */
static inline struct tesla_result tesla_compute(const struct tesla_op *op)
{
	if (!is_long(op))
		return short_result(op);

	switch (opcode(op)) {
	case 0x20: case 0x30:
		return ref_add(field(op->w0, 22, 1) | field(op->w0, 28, 1) << 1, field(op->w1, 27, 1),
			       op->width[0], op->a, op->c, op->flags);
	case 0x33:
		return ref_set(op, integer_order(op));
	case 0x34: case 0x35:
		return ref_min_max(op);
	case 0x36: case 0x37:
		return ref_shift(op);
	case 0x40:
		return ref_mul(op);
	case 0x50:
		return ref_sad(op, field(op->w1, 27, 1));
	case 0x60 ... 0x67: case 0x70:
		return ref_long_mad(op);
	case 0xa0 ... 0xa7:
		return ref_cvt(op);
	case 0xb3:
		return ref_set(op, float_order(f32, modified(f32, op->a, field(op->w1, 20, 1),
							     field(op->w1, 26, 1)),
					       modified(f32, op->b, field(op->w1, 19, 1),
							field(op->w1, 27, 1)), true));
	case 0xb4: case 0xb5:
		return ref_f32_min_max(op);
	case 0xc2: case 0xc3:
		return ref_select(op);
	case 0xd0:
		return ref_logic(field(op->w1, 14, 2), op->a ^ -(uint64_t)field(op->w1, 16, 1),
				 op->b ^ -(uint64_t)field(op->w1, 17, 1), op->width[0]);
	case 0xe2 ... 0xe7:
		return ref_double(op);
	default:
		return ref_float(op);
	}
}

#endif
