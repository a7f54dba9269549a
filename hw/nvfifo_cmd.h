/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Command words, and layouts beside those of nvfifo_fmt.h that the driver itself does not use:
 * pure functions for the library, the nvfifo command and KUnit.
 */
#ifndef _NVFIFO_CMD_H_
#define _NVFIFO_CMD_H_

#include "nvfifo_fmt.h"

static inline bool nvfifo_chipset_is_igp(__u32 chipset)
{
	return chipset == 0xaa || chipset == 0xac || chipset == 0xaf;
}

/* --- Command words ------------------------------------------------------- */

enum nvfifo_cmd_type {
	NVFIFO_CMD_INVALID,
	NVFIFO_CMD_INCR,		/* increasing methods */
	NVFIFO_CMD_NONINCR,		/* one method, many data words */
	NVFIFO_CMD_LONG_NONINCR,	/* NV04: the next word is the count */
	NVFIFO_CMD_1INC,		/* NVC0: increases once */
	NVFIFO_CMD_IMMD,		/* NVC0: 13 bits of data in the header */
	NVFIFO_CMD_SLI_COND,		/* mask of SLI positions that see what follows */
	NVFIFO_CMD_SLI_STORE_MASK,	/* NVC0 */
	NVFIFO_CMD_SLI_USE_MASK,	/* NVC0 */
	NVFIFO_CMD_END_SEGMENT,		/* NVC0 */
	NVFIFO_CMD_OLD_JUMP,		/* NV04 mode only */
	NVFIFO_CMD_JUMP,		/* NV04 mode only */
	NVFIFO_CMD_CALL,		/* NV04 mode only */
	NVFIFO_CMD_RETURN,		/* NV04 mode only */
};

/**
 * struct nvfifo_cmd - A command word, decoded
 * @type: enum nvfifo_cmd_type
 * @subc: subchannel, 0 to 7
 * @method: first method, a multiple of 4: up to 0x1ffc, in the NVC0 format 0x3ffc
 * @count: data words that follow: up to 2047, in the NVC0 format 8191; 0 where the
 *	next word tells (long non-increasing) or none follow
 * @value: immediate data, SLI mask, or target of a jump or call
 * @old: NVC0 format: (non-)increasing methods in the layout of NV04, which GF100 still takes
 */
struct nvfifo_cmd {
	enum nvfifo_cmd_type type;
	__u8 subc;
	__u16 method;
	__u16 count;
	__u32 value;
	bool old;
};

#define NVFIFO_NV04_COUNT_MAX	0x7ff
#define NVFIFO_NVC0_COUNT_MAX	0x1fff
#define NVFIFO_LONG_COUNT_MAX	0xffffff

/**
 * nvfifo_nv04_encode() - A command word in the format of this family
 * @c: the command; fields out of range are cut to their width
 *
 * Return: the word. A type that the format lacks gives 0xffffffff, which no
 * pusher accepts.
 */
static inline __u32 nvfifo_nv04_encode(const struct nvfifo_cmd *c)
{
	__u32 m = (__u32)(c->subc & 7) << 13 | (c->method & 0x1ffc);
	__u32 n = (__u32)(c->count & 0x7ff) << 18;

	switch (c->type) {
	case NVFIFO_CMD_INCR:
		return n | m;
	case NVFIFO_CMD_NONINCR:
		return 0x40000000 | n | m;
	case NVFIFO_CMD_LONG_NONINCR:
		return 0x00030000 | m;
	case NVFIFO_CMD_SLI_COND:
		return 0x00010000 | (c->value & 0xfff) << 4;
	case NVFIFO_CMD_OLD_JUMP:
		return 0x20000000 | (c->value & 0x1ffffffc);
	case NVFIFO_CMD_JUMP:
		return (c->value & ~3u) | 1;
	case NVFIFO_CMD_CALL:
		return (c->value & ~3u) | 2;
	case NVFIFO_CMD_RETURN:
		return 0x00020000;
	default:
		return 0xffffffff;
	}
}

/**
 * nvfifo_nv04_decode() - Read a command word as this family's pusher does
 * @w: the word
 * @ib: the channel is in IB mode: no jumps, calls and returns
 *
 * Return: the command, NVFIFO_CMD_INVALID if the pusher refuses the word.
 */
