// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Buffers
 *
 * System memory comes from the shmem helper, cached and snooped by the card, or
 * write-combined. VRAM is one contiguous piece where there is one, so that a buffer of
 * any size needs few TLB entries, else the largest pieces that are free.
 *
 * User space sees VRAM through BAR1, which is smaller than VRAM: windows of 4 MiB
 * appear at a page fault, and the least recently used ones make room for others.
 *
 * VRAM is cleared when it is given out, as it may hold what another process left.
 *
 * Compressed VRAM has its compression state in tag cells of a hidden memory. They belong
 * to the buffer, as two mappings of a page must agree about them.
 */
#include <linux/ctype.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include <drm/drm_drv.h>

#include "nvfifo_drv.h"

#define WINDOW_BYTES	SZ_4M

/**
 * struct nvfifo_window - A part of a VRAM buffer that BAR1 shows
 * @node: place in BAR1, in pages of 64 KiB
 * @bo: buffer
 * @offset: bytes from the buffer's start, a multiple of WINDOW_BYTES
 * @size: bytes
 * @link: in nvfifo_bo.windows
 * @lru: in nvfifo_device.windows
 */
struct nvfifo_window {
	struct drm_mm_node node;
	struct nvfifo_bo *bo;
	u64 offset;
	u64 size;
	struct list_head link;
	struct list_head lru;
};

/* --- Memory of a buffer -------------------------------------------------- */

static void vram_chunks(struct nvfifo_bo *bo, u64 offset, u64 size,
			void (*fn)(void *data, const struct nvfifo_chunk *chunk), void *data)
{
	struct nvfifo_device *ndev = to_nvfifo(bo->shmem.base.dev);
	struct nvfifo_piece *piece;
	u64 at = 0;

	list_for_each_entry(piece, &bo->pieces, link) {
		u64 skip = max(offset, at) - at;

		if (skip < piece->node.size) {
			struct nvfifo_chunk chunk = {
				.offset = at + skip,
				.size = min(piece->node.size - skip, offset + size - (at + skip)),
			};

			chunk.address = nvfifo_pte_vram(ndev, piece->node.start + skip,
							&chunk.target);
			fn(data, &chunk);
		}
		at += piece->node.size;
		if (at >= offset + size)
			return;
	}
}

/**
 * nvfifo_bo_chunks() - Go through the contiguous parts of a buffer
 * @bo: buffer, pinned
 * @offset: first byte, a multiple of 4 KiB
 * @size: bytes of the buffer, a multiple of 4 KiB, not 0
 * @fn: called for each part in order
 * @data: for @fn
 */
void nvfifo_bo_chunks(struct nvfifo_bo *bo, u64 offset, u64 size,
		      void (*fn)(void *data, const struct nvfifo_chunk *chunk), void *data)
{
	struct scatterlist *sg;
	unsigned int i;
	u64 at = 0;

	if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM) {
		vram_chunks(bo, offset, size, fn, data);
		return;
	}
	for_each_sgtable_dma_sg(bo->shmem.sgt, sg, i) {
		u64 skip = max(offset, at) - at;

		if (skip < sg_dma_len(sg)) {
			const struct nvfifo_chunk chunk = {
				.offset = at + skip,
				.size = min(sg_dma_len(sg) - skip, offset + size - (at + skip)),
				.address = sg_dma_address(sg) + skip,
				.target = NVFIFO_TARGET_SYS_SNOOP,
			};

			fn(data, &chunk);
		}
		at += sg_dma_len(sg);
		if (at >= offset + size)
			return;
	}
}

/* Have system memory present, and known to the DMA layer, for as long as the buffer lives. */
int nvfifo_bo_pin(struct nvfifo_bo *bo)
{
	if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM)
		return 0;
	return PTR_ERR_OR_ZERO(drm_gem_shmem_get_pages_sgt(&bo->shmem));
}

/**
 * nvfifo_bo_tags_get() - Have compression tag cells for a VRAM buffer
 * @bo: buffer
 * @comp: compression mode, 1 or 2
 *
 * Return: 0, -EBUSY if it has them in another mode, -ENOSPC.
 */
