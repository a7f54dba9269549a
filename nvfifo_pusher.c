// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: PFIFO
 *
 * PFIFO executes the command streams of up to 126 channels. One of them at a time is loaded in
 * CACHE1. The pusher reads its IB ring and the pushbuffers that the entries name, and puts methods
 * into the cache. The puller takes methods from the cache, executes those below 0x100 and sends the
 * others to engines. The registers of CACHE1 hold the state of the loaded channel; the state of any
 * other channel is in its RAMFC.
 *
 * A channel is runnable if its entry in the channel table is enabled and its id is in the playlist.
 * PFIFO serves the channels of this page round robin. The driver uses two pages in turn, because
 * PFIFO may still read the previous one.
 *
 * To take a channel off: disable its entry, commit a playlist without it, and kick its descriptor
 * if engines know it. If the channel is still loaded afterwards, the driver ends its timeslice by
 * force, and at last unloads it by hand. The wait of each step is bounded. If a kick, playlist
 * update or freeze does not end, the driver resets PFIFO. The channels continue where they were,
 * see Recovery.
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
 * The IB ring, one short pushbuffer per ring entry for fences, and the fence page are system
 * memory. The driver's part of the channel's address space maps them. The card may write to the
 * fence page only.
 */
#include <linux/dma-mapping.h>
#include <linux/sizes.h>

#include "card/nvfifo_card.h"
#include "fifo/nvfifo_chan.h"
#include "gr/nvfifo_gr.h"
#include "nvfifo_drv.h"
#include "nvfifo_error.h"
#include "nvfifo_pfifo.h"
#include "fifo/nvfifo_sched.h"
#include "card/nvfifo_hw.h"
#include "mem/nvfifo_mem.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "debug/nvfifo_trace.h"
#include "mem/nvfifo_bo.h"

/* --- PFIFO --------------------------------------------------------------- */

/**
 * nvfifo_fifo_hw_init() - Reset PFIFO and start it with no channel
 * @ndev: the device; PFIFO's interrupts are still off in PMC at probe
 */
void nvfifo_fifo_hw_init(struct nvfifo_device *ndev)
{
	const struct nvfifo_port port = nvfifo_port(ndev);
	u32 pfifo = NV_FLD_MASK(NV_PMC_ENABLE__PFIFO);
	u32 intr = ~0u;

	/*
	 * Like nouveau, enable interrupts without a name, too: the driver logs them. G80 has no
	 * NOTIFY.
	 */
	if (!ndev->chip->g84)
		intr &= ~NV_PFIFO_INTR_EN__NOTIFY;

	nvfifo_halt(ndev);

	scoped_guard(rwsem_write, &ndev->mem.bars_lock)
		nvfifo_units_reset(ndev, pfifo);

	ndev->fifo.playlist_cur = 0;
	nvfifo_pfifo_start(&port, ndev->fifo.playlist.addr);
	nvfifo_fifo_intr_start(ndev, intr);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

/* The commands of a fence, without its word and its address. */
static void fence_commands_init(struct nvfifo_device *ndev)
{
	u32 w[NVFIFO_FENCE_SEG_WORDS];
	unsigned int i;

	ndev->fifo.fence_words = nvfifo_fence_words(ndev->chip->g84, 0, w);

	for (i = 0; i < ndev->fifo.fence_words; i++)
		ndev->fifo.fence_commands[i] = cpu_to_le32(w[i]);
}

/**
 * nvfifo_fifo_init() - Allocate the playlist, and start PFIFO
 * @ndev: the device
 *
 * Return: 0 or -ENOSPC.
 */
int nvfifo_fifo_init(struct nvfifo_device *ndev)
{
	int ret = nvfifo_inst_alloc(ndev, &ndev->fifo.playlist, 2 * SZ_4K, SZ_4K);

	if (ret)
		return ret;

	fence_commands_init(ndev);
	nvfifo_fifo_hw_init(ndev);

	return 0;
}

/**
 * nvfifo_fifo_fini() - Free the playlist, and stop PFIFO after a probe that failed
 * @ndev: the device, without channels
 *
 * nvfifo_fifo_stop_all() stops it for a removal. PFIFO stays out of reset, because the BAR accesses
 * of other drivers need it.
 */
void nvfifo_fifo_fini(struct nvfifo_device *ndev)
{
	u32 pfifo = NV_FLD_MASK(NV_PMC_ENABLE__PFIFO);

	if (nvfifo_is_usable(ndev)) {
		nvfifo_halt(ndev);

		guard(rwsem_write)(&ndev->mem.bars_lock);

		nvfifo_units_reset(ndev, pfifo);
	}

	nvfifo_inst_free(ndev, &ndev->fifo.playlist);
}

static int playlist_commit(struct nvfifo_device *ndev, void *data)
{
	/* On G84 and later nouveau polls bit 8, rnndb names bit 12. Bit 8 is 0 for 126 channels. */
	u32 pending = NV_FLD_MASK(NV_CACHE1_PLAYLIST_LEN__PENDING_G80) |
		      (ndev->chip->g84 ? NV_FLD_MASK(NV_CACHE1_PLAYLIST_LEN__PENDING_G84) : 0);
	u64 page = ndev->fifo.playlist.addr + !ndev->fifo.playlist_cur * SZ_4K;
	struct nvfifo_chan *chan;
	unsigned long id;
	u32 n = 0;
	int ret;

	xa_for_each(&ndev->fifo.chans, id, chan)
		if (chan->phase == NVFIFO_CHAN_RUNNING && !ndev->fifo.retiring)
			nvfifo_vram_wr32(ndev, page + 4 * n++, id);

	ret = nvfifo_bar_flush_once(ndev, NULL);
	if (ret)
		return ret;

	nvfifo_wr32(ndev, NV_CACHE1_PLAYLIST, nvfifo_chan_desc(page, NVFIFO_TARGET_VRAM));
	nvfifo_wr32(ndev, NV_CACHE1_PLAYLIST_LEN, n);
	ndev->fifo.playlist_cur = !ndev->fifo.playlist_cur;

	return nvfifo_wait(ndev, NV_CACHE1_PLAYLIST_LEN, pending, 0, "playlist update");
}

/**
 * nvfifo_playlist_update() - Commit a playlist of all running channels
 * @ndev: the device, with fifo_lock held
 *
 * Return: 0, -EIO or -ENODEV; -ETIMEDOUT in a reset.
 */
int nvfifo_playlist_update(struct nvfifo_device *ndev)
{
	return nvfifo_run_procedure_locked(ndev, "playlist update", playlist_commit, NULL);
}

/* --- Stopping and unloading ---------------------------------------------- */

/* TIMEOUT: at most one RAMHT search or one fetch of the pusher is pending */
#define STOP_US		(10 * USEC_PER_MSEC)

/* TIMEOUT: STOP_US, and the time to save the cache */
#define UNLOAD_US	(20 * USEC_PER_MSEC)

/* TIMEOUT: PGRAPH stores a context of some 100 KiB */
#define KICK_ONCE_US	(200 * USEC_PER_MSEC)

/* This value ends the timeslice; pscnv writes it in nv50_fifo_chan_kill(). */
#define TIMESLICE_OVER	0x20000

/* Id for no channel: nouveau up to 2.6.3x wrote it after it had unloaded a channel. */
#define PUSH1_NONE	127

static bool puller_has_stopped(struct nvfifo_device *ndev, void *data)
{
	return !(nvfifo_rd32(ndev, NV_CACHE1_PULL0) & NV_FLD_MASK(NV_CACHE1_PULL0__HASH_BUSY));
}

/*
 * A stop may fail a look-up in RAMHT that is under way. Drop its error, as nouveau's
 * nv04_fifo_pause() does. GET stays at the method, so the puller repeats the look-up when it
 * starts. An error in @intr, which was pending before the stop, belongs to its handler.
 */
static void drop_failed_lookup(struct nvfifo_device *ndev, u32 intr)
{
	u32 failed = NV_FLD_MASK(NV_CACHE1_PULL0__HASH_FAILED);

	if (intr & NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR))
		return;

	if (nvfifo_rd32(ndev, NV_CACHE1_PULL0) & failed)
		nvfifo_wr32(ndev, NV_PFIFO_INTR, NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR));
}

