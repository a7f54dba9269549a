// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Jobs and fences
 *
 * A SUBMIT that has nothing to wait for is written to the ring at once: its entries and one more,
 * whose segment releases the fence. Then one doorbell is rung, IB_PUT. Nothing of the card is
 * read. While a fence is not signalled yet, or the ring is full, it becomes a job of the channel's
 * scheduler. The credits of a job are the ring entries it takes. Such a job waits for all work
 * that went to the ring directly before it. Nothing goes there directly until it has run, which
 * keeps the order.
 *
 * There is one scheduler per channel, as PFIFO does the scheduling between them.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "nvfifo_args.h"
#include "nvfifo_bo.h"
#include "nvfifo_chan.h"
#include "nvfifo_chid.h"
#include "nvfifo_clock.h"
#include "nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "nvfifo_fence.h"
#include "nvfifo_hw.h"
#include "nvfifo_mem.h"
#include "nvfifo_pusher.h"
#include "nvfifo_sched.h"
#include "nvfifo_sync.h"
#include "nvfifo_trace.h"
#include "nvfifo_vm.h"
#include "nvfifo_works.h"

/* Most jobs of a channel that wait in its scheduler. SUBMIT sleeps when there are more. */
#define QUEUED_MAX	1024

/* Most words of a SUBMIT that the event nvfifo_words shows, as reading VRAM takes a while. */
#define TRACED_MAX	4096

/* --- Jobs ---------------------------------------------------------------- */

/* The list has a reference to the fence, and so has the caller. */
static void job_start(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);

	nvfifo_fence_init(&job->fence, &job->lock, chan->fence_context, ++chan->submitted);
	dma_fence_get(&job->fence);
	list_add_tail(&job->link, &chan->jobs);
}

/* Return: the errno with which the channel refuses work, 0 while it and the card are in use. */
static int refuse_work(const struct nvfifo_chan *chan)
{
	const int dead = READ_ONCE(chan->dead);

	if (dead)
		return dead;

	return nvfifo_check_wedged(chan->ndev);
}

/* --- Running jobs -------------------------------------------------------- */

static void job_write(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);

	job->written = true;

	if (!chan->used)
		chan->progress = jiffies;

	chan->used += job->slots;
	nvfifo_fence_mark_busy(chan);
	chan->written = job->fence.seqno;
	nvfifo_ring_submit(chan, job->entries, job->count, job->fence.seqno,
			   nvfifo_fence_encrypt(&chan->fence_key, (u32)job->fence.seqno));
	nvfifo_watch_start(chan->ndev);
}

static struct dma_fence *job_run(struct drm_sched_job *base)
{
	struct nvfifo_job *job = container_of(base, struct nvfifo_job, base);
	struct nvfifo_chan *chan = job->chan;
	int ret = 0;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (!entered.is_open)
		return ERR_PTR(-ENODEV);

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		ret = refuse_work(chan);
		if (!ret) {
			chan->queued--;
			job_write(chan, job);
		}
	}

	wake_up_all(&chan->waiters);

	return ret ? ERR_PTR(ret) : dma_fence_get(&job->fence);
}

static void job_free(struct drm_sched_job *base)
{
	struct nvfifo_job *job = container_of(base, struct nvfifo_job, base);
	struct nvfifo_chan *chan = job->chan;

	drm_sched_job_cleanup(base);
	dma_fence_put(&job->fence);
	nvfifo_chan_put(chan);
}

static const struct drm_sched_backend_ops nvfifo_sched_ops = {
	.run_job = job_run,
	.free_job = job_free,
};

/**
 * nvfifo_chan_sched_init - Give a channel its scheduler and its fences
 * @chan: the channel, whose fence page is there
 *
 * Return: 0, or what the scheduler returns.
 */
int nvfifo_chan_sched_init(struct nvfifo_chan *chan)
{
	__le32 *page = chan->mem + chan->fence_page;

	get_random_bytes(&chan->fence_key, sizeof(chan->fence_key));
	if (chan->ib)
		WRITE_ONCE(*page, cpu_to_le32(nvfifo_fence_encrypt(&chan->fence_key, 0)));

	chan->fence_context = dma_fence_context_alloc(1);

	return nvfifo_queue_init(chan->ndev, &chan->queue, &nvfifo_sched_ops,
				 (1u << chan->order) - 1);
}

