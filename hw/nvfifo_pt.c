// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: Page tables
 *
 * A page table entry has two words, and the card may look between two stores. The low word has the
 * valid bit. So an entry is made by its high word, then its low word, and removed by its low word
 * first. If only the low word differs, one store replaces the entry. If the high word differs, too,
 * the entry is absent between the stores: only its own page faults then.
 *
 * Up to 128 entries can form a contig block, which shares one TLB entry. Its entries are aligned
 * and equal, and hold the address of the block's first page. A cut inside a block first rewrites
 * the rest of the block as smaller blocks, which changes no translation. It must leave no gap, so
 * all pages of a block have the same high word. No block crosses a multiple of 4 GiB, and
 * compressed memory, whose pages have different tags, has no blocks.
 */
#include "nvfifo_pt.h"

#define CONTIG_MASK	((__u64)NVFIFO_PTE_CONTIG_MAX << NVFIFO_PTE_CONTIG_SHIFT)

static inline __u32 block_pages(__u64 pte)
{
	return pte & NVFIFO_PTE_PRESENT ? 1u << nvfifo_pte_decode(pte).contig : 1;
}

static void store(struct nvfifo_pt *pt, __u32 index, __u64 pte)
{
	const __u64 old = pt->entries[index];
	const bool high = (old ^ pte) >> 32;

	if (high && old & NVFIFO_PTE_PRESENT)
		pt->store(pt, 2 * index, 0);
	if (high)
		pt->store(pt, 2 * index + 1, (__u32)(pte >> 32));
	if (!high || pte & NVFIFO_PTE_PRESENT)
		pt->store(pt, 2 * index, (__u32)pte);

	pt->entries[index] = pte;
}

/* Get the order of the largest block of a mapping of @count pages that can begin at @index. */
static unsigned int block_order(const struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte)
{
	const unsigned int shift = nvfifo_pt_page_shift(pt->type);
	const __u64 low = (__u32)pte & NVFIFO_PTE_ADDR_MASK;
	/* The pages that begin before the next multiple of 4 GiB */
	const __u64 pages = ((1ULL << 32) - low + (1ULL << shift) - 1) >> shift;

	if (nvfifo_pte_comp(pte))
		return 0;

	return nvfifo_pte_contig(index, pages < count ? (__u32)pages : count);
}

/* Write entries in the largest blocks that fit, over blocks of any size. */
static void write_blocks(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte)
{
	const __u64 step = nvfifo_pte_step(nvfifo_pt_page_shift(pt->type), pte);
	const __u32 end = index + count;

	pte &= ~CONTIG_MASK;

	while (index < end) {
		const unsigned int contig = block_order(pt, index, end - index, pte);
		const __u32 next = index + (1u << contig);

		for (; index < next; index++)
			store(pt, index, pte | (__u64)contig << NVFIFO_PTE_CONTIG_SHIFT);

		pte += step << contig;
	}
}

/**
 * nvfifo_pt_lookup() - Find the PTE of a page as if it were in no block
 * @pt: the table, which the caller keeps from changes
 * @index: of the entry, below the number of entries
 *
 * Context: Any.
 *
 * Return: the PTE, 0 if it is not present.
 */
__u64 nvfifo_pt_lookup(const struct nvfifo_pt *pt, __u32 index)
{
	__u64 pte = pt->entries[index];

	if (!(pte & NVFIFO_PTE_PRESENT))
		return 0;

	return (pte & ~CONTIG_MASK) + (index & (block_pages(pte) - 1)) *
	       nvfifo_pte_step(nvfifo_pt_page_shift(pt->type), pte);
}

/* Split the block that reaches over the border before @index. */
static void split_block(struct nvfifo_pt *pt, __u32 index)
{
	__u32 pages, first;

	if (index >= pt->count)
		return;

	pages = block_pages(pt->entries[index]);
	first = index & ~(pages - 1);
	if (first == index)
		return;

	write_blocks(pt, index, first + pages - index, nvfifo_pt_lookup(pt, index));
	write_blocks(pt, first, index - first, nvfifo_pt_lookup(pt, first));
}

/**
 * nvfifo_pt_write() - Write PTEs, over mappings or absent entries
 * @pt: the table, which the caller keeps from other changes
 * @index: of the first entry
 * @count: number of entries, all inside of the table
 * @pte: of the first page: address, a multiple of 4 KiB, tag and attributes
 * @addresses: of all pages, each alone, and @pte has the attributes only; or NULL
 *
 * Without @addresses the memory is contiguous and gets the largest blocks. If @pte is 0 no entry
 * is present afterwards. Pages outside of the range are never absent in between.
 *
 * Context: As nvfifo_pt.store.
 */
void nvfifo_pt_write(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte,
		     const __u64 *addresses)
{
	__u32 i;

	split_block(pt, index);
	split_block(pt, index + count);

	if (pte && !addresses) {
		write_blocks(pt, index, count, pte);
		return;
	}

	for (i = 0; i < count; i++)
		store(pt, index + i, addresses ? pte | addresses[i] : 0);
}

/**
 * nvfifo_pt_copy() - Copy the mappings of another table
 * @to: the new table, empty, long enough, and not yet known to the card
 * @from: the old table
 *
 * Pages of @to are as large as those of @from, or smaller if nothing is compressed.
 *
 * Context: As nvfifo_pt_write().
 */
void nvfifo_pt_copy(struct nvfifo_pt *to, const struct nvfifo_pt *from)
{
	unsigned int ratio = nvfifo_pt_page_shift(from->type) - nvfifo_pt_page_shift(to->type);
	__u32 i, pages;

	for (i = 0; i < from->count; i += pages) {
		__u64 pte = from->entries[i];

		pages = block_pages(pte);

		if (pte & NVFIFO_PTE_PRESENT)
			write_blocks(to, i << ratio, pages << ratio, pte);
	}
}
