/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_WATCH_H_
#define _NVFIFO_WATCH_H_

#include "nvfifo_clock.h"

struct nvfifo_device;

void nvfifo_watch_prepare(struct nvfifo_device *ndev);
void nvfifo_watch_stop(struct nvfifo_device *ndev);

#endif
