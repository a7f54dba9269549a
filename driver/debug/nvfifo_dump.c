// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: The dump
 *
 * An error of a channel leaves a device coredump: registers and position at the error, instance
 * block, ring, pushbuffers and address space. The kernel keeps one dump of a card until it is read
 * or five minutes old, and drops later ones meanwhile. debugfs shows a dump of all channels at any
 * time, and parts of it.
 *
 * An error's handler reads registers only, with fifo_lock held, and keeps the channel. The driver
 * keeps one error at a time; others meanwhile leave no dump. A work item reads the rest after the
 * fences have failed. It prints into memory that it allocates first, because it must not allocate
 * under the locks that it takes, as drm_coredump_printer() does.
 */
#include <linux/devcoredump.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "mem/nvfifo_bo.h"
#include "debug/nvfifo_dump.h"
#include "fifo/nvfifo_chan.h"
#include "card/nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "card/nvfifo_hw.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pt.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "nvfifo_reg_table.h"
#include "nvfifo_vm.h"

#define DUMP_BYTES	SZ_1M
#define TAIL		"cut\nend\n"
#define SEGMENT_WORDS	1024
#define ENTRIES		64	/* most entries of a ring in a dump */
#define ENTRIES_DONE	16	/* most of them that the pusher has taken */
#define SUSPECTS	16	/* entries before IB_GET that may hold the failing word */
#define CACHE_WORDS	1024	/* methods in the cache, not executed yet */
#define DMA_BEFORE	1024	/* bytes around GET in DMA mode */
#define DMA_AFTER	256

/* Words, 8 a line; the line begins with a format that may take the first one's offset. */
static void print_words(struct drm_printer *p, const char *begin, u32 offset, const u32 *w, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (i % 8 == 0)
			drm_printf(p, begin, offset + i * 4);

		drm_printf(p, " %08x%s", w[i], i % 8 == 7 || i == n - 1 ? "\n" : "");
	}
}

static void text_printfn(struct drm_printer *p, struct va_format *vaf)
{
	seq_buf_printf(p->arg, "%pV", vaf);
}

/*
 * Is the text full, or its reader killed? The user's mappings decide the length of the text, and
 * the card's removal waits for the end of the print.
 */
static bool is_enough(const struct drm_printer *p)
{
	if (fatal_signal_pending(current))
		return true;

	if (p->printfn == text_printfn)
		return seq_buf_has_overflowed(p->arg);

	if (p->printfn == __drm_printfn_seq_file)
		return seq_has_overflowed(p->arg);

	return false;
}

/* --- Address spaces and buffers ------------------------------------------ */

static const char *domain_name(const struct nvfifo_bo *bo)
{
	return bo->domain == DRM_NVFIFO_DOMAIN_VRAM ? "vram" : "system";
}

static void print_bo_flags(struct drm_printer *p, u32 flags)
{
	drm_puts(p, " flags ");

	if (flags & DRM_NVFIFO_BO_WC)
		drm_puts(p, "w");
	if (flags & DRM_NVFIFO_BO_CONTIGUOUS)
		drm_puts(p, "c");
	if (flags & DRM_NVFIFO_BO_IMPORTED)
		drm_puts(p, "i");
	if (!flags)
		drm_puts(p, "-");
}

static void print_bo(struct drm_printer *p, const struct nvfifo_bo *bo)
{
	drm_printf(p, "bo %s %zu", domain_name(bo), bo->shmem.base.size);
	print_bo_flags(p, nvfifo_bo_flags(bo));
	drm_printf(p, " tags %llu", bo->tag_users ? bo->tags.size : 0);
	drm_printf(p, " label %s\n", bo->label);
}

static void print_bos(struct drm_printer *p, struct nvfifo_device *ndev)
{
	const struct nvfifo_bo *bo;

	guard(mutex)(&ndev->bos.lock);

	list_for_each_entry(bo, &ndev->bos.list, link)
		print_bo(p, bo);
}

