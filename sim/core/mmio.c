// SPDX-License-Identifier: MIT
/*
 * BAR0: look-up of a register in the register table, the checks that hold for every register, and
 * dispatch to its unit.
 */
#include <stdio.h>

#include "core.h"
#include "bar.h"
#include "board.h"
#include "fault.h"
#include "mmio.h"
#include "mmu.h"
#include "pbus.h"
#include "pci.h"
#include "pfifo.h"
#include "pflush.h"
#include "pgraph.h"
#include "pmc.h"
#include "ptimer.h"
#include "sources.h"
#include "store.h"
#include "vga.h"

static void name_of(struct nvsim *s, u32 off, char *buf, size_t len)
{
	const struct sim_reg_desc *r;

	if (off >= NV_USER_BASE && off < NV_USER_BASE + 128 * 0x2000) {
		u32 chid = (off - NV_USER_BASE) / 0x2000, reg = off & 0x1ffc;

		r = sim_user_row(reg);
		if (r)
			snprintf(buf, len, "USER[%u].%s", chid, r->name);
		else
			snprintf(buf, len, "USER[%u]+%x", chid, reg);
		return;
	}

	if (off >= NV_PMEM_WINDOW && off < NV_PMEM_WINDOW + (1 << 20)) {
		u32 pmem = *sim_reg(s, NV_PBUS_HOST_MEM_PMEM);
		unsigned long long base = NV_FLD_GET(NV_PBUS_HOST_MEM_PMEM__BASE, pmem);

		snprintf(buf, len, "PMEM(%llx)", (base << 16) + (off & 0xfffff));
		return;
	}

	if ((off & ~0xfffu) == NV_PPCI_CONFIG) {
		snprintf(buf, len, "PPCI.CONFIG+%x", off & 0xfff);
		return;
	}

	r = sim_store_row(s, off);
	if (!r)
		snprintf(buf, len, "?");
	else if (r->count > 1)
		snprintf(buf, len, "%s.%s[%u]", r->block, r->name,
			 (off - r->offset) / r->stride);
	else
		snprintf(buf, len, "%s.%s", r->block, r->name);
}

static void trace_access(struct nvsim *s, char dir, u32 off, u32 val, unsigned int size)
{
	char name[64];

	name_of(s, off, name, sizeof(name));
	sim_trace(s, "%c %06x %s %0*x", dir, off, name, (int)size * 2, val);
}

/* No unit answers: PBUS keeps the address, a read returns 0. */
static bool refuse(struct nvsim *s, u32 off, u32 val, bool write, const char *why)
{
	char name[64];

	name_of(s, off, name, sizeof(name));
	if (write)
		sim_violation(s, "write of %08x to %06x (%s): %s", val, off, name, why);
	else
		sim_violation(s, "read of %06x (%s): %s", off, name, why);

	sim_pbus_fault(s, off, val, write);
	return false;
}

static bool reg_ok(struct nvsim *s, u32 off, u32 val, unsigned int size, bool write)
{
	const struct sim_reg_desc *r = sim_store_row(s, off);
	char why[96];

	/* The table has only those registers of PGRAPH that have a name. */
	if (!r && sim_in_pgraph(off)) {
		if (!sim_unit_enabled(s, off))
			return refuse(s, off, val, write, "its unit is switched off in PMC.ENABLE");
		if (size != 4 || (off & 3))
			return refuse(s, off, val, write,
				      "registers are accessed with 32 bits, aligned");
		return true;
	}

	if (!r)
		return refuse(s, off, val, write, "no such register");

	if (!sim_store_has(s, r)) {
		snprintf(why, sizeof(why), "the %s does not have this register", s->info->name);
		return refuse(s, off, val, write, why);
	}

	if (!sim_unit_enabled(s, off))
		return refuse(s, off, val, write, "its unit is switched off in PMC.ENABLE");
	if (size != 4 || (off & 3))
		return refuse(s, off, val, write, "registers are accessed with 32 bits, aligned");

	/* These two mistakes are harmless: the access is done, or has no effect. */
	if (write && r->access == NV_RO) {
		sim_violation(s, "write of %08x to read-only register %06x (%s.%s)", val, off,
			      r->block, r->name);
		return false;
	}

	if (!write && r->access == NV_WO) {
		sim_violation(s, "read of write-only register %06x (%s.%s)", off, r->block,
			      r->name);
		return false;
	}

	return true;
}

static u32 unit_read(struct nvsim *s, u32 off)
{
	switch (off >> 12) {
	case 0x000:
		return sim_pmc_read(s, off);
	case 0x001:
		return sim_pbus_read(s, off);
	case 0x002:
	case 0x003:
		return sim_pfifo_read(s, off);
	case 0x009:
		return sim_ptimer_read(s, off);
	case 0x060:
		return off == NV_PEEPHOLE_RW_DATA ? sim_peephole_read(s, true) : *sim_reg(s, off);
	case 0x070:
		return sim_barflush_read(s);
	case 0x100:
		return sim_pfb_read(s, off);
	}

	if (sim_in_pgraph(off))
		return sim_pgraph_read(s, off);

	return *sim_reg(s, off);
}

/* Registers of interrupts of units that the model has no more of */
static void write_intr(struct nvsim *s, u32 off, u32 val)
{
	if (sim_row(s->chip, off)->access == NV_W1C)
		*sim_reg(s, off) &= ~val;
	else
		*sim_reg(s, off) = val;

	sim_irq_update(s);
}

