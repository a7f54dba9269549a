// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Jobs and fences
 *
 * A SUBMIT without unsignalled fences goes to the ring directly: its entries, and one more whose
 * segment releases the fence. Then the driver rings the doorbell, IB_PUT. It reads no register. If
 * a fence is not signalled yet, or the ring is full, the SUBMIT becomes a job of the channel's
 * scheduler. The credits of a job are the ring entries it takes. To keep the order, such a job
 * waits for all work that went to the ring directly before it. No SUBMIT goes there directly until
 * the job has run.
 *
 * Each channel has its own scheduler, because PFIFO schedules the channels. Each address space has
 * one for its VM_BINDs.
 */
#include <linux/dma-fence-chain.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_syncobj.h>

#include "card/nvfifo_hw.h"
#include "gr/nvfifo_gr.h"
#include "mem/nvfifo_bo.h"
#include "fifo/nvfifo_chan.h"
#include "card/nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "fifo/nvfifo_sched.h"
#include "mem/nvfifo_mem.h"
#include "nvfifo_pusher.h"
#include "debug/nvfifo_trace.h"
#include "nvfifo_vm.h"

/* --- Fences --------------------------------------------------------------- */

/**
 * DOC: Fences
 *
 * The fence page holds the word of the last fence that the card released. The driver draws a random
 * word for each job that enters the ring. A client's commands can write to the page, because they
 * can use the same handle as the driver's. So the driver accepts a word only if it belongs to a job
 * in the ring. No client can know a word before the driver's segment has released it:
 *
 * - The segments lie in the driver's part of the address space. No DMA object that a client can
 *   create reaches it, nor do the segments and rings of other channels.
 * - A client can leave a command incomplete, so that it takes the driver's segment as its data and
 *   writes that where the client can read it. By then all earlier work of the channel has been
 *   executed.
 *
 * After any other word the driver bans the channel. The words of jobs in the ring differ, because a
 * word of two jobs would release the first one only.
 *
 * In DMA mode the channel's own commands release the plain seqno. A client can forge it, so other
 * drivers must not depend on it: SUBMIT signals no syncobj in DMA mode.
 *
 * Each fence raises an interrupt: NOTIFY, or on G80 a software method. It does not name its
 * channel, so the handler checks all channels with work. The watchdog checks again, in case an
 * interrupt was lost, and so do CHANNEL_WAIT and CHANNEL_QUERY.
 *
 * The scheduler's own fence reads its name from the scheduler, up to 6.16 even after the scheduler
 * was freed. So the driver exports its own fences for SUBMIT and VM_BIND. They refer to nothing but
 * the module, which they keep loaded.
 */

static const char *fence_name(struct dma_fence *fence)
{
	return NVFIFO_NAME;
}

static void fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_name,
	.get_timeline_name = fence_name,
	.release = fence_release,
};

/**
 * nvfifo_fence_init() - Begin a fence that refers to nothing but the module
 * @fence: the fence, at the start of memory of its own, which kfree() frees
 * @context: context of its timeline
 * @seqno: its seqno
 */
void nvfifo_fence_init(struct nvfifo_fence *fence, u64 context, u64 seqno)
{
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &fence_ops, &fence->lock, context, seqno);
	__module_get(THIS_MODULE);
}

/* --- The word of a fence ------------------------------------------------- */

/**
 * nvfifo_fence_first_word() - Draw the word that the fence page holds at first
 * @chan: a new channel
 *
 * Return: the word
 */
u32 nvfifo_fence_first_word(struct nvfifo_chan *chan)
{
	chan->ended_word = get_random_u32();

	return chan->ended_word;
}

/**
 * nvfifo_fence_find() - Find the job of a word
 * @chan: the channel, with its fence_lock held
 * @word: the word in the fence page
 *
 * Return: the job, or NULL if the word belongs to no job in the ring.
 */
