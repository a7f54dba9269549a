// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Windows in BAR1
 *
 * User space accesses VRAM through BAR1, which is smaller than VRAM. A page fault makes a window of
 * 4 MiB, and may replace the least recently used ones.
 *
 * Mappings of a lost card
 *
 * A process may have mapped VRAM and control pages when the card is pulled out, or the driver is
 * unbound. An access must not reach the bus address, which may belong to another device, and must
 * not kill the process. So each buffer and each control page gets an ordinary page, the dummy page.
 * It replaces every page of their mappings. It is zeroed at first and writable; its contents have
 * no meaning.
 *
 * drm_dev_unplug() zaps all mappings. nvfifo_mappings_drop() does so for a card that stopped
 * answering while the driver is bound. The page faults that follow insert the dummy page. It also
 * does so before each reset of PFIFO, because accesses to BAR1 would be lost meanwhile.
 *
 * A card that is stuck keeps its mappings of VRAM, but BAR1 cannot show more of it. A page fault in
 * such a mapping inserts the dummy page. Control pages become dummy pages at once, because no
 * client may ring a doorbell of a halted card.
 */
#include <linux/mm.h>

#include <drm/drm_vma_manager.h>

#include "mem/nvfifo_bo.h"
#include "nvfifo_drv.h"
#include "mem/nvfifo_window.h"
#include "card/nvfifo_hw.h"
#include "mem/nvfifo_mem.h"

#define WINDOW_BYTES	SZ_4M

/* A part of a VRAM buffer that BAR1 shows. */
struct nvfifo_window {
	struct drm_mm_node node;	/* place in BAR1, in pages of 64 KiB */
	struct nvfifo_bo *bo;
	u64 offset;			/* in the buffer, a multiple of WINDOW_BYTES */
	struct list_head link;		/* in nvfifo_bo.windows */
	struct list_head lru;		/* in nvfifo_device.bar1.windows */
};

/* Remove a window, and its mappings in processes. */
static void window_free(struct nvfifo_device *ndev, struct nvfifo_window *w)
{
	struct drm_gem_object *obj = &w->bo->shmem.base;

	unmap_mapping_range(ndev->drm.anon_inode->i_mapping,
			    drm_vma_node_offset_addr(&obj->vma_node) + w->offset,
			    w->node.size << 16, 1);
	nvfifo_bar1_unmap(ndev, &w->node);
	list_del(&w->link);
	list_del(&w->lru);
	kfree(w);
}

/* Make a window of zeroed memory. Return: the window, or NULL. */
static struct nvfifo_window *window_create(struct nvfifo_bo *bo, u64 offset,
					   struct nvfifo_window *w)
{
	u64 end = min(bo->shmem.base.size, offset + WINDOW_BYTES), pages = (end - offset) >> 16;
	struct nvfifo_extent_walk c = { .bo = bo, .offset = offset, .end = end };
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	int ret;

	while ((ret = drm_mm_insert_node(&ndev->bar1.va, &w->node, pages)) == -ENOSPC &&
	       !list_empty(&ndev->bar1.windows))
		window_free(ndev, list_first_entry(&ndev->bar1.windows, struct nvfifo_window, lru));
	if (ret) {
		kfree(w);
		return NULL;
	}

	w->bo = bo;
	w->offset = offset;
	list_add(&w->link, &bo->windows);
	list_add_tail(&w->lru, &ndev->bar1.windows);

	while (nvfifo_extent_next(&c))
		nvfifo_bar_map(ndev, w->node.start + ((c.offset - offset) >> 16), &c);

	if (!nvfifo_bar1_flush(ndev))
		return w;

	window_free(ndev, w);

	return NULL;
}

/*
 * Find the window of a byte of a VRAM buffer, or make one of @spare, which is NULL then. Return:
 * the window, or NULL.
 */
static struct nvfifo_window *bo_window(struct nvfifo_bo *bo, u64 offset,
				       struct nvfifo_window **spare)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	struct nvfifo_window *w;

	list_for_each_entry(w, &bo->windows, link) {
		if (offset - w->offset < WINDOW_BYTES) {
			list_move_tail(&w->lru, &ndev->bar1.windows);
			return w;
		}
	}

	return window_create(bo, round_down(offset, WINDOW_BYTES), no_free_ptr(*spare));
}

/**
 * nvfifo_windows_free() - Remove all windows of a buffer
 * @bo: the buffer
 */
void nvfifo_windows_free(struct nvfifo_bo *bo)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	struct nvfifo_window *w, *tmp;

	guard(mutex)(&ndev->bar1.lock);

	list_for_each_entry_safe(w, tmp, &bo->windows, link)
		window_free(ndev, w);
}

/**
 * nvfifo_bo_hide_all() - Remove all windows, which page faults create again
 * @ndev: the device
 */
void nvfifo_bo_hide_all(struct nvfifo_device *ndev)
{
	struct nvfifo_window *w, *tmp;

	guard(mutex)(&ndev->bar1.lock);

	list_for_each_entry_safe(w, tmp, &ndev->bar1.windows, lru)
		window_free(ndev, w);
}

/**
 * nvfifo_mappings_drop() - Unmap the card and all buffers from all processes
 * @ndev: the device, marked as lost or stuck, or with doorbells off for a reset of PFIFO
 *
 * The next access of each mapping is a page fault, which waits for the end of the reset. The fault
 * handler then maps the memory again, or the dummy page of a wedged card.
 *
 * Context: Process context, sleeps. Takes bars_lock, which page faults hold from their check of
 * the state to the insertion.
 */