int nvfifo_bo_tags_get(struct nvfifo_bo *bo, u8 comp)
{
	struct nvfifo_device *ndev = to_nvfifo(bo->shmem.base.dev);
	u64 cells = (bo->shmem.base.size >> 16) * comp;
	int ret = 0;

	mutex_lock(&ndev->mem_lock);
	if (!bo->tag_users) {
		ret = drm_mm_insert_node(&ndev->tags, &bo->tags, cells);
		if (ret) {
			drm_dbg(&ndev->drm, "no %llu of the %u compression tag cells are free\n",
				cells, ndev->num_tags);
		} else {
			bo->comp = comp;
			ndev->tags_free -= cells;
		}
	} else if (bo->comp != comp) {
		drm_dbg(&ndev->drm, "the BO is compressed in mode %u\n", bo->comp);
		ret = -EBUSY;
	}
	bo->tag_users += !ret;
	mutex_unlock(&ndev->mem_lock);
	return ret;
}

void nvfifo_bo_tags_put(struct nvfifo_bo *bo)
{
	struct nvfifo_device *ndev = to_nvfifo(bo->shmem.base.dev);

	mutex_lock(&ndev->mem_lock);
	if (!--bo->tag_users) {
		ndev->tags_free += bo->tags.size;
		drm_mm_remove_node(&bo->tags);
	}
	mutex_unlock(&ndev->mem_lock);
}

/* The first tag cell of a place in a buffer that has them. */
u64 nvfifo_bo_tag(const struct nvfifo_bo *bo, u64 offset)
{
	return bo->tags.start + (offset >> 16) * bo->comp;
}

static void vram_free(struct nvfifo_device *ndev, struct nvfifo_bo *bo)
{
	struct nvfifo_piece *piece, *tmp;

	mutex_lock(&ndev->mem_lock);
	list_for_each_entry_safe(piece, tmp, &bo->pieces, link) {
		ndev->vram_free += piece->node.size;
		drm_mm_remove_node(&piece->node);
		kfree(piece);
	}
	mutex_unlock(&ndev->mem_lock);
}

/* One piece if there is one, else smaller ones until it is enough. */
static int vram_alloc(struct nvfifo_device *ndev, struct nvfifo_bo *bo, u64 size, bool contiguous)
{
	struct nvfifo_piece *piece = NULL;
	u64 left = size, part = size;
	int ret = 0;

	mutex_lock(&ndev->mem_lock);
	if (size > ndev->vram_free)
		ret = -ENOSPC;
	while (left && !ret) {
		piece = piece ?: kzalloc(sizeof(*piece), GFP_KERNEL);
		if (!piece) {
			ret = -ENOMEM;
			break;
		}
		part = min(part, left);
		ret = drm_mm_insert_node_generic(&ndev->vram, &piece->node, part, SZ_64K, 0,
						 DRM_MM_INSERT_BEST);
		if (ret == -ENOSPC && !contiguous && part > SZ_64K) {
			part = round_up(part / 2, SZ_64K);
			ret = 0;
		} else if (!ret) {
			ndev->vram_free -= part;
			left -= part;
			list_add_tail(&piece->link, &bo->pieces);
			piece = NULL;
		}
	}
	mutex_unlock(&ndev->mem_lock);
	kfree(piece);
	if (ret)
		drm_dbg(&ndev->drm, "bo_create.size %#llx: not that much VRAM is free%s\n", size,
			contiguous ? " in one piece" : "");
	return ret;
}

static int vram_clear(struct nvfifo_device *ndev, struct nvfifo_bo *bo)
{
	struct nvfifo_piece *piece;
	int ret = 0;

	list_for_each_entry(piece, &bo->pieces, link)
		ret = ret ?: nvfifo_vram_clear(ndev, piece->node.start, piece->node.size);
	return ret;
}

/* --- Windows in BAR1 ----------------------------------------------------- */

static void window_free(struct nvfifo_device *ndev, struct nvfifo_window *w)
{
	nvfifo_bar1_unmap(ndev, &w->node);
	list_del(&w->link);
	list_del(&w->lru);
	kfree(w);
}

