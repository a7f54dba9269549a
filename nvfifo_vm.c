// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Address spaces
 *
 * drm_gpuvm has the tree of mappings; nvfifo_mmu.c has the page tables. The last region of 512 MiB
 * belongs to the driver: rings and fences of the channels.
 *
 * A VM_BIND has two steps. The first one checks the arguments, allocates, and changes the tree of
 * mappings; an error undoes it. The second one needs no resources: it writes PTEs and flushes the
 * TLBs. In an asynchronous call a job of the address space's scheduler runs the second step after
 * its fences have signalled. So the tree is ahead of the page tables by the queued jobs. All calls
 * take effect in the order in which they were made.
 *
 * A synchronous call waits for earlier calls and runs the second step itself, if that cannot freeze
 * PFIFO. A step that may freeze PFIFO waits for the limit of freezes, perhaps many times. It cannot
 * be abandoned half-way, so it is a job as well. A killed process leaves it to the scheduler. The
 * limit holds all the same, because the job still waits for it, as the next jobs of the user do.
 *
 * Unmapped memory is freed after the flush, when the card can no longer access it. A flush may wait
 * for PGRAPH for as long as a job takes. If the process is killed, a work item flushes instead.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/uaccess.h>

#include "nvfifo_args.h"
#include "nvfifo_bo.h"
#include "nvfifo_chan.h"
#include "nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_map_rule.h"
#include "nvfifo_mem.h"
#include "nvfifo_mmu.h"
#include "nvfifo_quota.h"
#include "nvfifo_sched.h"
#include "nvfifo_trace.h"
#include "nvfifo_vm.h"
#include "nvfifo_works.h"

#define VMS_MAX		1024

static u64 vma_end(const struct drm_gpuva *va)
{
	return va->va.addr + va->va.range;
}

/* --- Mappings ------------------------------------------------------------ */

/* Make a mapping, with a reference to the buffer, and to its tags if it is compressed. */
static struct nvfifo_vma *vma_create(struct nvfifo_vm *vm, struct drm_gem_object *obj, u64 pte,
				     u64 va, u64 range, u64 offset)
{
	struct nvfifo_vma *vma __free(kfree) = kzalloc(sizeof(*vma), GFP_KERNEL_ACCOUNT);
	u8 comp = nvfifo_pte_comp(pte);
	int ret;

	if (!vma)
		return ERR_PTR(-ENOMEM);

	ret = comp ? nvfifo_bo_tags_get(to_nvfifo_bo(obj), comp) : 0;
	if (ret)
		return ERR_PTR(ret);

	drm_gem_object_get(obj);
	vma->base.va.addr = va;
	vma->base.va.range = range;
	vma->base.gem.offset = offset;
	vma->base.gem.obj = obj;
	vma->pte = pte;

	return no_free_ptr(vma);
}

static void vma_free(struct nvfifo_vma *vma)
{
	if (nvfifo_pte_comp(vma->pte))
		nvfifo_bo_tags_put(to_nvfifo_bo(vma->base.gem.obj));

	drm_gem_object_put(vma->base.gem.obj);
	kfree(vma);
}

static void vma_remove(struct drm_gpuva *va)
{
	drm_gpuva_remove(va);
	vma_free(to_nvfifo_vma(va));
}

/* Write the PTEs of a mapping. Single pages are collected for one call of nvfifo_mmu_write(). */
static void vma_map(struct nvfifo_vm *vm, const struct nvfifo_vma *vma)
{
	const u64 offset = vma->base.gem.offset, va = vma->base.va.addr - offset;
	struct nvfifo_bo *bo = to_nvfifo_bo(vma->base.gem.obj);
	struct nvfifo_extent_walk c = {
		.bo = bo,
		.offset = offset,
		.end = offset + vma->base.va.range,
	};
	bool more = nvfifo_extent_next(&c);
	u64 addresses[64];

	while (more) {
		/* A PTE with NOSNOOP already has both bits of the target set. */
		u64 pte = vma->pte | (u64)c.target << NVFIFO_PTE_TARGET_SHIFT, at = va + c.offset;
		u32 n = 0;

		while (more && n < ARRAY_SIZE(addresses) && c.size == SZ_4K &&
		       c.target == NVFIFO_TARGET_SYS_SNOOP) {
			addresses[n++] = c.address;
			more = nvfifo_extent_next(&c);
		}

		if (n) {
			nvfifo_mmu_write(vm, at, (u64)n << 12, pte, addresses);
			continue;
		}

		if (nvfifo_pte_comp(pte))
			pte |= nvfifo_bo_tag(bo, c.offset) << NVFIFO_PTE_TAG_SHIFT;

		nvfifo_mmu_write(vm, at, c.size, pte | c.address, NULL);
		more = nvfifo_extent_next(&c);
	}
}

/* Install the tables of a plan, and write PTEs of a range. Return: as nvfifo_vm_map_kernel(). */
static int map_kernel_commit(struct nvfifo_vm *vm, const struct drm_mm_node *node, dma_addr_t dma,
			     u64 ro_size, struct list_head *changes)
{
	struct nvfifo_pte pte = {
		.present = true,
		.target = NVFIFO_TARGET_SYS_SNOOP,
		.address = dma,
		.read_only = true,
	};
	int ret;

	ret = mutex_lock_killable(&vm->pt_lock);
	if (ret)
		return ret;

	ret = nvfifo_mmu_install(vm, changes);
	if (!ret) {
		nvfifo_mmu_write(vm, node->start, ro_size, nvfifo_pte_encode(&pte), NULL);
		pte.read_only = false;
		pte.address += ro_size;
		nvfifo_mmu_write(vm, node->start + ro_size, node->size - ro_size,
				 nvfifo_pte_encode(&pte), NULL);
		ret = nvfifo_mmu_flush_killable(vm);
	}

	mutex_unlock(&vm->pt_lock);

	return ret;
}

static int map_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node, dma_addr_t dma, u64 size,
		      u64 ro_size)
{
	LIST_HEAD(changes);
	int ret;

	ret = READ_ONCE(vm->broken) ? -EIO : drm_mm_insert_node(&vm->kernel, node, size);
	if (ret)
		return ret;

	ret = nvfifo_mmu_plan_map(vm, node->start, size, NVFIFO_PT_4K, 0, false, &changes);
	if (ret) {
		nvfifo_mmu_plan_undo(vm, &changes);
		drm_mm_remove_node(node);
		return ret;
	}

	ret = map_kernel_commit(vm, node, dma, ro_size, &changes);

	/* After a kill the table of the range may be missing, or too short: undo the plan. */
	if (ret == -EINTR && !list_empty(&changes)) {
		nvfifo_mmu_account(vm, node->start, size, 0, false);
		nvfifo_mmu_plan_undo(vm, &changes);
		drm_mm_remove_node(node);
	}

	/* After another error, tables of the plan may not be installed. */
	nvfifo_mmu_changes_free(vm, &changes);

	return ret;
}

/**
 * nvfifo_vm_map_kernel() - Map memory of the driver into an address space
 * @vm: the address space
 * @node: set to its range of addresses
 * @dma: DMA address of the memory, contiguous
 * @size: bytes, a multiple of 4 KiB
 * @ro_size: bytes from the start that the card may only read
 *
 * Context: Process context, sleeps. Takes nvfifo_vm.lock and pt_lock, which is killable. A job may
 * hold pt_lock while it waits for the limit of freezes.
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR, -EIO or -ENODEV.
 */
int nvfifo_vm_map_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node, dma_addr_t dma, u64 size,
			 u64 ro_size)
{
	int ret;

	ret = mutex_lock_killable(&vm->lock);
	if (ret)
		return ret;

	ret = map_kernel(vm, node, dma, size, ro_size);
	mutex_unlock(&vm->lock);

	return ret;
}

