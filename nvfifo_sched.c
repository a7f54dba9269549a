// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Jobs and fences
 *
 * A SUBMIT becomes a job of the channel's scheduler, which holds it until its fences are
 * signalled and the ring has room: the credits of a job are the ring entries it takes.
 * Running a job writes its entries and one more, whose segment releases the fence, and
 * then writes IB_PUT once. Nothing of the card is read.
 *
 * The fence page holds the number of the last fence that was released, as 32 bits.
 * The notify interrupt does not say whose it is, so all channels are looked at.
 *
 * There is one scheduler per channel, as PFIFO does the scheduling between them.
 */
#include <linux/module.h>

#include <drm/drm_drv.h>

#include "nvfifo_drv.h"
#include "nvfifo_trace.h"

static unsigned int job_timeout_ms = 10000;
module_param(job_timeout_ms, uint, 0444);
MODULE_PARM_DESC(job_timeout_ms, "Kill a channel whose job takes longer, ms; 0 never (default: 10000)");

/**
 * struct nvfifo_fence - What the card signals
 * @base: fence
 * @lock: of the fence, which may outlive its channel
 * @link: in nvfifo_chan.pending
 * @number: number of the job
 * @seq: number of the fence in the ring
 */
struct nvfifo_fence {
	struct dma_fence base;
	spinlock_t lock;	/* of the fence */
	struct list_head link;
	u64 number;
	u64 seq;
};

/**
 * struct nvfifo_job - A SUBMIT on its way
 * @base: the scheduler's part
 * @chan: channel, referenced
 * @fence: hardware fence, not initialised until the job runs; NULL once it does
 * @done: what user space gets, not initialised until the job is pushed; NULL then
 * @running: the same fence as @fence from then on, referenced
 * @number: number of the SUBMIT
 * @count: entries
 * @entries: as user space gave them
 */
struct nvfifo_job {
	struct drm_sched_job base;
	struct nvfifo_chan *chan;
	struct nvfifo_fence *fence;
	struct nvfifo_done *done;
	struct dma_fence *running;
	u64 number;
	u32 count;
	struct drm_nvfifo_entry *entries;
};

static const char *fence_timeline_name(struct dma_fence *fence)
{
	return "channel";
}

static const struct dma_fence_ops nvfifo_fence_ops = {
	.get_driver_name = nvfifo_fence_driver_name,
	.get_timeline_name = fence_timeline_name,
};

static u32 fence_released(struct nvfifo_chan *chan)
{
	const __le32 *slot = chan->mem + nvfifo_fence_page_offset(chan->order);

	return le32_to_cpu(READ_ONCE(*slot));
}

/* Signalled under the channel's lock, so that the order is kept whoever does it. */
static void fence_signal(struct nvfifo_chan *chan, struct nvfifo_fence *fence, int err)
{
	lockdep_assert_held(&chan->fence_lock);
	list_del(&fence->link);
	chan->completed = fence->number;
	trace_nvfifo_fence(chan, fence->number, err);
	if (err)
		dma_fence_set_error(&fence->base, err);
	dma_fence_signal(&fence->base);
	dma_fence_put(&fence->base);
}

/**
 * nvfifo_fences_process() - Signal the fences that the card has released
 * @chan: channel
 */
void nvfifo_fences_process(struct nvfifo_chan *chan)
{
	struct nvfifo_fence *fence, *tmp;
	unsigned long flags;
	u32 released;

	spin_lock_irqsave(&chan->fence_lock, flags);
	/* A channel that was never finished has no fence page either. */
	released = list_empty(&chan->pending) ? 0 : fence_released(chan);
	list_for_each_entry_safe(fence, tmp, &chan->pending, link) {
		if ((s32)(released - (u32)fence->seq) < 0)
			break;
		fence_signal(chan, fence, 0);
	}
	spin_unlock_irqrestore(&chan->fence_lock, flags);
}

