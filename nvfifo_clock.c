// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Time limits
 *
 * The limit of work, and the clock of a channel that does not get on. nvfifo_watch_start() sets
 * the watchdog's alarm; the watchdog itself is in nvfifo_watch.c.
 */
#include <linux/module.h>

#include "nvfifo_clock.h"
#include "nvfifo_drv.h"
#include "nvfifo_works.h"

static unsigned int job_timeout_ms = 10000;
module_param(job_timeout_ms, uint, 0444);
MODULE_PARM_DESC(job_timeout_ms, "End a channel whose work holds up the card for longer, ms, 100 to 600000; 0 is the longest (default: 10000)");

#define LIMIT_MAX_MS	600000

/**
 * nvfifo_hang_limit_max() - Get the longest time that work of a channel may hold up the card
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
 * nvfifo_clock_tick() - Count the time since the last look at a channel that has work
 * @clock: the channel's
 * @mark: another number than at the last look if the channel got on
 * @ms: the time
 * @to_blame: it held up the card, or nobody did
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
 * nvfifo_clock_excess() - Is a channel late?
 * @clock: the channel's
 * @limit_ms: the limit of run time
 *
 * Return: 0 if it is not, else a number that is larger for those who are later
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
 * Cheap if the watchdog runs already.
 *
 * Context: Any.
 */
void nvfifo_watch_start(struct nvfifo_device *ndev)
{
	if (!queue_delayed_work(nvfifo_wq, &ndev->watch.work, msecs_to_jiffies(NVFIFO_LOOK_MS)))
		return;

	/*
	 * The work item may be looking now. Its time goes on from its last look, else a client
	 * that submits at the right moment would have no time counted.
	 */
	if (xchg(&ndev->watch.idle, false))
		WRITE_ONCE(ndev->watch.watched, ktime_get());
}
