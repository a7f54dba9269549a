/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Further layouts, which the driver itself does not use: pure functions for the library, the nvfifo
 * command and KUnit.
 */
#ifndef _NVFIFO_FMT_USER_H_
#define _NVFIFO_FMT_USER_H_

#include "nvfifo_fmt.h"

static inline bool nvfifo_chipset_is_igp(__u32 chipset)
{
	return chipset == 0xaa || chipset == 0xac || chipset == 0xaf;
}

/* --- Limits and places ------------------------------------------------------- */

#define NVFIFO_PD_BYTES			(NVFIFO_PD_ENTRIES * 8)
#define NVFIFO_DMAOBJ_BYTES		(NVFIFO_DMAOBJ_WORDS * 4)
#define NVFIFO_RAMHT_BITS_MAX		12
#define NVFIFO_CHAN_TABLE_PENDING	(1u << 30)

/* --- Engine contexts ----------------------------------------------------- */

/**
 * nvfifo_dmaobj_engine() - Encode the DMA object of an engine's context image
 * @start: VRAM address of the image
 * @size: its bytes
 *
 * Return: an unpaged object, without class.
 */
static inline struct nvfifo_dmaobj nvfifo_dmaobj_engine(__u64 start, __u64 size)
{
	struct nvfifo_dmaobj o;

	memset(&o, 0, sizeof(o));
	o.target = NVFIFO_DMAOBJ_VRAM;
	o.access = NVFIFO_DMAOBJ_ACCESS_RW;
	o.user = NVFIFO_DMAOBJ_USER_BOTH;
	o.start = start;
	o.limit = start + size - 1;

	return o;
}

/**
 * nvfifo_engine_ctx() - Get the offset of the DMA object of an engine's context image
 * @g84: G84 layout
 * @vm_engine: VM engine, see enum nvfifo_vm_engine
 *
 * Return: offset in the channel structure, 0 if the engine has none.
 */
static inline __u32 nvfifo_engine_ctx(bool g84, unsigned int vm_engine)
{
	/* By VM engine: PGRAPH, PVP, ..., PME or PVCOMP, PMPEG, PBSP, PCIPHER, ..., PCOPY */
	static const __u16 g80_offsets[] = { 0x200, 0x220, 0, 0, 0, 0, 0, 0x240, 0x260 };
	static const __u16 g84_offsets[] = {
		0x20, 0x40, 0, 0, 0, 0, 0, 0xa0, 0x60, 0x80, 0xa0, 0, 0, 0xc0,
	};

	if (g84)
		return vm_engine < sizeof(g84_offsets) / 2 ? g84_offsets[vm_engine] : 0;

	return vm_engine < sizeof(g80_offsets) / 2 ? g80_offsets[vm_engine] : 0;
}

/* --- Inverse functions of nvfifo_fmt.h ------------------------------------ */

static inline __u64 nvfifo_chan_desc_address(__u32 desc)
{
	return (__u64)(desc & 0x0fffffff) << 12;
}

/**
 * struct nvfifo_dma_state - CACHE1.DMA_STATE
 * @method: of the next data word
 * @subc: its subchannel
 * @error: enum nvfifo_pusher_error
 * @nonincr: the command does not increase its method
 * @long_pending: the next word is the count of a long command
 * @subroutine: the pusher is in a subroutine
 * @not_main: the segment does not move DMA_MGET
 */
struct nvfifo_dma_state {
	__u16 method;
	__u8 subc;
	__u8 error;
	bool nonincr;
	bool long_pending;
	bool subroutine;
	bool not_main;
};

/**
 * nvfifo_dma_state_encode() - Encode a word of DMA_STATE
 * @p: its fields; values are truncated to their widths
 *
 * Return: the word.
 */
static inline __u32 nvfifo_dma_state_encode(const struct nvfifo_dma_state *p)
{
	return (__u32)(nvfifo_field_set(NVFIFO_DMA_STATE__METHOD, p->method >> 2) |
		       nvfifo_field_set(NVFIFO_DMA_STATE__SUBC, p->subc) |
		       nvfifo_field_set(NVFIFO_DMA_STATE__ERROR, p->error) |
		       nvfifo_field_set(NVFIFO_DMA_STATE__NONINCR, p->nonincr) |
		       nvfifo_field_set(NVFIFO_DMA_STATE__LONG_PENDING, p->long_pending) |
		       nvfifo_field_set(NVFIFO_DMA_STATE__SUBROUTINE, p->subroutine) |
		       nvfifo_field_set(NVFIFO_DMA_STATE__NOT_MAIN, p->not_main));
}

/**
 * nvfifo_dma_state_decode() - Read a word of DMA_STATE
 * @word: the word
 *
 * Return: its fields.
 */
static inline struct nvfifo_dma_state nvfifo_dma_state_decode(__u32 word)
{
	struct nvfifo_dma_state p;

	memset(&p, 0, sizeof(p));
	p.method = (__u16)(nvfifo_field_get(NVFIFO_DMA_STATE__METHOD, word) << 2);
	p.subc = (__u8)nvfifo_field_get(NVFIFO_DMA_STATE__SUBC, word);
	p.error = (__u8)nvfifo_field_get(NVFIFO_DMA_STATE__ERROR, word);
	p.nonincr = word & NVFIFO_DMA_STATE__NONINCR;
	p.long_pending = word & NVFIFO_DMA_STATE__LONG_PENDING;
	p.subroutine = word & NVFIFO_DMA_STATE__SUBROUTINE;
	p.not_main = word & NVFIFO_DMA_STATE__NOT_MAIN;

	return p;
}

/**
 * nvfifo_fault_encode() - Encode a fault record
 * @chipset: the chipset's id
 * @p: the fault; values are truncated to the width of their fields
 * @w: out: the record's words
 */
static inline void nvfifo_fault_encode(__u32 chipset, const struct nvfifo_fault *p,
				       __u32 w[NVFIFO_FAULT_WORDS])
{
	const unsigned int n = nvfifo_fault_width(chipset);
	const __u32 mask = (1u << n) - 1;

	w[0] = (p->engine & mask) | (p->reason & mask) << n | (p->client & mask) << 2 * n |
	       (p->slot & mask) << 3 * n;
	w[1] = (__u32)nvfifo_field_set(NVFIFO_FAULT__INST_LOW, p->inst >> 12);
	w[2] = (__u32)nvfifo_field_set(NVFIFO_FAULT__INST_HIGH, p->inst >> 28);
	w[3] = (__u32)nvfifo_field_set(NVFIFO_FAULT__ADDRESS_LOW, p->address);
	w[4] = (__u32)nvfifo_field_set(NVFIFO_FAULT__ADDRESS_MIDDLE, p->address >> 16);
	w[5] = (__u32)nvfifo_field_set(NVFIFO_FAULT__ADDRESS_HIGH, p->address >> 32);

	if (!p->write)
		w[5] |= NVFIFO_FAULT_READ;
}

#endif
