// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Access to the card
 *
 * Register access, waits, work queues, and the mark of a card that cannot be used.
 *
 * Every wait for the card goes through nvfifo_poll(), which sleeps between two polls and ends after
 * a bounded time. No caller holds a spinlock or disables interrupts.
 *
 * hw.lock guards the phase of a card (enum nvfifo_phase)::
 *
 *	probe                   suspend
 *	  |                    ---------> SUSPENDING
 *	  v                                   |
 *	STARTING ---> RUNNING                 | its channels are off
 *	                 |                    v
 *	          remove |     <---------  ASLEEP
 *	                 v      resume
 *	             REMOVING
 *	                 | halted      no reset helped      no answer, or not set up
 *	                 v              +------ any -----------+
 *	               GONE <-- STUCK <-+                      |
 *	                          |                            v
 *	                          +-----------------------> LOST
 *
 * A card that stops answering, or that no reset helps, is *wedged*: in phase LOST or STUCK. From
 * then on no code waits for it: calls fail at once and all channels are dead. Only a new probe
 * tries the card again.
 *
 * CLASS(nvfifo_enter) keeps the card present while a thread uses it: drm_dev_enter() for a scope.
 *
 * Arguments of user space
 *
 * Arrays with a stride, and the rules that the fields of a call obey.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "card/nvfifo_hw.h"
#include "debug/nvfifo_trace.h"
#include "mem/nvfifo_mem.h"
#include "nvfifo_drv.h"
#include "nvfifo_pusher.h"

/* --- Work queues and the life of the module ------------------------------- */

/*
 * All cards share the work queues, so only the module's exit may wait for a whole queue. The number
 * of workers of a queue is limited. So items that may wait for PGRAPH use a queue of their own, and
 * the watchdog, which ends such waits, always finds a worker.
 */
struct workqueue_struct *nvfifo_wq;
struct workqueue_struct *nvfifo_wait_wq;

/* Number of channels and address spaces. The module's exit waits until it is 0. */
static atomic_t live = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(live_wq);

/**
 * nvfifo_live_get() - Keep the device and the module until a work item has freed an object
 * @ndev: the device
 *
 * A job that waits for another driver's fence may keep a channel or an address space long after
 * the last file was closed.
 */
void nvfifo_live_get(struct nvfifo_device *ndev)
{
	drm_dev_get(&ndev->drm);
	atomic_inc(&live);
}

/**
 * nvfifo_live_put() - Undo nvfifo_live_get()
 * @ndev: the device, which the caller does not use any more
 *
 * The work item calls it last.
 */
void nvfifo_live_put(struct nvfifo_device *ndev)
{
	drm_dev_put(&ndev->drm);
	atomic_dec(&live);
	wake_up_all(&live_wq);
}

/**
 * nvfifo_works_init() - Create the work queues
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_works_init(void)
{
	/*
	 * Not freezable: other drivers may wait for fences during a suspend until the card sleeps.
	 */
	nvfifo_wq = alloc_workqueue(NVFIFO_NAME, WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!nvfifo_wq)
		return -ENOMEM;

	nvfifo_wait_wq = alloc_workqueue(NVFIFO_NAME "-wait", WQ_UNBOUND | WQ_MEM_RECLAIM,
					 WQ_MAX_ACTIVE);
	if (!nvfifo_wait_wq) {
		destroy_workqueue(nvfifo_wq);
		return -ENOMEM;
	}

	return 0;
}

/**
 * nvfifo_works_fini() - Wait for the last channel and address space, and destroy the work queues
 *
 * Context: The exit of the module, sleeps.
 */
void nvfifo_works_fini(void)
{
	wait_event(live_wq, !atomic_read(&live));
	destroy_workqueue(nvfifo_wait_wq);
	destroy_workqueue(nvfifo_wq);
}

/* --- Traces --------------------------------------------------------------- */

