// SPDX-License-Identifier: MIT
/*
 * Names of accesses. They come from the register table, the list of the board's units and the
 * layout of configuration space.
 */
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../core/board.h"
#include "../core/chip.h"
#include "../core/core.h"
#include "../core/regs.h"

static const struct {
	uint16_t off, len;
	const char *name;
} config_names[] = {
    {0x00, 2, "VENDOR_ID"},
    {0x02, 2, "DEVICE_ID"},
    {0x04, 2, "COMMAND"},
    {0x06, 2, "STATUS"},
    {0x08, 1, "REVISION"},
    {0x09, 3, "CLASS"},
    {0x0c, 1, "CACHE_LINE_SIZE"},
    {0x0d, 1, "LATENCY_TIMER"},
    {0x0e, 1, "HEADER_TYPE"},
    {0x0f, 1, "BIST"},
    {0x10, 4, "BAR0"},
    {0x14, 4, "BAR1"},
    {0x18, 4, "BAR1_HIGH"},
    {0x1c, 4, "BAR3"},
    {0x20, 4, "BAR3_HIGH"},
    {0x24, 4, "BAR5"},
    {0x28, 4, "CARDBUS_CIS"},
    {0x2c, 2, "SUBSYSTEM_VENDOR_ID"},
    {0x2e, 2, "SUBSYSTEM_ID"},
    {0x30, 4, "ROM_ADDRESS"},
    {0x34, 1, "CAPABILITIES"},
    {0x3c, 1, "INTERRUPT_LINE"},
    {0x3d, 1, "INTERRUPT_PIN"},
    {0x3e, 1, "MIN_GNT"},
    {0x3f, 1, "MAX_LAT"},
    {0x40, 4, "SUBSYSTEM_MIRROR"},
    {0x60, 2, "PM.ID"},
    {0x62, 2, "PM.CAP"},
    {0x64, 4, "PM.CONTROL"},
    {0x68, 2, "MSI.ID"},
    {0x6a, 2, "MSI.CONTROL"},
    {0x6c, 4, "MSI.ADDRESS"},
    {0x70, 4, "MSI.ADDRESS_HIGH"},
    {0x74, 2, "MSI.DATA"},
    {0x78, 2, "EXP.ID"},
    {0x7a, 2, "EXP.CAP"},
    {0x7c, 4, "EXP.DEVICE_CAP"},
    {0x80, 2, "EXP.DEVICE_CONTROL"},
    {0x82, 2, "EXP.DEVICE_STATUS"},
    {0x84, 4, "EXP.LINK_CAP"},
    {0x88, 2, "EXP.LINK_CONTROL"},
    {0x8a, 2, "EXP.LINK_STATUS"},
    {NVSIM_CTL_CAP, 4, "NVSIM.ID"},
    {NVSIM_CTL_SIGNATURE, 4, "NVSIM.SIGNATURE"},
    {NVSIM_CTL_CMD, 4, "NVSIM.CMD"},
    {NVSIM_CTL_ARG, 4, "NVSIM.ARG"},
    {NVSIM_CTL_RESULT, 4, "NVSIM.RESULT"},
    {NVSIM_CTL_RESULT_1, 4, "NVSIM.RESULT_1"},
    {NVSIM_CTL_RESULT_2, 4, "NVSIM.RESULT_2"},
    {NVSIM_CTL_RESULT_3, 4, "NVSIM.RESULT_3"},
};

