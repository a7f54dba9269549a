/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_NOTIFY_H_
#define _NVFIFO_NOTIFY_H_

#include <linux/spinlock.h>
#include <linux/types.h>

struct nvfifo_device;

/**
 * struct nvfifo_notify_state - The interrupts of PFIFO that are on
 * @lock: guards the other members and PFIFO.INTR_EN
 * @running: PFIFO and the handler run, so INTR_EN may be written
 * @possible: the interrupts that PFIFO may raise now
 * @enabled: the value of INTR_EN
 * @sleepers: threads and fences that NOTIFY has to wake
 */
struct nvfifo_notify_state {
	spinlock_t lock;	/* the other members, and INTR_EN */
	bool running;
	u32 possible;
	u32 enabled;
	u32 sleepers;
};

void nvfifo_notify_prepare(struct nvfifo_device *ndev);
void nvfifo_fifo_intr_start(struct nvfifo_device *ndev, u32 intr);
void nvfifo_fifo_intr_stop(struct nvfifo_device *ndev);
void nvfifo_fifo_intr_mask(struct nvfifo_device *ndev, u32 clear);
u32 nvfifo_fifo_intr_enabled(struct nvfifo_device *ndev);

void nvfifo_notify_get(struct nvfifo_device *ndev);
void nvfifo_notify_put(struct nvfifo_device *ndev);
bool nvfifo_notify_is_needed(const struct nvfifo_device *ndev);
void nvfifo_notify_rest(struct nvfifo_device *ndev);

#endif
