// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Channels
 *
 * The life of a channel: CHANNEL_CREATE allocates its structure in instance memory and its ring,
 * and puts it on the card. An error, a time-out or CHANNEL_DESTROY takes it off again, and its
 * fences signal. It is freed when the file, the last job and the interrupt handler have dropped
 * their references.
 *
 * fifo_lock guards the phase of a channel (enum nvfifo_chan_phase)::
 *
 *	CHANNEL_CREATE
 *	      |            resume
 *	      v          ---------->
 *	   PARKED                     RUNNING
 *	    |  ^         <----------     |
 *	    |  |            reset        | its entry is disabled
 *	    |  |                         v
 *	    |  +--------------------- LEAVING
 *	    |     it is off the card     |
 *	    |                            | the card is lost or stuck
 *	    +--------> OFF <-------------+
 *	      ban
 *
 * A channel is *killed* when it has caused an error: nvfifo_chan.dead is the errno of its
 * fences. No doorbell is rung any more, and a work item bans the channel. It is *banned* when it is
 * off the card for good, in phase OFF.
 */
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include <drm/drm_utils.h>

#include "card/nvfifo_hw.h"
#include "debug/nvfifo_dump.h"
#include "fifo/nvfifo_chan.h"
#include "mem/nvfifo_bo.h"
#include "card/nvfifo_compat.h"
#include "nvfifo_drv.h"
#include "nvfifo_error.h"
#include "fifo/nvfifo_sched.h"
#include "card/nvfifo_card.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "debug/nvfifo_trace.h"
#include "nvfifo_vm.h"

/* Longest time for which an exiting process waits for the removal of its channels from the card */
#define EXIT_WAIT	HZ

/* --- Channels by number ---------------------------------------------------- */

/**
 * nvfifo_chid_alloc() - Allocate a number for a channel
 * @chan: the channel, whose id is set; it stays 0 after an error
 *
 * Lookups find the channel after nvfifo_chid_publish().
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int nvfifo_chid_alloc(struct nvfifo_chan *chan)
{
	u32 id;
	int ret = xa_alloc(&chan->ndev->fifo.chans, &id, NULL,
			   XA_LIMIT(NVFIFO_CHAN_MIN, NVFIFO_CHAN_MAX), GFP_KERNEL);

	if (ret == -EBUSY)
		return -ENOSPC;

	/* Without memory xa_alloc() sets a number that another channel may take. */
	if (ret)
		return ret;

	chan->id = id;

	return 0;
}

/**
 * nvfifo_chid_publish() - Let look-ups find a channel
 * @chan: the channel, with fifo_lock held
 */
void nvfifo_chid_publish(struct nvfifo_chan *chan)
{
	lockdep_assert_held(&chan->ndev->fifo_lock);

	/* nvfifo_chid_alloc() has reserved the entry, so this cannot fail. */
	xa_store(&chan->ndev->fifo.chans, chan->id, chan, GFP_KERNEL);
}

/**
 * nvfifo_chid_free() - Free a channel's number
 * @chan: the channel, without references; it may have no number
 *
 * Context: Takes fifo_lock.
 */
void nvfifo_chid_free(struct nvfifo_chan *chan)
{
	guard(mutex)(&chan->ndev->fifo_lock);

	xa_erase(&chan->ndev->fifo.chans, chan->id);
}

static void chan_release(struct kref *ref)
{
	struct nvfifo_chan *chan = container_of(ref, struct nvfifo_chan, ref);

	queue_work(nvfifo_wait_wq, &chan->work);
}

/**
 * nvfifo_chan_put() - Drop a reference
 * @chan: the channel, or NULL
 *
 * Context: Any. After the last reference a work item frees the channel.
 */
void nvfifo_chan_put(struct nvfifo_chan *chan)
{
	if (chan)
		kref_put(&chan->ref, chan_release);
}

/**
 * nvfifo_chan_lookup() - Find the channel that a call names
 * @ndev: the device
 * @file: the caller's file
 * @id: the file's number of the channel
 * @argument: name of the argument, for a message at debug level
 *
 * Return: the channel with a reference, or NULL if the file has none of that number.
 */
struct nvfifo_chan *nvfifo_chan_lookup(struct nvfifo_device *ndev, struct drm_file *file, u32 id,
				       const char *argument)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_chan *chan;

	/* The file drops its reference after it has erased the channel under this lock. */
	xa_lock(&nfile->chans);
	chan = xa_load(&nfile->chans, id);
	if (chan)
		kref_get(&chan->ref);
	xa_unlock(&nfile->chans);

	if (!chan)
		drm_dbg(&ndev->drm, "%s %u is unknown\n", argument, id);

	return chan;
}

/**
 * nvfifo_chan_get() - Find the channel with one of PFIFO's numbers
 * @ndev: the device
 * @id: the number, below NVFIFO_CHANNELS
 *
 * Context: Any, including the hard interrupt handler.
 *
 * Return: the channel with a reference, or NULL if no channel has the number.
 */
struct nvfifo_chan *nvfifo_chan_get(struct nvfifo_device *ndev, u32 id)
{
	struct nvfifo_chan *chan;

	/* A channel's memory is freed after a grace period. */
	guard(rcu)();

	chan = xa_load(&ndev->fifo.chans, id);
	if (chan && !kref_get_unless_zero(&chan->ref))
		return NULL;

	return chan;
}

