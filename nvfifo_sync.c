// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Fences and syncobjs
 *
 * SUBMIT and asynchronous VM_BIND share this file. A syncobj to wait for becomes a dependency of a
 * scheduler job. A syncobj to signal gets a fence of the job's end.
 *
 * The scheduler's own fence reads its name from the scheduler, up to 6.16 even after the scheduler
 * was freed. So the driver exports its own fences for SUBMIT and VM_BIND. They refer to nothing but
 * the module, which they keep loaded.
 */
#include <linux/dma-fence-chain.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include <drm/drm_syncobj.h>

#include "nvfifo_args.h"
#include "nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "nvfifo_sync.h"

/* --- Fences and queues --------------------------------------------------- */

/**
 * nvfifo_fence_name() - Name the driver and the timeline of a fence
 * @fence: the fence
 *
 * Return: the module's name.
 */
const char *nvfifo_fence_name(struct dma_fence *fence)
{
	return NVFIFO_NAME;
}

/**
 * nvfifo_fence_release() - Free a fence after its last reference
 * @fence: begun by nvfifo_fence_init()
 */
void nvfifo_fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

/* Operations of fences without a signaled callback: the driver signals them. */
const struct dma_fence_ops nvfifo_fence_ops = {
	.get_driver_name = nvfifo_fence_name,
	.get_timeline_name = nvfifo_fence_name,
	.release = nvfifo_fence_release,
};

/**
 * nvfifo_fence_init() - Begin a fence that refers to nothing but the module
 * @fence: the fence, at the start of memory of its own, which kfree() frees
 * @ops: with nvfifo_fence_release() as @release
 * @lock: its lock, which must live as long as the fence
 * @context: context of its timeline
 * @seqno: its seqno
 */
void nvfifo_fence_init(struct dma_fence *fence, const struct dma_fence_ops *ops, spinlock_t *lock,
		       u64 context, u64 seqno)
{
	spin_lock_init(lock);
	dma_fence_init(fence, ops, lock, context, seqno);
	__module_get(THIS_MODULE);
}

/* A fence that belongs to no job */
struct plain_fence {
	struct dma_fence base;
	spinlock_t lock;	/* the fence's */
};

/**
 * nvfifo_fence_new() - Make a fence with a timeline of its own
 *
 * Return: the fence with a reference, or NULL without memory.
 */
struct dma_fence *nvfifo_fence_new(void)
{
	struct plain_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;

	nvfifo_fence_init(&fence->base, &nvfifo_fence_ops, &fence->lock,
			  dma_fence_context_alloc(1), 1);

	return &fence->base;
}

/**
 * nvfifo_queue_init() - Start a scheduler with its only entity
 * @ndev: the device
 * @queue: scheduler and entity, zeroed
 * @wq: work queue in which its jobs run
 * @ops: callbacks of the scheduler
 * @credits: credits of all jobs that run at once
 *
 * Return: 0, or an errno of the scheduler.
 */
int nvfifo_queue_init(struct nvfifo_device *ndev, struct nvfifo_queue *queue,
		      struct workqueue_struct *wq, const struct drm_sched_backend_ops *ops,
		      u32 credits)
{
	struct drm_gpu_scheduler *sched = &queue->sched;
	int ret;

	ret = nvfifo_sched_init(sched, ops, wq, credits, NVFIFO_NAME, ndev->drm.dev);
	if (ret)
		return ret;

	mutex_init(&queue->lock);

	/* Cannot fail with a scheduler. */
	drm_sched_entity_init(&queue->entity, DRM_SCHED_PRIORITY_KERNEL, &sched, 1, NULL);
	queue->set_up = true;

	return 0;
}

/**
 * nvfifo_queue_is_set_up() - Does the queue have a scheduler?
 * @queue: the queue, zeroed at first
 *
 * Return: false for a channel with a user queue, and without a successful nvfifo_queue_init().
 */
bool nvfifo_queue_is_set_up(const struct nvfifo_queue *queue)
{
	return queue->set_up;
}

/**
 * nvfifo_queue_kill() - End the jobs that have not run with an error
 * @queue: takes no jobs afterwards; jobs that have run are still freed
 *
 * After each job the scheduler's work item puts an entity with more jobs back into the tree of its
 * run queue. It does so even if drm_sched_entity_fini() has just removed the entity. Then both take
 * jobs from the entity, and a job is freed twice (seen with Linux 6.12.107). Hence the work item is
 * stopped for the time of the call.
 *
 * Context: Process context, but not the scheduler's work item. Sleeps until the present job has
 * run.
 */
void nvfifo_queue_kill(struct nvfifo_queue *queue)
{
	guard(mutex)(&queue->lock);

	drm_sched_wqueue_stop(&queue->sched);
	drm_sched_entity_fini(&queue->entity);
	if (!queue->paused)
		drm_sched_wqueue_start(&queue->sched);
}