/**
 * nvfifo_vm_unmap_kernel() - Undo nvfifo_vm_map_kernel(), also if it failed
 * @vm: the address space
 * @node: the range of addresses
 */
void nvfifo_vm_unmap_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node)
{
	if (!drm_mm_node_allocated(node))
		return;

	/*
	 * After the card's removal the memory of page tables is freed: do not write PTEs. In a
	 * broken address space the table of the range may be missing, or too short.
	 */
	CLASS(nvfifo_enter, entered)(vm->ndev);
	guard(mutex)(&vm->lock);

	if (entered.is_open && !READ_ONCE(vm->broken)) {
		guard(mutex)(&vm->pt_lock);

		nvfifo_mmu_write(vm, node->start, node->size, 0, NULL);
		nvfifo_mmu_flush(vm);
	}

	nvfifo_mmu_account(vm, node->start, node->size, 0, false);
	drm_mm_remove_node(node);
}

/* --- Changes of the tree -------------------------------------------------- */

/* An operation of a VM_BIND */
struct bind_op {
	struct list_head link;		/* in nvfifo_bind.ops */
	struct nvfifo_vma *vma;		/* new mapping, NULL for an unmap */
	u64 va, end;			/* end: the address after the last */
	struct list_head removed;	/* mappings removed from the tree, in part or as a whole */
	struct list_head changes;	/* page tables to install or to remove */
};

/* A VM_BIND. Its job runs if it is asynchronous, or may freeze PFIFO. */
struct nvfifo_bind {
	struct dma_fence fence;		/* first: its release frees the structure */
	bool waited;			/* a synchronous call waits for the job */
	bool done;			/* the job has ended and freed memory */
	bool has_job;			/* base and slot are initialized */
	spinlock_t fence_lock;
	struct drm_sched_job base;
	struct nvfifo_slot slot;
	struct nvfifo_vm *vm;
	struct list_head link;		/* in nvfifo_vm.waiting, or in nvfifo_vm_state.late */
	struct list_head ops;
	bool late;			/* PTEs are written, TLBs not flushed: killed */
};

static_assert(offsetof(struct nvfifo_bind, fence) == 0);

/* Operations of a call that need no allocation for their arguments */
#define FEW_OPS		2

/*
 * The operations of a call, and their buffers with references. While the call waits for others,
 * another thread may close the handles, and make buffers that get the same handles.
 */
struct bind_args {
	struct drm_nvfifo_vm_bind_op *ops;
	struct drm_gem_object **bos;	/* NULL for an unmap and for an unknown handle */
	u32 count;
	struct drm_nvfifo_vm_bind_op few_ops[FEW_OPS];
	struct drm_gem_object *few_bos[FEW_OPS];
};

/* Keep the part of a removed mapping from @from to @to, if there is one. */
static int bind_keep(struct nvfifo_vm *vm, struct bind_op *bop, const struct nvfifo_vma *vma,
		     u64 from, u64 to)
{
	struct nvfifo_vma *rest;
	int ret;

	if (from >= to)
		return 0;

	/* A split at @from needs small enough pages. The mapping's outer end is already aligned. */
	ret = nvfifo_mmu_plan_cut(vm, from, &bop->changes);
	if (ret)
		return ret;

	ret = nvfifo_mmu_plan_cut(vm, to, &bop->changes);
	if (ret)
		return ret;

	/* The old mapping holds the tags, so the new one cannot lack them. */
	rest = vma_create(vm, vma->base.gem.obj, vma->pte, from, to - from,
			  vma->base.gem.offset + (from - vma->base.va.addr));
	if (IS_ERR(rest))
		return PTR_ERR(rest);

	return drm_gpuva_insert(&vm->base, &rest->base);
}

static int bind_clear(struct nvfifo_vm *vm, struct bind_op *bop)
{
	struct drm_gpuva *va, *next;
	struct nvfifo_vma *vma;
	int ret = 0;

	drm_gpuvm_for_each_va_range_safe(va, next, &vm->base, bop->va, bop->end) {
		drm_gpuva_remove(va);
		vma = to_nvfifo_vma(va);
		list_add_tail(&vma->link, &bop->removed);
		ret = bind_keep(vm, bop, vma, va->va.addr, bop->va);
		if (!ret)
			ret = bind_keep(vm, bop, vma, bop->end, vma_end(va));
		if (ret)
			break;
	}

	list_for_each_entry(vma, &bop->removed, link) {
		vma->unmap_va = max(bop->va, vma->base.va.addr);
		vma->unmap_size = min(bop->end, vma_end(&vma->base)) - vma->unmap_va;
		nvfifo_mmu_plan_unmap(vm, vma->unmap_va, vma->unmap_size, vma->pte, &bop->changes);
	}

	return ret;
}

/* Restore the tree of mappings, before any PTE is written. */
static void bind_undo(struct nvfifo_vm *vm, struct bind_op *bop)
{
	struct nvfifo_vma *vma, *tmp;
	struct drm_gpuva *va, *next;

	if (bop->vma) {
		nvfifo_mmu_account(vm, bop->va, bop->end - bop->va, bop->vma->pte, false);

		/* The mapping is in the tree only if no later step has failed. */
		if (bop->vma->base.vm)
			vma_remove(&bop->vma->base);
		else
			vma_free(bop->vma);
	}

	list_for_each_entry_safe(vma, tmp, &bop->removed, link) {
		/* The tree has the kept parts of the mapping: remove them. */
		drm_gpuvm_for_each_va_range_safe(va, next, &vm->base, vma->base.va.addr,
						 vma_end(&vma->base))
			vma_remove(va);

		list_del(&vma->link);
		drm_gpuva_insert(&vm->base, &vma->base);
		nvfifo_mmu_account(vm, vma->unmap_va, vma->unmap_size, vma->pte, true);
	}

	nvfifo_mmu_plan_undo(vm, &bop->changes);
}

static void bind_undo_all(struct nvfifo_bind *bind)
{
	struct bind_op *bop;

	list_for_each_entry_reverse(bop, &bind->ops, link)
		bind_undo(bind->vm, bop);
}

/* --- Checks -------------------------------------------------------------- */

#define OP_FLAGS (DRM_NVFIFO_VM_BIND_READ_ONLY | DRM_NVFIFO_VM_BIND_SUPERVISOR | \
		  DRM_NVFIFO_VM_BIND_NOSNOOP | DRM_NVFIFO_VM_BIND_REPLACE | \
		  DRM_NVFIFO_VM_BIND_LONG_CYCLE | DRM_NVFIFO_VM_BIND_ENCRYPTED)

static bool is_large(const struct drm_nvfifo_vm_bind_op *op)
{
	return !((op->va | op->range | op->bo_offset) & (SZ_64K - 1));
}

/* Attributes with effects that no source describes: see Documentation/threat-model.rst. */
#define OP_FLAGS_ADMIN (DRM_NVFIFO_VM_BIND_SUPERVISOR | DRM_NVFIFO_VM_BIND_LONG_CYCLE | \
			DRM_NVFIFO_VM_BIND_ENCRYPTED)

static int check_op_privilege(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *op,
			      u32 i)
{
	if (!(op->flags & OP_FLAGS_ADMIN) || capable(CAP_SYS_ADMIN))
		return 0;

	return nvfifo_fail(ndev, -EPERM,
			   "vm_bind.ops[%u].flags %#x: SUPERVISOR, LONG_CYCLE and ENCRYPTED need CAP_SYS_ADMIN",
			   i, op->flags);
}

