// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: The dump
 *
 * When an error ends a channel, what is known of it becomes a device coredump: registers and
 * position at the error, then the channel structure, the ring, the pushbuffers that it names
 * and the address space. debugfs has the same of all channels at any time, and parts of it.
 *
 * At the error only registers are read, with fifo_lock held. The rest is read by a work, when
 * the fences have failed: nothing waits for it, and it waits for nothing but locks. The text is
 * written to memory that was there before, so that no lock is held while memory is allocated.
 */
#include <linux/devcoredump.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "nvfifo_drv.h"

#define SEGMENT_WORDS	1024
#define ENTRIES		64	/* of the ring, and how many of them are done */
#define ENTRIES_DONE	16
#define DMA_BEFORE	256	/* words around GET in DMA mode */
#define DMA_AFTER	64

/* From one dump to the next, ms; errors may come by the thousand. */
#define INTERVAL	250

#define TAIL		"cut\nend\n"

struct dump {
	struct drm_printer p;
	char *text;
	size_t len, room;
	bool cut;
	u32 regs[NV_DUMP_WORDS];
	u32 ib[ENTRIES][2];
	u32 words[SEGMENT_WORDS];
};

static void dump_printfn(struct drm_printer *p, struct va_format *vaf)
{
	struct dump *d = p->arg;
	size_t room = d->room - strlen(TAIL) - d->len;
	size_t n = d->cut ? room : vsnprintf(d->text + d->len, room, vaf->fmt, *vaf->va);

	d->cut = n >= room;
	d->len += d->cut ? 0 : n;
}

/* Words, 8 a line; with the offset of each line's first one if it counts from @offset. */
static void print_words(struct drm_printer *p, const char *name, int offset, const u32 *w, u32 n)
{
	u32 i, j;

	for (i = 0; i < n; i += 8) {
		drm_puts(p, name);
		if (offset >= 0)
			drm_printf(p, " %0*x", offset ? 5 : 2, offset + i * 4);
		for (j = i; j < min(n, i + 8); j++)
			drm_printf(p, " %08x", w[j]);
		drm_puts(p, "\n");
	}
}

/* --- The card ------------------------------------------------------------ */

/* Is there a card to read? One that is stuck tells most. */
static bool readable(struct nvfifo_device *ndev)
{
	return READ_ONCE(ndev->wedged) != NVFIFO_LOST && !READ_ONCE(ndev->asleep) &&
	       nvfifo_rd32(ndev, NV_PMC_BOOT_0) != ~0u;
}

/* Read the registers of a dump, or print them. */
static void regs_walk(struct nvfifo_device *ndev, u32 *val, struct drm_printer *p)
{
#define ROW(block, name, off, stride, count, first, end, access) \
	{ off, stride, count, NV_CHIP_##first, NV_CHIP_##end, NV_DUMP_##access },
#define NOFLD(block, reg, name, hi, lo)
	static const struct {
		u32 offset, stride, count;
		u8 first, end, read;
	} rows[] = { NV_DUMP_REGS(ROW, NOFLD) };
#undef NOFLD
#undef ROW
	u32 i, n, reg;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (ndev->chip->chip < rows[i].first || ndev->chip->chip >= rows[i].end ||
		    !rows[i].read || rows[i].count > NV_DUMP_COUNT ||
		    (rows[i].offset >= NV_DUMP_PGRAPH && !ndev->gr_up))
			continue;
		for (n = 0; n < rows[i].count; n++, val++) {
			reg = rows[i].offset + n * rows[i].stride;
			if (p)
				drm_printf(p, "reg %06x %08x\n", reg, *val);
			else
				*val = nvfifo_rd32(ndev, reg);
		}
	}
}

static void print_card(struct nvfifo_device *ndev, struct drm_printer *p)
{
	static const char * const wedged[] = { "ok", "lost", "stuck" };

	drm_printf(p, "nvfifo dump 1\ncard %s chipset %02x boot0 %08x vram %llu\n",
		   dev_name(ndev->drm.dev), ndev->chip->id, ndev->boot_0, ndev->vram_size);
	drm_printf(p, "kernel %s machine %s\n", init_utsname()->release, init_utsname()->machine);
	drm_printf(p, "counters timeouts %d errors %lld submits %lld vram_free %llu\n",
		   atomic_read(&ndev->timeouts), atomic64_read(&ndev->errors),
		   atomic64_read(&ndev->submits), ndev->vram_free);
	drm_printf(p, "wedged %s\n", wedged[READ_ONCE(ndev->wedged)]);
}