/**
 * nvfifo_chan_sched_stop - Take no new jobs, and end those that wait with an error
 * @chan: the channel, which is dead
 *
 * Context: Process context, sleeps. Takes submit_lock.
 */
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan)
{
	if (!chan->queue.sched.ops)
		return;

	/* A SUBMIT that found the channel alive pushes its job first. */
	guard(mutex)(&chan->submit_lock);

	nvfifo_queue_kill(&chan->queue);
}

/**
 * nvfifo_chan_sched_pause_all - Keep jobs from being written to rings, and freed
 * @ndev: the device, about to sleep
 */
void nvfifo_chan_sched_pause_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan)))
		if (chan->queue.sched.ops)
			nvfifo_queue_pause(&chan->queue);
}

/**
 * nvfifo_chan_sched_unpause_all - Undo nvfifo_chan_sched_pause_all()
 * @ndev: the device, in use again, or given up
 */
void nvfifo_chan_sched_unpause_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan)))
		if (chan->queue.sched.ops)
			nvfifo_queue_unpause(&chan->queue);
}

/**
 * nvfifo_chan_sched_fini - Free a channel's scheduler
 * @chan: the channel, with all jobs freed
 */
void nvfifo_chan_sched_fini(struct nvfifo_chan *chan)
{
	if (!chan->queue.sched.ops)
		return;

	nvfifo_queue_fini(&chan->queue);
}

/* --- SUBMIT -------------------------------------------------------------- */

/*
 * Check all rules of IB entries without a branch for each, as SUBMIT may bring thousands. An
 * address below the first, or an end above the last, sets a bit of @past above those of an
 * address. An entry without words sets the upper bits of @words.
 */
static bool ib_entries_are_valid(const struct nvfifo_job *job)
{
	const u64 above = (1ULL << NVFIFO_VA_BITS) - NVFIFO_VA_END - 1;
	const struct drm_nvfifo_entry *e, *end = job->entries + job->count;
	u64 addresses = 0, past = 0;
	u32 words = 0, flags = 0;

	for (e = job->entries; e < end; e++) {
		const u32 n = e->words;

		addresses |= e->address;
		words |= n | (n - 1);
		flags |= e->flags;
		past |= (e->address - NVFIFO_VA_START) | (e->address + n * 4ULL + above);
	}

	if (addresses % 4 || words & ~NVFIFO_IB_WORDS_MAX || past >> NVFIFO_VA_BITS)
		return false;

	return !(flags & ~(DRM_NVFIFO_ENTRY_NOT_MAIN | DRM_NVFIFO_ENTRY_NO_PREFETCH));
}

/* Say which rule an entry breaks. In DMA mode it is the new PUT. */
static int check_entry(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *e)
{
	const bool ib = chan->ib;
	const struct nvfifo_rule rules[] = {
		{ !ib && (e->words || e->flags), "words or flags in DMA mode" },
		{ !ib && (e->address < NVFIFO_VA_START || e->address >= SZ_4G),
		  "address is not in 0x10000 to 0xfffffffc" },
		{ e->address % 4, "address is no multiple of 4" },
		{ e->flags & ~(DRM_NVFIFO_ENTRY_NOT_MAIN | DRM_NVFIFO_ENTRY_NO_PREFETCH),
		  "flags has unknown bits" },
		{ ib && (!e->words || e->words > NVFIFO_IB_WORDS_MAX),
		  "words is not in 1 to 2097151" },
		{ e->address < NVFIFO_VA_START || e->address >= NVFIFO_VA_END ||
		  e->words * 4ULL > NVFIFO_VA_END - e->address,
		  "address with words is not in 0x10000 to 0xffe0000000" },
		{}
	};

	return nvfifo_check_rules(chan->ndev, "submit.entries", rules);
}

static int check_entries(struct nvfifo_chan *chan, const struct nvfifo_job *job)
{
	const struct drm_nvfifo_entry *e;
	int ret;

	if (!chan->ib && job->count != 1)
		return nvfifo_einval(chan->ndev, "submit.entries.count %u is not 1 in DMA mode",
				     job->count);

	if (chan->ib && ib_entries_are_valid(job))
		return 0;

	for (e = job->entries; e < job->entries + job->count; e++) {
		ret = check_entry(chan, e);
		if (ret) {
			drm_dbg(&chan->ndev->drm,
				"submit.entries[%td]: %#llx, %u words, flags %#x\n",
				e - job->entries, e->address, e->words, e->flags);
			return ret;
		}
	}

	return 0;
}

