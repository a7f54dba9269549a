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
 * The fence page holds a word for the last fence that was released: its number, enciphered
 * with a key of the channel. The page is in reach of the channel's own commands, by the handle
 * that the driver's commands name, so a word is believed only if it deciphers to a number that
 * is under way. Nobody but the driver's segment knows that word before it has been executed:
 *
 * - The segments lie in the driver's part of the address space. No DMA object that a client
 *   can make reaches it, nor do the segments and rings of other channels.
 * - A command that the client left open takes the driver's words as its data, and can write
 *   them to where he reads them. By then all that was before them in the channel is over.
 *
 * A word that deciphers to another number ends the channel.
 *
 * In DMA mode the channel's own commands release the plain number. That proves nothing, so it
 * becomes no fence that leaves the driver: SUBMIT signals no syncobj there.
 *
 * The notify interrupt does not say whose it is, so all channels are looked at. The
 * watchdog looks again, in case the interrupt was lost.
 *
 * There is one scheduler per channel, as PFIFO does the scheduling between them.
 */
#include <linux/random.h>
#include <linux/siphash.h>

#include "nvfifo_args.h"
#include "nvfifo_chan.h"
#include "nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_irq.h"
#include "nvfifo_mem.h"
#include "nvfifo_pusher.h"
#include "nvfifo_sched.h"
#include "nvfifo_sync.h"
#include "nvfifo_trace.h"
#include "nvfifo_watch.h"

/* Jobs of a channel that wait for something, until SUBMIT does. */
#define QUEUED_MAX	1024

/* One SUBMIT. Embeds its fence, and is freed with the fence's last reference. */
struct nvfifo_job {
	struct dma_fence fence;	/* the card releases the low half of its number */
	spinlock_t lock;	/* of the fence, which may outlive its channel */
	struct list_head link;	/* in nvfifo_chan.jobs */
	bool written;		/* to the ring, else it waits for the scheduler */
	struct drm_sched_job base;	/* if it has to wait; it has a reference to the fence */
	struct nvfifo_chan *chan;	/* and one to the channel */
	u32 slots;		/* ring entries with that of the fence; in DMA mode one */
	u32 count;
	struct drm_nvfifo_entry entries[] __counted_by(count);
};

/* --- The word of a fence ------------------------------------------------- */

#define FENCE_ROUNDS	8

static u32 fence_round(const siphash_key_t *key, u32 round, u32 half)
{
	return (u32)siphash_2u32(half, round, key) & 0xffff;
}

/**
 * nvfifo_fence_encipher - What the card releases for a fence
 * @key: of the channel
 * @number: low half of the fence's number
 *
 * A Feistel network: each key makes another permutation of all words.
 *
 * Return: the word
 */
u32 nvfifo_fence_encipher(const siphash_key_t *key, u32 number)
{
	u32 left = number >> 16, right = number & 0xffff, next, round;

	for (round = 0; round < FENCE_ROUNDS; round++) {
		next = left ^ fence_round(key, round, right);
		left = right;
		right = next;
	}

	return left << 16 | right;
}

/**
 * nvfifo_fence_decipher - Which fence a word was released for
 * @key: of the channel
 * @word: what the fence page holds
 *
 * Return: the low half of the fence's number; any number if the driver did not make the word
 */
u32 nvfifo_fence_decipher(const siphash_key_t *key, u32 word)
{
	u32 left = word >> 16, right = word & 0xffff, next, round;

	for (round = FENCE_ROUNDS; round; round--) {
		next = right ^ fence_round(key, round - 1, left);
		right = left;
		left = next;
	}

	return left << 16 | right;
}

/* --- Jobs ---------------------------------------------------------------- */

/* The list has a reference to the fence, and so has the caller. */
static void job_start(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);
	nvfifo_fence_init(&job->fence, &job->lock, chan->fence_context, ++chan->submitted);
	dma_fence_get(&job->fence);
	list_add_tail(&job->link, &chan->jobs);
}

/* Signalled under the channel's lock, so that the order is kept whoever does it. */
static void job_end(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);
	list_del_init(&job->link);
	chan->completed = job->fence.seqno;
	if (job->written)
		chan->used -= job->slots;
	if (!chan->used)
		clear_bit(chan->id, chan->ndev->chan.busy);
	chan->progress = jiffies;
	trace_nvfifo_fence(chan, job->fence.seqno, job->fence.error);
	dma_fence_signal(&job->fence);
	dma_fence_put(&job->fence);
}

