// SPDX-License-Identifier: GPL-2.0-only
/*
 * Procedures of the card: the order of the driver's writes, its waits, and its reaction to a
 * procedure that does not end.
 */
#include "chipsets.h"
#include "fake.h"
#include "nvfifo_error.h"

/* A card of this test's chipset. */
static struct nvfifo_test_card *param_card(struct kunit *test)
{
	return nvfifo_test_card(test, nvfifo_test_chipset(test));
}

static const u32 generations[] = { 0x50, 0x84 };

static void generation_desc(const u32 *chipset, char *desc)
{
	strscpy(desc, nvfifo_chipset_name(*chipset), KUNIT_PARAM_DESC_SIZE);
}

/* One chipset of each generation: for tests that wait for a time-out. */
KUNIT_ARRAY_PARAM(generation, generations, generation_desc);

static struct nvfifo_test_card *generation_card(struct kunit *test)
{
	return nvfifo_test_card(test, *(const u32 *)test->param_value);
}

/* After a time-out nothing is tried again. */
static void expect_stuck(struct nvfifo_test_card *card)
{
	KUNIT_ASSERT_EQ(card->test, card->ndev.hw.phase, NVFIFO_STUCK);
	KUNIT_EXPECT_EQ(card->test, atomic_read(&card->ndev.counters.timeouts), 1);
	KUNIT_EXPECT_EQ(card->test, nvfifo_check_wedged(&card->ndev), -EIO);
	nvfifo_test_forget(card);
}

/* Nothing was written or read since expect_stuck(). */
static void expect_quiet(struct nvfifo_test_card *card)
{
	KUNIT_EXPECT_EQ(card->test, card->logged, 0);
	KUNIT_EXPECT_EQ(card->test, atomic_read(&card->ndev.counters.timeouts), 1);
}

/* How often a register was read in all. */
static u32 reads(const struct nvfifo_test_card *card, u32 reg)
{
	u32 i, n = 0;

	for (i = 0; i < card->logged; i++)
		if (!card->log[i].write && card->log[i].reg == reg)
			n += card->log[i].times;
	return n;
}

/* The first read that returned the value, INT_MAX if there is none. */
static int find_value(const struct nvfifo_test_card *card, u32 reg, u32 mask, u32 want, int from)
{
	int at;

	for (at = nvfifo_test_find(card, false, reg, from); at >= 0;
	     at = nvfifo_test_find(card, false, reg, at + 1))
		if ((card->log[at].val & mask) == want)
			return at;
	return INT_MAX;
}

/* --- Waiting ------------------------------------------------------------- */

static void wait_field(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);

	nvfifo_test_poke(card, NV_PFIFO_DEBUG_1, 0x12345678);
	KUNIT_EXPECT_EQ(test, nvfifo_wait(&card->ndev, NV_PFIFO_DEBUG_1, 0xff00, 0x5600, "test"),
			0);
	KUNIT_EXPECT_EQ(test, nvfifo_wait(&card->ndev, NV_PFIFO_DEBUG_1, 0x8000, 0, "test"), 0);
	KUNIT_EXPECT_EQ(test, reads(card, NV_PFIFO_DEBUG_1), 2);
	KUNIT_EXPECT_TRUE(test, nvfifo_is_usable(&card->ndev));
}

/* A card whose registers read all ones is lost, not slow. */
static void wait_lost(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);

	nvfifo_test_poke(card, NV_PMC_BOOT_0, 0xffffffff);
	nvfifo_test_poke(card, NV_PFIFO_DEBUG_1, 0xffffffff);
	KUNIT_EXPECT_EQ(test, nvfifo_wait(&card->ndev, NV_PFIFO_DEBUG_1, 1, 0, "test"), -ENODEV);
	KUNIT_EXPECT_EQ(test, card->ndev.hw.phase, NVFIFO_LOST);
	KUNIT_EXPECT_EQ(test, nvfifo_check_wedged(&card->ndev), -ENODEV);
}

#define WEDGED	(BIT(NVFIFO_STUCK) | BIT(NVFIFO_LOST))

/* Each phase of the drawing in nvfifo_hw.c, with the phases that may follow */
static const struct {
	u32 next;
	int wedged, ending;
} phases[NVFIFO_PHASES] = {
	[NVFIFO_STARTING] = { WEDGED | BIT(NVFIFO_RUNNING), 0, 0 },
	[NVFIFO_RUNNING] = { WEDGED | BIT(NVFIFO_SUSPENDING) | BIT(NVFIFO_REMOVING), 0, 0 },
	[NVFIFO_SUSPENDING] = { WEDGED | BIT(NVFIFO_ASLEEP), 0, 0 },
	[NVFIFO_ASLEEP] = { WEDGED | BIT(NVFIFO_RUNNING), 0, 0 },
	[NVFIFO_REMOVING] = { WEDGED | BIT(NVFIFO_GONE), 0, -ENODEV },
	[NVFIFO_STUCK] = { BIT(NVFIFO_LOST) | BIT(NVFIFO_GONE), -EIO, -EIO },
	[NVFIFO_LOST] = { 0, -ENODEV, -ENODEV },
	[NVFIFO_GONE] = { 0, -ENODEV, -ENODEV },
};

/* A card changes its phase as in the drawing only, and each phase ends the right waits. */
static void card_phases(struct kunit *test)
{
	struct nvfifo_device *ndev = &nvfifo_test_card(test, 0x84)->ndev;
	u32 from, to;
	bool may;

	for (from = 0; from < NVFIFO_PHASES; from++) {
		for (to = 0; to < NVFIFO_PHASES; to++) {
			may = phases[from].next & BIT(to);
			ndev->hw.phase = from;
			KUNIT_EXPECT_EQ_MSG(test, nvfifo_set_phase(ndev, to), may,
					    "from %u to %u", from, to);
			KUNIT_EXPECT_EQ(test, nvfifo_phase(ndev), may ? to : from);
		}

		ndev->hw.phase = from;
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_check_wedged(ndev), phases[from].wedged,
				    "phase %u", from);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_check_ending(ndev), phases[from].ending,
				    "phase %u", from);
		KUNIT_EXPECT_EQ(test, nvfifo_is_usable(ndev), !phases[from].wedged);
	}
}

static struct kunit_case wait_cases[] = {
	KUNIT_CASE(wait_field),
	KUNIT_CASE(wait_lost),
	KUNIT_CASE(card_phases),
	{}
};

static struct kunit_suite wait_suite = {
	.name = "nvfifo_wait",
	.test_cases = wait_cases,
};

/* --- TLB ----------------------------------------------------------------- */

/*
 * One write, and reads until the trigger is clear. nouveau has the same sequence for the engines
 * that it flushes; it never flushes engine 5, PFIFO.
 */
static void tlb_flush_ends(struct kunit *test)
{
	static const u32 engines[] = { 0x1, 0x5, 0x6, 0x8, 0x9, 0xa, 0xc, 0xd };
	struct nvfifo_test_card *card = param_card(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(engines); i++) {
		card->slow[NVFIFO_TEST_TLB] = i;
		nvfifo_test_forget(card);
		KUNIT_EXPECT_EQ(test, nvfifo_tlb_flush(&card->ndev, engines[i]), 0);
		KUNIT_ASSERT_GE(test, card->logged, 2);
		KUNIT_EXPECT_TRUE(test, card->log[0].write);
		KUNIT_EXPECT_EQ(test, card->log[0].reg, 0x100c80);
		KUNIT_EXPECT_EQ(test, card->log[0].val, engines[i] << 16 | 1);
		KUNIT_EXPECT_EQ(test, nvfifo_test_find(card, true, 0x100c80, 1), -1);
		KUNIT_EXPECT_EQ(test, reads(card, 0x100c80), i + 1);
		KUNIT_EXPECT_EQ(test, card->log[card->logged - 1].val, engines[i] << 16);
		KUNIT_EXPECT_FALSE(test, mutex_is_locked(&card->ndev.mmu.lock));
	}
}

static void tlb_flush_stuck(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);

	nvfifo_test_stick(card, NVFIFO_TEST_TLB);
	KUNIT_EXPECT_EQ(test, nvfifo_tlb_flush(&card->ndev, NVFIFO_VM_PFIFO), -EIO);
	expect_stuck(card);
	KUNIT_EXPECT_EQ(test, nvfifo_tlb_flush(&card->ndev, NVFIFO_VM_PFIFO), -EIO);
	expect_quiet(card);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&card->ndev.mmu.lock));
}

static void tlb_flush_lost(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);

	card->ndev.hw.phase = NVFIFO_LOST;
	KUNIT_EXPECT_EQ(test, nvfifo_tlb_flush(&card->ndev, NVFIFO_VM_PFIFO), -ENODEV);
	KUNIT_EXPECT_EQ(test, card->logged, 0);
}

static struct kunit_case tlb_cases[] = {
	KUNIT_CASE_PARAM(tlb_flush_ends, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(tlb_flush_stuck),
	KUNIT_CASE(tlb_flush_lost),
	{}
};

static struct kunit_suite tlb_suite = {
	.name = "nvfifo_tlb",
	.test_cases = tlb_cases,
};

/* --- BAR flush and VRAM -------------------------------------------------- */

/* 0x330c on G80, 0x70000 on all others: write 1, wait until bit 1 is 0. */
static void bar_flush(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	u32 reg = nvfifo_test_chipset(test) == 0x50 ? 0x330c : 0x70000;
	u32 slow;

	for (slow = 0; slow < 4; slow++) {
		card->slow[NVFIFO_TEST_FLUSH] = slow;
		nvfifo_test_forget(card);
		KUNIT_EXPECT_EQ(test, nvfifo_bar_flush(&card->ndev), 0);
		KUNIT_ASSERT_GE(test, card->logged, 2);
		KUNIT_EXPECT_TRUE(test, card->log[0].write);
		KUNIT_EXPECT_EQ(test, card->log[0].reg, reg);
		KUNIT_EXPECT_EQ(test, card->log[0].val, 1);
		KUNIT_EXPECT_EQ(test, nvfifo_test_find(card, true, reg, 1), -1);
		KUNIT_EXPECT_EQ(test, reads(card, reg), slow + 1);
	}
}

static void bar_flush_stuck(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x50);

