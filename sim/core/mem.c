// SPDX-License-Identifier: MIT
/*
 * Linear memory: VRAM, and host memory by bus-master access. The VRAM of an IGP is stolen host
 * memory; the model gives it memory of its own, which only the card reaches.
 *
 * A driver must flush CPU writes to VRAM (BAR flush) before the card may rely on them. The model
 * stores the bytes at once and marks them as unflushed; the use of unflushed bytes is a violation.
 * The marks are a flush epoch and the last write's number per 4 KiB page, and a bit per 8 bytes.
 */
#include <stdlib.h>

#include "core.h"

#define PAGE_SHIFT	12

/* Stolen memory of a modelled IGP: far above any guest RAM */
#define STOLEN_BASE	0xf000000000ull

static void overlay_destroy(struct nvsim *s)
{
	free(s->old.page);
	free(s->old.epoch);
	free(s->old.dirty);
	s->old.page = NULL;
	s->old.epoch = NULL;
	s->old.dirty = NULL;
}

int sim_mem_init(struct nvsim *s)
{
	size_t pages = s->cfg.vram_size >> PAGE_SHIFT;

	s->vram = s->cfg.vram;
	if (!s->vram)
		s->vram = calloc(1, s->cfg.vram_size);

	s->vram_pt = calloc(pages, sizeof(*s->vram_pt));
	s->vram_epoch = calloc(pages, sizeof(*s->vram_epoch));
	s->vram_serial = calloc(pages, sizeof(*s->vram_serial));
	s->vram_dirty = calloc(pages, sizeof(*s->vram_dirty));
	s->flush_epoch = 1;
	s->old.now = 1;
	s->stolen_base = s->info->igp ? STOLEN_BASE : 0;
	return s->vram && s->vram_pt && s->vram_epoch && s->vram_serial && s->vram_dirty ? 0 : -1;
}

void sim_mem_fini(struct nvsim *s)
{
	if (!s->cfg.vram)
		free(s->vram);

	free(s->vram_pt);
	free(s->vram_epoch);
	free(s->vram_serial);
	free(s->vram_dirty);
	overlay_destroy(s);
	sim_watch_fini(s);
}

/* The memory lost its power. */
void sim_mem_lose(struct nvsim *s)
{
	memset(s->vram, NVSIM_D3_VRAM, s->cfg.vram_size);
	sim_mem_flush(s);
	s->pt_gen++;
	s->mmu_stamp++;
}

void sim_mem_flush(struct nvsim *s)
{
	sim_watch_flush(s);
	s->flush_epoch++;
	s->readback_serial = s->write_serial;
	s->old.now++;
}

static bool is_stolen(const struct nvsim *s, u32 target, u64 addr)
{
	return s->stolen_base && target >= TGT_SNOOP && addr >= s->stolen_base &&
	       addr < s->stolen_base + s->cfg.vram_size;
}

bool sim_mem_is_vram(const struct nvsim *s, u32 target, u64 addr)
{
	return target == TGT_VRAM || is_stolen(s, target, addr);
}

int64_t sim_vram_offset(const struct nvsim *s, u32 target, u64 addr, size_t len)
{
	if (is_stolen(s, target, addr))
		addr -= s->stolen_base;
	else if (target == TGT_VRAM)
		addr &= 0xffffffff;
	else
		return -1;
	if (addr > s->cfg.vram_size || len > s->cfg.vram_size - addr)
		return -1;

	return (int64_t)addr;
}

static void page_table_written(struct nvsim *s, u64 off, size_t len)
{
	u64 page;

	for (page = off >> PAGE_SHIFT; page <= (off + len - 1) >> PAGE_SHIFT; page++)
		if (s->vram_pt[page]) {
			s->pt_gen++;
			s->mmu_stamp++;
			return;
		}
}