/**
 * nvfifo_chan_next() - Walk over all channels of a card
 * @ndev: the device
 * @chan: the channel to go on from, whose reference is dropped, or NULL
 *
 * Return: the next channel with a reference, NULL after the last one.
 */
struct nvfifo_chan *nvfifo_chan_next(struct nvfifo_device *ndev, struct nvfifo_chan *chan)
{
	unsigned long id = chan ? chan->id : 0;

	nvfifo_chan_put(chan);
	xa_lock(&ndev->fifo.chans);

	do
		chan = xa_find_after(&ndev->fifo.chans, &id, NVFIFO_CHAN_MAX, XA_PRESENT);
	while (chan && !kref_get_unless_zero(&chan->ref));
	xa_unlock(&ndev->fifo.chans);

	return chan;
}

static bool is_attached(struct nvfifo_chan *chan)
{
	/* A work item may free the ring. */
	return READ_ONCE(chan->mem) || !kref_read(&chan->ref);
}

static bool is_leaving(struct nvfifo_chan *chan)
{
	return !kref_read(&chan->ref) || !completion_done(&chan->ended);
}

/*
 * Is there a channel that @matches, or one with a number that was never published? The latter is a
 * channel whose creation has failed, and that a work item will free.
 */
static bool any_channel(struct nvfifo_device *ndev, bool (*matches)(struct nvfifo_chan *chan))
{
	XA_STATE(xas, &ndev->fifo.chans, 0);
	bool found = false;
	void *entry;

	xa_lock(&ndev->fifo.chans);
	/* Unlike xa_for_each(), this also visits numbers without a published channel. */
	xas_for_each(&xas, entry, NVFIFO_CHAN_MAX)
		found |= xa_is_zero(entry) || matches(entry);

	xa_unlock(&ndev->fifo.chans);

	return found;
}

/**
 * nvfifo_chid_any_attached() - Is there a channel with a ring, or one that is being freed?
 * @ndev: the device, on which no call creates channels any more
 *
 * Return: true if there is one.
 */
bool nvfifo_chid_any_attached(struct nvfifo_device *ndev)
{
	return any_channel(ndev, is_attached);
}

/**
 * nvfifo_chid_any_leaving() - Will a work item end or free a channel?
 * @ndev: the device, on which no call creates channels any more
 *
 * Return: true if there is one.
 */
bool nvfifo_chid_any_leaving(struct nvfifo_device *ndev)
{
	return any_channel(ndev, is_leaving);
}

/**
 * nvfifo_chid_is_first_of_vm() - Is a channel the first one of its address space?
 * @chan: the channel
 *
 * Return: true if no channel of the address space has a lower number.
 */
bool nvfifo_chid_is_first_of_vm(struct nvfifo_chan *chan)
{
	struct nvfifo_chan *other;
	unsigned long id;

	xa_lock(&chan->ndev->fifo.chans);
	xa_for_each(&chan->ndev->fifo.chans, id, other)
		if (other->vm == chan->vm)
			break;

	xa_unlock(&chan->ndev->fifo.chans);

	return other == chan;
}

/* --- Phases -------------------------------------------------------------- */

/**
 * nvfifo_chan_may_become() - Is a change of a channel's phase allowed?
 * @from: its phase
 * @to: another phase
 *
 * Return: true if it is.
 */
bool nvfifo_chan_may_become(enum nvfifo_chan_phase from, enum nvfifo_chan_phase to)
{
	switch (from) {
	case NVFIFO_CHAN_PARKED:
		return to == NVFIFO_CHAN_RUNNING || to == NVFIFO_CHAN_OFF;
	case NVFIFO_CHAN_RUNNING:
		return to == NVFIFO_CHAN_LEAVING || to == NVFIFO_CHAN_PARKED;
	case NVFIFO_CHAN_LEAVING:
		return to == NVFIFO_CHAN_PARKED || to == NVFIFO_CHAN_OFF;
	case NVFIFO_CHAN_OFF:
		break;
	}

	return false;
}

/**
 * nvfifo_chan_set_phase() - Change the phase of a channel
 * @chan: the channel, with fifo_lock held
 * @phase: its new phase
 */
void nvfifo_chan_set_phase(struct nvfifo_chan *chan, enum nvfifo_chan_phase phase)
{
	lockdep_assert_held(&chan->ndev->fifo_lock);
	WARN_ON_ONCE(!nvfifo_chan_may_become(chan->phase, phase));

	chan->phase = phase;
}

/**
 * nvfifo_chan_is_dead() - Has a channel ended, or been killed?
 * @chan: the channel
 *
 * Context: Any. Takes fence_lock.
 *
 * Return: the errno of its fences, 0 while it is alive.
 */
int nvfifo_chan_is_dead(struct nvfifo_chan *chan)
{
	guard(spinlock_irqsave)(&chan->fence_lock);

	return chan->dead;
}

/**
 * nvfifo_chan_kill() - Fail a channel's fences, and queue its ban
 * @chan: the channel, with fifo_lock held
 * @error: the error; a channel that is already dead keeps its first error
 *
 * A work item bans the channel, because the caller holds fifo_lock, which the ban takes. The
 * control page goes first, because the caller may disable the channel's entry in the channel table.
 * The owner must not ring a doorbell without one.
 */
void nvfifo_chan_kill(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_query *error)
{
	lockdep_assert_held(&chan->ndev->fifo_lock);

	if (chan->dead)
		return;

	chan->error = *error;
	nvfifo_dump_capture(chan);
	nvfifo_userd_revoke(chan);
	nvfifo_fences_fail(chan, -ECANCELED, false);
	nvfifo_ban_queue(chan->ndev);
}