	nvfifo_test_stick(card, NVFIFO_TEST_FLUSH);
	KUNIT_EXPECT_EQ(test, nvfifo_bar_flush(&card->ndev), -EIO);
	expect_stuck(card);
	KUNIT_EXPECT_EQ(test, nvfifo_bar_flush(&card->ndev), -EIO);
	expect_quiet(card);
}

static void vram_access(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);
	u64 base = NVFIFO_TEST_VRAM;
	u32 i;

	nvfifo_vram_wr32(&card->ndev, base + 0x1000, 0x12345678);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, base + 0x1000), 0x12345678);
	KUNIT_EXPECT_EQ(test, nvfifo_vram_rd32(&card->ndev, base + 0x1000), 0x12345678);
	nvfifo_vram_fill(&card->ndev, base + 0x2000, 0x100, 0xcafe0001);

	for (i = 0x1ff0; i < 0x2110; i += 4)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_vram_rd32(&card->ndev, base + i),
				    i >= 0x2000 && i < 0x2100 ? 0xcafe0001 : 0xa5a5a5a5, "%#x", i);
}

static struct kunit_case mem_cases[] = {
	KUNIT_CASE_PARAM(bar_flush, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(bar_flush_stuck),
	KUNIT_CASE(vram_access),
	{}
};

static struct kunit_suite mem_suite = {
	.name = "nvfifo_mem",
	.test_cases = mem_cases,
};

/* --- Freeze -------------------------------------------------------------- */

static void chans_destroy(void *chans)
{
	xa_destroy(chans);
}

/* A channel that runs, and has objects of all engines. */
static struct nvfifo_chan *running_chan(struct nvfifo_test_card *card, u32 id)
{
	struct nvfifo_chan *chan = kunit_kzalloc(card->test, sizeof(*chan), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(card->test, chan);
	KUNIT_ASSERT_EQ(card->test, kunit_add_action_or_reset(card->test, chans_destroy,
							      &card->ndev.fifo.chans), 0);

	chan->ndev = &card->ndev;
	chan->id = id;
	spin_lock_init(&chan->fence_lock);
	init_waitqueue_head(&chan->waiters);
	chan->inst.addr = NVFIFO_TEST_VRAM + SZ_64K;
	chan->table = 0x00123456;
	chan->engines = card->ndev.chip->engines;
	chan->phase = NVFIFO_CHAN_RUNNING;
	KUNIT_ASSERT_FALSE(card->test,
			   xa_is_err(xa_store(&card->ndev.fifo.chans, id, chan, GFP_KERNEL)));

	return chan;
}

static struct nvfifo_test_card *running_card(struct kunit *test, u32 chipset)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, chipset);

	running_chan(card, 5);

	nvfifo_test_poke(card, NV_PFIFO_CACHES, 1);
	nvfifo_test_poke(card, NV_CACHE1_PULL0, 1);
	nvfifo_test_poke(card, NV_PFIFO_INTR_EN, 0x40101051);
	return card;
}

static void expect_running(struct nvfifo_test_card *card)
{
	struct kunit *test = card->test;

	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_FREEZE) & 1, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_CACHES), 1);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_PULL0) & 1, 1);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&card->ndev.fifo_lock));
}

/* The driver gave the card up: the card is halted, not frozen, and fifo_lock is free. */
static void expect_halted(struct nvfifo_test_card *card)
{
	struct kunit *test = card->test;

	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_FREEZE) & 1, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_CACHES), 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_PULL0) & 1, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_DMA_PUSH) & 1, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_PUSH0) & 1, 0);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&card->ndev.fifo_lock));
}

/*
 * Freeze, stop switching, stop the puller, then three waits. Unlike nouveau's pause this does not
 * acknowledge a CACHE_ERROR that was pending before: it belongs to the interrupt handler.
 */
static void freeze_order(struct kunit *test)
{
	struct nvfifo_test_card *card = running_card(test, nvfifo_test_chipset(test));
	int freeze, caches, pull0, frozen, idle, end, thaw;
	bool locked;

	card->slow[NVFIFO_TEST_HASH] = 2;
	card->slow[NVFIFO_TEST_FROZEN] = 3;
	card->slow[NVFIFO_TEST_IDLE] = 4;
	KUNIT_ASSERT_EQ(test, nvfifo_fifo_freeze(&card->ndev), 0);

	locked = mutex_is_locked(&card->ndev.fifo_lock);
	end = card->logged;
	nvfifo_fifo_unfreeze(&card->ndev);

	/* The lock keeps others off PFIFO until the thaw. */
	KUNIT_EXPECT_TRUE(test, locked);
	expect_running(card);

	freeze = nvfifo_test_find(card, true, 0x2504, 0);
	caches = nvfifo_test_find(card, true, 0x2500, freeze);
	pull0 = nvfifo_test_find(card, true, 0x3250, caches);
	frozen = nvfifo_test_find(card, false, 0x2504, pull0);
	idle = nvfifo_test_find(card, false, 0x251c, frozen);
	KUNIT_ASSERT_GE(test, freeze, 0);
	KUNIT_ASSERT_GT(test, caches, freeze);
	KUNIT_ASSERT_GT(test, pull0, caches);
	KUNIT_ASSERT_GT(test, frozen, pull0);
	KUNIT_ASSERT_GT(test, idle, frozen);
	KUNIT_EXPECT_LT(test, idle, end);
	KUNIT_EXPECT_EQ(test, card->log[freeze].val, 1);
	KUNIT_EXPECT_EQ(test, card->log[caches].val, 0);
	KUNIT_EXPECT_EQ(test, card->log[pull0].val & 1, 0);

	/* The call returned after all three waits. */
	KUNIT_EXPECT_EQ(test, card->log[end - 1].reg, 0x251c);
	KUNIT_EXPECT_EQ(test, card->log[end - 1].val, 0x3f);
	KUNIT_EXPECT_EQ(test, reads(card, 0x251c), 5);
	KUNIT_EXPECT_LT_MSG(test, find_value(card, 0x3250, 0x1000, 0, pull0), frozen,
			    "did not wait for the RAMHT search");
	KUNIT_EXPECT_LT_MSG(test, find_value(card, 0x2504, 0x10, 0x10, frozen), idle,
			    "did not wait for FROZEN");

	/* The thaw writes all three registers. */
	thaw = nvfifo_test_find(card, true, 0x2504, end);
	KUNIT_ASSERT_GE(test, thaw, 0);
	KUNIT_EXPECT_GE(test, nvfifo_test_find(card, true, 0x2500, end), 0);
	KUNIT_EXPECT_GE(test, nvfifo_test_find(card, true, 0x3250, end), 0);

	/* It also clears the puller's instance, after FROZEN is clear. */
	KUNIT_EXPECT_LT_MSG(test, find_value(card, 0x2504, 0x10, 0, thaw),
			    nvfifo_test_find(card, true, 0x3258, end),
			    "did not wait for the end of FROZEN");
	KUNIT_EXPECT_GT(test, nvfifo_test_find(card, true, 0x3250, end),
			nvfifo_test_find(card, true, 0x3258, end));
	KUNIT_EXPECT_TRUE(test, nvfifo_is_usable(&card->ndev));
}

/* A freeze does not wait for an engine without objects of running channels: it may be in reset. */
static void freeze_unused(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, nvfifo_test_chipset(test));
	struct nvfifo_chan *chan = running_chan(card, 5);

	nvfifo_test_stick(card, NVFIFO_TEST_IDLE);
	chan->engines = 0;
	KUNIT_ASSERT_EQ(test, nvfifo_fifo_freeze(&card->ndev), 0);
	nvfifo_fifo_unfreeze(&card->ndev);
	KUNIT_EXPECT_EQ(test, nvfifo_test_find(card, false, 0x251c, 0), -1);
}

/* A thaw does not start a puller that an error has stopped. */
static void freeze_keeps_error(struct kunit *test)
{
	static const struct {
		u32 intr;
		u32 pull0;
		bool restart;
	} rows[] = {
		{ 0x00000000, 0x00000001, true },
		{ 0x00000000, 0x00000000, false },
		{ 0x00000001, 0x00000011, false },	/* CACHE_ERROR */
		{ 0x00100000, 0x00100001, false },	/* SEMAPHORE */
		{ 0x40000000, 0x00000001, true },	/* NOTIFY is none */
		{ 0x00001000, 0x00000001, true },	/* the pusher's error is another */
	};
	struct nvfifo_test_card *card;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		card = running_card(test, 0x84);
		nvfifo_test_poke(card, NV_CACHE1_PULL0, rows[i].pull0);
		nvfifo_test_poke(card, NV_PFIFO_INTR, rows[i].intr);
		KUNIT_ASSERT_EQ(test, nvfifo_fifo_freeze(&card->ndev), 0);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_test_peek(card, NV_CACHE1_PULL0) & 1, 0, "row %u",
				    i);
		nvfifo_fifo_unfreeze(&card->ndev);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_test_peek(card, NV_CACHE1_PULL0) & 1,
				    rows[i].restart, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_test_peek(card, NV_PFIFO_INTR), rows[i].intr,
				    "row %u", i);
		KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_CACHES), 1);
	}
}

