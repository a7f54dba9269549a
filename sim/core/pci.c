// SPDX-License-Identifier: MIT
/*
 * PCI configuration space: power management at 0x60, MSI at 0x68, PCI Express at 0x78 (not on
 * IGPs), the model's own control capability at 0xc0. BAR0 has a mirror of it.
 */
#include "core.h"

#define CAP_PM		0x60
#define CAP_MSI		0x68
#define CAP_PCIE	0x78

static void put16(struct nvsim *s, u32 off, u16 v)
{
	s->cfgspace[off] = v;
	s->cfgspace[off + 1] = v >> 8;
}

void sim_pci_init(struct nvsim *s)
{
	u8 *c = s->cfgspace;
	u8 *link = &c[0x34];

	memset(c, 0, sizeof(s->cfgspace));
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
	s->msi_armed = true;
	s->pcie_requests = s->chip >= NV_CHIP_G84 ? NV_FLD_MASK(NV_PPCI_REQUESTS__BEYOND_32) : 0;
}

u16 sim_pci_command(const struct nvsim *s)
{
	return s->cfgspace[4] | s->cfgspace[5] << 8;
}

bool sim_pci_asleep(const struct nvsim *s)
{
	return s->cfgspace[CAP_PM + 4] & 3;
}

bool sim_pci_decodes(const struct nvsim *s)
{
	return (sim_pci_command(s) & 2) && !sim_pci_asleep(s);
}

bool sim_msi_enabled(const struct nvsim *s)
{
	return !s->cfg.no_msi && (s->cfgspace[CAP_MSI + 2] & 1);
}

/*
 * The commands of the control words in configuration space. Each takes CTL_ARG and returns
 * CTL_RESULT; ~0 is the answer to an argument that is out of range.
 */
static u32 ctl_mark(struct nvsim *s, u32 arg)
{
	sim_trace(s, "MARK %u", arg);
	return 0;
}

static u32 ctl_reset_stats(struct nvsim *s, u32 arg)
{
	u64 violations = s->st.violations;

	(void)arg;
	memset(&s->st, 0, sizeof(s->st));
	s->st.violations = violations;
	return 0;
}

static u32 ctl_get_stat(struct nvsim *s, u32 arg)
{
	u64 all[sizeof(s->st) / sizeof(u64)];

	sim_mmu_settle(s);
	memcpy(all, &s->st, sizeof(all));
	return arg < ARRAY_LEN(all) ? (u32)all[arg] : ~0u;
}

static u32 ctl_inject(struct nvsim *s, u32 arg)
{
	if (arg >= NVSIM_INJECT_COUNT)
		return ~0u;

	sim_inject_set(s, arg, 0);
	return 0;
}

static u32 ctl_clear(struct nvsim *s, u32 arg)
{
	if (arg != ~0u && arg >= NVSIM_INJECT_COUNT)
		return ~0u;

	sim_inject_clear(s, arg == ~0u ? ~0u : 1u << arg);
	return 0;
}

static u32 ctl_set_addr(struct nvsim *s, u32 arg)
{
	s->ctl_addr = arg;
	return 0;
}

static u32 ctl_vram_read(struct nvsim *s, u32 arg)
{
	u32 at = s->ctl_addr;
	u8 word[4];

	(void)arg;
	s->ctl_addr += 4;
	if (nvsim_vram_read(s, at, word, 4))
		return ~0u;

	return get_le32(word);
}

static u32 ctl_vram_write(struct nvsim *s, u32 arg)
{
	u32 at = s->ctl_addr;
	u8 word[4];

	s->ctl_addr += 4;
	put_le32(word, arg);
	return nvsim_vram_write(s, at, word, 4) ? ~0u : 0;
}

/* The answer is the number of earlier expected violations that did not happen. */
static u32 ctl_expect_violation(struct nvsim *s, u32 arg)
{
	u32 missing = s->expect_violations;

	s->expect_violations = arg;
	return missing;
}

static u32 ctl_tlb_entries(struct nvsim *s, u32 arg)
{
	return arg < VMENG_COUNT ? s->vm[arg].tlb.used : ~0u;
}

static u32 ctl_d3_loss(struct nvsim *s, u32 arg)
{
	u32 old = s->cfg.d3_loss;

	if (arg >= NVSIM_D3_COUNT)
		return ~0u;

	s->cfg.d3_loss = arg;
	return old;
}