/* Take a window away from the processes that look through it. */
static void window_evict(struct nvfifo_device *ndev, struct nvfifo_window *w)
{
	struct drm_gem_object *obj = &w->bo->shmem.base;

	unmap_mapping_range(ndev->drm.anon_inode->i_mapping,
			    drm_vma_node_offset_addr(&obj->vma_node) + w->offset, w->size, 1);
	window_free(ndev, w);
}

struct window_context {
	struct nvfifo_device *ndev;
	struct nvfifo_window *window;
};

static void window_chunk(void *data, const struct nvfifo_chunk *chunk)
{
	const struct window_context *ctx = data;

	nvfifo_bar1_map(ctx->ndev, &ctx->window->node, chunk->offset - ctx->window->offset, chunk);
}

static struct nvfifo_window *window_create(struct nvfifo_device *ndev, struct nvfifo_bo *bo,
					   u64 offset)
{
	struct nvfifo_window *w = kzalloc(sizeof(*w), GFP_KERNEL);
	struct window_context ctx = { .ndev = ndev, .window = w };
	int ret;

	if (!w)
		return ERR_PTR(-ENOMEM);
	w->bo = bo;
	w->offset = offset;
	w->size = min(bo->shmem.base.size - offset, (u64)WINDOW_BYTES);
	for (;;) {
		ret = nvfifo_bar1_reserve(ndev, &w->node, w->size);
		if (ret != -ENOSPC || list_empty(&ndev->windows))
			break;
		window_evict(ndev, list_first_entry(&ndev->windows, struct nvfifo_window, lru));
	}
	if (ret) {
		kfree(w);
		return ERR_PTR(ret);
	}
	list_add(&w->link, &bo->windows);
	list_add_tail(&w->lru, &ndev->windows);
	nvfifo_bo_chunks(bo, w->offset, w->size, window_chunk, &ctx);
	ret = nvfifo_bar1_flush(ndev);
	if (ret) {
		window_free(ndev, w);
		return ERR_PTR(ret);
	}
	return w;
}

/* Which byte of BAR1 shows a byte of a VRAM buffer, or a negative errno. */
static s64 bo_window(struct nvfifo_bo *bo, u64 offset)
{
	struct nvfifo_device *ndev = to_nvfifo(bo->shmem.base.dev);
	u64 first = round_down(offset, WINDOW_BYTES);
	struct nvfifo_window *w;

	list_for_each_entry(w, &bo->windows, link)
		if (w->offset == first)
			goto found;
	w = window_create(ndev, bo, first);
	if (IS_ERR(w))
		return PTR_ERR(w);
found:
	list_move_tail(&w->lru, &ndev->windows);
	return (w->node.start << 16) + (offset - first);
}

/* --- GEM objects --------------------------------------------------------- */

