// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: TLBs and the fault record
 *
 * The registers of the MMU. The MMU caches translations per VM engine, and a flush drops those of
 * one engine. It records the first translation that fails, and keeps the record until it is read.
 * tlb.lock guards both.
 */
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_recover.h"
#include "nvfifo_tlb.h"
#include "nvfifo_trace.h"

/* TIMEOUT: hardware needs microseconds for a flush */
#define FLUSH_US	(20 * USEC_PER_MSEC)

/**
 * nvfifo_tlb_prepare() - Make the lock, before the card is touched
 * @ndev: the device
 */
void nvfifo_tlb_prepare(struct nvfifo_device *ndev)
{
	mutex_init(&ndev->tlb.lock);
}

/* Name of a flush, for the message about one that does not end. */
static const char *flush_name(unsigned int engine)
{
	switch (engine) {
	case NVFIFO_VM_PGRAPH:
		return "TLB flush of PGRAPH";
	case NVFIFO_VM_PFIFO:
		return "TLB flush of PFIFO";
	case NVFIFO_VM_BAR:
		return "TLB flush of the BARs";
	case NVFIFO_VM_SEMAPHORE_BG:
		return "TLB flush of SEMAPHORE_BG";
	case NVFIFO_VM_PCOPY:
		return "TLB flush of PCOPY";
	default:
		return "TLB flush of another engine";
	}
}

/**
 * nvfifo_tlb_flush_once() - Try to flush the TLB of a VM engine
 * @ndev: the device; for PGRAPH's engine with PGRAPH idle and paused
 * @data: points to struct nvfifo_flush; for nvfifo_run_procedure()
 *
 * Context: Process context, sleeps. Takes tlb.lock.
 *
 * Return: 0, -ETIMEDOUT, -EIO or -ENODEV.
 */
int nvfifo_tlb_flush_once(struct nvfifo_device *ndev, void *data)
{
	const struct nvfifo_flush *flush = data;
	const unsigned int engine = flush->engine;
	int ret;

	guard(mutex)(&ndev->tlb.lock);

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	if (nvfifo_is_other_recovering(ndev))
		return -ETIMEDOUT;

	/* After a time-out, a second flush must not begin before the first one has ended. */
	if (nvfifo_is_overdue(ndev))
		ret = nvfifo_wait(ndev, NV_PFB_TLB_FLUSH, NVFIFO_TLB_FLUSH_TRIGGER, 0,
				  "earlier TLB flush");
	if (ret)
		return ret;

	/*
	 * If a thread still reads the old number, its page table entries are in memory before this
	 * flush.
	 */
	if (engine == NVFIFO_VM_PGRAPH) {
		WRITE_ONCE(ndev->tlb.pgraph_begun, ndev->tlb.pgraph_begun + 1);
		smp_mb(); /* pairs with flush_pgraph() */
	}

	nvfifo_wr32(ndev, NV_PFB_TLB_FLUSH, nvfifo_tlb_flush_value(engine));

	return nvfifo_wait(ndev, NV_PFB_TLB_FLUSH, NVFIFO_TLB_FLUSH_TRIGGER, 0,
			   flush_name(engine));
}

static bool flush_is_done(struct nvfifo_device *ndev, void *data)
{
	return !(nvfifo_rd32(ndev, NV_PFB_TLB_FLUSH) & NVFIFO_TLB_FLUSH_TRIGGER);
}

/**
 * nvfifo_tlb_try_background() - Find out whether a flush of background semaphore reads ends
 * @ndev: the device, at probe, with PFIFO set up
 *
 * nvfifo_tlb_background() returns the answer. A flush of PFIFO follows, which shows whether other
 * flushes still end.
 *
 * Return: 0, or -EIO or -ENODEV if other flushes do not end.
 */
int nvfifo_tlb_try_background(struct nvfifo_device *ndev)
{
	scoped_guard(mutex, &ndev->tlb.lock) {
		nvfifo_wr32(ndev, NV_PFB_TLB_FLUSH,
			    nvfifo_tlb_flush_value(NVFIFO_VM_SEMAPHORE_BG));
		ndev->tlb.background = !nvfifo_poll(ndev, FLUSH_US, flush_is_done, NULL);
	}

	return nvfifo_tlb_flush(ndev, NVFIFO_VM_PFIFO);
}

/**
 * nvfifo_tlb_set_background() - Choose whether background semaphore reads have their own flush
 * @ndev: the device, at probe
 * @on: flushes of SEMAPHORE_BG end
 */
void nvfifo_tlb_set_background(struct nvfifo_device *ndev, bool on)
{
	ndev->tlb.background = on;
}

/**
 * nvfifo_tlb_background() - Do background semaphore reads have a flush of their own?
 * @ndev: the device
 *
 * Return: true if flushes of SEMAPHORE_BG end.
 */
