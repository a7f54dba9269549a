// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Buffers
 *
 * System memory is cached and snooped by the card, or write-combined, see System memory of a
 * buffer. VRAM is zero when it is allocated, see Clearing of VRAM. The shmem helper serves imports
 * only.
 *
 * System memory of a buffer
 *
 * A buffer gets its memory at the first mmap(), mapping in an address space, or export. It keeps
 * the memory for as long as it lives, because the card may use a mapping at any time. Shared memory
 * of the kernel (shmem) could not be swapped either, and costs a look-up and a second clearing for
 * each page.
 *
 * The memory comes from the page allocator, in the largest blocks that are free. Blocks are aligned
 * to their size, so that their PTEs form the largest blocks of the MMU. The allocator clears each
 * page once, and charges it to the memory cgroup of the process.
 */
#include <linux/ctype.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>
#ifdef CONFIG_X86
#include <asm/set_memory.h>
#endif

#include <drm/drm_prime.h>

#include "card/nvfifo_hw.h"
#include "mem/nvfifo_bo.h"
#include "card/nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "fifo/nvfifo_chan.h"
#include "mem/nvfifo_mem.h"

/**
 * nvfifo_bo_device() - Get the device of a buffer
 * @bo: the buffer
 *
 * Return: its device.
 */
struct nvfifo_device *nvfifo_bo_device(const struct nvfifo_bo *bo)
{
	return to_nvfifo(bo->shmem.base.dev);
}

/* --- Memory of a buffer -------------------------------------------------- */

/**
 * nvfifo_extent_next() - Go to the first or next extent of a range
 * @c: the walk; at first its size is 0, and offset and end are those of the range
 *
 * Context: The buffer is pinned.
 *
 * Return: false after the last extent.
 */
bool nvfifo_extent_next(struct nvfifo_extent_walk *c)
{
	struct nvfifo_bo *bo = c->bo;
	u64 skip;

	c->offset += c->size;
	if (c->offset >= c->end)
		return false;

	do {
		if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM) {
			c->extent = list_prepare_entry(c->extent, &bo->extents, link);
			c->extent = list_next_entry(c->extent, link);
			c->address = nvfifo_pte_vram(nvfifo_bo_device(bo), c->extent->node.start,
						     &c->target);
			c->size = c->extent->node.size;
		} else {
			c->sg = c->sg ? sg_next(c->sg) : bo->shmem.sgt->sgl;
			c->address = sg_dma_address(c->sg);
			c->target = NVFIFO_TARGET_SYS_SNOOP;
			c->size = sg_dma_len(c->sg);
		}

		c->extent_end += c->size;
	} while (c->extent_end <= c->offset);
	skip = c->offset - (c->extent_end - c->size);
	c->address += skip;
	c->size = min(c->size - skip, c->end - c->offset);

	return true;
}

/* --- System memory of a buffer ------------------------------------------- */

/* Pages that one page fault maps */
#define PAGES_AROUND	16

static u64 page_count_of(const struct nvfifo_bo *bo)
{
	return bo->shmem.base.size >> PAGE_SHIFT;
}

/*
 * Allocate a block of at most 2^@order pages, zeroed, and lower @order to its size. After a refusal
 * the kernel is unlikely to have another block of that size. Return: the first page, or NULL.
 */
static struct page *block_alloc(unsigned int *order)
{
	const gfp_t gfp = GFP_USER | __GFP_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
	struct page *page;

	/* Do not wait for a large block, because smaller ones serve as well. */
	for (; *order; --*order) {
		page = alloc_pages((gfp & ~__GFP_RECLAIM) | __GFP_NORETRY | __GFP_NOMEMALLOC,
				   *order);
		if (page) {
			split_page(page, *order);
			return page;
		}
	}

	/* Fail, rather than let the kernel kill a process for a buffer that does not fit. */
	return alloc_page(gfp | __GFP_RETRY_MAYFAIL);
}