/**
 * nvfifo_access_trace() - Trace an access to a BAR
 * @ndev: the device
 * @op: the kind of access
 * @bar: 0 or 3
 * @offset: offset in the BAR
 * @value: the value read or written; for NVFIFO_ACCESS_CLEAR the number of bytes
 *
 * Context: Any.
 */
void nvfifo_access_trace(const struct nvfifo_device *ndev, enum nvfifo_access_op op,
			 unsigned int bar, u32 offset, u64 value)
{
	trace_nvfifo_access(ndev, op, bar, offset, value);
}

/* --- Access for hw/ -------------------------------------------------------- */

static u32 port_read(void *card, u32 reg)
{
	return nvfifo_rd32(card, reg);
}

static void port_write(void *card, u32 reg, u32 value)
{
	nvfifo_wr32(card, reg, value);
}

static u32 port_vram_read(void *card, u64 address)
{
	return nvfifo_vram_rd32(card, address);
}

static void port_vram_write(void *card, u64 address, u32 value)
{
	nvfifo_vram_wr32(card, address, value);
}

/**
 * nvfifo_port() - Give the functions of hw/ access to the card
 * @ndev: the device
 *
 * Return: the access.
 */
struct nvfifo_port nvfifo_port(struct nvfifo_device *ndev)
{
	return (struct nvfifo_port){
		.card = ndev,
		.chip = ndev->chip->chip,
		.read = port_read,
		.write = port_write,
		.vram_read = port_vram_read,
		.vram_write = port_vram_write,
	};
}

/* --- A card that cannot be used ------------------------------------------- */

static bool phase_may_become(enum nvfifo_phase from, enum nvfifo_phase to)
{
	static const u32 next[NVFIFO_PHASES] = {
		[NVFIFO_STARTING] = BIT(NVFIFO_RUNNING),
		[NVFIFO_RUNNING] = BIT(NVFIFO_SUSPENDING) | BIT(NVFIFO_REMOVING),
		[NVFIFO_SUSPENDING] = BIT(NVFIFO_ASLEEP),
		[NVFIFO_ASLEEP] = BIT(NVFIFO_RUNNING),
		[NVFIFO_REMOVING] = BIT(NVFIFO_GONE),
		[NVFIFO_STUCK] = BIT(NVFIFO_GONE),
	};

	/* A card can be wedged at any time. LOST replaces STUCK. */
	if (to == NVFIFO_STUCK || to == NVFIFO_LOST)
		return from < to;

	return next[from] & BIT(to);
}

/**
 * nvfifo_set_phase() - Change the phase of the card, if the change is allowed
 * @ndev: the device
 * @phase: its new phase
 *
 * Wakes the threads that wait for the card. A suspend or a removal changes nothing on a card that
 * is wedged.
 *
 * Context: Any. Takes hw.lock.
 *
 * Return: true if the phase was changed.
 */
bool nvfifo_set_phase(struct nvfifo_device *ndev, enum nvfifo_phase phase)
{
	scoped_guard(spinlock_irqsave, &ndev->hw.lock) {
		if (!phase_may_become(ndev->hw.phase, phase))
			return false;

		WRITE_ONCE(ndev->hw.phase, phase);
	}

	wake_up_all(&ndev->waiters);

	return true;
}

/**
 * nvfifo_ban_queue() - Queue the ban of killed channels, or of all channels of a wedged card
 * @ndev: the device
 *
 * Context: Any.
 */
void nvfifo_ban_queue(struct nvfifo_device *ndev)
{
	queue_work(nvfifo_wq, &ndev->hw.ban_work);
}

/**
 * nvfifo_card_leave_bus() - Take a wedged card off the bus, and ban its channels
 * @ndev: the device
 *
 * The card's accesses must not reach memory that is freed from now on.
 */
void nvfifo_card_leave_bus(struct nvfifo_device *ndev)
{
	pci_clear_master(ndev->pdev);
	nvfifo_ban_queue(ndev);
}

