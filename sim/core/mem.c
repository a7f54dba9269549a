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
#include "mem.h"
#include "pci.h"
#include "store.h"

/* Pages of VRAM before those writes of the CPU that neither a BAR flush nor a read has ordered */
struct sim_overlay {
	u8 *page;		/* as large as VRAM; NULL unless the quirk is on */
	u32 *epoch;		/* per 4 KiB: value of @now at its first unordered write */
	u64 (*dirty)[8];	/* per 4 KiB: bit per 8 bytes */
	u32 now;
};

struct sim_mem {
	u8 *vram;
	u64 stolen_base;	/* IGP: address of the card's memory in host space */
	u8 *vram_pt;		/* per 4 KiB: a page table was read from here */
	u32 *vram_epoch;	/* per 4 KiB: flush epoch of its last CPU write */
	u64 *vram_serial;	/* per 4 KiB: number of its last CPU write */
	u64 (*vram_dirty)[8];	/* per 4 KiB: bit per 8 bytes written in that epoch */
	struct sim_overlay old;
	u32 flush_epoch;
	u64 write_serial, readback_serial;
	u64 playlist_start, playlist_end;	/* committed memory, VRAM only */
	const struct sim_mem_observer *observer;
};

#define PAGE_SHIFT	12

/* Stolen memory of a modelled IGP: far above any guest RAM */
#define STOLEN_BASE	0xf000000000ull

static void overlay_destroy(struct nvsim *s)
{
	free(s->mem->old.page);
	free(s->mem->old.epoch);
	free(s->mem->old.dirty);
	s->mem->old.page = NULL;
	s->mem->old.epoch = NULL;
	s->mem->old.dirty = NULL;
}

int sim_mem_create(struct nvsim *s)
{
	size_t pages = s->cfg.vram_size >> PAGE_SHIFT;

	s->mem = calloc(1, sizeof(*s->mem));
	if (!s->mem)
		return -1;

	s->mem->vram = s->cfg.vram;
	if (!s->mem->vram)
		s->mem->vram = calloc(1, s->cfg.vram_size);

	s->mem->vram_pt = calloc(pages, sizeof(*s->mem->vram_pt));
	s->mem->vram_epoch = calloc(pages, sizeof(*s->mem->vram_epoch));
	s->mem->vram_serial = calloc(pages, sizeof(*s->mem->vram_serial));
	s->mem->vram_dirty = calloc(pages, sizeof(*s->mem->vram_dirty));
	s->mem->flush_epoch = 1;
	s->mem->old.now = 1;
	s->mem->stolen_base = s->info->igp ? STOLEN_BASE : 0;
	return s->mem->vram && s->mem->vram_pt && s->mem->vram_epoch && s->mem->vram_serial && s->mem->vram_dirty ? 0 : -1;
}

void sim_mem_destroy(struct nvsim *s)
{
	if (!s->mem)
		return;

	if (!s->cfg.vram)
		free(s->mem->vram);

	free(s->mem->vram_pt);
	free(s->mem->vram_epoch);
	free(s->mem->vram_serial);
	free(s->mem->vram_dirty);
	overlay_destroy(s);
	free(s->mem);
}

/* Tell @ops of loads and stores from now on. */
void sim_mem_observe(struct nvsim *s, const struct sim_mem_observer *ops)
{
	s->mem->observer = ops;
}

void sim_mem_loaded(struct nvsim *s, u32 target, u64 addr, size_t len, u32 chan, u16 inst)
{
	if (s->mem->observer)
		s->mem->observer->loaded(s, target, addr, len, chan, inst);
}

/* PFIFO's playlist: the CPU must not write to that VRAM. Equal ends: there is none. */
void sim_mem_guard_playlist(struct nvsim *s, u64 start, u64 end)
{
	s->mem->playlist_start = start;
	s->mem->playlist_end = end;
}

u64 sim_mem_stolen_base(const struct nvsim *s)
{
	return s->mem->stolen_base;
}

u64 sim_mem_write_serial(const struct nvsim *s)
{
	return s->mem->write_serial;
}

const u8 *sim_vram_at(const struct nvsim *s, u64 off)
{
	return s->mem->vram + off;
}

/* The memory lost its power. */
void sim_mem_lose(struct nvsim *s)
{
	memset(s->mem->vram, NVSIM_D3_VRAM, s->cfg.vram_size);
	sim_mem_flush(s);
	s->calls->tables_changed(s);
}

void sim_mem_flush(struct nvsim *s)
{
	if (s->mem->observer)
		s->mem->observer->flushed(s);
	s->mem->flush_epoch++;
	s->mem->readback_serial = s->mem->write_serial;
	s->mem->old.now++;
}