/**
 * nvfifo_fences_fail() - Signal all fences of a dead channel
 * @chan: channel, no longer on the card
 * @err: errno for those that the card has not released
 */
void nvfifo_fences_fail(struct nvfifo_chan *chan, int err)
{
	struct nvfifo_fence *fence, *tmp;
	unsigned long flags;

	nvfifo_fences_process(chan);
	spin_lock_irqsave(&chan->fence_lock, flags);
	list_for_each_entry_safe(fence, tmp, &chan->pending, link)
		fence_signal(chan, fence, err);
	spin_unlock_irqrestore(&chan->fence_lock, flags);
}

/* --- Running jobs -------------------------------------------------------- */

static void ring_write(struct nvfifo_chan *chan, u64 address, u32 words, bool not_main)
{
	const struct nvfifo_ib_entry entry = {
		.address = address,
		.words = words,
		.not_main = not_main,
	};
	__le32 *slot = chan->mem + chan->put * 8;
	u32 w[2];

	nvfifo_ib_encode(&entry, w);
	WRITE_ONCE(slot[0], cpu_to_le32(w[0]));
	WRITE_ONCE(slot[1], cpu_to_le32(w[1]));
	chan->put = (chan->put + 1) & ((1u << chan->order) - 1);
}

/* The segment belongs to the ring slot: it is free when the slot is. */
static void ring_write_fence(struct nvfifo_chan *chan, u32 seq)
{
	u32 offset = nvfifo_fence_seg_offset(chan->order, chan->put);
	__le32 *seg = chan->mem + offset;
	u32 w[NVFIFO_FENCE_SEG_WORDS];
	unsigned int i, n;

	n = nvfifo_fence_words(chan->ndev->chip, seq, w);
	for (i = 0; i < n; i++)
		WRITE_ONCE(seg[i], cpu_to_le32(w[i]));
	ring_write(chan, chan->mem_va.start + offset, n, true);
}

static struct dma_fence *job_run(struct drm_sched_job *base)
{
	struct nvfifo_job *job = container_of(base, struct nvfifo_job, base);
	struct nvfifo_chan *chan = job->chan;
	struct nvfifo_device *ndev = chan->ndev;
	struct nvfifo_fence *fence = job->fence;
	unsigned long flags;
	int ret, idx;
	u32 i;

	if (!drm_dev_enter(&ndev->drm, &idx))
		return ERR_PTR(-ENODEV);

	/* Who kills the channel takes the lock first: no doorbell after that. */
	spin_lock_irqsave(&chan->fence_lock, flags);
	ret = chan->dead ?: nvfifo_usable(ndev);
	if (ret) {
		spin_unlock_irqrestore(&chan->fence_lock, flags);
		drm_dev_exit(idx);
		return ERR_PTR(ret);
	}
	fence->number = job->number;
	fence->seq = ++chan->fence_seq;
	dma_fence_init(&fence->base, &nvfifo_fence_ops, &fence->lock, chan->fence_context,
		       fence->seq);
	job->fence = NULL;
	job->running = dma_fence_get(&fence->base);
	dma_fence_get(&fence->base);
	list_add_tail(&fence->link, &chan->pending);

	for (i = 0; i < job->count; i++)
		ring_write(chan, job->entries[i].address, job->entries[i].words,
			   job->entries[i].flags & DRM_NVFIFO_ENTRY_NOT_MAIN);
	ring_write_fence(chan, (u32)fence->seq);
	/* Ring, segments and what user space wrote before, then the doorbell. */
	wmb();
	nvfifo_wr32(ndev, nvfifo_user(chan->id, NV_USER_IB_PUT), chan->put);
	trace_nvfifo_submit(chan, job->number, job->count);
	spin_unlock_irqrestore(&chan->fence_lock, flags);
	drm_dev_exit(idx);
	return &fence->base;
}

