// SPDX-License-Identifier: MIT
/*
 * The host's apertures: BAR1, BAR3, the PMEM window in BAR0 and the PEEPHOLE ports. BAR1 and BAR3
 * reach VRAM directly, or memory through a DMA object, as their selectors in PBUS say.
 */
#include "core.h"
#include "bar.h"
#include "mem.h"
#include "mmu.h"
#include "pfifo.h"
#include "store.h"

/* Reads return these after a VM fault; real cards return a fixed pattern, too. */
#define FAULTED_READ	0xbad1fa17u
#define FAULTED_PEEPHOLE	0xffffffffu

static u8 faulted_byte(u64 off)
{
	return FAULTED_READ >> 8 * (off & 3);
}

/* A debugging aid of the card: reads in this range of an aperture give 0. */
static bool hidden(struct nvsim *s, u64 off)
{
	u32 low = *sim_reg(s, NV_PMC_VRAM_HIDE_LOW);

	return (low & NV_FLD_MASK(NV_PMC_VRAM_HIDE_LOW__ENABLE)) &&
	       off >= NV_FLD_GET(NV_PMC_VRAM_HIDE_LOW__ADDRESS, low) &&
	       off <= NV_FLD_GET(NV_PMC_VRAM_HIDE_HIGH__ADDRESS,
				 *sim_reg(s, NV_PMC_VRAM_HIDE_HIGH));
}

/* Whether the apertures reach memory at all */
static bool apertures_on(struct nvsim *s)
{
	return sim_quirk(s, NVSIM_QUIRK_BARS) ||
	       (*sim_reg(s, NV_PMC_ENABLE) & NV_FLD_MASK(NV_PMC_ENABLE__PFIFO));
}

static bool aperture_access(struct nvsim *s, unsigned int bar, u64 off, u8 *buf, unsigned int size,
			    bool write)
{
	u32 sel = *sim_reg(s, bar == 1 ? NV_PBUS_HOST_MEM_BAR1 : NV_PBUS_HOST_MEM_BAR3);
	bool ok = true;

	if (!apertures_on(s)) {
		sim_violation(s, "the CPU %s BAR%u at %llx while PFIFO is off in PMC.ENABLE",
			      write ? "writes to" : "reads", bar, (unsigned long long)off);
		return false;
	}
	if (sel & NV_FLD_MASK(NV_PBUS_HOST_MEM_BAR1__MODE_DMAOBJ))
		ok = sim_vm_access(s, VMENG_BAR, bar == 3, sel & 0xffff, off, buf, size, write);
	else if (write)
		sim_mem_write(s, TGT_VRAM, off, buf, size, true);
	else
		sim_mem_read(s, TGT_VRAM, off, buf, size, true);
	if (!ok)
		sim_pfifo_intr(s, NV_FLD_MASK(NV_PFIFO_INTR__BAR_FAULT));
	return ok;
}

static void swap_words(u8 *p, unsigned int size)
{
	unsigned int i;

	/* 1, 2, 4 or 8 bytes */
	for (i = 0; i + 4 <= size && i < 8; i += 4)
		put_le32(p + i, __builtin_bswap32(get_le32(p + i)));
	if (size == 2) {
		u8 t = p[0];

		p[0] = p[1];
		p[1] = t;
	}
}

u64 sim_aperture_read(struct nvsim *s, unsigned int bar, u64 off, unsigned int size)
{
	bool swap = s->big && bar == 3;
	u8 buf[8] = { 0 };
	unsigned int i;

	if (swap && size < 4)
		off ^= 4 - size;
	if (hidden(s, off))
		return 0;
	if (!aperture_access(s, bar, off, buf, size, false)) {
		for (i = 0; i < size; i++)
			buf[i] = faulted_byte(off + i);
	}

	if (swap)
		swap_words(buf, size);
	return get_le64(buf);
}

void sim_aperture_write(struct nvsim *s, unsigned int bar, u64 off, u64 val, unsigned int size)
{
	bool swap = s->big && bar == 3;
	u8 buf[8];

	put_le32(buf, val);
	put_le32(buf + 4, val >> 32);
	if (swap) {
		if (size < 4)
			off ^= 4 - size;
		swap_words(buf, size);
	}

	aperture_access(s, bar, off, buf, size, true);
}

