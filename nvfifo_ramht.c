// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: RAMHT and objects
 *
 * Methods name objects by 32-bit handles. PFIFO's puller finds them in RAMHT, a hash
 * table in the channel structure: 512 slots of a handle and a context word, which
 * holds the object's place in the structure and its engine. What the hardware takes
 * for hash and search is only known from what drivers do; they all set SEARCH_FULL,
 * and then the place of an entry decides nothing but speed.
 *
 * An empty slot is two zero words, and does not end a search. An entry whose context
 * is zero matches nothing, so a slot is filled handle first and emptied context first.
 *
 * User space gets DMA objects over its own address space, translated by the page tables,
 * or over the memory of a buffer that it has a handle of. That is what keeps channels
 * apart. The card may go on using an object that it has read, so the buffer of an unpaged
 * one stays until the channel is gone. An engine's object is a class and nothing else.
 */
#include <linux/module.h>

#include "nvfifo_args.h"
#include "nvfifo_bo.h"
#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_gr.h"
#include "nvfifo_hw.h"
#include "nvfifo_mem.h"
#include "nvfifo_ramht.h"
#include "nvfifo_vm.h"

static unsigned int engines;
module_param(engines, uint, 0444);
MODULE_PARM_DESC(engines, "Accept objects of these PFIFO engines too, without setting them up, a bit mask; may hang the card (default: 0)");

/* Engines whose objects OBJECT_CREATE accepts; 0 are PFIFO's own DMA objects. */
u32 nvfifo_bound_engines(const struct nvfifo_device *ndev)
{
	return BIT(0) | BIT(NVFIFO_ENGINE_PGRAPH) | (engines & ndev->chip->engines);
}

/* Return: the first slot in search order that holds @handle, or is empty; -ENOENT if none is. */
static int search(const struct nvfifo_ramht *ht, u32 handle, bool empty)
{
	u32 slot = nvfifo_ramht_hash(handle, NVFIFO_RAMHT_BITS);
	u32 i;

	for (i = 0; i < NVFIFO_RAMHT_ENTRIES; i++, slot = (slot + 1) % NVFIFO_RAMHT_ENTRIES)
		if (empty ? !ht->shadow[slot].context :
			    ht->shadow[slot].context && ht->shadow[slot].handle == handle)
			return slot;
	return -ENOENT;
}

/* Return: the slot of a handle, or -ENOENT. */
int nvfifo_ramht_find(const struct nvfifo_ramht *ht, u32 handle)
{
	return search(ht, handle, false);
}

/*
 * Add an entry, while the card may search the table; it finds it after a BAR flush. The context
 * is not 0. Return: the slot, -EEXIST if the handle is there, -ENOSPC if the table is full.
 */
int nvfifo_ramht_insert(struct nvfifo_ramht *ht, u32 handle, u32 context)
{
	int slot = search(ht, handle, true);

	if (nvfifo_ramht_find(ht, handle) >= 0)
		return -EEXIST;
	if (slot < 0)
		return -ENOSPC;
	ht->shadow[slot].handle = handle;
	ht->shadow[slot].context = context;
	nvfifo_vram_wr32(ht->ndev, ht->inst + NVFIFO_CHAN_RAMHT + slot * 8, handle);
	nvfifo_vram_wr32(ht->ndev, ht->inst + NVFIFO_CHAN_RAMHT + slot * 8 + 4, context);
	return slot;
}

/* Empty a slot that nvfifo_ramht_find() returned. */
void nvfifo_ramht_remove(struct nvfifo_ramht *ht, int slot)
{
	ht->shadow[slot].handle = 0;
	ht->shadow[slot].context = 0;
	nvfifo_vram_wr32(ht->ndev, ht->inst + NVFIFO_CHAN_RAMHT + slot * 8 + 4, 0);
	nvfifo_vram_wr32(ht->ndev, ht->inst + NVFIFO_CHAN_RAMHT + slot * 8, 0);
}

/* Take a place for an object in the channel structure. Return: 0 or -ENOSPC. */
int nvfifo_object_alloc(struct nvfifo_ramht *ht, u32 *offset)
{
	unsigned long slot = find_first_zero_bit(ht->slots, NVFIFO_OBJECT_SLOTS);

	if (slot == NVFIFO_OBJECT_SLOTS)
		return -ENOSPC;
	set_bit(slot, ht->slots);
	*offset = NVFIFO_OBJECTS + slot * NVFIFO_OBJECT_BYTES;
	return 0;
}

