/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_FENCE_H_
#define _NVFIFO_FENCE_H_

#include <linux/dma-fence.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>

#include <drm/gpu_scheduler.h>

#include "nvfifo_chan_fmt.h"
#include "uapi/nvfifo_drm.h"

struct nvfifo_chan;
struct nvfifo_chan_error;
struct nvfifo_device;

/**
 * struct nvfifo_fence_state - Fences of all channels
 * @busy: channels with jobs in their ring, by id (the channel's fence_lock)
 */
struct nvfifo_fence_state {
	DECLARE_BITMAP(busy, NVFIFO_CHANNELS);
};

/* One SUBMIT. Embeds its fence, and is freed with the fence's last reference. */
struct nvfifo_job {
	struct dma_fence fence;	/* the card releases the low half of its seqno */
	spinlock_t lock;	/* of the fence, which may outlive its channel */
	struct list_head link;	/* in nvfifo_chan.jobs */
	bool written;		/* to the ring, else it waits for the scheduler */
	struct drm_sched_job base;	/* if it has to wait; it has a reference to the fence */
	struct nvfifo_chan *chan;	/* and one to the channel */
	u32 slots;		/* ring entries with that of the fence; in DMA mode one */
	u32 count;
	struct drm_nvfifo_entry entries[] __counted_by(count);
};

u32 nvfifo_fence_encrypt(const siphash_key_t *key, u32 seqno);
u32 nvfifo_fence_decrypt(const siphash_key_t *key, u32 word);

void nvfifo_fence_mark_busy(struct nvfifo_chan *chan);
void nvfifo_fences_process_locked(struct nvfifo_chan *chan);
void nvfifo_fences_process(struct nvfifo_chan *chan);
bool nvfifo_fences_look(struct nvfifo_device *ndev);
bool nvfifo_fences_process_all(struct nvfifo_device *ndev);

void nvfifo_fences_fail(struct nvfifo_chan *chan, int err, bool end);
void nvfifo_chan_condemn(struct nvfifo_chan *chan, const struct nvfifo_chan_error *error);

#endif