static void bo_dma_unmap(struct nvfifo_device *ndev, struct nvfifo_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	struct sg_table *sgt = bo->shmem.sgt;

	lockdep_assert_held(&ndev->objects_lock);
	if (!sgt)
		return;
	bo->shmem.sgt = NULL;
	if (obj->import_attach) {
		dma_buf_unmap_attachment_unlocked(obj->import_attach, sgt, DMA_BIDIRECTIONAL);
		return;
	}
	dma_unmap_sgtable(ndev->drm.dev, sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(sgt);
	kfree(sgt);
}

static void nvfifo_bo_free(struct drm_gem_object *obj)
{
	struct nvfifo_device *ndev = to_nvfifo(obj->dev);
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);
	struct nvfifo_window *w, *tmp;

	/* Either this unmaps it or the removal of the card does, which waits. */
	mutex_lock(&ndev->objects_lock);
	bo_dma_unmap(ndev, bo);
	list_del(&bo->link);
	mutex_unlock(&ndev->objects_lock);
	if (bo->domain == DRM_NVFIFO_DOMAIN_SYSTEM) {
		drm_gem_shmem_free(&bo->shmem);
		return;
	}
	mutex_lock(&ndev->bar1_lock);
	list_for_each_entry_safe(w, tmp, &bo->windows, link)
		window_free(ndev, w);
	mutex_unlock(&ndev->bar1_lock);
	vram_free(ndev, bo);
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
	list_for_each_entry(bo, &ndev->bos, link)
		bo_dma_unmap(ndev, bo);
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
	u64 offset = (u64)(vmf->pgoff - drm_vma_node_start(&obj->vma_node)) << PAGE_SHIFT;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	s64 bar1;
	int idx;

	if (!drm_dev_enter(obj->dev, &idx))
		return ret;
	mutex_lock(&ndev->bar1_lock);
	bar1 = bo_window(bo, offset);
	if (bar1 >= 0)
		ret = vmf_insert_pfn(vma, vmf->address,
				     (pci_resource_start(ndev->pdev, 1) + bar1) >> PAGE_SHIFT);
	mutex_unlock(&ndev->bar1_lock);
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

/*
 * Files of this card can share VRAM. Other devices would have to go through BAR1, peer to
 * peer: without get_sg_table() they are refused.
 */
static const struct drm_gem_object_funcs nvfifo_vram_funcs = {
	.free = nvfifo_bo_free,
	.mmap = nvfifo_vram_mmap,
	.vm_ops = &nvfifo_vram_vm_ops,
};

/**
 * nvfifo_bo_flags() - What BO_INFO says of a buffer
 * @bo: buffer
 *
 * Return: enum drm_nvfifo_bo_flags.
 */
u32 nvfifo_bo_flags(const struct nvfifo_bo *bo)
{
	bool vram = bo->domain == DRM_NVFIFO_DOMAIN_VRAM;

	return (vram || bo->shmem.map_wc ? DRM_NVFIFO_BO_WC : 0) |
	       (vram && list_is_singular(&bo->pieces) ? DRM_NVFIFO_BO_CONTIGUOUS : 0) |
	       (bo->shmem.base.import_attach ? DRM_NVFIFO_BO_IMPORTED : 0);
}

/* Called by the shmem helper for system memory, imported dma-bufs included. */
struct drm_gem_object *nvfifo_gem_create_object(struct drm_device *drm, size_t size)
{
	struct nvfifo_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&bo->link);
	INIT_LIST_HEAD(&bo->pieces);
	INIT_LIST_HEAD(&bo->windows);
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

static struct drm_gem_object *bo_create_vram(struct nvfifo_device *ndev, u64 size, u32 flags)
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
	ret = vram_alloc(ndev, bo, size, flags & DRM_NVFIFO_BO_CONTIGUOUS);
	if (!ret)
		ret = vram_clear(ndev, bo);
	if (!ret)
		ret = drm_gem_create_mmap_offset(obj);
	if (ret) {
		drm_gem_object_put(obj);
		return ERR_PTR(ret);
	}
	bo_link(ndev, bo);
	return obj;
}

static struct drm_gem_object *bo_create(struct nvfifo_device *ndev, u64 size, u32 domain,
					u32 flags)
{
	struct drm_gem_shmem_object *shmem;

	if (domain == DRM_NVFIFO_DOMAIN_VRAM)
		return bo_create_vram(ndev, size, flags);
	shmem = drm_gem_shmem_create(&ndev->drm, size);
	if (IS_ERR(shmem))
		return ERR_CAST(shmem);
	shmem->map_wc = flags & DRM_NVFIFO_BO_WC;
	bo_link(ndev, to_nvfifo_bo(&shmem->base));
	return &shmem->base;
}

