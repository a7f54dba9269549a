/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_MMU_H_
#define _NVFIFO_MMU_H_

#include <linux/mutex.h>

#include "nvfifo_fmt.h"
#include "mem/nvfifo_mem.h"
#include "nvfifo_pt.h"

#define NVFIFO_VM_ENGINES	16

struct dentry;
struct nvfifo_chan;
struct drm_nvfifo_channel_query;
struct nvfifo_device;
struct nvfifo_fault;
struct nvfifo_vm;

/**
 * struct nvfifo_mmu_state - The MMU's registers
 * @lock: guards the TLB flush and the fault record
 * @pgraph_begun: flushes of PGRAPH's engine that have begun
 */
struct nvfifo_mmu_state {
	struct mutex lock;		/* TLB flush, fault record */
	unsigned int pgraph_begun;
};

/* A page table in instance memory. */
struct nvfifo_table {
	struct nvfifo_pt pt;
	struct nvfifo_device *ndev;
	struct nvfifo_inst inst;
	struct list_head link;	/* while it is planned, or replaced and still in TLBs */
	u32 index;		/* the PDE it is planned for */
	bool copy;		/* the installed table has mappings to copy */
	u8 old_type, old_size;	/* the plan before */
};

/* 512 MiB of an address space. All fields but table are the plan, guarded by nvfifo_vm.lock. */
struct nvfifo_region {
	struct nvfifo_table *table;	/* installed, NULL if none (pt_lock) */
	u32 bytes;		/* mapped bytes */
	u32 comp_bytes;		/* mapped bytes with compression */
	u32 top;		/* highest end of mappings since bytes was 0 */
	u8 type;		/* enum nvfifo_pt_type */
	u8 size;		/* PT_SIZE of a table of 4 KiB pages */
};

/* The translation of an address. */
struct nvfifo_walk {
	u64 pde, pte;
	u32 index;	/* of the PTE */
	u8 reason;	/* enum nvfifo_fault_reason if a step fails */
	u64 linear;	/* address of the byte */
};

void nvfifo_mmu_init(struct nvfifo_vm *vm, struct nvfifo_device *ndev);
void nvfifo_mmu_free_tables(struct nvfifo_vm *vm);
void nvfifo_mmu_account(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte, bool add);

int nvfifo_mmu_plan_map(struct nvfifo_vm *vm, u64 va, u64 size, unsigned int type, u64 pte,
			bool strict, struct list_head *changes);
int nvfifo_mmu_plan_cut(struct nvfifo_vm *vm, u64 va, struct list_head *changes);
void nvfifo_mmu_plan_unmap(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte,
			   struct list_head *changes);
void nvfifo_mmu_plan_undo(struct nvfifo_vm *vm, struct list_head *changes);

void nvfifo_mmu_changes_free(struct nvfifo_vm *vm, struct list_head *changes);
int nvfifo_mmu_install(struct nvfifo_vm *vm, struct list_head *changes);
void nvfifo_mmu_write(struct nvfifo_vm *vm, u64 va, u64 size, u64 pte, const u64 *addresses);

bool nvfifo_mmu_walk(struct nvfifo_vm *vm, u64 va, struct nvfifo_walk *w);
int nvfifo_mmu_flush(struct nvfifo_vm *vm);

void nvfifo_mmu_attach(struct nvfifo_vm *vm, struct nvfifo_chan *chan);
void nvfifo_mmu_detach(struct nvfifo_vm *vm, struct nvfifo_chan *chan);

/* The MMU's registers */
int nvfifo_tlb_flush_once(struct nvfifo_device *ndev, void *data);
int nvfifo_tlb_flush(struct nvfifo_device *ndev, unsigned int engine);
void nvfifo_tlb_detach(struct nvfifo_device *ndev);
bool nvfifo_fault_read(struct nvfifo_device *ndev, struct nvfifo_fault *fault);
void nvfifo_fault_take(struct nvfifo_device *ndev, struct nvfifo_chan *chan,
		       struct drm_nvfifo_channel_query *e);

#endif
