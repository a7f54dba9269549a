/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_OBJECT_H_
#define _NVFIFO_OBJECT_H_

#include <linux/types.h>

struct nvfifo_chan;
struct nvfifo_class;
struct nvfifo_device;

int nvfifo_object_enter(struct nvfifo_chan *chan, u32 handle, const struct nvfifo_class *class,
			const u32 *w);
void nvfifo_chan_bos_free(struct nvfifo_chan *chan);
u32 nvfifo_bound_engines(const struct nvfifo_device *ndev);

#endif
