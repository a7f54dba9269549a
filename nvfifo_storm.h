/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_STORM_H_
#define _NVFIFO_STORM_H_

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct drm_printer;
struct nvfifo_device;

/* Units whose interrupts can be masked in a register of their own */
enum nvfifo_source {
	NVFIFO_SOURCE_PBUS,
	NVFIFO_SOURCE_PFIFO,
	NVFIFO_SOURCE_PGRAPH,
	NVFIFO_SOURCES
};

/**
 * struct nvfifo_storm - Interrupts of a unit that no channel caused
 * @first: time of the first interrupt in the row, jiffies
 * @last: time of the last interrupt, jiffies
 * @count: number of interrupts in the row
 * @masked: bits that are masked until the end of the pause
 * @storms: number of storms
 */
struct nvfifo_storm {
	unsigned long first;
	unsigned long last;
	u32 count;
	u32 masked;
	u32 storms;
};

/**
 * struct nvfifo_storm_state - Storms of interrupts
 * @lock: guards @sources, and changes of the mask registers
 * @sources: one for each unit
 * @resume: ends the pause
 */
struct nvfifo_storm_state {
	spinlock_t lock;		/* the sources and their registers */
	struct nvfifo_storm sources[NVFIFO_SOURCES];
	struct delayed_work resume;
};

void nvfifo_storm_prepare(struct nvfifo_device *ndev);
void nvfifo_storm_stop(struct nvfifo_device *ndev);

void nvfifo_storm_count(struct nvfifo_device *ndev, enum nvfifo_source source, u32 intr);
u32 nvfifo_storm_masked(struct nvfifo_device *ndev, enum nvfifo_source source);
void nvfifo_storm_print(struct nvfifo_device *ndev, struct drm_printer *p);

#endif
