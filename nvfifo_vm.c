// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Address spaces
 *
 * drm_gpuvm keeps the tree of mappings, nvfifo_mmu.c the page tables. The last region of 512 MiB
 * belongs to the driver: rings and fences of the channels.
 *
 * A VM_BIND consists of two steps. The first one checks the arguments, allocates, and changes the
 * tree of mappings; an error undoes it. The second one needs no resources: it writes PTEs and
 * flushes the TLBs once. A synchronous call waits for earlier calls and runs both steps itself. In
 * an asynchronous call a job of the address space's scheduler runs the second step after its fences
 * have signalled. So the tree is ahead of the page tables by the queued jobs. All calls take effect
 * in the order in which they were made.
 *
 * Unmapped memory is freed after the flush, when the card can no longer access it. A flush may wait
 * for PGRAPH for as long as the hang limit.
 */
#include <linux/debugfs.h>

#include "card/nvfifo_hw.h"
#include "mem/nvfifo_bo.h"
#include "fifo/nvfifo_chan.h"
#include "card/nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "fifo/nvfifo_sched.h"
#include "debug/nvfifo_trace.h"
#include "nvfifo_vm.h"

#define VMS_MAX		1024

static u64 vma_end(const struct drm_gpuva *va)
{
	return va->va.addr + va->va.range;
}

/* --- Mappings ------------------------------------------------------------ */

/* Create a mapping, with a reference to the buffer, and to its tags if it is compressed. */
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

	guard(mutex)(&vm->pt_lock);

	ret = nvfifo_mmu_install(vm, changes);
	if (ret)
		return ret;

	nvfifo_mmu_write(vm, node->start, ro_size, nvfifo_pte_encode(&pte), NULL);
	pte.read_only = false;
	pte.address += ro_size;
	nvfifo_mmu_write(vm, node->start + ro_size, node->size - ro_size,
			 nvfifo_pte_encode(&pte), NULL);

	return nvfifo_mmu_flush(vm);
}

/**
 * nvfifo_vm_map_kernel() - Map memory of the driver into an address space
 * @vm: the address space
 * @node: set to its range of addresses
 * @dma: DMA address of the memory, contiguous
 * @size: bytes, a multiple of 4 KiB
 * @ro_size: bytes from the start that the card may only read
 *
 * Context: Process context, sleeps. Takes nvfifo_vm.lock and pt_lock.
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR, -EIO or -ENODEV.
 */
int nvfifo_vm_map_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node, dma_addr_t dma, u64 size,
			 u64 ro_size)
{
	LIST_HEAD(changes);
	int ret;

	scoped_cond_guard(mutex_intr, return -EINTR, &vm->lock) {
		if (READ_ONCE(vm->broken))
			return -EIO;

		ret = drm_mm_insert_node(&vm->kernel, node, size);
		if (ret)
			return ret;

		ret = nvfifo_mmu_plan_map(vm, node->start, size, NVFIFO_PT_4K, 0, false, &changes);
		if (ret) {
			nvfifo_mmu_plan_undo(vm, &changes);
			drm_mm_remove_node(node);
			return ret;
		}

		ret = map_kernel_commit(vm, node, dma, ro_size, &changes);

		/* After an error, tables of the plan may not be installed. */
		nvfifo_mmu_changes_free(vm, &changes);
	}

	return ret;
}

/**
 * nvfifo_vm_unmap_kernel() - Undo nvfifo_vm_map_kernel(), even if it failed
 * @vm: the address space
 * @node: the range of addresses
 */
void nvfifo_vm_unmap_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node)
{
	if (!drm_mm_node_allocated(node))
		return;

	/*
	 * After the card's removal the memory of page tables is freed: do not write PTEs. A stuck
	 * card reads none, and its PFIFO may be off. In a broken address space the table of the
	 * range may be missing, or too short.
	 */
	CLASS(nvfifo_enter, entered)(vm->ndev);
	guard(mutex)(&vm->lock);

	if (entered.is_open && nvfifo_is_usable(vm->ndev) && !READ_ONCE(vm->broken)) {
		guard(mutex)(&vm->pt_lock);

		nvfifo_mmu_write(vm, node->start, node->size, 0, NULL);
		nvfifo_mmu_flush(vm);
	}

	nvfifo_mmu_account(vm, node->start, node->size, 0, false);
	drm_mm_remove_node(node);
}

