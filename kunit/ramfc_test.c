// SPDX-License-Identifier: GPL-2.0-only
/*
 * RAMFC of both generations, channel descriptors, channel table and playlist words.
 */
#include "nvfifo_test.h"

struct ramfc_row {
	u8 g84;
	u64 inst;
	u64 ib_address;
	u32 ib_bytes;
	u32 push_offset;
	u32 chid;
	u32 bound;	/* CHAN_TABLE after bind, stop */
	u32 started;	/* after start */
	u32 r3c, r44, r48, r50, r54, r60, r7c, r80, r88, r98;
};

static const struct ramfc_row ramfc_rows[] = {
#include "data/ramfc.inc"
};

/* The place where each register of PFIFO is saved, as both drivers and the reports agree. */
static void ramfc_offsets(struct kunit *test)
{
	static const struct {
		enum nvfifo_ramfc_offset name;
		u32 offset;
	} rows[] = {
		{ NVFIFO_RAMFC_IB_PUT, 0x00 },
		{ NVFIFO_RAMFC_IB_GET, 0x04 },
		{ NVFIFO_RAMFC_DMA_PUT, 0x08 },
		{ NVFIFO_RAMFC_DMA_PUT_HIGH, 0x0c },
		{ NVFIFO_RAMFC_DMA_GET, 0x10 },
		{ NVFIFO_RAMFC_DMA_GET_HIGH, 0x14 },
		{ NVFIFO_RAMFC_DMA_MGET, 0x18 },
		{ NVFIFO_RAMFC_DMA_MGET_HIGH, 0x1c },
		{ NVFIFO_RAMFC_GET_HIGH_RDSHADOW, 0x20 },
		{ NVFIFO_RAMFC_PUT_HIGH_RDSHADOW, 0x24 },
		{ NVFIFO_RAMFC_PUT_HIGH_WRSHADOW, 0x28 },
		{ NVFIFO_RAMFC_MGET_HIGH_RDSHADOW, 0x2c },
		{ NVFIFO_RAMFC_DMA_STATE, 0x30 },
		{ NVFIFO_RAMFC_METHOD_COUNT, 0x34 },
		{ NVFIFO_RAMFC_DMA_DCOUNT_SHADOW, 0x38 },
		{ NVFIFO_RAMFC_DMA_FETCH, 0x3c },
		{ NVFIFO_RAMFC_SUBROUTINE, 0x40 },
		{ NVFIFO_RAMFC_DMA_TIMESLICE, 0x44 },
		{ NVFIFO_RAMFC_DMA_INSTANCE, 0x48 },
		{ NVFIFO_RAMFC_DMA_LIMIT, 0x4c },
		{ NVFIFO_RAMFC_IB_ADDRESS_LOW, 0x50 },
		{ NVFIFO_RAMFC_IB_CONFIG, 0x54 },
		{ NVFIFO_RAMFC_ENGINE, 0x58 },
		{ NVFIFO_RAMFC_PULL1, 0x5c },
		{ NVFIFO_RAMFC_ACQUIRE_TIMEOUT, 0x60 },
		{ NVFIFO_RAMFC_ACQUIRE_TIMESTAMP, 0x64 },
		{ NVFIFO_RAMFC_ACQUIRE_VALUE, 0x68 },
		{ NVFIFO_RAMFC_SEMAPHORE, 0x6c },
		{ NVFIFO_RAMFC_UNK0E4, 0x70 },
		{ NVFIFO_RAMFC_REF, 0x74 },
		{ NVFIFO_RAMFC_DEBUG_2, 0x78 },
		{ NVFIFO_RAMFC_SLI, 0x7c },
		{ NVFIFO_RAMFC_RAMHT, 0x80 },
		{ NVFIFO_RAMFC_CACHE_CNT, 0x84 },
		{ NVFIFO_RAMFC_CACHE_INST, 0x88 },
		{ NVFIFO_RAMFC_SEMAPHORE_ADDRESS_HIGH, 0x8c },
		{ NVFIFO_RAMFC_SEMAPHORE_ADDRESS_LOW, 0x90 },
		{ NVFIFO_RAMFC_SEMAPHORE_SEQUENCE, 0x94 },
		{ NVFIFO_RAMFC_CHAN_INST, 0x98 },
		{ NVFIFO_RAMFC_MTHD_UNK28, 0x9c },
		{ NVFIFO_RAMFC_UNK304, 0xa0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, (u32)rows[i].name, rows[i].offset, "row %d", i);

	KUNIT_EXPECT_EQ(test, NVFIFO_RAMFC_WORDS * 4, 0xa4);
}

static void expect_image(struct kunit *test, const struct nvfifo_ramfc *fc,
			 const u32 want[NVFIFO_RAMFC_WORDS])
{
	u32 w[NVFIFO_RAMFC_WORDS];
	int i;

	/* No word of the old contents may stay. */
	memset(w, 0xa5, sizeof(w));
	nvfifo_ramfc_encode(fc, w);

	for (i = 0; i < NVFIFO_RAMFC_WORDS; i++)
		KUNIT_EXPECT_EQ_MSG(test, w[i], want[i], "RAMFC+%#x", i * 4);
}

static void ramfc_row_desc(const struct ramfc_row *r, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s channel %u", r->g84 ? "G84" : "G80", r->chid);
}

KUNIT_ARRAY_PARAM(ramfc_oracle, ramfc_rows, ramfc_row_desc);

/*
 * nouveau's structure has its parts where ours has them; only RAMHT's size and
 * the place of the push DMA object differ, and both are parameters.
 */
static void ramfc_oracle(struct kunit *test)
{
	const struct ramfc_row *r = test->param_value;
	struct nvfifo_ramfc fc = {
		.g84 = r->g84,
		.ib = true,
		.inst = r->inst,
		.push_offset = r->push_offset,
		.ramht_offset = NVFIFO_CHAN_RAMHT,
		.ramht_bits = 12,
		.ib_address = r->ib_address,
		.ib_order = ilog2(r->ib_bytes / 8),
		.sli_mask = 0xfff,
	};
	u32 want[NVFIFO_RAMFC_WORDS] = {
		[0x3c / 4] = r->r3c, [0x44 / 4] = r->r44, [0x48 / 4] = r->r48,
		[0x50 / 4] = r->r50, [0x54 / 4] = r->r54, [0x60 / 4] = r->r60,
		[0x7c / 4] = r->r7c, [0x80 / 4] = r->r80, [0x88 / 4] = r->r88,
		[0x98 / 4] = r->r98,
	};
	u32 entry = nvfifo_chan_table(r->g84, r->inst, NVFIFO_TARGET_VRAM);

	expect_image(test, &fc, want);
	KUNIT_EXPECT_EQ(test, entry, r->bound);
	KUNIT_EXPECT_EQ(test, entry | NVFIFO_CHAN_TABLE_ENABLE, r->started);
}

/* The RAMFC that a driver gave to a real GT218, on which it ran a pushbuffer. */
static void ramfc_gt218(struct kunit *test)
{
	struct nvfifo_ramfc fc = {
		.g84 = true,
		.ib = true,
		.inst = 0x100000,
		.push_offset = 0xffe0,
		.ramht_offset = 0x5500,
		.ramht_bits = 12,
		.ib_address = 0x120000,
		.ib_order = 9,
		.sli_mask = 0xfff,
	};
	static const u32 want[NVFIFO_RAMFC_WORDS] = {
		[0x3c / 4] = 0x403f6078, [0x44 / 4] = 0x01003fff, [0x48 / 4] = 0x00000ffe,
		[0x50 / 4] = 0x00120000, [0x54 / 4] = 0x00090000, [0x60 / 4] = 0x7fffffff,
		[0x7c / 4] = 0x30000fff, [0x80 / 4] = 0x1c000550, [0x88 / 4] = 0x00000411,
		[0x98 / 4] = 0x00000100,
	};
	u32 entry;

	expect_image(test, &fc, want);

	/* Its RAMFC was at 0x105400; ours lies at another offset of the structure. */
	entry = nvfifo_chan_table(true, 0x105400 - NVFIFO_G84_RAMFC, NVFIFO_TARGET_VRAM);
	KUNIT_EXPECT_EQ(test, entry, 0x00001054);
	KUNIT_EXPECT_EQ(test, entry | NVFIFO_CHAN_TABLE_ENABLE, 0x80001054);
}

/* The linear buffer of older chips: GET and PUT at its start, no ring. */
static void ramfc_nv04_mode(struct kunit *test)
{
	struct nvfifo_ramfc fc = {
		.inst = 0x200000,
		.push_offset = 0x6400,
		.ramht_offset = 0x5400,
		.ramht_bits = 9,
		.ib_address = 0x1234567000,
		.ib_order = 9,
		.dma_start = 0x00400010,
		.sli_mask = 1,
	};
	static const u32 want[NVFIFO_RAMFC_WORDS] = {
		[0x08 / 4] = 0x00400010, [0x10 / 4] = 0x00400010, [0x3c / 4] = 0x003f6078,
		[0x44 / 4] = 0x01003fff, [0x48 / 4] = 0x00000640, [0x4c / 4] = 0xffffffff,
		[0x60 / 4] = 0x7fffffff, [0x7c / 4] = 0x30000001, [0x80 / 4] = 0x04000540,
	};

	expect_image(test, &fc, want);
}

/* A limit of GET, and SLI commands that the pusher does not know */
static void ramfc_limit_and_sli(struct kunit *test)
{
	struct nvfifo_ramfc fc = { .ramht_bits = 9, .dma_limit = 0x0123fffc, .sli_mask = 5 };
	u32 w[NVFIFO_RAMFC_WORDS];

	nvfifo_ramfc_encode(&fc, w);
	KUNIT_EXPECT_EQ(test, w[0x4c / 4], 0x0123fffc);
	KUNIT_EXPECT_EQ(test, w[0x7c / 4], 0x30000005);

	fc.sli_off = true;
	nvfifo_ramfc_encode(&fc, w);
	KUNIT_EXPECT_EQ(test, w[0x7c / 4], 0x10000005);

	/* The limit is of the linear buffer only. */
	fc.ib = true;
	nvfifo_ramfc_encode(&fc, w);
	KUNIT_EXPECT_EQ(test, w[0x4c / 4], 0);
}

/* Timeslice of a channel: 17 bits, 0 for the value of all drivers, and always limited. */
static void ramfc_timeslice(struct kunit *test)
{
	static const struct {
		u32 timeslice;
		u32 r44;
	} rows[] = {
		{ 0, 0x01003fff },	{ 1, 0x01000001 },	{ 0x3fff, 0x01003fff },
		{ 0x10000, 0x01010000 }, { 0x1ffff, 0x0101ffff }, { 0x80020002, 0x01000002 },
	};
	u32 w[NVFIFO_RAMFC_WORDS], first[NVFIFO_RAMFC_WORDS];
	struct nvfifo_ramfc fc = { .g84 = true, .ib = true, .ib_order = 9, .sli_mask = 0xfff };
	int i, k;

	KUNIT_EXPECT_EQ(test, NVFIFO_TIMESLICE_DEFAULT, 0x3fff);
	KUNIT_EXPECT_EQ(test, NVFIFO_TIMESLICE_MAX, 0x1ffff);

	nvfifo_ramfc_encode(&fc, first);

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fc.timeslice = rows[i].timeslice;
		nvfifo_ramfc_encode(&fc, w);
		KUNIT_EXPECT_EQ_MSG(test, w[NVFIFO_RAMFC_DMA_TIMESLICE / 4], rows[i].r44, "row %d",
				    i);
		for (k = 0; k < NVFIFO_RAMFC_WORDS; k++)
			if (k != NVFIFO_RAMFC_DMA_TIMESLICE / 4)
				KUNIT_EXPECT_EQ_MSG(test, w[k], first[k], "row %d RAMFC+%#x", i,
						    k * 4);
	}
}

