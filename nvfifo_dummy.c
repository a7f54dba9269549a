// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Mappings of a lost card
 *
 * A process may have mapped VRAM and control pages when the card is pulled out, or the driver is
 * unbound. An access must not reach the bus address, which may belong to another device, and must
 * not kill the process. So each buffer and each control page gets an ordinary page, the dummy page.
 * It replaces every page of their mappings. It is zeroed at first and writable; its contents have
 * no meaning.
 *
 * drm_dev_unplug() zaps all mappings. nvfifo_mappings_drop() does so for a card that stopped
 * answering while the driver is bound. The page faults that follow insert the dummy page.
 *
 * A card that is stuck keeps its mappings of VRAM, but BAR1 cannot show more of it. A page fault in
 * such a mapping inserts the dummy page. Control pages become dummy pages at once, because no
 * client may ring a doorbell of a halted card.
 */
#include <linux/mm.h>

#include "nvfifo_drv.h"
#include "nvfifo_dummy.h"

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
