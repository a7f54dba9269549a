// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: Page tables
 *
 * A page table entry is one 64-bit store, and the card may look at any moment. After each single
 * store every address is at its old page, at its new page, or absent.
 *
 * Up to 128 entries can form a contig block, which shares one TLB entry. Its entries are aligned
 * and equal, and hold the address and compression tag of the block's first page. A cut inside a
 * block rewrites the rest of the block as smaller blocks first, which changes no translation.
 */
#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/string.h>
#endif

#include "nvfifo_pt.h"

/* The CPU's string stores also store whole entries, and are faster from this number on. */
#define FILL_LONG	32

#define CONTIG_MASK	((__u64)NVFIFO_PTE_CONTIG_MAX << NVFIFO_PTE_CONTIG_SHIFT)

static inline __u64 entry(const struct nvfifo_pt *pt, __u32 index)
{
	return le64_to_cpu(pt->entries[index]);
}

static inline __u32 block_pages(__u64 pte)
{
	return pte & NVFIFO_PTE_PRESENT ? 1u << nvfifo_pte_decode(pte).contig : 1;
}

static inline void fill(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte)
{
	const __le64 val = cpu_to_le64(pte);
	__le64 *at = pt->entries + index, *end = at + count;
	const bool watched = IS_ENABLED(CONFIG_NVFIFO_KUNIT_TEST) && pt->on_store;

	if (pt->mirror)
		pt->mirror(pt, index, count, pte);

	if (count >= FILL_LONG && !watched) {
		memset64((__u64 *)at, (__force __u64)val, count);
		return;
	}

	for (; at < end; at++) {
		WRITE_ONCE(*at, val);

		if (watched)
			pt->on_store(pt, (__u32)(at - pt->entries));
	}
}

/* Write entries in the largest blocks that fit, over blocks of any size. */
static void write_blocks(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte)
{
	const __u64 step = nvfifo_pte_step(nvfifo_pt_page_shift(pt->type), pte);
	const __u32 end = index + count;

	pte &= ~CONTIG_MASK;

	while (index < end) {
		unsigned int contig = nvfifo_pte_contig(index, end - index);

		fill(pt, index, 1u << contig, pte | (__u64)contig << NVFIFO_PTE_CONTIG_SHIFT);
		index += 1u << contig;
		pte += step << contig;
	}
}

/* Pages that do not follow each other: one store for each, without a call. */
static void write_scattered(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte,
			    const __u64 *addresses)
{
	__le64 *at = pt->entries + index;
	__u32 i;

	if (pt->mirror || (IS_ENABLED(CONFIG_NVFIFO_KUNIT_TEST) && pt->on_store)) {
		for (i = 0; i < count; i++)
			fill(pt, index + i, 1, pte | addresses[i]);
		return;
	}

	for (i = 0; i < count; i++)
		WRITE_ONCE(at[i], cpu_to_le64(pte | addresses[i]));
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
	__u64 pte = entry(pt, index);

	if (!(pte & NVFIFO_PTE_PRESENT))
		return 0;

	return (pte & ~CONTIG_MASK) + (index & (block_pages(pte) - 1)) *
	       nvfifo_pte_step(nvfifo_pt_page_shift(pt->type), pte);
}

/* Split the block that reaches over the border before @index. */
static void split(struct nvfifo_pt *pt, __u32 index)
{
	__u32 pages, first;

	if (index >= pt->count)
		return;

	pages = block_pages(entry(pt, index));
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
 * is present afterwards.
 *
 * Context: Any, but for a table in VRAM, which is written in process context.
 */
void nvfifo_pt_write(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte,
		     const __u64 *addresses)
{
	split(pt, index);
	split(pt, index + count);

	if (!pte)
		fill(pt, index, count, 0);
	else if (!addresses)
		write_blocks(pt, index, count, pte);
	else
		write_scattered(pt, index, count, pte, addresses);
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
		__u64 pte = entry(from, i);

		pages = block_pages(pte);

		if (pte & NVFIFO_PTE_PRESENT)
			write_blocks(to, i << ratio, pages << ratio, pte);
	}
}
