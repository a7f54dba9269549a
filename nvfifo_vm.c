// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Address spaces
 *
 * Which mapping is where is drm_gpuvm's business; nvfifo_mmu.c has the page tables. The last
 * region of 512 MiB belongs to the driver: rings and fences of the channels.
 *
 * A VM_BIND is done in two steps. The first checks everything, allocates, and brings the
 * tree of mappings to its new state; whatever fails undoes it. The second cannot fail for
 * lack of anything: it writes PTEs and flushes the TLBs, at once or, for an asynchronous
 * call, in a job of the address space's scheduler when the fences it waits for are
 * signalled. So the tree is ahead of the page tables by the jobs that wait, and all calls
 * take effect in the order in which they were made.
 *
 * What was unmapped is given back after the flush, when nobody can reach it any more.
 */
#include <linux/scatterlist.h>
#include <linux/sizes.h>

#include <drm/drm_drv.h>

#include "nvfifo_drv.h"
#include "nvfifo_trace.h"

#define VMS_MAX		1024

static u64 vma_end(const struct drm_gpuva *va)
{
	return va->va.addr + va->va.range;
}

/* --- Mappings ------------------------------------------------------------ */

/* Takes over a reference to the buffer. */
static struct nvfifo_vma *vma_create(struct drm_gem_object *obj, u64 pte)
{
	struct nvfifo_vma *vma = kzalloc(sizeof(*vma), GFP_KERNEL_ACCOUNT);

	if (!vma)
		return NULL;
	vma->base.gem.obj = obj;
	vma->pte = pte;
	return vma;
}

static u8 pte_comp(u64 pte)
{
	return pte >> NVFIFO_PTE_COMP_SHIFT & 3;
}

static void vma_free(struct nvfifo_vma *vma)
{
	struct drm_gem_object *obj = vma->base.gem.obj;

	if (pte_comp(vma->pte))
		nvfifo_bo_tags_put(to_nvfifo_bo(obj));
	drm_gem_object_put(obj);
	kfree(vma);
}

/**
 * struct map_context - A mapping that is being written
 * @vm: address space
 * @vma: mapping
 * @va: address of the first page in @addresses
 * @count: pages of system memory that stand alone, gathered
 * @addresses: where they are
 */
struct map_context {
	struct nvfifo_vm *vm;
	struct nvfifo_vma *vma;
	u64 va;
	u32 count;
	u64 addresses[64];
};

static void map_gathered(struct map_context *ctx)
{
	u64 pte = ctx->vma->pte | (u64)NVFIFO_TARGET_SYS_SNOOP << NVFIFO_PTE_TARGET_SHIFT;

	nvfifo_mmu_map_pages(ctx->vm, ctx->va, ctx->count, pte, ctx->addresses);
	ctx->va += (u64)ctx->count << 12;
	ctx->count = 0;
}

static void map_chunk(void *data, const struct nvfifo_chunk *chunk)
{
	struct map_context *ctx = data;
	u64 pte = ctx->vma->pte;

	if (chunk->size == SZ_4K && chunk->target == NVFIFO_TARGET_SYS_SNOOP) {
		ctx->addresses[ctx->count++] = chunk->address;
		if (ctx->count == ARRAY_SIZE(ctx->addresses))
			map_gathered(ctx);
		return;
	}
	map_gathered(ctx);
	/* NOSNOOP, where it is set, has both bits of the target. */
	pte |= chunk->address | (u64)chunk->target << NVFIFO_PTE_TARGET_SHIFT;
	if (pte_comp(pte))
		pte |= nvfifo_bo_tag(to_nvfifo_bo(ctx->vma->base.gem.obj), chunk->offset) <<
		       NVFIFO_PTE_TAG_SHIFT;
	nvfifo_mmu_map(ctx->vm, ctx->va, chunk->size, pte);
	ctx->va += chunk->size;
}

static void vma_map(struct nvfifo_vm *vm, struct nvfifo_vma *vma)
{
	struct map_context ctx = { .vm = vm, .vma = vma, .va = vma->base.va.addr };

	nvfifo_bo_chunks(to_nvfifo_bo(vma->base.gem.obj), vma->base.gem.offset,
			 vma->base.va.range, map_chunk, &ctx);
	map_gathered(&ctx);
}

/**
 * nvfifo_vm_map_kernel() - Map memory of the driver into an address space
 * @vm: address space
 * @node: set to where it is
 * @dma: DMA address, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB
 * @ro_size: bytes at the start that the card may only read
 *
 * Return: 0, -ENOSPC, -ENOMEM, or -EIO or -ENODEV.
 */
