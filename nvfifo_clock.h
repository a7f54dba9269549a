/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_CLOCK_H_
#define _NVFIFO_CLOCK_H_

#include <linux/ktime.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct nvfifo_device;

/**
 * struct nvfifo_watch_state - The watchdog of all channels
 * @work: looks at them
 * @idle: nobody has had it look again
 * @watched: when it looked last, or began to
 * @healed: when it looked for a lost interrupt, jiffies
 */
struct nvfifo_watch_state {
	struct delayed_work work;
	bool idle;
	ktime_t watched;
	unsigned long healed;
};

/* From one look of the watchdog to the next. */
#define NVFIFO_LOOK_MS		200

/* The smallest limit of a channel, ms. */
#define NVFIFO_HANG_LIMIT_MIN	100u

/* How long a channel has not got on; all 0 while it has no work. */
struct nvfifo_clock {
	bool running;
	u64 mark;		/* another one when the channel gets on */
	u32 ran_ms;		/* it held up the card, or nobody else did */
	u32 waited_ms;		/* another channel had the card */
	u32 sharers;		/* most channels that had work at once, itself included */
};

void nvfifo_clock_tick(struct nvfifo_clock *clock, u64 mark, u32 ms, bool to_blame, u32 sharers);
u32 nvfifo_clock_excess(const struct nvfifo_clock *clock, u32 limit_ms);
u32 nvfifo_hang_limit_max(void);
u32 nvfifo_job_timeout_us(void);
void nvfifo_watch_start(struct nvfifo_device *ndev);

#endif