static inline struct nvfifo_cmd nvfifo_nv04_decode(__u32 w, bool ib)
{
	struct nvfifo_cmd c = {};

	c.type = NVFIFO_CMD_INVALID;
	c.subc = w >> 13 & 7;
	c.method = w & 0x1ffc;

	if (!ib && (w & 0xe0000003) == 0x20000000) {
		c.type = NVFIFO_CMD_OLD_JUMP;
		c.value = w & 0x1ffffffc;
	} else if (!ib && (w & 3) == 1) {
		c.type = NVFIFO_CMD_JUMP;
		c.value = w & ~3u;
	} else if (!ib && (w & 3) == 2) {
		c.type = NVFIFO_CMD_CALL;
		c.value = w & ~3u;
	} else if (!ib && w == 0x00020000) {
		c.type = NVFIFO_CMD_RETURN;
	} else if ((w & 0xe0030003) == 0) {
		c.type = NVFIFO_CMD_INCR;
		c.count = w >> 18 & 0x7ff;
	} else if ((w & 0xe0030003) == 0x40000000) {
		c.type = NVFIFO_CMD_NONINCR;
		c.count = w >> 18 & 0x7ff;
	} else if (ib && (w & 0xffff0003) == 0x00030000) {
		c.type = NVFIFO_CMD_LONG_NONINCR;
	} else if ((w & 0xffff0003) == 0x00010000) {
		c.type = NVFIFO_CMD_SLI_COND;
		c.value = w >> 4 & 0xfff;
	}

	if (c.type != NVFIFO_CMD_INCR && c.type != NVFIFO_CMD_NONINCR &&
	    c.type != NVFIFO_CMD_LONG_NONINCR) {
		c.subc = 0;
		c.method = 0;
	}

	return c;
}

/**
 * nvfifo_nvc0_encode() - A command word in the format of GF100 and later
 * @c: the command; fields out of range are cut to their width
 *
 * This family's pusher does not understand the format; it is here for decoding
 * and comparing. envytools' docs/hw/fifo/dma-pusher.rst has the layouts, the old ones, too.
 *
 * Return: the word, 0xffffffff for a type that the format lacks.
 */
static inline __u32 nvfifo_nvc0_encode(const struct nvfifo_cmd *c)
{
	__u32 m = (__u32)(c->subc & 7) << 13 | (c->method >> 2 & 0xfff);
	__u32 n = (__u32)(c->count & 0x1fff) << 16;

	if (c->old && (c->type == NVFIFO_CMD_INCR || c->type == NVFIFO_CMD_NONINCR))
		return nvfifo_nv04_encode(c);

	switch (c->type) {
	case NVFIFO_CMD_INCR:
		return 0x20000000 | n | m;
	case NVFIFO_CMD_NONINCR:
		return 0x60000000 | n | m;
	case NVFIFO_CMD_IMMD:
		return 0x80000000 | (c->value & 0x1fff) << 16 | m;
	case NVFIFO_CMD_1INC:
		return 0xa0000000 | n | m;
	case NVFIFO_CMD_SLI_COND:
		return 0x00010000 | (c->value & 0xfff) << 4;
	case NVFIFO_CMD_SLI_STORE_MASK:
		return 0x00020000 | (c->value & 0xfff) << 4;
	case NVFIFO_CMD_SLI_USE_MASK:
		return 0x00030000;
	case NVFIFO_CMD_END_SEGMENT:
		return 0xe0000000;
	default:
		return 0xffffffff;
	}
}

/* The words that begin with 000: SLI commands, and increasing methods in NV04's layout */
static inline struct nvfifo_cmd nvfifo_nvc0_decode_zero(__u32 w)
{
	struct nvfifo_cmd c = {};

	switch (w >> 16 & 3) {
	case 0:
		c = nvfifo_nv04_decode(w & ~3u, true);
		c.old = true;
		break;
	case 1:
		c.type = NVFIFO_CMD_SLI_COND;
		c.value = w >> 4 & 0xfff;
		break;
	case 2:
		c.type = NVFIFO_CMD_SLI_STORE_MASK;
		c.value = w >> 4 & 0xfff;
		break;
	case 3:
		c.type = NVFIFO_CMD_SLI_USE_MASK;
		break;
	}

	return c;
}

