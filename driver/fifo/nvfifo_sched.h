/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_SCHED_H_
#define _NVFIFO_SCHED_H_

#include <linux/dma-fence.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include <drm/gpu_scheduler.h>

#include "nvfifo_chan_fmt.h"
#include "uapi/nvfifo_drm.h"

struct dma_fence_chain;
struct drm_file;
struct drm_syncobj;
struct nvfifo_chan;
struct nvfifo_device;
struct workqueue_struct;

#define NVFIFO_MAX_SYNCS	256

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
	spinlock_t lock;		/* of base */
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

/* A scheduler with a single entity: its jobs run one after the other. */
struct nvfifo_queue {
	bool set_up;		/* nvfifo_queue_init() has succeeded; user queues have none */
	struct drm_gpu_scheduler sched;
	struct drm_sched_entity entity;
	struct mutex lock;			/* stop and start of the scheduler's work item */
	bool paused;				/* the work item is stopped (lock) */
};

/* A syncobj that a call waits for or signals. */
struct nvfifo_sync {
	struct dma_fence *wait;		/* not signalled yet at the time of the call */
	struct drm_syncobj *syncobj;	/* gets the fence of the call */
	struct dma_fence_chain *chain;	/* for a timeline point */
	u64 point;
};

/* Number of syncobjs that need no allocation. */
#define NVFIFO_FEW_SYNCS	2

/* The syncobjs of a call, and the number of unsignalled ones that it waits for. */
struct nvfifo_syncs {
	struct nvfifo_sync *syncs;
	struct nvfifo_sync few[NVFIFO_FEW_SYNCS];
	u32 count;
	u32 num_waits;
};

void nvfifo_fence_init(struct nvfifo_fence *fence, u64 context, u64 seqno);

u32 nvfifo_fence_first_word(struct nvfifo_chan *chan);
void nvfifo_fence_draw_word(struct nvfifo_chan *chan, struct nvfifo_job *job);
bool nvfifo_fence_word_is_free(const struct nvfifo_chan *chan, u32 word);
struct nvfifo_job *nvfifo_fence_find(const struct nvfifo_chan *chan, u32 word);

void nvfifo_job_begin(struct nvfifo_chan *chan, struct nvfifo_job *job);

void nvfifo_fences_process_locked(struct nvfifo_chan *chan);
bool nvfifo_fences_process(struct nvfifo_chan *chan);
bool nvfifo_fences_process_all(struct nvfifo_device *ndev);
void nvfifo_fences_fail(struct nvfifo_chan *chan, int err, bool end);

int nvfifo_queue_init(struct nvfifo_device *ndev, struct nvfifo_queue *queue,
		      struct workqueue_struct *wq, const struct drm_sched_backend_ops *ops,
		      u32 credits);
void nvfifo_queue_kill(struct nvfifo_queue *queue);
void nvfifo_queue_pause(struct nvfifo_queue *queue, bool on);
void nvfifo_queue_fini(struct nvfifo_queue *queue);

int nvfifo_syncs_get(struct nvfifo_device *ndev, struct drm_file *file,
		     const struct drm_nvfifo_array *in, const char *name,
		     struct nvfifo_syncs *syncs);
int nvfifo_syncs_depend(struct nvfifo_syncs *syncs, struct drm_sched_job *job);
void nvfifo_syncs_attach(struct nvfifo_syncs *syncs, struct dma_fence *fence);
void nvfifo_syncs_free(struct nvfifo_syncs *syncs);

struct dma_fence *nvfifo_submit_segment(struct nvfifo_chan *chan, u64 address, u32 words);
int nvfifo_chan_sched_init(struct nvfifo_chan *chan);
void nvfifo_chan_sched_pause_all(struct nvfifo_device *ndev, bool on);
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan);
void nvfifo_chan_sched_fini(struct nvfifo_chan *chan);

#endif
