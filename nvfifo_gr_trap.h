/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_GR_TRAP_H_
#define _NVFIFO_GR_TRAP_H_

#include <linux/types.h>

struct nvfifo_chan;
struct nvfifo_device;

void nvfifo_gr_trap_report(struct nvfifo_device *ndev, struct nvfifo_chan *chan, u32 units);
void nvfifo_gr_trap_release(struct nvfifo_device *ndev, u32 units);

#endif