/* The driver handles an error of PGRAPH that comes during a freeze: PGRAPH is not idle before. */
static void freeze_late_error(struct kunit *test)
{
	u32 at;

	for (at = 1; at < 5; at++) {
		struct nvfifo_test_card *card = running_card(test, nvfifo_test_chipset(test));

		nvfifo_pgraph_set_used(&card->ndev);
		card->gr_error_at = at;
		card->slow[NVFIFO_TEST_IDLE] = 4;
		card->timeout_us = USEC_PER_SEC;
		KUNIT_ASSERT_EQ(test, nvfifo_fifo_freeze(&card->ndev), 0);
		KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PGRAPH_INTR), 0);
		KUNIT_EXPECT_EQ(test, atomic64_read(&card->ndev.counters.errors), 1);
		KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_PULL0) & 1, 0);
		nvfifo_fifo_unfreeze(&card->ndev);
		expect_running(card);
		KUNIT_EXPECT_TRUE(test, nvfifo_is_usable(&card->ndev));
		KUNIT_EXPECT_EQ(test, atomic_read(&card->ndev.counters.timeouts), 0);
	}
}

struct freeze_wait {
	enum nvfifo_test_unit unit;
	const char *name;
};

static const struct freeze_wait freeze_waits[] = {
	{ NVFIFO_TEST_HASH, "RAMHT search" },
	{ NVFIFO_TEST_FROZEN, "freeze" },
	{ NVFIFO_TEST_IDLE, "idle" },
};

KUNIT_ARRAY_PARAM_DESC(freeze, freeze_waits, name);

/* Each of the three waits can time out. PFIFO must not stay frozen, nor fifo_lock taken. */
static void freeze_stuck(struct kunit *test)
{
	const struct freeze_wait *wait = test->param_value;
	struct nvfifo_test_card *card = running_card(test, 0x84);
	int ret;

	nvfifo_test_stick(card, wait->unit);
	ret = nvfifo_fifo_freeze(&card->ndev);
	if (!ret)
		nvfifo_fifo_unfreeze(&card->ndev);

	KUNIT_ASSERT_EQ(test, ret, -EIO);
	expect_halted(card);
	expect_stuck(card);
	KUNIT_EXPECT_EQ(test, nvfifo_fifo_freeze(&card->ndev), -EIO);
	expect_quiet(card);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&card->ndev.fifo_lock));
}

static void freeze_lost(struct kunit *test)
{
	struct nvfifo_test_card *card = running_card(test, 0x84);
	int ret;

	nvfifo_test_stick(card, NVFIFO_TEST_FROZEN);
	nvfifo_test_poke(card, NV_PMC_BOOT_0, 0xffffffff);
	ret = nvfifo_fifo_freeze(&card->ndev);
	if (!ret)
		nvfifo_fifo_unfreeze(&card->ndev);

	KUNIT_ASSERT_EQ(test, ret, -ENODEV);
	KUNIT_EXPECT_EQ(test, card->ndev.hw.phase, NVFIFO_LOST);

	/* The driver writes nothing to a lost card. */
	KUNIT_EXPECT_EQ(test, card->log[card->logged - 1].reg, NV_PMC_BOOT_0);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&card->ndev.fifo_lock));
}