/* --- Life of a channel ----------------------------------------------------- */

static int chan_start(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;

	guard(mutex)(&ndev->fifo_lock);

	nvfifo_chid_publish(chan);
	nvfifo_fifo_add_chan(chan);

	if (chan->user_queue)
		nvfifo_watch_start(ndev);

	return nvfifo_playlist_update(ndev);
}

/* Send the event of the channel's death, unless the owner destroyed the channel. */
static void event_send(struct nvfifo_chan *chan)
{
	struct nvfifo_event *event = chan->event;

	if (!event)
		return;

	nvfifo_event_fill(&event->event, &chan->error);

	if (chan->error.error)
		drm_send_event(&chan->ndev->drm, &event->base);
	else
		drm_event_cancel_free(&chan->ndev->drm, &event->base);
}

/* Reserve space for the event in the file, so that sending it cannot fail. */
static int event_reserve(struct nvfifo_chan *chan, struct drm_file *file,
			 const struct drm_nvfifo_channel_create *args)
{
	struct nvfifo_event *event __free(kfree) = kzalloc(sizeof(*event),
								 GFP_KERNEL_ACCOUNT);
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
 * Take a channel off the card for good, with the locks of nvfifo_fifo_lock_chan() held. Return:
 * false if the channel is off the card already.
 */
static bool chan_leave(struct nvfifo_chan *chan, int err, enum drm_nvfifo_channel_error error)
{
	struct nvfifo_device *ndev = chan->ndev;

	/* SUBMIT rings no doorbell of a dead channel. */
	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		nvfifo_fences_process_locked(chan);
		if (!chan->dead)
			chan->dead = err;
	}

	if (chan->phase == NVFIFO_CHAN_OFF)
		return false;

	if (error && !chan->error.error) {
		chan->error.error = error;
		nvfifo_dump_capture(chan);
	}

	if (chan->error.error)
		trace_nvfifo_channel_dead(chan);
	if (!chan->error.hw_id && chan->phase == NVFIFO_CHAN_RUNNING && nvfifo_is_usable(ndev))
		nvfifo_fifo_position(chan, &chan->error);

	/* After an error the card is lost or stuck, and off the bus. */
	nvfifo_fifo_remove_chan(chan);
	nvfifo_chan_set_phase(chan, NVFIFO_CHAN_OFF);

	return true;
}

/**
 * nvfifo_chan_ban() - End a channel, and take it off the card for good
 * @chan: the channel
 * @err: errno of its fences, including later ones
 * @error: the reason, NONE if its owner destroys it; a killed channel keeps its first error
 *
 * All other channels keep running. Signals the fences, queues the dump, sends the event.
 *
 * Context: Process context, sleeps. Takes engine_lock if engines may hold the channel, fifo_lock
 * and fence_lock.
 */
void nvfifo_chan_ban(struct nvfifo_chan *chan, int err, enum drm_nvfifo_channel_error error)
{
	bool left;

	nvfifo_userd_revoke(chan);
	nvfifo_fifo_lock_chan(chan);
	left = chan_leave(chan, err, error);
	nvfifo_fifo_unlock_chan(chan);

	if (!left)
		return;

	nvfifo_fences_fail(chan, chan->dead, true);
	nvfifo_dump_queue(chan);
	event_send(chan);
	wake_up_all(&chan->waiters);
	wake_up_all(&chan->ndev->waiters);
}

/**
 * nvfifo_chan_wake_all() - Wake all threads that wait for a channel, for the card's removal
 * @ndev: the device
 */
void nvfifo_chan_wake_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = NULL;

	while ((chan = nvfifo_chan_next(ndev, chan)))
		wake_up_all(&chan->waiters);
}

/**
 * nvfifo_chan_ban_all() - Ban the killed channels, or all channels
 * @ndev: the device
 * @err: errno for all channels of an unusable card; 0 for the killed ones only
 */
void nvfifo_chan_ban_all(struct nvfifo_device *ndev, int err)
{
	struct nvfifo_chan *chan = NULL;

	/*
	 * Unmap all control pages first: bans take time, and a client must not ring a doorbell of a
	 * wedged card.
	 */
	while (err && (chan = nvfifo_chan_next(ndev, chan)))
		nvfifo_userd_revoke(chan);

	while ((chan = nvfifo_chan_next(ndev, chan))) {
		/* A dead channel without an error has forged a fence. */
		if (err)
			nvfifo_chan_ban(chan, err, DRM_NVFIFO_ERROR_LOST);
		else if (nvfifo_chan_is_dead(chan))
			nvfifo_chan_ban(chan, -ECANCELED, DRM_NVFIFO_ERROR_FENCE);
	}
}

/**
 * nvfifo_chan_ban_work() - Ban the killed channels, or all channels of a wedged card
 * @work: nvfifo_device.hw.ban_work
 *
 * It fails all fences, because a wedged card will not signal them.
 */
void nvfifo_chan_ban_work(struct work_struct *work)
{
	struct nvfifo_device *ndev = container_of(work, struct nvfifo_device, hw.ban_work);

	nvfifo_chan_ban_all(ndev, nvfifo_check_wedged(ndev));
	if (nvfifo_check_wedged(ndev) == -ENODEV)
		nvfifo_mappings_drop(ndev);

	/* Send the event after all fences have signalled: user space may then rebind the driver. */
	if (!nvfifo_is_usable(ndev) && !ndev->chan.wedge_sent &&
	    !drm_dev_is_unplugged(&ndev->drm)) {
		ndev->chan.wedge_sent = true;
		nvfifo_wedged_event(&ndev->drm);
	}
}

