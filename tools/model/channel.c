// SPDX-License-Identifier: MIT
/* Channels, their objects, and the work that they are given. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "priv.h"

#define PAGE			0x1000u
#define ENGINE_PGRAPH		1	/* PFIFO's number */
#define LEAVE_NS		1000000

static struct model_channel *channel_find(struct model *m, __u32 id)
{
	if (id < NVFIFO_CHAN_MIN || id > NVFIFO_CHAN_MAX || !m->channels[id].used)
		return NULL;

	return &m->channels[id];
}

static __u32 user_register(const struct model_channel *c, __u32 reg)
{
	return NV_REG_AT(NV_USER_BASE, c->id) + reg;
}

/*
 * Write the running channels to the other one of the two pages, as PFIFO may still read the current
 * page.
 */
void model_playlist_update(struct model *m)
{
	__u64 page;
	__u32 id, n = 0;

	m->playlist_page = !m->playlist_page;
	page = m->playlist + m->playlist_page * PAGE;
	for (id = NVFIFO_CHAN_MIN; id <= NVFIFO_CHAN_MAX; id++) {
		if (m->channels[id].used && !m->channels[id].dead)
			model_vram_write(m, page + 4 * n++, id);
	}

	model_bar_flush(m);
	model_write(m, NV_CACHE1_PLAYLIST, nvfifo_chan_desc(page, NVFIFO_TARGET_VRAM));
	model_write(m, NV_CACHE1_PLAYLIST_LEN, n);
}

/* --- Objects ------------------------------------------------------------- */

/* The object goes to the next slot. Return: its place in the structure, 0 if there is none. */
static __u32 object_place(struct model *m, struct model_channel *c,
			  const __u32 w[NVFIFO_OBJECT_WORDS])
{
	__u32 offset = NVFIFO_OBJECTS + c->objects * NVFIFO_OBJECT_BYTES;
	unsigned int i;

	if (c->objects == NVFIFO_OBJECT_SLOTS)
		return 0;

	c->objects++;
	for (i = 0; i < NVFIFO_OBJECT_WORDS; i++)
		model_vram_write(m, c->inst + offset + i * 4, w[i]);

	return offset;
}

static __u32 dmaobj_place(struct model *m, struct model_channel *c, struct nvfifo_dmaobj *obj)
{
	__u32 w[NVFIFO_OBJECT_WORDS] = { 0 };

	nvfifo_dmaobj_encode(obj, w);

	return object_place(m, c, w);
}

static int ramht_insert(struct model *m, struct model_channel *c, __u32 handle, __u32 context)
{
	__u64 at = c->inst + NVFIFO_CHAN_RAMHT;
	int slot = nvfifo_ramht_search(c->ramht, handle, true);

	if (slot < 0)
		return -ENOSPC;

	c->ramht[slot].handle = handle;
	c->ramht[slot].context = context;
	model_vram_write(m, at + (__u64)slot * 8, handle);
	model_vram_write(m, at + (__u64)slot * 8 + 4, context);

	return 0;
}

/* The objects that every channel has: that of the pusher, and those of fences. */
static void first_objects(struct model *m, struct model_channel *c)
{
	__u64 fence = c->mem_va + c->fence_page;
	struct nvfifo_dmaobj push, page;
	__u32 place;

	push = nvfifo_channel_push_object(c->ib && !c->user_queue);
	page = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_RW, fence, fence + PAGE - 1);
	dmaobj_place(m, c, &push);
	place = dmaobj_place(m, c, &page);
	ramht_insert(m, c, NVFIFO_HANDLE_FENCE, nvfifo_ramht_context(0, place));
	ramht_insert(m, c, NVFIFO_HANDLE_SW, nvfifo_ramht_context(0, place));
}

struct image {
	struct model *m;
	__u64 at;
};

static void write_image(void *arg, __u32 offset, __u32 value)
{
	const struct image *image = arg;

	model_vram_write(image->m, image->at + offset, value);
}