/* Bits @first to @last of word @w of a page's 8 words */
static u64 dirty_mask(u32 w, u32 first, u32 last)
{
	u64 mask = ~0ull;

	if (w == first >> 6)
		mask &= ~0ull << (first & 63);
	if (w == last >> 6)
		mask &= ~0ull >> (63 - (last & 63));
	return mask;
}

static void mark_unflushed(struct nvsim *s, u64 off, size_t len)
{
	u64 end = off + len;

	s->write_serial++;

	while (off < end) {
		u64 page = off >> PAGE_SHIFT, next = (page + 1) << PAGE_SHIFT;
		u32 first = off >> 3 & 511, last = ((end < next ? end : next) - 1) >> 3 & 511, w;

		if (s->vram_epoch[page] != s->flush_epoch) {
			s->vram_epoch[page] = s->flush_epoch;
			memset(s->vram_dirty[page], 0, sizeof(s->vram_dirty[page]));
		}
		for (w = first >> 6; w <= last >> 6; w++)
			s->vram_dirty[page][w] |= dirty_mask(w, first, last);
		s->vram_serial[page] = s->write_serial;
		off = next;
	}
}

/* --- quirk: PFIFO reads old words of VRAM until a flush or a read orders the CPU's writes --- */

static bool overlay_create(struct nvsim *s)
{
	size_t pages = s->cfg.vram_size >> PAGE_SHIFT;

	if (s->old.page)
		return true;

	s->old.page = malloc(s->cfg.vram_size);
	s->old.epoch = calloc(pages, sizeof(*s->old.epoch));
	s->old.dirty = calloc(pages, sizeof(*s->old.dirty));
	if (s->old.page && s->old.epoch && s->old.dirty)
		return true;

	/* Without memory for the overlay PFIFO reads the new bytes. */
	overlay_destroy(s);
	return false;
}

/* Keep the page before the CPU writes to it, so that PFIFO can read the old bytes. */
static void overlay_keep(struct nvsim *s, u64 off, size_t len)
{
	u64 end = off + len;

	if (!sim_quirk(s, NVSIM_QUIRK_VRAM_SEGMENTS) || !overlay_create(s))
		return;

	while (off < end) {
		u64 page = off >> PAGE_SHIFT, next = (page + 1) << PAGE_SHIFT;
		u32 first = off >> 3 & 511, last = ((end < next ? end : next) - 1) >> 3 & 511, w;

		if (s->old.epoch[page] != s->old.now) {
			s->old.epoch[page] = s->old.now;
			memset(s->old.dirty[page], 0, sizeof(s->old.dirty[page]));
			memcpy(s->old.page + (page << PAGE_SHIFT), s->vram + (page << PAGE_SHIFT),
			       1u << PAGE_SHIFT);
		}
		for (w = first >> 6; w <= last >> 6; w++)
			s->old.dirty[page][w] |= dirty_mask(w, first, last);
		off = next;
	}
}

void sim_mem_read_ordered(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len)
{
	int64_t off = sim_vram_offset(s, target, addr, len);
	u8 *p = buf;
	size_t i;

	sim_mem_read(s, target, addr, buf, len, false);
	if (off < 0 || !s->old.page)
		return;

	for (i = 0; i < len; i++) {
		u64 at = off + i, page = at >> PAGE_SHIFT;
		u32 word = at >> 3 & 511;

		if (s->old.epoch[page] == s->old.now &&
		    (s->old.dirty[page][word >> 6] >> (word & 63) & 1))
			p[i] = s->old.page[at];
	}
}

static bool dirty_range(const struct nvsim *s, u64 off, size_t len, u64 since)
{
	u64 end = off + len;

	while (off < end) {
		u64 page = off >> PAGE_SHIFT, next = (page + 1) << PAGE_SHIFT;
		u32 first = off >> 3 & 511, last = ((end < next ? end : next) - 1) >> 3 & 511, w;

		off = next;
		if (s->vram_epoch[page] != s->flush_epoch || s->vram_serial[page] <= since)
			continue;
		for (w = first >> 6; w <= last >> 6; w++)
			if (s->vram_dirty[page][w] & dirty_mask(w, first, last))
				return true;
	}

	return false;
}

