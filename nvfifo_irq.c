// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Interrupts and errors
 *
 * The interrupt handler turns the card's interrupts off, a thread looks for the reason,
 * re-arms the MSI and turns them on again. Two reasons are normal: NOTIFY, a fence of G84
 * and later, and on G80 a CACHE_ERROR for the software object that a fence binds.
 *
 * All others of PFIFO are mistakes in a pushbuffer. PFIFO stops with the channel loaded
 * and nobody else runs, so the handler first makes it go on: what the channel still had in
 * cache, segment and ring is dropped. Then the channel is killed.
 *
 * A failed translation has no interrupt of its own. The MMU keeps the first one until it
 * is read, and the unit that suffered it reports MEM_FAULT in its own way.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>

#include <drm/drm_drv.h>

#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_gr.h"
#include "nvfifo_hw.h"
#include "nvfifo_irq.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "nvfifo_sched.h"
#include "nvfifo_trace.h"

/* Where the MSI capability lies in the configuration space. */
#define CONFIG_MSI	0x68
#define MSI_REARM	0xff

/* Interrupts in a row without a reason, after which they stay off. */
#define SPURIOUS_MAX	1000

/* Interrupts of PFIFO that no source names, after which they stay off. */
#define UNKNOWN_MAX	100

/* Bindings of the software object: free ones, and those of a user queue in a second. */
#define SW_BINDS_FREE	16
#define SW_BINDS_SECOND	1000

/* Interrupts in a row that brought nobody on: free ones, and the steps and limit of the pause. */
#define IDLE_FREE	32
#define IDLE_STEP_US	250
#define IDLE_MAX_US	3000

/* From one look to the next during a pause. */
#define IDLE_LOOK_US	200

/* PFIFO stops at these until they are handled. */
#define FIFO_ERRORS	(NV_PFIFO_INTR__CACHE_ERROR | NV_PFIFO_INTR__DMA_PUSHER | \
			 NV_PFIFO_INTR__SEMAPHORE | NV_PFIFO_INTR__MTHD_UNK2C)
#define FIFO_KNOWN	(FIFO_ERRORS | FIFO_FAULTS | NV_PFIFO_INTR__PIO_ERROR | \
			 NV_PFIFO_INTR__NOTIFY)
#define FIFO_FAULTS	(NV_PFIFO_INTR__BAR_FAULT | NV_PFIFO_INTR__PEEPHOLE_FAULT)

/**
 * nvfifo_msi_rearm - Let the card send the next MSI
 * @ndev: the device
 *
 * It is one byte, as in nouveau: the register mirrors the MSI capability with byte lanes, and a
 * 32-bit write would clear Message Control, with it the enable bit. The chips before G94 take it
 * from a real configuration cycle only.
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

/* Take the MMU's fault record, if there is one. The MMU records the next one from now on. */
bool nvfifo_fault_read(struct nvfifo_device *ndev, struct nvfifo_fault *fault)
{
	u32 pending = NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING);
	u32 w[NVFIFO_FAULT_WORDS], ctrl, enable;
	int i;

	guard(mutex)(&ndev->mmu.lock);
	ctrl = nvfifo_rd32(ndev, NV_PFB_VM_FAULT);
	if (!(ctrl & pending) || ctrl == ~0u)
		return false;

	enable = ctrl & ~(pending | NV_FLD_MASK(NV_PFB_VM_FAULT__INDEX));
	for (i = 0; i < NVFIFO_FAULT_WORDS; i++) {
		nvfifo_wr32(ndev, NV_PFB_VM_FAULT,
			    enable | NV_FLD_SET(NV_PFB_VM_FAULT__INDEX, i));
		w[i] = nvfifo_rd32(ndev, NV_PFB_VM_FAULT_DATA);
	}

	nvfifo_wr32(ndev, NV_PFB_VM_FAULT, enable | pending);
	*fault = nvfifo_fault_decode(ndev->chip->id, w);

	return true;
}

/* Log the fault record, if there is one. It may be an older one, of another channel than @chan. */
void nvfifo_fault_take(struct nvfifo_device *ndev, struct nvfifo_chan *chan,
		       struct nvfifo_chan_error *e)
{
	const u32 id = ndev->chip->id;
	struct nvfifo_fault f;

