// SPDX-License-Identifier: GPL-2.0-only
/*
 * PTEs, PDEs and storage types: the layouts of nvfifo_fmt.h.
 */
#include "nvfifo_test.h"

#include "data/pte_runs.h"

/* Bits that are fields; the rest is 0 or unknown. */
#define PTE_FIELDS	0x7ffffffffffff3f9ULL
#define PDE_FIELDS	0x000000fffffff06fULL

static void expect_same_pte(struct kunit *test, const struct nvfifo_pte *a,
			    const struct nvfifo_pte *b)
{
	KUNIT_EXPECT_EQ(test, a->address, b->address);
	KUNIT_EXPECT_EQ(test, a->target, b->target);
	KUNIT_EXPECT_EQ(test, a->contig, b->contig);
	KUNIT_EXPECT_EQ(test, a->kind, b->kind);
	KUNIT_EXPECT_EQ(test, a->comp, b->comp);
	KUNIT_EXPECT_EQ(test, a->tag, b->tag);
	KUNIT_EXPECT_EQ(test, a->present, b->present);
	KUNIT_EXPECT_EQ(test, a->read_only, b->read_only);
	KUNIT_EXPECT_EQ(test, a->supervisor, b->supervisor);
	KUNIT_EXPECT_EQ(test, a->long_cycle, b->long_cycle);
	KUNIT_EXPECT_EQ(test, a->encrypted, b->encrypted);
}

/* Each field alone is where the hardware has it. */
static void pte_fields(struct kunit *test)
{
	static const struct {
		struct nvfifo_pte pte;
		u64 word;
	} rows[] = {
		{ { .present = true }, 0x1 },
		{ { .read_only = true }, 0x8 },
		{ { .target = NVFIFO_TARGET_INVALID }, 0x10 },
		{ { .target = NVFIFO_TARGET_SYS_SNOOP }, 0x20 },
		{ { .target = NVFIFO_TARGET_SYS_NOSNOOP }, 0x30 },
		{ { .supervisor = true }, 0x40 },
		{ { .contig = 1 }, 0x80 },
		{ { .contig = 7 }, 0x380 },
		{ { .address = 0x1000 }, 0x1000 },
		{ { .address = 0xfffffff000 }, 0xfffffff000 },
		{ { .kind = 0x01 }, 0x0000010000000000 },
		{ { .kind = 0x7f }, 0x00007f0000000000 },
		{ { .comp = 1 }, 0x0000800000000000 },
		{ { .comp = 2 }, 0x0001000000000000 },
		{ { .tag = 0x001 }, 0x0002000000000000 },
		{ { .tag = 0xfff }, 0x1ffe000000000000 },
		{ { .long_cycle = true }, 0x2000000000000000 },
		{ { .encrypted = true }, 0x4000000000000000 },
		/* VA 0x100000 of a real GT218's first channel */
		{ { .present = true, .address = 0x100000 }, 0x100001 },
	};
	struct nvfifo_pte pte;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pte_encode(&rows[i].pte), rows[i].word,
				    "row %d", i);
		pte = nvfifo_pte_decode(rows[i].word);
		expect_same_pte(test, &pte, &rows[i].pte);
	}

	/* A field that is too wide must not reach its neighbours. */
	pte = (struct nvfifo_pte){ .kind = 0xff, .comp = 0xff, .tag = 0xffff, .contig = 0xff,
				   .target = 0xff, .address = ~0ULL };
	KUNIT_EXPECT_EQ(test, nvfifo_pte_encode(&pte), 0x1ffffffffffff3b0ULL);
}

struct pte_type_row {
	u8 target;	/* enum nvfifo_target of the memory; VRAM on an IGP too */
	u32 stolen;	/* base of stolen memory on an IGP, else 0 */
	u8 shift;	/* log2 of the page size */
	u8 kind;
	u8 comp;
	u8 ro;
	u8 priv;
	u16 tag_base;	/* first tag cell of the buffer */
	u32 offset;	/* of the mapping in the buffer */
	u8 ok;
	u64 pte;	/* the common part, page address 0 */
	u64 next;	/* added for each following page */
};