/**
 * nvfifo_queue_pause() - Stop running and freeing jobs
 * @queue: the queue, whose jobs stay queued
 *
 * Context: As nvfifo_queue_kill().
 */
void nvfifo_queue_pause(struct nvfifo_queue *queue)
{
	guard(mutex)(&queue->lock);

	queue->paused = true;
	drm_sched_wqueue_stop(&queue->sched);
}

/**
 * nvfifo_queue_unpause() - Undo nvfifo_queue_pause()
 * @queue: the queue
 */
void nvfifo_queue_unpause(struct nvfifo_queue *queue)
{
	guard(mutex)(&queue->lock);

	queue->paused = false;
	drm_sched_wqueue_start(&queue->sched);
}

/**
 * nvfifo_queue_fini() - Free a scheduler
 * @queue: killed, with all jobs freed
 */
void nvfifo_queue_fini(struct nvfifo_queue *queue)
{
	drm_sched_fini(&queue->sched);
	mutex_destroy(&queue->lock);
}

/* --- Syncobjs ------------------------------------------------------------ */

/* Check the rules of a sync one by one, with a message about the first that it breaks. */
static int check_sync(struct nvfifo_device *ndev, const char *name, const struct drm_nvfifo_sync *s)
{
	const bool timeline = s->flags & DRM_NVFIFO_SYNC_TIMELINE;
	const u32 dir = s->flags & ~DRM_NVFIFO_SYNC_TIMELINE;
	const struct nvfifo_rule rules[] = {
		{ dir != DRM_NVFIFO_SYNC_WAIT && dir != DRM_NVFIFO_SYNC_SIGNAL,
		  "flags is not one of WAIT and SIGNAL, with or without TIMELINE" },
		{ !timeline && s->timeline_value, "timeline_value without TIMELINE" },
		{ timeline && !s->timeline_value && dir == DRM_NVFIFO_SYNC_SIGNAL,
		  "timeline_value is 0" },
		{}
	};

	return nvfifo_check_rules(ndev, name, rules);
}

static int sync_get(struct nvfifo_device *ndev, struct drm_file *file, const char *name,
		    const struct drm_nvfifo_sync *s, struct nvfifo_sync *sync)
{
	const bool timeline = s->flags & DRM_NVFIFO_SYNC_TIMELINE;
	const u32 dir = s->flags & ~DRM_NVFIFO_SYNC_TIMELINE;
	struct dma_fence *fence;
	int ret = 0;

	/* Fast path: a binary syncobj to signal is the usual case. */
	if (s->flags != DRM_NVFIFO_SYNC_SIGNAL || s->timeline_value)
		ret = check_sync(ndev, name, s);
	if (ret)
		return ret;

	if (dir == DRM_NVFIFO_SYNC_WAIT) {
		ret = drm_syncobj_find_fence(file, s->handle, s->timeline_value, 0, &fence);
		if (!ret && dma_fence_is_signaled(fence))
			dma_fence_put(fence);
		else if (!ret)
			sync->wait = fence;

		return ret;
	}

	sync->point = s->timeline_value;
	sync->syncobj = drm_syncobj_find(file, s->handle);
	if (!sync->syncobj)
		return -ENOENT;

	if (!timeline)
		return 0;

	/*
	 * As dma_fence_chain_alloc(), but charged to the caller: a call has up to NVFIFO_MAX_SYNCS
	 * of them, which stay until its fence signals.
	 */
	sync->chain = kmalloc(sizeof(*sync->chain), GFP_KERNEL_ACCOUNT);
	if (!sync->chain)
		return -ENOMEM;

	return 0;
}

/* Copy a few syncs. One load for each field is faster than a call of copy_from_user(). */
static int few_syncs_copy(struct drm_nvfifo_sync *few, const struct drm_nvfifo_sync __user *user,
			  u32 count)
{
	u32 i;

	if (!user_read_access_begin(user, count * sizeof(*user)))
		return -EFAULT;

	for (i = 0; i < count; i++) {
		unsafe_get_user(few[i].flags, &user[i].flags, fault);
		unsafe_get_user(few[i].handle, &user[i].handle, fault);
		unsafe_get_user(few[i].timeline_value, &user[i].timeline_value, fault);
	}

	user_read_access_end();

	return 0;

fault:
	user_read_access_end();

	return -EFAULT;
}

/*
 * Copy the syncs of a call. A few of the usual size are copied to @few, without an allocation.
 * Others share an allocation with syncs->syncs, after it. Return: the copy or an error pointer.
 */