/* Write a job to the ring, with submit_lock held. Return: -EAGAIN if it has to wait. */
static int submit_now(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	int ret;

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		/* The interrupt for more room may be on its way. */
		if (!nvfifo_ring_has_room(chan, job->slots))
			nvfifo_fences_process_locked(chan);

		ret = refuse_work(chan);
		if (!ret && (chan->queued || !nvfifo_ring_has_room(chan, job->slots)))
			ret = -EAGAIN;
		if (!ret) {
			job_start(chan, job);
			job_write(chan, job);
		}
	}

	return ret;
}

/**
 * nvfifo_submit_segment - Submit a segment to a channel of the driver's own
 * @chan: the channel, inside nvfifo_enter
 * @address: of the segment
 * @words: its length
 *
 * Return: the fence with a reference; an error pointer to -EAGAIN if the ring is full, -ENOMEM,
 * -EIO, -ENODEV, or why the channel is dead.
 */
struct dma_fence *nvfifo_submit_segment(struct nvfifo_chan *chan, u64 address, u32 words)
{
	struct nvfifo_job *job = kzalloc(struct_size(job, entries, 1), GFP_KERNEL);
	int ret;

	if (!job)
		return ERR_PTR(-ENOMEM);

	job->count = 1;
	job->slots = 2;
	job->entries[0].address = address;
	job->entries[0].words = words;

	guard(mutex)(&chan->submit_lock);

	ret = submit_now(chan, job);
	if (ret) {
		kfree(job);
		return ERR_PTR(ret);
	}

	return &job->fence;
}

/* Queue a job in the scheduler, with submit_lock held. */
static int submit_later(struct nvfifo_chan *chan, struct drm_file *file, struct nvfifo_job *job,
			struct nvfifo_syncs *syncs)
{
	struct dma_fence *last = NULL;
	int ret;

	/* SUBMIT leaves it as the allocator does. */
	memset(&job->base, 0, sizeof(job->base));

	ret = nvfifo_sched_job_init(&job->base, &chan->queue.entity, job->slots, chan,
				    file->client_id);
	if (ret)
		return ret;

	/* The scheduler does not know the jobs that went to the ring directly. */
	scoped_guard(spinlock_irqsave, &chan->fence_lock)
		if (chan->used && !chan->queued)
			last = dma_fence_get(&list_last_entry(&chan->jobs, struct nvfifo_job,
							      link)->fence);

	ret = drm_sched_job_add_dependency(&job->base, last);
	if (!ret)
		ret = nvfifo_syncs_depend(syncs, &job->base);

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		if (!ret)
			ret = chan->dead;
		if (!ret) {
			job_start(chan, job);
			chan->queued++;
		}
	}

	if (ret) {
		drm_sched_job_cleanup(&job->base);
		return ret;
	}

	kref_get(&chan->ref);
	job->chan = chan;
	dma_fence_get(&job->fence);
	drm_sched_job_arm(&job->base);
	drm_sched_entity_push_job(&job->base);

	return 0;
}

/* Submit once. Return: -EAGAIN if the job has to wait, and @try is set or the queue is full. */
static int submit_try(struct nvfifo_chan *chan, struct drm_file *file, struct nvfifo_job *job,
		      struct nvfifo_syncs *syncs, bool try)
{
	int ret;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (!entered.is_open)
		return -ENODEV;

	ret = nvfifo_user_writes_flush(chan->ndev, &chan->vm->seen);
	if (ret)
		return ret;

	guard(mutex)(&chan->submit_lock);

	ret = -EAGAIN;

	if (!syncs->num_waits)
		ret = submit_now(chan, job);
	if (ret == -EAGAIN && !try && chan->queued < QUEUED_MAX)
		ret = submit_later(chan, file, job, syncs);

	return ret;
}

