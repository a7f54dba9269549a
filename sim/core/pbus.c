// SPDX-License-Identifier: MIT
/*
 * PBUS: bus interrupts, the selectors of the host's apertures, and the PEEPHOLE ports.
 */
#include "core.h"
#include "bar.h"
#include "fault.h"
#include "mmu.h"
#include "pbus.h"
#include "pci.h"
#include "store.h"

/* Halves of a pair that have arrived at PEEPHOLE's write port */
#define PAIR_ADDR	NV_FLD_MASK(NV_PBUS_PEEPHOLE_W_CTRL__ADDR_VALID)
#define PAIR_DATA	NV_FLD_MASK(NV_PBUS_PEEPHOLE_W_CTRL__DATA_VALID)
#define PAIR_MASK	(PAIR_ADDR | PAIR_DATA)

void sim_pbus_init(struct nvsim *s)
{
	u32 units = 1 << 2;

	*sim_reg(s, NV_PBUS_HWUNITS_0) = s->info->hwunits_0;
	if (s->info->engines & 1 << 6)
		units |= NV_FLD_MASK(NV_PBUS_HWUNITS_1__PBSP);

	if (s->info->engines & 1 << 5)
		units |= NV_FLD_MASK(NV_PBUS_HWUNITS_1__PCRYPT);

	if (s->chip >= NV_CHIP_GT215)
		units |= NV_FLD_MASK(NV_PBUS_HWUNITS_1__PCOPY);

	/* Hide both units: they need microcode or a context that this model does not run. */
	if (s->cfg.whole_card)
		units &= ~(NV_FLD_MASK(NV_PBUS_HWUNITS_1__PCRYPT) |
			   NV_FLD_MASK(NV_PBUS_HWUNITS_1__PCOPY));

	*sim_reg(s, NV_PBUS_HWUNITS_1) = units;
}

static void raise_intr(struct nvsim *s, u32 bit)
{
	*sim_reg(s, NV_PBUS_INTR) |= bit;
	sim_irq_update(s);
}

void sim_pbus_fault(struct nvsim *s, u32 off, u32 data, bool write)
{
	*sim_reg(s, NV_PBUS_MMIO_FAULT_ADDR) =
		(off & ~3u) | NV_FLD_SET(NV_PBUS_MMIO_FAULT_ADDR__WRITE, write);
	*sim_reg(s, NV_PBUS_MMIO_FAULT_DATA) = data;
	raise_intr(s, NV_FLD_MASK(NV_PBUS_INTR__MMIO_FAULT));
}

u32 sim_pbus_read(struct nvsim *s, u32 off)
{
	if (off == NV_PBUS_PEEPHOLE_RW_DATA)
		return sim_peephole_read(s, true);
	return *sim_reg(s, off);
}

static void check_selector(struct nvsim *s, u32 off, u32 val)
{
	if (val & 0x7fff0000)
		sim_violation(s, "HOST_MEM selector %06x = %08x: bits 30:16 are reserved", off,
			      val);
}

static void write_host_chan(struct nvsim *s, u32 val)
{
	u32 desc = val & 0x3fffffff;

	if (val & 1u << 31)
		sim_violation(s, "HOST_MEM.CHAN = %08x: bit 31 is reserved", val);

	if (NV_FLD_GET(NV_PBUS_HOST_MEM_CHAN__TARGET, val) == TGT_INVALID)
		sim_violation(s, "HOST_MEM.CHAN = %08x: target 1 does not exist", val);

	if (sim_quirk(s, NVSIM_QUIRK_HOST_CHAN)) {
		bool valid = val & NV_FLD_MASK(NV_PBUS_HOST_MEM_CHAN__WHICH_BAR);

		sim_vm_bind(s, VMENG_BAR, valid && desc, desc);
		sim_vm_bind(s, VMENG_PEEPHOLE, valid && desc, desc);
		return;
	}

	if (val & NV_FLD_MASK(NV_PBUS_HOST_MEM_CHAN__WHICH_BAR))
		sim_vm_bind(s, VMENG_BAR, desc != 0, desc);
	else
		sim_vm_bind(s, VMENG_PEEPHOLE, desc != 0, desc);
}

