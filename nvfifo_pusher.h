/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_PUSHER_H_
#define _NVFIFO_PUSHER_H_

#include "nvfifo_drv.h"

/* The three parts of nvfifo_chan.mem. */
#define NVFIFO_FENCE_SEG_WORDS	16
#define NVFIFO_FENCE_SEG_BYTES	(NVFIFO_FENCE_SEG_WORDS * 4)

static inline u32 nvfifo_ring_bytes(unsigned int order)
{
	return 8u << order;
}

static inline u32 nvfifo_fence_seg_offset(unsigned int order, u32 slot)
{
	return nvfifo_ring_bytes(order) + slot * NVFIFO_FENCE_SEG_BYTES;
}

/* The fence page is writable for the card, so it has a page of its own. */
static inline u32 nvfifo_fence_page_offset(unsigned int order)
{
	return ALIGN(nvfifo_fence_seg_offset(order, 1u << order), SZ_4K);
}

/* In DMA mode the low half of a number is released; fewer than 2^31 are under way. */
static inline bool nvfifo_fence_passed(u32 released, u64 number)
{
	return (s32)(released - (u32)number) >= 0;
}

int nvfifo_fifo_init(struct nvfifo_device *ndev);
void nvfifo_fifo_fini(struct nvfifo_device *ndev);
void nvfifo_fifo_hw_init(struct nvfifo_device *ndev);
u32 nvfifo_fifo_stop_puller(struct nvfifo_device *ndev);
void nvfifo_fifo_start_puller(struct nvfifo_device *ndev, u32 pull0);
void nvfifo_fifo_stop_pusher(struct nvfifo_device *ndev);
int nvfifo_fifo_freeze(struct nvfifo_device *ndev);
void nvfifo_fifo_unfreeze(struct nvfifo_device *ndev);
int nvfifo_playlist_update(struct nvfifo_device *ndev);
int nvfifo_fifo_kick(struct nvfifo_device *ndev, u32 desc, u32 engines);
void nvfifo_chan_structure(struct nvfifo_device *ndev, const struct nvfifo_ramfc *fc);
unsigned int nvfifo_fence_words(const struct nvfifo_chip *chip, u32 word,
				u32 w[NVFIFO_FENCE_SEG_WORDS]);
void nvfifo_fifo_position(struct nvfifo_chan *chan, struct drm_nvfifo_channel_query *pos);
void nvfifo_fifo_add_chan(struct nvfifo_chan *chan);
int nvfifo_fifo_remove_chan(struct nvfifo_chan *chan);
int nvfifo_fifo_pause_chan(struct nvfifo_chan *chan);
int nvfifo_fifo_unpause_chan(struct nvfifo_chan *chan);

bool nvfifo_ring_has_room(const struct nvfifo_chan *chan, u32 slots);
void nvfifo_ring_submit(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *entries, u32 count,
			u64 seqno, u32 word);

#endif
