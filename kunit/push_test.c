// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts of a pushbuffer: IB entries, command words, PFIFO's own methods.
 */
#include "chipsets.h"
#include "nvfifo_drv.h"
#include "nvfifo_pusher.h"
#include "fifo/nvfifo_sched.h"

/* --- IB entries ---------------------------------------------------------- */

static const struct {
	u64 address;
	u32 bytes;
	u8 no_prefetch;
	u32 w[2];
} ib_rows[] = {
#include "data/ib.inc"
};

static void ib_oracle(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ib_rows); i++) {
		struct nvfifo_ib_entry e = {
			.address = ib_rows[i].address,
			.words = ib_rows[i].bytes / 4,
			.no_prefetch = ib_rows[i].no_prefetch,
		};
		struct nvfifo_ib_entry back;
		u32 w[2];

		KUNIT_EXPECT_LE(test, ib_rows[i].bytes / 4, NVFIFO_IB_WORDS_MAX);
		nvfifo_ib_encode(&e, w);
		KUNIT_EXPECT_EQ_MSG(test, w[0], ib_rows[i].w[0], "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, w[1], ib_rows[i].w[1], "row %d", i);
		back = nvfifo_ib_decode(ib_rows[i].w);
		KUNIT_EXPECT_EQ(test, back.address, e.address);
		KUNIT_EXPECT_EQ(test, back.words, e.words);
		KUNIT_EXPECT_EQ(test, back.no_prefetch, e.no_prefetch);
		KUNIT_EXPECT_FALSE(test, back.not_main);
	}
}

static void ib_fields(struct kunit *test)
{
	static const struct {
		struct nvfifo_ib_entry e;
		u32 w[2];
	} rows[] = {
		{ { .address = 0xfffffffc }, { 0xfffffffc, 0 } },
		{ { .address = 0xff00000000 }, { 0, 0xff } },
		{ { .words = 1 }, { 0, 0x400 } },
		{ { .words = NVFIFO_IB_WORDS_MAX }, { 0, 0x7ffffc00 } },
		{ { .not_main = true }, { 0, 0x200 } },
		{ { .words = 1, .no_prefetch = true }, { 0, 0x80000400 } },
		/* a length that is too large never becomes the flag */
		{ { .words = NVFIFO_IB_WORDS_MAX + 2 }, { 0, 0x400 } },
		/* the first entry of a real GT218 */
		{ { .address = 0x110000, .words = 186 }, { 0x110000, 0x2e800 } },
	};
	struct nvfifo_ib_entry e;
	u32 w[2];
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		nvfifo_ib_encode(&rows[i].e, w);
		KUNIT_EXPECT_EQ_MSG(test, w[0], rows[i].w[0], "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, w[1], rows[i].w[1], "row %d", i);
		e = nvfifo_ib_decode(rows[i].w);
		KUNIT_EXPECT_EQ(test, e.address, rows[i].e.address);
		KUNIT_EXPECT_EQ(test, e.words, rows[i].e.words & NVFIFO_IB_WORDS_MAX);
		KUNIT_EXPECT_EQ(test, e.not_main, rows[i].e.not_main);
		KUNIT_EXPECT_EQ(test, e.no_prefetch, rows[i].e.no_prefetch);
	}

	/* The disputed bits 1:0 are never set. */
	e = (struct nvfifo_ib_entry){ .address = 0x1003, .words = 1 };
	nvfifo_ib_encode(&e, w);
	KUNIT_EXPECT_EQ(test, w[0], 0x1000);
}

static void ib_random(struct kunit *test)
{
	struct rnd_state rnd;
	int i;

	nvfifo_test_seed(&rnd);

	for (i = 0; i < NVFIFO_TEST_ROUNDS; i++) {
		u32 w[2] = { prandom_u32_state(&rnd), prandom_u32_state(&rnd) }, out[2];
		struct nvfifo_ib_entry e = nvfifo_ib_decode(w);

		nvfifo_ib_encode(&e, out);
		KUNIT_ASSERT_EQ(test, out[0], w[0] & ~3u);
		KUNIT_ASSERT_EQ(test, out[1], w[1] & ~0x100u);
	}
}

