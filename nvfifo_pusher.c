// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: PFIFO and channels
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
#include <linux/iopoll.h>
#include <linux/sizes.h>

#include "nvfifo_drv.h"
#include "nvfifo_trace.h"

#define CHSW_DEBUG_1	0x6f3cfc34	/* what all drivers write; meaning unknown */
#define SLI_MASK_ALL	0xfff
#define INTR_EN(name)	NV_FLD_MASK(NV_PFIFO_INTR_EN__##name)
#define CHANNEL_FLAGS	(DRM_NVFIFO_CHANNEL_EVENT | DRM_NVFIFO_CHANNEL_DMA_MODE | \
			 DRM_NVFIFO_CHANNEL_USER_QUEUE)

struct workqueue_struct *nvfifo_wq;
struct workqueue_struct *nvfifo_sched_wq;

/* Channels that exist. The module stays until the last one has been freed. */
static atomic_t live = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(live_wq);

int nvfifo_module_init(void)
{
	/* No work runs while the system sleeps. */
	nvfifo_wq = alloc_workqueue(NVFIFO_NAME, WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!nvfifo_wq)
		return -ENOMEM;
	nvfifo_sched_wq = alloc_workqueue(NVFIFO_NAME "-sched",
					  WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_FREEZABLE, 0);
	if (!nvfifo_sched_wq)
		destroy_workqueue(nvfifo_wq);
	return nvfifo_sched_wq ? 0 : -ENOMEM;
}

void nvfifo_module_exit(void)
{
	wait_event(live_wq, !atomic_read(&live));
	destroy_workqueue(nvfifo_sched_wq);
	destroy_workqueue(nvfifo_wq);
}

/* What may be freed by a work, when no file is open any more, keeps device and module. */
void nvfifo_live_get(struct nvfifo_device *ndev)
{
	drm_dev_get(&ndev->drm);
	atomic_inc(&live);
}

/* The last thing that the work does. */
void nvfifo_live_put(struct nvfifo_device *ndev)
{
	drm_dev_put(&ndev->drm);
	atomic_dec(&live);
	wake_up_all(&live_wq);
}

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
	u32 intr = INTR_EN(CACHE_ERROR) | INTR_EN(BAR_FAULT) | INTR_EN(PEEPHOLE_FAULT) |
		   INTR_EN(DMA_PUSHER) | INTR_EN(SEMAPHORE) |
		   (ndev->chip->g84 ? INTR_EN(NOTIFY) : 0);
	int i;

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
	if (nvfifo_set_up(ndev)) {
		nvfifo_fifo_quiesce(ndev);
		nvfifo_mask(ndev, NV_PMC_ENABLE, NV_FLD_MASK(NV_PMC_ENABLE__PFIFO), 0);
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

/*
 * Does a register read as it should? If not, an error that nobody has handled may be what
 * holds it up. The handler may be waiting for fifo_lock, which the caller has, so it is dealt
 * with here; but not PFIFO's in a PFIFO that is being frozen, as it would go on.
 */
static bool fifo_reads(struct nvfifo_device *ndev, u32 reg, u32 mask, u32 want)
{
	if ((nvfifo_rd32(ndev, reg) & mask) == want)
		return true;
	if (reg == NV_CACHE1_KICK_CHANNEL)
		nvfifo_fifo_unblock(ndev);
	nvfifo_gr_unblock(ndev);
	return false;
}

/* TIMEOUT: as all drivers; there is at most a cache to save. Return: 0, -EIO or -ENODEV. */
static int fifo_wait(struct nvfifo_device *ndev, u32 reg, u32 mask, u32 want, const char *what)
{
	bool done;

	if (!read_poll_timeout(fifo_reads, done, done, 10, nvfifo_timeout_us(ndev), false, ndev,
			       reg, mask, want))
		return 0;
	atomic_inc(&ndev->timeouts);
	if (nvfifo_check_lost(ndev))
		return -ENODEV;
	drm_err(&ndev->drm, "%s did not end in 2 s\n", what);
	return -EIO;
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
	int ret = nvfifo_usable(ndev);
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

static void fifo_resume(struct nvfifo_device *ndev)
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
	ret = nvfifo_usable(ndev);
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
		fifo_resume(ndev);
	}
err:
	mutex_unlock(&ndev->fifo_lock);
	return ret;
}

