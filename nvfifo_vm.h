/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_VM_H_
#define _NVFIFO_VM_H_

#include <linux/fs.h>

#include <drm/drm_gpuvm.h>

#include "mem/nvfifo_bo.h"
#include "mmu/nvfifo_mmu.h"
#include "fifo/nvfifo_sched.h"

#define NVFIFO_MAX_BIND_OPS	4096
#define NVFIFO_MAX_BIND_BYTES	(64ULL << 30)	/* 16 million PTEs, about half a second */
#define NVFIFO_MAX_BINDS	1024		/* asynchronous VM_BINDs that wait */

struct dentry;
struct nvfifo_device;
struct nvfifo_file;

/**
 * struct nvfifo_vm_state - All address spaces of the card
 * @lock: guards the lists and the number
 * @list: address spaces, by nvfifo_vm.link
 * @serial: number of the newest address space
 * @dir: folder of address spaces in debugfs, or NULL
 * @files: files of each address space
 */
struct nvfifo_vm_state {
	struct mutex lock;		/* @list, @serial */
	struct list_head list;
	u32 serial;
	struct dentry *dir;
	const struct nvfifo_vm_file *files;
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
	struct nvfifo_file *nfile;	/* file that created it, NULL for the driver */

	struct mutex lock;		/* mappings, the plan in @regions, @empty and @kernel */
	struct drm_mm kernel;		/* allocator of the driver's part of the address space */
	unsigned int empty;		/* regions with a table and without mappings, by plan */
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
	bool broken;			/* the card's view is unknown */
};

/* A file of each address space in debugfs. */
struct nvfifo_vm_file {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
};

/* A mapping in an address space. */
struct nvfifo_vma {
	struct drm_gpuva base;
	u64 pte;		/* attributes of its PTEs: all but address, target, tag */
	struct list_head link;	/* in bind_op.removed */
	u64 unmap_va, unmap_size;	/* part that the running operation removes */
};

static inline struct nvfifo_vma *to_nvfifo_vma(struct drm_gpuva *va)
{
	return container_of(va, struct nvfifo_vma, base);
}

void nvfifo_vm_files_init(struct nvfifo_device *ndev, struct dentry *root,
			  const struct nvfifo_vm_file *files);
unsigned long nvfifo_vm_engines(struct nvfifo_device *ndev);
struct nvfifo_vm *nvfifo_vm_create(struct nvfifo_device *ndev, struct nvfifo_file *nfile);
void nvfifo_vm_put(struct nvfifo_vm *vm);
DEFINE_FREE(vm_put, struct nvfifo_vm *, nvfifo_vm_put(_T))
struct nvfifo_vm *nvfifo_vm_lookup(struct drm_file *file, u32 id, const char *argument);

u32 nvfifo_vm_read(struct nvfifo_vm *vm, struct nvfifo_chan *chan, u64 va, u32 *words, u32 count);

int nvfifo_vm_map_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node, dma_addr_t dma, u64 size,
			 u64 ro_size);
void nvfifo_vm_unmap_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node);

void nvfifo_vm_wake_all(struct nvfifo_device *ndev);
void nvfifo_vm_cancel_all(struct nvfifo_device *ndev);
void nvfifo_vm_sched_pause_all(struct nvfifo_device *ndev, bool on);
void nvfifo_vm_free_all(struct nvfifo_file *nfile);

#endif
