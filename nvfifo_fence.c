// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Fences
 *
 * The fence page holds the word of the last fence that the card released. The driver draws a random
 * word for each job that enters the ring. A client's commands can write to the page, because they
 * can use the same handle as the driver's. So the driver accepts a word only if a job in the ring
 * has it. No client can know a word before the driver's segment has released it:
 *
 * - The segments lie in the driver's part of the address space. No DMA object that a client
 *   can make reaches it, nor do the segments and rings of other channels.
 * - A client can leave a command incomplete, so that it takes the driver's segment as its data and
 *   writes that where the client can read it. By then all earlier work of the channel has been
 *   executed.
 *
 * Any other word gets the channel banned. The words of jobs in the ring differ, because a word of
 * two jobs would release the first one only.
 *
 * In DMA mode the channel's own commands release the plain seqno. A client can forge it, so other
 * drivers must not depend on it: SUBMIT signals no syncobj in DMA mode.
 *
 * The notify interrupt does not name its channel, so the handler checks all channels. The watchdog
 * checks again, in case an interrupt was lost. dma_fence_is_signaled() also reads the fence page,
 * so a thread need not wait for the interrupt. The interrupt is on only for a fence that someone
 * waits for (nvfifo_notify.c). A thread that is about to sleep polls first, if the channel's last
 * jobs were short or had more entries. A fence may outlive its channel, so it points to the channel
 * only while its job is in the ring.
 *
 * An error ends a channel in two steps. nvfifo_chan_condemn() fails its fences at once. A work
 * item takes the channel off the card afterwards.
 */
#include <linux/delay.h>
#include <linux/random.h>
#include <linux/sched.h>

#include "nvfifo_card_dump.h"
#include "nvfifo_chan.h"
#include "nvfifo_chid.h"
#include "nvfifo_drv.h"
#include "nvfifo_fence.h"
#include "nvfifo_hw.h"
#include "nvfifo_notify.h"
#include "nvfifo_pusher.h"
#include "nvfifo_sync.h"
#include "nvfifo_trace.h"

/*
 * The hard interrupt handler signals so many fences at once. A client decides how many end at the
 * same time, and the thread can be interrupted between two channels.
 */
#define FEW_FENCES	16

/* Most waits in a row that do not poll */
#define POLL_SKIP_MAX	31u

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

static struct hlist_head *bucket_of(struct nvfifo_chan *chan, u32 word)
{
	return &chan->words[word % NVFIFO_WORD_BUCKETS];
}

/**
 * nvfifo_fence_find() - Find the job of a word
 * @chan: the channel, with its fence_lock held
 * @word: the word in the fence page
 *
 * Return: the job, or NULL if no job in the ring has this word.
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
 * Return: false if a job in the ring or the last job that has ended has it.
 */
bool nvfifo_fence_word_is_free(const struct nvfifo_chan *chan, u32 word)
{
	return word != chan->ended_word && !nvfifo_fence_find(chan, word);
}

/* --- Signalling ---------------------------------------------------------- */

/* Signal a fence. The channel's lock keeps the order of the signals. */
static void job_end(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);

	list_del_init(&job->link);
	hlist_del_init(&job->by_word);
	chan->completed = job->fence.seqno;

	if (job->written) {
		chan->used -= job->slots;
		chan->ended_word = job->word;
	}
	if (!chan->used)
		clear_bit(chan->id, chan->ndev->fences.busy);

	chan->progress = jiffies;
	trace_nvfifo_fence(chan, job->fence.seqno, job->fence.error);

	scoped_guard(spinlock, &job->chan_lock) {
		if (job->chan && job->waited)
			nvfifo_notify_put(chan->ndev);

		job->chan = NULL;
	}

	/* Another thread may hold the lock of a later fence, see job_look(). */
	spin_lock_nested(&job->lock, SINGLE_DEPTH_NESTING);
	dma_fence_signal_locked(&job->fence);
	spin_unlock(&job->lock);

	dma_fence_put(&job->fence);
	wake_up_all(&chan->waiters);
}

/*
 * Get the seqno of the last SUBMIT that has ended. The fence page may hold the word of a job in the
 * ring, or of the last one that has ended. A channel that writes any other word is banned.
 */
