// SPDX-License-Identifier: MIT
/* Classes of objects: their names, and which chips have them. */
#include <stdio.h>
#include <string.h>

#include "nvfifo_class_table.h"
#include "nvfifo_near.h"
#include "nvfifo_priv.h"

static const __u32 chipsets[NV_CHIP_END] = {
	[NV_CHIP_G80] = 0x50,	[NV_CHIP_G84] = 0x84,	[NV_CHIP_G86] = 0x86,
	[NV_CHIP_G92] = 0x92,	[NV_CHIP_G94] = 0x94,	[NV_CHIP_G96] = 0x96,
	[NV_CHIP_G98] = 0x98,	[NV_CHIP_G200] = 0xa0,	[NV_CHIP_MCP77] = 0xaa,
	[NV_CHIP_MCP79] = 0xac, [NV_CHIP_GT215] = 0xa3, [NV_CHIP_GT216] = 0xa5,
	[NV_CHIP_GT218] = 0xa8, [NV_CHIP_MCP89] = 0xaf,
};

/* Sorted by number */
static const struct row {
	__u16 oclass;
	__u16 chips;
	const char *name;
} rows[] = {
#define CLASS(oclass, engine, vm_engine, chips, name) { oclass, chips, name },
	NVFIFO_CLASSES(CLASS)
#undef CLASS
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct row *find(__u32 oclass)
{
	size_t low = 0, high = ROWS;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (rows[mid].oclass == oclass)
			return &rows[mid];

		if (rows[mid].oclass < oclass)
			low = mid + 1;
		else
			high = mid;
	}

	return NULL;
}

const char *nvfifo_class_name(__u32 oclass)
{
	const struct row *r = find(oclass);

	/* No row: no engine has it, so that no chip lacks it. */
	if (oclass == NVFIFO_CLASS_SOFTWARE)
		return "SOFTWARE";

	return r ? r->name : NULL;
}

bool nvfifo_class_exists(__u32 chipset, __u32 oclass)
{
	const struct row *r = find(oclass);
	unsigned int chip;

	if (!r)
		return false;

	for (chip = 0; chip < NV_CHIP_END; chip++) {
		if (chipsets[chip] == chipset)
			return r->chips >> chip & 1;
	}

	return chipset == 0;
}

__u32 nvfifo_class_next(__u32 oclass)
{
	size_t i;

	for (i = 0; i < ROWS; i++) {
		if (rows[i].oclass > oclass)
			return rows[i].oclass;
	}

	return 0;
}