/* Whether the CPU wrote there and no BAR flush followed */
bool sim_vram_unflushed(struct nvsim *s, u32 target, u64 addr, size_t len)
{
	int64_t off = sim_vram_offset(s, target, addr, len);

	return off >= 0 && len && dirty_range(s, off, len, 0);
}

/* Whether the CPU wrote there and neither a BAR flush nor a read followed */
bool sim_vram_unordered(struct nvsim *s, u32 target, u64 addr, size_t len)
{
	int64_t off = sim_vram_offset(s, target, addr, len);

	return off >= 0 && len && dirty_range(s, off, len, s->readback_serial);
}

/* Whether the CPU may have written to the page after its write number @serial */
bool sim_vram_changed_since(struct nvsim *s, u32 target, u64 addr, u64 serial)
{
	int64_t off = sim_vram_offset(s, target, addr, 1);

	return off < 0 || s->vram_serial[off >> PAGE_SHIFT] > serial;
}

void sim_vram_mark_pt(struct nvsim *s, u32 target, u64 addr)
{
	int64_t off = sim_vram_offset(s, target, addr, 8);

	if (off >= 0)
		s->vram_pt[off >> PAGE_SHIFT] = 1;
	else
		s->pt_in_sysram = true;
}

static void host_read(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len)
{
	if (target != TGT_SNOOP && target != TGT_NOSNOOP) {
		sim_violation(s, "memory read with target code %u at %llx", target,
			      (unsigned long long)addr);
		memset(buf, 0xff, len);
		return;
	}

	if (!(sim_pci_command(s) & 4)) {
		sim_violation(s, "host memory read at %llx while bus mastering is off",
			      (unsigned long long)addr);
		memset(buf, 0xff, len);
		return;
	}

	if (sim_pci_loses_reads(s)) {
		sim_violation(s, "host memory read at %llx with 08841c at %08x and no extended tags",
			      (unsigned long long)addr, s->pcie_requests);
		memset(buf, 0xff, len);
		return;
	}

	s->st.dma_reads++;
	addr |= (u64)*sim_reg(s, NV_PFB_SYSRAM_ADDR_HIGH) << 40;
	if (!s->host.dma_read || s->host.dma_read(s->host.ctx, addr, buf, len)) {
		sim_violation(s, "host memory read at %llx: nothing answers there",
			      (unsigned long long)addr);
		memset(buf, 0xff, len);
	}
}

static void host_write(struct nvsim *s, u32 target, u64 addr, const void *buf, size_t len)
{
	if (target != TGT_SNOOP && target != TGT_NOSNOOP) {
		sim_violation(s, "memory write with target code %u at %llx", target,
			      (unsigned long long)addr);
		return;
	}

	if (!(sim_pci_command(s) & 4)) {
		sim_violation(s, "host memory write at %llx while bus mastering is off",
			      (unsigned long long)addr);
		return;
	}

	s->st.dma_writes++;
	addr |= (u64)*sim_reg(s, NV_PFB_SYSRAM_ADDR_HIGH) << 40;
	if (!s->host.dma_write || s->host.dma_write(s->host.ctx, addr, buf, len))
		sim_violation(s, "host memory write at %llx: nothing answers there",
			      (unsigned long long)addr);
}

void sim_mem_read(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len, bool cpu)
{
	int64_t off = sim_vram_offset(s, target, addr, len);

	if (off >= 0) {
		memcpy(buf, s->vram + off, len);
		/* A read completes only after the posted writes before it. */
		if (cpu && s->readback_serial != s->write_serial) {
			s->readback_serial = s->write_serial;
			s->old.now++;
		}
		return;
	}

	if (target == TGT_VRAM || is_stolen(s, target, addr)) {
		sim_violation(s, "VRAM read at %llx, behind the end", (unsigned long long)addr);
		memset(buf, 0, len);
		return;
	}

	host_read(s, target, addr, buf, len);
}

