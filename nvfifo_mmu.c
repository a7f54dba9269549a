// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Page directories and page tables
 *
 * The MMU translates 40-bit virtual addresses with a page directory of 2048 entries, 512 MiB each,
 * and one level of page tables below it. All pages of such a region have one size: 4 KiB, 64 KiB,
 * or from GT215 on 16 KiB. The page directory is a part of the channel structure, so each channel
 * of an address space has a copy. The channels share the page tables.
 *
 * Page tables live in coherent system memory, which the card reads through the snooped target of
 * the PDE. The CPU writes a PTE with one 64-bit store, and no write crosses the bus. No other known
 * driver does so, therefore nvfifo_trial.c tries it at probe. If the card cannot read such tables,
 * they are in instance memory, and the driver writes them through BAR3 word by word. The driver
 * then also keeps a copy, from which it reads.
 *
 * A table of 4 KiB pages may cover as little as 32 MiB, and grows with the mappings. The pages of a
 * region become smaller when a mapping needs it. In both cases the driver fills a new table, and
 * replaces the old one with one store. It may remove a table without mappings. TLBs may still refer
 * to a removed table, so it is freed after their flush.
 *
 * A plan allocates new tables first, and may fail: for lack of memory, or if mappings in one region
 * need different sizes of pages. The plan is installed later, with the PTEs of the mapping.
 *
 * The card caches translations, missing ones too, per VM engine. After each change the driver
 * flushes the TLBs of the engines that use the address space. PFIFO is always one of them. On G84
 * and later its background semaphore reads are another, if such a flush ends.
 */
#include "nvfifo_args.h"
#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_mem.h"
#include "nvfifo_mmu.h"
#include "nvfifo_quota.h"
#include "nvfifo_pt.h"
#include "nvfifo_pusher.h"
#include "nvfifo_recover.h"
#include "nvfifo_tlb.h"
#include "nvfifo_trace.h"

/* Most tables without mappings that an address space keeps for its next mapping */
#define EMPTY_TABLES_MAX	4

#define REGION_BYTES		BIT_ULL(NVFIFO_PDE_SHIFT)

/* Longest time of a freeze, before PFIFO runs again between two entries of a table */
#define FREEZE_NS		(2 * NSEC_PER_MSEC)

/* Part of the time for which PFIFO may be frozen, a burst of it, and the longest wait */
#define FREEZE_PARTS		20
#define FREEZE_BURST_MS		1000
#define FREEZE_WAIT_MS		1000

/* --- Limit of freezes ---------------------------------------------------- */

/**
 * nvfifo_mmu_freeze_charge() - Count the time for which PFIFO was frozen
 * @ndev: the device, with mmu.freeze_lock held
 * @ns: the time, nanoseconds
 */
void nvfifo_mmu_freeze_charge(struct nvfifo_device *ndev, s64 ns)
{
	ktime_t first = ktime_sub_ms(ktime_get(), FREEZE_BURST_MS);

	lockdep_assert_held(&ndev->mmu.freeze_lock);

	if (ktime_before(ndev->mmu.freezes, first))
		ndev->mmu.freezes = first;

	ndev->mmu.freezes = ktime_add_ns(ndev->mmu.freezes, FREEZE_PARTS * max(ns, 0LL));
}

/**
 * nvfifo_mmu_freeze_wait() - Compute the wait before the next freeze
 * @ndev: the device, with mmu.freeze_lock held
 *
 * The limit is that of the card, so it does not depend on the number of users.
 *
 * Return: milliseconds, 0 if the freezes are within the limit.
 */
u32 nvfifo_mmu_freeze_wait(struct nvfifo_device *ndev)
{
	lockdep_assert_held(&ndev->mmu.freeze_lock);

	return clamp_t(s64, ktime_ms_delta(ndev->mmu.freezes, ktime_get()), 0, FREEZE_WAIT_MS);
}

/* --- Page tables --------------------------------------------------------- */