/**
 * nvfifo_chan_stop_all() - Stop a card that is being removed, with all its channels at once
 * @ndev: the device, whose DRM device is unplugged
 *
 * A kick of each channel would wait for the work of each in turn.
 *
 * Context: Process context, sleeps. Takes engine_lock and fifo_lock.
 */
void nvfifo_chan_stop_all(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->engine_lock);
	guard(mutex)(&ndev->fifo_lock);

	if (nvfifo_is_usable(ndev) && nvfifo_card_answers(ndev))
		nvfifo_fifo_stop_all(ndev);
}

static void chan_mem_free(struct nvfifo_chan *chan)
{
	nvfifo_vm_unmap_kernel(chan->vm, &chan->mem_va);
	if (chan->mem)
		dma_free_coherent(&chan->ndev->pdev->dev, chan->mem_size, chan->mem, chan->mem_dma);

	chan->mem = NULL;
}

/**
 * nvfifo_chan_detach_all() - Free the rings of a card that is being removed
 * @ndev: the device, with all channels dead
 *
 * Channels of open files stay, without their memory. A work item that ends a channel for its owner
 * reads the fences in this memory, and queues a dump. This function waits for its end. Another work
 * item, which may not be queued yet, frees a channel without references and uses the device. So the
 * function waits until all such channels are freed.
 *
 * Context: Process context, sleeps.
 */
void nvfifo_chan_detach_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = NULL;

	/* The work queue is not flushed, because work items of other cards may wait in it. */
	wait_event(ndev->waiters, !nvfifo_chid_any_leaving(ndev));

	do {
		nvfifo_dump_flush(ndev);
		while ((chan = nvfifo_chan_next(ndev, chan)))
			chan_mem_free(chan);
	} while (!wait_event_timeout(ndev->waiters, !nvfifo_chid_any_attached(ndev), HZ / 10));
}

/* The last reference was dropped. Each job held one, so no job is left. */
static void chan_free(struct nvfifo_chan *chan)
{
	struct nvfifo_file *nfile = chan->nfile;
	struct nvfifo_device *ndev = chan->ndev;

	nvfifo_chan_sched_fini(chan);

	/* The TLB flush after the unmap also drops translations through the channel structure. */
	chan_mem_free(chan);

	nvfifo_mmu_detach(chan->vm, chan);
	nvfifo_inst_free(ndev, &chan->inst);
	nvfifo_chan_bos_free(chan);
	xa_destroy(&chan->software.objects);
	drm_gem_object_put(chan->gr_image);
	drm_gem_object_put(chan->control);
	nvfifo_vm_put(chan->vm);

	/* The card's removal waits for this call, so nothing after it may use the device. */
	nvfifo_chid_free(chan);
	mutex_destroy(&chan->submit_lock);
	mutex_destroy(&chan->lock);
	kvfree_rcu(chan, rcu);

	if (nfile) {
		atomic64_dec(&nfile->num_channels);
		atomic_dec(&nfile->zombies);
	}

	nvfifo_file_put(nfile);
	atomic_dec(&ndev->chan.zombies);
	wake_up_all(&ndev->waiters);
	nvfifo_live_put(ndev);
}

/**
 * nvfifo_chan_settle() - Wait for the end of dying channels, and the freeing of unused ones
 * @ndev: the device, before a suspend, with the ban work item disabled
 *
 * The work queue is not flushed, because work items of other cards may wait in it.
 *
 * Context: Process context, sleeps.
 */
void nvfifo_chan_settle(struct nvfifo_device *ndev)
{
	flush_work(&ndev->hw.ban_work);
	wait_event(ndev->waiters, !nvfifo_chid_any_leaving(ndev));
}

/**
 * nvfifo_chan_suspend_all() - Take all channels off the card
 * @ndev: the device
 *
 * Afterwards all their state is in instance memory. PFIFO stops switching channels first, so the
 * kicks wait for one method of PGRAPH in all. If the kick of one channel needs a reset, the other
 * channels are saved without kicks, and PFIFO stays off.
 *
 * Context: Process context, sleeps. Takes fifo_lock.
 *
 * Return: true if PFIFO can still run a channel.
 */
bool nvfifo_chan_suspend_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan;
	unsigned int recoveries;
	unsigned long id;
	int ret;

	guard(mutex)(&ndev->engine_lock);
	guard(mutex)(&ndev->fifo_lock);

	recoveries = nvfifo_recover_count(ndev);
	ret = nvfifo_fifo_retire(ndev, true);

	nvfifo_for_each_chan(ndev, id, chan) {
		if (ret || nvfifo_recover_count(ndev) != recoveries)
			break;

		ret = nvfifo_fifo_remove_chan(chan);
	}

	nvfifo_fifo_retire(ndev, false);

	if (nvfifo_is_usable(ndev) && nvfifo_recover_count(ndev) != recoveries) {
		nvfifo_reset_park(ndev);
		return false;
	}

	return !ret;
}

/**
 * nvfifo_chan_resume() - Let a channel run again, after nvfifo_chan_suspend_all()
 * @chan: the channel
 *
 * Context: Process context, sleeps. Takes fifo_lock.
 *
 * Return: 0, -EIO or -ENODEV; the errno of a dead channel.
 */
