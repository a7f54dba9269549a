/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_SCHED_H_
#define _NVFIFO_SCHED_H_

#include <linux/mutex.h>

#include <drm/gpu_scheduler.h>

#include "uapi/nvfifo_drm.h"

#define NVFIFO_MAX_SYNCS	256

struct dma_fence_chain;
struct drm_file;
struct drm_syncobj;
struct nvfifo_chan;
struct nvfifo_device;
struct workqueue_struct;

/* A scheduler with a single entity: its jobs run one after the other. */
struct nvfifo_queue {
	bool set_up;				/* nvfifo_queue_init() has succeeded */
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

int nvfifo_queue_init(struct nvfifo_device *ndev, struct nvfifo_queue *queue,
		      struct workqueue_struct *wq, const struct drm_sched_backend_ops *ops,
		      u32 credits);
bool nvfifo_queue_is_set_up(const struct nvfifo_queue *queue);
void nvfifo_queue_kill(struct nvfifo_queue *queue);
void nvfifo_queue_pause(struct nvfifo_queue *queue);
void nvfifo_queue_unpause(struct nvfifo_queue *queue);
void nvfifo_queue_fini(struct nvfifo_queue *queue);

int nvfifo_syncs_get(struct nvfifo_device *ndev, struct drm_file *file,
		     const struct drm_nvfifo_array *in, const char *name,
		     struct nvfifo_syncs *syncs);
bool nvfifo_syncs_signal(const struct nvfifo_syncs *syncs);
int nvfifo_syncs_depend(struct nvfifo_syncs *syncs, struct drm_sched_job *job);
void nvfifo_syncs_attach(struct nvfifo_syncs *syncs, struct dma_fence *fence);
void nvfifo_syncs_free(struct nvfifo_syncs *syncs);

const char *nvfifo_entry_error(const struct drm_nvfifo_entry *e);
struct dma_fence *nvfifo_submit_segment(struct nvfifo_chan *chan, u64 address, u32 words);
int nvfifo_chan_sched_init(struct nvfifo_chan *chan);
void nvfifo_chan_sched_pause_all(struct nvfifo_device *ndev);
void nvfifo_chan_sched_unpause_all(struct nvfifo_device *ndev);
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan);
void nvfifo_chan_sched_fini(struct nvfifo_chan *chan);

#endif