static struct kunit_case freeze_cases[] = {
	KUNIT_CASE_PARAM(freeze_order, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(freeze_unused, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(freeze_keeps_error),
	KUNIT_CASE_PARAM(freeze_late_error, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(freeze_stuck, freeze_gen_params),
	KUNIT_CASE(freeze_lost),
	{}
};

static struct kunit_suite freeze_suite = {
	.name = "nvfifo_freeze",
	.test_cases = freeze_cases,
};

/* --- PFIFO's start ------------------------------------------------------- */

#define PLAYLIST	0x345000ULL

/*
 * The complete sequence. It first stops a PFIFO that the firmware or another driver left running;
 * nouveau resets it without that.
 */
static void init_sequence(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	struct nvfifo_test_write *want, *w;
	u32 i, intr = 0xffffffff;

	/* No source names NOTIFY on the G80. */
	if (!card->ndev.chip->g84)
		intr = 0xbfffffff;

	want = kunit_kcalloc(test, 256, sizeof(*want), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, want);

	w = want;
	*w++ = (struct nvfifo_test_write){ 0x2140, 0 };
	*w++ = (struct nvfifo_test_write){ 0x2500, 0 };
	*w++ = (struct nvfifo_test_write){ 0x3250, 0 };
	*w++ = (struct nvfifo_test_write){ 0x3220, 0 };
	*w++ = (struct nvfifo_test_write){ 0x3200, 0 };
	*w++ = (struct nvfifo_test_write){ 0x0200, 0xdff3f013 };
	*w++ = (struct nvfifo_test_write){ 0x0200, 0xdff3f113 };
	*w++ = (struct nvfifo_test_write){ 0x250c, 0x6f3cfc34 };
	*w++ = (struct nvfifo_test_write){ 0x2044, 0x01003fff };
	*w++ = (struct nvfifo_test_write){ 0x2100, 0xffffffff };
	for (i = 0; i < 128; i++)
		*w++ = (struct nvfifo_test_write){ 0x2600 + 4 * i, 0 };
	*w++ = (struct nvfifo_test_write){ 0x3204, 0 };
	*w++ = (struct nvfifo_test_write){ 0x3210, 0 };
	*w++ = (struct nvfifo_test_write){ 0x3270, 0 };
	*w++ = (struct nvfifo_test_write){ 0x32f4, 0x345 };
	*w++ = (struct nvfifo_test_write){ 0x32ec, 0 };
	*w++ = (struct nvfifo_test_write){ 0x3200, 1 };
	*w++ = (struct nvfifo_test_write){ 0x3220, 1 };
	*w++ = (struct nvfifo_test_write){ 0x3250, 1 };
	*w++ = (struct nvfifo_test_write){ 0x2140, intr };
	*w++ = (struct nvfifo_test_write){ 0x2500, 1 };

	nvfifo_test_poke(card, NV_PMC_ENABLE, 0xdff3f113);
	card->ndev.fifo.playlist.addr = PLAYLIST;
	nvfifo_fifo_hw_init(&card->ndev);
	nvfifo_test_expect_writes(card, want, w - want);
}

/*
 * nouveau's sequence is contained in ours, in its order, but for 0x2140. nouveau enables every
 * interrupt before it clears the table; this driver does when the unit is ready.
 */
static void init_oracle(struct kunit *test)
{
	static const struct nvfifo_test_write nouveau[] = {
		{ 0x0200, 0xfffffeff }, { 0x0200, 0xffffffff }, { 0x250c, 0x6f3cfc34 },
		{ 0x2044, 0x01003fff }, { 0x2100, 0xffffffff }, { 0x2600, 0 }, { 0x2604, 0 },
		{ 0x26fc, 0 }, { 0x2700, 0 }, { 0x27fc, 0 }, { 0x32f4, 0x345 }, { 0x32ec, 0 },
		{ 0x3200, 1 }, { 0x3250, 1 }, { 0x2500, 1 },
	};
	struct nvfifo_test_card *card = param_card(test);
	int at = 0;
	u32 i;

	nvfifo_test_poke(card, NV_PMC_ENABLE, 0xffffffff);
	card->ndev.fifo.playlist.addr = PLAYLIST;
	nvfifo_fifo_hw_init(&card->ndev);

	for (i = 0; i < ARRAY_SIZE(nouveau); i++) {
		do
			at = nvfifo_test_find(card, true, nouveau[i].reg, at + 1);
		while (at >= 0 && card->log[at].val != nouveau[i].val);
		KUNIT_ASSERT_GE_MSG(test, at, 0, "no %06x = %08x in its place", nouveau[i].reg,
				    nouveau[i].val);
	}
}

static struct kunit_case init_cases[] = {
	KUNIT_CASE_PARAM(init_sequence, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(init_oracle, generation_gen_params),
	{}
};

static struct kunit_suite init_suite = {
	.name = "nvfifo_init",
	.test_cases = init_cases,
};

/* --- MSI ----------------------------------------------------------------- */

/* One byte: the register mirrors the MSI capability, and 32 bits would clear its enable bit. */
static void msi_byte(struct kunit *test)
{
	static const u32 chipsets[] = { 0x94, 0x96, 0x98, 0xa0, 0xa3, 0xa5, 0xa8, 0xaf };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(chipsets); i++) {
		struct nvfifo_test_card *card = nvfifo_test_card(test, chipsets[i]);

		card->ndev.irq.msi = true;
		nvfifo_msi_rearm(&card->ndev);
		KUNIT_EXPECT_EQ_MSG(test, card->logged, 0, "chipset %x: 32 bits", chipsets[i]);
		KUNIT_EXPECT_EQ_MSG(test, card->byte_reg, 0x088068, "chipset %x", chipsets[i]);
		KUNIT_EXPECT_EQ(test, card->byte_val, 0xff);
		card->byte_reg = 0;
		card->ndev.irq.msi = false;
		nvfifo_msi_rearm(&card->ndev);
		KUNIT_EXPECT_EQ_MSG(test, card->byte_reg, 0, "re-armed without an MSI");
	}
}

static struct kunit_case msi_cases[] = {
	KUNIT_CASE(msi_byte),
	{}
};

static struct kunit_suite msi_suite = {
	.name = "nvfifo_msi",
	.test_cases = msi_cases,
};

/* --- PTIMER -------------------------------------------------------------- */

/* Like nouveau, the driver also sets the rate of a PTIMER that already counts. */
static void timer_runs(struct kunit *test)
{
	struct nvfifo_test_card *card = generation_card(test);

	nvfifo_test_poke(card, 0x101000, 0x00400000);
	KUNIT_EXPECT_EQ(test, nvfifo_timer_start(&card->ndev), 0);
	NVFIFO_TEST_EXPECT_WRITES(card, { 0x9220, 2 }, { 0x9200, 324 }, { 0x9210, 125 });
}

/* A claimed part of BAR1 is the frame buffer of a firmware's console. */
static void firmware_fb(struct kunit *test)
{
	struct pci_dev *pdev = kunit_kzalloc(test, sizeof(*pdev), GFP_KERNEL);
	struct resource next = { .start = 0xe2800000, .end = 0xe28fffff };
	struct resource fb = { .start = 0xe2000000, .end = 0xe22fffff };
	u64 first, end;

	KUNIT_ASSERT_NOT_NULL(test, pdev);
	pdev->resource[1].start = 0xe0000000;
	KUNIT_EXPECT_FALSE(test, nvfifo_card_find_firmware_fb(pdev, &first, &end));

	pdev->resource[1].child = &fb;
	KUNIT_EXPECT_TRUE(test, nvfifo_card_find_firmware_fb(pdev, &first, &end));
	KUNIT_EXPECT_EQ(test, first, 0x2000000);
	KUNIT_EXPECT_EQ(test, end, 0x2300000);

	fb.sibling = &next;
	KUNIT_EXPECT_TRUE(test, nvfifo_card_find_firmware_fb(pdev, &first, &end));
	KUNIT_EXPECT_EQ(test, first, 0x2000000);
	KUNIT_EXPECT_EQ(test, end, 0x2900000);
}

/* A PTIMER that stands still gets the rate that nouveau computes for the crystal. */
static void timer_stands(struct kunit *test)
{
	static const struct {
		u32 strap;
		u32 source, div, mul;
	} rows[] = {
		{ 0x00000000, 4, 54, 25 }, { 0x00000040, 4, 7159, 3125 },
		{ 0x00400000, 2, 324, 125 }, { 0x00400040, 2, 12, 5 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);
		struct nvfifo_test_write want[] = {
			{ 0x9220, rows[i].source },
			{ 0x9200, rows[i].div },
			{ 0x9210, rows[i].mul },
		};

		card->timer_stands = true;
		nvfifo_test_poke(card, 0x101000, 0xffbfffbf | rows[i].strap);
		KUNIT_ASSERT_EQ(test, nvfifo_timer_start(&card->ndev), 0);
		nvfifo_test_expect_writes(card, want, ARRAY_SIZE(want));
	}
}

/* The registers that nouveau clears, where the chip and the card have them. */
static void mask_units(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	u32 chipset = nvfifo_test_chipset(test);
	struct nvfifo_test_write want[6], *w = want;
	bool auxch = chipset >= 0x94 && chipset != 0xa0;

	*w++ = (struct nvfifo_test_write){ 0x9140, 0 };
	*w++ = (struct nvfifo_test_write){ 0x610028, 0 };
	*w++ = (struct nvfifo_test_write){ 0x61002c, 0 };
	*w++ = (struct nvfifo_test_write){ 0xe050, 0 };
	if (chipset >= 0x94)
		*w++ = (struct nvfifo_test_write){ 0xe070, 0 };
	if (auxch)
		*w++ = (struct nvfifo_test_write){ 0xe068, 0 };

	if (chipset != 0x50)
		nvfifo_test_poke(card, NV_PBUS_HWUNITS_1,
				 NV_FLD_MASK(NV_PBUS_HWUNITS_1__PDISPLAY));

	nvfifo_card_mask_units(&card->ndev);
	nvfifo_test_expect_writes(card, want, w - want);
}

/* A card without a display does not answer at the display's registers. */
static void mask_without_display(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);

	nvfifo_test_poke(card, NV_PBUS_HWUNITS_1, 0);
	nvfifo_card_mask_units(&card->ndev);
	NVFIFO_TEST_EXPECT_WRITES(card, { 0x9140, 0 }, { 0xe050, 0 });
}

static struct kunit_case mask_cases[] = {
	KUNIT_CASE_PARAM(mask_units, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(mask_without_display),
	{}
};

static struct kunit_suite mask_suite = {
	.name = "nvfifo_mask",
	.test_cases = mask_cases,
};

static struct kunit_case timer_cases[] = {
	KUNIT_CASE_PARAM(timer_runs, generation_gen_params),
	KUNIT_CASE(timer_stands),
	KUNIT_CASE(firmware_fb),
	{}
};

static struct kunit_suite timer_suite = {
	.name = "nvfifo_timer",
	.test_cases = timer_cases,
};

/* --- Playlist ------------------------------------------------------------ */

#define PAGES	(NVFIFO_TEST_VRAM + 0x8000)

struct playlist_test {
	struct nvfifo_test_card *card;
	struct nvfifo_chan *on;
	struct nvfifo_chan *off;
};

/* PFIFO may read the committed page at any time, so no store may go there. */
static void playlist_on_store(struct nvfifo_test_card *card, u64 addr)
{
	u64 given = (u64)nvfifo_test_peek(card, NV_CACHE1_PLAYLIST) << 12;

	KUNIT_EXPECT_TRUE_MSG(card->test, addr < given || addr >= given + SZ_4K,
			      "store to %#llx, in the playlist that PFIFO has", addr);
	KUNIT_EXPECT_TRUE(card->test, addr >= PAGES && addr < PAGES + 2 * SZ_4K);
}

static void playlist_setup(struct kunit *test, struct playlist_test *t, u32 chipset)
{
	t->card = nvfifo_test_card(test, chipset);
	t->on = kunit_kzalloc(test, sizeof(*t->on), GFP_KERNEL);
	t->off = kunit_kzalloc(test, sizeof(*t->off), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->on);
	KUNIT_ASSERT_NOT_NULL(test, t->off);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, chans_destroy,
							&t->card->ndev.fifo.chans), 0);

	spin_lock_init(&t->on->fence_lock);
	spin_lock_init(&t->off->fence_lock);
	init_waitqueue_head(&t->on->waiters);
	init_waitqueue_head(&t->off->waiters);
	t->on->ndev = &t->card->ndev;
	t->off->ndev = &t->card->ndev;
	t->on->phase = NVFIFO_CHAN_RUNNING;
	t->card->ndev.fifo.playlist.addr = PAGES;
	nvfifo_fifo_hw_init(&t->card->ndev);
	nvfifo_test_forget(t->card);
	t->card->on_store = playlist_on_store;
}

static void set_chan(struct playlist_test *t, u32 id, struct nvfifo_chan *chan)
{
	KUNIT_ASSERT_FALSE(t->card->test,
			   xa_is_err(xa_store(&t->card->ndev.fifo.chans, id, chan, GFP_KERNEL)));
}

static int playlist_update(struct playlist_test *t)
{
	int ret;

	nvfifo_test_forget(t->card);
	mutex_lock(&t->card->ndev.fifo_lock);
	ret = nvfifo_playlist_update(&t->card->ndev);
	mutex_unlock(&t->card->ndev.fifo_lock);
	return ret;
}

/* PFIFO's playlist lists the running channels, each once. */
static void expect_playlist(struct kunit *test, struct playlist_test *t)
{
	struct nvfifo_test_card *card = t->card;
	bool g84 = card->ndev.chip->g84;
	u32 flush_reg = g84 ? 0x70000 : 0x330c;
	u64 page = (u64)nvfifo_test_peek(card, NV_CACHE1_PLAYLIST) << 12;
	u32 count = nvfifo_test_peek(card, NV_CACHE1_PLAYLIST_LEN), id, n = 0;
	struct nvfifo_chan *chan;
	int flush, list, len;

	KUNIT_ASSERT_TRUE(test, page == PAGES || page == PAGES + SZ_4K);

	for (id = 0; id < NVFIFO_CHANNELS; id++) {
		chan = xa_load(&card->ndev.fifo.chans, id);
		if (!chan || chan->phase != NVFIFO_CHAN_RUNNING)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_test_vram(card, page + 4 * n), id, "entry %u", n);
		n++;
	}

	KUNIT_EXPECT_EQ(test, count, n);

	/* The order is: BAR flush, address, length, which commits the playlist. */
	flush = nvfifo_test_find(card, true, flush_reg, 0);
	list = nvfifo_test_find(card, true, NV_CACHE1_PLAYLIST, 0);
	len = nvfifo_test_find(card, true, NV_CACHE1_PLAYLIST_LEN, 0);
	KUNIT_EXPECT_GE(test, flush, 0);
	KUNIT_EXPECT_GT(test, list, flush);
	KUNIT_EXPECT_GT(test, len, list);
	KUNIT_EXPECT_EQ(test, nvfifo_test_find(card, true, NV_CACHE1_PLAYLIST_LEN, len + 1), -1);
}

static void playlist_contents(struct kunit *test)
{
	struct playlist_test t;
	u64 page, last;
	u32 id;

	playlist_setup(test, &t, nvfifo_test_chipset(test));

	/* One, none, two and one that does not run, all. */
	set_chan(&t, 3, t.on);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), 0);
	expect_playlist(test, &t);
	set_chan(&t, 3, NULL);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), 0);
	expect_playlist(test, &t);

	set_chan(&t, NVFIFO_CHAN_MIN, t.on);
	set_chan(&t, 2, t.off);
	set_chan(&t, NVFIFO_CHAN_MAX, t.on);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), 0);
	expect_playlist(test, &t);

	for (id = NVFIFO_CHAN_MIN; id <= NVFIFO_CHAN_MAX; id++)
		set_chan(&t, id, t.on);

	KUNIT_EXPECT_EQ(test, playlist_update(&t), 0);
	expect_playlist(test, &t);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(t.card, NV_CACHE1_PLAYLIST_LEN), 126);

	/* The two pages take turns. */
	last = (u64)nvfifo_test_peek(t.card, NV_CACHE1_PLAYLIST) << 12;

	for (id = 0; id < 4; id++) {
		KUNIT_EXPECT_EQ(test, playlist_update(&t), 0);
		page = (u64)nvfifo_test_peek(t.card, NV_CACHE1_PLAYLIST) << 12;
		KUNIT_EXPECT_NE(test, page, last);
		last = page;
	}
}