void sim_mem_write(struct nvsim *s, u32 target, u64 addr, const void *buf, size_t len, bool cpu)
{
	int64_t off = sim_vram_offset(s, target, addr, len);

	if (off >= 0) {
		if (!len)
			return;
		if (cpu)
			overlay_keep(s, off, len);
		else if (s->old.page)
			memcpy(s->old.page + off, buf, len);
		/* A copy inside of VRAM has both ends here, see sim_vm_copy(). */
		memmove(s->vram + off, buf, len);
		page_table_written(s, off, len);
		if (!cpu)
			return;
		mark_unflushed(s, off, len);
		sim_watch_stored(s, off, len);
		if ((u64)off < s->playlist_end && (u64)off + len > s->playlist_start)
			sim_violation(s, "CPU write at VRAM %llx, into the committed playlist",
				      (unsigned long long)off);
		return;
	}

	if (target == TGT_VRAM || is_stolen(s, target, addr)) {
		sim_violation(s, "VRAM write at %llx, behind the end", (unsigned long long)addr);
		return;
	}

	host_write(s, target, addr, buf, len);
}

/* Load an unpaged structure for PFIFO or the MMU. */
int sim_struct_read(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len,
		    const char *what)
{
	if (target == TGT_INVALID) {
		sim_violation(s, "%s at %llx: target 1 does not exist", what,
			      (unsigned long long)addr);
		memset(buf, 0, len);
		return -1;
	}

	if (target == TGT_VRAM && sim_vram_offset(s, target, addr, len) < 0) {
		sim_violation(s, "%s at VRAM %llx lies behind the end", what,
			      (unsigned long long)addr);
		memset(buf, 0, len);
		return -1;
	}

	if (sim_vram_unflushed(s, target, addr, len))
		sim_violation(s, "%s at VRAM %llx is loaded, but a CPU write there was not "
				 "followed by a BAR flush", what, (unsigned long long)addr);

	sim_mem_read(s, target, addr, buf, len, false);
	return 0;
}

int sim_struct_write(struct nvsim *s, u32 target, u64 addr, const void *buf, size_t len,
		     const char *what)
{
	if (target == TGT_INVALID ||
	    (target == TGT_VRAM && sim_vram_offset(s, target, addr, len) < 0)) {
		sim_violation(s, "%s at %llx (target %u) cannot be stored", what,
			      (unsigned long long)addr, target);
		return -1;
	}

	sim_mem_write(s, target, addr, buf, len, false);
	return 0;
}

u32 sim_struct_read32(struct nvsim *s, u32 target, u64 addr, const char *what)
{
	u8 w[4];

	sim_struct_read(s, target, addr, w, 4, what);
	return get_le32(w);
}

int sim_peek(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len)
{
	int64_t off = sim_vram_offset(s, target, addr, len);

	if (off >= 0) {
		memcpy(buf, s->vram + off, len);
		return 0;
	}

	memset(buf, 0, len);
	if (target < TGT_SNOOP || !(sim_pci_command(s) & 4) || !s->host.dma_read)
		return -1;

	return s->host.dma_read(s->host.ctx, addr, buf, len);
}

int nvsim_vram_read(struct nvsim *s, u64 addr, void *buf, size_t len)
{
	if (addr > s->cfg.vram_size || len > s->cfg.vram_size - addr)
		return -1;
	memcpy(buf, s->vram + addr, len);
	return 0;
}

int nvsim_vram_write(struct nvsim *s, u64 addr, const void *buf, size_t len)
{
	if (addr > s->cfg.vram_size || len > s->cfg.vram_size - addr)
		return -1;
	if (len) {
		memcpy(s->vram + addr, buf, len);
		page_table_written(s, addr, len);
	}
	return 0;
}
