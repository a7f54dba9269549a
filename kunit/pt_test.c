// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables from the card's side: the driver writes them, and the test walks them as the card.
 *
 * The reference is a list of the expected pages. Any entry of a block can translate all of it, so
 * the test checks an entry for every page of its block. After each stored word a page may be the
 * old or the new one, or absent if these differ. At the end it is the new one. So only a page that
 * changes has a gap.
 */
#include "nvfifo_pt.h"
#include "nvfifo_test.h"
#include "walk.h"

#include "data/pte_runs.h"

/* Entries on each side of a change that are looked at too. */
#define NEIGHBOURS	256

/**
 * struct pt_watch - A page table under watch
 * @pt: the table
 * @test: the running test
 * @old: each page before the running call: a PTE in no block, 0 if not present
 * @new: and after it
 * @words: the table as the card sees it
 * @shift: log2 of the page size
 * @stores: stores of the running call
 * @wrong: a store showed some page a third one, or none although it has one
 * @wrong_index: the first such entry
 * @wrong_page: and the page
 */
struct pt_watch {
	struct nvfifo_pt pt;
	struct kunit *test;
	u64 *old;
	u64 *new;
	u32 *words;
	u32 shift;
	u32 stores;
	u32 wrong;
	u32 wrong_index;
	u32 wrong_page;
};

static u64 entry(const struct pt_watch *w, u32 index)
{
	return (u64)w->words[2 * index + 1] << 32 | w->words[2 * index];
}

/* May the page look so now? A page that does not change is never absent. */
static bool page_ok(const struct pt_watch *w, u32 page, u64 pte)
{
	if (!pte && w->old[page] != w->new[page])
		return true;

	return pte == w->old[page] || pte == w->new[page];
}

/* Check every page that an entry can translate. */
static void look(struct pt_watch *w, u32 index)
{
	u64 pte = entry(w, index);
	u32 pages = nvfifo_test_block(pte), first = index & ~(pages - 1), i;

	for (i = first; i < first + pages; i++) {
		if (page_ok(w, i, nvfifo_test_page(pte, w->shift, i)))
			continue;
		if (!w->wrong++) {
			w->wrong_index = index;
			w->wrong_page = i;
		}

		return;
	}
}

static void watch_store(struct nvfifo_pt *pt, u32 word, u32 val)
{
	struct pt_watch *w = container_of(pt, struct pt_watch, pt);

	w->stores++;
	w->words[word] = val;
	look(w, word / 2);
}

