// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Buffers
 *
 * System memory comes from the shmem helper, cached and snooped by the card. VRAM is
 * one contiguous piece, so that a buffer of any size needs few TLB entries; user
 * space sees it through BAR1, in a window that exists from the first page fault until
 * the buffer goes.
 *
 * VRAM is cleared when it is given out, as it may hold what another process left.
 * Without PGRAPH the CPU has to do it, word by word.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include <drm/drm_drv.h>

#include "nvfifo_drv.h"

static void nvfifo_bo_free(struct drm_gem_object *obj)
{
	struct nvfifo_device *ndev = to_nvfifo(obj->dev);
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);
	int idx;

	mutex_lock(&ndev->objects_lock);
	list_del(&bo->link);
	mutex_unlock(&ndev->objects_lock);
	mutex_destroy(&bo->bar1_lock);
	if (bo->domain == DRM_NVFIFO_DOMAIN_SYSTEM) {
		drm_gem_shmem_free(&bo->shmem);
		return;
	}
	if (drm_mm_node_allocated(&bo->bar1)) {
		if (drm_dev_enter(obj->dev, &idx)) {
			nvfifo_bar1_unmap(ndev, &bo->bar1);
			drm_dev_exit(idx);
		} else {
			mutex_lock(&ndev->mem_lock);
			drm_mm_remove_node(&bo->bar1);
			mutex_unlock(&ndev->mem_lock);
		}
	}
	mutex_lock(&ndev->mem_lock);
	if (drm_mm_node_allocated(&bo->vram)) {
		ndev->vram_free += bo->vram.size;
		drm_mm_remove_node(&bo->vram);
	}
	mutex_unlock(&ndev->mem_lock);
	drm_gem_object_release(obj);
	kfree(bo);
}

/**
 * nvfifo_bo_detach_all() - Take system memory away from a card that is being removed
 * @ndev: the card, with no channel alive
 *
 * Files and mappings keep the pages. What the DMA layer knows of them goes with the
 * device.
 */
void nvfifo_bo_detach_all(struct nvfifo_device *ndev)
{
	struct nvfifo_bo *bo;

	mutex_lock(&ndev->objects_lock);
	list_for_each_entry(bo, &ndev->bos, link) {
		struct drm_gem_object *obj = &bo->shmem.base;
		struct sg_table *sgt = bo->shmem.sgt;

		if (!sgt)
			continue;
		bo->shmem.sgt = NULL;
		if (obj->import_attach) {
			dma_buf_unmap_attachment_unlocked(obj->import_attach, sgt,
							  DMA_BIDIRECTIONAL);
			continue;
		}
		dma_unmap_sgtable(ndev->drm.dev, sgt, DMA_BIDIRECTIONAL, 0);
		sg_free_table(sgt);
		kfree(sgt);
	}
	mutex_unlock(&ndev->objects_lock);
}

static const struct drm_gem_object_funcs nvfifo_system_funcs = {
	.free = nvfifo_bo_free,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = drm_gem_shmem_object_mmap,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

static vm_fault_t nvfifo_vram_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct drm_gem_object *obj = vma->vm_private_data;
	struct nvfifo_device *ndev = to_nvfifo(obj->dev);
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);
	unsigned long offset = vmf->address - vma->vm_start;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	int err = 0, idx;
	u64 bar1;

	if (!drm_dev_enter(obj->dev, &idx))
		return ret;
	mutex_lock(&bo->bar1_lock);
	if (!drm_mm_node_allocated(&bo->bar1))
		err = nvfifo_bar1_map(ndev, &bo->bar1, bo->vram.start, bo->vram.size, 0);
	if (!err) {
		bar1 = pci_resource_start(ndev->pdev, 1) + (bo->bar1.start << 16) + offset;
		ret = vmf_insert_pfn(vma, vmf->address, bar1 >> PAGE_SHIFT);
	}
	mutex_unlock(&bo->bar1_lock);
	drm_dev_exit(idx);
	return ret;
}

static const struct vm_operations_struct nvfifo_vram_vm_ops = {
	.fault = nvfifo_vram_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

static int nvfifo_vram_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	/* UML's BARs are messages to the device, there is no page to map. */
	if (IS_ENABLED(CONFIG_UML)) {
		drm_dbg(obj->dev, "VRAM cannot be mapped in User Mode Linux\n");
		return -EOPNOTSUPP;
	}
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_page_prot = pgprot_writecombine(vm_get_page_prot(vma->vm_flags));
	return 0;
}

/* Other devices would have to go through BAR1, peer to peer. */
static struct dma_buf *nvfifo_vram_export(struct drm_gem_object *obj, int flags)
{
	drm_dbg(obj->dev, "VRAM cannot be exported\n");
	return ERR_PTR(-EOPNOTSUPP);
}

static const struct drm_gem_object_funcs nvfifo_vram_funcs = {
	.free = nvfifo_bo_free,
	.export = nvfifo_vram_export,
	.mmap = nvfifo_vram_mmap,
	.vm_ops = &nvfifo_vram_vm_ops,
};