static const char *const commands[] = {
    [NVSIM_CTL_MARK] = "MARK",
    [NVSIM_CTL_RESET_STATS] = "RESET_STATS",
    [NVSIM_CTL_GET_STAT] = "GET_STAT",
    [NVSIM_CTL_INJECT] = "INJECT",
    [NVSIM_CTL_CLEAR] = "CLEAR",
    [NVSIM_CTL_SET_ADDR] = "SET_ADDR",
    [NVSIM_CTL_VRAM_READ] = "VRAM_READ",
    [NVSIM_CTL_VRAM_WRITE] = "VRAM_WRITE",
    [NVSIM_CTL_EXPECT_VIOLATION] = "EXPECT_VIOLATION",
    [NVSIM_CTL_READ_REG] = "READ_REG",
    [NVSIM_CTL_TLB_ENTRIES] = "TLB_ENTRIES",
    [NVSIM_CTL_D3_LOSS] = "D3_LOSS",
    [NVSIM_CTL_REC_RESET] = "REC_RESET",
    [NVSIM_CTL_REC_COUNT] = "REC_COUNT",
    [NVSIM_CTL_REC_CRC] = "REC_CRC",
    [NVSIM_CTL_REC_SEEK] = "REC_SEEK",
    [NVSIM_CTL_REC_NEXT] = "REC_NEXT",
    [NVSIM_CTL_ENGINE_CONTEXT] = "ENGINE_CONTEXT",
    [NVSIM_CTL_QUIRK] = "QUIRK",
};

static const char *const injections[NVSIM_INJECT_COUNT] = {
    [NVSIM_INJECT_TLB_STUCK] = "TLB_STUCK",
    [NVSIM_INJECT_KICK_STUCK] = "KICK_STUCK",
    [NVSIM_INJECT_BARFLUSH_STUCK] = "BARFLUSH_STUCK",
    [NVSIM_INJECT_LOST] = "LOST",
    [NVSIM_INJECT_NO_IRQ] = "NO_IRQ",
    [NVSIM_INJECT_FREEZE_STUCK] = "FREEZE_STUCK",
    [NVSIM_INJECT_PLAYLIST_STUCK] = "PLAYLIST_STUCK",
    [NVSIM_INJECT_PGRAPH_BUSY] = "PGRAPH_BUSY",
};

void names_init(struct names *n, const char *chipset)
{
	memset(n, 0, sizeof(*n));
	while (n->chip < NV_CHIP_END && strcasecmp(chipset, sim_chips[n->chip].name))
		n->chip++;
}

static bool is_config(const struct record *rec)
{
	return rec->type == RECORD_CFG_READ || rec->type == RECORD_CFG_WRITE;
}

static bool is_bar(const struct record *rec)
{
	return rec->type >= RECORD_BAR_READ && rec->type <= RECORD_FILL;
}

void names_follow(struct names *n, const struct record *rec)
{
	if (rec->type == RECORD_BAR_WRITE && rec->bar == 0 && rec->addr == NV_PBUS_HOST_MEM_PMEM)
		n->pmem = (uint32_t)rec->value;
	else if (rec->type == RECORD_CFG_WRITE && rec->addr == NVSIM_CTL_ARG)
		n->arg = (uint32_t)rec->value;
	else if (rec->type == RECORD_POWER_UP)
		n->pmem = 0;
}

static void config_name(uint64_t off, char *buf, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(config_names); i++) {
		if (off < config_names[i].off || off >= config_names[i].off + config_names[i].len)
			continue;
		if (off == config_names[i].off)
			snprintf(buf, len, "config %s", config_names[i].name);
		else
			snprintf(buf, len, "config %s+%u", config_names[i].name,
				 (unsigned int)(off - config_names[i].off));
		return;
	}

	snprintf(buf, len, "config %03" PRIx64, off);
}

/* The register at an offset in BAR0, or NULL */
static const struct sim_reg_desc *row_of(const struct names *n, uint64_t off)
{
	if (off >= NV_USER_BASE && off < NV_BAR0_SIZE && (off - NV_USER_BASE) / 0x2000 < 128)
		return sim_user_row(off & 0x1fff);
	/* MSI_REARM lies inside the mirror of configuration space, but is no part of it. */
	if (off == NV_PPCI_MSI_REARM && n->chip >= NV_CHIP_G94)
		return NULL;
	return off < NV_PMEM_WINDOW ? sim_row(n->chip, (u32)off) : NULL;
}