static const struct pte_type_row pte_type_rows[] = {
#include "data/pte_type.inc"
};

/*
 * nouveau refuses storage types that do not exist, and compression of anything but VRAM in pages of
 * 64 KiB. The rows leave out IGPs, whose VRAM is system memory.
 */
static bool type_ok(const struct pte_type_row *r)
{
	if (nvfifo_kind_class(r->kind) == NVFIFO_KIND_INVALID)
		return false;
	return !r->comp || (r->target == NVFIFO_TARGET_VRAM && !r->stolen && r->shift == 16);
}

/*
 * A mapping may start inside of a buffer. nouveau takes one tag cell for each 64 KiB before it,
 * and each page from there on takes as many as the mode needs. With two cells a page the tags of
 * two mappings of the same buffer then differ. This driver counts the same on both sides.
 */
static void pte_oracle_type(struct kunit *test)
{
	u32 other_tag = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(pte_type_rows); i++) {
		const struct pte_type_row *r = &pte_type_rows[i];
		struct nvfifo_pte pte = {
			.present = true,
			.target = r->target,
			.address = r->stolen,
			.kind = r->kind,
			.comp = r->comp,
			.read_only = r->ro,
			.supervisor = r->priv,
		};
		struct nvfifo_pte back;
		u64 first, base;

		if (r->stolen)
			pte.target = NVFIFO_TARGET_SYS_NOSNOOP;
		if (r->comp)
			pte.tag = r->tag_base + (r->offset >> 16);

		KUNIT_EXPECT_EQ_MSG(test, r->ok, type_ok(r), "row %d", i);
		if (!r->ok)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pte_encode(&pte), r->pte, "row %d", i);
		back = nvfifo_pte_decode(r->pte);
		expect_same_pte(test, &back, &pte);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pte_step(r->shift, r->pte), r->next, "row %d", i);

		/* The next page: one page further, and as many tag cells as it takes. */
		pte.address += 1u << r->shift;
		pte.tag += r->comp;
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pte_encode(&pte), r->pte + r->next, "row %d", i);

		/* From the buffer's first page on, page by page. */
		back.tag = r->comp ? r->tag_base : 0;
		base = nvfifo_pte_encode(&back);
		first = base + (r->offset >> r->shift) *
			(nvfifo_pte_step(r->shift, base) - (1ULL << r->shift));
		KUNIT_EXPECT_EQ_MSG(test, first == r->pte, r->comp != 2, "row %d", i);
		other_tag += first != r->pte;
	}

	KUNIT_EXPECT_EQ(test, other_tag, 29);
}

/* Runs of pages in contig blocks, as nvfifo_pte_contig() cuts them. */
static void pte_oracle_runs(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(pte_runs); i++) {
		const struct pte_run *r = &pte_runs[i];
		struct nvfifo_pte common = nvfifo_pte_decode(r->type);
		u32 page = 0, out = 0, left = r->out[0].times;

		while (page < r->count) {
			struct nvfifo_pte pte = common;
			u32 n;

			pte.contig = nvfifo_pte_contig(r->index + page, r->count - page);
			pte.address = r->address + ((u64)page << r->shift);
			pte.tag += page * common.comp;
			for (n = 0; n < 1u << pte.contig && page < r->count; n++, page++) {
				if (!left)
					left = r->out[++out].times;
				KUNIT_ASSERT_GT_MSG(test, left, 0, "run %d, page %u", i, page);
				left--;
				KUNIT_ASSERT_EQ_MSG(test, nvfifo_pte_encode(&pte), r->out[out].pte,
						    "run %d, page %u", i, page);
			}
		}

		KUNIT_EXPECT_EQ_MSG(test, left, 0, "run %d", i);
	}
}

