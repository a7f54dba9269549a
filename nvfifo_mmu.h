/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_MMU_H_
#define _NVFIFO_MMU_H_

#include <drm/drm_gpuvm.h>

#include "nvfifo_fmt.h"
#include "nvfifo_pt.h"
#include "nvfifo_sched.h"

#define NVFIFO_VM_ENGINES	16

struct dentry;
struct nvfifo_chan;
struct nvfifo_device;
struct nvfifo_quota;

/**
 * struct nvfifo_mmu_state - Page tables of the card
 * @tables_lock: guards the list of page tables
 * @tables: all page tables in system memory
 * @tables_detached: the card is being removed: no table may be added
 * @freeze_lock: held by the thread that waits for the limit of freezes, or has frozen PFIFO
 * @freezes: time at which the freezes so far would end, at the rate of the limit
 */
struct nvfifo_mmu_state {
	struct mutex tables_lock;	/* @tables */
	struct list_head tables;
	bool tables_detached;
	struct mutex freeze_lock;	/* before engine_lock; @freezes */
	ktime_t freezes;
};

/* 512 MiB of an address space. All fields but pt are the plan, guarded by nvfifo_vm.lock. */
struct nvfifo_region {
	struct nvfifo_pt *pt;	/* installed table, NULL if none (pt_lock) */
	u32 bytes;		/* mapped bytes */
	u32 comp_bytes;		/* mapped bytes with compression */
	u32 top;		/* highest end of mappings since bytes was 0 */
	u8 type;		/* enum nvfifo_pt_type */
	u8 size;		/* PT_SIZE of a table of 4 KiB pages */
};

/* An address space. */
struct nvfifo_vm {
	struct drm_gpuvm base;		/* mappings; its references keep the memory */
	struct kref ref;		/* users: the file and each channel */
	struct list_head link;		/* in nvfifo_device.vms.list */
	struct nvfifo_device *ndev;
	u32 serial;			/* its number in debugfs */
	struct dentry *dir;		/* its folder in debugfs, or NULL */
	u64 translate;			/* the address that debugfs explains */
	struct nvfifo_quota *quota;	/* account of the file that made it */

	struct mutex lock;		/* mappings, the plan in @regions, @empty and @kernel */
	struct drm_mm kernel;		/* allocator of the driver's part of the address space */
	unsigned int empty;		/* regions that have a table and no mapping, by plan */
	struct nvfifo_queue queue;	/* of asynchronous VM_BINDs */
	u64 fence_context;
	u64 binds;			/* seqno of the last VM_BIND */
	atomic_t jobs;			/* asynchronous VM_BINDs that have not been freed */
	wait_queue_head_t waiters;	/* threads that wait for jobs to fall */
	struct work_struct work;	/* frees the memory */

	/* Guards the card's state, below. No allocation under it: fences wait for it. */
	struct mutex pt_lock;
	struct list_head waiting;	/* asynchronous VM_BINDs that have not ended */
	struct nvfifo_region regions[NVFIFO_PD_ENTRIES];
	struct list_head chans;		/* channels with copies of the page directory */
	struct list_head retired;	/* replaced page tables that TLBs may still refer to */
	unsigned long engines;		/* VM engines whose TLBs may know the address space */
	bool vram_dirty;		/* a directory, or a table in VRAM, awaits a BAR flush */
	bool broken;			/* the card's view is unknown */
};

/* The translation of an address. */
struct nvfifo_walk {
	u64 pde, pte;
	u32 index;	/* of the PTE */
	u8 reason;	/* enum nvfifo_fault_reason if a step fails */
	u64 linear;	/* address of the byte */
};

void nvfifo_mmu_prepare(struct nvfifo_device *ndev);
void nvfifo_mmu_init(struct nvfifo_vm *vm, struct nvfifo_device *ndev);
void nvfifo_mmu_free_tables(struct nvfifo_vm *vm);
void nvfifo_mmu_detach_all(struct nvfifo_device *ndev);
void nvfifo_mmu_account(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte, bool add);

int nvfifo_mmu_plan_map(struct nvfifo_vm *vm, u64 va, u64 size, unsigned int type, u64 pte,
			bool strict, struct list_head *changes);
int nvfifo_mmu_plan_cut(struct nvfifo_vm *vm, u64 va, struct list_head *changes);
void nvfifo_mmu_plan_unmap(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte,
			   struct list_head *changes);
void nvfifo_mmu_plan_undo(struct nvfifo_vm *vm, struct list_head *changes);

bool nvfifo_mmu_plan_replaces(const struct list_head *changes);

void nvfifo_mmu_freeze_charge(struct nvfifo_device *ndev, s64 ns);
u32 nvfifo_mmu_freeze_wait(struct nvfifo_device *ndev);

void nvfifo_mmu_changes_free(struct nvfifo_vm *vm, struct list_head *changes);
int nvfifo_mmu_install(struct nvfifo_vm *vm, struct list_head *changes);
void nvfifo_mmu_write(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte, const u64 *addresses);

bool nvfifo_mmu_walk(struct nvfifo_vm *vm, u64 va, struct nvfifo_walk *w);
int nvfifo_mmu_flush(struct nvfifo_vm *vm);

void nvfifo_mmu_attach(struct nvfifo_vm *vm, struct nvfifo_chan *chan);
void nvfifo_mmu_detach(struct nvfifo_vm *vm, struct nvfifo_chan *chan);

#endif