/* --- Address spaces and buffers ------------------------------------------ */

static const char *domain_name(const struct nvfifo_bo *bo)
{
	return bo->domain == DRM_NVFIFO_DOMAIN_VRAM ? "vram" : "system";
}

void nvfifo_print_bos(struct nvfifo_device *ndev, struct drm_printer *p)
{
	struct nvfifo_bo *bo;
	u32 flags;

	guard(mutex)(&ndev->objects_lock);
	list_for_each_entry(bo, &ndev->bos, link) {
		flags = nvfifo_bo_flags(bo);
		drm_printf(p, "bo %s %zu flags %s%s%s%s tags %llu label %s\n", domain_name(bo),
			   bo->shmem.base.size, flags & DRM_NVFIFO_BO_WC ? "w" : "",
			   flags & DRM_NVFIFO_BO_CONTIGUOUS ? "c" : "",
			   flags & DRM_NVFIFO_BO_IMPORTED ? "i" : "", flags ? "" : "-",
			   bo->tag_users ? bo->tags.size : 0, bo->label);
	}
}

/* Attributes that differ from the usual ones. */
static void print_attributes(struct drm_printer *p, const struct nvfifo_pte *pte)
{
	drm_printf(p, "%s%s%s%s", pte->read_only ? " ro" : "", pte->supervisor ? " supervisor" : "",
		   pte->long_cycle ? " long-cycle" : "", pte->encrypted ? " encrypted" : "");
}

void nvfifo_print_pde(struct drm_printer *p, u64 val)
{
	const struct nvfifo_pde pde = nvfifo_pde_decode(val);

	drm_printf(p, "%016llx %u KiB pages, %u entries, %s at %010llx\n", val,
		   1u << (nvfifo_pt_page_shift(pde.type) - 10),
		   nvfifo_pt_entries(pde.type, pde.size), nvfifo_target_name(pde.target),
		   pde.address);
}

void nvfifo_print_pte(struct drm_printer *p, u64 val)
{
	const struct nvfifo_pte pte = nvfifo_pte_decode(val);

	drm_printf(p, "%016llx %s %010llx, block of %u, kind %02x", val,
		   nvfifo_target_name(pte.target), pte.address, 1u << pte.contig, pte.kind);
	if (pte.comp)
		drm_printf(p, " comp %u tag %03x", pte.comp, pte.tag);
	print_attributes(p, &pte);
	drm_puts(p, "\n");
}

void nvfifo_print_mappings(struct nvfifo_vm *vm, struct drm_printer *p)
{
	struct drm_gpuva *va;

	guard(mutex)(&vm->lock);
	guard(mutex)(&vm->ndev->objects_lock);
	drm_gpuvm_for_each_va(va, &vm->base) {
		struct nvfifo_pte pte = nvfifo_pte_decode(to_nvfifo_vma(va)->pte);
		struct nvfifo_bo *bo = to_nvfifo_bo(va->gem.obj);

		drm_printf(p, "mapping %010llx-%010llx %s %010llx kind %02x comp %u", va->va.addr,
			   va->va.addr + va->va.range - 1, domain_name(bo), va->gem.offset,
			   pte.kind, pte.comp);
		print_attributes(p, &pte);
		drm_printf(p, "%s label %s\n",
			   pte.target == NVFIFO_TARGET_SYS_NOSNOOP ? " nosnoop" : "", bo->label);
	}
}

/* One line for all entries that continue each other. */
static void print_table(const struct nvfifo_pt *pt, u64 va, struct drm_printer *p)
{
	unsigned int shift = nvfifo_pt_page_shift(pt->type);
	u32 i, n;
	u64 pte;

	for (i = 0; i < pt->count; i += n) {
		n = 1;
		pte = nvfifo_pt_lookup(pt, i);
		if (!pte)
			continue;
		for (; i + n < pt->count; n++) {
			pte += nvfifo_pte_step(shift, pte);
			if (nvfifo_pt_lookup(pt, i + n) != pte)
				break;
		}
		drm_printf(p, "pte %010llx-%010llx ", va + ((u64)i << shift),
			   va + ((u64)(i + n) << shift) - 1);
		nvfifo_print_pte(p, le64_to_cpu(pt->entries[i]));
		cond_resched();
	}
}

