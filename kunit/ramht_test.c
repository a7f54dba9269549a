// SPDX-License-Identifier: GPL-2.0-only
/*
 * RAMHT and objects from the card's side, after each store of the driver.
 */
#include "fake.h"

#define INST	(NVFIFO_TEST_VRAM + 0x10000)

struct ramht_test {
	struct nvfifo_test_card *card;
	struct nvfifo_ramht ht;
	/* Matches of each slot, before and after the call under way. */
	struct {
		u32 handle;
		u32 context;
	} old[NVFIFO_RAMHT_ENTRIES], new[NVFIFO_RAMHT_ENTRIES];
	/* Words that the card may find in each object's slot. */
	u32 old_object[NVFIFO_OBJECT_SLOTS][NVFIFO_OBJECT_WORDS];
	u32 new_object[NVFIFO_OBJECT_WORDS];
	u32 stores, object_stores;
};

/* First word of the null object: paged, read only, for supervisors only. */
#define NULL_FIRST	0x7fe40002

static u32 slot_word(const struct ramht_test *t, u32 slot, u32 word)
{
	return nvfifo_test_vram(t->card, INST + NVFIFO_CHAN_RAMHT + slot * 8 + word * 4);
}

/*
 * The card's search: from the hash on, round the whole table, past empty slots.
 * How many entries match must never be more than one.
 */
static int card_find(struct kunit *test, const struct ramht_test *t, u32 handle)
{
	u32 hash = nvfifo_ramht_hash(handle, NVFIFO_RAMHT_BITS);
	int i, found = -1;

	for (i = 0; i < NVFIFO_RAMHT_ENTRIES; i++) {
		u32 slot = (hash + i) % NVFIFO_RAMHT_ENTRIES;

		if (slot_word(t, slot, 0) != handle || !slot_word(t, slot, 1))
			continue;
		KUNIT_EXPECT_EQ_MSG(test, found, -1, "handle %08x is there twice", handle);
		found = slot;
	}

	return found;
}

static u32 object_word(const struct ramht_test *t, u32 slot, u32 word)
{
	return nvfifo_test_vram(t->card, INST + NVFIFO_OBJECTS + slot * NVFIFO_OBJECT_BYTES +
					 word * 4);
}

static bool object_is(const struct ramht_test *t, u32 slot, const u32 *words)
{
	u32 i;

	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		if (object_word(t, slot, i) != words[i])
			return false;

	return true;
}

/* After every store a slot holds the object of before or after, or grants nothing. */
static void check_object_store(struct nvfifo_test_card *card, u64 offset)
{
	struct ramht_test *t = card->priv;
	const u32 slot = offset / NVFIFO_OBJECT_BYTES;
	bool sound;

	t->object_stores++;
	sound = object_word(t, slot, 0) == NULL_FIRST ||
		object_is(t, slot, t->old_object[slot]) || object_is(t, slot, t->new_object);
	KUNIT_EXPECT_TRUE_MSG(card->test, sound, "slot %u holds neither object: %08x %08x %08x",
			      slot, object_word(t, slot, 0), object_word(t, slot, 1),
			      object_word(t, slot, 2));
}

/* After every store a slot matches nothing, or is an entry of before or after. */
static void check_store(struct nvfifo_test_card *card, u64 addr)
{
	struct ramht_test *t = card->priv;
	u64 offset = addr - INST - NVFIFO_CHAN_RAMHT;
	u32 slot = offset / 8, handle, context;

	t->stores++;
	if (addr >= INST + NVFIFO_OBJECTS) {
		check_object_store(card, addr - INST - NVFIFO_OBJECTS);
		return;
	}

	if (addr < INST + NVFIFO_CHAN_RAMHT || offset >= NVFIFO_RAMHT_BYTES)
		return;

	handle = slot_word(t, slot, 0);
	context = slot_word(t, slot, 1);
	if (!context)
		return;
	if (handle == t->old[slot].handle && context == t->old[slot].context)
		return;

	KUNIT_EXPECT_EQ_MSG(card->test, handle, t->new[slot].handle, "slot %#x, half written",
			    slot);
	KUNIT_EXPECT_EQ_MSG(card->test, context, t->new[slot].context, "slot %#x, half written",
			    slot);
}

