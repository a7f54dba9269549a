// SPDX-License-Identifier: MIT
/* Channels, their objects, and submission. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gl.h"

/* PFIFO's own method that names the DMA object of semaphores */
#define MTHD_DMA_SEMAPHORE 0x60
#define MTHD_HEADER(count, subc, mthd) ((uint32_t)(count) << 18 | (uint32_t)(subc) << 13 | (mthd))

/* Read and write; PFIFO does not look at it, PGRAPH does. */
#define CLASS_DMA 0x3d

/* log2 of the ring's entries: room for several submissions of NOUVEAU_GEM_MAX_PUSH segments */
#define RING_ORDER 12

#define NO_PREFETCH (1u << 23)

/* How long a submission that is captured may take */
#define CAPTURE_SECONDS 30

#define HANDLE_NONE UINT32_MAX

static struct gl_channel *find_channel(struct gl_file *file, uint32_t number)
{
	if (number >= GL_CHANNELS || !file->channels[number].id)
		return NULL;
	return &file->channels[number];
}

/* Why it died, once; Mesa itself only prints the errno. */
static void tell_death(struct gl_file *file, struct gl_channel *channel)
{
	static const char *const errors[] = {
		"nothing", "a pusher error", "a CACHE_ERROR", "a semaphore error",
		"work that did not end in time", "the loss of the card", "a PGRAPH error",
		"a write to the fence page",
	};
	struct drm_nvfifo_channel_query query = { .id = channel->id };
	const char *error = "an unknown error";

	if (channel->told)
		return;

	channel->told = true;
	if (gl_call(file, DRM_IOCTL_NVFIFO_CHANNEL_QUERY, &query))
		return;
	if (query.error < sizeof(errors) / sizeof(errors[0]))
		error = errors[query.error];
	gl_say("channel %u was ended by %s: code %#x, method %#06x of subchannel %u, data %#x%s",
	       query.hw_id, error, query.error_code, query.error_method & 0x1ffc,
	       query.error_method >> 13 & 7, query.error_data,
	       query.fault ? ", with a VM fault" : "");
}

/* nouveau returns -ENODEV for a channel that was killed. */
static int channel_errno(struct gl_file *file, struct gl_channel *channel, int ret)
{
	if (ret != -ECANCELED)
		return ret;
	tell_death(file, channel);
	return -ENODEV;
}

/* --- objects --- */

static int create_dma(struct gl_file *file, struct gl_channel *channel, uint32_t handle,
		      uint64_t start, uint64_t size)
{
	struct drm_nvfifo_object_create args = {
		.channel_id = channel->id,
		.handle = handle,
		.type = DRM_NVFIFO_OBJECT_DMA,
		.oclass = CLASS_DMA,
		.start = start,
		.size = size,
	};

	return gl_call(file, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &args);
}

int gl_grobj_alloc(struct gl_file *file, void *arg)
{
	const struct drm_nouveau_grobj_alloc *req = arg;
	struct gl_channel *channel = find_channel(file, (uint32_t)req->channel);
	struct drm_nvfifo_object_create args = {
		.handle = req->handle,
		.type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = (uint32_t)req->class,
	};
	int ret;

	if (!channel)
		return -ENOENT;

	args.channel_id = channel->id;
	ret = gl_call(file, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &args);
	if (!ret)
		gl_capture_line("grobj channel %d handle %08x class %04x", req->channel,
				req->handle, (unsigned int)req->class);
	return channel_errno(file, channel, ret);
}

int gl_notifierobj_alloc(struct gl_file *file, void *arg)
{
	struct drm_nouveau_notifierobj_alloc *req = arg;
	struct gl_channel *channel = find_channel(file, req->channel);
	struct gl_bo *bo;
	uint32_t size;
	int ret;

	if (!channel)
		return -ENOENT;
	bo = gl_bo_find(file, channel->notifier);
	if (!bo)
		return -ENOENT;
	if (!req->size || req->size > GL_PROLOGUE)
		return -EINVAL;
	size = (req->size + 15) & ~15u;
	if (size > GL_PROLOGUE - channel->notifier_used)
		return -ENOMEM;

	ret = create_dma(file, channel, req->handle, bo->extent.va + channel->notifier_used, size);
	if (ret)
		return channel_errno(file, channel, ret);

	req->offset = channel->notifier_used;
	channel->notifier_used += size;
	gl_capture_line("notifierobj channel %u handle %08x size %u", req->channel, req->handle,
			req->size);
	return 0;
}

