/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_RAMHT_H_
#define _NVFIFO_RAMHT_H_

#include "nvfifo_drv.h"

#define NVFIFO_RAMHT_BITS	9
#define NVFIFO_RAMHT_ENTRIES	BIT(NVFIFO_RAMHT_BITS)
#define NVFIFO_RAMHT_BYTES	(NVFIFO_RAMHT_ENTRIES * 8)
/* Objects lie behind RAMHT, one in 32 bytes. */
#define NVFIFO_OBJECTS		(NVFIFO_CHAN_RAMHT + NVFIFO_RAMHT_BYTES)
#define NVFIFO_OBJECT_BYTES	32
#define NVFIFO_CHAN_BYTES	SZ_64K
#define NVFIFO_OBJECT_SLOTS	((NVFIFO_CHAN_BYTES - NVFIFO_OBJECTS) / NVFIFO_OBJECT_BYTES)

/* Handles that every channel has from the start. */
#define NVFIFO_HANDLE_FENCE	0x80000000	/* DMA object over the fence page */
#define NVFIFO_HANDLE_SW	0x80000001	/* software object, G80's interrupt */

/* A channel's hash table and object space. */
struct nvfifo_ramht {
	struct nvfifo_device *ndev;
	u64 inst;		/* VRAM address of the channel structure */
	struct {
		u32 handle;
		u32 context;
	} shadow[NVFIFO_RAMHT_ENTRIES];	/* what the table holds */
	DECLARE_BITMAP(slots, NVFIFO_OBJECT_SLOTS);	/* object slots that are taken */
};

int nvfifo_ramht_insert(struct nvfifo_ramht *ht, u32 handle, u32 context);
int nvfifo_ramht_find(const struct nvfifo_ramht *ht, u32 handle);
void nvfifo_ramht_remove(struct nvfifo_ramht *ht, int slot);
int nvfifo_object_alloc(struct nvfifo_ramht *ht, u32 *offset);
void nvfifo_object_free(struct nvfifo_ramht *ht, u32 offset);
int nvfifo_dmaobj_new(struct nvfifo_ramht *ht, const struct nvfifo_dmaobj *obj, u32 *offset);

void nvfifo_chan_bos_free(struct nvfifo_chan *chan);
u32 nvfifo_bound_engines(const struct nvfifo_device *ndev);

#endif