static void playlist_random(struct kunit *test)
{
	struct playlist_test t;
	struct nvfifo_chan *chan;
	struct rnd_state rnd;
	u32 i, id;

	playlist_setup(test, &t, *(const u32 *)test->param_value);
	nvfifo_test_seed(&rnd);

	for (i = 0; i < 200; i++) {
		id = NVFIFO_CHAN_MIN + nvfifo_test_below(&rnd, NVFIFO_CHAN_MAX);
		if (prandom_u32_state(&rnd) % 3)
			chan = t.on;
		else
			chan = prandom_u32_state(&rnd) % 2 ? t.off : NULL;

		set_chan(&t, id, chan);
		KUNIT_ASSERT_EQ(test, playlist_update(&t), 0);
		expect_playlist(test, &t);
	}
}

/* The pending bit is bit 8 on G80 and bit 12 on all others. */
static void playlist_pending(struct kunit *test)
{
	struct playlist_test t;

	playlist_setup(test, &t, nvfifo_test_chipset(test));
	t.card->slow[NVFIFO_TEST_PLAYLIST] = 3;
	KUNIT_EXPECT_EQ(test, playlist_update(&t), 0);
	KUNIT_EXPECT_EQ(test, t.card->busy[NVFIFO_TEST_PLAYLIST], 0);
	KUNIT_EXPECT_EQ(test, reads(t.card, NV_CACHE1_PLAYLIST_LEN), 4);
}

static void playlist_stuck(struct kunit *test)
{
	struct playlist_test t;

	playlist_setup(test, &t, 0x50);
	set_chan(&t, 5, t.on);
	nvfifo_test_stick(t.card, NVFIFO_TEST_PLAYLIST);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), -EIO);
	expect_stuck(t.card);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), -EIO);
	expect_quiet(t.card);
}

/* After a failed BAR flush the driver neither commits the playlist nor counts it as committed. */
static void playlist_no_flush(struct kunit *test)
{
	struct playlist_test t;

	playlist_setup(test, &t, 0x84);
	set_chan(&t, 5, t.on);
	nvfifo_test_stick(t.card, NVFIFO_TEST_FLUSH);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), -EIO);
	KUNIT_EXPECT_EQ(test, nvfifo_test_find(t.card, true, NV_CACHE1_PLAYLIST, 0), -1);
	KUNIT_EXPECT_EQ(test, nvfifo_test_find(t.card, true, NV_CACHE1_PLAYLIST_LEN, 0), -1);
	expect_stuck(t.card);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), -EIO);
	expect_quiet(t.card);
}

/* The bits of PMC.ENABLE that the nth write switching units off clears. */
static u32 units_off(const struct nvfifo_test_card *card, int n)
{
	int at;

	for (at = nvfifo_test_find(card, true, 0x200, 0); at >= 0;
	     at = nvfifo_test_find(card, true, 0x200, at + 1))
		if (card->log[at].val != ~0u && !n--)
			return ~card->log[at].val;
	return 0;
}

/* Each reset is tried once, PFIFO's reset first. The last one resets all units but memory's. */
static void playlist_ladder(struct kunit *test)
{
	const u32 memory = 1u << 16 | 1u << 20;
	struct playlist_test t;

	playlist_setup(test, &t, 0x84);
	set_chan(&t, 5, t.on);
	t.card->ndev.hw.phase = NVFIFO_RUNNING;
	nvfifo_test_poke(t.card, NV_PMC_ENABLE, 0xffffffff);
	nvfifo_test_stick(t.card, NVFIFO_TEST_PLAYLIST);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), -EIO);
	KUNIT_EXPECT_EQ(test, t.card->ndev.hw.phase, NVFIFO_STUCK);
	KUNIT_EXPECT_EQ(test, t.card->ndev.recover.resets[NVFIFO_RESET_PFIFO].taken, 1);
	KUNIT_EXPECT_EQ(test, t.card->ndev.recover.resets[NVFIFO_RESET_UNITS].taken, 1);
	KUNIT_EXPECT_EQ(test, t.card->ndev.recover.resets[NVFIFO_RESET_UNITS].helped, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&t.card->ndev.counters.timeouts), 3);
	KUNIT_EXPECT_EQ(test, units_off(t.card, 0), 0x100);
	KUNIT_EXPECT_EQ(test, units_off(t.card, 1) & 0x1100, 0x1100);
	KUNIT_EXPECT_EQ(test, units_off(t.card, 1) & memory, 0);
	nvfifo_test_forget(t.card);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), -EIO);
	KUNIT_EXPECT_EQ(test, t.card->logged, 0);
}

/* Doorbells that were held back are rung after a reset, but never on a card that is given up. */
static void playlist_ladder_doorbells(struct kunit *test)
{
	u32 doorbell = nvfifo_user(5, NV_USER_IB_PUT);
	struct nvfifo_device *ndev;
	struct playlist_test t;

	playlist_setup(test, &t, *(const u32 *)test->param_value);
	ndev = &t.card->ndev;
	t.on->id = 5;
	t.on->ib = true;
	t.on->written = 1;
	t.on->put = 7;
	set_chan(&t, 5, t.on);

	mutex_lock(&ndev->fifo_lock);
	nvfifo_fifo_doorbells(ndev, false);
	KUNIT_EXPECT_EQ(test, nvfifo_test_find(t.card, true, doorbell, 0), -1);
	nvfifo_fifo_doorbells(ndev, true);
	mutex_unlock(&ndev->fifo_lock);
	KUNIT_EXPECT_GE(test, nvfifo_test_find(t.card, true, doorbell, 0), 0);

	ndev->hw.phase = NVFIFO_RUNNING;
	nvfifo_test_forget(t.card);
	nvfifo_test_stick(t.card, NVFIFO_TEST_PLAYLIST);
	KUNIT_EXPECT_EQ(test, playlist_update(&t), -EIO);
	KUNIT_EXPECT_EQ(test, ndev->hw.phase, NVFIFO_STUCK);
	KUNIT_EXPECT_FALSE(test, ndev->fifo.down);
	KUNIT_EXPECT_EQ(test, nvfifo_test_find(t.card, true, doorbell, 0), -1);
}

/* Note in @priv whether doorbells are off when PFIFO goes into reset. */
static void note_reset(struct nvfifo_test_card *card, u32 reg, u32 val)
{
	bool *was_down = card->priv;

	if (reg == NV_PMC_ENABLE && !(val & NV_FLD_MASK(NV_PMC_ENABLE__PFIFO)))
		*was_down = nvfifo_fifo_is_down(&card->ndev);
}

/* Removal and shutdown keep doorbells and page faults away while PFIFO is in reset. */
static void playlist_stop_all(struct kunit *test)
{
	u32 doorbell = nvfifo_user(5, NV_USER_IB_PUT);
	struct nvfifo_device *ndev;
	struct playlist_test t;
	bool was_down = false;

	playlist_setup(test, &t, *(const u32 *)test->param_value);
	ndev = &t.card->ndev;
	t.on->id = 5;
	t.on->ib = true;
	t.on->written = 1;
	set_chan(&t, 5, t.on);
	nvfifo_test_poke(t.card, NV_PMC_ENABLE, 0xffffffff);
	t.card->priv = &was_down;
	t.card->on_write = note_reset;
	nvfifo_test_forget(t.card);

	mutex_lock(&ndev->fifo_lock);
	nvfifo_fifo_stop_all(ndev);
	mutex_unlock(&ndev->fifo_lock);

	KUNIT_EXPECT_TRUE(test, was_down);
	KUNIT_EXPECT_FALSE(test, nvfifo_fifo_is_down(ndev));
	KUNIT_EXPECT_EQ(test, nvfifo_test_find(t.card, true, doorbell, 0), -1);
}

static struct kunit_case playlist_cases[] = {
	KUNIT_CASE_PARAM(playlist_contents, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(playlist_random, generation_gen_params),
	KUNIT_CASE_PARAM(playlist_pending, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(playlist_stuck),
	KUNIT_CASE(playlist_no_flush),
	KUNIT_CASE(playlist_ladder),
	KUNIT_CASE_PARAM(playlist_ladder_doorbells, generation_gen_params),
	KUNIT_CASE_PARAM(playlist_stop_all, generation_gen_params),
	{}
};

static struct kunit_suite playlist_suite = {
	.name = "nvfifo_playlist",
	.test_cases = playlist_cases,
};

/* --- Kick ---------------------------------------------------------------- */

#define DESC	0x00001230

/* The register that a kick must set, and its value before */
static u32 kick_reg(const struct nvfifo_test_card *card)
{
	return card->ndev.chip->g84 ? 0x2520 : 0xb860;
}

static u32 kick_prepare(struct nvfifo_test_card *card)
{
	u32 val = card->ndev.chip->g84 ? 0xabcd0015 : 0x12345670;

	nvfifo_test_poke(card, kick_reg(card), val);
	return val;
}

static int kick_engines(struct nvfifo_test_card *card, u32 engines)
{
	bool late;
	int ret;

	mutex_lock(&card->ndev.fifo_lock);
	ret = nvfifo_fifo_kick(&card->ndev, DESC, engines, &late);
	mutex_unlock(&card->ndev.fifo_lock);
	return ret;
}

static int kick(struct nvfifo_test_card *card)
{
	return kick_engines(card, 0);
}

/*
 * G80: PME on. G84: an empty mask, since no engine has had the channel. nouveau kicks when it
 * removes an engine, and sets that engine's bit. Both drivers restore the register.
 */
static void kick_sequence(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	u32 old = kick_prepare(card), reg = kick_reg(card);
	struct nvfifo_test_write want[] = {
		{ reg, card->ndev.chip->g84 ? old & ~0x3fu : old | 1 },
		{ 0x32fc, DESC },
		{ reg, old },
	};

	card->slow[NVFIFO_TEST_KICK] = 3;
	KUNIT_EXPECT_EQ(test, kick(card), 0);
	nvfifo_test_expect_writes(card, want, ARRAY_SIZE(want));
	KUNIT_EXPECT_EQ(test, reads(card, 0x32fc), 4);
	KUNIT_EXPECT_TRUE(test, nvfifo_is_usable(&card->ndev));
}

/* Engine n is bit n - 1 of the mask. Bits above the mask keep their values. */
static void kick_mask(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	u32 old = kick_prepare(card), engines = card->ndev.chip->engines, reg = kick_reg(card);
	struct nvfifo_test_write want[] = {
		{ reg, card->ndev.chip->g84 ? (old & ~0x3fu) | engines >> 1 : old | 1 },
		{ 0x32fc, DESC },
		{ reg, old },
	};

	KUNIT_EXPECT_EQ(test, kick_engines(card, engines), 0);
	nvfifo_test_expect_writes(card, want, ARRAY_SIZE(want));
}

static void kick_stuck(struct kunit *test)
{
	struct nvfifo_test_card *card = generation_card(test);
	u32 old = kick_prepare(card);

	nvfifo_test_stick(card, NVFIFO_TEST_KICK);
	KUNIT_EXPECT_EQ(test, kick(card), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, kick_reg(card)), old);
	KUNIT_EXPECT_EQ(test, atomic_read(&card->ndev.counters.timeouts), 1);
	KUNIT_EXPECT_TRUE(test, nvfifo_is_usable(&card->ndev));
}

/* All ones mean a busy kick, or a lost card. */
static void kick_lost(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);