/* An empty table in an empty structure. */
static void restart(struct ramht_test *t)
{
	t->card->on_store = NULL;
	nvfifo_vram_fill(&t->card->ndev, INST, NVFIFO_CHAN_BYTES, 0);
	t->card->on_store = check_store;
	memset(&t->ht, 0, sizeof(t->ht));
	t->ht.ndev = &t->card->ndev;
	t->ht.inst = INST;
	memset(t->old, 0, sizeof(t->old));
	memset(t->new, 0, sizeof(t->new));
	memset(t->old_object, 0, sizeof(t->old_object));
	memset(t->new_object, 0, sizeof(t->new_object));
}

static int ramht_suite_init(struct kunit *test)
{
	struct ramht_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->card = nvfifo_test_card(test, 0x84);
	t->card->priv = t;
	restart(t);
	test->priv = t;
	return 0;
}

/* Insert at the expected slot, so that check_store() knows the next stores. */
static void insert_at(struct kunit *test, u32 handle, u32 context, u32 slot)
{
	struct ramht_test *t = test->priv;

	t->new[slot].handle = handle;
	t->new[slot].context = context;
	KUNIT_ASSERT_EQ_MSG(test, nvfifo_ramht_insert(&t->ht, handle, context), slot,
			    "handle %08x", handle);
	KUNIT_EXPECT_EQ(test, slot_word(t, slot, 0), handle);
	KUNIT_EXPECT_EQ(test, slot_word(t, slot, 1), context);
	KUNIT_EXPECT_EQ(test, card_find(test, t, handle), slot);
	KUNIT_EXPECT_EQ(test, nvfifo_ramht_find(&t->ht, handle), slot);
	t->old[slot] = t->new[slot];
}

static void remove_at(struct kunit *test, u32 handle, u32 slot)
{
	struct ramht_test *t = test->priv;

	t->new[slot].handle = 0;
	t->new[slot].context = 0;
	nvfifo_ramht_remove(&t->ht, slot);
	KUNIT_EXPECT_EQ(test, slot_word(t, slot, 0), 0);
	KUNIT_EXPECT_EQ(test, slot_word(t, slot, 1), 0);
	KUNIT_EXPECT_EQ(test, card_find(test, t, handle), -1);
	KUNIT_EXPECT_EQ(test, nvfifo_ramht_find(&t->ht, handle), -ENOENT);
	t->old[slot] = t->new[slot];
}

static const struct {
	u8 bits;
	u32 handle;
	u32 context;
	u32 slot;
} ramht_insert_rows[] = {
#include "data/ramht_insert.inc"
};

/* nouveau's scripts: those with 512 entries through the driver, the others by hand. */
static void ramht_oracle(struct kunit *test)
{
	struct ramht_test *t = test->priv;
	u32 *used = kunit_kcalloc(test, 1 << NVFIFO_RAMHT_BITS_MAX, sizeof(*used), GFP_KERNEL);
	u32 bits = 0, script = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, used);

	for (i = 0; i < ARRAY_SIZE(ramht_insert_rows); i++) {
		u32 handle = ramht_insert_rows[i].handle;
		u32 slot;

		if (ramht_insert_rows[i].bits) {
			bits = ramht_insert_rows[i].bits;
			script++;
			restart(t);
		}
		if (bits == NVFIFO_RAMHT_BITS) {
			insert_at(test, handle, ramht_insert_rows[i].context,
				  ramht_insert_rows[i].slot);
			continue;
		}
		slot = nvfifo_ramht_hash(handle, bits);
		while (used[slot] == script)
			slot = (slot + 1) & ((1 << bits) - 1);
		used[slot] = script;
		KUNIT_EXPECT_EQ_MSG(test, slot, ramht_insert_rows[i].slot, "row %d", i);
	}

	KUNIT_EXPECT_GT(test, script, 1);
}

