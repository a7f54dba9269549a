// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables: what the driver writes, walked as the card walks them.
 *
 * The reference is a plain list of what each page should be. After every call the
 * whole table must say the same.
 */
#include "fake.h"

#include "data/pte_runs.h"

struct page_ref {
	u64 addr;	/* of this page */
	struct nvfifo_page_attr attr;
	bool present;
};

static struct nvfifo_pt *table(struct kunit *test, u8 type, u8 size)
{
	struct nvfifo_pt *pt = kunit_kzalloc(test, sizeof(*pt), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pt);
	pt->type = type;
	pt->size = size;
	pt->count = nvfifo_pt_entries(type, size);
	pt->entries = kunit_kcalloc(test, pt->count, sizeof(*pt->entries), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pt->entries);
	return pt;
}

static struct page_ref *reference(struct kunit *test, u32 pages)
{
	struct page_ref *ref = kunit_kcalloc(test, pages, sizeof(*ref), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ref);
	return ref;
}

static struct nvfifo_pte entry(const struct nvfifo_pt *pt, u32 index)
{
	return nvfifo_pte_decode(le64_to_cpu(pt->entries[index]));
}

/* One page as the card sees it: the block's address and the offset in the block. */
static void expect_page(struct kunit *test, const struct nvfifo_pt *pt, u32 index,
			const struct page_ref *ref)
{
	struct nvfifo_pte pte = entry(pt, index);
	u32 shift = nvfifo_pt_page_shift(pt->type);
	u32 first = index & ~((1u << pte.contig) - 1), i;
	u64 va = (u64)index << shift;

	if (!ref->present) {
		KUNIT_ASSERT_EQ_MSG(test, le64_to_cpu(pt->entries[index]), 0, "index %#x", index);
		return;
	}
	KUNIT_ASSERT_TRUE_MSG(test, pte.present, "index %#x", index);
	KUNIT_ASSERT_EQ_MSG(test, pte.address + (va & ((1ULL << (shift + pte.contig)) - 1)),
			    ref->addr, "index %#x, block of %u", index, 1u << pte.contig);
	KUNIT_ASSERT_EQ(test, pte.target, ref->attr.target);
	KUNIT_ASSERT_EQ(test, pte.kind, ref->attr.kind);
	KUNIT_ASSERT_EQ(test, pte.read_only, ref->attr.read_only);
	KUNIT_ASSERT_FALSE(test, pte.supervisor || pte.encrypted || pte.long_cycle || pte.comp ||
			   pte.tag);
	/* One TLB entry serves the block, so all of it has to be the same. */
	if (index == first)
		for (i = 1; i < 1u << pte.contig; i++)
			KUNIT_ASSERT_EQ_MSG(test, le64_to_cpu(pt->entries[first + i]),
					    le64_to_cpu(pt->entries[first]),
					    "index %#x, page %u of its block", index, i);
}

static void expect_table(struct kunit *test, const struct nvfifo_pt *pt,
			 const struct page_ref *ref)
{
	u32 i;

	for (i = 0; i < pt->count; i++)
		expect_page(test, pt, i, &ref[i]);
}

static void map(struct kunit *test, struct nvfifo_pt *pt, struct page_ref *ref, u32 index,
		u32 count, u64 addr, const struct nvfifo_page_attr *attr)
{
	u32 i;

	nvfifo_pt_map(pt, index, count, addr, attr);
	for (i = 0; i < count; i++) {
		ref[index + i].addr = addr + ((u64)i << nvfifo_pt_page_shift(pt->type));
		ref[index + i].attr = *attr;
		ref[index + i].present = true;
	}
}

static void unmap(struct nvfifo_pt *pt, struct page_ref *ref, u32 index, u32 count)
{
	nvfifo_pt_unmap(pt, index, count);
	memset(&ref[index], 0, count * sizeof(*ref));
}

/* Does a block end before this entry? */
static bool is_border(const struct nvfifo_pt *pt, u32 index)
{
	struct nvfifo_pte pte;

	if (index >= pt->count)
		return true;
	pte = entry(pt, index);
	return !pte.present || index % (1u << pte.contig) == 0;
}

static struct nvfifo_page_attr random_attr(struct rnd_state *rnd)
{
	static const u8 targets[] = {
		NVFIFO_TARGET_VRAM, NVFIFO_TARGET_SYS_SNOOP, NVFIFO_TARGET_SYS_NOSNOOP,
	};
	static const u8 kinds[] = { 0x00, 0x00, 0x10, 0x2e, 0x70, 0x7a };
	struct nvfifo_page_attr attr = {
		.target = targets[nvfifo_test_below(rnd, ARRAY_SIZE(targets))],
		.kind = kinds[nvfifo_test_below(rnd, ARRAY_SIZE(kinds))],
		.read_only = prandom_u32_state(rnd) & 1,
	};

