// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: OBJECT_CREATE
 *
 * A client can create DMA objects that the page tables of its own address space translate, so they
 * cannot reach memory of others. With CAP_SYS_ADMIN it can also create them over the memory of a
 * buffer that it has a handle for. An engine's object consists only of its class. So does a
 * software object, whose methods nvfifo_fifo_error.c handles.
 *
 * When the channel structure is full, the driver takes the channel off the card and turns destroyed
 * objects into null objects. The buffer of an unpaged object stays until the channel is freed.
 */
#include <linux/module.h>

#include "card/nvfifo_hw.h"
#include "mem/nvfifo_bo.h"
#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "gr/nvfifo_gr.h"
#include "mem/nvfifo_mem.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "debug/nvfifo_trace.h"

static unsigned int engines;
module_param(engines, uint, 0444);
MODULE_PARM_DESC(engines, "Accept objects of these PFIFO engines too, without setting them up, a bit mask; may hang the card (default: 0)");

#define ENGINES_ALL	GENMASK(6, 1)

/**
 * nvfifo_engines_check() - Check the module parameter engines
 *
 * Return: 0 or -EINVAL.
 */
int nvfifo_engines_check(void)
{
	if (!(engines & ~ENGINES_ALL))
		return 0;

	pr_err("nvfifo: engines=%#x has bits outside of %#lx\n", engines, ENGINES_ALL);
	return -EINVAL;
}

/**
 * nvfifo_bound_engines() - Find the engines whose objects OBJECT_CREATE accepts
 * @ndev: the device
 *
 * Return: a mask, bit n for engine n; bit 0 stands for PFIFO's own DMA objects.
 */
u32 nvfifo_bound_engines(const struct nvfifo_device *ndev)
{
	return BIT(0) | BIT(NVFIFO_ENGINE_PGRAPH) | (engines & ndev->chip->engines);
}

/* A buffer with unpaged objects */
struct chan_bo {
	struct list_head link;
	struct nvfifo_bo *bo;
	u8 comp;	/* compression mode of its tags, or 0 */
};

static bool chan_bo_is_kept(const struct nvfifo_chan *chan, const struct nvfifo_bo *bo, u8 comp)
{
	const struct chan_bo *cbo;

	list_for_each_entry(cbo, &chan->bos, link)
		if (cbo->bo == bo && cbo->comp == comp)
			return true;

	return false;
}

static void chan_bo_free(struct chan_bo *cbo)
{
	if (!cbo)
		return;

	if (cbo->comp)
		nvfifo_bo_tags_put(cbo->bo);

	drm_gem_object_put(&cbo->bo->shmem.base);
	kfree(cbo);
}

/*
 * Keep the buffer and tags of an object until the channel is freed. The card may use an object that
 * it has read even after OBJECT_DESTROY. Return: an entry for the channel's list, NULL if the list
 * contains it, or an error pointer.
 */
static struct chan_bo *chan_bo_create(struct nvfifo_chan *chan, struct nvfifo_bo *bo, u8 comp)
{
	struct chan_bo *cbo;
	int ret;

	if (chan_bo_is_kept(chan, bo, comp))
		return NULL;

	cbo = kzalloc(sizeof(*cbo), GFP_KERNEL_ACCOUNT);
	if (!cbo)
		return ERR_PTR(-ENOMEM);

	if (comp) {
		ret = nvfifo_bo_tags_get(bo, comp);
		if (ret) {
			kfree(cbo);
			return ERR_PTR(ret);
		}
	}

	drm_gem_object_get(&bo->shmem.base);
	cbo->bo = bo;
	cbo->comp = comp;

	return cbo;
}

/**
 * nvfifo_chan_bos_free() - Drop the buffers of a channel's unpaged objects
 * @chan: the channel, which is off the card
 */
void nvfifo_chan_bos_free(struct nvfifo_chan *chan)
{
	struct chan_bo *cbo, *tmp;

	list_for_each_entry_safe(cbo, tmp, &chan->bos, link)
		chan_bo_free(cbo);
}

