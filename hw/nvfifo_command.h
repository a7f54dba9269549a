/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The commands of a pushbuffer: words to fields and back, in each format. Pure functions for the
 * library, the nvfifo command and KUnit; the driver passes commands on without reading them.
 */
#ifndef _NVFIFO_COMMAND_H_
#define _NVFIFO_COMMAND_H_

#include "nvfifo_fmt.h"

enum nvfifo_command_type {
	NVFIFO_COMMAND_INVALID,
	NVFIFO_COMMAND_INCR,		/* increasing methods */
	NVFIFO_COMMAND_NONINCR,		/* one method, many data words */
	NVFIFO_COMMAND_LONG_NONINCR,	/* NV04: the next word is the count */
	NVFIFO_COMMAND_1INC,		/* NVC0: increases once */
	NVFIFO_COMMAND_IMMD,		/* NVC0: 13 bits of data in the header */
	NVFIFO_COMMAND_SLI_COND,		/* mask of SLI positions for the next commands */
	NVFIFO_COMMAND_SLI_STORE_MASK,	/* NVC0 */
	NVFIFO_COMMAND_SLI_USE_MASK,	/* NVC0 */
	NVFIFO_COMMAND_END_SEGMENT,		/* NVC0 */
	NVFIFO_COMMAND_OLD_JUMP,		/* NV04 mode only */
	NVFIFO_COMMAND_JUMP,		/* NV04 mode only */
	NVFIFO_COMMAND_CALL,		/* NV04 mode only */
	NVFIFO_COMMAND_RETURN,		/* NV04 mode only */
};

/**
 * struct nvfifo_command - A command word, decoded
 * @type: enum nvfifo_command_type
 * @subc: subchannel, 0 to 7
 * @method: first method, a multiple of 4: up to 0x1ffc, in the NVC0 format 0x3ffc
 * @count: data words that follow: up to 2047, in the NVC0 format 8191; 0 if the next word has the
 *	count (long non-increasing) or none follow
 * @value: immediate data, SLI mask, or target of a jump or call
 * @old: NVC0 format: (non-)increasing methods in the layout of NV04, which GF100 still takes
 */