/* Make the request for the mapping rules. Without a buffer, rules about it do not apply. */
static struct nvfifo_map_request map_request(const struct nvfifo_device *ndev,
					     const struct drm_nvfifo_vm_bind_op *op,
					     const struct nvfifo_bo *bo)
{
	struct nvfifo_map_request m = {
		.g84 = ndev->chip->g84,
		.g200 = ndev->chip->chip >= NV_CHIP_G200,
		.gt215 = ndev->chip->chip >= NV_CHIP_GT215,
		.tags = nvfifo_mem_facts(ndev)->num_tags,
		.nosnoop = op->flags & DRM_NVFIFO_VM_BIND_NOSNOOP,
		.long_cycle = op->flags & DRM_NVFIFO_VM_BIND_LONG_CYCLE,
		.encrypted = op->flags & DRM_NVFIFO_VM_BIND_ENCRYPTED,
		.page_shift = op->page_shift,
		.kind = op->kind,
		.compression = op->compression,
		.address = op->va | op->range | op->bo_offset,
	};

	if (!bo)
		return m;

	m.vram = bo->domain == DRM_NVFIFO_DOMAIN_VRAM;
	m.system = !m.vram;
	m.wc = bo->shmem.map_wc;
	m.lsr = bo->lsr;

	return m;
}

/* Check an operation. Without a buffer, rules about it do not apply. */
static int check_op(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *op, u32 i,
		    const struct nvfifo_bo *bo)
{
	const struct nvfifo_map_request m = map_request(ndev, op, bo);
	const bool map = op->op == DRM_NVFIFO_VM_BIND_OP_MAP;
	const u64 size = bo ? bo->shmem.base.size : 0;
	const char *why = map ? nvfifo_map_rule(&m) : NULL;
	const struct nvfifo_rule rules[] = {
		{ !map && op->op != DRM_NVFIFO_VM_BIND_OP_UNMAP, "op is not in 0 to 1" },
		{ !map && (op->flags || op->bo_handle || op->bo_offset || op->kind ||
			   op->page_shift || op->compression), "an unmap has only va and range" },
		{ op->flags & ~OP_FLAGS, "flags has unknown bits" },
		{ op->page_shift == 14 && !nvfifo_mem_facts(ndev)->medium_pages,
		  "page_shift is 14, but the card failed the trial of 16 KiB pages" },
		{ !op->range, "range is 0" },
		{ (op->va | op->range) % SZ_4K, "va or range is no multiple of the page" },
		{ op->va < NVFIFO_VA_START || op->va >= NVFIFO_VA_END ||
		  op->range > NVFIFO_VA_END - op->va,
		  "va with range is not in 0x10000 to 0xffe0000000" },
		{ bo && (op->bo_offset > size || op->range > size - op->bo_offset),
		  "bo_offset with range is outside of the BO" },
		{}
	};
	const struct nvfifo_rule map_rules[] = { { why, why }, {} };

	static_assert(NVFIFO_VA_START == 0x10000 && NVFIFO_VA_END == 0xffe0000000);

	if (!nvfifo_check_rules(ndev, "vm_bind.ops", map_rules) &&
	    !nvfifo_check_rules(ndev, "vm_bind.ops", rules))
		return 0;

	return nvfifo_einval(ndev,
			     "vm_bind.ops[%u]: op %u, flags %#x, va %#llx, range %#llx, bo_offset %#llx of %#llx, kind %#x, page_shift %u, compression %u",
			     i, op->op, op->flags, op->va, op->range, op->bo_offset, size, op->kind,
			     op->page_shift, op->compression);
}

/* --- Operations ---------------------------------------------------------- */

static u64 op_pte(const struct drm_nvfifo_vm_bind_op *op)
{
	const struct nvfifo_pte pte = {
		.present = true,
		.read_only = op->flags & DRM_NVFIFO_VM_BIND_READ_ONLY,
		.supervisor = op->flags & DRM_NVFIFO_VM_BIND_SUPERVISOR,
		.target = op->flags & DRM_NVFIFO_VM_BIND_NOSNOOP ? NVFIFO_TARGET_SYS_NOSNOOP : 0,
		.long_cycle = op->flags & DRM_NVFIFO_VM_BIND_LONG_CYCLE,
		.encrypted = op->flags & DRM_NVFIFO_VM_BIND_ENCRYPTED,
		.kind = op->kind,
		.comp = op->compression,
	};

	return nvfifo_pte_encode(&pte);
}

static unsigned int op_pt_type(const struct drm_nvfifo_vm_bind_op *op, const struct nvfifo_bo *bo)
{
	if (op->page_shift == 14)
		return NVFIFO_PT_16K;

	if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM && op->page_shift != 12 && is_large(op))
		return NVFIFO_PT_64K;

	return NVFIFO_PT_4K;
}

static int bind_map(struct nvfifo_vm *vm, struct drm_gem_object *obj,
		    const struct drm_nvfifo_vm_bind_op *op, u32 i, struct bind_op *bop)
{
	const bool replace = op->flags & DRM_NVFIFO_VM_BIND_REPLACE;
	struct nvfifo_vma *vma;
	struct nvfifo_bo *bo;
	int ret;

	if (!obj)
		return nvfifo_fail(vm->ndev, -ENOENT, "vm_bind.ops[%u].bo_handle %u is unknown", i,
				   op->bo_handle);

	bo = to_nvfifo_bo(obj);
	ret = check_op(vm->ndev, op, i, bo);
	if (ret)
		return ret;

	ret = nvfifo_bo_pin(bo);
	if (ret)
		return ret;

	if (!replace && !drm_gpuvm_interval_empty(&vm->base, op->va, op->range))
		return -EEXIST;

	vma = vma_create(vm, obj, op_pte(op), op->va, op->range, op->bo_offset);
	if (IS_ERR(vma))
		return PTR_ERR(vma);

	ret = nvfifo_mmu_plan_map(vm, op->va, op->range, op_pt_type(op, bo), vma->pte,
				  op->page_shift > 12, &bop->changes);
	if (ret) {
		vma_free(vma);
		return ret;
	}

	bop->vma = vma;

	if (replace) {
		ret = bind_clear(vm, bop);
		if (ret)
			return ret;
	}

	return drm_gpuva_insert(&vm->base, &vma->base);
}

/* Run the first step of a VM_BIND: all operations, or none. */
static int bind_prepare(struct nvfifo_bind *bind, const struct bind_args *args)
{
	const struct drm_nvfifo_vm_bind_op *ops = args->ops;
	struct nvfifo_vm *vm = bind->vm;
	int ret = READ_ONCE(vm->broken) ? -EIO : 0;
	struct bind_op *bop;
	u32 i;

	for (i = 0; i < args->count && !ret; i++) {
		/* This step can still be undone. */
		if (fatal_signal_pending(current))
			ret = -EINTR;
		if (READ_ONCE(vm->ndev->removing))
			ret = -ENODEV;
		if (ret)
			break;

		cond_resched();
		bop = kzalloc(sizeof(*bop), GFP_KERNEL_ACCOUNT);
		if (!bop) {
			ret = -ENOMEM;
			break;
		}

		list_add_tail(&bop->link, &bind->ops);
		INIT_LIST_HEAD(&bop->removed);
		INIT_LIST_HEAD(&bop->changes);
		bop->va = ops[i].va;
		bop->end = ops[i].va + ops[i].range;

		if (ops[i].op == DRM_NVFIFO_VM_BIND_OP_MAP)
			ret = bind_map(vm, args->bos[i], &ops[i], i, bop);
		else
			ret = bind_clear(vm, bop);
		if (ret == -EEXIST || ret == -EBUSY)
			drm_dbg(&vm->ndev->drm, "vm_bind.ops[%u].va %#llx, range %#llx: %s\n", i,
				ops[i].va, ops[i].range, ret == -EEXIST ?
				"something is mapped there" :
				"pages of other mappings are too small, or compressed and too large");
	}

	if (ret)
		bind_undo_all(bind);

	return ret;
}