/* The rules of uapi/nvfifo_drm.h for an entry */
static bool entry_is_valid(const struct drm_nvfifo_entry *e)
{
	return e->address % 4 == 0 && e->address >= 0x10000 && e->address < 0xffe0000000 &&
	       e->words >= 1 && e->words <= 2097151 &&
	       e->words * 4ULL <= 0xffe0000000 - e->address && e->flags <= 3;
}

static void ring_expect(struct kunit *test, u64 address, u32 words, u32 flags)
{
	const struct drm_nvfifo_entry e = { .address = address, .words = words, .flags = flags };
	const struct nvfifo_ib_entry ib = {
		.address = address,
		.words = words,
		.not_main = flags & 1,
		.no_prefetch = flags & 2,
	};
	u32 w[2];

	nvfifo_ib_encode(&ib, w);
	KUNIT_EXPECT_EQ_MSG(test, !nvfifo_entry_error(&e), entry_is_valid(&e),
			    "%#llx, %u words, flags %#x", address, words, flags);

	if (entry_is_valid(&e))
		KUNIT_EXPECT_EQ(test, le64_to_cpu(nvfifo_ring_entry(&e)),
				(u64)w[1] << 32 | w[0]);
}

/* SUBMIT's check agrees with the rules at all edges of the fields. */
static void ring_rules(struct kunit *test)
{
	static const u64 addresses[] = {
		0, 4, 0xfffc, 0x10000, 0x10001, 0x10002, 0x10003, 0x10004, 0xffffffff, 0x100000000,
		0xffdf800004, 0xffdf800008, 0xffdffffff8, 0xffdffffffc, 0xffe0000000, 0xfffffffffc,
		0x10000000000, 0x10000010000, 0x20000010000, 0x30000010000, 0x40000010000,
		0x7ffffffffffffffc, 0x8000000000000000, 0x8000000000010000, 0xffffffffc0000000,
		0xffffffffdfffffff, 0xffffffffe0000000, 0xffffffffff800000, 0xfffffffffffffffc,
	};
	static const u32 words[] = {
		0, 1, 2, 3, 0x1ffffe, 0x1fffff, 0x200000, 0x200001, 0x3fffff, 0x400000, 0x400001,
		0x40000000, 0x7fffffff, 0x80000000, 0x80000001, 0xffe00001, 0xffffffff,
	};
	int i, k, bit;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		for (k = 0; k < ARRAY_SIZE(words); k++) {
			ring_expect(test, addresses[i], words[k], 0);
			for (bit = 0; bit < 32; bit++)
				ring_expect(test, addresses[i], words[k], 1u << bit);
			ring_expect(test, addresses[i], words[k], 3);
		}
	}
}

static struct kunit_case ib_cases[] = {
	KUNIT_CASE(ib_oracle),
	KUNIT_CASE(ib_fields),
	KUNIT_CASE(ib_random),
	KUNIT_CASE(ring_rules),
	{}
};

static struct kunit_suite ib_suite = {
	.name = "nvfifo_ib",
	.test_cases = ib_cases,
};

/* --- Command words ------------------------------------------------------- */

static void expect_same_cmd(struct kunit *test, const struct nvfifo_command *a,
			    const struct nvfifo_command *b, u32 word)
{
	KUNIT_ASSERT_EQ_MSG(test, a->type, b->type, "word %08x", word);
	KUNIT_ASSERT_EQ_MSG(test, a->subc, b->subc, "word %08x", word);
	KUNIT_ASSERT_EQ_MSG(test, a->method, b->method, "word %08x", word);
	KUNIT_ASSERT_EQ_MSG(test, a->count, b->count, "word %08x", word);
	KUNIT_ASSERT_EQ_MSG(test, a->value, b->value, "word %08x", word);
	KUNIT_ASSERT_EQ_MSG(test, a->old, b->old, "word %08x", word);
}

static const struct {
	const char *name;
	u64 address;	/* of a fence */
	u32 sequence;	/* of a fence */
	u8 count;
	u32 w[48];
} push_rows[] = {
#include "data/push.inc"
};

