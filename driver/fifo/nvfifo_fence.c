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
 * Each fence raises an interrupt: NOTIFY, or on G80 a software method. It does not name its
 * channel, so the handler checks all channels with work. The watchdog checks again, in case an
 * interrupt was lost, and so do CHANNEL_WAIT and CHANNEL_QUERY.
 *
 * The scheduler's own fence reads its name from the scheduler, up to 6.16 even after the scheduler
 * was freed. So the driver exports its own fences for SUBMIT and VM_BIND. They refer to nothing but
 * the module, which they keep loaded.
 */
#include <linux/module.h>
#include <linux/random.h>

#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "fifo/nvfifo_fence.h"
#include "gr/nvfifo_gr.h"
#include "card/nvfifo_hw.h"
#include "nvfifo_pusher.h"
#include "debug/nvfifo_trace.h"

/* --- Fences -------------------------------------------------------------- */

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

/**
 * nvfifo_job_write() - Write a job to the ring, where its fence gets its word
 * @chan: the channel, with its fence_lock held; the ring has room
 * @job: the job, whose earlier jobs are in the ring
 * @entries: its entries as the ring has them; in DMA mode the new PUT alone
 * @count: number of entries
 */
void nvfifo_job_write(struct nvfifo_chan *chan, struct nvfifo_job *job, const __le64 *entries,
		      u32 count)
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
 * Checks channels with work only, so idle channels do not make the handler longer.
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
