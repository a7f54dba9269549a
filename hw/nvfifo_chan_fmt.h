/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Contents of a new channel as pure functions: layout of its structure and ring memory, the search
 * of RAMHT, commands that end a job. The driver and the model in the nvfifo command create channels
 * with them.
 */
#ifndef _NVFIFO_CHAN_FMT_H_
#define _NVFIFO_CHAN_FMT_H_

#include "nvfifo_fmt.h"

/* --- Channel structure --------------------------------------------------- */

#define NVFIFO_RAMHT_BITS	9
#define NVFIFO_RAMHT_ENTRIES	(1u << NVFIFO_RAMHT_BITS)
#define NVFIFO_RAMHT_BYTES	(NVFIFO_RAMHT_ENTRIES * 8)
/* Objects follow RAMHT, one in 32 bytes. */
#define NVFIFO_OBJECTS		(NVFIFO_CHAN_RAMHT + NVFIFO_RAMHT_BYTES)
#define NVFIFO_OBJECT_BYTES	32
#define NVFIFO_CHAN_BYTES	0x10000
#define NVFIFO_OBJECT_WORDS	(NVFIFO_OBJECT_BYTES / 4)
#define NVFIFO_OBJECT_SLOTS	((NVFIFO_CHAN_BYTES - NVFIFO_OBJECTS) / NVFIFO_OBJECT_BYTES)

/* Handles that every channel has from the start. */
#define NVFIFO_HANDLE_FENCE	0x80000000	/* DMA object over the fence page */
#define NVFIFO_HANDLE_SW	0x80000001	/* software object, G80's interrupt */

/* Offset of RAMFC in the channel structure */
static inline __u32 nvfifo_chan_ramfc(bool g84)
{
	if (g84)
		return NVFIFO_G84_RAMFC;

	return NVFIFO_G80_RAMFC;
}

/* Offset of the page directory in the channel structure */
static inline __u32 nvfifo_chan_directory(bool g84)
{
	if (g84)
		return NVFIFO_G84_PD;

	return NVFIFO_G80_PD;
}

/* Offset of the DMA object over PGRAPH's context image in the channel structure */
static inline __u32 nvfifo_chan_gr_object(bool g84)
{
	if (g84)
		return NVFIFO_G84_ENGINES + 0x20;

	return NVFIFO_G80_ENGINES;
}

/* The DMA object over a context image of PGRAPH */
static inline struct nvfifo_dmaobj nvfifo_gr_dmaobj(__u64 image, __u32 size)
{
	struct nvfifo_dmaobj o;

	memset(&o, 0, sizeof(o));
	o.target = NVFIFO_DMAOBJ_VRAM;
	o.access = NVFIFO_DMAOBJ_ACCESS_RW;
	o.user = NVFIFO_DMAOBJ_USER_BOTH;
	o.start = image;
	o.limit = image + size - 1;

	return o;
}

/* --- RAMHT --------------------------------------------------------------- */

/**
 * struct nvfifo_ramht_slot - An entry of RAMHT
 * @handle: the object's name in methods
 * @context: engine and place, see nvfifo_ramht_context(); 0 in an empty slot
 */
struct nvfifo_ramht_slot {
	__u32 handle;
	__u32 context;
};

/**
 * nvfifo_ramht_search() - Look through RAMHT in the order of the card
 * @slots: the table, NVFIFO_RAMHT_ENTRIES slots
 * @handle: the handle that the search starts from
 * @empty: look for an empty slot, else for one that holds @handle
 *
 * Return: the first such slot, or -1.
 */
static inline int nvfifo_ramht_search(const struct nvfifo_ramht_slot *slots, __u32 handle,
				      bool empty)
{
	__u32 slot = nvfifo_ramht_hash(handle, NVFIFO_RAMHT_BITS);
	__u32 i;

	for (i = 0; i < NVFIFO_RAMHT_ENTRIES; i++, slot = (slot + 1) % NVFIFO_RAMHT_ENTRIES) {
		if (empty && !slots[slot].context)
			return (int)slot;

		if (!empty && slots[slot].context && slots[slot].handle == handle)
			return (int)slot;
	}

	return -1;
}

/* --- Ring memory --------------------------------------------------------- */

/* IB ring, one short pushbuffer per ring entry for fences, and the fence page. */
#define NVFIFO_FENCE_SEG_WORDS	16
#define NVFIFO_FENCE_SEG_BYTES	(NVFIFO_FENCE_SEG_WORDS * 4)

static inline __u32 nvfifo_ring_bytes(unsigned int order)
{
	return 8u << order;
}

static inline __u32 nvfifo_fence_seg_offset(unsigned int order, __u32 slot)
{
	return nvfifo_ring_bytes(order) + slot * NVFIFO_FENCE_SEG_BYTES;
}

/* The fence page is writable for the card, so it has a page of its own. */
static inline __u32 nvfifo_fence_page_offset(unsigned int order)
{
	return (nvfifo_fence_seg_offset(order, 1u << order) + 0xfff) & ~0xfffu;
}

/*
 * The subchannel that G80's fences use. The fences of later chips have only methods below 0x100,
 * which ignore it.
 */
#define NVFIFO_FENCE_SUBC	7

/* Index of the word that the commands write to the fence page, in both forms */
#define NVFIFO_FENCE_SEG_VALUE	5

/**
 * nvfifo_fence_words() - Encode the commands that end a job
 * @g84: the chip is G84 or later
 * @word: the word that they write to the fence page
 * @w: out: the commands
 *
 * Both forms release a semaphore, which waits for the engine to be idle. G84 and later then raise
 * NOTIFY, as nouveau does. G80 has no such method: binding a software object stops
 * the puller with CACHE_ERROR, and the interrupt handler starts it again.
 *
 * Return: the number of words.
 */
static inline unsigned int nvfifo_fence_words(bool g84, __u32 word,
					      __u32 w[NVFIFO_FENCE_SEG_WORDS])
{
	unsigned int n = 0;

	w[n++] = nvfifo_mthd(0, NVFIFO_MTHD_DMA_SEMAPHORE, 1);
	w[n++] = NVFIFO_HANDLE_FENCE;

	if (!g84) {
		w[n++] = nvfifo_mthd(0, NVFIFO_MTHD_SEMAPHORE_OFFSET, 1);
		w[n++] = 0;
		w[n++] = nvfifo_mthd(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
		w[n++] = word;
		w[n++] = nvfifo_mthd(NVFIFO_FENCE_SUBC, NVFIFO_MTHD_OBJECT, 1);
		w[n++] = NVFIFO_HANDLE_SW;

		return n;
	}

	w[n++] = nvfifo_mthd(0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 4);
	w[n++] = 0;
	w[n++] = 0;
	w[n++] = word;
	w[n++] = NVFIFO_TRIGGER_RELEASE;

	w[n++] = nvfifo_mthd(0, NVFIFO_MTHD_NOTIFY_INTR, 1);
	w[n++] = 0;

	return n;
}

#endif
