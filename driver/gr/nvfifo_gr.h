/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_GR_H_
#define _NVFIFO_GR_H_

#include <linux/types.h>

#include "nvfifo_grctx.h"

struct nvfifo_chan;
struct nvfifo_device;

#define NVFIFO_ENGINE_PGRAPH	1	/* PFIFO's number */

/* A word of a context image */
struct nvfifo_gr_word {
	u32 offset, value;
};

/**
 * struct nvfifo_gr_state - PGRAPH
 * @ctx: facts about the card on which contexts depend
 * @words: of the initial context image those that are not zero, or NULL; do not change any more
 * @num_words: their number
 * @image_size: of a context image, bytes
 * @program: the context switching program
 * @paused: FIFO access is off (fifo_lock)
 */
struct nvfifo_gr_state {
	struct nvfifo_grctx ctx;
	struct nvfifo_gr_word *words;
	u32 num_words;
	u32 image_size;
	u32 program[NVFIFO_GRCTX_PROGRAM_MAX];
	bool paused;
};

/* Set-up and end */
void nvfifo_gr_init(struct nvfifo_device *ndev);
void nvfifo_gr_release(struct nvfifo_device *ndev);
int nvfifo_gr_chan_init(struct nvfifo_chan *chan);
u32 nvfifo_gr_owner(struct nvfifo_device *ndev);

/* Interrupts */
bool nvfifo_gr_intr(struct nvfifo_device *ndev);
bool nvfifo_gr_error_pending(struct nvfifo_device *ndev);
bool nvfifo_gr_unblock(struct nvfifo_device *ndev);

/* Waiting for PGRAPH, and its reset */
bool nvfifo_gr_recover(struct nvfifo_device *ndev);
bool nvfifo_gr_serves_other(struct nvfifo_device *ndev, u32 desc);
void nvfifo_gr_forget(struct nvfifo_device *ndev, u32 desc);

int nvfifo_gr_flush_tlb(struct nvfifo_device *ndev, void *data);
void nvfifo_gr_leave(struct nvfifo_device *ndev);
int nvfifo_gr_quiesce(struct nvfifo_device *ndev, const char *what, bool on);
void nvfifo_gr_pause(struct nvfifo_device *ndev);

#endif