/* Complete submissions: each header is followed by as many words as it says. */
static void cmd_oracle(struct kunit *test)
{
	int i, j;

	for (i = 0; i < ARRAY_SIZE(push_rows); i++) {
		const u32 *w = push_rows[i].w;

		for (j = 0; j < push_rows[i].count;) {
			struct nvfifo_command c = nvfifo_nv04_decode(w[j], true);

			KUNIT_ASSERT_EQ_MSG(test, c.type, NVFIFO_COMMAND_INCR, "%s[%d]",
					    push_rows[i].name, j);
			KUNIT_ASSERT_GT(test, c.count, 0);
			KUNIT_EXPECT_EQ(test, nvfifo_nv04_encode(&c), w[j]);
			j += 1 + c.count;
		}

		KUNIT_EXPECT_EQ_MSG(test, j, push_rows[i].count, "%s", push_rows[i].name);
	}
}

/* The fences among them, method by method. */
static void cmd_oracle_fence(struct kunit *test)
{
	int i, seen = 0;

	for (i = 0; i < ARRAY_SIZE(push_rows); i++) {
		bool emit = !strcmp(push_rows[i].name, "nv84_fence_emit32");
		const u32 *w = push_rows[i].w;
		struct nvfifo_command c;

		if (!emit && strcmp(push_rows[i].name, "nv84_fence_sync32"))
			continue;
		seen++;
		c = (struct nvfifo_command){ .type = NVFIFO_COMMAND_INCR, .count = 1,
					 .method = NVFIFO_MTHD_DMA_SEMAPHORE };
		KUNIT_EXPECT_EQ(test, nvfifo_nv04_encode(&c), w[0]);
		c.method = NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH;
		c.count = emit ? 5 : 4;
		KUNIT_EXPECT_EQ(test, nvfifo_nv04_encode(&c), w[2]);
		KUNIT_EXPECT_EQ(test, w[3], upper_32_bits(push_rows[i].address));
		KUNIT_EXPECT_EQ(test, w[4], lower_32_bits(push_rows[i].address));
		KUNIT_EXPECT_EQ(test, w[5], push_rows[i].sequence);
		KUNIT_EXPECT_EQ(test, w[6], emit ? NVFIFO_TRIGGER_RELEASE :
				NVFIFO_TRIGGER_ACQUIRE_GEQUAL);

		/* The word after the trigger is the interrupt. */
		KUNIT_EXPECT_EQ(test, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH + 4 * 4,
				NVFIFO_MTHD_NOTIFY_INTR);
	}

	KUNIT_EXPECT_GT(test, seen, 0);
}

struct cmd_row {
	u32 word;
	enum nvfifo_command_type ib;	/* meaning of the word in IB mode */
	enum nvfifo_command_type nv04;	/* and in the mode of NV04 */
	u8 subc;
	u16 method;
	u16 count;
	u32 value;			/* of a jump or call: in NV04 mode only */
};

