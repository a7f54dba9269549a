/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_MEM_H_
#define _NVFIFO_MEM_H_

#include <linux/cleanup.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

#include <drm/drm_mm.h>

#include "nvfifo_reg_table.h"

struct drm_device;
struct nvfifo_bo;
struct nvfifo_device;
struct nvfifo_extent;
struct scatterlist;

/* Kept out of the allocator: VGA and firmware at the start, VBIOS data at the end. */
#define NVFIFO_VRAM_RESERVED_LOW	SZ_256K
#define NVFIFO_VRAM_RESERVED_CONSOLE	SZ_16M	/* 2560 x 1600 of 32 bits */
#define NVFIFO_VRAM_RESERVED_HIGH	(SZ_1M + SZ_64K)

#define NVFIFO_VRAM_IO_MAX	SZ_4M

/* Most bytes that the card copies to system memory at a time */
#define NVFIFO_VRAM_COPY_MAX	SZ_1M

/* An extent of instance memory. */
struct nvfifo_inst {
	struct drm_mm_node node;
	u64 addr;		/* VRAM address */
};

/**
 * struct nvfifo_mem_facts - Facts about the card's memory, set by nvfifo_mem_init()
 * @vram_size: bytes
 * @vram_pool: bytes that BO_CREATE can allocate in total
 * @heap_size: bytes of the instance heap
 * @bar1_size: bytes of BAR1 that can be mapped
 * @igp_base: system address of stolen memory
 * @row_block: bytes of VRAM that must use one bank order, a multiple of 64 KiB
 * @graph_units: PBUS.HWUNITS_0
 * @num_tags: number of compression tag cells, 0 if the card has none
 */
struct nvfifo_mem_facts {
	u64 vram_size, vram_pool, heap_size, bar1_size, igp_base, row_block;
	u32 graph_units, num_tags;
};

/**
 * struct nvfifo_mem_state - VRAM, instance memory and compression tags
 * @saved_pmem: the PRAMIN window's base as the firmware left it
 * @saved_sysram: the address of the flush page as the firmware left it
 * @saved_sysram_high: the upper bits of system addresses as the firmware left them
 * @was_console: the display shows the firmware's frame buffer
 * @fb_first: first byte of that frame buffer in BAR1
 * @fb_end: its end, 0 if it does not lie in BAR1
 * @pmem_lock: guards the PRAMIN window
 * @pmem_base: VRAM address that the PRAMIN window shows, ~0 if unknown
 * @flush_lock: guards the BAR flush
 * @bars_lock: held for reading while the CPU accesses BAR1 or BAR3, or maps BAR1 in a process;
 *	for writing while PFIFO, through which these accesses go, is off
 * @facts: for the whole card, by nvfifo_mem_facts()
 * @lock: guards the allocators that follow
 * @vram: VRAM addresses
 * @vram_free: bytes that BO_CREATE can still allocate
 * @kept: parts of VRAM that the display uses
 * @heap_node: the instance heap in VRAM
 * @heap: allocator of the instance heap, VRAM addresses
 * @bar3: shows the instance heap, if @heap_mapped
 * @bar3_wc: @bar3 is write-combined
 * @heap_mapped: the MMU translates BAR3
 * @tags: compression tag cells
 * @tags_free: number of free tag cells
 * @bar_inst: instance block of the BARs, and their page tables
 * @flush_page: zeroed, for the read-back flush of system memory
 * @flush_dma: DMA address of @flush_page
 */
struct nvfifo_mem_state {
	u32 saved_pmem, saved_sysram, saved_sysram_high;
	bool was_console;
	u64 fb_first, fb_end;

	spinlock_t pmem_lock;		/* PRAMIN window */
	u32 pmem_base;
	struct mutex flush_lock;	/* BAR flush */
	struct rw_semaphore bars_lock;	/* accesses to BAR1 and BAR3, against a reset of PFIFO */

	struct nvfifo_mem_facts facts;

	struct mutex lock;		/* allocators */
	struct drm_mm vram;
	u64 vram_free;

	struct drm_mm_node kept[3];
	struct drm_mm_node heap_node;
	struct drm_mm heap;

	void __iomem *bar3;
	bool bar3_wc;
	bool heap_mapped;

	struct drm_mm tags;
	u32 tags_free;

	struct nvfifo_inst bar_inst;
	void *flush_page;
	dma_addr_t flush_dma;
};

/**
 * struct nvfifo_bar1_state - BAR1
 * @lock: guards windows in BAR1 and the clearing of VRAM
 * @va: allocator of pages of 64 KiB
 * @windows: parts of buffers that BAR1 shows, the least recently used first
 * @clear: window for clearing VRAM
 * @clear_io: the window's mapping, NULL if BAR1 is too small
 */