/*
 * Change an entry of a directory or a table in VRAM. The low word holds the bits that make it
 * present, so it changes last. If the high word changes, too, the entry is absent in between.
 */
static void entry_write(struct nvfifo_device *ndev, u64 addr, u64 old, u64 val)
{
	bool high = upper_32_bits(old) != upper_32_bits(val);

	if (high && lower_32_bits(old))
		nvfifo_vram_wr32(ndev, addr, 0);
	if (high)
		nvfifo_vram_wr32(ndev, addr + 4, upper_32_bits(val));
	if (!high || lower_32_bits(val))
		nvfifo_vram_wr32(ndev, addr, lower_32_bits(val));
}

/* Is a valid entry absent for a moment while another valid one replaces it? */
static bool has_gap(u64 old, u64 val)
{
	return upper_32_bits(old) != upper_32_bits(val) && lower_32_bits(old) &&
	       lower_32_bits(val);
}

/*
 * May channels of an address space see a gap? When the channels of a killed process are off the
 * card, its VM_BIND needs no more freezes.
 */
static bool vm_is_running(const struct nvfifo_vm *vm)
{
	const struct nvfifo_chan *chan;

	lockdep_assert_held(&vm->pt_lock);

	list_for_each_entry(chan, &vm->chans, vm_link)
		if (READ_ONCE(chan->phase) != NVFIFO_CHAN_OFF)
			return true;

	return false;
}

/*
 * Unfreeze PFIFO, after a flush of the entries that were written during the freeze. PFIFO stood
 * still for all users, so the time counts for all of them.
 */
static void thaw(struct nvfifo_device *ndev, ktime_t since)
{
	nvfifo_run_procedure_locked(ndev, "BAR flush", nvfifo_bar_flush_once, NULL);
	nvfifo_fifo_unfreeze(ndev);
	nvfifo_mmu_freeze_charge(ndev, ktime_to_ns(ktime_sub(ktime_get(), since)));
	mutex_unlock(&ndev->mmu.freeze_lock);
}

/* Wait while freezes take too much of PFIFO's time. Return: 0, or -EINTR in a killed process. */
static int freeze_wait(struct nvfifo_device *ndev)
{
	u32 ms = nvfifo_mmu_freeze_wait(ndev);

	if (!ms)
		return 0;

	/*
	 * A suspend waits for a job that has begun, and for threads that wait for its locks. So the
	 * job must not wait for the limit.
	 */
	if (wait_event_killable_timeout(ndev->sleepers, READ_ONCE(ndev->removing),
					msecs_to_jiffies(ms)) < 0)
		return -EINTR;

	return 0;
}

/*
 * Freeze PFIFO for a user, which may wait for PGRAPH, and for the limit of freezes. One thread of
 * each user waits at a time, so users take turns. A kill ends all of these waits; no kill reaches a
 * thread of the driver. Return: 0, and the caller must call thaw(); or as nvfifo_fifo_freeze().
 */
static int freeze_for(struct nvfifo_device *ndev, struct nvfifo_quota *quota)
{
	int ret;

	ret = nvfifo_quota_turn_try(quota);
	if (ret)
		return ret;

	ret = mutex_lock_killable(&ndev->mmu.freeze_lock);
	if (ret)
		goto end_turn;

	if (quota)
		ret = freeze_wait(ndev);
	if (!ret)
		ret = nvfifo_fifo_freeze(ndev);
	if (ret)
		mutex_unlock(&ndev->mmu.freeze_lock);

end_turn:
	nvfifo_quota_turn_end(quota);

	return ret;
}

/* Freeze PFIFO for a change of a table. End a freeze that lasts FREEZE_NS, and begin another. */
static void pt_freeze(struct nvfifo_pt *pt)
{
	if (pt->frozen && ktime_to_ns(ktime_sub(ktime_get(), pt->frozen_since)) > FREEZE_NS) {
		thaw(pt->ndev, pt->frozen_since);
		pt->frozen = false;
	}

	if (!pt->frozen) {
		pt->frozen = !freeze_for(pt->ndev, pt->vm->quota);
		pt->frozen_since = ktime_get();
	}
}

