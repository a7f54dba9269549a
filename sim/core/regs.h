/* SPDX-License-Identifier: MIT */
/*
 * The register table as data
 */
#ifndef SIM_CORE_REGS_H
#define SIM_CORE_REGS_H

#include "core.h"

struct sim_reg_desc {
	const char *token;	/* "NV_PFIFO_INTR" */
	const char *block;	/* "PFIFO" */
	const char *name;	/* "INTR" */
	u32 offset, stride, count;
	u8 first, end;		/* enum nv_chip, half open */
	enum nv_access access;
};

struct sim_field_desc {
	const char *reg;	/* "NV_PFIFO_INTR" */
	const char *name;
	u8 hi, lo;
};

extern const struct sim_reg_desc sim_rows[];
extern const size_t sim_row_count;
bool sim_is_window(u32 off);
const struct sim_reg_desc *sim_user_row(u32 reg);
const struct sim_reg_desc *sim_row(int chip, u32 off);
const struct sim_field_desc *sim_field(const struct sim_reg_desc *reg, unsigned int n);

#endif
