/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_RESET_H_
#define _NVFIFO_RESET_H_

#include "nvfifo_recover.h"

struct nvfifo_device;

int nvfifo_reset_rung(struct nvfifo_device *ndev, enum nvfifo_rung rung);
void nvfifo_reset_done(struct nvfifo_device *ndev);
void nvfifo_reset_park(struct nvfifo_device *ndev);

#endif