static int commit_op(struct nvfifo_vm *vm, struct bind_op *bop)
{
	int ret = nvfifo_mmu_install(vm, &bop->changes);
	struct nvfifo_vma *vma;

	if (ret)
		return ret;

	/* The PTEs of a new mapping overwrite those of the removed ones. */
	if (bop->vma) {
		vma_map(vm, bop->vma);
		trace_nvfifo_bind(vm, bop->va, bop->end - bop->va, bop->vma->pte);
	} else {
		list_for_each_entry(vma, &bop->removed, link) {
			nvfifo_mmu_write(vm, vma->unmap_va, vma->unmap_size, 0, NULL);
			trace_nvfifo_bind(vm, vma->unmap_va, vma->unmap_size, 0);
		}
	}

	return 0;
}

/* End an asynchronous VM_BIND, unless it has ended already. */
static void bind_end(struct nvfifo_bind *bind, int err)
{
	lockdep_assert_held(&bind->vm->pt_lock);

	scoped_guard(spinlock, &bind->vm->waiting_lock) {
		if (list_empty(&bind->link))
			return;

		list_del_init(&bind->link);
	}

	if (err)
		dma_fence_set_error(&bind->fence, err);

	dma_fence_signal(&bind->fence);
}

/*
 * Run the second step of a VM_BIND. Allocates nothing, and waits only for the card. Returns -EINTR
 * only with nvfifo_mmu_flush_killable() as @flush; the caller must call bind_finish_late() then.
 */
static int bind_commit(struct nvfifo_bind *bind, int (*flush)(struct nvfifo_vm *vm))
{
	struct nvfifo_vm *vm = bind->vm;
	struct bind_op *bop;
	int ret;

	CLASS(nvfifo_enter, entered)(vm->ndev);
	guard(mutex)(&vm->pt_lock);

	ret = nvfifo_check_wedged(vm->ndev);

	if (vm->broken)
		ret = -EIO;
	if (!entered.is_open)
		ret = -ENODEV;

	list_for_each_entry(bop, &bind->ops, link) {
		if (!ret)
			ret = commit_op(vm, bop);
	}

	if (!ret && !list_empty(&bind->ops))
		ret = flush(vm);

	bind->late = ret == -EINTR;
	bind_end(bind, ret);

	return ret;
}

/* Free unmapped memory, after the TLB flush, or when the card is off the bus. */
static void ops_free(struct nvfifo_vm *vm, struct list_head *ops)
{
	struct nvfifo_vma *vma, *next_vma;
	struct bind_op *bop, *next;

	list_for_each_entry_safe(bop, next, ops, link) {
		list_for_each_entry_safe(vma, next_vma, &bop->removed, link)
			vma_free(vma);

		cond_resched();
		nvfifo_mmu_changes_free(vm, &bop->changes);
		kfree(bop);
	}
}

static void bind_free_ops(struct nvfifo_bind *bind)
{
	/*
	 * If the card's removal has begun, the PTEs were not cleared: wait until the card is
	 * halted.
	 */
	nvfifo_gate_wait_halted(bind->vm->ndev);

	ops_free(bind->vm, &bind->ops);
}

/* Free a VM_BIND whose job does not run. */
static void bind_free(struct nvfifo_bind *bind)
{
	bind_free_ops(bind);
	kfree(bind);
}

/* --- VM_BINDs of killed processes ----------------------------------------- */

/* Flush all TLBs that may have translations of any address space. */
static void flush_all(struct nvfifo_device *ndev)
{
	const unsigned long engines = nvfifo_vm_engines(ndev);
	unsigned int engine;

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open || nvfifo_bar_flush(ndev))
		return;

	/* After a failed flush the card is lost or stuck, and off the bus. */
	for_each_set_bit(engine, &engines, NVFIFO_VM_ENGINES)
		if (nvfifo_tlb_flush(ndev, engine))
			return;
}

/*
 * Free memory that VM_BINDs of killed processes have unmapped. One flush serves all of them,
 * because there may be as many as processes. Each VM_BIND holds its address space, and so the
 * device.
 */
static void late_work(struct work_struct *work)
{
	struct nvfifo_vm_state *state = container_of(work, struct nvfifo_vm_state, late_work);
	struct nvfifo_device *ndev = container_of(state, struct nvfifo_device, vms);
	struct nvfifo_bind *bind, *tmp;
	struct nvfifo_vm *vm;
	LIST_HEAD(late);

	scoped_guard(mutex, &state->lock)
		list_splice_init(&state->late, &late);

	if (list_empty(&late))
		return;

	flush_all(ndev);

	list_for_each_entry_safe(bind, tmp, &late, link) {
		vm = bind->vm;
		bind_free(bind);
		nvfifo_vm_put(vm);
	}
}

/* Leave the flush of a VM_BIND, and the freeing of its memory, to late_work(). */
static void bind_finish_late(struct nvfifo_bind *bind)
{
	struct nvfifo_vm_state *state = &bind->vm->ndev->vms;

	kref_get(&bind->vm->ref);

	guard(mutex)(&state->lock);

	list_add_tail(&bind->link, &state->late);
	queue_work(nvfifo_end_wq, &state->late_work);
}

/* --- Asynchronous calls -------------------------------------------------- */

/* Prepare the job of a VM_BIND. The caller must call bind_fini_job() unless it is pushed. */
static int bind_init_job(struct nvfifo_bind *bind, struct drm_file *file)
{
	struct nvfifo_vm *vm = bind->vm;
	int ret;

	ret = nvfifo_sched_job_init(&bind->base, &vm->queue.entity, 1, vm, file->client_id);
	if (ret)
		return ret;

	ret = nvfifo_slot_init(&bind->slot);
	if (ret)
		drm_sched_job_cleanup(&bind->base);

	bind->has_job = !ret;

	return ret;
}

static void bind_fini_job(struct nvfifo_bind *bind)
{
	if (!bind->has_job)
		return;

	nvfifo_slot_fini(bind->vm->quota, &bind->slot);
	drm_sched_job_cleanup(&bind->base);
}

/* After its last dependency, a job still waits for a slot. */
static struct dma_fence *bind_wait_slot(struct drm_sched_job *base,
					struct drm_sched_entity *entity)
{
	struct nvfifo_bind *bind = container_of(base, struct nvfifo_bind, base);

	return nvfifo_slot_take(bind->vm->quota, &bind->slot);
}

static struct dma_fence *bind_run(struct drm_sched_job *base)
{
	struct nvfifo_bind *bind = container_of(base, struct nvfifo_bind, base);
	bool cookie = dma_fence_begin_signalling();
	int ret = bind_commit(bind, nvfifo_mmu_flush);

	dma_fence_end_signalling(cookie);
	nvfifo_slot_give(bind->vm->quota, &bind->slot);

	return ERR_PTR(ret);
}

static void bind_job_free(struct drm_sched_job *base)
{
	struct nvfifo_bind *bind = container_of(base, struct nvfifo_bind, base);
	struct nvfifo_vm *vm = bind->vm;
	int left;

	/* Needed if the scheduler has dropped the job. */
	scoped_guard(mutex, &vm->pt_lock)
		bind_end(bind, -ECANCELED);

	bind_fini_job(bind);
	bind_free_ops(bind);
	WRITE_ONCE(bind->done, true);
	left = atomic_dec_return(&vm->jobs);
	if (!left || left == NVFIFO_MAX_BINDS - 1 || bind->waited)
		wake_up_all(&vm->waiters);

	drm_gpuvm_put(&vm->base);
	dma_fence_put(&bind->fence);
}