/* The channel's context image of PGRAPH, and the object that leads to it. */
static int gr_attach(struct model *m, struct model_channel *c)
{
	__u64 at = c->inst + nvfifo_chan_gr_object(m->g84);
	__u32 w[NVFIFO_OBJECT_WORDS] = { 0 }, size;
	struct image image = { .m = m };
	struct nvfifo_dmaobj obj;
	unsigned int i;

	if (c->has_gr)
		return 0;

	model_gr_start(m);
	size = nvfifo_grctx_image(&m->gr, NULL, NULL);
	image.at = model_inst_alloc(m, size);
	if (!image.at)
		return -ENOSPC;

	nvfifo_grctx_image(&m->gr, write_image, &image);
	obj = nvfifo_gr_dmaobj(image.at, size);
	nvfifo_dmaobj_encode(&obj, w);
	for (i = 0; i < NVFIFO_OBJECT_WORDS; i++)
		model_vram_write(m, at + i * 4, w[i]);
	c->has_gr = true;
	model_bar_flush(m);
	model_tlb_flush(m);

	return 0;
}

static int engine_object(struct model *m, struct model_channel *c, __u32 oclass, __u32 *context)
{
	/* An engine looks only for the class, in the first word. */
	const __u32 w[NVFIFO_OBJECT_WORDS] = { oclass };
	const struct nvfifo_class *class = nvfifo_class_find(m->facts, oclass);
	__u32 place;
	int ret;

	if (!class)
		return -EINVAL;
	if (class->engine != ENGINE_PGRAPH)
		return -EOPNOTSUPP;

	place = object_place(m, c, w);
	if (!place)
		return -ENOSPC;

	ret = gr_attach(m, c);
	*context = nvfifo_ramht_context(ENGINE_PGRAPH, place);

	return ret;
}

static const char *object_error(const struct model *m, const struct model_bo *bo,
				const struct drm_nvfifo_object_create *args)
{
	struct nvfifo_object_request o = nvfifo_object_request(args, m->chip, m->tags);

	if (bo) {
		o.vram = bo->vram;
		o.system = !bo->vram;
		o.lsr = bo->lsr;
		o.end = bo->size;
	}

	return nvfifo_object_args_rule(args, &o);
}

static int dma_object(struct model *m, struct model_channel *c,
		      const struct drm_nvfifo_object_create *args, __u32 *context)
{
	struct nvfifo_dmaobj obj = nvfifo_object_dmaobj(args, m->g84);
	struct nvfifo_object_memory mem = { 0 };
	struct model_bo *bo = NULL;
	__u32 place;

	if (args->flags & DRM_NVFIFO_OBJECT_UNPAGED) {
		bo = model_bo_find(m, args->bo_handle);
		if (!bo)
			return -ENOENT;
		if (object_error(m, bo, args))
			return -EINVAL;
		if (args->compression && !model_bo_tags(m, bo, args->compression))
			return -ENOSPC;

		mem.vram = bo->vram;
		mem.wc = bo->wc;
		mem.address = bo->at + (bo->vram ? 0 : MODEL_SYSTEM_BASE);
		mem.tag = bo->tag;
		mem.tags = (__u32)(bo->size / 0x10000 * bo->comp);
		nvfifo_object_unpage(&obj, &mem);
	}

	place = dmaobj_place(m, c, &obj);
	*context = nvfifo_ramht_context(0, place);

	return place ? 0 : -ENOSPC;
}

static int software_object(struct model *m, struct model_channel *c, __u32 oclass, __u32 *context)
{
	const __u32 w[NVFIFO_OBJECT_WORDS] = { oclass };
	__u32 place;

	if (!c->event)
		return -EINVAL;

	place = object_place(m, c, w);
	if (!place)
		return -ENOSPC;

	*context = nvfifo_ramht_context(0, place);

	return 0;
}

int model_object_create(struct model *m, const struct drm_nvfifo_object_create *args)
{
	struct model_channel *c = channel_find(m, args->channel_id);
	__u32 context = 0;
	int ret;

	if (!c)
		return -ENOENT;
	if (object_error(m, NULL, args))
		return -EINVAL;
	if (nvfifo_ramht_search(c->ramht, args->handle, false) >= 0)
		return -EEXIST;

	if (args->type == DRM_NVFIFO_OBJECT_ENGINE)
		ret = engine_object(m, c, args->oclass, &context);
	else if (args->type == DRM_NVFIFO_OBJECT_SOFTWARE)
		ret = software_object(m, c, args->oclass, &context);
	else
		ret = dma_object(m, c, args, &context);
	if (ret)
		return ret;

	model_bar_flush(m);
	ret = ramht_insert(m, c, args->handle, context);
	model_bar_flush(m);
	if (!ret && args->type == DRM_NVFIFO_OBJECT_SOFTWARE)
		c->software[nvfifo_ramht_search(c->ramht, args->handle, false)] = true;

	return ret;
}

