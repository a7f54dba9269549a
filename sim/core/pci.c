// SPDX-License-Identifier: MIT
/*
 * PCI: interrupts, and configuration space. Power management is at 0x60, MSI at 0x68, PCI Express at
 * 0x78 (not on IGPs), the model's own control capability at 0xc0 (control.c). BAR0 has a mirror.
 */
#include <stdlib.h>

#include "core.h"
#include "fault.h"
#include "pci.h"

struct sim_pci {
	u8 cfgspace[256];
	u32 pcie_requests;	/* 0x08841c */
	bool msi_armed;
	bool line, intx_level;
};

#define CAP_PM		0x60
#define CAP_MSI		0x68
#define CAP_PCIE	0x78

static void put16(struct nvsim *s, u32 off, u16 v)
{
	s->pci->cfgspace[off] = v;
	s->pci->cfgspace[off + 1] = v >> 8;
}

int sim_pci_create(struct nvsim *s)
{
	s->pci = calloc(1, sizeof(*s->pci));
	return s->pci ? 0 : -1;
}

void sim_pci_init(struct nvsim *s)
{
	u8 *c = s->pci->cfgspace;
	u8 *link = &c[0x34];

	memset(c, 0, sizeof(s->pci->cfgspace));
	put16(s, 0x00, 0x10de);
	put16(s, 0x02, s->info->pci_device);
	put16(s, 0x04, s->cfg.is_boot_vga ? 0x0007 : 0x0000);
	put16(s, 0x06, 0x0010);
	c[0x08] = 0xa1;
	c[0x0a] = s->cfg.is_boot_vga ? 0x00 : 0x02;
	c[0x0b] = 0x03;
	put_le32(c + 0x14, 0xc);

	/* RAMIN became prefetchable with MCP77 */
	put_le32(c + 0x1c, s->chip >= NV_CHIP_MCP77 ? 0xc : 0x4);
	put16(s, 0x2c, 0x10de);
	put16(s, 0x2e, 0x0001);
	c[0x3d] = 1;

	*link = CAP_PM;
	c[CAP_PM] = 0x01;
	put16(s, CAP_PM + 2, 0x0003);
	link = &c[CAP_PM + 1];
	if (!s->cfg.no_msi) {
		*link = CAP_MSI;
		c[CAP_MSI] = 0x05;
		put16(s, CAP_MSI + 2, 0x0080);
		link = &c[CAP_MSI + 1];
	}

	if (!s->info->igp) {
		*link = CAP_PCIE;
		c[CAP_PCIE] = 0x10;
		put16(s, CAP_PCIE + 2, 0x0011);		/* version 1, legacy endpoint */
		put16(s, CAP_PCIE + 0x12, 0x0101);	/* x16, 2.5 GT/s */
		put_le32(c + CAP_PCIE + 0x0c, 0x00000d01);
		link = &c[CAP_PCIE + 1];
	}

	*link = NVSIM_CTL_CAP;
	c[NVSIM_CTL_CAP] = 0x09;
	c[NVSIM_CTL_CAP + 2] = 0x20;
	put_le32(c + NVSIM_CTL_SIGNATURE, NVSIM_CTL_MAGIC);
	s->pci->msi_armed = true;
	s->pci->line = false;
	s->pci->pcie_requests = s->chip >= NV_CHIP_G84 ? NV_FLD_MASK(NV_PPCI_REQUESTS__BEYOND_32) : 0;
}

u16 sim_pci_command(const struct nvsim *s)
{
	return s->pci->cfgspace[4] | s->pci->cfgspace[5] << 8;
}

bool sim_pci_asleep(const struct nvsim *s)
{
	return s->pci->cfgspace[CAP_PM + 4] & 3;
}

bool sim_pci_decodes(const struct nvsim *s)
{
	return (sim_pci_command(s) & 2) && !sim_pci_asleep(s);
}

bool sim_msi_enabled(const struct nvsim *s)
{
	return !s->cfg.no_msi && (s->pci->cfgspace[CAP_MSI + 2] & 1);
}

/* --- interrupts --- */

static void msi_send(struct nvsim *s)
{
	if (!s->pci->msi_armed)
		return;

	/* A message goes out once; the next one needs the re-arm write. */
	s->pci->msi_armed = false;
	if (sim_inject(s, NVSIM_INJECT_NO_IRQ) || sim_irq_lost(s))
		return;

	/* Messages of the MCP77 do not arrive; every driver leaves MSI alone there. */
	if (s->chip == NV_CHIP_MCP77)
		return;
	if (!(sim_pci_command(s) & 4)) {
		sim_violation(s, "MSI lost: bus mastering is off");
		return;
	}

	s->st.interrupts++;
	if (s->cfg.trace_mthd || s->cfg.trace_mmio)
		sim_trace(s, "IRQ msi");

	if (s->host.msi)
		s->host.msi(s->host.ctx,
			    get_le32(s->pci->cfgspace + 0x6c) | (u64)get_le32(s->pci->cfgspace + 0x70) << 32,
			    s->pci->cfgspace[0x74] | s->pci->cfgspace[0x75] << 8);
}

