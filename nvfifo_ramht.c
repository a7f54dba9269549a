// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: RAMHT and objects
 *
 * Methods name objects by 32-bit handles. PFIFO's puller finds them in RAMHT, a hash table in the
 * channel structure. Each of its 512 slots consists of a handle and a context word with the
 * object's engine and its offset in the structure. The hardware's hash and search are known only
 * from drivers. They all set SEARCH_FULL, so the slot of an entry affects only the speed of a
 * search.
 *
 * An empty slot does not end a search. No source says whether two zero words match handle 0. They
 * would name the first words of the channel structure, which on a G80 are RAMFC, and so a user
 * queue's pointers. So the card sees another entry of the channel again in each empty slot. A slot
 * is filled handle first and emptied context first: between the stores a handle names that entry's
 * object.
 *
 * A channel's context holds offsets of objects, and the card reads an object again when it loads
 * the channel. So a destroyed object keeps its slot and its words. When no slot is left, the driver
 * takes the channel off the card and turns destroyed objects into null objects, which grant no
 * access.
 */
#include "nvfifo_drv.h"
#include "mem/nvfifo_mem.h"
#include "nvfifo_ramht.h"

/**
 * nvfifo_ramht_is_full() - Is the table full?
 * @ht: the channel's table
 *
 * Return: true if no entry is free.
 */
bool nvfifo_ramht_is_full(const struct nvfifo_ramht *ht)
{
	return nvfifo_ramht_search(ht->shadow, 0, true) < 0;
}

/* Slots that nvfifo_ramht_set_vacant() writes at once */
#define ROW_SLOTS	32

static void entry_write(struct nvfifo_ramht *ht, u32 slot, u32 word, u32 val)
{
	nvfifo_vram_wr32(ht->ndev, ht->inst + NVFIFO_CHAN_RAMHT + slot * 8 + word * 4, val);
}

/**
 * nvfifo_ramht_set_vacant() - Let empty slots repeat an entry, so that handle 0 is in none
 * @ht: the table of a channel that the card does not know yet
 * @handle: the handle of the entry, which must be there and stay
 */
void nvfifo_ramht_set_vacant(struct nvfifo_ramht *ht, u32 handle)
{
	struct nvfifo_ramht_slot entry;
	__le32 row[ROW_SLOTS * 2];
	u32 slot, i;

	ht->vacant = ht->shadow[nvfifo_ramht_find(ht, handle)];

	for (slot = 0; slot < NVFIFO_RAMHT_ENTRIES; slot += ROW_SLOTS) {
		for (i = 0; i < ROW_SLOTS; i++) {
			entry = ht->shadow[slot + i];
			if (!entry.context)
				entry = ht->vacant;

			row[i * 2] = cpu_to_le32(entry.handle);
			row[i * 2 + 1] = cpu_to_le32(entry.context);
		}

		nvfifo_vram_write(ht->ndev, ht->inst + NVFIFO_CHAN_RAMHT + slot * 8, row,
				  ARRAY_SIZE(row));
	}
}

/**
 * nvfifo_ramht_insert() - Add an entry, while the card may search the table
 * @ht: the channel's table; its lock is held
 * @handle: handle of the object
 * @context: nvfifo_ramht_context(), not 0
 *
 * The card finds it after nvfifo_bar_flush().
 *
 * Return: the slot, -EEXIST if the handle is there, -ENOSPC if the table is full.
 */
int nvfifo_ramht_insert(struct nvfifo_ramht *ht, u32 handle, u32 context)
{
	int slot = nvfifo_ramht_search(ht->shadow, handle, true);

	if (nvfifo_ramht_find(ht, handle) >= 0)
		return -EEXIST;

	if (slot < 0)
		return -ENOSPC;

	ht->shadow[slot].handle = handle;
	ht->shadow[slot].context = context;
	entry_write(ht, slot, 0, handle);
	entry_write(ht, slot, 1, context);

	return slot;
}

/**
 * nvfifo_ramht_remove() - Empty a slot, while the card may search the table
 * @ht: the channel's table; its lock is held
 * @slot: of nvfifo_ramht_find()
 */
void nvfifo_ramht_remove(struct nvfifo_ramht *ht, int slot)
{
	ht->shadow[slot].handle = 0;
	ht->shadow[slot].context = 0;
	entry_write(ht, slot, 1, ht->vacant.context);
	entry_write(ht, slot, 0, ht->vacant.handle);
}

/* --- Objects in the channel structure ------------------------------------ */

/*
 * The range of the null object is empty. Its first word (paged, read only, supervisor only) is safe
 * with any other words. They describe a range of the channel's own address space that commands
 * cannot use.
 */
static void null_words(u32 w[NVFIFO_OBJECT_WORDS])
{
	struct nvfifo_dmaobj obj = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_READ, NVFIFO_VA_MASK, 0);

	obj.access = NVFIFO_DMAOBJ_ACCESS_RO;
	obj.user = NVFIFO_DMAOBJ_USER_SUPERVISOR;
	memset(w, 0, NVFIFO_OBJECT_BYTES);
	nvfifo_dmaobj_encode(&obj, w);
}

static u32 slot_offset(u32 slot)
{
	return NVFIFO_OBJECTS + slot * NVFIFO_OBJECT_BYTES;
}

/* Store all words except the first one. The word with the upper halves of both ends comes last. */
static void store_rest(struct nvfifo_device *ndev, u64 addr, const u32 w[NVFIFO_OBJECT_WORDS])
{
	u32 i;

	for (i = 1; i < NVFIFO_OBJECT_WORDS; i++)
		if (i != NVFIFO_DMAOBJ_WORD_HIGH)
			nvfifo_vram_wr32(ndev, addr + i * 4, w[i]);

	nvfifo_vram_wr32(ndev, addr + NVFIFO_DMAOBJ_WORD_HIGH * 4, w[NVFIFO_DMAOBJ_WORD_HIGH]);
}