/*
 * Check the capability for objects that reach memory outside of the address space, or change the
 * layout of addresses in VRAM. Documentation/threat-model.rst gives the reasons.
 */
static int check_privilege(struct nvfifo_device *ndev, const struct drm_nvfifo_object_create *args)
{
	const bool swizzled = args->flags & DRM_NVFIFO_OBJECT_KIND &&
			      nvfifo_kind_class(args->kind) == NVFIFO_KIND_SWIZZLED;
	const char *what = NULL;

	if (args->flags & DRM_NVFIFO_OBJECT_UNPAGED)
		what = "UNPAGED";
	else if (args->flags & DRM_NVFIFO_OBJECT_SUPERVISOR)
		what = "SUPERVISOR";
	else if (args->flags & DRM_NVFIFO_OBJECT_ENCRYPTED)
		what = "ENCRYPTED";
	else if (args->cycle == DRM_NVFIFO_CYCLE_LONG)
		what = "the long partition cycle";
	else if (swizzled)
		what = "OBJECT_KIND with an LSR kind";

	if (!what || capable(CAP_SYS_ADMIN))
		return 0;

	return nvfifo_fail(ndev, -EPERM, "object_create: %s needs CAP_SYS_ADMIN", what);
}

static struct nvfifo_object_request object_request(const struct nvfifo_device *ndev,
						   const struct drm_nvfifo_object_create *args)
{
	return nvfifo_object_request(args, ndev->chip->chip, nvfifo_mem_facts(ndev)->num_tags);
}

static int check_create(struct nvfifo_device *ndev, const struct drm_nvfifo_object_create *args,
			const struct nvfifo_class *class)
{
	const struct nvfifo_object_request o = object_request(ndev, args);
	const char *why = nvfifo_object_args_rule(args, &o);
	int ret;

	if (!why && args->type == DRM_NVFIFO_OBJECT_ENGINE && !class)
		why = "oclass is no class of this card's engines";

	ret = nvfifo_check_rule(ndev, "object_create", why);
	if (ret)
		return ret;

	if (class && !(nvfifo_bound_engines(ndev) & BIT(class->engine)))
		return nvfifo_fail(ndev, -EOPNOTSUPP,
				   "object_create.oclass %#x: engine %u is not set up",
				   args->oclass, class->engine);

	return check_privilege(ndev, args);
}

/*
 * Add an engine before it has work, so that kicks and TLB flushes include it. A flush that has
 * begun may miss the engine, which has no translations of the address space yet.
 */
static int engine_attach(struct nvfifo_chan *chan, const struct nvfifo_class *class)
{
	int ret;

	if (class->engine == NVFIFO_ENGINE_PGRAPH) {
		ret = nvfifo_gr_chan_init(chan);
		if (ret)
			return ret;
	}

	nvfifo_fifo_set_engine(chan, class->engine);
	set_bit(class->vm_engine, &chan->vm->engines);

	return 0;
}

/* Return: the address of a pinned buffer's memory, or 0 if it is not contiguous. */
static u64 bo_address(struct nvfifo_bo *bo)
{
	struct nvfifo_extent_walk c = { .bo = bo, .end = bo->shmem.base.size };
	u64 address;

	nvfifo_extent_next(&c);
	address = c.address;

	while (nvfifo_extent_next(&c))
		if (c.address != address + c.offset)
			return 0;

	return address;
}

/*
 * Point the object at the buffer's own memory, which must be contiguous. Return: an entry for the
 * channel's list of buffers, NULL for none, or an error pointer.
 */
static struct chan_bo *object_unpaged(struct nvfifo_chan *chan, struct nvfifo_bo *bo,
				      const struct drm_nvfifo_object_create *args,
				      struct nvfifo_dmaobj *obj)
{
	const bool vram = bo->domain == DRM_NVFIFO_DOMAIN_VRAM;
	struct nvfifo_device *ndev = chan->ndev;
	struct nvfifo_object_request o = object_request(ndev, args);
	struct nvfifo_object_memory mem = { .vram = vram, .wc = bo->shmem.map_wc };
	struct chan_bo *cbo;
	const char *why;
	u64 address;
	int ret;