static void pages_free(struct page **pages, u64 count)
{
	u64 i;

	for (i = 0; i < count; i++) {
		__free_page(pages[i]);
		cond_resched();
	}

	kvfree(pages);
}

/* Return: the pages, or an error pointer to -ENOMEM, or -EINTR if the process is being killed. */
static struct page **pages_alloc(u64 count)
{
	struct page **pages, *page;
	unsigned int order = MAX_PAGE_ORDER;
	u64 i = 0, end;

	pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages)
		return ERR_PTR(-ENOMEM);

	while (i < count) {
		order = min_t(unsigned int, order, ilog2(count - i));
		page = fatal_signal_pending(current) ? NULL : block_alloc(&order);
		if (!page) {
			pages_free(pages, i);
			return ERR_PTR(fatal_signal_pending(current) ? -EINTR : -ENOMEM);
		}

		for (end = i + (1ULL << order); i < end; i++)
			pages[i] = page++;

		cond_resched();
	}

	return pages;
}

/*
 * Change the caching of the kernel's mapping of a buffer's pages to that of the process's mapping,
 * or undo that. The undoing splits no mapping, so it needs no memory. Return: 0, or an errno of the
 * kernel.
 */
static int pages_cache(const struct nvfifo_bo *bo, struct page **pages, bool on)
{
	int ret = 0;

#ifdef CONFIG_X86
	if (bo->shmem.map_wc && on)
		ret = set_pages_array_wc(pages, page_count_of(bo));
	else if (bo->shmem.map_wc)
		ret = set_pages_array_wb(pages, page_count_of(bo));
#endif
	return ret;
}

/* Allocate a buffer's memory, and the list of it for the DMA layer. Return: as pages_alloc(). */
static int memory_alloc(struct nvfifo_bo *bo)
{
	struct device *dev = bo->shmem.base.dev->dev;
	u64 max = min_t(u64, dma_max_mapping_size(dev), SZ_1G);
	const u64 count = page_count_of(bo);
	struct page **pages;
	int ret;

	pages = pages_alloc(count);
	if (IS_ERR(pages))
		return PTR_ERR(pages);

	ret = sg_alloc_table_from_pages_segment(&bo->table, pages, count, 0, count << PAGE_SHIFT,
						max, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_pages;

	ret = pages_cache(bo, pages, true);
	if (ret)
		goto err_table;

	WRITE_ONCE(bo->pages, pages);

	return 0;

err_table:
	pages_cache(bo, pages, false);
	sg_free_table(&bo->table);
err_pages:
	pages_free(pages, count);

	return ret;
}

/**
 * nvfifo_bo_populate() - Allocate a buffer's system memory, before nvfifo_bo_pin() uses it
 * @bo: the buffer; nothing happens for VRAM, for an import, and for a buffer with memory
 *
 * The memory cgroup of the first user is charged. Its limit (memory.high) may stall the allocations
 * for hours. So they are outside of CLASS(nvfifo_enter), for which the removal of the card waits.
 * Another thread that waits for the same buffer can be killed.
 *
 * Context: Process context, sleeps. Outside of nvfifo_enter. Takes nvfifo_bo.pages_lock.
 *
 * Return: 0, -ENOMEM, or -EINTR if the process is being killed.
 */
int nvfifo_bo_populate(struct nvfifo_bo *bo)
{
	int ret;

	if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM || bo->shmem.base.import_attach)
		return 0;

	ret = mutex_lock_killable(&bo->pages_lock);
	if (ret)
		return ret;

	if (!bo->pages)
		ret = memory_alloc(bo);

	mutex_unlock(&bo->pages_lock);

	return ret;
}

/**
 * nvfifo_bo_pin() - Map system memory for DMA, for as long as the buffer lives
 * @bo: the buffer; VRAM needs nothing, and an import is mapped already
 *
 * The buffer keeps the addresses until it is freed or the card is removed.
 *
 * Context: Process context, sleeps.
 *
 * Return: 0, -ENODEV, an errno of nvfifo_bo_populate(), or an error of the DMA layer.
 */