	if (!nvfifo_fault_read(ndev, &f))
		return;

	trace_nvfifo_fault(ndev, &f);
	nvfifo_incident_fault(ndev, chan && f.inst == chan->inst.addr ? chan->id : 0, &f);
	nvfifo_log(ndev,
		   "VM fault: %s at %010llx, engine %x %s, client %x %s, slot %x %s, channel structure %08llx: %s\n",
		   f.write ? "write" : "read", f.address, f.engine,
		   nvfifo_name_or_unknown(nvfifo_fault_engine(id, f.engine)), f.client,
		   nvfifo_name_or_unknown(nvfifo_fault_client(id, f.client)), f.slot,
		   nvfifo_name_or_unknown(nvfifo_fault_slot(id, f.engine, f.client, f.slot)),
		   f.inst, nvfifo_fault_reason_name(f.reason));
	if (!chan || f.inst != chan->inst.addr)
		return;

	chan->faults++;
	e->fault = 1;
	e->fault_address = f.address;
	e->fault_engine = f.engine;
	e->fault_client = f.client;
	e->fault_slot = f.slot;
	e->fault_reason = f.reason;
	e->fault_write = f.write;
}

static u32 cache_word(struct nvfifo_device *ndev, u32 get, u32 *data)
{
	u32 i = (get & 0x7fc) >> 2;

	*data = nvfifo_rd32(ndev, NV_REG_AT(NV_CACHE1_CACHE_DATA, i));

	return nvfifo_rd32(ndev, NV_REG_AT(NV_CACHE1_CACHE_MTHD, i)) &
	       (NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__METHOD) |
		NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__SUBCHANNEL));
}