int nvfifo_vm_map_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node, dma_addr_t dma, u64 size,
			 u64 ro_size)
{
	struct nvfifo_pte pte = {
		.present = true,
		.target = NVFIFO_TARGET_SYS_SNOOP,
		.address = dma,
		.read_only = true,
	};
	LIST_HEAD(changes);
	int ret;

	mutex_lock(&vm->lock);
	ret = READ_ONCE(vm->broken) ? -EIO : drm_mm_insert_node(&vm->kernel, node, size);
	if (ret)
		goto out;
	ret = nvfifo_mmu_plan_map(vm, node->start, size, NVFIFO_PT_4K, 0, false, &changes);
	if (ret) {
		nvfifo_mmu_plan_undo(vm, &changes);
		drm_mm_remove_node(node);
		goto out;
	}
	mutex_lock(&vm->pt_lock);
	ret = nvfifo_mmu_install(vm, &changes);
	if (!ret) {
		nvfifo_mmu_map(vm, node->start, ro_size, nvfifo_pte_encode(&pte));
		pte.read_only = false;
		pte.address += ro_size;
		nvfifo_mmu_map(vm, node->start + ro_size, size - ro_size, nvfifo_pte_encode(&pte));
		ret = nvfifo_mmu_flush(vm);
	}
	mutex_unlock(&vm->pt_lock);
	/* The card is gone or stuck then, and the address space with it. */
	nvfifo_mmu_changes_free(vm, &changes);
out:
	mutex_unlock(&vm->lock);
	return ret;
}

/* Also after nvfifo_vm_map_kernel() has failed. */
void nvfifo_vm_unmap_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node)
{
	if (!drm_mm_node_allocated(node))
		return;
	mutex_lock(&vm->lock);
	mutex_lock(&vm->pt_lock);
	if (vm->regions[node->start >> NVFIFO_PDE_SHIFT].pt)
		nvfifo_mmu_unmap(vm, node->start, node->size);
	nvfifo_mmu_flush(vm);
	mutex_unlock(&vm->pt_lock);
	nvfifo_mmu_account(vm, node->start, node->size, 0, false);
	drm_mm_remove_node(node);
	mutex_unlock(&vm->lock);
}

/* --- What a VM_BIND does to the tree ------------------------------------- */

/**
 * struct bind_op - One operation on its way
 * @vma: new mapping, NULL for an unmap
 * @va: first address
 * @end: address behind the last
 * @removed: mappings that were taken out of the tree, also those of which a part stays
 * @changes: page tables that come and go with it
 */
struct bind_op {
	struct nvfifo_vma *vma;
	u64 va;
	u64 end;
	struct list_head removed;
	struct list_head changes;
};

/**
 * struct nvfifo_bind - A VM_BIND
 * @base: the scheduler's part, of an asynchronous one
 * @vm: address space
 * @link: in nvfifo_vm.waiting, of an asynchronous one that has not run
 * @fence: its end, referenced
 * @ops: operations
 * @count: number of them
 */
struct nvfifo_bind {
	struct drm_sched_job base;
	struct nvfifo_vm *vm;
	struct list_head link;
	struct dma_fence *fence;
	struct bind_op *ops;
	u32 count;
};

/* What stays of a mapping in front of or behind a cut. */
static struct nvfifo_vma *vma_rest(struct nvfifo_vma *vma)
{
	struct drm_gem_object *obj = vma->base.gem.obj;
	struct nvfifo_vma *new;

	new = vma_create(obj, vma->pte);
	if (!new)
		return NULL;
	drm_gem_object_get(obj);
	/* The mapping that is cut holds the tags, so they cannot run out. */
	if (pte_comp(vma->pte))
		nvfifo_bo_tags_get(to_nvfifo_bo(obj), pte_comp(vma->pte));
	return new;
}

/* The part of a mapping that an operation covers. */
static u64 overlap(const struct bind_op *bop, const struct nvfifo_vma *vma, u64 *size)
{
	u64 va = max(bop->va, vma->base.va.addr);

	*size = min(bop->end, vma_end(&vma->base)) - va;
	return va;
}

static int step_remap(struct drm_gpuva_op *op, void *priv)
{
	struct nvfifo_vma *vma = to_nvfifo_vma(op->remap.unmap->va);
	struct nvfifo_vma *prev = NULL, *next = NULL;
	struct bind_op *bop = priv;

	if (op->remap.prev) {
		prev = vma_rest(vma);
		if (!prev)
			return -ENOMEM;
	}
	if (op->remap.next) {
		next = vma_rest(vma);
		if (!next) {
			if (prev)
				vma_free(prev);
			return -ENOMEM;
		}
	}
	drm_gpuva_remap(prev ? &prev->base : NULL, next ? &next->base : NULL, &op->remap);
	list_add_tail(&vma->link, &bop->removed);
	return 0;
}

static int step_unmap(struct drm_gpuva_op *op, void *priv)
{
	struct bind_op *bop = priv;

	drm_gpuva_unmap(&op->unmap);
	list_add_tail(&to_nvfifo_vma(op->unmap.va)->link, &bop->removed);
	return 0;
}