/**
 * nvfifo_fifo_stop_puller() - Stop the puller, so that no method is executed or sent to an engine
 * @ndev: the device, with fifo_lock held
 *
 * Return: the old value of PULL0, for nvfifo_fifo_start_puller().
 */
u32 nvfifo_fifo_stop_puller(struct nvfifo_device *ndev)
{
	u32 pull0 = nvfifo_rd32(ndev, NV_CACHE1_PULL0);
	/* After PULL0: the puller ran if an error comes later, and must run again. */
	u32 intr = nvfifo_rd32(ndev, NV_PFIFO_INTR);

	nvfifo_wr32(ndev, NV_CACHE1_PULL0, 0);
	nvfifo_poll(ndev, STOP_US, puller_has_stopped, NULL);
	drop_failed_lookup(ndev, intr);

	return pull0;
}

/**
 * nvfifo_fifo_start_puller() - Undo nvfifo_fifo_stop_puller()
 * @ndev: the device, with fifo_lock held
 * @pull0: its return value; a puller that an error has stopped stays stopped
 */
void nvfifo_fifo_start_puller(struct nvfifo_device *ndev, u32 pull0)
{
	if (!(pull0 & NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS)))
		return;

	if (nvfifo_rd32(ndev, NV_PFIFO_INTR) & NVFIFO_PULLER_ERRORS)
		return;

	/* A puller that stops in a look-up may keep a wrong result: nouveau's nv04_fifo_pause(). */
	nvfifo_wr32(ndev, NV_CACHE1_HASH, 0);
	nvfifo_wr32(ndev, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
}

static bool pusher_has_stopped(struct nvfifo_device *ndev, void *data)
{
	return !(nvfifo_rd32(ndev, NV_CACHE1_DMA_PUSH) & NV_FLD_MASK(NV_CACHE1_DMA_PUSH__BUSY));
}

/**
 * nvfifo_fifo_stop_pusher() - Stop the pusher's fetches
 * @ndev: the device, with fifo_lock held
 */
void nvfifo_fifo_stop_pusher(struct nvfifo_device *ndev)
{
	nvfifo_wr32(ndev, NV_CACHE1_DMA_PUSH, 0);
	nvfifo_poll(ndev, STOP_US, pusher_has_stopped, NULL);
}

/*
 * Save the loaded channel, with puller and pusher stopped. A working PFIFO reports no more methods
 * than the cache holds.
 */
static void chan_save(struct nvfifo_chan *chan)
{
	const struct drm_nvfifo_channel_query insane = { .error = DRM_NVFIFO_ERROR_TIMEOUT };
	const struct nvfifo_port port = nvfifo_port(chan->ndev);

	if (!nvfifo_cache1_save(&port, chan->inst.addr))
		nvfifo_chan_kill(chan, &insane);
}

static u32 loaded_id(struct nvfifo_device *ndev)
{
	return NV_FLD_GET(NV_CACHE1_PUSH1__CHID, nvfifo_rd32(ndev, NV_CACHE1_PUSH1));
}

/* A software method of the channel is handled like an error, and the channel may have many. */
#define STOP_TRIES	8

/*
 * Stop the loaded channel, with channel switches off. An error that has come meanwhile belongs to
 * this channel: a handler that ran later would blame the next channel in PUSH1. Its handling starts
 * pusher and puller, so stop them again.
 */
