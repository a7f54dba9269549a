/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_IRQ_H_
#define _NVFIFO_IRQ_H_

#include <linux/types.h>

struct nvfifo_device;

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
bool nvfifo_irq_is_msi(const struct nvfifo_device *ndev);

void nvfifo_irq_mute(struct nvfifo_device *ndev);
void nvfifo_irq_start(struct nvfifo_device *ndev);
void nvfifo_irq_stop(struct nvfifo_device *ndev);
void nvfifo_irq_fini(struct nvfifo_device *ndev);
u32 nvfifo_intr_pause_us(u32 idle);
void nvfifo_irq_poll(struct nvfifo_device *ndev);
void nvfifo_irq_stray(struct nvfifo_device *ndev, enum nvfifo_source source, u32 intr);
u32 nvfifo_irq_masked(const struct nvfifo_device *ndev, enum nvfifo_source source);
bool nvfifo_irq_is_lost(struct nvfifo_device *ndev);

#endif
