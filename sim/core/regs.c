// SPDX-License-Identifier: MIT
/*
 * The register table as data: rows by offset and chip, fields by register.
 */
#include "core.h"
#include "regs.h"

#define ROW(block, reg, stride, count, first, end, access) \
	{ #reg, #block, NV_REG_NAME(#block, #reg), reg, stride, count, first, end, access },
#define NO_FIELD(reg, field)
#define NO_ROW(block, reg, stride, count, first, end, access)
#define FIELD(reg, field) \
	{ #reg, NV_FLD_NAME(#reg, #field), NV_FLD_HI(field), NV_FLD_LO(field) },

const struct sim_reg_desc sim_rows[] = { NV_REGS(ROW, NO_FIELD) };
const size_t sim_row_count = ARRAY_LEN(sim_rows);

static const struct sim_reg_desc user_rows[] = { NV_USER_REGS(ROW, NO_FIELD) };

static const struct sim_field_desc fields[] = {
	NV_REGS(NO_ROW, FIELD) NV_USER_REGS(NO_ROW, FIELD)
};

/* Whether @off is in a range of memory or of another space, which has no single registers */
bool sim_is_window(u32 off)
{
	return off >= NV_PMEM_WINDOW || (off >= NV_PPCI_CONFIG && off < NV_PPCI_CONFIG + 0x1000);
}

const struct sim_reg_desc *sim_user_row(u32 reg)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(user_rows); i++)
		if (user_rows[i].offset == reg)
			return &user_rows[i];
	return NULL;
}

/* The register at @off; one that only other chips have if this chip has none; or NULL. */
const struct sim_reg_desc *sim_row(int chip, u32 off)
{
	const struct sim_reg_desc *found = NULL;
	size_t i;

	for (i = 0; i < ARRAY_LEN(sim_rows); i++) {
		const struct sim_reg_desc *r = &sim_rows[i];
		u32 n;

		if (off < r->offset || sim_is_window(r->offset))
			continue;
		n = r->stride ? (off - r->offset) / r->stride : 0;
		if (n >= r->count || off != r->offset + n * r->stride)
			continue;
		if (!found || (chip >= r->first && chip < r->end))
			found = r;
	}
	return found;
}

/* Field number @n of that register, or NULL */
const struct sim_field_desc *sim_field(const struct sim_reg_desc *reg, unsigned int n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(fields); i++)
		if (!strcmp(fields[i].reg, reg->token) && !n--)
			return &fields[i];
	return NULL;
}