/* --- Changes of the tree -------------------------------------------------- */

/*
 * An operation of a VM_BIND. It holds a reference to its buffer. While the call waits for others,
 * another thread may close the handle, and create a buffer that gets the same handle.
 */
struct bind_op {
	struct drm_nvfifo_vm_bind_op args;
	struct drm_gem_object *obj;	/* NULL for an unmap */
	struct nvfifo_vma *vma;		/* new mapping, NULL for an unmap */
	struct list_head removed;	/* mappings removed from the tree, in part or as a whole */
	struct list_head changes;	/* page tables to install or to remove */
};

/* The operations of a VM_BIND */
struct bind_ops {
	struct list_head link;		/* operations of cancelled VM_BINDs, to be freed */
	u32 count;			/* operations in @op that are valid */
	struct bind_op op[];
};

/* A VM_BIND. Its job runs if it is asynchronous. */
struct nvfifo_bind {
	struct nvfifo_fence fence;		/* first: its release frees the structure */
	bool has_job;			/* base is initialised */
	struct drm_sched_job base;
	struct nvfifo_vm *vm;
	struct list_head link;		/* in nvfifo_vm.waiting */
	struct bind_ops *ops;		/* NULL when they are freed */
};

static_assert(offsetof(struct nvfifo_bind, fence) == 0);

static u64 op_end(const struct bind_op *bop)
{
	return bop->args.va + bop->args.range;
}

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

	drm_gpuvm_for_each_va_range_safe(va, next, &vm->base, bop->args.va, op_end(bop)) {
		drm_gpuva_remove(va);
		vma = to_nvfifo_vma(va);
		list_add_tail(&vma->link, &bop->removed);
		ret = bind_keep(vm, bop, vma, va->va.addr, bop->args.va);
		if (!ret)
			ret = bind_keep(vm, bop, vma, op_end(bop), vma_end(va));
		if (ret)
			break;
	}

	list_for_each_entry(vma, &bop->removed, link) {
		vma->unmap_va = max(bop->args.va, vma->base.va.addr);
		vma->unmap_size = min(op_end(bop), vma_end(&vma->base)) - vma->unmap_va;
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
		nvfifo_mmu_account(vm, bop->args.va, bop->args.range, bop->vma->pte, false);

		/* The mapping is in the tree only if no later step has failed. */
		if (bop->vma->base.vm)
			vma_remove(&bop->vma->base);
		else
			vma_free(bop->vma);
	}

	list_for_each_entry_safe(vma, tmp, &bop->removed, link) {
		/* The tree contains the kept parts of the mapping: remove them. */
		drm_gpuvm_for_each_va_range_safe(va, next, &vm->base, vma->base.va.addr,
						 vma_end(&vma->base))
			vma_remove(va);

		list_del(&vma->link);
		drm_gpuva_insert(&vm->base, &vma->base);
		nvfifo_mmu_account(vm, vma->unmap_va, vma->unmap_size, vma->pte, true);
	}

	nvfifo_mmu_plan_undo(vm, &bop->changes);
}

/* Undo all operations that have begun: the others have changed nothing. */
static void bind_undo_all(struct nvfifo_vm *vm, struct bind_ops *ops)
{
	u32 i = ops->count;

	while (i--)
		bind_undo(vm, &ops->op[i]);
}

/* --- Checks -------------------------------------------------------------- */

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

