/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The card: how the driver reaches it, its life, interrupts, recovery and system sleep.
 */
#ifndef _NVFIFO_CARD_H_
#define _NVFIFO_CARD_H_

#include <linux/list.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "nvfifo_chip.h"
#include "nvfifo_reg_table.h"

struct drm_printer;
struct nvfifo_device;
struct task_struct;

extern const struct pci_device_id nvfifo_pci_ids[];

bool nvfifo_card_has_display(struct nvfifo_device *ndev);
bool nvfifo_card_find_firmware_fb(const struct pci_dev *pdev, u64 *first, u64 *end);
int nvfifo_card_map(struct nvfifo_device *ndev);
int nvfifo_card_start(struct nvfifo_device *ndev);
void nvfifo_card_reset_units(struct nvfifo_device *ndev);
void nvfifo_card_mask_units(struct nvfifo_device *ndev);
int nvfifo_timer_start(struct nvfifo_device *ndev);
u64 nvfifo_timer_read(struct nvfifo_device *ndev);
void nvfifo_timer_intr(struct nvfifo_device *ndev);

/* --- Access --------------------------------------------------------------- */

/**
 * enum nvfifo_phase - The life of a card, from probe to remove; nvfifo_hw.c draws it
 * @NVFIFO_STARTING: probe sets it up; PFIFO has no channels that a reset could restore
 * @NVFIFO_RUNNING: in use
 * @NVFIFO_SUSPENDING: a suspend takes the channels off the card
 * @NVFIFO_ASLEEP: interrupts are off, and nothing accesses the card but its resume
 * @NVFIFO_REMOVING: the driver is being unbound: waits for work of the card end at once
 * @NVFIFO_STUCK: a procedure did not end, and no reset helped: off the bus, all channels end
 * @NVFIFO_LOST: registers read as all ones, or a resume failed: off the bus, all channels end
 * @NVFIFO_GONE: halted for its removal: the card accesses no memory any more
 * @NVFIFO_PHASES: number of phases
 *
 * The card can be used in the phases before STUCK.
 */
enum nvfifo_phase {
	NVFIFO_STARTING,
	NVFIFO_RUNNING,
	NVFIFO_SUSPENDING,
	NVFIFO_ASLEEP,
	NVFIFO_REMOVING,
	NVFIFO_STUCK,
	NVFIFO_LOST,
	NVFIFO_GONE,
	NVFIFO_PHASES
};

/**
 * struct nvfifo_io_ops - The operations in which KUnit's card differs from a real one
 * @rd32: read a register of BAR0
 * @wr32: write a register of BAR0
 * @wr8: write a byte of BAR0
 * @timeout_us: time limit of a wait that has this many microseconds on a real card
 * @leave_bus: disable bus mastering of a wedged card, and queue the ban of its channels
 *
 * Set at probe. A module without the suites has only nvfifo_card_io, which the compiler calls
 * directly.
 */
struct nvfifo_io_ops {
	u32 (*rd32)(struct nvfifo_device *ndev, u32 reg);
	void (*wr32)(struct nvfifo_device *ndev, u32 reg, u32 val);
	void (*wr8)(struct nvfifo_device *ndev, u32 reg, u8 val);

	u32 (*timeout_us)(struct nvfifo_device *ndev, u32 us);

	void (*leave_bus)(struct nvfifo_device *ndev);
};

/**
 * struct nvfifo_hw_state - Access to the card
 * @mmio: BAR0
 * @io: how to reach the card, read by nvfifo_io()
 * @phase: the card's life (lock)
 * @pgraph_used: PGRAPH is set up, and may be touched
 * @lock: changes of @phase and PMC.ENABLE; held while PFIFO is in reset
 * @ban_work: bans the killed channels, or all channels of a wedged card
 */
struct nvfifo_hw_state {
	void __iomem *mmio;
	const struct nvfifo_io_ops *io;
	enum nvfifo_phase phase;
	bool pgraph_used;
	spinlock_t lock;		/* phase, PMC.ENABLE, PFIFO's INTR_EN */
	struct work_struct ban_work;
};

/* --- Interrupts ----------------------------------------------------------- */

/* Units whose interrupts can be masked in a register of their own */
enum nvfifo_source {
	NVFIFO_SOURCE_PBUS,
	NVFIFO_SOURCE_PFIFO,
	NVFIFO_SOURCE_PGRAPH,
	NVFIFO_SOURCES
};