static const struct drm_sched_backend_ops bind_sched_ops = {
	.prepare_job = bind_wait_slot,
	.run_job = bind_run,
	.free_job = bind_job_free,
};

/*
 * Queue a prepared VM_BIND in the scheduler. vm.lock keeps the order of the tree's changes. The
 * caller gets a reference to the fence.
 */
static void bind_push(struct nvfifo_bind *bind)
{
	struct nvfifo_vm *vm = bind->vm;

	nvfifo_fence_init(&bind->fence, &bind->fence_lock, vm->fence_context, ++vm->binds);
	dma_fence_get(&bind->fence);
	atomic_inc(&vm->jobs);
	drm_gpuvm_get(&vm->base);
	drm_sched_job_arm(&bind->base);

	/* Without pt_lock: an earlier job may hold it, and a kill must end this call. */
	scoped_guard(spinlock, &vm->waiting_lock)
		list_add_tail(&bind->link, &vm->waiting);

	drm_sched_entity_push_job(&bind->base);
}

/* Return: -EAGAIN if NVFIFO_MAX_BINDS are queued. */
static int bind_try_async(struct nvfifo_bind *bind, const struct bind_args *args)
{
	struct nvfifo_vm *vm = bind->vm;
	int ret;

	CLASS(nvfifo_enter, entered)(vm->ndev);
	if (!entered.is_open)
		return -ENODEV;

	scoped_cond_guard(mutex_intr, return -ERESTARTSYS, &vm->lock) {
		if (atomic_read(&vm->jobs) >= NVFIFO_MAX_BINDS)
			return -EAGAIN;

		ret = bind_prepare(bind, args);
		if (!ret)
			bind_push(bind);
	}

	return ret;
}

static int bind_wait_room(struct nvfifo_vm *vm)
{
	struct nvfifo_device *ndev = vm->ndev;
	int ret;

	ret = wait_event_interruptible(vm->waiters,
				       atomic_read(&vm->jobs) < NVFIFO_MAX_BINDS ||
				       READ_ONCE(ndev->removing));
	if (!ret && READ_ONCE(ndev->removing))
		return -ENODEV;

	return ret;
}

/* Takes over @bind if it succeeds. */
static int bind_async(struct nvfifo_bind *bind, struct drm_file *file,
		      const struct drm_nvfifo_array *user_syncs, const struct bind_args *args)
{
	struct nvfifo_vm *vm = bind->vm;
	struct nvfifo_syncs syncs = {};
	int ret;

	ret = bind_init_job(bind, file);
	if (ret)
		return ret;

	ret = nvfifo_syncs_get(vm->ndev, file, user_syncs, "vm_bind.syncs", &syncs);
	if (!ret)
		ret = nvfifo_syncs_depend(&syncs, &bind->base);
	while (!ret) {
		ret = bind_wait_room(vm);
		if (ret)
			break;

		ret = bind_try_async(bind, args);
		if (!ret) {
			nvfifo_syncs_attach(&syncs, &bind->fence);
			dma_fence_put(&bind->fence);
			break;
		}

		if (ret != -EAGAIN)
			break;

		ret = 0;
	}

	nvfifo_syncs_free(&syncs);

	return ret;
}

/* Queue a prepared synchronous VM_BIND, or undo it. The caller gets a reference to its fence. */
static int bind_push_sync(struct nvfifo_bind *bind, struct drm_file *file)
{
	int ret = bind_init_job(bind, file);

	if (ret) {
		bind_undo_all(bind);
		return ret;
	}

	bind->waited = true;
	bind_push(bind);

	return 0;
}

/* May the second step of a prepared VM_BIND freeze PFIFO? */
static bool bind_may_freeze(const struct nvfifo_bind *bind)
{
	const bool vram = nvfifo_mem_has_tables(bind->vm->ndev);
	const struct bind_op *bop;

	list_for_each_entry(bop, &bind->ops, link) {
		if (nvfifo_mmu_plan_replaces(&bop->changes))
			return true;

		/* Entries in VRAM take the place of others. */
		if (vram && bop->vma && !list_empty(&bop->removed))
			return true;
	}

	return false;
}

/* Return: -EAGAIN if asynchronous calls are queued before it. Sets nvfifo_bind.waited for a job. */
static int bind_try_sync(struct nvfifo_bind *bind, struct drm_file *file,
			 const struct bind_args *args)
{
	struct nvfifo_vm *vm = bind->vm;
	int ret;

	CLASS(nvfifo_enter, entered)(vm->ndev);
	if (!entered.is_open)
		return -ENODEV;

	scoped_cond_guard(mutex_intr, return -ERESTARTSYS, &vm->lock) {
		if (atomic_read(&vm->jobs))
			return -EAGAIN;

		ret = bind_prepare(bind, args);
		if (ret)
			return ret;

		if (bind_may_freeze(bind))
			ret = bind_push_sync(bind, file);
		else
			ret = bind_commit(bind, nvfifo_mmu_flush_killable);
	}

	return ret;
}

/*
 * Wait for the job of a synchronous call, outside of the gate. The caller has a reference to the
 * fence, and drops it. Return: the result of the job, or -EINTR if the process is killed.
 */
static int bind_wait_job(struct nvfifo_bind *bind)
{
	int ret = wait_event_state(bind->vm->waiters, READ_ONCE(bind->done),
				   (TASK_KILLABLE | TASK_FREEZABLE));

	if (ret)
		ret = -EINTR;
	else
		ret = min(dma_fence_get_status(&bind->fence), 0);

	dma_fence_put(&bind->fence);

	return ret;
}

/* Sets @pushed if a job takes over @bind. */
static int bind_sync(struct nvfifo_bind *bind, struct drm_file *file,
		     const struct bind_args *args, bool *pushed)
{
	struct nvfifo_vm *vm = bind->vm;
	struct nvfifo_device *ndev = vm->ndev;
	int ret;

	do {
		ret = wait_event_interruptible(vm->waiters, !atomic_read(&vm->jobs) ||
					       READ_ONCE(ndev->removing));
		if (ret)
			return ret;

		if (READ_ONCE(ndev->removing))
			return -ENODEV;

		ret = bind_try_sync(bind, file, args);
	} while (ret == -EAGAIN);

	*pushed = bind->waited;
	if (bind->waited)
		ret = bind_wait_job(bind);

	return ret;
}

/* --- Files in debugfs ---------------------------------------------------- */

/* Make the folder of an address space, named by its number, with its files. */
static void files_add(struct nvfifo_vm *vm)
{
	struct nvfifo_vm_state *state = &vm->ndev->vms;
	const struct nvfifo_vm_file *file;
	struct dentry *dir;
	char name[16];

	snprintf(name, sizeof(name), "%u", vm->serial);
	guard(mutex)(&state->dir_lock);

	if (!state->dir)
		return;

	dir = debugfs_create_dir(name, state->dir);

	for (file = state->files; file->name; file++)
		debugfs_create_file(file->name, file->mode, dir, vm, file->fops);
}

/*
 * Remove the folder, and wait for readers. Do not hold dir_lock for that, as a reader may wait for
 * a page fault for ever. If nvfifo_vm_files_fini() removes the folder, this waits as well.
 */
static void files_remove(struct nvfifo_vm *vm)
{
	struct nvfifo_vm_state *state = &vm->ndev->vms;
	struct dentry *dir = NULL;
	char name[16];

	snprintf(name, sizeof(name), "%u", vm->serial);

	scoped_guard(mutex, &state->dir_lock)
		if (state->dir)
			dir = debugfs_lookup(name, state->dir);

	debugfs_remove(dir);
	dput(dir);
}

/**
 * nvfifo_vm_files_init() - Begin to make files for each address space
 * @ndev: the device
 * @root: its folder in debugfs
 * @files: the files of each address space, ended by an entry without a name
 */