static void stop_loaded(struct nvfifo_device *ndev)
{
	u32 tries = 0;

	do {
		nvfifo_fifo_stop_pusher(ndev);
		nvfifo_fifo_stop_puller(ndev);
	} while (tries++ < STOP_TRIES && nvfifo_fifo_unblock(ndev));
}

/*
 * Unload the channel from CACHE1 by hand, and save it first if it runs again later. PUSH1 and the
 * registers of CACHE1 suffice: NVIDIA's own driver loads its channel through them.
 */
static int unload_by_hand(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	int ret = 0;

	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	stop_loaded(ndev);
	nvfifo_wr32(ndev, NV_CACHE1_PUSH0, 0);

	if (!chan->dead) {
		chan_save(chan);
		ret = nvfifo_run_procedure_locked(ndev, "BAR flush", nvfifo_bar_flush_once, NULL);
	}

	nvfifo_wr32(ndev, NV_CACHE1_PUSH1, PUSH1_NONE);
	nvfifo_wr32(ndev, NV_CACHE1_PUT, 0);
	nvfifo_wr32(ndev, NV_CACHE1_GET, 0);
	nvfifo_wr32(ndev, NV_CACHE1_HASH, 0);
	nvfifo_wr32(ndev, NV_CACHE1_PUSH0, NV_FLD_MASK(NV_CACHE1_PUSH0__ACCESS));
	nvfifo_wr32(ndev, NV_CACHE1_DMA_PUSH, NV_FLD_MASK(NV_CACHE1_DMA_PUSH__ACCESS));
	nvfifo_wr32(ndev, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));

	return ret;
}

static bool has_left_cache(struct nvfifo_device *ndev, void *data)
{
	const struct nvfifo_chan *chan = data;

	if (loaded_id(ndev) != chan->id)
		return true;

	/* PFIFO does not switch away from a channel with an error, so handle the error first. */
	nvfifo_fifo_unblock(ndev);

	return false;
}

/*
 * Take the channel off PFIFO before its kick. No source says that a kick does so: nouveau's comment
 * is about engines only, and pscnv ends the timeslice by force. So the driver ends the timeslice
 * too. If the channel stays loaded, the driver unloads it by hand. Return: 0, or -EIO or -ENODEV.
 */
static int leave_cache(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;

	if (!nvfifo_poll(ndev, UNLOAD_US, has_left_cache, chan))
		return 0;

	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	nvfifo_wr32(ndev, NV_PFIFO_TIMESLICE, TIMESLICE_OVER);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));

	if (!nvfifo_poll(ndev, UNLOAD_US, has_left_cache, chan))
		return 0;

	if (nvfifo_check_lost(ndev))
		return -ENODEV;

	return unload_by_hand(chan);
}

/* --- Kick ---------------------------------------------------------------- */

/* The register reads as all ones until the kick is done. */
static bool kick_is_done(struct nvfifo_device *ndev, void *data)
{
	if (nvfifo_rd32(ndev, NV_CACHE1_KICK_CHANNEL) != ~0u)
		return true;

	/*
	 * A pending error delays the kick, and its handler waits for fifo_lock, which the caller
	 * holds.
	 */
	nvfifo_fifo_unblock(ndev);
	nvfifo_gr_unblock(ndev);
	nvfifo_fifo_poll(ndev);

	return false;
}

/* Wait for a kick, and reset a PGRAPH that holds it up. Return: 0, -ETIMEDOUT or -ENODEV. */
static int kick_wait(struct nvfifo_device *ndev, u32 desc, u32 engines, bool *late)
{
	bool gr = nvfifo_pgraph_is_used(ndev) && engines & BIT(NVFIFO_ENGINE_PGRAPH);

	/* TIMEOUT: as in all drivers; PGRAPH saves at most one context */
	if (!nvfifo_poll_work(ndev, NVFIFO_TIMEOUT_US, kick_is_done, NULL))
		return 0;

	/* TIMEOUT: the kick waits for another channel's work in PGRAPH, up to the limit of a job */
	if (gr && nvfifo_gr_serves_other(ndev, desc) &&
	    !nvfifo_poll_work(ndev, nvfifo_job_timeout_us(), kick_is_done, NULL))
		return 0;

	/* The card's removal ends these waits early: give PGRAPH the time to save a context. */
	if (nvfifo_check_ending(ndev) && !nvfifo_poll(ndev, KICK_ONCE_US, kick_is_done, NULL))
		return 0;

	*late = true;

	if (nvfifo_check_lost(ndev))
		return -ENODEV;

	/* A reset would ban the channel, but after a suspend it must continue. */
	if (gr && nvfifo_phase(ndev) != NVFIFO_SUSPENDING && nvfifo_gr_recover(ndev) &&
	    !nvfifo_poll(ndev, NVFIFO_TIMEOUT_US, kick_is_done, NULL))
		return 0;

	return nvfifo_poll_failed(ndev, "kick", NVFIFO_TIMEOUT_US);
}

/* Begin a kick of some engines. Return: the register's old value, for kick_end(). */
static u32 kick_start(struct nvfifo_device *ndev, u32 desc, u32 engines)
{
	u32 saved;

	if (ndev->chip->g84)
		saved = nvfifo_mask(ndev, NV_PFIFO_ENGINE_CTRL,
				    NV_FLD_MASK(NV_PFIFO_ENGINE_IDLE__ALL), engines >> 1);
	else
		saved = nvfifo_mask(ndev, NV_PME_CONTROL, 0, NV_FLD_MASK(NV_PME_CONTROL__ENABLE));

	nvfifo_wr32(ndev, NV_CACHE1_KICK_CHANNEL, desc);

	return saved;
}

