// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Mappings of a card that is gone
 *
 * A process may have mapped VRAM and control pages when the card is pulled out, or the driver is
 * taken off it. An access must neither reach the bus address, which may be another device's, nor
 * end the process. So each buffer and each control page has an ordinary page, the dummy page. From
 * then on it appears at every page of their mappings: zeroed at first, and writable. Its contents
 * mean nothing.
 *
 * drm_dev_unplug() takes all mappings away. nvfifo_mappings_drop() does so for a card that stopped
 * answering while the driver is bound. The page faults that follow insert the dummy page.
 *
 * A card that is stuck keeps its mappings of VRAM, but BAR1 cannot show more of it. There the dummy
 * page appears where nothing was mapped before. Its control pages become dummy pages at once, as
 * nobody may ring a doorbell of a card that is halted.
 */
#include <linux/mm.h>

#include "nvfifo_drv.h"
#include "nvfifo_dummy.h"

/**
 * nvfifo_dummy_insert() - Let the dummy page appear at the address of a page fault
 * @vmf: the page fault, in a mapping with VM_PFNMAP
 * @dummy: the object's page, NULL before the first fault; a lock of the caller guards it
 *
 * Context: Process context, may sleep.
 *
 * Return: as a page fault handler.
 */
vm_fault_t nvfifo_dummy_insert(struct vm_fault *vmf, struct page **dummy)
{
	struct vm_area_struct *vma = vmf->vma;

	if (!*dummy)
		*dummy = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!*dummy)
		return VM_FAULT_OOM;

	/* The page is cached like other memory, whatever the mapping of the card was. */
	return vmf_insert_pfn_prot(vma, vmf->address, page_to_pfn(*dummy),
				   vm_get_page_prot(vma->vm_flags));
}

/**
 * nvfifo_dummy_free() - Free an object's dummy page
 * @dummy: the page, or NULL
 *
 * No mapping of the object is left.
 */
void nvfifo_dummy_free(struct page *dummy)
{
	if (dummy)
		__free_page(dummy);
}
