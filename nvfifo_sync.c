// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Fences and syncobjs
 *
 * What SUBMIT and asynchronous VM_BIND have in common: syncobjs to wait for become
 * dependencies of a scheduler's job, syncobjs to signal get a fence of its end.
 *
 * The scheduler's own fence looks into the scheduler when it is asked for its name, up to
 * 6.16 also after the scheduler is gone. The fences that leave the driver, those of channels
 * (nvfifo_sched.c) and the one here, refer to nothing but the module, which they keep loaded.
 */
#include <linux/dma-fence-chain.h>
#include <linux/module.h>

#include <drm/drm_syncobj.h>

#include "nvfifo_drv.h"

/**
 * struct nvfifo_done - The end of a job, as user space and other drivers see it
 * @base: fence
 * @lock: of the fence
 * @cb: on the scheduler's fence
 */
struct nvfifo_done {
	struct dma_fence base;
	spinlock_t lock;	/* of the fence */
	struct dma_fence_cb cb;
};

/**
 * struct nvfifo_sync_out - A syncobj that gets the job's fence
 * @syncobj: referenced
 * @chain: of a timeline point, else NULL
 * @point: timeline point
 */
struct nvfifo_sync_out {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

const char *nvfifo_fence_driver_name(struct dma_fence *fence)
{
	return NVFIFO_NAME;
}

static const char *done_timeline_name(struct dma_fence *fence)
{
	return "job";
}

static void done_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops nvfifo_done_ops = {
	.get_driver_name = nvfifo_fence_driver_name,
	.get_timeline_name = done_timeline_name,
	.release = done_release,
};

/* The scheduler says ESRCH for a job that it dropped. */
static void done_signal(struct dma_fence *finished, struct dma_fence_cb *cb)
{
	struct nvfifo_done *done = container_of(cb, struct nvfifo_done, cb);

	if (finished->error)
		dma_fence_set_error(&done->base, finished->error == -ESRCH ? -ECANCELED :
							 finished->error);
	dma_fence_signal(&done->base);
	dma_fence_put(&done->base);
}

/**
 * nvfifo_queue_init() - Start a scheduler with its only queue
 * @ndev: the card
 * @sched: scheduler; its ops stay NULL if this fails
 * @entity: queue
 * @ops: what it does with jobs
 * @credits: jobs that it runs at a time, in credits
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_queue_init(struct nvfifo_device *ndev, struct drm_gpu_scheduler *sched,
		      struct drm_sched_entity *entity, const struct drm_sched_backend_ops *ops,
		      u32 credits)
{
	int ret;

	ret = nvfifo_sched_init(sched, ops, nvfifo_sched_wq, credits, NVFIFO_NAME, ndev->drm.dev);
	if (!ret) {
		ret = drm_sched_entity_init(entity, DRM_SCHED_PRIORITY_KERNEL, &sched, 1, NULL);
		if (ret)
			drm_sched_fini(sched);
	}
	if (ret)
		sched->ops = NULL;
	return ret;
}

/* Memory of a fence; until it is started kfree() gives it back. */
struct nvfifo_done *nvfifo_done_alloc(void)
{
	struct nvfifo_done *done = kzalloc(sizeof(*done), GFP_KERNEL);

	if (done)
		spin_lock_init(&done->lock);
	return done;
}

/**
 * nvfifo_done_start() - Follow a job
 * @done: what nvfifo_done_alloc() returned
 * @context: fence context
 * @seqno: number in the context, growing
 * @job: armed and not yet pushed
 *
 * Return: the fence, with a reference for the caller.
 */
struct dma_fence *nvfifo_done_start(struct nvfifo_done *done, u64 context, u64 seqno,
				    struct drm_sched_job *job)
{
	struct dma_fence *finished = &job->s_fence->finished;

	__module_get(THIS_MODULE);
	dma_fence_init(&done->base, &nvfifo_done_ops, &done->lock, context, seqno);
	dma_fence_get(&done->base);
	if (dma_fence_add_callback(finished, &done->cb, done_signal))
		done_signal(finished, &done->cb);
	return &done->base;
}

/**
 * nvfifo_done_cancel() - Signal the end of a job that will not do anything any more
 * @fence: what nvfifo_done_start() returned, not yet signalled or just now
 * @job: the job, which has not been freed
 *
 * The scheduler keeps a job until all that it waits for is signalled, which may be never.
 */
void nvfifo_done_cancel(struct dma_fence *fence, struct drm_sched_job *job)
{
	struct nvfifo_done *done = container_of(fence, struct nvfifo_done, base);

	if (!dma_fence_remove_callback(&job->s_fence->finished, &done->cb))
		return;
	dma_fence_set_error(fence, -ECANCELED);
	dma_fence_signal(fence);
	dma_fence_put(fence);
}

static int check_sync(struct nvfifo_device *ndev, const struct drm_nvfifo_sync *s, u32 i,
		      const char *name)
{
	const u32 dir = DRM_NVFIFO_SYNC_WAIT | DRM_NVFIFO_SYNC_SIGNAL;
	bool timeline = s->flags & DRM_NVFIFO_SYNC_TIMELINE;

	if (s->flags & ~(dir | DRM_NVFIFO_SYNC_TIMELINE))
		return nvfifo_einval(ndev, "%s[%u].flags %#x: unknown bits", name, i, s->flags);
	if ((s->flags & dir) == dir || !(s->flags & dir))
		return nvfifo_einval(ndev, "%s[%u].flags %#x: one of WAIT and SIGNAL", name, i,
				     s->flags);
	if (!timeline && s->timeline_value)
		return nvfifo_einval(ndev, "%s[%u].timeline_value %llu without TIMELINE", name, i,
				     s->timeline_value);
	if (timeline && !s->timeline_value && s->flags & DRM_NVFIFO_SYNC_SIGNAL)
		return nvfifo_einval(ndev, "%s[%u].timeline_value is 0", name, i);
	return 0;
}

static int out_get(struct drm_file *file, const struct drm_nvfifo_sync *s,
		   struct nvfifo_syncs *syncs)
{
	struct nvfifo_sync_out *out = &syncs->outs[syncs->count];