	nvfifo_test_stick(card, NVFIFO_TEST_KICK);
	nvfifo_test_poke(card, NV_PMC_BOOT_0, 0xffffffff);
	KUNIT_EXPECT_EQ(test, kick(card), -ENODEV);
	KUNIT_EXPECT_EQ(test, card->ndev.hw.phase, NVFIFO_LOST);
}

/* Another thread's recovery ends while a kick waits, so often. */
static void recover_in_kick(struct nvfifo_test_card *card, u32 reg, u32 val)
{
	u32 *times = card->priv;

	if (reg != 0x32fc || !*times)
		return;

	(*times)--;
	card->ndev.recover.count++;
}

/*
 * A reset of PFIFO ends a kick that engines have not answered, so the kick is repeated once. After
 * a second reset the caller makes one itself.
 */
static void kick_repeats(struct kunit *test)
{
	struct nvfifo_test_card *card = generation_card(test);
	u32 times, first;

	card->priv = &times;
	card->on_write = recover_in_kick;

	times = 1;
	KUNIT_EXPECT_EQ(test, kick(card), 0);
	first = nvfifo_test_find(card, true, 0x32fc, 0);
	KUNIT_EXPECT_GT(test, nvfifo_test_find(card, true, 0x32fc, first + 1), 0);

	times = 2;
	KUNIT_EXPECT_EQ(test, kick(card), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, times, 0);
}

static struct kunit_case kick_cases[] = {
	KUNIT_CASE_PARAM(kick_sequence, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(kick_mask, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(kick_stuck, generation_gen_params),
	KUNIT_CASE_PARAM(kick_repeats, generation_gen_params),
	KUNIT_CASE(kick_lost),
	{}
};

static struct kunit_suite kick_suite = {
	.name = "nvfifo_kick",
	.test_cases = kick_cases,
};

/* --- Unloading ----------------------------------------------------------- */

static int remove_chan(struct nvfifo_chan *chan)
{
	int ret;

	mutex_lock(&chan->ndev->fifo_lock);
	ret = nvfifo_fifo_remove_chan(chan);
	mutex_unlock(&chan->ndev->fifo_lock);
	return ret;
}

/* The entry comes before its ENABLE, as in nouveau, and loses it again before a reset. */
static void unload_entry(struct kunit *test)
{
	static const struct nvfifo_test_write want[] = {
		{ 0x2614, 0x00123456 }, { 0x2614, 0x80123456 }, /* added */
		{ 0x2614, 0x00123456 }, /* disabled */
	};
	struct nvfifo_test_card *card = param_card(test);
	struct nvfifo_chan *chan = running_chan(card, 5);

	chan->phase = NVFIFO_CHAN_PARKED;

	mutex_lock(&card->ndev.fifo_lock);
	nvfifo_fifo_add_chan(chan);
	nvfifo_fifo_disable_chan(chan);
	mutex_unlock(&card->ndev.fifo_lock);

	KUNIT_EXPECT_EQ(test, chan->phase, NVFIFO_CHAN_RUNNING);
	nvfifo_test_expect_writes(card, want, ARRAY_SIZE(want));
}

/*
 * A channel may stay in PUSH1 after table and playlist. The driver then forces the end of its
 * timeslice, as pscnv does, and saves it by hand. The kick follows. Other channels continue.
 */
static void unload_stays(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	struct nvfifo_chan *chan = running_chan(card, 5);
	int table, kick, slice, on, push1, cleared;

	card->ndev.fifo.playlist.addr = NVFIFO_TEST_VRAM + 0x8000;
	chan->dead = -ECANCELED;
	card->timeout_us = 2000;
	nvfifo_test_poke(card, NV_CACHE1_PUSH1, 0x10005);
	KUNIT_EXPECT_EQ(test, remove_chan(chan), 0);

	table = nvfifo_test_find(card, true, 0x2614, 0);
	slice = nvfifo_test_find(card, true, 0x204c, table);
	on = nvfifo_test_find(card, true, 0x2500, slice);
	push1 = nvfifo_test_find(card, true, 0x3204, on);
	kick = nvfifo_test_find(card, true, 0x32fc, push1);
	cleared = nvfifo_test_find(card, true, 0x2614, kick);
	KUNIT_ASSERT_GE(test, table, 0);
	KUNIT_ASSERT_GT(test, slice, table);
	KUNIT_ASSERT_GT(test, on, slice);
	KUNIT_ASSERT_GT(test, push1, on);
	KUNIT_ASSERT_GT(test, kick, push1);
	KUNIT_ASSERT_GT(test, cleared, kick);
	KUNIT_EXPECT_EQ(test, card->log[slice].val, 0x20000);
	KUNIT_EXPECT_EQ(test, card->log[on].val, 1);
	KUNIT_EXPECT_EQ(test, card->log[push1].val, 127);
	KUNIT_EXPECT_EQ(test, card->log[cleared].val, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_CACHES), 1);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_PULL0), 1);
	KUNIT_EXPECT_TRUE(test, nvfifo_is_usable(&card->ndev));
}

/* A channel without objects of engines is not kicked: a kick with an empty mask may never end. */
static void unload_no_engine(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	struct nvfifo_chan *chan = running_chan(card, 5);

	card->ndev.fifo.playlist.addr = NVFIFO_TEST_VRAM + 0x8000;
	chan->engines = 0;
	KUNIT_EXPECT_EQ(test, remove_chan(chan), 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_find(card, true, 0x32fc, 0), -1);
	KUNIT_EXPECT_EQ(test, nvfifo_test_find(card, true, 0x204c, 0), -1);
}

/* A channel that runs again later is saved as PFIFO does it: RAMFC word by word, then the cache. */
static void unload_saves(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	struct nvfifo_chan *chan = running_chan(card, 5);
	bool g84 = card->ndev.chip->g84;
	u64 ramfc = chan->inst.addr + (g84 ? 0x4200 : 0);
	u64 cache = chan->inst.addr + (g84 ? 0x4400 : 0x400);
	u32 i;

	card->ndev.fifo.playlist.addr = NVFIFO_TEST_VRAM + 0x8000;
	card->timeout_us = 2000;
	nvfifo_test_poke(card, NV_CACHE1_PUSH1, 0x10005);
	nvfifo_test_poke(card, NV_CACHE1_IB_PUT, 0x11);
	nvfifo_test_poke(card, NV_CACHE1_IB_GET, 0x10);
	nvfifo_test_poke(card, NV_CACHE1_REF, 0x4ef);
	nvfifo_test_poke(card, NV_PFIFO_RAMHT, 0x540);

	/* Three entries, round the end. */
	nvfifo_test_poke(card, NV_CACHE1_GET, 511 << 2);
	nvfifo_test_poke(card, NV_CACHE1_PUT, 514 << 2);

	for (i = 0; i < 3; i++) {
		nvfifo_test_poke(card, 0x90000 + (511 + i) % 512 * 8, 0x100 + i);
		nvfifo_test_poke(card, 0x90004 + (511 + i) % 512 * 8, 0xda7a0000 + i);
	}

	KUNIT_EXPECT_EQ(test, remove_chan(chan), 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, ramfc), 0x11);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, ramfc + 4), 0x10);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, ramfc + 0x74), 0x4ef);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, ramfc + 0x80), 0x540);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, ramfc + 0x84), 3);

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, cache + i * 8), 0x100 + i);
		KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, cache + i * 8 + 4), 0xda7a0000 + i);
	}
}

/* The position of a channel, loaded or not: no read latches a high half in the control page. */
static void position_latches_nothing(struct kunit *test)
{
	static const u32 pointers[] = { NV_USER_DMA_PUT, NV_USER_DMA_GET, NV_USER_DMA_MGET };
	struct nvfifo_test_card *card = param_card(test);
	struct nvfifo_chan *chan = running_chan(card, 5);
	u64 ramfc = chan->inst.addr + (card->ndev.chip->g84 ? 0x4200 : 0);
	struct drm_nvfifo_channel_query pos = {};
	u32 i;

	nvfifo_vram_wr32(&card->ndev, ramfc + 0x08, 0x1000);
	nvfifo_vram_wr32(&card->ndev, ramfc + 0x0c, 0x2);
	nvfifo_vram_wr32(&card->ndev, ramfc + 0x10, 0x3000);
	nvfifo_vram_wr32(&card->ndev, ramfc + 0x14, 0x4);
	nvfifo_vram_wr32(&card->ndev, ramfc + 0x18, 0x5000);
	nvfifo_vram_wr32(&card->ndev, ramfc + 0x1c, 0x80000006);
	nvfifo_test_poke(card, NV_CACHE1_PUSH1, 0x10007);
	nvfifo_fifo_position(chan, &pos);
	KUNIT_EXPECT_EQ(test, pos.loaded, 0);
	KUNIT_EXPECT_EQ(test, pos.put, 0x200001000);
	KUNIT_EXPECT_EQ(test, pos.get, 0x400003000);
	KUNIT_EXPECT_EQ(test, pos.mget, 0x600005000);
	KUNIT_EXPECT_EQ(test, pos.mget_valid, 1);

	nvfifo_test_poke(card, NV_CACHE1_PUSH1, 0x10005);
	nvfifo_test_poke(card, NV_CACHE1_DMA_GET, 0x7000);
	nvfifo_test_poke(card, NV_CACHE1_DMA_GET_HIGH, 0x8);
	nvfifo_fifo_position(chan, &pos);
	KUNIT_EXPECT_EQ(test, pos.loaded, 1);
	KUNIT_EXPECT_EQ(test, pos.get, 0x800007000);

	for (i = 0; i < ARRAY_SIZE(pointers); i++)
		KUNIT_EXPECT_EQ(test, nvfifo_test_find(card, false, nvfifo_user(5, pointers[i]), 0),
				-1);
}

