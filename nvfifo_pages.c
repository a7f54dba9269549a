// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: System memory of a buffer
 *
 * A buffer gets its memory at the first mmap(), mapping in an address space, or export. It keeps
 * the memory for as long as it lives, as the card may use a mapping at any time. Shared memory of
 * the kernel (shmem) could not be swapped either, and costs a look-up and a second clearing for
 * each page.
 *
 * The memory comes from the page allocator, in blocks as large as it has them. Blocks are aligned
 * to their size, so that their PTEs form the largest blocks of the MMU. The allocator clears each
 * page once, and charges it to the memory cgroup of the process.
 */
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

#include "nvfifo_bo.h"
#include "nvfifo_compat.h"
#include "nvfifo_drv.h"

/* Pages that one page fault maps */
#define PAGES_AROUND	16

/* Pages whose caching changes at once. The kernel flushes the processor's caches in between. */
#define WC_PAGES	(SZ_64M >> PAGE_SHIFT)

static u64 page_count_of(const struct nvfifo_bo *bo)
{
	return bo->shmem.base.size >> PAGE_SHIFT;
}

/* --- Blocks --------------------------------------------------------------------- */

/* Get the longest run that the DMA layer maps at once. Return: pages. */
static u64 run_max(const struct nvfifo_bo *bo)
{
	struct device *dev = bo->shmem.base.dev->dev;

	return min_t(size_t, dma_max_mapping_size(dev), SZ_1G) >> PAGE_SHIFT;
}

/* Return: the number of pages of the block that begins with a page. */
static u64 block_pages(const struct page *page)
{
	return 1ULL << page_private(page);
}

/*
 * Allocate a block of at most 2^@order pages, zeroed, and lower @order to its size. After a refusal
 * the kernel is unlikely to have another block of that size. Return: the first page, or NULL.
 */
static struct page *block_alloc(unsigned int *order)
{
	const gfp_t gfp = GFP_USER | __GFP_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
	struct page *page = NULL;

	/* Do not wait for a large block, because smaller ones serve as well. */
	while (*order) {
		page = alloc_pages((gfp & ~__GFP_RECLAIM) | __GFP_NORETRY | __GFP_NOMEMALLOC,
				   *order);
		if (page)
			break;

		--*order;
	}

	/* Fail, rather than let the kernel kill a process for a buffer that does not fit. */
	if (!page)
		page = alloc_page(gfp | __GFP_RETRY_MAYFAIL);
	if (page)
		set_page_private(page, *order);

	return page;
}

static void blocks_free(struct page **pages, u64 count)
{
	u64 i, size;

	for (i = 0; i < count; i += size) {
		size = block_pages(pages[i]);
		set_page_private(pages[i], 0);
		__free_pages(pages[i], ilog2(size));
		cond_resched();
	}
}

/* Return: 0, -ENOMEM, or -EINTR if the process is being killed. */
static int blocks_alloc(struct page **pages, u64 count, u64 max)
{
	unsigned int order = min_t(unsigned int, MAX_PAGE_ORDER, ilog2(max));
	struct page *page;
	u64 i = 0, end;

	while (i < count) {
		order = min_t(unsigned int, order, ilog2(count - i));
		page = fatal_signal_pending(current) ? NULL : block_alloc(&order);
		if (!page) {
			blocks_free(pages, i);
			return fatal_signal_pending(current) ? -EINTR : -ENOMEM;
		}

		for (end = i + (1ULL << order); i < end; i++)
			pages[i] = page++;

		cond_resched();
	}

	return 0;
}

/* Return: the end of the contiguous memory, in pages, that begins with a block. */
static u64 run_end(struct page **pages, u64 first, u64 count, u64 max)
{
	const unsigned long pfn = page_to_pfn(pages[first]);
	u64 end = first + block_pages(pages[first]);

	while (end < count && page_to_pfn(pages[end]) == pfn + (end - first) &&
	       end - first + block_pages(pages[end]) <= max)
		end += block_pages(pages[end]);

	return end;
}

