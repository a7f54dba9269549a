/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_RAMHT_H_
#define _NVFIFO_RAMHT_H_

#include <linux/bitmap.h>
#include <linux/sizes.h>

#include "nvfifo_chan_fmt.h"
#include "nvfifo_fmt.h"

struct nvfifo_chan;
struct nvfifo_device;

/* A channel's hash table and object space. */
struct nvfifo_ramht {
	struct nvfifo_device *ndev;
	u64 inst;		/* VRAM address of the channel structure */
	struct nvfifo_ramht_slot shadow[NVFIFO_RAMHT_ENTRIES];	/* contents of the table */
	struct nvfifo_ramht_slot vacant;	/* the card's entry in empty slots */
	DECLARE_BITMAP(slots, NVFIFO_OBJECT_SLOTS);	/* slots that the card may know */
	struct {
		u32 w[NVFIFO_OBJECT_WORDS];
		u32 users;	/* RAMHT entries, and the driver; 0 for a destroyed object */
	} objects[NVFIFO_OBJECT_SLOTS];	/* contents of the slots */
};

/**
 * nvfifo_ramht_find() - Find a handle
 * @ht: the channel's table; without its lock, a handle that changes now is found or not
 * @handle: the handle
 *
 * Return: its slot, or -ENOENT.
 */
static inline int nvfifo_ramht_find(const struct nvfifo_ramht *ht, u32 handle)
{
	int slot = nvfifo_ramht_search(ht->shadow, handle, false);

	return slot < 0 ? -ENOENT : slot;
}

void nvfifo_ramht_set_vacant(struct nvfifo_ramht *ht, u32 handle);
int nvfifo_ramht_insert(struct nvfifo_ramht *ht, u32 handle, u32 context);
void nvfifo_ramht_remove(struct nvfifo_ramht *ht, int slot);
bool nvfifo_ramht_is_full(const struct nvfifo_ramht *ht);

void nvfifo_object_write(struct nvfifo_device *ndev, u64 addr,
			 const u32 w[NVFIFO_OBJECT_WORDS]);
int nvfifo_object_get(struct nvfifo_ramht *ht, const u32 w[NVFIFO_OBJECT_WORDS], u32 *offset);
void nvfifo_object_put(struct nvfifo_ramht *ht, u32 offset);

u32 nvfifo_objects_unused(const struct nvfifo_ramht *ht);
void nvfifo_objects_reclaim(struct nvfifo_ramht *ht);
int nvfifo_dmaobj_new(struct nvfifo_ramht *ht, const struct nvfifo_dmaobj *obj, u32 *offset);

#endif
