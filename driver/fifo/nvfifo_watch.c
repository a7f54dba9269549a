// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: The watchdog
 *
 * While a channel has work the watchdog checks the card five times a second on average, at random
 * intervals. It signals fences whose interrupt was lost, and ends a channel that holds up the card
 * for longer than the module parameter job_timeout_ms.
 *
 * Each channel with work has a clock, which progress of the channel restarts. With the driver's
 * queue the end of a SUBMIT is progress; with a user queue a move of the puller is. In DMA mode the
 * owner must also have moved PUT, since a loop of jumps keeps the puller busy forever. PUT alone is
 * not progress, because the owner can write it.
 *
 * Each check blames one channel: the channel that PGRAPH works for, or else the channel loaded in
 * PFIFO. The time since the last check is run time of this channel, and waiting time of all others.
 * If no channel is blamed, it is run time of all.
 *
 * A channel is late when its run time exceeds the limit. A channel that only waits is late after
 * twice the limit for each channel that shares the card. So its fences signal even if others always
 * have work. A channel that holds up the card is late before the channels that wait for it. The
 * watchdog ends only the latest channel at a time, because the others may then make progress.
 *
 * Channels with a user queue or in DMA mode have work while GET is not at PUT.
 *
 * The error of such a channel has the cause (enum drm_nvfifo_hang). A semaphore without a release
 * is a mistake of a program; a unit that stays busy may be a fault of the card.
 *
 * Time limits
 *
 * The limit of run time, and the clock that measures how long a channel makes no progress.
 * nvfifo_watch_start() queues the watchdog, whose work item is in nvfifo_watch.c.
 */
#include <linux/module.h>
#include <linux/random.h>

#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_pfifo.h"
#include "fifo/nvfifo_sched.h"
#include "gr/nvfifo_gr.h"
#include "card/nvfifo_hw.h"
#include "card/nvfifo_card.h"
#include "mem/nvfifo_mem.h"
#include "nvfifo_pusher.h"

static bool is_loaded(struct nvfifo_chan *chan)
{
	u32 push1 = nvfifo_rd32(chan->ndev, NV_CACHE1_PUSH1);

	return NV_FLD_GET(NV_CACHE1_PUSH1__CHID, push1) == chan->id;
}

static bool differ(struct nvfifo_device *ndev, u32 reg, u32 other)
{
	return nvfifo_rd32(ndev, reg) != nvfifo_rd32(ndev, other);
}

/*
 * Does a channel have work? Set @silent if it has made no progress for a second. Read no pointer in
 * the control page: that changes the high half that the owner has latched.
 */
static bool has_work(struct nvfifo_chan *chan, bool *silent)
{
	struct nvfifo_device *ndev = chan->ndev;
	u64 ramfc = chan->inst.addr + nvfifo_chan_ramfc(ndev->chip->g84);

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		if (chan->dead)
			return false;

		if (chan->used) {
			*silent |= time_after_eq(jiffies, chan->progress + HZ);
			return true;
		}
	}

	if (chan->ib && !chan->user_queue)
		return false;

	/* fifo_lock keeps the channel on the card: without it the control page must not be read. */
	guard(mutex)(&ndev->fifo_lock);

	if (chan->phase != NVFIFO_CHAN_RUNNING)
		return false;

	if (is_loaded(chan))
		return differ(ndev, NV_CACHE1_DMA_GET, NV_CACHE1_DMA_PUT) ||
		       differ(ndev, NV_CACHE1_GET, NV_CACHE1_PUT) ||
		       (chan->ib && differ(ndev, NV_CACHE1_IB_GET, NV_CACHE1_IB_PUT));

	if (chan->ib)
		return differ(ndev, nvfifo_user(chan->id, NV_USER_IB_GET),
			      nvfifo_user(chan->id, NV_USER_IB_PUT));

	return nvfifo_vram_rd32(ndev, ramfc + NVFIFO_RAMFC_DMA_GET) !=
	       nvfifo_vram_rd32(ndev, ramfc + NVFIFO_RAMFC_DMA_PUT);
}

