// SPDX-License-Identifier: GPL-2.0-only
/*
 * The search for the place of a method in a pushbuffer (hw/nvfifo_place.h).
 */
#include "nvfifo_test.h"

#include "nvfifo_place.h"

/* Command words as the hardware documents have them: count << 18 | subchannel << 13 | method */
#define INCR(subchannel, method, count)		((count) << 18 | (subchannel) << 13 | (method))
#define NONINCR(subchannel, method, count)	(0x40000000 | INCR(subchannel, method, count))
#define LONG_NONINCR(subchannel, method)	(0x00030000 | (subchannel) << 13 | (method))

/* Walk over words that are segments of four words each. */
static struct nvfifo_place walk(u32 subchannel, u32 method, u32 data, const u32 *words, u32 count)
{
	struct nvfifo_place place = { .method = subchannel << 13 | method, .data = data };
	u32 i;

	for (i = 0; i < count; i++)
		nvfifo_place_word(&place, i / 4, i % 4, words[i]);

	return place;
}

static const u32 stream[] = {
	INCR(2, 0x000, 1), 0xbeef5039, INCR(2, 0x30c, 3), 0x11,
	0x22, 0x33, NONINCR(1, 0x200, 2), 0x11,
	0x22, LONG_NONINCR(2, 0x310), 2, 0x22,
	0x44, INCR(2, 0x310, 1), 0x22, INCR(0, 0x1ffc, 2),
	5, 6,
};

static void place_finds(struct kunit *test)
{
	static const struct {
		u32 subchannel, method, data;
		u32 matches, entry, word;
		u32 before;
	} rows[] = {
		/* it increases, and goes on in the next segment */
		{ 2, 0x310, 0x22, 3, 1, 0, 2 << 13 | 0x30c },
		{ 2, 0x314, 0x33, 1, 1, 1, 2 << 13 | 0x310 },
		/* it does not increase, and is another subchannel's */
		{ 1, 0x200, 0x11, 1, 1, 3, 2 << 13 | 0x314 },
		{ 1, 0x200, 0x22, 1, 2, 0, 1 << 13 | 0x200 },
		/* the count is no data */
		{ 2, 0x310, 0x44, 1, 3, 0, 2 << 13 | 0x310 },
		/* a method does not run into the subchannel */
		{ 0, 0x000, 6, 1, 4, 1, 0x1ffc },
	};
	struct nvfifo_place p;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		p = walk(rows[i].subchannel, rows[i].method, rows[i].data, stream,
			 ARRAY_SIZE(stream));
		KUNIT_EXPECT_EQ_MSG(test, p.matches, rows[i].matches, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, p.entry, rows[i].entry, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, p.word, rows[i].word, "row %d", i);
		KUNIT_EXPECT_TRUE_MSG(test, p.has_before, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, p.before, rows[i].before, "row %d", i);
	}

	p = walk(2, 0x310, 0x11, stream, ARRAY_SIZE(stream));
	KUNIT_EXPECT_EQ(test, p.matches, 0);
	p = walk(2, 0x000, 0xbeef5039, stream, ARRAY_SIZE(stream));
	KUNIT_EXPECT_EQ(test, p.matches, 1);
	KUNIT_EXPECT_FALSE(test, p.has_before);
}

/* The objects are those of the subchannels at the method, not those bound later. */
static void place_objects(struct kunit *test)
{
	static const u32 words[] = {
		INCR(3, 0x000, 1), 0x0000502d, INCR(3, 0x200, 1), 7,
		INCR(3, 0x000, 1), 0x00005097, INCR(3, 0x200, 1), 8,
	};
	struct nvfifo_place p;

	p = walk(3, 0x200, 7, words, ARRAY_SIZE(words));
	KUNIT_EXPECT_EQ(test, p.bound, BIT(3));
	KUNIT_EXPECT_EQ(test, p.handles[3], 0x0000502d);
	p = walk(3, 0x200, 8, words, ARRAY_SIZE(words));
	KUNIT_EXPECT_EQ(test, p.handles[3], 0x00005097);
}

/* A walk for its own sake ends with the last method. */
static void place_end(struct kunit *test)
{
	struct nvfifo_place p = { .method = NVFIFO_PLACE_NO_METHOD };
	u32 i;

	nvfifo_place_word(&p, 0, 0, INCR(0, 0x050, 1));
	KUNIT_EXPECT_FALSE(test, p.has_before);
	nvfifo_place_word(&p, 0, 1, 0x900d);
	KUNIT_EXPECT_TRUE(test, p.has_before);
	KUNIT_EXPECT_EQ(test, p.before, 0x050);

	/* Words that are no commands, and commands without data, change nothing. */
	for (i = 0; i < 4; i++)
		nvfifo_place_word(&p, 0, 2 + i, i < 2 ? 0xffffffff : INCR(5, 0x300, 0));

	KUNIT_EXPECT_EQ(test, p.before, 0x050);
	KUNIT_EXPECT_EQ(test, p.matches, 0);
}

static struct kunit_case place_cases[] = {
	KUNIT_CASE(place_finds),
	KUNIT_CASE(place_objects),
	KUNIT_CASE(place_end),
	{}
};

static struct kunit_suite place_suite = {
	.name = "nvfifo_place",
	.test_cases = place_cases,
};

kunit_test_suites(&place_suite);