static u32 ctl_rec_reset(struct nvsim *s, u32 arg)
{
	(void)arg;
	sim_record_reset(s);
	return 0;
}

static u32 ctl_rec_count(struct nvsim *s, u32 chid)
{
	return chid < 128 ? (u32)s->record_sum[chid].count : ~0u;
}

static u32 ctl_rec_crc(struct nvsim *s, u32 chid)
{
	return chid < 128 ? s->record_sum[chid].crc : ~0u;
}

static u32 ctl_rec_seek(struct nvsim *s, u32 arg)
{
	s->record_pos = arg;
	return 0;
}

static u32 ctl_rec_next(struct nvsim *s, u32 chid)
{
	static const struct sim_record end = { .where = ~0u };
	const struct sim_record *r = chid < 128 ? sim_record_next(s, chid) : NULL;

	if (!r)
		r = &end;

	put_le32(s->cfgspace + NVSIM_CTL_RESULT_1, r->data);
	put_le32(s->cfgspace + NVSIM_CTL_RESULT_2, r->class);
	put_le32(s->cfgspace + NVSIM_CTL_RESULT_3, r->object);
	return r->where;
}

static u32 ctl_engine_context(struct nvsim *s, u32 arg)
{
	u32 old = s->cfg.engine_context;

	if (arg >= NVSIM_ENGINE_CONTEXT_COUNT)
		return ~0u;

	s->cfg.engine_context = arg;
	return old;
}

static u32 ctl_quirk(struct nvsim *s, u32 arg)
{
	u32 quirk = arg >> 8, side = arg & 0xff, old;

	if (quirk >= NVSIM_QUIRK_COUNT || side > 1)
		return ~0u;

	old = sim_quirk(s, quirk);
	s->cfg.quirks = (s->cfg.quirks & ~(1ull << quirk)) | (u64)side << quirk;
	return old;
}

static void ctl_command(struct nvsim *s, u32 cmd)
{
	static u32 (*const commands[])(struct nvsim *s, u32 arg) = {
		[NVSIM_CTL_MARK] = ctl_mark,
		[NVSIM_CTL_RESET_STATS] = ctl_reset_stats,
		[NVSIM_CTL_GET_STAT] = ctl_get_stat,
		[NVSIM_CTL_INJECT] = ctl_inject,
		[NVSIM_CTL_CLEAR] = ctl_clear,
		[NVSIM_CTL_SET_ADDR] = ctl_set_addr,
		[NVSIM_CTL_VRAM_READ] = ctl_vram_read,
		[NVSIM_CTL_VRAM_WRITE] = ctl_vram_write,
		[NVSIM_CTL_EXPECT_VIOLATION] = ctl_expect_violation,
		[NVSIM_CTL_READ_REG] = sim_mmio_peek,
		[NVSIM_CTL_TLB_ENTRIES] = ctl_tlb_entries,
		[NVSIM_CTL_D3_LOSS] = ctl_d3_loss,
		[NVSIM_CTL_REC_RESET] = ctl_rec_reset,
		[NVSIM_CTL_REC_COUNT] = ctl_rec_count,
		[NVSIM_CTL_REC_CRC] = ctl_rec_crc,
		[NVSIM_CTL_REC_SEEK] = ctl_rec_seek,
		[NVSIM_CTL_REC_NEXT] = ctl_rec_next,
		[NVSIM_CTL_ENGINE_CONTEXT] = ctl_engine_context,
		[NVSIM_CTL_QUIRK] = ctl_quirk,
		[NVSIM_CTL_TEXT] = sim_command_text,
	};

	s->ctl_result = ~0u;
	if (cmd < ARRAY_LEN(commands) && commands[cmd])
		s->ctl_result = commands[cmd](s, s->ctl_arg);
}

/*
 * The card has D0 and D3hot only; a write of another state changes nothing. No_Soft_Reset says
 * whether the card keeps its state on the way back to D0.
 */
static void pmcsr_write(struct nvsim *s, u32 val)
{
	bool asleep = sim_pci_asleep(s);

	if ((val & 3) == 3)
		s->cfgspace[CAP_PM + 4] |= 3;
	else if (!(val & 3))
		s->cfgspace[CAP_PM + 4] &= ~3;

	if (asleep == sim_pci_asleep(s))
		return;

	if (s->cfg.trace_mthd || s->cfg.trace_mmio)
		sim_trace(s, "PM %s", asleep ? "D0" : "D3hot");

	if (asleep)
		sim_leave_d3(s);
	else
		sim_irq_update(s);
}