void nvfifo_print_tables(struct nvfifo_vm *vm, struct drm_printer *p)
{
	struct nvfifo_walk w;
	u32 i;

	guard(mutex)(&vm->pt_lock);
	for (i = 0; i < NVFIFO_PD_ENTRIES; i++) {
		if (!vm->regions[i].pt)
			continue;
		nvfifo_mmu_walk(vm, (u64)i << NVFIFO_PDE_SHIFT, &w);
		drm_printf(p, "pde %03x ", i);
		nvfifo_print_pde(p, w.pde);
		print_table(vm->regions[i].pt, (u64)i << NVFIFO_PDE_SHIFT, p);
	}
}

/*
 * Words of one page that is mapped, as the CPU sees the buffer, with nvfifo_vm.lock held.
 * Return: how many, 0 if there are none.
 */
u32 nvfifo_vm_read(struct nvfifo_vm *vm, u64 va, u32 *words, u32 count)
{
	struct nvfifo_chunk c = {};
	struct iosys_map map;
	struct drm_gpuva *gva;
	u64 offset;
	u32 i;

	lockdep_assert_held(&vm->lock);
	gva = drm_gpuva_find_first(&vm->base, va, 4);
	if (!gva)
		return 0;
	offset = va - gva->va.addr + gva->gem.offset;
	count = min_t(u32, count, (SZ_4K - va % SZ_4K) / 4);
	c.bo = to_nvfifo_bo(gva->gem.obj);
	if (c.bo->domain == DRM_NVFIFO_DOMAIN_VRAM) {
		c.offset = offset;
		c.end = offset + 4;
		nvfifo_chunk_next(&c);
		for (i = 0; i < count; i++)
			words[i] = nvfifo_vram_rd32(vm->ndev,
						    c.address - vm->ndev->igp_base + i * 4);
		return count;
	}
	if (nvfifo_gem_vmap(gva->gem.obj, &map))
		return 0;
	iosys_map_memcpy_from(words, &map, offset, count * 4);
	nvfifo_gem_vunmap(gva->gem.obj, &map);
	return count;
}

/* --- Channels ------------------------------------------------------------ */

/* Words that a channel's pushbuffers may be in. Return: how many, from the first on. */
static u32 chan_read(struct nvfifo_chan *chan, u64 va, u32 *words, u32 count)
{
	u64 own = va - chan->mem_va.start;
	u32 n = 0, part;

	if (va >= chan->mem_va.start && own < chan->mem_size) {
		n = min(count, (u32)(chan->mem_size - own) / 4);
		memcpy(words, chan->mem + own, n * 4);
		return n;
	}
	guard(mutex)(&chan->vm->lock);
	do {
		part = nvfifo_vm_read(chan->vm, va + n * 4, words + n, count - n);
		n += part;
	} while (part && n < count);
	return n;
}

/* The segment of a ring entry, or a part of DMA mode's buffer. */
static void print_segment(struct dump *d, struct nvfifo_chan *chan, u32 entry, u64 va, u32 words,
			  u64 get)
{
	u32 skip = 0, n;

	if (words > SEGMENT_WORDS && get >= va && get - va <= words * 4ULL)
		skip = clamp((s32)((get - va) / 4) - SEGMENT_WORDS / 2, 0,
			     (s32)(words - SEGMENT_WORDS));
	n = chan_read(chan, va + skip * 4ULL, d->words, min(words, (u32)SEGMENT_WORDS));
	if (!n)
		return;
	if (chan->ib)
		drm_printf(&d->p, "segment ib %u va %010llx words %u\n", entry, va, words);
	else
		drm_printf(&d->p, "segment dma va %010llx words %u\n", va, words);
	if (skip)
		drm_printf(&d->p, "skip %u\n", skip);
	print_words(&d->p, "data", -1, d->words, n);
}