/* Handles with one hash take the slots after it, round the end of the table. */
static void ramht_collisions(struct kunit *test)
{
	static const struct {
		u32 hash;
		u32 slots[6];
	} rows[] = {
		{ 0x000, { 0x000, 0x001, 0x002, 0x003, 0x004, 0x005 } },
		{ 0x100, { 0x100, 0x101, 0x102, 0x103, 0x104, 0x105 } },
		{ 0x1fe, { 0x1fe, 0x1ff, 0x006, 0x007, 0x008, 0x009 } },
		{ 0x1ff, { 0x00a, 0x00b, 0x00c, 0x00d, 0x00e, 0x00f } },
	};
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (n = 0; n < 6; n++) {
			/* The two upper pieces cancel out. */
			u32 handle = (n + 1) << 9 | (n + 1) << 18 | rows[i].hash;

			KUNIT_ASSERT_EQ(test, nvfifo_ramht_hash(handle, 9), rows[i].hash);
			insert_at(test, handle, nvfifo_ramht_context(n, 0x6400 + n * 32),
				  rows[i].slots[n]);
		}
	}
}

static void ramht_exists(struct kunit *test)
{
	struct ramht_test *t = test->priv;
	u32 stores;

	insert_at(test, 0xbeef0201, 0x00000640, 0x2c);
	stores = t->stores;
	KUNIT_EXPECT_EQ(test, nvfifo_ramht_insert(&t->ht, 0xbeef0201, 0x00000642), -EEXIST);
	KUNIT_EXPECT_EQ(test, t->stores, stores);
	KUNIT_EXPECT_EQ(test, slot_word(t, 0x2c, 1), 0x00000640);
}

/* The i-th of 512 handles with the same hash. */
static u32 full_handle(u32 i)
{
	return i << 18 | i << 9 | 0x155;
}

/* Every slot can be used; then nothing more fits, and nothing has changed. */
static void ramht_full(struct kunit *test)
{
	struct ramht_test *t = test->priv;
	u32 i, stores;

	for (i = 0; i < NVFIFO_RAMHT_ENTRIES; i++)
		insert_at(test, full_handle(i), 0x100000 | (i + 1),
			  (0x155 + i) % NVFIFO_RAMHT_ENTRIES);

	stores = t->stores;
	KUNIT_EXPECT_EQ(test, nvfifo_ramht_insert(&t->ht, 0x12345678, 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, t->stores, stores);
	KUNIT_EXPECT_EQ(test, nvfifo_ramht_find(&t->ht, 0x12345678), -ENOENT);

	for (i = 0; i < NVFIFO_RAMHT_ENTRIES; i++)
		KUNIT_EXPECT_GE(test, card_find(test, t, full_handle(i)), 0);
}

/* A hole in a row of colliding entries hides none, and is used again. */
static void ramht_hole(struct kunit *test)
{
	struct ramht_test *t = test->priv;
	u32 handles[5], i;

	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		handles[i] = (i + 1) << 9 | (i + 1) << 18 | 0x1fd;
		insert_at(test, handles[i], 0x640 + 2 * i, (0x1fd + i) % NVFIFO_RAMHT_ENTRIES);
	}

	remove_at(test, handles[0], 0x1fd);
	remove_at(test, handles[3], 0x000);

	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		bool gone = i == 0 || i == 3;
		int slot = (0x1fd + i) % NVFIFO_RAMHT_ENTRIES;

		KUNIT_EXPECT_EQ_MSG(test, card_find(test, t, handles[i]), gone ? -1 : slot,
				    "handle %u", i);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_ramht_find(&t->ht, handles[i]),
				    gone ? -ENOENT : slot, "handle %u", i);
	}

	insert_at(test, handles[3], 0x700, 0x1fd);
	insert_at(test, handles[0], 0x702, 0x000);
}

/*
 * With a vacant entry no slot has handle 0, whatever comes and goes. Between two stores a slot's
 * handle names the object of the vacant entry.
 */
static void ramht_vacant(struct kunit *test)
{
	const u32 vacant = 0x80000001, context = 0x642, handle = 0xbeef0201;
	struct ramht_test *t = test->priv;
	int slot;

	t->card->on_store = NULL;
	KUNIT_ASSERT_GE(test, nvfifo_ramht_insert(&t->ht, vacant, context), 0);
	nvfifo_ramht_set_vacant(&t->ht, vacant);
	slot = nvfifo_ramht_insert(&t->ht, handle, 0x100640);
	KUNIT_ASSERT_GE(test, slot, 0);
	KUNIT_EXPECT_EQ(test, card_find(test, t, handle), slot);
	nvfifo_ramht_remove(&t->ht, slot);
	KUNIT_EXPECT_EQ(test, card_find(test, t, handle), -1);

	for (slot = 0; slot < NVFIFO_RAMHT_ENTRIES; slot++) {
		KUNIT_EXPECT_EQ(test, slot_word(t, slot, 0), vacant);
		KUNIT_EXPECT_EQ(test, slot_word(t, slot, 1), context);
	}
}

