// SPDX-License-Identifier: MIT
/*
 * Integer instructions of programs, compared with the expectations of envytools' hwtest. There are
 * some results, and a checksum of each form over random modes and operands.
 */
#include "../core/gr3d/gr3d.h"
#include "rig.h"

#define ROUNDS	1000000

#define IS_LONG		1u
#define IMMEDIATE	3u	/* of word 1 */

/* Forms of instructions, and the bits that hwtest varies: @random ones are added to @base. */
static const struct form {
	const char *name;
	u32 base[2], random[2];
	u64 checksum;
} forms[] = {
	{ "sums", { 0x20000001, 0 }, { 0x1e7f0000, 0x1fc00004 },
	  0x9363bcd14bb78816 },
	{ "comparisons", { 0x30000001, 0x60000000 }, { 0x0e000000, 0x1fdfc004 },
	  0xe24d6d7e671641bd },
	{ "the smaller and the larger", { 0x30000001, 0x80000000 }, { 0x0e000000, 0x3fdfc004 },
	  0x584514b95795c83b },
	{ "shifts", { 0x30000001, 0xc0000000 }, { 0x0e7f0000, 0x3fdfc004 },
	  0x0891461dd11adbb4 },
	{ "products", { 0x40000001, 0 }, { 0x0e000000, 0x1fdfc004 },
	  0x0d126370336d5d93 },
	{ "differences", { 0x50000001, 0 }, { 0x0e000000, 0x1fc00004 },
	  0x7e3adc14ab3d878a },
	{ "products and sums", { 0x60000001, 0 }, { 0x1e000000, 0xffc00004 },
	  0x1aff25cd27312ef3 },
	{ "logic", { 0xd0000001, 0 }, { 0x0e000000, 0x1fdfc004 },
	  0xc084b20fe0ff535d },
	{ "sums, short", { 0x20000000, 0 }, { 0x1e408100, 0 },
	  0xf1f3044577287212 },
	{ "products, short", { 0x40000000, 0 }, { 0x0e408100, 0 },
	  0x4e8e62a8f8cfbf0b },
	{ "differences, short", { 0x50000000, 0 }, { 0x0e408100, 0 },
	  0xff3700a9d22d0747 },
	{ "products and sums, short", { 0x60000000, 0 }, { 0x1e408100, 0 },
	  0x5715a7066ec63ee9 },
	{ "sums with a number", { 0x20000001, 3 }, { 0x1e7f8100, 0x1ffffffc },
	  0xfc727e01179ed848 },
	{ "products with a number", { 0x40000001, 3 }, { 0x0e7f8100, 0x1ffffffc },
	  0x1657603182c0342c },
	{ "products with a number and sums", { 0x60000001, 3 }, { 0x1e7f8100, 0x1ffffffc },
	  0x89cde774e86e9a4b },
	{ "logic with a number", { 0xd0000001, 3 }, { 0x0e7f8100, 0x1ffffffc },
	  0x2eab063e6a295f27 },
};

/* Results and flags of their own */
static const struct {
	const char *name;
	u32 w[2], a, b, c, carry, result, flags;
} rows[] = {
	{ "a sum with a carry", { 0x20000001, 0x04000000 }, ~0u, 0, 1, 0, 0, 5 },
	{ "a sum of halves that saturates", { 0x20000001, 0x08000000 }, 0x7fff, 0, 1, 0, 0x7fff, 8 },
	{ "a sum and the carry before it", { 0x30400001, 0x04000000 }, 5, 0, 3, 4, 9, 0 },
	{ "a shift by 32", { 0x30000001, 0xc4000000 }, 1, 32, 0, 0, 0, 1 },
	{ "a signed shift by 40", { 0x30000001, 0xec000000 }, 0x80000000, 40, 0, 0, ~0u, 2 },
	{ "the bit that a shift loses", { 0x30000001, 0xe4000000 }, 6, 2, 0, 0, 1, 4 },
	{ "24 bits of a product", { 0x40000001, 0x00010000 }, 0x1000003, 5, 0, 0, 15, 0 },
	{ "an absolute difference", { 0x50000001, 0x0c000000 }, -3, 4, 10, 0, 17, 0 },
};

static u64 state;

static u32 next_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;

	return (u32)(state >> 16);
}

/* Some operands are near 0, on both sides. */
static u32 next_operand(u32 mode)
{
	u32 word = next_word();

	return mode & 1 ? (u32)(int32_t)(int8_t)word : word;
}

static struct sim_integer next_instruction(const struct form *f)
{
	struct sim_integer op = {
		.w = { f->base[0] | (next_word() & f->random[0]),
		       f->base[1] | (next_word() & f->random[1]) },
	};
	enum sim_integer_width width = sim_integer_width(op.w);
	u32 mode = next_word();

	op.a = next_operand(mode);
	op.b = next_operand(mode >> 1);
	op.c = next_operand(mode >> 2);
	op.is_half = width != SIM_INTEGER_WORDS;

	if (f->base[0] & IS_LONG && f->base[1] == IMMEDIATE)
		op.b = (op.w[0] >> 16 & 0x3f) | op.w[1] >> 2 << 6;
	if (op.w[0] >> 28 <= 3 && (!(f->base[0] & IS_LONG) || f->base[1] == IMMEDIATE))
		op.c = op.b;
	if (op.is_half) {
		op.a &= 0xffff;
		op.b &= 0xffff;
	}
	if (width == SIM_INTEGER_HALVES)
		op.c &= 0xffff;

	return op;
}

static u64 added(u64 sum, u32 word)
{
	u32 i;

	for (i = 0; i < 4; i++)
		sum = (sum ^ (word >> 8 * i & 0xff)) * 0x100000001b3;

	return sum;
}

/* Flags are those of instructions of two words without a number: others have nowhere to put them. */
static u64 checksum(const struct form *f)
{
	bool has_flags = f->base[0] & IS_LONG && f->base[1] != IMMEDIATE;
	u64 sum = 0xcbf29ce484222325;
	u32 i, result, flags;

	state = 0x9e3779b97f4a7c15;
	for (i = 0; i < ROUNDS; i++) {
		struct sim_integer op = next_instruction(f);

		flags = next_word() & 0xf;
		if (!sim_integer(&op, &result, &flags))
			return 0;
		sum = added(sum, result);
		if (has_flags)
			sum = added(sum, flags);
	}

	return sum;
}

static void test_row(size_t i)
{
	struct sim_integer op = {
		.w = { rows[i].w[0], rows[i].w[1] }, .a = rows[i].a, .b = rows[i].b, .c = rows[i].c,
	};
	u32 result = 0, flags = rows[i].carry;

	op.is_half = sim_integer_width(op.w) != SIM_INTEGER_WORDS;
	if (!tap(sim_integer(&op, &result, &flags) && result == rows[i].result &&
		 flags == rows[i].flags, "%s", rows[i].name))
		printf("# %08x, flags %x\n", result, flags);
}

int main(void)
{
	size_t i;
	u64 sum;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_row(i);
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		sum = checksum(&forms[i]);
		if (!tap(sum == forms[i].checksum, "%s: a million", forms[i].name))
			printf("# the checksum is 0x%016llx\n", (unsigned long long)sum);
	}

	return tap_end();
}