	return attr;
}

/* nouveau's runs, entry by entry, and nothing beside them. */
static void pt_oracle(struct kunit *test)
{
	struct nvfifo_pt *small = table(test, NVFIFO_PT_4K, 0);
	struct nvfifo_pt *large = table(test, NVFIFO_PT_64K, 0);
	u32 done = 0, i, n, k, at;

	for (i = 0; i < ARRAY_SIZE(pte_runs); i++) {
		const struct pte_run *r = &pte_runs[i];
		struct nvfifo_pte common = nvfifo_pte_decode(r->type);
		struct nvfifo_pt *pt = r->shift == 12 ? small : large;
		struct nvfifo_page_attr attr = {
			.target = common.target,
			.kind = common.kind,
			.read_only = common.read_only,
		};

		/* The driver uses neither. */
		if (common.comp || common.supervisor)
			continue;
		KUNIT_ASSERT_LE(test, r->index + r->count, pt->count);
		nvfifo_pt_map(pt, r->index, r->count, r->address, &attr);
		for (n = 0, at = r->index; r->out[n].times; n++)
			for (k = 0; k < r->out[n].times; k++, at++)
				KUNIT_ASSERT_EQ_MSG(test, le64_to_cpu(pt->entries[at]),
						    r->out[n].pte, "run %u index %#x", i, at);
		KUNIT_ASSERT_EQ(test, at, r->index + r->count);
		nvfifo_pt_unmap(pt, r->index, r->count);
		for (at = 0; at < pt->count; at++)
			KUNIT_ASSERT_EQ_MSG(test, le64_to_cpu(pt->entries[at]), 0,
					    "run %u left %#x", i, at);
		done++;
	}
	KUNIT_EXPECT_GT(test, done, 50);
}

static void pt_random(struct kunit *test, u8 type, u8 size)
{
	struct nvfifo_pt *pt = table(test, type, size);
	struct page_ref *ref = reference(test, pt->count);
	u32 shift = nvfifo_pt_page_shift(type);
	u32 i, a, b, maps = 0, cuts = 0, end;
	struct rnd_state rnd;

	nvfifo_test_seed(&rnd);
	for (i = 0; i < 300; i++) {
		struct nvfifo_page_attr attr = random_attr(&rnd);

		a = nvfifo_test_below(&rnd, pt->count);
		if (prandom_u32_state(&rnd) % 2)
			a &= ~0x7fu;
		b = a + 1 + nvfifo_test_below(&rnd, prandom_u32_state(&rnd) % 8 ? 300 : 3000);
		b = min(b, pt->count);

		if (!ref[a].present) {
			/* As far as it is free. */
			for (end = a; end < b && !ref[end].present; end++)
				;
			map(test, pt, ref, a, end - a,
			    (nvfifo_test_rnd64(&rnd) & 0x7fffffffff) >> shift << shift, &attr);
			maps++;
		} else {
			/* Any part of one or more mappings, between borders of blocks. */
			while (!is_border(pt, a))
				a--;
			while (!is_border(pt, b))
				b++;
			unmap(pt, ref, a, b - a);
			cuts += (a && ref[a - 1].present) || (b < pt->count && ref[b].present);
		}
		expect_table(test, pt, ref);
	}
	KUNIT_EXPECT_GT(test, maps, 50);
	KUNIT_EXPECT_GT(test, cuts, 20);
}

static void pt_random_4k(struct kunit *test)
{
	pt_random(test, NVFIFO_PT_4K, 3);
}

static void pt_random_64k(struct kunit *test)
{
	pt_random(test, NVFIFO_PT_64K, 0);
}

/* The last entries of a table, and a mapping that is the whole table. */
static void pt_edges(struct kunit *test)
{
	static const struct nvfifo_page_attr attr = { .target = NVFIFO_TARGET_SYS_SNOOP };
	struct nvfifo_pt *pt = table(test, NVFIFO_PT_4K, 3);
	struct page_ref *ref = reference(test, pt->count);

	map(test, pt, ref, pt->count - 1, 1, 0xfffffff000, &attr);
	expect_table(test, pt, ref);
	unmap(pt, ref, pt->count - 1, 1);
	map(test, pt, ref, 0, pt->count, 0x1000, &attr);
	expect_table(test, pt, ref);
	KUNIT_EXPECT_EQ(test, entry(pt, 0).contig, 7);
	/* Nothing to do is nothing done. */
	nvfifo_pt_unmap(pt, 0, 0);
	nvfifo_pt_map(pt, 5, 0, 0x2000, &attr);
	expect_table(test, pt, ref);
	unmap(pt, ref, 0, pt->count);
	expect_table(test, pt, ref);
}