static bool is_stolen(const struct nvsim *s, u32 target, u64 addr)
{
	return s->mem->stolen_base && target >= TGT_SNOOP && addr >= s->mem->stolen_base &&
	       addr < s->mem->stolen_base + s->cfg.vram_size;
}

bool sim_mem_is_vram(const struct nvsim *s, u32 target, u64 addr)
{
	return target == TGT_VRAM || is_stolen(s, target, addr);
}

int64_t sim_vram_offset(const struct nvsim *s, u32 target, u64 addr, size_t len)
{
	if (is_stolen(s, target, addr))
		addr -= s->mem->stolen_base;
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
		if (s->mem->vram_pt[page]) {
			s->calls->tables_changed(s);
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

	s->mem->write_serial++;

	while (off < end) {
		u64 page = off >> PAGE_SHIFT, next = (page + 1) << PAGE_SHIFT;
		u32 first = off >> 3 & 511, last = ((end < next ? end : next) - 1) >> 3 & 511, w;

		if (s->mem->vram_epoch[page] != s->mem->flush_epoch) {
			s->mem->vram_epoch[page] = s->mem->flush_epoch;
			memset(s->mem->vram_dirty[page], 0, sizeof(s->mem->vram_dirty[page]));
		}
		for (w = first >> 6; w <= last >> 6; w++)
			s->mem->vram_dirty[page][w] |= dirty_mask(w, first, last);
		s->mem->vram_serial[page] = s->mem->write_serial;
		off = next;
	}
}

/* --- quirk: PFIFO reads old words of VRAM until a flush or a read orders the CPU's writes --- */

static bool overlay_create(struct nvsim *s)
{
	size_t pages = s->cfg.vram_size >> PAGE_SHIFT;

	if (s->mem->old.page)
		return true;

	s->mem->old.page = malloc(s->cfg.vram_size);
	s->mem->old.epoch = calloc(pages, sizeof(*s->mem->old.epoch));
	s->mem->old.dirty = calloc(pages, sizeof(*s->mem->old.dirty));
	if (s->mem->old.page && s->mem->old.epoch && s->mem->old.dirty)
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

		if (s->mem->old.epoch[page] != s->mem->old.now) {
			s->mem->old.epoch[page] = s->mem->old.now;
			memset(s->mem->old.dirty[page], 0, sizeof(s->mem->old.dirty[page]));
			memcpy(s->mem->old.page + (page << PAGE_SHIFT), s->mem->vram + (page << PAGE_SHIFT),
			       1u << PAGE_SHIFT);
		}
		for (w = first >> 6; w <= last >> 6; w++)
			s->mem->old.dirty[page][w] |= dirty_mask(w, first, last);
		off = next;
	}
}

/* Restore the old bytes that no flush or read has ordered. */
static void overlay_read(const struct nvsim *s, u64 off, u8 *buf, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		u64 at = off + i, page = at >> PAGE_SHIFT;
		u32 word = at >> 3 & 511;

		if (s->mem->old.epoch[page] == s->mem->old.now &&
		    (s->mem->old.dirty[page][word >> 6] >> (word & 63) & 1))
			buf[i] = s->mem->old.page[at];
	}
}