/*
 * Compute a number that changes when the channel makes progress. A user queue shows progress only
 * while it is loaded. The puller's GET is in the low half. In DMA mode PUT is in the high half, and
 * both must have moved.
 */
static u64 mark_of(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	u64 last = chan->clock.mark;
	u32 get, put;

	if (!chan->user_queue) {
		guard(spinlock_irqsave)(&chan->fence_lock);

		return chan->completed;
	}

	guard(mutex)(&ndev->fifo_lock);

	if (chan->phase != NVFIFO_CHAN_RUNNING || !is_loaded(chan))
		return last;

	get = nvfifo_rd32(ndev, NV_CACHE1_GET);
	if (get == lower_32_bits(last))
		return last;

	if (chan->ib)
		return get;

	put = nvfifo_rd32(ndev, NV_CACHE1_DMA_PUT);
	if (put == upper_32_bits(last))
		return last;

	return (u64)put << 32 | get;
}

/*
 * Find the channels with work, and signal fences whose interrupt was lost. The owner of a busy
 * PGRAPH has work: PFIFO has handed its last method over, so nothing is left in its ring. Set
 * @active if a channel has work or has made progress, and @silent if one with work has made none
 * for a second.
 * Return: the number of channels with work.
 */
static u32 busy_find(struct nvfifo_device *ndev, unsigned long *busy, bool *active, bool *silent)
{
	struct nvfifo_chan *chan = NULL;
	u32 sharers = 0, owner;

	*active = false;
	*silent = false;

	scoped_guard(mutex, &ndev->fifo_lock)
		owner = nvfifo_gr_owner(ndev);

	while ((chan = nvfifo_chan_next(ndev, chan))) {
		if (nvfifo_fences_process(chan))
			*active = true;

		if (!has_work(chan, silent) && chan->id != owner)
			continue;

		*active = true;
		set_bit(chan->id, busy);
		sharers++;
	}

	return sharers;
}

/* Return: the id of the channel that holds up the card, 0 if there is none. */
static u32 to_blame(struct nvfifo_device *ndev, const unsigned long *busy)
{
	u32 id;

	guard(mutex)(&ndev->fifo_lock);

	id = nvfifo_gr_owner(ndev);
	if (!id)
		id = NV_FLD_GET(NV_CACHE1_PUSH1__CHID, nvfifo_rd32(ndev, NV_CACHE1_PUSH1));

	return id < NVFIFO_CHANNELS && test_bit(id, busy) ? id : 0;
}

/* Charge @ms to all clocks. Return: the latest channel with a reference, or NULL. */
static struct nvfifo_chan *count(struct nvfifo_device *ndev, const unsigned long *busy, u32 sharers,
				 u32 ms, bool *again)
{
	u32 excess, worst = 0, blamed = to_blame(ndev, busy);
	struct nvfifo_chan *chan = NULL, *late = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan))) {
		if (chan->user_queue && !nvfifo_chan_is_dead(chan))
			*again = true;

		if (!test_bit(chan->id, busy)) {
			chan->clock = (struct nvfifo_clock){};
			continue;
		}

		*again = true;
		nvfifo_clock_tick(&chan->clock, mark_of(chan), ms, !blamed || blamed == chan->id,
				  sharers);
		excess = nvfifo_clock_excess(&chan->clock, chan->hang_limit_ms);
		if (excess <= worst)
			continue;

		worst = excess;
		nvfifo_chan_put(late);
		kref_get(&chan->ref);
		late = chan;
	}

	return late;
}

/*
 * Find out why a channel is late. Waiting for a semaphore is not a hang of the card: no channel has
 * released the semaphore. @text is the cause in words.
 */
