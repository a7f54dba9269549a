/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_SCHED_H_
#define _NVFIFO_SCHED_H_

#include "nvfifo_drv.h"

struct dma_fence *nvfifo_submit_segment(struct nvfifo_chan *chan, u64 address, u32 words);
int nvfifo_chan_sched_init(struct nvfifo_chan *chan);
void nvfifo_chan_sched_pause_all(struct nvfifo_device *ndev);
void nvfifo_chan_sched_unpause_all(struct nvfifo_device *ndev);
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan);
void nvfifo_chan_sched_fini(struct nvfifo_chan *chan);

#endif
