// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Jobs and fences
 *
 * A SUBMIT that has nothing to wait for is written to the ring at once: its entries and
 * one more, whose segment releases the fence, then one doorbell, IB_PUT. Nothing of the
 * card is read. Where a fence is not signalled yet, or the ring is full, it becomes a job
 * of the channel's scheduler: the credits of a job are the ring entries it takes. Such a job
 * waits for all work that went to the ring directly before it, and nothing does so after
 * it until it runs, which keeps the order.
 *
 * The fence page holds the number of the last fence that was released, as 32 bits.
 * The notify interrupt does not say whose it is, so all channels are looked at. A watchdog
 * looks again where nothing happens for a second, in case the interrupt was lost, and ends
 * the channel when its oldest job takes too long.
 *
 * There is one scheduler per channel, as PFIFO does the scheduling between them.
 */
#include <linux/module.h>

#include "nvfifo_drv.h"
#include "nvfifo_trace.h"

static unsigned int job_timeout_ms = 10000;
module_param(job_timeout_ms, uint, 0444);
MODULE_PARM_DESC(job_timeout_ms, "Kill a channel whose job takes longer, ms; 0 never (default: 10000)");

/* Jobs of a channel that wait for something, until SUBMIT does. */
#define QUEUED_MAX	1024

/* The end of a SUBMIT. It reaches user space, and keeps the module loaded. */
struct nvfifo_fence {
	struct dma_fence base;	/* the card releases the low half of its number */
	spinlock_t lock;	/* of the fence, which may outlive its channel */
	struct list_head link;	/* in nvfifo_chan.pending or waiting */
	u32 slots;		/* ring entries, with that of the fence; 0 while it waits */
	unsigned long since;	/* when it was written to the ring, jiffies */
};

/* A SUBMIT that has to wait for something. */
struct nvfifo_job {
	struct drm_sched_job base;
	struct nvfifo_chan *chan;	/* referenced */
	struct nvfifo_fence *fence;	/* referenced; NULL until the job is pushed */
	u32 count;
	struct drm_nvfifo_entry *entries;
};

/* The list has a reference, and so has the caller. */
static void fence_start(struct nvfifo_chan *chan, struct nvfifo_fence *fence,
			struct list_head *list)
{
	lockdep_assert_held(&chan->fence_lock);
	nvfifo_fence_init(&fence->base, &fence->lock, chan->fence_context, ++chan->submitted);
	dma_fence_get(&fence->base);
	list_add_tail(&fence->link, list);
}

/* Signalled under the channel's lock, so that the order is kept whoever does it. */
static void fence_signal(struct nvfifo_chan *chan, struct nvfifo_fence *fence, int err)
{
	lockdep_assert_held(&chan->fence_lock);
	list_del_init(&fence->link);
	chan->completed = fence->base.seqno;
	chan->used -= fence->slots;
	chan->progress = jiffies;
	trace_nvfifo_fence(chan, fence->base.seqno, err);
	if (err)
		dma_fence_set_error(&fence->base, err);
	dma_fence_signal(&fence->base);
	dma_fence_put(&fence->base);
}

/* Signal the fences that the card has released. */
static void fences_process(struct nvfifo_chan *chan)
{
	/* A channel that was never finished has no fence page either. */
	const __le32 *slot = chan->mem + chan->fence_page;
	u32 released = list_empty(&chan->pending) ? 0 : le32_to_cpu(READ_ONCE(*slot));
	struct nvfifo_fence *fence, *tmp;

	list_for_each_entry_safe(fence, tmp, &chan->pending, link) {
		if (!nvfifo_fence_passed(released, fence->base.seqno))
			break;
		fence_signal(chan, fence, 0);
	}
}

void nvfifo_fences_process(struct nvfifo_chan *chan)
{
	scoped_guard(spinlock_irqsave, &chan->fence_lock)
		fences_process(chan);
}

/* Nobody rings the doorbell any more, and what the card has not released yet has failed. */
void nvfifo_fences_condemn(struct nvfifo_chan *chan, int err)
{
	struct nvfifo_fence *fence;

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		chan->dead = chan->dead ?: err;
		fences_process(chan);
		list_for_each_entry(fence, &chan->pending, link)
			dma_fence_set_error(&fence->base, err);
	}
}