static const struct cmd_row cmd_rows[] = {
	/* increasing */
	{ 0x00000000, NVFIFO_COMMAND_INCR, NVFIFO_COMMAND_INCR, 0, 0, 0 },
	{ 0x00040060, NVFIFO_COMMAND_INCR, NVFIFO_COMMAND_INCR, 0, 0x60, 1 },
	{ 0x1ffcfffc, NVFIFO_COMMAND_INCR, NVFIFO_COMMAND_INCR, 7, 0x1ffc, 2047 },
	{ 0x0020830c, NVFIFO_COMMAND_INCR, NVFIFO_COMMAND_INCR, 4, 0x30c, 8 },
	/* not increasing */
	{ 0x40000000, NVFIFO_COMMAND_NONINCR, NVFIFO_COMMAND_NONINCR, 0, 0, 0 },
	{ 0x40046304, NVFIFO_COMMAND_NONINCR, NVFIFO_COMMAND_NONINCR, 3, 0x304, 1 },
	{ 0x5ffcfffc, NVFIFO_COMMAND_NONINCR, NVFIFO_COMMAND_NONINCR, 7, 0x1ffc, 2047 },
	/* long, not increasing: only where there is an IB */
	{ 0x0003a304, NVFIFO_COMMAND_LONG_NONINCR, NVFIFO_COMMAND_INVALID, 5, 0x304, 0 },
	{ 0x0007a304, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_INVALID },
	/* SLI mask */
	{ 0x00010000, NVFIFO_COMMAND_SLI_COND, NVFIFO_COMMAND_SLI_COND },
	{ 0x0001fff0, NVFIFO_COMMAND_SLI_COND, NVFIFO_COMMAND_SLI_COND, .value = 0xfff },
	{ 0x00010010, NVFIFO_COMMAND_SLI_COND, NVFIFO_COMMAND_SLI_COND, .value = 0x001 },
	{ 0x00050010, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_INVALID },
	/* control flow of the NV04 mode */
	{ 0x20000000, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_OLD_JUMP },
	{ 0x3ffffffc, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_OLD_JUMP, .value = 0x1ffffffc },
	{ 0x00000001, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_JUMP },
	{ 0xfffffffd, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_JUMP, .value = 0xfffffffc },
	{ 0x12345679, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_JUMP, .value = 0x12345678 },
	{ 0x12345642, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_CALL, .value = 0x12345640 },
	{ 0x20000002, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_CALL, .value = 0x20000000 },
	{ 0x00020000, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_RETURN },
	{ 0x00020004, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_INVALID },
	/* nothing */
	{ 0x00000003, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_INVALID },
	{ 0x60000000, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_INVALID },
	{ 0x80000000, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_INVALID },
	{ 0xa0010000, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_INVALID },
	{ 0x40010000, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_INVALID },
	{ 0xffffffff, NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_INVALID },
};

static void cmd_nv04(struct kunit *test)
{
	int i, ib;

	for (i = 0; i < ARRAY_SIZE(cmd_rows); i++) {
		for (ib = 0; ib < 2; ib++) {
			const struct cmd_row *r = &cmd_rows[i];
			struct nvfifo_command c = nvfifo_nv04_decode(r->word, ib);
			enum nvfifo_command_type want = ib ? r->ib : r->nv04;

			KUNIT_ASSERT_EQ_MSG(test, c.type, want, "%08x ib %d", r->word, ib);
			if (want == NVFIFO_COMMAND_INVALID)
				continue;
			KUNIT_EXPECT_EQ_MSG(test, c.subc, r->subc, "%08x", r->word);
			KUNIT_EXPECT_EQ_MSG(test, c.method, r->method, "%08x", r->word);
			KUNIT_EXPECT_EQ_MSG(test, c.count, r->count, "%08x", r->word);
			KUNIT_EXPECT_EQ_MSG(test, c.value, r->value, "%08x", r->word);
			KUNIT_EXPECT_EQ(test, nvfifo_nv04_encode(&c), r->word);
		}
	}
}

static void cmd_nvc0(struct kunit *test)
{
	static const struct {
		u32 word;
		struct nvfifo_command cmd;
	} rows[] = {
		{ 0x20010018, { NVFIFO_COMMAND_INCR, 0, 0x60, 1, 0 } },
		{ 0x3fffefff, { NVFIFO_COMMAND_INCR, 7, 0x3ffc, 8191, 0 } },
		{ 0x600260c1, { NVFIFO_COMMAND_NONINCR, 3, 0x304, 2, 0 } },
		{ 0x80014014, { NVFIFO_COMMAND_IMMD, 2, 0x50, 0, 1 } },
		{ 0x9fff0000, { NVFIFO_COMMAND_IMMD, 0, 0, 0, 0x1fff } },
		{ 0xa0040040, { NVFIFO_COMMAND_1INC, 0, 0x100, 4, 0 } },
		/* the layout of NV04, increasing and not */
		{ 0x00000000, { NVFIFO_COMMAND_INCR, 0, 0, 0, 0, true } },
		{ 0x00082100, { NVFIFO_COMMAND_INCR, 1, 0x100, 2, 0, true } },
		{ 0x1ffcfffc, { NVFIFO_COMMAND_INCR, 7, 0x1ffc, 2047, 0, true } },
		{ 0x40046304, { NVFIFO_COMMAND_NONINCR, 3, 0x304, 1, 0, true } },
		{ 0x5ffcfffc, { NVFIFO_COMMAND_NONINCR, 7, 0x1ffc, 2047, 0, true } },
		{ 0x0001fff0, { NVFIFO_COMMAND_SLI_COND, 0, 0, 0, 0xfff } },
		{ 0x00020120, { NVFIFO_COMMAND_SLI_STORE_MASK, 0, 0, 0, 0x012 } },
		{ 0x00030000, { NVFIFO_COMMAND_SLI_USE_MASK, 0, 0, 0, 0 } },
		{ 0xe0000000, { NVFIFO_COMMAND_END_SEGMENT, 0, 0, 0, 0 } },
	};
	static const u32 invalid[] = {
		0x40010000, 0x40020000, 0x5fffffff, 0xc0000000, 0xdfffffff,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nvfifo_command c = nvfifo_nvc0_decode(rows[i].word);

		expect_same_cmd(test, &c, &rows[i].cmd, rows[i].word);
		KUNIT_EXPECT_EQ(test, nvfifo_nvc0_encode(&rows[i].cmd), rows[i].word);
	}

	for (i = 0; i < ARRAY_SIZE(invalid); i++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_nvc0_decode(invalid[i]).type,
				    NVFIFO_COMMAND_INVALID,
				    "%08x", invalid[i]);
}

