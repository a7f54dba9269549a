// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Interrupts
 *
 * The interrupt handler turns the card's interrupts off. Its thread finds the unit, re-arms the MSI
 * and turns interrupts on again. nvfifo_fifo_error.c and nvfifo_gr.c handle the interrupts of their
 * units.
 *
 * Most interrupts are the NOTIFY of a fence. The handler signals the fence itself, and needs no
 * thread if nothing else is pending.
 *
 * The driver uses MSIs where nouveau does. Some boards do not pass them; then the log names the
 * parameter msi, and the watchdog finds the end of each job.
 */
#include <linux/delay.h>
#include <linux/dma-fence.h>
#include <linux/interrupt.h>
#include <linux/module.h>

#include <drm/drm_drv.h>

#include "card/nvfifo_card.h"
#include "nvfifo_drv.h"
#include "fifo/nvfifo_sched.h"
#include "gr/nvfifo_gr.h"
#include "card/nvfifo_hw.h"
#include "nvfifo_pusher.h"

static bool msi = true;
module_param(msi, bool, 0444);
MODULE_PARM_DESC(msi, "Message signalled interrupts, on chips that send them (default yes)");

/* Not read-only: a trace of the accesses ends when the module is unloaded. */
static bool interrupts = true;
module_param(interrupts, bool, 0644);
MODULE_PARM_DESC(interrupts, "Turn interrupts on at the next probe; else waits poll (default yes)");

/* Offset of the MSI capability in the configuration space. */
#define CONFIG_MSI	0x68
#define MSI_REARM	0xff

/* A unit's interrupts without a cause are masked after this many. */
#define STRAY_MAX	100

static const struct {
	const char *name;
	u32 mask;
} stray_units[NVFIFO_SOURCES] = {
	[NVFIFO_SOURCE_PBUS] = { "PBUS", NV_PBUS_INTR_EN },
	[NVFIFO_SOURCE_PFIFO] = { "PFIFO", NV_PFIFO_INTR_EN },
	[NVFIFO_SOURCE_PGRAPH] = { "PGRAPH", NV_PGRAPH_INTR_EN },
};

/* An interrupt that the driver cannot turn off is logged after this many in a row. */
#define SPURIOUS_MAX	1000

/* Interrupts in a row without progress: number without a pause, then the pause's step and limit. */
#define IDLE_FREE	32
#define IDLE_STEP_US	250
#define IDLE_MAX_US	3000

/* An interrupt that has not arrived after this time is lost. */
#define LOST_MS		150

/* Interval at which a pause polls fences and units. */
#define IDLE_POLL_US	200

/**
 * nvfifo_msi_rearm() - Let the card send the next MSI
 * @ndev: the device
 *
 * Writes one byte, like nouveau. The register mirrors the MSI capability, and a 32-bit write would
 * clear the enable bit in Message Control. Chips before G94 accept only a real configuration cycle.
 * The MCP79 misses some re-arms through MMIO, and nouveau of Linux 7.3 uses the cycle there, too.
 */
void nvfifo_msi_rearm(struct nvfifo_device *ndev)
{
	if (!ndev->irq.msi)
		return;

	if (ndev->chip->msi_mmio)
		nvfifo_wr8(ndev, NV_PPCI_MSI_REARM, MSI_REARM);
	else
		pci_write_config_byte(ndev->pdev, CONFIG_MSI, MSI_REARM);
}

/**
 * nvfifo_intr_pause_us() - Compute the handler's pause after interrupts without progress
 * @idle: number of such interrupts in a row
 *
 * Return: microseconds
 */
u32 nvfifo_intr_pause_us(u32 idle)
{
	return min(idle / IDLE_FREE, (u32)IDLE_MAX_US / IDLE_STEP_US) * IDLE_STEP_US;
}

/* Does a unit wait for its interrupt to be handled? */
static bool is_unit_stopped(struct nvfifo_device *ndev)
{
	if (nvfifo_fifo_intr_pending(ndev) & ~NV_PFIFO_INTR__NOTIFY)
		return true;

	return nvfifo_gr_error_pending(ndev);
}

