// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Page directories and page tables
 *
 * The MMU translates 40-bit virtual addresses with a page directory of 2048 entries, 512 MiB each,
 * and one level of page tables below it. All pages of such a region have one size: 4 KiB, 64 KiB,
 * or from GT215 on 16 KiB. The page directory is a part of the channel structure, so each channel
 * of an address space has a copy. The channels share the page tables.
 *
 * Page tables are in instance memory, as in nouveau and pscnv. The CPU writes them through BAR3
 * word by word, in the order of hw/nvfifo_pt.c, and keeps a copy to read from. Instance memory lies
 * below 4 GiB, so the high word of a PDE is always 0, and one store changes a PDE.
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
 * flushes the TLBs of the engines that use the address space. PFIFO is always one of them. No
 * driver flushes the TLB of PFIFO's background semaphore reads (engine c), nor does this one.
 *
 * The MMU records the first translation that fails, and keeps the record until it is read. mmu.lock
 * guards the flush and the record.
 */
#include "card/nvfifo_hw.h"
#include "nvfifo_chan_fmt.h"
#include "fifo/nvfifo_chan.h"
#include "gr/nvfifo_gr.h"
#include "nvfifo_drv.h"
#include "nvfifo_error.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pt.h"
#include "card/nvfifo_card.h"
#include "debug/nvfifo_trace.h"
#include "nvfifo_vm.h"

/* Most tables without mappings that an address space keeps for its next mapping */
#define EMPTY_TABLES_MAX	4

#define REGION_BYTES		BIT_ULL(NVFIFO_PDE_SHIFT)

/* --- Page tables --------------------------------------------------------- */

/*
 * Store a word of a table. No source says that the card sees a 64-bit store through BAR3 at once,
 * so all stores are words. The BAR flush before the TLB flush makes them visible. The caller holds
 * bars_lock, once for all words.
 */
static void table_store(struct nvfifo_pt *pt, u32 word, u32 val)
{
	struct nvfifo_table *table = container_of(pt, struct nvfifo_table, pt);

	nvfifo_vram_wr32_locked(table->ndev, table->inst.addr + word * sizeof(val), val);
}

/* Allocate the memory of a table, and of its copy, which is charged to the memory cgroup. */
static int table_alloc_memory(struct nvfifo_vm *vm, struct nvfifo_table *table)
{
	const u32 bytes = table->pt.count * sizeof(*table->pt.entries);
	int ret = -ENOMEM;

	table->pt.entries = kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!table->pt.entries)
		goto err_fail;

	ret = nvfifo_inst_alloc(vm->ndev, &table->inst, bytes, SZ_4K);
	if (ret)
		goto err_entries;

	return 0;

err_entries:
	kvfree(table->pt.entries);
err_fail:
	return nvfifo_fail(vm->ndev, ret, "no memory is left for page tables");
}

/*
 * Allocate a table. In a plan, a table of type NVFIFO_PT_NONE stands for the removal of a table.
 * Return: the table, or an error pointer to -ENOMEM or -ENOSPC.
 */
static struct nvfifo_table *table_alloc(struct nvfifo_vm *vm, u8 type, u8 size)
{
	struct nvfifo_table *table __free(kfree) = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!table)
		return ERR_PTR(-ENOMEM);

	table->ndev = vm->ndev;
	table->pt.store = table_store;
	table->pt.type = type;
	table->pt.size = size;
	table->pt.count = nvfifo_pt_entries(type, size);
	if (!table->pt.count)
		return no_free_ptr(table);

	ret = table_alloc_memory(vm, table);
	if (ret)
		return ERR_PTR(ret);

	return no_free_ptr(table);
}

static void table_free(struct nvfifo_vm *vm, struct nvfifo_table *table)
{
	nvfifo_inst_free(vm->ndev, &table->inst);
	kvfree(table->pt.entries);
	kfree(table);
}

/**
 * nvfifo_mmu_changes_free() - Free the tables of a plan
 * @vm: the address space
 * @changes: tables that are not installed, or retired tables; empty afterwards
 */
void nvfifo_mmu_changes_free(struct nvfifo_vm *vm, struct list_head *changes)
{
	struct nvfifo_table *table, *tmp;

	list_for_each_entry_safe(table, tmp, changes, link) {
		list_del(&table->link);
		table_free(vm, table);
	}
}

/* --- Page directories ---------------------------------------------------- */

static u64 pde_value(const struct nvfifo_table *table)
{
	struct nvfifo_pde pde = { .target = NVFIFO_TARGET_VRAM };

	if (!table || !table->pt.type)
		return 0;

	pde.address = table->inst.addr;
	pde.type = table->pt.type;
	pde.size = table->pt.size;

	return nvfifo_pde_encode(&pde);
}

