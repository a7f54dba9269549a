/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_FENCE_H_
#define _NVFIFO_FENCE_H_

#include <linux/dma-fence.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "nvfifo_chan_fmt.h"

struct nvfifo_chan;
struct nvfifo_device;

/**
 * struct nvfifo_fence_state - Fences of all channels
 * @busy: channels with jobs in their ring, by id (the channel's fence_lock)
 */
struct nvfifo_fence_state {
	DECLARE_BITMAP(busy, NVFIFO_CHANNELS);
};

/**
 * struct nvfifo_fence - A fence, which may outlive all objects but the module
 * @base: the fence
 * @lock: its lock
 */
struct nvfifo_fence {
	struct dma_fence base;
	spinlock_t lock;
};

/**
 * struct nvfifo_job - One SUBMIT
 * @fence: its fence, the first member: the fence's last reference frees the job
 * @link: in nvfifo_chan.jobs
 * @by_word: in nvfifo_chan.words
 * @word: the word that the card releases, drawn when the job enters a ring in IB mode
 * @slots: number of ring entries, including that of the fence; 1 in DMA mode
 * @written: the job is in the ring, else it waits in the scheduler
 */
struct nvfifo_job {
	struct nvfifo_fence fence;
	struct list_head link;
	struct hlist_node by_word;
	u32 word;
	u32 slots;
	bool written;
};

void nvfifo_fence_init(struct nvfifo_fence *fence, u64 context, u64 seqno);

u32 nvfifo_fence_first_word(struct nvfifo_chan *chan);
void nvfifo_fence_draw_word(struct nvfifo_chan *chan, struct nvfifo_job *job);
bool nvfifo_fence_word_is_free(const struct nvfifo_chan *chan, u32 word);
struct nvfifo_job *nvfifo_fence_find(const struct nvfifo_chan *chan, u32 word);

void nvfifo_job_begin(struct nvfifo_chan *chan, struct nvfifo_job *job);
void nvfifo_job_write(struct nvfifo_chan *chan, struct nvfifo_job *job, const __le64 *entries,
		      u32 count);

void nvfifo_fences_process_locked(struct nvfifo_chan *chan);
bool nvfifo_fences_process(struct nvfifo_chan *chan);
bool nvfifo_fences_process_all(struct nvfifo_device *ndev);
void nvfifo_fences_fail(struct nvfifo_chan *chan, int err, bool end);

#endif
