/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The 14 chipsets as parameters of a test. Only files that use them include this header, since the
 * table is static.
 */
#ifndef _NVFIFO_TEST_CHIPSETS_H_
#define _NVFIFO_TEST_CHIPSETS_H_

#include "nvfifo_test.h"

struct nvfifo_test_chipset {
	u32 id;
	const char *name;
};

/* By age, the oldest first */
static const struct nvfifo_test_chipset nvfifo_test_chipsets[] = {
	{ 0x50, "G80" }, { 0x84, "G84" }, { 0x86, "G86" }, { 0x92, "G92" }, { 0x94, "G94" },
	{ 0x96, "G96" }, { 0x98, "G98" }, { 0xa0, "G200" }, { 0xaa, "MCP77" }, { 0xac, "MCP79" },
	{ 0xa3, "GT215" }, { 0xa5, "GT216" }, { 0xa8, "GT218" }, { 0xaf, "MCP89" },
};

static void nvfifo_test_chipset_desc(const struct nvfifo_test_chipset *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(nvfifo_test_chipsets, nvfifo_test_chipsets, nvfifo_test_chipset_desc);

static inline u32 nvfifo_test_chipset(struct kunit *test)
{
	return ((const struct nvfifo_test_chipset *)test->param_value)->id;
}

#endif
