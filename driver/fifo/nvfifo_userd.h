/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_USERD_H_
#define _NVFIFO_USERD_H_

#include "nvfifo_drv.h"

/* In UML accesses to BARs are messages, and a page larger than 8 KiB would show two channels. */
#define NVFIFO_USER_QUEUE	(!IS_ENABLED(CONFIG_UML) && PAGE_SIZE <= SZ_8K)

int nvfifo_userd_init(struct nvfifo_chan *chan, struct drm_file *file, __u64 *offset);
int nvfifo_userd_open(struct nvfifo_chan *chan);
void nvfifo_userd_revoke(struct nvfifo_chan *chan);

#endif