static void pte_contig(struct kunit *test)
{
	static const struct {
		u32 index;
		u32 count;
		u32 log2;
	} rows[] = {
		{ 0, 1, 0 }, { 0, 2, 1 }, { 0, 3, 1 }, { 0, 127, 6 }, { 0, 128, 7 },
		{ 0, 256, 7 }, { 0, 0x20000, 7 }, { 1, 0x1ffff, 0 }, { 2, 0x1fffe, 1 },
		{ 64, 128, 6 }, { 128, 128, 7 }, { 128, 127, 6 }, { 0x1ff80, 128, 7 },
		{ 0x1ffc0, 64, 6 }, { 0x1ffff, 1, 0 }, { 6, 2, 1 }, { 4, 4, 2 }, { 4, 3, 1 },
	};
	struct rnd_state rnd;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pte_contig(rows[i].index, rows[i].count),
				    rows[i].log2, "row %d", i);

	/* Aligned, not too long, and the next larger block would be neither. */
	nvfifo_test_seed(&rnd);

	for (i = 0; i < NVFIFO_TEST_ROUNDS; i++) {
		u32 index = nvfifo_test_below(&rnd, 0x20000);
		u32 count = 1 + nvfifo_test_below(&rnd, 300);
		u32 n = nvfifo_pte_contig(index, count);
		u32 size = 1u << n;

		KUNIT_ASSERT_LE(test, n, 7);
		KUNIT_ASSERT_EQ(test, index % size, 0);
		KUNIT_ASSERT_LE(test, size, count);
		KUNIT_ASSERT_TRUE(test, n == 7 || index % (2 * size) || 2 * size > count);
	}
}

static void pte_random(struct kunit *test)
{
	struct rnd_state rnd;
	int i;

	nvfifo_test_seed(&rnd);

	for (i = 0; i < NVFIFO_TEST_ROUNDS; i++) {
		u64 word = nvfifo_test_rnd64(&rnd);
		struct nvfifo_pte pte = nvfifo_pte_decode(word), back;

		KUNIT_ASSERT_EQ(test, nvfifo_pte_encode(&pte), word & PTE_FIELDS);
		back = nvfifo_pte_decode(nvfifo_pte_encode(&pte));
		expect_same_pte(test, &back, &pte);
	}
}

static struct kunit_case pte_cases[] = {
	KUNIT_CASE(pte_fields),
	KUNIT_CASE(pte_oracle_type),
	KUNIT_CASE(pte_oracle_runs),
	KUNIT_CASE(pte_contig),
	KUNIT_CASE(pte_random),
	{}
};

static struct kunit_suite pte_suite = {
	.name = "nvfifo_pte",
	.test_cases = pte_cases,
};

/* --- Storage types ------------------------------------------------------- */

static const struct {
	u8 kind;
	u8 class;
} kind_rows[] = {
#include "data/kinds.inc"
};

static void kind_oracle(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kind_rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, (int)nvfifo_kind_class(kind_rows[i].kind),
				    (int)kind_rows[i].class, "kind %#x", kind_rows[i].kind);
}