/* Check the fields of an operation. Without a buffer, rules about it do not apply. */
static int check_op(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *op, u32 i,
		    const struct nvfifo_bo *bo)
{
	struct nvfifo_map_request m = nvfifo_bind_request(op, ndev->chip->chip,
							  nvfifo_mem_facts(ndev)->num_tags);
	u64 size = 0;

	if (bo) {
		size = bo->shmem.base.size;
		m.vram = bo->domain == DRM_NVFIFO_DOMAIN_VRAM;
		m.system = !m.vram;
		m.wc = bo->shmem.map_wc;
		m.lsr = bo->lsr;
	}

	if (!nvfifo_check_rule(ndev, "vm_bind.ops", nvfifo_bind_rule(op, &m, size)))
		return 0;

	return nvfifo_einval(ndev,
			     "vm_bind.ops[%u]: op %u, flags %#x, va %#llx, range %#llx, bo_offset %#llx of %#llx, kind %#x, page_shift %u, compression %u",
			     i, op->op, op->flags, op->va, op->range, op->bo_offset, size, op->kind,
			     op->page_shift, op->compression);
}

/* --- Operations ---------------------------------------------------------- */

static int bind_map(struct nvfifo_vm *vm, struct bind_op *bop)
{
	const struct drm_nvfifo_vm_bind_op *op = &bop->args;
	const bool replace = op->flags & DRM_NVFIFO_VM_BIND_REPLACE;
	const struct nvfifo_pte pte = nvfifo_bind_pte(op);
	struct nvfifo_bo *bo = to_nvfifo_bo(bop->obj);
	const unsigned int type = nvfifo_bind_table(op, bo->domain == DRM_NVFIFO_DOMAIN_VRAM);
	struct nvfifo_vma *vma;
	int ret;

	ret = nvfifo_bo_pin(bo);
	if (ret)
		return ret;

	if (!replace && !drm_gpuvm_interval_empty(&vm->base, op->va, op->range))
		return -EEXIST;

	vma = vma_create(vm, bop->obj, nvfifo_pte_encode(&pte), op->va, op->range,
			 op->bo_offset);
	if (IS_ERR(vma))
		return PTR_ERR(vma);

	ret = nvfifo_mmu_plan_map(vm, op->va, op->range, type, vma->pte, op->page_shift > 12,
				  &bop->changes);
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

/* Plan an operation, and change the tree. */
static int bind_plan(struct nvfifo_vm *vm, struct bind_op *bop)
{
	int ret;

	/* This step can still be undone. */
	if (fatal_signal_pending(current))
		return -EINTR;

	ret = nvfifo_check_ending(vm->ndev);
	if (ret)
		return ret;

	cond_resched();

	if (bop->obj)
		return bind_map(vm, bop);

	return bind_clear(vm, bop);
}

/* Run the first step of a VM_BIND: all operations, or none. */
static int bind_prepare(struct nvfifo_vm *vm, struct bind_ops *ops)
{
	const char *why;
	int ret = 0;
	u32 i;

	if (READ_ONCE(vm->broken))
		return -EIO;

	for (i = 0; i < ops->count && !ret; i++)
		ret = bind_plan(vm, &ops->op[i]);

	if (!ret)
		return 0;

	why = "pages of other mappings are too small, or compressed and too large";
	if (ret == -EEXIST)
		why = "something is mapped there";

	if (ret == -EEXIST || ret == -EBUSY)
		drm_dbg(&vm->ndev->drm, "vm_bind.ops[%u].va %#llx, range %#llx: %s\n", i - 1,
			ops->op[i - 1].args.va, ops->op[i - 1].args.range, why);

	bind_undo_all(vm, ops);

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
		trace_nvfifo_bind(vm, bop->args.va, bop->args.range, bop->vma->pte);
	} else {
		list_for_each_entry(vma, &bop->removed, link) {
			nvfifo_mmu_write(vm, vma->unmap_va, vma->unmap_size, 0, NULL);
			trace_nvfifo_bind(vm, vma->unmap_va, vma->unmap_size, 0);
		}
	}

	return 0;
}

/*
 * End an asynchronous VM_BIND, unless it has ended already. The caller began its section of
 * dma_fence_begin_signalling() before it took pt_lock.
 */
static void bind_end(struct nvfifo_bind *bind, int err)
{
	lockdep_assert_held(&bind->vm->pt_lock);

	if (list_empty(&bind->link))
		return;

	list_del_init(&bind->link);

	if (err)
		dma_fence_set_error(&bind->fence.base, err);

	dma_fence_signal(&bind->fence.base);
}

