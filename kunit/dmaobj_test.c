// SPDX-License-Identifier: GPL-2.0-only
/*
 * DMA objects: six words, the same in memory and in the MMU's registers.
 */
#include "nvfifo_test.h"

/* nouveau's DMA objects */
struct dmaobj_row {
	u16 oclass;
	u8 target;	/* enum nvfifo_dmaobj_target */
	u8 access;	/* NVFIFO_DMAOBJ_ACCESS_*; write-only counts as read/write */
	u64 start;
	u64 limit;
	u8 explicit;
	u8 priv;
	u8 part;
	u8 comp;
	u8 kind;
	u32 w[6];
};

static const struct dmaobj_row dmaobj_rows[] = {
#include "data/dmaobj.inc"
};

/* nouveau's engine contexts */
static const struct {
	u8 engine;	/* VM engine */
	u32 offset;	/* of the object in the channel structure */
	u64 start;
	u64 size;
	u32 w[4];
} ectx_rows[] = {
#include "data/ectx.inc"
};

static const u32 dmaobj_fields[NVFIFO_DMAOBJ_WORDS] = {
	0xffffffff, 0xffffffff, 0xffffffff, 0xff0000ff, 0x0fff0fff, 0x000fffff,
};

static void expect_same_dmaobj(struct kunit *test, const struct nvfifo_dmaobj *a,
			       const struct nvfifo_dmaobj *b)
{
	KUNIT_EXPECT_EQ(test, a->oclass, b->oclass);
	KUNIT_EXPECT_EQ(test, a->target, b->target);
	KUNIT_EXPECT_EQ(test, a->access, b->access);
	KUNIT_EXPECT_EQ(test, a->user, b->user);
	KUNIT_EXPECT_EQ(test, a->kind, b->kind);
	KUNIT_EXPECT_EQ(test, a->comp, b->comp);
	KUNIT_EXPECT_EQ(test, a->supervisor, b->supervisor);
	KUNIT_EXPECT_EQ(test, a->start, b->start);
	KUNIT_EXPECT_EQ(test, a->limit, b->limit);
	KUNIT_EXPECT_EQ(test, a->tag_start, b->tag_start);
	KUNIT_EXPECT_EQ(test, a->tag_limit, b->tag_limit);
	KUNIT_EXPECT_EQ(test, a->comp_start, b->comp_start);
	KUNIT_EXPECT_EQ(test, a->cycle, b->cycle);
	KUNIT_EXPECT_EQ(test, a->encrypted, b->encrypted);
}

/* nouveau's defaults. */
static struct nvfifo_dmaobj row_object(const struct dmaobj_row *r)
{
	struct nvfifo_dmaobj obj = {
		.oclass = r->oclass,
		.target = r->target,
		.access = r->access,
		.start = r->start,
		.limit = r->limit,
	};

	if (r->explicit) {
		obj.user = r->priv;
		obj.cycle = r->part;
		obj.comp = r->comp;
		obj.kind = r->kind;
	} else if (r->target == NVFIFO_DMAOBJ_VM) {
		obj.user = NVFIFO_DMAOBJ_USER_VM;
		obj.comp = NVFIFO_DMAOBJ_COMP_VM;
		obj.kind = NVFIFO_DMAOBJ_KIND_VM;
	} else {
		obj.user = NVFIFO_DMAOBJ_USER_BOTH;
		obj.cycle = 1;
	}

	return obj;
}

static void dmaobj_oracle(struct kunit *test)
{
	int i, j;

	for (i = 0; i < ARRAY_SIZE(dmaobj_rows); i++) {
		struct nvfifo_dmaobj obj = row_object(&dmaobj_rows[i]), back;
		u32 w[NVFIFO_DMAOBJ_WORDS];

		nvfifo_dmaobj_encode(&obj, w);
		for (j = 0; j < NVFIFO_DMAOBJ_WORDS; j++)
			KUNIT_EXPECT_EQ_MSG(test, w[j], dmaobj_rows[i].w[j], "row %d word %d", i,
					    j);
		back = nvfifo_dmaobj_decode(dmaobj_rows[i].w);
		expect_same_dmaobj(test, &back, &obj);
	}
}

