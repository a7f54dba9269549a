// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Resets
 *
 * The resets of nvfifo_recover(): PFIFO alone, or PFIFO with all engines. Both are callbacks of
 * the ladder, which is on the ground floor.
 */
#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_fence.h"
#include "nvfifo_gr.h"
#include "nvfifo_hw.h"
#include "nvfifo_pusher.h"
#include "nvfifo_recover.h"
#include "nvfifo_reset.h"
#include "nvfifo_userd.h"

/* Reset PFIFO alone. The loaded channel is saved by hand, the others are in their RAMFC. */
static int restart_fifo(struct nvfifo_device *ndev)
{
	nvfifo_fifo_stop(ndev);

	return nvfifo_fifo_start(ndev);
}

/* Condemn channels with objects of engines that lose their state in a reset. */
static void condemn_users(struct nvfifo_device *ndev, u32 engines)
{
	struct nvfifo_chan *chan;
	unsigned long id;

	nvfifo_for_each_chan(ndev, id, chan) {
		struct nvfifo_chan_error e = { .error = DRM_NVFIFO_ERROR_TIMEOUT };

		if (chan->phase != NVFIFO_CHAN_RUNNING || !(READ_ONCE(chan->engines) & engines))
			continue;

		nvfifo_fifo_position(chan, &e);
		nvfifo_chan_condemn(chan, &e);
	}
}

/*
 * Stop PFIFO and let PGRAPH save its context. Handle an error of PGRAPH first: the reset would drop
 * it, and its channel must be banned. PGRAPH saves no context before the error is handled.
 */
static void leave_all(struct nvfifo_device *ndev)
{
	nvfifo_gr_unblock(ndev);
	nvfifo_fifo_stop(ndev);
	nvfifo_gr_leave(ndev);
}

/* Reset PFIFO and all engines, but not the memory controller. All memory stays. */
static int restart_units(struct nvfifo_device *ndev)
{
	leave_all(ndev);
	condemn_users(ndev, ndev->chip->engines & ~(u32)BIT(NVFIFO_ENGINE_PGRAPH));
	nvfifo_fifo_reset_units(ndev);

	if (nvfifo_pgraph_is_used(ndev))
		nvfifo_gr_init(ndev);

	return nvfifo_fifo_start(ndev);
}

/**
 * nvfifo_reset_rung() - Make one reset of the ladder, and continue the channels at their positions
 * @ndev: the device, with fifo_lock held
 * @rung: the reset
 *
 * Callback of nvfifo_recover().
 *
 * Return: 0, -ETIMEDOUT, -EIO or -ENODEV.
 */
int nvfifo_reset_rung(struct nvfifo_device *ndev, enum nvfifo_rung rung)
{
	if (rung == NVFIFO_RUNG_PFIFO)
		return restart_fifo(ndev);

	return restart_units(ndev);
}

/* Unmap control pages: a page fault between two rungs may have mapped one again. */
static void hide_control_pages(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan;
	unsigned long id;

	nvfifo_for_each_chan(ndev, id, chan)
		if (chan->control)
			nvfifo_userd_hide(chan);
}

/**
 * nvfifo_reset_done() - Turn doorbells on after the ladder, whatever its outcome
 * @ndev: the device, with fifo_lock held
 *
 * Unmaps the control pages of a stuck card, so that page faults insert dummy pages. Callback of
 * nvfifo_recover().
 */
void nvfifo_reset_done(struct nvfifo_device *ndev)
{
	if (!nvfifo_is_usable(ndev))
		hide_control_pages(ndev);

	nvfifo_fifo_doorbells(ndev, true);
}

/**
 * nvfifo_reset_park() - Take all channels off the card at once, without kicks
 * @ndev: the device, with fifo_lock held
 *
 * For a suspend of a card whose kicks do not end. The loaded channel is saved by hand. PGRAPH saves
 * its context, or the context's channel is condemned. Doorbells stay off.
 */
void nvfifo_reset_park(struct nvfifo_device *ndev)
{
	leave_all(ndev);
	nvfifo_fifo_park_all(ndev);
}