/**
 * nvfifo_check_lost() - Is the card lost?
 * @ndev: the device
 *
 * Every register of a lost card reads as all ones. For some registers that is a valid value, but
 * never for PMC_BOOT_0. Marks the device as lost.
 *
 * Return: true if it is lost.
 */
bool nvfifo_check_lost(struct nvfifo_device *ndev)
{
	if (nvfifo_rd32(ndev, NV_PMC_BOOT_0) != ~0u)
		return false;

	nvfifo_wedge(ndev, NVFIFO_LOST);

	return true;
}

/**
 * nvfifo_halt() - Stop PFIFO as it is
 * @ndev: the device
 *
 * These writes need PFIFO out of reset, and no answer from it.
 */
void nvfifo_halt(struct nvfifo_device *ndev)
{
	nvfifo_fifo_intr_stop(ndev);
	nvfifo_wr32(ndev, NV_PFIFO_INTR_EN, 0);
	nvfifo_wr32(ndev, NV_PFIFO_CACHES, 0);
	nvfifo_wr32(ndev, NV_CACHE1_PULL0, 0);
	nvfifo_wr32(ndev, NV_CACHE1_DMA_PUSH, 0);
	nvfifo_wr32(ndev, NV_CACHE1_PUSH0, 0);
}

/**
 * nvfifo_units_reset() - Reset units of the card
 * @ndev: the device
 * @units: bits of PMC.ENABLE; these units are on afterwards
 *
 * One register holds the bits of all units, and the interrupt handler may reset a unit during a
 * recovery. Without the lock, one of two concurrent changes would be lost. The lock also keeps the
 * interrupt handler away from the registers of a PFIFO in reset.
 *
 * Context: Any. Takes hw.lock.
 */
void nvfifo_units_reset(struct nvfifo_device *ndev, u32 units)
{
	guard(spinlock_irqsave)(&ndev->hw.lock);
	nvfifo_mask(ndev, NV_PMC_ENABLE, units, 0);
	nvfifo_mask(ndev, NV_PMC_ENABLE, units, units);
	nvfifo_rd32(ndev, NV_PMC_ENABLE);	/* the write has reached the card, as in nouveau */
}

/* Reset PGRAPH, which drops its work. A halted PFIFO sends it no more. */
static void halt_pgraph(struct nvfifo_device *ndev)
{
	u32 unit = NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH);

	if (ndev->chip->g84)
		unit |= NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH_CTXSW);

	nvfifo_units_reset(ndev, unit);
}

/* Skip units in reset. All of them are in reset after a suspend that cut the card's power. */
static void halt_units(struct nvfifo_device *ndev)
{
	u32 enable = nvfifo_rd32(ndev, NV_PMC_ENABLE);

	if (enable & NV_FLD_MASK(NV_PMC_ENABLE__PFIFO))
		nvfifo_halt(ndev);
	if (nvfifo_pgraph_is_used(ndev) && enable & NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH))
		halt_pgraph(ndev);
}

/**
 * nvfifo_wedge() - Stop using the card
 * @ndev: the device
 * @why: STUCK or LOST; the first one is kept, except that LOST replaces STUCK
 *
 * A stuck card is halted before its bus mastering is disabled. Otherwise PFIFO would read all ones
 * and execute them as ring entries, and PGRAPH would never stop. A work item bans all channels.
 */
void nvfifo_wedge(struct nvfifo_device *ndev, enum nvfifo_phase why)
{
	if (!nvfifo_set_phase(ndev, why))
		return;

	if (why == NVFIFO_STUCK)
		halt_units(ndev);

	nvfifo_io(ndev)->leave_bus(ndev);
	drm_err(&ndev->drm,
		"the card is %s; it is unusable until the driver is bound again\n",
		nvfifo_wedged_name(ndev));
}

/**
 * nvfifo_wedged_name() - The name of a card's state
 * @ndev: the device
 *
 * Return: the name
 */