struct nvfifo_job *nvfifo_fence_find(const struct nvfifo_chan *chan, u32 word)
{
	struct nvfifo_job *job;

	hlist_for_each_entry(job, &chan->words[word % NVFIFO_WORD_BUCKETS], by_word)
		if (job->word == word)
			return job;

	return NULL;
}

/**
 * nvfifo_fence_word_is_free() - Is a word unused?
 * @chan: the channel, with its fence_lock held
 * @word: the word
 *
 * Return: false if it belongs to a job in the ring or to the last one that has ended.
 */
bool nvfifo_fence_word_is_free(const struct nvfifo_chan *chan, u32 word)
{
	return word != chan->ended_word && !nvfifo_fence_find(chan, word);
}

/**
 * nvfifo_fence_draw_word() - Draw the word of a job
 * @chan: the channel, with its fence_lock held
 * @job: about to be written to the ring in IB mode
 */
void nvfifo_fence_draw_word(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	do
		job->word = get_random_u32();
	while (!nvfifo_fence_word_is_free(chan, job->word));

	hlist_add_head(&job->by_word, &chan->words[job->word % NVFIFO_WORD_BUCKETS]);
}

/* --- Jobs ---------------------------------------------------------------- */

/**
 * nvfifo_job_begin() - Begin a job and its fence
 * @chan: the channel, with its fence_lock held
 * @job: memory from kmalloc(), of which the caller has set @slots only
 *
 * The list of jobs gets its own reference to the fence.
 */
void nvfifo_job_begin(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);

	INIT_HLIST_NODE(&job->by_word);
	job->word = 0;
	job->written = false;
	nvfifo_fence_init(&job->fence, chan->fence_context, ++chan->submitted);
	dma_fence_get(&job->fence.base);
	list_add_tail(&job->link, &chan->jobs);
}

/*
 * Write a job to the ring, which has room, with fence_lock held. Its fence gets its word here.
 */
static void job_write(struct nvfifo_chan *chan, struct nvfifo_job *job,
		      const struct drm_nvfifo_entry *entries, u32 count)
{
	lockdep_assert_held(&chan->fence_lock);

	if (!chan->used)
		chan->progress = jiffies;

	chan->used += job->slots;
	chan->written = job->fence.base.seqno;
	job->written = true;
	set_bit(chan->id, chan->ndev->fences.busy);

	if (chan->ib)
		nvfifo_fence_draw_word(chan, job);

	nvfifo_ring_submit(chan, entries, count, job->fence.base.seqno, job->word);
	nvfifo_watch_start(chan->ndev);
}

/* --- Signalling ---------------------------------------------------------- */

/* Signal a fence. The channel's lock keeps the order of the signals. */
static void job_end(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);

	list_del_init(&job->link);
	hlist_del_init(&job->by_word);
	chan->completed = job->fence.base.seqno;

	if (job->written) {
		chan->used -= job->slots;
		chan->ended_word = job->word;
	}
	if (!chan->used)
		clear_bit(chan->id, chan->ndev->fences.busy);

	chan->progress = jiffies;
	trace_nvfifo_fence(chan, job->fence.base.seqno, job->fence.base.error);
	dma_fence_signal(&job->fence.base);
	dma_fence_put(&job->fence.base);
	wake_up_all(&chan->waiters);
}

/*
 * Read the fence page, which may hold the word of a job in the ring or of the last one that has
 * ended. Sets @last to the seqno of the last SUBMIT that the card has released. Return: false if
 * the page holds another word.
 */
static bool fence_page_read(struct nvfifo_chan *chan, u64 *last)
{
	/* The card and the client's commands write to the page. */
	u32 word = le32_to_cpu(READ_ONCE(*(const __le32 *)(chan->mem + chan->fence_page)));
	const struct nvfifo_job *job;

	*last = chan->completed;

	if (!chan->ib) {
		if (nvfifo_fence_passed(word, chan->completed))
			*last = min(chan->completed + (u32)(word - (u32)chan->completed),
				    chan->written);
		return true;
	}

	if (word == chan->ended_word)
		return true;

	job = nvfifo_fence_find(chan, word);
	if (!job) {
		dev_err_ratelimited(chan->ndev->drm.dev,
				    "channel %u: its commands wrote %08x to the fence page\n",
				    chan->id, word);
		return false;
	}

	*last = job->fence.base.seqno;

	return true;
}

