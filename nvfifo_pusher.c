// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: PFIFO
 *
 * PFIFO executes the command streams of up to 126 channels. One of them at a time is
 * loaded in CACHE1: the pusher reads its IB ring and the pushbuffers that the entries
 * name, and puts methods into the cache; the puller takes them out, executes those
 * below 0x100 and hands the others to engines. What is loaded lives in registers, the
 * rest in each channel's RAMFC.
 *
 * A channel is runnable if its entry in the channel table is enabled and its id stands
 * in the playlist, a page of ids that PFIFO walks round and round. The driver keeps
 * two pages and commits them in turn, as PFIFO may still read the one it has.
 *
 * To take a channel off: disable its entry, commit a playlist without it, and kick its
 * descriptor, upon which PFIFO saves it. Each step has a bounded wait; a time-out marks the
 * card as stuck.
 *
 * The memory of a channel is in two places. The channel structure lies in instance memory::
 *
 *	           G80      G84 and later
 *	RAMFC      0x0000   0x4200
 *	engines    0x0200   0x0000
 *	CACHE      0x0400   0x4400
 *	directory  0x1400   0x0200
 *	RAMHT      0x5400   0x5400
 *	objects    0x6400   0x6400
 *
 * The IB ring, one short pushbuffer per ring entry for fences, and the fence page are
 * system memory, mapped in the driver's part of the channel's address space. All but the
 * fence page is read only for the card.
 */
#include <linux/dma-mapping.h>
#include <linux/sizes.h>

#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_gr.h"
#include "nvfifo_hw.h"
#include "nvfifo_irq.h"
#include "nvfifo_mem.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "nvfifo_trace.h"

#define CHSW_DEBUG_1	0x6f3cfc34	/* what all drivers write; meaning unknown */

/* --- PFIFO --------------------------------------------------------------- */

/* Stop PFIFO as it is. Plain writes: this works whatever state the unit is in. */
void nvfifo_fifo_quiesce(struct nvfifo_device *ndev)
{
	nvfifo_wr32(ndev, NV_PFIFO_INTR_EN, 0);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	nvfifo_wr32(ndev, NV_CACHE1_PULL0, 0);
	nvfifo_wr32(ndev, NV_CACHE1_DMA_PUSH, 0);
	nvfifo_wr32(ndev, NV_CACHE1_PUSH0, 0);
}