/* Print attributes of pages that differ from the default */
static void print_attributes(struct drm_printer *p, const struct nvfifo_pte *pte)
{
	if (pte->read_only)
		drm_puts(p, " ro");
	if (pte->supervisor)
		drm_puts(p, " supervisor");
	if (pte->long_cycle)
		drm_puts(p, " long-cycle");
	if (pte->encrypted)
		drm_puts(p, " encrypted");
}

/**
 * nvfifo_print_pde() - Print a PDE and its fields
 * @p: the printer
 * @val: the PDE
 */
void nvfifo_print_pde(struct drm_printer *p, u64 val)
{
	const struct nvfifo_pde pde = nvfifo_pde_decode(val);

	drm_printf(p, "%016llx", val);
	drm_printf(p, " %u KiB pages", 1u << (nvfifo_pt_page_shift(pde.type) - 10));
	drm_printf(p, ", %u entries", nvfifo_pt_entries(pde.type, pde.size));
	drm_printf(p, ", %s at %010llx\n", nvfifo_target_name(pde.target), pde.address);
}

/**
 * nvfifo_print_pte() - Print a PTE and its fields
 * @p: the printer
 * @val: the PTE
 */
void nvfifo_print_pte(struct drm_printer *p, u64 val)
{
	const struct nvfifo_pte pte = nvfifo_pte_decode(val);

	drm_printf(p, "%016llx %s %010llx", val, nvfifo_target_name(pte.target), pte.address);
	drm_printf(p, ", block of %u, kind %02x", 1u << pte.contig, pte.kind);

	if (pte.comp)
		drm_printf(p, " comp %u tag %03x", pte.comp, pte.tag);

	print_attributes(p, &pte);
	drm_puts(p, "\n");
}

static void print_mapping(struct drm_printer *p, const struct drm_gpuva *va,
			  const struct nvfifo_bo *bo, const struct nvfifo_pte *pte)
{
	drm_printf(p, "mapping %010llx-%010llx", va->va.addr, va->va.addr + va->va.range - 1);
	drm_printf(p, " %s %010llx", domain_name(bo), va->gem.offset);
	drm_printf(p, " kind %02x comp %u", pte->kind, pte->comp);
	print_attributes(p, pte);

	if (pte->target == NVFIFO_TARGET_SYS_NOSNOOP)
		drm_puts(p, " nosnoop");

	drm_printf(p, " label %s\n", bo->label);
}

/**
 * nvfifo_print_mappings() - Print the mappings of an address space
 * @vm: the address space
 * @p: the printer
 *
 * Context: Takes nvfifo_vm.lock and bos.lock.
 */
void nvfifo_print_mappings(struct nvfifo_vm *vm, struct drm_printer *p)
{
	struct drm_gpuva *va;

	guard(mutex)(&vm->lock);

	scoped_guard(mutex, &vm->ndev->bos.lock) {
		drm_gpuvm_for_each_va(va, &vm->base) {
			struct nvfifo_pte pte = nvfifo_pte_decode(to_nvfifo_vma(va)->pte);
			struct nvfifo_bo *bo = to_nvfifo_bo(va->gem.obj);

			if (is_enough(p))
				break;

			print_mapping(p, va, bo, &pte);
		}
	}
}

/* Count the empty entries from @i on. There may be a hundred thousand of them. */
static u32 empty_run(const struct nvfifo_pt *pt, u32 i)
{
	const void *used = memchr_inv(pt->entries + i, 0, (pt->count - i) * sizeof(*pt->entries));

	if (!used)
		return pt->count - i;

	return (const u64 *)PTR_ALIGN_DOWN(used, sizeof(*pt->entries)) - (pt->entries + i);
}

