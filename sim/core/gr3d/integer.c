// SPDX-License-Identifier: MIT
/*
 * Integer arithmetic of programs: sums, products, comparisons, shifts, differences and logic, of
 * words and of halves of words, with the flags that they leave. Results are those of envytools'
 * hwtest, which compares each with cards.
 */
#include "gr3d.h"

#define HALF		0xffffu

/* Of word 0 in instructions of one word, and with an immediate */
#define SHORT_MODE_LOW	(1u << 8)
#define SHORT_MODE	(1u << 15)
#define SHORT_WIDE	(1u << 22)

/* Of word 1 */
#define MODE_LOW	(1u << 14)
#define MODE		(1u << 15)
#define FIRST_INVERTED	(1u << 16)
#define SECOND_INVERTED	(1u << 17)
#define COUNT_IS_CODE	(1u << 20)	/* a shift whose count is in the instruction */
#define IS_WORD		(1u << 26)
#define IS_SIGNED	(1u << 27)

#define ADD		0
#define SUBTRACT	1
#define SUBTRACT_FROM	2
#define ADD_CARRY	3

/* A product that has an addition, and how the sum is limited */
struct product {
	bool wide;		/* of 24 bits, else of 16 */
	bool is_signed;
	bool high;		/* the upper 32 bits of 48, else the lower ones */
	bool saturates;
};

static bool has_word1(const struct sim_integer *op)
{
	return op->w[0] & 1 && (op->w[1] & 3) != 3;
}

static u32 group_of(const struct sim_integer *op)
{
	return op->w[0] >> 28;
}

static u32 kind_of(const struct sim_integer *op)
{
	return op->w[1] >> 29;
}

static u32 sign_and_zero(u32 value, u32 bits)
{
	if (!value)
		return SIM_FLAG_ZERO;
	if (value >> (bits - 1) & 1)
		return SIM_FLAG_SIGN;
	return 0;
}

/* --- sums --- */

static u32 sum(u32 kind, u32 bits, bool saturates, u32 a, u32 b, u32 *flags)
{
	u32 mask = ~0u >> (32 - bits), top = 1u << (bits - 1), result, carry = 0;
	u64 exact;

	if (kind == SUBTRACT)
		b = ~b;
	if (kind == SUBTRACT_FROM)
		a = ~a;
	if (kind == SUBTRACT || kind == SUBTRACT_FROM)
		carry = 1;
	if (kind == ADD_CARRY)
		carry = *flags & SIM_FLAG_CARRY ? 1 : 0;

	a &= mask;
	b &= mask;
	exact = (u64)a + b + carry;
	result = (u32)exact & mask;

	*flags = exact >> bits ? SIM_FLAG_CARRY : 0;
	if (~(a ^ b) & (a ^ result) & top) {
		*flags |= SIM_FLAG_OVERFLOW;
		if (saturates)
			result = a & top ? top : top - 1;
	}
	*flags |= sign_and_zero(result, bits);

	return result;
}

static void add(const struct sim_integer *op, u32 *result, u32 *flags)
{
	u32 kind = (op->w[0] >> 22 & 1) | (op->w[0] >> 27 & 2);
	u32 bits = op->is_half ? 16 : 32;
	bool saturates = op->w[0] & SHORT_MODE_LOW;

	if (has_word1(op))
		saturates = op->w[1] & IS_SIGNED;

	*result = sum(kind, bits, saturates, op->a, op->c, flags);
}

/* --- products --- */

static u32 multiply_16(u32 a, bool a_signed, u32 b, bool b_signed)
{
	u32 x = a & HALF, y = b & HALF;

	if (a_signed)
		x = (u32)(int32_t)(int16_t)x;
	if (b_signed)
		y = (u32)(int32_t)(int16_t)y;

	return x * y;
}

/* Of the lower 24 bits of each: of 48, the upper or the lower 32 */
static u32 multiply_24(u32 a, u32 b, bool is_signed, bool high)
{
	u32 x = a << 8, y = b << 8;
	u64 exact = (u64)x * y;

	if (is_signed)
		exact = (u64)((int64_t)(int32_t)x * (int32_t)y);

	return (u32)(exact >> (high ? 32 : 16));
}

static void multiply(const struct sim_integer *op, u32 *result, u32 *flags)
{
	bool mode = op->w[0] & SHORT_MODE, mode_low = op->w[0] & SHORT_MODE_LOW;

	if (has_word1(op)) {
		mode = op->w[1] & MODE;
		mode_low = op->w[1] & MODE_LOW;
	}

	if (op->is_half)
		*result = multiply_16(op->a, mode, op->b, mode_low);
	else
		*result = multiply_24(op->a, op->b, mode, mode_low);
	*flags = sign_and_zero(*result, 32);
}

