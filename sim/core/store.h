/* SPDX-License-Identifier: MIT */
/*
 * The storage of the registers
 */
#ifndef SIM_CORE_STORE_H
#define SIM_CORE_STORE_H

#include "core.h"
#include "regs.h"

/* A 4 KiB page of BAR0 that has registers: their rows in the table, and storage */
struct sim_page {
	u16 row[1024];		/* index + 1 into the table, 0 = no register */
	u32 own[1024];
};

/* Only store.c and sim_reg() touch it. */
struct sim_store {
	struct sim_page *page[NV_BAR0_SIZE >> 12];
	u32 *val[NV_BAR0_SIZE >> 12];	/* of each page: page.own, or the array of a unit */
};

int sim_store_create(struct nvsim *s);
void sim_store_destroy(struct nvsim *s);
/* Set every register to 0. Units then set those that differ after power-up. */
void sim_store_clear(struct nvsim *s);
/* The unit has an array of its own for the registers of @pages pages from @off on. */
void sim_store_attach(struct nvsim *s, u32 off, u32 pages, u32 *val);
/* The row of the register at @off, even if only other chips have that register, or NULL */
const struct sim_reg_desc *sim_store_row(const struct nvsim *s, u32 off);
/* Whether this chip has the register of the row */
bool sim_store_has(const struct nvsim *s, const struct sim_reg_desc *r);
/* Whether the unit at a BAR0 offset is on in PMC.ENABLE, if it has a bit there */
bool sim_unit_enabled(struct nvsim *s, u32 off);

/* Storage of a register in the table */
static inline u32 *sim_reg(struct nvsim *s, u32 off)
{
	return &s->store->val[off >> 12][off >> 2 & 0x3ff];
}

#endif