static bool dirty_range(const struct nvsim *s, u64 off, size_t len, u64 since)
{
	u64 end = off + len;

	while (off < end) {
		u64 page = off >> PAGE_SHIFT, next = (page + 1) << PAGE_SHIFT;
		u32 first = off >> 3 & 511, last = ((end < next ? end : next) - 1) >> 3 & 511, w;

		off = next;
		if (s->mem->vram_epoch[page] != s->mem->flush_epoch || s->mem->vram_serial[page] <= since)
			continue;
		for (w = first >> 6; w <= last >> 6; w++)
			if (s->mem->vram_dirty[page][w] & dirty_mask(w, first, last))
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

/* Whether the CPU may have written to the page after its write number @serial */
bool sim_vram_changed_since(struct nvsim *s, u32 target, u64 addr, u64 serial)
{
	int64_t off = sim_vram_offset(s, target, addr, 1);

	return off < 0 || s->mem->vram_serial[off >> PAGE_SHIFT] > serial;
}

/* A page table is read from there. False if that is not VRAM, whose stores the model sees. */
bool sim_vram_mark_pt(struct nvsim *s, u32 target, u64 addr)
{
	int64_t off = sim_vram_offset(s, target, addr, 8);

	if (off >= 0)
		s->mem->vram_pt[off >> PAGE_SHIFT] = 1;
	return off >= 0;
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
			      (unsigned long long)addr, sim_pci_requests(s));
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

/* A read that does not lie inside of VRAM */
static void read_outside(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len)
{
	if (sim_mem_is_vram(s, target, addr)) {
		sim_violation(s, "VRAM read at %llx, behind the end", (unsigned long long)addr);
		memset(buf, 0, len);
		return;
	}

	host_read(s, target, addr, buf, len);
}

void sim_mem_read(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len, bool cpu)
{
	int64_t off = sim_vram_offset(s, target, addr, len);

	if (off >= 0) {
		memcpy(buf, s->mem->vram + off, len);
		/* A read completes only after the posted writes before it. */
		if (cpu && s->mem->readback_serial != s->mem->write_serial) {
			s->mem->readback_serial = s->mem->write_serial;
			s->mem->old.now++;
		}
		return;
	}

	read_outside(s, target, addr, buf, len);
}

bool sim_mem_read_commands(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len)
{
	int64_t off = sim_vram_offset(s, target, addr, len);

	if (off < 0) {
		read_outside(s, target, addr, buf, len);
		return true;
	}

	memcpy(buf, s->mem->vram + off, len);
	if (s->mem->old.page)
		overlay_read(s, off, buf, len);

	return !dirty_range(s, off, len, s->mem->readback_serial);
}

void sim_mem_write(struct nvsim *s, u32 target, u64 addr, const void *buf, size_t len, bool cpu)
{
	int64_t off = sim_vram_offset(s, target, addr, len);

	if (off >= 0) {
		if (!len)
			return;
		if (cpu)
			overlay_keep(s, off, len);
		else if (s->mem->old.page)
			memcpy(s->mem->old.page + off, buf, len);
		/* A copy inside of VRAM has both ends here, see sim_vm_copy(). */
		memmove(s->mem->vram + off, buf, len);
		page_table_written(s, off, len);
		if (!cpu)
			return;
		mark_unflushed(s, off, len);
		if (s->mem->observer)
			s->mem->observer->stored(s, off, len);
		if ((u64)off < s->mem->playlist_end && (u64)off + len > s->mem->playlist_start)
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

static void copy_bytes(u8 *to, u32 to_stride, const u8 *from, u32 from_stride, u32 n)
{
	/* A loop of single bytes takes up to 1.6 times as long, by the place of its jump. */
#pragma GCC unroll 4
	while (n--) {
		*to = *from;
		to += to_stride;
		from += from_stride;
	}
}

void sim_mem_read_bytes(struct nvsim *s, u32 target, u64 addr, u32 stride, u8 *buf, u32 n)
{
	const int64_t off = sim_vram_offset(s, target, addr, (u64)(n - 1) * stride + 1);
	u32 i;

	if (off < 0) {
		for (i = 0; i < n; i++)
			sim_mem_read(s, target, addr + (u64)i * stride, &buf[i], 1, false);
		return;
	}

	copy_bytes(buf, 1, s->mem->vram + off, stride, n);
}

void sim_vram_copy_bytes(struct nvsim *s, u64 to, u32 to_stride, u64 from, u32 from_stride, u32 n)
{
	const u8 *vram = s->mem->vram;

	if (!n)
		return;

	copy_bytes(s->mem->vram + to, to_stride, vram + from, from_stride, n);
	if (s->mem->old.page)
		copy_bytes(s->mem->old.page + to, to_stride, vram + from, from_stride, n);

	page_table_written(s, (int64_t)to, (u64)(n - 1) * to_stride + 1);
}

void sim_mem_write_bytes(struct nvsim *s, u32 target, u64 addr, u32 stride, const u8 *buf, u32 n)
{
	const u64 len = (u64)(n - 1) * stride + 1;
	const int64_t off = sim_vram_offset(s, target, addr, len);
	u32 i;

	if (off < 0) {
		for (i = 0; i < n; i++)
			sim_mem_write(s, target, addr + (u64)i * stride, &buf[i], 1, false);
		return;
	}

	copy_bytes(s->mem->vram + off, stride, buf, 1, n);
	if (s->mem->old.page)
		copy_bytes(s->mem->old.page + off, stride, buf, 1, n);

	page_table_written(s, off, len);
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
		memcpy(buf, s->mem->vram + off, len);
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
	memcpy(buf, s->mem->vram + addr, len);
	return 0;
}

int nvsim_vram_write(struct nvsim *s, u64 addr, const void *buf, size_t len)
{
	if (addr > s->cfg.vram_size || len > s->cfg.vram_size - addr)
		return -1;
	if (len) {
		memcpy(s->mem->vram + addr, buf, len);
		page_table_written(s, addr, len);
	}
	return 0;
}
