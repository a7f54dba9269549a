// SPDX-License-Identifier: MIT
/*
 * The storage of the registers in the table. A unit reads and writes its registers here; accesses of
 * the CPU come through mmio.c, which has each unit's side effects.
 */
#include <stdlib.h>

#include "core.h"
#include "store.h"

/* Whether this chip has the register of the row */
bool sim_store_has(const struct nvsim *s, const struct sim_reg_desc *r)
{
	return s->chip >= r->first && s->chip < r->end;
}

int sim_store_create(struct nvsim *s)
{
	size_t i;
	u32 n;

	s->store = calloc(1, sizeof(*s->store));
	if (!s->store)
		return -1;

	for (i = 0; i < sim_row_count; i++) {
		const struct sim_reg_desc *r = &sim_rows[i];

		if (sim_is_window(r->offset))
			continue;
		for (n = 0; n < r->count; n++) {
			u32 off = r->offset + n * r->stride;
			struct sim_page *p = s->store->page[off >> 12];
			u16 *row;

			if (!p) {
				p = calloc(1, sizeof(*p));
				if (!p)
					return -1;
				s->store->page[off >> 12] = p;
				s->store->val[off >> 12] = p->own;
			}
			row = &p->row[off >> 2 & 0x3ff];
			if (!*row || sim_store_has(s, r))
				*row = i + 1;
		}
	}

	return 0;
}

/* The unit has an array of its own for the registers of @pages pages from @off on. */
void sim_store_attach(struct nvsim *s, u32 off, u32 pages, u32 *val)
{
	u32 i;

	for (i = 0; i < pages; i++)
		if (s->store->page[(off >> 12) + i])
			s->store->val[(off >> 12) + i] = val + i * 1024;
}

void sim_store_destroy(struct nvsim *s)
{
	size_t i;

	for (i = 0; s->store && i < ARRAY_LEN(s->store->page); i++)
		free(s->store->page[i]);
	free(s->store);
}

/* Set every register to 0. Units then set those that differ after power-up. */
void sim_store_clear(struct nvsim *s)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(s->store->page); i++)
		if (s->store->page[i])
			memset(s->store->page[i]->own, 0, sizeof(s->store->page[i]->own));
}

/* The row of the register at @off, even if only other chips have that register, or NULL */
const struct sim_reg_desc *sim_store_row(const struct nvsim *s, u32 off)
{
	const struct sim_page *p = s->store->page[off >> 12];
	u16 row = p ? p->row[off >> 2 & 0x3ff] : 0;

	return row ? &sim_rows[row - 1] : NULL;
}

/* Whether the unit at a BAR0 offset is on in PMC.ENABLE, if it has a bit there */
bool sim_unit_enabled(struct nvsim *s, u32 off)
{
	u32 enable = *sim_reg(s, NV_PMC_ENABLE);

	switch (off >> 12) {
	case 0x002:
	case 0x003:
	case 0x090:
		return enable & NV_FLD_MASK(NV_PMC_ENABLE__PFIFO);
	case 0x00b:
		return enable & NV_FLD_MASK(NV_PMC_ENABLE__PVPE);
	case 0x100:
		return enable & NV_FLD_MASK(NV_PMC_ENABLE__PFB);
	case 0x102:
		return enable & NV_FLD_MASK(NV_PMC_ENABLE__PCRYPT);
	case 0x610:
	case 0x619:
		return enable & NV_FLD_MASK(NV_PMC_ENABLE__PDISPLAY);
	}

	if (sim_in_pgraph(off))
		return enable & NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH);
	if (off >= NV_USER_PIO)
		return enable & NV_FLD_MASK(NV_PMC_ENABLE__PFIFO);

	return true;
}