/* List the memory, block by block, which is faster than page by page. Return: 0 or -ENOMEM. */
static int blocks_to_sg(struct page **pages, u64 count, u64 max, struct sg_table *sgt)
{
	unsigned int runs = 0;
	struct scatterlist *sg;
	u64 i, end;
	int ret;

	for (i = 0; i < count; i = run_end(pages, i, count, max))
		runs++;

	ret = sg_alloc_table(sgt, runs, GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret;

	for (i = 0, sg = sgt->sgl; i < count; i = end, sg = sg_next(sg)) {
		end = run_end(pages, i, count, max);
		sg_set_page(sg, pages[i], (end - i) << PAGE_SHIFT, 0);
	}

	return 0;
}

/* --- Memory of a buffer --------------------------------------------------------- */

static void unset_wc(struct page **pages, u64 count)
{
#ifdef CONFIG_X86
	u64 i;

	for (i = 0; i < count; i += WC_PAGES) {
		set_pages_array_wb(pages + i, min(count - i, (u64)WC_PAGES));
		cond_resched();
	}
#endif
}

/*
 * The kernel's mapping of a page must have the caching of the process's. Return: as blocks_alloc().
 */
static int set_wc(struct page **pages, u64 count)
{
#ifdef CONFIG_X86
	u64 i;
	int ret;

	for (i = 0; i < count; i += WC_PAGES) {
		ret = set_pages_array_wc(pages + i, min(count - i, (u64)WC_PAGES));
		if (!ret && fatal_signal_pending(current)) {
			i = min(count, i + WC_PAGES);
			ret = -EINTR;
		}

		if (ret) {
			unset_wc(pages, i);
			return ret;
		}

		cond_resched();
	}
#endif

	return 0;
}

/* Allocate a buffer's memory. Return: as blocks_alloc(). */
static int pages_alloc(struct nvfifo_bo *bo)
{
	struct page **pages __free(kvfree) = NULL;
	const u64 count = page_count_of(bo);
	int ret;

	pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages)
		return -ENOMEM;

	ret = blocks_alloc(pages, count, run_max(bo));
	if (ret)
		return ret;

	if (bo->shmem.map_wc) {
		ret = set_wc(pages, count);
		if (ret) {
			blocks_free(pages, count);
			return ret;
		}
	}

	WRITE_ONCE(bo->pages, no_free_ptr(pages));

	return 0;
}

/*
 * Give a buffer its memory, unless it has it. The memory cgroup of the first user is charged.
 * Return: as blocks_alloc().
 */
static int pages_get(struct nvfifo_bo *bo)
{
	lockdep_assert_held(&bo->pages_lock);

	if (bo->pages)
		return 0;

	return pages_alloc(bo);
}

/* List a buffer's memory for the DMA layer, unless it is listed. Return: as pages_get(). */
static int table_get(struct nvfifo_bo *bo)
{
	struct sg_table *sgt __free(kfree) = NULL;
	int ret;

	lockdep_assert_held(&bo->pages_lock);

	if (bo->table)
		return 0;

	ret = pages_get(bo);
	if (ret)
		return ret;

	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL_ACCOUNT);
	if (!sgt)
		return -ENOMEM;

	ret = blocks_to_sg(bo->pages, page_count_of(bo), run_max(bo), sgt);
	if (ret)
		return ret;

	bo->table = no_free_ptr(sgt);

	return 0;
}

/*
 * Run a step of the first use of a buffer. The limits of a cgroup may stall a thread that allocates
 * for hours. Another thread that waits for the same buffer must not have to wait for that.
 */
static int pages_step(struct nvfifo_bo *bo, int (*step)(struct nvfifo_bo *bo))
{
	int ret = mutex_lock_killable(&bo->pages_lock);

	if (ret)
		return ret;

	ret = step(bo);
	mutex_unlock(&bo->pages_lock);

	return ret;
}

/**
 * nvfifo_pages_populate() - Give a buffer its memory, unless it has it
 * @bo: the buffer, which is no import
 *
 * Context: Process context, sleeps. Takes nvfifo_bo.pages_lock.
 *
 * Return: 0, -ENOMEM, or -EINTR if the process is being killed.
 */
int nvfifo_pages_populate(struct nvfifo_bo *bo)
{
	return pages_step(bo, pages_get);
}

/**
 * nvfifo_pages_prepare() - Allocate all that nvfifo_pages_map() needs
 * @bo: the buffer, which is no import
 *
 * Context: As nvfifo_pages_populate().
 *
 * Return: as nvfifo_pages_populate().
 */
int nvfifo_pages_prepare(struct nvfifo_bo *bo)
{
	return pages_step(bo, table_get);
}

/**
 * nvfifo_pages_free() - Free a buffer's system memory
 * @bo: the buffer, without users; nothing happens if it has no memory
 */