static u64 released(struct nvfifo_chan *chan)
{
	u32 word = le32_to_cpu(READ_ONCE(*(const __le32 *)(chan->mem + chan->fence_page)));
	const struct nvfifo_job *job;

	if (!chan->ib) {
		if (!nvfifo_fence_passed(word, chan->completed))
			return chan->completed;

		return min(chan->completed + (u32)(word - (u32)chan->completed), chan->written);
	}

	if (word == chan->ended_word)
		return chan->completed;

	job = nvfifo_fence_find(chan, word);
	if (job)
		return job->fence.seqno;

	if (!chan->forged)
		dev_err_ratelimited(chan->ndev->drm.dev, "channel %u: its commands wrote %08x to the fence page\n",
			   chan->id, word);

	chan->forged = true;

	if (!chan->dead)
		chan->dead = -ECANCELED;

	nvfifo_ban_queue(chan->ndev);

	return chan->completed;
}

/* End the jobs in the ring up to a seqno. A callback of a fence may query another fence. */
static void end_jobs(struct nvfifo_chan *chan, u64 last)
{
	struct nvfifo_job *job;

	while (!list_empty(&chan->jobs)) {
		job = list_first_entry(&chan->jobs, struct nvfifo_job, link);
		if (!job->written || job->fence.seqno > last)
			return;

		job_end(chan, job);
	}
}

/**
 * nvfifo_fences_process_locked() - Signal the fences that the card has released
 * @chan: the channel, with its fence_lock held
 */
void nvfifo_fences_process_locked(struct nvfifo_chan *chan)
{
	if (list_empty(&chan->jobs) || chan->forged)
		return;

	end_jobs(chan, released(chan));
}

/**
 * nvfifo_fences_process() - Signal the fences that the card has released
 * @chan: the channel
 *
 * Context: Any. Takes fence_lock.
 */
void nvfifo_fences_process(struct nvfifo_chan *chan)
{
	scoped_guard(spinlock_irqsave, &chan->fence_lock)
		nvfifo_fences_process_locked(chan);
}

/* Signal at most @max fences that the card has released. Return: their number. */
static u32 process_some(struct nvfifo_chan *chan, u32 max)
{
	u64 before;

	guard(spinlock_irqsave)(&chan->fence_lock);

	before = chan->completed;
	if (!list_empty(&chan->jobs) && !chan->forged)
		end_jobs(chan, min(released(chan), before + max));

	return chan->completed - before;
}

/* Signal at most @max fences of the channels with work. Return: true if a fence was signalled. */
static bool poll_some(struct nvfifo_device *ndev, u32 max)
{
	u32 left = max;
	u32 id;

	for_each_set_bit(id, ndev->fences.busy, NVFIFO_CHANNELS) {
		struct nvfifo_chan *chan __free(chan_put) = nvfifo_chan_get(ndev, id);

		if (chan)
			left -= process_some(chan, left);
		if (!left)
			break;
	}

	return left < max;
}

/**
 * nvfifo_fences_poll() - Signal the fences that the card has released, on all channels
 * @ndev: the device
 *
 * Checks channels with work only, so idle channels do not make the handler longer.
 *
 * Return: true if a fence was signalled.
 */
bool nvfifo_fences_poll(struct nvfifo_device *ndev)
{
	return poll_some(ndev, U32_MAX);
}

/**
 * nvfifo_fences_poll_few() - Signal a few of the fences that the card has released
 * @ndev: the device
 *
 * Context: Any, for the hard interrupt handler. Takes fence_lock.
 *
 * Return: true if a fence was signalled. More fences may be released then.
 */
bool nvfifo_fences_poll_few(struct nvfifo_device *ndev)
{
	return poll_some(ndev, FEW_FENCES);
}

/**
 * nvfifo_fences_process_all() - Signal the fences that the card has released, and wake all waits
 * @ndev: the device
 *
 * Also wakes threads that wait for a word in user memory.
 *
 * Return: true if a fence was signalled.
 */
bool nvfifo_fences_process_all(struct nvfifo_device *ndev)
{
	bool found = nvfifo_fences_poll(ndev);

	wake_up_all(&ndev->waiters);

	return found;
}