/* Signal all fences of a channel that is no longer on the card. */
void nvfifo_fences_fail(struct nvfifo_chan *chan, int err)
{
	struct nvfifo_fence *fence, *tmp;

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		fences_process(chan);
		/* The scheduler keeps jobs until what they wait for is signalled. */
		list_splice_tail_init(&chan->waiting, &chan->pending);
		list_for_each_entry_safe(fence, tmp, &chan->pending, link)
			fence_signal(chan, fence, err);
		chan->queued = 0;
	}
}

/* --- Running jobs -------------------------------------------------------- */

static void ring_write(struct nvfifo_chan *chan, u64 address, u32 words, u32 flags)
{
	const struct nvfifo_ib_entry entry = {
		.address = address,
		.words = words,
		.not_main = flags & DRM_NVFIFO_ENTRY_NOT_MAIN,
		.no_prefetch = flags & DRM_NVFIFO_ENTRY_NO_PREFETCH,
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
	unsigned int i, n = nvfifo_fence_words(chan->ndev->chip, seq, w);

	for (i = 0; i < n; i++)
		WRITE_ONCE(seg[i], cpu_to_le32(w[i]));
	ring_write(chan, chan->mem_va.start + offset, n, DRM_NVFIFO_ENTRY_NOT_MAIN);
}

/* Ring entries that a SUBMIT takes, with that of the fence; in DMA mode it counts as one. */
static u32 slots_for(const struct nvfifo_chan *chan, u32 count)
{
	return chan->ib ? count + 1 : 1;
}

/* Who kills the channel takes fence_lock first: no doorbell after that. */
static void ring_submit(struct nvfifo_chan *chan, struct nvfifo_fence *fence,
			const struct drm_nvfifo_entry *entries, u32 count)
{
	u32 doorbell = nvfifo_user(chan->id, chan->ib ? NV_USER_IB_PUT : NV_USER_DMA_PUT);
	u32 i;

	lockdep_assert_held(&chan->fence_lock);
	fence->slots = slots_for(chan, count);
	fence->since = jiffies;
	chan->used += fence->slots;
	if (chan->ib) {
		for (i = 0; i < count; i++)
			ring_write(chan, entries[i].address, entries[i].words, entries[i].flags);
		ring_write_fence(chan, (u32)fence->base.seqno);
	} else {
		chan->put = entries[0].address;
	}
	/* Ring, segments and what user space wrote before, then the doorbell. */
	wmb();
	nvfifo_wr32(chan->ndev, doorbell, chan->put);
	trace_nvfifo_submit(chan, fence->base.seqno, count);
	queue_delayed_work(nvfifo_wq, &chan->watchdog, HZ);
}

static u32 ring_room(const struct nvfifo_chan *chan)
{
	return (1u << chan->order) - 1 - chan->used;
}

/*
 * Either an interrupt was lost and the fence is released (on G80 PFIFO still waits for
 * its handler then), or the channel is slow, or it hangs: waits for a semaphore that
 * nobody releases, mostly.
 */
static void watchdog(struct work_struct *work)
{
	struct nvfifo_chan *chan = container_of(work, struct nvfifo_chan, watchdog.work);
	struct nvfifo_fence *fence = NULL;
	unsigned long since = 0;
	u64 number = 0;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (entered < 0)
		return;
	nvfifo_fences_process(chan);
	if (!list_empty_careful(&chan->pending) &&
	    time_after_eq(jiffies, READ_ONCE(chan->progress) + HZ)) {
		nvfifo_irq_heal(chan->ndev);
		nvfifo_fences_process(chan);
	}
	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		fence = list_first_entry_or_null(&chan->pending, struct nvfifo_fence, link);
		if (fence) {
			number = fence->base.seqno;
			since = time_after(fence->since, chan->progress) ? fence->since :
									   chan->progress;
			queue_delayed_work(nvfifo_wq, &chan->watchdog, HZ);
		}
	}
	if (fence && job_timeout_ms &&
	    time_after_eq(jiffies, since + msecs_to_jiffies(job_timeout_ms))) {
		drm_err(&chan->ndev->drm, "channel %u: submission %llu did not end in %u ms\n",
			chan->id, number, job_timeout_ms);
		nvfifo_chan_kill(chan, -ECANCELED, DRM_NVFIFO_ERROR_TIMEOUT);
	}
}