/* A parameter shows in its own words and nowhere else. */
static void ramfc_random(struct kunit *test)
{
	struct rnd_state rnd;
	int i;

	nvfifo_test_seed(&rnd);

	for (i = 0; i < NVFIFO_TEST_ROUNDS; i++) {
		struct nvfifo_ramfc fc = {
			.g84 = prandom_u32_state(&rnd) & 1,
			.ib = true,
			.inst = (u64)nvfifo_test_below(&rnd, 0xfff0) << 16,
			.push_offset = nvfifo_test_below(&rnd, 0x10000) << 4,
			.ramht_offset = nvfifo_test_below(&rnd, 0x10000) << 4,
			.ramht_bits = 9 + nvfifo_test_below(&rnd, 4),
			.ib_address = nvfifo_test_rnd64(&rnd) & NVFIFO_VA_MASK & ~7ULL,
			.ib_order = nvfifo_test_below(&rnd, 17),
			.sli_mask = prandom_u32_state(&rnd) & 0xfff,
			.timeslice = 1 + nvfifo_test_below(&rnd, NVFIFO_TIMESLICE_MAX),
		};
		u32 w[NVFIFO_RAMFC_WORDS];

		nvfifo_ramfc_encode(&fc, w);
		KUNIT_ASSERT_EQ(test, w[0x48 / 4] << 4, fc.push_offset);
		KUNIT_ASSERT_EQ(test, w[0x80 / 4] & 0xffff, fc.ramht_offset >> 4);
		KUNIT_ASSERT_EQ(test, (w[0x80 / 4] >> 27) + 9, fc.ramht_bits);
		KUNIT_ASSERT_EQ(test, w[0x80 / 4] & NVFIFO_RAMHT_SEARCH_FULL,
				NVFIFO_RAMHT_SEARCH_FULL);
		KUNIT_ASSERT_EQ(test, w[0x50 / 4] | (u64)(w[0x54 / 4] & 0xff) << 32,
				fc.ib_address);
		KUNIT_ASSERT_EQ(test, w[0x54 / 4] >> 16, fc.ib_order);
		KUNIT_ASSERT_EQ(test, w[0x7c / 4] & 0xfff, fc.sli_mask);
		KUNIT_ASSERT_EQ(test, w[0x44 / 4], NVFIFO_TIMESLICE_ON | fc.timeslice);
		if (fc.g84) {
			KUNIT_ASSERT_EQ(test, nvfifo_chan_desc_address(w[0x98 / 4]), fc.inst);
			KUNIT_ASSERT_EQ(test, (u64)w[0x88 / 4] << 10, fc.inst + NVFIFO_G84_CACHE);
		} else {
			KUNIT_ASSERT_EQ(test, w[0x98 / 4], 0);
			KUNIT_ASSERT_EQ(test, w[0x88 / 4], 0);
		}
	}
}