static void puller_resume(struct nvfifo_device *ndev, u32 get, u32 intr)
{
	nvfifo_wr32(ndev, NV_CACHE1_GET, get);
	nvfifo_wr32(ndev, NV_CACHE1_HASH, 0);
	nvfifo_wr32(ndev, NV_PFIFO_INTR, intr);
	nvfifo_wr32(ndev, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
}

/* Make PFIFO forget what the loaded channel has not executed, and go on. */
static void drop_channel(struct nvfifo_device *ndev, u32 intr)
{
	/* Stop first: the owner may move PUT at any time. */
	nvfifo_fifo_stop_puller(ndev);
	nvfifo_fifo_stop_pusher(ndev);
	nvfifo_wr32(ndev, NV_CACHE1_METHOD_COUNT, 0);
	nvfifo_wr32(ndev, NV_CACHE1_DMA_GET, nvfifo_rd32(ndev, NV_CACHE1_DMA_PUT));
	nvfifo_wr32(ndev, NV_CACHE1_DMA_GET_HIGH, nvfifo_rd32(ndev, NV_CACHE1_DMA_PUT_HIGH));
	nvfifo_wr32(ndev, NV_CACHE1_IB_GET, nvfifo_rd32(ndev, NV_CACHE1_IB_PUT));
	nvfifo_wr32(ndev, NV_CACHE1_DMA_STATE, 0);

	/* An unaligned semaphore address would fail again at the next restart. */
	if (ndev->chip->g84)
		nvfifo_wr32(ndev, NV_CACHE1_SEMAPHORE_ADDRESS_LOW, 0);
	puller_resume(ndev, nvfifo_rd32(ndev, NV_CACHE1_PUT), intr);
	nvfifo_wr32(ndev, NV_CACHE1_DMA_PUSH, NV_FLD_MASK(NV_CACHE1_DMA_PUSH__ACCESS));
}

/**
 * nvfifo_fifo_drop - Make PFIFO forget the work of a channel that another unit has refused
 * @chan: the channel, with fifo.lock held
 *
 * It is no longer runnable. A PFIFO that is being frozen would go on, and is left alone: what is
 * left runs until the channel is killed.
 */
void nvfifo_fifo_drop(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	u32 caches;

	lockdep_assert_held(&ndev->fifo.lock);
	if (!chan->running || ndev->fifo.frozen)
		return;

	caches = nvfifo_rd32(ndev, NV_PFIFO_CACHES);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	nvfifo_wr32(ndev, NV_REG_AT(NV_PFIFO_CHAN_TABLE, chan->id), chan->table);
	if (NV_FLD_GET(NV_CACHE1_PUSH1__CHID, nvfifo_rd32(ndev, NV_CACHE1_PUSH1)) == chan->id)
		drop_channel(ndev, FIFO_ERRORS);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, caches & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

static void pusher_error(struct nvfifo_device *ndev, u32 id, struct nvfifo_chan_error *e)
{
	u32 state = nvfifo_rd32(ndev, NV_CACHE1_DMA_STATE);

	e->error = DRM_NVFIFO_ERROR_PUSHER;
	e->error_code = NV_FLD_GET(NV_CACHE1_DMA_STATE__ERROR, state);
	e->error_method = state & (NV_FLD_MASK(NV_CACHE1_DMA_STATE__SUBCHANNEL) |
				   NV_FLD_MASK(NV_CACHE1_DMA_STATE__METHOD));
	e->error_data = nvfifo_rd32(ndev, e->error_code == NVFIFO_PUSHER_INVALID_MTHD ?
					    NV_CACHE1_DMA_DATA_SHADOW : NV_CACHE1_DMA_RSVD_SHADOW);
	nvfifo_log(ndev,
		   "channel %u: DMA_PUSHER %s, word %08x, subchannel %u method %04x, state %08x, get %010llx put %010llx ib_get %x ib_put %x\n",
		   id, nvfifo_pusher_error_name(e->error_code), e->error_data,
		   e->error_method >> 13, e->error_method & 0x1ffc, state, e->get, e->put,
		   e->ib_get, e->ib_put);
}

/*
 * May the loaded channel bind the driver's software object? Only G80 needs it, once for each
 * fence, and each time PFIFO stands still until the handler has run. A pushbuffer may do so as
 * often as SUBMITs have ended, and a user queue, which has no fences, so many times a second.
 */
static bool sw_bind_allowed(struct nvfifo_device *ndev, u32 id)
{
	struct nvfifo_chan *chan = xa_load(&ndev->fifo.chans, id);

	if (ndev->chip->g84 || !chan)
		return false;

	chan->sw_binds++;
	if (!chan->user_queue) {
		/* The fence of this binding, if it is one, has been released already. */
		nvfifo_fences_process(chan);
		return chan->sw_binds <= 2 * READ_ONCE(chan->completed) + SW_BINDS_FREE;
	}

	if (time_after(jiffies, chan->sw_since + HZ)) {
		chan->sw_since = jiffies;
		chan->sw_binds = 0;
	}

	return chan->sw_binds <= SW_BINDS_SECOND;
}

/* Return: true if the channel has to go. */
static bool cache_error(struct nvfifo_device *ndev, u32 id, struct nvfifo_chan_error *e)
{
	u32 get = nvfifo_rd32(ndev, NV_CACHE1_GET);
	u32 pull0 = nvfifo_rd32(ndev, NV_CACHE1_PULL0);
	u32 subc;

	e->error_method = cache_word(ndev, get, &e->error_data);

	/* G80's fence: the driver's software object is bound. */
	if (pull0 & NV_FLD_MASK(NV_CACHE1_PULL0__DEVICE_SOFTWARE) &&
	    NV_FLD_GET(NV_CACHE1_CACHE_MTHD__METHOD, e->error_method) == NVFIFO_MTHD_OBJECT &&
	    e->error_data == NVFIFO_HANDLE_SW) {
		if (!sw_bind_allowed(ndev, id))
			goto error;

		subc = NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, e->error_method);
		nvfifo_mask(ndev, NV_CACHE1_ENGINE, 0xfu << (subc * 4), 0);

		/* GET counts in fours up to twice the size of the cache. */
		puller_resume(ndev, (get + 4) & 0xffc, NV_PFIFO_INTR__CACHE_ERROR);
		return false;
	}
error:
	e->error = DRM_NVFIFO_ERROR_CACHE;
	e->error_code = pull0;
	nvfifo_log(ndev, "channel %u: CACHE_ERROR %s, subchannel %u method %04x data %08x\n", id,
		   nvfifo_cache_error_name(pull0), e->error_method >> 13,
		   e->error_method & 0x1ffc, e->error_data);

	return true;
}

static void semaphore_error(struct nvfifo_device *ndev, u32 id, struct nvfifo_chan_error *e)
{
	u32 get = nvfifo_rd32(ndev, NV_CACHE1_GET);
	u32 pull0 = nvfifo_rd32(ndev, NV_CACHE1_PULL0);

	/* A bad low address has been taken before it is refused: GET is past it. */
	if (ndev->chip->g84 && nvfifo_rd32(ndev, NV_CACHE1_SEMAPHORE_ADDRESS_LOW) & 3)
		get = (get - 4) & 0xffc;
	e->error = DRM_NVFIFO_ERROR_SEMAPHORE;
	e->error_code = NV_FLD_GET(NV_CACHE1_PULL0__SEMAPHORE_ERROR, pull0);
	e->error_method = cache_word(ndev, get, &e->error_data);
	nvfifo_log(ndev, "channel %u: SEMAPHORE %s, method %04x data %08x\n", id,
		   nvfifo_semaphore_error_name(e->error_code), e->error_method & 0x1ffc,
		   e->error_data);
}

/*
 * The puller has stopped for a reason that has no decoder: method 0x2c of MCP89, or an interrupt
 * that no source names.
 */
static void puller_error(struct nvfifo_device *ndev, u32 id, u32 intr,
			 struct nvfifo_chan_error *e)
{
	e->error = DRM_NVFIFO_ERROR_CACHE;
	e->error_code = nvfifo_rd32(ndev, NV_CACHE1_PULL0);
	e->error_method = cache_word(ndev, nvfifo_rd32(ndev, NV_CACHE1_GET), &e->error_data);
	nvfifo_log(ndev,
		   "channel %u: PFIFO interrupt %08x, PULL0 %08x, subchannel %u method %04x data %08x\n",
		   id, intr, e->error_code, e->error_method >> 13, e->error_method & 0x1ffc,
		   e->error_data);
}

static bool is_mem_fault(const struct nvfifo_chan_error *e)
{
	return (e->error == DRM_NVFIFO_ERROR_PUSHER && e->error_code == NVFIFO_PUSHER_MEM_FAULT) ||
	       (e->error == DRM_NVFIFO_ERROR_SEMAPHORE &&
		e->error_code == NVFIFO_SEMAPHORE_MEM_FAULT);
}

/* Find out what is wrong with the loaded channel, drop its work and condemn it. */
static void fifo_error(struct nvfifo_device *ndev, u32 intr)
{
	struct nvfifo_chan_error e = {};
	struct nvfifo_chan *chan;
	bool kill = true;
	u32 id, caches;

	/* Keep the channel where it is, so that the registers are about it. */
	caches = nvfifo_rd32(ndev, NV_PFIFO_CACHES);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	id = NV_FLD_GET(NV_CACHE1_PUSH1__CHID, nvfifo_rd32(ndev, NV_CACHE1_PUSH1));
	chan = xa_load(&ndev->fifo.chans, id);
	if (chan)
		nvfifo_fifo_position(chan, &e);

	/* Both may have stopped; what the puller executes comes first. */
	if (intr & NV_PFIFO_INTR__CACHE_ERROR)
		kill = cache_error(ndev, id, &e);
	else if (intr & NV_PFIFO_INTR__SEMAPHORE)
		semaphore_error(ndev, id, &e);
	else if (intr & NV_PFIFO_INTR__DMA_PUSHER)
		pusher_error(ndev, id, &e);
	else
		puller_error(ndev, id, intr, &e);
	if (kill) {
		if (is_mem_fault(&e))
			nvfifo_fault_take(ndev, chan, &e);

		/* First nobody may ring its doorbell: what came after the drop would run. */
		if (chan) {
			nvfifo_chan_condemn(chan, &e);
			nvfifo_wr32(ndev, NV_REG_AT(NV_PFIFO_CHAN_TABLE, id), chan->table);
		}

		drop_channel(ndev, FIFO_ERRORS | intr);
		atomic64_inc(&ndev->counters.errors);
	}

	nvfifo_wr32(ndev, NV_PFIFO_CACHES, caches & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

/* Handle an error that PFIFO has stopped for; fifo.lock is held. */
void nvfifo_fifo_unblock(struct nvfifo_device *ndev)
{
	u32 intr = nvfifo_rd32(ndev, NV_PFIFO_INTR);

	if (intr != ~0u && intr & FIFO_ERRORS)
		fifo_error(ndev, intr);
}

/*
 * Interrupts that are not about the loaded channel, and those that no source names. A unit that
 * raises one of the latter may have stopped the puller: that is the loaded channel's error then.
 */
static void fifo_other(struct nvfifo_device *ndev, u32 intr)
{
	u32 unknown = intr & ~FIFO_KNOWN;

	if (intr & NV_PFIFO_INTR__PIO_ERROR)
		nvfifo_log(ndev, "access to a PIO area was refused\n");
	if (intr & FIFO_FAULTS)
		nvfifo_fault_take(ndev, NULL, NULL);
	if (unknown) {
		nvfifo_log(ndev, "PFIFO interrupt %08x is unknown\n", unknown);
		if (!(nvfifo_rd32(ndev, NV_CACHE1_PULL0) & NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS)))
			fifo_error(ndev, unknown);
		else if (++ndev->irq.unknown_intrs >= UNKNOWN_MAX)
			nvfifo_mask(ndev, NV_PFIFO_INTR_EN, unknown, 0);
	}

	if (intr)
		nvfifo_wr32(ndev, NV_PFIFO_INTR, intr);
}

/*
 * Take NOTIFY, and signal fences. Without fifo.lock, which may be held for as long as a job takes.
 * Whose the notify was is not recorded. Return: true if a fence was signalled.
 */
static bool notify_intr(struct nvfifo_device *ndev)
{
	u32 intr;

	scoped_guard(mutex, &ndev->fifo.notify_lock) {
		intr = nvfifo_rd32(ndev, NV_PFIFO_INTR) & NV_PFIFO_INTR__NOTIFY;
		if (intr)
			nvfifo_wr32(ndev, NV_PFIFO_INTR, intr);
	}

	return intr && nvfifo_fences_process_all(ndev);
}

/* Return: true if the interrupt brought somebody on. */
static bool fifo_intr(struct nvfifo_device *ndev)
{
	bool found = notify_intr(ndev);
	u32 intr;

	scoped_guard(mutex, &ndev->fifo.notify_lock)
		intr = nvfifo_rd32(ndev, NV_PFIFO_INTR) & nvfifo_rd32(ndev, NV_PFIFO_INTR_EN);
	if (!(intr & ~NV_PFIFO_INTR__NOTIFY))
		return found;

	scoped_guard(mutex, &ndev->fifo.lock) {
		intr = nvfifo_rd32(ndev, NV_PFIFO_INTR) & nvfifo_rd32(ndev, NV_PFIFO_INTR_EN);
		if (intr & FIFO_ERRORS)
			fifo_error(ndev, intr);
		fifo_other(ndev, intr & ~(FIFO_ERRORS | NV_PFIFO_INTR__NOTIFY));
	}

	/* On G80 a CACHE_ERROR may have been a fence. */
	if (intr & FIFO_ERRORS)
		found |= nvfifo_fences_process_all(ndev);

	return found;
}

/**
 * nvfifo_intr_pause_us - How long the handler pauses after interrupts that brought nobody on
 * @idle: number of such interrupts in a row
 *
 * Return: microseconds
 */
u32 nvfifo_intr_pause_us(u32 idle)
{
	return min(idle / IDLE_FREE, (u32)IDLE_MAX_US / IDLE_STEP_US) * IDLE_STEP_US;
}

/* Does a unit stand still until its interrupt is handled? */
static bool is_unit_stopped(struct nvfifo_device *ndev)
{
	u32 fifo = nvfifo_rd32(ndev, NV_PFIFO_INTR) & nvfifo_rd32(ndev, NV_PFIFO_INTR_EN);

	if (fifo & ~NV_PFIFO_INTR__NOTIFY)
		return true;

	return READ_ONCE(ndev->gr.up) && nvfifo_rd32(ndev, NV_PGRAPH_INTR) & ~NVFIFO_GR_NORMAL;
}

/*
 * A client can raise NOTIFY, BUFFER_NOTIFY and the like without end. Interrupts that bring nobody
 * on are answered more slowly the more of them come in a row, so that the handler leaves the
 * processor to others. Interrupts are off meanwhile. Others hardly notice: fences, which are words
 * in system memory, are still looked at, and the pause ends when a unit has stopped.
 */
static void calm_down(struct nvfifo_device *ndev, bool found)
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
		usleep_range(IDLE_LOOK_US, 2 * IDLE_LOOK_US);
		if (nvfifo_fences_look(ndev))
			wake_up_all(&ndev->waiters);
	}
}