static const struct drm_nvfifo_sync *syncs_copy(struct nvfifo_device *ndev,
						const struct drm_nvfifo_array *in, const char *name,
						struct drm_nvfifo_sync *few,
						struct nvfifo_syncs *syncs)
{
	const struct drm_nvfifo_sync __user *user = u64_to_user_ptr(in->ptr);
	const size_t room = in->count * sizeof(*syncs->syncs);
	void *s;

	if (in->count <= NVFIFO_FEW_SYNCS && in->stride == sizeof(*few)) {
		if (few_syncs_copy(few, user, in->count))
			return ERR_PTR(nvfifo_fail(ndev, -EFAULT, "%s.ptr %#llx: %d", name,
						   in->ptr, -EFAULT));

		syncs->syncs = syncs->few;
		return few;
	}

	s = nvfifo_array_get(ndev, in, room, sizeof(*few), NVFIFO_MAX_SYNCS, name);
	if (IS_ERR(s))
		return s;

	memset(s, 0, room);
	syncs->syncs = s;

	return s + room;
}

/**
 * nvfifo_syncs_get() - Read the syncs of a call
 * @ndev: the device
 * @file: file of the syncobjs
 * @in: array of syncs in user memory
 * @name: of the argument, for messages
 * @syncs: zeroed; the caller must call nvfifo_syncs_free() even after an error
 *
 * Return: 0, -E2BIG, -EINVAL, -EFAULT, -ENOENT or -ENOMEM.
 */
int nvfifo_syncs_get(struct nvfifo_device *ndev, struct drm_file *file,
		     const struct drm_nvfifo_array *in, const char *name,
		     struct nvfifo_syncs *syncs)
{
	struct drm_nvfifo_sync few[NVFIFO_FEW_SYNCS];
	const struct drm_nvfifo_sync *s;
	int ret = 0;
	u32 i;

	if (!in->count)
		return 0;

	s = syncs_copy(ndev, in, name, few, syncs);
	if (IS_ERR(s))
		return PTR_ERR(s);

	syncs->count = in->count;

	for (i = 0; i < in->count && !ret; i++) {
		ret = sync_get(ndev, file, name, &s[i], &syncs->syncs[i]);
		if (ret)
			drm_dbg(&ndev->drm, "%s[%u]: handle %u, flags %#x, value %llu: error %d\n",
				name, i, s[i].handle, s[i].flags, s[i].timeline_value, ret);

		syncs->num_waits += !!syncs->syncs[i].wait;
	}

	return ret;
}

/**
 * nvfifo_syncs_signal() - Does a call signal anything?
 * @syncs: the syncs
 *
 * Return: true if a syncobj gets the fence of the call.
 */
bool nvfifo_syncs_signal(const struct nvfifo_syncs *syncs)
{
	u32 i;

	for (i = 0; i < syncs->count; i++)
		if (syncs->syncs[i].syncobj)
			return true;

	return false;
}

/**
 * nvfifo_syncs_depend() - Make unsignalled fences dependencies of a job
 * @syncs: the syncs
 * @job: the job, not armed yet
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_syncs_depend(struct nvfifo_syncs *syncs, struct drm_sched_job *job)
{
	int ret = 0;
	u32 i;

	/* The call takes over the reference even if it fails, and ignores NULL. */
	for (i = 0; i < syncs->count && !ret; i++)
		ret = drm_sched_job_add_dependency(job, no_free_ptr(syncs->syncs[i].wait));

	return ret;
}

/**
 * nvfifo_syncs_attach() - Attach the fence of a call to the syncobjs that it signals
 * @syncs: the syncs
 * @fence: the call's fence
 *
 * Context: Process context, outside of CLASS(nvfifo_enter), because a client can make long
 * timelines.
 */
void nvfifo_syncs_attach(struct nvfifo_syncs *syncs, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < syncs->count; i++) {
		struct nvfifo_sync *sync = &syncs->syncs[i];

		/* DRM walks all points of the timeline that are not signalled. */
		cond_resched();

		if (sync->chain)
			drm_syncobj_add_point(sync->syncobj, sync->chain, fence, sync->point);
		else if (sync->syncobj)
			drm_syncobj_replace_fence(sync->syncobj, fence);

		sync->chain = NULL;
	}
}

/**
 * nvfifo_syncs_free() - Release the fences and syncobjs of nvfifo_syncs_get()
 * @syncs: the syncs, or zeros
 */
void nvfifo_syncs_free(struct nvfifo_syncs *syncs)
{
	u32 i;

	for (i = 0; i < syncs->count; i++) {
		dma_fence_put(syncs->syncs[i].wait);

		if (syncs->syncs[i].chain)
			dma_fence_chain_free(syncs->syncs[i].chain);
		if (syncs->syncs[i].syncobj)
			drm_syncobj_put(syncs->syncs[i].syncobj);
	}

	if (syncs->syncs != syncs->few)
		kvfree(syncs->syncs);
}