void nvfifo_fifo_unfreeze(struct nvfifo_device *ndev)
{
	fifo_resume(ndev);
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
 * Commands that write @seq to the fence page and report the end of a job. Both forms
 * release a semaphore, which waits for the engine to be idle. G84 and later then push the
 * write out of PFIFO and raise NOTIFY. G80 has neither method: binding a software object stops
 * the puller with CACHE_ERROR, and the interrupt handler lets it go on. Return: their number.
 */
unsigned int nvfifo_fence_words(const struct nvfifo_chip *chip, u32 seq,
				u32 w[NVFIFO_FENCE_SEG_WORDS])
{
	const u32 g84[] = {
		nvfifo_mthd(0, NVFIFO_MTHD_DMA_SEMAPHORE, 1), NVFIFO_HANDLE_FENCE,
		nvfifo_mthd(0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 4),
		0, 0, seq, NVFIFO_TRIGGER_RELEASE,
		nvfifo_mthd(0, NVFIFO_MTHD_WRCACHE_FLUSH, 1), 0,
		nvfifo_mthd(0, NVFIFO_MTHD_NOTIFY_INTR, 1), 0,
	};
	const u32 g80[] = {
		nvfifo_mthd(0, NVFIFO_MTHD_DMA_SEMAPHORE, 1), NVFIFO_HANDLE_FENCE,
		nvfifo_mthd(0, NVFIFO_MTHD_SEMAPHORE_OFFSET, 1), 0,
		nvfifo_mthd(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1), seq,
		nvfifo_mthd(FENCE_SUBC, NVFIFO_MTHD_OBJECT, 1), NVFIFO_HANDLE_SW,
	};
	unsigned int n = chip->g84 ? ARRAY_SIZE(g84) : ARRAY_SIZE(g80);

	memcpy(w, chip->g84 ? g84 : g80, n * sizeof(*w));
	return n;
}

/* --- Channels ------------------------------------------------------------ */

static u64 user_address(struct nvfifo_device *ndev, u32 id, u32 low, u32 high)
{
	u32 word = nvfifo_rd32(ndev, nvfifo_user(id, low));

	return word | (u64)nvfifo_rd32(ndev, nvfifo_user(id, high)) << 32;
}

/*
 * Read where a channel of the channel table is, with fifo_lock held: reading a low half
 * latches the high half. Nothing is switched meanwhile; a channel that is loaded goes on.
 */
void nvfifo_chan_position(struct nvfifo_chan *chan, struct drm_nvfifo_channel_query *pos)
{
	struct nvfifo_device *ndev = chan->ndev;
	u32 caches = nvfifo_rd32(ndev, NV_PFIFO_CACHES), id = chan->id;
	u64 ramfc = chan->inst.addr + (ndev->chip->g84 ? NVFIFO_G84_RAMFC : NVFIFO_G80_RAMFC);
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
#define PUSHER_WORD(name) (pos->loaded ? nvfifo_rd32(ndev, NV_CACHE1_##name) : \
					 nvfifo_vram_rd32(ndev, ramfc + NVFIFO_RAMFC_##name))
	pos->dma_state = PUSHER_WORD(DMA_STATE);
	pos->method_count = PUSHER_WORD(METHOD_COUNT);
	pos->subroutine = PUSHER_WORD(SUBROUTINE);
	pos->bound = PUSHER_WORD(ENGINE);
#undef PUSHER_WORD
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, caches & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

static void chan_enable(struct nvfifo_chan *chan)
{
	u32 reg = NV_REG_AT(NV_PFIFO_CHAN_TABLE, chan->id);

	nvfifo_wr32(chan->ndev, reg, chan->table);
	nvfifo_wr32(chan->ndev, reg, chan->table | NVFIFO_CHAN_TABLE_ENABLE);
	chan->running = true;
	trace_nvfifo_channel_start(chan);
}

static int chan_start(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;

	guard(mutex)(&ndev->fifo_lock);
	/* The place was taken with the id: this cannot fail. */
	xa_store(&ndev->chans, chan->id, chan, GFP_KERNEL);
	chan_enable(chan);
	return nvfifo_playlist_update(ndev);
}

/*
 * Take the channel off the card. A card that does not let go of it is marked as stuck, unless
 * it is being suspended. Return: 0, or -EIO or -ENODEV.
 */
static int chan_stop(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	u32 reg = NV_REG_AT(NV_PFIFO_CHAN_TABLE, chan->id);
	u32 val;
	int ret;

	lockdep_assert_held(&ndev->fifo_lock);
	if (!chan->running)
		return 0;
	chan->running = false;
	trace_nvfifo_channel_stop(chan);
	ret = nvfifo_usable(ndev);
	if (ret)
		return ret;
	nvfifo_wr32(ndev, reg, chan->table);
	ret = nvfifo_playlist_update(ndev) ?:
	      nvfifo_fifo_kick(ndev, nvfifo_chan_desc(chan->inst.addr, NVFIFO_TARGET_VRAM),
			       READ_ONCE(chan->engines));
	if (ret)
		return ret;
	/* TIMEOUT: the kick has ended, the channel number follows */
	if (read_poll_timeout(nvfifo_rd32, val, NV_FLD_GET(NV_CACHE1_PUSH1__CHID, val) != chan->id,
			      10, nvfifo_timeout_us(ndev), false, ndev, NV_CACHE1_PUSH1)) {
		atomic_inc(&ndev->timeouts);
		drm_err(&ndev->drm, "channel %u stays in CACHE1\n", chan->id);
		if (!ndev->suspending)
			nvfifo_wedge(ndev, NVFIFO_STUCK);
		return -EIO;
	}
	nvfifo_wr32(ndev, reg, 0);
	return 0;
}

/* Tell the owner why the channel died, unless it was him. */
static void event_send(struct nvfifo_chan *chan)
{
	struct nvfifo_event *event = chan->event;

	if (!event)
		return;
	event->event.error = chan->error.error;
	event->event.error_code = chan->error.error_code;
	if (chan->error.error)
		drm_send_event(&chan->ndev->drm, &event->base);
	else
		drm_event_cancel_free(&chan->ndev->drm, &event->base);
}

/* The file has room for the event from now on, so that sending it cannot fail. */
static int event_reserve(struct nvfifo_chan *chan, struct drm_file *file,
			 const struct drm_nvfifo_channel_create *args)
{
	struct nvfifo_event *event __free(kfree) = kzalloc(sizeof(*event), GFP_KERNEL);
	int ret;

	if (!event)
		return -ENOMEM;
	event->event.base.type = DRM_NVFIFO_EVENT_CHANNEL_DEAD;
	event->event.base.length = sizeof(event->event);
	event->event.channel_id = args->id;
	event->event.user_data = args->user_data;
	ret = drm_event_reserve_init(&chan->ndev->drm, file, &event->base, &event->event.base);
	if (!ret)
		chan->event = no_free_ptr(event);
	return ret;
}

/*
 * Have a channel killed as soon as nobody holds fifo_lock. It made PFIFO stop as @error
 * tells, and its work was dropped.
 */
void nvfifo_chan_condemn(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_query *error)
{
	lockdep_assert_held(&chan->ndev->fifo_lock);
	if (chan->dead)
		return;
	chan->error = *error;
	nvfifo_dump_capture(chan);
	nvfifo_fences_fail(chan, -ECANCELED, false);
	queue_work(nvfifo_wq, &chan->ndev->kill_work);
}

/*
 * End a channel, with @err for its fences, those to come included. Sleeps; all others go on.
 * @error is NONE if its owner destroys it; one that was condemned keeps its own.
 */
void nvfifo_chan_kill(struct nvfifo_chan *chan, int err, enum drm_nvfifo_channel_error error)
{
	struct nvfifo_device *ndev = chan->ndev;

	nvfifo_control_revoke(chan);
	scoped_guard(mutex, &ndev->fifo_lock) {
		/* From now on nobody rings the doorbell. */
		scoped_guard(spinlock_irqsave, &chan->fence_lock)
			chan->dead = chan->dead ?: err;
		if (chan->killed)
			return;
		chan->killed = true;
		if (error && !chan->error.error) {
			chan->error.error = error;
			nvfifo_dump_capture(chan);
		}
		if (chan->error.error)
			trace_nvfifo_channel_dead(chan);
		if (!chan->error.hw_id && chan->running && !nvfifo_usable(ndev))
			nvfifo_chan_position(chan, &chan->error);
		chan_stop(chan);
	}
	nvfifo_fences_fail(chan, chan->dead, true);
	if (READ_ONCE(ndev->dump_chan) == chan)
		queue_work(nvfifo_wq, &ndev->dump_work);
	event_send(chan);
	wake_up_all(&ndev->waiters);
}

/* End the channels that are condemned or, with an @err, those of a card that cannot be used. */
void nvfifo_chan_kill_all(struct nvfifo_device *ndev, int err)
{
	struct nvfifo_chan *chan = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan)))
		if (err || READ_ONCE(chan->dead))
			nvfifo_chan_kill(chan, err ?: -ECANCELED, DRM_NVFIFO_ERROR_LOST);
}