/* The high word of a PDE is always 0, so the entry changes at once. */
static void pde_write(struct nvfifo_chan *chan, u32 index, u64 pde)
{
	u32 pd = nvfifo_chan_directory(chan->ndev->chip->g84);

	nvfifo_vram_wr32(chan->ndev, chan->inst.addr + pd + index * sizeof(pde),
			 lower_32_bits(pde));
}

/*
 * Replace a table by a planned one with the same mappings, or remove an empty table. The card must
 * see the whole table before its PDE. Return: 0, -EIO or -ENODEV.
 */
static int table_install(struct nvfifo_vm *vm, struct nvfifo_table *table)
{
	struct nvfifo_region *region = &vm->regions[table->index];
	struct nvfifo_table *old = region->table;
	struct nvfifo_chan *chan;
	int ret;

	if (table->pt.type) {
		nvfifo_vram_fill(vm->ndev, table->inst.addr,
				 table->pt.count * sizeof(*table->pt.entries), 0);
		if (table->copy) {
			guard(rwsem_read)(&vm->ndev->mem.bars_lock);

			nvfifo_pt_copy(&table->pt, &old->pt);
		}

		ret = nvfifo_bar_flush(vm->ndev);
		if (ret)
			return ret;
	}

	list_for_each_entry(chan, &vm->chans, vm_link)
		pde_write(chan, table->index, pde_value(table));

	region->table = NULL;
	if (table->pt.type) {
		list_del(&table->link);
		region->table = table;
	}

	if (old)
		list_add(&old->link, &vm->retired);

	return 0;
}

/* --- Plans --------------------------------------------------------------- */

/* The part of a range that one PDE covers, from @off to @end in its region. */
struct part {
	u32 index, off, end;
	u64 next;	/* start of the next part, at first that of the range */
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
	struct nvfifo_table *table = table_alloc(vm, type, size);
	struct nvfifo_region *r = &vm->regions[index];

	if (IS_ERR(table))
		return PTR_ERR(table);

	table->index = index;
	table->copy = r->bytes;
	table->old_type = r->type;
	table->old_size = r->size;
	region_set(vm, index, type, size);
	list_add_tail(&table->link, changes);

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
		if (!ret)
			ret = nvfifo_check_ending(vm->ndev);
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
	struct nvfifo_table *table;

	list_for_each_entry_reverse(table, changes, link)
		region_set(vm, table->index, table->old_type, table->old_size);

	nvfifo_mmu_changes_free(vm, changes);
}

/* --- The card's side ----------------------------------------------------- */

/**
 * nvfifo_mmu_install() - Put the tables of a plan into the page directories
 * @vm: the address space, with its pt_lock held
 * @changes: the plan; the caller frees the tables that are left in it
 *
 * Context: Process context, sleeps. Allocates nothing. May take fifo_lock.
 *
 * Return: 0, or -EIO or -ENODEV with the address space broken.
 */
int nvfifo_mmu_install(struct nvfifo_vm *vm, struct list_head *changes)
{
	struct nvfifo_table *table, *tmp;
	int ret;

	lockdep_assert_held(&vm->pt_lock);

	list_for_each_entry_safe(table, tmp, changes, link) {
		ret = table_install(vm, table);
		if (ret) {
			WRITE_ONCE(vm->broken, true);
			return ret;
		}
	}

	return 0;
}

/**
 * nvfifo_mmu_write() - Write the PTEs of a range whose tables are installed
 * @vm: the address space, with its pt_lock held
 * @va: address
 * @size: bytes
 * @pte: PTE of the first page, or the attributes of pages at @addresses; 0 clears the range
 * @addresses: addresses of pages of 4 KiB, or NULL
 *
 * The change takes effect after nvfifo_mmu_flush(). A page whose mapping is replaced may be absent
 * in between; pages outside of the range are not.
 *
 * Context: Process context, sleeps.
 */
