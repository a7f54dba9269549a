/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_WATCH_H_
#define _NVFIFO_WATCH_H_

#include <linux/ktime.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct nvfifo_device;

void nvfifo_watch_prepare(struct nvfifo_device *ndev);
void nvfifo_watch_stop(struct nvfifo_device *ndev);

/* --- clock --------------------------------------------------------------- */

struct nvfifo_device;

/**
 * struct nvfifo_watch_state - The watchdog of all channels
 * @work: checks all channels that have work
 * @watched: time of the last check
 * @polled: time of the last check for a lost interrupt, jiffies
 */
struct nvfifo_watch_state {
	struct delayed_work work;
	ktime_t watched;
	unsigned long polled;
};

/* Mean interval between two checks of the watchdog, ms */
#define NVFIFO_WATCH_MS		200

/* The smallest limit of a channel, ms. */
#define NVFIFO_HANG_LIMIT_MIN	100u

/* Time for which a channel has made no progress; all 0 while it has no work. */
struct nvfifo_clock {
	bool running;
	u64 mark;		/* changes when the channel makes progress */
	u32 ran_ms;		/* the channel held up the card, or no other did */
	u32 waited_ms;		/* another channel had the card */
	u32 sharers;		/* most channels that had work at once, itself included */
};

void nvfifo_clock_tick(struct nvfifo_clock *clock, u64 mark, u32 ms, bool to_blame, u32 sharers);
u32 nvfifo_clock_excess(const struct nvfifo_clock *clock, u32 limit_ms);
u32 nvfifo_hang_limit_max(void);
u32 nvfifo_job_timeout_us(void);
void nvfifo_watch_start(struct nvfifo_device *ndev);

#endif