/**
 * nvfifo_fences_process_locked() - Signal the fences that the card has released
 * @chan: the channel, with its fence_lock held
 *
 * The fences of a dead channel fail when it is off the card. A channel that wrote a wrong word to
 * its fence page is dead from then on. A draw may fault after PGRAPH took its methods, and
 * the release after it may come before the trap's handler. The fence waits for the handler.
 */
void nvfifo_fences_process_locked(struct nvfifo_chan *chan)
{
	struct nvfifo_job *job, *tmp;
	u64 last;

	if (list_empty(&chan->jobs) || chan->dead)
		return;

	if (!fence_page_read(chan, &last)) {
		chan->dead = -ECANCELED;
		nvfifo_ban_queue(chan->ndev);
		return;
	}

	if (last == chan->completed)
		return;

	/* Written before the first method that needs it. */
	if (READ_ONCE(chan->gr_image) && nvfifo_gr_error_pending(chan->ndev))
		return;

	list_for_each_entry_safe(job, tmp, &chan->jobs, link) {
		if (!job->written || job->fence.base.seqno > last)
			return;

		job_end(chan, job);
	}
}

/**
 * nvfifo_fences_process() - Signal the fences that the card has released
 * @chan: the channel
 *
 * Context: Any. Takes fence_lock.
 *
 * Return: true if a fence was signalled.
 */
bool nvfifo_fences_process(struct nvfifo_chan *chan)
{
	u64 before;

	guard(spinlock_irqsave)(&chan->fence_lock);

	before = chan->completed;
	nvfifo_fences_process_locked(chan);

	return chan->completed != before;
}

/**
 * nvfifo_fences_process_all() - Signal the fences that the card has released, on all channels
 * @ndev: the device
 *
 * Checks channels with work only, so idle channels do not slow the handler down.
 *
 * Context: Any. Takes fence_lock.
 *
 * Return: true if a fence was signalled.
 */
bool nvfifo_fences_process_all(struct nvfifo_device *ndev)
{
	bool found = false;
	u32 id;

	for_each_set_bit(id, ndev->fences.busy, NVFIFO_CHANNELS) {
		struct nvfifo_chan *chan __free(chan_put) = nvfifo_chan_get(ndev, id);

		if (chan && nvfifo_fences_process(chan))
			found = true;
	}

	return found;
}

/**
 * nvfifo_fences_fail() - Disable the doorbell, and fail the fences that the card has not released
 * @chan: the channel
 * @err: errno of these fences and of later ones
 * @end: the channel is off the card, so signal the fences
 *
 * Context: Any. Takes fence_lock.
 */
void nvfifo_fences_fail(struct nvfifo_chan *chan, int err, bool end)
{
	struct nvfifo_job *job, *tmp;

	guard(spinlock_irqsave)(&chan->fence_lock);

	nvfifo_fences_process_locked(chan);

	if (!chan->dead)
		chan->dead = err;

	list_for_each_entry_safe(job, tmp, &chan->jobs, link) {
		dma_fence_set_error(&job->fence.base, chan->dead);

		if (end)
			job_end(chan, job);
	}

	/* The scheduler keeps jobs until their dependencies are signalled. */
	if (end)
		chan->queued = 0;

	wake_up_all(&chan->waiters);
}

/* Most jobs in the scheduler of a channel. SUBMIT sleeps while there are so many. */
#define QUEUED_MAX	1024

/* Most words of a SUBMIT in the event nvfifo_words, because reads of VRAM are slow. */
#define TRACED_MAX	4096