/* Print one line for all entries that continue each other. Return: their number. */
static u32 print_run(const struct nvfifo_pt *pt, u64 va, u32 i, struct drm_printer *p)
{
	unsigned int shift = nvfifo_pt_page_shift(pt->type);
	u64 next = nvfifo_pt_lookup(pt, i);
	u32 n;

	if (!next)
		return 1;

	for (n = 1; i + n < pt->count; n++) {
		next += nvfifo_pte_step(shift, next);
		if (nvfifo_pt_lookup(pt, i + n) != next)
			break;
	}

	drm_printf(p, "pte %010llx-%010llx ", va + ((u64)i << shift),
		   va + ((u64)(i + n) << shift) - 1);

	nvfifo_print_pte(p, pt->entries[i]);

	return n;
}

/**
 * nvfifo_print_tables() - Print the page directory and the page tables of an address space
 * @vm: the address space
 * @p: the printer
 *
 * Context: Takes nvfifo_vm.pt_lock.
 */
void nvfifo_print_tables(struct nvfifo_vm *vm, struct drm_printer *p)
{
	const struct nvfifo_pt *pt;
	struct nvfifo_walk w;
	u64 va;
	u32 i;

	guard(mutex)(&vm->pt_lock);

	for (va = 0; va <= NVFIFO_VA_MASK && !is_enough(p); va += 1ULL << NVFIFO_PDE_SHIFT) {
		if (!vm->regions[va >> NVFIFO_PDE_SHIFT].table)
			continue;

		pt = &vm->regions[va >> NVFIFO_PDE_SHIFT].table->pt;

		nvfifo_mmu_walk(vm, va, &w);
		drm_printf(p, "pde %03llx ", va >> NVFIFO_PDE_SHIFT);
		nvfifo_print_pde(p, w.pde);

		for (i = empty_run(pt, 0); i < pt->count && !is_enough(p); i += empty_run(pt, i)) {
			i += print_run(pt, va, i, p);
			cond_resched();
		}
	}
}

/* --- Channels ------------------------------------------------------------ */

/*
 * Print the segment of a ring entry, or a part of DMA mode's buffer. Of a long one print the words
 * around GET.
 */
static void print_segment(struct drm_printer *p, struct nvfifo_chan *chan, u32 entry, u64 va,
			  u32 words, u64 get, u32 *buf)
{
	s32 more = words - SEGMENT_WORDS, skip = 0;
	u32 n;

	if (more > 0 && get >= va && get - va <= words * 4ULL)
		skip = clamp((s32)((get - va) / 4) - SEGMENT_WORDS / 2, 0, more);

	n = nvfifo_vm_read(chan->vm, chan, va + skip * 4ULL, buf, min_t(u32, words, SEGMENT_WORDS));
	if (!n)
		return;

	drm_printf(p, chan->ib ? "segment ib %u" : "segment dma", entry);
	drm_printf(p, " va %010llx words %u\n", va, words);

	if (skip)
		drm_printf(p, "skip %u\n", skip);

	print_words(p, "data", 0, buf, n);
}

/*
 * Count the entries before IB_GET that may hold the failing word. PFIFO's cache holds words that
 * the pusher has read. Each method there has a data word and at most a header.
 */
static u32 ring_suspects(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_query *pos)
{
	u32 mask = (1u << chan->order) - 1, words = 0, n, w[2];

	if (pos->error == DRM_NVFIFO_ERROR_PUSHER)
		return 1;

	for (n = 0; n < SUSPECTS && n < mask && words < CACHE_WORDS; n++) {
		u64 at = chan->ring + ((pos->ib_get - n - 1) & mask) * 8;

		if (nvfifo_vm_read(chan->vm, chan, at, w, 2) == 2)
			words += nvfifo_ib_decode(w).words;
	}

	return n;
}