/* Random insertions and removals against a list; the table and its shadow agree. */
static void ramht_random(struct kunit *test)
{
	struct ramht_test *t = test->priv;
	u32 *list = kunit_kcalloc(test, NVFIFO_RAMHT_ENTRIES, sizeof(*list), GFP_KERNEL);
	struct rnd_state rnd;
	u32 i, n = 0, slot;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, list);
	nvfifo_test_seed(&rnd);

	for (i = 0; i < 2000; i++) {
		/* Few different hashes, so that rows of collisions grow and break up. */
		u32 handle = prandom_u32_state(&rnd) & 0x00fc010f;

		if (n && nvfifo_test_below(&rnd, 5) < 2) {
			u32 k = nvfifo_test_below(&rnd, n);

			ret = nvfifo_ramht_find(&t->ht, list[k]);
			KUNIT_ASSERT_GE(test, ret, 0);
			KUNIT_ASSERT_EQ(test, card_find(test, t, list[k]), ret);
			remove_at(test, list[k], ret);
			list[k] = list[--n];
			continue;
		}
		if (nvfifo_ramht_find(&t->ht, handle) >= 0 || n == NVFIFO_RAMHT_ENTRIES)
			continue;
		slot = nvfifo_ramht_hash(handle, 9);
		while (t->old[slot].context)
			slot = (slot + 1) % NVFIFO_RAMHT_ENTRIES;
		insert_at(test, handle, 0x600 + i, slot);
		list[n++] = handle;
	}

	for (slot = 0; slot < NVFIFO_RAMHT_ENTRIES; slot++) {
		KUNIT_EXPECT_EQ(test, slot_word(t, slot, 0), t->old[slot].handle);
		KUNIT_EXPECT_EQ(test, slot_word(t, slot, 1), t->old[slot].context);
	}
}

/* Make an object, after setting the stores that the checker expects. */
static int object_get(struct ramht_test *t, const struct nvfifo_dmaobj *obj, u32 *offset)
{
	u32 slot;
	int ret;

	memset(t->new_object, 0, sizeof(t->new_object));
	nvfifo_dmaobj_encode(obj, t->new_object);
	ret = nvfifo_dmaobj_new(&t->ht, obj, offset);
	if (ret)
		return ret;

	slot = (*offset - NVFIFO_OBJECTS) / NVFIFO_OBJECT_BYTES;
	memcpy(t->old_object[slot], t->new_object, sizeof(t->new_object));
	return 0;
}

/* The i-th of many objects, each other one unpaged. */
static struct nvfifo_dmaobj nth_object(u32 i)
{
	const u64 start = 0x1200000000ULL + i * SZ_4K, limit = 0x3400000000ULL + i * SZ_4K;
	struct nvfifo_dmaobj obj = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_RW, start, limit);

	if (i % 2) {
		obj.target = NVFIFO_DMAOBJ_SYS_SNOOP;
		obj.access = NVFIFO_DMAOBJ_ACCESS_RW;
		obj.user = NVFIFO_DMAOBJ_USER_BOTH;
		obj.kind = 0;
		obj.comp = 0;
		obj.cycle = 1;
	}

	return obj;
}

/* Have as many different objects as there are slots. */
static void fill_slots(struct kunit *test, u32 first)
{
	struct ramht_test *t = test->priv;
	u32 offset, n, last = 0;

	for (n = 0; n < NVFIFO_OBJECT_SLOTS; n++) {
		struct nvfifo_dmaobj obj = nth_object(first + n);

		KUNIT_ASSERT_EQ(test, object_get(t, &obj, &offset), 0);
		if (n)
			KUNIT_ASSERT_GE(test, offset, last + NVFIFO_OBJECT_BYTES);
		KUNIT_ASSERT_EQ(test, offset % 16, 0);
		KUNIT_ASSERT_LE(test, offset + NVFIFO_OBJECT_BYTES, NVFIFO_CHAN_BYTES);
		last = offset;
	}
}

