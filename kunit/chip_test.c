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
	{ 0xac, NV_CHIP_MCP79, 0x001d07ff, true, true, false, false, 0x76 },
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

	/* The look-up ignores foundry, straps and stepping. */
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

/*
 * The class lists of the documents, by chipset: PGRAPH's, then one line for each other
 * engine. nouveau's constructors agree on the first.
 */
struct class_row {
	u32 id;
	u16 gr[4];	/* but for those that all have */
	u16 other[7];	/* by PFIFO engine */
};

#define VP2(id, ...)	{ id, { __VA_ARGS__ }, { 0, 0, 0x8274, 0, 0x7476, 0x74c1, 0x74b0 } }
#define VP3(id, ...)	{ id, { __VA_ARGS__ }, { 0, 0, 0x88b3, 0, 0x88b2, 0x88b4, 0x88b1 } }
#define VP4(id, pvld, ...) \
	{ id, { 0x85c0, __VA_ARGS__ }, { 0, 0, 0x85b3, 0x85b5, 0x85b2, 0, pvld } }
static const struct class_row class_rows[] = {
	{ 0x50, { 0x5097 }, { 0, 0, 0x3174, 0x4075, 0x4176 } },
	VP2(0x84, 0x5097, 0x8297), VP2(0x86, 0x5097, 0x8297), VP2(0x92, 0x5097, 0x8297),
	VP2(0x94, 0x5097, 0x8297), VP2(0x96, 0x5097, 0x8297), VP3(0x98, 0x5097, 0x8297),
	VP2(0xa0, 0x8397), VP3(0xaa, 0x8397), VP3(0xac, 0x8397),
	VP4(0xa3, 0x85b1, 0x8597), VP4(0xa5, 0x85b1, 0x8597), VP4(0xa8, 0x85b1, 0x8597),
	VP4(0xaf, 0x86b1, 0x8697),
};

static const u16 all_gr[] = { 0x0030, 0x502d, 0x5039, 0x50c0 };

/* G80 alone. */
static const u16 old_2d[] = {
	0x0012, 0x0019, 0x0043, 0x0044, 0x004a, 0x0057, 0x005d, 0x005f,
	0x0072, 0x305c, 0x3064, 0x3066, 0x307b, 0x308a, 0x5062, 0x5089,
};

/* The engine that the documents give a class of the chipset, 0 for none. */
static unsigned int class_engine(const struct class_row *r, u32 oclass)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(r->gr); i++)
		if (oclass && r->gr[i] == oclass)
			return 1;

	for (i = 0; i < ARRAY_SIZE(all_gr); i++)
		if (all_gr[i] == oclass)
			return 1;

	for (i = 2; i < ARRAY_SIZE(r->other); i++)
		if (oclass && r->other[i] == oclass)
			return i;

	for (i = 0; i < ARRAY_SIZE(old_2d); i++)
		if (r->id == 0x50 && old_2d[i] == oclass)
			return 1;

	return 0;
}

KUNIT_ARRAY_PARAM(class, class_rows, NULL);

/* All 65,536 classes. A class may belong only to an engine that the chipset has. */
static void class_table(struct kunit *test)
{
	const struct class_row *r = test->param_value;
	const struct nvfifo_chip *chip = nvfifo_chip_find(r->id << 20);
	unsigned int engine, found = 0;
	u32 oclass;

	KUNIT_ASSERT_NOT_NULL(test, chip);

	for (oclass = 0; oclass < 0x10000; oclass++) {
		const struct nvfifo_class *c = nvfifo_class_find(chip, oclass);

		engine = class_engine(r, oclass);
		KUNIT_ASSERT_EQ_MSG(test, !!c, !!engine, "class %04x", oclass);
		if (!c)
			continue;
		found++;
		KUNIT_ASSERT_EQ_MSG(test, c->engine, engine, "class %04x", oclass);
		KUNIT_ASSERT_TRUE_MSG(test, chip->engines & BIT(engine), "class %04x", oclass);

		/* The engine has a place for its context; PGRAPH's is VM engine 0. */
		KUNIT_ASSERT_NE_MSG(test, nvfifo_engine_ctx(chip->g84, c->vm_engine), 0,
				    "class %04x", oclass);
		KUNIT_ASSERT_EQ_MSG(test, c->vm_engine == NVFIFO_VM_PGRAPH, engine == 1,
				    "class %04x", oclass);
	}

	KUNIT_EXPECT_GE(test, found, 9);
	KUNIT_EXPECT_NULL(test, nvfifo_class_find(chip, 0x10030));
}

static struct kunit_case chip_cases[] = {
	KUNIT_CASE_PARAM(chip_table, chip_gen_params),
	KUNIT_CASE(chip_unknown),
	KUNIT_CASE_PARAM(class_table, class_gen_params),
	{}
};

static struct kunit_suite chip_suite = {
	.name = "nvfifo_chip",
	.test_cases = chip_cases,
};

kunit_test_suites(&chip_suite);