/* Print entries, then their segments; of a dead channel the entries that may have failed. */
static void print_ring(struct drm_printer *p, struct nvfifo_chan *chan,
		       const struct drm_nvfifo_channel_query *pos, u32 *buf)
{
	u32 mask = (1u << chan->order) - 1, todo = (pos->ib_put - pos->ib_get) & mask;
	u32 done = min_t(u32, ENTRIES_DONE, mask - todo), i, at, w[2];
	u32 n = min_t(u32, ENTRIES, done + todo), some = mask;
	struct nvfifo_ib_entry e;

	if (pos->error)
		some = ring_suspects(chan, pos);

	drm_printf(p, "ring address %010llx order %u\n", chan->ring, chan->order);

	for (i = 0; i < 2 * n; i++) {
		at = (pos->ib_get - done + i % n) & mask;
		if (nvfifo_vm_read(chan->vm, chan, chan->ring + at * 8, w, 2) < 2 || !w[1])
			continue;

		e = nvfifo_ib_decode(w);

		if (i < n)
			drm_printf(p, "ib %u %08x %08x\n", at, w[0], w[1]);
		else if (((pos->ib_get - 1 - at) & mask) < some)
			print_segment(p, chan, at, e.address, e.words, pos->get, buf);
	}
}

/* Print RAMHT and the slots of objects, with the channel's lock held. */
static void print_objects(struct drm_printer *p, const struct nvfifo_chan *chan)
{
	u32 w[NVFIFO_OBJECT_BYTES / 4], i, slot;
	u64 at;

	for (i = 0; i < NVFIFO_RAMHT_ENTRIES; i++)
		if (chan->ramht.shadow[i].context)
			drm_printf(p, "ramht %u %08x %08x\n", i, chan->ramht.shadow[i].handle,
				   chan->ramht.shadow[i].context);

	for_each_set_bit(slot, chan->ramht.slots, NVFIFO_OBJECT_SLOTS) {
		at = NVFIFO_OBJECTS + slot * NVFIFO_OBJECT_BYTES;

		for (i = 0; i < NVFIFO_OBJECT_BYTES / 4; i++)
			w[i] = nvfifo_vram_rd32(chan->ndev, chan->inst.addr + at + i * 4);

		print_words(p, "object %05x", at, w, NVFIFO_OBJECT_BYTES / 4);
	}
}

/* Print RAMFC, RAMHT and the slots of objects. */
static void print_structure(struct drm_printer *p, struct nvfifo_chan *chan)
{
	u64 at = chan->inst.addr + nvfifo_chan_ramfc(chan->ndev->chip->g84);
	u32 w[NVFIFO_RAMFC_WORDS], i;

	for (i = 0; i < NVFIFO_RAMFC_WORDS; i++)
		w[i] = nvfifo_vram_rd32(chan->ndev, at + i * 4);

	print_words(p, "ramfc %02x", 0, w, NVFIFO_RAMFC_WORDS);

	guard(mutex)(&chan->lock);

	print_objects(p, chan);
}

static void print_fault(struct drm_printer *p, const struct nvfifo_chan *chan,
			const struct drm_nvfifo_channel_query *e)
{
	drm_printf(p, "fault %010llx inst %08llx", e->fault_address, chan->inst.addr);
	drm_printf(p, " engine %x reason %x", e->fault_engine, e->fault_reason);
	drm_printf(p, " client %02x slot %02x", e->fault_client, e->fault_slot);
	drm_printf(p, " %s\n", e->fault_write ? "write" : "read");
}

static void print_state(struct drm_printer *p, const struct nvfifo_chan *chan, int dead,
			const struct drm_nvfifo_channel_query *e)
{
	drm_printf(p, "channel %u", chan->id);
	drm_printf(p, " state %s", dead ? "dead" : "alive");
	drm_printf(p, " mode %s", chan->ib ? "ib" : "dma");
	drm_printf(p, " queue %s", chan->user_queue ? "user" : "kernel");
	drm_printf(p, " inst %08llx", chan->inst.addr);
	drm_printf(p, " error %u code %08x detail %08x", e->error, e->error_code, e->error_detail);
	drm_printf(p, " method %08x data %08x", e->error_method, e->error_data);
	drm_printf(p, " errno %d\n", -dead);
}