u32 nvsim_cfg_read(struct nvsim *s, u32 off, unsigned int size)
{
	u32 v = 0;
	unsigned int i;

	sim_posted_arrive(s);
	if (size != 1 && size != 2 && size != 4)
		return ~0u;
	if (off >= sizeof(s->cfgspace) || size > sizeof(s->cfgspace) - off)
		return size == 4 ? ~0u : (1u << 8 * size) - 1;

	s->cfgspace[CAP_PM + 4] &= ~8;
	if (s->cfg.d3_loss == NVSIM_D3_KEEP)
		s->cfgspace[CAP_PM + 4] |= 8;

	put_le32(s->cfgspace + NVSIM_CTL_ARG, s->ctl_arg);
	put_le32(s->cfgspace + NVSIM_CTL_RESULT, s->ctl_result);

	for (i = 0; i < size; i++)
		v |= (u32)s->cfgspace[off + i] << 8 * i;

	return v;
}

static void bar_write(struct nvsim *s, u32 off, u32 val)
{
	u64 mask;

	switch (off) {
	case 0x10:
		put_le32(s->cfgspace + off, val & ~(u32)(NV_BAR0_SIZE - 1));
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
		put_le32(s->cfgspace + off, (val & (u32)mask) | (s->cfgspace[off] & 0xf));
	else
		put_le32(s->cfgspace + off, val & (u32)(mask >> 32));
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

void nvsim_cfg_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	u32 dword = off & ~3u, shift = 8 * (off & 3), mask, old, merged;
	bool msi_was;

	sim_posted_arrive(s);
	if ((size != 1 && size != 2 && size != 4) || off >= sizeof(s->cfgspace) ||
	    (off & (size - 1)))
		return;
	mask = (size == 4 ? ~0u : (1u << 8 * size) - 1) << shift;
	val = val << shift & mask;

	if (dword == NVSIM_CTL_ARG) {
		s->ctl_arg = (s->ctl_arg & ~mask) | val;
		return;
	}

	if (dword == NVSIM_CTL_CMD) {
		ctl_command(s, val >> shift);
		return;
	}

	if (off == CAP_MSI && size == 1 && val == 0xff && config_rearms(s)) {
		sim_msi_rearm(s);
		return;
	}

	old = get_le32(s->cfgspace + dword);
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
	put_le32(s->cfgspace + dword, (old & ~mask) | (merged & mask));
	if (sim_msi_enabled(s) && !msi_was) {
		if (s->chip == NV_CHIP_MCP77)
			sim_violation(s, "MSI switched on, but the MCP77's messages do not arrive");
		s->msi_armed = true;
		s->line = false;	/* a pending interrupt becomes a message */
	}

	if (dword == 0x04 || dword == CAP_MSI)
		sim_irq_update(s);
}

/* Whether the driver allows more outstanding reads than the link has tags for */
bool sim_pci_loses_reads(const struct nvsim *s)
{
	bool extended = s->cfgspace[CAP_PCIE + 9] & 1;

	return sim_quirk(s, NVSIM_QUIRK_PCIE_TAGS) && !s->info->igp && !extended &&
	       (s->pcie_requests & NV_FLD_MASK(NV_PPCI_REQUESTS__BEYOND_32));
}

u32 sim_pci_mirror_read(struct nvsim *s, u32 off, unsigned int size)
{
	if (off == NV_PPCI_REQUESTS - NV_PPCI_CONFIG && s->chip >= NV_CHIP_G84)
		return s->pcie_requests;
	/* The mirror ends before the control capability, which real cards lack. */
	if (off >= NVSIM_CTL_CAP)
		return 0;
	return nvsim_cfg_read(s, off, size);
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
		s->pcie_requests = val;

	if (off >= NVSIM_CTL_CAP)
		return;

	if (off == CAP_MSI && (val & 0xff) == 0xff) {
		mirror_rearm(s);
		if (size == 1)
			return;
	}

	nvsim_cfg_write(s, off, val, size);
	if (enabled && !sim_msi_enabled(s))
		sim_violation(s, "MSI switched off by a write of %u bytes to MMIO 0880%02x; the "
				 "re-arm is a write of one byte", size, off);
}