/*
 * Write entries to VRAM, before they are written to the copy in @pt. No source says that a 64-bit
 * store through BAR3 is atomic for the card, so store words. Running channels must not see a gap,
 * so PFIFO is frozen for one. Only a job has gaps to write, and no kill reaches its thread: if the
 * freeze fails, the card is stuck and off the bus. The BAR flush before the TLB flush makes the
 * entries visible.
 */
static void pt_vram_store(struct nvfifo_pt *pt, u32 index, u32 count, u64 pte)
{
	u64 addr = pt->inst->addr + index * sizeof(pte), old;
	u32 i;

	for (i = 0; i < count; i++) {
		old = le64_to_cpu(pt->entries[index + i]);

		if (has_gap(old, pte) && vm_is_running(pt->vm))
			pt_freeze(pt);

		entry_write(pt->ndev, addr + i * sizeof(pte), old, pte);
	}
}

/* Allocate a zeroed table in VRAM, and the driver's copy for reading. */
static int pt_vram_alloc(struct nvfifo_device *ndev, struct nvfifo_pt *pt)
{
	const u32 bytes = pt->count * sizeof(__le64);
	struct nvfifo_inst *inst __free(kfree) = kzalloc(sizeof(*inst), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!inst)
		return -ENOMEM;

	pt->entries = kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!pt->entries)
		return -ENOMEM;

	ret = nvfifo_inst_alloc(ndev, inst, bytes, SZ_4K);
	if (ret) {
		kvfree(pt->entries);
		return nvfifo_fail(ndev, ret, "no instance memory is left for page tables");
	}

	pt->ndev = ndev;
	pt->inst = no_free_ptr(inst);
	pt->mirror = pt_vram_store;

	return 0;
}

static void pt_vram_free(struct nvfifo_device *ndev, struct nvfifo_pt *pt)
{
	nvfifo_inst_free(ndev, pt->inst);
	kfree(pt->inst);
	kvfree(pt->entries);
}

/*
 * Allocate a table's memory, charged to the caller's memory cgroup and to the file. The card's
 * removal frees the tables on the device's list, because files may stay open. Return: 0, -ENOMEM or
 * -ENODEV.
 */
static int pt_memory_alloc(struct nvfifo_device *ndev, struct nvfifo_pt *pt)
{
	int ret;

	if (nvfifo_mem_has_tables(ndev))
		return pt_vram_alloc(ndev, pt);

	ret = nvfifo_io(ndev)->pt_alloc(ndev, pt);
	if (ret)
		return ret;

	guard(mutex)(&ndev->mmu.tables_lock);

	if (ndev->mmu.tables_detached) {
		nvfifo_io(ndev)->pt_free(ndev, pt);
		return -ENODEV;
	}

	list_add_tail(&pt->all, &ndev->mmu.tables);

	return 0;
}

/* Free a table's memory, with mmu.tables_lock held, and the device not yet removed. */
static void pt_memory_free(struct nvfifo_device *ndev, struct nvfifo_pt *pt)
{
	list_del(&pt->all);
	nvfifo_io(ndev)->pt_free(ndev, pt);
	pt->entries = NULL;
}

/*
 * Allocate a table. In a plan, a table of type NVFIFO_PT_NONE stands for the removal of a table.
 * Return: the table, or an error pointer to -ENOMEM, -ENODEV, or -ENOSPC if the file would hold
 * more tables than its share.
 */
static struct nvfifo_pt *pt_alloc(struct nvfifo_vm *vm, u8 type, u8 size)
{
	struct nvfifo_pt *pt __free(kfree) = kzalloc(sizeof(*pt), GFP_KERNEL_ACCOUNT);
	size_t bytes;
	int ret;

	if (!pt)
		return ERR_PTR(-ENOMEM);

	pt->type = type;
	pt->size = size;
	pt->count = nvfifo_pt_entries(type, size);
	if (!pt->count)
		return no_free_ptr(pt);