/* Address in memory of an access through the PMEM window */
static uint64_t pmem_address(const struct names *n, uint64_t off)
{
	return ((uint64_t)NV_FLD_GET(NV_PBUS_HOST_MEM_PMEM__BASE, n->pmem) << 16) + (off & 0xfffff);
}

static bool bar0_name(const struct names *n, uint64_t off, char *buf, size_t len)
{
	const struct sim_reg_desc *r = row_of(n, off);
	const char *unit;
	u32 first;

	if (off >= NV_USER_BASE) {
		unsigned int chid = (unsigned int)((off - NV_USER_BASE) / 0x2000);

		if (r)
			snprintf(buf, len, "USER[%u].%s", chid, r->name);
		else
			snprintf(buf, len, "USER[%u]+%x", chid, (unsigned int)(off & 0x1fff));
	} else if (off >= NV_USER_PIO && off < NV_USER_PIO + 0x10000) {
		snprintf(buf, len, "USER_PIO[%u]+%x", (unsigned int)((off - NV_USER_PIO) / 0x2000),
			 (unsigned int)(off & 0x1fff));
	} else if (off >= NV_PMEM_WINDOW && off < NV_PMEM_WINDOW + (1 << 20)) {
		static const char *const memory[] = {"VRAM", "target 1", "RAM", "RAM, no snoop"};

		snprintf(buf, len, "PMEM %s+%" PRIx64,
			 memory[NV_FLD_GET(NV_PBUS_HOST_MEM_PMEM__TARGET, n->pmem)],
			 pmem_address(n, off));
	} else if (off == NV_PPCI_MSI_REARM && n->chip >= NV_CHIP_G94) {
		snprintf(buf, len, "PPCI.MSI_REARM");
	} else if ((off & ~0xfffull) == NV_PPCI_CONFIG) {
		char name[64];

		config_name(off & 0xfff, name, sizeof(name));
		snprintf(buf, len, "PPCI %s", name);
	} else if (r && r->count > 1) {
		snprintf(buf, len, "%s.%s[%u]", r->block, r->name,
			 (unsigned int)(off - r->offset) / r->stride);
	} else if (r) {
		snprintf(buf, len, "%s.%s", r->block, r->name);
	} else if (off < NV_BAR0_SIZE && sim_in_pgraph((u32)off)) {
		snprintf(buf, len, "PGRAPH+%04x", (unsigned int)off & 0xffff);
	} else {
		unit = off < NV_BAR0_SIZE ? sim_board_name(n->chip, (u32)off, &first) : NULL;
		if (!unit)
			return false;
		snprintf(buf, len, "%s+%04x", unit, (unsigned int)off - first);
	}

	return true;
}

bool names_modelled(const struct names *n, const struct record *rec)
{
	uint64_t space, place;

	return rec->bar || (rec->addr & ~0xfffull) == NV_PPCI_CONFIG ||
	       row_of(n, rec->addr & ~3ull) || names_memory(n, rec, &space, &place);
}

bool names_unknown(const struct names *n, const struct record *rec)
{
	char name[80];

	return is_bar(rec) && rec->bar == 0 && !bar0_name(n, rec->addr, name, sizeof(name));
}

static void bar_name(const struct names *n, const struct record *rec, char *buf, size_t len)
{
	char name[80];

	if (rec->bar)
		snprintf(buf, len, "BAR%u+%07" PRIx64, rec->bar, rec->addr);
	else if (bar0_name(n, rec->addr, name, sizeof(name)))
		snprintf(buf, len, "%06" PRIx64 " %s", rec->addr, name);
	else
		snprintf(buf, len, "%06" PRIx64 " ?", rec->addr);
}