/* --- Queues --------------------------------------------------------------- */

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
 * nvfifo_queue_pause() - Stop running and freeing jobs, or start again
 * @queue: the queue, whose jobs stay queued
 * @on: stop
 *
 * Context: As nvfifo_queue_kill().
 */
void nvfifo_queue_pause(struct nvfifo_queue *queue, bool on)
{
	guard(mutex)(&queue->lock);

	if (queue->paused == on)
		return;

	queue->paused = on;

	if (on)
		drm_sched_wqueue_stop(&queue->sched);
	else
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

/* Return: the rule that a sync breaks, or NULL. */
static const char *sync_error(const struct drm_nvfifo_sync *s)
{
	const bool timeline = s->flags & DRM_NVFIFO_SYNC_TIMELINE;
	const u32 dir = s->flags & ~DRM_NVFIFO_SYNC_TIMELINE;

	if (dir != DRM_NVFIFO_SYNC_WAIT && dir != DRM_NVFIFO_SYNC_SIGNAL)
		return "flags is not one of WAIT and SIGNAL, with or without TIMELINE";
	if (!timeline && s->timeline_value)
		return "timeline_value without TIMELINE";
	if (timeline && !s->timeline_value && dir == DRM_NVFIFO_SYNC_SIGNAL)
		return "timeline_value is 0";

	return NULL;
}

static int sync_get(struct nvfifo_device *ndev, struct drm_file *file, const char *name,
		    const struct drm_nvfifo_sync *s, struct nvfifo_sync *sync)
{
	const char *error = sync_error(s);
	struct dma_fence *fence;
	int ret;

	if (error)
		return nvfifo_einval(ndev, "%s: %s", name, error);

	if (s->flags & DRM_NVFIFO_SYNC_WAIT) {
		ret = drm_syncobj_find_fence(file, s->handle, s->timeline_value, 0, &fence);
		if (ret)
			return ret;

		if (dma_fence_is_signaled(fence))
			dma_fence_put(fence);
		else
			sync->wait = fence;

		return 0;
	}

	sync->point = s->timeline_value;
	sync->syncobj = drm_syncobj_find(file, s->handle);
	if (!sync->syncobj)
		return -ENOENT;

	if (!(s->flags & DRM_NVFIFO_SYNC_TIMELINE))
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
	struct drm_nvfifo_sync s;
	u32 i;
	int ret;

	if (!in->count)
		return 0;

	ret = nvfifo_array_check(ndev, in, sizeof(s), NVFIFO_MAX_SYNCS, name);
	if (ret)
		return ret;

	syncs->syncs = syncs->few;
	if (in->count > NVFIFO_FEW_SYNCS)
		syncs->syncs = kvcalloc(in->count, sizeof(*syncs->syncs), GFP_KERNEL_ACCOUNT);
	if (!syncs->syncs)
		return -ENOMEM;

	for (i = 0; i < in->count; i++) {
		ret = nvfifo_array_copy(ndev, in, i, 1, sizeof(s), &s, name);
		if (ret)
			return ret;

		syncs->count++;
		ret = sync_get(ndev, file, name, &s, &syncs->syncs[i]);
		if (ret)
			return nvfifo_fail(ndev, ret,
					   "%s[%u]: handle %u, flags %#x, value %llu: error %d",
					   name, i, s.handle, s.flags, s.timeline_value, ret);

		if (syncs->syncs[i].wait)
			syncs->num_waits++;
	}

	return 0;
}

/* Does a syncobj get the fence of the call? */
static bool syncs_signal(const struct nvfifo_syncs *syncs)
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
 * Context: Process context, outside of CLASS(nvfifo_enter), because a client's timelines may be
 * long.
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

/* --- Jobs ---------------------------------------------------------------- */

/* The scheduler's part of a SUBMIT, until the SUBMIT is written to the ring */
struct queued_job {
	struct drm_sched_job base;
	struct nvfifo_job *job;		/* with a reference to its fence */
	struct nvfifo_chan *chan;	/* with a reference */
	u32 count;
	struct drm_nvfifo_entry entries[] __counted_by(count);
};

/* Number of entries that need no allocation */
#define FEW_ENTRIES	4

/* A SUBMIT while its call runs */
struct submission {
	struct nvfifo_job *job;
	struct drm_nvfifo_entry *entries;	/* checked */
	u32 count;
	struct nvfifo_syncs syncs;
	struct drm_nvfifo_entry few[FEW_ENTRIES];
};

/* Return: 0 if channel and card are in use, else the errno for new work. */
static int refuse_work(const struct nvfifo_chan *chan)
{
	lockdep_assert_held(&chan->fence_lock);

	if (chan->dead)
		return chan->dead;

	return nvfifo_check_wedged(chan->ndev);
}

/* Do entries fit into the ring? One entry stays unused, to tell a full ring from an empty one. */
static bool ring_has_room(const struct nvfifo_chan *chan, u32 slots)
{
	return chan->used + slots < 1u << chan->order;
}

/* --- Running jobs -------------------------------------------------------- */

static int job_write_queued(struct nvfifo_chan *chan, struct queued_job *queued)
{
	int ret;

	guard(spinlock_irqsave)(&chan->fence_lock);

	ret = refuse_work(chan);
	if (ret)
		return ret;

	chan->queued--;
	job_write(chan, queued->job, queued->entries, queued->count);

	return 0;
}

/*
 * Write a queued job to the ring, after its dependencies. The scheduler runs a job only when it has
 * credits for all its entries, so the ring has room.
 */
static struct dma_fence *job_run(struct drm_sched_job *base)
{
	struct queued_job *queued = container_of(base, struct queued_job, base);
	struct nvfifo_chan *chan = queued->chan;
	bool cookie = dma_fence_begin_signalling();
	int ret = -ENODEV;

	CLASS(nvfifo_enter, entered)(chan->ndev);

	if (entered.is_open)
		ret = job_write_queued(chan, queued);

	wake_up_all(&chan->waiters);
	dma_fence_end_signalling(cookie);

	if (ret)
		return ERR_PTR(ret);

	return dma_fence_get(&queued->job->fence.base);
}

static void job_free(struct drm_sched_job *base)
{
	struct queued_job *queued = container_of(base, struct queued_job, base);

	drm_sched_job_cleanup(base);
	dma_fence_put(&queued->job->fence.base);
	nvfifo_chan_put(queued->chan);
	kvfree(queued);
}

static const struct drm_sched_backend_ops nvfifo_sched_ops = {
	.run_job = job_run,
	.free_job = job_free,
};

/**
 * nvfifo_chan_sched_init() - Give a channel its scheduler and its fences
 * @chan: the channel, with its fence page allocated
 *
 * Return: 0, or an errno of the scheduler.
 */
int nvfifo_chan_sched_init(struct nvfifo_chan *chan)
{
	__le32 *page = chan->mem + chan->fence_page;

	if (chan->ib)
		*page = cpu_to_le32(nvfifo_fence_first_word(chan));

	chan->fence_context = dma_fence_context_alloc(1);

	return nvfifo_queue_init(chan->ndev, &chan->queue, nvfifo_wq, &nvfifo_sched_ops,
				 (1u << chan->order) - 1);
}

/**
 * nvfifo_chan_sched_stop() - Refuse new jobs, and fail queued ones
 * @chan: the channel, which is dead
 *
 * Context: Process context, sleeps. Takes submit_lock.
 */
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan)
{
	if (!chan->queue.set_up)
		return;

	/* Let a SUBMIT that saw the channel alive push its job first. */
	guard(mutex)(&chan->submit_lock);

	nvfifo_queue_kill(&chan->queue);
}