static void *array(struct kunit *test, u32 count)
{
	u64 *p = kunit_kcalloc(test, count, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

static struct pt_watch *watch(struct kunit *test, u8 type, u8 size)
{
	static const u8 shifts[] = {
		[NVFIFO_PT_64K] = 16, [NVFIFO_PT_16K] = 14, [NVFIFO_PT_4K] = 12,
	};
	struct pt_watch *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	u32 count = nvfifo_pt_entries(type, size);

	KUNIT_ASSERT_NOT_NULL(test, w);

	w->test = test;
	w->shift = shifts[type];
	w->pt.type = type;
	w->pt.size = size;
	w->pt.count = count;
	w->pt.entries = array(test, count);
	w->pt.store = watch_store;
	w->old = array(test, count);
	w->new = array(test, count);
	w->words = array(test, count);

	return w;
}

/* Check the entries from @first on, between calls. */
static void expect_range(struct pt_watch *w, u32 first, u32 end)
{
	u32 i, k;

	first = (first > NEIGHBOURS ? first - NEIGHBOURS : 0) & ~0x7fu;
	end = min(end + NEIGHBOURS, w->pt.count);

	for (i = first; i < end; i++) {
		u64 pte = entry(w, i);
		u32 pages = nvfifo_test_block(pte), block = i & ~(pages - 1);

		KUNIT_ASSERT_EQ_MSG(w->test, w->pt.entries[i], pte, "copy of entry %#x", i);
		KUNIT_ASSERT_EQ_MSG(w->test, nvfifo_test_page(pte, w->shift, i), w->new[i],
				    "entry %#x, in a block of %u", i, pages);
		KUNIT_ASSERT_EQ_MSG(w->test, nvfifo_pt_lookup(&w->pt, i), w->new[i],
				    "look-up of %#x", i);
		if (!(pte & WALK_PRESENT))
			KUNIT_ASSERT_EQ_MSG(w->test, pte, 0, "entry %#x", i);

		/* One TLB entry serves the block, so all of its PTEs must agree. */
		for (k = block; i == block && k < block + pages; k++)
			KUNIT_ASSERT_EQ_MSG(w->test, entry(w, k), pte,
					    "entry %#x, in the block of %#x", k, i);
	}
}

static void expect_table(struct pt_watch *w)
{
	expect_range(w, 0, w->pt.count);
}

static void call_ends(struct pt_watch *w, u32 index, u32 count)
{
	KUNIT_ASSERT_EQ_MSG(w->test, w->wrong, 0,
			    "store to %#x: page %#x is neither its old nor its new page",
			    w->wrong_index, w->wrong_page);
	expect_range(w, index, index + count);
	memcpy(&w->old[index], &w->new[index], count * sizeof(*w->old));
	w->stores = 0;
}

/* One to three words for each page, and at most a word for each entry of a block at each end. */
static void expect_stores(struct pt_watch *w, u32 count)
{
	KUNIT_ASSERT_GE(w->test, w->stores, count);
	KUNIT_ASSERT_LE(w->test, w->stores, 3 * count + 2 * 128);
}

/* The reference result of the call. */
static void will_map(struct pt_watch *w, u32 index, u32 count, u64 pte)
{
	u32 i;

	for (i = 0; i < count; i++)
		w->new[index + i] = pte + i * nvfifo_test_step(pte, w->shift);
}

static void will_unmap(struct pt_watch *w, u32 index, u32 count)
{
	memset(&w->new[index], 0, count * sizeof(*w->new));
}

/* Do all pages from the first to the last one have the same high word? */
static bool same_high(const struct pt_watch *w, u32 first, u32 last)
{
	return w->new[first] >> 32 == w->new[last] >> 32;
}

/* Blocks are as large as their place, the run, and equal high words allow. */
static void expect_blocks(struct pt_watch *w, u32 index, u32 count)
{
	u32 end = index + count, pages;

	for (; index < end; index += pages) {
		for (pages = 128; index % pages || index + pages > end ||
		     !same_high(w, index, index + pages - 1); pages /= 2)
			;
		KUNIT_ASSERT_EQ_MSG(w->test, nvfifo_test_block(entry(w, index)), pages,
				    "block at %#x", index);
	}
}

static void map(struct pt_watch *w, u32 index, u32 count, u64 pte)
{
	will_map(w, index, count, pte);
	nvfifo_pt_write(&w->pt, index, count, pte, NULL);
	expect_stores(w, count);
	expect_blocks(w, index, count);
	call_ends(w, index, count);
}

static void unmap(struct pt_watch *w, u32 index, u32 count)
{
	will_unmap(w, index, count);
	nvfifo_pt_write(&w->pt, index, count, 0, NULL);
	expect_stores(w, count);
	call_ends(w, index, count);
}

/* Each page has an address of its own, and its own entry. */
static void map_pages(struct pt_watch *w, u32 index, u32 count, u64 pte, struct rnd_state *rnd)
{
	static u64 addresses[2304];
	u32 i;

	for (i = 0; i < count; i++) {
		addresses[i] = (nvfifo_test_rnd64(rnd) & 0xffffffffff) >> w->shift << w->shift;
		w->new[index + i] = pte | addresses[i];
	}

	nvfifo_pt_write(&w->pt, index, count, pte, addresses);
	expect_stores(w, count);
	call_ends(w, index, count);

	for (i = 0; i < count; i++)
		KUNIT_ASSERT_EQ(w->test, nvfifo_test_block(entry(w, index + i)), 1);
}

/* A mapping of @count pages with any attributes that go with target and compression. */
static u64 random_pte(const struct pt_watch *w, struct rnd_state *rnd, u8 target, u8 comp,
		      u32 count)
{
	static const u8 kinds[] = { 0x00, 0x10, 0x2e, 0x70, 0x7a, 0x7d };
	struct nvfifo_pte pte = {
		.present = true,
		.target = target,
		.address = (nvfifo_test_rnd64(rnd) & 0x7fffffffff) >> w->shift << w->shift,
		.kind = kinds[nvfifo_test_below(rnd, ARRAY_SIZE(kinds))],
		.comp = comp,
		.tag = comp ? nvfifo_test_below(rnd, 0x1000 - comp * count) : 0,
		.read_only = prandom_u32_state(rnd) & 1,
		.supervisor = prandom_u32_state(rnd) & 1,
		.long_cycle = prandom_u32_state(rnd) & 1,
		.encrypted = prandom_u32_state(rnd) & 1,
	};

	return nvfifo_pte_encode(&pte);
}

/* --- nouveau ------------------------------------------------------------- */

static void expect_as_nouveau(struct pt_watch *w, u32 index, u64 want)
{
	u32 pages = nvfifo_test_block(want), first = index & ~(pages - 1);
	u64 have = entry(w, index);

	if (!same_high(w, first, first + pages - 1)) {
		want = nvfifo_test_page(want, w->shift, index);
		have = nvfifo_test_page(have, w->shift, index);
	}

	KUNIT_ASSERT_EQ_MSG(w->test, have, want, "entry %#x", index);
}

/*
 * nouveau's runs, entry by entry, and nothing beside them. nouveau makes blocks of compressed pages
 * and across multiples of 4 GiB as well; there the pages must be equal.
 */
static void pt_oracle(struct kunit *test)
{
	struct pt_watch *small = watch(test, NVFIFO_PT_4K, 0);
	struct pt_watch *large = watch(test, NVFIFO_PT_64K, 0);
	u32 i, n, k, at;

	for (i = 0; i < ARRAY_SIZE(pte_runs); i++) {
		const struct pte_run *r = &pte_runs[i];
		struct pt_watch *w = r->shift == 12 ? small : large;

		KUNIT_ASSERT_EQ_MSG(test, r->next, nvfifo_pte_step(r->shift, r->type), "run %u", i);
		KUNIT_ASSERT_LE(test, r->index + r->count, w->pt.count);
		map(w, r->index, r->count, r->type + r->address);
		for (n = 0, at = r->index; n < ARRAY_SIZE(r->out) && r->out[n].times; n++)
			for (k = 0; k < r->out[n].times; k++, at++)
				expect_as_nouveau(w, at, r->out[n].pte);
		KUNIT_ASSERT_EQ(test, at, r->index + r->count);
		unmap(w, r->index, r->count);
	}

	expect_table(small);
	expect_table(large);
}

/* --- Random changes ------------------------------------------------------ */

#define ANY	0xff

/* Address, compression and tag. */
#define PTE_PLACE	0x1fff80fffffff000ULL

struct pt_param {
	const char *name;
	u8 type;
	u8 size;
	u8 target;
	u8 comp;
	u32 steps;
};

static const struct pt_param pt_params[] = {
	{ "4 KiB, VRAM", NVFIFO_PT_4K, 3, NVFIFO_TARGET_VRAM, 0, 1000 },
	{ "4 KiB, SYSRAM_SNOOP", NVFIFO_PT_4K, 2, NVFIFO_TARGET_SYS_SNOOP, 0, 1000 },
	{ "4 KiB, SYSRAM_NOSNOOP", NVFIFO_PT_4K, 1, NVFIFO_TARGET_SYS_NOSNOOP, 0, 1000 },
	{ "4 KiB, any", NVFIFO_PT_4K, 0, ANY, 0, 1000 },
	{ "16 KiB, VRAM", NVFIFO_PT_16K, 0, NVFIFO_TARGET_VRAM, 0, 1000 },
	{ "16 KiB, SYSRAM_SNOOP", NVFIFO_PT_16K, 0, NVFIFO_TARGET_SYS_SNOOP, 0, 1000 },
	{ "16 KiB, SYSRAM_NOSNOOP", NVFIFO_PT_16K, 0, NVFIFO_TARGET_SYS_NOSNOOP, 0, 1000 },
	{ "64 KiB, VRAM", NVFIFO_PT_64K, 0, NVFIFO_TARGET_VRAM, 0, 1000 },
	{ "64 KiB, SYSRAM_SNOOP", NVFIFO_PT_64K, 0, NVFIFO_TARGET_SYS_SNOOP, 0, 1000 },
	{ "64 KiB, SYSRAM_NOSNOOP", NVFIFO_PT_64K, 0, NVFIFO_TARGET_SYS_NOSNOOP, 0, 1000 },
	{ "64 KiB, single compression", NVFIFO_PT_64K, 0, NVFIFO_TARGET_VRAM, 1, 1000 },
	{ "64 KiB, double compression", NVFIFO_PT_64K, 0, NVFIFO_TARGET_VRAM, 2, 1000 },
	{ "64 KiB, any", NVFIFO_PT_64K, 0, ANY, ANY, 1000 },
};

static void pt_param_desc(const struct pt_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pt, pt_params, pt_param_desc);

static u64 param_pte(const struct pt_watch *w, const struct pt_param *p, struct rnd_state *rnd,
		     u32 count)
{
	static const u8 targets[] = {
		NVFIFO_TARGET_VRAM, NVFIFO_TARGET_SYS_SNOOP, NVFIFO_TARGET_SYS_NOSNOOP,
	};
	u8 target = p->target, comp = p->comp;

	if (target == ANY)
		target = targets[nvfifo_test_below(rnd, ARRAY_SIZE(targets))];

	if (comp == ANY)
		comp = target == NVFIFO_TARGET_VRAM ? nvfifo_test_below(rnd, 3) : 0;

	return random_pte(w, rnd, target, comp, count);
}

/* Two tag cells for each page of such a range fit into the 4096 that a PTE can name. */
#define RANGE_MAX	2000

/* Some range: short or long, often with its ends at the borders of blocks. */
static void random_range(const struct pt_watch *w, struct rnd_state *rnd, u32 *index, u32 *count)
{
	u32 most = nvfifo_test_below(rnd, 8) ? 300 : RANGE_MAX, mask = 0;
	u32 first = nvfifo_test_below(rnd, w->pt.count), end;

	/* Half of them near the start: there changes meet. */
	if (prandom_u32_state(rnd) % 2)
		first %= 2048;

	if (prandom_u32_state(rnd) % 2)
		mask = (1u << nvfifo_test_below(rnd, 8)) - 1;

	end = first + 1 + nvfifo_test_below(rnd, most);
	first &= ~mask;
	end = min((end + mask) & ~mask, w->pt.count);
	*index = first;
	*count = min(end - first, (u32)RANGE_MAX);
}

/* Does @b follow @a in one mapping? */
static bool follows(const struct pt_watch *w, u64 a, u64 b)
{
	return (a & WALK_PRESENT) && b == a + nvfifo_test_step(a, w->shift);
}

/* Compressed memory has no blocks to cut. */
static void expect_cuts(struct kunit *test, const struct pt_param *p, u32 cuts)
{
	if (!p->comp || p->comp == ANY)
		KUNIT_EXPECT_GT(test, cuts, 100);
	else
		KUNIT_EXPECT_EQ(test, cuts, 0);
}

/* Maps anywhere, unmaps with any cut, and changes of protection, also in blocks. */
static void pt_random(struct kunit *test)
{
	const struct pt_param *p = test->param_value;
	struct pt_watch *w = watch(test, p->type, p->size);
	const u32 steps = p->steps * nvfifo_test_random_factor;
	u32 i, index, count, n, maps = 0, replaced = 0, unmaps = 0, protects = 0, cuts = 0;
	struct rnd_state rnd;

	nvfifo_test_seed(&rnd);

	for (i = 0; i < steps; i++) {
		random_range(w, &rnd, &index, &count);

		/* Does it cut a block in two? */
		n = nvfifo_test_block(entry(w, index));
		cuts += index % n != 0;

		switch (nvfifo_test_below(&rnd, 8)) {
		case 0:
			map_pages(w, index, count, param_pte(w, p, &rnd, count) & ~PTE_PLACE, &rnd);
			break;
		case 1 ... 3:
			maps++;
			replaced += w->old[index] != 0;
			map(w, index, count, param_pte(w, p, &rnd, count));
			break;
		case 4 ... 5:
			unmaps += w->old[index] != 0;
			unmap(w, index, count);
			break;
		default:
			/*
			 * Map the same pages again extent by extent, with the read-only bit
			 * inverted.
			 */
			while (count) {
				for (n = 1; n < count && follows(w, w->old[index + n - 1],
								 w->old[index + n]); n++)
					;
				if (w->old[index]) {
					map(w, index, n, w->old[index] ^ 1 << 3);
					protects++;
				}
				index += n;
				count -= n;
			}
			break;
		}

		if (i % 100 == 99)
			expect_table(w);
	}

	expect_table(w);
	KUNIT_EXPECT_GT(test, maps, 100);
	KUNIT_EXPECT_GT(test, replaced, 50);
	KUNIT_EXPECT_GT(test, unmaps, 50);
	KUNIT_EXPECT_GT(test, protects, 100);
	expect_cuts(test, p, cuts);
}

/* The last entries of a table, a mapping that is the whole table, and nothing to do. */
static void pt_edges(struct kunit *test)
{
	struct pt_watch *w = watch(test, NVFIFO_PT_4K, 3);
	u32 count = w->pt.count;

	map(w, count - 1, 1, 0xfffffff021);
	unmap(w, count - 1, 1);
	will_map(w, 0, count, 0x1021);
	nvfifo_pt_write(&w->pt, 0, count, 0x1021, NULL);
	KUNIT_EXPECT_EQ(test, w->stores, count);
	call_ends(w, 0, count);
	KUNIT_EXPECT_EQ(test, nvfifo_test_block(entry(w, 0)), 128);

	nvfifo_pt_write(&w->pt, 0, 0, 0, NULL);
	nvfifo_pt_write(&w->pt, count, 0, 0, NULL);
	nvfifo_pt_write(&w->pt, 128, 0, 0x2021, NULL);
	KUNIT_EXPECT_EQ(test, w->stores, 0);
	expect_table(w);
	unmap(w, 0, count);
	expect_table(w);
}

/* Each cut through a block: one side goes or is replaced, the other stays. */
static void pt_cuts(struct kunit *test)
{
	/* 64 KiB, double compression, first tag 0x100 */
	const u64 pte = 0x1ULL << 48 | 0x100ULL << 49 | 0x123450000 | 1;
	struct pt_watch *w = watch(test, NVFIFO_PT_64K, 0);
	u32 pages, a, b;

	for (pages = 2; pages <= 128; pages *= 2) {
		for (a = 0; a < pages; a++) {
			for (b = a + 1; b <= pages; b += 1 + b / 8) {
				u32 at = 512 + a;

				map(w, 512, pages, pte);
				unmap(w, at, b - a);
				map(w, 512, pages, pte);
				map(w, at, b - a, pte + 0x555000000);
			}
		}
	}

	expect_table(w);
}

/* A cut in memory that crosses a multiple of 4 GiB: low words only, so no neighbour has a gap. */
static void pt_high(struct kunit *test)
{
	struct pt_watch *w = watch(test, NVFIFO_PT_4K, 3);
	u32 i;

	map(w, 0x80, 0x80, 0x2fffd8021);
	KUNIT_EXPECT_EQ(test, nvfifo_test_block(entry(w, 0x80)), 32);
	KUNIT_EXPECT_EQ(test, nvfifo_test_block(entry(w, 0xa7)), 8);
	KUNIT_EXPECT_EQ(test, nvfifo_test_block(entry(w, 0xa8)), 8);
	KUNIT_EXPECT_EQ(test, nvfifo_test_block(entry(w, 0xc0)), 64);

	for (i = 0x80; i < 0x100; i += 3)
		unmap(w, i, 1);

	expect_table(w);
}

/* --- Copies -------------------------------------------------------------- */

/* Fill a table with random mappings, up to @end. */
static void fill(struct pt_watch *w, u32 end, struct rnd_state *rnd)
{
	static const struct pt_param any = { .target = ANY };
	u32 at, count;

	for (at = 0; at < end; at += count) {
		at += nvfifo_test_below(rnd, 40);
		count = 1 + nvfifo_test_below(rnd, 400);
		if (at + count > end)
			break;
		map(w, at, count, param_pte(w, &any, rnd, count));
	}
}

/* All of @from, in the pages of @to; @from does not change. */
static void copy(struct pt_watch *to, struct pt_watch *from)
{
	u32 ratio = 1u << (from->shift - to->shift), i, k;

	for (i = 0; i < from->pt.count; i++)
		for (k = 0; k < ratio && from->new[i]; k++)
			to->new[i * ratio + k] = from->new[i] + ((u64)k << to->shift);

	nvfifo_pt_copy(&to->pt, &from->pt);
	call_ends(to, 0, to->pt.count);
	KUNIT_EXPECT_EQ(from->test, from->stores, 0);
	expect_table(from);
}

/* A table of small pages gets longer: the same blocks. */
static void pt_grow(struct kunit *test)
{
	struct pt_watch *from = watch(test, NVFIFO_PT_4K, 3), *to;
	struct rnd_state rnd;
	int size;
	u32 i;

	nvfifo_test_seed(&rnd);
	fill(from, from->pt.count, &rnd);

	for (size = 3; size >= 0; size--) {
		to = watch(test, NVFIFO_PT_4K, size);
		copy(to, from);
		for (i = 0; i < from->pt.count; i++)
			KUNIT_ASSERT_EQ(test, entry(to, i), entry(from, i));
		from = to;
	}
}

/* Pages become smaller: each address leads where it led before. */
static void pt_finer(struct kunit *test)
{
	static const struct {
		u8 from;
		u8 to;
	} rows[] = {
		{ NVFIFO_PT_64K, NVFIFO_PT_16K }, { NVFIFO_PT_64K, NVFIFO_PT_4K },
		{ NVFIFO_PT_16K, NVFIFO_PT_4K }, { NVFIFO_PT_64K, NVFIFO_PT_64K },
		{ NVFIFO_PT_16K, NVFIFO_PT_16K },
	};
	struct rnd_state rnd;
	u32 i;

	nvfifo_test_seed(&rnd);

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pt_watch *from = watch(test, rows[i].from, 0);
		struct pt_watch *to = watch(test, rows[i].to, 0);

		fill(from, from->pt.count, &rnd);
		copy(to, from);

		/* And it can be changed at any place. */
		unmap(to, 129, 3333);
		map(to, 1001, 777, 0x2000000021);
	}
}

/* Compression goes along between tables of the same pages. */
static void pt_copy_compressed(struct kunit *test)
{
	struct pt_watch *from = watch(test, NVFIFO_PT_64K, 0);
	struct pt_watch *to = watch(test, NVFIFO_PT_64K, 0);

	map(from, 3, 1000, 0x2ULL << 47 | 0x123ULL << 49 | 0x7000000000 | 1);
	copy(to, from);
}

/* A short table is enough if nothing is mapped after it. */
static void pt_finer_short(struct kunit *test)
{
	struct pt_watch *from = watch(test, NVFIFO_PT_64K, 0);
	struct pt_watch *to = watch(test, NVFIFO_PT_4K, 3);

	map(from, 0x100, 0x100, 0x700040000001);
	copy(to, from);
}

/* --- The checker --------------------------------------------------------- */

static void put_half(struct pt_watch *w, u32 index, u64 pte, bool high)
{
	watch_store(&w->pt, 2 * index + high, high ? pte >> 32 : pte);
	w->pt.entries[index] = entry(w, index);
}

/* Both words at once, as no driver can. */
static void put(struct pt_watch *w, u32 index, u64 pte)
{
	w->words[2 * index] = pte;
	w->words[2 * index + 1] = pte >> 32;
	w->pt.entries[index] = pte;
	look(w, index);
}

/* BASE has something in both halves: address bits 39 to 32 and the storage type. */
#define BASE		0x707240000001ULL
#define ORDER(n)	((u64)(n) << 7)
#define PAGES(n)	((u64)(n) << 12)

/* In the beginning pages 0 to 7 are a block at BASE. Here 2 and 3 go. */
static void good_unmap(struct pt_watch *w)
{
	will_unmap(w, 2, 2);
	nvfifo_pt_write(&w->pt, 2, 2, 0, NULL);
}

static void clear_first(struct pt_watch *w)
{
	u32 i;

	will_unmap(w, 2, 2);

	for (i = 0; i < 8; i++)
		put(w, i, 0);

	for (i = 0; i < 2; i++)
		put(w, i, BASE | ORDER(1));

	for (i = 4; i < 8; i++)
		put(w, i, (BASE + PAGES(4)) | ORDER(2));
}

static void shrink_then_move(struct pt_watch *w)
{
	u32 i;

	will_unmap(w, 2, 2);

	for (i = 4; i < 8; i++)
		put(w, i, BASE | ORDER(2));

	for (i = 4; i < 8; i++)
		put(w, i, (BASE + PAGES(4)) | ORDER(2));

	nvfifo_pt_write(&w->pt, 2, 2, 0, NULL);
}

static void forget_split(struct pt_watch *w)
{
	will_unmap(w, 2, 2);
	put(w, 2, 0);
	put(w, 3, 0);
}

static void other_page(struct pt_watch *w)
{
	good_unmap(w);
	put(w, 8, 0x77777001);
	put(w, 8, 0);
}

/* Pages 2 and 3 are mapped again, as a block. */
static void good_map(struct pt_watch *w)
{
	unmap(w, 2, 2);
	will_map(w, 2, 2, BASE + PAGES(0x5000));
	nvfifo_pt_write(&w->pt, 2, 2, BASE + PAGES(0x5000), NULL);
}

static void too_large(struct pt_watch *w)
{
	good_map(w);
	put(w, 2, BASE | ORDER(2));
	put(w, 2, (BASE + PAGES(0x5000)) | ORDER(1));
}

static void wrong_tail(struct pt_watch *w)
{
	good_map(w);
	put(w, 3, (BASE + PAGES(0x5001)) | ORDER(1));
}

static void unequal_block(struct pt_watch *w)
{
	good_map(w);
	put(w, 3, BASE + PAGES(0x5001));
}

/* A PTE in two stores is fine in one order only. Page 8 comes, or 2 goes. */
static void map_high_low(struct pt_watch *w)
{
	will_map(w, 8, 1, BASE);
	put_half(w, 8, BASE, true);
	put_half(w, 8, BASE, false);
}

static void map_low_high(struct pt_watch *w)
{
	will_map(w, 8, 1, BASE);
	put_half(w, 8, BASE, false);
	put_half(w, 8, BASE, true);
}

static void unmap_low_high(struct pt_watch *w)
{
	unmap(w, 3, 1);
	will_unmap(w, 2, 1);
	put_half(w, 2, 0, false);
	put_half(w, 2, 0, true);
}

static void unmap_high_low(struct pt_watch *w)
{
	unmap(w, 3, 1);
	will_unmap(w, 2, 1);
	put_half(w, 2, 0, true);
	put_half(w, 2, 0, false);
}

/* Page 2 is replaced by one with another high word. Only it may be absent. */
#define OTHER		0x708340000001ULL

static void replace_gap(struct pt_watch *w)
{
	unmap(w, 3, 1);
	will_map(w, 2, 1, OTHER);
	put_half(w, 2, 0, false);
	put_half(w, 2, OTHER, true);
	put_half(w, 2, OTHER, false);
}

static void replace_high_low(struct pt_watch *w)
{
	unmap(w, 3, 1);
	will_map(w, 2, 1, OTHER);
	put_half(w, 2, OTHER, true);
	put_half(w, 2, OTHER, false);
}

static void neighbour_gap(struct pt_watch *w)
{
	unmap(w, 3, 1);
	put_half(w, 4, 0, false);
	put(w, 4, w->old[4] | ORDER(2));
}

/* The final contents, with every page that each entry covers. */
static bool end_ok(const struct pt_watch *w)
{
	u32 i, k;

	for (i = 0; i < 256; i++) {
		u64 pte = entry(w, i);
		u32 pages = nvfifo_test_block(pte), first = i & ~(pages - 1);

		for (k = first; k < first + pages; k++)
			if (nvfifo_test_page(pte, w->shift, k) != w->new[k] || entry(w, k) != pte)
				return false;
	}

	return true;
}

/*
 * Ways to do it right and wrong, and the check that notices. A mistake in the order or the values
 * of stores shows while they happen, a wrong result at the end.
 */
static void pt_checker(struct kunit *test)
{
	static const struct {
		const char *name;
		void (*run)(struct pt_watch *w);
		bool stores_ok;
		bool end_ok;
	} ways[] = {
		{ "unmap of the driver", good_unmap, true, true },
		{ "map of the driver", good_map, true, true },
		{ "clears the block first", clear_first, false, true },
		{ "makes the block smaller, then moves it", shrink_then_move, false, true },
		{ "another page for a moment", other_page, false, true },
		{ "too large a block for a moment", too_large, false, true },
		{ "does not split", forget_split, true, false },
		{ "a block whose second entry has its own address", wrong_tail, false, false },
		{ "a block with unequal entries", unequal_block, true, false },
		{ "maps high, then low", map_high_low, true, true },
		{ "maps low, then high", map_low_high, false, true },
		{ "unmaps low, then high", unmap_low_high, true, true },
		{ "unmaps high, then low", unmap_high_low, false, true },
		{ "replaces with the page absent", replace_gap, true, true },
		{ "replaces high, then low", replace_high_low, false, true },
		{ "a neighbour absent for a moment", neighbour_gap, false, true },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		struct pt_watch *w = watch(test, NVFIFO_PT_4K, 3);

		map(w, 0, 8, BASE);
		ways[i].run(w);
		KUNIT_EXPECT_EQ_MSG(test, !w->wrong, ways[i].stores_ok, "%s", ways[i].name);
		KUNIT_EXPECT_EQ_MSG(test, end_ok(w), ways[i].end_ok, "%s", ways[i].name);
	}
}

static struct kunit_case pt_cases[] = {
	KUNIT_CASE(pt_oracle),
	KUNIT_CASE_PARAM(pt_random, pt_gen_params),
	KUNIT_CASE(pt_edges),
	KUNIT_CASE(pt_cuts),
	KUNIT_CASE(pt_high),
	KUNIT_CASE(pt_grow),
	KUNIT_CASE(pt_finer),
	KUNIT_CASE(pt_finer_short),
	KUNIT_CASE(pt_copy_compressed),
	KUNIT_CASE(pt_checker),
	{}
};

static struct kunit_suite pt_suite = {
	.name = "nvfifo_pt",
	.test_cases = pt_cases,
};

kunit_test_suites(&pt_suite);