struct nvfifo_bar1_state {
	struct mutex lock;		/* windows, @clear */
	struct drm_mm va;
	struct list_head windows;
	struct drm_mm_node clear;
	void __iomem *clear_io;
};

/* A walk over the extents of a range of a pinned buffer, in pages of 4 KiB. */
struct nvfifo_extent_walk {
	struct nvfifo_bo *bo;
	u64 offset;	/* of the extent in the buffer, bytes; at first that of the range */
	u64 end;	/* of the range */
	u64 size;	/* of the extent, at first 0 */
	u64 address;	/* linear, as PTEs hold it */
	u8 target;	/* enum nvfifo_target */

	struct nvfifo_extent *extent;	/* in VRAM */
	struct scatterlist *sg;		/* in system memory */
	u64 extent_end;			/* offset of the end of either */
};

/* Get the register value that makes a BAR translate through a DMA object. */
static inline u32 nvfifo_bar_reg(u32 object)
{
	return NV_FLD_MASK(NV_PBUS_HOST_MEM_BAR1__MODE_DMAOBJ) | object >> 4;
}

/**
 * nvfifo_row_block() - Compute the size of the blocks of VRAM that must use one bank order
 * @units: PBUS.HWUNITS_0
 * @cfg: PFB.CFG1
 * @bankcfg: PFB.BANKCFG
 *
 * A row of all banks of all partitions, or three of them; nouveau keeps the bank types apart in
 * the same units (ramnv50.c).
 *
 * Return: bytes.
 */
static inline u64 nvfifo_row_block(u32 units, u32 cfg, u32 bankcfg)
{
	const u32 parts = hweight32(NV_FLD_GET(NV_PBUS_HWUNITS_0__PART_MASK, units));
	u64 bytes = 8ULL << NV_FLD_GET(NV_PFB_CFG1__COL_BITS, cfg);

	bytes <<= NV_FLD_GET(NV_PFB_CFG1__BANK_BITS, cfg) + 2;
	bytes *= max(parts, 1u);

	if (NV_FLD_GET(NV_PFB_BANKCFG__REORDER, bankcfg))
		bytes *= 3;

	return bytes;
}

/* Visits an extent of VRAM. Return: 0, or an errno that ends the walk. */
typedef int (*nvfifo_extent_fn)(struct nvfifo_device *ndev, u64 addr, u64 size);

/* Set-up and teardown, and facts about the memory */
void nvfifo_mem_keep_console(struct nvfifo_device *ndev, u64 first, u64 end);
int nvfifo_vram_find(struct nvfifo_device *ndev);
int nvfifo_mem_init(struct nvfifo_device *ndev);
int nvfifo_mem_start(struct nvfifo_device *ndev);
void nvfifo_mem_fini(struct nvfifo_device *ndev);
void nvfifo_mem_release(struct drm_device *drm);

const struct nvfifo_mem_facts *nvfifo_mem_facts(const struct nvfifo_device *ndev);
void nvfifo_mem_free_amounts(struct nvfifo_device *ndev, u64 *vram, u32 *tags);
int nvfifo_mem_visit_used(struct nvfifo_device *ndev, nvfifo_extent_fn use);

/* Words of VRAM, and instance memory */
u32 nvfifo_vram_rd32(struct nvfifo_device *ndev, u64 addr);
void nvfifo_vram_wr32(struct nvfifo_device *ndev, u64 addr, u32 val);
void nvfifo_vram_wr32_locked(struct nvfifo_device *ndev, u64 addr, u32 val);
void nvfifo_vram_write(struct nvfifo_device *ndev, u64 addr, const __le32 *words, u32 count);
void nvfifo_vram_fill(struct nvfifo_device *ndev, u64 addr, u32 size, u32 val);

int nvfifo_inst_alloc(struct nvfifo_device *ndev, struct nvfifo_inst *inst, u32 size, u32 align);
void nvfifo_inst_free(struct nvfifo_device *ndev, struct nvfifo_inst *inst);

/* BAR flush */
int nvfifo_bar_flush_once(struct nvfifo_device *ndev, void *data);
int nvfifo_bar_flush(struct nvfifo_device *ndev);
void nvfifo_bar_flush_detach(struct nvfifo_device *ndev);

/* The BARs */
u64 nvfifo_pte_vram(struct nvfifo_device *ndev, u64 addr, u8 *target);
void nvfifo_bar_map(struct nvfifo_device *ndev, u32 page, const struct nvfifo_extent_walk *extent);
int nvfifo_bar1_flush(struct nvfifo_device *ndev);
void nvfifo_bar1_unmap(struct nvfifo_device *ndev, struct drm_mm_node *node);
void __iomem *nvfifo_vram_io(struct nvfifo_device *ndev, u64 addr, u32 size);
int nvfifo_vram_clear(struct nvfifo_device *ndev, u64 addr, u64 size);

#endif
