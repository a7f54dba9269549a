/* SPDX-License-Identifier: GPL-2.0-only */
/* Entries of the IB ring, from those of SUBMIT */
#ifndef _NVFIFO_RING_H_
#define _NVFIFO_RING_H_

#include "nvfifo_drv.h"

/* The upper word of a ring entry begins here. */
#define NVFIFO_RING_UPPER	32
#define NVFIFO_RING_WORDS	(NVFIFO_RING_UPPER + __ffs(NVFIFO_IB__WORDS))

static inline u64 nvfifo_ring_flags(u32 flags)
{
	u64 ib = 0;

	if (flags & DRM_NVFIFO_ENTRY_NOT_MAIN)
		ib |= (u64)NVFIFO_IB__NOT_MAIN << NVFIFO_RING_UPPER;
	if (flags & DRM_NVFIFO_ENTRY_NO_PREFETCH)
		ib |= (u64)NVFIFO_IB__NO_PREFETCH << NVFIFO_RING_UPPER;

	return ib;
}

/* An entry of the driver's own, whose fields fit. */
static inline __le64 nvfifo_ring_entry(u64 address, u32 words, u32 flags)
{
	return cpu_to_le64((u64)words << NVFIFO_RING_WORDS | nvfifo_ring_flags(flags) | address);
}

/**
 * nvfifo_ring_encode() - Encode entries of SUBMIT for the ring, and check them
 * @e: the entries, in the kernel's memory
 * @count: number of entries
 * @out: set to the encoded entries; the ring must not get them if this returns false
 *
 * A SUBMIT may have thousands of entries, so the loop has no branch for a rule. It collects the
 * bits that an entry against the rules sets, and tests them at the end:
 *
 * - A number of words above the limit sets an upper bit of @words.
 * - An end above the last address sets a bit of @ends above the 40 bits of an address.
 * - The least valid entry is subtracted from the encoded one. An address below the first one
 *   borrows from the two bits above it, which are 0 in a valid entry. A number of 0 words borrows
 *   from bit 63, which no valid number reaches. Bits 1:0 remain those of the address.
 *
 * The addresses at the end of the 64 bits, whose @ends overflow, set the two bits as well.
 *
 * Return: true if all entries obey the rules.
 */
static inline bool nvfifo_ring_encode(const struct drm_nvfifo_entry *e, u32 count, __le64 *out)
{
	const u64 above = (1ULL << NVFIFO_VA_BITS) - NVFIFO_VA_END - 1;
	const u64 least = 1ULL << NVFIFO_RING_WORDS | NVFIFO_VA_START;
	const u64 wrong = 1ULL << 63 | 3ULL << NVFIFO_VA_BITS | 3;
	u64 rest = 0, ends = 0;
	u32 words = 0, flags = 0, i;

	for (i = 0; i < count; i++) {
		const u64 ib = (u64)e[i].words << NVFIFO_RING_WORDS | e[i].address;

		words |= e[i].words;
		flags |= e[i].flags;
		ends |= e[i].address + e[i].words * 4ULL + above;
		rest |= ib - least;
		out[i] = cpu_to_le64(ib);
	}

	/* Few clients use flags. */
	for (i = 0; flags && i < count; i++)
		out[i] |= cpu_to_le64(nvfifo_ring_flags(e[i].flags));

	if (words & ~NVFIFO_IB_WORDS_MAX || ends >> NVFIFO_VA_BITS || rest & wrong)
		return false;

	return !(flags & ~(DRM_NVFIFO_ENTRY_NOT_MAIN | DRM_NVFIFO_ENTRY_NO_PREFETCH));
}

#endif
