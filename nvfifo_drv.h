/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device, and declarations that all files of the driver share. Each has its own header.
 *
 * Lock order, outer first, by lockdep's names. The suites in User Mode Linux compare the orders
 * that lockdep has seen with this table.
 *
 *	&ndev->clear.lock	the channel that clears VRAM
 *	&vm->lock		mappings of one address space, and the plan of its page tables
 *	&chan->submit_lock	SUBMITs of one channel, in the order of their seqnos
 *	&queue->lock		jobs of one scheduler
 *	&vm->pt_lock		page tables of one address space; fences wait for it: no allocation
 *	&chan->lock		RAMHT and objects of one channel
 *	&bo->pages_lock		system memory of one buffer
 *	&ndev->bar1.lock	windows in BAR1
 *	&ndev->engine_lock	flush of PGRAPH's TLB, kick, freeze: one at a time
 *	&ndev->fifo_lock	channel table, playlist, phases of channels, resets
 *	&ndev->mmu.lock		TLB flush, fault record
 *	&ndev->bos.lock		list of buffers, labels
 *	&ndev->vms.lock		list of address spaces
 *	&ndev->mem.lock		VRAM, instance memory and tag allocators; no allocation under it
 *	&ndev->mem.flush_lock	BAR flush
 *	&ndev->mem.bars_lock	accesses to BAR1 and BAR3, against a reset of PFIFO; control pages
 *	&ndev->mem.pmem_lock	the PRAMIN window (spinlock)
 *	&ndev->hw.lock		phase, PMC.ENABLE, INTR_EN of PFIFO (spinlock, taken in interrupts)
 *	&chan->fence_lock	fences, ring and doorbell (spinlock, taken in interrupts)
 *	&fence->lock		one fence (spinlock, taken in interrupts)
 */
#ifndef _NVFIFO_DRV_H_
#define _NVFIFO_DRV_H_

#include <linux/pci.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_mm.h>
#include <drm/drm_print.h>

#include "mem/nvfifo_bo.h"
#include "debug/nvfifo_dump.h"
#include "fifo/nvfifo_chan.h"
#include "card/nvfifo_card.h"
#include "fifo/nvfifo_sched.h"
#include "nvfifo_fmt.h"
#include "gr/nvfifo_gr.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pusher.h"
#include "nvfifo_reg_table.h"
#include "nvfifo_request.h"
#include "nvfifo_vm.h"
#include "uapi/nvfifo_drm.h"

#define NVFIFO_NAME		"nvfifo"

/* Counters for dumps. */
struct nvfifo_counters {
	atomic_t timeouts;	/* waits that timed out */
	atomic_t gr_resets;	/* resets of a PGRAPH that was busy for too long */
	atomic64_t submits;	/* SUBMIT calls so far */
	atomic64_t errors;	/* error interrupts so far */
	atomic64_t lookups;	/* look-ups in RAMHT that were repeated */
};

/**
 * struct nvfifo_device - One card
 * @drm: the DRM device
 * @pdev: the PCI device
 * @chip: facts about the chipset
 * @boot_0: PMC_BOOT_0
 * @firmware_fb: a firmware's frame buffer lay in BAR1 at probe
 * @crtc_unused: the card was set up without its VGA registers
 * @waiters: threads that each interrupt and change of phase wakes: in CHANNEL_WAIT, and in waits
 *	of the driver
 * @counters: for dumps
 * @engine_lock: procedures that wait for work of engines, one at a time
 * @fifo_lock: the card's global state: channel table, playlist, kick, freeze, resets
 * @hw: nvfifo_hw.c
 * @recover: nvfifo_recover.c
 * @mem: nvfifo_mem.c
 * @bar1: nvfifo_mem.c
 * @clear: nvfifo_vram.c
 * @bos: nvfifo_bo.c
 * @mmu: nvfifo_mmu.c
 * @vms: nvfifo_vm.c
 * @fifo: nvfifo_pusher.c
 * @fences: nvfifo_sched.c
 * @gr: nvfifo_gr.c
 * @chan: nvfifo_chan.c
 * @watch: nvfifo_watch.c
 * @irq: nvfifo_irq.c
 * @pm: nvfifo_pm.c
 * @dump: nvfifo_dump.c
 */
struct nvfifo_device {
	struct drm_device drm;
	struct pci_dev *pdev;

	const struct nvfifo_chip *chip;
	u32 boot_0;
	bool firmware_fb;
	bool crtc_unused;

	wait_queue_head_t waiters;

	struct nvfifo_counters counters;
	struct mutex engine_lock;	/* procedures that wait for work of engines */
	struct mutex fifo_lock;		/* the card's global state */

	/* A struct for each file */
	struct nvfifo_hw_state hw;
	struct nvfifo_recover_state recover;

	struct nvfifo_mem_state mem;
	struct nvfifo_bar1_state bar1;
	struct nvfifo_clear_state clear;
	struct nvfifo_bo_state bos;
	struct nvfifo_mmu_state mmu;
	struct nvfifo_vm_state vms;

	struct nvfifo_fifo_state fifo;
	struct nvfifo_fence_state fences;
	struct nvfifo_gr_state gr;

	struct nvfifo_chan_state chan;
	struct nvfifo_watch_state watch;
	struct nvfifo_irq_state irq;
	struct nvfifo_pm_state pm;
	struct nvfifo_dump_state dump;
};

static inline struct nvfifo_device *to_nvfifo(struct drm_device *drm)
{
	return container_of(drm, struct nvfifo_device, drm);
}

/* The card's number in traces: that of its render node. KUnit's card has none. */
static inline u32 nvfifo_card(const struct nvfifo_device *ndev)
{
	return ndev->drm.render ? ndev->drm.render->index : 0;
}

/* Work queues of all cards */
extern struct workqueue_struct *nvfifo_wq;	/* watchdog, bans, jobs of SUBMIT */
extern struct workqueue_struct *nvfifo_wait_wq;	/* ends of channels, VM_BINDs: may wait */

int nvfifo_works_init(void);
void nvfifo_works_fini(void);
void nvfifo_live_get(struct nvfifo_device *ndev);
void nvfifo_live_put(struct nvfifo_device *ndev);
void nvfifo_device_prepare(struct nvfifo_device *ndev);

/* Ioctls; nvfifo_main.c lists them. */
drm_ioctl_t nvfifo_ioctl_bo_create, nvfifo_ioctl_bo_info, nvfifo_ioctl_bo_label,
	    nvfifo_ioctl_vm_create, nvfifo_ioctl_vm_destroy, nvfifo_ioctl_vm_bind,
	    nvfifo_ioctl_channel_create, nvfifo_ioctl_channel_destroy, nvfifo_ioctl_channel_query,
	    nvfifo_ioctl_channel_wait, nvfifo_ioctl_object_create, nvfifo_ioctl_object_destroy,
	    nvfifo_ioctl_submit;

#endif