void nvfifo_mmu_write(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte, const u64 *addresses)
{
	struct part p = { .next = va };

	while (part_next(&p, va + size)) {
		struct nvfifo_table *table = vm->regions[p.index].table;
		u32 shift, pages;

		/* The plan has removed the table, because it has no mappings. */
		if (!table)
			continue;

		shift = nvfifo_pt_page_shift(table->pt.type);
		pages = (p.end - p.off) >> shift;

		scoped_guard(rwsem_read, &vm->ndev->mem.bars_lock)
			nvfifo_pt_write(&table->pt, p.off >> shift, pages, pte, addresses);

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
 * Return: true if the address is mapped.
 */
bool nvfifo_mmu_walk(struct nvfifo_vm *vm, u64 va, struct nvfifo_walk *w)
{
	const struct nvfifo_table *table = vm->regions[va >> NVFIFO_PDE_SHIFT].table;
	const struct nvfifo_pt *pt;
	unsigned int shift;
	u64 pte;

	*w = (struct nvfifo_walk){
		.pde = pde_value(table),
		.reason = NVFIFO_FAULT_PT_NOT_PRESENT,
	};
	if (!table)
		return false;

	pt = &table->pt;
	shift = nvfifo_pt_page_shift(pt->type);
	w->index = (va & (REGION_BYTES - 1)) >> shift;
	w->reason = NVFIFO_FAULT_PT_TOO_SHORT;

	if (w->index >= pt->count)
		return false;

	w->pte = pt->entries[w->index];
	w->reason = NVFIFO_FAULT_PAGE_NOT_PRESENT;
	pte = nvfifo_pt_lookup(pt, w->index);
	if (!pte)
		return false;

	w->linear = (pte & NVFIFO_PTE_ADDR_MASK) + (va & ((1ULL << shift) - 1));

	return true;
}

/* --- TLB flushes --------------------------------------------------------- */

/* Name of a flush, for the message about one that does not end. */
static const char *flush_name(unsigned int engine)
{
	switch (engine) {
	case NVFIFO_VM_PGRAPH:
		return "TLB flush of PGRAPH";
	case NVFIFO_VM_PFIFO:
		return "TLB flush of PFIFO";
	case NVFIFO_VM_BAR:
		return "TLB flush of the BARs";
	case NVFIFO_VM_SEMAPHORE_BG:
		return "TLB flush of SEMAPHORE_BG";
	case NVFIFO_VM_PCOPY:
		return "TLB flush of PCOPY";
	default:
		return "TLB flush of another engine";
	}
}

/**
 * nvfifo_tlb_flush_once() - Try to flush the TLB of a VM engine
 * @ndev: the device; for PGRAPH's engine with PGRAPH idle and paused
 * @data: points to the engine, NVFIFO_VM_... and unsigned int; for nvfifo_run_procedure()
 *
 * Context: Process context, sleeps. Takes mmu.lock.
 *
 * Return: 0, -ETIMEDOUT, -EIO or -ENODEV.
 */
int nvfifo_tlb_flush_once(struct nvfifo_device *ndev, void *data)
{
	const unsigned int engine = *(const unsigned int *)data;
	int ret;

	guard(mutex)(&ndev->mmu.lock);

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	if (nvfifo_is_other_recovering(ndev))
		return -ETIMEDOUT;

	/* After a time-out, a second flush must not begin before the first one has ended. */
	if (nvfifo_is_overdue(ndev))
		ret = nvfifo_wait(ndev, NV_PFB_TLB_FLUSH, NVFIFO_TLB_FLUSH_TRIGGER, 0,
				  "earlier TLB flush");
	if (ret)
		return ret;

	/*
	 * If a thread still reads the old number, its page table entries are in memory before this
	 * flush.
	 */
	if (engine == NVFIFO_VM_PGRAPH) {
		WRITE_ONCE(ndev->mmu.pgraph_begun, ndev->mmu.pgraph_begun + 1);
		smp_mb(); /* pairs with flush_pgraph() */
	}

	nvfifo_wr32(ndev, NV_PFB_TLB_FLUSH, nvfifo_tlb_flush_value(engine));

	return nvfifo_wait(ndev, NV_PFB_TLB_FLUSH, NVFIFO_TLB_FLUSH_TRIGGER, 0,
			   flush_name(engine));
}

/*
 * Flush PGRAPH's engine while PGRAPH is idle, or leave it to another thread. A flush covers all
 * address spaces, so one that begins while this call waits for the lock is enough. N calls at once
 * then wait for the present work of PGRAPH only, not for N jobs.
 */
static int flush_pgraph(struct nvfifo_device *ndev)
{
	unsigned int engine = NVFIFO_VM_PGRAPH, begun;

	/* Without a lock: the entries are stored before the number is read. */
	smp_mb(); /* pairs with nvfifo_tlb_flush_once() */
	begun = READ_ONCE(ndev->mmu.pgraph_begun);

	guard(mutex)(&ndev->engine_lock);
	guard(mutex)(&ndev->fifo_lock);

	/* If another flush has begun, it has also ended, or the card is stuck. */
	if (ndev->mmu.pgraph_begun != begun)
		return nvfifo_check_wedged(ndev);

	return nvfifo_run_procedure_locked(ndev, "TLB flush", nvfifo_gr_flush_tlb,
					   &engine);
}

/**
 * nvfifo_tlb_flush() - Flush the TLB of a VM engine
 * @ndev: the device, without fifo_lock
 * @engine: NVFIFO_VM_...
 *
 * The caller flushes entries in VRAM by nvfifo_bar_flush() before. A flush of PGRAPH's engine waits
 * until PGRAPH is idle.
 *
 * Context: Process context, sleeps. Takes engine_lock and fifo_lock for PGRAPH, and fifo_lock if
 * the flush does not end.
 *
 * Return: 0, -EIO or -ENODEV.
 */
int nvfifo_tlb_flush(struct nvfifo_device *ndev, unsigned int engine)
{
	int ret;

	if (engine == NVFIFO_VM_PGRAPH && ndev->chip->gr_flush_idle)
		ret = flush_pgraph(ndev);
	else
		ret = nvfifo_run_procedure(ndev, "TLB flush", nvfifo_tlb_flush_once, &engine);

	trace_nvfifo_flush(ndev, engine, ret);

	return ret;
}

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
		ret = nvfifo_bar_flush(vm->ndev);

		for_each_set_bit(engine, &vm->engines, NVFIFO_VM_ENGINES)
			if (!ret)
				ret = nvfifo_tlb_flush(vm->ndev, engine);
	}

	if (ret) {
		WRITE_ONCE(vm->broken, true);
		return ret;
	}

	nvfifo_mmu_changes_free(vm, &vm->retired);

	return 0;
}