static void chan_mem_free(struct nvfifo_chan *chan)
{
	nvfifo_vm_unmap_kernel(chan->vm, &chan->mem_va);
	if (chan->mem)
		dma_free_coherent(&chan->ndev->pdev->dev, chan->mem_size, chan->mem, chan->mem_dma);
	chan->mem = NULL;
}

/*
 * Free the rings of a card that is being removed, with all channels dead. Those on their way
 * out finish it; those of open files keep a shell.
 */
void nvfifo_chan_detach_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = NULL;

	flush_workqueue(nvfifo_wq);
	while ((chan = nvfifo_chan_next(ndev, chan)))
		chan_mem_free(chan);
}

/* The last reference is gone, and with it every job: nothing can reach the channel. */
static void chan_free(struct work_struct *work)
{
	struct nvfifo_chan *chan = container_of(work, struct nvfifo_chan, work);
	struct nvfifo_device *ndev = chan->ndev;

	nvfifo_chan_sched_fini(chan);
	/* The flush of the unmapped ring also clears what TLBs hold of the structure. */
	chan_mem_free(chan);
	if (chan->vm_link.next)
		nvfifo_mmu_detach(chan->vm, chan);
	nvfifo_inst_free(ndev, &chan->inst);
	scoped_guard(mutex, &ndev->fifo_lock)
		xa_erase(&ndev->chans, chan->id);
	nvfifo_chan_bos_free(chan);
	drm_gem_object_put(chan->gr_image);
	drm_gem_object_put(chan->control);
	nvfifo_vm_put(chan->vm);
	mutex_destroy(&chan->submit_lock);
	mutex_destroy(&chan->lock);
	kvfree(chan);
	atomic_dec(&ndev->zombies);
	nvfifo_live_put(ndev);
}