/* Let page tables have pages that are small enough for a cut. */
static int bind_cut(struct nvfifo_vm *vm, u64 at, u32 i, struct bind_op *bop)
{
	struct drm_gpuva *va = drm_gpuva_find_first(&vm->base, at - 1, 1);
	int ret;

	if (!va || vma_end(va) == at)
		return 0;
	ret = nvfifo_mmu_plan_cut(vm, at, &bop->changes);
	if (ret == -EBUSY)
		drm_dbg(&vm->ndev->drm,
			"vm_bind.ops[%u] cuts at %#llx, a compressed mapping is in the way\n",
			i, at);
	return ret;
}

static int bind_cuts(struct nvfifo_vm *vm, u32 i, struct bind_op *bop)
{
	return bind_cut(vm, bop->va, i, bop) ?: bind_cut(vm, bop->end, i, bop);
}

static int bind_clear(struct nvfifo_vm *vm, struct bind_op *bop)
{
	struct nvfifo_vma *vma;
	u64 va, size;
	int ret;

	ret = drm_gpuvm_sm_unmap(&vm->base, bop, bop->va, bop->end - bop->va);
	list_for_each_entry(vma, &bop->removed, link) {
		va = overlap(bop, vma, &size);
		nvfifo_mmu_plan_unmap(vm, va, size, vma->pte, &bop->changes);
	}
	return ret;
}

/* Put the tree of mappings back as it was; no PTE has been written yet. */
static void bind_undo(struct nvfifo_vm *vm, struct bind_op *bop)
{
	struct nvfifo_vma *vma, *tmp;
	struct drm_gpuva *va, *next;
	u64 at, size;

	if (bop->vma) {
		va = &bop->vma->base;
		drm_gpuva_remove(va);
		nvfifo_mmu_account(vm, va->va.addr, va->va.range, bop->vma->pte, false);
		vma_free(bop->vma);
	}
	list_for_each_entry_safe(vma, tmp, &bop->removed, link) {
		/* What is there now is what was left of it. */
		drm_gpuvm_for_each_va_range_safe(va, next, &vm->base, vma->base.va.addr,
						 vma_end(&vma->base)) {
			drm_gpuva_remove(va);
			vma_free(to_nvfifo_vma(va));
		}
		list_del(&vma->link);
		drm_gpuva_insert(&vm->base, &vma->base);
		at = overlap(bop, vma, &size);
		nvfifo_mmu_account(vm, at, size, vma->pte, true);
	}
	nvfifo_mmu_plan_undo(vm, &bop->changes);
}

/* --- Checks -------------------------------------------------------------- */

#define OP_FLAGS (DRM_NVFIFO_VM_BIND_READ_ONLY | DRM_NVFIFO_VM_BIND_SUPERVISOR | \
		  DRM_NVFIFO_VM_BIND_NOSNOOP | DRM_NVFIFO_VM_BIND_REPLACE | \
		  DRM_NVFIFO_VM_BIND_LONG_CYCLE | DRM_NVFIFO_VM_BIND_ENCRYPTED)

/**
 * nvfifo_kind_valid() - Does the card have a storage type?
 * @ndev: the card
 * @kind: storage type
 *
 * Return: whether it has.
 */
bool nvfifo_kind_valid(const struct nvfifo_device *ndev, u32 kind)
{
	return nvfifo_kind_class(kind) != NVFIFO_KIND_INVALID &&
	       (ndev->chip->chip >= NV_CHIP_G200 || !nvfifo_kind_is_g200(kind));
}

static int check_range(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *op, u32 i)
{
	u64 page = op->page_shift ? 1ULL << op->page_shift : SZ_4K;

	if (!op->range || op->range % page || op->va % page)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].va %#llx or range %#llx is 0 or not a multiple of %#llx",
				     i, op->va, op->range, page);
	if (op->va < NVFIFO_VA_START || op->va >= NVFIFO_VA_END ||
	    op->range > NVFIFO_VA_END - op->va)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].va %#llx with range %#llx is not in %#x to %#llx",
				     i, op->va, op->range, NVFIFO_VA_START, NVFIFO_VA_END);
	if (op->bo_offset % page)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].bo_offset %#llx is not a multiple of %#llx",
				     i, op->bo_offset, page);
	return 0;
}