const char *nvfifo_wedged_name(const struct nvfifo_device *ndev)
{
	switch (nvfifo_check_wedged(ndev)) {
	case 0:
		return "ok";
	case -EIO:
		return "stuck";
	default:
		return "lost";
	}
}

/**
 * nvfifo_poll() - Sleep until a condition holds, the time is over, or the card is lost
 * @ndev: the device
 * @timeout_us: the time, microseconds; KUnit's card may have a shorter one
 * @done: returns true if the condition holds
 * @data: for @done
 *
 * The interval between polls grows with the wait. So a card that does not answer for seconds keeps
 * neither a processor nor the bus busy. The function returns late by a sixteenth of the wait, and
 * by NVFIFO_POLL_MAX_US at most. The wait ends when another thread finds that the card is lost.
 *
 * Context: Process context, sleeps.
 *
 * Return: 0 or -ETIMEDOUT.
 */
int nvfifo_poll(struct nvfifo_device *ndev, u32 timeout_us,
		bool (*done)(struct nvfifo_device *ndev, void *data), void *data)
{
	u64 waited_us = 0, sleep_us;
	ktime_t begin;

	/* Fast path: most waits end at the first poll, and the clock is slow to read. */
	if (done(ndev, data))
		return 0;

	begin = ktime_get();
	timeout_us = nvfifo_io(ndev)->timeout_us(ndev, timeout_us);

	do {
		/* The thread may have been preempted past the time, so poll once more after it. */
		if (waited_us > timeout_us || nvfifo_check_wedged(ndev) == -ENODEV)
			return -ETIMEDOUT;

		sleep_us = clamp(waited_us / 16, NVFIFO_POLL_US, NVFIFO_POLL_MAX_US);
		usleep_range(sleep_us / 2, sleep_us);
		waited_us = ktime_us_delta(ktime_get(), begin);
	} while (!done(ndev, data));

	return 0;
}

/**
 * nvfifo_poll_failed() - Count and report a wait that ran out of time
 * @ndev: the device
 * @what: name of the procedure that did not end
 * @timeout_us: its time limit, microseconds
 *
 * Return: -ENODEV if the card is lost, else -ETIMEDOUT.
 */
int nvfifo_poll_failed(struct nvfifo_device *ndev, const char *what, u32 timeout_us)
{
	atomic_inc(&ndev->counters.timeouts);
	if (nvfifo_check_lost(ndev))
		return -ENODEV;

	drm_err(&ndev->drm, "%s did not end in %lu ms\n", what, timeout_us / USEC_PER_MSEC);

	return -ETIMEDOUT;
}

struct reg_wait {
	u32 reg, mask, want;
	u32 last;	/* value at the last poll */
};

static bool reg_wait_done(struct nvfifo_device *ndev, void *data)
{
	struct reg_wait *wait = data;

	wait->last = nvfifo_rd32(ndev, wait->reg);

	return (wait->last & wait->mask) == wait->want;
}

/**
 * nvfifo_wait() - Wait until a field of a register has a value
 * @ndev: the device
 * @reg: the register
 * @mask: bits of the field
 * @want: their value
 * @what: name of the procedure, for the message
 *
 * nvfifo_run_procedure() handles a time-out.
 *
 * Context: Process context, sleeps.
 *
 * Return: 0, -ETIMEDOUT, or -ENODEV if the card is lost.
 */
int nvfifo_wait(struct nvfifo_device *ndev, u32 reg, u32 mask, u32 want, const char *what)
{
	struct reg_wait wait = { .reg = reg, .mask = mask, .want = want };

	if (!nvfifo_poll(ndev, NVFIFO_TIMEOUT_US, reg_wait_done, &wait))
		return 0;

	atomic_inc(&ndev->counters.timeouts);
	if (nvfifo_check_lost(ndev))
		return -ENODEV;

	drm_err(&ndev->drm, "%s did not end in %lu ms: register %06x is %08x\n", what,
		NVFIFO_TIMEOUT_US / USEC_PER_MSEC, reg, wait.last);

	return -ETIMEDOUT;
}

