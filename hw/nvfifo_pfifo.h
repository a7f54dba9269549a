/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * PFIFO's start, and the state of a channel: in CACHE1 while it is loaded, else in its RAMFC.
 *
 * No wait, no lock. The kernel driver and the model in a program's own process compile
 * nvfifo_pfifo.c.
 */
#ifndef _NVFIFO_PFIFO_H_
#define _NVFIFO_PFIFO_H_

#include "nvfifo_chan_fmt.h"
#include "nvfifo_port.h"
#include "uapi/nvfifo_drm.h"

/**
 * struct nvfifo_acquire - A semaphore acquire of a channel
 * @active: the channel waits for it
 * @or_later: for the value or a later one, not for the value alone
 * @offset: offset in the DMA object of DMA_SEMAPHORE
 * @object: offset of the object in the channel structure
 * @value: the value
 */
struct nvfifo_acquire {
	bool active;
	bool or_later;
	__u64 offset;
	__u32 object;
	__u32 value;
};

void nvfifo_pfifo_start(const struct nvfifo_port *port, __u64 playlist);
void nvfifo_position_read(const struct nvfifo_port *port, __u32 id, __u64 inst,
			  struct drm_nvfifo_channel_query *pos);
struct nvfifo_acquire nvfifo_acquire_read(const struct nvfifo_port *port, __u32 id, __u64 inst);
bool nvfifo_cache1_save(const struct nvfifo_port *port, __u64 inst);

#endif