/*
 * A client can raise NOTIFY, BUFFER_NOTIFY and similar interrupts without end, and so can a unit
 * that the driver does not use. After each interrupt without progress the handler pauses for
 * longer, with interrupts off, to leave the processor to other work. Other clients lose little:
 * during the pause the handler still polls the fences, which are words in system memory. The pause
 * ends when a unit has stopped.
 */
static void pause_if_idle(struct nvfifo_device *ndev, bool found)
{
	ktime_t end;
	u32 us;

	if (found) {
		ndev->irq.idle_intrs /= 2;
		return;
	}

	us = nvfifo_intr_pause_us(++ndev->irq.idle_intrs);
	end = ktime_add_us(ktime_get(), us);
	while (us && ktime_before(ktime_get(), end) && !is_unit_stopped(ndev)) {
		usleep_range(IDLE_POLL_US, 2 * IDLE_POLL_US);

		if (nvfifo_fences_process_all(ndev))
			wake_up_all(&ndev->waiters);
	}
}

/**
 * nvfifo_irq_stray() - Count an interrupt without a known cause, and mask one that does not stop
 * @ndev: the device
 * @source: the unit
 * @intr: bits of the unit's INTR that no source names, or that no channel can cause; may be 0
 *
 * Known errors are never masked: PFIFO and PGRAPH stand still until they are handled.
 *
 * Context: The interrupt thread; fifo_lock held for PFIFO and PGRAPH.
 */
void nvfifo_irq_stray(struct nvfifo_device *ndev, enum nvfifo_source source, u32 intr)
{
	u32 masked = ndev->irq.masked[source];

	if (!intr || ++ndev->irq.strays[source] < STRAY_MAX)
		return;

	ndev->irq.masked[source] = masked | intr;
	if (source == NVFIFO_SOURCE_PFIFO)
		nvfifo_fifo_intr_mask(ndev, intr);
	else
		nvfifo_mask(ndev, stray_units[source].mask, intr, 0);

	if (intr & ~masked)
		drm_err(&ndev->drm, "%s interrupt %08x does not stop, and is masked for good\n",
			stray_units[source].name, intr);
}

static void bus_intr(struct nvfifo_device *ndev)
{
	u32 intr = nvfifo_rd32(ndev, NV_PBUS_INTR) & nvfifo_rd32(ndev, NV_PBUS_INTR_EN);
	const char *what;
	u32 addr;

	if (intr & NV_FLD_MASK(NV_PBUS_INTR__MMIO_FAULT)) {
		addr = nvfifo_rd32(ndev, NV_PBUS_MMIO_FAULT_ADDR);
		what = NV_FLD_GET(NV_PBUS_MMIO_FAULT_ADDR__WRITE, addr) ? "write" : "read";
		dev_err_ratelimited(ndev->drm.dev, "%s of absent register %06x, data %08x\n",
				    what, addr & ~3u, nvfifo_rd32(ndev, NV_PBUS_MMIO_FAULT_DATA));
	}

	nvfifo_wr32(ndev, NV_PBUS_INTR, intr);
	nvfifo_irq_stray(ndev, NVFIFO_SOURCE_PBUS, intr);
}

/* The bit of PMC.ENABLE that resets the unit of an interrupt */
static const struct {
	u32 intr;
	u32 enable;
} unit_resets[] = {
	{ NV_PMC_INTR_HOST__PVPE, NV_PMC_ENABLE__PVPE },
	{ NV_PMC_INTR_HOST__PMEDIA, NV_PMC_ENABLE__PMEDIA },
	{ NV_PMC_INTR_HOST__PGRAPH, NV_PMC_ENABLE__PGRAPH },
	{ NV_PMC_INTR_HOST__PCRYPT, NV_PMC_ENABLE__PCRYPT },
	{ NV_PMC_INTR_HOST__PBSP, NV_PMC_ENABLE__PBSP },
	{ NV_PMC_INTR_HOST__PVP, NV_PMC_ENABLE__PVP },
};