static void chan_release(struct kref *ref)
{
	struct nvfifo_chan *chan = container_of(ref, struct nvfifo_chan, ref);

	queue_work(nvfifo_wq, &chan->work);
}

void nvfifo_chan_put(struct nvfifo_chan *chan)
{
	if (chan)
		kref_put(&chan->ref, chan_release);
}

/* The channel with that name, with a reference, or NULL and a message about the argument. */
struct nvfifo_chan *nvfifo_chan_lookup(struct nvfifo_device *ndev, struct drm_file *file, u32 id,
				       const char *argument)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_chan *chan;

	guard(mutex)(&nfile->lock);
	chan = xa_load(&nfile->chans, id);
	if (chan)
		kref_get(&chan->ref);
	else
		drm_dbg(&ndev->drm, "%s %u is unknown\n", argument, id);
	return chan;
}

/* Go on from a channel, whose reference is dropped, or from NULL. Return: the next, with one. */
struct nvfifo_chan *nvfifo_chan_next(struct nvfifo_device *ndev, struct nvfifo_chan *chan)
{
	unsigned long id = chan ? chan->id : 0;

	nvfifo_chan_put(chan);
	xa_lock(&ndev->chans);
	do
		chan = xa_find_after(&ndev->chans, &id, NVFIFO_CHAN_MAX, XA_PRESENT);
	while (chan && !kref_get_unless_zero(&chan->ref));
	xa_unlock(&ndev->chans);
	return chan;
}