/**
 * nvfifo_nvc0_decode() - Read a command word as GF100's pusher does
 * @w: the word
 *
 * Return: the command, NVFIFO_CMD_INVALID if it is none. Fields that a command
 * does not have are 0.
 */
static inline struct nvfifo_cmd nvfifo_nvc0_decode(__u32 w)
{
	struct nvfifo_cmd c = {};

	switch (w >> 29) {
	case 0:
		return nvfifo_nvc0_decode_zero(w);
	case 1:
		c.type = NVFIFO_CMD_INCR;
		break;
	case 2:
		if (w & 0x00030000)
			return c;

		c = nvfifo_nv04_decode(w & ~3u, true);
		c.old = true;
		return c;
	case 3:
		c.type = NVFIFO_CMD_NONINCR;
		break;
	case 4:
		c.type = NVFIFO_CMD_IMMD;
		break;
	case 5:
		c.type = NVFIFO_CMD_1INC;
		break;
	case 7:
		c.type = NVFIFO_CMD_END_SEGMENT;
		return c;
	default:
		return c;
	}

	c.subc = w >> 13 & 7;
	c.method = (w & 0xfff) << 2;
	if (c.type == NVFIFO_CMD_IMMD)
		c.value = w >> 16 & 0x1fff;
	else
		c.count = w >> 16 & 0x1fff;

	return c;
}

/* Which of the methods below 0x100 the pusher lets pass. */
static inline bool nvfifo_pfifo_method_valid(__u32 chipset, __u32 method)
{
	switch (method) {
	case NVFIFO_MTHD_OBJECT:
	case NVFIFO_MTHD_REF_CNT:
	case NVFIFO_MTHD_DMA_SEMAPHORE:
	case NVFIFO_MTHD_SEMAPHORE_OFFSET:
	case NVFIFO_MTHD_SEMAPHORE_ACQUIRE:
	case NVFIFO_MTHD_SEMAPHORE_RELEASE:
	case NVFIFO_MTHD_YIELD:
		return true;
	case NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH:
	case NVFIFO_MTHD_SEMAPHORE_ADDRESS_LOW:
	case NVFIFO_MTHD_SEMAPHORE_SEQUENCE:
	case NVFIFO_MTHD_SEMAPHORE_TRIGGER:
	case NVFIFO_MTHD_NOTIFY_INTR:
	case NVFIFO_MTHD_WRCACHE_FLUSH:
		return chipset != 0x50;
	case NVFIFO_MTHD_UNK28:
	case NVFIFO_MTHD_UNK2C:
		return chipset == 0xaf;
	}

	return false;
}

/* --- Limits and places that the driver does not need --------------------- */

#define NVFIFO_PD_BYTES			(NVFIFO_PD_ENTRIES * 8)
#define NVFIFO_DMAOBJ_BYTES		(NVFIFO_DMAOBJ_WORDS * 4)
#define NVFIFO_RAMHT_BITS_MAX		12
#define NVFIFO_CHAN_TABLE_PENDING	(1u << 30)

/* --- Engine contexts ----------------------------------------------------- */

/**
 * nvfifo_dmaobj_engine() - The object that leads an engine to its context image
 * @start: VRAM address of the image
 * @size: its bytes
 *
 * Return: an unpaged object, without class.
 */
static inline struct nvfifo_dmaobj nvfifo_dmaobj_engine(__u64 start, __u64 size)
{
	struct nvfifo_dmaobj o = {};

	o.target = NVFIFO_DMAOBJ_VRAM;
	o.access = NVFIFO_DMAOBJ_ACCESS_RW;
	o.user = NVFIFO_DMAOBJ_USER_BOTH;
	o.start = start;
	o.limit = start + size - 1;

	return o;
}

/**
 * nvfifo_engine_ctx() - Where the object of an engine's context image lies
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

/* --- The other direction of nvfifo_fmt.h --------------------------------- */

static inline unsigned int nvfifo_ramht_context_engine(__u32 context)
{
	return context >> 20 & 0xf;
}

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
 * nvfifo_dma_state_encode() - Make a word of DMA_STATE
 * @p: its fields; what does not fit is cut
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
	struct nvfifo_dma_state p = {};

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
 * nvfifo_fault_encode() - Make a fault record
 * @chipset: the chipset's id
 * @p: the fault; what does not fit into a field is cut
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