/*
 * Which SUBMIT was the last one to end? A channel that claims something else than one that is
 * under way, or the last one that has ended, is to be killed.
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

	ended = nvfifo_fence_decipher(&chan->fence_key, word) - (u32)chan->completed;
	if (ended <= chan->written - chan->completed)
		return chan->completed + ended;

	if (!chan->forged)
		nvfifo_log(chan->ndev, "channel %u: its commands wrote %08x to the fence page\n",
			   chan->id, word);
	chan->forged = true;
	if (!chan->dead)
		chan->dead = -ECANCELED;
	queue_work(nvfifo_wq, &chan->ndev->hw.kill_work);

	return chan->completed;
}

/* Signal the fences that the card has released. */
static void fences_process(struct nvfifo_chan *chan)
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

void nvfifo_fences_process(struct nvfifo_chan *chan)
{
	scoped_guard(spinlock_irqsave, &chan->fence_lock)
		fences_process(chan);
}

/**
 * nvfifo_fences_look - Signal what the card has released
 * @ndev: the device
 *
 * Looks at channels with work only: an interrupt costs no more for those that are idle.
 *
 * Return: true if a fence was signalled.
 */
bool nvfifo_fences_look(struct nvfifo_device *ndev)
{
	bool found = false;
	u64 before;
	u32 id;

	for_each_set_bit(id, ndev->chan.busy, NVFIFO_CHANNELS) {
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
 * nvfifo_fences_process_all - Signal what the card has released, and wake all who wait
 * @ndev: the device
 *
 * Those who wait for a word in memory look again, too.
 *
 * Return: true if a fence was signalled.
 */
bool nvfifo_fences_process_all(struct nvfifo_device *ndev)
{
	bool found = nvfifo_fences_look(ndev);

	wake_up_all(&ndev->waiters);

	return found;
}

/* Return: why the channel takes no work, a negative errno; 0 while it and the card are in use. */
static int refuse_work(const struct nvfifo_chan *chan)
{
	const int dead = READ_ONCE(chan->dead);

	if (dead)
		return dead;

	return nvfifo_check_wedged(chan->ndev);
}

/*
 * End the doorbell, and fail the fences that the card has not released. With @end the channel is
 * off the card, so that nothing else would signal the fences.
 */
void nvfifo_fences_fail(struct nvfifo_chan *chan, int err, bool end)
{
	struct nvfifo_job *job, *tmp;

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		if (!chan->dead)
			chan->dead = err;

		fences_process(chan);
		list_for_each_entry_safe(job, tmp, &chan->jobs, link) {
			dma_fence_set_error(&job->fence, err);
			if (end)
				job_end(chan, job);
		}

		/* The scheduler keeps jobs until their dependencies are signalled. */
		if (end)
			chan->queued = 0;
	}
}

/* --- Running jobs -------------------------------------------------------- */

static void job_write(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	lockdep_assert_held(&chan->fence_lock);

	job->written = true;
	if (!chan->used)
		chan->progress = jiffies;
	chan->used += job->slots;
	set_bit(chan->id, chan->ndev->chan.busy);
	chan->written = job->fence.seqno;
	nvfifo_ring_submit(chan, job->entries, job->count, job->fence.seqno,
			   nvfifo_fence_encipher(&chan->fence_key, (u32)job->fence.seqno));
	nvfifo_watch_start(chan->ndev);
}

static struct dma_fence *job_run(struct drm_sched_job *base)
{
	struct nvfifo_job *job = container_of(base, struct nvfifo_job, base);
	struct nvfifo_chan *chan = job->chan;
	int ret = 0;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (entered < 0)
		return ERR_PTR(-ENODEV);

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		ret = refuse_work(chan);
		if (!ret) {
			chan->queued--;
			job_write(chan, job);
		}
	}

	wake_up_all(&chan->ndev->waiters);

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

int nvfifo_chan_sched_init(struct nvfifo_chan *chan)
{
	__le32 *page = chan->mem + chan->fence_page;

	get_random_bytes(&chan->fence_key, sizeof(chan->fence_key));
	if (chan->ib)
		WRITE_ONCE(*page, cpu_to_le32(nvfifo_fence_encipher(&chan->fence_key, 0)));
	chan->fence_context = dma_fence_context_alloc(1);

	return nvfifo_queue_init(chan->ndev, &chan->sched, &chan->entity, &nvfifo_sched_ops,
				 (1u << chan->order) - 1);
}

/* The channel is dead: no new jobs, and those that wait end with an error. */
void nvfifo_chan_sched_stop(struct nvfifo_chan *chan)
{
	if (!chan->sched.ops)
		return;

	/* A SUBMIT that found the channel alive pushes its job first. */
	guard(mutex)(&chan->submit_lock);
	drm_sched_entity_fini(&chan->entity);
}

/**
 * nvfifo_chan_sched_pause_all - Keep jobs from being written to rings, and freed
 * @ndev: the device, about to sleep
 */
void nvfifo_chan_sched_pause_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan)))
		if (chan->sched.ops)
			drm_sched_wqueue_stop(&chan->sched);
}

