/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_IRQ_H_
#define _NVFIFO_IRQ_H_

#include "nvfifo_drv.h"

void nvfifo_msi_rearm(struct nvfifo_device *ndev);
int nvfifo_irq_init(struct nvfifo_device *ndev);
void nvfifo_irq_start(struct nvfifo_device *ndev);
void nvfifo_irq_stop(struct nvfifo_device *ndev);
void nvfifo_irq_fini(struct nvfifo_device *ndev);
void nvfifo_irq_heal(struct nvfifo_device *ndev);
void nvfifo_fifo_drop(struct nvfifo_chan *chan);
void nvfifo_fifo_unblock(struct nvfifo_device *ndev);
bool nvfifo_fault_read(struct nvfifo_device *ndev, struct nvfifo_fault *fault);
void nvfifo_fault_take(struct nvfifo_device *ndev, const struct nvfifo_chan *chan,
		       struct drm_nvfifo_channel_query *e);

#endif
