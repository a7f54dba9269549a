// SPDX-License-Identifier: GPL-2.0-only
/*
 * A new channel from the card's side: structure, RAMFC and objects; and the fence commands.
 */
#include <linux/delay.h>

#include "chipsets.h"
#include "fake.h"

#include "nvfifo_vm.h"

#define INST	(NVFIFO_TEST_VRAM + 0x20000)

static u32 word(const struct nvfifo_test_card *card, s64 offset)
{
	return nvfifo_test_vram(card, INST + offset);
}

static struct nvfifo_ramfc chan_ramfc(const struct nvfifo_test_card *card)
{
	struct nvfifo_ramfc fc = {
		.g84 = card->ndev.chip->g84,
		.ib = true,
		.inst = INST,
		.push_offset = NVFIFO_OBJECTS,
		.ramht_offset = NVFIFO_CHAN_RAMHT,
		.ramht_bits = NVFIFO_RAMHT_BITS,
		.ib_address = 0xffe0012000,
		.ib_order = 9,
		.sli_mask = 0xfff,
	};

	return fc;
}

/* The words of RAMFC that are not 0; the same for both generations up to 0x84. */
struct ramfc_word {
	u32 offset;
	u32 val;
};

static const struct ramfc_word ramfc_words[] = {
	{ 0x3c, 0x403f6078 }, { 0x44, 0x01003fff }, { 0x48, 0x00000640 }, { 0x50, 0xe0012000 },
	{ 0x54, 0x000900ff }, { 0x60, 0x7fffffff }, { 0x7c, 0x30000fff }, { 0x80, 0x04000540 },
};

/* A word of the structure at INST before it has objects. */
static u32 structure_word(bool g84, u32 offset)
{
	u32 ramfc = g84 ? 0x4200 : 0x0000, i;

	for (i = 0; i < ARRAY_SIZE(ramfc_words); i++)
		if (offset == ramfc + ramfc_words[i].offset)
			return ramfc_words[i].val;
	if (g84 && offset == 0x4288)
		return (u32)((INST + 0x4400) >> 10);
	if (g84 && offset == 0x4298)
		return (u32)(INST >> 12);

	return 0;
}

/*
 * The structure replaces old contents of its place. The driver must write all words that PFIFO and
 * the MMU read, and none outside of the structure.
 */
static void chan_structure(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, nvfifo_test_chipset(test));
	struct nvfifo_ramfc fc = chan_ramfc(card);
	u32 offset;

	nvfifo_chan_structure(&card->ndev, &fc);

	for (offset = 0; offset < NVFIFO_OBJECTS; offset += 4)
		KUNIT_ASSERT_EQ_MSG(test, word(card, offset), structure_word(fc.g84, offset),
				    "offset %#x", offset);

	KUNIT_EXPECT_EQ(test, word(card, -4), 0xa5a5a5a5);
	KUNIT_EXPECT_EQ(test, word(card, NVFIFO_CHAN_BYTES), 0xa5a5a5a5);

	/* Memory only: no register is accessed, the channel table included. */
	KUNIT_EXPECT_EQ(test, card->logged, 0);
}

/* Old, nothing or new: no word takes a value in between. */
static void structure_on_store(struct nvfifo_test_card *card, u64 addr)
{
	u32 now = nvfifo_test_vram(card, addr);
	u32 offset = addr - INST;
	u32 *stores = card->priv;

	++*stores;
	KUNIT_EXPECT_TRUE_MSG(card->test,
			      !now || now == structure_word(card->ndev.chip->g84, offset),
			      "offset %#x becomes %08x", offset, now);
	KUNIT_EXPECT_LT(card->test, offset, NVFIFO_CHAN_BYTES);
}

static void chan_structure_stores(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, nvfifo_test_chipset(test));
	struct nvfifo_ramfc fc = chan_ramfc(card);
	u32 stores = 0;

	card->priv = &stores;
	card->on_store = structure_on_store;
	nvfifo_chan_structure(&card->ndev, &fc);
	KUNIT_EXPECT_GE(test, stores, NVFIFO_OBJECTS / 4);
}

/*
 * The card's way from the channel table to the push buffer: entry, RAMFC, push DMA object, RAMHT,
 * the fence's DMA object.
 */