/* Places of objects: apart, after RAMHT, inside of the structure. */
static void object_space(struct kunit *test)
{
	struct ramht_test *t = test->priv;
	struct nvfifo_dmaobj obj = nth_object(NVFIFO_OBJECT_SLOTS);
	u32 offset, stores;

	KUNIT_EXPECT_GE(test, NVFIFO_OBJECTS, NVFIFO_CHAN_RAMHT + NVFIFO_RAMHT_BYTES);
	KUNIT_EXPECT_GE(test, NVFIFO_OBJECT_BYTES, NVFIFO_DMAOBJ_BYTES);
	fill_slots(test, 0);
	stores = t->stores;
	KUNIT_EXPECT_EQ(test, object_get(t, &obj, &offset), -ENOSPC);
	KUNIT_EXPECT_EQ(test, t->stores, stores);
	KUNIT_EXPECT_EQ(test, nvfifo_objects_unused(&t->ht), 0);
}

/* A destroyed object keeps its slot and its words, for the card and for an equal object. */
static void object_destroyed(struct kunit *test)
{
	struct ramht_test *t = test->priv;
	struct nvfifo_dmaobj a = nth_object(0), b = nth_object(1);
	u32 at_a, at_b, again, stores;

	KUNIT_ASSERT_EQ(test, object_get(t, &a, &at_a), 0);
	nvfifo_object_put(&t->ht, at_a);
	KUNIT_EXPECT_EQ(test, nvfifo_objects_unused(&t->ht), 1);
	KUNIT_ASSERT_EQ(test, object_get(t, &b, &at_b), 0);
	KUNIT_EXPECT_NE(test, at_a, at_b);

	stores = t->stores;
	KUNIT_ASSERT_EQ(test, object_get(t, &a, &again), 0);
	KUNIT_EXPECT_EQ(test, again, at_a);
	KUNIT_EXPECT_EQ(test, t->stores, stores);
	KUNIT_EXPECT_EQ(test, nvfifo_objects_unused(&t->ht), 0);

	/* Two users: the slot is given up with the second. */
	KUNIT_ASSERT_EQ(test, object_get(t, &a, &again), 0);
	nvfifo_object_put(&t->ht, at_a);
	KUNIT_EXPECT_EQ(test, nvfifo_objects_unused(&t->ht), 0);
	nvfifo_object_put(&t->ht, at_a);
	KUNIT_EXPECT_EQ(test, nvfifo_objects_unused(&t->ht), 1);
}

/* Slots are used again after a reclaim, and at no store is there a mixture of two objects. */
static void object_reclaim(struct kunit *test)
{
	struct ramht_test *t = test->priv;
	const u32 class[NVFIFO_OBJECT_WORDS] = { 0x5039 };
	struct nvfifo_dmaobj obj;
	u32 offset, engine, slot;

	memcpy(t->new_object, class, sizeof(class));
	KUNIT_ASSERT_EQ(test, nvfifo_object_get(&t->ht, class, &engine), 0);
	KUNIT_ASSERT_EQ(test, engine, NVFIFO_OBJECTS);
	memcpy(t->old_object[0], class, sizeof(class));
	nvfifo_object_put(&t->ht, engine);

	for (slot = 1; slot < NVFIFO_OBJECT_SLOTS; slot++) {
		obj = nth_object(slot);
		KUNIT_ASSERT_EQ(test, object_get(t, &obj, &offset), 0);
		if (slot != 7)
			nvfifo_object_put(&t->ht, offset);
	}

	obj = nth_object(slot);
	KUNIT_ASSERT_EQ(test, object_get(t, &obj, &offset), -ENOSPC);
	KUNIT_EXPECT_EQ(test, nvfifo_objects_unused(&t->ht), NVFIFO_OBJECT_SLOTS - 2);

	nvfifo_objects_reclaim(&t->ht);
	KUNIT_EXPECT_EQ(test, nvfifo_objects_unused(&t->ht), 0);

	/* An engine may still be bound to its object, and slot 7 is in use. */
	KUNIT_EXPECT_TRUE(test, object_is(t, 0, class));
	KUNIT_EXPECT_TRUE(test, object_is(t, 7, t->old_object[7]));

	for (slot = 0; slot < NVFIFO_OBJECT_SLOTS; slot++)
		if (slot != 0 && slot != 7)
			KUNIT_ASSERT_EQ(test, object_word(t, slot, 0), NULL_FIRST);

	for (slot = 0; slot < NVFIFO_OBJECT_SLOTS - 2; slot++) {
		obj = nth_object(5000 + slot);
		KUNIT_ASSERT_EQ(test, object_get(t, &obj, &offset), 0);
	}

	KUNIT_EXPECT_EQ(test, object_get(t, &obj, &offset), 0);
	obj = nth_object(9999);
	KUNIT_EXPECT_EQ(test, object_get(t, &obj, &offset), -ENOSPC);
	KUNIT_EXPECT_GT(test, t->object_stores, 3 * 6 * (NVFIFO_OBJECT_SLOTS - 2));
}