static void bus_intr(struct nvfifo_device *ndev)
{
	u32 intr = nvfifo_rd32(ndev, NV_PBUS_INTR) & nvfifo_rd32(ndev, NV_PBUS_INTR_EN);
	u32 addr;

	if (intr & NV_FLD_MASK(NV_PBUS_INTR__MMIO_FAULT)) {
		addr = nvfifo_rd32(ndev, NV_PBUS_MMIO_FAULT_ADDR);
		nvfifo_log(ndev, "%s of absent register %06x, data %08x\n",
			   NV_FLD_GET(NV_PBUS_MMIO_FAULT_ADDR__WRITE, addr) ? "write" : "read",
			   addr & ~3u, nvfifo_rd32(ndev, NV_PBUS_MMIO_FAULT_DATA));
	}

	nvfifo_wr32(ndev, NV_PBUS_INTR, intr);
}

/* Which bit of PMC.ENABLE resets the unit of an interrupt */
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

/* Units that the driver does not use, but whose interrupts the firmware left on. */
static void silence(struct nvfifo_device *ndev, u32 units)
{
	u32 reset = 0;
	int i;

	dev_warn_ratelimited(ndev->drm.dev, "interrupt %08x of units that are not used\n", units);
	if (ndev->chip->chip >= NV_CHIP_GT215) {
		nvfifo_mask(ndev, NV_PMC_INTR_MASK_HOST, units, 0);
		ndev->irq.masked |= units;
		return;
	}

	if (units & NV_FLD_MASK(NV_PMC_INTR_HOST__PTIMER))
		nvfifo_wr32(ndev, NV_PTIMER_INTR_EN, 0);

	/* A unit fresh from reset has its interrupts off. It stays on: on G80 a kick asks it. */
	for (i = 0; i < ARRAY_SIZE(unit_resets); i++) {
		if (units & unit_resets[i].intr)
			reset |= unit_resets[i].enable;
	}

	nvfifo_mask(ndev, NV_PMC_ENABLE, reset, 0);
	nvfifo_mask(ndev, NV_PMC_ENABLE, 0, reset);
}

