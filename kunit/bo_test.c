// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory without a card: system memory of a buffer, the check of another driver's memory, the row
 * block, the place of stolen memory.
 */
#include <kunit/device.h>
#include <linux/iosys-map.h>
#include <linux/scatterlist.h>

#include "fake.h"
#include "mem/nvfifo_bo.h"

#define SEGMENTS	3

struct sgt_row {
	const char *name;
	struct {
		u64 address;
		u32 bytes;
	} segments[SEGMENTS];
	u64 size;	/* of the buffer */
	int ret;
};

static const struct sgt_row sgt_rows[] = {
	{ "pages", { { 0x1000, 0x1000 }, { 0xffff000, 0x2000 }, { 0x8000, 0x1000 } }, 0x4000, 0 },
	{ "more than the buffer", { { 0x1000, 0x1000 }, { 0x3000, 0x1000 }, { 0x8000, 0x1000 } },
	  0x2000, 0 },
	{ "the last page of 40 bits", { { 0xfffffff000ULL, 0x1000 }, { 0x3000, 0x1000 },
					{ 0x8000, 0x1000 } }, 0x3000, 0 },
	{ "too short", { { 0x1000, 0x1000 }, { 0x3000, 0x1000 }, { 0x8000, 0x1000 } }, 0x4000,
	  -EINVAL },
	{ "a crooked address", { { 0x1000, 0x1000 }, { 0x3200, 0x1000 }, { 0x8000, 0x1000 } },
	  0x3000, -EINVAL },
	{ "a crooked length", { { 0x1000, 0x1000 }, { 0x3000, 0x1800 }, { 0x8000, 0x1000 } },
	  0x3000, -EINVAL },
	{ "an empty segment", { { 0x1000, 0x1000 }, { 0x3000, 0 }, { 0x8000, 0x2000 } }, 0x3000,
	  -EINVAL },
	{ "an address of 41 bits", { { 0x1000, 0x1000 }, { 0x10000000000ULL, 0x1000 },
				     { 0x8000, 0x1000 } }, 0x3000, -EINVAL },
	{ "over the end of 40 bits", { { 0x1000, 0x1000 }, { 0xfffffff000ULL, 0x2000 },
				       { 0x8000, 0x1000 } }, 0x4000, -EINVAL },
};

static void sgt_name(const struct sgt_row *row, char *desc)
{
	strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(sgt, sgt_rows, sgt_name);

static void bo_sgt_check(struct kunit *test)
{
	const struct sgt_row *row = test->param_value;
	struct scatterlist *sg;
	struct sg_table sgt;
	int i;

	KUNIT_ASSERT_EQ(test, sg_alloc_table(&sgt, SEGMENTS, GFP_KERNEL), 0);

	for_each_sgtable_sg(&sgt, sg, i) {
		sg_dma_address(sg) = row->segments[i].address;
		sg_dma_len(sg) = row->segments[i].bytes;
	}

	KUNIT_EXPECT_EQ(test, nvfifo_sgt_check(&sgt, row->size), row->ret);
	sg_free_table(&sgt);
}

/* A PTE holds 40 bits of an address, the register of an IGP's stolen memory 44. */
static void bo_stolen(struct kunit *test)
{
	static const struct {
		u32 base, size;	/* in units of 4 KiB */
		int ret;
	} rows[] = {
		{ 0x0010000, 0x0004000, 0 },
		{ 0x0010000, 0x0001fff, -ENODEV },
		{ 0xfffc000, 0x0004000, 0 },
		{ 0xfffc001, 0x0004000, -ENODEV },
		{ 0xfffc000, 0x0004001, -ENODEV },
		{ 0x10000000, 0x0004000, -ENODEV },
		{ 0xfffff000, 0x0004000, -ENODEV },
	};
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0xac);
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		nvfifo_test_poke(card, NV_PFB_FAKEFB_BASE, rows[i].base);
		nvfifo_test_poke(card, NV_PFB_FAKEFB_SIZE, rows[i].size);
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_vram_find(&card->ndev), rows[i].ret, "row %d", i);
	}
}

