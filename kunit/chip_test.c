// SPDX-License-Identifier: GPL-2.0-only
/*
 * The chip table and the PCI ids.
 */
#include "fake.h"

struct chip_row {
	u32 id;
	enum nv_chip chip;
	u32 vm_fault_enable;
	bool g84;
	bool igp;
	bool msi_mmio;
	bool no_msi;
	u32 engines;	/* bit n: PFIFO engine n, of the hardware documents */
};

static const struct chip_row chip_rows[] = {
	{ 0x50, NV_CHIP_G80, 0x000707ff, false, false, false, false, 0x1e },
	{ 0x84, NV_CHIP_G84, 0x001d07ff, true, false, false, false, 0x76 },
	{ 0x86, NV_CHIP_G86, 0x001d07ff, true, false, false, false, 0x76 },
	{ 0x92, NV_CHIP_G92, 0x001d07ff, true, false, false, false, 0x76 },
	{ 0x94, NV_CHIP_G94, 0x001d07ff, true, false, true, false, 0x76 },
	{ 0x96, NV_CHIP_G96, 0x001d07ff, true, false, true, false, 0x76 },
	{ 0x98, NV_CHIP_G98, 0x001d07ff, true, false, true, false, 0x76 },
	{ 0xa0, NV_CHIP_G200, 0x001d07ff, true, false, true, false, 0x76 },
	{ 0xaa, NV_CHIP_MCP77, 0x001d07ff, true, true, true, true, 0x76 },
	{ 0xac, NV_CHIP_MCP79, 0x001d07ff, true, true, true, false, 0x76 },
	{ 0xa3, NV_CHIP_GT215, 0x000d0fff, true, false, true, false, 0x5e },
	{ 0xa5, NV_CHIP_GT216, 0x000d0fff, true, false, true, false, 0x5e },
	{ 0xa8, NV_CHIP_GT218, 0x000d0fff, true, false, true, false, 0x5e },
	{ 0xaf, NV_CHIP_MCP89, 0x089d1fff, true, true, true, false, 0x7e },
};

static void chip_row_desc(const struct chip_row *r, char *desc)
{
	strscpy(desc, nvfifo_chipset_name(r->id), KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(chip, chip_rows, chip_row_desc);

static void chip_table(struct kunit *test)
{
	const struct chip_row *r = test->param_value;
	const struct nvfifo_chip *chip = nvfifo_chip_find(r->id << 20);

	KUNIT_ASSERT_NOT_NULL(test, chip);
	KUNIT_EXPECT_EQ(test, chip->id, r->id);
	KUNIT_EXPECT_EQ(test, chip->chip, r->chip);
	KUNIT_EXPECT_EQ(test, chip->vm_fault_enable, r->vm_fault_enable);
	KUNIT_EXPECT_EQ(test, chip->g84, r->g84);
	KUNIT_EXPECT_EQ(test, chip->igp, r->igp);
	KUNIT_EXPECT_EQ(test, chip->igp, nvfifo_chipset_is_igp(r->id));
	KUNIT_EXPECT_EQ(test, chip->msi_mmio, r->msi_mmio);
	KUNIT_EXPECT_EQ(test, chip->no_msi, r->no_msi);
	KUNIT_EXPECT_EQ(test, chip->engines, r->engines);
	/* Foundry, straps and stepping do not matter. */
	KUNIT_EXPECT_PTR_EQ(test, nvfifo_chip_find(r->id << 20 | 0xe00fffff), chip);
}

/* Each of the other ids is refused; so are all ones and all zeroes. */
static void chip_unknown(struct kunit *test)
{
	u32 id, i, known = 0;

	for (id = 0; id < 0x200; id++) {
		for (i = 0; i < ARRAY_SIZE(chip_rows); i++)
			if (chip_rows[i].id == id)
				break;
		if (i == ARRAY_SIZE(chip_rows))
			KUNIT_EXPECT_NULL_MSG(test, nvfifo_chip_find(id << 20 | 0xa2), "%#x", id);
		else
			known++;
	}
	KUNIT_EXPECT_EQ(test, known, 14);
	KUNIT_EXPECT_NULL(test, nvfifo_chip_find(0xffffffff));
	KUNIT_EXPECT_NULL(test, nvfifo_chip_find(0));
}

static struct kunit_case chip_cases[] = {
	KUNIT_CASE_PARAM(chip_table, chip_gen_params),
	KUNIT_CASE(chip_unknown),
	{}
};

static struct kunit_suite chip_suite = {
	.name = "nvfifo_chip",
	.test_cases = chip_cases,
};

kunit_test_suites(&chip_suite);