	bytes = pt->count * sizeof(__le64);
	ret = nvfifo_quota_charge(vm->ndev, vm->quota, NVFIFO_TABLES, bytes);
	if (ret)
		return ERR_PTR(ret);

	ret = pt_memory_alloc(vm->ndev, pt);
	if (ret) {
		nvfifo_quota_uncharge(vm->quota, NVFIFO_TABLES, bytes);
		return ERR_PTR(ret);
	}

	return no_free_ptr(pt);
}

static void pt_free(struct nvfifo_vm *vm, struct nvfifo_pt *pt)
{
	struct nvfifo_device *ndev = vm->ndev;

	nvfifo_quota_uncharge(vm->quota, NVFIFO_TABLES, pt->count * sizeof(__le64));

	if (pt->inst) {
		pt_vram_free(ndev, pt);
	} else {
		guard(mutex)(&ndev->mmu.tables_lock);

		/* The card's removal may have freed the entries. */
		if (pt->entries)
			pt_memory_free(ndev, pt);
	}

	kfree(pt);
}

/**
 * nvfifo_mmu_detach_all() - Free the memory of all tables of a card that is being removed
 * @ndev: the card, unplugged, so that it reads no table
 */
void nvfifo_mmu_detach_all(struct nvfifo_device *ndev)
{
	struct nvfifo_pt *pt, *tmp;

	guard(mutex)(&ndev->mmu.tables_lock);

	ndev->mmu.tables_detached = true;

	list_for_each_entry_safe(pt, tmp, &ndev->mmu.tables, all)
		pt_memory_free(ndev, pt);
}

/**
 * nvfifo_mmu_changes_free() - Free the tables of a plan
 * @vm: the address space
 * @changes: tables that are not installed, or retired tables; empty afterwards
 */
void nvfifo_mmu_changes_free(struct nvfifo_vm *vm, struct list_head *changes)
{
	struct nvfifo_pt *pt, *tmp;

	list_for_each_entry_safe(pt, tmp, changes, link) {
		list_del(&pt->link);
		pt_free(vm, pt);
	}
}

/* --- Page directories ---------------------------------------------------- */

static u64 pde_value(const struct nvfifo_pt *pt)
{
	struct nvfifo_pde pde = { .target = NVFIFO_TARGET_SYS_SNOOP };

	if (!pt || !pt->type)
		return 0;

	pde.address = pt->dma;
	pde.type = pt->type;
	pde.size = pt->size;

	if (pt->inst) {
		pde.address = pt->inst->addr;
		pde.target = NVFIFO_TARGET_VRAM;
	}

	return nvfifo_pde_encode(&pde);
}

static void pde_write(struct nvfifo_chan *chan, u32 index, u64 old, u64 val)
{
	u32 pd = chan->ndev->chip->g84 ? NVFIFO_G84_PD : NVFIFO_G80_PD;

	entry_write(chan->ndev, chan->inst.addr + pd + index * 8, old, val);
	chan->vm->vram_dirty = true;
}

/*
 * Replace a table by a planned one with the same mappings, or remove an empty table. Running
 * channels must not see a gap in mappings, so PFIFO is frozen for one. Return: -EINTR with the old
 * table in its place if the process is killed before that.
 */
static int pt_install(struct nvfifo_vm *vm, struct nvfifo_pt *pt)
{
	struct nvfifo_pt *old = vm->regions[pt->index].pt;
	u64 old_val = pde_value(old), val = pde_value(pt);
	bool freeze = pt->copy && has_gap(old_val, val) && vm_is_running(vm);
	struct nvfifo_chan *chan;
	ktime_t since;
	int ret = 0;

	if (pt->inst)
		nvfifo_vram_fill(vm->ndev, pt->inst->addr, pt->count * sizeof(__le64), 0);
	if (pt->copy)
		nvfifo_pt_copy(pt, old);
	if (pt->inst)
		ret = nvfifo_bar_flush(vm->ndev);
	if (ret)
		return ret;

	if (freeze)
		ret = freeze_for(vm->ndev, vm->quota);
	if (ret)
		return ret;

	since = ktime_get();

	list_for_each_entry(chan, &vm->chans, vm_link)
		pde_write(chan, pt->index, old_val, val);

	if (freeze)
		thaw(vm->ndev, since);

	vm->regions[pt->index].pt = pt->type ? pt : NULL;
	if (pt->type)
		list_del(&pt->link);

	if (old)
		list_add(&old->link, &vm->retired);

	return 0;
}