/* Set the error of a fence, unless job_look() has found the fence released. */
static void job_set_error(struct nvfifo_job *job, int err)
{
	spin_lock_nested(&job->lock, SINGLE_DEPTH_NESTING);
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &job->fence.flags))
		dma_fence_set_error(&job->fence, err);
	spin_unlock(&job->lock);
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

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		if (!chan->dead)
			chan->dead = err;

		nvfifo_fences_process_locked(chan);

		list_for_each_entry_safe(job, tmp, &chan->jobs, link) {
			job_set_error(job, err);

			if (end)
				job_end(chan, job);
		}

		/* The scheduler keeps jobs until their dependencies are signalled. */
		if (end)
			chan->queued = 0;

		wake_up_all(&chan->waiters);
	}
}

/**
 * nvfifo_chan_condemn() - Fail a channel's fences, and queue its ban
 * @chan: the channel, with fifo_lock held
 * @error: the error; a channel that is already dead keeps its first error
 *
 * A work item bans the channel, because the caller holds fifo_lock, which the ban takes.
 */
void nvfifo_chan_condemn(struct nvfifo_chan *chan, const struct nvfifo_chan_error *error)
{
	lockdep_assert_held(&chan->ndev->fifo_lock);

	if (chan->dead)
		return;

	chan->error = *error;
	nvfifo_capture(chan);
	nvfifo_fences_fail(chan, -ECANCELED, false);
	nvfifo_ban_queue(chan->ndev);
}

/* --- Polling ------------------------------------------------------------- */

/**
 * nvfifo_wait_poll_begin() - May a thread poll before it sleeps?
 * @chan: the channel
 *
 * After each failed poll, twice as many waits skip the poll. A wait for less work polls all the
 * same: jobs of thousands of entries say nothing about one of a single entry.
 *
 * Return: 0 if the caller may not poll. Otherwise it may poll for NVFIFO_WAIT_POLL_US, and then
 * calls nvfifo_wait_poll_end() with the returned number.
 */
u32 nvfifo_wait_poll_begin(struct nvfifo_chan *chan)
{
	const u32 entries = max(READ_ONCE(chan->used), 1u);
	unsigned int skip = READ_ONCE(chan->poll_skip);

	if (!skip || entries < READ_ONCE(chan->poll_entries))
		return entries;

	WRITE_ONCE(chan->poll_skip, skip - 1);

	return 0;
}

/**
 * nvfifo_wait_poll_end() - Note how a poll has ended
 * @chan: the channel
 * @entries: the return value of nvfifo_wait_poll_begin()
 * @found: the poll has made the sleep unnecessary
 */
void nvfifo_wait_poll_end(struct nvfifo_chan *chan, u32 entries, bool found)
{
	const bool less = entries < READ_ONCE(chan->poll_entries);
	unsigned int misses = 0;

	trace_nvfifo_wait_poll(chan, found);

	/* The end of less work does not promise that of more. */
	if (found && less)
		return;

	/* Nor do failures with more work count against less. */
	if (!found && less)
		misses = 1;
	else if (!found)
		misses = min(2 * READ_ONCE(chan->poll_misses) + 1, POLL_SKIP_MAX);

	WRITE_ONCE(chan->poll_misses, misses);
	WRITE_ONCE(chan->poll_skip, misses);
	WRITE_ONCE(chan->poll_entries, entries);
}

/* --- Jobs ---------------------------------------------------------------- */

/* Return: the channel with a reference, or NULL if the job is not in its ring. */
static struct nvfifo_chan *job_chan_get(struct nvfifo_job *job)
{
	struct nvfifo_chan *chan;

	guard(spinlock_irqsave)(&job->chan_lock);

	chan = job->chan;
	if (chan && !kref_get_unless_zero(&chan->ref))
		return NULL;

	return chan;
}

/*
 * Check the fence page for job_is_signaled(). This signals all earlier fences, and the caller
 * signals this one: it may hold the fence's lock, as dma_fence_get_status() does. So this must not
 * wait for fence_lock, whose holder takes the locks of fences to signal them. If another thread
 * holds fence_lock, return false.
 *
 * A client that forges words gets one guess for each read of the page. So this read also gets the
 * channel banned after a wrong guess.
 */