int gl_gpuobj_free(struct gl_file *file, void *arg)
{
	const struct drm_nouveau_gpuobj_free *req = arg;
	struct gl_channel *channel = find_channel(file, (uint32_t)req->channel);
	struct drm_nvfifo_object_destroy args = { .handle = req->handle };
	int ret;

	if (!channel)
		return -ENOENT;

	args.channel_id = channel->id;
	ret = gl_call(file, DRM_IOCTL_NVFIFO_OBJECT_DESTROY, &args);
	return channel_errno(file, channel, ret);
}

/* --- channels --- */

static int create_channel(struct gl_file *file, struct gl_channel *channel)
{
	struct drm_nvfifo_channel_create args = { .vm_id = file->vm, .ring_order = RING_ORDER };
	int ret;

	if (args.ring_order > file->limits.ring_order_max)
		args.ring_order = file->limits.ring_order_max;
	ret = gl_call(file, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &args);
	if (!ret)
		channel->id = args.id;
	return ret;
}

static void destroy_channel(struct gl_file *file, struct gl_channel *channel)
{
	struct drm_nvfifo_channel_destroy args = { .id = channel->id };

	gl_call(file, DRM_IOCTL_NVFIFO_CHANNEL_DESTROY, &args);
	channel->id = 0;
}

static int create_timeline(struct gl_file *file, struct gl_channel *channel)
{
	struct drm_syncobj_create args = { 0 };
	int ret;

	ret = gl_call(file, DRM_IOCTL_SYNCOBJ_CREATE, &args);
	if (!ret)
		channel->timeline = args.handle;
	return ret;
}