/**
 * nvfifo_chan_sched_unpause_all - Undo nvfifo_chan_sched_pause_all()
 * @ndev: the device, in use again, or given up
 */
void nvfifo_chan_sched_unpause_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan)))
		if (chan->sched.ops)
			drm_sched_wqueue_start(&chan->sched);
}

void nvfifo_chan_sched_fini(struct nvfifo_chan *chan)
{
	if (!chan->sched.ops)
		return;

	drm_sched_fini(&chan->sched);
}

/* --- SUBMIT -------------------------------------------------------------- */

/* All rules of an IB entry in one go, as SUBMIT may bring thousands. */
static bool ib_entry_is_valid(const struct drm_nvfifo_entry *e)
{
	const u32 flags = DRM_NVFIFO_ENTRY_NOT_MAIN | DRM_NVFIFO_ENTRY_NO_PREFETCH;

	if (e->address % 4 || e->flags & ~flags)
		return false;

	if (!e->words || e->words > NVFIFO_IB_WORDS_MAX)
		return false;

	return e->address >= NVFIFO_VA_START && e->address < NVFIFO_VA_END &&
	       e->words * 4ULL <= NVFIFO_VA_END - e->address;
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

	for (e = job->entries; e < job->entries + job->count; e++) {
		if (chan->ib && ib_entry_is_valid(e))
			continue;

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

/* Write it to the ring, with submit_lock held. Return: -EAGAIN if it has to wait. */
static int submit_now(struct nvfifo_chan *chan, struct nvfifo_job *job)
{
	int ret;

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		/* The interrupt for more room may be on its way. */
		if (!nvfifo_ring_has_room(chan, job->slots))
			fences_process(chan);

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

/* Leave it to the scheduler, with submit_lock held. */
static int submit_later(struct nvfifo_chan *chan, struct drm_file *file, struct nvfifo_job *job,
			struct nvfifo_syncs *syncs)
{
	int ret = nvfifo_sched_job_init(&job->base, &chan->entity, job->slots, chan,
					file->client_id);
	struct dma_fence *last = NULL;

	if (ret)
		return ret;

	/* The scheduler knows nothing of what went to the ring directly. */
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

/* Return: -EAGAIN if it has to wait and may not, or not yet. */
static int submit_try(struct nvfifo_chan *chan, struct drm_file *file, struct nvfifo_job *job,
		      struct nvfifo_syncs *syncs, bool try)
{
	int ret;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (entered < 0)
		return -ENODEV;

	ret = nvfifo_user_writes_flush(chan->ndev);
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

/* Sleeps while too many jobs of the channel wait for something. */
static int submit(struct nvfifo_chan *chan, struct drm_file *file, struct nvfifo_job *job,
		  struct nvfifo_syncs *syncs, bool try)
{
	int ret;

	for (;;) {
		ret = submit_try(chan, file, job, syncs, try);
		if (ret != -EAGAIN || try)
			return ret;

		ret = wait_event_interruptible(chan->ndev->waiters, has_room_or_end(chan));
		if (ret)
			return ret;

		/* drm_dev_unplug() has not been called yet, and the channel still looks alive. */
		if (READ_ONCE(chan->ndev->removing))
			return -ENODEV;
	}
}

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
		dma_fence_put(&job->fence);
		atomic64_inc(&ndev->counters.submits);
	}

	nvfifo_syncs_free(&syncs);

	return ret;
}