/**
 * nvfifo_chan_sched_pause_all() - Stop running and freeing queued jobs, or start again
 * @ndev: the device, about to sleep, or after the resume
 * @on: stop
 */
void nvfifo_chan_sched_pause_all(struct nvfifo_device *ndev, bool on)
{
	struct nvfifo_chan *chan = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan)))
		if (chan->queue.set_up)
			nvfifo_queue_pause(&chan->queue, on);
}

/**
 * nvfifo_chan_sched_fini() - Free a channel's scheduler
 * @chan: the channel, with all jobs freed
 */
void nvfifo_chan_sched_fini(struct nvfifo_chan *chan)
{
	if (!chan->queue.set_up)
		return;

	nvfifo_queue_fini(&chan->queue);
}

/* --- SUBMIT -------------------------------------------------------------- */

/* Return: 1 if a job was written to the ring, 0 if it must be queued, or an errno. */
static int job_write_now(struct nvfifo_chan *chan, struct nvfifo_job *job,
			 const struct drm_nvfifo_entry *entries, u32 count)
{
	int ret;

	lockdep_assert_held(&chan->submit_lock);
	guard(spinlock_irqsave)(&chan->fence_lock);

	/* Jobs may have ended whose interrupt is still pending. */
	if (!ring_has_room(chan, job->slots))
		nvfifo_fences_process_locked(chan);

	ret = refuse_work(chan);
	if (ret)
		return ret;

	if (chan->queued || !ring_has_room(chan, job->slots))
		return 0;

	nvfifo_job_begin(chan, job);
	job_write(chan, job, entries, count);

	return 1;
}