/* A value that is not a multiple of 4, or too large, is cut, and never becomes another command. */
static void cmd_cut(struct kunit *test)
{
	static const struct {
		struct nvfifo_command cmd;
		u32 nv04;
		u32 nvc0;
	} rows[] = {
		{ { NVFIFO_COMMAND_INCR, 0xff, 0xffff, 0xffff, 0 }, 0x1ffcfffc, 0x3fffefff },
		{ { NVFIFO_COMMAND_NONINCR, 0xff, 0xffff, 0xffff, 0 }, 0x5ffcfffc, 0x7fffefff },
		{ { NVFIFO_COMMAND_LONG_NONINCR, 0xff, 0xffff, 0xffff, 0 },
		  0x0003fffc, 0xffffffff },
		{ { NVFIFO_COMMAND_SLI_COND, 0, 0, 0, ~0u }, 0x0001fff0, 0x0001fff0 },
		{ { NVFIFO_COMMAND_SLI_STORE_MASK, 0, 0, 0, ~0u }, 0xffffffff, 0x0002fff0 },
		{ { NVFIFO_COMMAND_OLD_JUMP, 0, 0, 0, ~0u }, 0x3ffffffc, 0xffffffff },
		{ { NVFIFO_COMMAND_JUMP, 0, 0, 0, ~0u }, 0xfffffffd, 0xffffffff },
		{ { NVFIFO_COMMAND_CALL, 0, 0, 0, ~0u }, 0xfffffffe, 0xffffffff },
		{ { NVFIFO_COMMAND_IMMD, 0xff, 0xffff, 0, ~0u }, 0xffffffff, 0x9fffefff },
		{ { NVFIFO_COMMAND_1INC, 0xff, 0xffff, 0xffff, 0 }, 0xffffffff, 0xbfffefff },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_nv04_encode(&rows[i].cmd), rows[i].nv04,
				    "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_nvc0_encode(&rows[i].cmd), rows[i].nvc0,
				    "row %d", i);
	}

	/* The bits of an SLI command that are not its mask mean nothing in the newer format. */
	KUNIT_EXPECT_EQ(test, nvfifo_nvc0_decode(0x1ffdfff0).type, NVFIFO_COMMAND_SLI_COND);
	KUNIT_EXPECT_EQ(test, nvfifo_nvc0_decode(0x1ffdfff0).value, 0xfff);
	KUNIT_EXPECT_EQ(test, nvfifo_nvc0_decode(0x00060120).type, NVFIFO_COMMAND_SLI_STORE_MASK);
	KUNIT_EXPECT_EQ(test, nvfifo_nvc0_decode(0x00060120).value, 0x012);
	KUNIT_EXPECT_EQ(test, nvfifo_nvc0_decode(0x1fffffff).type, NVFIFO_COMMAND_SLI_USE_MASK);
	KUNIT_EXPECT_EQ(test, nvfifo_nvc0_decode(0x0001000f).type, NVFIFO_COMMAND_SLI_COND);
	KUNIT_EXPECT_EQ(test, nvfifo_nvc0_decode(0x0002000f).type, NVFIFO_COMMAND_SLI_STORE_MASK);
	KUNIT_EXPECT_EQ(test, nvfifo_nvc0_decode(0x0003000f).type, NVFIFO_COMMAND_SLI_USE_MASK);
}