/* --- Plans --------------------------------------------------------------- */

/* The part of a range that one PDE covers, from @off to @end in its region. */
struct part {
	u32 index, off, end;
	u64 next;	/* begin of the next part, at first that of the range */
};

static bool part_next(struct part *p, u64 end)
{
	u64 base = round_down(p->next, REGION_BYTES);

	if (p->next >= end)
		return false;

	p->index = p->next >> NVFIFO_PDE_SHIFT;
	p->off = p->next - base;
	p->end = min(end - base, REGION_BYTES);
	p->next = base + p->end;

	return true;
}

static bool region_is_empty(const struct nvfifo_region *r)
{
	return r->type && !r->bytes;
}

static void region_set(struct nvfifo_vm *vm, u32 index, u8 type, u8 size)
{
	struct nvfifo_region *r = &vm->regions[index];

	vm->empty -= region_is_empty(r);
	r->type = type;
	r->size = size;
	vm->empty += region_is_empty(r);
}

/**
 * nvfifo_mmu_account() - Count the mapped bytes of each region
 * @vm: the address space, with its lock held
 * @va: address of the mapping
 * @size: bytes
 * @pte: attributes of its PTEs
 * @add: true for a new mapping, false for a removed one
 */
void nvfifo_mmu_account(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte, bool add)
{
	struct part p = { .next = va };

	while (part_next(&p, va + size)) {
		struct nvfifo_region *r = &vm->regions[p.index];
		u32 bytes = p.end - p.off;

		vm->empty -= region_is_empty(r);
		r->bytes += add ? bytes : -bytes;

		if (nvfifo_pte_comp(pte))
			r->comp_bytes += add ? bytes : -bytes;

		if (add)
			r->top = max(r->top, p.end);
		else if (!r->bytes)
			r->top = 0;

		vm->empty += region_is_empty(r);
	}
}

/* Plan another table for a region, or with NVFIFO_PT_NONE its removal. */
static int plan_table(struct nvfifo_vm *vm, u32 index, u8 type, u8 size,
		      struct list_head *changes)
{
	struct nvfifo_pt *pt = pt_alloc(vm, type, size);
	struct nvfifo_region *r = &vm->regions[index];

	if (IS_ERR(pt))
		return PTR_ERR(pt);

	pt->index = index;
	pt->copy = r->bytes;
	pt->old_type = r->type;
	pt->old_size = r->size;
	region_set(vm, index, type, size);
	list_add_tail(&pt->link, changes);

	return 0;
}

/*
 * Plan the table for a mapping that ends at @end of its region. Smaller pages have the larger
 * type.
 */
static int plan_region(struct nvfifo_vm *vm, u32 index, u32 end, unsigned int type, u64 pte,
		       bool strict, struct list_head *changes)
{
	const struct nvfifo_region *r = &vm->regions[index];
	unsigned int size = 0;

	if (r->bytes && type < r->type) {
		if (strict || nvfifo_pte_comp(pte))
			return -EBUSY;

		type = r->type;
	}

	if (r->bytes && type > r->type && r->comp_bytes)
		return -EBUSY;

	if (type == NVFIFO_PT_4K)
		size = nvfifo_pt_size_for(max(end, r->top) >> 12);

	/* PT_SIZE is smaller for a longer table. A table that is long enough stays. */
	if (r->type == type && size >= r->size)
		return 0;

	return plan_table(vm, index, type, size, changes);
}

