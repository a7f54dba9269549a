/* SPDX-License-Identifier: GPL-2.0-only */
/* Software objects: methods that no unit of the card executes */
#ifndef _NVFIFO_FIFO_ERROR_H_
#define _NVFIFO_FIFO_ERROR_H_

#include <linux/types.h>
#include <linux/xarray.h>

struct nvfifo_chan;

#define NVFIFO_SUBCHANNELS	8

/**
 * struct nvfifo_software - The software objects of a channel
 * @objects: set of handles
 * @bound: handle of the object bound to each subchannel, or 0 (fifo_lock)
 */
struct nvfifo_software {
	struct xarray objects;
	u32 bound[NVFIFO_SUBCHANNELS];
};

void nvfifo_software_init(struct nvfifo_chan *chan);
void nvfifo_software_fini(struct nvfifo_chan *chan);
int nvfifo_software_add(struct nvfifo_chan *chan, u32 handle);
void nvfifo_software_remove(struct nvfifo_chan *chan, u32 handle);
bool nvfifo_software_method(struct nvfifo_chan *chan, u32 subc, u32 mthd, u32 data);

#endif