int nvfifo_chan_resume(struct nvfifo_chan *chan)
{
	guard(mutex)(&chan->ndev->fifo_lock);

	if (chan->dead)
		return chan->dead;

	nvfifo_fifo_add_chan(chan);

	return nvfifo_playlist_update(chan->ndev);
}

/**
 * nvfifo_chan_resume_all() - Let all channels run again
 * @ndev: the device, after its instance memory has been restored
 *
 * Context: Process context, sleeps. Takes fifo_lock.
 *
 * Return: 0, -EIO or -ENODEV.
 */
int nvfifo_chan_resume_all(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan;
	unsigned long id;
	int ret;

	guard(mutex)(&ndev->fifo_lock);

	nvfifo_fifo_hw_init(ndev);
	nvfifo_fifo_park_all(ndev);

	nvfifo_for_each_chan(ndev, id, chan) {
		if (chan->dead)
			continue;

		/* The watchdog must not count the time of the suspend. */
		scoped_guard(spinlock_irqsave, &chan->fence_lock)
			chan->progress = jiffies;

		nvfifo_fifo_add_chan(chan);
	}

	ret = nvfifo_playlist_update(ndev);
	if (!ret)
		nvfifo_fifo_doorbells(ndev, true);

	return ret;
}

static void chan_objects(struct nvfifo_chan *chan)
{
	u64 fence = chan->mem_va.start + chan->fence_page;
	struct nvfifo_dmaobj push = nvfifo_channel_push_object(chan->ib && !chan->user_queue);
	struct nvfifo_dmaobj page = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_RW, fence, fence + SZ_4K - 1);
	u32 first, offset;

	chan->ramht.ndev = chan->ndev;
	chan->ramht.inst = chan->inst.addr;

	/* The channel is new, so none of these calls can fail. */
	nvfifo_dmaobj_new(&chan->ramht, &push, &first);
	nvfifo_dmaobj_new(&chan->ramht, &page, &offset);
	nvfifo_ramht_insert(&chan->ramht, NVFIFO_HANDLE_FENCE, nvfifo_ramht_context(0, offset));

	/* A software object has no memory, but its context must not be 0. */
	nvfifo_ramht_insert(&chan->ramht, NVFIFO_HANDLE_SW, nvfifo_ramht_context(0, offset));
	nvfifo_ramht_set_vacant(&chan->ramht, NVFIFO_HANDLE_SW);
}

/* Allocate an id, a channel structure, and memory for ring and fences. */
static int chan_alloc(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	int ret;

	ret = nvfifo_chid_alloc(chan);
	if (!ret)
		ret = nvfifo_inst_alloc(ndev, &chan->inst, NVFIFO_CHAN_BYTES, SZ_4K);
	if (ret)
		return nvfifo_fail(ndev, ret,
				   "channel_create: no channel or instance memory is left");

	/* With a user queue the ring is in the client's memory. */
	if (chan->ib && !chan->user_queue)
		chan->fence_page = nvfifo_fence_page_offset(chan->order);

	chan->mem_size = chan->fence_page + SZ_4K;
	chan->mem = dma_alloc_coherent(&ndev->pdev->dev, chan->mem_size, &chan->mem_dma,
				       GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!chan->mem)
		return -ENOMEM;

	return nvfifo_vm_map_kernel(chan->vm, &chan->mem_va, chan->mem_dma, chan->mem_size,
				    chan->fence_page);
}

/* Write the channel structure: RAMFC, RAMHT, the first objects. */
static void chan_write(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_create *args)
{
	const struct nvfifo_ramfc fc = nvfifo_channel_ramfc(args, chan->ndev->chip->g84,
							    chan->inst.addr, chan->ring,
							    chan->order);

	nvfifo_chan_structure(chan->ndev, &fc);
	chan_objects(chan);
}

static int chan_build(struct nvfifo_chan *chan, struct drm_file *file,
		      struct drm_nvfifo_channel_create *args)
{
	struct nvfifo_device *ndev = chan->ndev;
	int ret;

	ret = chan_alloc(chan);
	if (ret)
		return ret;

	chan->ring = chan->user_queue ? args->start : chan->mem_va.start;
	chan_write(chan, args);
	chan->table = nvfifo_chan_table(ndev->chip->g84, chan->inst.addr, NVFIFO_TARGET_VRAM);

	/* The structure's memory may have been another channel's: flush the TLBs. */
	nvfifo_mmu_attach(chan->vm, chan);

	scoped_guard(mutex, &chan->vm->pt_lock)
		ret = nvfifo_mmu_flush(chan->vm);
	if (ret)
		return ret;

	if (chan->user_queue)
		ret = nvfifo_userd_init(chan, file, &args->control_offset);
	else
		ret = nvfifo_chan_sched_init(chan);
	if (ret)
		return ret;

	if (args->flags & DRM_NVFIFO_CHANNEL_EVENT) {
		ret = event_reserve(chan, file, args);
		if (ret)
			return ret;
	}

	ret = chan_start(chan);
	if (ret || !chan->user_queue)
		return ret;

	return nvfifo_userd_open(chan);
}

/* Take a channel off the card for its owner. Queued jobs end with an error. */
static void chan_end(struct nvfifo_chan *chan)
{
	nvfifo_chan_ban(chan, -ECANCELED, DRM_NVFIFO_ERROR_NONE);
	nvfifo_chan_sched_stop(chan);
}

static void count_zombie(struct nvfifo_chan *chan)
{
	atomic_inc(&chan->ndev->chan.zombies);

	if (chan->nfile)
		atomic_inc(&chan->nfile->zombies);
}

