// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: VRAM and compression tags
 *
 * A buffer gets one extent of VRAM if a free one is large enough, else the largest free extents. So
 * the buffer needs few TLB entries.
 *
 * The compression state of VRAM is in tag cells, a hidden memory of the card. They belong to the
 * buffer, because all mappings of a page must use the same cells.
 */
#include <linux/sched/signal.h>

#include "nvfifo_args.h"
#include "nvfifo_bo.h"
#include "nvfifo_drv.h"
#include "nvfifo_mem.h"

/* --- Compression tags ----------------------------------------------------- */

/**
 * nvfifo_bo_tags_get() - Get compression tag cells for a VRAM buffer
 * @bo: the buffer
 * @comp: compression mode, 1 or 2, which is the number of cells for 64 KiB
 *
 * Return: 0, -EBUSY if the buffer has cells in another mode, -ENOSPC.
 */
int nvfifo_bo_tags_get(struct nvfifo_bo *bo, u8 comp)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	u64 cells = (bo->shmem.base.size >> 16) * comp;
	int ret;

	guard(mutex)(&ndev->mem.lock);

	if (bo->tag_users && bo->comp != comp)
		return nvfifo_fail(ndev, -EBUSY, "the BO is compressed in mode %u", bo->comp);

	if (!bo->tag_users) {
		ret = drm_mm_insert_node(&ndev->mem.tags, &bo->tags, cells);
		if (ret)
			return nvfifo_fail(ndev, ret,
					   "no %llu of the %u compression tag cells are free",
					   cells, ndev->mem.facts.num_tags);

		bo->comp = comp;
		ndev->mem.tags_free -= cells;
	}

	bo->tag_users++;

	return 0;
}

/**
 * nvfifo_bo_tags_put() - Undo one nvfifo_bo_tags_get()
 * @bo: the buffer
 */
void nvfifo_bo_tags_put(struct nvfifo_bo *bo)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);

	guard(mutex)(&ndev->mem.lock);

	if (--bo->tag_users)
		return;

	ndev->mem.tags_free += bo->tags.size;
	drm_mm_remove_node(&bo->tags);
}

/**
 * nvfifo_bo_tag_cells() - Get the number of a buffer's tag cells
 * @bo: the buffer
 *
 * Return: the number, 0 without compressed mappings.
 */
u64 nvfifo_bo_tag_cells(struct nvfifo_bo *bo)
{
	guard(mutex)(&nvfifo_bo_device(bo)->mem.lock);

	return bo->tag_users ? bo->tags.size : 0;
}

/**
 * nvfifo_bo_tag() - Find the tag cell of a place in a buffer
 * @bo: the buffer, which has tag cells
 * @offset: of the place, bytes
 *
 * Return: number of the first cell of these 64 KiB.
 */
u64 nvfifo_bo_tag(const struct nvfifo_bo *bo, u64 offset)
{
	return bo->tags.start + (offset >> 16) * bo->comp;
}

/* --- VRAM ----------------------------------------------------------------- */

/**
 * nvfifo_vram_free() - Free a buffer's VRAM
 * @bo: the buffer, without mappings; nothing happens if it has none
 */
void nvfifo_vram_free(struct nvfifo_bo *bo)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	struct nvfifo_extent *extent, *tmp;

	guard(mutex)(&ndev->mem.lock);

	list_for_each_entry_safe(extent, tmp, &bo->extents, link) {
		ndev->mem.vram_free += extent->node.size;
		drm_mm_remove_node(&extent->node);
		list_del(&extent->link);
		kfree(extent);
	}
}

/**
 * nvfifo_vram_granule() - Get the granularity of a buffer's size
 * @ndev: the device
 * @flags: DRM_NVFIFO_BO_LSR
 *
 * VRAM has two bank orders. Inside a row block, an address in one order names the memory cells of
 * another address in the other order. So memory of both orders must not share a row block. Buffers
 * for LSR kinds, which use the second order, consist of whole row blocks.
 *
 * Return: bytes, a multiple of 64 KiB.
 */
u64 nvfifo_vram_granule(const struct nvfifo_device *ndev, u32 flags)
{
	return flags & DRM_NVFIFO_BO_LSR ? ndev->mem.facts.row_block : SZ_64K;
}

/*
 * Add an extent to a buffer. The limit of a memory cgroup may stall kzalloc() for long, so it comes
 * before the lock, which other clients need. Return: 0, -ENOSPC or -ENOMEM.
 */
static int extent_alloc(struct nvfifo_device *ndev, struct nvfifo_bo *bo, u64 size, u64 align)
{
	struct nvfifo_extent *extent __free(kfree) = kzalloc(sizeof(*extent), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!extent)
		return -ENOMEM;

	/* The end of a VM_BIND takes the lock, and fences wait for it: no allocation inside. */
	guard(mutex)(&ndev->mem.lock);

	ret = drm_mm_insert_node_generic(&ndev->mem.vram, &extent->node, size, align, 0,
					 DRM_MM_INSERT_BEST);
	if (ret)
		return ret;

	ndev->mem.vram_free -= size;
	list_add_tail(&no_free_ptr(extent)->link, &bo->extents);

	return 0;
}

/**
 * nvfifo_vram_alloc() - Allocate a buffer's VRAM, in one extent or in several smaller ones
 * @bo: the buffer
 * @size: bytes, a multiple of nvfifo_vram_granule()
 * @flags: DRM_NVFIFO_BO_CONTIGUOUS, DRM_NVFIFO_BO_LSR
 *
 * The caller clears it by nvfifo_clear_bo(). After an error nvfifo_vram_free() frees the extents
 * that were allocated.
 *
 * Return: 0, -ENOSPC, -ENOMEM, or -EINTR if the process is being killed.
 */
int nvfifo_vram_alloc(struct nvfifo_bo *bo, u64 size, u32 flags)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	const bool contiguous = flags & DRM_NVFIFO_BO_CONTIGUOUS;
	const u64 granule = nvfifo_vram_granule(ndev, flags);
	u64 left = size, part = size;
	int ret = 0;

	scoped_guard(mutex, &ndev->mem.lock)
		if (size > ndev->mem.vram_free)
			ret = -ENOSPC;

	while (left && !ret) {
		if (fatal_signal_pending(current))
			return -EINTR;

		part = min(part, left);
		ret = extent_alloc(ndev, bo, part, granule);
		if (!ret) {
			left -= part;
		} else if (ret == -ENOSPC && !contiguous && part > granule) {
			part = roundup(part / 2, granule);
			ret = 0;
		}
	}

	if (ret)
		drm_dbg(&ndev->drm, "bo_create.size %#llx: not that much%s VRAM is free\n", size,
			contiguous ? " contiguous" : "");

	return ret;
}