int nvfifo_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_bo_create *args = data;
	struct drm_gem_object *obj;
	u32 flags;
	u64 size;
	int ret;

	if (!args->size || args->size > 1ULL << NVFIFO_VA_BITS)
		return nvfifo_einval(ndev, "bo_create.size %#llx is not in 1 to 2^40", args->size);
	if (args->domain > DRM_NVFIFO_DOMAIN_VRAM)
		return nvfifo_einval(ndev, "bo_create.domain %u is unknown", args->domain);
	flags = args->domain == DRM_NVFIFO_DOMAIN_VRAM ? DRM_NVFIFO_BO_CONTIGUOUS :
							 DRM_NVFIFO_BO_WC;
	if (args->flags & ~flags)
		return nvfifo_einval(ndev, "bo_create.flags %#x: only %#x goes with the domain",
				     args->flags, flags);
	if (args->pad)
		return nvfifo_einval(ndev, "bo_create.pad %#x is not 0", args->pad);
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

	obj = bo_create(ndev, size, args->domain, args->flags);
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
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_bo_info *args = data;
	struct drm_gem_object *obj;
	struct nvfifo_bo *bo;
	bool vram;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj) {
		drm_dbg(drm, "bo_info.handle %u is unknown\n", args->handle);
		return -ENOENT;
	}
	bo = to_nvfifo_bo(obj);
	vram = bo->domain == DRM_NVFIFO_DOMAIN_VRAM;
	args->domain = bo->domain;
	args->size = obj->size;
	args->mmap_offset = drm_vma_node_offset_addr(&obj->vma_node);
	args->flags = nvfifo_bo_flags(bo);
	args->page_shift = vram ? 16 : 12;
	mutex_lock(&ndev->mem_lock);
	args->tags = bo->tag_users ? bo->tags.size : 0;
	mutex_unlock(&ndev->mem_lock);
	args->pad = 0;
	drm_gem_object_put(obj);
	return 0;
}

int nvfifo_ioctl_bo_label(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_bo_label *args = data;
	char label[NVFIFO_LABEL_MAX + 1] = {};
	struct drm_gem_object *obj;
	u32 i;

	if (args->size > NVFIFO_LABEL_MAX)
		return nvfifo_einval(ndev, "bo_label.size %u is not in 0 to %u", args->size,
				     NVFIFO_LABEL_MAX);
	if (copy_from_user(label, u64_to_user_ptr(args->label), args->size)) {
		drm_dbg(drm, "bo_label.label %#llx cannot be read\n", args->label);
		return -EFAULT;
	}
	for (i = 0; i < args->size; i++)
		if (!isascii(label[i]) || !isprint(label[i]))
			return nvfifo_einval(ndev, "bo_label.label: byte %u is not printable", i);
	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj) {
		drm_dbg(drm, "bo_label.handle %u is unknown\n", args->handle);
		return -ENOENT;
	}
	mutex_lock(&ndev->objects_lock);
	memcpy(to_nvfifo_bo(obj)->label, label, sizeof(label));
	mutex_unlock(&ndev->objects_lock);
	drm_gem_object_put(obj);
	return 0;
}

/* What a file holds, by domain, and its channels, for /proc/<pid>/fdinfo. */
void nvfifo_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	static const char * const regions[] = { "system", "vram" };
	struct drm_memory_stats stats[ARRAY_SIZE(regions)] = {};
	struct nvfifo_file *nfile = file->driver_priv;
	struct drm_gem_object *obj;
	struct nvfifo_chan *chan;
	unsigned long chan_id;
	unsigned int i;
	int id;

	spin_lock(&file->table_lock);
	idr_for_each_entry(&file->object_idr, obj, id) {
		struct nvfifo_bo *bo = to_nvfifo_bo(obj);
		struct drm_memory_stats *s = &stats[bo->domain];

		if (obj->handle_count > 1)
			s->shared += obj->size;
		else
			s->private += obj->size;
		if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM || READ_ONCE(bo->shmem.sgt) ||
		    READ_ONCE(bo->shmem.pages))
			s->resident += obj->size;
	}
	spin_unlock(&file->table_lock);
	for (i = 0; i < ARRAY_SIZE(regions); i++)
		drm_print_memory_stats(p, &stats[i], DRM_GEM_OBJECT_RESIDENT, regions[i]);
	mutex_lock(&nfile->lock);
	xa_for_each(&nfile->chans, chan_id, chan)
		drm_printf(p, "nvfifo-channel-%lu:\t%s, %llu submitted, %llu completed\n", chan_id,
			   READ_ONCE(chan->dead) ? "dead" : "alive", READ_ONCE(chan->submitted),
			   READ_ONCE(chan->completed));
	mutex_unlock(&nfile->lock);
}