/* The pusher finds an error when it is stopped; @priv counts errors that outlive the unloading. */
static void late_error(struct nvfifo_test_card *card, u32 reg, u32 val)
{
	u32 *late = card->priv;

	if (reg == NV_CACHE1_DMA_PUSH && !val && !atomic64_read(&card->ndev.counters.errors)) {
		nvfifo_test_poke(card, NV_PFIFO_INTR, 0x1000);
		nvfifo_test_poke(card, NV_CACHE1_DMA_STATE, 0x80000000);
	}

	if (reg == NV_CACHE1_PUSH1 && nvfifo_test_peek(card, NV_PFIFO_INTR))
		(*late)++;
}

/*
 * An error may come between the last look at INTR and the stop. The driver handles it while PUSH1
 * names its channel, and not the next one.
 */
static void unload_late_error(struct kunit *test)
{
	struct nvfifo_test_card *card = generation_card(test);
	struct nvfifo_chan *chan = running_chan(card, 5);
	u32 late = 0;

	chan->vm = kunit_kzalloc(test, sizeof(*chan->vm), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chan->vm);
	chan->dead = -ECANCELED;
	card->ndev.fifo.playlist.addr = NVFIFO_TEST_VRAM + 0x8000;
	card->timeout_us = 2000;
	card->priv = &late;
	card->on_write = late_error;
	nvfifo_test_poke(card, NV_CACHE1_PUSH1, 0x10005);
	KUNIT_EXPECT_EQ(test, remove_chan(chan), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&card->ndev.counters.errors), 1);
	KUNIT_EXPECT_EQ(test, late, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_INTR), 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_PUSH1), 127);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_PULL0), 1);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_CACHES), 1);
}

/*
 * GET and PUT are farther apart than the cache has entries. A save keeps to its 512 entries.
 * The channel is dead already, since its end needs more than this card has.
 */
static void unload_insane(struct kunit *test)
{
	struct nvfifo_test_card *card = generation_card(test);
	struct nvfifo_chan *chan = running_chan(card, 5);
	bool g84 = card->ndev.chip->g84;
	u64 ramfc = chan->inst.addr + (g84 ? 0x4200 : 0);
	u64 end = chan->inst.addr + (g84 ? 0x5400 : 0x1400);

	chan->dead = -ECANCELED;
	nvfifo_test_poke(card, NV_CACHE1_PUSH1, 0x10005);
	nvfifo_test_poke(card, NV_CACHE1_GET, 0);
	nvfifo_test_poke(card, NV_CACHE1_PUT, 700 << 2);
	nvfifo_vram_wr32(&card->ndev, end, 0x600d);

	mutex_lock(&card->ndev.fifo_lock);
	nvfifo_fifo_stop(&card->ndev);
	mutex_unlock(&card->ndev.fifo_lock);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, end), 0x600d);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, ramfc + 0x84), 512);
}

/* A kick that never ends: the driver resets PFIFO, and starts the remaining channel again. */
static void unload_restart(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	struct nvfifo_chan *go = running_chan(card, 5), *stay = running_chan(card, 9);
	int reset, table;

	stay->inst.addr += SZ_64K;
	stay->table = 0x00345678;
	card->ndev.fifo.playlist.addr = NVFIFO_TEST_VRAM + 0x8000;
	card->ndev.hw.phase = NVFIFO_RUNNING;
	go->dead = -ECANCELED;
	nvfifo_test_stick(card, NVFIFO_TEST_KICK);
	nvfifo_test_poke(card, NV_CACHE1_PUSH1, 0x10009);
	nvfifo_test_poke(card, NV_PMC_ENABLE, 0xffffffff);
	nvfifo_test_poke(card, NV_CACHE1_REF, 0x57a7);
	KUNIT_EXPECT_EQ(test, remove_chan(go), 0);
	reset = nvfifo_test_find(card, true, 0x200, 0);
	KUNIT_ASSERT_GE(test, reset, 0);
	table = nvfifo_test_find(card, true, 0x2624, reset);
	KUNIT_ASSERT_GE(test, table, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x2624), 0x80345678);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x2614), 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_PLAYLIST_LEN), 1);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, stay->inst.addr +
					       (card->ndev.chip->g84 ? 0x4274 : 0x74)), 0x57a7);
	KUNIT_EXPECT_EQ(test, card->ndev.recover.resets[NVFIFO_RESET_PFIFO].helped, 1);
	KUNIT_EXPECT_EQ(test, card->ndev.recover.resets[NVFIFO_RESET_UNITS].taken, 0);
	KUNIT_EXPECT_TRUE(test, nvfifo_is_usable(&card->ndev));
}

/* --- Stops of the puller in a look-up ------------------------------------ */

/*
 * nouveau's nv04_fifo_pause() names two effects of a stop in a look-up: the look-up fails, or a
 * wrong instance stays in HASH.
 */
struct spoilt {
	bool fails;
	u32 starts;
	u32 stale;
};

static void spoil_lookup(struct nvfifo_test_card *card, u32 reg, u32 val)
{
	struct spoilt *spoilt = card->priv;

	if (reg != NV_CACHE1_PULL0)
		return;

	if (val & 1) {
		spoilt->starts++;
		spoilt->stale += nvfifo_test_peek(card, NV_CACHE1_HASH) != 0;
		return;
	}

	nvfifo_test_poke(card, NV_CACHE1_HASH, 0xbad);

	if (spoilt->fails) {
		nvfifo_test_poke(card, NV_CACHE1_PULL0, 0x10);
		nvfifo_test_poke(card, NV_PFIFO_INTR, 1);
	}
}

static void stop_by_function(struct nvfifo_test_card *card)
{
	u32 pull0;

	mutex_lock(&card->ndev.fifo_lock);
	pull0 = nvfifo_fifo_stop_puller(&card->ndev);
	nvfifo_fifo_start_puller(&card->ndev, pull0);
	mutex_unlock(&card->ndev.fifo_lock);
}

static void stop_by_freeze(struct nvfifo_test_card *card)
{
	KUNIT_ASSERT_EQ(card->test, nvfifo_fifo_freeze(&card->ndev), 0);
	nvfifo_fifo_unfreeze(&card->ndev);
}

/* The channel stays loaded, so the driver unloads it by hand. */
static void stop_by_unload(struct nvfifo_test_card *card)
{
	struct nvfifo_chan *chan = xa_load(&card->ndev.fifo.chans, 5);

	card->ndev.fifo.playlist.addr = NVFIFO_TEST_VRAM + 0x8000;
	card->timeout_us = 2000;
	nvfifo_test_poke(card, NV_CACHE1_PUSH1, 0x10005);
	KUNIT_EXPECT_EQ(card->test, remove_chan(chan), 0);
}

struct puller_stop {
	const char *name;
	void (*run)(struct nvfifo_test_card *card);
	bool fails;
};

static const struct puller_stop puller_stops[] = {
	{ "function, silent", stop_by_function, false },
	{ "function, failed", stop_by_function, true },
	{ "freeze, silent", stop_by_freeze, false },
	{ "freeze, failed", stop_by_freeze, true },
	{ "unload, silent", stop_by_unload, false },
	{ "unload, failed", stop_by_unload, true },
};

KUNIT_ARRAY_PARAM_DESC(puller_stop, puller_stops, name);

/* The puller starts once, with an empty HASH, and the error of the stop is gone. */
static void puller_stop(struct kunit *test)
{
	const struct puller_stop *stop = test->param_value;
	struct nvfifo_test_card *card = running_card(test, 0x84);
	struct spoilt spoilt = { .fails = stop->fails };

	card->priv = &spoilt;
	card->on_write = spoil_lookup;
	stop->run(card);
	KUNIT_EXPECT_EQ(test, spoilt.starts, 1);
	KUNIT_EXPECT_EQ(test, spoilt.stale, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_CACHE1_PULL0), 1);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFIFO_INTR), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&card->ndev.counters.errors), 0);
}