/* --- Making channels ----------------------------------------------------- */

/* Ring, fence segments and fence page, mapped in the driver's part of the address space */
static int channel_memory(struct model *m, struct model_channel *c)
{
	if (c->ib && !c->user_queue)
		c->fence_page = nvfifo_fence_page_offset(c->order);
	c->mem_at = model_system_alloc(m, c->fence_page + PAGE);
	c->control_at = model_system_alloc(m, PAGE);
	if (!c->mem_at || !c->control_at)
		return -ENOMEM;

	return model_map_driver(m, c->vm, c->mem_at, c->fence_page + PAGE, c->fence_page,
				&c->mem_va);
}

static void write_structure(struct model *m, struct model_channel *c,
			    const struct drm_nvfifo_channel_create *args)
{
	__u64 ring = c->user_queue ? args->start : c->mem_va;
	const struct nvfifo_ramfc fc = nvfifo_channel_ramfc(args, m->g84, c->inst, ring, c->order);
	__u32 w[NVFIFO_RAMFC_WORDS];
	unsigned int i;

	nvfifo_ramfc_encode(&fc, w);
	for (i = 0; i < NVFIFO_RAMFC_WORDS; i++)
		model_vram_write(m, c->inst + nvfifo_chan_ramfc(m->g84) + i * 4, w[i]);
	first_objects(m, c);
	model_vm_attach(m, c);
	model_bar_flush(m);
	model_tlb_flush(m);
}

static int channel_build(struct model *m, struct model_channel *c,
			 struct drm_nvfifo_channel_create *args)
{
	__u32 reg = NV_REG_AT(NV_PFIFO_CHAN_TABLE, c->id);
	int ret;

	c->inst = model_inst_alloc(m, NVFIFO_CHAN_BYTES);
	if (!c->inst)
		return -ENOSPC;

	ret = channel_memory(m, c);
	if (ret)
		return ret;

	c->table = nvfifo_chan_table(m->g84, c->inst, NVFIFO_TARGET_VRAM);
	c->used = true;
	write_structure(m, c, args);
	model_write(m, reg, c->table);
	model_write(m, reg, c->table | NVFIFO_CHAN_TABLE_ENABLE);
	model_playlist_update(m);
	if (c->user_queue)
		args->control_offset = MODEL_VRAM + c->control_at;

	return 0;
}

int model_channel_create(struct model *m, struct drm_nvfifo_channel_create *args)
{
	struct model_vm *vm = model_vm_find(m, args->vm_id);
	struct model_channel *c;
	__u32 id = NVFIFO_CHAN_MIN;

	if (nvfifo_channel_rule(args, MODEL_HANG_LIMIT_MAX))
		return -EINVAL;
	if (!vm)
		return -ENOENT;

	while (id <= NVFIFO_CHAN_MAX && m->channels[id].used)
		id++;
	if (id > NVFIFO_CHAN_MAX)
		return -ENOSPC;

	c = &m->channels[id];
	memset(c, 0, sizeof(*c));
	c->id = id;
	c->vm = vm;
	c->order = args->ring_order ? args->ring_order : NVFIFO_RING_ORDER_DEFAULT;
	c->ib = !(args->flags & DRM_NVFIFO_CHANNEL_DMA_MODE);
	c->user_queue = args->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE;
	c->event = args->flags & DRM_NVFIFO_CHANNEL_EVENT;
	c->user_data = args->user_data;
	args->id = id;

	return channel_build(m, c, args);
}

static void jobs_free(struct model_channel *c)
{
	while (c->jobs) {
		struct model_job *next = c->jobs->next;

		free(c->jobs);
		c->jobs = next;
	}
}

static bool kick_is_done(void *arg)
{
	return model_read(arg, NV_CACHE1_KICK_CHANNEL) != ~0u;
}

/* Unload a channel that is out of the playlist, so that its number is free for the next one. */
static void channel_unload(struct model *m, const struct model_channel *c)
{
	__u32 control = 0;

	/* On the G80 a kick waits for PME. */
	if (!m->g84) {
		control = model_read(m, NV_PME_CONTROL);
		model_write(m, NV_PME_CONTROL, control | NV_FLD_MASK(NV_PME_CONTROL__ENABLE));
	}
	model_write(m, NV_CACHE1_KICK_CHANNEL, nvfifo_chan_desc(c->inst, NVFIFO_TARGET_VRAM));
	model_work(m, kick_is_done, m, LEAVE_NS);
	if (!m->g84)
		model_write(m, NV_PME_CONTROL, control);
}

