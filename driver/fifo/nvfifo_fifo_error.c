// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Errors of PFIFO
 *
 * PFIFO stops at an error with the channel loaded, and no other channel runs. The handler kills
 * the channel and drops its work in cache, segment and ring, so that PFIFO continues.
 *
 * Two interrupts of PFIFO are not errors. NOTIFY is the fence of G84 and later. A CACHE_ERROR may
 * be a method of a software object; on G80 each fence binds such an object.
 *
 * A look-up in RAMHT may fail although the handle is there. The driver repeats it.
 *
 * Software objects
 *
 * A software object belongs to no unit of the card. PFIFO stops with a CACHE_ERROR when a client
 * binds it, and at each of its methods. All channels stand still until the driver has handled the
 * interrupt.
 *
 * The owner of a channel may create such objects (OBJECT_CREATE). The driver sends each method to
 * the owner as an event, and PFIFO continues at once. A pushbuffer that needs the owner's answer
 * acquires a semaphore that the owner releases. Other channels run during that wait.
 *
 * The driver bans the channel of a method that it cannot deliver. The reason is a destroyed object,
 * or too many unread events of the file.
 *
 * On G80 a fence raises its interrupt by binding the driver's own object. A pushbuffer may bind it,
 * too.
 */
#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_error.h"
#include "fifo/nvfifo_sched.h"
#include "card/nvfifo_hw.h"
#include "card/nvfifo_card.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pusher.h"
#include "nvfifo_vm.h"

/* --- Software objects ---------------------------------------------------- */

/* Event that reports a method to the file */
struct software_event {
	struct drm_pending_event base;
	struct drm_nvfifo_event_software_method event;
};

/*
 * Send a method to the file. The event of the channel's death points to the file until the file is
 * closed. A channel that is not banned still has that event.
 */
static bool event_send(struct nvfifo_chan *chan, u32 handle, u32 method, u32 data)
{
	struct drm_device *drm = &chan->ndev->drm;
	struct software_event *event;
	struct drm_file *file;

	/* The allocation must not wait, because signalling fences waits for this handler. */
	event = kzalloc(sizeof(*event), GFP_ATOMIC);
	if (!event)
		return false;

	event->event.base.type = DRM_NVFIFO_EVENT_SOFTWARE_METHOD;
	event->event.base.length = sizeof(event->event);
	event->event.channel_id = chan->event->event.channel_id;
	event->event.user_data = chan->event->event.user_data;
	event->event.handle = handle;
	event->event.method = method;
	event->event.data = data;

	guard(spinlock_irqsave)(&drm->event_lock);

	file = chan->event->base.file_priv;
	if (!file || drm_event_reserve_init_locked(drm, file, &event->base, &event->event.base)) {
		kfree(event);
		return false;
	}

	drm_send_event_locked(drm, &event->base);

	return true;
}

/*
 * Handle a method for which PFIFO has stopped: @mthd is 0 to bind the object of handle @data.
 * Return: false if it is an error.
 */
static bool method_handle(struct nvfifo_chan *chan, u32 subc, u32 mthd, u32 data)
{
	struct nvfifo_software *software = &chan->software;
	u32 handle = software->bound[subc];

	lockdep_assert_held(&chan->ndev->fifo_lock);

	if (mthd == NVFIFO_MTHD_OBJECT)
		handle = data;

	if (mthd == NVFIFO_MTHD_OBJECT && handle == NVFIFO_HANDLE_SW) {
		software->bound[subc] = 0;
		return !chan->ndev->chip->g84;
	}

	if (chan->dead || !xa_load(&software->objects, handle))
		return false;

	if (mthd == NVFIFO_MTHD_OBJECT) {
		software->bound[subc] = handle;
		return true;
	}

	return event_send(chan, handle, subc << 13 | mthd, data);
}

/* --- Errors ---------------------------------------------------------------- */

#define FIFO_FAULTS	(NV_PFIFO_INTR__BAR_FAULT | NV_PFIFO_INTR__PEEPHOLE_FAULT)
#define FIFO_KNOWN	(NVFIFO_FIFO_ERRORS | FIFO_FAULTS | NV_PFIFO_INTR__PIO_ERROR | \
			 NV_PFIFO_INTR__NOTIFY)

/* Drop the pending work of the loaded channel, and resume PFIFO. */
static void drop_channel(struct nvfifo_device *ndev, u32 intr)
{
	const struct nvfifo_port port = nvfifo_port(ndev);

	/* Stop first: the owner may move PUT at any time. */
	nvfifo_fifo_stop_puller(ndev);
	nvfifo_fifo_stop_pusher(ndev);
	nvfifo_fifo_work_drop(&port, intr);
}