/**
 * nvfifo_object_write() - Write an object, while the card may read it
 * @ndev: the card
 * @addr: VRAM address of 32 bytes
 * @w: the object's words
 *
 * After each store memory holds the old object, the new one, or one with the null object's first
 * word. The card sees it after nvfifo_bar_flush().
 */
void nvfifo_object_write(struct nvfifo_device *ndev, u64 addr, const u32 w[NVFIFO_OBJECT_WORDS])
{
	u32 null[NVFIFO_OBJECT_WORDS];

	null_words(null);
	nvfifo_vram_wr32(ndev, addr, null[0]);
	store_rest(ndev, addr, w);
	nvfifo_vram_wr32(ndev, addr, w[0]);
}

static void slot_write(struct nvfifo_ramht *ht, u32 slot, const u32 w[NVFIFO_OBJECT_WORDS])
{
	nvfifo_object_write(ht->ndev, ht->inst + slot_offset(slot), w);
}

static int slot_find(const struct nvfifo_ramht *ht, const u32 w[NVFIFO_OBJECT_WORDS])
{
	u32 slot;

	for_each_set_bit(slot, ht->slots, NVFIFO_OBJECT_SLOTS)
		if (!memcmp(ht->objects[slot].w, w, NVFIFO_OBJECT_BYTES))
			return slot;

	return -ENOENT;
}

/**
 * nvfifo_object_get() - Put an object into the channel structure
 * @ht: the channel's table; its lock is held
 * @w: the object's words
 * @offset: set to its place in the structure
 *
 * The card may use an object after OBJECT_DESTROY: a channel's context keeps its offset, and the
 * card reads it again. So a slot that held another object is not written while the channel is on
 * the card. Equal objects share a slot, destroyed ones included.
 *
 * The card sees the object after nvfifo_bar_flush(); no RAMHT entry may name it before.
 *
 * Return: 0, or -ENOSPC when every slot holds an object or has held one since the last
 * nvfifo_objects_reclaim().
 */
int nvfifo_object_get(struct nvfifo_ramht *ht, const u32 w[NVFIFO_OBJECT_WORDS], u32 *offset)
{
	int slot = slot_find(ht, w);

	if (slot < 0) {
		slot = find_first_zero_bit(ht->slots, NVFIFO_OBJECT_SLOTS);
		if (slot == NVFIFO_OBJECT_SLOTS)
			return -ENOSPC;

		slot_write(ht, slot, w);
		memcpy(ht->objects[slot].w, w, NVFIFO_OBJECT_BYTES);
		set_bit(slot, ht->slots);
	}

	ht->objects[slot].users++;
	*offset = slot_offset(slot);

	return 0;
}

/**
 * nvfifo_object_put() - Drop an object of nvfifo_object_get()
 * @ht: the channel's table; its lock is held
 * @offset: the object's place
 *
 * The slot keeps its words, which the card may still use.
 */
void nvfifo_object_put(struct nvfifo_ramht *ht, u32 offset)
{
	ht->objects[(offset - NVFIFO_OBJECTS) / NVFIFO_OBJECT_BYTES].users--;
}

/*
 * Is a slot's object a DMA object? The slots of engine objects are never reclaimed: these have no
 * address, and are few.
 */
static bool slot_is_dmaobj(const struct nvfifo_ramht *ht, u32 slot)
{
	const u32 oclass = ht->objects[slot].w[0] & 0xffff;

	return oclass == NVFIFO_CLASS_DMA_READ || oclass == NVFIFO_CLASS_DMA_WRITE ||
	       oclass == NVFIFO_CLASS_DMA_RW;
}

static bool slot_is_unused(const struct nvfifo_ramht *ht, u32 slot)
{
	return !ht->objects[slot].users && slot_is_dmaobj(ht, slot);
}

/**
 * nvfifo_objects_unused() - Count the slots that nvfifo_objects_reclaim() would free
 * @ht: the channel's table; its lock is held
 *
 * Return: the number of slots.
 */
u32 nvfifo_objects_unused(const struct nvfifo_ramht *ht)
{
	u32 slot, n = 0;

	for_each_set_bit(slot, ht->slots, NVFIFO_OBJECT_SLOTS)
		if (slot_is_unused(ht, slot))
			n++;

	return n;
}

/**
 * nvfifo_objects_reclaim() - Replace all destroyed objects by the null object
 * @ht: the channel's table; its lock is held, and the channel is off the card
 *
 * The channel's contexts may still name the slots. They then name the null object, until one store
 * turns it into a new object of the same channel.
 */
void nvfifo_objects_reclaim(struct nvfifo_ramht *ht)
{
	u32 null[NVFIFO_OBJECT_WORDS], slot;

	null_words(null);

	for_each_set_bit(slot, ht->slots, NVFIFO_OBJECT_SLOTS) {
		if (!slot_is_unused(ht, slot))
			continue;

		slot_write(ht, slot, null);
		clear_bit(slot, ht->slots);
	}
}

/**
 * nvfifo_dmaobj_new() - Put a DMA object into the channel structure
 * @ht: the channel's table; its lock is held
 * @obj: the object
 * @offset: set to its place in the structure
 *
 * Return: as nvfifo_object_get().
 */
int nvfifo_dmaobj_new(struct nvfifo_ramht *ht, const struct nvfifo_dmaobj *obj, u32 *offset)
{
	u32 w[NVFIFO_OBJECT_WORDS] = {};

	nvfifo_dmaobj_encode(obj, w);

	return nvfifo_object_get(ht, w, offset);
}