static void object_dmaobj(struct kunit *test)
{
	struct ramht_test *t = test->priv;
	struct nvfifo_dmaobj obj = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_RW, 0x1234560000,
						    0x12345affff);
	static const u32 want[NVFIFO_DMAOBJ_WORDS] = {
		0x7fc0003d, 0x345affff, 0x34560000, 0x12000012, 0, 0,
	};
	u32 offset, i;

	/* A new object has all its words, even where another one was. */
	t->card->on_store = NULL;
	nvfifo_vram_fill(&t->card->ndev, INST + NVFIFO_OBJECTS, 4 * NVFIFO_OBJECT_BYTES,
			 0xa5a5a5a5);
	t->card->on_store = check_store;
	KUNIT_ASSERT_EQ(test, object_get(t, &obj, &offset), 0);
	KUNIT_EXPECT_EQ(test, offset, NVFIFO_OBJECTS);

	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_test_vram(t->card, INST + offset + i * 4),
				    want[i], "word %u", i);

	/* And the neighbour is left alone. */
	KUNIT_EXPECT_EQ(test, nvfifo_test_vram(t->card, INST + NVFIFO_OBJECTS +
					       NVFIFO_OBJECT_BYTES), 0xa5a5a5a5);
}

/* The card must have the object's words before RAMHT names it. */
static void check_enter(struct nvfifo_test_card *card, u64 addr)
{
	const u64 table = INST + NVFIFO_CHAN_RAMHT;
	int flush = nvfifo_test_find(card, true, 0x070000, 0);

	if (addr >= INST + NVFIFO_OBJECTS)
		KUNIT_EXPECT_EQ(card->test, flush, -1);
	else if (addr >= table && addr < table + NVFIFO_RAMHT_BYTES)
		KUNIT_EXPECT_NE(card->test, flush, -1);
}

static void object_enter(struct kunit *test)
{
	const struct nvfifo_dmaobj obj = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_RW, 0, 0xffff);
	struct nvfifo_chan *chan = kunit_kzalloc(test, sizeof(*chan), GFP_KERNEL);
	struct ramht_test *t = test->priv;
	u32 w[NVFIFO_OBJECT_WORDS] = {};

	KUNIT_ASSERT_NOT_NULL(test, chan);
	chan->ndev = &t->card->ndev;
	chan->ramht = t->ht;
	nvfifo_dmaobj_encode(&obj, w);
	t->card->on_store = check_enter;
	nvfifo_test_forget(t->card);

	KUNIT_EXPECT_EQ(test, nvfifo_object_enter(chan, 0xbeef, NULL, w), 0);
	KUNIT_EXPECT_EQ(test, object_word(t, 0, 0), w[0]);
	KUNIT_EXPECT_EQ(test, card_find(test, t, 0xbeef),
			nvfifo_ramht_hash(0xbeef, NVFIFO_RAMHT_BITS));
}

static struct kunit_case ramht_cases[] = {
	KUNIT_CASE(ramht_oracle),
	KUNIT_CASE(ramht_collisions),
	KUNIT_CASE(ramht_exists),
	KUNIT_CASE(ramht_full),
	KUNIT_CASE(ramht_hole),
	KUNIT_CASE(ramht_vacant),
	KUNIT_CASE(ramht_random),
	KUNIT_CASE(object_space),
	KUNIT_CASE(object_destroyed),
	KUNIT_CASE(object_reclaim),
	KUNIT_CASE(object_dmaobj),
	KUNIT_CASE(object_enter),
	{}
};

static struct kunit_suite ramht_suite = {
	.name = "nvfifo_ramht",
	.init = ramht_suite_init,
	.test_cases = ramht_cases,
};

kunit_test_suites(&ramht_suite);
