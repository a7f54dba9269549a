// SPDX-License-Identifier: GPL-2.0-only
/*
 * RAMHT: hash, context word and register value.
 */
#include "nvfifo_test.h"

static const struct {
	u8 bits;
	u8 chid;
	u32 handle;
	u32 slot;
} ramht_hash_rows[] = {
#include "data/ramht_hash.inc"
};

static void ramht_hash_oracle(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ramht_hash_rows); i++) {
		u32 bits = ramht_hash_rows[i].bits;
		u32 slot = nvfifo_ramht_hash(ramht_hash_rows[i].handle, bits);

		KUNIT_EXPECT_LT_MSG(test, slot, 1u << bits, "row %d", i);

		/* On chips with a shared table the channel id comes on top; not here. */
		KUNIT_EXPECT_EQ_MSG(test, slot ^ ramht_hash_rows[i].chid << (bits - 4),
				    ramht_hash_rows[i].slot, "row %d", i);
	}
}

static void ramht_hash_values(struct kunit *test)
{
	static const struct {
		u32 handle;
		u32 bits;
		u32 slot;
	} rows[] = {
		{ 0, 9, 0 }, { 0, 12, 0 }, { 1, 9, 1 }, { 0x1ff, 9, 0x1ff }, { 0x200, 9, 1 },
		{ 0x3ff, 9, 0x1fe }, { 0x80000011, 9, 0x001 }, { 0xffffffff, 12, 0xff },
		/* seen on a real GT218 */
		{ 0xbeef0201, 12, 0xc4f }, { 0x000085c0, 12, 0x5c8 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_ramht_hash(rows[i].handle, rows[i].bits),
				    rows[i].slot, "handle %08x", rows[i].handle);
}

static void ramht_context(struct kunit *test)
{
	static const struct {
		u32 engine;
		u32 offset;
		u32 context;
	} rows[] = {
		{ 0, 0x40, 0x00000004 }, { 1, 0x40, 0x00100004 }, { 6, 0x5400, 0x00600540 },
		{ 15, 0xffff0, 0x00f0ffff },
		/* seen on a real GT218 */
		{ 0, 0xd500, 0x00000d50 },
	};
	struct rnd_state rnd;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_ramht_context(rows[i].engine, rows[i].offset),
				    rows[i].context, "row %d", i);
		KUNIT_EXPECT_EQ(test, nvfifo_ramht_context_engine(rows[i].context),
				rows[i].engine);
		KUNIT_EXPECT_EQ(test, nvfifo_ramht_context_offset(rows[i].context),
				rows[i].offset);
	}

	nvfifo_test_seed(&rnd);

	for (i = 0; i < NVFIFO_TEST_ROUNDS; i++) {
		u32 w = prandom_u32_state(&rnd);

		KUNIT_ASSERT_EQ(test, nvfifo_ramht_context(nvfifo_ramht_context_engine(w),
							   nvfifo_ramht_context_offset(w)),
				w & 0x00f0ffff);
	}
}

static void ramht_reg(struct kunit *test)
{
	static const struct {
		u32 offset;
		u32 bits;
		u32 reg;
	} rows[] = {
		{ 0x5400, 9, 0x04000540 }, { 0x5400, 10, 0x0c000540 }, { 0x5400, 11, 0x14000540 },
		{ 0x5400, 12, 0x1c000540 }, { 0xffff0, 9, 0x0400ffff },
		/* seen on a real GT218 */
		{ 0x5500, 12, 0x1c000550 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_ramht_reg(rows[i].offset, rows[i].bits),
				    rows[i].reg, "row %d", i);
}

static struct kunit_case ramht_hash_cases[] = {
	KUNIT_CASE(ramht_hash_oracle),
	KUNIT_CASE(ramht_hash_values),
	KUNIT_CASE(ramht_context),
	KUNIT_CASE(ramht_reg),
	{}
};

static struct kunit_suite ramht_hash_suite = {
	.name = "nvfifo_ramht_hash",
	.test_cases = ramht_hash_cases,
};

kunit_test_suites(&ramht_hash_suite);