static void kick_end(struct nvfifo_device *ndev, u32 saved)
{
	if (ndev->chip->g84)
		nvfifo_wr32(ndev, NV_PFIFO_ENGINE_CTRL, saved);
	else
		nvfifo_wr32(ndev, NV_PME_CONTROL, saved);
}

/* Kick once. Return: as kick_wait(). */
static int kick_try(struct nvfifo_device *ndev, u32 desc, u32 engines, bool *late)
{
	u32 saved = kick_start(ndev, desc, engines);
	int ret = kick_wait(ndev, desc, engines, late);

	if (ret != -ENODEV)
		kick_end(ndev, saved);

	return ret;
}

/**
 * nvfifo_fifo_kick() - Make engines save and unload a channel
 * @ndev: the device, with engine_lock and fifo_lock held
 * @desc: the channel's descriptor, which has 30 bits
 * @engines: engines with objects of the channel, bit n for engine n
 * @late: set if PGRAPH held up the kick for longer than the limit of a job
 *
 * On G80 all engines take part, and the kick ends only if PME is enabled. A PGRAPH that does not
 * answer is reset.
 *
 * The wait releases fifo_lock, so another thread may reset PFIFO meanwhile. KICK_CHANNEL then shows
 * the end of a kick that engines have not answered. The kick is repeated; after a second reset the
 * caller makes one itself, with fifo_lock held.
 *
 * Return: 0, -ETIMEDOUT, -EIO or -ENODEV.
 */
int nvfifo_fifo_kick(struct nvfifo_device *ndev, u32 desc, u32 engines, bool *late)
{
	unsigned int count, tries;
	int ret;

	*late = false;

	for (tries = 0; tries < 2; tries++) {
		ret = nvfifo_check_wedged(ndev);
		if (ret)
			return ret;

		count = nvfifo_recover_count(ndev);
		ret = kick_try(ndev, desc, engines, late);
		if (ret || nvfifo_recover_count(ndev) == count)
			return ret;
	}

	return -ETIMEDOUT;
}

/**
 * nvfifo_fifo_kick_once() - Kick a channel off idle engines, before they are reset
 * @ndev: the device, with fifo_lock held
 * @desc: the channel's descriptor
 * @engines: the engines that save it, bit n for engine n
 *
 * If the kick times out, the reset ends it.
 */
void nvfifo_fifo_kick_once(struct nvfifo_device *ndev, u32 desc, u32 engines)
{
	u32 saved = kick_start(ndev, desc, engines);

	nvfifo_poll(ndev, KICK_ONCE_US, kick_is_done, NULL);
	kick_end(ndev, saved);
}

/* --- Freeze -------------------------------------------------------------- */

struct fifo_wait {
	u32 reg, mask, want;
};

/*
 * Does a register have the wanted value? An error of PGRAPH may delay the value, so handle it here.
 * Leave PFIFO's errors pending, because handling them would resume PFIFO.
 */
static bool fifo_wait_done(struct nvfifo_device *ndev, void *data)
{
	const struct fifo_wait *wait = data;

	if ((nvfifo_rd32(ndev, wait->reg) & wait->mask) == wait->want)
		return true;

	nvfifo_gr_unblock(ndev);
	nvfifo_fifo_poll(ndev);

	return false;
}

/* Return: 0, -ETIMEDOUT or -ENODEV. */
static int fifo_wait(struct nvfifo_device *ndev, u32 reg, u32 mask, u32 want, u32 timeout_us,
		     const char *what)
{
	struct fifo_wait wait = { .reg = reg, .mask = mask, .want = want };

	if (!nvfifo_poll(ndev, timeout_us, fifo_wait_done, &wait))
		return 0;

	return nvfifo_poll_failed(ndev, what, timeout_us);
}

/* Get the engines that may be busy: those with objects of running channels. */
static u32 engines_in_use(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan;
	unsigned long id;
	u32 engines = 0;

	xa_for_each(&ndev->fifo.chans, id, chan)
		if (chan->phase == NVFIFO_CHAN_RUNNING)
			engines |= chan->engines;

	return engines;
}

/* Let PGRAPH take methods again. */
static void gr_release(struct nvfifo_device *ndev)
{
	if (!ndev->fifo.gr_quiet)
		return;

	ndev->fifo.gr_quiet = false;
	nvfifo_gr_quiesce(ndev, NULL, false);
}

/*
 * Pause PGRAPH and wait until it is idle. It is reset if that exceeds the limit of a job.
 */
static int gr_quiesce(struct nvfifo_device *ndev)
{
	int ret;

	if (!nvfifo_pgraph_is_used(ndev) || !(engines_in_use(ndev) & BIT(NVFIFO_ENGINE_PGRAPH)))
		return 0;

	ret = nvfifo_gr_quiesce(ndev, "a freeze", true);
	if (!ret)
		ndev->fifo.gr_quiet = true;

	return ret;
}

/* Wait until the engines are idle, with PFIFO frozen. */
static int engines_wait_idle(struct nvfifo_device *ndev)
{
	u32 idle = engines_in_use(ndev) >> 1 & NV_FLD_MASK(NV_PFIFO_ENGINE_IDLE__ALL);
	int ret = gr_quiesce(ndev);

	if (ret)
		return ret;

	/* Leave out engines that no channel uses: one in reset may never show its idle bit. */
	if (!idle)
		return 0;

	return fifo_wait(ndev, NV_PFIFO_ENGINE_IDLE, idle, idle, NVFIFO_TIMEOUT_US,
			 "work of the engines");
}