int nvfifo_bo_pin(struct nvfifo_bo *bo)
{
	int ret;

	if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM)
		return 0;

	ret = nvfifo_bo_populate(bo);
	if (ret)
		return ret;

	guard(mutex)(&bo->pages_lock);

	if (bo->shmem.sgt)
		return 0;

	/* Removal of the card has unmapped it. */
	if (bo->shmem.base.import_attach)
		return -ENODEV;

	ret = dma_map_sgtable(bo->shmem.base.dev->dev, &bo->table, DMA_BIDIRECTIONAL, 0);
	if (!ret)
		WRITE_ONCE(bo->shmem.sgt, &bo->table);

	return ret;
}

/**
 * nvfifo_bo_depopulate() - Free a buffer's system memory
 * @bo: the buffer, without users; nothing happens if it has no memory
 */
void nvfifo_bo_depopulate(struct nvfifo_bo *bo)
{
	if (!bo->pages)
		return;

	pages_cache(bo, bo->pages, false);
	sg_free_table(&bo->table);
	pages_free(bo->pages, page_count_of(bo));
}

/**
 * nvfifo_bo_read() - Read a buffer's system memory as the CPU sees it
 * @bo: the buffer, which has its memory; an import is mapped as a whole
 * @offset: first byte
 * @to: memory for the copy
 * @bytes: its size
 *
 * Return: 0, or an error of the mapping of an import.
 */
int nvfifo_bo_read(struct nvfifo_bo *bo, u64 offset, void *to, size_t bytes)
{
	struct iosys_map map;
	size_t done, part;
	int ret;

	if (bo->shmem.base.import_attach) {
		ret = nvfifo_gem_vmap(&bo->shmem.base, &map);
		if (ret)
			return ret;

		iosys_map_memcpy_from(to, &map, offset, bytes);
		nvfifo_gem_vunmap(&bo->shmem.base, &map);

		return 0;
	}

	for (done = 0; done < bytes; done += part, offset += part) {
		part = min(bytes - done, PAGE_SIZE - offset_in_page(offset));
		memcpy_from_page(to + done, bo->pages[offset >> PAGE_SHIFT],
				 offset_in_page(offset), part);
	}

	return 0;
}

static struct sg_table *system_sgt(struct drm_gem_object *obj)
{
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);
	int ret = nvfifo_bo_populate(bo);

	if (ret)
		return ERR_PTR(ret);

	return drm_prime_pages_to_sg(obj->dev, bo->pages, page_count_of(bo));
}

static pgprot_t caching(const struct nvfifo_bo *bo, pgprot_t prot)
{
	return bo->shmem.map_wc ? pgprot_writecombine(prot) : prot;
}

static int system_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);
	int ret = nvfifo_bo_populate(bo);
	void *address;

	if (ret)
		return ret;

	address = vmap(bo->pages, page_count_of(bo), VM_MAP, caching(bo, PAGE_KERNEL));
	if (!address)
		return -ENOMEM;

	iosys_map_set_vaddr(map, address);

	return 0;
}

static void system_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	vunmap(map->vaddr);
}

static int system_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);

	/*
	 * The mapping consists of page frame numbers only, which the kernel cannot copy at a write.
	 */
	if (vma_is_cow_mapping(vma))
		return -EINVAL;

	vm_flags_set(vma, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_page_prot = caching(bo, vm_get_page_prot(vma->vm_flags));

	return nvfifo_bo_populate(bo);
}

/* Insert the page of a fault, and the mapping's pages after it. */
static vm_fault_t system_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct drm_gem_object *obj = vma->vm_private_data;
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);
	u64 first = vmf->pgoff - drm_vma_node_start(&obj->vma_node), i, end;
	unsigned long address = vmf->address & PAGE_MASK;
	vm_fault_t ret = VM_FAULT_SIGBUS;

	if (first >= page_count_of(bo))
		return VM_FAULT_SIGBUS;

	end = min3(first + PAGES_AROUND, page_count_of(bo),
		   first + ((vma->vm_end - address) >> PAGE_SHIFT));

	for (i = first; i < end; i++, address += PAGE_SIZE) {
		vm_fault_t inserted = vmf_insert_pfn(vma, address, page_to_pfn(bo->pages[i]));

		/* Only the first is needed. */
		if (i == first)
			ret = inserted;
		if (inserted != VM_FAULT_NOPAGE)
			break;
	}

	return ret;
}

