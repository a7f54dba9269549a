// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Incidents
 *
 * A ring, which debugfs shows, keeps the last VM faults and errors of channels. The kernel log has
 * up to LOG_BURST of their messages in LOG_SECONDS. The driver counts further messages, and logs
 * their number in one line after the burst.
 */
#include <linux/ratelimit.h>

#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_incident.h"
#include "nvfifo_works.h"

#define LOG_SECONDS	5
#define LOG_BURST	30

static void incident_add(struct nvfifo_device *ndev, struct nvfifo_incident *incident)
{
	struct nvfifo_incident_state *state = &ndev->incidents;

	incident->ns = ktime_get_ns();
	guard(spinlock_irqsave)(&state->lock);

	state->ring[state->count++ % NVFIFO_INCIDENTS] = *incident;
}

/**
 * nvfifo_incident_fault() - Keep a VM fault
 * @ndev: the device
 * @channel: PFIFO's number of the channel, 0 if unknown
 * @f: the fault
 */
void nvfifo_incident_fault(struct nvfifo_device *ndev, u32 channel, const struct nvfifo_fault *f)
{
	struct nvfifo_incident incident = {
		.channel = channel,
		.code = f->reason,
		.address = f->address,
		.engine = f->engine,
		.client = f->client,
		.slot = f->slot,
		.write = f->write,
	};

	incident_add(ndev, &incident);
}

/**
 * nvfifo_incident_error() - Keep the error that ends a channel
 * @ndev: the device
 * @channel: PFIFO's number of the channel
 * @e: the error
 */
void nvfifo_incident_error(struct nvfifo_device *ndev, u32 channel,
			   const struct nvfifo_chan_error *e)
{
	struct nvfifo_incident incident = {
		.channel = channel,
		.error = e->error,
		.code = e->error_code,
		.method = e->error_method,
		.data = e->error_data,
	};

	incident_add(ndev, &incident);
}

/* Count a message over the limit; a work item prints the number later. */
static bool may_log(struct nvfifo_device *ndev)
{
	if (__ratelimit(&ndev->incidents.limit))
		return true;

	atomic_inc(&ndev->incidents.unlogged);
	queue_delayed_work(nvfifo_wq, &ndev->incidents.sum, LOG_SECONDS * HZ);

	return false;
}

/**
 * nvfifo_log() - Log an error that a client can cause as often as it wants to
 * @ndev: the device
 * @fmt: as for printk(), with its line end
 */
void nvfifo_log(struct nvfifo_device *ndev, const char *fmt, ...)
{
	struct va_format text = { .fmt = fmt };
	va_list args;

	if (!may_log(ndev))
		return;

	va_start(args, fmt);
	text.va = &args;
	dev_err(ndev->drm.dev, "%pV", &text);
	va_end(args);
}

static void sum_work(struct work_struct *work)
{
	struct nvfifo_device *ndev = container_of(work, struct nvfifo_device, incidents.sum.work);
	int unlogged = atomic_xchg(&ndev->incidents.unlogged, 0);

	if (unlogged)
		dev_err(ndev->drm.dev, "%d more messages about errors were not printed\n",
			unlogged);
}

static void print_one(struct drm_printer *p, u32 chipset, const struct nvfifo_incident *i)
{
	drm_printf(p, "%llu.%06llu channel %u: ", i->ns / NSEC_PER_SEC,
		   i->ns % NSEC_PER_SEC / NSEC_PER_USEC, i->channel);

	if (i->error) {
		drm_printf(p, "error %u code %08x", i->error, i->code);
		drm_printf(p, " subchannel %u method %04x data %08x\n", i->method >> 13,
			   i->method & 0x1ffc, i->data);
		return;
	}

	drm_printf(p, "VM fault, %s at %010llx", i->write ? "write" : "read", i->address);
	drm_printf(p, ", engine %x %s", i->engine,
		   nvfifo_name_or_unknown(nvfifo_fault_engine(chipset, i->engine)));
	drm_printf(p, ", client %x %s", i->client,
		   nvfifo_name_or_unknown(nvfifo_fault_client(chipset, i->client)));
	drm_printf(p, ", slot %x %s", i->slot,
		   nvfifo_name_or_unknown(nvfifo_fault_slot(chipset, i->engine, i->client,
							    i->slot)));
	drm_printf(p, ": %s\n", nvfifo_fault_reason_name(i->code));
}

/**
 * nvfifo_incident_print() - Print the last incidents, the oldest first
 * @ndev: the device
 * @p: the printer
 */
void nvfifo_incident_print(struct nvfifo_device *ndev, struct drm_printer *p)
{
	struct nvfifo_incident_state *state = &ndev->incidents;
	struct nvfifo_incident incident;
	u64 i, count;

	scoped_guard(spinlock_irqsave, &state->lock)
		count = state->count;

	drm_printf(p, "incidents so far: %llu\n", count);

	for (i = count - min(count, NVFIFO_INCIDENTS); i < count; i++) {
		scoped_guard(spinlock_irqsave, &state->lock)
			incident = state->ring[i % NVFIFO_INCIDENTS];

		print_one(p, ndev->chip->id, &incident);
	}
}

/**
 * nvfifo_incident_init() - Initialise the lock and the rate limit, before the card is touched
 * @ndev: the device
 */
void nvfifo_incident_init(struct nvfifo_device *ndev)
{
	spin_lock_init(&ndev->incidents.lock);
	ratelimit_state_init(&ndev->incidents.limit, LOG_SECONDS * HZ, LOG_BURST);

	/* sum_work() prints the number of messages over the limit, not the kernel. */
	ratelimit_set_flags(&ndev->incidents.limit, RATELIMIT_MSG_ON_RELEASE);
	INIT_DELAYED_WORK(&ndev->incidents.sum, sum_work);
}

/**
 * nvfifo_incident_fini() - Print the sum of messages over the limit
 * @ndev: the device, whose channels are dead
 *
 * Context: Process context, sleeps.
 */
void nvfifo_incident_fini(struct nvfifo_device *ndev)
{
	flush_delayed_work(&ndev->incidents.sum);
}