/**
 * nvfifo_submit_segment() - Submit a segment to a channel of the driver
 * @chan: the channel; the caller is inside CLASS(nvfifo_enter)
 * @address: of the segment
 * @words: its length
 *
 * Return: the fence with a reference; an error pointer to -EAGAIN if the ring is full, -ENOMEM,
 * -EIO, -ENODEV, or the errno of a dead channel.
 */
struct dma_fence *nvfifo_submit_segment(struct nvfifo_chan *chan, u64 address, u32 words)
{
	const struct drm_nvfifo_entry entry = { .address = address, .words = words };
	struct nvfifo_job *job = kmalloc(sizeof(*job), GFP_KERNEL);
	int ret;

	if (!job)
		return ERR_PTR(-ENOMEM);

	job->slots = 2;

	scoped_guard(mutex, &chan->submit_lock)
		ret = job_write_now(chan, job, &entry, 1);

	if (ret > 0)
		return &job->fence.base;

	kfree(job);

	if (!ret)
		ret = -EAGAIN;

	return ERR_PTR(ret);
}

/* Create the scheduler's part of a job, with the previous job and fences as dependencies. */
static struct queued_job *queued_job_new(struct nvfifo_chan *chan, struct drm_file *file,
					 struct submission *sub)
{
	struct queued_job *queued = kvzalloc(struct_size(queued, entries, sub->count),
					     GFP_KERNEL_ACCOUNT);
	struct dma_fence *last = NULL;
	int ret;

	if (!queued)
		return ERR_PTR(-ENOMEM);

	queued->count = sub->count;
	memcpy(queued->entries, sub->entries, sub->count * sizeof(*sub->entries));

	ret = nvfifo_sched_job_init(&queued->base, &chan->queue.entity, sub->job->slots, chan,
				    file->client_id);
	if (ret) {
		kvfree(queued);
		return ERR_PTR(ret);
	}

	/*
	 * Depend on the last job that went to the ring directly, because the scheduler does not
	 * know it.
	 */
	scoped_guard(spinlock_irqsave, &chan->fence_lock)
		if (chan->used && !chan->queued)
			last = dma_fence_get(&list_last_entry(&chan->jobs, struct nvfifo_job,
							      link)->fence.base);

	ret = drm_sched_job_add_dependency(&queued->base, last);
	if (!ret)
		ret = nvfifo_syncs_depend(&sub->syncs, &queued->base);
	if (ret) {
		drm_sched_job_cleanup(&queued->base);
		kvfree(queued);
		return ERR_PTR(ret);
	}