static void fifo_thaw(struct nvfifo_device *ndev)
{
	u32 frozen = NV_FLD_MASK(NV_PFIFO_FREEZE__FROZEN);

	gr_release(ndev);
	ndev->fifo.frozen = false;
	nvfifo_wr32(ndev, NV_PFIFO_FREEZE, 0);
	fifo_wait(ndev, NV_PFIFO_FREEZE, frozen, 0, STOP_US, "end of the PFIFO freeze");

	/* Clear the puller's last look-up, because its result may be stale. */
	if (ndev->fifo.pull_access) {
		nvfifo_wr32(ndev, NV_CACHE1_HASH, 0);
		nvfifo_wr32(ndev, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
	}

	nvfifo_wr32(ndev, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

/*
 * Wait until PFIFO is frozen. No source says whether a freeze ends while a method waits for a
 * paused PGRAPH. So PGRAPH takes methods again after STOP_US.
 */
static int freeze_wait(struct nvfifo_device *ndev)
{
	u32 frozen = NV_FLD_MASK(NV_PFIFO_FREEZE__FROZEN);
	struct fifo_wait wait = { .reg = NV_PFIFO_FREEZE, .mask = frozen, .want = frozen };

	if (!nvfifo_poll(ndev, STOP_US, fifo_wait_done, &wait))
		return 0;

	gr_release(ndev);

	return fifo_wait(ndev, NV_PFIFO_FREEZE, frozen, frozen, NVFIFO_TIMEOUT_US, "PFIFO freeze");
}

/* Freeze PFIFO while PGRAPH is idle, so that it takes microseconds. */
static int fifo_freeze_now(struct nvfifo_device *ndev)
{
	u32 pull0, intr;
	int ret;

	ndev->fifo.frozen = true;
	nvfifo_wr32(ndev, NV_PFIFO_FREEZE, NV_FLD_MASK(NV_PFIFO_FREEZE__ENABLE));
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	pull0 = nvfifo_rd32(ndev, NV_CACHE1_PULL0);
	intr = nvfifo_rd32(ndev, NV_PFIFO_INTR);
	nvfifo_wr32(ndev, NV_CACHE1_PULL0, 0);
	ret = fifo_wait(ndev, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__HASH_BUSY), 0,
			NVFIFO_TIMEOUT_US, "RAMHT search");
	if (!ret)
		drop_failed_lookup(ndev, intr);

	ndev->fifo.pull_access = pull0 & NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS) &&
			    !(nvfifo_rd32(ndev, NV_PFIFO_INTR) & NVFIFO_PULLER_ERRORS);

	if (!ret)
		ret = freeze_wait(ndev);
	if (!ret)
		ret = engines_wait_idle(ndev);
	if (!ret)
		return 0;

	/* The reset of PFIFO that follows starts the puller and the caches. */
	ndev->fifo.frozen = false;

	if (ret != -ENODEV)
		nvfifo_wr32(ndev, NV_PFIFO_FREEZE, 0);

	return ret;
}

/*
 * Wait for PGRAPH's present work first, since it may take long. PFIFO runs during this wait, and
 * other threads can take fifo_lock: see nvfifo_poll_work().
 */
static int fifo_freeze(struct nvfifo_device *ndev, void *data)
{
	int ret = nvfifo_check_wedged(ndev);

	if (!ret)
		ret = gr_quiesce(ndev);
	if (!ret)
		ret = fifo_freeze_now(ndev);
	if (ret && ret != -ENODEV)
		gr_release(ndev);

	return ret;
}

/**
 * nvfifo_fifo_freeze() - Keep PFIFO and its engines from accessing memory
 * @ndev: the device
 *
 * Takes engine_lock and fifo_lock, which nvfifo_fifo_unfreeze() releases. A pending error stays
 * pending: nvfifo_fifo_unfreeze() does not restart a puller that an error has stopped.
 *
 * Return: 0, or -EIO or -ENODEV with nothing to undo; also -EINTR in a process that is killed while
 * it waits for engine_lock.
 */
int nvfifo_fifo_freeze(struct nvfifo_device *ndev)
{
	int ret;

	ret = mutex_lock_killable(&ndev->engine_lock);
	if (ret)
		return ret;

	mutex_lock(&ndev->fifo_lock);
	ret = nvfifo_run_procedure_locked(ndev, "freeze", fifo_freeze, NULL);
	if (!ret)
		return 0;

	mutex_unlock(&ndev->fifo_lock);
	mutex_unlock(&ndev->engine_lock);

	return ret;
}

/**
 * nvfifo_fifo_unfreeze() - Undo nvfifo_fifo_freeze()
 * @ndev: the device
 */
void nvfifo_fifo_unfreeze(struct nvfifo_device *ndev)
{
	fifo_thaw(ndev);
	mutex_unlock(&ndev->fifo_lock);
	mutex_unlock(&ndev->engine_lock);
}

/* --- Channel structure --------------------------------------------------- */

/**
 * nvfifo_chan_structure() - Clear a channel structure and write its RAMFC
 * @ndev: the device
 * @fc: the values of RAMFC, and the address of the structure
 *
 * Objects keep their words. The card sees the structure after nvfifo_bar_flush().
 */
void nvfifo_chan_structure(struct nvfifo_device *ndev, const struct nvfifo_ramfc *fc)
{
	u64 ramfc = fc->inst + nvfifo_chan_ramfc(fc->g84);
	u32 w[NVFIFO_RAMFC_WORDS];
	int i;

	nvfifo_vram_fill(ndev, fc->inst, NVFIFO_OBJECTS, 0);
	nvfifo_ramfc_encode(fc, w);

	for (i = 0; i < NVFIFO_RAMFC_WORDS; i++)
		if (w[i])
			nvfifo_vram_wr32(ndev, ramfc + i * 4, w[i]);
}

/* --- Channels of PFIFO --------------------------------------------------- */

/* Does the channel have an entry in the channel table, enabled or not? */
static bool is_listed(const struct nvfifo_chan *chan)
{
	return chan->phase == NVFIFO_CHAN_RUNNING || chan->phase == NVFIFO_CHAN_LEAVING;
}

/**
 * nvfifo_fifo_position() - Read the position of a channel
 * @chan: the channel, with fifo_lock held
 * @pos: set to the position; the fields of the error keep their values
 *
 * A channel without an entry in the channel table has no control page to read; then @pos is
 * unchanged.
 */
void nvfifo_fifo_position(struct nvfifo_chan *chan, struct drm_nvfifo_channel_query *pos)
{
	const struct nvfifo_port port = nvfifo_port(chan->ndev);

	if (is_listed(chan))
		nvfifo_position_read(&port, chan->id, chan->inst.addr, pos);
}

static u32 doorbell(const struct nvfifo_chan *chan)
{
	u32 reg = NV_USER_DMA_PUT;

	if (chan->ib)
		reg = NV_USER_IB_PUT;

	return nvfifo_user(chan->id, reg);
}

static void chan_table_write(struct nvfifo_chan *chan, bool enable)
{
	u32 reg = NV_REG_AT(NV_PFIFO_CHAN_TABLE, chan->id);

	nvfifo_wr32(chan->ndev, reg, chan->table);

	if (enable)
		nvfifo_wr32(chan->ndev, reg, chan->table | NVFIFO_CHAN_TABLE_ENABLE);
}

/**
 * nvfifo_fifo_add_chan() - Enable a channel; it runs after the next nvfifo_playlist_update()
 * @chan: the channel, with fifo_lock held
 */
void nvfifo_fifo_add_chan(struct nvfifo_chan *chan)
{
	chan_table_write(chan, true);
	nvfifo_chan_set_phase(chan, NVFIFO_CHAN_RUNNING);
	trace_nvfifo_channel_start(chan);
}

/**
 * nvfifo_fifo_disable_chan() - Disable a channel in the channel table, before a reset
 * @chan: the channel, with fifo_lock held and PFIFO stopped
 *
 * nvfifo_fifo_start() enables it again if it still runs.
 */
void nvfifo_fifo_disable_chan(struct nvfifo_chan *chan)
{
	lockdep_assert_held(&chan->ndev->fifo_lock);

	chan_table_write(chan, false);
}

/*
 * Ring the doorbell of a channel if it was delayed. If doorbells are off, this only waits until no
 * thread rings this one: SUBMIT does so under the same lock.
 */
static void doorbell_settle(struct nvfifo_chan *chan, bool on)
{
	struct nvfifo_device *ndev = chan->ndev;

	guard(spinlock_irqsave)(&chan->fence_lock);

	if (on && chan->phase == NVFIFO_CHAN_RUNNING && !chan->dead && chan->written)
		nvfifo_wr32(ndev, doorbell(chan), chan->put);
}

/**
 * nvfifo_fifo_doorbells() - Turn all doorbells off, or on again
 * @ndev: the device, with fifo_lock held
 * @on: true to turn them on
 *
 * A doorbell needs a channel table, so none may be rung while PFIFO is in reset. While doorbells
 * are off, no process maps control pages or VRAM, and page faults wait. Turning doorbells on
 * submits the entries that were written in between.
 */
void nvfifo_fifo_doorbells(struct nvfifo_device *ndev, bool on)
{
	struct nvfifo_chan *chan;
	unsigned long id;

	lockdep_assert_held(&ndev->fifo_lock);

	if (ndev->fifo.down != on)
		return;

	WRITE_ONCE(ndev->fifo.down, !on);

	xa_for_each(&ndev->fifo.chans, id, chan)
		if (!chan->control && nvfifo_is_usable(ndev))
			doorbell_settle(chan, on);

	if (on)
		wake_up_all(&ndev->waiters);
	else
		nvfifo_mappings_drop(ndev);
}

/**
 * nvfifo_fifo_is_down() - Is PFIFO in reset?
 * @ndev: the device
 *
 * SUBMIT and page faults do not hold fifo_lock. nvfifo_fifo_doorbells() waits for those that have
 * not seen the change.
 *
 * Return: true if no doorbell may be rung.
 */
bool nvfifo_fifo_is_down(const struct nvfifo_device *ndev)
{
	return READ_ONCE(ndev->fifo.down);
}

/**
 * nvfifo_fifo_stop() - Stop PFIFO for a reset, and save the loaded channel in its RAMFC
 * @ndev: the device, with fifo_lock held
 *
 * Doorbells are off from then on.
 */
void nvfifo_fifo_stop(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan;

	nvfifo_fifo_doorbells(ndev, false);

	/* Handle a pending error: the reset would drop it, and its channel must be banned. */
	nvfifo_fifo_unblock(ndev);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	nvfifo_fifo_stop_pusher(ndev);
	nvfifo_fifo_stop_puller(ndev);

	/* Save a dead channel too, for its report. */
	chan = xa_load(&ndev->fifo.chans, loaded_id(ndev));
	if (chan)
		chan_save(chan);
}

/**
 * nvfifo_fifo_start() - Start a stopped or reset PFIFO with all running channels
 * @ndev: the device, with fifo_lock held
 *
 * Return: 0 with doorbells on, or -ETIMEDOUT, -EIO or -ENODEV.
 */
int nvfifo_fifo_start(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan;
	unsigned long id;
	int ret;

	nvfifo_fifo_hw_init(ndev);

	/* A channel that is being taken off needs its entry for its control page and its kick. */
	xa_for_each(&ndev->fifo.chans, id, chan)
		if (is_listed(chan))
			chan_table_write(chan, chan->phase == NVFIFO_CHAN_RUNNING && !chan->dead);

	/* The commit's BAR flush also covers the RAMFC that nvfifo_fifo_stop() wrote. */
	ret = playlist_commit(ndev, NULL);
	if (!ret)
		nvfifo_fifo_doorbells(ndev, true);

	return ret;
}

/**
 * nvfifo_fifo_stop_all() - Stop PFIFO and its engines for good, without saving channels
 * @ndev: the device, about to be removed, with fifo_lock held
 *
 * No channel is on the card afterwards, and their state is lost. A shutdown does not stop processes
 * on other CPUs, so doorbells are off and page faults wait during the reset.
 */
void nvfifo_fifo_stop_all(struct nvfifo_device *ndev)
{
	lockdep_assert_held(&ndev->fifo_lock);

	nvfifo_fifo_doorbells(ndev, false);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	nvfifo_fifo_stop_pusher(ndev);
	nvfifo_fifo_stop_puller(ndev);
	nvfifo_halt(ndev);
	nvfifo_fifo_reset_units(ndev);
	nvfifo_fifo_park_all(ndev);
	nvfifo_fifo_doorbells(ndev, true);
}

/**
 * nvfifo_fifo_park_all() - Note that a reset has taken all channels off the card
 * @ndev: the device, with fifo_lock held
 */
void nvfifo_fifo_park_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan;
	unsigned long id;

	xa_for_each(&ndev->fifo.chans, id, chan)
		if (is_listed(chan))
			nvfifo_chan_set_phase(chan, NVFIFO_CHAN_PARKED);
}

