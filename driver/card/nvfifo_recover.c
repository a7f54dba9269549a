// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Recovery
 *
 * The driver repeats a procedure of the card that times out after a reset, and then after a larger
 * one:
 *
 * 1. PFIFO is reset, and all channels start again from their RAMFC.
 * 2. PFIFO, PGRAPH and the other engines are reset together in PMC.ENABLE. All memory stays. A
 *    channel whose context is in PGRAPH is saved first, or ends if PGRAPH does not save it.
 *    Channels with objects of other engines end, because nothing saves those objects.
 * 3. The card is stuck, see enum nvfifo_phase.
 *
 * Two smaller steps are in other files. An error bans its channel. A PGRAPH that is busy for too
 * long is reset, and the channel that it works for is banned.
 *
 * fifo_lock is held from the first reset to the last try. Each try sleeps for at most
 * NVFIFO_TIMEOUT_US, and each reset is counted and timed.
 *
 * No doorbell is rung while PFIFO is in reset, and no thread accesses BAR1 or BAR3, which need
 * PFIFO. Page faults in control pages and in VRAM wait. The driver rings the doorbells of all
 * channels after they are restored.
 *
 * Resets
 *
 * The resets of nvfifo_recover(): PFIFO alone, or PFIFO with all engines.
 */
#include <linux/ktime.h>

#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "fifo/nvfifo_sched.h"
#include "gr/nvfifo_gr.h"
#include "card/nvfifo_hw.h"
#include "nvfifo_pusher.h"
#include "card/nvfifo_card.h"
#include "mem/nvfifo_bo.h"

static const char * const reset_names[NVFIFO_RESET_COUNT] = {
	[NVFIFO_RESET_PFIFO] = "reset of PFIFO",
	[NVFIFO_RESET_UNITS] = "reset of all units",
};

/* --- Resets -------------------------------------------------------------- */

/* Reset PFIFO alone. The loaded channel is saved by hand, the others are in their RAMFC. */
static int restart_fifo(struct nvfifo_device *ndev)
{
	nvfifo_fifo_stop(ndev);

	return nvfifo_fifo_start(ndev);
}

