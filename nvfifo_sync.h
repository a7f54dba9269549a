/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_SYNC_H_
#define _NVFIFO_SYNC_H_

#include <drm/gpu_scheduler.h>

#include "nvfifo_drv.h"

#define NVFIFO_MAX_SYNCS	256

/* The syncobjs of a call, and the number of unsignalled ones that it waits for. */
struct nvfifo_syncs {
	struct nvfifo_sync *syncs;
	u32 count;
	u32 num_waits;
};

int nvfifo_queue_init(struct nvfifo_device *ndev, struct drm_gpu_scheduler *sched,
		      struct drm_sched_entity *entity, const struct drm_sched_backend_ops *ops,
		      u32 credits);
void nvfifo_fence_init(struct dma_fence *fence, spinlock_t *lock, u64 context, u64 seqno);
int nvfifo_syncs_get(struct nvfifo_device *ndev, struct drm_file *file,
		     const struct drm_nvfifo_array *in, const char *name,
		     struct nvfifo_syncs *syncs);
bool nvfifo_syncs_signal(const struct nvfifo_syncs *syncs);
int nvfifo_syncs_depend(struct nvfifo_syncs *syncs, struct drm_sched_job *job);
void nvfifo_syncs_attach(struct nvfifo_syncs *syncs, struct dma_fence *fence);
void nvfifo_syncs_free(struct nvfifo_syncs *syncs);

#endif
