/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_PUSHER_H_
#define _NVFIFO_PUSHER_H_

#include <linux/xarray.h>

#include "nvfifo_chan_fmt.h"
#include "nvfifo_fmt.h"
#include "mem/nvfifo_mem.h"
#include "uapi/nvfifo_drm.h"

struct nvfifo_chan;
struct nvfifo_chip;

/**
 * struct nvfifo_fifo_state - PFIFO
 * @chans: channels by id; NULL until they run
 * @playlist: two pages for playlists, used in turn
 * @playlist_cur: the page of the last commit
 * @pull_access: the puller ran before the freeze
 * @frozen: PFIFO is frozen, or being frozen (fifo_lock)
 * @gr_quiet: PGRAPH takes no methods, because of the freeze (engine_lock)
 * @down: PFIFO is in reset: no doorbells
 * @retiring: the playlist stays empty, for a suspend (fifo_lock)
 * @fence_words: length of the commands that release a fence
 * @fence_commands: the commands, without the word that they release
 * @intr_en: the value of INTR_EN (hw.lock)
 */
struct nvfifo_fifo_state {
	struct xarray chans;

	struct nvfifo_inst playlist;
	unsigned int playlist_cur;
	bool pull_access;

	bool frozen;
	bool gr_quiet;
	bool down;
	bool retiring;
	u32 fence_words;
	__le32 fence_commands[NVFIFO_FENCE_SEG_WORDS];

	u32 intr_en;
};

/* In DMA mode the low half of a seqno is released; fewer than 2^31 are under way. */
static inline bool nvfifo_fence_passed(u32 released, u64 seqno)
{
	return (s32)(released - (u32)seqno) >= 0;
}

/* An entry of the ring; its fields must fit */
static inline __le64 nvfifo_ring_entry(const struct drm_nvfifo_entry *entry)
{
	const struct nvfifo_ib_entry e = {
		.address = entry->address,
		.words = entry->words,
		.not_main = entry->flags & DRM_NVFIFO_ENTRY_NOT_MAIN,
		.no_prefetch = entry->flags & DRM_NVFIFO_ENTRY_NO_PREFETCH,
	};
	u32 w[2];

	nvfifo_ib_encode(&e, w);

	return cpu_to_le64((u64)w[1] << 32 | w[0]);
}

/* Set-up and end */
int nvfifo_fifo_init(struct nvfifo_device *ndev);
void nvfifo_fifo_fini(struct nvfifo_device *ndev);
void nvfifo_fifo_hw_init(struct nvfifo_device *ndev);
u64 nvfifo_fifo_playlist(const struct nvfifo_device *ndev);

/* Stopping PFIFO, in part or as a whole */
u32 nvfifo_fifo_stop_puller(struct nvfifo_device *ndev);
void nvfifo_fifo_start_puller(struct nvfifo_device *ndev, u32 pull0);
void nvfifo_fifo_stop_pusher(struct nvfifo_device *ndev);

int nvfifo_fifo_freeze(struct nvfifo_device *ndev);
void nvfifo_fifo_unfreeze(struct nvfifo_device *ndev);

void nvfifo_fifo_doorbells(struct nvfifo_device *ndev, bool on);
bool nvfifo_fifo_is_down(const struct nvfifo_device *ndev);
void nvfifo_fifo_stop(struct nvfifo_device *ndev);
int nvfifo_fifo_start(struct nvfifo_device *ndev);
void nvfifo_fifo_stop_all(struct nvfifo_device *ndev);
void nvfifo_fifo_park_all(struct nvfifo_device *ndev);
void nvfifo_fifo_reset_units(struct nvfifo_device *ndev);

/* Channels */
void nvfifo_chan_structure(struct nvfifo_device *ndev, const struct nvfifo_ramfc *fc);
void nvfifo_fifo_position(struct nvfifo_chan *chan, struct drm_nvfifo_channel_query *pos);

int nvfifo_playlist_update(struct nvfifo_device *ndev);
int nvfifo_fifo_kick(struct nvfifo_device *ndev, u32 desc, u32 engines, bool *late);
void nvfifo_fifo_disable_chan(struct nvfifo_chan *chan);
void nvfifo_fifo_kick_once(struct nvfifo_device *ndev, u32 desc, u32 engines);

void nvfifo_fifo_add_chan(struct nvfifo_chan *chan);
void nvfifo_fifo_lock_chan(struct nvfifo_chan *chan);
void nvfifo_fifo_unlock_chan(struct nvfifo_chan *chan);
void nvfifo_fifo_set_engine(struct nvfifo_chan *chan, unsigned int engine);
int nvfifo_fifo_remove_chan(struct nvfifo_chan *chan);
int nvfifo_fifo_retire(struct nvfifo_device *ndev, bool on);
int nvfifo_fifo_pause_chan(struct nvfifo_chan *chan);
int nvfifo_fifo_unpause_chan(struct nvfifo_chan *chan);

/* nvfifo_fifo_error.c */
void nvfifo_fifo_drop(struct nvfifo_chan *chan);
bool nvfifo_fifo_unblock(struct nvfifo_device *ndev);
void nvfifo_fifo_poll(struct nvfifo_device *ndev);
void nvfifo_fifo_intr_start(struct nvfifo_device *ndev, u32 intr);
void nvfifo_fifo_intr_stop(struct nvfifo_device *ndev);
void nvfifo_fifo_intr_mask(struct nvfifo_device *ndev, u32 intr);
u32 nvfifo_fifo_intr_pending(struct nvfifo_device *ndev);
u32 nvfifo_fifo_notify_ack(struct nvfifo_device *ndev);
bool nvfifo_fifo_intr(struct nvfifo_device *ndev);

/* The ring */
void nvfifo_ring_submit(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *entries,
			u32 count, u64 seqno, u32 word);

#endif