	o.vram = vram;
	o.system = !vram;
	o.lsr = bo->lsr;
	o.end = bo->shmem.base.size;
	why = nvfifo_object_rule(&o);
	if (why)
		return ERR_PTR(nvfifo_einval(ndev, "object_create.bo_handle %u: %s",
					     args->bo_handle, why));

	ret = nvfifo_bo_pin(bo);
	if (ret)
		return ERR_PTR(ret);

	address = bo_address(bo);
	if (!address)
		return ERR_PTR(nvfifo_einval(ndev,
					     "object_create.bo_handle %u: the BO is not contiguous",
					     args->bo_handle));

	cbo = chan_bo_create(chan, bo, args->compression);
	if (IS_ERR(cbo))
		return cbo;

	/* Without page tables the IGPs also take offsets in stolen memory. */
	if (vram)
		address -= nvfifo_mem_facts(ndev)->igp_base;

	mem.address = address;
	mem.tag = bo->tags.start;
	mem.tags = bo->tags.size;
	nvfifo_object_unpage(obj, &mem);

	return cbo;
}

/*
 * Encode a DMA object. Return: for an unpaged object an entry for the channel's list of buffers,
 * NULL for none, or an error pointer.
 */
static struct chan_bo *dmaobj_words(struct nvfifo_chan *chan, struct drm_file *file,
				    const struct drm_nvfifo_object_create *args, u32 *w)
{
	struct nvfifo_dmaobj obj = nvfifo_object_dmaobj(args, chan->ndev->chip->g84);
	struct drm_gem_object *gem __free(gem_put) = NULL;
	struct chan_bo *cbo = NULL;

	if (args->flags & DRM_NVFIFO_OBJECT_UNPAGED) {
		gem = drm_gem_object_lookup(file, args->bo_handle);
		if (!gem)
			return ERR_PTR(nvfifo_fail(chan->ndev, -ENOENT,
						   "object_create.bo_handle %u is unknown",
						   args->bo_handle));

		cbo = object_unpaged(chan, to_nvfifo_bo(gem), args, &obj);
		if (IS_ERR(cbo))
			return cbo;
	}

	nvfifo_dmaobj_encode(&obj, w);

	return cbo;
}

/*
 * Put the object into the structure. If the structure is full, reclaim slots of destroyed objects.
 */
static int object_place(struct nvfifo_chan *chan, const u32 *w, u32 *offset)
{
	struct nvfifo_ramht *ht = &chan->ramht;
	int ret = nvfifo_object_get(ht, w, offset);

	if (ret != -ENOSPC || !nvfifo_objects_unused(ht))
		return ret;

	ret = nvfifo_fifo_pause_chan(chan);
	if (ret)
		return ret;

	nvfifo_objects_reclaim(ht);
	ret = nvfifo_fifo_unpause_chan(chan);
	if (ret)
		return ret;

	return nvfifo_object_get(ht, w, offset);
}

/**
 * nvfifo_object_enter() - Place an object and enter it in RAMHT
 * @chan: the channel, with its lock held; RAMHT is not full and does not contain the handle
 * @handle: the object's name in the channel's commands
 * @class: class of an engine's object, NULL for a DMA object
 * @w: the object's words
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR, -EIO or -ENODEV.
 */
int nvfifo_object_enter(struct nvfifo_chan *chan, u32 handle, const struct nvfifo_class *class,
			const u32 *w)
{
	struct nvfifo_ramht *ht = &chan->ramht;
	u32 engine = 0, offset;
	int ret;

	ret = object_place(chan, w, &offset);
	if (ret)
		return nvfifo_fail(chan->ndev, ret, "object_create: no place for the object");

	if (class) {
		engine = class->engine;
		ret = engine_attach(chan, class);
	}

	/* The card must see the object before the RAMHT entry that names it. */
	if (!ret)
		ret = nvfifo_bar_flush(chan->ndev);
	if (ret) {
		nvfifo_object_put(ht, offset);
		return ret;
	}

	nvfifo_ramht_insert(ht, handle, nvfifo_ramht_context(engine, offset));

	return nvfifo_bar_flush(chan->ndev);
}

