/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Page tables: the order of stores to them. No MMIO, no allocation, no locks.
 *
 * The kernel driver, its KUnit suites, the command and the benchmark on the
 * host compile nvfifo_pt.c.
 */
#ifndef _NVFIFO_PT_H_
#define _NVFIFO_PT_H_

#include "nvfifo_fmt.h"

/**
 * struct nvfifo_pt - A page table
 * @entries: a copy of the table, for reading
 * @count: number of entries
 * @type: enum nvfifo_pt_type
 * @size: PT_SIZE of the PDE
 * @store: stores a word of the table that the card reads; entry i has the low
 *	word 2 * i and the high word 2 * i + 1. The card sees words in the order
 *	of the calls.
 */
struct nvfifo_pt {
	__u64 *entries;
	__u32 count;
	__u8 type;
	__u8 size;
	void (*store)(struct nvfifo_pt *pt, __u32 word, __u32 val);
};

void nvfifo_pt_write(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte,
		     const __u64 *addresses);
void nvfifo_pt_copy(struct nvfifo_pt *to, const struct nvfifo_pt *from);
__u64 nvfifo_pt_lookup(const struct nvfifo_pt *pt, __u32 index);

#endif