void names_access(const struct names *n, const struct record *rec, char *buf, size_t len)
{
	if (is_config(rec))
		config_name(rec->addr, buf, len);
	else if (is_bar(rec))
		bar_name(n, rec, buf, len);
	else if (rec->type == RECORD_RUN)
		snprintf(buf, len, "work");
	else if (rec->type == RECORD_SETTLE)
		snprintf(buf, len, "end of the session");
	else if (rec->type == RECORD_POWER_UP)
		snprintf(buf, len, "power-up");
	else
		buf[0] = 0;
}

static void control_text(const struct names *n, uint64_t cmd, char *buf, size_t len)
{
	if (cmd >= ARRAY_LEN(commands) || !commands[cmd])
		snprintf(buf, len, "no command");
	else if (cmd == NVSIM_CTL_CLEAR && n->arg == ~0u)
		snprintf(buf, len, "CLEAR all");
	else if ((cmd == NVSIM_CTL_INJECT || cmd == NVSIM_CTL_CLEAR) && n->arg < NVSIM_INJECT_COUNT)
		snprintf(buf, len, "%s %s", commands[cmd], injections[n->arg]);
	else
		snprintf(buf, len, "%s %x", commands[cmd], n->arg);
}

/* Whether the chip has the field: some fields move after the G80, and their names say so. */
static bool of_chip(const struct names *n, const char *name, int *name_len)
{
	size_t l = strlen(name);

	*name_len = (int)l;
	if (l < 4 || (strcmp(name + l - 4, "_G80") && strcmp(name + l - 4, "_G84")))
		return true;
	*name_len = (int)l - 4;
	return (n->chip == NV_CHIP_G80) == !strcmp(name + l - 4, "_G80");
}

void names_value(const struct names *n, const struct record *rec, uint64_t value, char *buf,
		 size_t len)
{
	const struct sim_reg_desc *r;
	const struct sim_field_desc *f;
	size_t at = 0;
	unsigned int i;

	buf[0] = 0;
	if (rec->type == RECORD_CFG_WRITE && rec->addr == NVSIM_CTL_CMD)
		control_text(n, value, buf, len);

	if (!is_bar(rec) || rec->bar || rec->size != 4)
		return;

	r = row_of(n, rec->addr);
	if (!r || !value || value == UINT32_MAX)
		return;

	for (i = 0; (f = sim_field(r, i)) != NULL && at < len; i++) {
		uint64_t v = value >> f->lo & ((2ull << (f->hi - f->lo)) - 1);
		int name_len;

		if (!v || !of_chip(n, f->name, &name_len))
			continue;
		if (f->hi == f->lo)
			at += (size_t)snprintf(buf + at, len - at, "%s%.*s", at ? " " : "",
					       name_len, f->name);
		else
			at += (size_t)snprintf(buf + at, len - at, "%s%.*s=%" PRIx64, at ? " " : "",
					       name_len, f->name, v);
	}
}

bool names_memory(const struct names *n, const struct record *rec, uint64_t *space, uint64_t *place)
{
	const char *unit;
	u32 first;

	if (!is_bar(rec))
		return false;

	*space = rec->bar;
	*place = rec->addr;
	if (rec->bar)
		return true;

	if (rec->addr >= NV_PMEM_WINDOW && rec->addr < NV_PMEM_WINDOW + (1 << 20)) {
		*space = 0x100 + NV_FLD_GET(NV_PBUS_HOST_MEM_PMEM__TARGET, n->pmem);
		*place = pmem_address(n, rec->addr);
		return true;
	}

	unit = rec->addr < NV_BAR0_SIZE ? sim_board_name(n->chip, (u32)rec->addr, &first) : NULL;

	return unit && !strcmp(unit, "PROM");
}

bool names_is_clock(const struct record *rec)
{
	return rec->type == RECORD_BAR_READ && rec->bar == 0 &&
	       (rec->addr == NV_PTIMER_TIME_LOW || rec->addr == NV_PTIMER_TIME_HIGH);
}