/**
 * nvfifo_fifo_drop() - Drop the work in PFIFO of a channel with an error in another unit
 * @chan: the channel, with fifo_lock held
 *
 * The channel is no longer runnable. Dropping work resumes PFIFO, so nothing is dropped during a
 * freeze. The channel's work then runs until the ban.
 */
void nvfifo_fifo_drop(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	u32 caches;

	lockdep_assert_held(&ndev->fifo_lock);

	if (chan->phase != NVFIFO_CHAN_RUNNING || ndev->fifo.frozen)
		return;

	caches = nvfifo_rd32(ndev, NV_PFIFO_CACHES);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	nvfifo_wr32(ndev, NV_REG_AT(NV_PFIFO_CHAN_TABLE, chan->id), chan->table);

	if (NV_FLD_GET(NV_CACHE1_PUSH1__CHID, nvfifo_rd32(ndev, NV_CACHE1_PUSH1)) == chan->id)
		drop_channel(ndev, NVFIFO_FIFO_ERRORS);

	nvfifo_wr32(ndev, NV_PFIFO_CACHES, caches & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

/*
 * Resume the puller if it has stopped for a method of a software object. Return: false if the
 * puller has stopped for another reason, or no object accepts the method.
 */
static bool software_method(struct nvfifo_chan *chan, const struct nvfifo_stop *stop)
{
	const struct nvfifo_port port = nvfifo_port(chan->ndev);
	u32 mthd = stop->method & NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__METHOD);
	u32 subc = NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, stop->method);

	if (!(stop->pull0 & NV_FLD_MASK(NV_CACHE1_PULL0__DEVICE_SOFTWARE)) ||
	    !method_handle(chan, subc, mthd, stop->data))
		return false;

	nvfifo_stop_skip(&port, stop);

	return true;
}

/*
 * Repeat a look-up in RAMHT that failed although the table contains the handle. A real MCP79 raises
 * such errors now and then, even for the handle of nouveau's fences. Return: false if the handle is
 * missing.
 */
static bool repeat_lookup(struct nvfifo_chan *chan, const struct nvfifo_stop *stop)
{
	struct nvfifo_device *ndev = chan->ndev;
	const struct nvfifo_port port = nvfifo_port(ndev);

	if (!(stop->pull0 & NV_FLD_MASK(NV_CACHE1_PULL0__HASH_FAILED)) || chan->dead)
		return false;

	/* Without the table's lock. If the handle changes now, either answer is right. */
	if (data_race(nvfifo_ramht_find(&chan->ramht, stop->data)) < 0)
		return false;

	dev_err_ratelimited(ndev->drm.dev,
			    "channel %u: a look-up in RAMHT missed handle %08x, subchannel %u method %04x; repeated\n",
			    chan->id, stop->data, stop->method >> 13, stop->method & 0x1ffc);
	nvfifo_stop_repeat(&port, stop);
	atomic64_inc(&ndev->counters.lookups);

	return true;
}

static void pusher_log(struct nvfifo_device *ndev, u32 id,
		       const struct drm_nvfifo_channel_query *e)
{
	dev_err_ratelimited(ndev->drm.dev,
			    "channel %u: DMA_PUSHER %s, word %08x, subchannel %u method %04x, state %08x, get %010llx put %010llx ib_get %x ib_put %x push %08x\n",
			    id, nvfifo_pusher_error_name(e->error_code), e->error_data,
			    e->error_method >> 13, e->error_method & 0x1ffc, e->dma_state, e->get,
			    e->put, e->ib_get, e->ib_put, nvfifo_rd32(ndev, NV_CACHE1_DMA_PUSH));
}

static void error_log(struct nvfifo_device *ndev, u32 id, u32 intr,
		      const struct drm_nvfifo_channel_query *e)
{
	const u32 subc = e->error_method >> 13, mthd = e->error_method & 0x1ffc;

	if (e->error == DRM_NVFIFO_ERROR_PUSHER)
		pusher_log(ndev, id, e);
	else if (e->error == DRM_NVFIFO_ERROR_SEMAPHORE)
		dev_err_ratelimited(ndev->drm.dev,
				    "channel %u: SEMAPHORE %s, method %04x data %08x\n", id,
				    nvfifo_semaphore_error_name(e->error_code), mthd,
				    e->error_data);
	else if (intr & NV_PFIFO_INTR__CACHE_ERROR)
		dev_err_ratelimited(ndev->drm.dev,
				    "channel %u: CACHE_ERROR %s, subchannel %u method %04x data %08x\n",
				    id, nvfifo_cache_error_name(e->error_code), subc, mthd,
				    e->error_data);
	else
		dev_err_ratelimited(ndev->drm.dev,
				    "channel %u: PFIFO interrupt %08x, PULL0 %08x, subchannel %u method %04x data %08x\n",
				    id, intr, e->error_code, subc, mthd, e->error_data);
}