/*
 * Engine contexts. In word 3 nouveau writes the low half of the start. The limit then is far too
 * large, and a start above 4 GiB is wrong. nvfifo follows the format: both high bytes, here 0.
 */
static void dmaobj_engine_context(struct kunit *test)
{
	struct nvfifo_dmaobj obj;
	u32 w[NVFIFO_DMAOBJ_WORDS];
	int i, j;

	for (i = 0; i < ARRAY_SIZE(ectx_rows); i++) {
		obj = nvfifo_dmaobj_engine(ectx_rows[i].start, ectx_rows[i].size);
		nvfifo_dmaobj_encode(&obj, w);
		for (j = 0; j < 3; j++)
			KUNIT_EXPECT_EQ_MSG(test, w[j], ectx_rows[i].w[j], "row %d word %d", i, j);
		KUNIT_EXPECT_EQ(test, ectx_rows[i].w[3], lower_32_bits(ectx_rows[i].start));
		for (j = 3; j < NVFIFO_DMAOBJ_WORDS; j++)
			KUNIT_EXPECT_EQ(test, w[j], 0);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_engine_ctx(true, ectx_rows[i].engine),
				    ectx_rows[i].offset, "row %d", i);
	}

	obj = nvfifo_dmaobj_engine(0x34ffff8000, 0x10000);
	nvfifo_dmaobj_encode(&obj, w);
	KUNIT_EXPECT_EQ(test, w[0], 0x00190000);
	KUNIT_EXPECT_EQ(test, w[1], 0x00007fff);
	KUNIT_EXPECT_EQ(test, w[2], 0xffff8000);
	KUNIT_EXPECT_EQ(test, w[3], 0x35000034);
	KUNIT_EXPECT_EQ(test, w[4], 0);
	KUNIT_EXPECT_EQ(test, w[5], 0);
}

/* Their places: the table of the hardware documents, and nothing for all others. */
static void dmaobj_engine_places(struct kunit *test)
{
	static const struct {
		u8 engine;
		u16 g80;
		u16 g84;
	} rows[] = {
		{ NVFIFO_VM_PGRAPH, 0x200, 0x20 },
		{ NVFIFO_VM_PVP, 0x220, 0x40 },		/* PVP1; PVP2, PPDEC */
		{ NVFIFO_VM_PME, 0x240, 0xa0 },		/* PME; PVCOMP */
		{ NVFIFO_VM_PMPEG, 0x260, 0x60 },	/* PMPEG, PPPP */
		{ NVFIFO_VM_PBSP, 0, 0x80 },		/* PBSP, PVLD */
		{ NVFIFO_VM_PCIPHER, 0, 0xa0 },		/* PCIPHER, PSEC */
		{ NVFIFO_VM_PCOPY, 0, 0xc0 },
	};
	u32 engine, g80, g84;
	int i;

	for (engine = 0; engine < 0x40; engine++) {
		for (i = 0, g80 = 0, g84 = 0; i < ARRAY_SIZE(rows); i++) {
			if (rows[i].engine != engine)
				continue;
			g80 = rows[i].g80;
			g84 = rows[i].g84;
		}

		KUNIT_EXPECT_EQ_MSG(test, nvfifo_engine_ctx(false, engine), g80, "engine %x",
				    engine);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_engine_ctx(true, engine), g84, "engine %x",
				    engine);
	}
}