/**
 * struct nvfifo_irq_state - Interrupts
 * @line: Linux' number of the interrupt
 * @msi: it is an MSI
 * @polled: the card never interrupts, and waits poll, as the parameter "interrupts" says
 * @spurious: interrupts in a row of units that the driver does not use
 * @idle_intrs: interrupts in a row without progress
 * @arrived: interrupts that the kernel has delivered
 * @seen: @arrived when the watchdog first saw the present interrupt
 * @since: time of that, jiffies
 * @is_asserted: the watchdog has seen an interrupt that may be on its way
 * @strays: interrupts of each unit without a known cause
 * @masked: bits of each unit's INTR that nvfifo_irq_stray() has masked
 * @is_lost_told: the log says that interrupts do not arrive
 */
struct nvfifo_irq_state {
	int line;
	bool msi;
	bool polled;
	unsigned int spurious;
	unsigned int idle_intrs;
	atomic_t arrived;
	int seen;
	unsigned long since;
	bool is_asserted;
	bool is_lost_told;
	u32 strays[NVFIFO_SOURCES];
	u32 masked[NVFIFO_SOURCES];
};

void nvfifo_msi_rearm(struct nvfifo_device *ndev);
int nvfifo_irq_init(struct nvfifo_device *ndev);

void nvfifo_irq_mute(struct nvfifo_device *ndev);
void nvfifo_irq_start(struct nvfifo_device *ndev);
void nvfifo_irq_stop(struct nvfifo_device *ndev);
void nvfifo_irq_fini(struct nvfifo_device *ndev);
u32 nvfifo_intr_pause_us(u32 idle);
void nvfifo_irq_poll(struct nvfifo_device *ndev);
void nvfifo_irq_stray(struct nvfifo_device *ndev, enum nvfifo_source source, u32 intr);
bool nvfifo_irq_is_lost(struct nvfifo_device *ndev);

/* --- Recovery ------------------------------------------------------------- */

/* The resets of nvfifo_recover(), in their order. */
enum nvfifo_reset {
	NVFIFO_RESET_PFIFO,
	NVFIFO_RESET_UNITS,
	NVFIFO_RESET_COUNT
};

/**
 * struct nvfifo_reset_count - Number and time of one kind of reset
 * @taken: all
 * @helped: resets after which the procedure ended
 * @longest_us: longest time, with the procedure that follows, microseconds
 */
struct nvfifo_reset_count {
	u32 taken, helped;
	s64 longest_us;
};

/**
 * struct nvfifo_recover_state - Recovery
 * @resets: number and time of each kind of reset (fifo_lock)
 * @overdue: a procedure has timed out, so other waits return -ETIMEDOUT at once
 * @thread: the thread that makes the resets; no other thread waits for the card
 * @count: number of nvfifo_recover() calls that have ended
 */
struct nvfifo_recover_state {
	struct nvfifo_reset_count resets[NVFIFO_RESET_COUNT];
	bool overdue;
	struct task_struct *thread;
	unsigned int count;
};

/* A procedure of the card. Return: 0, -ETIMEDOUT if it did not end in time, -EIO or -ENODEV. */
typedef int (*nvfifo_procedure)(struct nvfifo_device *ndev, void *data);

/* State of procedures */
bool nvfifo_is_overdue(const struct nvfifo_device *ndev);
unsigned int nvfifo_recover_count(const struct nvfifo_device *ndev);
bool nvfifo_is_other_recovering(const struct nvfifo_device *ndev);

int nvfifo_poll_work(struct nvfifo_device *ndev, u32 timeout_us,
		     bool (*done)(struct nvfifo_device *ndev, void *data), void *data);
int nvfifo_run_procedure(struct nvfifo_device *ndev, const char *name, nvfifo_procedure run,
			 void *data);
int nvfifo_run_procedure_locked(struct nvfifo_device *ndev, const char *name,
				nvfifo_procedure run, void *data);
int nvfifo_recover(struct nvfifo_device *ndev, const char *name, nvfifo_procedure again,
		   void *data);

void nvfifo_recover_print(struct nvfifo_device *ndev, struct drm_printer *p);

void nvfifo_reset_park(struct nvfifo_device *ndev);

/* --- System sleep --------------------------------------------------------- */

/**
 * struct nvfifo_pm_state - System sleep
 * @saved: contents of VRAM during a suspend
 */
struct nvfifo_pm_state {
	struct list_head saved;
};

void nvfifo_pm_fini(struct nvfifo_device *ndev);

extern const struct dev_pm_ops nvfifo_pm_ops;

#endif