/* Kill channels with objects of engines that lose their state in a reset. */
static void kill_users(struct nvfifo_device *ndev, u32 engines)
{
	struct nvfifo_chan *chan;
	unsigned long id;

	nvfifo_for_each_chan(ndev, id, chan) {
		struct drm_nvfifo_channel_query e = { .error = DRM_NVFIFO_ERROR_TIMEOUT };

		if (chan->phase != NVFIFO_CHAN_RUNNING || !(chan->engines & engines))
			continue;

		nvfifo_fifo_position(chan, &e);
		nvfifo_chan_kill(chan, &e);
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
	kill_users(ndev, ndev->chip->engines & ~(u32)BIT(NVFIFO_ENGINE_PGRAPH));
	nvfifo_fifo_reset_units(ndev);

	if (nvfifo_pgraph_is_used(ndev))
		nvfifo_gr_init(ndev);

	return nvfifo_fifo_start(ndev);
}

/* Reset the units once, and continue the channels at their positions. */
static int do_reset(struct nvfifo_device *ndev, enum nvfifo_reset reset)
{
	if (reset == NVFIFO_RESET_PFIFO)
		return restart_fifo(ndev);

	return restart_units(ndev);
}

/*
 * Turn doorbells on after the resets, whatever their outcome. A page fault between two resets may
 * have mapped a control page of a card that is stuck now: unmap them all.
 */
static void reset_done(struct nvfifo_device *ndev)
{
	if (!nvfifo_is_usable(ndev))
		nvfifo_mappings_drop(ndev);

	nvfifo_fifo_doorbells(ndev, true);
}

/**
 * nvfifo_reset_park() - Take all channels off the card at once, without kicks
 * @ndev: the device, with fifo_lock held
 *
 * For a suspend of a card whose kicks do not end. The loaded channel is saved by hand. PGRAPH saves
 * its context, or the context's channel is killed. Doorbells stay off.
 */
void nvfifo_reset_park(struct nvfifo_device *ndev)
{
	leave_all(ndev);
	nvfifo_fifo_park_all(ndev);
}

/* --- Recovery ------------------------------------------------------------ */

/**
 * nvfifo_is_other_recovering() - Is another thread recovering the card?
 * @ndev: the device
 *
 * After one procedure has timed out, no other thread waits for the next until the resets are over.
 * So a card that hangs costs one wait, not one for each caller.
 *
 * Return: true if the caller must return -ETIMEDOUT instead of waiting.
 */
bool nvfifo_is_other_recovering(const struct nvfifo_device *ndev)
{
	return READ_ONCE(ndev->recover.overdue) && READ_ONCE(ndev->recover.thread) != current;
}

/**
 * nvfifo_is_overdue() - Has a procedure timed out that the card may still execute?
 * @ndev: the device
 *
 * Return: true if so; the same procedure must not begin a second time.
 */
bool nvfifo_is_overdue(const struct nvfifo_device *ndev)
{
	return READ_ONCE(ndev->recover.overdue);
}

/**
 * nvfifo_recover_count() - Get the number of recoveries so far
 * @ndev: the device, with fifo_lock held
 *
 * Return: a number that changes when nvfifo_recover() ends.
 */
unsigned int nvfifo_recover_count(const struct nvfifo_device *ndev)
{
	lockdep_assert_held(&ndev->fifo_lock);

	return ndev->recover.count;
}

struct work_wait {
	bool (*done)(struct nvfifo_device *ndev, void *data);
	void *data;
	bool is_done;
};

static bool work_wait_over(struct nvfifo_device *ndev, void *data)
{
	struct work_wait *wait = data;

	wait->is_done = wait->done(ndev, wait->data);

	return wait->is_done || nvfifo_check_ending(ndev);
}

static bool shared_wait_over(struct nvfifo_device *ndev, void *data)
{
	guard(mutex)(&ndev->fifo_lock);

	return work_wait_over(ndev, data);
}

/**
 * nvfifo_poll_work() - Sleep until a condition holds that depends on clients' work
 * @ndev: the device, with fifo_lock held, which is released between two polls
 * @timeout_us: the time, microseconds
 * @done: returns true if the condition holds; called with fifo_lock held
 * @data: for @done
 *
 * The wait may take as long as a job. The caller holds engine_lock, which keeps other such
 * procedures from beginning. In a reset, in a freeze, and in a suspend, fifo_lock stays held. The
 * removal of the card ends the wait at once.
 *
 * Context: Process context, sleeps.
 *
 * Return: 0 or -ETIMEDOUT.
 */
int nvfifo_poll_work(struct nvfifo_device *ndev, u32 timeout_us,
		     bool (*done)(struct nvfifo_device *ndev, void *data), void *data)
{
	struct work_wait wait = { .done = done, .data = data };

	lockdep_assert_held(&ndev->fifo_lock);

	/* The condition usually holds at once. */
	if (done(ndev, data))
		return 0;

	if (ndev->recover.thread || ndev->fifo.frozen ||
	    nvfifo_phase(ndev) == NVFIFO_SUSPENDING) {
		nvfifo_poll(ndev, timeout_us, work_wait_over, &wait);
	} else {
		mutex_unlock(&ndev->fifo_lock);
		nvfifo_poll(ndev, timeout_us, shared_wait_over, &wait);
		mutex_lock(&ndev->fifo_lock);
	}

	return wait.is_done ? 0 : -ETIMEDOUT;
}

/* Reset, and repeat the procedure. Return: as the procedure. */
static int try_reset(struct nvfifo_device *ndev, enum nvfifo_reset reset, const char *name,
		     nvfifo_procedure again, void *data)
{
	struct nvfifo_reset_count *count = &ndev->recover.resets[reset];
	ktime_t start = ktime_get();
	int ret;

	drm_err(&ndev->drm, "%s: %s\n", name, reset_names[reset]);
	ret = do_reset(ndev, reset);
	if (!ret)
		ret = again(ndev, data);

	count->taken++;

	if (!ret)
		count->helped++;

	count->longest_us = max(count->longest_us, ktime_us_delta(ktime_get(), start));

	return ret;
}

/**
 * nvfifo_recover() - Repeat a procedure after resets until it ends
 * @ndev: the device, with fifo_lock held
 * @name: of the procedure
 * @again: the procedure, which has timed out once
 * @data: for @again
 *
 * Context: Process context. Sleeps for at most 2 * NVFIFO_TIMEOUT_US and the time of the resets.
 *
 * Return: 0, -EIO if the card is stuck, or -ENODEV. -ETIMEDOUT if the caller is itself a part of a
 * reset.
 */
int nvfifo_recover(struct nvfifo_device *ndev, const char *name, nvfifo_procedure again,
		   void *data)
{
	enum nvfifo_reset reset;
	int ret = -ETIMEDOUT;

	lockdep_assert_held(&ndev->fifo_lock);

	if (ndev->recover.thread)
		return ret;

	WRITE_ONCE(ndev->recover.thread, current);
	WRITE_ONCE(ndev->recover.overdue, true);

	for (reset = 0; reset < NVFIFO_RESET_COUNT && ret == -ETIMEDOUT; reset++) {
		if (nvfifo_phase(ndev) == NVFIFO_STARTING)
			break;

		if (nvfifo_check_lost(ndev))
			ret = -ENODEV;
		else
			ret = try_reset(ndev, reset, name, again, data);
	}

	/* Mark the card before doorbells are turned on: a stuck card must not get any. */
	if (ret == -ETIMEDOUT) {
		nvfifo_wedge(ndev, NVFIFO_STUCK);
		ret = nvfifo_check_wedged(ndev);
	}

	reset_done(ndev);
	WRITE_ONCE(ndev->recover.count, ndev->recover.count + 1);
	WRITE_ONCE(ndev->recover.overdue, false);
	WRITE_ONCE(ndev->recover.thread, NULL);

	return ret;
}

/**
 * nvfifo_run_procedure_locked() - Run a procedure of the card, with all resets that it needs
 * @ndev: the device, with fifo_lock held
 * @name: of the procedure
 * @run: the procedure
 * @data: for @run
 *
 * Return: as nvfifo_recover().
 */
int nvfifo_run_procedure_locked(struct nvfifo_device *ndev, const char *name,
				nvfifo_procedure run, void *data)
{
	int ret;

	lockdep_assert_held(&ndev->fifo_lock);

	ret = run(ndev, data);
	if (ret != -ETIMEDOUT)
		return ret;

	return nvfifo_recover(ndev, name, run, data);
}

/**
 * nvfifo_run_procedure() - Run a procedure of the card, with all resets that it needs
 * @ndev: the device
 * @name: of the procedure
 * @run: the procedure
 * @data: for @run
 *
 * fifo_lock is taken when the procedure has timed out, not before.
 *
 * Return: 0, -EIO or -ENODEV.
 */
int nvfifo_run_procedure(struct nvfifo_device *ndev, const char *name, nvfifo_procedure run,
			 void *data)
{
	/* Without the lock: a recovery that has just ended is noticed below, or was before @run. */
	unsigned int count = READ_ONCE(ndev->recover.count);
	int ret;

	might_lock(&ndev->fifo_lock);

	ret = run(ndev, data);
	if (ret != -ETIMEDOUT)
		return ret;

	WRITE_ONCE(ndev->recover.overdue, true);
	guard(mutex)(&ndev->fifo_lock);

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	if (ndev->recover.count == count)
		return nvfifo_recover(ndev, name, run, data);

	/* Another thread has reset the card since the time-out. */
	WRITE_ONCE(ndev->recover.overdue, false);

	return nvfifo_run_procedure_locked(ndev, name, run, data);
}

/**
 * nvfifo_recover_print() - Print the number and time of each reset
 * @ndev: the device
 * @p: the printer
 *
 * Without fifo_lock, which a recovery holds for seconds: the numbers show how far it is.
 */
void nvfifo_recover_print(struct nvfifo_device *ndev, struct drm_printer *p)
{
	const struct nvfifo_reset_count *count;
	enum nvfifo_reset reset;

	drm_printf(p, "channels ended by errors: %lld\n", atomic64_read(&ndev->counters.errors));
	drm_printf(p, "repeated look-ups in RAMHT: %lld\n", atomic64_read(&ndev->counters.lookups));
	drm_printf(p, "resets of PGRAPH: %d\n", atomic_read(&ndev->counters.gr_resets));

	for (reset = 0; reset < NVFIFO_RESET_COUNT; reset++) {
		count = &ndev->recover.resets[reset];
		drm_printf(p, "%s: %u, %u of them helped, longest %lld us\n", reset_names[reset],
			   READ_ONCE(count->taken), READ_ONCE(count->helped),
			   READ_ONCE(count->longest_us));
	}

	drm_printf(p, "waits that timed out: %d\n", atomic_read(&ndev->counters.timeouts));
	drm_printf(p, "card: %s\n", nvfifo_wedged_name(ndev));
}