/**
 * nvfifo_mmu_plan_map() - Plan page tables for a mapping
 * @vm: the address space, with its lock held
 * @va: address
 * @size: bytes
 * @type: enum nvfifo_pt_type of the largest pages that the mapping allows
 * @pte: attributes of its PTEs
 * @strict: fail rather than use smaller pages
 * @changes: gets the tables to install, even after an error
 *
 * Return: 0, -EBUSY if mappings of the region need different sizes of pages, -ENOSPC, -ENOMEM or
 * -ENODEV.
 */
int nvfifo_mmu_plan_map(struct nvfifo_vm *vm, u64 va, u64 size, unsigned int type, u64 pte,
			bool strict, struct list_head *changes)
{
	struct part p = { .next = va };
	int ret = 0;

	while (!ret && part_next(&p, va + size)) {
		ret = plan_region(vm, p.index, p.end, type, pte, strict, changes);

		/* The limit of a memory cgroup may stall each allocation for seconds. */
		if (!ret && READ_ONCE(vm->ndev->removing))
			ret = -ENODEV;
	}

	if (!ret)
		nvfifo_mmu_account(vm, va, size, pte, true);

	return ret;
}

/**
 * nvfifo_mmu_plan_cut() - Plan small enough pages for a cut in a mapping
 * @vm: the address space, with its lock held
 * @va: address of the cut, a multiple of 4 KiB
 * @changes: gets the tables to install
 *
 * Return: as nvfifo_mmu_plan_map().
 */
int nvfifo_mmu_plan_cut(struct nvfifo_vm *vm, u64 va, struct list_head *changes)
{
	u32 index = va >> NVFIFO_PDE_SHIFT;

	if (IS_ALIGNED(va, 1ULL << nvfifo_pt_page_shift(vm->regions[index].type)))
		return 0;

	return plan_region(vm, index, 0, NVFIFO_PT_4K, 0, false, changes);
}

/**
 * nvfifo_mmu_plan_unmap() - Plan the removal of a mapping, or of a part of it
 * @vm: the address space, with its lock held
 * @va: address
 * @size: bytes
 * @pte: attributes of its PTEs
 * @changes: gets the tables to install; beyond EMPTY_TABLES_MAX empty tables are removed
 */
void nvfifo_mmu_plan_unmap(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte,
			   struct list_head *changes)
{
	struct part p = { .next = va };

	nvfifo_mmu_account(vm, va, size, pte, false);

	while (part_next(&p, va + size))
		if (region_is_empty(&vm->regions[p.index]) && vm->empty > EMPTY_TABLES_MAX)
			/* Without memory for the plan the empty table stays. */
			plan_table(vm, p.index, NVFIFO_PT_NONE, 0, changes);
}

/**
 * nvfifo_mmu_plan_undo() - Undo the last plan
 * @vm: the address space, with its lock held
 * @changes: the last plan, empty afterwards
 */
void nvfifo_mmu_plan_undo(struct nvfifo_vm *vm, struct list_head *changes)
{
	struct nvfifo_pt *pt;

	list_for_each_entry_reverse(pt, changes, link)
		region_set(vm, pt->index, pt->old_type, pt->old_size);

	nvfifo_mmu_changes_free(vm, changes);
}

/**
 * nvfifo_mmu_plan_replaces() - Does a plan put tables in the place of others with mappings?
 * @changes: the plan
 *
 * Return: true if nvfifo_mmu_install() may have to freeze PFIFO.
 */
bool nvfifo_mmu_plan_replaces(const struct list_head *changes)
{
	const struct nvfifo_pt *pt;

	list_for_each_entry(pt, changes, link)
		if (pt->copy)
			return true;

	return false;
}

/* --- The card's side ----------------------------------------------------- */

/**
 * nvfifo_mmu_install() - Put the tables of a plan into the page directories
 * @vm: the address space, with its pt_lock held
 * @changes: the plan; the caller frees the tables that are left in it
 *
 * Context: Process context, sleeps. Allocates nothing. May take fifo_lock.
 *
 * Return: 0; -EIO or -ENODEV with the address space broken; -EINTR in a killed process if
 * nvfifo_mmu_plan_replaces() says that PFIFO may have to be frozen.
 */