static void cause_find(struct nvfifo_chan *chan, struct drm_nvfifo_channel_query *e, char *text,
		       size_t size)
{
	struct nvfifo_device *ndev = chan->ndev;
	const struct nvfifo_port port = nvfifo_port(ndev);
	const struct nvfifo_acquire a = nvfifo_acquire_read(&port, chan->id, chan->inst.addr);

	lockdep_assert_held(&ndev->fifo_lock);
	if (a.active) {
		e->error_code = DRM_NVFIFO_HANG_SEMAPHORE;
		e->error_data = a.value;
		e->error_detail = lower_32_bits(a.offset);
		snprintf(text, size, "waits until the word at %010llx of object %05x is %s%08x",
			 a.offset, a.object, a.or_later ? "at least " : "", a.value);
	} else if (nvfifo_gr_owner(ndev) == chan->id) {
		e->error_code = DRM_NVFIFO_HANG_GRAPH;
		e->error_detail = nvfifo_rd32(ndev, NV_PGRAPH_STATUS);
		snprintf(text, size, "hangs in PGRAPH, status %08x", e->error_detail);
	} else if (is_loaded(chan) || chan->clock.ran_ms >= chan->hang_limit_ms) {
		e->error_code = DRM_NVFIFO_HANG_PFIFO;
		snprintf(text, size, "hangs in PFIFO");
	} else {
		e->error_code = DRM_NVFIFO_HANG_TURN;
		snprintf(text, size, "waits for its turn");
	}
}

static void end_late(struct nvfifo_chan *chan)
{
	struct drm_nvfifo_channel_query e = { .error = DRM_NVFIFO_ERROR_TIMEOUT };
	struct nvfifo_device *ndev = chan->ndev;
	char cause[96];

	scoped_guard(mutex, &ndev->fifo_lock) {
		cause_find(chan, &e, cause, sizeof(cause));
		nvfifo_fifo_position(chan, &e);
		nvfifo_chan_kill(chan, &e);
	}

	drm_err(&ndev->drm,
		"channel %u: submission %llu did not end in %u ms: %s (ran %u ms, waited %u ms beside %u)\n",
		chan->id, chan->completed + 1, chan->hang_limit_ms, cause, chan->clock.ran_ms,
		chan->clock.waited_ms, chan->clock.sharers - 1);
	nvfifo_chan_ban(chan, -ECANCELED, DRM_NVFIFO_ERROR_TIMEOUT);
}

/*
 * Draw the time until the next check: half to one and a half of NVFIFO_WATCH_MS, in jiffies. A
 * client that knew it could end its methods before each check. Then another channel would be
 * charged for their time.
 */
static unsigned long draw_delay(void)
{
	return msecs_to_jiffies(NVFIFO_WATCH_MS / 2 + get_random_u32_below(NVFIFO_WATCH_MS));
}

/**
 * nvfifo_watch_work() - Check all channels that have work
 * @work: nvfifo_device.watch.work
 */
void nvfifo_watch_work(struct work_struct *work)
{
	struct nvfifo_device *ndev = container_of(work, struct nvfifo_device, watch.work.work);
	struct nvfifo_chan *late __free(chan_put) = NULL;
	DECLARE_BITMAP(busy, NVFIFO_CHANNELS) = {};
	ktime_t now = ktime_get();
	bool active, silent, again = false;
	u32 sharers, ms;

	CLASS(nvfifo_enter, entered)(ndev);
	if (!entered.is_open || !nvfifo_is_usable(ndev))
		return;

	/* Limit the time: no channel is charged while the machine did not run the watchdog. */
	ms = clamp_t(s64, ktime_ms_delta(now, ndev->watch.watched), 0, 2 * NVFIFO_WATCH_MS);
	ndev->watch.watched = now;
	sharers = busy_find(ndev, busy, &active, &silent);
	if ((active && nvfifo_irq_is_lost(ndev)) ||
	    (silent && time_after_eq(jiffies, ndev->watch.polled + HZ))) {
		ndev->watch.polled = jiffies;
		nvfifo_irq_poll(ndev);
	}

	late = count(ndev, busy, sharers, ms, &again);
	if (late && nvfifo_is_usable(ndev))
		end_late(late);

	/* A SUBMIT may have queued the next check since, at a time that its client can guess. */
	if (again)
		mod_delayed_work(nvfifo_wq, &ndev->watch.work, draw_delay());
}