/**
 * nvfifo_chan_destroy() - Destroy a channel
 * @chan: the channel, whose reference is dropped
 *
 * The channel is off the card afterwards, and freed later.
 *
 * Context: Process context, sleeps. Takes engine_lock and fifo_lock.
 */
void nvfifo_chan_destroy(struct nvfifo_chan *chan)
{
	count_zombie(chan);
	chan_end(chan);
	nvfifo_chan_put(chan);
}

/* End a channel for its owner, whose reference it drops. Or free one without references. */
static void chan_work(struct work_struct *work)
{
	struct nvfifo_chan *chan = container_of(work, struct nvfifo_chan, work);

	if (!kref_read(&chan->ref)) {
		chan_free(chan);
		return;
	}

	chan_end(chan);
	complete_all(&chan->ended);
	wake_up_all(&chan->ndev->waiters);
	nvfifo_chan_put(chan);
}

/*
 * Destroy a channel for its owner, and drop the owner's reference. A work item does so, because the
 * kick may wait for other channels' work in PGRAPH. The control page is revoked before that: DRM
 * knows the file that may map the page by its address, and a closed file's may become another's.
 */
static void chan_destroy_begin(struct nvfifo_chan *chan)
{
	nvfifo_userd_revoke(chan);
	count_zombie(chan);
	reinit_completion(&chan->ended);
	queue_work(nvfifo_wait_wq, &chan->work);
}

/*
 * Wait until a channel that is being destroyed is off the card. A killed process does not wait. An
 * exiting one has a deadline for all its channels. A suspend may freeze the others here, so the
 * caller is outside of CLASS(nvfifo_enter).
 */
static void chan_destroy_wait(struct nvfifo_chan *chan, unsigned long until)
{
	if (!(current->flags & PF_EXITING))
		wait_for_completion_state(&chan->ended, TASK_KILLABLE | TASK_FREEZABLE);
	else if (time_before(jiffies, until))
		wait_for_completion_timeout(&chan->ended, until - jiffies);
}

/*
 * Wait until the destroyed channels of a file are freed. The scheduler's work item frees jobs, and
 * the channel is freed after the last of them. This takes microseconds, unless a queued job waits
 * for a fence. So this call ignores channels of other files.
 */
static void chan_reap(struct nvfifo_device *ndev, struct nvfifo_file *nfile)
{
	wait_event_timeout(ndev->waiters, !atomic_read(&nfile->zombies), HZ / 10);
}

/* Wait until the destroyed channels of all files are freed, because the card has no other ids. */
static void chan_reap_all(struct nvfifo_device *ndev)
{
	wait_event_timeout(ndev->waiters, !atomic_read(&ndev->chan.zombies), HZ / 10);
}

/**
 * nvfifo_chan_create() - Create a channel, and start it
 * @vm: its address space
 * @file: the file that gets its events and control page; NULL for the driver's own channel
 * @args: arguments of CHANNEL_CREATE, checked
 *
 * Return: the channel, or an error pointer as CHANNEL_CREATE.
 */
struct nvfifo_chan *nvfifo_chan_create(struct nvfifo_vm *vm, struct drm_file *file,
				       struct drm_nvfifo_channel_create *args)
{
	struct nvfifo_chan *chan = kvzalloc(sizeof(*chan), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!chan)
		return ERR_PTR(-ENOMEM);

	kref_init(&chan->ref);
	chan->ndev = vm->ndev;
	nvfifo_live_get(chan->ndev);
	kref_get(&vm->ref);
	chan->vm = vm;
	chan->order = args->ring_order;
	if (!chan->order)
		chan->order = NVFIFO_RING_ORDER_DEFAULT;

	chan->hang_limit_ms = args->hang_limit_ms;
	if (!chan->hang_limit_ms)
		chan->hang_limit_ms = nvfifo_hang_limit_max();

	chan->ib = !(args->flags & DRM_NVFIFO_CHANNEL_DMA_MODE);
	chan->user_queue = args->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE;
	mutex_init(&chan->lock);
	mutex_init(&chan->submit_lock);
	spin_lock_init(&chan->fence_lock);
	init_waitqueue_head(&chan->waiters);
	INIT_LIST_HEAD(&chan->vm_link);
	INIT_LIST_HEAD(&chan->jobs);
	INIT_LIST_HEAD(&chan->bos);
	xa_init_flags(&chan->software.objects, XA_FLAGS_ACCOUNT);
	chan->progress = jiffies;
	init_completion(&chan->ended);
	complete_all(&chan->ended);
	INIT_WORK(&chan->work, chan_work);
	ret = chan_build(chan, file, args);
	if (ret) {
		nvfifo_chan_destroy(chan);
		return ERR_PTR(ret);
	}

	return chan;
}

/**
 * nvfifo_chan_free_all() - Destroy all channels of a file that is closed
 * @ndev: the device
 * @nfile: the file
 *
 * Waits until the channels are off the card, in a process that exits for EXIT_WAIT at most. Waits
 * up to a tenth of a second until they are freed, so that the next file can create its own.
 */
void nvfifo_chan_free_all(struct nvfifo_device *ndev, struct nvfifo_file *nfile)
{
	const unsigned long until = jiffies + EXIT_WAIT;
	struct nvfifo_chan *chan;
	unsigned long id;

	xa_for_each(&nfile->chans, id, chan) {
		kref_get(&chan->ref);
		chan_destroy_begin(chan);
	}

	xa_for_each(&nfile->chans, id, chan) {
		chan_destroy_wait(chan, until);
		nvfifo_chan_put(chan);
	}

	xa_destroy(&nfile->chans);

	chan_reap(ndev, nfile);
}

