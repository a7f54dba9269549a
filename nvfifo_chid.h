/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_CHID_H_
#define _NVFIFO_CHID_H_

#include <linux/cleanup.h>
#include <linux/types.h>

struct drm_file;
struct nvfifo_chan;
struct nvfifo_device;

/* All channels that run, with fifo_lock held. */
#define nvfifo_for_each_chan(ndev, id, chan) xa_for_each(&(ndev)->fifo.chans, id, chan)

int nvfifo_chid_alloc(struct nvfifo_chan *chan);
void nvfifo_chid_publish(struct nvfifo_chan *chan);
void nvfifo_chid_free(struct nvfifo_chan *chan);

bool nvfifo_chid_any_attached(struct nvfifo_device *ndev);
bool nvfifo_chid_any_leaving(struct nvfifo_device *ndev);
bool nvfifo_chid_is_first_of_vm(struct nvfifo_chan *chan);

struct nvfifo_chan *nvfifo_chan_lookup(struct nvfifo_device *ndev, struct drm_file *file, u32 id,
				       const char *argument);
struct nvfifo_chan *nvfifo_chan_get(struct nvfifo_device *ndev, u32 id);
struct nvfifo_chan *nvfifo_chan_next(struct nvfifo_device *ndev, struct nvfifo_chan *chan);
void nvfifo_chan_put(struct nvfifo_chan *chan);
DEFINE_FREE(chan_put, struct nvfifo_chan *, nvfifo_chan_put(_T))

#endif
