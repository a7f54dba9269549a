// SPDX-License-Identifier: MIT
/*
 * Special functions, compared with the expectations of envytools' hwtest: some results, and
 * checksums of the results of each 4093rd word.
 */
#include "../core/gr3d/gr3d.h"
#include "rig.h"

static u32 presin(u32 v)
{
	return sim_special_prepare(v, false);
}

static u32 preex2(u32 v)
{
	return sim_special_prepare(v, true);
}

static u32 sine(u32 v)
{
	return sim_special_sin(v, false);
}

static u32 cosine(u32 v)
{
	return sim_special_sin(v, true);
}

static u32 sine_of(u32 v)
{
	return sine(presin(v));
}

static u32 cosine_of(u32 v)
{
	return cosine(presin(v));
}

static u32 power_of(u32 v)
{
	return sim_special_ex2(preex2(v));
}

/* FNV-1a of 64 bits over the results, of hwtest's functions */
static const struct {
	const char *name;
	u32 (*function)(u32 v);
	u64 checksum;
} functions[] = {
	{ "rcp", sim_special_rcp, 0xdd58ee76a39a66ef },
	{ "rsqrt", sim_special_rsqrt, 0xef229a001818cd6c },
	{ "lg2", sim_special_lg2, 0x282016e67455521f },
	{ "presin", presin, 0x39bd02a470cad3bc },
	{ "preex2", preex2, 0x494c1211832b3fb8 },
	{ "sin", sine, 0x7b3d57ed5f7c530d },
	{ "cos", cosine, 0x53e3027bdde5912b },
	{ "ex2", sim_special_ex2, 0xf8e9e8aa32932941 },
};

/* Results whose last bits, sign or kind are not those of the C library */
static const struct {
	const char *name;
	u32 (*function)(u32 v);
	u32 operand, result;
} rows[] = {
	{ "1 / x is 0 if it is below the least normal number", sim_special_rcp, 0x7e800001, 0 },
	{ "1 / NaN is the one NaN", sim_special_rcp, 0xffc00001, 0x7fffffff },
	{ "a small number is 0 for 1 / x", sim_special_rcp, 0x80000001, 0xff800000 },
	{ "1 / sqrt(5)", sim_special_rsqrt, 0x40a00000, 0x3ee4f92d },
	{ "1 / sqrt(1)", sim_special_rsqrt, 0x3f800000, 0x3f800000 },
	{ "1 / sqrt(-0)", sim_special_rsqrt, 0x80000000, 0xff800000 },
	{ "1 / sqrt(-1)", sim_special_rsqrt, 0xbf800000, 0x7fffffff },
	{ "lg2 of a bit more than 0.5", sim_special_lg2, 0x3f000001, 0xbf7ffffb },
	{ "lg2 of 1", sim_special_lg2, 0x3f800000, 0 },
	{ "lg2 of -inf", sim_special_lg2, 0xff800000, 0x7fffffff },
	{ "sin(1)", sine_of, 0x3f800000, 0x3f576aa3 },
	{ "sin(pi) is 0", sine_of, 0x40490fdb, 0 },
	{ "sin of a number too large for its quarter", sine_of, 0x7e800001, 0 },
	{ "sin(inf)", sine_of, 0x7f800000, 0x7fffffff },
	{ "cos(5)", cosine_of, 0x40a00000, 0x3e913c1f },
	{ "cos(-0)", cosine_of, 0x80000000, 0x3f800000 },
	{ "2^-1.1", power_of, 0xbf8ccccd, 0x3eeedb3f },
	{ "2^-inf", power_of, 0xff800000, 0 },
	{ "2^128 and more", power_of, 0x43000000, 0x7f800000 },
};

static u64 checksum(u32 (*function)(u32 v))
{
	u64 sum = 0xcbf29ce484222325, at;
	u32 result, i;

	for (at = 0; at < 1ull << 32; at += 4093) {
		result = function((u32)at);
		for (i = 0; i < 4; i++)
			sum = (sum ^ (result >> 8 * i & 0xff)) * 0x100000001b3;
	}
	return sum;
}

int main(void)
{
	size_t i;
	u32 is;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		is = rows[i].function(rows[i].operand);
		if (!tap(is == rows[i].result, "%s", rows[i].name))
			printf("# %08x, not %08x\n", is, rows[i].result);
	}
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		tap(checksum(functions[i].function) == functions[i].checksum,
		    "%s of a million words", functions[i].name);
	return tap_end();
}