/* Called by the shmem helper for system memory, imported dma-bufs included. */
struct drm_gem_object *nvfifo_gem_create_object(struct drm_device *drm, size_t size)
{
	struct nvfifo_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	mutex_init(&bo->bar1_lock);
	INIT_LIST_HEAD(&bo->link);
	bo->domain = DRM_NVFIFO_DOMAIN_SYSTEM;
	bo->shmem.base.funcs = &nvfifo_system_funcs;
	return &bo->shmem.base;
}

static void bo_link(struct nvfifo_device *ndev, struct nvfifo_bo *bo)
{
	mutex_lock(&ndev->objects_lock);
	list_add_tail(&bo->link, &ndev->bos);
	mutex_unlock(&ndev->objects_lock);
}

struct drm_gem_object *nvfifo_prime_import_sg_table(struct drm_device *drm,
						    struct dma_buf_attachment *attach,
						    struct sg_table *sgt)
{
	struct drm_gem_object *obj = drm_gem_shmem_prime_import_sg_table(drm, attach, sgt);

	if (!IS_ERR(obj))
		bo_link(to_nvfifo(drm), to_nvfifo_bo(obj));
	return obj;
}

/* Some gigabytes take a while, word by word. */
static int vram_clear(struct nvfifo_device *ndev, u64 addr, u64 size)
{
	u64 done;

	for (done = 0; done < size; done += SZ_64K) {
		if (fatal_signal_pending(current))
			return -EINTR;
		nvfifo_vram_fill(ndev, addr + done, SZ_64K, 0);
		cond_resched();
	}
	return nvfifo_bar_flush(ndev);
}

static struct drm_gem_object *bo_create_vram(struct nvfifo_device *ndev, u64 size)
{
	struct drm_gem_object *obj;
	struct nvfifo_bo *bo;
	int ret;

	obj = nvfifo_gem_create_object(&ndev->drm, size);
	if (IS_ERR(obj))
		return obj;
	bo = to_nvfifo_bo(obj);
	bo->domain = DRM_NVFIFO_DOMAIN_VRAM;
	obj->funcs = &nvfifo_vram_funcs;
	drm_gem_private_object_init(&ndev->drm, obj, size);

	mutex_lock(&ndev->mem_lock);
	ret = drm_mm_insert_node_generic(&ndev->vram, &bo->vram, size, SZ_64K, 0,
					 DRM_MM_INSERT_BEST);
	if (!ret)
		ndev->vram_free -= size;
	mutex_unlock(&ndev->mem_lock);
	if (ret) {
		drm_dbg(&ndev->drm, "bo_create.size %#llx: no such piece of VRAM is free\n", size);
		goto err;
	}
	ret = vram_clear(ndev, bo->vram.start, size);
	if (!ret)
		ret = drm_gem_create_mmap_offset(obj);
	if (ret)
		goto err;
	return obj;

err:
	drm_gem_object_put(obj);
	return ERR_PTR(ret);
}

static struct drm_gem_object *bo_create(struct nvfifo_device *ndev, u64 size, u32 domain)
{
	struct drm_gem_shmem_object *shmem;

	if (domain == DRM_NVFIFO_DOMAIN_VRAM)
		return bo_create_vram(ndev, size);
	shmem = drm_gem_shmem_create(&ndev->drm, size);
	if (IS_ERR(shmem))
		return ERR_CAST(shmem);
	bo_link(ndev, to_nvfifo_bo(&shmem->base));
	return &shmem->base;
}

int nvfifo_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_bo_create *args = data;
	struct drm_gem_object *obj;
	u64 size;
	int ret;

	if (!args->size || args->size > 1ULL << NVFIFO_VA_BITS)
		return nvfifo_einval(ndev, "bo_create.size %#llx is not in 1 to 2^40", args->size);
	if (args->domain > DRM_NVFIFO_DOMAIN_VRAM)
		return nvfifo_einval(ndev, "bo_create.domain %u is unknown", args->domain);
	if (args->flags || args->pad)
		return nvfifo_einval(ndev, "bo_create.flags %#x or pad %#x is not 0", args->flags,
				     args->pad);
	ret = nvfifo_usable(ndev);
	if (ret)
		return ret;

	if (args->domain == DRM_NVFIFO_DOMAIN_VRAM) {
		size = round_up(args->size, SZ_64K);
		if (size > ndev->vram_size)
			return -ENOSPC;
	} else {
		size = round_up(args->size, SZ_4K);
		if (size >> PAGE_SHIFT > totalram_pages())
			return -ENOMEM;
	}

	obj = bo_create(ndev, size, args->domain);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = drm_gem_handle_create(file, obj, &args->handle);
	if (!ret) {
		args->size = size;
		args->mmap_offset = drm_vma_node_offset_addr(&obj->vma_node);
	}
	drm_gem_object_put(obj);
	return ret;
}

int nvfifo_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nvfifo_bo_info *args = data;
	struct drm_gem_object *obj;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj) {
		drm_dbg(drm, "bo_info.handle %u is unknown\n", args->handle);
		return -ENOENT;
	}
	args->domain = to_nvfifo_bo(obj)->domain;
	args->size = obj->size;
	args->mmap_offset = drm_vma_node_offset_addr(&obj->vma_node);
	drm_gem_object_put(obj);
	return 0;
}