static irqreturn_t irq_thread(int irq, void *data)
{
	u32 fifo = NV_FLD_MASK(NV_PMC_INTR_HOST__PFIFO);
	u32 bus = NV_FLD_MASK(NV_PMC_INTR_HOST__PBUS);
	struct nvfifo_device *ndev = data;
	u32 gr = READ_ONCE(ndev->gr.up) ? NV_FLD_MASK(NV_PMC_INTR_HOST__PGRAPH) : 0;
	bool found = false;
	u32 stat, unused;

	if (READ_ONCE(ndev->irq.asleep))
		return IRQ_HANDLED;

	nvfifo_msi_rearm(ndev);
	stat = nvfifo_rd32(ndev, NV_PMC_INTR_HOST);
	if (stat == ~0u && nvfifo_check_lost(ndev))
		return IRQ_HANDLED;

	if (stat & fifo)
		found |= fifo_intr(ndev);
	if (stat & gr)
		found |= nvfifo_gr_intr(ndev);
	if (stat & bus)
		bus_intr(ndev);

	unused = stat & ~(fifo | bus | gr | ndev->irq.masked);
	if (unused) {
		silence(ndev, unused);
		if (++ndev->irq.spurious >= SPURIOUS_MAX) {
			drm_err(&ndev->drm, "interrupt %08x does not go away, interrupts stay off\n",
				stat);
			nvfifo_wedge(ndev, NVFIFO_STUCK);
			return IRQ_HANDLED;
		}
	} else {
		ndev->irq.spurious = 0;
	}

	calm_down(ndev, found || !(stat & (fifo | gr)));
	nvfifo_wr32(ndev, NV_PMC_INTR_EN_HOST, NV_FLD_MASK(NV_PMC_INTR_EN_HOST__HARDWARE));

	return IRQ_HANDLED;
}

