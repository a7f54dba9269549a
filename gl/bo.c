// SPDX-License-Identifier: MIT
/* Buffers: their addresses, where their memory is, who uses them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gl.h"

#define G80 0x50

/* nouveau gives up after this time. */
#define CPU_PREP_SECONDS 30

#define TILE_KIND_SHIFT 8
#define TILE_KIND	0x7f00
#define TILE_COMP_SHIFT 16

/* --- addresses --- */

/* The lowest gap that is large enough */
static int take_extent(struct gl_arena *arena, uint64_t size, struct gl_extent *extent)
{
	struct gl_extent **link = &arena->first;
	uint64_t at = arena->start;

	if (size > arena->end - arena->start)
		return -ENOMEM;

	size = (size + arena->page - 1) & ~(arena->page - 1);
	while (*link && (*link)->va - at < size) {
		at = (*link)->va + (*link)->range;
		link = &(*link)->next;
	}
	if (!*link && arena->end - at < size)
		return -ENOMEM;

	*extent = (struct gl_extent){ .va = at, .range = size, .next = *link };
	*link = extent;
	return 0;
}

static void give_extent(struct gl_arena *arena, const struct gl_extent *extent)
{
	struct gl_extent **link = &arena->first;

	while (*link && *link != extent)
		link = &(*link)->next;
	if (*link)
		*link = extent->next;
}

/* --- handles --- */

struct gl_bo *gl_bo_find(struct gl_file *file, uint32_t handle)
{
	return handle < file->bo_room ? file->bos[handle] : NULL;
}

static int need_room(struct gl_file *file, uint32_t handle)
{
	uint64_t room = file->bo_room ? file->bo_room : 64;
	struct gl_bo **bos;

	while (room <= handle)
		room *= 2;
	if (room == file->bo_room)
		return 0;
	if (room > UINT32_MAX)
		return -ENOMEM;

	bos = realloc(file->bos, room * sizeof(struct gl_bo *));
	if (!bos)
		return -ENOMEM;
	memset(bos + file->bo_room, 0, (room - file->bo_room) * sizeof(struct gl_bo *));
	file->bos = bos;
	file->bo_room = (uint32_t)room;
	return 0;
}

/* --- mappings --- */

static int bind(struct gl_file *file, const struct drm_nvfifo_vm_bind_op *op,
		const struct drm_nvfifo_sync *syncs, uint32_t count, bool async)
{
	struct drm_nvfifo_vm_bind args = {
		.vm_id = file->vm,
		.flags = async ? DRM_NVFIFO_VM_BIND_ASYNC : 0,
		.ops = { sizeof(*op), 1, (uintptr_t)op },
		.syncs = { sizeof(*syncs), count, (uintptr_t)syncs },
	};

	return gl_call(file, DRM_IOCTL_NVFIFO_VM_BIND, &args);
}

static int map(struct gl_file *file, struct gl_bo *bo)
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_MAP,
		.bo_handle = bo->handle,
		.va = bo->extent.va,
		.range = bo->size,
		.kind = (bo->tile_flags & TILE_KIND) >> TILE_KIND_SHIFT,
	};
	int ret;

	if (bo->domain == NOUVEAU_GEM_DOMAIN_VRAM)
		op.compression = (bo->tile_flags & NOUVEAU_GEM_TILE_COMP) >> TILE_COMP_SHIFT;
	ret = bind(file, &op, NULL, 0, false);
	/* Without tag cells, or on a card that has none, nouveau does without as well. */
	if (ret && op.compression) {
		op.compression = DRM_NVFIFO_COMPRESSION_NONE;
		bo->tile_flags &= ~(uint32_t)NOUVEAU_GEM_TILE_COMP;
		ret = bind(file, &op, NULL, 0, false);
	}
	return ret;
}

/* The points to wait for; how many they are. */
static uint32_t points_of(struct gl_file *file, const struct gl_bo *bo, bool write,
			  uint32_t *timelines, uint64_t *points)
{
	uint32_t count = 0, i;

	for (i = 0; i < GL_CHANNELS; i++) {
		uint64_t point = write ? bo->use[i].used : bo->use[i].written;

		if (!point)
			continue;
		timelines[count] = file->channels[i].timeline;
		points[count++] = point;
	}
	return count;
}

int64_t gl_deadline(int seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec + seconds) * 1000000000ll + now.tv_nsec;
}

int gl_wait_points(struct gl_file *file, const uint32_t *timelines, const uint64_t *points,
		   uint32_t count, int64_t timeout_ns)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)timelines,
		.points = (uintptr_t)points,
		.timeout_nsec = timeout_ns,
		.count_handles = count,
		.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
	};
	int ret;

	if (!count)
		return 0;
	do {
		ret = gl_call(file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
	} while (ret == -EINTR || ret == -EAGAIN);
	return ret;
}