/*
 * Mask or reset units that the driver does not use, if the firmware left their interrupts on.
 * Before GT215 only, see nvfifo_irq_start().
 */
static void silence(struct nvfifo_device *ndev, u32 units)
{
	u32 reset = 0;
	int i;

	dev_warn_ratelimited(ndev->drm.dev, "interrupt %08x of units that are not used\n", units);

	nvfifo_card_mask_units(ndev);

	/*
	 * A reset turns a unit's interrupts off. The unit stays enabled, because a kick on G80
	 * waits for it.
	 */
	for (i = 0; i < ARRAY_SIZE(unit_resets); i++) {
		if (units & unit_resets[i].intr)
			reset |= unit_resets[i].enable;
	}

	if (reset)
		nvfifo_units_reset(ndev, reset);
}

/*
 * Handle interrupts of units that the driver does not use. Before GT215 some of these units, such
 * as PDISPLAY, can neither be masked in PMC nor reset. Their interrupts count as ones without
 * progress, so the handler pauses between them.
 */
static void unused_intr(struct nvfifo_device *ndev, u32 unused)
{
	if (!unused) {
		ndev->irq.spurious = 0;
		return;
	}

	silence(ndev, unused);
	if (++ndev->irq.spurious == SPURIOUS_MAX)
		drm_err(&ndev->drm, "interrupt %08x does not go away, and slows the driver down\n",
			unused);
}

/* Turn the card's interrupts on, first and at the end of the handler. */
static void unmask(struct nvfifo_device *ndev)
{
	if (!ndev->irq.polled)
		nvfifo_wr32(ndev, NV_PMC_INTR_EN_HOST, NV_FLD_MASK(NV_PMC_INTR_EN_HOST__HARDWARE));
}

/* The handler does not access a card that sleeps or is lost: such a card raises no interrupt. */
static bool is_quiet(const struct nvfifo_device *ndev)
{
	const enum nvfifo_phase phase = nvfifo_phase(ndev);

	return phase == NVFIFO_ASLEEP || phase == NVFIFO_LOST;
}

static void handle(struct nvfifo_device *ndev)
{
	u32 fifo = NV_FLD_MASK(NV_PMC_INTR_HOST__PFIFO);
	u32 bus = NV_FLD_MASK(NV_PMC_INTR_HOST__PBUS);
	u32 timer = NV_FLD_MASK(NV_PMC_INTR_HOST__PTIMER);
	u32 gr = nvfifo_pgraph_is_used(ndev) ? NV_FLD_MASK(NV_PMC_INTR_HOST__PGRAPH) : 0;
	bool found = false;
	u32 stat, unused = 0;

	if (is_quiet(ndev))
		return;

	nvfifo_msi_rearm(ndev);
	stat = nvfifo_rd32(ndev, NV_PMC_INTR_HOST);
	if (stat == ~0u && nvfifo_check_lost(ndev))
		return;

	/* An error of PGRAPH holds back the fences that came after it. */
	if (stat & gr)
		found |= nvfifo_gr_intr(ndev);
	if (stat & fifo)
		found |= nvfifo_fifo_intr(ndev);
	if (stat & bus)
		bus_intr(ndev);
	if (stat & timer)
		nvfifo_timer_intr(ndev);

	/* From GT215 on PMC masks the other units, but INTR_HOST shows them. */
	if (ndev->chip->chip < NV_CHIP_GT215)
		unused = stat & ~(fifo | bus | timer | gr);

	unused_intr(ndev, unused);

	/* PTIMER's and PBUS's interrupts are the driver's own, and end. */
	if (!(stat & (fifo | gr)) && !unused)
		found = true;

	pause_if_idle(ndev, found);
	unmask(ndev);
}

static irqreturn_t irq_thread(int irq, void *data)
{
	bool cookie = dma_fence_begin_signalling();

	handle(data);
	dma_fence_end_signalling(cookie);

	return IRQ_HANDLED;
}

/**
 * nvfifo_irq_poll() - Handle an interrupt that may have been lost
 * @ndev: the device
 *
 * Also re-arms the MSI, so that a pending interrupt raises another one.
 *
 * Context: Process context, sleeps until the handler has run.
 */