/* Reset PFIFO and start it with no channel; its interrupts are still off in PMC. */
void nvfifo_fifo_hw_init(struct nvfifo_device *ndev)
{
	u32 pfifo = NV_FLD_MASK(NV_PMC_ENABLE__PFIFO);
	u32 intr = ~0u;
	int i;

	/* As nouveau: what has no name has a handler, too. G80 has no NOTIFY. */
	if (!ndev->chip->g84)
		intr &= ~NV_PFIFO_INTR_EN__NOTIFY;

	nvfifo_fifo_quiesce(ndev);
	nvfifo_mask(ndev, NV_PMC_ENABLE, pfifo, 0);
	nvfifo_mask(ndev, NV_PMC_ENABLE, pfifo, pfifo);
	nvfifo_wr32(ndev, NV_PFIFO_CHSW_DEBUG_1, CHSW_DEBUG_1);
	nvfifo_wr32(ndev, NV_PFIFO_DMA_TIMESLICE, NVFIFO_TIMESLICE_ON | NVFIFO_TIMESLICE_DEFAULT);
	nvfifo_wr32(ndev, NV_PFIFO_INTR, ~0u);
	/* A reset need not clear the table. */
	for (i = 0; i < NVFIFO_CHANNELS; i++)
		nvfifo_wr32(ndev, NV_REG_AT(NV_PFIFO_CHAN_TABLE, i), 0);
	nvfifo_wr32(ndev, NV_CACHE1_PUSH1, 0);
	nvfifo_wr32(ndev, NV_CACHE1_PUT, 0);
	nvfifo_wr32(ndev, NV_CACHE1_GET, 0);
	nvfifo_wr32(ndev, NV_CACHE1_PLAYLIST,
		    nvfifo_chan_desc(ndev->playlist.addr, NVFIFO_TARGET_VRAM));
	nvfifo_wr32(ndev, NV_CACHE1_PLAYLIST_LEN, 0);
	nvfifo_wr32(ndev, NV_CACHE1_PUSH0, NV_FLD_MASK(NV_CACHE1_PUSH0__ACCESS));
	nvfifo_wr32(ndev, NV_CACHE1_DMA_PUSH, NV_FLD_MASK(NV_CACHE1_DMA_PUSH__ACCESS));
	nvfifo_wr32(ndev, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
	nvfifo_wr32(ndev, NV_PFIFO_INTR_EN, intr);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

int nvfifo_fifo_init(struct nvfifo_device *ndev)
{
	int ret = nvfifo_inst_alloc(ndev, &ndev->playlist, 2 * SZ_4K, SZ_4K);

	if (!ret)
		nvfifo_fifo_hw_init(ndev);
	return ret;
}

void nvfifo_fifo_fini(struct nvfifo_device *ndev)
{
	u32 pfifo = NV_FLD_MASK(NV_PMC_ENABLE__PFIFO);

	if (nvfifo_card_answers(ndev)) {
		nvfifo_fifo_quiesce(ndev);
		/* BAR accesses of others need PFIFO, so it stays on. */
		nvfifo_mask(ndev, NV_PMC_ENABLE, pfifo, 0);
		nvfifo_mask(ndev, NV_PMC_ENABLE, 0, pfifo);
		if (ndev->gr_up)
			nvfifo_gr_reset(ndev);
	}
	nvfifo_inst_free(ndev, &ndev->playlist);
}

/* Tell PFIFO which channels there are, with fifo_lock held. Return: 0, -EIO or -ENODEV. */
int nvfifo_playlist_update(struct nvfifo_device *ndev)
{
	/* On G84 and later nouveau polls bit 8, rnndb says 12; 8 is 0 for so few channels. */
	u32 pending = NV_FLD_MASK(NV_CACHE1_PLAYLIST_LEN__PENDING_G80) |
		      (ndev->chip->g84 ? NV_FLD_MASK(NV_CACHE1_PLAYLIST_LEN__PENDING_G84) : 0);
	u64 page = ndev->playlist.addr + !ndev->playlist_cur * SZ_4K;
	struct nvfifo_chan *chan;
	unsigned long id;
	u32 n = 0;
	int ret;

	xa_for_each(&ndev->chans, id, chan)
		if (chan->running)
			nvfifo_vram_wr32(ndev, page + 4 * n++, id);
	ret = nvfifo_bar_flush(ndev);
	if (ret)
		return ret;
	nvfifo_wr32(ndev, NV_CACHE1_PLAYLIST, nvfifo_chan_desc(page, NVFIFO_TARGET_VRAM));
	nvfifo_wr32(ndev, NV_CACHE1_PLAYLIST_LEN, n);
	ndev->playlist_cur = !ndev->playlist_cur;
	return nvfifo_wait(ndev, NV_CACHE1_PLAYLIST_LEN, pending, 0, "playlist update");
}

struct fifo_wait {
	u32 reg, mask, want;
};

/*
 * Does a register read as it should? If not, an error that nobody has handled may be what
 * holds it up. The handler may be waiting for fifo_lock, which the caller has, so it is dealt
 * with here; but not PFIFO's in a PFIFO that is being frozen, as it would go on.
 */
static bool fifo_wait_done(struct nvfifo_device *ndev, void *data)
{
	const struct fifo_wait *wait = data;

	if ((nvfifo_rd32(ndev, wait->reg) & wait->mask) == wait->want)
		return true;

	if (wait->reg == NV_CACHE1_KICK_CHANNEL)
		nvfifo_fifo_unblock(ndev);
	nvfifo_gr_unblock(ndev);
	return false;
}

/* TIMEOUT: as all drivers; there is at most a cache to save. Return: 0, -EIO or -ENODEV. */
static int fifo_wait(struct nvfifo_device *ndev, u32 reg, u32 mask, u32 want, const char *what)
{
	struct fifo_wait wait = { .reg = reg, .mask = mask, .want = want };

	if (!nvfifo_poll(ndev, NVFIFO_TIMEOUT_US, fifo_wait_done, &wait))
		return 0;

	return nvfifo_poll_failed(ndev, what);
}

/*
 * Have PFIFO and the engines that may have seen the channel save it, with fifo_lock held. On G80
 * all engines do, and PME has to be enabled, or the kick never ends. A PGRAPH that does not let
 * go is reset: what it had loaded is lost, all else is in the images. Not for suspend, where
 * the channel goes on. The kick reads as all ones until it is done; a descriptor has 30 bits.
 * Return: 0, -EIO or -ENODEV.
 */
int nvfifo_fifo_kick(struct nvfifo_device *ndev, u32 desc, u32 engines)
{
	u32 reg = ndev->chip->g84 ? NV_PFIFO_ENGINE_CTRL : NV_PME_CONTROL;
	u32 mask = ndev->chip->g84 ? NV_FLD_MASK(NV_PFIFO_ENGINE_IDLE__ALL) : 0;
	u32 val = ndev->chip->g84 ? engines >> 1 : NV_FLD_MASK(NV_PME_CONTROL__ENABLE);
	int ret = nvfifo_check_wedged(ndev);
	u32 saved;

	if (ret)
		return ret;
	saved = nvfifo_mask(ndev, reg, mask, val);
	nvfifo_wr32(ndev, NV_CACHE1_KICK_CHANNEL, desc);
	ret = fifo_wait(ndev, NV_CACHE1_KICK_CHANNEL, BIT(31), 0, "kick");
	if (ret == -EIO && ndev->gr_up && !ndev->suspending &&
	    engines & BIT(NVFIFO_ENGINE_PGRAPH)) {
		drm_err(&ndev->drm, "PGRAPH does not let go of channel %08x and is reset\n", desc);
		nvfifo_gr_init(ndev);
		ret = fifo_wait(ndev, NV_CACHE1_KICK_CHANNEL, BIT(31), 0, "second kick");
	}
	if (ret == -ENODEV)
		return ret;
	if (ret && !ndev->suspending)
		nvfifo_wedge(ndev, NVFIFO_STUCK);
	nvfifo_wr32(ndev, reg, saved);
	return ret;
}

static void fifo_thaw(struct nvfifo_device *ndev)
{
	nvfifo_mask(ndev, NV_PFIFO_FREEZE, NV_FLD_MASK(NV_PFIFO_FREEZE__ENABLE), 0);
	if (ndev->pull_access)
		nvfifo_mask(ndev, NV_CACHE1_PULL0, 0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

/*
 * Keep PFIFO from touching memory. Takes fifo_lock, to be released by nvfifo_fifo_unfreeze().
 * An error that waits for its handler stays: the puller is stopped then, and is not started
 * on the way back. Return: 0, or -EIO or -ENODEV with nothing to undo.
 */
int nvfifo_fifo_freeze(struct nvfifo_device *ndev)
{
	u32 errors = NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR) |
		     NV_FLD_MASK(NV_PFIFO_INTR__SEMAPHORE);
	u32 frozen = NV_FLD_MASK(NV_PFIFO_FREEZE__FROZEN);
	u32 idle = NV_FLD_MASK(NV_PFIFO_ENGINE_IDLE__ALL);
	u32 pull0;
	int ret;

	mutex_lock(&ndev->fifo_lock);
	ret = nvfifo_check_wedged(ndev);
	if (ret)
		goto err;
	nvfifo_mask(ndev, NV_PFIFO_FREEZE, 0, NV_FLD_MASK(NV_PFIFO_FREEZE__ENABLE));
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	pull0 = nvfifo_mask(ndev, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS), 0);
	ret = fifo_wait(ndev, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__HASH_BUSY), 0,
			"RAMHT search");
	ndev->pull_access = pull0 & NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS) &&
			    !(nvfifo_rd32(ndev, NV_PFIFO_INTR) & errors);
	ret = ret ?: fifo_wait(ndev, NV_PFIFO_FREEZE, frozen, frozen, "PFIFO freeze") ?:
	      fifo_wait(ndev, NV_PFIFO_ENGINE_IDLE, idle, idle, "work of the engines");
	if (!ret)
		return 0;
	if (ret != -ENODEV) {
		nvfifo_wedge(ndev, NVFIFO_STUCK);
		fifo_thaw(ndev);
	}
err:
	mutex_unlock(&ndev->fifo_lock);
	return ret;
}