void sim_pbus_write(struct nvsim *s, u32 off, u32 val)
{
	switch (off) {
	case NV_PBUS_INTR:
		*sim_reg(s, off) &= ~val;
		*sim_reg(s, off) |= sim_storm(s, SIM_STORM_PBUS);
		sim_irq_update(s);
		return;
	case NV_PBUS_INTR_EN:
		*sim_reg(s, off) = val;
		sim_irq_update(s);
		return;
	case NV_PBUS_INTR_USER0_TRIGGER:
		raise_intr(s, NV_FLD_MASK(NV_PBUS_INTR__USER0));
		return;
	case NV_PBUS_HOST_MEM_PMEM:
		if (val & 0xfc000000)
			sim_violation(s, "HOST_MEM.PMEM = %08x: bits 31:26 are reserved", val);
		if (NV_FLD_GET(NV_PBUS_HOST_MEM_PMEM__TARGET, val) == TGT_INVALID)
			sim_violation(s, "HOST_MEM.PMEM = %08x: target 1 does not exist", val);
		break;
	case NV_PBUS_HOST_MEM_CHAN:
		write_host_chan(s, val);
		break;
	case NV_PBUS_HOST_MEM_BAR1:
		check_selector(s, off, val);
		sim_vm_drop_obj(s, VMENG_BAR, 0);
		break;
	case NV_PBUS_HOST_MEM_BAR3:
		check_selector(s, off, val);
		sim_vm_drop_obj(s, VMENG_BAR, 1);
		break;
	case NV_PBUS_HOST_MEM_PEEPHOLE:
		check_selector(s, off, val);
		sim_vm_drop_obj(s, VMENG_PEEPHOLE, 0);
		break;
	case NV_PBUS_PEEPHOLE_W_ADDR:
	case NV_PBUS_PEEPHOLE_W_DATA:
		sim_peephole_write(s, false, off & 4, val);
		return;
	case NV_PBUS_PEEPHOLE_RW_ADDR:
	case NV_PBUS_PEEPHOLE_RW_DATA:
		sim_peephole_write(s, true, off & 4, val);
		return;
	case NV_PBUS_PEEPHOLE_W_CTRL:
		val &= PAIR_MASK | NV_FLD_MASK(NV_PBUS_PEEPHOLE_W_CTRL__FREE_FORM);
		break;
	}

	*sim_reg(s, off) = val;
}

static u32 *peephole_reg(struct nvsim *s, u32 g80_off)
{
	return sim_reg(s, sim_is_g80(s) ? g80_off :
					  g80_off - NV_PBUS_PEEPHOLE_W_ADDR + NV_PEEPHOLE_W_ADDR);
}

u32 sim_peephole_read(struct nvsim *s, bool data)
{
	u32 *addr = peephole_reg(s, NV_PBUS_PEEPHOLE_RW_ADDR);
	u32 v;

	if (!data)
		return *addr;

	v = sim_peephole_mem_read(s, *addr);
	*addr += 4;
	return v;
}

/*
 * The write port. In paired mode it takes address and data from two consecutive writes in either
 * order; the second one starts the access. In free-form mode each write of data starts one.
 */
static void write_port(struct nvsim *s, bool data, u32 val)
{
	u32 *ctrl = sim_reg(s, NV_PBUS_PEEPHOLE_W_CTRL);
	u32 *addr = peephole_reg(s, NV_PBUS_PEEPHOLE_W_ADDR);
	u32 mine = data ? PAIR_DATA : PAIR_ADDR;

	if (data)
		*peephole_reg(s, NV_PBUS_PEEPHOLE_W_DATA) = val;
	else
		*addr = val & ~3u;
	if (*ctrl & NV_FLD_MASK(NV_PBUS_PEEPHOLE_W_CTRL__FREE_FORM)) {
		if (data)
			sim_peephole_mem_write(s, *addr, val);
		return;
	}

	if (*ctrl & mine) {
		raise_intr(s, NV_FLD_MASK(NV_PBUS_INTR__PEEPHOLE_W_PAIR_MISMATCH));
		return;
	}

	if (!(*ctrl & PAIR_MASK)) {
		*ctrl |= mine;
		return;
	}

	*ctrl &= ~PAIR_MASK;
	sim_peephole_mem_write(s, *addr, *peephole_reg(s, NV_PBUS_PEEPHOLE_W_DATA));
}

void sim_peephole_write(struct nvsim *s, bool rw_port, bool data, u32 val)
{
	u32 *addr = peephole_reg(s, NV_PBUS_PEEPHOLE_RW_ADDR);

	if (!rw_port) {
		write_port(s, data, val);
	} else if (!data) {
		*addr = val & ~3u;
	} else {
		sim_peephole_mem_write(s, *addr, val);
		*addr += 4;
	}
}

/* Called for every write to BAR0, because one between the halves of a pair breaks the pair. */
void sim_peephole_snoop(struct nvsim *s, u32 off)
{
	u32 *ctrl = sim_reg(s, NV_PBUS_PEEPHOLE_W_CTRL);
	u32 port = sim_is_g80(s) ? NV_PBUS_PEEPHOLE_W_ADDR : NV_PEEPHOLE_W_ADDR;

	if (!(*ctrl & PAIR_MASK) || (off & ~7u) == port || off == NV_PBUS_PEEPHOLE_W_CTRL)
		return;
	*ctrl &= ~PAIR_MASK;
	raise_intr(s, NV_FLD_MASK(NV_PBUS_INTR__PEEPHOLE_W_PAIR_MISMATCH));
}