/*
 * Take all channels off the card, so that all they consist of is in instance memory. That
 * which is loaded comes first: when it is gone, by a reset if need be, the others are there.
 * One that PFIFO did not let go of is dead.
 */
void nvfifo_fifo_suspend(struct nvfifo_device *ndev)
{
	const struct drm_nvfifo_channel_query error = { .error = DRM_NVFIFO_ERROR_TIMEOUT };
	u32 loaded = NV_FLD_GET(NV_CACHE1_PUSH1__CHID, nvfifo_rd32(ndev, NV_CACHE1_PUSH1));
	struct nvfifo_chan *chan;
	bool reset = false;
	u32 i;

	guard(mutex)(&ndev->fifo_lock);
	for (i = 0; i < NVFIFO_CHANNELS; i++) {
		chan = xa_load(&ndev->chans, (loaded + i) % NVFIFO_CHANNELS);
		if (chan && reset) {
			chan->running = false;
		} else if (chan && chan_stop(chan) && !nvfifo_usable(ndev)) {
			nvfifo_chan_condemn(chan, &error);
			nvfifo_fifo_hw_init(ndev);
			reset = true;
		}
	}
	nvfifo_fifo_quiesce(ndev);
}

/* Have them run again, when instance memory is what it was. Return: 0, or -EIO or -ENODEV. */
int nvfifo_fifo_resume(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan;
	unsigned long id;

	guard(mutex)(&ndev->fifo_lock);
	nvfifo_fifo_hw_init(ndev);
	xa_for_each(&ndev->chans, id, chan) {
		if (chan->dead)
			continue;
		/* The watchdog does not count the time between. */
		WRITE_ONCE(chan->progress, jiffies);
		chan_enable(chan);
	}
	return nvfifo_playlist_update(ndev);
}

static void chan_objects(struct nvfifo_chan *chan)
{
	u64 fence = chan->mem_va.start + chan->fence_page;
	struct nvfifo_dmaobj push = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_READ, 0, NVFIFO_VA_MASK);
	struct nvfifo_dmaobj page = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_RW, fence, fence + SZ_4K - 1);
	u32 first, offset;

	chan->ramht.ndev = chan->ndev;
	chan->ramht.inst = chan->inst.addr;
	/* Where nothing is yet there is room. */
	nvfifo_dmaobj_new(&chan->ramht, &push, &first);
	nvfifo_dmaobj_new(&chan->ramht, &page, &offset);
	nvfifo_ramht_insert(&chan->ramht, NVFIFO_HANDLE_FENCE, nvfifo_ramht_context(0, offset));
	/* A software object has no memory, but its context must not be 0. */
	nvfifo_ramht_insert(&chan->ramht, NVFIFO_HANDLE_SW, nvfifo_ramht_context(0, offset));
}

static int chan_build(struct nvfifo_chan *chan, struct drm_file *file,
		      struct drm_nvfifo_channel_create *args)
{
	struct nvfifo_device *ndev = chan->ndev;
	struct nvfifo_ramfc fc;
	int ret;

	ret = xa_alloc(&ndev->chans, &chan->id, NULL, XA_LIMIT(NVFIFO_CHAN_MIN, NVFIFO_CHAN_MAX),
		       GFP_KERNEL) ?:
	      nvfifo_inst_alloc(ndev, &chan->inst, NVFIFO_CHAN_BYTES, SZ_4K);
	if (ret)
		return nvfifo_fail(ndev, ret == -EBUSY ? -ENOSPC : ret,
				   "channel_create: no channel or instance memory is left");
	/* The owner's ring, or none, is the owner's memory. */
	if (chan->ib && !chan->user_queue)
		chan->fence_page = nvfifo_fence_page_offset(chan->order);
	chan->mem_size = chan->fence_page + SZ_4K;
	chan->mem = dma_alloc_coherent(&ndev->pdev->dev, chan->mem_size, &chan->mem_dma,
				       GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!chan->mem)
		return -ENOMEM;
	ret = nvfifo_vm_map_kernel(chan->vm, &chan->mem_va, chan->mem_dma, chan->mem_size,
				   chan->fence_page);
	if (ret)
		return ret;

