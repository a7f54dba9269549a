// SPDX-License-Identifier: MIT
/* Classes of objects: their names, and which chips have them. */
#include <stdio.h>
#include <string.h>

#include "nvfifo_class_table.h"
#include "nvfifo_near.h"
#include "nvfifo_priv.h"

int nvfifo_chip_of(__u32 chipset)
{
#define ID(id, name) id,
	static const __u32 ids[] = { NVFIFO_CHIPSET_IDS(ID) };
#undef ID
	int i;

	_Static_assert(sizeof(ids) / sizeof(ids[0]) == NV_CHIP_END, "an id for each chip");

	for (i = 0; i < NV_CHIP_END; i++) {
		if (ids[i] == chipset)
			return i;
	}

	return -1;
}

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
	int chip = nvfifo_chip_of(chipset);

	if (!r || chip < 0)
		return r && !chipset;

	return r->chips >> chip & 1;
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
