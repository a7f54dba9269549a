/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_IRQ_H_
#define _NVFIFO_IRQ_H_

#include <linux/types.h>

struct nvfifo_chan_error;
struct nvfifo_chan;
struct nvfifo_device;
struct nvfifo_fault;

/**
 * struct nvfifo_irq_state - Interrupts
 * @line: Linux' number of the interrupt
 * @msi: it is an MSI
 * @asleep: interrupts are off during a suspend
 * @unknown_intrs: interrupts of PFIFO that no source names
 * @masked: units that GT215 and later keep from interrupting, which INTR_HOST still shows
 * @spurious: interrupts in a row that nobody handled
 * @idle_intrs: interrupts in a row for which nobody waited
 */
struct nvfifo_irq_state {
	int line;
	bool msi;
	bool asleep;
	unsigned int unknown_intrs;
	u32 masked;
	unsigned int spurious;
	unsigned int idle_intrs;
};

void nvfifo_msi_rearm(struct nvfifo_device *ndev);
int nvfifo_irq_init(struct nvfifo_device *ndev);
void nvfifo_irq_start(struct nvfifo_device *ndev);
void nvfifo_irq_stop(struct nvfifo_device *ndev);
void nvfifo_irq_fini(struct nvfifo_device *ndev);
u32 nvfifo_intr_pause_us(u32 idle);
void nvfifo_irq_heal(struct nvfifo_device *ndev);
void nvfifo_fifo_drop(struct nvfifo_chan *chan);
void nvfifo_fifo_unblock(struct nvfifo_device *ndev);
bool nvfifo_fault_read(struct nvfifo_device *ndev, struct nvfifo_fault *fault);
void nvfifo_fault_take(struct nvfifo_device *ndev, struct nvfifo_chan *chan,
		       struct nvfifo_chan_error *e);

#endif