static void print_position(struct drm_printer *p, const struct drm_nvfifo_channel_query *e)
{
	drm_printf(p, "pos get %010llx put %010llx mget %010llx", e->get, e->put, e->mget);
	drm_printf(p, " state %08x ib_get %u ib_put %u", e->dma_state, e->ib_get, e->ib_put);
	drm_printf(p, " ref %08x\n", e->ref);
}

/* DMA mode: print the mapped words around GET */
static void print_around_get(struct drm_printer *p, struct nvfifo_chan *chan, u64 get, u32 *buf)
{
	u64 va;
	u32 n;

	for (va = get - min(get, DMA_BEFORE); va < get; va += 4)
		if (nvfifo_vm_read(chan->vm, chan, va, buf, 1))
			break;

	n = nvfifo_vm_read(chan->vm, chan, va, buf, (get + DMA_AFTER - va) / 4);
	print_segment(p, chan, 0, va, n, get, buf);
}

static void print_chan(struct drm_printer *p, struct nvfifo_chan *chan, bool tables, u32 *buf)
{
	struct nvfifo_device *ndev = chan->ndev;
	const int dead = nvfifo_chan_is_dead(chan);
	struct drm_nvfifo_channel_query e;

	scoped_guard(mutex, &ndev->fifo_lock) {
		e = chan->error;
		if (!e.hw_id && chan->phase == NVFIFO_CHAN_RUNNING && nvfifo_is_usable(ndev))
			nvfifo_fifo_position(chan, &e);
	}

	if (e.fault)
		print_fault(p, chan, &e);

	print_state(p, chan, dead, &e);
	if (e.hw_id)
		print_position(p, &e);
	else
		e = (struct drm_nvfifo_channel_query) {
			.get = chan->put, .ib_get = chan->put, .ib_put = chan->put,
		};

	if (nvfifo_card_answers(ndev))
		print_structure(p, chan);

	if (chan->ib)
		print_ring(p, chan, &e, buf);
	else
		print_around_get(p, chan, e.get, buf);

	drm_printf(p, "vm %u\n", chan->vm->serial);
	nvfifo_print_mappings(chan->vm, p);

	if (tables)
		nvfifo_print_tables(chan->vm, p);
}

/* --- The dump ------------------------------------------------------------ */

static void print_card(struct drm_printer *p, struct nvfifo_device *ndev)
{
	const struct new_utsname *uts = init_utsname();
	u64 vram_free;
	u32 tags_free;

	nvfifo_mem_free_amounts(ndev, &vram_free, &tags_free);

	drm_puts(p, "nvfifo dump 1\n");
	drm_printf(p, "card %s chipset %02x", dev_name(ndev->drm.dev), ndev->chip->id);
	drm_printf(p, " boot0 %08x vram %llu\n", ndev->boot_0, nvfifo_mem_facts(ndev)->vram_size);
	drm_printf(p, "kernel %s machine %s\n", uts->release, uts->machine);
	drm_printf(p, "counters timeouts %d", atomic_read(&ndev->counters.timeouts));
	drm_printf(p, " errors %lld", atomic64_read(&ndev->counters.errors));
	drm_printf(p, " submits %lld", atomic64_read(&ndev->counters.submits));
	drm_printf(p, " vram_free %llu\n", vram_free);
	drm_printf(p, "wedged %s\n", nvfifo_wedged_name(ndev));
}

/* A row of NV_DUMP_REGS. Rows of arrays and unreadable registers belong to no chip. */
#define DUMP_ROW(block, reg, stride, count, first, end, access) \
	{ reg, first, (access) != NV_WO && (count) == 1 ? (end) : 0 },
#define DUMP_NO_FIELD(reg, field)