static void job_free(struct drm_sched_job *base)
{
	struct nvfifo_job *job = container_of(base, struct nvfifo_job, base);
	struct nvfifo_chan *chan = job->chan;

	drm_sched_job_cleanup(base);
	dma_fence_put(job->running);
	kfree(job->fence);
	kfree(job->done);
	kvfree(job->entries);
	kfree(job);
	nvfifo_chan_put(chan);
}

/*
 * Either the interrupt was lost and the fence is released (on G80 PFIFO still waits for
 * its handler then), or the channel hangs: waits for a semaphore that nobody releases,
 * mostly.
 */
static enum drm_gpu_sched_stat job_timedout(struct drm_sched_job *base)
{
	struct nvfifo_job *job = container_of(base, struct nvfifo_job, base);
	const struct nvfifo_error error = { .kind = DRM_NVFIFO_ERROR_TIMEOUT };
	struct nvfifo_chan *chan = job->chan;

	nvfifo_irq_heal(chan->ndev);
	nvfifo_fences_process(chan);
	if (!dma_fence_is_signaled(job->running)) {
		drm_err(&chan->ndev->drm, "channel %u: submission %llu did not end in %u ms\n",
			chan->id, job->number, job_timeout_ms);
		nvfifo_chan_kill(chan, -ECANCELED, &error);
	}
	/* Either way its fence is signalled, and so is each one behind it of a dead channel. */
	return nvfifo_sched_hand_back(base);
}

static const struct drm_sched_backend_ops nvfifo_sched_ops = {
	.run_job = job_run,
	.timedout_job = job_timedout,
	.free_job = job_free,
};

int nvfifo_chan_sched_init(struct nvfifo_chan *chan)
{
	struct drm_gpu_scheduler *sched = &chan->sched;
	long timeout = job_timeout_ms ? msecs_to_jiffies(job_timeout_ms) : MAX_SCHEDULE_TIMEOUT;
	int ret;

	chan->fence_context = dma_fence_context_alloc(2);
	ret = nvfifo_sched_init(sched, &nvfifo_sched_ops, nvfifo_sched_wq, (1u << chan->order) - 1,
				timeout, NVFIFO_NAME, chan->ndev->drm.dev);
	if (ret) {
		sched->ops = NULL;
		return ret;
	}
	ret = drm_sched_entity_init(&chan->entity, DRM_SCHED_PRIORITY_KERNEL, &sched, 1, NULL);
	if (ret) {
		drm_sched_fini(sched);
		sched->ops = NULL;
	}
	return ret;
}

/* The channel is dead: no new jobs, and those that wait end with an error. */
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan)
{
	if (!chan->sched.ops)
		return;
	/* A SUBMIT that found the channel alive pushes its job first. */
	mutex_lock(&chan->submit_lock);
	mutex_unlock(&chan->submit_lock);
	drm_sched_entity_fini(&chan->entity);
}

void nvfifo_chan_sched_fini(struct nvfifo_chan *chan)
{
	if (chan->sched.ops)
		drm_sched_fini(&chan->sched);
}

/* --- SUBMIT -------------------------------------------------------------- */

static int check_entry(struct nvfifo_device *ndev, const struct drm_nvfifo_entry *e, u32 i)
{
	if (e->flags & ~DRM_NVFIFO_ENTRY_NOT_MAIN)
		return nvfifo_einval(ndev,
				     "submit.entries[%u].flags %#x: unknown bits", i, e->flags);
	if (!e->words || e->words > NVFIFO_IB_WORDS_MAX)
		return nvfifo_einval(ndev, "submit.entries[%u].words %u is not in 1 to %u", i,
				     e->words, NVFIFO_IB_WORDS_MAX);
	if (e->address % 4)
		return nvfifo_einval(ndev,
				     "submit.entries[%u].address %#llx is not a multiple of 4",
				     i, e->address);
	if (e->address < NVFIFO_VA_START || e->address >= NVFIFO_VA_END ||
	    e->words * 4ULL > NVFIFO_VA_END - e->address)
		return nvfifo_einval(ndev,
				     "submit.entries[%u].address %#llx with %u words is not in %#x to %#llx",
				     i, e->address, e->words, NVFIFO_VA_START, NVFIFO_VA_END);
	return 0;
}