/* Fill a table with random mappings; note where each begins and ends. */
static void fill(struct kunit *test, struct nvfifo_pt *pt, struct page_ref *ref, u8 *border,
		 struct rnd_state *rnd)
{
	u32 shift = nvfifo_pt_page_shift(pt->type);
	u32 at = 0, count;

	while (at < pt->count) {
		struct nvfifo_page_attr attr = random_attr(rnd);

		at += nvfifo_test_below(rnd, 40);
		count = 1 + nvfifo_test_below(rnd, 400);
		if (at + count > pt->count)
			break;
		map(test, pt, ref, at, count,
		    (nvfifo_test_rnd64(rnd) & 0x7fffffffff) >> shift << shift, &attr);
		border[at] = 1;
		at += count;
		border[at] = 1;
	}
	pt->bytes = 0x123456000;
}

static void pt_grow(struct kunit *test)
{
	static const u8 sizes[] = { 3, 2, 1, 0 };
	struct nvfifo_pt *from = table(test, NVFIFO_PT_4K, 3), *to;
	struct page_ref *ref = reference(test, 0x20000);
	u8 *border = kunit_kzalloc(test, 0x20001, GFP_KERNEL);
	struct rnd_state rnd;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, border);
	nvfifo_test_seed(&rnd);
	fill(test, from, ref, border, &rnd);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		to = table(test, NVFIFO_PT_4K, sizes[i]);
		nvfifo_pt_copy(to, from);
		expect_table(test, to, ref);
		KUNIT_EXPECT_EQ(test, to->bytes, from->bytes);
		KUNIT_EXPECT_EQ(test, to->type, NVFIFO_PT_4K);
		from = to;
	}
}

/*
 * A region of large pages turns into one of small pages: each address leads where it
 * led before, and a mapping can still be taken out whole.
 */
static void pt_split(struct kunit *test)
{
	struct nvfifo_pt *from = table(test, NVFIFO_PT_64K, 0);
	struct nvfifo_pt *to = table(test, NVFIFO_PT_4K, 0);
	struct page_ref *large = reference(test, from->count);
	struct page_ref *small = reference(test, to->count);
	u8 *border = kunit_kzalloc(test, from->count + 1, GFP_KERNEL);
	struct rnd_state rnd;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, border);
	nvfifo_test_seed(&rnd);
	fill(test, from, large, border, &rnd);
	for (i = 0; i < to->count; i++) {
		small[i] = large[i / 16];
		if (small[i].present)
			small[i].addr += (i % 16) * SZ_4K;
	}
	nvfifo_pt_copy(to, from);
	expect_table(test, to, small);
	KUNIT_EXPECT_EQ(test, to->bytes, from->bytes);
	expect_table(test, from, large);
	for (i = 0; i <= from->count; i++)
		if (border[i])
			KUNIT_EXPECT_TRUE_MSG(test, is_border(to, i * 16), "large page %#x", i);
}

/* A short table is enough if nothing is mapped behind it. */
static void pt_split_short(struct kunit *test)
{
	static const struct nvfifo_page_attr attr = { .target = NVFIFO_TARGET_VRAM, .kind = 0x70 };
	struct nvfifo_pt *from = table(test, NVFIFO_PT_64K, 0);
	struct nvfifo_pt *to = table(test, NVFIFO_PT_4K, 3);
	struct page_ref *ref = reference(test, to->count);
	u32 i;

	nvfifo_pt_map(from, 0x100, 0x100, 0x40000000, &attr);
	for (i = 0x1000; i < 0x2000; i++) {
		ref[i].present = true;
		ref[i].addr = 0x40000000 + (i - 0x1000) * SZ_4K;
		ref[i].attr = attr;
	}
	nvfifo_pt_copy(to, from);
	expect_table(test, to, ref);
}

static struct kunit_case pt_cases[] = {
	KUNIT_CASE(pt_oracle),
	KUNIT_CASE(pt_random_4k),
	KUNIT_CASE(pt_random_64k),
	KUNIT_CASE(pt_edges),
	KUNIT_CASE(pt_grow),
	KUNIT_CASE(pt_split),
	KUNIT_CASE(pt_split_short),
	{}
};

static struct kunit_suite pt_suite = {
	.name = "nvfifo_pt",
	.test_cases = pt_cases,
};

kunit_test_suites(&pt_suite);
