/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_CARD_START_H_
#define _NVFIFO_CARD_START_H_

#include "nvfifo_drv.h"

bool nvfifo_card_find_firmware_fb(const struct pci_dev *pdev, u64 *first, u64 *end);
int nvfifo_card_map(struct nvfifo_device *ndev);
int nvfifo_card_start(struct nvfifo_device *ndev);
void nvfifo_card_reset_units(struct nvfifo_device *ndev);
void nvfifo_card_mask_units(struct nvfifo_device *ndev);
int nvfifo_timer_start(struct nvfifo_device *ndev);
u64 nvfifo_timer_read(struct nvfifo_device *ndev);
void nvfifo_timer_intr(struct nvfifo_device *ndev);

#endif
