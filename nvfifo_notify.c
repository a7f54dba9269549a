// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: The interrupts of PFIFO
 *
 * Each fence of G84 and later raises NOTIFY. The interrupt costs accesses to registers and a run of
 * the handler's thread, and a thread that polls its fence needs no interrupt. So NOTIFY is on only
 * while a thread or a fence sleeps. nouveau turns it on and off in the same register.
 *
 * nvfifo_notify_get() turns NOTIFY on, and the handler turns it off when it finds no sleeper. Thus
 * a thread that sleeps again and again does not write the register each time.
 *
 * No source says whether a NOTIFY that comes while it is off stays pending. So a sleeper checks
 * its memory once more after nvfifo_notify_get(), which returns when the card has NOTIFY on.
 *
 * Only this file and nvfifo_halt() write INTR_EN, so the driver knows its value without a read.
 */
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_notify.h"

/**
 * nvfifo_notify_prepare() - Make the lock, before the card is touched
 * @ndev: the device
 */
void nvfifo_notify_prepare(struct nvfifo_device *ndev)
{
	spin_lock_init(&ndev->notify.lock);
}

static void set_enabled(struct nvfifo_device *ndev, u32 enabled)
{
	lockdep_assert_held(&ndev->notify.lock);

	WRITE_ONCE(ndev->notify.enabled, enabled);
	nvfifo_wr32(ndev, NV_PFIFO_INTR_EN, enabled);
}

/**
 * nvfifo_fifo_intr_start() - Turn the interrupts of PFIFO on
 * @ndev: the device, with PFIFO set up
 * @intr: the interrupts; NOTIFY among them is on only while there are sleepers
 */
void nvfifo_fifo_intr_start(struct nvfifo_device *ndev, u32 intr)
{
	struct nvfifo_notify_state *notify = &ndev->notify;

	guard(spinlock_irqsave)(&notify->lock);

	notify->running = true;
	notify->possible = intr;

	if (!notify->sleepers)
		intr &= ~NV_PFIFO_INTR_EN__NOTIFY;

	set_enabled(ndev, intr);
}

/**
 * nvfifo_fifo_intr_stop() - Write INTR_EN no more until nvfifo_fifo_intr_start()
 * @ndev: the device, before PFIFO is halted, or with the card's interrupts off
 *
 * PFIFO may be in reset from then on, and the card asleep.
 */
void nvfifo_fifo_intr_stop(struct nvfifo_device *ndev)
{
	guard(spinlock_irqsave)(&ndev->notify.lock);

	ndev->notify.running = false;
	WRITE_ONCE(ndev->notify.enabled, 0);
}

/**
 * nvfifo_fifo_intr_mask() - Mask interrupts of PFIFO for good
 * @ndev: the device
 * @clear: interrupts to mask
 *
 * Context: Any. Takes notify.lock.
 */
void nvfifo_fifo_intr_mask(struct nvfifo_device *ndev, u32 clear)
{
	struct nvfifo_notify_state *notify = &ndev->notify;

	guard(spinlock_irqsave)(&notify->lock);

	if (!notify->running)
		return;

	notify->possible = notify->possible & ~clear;
	set_enabled(ndev, notify->enabled & ~clear);
}

/**
 * nvfifo_fifo_intr_enabled() - Get the interrupts of PFIFO that are on
 * @ndev: the device
 *
 * Return: the value of INTR_EN.
 */
u32 nvfifo_fifo_intr_enabled(struct nvfifo_device *ndev)
{
	return READ_ONCE(ndev->notify.enabled);
}

/**
 * nvfifo_notify_get() - Begin to need NOTIFY
 * @ndev: the device
 *
 * The caller checks its memory afterwards, before it sleeps.
 *
 * Context: Any. Takes notify.lock.
 */
void nvfifo_notify_get(struct nvfifo_device *ndev)
{
	struct nvfifo_notify_state *notify = &ndev->notify;
	u32 missing;

	guard(spinlock_irqsave)(&notify->lock);

	WRITE_ONCE(notify->sleepers, notify->sleepers + 1);

	missing = notify->possible & ~notify->enabled & NV_PFIFO_INTR_EN__NOTIFY;
	if (!missing || !notify->running)
		return;

	set_enabled(ndev, notify->enabled | missing);
	nvfifo_rd32(ndev, NV_PFIFO_INTR_EN);	/* the write has reached the card */
}

/**
 * nvfifo_notify_put() - End the need of nvfifo_notify_get()
 * @ndev: the device
 *
 * Context: Any. Takes notify.lock.
 */
void nvfifo_notify_put(struct nvfifo_device *ndev)
{
	struct nvfifo_notify_state *notify = &ndev->notify;

	guard(spinlock_irqsave)(&notify->lock);

	WRITE_ONCE(notify->sleepers, notify->sleepers - 1);
}

/**
 * nvfifo_notify_is_needed() - Is there a need of nvfifo_notify_get()?
 * @ndev: the device
 *
 * Context: Any.
 *
 * Return: true if a thread or a fence sleeps.
 */
bool nvfifo_notify_is_needed(const struct nvfifo_device *ndev)
{
	return READ_ONCE(ndev->notify.sleepers);
}

/**
 * nvfifo_notify_rest() - Turn NOTIFY off if nothing sleeps
 * @ndev: the device, at the begin of its handler's thread
 */
void nvfifo_notify_rest(struct nvfifo_device *ndev)
{
	struct nvfifo_notify_state *notify = &ndev->notify;

	guard(spinlock_irqsave)(&notify->lock);

	if (!notify->running || notify->sleepers || !(notify->enabled & NV_PFIFO_INTR_EN__NOTIFY))
		return;

	set_enabled(ndev, notify->enabled & ~NV_PFIFO_INTR_EN__NOTIFY);
}