/* The complete list, by ranges of the hardware documents. */
static void kind_list(struct kunit *test)
{
	static const struct {
		u8 first;
		u8 last;
		enum nvfifo_kind_class class;
	} ranges[] = {
		{ 0x00, 0x00, NVFIFO_KIND_PLAIN }, { 0x10, 0x13, NVFIFO_KIND_PLAIN },
		{ 0x18, 0x1b, NVFIFO_KIND_SWIZZLED }, { 0x20, 0x26, NVFIFO_KIND_PLAIN },
		{ 0x28, 0x2e, NVFIFO_KIND_SWIZZLED }, { 0x40, 0x46, NVFIFO_KIND_PLAIN },
		{ 0x47, 0x4d, NVFIFO_KIND_SWIZZLED }, { 0x54, 0x56, NVFIFO_KIND_PLAIN },
		{ 0x60, 0x66, NVFIFO_KIND_PLAIN }, { 0x68, 0x6b, NVFIFO_KIND_PLAIN },
		{ 0x6c, 0x6f, NVFIFO_KIND_SWIZZLED }, { 0x70, 0x70, NVFIFO_KIND_PLAIN },
		{ 0x72, 0x72, NVFIFO_KIND_SWIZZLED }, { 0x74, 0x74, NVFIFO_KIND_PLAIN },
		{ 0x76, 0x76, NVFIFO_KIND_SWIZZLED }, { 0x78, 0x79, NVFIFO_KIND_PLAIN },
		{ 0x7a, 0x7b, NVFIFO_KIND_SWIZZLED }, { 0x7c, 0x7d, NVFIFO_KIND_PLAIN },
	};
	u32 kind;
	int i;

	for (kind = 0; kind < 0x200; kind++) {
		enum nvfifo_kind_class want = NVFIFO_KIND_INVALID;

		for (i = 0; i < ARRAY_SIZE(ranges); i++)
			if (kind >= ranges[i].first && kind <= ranges[i].last)
				want = ranges[i].class;
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_kind_class(kind), want, "kind %#x", kind);
	}
}

/* The kinds that only G200 and later have. */
static void kind_g200(struct kunit *test)
{
	static const struct {
		u8 first;
		u8 last;
	} ranges[] = {
		{ 0x44, 0x46 },	/* BLOCKLINEAR_24 */
		{ 0x4b, 0x4d },	/* the same, LSR */
		{ 0x68, 0x6b },	/* Z16 */
		{ 0x6c, 0x6f },	/* the same, LSR */
	};
	u32 kind;
	int i;

	for (kind = 0; kind < 0x200; kind++) {
		bool want = false;

		for (i = 0; i < ARRAY_SIZE(ranges); i++)
			want |= kind >= ranges[i].first && kind <= ranges[i].last;
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_kind_is_g200(kind), want, "kind %#x", kind);
	}
}

static struct kunit_case kind_cases[] = {
	KUNIT_CASE(kind_oracle),
	KUNIT_CASE(kind_list),
	KUNIT_CASE(kind_g200),
	{}
};

static struct kunit_suite kind_suite = {
	.name = "nvfifo_kind",
	.test_cases = kind_cases,
};

/* --- PDEs ---------------------------------------------------------------- */

struct pde_row {
	u8 shift;	/* log2 of the page size */
	u32 bytes;	/* of the page table */
	u8 target;	/* enum nvfifo_target */
	u64 address;
	u8 ok;
	u64 pde;
};

static const struct pde_row pde_rows[] = {
#include "data/pde.inc"
};

static void pde_oracle(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(pde_rows); i++) {
		const struct pde_row *r = &pde_rows[i];
		struct nvfifo_pde pde = {
			.address = r->address,
			.target = r->target,
			.type = NVFIFO_PT_64K,
		};
		struct nvfifo_pde back;

		if (r->shift == 12) {
			pde.type = NVFIFO_PT_4K;
			pde.size = nvfifo_pt_size_for(r->bytes / 8);
		}

		if (!r->ok) {
			/* No table of small pages has that size. */
			KUNIT_EXPECT_NE_MSG(test, nvfifo_pt_entries(pde.type, pde.size) * 8,
					    r->bytes, "row %d", i);
			continue;
		}

		if (r->shift == 12)
			KUNIT_EXPECT_EQ_MSG(test, nvfifo_pt_entries(pde.type, pde.size) * 8,
					    r->bytes, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pde_encode(&pde), r->pde, "row %d", i);
		back = nvfifo_pde_decode(r->pde);
		KUNIT_EXPECT_EQ(test, back.address, pde.address);
		KUNIT_EXPECT_EQ(test, back.target, pde.target);
		KUNIT_EXPECT_EQ(test, back.type, pde.type);
		KUNIT_EXPECT_EQ(test, back.size, pde.size);
	}
}