/* Worked out from nouveau's formula: partitions, banks, columns, 8 bytes, rows. */
static void bo_row_block(struct kunit *test)
{
	static const struct {
		u32 units, cfg, bankcfg;
		u64 bytes;
	} rows[] = {
		{ 0x00010000, 1 << 24 | 10 << 12, 0, SZ_64K },
		{ 0x00ff0000, 1 << 24 | 10 << 12, 0, SZ_512K },
		{ 0x00030000, 0 << 24 | 9 << 12, 0, SZ_32K },
		{ 0x00a50000, 1 << 24 | 9 << 12, 0, SZ_128K },
		{ 0x003f0000, 1 << 24 | 10 << 12, 0, 6 * SZ_64K },
		{ 0x00070000, 2 << 24 | 10 << 12, 1, 18 * SZ_64K },
		{ 0xff00ffff, 3 << 24 | 15 << 12 | 0xff0fff, 0xfffffffe, 32 * 32768 * 8 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_row_block(rows[i].units, rows[i].cfg,
							   rows[i].bankcfg),
				    rows[i].bytes, "row %d", i);
}

#define PAGES	(256 + 5)

/* System memory consists of few blocks and is zero, even where another buffer left data. */
static void bo_pages(struct kunit *test)
{
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);
	struct nvfifo_bo *bo = kunit_kzalloc(test, sizeof(*bo), GFP_KERNEL);
	struct device *dev = kunit_device_register(test, "nvfifo_bo");
	struct drm_gem_object *obj;
	int round, i;

	KUNIT_ASSERT_NOT_NULL(test, bo);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	card->ndev.drm.dev = dev;
	obj = &bo->shmem.base;
	obj->size = PAGES * PAGE_SIZE;
	obj->dev = &card->ndev.drm;
	mutex_init(&bo->pages_lock);

	for (round = 0; round < 3; round++) {
		KUNIT_ASSERT_EQ(test, nvfifo_bo_populate(bo), 0);
		KUNIT_EXPECT_LE(test, bo->table.nents, PAGES / 8);

		for (i = 0; i < PAGES; i++) {
			void *page = page_address(bo->pages[i]);

			KUNIT_EXPECT_NULL(test, memchr_inv(page, 0, PAGE_SIZE));
			memset(page, 0xa5, PAGE_SIZE);
		}

		nvfifo_bo_depopulate(bo);
		bo->pages = NULL;
	}
}

/* The limit of a memory cgroup may stall each extent, and the removal waits for the call. */
static void bo_vram_ending(struct kunit *test)
{
	static const struct {
		enum nvfifo_phase phase;
		int ret;
	} rows[] = {
		{ NVFIFO_RUNNING, 0 },
		{ NVFIFO_REMOVING, -ENODEV },
		{ NVFIFO_STUCK, -EIO },
		{ NVFIFO_LOST, -ENODEV },
	};
	struct nvfifo_test_card *card = nvfifo_test_card(test, 0x84);
	struct nvfifo_bo *bo = kunit_kzalloc(test, sizeof(*bo), GFP_KERNEL);
	struct nvfifo_device *ndev = &card->ndev;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, bo);
	bo->shmem.base.dev = &ndev->drm;
	INIT_LIST_HEAD(&bo->extents);
	drm_mm_init(&ndev->mem.vram, 0, SZ_1M);
	ndev->mem.vram_free = SZ_1M;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ndev->hw.phase = rows[i].phase;
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_vram_alloc(bo, SZ_256K, 0), rows[i].ret, "row %d",
				    i);
		KUNIT_EXPECT_EQ(test, list_empty(&bo->extents), !!rows[i].ret);
		nvfifo_vram_free(bo);
		KUNIT_EXPECT_EQ(test, ndev->mem.vram_free, SZ_1M);
	}

	drm_mm_takedown(&ndev->mem.vram);
}

static struct kunit_case bo_cases[] = {
	KUNIT_CASE(bo_pages),
	KUNIT_CASE(bo_row_block),
	KUNIT_CASE(bo_stolen),
	KUNIT_CASE(bo_vram_ending),
	KUNIT_CASE_PARAM(bo_sgt_check, sgt_gen_params),
	{}
};

static struct kunit_suite bo_suite = {
	.name = "nvfifo_bo",
	.test_cases = bo_cases,
};

kunit_test_suites(&bo_suite);