static struct kunit_case ramfc_cases[] = {
	KUNIT_CASE(ramfc_offsets),
	KUNIT_CASE_PARAM(ramfc_oracle, ramfc_oracle_gen_params),
	KUNIT_CASE(ramfc_gt218),
	KUNIT_CASE(ramfc_nv04_mode),
	KUNIT_CASE(ramfc_limit_and_sli),
	KUNIT_CASE(ramfc_timeslice),
	KUNIT_CASE(ramfc_random),
	{}
};

static struct kunit_suite ramfc_suite = {
	.name = "nvfifo_ramfc",
	.test_cases = ramfc_cases,
};

/* --- Channel descriptor, channel table, playlist ------------------------- */

static void chan_table_words(struct kunit *test)
{
	static const struct {
		u64 inst;
		u8 target;
		u32 desc;
		u32 g80;
		u32 g84;
	} rows[] = {
		{ 0x0, NVFIFO_TARGET_VRAM, 0x0, 0x0, 0x42 },
		{ 0x100000, NVFIFO_TARGET_VRAM, 0x100, 0x100, 0x1042 },
		{ 0x1d5c0000, NVFIFO_TARGET_VRAM, 0x1d5c0, 0x1d5c0, 0x1d5c42 },
		{ 0xfff00000, NVFIFO_TARGET_VRAM, 0xfff00, 0xfff00, 0xfff042 },
		{ 0x1000, NVFIFO_TARGET_SYS_SNOOP, 0x20000001, 0x20000001, 0x02000052 },
		{ 0x1000, NVFIFO_TARGET_SYS_NOSNOOP, 0x30000001, 0x30000001, 0x03000052 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_chan_desc(rows[i].inst, rows[i].target),
				    rows[i].desc, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_chan_table(false, rows[i].inst, rows[i].target),
				    rows[i].g80, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_chan_table(true, rows[i].inst, rows[i].target),
				    rows[i].g84, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_chan_desc(rows[i].inst, rows[i].target),
				    rows[i].desc, "row %d", i);
		KUNIT_EXPECT_EQ(test, nvfifo_chan_desc_address(rows[i].desc), rows[i].inst);

		/* The flags stay the caller's. */
		KUNIT_EXPECT_EQ(test, (rows[i].g80 | rows[i].g84) & 0xc0000000, 0);
	}

	KUNIT_EXPECT_EQ(test, NVFIFO_CHAN_TABLE_ENABLE, 0x80000000);
	KUNIT_EXPECT_EQ(test, NVFIFO_CHAN_TABLE_PENDING, 0x40000000);

	/* 40 bits of address in a descriptor. */
	KUNIT_EXPECT_EQ(test, nvfifo_chan_desc_address(0x3fffffff), 0xfffffff000);
}

