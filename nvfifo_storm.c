// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Storms of interrupts
 *
 * The interrupts of PBUS, PFIFO and PGRAPH are in general the result of a channel's work. The error
 * of a channel ends with that channel, and NOTIFY has a limit of its own in nvfifo_irq.c. No such
 * limit exists for an interrupt that no channel has caused. A unit that raises it again after each
 * acknowledgment would keep a processor busy forever.
 *
 * So the driver counts these interrupts for each unit. After STORM_MAX in a row it masks them in
 * the unit's mask register, and logs them. They are turned on again after STORM_PAUSE_MS. The
 * unit's other interrupts stay on.
 *
 * PGRAPH stands still while the driver handles such an interrupt. On a slow machine the work of
 * innocent channels would exceed its time limit before STORM_MAX. So STORM_MIN interrupts in a row
 * for STORM_MS are a storm as well.
 */
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_notify.h"
#include "nvfifo_storm.h"
#include "nvfifo_works.h"

#define STORM_MAX	1000
#define STORM_MIN	50
#define STORM_MS	200
#define STORM_PAUSE_MS	1000

/* A longer gap ends the row. */
#define STORM_GAP_MS	100

static const struct {
	const char *name;
	u32 mask;
} units[NVFIFO_SOURCES] = {
	[NVFIFO_SOURCE_PBUS] = { "PBUS", NV_PBUS_INTR_EN },
	[NVFIFO_SOURCE_PFIFO] = { "PFIFO" },
	[NVFIFO_SOURCE_PGRAPH] = { "PGRAPH", NV_PGRAPH_INTR_EN },
};

/* Change the mask register of a unit. */
static void change_mask(struct nvfifo_device *ndev, enum nvfifo_source source, u32 clear, u32 set)
{
	if (source == NVFIFO_SOURCE_PFIFO)
		nvfifo_fifo_intr_mask(ndev, clear, set);
	else
		nvfifo_mask(ndev, units[source].mask, clear, set);
}

static void unmask_all(struct nvfifo_device *ndev)
{
	struct nvfifo_storm *storm;
	enum nvfifo_source i;

	guard(spinlock_irqsave)(&ndev->storm.lock);

	for (i = 0; i < NVFIFO_SOURCES; i++) {
		storm = &ndev->storm.sources[i];
		if (storm->masked)
			change_mask(ndev, i, 0, storm->masked);

		storm->masked = 0;
		storm->count = 0;
	}
}

static void resume(struct work_struct *work)
{
	struct nvfifo_device *ndev = container_of(work, struct nvfifo_device, storm.resume.work);

	CLASS(nvfifo_enter, entered)(ndev);
	if (!entered.is_open || !nvfifo_is_usable(ndev))
		return;

	unmask_all(ndev);
}

/* Does this interrupt make the row a storm? */
static bool is_storm(const struct nvfifo_storm *storm, unsigned long now)
{
	if (storm->count >= STORM_MAX)
		return true;

	return storm->count >= STORM_MIN &&
	       time_after(now, storm->first + msecs_to_jiffies(STORM_MS));
}

/*
 * Return: the number of the storm that begins with this interrupt, 0 if none does. @count is set to
 * the interrupts in a row.
 */
static u32 storm_begin(struct nvfifo_device *ndev, enum nvfifo_source source, u32 intr, u32 *count)
{
	struct nvfifo_storm *storm = &ndev->storm.sources[source];
	unsigned long now = jiffies;

	guard(spinlock_irqsave)(&ndev->storm.lock);

	if (time_after(now, storm->last + msecs_to_jiffies(STORM_GAP_MS)))
		storm->count = 0;

	if (!storm->count)
		storm->first = now;

	storm->last = now;
	*count = ++storm->count;
	if (!is_storm(storm, now))
		return 0;

	storm->count = 0;
	storm->masked |= intr;
	change_mask(ndev, source, intr, 0);

	return ++storm->storms;
}

/**
 * nvfifo_storm_count() - Count an interrupt that no channel caused, and mask a storm
 * @ndev: the device
 * @source: the unit
 * @intr: bits of the unit's INTR
 *
 * Context: Process context.
 */
void nvfifo_storm_count(struct nvfifo_device *ndev, enum nvfifo_source source, u32 intr)
{
	u32 count, number = storm_begin(ndev, source, intr, &count);

	if (!number)
		return;

	/* A unit that never stops must not fill the log with storms. */
	if (is_power_of_2(number))
		drm_err(&ndev->drm,
			"%s interrupt %08x came %u times in a row and is masked for %u ms, storm %u\n",
			units[source].name, intr, count, STORM_PAUSE_MS, number);

	queue_delayed_work(nvfifo_wq, &ndev->storm.resume, msecs_to_jiffies(STORM_PAUSE_MS));
}

/**
 * nvfifo_storm_masked() - Get the interrupts of a unit that a storm has masked
 * @ndev: the device
 * @source: the unit
 *
 * Context: Any.
 *
 * Return: bits of the unit's INTR.
 */
u32 nvfifo_storm_masked(struct nvfifo_device *ndev, enum nvfifo_source source)
{
	return READ_ONCE(ndev->storm.sources[source].masked);
}

/**
 * nvfifo_storm_stop() - End all pauses, before a removal or suspend
 * @ndev: the device, with interrupts off
 */
void nvfifo_storm_stop(struct nvfifo_device *ndev)
{
	cancel_delayed_work_sync(&ndev->storm.resume);
	unmask_all(ndev);
}

/**
 * nvfifo_storm_print() - Print the number of storms of each unit
 * @ndev: the device
 * @p: the printer
 */
void nvfifo_storm_print(struct nvfifo_device *ndev, struct drm_printer *p)
{
	const struct nvfifo_storm *storm;
	enum nvfifo_source i;

	for (i = 0; i < NVFIFO_SOURCES; i++) {
		storm = &ndev->storm.sources[i];
		drm_printf(p, "storms of %s: %u, masked now %08x\n", units[i].name,
			   READ_ONCE(storm->storms), READ_ONCE(storm->masked));
	}
}

/**
 * nvfifo_storm_prepare() - Make lock and work item, before the card is touched
 * @ndev: the device
 */
void nvfifo_storm_prepare(struct nvfifo_device *ndev)
{
	spin_lock_init(&ndev->storm.lock);
	INIT_DELAYED_WORK(&ndev->storm.resume, resume);
}