/* --- The fault record ---------------------------------------------------- */

/**
 * nvfifo_fault_read() - Read and clear the MMU's fault record
 * @ndev: the device
 * @fault: set to the record
 *
 * The MMU records the next fault from now on.
 *
 * Context: Process context. Takes mmu.lock.
 *
 * Return: true if there was a record.
 */
bool nvfifo_fault_read(struct nvfifo_device *ndev, struct nvfifo_fault *fault)
{
	const struct nvfifo_port port = nvfifo_port(ndev);

	guard(mutex)(&ndev->mmu.lock);

	return nvfifo_fault_get(&port, ndev->chip->id, fault);
}

/**
 * nvfifo_fault_take() - Log the fault record, if there is one
 * @ndev: the device, with fifo_lock held
 * @chan: the channel that has an error, or NULL if none is known
 * @e: its error, which gets the fault if the fault is the channel's; NULL without @chan
 *
 * The record may be an older one, of another channel.
 */
void nvfifo_fault_take(struct nvfifo_device *ndev, struct nvfifo_chan *chan,
		       struct drm_nvfifo_channel_query *e)
{
	const u32 id = ndev->chip->id;
	struct nvfifo_fault f;

	if (!nvfifo_fault_read(ndev, &f))
		return;

	trace_nvfifo_fault(ndev, &f);
	dev_err_ratelimited(ndev->drm.dev,
			    "VM fault: %s at %010llx, engine %x %s, client %x %s, slot %x %s, channel structure %08llx: %s\n",
			    f.write ? "write" : "read", f.address, f.engine,
			    nvfifo_name_or_unknown(nvfifo_fault_engine(id, f.engine)), f.client,
			    nvfifo_name_or_unknown(nvfifo_fault_client(id, f.client)), f.slot,
			    nvfifo_name_or_unknown(nvfifo_fault_slot(id, f.engine, f.client,
								     f.slot)),
			    f.inst, nvfifo_fault_reason_name(f.reason));

	if (chan && f.inst == chan->inst.addr)
		nvfifo_fault_put(&f, e);
}

/**
 * nvfifo_tlb_detach() - Stop TLB flushes for good
 * @ndev: the device that is being removed, with fifo_lock held
 *
 * Waits for flushes that have begun. The card is gone from then on, or lost.
 */
void nvfifo_tlb_detach(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->mmu.lock);

	nvfifo_bar_flush_detach(ndev);
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
		if (vm->regions[i].table)
			pde_write(chan, i, pde_value(vm->regions[i].table));

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
}

/**
 * nvfifo_mmu_free_tables() - Free all tables of an address space
 * @vm: the address space, without channels
 */
void nvfifo_mmu_free_tables(struct nvfifo_vm *vm)
{
	u32 i;

	for (i = 0; i < NVFIFO_PD_ENTRIES; i++) {
		if (vm->regions[i].table)
			table_free(vm, vm->regions[i].table);

		vm->regions[i].table = NULL;
	}

	nvfifo_mmu_changes_free(vm, &vm->retired);
}