void nvfifo_vm_files_init(struct nvfifo_device *ndev, struct dentry *root,
			  const struct nvfifo_vm_file *files)
{
	ndev->vms.files = files;
	ndev->vms.dir = debugfs_create_dir("nvfifo_vm", root);
}

/**
 * nvfifo_vm_files_fini() - Remove the files of all address spaces
 * @ndev: the device
 *
 * Context: Process context, sleeps until all readers have ended.
 */
void nvfifo_vm_files_fini(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->vms.dir_lock);

	debugfs_remove(ndev->vms.dir);
	ndev->vms.dir = NULL;
}

/* --- Address spaces ------------------------------------------------------ */

/**
 * nvfifo_vm_prepare() - Make locks and lists, before the card is touched
 * @ndev: the device
 */
void nvfifo_vm_prepare(struct nvfifo_device *ndev)
{
	mutex_init(&ndev->vms.lock);
	mutex_init(&ndev->vms.dir_lock);
	INIT_LIST_HEAD(&ndev->vms.list);
	INIT_LIST_HEAD(&ndev->vms.late);
	INIT_WORK(&ndev->vms.late_work, late_work);
}

/*
 * A work item frees the address space: drm_sched_fini() cannot run in the scheduler's own work
 * item, which may drop the last reference.
 */
static void vm_work(struct work_struct *work)
{
	struct nvfifo_vm *vm = container_of(work, struct nvfifo_vm, work);
	struct nvfifo_device *ndev = vm->ndev;

	nvfifo_queue_kill(&vm->queue);
	nvfifo_queue_fini(&vm->queue);
	mutex_destroy(&vm->pt_lock);
	mutex_destroy(&vm->lock);
	nvfifo_quota_uncharge(vm->quota, NVFIFO_VMS, 1);
	nvfifo_quota_put(vm->quota);
	kvfree(vm);
	nvfifo_live_put(ndev);
}

/* Free an address space after the last reference, of vm_release() or a job. */
static void vm_free(struct drm_gpuvm *gpuvm)
{
	queue_work(nvfifo_wq, &container_of(gpuvm, struct nvfifo_vm, base)->work);
}

static const struct drm_gpuvm_ops nvfifo_gpuvm_ops = {
	.vm_free = vm_free,
};

/*
 * Cancel queued VM_BINDs: signal their fences, and free their memory. The scheduler keeps the jobs
 * until their dependencies have signalled.
 */
static void cancel_waiting(struct nvfifo_vm *vm, int err)
{
	struct nvfifo_bind *bind, *tmp;
	LIST_HEAD(ops);

	scoped_guard(mutex, &vm->pt_lock) {
		list_for_each_entry_safe(bind, tmp, &vm->waiting, link) {
			list_splice_init(&bind->ops, &ops);
			bind_end(bind, err);
		}
	}

	ops_free(vm, &ops);
}

/* Release an address space that the file and all channels have dropped. */
static void vm_release(struct kref *ref)
{
	struct nvfifo_vm *vm = container_of(ref, struct nvfifo_vm, ref);
	struct nvfifo_device *ndev = vm->ndev;
	struct drm_gpuva *va, *next;

	files_remove(vm);
	cancel_waiting(vm, -ECANCELED);
	drm_gpuvm_for_each_va_safe(va, next, &vm->base) {
		vma_remove(va);
		cond_resched();
	}

	nvfifo_mmu_free_tables(vm);

	scoped_guard(mutex, &ndev->vms.lock)
		list_del(&vm->link);

	drm_mm_takedown(&vm->kernel);
	drm_gpuvm_put(&vm->base);
}

/**
 * nvfifo_vm_put() - Drop a reference of a user of an address space
 * @vm: the address space, or NULL
 */
void nvfifo_vm_put(struct nvfifo_vm *vm)
{
	if (vm)
		kref_put(&vm->ref, vm_release);
}

/* Get the address space after @last, whose reference is dropped, or the first one. */
static struct nvfifo_vm *vm_next(struct nvfifo_device *ndev, struct nvfifo_vm *last)
{
	struct nvfifo_vm *vm, *found = NULL;
	u32 serial = last ? last->serial : 0;

	/* The list is in the order of the numbers. */
	scoped_guard(mutex, &ndev->vms.lock) {
		list_for_each_entry(vm, &ndev->vms.list, link) {
			if (vm->serial > serial && kref_get_unless_zero(&vm->ref)) {
				found = vm;
				break;
			}
		}
	}

	nvfifo_vm_put(last);

	return found;
}

/**
 * nvfifo_vm_engines() - Get the VM engines that may have translations of an address space
 * @ndev: the device
 *
 * Return: a mask, bit n for engine n.
 */
unsigned long nvfifo_vm_engines(struct nvfifo_device *ndev)
{
	unsigned long engines = 0;
	struct nvfifo_vm *vm;

	guard(mutex)(&ndev->vms.lock);

	list_for_each_entry(vm, &ndev->vms.list, link)
		engines |= vm->engines;

	return engines;
}

/**
 * nvfifo_vm_wake_all() - Wake all threads that wait for VM_BINDs, for the card's removal
 * @ndev: the device
 */
void nvfifo_vm_wake_all(struct nvfifo_device *ndev)
{
	struct nvfifo_vm *vm = NULL;

	while ((vm = vm_next(ndev, vm)))
		wake_up_all(&vm->waiters);
}

/**
 * nvfifo_vm_cancel_all() - End the VM_BINDs that wait for fences, for the card's removal
 * @ndev: the device, halted, on which no call queues VM_BINDs any more
 *
 * They may wait for another card's fence, which ends much later than the removal.
 *
 * Context: Process context, sleeps. Takes nvfifo_vm.pt_lock.
 */
void nvfifo_vm_cancel_all(struct nvfifo_device *ndev)
{
	struct nvfifo_vm *vm = NULL;

	while ((vm = vm_next(ndev, vm)))
		cancel_waiting(vm, -ENODEV);
}

/**
 * nvfifo_vm_settle() - Wait until memory that killed processes unmapped is freed
 * @ndev: the device, about to sleep
 *
 * Context: Process context, sleeps.
 */
void nvfifo_vm_settle(struct nvfifo_device *ndev)
{
	flush_work(&ndev->vms.late_work);
}

/**
 * nvfifo_vm_sched_pause_all() - Stop running asynchronous VM_BINDs
 * @ndev: the device, about to sleep
 */
void nvfifo_vm_sched_pause_all(struct nvfifo_device *ndev)
{
	struct nvfifo_vm *vm = NULL;

	while ((vm = vm_next(ndev, vm)))
		nvfifo_queue_pause(&vm->queue);
}

/**
 * nvfifo_vm_sched_unpause_all() - Undo nvfifo_vm_sched_pause_all()
 * @ndev: the device, after the resume
 */
void nvfifo_vm_sched_unpause_all(struct nvfifo_device *ndev)
{
	struct nvfifo_vm *vm = NULL;

	while ((vm = vm_next(ndev, vm)))
		nvfifo_queue_unpause(&vm->queue);
}