/* The parts of the structure do not overlap and lie as the hardware wants them. */
static void chan_table_layout(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, NVFIFO_G80_RAMFC, 0);
	KUNIT_EXPECT_EQ(test, NVFIFO_G80_ENGINES, 0x200);
	KUNIT_EXPECT_EQ(test, NVFIFO_G80_CACHE, 0x400);
	KUNIT_EXPECT_EQ(test, NVFIFO_G80_PD, 0x1400);
	KUNIT_EXPECT_EQ(test, NVFIFO_G84_ENGINES, 0);
	KUNIT_EXPECT_EQ(test, NVFIFO_G84_PD, 0x200);
	KUNIT_EXPECT_EQ(test, NVFIFO_PD_BYTES, 0x4000);
	KUNIT_EXPECT_GE(test, NVFIFO_G84_RAMFC, NVFIFO_G84_PD + NVFIFO_PD_BYTES);
	KUNIT_EXPECT_EQ(test, NVFIFO_G84_RAMFC % 256, 0);
	KUNIT_EXPECT_GE(test, NVFIFO_G84_CACHE, NVFIFO_G84_RAMFC + 0x100);
	KUNIT_EXPECT_EQ(test, NVFIFO_G84_CACHE % 1024, 0);
	KUNIT_EXPECT_GE(test, NVFIFO_CHAN_RAMHT, NVFIFO_G84_CACHE + 0x1000);
	KUNIT_EXPECT_GE(test, NVFIFO_CHAN_RAMHT, NVFIFO_G80_PD + NVFIFO_PD_BYTES);
	KUNIT_EXPECT_EQ(test, NVFIFO_CHAN_RAMHT % 16, 0);
}

static struct kunit_case chan_table_cases[] = {
	KUNIT_CASE(chan_table_words),
	KUNIT_CASE(chan_table_layout),
	{}
};

static struct kunit_suite chan_table_suite = {
	.name = "nvfifo_chan_table",
	.test_cases = chan_table_cases,
};

kunit_test_suites(&ramfc_suite, &chan_table_suite);