/* A type that a format lacks must come out as a word that no pusher accepts. */
static void cmd_wrong_format(struct kunit *test)
{
	static const enum nvfifo_command_type no_nv04[] = {
		NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_1INC,
		NVFIFO_COMMAND_IMMD, NVFIFO_COMMAND_SLI_STORE_MASK,
		NVFIFO_COMMAND_SLI_USE_MASK, NVFIFO_COMMAND_END_SEGMENT,
	};
	static const enum nvfifo_command_type no_nvc0[] = {
		NVFIFO_COMMAND_INVALID, NVFIFO_COMMAND_LONG_NONINCR,
		NVFIFO_COMMAND_OLD_JUMP, NVFIFO_COMMAND_JUMP,
		NVFIFO_COMMAND_CALL, NVFIFO_COMMAND_RETURN,
	};
	struct nvfifo_command c = { .method = 0x100, .count = 1 };
	int i;

	for (i = 0; i < ARRAY_SIZE(no_nv04); i++) {
		c.type = no_nv04[i];
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_nv04_encode(&c), 0xffffffff, "type %d", c.type);
	}

	for (i = 0; i < ARRAY_SIZE(no_nvc0); i++) {
		c.type = no_nvc0[i];
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_nvc0_encode(&c), 0xffffffff, "type %d", c.type);
	}

	KUNIT_EXPECT_EQ(test, nvfifo_nv04_decode(0xffffffff, false).type, NVFIFO_COMMAND_INVALID);
	KUNIT_EXPECT_EQ(test, nvfifo_nv04_decode(0xffffffff, true).type, NVFIFO_COMMAND_INVALID);
}

/* Bits of a valid word that have a meaning in the NV04 format */
static u32 nv04_care(const struct nvfifo_command *c)
{
	if (c->type == NVFIFO_COMMAND_SLI_COND)
		return ~0xcu;

	return ~0u;
}

/* And in the NVC0 format */
static u32 nvc0_care(const struct nvfifo_command *c)
{
	if (c->old)
		return ~3u;

	switch (c->type) {
	case NVFIFO_COMMAND_SLI_COND:
	case NVFIFO_COMMAND_SLI_STORE_MASK:
		return 0xe003fff0;
	case NVFIFO_COMMAND_SLI_USE_MASK:
		return 0xe0030000;
	case NVFIFO_COMMAND_END_SEGMENT:
		return 0xe0000000;
	default:
		return ~0x1000u;
	}
}

/* Rare commands need few bits in the middle of the word: make them likely. */
static u32 cmd_random_word(struct rnd_state *rnd)
{
	static const u32 masks[] = { 0xffffffff, 0xe003ffff, 0x0003ffff, 0xfffffffc, 0x00030000 };
	u32 w = prandom_u32_state(rnd) & masks[nvfifo_test_below(rnd, ARRAY_SIZE(masks))];

	return w & masks[nvfifo_test_below(rnd, ARRAY_SIZE(masks))];
}