static void chan_walk(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, nvfifo_test_chipset(test));
	struct nvfifo_dmaobj push = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_READ, 0, NVFIFO_VA_MASK);
	struct nvfifo_dmaobj fence = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_RW, 0xffe0015000,
						      0xffe0015fff);
	struct nvfifo_ramht *ht = kunit_kzalloc(test, sizeof(*ht), GFP_KERNEL);
	struct nvfifo_ramfc fc = chan_ramfc(card);
	u32 w[NVFIFO_DMAOBJ_WORDS], offset, entry, i, slot;
	struct nvfifo_dmaobj obj;
	u64 ramfc, inst;

	KUNIT_ASSERT_NOT_NULL(test, ht);

	nvfifo_chan_structure(&card->ndev, &fc);
	ht->ndev = &card->ndev;
	ht->inst = INST;
	KUNIT_ASSERT_EQ(test, nvfifo_dmaobj_new(ht, &push, &offset), 0);
	KUNIT_EXPECT_EQ(test, offset, fc.push_offset);
	KUNIT_ASSERT_EQ(test, nvfifo_dmaobj_new(ht, &fence, &offset), 0);
	KUNIT_ASSERT_GE(test, nvfifo_ramht_insert(ht, NVFIFO_HANDLE_FENCE,
						  nvfifo_ramht_context(0, offset)), 0);

	entry = nvfifo_chan_table(fc.g84, INST, NVFIFO_TARGET_VRAM);
	if (fc.g84) {
		ramfc = (u64)(entry & 0xffffff) << 8;
		inst = (u64)nvfifo_test_vram(card, ramfc + 0x98) << 12;
		KUNIT_EXPECT_EQ(test, (u64)nvfifo_test_vram(card, ramfc + 0x88) << 10,
				INST + 0x4400);
	} else {
		inst = (u64)(entry & 0x0fffffff) << 12;
		ramfc = inst;
	}

	KUNIT_ASSERT_EQ(test, inst, INST);

	offset = nvfifo_test_vram(card, ramfc + 0x48) << 4;

	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		w[i] = nvfifo_test_vram(card, inst + offset + i * 4);

	obj = nvfifo_dmaobj_decode(w);
	KUNIT_EXPECT_EQ(test, obj.target, NVFIFO_DMAOBJ_VM);
	KUNIT_EXPECT_EQ(test, obj.start, 0);
	KUNIT_EXPECT_EQ(test, obj.limit, NVFIFO_VA_MASK);

	offset = (nvfifo_test_vram(card, ramfc + 0x80) & 0xffff) << 4;
	slot = nvfifo_ramht_hash(NVFIFO_HANDLE_FENCE, 9);
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(card, inst + offset + slot * 8),
			NVFIFO_HANDLE_FENCE);

	offset = (nvfifo_test_vram(card, inst + offset + slot * 8 + 4) & 0xffff) << 4;

	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		w[i] = nvfifo_test_vram(card, inst + offset + i * 4);

	obj = nvfifo_dmaobj_decode(w);
	KUNIT_EXPECT_EQ(test, obj.start, 0xffe0015000);
	KUNIT_EXPECT_EQ(test, obj.limit, 0xffe0015fff);
}

/*
 * A channel has a number before it is complete. If CHANNEL_CREATE fails, a work item frees it, and
 * removal and suspend of the card wait for that.
 */
static void chan_unpublished(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, nvfifo_test_chipset(test));
	struct nvfifo_chan *chan = kunit_kzalloc(test, sizeof(*chan), GFP_KERNEL);
	struct nvfifo_device *ndev = &card->ndev;

	KUNIT_ASSERT_NOT_NULL(test, chan);
	kref_init(&chan->ref);
	init_completion(&chan->ended);
	complete_all(&chan->ended);
	chan->ndev = ndev;
	KUNIT_EXPECT_FALSE(test, nvfifo_chid_any_attached(ndev));
	KUNIT_EXPECT_FALSE(test, nvfifo_chid_any_leaving(ndev));

	KUNIT_ASSERT_EQ(test, nvfifo_chid_alloc(chan), 0);
	KUNIT_EXPECT_TRUE(test, nvfifo_chid_any_attached(ndev));
	KUNIT_EXPECT_TRUE(test, nvfifo_chid_any_leaving(ndev));

	/* A complete channel without a ring is the shell that an open file keeps. */
	mutex_lock(&ndev->fifo_lock);
	nvfifo_chid_publish(chan);
	mutex_unlock(&ndev->fifo_lock);
	KUNIT_EXPECT_FALSE(test, nvfifo_chid_any_attached(ndev));
	KUNIT_EXPECT_FALSE(test, nvfifo_chid_any_leaving(ndev));

	nvfifo_chid_free(chan);
	KUNIT_EXPECT_PTR_EQ(test, xa_load(&ndev->fifo.chans, chan->id), NULL);
}

