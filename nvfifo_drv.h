/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device, and what all rooms of the driver share. Each room has a header of its own.
 *
 * Lock order, outer first:
 *
 *	nvfifo_file.lock	the file's channels
 *	nvfifo_vm.lock		mappings of one address space; may allocate
 *	nvfifo_vm.pt_lock	its page tables; fences wait for it
 *	nvfifo_chan.lock	RAMHT and objects of one channel
 *	nvfifo_device.fifo_lock	channel table, playlist, kick, freeze
 *	nvfifo_device.notify_lock	PFIFO's reset, look at NOTIFY
 *	nvfifo_device.bar1_lock	windows in BAR1, clearing of VRAM, PEEPHOLE
 *	nvfifo_device.mmu_lock	TLB flush, fault record
 *	nvfifo_device.objects_lock	lists of address spaces and buffers, labels
 *	nvfifo_device.mem_lock	VRAM, instance memory and tag allocators
 *	nvfifo_device.tables_lock	list of page tables
 *	nvfifo_device.flush_lock	BAR flush
 *	nvfifo_device.pmem_lock	the PRAMIN window (spinlock)
 *	nvfifo_chan.fence_lock	fences (spinlock, taken in interrupts)
 */
#ifndef _NVFIFO_DRV_H_
#define _NVFIFO_DRV_H_

#include <linux/pci.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_mm.h>
#include <drm/drm_print.h>

#include "kunit/card.h"
#include "nvfifo_chip_table.h"
#include "nvfifo_fmt.h"
#include "nvfifo_grctx.h"
#include "nvfifo_reg_table.h"
#include "uapi/nvfifo_drm.h"

#define NVFIFO_NAME		"nvfifo"

/* User addresses stop where the driver's own mappings begin, in the last PDE. */
#define NVFIFO_VA_START		SZ_64K
#define NVFIFO_VA_END		((1ULL << NVFIFO_VA_BITS) - (1ULL << NVFIFO_PDE_SHIFT))

struct nvfifo_chan;
struct nvfifo_vm;

/* Work queues of all devices: channels and watchdogs; jobs of the schedulers. */
extern struct workqueue_struct *nvfifo_wq;
extern struct workqueue_struct *nvfifo_sched_wq;

/* Why the card can no longer be used; sticky until the driver is loaded again. */
enum nvfifo_wedge {
	NVFIFO_OK = 0,
	NVFIFO_LOST,		/* reads return all ones */
	NVFIFO_STUCK,		/* a procedure did not end in time */
};

/* A piece of instance memory. */
struct nvfifo_inst {
	struct drm_mm_node node;
	u64 addr;		/* VRAM address */
};

/* One card. */
struct nvfifo_device {
	struct drm_device drm;
	struct pci_dev *pdev;
	const struct nvfifo_chip *chip;
	u32 boot_0;
	void __iomem *mmio;		/* BAR0 */
	struct nvfifo_fake *fake;	/* KUnit's card, else NULL */
	int wedged;			/* enum nvfifo_wedge */
	bool removing;			/* the driver is being taken off the card: do not wait */
	bool suspending;		/* until the card is back, which it may never be */
	bool asleep;			/* no interrupts */
	struct list_head saved;		/* VRAM, meanwhile */
	u32 saved_pmem;			/* what the firmware had in the PRAMIN window's base */
	u32 saved_sysram;		/* and in the address of the flush page */

	int irq;
	bool msi;
	unsigned int unknown_intrs;	/* of PFIFO, that no source names */
	unsigned int spurious;		/* interrupts in a row that nobody handled */
	atomic_t timeouts;		/* waits that ran out */
	atomic64_t submits, errors;	/* SUBMIT calls, and error interrupts, so far */

	spinlock_t pmem_lock;		/* the PRAMIN window */
	u32 pmem_base;			/* where it is, ~0 if unknown */
	struct mutex flush_lock;	/* BAR flush */
	struct mutex mmu_lock;		/* TLB flush, fault record */

	struct mutex mem_lock;		/* the allocators that follow */
	struct drm_mm vram;
	u64 vram_size, vram_free;	/* free: bytes that BO_CREATE has not given out */
	u64 vram_pool;			/* bytes that BO_CREATE can give out in all */
	u64 igp_base;			/* system address of stolen memory */
	u64 row_block;			/* bytes that must not have both bank types, and 64 KiB */
	struct drm_mm_node heap_node;	/* the instance heap in VRAM */
	struct drm_mm heap;		/* VRAM addresses */
	u64 heap_size;			/* bytes, what of BAR3 is used */
	void __iomem *bar3;		/* shows the heap, if heap_mapped */
	bool bar3_wc;
	bool heap_mapped;
	struct drm_mm tags;		/* compression tag cells */
	u32 num_tags, tags_free;	/* 0 if the card has none */
	u64 bar1_size;			/* bytes of BAR1 that can be mapped */