void nvfifo_irq_poll(struct nvfifo_device *ndev)
{
	CLASS(nvfifo_enter, entered)(ndev);
	if (!entered.is_open)
		return;

	irq_wake_thread(ndev->irq.line, ndev);
	synchronize_irq(ndev->irq.line);
}

static bool is_asserted(struct nvfifo_device *ndev)
{
	u32 units = NV_FLD_MASK(NV_PMC_INTR_HOST__PFIFO);

	/* The handler may take as long as a job, with the card's interrupts off. */
	if (!ndev->irq.polled && !nvfifo_rd32(ndev, NV_PMC_INTR_EN_HOST))
		return false;

	if (nvfifo_pgraph_is_used(ndev))
		units |= NV_FLD_MASK(NV_PMC_INTR_HOST__PGRAPH);

	return nvfifo_rd32(ndev, NV_PMC_INTR_HOST) & units;
}

static void tell_lost(struct nvfifo_device *ndev)
{
	const char *hint = "";

	if (ndev->irq.is_lost_told || ndev->irq.polled)
		return;

	ndev->irq.is_lost_told = true;
	if (ndev->irq.msi)
		hint = "; load the module with msi=0";

	drm_warn(&ndev->drm, "the card's interrupts do not arrive, and each wait is slow%s\n",
		 hint);
}

/**
 * nvfifo_irq_is_lost() - Look for an interrupt that does not arrive
 * @ndev: the device
 *
 * Some boards do not pass MSIs. The watchdog finds the end of each job there, so the card only
 * seems to be slow. The log says so once.
 *
 * Context: Process context, inside CLASS(nvfifo_enter). For the watchdog.
 *
 * Return: true if the card has asserted an interrupt for LOST_MS without a run of the handler.
 */
bool nvfifo_irq_is_lost(struct nvfifo_device *ndev)
{
	struct nvfifo_irq_state *irq = &ndev->irq;
	bool asserted = is_asserted(ndev);
	int arrived = atomic_read(&irq->arrived);

	if (!asserted || !irq->is_asserted || arrived != irq->seen) {
		irq->is_asserted = asserted;
		irq->seen = arrived;
		irq->since = jiffies;
		return false;
	}

	if (time_before(jiffies, irq->since + msecs_to_jiffies(LOST_MS)))
		return false;

	irq->is_asserted = false;

	/* The registers of a card that is gone read as all ones. The handler will find that. */
	if (nvfifo_card_answers(ndev))
		tell_lost(ndev);

	return true;
}

/*
 * Handle an interrupt that is only the NOTIFY of fences, as most are. The thread handles the
 * others, and a NOTIFY without a released fence, after which it may pause. Return: true if the
 * thread has nothing to do.
 */
static bool notify_intr(struct nvfifo_device *ndev)
{
	u32 fifo = NV_FLD_MASK(NV_PMC_INTR_HOST__PFIFO);

	if (!ndev->chip->g84)
		return false;

	nvfifo_msi_rearm(ndev);

	if (nvfifo_rd32(ndev, NV_PMC_INTR_HOST) != fifo || nvfifo_fifo_notify_ack(ndev))
		return false;

	wake_up_all(&ndev->waiters);

	return nvfifo_fences_process_all(ndev);
}

static irqreturn_t irq_handler(int irq, void *data)
{
	struct nvfifo_device *ndev = data;

	/* Another device may share the line. */
	if (is_quiet(ndev) || (!ndev->irq.msi && !nvfifo_rd32(ndev, NV_PMC_INTR_HOST)))
		return IRQ_NONE;

	atomic_inc(&ndev->irq.arrived);
	nvfifo_wr32(ndev, NV_PMC_INTR_EN_HOST, 0);

	if (!notify_intr(ndev))
		return IRQ_WAKE_THREAD;

	unmask(ndev);

	return IRQ_HANDLED;
}

