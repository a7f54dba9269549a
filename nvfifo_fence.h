/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_FENCE_H_
#define _NVFIFO_FENCE_H_

#include <linux/dma-fence.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "nvfifo_chan_fmt.h"

/* A word of the fence page for trials of PEEPHOLE: its offset in bytes, and its value */
#define NVFIFO_FENCE_KNOWN	(SZ_4K - 4)
#define NVFIFO_FENCE_KNOWN_WORD	0x7e57ab1e

/*
 * Time for which a thread polls before it sleeps. To sleep takes an interrupt and two context
 * switches, on a slow machine about as long as this.
 */
#define NVFIFO_WAIT_POLL_US		200

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

/**
 * struct nvfifo_job - One SUBMIT
 * @fence: its fence, the first member: the fence's last reference frees the job
 * @lock: of the fence, which may outlive its channel
 * @chan_lock: keeps @chan and @waited; its holder takes notify.lock only
 * @chan: the channel, while the job is in its ring and has not ended
 * @link: in nvfifo_chan.jobs
 * @by_word: in nvfifo_chan.words
 * @word: the word that the card releases, drawn when the job enters a ring in IB mode
 * @slots: number of ring entries, including that of the fence; 1 in DMA mode
 * @written: the job is in the ring, else it waits in the scheduler
 * @waited: someone waits for the fence, so it needs NOTIFY while @chan is set
 * @polled: a thread has polled the fence before it slept
 */
struct nvfifo_job {
	struct dma_fence fence;
	spinlock_t lock;	/* of fence */
	spinlock_t chan_lock;	/* of chan and waited */
	struct nvfifo_chan *chan;
	struct list_head link;
	struct hlist_node by_word;
	u32 word;
	u32 slots;
	bool written;
	bool waited;
	bool polled;
};

u32 nvfifo_fence_first_word(struct nvfifo_chan *chan);
bool nvfifo_fence_word_is_free(const struct nvfifo_chan *chan, u32 word);
struct nvfifo_job *nvfifo_fence_find(const struct nvfifo_chan *chan, u32 word);

void nvfifo_job_init(struct nvfifo_job *job, u64 context, u64 seqno);
void nvfifo_job_enter_ring(struct nvfifo_chan *chan, struct nvfifo_job *job);
void nvfifo_fences_process_locked(struct nvfifo_chan *chan);
void nvfifo_fences_process(struct nvfifo_chan *chan);
bool nvfifo_fences_poll(struct nvfifo_device *ndev);
bool nvfifo_fences_poll_few(struct nvfifo_device *ndev);
bool nvfifo_fences_process_all(struct nvfifo_device *ndev);

u32 nvfifo_wait_poll_begin(struct nvfifo_chan *chan);
void nvfifo_wait_poll_end(struct nvfifo_chan *chan, u32 entries, bool found);

void nvfifo_fences_fail(struct nvfifo_chan *chan, int err, bool end);
void nvfifo_chan_condemn(struct nvfifo_chan *chan, const struct nvfifo_chan_error *error);

#endif
