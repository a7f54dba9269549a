/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page tables as the card reads them.
 *
 * The walk uses the bit numbers of the hardware documents and not the helpers of
 * nvfifo_fmt.h, so that a mistake in a helper shows.
 */
#ifndef _NVFIFO_TEST_WALK_H_
#define _NVFIFO_TEST_WALK_H_

#include "nvfifo_test.h"

#define WALK_PRESENT	1ULL
#define WALK_ORDER	0x380ULL

/* Pages that share the PTE. */
static inline u32 nvfifo_test_block(u64 pte)
{
	return pte & WALK_PRESENT ? 1u << (pte >> 7 & 7) : 1;
}

/* The step of each page in address and tag. */
static inline u64 nvfifo_test_step(u64 pte, u32 shift)
{
	return (1ULL << shift) + ((pte >> 47 & 3) << 49);
}

/**
 * nvfifo_test_page() - Target of a PTE
 * @pte: the PTE, the card may have read it at any place in its block
 * @shift: log2 of the table's pages
 * @page: page in that block, or any number whose low bits are the same
 *
 * Return: a PTE for the page alone: its address and tag, block order 0; 0 if not present.
 */
static inline u64 nvfifo_test_page(u64 pte, u32 shift, u32 page)
{
	if (!(pte & WALK_PRESENT))
		return 0;
	return (pte & ~WALK_ORDER) +
	       (page & (nvfifo_test_block(pte) - 1)) * nvfifo_test_step(pte, shift);
}

#endif