/* Groups 6 and 7: the factors, by kind of the instruction */
static struct product product_of(const struct sim_integer *op)
{
	static const struct product kinds[16] = {
		[0x0] = { 0 },
		[0x1] = { .is_signed = true },
		[0x2] = { .is_signed = true, .saturates = true },
		[0x3] = { .wide = true },
		[0x4] = { .wide = true, .is_signed = true },
		[0x5] = { .wide = true, .is_signed = true, .saturates = true },
		[0x6] = { .wide = true, .high = true },
		[0x7] = { .wide = true, .is_signed = true, .high = true },
		[0x8] = { .wide = true, .is_signed = true, .high = true, .saturates = true },
		[0x9] = { .wide = true }, [0xa] = { .wide = true }, [0xb] = { .wide = true },
		[0xc] = { .wide = true }, [0xd] = { .wide = true }, [0xe] = { .wide = true },
		[0xf] = { .wide = true },
	};

	if (has_word1(op))
		return kinds[kind_of(op) | (group_of(op) == 7 ? 8 : 0)];

	return kinds[(op->w[0] >> 8 & 1) | (op->w[0] >> 14 & 2)];
}

static void multiply_add(const struct sim_integer *op, u32 *result, u32 *flags)
{
	const struct product p = product_of(op);
	u32 kind = (op->w[0] >> 22 & 1) | (op->w[0] >> 27 & 2), value;

	if (has_word1(op))
		kind = op->w[1] >> 26 & 3;

	if (p.wide)
		value = multiply_24(op->a, op->b, p.is_signed, p.high);
	else
		value = multiply_16(op->a, p.is_signed, op->b, p.is_signed);

	*result = sum(kind, 32, p.saturates, value, op->c, flags);
}

/* --- comparisons: in the order of words without sign, halves in the upper half --- */

static u32 in_order(const struct sim_integer *op, bool is_signed, u32 value)
{
	if (op->is_half)
		value <<= 16;

	return is_signed ? value ^ 0x80000000 : value;
}

static u32 from_order(const struct sim_integer *op, bool is_signed, u32 value)
{
	if (is_signed)
		value ^= 0x80000000;

	return op->is_half ? value >> 16 : value;
}

static void compare(const struct sim_integer *op, u32 *result, u32 *flags)
{
	bool is_signed = op->w[1] & IS_SIGNED;
	u32 a = in_order(op, is_signed, op->a), b = in_order(op, is_signed, op->b), relation = 2;

	if (a < b)
		relation = 0;
	else if (a == b)
		relation = 1;

	*result = 0;
	if (op->w[1] >> 14 >> relation & 1)
		*result = op->is_half ? HALF : ~0u;
	*flags = *result ? SIM_FLAG_SIGN : SIM_FLAG_ZERO;
}

static void select_one(const struct sim_integer *op, bool smaller, u32 *result, u32 *flags)
{
	bool is_signed = op->w[1] & IS_SIGNED;
	u32 a = in_order(op, is_signed, op->a), b = in_order(op, is_signed, op->b);
	bool first = a > b;

	if (smaller)
		first = !first;

	*result = from_order(op, is_signed, first ? a : b);
	*flags = sign_and_zero(*result, op->is_half ? 16 : 32);
}

/* The absolute difference, and another word added to it */
static void difference(const struct sim_integer *op, u32 *result, u32 *flags)
{
	bool is_signed = op->w[0] & SHORT_MODE_LOW;
	u32 a, b, value;

	if (has_word1(op))
		is_signed = op->w[1] & IS_SIGNED;

	a = in_order(op, is_signed, op->a);
	b = in_order(op, is_signed, op->b);
	value = a > b ? a - b : b - a;
	if (op->is_half)
		value >>= 16;

	*result = sum(ADD, 32, false, value, op->c, flags);
}

/* --- shifts; the last bit that leaves is the carry --- */

static void shift_left(u32 a, u32 count, u32 bits, u32 *result, u32 *flags)
{
	*result = count < 32 ? a << count : 0;
	if (count && count < bits && a >> (bits - count) & 1)
		*flags |= SIM_FLAG_CARRY;
}

/* A right shift fills the free bits with the sign. */
static void shift_right(u32 a, u32 count, bool negative, u32 *result, u32 *flags)
{
	u32 n = count < 32 ? count : 31;

	*result = a >> n;
	if (count > 31)
		*result = 0;
	if (negative)
		*result = count < 32 ? ~(~a >> n) : ~0u;
	if (count && count < 32 && a >> (count - 1) & 1)
		*flags |= SIM_FLAG_CARRY;
}