/* Run the second step of a VM_BIND. Allocates nothing, and waits only for the card. */
static int bind_commit(struct nvfifo_bind *bind)
{
	struct nvfifo_vm *vm = bind->vm;
	int ret;
	u32 i;

	CLASS(nvfifo_enter, entered)(vm->ndev);
	guard(mutex)(&vm->pt_lock);

	ret = nvfifo_check_wedged(vm->ndev);

	if (vm->broken)
		ret = -EIO;
	if (!entered.is_open)
		ret = -ENODEV;

	/* A cancelled VM_BIND has no operations left. */
	if (!ret && bind->ops && bind->ops->count) {
		for (i = 0; i < bind->ops->count && !ret; i++)
			ret = commit_op(vm, &bind->ops->op[i]);

		if (!ret)
			ret = nvfifo_mmu_flush(vm);
	}

	bind_end(bind, ret);

	return ret;
}

/* Free unmapped memory, after the TLB flush, or when the card is off the bus. */
static void ops_free(struct nvfifo_vm *vm, struct bind_ops *ops)
{
	struct nvfifo_vma *vma, *next;
	u32 i;

	if (!ops)
		return;

	for (i = 0; i < ops->count; i++) {
		list_for_each_entry_safe(vma, next, &ops->op[i].removed, link)
			vma_free(vma);

		cond_resched();
		nvfifo_mmu_changes_free(vm, &ops->op[i].changes);
		drm_gem_object_put(ops->op[i].obj);
	}

	kvfree(ops);
}

/*
 * If the card's removal has begun, the PTEs were not cleared. Channels run on between
 * drm_dev_unplug() and the halt, so wait for it, outside of CLASS(nvfifo_enter).
 */
static void bind_free_ops(struct nvfifo_bind *bind)
{
	struct nvfifo_device *ndev = bind->vm->ndev;

	wait_event(ndev->waiters, !drm_dev_is_unplugged(&ndev->drm) ||
		   nvfifo_check_wedged(ndev) == -ENODEV);

	ops_free(bind->vm, bind->ops);
}

/* --- The job of an asynchronous call -------------------------------------- */

static struct dma_fence *bind_run(struct drm_sched_job *base)
{
	struct nvfifo_bind *bind = container_of(base, struct nvfifo_bind, base);
	bool cookie = dma_fence_begin_signalling();
	int ret = bind_commit(bind);

	dma_fence_end_signalling(cookie);

	return ERR_PTR(ret);
}

static void bind_job_free(struct drm_sched_job *base)
{
	struct nvfifo_bind *bind = container_of(base, struct nvfifo_bind, base);
	struct nvfifo_vm *vm = bind->vm;
	bool cookie;
	int left;

	/* Needed if the scheduler has dropped the job. */
	cookie = dma_fence_begin_signalling();
	scoped_guard(mutex, &vm->pt_lock)
		bind_end(bind, -ECANCELED);

	dma_fence_end_signalling(cookie);
	drm_sched_job_cleanup(&bind->base);
	bind_free_ops(bind);
	left = atomic_dec_return(&vm->jobs);
	if (!left || left == NVFIFO_MAX_BINDS - 1)
		wake_up_all(&vm->waiters);

	drm_gpuvm_put(&vm->base);
	dma_fence_put(&bind->fence.base);
}

static const struct drm_sched_backend_ops bind_sched_ops = {
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

	nvfifo_fence_init(&bind->fence, vm->fence_context, ++vm->binds);
	dma_fence_get(&bind->fence.base);
	atomic_inc(&vm->jobs);
	drm_gpuvm_get(&vm->base);

	scoped_guard(mutex, &vm->pt_lock)
		list_add_tail(&bind->link, &vm->waiting);

	drm_sched_job_arm(&bind->base);
	drm_sched_entity_push_job(&bind->base);
}

/* --- Files in debugfs ---------------------------------------------------- */