void nvfifo_pages_free(struct nvfifo_bo *bo)
{
	const u64 count = page_count_of(bo);

	if (bo->table)
		sg_free_table(bo->table);

	kfree(bo->table);

	if (!bo->pages)
		return;

	if (bo->shmem.map_wc)
		unset_wc(bo->pages, count);

	blocks_free(bo->pages, count);
	kvfree(bo->pages);
}

/**
 * nvfifo_pages_map() - Map a buffer's system memory for DMA
 * @bo: the buffer, after nvfifo_pages_prepare(); an import is mapped already
 *
 * The buffer keeps the addresses until it is freed or the card is removed.
 *
 * Context: Process context, sleeps.
 *
 * Return: 0, an errno of nvfifo_pages_populate(), -ENODEV, or an error of the DMA layer.
 */
int nvfifo_pages_map(struct nvfifo_bo *bo)
{
	struct drm_device *drm = bo->shmem.base.dev;
	int ret;

	guard(mutex)(&bo->pages_lock);

	if (bo->shmem.sgt)
		return 0;

	/* Removal of the card has unmapped it. */
	if (bo->shmem.base.import_attach)
		return -ENODEV;

	ret = table_get(bo);
	if (ret)
		return ret;

	ret = dma_map_sgtable(drm->dev, bo->table, DMA_BIDIRECTIONAL, 0);
	if (!ret)
		WRITE_ONCE(bo->shmem.sgt, bo->table);

	return ret;
}

/**
 * nvfifo_pages_read() - Read a buffer's system memory as the CPU sees it
 * @bo: the buffer, which has its memory; an import is mapped as a whole
 * @offset: first byte
 * @to: memory for the copy
 * @bytes: its size
 *
 * Return: 0, or an error of the mapping of an import.
 */
int nvfifo_pages_read(struct nvfifo_bo *bo, u64 offset, void *to, size_t bytes)
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

/* --- GEM object --------------------------------------------------------------- */

/**
 * nvfifo_pages_sgt() - List a buffer's system memory for another driver
 * @obj: the buffer
 *
 * Return: the list, which the caller frees, or an error pointer to -ENOMEM, -ENOSPC or -EINTR.
 */
struct sg_table *nvfifo_pages_sgt(struct drm_gem_object *obj)
{
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);
	int ret = nvfifo_pages_populate(bo);

	if (ret)
		return ERR_PTR(ret);

	return drm_prime_pages_to_sg(obj->dev, bo->pages, page_count_of(bo));
}

static pgprot_t caching(const struct nvfifo_bo *bo, pgprot_t prot)
{
	return bo->shmem.map_wc ? pgprot_writecombine(prot) : prot;
}

/**
 * nvfifo_pages_vmap() - Map a buffer's system memory in the kernel
 * @obj: the buffer
 * @map: set to the mapping; each call makes another
 *
 * Return: 0, -ENOMEM, -ENOSPC or -EINTR.
 */
int nvfifo_pages_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);
	int ret = nvfifo_pages_populate(bo);
	void *address;

	if (ret)
		return ret;

	address = vmap(bo->pages, page_count_of(bo), VM_MAP, caching(bo, PAGE_KERNEL));
	if (!address)
		return -ENOMEM;

	iosys_map_set_vaddr(map, address);

	return 0;
}

/**
 * nvfifo_pages_vunmap() - Undo one nvfifo_pages_vmap()
 * @obj: the buffer
 * @map: the mapping
 */
void nvfifo_pages_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	vunmap(map->vaddr);
}

/**
 * nvfifo_pages_mmap() - Map a buffer's system memory in a process
 * @obj: the buffer
 * @vma: the mapping
 *
 * Return: 0, -EINVAL for a private mapping, or as nvfifo_pages_populate().
 */
int nvfifo_pages_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);

	/* The mapping has page frame numbers only, which the kernel cannot copy at a write. */
	if (vma_is_cow_mapping(vma))
		return -EINVAL;

	vm_flags_set(vma, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_page_prot = caching(bo, vm_get_page_prot(vma->vm_flags));

	return nvfifo_pages_populate(bo);
}

/* Insert the page of a fault, and those after it that the mapping has. */
static vm_fault_t pages_fault(struct vm_fault *vmf)
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

const struct vm_operations_struct nvfifo_pages_vm_ops = {
	.fault = pages_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};