void sim_aperture_block(struct nvsim *s, unsigned int bar, u64 off, u8 *buf, size_t len, bool write)
{
	u32 sel = *sim_reg(s, bar == 1 ? NV_PBUS_HOST_MEM_BAR1 : NV_PBUS_HOST_MEM_BAR3);
	size_t n, i;

	for (; len; off += n, buf += n, len -= n) {
		bool ok = true;

		n = 0x1000 - (off & 0xfff);
		if (n > len)
			n = len;
		if (sel & NV_FLD_MASK(NV_PBUS_HOST_MEM_BAR1__MODE_DMAOBJ))
			n = sim_vm_block(s, VMENG_BAR, bar == 3, sel & 0xffff, off, buf, n, write,
					 &ok);
		else if (write)
			sim_mem_write(s, TGT_VRAM, off, buf, n, true);
		else
			sim_mem_read(s, TGT_VRAM, off, buf, n, true);
		if (ok)
			continue;
		sim_pfifo_intr(s, NV_FLD_MASK(NV_PFIFO_INTR__BAR_FAULT));
		for (i = 0; !write && i < n; i++)
			buf[i] = faulted_byte(off + i);
	}
}

/* Whether blocks can be copied: an aperture that changes bytes needs single accesses. */
bool sim_aperture_plain(struct nvsim *s, unsigned int bar)
{
	return !(s->big && bar == 3) && apertures_on(s) &&
	       !(*sim_reg(s, NV_PMC_VRAM_HIDE_LOW) & NV_FLD_MASK(NV_PMC_VRAM_HIDE_LOW__ENABLE));
}

static u64 pmem_address(struct nvsim *s, u32 off, u32 *target)
{
	u32 pmem = *sim_reg(s, NV_PBUS_HOST_MEM_PMEM);

	*target = NV_FLD_GET(NV_PBUS_HOST_MEM_PMEM__TARGET, pmem);
	return ((u64)NV_FLD_GET(NV_PBUS_HOST_MEM_PMEM__BASE, pmem) << 16) + off;
}

u32 sim_pmem_peek(struct nvsim *s, u32 off)
{
	u8 buf[4];
	u32 target;
	u64 addr = pmem_address(s, off, &target);

	return sim_peek(s, target, addr, buf, sizeof(buf)) ? ~0u : get_le32(buf);
}

u32 sim_pmem_read(struct nvsim *s, u32 off, unsigned int size)
{
	u8 buf[4] = { 0 };
	u32 target;
	u64 addr = pmem_address(s, off, &target);

	if (hidden(s, off))
		return 0;
	sim_mem_read(s, target, addr, buf, size, true);
	return get_le32(buf);
}

void sim_pmem_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	u32 target;
	u64 addr = pmem_address(s, off, &target);
	u8 buf[4];

	put_le32(buf, val);
	sim_mem_write(s, target, addr, buf, size, true);
}

static bool peephole_access(struct nvsim *s, u32 addr, u8 *buf, bool write)
{
	u32 sel = *sim_reg(s, NV_PBUS_HOST_MEM_PEEPHOLE);
	bool ok = true;

	if (!apertures_on(s))
		return false;
	if (sel & NV_FLD_MASK(NV_PBUS_HOST_MEM_PEEPHOLE__MODE_DMAOBJ))
		ok = sim_vm_access(s, VMENG_PEEPHOLE, 0, sel & 0xffff, addr, buf, 4, write);
	else if (write)
		sim_mem_write(s, TGT_VRAM, addr, buf, 4, true);
	else
		sim_mem_read(s, TGT_VRAM, addr, buf, 4, true);
	if (!ok)
		sim_pfifo_intr(s, NV_FLD_MASK(NV_PFIFO_INTR__PEEPHOLE_FAULT));
	return ok;
}

u32 sim_peephole_mem_read(struct nvsim *s, u32 addr)
{
	u8 buf[4] = { 0 };

	if (hidden(s, addr))
		return 0;
	if (!peephole_access(s, addr, buf, false))
		return FAULTED_PEEPHOLE;
	return get_le32(buf);
}

void sim_peephole_mem_write(struct nvsim *s, u32 addr, u32 val)
{
	u8 buf[4];

	put_le32(buf, val);
	peephole_access(s, addr, buf, true);
}
