/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_MEM_H_
#define _NVFIFO_MEM_H_

#include "nvfifo_drv.h"

/* Kept out of the allocator: VGA and firmware at the start, VBIOS data at the end. */
#define NVFIFO_VRAM_RESERVED_LOW	SZ_256K
#define NVFIFO_VRAM_RESERVED_HIGH	(SZ_1M + SZ_64K)

#define NVFIFO_VRAM_IO_MAX	SZ_4M

/* A walk over contiguous parts of a range of a pinned buffer, in pages of 4 KiB. */
struct nvfifo_chunk {
	struct nvfifo_bo *bo;
	u64 offset;	/* this part, bytes from the buffer's start; at first the range's start */
	u64 end;	/* of the range */
	u64 size;	/* of this part, at first 0 */
	u64 address;	/* linear, as PTEs hold it */
	u8 target;	/* enum nvfifo_target */
	struct nvfifo_piece *piece;	/* it is in, in VRAM */
	struct scatterlist *sg;		/* or in system memory */
	u64 piece_end;			/* offset of its end */
};

/* The register value that has a BAR, or PEEPHOLE, translated through a DMA object. */
static inline u32 nvfifo_bar_reg(u32 object)
{
	return NV_FLD_MASK(NV_PBUS_HOST_MEM_BAR1__MODE_DMAOBJ) | object >> 4;
}

/**
 * nvfifo_row_block() - Bytes of VRAM in which memory of both bank orders must not meet
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

u32 nvfifo_vram_rd32(struct nvfifo_device *ndev, u64 addr);
void nvfifo_vram_wr32(struct nvfifo_device *ndev, u64 addr, u32 val);
void nvfifo_vram_fill(struct nvfifo_device *ndev, u64 addr, u32 size, u32 val);
int nvfifo_bar_flush(struct nvfifo_device *ndev);
int nvfifo_inst_alloc(struct nvfifo_device *ndev, struct nvfifo_inst *inst, u32 size, u32 align);
void nvfifo_inst_free(struct nvfifo_device *ndev, struct nvfifo_inst *inst);
void nvfifo_bar_map(struct nvfifo_device *ndev, u32 page, const struct nvfifo_chunk *chunk);
int nvfifo_bar1_flush(struct nvfifo_device *ndev);
void nvfifo_bar1_unmap(struct nvfifo_device *ndev, struct drm_mm_node *node);
int nvfifo_vram_clear(struct nvfifo_device *ndev, u64 addr, u64 size);
void __iomem *nvfifo_vram_io(struct nvfifo_device *ndev, u64 addr, u32 size);
u64 nvfifo_pte_vram(struct nvfifo_device *ndev, u64 addr, u8 *target);
int nvfifo_mem_init(struct nvfifo_device *ndev);
int nvfifo_mem_start(struct nvfifo_device *ndev);
void nvfifo_mem_fini(struct nvfifo_device *ndev);
void nvfifo_mem_release(struct drm_device *drm);

#endif