static int object_new(struct nvfifo_chan *chan, struct drm_file *file,
		      const struct drm_nvfifo_object_create *args,
		      const struct nvfifo_class *class)
{
	const bool software = args->type == DRM_NVFIFO_OBJECT_SOFTWARE;
	/* An engine reads only the class, in the first word. */
	u32 w[NVFIFO_OBJECT_WORDS] = { args->oclass };
	struct chan_bo *cbo = NULL;
	int ret;

	if (software && !chan->event)
		return nvfifo_einval(chan->ndev,
				     "object_create.type SOFTWARE: channel %u was created without EVENT",
				     args->channel_id);
	if (nvfifo_ramht_find(&chan->ramht, args->handle) >= 0)
		return nvfifo_fail(chan->ndev, -EEXIST, "object_create.handle %#x exists",
				   args->handle);
	if (nvfifo_ramht_is_full(&chan->ramht))
		return nvfifo_fail(chan->ndev, -ENOSPC, "object_create: RAMHT is full");

	if (args->type == DRM_NVFIFO_OBJECT_DMA) {
		cbo = dmaobj_words(chan, file, args, w);
		if (IS_ERR(cbo))
			return PTR_ERR(cbo);
	}

	/* Add the handle first: its methods may come as soon as RAMHT contains it. */
	if (software) {
		ret = xa_err(xa_store(&chan->software.objects, args->handle, xa_mk_value(1),
				      GFP_KERNEL_ACCOUNT));
		if (ret)
			return ret;
	}

	ret = nvfifo_object_enter(chan, args->handle, class, w);
	if (ret)
		xa_erase(&chan->software.objects, args->handle);

	/* After -EIO the card may have read the object, so keep the buffer. */
	if (ret && ret != -EIO)
		chan_bo_free(cbo);
	else if (cbo)
		list_add(&cbo->link, &chan->bos);

	return ret;
}

/**
 * nvfifo_ioctl_object_create() - OBJECT_CREATE
 * @drm: the card
 * @data: struct drm_nvfifo_object_create
 * @file: whose channel it is
 *
 * Return: 0 or an errno that uapi/nvfifo_drm.h lists.
 */
int nvfifo_ioctl_object_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_object_create *args = data;
	const struct nvfifo_class *class = NULL;
	int ret;

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open)
		return -ENODEV;

	if (args->type == DRM_NVFIFO_OBJECT_ENGINE)
		class = nvfifo_class_find(ndev->chip, args->oclass);

	ret = check_create(ndev, args, class);
	if (ret)
		return ret;

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	chan = nvfifo_chan_lookup(ndev, file, args->channel_id, "object_create.channel_id");
	if (!chan)
		return -ENOENT;

	guard(mutex)(&chan->lock);

	ret = object_new(chan, file, args, class);
	if (!ret)
		trace_nvfifo_object(chan, args->handle, args->oclass);

	return ret;
}

/**
 * nvfifo_ioctl_object_destroy() - OBJECT_DESTROY
 * @drm: the card
 * @data: struct drm_nvfifo_object_destroy
 * @file: whose channel it is
 *
 * Return: 0 or an errno that uapi/nvfifo_drm.h lists.
 */
int nvfifo_ioctl_object_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_object_destroy *args = data;
	u32 context;
	int ret, slot;

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open)
		return -ENODEV;

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
	xa_erase(&chan->software.objects, args->handle);
	nvfifo_ramht_remove(&chan->ramht, slot);
	nvfifo_object_put(&chan->ramht, nvfifo_ramht_context_offset(context));

	return nvfifo_bar_flush(ndev);
}
