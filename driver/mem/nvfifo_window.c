// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Windows in BAR1
 *
 * User space accesses VRAM through BAR1, which is smaller than VRAM. A page fault creates a window
 * of 4 MiB, and may replace the least recently used ones.
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
#include <drm/drm_gem.h>

#include "mem/nvfifo_bo.h"
#include "nvfifo_drv.h"
#include "card/nvfifo_hw.h"
#include "mem/nvfifo_mem.h"
#include "fifo/nvfifo_chan.h"
#include "nvfifo_pusher.h"

/* --- Mappings of a lost card --------------------------------------------- */

/*
 * Allocate memory for a page fault, before the fault takes a lock, outside of CLASS(nvfifo_enter).
 * @dummy is the object's dummy page if the fault will probably need it, or NULL. The process pays
 * for its page tables and for the dummy page. The limit of its memory cgroup may stall these
 * allocations, so no lock that another process needs may be held.
 */
static vm_fault_t fault_prepare(struct vm_fault *vmf, struct page **dummy)
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

/*
 * Insert the dummy page at the address of a page fault, with any lock held: fault_prepare() has
 * allocated the page tables. Without @dummy the card was lost since, and the access faults again.
 */
static vm_fault_t dummy_insert(struct vm_fault *vmf, struct page *dummy)
{
	struct vm_area_struct *vma = vmf->vma;

	if (!dummy)
		return VM_FAULT_NOPAGE;

	/* The dummy page is cached memory, whatever the attributes of the mapping are. */
	return vmf_insert_pfn_prot(vma, vmf->address, page_to_pfn(dummy),
				   vm_get_page_prot(vma->vm_flags));
}

/* --- Windows in BAR1 ------------------------------------------------------ */

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

/* Set up a window in zeroed memory. Return: the window, or NULL. */
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
 * Find the window of a byte of a VRAM buffer, or use @spare for it, and set that to NULL. Return:
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

	ret = fault_prepare(vmf, dummy);
	if (ret)
		return ret;

	spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (!spare)
		return VM_FAULT_OOM;

	/* The removal of the card waits for this fault, and page faults of others for the lock. */
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
		return dummy_insert(vmf, bo->dummy);

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

/* --- Control pages of user queues ----------------------------------------- */

/**
 * DOC: User queues (USERD)
 *
 * The owner of a channel may ring its doorbell directly. The owner maps one page of BAR0, the
 * channel's control page; ring and pushbuffers are buffers of the owner. This is safe for these
 * reasons:
 *
 * - The 8 KiB of BAR0 that belong to a channel show the pointers of that channel, and no
 *   other registers. Only the first 4 KiB are mapped.
 * - PFIFO reaches ring, segments, and the memory of their commands through the page tables of the
 *   owner's address space. They map no instance memory. They map the driver's memory read-only,
 *   except the fence pages of the owner's own channels.
 * - Only OBJECT_CREATE creates DMA objects.
 * - Invalid pointers cause an error of this channel, or keep it busy until the end of its
 *   timeslice.
 *
 * The owner may map the page when PFIFO knows the channel. The driver unmaps the page before it
 * takes the channel off the card, and when the card is wedged.
 * A later access finds a dummy page in its place. There are no fences: CHANNEL_WAIT polls memory
 * when the channel raises an interrupt.
 */

/* GEM object of a control page, for mmap(). It has no handle, and may outlive its channel. */
struct nvfifo_control {
	struct drm_gem_object base;
	struct nvfifo_chan *chan;	/* NULL after the revocation (bars_lock) */
	struct drm_file *file;	/* the file that may map it; not valid after the revocation */
	struct page *dummy;	/* shown after the channel's end, or NULL before */
};

static struct nvfifo_control *to_control(struct drm_gem_object *obj)
{
	return container_of(obj, struct nvfifo_control, base);
}

static void control_free(struct drm_gem_object *obj)
{
	struct nvfifo_control *control = to_control(obj);

	drm_gem_object_release(obj);
	if (control->dummy)
		__free_page(control->dummy);

	kfree(control);
}