/*
 * Handle an interrupt that may have been lost. Also re-arms the MSI and lets a pending interrupt
 * raise another one.
 */
void nvfifo_irq_heal(struct nvfifo_device *ndev)
{
	CLASS(nvfifo_enter, idx)(ndev);
	if (idx < 0)
		return;

	irq_wake_thread(ndev->irq.line, ndev);
	synchronize_irq(ndev->irq.line);
}

static irqreturn_t irq_handler(int irq, void *data)
{
	struct nvfifo_device *ndev = data;

	/* A shared line may be another device's. */
	if (READ_ONCE(ndev->irq.asleep) || (!ndev->irq.msi && !nvfifo_rd32(ndev, NV_PMC_INTR_HOST)))
		return IRQ_NONE;

	nvfifo_wr32(ndev, NV_PMC_INTR_EN_HOST, 0);

	return IRQ_WAKE_THREAD;
}

/* Interrupts on; also after a suspend. */
void nvfifo_irq_start(struct nvfifo_device *ndev)
{
	WRITE_ONCE(ndev->irq.asleep, false);
	ndev->irq.masked = 0;
	if (ndev->chip->chip >= NV_CHIP_GT215)
		nvfifo_mask(ndev, NV_PMC_INTR_MASK_HOST, 0,
			    NV_FLD_MASK(NV_PMC_INTR_MASK_HOST__PFIFO) |
			    NV_FLD_MASK(NV_PMC_INTR_MASK_HOST__PBUS));
	nvfifo_msi_rearm(ndev);
	nvfifo_wr32(ndev, NV_PMC_INTR_EN_HOST, NV_FLD_MASK(NV_PMC_INTR_EN_HOST__HARDWARE));
}