static struct nvfifo_vm *vm_create(struct nvfifo_device *ndev, struct nvfifo_quota *quota)
{
	struct drm_gem_object *resv __free(gem_put) = drm_gpuvm_resv_object_alloc(&ndev->drm);
	struct nvfifo_vm *vm __free(kvfree) = kvzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);

	if (!vm || !resv ||
	    nvfifo_queue_init(ndev, &vm->queue, nvfifo_bind_wq, &bind_sched_ops, 1))
		return NULL;

	drm_gpuvm_init(&vm->base, NVFIFO_NAME, 0, &ndev->drm, resv, NVFIFO_VA_START,
		       NVFIFO_VA_END - NVFIFO_VA_START, 0, 0, &nvfifo_gpuvm_ops);
	vm->quota = nvfifo_quota_get(quota);
	nvfifo_live_get(ndev);
	kref_init(&vm->ref);
	mutex_init(&vm->lock);
	init_waitqueue_head(&vm->waiters);
	INIT_WORK(&vm->work, vm_work);
	nvfifo_mmu_init(vm, ndev);
	drm_mm_init(&vm->kernel, NVFIFO_VA_END, (1ULL << NVFIFO_VA_BITS) - NVFIFO_VA_END);
	vm->fence_context = dma_fence_context_alloc(1);

	scoped_guard(mutex, &ndev->vms.lock) {
		list_add_tail(&vm->link, &ndev->vms.list);
		vm->serial = ++ndev->vms.serial;
	}

	files_add(vm);

	return no_free_ptr(vm);
}

/**
 * nvfifo_vm_create_kernel() - Make an address space for the driver itself
 * @ndev: the device
 *
 * Return: the address space with a reference, charged to no user; NULL without memory.
 */
struct nvfifo_vm *nvfifo_vm_create_kernel(struct nvfifo_device *ndev)
{
	return vm_create(ndev, NULL);
}

/**
 * nvfifo_vm_lookup() - Find the address space that a call names
 * @file: the caller's file
 * @id: the file's number of the address space
 * @argument: name of the argument, for a message at debug level
 *
 * Return: the address space with a reference, or NULL if the file has none of that number.
 */
struct nvfifo_vm *nvfifo_vm_lookup(struct drm_file *file, u32 id, const char *argument)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_vm *vm;

	xa_lock(&nfile->vms);
	vm = xa_load(&nfile->vms, id);
	if (vm)
		kref_get(&vm->ref);
	else
		drm_dbg(file->minor->dev, "%s %u is unknown\n", argument, id);

	xa_unlock(&nfile->vms);

	return vm;
}

/**
 * nvfifo_ioctl_vm_create() - VM_CREATE
 * @drm: the card
 * @data: struct drm_nvfifo_vm_create
 * @file: whose address space it becomes
 *
 * Return: 0 or an errno as uapi/nvfifo_drm.h has them.
 */
int nvfifo_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_vm_create *args = data;
	struct nvfifo_vm *vm;
	int ret;

	if (args->flags)
		return nvfifo_einval(ndev, "vm_create.flags %#x is not 0", args->flags);

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	ret = nvfifo_quota_charge(ndev, nfile->quota, NVFIFO_VMS, 1);
	if (ret)
		return ret;

	vm = vm_create(ndev, nfile->quota);
	if (!vm) {
		nvfifo_quota_uncharge(nfile->quota, NVFIFO_VMS, 1);
		return -ENOMEM;
	}

	ret = xa_alloc(&nfile->vms, &args->id, vm, XA_LIMIT(1, VMS_MAX),
		       GFP_KERNEL_ACCOUNT);
	if (ret)
		nvfifo_vm_put(vm);

	return ret == -EBUSY ? -ENOSPC : ret;
}

/**
 * nvfifo_ioctl_vm_destroy() - VM_DESTROY
 * @drm: the card
 * @data: struct drm_nvfifo_vm_destroy
 * @file: whose address space it is
 *
 * Return: 0, -EINVAL or -ENOENT.
 */
int nvfifo_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_vm_destroy *args = data;
	struct nvfifo_vm *vm;

	if (args->pad)
		return nvfifo_einval(ndev, "vm_destroy.pad %#x is not 0", args->pad);

	vm = xa_erase(&nfile->vms, args->id);
	if (!vm)
		return nvfifo_fail(ndev, -ENOENT, "vm_destroy.id %u is unknown", args->id);

	nvfifo_vm_put(vm);

	return 0;
}

/**
 * nvfifo_vm_free_all() - Destroy all address spaces of a file that is closed
 * @nfile: the file, whose channels are destroyed
 */
void nvfifo_vm_free_all(struct nvfifo_file *nfile)
{
	struct nvfifo_vm *vm;
	unsigned long id;

	xa_for_each(&nfile->vms, id, vm)
		nvfifo_vm_put(vm);

	xa_destroy(&nfile->vms);
}

/* --- VM_BIND ------------------------------------------------------------- */

/* Check the operations, without their buffers. */
static int check_ops(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *ops,
		     u32 count)
{
	u64 bytes = 0;
	int ret;
	u32 i;

	for (i = 0; i < count; i++) {
		ret = check_op(ndev, &ops[i], i, NULL);
		if (ret)
			return ret;

		ret = check_op_privilege(ndev, &ops[i], i);
		if (ret)
			return ret;

		if (ops[i].op == DRM_NVFIFO_VM_BIND_OP_MAP)
			bytes += ops[i].range;
	}

	/* The second step cannot be interrupted, so limit its time. */
	if (bytes > NVFIFO_MAX_BIND_BYTES)
		return nvfifo_fail(ndev, -E2BIG, "vm_bind.ops map %#llx bytes, more than %#llx",
				   bytes, NVFIFO_MAX_BIND_BYTES);

	return 0;
}

static void args_put(struct bind_args *args)
{
	u32 i;

	for (i = 0; i < args->count; i++)
		drm_gem_object_put(args->bos[i]);

	if (args->bos != args->few_bos)
		kvfree(args->bos);
}

/*
 * Find the buffers of a call, and allocate their pages, while the removal of the card need not
 * wait.
 */
static int args_find_bos(struct bind_args *args, struct drm_file *file)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < args->count && !ret; i++) {
		if (args->ops[i].op != DRM_NVFIFO_VM_BIND_OP_MAP)
			continue;

		/* bind_map() reports an unknown handle. */
		args->bos[i] = drm_gem_object_lookup(file, args->ops[i].bo_handle);
		if (args->bos[i])
			ret = nvfifo_bo_populate(to_nvfifo_bo(args->bos[i]));
	}

	return ret;
}

/* Copy a few operations. One load for each field is faster than a call of copy_from_user(). */
static int few_ops_copy(struct drm_nvfifo_vm_bind_op *few,
			const struct drm_nvfifo_vm_bind_op __user *user, u32 count)
{
	u32 i;

	if (!user_read_access_begin(user, count * sizeof(*user)))
		return -EFAULT;

	for (i = 0; i < count; i++) {
		unsafe_get_user(few[i].op, &user[i].op, fault);
		unsafe_get_user(few[i].flags, &user[i].flags, fault);
		unsafe_get_user(few[i].bo_handle, &user[i].bo_handle, fault);
		unsafe_get_user(few[i].page_shift, &user[i].page_shift, fault);
		unsafe_get_user(few[i].va, &user[i].va, fault);
		unsafe_get_user(few[i].range, &user[i].range, fault);
		unsafe_get_user(few[i].bo_offset, &user[i].bo_offset, fault);
		unsafe_get_user(few[i].kind, &user[i].kind, fault);
		unsafe_get_user(few[i].compression, &user[i].compression, fault);
	}

	user_read_access_end();

	return 0;

fault:
	user_read_access_end();

	return -EFAULT;
}

/*
 * Copy the operations of a call. A few of the usual size need no allocation. Others share one with
 * the pointers to their buffers, after them.
 */