/* What can be said of an operation without knowing the address space. */
static int check_op(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *op, u32 i)
{
	bool gt215 = ndev->chip->chip >= NV_CHIP_GT215;

	switch (op->op) {
	case DRM_NVFIFO_VM_BIND_OP_MAP:
		break;
	case DRM_NVFIFO_VM_BIND_OP_UNMAP:
		if (op->flags || op->bo_handle || op->bo_offset || op->kind || op->page_shift ||
		    op->compression)
			return nvfifo_einval(ndev,
					     "vm_bind.ops[%u]: an unmap has only va and range",
					     i);
		return check_range(ndev, op, i);
	default:
		return nvfifo_einval(ndev, "vm_bind.ops[%u].op %u is unknown", i, op->op);
	}
	if (op->flags & ~OP_FLAGS)
		return nvfifo_einval(ndev, "vm_bind.ops[%u].flags %#x: unknown bits", i,
				     op->flags);
	if (op->flags & DRM_NVFIFO_VM_BIND_LONG_CYCLE && ndev->chip->g84)
		return nvfifo_einval(ndev, "vm_bind.ops[%u].flags: only G80 has a long cycle", i);
	if (op->flags & DRM_NVFIFO_VM_BIND_ENCRYPTED && !ndev->chip->g84)
		return nvfifo_einval(ndev, "vm_bind.ops[%u].flags: G80 has no encryption", i);
	if (op->page_shift && op->page_shift != 12 && op->page_shift != 16 &&
	    (op->page_shift != 14 || !gt215))
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].page_shift %u is none of 0, 12, %s16", i,
				     op->page_shift, gt215 ? "14, " : "");
	if (!nvfifo_kind_valid(ndev, op->kind))
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].kind %#x is no storage type of this card",
				     i, op->kind);
	if (op->compression > DRM_NVFIFO_COMPRESSION_DOUBLE || (op->compression && !ndev->num_tags))
		return nvfifo_einval(ndev, "vm_bind.ops[%u].compression %u is not in 0 to %u", i,
				     op->compression, ndev->num_tags ? 2 : 0);
	return check_range(ndev, op, i);
}

static bool is_large(const struct drm_nvfifo_vm_bind_op *op)
{
	return !((op->va | op->range | op->bo_offset) & (SZ_64K - 1));
}

static int check_map(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *op, u32 i,
		     const struct nvfifo_bo *bo)
{
	u64 size = bo->shmem.base.size;
	bool vram = bo->domain == DRM_NVFIFO_DOMAIN_VRAM;

	if (op->bo_offset > size || op->range > size - op->bo_offset)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].bo_offset %#llx with range %#llx is outside of the BO's %#llx bytes",
				     i, op->bo_offset, op->range, size);
	if (op->page_shift > 12 && !vram)
		return nvfifo_einval(ndev, "vm_bind.ops[%u].page_shift %u needs a VRAM BO", i,
				     op->page_shift);
	if (op->kind && !vram && !ndev->chip->g84)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].kind %#x: G80 has none for system memory",
				     i, op->kind);
	if (op->flags & DRM_NVFIFO_VM_BIND_NOSNOOP && !bo->shmem.map_wc)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].flags: NOSNOOP needs system memory with BO_WC",
				     i);
	if (op->flags & DRM_NVFIFO_VM_BIND_LONG_CYCLE && !vram)
		return nvfifo_einval(ndev, "vm_bind.ops[%u].flags: LONG_CYCLE needs a VRAM BO", i);
	if (op->flags & DRM_NVFIFO_VM_BIND_ENCRYPTED && vram)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].flags: ENCRYPTED needs system memory", i);
	if (op->compression && (!vram || !is_large(op) || (op->page_shift && op->page_shift != 16)))
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].compression %u needs a VRAM BO and 64 KiB pages",
				     i, op->compression);
	return 0;
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

/* Takes over @vma if it succeeds. */
static int bind_insert(struct nvfifo_vm *vm, const struct drm_nvfifo_vm_bind_op *op, u32 i,
		       struct nvfifo_vma *vma, struct bind_op *bop)
{
	bool replace = op->flags & DRM_NVFIFO_VM_BIND_REPLACE;
	struct nvfifo_bo *bo = to_nvfifo_bo(vma->base.gem.obj);
	int ret;

	if (!replace && !drm_gpuvm_interval_empty(&vm->base, op->va, op->range)) {
		drm_dbg(&vm->ndev->drm,
			"vm_bind.ops[%u].va %#llx, range %#llx: something is mapped there\n", i,
			op->va, op->range);
		return -EEXIST;
	}
	ret = replace ? bind_cuts(vm, i, bop) : 0;
	if (ret)
		return ret;
	ret = nvfifo_mmu_plan_map(vm, op->va, op->range, op_pt_type(op, bo), vma->pte,
				  op->page_shift > 12, &bop->changes);
	if (ret) {
		drm_dbg(&vm->ndev->drm,
			"vm_bind.ops[%u].va %#llx: no page table for it, error %d%s\n", i, op->va,
			ret, ret == -EBUSY ? ": the region has pages of another size" : "");
		return ret;
	}
	ret = replace ? bind_clear(vm, bop) : 0;
	if (!ret) {
		vma->base.va.addr = op->va;
		vma->base.va.range = op->range;
		vma->base.gem.offset = op->bo_offset;
		ret = drm_gpuva_insert(&vm->base, &vma->base);
	}
	if (ret)
		nvfifo_mmu_account(vm, op->va, op->range, vma->pte, false);
	else
		bop->vma = vma;
	return ret;
}