/* Call this after every change of an interrupt's state. */
void sim_irq_update(struct nvsim *s)
{
	/* A lost card has left the bus: it sends no messages, and INTx is one of them on PCIe. */
	bool line = !sim_lost(s) && !sim_pci_asleep(s) && s->calls->irq_line(s);
	bool rising = line && !s->pci->line;
	bool level;

	s->pci->line = line;
	if (line)
		s->pci->cfgspace[0x06] |= 0x08;
	else
		s->pci->cfgspace[0x06] &= ~0x08;

	if (sim_msi_enabled(s) && rising)
		msi_send(s);

	level = line && !sim_msi_enabled(s) && !(sim_pci_command(s) & 0x400) &&
		!sim_inject(s, NVSIM_INJECT_NO_IRQ);
	if (level == s->pci->intx_level)
		return;

	s->pci->intx_level = level;
	if (level)
		s->st.interrupts++;

	if (s->cfg.trace_mthd || s->cfg.trace_mmio)
		sim_trace(s, "IRQ intx %d", level);

	if (s->host.intx)
		s->host.intx(s->host.ctx, level);
}

/* A spurious interrupt: a message, or a pulse of the pin */
void sim_irq_extra(struct nvsim *s)
{
	if (sim_msi_enabled(s)) {
		s->pci->msi_armed = true;
		msi_send(s);
		return;
	}

	if (s->pci->intx_level || !s->host.intx)
		return;

	s->host.intx(s->host.ctx, true);
	s->host.intx(s->host.ctx, false);
}

void sim_msi_rearm(struct nvsim *s)
{
	s->pci->msi_armed = true;
	if (s->pci->line && sim_msi_enabled(s))
		msi_send(s);
}

/* --- configuration space --- */

/*
 * The card has D0 and D3hot only; a write of another state changes nothing. No_Soft_Reset says
 * whether the card keeps its state on the way back to D0.
 */
static void pmcsr_write(struct nvsim *s, u32 val)
{
	bool asleep = sim_pci_asleep(s);

	if ((val & 3) == 3)
		s->pci->cfgspace[CAP_PM + 4] |= 3;
	else if (!(val & 3))
		s->pci->cfgspace[CAP_PM + 4] &= ~3;

	if (asleep == sim_pci_asleep(s))
		return;

	if (s->cfg.trace_mthd || s->cfg.trace_mmio)
		sim_trace(s, "PM %s", asleep ? "D0" : "D3hot");

	if (asleep)
		s->calls->leave_d3(s);
	else
		sim_irq_update(s);
}

/* A word of the control capability, which control.c handles */
void sim_pci_show(struct nvsim *s, u32 off, u32 val)
{
	put_le32(s->pci->cfgspace + off, val);
}

u32 sim_pci_read(struct nvsim *s, u32 off, unsigned int size)
{
	u32 v = 0;
	unsigned int i;

	if (size != 1 && size != 2 && size != 4)
		return ~0u;
	if (off >= sizeof(s->pci->cfgspace) || size > sizeof(s->pci->cfgspace) - off)
		return size == 4 ? ~0u : (1u << 8 * size) - 1;

	s->pci->cfgspace[CAP_PM + 4] &= ~8;
	if (s->cfg.d3_loss == NVSIM_D3_KEEP)
		s->pci->cfgspace[CAP_PM + 4] |= 8;

	for (i = 0; i < size; i++)
		v |= (u32)s->pci->cfgspace[off + i] << 8 * i;

	return v;
}

static void bar_write(struct nvsim *s, u32 off, u32 val)
{
	u64 mask;

	switch (off) {
	case 0x10:
		put_le32(s->pci->cfgspace + off, val & ~(u32)(NV_BAR0_SIZE - 1));
		return;
	case 0x14:
	case 0x18:
		mask = ~(s->cfg.bar1_size - 1);
		break;
	case 0x1c:
	case 0x20:
		mask = ~(s->cfg.bar3_size - 1);
		break;
	default:	/* the card has no BAR5 and no ROM BAR */
		return;
	}

	if (off == 0x14 || off == 0x1c)
		put_le32(s->pci->cfgspace + off, (val & (u32)mask) | (s->pci->cfgspace[off] & 0xf));
	else
		put_le32(s->pci->cfgspace + off, val & (u32)(mask >> 32));
}