/*
 * Count one channel of a file. A file at its limit waits for channels that were just destroyed.
 * Return: 0 or -ENOSPC.
 */
static int count_channel(struct nvfifo_device *ndev, struct nvfifo_file *nfile)
{
	int ret = nvfifo_file_count(ndev, &nfile->num_channels, 1, NVFIFO_FILE_CHANNELS,
				    "channels");

	if (!ret || !atomic_read(&nfile->zombies))
		return ret;

	chan_reap(ndev, nfile);

	return nvfifo_file_count(ndev, &nfile->num_channels, 1, NVFIFO_FILE_CHANNELS, "channels");
}

static int check_create(struct nvfifo_device *ndev, const struct drm_nvfifo_channel_create *args)
{
	const char *why = nvfifo_channel_rule(args, nvfifo_hang_limit_max());
	const bool user = args->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE;
	int ret = nvfifo_check_rule(ndev, "channel_create", why);

	if (ret || !user || NVFIFO_USER_QUEUE)
		return ret;

	return nvfifo_fail(ndev, -EOPNOTSUPP,
			   "channel_create.flags: control pages cannot be mapped here");
}

/**
 * nvfifo_ioctl_channel_create() - CHANNEL_CREATE
 * @drm: the card
 * @data: struct drm_nvfifo_channel_create
 * @file: whose channel it becomes
 *
 * Return: 0 or an errno that uapi/nvfifo_drm.h lists.
 */
int nvfifo_ioctl_channel_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_vm *vm __free(vm_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_channel_create *args = data;
	struct nvfifo_chan *chan;
	int ret;

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open)
		return -ENODEV;

	ret = check_create(ndev, args);
	if (ret)
		return ret;

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	if (args->timeslice > NVFIFO_TIMESLICE_DEFAULT && !capable(CAP_SYS_NICE))
		return nvfifo_fail(ndev, -EPERM,
				   "channel_create.timeslice is above the default without CAP_SYS_NICE");

	vm = nvfifo_vm_lookup(file, args->vm_id, "channel_create.vm_id");
	if (!vm)
		return -ENOENT;

	/* Reserve the id first. Look-ups return nothing until the channel is complete. */
	args->control_offset = 0;
	ret = count_channel(ndev, nfile);
	if (ret)
		return ret;

	ret = xa_alloc(&nfile->chans, &args->id, NULL, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		atomic64_dec(&nfile->num_channels);
		return ret;
	}

	chan = nvfifo_chan_create(vm, file, args);
	if (PTR_ERR_OR_ZERO(chan) == -ENOSPC) {
		/* Destroyed channels are freed asynchronously: wait for them and retry once. */
		nvfifo_clear_yield(ndev);
		chan_reap_all(ndev);
		chan = nvfifo_chan_create(vm, file, args);
	}

	if (IS_ERR(chan)) {
		xa_erase(&nfile->chans, args->id);
		atomic64_dec(&nfile->num_channels);
	} else {
		chan->nfile = nvfifo_file_get(nfile);
		xa_store(&nfile->chans, args->id, chan, GFP_KERNEL);
	}

	return PTR_ERR_OR_ZERO(chan);
}

/* Begin to destroy a channel. Return: the channel with a reference, or an error pointer. */
static struct nvfifo_chan *destroy_begin(struct nvfifo_device *ndev, struct nvfifo_file *nfile,
					 u32 id)
{
	struct nvfifo_chan *chan;

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open)
		return ERR_PTR(-ENODEV);

	/* A number without a channel is that of a CHANNEL_CREATE, which needs it. */
	xa_lock(&nfile->chans);
	chan = xa_load(&nfile->chans, id);
	if (chan)
		__xa_erase(&nfile->chans, id);
	xa_unlock(&nfile->chans);

	if (!chan)
		return ERR_PTR(nvfifo_fail(ndev, -ENOENT, "channel_destroy.id %u is unknown", id));

	kref_get(&chan->ref);
	chan_destroy_begin(chan);

	return chan;
}

/**
 * nvfifo_ioctl_channel_destroy() - CHANNEL_DESTROY
 * @drm: the card
 * @data: struct drm_nvfifo_channel_destroy
 * @file: whose channel it is
 *
 * Context: Outside of CLASS(nvfifo_enter), because it waits for work of the card.
 *
 * Return: 0, -EINVAL, -ENODEV or -ENOENT.
 */
int nvfifo_ioctl_channel_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_channel_destroy *args = data;
	struct nvfifo_chan *chan;

	if (args->pad)
		return nvfifo_einval(ndev, "channel_destroy.pad %#x is not 0", args->pad);

	chan = destroy_begin(ndev, nfile, args->id);
	if (IS_ERR(chan))
		return PTR_ERR(chan);

	chan_destroy_wait(chan, jiffies);
	nvfifo_chan_put(chan);
	chan_reap(ndev, nfile);

	return 0;
}

/**
 * nvfifo_ioctl_channel_query() - CHANNEL_QUERY
 * @drm: the card
 * @data: struct drm_nvfifo_channel_query
 * @file: whose channel it is
 *
 * Return: 0, -EINVAL, -ENOENT or -ENODEV.
 */