/* Create the folder of an address space, named by its number, with its files. */
static void files_add(struct nvfifo_vm *vm)
{
	struct nvfifo_vm_state *state = &vm->ndev->vms;
	const struct nvfifo_vm_file *file;
	char name[16];

	if (!state->dir)
		return;

	snprintf(name, sizeof(name), "%u", vm->serial);
	vm->dir = debugfs_create_dir(name, state->dir);

	for (file = state->files; file->name; file++)
		debugfs_create_file(file->name, file->mode, vm->dir, vm, file->fops);
}

/* Remove the folder, and wait for readers. The card's removal removes all folders. */
static void files_remove(struct nvfifo_vm *vm)
{
	CLASS(nvfifo_enter, entered)(vm->ndev);

	if (entered.is_open)
		debugfs_remove(vm->dir);
}

/**
 * nvfifo_vm_files_init() - Start to create files for each address space
 * @ndev: the device
 * @root: its folder in debugfs, which DRM removes
 * @files: the files of each address space, ended by an entry without a name
 */
void nvfifo_vm_files_init(struct nvfifo_device *ndev, struct dentry *root,
			  const struct nvfifo_vm_file *files)
{
	ndev->vms.files = files;
	ndev->vms.dir = debugfs_create_dir("nvfifo_vm", root);
}

/* --- Address spaces ------------------------------------------------------ */

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
	if (vm->nfile)
		atomic64_dec(&vm->nfile->num_vms);

	nvfifo_file_put(vm->nfile);
	kvfree(vm);
	nvfifo_live_put(ndev);
}

/* Free an address space after the last reference, of vm_release() or a job. */
static void vm_free(struct drm_gpuvm *gpuvm)
{
	queue_work(nvfifo_wait_wq, &container_of(gpuvm, struct nvfifo_vm, base)->work);
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
	struct nvfifo_bind *bind, *next_bind;
	struct bind_ops *ops, *next;
	LIST_HEAD(cancelled);
	bool cookie;

	cookie = dma_fence_begin_signalling();
	scoped_guard(mutex, &vm->pt_lock) {
		list_for_each_entry_safe(bind, next_bind, &vm->waiting, link) {
			list_add_tail(&bind->ops->link, &cancelled);
			bind->ops = NULL;
			bind_end(bind, err);
		}
	}

	dma_fence_end_signalling(cookie);

	list_for_each_entry_safe(ops, next, &cancelled, link)
		ops_free(vm, ops);
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
 * nvfifo_vm_engines() - Get the VM engines that may cache translations of an address space
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
 * nvfifo_vm_sched_pause_all() - Stop running asynchronous VM_BINDs, or start again
 * @ndev: the device, about to sleep, or after the resume
 * @on: stop
 */
void nvfifo_vm_sched_pause_all(struct nvfifo_device *ndev, bool on)
{
	struct nvfifo_vm *vm = NULL;

	while ((vm = vm_next(ndev, vm)))
		nvfifo_queue_pause(&vm->queue, on);
}

/**
 * nvfifo_vm_create() - Create an address space
 * @ndev: the device
 * @nfile: the file that counts it, NULL for one of the driver itself
 *
 * Return: the address space, or NULL.
 */
struct nvfifo_vm *nvfifo_vm_create(struct nvfifo_device *ndev, struct nvfifo_file *nfile)
{
	struct drm_gem_object *resv __free(gem_put) = drm_gpuvm_resv_object_alloc(&ndev->drm);
	struct nvfifo_vm *vm __free(kvfree) = kvzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);

	if (!vm || !resv ||
	    nvfifo_queue_init(ndev, &vm->queue, nvfifo_wait_wq, &bind_sched_ops, 1))
		return NULL;

	drm_gpuvm_init(&vm->base, NVFIFO_NAME, 0, &ndev->drm, resv, NVFIFO_VA_START,
		       NVFIFO_VA_END - NVFIFO_VA_START, 0, 0, &nvfifo_gpuvm_ops);
	vm->nfile = nvfifo_file_get(nfile);
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
 * Return: 0 or an errno that uapi/nvfifo_drm.h lists.
 */
int nvfifo_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_vm_create *args = data;
	struct nvfifo_vm *vm;
	int ret;

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open)
		return -ENODEV;

	if (args->flags)
		return nvfifo_einval(ndev, "vm_create.flags %#x is not 0", args->flags);

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	ret = nvfifo_file_count(ndev, &nfile->num_vms, 1, NVFIFO_FILE_VMS, "address spaces");
	if (ret)
		return ret;

	vm = nvfifo_vm_create(ndev, nfile);
	if (!vm) {
		atomic64_dec(&nfile->num_vms);
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

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open)
		return -ENODEV;

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