static void destroy_timeline(struct gl_file *file, struct gl_channel *channel)
{
	struct drm_syncobj_destroy args = { .handle = channel->timeline };

	gl_call(file, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
}

/*
 * The driver's entry of each SUBMIT leaves its own object for semaphores. Mesa takes for granted
 * that it is nouveau's, which covers all of the address space.
 */
static int write_prologue(struct gl_file *file, struct gl_channel *channel, struct gl_bo *bo,
			  uint32_t handle)
{
	volatile uint32_t *words = file->map(file->fd, bo->mmap_offset, GL_NOTIFIER_SIZE);

	if (!words)
		return -ENOMEM;

	words[GL_PROLOGUE / 4] = MTHD_HEADER(1, 0, MTHD_DMA_SEMAPHORE);
	words[GL_PROLOGUE / 4 + 1] = handle;
	file->unmap((void *)words, GL_NOTIFIER_SIZE);
	channel->prologue = bo->extent.va + GL_PROLOGUE;
	channel->notifier = bo->handle;
	return 0;
}

/* The page for notifiers; SUBMITs start with the commands at its end. */
static int create_notifier(struct gl_file *file, struct gl_channel *channel, uint32_t handle)
{
	struct drm_nouveau_gem_info info = {
		.domain = NOUVEAU_GEM_DOMAIN_GART,
		.size = GL_NOTIFIER_SIZE,
	};
	struct gl_bo *bo;
	int ret;

	ret = gl_bo_create(file, &info, &bo);
	if (ret)
		return ret;
	ret = write_prologue(file, channel, bo, handle);
	if (ret)
		gl_bo_close(file, bo);
	return ret;
}

static int create_all(struct gl_file *file, struct gl_channel *channel,
		      const struct drm_nouveau_channel_alloc *req)
{
	struct gl_bo *bo;
	int ret;

	ret = create_timeline(file, channel);
	if (ret)
		return ret;
	ret = create_channel(file, channel);
	if (ret)
		goto err_timeline;
	ret = create_notifier(file, channel, req->fb_ctxdma_handle);
	if (ret)
		goto err_channel;
	ret = create_dma(file, channel, req->fb_ctxdma_handle, 0, file->device.va_end);
	if (ret)
		goto err_notifier;
	ret = create_dma(file, channel, req->tt_ctxdma_handle, 0, file->device.va_end);
	if (ret)
		goto err_notifier;
	return 0;

err_notifier:
	bo = gl_bo_find(file, channel->notifier);
	if (bo)
		gl_bo_close(file, bo);
err_channel:
	destroy_channel(file, channel);
err_timeline:
	destroy_timeline(file, channel);
	return ret;
}

int gl_channel_alloc(struct gl_file *file, void *arg)
{
	struct drm_nouveau_channel_alloc *req = arg;
	struct gl_channel channel = { .notifier_used = 0 };
	uint32_t number = 0;
	int ret;

	if (req->fb_ctxdma_handle == HANDLE_NONE || req->tt_ctxdma_handle == HANDLE_NONE)
		return -EINVAL;
	while (number < GL_CHANNELS && file->channels[number].id)
		number++;
	if (number == GL_CHANNELS)
		return -ENOSPC;
	ret = gl_need_vm(file);
	if (ret)
		return ret;
	ret = create_all(file, &channel, req);
	if (ret)
		return ret;

	file->channels[number] = channel;
	req->channel = (int)number;
	req->pushbuf_domains = NOUVEAU_GEM_DOMAIN_VRAM | NOUVEAU_GEM_DOMAIN_GART;
	req->notifier_handle = channel.notifier;
	req->nr_subchan = 0;
	gl_capture_line("channel_alloc fb_ctxdma %08x tt_ctxdma %08x channel %u",
			req->fb_ctxdma_handle, req->tt_ctxdma_handle, number);
	return 0;
}

int gl_channel_free(struct gl_file *file, void *arg)
{
	const struct drm_nouveau_channel_free *req = arg;
	struct gl_channel *channel = find_channel(file, (uint32_t)req->channel);
	struct gl_bo *bo;

	if (!channel)
		return -ENOENT;

	/* nouveau lets the work end; the driver's limit of a job bounds that. */
	if (channel->point)
		gl_wait_points(file, &channel->timeline, &channel->point, 1, INT64_MAX);
	destroy_channel(file, channel);
	gl_bo_forget_channel(file, (uint32_t)req->channel);
	gl_nvif_forget_channel(file, req->channel);
	destroy_timeline(file, channel);
	bo = gl_bo_find(file, channel->notifier);
	if (bo)
		gl_bo_close(file, bo);
	memset(channel, 0, sizeof(*channel));
	return 0;
}

/* --- submission --- */

/**
 * struct submission - A GEM_PUSHBUF on its way
 * @req: The program's request.
 * @buffers: Copy of its list.
 * @pushes: Copy of its list.
 * @bos: The buffers, in the order of @buffers.
 * @segments: The segments, in the order of @pushes.
 * @entries: Entries of the SUBMIT.
 * @count: Elements of @entries.
 * @room: Elements that @entries has room for.
 */
struct submission {
	struct drm_nouveau_gem_pushbuf *req;
	struct drm_nouveau_gem_pushbuf_bo *buffers;
	struct drm_nouveau_gem_pushbuf_push *pushes;
	struct gl_bo **bos;
	struct gl_push *segments;
	struct drm_nvfifo_entry *entries;
	uint32_t count;
	uint32_t room;
};

static int copy_lists(struct submission *s)
{
	const struct drm_nouveau_gem_pushbuf *req = s->req;
	int ret;

	s->buffers = calloc(req->nr_buffers + 1, sizeof(*s->buffers));
	s->pushes = calloc(req->nr_push, sizeof(*s->pushes));
	s->bos = calloc(req->nr_buffers + 1, sizeof(struct gl_bo *));
	s->segments = calloc(req->nr_push, sizeof(*s->segments));
	if (!s->buffers || !s->pushes || !s->bos || !s->segments)
		return -ENOMEM;

	ret = gl_copy_in(s->buffers, (const void *)(uintptr_t)req->buffers,
			 req->nr_buffers * sizeof(*s->buffers));
	if (ret)
		return ret;
	return gl_copy_in(s->pushes, (const void *)(uintptr_t)req->push,
			  req->nr_push * sizeof(*s->pushes));
}

/*
 * Nothing moves, so relocations would change nothing, if the program knows the addresses. One
 * that does not must be told; libdrm_nouveau always does.
 */
static int find_buffers(struct gl_file *file, struct submission *s)
{
	uint32_t i;

	for (i = 0; i < s->req->nr_buffers; i++) {
		const struct drm_nouveau_gem_pushbuf_bo *buffer = &s->buffers[i];

		s->bos[i] = gl_bo_find(file, buffer->handle);
		if (!s->bos[i])
			return -ENOENT;
		if (s->req->nr_relocs && (!buffer->presumed.valid ||
					  buffer->presumed.offset != s->bos[i]->extent.va))
			return -EINVAL;
	}
	return 0;
}

static int add_entry(struct submission *s, uint64_t address, uint32_t words, uint32_t flags)
{
	struct drm_nvfifo_entry *entries = s->entries;
	uint32_t room = s->room * 2;

	if (s->count == s->room) {
		if (!room)
			room = s->req->nr_push + 1;
		entries = realloc(entries, room * sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		s->entries = entries;
		s->room = room;
	}
	s->entries[s->count++] = (struct drm_nvfifo_entry){ address, words, flags };
	return 0;
}

/* One segment; longer ones than an entry can have become several. */
static int add_push(struct gl_file *file, struct submission *s, uint32_t index)
{
	const struct drm_nouveau_gem_pushbuf_push *push = &s->pushes[index];
	uint64_t length = push->length & ~(uint64_t)NO_PREFETCH, address, words, part;
	struct gl_bo *bo;
	uint32_t flags = 0;
	int ret;

	if (push->bo_index >= s->req->nr_buffers)
		return -EINVAL;
	bo = s->bos[push->bo_index];
	if (!length || (push->offset | length) & 3 || length > bo->size ||
	    push->offset > bo->size - length)
		return -EINVAL;

	if (push->length & NO_PREFETCH)
		flags = DRM_NVFIFO_ENTRY_NO_PREFETCH;
	address = bo->extent.va + push->offset;
	for (words = length / 4; words; words -= part) {
		part = words;
		if (part > file->limits.submit_words)
			part = file->limits.submit_words;
		ret = add_entry(s, address, (uint32_t)part, flags);
		if (ret)
			return ret;
		address += part * 4;
	}
	s->segments[index] = (struct gl_push){ bo, push->offset, length, flags };
	return 0;
}

static void mark_buffers(struct submission *s, uint32_t number, uint64_t point)
{
	uint32_t i;

	for (i = 0; i < s->req->nr_buffers; i++) {
		s->bos[i]->use[number].used = point;
		if (s->buffers[i].write_domains)
			s->bos[i]->use[number].written = point;
	}
}

static int submit(struct gl_file *file, struct submission *s, struct gl_channel *channel)
{
	struct drm_nvfifo_sync signal = {
		.flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE,
		.handle = channel->timeline,
		.timeline_value = channel->point + 1,
	};
	struct drm_nvfifo_submit args = {
		.channel_id = channel->id,
		.entries = { sizeof(*s->entries), s->count, (uintptr_t)s->entries },
		.syncs = { sizeof(signal), 1, (uintptr_t)&signal },
	};
	int ret;

	ret = gl_call(file, DRM_IOCTL_NVFIFO_SUBMIT, &args);
	if (ret)
		return channel_errno(file, channel, ret);

	channel->point++;
	return 0;
}

/* While the card is idle, only the CPU changes memory until the next submission. */
static void capture_results(struct gl_file *file, struct submission *s, struct gl_channel *channel)
{
	int ret = gl_wait_points(file, &channel->timeline, &channel->point, 1,
				 gl_deadline(CAPTURE_SECONDS));

	if (ret)
		gl_say("a submission did not end in %d s; its results are not captured",
		       CAPTURE_SECONDS);
	else
		gl_capture_results(file, s->bos, s->req->nr_buffers);
}

static int run(struct gl_file *file, struct submission *s, struct gl_channel *channel)
{
	uint32_t i;
	int ret;

	ret = copy_lists(s);
	if (ret)
		return ret;
	ret = find_buffers(file, s);
	if (ret)
		return ret;
	ret = add_entry(s, channel->prologue, 2, 0);
	if (ret)
		return ret;

	for (i = 0; i < s->req->nr_push; i++) {
		ret = add_push(file, s, i);
		if (ret)
			return ret;
	}
	if (gl_capturing()) {
		gl_capture_line("submit %llu channel %u buffers %u relocs %u pushes %u suffix 00000000 00000000",
				(unsigned long long)channel->point + 1, s->req->channel,
				s->req->nr_buffers, s->req->nr_relocs, s->req->nr_push);
		gl_capture_submission(file, s->bos, s->req->nr_buffers, s->segments,
				      s->req->nr_push);
	}

	ret = submit(file, s, channel);
	if (ret)
		return ret;
	mark_buffers(s, s->req->channel, channel->point);
	if (gl_capturing())
		capture_results(file, s, channel);
	return 0;
}

int gl_gem_pushbuf(struct gl_file *file, void *arg)
{
	struct drm_nouveau_gem_pushbuf *req = arg;
	struct gl_channel *channel = find_channel(file, req->channel);
	struct submission s = { .req = req };
	int ret = 0;

	if (!channel)
		return -ENOENT;
	if (req->nr_push > NOUVEAU_GEM_MAX_PUSH || req->nr_buffers > NOUVEAU_GEM_MAX_BUFFERS ||
	    req->nr_relocs > NOUVEAU_GEM_MAX_RELOCS)
		return -EINVAL;

	if (req->nr_push)
		ret = run(file, &s, channel);
	free(s.buffers);
	free(s.pushes);
	free(s.bos);
	free(s.segments);
	free(s.entries);
	/* Pushbuffers need no suffix on a card with IB rings. */
	req->suffix0 = 0;
	req->suffix1 = 0;
	req->vram_available = file->device.vram_size;
	req->gart_available = file->device.va_end / 4;
	return ret;
}