/* Bits of a configuration dword that a write changes without side effects */
static u32 writable(const struct nvsim *s, u32 dword)
{
	switch (dword) {
	case 0x04:
		return 0x00000547;
	case 0x0c:
		return 0x0000ffff;
	case 0x3c:
		return 0x000000ff;
	}

	if (!s->cfg.no_msi) {
		switch (dword) {
		case CAP_MSI:
			return 0x00710000;
		case CAP_MSI + 4:
			return 0xfffffffc;
		case CAP_MSI + 8:
			return 0xffffffff;
		case CAP_MSI + 0xc:
			return 0x0000ffff;
		}
	}

	if (!s->info->igp) {
		switch (dword) {
		case CAP_PCIE + 8:
			return 0x00007fff;
		case CAP_PCIE + 0x10:
			return 0x000001cb;
		}
	}

	return 0;
}

/*
 * Whether a real configuration write of 0xff to the MSI id byte is a re-arm. nouveau of Linux 7.3
 * does it on the MCP79, earlier versions through MMIO.
 */
static bool config_rearms(const struct nvsim *s)
{
	return s->chip < NV_CHIP_G94 || s->chip == NV_CHIP_MCP79;
}

void sim_pci_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	u32 dword = off & ~3u, shift = 8 * (off & 3), mask, old, merged;
	bool msi_was;

	if ((size != 1 && size != 2 && size != 4) || off >= sizeof(s->pci->cfgspace) ||
	    (off & (size - 1)))
		return;
	mask = (size == 4 ? ~0u : (1u << 8 * size) - 1) << shift;
	val = val << shift & mask;

	if (off == CAP_MSI && size == 1 && val == 0xff && config_rearms(s)) {
		sim_msi_rearm(s);
		return;
	}

	old = get_le32(s->pci->cfgspace + dword);
	merged = (old & ~mask) | val;
	if (dword == CAP_PM + 4) {
		pmcsr_write(s, merged);
		return;
	}

	if (dword >= 0x10 && dword <= 0x24) {
		bar_write(s, dword, merged);
		return;
	}

	msi_was = sim_msi_enabled(s);
	mask = writable(s, dword);
	put_le32(s->pci->cfgspace + dword, (old & ~mask) | (merged & mask));
	if (sim_msi_enabled(s) && !msi_was) {
		if (s->chip == NV_CHIP_MCP77)
			sim_violation(s, "MSI switched on, but the MCP77's messages do not arrive");
		s->pci->msi_armed = true;
		s->pci->line = false;	/* a pending interrupt becomes a message */
	}

	if (dword == 0x04 || dword == CAP_MSI)
		sim_irq_update(s);
}

/* Whether the driver allows more outstanding reads than the link has tags for */
bool sim_pci_loses_reads(const struct nvsim *s)
{
	bool extended = s->pci->cfgspace[CAP_PCIE + 9] & 1;

	return sim_quirk(s, NVSIM_QUIRK_PCIE_TAGS) && !s->info->igp && !extended &&
	       (s->pci->pcie_requests & NV_FLD_MASK(NV_PPCI_REQUESTS__BEYOND_32));
}

u32 sim_pci_requests(const struct nvsim *s)
{
	return s->pci->pcie_requests;
}

u32 sim_pci_mirror_read(struct nvsim *s, u32 off, unsigned int size)
{
	if (off == NV_PPCI_REQUESTS - NV_PPCI_CONFIG && s->chip >= NV_CHIP_G84)
		return s->pci->pcie_requests;
	/* The mirror ends before the control capability, which real cards lack. */
	if (off >= NVSIM_CTL_CAP)
		return 0;
	return sim_pci_read(s, off, size);
}

/* A write of the byte at the MSI capability's id re-arms MSI. */
static void mirror_rearm(struct nvsim *s)
{
	if (s->chip < NV_CHIP_G94)
		sim_violation(s, "MSI re-arm through MMIO 088068 has no effect on %s",
			      s->info->name);
	else if (s->chip != NV_CHIP_MCP79 || !sim_quirk(s, NVSIM_QUIRK_MSI_MIRROR))
		sim_msi_rearm(s);
}

/* Byte lanes matter: wider writes than the re-arm's byte also reach Message Control. */
void sim_pci_mirror_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	bool enabled = sim_msi_enabled(s);

	if (off == NV_PPCI_REQUESTS - NV_PPCI_CONFIG && size == 4)
		s->pci->pcie_requests = val;

	if (off >= NVSIM_CTL_CAP)
		return;

	if (off == CAP_MSI && (val & 0xff) == 0xff) {
		mirror_rearm(s);
		if (size == 1)
			return;
	}

	sim_pci_write(s, off, val, size);
	if (enabled && !sim_msi_enabled(s))
		sim_violation(s, "MSI switched off by a write of %u bytes to MMIO 0880%02x; the "
				 "re-arm is a write of one byte", size, off);
}