static int bind_map(struct nvfifo_vm *vm, struct drm_file *file,
		    const struct drm_nvfifo_vm_bind_op *op, u32 i, struct bind_op *bop)
{
	struct nvfifo_device *ndev = vm->ndev;
	struct drm_gem_object *obj;
	struct nvfifo_vma *vma;
	struct nvfifo_bo *bo;
	int ret;

	obj = drm_gem_object_lookup(file, op->bo_handle);
	if (!obj) {
		drm_dbg(&ndev->drm, "vm_bind.ops[%u].bo_handle %u is unknown\n", i, op->bo_handle);
		return -ENOENT;
	}
	bo = to_nvfifo_bo(obj);
	ret = check_map(ndev, op, i, bo);
	if (!ret)
		ret = nvfifo_bo_pin(bo);
	if (!ret && op->compression)
		ret = nvfifo_bo_tags_get(bo, op->compression);
	if (ret)
		goto err_obj;
	vma = vma_create(obj, op_pte(op));
	if (!vma) {
		if (op->compression)
			nvfifo_bo_tags_put(bo);
		ret = -ENOMEM;
		goto err_obj;
	}
	ret = bind_insert(vm, op, i, vma, bop);
	if (ret)
		vma_free(vma);
	return ret;

err_obj:
	drm_gem_object_put(obj);
	return ret;
}

/* The first step: all or nothing. */
static int bind_prepare(struct nvfifo_bind *bind, struct drm_file *file,
			const struct drm_nvfifo_vm_bind_op *ops)
{
	struct nvfifo_vm *vm = bind->vm;
	int ret = READ_ONCE(vm->broken) ? -EIO : 0;
	u32 i;

	for (i = 0; i < bind->count && !ret; i++) {
		struct bind_op *bop = &bind->ops[i];

		INIT_LIST_HEAD(&bop->removed);
		INIT_LIST_HEAD(&bop->changes);
		bop->va = ops[i].va;
		bop->end = ops[i].va + ops[i].range;
		if (ops[i].op == DRM_NVFIFO_VM_BIND_OP_MAP)
			ret = bind_map(vm, file, &ops[i], i, bop);
		else
			ret = bind_cuts(vm, i, bop) ?: bind_clear(vm, bop);
	}
	if (ret)
		while (i--)
			bind_undo(vm, &bind->ops[i]);
	return ret;
}

static int commit_op(struct nvfifo_vm *vm, struct bind_op *bop)
{
	struct nvfifo_vma *vma;
	u64 va, size;
	int ret;

	ret = nvfifo_mmu_install(vm, &bop->changes);
	if (ret)
		return ret;
	/* A new mapping takes the place of what it replaces. */
	if (bop->vma) {
		vma_map(vm, bop->vma);
		trace_nvfifo_bind(vm, bop->va, bop->end - bop->va, bop->vma->pte);
	} else {
		list_for_each_entry(vma, &bop->removed, link) {
			va = overlap(bop, vma, &size);
			nvfifo_mmu_unmap(vm, va, size);
			trace_nvfifo_bind(vm, va, size, 0);
		}
	}
	nvfifo_mmu_remove(vm, &bop->changes);
	return 0;
}

/* The second step. Allocates nothing, and waits for nothing but the card. */
static int bind_commit(struct nvfifo_bind *bind)
{
	struct nvfifo_vm *vm = bind->vm;
	u32 i;
	int ret;

	mutex_lock(&vm->pt_lock);
	list_del_init(&bind->link);
	ret = vm->closed ? -ECANCELED : vm->broken ? -EIO : nvfifo_usable(vm->ndev);
	for (i = 0; i < bind->count && !ret; i++)
		ret = commit_op(vm, &bind->ops[i]);
	if (!ret && bind->count)
		ret = nvfifo_mmu_flush(vm);
	mutex_unlock(&vm->pt_lock);
	return ret;
}

/* Nobody can reach what was unmapped: the TLBs were flushed, or the card is off the bus. */
static void leftovers_free(struct nvfifo_vm *vm, struct list_head *removed,
			   struct list_head *changes)
{
	struct nvfifo_vma *vma, *tmp;

	list_for_each_entry_safe(vma, tmp, removed, link)
		vma_free(vma);
	nvfifo_mmu_changes_free(vm, changes);
}

static void bind_free(struct nvfifo_bind *bind)
{
	u32 i;

	for (i = 0; i < bind->count && bind->ops[i].removed.next; i++)
		leftovers_free(bind->vm, &bind->ops[i].removed, &bind->ops[i].changes);
	dma_fence_put(bind->fence);
	kvfree(bind->ops);
	kfree(bind);
}