/* A channel that a work item ends */
struct chan_ending {
	struct work_struct work;
	struct nvfifo_chan *chan;
	bool fences_failed;
};

static void ending_work(struct work_struct *work)
{
	struct chan_ending *e = container_of(work, struct chan_ending, work);

	/* Time in which the card is removed */
	msleep(200);
	WRITE_ONCE(e->fences_failed, true);
	complete_all(&e->chan->ended);
	wake_up_all(&e->chan->ndev->waiters);
}

/* The removal of the card frees no ring before the work item has failed the channel's fences. */
static void chan_ends_in_removal(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);
	struct nvfifo_chan *chan = kunit_kzalloc(test, sizeof(*chan), GFP_KERNEL);
	struct nvfifo_device *ndev = &card->ndev;
	struct chan_ending ending = { .chan = chan };

	KUNIT_ASSERT_NOT_NULL(test, chan);
	kref_init(&chan->ref);
	init_completion(&chan->ended);
	chan->ndev = ndev;
	KUNIT_ASSERT_EQ(test, nvfifo_chid_alloc(chan), 0);
	mutex_lock(&ndev->fifo_lock);
	nvfifo_chid_publish(chan);
	mutex_unlock(&ndev->fifo_lock);

	INIT_WORK_ONSTACK(&ending.work, ending_work);
	queue_work(system_unbound_wq, &ending.work);
	nvfifo_chan_detach_all(ndev);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(ending.fences_failed));

	flush_work(&ending.work);
	destroy_work_on_stack(&ending.work);
	nvfifo_chid_free(chan);
}

/* The changes of a channel's phase that the drawing in nvfifo_chan.c shows, and no others */
static void chan_phases(struct kunit *test)
{
	static const struct {
		enum nvfifo_chan_phase from, to;
	} allowed[] = {
		{ NVFIFO_CHAN_PARKED, NVFIFO_CHAN_RUNNING },
		{ NVFIFO_CHAN_PARKED, NVFIFO_CHAN_OFF },
		{ NVFIFO_CHAN_RUNNING, NVFIFO_CHAN_PARKED },
		{ NVFIFO_CHAN_RUNNING, NVFIFO_CHAN_LEAVING },
		{ NVFIFO_CHAN_LEAVING, NVFIFO_CHAN_PARKED },
		{ NVFIFO_CHAN_LEAVING, NVFIFO_CHAN_OFF },
	};
	u32 from, to, i;

	for (from = 0; from <= NVFIFO_CHAN_OFF; from++) {
		for (to = 0; to <= NVFIFO_CHAN_OFF; to++) {
			bool is_drawn = false;

			for (i = 0; i < ARRAY_SIZE(allowed); i++)
				is_drawn |= allowed[i].from == from && allowed[i].to == to;

			KUNIT_EXPECT_EQ_MSG(test, nvfifo_chan_may_become(from, to), is_drawn,
					    "from %u to %u", from, to);
		}
	}
}