void nvfifo_mappings_drop(struct nvfifo_device *ndev)
{
	/* Wait for page faults that have not seen the new state of the card. */
	down_write(&ndev->mem.bars_lock);
	up_write(&ndev->mem.bars_lock);
	unmap_mapping_range(ndev->drm.anon_inode->i_mapping, 0, 0, 1);
}

/**
 * nvfifo_vram_fault() - Handle a page fault in a mapping of VRAM
 * @vmf: the fault
 *
 * Return: as vm_operations_struct.fault.
 */
vm_fault_t nvfifo_vram_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct drm_gem_object *obj = vma->vm_private_data;
	struct nvfifo_device *ndev = to_nvfifo(obj->dev);
	u64 offset = (u64)(vmf->pgoff - drm_vma_node_start(&obj->vma_node)) << PAGE_SHIFT;
	struct nvfifo_bo *bo = to_nvfifo_bo(obj);
	struct nvfifo_window *spare __free(kfree) = NULL;
	struct nvfifo_window *w = NULL;
	struct page **dummy = NULL;
	vm_fault_t ret;
	u64 bar1;

	/* While PFIFO is in reset the access waits, until a fatal signal at most. */
	if (wait_event_killable(ndev->waiters, !nvfifo_fifo_is_down(ndev)))
		return VM_FAULT_SIGBUS;

	if (nvfifo_check_ending(ndev))
		dummy = &bo->dummy;

	ret = nvfifo_fault_prepare(vmf, dummy);
	if (ret)
		return ret;

	spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (!spare)
		return VM_FAULT_OOM;

	/* The removal of the card waits for this visit, and page faults of others for the lock. */
	CLASS(nvfifo_enter, entered)(ndev);
	guard(mutex)(&ndev->bar1.lock);
	if (entered.is_open && nvfifo_check_wedged(ndev) != -ENODEV)
		w = bo_window(bo, offset, &spare);

	/* nvfifo_mappings_drop() takes this lock after each change of the card's state. */
	guard(rwsem_read)(&ndev->mem.bars_lock);

	if (nvfifo_fifo_is_down(ndev))
		return VM_FAULT_NOPAGE;

	/* The card may have been lost since. A stuck card cannot make new windows. */
	if (!entered.is_open || nvfifo_check_wedged(ndev) == -ENODEV ||
	    (!w && nvfifo_check_wedged(ndev)))
		return nvfifo_dummy_insert(vmf, bo->dummy);

	if (!w)
		return VM_FAULT_SIGBUS;

	bar1 = pci_resource_start(ndev->pdev, 1) + (w->node.start << 16) + (offset - w->offset);

	return vmf_insert_pfn(vma, vmf->address, bar1 >> PAGE_SHIFT);
}

/**
 * nvfifo_user_writes_flush() - Make user space's writes to VRAM visible to the card
 * @ndev: the device
 *
 * A segment may be in VRAM, and user space writes to it through windows in BAR1 only. NVIDIA's nv
 * also reads through BAR1 before it rings a doorbell. Without a window SUBMIT reads no register.
 * The removal of a window has flushed its writes.
 *
 * Return: 0, -EIO or -ENODEV.
 */
int nvfifo_user_writes_flush(struct nvfifo_device *ndev)
{
	if (list_empty_careful(&ndev->bar1.windows))
		return 0;

	return nvfifo_bar_flush(ndev);
}

/* --- Mappings of a lost card --------------------------------------------- */

/**
 * nvfifo_fault_prepare() - Allocate memory for a page fault, before the fault takes a lock
 * @vmf: the page fault, in a mapping with VM_PFNMAP
 * @dummy: the object's dummy page, if the fault will probably need it, or NULL
 *
 * The process pays for its page tables and for the dummy page. The limit of its memory cgroup may
 * stall these allocations, so no lock that another process needs may be held.
 *
 * Context: Process context, sleeps. Outside of CLASS(nvfifo_enter).
 *
 * Return: 0 or VM_FAULT_OOM.
 */
vm_fault_t nvfifo_fault_prepare(struct vm_fault *vmf, struct page **dummy)
{
	struct page *page;

	if (apply_to_page_range(vmf->vma->vm_mm, vmf->address & PAGE_MASK, PAGE_SIZE, NULL, NULL))
		return VM_FAULT_OOM;

	if (!dummy || READ_ONCE(*dummy))
		return 0;

	page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!page)
		return VM_FAULT_OOM;

	if (cmpxchg(dummy, NULL, page))
		__free_page(page);

	return 0;
}

/**
 * nvfifo_dummy_insert() - Insert the dummy page at the address of a page fault
 * @vmf: the page fault, in a mapping with VM_PFNMAP
 * @dummy: the object's page; NULL if the card was lost after nvfifo_fault_prepare(), and then the
 *	access faults again
 *
 * Context: Any lock may be held: nvfifo_fault_prepare() has made the page tables.
 *
 * Return: as vm_operations_struct.fault.
 */
vm_fault_t nvfifo_dummy_insert(struct vm_fault *vmf, struct page *dummy)
{
	struct vm_area_struct *vma = vmf->vma;

	if (!dummy)
		return VM_FAULT_NOPAGE;

	/* The dummy page is cached memory, whatever the attributes of the mapping are. */
	return vmf_insert_pfn_prot(vma, vmf->address, page_to_pfn(dummy),
				   vm_get_page_prot(vma->vm_flags));
}