/* --- Asynchronous calls -------------------------------------------------- */

static void shell_free(struct nvfifo_vm *vm)
{
	struct nvfifo_device *ndev = vm->ndev;

	if (vm->sched.ops) {
		drm_sched_entity_fini(&vm->entity);
		drm_sched_fini(&vm->sched);
	}
	mutex_destroy(&vm->pt_lock);
	mutex_destroy(&vm->lock);
	drm_gpuvm_put(&vm->base);
	nvfifo_live_put(ndev);
}

static void shell_work(struct work_struct *work)
{
	shell_free(container_of(work, struct nvfifo_vm, work));
}

/* A scheduler cannot be taken down from its own work, which frees the jobs. */
static void shell_release(struct kref *shell)
{
	struct nvfifo_vm *vm = container_of(shell, struct nvfifo_vm, shell);

	if (vm->sched.ops)
		queue_work(nvfifo_wq, &vm->work);
	else
		shell_free(vm);
}

static struct dma_fence *bind_run(struct drm_sched_job *base)
{
	struct nvfifo_bind *bind = container_of(base, struct nvfifo_bind, base);
	int ret, idx;

	if (!drm_dev_enter(&bind->vm->ndev->drm, &idx))
		return ERR_PTR(-ENODEV);
	ret = bind_commit(bind);
	drm_dev_exit(idx);
	return ERR_PTR(ret);
}

static void bind_job_free(struct drm_sched_job *base)
{
	struct nvfifo_bind *bind = container_of(base, struct nvfifo_bind, base);
	struct nvfifo_vm *vm = bind->vm;

	mutex_lock(&vm->pt_lock);
	list_del_init(&bind->link);
	mutex_unlock(&vm->pt_lock);
	drm_sched_job_cleanup(base);
	bind_free(bind);
	if (atomic_dec_and_test(&vm->jobs))
		wake_up_all(&vm->ndev->waiters);
	kref_put(&vm->shell, shell_release);
}

static const struct drm_sched_backend_ops bind_sched_ops = {
	.run_job = bind_run,
	.free_job = bind_job_free,
};

static int sched_start(struct nvfifo_vm *vm)
{
	if (vm->sched.ops)
		return 0;
	vm->fence_context = dma_fence_context_alloc(1);
	return nvfifo_queue_init(vm->ndev, &vm->sched, &vm->entity, &bind_sched_ops, 1);
}

static int bind_async(struct nvfifo_bind *bind, struct drm_file *file,
		      const struct drm_nvfifo_vm_bind *args,
		      const struct drm_nvfifo_vm_bind_op *ops)
{
	struct nvfifo_vm *vm = bind->vm;
	struct nvfifo_syncs syncs = {};
	struct nvfifo_done *done;
	struct dma_fence *fence;
	int ret;

	mutex_lock(&vm->lock);
	ret = sched_start(vm);
	mutex_unlock(&vm->lock);
	if (!ret)
		ret = nvfifo_sched_job_init(&bind->base, &vm->entity, 1, vm, file->client_id);
	if (ret) {
		bind_free(bind);
		return ret;
	}
	done = nvfifo_done_alloc();
	ret = done ? nvfifo_syncs_get(vm->ndev, file, &args->syncs, "vm_bind.syncs", &syncs) :
		     -ENOMEM;
	if (!ret)
		ret = nvfifo_syncs_depend(&syncs, &bind->base);
	if (ret)
		goto err_job;

	/* The order of the jobs is that of their changes of the tree. */
	mutex_lock(&vm->lock);
	ret = bind_prepare(bind, file, ops);
	if (ret) {
		mutex_unlock(&vm->lock);
		goto err_job;
	}
	atomic_inc(&vm->jobs);
	kref_get(&vm->shell);
	drm_sched_job_arm(&bind->base);
	fence = nvfifo_done_start(done, vm->fence_context, ++vm->binds, &bind->base);
	bind->fence = dma_fence_get(fence);
	mutex_lock(&vm->pt_lock);
	list_add_tail(&bind->link, &vm->waiting);
	mutex_unlock(&vm->pt_lock);
	drm_sched_entity_push_job(&bind->base);
	mutex_unlock(&vm->lock);

	nvfifo_syncs_attach(&syncs, fence);
	dma_fence_put(fence);
	nvfifo_syncs_free(&syncs);
	return 0;

err_job:
	nvfifo_syncs_free(&syncs);
	kfree(done);
	drm_sched_job_cleanup(&bind->base);
	bind_free(bind);
	return ret;
}