/**
 * nvfifo_watch_stop() - Stop the watchdog, for a removal or suspend
 * @ndev: the device
 */
void nvfifo_watch_stop(struct nvfifo_device *ndev)
{
	cancel_delayed_work_sync(&ndev->watch.work);
}

/* --- Time limits --------------------------------------------------------- */

static unsigned int job_timeout_ms = 2000;
module_param(job_timeout_ms, uint, 0444);
MODULE_PARM_DESC(job_timeout_ms, "End a channel whose work holds up the card for longer, ms, 100 to 600000; 0 is the longest (default: 2000)");

#define LIMIT_MAX_MS	600000

/**
 * nvfifo_job_timeout_check() - Check the module parameter job_timeout_ms
 *
 * Return: 0 or -EINVAL.
 */
int nvfifo_job_timeout_check(void)
{
	if (!job_timeout_ms)
		return 0;
	if (job_timeout_ms >= NVFIFO_HANG_LIMIT_MIN && job_timeout_ms <= LIMIT_MAX_MS)
		return 0;

	pr_err("nvfifo: job_timeout_ms=%u is not 0 or in %u to %u\n", job_timeout_ms,
	       NVFIFO_HANG_LIMIT_MIN, LIMIT_MAX_MS);
	return -EINVAL;
}

/**
 * nvfifo_hang_limit_max() - Get the longest time for which a channel may run without progress
 *
 * Return: milliseconds, NVFIFO_HANG_LIMIT_MIN to 600000.
 */
u32 nvfifo_hang_limit_max(void)
{
	return job_timeout_ms ? job_timeout_ms : LIMIT_MAX_MS;
}

/**
 * nvfifo_job_timeout_us() - Get the time for which one job may hold up the card
 *
 * Return: microseconds, at most a minute.
 */
u32 nvfifo_job_timeout_us(void)
{
	return min(nvfifo_hang_limit_max(), 60000u) * USEC_PER_MSEC;
}

/**
 * nvfifo_clock_tick() - Charge the time since the last check to a channel that has work
 * @clock: the channel's clock
 * @mark: differs from the mark at the last check if the channel made progress
 * @ms: time since the last check, milliseconds
 * @to_blame: the channel held up the card, or no channel did
 * @sharers: channels that have work, this one included
 */
void nvfifo_clock_tick(struct nvfifo_clock *clock, u64 mark, u32 ms, bool to_blame, u32 sharers)
{
	if (!clock->running || clock->mark != mark) {
		*clock = (struct nvfifo_clock){ .running = true, .mark = mark, .sharers = sharers };
		return;
	}

	clock->sharers = max(clock->sharers, sharers);

	if (to_blame)
		clock->ran_ms += ms;
	else
		clock->waited_ms += ms;
}

/**
 * nvfifo_clock_excess() - Is a channel over its limit?
 * @clock: the channel's clock
 * @limit_ms: the limit of run time
 *
 * Return: 0 if it is not, else a measure of the excess
 */
u32 nvfifo_clock_excess(const struct nvfifo_clock *clock, u32 limit_ms)
{
	u32 waited_ms = clock->waited_ms / (2 * max(clock->sharers, 1u));
	u32 worst_ms = max(clock->ran_ms, waited_ms);

	if (worst_ms < limit_ms)
		return 0;

	return worst_ms - limit_ms + 1;
}

/**
 * nvfifo_watch_start() - Start the watchdog for a channel with work or a user queue
 * @ndev: the device
 *
 * The first check of a channel's work only starts its clock, so the time before it does not count.
 *
 * Context: Any.
 */
void nvfifo_watch_start(struct nvfifo_device *ndev)
{
	queue_delayed_work(nvfifo_wq, &ndev->watch.work, msecs_to_jiffies(NVFIFO_WATCH_MS));
}