/**
 * nvfifo_fifo_reset_units() - Reset PFIFO and all engines, while no thread accesses the BARs
 * @ndev: the device, with fifo_lock held and PFIFO stopped
 */
void nvfifo_fifo_reset_units(struct nvfifo_device *ndev)
{
	guard(rwsem_write)(&ndev->mem.bars_lock);

	nvfifo_card_reset_units(ndev);
}

/*
 * Repeat a removal after a reset. The reset has unloaded the channel from PFIFO, but PGRAPH may
 * still hold it.
 */
static int chan_has_gone(struct nvfifo_device *ndev, void *data)
{
	const struct nvfifo_chan *chan = data;
	u32 desc = nvfifo_chan_desc(chan->inst.addr, NVFIFO_TARGET_VRAM);

	if (nvfifo_pgraph_is_used(ndev))
		nvfifo_gr_forget(ndev, desc);

	return 0;
}

/**
 * nvfifo_fifo_lock_chan() - Take the locks for taking a channel off the card
 * @chan: the channel
 *
 * The locks are fifo_lock, and engine_lock if engines may hold the channel. A kick may wait for a
 * job of another channel. It releases fifo_lock during that wait, but not engine_lock.
 */
void nvfifo_fifo_lock_chan(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;

	mutex_lock(&ndev->fifo_lock);

	/* A channel without engines gets none while fifo_lock is held. */
	if (!chan->engines)
		return;

	mutex_unlock(&ndev->fifo_lock);
	mutex_lock(&ndev->engine_lock);
	mutex_lock(&ndev->fifo_lock);
}