static int bind_sync(struct nvfifo_bind *bind, struct drm_file *file,
		     const struct drm_nvfifo_vm_bind_op *ops)
{
	struct nvfifo_vm *vm = bind->vm;
	struct nvfifo_device *ndev = vm->ndev;
	int ret;

	for (;;) {
		ret = wait_event_interruptible(ndev->waiters, !atomic_read(&vm->jobs) ||
					       READ_ONCE(ndev->removing));
		if (!ret && READ_ONCE(ndev->removing))
			ret = -ENODEV;
		if (ret)
			goto out;
		mutex_lock(&vm->lock);
		if (!atomic_read(&vm->jobs))
			break;
		mutex_unlock(&vm->lock);
	}
	ret = bind_prepare(bind, file, ops);
	if (!ret)
		ret = bind_commit(bind);
	mutex_unlock(&vm->lock);
out:
	bind_free(bind);
	return ret;
}

/* --- Address spaces ------------------------------------------------------ */

static void vm_free(struct drm_gpuvm *gpuvm)
{
	kvfree(container_of(gpuvm, struct nvfifo_vm, base));
}

static const struct drm_gpuvm_ops nvfifo_gpuvm_ops = {
	.vm_free = vm_free,
	.sm_step_remap = step_remap,
	.sm_step_unmap = step_unmap,
};

/**
 * nvfifo_vm_detach_all() - Free the page tables of a card that is being removed
 * @ndev: the card, with no channel alive
 */
void nvfifo_vm_detach_all(struct nvfifo_device *ndev)
{
	struct nvfifo_vm *vm;

	mutex_lock(&ndev->objects_lock);
	list_for_each_entry(vm, &ndev->vms, link)
		nvfifo_mmu_free_tables(vm);
	mutex_unlock(&ndev->objects_lock);
}

/*
 * What waits is not done any more: its fences end, and what it has is given back. The
 * scheduler keeps the jobs themselves until what they wait for is signalled.
 */
static void cancel_waiting(struct nvfifo_vm *vm)
{
	struct nvfifo_bind *bind, *tmp;
	LIST_HEAD(removed);
	LIST_HEAD(changes);
	u32 i;

	mutex_lock(&vm->pt_lock);
	vm->closed = true;
	list_for_each_entry_safe(bind, tmp, &vm->waiting, link) {
		list_del_init(&bind->link);
		nvfifo_done_cancel(bind->fence, &bind->base);
		for (i = 0; i < bind->count; i++) {
			list_splice_init(&bind->ops[i].removed, &removed);
			list_splice_init(&bind->ops[i].changes, &changes);
		}
	}
	mutex_unlock(&vm->pt_lock);
	leftovers_free(vm, &removed, &changes);
}

/* File and channels are gone: nobody can use it. */
static void vm_release(struct kref *ref)
{
	struct nvfifo_vm *vm = container_of(ref, struct nvfifo_vm, ref);
	struct nvfifo_device *ndev = vm->ndev;
	struct drm_gpuva *va, *next;

	nvfifo_debugfs_remove_vm(vm);
	cancel_waiting(vm);
	drm_gpuvm_for_each_va_safe(va, next, &vm->base) {
		drm_gpuva_remove(va);
		vma_free(to_nvfifo_vma(va));
	}
	mutex_lock(&ndev->objects_lock);
	list_del(&vm->link);
	nvfifo_mmu_free_tables(vm);
	mutex_unlock(&ndev->objects_lock);
	drm_mm_takedown(&vm->kernel);
	kref_put(&vm->shell, shell_release);
}

void nvfifo_vm_put(struct nvfifo_vm *vm)
{
	kref_put(&vm->ref, vm_release);
}

static struct nvfifo_vm *vm_create(struct nvfifo_device *ndev)
{
	struct drm_gem_object *resv;
	struct nvfifo_vm *vm;

	vm = kvzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);
	if (!vm)
		return ERR_PTR(-ENOMEM);
	resv = drm_gpuvm_resv_object_alloc(&ndev->drm);
	if (!resv) {
		kvfree(vm);
		return ERR_PTR(-ENOMEM);
	}
	drm_gpuvm_init(&vm->base, NVFIFO_NAME, 0, &ndev->drm, resv, NVFIFO_VA_START,
		       NVFIFO_VA_END - NVFIFO_VA_START, 0, 0, &nvfifo_gpuvm_ops);
	drm_gem_object_put(resv);
	nvfifo_live_get(ndev);
	kref_init(&vm->ref);
	kref_init(&vm->shell);
	mutex_init(&vm->lock);
	INIT_WORK(&vm->work, shell_work);
	nvfifo_mmu_init(vm, ndev);
	drm_mm_init(&vm->kernel, NVFIFO_VA_END, (1ULL << NVFIFO_VA_BITS) - NVFIFO_VA_END);
	mutex_lock(&ndev->objects_lock);
	list_add_tail(&vm->link, &ndev->vms);
	vm->serial = ++ndev->vm_serial;
	mutex_unlock(&ndev->objects_lock);
	nvfifo_debugfs_add_vm(vm);
	return vm;
}

