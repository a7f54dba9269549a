/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_GR_H_
#define _NVFIFO_GR_H_

#include "nvfifo_drv.h"

#define NVFIFO_ENGINE_PGRAPH	1	/* PFIFO's number */

void nvfifo_gr_reset(struct nvfifo_device *ndev);
void nvfifo_gr_init(struct nvfifo_device *ndev);
int nvfifo_gr_chan_init(struct nvfifo_chan *chan);
u32 nvfifo_gr_owner(struct nvfifo_device *ndev);
bool nvfifo_gr_intr(struct nvfifo_device *ndev);
bool nvfifo_gr_unblock(struct nvfifo_device *ndev);
bool nvfifo_gr_is_idle(struct nvfifo_device *ndev);
bool nvfifo_gr_holds(struct nvfifo_device *ndev, u32 desc);
void nvfifo_gr_recover(struct nvfifo_device *ndev);
int nvfifo_gr_wait_idle(struct nvfifo_device *ndev, const char *what);
void nvfifo_gr_pause(struct nvfifo_device *ndev);
void nvfifo_gr_unpause(struct nvfifo_device *ndev);

#endif
