/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_TRIAL_H_
#define _NVFIFO_TRIAL_H_

#include "nvfifo_drv.h"

int nvfifo_trial_run(struct nvfifo_device *ndev);

#endif
