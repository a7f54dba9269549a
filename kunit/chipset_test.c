// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts of nvfifo_fmt.h that depend on the chipset's id, and its constants.
 */
#include <linux/string.h>

#include "chipsets.h"

static void chipset_names(struct kunit *test)
{
	const char *name;
	u32 id;
	int i;

	for (id = 0; id < 0x200; id++) {
		name = NULL;
		for (i = 0; i < ARRAY_SIZE(nvfifo_test_chipsets); i++)
			if (nvfifo_test_chipsets[i].id == id)
				name = nvfifo_test_chipsets[i].name;
		if (!name) {
			KUNIT_EXPECT_NULL_MSG(test, nvfifo_chipset_name(id), "chipset %#x", id);
			continue;
		}

		KUNIT_ASSERT_NOT_NULL_MSG(test, nvfifo_chipset_name(id), "chipset %#x", id);
		KUNIT_EXPECT_STREQ(test, nvfifo_chipset_name(id), name);
	}
}

static void chipset_kinds(struct kunit *test)
{
	u32 id = nvfifo_test_chipset(test);
	const char *name = nvfifo_chipset_name(id);
	bool gt215 = !strncmp(name, "GT", 2) || !strcmp(name, "MCP89");

	KUNIT_EXPECT_EQ(test, nvfifo_chipset_is_igp(id), !strncmp(name, "MCP", 3));
	KUNIT_EXPECT_EQ(test, nvfifo_chipset_is_gt215(id), gt215);
	KUNIT_EXPECT_EQ(test, nvfifo_fault_width(id), gt215 ? 8 : 4);
}

static void chipset_unknown(struct kunit *test)
{
	static const u32 ids[] = { 0, 0x40, 0x51, 0xa1, 0xa2, 0xa4, 0xab, 0xad, 0xae, 0xb1, 0xc0 };
	int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		KUNIT_EXPECT_FALSE_MSG(test, nvfifo_chipset_is_igp(ids[i]), "%#x", ids[i]);
		KUNIT_EXPECT_FALSE_MSG(test, nvfifo_chipset_is_gt215(ids[i]), "%#x", ids[i]);
	}
}

/* Codes that go to the hardware by name. */
static void chipset_constants(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_VM, 0);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_VRAM, 1);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_SYS_SNOOP, 2);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_SYS_NOSNOOP, 3);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_ACCESS_VM, 0);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_ACCESS_RO, 1);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_ACCESS_RW, 2);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_USER_VM, 0);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_USER_BOTH, 1);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_USER_SUPERVISOR, 2);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_ENCRYPTED_VM, 2);
	KUNIT_EXPECT_EQ(test, NVFIFO_DMAOBJ_BYTES, 4 * NVFIFO_DMAOBJ_WORDS);
	KUNIT_EXPECT_EQ(test, NVFIFO_CLASS_DMA_READ, 0x02);
	KUNIT_EXPECT_EQ(test, NVFIFO_CLASS_DMA_WRITE, 0x03);
	KUNIT_EXPECT_EQ(test, NVFIFO_CLASS_DMA_RW, 0x3d);
	KUNIT_EXPECT_EQ(test, NVFIFO_VA_MASK, 0xffffffffffULL);
	KUNIT_EXPECT_EQ(test, (u64)NVFIFO_PD_ENTRIES << NVFIFO_PDE_SHIFT, NVFIFO_VA_MASK + 1);
	KUNIT_EXPECT_EQ(test, NVFIFO_CHAN_MIN, 1);
	KUNIT_EXPECT_EQ(test, NVFIFO_CHAN_MAX, 126);
	KUNIT_EXPECT_EQ(test, NVFIFO_CHANNELS, 128);
	KUNIT_EXPECT_EQ(test, NVFIFO_RAMHT_BITS_MIN, 9);
	KUNIT_EXPECT_EQ(test, NVFIFO_RAMHT_BITS_MAX, 12);
	KUNIT_EXPECT_EQ(test, NVFIFO_NV04_COUNT_MAX, 2047);
	KUNIT_EXPECT_EQ(test, NVFIFO_NVC0_COUNT_MAX, 8191);
	KUNIT_EXPECT_EQ(test, NVFIFO_LONG_COUNT_MAX, 0xffffff);
	KUNIT_EXPECT_EQ(test, NVFIFO_TRIGGER_ACQUIRE_EQUAL, 1);
	KUNIT_EXPECT_EQ(test, NVFIFO_TRIGGER_RELEASE, 2);
	KUNIT_EXPECT_EQ(test, NVFIFO_TRIGGER_ACQUIRE_GEQUAL, 4);
}

/* 0x100c80, as nouveau writes it for the engines that it flushes, and for the others. */
static void chipset_tlb_flush_value(struct kunit *test)
{
	static const struct {
		enum nvfifo_vm_engine engine;
		u32 val;
	} rows[] = {
		{ NVFIFO_VM_PGRAPH, 0x00000001 }, { NVFIFO_VM_PVP, 0x00010001 },
		{ NVFIFO_VM_PEEPHOLE, 0x00040001 }, { NVFIFO_VM_PFIFO, 0x00050001 },
		{ NVFIFO_VM_BAR, 0x00060001 }, { NVFIFO_VM_PME, 0x00070001 },
		{ NVFIFO_VM_PMPEG, 0x00080001 }, { NVFIFO_VM_PBSP, 0x00090001 },
		{ NVFIFO_VM_PCIPHER, 0x000a0001 }, { NVFIFO_VM_PCOUNTER, 0x000b0001 },
		{ NVFIFO_VM_SEMAPHORE_BG, 0x000c0001 }, { NVFIFO_VM_PCOPY, 0x000d0001 },
		{ NVFIFO_VM_PDAEMON, 0x000e0001 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, nvfifo_tlb_flush_value(rows[i].engine), rows[i].val,
				    "row %d", i);

	KUNIT_EXPECT_EQ(test, NVFIFO_TLB_FLUSH_TRIGGER, 1);
	KUNIT_EXPECT_EQ(test, nvfifo_tlb_flush_value(0x1f), 0x000f0001);
}

static struct kunit_case chipset_cases[] = {
	KUNIT_CASE(chipset_names),
	KUNIT_CASE_PARAM(chipset_kinds, nvfifo_test_chipsets_gen_params),
	KUNIT_CASE(chipset_unknown),
	KUNIT_CASE(chipset_constants),
	KUNIT_CASE(chipset_tlb_flush_value),
	{}
};

static struct kunit_suite chipset_suite = {
	.name = "nvfifo_chipset",
	.test_cases = chipset_cases,
};

kunit_test_suites(&chipset_suite);