/*
 * The unmap takes effect when the last work on the buffer has ended; this call does not wait for
 * it.
 */
static int unmap(struct gl_file *file, struct gl_bo *bo)
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_UNMAP,
		.va = bo->extent.va,
		.range = bo->extent.range,
	};
	struct drm_nvfifo_sync syncs[GL_CHANNELS];
	uint32_t timelines[GL_CHANNELS], count, i;
	uint64_t points[GL_CHANNELS];
	int ret;

	count = points_of(file, bo, true, timelines, points);
	for (i = 0; i < count; i++)
		syncs[i] = (struct drm_nvfifo_sync){
			.flags = DRM_NVFIFO_SYNC_WAIT | DRM_NVFIFO_SYNC_TIMELINE,
			.handle = timelines[i],
			.timeline_value = points[i],
		};
	do {
		ret = bind(file, &op, syncs, count, true);
	} while (ret == -EINTR);
	if (!ret)
		return 0;

	/* No memory for a job: wait for the work here. */
	gl_wait_points(file, timelines, points, count, gl_deadline(CPU_PREP_SECONDS));
	do {
		ret = bind(file, &op, NULL, 0, false);
	} while (ret == -EINTR);
	return ret;
}

/* --- buffers --- */

static int close_handle(struct gl_file *file, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return gl_call(file, DRM_IOCTL_GEM_CLOSE, &args);
}

/* Give a buffer its address; the handle stays the caller's if that fails. */
static int add(struct gl_file *file, const struct gl_bo *init, struct gl_bo **out)
{
	struct gl_bo *bo;
	int ret;

	ret = need_room(file, init->handle);
	if (ret)
		return ret;
	bo = malloc(sizeof(*bo));
	if (!bo)
		return -ENOMEM;

	*bo = *init;
	bo->arena = bo->domain == NOUVEAU_GEM_DOMAIN_VRAM ? &file->large : &file->small;
	ret = take_extent(bo->arena, bo->size, &bo->extent);
	if (ret)
		goto err_free;
	do {
		ret = map(file, bo);
	} while (ret == -EINTR);
	if (ret)
		goto err_extent;

	file->bos[bo->handle] = bo;
	*out = bo;
	return 0;

err_extent:
	give_extent(bo->arena, &bo->extent);
err_free:
	free(bo);
	return ret;
}

static int create_in(struct gl_file *file, uint32_t domain, uint32_t flags,
		     const struct drm_nouveau_gem_info *info, struct gl_bo **bo)
{
	struct drm_nvfifo_bo_create args = {
		.size = info->size,
		.domain = domain == NOUVEAU_GEM_DOMAIN_VRAM ? DRM_NVFIFO_DOMAIN_VRAM :
							      DRM_NVFIFO_DOMAIN_SYSTEM,
		.flags = flags,
	};
	struct gl_bo init = {
		.domain = domain,
		.tile_mode = info->tile_mode,
		.tile_flags = info->tile_flags,
		.lsr = flags & DRM_NVFIFO_BO_LSR,
	};
	int ret;

	ret = gl_call(file, DRM_IOCTL_NVFIFO_BO_CREATE, &args);
	if (ret)
		return ret;

	init.handle = args.handle;
	init.size = args.size;
	init.mmap_offset = args.mmap_offset;
	ret = add(file, &init, bo);
	if (ret)
		close_handle(file, args.handle);
	return ret;
}

/* Storage types of the other bank order need VRAM of their own; VM_BIND knows which they are. */
static int create_in_vram(struct gl_file *file, const struct drm_nouveau_gem_info *info,
			  struct gl_bo **bo)
{
	int ret = create_in(file, NOUVEAU_GEM_DOMAIN_VRAM, 0, info, bo);

	if (ret == -EINVAL && (info->tile_flags & TILE_KIND))
		ret = create_in(file, NOUVEAU_GEM_DOMAIN_VRAM, DRM_NVFIFO_BO_LSR, info, bo);
	return ret;
}

/*
 * In User Mode Linux no process can map VRAM, so buffers that Mesa may map are system memory there.
 */
static bool wants_vram(const struct gl_file *file, const struct drm_nouveau_gem_info *info)
{
	bool mappable = file->device.features & DRM_NVFIFO_FEATURE_VRAM_MMAP;

	if (info->domain && !(info->domain & NOUVEAU_GEM_DOMAIN_VRAM))
		return false;
	return mappable || (info->tile_flags & TILE_KIND);
}

static void fill_info(const struct gl_bo *bo, struct drm_nouveau_gem_info *info)
{
	*info = (struct drm_nouveau_gem_info){
		.handle = bo->handle,
		.domain = bo->domain,
		.size = bo->size,
		.offset = bo->extent.va,
		.map_handle = bo->mmap_offset,
		.tile_mode = bo->tile_mode,
		.tile_flags = bo->tile_flags,
	};
}

