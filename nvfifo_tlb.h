/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_TLB_H_
#define _NVFIFO_TLB_H_

#include <linux/mutex.h>
#include <linux/types.h>

struct nvfifo_chan;
struct nvfifo_chan_error;
struct nvfifo_device;
struct nvfifo_fault;

/**
 * struct nvfifo_tlb_state - The MMU's registers
 * @lock: guards the TLB flush and the fault record
 * @background: flushes of SEMAPHORE_BG end
 * @pgraph_begun: flushes of PGRAPH's engine that have begun
 */
struct nvfifo_tlb_state {
	struct mutex lock;		/* TLB flush, fault record */
	bool background;
	unsigned int pgraph_begun;
};

/**
 * struct nvfifo_flush - A TLB flush that is under way
 * @engine: NVFIFO_VM_...
 */
struct nvfifo_flush {
	unsigned int engine;
};

void nvfifo_tlb_prepare(struct nvfifo_device *ndev);
void nvfifo_tlb_detach(struct nvfifo_device *ndev);
int nvfifo_tlb_flush_once(struct nvfifo_device *ndev, void *data);
int nvfifo_tlb_flush(struct nvfifo_device *ndev, unsigned int engine);

int nvfifo_tlb_try_background(struct nvfifo_device *ndev);
void nvfifo_tlb_set_background(struct nvfifo_device *ndev, bool on);
bool nvfifo_tlb_background(const struct nvfifo_device *ndev);

bool nvfifo_fault_read(struct nvfifo_device *ndev, struct nvfifo_fault *fault);
void nvfifo_fault_take(struct nvfifo_device *ndev, struct nvfifo_chan *chan,
		       struct nvfifo_chan_error *e);

#endif