static void unit_write(struct nvsim *s, u32 off, u32 val)
{
	switch (off >> 12) {
	case 0x000:
		sim_pmc_write(s, off, val);
		return;
	case 0x001:
		sim_pbus_write(s, off, val);
		return;
	case 0x002:
	case 0x003:
		sim_pfifo_write(s, off, val);
		return;
	case 0x009:
		sim_ptimer_write(s, off, val);
		return;
	case 0x022:
	case 0x10a:
		sim_daemon_write(s, off, val);
		return;
	case 0x00e:
	case 0x610:
		write_intr(s, off, val);
		return;
	case 0x060:
		sim_peephole_write(s, off >= NV_PEEPHOLE_RW_ADDR, off & 4, val);
		return;
	case 0x070:
		sim_barflush_write(s, val);
		return;
	case 0x100:
		sim_pfb_write(s, off, val);
		return;
	}

	if (sim_in_pgraph(off)) {
		sim_pgraph_write(s, off, val);
		return;
	}

	*sim_reg(s, off) = val;
}

/* Whether a unit of the board answers at @off, where the table has no register */
static bool is_board(struct nvsim *s, u32 off)
{
	const struct sim_reg_desc *r = sim_store_row(s, off);

	return !(r && sim_store_has(s, r)) && sim_board_owns(s, off);
}

static u32 dispatch_read(struct nvsim *s, u32 off, unsigned int size)
{
	if (off >= NV_USER_BASE || (off >= NV_USER_PIO && off < NV_USER_PIO + 0x10000)) {
		if (!sim_unit_enabled(s, off)) {
			refuse(s, off, 0, false, "PFIFO is switched off in PMC.ENABLE");
			return 0;
		}
		if (size != 4 || (off & 3)) {
			refuse(s, off, 0, false, "registers are accessed with 32 bits, aligned");
			return 0;
		}
		return sim_user_read(s, off);
	}

	if (off >= NV_PMEM_WINDOW && off < NV_PMEM_WINDOW + (1 << 20))
		return sim_pmem_read(s, off & 0xfffff, size);
	if ((off & ~0xfffu) == NV_PPCI_CONFIG)
		return sim_pci_mirror_read(s, off & 0xfff, size);
	if (sim_vga_owns(off, size))
		return sim_vga_read(s, off, size);
	if (is_board(s, off))
		return sim_board_read(s, off, size);
	if (!reg_ok(s, off, 0, size, false))
		return 0;

	return unit_read(s, off);
}

u32 sim_mmio_peek(struct nvsim *s, u32 off)
{
	const struct sim_reg_desc *r;

	if (off >= NV_BAR0_SIZE || (off & 3))
		return ~0u;
	if (off >= NV_USER_PIO)
		return sim_user_peek(s, off);
	if (off >= NV_PMEM_WINDOW && off < NV_PMEM_WINDOW + (1 << 20))
		return sim_pmem_peek(s, off & 0xfffff);
	if ((off & ~0xfffu) == NV_PPCI_CONFIG)
		return sim_pci_mirror_read(s, off & 0xfff, 4);
	if (sim_in_pgraph(off))
		return sim_pgraph_read(s, off);

	r = sim_store_row(s, off);
	if (!r || !sim_store_has(s, r))
		return ~0u;

	/* A read of the data port would read memory and advance the address. */
	if (off == NV_PEEPHOLE_RW_DATA || off == NV_PBUS_PEEPHOLE_RW_DATA)
		return ~0u;

	return unit_read(s, off);
}

static void dispatch_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	if (off >= NV_USER_BASE || (off >= NV_USER_PIO && off < NV_USER_PIO + 0x10000)) {
		if (!sim_unit_enabled(s, off))
			refuse(s, off, val, true, "PFIFO is switched off in PMC.ENABLE");
		else if (size != 4 || (off & 3))
			refuse(s, off, val, true, "registers are accessed with 32 bits, aligned");
		else
			sim_user_write(s, off, val);
		return;
	}

	if (off >= NV_PMEM_WINDOW && off < NV_PMEM_WINDOW + (1 << 20)) {
		sim_pmem_write(s, off & 0xfffff, val, size);
		return;
	}

	if ((off & ~0xfffu) == NV_PPCI_CONFIG) {
		sim_pci_mirror_write(s, off & 0xfff, val, size);
		return;
	}

	if (sim_vga_owns(off, size)) {
		sim_vga_write(s, off, val, size);
		return;
	}

	if (is_board(s, off)) {
		sim_board_write(s, off, val, size);
		return;
	}

	if (reg_ok(s, off, val, size, true))
		unit_write(s, off, val);
}

static u32 swap_lanes(u32 val, unsigned int size)
{
	if (size == 4)
		return __builtin_bswap32(val);
	return size == 2 ? __builtin_bswap16(val) : val;
}

/* In big-endian mode the bytes of each 32-bit word are swapped. */
u32 sim_mmio_read(struct nvsim *s, u32 off, unsigned int size)
{
	u32 card_off = s->big ? off ^ (4 - size) : off;
	u32 val = dispatch_read(s, card_off, size);

	if (size == 4)
		sim_forced(s, card_off, &val);

	if (s->big)
		val = swap_lanes(val, size);

	if (s->cfg.trace_mmio)
		trace_access(s, 'R', card_off, s->big ? swap_lanes(val, size) : val, size);

	return val;
}

void sim_mmio_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	if (s->big) {
		off ^= 4 - size;
		val = swap_lanes(val, size);
	}

	if (s->cfg.trace_mmio)
		trace_access(s, 'W', off, val, size);

	sim_peephole_snoop(s, off);
	dispatch_write(s, off, val, size);
}