static struct kunit_case chan_cases[] = {
	KUNIT_CASE_PARAM(chan_structure, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(chan_structure_stores, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(chan_walk, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE_PARAM(chan_unpublished, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(chan_phases),
	KUNIT_CASE(chan_ends_in_removal),
	{}
};

static struct kunit_suite chan_suite = {
	.name = "nvfifo_chan",
	.test_cases = chan_cases,
};

/* --- Ring and fence ------------------------------------------------------ */

/* The parts of a channel's memory follow each other and do not overlap. */
static void fence_layout(struct kunit *test)
{
	u32 order, slot;

	for (order = NVFIFO_RING_ORDER_MIN; order <= NVFIFO_RING_ORDER_MAX; order++) {
		u32 end = nvfifo_ring_bytes(order);

		KUNIT_EXPECT_EQ(test, end, 8u << order);
		for (slot = 0; slot < 1u << order; slot++) {
			u32 seg = nvfifo_fence_seg_offset(order, slot);

			KUNIT_ASSERT_GE(test, seg, end);
			KUNIT_ASSERT_EQ(test, seg % 4, 0);
			end = seg + NVFIFO_FENCE_SEG_WORDS * 4;
		}

		KUNIT_EXPECT_GE(test, nvfifo_fence_page_offset(order), end);
		KUNIT_EXPECT_EQ(test, nvfifo_fence_page_offset(order) % SZ_4K, 0);
	}
}

/* The card releases only the low 32 bits of a 64-bit seqno. */
static void fence_wrap(struct kunit *test)
{
	static const u64 numbers[] = {
		1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, 0x100000001,
		0x1ffffffff, 0x200000000, 0xffffffffffff, 0x1000000000000,
	};
	u64 n, last;
	int i, d;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		n = numbers[i];
		for (d = -3; d <= 3; d++)
			KUNIT_EXPECT_EQ_MSG(test, nvfifo_fence_passed((u32)(n + d), n), d >= 0,
					    "%llx %d", n, d);

		/* The largest distance at which the wrap is unambiguous */
		last = n + 0x7fffffff;
		KUNIT_EXPECT_TRUE(test, nvfifo_fence_passed((u32)last, n));
		KUNIT_EXPECT_FALSE(test, nvfifo_fence_passed((u32)n, last));
	}
}

struct method_call {
	u32 subc;
	u32 method;
	u32 data;
};

/* Run the words through a pusher that checks each method. */
static u32 methods(struct kunit *test, const u32 *w, u32 n, u32 chipset, struct method_call *out)
{
	u32 i, k, calls = 0;

	for (i = 0; i < n;) {
		struct nvfifo_command c = nvfifo_nv04_decode(w[i++], true);

		KUNIT_ASSERT_EQ_MSG(test, c.type, NVFIFO_COMMAND_INCR, "word %u", i - 1);
		KUNIT_ASSERT_GT(test, c.count, 0);
		KUNIT_ASSERT_LE(test, i + c.count, n);
		for (k = 0; k < c.count; k++) {
			out[calls].subc = c.subc;
			out[calls].method = c.method + 4 * k;
			out[calls].data = w[i++];
			KUNIT_EXPECT_TRUE_MSG(test,
					      nvfifo_pfifo_method_valid(chipset,
									out[calls].method),
					      "method %#x", out[calls].method);
			calls++;
		}
	}

	return calls;
}

static void fence_words(struct kunit *test)
{
	static const u32 seqs[] = { 0, 1, 0x12345678, 0x80000000, 0xffffffff };
	static const struct method_call g80[] = {
		{ 0, 0x60, NVFIFO_HANDLE_FENCE },
		{ 0, 0x64, 0 },
		{ 0, 0x6c, 0 },				/* the number */
		{ 7, 0x00, NVFIFO_HANDLE_SW },
	};
	static const struct method_call g84[] = {
		{ 0, 0x60, NVFIFO_HANDLE_FENCE },
		{ 0, 0x10, 0 },
		{ 0, 0x14, 0 },
		{ 0, 0x18, 0 },				/* the number */
		{ 0, 0x1c, 2 },
		{ 0, 0x20, 0 },
	};
	u32 chipset = nvfifo_test_chipset(test), i, k, n, count, at;
	const struct nvfifo_chip *chip = nvfifo_chip_find(chipset << 20);
	struct method_call calls[NVFIFO_FENCE_SEG_WORDS];
	u32 w[NVFIFO_FENCE_SEG_WORDS + 1];
	const struct method_call *want;

	KUNIT_ASSERT_NOT_NULL(test, chip);

	want = chip->g84 ? g84 : g80;
	count = chip->g84 ? ARRAY_SIZE(g84) : ARRAY_SIZE(g80);
	at = chip->g84 ? 3 : 2;

	for (i = 0; i < ARRAY_SIZE(seqs); i++) {
		memset(w, 0xa5, sizeof(w));
		n = nvfifo_fence_words(chip->g84, seqs[i], w);
		KUNIT_ASSERT_LE(test, n, NVFIFO_FENCE_SEG_WORDS);
		KUNIT_EXPECT_EQ(test, w[n], 0xa5a5a5a5);
		KUNIT_EXPECT_EQ(test, w[NVFIFO_FENCE_SEG_VALUE], seqs[i]);
		KUNIT_ASSERT_EQ(test, methods(test, w, n, chipset, calls), count);
		for (k = 0; k < count; k++) {
			KUNIT_EXPECT_EQ_MSG(test, calls[k].subc, want[k].subc, "method %u", k);
			KUNIT_EXPECT_EQ_MSG(test, calls[k].method, want[k].method, "method %u", k);
			KUNIT_EXPECT_EQ_MSG(test, calls[k].data, k == at ? seqs[i] : want[k].data,
					    "method %u", k);
		}
	}
}

static struct kunit_case fence_cases[] = {
	KUNIT_CASE(fence_layout),
	KUNIT_CASE(fence_wrap),
	KUNIT_CASE_PARAM(fence_words, nvfifo_test_chipsets_gen_params),
	{}
};

static struct kunit_suite fence_suite = {
	.name = "nvfifo_fence",
	.test_cases = fence_cases,
};

kunit_test_suites(&chan_suite, &fence_suite);