	return queued;
}

/* Queue a job in the scheduler, with submit_lock held. Return: -EBUSY if the queue is full. */
static int submit_later(struct nvfifo_chan *chan, struct drm_file *file, struct submission *sub)
{
	struct queued_job *queued;
	int ret;

	scoped_guard(spinlock_irqsave, &chan->fence_lock)
		if (chan->queued >= QUEUED_MAX)
			return -EBUSY;

	queued = queued_job_new(chan, file, sub);
	if (IS_ERR(queued))
		return PTR_ERR(queued);

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		ret = chan->dead;
		if (!ret) {
			nvfifo_job_begin(chan, sub->job);
			chan->queued++;
		}
	}

	if (ret) {
		drm_sched_job_cleanup(&queued->base);
		kvfree(queued);
		return ret;
	}

	kref_get(&chan->ref);
	queued->chan = chan;
	dma_fence_get(&sub->job->fence.base);
	queued->job = sub->job;
	drm_sched_job_arm(&queued->base);
	drm_sched_entity_push_job(&queued->base);

	return 0;
}

/*
 * Submit once. Return: -EBUSY if the channel's queue is full; -EAGAIN, only with @try, if the job
 * must be queued.
 */
static int submit_once(struct nvfifo_chan *chan, struct drm_file *file, struct submission *sub,
		       bool try)
{
	int ret = 0;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (!entered.is_open)
		return -ENODEV;

	ret = nvfifo_user_writes_flush(chan->ndev);
	if (ret)
		return ret;

	guard(mutex)(&chan->submit_lock);

	if (!sub->syncs.num_waits)
		ret = job_write_now(chan, sub->job, sub->entries, sub->count);
	if (ret < 0)
		return ret;
	if (ret)
		return 0;

	if (try)
		return -EAGAIN;

	return submit_later(chan, file, sub);
}

static bool queue_has_room(struct nvfifo_chan *chan)
{
	guard(spinlock_irqsave)(&chan->fence_lock);

	return chan->queued < QUEUED_MAX || chan->dead || nvfifo_check_ending(chan->ndev);
}

/* Submit, and sleep while the channel's queue is full. Return: -EAGAIN only with @try. */
static int submit(struct nvfifo_chan *chan, struct drm_file *file, struct submission *sub,
		  bool try)
{
	int ret;

	while ((ret = submit_once(chan, file, sub, try)) == -EBUSY) {
		ret = wait_event_interruptible(chan->waiters, queue_has_room(chan));
		/* Early in the removal of the card the gate is open, and the channel alive. */
		if (!ret)
			ret = nvfifo_check_ending(chan->ndev);
		if (ret)
			return ret;
	}

	return ret;
}