int nvfifo_ioctl_channel_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_channel_query *args = data;
	u32 id = args->id;

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open)
		return -ENODEV;

	if (args->pad)
		return nvfifo_einval(ndev, "channel_query.pad %#x is not 0", args->pad);

	if (nvfifo_check_wedged(ndev) == -ENODEV)
		return -ENODEV;

	chan = nvfifo_chan_lookup(ndev, file, id, "channel_query.id");
	if (!chan)
		return -ENOENT;

	scoped_guard(mutex, &ndev->fifo_lock) {
		*args = chan->error;
		args->state = DRM_NVFIFO_CHANNEL_DEAD;

		if (!chan->dead) {
			args->state = DRM_NVFIFO_CHANNEL_ALIVE;
			nvfifo_fifo_position(chan, args);
		}
	}

	args->id = id;
	args->hw_id = chan->id;
	args->ring_order = chan->order;

	/* The card may have released a fence whose interrupt is still pending. */
	nvfifo_fences_process(chan);

	scoped_guard(spinlock_irqsave, &chan->fence_lock) {
		args->submitted = chan->submitted;
		args->completed = chan->completed;
	}

	return 0;
}

/* --- CHANNEL_WAIT -------------------------------------------------------- */

/* Time to poll before a sleep, which takes an interrupt and two context switches */
#define WAIT_POLL_US		50

/* Read the word in user memory, or the number of SUBMITs that have ended. */
static int wait_word(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_wait *args,
		     u32 *word)
{
	if (!(args->flags & DRM_NVFIFO_WAIT_SUBMIT)) {
		if (get_user(*word, (u32 __user *)u64_to_user_ptr(args->address)))
			return nvfifo_fail(chan->ndev, -EFAULT,
					   "channel_wait.address %#llx cannot be read",
					   args->address);
		return 0;
	}

	nvfifo_fences_process(chan);

	guard(spinlock_irqsave)(&chan->fence_lock);

	*word = lower_32_bits(chan->completed);

	/* The fences of a dead channel signal, although its work was not done. */
	return chan->dead;
}

/* Return: 0 if the word is the value or past it, -EAGAIN if not yet. */
static int wait_check(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_wait *args,
		      long left)
{
	struct nvfifo_device *ndev = chan->ndev;
	u32 word;
	int ret;

	ret = wait_word(chan, args, &word);
	if (ret)
		return ret;

	if ((s32)(word - args->value) >= 0)
		return 0;

	ret = nvfifo_chan_is_dead(chan);
	if (!ret)
		ret = nvfifo_check_ending(ndev);
	if (ret)
		return ret;

	if (signal_pending(current))
		return -ERESTARTSYS;

	return left ? -EAGAIN : -ETIME;
}

/* Poll for a moment before sleeping. Return: as wait_check(). */
static int wait_poll(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_wait *args,
		     long left)
{
	unsigned int i;
	int ret;

	for (i = 0; i < WAIT_POLL_US; i++) {
		ret = wait_check(chan, args, left);
		if (ret != -EAGAIN || need_resched())
			return ret;

		udelay(1);
	}

	return ret;
}

/* Sleep on @queue until the wait is over. Return: as wait_check(), but not -EAGAIN. */
static int wait_sleep(struct nvfifo_chan *chan, const struct drm_nvfifo_channel_wait *args,
		      wait_queue_head_t *queue, long left)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	long slice, rest;
	int ret;

	add_wait_queue(queue, &wait);

	while ((ret = wait_check(chan, args, left)) == -EAGAIN) {
		slice = min(left, HZ);
		rest = wait_woken(&wait, TASK_INTERRUPTIBLE, slice);
		left -= slice - rest;

		/* Nothing has happened for a second: an interrupt may be lost. */
		if (!rest)
			nvfifo_irq_poll(chan->ndev);
	}

	remove_wait_queue(queue, &wait);

	return ret;
}

/**
 * nvfifo_ioctl_channel_wait() - CHANNEL_WAIT
 * @drm: the card
 * @data: struct drm_nvfifo_channel_wait
 * @file: whose channel it is
 *
 * Context: Outside of CLASS(nvfifo_enter), because it waits for work of the card.
 *
 * Return: 0 or an errno that uapi/nvfifo_drm.h lists.
 */
int nvfifo_ioctl_channel_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct drm_nvfifo_channel_wait *args = data;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	wait_queue_head_t *queue = &ndev->waiters;
	const struct nvfifo_rule rules[] = {
		{ args->flags & ~DRM_NVFIFO_WAIT_SUBMIT, "flags has unknown bits" },
		{ args->pad, "pad is not 0" },
		{ args->flags && args->address, "address with WAIT_SUBMIT" },
		{ args->address % 4, "address is no multiple of 4" },
		{}
	};
	long left = drm_timeout_abs_to_jiffies(args->timeout_ns);
	int ret = nvfifo_check_rule(ndev, "channel_wait", nvfifo_rule_find(rules));

	if (ret)
		return ret;

	chan = nvfifo_chan_lookup(ndev, file, args->channel_id, "channel_wait.channel_id");
	if (!chan)
		return -ENOENT;

	if (args->flags && chan->user_queue)
		return nvfifo_fail(ndev, -EOPNOTSUPP, "channel_wait.channel_id %u has a user queue",
				   args->channel_id);

	ret = wait_poll(chan, args, left);
	if (ret != -EAGAIN)
		return ret;

	/* An interrupt does not say which word was written, so it wakes all waiting threads. */
	if (args->flags)
		queue = &chan->waiters;

	return wait_sleep(chan, args, queue, left);
}
