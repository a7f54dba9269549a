/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the driver reaches the card; nvfifo_hw.h has the functions.
 */
#ifndef _NVFIFO_IO_H_
#define _NVFIFO_IO_H_

#include <linux/types.h>
#include <linux/workqueue.h>

struct nvfifo_device;

/* Why the card can no longer be used; sticky until the driver is bound again. */
enum nvfifo_wedge {
	NVFIFO_OK = 0,
	NVFIFO_LOST,		/* reads return all ones */
	NVFIFO_STUCK,		/* a procedure did not end in time */
};

/**
 * struct nvfifo_io_ops - The operations in which KUnit's card differs from a real one
 * @rd32: read a register of BAR0
 * @wr32: write a register of BAR0
 * @wr8: write a byte of BAR0
 * @timeout_us: time limit of a wait that has this many microseconds on a real card
 * @leave_bus: disable bus mastering of a wedged card, and queue the ban of its channels
 *
 * Set at probe. A module without the suites has only nvfifo_card_io, which the compiler calls
 * directly.
 */
struct nvfifo_io_ops {
	u32 (*rd32)(struct nvfifo_device *ndev, u32 reg);
	void (*wr32)(struct nvfifo_device *ndev, u32 reg, u32 val);
	void (*wr8)(struct nvfifo_device *ndev, u32 reg, u8 val);

	u32 (*timeout_us)(struct nvfifo_device *ndev, u32 us);

	void (*leave_bus)(struct nvfifo_device *ndev);
};

/**
 * struct nvfifo_hw_state - Access to the card
 * @mmio: BAR0
 * @io: how to reach the card, read by nvfifo_io()
 * @wedged: enum nvfifo_wedge
 * @pgraph_used: PGRAPH is set up, and may be touched
 * @enable_lock: changes of PMC.ENABLE
 * @ban_work: bans the condemned channels, or all channels of a wedged card
 * @halted: the card has been halted for its removal
 */
struct nvfifo_hw_state {
	void __iomem *mmio;
	const struct nvfifo_io_ops *io;
	int wedged;
	bool pgraph_used;
	spinlock_t enable_lock;		/* changes of PMC.ENABLE */
	struct work_struct ban_work;
	bool halted;
};

#endif