void nvfifo_fifo_unfreeze(struct nvfifo_device *ndev)
{
	fifo_thaw(ndev);
	mutex_unlock(&ndev->fifo_lock);
}

/* --- Channel structure --------------------------------------------------- */

/* Clear a channel structure, but for RAMHT's objects, and write its RAMFC. */
void nvfifo_chan_structure(struct nvfifo_device *ndev, const struct nvfifo_ramfc *fc)
{
	u64 ramfc = fc->inst + (fc->g84 ? NVFIFO_G84_RAMFC : NVFIFO_G80_RAMFC);
	u32 w[NVFIFO_RAMFC_WORDS];
	int i;

	nvfifo_vram_fill(ndev, fc->inst, NVFIFO_OBJECTS, 0);
	nvfifo_ramfc_encode(fc, w);
	for (i = 0; i < NVFIFO_RAMFC_WORDS; i++)
		if (w[i])
			nvfifo_vram_wr32(ndev, ramfc + i * 4, w[i]);
}

/* The subchannel that G80's fences use; a method below 0x100 does not care elsewhere. */
#define FENCE_SUBC	7

/*
 * Commands that write @word to the fence page and report the end of a job. Both forms
 * release a semaphore, which waits for the engine to be idle. G84 and later then push the
 * write out of PFIFO and raise NOTIFY. G80 has neither method: binding a software object stops
 * the puller with CACHE_ERROR, and the interrupt handler lets it go on. Return: their number.
 */