static const struct vm_operations_struct system_vm_ops = {
	.fault = system_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

/* --- GEM objects --------------------------------------------------------- */

static void bo_dma_unmap(struct nvfifo_device *ndev, struct nvfifo_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	struct sg_table *sgt = bo->shmem.sgt;

	bo->shmem.sgt = NULL;
	if (sgt && obj->import_attach)
		nvfifo_dma_buf_unmap(obj->import_attach, sgt);
	else if (sgt)
		dma_unmap_sgtable(ndev->drm.dev, sgt, DMA_BIDIRECTIONAL, 0);
}

/*
 * Take a buffer off the card's list and unmap it, unless the removal of the card has done so. The
 * unmapping of a dma-buf takes locks of its exporter, so bos.lock is not held. The removal waits
 * for the end of CLASS(nvfifo_enter) instead.
 */
static void bo_unlink(struct nvfifo_device *ndev, struct nvfifo_bo *bo)
{
	CLASS(nvfifo_enter, entered)(ndev);

	scoped_guard(mutex, &ndev->bos.lock) {
		list_del(&bo->link);

		if (!entered.is_open)
			bo_dma_unmap(ndev, bo);
	}

	if (entered.is_open)
		bo_dma_unmap(ndev, bo);
}

static void nvfifo_bo_free(struct drm_gem_object *obj)
{
	struct nvfifo_device *ndev = to_nvfifo(obj->dev);
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);

	bo_unlink(ndev, bo);

	if (obj->import_attach) {
		drm_gem_shmem_free(&bo->shmem);
		return;
	}

	if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM) {
		nvfifo_windows_free(bo);
		nvfifo_vram_free(bo);
	} else {
		nvfifo_bo_depopulate(bo);
	}

	if (bo->nfile)
		atomic64_sub(obj->size, &bo->nfile->bytes);

	nvfifo_file_put(bo->nfile);
	drm_gem_object_release(obj);
	if (bo->dummy)
		__free_page(bo->dummy);

	kfree(bo);
}

/**
 * nvfifo_bo_detach_all() - Unmap system memory from a card that is being removed
 * @ndev: the device, with no channel alive
 *
 * Files and mappings keep the pages, but DMA mappings must not outlive the binding of the driver.
 */
void nvfifo_bo_detach_all(struct nvfifo_device *ndev)
{
	struct nvfifo_bo *bo;

	guard(mutex)(&ndev->bos.lock);

	ndev->bos.detached = true;

	list_for_each_entry(bo, &ndev->bos.list, link) {
		bo_dma_unmap(ndev, bo);
		cond_resched();
	}
}

static const struct drm_gem_object_funcs nvfifo_system_funcs = {
	.free = nvfifo_bo_free,
	.get_sg_table = system_sgt,
	.vmap = system_vmap,
	.vunmap = system_vunmap,
	.mmap = system_mmap,
	.vm_ops = &system_vm_ops,
};