static void dmaobj_fields_alone(struct kunit *test)
{
	static const struct {
		struct nvfifo_dmaobj obj;
		int word;
		u32 val;
	} rows[] = {
		{ { .oclass = 0xffff }, 0, 0x0000ffff },
		{ { .target = 3 }, 0, 0x00030000 },
		{ { .access = 3 }, 0, 0x000c0000 },
		{ { .user = 3 }, 0, 0x00300000 },
		{ { .kind = 0x7f }, 0, 0x1fc00000 },
		{ { .comp = 3 }, 0, 0x60000000 },
		{ { .supervisor = true }, 0, 0x80000000 },
		{ { .limit = 0xffffffff }, 1, 0xffffffff },
		{ { .start = 0xffffffff }, 2, 0xffffffff },
		{ { .start = 0xff00000000 }, 3, 0x000000ff },
		{ { .limit = 0xff00000000 }, 3, 0xff000000 },
		{ { .tag_start = 0xfff }, 4, 0x00000fff },
		{ { .tag_limit = 0xfff }, 4, 0x0fff0000 },
		{ { .comp_start = 0xffff }, 5, 0x0000ffff },
		{ { .cycle = 3 }, 5, 0x00030000 },
		{ { .encrypted = 3 }, 5, 0x000c0000 },
	};
	struct nvfifo_dmaobj obj;
	u32 w[NVFIFO_DMAOBJ_WORDS];
	int i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		nvfifo_dmaobj_encode(&rows[i].obj, w);
		for (j = 0; j < NVFIFO_DMAOBJ_WORDS; j++)
			KUNIT_EXPECT_EQ_MSG(test, w[j], j == rows[i].word ? rows[i].val : 0,
					    "row %d word %d", i, j);
		obj = nvfifo_dmaobj_decode(w);
		expect_same_dmaobj(test, &obj, &rows[i].obj);
	}
}

/* The object that leaves everything to the PTEs. */
static void dmaobj_vm(struct kunit *test)
{
	static const struct {
		u16 oclass;
		u64 start;
		u64 limit;
		u32 w[NVFIFO_DMAOBJ_WORDS];
	} rows[] = {
		{ 0, 0, 0x0fffffff, { 0x7fc00000, 0x0fffffff } },
		{ NVFIFO_CLASS_DMA_READ, 0, NVFIFO_VA_MASK,
		  { 0x7fc00002, 0xffffffff, 0, 0xff000000 } },
		{ NVFIFO_CLASS_DMA_RW, 0x123456789a, 0xfedcba9876,
		  { 0x7fc0003d, 0xdcba9876, 0x3456789a, 0xfe000012 } },
	};
	u32 w[NVFIFO_DMAOBJ_WORDS];
	int i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct nvfifo_dmaobj obj = nvfifo_dmaobj_vm(rows[i].oclass, rows[i].start,
							    rows[i].limit);

		nvfifo_dmaobj_encode(&obj, w);
		for (j = 0; j < NVFIFO_DMAOBJ_WORDS; j++)
			KUNIT_EXPECT_EQ_MSG(test, w[j], rows[i].w[j], "row %d word %d", i, j);
	}
}

static void dmaobj_random(struct kunit *test)
{
	struct rnd_state rnd;
	int i, j;

	nvfifo_test_seed(&rnd);

	for (i = 0; i < NVFIFO_TEST_ROUNDS; i++) {
		u32 w[NVFIFO_DMAOBJ_WORDS], out[NVFIFO_DMAOBJ_WORDS];
		struct nvfifo_dmaobj obj;

		for (j = 0; j < NVFIFO_DMAOBJ_WORDS; j++)
			w[j] = prandom_u32_state(&rnd);
		obj = nvfifo_dmaobj_decode(w);
		nvfifo_dmaobj_encode(&obj, out);
		for (j = 0; j < NVFIFO_DMAOBJ_WORDS; j++)
			KUNIT_ASSERT_EQ_MSG(test, out[j], w[j] & dmaobj_fields[j], "word %d", j);
	}
}

static struct kunit_case dmaobj_cases[] = {
	KUNIT_CASE(dmaobj_oracle),
	KUNIT_CASE(dmaobj_engine_context),
	KUNIT_CASE(dmaobj_engine_places),
	KUNIT_CASE(dmaobj_fields_alone),
	KUNIT_CASE(dmaobj_vm),
	KUNIT_CASE(dmaobj_random),
	{}
};

static struct kunit_suite dmaobj_suite = {
	.name = "nvfifo_dmaobj",
	.test_cases = dmaobj_cases,
};

kunit_test_suites(&dmaobj_suite);