/**
 * nvfifo_vm_lookup() - Find an address space of a file
 * @nfile: the file
 * @id: its name
 *
 * Return: the address space with a reference, NULL if there is none.
 */
struct nvfifo_vm *nvfifo_vm_lookup(struct nvfifo_file *nfile, u32 id)
{
	struct nvfifo_vm *vm;

	mutex_lock(&nfile->lock);
	vm = xa_load(&nfile->vms, id);
	if (vm)
		kref_get(&vm->ref);
	mutex_unlock(&nfile->lock);
	return vm;
}

int nvfifo_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_vm_create *args = data;
	struct nvfifo_vm *vm;
	int ret;

	if (args->flags)
		return nvfifo_einval(ndev, "vm_create.flags %#x is not 0", args->flags);
	ret = nvfifo_usable(ndev);
	if (ret)
		return ret;
	vm = vm_create(ndev);
	if (IS_ERR(vm))
		return PTR_ERR(vm);
	mutex_lock(&nfile->lock);
	ret = xa_alloc(&nfile->vms, &args->id, vm, XA_LIMIT(1, VMS_MAX), GFP_KERNEL);
	mutex_unlock(&nfile->lock);
	if (ret) {
		nvfifo_vm_put(vm);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	return 0;
}

int nvfifo_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct drm_nvfifo_vm_destroy *args = data;
	struct nvfifo_vm *vm;

	if (args->pad)
		return nvfifo_einval(to_nvfifo(drm), "vm_destroy.pad %#x is not 0", args->pad);
	mutex_lock(&nfile->lock);
	vm = xa_erase(&nfile->vms, args->id);
	mutex_unlock(&nfile->lock);
	if (!vm) {
		drm_dbg(drm, "vm_destroy.id %u is unknown\n", args->id);
		return -ENOENT;
	}
	nvfifo_vm_put(vm);
	return 0;
}

/* The file is closed and its channels are gone. */
void nvfifo_vm_free_all(struct nvfifo_file *nfile)
{
	struct nvfifo_vm *vm;
	unsigned long id;

	xa_for_each(&nfile->vms, id, vm)
		nvfifo_vm_put(vm);
	xa_destroy(&nfile->vms);
}

/* --- VM_BIND ------------------------------------------------------------- */

static struct nvfifo_bind *bind_create(struct nvfifo_vm *vm, u32 count)
{
	struct nvfifo_bind *bind = kzalloc(sizeof(*bind), GFP_KERNEL_ACCOUNT);

	if (!bind)
		return NULL;
	bind->vm = vm;
	INIT_LIST_HEAD(&bind->link);
	bind->count = count;
	bind->ops = kvcalloc(count, sizeof(*bind->ops), GFP_KERNEL_ACCOUNT);
	if (count && !bind->ops) {
		kfree(bind);
		return NULL;
	}
	return bind;
}

static int bind_ops(struct nvfifo_vm *vm, struct drm_file *file,
		    struct drm_nvfifo_vm_bind *args)
{
	struct nvfifo_device *ndev = vm->ndev;
	struct drm_nvfifo_vm_bind_op *ops;
	struct nvfifo_bind *bind;
	int ret = 0;
	u32 i;

	ops = nvfifo_array_get(ndev, &args->ops, sizeof(*ops), NVFIFO_MAX_BIND_OPS, "vm_bind.ops");
	if (IS_ERR(ops))
		return PTR_ERR(ops);
	for (i = 0; i < args->ops.count && !ret; i++)
		ret = check_op(ndev, &ops[i], i);
	if (!ret) {
		bind = bind_create(vm, args->ops.count);
		if (!bind)
			ret = -ENOMEM;
		else if (args->flags & DRM_NVFIFO_VM_BIND_ASYNC)
			ret = bind_async(bind, file, args, ops);
		else
			ret = bind_sync(bind, file, ops);
	}
	kvfree(ops);
	return ret;
}

int nvfifo_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_vm_bind *args = data;
	struct nvfifo_vm *vm;
	int ret;

	if (args->flags & ~DRM_NVFIFO_VM_BIND_ASYNC)
		return nvfifo_einval(ndev, "vm_bind.flags %#x: unknown bits", args->flags);
	if (args->syncs.count && !(args->flags & DRM_NVFIFO_VM_BIND_ASYNC))
		return nvfifo_einval(ndev, "vm_bind.syncs.count %u without ASYNC",
				     args->syncs.count);
	ret = nvfifo_usable(ndev);
	if (ret)
		return ret;
	vm = nvfifo_vm_lookup(nfile, args->vm_id);
	if (!vm) {
		drm_dbg(drm, "vm_bind.vm_id %u is unknown\n", args->vm_id);
		return -ENOENT;
	}
	ret = bind_ops(vm, file, args);
	nvfifo_vm_put(vm);
	return ret;
}