	chan->ring = chan->user_queue ? args->start : chan->mem_va.start;
	fc = (struct nvfifo_ramfc) {
		.g84 = ndev->chip->g84,
		.ib = chan->ib,
		.inst = chan->inst.addr,
		.push_offset = NVFIFO_OBJECTS,
		.ramht_offset = NVFIFO_CHAN_RAMHT,
		.ramht_bits = NVFIFO_RAMHT_BITS,
		.ib_address = chan->ring,
		.ib_order = chan->order,
		.dma_start = args->start,
		.sli_mask = args->sli_mask ?: SLI_MASK_ALL,
		.timeslice = args->timeslice,
	};
	nvfifo_chan_structure(ndev, &fc);
	chan_objects(chan);
	chan->table = nvfifo_chan_table(ndev->chip->g84, chan->inst.addr, NVFIFO_TARGET_VRAM);

	/* The structure's place may have been another channel's: forget what TLBs know of it. */
	nvfifo_mmu_attach(chan->vm, chan);
	ret = nvfifo_bar_flush(ndev);
	scoped_guard(mutex, &chan->vm->pt_lock)
		ret = ret ?: nvfifo_mmu_flush(chan->vm);
	if (!ret && chan->user_queue)
		ret = nvfifo_control_init(chan, file, &args->control_offset);
	else if (!ret)
		ret = nvfifo_chan_sched_init(chan);
	if (!ret && args->flags & DRM_NVFIFO_CHANNEL_EVENT)
		ret = event_reserve(chan, file, args);
	return ret ?: chan_start(chan);
}

/* Its owner lets go of it. What is queued ends with an error. */
static void chan_destroy(struct nvfifo_chan *chan)
{
	atomic_inc(&chan->ndev->zombies);
	nvfifo_chan_kill(chan, -ECANCELED, DRM_NVFIFO_ERROR_NONE);
	nvfifo_chan_sched_stop(chan);
	nvfifo_chan_put(chan);
}

/*
 * Jobs are freed by the scheduler's work, and the channel after the last of them. That is
 * a matter of microseconds, unless a queued job waits for another device's fence.
 */
static void chan_reap(struct nvfifo_device *ndev)
{
	wait_event_timeout(live_wq, !atomic_read(&ndev->zombies), HZ / 10);
}

static struct nvfifo_chan *chan_create(struct nvfifo_vm *vm, struct drm_file *file,
				       struct drm_nvfifo_channel_create *args)
{
	struct nvfifo_chan *chan = kvzalloc(sizeof(*chan), GFP_KERNEL);
	int ret;

	if (!chan)
		return ERR_PTR(-ENOMEM);
	kref_init(&chan->ref);
	chan->ndev = vm->ndev;
	nvfifo_live_get(chan->ndev);
	kref_get(&vm->ref);
	chan->vm = vm;
	chan->order = args->ring_order ?: NVFIFO_RING_ORDER_DEFAULT;
	chan->ib = !(args->flags & DRM_NVFIFO_CHANNEL_DMA_MODE);
	chan->user_queue = args->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE;
	mutex_init(&chan->lock);
	mutex_init(&chan->submit_lock);
	spin_lock_init(&chan->fence_lock);
	INIT_LIST_HEAD(&chan->jobs);
	INIT_LIST_HEAD(&chan->bos);
	chan->progress = jiffies;
	INIT_WORK(&chan->work, chan_free);
	ret = chan_build(chan, file, args);
	if (ret) {
		chan_destroy(chan);
		return ERR_PTR(ret);
	}
	return chan;
}

void nvfifo_chan_free_all(struct nvfifo_device *ndev, struct nvfifo_file *nfile)
{
	struct nvfifo_chan *chan;
	unsigned long id;

	xa_for_each(&nfile->chans, id, chan)
		chan_destroy(chan);
	xa_destroy(&nfile->chans);
	chan_reap(ndev);
}