int nvfifo_mmu_install(struct nvfifo_vm *vm, struct list_head *changes)
{
	struct nvfifo_pt *pt, *tmp;

	lockdep_assert_held(&vm->pt_lock);

	list_for_each_entry_safe(pt, tmp, changes, link) {
		int ret = pt_install(vm, pt);

		if (ret && ret != -EINTR)
			vm->broken = true;
		if (ret)
			return ret;
	}

	return 0;
}

/* Write PTEs of a table in VRAM, with PFIFO frozen if an entry would have a gap. */
static void pt_vram_write(struct nvfifo_vm *vm, struct nvfifo_pt *pt, u32 index, u32 count, u64 pte,
			  const u64 *addresses)
{
	vm->vram_dirty = true;
	pt->vm = vm;

	nvfifo_pt_write(pt, index, count, pte, addresses);

	if (pt->frozen) {
		thaw(vm->ndev, pt->frozen_since);
		pt->frozen = false;
	}
}

/**
 * nvfifo_mmu_write() - Write the PTEs of a range whose tables are installed
 * @vm: the address space, with its pt_lock held
 * @va: address
 * @size: bytes
 * @pte: PTE of the first page, or the attributes of pages at @addresses; 0 clears the range
 * @addresses: addresses of pages of 4 KiB, or NULL
 *
 * The change takes effect after nvfifo_mmu_flush(), which fails if the card got stuck here.
 *
 * Context: Process context, sleeps. May take fifo_lock if tables are in VRAM.
 */
void nvfifo_mmu_write(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte, const u64 *addresses)
{
	struct part p = { .next = va };

	while (part_next(&p, va + size)) {
		struct nvfifo_pt *pt = vm->regions[p.index].pt;
		u32 shift, pages;

		/* The plan has removed the table, because it has no mappings. */
		if (!pt)
			continue;

		shift = nvfifo_pt_page_shift(pt->type);
		pages = (p.end - p.off) >> shift;

		if (pt->inst)
			pt_vram_write(vm, pt, p.off >> shift, pages, pte, addresses);
		else
			nvfifo_pt_write(pt, p.off >> shift, pages, pte, addresses);

		if (addresses)
			addresses += pages;
		else if (pte)
			pte += pages * nvfifo_pte_step(shift, pte);

		/* A region has up to 131072 entries. */
		cond_resched();
	}
}

/**
 * nvfifo_mmu_walk() - Translate an address as the card would
 * @vm: the address space, with its pt_lock held
 * @va: the address
 * @w: set to the steps; its reason names the step that fails
 *
 * Return: true if the address has a page.
 */
bool nvfifo_mmu_walk(struct nvfifo_vm *vm, u64 va, struct nvfifo_walk *w)
{
	const struct nvfifo_pt *pt = vm->regions[va >> NVFIFO_PDE_SHIFT].pt;
	unsigned int shift;
	u64 pte;

	*w = (struct nvfifo_walk){ .pde = pde_value(pt), .reason = NVFIFO_FAULT_PT_NOT_PRESENT };
	if (!pt)
		return false;

	shift = nvfifo_pt_page_shift(pt->type);
	w->index = (va & (REGION_BYTES - 1)) >> shift;
	w->reason = NVFIFO_FAULT_PT_TOO_SHORT;

	if (w->index >= pt->count)
		return false;

	w->pte = le64_to_cpu(pt->entries[w->index]);
	w->reason = NVFIFO_FAULT_PAGE_NOT_PRESENT;
	pte = nvfifo_pt_lookup(pt, w->index);
	if (!pte)
		return false;

	w->linear = (pte & NVFIFO_PTE_ADDR_MASK) + (va & ((1ULL << shift) - 1));

	return true;
}

/* --- TLB ----------------------------------------------------------------- */