void nvfifo_object_free(struct nvfifo_ramht *ht, u32 offset)
{
	if (offset >= NVFIFO_OBJECTS)
		clear_bit((offset - NVFIFO_OBJECTS) / NVFIFO_OBJECT_BYTES, ht->slots);
}

/* Write an object into the channel structure. Return: 0 or -ENOSPC. */
static int object_write(struct nvfifo_ramht *ht, const u32 *w, u32 *offset)
{
	int ret = nvfifo_object_alloc(ht, offset);
	u32 i;

	for (i = 0; i < NVFIFO_OBJECT_BYTES && !ret; i += 4)
		nvfifo_vram_wr32(ht->ndev, ht->inst + *offset + i, w[i / 4]);
	return ret;
}

int nvfifo_dmaobj_new(struct nvfifo_ramht *ht, const struct nvfifo_dmaobj *obj, u32 *offset)
{
	u32 w[NVFIFO_OBJECT_BYTES / 4] = {};

	nvfifo_dmaobj_encode(obj, w);
	return object_write(ht, w, offset);
}

/* --- OBJECT_CREATE ------------------------------------------------------- */

#define OBJECT_FLAGS (DRM_NVFIFO_OBJECT_UNPAGED | DRM_NVFIFO_OBJECT_SUPERVISOR | \
		      DRM_NVFIFO_OBJECT_KIND | DRM_NVFIFO_OBJECT_COMPRESSION | \
		      DRM_NVFIFO_OBJECT_ENCRYPTED)

/* A buffer of unpaged objects. */
struct chan_bo {
	struct list_head link;
	struct nvfifo_bo *bo;
	u8 comp;	/* mode in which it holds compression tags, or 0 */
};

/*
 * The card may go on using an object that it has read, so the buffer of one stays until the
 * channel is gone, and so do its tags. One entry is enough for all objects of a kind.
 */
static int chan_bo_keep(struct nvfifo_chan *chan, struct nvfifo_bo *bo, u8 comp)
{
	struct chan_bo *cbo;
	int ret;

	list_for_each_entry(cbo, &chan->bos, link)
		if (cbo->bo == bo && cbo->comp == comp)
			return 0;
	cbo = kzalloc(sizeof(*cbo), GFP_KERNEL);
	if (!cbo)
		return -ENOMEM;
	ret = comp ? nvfifo_bo_tags_get(bo, comp) : 0;
	if (ret) {
		kfree(cbo);
		return ret;
	}
	drm_gem_object_get(&bo->shmem.base);
	cbo->bo = bo;
	cbo->comp = comp;
	list_add(&cbo->link, &chan->bos);
	return 0;
}

/* The card cannot reach the channel's objects any more. */
void nvfifo_chan_bos_free(struct nvfifo_chan *chan)
{
	struct chan_bo *cbo, *tmp;

	list_for_each_entry_safe(cbo, tmp, &chan->bos, link) {
		if (cbo->comp)
			nvfifo_bo_tags_put(cbo->bo);
		drm_gem_object_put(&cbo->bo->shmem.base);
		kfree(cbo);
	}
}

static bool range_ok(const struct drm_nvfifo_object_create *args, u64 end)
{
	return args->size && args->start < end && args->size <= end - args->start;
}

