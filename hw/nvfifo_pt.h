/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Page tables as memory: no MMIO, no allocation, no locks.
 *
 * The kernel driver, its KUnit suites and the benchmark on the host compile
 * nvfifo_pt.c.
 */
#ifndef _NVFIFO_PT_H_
#define _NVFIFO_PT_H_

#include "nvfifo_fmt.h"

#ifdef __KERNEL__
#include <linux/ktime.h>
#include <linux/list.h>

struct nvfifo_device;
struct nvfifo_inst;
struct nvfifo_vm;
#endif

/* A page table. */
struct nvfifo_pt {
	__le64 *entries;
	__u32 count;
	__u8 type;	/* enum nvfifo_pt_type */
	__u8 size;	/* PT_SIZE of the PDE */
	void (*on_store)(struct nvfifo_pt *pt, __u32 index);	/* KUnit: called after each store */
	/* NULL, or stores the same entries in the table that the card reads instead of @entries */
	void (*mirror)(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte);
#ifdef __KERNEL__
	struct nvfifo_device *ndev;
	struct nvfifo_inst *inst;	/* in VRAM, else NULL and in system memory at @dma */
	dma_addr_t dma;
	struct list_head all;	/* in the device's list */
	struct list_head link;	/* while it is planned, or replaced and still in TLBs */
	__u32 index;		/* the PDE it is planned for */
	bool copy;		/* the installed table has mappings to copy */
	struct nvfifo_vm *vm;	/* in VRAM: the address space, during nvfifo_mmu_write() */
	bool frozen;		/* in VRAM: PFIFO stands still for a change of it */
	ktime_t frozen_since;
	__u8 old_type, old_size;	/* the plan before */
#endif
};

void nvfifo_pt_write(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte,
		     const __u64 *addresses);
void nvfifo_pt_copy(struct nvfifo_pt *to, const struct nvfifo_pt *from);
__u64 nvfifo_pt_lookup(const struct nvfifo_pt *pt, __u32 index);

#endif