int model_channel_destroy(struct model *m, const struct drm_nvfifo_channel_destroy *args)
{
	struct model_channel *c = channel_find(m, args->id);

	if (!c)
		return -ENOENT;

	model_write(m, NV_REG_AT(NV_PFIFO_CHAN_TABLE, c->id), c->table);
	c->used = false;
	model_playlist_update(m);
	channel_unload(m, c);
	jobs_free(c);

	return 0;
}

/* --- Where a channel is -------------------------------------------------- */

void model_channel_position(struct model *m, const struct model_channel *c,
			    struct drm_nvfifo_channel_query *q)
{
	const struct nvfifo_port port = model_port(m);

	nvfifo_position_read(&port, c->id, c->inst, q);
}

int model_channel_query(struct model *m, struct drm_nvfifo_channel_query *q)
{
	const struct model_channel *c = channel_find(m, q->id);
	__u32 id = q->id;

	if (!c)
		return -ENOENT;

	/* Let the channel's work end first, if it can. */
	model_work(m, NULL, NULL, LEAVE_NS);
	*q = c->error;
	q->id = id;
	if (!c->dead)
		model_channel_position(m, c, q);
	else
		q->state = DRM_NVFIFO_CHANNEL_DEAD;
	q->ring_order = c->order;
	q->submitted = c->submitted;
	q->completed = c->completed;

	return 0;
}

/* --- Fences -------------------------------------------------------------- */

struct model_fence *model_fence_find(struct model *m, __u32 handle)
{
	if (!handle || handle > m->fence_count || !m->fences[handle - 1].used)
		return NULL;

	return &m->fences[handle - 1];
}

static void fences_signal(struct model *m, const struct model_channel *c, int error)
{
	struct model_fence *f;

	for (f = m->fences; f < m->fences + m->fence_count; f++) {
		if (!f->used || !f->attached || f->status || f->channel != c->id)
			continue;

		if (f->seqno <= c->completed)
			f->status = 1;
		else if (error)
			f->status = error;
	}
}

/* Look at the fence pages. Return: whether a fence has signalled. */
bool model_fences_process(struct model *m)
{
	bool found = false;
	__u32 id;

	for (id = NVFIFO_CHAN_MIN; id <= NVFIFO_CHAN_MAX; id++) {
		struct model_channel *c = &m->channels[id];
		__u32 released;

		if (!c->used || c->user_queue)
			continue;

		released = *(__u32 *)model_system(m, c->mem_at + c->fence_page);
		if (!c->dead && (__u32)c->completed != released && released <= c->queued) {
			c->completed = released;
			fences_signal(m, c, 0);
			found = true;
		}

		if (c->dead && c->completed < c->submitted) {
			jobs_free(c);
			fences_signal(m, c, -ECANCELED);
		}
	}

	return found;
}

/* --- Work ---------------------------------------------------------------- */

static void ring_write(struct model *m, struct model_channel *c,
		       const struct nvfifo_ib_entry *entry)
{
	__u32 *ring = model_system(m, c->mem_at);

	nvfifo_ib_encode(entry, ring + c->put * 2);
	c->put = (c->put + 1) % (1u << c->order);
}

static void ring_write_fence(struct model *m, struct model_channel *c, __u32 word)
{
	__u32 offset = nvfifo_fence_seg_offset(c->order, c->put);
	struct nvfifo_ib_entry entry = { .address = c->mem_va + offset, .not_main = true };

	entry.words = nvfifo_fence_words(m->g84, word,
					 model_system(m, c->mem_at + offset));
	ring_write(m, c, &entry);
}

