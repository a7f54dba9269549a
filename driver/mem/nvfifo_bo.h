/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_BO_H_
#define _NVFIFO_BO_H_

#include <linux/mm_types.h>
#include <linux/mutex.h>

#include <drm/drm_gem_shmem_helper.h>

#include "mem/nvfifo_mem.h"

struct nvfifo_chan;
struct nvfifo_device;
struct nvfifo_file;
struct nvfifo_vm;

#define NVFIFO_LABEL_MAX	63

/**
 * struct nvfifo_bo_state - All buffers of the card
 * @lock: guards the list of buffers, and labels
 * @list: buffers, by nvfifo_bo.link
 * @detached: the card is being removed: no buffer may be added
 */
struct nvfifo_bo_state {
	struct mutex lock;		/* list and labels */
	struct list_head list;
	bool detached;
};

/* A contiguous part of a VRAM buffer. Extents follow each other in the list. */
struct nvfifo_extent {
	struct drm_mm_node node;
	struct list_head link;
};

/* A GEM object. */
struct nvfifo_bo {
	struct drm_gem_shmem_object shmem;	/* the helper uses it if it is an import */
	u32 domain;			/* enum drm_nvfifo_domain */
	struct list_head link;		/* in nvfifo_device.bos.list */

	char label[NVFIFO_LABEL_MAX + 1];	/* zero terminated (bos.lock) */

	struct list_head extents;	/* VRAM */

	struct mutex pages_lock;	/* the first use of system memory */
	struct page **pages;		/* system memory, NULL before its first use */
	struct sg_table table;		/* list of @pages, which shmem.sgt is while it is mapped */

	bool lsr;			/* consists of whole row blocks, for LSR kinds */
	struct nvfifo_file *nfile;	/* its file, NULL for the driver's own and for imports */

	struct drm_mm_node tags;	/* compression tag cells, while it has users (mem.lock) */
	unsigned int tag_users;		/* number of compressed mappings and objects */
	u8 comp;			/* their compression mode */
	struct list_head windows;	/* parts that BAR1 shows (bar1.lock) */
	struct page *dummy;		/* shown after the card is lost, or NULL before */
};

DEFINE_FREE(gem_put, struct drm_gem_object *, drm_gem_object_put(IS_ERR(_T) ? NULL : _T))

static inline struct nvfifo_bo *to_nvfifo_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct nvfifo_bo, shmem);
}

struct nvfifo_device *nvfifo_bo_device(const struct nvfifo_bo *bo);
bool nvfifo_extent_next(struct nvfifo_extent_walk *c);
int nvfifo_bo_populate(struct nvfifo_bo *bo);
void nvfifo_bo_depopulate(struct nvfifo_bo *bo);
int nvfifo_bo_pin(struct nvfifo_bo *bo);
int nvfifo_bo_read(struct nvfifo_bo *bo, u64 offset, void *to, size_t bytes);
int nvfifo_sgt_check(struct sg_table *sgt, u64 size);
u32 nvfifo_bo_flags(const struct nvfifo_bo *bo);

void nvfifo_bo_detach_all(struct nvfifo_device *ndev);

struct drm_gem_object *nvfifo_bo_create(struct nvfifo_device *ndev, struct nvfifo_file *nfile,
					u32 domain, u64 size, u32 flags);

/* VRAM and compression tags */
u32 nvfifo_vram_granule(const struct nvfifo_device *ndev, u32 flags);
int nvfifo_vram_alloc(struct nvfifo_bo *bo, u64 size, u32 flags);
void nvfifo_vram_free(struct nvfifo_bo *bo);

int nvfifo_bo_tags_get(struct nvfifo_bo *bo, u8 comp);
void nvfifo_bo_tags_put(struct nvfifo_bo *bo);
u64 nvfifo_bo_tag(const struct nvfifo_bo *bo, u64 offset);
u64 nvfifo_bo_tag_cells(struct nvfifo_bo *bo);

/* Mappings in processes */
int nvfifo_user_writes_flush(struct nvfifo_device *ndev);
void nvfifo_bo_hide_all(struct nvfifo_device *ndev);
void nvfifo_mappings_drop(struct nvfifo_device *ndev);
void nvfifo_windows_free(struct nvfifo_bo *bo);
vm_fault_t nvfifo_vram_fault(struct vm_fault *vmf);

/* Control pages of user queues */
/* In UML accesses to BARs are messages, and a page larger than 8 KiB would show two channels. */
#define NVFIFO_USER_QUEUE	(!IS_ENABLED(CONFIG_UML) && PAGE_SIZE <= SZ_8K)

int nvfifo_userd_init(struct nvfifo_chan *chan, struct drm_file *file, __u64 *offset);
int nvfifo_userd_open(struct nvfifo_chan *chan);
void nvfifo_userd_revoke(struct nvfifo_chan *chan);

struct drm_gem_object *nvfifo_gem_create_object(struct drm_device *drm, size_t size);
struct drm_gem_object *nvfifo_prime_import_sg_table(struct drm_device *drm,
						    struct dma_buf_attachment *attach,
						    struct sg_table *sgt);

/* --- Clearing of VRAM, and copies for a suspend --------------------------- */

/**
 * struct nvfifo_clear_state - The driver's channel, which clears and copies VRAM
 * @lock: guards the rest, while the card clears memory for a call
 * @vm: its address space, NULL while there is no channel
 * @chan: the channel
 * @zero: 64 KiB of zeros in instance memory
 * @mem: its segment, and a page that the card writes
 * @mem_dma: DMA address of @mem
 * @mem_va: virtual address of @mem
 * @stage: memory that the card copies VRAM to; NULL but during a suspend
 * @stage_dma: DMA address of @stage
 * @stage_va: virtual address of @stage
 * @retry: jiffies from which on a new channel may be created; 0 before the first attempt
 */
struct nvfifo_clear_state {
	struct mutex lock;		/* the channel that clears VRAM */
	struct nvfifo_vm *vm;
	struct nvfifo_chan *chan;
	struct nvfifo_inst zero;
	void *mem;
	dma_addr_t mem_dma;
	struct drm_mm_node mem_va;
	void *stage;
	dma_addr_t stage_dma;
	struct drm_mm_node stage_va;
	unsigned long retry;
};

void nvfifo_clear_fini(struct nvfifo_device *ndev);
int nvfifo_clear_bo(struct nvfifo_bo *bo);
void nvfifo_vram_copy_prepare(struct nvfifo_device *ndev);
void nvfifo_vram_copy_start(struct nvfifo_device *ndev);
const void *nvfifo_vram_copy(struct nvfifo_device *ndev, u64 addr, u32 size);
void nvfifo_vram_copy_end(struct nvfifo_device *ndev);
void nvfifo_clear_yield(struct nvfifo_device *ndev);

#endif