/* --- Arguments of user space --------------------------------------------- */

/**
 * nvfifo_array_check() - Check the size and the stride of an array in user space
 * @ndev: the device, for messages
 * @in: its address, number of elements and stride
 * @known: bytes of an element that the driver knows
 * @max: largest number of elements
 * @name: of the argument, for messages
 *
 * Return: 0, -E2BIG or -EINVAL.
 */
int nvfifo_array_check(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, size_t known,
		       u32 max, const char *name)
{
	if (in->count > max)
		return nvfifo_fail(ndev, -E2BIG, "%s.count %u is above %u", name, in->count, max);
	if (in->count && (in->stride < known || in->stride > PAGE_SIZE || in->stride % 8))
		return nvfifo_einval(ndev, "%s.stride %u: not a multiple of 8 from %zu to %lu",
				     name, in->stride, known, PAGE_SIZE);

	return 0;
}

/*
 * Copy one element of an array of up to 16 MiB. If it is in VRAM, which a process can map, the
 * processor takes seconds to read it. Return: 0, -EFAULT, -E2BIG, or -EINTR if the process is being
 * killed.
 */
static int element_copy(void *out, size_t known, const void __user *user, size_t bytes)
{
	if (fatal_signal_pending(current))
		return -EINTR;

	cond_resched();

	return copy_struct_from_user(out, known, user, bytes);
}

/**
 * nvfifo_array_copy() - Copy elements of an array from user space
 * @ndev: the device, for messages
 * @in: the array, after nvfifo_array_check()
 * @first: number of the first element
 * @count: number of elements
 * @known: bytes of an element that the driver knows; further bytes in user space must be 0
 * @out: set to the elements, @known bytes each
 * @name: of the argument, for messages
 *
 * Context: Process context, sleeps.
 *
 * Return: 0, -EFAULT, -E2BIG if such a further byte is not 0, or -EINTR if the process is being
 * killed.
 */
int nvfifo_array_copy(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, u32 first,
		      u32 count, size_t known, void *out, const char *name)
{
	void __user *user = u64_to_user_ptr(in->ptr) + (size_t)first * in->stride;
	int ret = 0;
	u32 i;

	if (in->stride == known)
		ret = copy_from_user(out, user, known * count) ? -EFAULT : 0;
	else
		for (i = 0; i < count && !ret; i++)
			ret = element_copy(out + i * known, known,
					   user + (size_t)i * in->stride, in->stride);
	if (!ret || ret == -EINTR)
		return ret;

	return nvfifo_fail(ndev, ret, "%s.ptr %#llx: %d", name, in->ptr, ret);
}

/**
 * nvfifo_array_get() - Copy an array with a stride from user space
 * @ndev: the device, for messages
 * @in: its address, number of elements and stride
 * @known: bytes of an element that the driver knows; further bytes in user space must be 0
 * @max: largest number of elements
 * @name: of the argument, for messages
 *
 * Context: Process context, sleeps.
 *
 * Return: the elements, @known bytes each; free them by kvfree(). Or -E2BIG, -EINVAL, -EFAULT,
 * -EINTR or -ENOMEM.
 */
void *nvfifo_array_get(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in,
		       size_t known, u32 max, const char *name)
{
	int ret = nvfifo_array_check(ndev, in, known, max, name);
	void *out;

	if (ret)
		return ERR_PTR(ret);

	out = kvmalloc(known * in->count, GFP_KERNEL_ACCOUNT);
	if (!out)
		return ERR_PTR(-ENOMEM);

	ret = nvfifo_array_copy(ndev, in, 0, in->count, known, out, name);
	if (!ret)
		return out;

	kvfree(out);

	return ERR_PTR(ret);
}