static bool job_look(struct dma_fence *fence)
{
	struct nvfifo_job *job = container_of(fence, struct nvfifo_job, fence);
	struct nvfifo_chan *chan __free(chan_put) = job_chan_get(job);
	bool found = false;
	unsigned long flags;
	u64 last;

	if (!chan)
		return false;

	if (!spin_trylock_irqsave(&chan->fence_lock, flags))
		return false;

	if (!job->chan) {
		found = true;	/* the job has ended meanwhile */
	} else if (!chan->forged) {
		last = released(chan);
		end_jobs(chan, min(last, fence->seqno - 1));
		found = last >= fence->seqno;
	}

	spin_unlock_irqrestore(&chan->fence_lock, flags);

	return found;
}

/*
 * Poll a fence before its thread sleeps. DRM's wait for syncobjs sets the thread's state, and then
 * looks at each fence for the last time. Most threads that only ask are in state TASK_RUNNING. A
 * wait with a timeout of 0 looks like one that will sleep, and polls as well. So a fence is polled
 * once: who asks again and again waits for no more than one poll.
 */
static bool job_poll(struct dma_fence *fence)
{
	struct nvfifo_job *job = container_of(fence, struct nvfifo_job, fence);
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	bool found = false;
	unsigned int i;
	u32 entries;

	if (!in_task() || irqs_disabled() || task_is_running(current) || READ_ONCE(job->polled))
		return false;

	chan = job_chan_get(job);
	if (!chan)
		return false;

	WRITE_ONCE(job->polled, true);
	entries = nvfifo_wait_poll_begin(chan);
	if (!entries)
		return false;

	for (i = 0; i < NVFIFO_WAIT_POLL_US && !found && !need_resched(); i++) {
		udelay(1);
		found = job_look(fence);
	}

	nvfifo_wait_poll_end(chan, entries, found);

	return found;
}

/* dma_fence_is_signaled(), and the last look before a sleep */
static bool job_is_signaled(struct dma_fence *fence)
{
	return job_look(fence) || job_poll(fence);
}

/* Count a fence that is waited for, once it is in the ring. */
static void job_wait(struct nvfifo_job *job)
{
	guard(spinlock_irqsave)(&job->chan_lock);

	job->waited = true;
	if (job->chan)
		nvfifo_notify_get(job->chan->ndev);
}

/*
 * Begin to wait for a fence, before the first thread sleeps. The caller holds the fence's lock with
 * interrupts disabled. Return: false if the fence is released.
 */
static bool job_enable_signaling(struct dma_fence *fence)
{
	job_wait(container_of(fence, struct nvfifo_job, fence));

	return !job_look(fence);
}

static const struct dma_fence_ops job_fence_ops = {
	.get_driver_name = nvfifo_fence_name,
	.get_timeline_name = nvfifo_fence_name,
	.enable_signaling = job_enable_signaling,
	.signaled = job_is_signaled,
	.release = nvfifo_fence_release,
};

/**
 * nvfifo_job_init() - Begin the fence of a job
 * @job: the job, of which the caller sets @slots only
 * @context: context of the channel's timeline
 * @seqno: seqno of the job
 */
void nvfifo_job_init(struct nvfifo_job *job, u64 context, u64 seqno)
{
	spin_lock_init(&job->chan_lock);
	INIT_HLIST_NODE(&job->by_word);
	job->chan = NULL;
	job->word = 0;
	job->written = false;
	job->waited = false;
	job->polled = false;

	nvfifo_fence_init(&job->fence, &job_fence_ops, &job->lock, context, seqno);
}

/**
 * nvfifo_job_enter_ring() - Draw a job's word, and let its fence read the fence page
 * @chan: the channel, with its fence_lock held
 * @job: about to be written to the ring
 */
void nvfifo_job_enter_ring(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);

	if (chan->ib) {
		do
			job->word = get_random_u32();
		while (!nvfifo_fence_word_is_free(chan, job->word));

		hlist_add_head(&job->by_word, bucket_of(chan, job->word));
	}

	/* The channel outlives the jobs in its ring. */
	scoped_guard(spinlock, &job->chan_lock) {
		if (job->waited)
			nvfifo_notify_get(chan->ndev);

		job->chan = chan;
	}

	job->written = true;
	set_bit(chan->id, chan->ndev->fences.busy);
}
