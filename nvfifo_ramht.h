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
#define NVFIFO_OBJECT_WORDS	(NVFIFO_OBJECT_BYTES / 4)
/* The last place is PEEPHOLE's. */
#define NVFIFO_PEEPHOLE_SLOT	((NVFIFO_CHAN_BYTES - NVFIFO_OBJECTS) / NVFIFO_OBJECT_BYTES - 1)
#define NVFIFO_OBJECT_SLOTS	NVFIFO_PEEPHOLE_SLOT

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
	DECLARE_BITMAP(slots, NVFIFO_OBJECT_SLOTS);	/* slots that the card may know */
	struct {
		u32 w[NVFIFO_OBJECT_WORDS];
		u32 users;	/* RAMHT entries, and the driver; 0 for a destroyed object */
	} objects[NVFIFO_OBJECT_SLOTS];	/* what they hold */
};

int nvfifo_ramht_insert(struct nvfifo_ramht *ht, u32 handle, u32 context);
int nvfifo_ramht_find(const struct nvfifo_ramht *ht, u32 handle);
void nvfifo_ramht_remove(struct nvfifo_ramht *ht, int slot);
bool nvfifo_ramht_is_full(const struct nvfifo_ramht *ht);
void nvfifo_object_write(struct nvfifo_device *ndev, u64 addr,
			 const u32 w[NVFIFO_OBJECT_WORDS]);
int nvfifo_object_get(struct nvfifo_ramht *ht, const u32 w[NVFIFO_OBJECT_WORDS], u32 *offset);
void nvfifo_object_put(struct nvfifo_ramht *ht, u32 offset);
u32 nvfifo_objects_unused(const struct nvfifo_ramht *ht);
void nvfifo_objects_reclaim(struct nvfifo_ramht *ht);
u32 nvfifo_dmaobj_peephole(struct nvfifo_ramht *ht, const struct nvfifo_dmaobj *obj);
int nvfifo_dmaobj_new(struct nvfifo_ramht *ht, const struct nvfifo_dmaobj *obj, u32 *offset);

void nvfifo_chan_bos_free(struct nvfifo_chan *chan);
u32 nvfifo_bound_engines(const struct nvfifo_device *ndev);

#endif