static void pde_fields(struct kunit *test)
{
	static const struct {
		struct nvfifo_pde pde;
		u64 word;
	} rows[] = {
		{ { .type = NVFIFO_PT_64K }, 0x1 },
		{ { .type = NVFIFO_PT_16K }, 0x2 },
		{ { .type = NVFIFO_PT_4K }, 0x3 },
		{ { .type = NVFIFO_PT_4K, .target = NVFIFO_TARGET_SYS_SNOOP }, 0xb },
		{ { .type = NVFIFO_PT_4K, .target = NVFIFO_TARGET_SYS_NOSNOOP }, 0xf },
		{ { .type = NVFIFO_PT_4K, .size = 3 }, 0x63 },
		{ { .type = NVFIFO_PT_4K, .size = 1 }, 0x23 },
		{ { .type = NVFIFO_PT_64K, .address = 0xfffffff000 }, 0xfffffff001 },
		/* the first PDE of a real GT218's first channel */
		{ { .type = NVFIFO_PT_4K, .address = 0x130000 }, 0x130003 },
	};
	struct nvfifo_pde pde;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pde_encode(&rows[i].pde), rows[i].word,
				    "row %d", i);

	/* nouveau's empty PDE: only the type counts. */
	pde = nvfifo_pde_decode(0xdeadcafe00000000);
	KUNIT_EXPECT_EQ(test, pde.type, NVFIFO_PT_NONE);
}

static void pde_table_sizes(struct kunit *test)
{
	static const struct {
		u8 type;
		u8 size;
		u32 entries;
		u8 shift;
	} rows[] = {
		{ NVFIFO_PT_NONE, 0, 0, 0 }, { NVFIFO_PT_64K, 0, 0x2000, 16 },
		{ NVFIFO_PT_64K, 3, 0x2000, 16 }, { NVFIFO_PT_16K, 0, 0x8000, 14 },
		{ NVFIFO_PT_4K, 0, 0x20000, 12 }, { NVFIFO_PT_4K, 1, 0x8000, 12 },
		{ NVFIFO_PT_4K, 2, 0x4000, 12 }, { NVFIFO_PT_4K, 3, 0x2000, 12 },
	};
	static const struct {
		u32 entries;
		u8 size;
	} sizes[] = {
		{ 1, 3 }, { 0x2000, 3 }, { 0x2001, 2 }, { 0x4000, 2 }, { 0x4001, 1 },
		{ 0x8000, 1 }, { 0x8001, 0 }, { 0x20000, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pt_entries(rows[i].type, rows[i].size),
				    rows[i].entries, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pt_page_shift(rows[i].type), rows[i].shift,
				    "row %d", i);
	}

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_pt_size_for(sizes[i].entries), sizes[i].size,
				    "%u entries", sizes[i].entries);
}

static void pde_random(struct kunit *test)
{
	struct rnd_state rnd;
	int i;

	nvfifo_test_seed(&rnd);

	for (i = 0; i < NVFIFO_TEST_ROUNDS; i++) {
		u64 word = nvfifo_test_rnd64(&rnd);
		struct nvfifo_pde pde = nvfifo_pde_decode(word);

		KUNIT_ASSERT_EQ(test, nvfifo_pde_encode(&pde), word & PDE_FIELDS);
	}
}

static struct kunit_case pde_cases[] = {
	KUNIT_CASE(pde_oracle),
	KUNIT_CASE(pde_fields),
	KUNIT_CASE(pde_table_sizes),
	KUNIT_CASE(pde_random),
	{}
};

static struct kunit_suite pde_suite = {
	.name = "nvfifo_pde",
	.test_cases = pde_cases,
};

kunit_test_suites(&pte_suite, &kind_suite, &pde_suite);