static int check_create(struct nvfifo_device *ndev, const struct drm_nvfifo_object_create *args,
			const struct nvfifo_class *class)
{
	const bool dma = args->type == DRM_NVFIFO_OBJECT_DMA, g84 = ndev->chip->g84;
	const bool unpaged = args->flags & DRM_NVFIFO_OBJECT_UNPAGED;
	const struct nvfifo_rule rules[] = {
		{ !args->handle, "handle is 0" },
		{ args->pad, "pad is not 0" },
		{ args->type > DRM_NVFIFO_OBJECT_ENGINE, "type is not in 0 to 1" },
		{ !dma && (args->access || args->flags || args->start || args->size ||
			   args->bo_handle || args->user || args->kind || args->compression ||
			   args->cycle), "an engine object has only a class" },
		{ !dma && !class, "oclass is no class of this card's engines" },
		{ dma && args->oclass != NVFIFO_CLASS_DMA_READ &&
		  args->oclass != NVFIFO_CLASS_DMA_WRITE && args->oclass != NVFIFO_CLASS_DMA_RW,
		  "oclass is none of 0x2, 0x3, 0x3d" },
		{ args->flags & ~OBJECT_FLAGS, "flags has unknown bits" },
		{ args->flags & DRM_NVFIFO_OBJECT_ENCRYPTED && !g84,
		  "flags: G80 has no encryption" },
		{ args->access > DRM_NVFIFO_ACCESS_RW, "access is not in 0 to 2" },
		{ unpaged && !args->access, "access 0 with UNPAGED" },
		{ args->user > DRM_NVFIFO_USER_SUPERVISOR, "user is not in 0 to 2" },
		{ unpaged && !args->user, "user 0 with UNPAGED" },
		{ args->cycle > (g84 ? DRM_NVFIFO_CYCLE_SHORT : DRM_NVFIFO_CYCLE_LONG),
		  "cycle is not in 0 to 1, on G80 2" },
		{ args->kind && !unpaged && !(args->flags & DRM_NVFIFO_OBJECT_KIND),
		  "kind without OBJECT_KIND" },
		{ !nvfifo_kind_valid(ndev, args->kind), "kind is no storage type of this card" },
		/* The tag would be that of the page, 0 if it has none: somebody else's. */
		{ args->compression && !unpaged, "compression without UNPAGED" },
		{ args->compression > (ndev->num_tags ? DRM_NVFIFO_COMPRESSION_DOUBLE : 0),
		  "compression is not in 0 to 2, or the card has none" },
		{ !unpaged && args->bo_handle, "bo_handle without UNPAGED" },
		{ dma && !unpaged && !range_ok(args, NVFIFO_VA_END),
		  "start with size is empty or reaches over 0xffe0000000" },
		{}
	};
	int ret = nvfifo_check_rules(ndev, "object_create", rules);

	if (ret || dma || nvfifo_bound_engines(ndev) & BIT(class->engine))
		return ret;
	return nvfifo_fail(ndev, -EOPNOTSUPP, "object_create.oclass %#x: engine %u is not set up",
			   args->oclass, class->engine);
}

/* Whoever takes the channel off, or flushes TLBs, must know of the engine before it has work. */
static int engine_attach(struct nvfifo_chan *chan, const struct nvfifo_class *class)
{
	int ret = class->engine == NVFIFO_ENGINE_PGRAPH ? nvfifo_gr_chan_init(chan) : 0;

	if (ret)
		return ret;
	WRITE_ONCE(chan->engines, chan->engines | BIT(class->engine));
	guard(mutex)(&chan->vm->pt_lock);
	chan->vm->engines |= BIT(class->vm_engine);
	return 0;
}

/* Point the object at the buffer's own memory, which must be contiguous. */
static int object_unpaged(struct nvfifo_chan *chan, struct nvfifo_bo *bo,
			  const struct drm_nvfifo_object_create *args, struct nvfifo_dmaobj *obj)
{
	const bool vram = bo->domain == DRM_NVFIFO_DOMAIN_VRAM;
	struct nvfifo_chunk c = { .bo = bo, .end = bo->shmem.base.size };
	struct nvfifo_device *ndev = chan->ndev;
	const struct nvfifo_rule rules[] = {
		{ !range_ok(args, c.end), "start with size is empty or reaches over the BO's end" },
		{ vram && args->flags & DRM_NVFIFO_OBJECT_ENCRYPTED,
		  "flags: ENCRYPTED needs system memory" },
		{ !vram && (args->compression || (args->kind && !ndev->chip->g84)),
		  "kind or compression needs a VRAM BO" },
		{}
	};
	int ret = nvfifo_check_rules(ndev, "object_create", rules) ?: nvfifo_bo_pin(bo);
	u64 address;

	if (ret)
		return ret;
	nvfifo_chunk_next(&c);
	address = c.address;
	while (nvfifo_chunk_next(&c))
		if (c.address != address + c.offset)
			return nvfifo_einval(ndev,
					     "object_create.bo_handle %u: the BO is not in one piece",
					     args->bo_handle);
	/* Without a page table the IGPs take offsets in stolen memory too. */
	if (vram)
		address -= ndev->igp_base;
	obj->target = vram ? NVFIFO_DMAOBJ_VRAM :
		      bo->shmem.map_wc ? NVFIFO_DMAOBJ_SYS_NOSNOOP : NVFIFO_DMAOBJ_SYS_SNOOP;
	obj->start += address;
	obj->limit += address;
	ret = chan_bo_keep(chan, bo, args->compression);
	if (!ret && args->compression) {
		obj->comp_start = address >> 16;
		obj->tag_start = bo->tags.start;
		obj->tag_limit = bo->tags.start + bo->tags.size - 1;
	}
	return ret;
}