/* As nvfifo_fifo_lock_chan(), but a fatal signal ends the wait. Return: 0 or -EINTR. */
static int lock_chan_killable(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	int ret;

	mutex_lock(&ndev->fifo_lock);

	if (!chan->engines)
		return 0;

	mutex_unlock(&ndev->fifo_lock);
	ret = mutex_lock_killable(&ndev->engine_lock);
	if (ret)
		return ret;

	mutex_lock(&ndev->fifo_lock);

	return 0;
}

/**
 * nvfifo_fifo_unlock_chan() - Undo nvfifo_fifo_lock_chan()
 * @chan: the channel
 */
void nvfifo_fifo_unlock_chan(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	/* As at the lock: engines does not change while fifo_lock is held. */
	const bool engines = chan->engines;

	mutex_unlock(&ndev->fifo_lock);

	if (engines)
		mutex_unlock(&ndev->engine_lock);
}

/**
 * nvfifo_fifo_set_engine() - Note that an engine may hold a channel from now on
 * @chan: the channel
 * @engine: PFIFO's number
 *
 * Context: Process context. Takes fifo_lock.
 */
void nvfifo_fifo_set_engine(struct nvfifo_chan *chan, unsigned int engine)
{
	guard(mutex)(&chan->ndev->fifo_lock);

	chan->engines |= BIT(engine);
}

/*
 * As nvfifo_fifo_remove_chan(). Set @late if the channel's kick was longer than the limit of a job.
 */
static int chan_remove(struct nvfifo_chan *chan, bool *late)
{
	struct nvfifo_device *ndev = chan->ndev;
	u32 reg = NV_REG_AT(NV_PFIFO_CHAN_TABLE, chan->id);
	u32 engines = chan->engines;
	int ret;

	lockdep_assert_held(&ndev->fifo_lock);

	*late = false;

	if (chan->phase != NVFIFO_CHAN_RUNNING)
		return 0;

	nvfifo_chan_set_phase(chan, NVFIFO_CHAN_LEAVING);
	trace_nvfifo_channel_stop(chan);
	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	nvfifo_wr32(ndev, reg, chan->table);
	ret = nvfifo_playlist_update(ndev);
	if (ret)
		return ret;

	/*
	 * First PFIFO, as in pscnv: PFIFO keeps a channel with an error until the error is handled.
	 * So an error during the kick belongs to the channel in PUSH1.
	 */
	ret = leave_cache(chan);

	/* A kick is for engines: no driver kicks a channel without objects of an engine. */
	if (!ret && engines)
		ret = nvfifo_fifo_kick(ndev, nvfifo_chan_desc(chan->inst.addr, NVFIFO_TARGET_VRAM),
				       engines, late);
	if (ret == -ETIMEDOUT)
		ret = nvfifo_recover(ndev, "kick", chan_has_gone, chan);
	if (ret)
		return ret;

	nvfifo_wr32(ndev, reg, 0);
	nvfifo_chan_set_phase(chan, NVFIFO_CHAN_PARKED);

	return 0;
}