static void print_ring(struct dump *d, struct nvfifo_chan *chan,
		       const struct drm_nvfifo_channel_query *pos)
{
	u32 mask = (1u << chan->order) - 1, todo = (pos->ib_put - pos->ib_get) & mask;
	u32 done = min3((u32)ENTRIES_DONE, mask - todo, (u32)ENTRIES), i, at;

	todo = min(todo, ENTRIES - done);
	drm_printf(&d->p, "ring address %010llx order %u\n", chan->ring, chan->order);
	for (i = 0; i < done + todo; i++) {
		at = (pos->ib_get - done + i) & mask;
		if (chan_read(chan, chan->ring + at * 8, d->ib[i], 2) < 2)
			memset(d->ib[i], 0, sizeof(d->ib[i]));
		if (d->ib[i][1])
			drm_printf(&d->p, "ib %u %08x %08x\n", at, d->ib[i][0], d->ib[i][1]);
	}
	for (i = 0; i < done + todo; i++)
		print_segment(d, chan, (pos->ib_get - done + i) & mask,
			      (u64)(d->ib[i][1] & 0xff) << 32 | (d->ib[i][0] & ~3u),
			      d->ib[i][1] >> 10 & NVFIFO_IB_WORDS_MAX, pos->get);
}

/* In DMA mode, what surrounds GET and is mapped. */
static void print_dma(struct dump *d, struct nvfifo_chan *chan, u64 get)
{
	u64 va = get - min(get, DMA_BEFORE * 4ULL), end = get + DMA_AFTER * 4;

	while (va < end && !chan_read(chan, va, d->words, 1))
		va += 4;
	print_segment(d, chan, 0, va, chan_read(chan, va, d->words, (end - va) / 4), get);
}

static void print_structure(struct dump *d, struct nvfifo_chan *chan)
{
	u64 ramfc = chan->ndev->chip->g84 ? NVFIFO_G84_RAMFC : NVFIFO_G80_RAMFC;
	unsigned long slot;
	u32 i, offset;

	for (i = 0; i < NVFIFO_RAMFC_WORDS; i++)
		d->words[i] = nvfifo_vram_rd32(chan->ndev, chan->inst.addr + ramfc + i * 4);
	print_words(&d->p, "ramfc", 0, d->words, NVFIFO_RAMFC_WORDS);
	guard(mutex)(&chan->lock);
	for (i = 0; i < NVFIFO_RAMHT_ENTRIES; i++)
		if (chan->ramht.shadow[i].context)
			drm_printf(&d->p, "ramht %u %08x %08x\n", i, chan->ramht.shadow[i].handle,
				   chan->ramht.shadow[i].context);
	for_each_set_bit(slot, chan->ramht.slots, NVFIFO_OBJECT_SLOTS) {
		offset = NVFIFO_OBJECTS + slot * NVFIFO_OBJECT_BYTES;
		for (i = 0; i < NVFIFO_OBJECT_BYTES / 4; i++)
			d->words[i] = nvfifo_vram_rd32(chan->ndev,
						       chan->inst.addr + offset + i * 4);
		print_words(&d->p, "object", offset, d->words, NVFIFO_OBJECT_BYTES / 4);
	}
}

static void print_chan(struct dump *d, struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	struct drm_printer *p = &d->p;
	struct drm_nvfifo_channel_query e;

	scoped_guard(mutex, &ndev->fifo_lock) {
		e = chan->error;
		if (!e.hw_id && chan->running && !nvfifo_usable(ndev))
			nvfifo_chan_position(chan, &e);
	}
	if (e.fault)
		drm_printf(p, "fault %010llx inst %08llx engine %x reason %x client %02x slot %02x %s\n",
			   e.fault_address, chan->inst.addr, e.fault_engine, e.fault_reason,
			   e.fault_client, e.fault_slot, e.fault_write ? "write" : "read");
	drm_printf(p, "channel %u state %s mode %s queue %s inst %08llx error %u code %08x detail %08x method %08x data %08x errno %d\n",
		   chan->id, READ_ONCE(chan->dead) ? "dead" : "alive", chan->ib ? "ib" : "dma",
		   chan->user_queue ? "user" : "kernel", chan->inst.addr, e.error, e.error_code,
		   e.error_detail, e.error_method, e.error_data, -READ_ONCE(chan->dead));
	if (e.hw_id)
		drm_printf(p, "pos get %010llx put %010llx mget %010llx state %08x ib_get %u ib_put %u ref %08x\n",
			   e.get, e.put, e.mget, e.dma_state, e.ib_get, e.ib_put, e.ref);
	else
		e.ib_get = e.ib_put = e.get = chan->put;
	if (readable(ndev))
		print_structure(d, chan);
	if (chan->ib)
		print_ring(d, chan, &e);
	else
		print_dma(d, chan, e.get);
	drm_printf(p, "vm %u\n", chan->vm->serial);
	nvfifo_print_mappings(chan->vm, p);
	nvfifo_print_tables(chan->vm, p);
}