/*
 * Interrupts off, with no handler running any more. The handler must not see the card asleep while
 * it can still assert INTx: it would deny the interrupt again and again. So the line is off
 * meanwhile.
 */
void nvfifo_irq_stop(struct nvfifo_device *ndev)
{
	disable_irq(ndev->irq.line);
	WRITE_ONCE(ndev->irq.asleep, true);

	/* nvfifo_irq_heal() may have woken the thread. */
	synchronize_irq(ndev->irq.line);
	nvfifo_wr32(ndev, NV_PMC_INTR_EN_HOST, 0);
	enable_irq(ndev->irq.line);
}

/* Request the interrupt and turn it on. msi tells whether an MSI is wanted, then if it is one. */
int nvfifo_irq_init(struct nvfifo_device *ndev)
{
	int ret = pci_alloc_irq_vectors(ndev->pdev, 1, 1,
					PCI_IRQ_INTX | (ndev->irq.msi ? PCI_IRQ_MSI : 0));

	if (ret < 0)
		return ret;

	ndev->irq.msi = ndev->pdev->msi_enabled;
	ndev->irq.line = pci_irq_vector(ndev->pdev, 0);
	ret = request_threaded_irq(ndev->irq.line, irq_handler, irq_thread,
				   ndev->irq.msi ? 0 : IRQF_SHARED, NVFIFO_NAME, ndev);
	if (ret)
		pci_free_irq_vectors(ndev->pdev);
	else
		nvfifo_irq_start(ndev);

	return ret;
}

void nvfifo_irq_fini(struct nvfifo_device *ndev)
{
	nvfifo_irq_stop(ndev);
	free_irq(ndev->irq.line, ndev);
	pci_free_irq_vectors(ndev->pdev);
}