unsigned int nvfifo_fence_words(const struct nvfifo_chip *chip, u32 word,
				u32 w[NVFIFO_FENCE_SEG_WORDS])
{
	const u32 g84[] = {
		nvfifo_mthd(0, NVFIFO_MTHD_DMA_SEMAPHORE, 1), NVFIFO_HANDLE_FENCE,
		nvfifo_mthd(0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 4),
		0, 0, word, NVFIFO_TRIGGER_RELEASE,
		nvfifo_mthd(0, NVFIFO_MTHD_WRCACHE_FLUSH, 1), 0,
		nvfifo_mthd(0, NVFIFO_MTHD_NOTIFY_INTR, 1), 0,
	};
	const u32 g80[] = {
		nvfifo_mthd(0, NVFIFO_MTHD_DMA_SEMAPHORE, 1), NVFIFO_HANDLE_FENCE,
		nvfifo_mthd(0, NVFIFO_MTHD_SEMAPHORE_OFFSET, 1), 0,
		nvfifo_mthd(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1), word,
		nvfifo_mthd(FENCE_SUBC, NVFIFO_MTHD_OBJECT, 1), NVFIFO_HANDLE_SW,
	};
	unsigned int n = chip->g84 ? ARRAY_SIZE(g84) : ARRAY_SIZE(g80);

	memcpy(w, chip->g84 ? g84 : g80, n * sizeof(*w));
	return n;
}

/* --- Channels of PFIFO --------------------------------------------------- */

static u64 user_address(struct nvfifo_device *ndev, u32 id, u32 low, u32 high)
{
	u32 word = nvfifo_rd32(ndev, nvfifo_user(id, low));

	return word | (u64)nvfifo_rd32(ndev, nvfifo_user(id, high)) << 32;
}

/* A word of the pusher: in CACHE1 while the channel is loaded, else in its RAMFC */
static u32 pusher_word(struct nvfifo_chan *chan, bool loaded, u32 reg, u32 offset)
{
	struct nvfifo_device *ndev = chan->ndev;
	u64 ramfc = chan->inst.addr + NVFIFO_G80_RAMFC;

	if (loaded)
		return nvfifo_rd32(ndev, reg);
	if (ndev->chip->g84)
		ramfc = chan->inst.addr + NVFIFO_G84_RAMFC;

	return nvfifo_vram_rd32(ndev, ramfc + offset);
}

/*
 * Read where a channel of the channel table is, with fifo_lock held: reading a low half
 * latches the high half. Nothing is switched meanwhile; a channel that is loaded goes on.
 */