static const struct nvfifo_dump_row {
	u32 offset;
	u8 first, end;	/* on chips from the first to before the end */
} dump_rows[NV_DUMP_WORDS] = {
	NV_DUMP_REGS(DUMP_ROW, DUMP_NO_FIELD)
};

#undef DUMP_ROW
#undef DUMP_NO_FIELD

static bool has_reg(const struct nvfifo_device *ndev, const struct nvfifo_dump_row *r, u32 end)
{
	return ndev->chip->chip >= r->first && ndev->chip->chip < r->end && r->offset < end;
}

/* Read the registers of a dump with fifo_lock held, then the offset below which they were read. */
static void regs_read(struct nvfifo_device *ndev, u32 *val)
{
	u32 i, end = 0;

	if (nvfifo_card_answers(ndev))
		end = nvfifo_pgraph_is_used(ndev) ? ~0u : NV_DUMP_PGRAPH;

	for (i = 0; i < NV_DUMP_WORDS; i++)
		if (has_reg(ndev, &dump_rows[i], end))
			val[i] = nvfifo_rd32(ndev, dump_rows[i].offset);

	val[NV_DUMP_WORDS] = end;
}

static void print_regs(struct drm_printer *p, struct nvfifo_device *ndev, const u32 *val)
{
	u32 i;

	for (i = 0; i < NV_DUMP_WORDS; i++)
		if (has_reg(ndev, &dump_rows[i], val[NV_DUMP_WORDS]))
			drm_printf(p, "reg %06x %08x\n", dump_rows[i].offset, val[i]);
}

/* Print the registers at the error that ended @dead, or without one those of now. */
static void print_card_regs(struct drm_printer *p, struct nvfifo_device *ndev,
			    const struct nvfifo_chan *dead, u32 *buf)
{
	const struct nvfifo_dump_state *dump = &ndev->dump;
	u32 i;

	if (!dead) {
		scoped_guard(mutex, &ndev->fifo_lock)
			regs_read(ndev, buf);

		print_regs(p, ndev, buf);
		return;
	}

	print_regs(p, ndev, dump->regs);

	for (i = 0; i < dump->unit_count; i++)
		drm_printf(p, "reg %06x %08x\n", dump->units[i].reg, dump->units[i].val);
}

/* Print a channel that died, with the registers at its death; without one, the whole card. */
static void dump_print(struct nvfifo_device *ndev, struct nvfifo_chan *dead, struct drm_printer *p)
{
	u32 *buf __free(kvfree) = kvcalloc(max(SEGMENT_WORDS, NV_DUMP_WORDS + 1), sizeof(*buf),
					   GFP_KERNEL | __GFP_NOWARN);
	struct nvfifo_chan *chan = NULL;

	CLASS(nvfifo_enter, entered)(ndev);
	if (!buf || !entered.is_open)
		return;

	print_card(p, ndev);
	print_card_regs(p, ndev, dead, buf);

	/* After a wedge no single channel can be blamed: dump them all. */
	if (dead && dead->error.error != DRM_NVFIFO_ERROR_LOST)
		print_chan(p, dead, true, buf);
	else
		while ((chan = nvfifo_chan_next(ndev, chan)))
			if (!is_enough(p))
				print_chan(p, chan, nvfifo_chid_is_first_of_vm(chan), buf);

	if (!dead)
		print_bos(p, ndev);

	drm_puts(p, "end\n");
}

/**
 * nvfifo_dump() - Print the state of the card with all channels
 * @ndev: the device
 * @p: the printer
 */
void nvfifo_dump(struct nvfifo_device *ndev, struct drm_printer *p)
{
	dump_print(ndev, NULL, p);
}

