/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_CLEANER_H_
#define _NVFIFO_CLEANER_H_

#include <linux/dma-fence.h>

#include "nvfifo_mem.h"

struct nvfifo_chan;
struct nvfifo_device;
struct nvfifo_vm;
struct work_struct;

/**
 * struct nvfifo_cleaner_state - The channel that clears VRAM
 * @vm: its address space, NULL while there is no channel
 * @chan: the channel
 * @zero: 64 KiB of zeros in instance memory
 * @mem: its segment, and a page that the card writes
 * @launches: number of copies in the segment, 0 before the first extent
 * @words: length of the segment
 * @mem_dma: DMA address of @mem
 * @mem_va: virtual address of @mem
 * @fence: fence of the extent that the card clears, NULL if there is none
 * @cb: queues the work item when @fence is signalled
 * @retry: jiffies from which on a new channel may be created; 0 before the first attempt
 *
 * Only the work item uses these fields, and the card's removal after it has disabled the work item.
 */
struct nvfifo_cleaner_state {
	struct nvfifo_vm *vm;
	struct nvfifo_chan *chan;
	struct nvfifo_inst zero;
	void *mem;
	u32 launches;
	u32 words;
	dma_addr_t mem_dma;
	struct drm_mm_node mem_va;
	struct dma_fence *fence;
	struct dma_fence_cb cb;
	unsigned long retry;
};

void nvfifo_cleaner_work(struct work_struct *work);
void nvfifo_cleaner_fini(struct nvfifo_device *ndev);

#endif