static struct kunit_case unload_cases[] = {
	KUNIT_CASE_PARAM(puller_stop, puller_stop_gen_params),
	KUNIT_CASE_PARAM(unload_entry, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(unload_stays, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(unload_no_engine, generation_gen_params),
	KUNIT_CASE_PARAM(unload_saves, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(unload_insane, generation_gen_params),
	KUNIT_CASE_PARAM(unload_late_error, generation_gen_params),
	KUNIT_CASE_PARAM(unload_restart, generation_gen_params),
	KUNIT_CASE_PARAM(position_latches_nothing, nvfifo_test_chipsets_gen_params),
	{}
};

static struct kunit_suite unload_suite = {
	.name = "nvfifo_unload",
	.test_cases = unload_cases,
};

/* --- PGRAPH's errors ------------------------------------------------------ */

static struct nvfifo_test_card *trapped_card(struct kunit *test, u32 chipset, u32 units)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, chipset);

	nvfifo_pgraph_set_used(&card->ndev);
	card->ndev.gr.ctx.chip = card->ndev.chip->chip;
	card->ndev.gr.ctx.units = 0x03000003;
	nvfifo_test_poke(card, 0x400100, 0x200000);
	nvfifo_test_poke(card, 0x400108, units);
	nvfifo_test_poke(card, 0x400500, 0x10001);
	return card;
}

static bool unblock(struct nvfifo_test_card *card)
{
	bool ret;

	mutex_lock(&card->ndev.fifo_lock);
	ret = nvfifo_gr_unblock(&card->ndev);
	mutex_unlock(&card->ndev.fifo_lock);
	return ret;
}

/* Each unit's own writes, with FIFO access off, and a status cleared before its unit's reset. */
static void trap_writes(struct kunit *test)
{
	struct nvfifo_test_card *card = trapped_card(test, nvfifo_test_chipset(test), 0x83);
	bool g80 = card->ndev.chip->chip < NV_CHIP_G200;
	u32 mp = g80 ? 0x409290 : 0x408990;
	int off, on, clear;

	/* DISPATCH has a stuck command and a stuck query, MP 1 of TP 1 a trap. */
	nvfifo_test_poke(card, 0x400804, 3);
	nvfifo_test_poke(card, 0x400808, 0x80000180);
	nvfifo_test_poke(card, 0x4008e8, 0xffffffff);
	nvfifo_test_poke(card, 0x400848, 1);
	nvfifo_test_poke(card, 0x40084c, 0x80000180);
	nvfifo_test_poke(card, mp, 0x1234);
	nvfifo_test_poke(card, mp + 4, 5);
	nvfifo_test_poke(card, 0x400824, 0x80000020);
	KUNIT_EXPECT_TRUE(test, unblock(card));

	off = nvfifo_test_find(card, true, 0x400500, 0);
	KUNIT_ASSERT_GE(test, off, 0);
	KUNIT_EXPECT_EQ(test, card->log[off].val & 1, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x400808), 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x4008e8), 3);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x400848), 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x40084c), 0);
	KUNIT_EXPECT_GT(test, nvfifo_test_find(card, true, mp, off), off);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, mp), 0x1234);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, mp + 4), 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x400824), 0x20);

	/* M2MF: cleared, then reset. */
	clear = nvfifo_test_find(card, true, 0x406800, off);
	KUNIT_ASSERT_GT(test, clear, off);
	KUNIT_EXPECT_GT(test, nvfifo_test_find(card, true, 0x400108, clear), clear);
	KUNIT_EXPECT_GT(test, nvfifo_test_find(card, true, 0x400040, off),
			nvfifo_test_find(card, true, 0x400108, clear));

	/* Then access again. */
	on = nvfifo_test_find(card, true, 0x400500, off + 1);
	KUNIT_ASSERT_GT(test, on, nvfifo_test_find(card, true, 0x400100, off));
	KUNIT_EXPECT_EQ(test, card->log[on].val, 0x10001);
}

/* While PGRAPH is paused nothing gives it methods. */
static void trap_paused(struct kunit *test)
{
	struct nvfifo_test_card *card = trapped_card(test, 0x84, 0x2);
	int at;

	mutex_lock(&card->ndev.fifo_lock);
	nvfifo_gr_pause(&card->ndev);
	mutex_unlock(&card->ndev.fifo_lock);
	KUNIT_EXPECT_TRUE(test, unblock(card));

	for (at = nvfifo_test_find(card, true, 0x400500, 0); at >= 0;
	     at = nvfifo_test_find(card, true, 0x400500, at + 1))
		KUNIT_EXPECT_EQ(test, card->log[at].val & 1, 0);
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x400100), 0);
}

/* NOTIFY, QUERY, SYNC and BUFFER_NOTIFY are interrupts that methods request, not errors. */
static void trap_asked_for(struct kunit *test)
{
	static const u32 bits[] = { 0x1, 0x2, 0x4, 0x10000, 0x10007 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		struct nvfifo_test_card *card = trapped_card(test, 0x84, 0);

		nvfifo_test_poke(card, 0x400100, bits[i]);
		KUNIT_EXPECT_TRUE(test, unblock(card));
		KUNIT_EXPECT_EQ_MSG(test, atomic64_read(&card->ndev.counters.errors), 0,
				    "bits %x", bits[i]);
		KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x400100), 0);
		KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, 0x400500), 0x10001);
	}
}

static struct kunit_case trap_cases[] = {
	KUNIT_CASE_PARAM(trap_writes, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(trap_paused),
	KUNIT_CASE(trap_asked_for),
	{}
};

static struct kunit_suite trap_suite = {
	.name = "nvfifo_trap",
	.test_cases = trap_cases,
};

/* --- Dropped work -------------------------------------------------------- */

/* Pusher and puller start again only when nothing of the channel's work is left. */
static void work_drop(struct kunit *test)
{
	static const struct nvfifo_test_write pointers[] = {
		{ 0x3364, 0 }, { 0x3244, 0x5000 }, { 0x3328, 0x12 }, { 0x3334, 0x14 },
		{ 0x3228, 0 },
	};
	static const struct nvfifo_test_write starts[] = {
		{ 0x3270, 0x20 }, { 0x3258, 0 }, { 0x2100, 0x1000 }, { 0x3250, 1 }, { 0x3220, 1 },
	};
	struct nvfifo_test_write want[ARRAY_SIZE(pointers) + 1 + ARRAY_SIZE(starts)];
	struct nvfifo_test_card *card = param_card(test);
	const struct nvfifo_port port = nvfifo_port(&card->ndev);
	u32 n = ARRAY_SIZE(pointers);

	nvfifo_test_poke(card, 0x3364, 3);
	nvfifo_test_poke(card, 0x3240, 0x5000);
	nvfifo_test_poke(card, 0x3320, 0x12);
	nvfifo_test_poke(card, 0x3330, 0x14);
	nvfifo_test_poke(card, 0x3210, 0x20);

	memcpy(want, pointers, sizeof(pointers));
	if (card->ndev.chip->g84)
		want[n++] = (struct nvfifo_test_write){ 0x3404, 0 };
	memcpy(want + n, starts, sizeof(starts));

	nvfifo_fifo_work_drop(&port, 0x1000);
	nvfifo_test_expect_writes(card, want, n + ARRAY_SIZE(starts));
}

static struct kunit_case work_drop_cases[] = {
	KUNIT_CASE_PARAM(work_drop, nvfifo_test_chipsets_gen_params),
	{}
};

static struct kunit_suite work_drop_suite = {
	.name = "nvfifo_work_drop",
	.test_cases = work_drop_cases,
};

/* --- Fault record -------------------------------------------------------- */

static void fault_read(struct kunit *test)
{
	struct nvfifo_test_card *card = param_card(test);
	u32 enable = card->ndev.chip->vm_fault_enable & 0x00ffffff;
	struct nvfifo_test_write want[NVFIFO_FAULT_WORDS + 1];
	const struct nvfifo_fault in = {
		.address = 0xfe12345678,
		.inst = 0xabcde000,
		.engine = 5,
		.reason = 2,
		.client = 8,
		.slot = 1,
		.write = true,
	};
	struct nvfifo_fault out = {};
	u32 i;

	nvfifo_fault_encode(nvfifo_test_chipset(test), &in, card->fault);
	nvfifo_test_poke(card, NV_PFB_VM_FAULT, enable | 0x80000000);
	KUNIT_ASSERT_TRUE(test, nvfifo_fault_read(&card->ndev, &out));
	KUNIT_EXPECT_EQ(test, out.address, in.address);
	KUNIT_EXPECT_EQ(test, out.inst, in.inst);
	KUNIT_EXPECT_EQ(test, out.engine, in.engine);
	KUNIT_EXPECT_EQ(test, out.reason, in.reason);
	KUNIT_EXPECT_EQ(test, out.client, in.client);
	KUNIT_EXPECT_EQ(test, out.slot, in.slot);
	KUNIT_EXPECT_EQ(test, out.write, in.write);

	/* Six times an index, then the acknowledgment; the enables stay on. */
	for (i = 0; i < NVFIFO_FAULT_WORDS; i++)
		want[i] = (struct nvfifo_test_write){ 0x100c90, enable | i << 24 };

	want[i] = (struct nvfifo_test_write){ 0x100c90, enable | 0x80000000 };
	nvfifo_test_expect_writes(card, want, ARRAY_SIZE(want));
	KUNIT_EXPECT_EQ(test, nvfifo_test_peek(card, NV_PFB_VM_FAULT), enable);

	/* The second read finds no fault. */
	nvfifo_test_forget(card);
	KUNIT_EXPECT_FALSE(test, nvfifo_fault_read(&card->ndev, &out));
	nvfifo_test_expect_writes(card, NULL, 0);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&card->ndev.mmu.lock));
}

/* All ones is not a fault. */
static void fault_read_lost(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);
	struct nvfifo_fault fault;

	nvfifo_test_poke(card, NV_PFB_VM_FAULT, 0xffffffff);
	KUNIT_EXPECT_FALSE(test, nvfifo_fault_read(&card->ndev, &fault));
	nvfifo_test_expect_writes(card, NULL, 0);
}

static struct kunit_case fault_read_cases[] = {
	KUNIT_CASE_PARAM(fault_read, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(fault_read_lost),
	{}
};

static struct kunit_suite fault_read_suite = {
	.name = "nvfifo_fault_read",
	.test_cases = fault_read_cases,
};

kunit_test_suites(&wait_suite, &msi_suite, &mask_suite, &timer_suite, &tlb_suite, &mem_suite,
		  &freeze_suite, &init_suite,
		  &playlist_suite, &kick_suite, &unload_suite, &trap_suite, &work_drop_suite,
		  &fault_read_suite);
