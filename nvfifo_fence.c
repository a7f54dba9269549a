// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Fences
 *
 * The fence page holds a word for the last fence that was released: its seqno, encrypted with a
 * key of the channel. The channel's own commands reach the page by the handle that the driver's
 * commands name. So a word is believed only if it decrypts to a seqno that is under way. Nobody
 * but the driver's segment knows that word before it has been executed:
 *
 * - The segments lie in the driver's part of the address space. No DMA object that a client
 *   can make reaches it, nor do the segments and rings of other channels.
 * - A command that the client left open takes the driver's words as its data, and can write
 *   them to where the client reads them. By then all that was before them in the channel is over.
 *
 * A word that decrypts to another seqno ends the channel.
 *
 * In DMA mode the channel's own commands release the plain seqno. That proves nothing, so it
 * becomes no fence that leaves the driver: SUBMIT signals no syncobj there.
 *
 * The notify interrupt does not say whose it is, so all channels are looked at. The
 * watchdog looks again, in case the interrupt was lost.
 *
 * An error ends a channel in two steps. nvfifo_chan_condemn() fails its fences at once. A work
 * item takes the channel off the card afterwards.
 */
#include "nvfifo_card_dump.h"
#include "nvfifo_chan.h"
#include "nvfifo_chid.h"
#include "nvfifo_drv.h"
#include "nvfifo_fence.h"
#include "nvfifo_hw.h"
#include "nvfifo_pusher.h"
#include "nvfifo_trace.h"

/* --- The word of a fence ------------------------------------------------- */

#define FENCE_ROUNDS	8

static u32 fence_round(const siphash_key_t *key, u32 round, u32 half)
{
	return (u32)siphash_2u32(half, round, key) & 0xffff;
}

/**
 * nvfifo_fence_encrypt - Compute the word that the card releases for a fence
 * @key: of the channel
 * @seqno: low half of the fence's seqno
 *
 * A Feistel network: each key makes another permutation of all words.
 *
 * Return: the word
 */
u32 nvfifo_fence_encrypt(const siphash_key_t *key, u32 seqno)
{
	u32 left = seqno >> 16, right = seqno & 0xffff, next, round;

	for (round = 0; round < FENCE_ROUNDS; round++) {
		next = left ^ fence_round(key, round, right);
		left = right;
		right = next;
	}

	return left << 16 | right;
}

/**
 * nvfifo_fence_decrypt - Find the fence that a word was released for
 * @key: of the channel
 * @word: what the fence page holds
 *
 * Return: the low half of the fence's seqno; any seqno if the driver did not make the word
 */
u32 nvfifo_fence_decrypt(const siphash_key_t *key, u32 word)
{
	u32 left = word >> 16, right = word & 0xffff, next, round;

	for (round = FENCE_ROUNDS; round; round--) {
		next = right ^ fence_round(key, round - 1, left);
		right = left;
		left = next;
	}

	return left << 16 | right;
}

/**
 * nvfifo_fence_mark_busy - Note that a channel has a job in its ring
 * @chan: the channel, with its fence_lock held
 */
void nvfifo_fence_mark_busy(struct nvfifo_chan *chan)
{
	set_bit(chan->id, chan->ndev->fences.busy);
}

/* --- Signalling ---------------------------------------------------------- */

/* Signal a fence. The channel's lock keeps the order of the signals. */
static void job_end(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);

	list_del_init(&job->link);
	chan->completed = job->fence.seqno;

	if (job->written)
		chan->used -= job->slots;
	if (!chan->used)
		clear_bit(chan->id, chan->ndev->fences.busy);

	chan->progress = jiffies;
	trace_nvfifo_fence(chan, job->fence.seqno, job->fence.error);
	dma_fence_signal(&job->fence);
	dma_fence_put(&job->fence);
	wake_up_all(&chan->waiters);
}

/*
 * Which SUBMIT was the last one to end? The fence page may name a SUBMIT that is under way, or the
 * last one that has ended. A channel that writes another word is banned.
 */