static void ring_submit(struct model *m, struct model_channel *c, const struct model_job *job)
{
	__u32 reg = NV_USER_IB_PUT, i;

	for (i = 0; c->ib && i < job->count; i++) {
		const struct drm_nvfifo_entry *e = &job->entries[i];
		const struct nvfifo_ib_entry entry = {
			.address = e->address,
			.words = e->words,
			.not_main = e->flags & DRM_NVFIFO_ENTRY_NOT_MAIN,
			.no_prefetch = e->flags & DRM_NVFIFO_ENTRY_NO_PREFETCH,
		};

		ring_write(m, c, &entry);
	}

	if (c->ib) {
		ring_write_fence(m, c, (__u32)job->seqno);
	} else {
		c->put = (__u32)job->entries[0].address;
		reg = NV_USER_DMA_PUT;
	}

	c->queued = job->seqno;
	model_write(m, user_register(c, reg), c->put);
}

/* Does the ring have room for the job, and have all fences that it waits for signalled? */
static bool job_is_ready(struct model *m, const struct model_channel *c,
			 const struct model_job *job)
{
	unsigned int i;
	__u32 get, used;

	for (i = 0; i < job->wait_count; i++) {
		if (!model_fence_find(m, job->waits[i])->status)
			return false;
	}

	if (!c->ib)
		return true;

	get = model_read(m, user_register(c, NV_USER_IB_GET));
	used = (c->put - get) % (1u << c->order);

	return used + job->count + 1 < 1u << c->order;
}

/* Write all jobs that can run to the card. Return: true if there was one. */
bool model_jobs_start(struct model *m)
{
	bool started = false;
	__u32 id;

	for (id = NVFIFO_CHAN_MIN; id <= NVFIFO_CHAN_MAX; id++) {
		struct model_channel *c = &m->channels[id];

		while (c->used && !c->dead && c->jobs && job_is_ready(m, c, c->jobs)) {
			struct model_job *job = c->jobs;

			c->jobs = job->next;
			ring_submit(m, c, job);
			free(job);
			started = true;
		}
	}

	return started;
}

static int entries_check(const struct model_channel *c, const struct drm_nvfifo_entry *entries,
			 __u32 count)
{
	const char *why = NULL;
	__u32 i;

	for (i = 0; i < count && !why; i++)
		why = c->ib ? nvfifo_entry_error(&entries[i]) : nvfifo_put_error(&entries[i]);

	return why ? -EINVAL : 0;
}

static int take_syncs(struct model *m, const struct drm_nvfifo_submit *args,
		      struct model_channel *c, struct model_job *job)
{
	const struct drm_nvfifo_sync *syncs = (const void *)(uintptr_t)args->syncs.ptr;
	struct model_fence *f;
	__u32 i;

	for (i = 0; i < args->syncs.count; i++) {
		f = model_fence_find(m, syncs[i].handle);
		if (!f)
			return -ENOENT;
		if (syncs[i].flags & DRM_NVFIFO_SYNC_WAIT)
			job->waits[job->wait_count++] = syncs[i].handle;
		else if (!c->ib)
			return -EOPNOTSUPP;
	}

	for (i = 0; i < args->syncs.count; i++) {
		if (!(syncs[i].flags & DRM_NVFIFO_SYNC_SIGNAL))
			continue;

		f = model_fence_find(m, syncs[i].handle);
		f->attached = true;
		f->status = 0;
		f->channel = c->id;
		f->seqno = c->submitted + 1;
	}

	return 0;
}

int model_submit(struct model *m, struct drm_nvfifo_submit *args)
{
	struct model_channel *c = channel_find(m, args->channel_id);
	__u32 count = args->entries.count;
	struct model_job *job, **last;
	int ret;

	if (!c)
		return -ENOENT;
	if (c->user_queue)
		return -EOPNOTSUPP;
	if (c->dead)
		return -ECANCELED;
	if (args->flags || (!c->ib && count != 1))
		return -EINVAL;
	if (count > (1u << c->order) - 2 || args->syncs.count > MODEL_SYNCS)
		return -E2BIG;

	ret = entries_check(c, (const void *)(uintptr_t)args->entries.ptr, count);
	if (ret)
		return ret;

	job = calloc(1, sizeof(*job) + count * sizeof(job->entries[0]));
	if (!job)
		return -ENOMEM;

	ret = take_syncs(m, args, c, job);
	if (ret) {
		free(job);
		return ret;
	}

	job->seqno = ++c->submitted;
	job->count = count;
	memcpy(job->entries, (const void *)(uintptr_t)args->entries.ptr,
	       count * sizeof(job->entries[0]));
	for (last = &c->jobs; *last; last = &(*last)->next)
		;
	*last = job;
	args->seqno = job->seqno;
	model_jobs_start(m);

	return 0;
}
