/* SPDX-License-Identifier: GPL-2.0-only */
/* Reference vectors; pte_runs.csv says where they are from, Kbuild makes pte_runs.inc of it. */

struct pte_run {
	u8 shift;	/* log2 of the page size */
	u32 index;	/* first PTE */
	u32 count;
	u64 address;	/* of the first page */
	u64 type;	/* the common part */
	u64 next;	/* added for each following page */
	struct {
		u64 pte;
		u32 times;
	} out[13];	/* up to the one with times = 0 */
};

static const struct pte_run pte_runs[] = {
#include "pte_runs.inc"
};
