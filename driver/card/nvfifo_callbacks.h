/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_CALLBACKS_H_
#define _NVFIFO_CALLBACKS_H_

#include <linux/types.h>

#include "card/nvfifo_recover.h"

struct nvfifo_device;

/**
 * struct nvfifo_callbacks - Calls from a lower room to a higher one
 * @reset: make one reset of the ladder; nvfifo_reset_rung()
 * @reset_done: the ladder has ended; nvfifo_reset_done()
 * @gr_unblock: handle the interrupts of PGRAPH; nvfifo_gr_unblock()
 * @gr_serves_other: PGRAPH is busy with another channel; nvfifo_gr_serves_other()
 * @gr_recover: reset a busy PGRAPH; nvfifo_gr_recover()
 * @gr_quiesce: keep PGRAPH idle, or let it take methods again; nvfifo_gr_quiesce()
 * @gr_forget: take a channel out of PGRAPH; nvfifo_gr_forget()
 * @gr_flush_tlb: flush PGRAPH's TLB while it is idle; nvfifo_gr_flush_tlb()
 *
 * All are called with fifo_lock held. Documentation/rooms.rst has the reason of each.
 */
struct nvfifo_callbacks {
	int (*reset)(struct nvfifo_device *ndev, enum nvfifo_rung rung);
	void (*reset_done)(struct nvfifo_device *ndev);
	bool (*gr_unblock)(struct nvfifo_device *ndev);
	bool (*gr_serves_other)(struct nvfifo_device *ndev, u32 desc);
	bool (*gr_recover)(struct nvfifo_device *ndev);
	int (*gr_quiesce)(struct nvfifo_device *ndev, const char *what, bool on);
	void (*gr_forget)(struct nvfifo_device *ndev, u32 desc);
	int (*gr_flush_tlb)(struct nvfifo_device *ndev, void *data);
};

#endif