static const struct drm_gem_object_funcs nvfifo_import_funcs = {
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

static const struct vm_operations_struct nvfifo_vram_vm_ops = {
	.fault = nvfifo_vram_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

static int nvfifo_vram_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	/* The kernel cannot copy a page of BAR1 on write, and would hit a BUG in the attempt. */
	if (vma_is_cow_mapping(vma))
		return nvfifo_einval(to_nvfifo(obj->dev), "mmap: VRAM cannot be mapped privately");

	/* In UML an access to a BAR is a message to the device, so there is no page to map. */
	if (IS_ENABLED(CONFIG_UML))
		return nvfifo_fail(to_nvfifo(obj->dev), -EOPNOTSUPP,
				   "VRAM cannot be mapped in User Mode Linux");

	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_page_prot = pgprot_writecombine(vm_get_page_prot(vma->vm_flags));

	return 0;
}

/*
 * Files of this card can share VRAM. Another device could access it only through BAR1, peer to
 * peer. Without get_sg_table() DRM refuses such an import.
 */
static const struct drm_gem_object_funcs nvfifo_vram_funcs = {
	.free = nvfifo_bo_free,
	.mmap = nvfifo_vram_mmap,
	.vm_ops = &nvfifo_vram_vm_ops,
};

/**
 * nvfifo_bo_flags() - Flags of a buffer for BO_INFO
 * @bo: the buffer
 *
 * Return: enum drm_nvfifo_bo_flags.
 */
u32 nvfifo_bo_flags(const struct nvfifo_bo *bo)
{
	const bool vram = bo->domain == DRM_NVFIFO_DOMAIN_VRAM;
	u32 flags = 0;

	if (vram || bo->shmem.map_wc)
		flags |= DRM_NVFIFO_BO_WC;
	if (vram && list_is_singular(&bo->extents))
		flags |= DRM_NVFIFO_BO_CONTIGUOUS;
	if (bo->shmem.base.import_attach)
		flags |= DRM_NVFIFO_BO_IMPORTED;
	if (bo->lsr)
		flags |= DRM_NVFIFO_BO_LSR;

	return flags;
}

/**
 * nvfifo_gem_create_object() - Create a buffer, without memory yet
 * @drm: the card
 * @size: bytes, which only the shmem helper uses
 *
 * The shmem helper calls it for imported dma-bufs.
 *
 * Return: the buffer, or an error pointer to -ENOMEM.
 */
struct drm_gem_object *nvfifo_gem_create_object(struct drm_device *drm, size_t size)
{
	struct nvfifo_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);

	if (!bo)
		return ERR_PTR(-ENOMEM);

	INIT_LIST_HEAD(&bo->link);
	INIT_LIST_HEAD(&bo->extents);
	INIT_LIST_HEAD(&bo->windows);
	mutex_init(&bo->pages_lock);
	bo->domain = DRM_NVFIFO_DOMAIN_SYSTEM;
	bo->shmem.base.funcs = &nvfifo_import_funcs;

	return &bo->shmem.base;
}

/*
 * Put a buffer on the card's list. The card's removal walks the list once. A buffer that is added
 * later would keep its DMA mappings, so it is refused. Return: 0 or -ENODEV.
 */
static int bo_link(struct nvfifo_device *ndev, struct nvfifo_bo *bo)
{
	guard(mutex)(&ndev->bos.lock);

	if (ndev->bos.detached)
		return -ENODEV;

	list_add_tail(&bo->link, &ndev->bos.list);

	return 0;
}

/**
 * nvfifo_sgt_check() - Check the addresses of another driver's memory
 * @sgt: addresses for this card
 * @size: of the buffer, bytes
 *
 * A PTE holds a multiple of 4 KiB below 2^40. If the table is shorter than the buffer, a walk would
 * read past its end.
 *
 * Return: 0 or -EINVAL.
 */
int nvfifo_sgt_check(struct sg_table *sgt, u64 size)
{
	struct scatterlist *sg;
	u64 total = 0;
	int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		const u64 first = sg_dma_address(sg), bytes = sg_dma_len(sg);

		if (!bytes || !IS_ALIGNED(first | bytes, SZ_4K))
			return -EINVAL;

		if (first > NVFIFO_VA_MASK || bytes > NVFIFO_VA_MASK + 1 - first)
			return -EINVAL;

		total += bytes;
	}

	return total >= size ? 0 : -EINVAL;
}

/**
 * nvfifo_prime_import_sg_table() - Create a buffer from another driver's memory
 * @drm: the card
 * @attach: the card's attachment to the dma-buf
 * @sgt: its memory, mapped by the caller, who unmaps it if this fails
 *
 * Return: the buffer or an error pointer.
 */