/**
 * nvfifo_mmu_flush() - Flush the TLBs of an address space, and free retired tables
 * @vm: the address space, with its pt_lock held
 *
 * nouveau has not flushed PFIFO's TLB since 3.7; pscnv and older nouveau always did. Without the
 * flush PFIFO might read a pushbuffer at a stale address.
 *
 * Context: Process context, sleeps. May take fifo_lock.
 *
 * Return: 0, or -EIO or -ENODEV with the address space broken.
 */
int nvfifo_mmu_flush(struct nvfifo_vm *vm)
{
	unsigned int engine;
	int ret = 0;

	lockdep_assert_held(&vm->pt_lock);

	/* Without a channel no engine has read the page tables. */
	if (!list_empty(&vm->chans)) {
		if (vm->vram_dirty)
			ret = nvfifo_bar_flush(vm->ndev);

		for_each_set_bit(engine, &vm->engines, NVFIFO_VM_ENGINES) {
			if (ret)
				break;

			ret = nvfifo_tlb_flush(vm->ndev, engine);
		}

		if (ret) {
			vm->broken = true;
			return ret;
		}

		vm->vram_dirty = false;
	}

	nvfifo_mmu_changes_free(vm, &vm->retired);

	return 0;
}

/* --- Channels and address spaces ----------------------------------------- */

/**
 * nvfifo_mmu_attach() - Fill the page directory of a new channel, and keep it up to date
 * @vm: the address space
 * @chan: the channel, whose directory is zeroed
 *
 * Context: Takes nvfifo_vm.pt_lock.
 */
void nvfifo_mmu_attach(struct nvfifo_vm *vm, struct nvfifo_chan *chan)
{
	u32 i;

	guard(mutex)(&vm->pt_lock);

	for (i = 0; i < NVFIFO_PD_ENTRIES; i++)
		if (vm->regions[i].pt)
			pde_write(chan, i, 0, pde_value(vm->regions[i].pt));

	list_add_tail(&chan->vm_link, &vm->chans);
}

/**
 * nvfifo_mmu_detach() - Remove a channel from its address space
 * @vm: the address space
 * @chan: the channel, off the card and in no TLB; it may never have been attached
 *
 * Context: Takes nvfifo_vm.pt_lock.
 */
void nvfifo_mmu_detach(struct nvfifo_vm *vm, struct nvfifo_chan *chan)
{
	guard(mutex)(&vm->pt_lock);

	list_del_init(&chan->vm_link);
}

/**
 * nvfifo_mmu_prepare() - Make the list of page tables, before the card is touched
 * @ndev: the device
 */
void nvfifo_mmu_prepare(struct nvfifo_device *ndev)
{
	mutex_init(&ndev->mmu.tables_lock);
	mutex_init(&ndev->mmu.freeze_lock);
	INIT_LIST_HEAD(&ndev->mmu.tables);
}

/**
 * nvfifo_mmu_init() - Begin an address space without tables
 * @vm: the address space, zeroed
 * @ndev: the device
 */
void nvfifo_mmu_init(struct nvfifo_vm *vm, struct nvfifo_device *ndev)
{
	vm->ndev = ndev;
	mutex_init(&vm->pt_lock);
	INIT_LIST_HEAD(&vm->chans);
	INIT_LIST_HEAD(&vm->waiting);
	INIT_LIST_HEAD(&vm->retired);
	vm->engines = BIT(NVFIFO_VM_PFIFO);

	if (nvfifo_tlb_background(ndev))
		vm->engines |= BIT(NVFIFO_VM_SEMAPHORE_BG);
}

/**
 * nvfifo_mmu_free_tables() - Free all tables of an address space
 * @vm: the address space, without channels
 */
void nvfifo_mmu_free_tables(struct nvfifo_vm *vm)
{
	u32 i;

	for (i = 0; i < NVFIFO_PD_ENTRIES; i++) {
		if (vm->regions[i].pt)
			pt_free(vm, vm->regions[i].pt);

		vm->regions[i].pt = NULL;
	}

	nvfifo_mmu_changes_free(vm, &vm->retired);
}