static struct dma_fence *job_run(struct drm_sched_job *base)
{
	struct nvfifo_job *job = container_of(base, struct nvfifo_job, base);
	struct nvfifo_fence *fence = job->fence;
	struct nvfifo_chan *chan = job->chan;
	int ret = 0;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (entered < 0)
		return ERR_PTR(-ENODEV);
	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		ret = chan->dead ?: nvfifo_usable(chan->ndev);
		if (!ret) {
			list_move_tail(&fence->link, &chan->pending);
			chan->queued--;
			ring_submit(chan, fence, job->entries, job->count);
		}
	}
	wake_up_all(&chan->ndev->waiters);
	return ret ? ERR_PTR(ret) : dma_fence_get(&fence->base);
}

static void job_free(struct drm_sched_job *base)
{
	struct nvfifo_job *job = container_of(base, struct nvfifo_job, base);
	struct nvfifo_chan *chan = job->chan;

	drm_sched_job_cleanup(base);
	if (job->fence)
		dma_fence_put(&job->fence->base);
	kvfree(job->entries);
	kfree(job);
	nvfifo_chan_put(chan);
}

static const struct drm_sched_backend_ops nvfifo_sched_ops = {
	.run_job = job_run,
	.free_job = job_free,
};

int nvfifo_chan_sched_init(struct nvfifo_chan *chan)
{
	chan->fence_context = dma_fence_context_alloc(1);
	INIT_DELAYED_WORK(&chan->watchdog, watchdog);
	return nvfifo_queue_init(chan->ndev, &chan->sched, &chan->entity, &nvfifo_sched_ops,
				 (1u << chan->order) - 1);
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
	if (!chan->sched.ops)
		return;
	cancel_delayed_work_sync(&chan->watchdog);
	drm_sched_fini(&chan->sched);
	dma_fence_put(chan->last);
}

/* --- SUBMIT -------------------------------------------------------------- */

/* A SUBMIT. */
struct submission {
	struct drm_nvfifo_entry *entries;	/* NULL once somebody else has them */
	u32 count;
	struct nvfifo_syncs syncs;
	bool try;				/* do not wait for room or fences */
};

/* In DMA mode the one entry is the new PUT. */
static int check_entry(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *e)
{
	const struct nvfifo_rule put[] = {
		{ e->words || e->flags, "words or flags in DMA mode" },
		{ e->address % 4 || e->address < NVFIFO_VA_START || e->address >= SZ_4G,
		  "address is no multiple of 4 in 0x10000 to 0xfffffffc" },
		{}
	};
	const struct nvfifo_rule segment[] = {
		{ e->flags & ~(DRM_NVFIFO_ENTRY_NOT_MAIN | DRM_NVFIFO_ENTRY_NO_PREFETCH),
		  "flags has unknown bits" },
		{ !e->words || e->words > NVFIFO_IB_WORDS_MAX, "words is not in 1 to 2097151" },
		{ e->address % 4, "address is no multiple of 4" },
		{ e->address < NVFIFO_VA_START || e->address >= NVFIFO_VA_END ||
		  e->words * 4ULL > NVFIFO_VA_END - e->address,
		  "address with words is not in 0x10000 to 0xffe0000000" },
		{}
	};

	return nvfifo_check(chan->ndev, "submit.entries", chan->ib ? segment : put);
}

static int check_entries(struct nvfifo_chan *chan, const struct submission *sub)
{
	const struct drm_nvfifo_entry *e;
	int ret;

	if (!chan->ib && sub->count != 1)
		return nvfifo_einval(chan->ndev, "submit.entries.count %u is not 1 in DMA mode",
				     sub->count);
	for (e = sub->entries; e < sub->entries + sub->count; e++) {
		ret = check_entry(chan, e);
		if (ret)
			return nvfifo_fail(chan->ndev, ret,
					   "submit.entries[%td]: %#llx, %u words, flags %#x",
					   e - sub->entries, e->address, e->words, e->flags);
	}
	return 0;
}

/* Write it to the ring, with submit_lock held. Return: -EAGAIN if it has to wait. */
static int submit_now(struct nvfifo_chan *chan, const struct submission *sub,
		      struct nvfifo_fence *fence)
{
	int ret;

	if (sub->syncs.num_waits)
		return -EAGAIN;
	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		/* The interrupt that tells of more room may be on its way. */
		if (ring_room(chan) < slots_for(chan, sub->count))
			fences_process(chan);
		ret = chan->dead ?: nvfifo_usable(chan->ndev);
		if (ret)
			return ret;
		if (chan->queued || ring_room(chan) < slots_for(chan, sub->count))
			return -EAGAIN;
		fence_start(chan, fence, &chan->pending);
		ring_submit(chan, fence, sub->entries, sub->count);
	}
	dma_fence_put(chan->last);
	chan->last = dma_fence_get(&fence->base);
	return 0;
}