/**
 * nvfifo_irq_mute() - Keep the card from asserting INTx before it is set up again
 * @ndev: the device, back from system sleep with the state that the firmware left
 *
 * The firmware may leave an interrupt pending and on. The handler returns IRQ_NONE until
 * nvfifo_irq_start(), and the kernel disables a line without a handler that accepts it. An
 * interrupt that stays asserted across nvfifo_irq_start() also produces no edge.
 *
 * Context: Any. A card that has lost its power ignores the write.
 */
void nvfifo_irq_mute(struct nvfifo_device *ndev)
{
	nvfifo_wr32(ndev, NV_PMC_INTR_EN_HOST, 0);
}

/**
 * nvfifo_irq_start() - Turn interrupts on, at probe and after a suspend
 * @ndev: the device
 */
void nvfifo_irq_start(struct nvfifo_device *ndev)
{
	u32 units = NV_FLD_MASK(NV_PMC_INTR_MASK_HOST__PFIFO) |
		    NV_FLD_MASK(NV_PMC_INTR_MASK_HOST__PBUS) |
		    NV_FLD_MASK(NV_PMC_INTR_MASK_HOST__PTIMER);

	if (nvfifo_pgraph_is_used(ndev))
		units |= NV_FLD_MASK(NV_PMC_INTR_MASK_HOST__PGRAPH);

	if (ndev->chip->chip >= NV_CHIP_GT215)
		nvfifo_wr32(ndev, NV_PMC_INTR_MASK_HOST, units);

	nvfifo_msi_rearm(ndev);
	unmask(ndev);
}

/**
 * nvfifo_irq_stop() - Turn interrupts off, with no handler running any more
 * @ndev: the device
 *
 * The line is off during this call. Otherwise the handler could return IRQ_NONE again and again for
 * an INTx that the card still asserts.
 */
void nvfifo_irq_stop(struct nvfifo_device *ndev)
{
	disable_irq(ndev->irq.line);
	nvfifo_set_phase(ndev, NVFIFO_ASLEEP);

	/* nvfifo_irq_poll() may have woken the thread. */
	synchronize_irq(ndev->irq.line);
	nvfifo_wr32(ndev, NV_PMC_INTR_EN_HOST, 0);
	nvfifo_fifo_intr_stop(ndev);
	enable_irq(ndev->irq.line);
}

/* Request the interrupt and turn it on. Return: 0, or an errno of the kernel. */
static int irq_request(struct nvfifo_device *ndev, unsigned int kinds)
{
	int ret = pci_alloc_irq_vectors(ndev->pdev, 1, 1, kinds);

	if (ret < 0)
		return ret;

	ndev->irq.polled = !interrupts;
	ndev->irq.msi = ndev->pdev->msi_enabled;
	ndev->irq.line = pci_irq_vector(ndev->pdev, 0);
	ret = request_threaded_irq(ndev->irq.line, irq_handler, irq_thread,
				   ndev->irq.msi ? 0 : IRQF_SHARED, NVFIFO_NAME, ndev);
	if (ret) {
		pci_free_irq_vectors(ndev->pdev);
		return ret;
	}

	nvfifo_irq_start(ndev);

	return 0;
}

/**
 * nvfifo_irq_init() - Request the interrupt and turn it on
 * @ndev: the device, whose PFIFO has no work
 *
 * Return: 0, or an errno of the kernel.
 */
int nvfifo_irq_init(struct nvfifo_device *ndev)
{
	unsigned int kinds = PCI_IRQ_INTX;

	if (msi && !ndev->chip->no_msi)
		kinds |= PCI_IRQ_MSI;

	return irq_request(ndev, kinds);
}

/**
 * nvfifo_irq_fini() - Undo nvfifo_irq_init()
 * @ndev: the device
 */
void nvfifo_irq_fini(struct nvfifo_device *ndev)
{
	nvfifo_irq_stop(ndev);
	free_irq(ndev->irq.line, ndev);

	/* A handler that nvfifo_irq_stop() held back may have turned them on again. */
	nvfifo_irq_mute(ndev);
	pci_free_irq_vectors(ndev->pdev);
}