struct drm_gem_object *nvfifo_prime_import_sg_table(struct drm_device *drm,
						    struct dma_buf_attachment *attach,
						    struct sg_table *sgt)
{
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_gem_object *obj;
	struct nvfifo_bo *bo;
	int ret;

	ret = nvfifo_sgt_check(sgt, PAGE_ALIGN(attach->dmabuf->size));
	if (ret)
		return ERR_PTR(nvfifo_fail(ndev, ret,
					   "import: too short, or not in pages of 4 KiB"));

	obj = drm_gem_shmem_prime_import_sg_table(drm, attach, sgt);
	if (IS_ERR(obj))
		return obj;

	/* The card's removal finds the mapping by this field. */
	bo = to_nvfifo_bo(obj);
	obj->import_attach = attach;
	ret = bo_link(ndev, bo);
	if (ret) {
		/* The caller owns both. */
		obj->import_attach = NULL;
		bo->shmem.sgt = NULL;
		drm_gem_object_put(obj);

		return ERR_PTR(ret);
	}

	return obj;
}

/* Count the size of a buffer for its file, until the buffer is freed. Return: 0 or -ENOSPC. */
static int bo_count(struct nvfifo_device *ndev, struct nvfifo_bo *bo, struct nvfifo_file *nfile)
{
	int ret;

	if (!nfile)
		return 0;

	ret = nvfifo_file_count(ndev, &nfile->bytes, bo->shmem.base.size,
				nvfifo_file_max_bytes(ndev), "bytes of buffers");
	if (ret)
		return ret;

	bo->nfile = nvfifo_file_get(nfile);

	return 0;
}

static int bo_create_memory(struct nvfifo_bo *bo, u64 size, u32 flags)
{
	int ret;

	if (bo->domain == DRM_NVFIFO_DOMAIN_SYSTEM)
		return 0;

	ret = nvfifo_vram_alloc(bo, size, flags);
	if (ret)
		return ret;

	return nvfifo_clear_bo(bo);
}

/**
 * nvfifo_bo_create() - Create a zeroed buffer
 * @ndev: the card
 * @nfile: file that it is counted for, NULL for the driver itself
 * @domain: enum drm_nvfifo_domain
 * @size: bytes, a multiple of 4 KiB; of VRAM a multiple of nvfifo_vram_granule()
 * @flags: enum drm_nvfifo_bo_flags that a client may choose for the domain
 *
 * Return: the buffer, or an error pointer to -ENOMEM, -ENOSPC, -EINTR, -EIO or -ENODEV.
 */
struct drm_gem_object *nvfifo_bo_create(struct nvfifo_device *ndev, struct nvfifo_file *nfile,
					u32 domain, u64 size, u32 flags)
{
	struct drm_gem_object *obj = nvfifo_gem_create_object(&ndev->drm, size);
	struct nvfifo_bo *bo;
	int ret;

	if (IS_ERR(obj))
		return obj;

	bo = to_nvfifo_bo(obj);
	bo->domain = domain;
	bo->lsr = flags & DRM_NVFIFO_BO_LSR;
	bo->shmem.map_wc = flags & DRM_NVFIFO_BO_WC;
	obj->funcs = domain == DRM_NVFIFO_DOMAIN_VRAM ? &nvfifo_vram_funcs : &nvfifo_system_funcs;
	drm_gem_private_object_init(&ndev->drm, obj, size);

	ret = bo_count(ndev, bo, nfile);
	if (!ret)
		ret = bo_create_memory(bo, size, flags);
	if (!ret)
		ret = drm_gem_create_mmap_offset(obj);
	if (!ret)
		ret = bo_link(ndev, bo);
	if (!ret)
		return obj;

	drm_gem_object_put(obj);

	return ERR_PTR(ret);
}