static int check_create(struct nvfifo_device *ndev, const struct drm_nvfifo_channel_create *args)
{
	const bool dma = args->flags & DRM_NVFIFO_CHANNEL_DMA_MODE;
	const bool user = args->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE;
	const bool start = args->start >= NVFIFO_VA_START;
	const struct nvfifo_rule rules[] = {
		{ args->flags & ~CHANNEL_FLAGS, "flags has unknown bits" },
		{ args->timeslice > NVFIFO_TIMESLICE_MAX, "timeslice is not in 0 to 0x1ffff" },
		{ args->sli_mask > SLI_MASK_ALL, "sli_mask is not in 0 to 0xfff" },
		{ args->user_data && !(args->flags & DRM_NVFIFO_CHANNEL_EVENT),
		  "user_data without EVENT" },
		{ args->ring_order && (args->ring_order < NVFIFO_RING_ORDER_MIN ||
				       args->ring_order > NVFIFO_RING_ORDER_MAX),
		  "ring_order is not 0 or in 3 to 12" },
		{ !dma && !user && args->start, "start without DMA_MODE or USER_QUEUE" },
		{ dma && (args->start % 4 || !start || args->start >= SZ_4G),
		  "start is no multiple of 4 in 0x10000 to 0xfffffffc" },
		{ user && !dma && (args->start % SZ_4K || !start || args->start >= NVFIFO_VA_END),
		  "start is no multiple of 4096 in 0x10000 to 0xffdffff000" },
		{}
	};
	int ret = nvfifo_check(ndev, "channel_create", rules);

	if (ret || !user || NVFIFO_USER_QUEUE)
		return ret;
	return nvfifo_fail(ndev, -EOPNOTSUPP,
			   "channel_create.flags: control pages cannot be mapped here");
}

int nvfifo_ioctl_channel_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_vm *vm __free(vm_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_channel_create *args = data;
	int ret = check_create(ndev, args) ?: nvfifo_usable(ndev);
	struct nvfifo_chan *chan;

	if (ret)
		return ret;
	vm = nvfifo_vm_lookup(file, args->vm_id, "channel_create.vm_id");
	if (!vm)
		return -ENOENT;
	/* The name is taken before the channel can run, and stands for nothing until it does. */
	args->control_offset = 0;
	ret = xa_alloc(&nfile->chans, &args->id, NULL, xa_limit_31b, GFP_KERNEL);
	if (ret)
		return ret;
	chan = chan_create(vm, file, args);
	if (PTR_ERR_OR_ZERO(chan) == -ENOSPC) {
		/* What others have just given back may not be there yet. */
		chan_reap(ndev);
		chan = chan_create(vm, file, args);
	}
	if (IS_ERR(chan))
		xa_erase(&nfile->chans, args->id);
	else
		xa_store(&nfile->chans, args->id, chan, GFP_KERNEL);
	return PTR_ERR_OR_ZERO(chan);
}

int nvfifo_ioctl_channel_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_channel_destroy *args = data;
	struct nvfifo_chan *chan = NULL;

	if (args->pad)
		return nvfifo_einval(ndev, "channel_destroy.pad %#x is not 0", args->pad);
	scoped_guard(mutex, &nfile->lock)
		if (xa_load(&nfile->chans, args->id))
			chan = xa_erase(&nfile->chans, args->id);
	if (!chan)
		return nvfifo_fail(ndev, -ENOENT, "channel_destroy.id %u is unknown", args->id);
	chan_destroy(chan);
	chan_reap(ndev);
	return 0;
}

int nvfifo_ioctl_channel_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_channel_query *args = data;
	u32 id = args->id;

	if (args->pad)
		return nvfifo_einval(ndev, "channel_query.pad %#x is not 0", args->pad);
	if (nvfifo_usable(ndev) == -ENODEV)
		return -ENODEV;
	chan = nvfifo_chan_lookup(ndev, file, id, "channel_query.id");
	if (!chan)
		return -ENOENT;
	memset(args, 0, sizeof(*args));
	scoped_guard(mutex, &ndev->fifo_lock) {
		if (chan->dead)
			*args = chan->error;
		else
			nvfifo_chan_position(chan, args);
		args->state = chan->dead ? DRM_NVFIFO_CHANNEL_DEAD : DRM_NVFIFO_CHANNEL_ALIVE;
	}
	args->id = id;
	args->hw_id = chan->id;
	args->ring_order = chan->order;
	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		args->submitted = chan->submitted;
		args->completed = chan->completed;
	}
	return 0;
}