bool nvfifo_tlb_background(const struct nvfifo_device *ndev)
{
	return ndev->tlb.background;
}

/*
 * Flush PGRAPH's engine while PGRAPH is idle, or leave it to another thread. A flush covers all
 * address spaces, so one that begins while this call waits for the lock is enough. N calls at once
 * then wait for the present work of PGRAPH only, not for N jobs.
 */
static int flush_pgraph(struct nvfifo_device *ndev, struct nvfifo_flush *flush)
{
	unsigned int begun;

	smp_mb(); /* page table entries before the number, see nvfifo_tlb_flush_once() */
	begun = READ_ONCE(ndev->tlb.pgraph_begun);

	guard(mutex)(&ndev->engine_lock);
	guard(mutex)(&ndev->fifo_lock);

	/* If another flush has begun, it has also ended, or the card is stuck. */
	if (READ_ONCE(ndev->tlb.pgraph_begun) != begun)
		return nvfifo_check_wedged(ndev);

	return nvfifo_run_procedure_locked(ndev, "TLB flush", ndev->callbacks->gr_flush_tlb, flush);
}

/**
 * nvfifo_tlb_flush() - Flush the TLB of a VM engine
 * @ndev: the device, without fifo_lock
 * @engine: NVFIFO_VM_...
 *
 * The caller flushes entries in VRAM by nvfifo_bar_flush() before. A flush of PGRAPH's engine waits
 * until PGRAPH is idle.
 *
 * Context: Process context, sleeps. Takes engine_lock and fifo_lock for PGRAPH, fifo_lock also if
 * the flush does not end.
 *
 * Return: 0, -EIO or -ENODEV.
 */
int nvfifo_tlb_flush(struct nvfifo_device *ndev, unsigned int engine)
{
	struct nvfifo_flush flush = { .engine = engine };
	int ret;

	if (engine == NVFIFO_VM_PGRAPH && ndev->chip->gr_flush_idle)
		ret = flush_pgraph(ndev, &flush);
	else
		ret = nvfifo_run_procedure(ndev, "TLB flush", nvfifo_tlb_flush_once, &flush);

	trace_nvfifo_flush(ndev, engine, ret);

	return ret;
}

/**
 * nvfifo_fault_read() - Read and clear the MMU's fault record
 * @ndev: the device
 * @fault: set to the record
 *
 * The MMU records the next fault from now on.
 *
 * Context: Process context. Takes tlb.lock.
 *
 * Return: true if there was a record.
 */
bool nvfifo_fault_read(struct nvfifo_device *ndev, struct nvfifo_fault *fault)
{
	u32 pending = NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING);
	u32 w[NVFIFO_FAULT_WORDS], ctrl, enable;
	int i;

	guard(mutex)(&ndev->tlb.lock);

	ctrl = nvfifo_rd32(ndev, NV_PFB_VM_FAULT);
	if (!(ctrl & pending) || ctrl == ~0u)
		return false;

	/*
	 * Like nouveau, which drops bit 27 of MCP89's enable value at this write and does not
	 * restore it.
	 */
	enable = ctrl & NV_FLD_MASK(NV_PFB_VM_FAULT__ENABLE);

	for (i = 0; i < NVFIFO_FAULT_WORDS; i++) {
		nvfifo_wr32(ndev, NV_PFB_VM_FAULT,
			    enable | NV_FLD_SET(NV_PFB_VM_FAULT__INDEX, i));

		w[i] = nvfifo_rd32(ndev, NV_PFB_VM_FAULT_DATA);
	}

	nvfifo_wr32(ndev, NV_PFB_VM_FAULT, enable | pending);
	*fault = nvfifo_fault_decode(ndev->chip->id, w);

	return true;
}

/**
 * nvfifo_fault_take() - Log the fault record, if there is one
 * @ndev: the device, with fifo_lock held
 * @chan: the channel that has an error, or NULL if none is known
 * @e: its error, which gets the fault if the fault is the channel's; NULL without @chan
 *
 * The record may be an older one, of another channel.
 */
void nvfifo_fault_take(struct nvfifo_device *ndev, struct nvfifo_chan *chan,
		       struct nvfifo_chan_error *e)
{
	const u32 id = ndev->chip->id;
	struct nvfifo_fault f;

	if (!nvfifo_fault_read(ndev, &f))
		return;

	trace_nvfifo_fault(ndev, &f);
	dev_err_ratelimited(ndev->drm.dev,
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

/**
 * nvfifo_tlb_detach() - Stop TLB flushes for good
 * @ndev: the device that is being removed, with fifo_lock held
 *
 * Waits for flushes that have begun. The card counts as lost from then on.
 */
void nvfifo_tlb_detach(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->tlb.lock);

	nvfifo_bar_flush_detach(ndev);
}