/* --- The dump ------------------------------------------------------------ */

/* Write that of one channel, which died, or of the whole card. Return: its length, or 0. */
size_t nvfifo_dump(struct nvfifo_device *ndev, struct nvfifo_chan *dead, char *text, size_t room)
{
	struct dump *d = kvzalloc(sizeof(*d), GFP_KERNEL);
	struct nvfifo_chan *chan = NULL;
	size_t len;

	if (!d)
		return 0;
	d->p.printfn = dump_printfn;
	d->p.arg = d;
	d->text = text;
	d->room = room;
	print_card(ndev, &d->p);
	if (dead && ndev->dump_has_regs) {
		regs_walk(ndev, ndev->dump_regs, &d->p);
	} else if (!dead && readable(ndev)) {
		scoped_guard(mutex, &ndev->fifo_lock)
			regs_walk(ndev, d->regs, NULL);
		regs_walk(ndev, d->regs, &d->p);
	}
	/* Who made the card useless is not known. */
	if (dead && dead->error.error != DRM_NVFIFO_ERROR_LOST)
		print_chan(d, dead);
	else
		while ((chan = nvfifo_chan_next(ndev, chan)))
			print_chan(d, chan);
	if (!dead)
		nvfifo_print_bos(ndev, &d->p);
	/* No half of a line */
	while (d->cut && d->text[d->len - 1] != '\n')
		d->len--;
	len = d->len + sprintf(d->text + d->len, "%send\n", d->cut ? "cut\n" : "");
	kvfree(d);
	return len;
}

void nvfifo_dump_work(struct work_struct *work)
{
	struct nvfifo_device *ndev = container_of(work, struct nvfifo_device, dump_work);
	char *text = __vmalloc(NVFIFO_DUMP_BYTES, GFP_KERNEL | __GFP_NOWARN);
	struct nvfifo_chan *chan = ndev->dump_chan;
	size_t len = 0;

	CLASS(nvfifo_enter, entered)(ndev);
	if (text && entered >= 0)
		len = nvfifo_dump(ndev, chan, text, NVFIFO_DUMP_BYTES);
	if (len)
		/* Frees it when it was read, or at once if an older one was not. */
		dev_coredumpv(ndev->drm.dev, text, len, GFP_KERNEL);
	else
		vfree(text);
	WRITE_ONCE(ndev->dump_chan, NULL);
	nvfifo_chan_put(chan);
}

/* An error ends the channel: keep it, and what the registers are, for nvfifo_dump_start(). */
void nvfifo_dump_capture(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	ktime_t now = ktime_get();

	lockdep_assert_held(&ndev->fifo_lock);
	if (!IS_ENABLED(CONFIG_DEV_COREDUMP) || READ_ONCE(ndev->removing) ||
	    READ_ONCE(ndev->dump_chan) || ktime_before(now, ndev->dump_next))
		return;
	ndev->dump_next = ktime_add_ms(now, INTERVAL);
	kref_get(&chan->ref);
	WRITE_ONCE(ndev->dump_chan, chan);
	ndev->dump_has_regs = readable(ndev);
	if (ndev->dump_has_regs)
		regs_walk(ndev, ndev->dump_regs, NULL);
}

/* Its fences have failed. */
void nvfifo_dump_start(struct nvfifo_chan *chan)
{
	if (READ_ONCE(chan->ndev->dump_chan) == chan)
		queue_work(nvfifo_wq, &chan->ndev->dump_work);
}