static void cmd_random(struct kunit *test)
{
	u32 nv04_seen = 0, nvc0_seen = 0;
	struct rnd_state rnd;
	int i;

	nvfifo_test_seed(&rnd);

	for (i = 0; i < 4 * NVFIFO_TEST_ROUNDS; i++) {
		u32 w = cmd_random_word(&rnd);
		bool ib = i & 1;
		struct nvfifo_command c = nvfifo_nv04_decode(w, ib), back;

		nv04_seen |= 1u << c.type;
		if (c.type != NVFIFO_COMMAND_INVALID) {
			KUNIT_ASSERT_EQ_MSG(test, nvfifo_nv04_encode(&c),
					    w & nv04_care(&c), "ib %d", ib);
			back = nvfifo_nv04_decode(nvfifo_nv04_encode(&c), ib);
			expect_same_cmd(test, &back, &c, w);
		}

		c = nvfifo_nvc0_decode(w);

		/* The command has no operand; the word's other bits mean nothing. */
		if (c.type == NVFIFO_COMMAND_SLI_USE_MASK)
			c.value = 0;
		nvc0_seen |= 1u << c.type;
		if (c.type != NVFIFO_COMMAND_INVALID) {
			KUNIT_ASSERT_EQ(test, nvfifo_nvc0_encode(&c), w & nvc0_care(&c));
			back = nvfifo_nvc0_decode(nvfifo_nvc0_encode(&c));
			expect_same_cmd(test, &back, &c, w);
		}
	}

	/* The generator reached every type of both formats. */
	KUNIT_EXPECT_EQ(test, nv04_seen,
			BIT(NVFIFO_COMMAND_INVALID) | BIT(NVFIFO_COMMAND_INCR) |
			BIT(NVFIFO_COMMAND_NONINCR) |
			BIT(NVFIFO_COMMAND_LONG_NONINCR) | BIT(NVFIFO_COMMAND_SLI_COND) |
			BIT(NVFIFO_COMMAND_OLD_JUMP) | BIT(NVFIFO_COMMAND_JUMP) |
			BIT(NVFIFO_COMMAND_CALL) |
			BIT(NVFIFO_COMMAND_RETURN));
	KUNIT_EXPECT_EQ(test, nvc0_seen,
			BIT(NVFIFO_COMMAND_INVALID) | BIT(NVFIFO_COMMAND_INCR) |
			BIT(NVFIFO_COMMAND_NONINCR) |
			BIT(NVFIFO_COMMAND_1INC) | BIT(NVFIFO_COMMAND_IMMD) |
			BIT(NVFIFO_COMMAND_SLI_COND) |
			BIT(NVFIFO_COMMAND_SLI_STORE_MASK) | BIT(NVFIFO_COMMAND_SLI_USE_MASK) |
			BIT(NVFIFO_COMMAND_END_SEGMENT));
}

static struct kunit_case cmd_cases[] = {
	KUNIT_CASE(cmd_oracle),
	KUNIT_CASE(cmd_oracle_fence),
	KUNIT_CASE(cmd_nv04),
	KUNIT_CASE(cmd_nvc0),
	KUNIT_CASE(cmd_cut),
	KUNIT_CASE(cmd_wrong_format),
	KUNIT_CASE(cmd_random),
	{}
};

static struct kunit_suite cmd_suite = {
	.name = "nvfifo_command",
	.test_cases = cmd_cases,
};

/* --- PFIFO's methods ----------------------------------------------------- */

/* Bit n: method 4 n of PFIFO's range is one. */
static void method_valid(struct kunit *test)
{
	const u64 all = BIT_ULL(0x00 / 4) | BIT_ULL(0x50 / 4) | BIT_ULL(0x60 / 4) |
			BIT_ULL(0x64 / 4) | BIT_ULL(0x68 / 4) | BIT_ULL(0x6c / 4) |
			BIT_ULL(0x80 / 4);
	const u64 g84 = BIT_ULL(0x10 / 4) | BIT_ULL(0x14 / 4) | BIT_ULL(0x18 / 4) |
			BIT_ULL(0x1c / 4) | BIT_ULL(0x20 / 4) | BIT_ULL(0x24 / 4);
	const u64 mcp89 = BIT_ULL(0x28 / 4) | BIT_ULL(0x2c / 4);
	u32 chipset = nvfifo_test_chipset(test);
	u64 want = all;
	u32 m;

	if (chipset != 0x50)
		want |= g84;

	if (chipset == 0xaf)
		want |= mcp89;

	for (m = 0; m < 0x100; m++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pfifo_method_valid(chipset, m),
				    m % 4 == 0 && (want & BIT_ULL(m / 4)), "method %#x", m);
}

static struct kunit_case method_cases[] = {
	KUNIT_CASE_PARAM(method_valid, nvfifo_test_chipsets_gen_params),
	{}
};

static struct kunit_suite method_suite = {
	.name = "nvfifo_method",
	.test_cases = method_cases,
};

kunit_test_suites(&ib_suite, &cmd_suite, &method_suite);