/**
 * nvfifo_ioctl_bo_create() - BO_CREATE
 * @drm: the card
 * @data: struct drm_nvfifo_bo_create
 * @file: whose buffer it becomes
 *
 * Return: 0 or an errno that uapi/nvfifo_drm.h lists.
 */
int nvfifo_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct nvfifo_file *nfile = file->driver_priv;
	struct drm_nvfifo_bo_create *args = data;
	const bool vram = args->domain == DRM_NVFIFO_DOMAIN_VRAM;
	struct drm_gem_object *obj __free(gem_put) = NULL;
	u32 granule;
	u64 size;
	int ret;

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open)
		return -ENODEV;

	ret = nvfifo_check_rule(ndev, "bo_create", nvfifo_bo_rule(args));
	if (ret)
		return ret;

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	granule = vram ? nvfifo_vram_granule(ndev, args->flags) : SZ_4K;
	size = DIV_U64_ROUND_UP(args->size, granule) * granule;
	if (!vram && size >> PAGE_SHIFT > totalram_pages())
		return -ENOMEM;

	obj = nvfifo_bo_create(ndev, nfile, args->domain, size, args->flags);
	if (IS_ERR(obj))
		return PTR_ERR(obj);

	args->size = size;
	args->mmap_offset = drm_vma_node_offset_addr(&obj->vma_node);

	return drm_gem_handle_create(file, obj, &args->handle);
}

/* Return: the buffer of a handle with a reference, or NULL with a message about the argument. */
static struct drm_gem_object *gem_lookup(struct drm_file *file, u32 handle, const char *name)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);

	if (!obj)
		drm_dbg(file->minor->dev, "%s %u is unknown\n", name, handle);

	return obj;
}

/**
 * nvfifo_ioctl_bo_info() - BO_INFO
 * @drm: the card
 * @data: struct drm_nvfifo_bo_info
 * @file: whose handle it is
 *
 * Return: 0 or -ENOENT.
 */
int nvfifo_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nvfifo_bo_info *args = data;
	struct drm_gem_object *obj __free(gem_put) =
		gem_lookup(file, args->handle, "bo_info.handle");
	struct nvfifo_bo *bo;

	if (!obj)
		return -ENOENT;

	bo = to_nvfifo_bo(obj);
	args->domain = bo->domain;
	args->size = obj->size;
	args->mmap_offset = drm_vma_node_offset_addr(&obj->vma_node);
	args->flags = nvfifo_bo_flags(bo);
	args->page_shift = bo->domain == DRM_NVFIFO_DOMAIN_VRAM ? 16 : 12;
	args->pad = 0;
	args->tags = nvfifo_bo_tag_cells(bo);

	return 0;
}

/**
 * nvfifo_ioctl_bo_label() - BO_LABEL
 * @drm: the card
 * @data: struct drm_nvfifo_bo_label
 * @file: whose handle it is
 *
 * Return: 0, -EINVAL, -EFAULT or -ENOENT.
 */
int nvfifo_ioctl_bo_label(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_bo_label *args = data;
	struct drm_gem_object *obj __free(gem_put) =
		gem_lookup(file, args->handle, "bo_label.handle");
	char label[NVFIFO_LABEL_MAX + 1] = {};
	u32 i;

	if (args->size > NVFIFO_LABEL_MAX)
		return nvfifo_einval(ndev, "bo_label.size %u is not in 0 to %u", args->size,
				     NVFIFO_LABEL_MAX);
	if (copy_from_user(label, u64_to_user_ptr(args->label), args->size))
		return nvfifo_fail(ndev, -EFAULT, "bo_label.label %#llx cannot be read",
				   args->label);
	for (i = 0; i < args->size; i++)
		if (!isascii(label[i]) || !isprint(label[i]))
			return nvfifo_einval(ndev, "bo_label.label: byte %u is not printable", i);

	if (!obj)
		return -ENOENT;

	guard(mutex)(&ndev->bos.lock);

	memcpy(to_nvfifo_bo(obj)->label, label, sizeof(label));

	return 0;
}
