/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_VRAM_H_
#define _NVFIFO_VRAM_H_

#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "mem/nvfifo_mem.h"

struct nvfifo_bo;
struct nvfifo_chan;
struct nvfifo_device;
struct nvfifo_vm;

/**
 * struct nvfifo_clear_state - The channel that clears VRAM
 * @lock: guards the rest, while the card clears memory for a call
 * @work: creates the channel, for the owner of @lock
 * @vm: its address space, NULL while there is no channel
 * @chan: the channel
 * @zero: 64 KiB of zeros in instance memory
 * @mem: its segment, and a page that the card writes
 * @mem_dma: DMA address of @mem
 * @mem_va: virtual address of @mem
 * @retry: jiffies from which on a new channel may be created; 0 before the first attempt
 */
struct nvfifo_clear_state {
	struct mutex lock;		/* the channel that clears VRAM */
	struct work_struct work;
	struct nvfifo_vm *vm;
	struct nvfifo_chan *chan;
	struct nvfifo_inst zero;
	void *mem;
	dma_addr_t mem_dma;
	struct drm_mm_node mem_va;
	unsigned long retry;
};

void nvfifo_clear_prepare(struct nvfifo_device *ndev);
void nvfifo_clear_fini(struct nvfifo_device *ndev);
int nvfifo_clear_bo(struct nvfifo_bo *bo);
void nvfifo_clear_yield(struct nvfifo_device *ndev);

#endif