/*
 * Check an operation of a call, find its buffer, and allocate the buffer's pages, while the removal
 * of the card need not wait.
 */
static int op_init(struct nvfifo_device *ndev, struct drm_file *file, struct bind_op *bop, u32 i)
{
	const struct drm_nvfifo_vm_bind_op *op = &bop->args;
	const bool map = op->op == DRM_NVFIFO_VM_BIND_OP_MAP;
	struct nvfifo_bo *bo = NULL;
	int ret;

	if (map)
		bop->obj = drm_gem_object_lookup(file, op->bo_handle);
	if (bop->obj)
		bo = to_nvfifo_bo(bop->obj);

	ret = check_op(ndev, op, i, bo);
	if (ret)
		return ret;

	ret = check_op_privilege(ndev, op, i);
	if (ret)
		return ret;

	if (!map)
		return 0;

	if (!bo)
		return nvfifo_fail(ndev, -ENOENT, "vm_bind.ops[%u].bo_handle %u is unknown", i,
				   op->bo_handle);

	return nvfifo_bo_populate(bo);
}

/* The second step cannot be interrupted, so limit its time. */
static int check_bytes(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *ops,
		       u32 count)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < count; i++)
		if (ops[i].op == DRM_NVFIFO_VM_BIND_OP_MAP && ops[i].range <= NVFIFO_VA_END)
			bytes += ops[i].range;

	if (bytes > NVFIFO_MAX_BIND_BYTES)
		return nvfifo_fail(ndev, -E2BIG, "vm_bind.ops map %#llx bytes, more than %#llx",
				   bytes, NVFIFO_MAX_BIND_BYTES);

	return 0;
}

/* Get the operations of a call, and check each. Return: them, for ops_free(), or an errno. */
static struct bind_ops *ops_get(struct nvfifo_vm *vm, struct drm_file *file,
				const struct drm_nvfifo_array *in)
{
	struct drm_nvfifo_vm_bind_op *args __free(kvfree) = NULL;
	struct nvfifo_device *ndev = vm->ndev;
	struct bind_ops *ops;
	int ret;
	u32 i;

	args = nvfifo_array_get(ndev, in, sizeof(*args), NVFIFO_MAX_BIND_OPS, "vm_bind.ops");
	if (IS_ERR(args))
		return ERR_CAST(no_free_ptr(args));

	ops = kvzalloc(struct_size(ops, op, in->count), GFP_KERNEL_ACCOUNT);
	if (!ops)
		return ERR_PTR(-ENOMEM);

	ret = 0;

	for (i = 0; i < in->count && !ret; i++) {
		struct bind_op *bop = &ops->op[i];

		bop->args = args[i];
		INIT_LIST_HEAD(&bop->removed);
		INIT_LIST_HEAD(&bop->changes);
		ops->count++;
		ret = op_init(ndev, file, bop, i);
	}

	if (!ret)
		ret = check_bytes(ndev, args, in->count);

	if (!ret)
		return ops;

	ops_free(vm, ops);

	return ERR_PTR(ret);
}

/*
 * Plan a VM_BIND, and commit it, or queue its job. Return: -EAGAIN if @limit asynchronous calls are
 * queued before it.
 */
