/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_SCHED_H_
#define _NVFIFO_SCHED_H_

#include <linux/siphash.h>

#include "nvfifo_drv.h"

u32 nvfifo_fence_encipher(const siphash_key_t *key, u32 number);
u32 nvfifo_fence_decipher(const siphash_key_t *key, u32 word);
int nvfifo_chan_sched_init(struct nvfifo_chan *chan);
void nvfifo_chan_sched_pause_all(struct nvfifo_device *ndev);
void nvfifo_chan_sched_unpause_all(struct nvfifo_device *ndev);
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan);
void nvfifo_chan_sched_fini(struct nvfifo_chan *chan);
void nvfifo_fences_process(struct nvfifo_chan *chan);
bool nvfifo_fences_look(struct nvfifo_device *ndev);
bool nvfifo_fences_process_all(struct nvfifo_device *ndev);
void nvfifo_fences_fail(struct nvfifo_chan *chan, int err, bool end);

#endif
