// SPDX-License-Identifier: MIT
/*
 * The instruction cvt, compared with the expectations of envytools' hwtest (hwtest/g80_fp.cc, commit
 * of 2023-10-26), which were seen on cards. There are some results, and a checksum of each kind over
 * random modes and operands: that of a program with hwtest's own functions.
 */
#include "../core/gr3d/gr3d.h"
#include "rig.h"

#define ROUNDS	1000000

static const struct {
	const char *name;
	u64 checksum;
} kinds[] = {
	{ "integers to integers", 0x6468230f67b4767f },
	{ "integers to floats", 0x2c3828c6a04e682d },
	{ "floats to integers", 0x1164026ed0f94567 },
	{ "floats to floats", 0x048d8eb30bb31ae6 },
};

static const struct {
	const char *name;
	u32 w1, a, result, flags;
} rows[] = {
	{ "a half stays as it is", 0x00000000, 0x1234, 0x1234, 0 },
	{ "a signed byte of a word", 0x0c01c000, 0x80, 0xffffff80, 2 },
	{ "the absolute value of the least word is the largest", 0x0c114000, 0x80000000, 0x7fffffff, 0 },
	{ "a negative number is no unsigned one", 0x04014000, ~0u, 0, 1 },
	{ "a NaN that saturates stays one", 0xc4084000, 0x7f800aaa, 0x7fffffff, 3 },
	{ "a NaN as an integer is 0", 0x8c004000, 0x7fffffff, 0, 1 },
	{ "a half of one, rounded to even", 0x8c004000, 0x3f000000, 0, 1 },
	{ "the largest half, rounded to 0", 0xc0064000, 0x7f000000, 0x7bff, 0 },
	{ "an integer that becomes a half loses all bits", 0x40004000, 0x3fffffe0, 0, 1 },
};

static u64 state;

static u32 next_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;

	return (u32)(state >> 16);
}

/* Of four operands one is near 0, and one is a float that integers and halves can have. */
static u32 next_operand(void)
{
	u32 word = next_word(), mode = next_word() & 3;

	if (mode == 0)
		return (u32)(int32_t)(int8_t)word;
	if (mode == 1)
		return (word & 0x807fffff) | (100 + next_word() % 70) << 23;
	return word;
}

static u64 added(u64 sum, u32 word)
{
	u32 i;

	for (i = 0; i < 4; i++)
		sum = (sum ^ (word >> 8 * i & 0xff)) * 0x100000001b3;

	return sum;
}

static u64 checksum(u32 kind)
{
	u64 sum = 0xcbf29ce484222325;
	u32 i, flags = 0;

	state = 0x9e3779b97f4a7c15;
	for (i = 0; i < ROUNDS; i++) {
		struct sim_conversion c = { .w1 = kind << 30 | (next_word() & 0x3f9ff000) };

		c.a = next_operand();
		c.nan_is_zero = next_word() & 1;
		if (!(c.w1 >> 14 & 1))
			c.a &= 0xffff;
		sum = added(sum, sim_convert(&c, &flags));
		sum = added(sum, flags);
	}

	return sum;
}

int main(void)
{
	u32 i, flags, result;
	u64 sum;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sim_conversion c = { .w1 = rows[i].w1, .a = rows[i].a };

		result = sim_convert(&c, &flags);
		if (!tap(result == rows[i].result && flags == rows[i].flags, "%s", rows[i].name))
			printf("# %08x, flags %x\n", result, flags);
	}
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		sum = checksum(i);
		if (!tap(sum == kinds[i].checksum, "%s: a million", kinds[i].name))
			printf("# the checksum is 0x%016llx\n", (unsigned long long)sum);
	}

	return tap_end();
}
