/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the driver reaches the card; nvfifo_hw.h has the functions.
 */
#ifndef _NVFIFO_IO_H_
#define _NVFIFO_IO_H_

#include <linux/types.h>
#include <linux/workqueue.h>

struct nvfifo_device;

/**
 * enum nvfifo_phase - The life of a card, from probe to remove; nvfifo_hw.c has a drawing
 * @NVFIFO_STARTING: probe sets it up; PFIFO has no channels that a reset could restore
 * @NVFIFO_RUNNING: in use
 * @NVFIFO_SUSPENDING: a suspend takes the channels off the card
 * @NVFIFO_ASLEEP: interrupts are off, and nothing accesses the card but its resume
 * @NVFIFO_REMOVING: the driver is being unbound: waits for work of the card end at once
 * @NVFIFO_STUCK: a procedure did not end, and no reset helped: off the bus, all channels end
 * @NVFIFO_LOST: registers read as all ones, or a resume failed: off the bus, all channels end
 * @NVFIFO_GONE: halted for its removal: the card accesses no memory any more
 * @NVFIFO_PHASES: number of phases
 *
 * The card can be used in the phases before STUCK.
 */
enum nvfifo_phase {
	NVFIFO_STARTING,
	NVFIFO_RUNNING,
	NVFIFO_SUSPENDING,
	NVFIFO_ASLEEP,
	NVFIFO_REMOVING,
	NVFIFO_STUCK,
	NVFIFO_LOST,
	NVFIFO_GONE,
	NVFIFO_PHASES
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
 * @phase: the card's life (lock)
 * @pgraph_used: PGRAPH is set up, and may be touched
 * @lock: changes of @phase and PMC.ENABLE; held while PFIFO is in reset
 * @ban_work: bans the condemned channels, or all channels of a wedged card
 */
struct nvfifo_hw_state {
	void __iomem *mmio;
	const struct nvfifo_io_ops *io;
	enum nvfifo_phase phase;
	bool pgraph_used;
	spinlock_t lock;		/* phase, PMC.ENABLE, PFIFO's INTR_EN */
	struct work_struct ban_work;
};

#endif
