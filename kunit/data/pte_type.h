/* SPDX-License-Identifier: GPL-2.0-only */
/* Reference vectors; pte_type.csv says where they are from, Kbuild makes pte_type.inc of it. */

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
#include "pte_type.inc"
};