/* Leave it to the scheduler, with submit_lock held. */
static int submit_later(struct nvfifo_chan *chan, struct drm_file *file, struct submission *sub,
			struct nvfifo_fence *fence)
{
	struct nvfifo_job *job = kzalloc(sizeof(*job), GFP_KERNEL);
	int ret;

	if (!job)
		return -ENOMEM;
	ret = nvfifo_sched_job_init(&job->base, &chan->entity, slots_for(chan, sub->count), chan,
				    file->client_id);
	if (ret) {
		kfree(job);
		return ret;
	}
	kref_get(&chan->ref);
	job->chan = chan;
	job->entries = no_free_ptr(sub->entries);
	job->count = sub->count;
	ret = nvfifo_syncs_depend(&sub->syncs, &job->base);
	if (!ret && chan->last && !dma_fence_is_signaled(chan->last))
		ret = drm_sched_job_add_dependency(&job->base, dma_fence_get(chan->last));
	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		ret = ret ?: chan->dead;
		if (!ret) {
			fence_start(chan, fence, &chan->waiting);
			chan->queued++;
			job->fence = fence;
			dma_fence_get(&fence->base);
		}
	}
	if (ret) {
		job_free(&job->base);
		return ret;
	}
	drm_sched_job_arm(&job->base);
	drm_sched_entity_push_job(&job->base);
	return 0;
}

/* Until not so many jobs of the channel wait for something. */
static int submit_wait(struct nvfifo_chan *chan)
{
	return wait_event_interruptible(chan->ndev->waiters,
					READ_ONCE(chan->queued) < QUEUED_MAX ||
					READ_ONCE(chan->dead) || READ_ONCE(chan->ndev->removing));
}

static int submit(struct nvfifo_chan *chan, struct drm_file *file, struct submission *sub,
		  __u64 *seqno)
{
	struct nvfifo_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);
	int ret;

	if (!fence)
		return -ENOMEM;
	spin_lock_init(&fence->lock);
	do {
		guard(mutex)(&chan->submit_lock);
		ret = submit_now(chan, sub, fence);
		if (ret == -EAGAIN && !sub->try && chan->queued < QUEUED_MAX)
			ret = submit_later(chan, file, sub, fence);
	} while (ret == -EAGAIN && !sub->try && !(ret = submit_wait(chan)));
	if (ret) {
		kfree(fence);
		return ret;
	}
	*seqno = fence->base.seqno;
	nvfifo_syncs_attach(&sub->syncs, &fence->base);
	dma_fence_put(&fence->base);
	atomic64_inc(&chan->ndev->submits);
	return 0;
}

static int submit_user(struct nvfifo_chan *chan, struct drm_file *file,
		       struct drm_nvfifo_submit *args)
{
	struct nvfifo_device *ndev = chan->ndev;
	struct submission sub = {
		.count = args->entries.count,
		.try = args->flags & DRM_NVFIFO_SUBMIT_TRY,
	};
	int ret;

	/* One slot stays empty, one is for the fence. */
	sub.entries = nvfifo_array_get(ndev, &args->entries, sizeof(*sub.entries),
				       (1u << chan->order) - 2, "submit.entries");
	if (IS_ERR(sub.entries))
		return PTR_ERR(sub.entries);
	ret = check_entries(chan, &sub) ?:
	      nvfifo_syncs_get(ndev, file, &args->syncs, "submit.syncs", &sub.syncs) ?:
	      submit(chan, file, &sub, &args->seqno);
	nvfifo_syncs_free(&sub.syncs);
	kvfree(sub.entries);
	return ret;
}

int nvfifo_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_submit *args = data;
	int ret;

	if (args->flags & ~DRM_NVFIFO_SUBMIT_TRY)
		return nvfifo_einval(ndev, "submit.flags %#x: unknown bits", args->flags);
	chan = nvfifo_chan_lookup(ndev, file, args->channel_id, "submit.channel_id");
	if (!chan)
		return -ENOENT;
	ret = READ_ONCE(chan->dead) ?: nvfifo_usable(ndev);
	if (ret)
		return ret;
	if (chan->user_queue)
		return nvfifo_fail(ndev, -EOPNOTSUPP, "submit.channel_id %u has a user queue",
				   args->channel_id);
	return submit_user(chan, file, args);
}
