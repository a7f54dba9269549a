// SPDX-License-Identifier: GPL-2.0-only
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
 * - Only OBJECT_CREATE makes DMA objects.
 * - Invalid pointers cause an error of this channel, or keep it busy until the end of its
 *   timeslice.
 *
 * The owner may map the page when PFIFO knows the channel. The driver unmaps the page before it
 * takes the channel off the card, and when the card is wedged.
 * A later access finds a dummy page in its place. There are no fences: CHANNEL_WAIT polls memory
 * when the channel raises an interrupt.
 */
#include <linux/mm.h>

#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>

#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "mem/nvfifo_window.h"
#include "card/nvfifo_hw.h"
#include "nvfifo_pusher.h"
#include "fifo/nvfifo_userd.h"

/* GEM object of a control page, for mmap(). It has no handle, and may outlive its channel. */
struct nvfifo_control {
	struct drm_gem_object base;
	struct mutex lock;	/* chan */
	struct nvfifo_chan *chan;
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

	mutex_destroy(&control->lock);
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

	ret = nvfifo_fault_prepare(vmf, dummy);
	if (ret)
		return ret;

	guard(mutex)(&control->lock);

	/* nvfifo_mappings_drop() takes this lock after each change of the card's state. */
	guard(rwsem_read)(&ndev->mem.bars_lock);

	if (nvfifo_fifo_is_down(ndev))
		return VM_FAULT_NOPAGE;

	chan = control->chan;
	if (!chan || nvfifo_check_wedged(ndev))
		return nvfifo_dummy_insert(vmf, control->dummy);

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
 * nvfifo_userd_init() - Make the control page of a channel, which no file may map yet
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

	mutex_init(&control->lock);
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
 * The owner can guess the offset while CHANNEL_CREATE still waits. No source has the effect of an
 * access to the page before PFIFO knows the channel.
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_userd_open(struct nvfifo_chan *chan)
{
	struct nvfifo_control *control = to_control(chan->control);

	guard(mutex)(&control->lock);

	/* The channel has ended since, and nvfifo_userd_revoke() does nothing any more. */
	if (!control->chan)
		return 0;

	return drm_vma_node_allow(&control->base.vma_node, control->file);
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
	scoped_guard(mutex, &control->lock) {
		if (control->chan)
			drm_vma_node_revoke(&control->base.vma_node, control->file);

		WRITE_ONCE(control->chan, NULL);
	}

	drm_vma_node_unmap(&control->base.vma_node, chan->ndev->drm.anon_inode->i_mapping);
}