int gl_bo_create(struct gl_file *file, struct drm_nouveau_gem_info *info, struct gl_bo **bo)
{
	int ret = gl_need_vm(file);

	if (ret)
		return ret;
	if (wants_vram(file, info)) {
		ret = create_in_vram(file, info, bo);
		/* Nothing is moved out of VRAM; the G80 cannot have tiles in system memory. */
		if ((ret == -ENOSPC || ret == -ENOMEM) &&
		    !(file->device.chipset == G80 && (info->tile_flags & TILE_KIND)))
			ret = create_in(file, NOUVEAU_GEM_DOMAIN_GART, 0, info, bo);
	} else {
		ret = create_in(file, NOUVEAU_GEM_DOMAIN_GART, 0, info, bo);
	}
	/* nouveau returns -ENOMEM when there is no room. */
	if (ret == -ENOSPC)
		ret = -ENOMEM;
	if (!ret)
		fill_info(*bo, info);
	return ret;
}

int gl_bo_close(struct gl_file *file, struct gl_bo *bo)
{
	uint32_t handle = bo->handle;

	file->bos[handle] = NULL;
	free(bo->shadow);
	bo->shadow = NULL;
	if (unmap(file, bo)) {
		/* Addresses that could not be unmapped must not be given out again. */
		gl_say("handle %u could not be unmapped; its addresses are lost", handle);
	} else if (!gl_capturing()) {
		/* In a capture, an address means one buffer. */
		give_extent(bo->arena, &bo->extent);
		free(bo);
	}
	return close_handle(file, handle);
}

void gl_bo_forget_channel(struct gl_file *file, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < file->bo_room; i++) {
		if (file->bos[i])
			file->bos[i]->use[number] = (struct gl_use){ 0 };
	}
}

/* --- calls --- */

int gl_gem_new(struct gl_file *file, void *arg)
{
	struct drm_nouveau_gem_new *req = arg;
	struct gl_bo *bo;

	return gl_bo_create(file, &req->info, &bo);
}

/* A handle without an address is one that was imported; its storage type is unknown. */
static int adopt(struct gl_file *file, uint32_t handle, struct gl_bo **bo)
{
	struct drm_nvfifo_bo_info info = { .handle = handle };
	struct gl_bo init = { .handle = handle };
	int ret;

	ret = gl_call(file, DRM_IOCTL_NVFIFO_BO_INFO, &info);
	if (ret)
		return ret;
	ret = gl_need_vm(file);
	if (ret)
		return ret;

	init.size = info.size;
	init.mmap_offset = info.mmap_offset;
	init.domain = NOUVEAU_GEM_DOMAIN_GART;
	if (info.domain == DRM_NVFIFO_DOMAIN_VRAM)
		init.domain = NOUVEAU_GEM_DOMAIN_VRAM;
	return add(file, &init, bo);
}

int gl_gem_info(struct gl_file *file, void *arg)
{
	struct drm_nouveau_gem_info *info = arg;
	struct gl_bo *bo = gl_bo_find(file, info->handle);
	int ret;

	if (!bo) {
		ret = adopt(file, info->handle, &bo);
		if (ret)
			return ret;
	}
	fill_info(bo, info);
	return 0;
}

int gl_gem_cpu_prep(struct gl_file *file, void *arg)
{
	const struct drm_nouveau_gem_cpu_prep *req = arg;
	uint32_t timelines[GL_CHANNELS], count = 0;
	uint64_t points[GL_CHANNELS];
	int64_t deadline = 0;
	struct gl_bo *bo;
	int ret;

	pthread_mutex_lock(&file->lock);
	bo = gl_bo_find(file, req->handle);
	if (bo)
		count = points_of(file, bo, req->flags & NOUVEAU_GEM_CPU_PREP_WRITE, timelines,
				  points);
	pthread_mutex_unlock(&file->lock);
	if (!bo)
		return -ENOENT;

	if (!(req->flags & NOUVEAU_GEM_CPU_PREP_NOWAIT))
		deadline = gl_deadline(CPU_PREP_SECONDS);
	ret = gl_wait_points(file, timelines, points, count, deadline);
	/* The syncobj of a channel that another thread has freed meanwhile */
	if (ret == -ENOENT)
		return 0;
	return ret == -ETIME ? -EBUSY : ret;
}

/* Memory is coherent, so there is nothing to do after the CPU's accesses. */
int gl_gem_cpu_fini(struct gl_file *file, void *arg)
{
	const struct drm_nouveau_gem_cpu_fini *req = arg;

	return gl_bo_find(file, req->handle) ? 0 : -ENOENT;
}

int gl_gem_close(struct gl_file *file, void *arg)
{
	const struct drm_gem_close *req = arg;
	struct gl_bo *bo = gl_bo_find(file, req->handle);

	return bo ? gl_bo_close(file, bo) : close_handle(file, req->handle);
}