/* Trace the submitted words at once, before the client can change them. */
static void trace_words(struct nvfifo_chan *chan, const struct submission *sub)
{
	struct nvfifo_words_part part = { .number = sub->job->fence.base.seqno };
	u32 left = TRACED_MAX;
	u32 *data;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (!entered.is_open)
		return;

	data = kmalloc_array(NVFIFO_WORDS_PART, sizeof(*data), GFP_KERNEL);
	if (!data)
		return;

	part.data = data;
	for (part.index = 0; part.index < sub->count; part.index++) {
		part.va = sub->entries[part.index].address;
		part.words = sub->entries[part.index].words;

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

static int entries_check(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *e, u32 count)
{
	const char *error;
	u32 i;

	for (i = 0; i < count; i++, e++) {
		error = chan->ib ? nvfifo_entry_error(e) : nvfifo_put_error(e);
		if (error)
			return nvfifo_einval(chan->ndev,
					     "submit.entries[%u]: %#llx, %u words, flags %#x: %s",
					     i, e->address, e->words, e->flags, error);
	}

	return 0;
}

/*
 * Get the entries of a SUBMIT from user space. Each is read once, so the client cannot change it
 * after the check.
 */
static int entries_get(struct nvfifo_chan *chan, const struct drm_nvfifo_array *in,
		       struct submission *sub)
{
	/* One entry of the ring stays unused, one is for the fence. */
	const u32 max = (1u << chan->order) - 2;
	const size_t size = sizeof(*sub->entries);
	int ret;

	ret = nvfifo_array_check(chan->ndev, in, size, max, "submit.entries");
	if (ret)
		return ret;

	if (!chan->ib && in->count != 1)
		return nvfifo_einval(chan->ndev, "submit.entries.count %u is not 1 in DMA mode",
				     in->count);

	sub->count = in->count;
	sub->entries = sub->few;
	if (in->count > FEW_ENTRIES)
		sub->entries = kvmalloc_array(in->count, size, GFP_KERNEL_ACCOUNT);
	if (!sub->entries)
		return -ENOMEM;

	ret = nvfifo_array_copy(chan->ndev, in, 0, in->count, size, sub->entries, "submit.entries");
	if (ret)
		return ret;

	return entries_check(chan, sub->entries, in->count);
}

static void submission_free(struct submission *sub)
{
	nvfifo_syncs_free(&sub->syncs);

	if (sub->entries != sub->few)
		kvfree(sub->entries);
}

/* Check a SUBMIT, and create its job. The caller frees both even after an error. */
static int submission_get(struct nvfifo_chan *chan, struct drm_file *file,
			  const struct drm_nvfifo_submit *args, struct submission *sub)
{
	struct nvfifo_device *ndev = chan->ndev;
	int ret;

	ret = entries_get(chan, &args->entries, sub);
	if (ret)
		return ret;

	ret = nvfifo_syncs_get(ndev, file, &args->syncs, "submit.syncs", &sub->syncs);
	if (ret)
		return ret;

	if (!chan->ib && syncs_signal(&sub->syncs))
		return nvfifo_fail(ndev, -EOPNOTSUPP,
				   "submit.syncs: a channel in DMA mode signals none");

	sub->job = kmalloc(sizeof(*sub->job), GFP_KERNEL_ACCOUNT);
	if (!sub->job)
		return -ENOMEM;

	sub->job->slots = 1;
	if (chan->ib)
		sub->job->slots += sub->count;

	return 0;
}

/**
 * nvfifo_ioctl_submit() - SUBMIT
 * @drm: the card
 * @data: struct drm_nvfifo_submit
 * @file: whose channel it is
 *
 * Context: Outside of CLASS(nvfifo_enter), because it may wait for room in the queue.
 *
 * Return: 0 or an errno that uapi/nvfifo_drm.h lists.
 */
int nvfifo_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_submit *args = data;
	struct submission sub = {};
	int ret;

	if (args->flags & ~DRM_NVFIFO_SUBMIT_TRY)
		return nvfifo_einval(ndev, "submit.flags %#x: unknown bits", args->flags);

	chan = nvfifo_chan_lookup(ndev, file, args->channel_id, "submit.channel_id");
	if (!chan)
		return -ENOENT;

	if (chan->user_queue)
		return nvfifo_fail(ndev, -EOPNOTSUPP, "submit.channel_id %u has a user queue",
				   args->channel_id);

	ret = submission_get(chan, file, args, &sub);
	if (!ret)
		ret = submit(chan, file, &sub, args->flags & DRM_NVFIFO_SUBMIT_TRY);
	if (ret) {
		kfree(sub.job);
	} else {
		args->seqno = sub.job->fence.base.seqno;
		nvfifo_syncs_attach(&sub.syncs, &sub.job->fence.base);
		if (trace_nvfifo_words_enabled())
			trace_words(chan, &sub);
		dma_fence_put(&sub.job->fence.base);
		atomic64_inc(&ndev->counters.submits);
	}

	submission_free(&sub);

	return ret;
}