static void shift(const struct sim_integer *op, bool left, u32 *result, u32 *flags)
{
	u32 bits = op->is_half ? 16 : 32, mask = op->is_half ? HALF : ~0u, a = op->a & mask;
	u32 count = op->b & mask;
	bool negative = op->w[1] & IS_SIGNED && a >> (bits - 1);

	if (op->w[1] & COUNT_IS_CODE)
		count = op->w[0] >> 16 & 0x7f;

	*flags = 0;
	if (left) {
		shift_left(a, count, bits, result, flags);
	} else {
		if (negative)
			a |= ~mask;
		shift_right(a, count, negative, result, flags);
		if (count >= bits)
			*flags = 0;
	}

	*result &= mask;
	*flags |= sign_and_zero(*result, bits);
	if ((*result ^ op->a) >> (bits - 1) & 1 && count == 1)
		*flags |= SIM_FLAG_OVERFLOW;
}

/* --- logic --- */

static void logic(const struct sim_integer *op, u32 *result, u32 *flags)
{
	u32 a = op->a, b = op->b, kind = (op->w[0] >> 8 & 1) | (op->w[0] >> 14 & 2);
	bool invert_first = op->w[0] & SHORT_WIDE, invert_second = false;

	if (has_word1(op)) {
		kind = op->w[1] >> 14 & 3;
		invert_first = op->w[1] & FIRST_INVERTED;
		invert_second = op->w[1] & SECOND_INVERTED;
	}
	if (invert_first)
		a = ~a;
	if (invert_second)
		b = ~b;

	switch (kind) {
	case 0:
		*result = a & b;
		break;
	case 1:
		*result = a | b;
		break;
	case 2:
		*result = a ^ b;
		break;
	default:
		*result = b;
	}
	if (op->is_half)
		*result &= HALF;
	*flags = sign_and_zero(*result, op->is_half ? 16 : 32);
}

/* --- instructions --- */

/* Groups 2 and 3 are alike, except the kinds above 0 of group 3. */
static bool is_sum(const struct sim_integer *op)
{
	return group_of(op) == 2 || (group_of(op) == 3 && (!has_word1(op) || !kind_of(op)));
}

static enum sim_integer_width sum_width(const struct sim_integer *op)
{
	bool is_word = op->w[0] & SHORT_MODE;

	if (has_word1(op))
		is_word = op->w[1] & IS_WORD;

	return is_word ? SIM_INTEGER_WORDS : SIM_INTEGER_HALVES;
}

static enum sim_integer_width product_width(const struct sim_integer *op)
{
	bool wide = op->w[0] & SHORT_WIDE;

	if (group_of(op) != 4)
		wide = product_of(op).wide;
	else if (has_word1(op))
		wide = op->w[1] >> 16 & 1;

	return wide ? SIM_INTEGER_WORDS : SIM_INTEGER_HALF_OPERANDS;
}

enum sim_integer_width sim_integer_width(const u32 *w)
{
	const struct sim_integer op = { .w = { w[0], w[1] } };

	switch (group_of(&op)) {
	case 4:
	case 6:
	case 7:
		return product_width(&op);
	case 5:
		return sum_width(&op) == SIM_INTEGER_WORDS ? SIM_INTEGER_WORDS :
							     SIM_INTEGER_HALF_OPERANDS;
	case 0xd:
		return has_word1(&op) ? sum_width(&op) : SIM_INTEGER_WORDS;
	}

	return sum_width(&op);
}

static bool of_group_3(const struct sim_integer *op, u32 *result, u32 *flags)
{
	switch (kind_of(op)) {
	case 3:
		compare(op, result, flags);
		return true;
	case 4:
	case 5:
		select_one(op, kind_of(op) == 5, result, flags);
		return true;
	case 6:
	case 7:
		shift(op, kind_of(op) == 6, result, flags);
		return true;
	}

	return false;
}

bool sim_integer(const struct sim_integer *op, u32 *result, u32 *flags)
{
	bool first_kind = !has_word1(op) || !kind_of(op);

	if (is_sum(op)) {
		add(op, result, flags);
		return true;
	}

	switch (group_of(op)) {
	case 3:
		return of_group_3(op, result, flags);
	case 4:
		multiply(op, result, flags);
		return first_kind;
	case 5:
		difference(op, result, flags);
		return first_kind;
	case 6:
	case 7:
		multiply_add(op, result, flags);
		return true;
	case 0xd:
		logic(op, result, flags);
		return first_kind;
	}

	return false;
}