static u64 released(struct nvfifo_chan *chan)
{
	u32 word = le32_to_cpu(READ_ONCE(*(const __le32 *)(chan->mem + chan->fence_page)));
	u32 ended;

	if (!chan->ib) {
		if (!nvfifo_fence_passed(word, chan->completed))
			return chan->completed;

		return min(chan->completed + (u32)(word - (u32)chan->completed), chan->written);
	}

	ended = nvfifo_fence_decrypt(&chan->fence_key, word) - (u32)chan->completed;
	if (ended <= chan->written - chan->completed)
		return chan->completed + ended;

	if (!chan->forged)
		nvfifo_log(chan->ndev, "channel %u: its commands wrote %08x to the fence page\n",
			   chan->id, word);

	chan->forged = true;

	if (!chan->dead)
		chan->dead = -ECANCELED;

	nvfifo_ban_queue(chan->ndev);

	return chan->completed;
}

/**
 * nvfifo_fences_process_locked - Signal the fences that the card has released
 * @chan: the channel, with its fence_lock held
 */
void nvfifo_fences_process_locked(struct nvfifo_chan *chan)
{
	struct nvfifo_job *job, *tmp;
	u64 last;

	if (list_empty(&chan->jobs) || chan->forged)
		return;

	last = released(chan);

	list_for_each_entry_safe(job, tmp, &chan->jobs, link) {
		if (!job->written || job->fence.seqno > last)
			break;

		job_end(chan, job);
	}
}

/**
 * nvfifo_fences_process - Signal the fences that the card has released
 * @chan: the channel
 *
 * Context: Any. Takes fence_lock.
 */
void nvfifo_fences_process(struct nvfifo_chan *chan)
{
	scoped_guard(spinlock_irqsave, &chan->fence_lock)
		nvfifo_fences_process_locked(chan);
}

/**
 * nvfifo_fences_look - Signal the fences that the card has released, on all channels
 * @ndev: the device
 *
 * Looks at channels with work only, so idle channels do not make an interrupt longer.
 *
 * Return: true if a fence was signalled.
 */
bool nvfifo_fences_look(struct nvfifo_device *ndev)
{
	bool found = false;
	u64 before;
	u32 id;

	for_each_set_bit(id, ndev->fences.busy, NVFIFO_CHANNELS) {
		struct nvfifo_chan *chan __free(chan_put) = nvfifo_chan_get(ndev, id);

		if (!chan)
			continue;

		before = READ_ONCE(chan->completed);
		nvfifo_fences_process(chan);
		found |= READ_ONCE(chan->completed) != before;
	}

	return found;
}

/**
 * nvfifo_fences_process_all - Signal the fences that the card has released, and wake all waits
 * @ndev: the device
 *
 * Callers that wait for a word in memory are woken, too.
 *
 * Return: true if a fence was signalled.
 */
bool nvfifo_fences_process_all(struct nvfifo_device *ndev)
{
	bool found = nvfifo_fences_look(ndev);

	wake_up_all(&ndev->waiters);

	return found;
}

/**
 * nvfifo_fences_fail - End the doorbell, and fail the fences that the card has not released
 * @chan: the channel
 * @err: errno of the fences, those to come included
 * @end: the channel is off the card: signal the fences, as nothing else would
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
			dma_fence_set_error(&job->fence, err);

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
 * nvfifo_chan_condemn - Have a channel banned as soon as nobody holds fifo_lock
 * @chan: the channel, with fifo_lock held
 * @error: why; a channel that is dead already keeps its own error
 *
 * Its fences fail at once. A work item takes it off the card.
 */
void nvfifo_chan_condemn(struct nvfifo_chan *chan, const struct nvfifo_chan_error *error)
{
	lockdep_assert_held(&chan->ndev->fifo_lock);

	if (chan->dead)
		return;

	chan->error = *error;
	nvfifo_incident_error(chan->ndev, chan->id, error);
	nvfifo_capture(chan);
	nvfifo_fences_fail(chan, -ECANCELED, false);
	nvfifo_ban_queue(chan->ndev);
}