void nvfifo_fifo_position(struct nvfifo_chan *chan, struct drm_nvfifo_channel_query *pos)
{
	struct nvfifo_device *ndev = chan->ndev;
	u32 caches = nvfifo_rd32(ndev, NV_PFIFO_CACHES), id = chan->id;
	u64 mget;

	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	pos->hw_id = id;
	pos->get = user_address(ndev, id, NV_USER_DMA_GET, NV_USER_DMA_GET_HIGH);
	pos->put = user_address(ndev, id, NV_USER_DMA_PUT, NV_USER_DMA_PUT_HIGH);
	mget = user_address(ndev, id, NV_USER_DMA_MGET, NV_USER_DMA_MGET_HIGH);
	pos->mget = mget & NVFIFO_VA_MASK;
	pos->mget_valid = mget >> 63;
	pos->ib_get = nvfifo_rd32(ndev, nvfifo_user(id, NV_USER_IB_GET));
	pos->ib_put = nvfifo_rd32(ndev, nvfifo_user(id, NV_USER_IB_PUT));
	pos->ref = nvfifo_rd32(ndev, nvfifo_user(id, NV_USER_REF));
	pos->loaded = NV_FLD_GET(NV_CACHE1_PUSH1__CHID, nvfifo_rd32(ndev, NV_CACHE1_PUSH1)) == id;
	pos->dma_state = pusher_word(chan, pos->loaded, NV_CACHE1_DMA_STATE,
				     NVFIFO_RAMFC_DMA_STATE);
	pos->method_count = pusher_word(chan, pos->loaded, NV_CACHE1_METHOD_COUNT,
					NVFIFO_RAMFC_METHOD_COUNT);
	pos->subroutine = pusher_word(chan, pos->loaded, NV_CACHE1_SUBROUTINE,
				      NVFIFO_RAMFC_SUBROUTINE);
	pos->bound = pusher_word(chan, pos->loaded, NV_CACHE1_ENGINE, NVFIFO_RAMFC_ENGINE);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, caches & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

/* Let a channel run, as soon as the playlist names it; fifo_lock is held. */
void nvfifo_fifo_add_chan(struct nvfifo_chan *chan)
{
	u32 reg = NV_REG_AT(NV_PFIFO_CHAN_TABLE, chan->id);

	nvfifo_wr32(chan->ndev, reg, chan->table);
	nvfifo_wr32(chan->ndev, reg, chan->table | NVFIFO_CHAN_TABLE_ENABLE);
	chan->running = true;
	trace_nvfifo_channel_start(chan);
}

static bool has_left_cache(struct nvfifo_device *ndev, void *data)
{
	const struct nvfifo_chan *chan = data;
	u32 push1 = nvfifo_rd32(ndev, NV_CACHE1_PUSH1);

	return NV_FLD_GET(NV_CACHE1_PUSH1__CHID, push1) != chan->id;
}

/*
 * Take the channel off the card. A card that does not let go of it is marked as stuck, unless
 * it is being suspended. Return: 0, or -EIO or -ENODEV.
 */
int nvfifo_fifo_remove_chan(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	u32 reg = NV_REG_AT(NV_PFIFO_CHAN_TABLE, chan->id);
	int ret;

	lockdep_assert_held(&ndev->fifo_lock);
	if (!chan->running)
		return 0;
	chan->running = false;
	trace_nvfifo_channel_stop(chan);
	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;
	nvfifo_wr32(ndev, reg, chan->table);
	ret = nvfifo_playlist_update(ndev) ?:
	      nvfifo_fifo_kick(ndev, nvfifo_chan_desc(chan->inst.addr, NVFIFO_TARGET_VRAM),
			       READ_ONCE(chan->engines));
	if (ret)
		return ret;
	/* TIMEOUT: the kick has ended, the channel number follows */
	if (nvfifo_poll(ndev, NVFIFO_TIMEOUT_US, has_left_cache, chan)) {
		atomic_inc(&ndev->timeouts);
		drm_err(&ndev->drm, "channel %u stays in CACHE1\n", chan->id);
		if (!ndev->suspending)
			nvfifo_wedge(ndev, NVFIFO_STUCK);
		return -EIO;
	}
	nvfifo_wr32(ndev, reg, 0);
	return 0;
}

/**
 * nvfifo_fifo_pause_chan() - Take a channel off the card for a moment
 * @chan: the channel
 *
 * PFIFO and the engines have saved it then, and read nothing of its structure. Takes fifo_lock,
 * which nvfifo_fifo_unpause_chan() releases. A channel that was at work in PGRAPH for too long,
 * so that only a reset ended the kick, is condemned.
 *
 * Return: 0, or -EIO or -ENODEV with nothing to undo.
 */
int nvfifo_fifo_pause_chan(struct nvfifo_chan *chan)
{
	const struct drm_nvfifo_channel_query error = { .error = DRM_NVFIFO_ERROR_TIMEOUT };
	struct nvfifo_device *ndev = chan->ndev;
	int ret, timeouts;

	mutex_lock(&ndev->fifo_lock);
	timeouts = atomic_read(&ndev->timeouts);
	ret = nvfifo_fifo_remove_chan(chan);
	if (ret) {
		mutex_unlock(&ndev->fifo_lock);
		return ret;
	}

	if (atomic_read(&ndev->timeouts) != timeouts)
		nvfifo_chan_condemn(chan, &error);

	return 0;
}

/**
 * nvfifo_fifo_unpause_chan() - Let a channel go on after nvfifo_fifo_pause_chan()
 * @chan: the channel; one that is condemned or dead stays off the card
 *
 * Return: 0, -ECANCELED if the channel is dead, -EIO or -ENODEV.
 */
int nvfifo_fifo_unpause_chan(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	int ret;

	ret = nvfifo_bar_flush(ndev);
	if (!ret && READ_ONCE(chan->dead)) {
		ret = -ECANCELED;
	} else if (!ret) {
		nvfifo_fifo_add_chan(chan);
		ret = nvfifo_playlist_update(ndev);
	}

	mutex_unlock(&ndev->fifo_lock);
	return ret;
}

/* --- The ring ------------------------------------------------------------ */

static void ring_write(struct nvfifo_chan *chan, u64 address, u32 words, u32 flags)
{
	const struct nvfifo_ib_entry entry = {
		.address = address,
		.words = words,
		.not_main = flags & DRM_NVFIFO_ENTRY_NOT_MAIN,
		.no_prefetch = flags & DRM_NVFIFO_ENTRY_NO_PREFETCH,
	};
	__le32 *slot = chan->mem + chan->put * 8;
	u32 w[2];

	nvfifo_ib_encode(&entry, w);
	WRITE_ONCE(slot[0], cpu_to_le32(w[0]));
	WRITE_ONCE(slot[1], cpu_to_le32(w[1]));
	chan->put = (chan->put + 1) & ((1u << chan->order) - 1);
}

/* The segment belongs to the ring slot: it is free when the slot is. */
static void ring_write_fence(struct nvfifo_chan *chan, u32 word)
{
	u32 offset = nvfifo_fence_seg_offset(chan->order, chan->put);
	__le32 *seg = chan->mem + offset;
	u32 w[NVFIFO_FENCE_SEG_WORDS];
	unsigned int i, n = nvfifo_fence_words(chan->ndev->chip, word, w);

	for (i = 0; i < n; i++)
		WRITE_ONCE(seg[i], cpu_to_le32(w[i]));
	ring_write(chan, chan->mem_va.start + offset, n, DRM_NVFIFO_ENTRY_NOT_MAIN);
}

/**
 * nvfifo_ring_has_room - Do entries fit into a channel's ring?
 * @chan: the channel, with its fence_lock held
 * @slots: number of entries, with that of the fence
 *
 * One entry of the ring stays empty, as a full one would look like an empty one.
 *
 * Return: true if they fit.
 */
bool nvfifo_ring_has_room(const struct nvfifo_chan *chan, u32 slots)
{
	return chan->used + slots < 1u << chan->order;
}

/**
 * nvfifo_ring_submit - Write the entries of a job and of its fence, and ring the doorbell
 * @chan: the channel, with its fence_lock held; the ring has room
 * @entries: what SUBMIT was given; in DMA mode the one entry holds the new PUT
 * @count: number of entries
 * @seqno: number of the job's fence
 * @word: what the fence's commands release; the channel's own commands do in DMA mode
 *
 * Whoever kills the channel takes fence_lock first: no doorbell is rung after that.
 */
void nvfifo_ring_submit(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *entries, u32 count,
			u64 seqno, u32 word)
{
	u32 doorbell = nvfifo_user(chan->id, chan->ib ? NV_USER_IB_PUT : NV_USER_DMA_PUT);
	const struct drm_nvfifo_entry *e;

	lockdep_assert_held(&chan->fence_lock);

	if (chan->ib) {
		for (e = entries; e < entries + count; e++)
			ring_write(chan, e->address, e->words, e->flags);
		ring_write_fence(chan, word);
	} else {
		chan->put = entries[0].address;
	}

	/* The ring, its segments and what user space wrote before come first. */
	wmb();
	nvfifo_wr32(chan->ndev, doorbell, chan->put);
	trace_nvfifo_submit(chan, seqno, count);
}
