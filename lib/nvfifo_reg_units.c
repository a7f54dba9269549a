// SPDX-License-Identifier: MIT
/*
 * Fields that not all chips have, and the units of bits that chips use for different units.
 *
 * The register table names such a bit once, for its first unit: PMC.ENABLE.PCRYPT is PCIPHER of
 * a G84, PSEC of a G98 and PVCOMP of an MCP89. rnndb has a name for each.
 */
#include <string.h>

#include "nvfifo_reg_table.h"
#include "nvfifo_reg_units.h"

/* Bits of enum nv_chip, which is in the order of the ranges. */
#define FROM(first)		((1u << NV_CHIP_END) - (1u << NV_CHIP_##first))
#define RANGE(first, end)	(FROM(first) & ~FROM(end))

#define G80	RANGE(G80, G84)
#define VP2	(RANGE(G84, G98) | RANGE(G200, MCP77))
#define VP3_4	(RANGE(G98, G200) | FROM(MCP77))
#define PSEC	(RANGE(G98, G200) | RANGE(MCP77, GT215))
#define PCRYPT	(RANGE(G84, GT215) | FROM(MCP89))

/* Without a row a field is on each chip that has the register. */
static const struct {
	const char *block;
	const char *reg; /* NULL: of each register of the block */
	const char *field;
	__u32 chips;
} limits[] = {
	{ "PMC", NULL, "PBSP", FROM(G84) },
	{ "PMC", NULL, "PCOPY", FROM(GT215) },
	{ "PMC", NULL, "PCRYPT", PCRYPT },
	{ "PMC", NULL, "PDAEMON", FROM(GT215) },
	{ "PMC", NULL, "PPCI", FROM(G84) },
	{ "PMC", "ENABLE", "PBSP_CTXSW", FROM(G84) },
	{ "PMC", "ENABLE", "PCOPY_CTXSW", FROM(GT215) },
	{ "PMC", "ENABLE", "PCRYPT_CTXSW", PCRYPT },
	{ "PMC", "ENABLE", "PGRAPH_CTXSW", FROM(G84) },
	{ "PMC", "ENABLE", "PMPEG_CTXSW", FROM(G84) },
	{ "PMC", "ENABLE", "PVP_CTXSW", FROM(G84) },
	{ "PBUS", "HWUNITS_1", "PCOPY", FROM(GT215) },
	{ "PFB", "VM_FAULT", "PBSP", FROM(G84) },
	{ "PFB", "VM_FAULT", "PCOPY", FROM(GT215) },
	{ "PFB", "VM_FAULT", "PCOUNTER", FROM(G84) },
	{ "PFB", "VM_FAULT", "PCRYPT", FROM(G84) },
	{ "PFB", "VM_FAULT", "PDAEMON", FROM(GT215) },
	{ "PFB", "VM_FAULT", "PVCOMP", FROM(MCP89) },
	{ "PFIFO", NULL, "MTHD_UNK2C", FROM(MCP89) },
	{ "PFIFO", NULL, "NOTIFY", FROM(G84) },
	{ "CACHE1", "PULL0", "MTHD_UNK2C_UNK0_0_UNK28_1", FROM(MCP89) },
	{ "CACHE1", "PULL0", "MTHD_UNK2C_UNK29_INVALID", FROM(MCP89) },
	{ "CACHE1", "PULL1", "ACQUIRE_MODE_GEQ", FROM(G84) },
	{ "CACHE1", "PULL1", "ACQUIRE_SOURCE_NEW", FROM(G84) },
};

static const struct {
	const char *field; /* alone or with "_CTXSW" */
	__u32 chips;
	const char *unit;
} units[] = {
	{ "PVPE", G80, "PMPEG, PME" },
	{ "PVPE", VP2, "PMPEG" },
	{ "PVPE", VP3_4, "PPPP" },
	{ "PMPEG", G80 | VP2, "PMPEG" },
	{ "PMPEG", VP3_4, "PPPP" },
	{ "PVP", G80, "PVP1" },
	{ "PVP", VP2, "PVP2" },
	{ "PVP", VP3_4, "PPDEC" },
	{ "PBSP", VP2, "PBSP" },
	{ "PBSP", VP3_4, "PVLD" },
	{ "PCRYPT", VP2, "PCIPHER" },
	{ "PCRYPT", PSEC, "PSEC" },
	{ "PCRYPT", FROM(MCP89), "PVCOMP" },
	{ "PME_PCOPY", G80, "PME" },
	{ "PME_PCOPY", FROM(GT215), "PCOPY" },
};

bool nvfifo_field_on(const char *block, const char *reg, const char *field, int chip)
{
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (strcmp(limits[i].block, block) || strcmp(limits[i].field, field))
			continue;
		if (!limits[i].reg || !strcmp(limits[i].reg, reg))
			return limits[i].chips & (1u << chip);
	}

	return true;
}

/* "PVP" and "PVP_CTXSW" are of PVP. */
static bool of_unit(const char *field, const char *unit)
{
	size_t n = strlen(unit);

	return !strncmp(field, unit, n) && (!field[n] || !strcmp(field + n, "_CTXSW"));
}

const char *nvfifo_field_unit(const char *field, int chip)
{
	const char *none = NULL;
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!of_unit(field, units[i].field))
			continue;
		if (units[i].chips & (1u << chip))
			return units[i].unit;
		none = "no such unit on this chip";
	}

	return none;
}