static void dump_write(struct nvfifo_device *ndev, struct nvfifo_chan *dead)
{
	char *text = __vmalloc(DUMP_BYTES, GFP_KERNEL | __GFP_NOWARN);
	struct drm_printer p = { .printfn = text_printfn };
	struct seq_buf s = {};
	size_t len;

	if (!text)
		return;

	p.arg = &s;
	seq_buf_init(&s, text, DUMP_BYTES - sizeof(TAIL));
	dump_print(ndev, dead, &p);
	len = seq_buf_used(&s);
	if (seq_buf_has_overflowed(&s)) {
		/* Cut off an incomplete line. */
		len = strrchr(text, '\n') + 1 - text;
		len += sprintf(text + len, TAIL);
	}

	if (!len) {
		vfree(text);
		return;
	}

	/* The kernel frees the text after a read, or at once if an older dump is unread. */
	dev_coredumpv(ndev->drm.dev, text, len, GFP_KERNEL);
}

/**
 * nvfifo_dump_work() - Write the dump of the channel that died
 * @work: nvfifo_device.dump.work
 */
void nvfifo_dump_work(struct work_struct *work)
{
	struct nvfifo_device *ndev = container_of(work, struct nvfifo_device, dump.work);
	struct nvfifo_chan *dead;

	scoped_guard(mutex, &ndev->fifo_lock)
		dead = ndev->dump.chan;

	if (!dead)
		return;

	dump_write(ndev, dead);

	scoped_guard(mutex, &ndev->fifo_lock)
		ndev->dump.chan = NULL;

	nvfifo_chan_put(dead);
}

/**
 * nvfifo_dump_capture() - Keep registers and channel for a dump, until the channel's fences failed
 * @chan: the channel that an error ends, with fifo_lock held
 *
 * nvfifo_dump_queue() follows. An error leaves no dump while an earlier one waits for its own, or
 * if it comes too soon after others of the same file.
 */
void nvfifo_dump_capture(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;

	lockdep_assert_held(&ndev->fifo_lock);
	if (drm_dev_is_unplugged(&ndev->drm) || ndev->dump.chan)
		return;

	if (chan->error.error != DRM_NVFIFO_ERROR_LOST && chan->vm->nfile &&
	    !__ratelimit(&chan->vm->nfile->errors))
		return;

	kref_get(&chan->ref);
	ndev->dump.chan = chan;
	ndev->dump.unit_count = 0;
	regs_read(ndev, ndev->dump.regs);
}

/**
 * nvfifo_dump_register() - Keep one more register for the dump of a channel
 * @chan: the channel, with fifo_lock held; nothing happens if its registers were not captured
 * @reg: offset of a register that is in no row of NV_DUMP_REGS
 * @val: its value
 */
void nvfifo_dump_register(struct nvfifo_chan *chan, u32 reg, u32 val)
{
	struct nvfifo_dump_state *dump = &chan->ndev->dump;

	lockdep_assert_held(&chan->ndev->fifo_lock);
	if (dump->chan != chan || dump->unit_count == ARRAY_SIZE(dump->units))
		return;

	dump->units[dump->unit_count].reg = reg;
	dump->units[dump->unit_count].val = val;
	dump->unit_count++;
}

/**
 * nvfifo_dump_queue() - Queue the dump of a channel, if it was captured
 * @chan: the channel, whose fences have failed
 */
void nvfifo_dump_queue(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;

	guard(mutex)(&ndev->fifo_lock);

	if (ndev->dump.chan == chan)
		queue_work(system_freezable_wq, &ndev->dump.work);
}

/**
 * nvfifo_dump_flush() - Write the queued dump, or wait until the running work item has written it
 * @ndev: the device, which is being removed
 *
 * The removal of a card that was pulled out of a sleeping machine ends before the kernel thaws the
 * work queue. So this thread writes the dump.
 *
 * Context: Process context, sleeps.
 */
void nvfifo_dump_flush(struct nvfifo_device *ndev)
{
	cancel_work_sync(&ndev->dump.work);
	nvfifo_dump_work(&ndev->dump.work);
}