/* Decode the error of the loaded channel, drop its work and kill it. */
static void fifo_kill(struct nvfifo_device *ndev, u32 id, u32 intr)
{
	const struct nvfifo_port port = nvfifo_port(ndev);
	struct nvfifo_chan *chan = xa_load(&ndev->fifo.chans, id);
	struct drm_nvfifo_channel_query e = {};

	if (chan)
		nvfifo_fifo_position(chan, &e);

	nvfifo_fifo_error_read(&port, intr, &e);
	error_log(ndev, id, intr, &e);
	if (nvfifo_is_mem_fault(&e))
		nvfifo_fault_take(ndev, chan, &e);

	/*
	 * Kill the channel first, which disables its doorbell: work that arrives after the drop
	 * would run.
	 */
	if (chan) {
		nvfifo_chan_kill(chan, &e);
		nvfifo_wr32(ndev, NV_REG_AT(NV_PFIFO_CHAN_TABLE, id), chan->table);
	}

	drop_channel(ndev, NVFIFO_FIFO_ERRORS | intr);
	atomic64_inc(&ndev->counters.errors);
}

/*
 * Handle a stop of PFIFO. The channel continues after a software method, and is killed after an
 * error.
 */
static void fifo_error(struct nvfifo_device *ndev, u32 intr)
{
	const struct nvfifo_port port = nvfifo_port(ndev);
	struct nvfifo_chan *chan;
	struct nvfifo_stop stop;
	bool answered = false;
	u32 id, caches;

	/* Turn channel switches off, so that the registers describe one channel. */
	caches = nvfifo_rd32(ndev, NV_PFIFO_CACHES);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	id = NV_FLD_GET(NV_CACHE1_PUSH1__CHID, nvfifo_rd32(ndev, NV_CACHE1_PUSH1));
	chan = xa_load(&ndev->fifo.chans, id);

	if (chan && intr & NV_PFIFO_INTR__CACHE_ERROR) {
		stop = nvfifo_stop_read(&port, intr);
		answered = software_method(chan, &stop) || repeat_lookup(chan, &stop);
	}

	if (!answered)
		fifo_kill(ndev, id, intr);

	nvfifo_wr32(ndev, NV_PFIFO_CACHES, caches & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

/**
 * nvfifo_fifo_unblock() - Handle an error that PFIFO has stopped for
 * @ndev: the device, with fifo_lock held
 *
 * Return: true if there was an error; pusher and puller run afterwards.
 */
bool nvfifo_fifo_unblock(struct nvfifo_device *ndev)
{
	u32 intr = nvfifo_rd32(ndev, NV_PFIFO_INTR);

	if (intr == ~0u || !(intr & NVFIFO_FIFO_ERRORS))
		return false;

	fifo_error(ndev, intr);

	return true;
}

/*
 * An interrupt that no source names is the loaded channel's error if it has stopped the puller. The
 * puller may also have stopped for a known reason after the caller read INTR: a fence of G80, a
 * software method, or another error.
 */
static void fifo_unknown(struct nvfifo_device *ndev, u32 unknown)
{
	dev_err_ratelimited(ndev->drm.dev, "PFIFO interrupt %08x is unknown\n", unknown);

	if (nvfifo_rd32(ndev, NV_CACHE1_PULL0) & NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS))
		return;

	fifo_error(ndev, unknown | (nvfifo_rd32(ndev, NV_PFIFO_INTR) & NVFIFO_FIFO_ERRORS));
}

/* Handle interrupts that do not concern the loaded channel, and those that no source names. */
static void fifo_other(struct nvfifo_device *ndev, u32 intr)
{
	u32 unknown = intr & ~FIFO_KNOWN;

	if (intr & NV_PFIFO_INTR__PIO_ERROR)
		dev_err_ratelimited(ndev->drm.dev, "access to a PIO area was refused\n");
	if (intr & FIFO_FAULTS)
		nvfifo_fault_take(ndev, NULL, NULL);

	if (unknown)
		fifo_unknown(ndev, unknown);

	if (!intr)
		return;

	nvfifo_wr32(ndev, NV_PFIFO_INTR, intr);
	nvfifo_irq_stray(ndev, NVFIFO_SOURCE_PFIFO, unknown);
}

/* --- Interrupts ---------------------------------------------------------- */

/**
 * nvfifo_fifo_intr_start() - Turn the interrupts of PFIFO on
 * @ndev: the device, with PFIFO set up
 * @intr: the interrupts
 */
void nvfifo_fifo_intr_start(struct nvfifo_device *ndev, u32 intr)
{
	guard(spinlock_irqsave)(&ndev->hw.lock);

	ndev->fifo.intr_en = intr;
	nvfifo_wr32(ndev, NV_PFIFO_INTR_EN, intr);
}

/**
 * nvfifo_fifo_intr_stop() - Write INTR_EN no more until nvfifo_fifo_intr_start()
 * @ndev: the device, before PFIFO is halted, or with the card's interrupts off
 *
 * PFIFO may be in reset from then on, and the card asleep.
 */
void nvfifo_fifo_intr_stop(struct nvfifo_device *ndev)
{
	guard(spinlock_irqsave)(&ndev->hw.lock);

	ndev->fifo.intr_en = 0;
}

/**
 * nvfifo_fifo_intr_mask() - Mask interrupts of PFIFO
 * @ndev: the device; nothing happens while the interrupts of PFIFO are off
 * @intr: interrupts to mask
 *
 * Context: Any. Takes hw.lock.
 */
void nvfifo_fifo_intr_mask(struct nvfifo_device *ndev, u32 intr)
{
	guard(spinlock_irqsave)(&ndev->hw.lock);

	if (!ndev->fifo.intr_en)
		return;

	ndev->fifo.intr_en &= ~intr;
	nvfifo_wr32(ndev, NV_PFIFO_INTR_EN, ndev->fifo.intr_en);
}

/**
 * nvfifo_fifo_intr_pending() - Get the pending interrupts that are not masked
 * @ndev: the device, with PFIFO set up
 *
 * Context: Any. Takes hw.lock, but not fifo_lock, which a thread may hold for as long as a job
 * takes.
 *
 * Return: bits of INTR
 */
u32 nvfifo_fifo_intr_pending(struct nvfifo_device *ndev)
{
	guard(spinlock_irqsave)(&ndev->hw.lock);

	return nvfifo_rd32(ndev, NV_PFIFO_INTR) & ndev->fifo.intr_en;
}

/**
 * nvfifo_fifo_notify_ack() - Acknowledge NOTIFY
 * @ndev: the device, with PFIFO set up
 *
 * The read follows the acknowledgment, so that this has reached the card before the caller looks at
 * the fences. Otherwise it could clear the NOTIFY of a fence that is released afterwards.
 *
 * Context: Any. Takes hw.lock.
 *
 * Return: the pending interrupts that are not masked.
 */
u32 nvfifo_fifo_notify_ack(struct nvfifo_device *ndev)
{
	guard(spinlock_irqsave)(&ndev->hw.lock);

	if (ndev->chip->g84)
		nvfifo_wr32(ndev, NV_PFIFO_INTR, NV_PFIFO_INTR__NOTIFY);

	return nvfifo_rd32(ndev, NV_PFIFO_INTR) & ndev->fifo.intr_en;
}

/* Signal fences, and wake the threads that wait for a word in user memory. */
static bool fences_signal(struct nvfifo_device *ndev)
{
	bool found = nvfifo_fences_process_all(ndev);

	wake_up_all(&ndev->waiters);

	return found;
}

/**
 * nvfifo_fifo_poll() - Signal fences during a wait that holds fifo_lock
 * @ndev: the device, with PFIFO set up
 *
 * After an error the interrupt handler waits for fifo_lock with the card's interrupts off. A holder
 * may keep the lock for as long as a job takes, and the fences of other channels must not wait for
 * it.
 *
 * Context: Process context. Takes hw.lock.
 */
void nvfifo_fifo_poll(struct nvfifo_device *ndev)
{
	if (nvfifo_fifo_intr_pending(ndev) & NV_PFIFO_INTR__NOTIFY) {
		nvfifo_fifo_notify_ack(ndev);
		fences_signal(ndev);
	} else if (nvfifo_fences_process_all(ndev)) {
		wake_up_all(&ndev->waiters);
	}
}

/**
 * nvfifo_fifo_intr() - Handle an interrupt of PFIFO
 * @ndev: the device
 *
 * Context: Process context. Takes fifo_lock for all interrupts but NOTIFY.
 *
 * Return: true if a fence was signalled.
 */
bool nvfifo_fifo_intr(struct nvfifo_device *ndev)
{
	u32 intr = nvfifo_fifo_notify_ack(ndev);
	/* The card does not record the channel of a NOTIFY. */
	bool found = fences_signal(ndev);

	if (!(intr & ~NV_PFIFO_INTR__NOTIFY))
		return found;

	scoped_guard(mutex, &ndev->fifo_lock) {
		intr = nvfifo_fifo_intr_pending(ndev);
		if (intr & NVFIFO_FIFO_ERRORS)
			fifo_error(ndev, intr);

		fifo_other(ndev, intr & ~(NVFIFO_FIFO_ERRORS | NV_PFIFO_INTR__NOTIFY));
	}

	/* On G80 a CACHE_ERROR may have been a fence. */
	if (intr & NVFIFO_FIFO_ERRORS)
		found |= fences_signal(ndev);

	return found;
}