/* Takes over @entries. */
static struct nvfifo_job *job_create(struct nvfifo_chan *chan, struct drm_file *file,
				     struct drm_nvfifo_entry *entries, u32 count)
{
	struct nvfifo_job *job = kzalloc(sizeof(*job), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!job)
		goto err;
	job->fence = kzalloc(sizeof(*job->fence), GFP_KERNEL);
	job->done = nvfifo_done_alloc();
	if (!job->fence || !job->done)
		goto err;
	spin_lock_init(&job->fence->lock);
	ret = nvfifo_sched_job_init(&job->base, &chan->entity, count + 1, chan, file->client_id);
	if (ret)
		goto err;
	kref_get(&chan->ref);
	job->chan = chan;
	job->entries = entries;
	job->count = count;
	return job;

err:
	if (job) {
		kfree(job->fence);
		kfree(job->done);
	}
	kfree(job);
	kvfree(entries);
	return ERR_PTR(ret);
}

static int job_push(struct nvfifo_job *job, struct nvfifo_syncs *syncs, __u64 *seqno)
{
	struct nvfifo_chan *chan = job->chan;
	struct dma_fence *done;
	int ret;

	mutex_lock(&chan->submit_lock);
	ret = READ_ONCE(chan->dead);
	if (ret) {
		mutex_unlock(&chan->submit_lock);
		return ret;
	}
	drm_sched_job_arm(&job->base);
	job->number = ++chan->submitted;
	*seqno = job->number;
	done = nvfifo_done_start(job->done, chan->fence_context + 1, job->number, &job->base);
	job->done = NULL;
	drm_sched_entity_push_job(&job->base);
	mutex_unlock(&chan->submit_lock);

	nvfifo_syncs_attach(syncs, done);
	dma_fence_put(done);
	atomic64_inc(&chan->ndev->submits);
	return 0;
}

static int job_submit(struct nvfifo_chan *chan, struct drm_file *file,
		      struct drm_nvfifo_submit *args, struct drm_nvfifo_entry *entries)
{
	struct nvfifo_syncs syncs = {};
	struct nvfifo_job *job;
	int ret;

	job = job_create(chan, file, entries, args->entries.count);
	if (IS_ERR(job))
		return PTR_ERR(job);
	ret = nvfifo_syncs_get(chan->ndev, file, &args->syncs, "submit.syncs", &job->base, &syncs);
	if (!ret)
		ret = job_push(job, &syncs, &args->seqno);
	if (ret)
		job_free(&job->base);
	nvfifo_syncs_free(&syncs);
	return ret;
}

int nvfifo_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_submit *args = data;
	struct drm_nvfifo_entry *entries;
	struct nvfifo_chan *chan;
	int ret;
	u32 i;

	if (args->flags)
		return nvfifo_einval(ndev, "submit.flags %#x is not 0", args->flags);
	chan = nvfifo_chan_lookup(file->driver_priv, args->channel_id);
	if (!chan) {
		drm_dbg(drm, "submit.channel_id %u is unknown\n", args->channel_id);
		return -ENOENT;
	}
	ret = READ_ONCE(chan->dead) ?: nvfifo_usable(ndev);
	if (ret)
		goto out_chan;
	/* One slot stays empty, one is for the fence. */
	entries = nvfifo_array_get(ndev, &args->entries, sizeof(*entries), (1u << chan->order) - 2,
				   "submit.entries");
	if (IS_ERR(entries)) {
		ret = PTR_ERR(entries);
		goto out_chan;
	}
	for (i = 0; i < args->entries.count && !ret; i++)
		ret = check_entry(ndev, &entries[i], i);
	if (ret) {
		kvfree(entries);
		goto out_chan;
	}
	ret = job_submit(chan, file, args, entries);
out_chan:
	nvfifo_chan_put(chan);
	return ret;
}
