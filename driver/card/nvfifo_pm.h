/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_PM_H_
#define _NVFIFO_PM_H_

#include <linux/pm.h>

/**
 * struct nvfifo_pm_state - System sleep
 * @saved: contents of VRAM during a suspend
 */
struct nvfifo_pm_state {
	struct list_head saved;
};

struct nvfifo_device;

void nvfifo_pm_prepare(struct nvfifo_device *ndev);
void nvfifo_pm_fini(struct nvfifo_device *ndev);

extern const struct dev_pm_ops nvfifo_pm_ops;

#endif