	out->syncobj = drm_syncobj_find(file, s->handle);
	if (!out->syncobj)
		return -ENOENT;
	if (s->flags & DRM_NVFIFO_SYNC_TIMELINE) {
		out->chain = dma_fence_chain_alloc();
		if (!out->chain) {
			drm_syncobj_put(out->syncobj);
			return -ENOMEM;
		}
	}
	out->point = s->timeline_value;
	syncs->count++;
	return 0;
}

/* What is signalled already need not be remembered. */
static int wait_get(struct drm_file *file, const struct drm_nvfifo_sync *s,
		    struct nvfifo_syncs *syncs)
{
	struct dma_fence *fence;
	int ret;

	ret = drm_syncobj_find_fence(file, s->handle, s->timeline_value, 0, &fence);
	if (ret)
		return ret;
	if (dma_fence_is_signaled(fence))
		dma_fence_put(fence);
	else
		syncs->waits[syncs->num_waits++] = fence;
	return 0;
}

/**
 * nvfifo_syncs_get() - Read and sort the syncs of a call
 * @ndev: the card
 * @file: whose syncobjs they are
 * @in: struct drm_nvfifo_sync in user memory
 * @name: of the array, for messages
 * @syncs: zeroed; filled in. nvfifo_syncs_free() is due, also after an error.
 *
 * Return: 0, -EINVAL, -ENOENT, -E2BIG, -EFAULT or -ENOMEM.
 */
int nvfifo_syncs_get(struct nvfifo_device *ndev, struct drm_file *file,
		     const struct drm_nvfifo_array *in, const char *name,
		     struct nvfifo_syncs *syncs)
{
	struct drm_nvfifo_sync *s;
	int ret = 0;
	u32 i;

	s = nvfifo_array_get(ndev, in, sizeof(*s), NVFIFO_MAX_SYNCS, name);
	if (IS_ERR_OR_NULL(s))
		return PTR_ERR_OR_ZERO(s);
	syncs->outs = kvcalloc(in->count, sizeof(*syncs->outs), GFP_KERNEL);
	syncs->waits = kvcalloc(in->count, sizeof(*syncs->waits), GFP_KERNEL);
	if (!syncs->outs || !syncs->waits)
		ret = -ENOMEM;
	for (i = 0; i < in->count && !ret; i++) {
		ret = check_sync(ndev, &s[i], i, name);
		if (ret)
			break;
		if (s[i].flags & DRM_NVFIFO_SYNC_SIGNAL)
			ret = out_get(file, &s[i], syncs);
		else
			ret = wait_get(file, &s[i], syncs);
		if (ret)
			drm_dbg(&ndev->drm, "%s[%u].handle %u: error %d\n", name, i, s[i].handle,
				ret);
	}
	kvfree(s);
	return ret;
}

/**
 * nvfifo_syncs_depend() - Let a job wait for what is not signalled
 * @syncs: syncs of the call
 * @job: initialised and not armed
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_syncs_depend(struct nvfifo_syncs *syncs, struct drm_sched_job *job)
{
	int ret = 0;

	/* The job takes the reference over, also if it fails. */
	while (syncs->num_waits && !ret)
		ret = drm_sched_job_add_dependency(job, syncs->waits[--syncs->num_waits]);
	return ret;
}

/* Give the syncobjs their fence. */
void nvfifo_syncs_attach(struct nvfifo_syncs *syncs, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < syncs->count; i++) {
		struct nvfifo_sync_out *out = &syncs->outs[i];

		if (out->chain)
			drm_syncobj_add_point(out->syncobj, out->chain, fence, out->point);
		else
			drm_syncobj_replace_fence(out->syncobj, fence);
		out->chain = NULL;
	}
}

void nvfifo_syncs_free(struct nvfifo_syncs *syncs)
{
	u32 i;

	for (i = 0; i < syncs->count; i++) {
		dma_fence_chain_free(syncs->outs[i].chain);
		drm_syncobj_put(syncs->outs[i].syncobj);
	}
	while (syncs->num_waits)
		dma_fence_put(syncs->waits[--syncs->num_waits]);
	kvfree(syncs->waits);
	kvfree(syncs->outs);
}