	struct mutex bar1_lock;		/* windows in BAR1, clear, PEEPHOLE */
	struct drm_mm bar1_va;		/* pages of 64 KiB */
	struct list_head windows;	/* the least recently used first */
	struct drm_mm_node clear;	/* window for clearing VRAM */
	void __iomem *clear_io;		/* NULL if BAR1 is too small */
	struct nvfifo_inst bar_inst;	/* channel structure of the BARs, and their page tables */
	void *flush_page;		/* zeroed, for the read-back flush of system memory */
	dma_addr_t flush_dma;

	struct mutex objects_lock;	/* vms, bos, labels */
	struct list_head vms;
	u32 vm_serial;			/* number of the last one */
	struct dentry *debugfs_vms;
	struct list_head bos;
	bool bos_detached;		/* by the removal of the card: none may be added */
	struct mutex tables_lock;	/* the list of page tables */
	struct list_head tables;
	bool tables_detached;		/* by the removal of the card: none may be added */
	wait_queue_head_t waiters;	/* for VM_BINDs, room in a queue, CHANNEL_WAIT */

	struct mutex fifo_lock;		/* channel table, playlist, PFIFO's global state */
	struct xarray chans;		/* by id; NULL until they run */
	atomic_t zombies;		/* channels that are destroyed and not yet freed */
	struct nvfifo_inst playlist;	/* two pages, used in turn */
	unsigned int playlist_cur;	/* which of them the card was given last */
	bool pull_access;		/* the puller ran when PFIFO was paused */
	struct delayed_work watchdog;	/* of all channels */
	ktime_t watched;		/* when it looked last */
	unsigned long healed;		/* when it looked for a lost interrupt, jiffies */
	struct work_struct kill_work;	/* ends channels: those that made PFIFO stop, or all */
	struct nvfifo_grctx gr;		/* what contexts of PGRAPH depend on */
	u32 gr_program[NVFIFO_GRCTX_PROGRAM_MAX];	/* that switches them */
	bool gr_up;			/* PGRAPH is set up */
	bool gr_paused;			/* it has no FIFO access (fifo_lock) */
	bool fifo_frozen;		/* PFIFO is frozen, or on its way (fifo_lock) */
	struct mutex notify_lock;	/* PFIFO is not in reset */
	unsigned int idle_intrs;	/* interrupts in a row for which nobody waited */
	atomic_t gr_resets, fifo_resets;	/* of units that did not come to an end */

	struct nvfifo_chan *dump_chan;	/* whose dump is under way, referenced (fifo_lock) */
	struct work_struct dump_work;	/* writes it */
	ktime_t dump_next;		/* not before that */
	u32 dump_regs[NV_DUMP_WORDS + 1];	/* registers at the error */
};

static inline struct nvfifo_device *to_nvfifo(struct drm_device *drm)
{
	return container_of(drm, struct nvfifo_device, drm);
}

/* The card's number in traces: that of its render node. KUnit's has none. */
static inline u32 nvfifo_card(const struct nvfifo_device *ndev)
{
	return ndev->drm.render ? ndev->drm.render->index : 0;
}

/* One open file. */
struct nvfifo_file {
	struct mutex lock;	/* chans */
	struct xarray vms, chans;
	struct nvfifo_quota *quota;	/* what it holds of the card and of kernel memory */
	atomic_t num_chans;
};

void nvfifo_live_get(struct nvfifo_device *ndev);
void nvfifo_live_put(struct nvfifo_device *ndev);

/* Calls of user space; nvfifo_main.c has their table. */
drm_ioctl_t nvfifo_ioctl_bo_create, nvfifo_ioctl_bo_info, nvfifo_ioctl_bo_label,
	    nvfifo_ioctl_vm_create, nvfifo_ioctl_vm_destroy, nvfifo_ioctl_vm_bind,
	    nvfifo_ioctl_channel_create, nvfifo_ioctl_channel_destroy, nvfifo_ioctl_channel_query,
	    nvfifo_ioctl_channel_wait, nvfifo_ioctl_object_create, nvfifo_ioctl_object_destroy,
	    nvfifo_ioctl_submit;

#endif