/**
 * nvfifo_fifo_remove_chan() - Take a channel off the card
 * @chan: the channel, with the locks of nvfifo_fifo_lock_chan() held
 *
 * If the card does not unload the channel, PFIFO is reset. Other channels keep their state.
 *
 * Return: 0, or -EIO or -ENODEV.
 */
int nvfifo_fifo_remove_chan(struct nvfifo_chan *chan)
{
	bool late;

	return chan_remove(chan, &late);
}

/**
 * nvfifo_fifo_retire() - Begin to take all channels off the card, or end it
 * @ndev: the device, about to sleep, with engine_lock and fifo_lock held
 * @on: begin
 *
 * The playlist is empty from then on, and the loaded channel is off the card. So no channel gives
 * work to PGRAPH any more. Otherwise a channel could begin a long method after each kick, and the
 * kick of that channel would wait for it.
 *
 * Return: 0, or -EIO or -ENODEV.
 */
int nvfifo_fifo_retire(struct nvfifo_device *ndev, bool on)
{
	struct nvfifo_chan *chan;
	int ret;

	lockdep_assert_held(&ndev->fifo_lock);

	ndev->fifo.retiring = on;
	if (!on)
		return 0;

	ret = nvfifo_playlist_update(ndev);
	if (ret)
		return ret;

	chan = xa_load(&ndev->fifo.chans, loaded_id(ndev));
	if (!chan)
		return 0;

	return nvfifo_fifo_remove_chan(chan);
}

/**
 * nvfifo_fifo_pause_chan() - Take a channel off the card temporarily
 * @chan: the channel
 *
 * Afterwards PFIFO and the engines have saved the channel, and do not read its structure. Takes the
 * locks of nvfifo_fifo_lock_chan(), which nvfifo_fifo_unpause_chan() releases. If the channel held
 * PGRAPH for too long and only a reset ended the kick, it is killed.
 *
 * Return: 0, or -EINTR, -EIO or -ENODEV with nothing to undo.
 */
int nvfifo_fifo_pause_chan(struct nvfifo_chan *chan)
{
	const struct drm_nvfifo_channel_query error = { .error = DRM_NVFIFO_ERROR_TIMEOUT };
	bool late;
	int ret;

	ret = lock_chan_killable(chan);
	if (ret)
		return ret;

	ret = chan_remove(chan, &late);
	if (ret) {
		nvfifo_fifo_unlock_chan(chan);
		return ret;
	}

	if (late)
		nvfifo_chan_kill(chan, &error);

	return 0;
}

/**
 * nvfifo_fifo_unpause_chan() - Resume a channel after nvfifo_fifo_pause_chan()
 * @chan: the channel, which stays off the card if it is killed or dead
 *
 * Return: 0, -ECANCELED if the channel is dead, -EIO or -ENODEV.
 */
int nvfifo_fifo_unpause_chan(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	int ret;

	ret = nvfifo_run_procedure_locked(ndev, "BAR flush", nvfifo_bar_flush_once, NULL);
	if (!ret && nvfifo_chan_is_dead(chan)) {
		ret = -ECANCELED;
	} else if (!ret) {
		nvfifo_fifo_add_chan(chan);
		ret = nvfifo_playlist_update(ndev);
	}

	nvfifo_fifo_unlock_chan(chan);

	return ret;
}

/* --- The ring ------------------------------------------------------------ */

static void ring_write(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *entries, u32 count)
{
	const u32 mask = (1u << chan->order) - 1;
	u32 put = chan->put, i;
	__le64 *ring = chan->mem;

	for (i = 0; i < count; i++) {
		ring[put] = nvfifo_ring_entry(&entries[i]);
		put = (put + 1) & mask;
	}

	chan->put = put;
}

/* Each ring slot has its own segment, which is free when the slot is free. */
static void ring_write_fence(struct nvfifo_chan *chan, u32 word)
{
	const struct nvfifo_fifo_state *fifo = &chan->ndev->fifo;
	const u32 offset = nvfifo_fence_seg_offset(chan->order, chan->put);
	const struct drm_nvfifo_entry entry = {
		.address = chan->mem_va.start + offset,
		.words = fifo->fence_words,
		.flags = DRM_NVFIFO_ENTRY_NOT_MAIN,
	};
	__le32 *seg = chan->mem + offset;

	memcpy(seg, fifo->fence_commands, NVFIFO_FENCE_SEG_BYTES);
	seg[NVFIFO_FENCE_SEG_VALUE] = cpu_to_le32(word);

	ring_write(chan, &entry, 1);
}

/**
 * nvfifo_ring_submit() - Write the entries of a job and of its fence, and ring the doorbell
 * @chan: the channel, with its fence_lock held; the ring has room
 * @entries: valid entries; in DMA mode the address of one is the new PUT
 * @count: number of entries
 * @seqno: seqno of the job's fence
 * @word: the word that the fence's commands release; in DMA mode the client's commands release it
 *
 * nvfifo_chan_ban() marks the channel dead under fence_lock, and no doorbell is rung afterwards.
 */
void nvfifo_ring_submit(struct nvfifo_chan *chan, const struct drm_nvfifo_entry *entries,
			u32 count, u64 seqno, u32 word)
{
	lockdep_assert_held(&chan->fence_lock);

	if (chan->ib) {
		ring_write(chan, entries, count);
		ring_write_fence(chan, word);
	} else {
		chan->put = entries[0].address;
	}

	/* The card must see the ring, its segments and user space's data before the doorbell. */
	wmb();

	if (!nvfifo_fifo_is_down(chan->ndev))
		nvfifo_wr32(chan->ndev, doorbell(chan), chan->put);

	trace_nvfifo_submit(chan, seqno, count);
}
