// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Time limits
 *
 * The limit of run time, and the clock that measures how long a channel makes no progress.
 * nvfifo_watch_start() queues the watchdog, whose work item is in nvfifo_watch.c.
 */
#include <linux/module.h>

#include "nvfifo_clock.h"
#include "nvfifo_drv.h"

static unsigned int job_timeout_ms = 2000;
module_param(job_timeout_ms, uint, 0444);
MODULE_PARM_DESC(job_timeout_ms, "End a channel whose work holds up the card for longer, ms, 100 to 600000; 0 is the longest (default: 2000)");

#define LIMIT_MAX_MS	600000

/**
 * nvfifo_hang_limit_max() - Get the longest time for which a channel may run without progress
 *
 * Return: milliseconds, NVFIFO_HANG_LIMIT_MIN to 600000.
 */
u32 nvfifo_hang_limit_max(void)
{
	if (!job_timeout_ms)
		return LIMIT_MAX_MS;

	return clamp(job_timeout_ms, NVFIFO_HANG_LIMIT_MIN, LIMIT_MAX_MS);
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
 * Cheap if the watchdog runs already: one atomic access.
 *
 * Context: Any.
 */
void nvfifo_watch_start(struct nvfifo_device *ndev)
{
	if (!queue_delayed_work(nvfifo_wq, &ndev->watch.work, READ_ONCE(ndev->watch.delay)))
		return;

	/*
	 * The work item may run now. It charges the time since its last check. Otherwise a client
	 * that submits at the right moment would never be charged.
	 */
	if (xchg(&ndev->watch.idle, false))
		WRITE_ONCE(ndev->watch.watched, ktime_get());
}