static bool has_room_or_end(struct nvfifo_chan *chan)
{
	return READ_ONCE(chan->queued) < QUEUED_MAX || READ_ONCE(chan->dead) ||
	       READ_ONCE(chan->ndev->removing);
}

/* Submit, and sleep while the channel's queue is full. */
static int submit(struct nvfifo_chan *chan, struct drm_file *file, struct nvfifo_job *job,
		  struct nvfifo_syncs *syncs, bool try)
{
	int ret;

	for (;;) {
		ret = submit_try(chan, file, job, syncs, try);
		if (ret != -EAGAIN || try)
			return ret;

		ret = wait_event_interruptible(chan->waiters, has_room_or_end(chan));
		if (ret)
			return ret;

		/* The gate may still be open, and the channel looks alive. */
		if (READ_ONCE(chan->ndev->removing))
			return -ENODEV;
	}
}

/* Trace the submitted words at once, as the program may change them later. */
static void trace_words(struct nvfifo_chan *chan, const struct nvfifo_job *job)
{
	struct nvfifo_words_part part = { .number = job->fence.seqno };
	u32 left = TRACED_MAX;
	u32 *data;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (!entered.is_open)
		return;

	data = kmalloc_array(NVFIFO_WORDS_PART, sizeof(*data), GFP_KERNEL);
	if (!data)
		return;

	part.data = data;
	for (part.index = 0; part.index < job->count; part.index++) {
		part.va = job->entries[part.index].address;
		part.words = job->entries[part.index].words;

		for (part.first = 0; part.first < part.words && left; part.first += part.count) {
			part.count = min3(part.words - part.first, (u32)NVFIFO_WORDS_PART, left);
			part.count = nvfifo_vm_read(chan->vm, NULL, part.va + part.first * 4ULL,
						    data, part.count);
			if (!part.count)
				break;

			trace_nvfifo_words(chan, &part);
			left -= part.count;
		}
	}

	kfree(data);
}

/**
 * nvfifo_ioctl_submit - SUBMIT
 * @drm: the card
 * @data: struct drm_nvfifo_submit
 * @file: whose channel it is
 *
 * Context: Outside of nvfifo_enter, as it may wait for room.
 *
 * Return: 0 or an errno as uapi/nvfifo_drm.h has them.
 */
int nvfifo_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_submit *args = data;
	struct nvfifo_syncs syncs = {};
	struct nvfifo_job *job;
	int ret;

	if (args->flags & ~DRM_NVFIFO_SUBMIT_TRY)
		return nvfifo_einval(ndev, "submit.flags %#x: unknown bits", args->flags);

	chan = nvfifo_chan_lookup(ndev, file, args->channel_id, "submit.channel_id");
	if (!chan)
		return -ENOENT;

	ret = refuse_work(chan);
	if (ret)
		return ret;

	if (chan->user_queue)
		return nvfifo_fail(ndev, -EOPNOTSUPP, "submit.channel_id %u has a user queue",
				   args->channel_id);

	/* One entry of the ring stays empty, one is for the fence. */
	job = nvfifo_array_get(ndev, &args->entries, offsetof(struct nvfifo_job, entries),
			       sizeof(job->entries[0]), (1u << chan->order) - 2, "submit.entries");
	if (IS_ERR(job))
		return PTR_ERR(job);

	job->written = false;
	job->count = args->entries.count;
	job->slots = chan->ib ? job->count + 1 : 1;
	ret = check_entries(chan, job);
	if (!ret)
		ret = nvfifo_syncs_get(ndev, file, &args->syncs, "submit.syncs", &syncs);
	if (!ret && !chan->ib && nvfifo_syncs_signal(&syncs))
		ret = nvfifo_fail(ndev, -EOPNOTSUPP,
				  "submit.syncs: a channel in DMA mode signals none");
	if (!ret)
		ret = submit(chan, file, job, &syncs, args->flags & DRM_NVFIFO_SUBMIT_TRY);
	if (ret) {
		kvfree(job);
	} else {
		args->seqno = job->fence.seqno;
		nvfifo_syncs_attach(&syncs, &job->fence);
		if (trace_nvfifo_words_enabled())
			trace_words(chan, job);
		dma_fence_put(&job->fence);
		atomic64_inc(&ndev->counters.submits);
	}

	nvfifo_syncs_free(&syncs);

	return ret;
}