static int bind_try(struct nvfifo_bind *bind, int limit)
{
	struct nvfifo_vm *vm = bind->vm;
	int ret;

	CLASS(nvfifo_enter, entered)(vm->ndev);
	if (!entered.is_open)
		return -ENODEV;

	scoped_cond_guard(mutex_intr, return -ERESTARTSYS, &vm->lock) {
		if (atomic_read(&vm->jobs) >= limit)
			return -EAGAIN;

		ret = bind_prepare(vm, bind->ops);
		if (ret)
			return ret;

		if (bind->has_job)
			bind_push(bind);
		else
			ret = bind_commit(bind);
	}

	return ret;
}

/* Wait until less than @limit asynchronous calls are queued, and run a VM_BIND. */
static int bind_start(struct nvfifo_bind *bind, int limit)
{
	struct nvfifo_vm *vm = bind->vm;
	struct nvfifo_device *ndev = vm->ndev;
	int ret;

	do {
		ret = wait_event_interruptible(vm->waiters, atomic_read(&vm->jobs) < limit ||
					       nvfifo_check_ending(ndev));
		if (!ret)
			ret = nvfifo_check_ending(ndev);
		if (ret)
			return ret;

		ret = bind_try(bind, limit);
	} while (ret == -EAGAIN);

	return ret;
}

/* Run both steps of a VM_BIND. */
static int bind_sync(struct nvfifo_vm *vm, struct bind_ops *ops)
{
	struct nvfifo_bind bind = { .vm = vm, .ops = ops };
	int ret;

	INIT_LIST_HEAD(&bind.link);
	ret = bind_start(&bind, 1);
	bind_free_ops(&bind);

	return ret;
}

/* Run the first step of a VM_BIND, and queue the second. */
static int bind_async(struct nvfifo_vm *vm, struct drm_file *file, struct bind_ops *ops,
		      const struct drm_nvfifo_array *user_syncs)
{
	struct nvfifo_bind *bind = kzalloc(sizeof(*bind), GFP_KERNEL_ACCOUNT);
	struct nvfifo_syncs syncs = {};
	int ret = -ENOMEM;

	if (!bind)
		goto err_ops;

	bind->vm = vm;
	bind->ops = ops;
	INIT_LIST_HEAD(&bind->link);
	ret = nvfifo_sched_job_init(&bind->base, &vm->queue.entity, 1, vm, file->client_id);
	if (ret)
		goto err_bind;

	bind->has_job = true;
	ret = nvfifo_syncs_get(vm->ndev, file, user_syncs, "vm_bind.syncs", &syncs);
	if (ret)
		goto err_job;

	ret = nvfifo_syncs_depend(&syncs, &bind->base);
	if (ret)
		goto err_job;

	ret = bind_start(bind, NVFIFO_MAX_BINDS);
	if (ret)
		goto err_job;

	nvfifo_syncs_attach(&syncs, &bind->fence.base);
	dma_fence_put(&bind->fence.base);
	nvfifo_syncs_free(&syncs);

	return 0;

err_job:
	nvfifo_syncs_free(&syncs);
	drm_sched_job_cleanup(&bind->base);
err_bind:
	kfree(bind);
err_ops:
	ops_free(vm, ops);

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
 * Return: 0 or an errno that uapi/nvfifo_drm.h lists.
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
	struct bind_ops *ops;
	int ret;

	ret = nvfifo_check_rule(ndev, "vm_bind", nvfifo_rule_find(rules));
	if (ret)
		return ret;

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	vm = nvfifo_vm_lookup(file, user->vm_id, "vm_bind.vm_id");
	if (!vm)
		return -ENOENT;

	ops = ops_get(vm, file, &user->ops);
	if (IS_ERR(ops))
		return PTR_ERR(ops);

	if (async)
		return bind_async(vm, file, ops, &user->syncs);

	return bind_sync(vm, ops);
}

/* --- Reading ------------------------------------------------------------- */

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
		if (nvfifo_bo_read(c.bo, c.offset, words + n, part * 4))
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
 * Context: Process context, sleeps. Takes nvfifo_vm.lock.
 *
 * Return: number of words that are mapped, from the first one on.
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

	guard(mutex)(&vm->lock);

	return mapped_read(vm, va, words, count);
}