static int args_copy(struct bind_args *args, struct nvfifo_device *ndev,
		     const struct drm_nvfifo_array *in)
{
	const size_t room = round_up(in->count * sizeof(*args->bos), sizeof(u64));
	void *mem;
	int ret;

	if (in->count && in->count <= FEW_OPS && in->stride == sizeof(*args->ops)) {
		ret = few_ops_copy(args->few_ops, u64_to_user_ptr(in->ptr), in->count);
		if (ret)
			return nvfifo_fail(ndev, ret, "vm_bind.ops.ptr %#llx: %d", in->ptr, ret);

		args->ops = args->few_ops;
		args->bos = args->few_bos;
	} else {
		mem = nvfifo_array_get(ndev, in, room, sizeof(*args->ops), NVFIFO_MAX_BIND_OPS,
				       "vm_bind.ops");
		if (IS_ERR(mem))
			return PTR_ERR(mem);

		args->ops = mem + room;
		args->bos = mem;
	}

	memset(args->bos, 0, in->count * sizeof(*args->bos));
	args->count = in->count;

	return 0;
}

/* Get the operations of a call, and check them. After success the caller calls args_put(). */
static int args_get(struct bind_args *args, struct nvfifo_device *ndev, struct drm_file *file,
		    const struct drm_nvfifo_array *in)
{
	int ret;

	ret = args_copy(args, ndev, in);
	if (ret)
		return ret;

	ret = check_ops(ndev, args->ops, args->count);
	if (!ret)
		ret = args_find_bos(args, file);
	if (ret)
		args_put(args);

	return ret;
}

static int bind_run_call(struct nvfifo_vm *vm, struct drm_file *file,
			 const struct drm_nvfifo_vm_bind *user, const struct bind_args *args)
{
	struct nvfifo_bind *bind = kzalloc(sizeof(*bind), GFP_KERNEL_ACCOUNT);
	bool pushed = false;
	int ret;

	if (!bind)
		return -ENOMEM;

	bind->vm = vm;
	INIT_LIST_HEAD(&bind->link);
	INIT_LIST_HEAD(&bind->ops);

	if (user->flags & DRM_NVFIFO_VM_BIND_ASYNC) {
		ret = bind_async(bind, file, &user->syncs, args);
		pushed = !ret;
	} else {
		ret = bind_sync(bind, file, args, &pushed);
	}

	if (pushed)
		return ret;

	bind_fini_job(bind);

	if (bind->late)
		bind_finish_late(bind);
	else
		bind_free(bind);

	return ret;
}

/**
 * nvfifo_ioctl_vm_bind() - VM_BIND
 * @drm: the card
 * @data: struct drm_nvfifo_vm_bind
 * @file: whose address space it is
 *
 * Context: Outside of CLASS(nvfifo_enter), because it may wait for asynchronous calls.
 *
 * Return: 0 or an errno as uapi/nvfifo_drm.h has them.
 */
int nvfifo_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_vm *vm __free(vm_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_vm_bind *user = data;
	const bool async = user->flags & DRM_NVFIFO_VM_BIND_ASYNC;
	const struct nvfifo_rule rules[] = {
		{ user->flags & ~DRM_NVFIFO_VM_BIND_ASYNC, "flags has unknown bits" },
		{ user->syncs.count && !async, "syncs.count is not 0 without ASYNC" },
		{}
	};
	struct bind_args args;
	int ret;

	ret = nvfifo_check_rules(ndev, "vm_bind", rules);
	if (ret)
		return ret;

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	vm = nvfifo_vm_lookup(file, user->vm_id, "vm_bind.vm_id");
	if (!vm)
		return -ENOENT;

	ret = args_get(&args, ndev, file, &user->ops);
	if (ret)
		return ret;

	ret = bind_run_call(vm, file, user, &args);
	args_put(&args);

	return ret;
}

/* --- Reading ------------------------------------------------------------- */

/*
 * How long a reader waits for a lock, and how long the readers after it do not wait. A call that
 * finds the card lost may hold a lock for some seconds on a busy machine.
 */
#define READ_WAIT_MS	5000
#define READ_PAUSE_MS	30000
#define READ_POLL_MS	5

/**
 * nvfifo_vm_read_lock() - Take a lock of an address space for a dump, a report or a trace
 * @vm: the address space
 * @lock: its lock or pt_lock, or the lock of one of its channels
 *
 * A user can hold these locks for minutes. A job holds pt_lock while it waits for the limit of
 * freezes, and a call may wait for memory of its memory cgroup. One thread writes the dumps and
 * reports of all users, so it must not wait for one of them. It waits for up to READ_WAIT_MS. After
 * a wait in vain, readers of the address space do not wait for READ_PAUSE_MS.
 *
 * Context: Process context, sleeps.
 *
 * Return: true if the caller must unlock @lock, false if it has not got it.
 */
bool nvfifo_vm_read_lock(struct nvfifo_vm *vm, struct mutex *lock)
{
	const unsigned long end = jiffies + msecs_to_jiffies(READ_WAIT_MS);

	while (!mutex_trylock(lock)) {
		if (nvfifo_vm_was_held(vm))
			return false;

		if (time_after(jiffies, end)) {
			WRITE_ONCE(vm->held_until, jiffies + msecs_to_jiffies(READ_PAUSE_MS));
			return false;
		}

		msleep(READ_POLL_MS);
	}

	return true;
}

/**
 * nvfifo_vm_was_held() - Has a reader waited in vain for a lock of an address space a moment ago?
 * @vm: the address space
 *
 * Return: true if a dump of the address space may be incomplete.
 */
bool nvfifo_vm_was_held(const struct nvfifo_vm *vm)
{
	return time_before(jiffies, READ_ONCE(vm->held_until));
}

/* Return: number of words from @va on that are mapped. */
static u32 mapped_read(struct nvfifo_vm *vm, u64 va, u32 *words, u32 count)
{
	const u64 stolen = nvfifo_mem_facts(vm->ndev)->igp_base;
	struct drm_gpuva *gva;
	u32 n, part;

	lockdep_assert_held(&vm->lock);

	for (n = 0; n < count; n += part, va += part * 4) {
		struct nvfifo_extent_walk c = {};

		gva = drm_gpuva_find_first(&vm->base, va, 4);
		if (!gva)
			break;

		c.bo = to_nvfifo_bo(gva->gem.obj);
		c.offset = va - gva->va.addr + gva->gem.offset;
		c.end = c.offset + 4;
		part = 1;

		if (c.bo->domain == DRM_NVFIFO_DOMAIN_VRAM) {
			if (nvfifo_check_wedged(vm->ndev) == -ENODEV)
				break;

			nvfifo_extent_next(&c);
			words[n] = nvfifo_vram_rd32(vm->ndev, c.address - stolen);
			continue;
		}

		part = min_t(u64, count - n, (gva->va.addr + gva->va.range - va) / 4);
		if (nvfifo_pages_read(c.bo, c.offset, words + n, part * 4))
			break;
	}

	return n;
}

/**
 * nvfifo_vm_read() - Read words of an address space as the CPU sees them
 * @vm: the address space
 * @chan: a channel whose ring and fences are readable too, or NULL
 * @va: address of the first word, rounded down to a multiple of 4
 * @words: set to the words
 * @count: number of words
 *
 * Context: Process context, sleeps. Takes nvfifo_vm.lock by nvfifo_vm_read_lock().
 *
 * Return: number of words that are mapped, from the first one on; 0 if the lock cannot be had.
 */
u32 nvfifo_vm_read(struct nvfifo_vm *vm, struct nvfifo_chan *chan, u64 va, u32 *words, u32 count)
{
	u64 own;
	u32 n;

	/* GET comes from the card, so align it: a word must not cross the start of a mapping. */
	va = round_down(va, 4);
	own = chan ? va - chan->mem_va.start : 0;
	if (chan && own < chan->mem_size) {
		n = min_t(u64, count, (chan->mem_size - own) / 4);
		memcpy(words, chan->mem + own, n * 4);
		return n;
	}

	if (!nvfifo_vm_read_lock(vm, &vm->lock))
		return 0;

	n = mapped_read(vm, va, words, count);
	mutex_unlock(&vm->lock);

	return n;
}
