// SPDX-License-Identifier: GPL-2.0-only
/* The words that the card releases for fences, and the watchdog's clocks */
#include <linux/sort.h>

#include "nvfifo_test.h"
#include "nvfifo_irq.h"
#include "nvfifo_fence.h"
#include "nvfifo_clock.h"

static int compare(const void *a, const void *b)
{
	return (*(const u32 *)a > *(const u32 *)b) - (*(const u32 *)a < *(const u32 *)b);
}

static siphash_key_t some_key(struct rnd_state *rnd)
{
	return (siphash_key_t){ .key = { nvfifo_test_rnd64(rnd), nvfifo_test_rnd64(rnd) } };
}

static u32 there_and_back(const siphash_key_t *key, u32 number)
{
	return nvfifo_fence_decrypt(key, nvfifo_fence_encrypt(key, number));
}

/* Each number comes back, and no two have the same word. */
static void fence_word_round_trip(struct kunit *test)
{
	static const u32 edges[] = { 0, 1, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff };
	u32 *words = kunit_kmalloc_array(test, 4096, sizeof(*words), GFP_KERNEL);
	struct rnd_state rnd;
	siphash_key_t key;
	u32 i, k, same, word;

	KUNIT_ASSERT_NOT_NULL(test, words);
	nvfifo_test_seed(&rnd);
	for (k = 0; k < 8; k++) {
		key = some_key(&rnd);
		for (i = 0; i < ARRAY_SIZE(edges); i++)
			KUNIT_EXPECT_EQ(test, there_and_back(&key, edges[i]), edges[i]);
		for (i = 0; i < 4096; i++) {
			words[i] = nvfifo_fence_encrypt(&key, i);
			KUNIT_EXPECT_EQ(test, nvfifo_fence_decrypt(&key, words[i]), i);
			/* A permutation in the other direction, too. */
			word = nvfifo_fence_decrypt(&key, i);
			KUNIT_EXPECT_EQ(test, nvfifo_fence_encrypt(&key, word), i);
		}
		sort(words, 4096, sizeof(*words), compare, NULL);
		for (i = 1, same = 0; i < 4096; i++)
			same += words[i] == words[i - 1];
		KUNIT_EXPECT_EQ(test, same, 0);
	}
}

/* Neither the number nor its neighbours' words nor another key tell the word. */
static void fence_word_unforeseeable(struct kunit *test)
{
	u32 i, bit, plain = 0, step = 0, shared = 0, ones[32] = {};
	struct rnd_state rnd;
	siphash_key_t a, b;
	u32 word, last;

	nvfifo_test_seed(&rnd);
	a = some_key(&rnd);
	b = a;
	b.key[1] ^= 1;
	last = nvfifo_fence_encrypt(&a, 0);
	for (i = 1; i <= 4096; i++) {
		word = nvfifo_fence_encrypt(&a, i);
		plain += word == i;
		step += word - last < 4096 || last - word < 4096;
		shared += word == nvfifo_fence_encrypt(&b, i);
		for (bit = 0; bit < 32; bit++)
			ones[bit] += (word ^ last) >> bit & 1;
		last = word;
	}
	KUNIT_EXPECT_LE(test, plain, 1);
	KUNIT_EXPECT_LE(test, step, 1);
	KUNIT_EXPECT_LE(test, shared, 1);
	/* Each bit changes in half of all steps; six standard deviations of 4096 tries. */
	for (bit = 0; bit < 32; bit++) {
		KUNIT_EXPECT_GE(test, ones[bit], 2048 - 192);
		KUNIT_EXPECT_LE(test, ones[bit], 2048 + 192);
	}
}

static struct kunit_case fence_word_cases[] = {
	KUNIT_CASE(fence_word_round_trip),
	KUNIT_CASE(fence_word_unforeseeable),
	{}
};

static struct kunit_suite fence_word_suite = {
	.name = "nvfifo_fence_word",
	.test_cases = fence_word_cases,
};

#define LIMIT	1000u

/* Time counts from the second look on, and anew when the channel gets on. */
static void clock_starts(struct kunit *test)
{
	struct nvfifo_clock clock = {};
	int i;

	nvfifo_clock_tick(&clock, 0, LIMIT, true, 1);
	KUNIT_EXPECT_EQ(test, nvfifo_clock_excess(&clock, LIMIT), 0);
	for (i = 0; i < 4; i++) {
		nvfifo_clock_tick(&clock, 0, LIMIT / 4 - 1, true, 1);
		KUNIT_EXPECT_EQ(test, nvfifo_clock_excess(&clock, LIMIT), 0);
	}
	nvfifo_clock_tick(&clock, 1, LIMIT, true, 1);
	KUNIT_EXPECT_EQ(test, nvfifo_clock_excess(&clock, LIMIT), 0);
	nvfifo_clock_tick(&clock, 1, LIMIT, true, 1);
	KUNIT_EXPECT_NE(test, nvfifo_clock_excess(&clock, LIMIT), 0);
}

/* One hogs the card, the others wait: it is late, and they are not; without it they get late. */
static void clock_blames(struct kunit *test)
{
	struct nvfifo_clock hog = {}, waits = {};
	const u32 sharers = 5;
	u32 ms;

	for (ms = 0; ms <= LIMIT; ms += 100) {
		nvfifo_clock_tick(&hog, 0, 100, true, sharers);
		nvfifo_clock_tick(&waits, 0, 100, false, sharers);
	}
	KUNIT_EXPECT_NE(test, nvfifo_clock_excess(&hog, LIMIT), 0);
	KUNIT_EXPECT_EQ(test, nvfifo_clock_excess(&waits, LIMIT), 0);
	/* The others leave, and it goes on waiting beside one: what it shared with most counts. */
	for (; ms < 2 * sharers * LIMIT; ms += 100) {
		nvfifo_clock_tick(&waits, 0, 100, false, 2);
		KUNIT_EXPECT_EQ(test, nvfifo_clock_excess(&waits, LIMIT), 0);
	}
	nvfifo_clock_tick(&waits, 0, 200, false, 2);
	KUNIT_EXPECT_NE(test, nvfifo_clock_excess(&waits, LIMIT), 0);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(clock_starts),
	KUNIT_CASE(clock_blames),
	{}
};

static struct kunit_suite clock_suite = {
	.name = "nvfifo_clock",
	.test_cases = clock_cases,
};

/*
 * A storm gets slower down to some 300 interrupts a second; the few that a frame of ordinary work
 * asks for are free.
 */
static void intr_pauses(struct kunit *test)
{
	u32 idle, us, before = 0, sum = 0;

	for (idle = 0; idle < 1000; idle++) {
		us = nvfifo_intr_pause_us(idle);
		if (idle < 32)
			KUNIT_EXPECT_EQ(test, us, 0);
		KUNIT_EXPECT_GE(test, us, before);
		KUNIT_EXPECT_LE(test, us, 3000);
		before = us;
		sum += us;
	}
	KUNIT_EXPECT_EQ(test, before, 3000);
	KUNIT_EXPECT_GE(test, sum, 2 * USEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, nvfifo_intr_pause_us(U32_MAX), 3000);
}

static struct kunit_case intr_cases[] = {
	KUNIT_CASE(intr_pauses),
	{}
};

static struct kunit_suite intr_suite = {
	.name = "nvfifo_intr",
	.test_cases = intr_cases,
};

kunit_test_suites(&fence_word_suite, &clock_suite, &intr_suite);
