// SPDX-License-Identifier: GPL-2.0-only
/* The words that the card releases for fences, and the watchdog's clocks */
#include <linux/sort.h>

#include "fake.h"
#include "nvfifo_test.h"
#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "card/nvfifo_card.h"
#include "fifo/nvfifo_sched.h"

static int compare(const void *a, const void *b)
{
	return (*(const u32 *)a > *(const u32 *)b) - (*(const u32 *)a < *(const u32 *)b);
}

#define JOBS	4095u
#define FEW_JOBS	40u

struct ring {
	struct nvfifo_device *ndev;
	struct nvfifo_chan *chan;
	struct nvfifo_job *jobs;
};

/* A full ring of the largest order */
static void full_ring(struct kunit *test, struct ring *ring)
{
	u32 i;

	ring->ndev = kunit_kzalloc(test, sizeof(*ring->ndev), GFP_KERNEL);
	ring->chan = kunit_kzalloc(test, sizeof(*ring->chan), GFP_KERNEL);
	ring->jobs = kunit_kcalloc(test, JOBS, sizeof(*ring->jobs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ring->ndev);
	KUNIT_ASSERT_NOT_NULL(test, ring->chan);
	KUNIT_ASSERT_NOT_NULL(test, ring->jobs);

	ring->chan->ndev = ring->ndev;
	ring->chan->ib = true;
	spin_lock_init(&ring->chan->fence_lock);
	nvfifo_fence_first_word(ring->chan);

	scoped_guard(spinlock_irqsave, &ring->chan->fence_lock)
		for (i = 0; i < JOBS; i++)
			nvfifo_fence_draw_word(ring->chan, &ring->jobs[i]);
}

/* Each word leads to its job, and no two jobs have the same. */
static void fence_word_finds_job(struct kunit *test)
{
	u32 *words = kunit_kmalloc_array(test, JOBS + 1, sizeof(*words), GFP_KERNEL);
	struct ring ring;
	u32 i, same = 0;

	KUNIT_ASSERT_NOT_NULL(test, words);
	full_ring(test, &ring);

	for (i = 0; i < JOBS; i++) {
		words[i] = ring.jobs[i].word;
		KUNIT_EXPECT_PTR_EQ(test, nvfifo_fence_find(ring.chan, words[i]), &ring.jobs[i]);
	}
	words[JOBS] = ring.chan->ended_word;

	sort(words, JOBS + 1, sizeof(*words), compare, NULL);
	for (i = 1; i <= JOBS; i++)
		same += words[i] == words[i - 1];

	KUNIT_EXPECT_EQ(test, same, 0);
}

/* A word in use is not drawn again; after the end of its job it is free. */
static void fence_word_is_free(struct kunit *test)
{
	struct ring ring;
	u32 i, word;

	full_ring(test, &ring);
	KUNIT_EXPECT_FALSE(test, nvfifo_fence_word_is_free(ring.chan, ring.chan->ended_word));

	for (i = 0; i < JOBS; i++) {
		word = ring.jobs[i].word;
		KUNIT_EXPECT_FALSE(test, nvfifo_fence_word_is_free(ring.chan, word));

		hlist_del_init(&ring.jobs[i].by_word);
		KUNIT_EXPECT_TRUE(test, nvfifo_fence_word_is_free(ring.chan, word));
		KUNIT_EXPECT_NULL(test, nvfifo_fence_find(ring.chan, word));
	}
}

/* Neither the seqno nor earlier words nor another channel reveal the word. */
static void fence_word_unforeseeable(struct kunit *test)
{
	u32 i, bit, plain = 0, step = 0, shared = 0, ones[32] = {};
	struct ring a, b;
	u32 word, last;

	full_ring(test, &a);
	full_ring(test, &b);

	last = a.chan->ended_word;
	for (i = 0; i < JOBS; i++) {
		word = a.jobs[i].word;
		plain += word == i;
		step += word - last < 4096 || last - word < 4096;
		shared += word == b.jobs[i].word;
		for (bit = 0; bit < 32; bit++)
			ones[bit] += (word ^ last) >> bit & 1;
		last = word;
	}

	KUNIT_EXPECT_LE(test, plain, 1);
	KUNIT_EXPECT_LE(test, step, 1);
	KUNIT_EXPECT_LE(test, shared, 1);

	/* Each bit changes in half of all steps; six standard deviations of 4096 tries. */
	for (bit = 0; bit < 32; bit++) {
		KUNIT_EXPECT_GE(test, ones[bit], 2048 - 193);
		KUNIT_EXPECT_LE(test, ones[bit], 2048 + 192);
	}
}

/* A channel with some jobs in its ring, and one that waits in the scheduler */
struct work {
	struct nvfifo_test_card *card;
	struct nvfifo_chan *chan;
	struct nvfifo_job *jobs[FEW_JOBS + 1];
	__le32 page;
};

static struct work *work_new(struct kunit *test)
{
	struct work *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct nvfifo_chan *chan = kunit_kzalloc(test, sizeof(*chan), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_TRUE(test, w && chan);
	w->card = nvfifo_test_card(test, 0x84);
	w->chan = chan;
	kref_init(&chan->ref);
	spin_lock_init(&chan->fence_lock);
	init_waitqueue_head(&chan->waiters);
	INIT_LIST_HEAD(&chan->jobs);
	chan->ndev = &w->card->ndev;
	chan->ib = true;
	chan->mem = &w->page;
	w->page = cpu_to_le32(nvfifo_fence_first_word(chan));
	KUNIT_ASSERT_EQ(test, nvfifo_chid_alloc(chan), 0);
	scoped_guard(mutex, &chan->ndev->fifo_lock)
		nvfifo_chid_publish(chan);

	for (i = 0; i <= FEW_JOBS; i++) {
		/* SUBMIT does not zero the memory of a job. */
		w->jobs[i] = kmalloc(sizeof(*w->jobs[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, w->jobs[i]);
		memset(w->jobs[i], 0xa5, sizeof(*w->jobs[i]));
		w->jobs[i]->slots = 1;

		guard(spinlock_irqsave)(&chan->fence_lock);
		nvfifo_job_begin(chan, w->jobs[i]);
		if (i == FEW_JOBS)
			break;

		/* As job_write(), without a ring */
		nvfifo_fence_draw_word(chan, w->jobs[i]);
		w->jobs[i]->written = true;
		chan->used++;
		set_bit(chan->id, chan->ndev->fences.busy);
	}

	return w;
}

static void work_free(struct work *w)
{
	u32 i;

	nvfifo_fences_fail(w->chan, -ECANCELED, true);
	for (i = 0; i <= FEW_JOBS; i++)
		dma_fence_put(&w->jobs[i]->fence.base);

	nvfifo_chid_free(w->chan);
}

/* The fences up to the word in the page signal, in their order, and not one that is not written. */
static void fence_order(struct kunit *test)
{
	struct work *w = work_new(test);
	struct nvfifo_chan *chan = w->chan;
	u32 i;

	KUNIT_EXPECT_FALSE(test, nvfifo_fences_process_all(chan->ndev));
	w->page = cpu_to_le32(w->jobs[4]->word);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(&w->jobs[0]->fence.base));
	KUNIT_EXPECT_TRUE(test, nvfifo_fences_process_all(chan->ndev));
	KUNIT_EXPECT_FALSE(test, nvfifo_fences_process_all(chan->ndev));
	for (i = 0; i <= FEW_JOBS; i++)
		KUNIT_EXPECT_EQ(test, dma_fence_is_signaled(&w->jobs[i]->fence.base), i <= 4);

	KUNIT_EXPECT_EQ(test, chan->completed, 5);
	KUNIT_EXPECT_TRUE(test, test_bit(chan->id, chan->ndev->fences.busy));
	w->page = cpu_to_le32(w->jobs[FEW_JOBS - 1]->word);
	KUNIT_EXPECT_TRUE(test, nvfifo_fences_process(chan));
	KUNIT_EXPECT_EQ(test, chan->completed, FEW_JOBS);
	KUNIT_EXPECT_FALSE(test, test_bit(chan->id, chan->ndev->fences.busy));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(&w->jobs[FEW_JOBS]->fence.base));

	work_free(w);
}

/* The fences of a dead channel fail at its end, whatever the page holds by then. */
static void fence_fails(struct kunit *test)
{
	struct work *w = work_new(test);
	struct nvfifo_chan *chan = w->chan;
	u32 i;

	w->page = cpu_to_le32(w->jobs[1]->word);
	nvfifo_fences_fail(chan, -EIO, false);
	w->page = cpu_to_le32(w->jobs[7]->word);
	KUNIT_EXPECT_FALSE(test, nvfifo_fences_process(chan));
	KUNIT_EXPECT_EQ(test, chan->completed, 2);
	nvfifo_fences_fail(chan, -ECANCELED, true);

	for (i = 0; i <= FEW_JOBS; i++) {
		KUNIT_EXPECT_TRUE(test, dma_fence_is_signaled(&w->jobs[i]->fence.base));
		KUNIT_EXPECT_EQ(test, w->jobs[i]->fence.base.error, i < 2 ? 0 : -EIO);
	}

	work_free(w);
}

static struct kunit_case fence_word_cases[] = {
	KUNIT_CASE(fence_word_finds_job),
	KUNIT_CASE(fence_word_is_free),
	KUNIT_CASE(fence_word_unforeseeable),
	KUNIT_CASE(fence_order),
	KUNIT_CASE(fence_fails),
	{}
};

static struct kunit_suite fence_word_suite = {
	.name = "nvfifo_fence_word",
	.test_cases = fence_word_cases,
};

#define LIMIT	1000u

/* Time counts from the second look on, and restarts when the channel makes progress. */
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
	/* The other channels leave but one: the largest number of sharers counts. */
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

#define NOTIFY	NV_PFIFO_INTR_EN__NOTIFY
#define OTHERS	0x00101051

/* While PFIFO is stopped the register is not written. A mask leaves the other interrupts alone. */
static void fifo_intr_mask(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);
	struct nvfifo_device *ndev = &card->ndev;
	u32 end;

	nvfifo_fifo_intr_start(ndev, NOTIFY | OTHERS);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_INTR_EN), NOTIFY | OTHERS);

	nvfifo_fifo_intr_mask(ndev, 0x1000);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_INTR_EN),
			NOTIFY | (OTHERS & ~0x1000));

	nvfifo_fifo_intr_stop(ndev);
	end = card->logged;
	nvfifo_fifo_intr_mask(ndev, 0x1000);
	KUNIT_EXPECT_EQ(test, card->logged, end);
	KUNIT_EXPECT_EQ(test, nvfifo_fifo_intr_pending(ndev), 0);
}

static struct kunit_case fifo_intr_cases[] = {
	KUNIT_CASE(fifo_intr_mask),
	{}
};

static struct kunit_suite fifo_intr_suite = {
	.name = "nvfifo_fifo_intr",
	.test_cases = fifo_intr_cases,
};

kunit_test_suites(&fence_word_suite, &clock_suite, &intr_suite, &fifo_intr_suite);