static vm_fault_t control_fault(struct vm_fault *vmf)
{
	struct nvfifo_control *control = to_control(vmf->vma->vm_private_data);
	struct nvfifo_device *ndev = to_nvfifo(control->base.dev);
	struct page **dummy = NULL;
	struct nvfifo_chan *chan;
	unsigned long pfn;
	vm_fault_t ret;

	/* While PFIFO is in reset the access waits, until a fatal signal at most. */
	if (wait_event_killable(ndev->waiters, !nvfifo_fifo_is_down(ndev)))
		return VM_FAULT_SIGBUS;

	if (!READ_ONCE(control->chan) || nvfifo_check_wedged(ndev))
		dummy = &control->dummy;

	ret = fault_prepare(vmf, dummy);
	if (ret)
		return ret;

	/* As in nvfifo_vram_fault(). nvfifo_userd_revoke() also takes this lock. */
	guard(rwsem_read)(&ndev->mem.bars_lock);

	if (nvfifo_fifo_is_down(ndev))
		return VM_FAULT_NOPAGE;

	chan = control->chan;
	if (!chan || nvfifo_check_wedged(ndev))
		return dummy_insert(vmf, control->dummy);

	pfn = PHYS_PFN(pci_resource_start(chan->ndev->pdev, 0) + nvfifo_user(chan->id, 0));

	return vmf_insert_pfn_prot(vmf->vma, vmf->vma->vm_start, pfn,
				   pgprot_noncached(vmf->vma->vm_page_prot));
}

static const struct vm_operations_struct control_vm_ops = {
	.fault = control_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

static int control_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	/* A private mapping would copy the page on write. */
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;

	vm_flags_clear(vma, VM_MAYEXEC);
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);

	return 0;
}

static const struct drm_gem_object_funcs control_funcs = {
	.free = control_free,
	.mmap = control_mmap,
	.vm_ops = &control_vm_ops,
};

/**
 * nvfifo_userd_init() - Create the control page of a channel, which no file may map yet
 * @chan: the channel, which does not run yet
 * @file: the file that may map the page
 * @offset: set to the offset for mmap()
 *
 * Return: 0, -ENOMEM, or an errno of DRM.
 */
int nvfifo_userd_init(struct nvfifo_chan *chan, struct drm_file *file, __u64 *offset)
{
	struct nvfifo_control *control = kzalloc(sizeof(*control), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!control)
		return -ENOMEM;

	control->base.funcs = &control_funcs;
	control->chan = chan;
	control->file = file;
	drm_gem_private_object_init(&chan->ndev->drm, &control->base, PAGE_SIZE);
	chan->control = &control->base;
	ret = drm_gem_create_mmap_offset(chan->control);
	if (ret)
		return ret;

	*offset = drm_vma_node_offset_addr(&chan->control->vma_node);

	return 0;
}

/**
 * nvfifo_userd_open() - Let the owner map the control page
 * @chan: the channel, which PFIFO may run
 *
 * The owner can guess the offset while CHANNEL_CREATE still waits. No source describes an access to
 * the page before PFIFO knows the channel.
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_userd_open(struct nvfifo_chan *chan)
{
	struct nvfifo_control *control = to_control(chan->control);
	int ret = drm_vma_node_allow(&control->base.vma_node, control->file);

	if (ret)
		return ret;

	/* If the channel has ended before that, nvfifo_userd_revoke() does nothing any more. */
	guard(rwsem_read)(&chan->ndev->mem.bars_lock);

	if (!control->chan)
		drm_vma_node_revoke(&control->base.vma_node, control->file);

	return 0;
}

/**
 * nvfifo_userd_revoke() - Unmap the control page for good
 * @chan: the channel; nothing happens without a user queue
 *
 * The owner's mappings show the dummy page from then on, and new mappings are refused.
 */
void nvfifo_userd_revoke(struct nvfifo_chan *chan)
{
	struct nvfifo_control *control;

	if (!chan->control)
		return;

	control = to_control(chan->control);
	scoped_guard(rwsem_write, &chan->ndev->mem.bars_lock) {
		if (control->chan)
			drm_vma_node_revoke(&control->base.vma_node, control->file);

		WRITE_ONCE(control->chan, NULL);
	}

	drm_vma_node_unmap(&control->base.vma_node, chan->ndev->drm.anon_inode->i_mapping);
}