/* Encode a DMA object. */
static int dmaobj_words(struct nvfifo_chan *chan, struct drm_file *file,
			const struct drm_nvfifo_object_create *args, u32 *w)
{
	const bool unpaged = args->flags & DRM_NVFIFO_OBJECT_UNPAGED;
	struct nvfifo_dmaobj obj = {
		.oclass = args->oclass,
		.access = args->access,
		.user = args->user,
		.kind = unpaged || args->flags & DRM_NVFIFO_OBJECT_KIND ? args->kind :
									  NVFIFO_DMAOBJ_KIND_VM,
		.comp = unpaged || args->flags & DRM_NVFIFO_OBJECT_COMPRESSION ?
				args->compression : NVFIFO_DMAOBJ_COMP_VM,
		.supervisor = args->flags & DRM_NVFIFO_OBJECT_SUPERVISOR,
		.start = args->start,
		.limit = args->start + args->size - 1,
		.cycle = args->cycle ?: unpaged ? DRM_NVFIFO_CYCLE_SHORT : DRM_NVFIFO_CYCLE_VM,
		.encrypted = args->flags & DRM_NVFIFO_OBJECT_ENCRYPTED ? 1 :
			     chan->ndev->chip->g84 && !unpaged ? NVFIFO_DMAOBJ_ENCRYPTED_VM : 0,
	};
	struct drm_gem_object *gem __free(gem_put) = NULL;
	int ret = 0;

	if (unpaged) {
		gem = drm_gem_object_lookup(file, args->bo_handle);
		if (!gem)
			return nvfifo_fail(chan->ndev, -ENOENT,
					   "object_create.bo_handle %u is unknown",
					   args->bo_handle);
		ret = object_unpaged(chan, to_nvfifo_bo(gem), args, &obj);
	}
	nvfifo_dmaobj_encode(&obj, w);
	return ret;
}

static int object_new(struct nvfifo_chan *chan, struct drm_file *file,
		      const struct drm_nvfifo_object_create *args,
		      const struct nvfifo_class *class)
{
	/* An engine looks only for the class, in the first word. */
	u32 w[NVFIFO_OBJECT_BYTES / 4] = { args->oclass }, offset;
	struct nvfifo_ramht *ht = &chan->ramht;
	int ret, slot;

	if (nvfifo_ramht_find(ht, args->handle) >= 0)
		return nvfifo_fail(chan->ndev, -EEXIST, "object_create.handle %#x exists",
				   args->handle);
	ret = class ? engine_attach(chan, class) : dmaobj_words(chan, file, args, w);
	ret = ret ?: object_write(ht, w, &offset);
	if (ret)
		return ret;
	slot = nvfifo_ramht_insert(ht, args->handle,
				   nvfifo_ramht_context(class ? class->engine : 0, offset));
	if (slot < 0) {
		nvfifo_object_free(ht, offset);
		return nvfifo_fail(chan->ndev, slot, "object_create: RAMHT is full");
	}
	return nvfifo_bar_flush(chan->ndev);
}

int nvfifo_ioctl_object_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_object_create *args = data;
	const struct nvfifo_class *class = args->type == DRM_NVFIFO_OBJECT_DMA ? NULL :
					   nvfifo_class_find(ndev->chip, args->oclass);
	int ret = check_create(ndev, args, class) ?: nvfifo_check_wedged(ndev);

	if (ret)
		return ret;
	chan = nvfifo_chan_lookup(ndev, file, args->channel_id, "object_create.channel_id");
	if (!chan)
		return -ENOENT;
	guard(mutex)(&chan->lock);
	return object_new(chan, file, args, class);
}

int nvfifo_ioctl_object_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_object_destroy *args = data;
	u32 context;
	int ret, slot;

	if (args->handle == NVFIFO_HANDLE_FENCE || args->handle == NVFIFO_HANDLE_SW)
		return nvfifo_fail(ndev, -EACCES, "object_destroy.handle %#x is the driver's",
				   args->handle);
	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;
	chan = nvfifo_chan_lookup(ndev, file, args->channel_id, "object_destroy.channel_id");
	if (!chan)
		return -ENOENT;
	guard(mutex)(&chan->lock);
	slot = nvfifo_ramht_find(&chan->ramht, args->handle);
	if (slot < 0)
		return nvfifo_fail(ndev, -ENOENT, "object_destroy.handle %#x is unknown",
				   args->handle);
	context = chan->ramht.shadow[slot].context;
	nvfifo_ramht_remove(&chan->ramht, slot);
	ret = nvfifo_bar_flush(ndev);
	nvfifo_object_free(&chan->ramht, nvfifo_ramht_context_offset(context));
	return ret;
}
