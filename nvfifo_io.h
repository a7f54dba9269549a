/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the driver reaches the card; nvfifo_hw.h has the functions.
 */
#ifndef _NVFIFO_IO_H_
#define _NVFIFO_IO_H_

#include <linux/types.h>
#include <linux/workqueue.h>

#include "kunit/card.h"

/* Why the card can no longer be used; sticky until the driver is bound anew. */
enum nvfifo_wedge {
	NVFIFO_OK = 0,
	NVFIFO_LOST,		/* reads return all ones */
	NVFIFO_STUCK,		/* a procedure did not end in time */
};

/**
 * struct nvfifo_hw_state - Access to the card
 * @mmio: BAR0
 * @fake: KUnit's card, else NULL
 * @wedged: enum nvfifo_wedge
 * @pgraph_used: PGRAPH is set up, and may be touched
 * @kill_work: ends channels: those that made PFIFO stop, or all of a wedged card
 */
struct nvfifo_hw_state {
	void __iomem *mmio;
	struct nvfifo_fake *fake;
	int wedged;
	bool pgraph_used;
	struct work_struct kill_work;
};

#endif