struct nvfifo_command {
	enum nvfifo_command_type type;
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
 * nvfifo_nv04_encode() - Encode a command word in the format of this family
 * @c: the command; fields out of range are cut to their width
 *
 * Return: the word. A type that the format lacks returns 0xffffffff, which no pusher accepts.
 */
static inline __u32 nvfifo_nv04_encode(const struct nvfifo_command *c)
{
	__u32 m = (__u32)(c->subc & 7) << 13 | (c->method & 0x1ffc);
	__u32 n = (__u32)(c->count & 0x7ff) << 18;

	switch (c->type) {
	case NVFIFO_COMMAND_INCR:
		return n | m;
	case NVFIFO_COMMAND_NONINCR:
		return 0x40000000 | n | m;
	case NVFIFO_COMMAND_LONG_NONINCR:
		return 0x00030000 | m;
	case NVFIFO_COMMAND_SLI_COND:
		return 0x00010000 | (c->value & 0xfff) << 4;
	case NVFIFO_COMMAND_OLD_JUMP:
		return 0x20000000 | (c->value & 0x1ffffffc);
	case NVFIFO_COMMAND_JUMP:
		return (c->value & ~3u) | 1;
	case NVFIFO_COMMAND_CALL:
		return (c->value & ~3u) | 2;
	case NVFIFO_COMMAND_RETURN:
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
 * Return: the command, NVFIFO_COMMAND_INVALID if the pusher refuses the word.
 */
static inline struct nvfifo_command nvfifo_nv04_decode(__u32 w, bool ib)
{
	struct nvfifo_command c;

	memset(&c, 0, sizeof(c));
	c.type = NVFIFO_COMMAND_INVALID;
	c.subc = w >> 13 & 7;
	c.method = w & 0x1ffc;

	if (!ib && (w & 0xe0000003) == 0x20000000) {
		c.type = NVFIFO_COMMAND_OLD_JUMP;
		c.value = w & 0x1ffffffc;
	} else if (!ib && (w & 3) == 1) {
		c.type = NVFIFO_COMMAND_JUMP;
		c.value = w & ~3u;
	} else if (!ib && (w & 3) == 2) {
		c.type = NVFIFO_COMMAND_CALL;
		c.value = w & ~3u;
	} else if (!ib && w == 0x00020000) {
		c.type = NVFIFO_COMMAND_RETURN;
	} else if ((w & 0xe0030003) == 0) {
		c.type = NVFIFO_COMMAND_INCR;
		c.count = w >> 18 & 0x7ff;
	} else if ((w & 0xe0030003) == 0x40000000) {
		c.type = NVFIFO_COMMAND_NONINCR;
		c.count = w >> 18 & 0x7ff;
	} else if (ib && (w & 0xffff0003) == 0x00030000) {
		c.type = NVFIFO_COMMAND_LONG_NONINCR;
	} else if ((w & 0xffff0003) == 0x00010000) {
		c.type = NVFIFO_COMMAND_SLI_COND;
		c.value = w >> 4 & 0xfff;
	}

	if (c.type != NVFIFO_COMMAND_INCR && c.type != NVFIFO_COMMAND_NONINCR &&
	    c.type != NVFIFO_COMMAND_LONG_NONINCR) {
		c.subc = 0;
		c.method = 0;
	}

	return c;
}

/**
 * nvfifo_nvc0_encode() - Encode a command word in the format of GF100 and later
 * @c: the command; fields out of range are cut to their width
 *
 * This family's pusher does not understand the format; it is here for decoding
 * and comparing. envytools' docs/hw/fifo/dma-pusher.rst has the layouts, the old ones, too.
 *
 * Return: the word, 0xffffffff for a type that the format lacks.
 */
static inline __u32 nvfifo_nvc0_encode(const struct nvfifo_command *c)
{
	__u32 m = (__u32)(c->subc & 7) << 13 | (c->method >> 2 & 0xfff);
	__u32 n = (__u32)(c->count & 0x1fff) << 16;

	if (c->old && (c->type == NVFIFO_COMMAND_INCR || c->type == NVFIFO_COMMAND_NONINCR))
		return nvfifo_nv04_encode(c);

	switch (c->type) {
	case NVFIFO_COMMAND_INCR:
		return 0x20000000 | n | m;
	case NVFIFO_COMMAND_NONINCR:
		return 0x60000000 | n | m;
	case NVFIFO_COMMAND_IMMD:
		return 0x80000000 | (c->value & 0x1fff) << 16 | m;
	case NVFIFO_COMMAND_1INC:
		return 0xa0000000 | n | m;
	case NVFIFO_COMMAND_SLI_COND:
		return 0x00010000 | (c->value & 0xfff) << 4;
	case NVFIFO_COMMAND_SLI_STORE_MASK:
		return 0x00020000 | (c->value & 0xfff) << 4;
	case NVFIFO_COMMAND_SLI_USE_MASK:
		return 0x00030000;
	case NVFIFO_COMMAND_END_SEGMENT:
		return 0xe0000000;
	default:
		return 0xffffffff;
	}
}

/* The words that begin with 000: SLI commands, and increasing methods in NV04's layout */
static inline struct nvfifo_command nvfifo_nvc0_decode_zero(__u32 w)
{
	struct nvfifo_command c;

	memset(&c, 0, sizeof(c));
	switch (w >> 16 & 3) {
	case 0:
		c = nvfifo_nv04_decode(w & ~3u, true);
		c.old = true;
		break;
	case 1:
		c.type = NVFIFO_COMMAND_SLI_COND;
		c.value = w >> 4 & 0xfff;
		break;
	case 2:
		c.type = NVFIFO_COMMAND_SLI_STORE_MASK;
		c.value = w >> 4 & 0xfff;
		break;
	case 3:
		c.type = NVFIFO_COMMAND_SLI_USE_MASK;
		break;
	}

	return c;
}

/**
 * nvfifo_nvc0_decode() - Read a command word as GF100's pusher does
 * @w: the word
 *
 * Return: the command, NVFIFO_COMMAND_INVALID if it is none. Fields that a command
 * does not have are 0.
 */
static inline struct nvfifo_command nvfifo_nvc0_decode(__u32 w)
{
	struct nvfifo_command c;

	memset(&c, 0, sizeof(c));
	switch (w >> 29) {
	case 0:
		return nvfifo_nvc0_decode_zero(w);
	case 1:
		c.type = NVFIFO_COMMAND_INCR;
		break;
	case 2:
		if (w & 0x00030000)
			return c;

		c = nvfifo_nv04_decode(w & ~3u, true);
		c.old = true;
		return c;
	case 3:
		c.type = NVFIFO_COMMAND_NONINCR;
		break;
	case 4:
		c.type = NVFIFO_COMMAND_IMMD;
		break;
	case 5:
		c.type = NVFIFO_COMMAND_1INC;
		break;
	case 7:
		c.type = NVFIFO_COMMAND_END_SEGMENT;
		return c;
	default:
		return c;
	}

	c.subc = w >> 13 & 7;
	c.method = (w & 0xfff) << 2;

	if (c.type == NVFIFO_COMMAND_IMMD)
		c.value = w >> 16 & 0x1fff;
	else
		c.count = w >> 16 & 0x1fff;

	return c;
}

/* The methods below 0x100 that the pusher lets pass. */
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

#endif
