// SPDX-License-Identifier: MIT
/* The calls of the device file, which the kernel would dispatch to the driver and to DRM. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_names.h"
#include "nvfifo_priv.h"
#include "priv.h"

#define MS	1000000LL

/* --- DEVICE_QUERY -------------------------------------------------------- */

static __u64 features(const struct model *m)
{
	__u64 bits = DRM_NVFIFO_FEATURE_VRAM_MMAP | DRM_NVFIFO_FEATURE_USER_QUEUE;

	if (m->g84)
		bits |= DRM_NVFIFO_FEATURE_SEMAPHORE64 | DRM_NVFIFO_FEATURE_ENCRYPTION;
	else
		bits |= DRM_NVFIFO_FEATURE_LONG_CYCLE;
	if (m->igp)
		bits |= DRM_NVFIFO_FEATURE_IGP;
	if (m->tags)
		bits |= DRM_NVFIFO_FEATURE_COMPRESSION;

	return bits;
}

static struct drm_nvfifo_query_device device_record(struct model *m)
{
	struct drm_nvfifo_query_device q = {
		.chipset = m->chipset,
		.boot_0 = m->boot_0,
		.vram_size = MODEL_VRAM,
		.vram_free = m->inst_next - m->vram_next,
		.va_start = NVFIFO_VA_START,
		.va_end = NVFIFO_VA_END,
		.page_sizes = 1 << 12 | 1 << 16,
		.features = features(m),
		.engines = 1 << 1,
		.bound_engines = 1 << 0 | 1 << 1,
		.tags = m->tags,
		.tags_free = m->tags - m->tag_next,
		.bar1_size = MODEL_VRAM,
		.graph_units = model_read(m, NV_PBUS_HWUNITS_0),
	};
	const char *name = nvfifo_chipset_name(m->chipset);

	if (m->chip >= NV_CHIP_GT215)
		q.page_sizes |= 1 << 14;
	strncpy((char *)q.name, name, sizeof(q.name) - 1);

	return q;
}

/* The model knows no users, so their limits are 0. */
static const struct drm_nvfifo_query_limits limits = {
	.channels = NVFIFO_CHAN_MAX - NVFIFO_CHAN_MIN + 1,
	.ring_order_min = NVFIFO_RING_ORDER_MIN,
	.ring_order_max = NVFIFO_RING_ORDER_MAX,
	.ring_order_default = NVFIFO_RING_ORDER_DEFAULT,
	.submit_entries = (1 << NVFIFO_RING_ORDER_MAX) - 2,
	.submit_words = NVFIFO_IB_WORDS_MAX,
	.submit_syncs = MODEL_SYNCS,
	.objects = NVFIFO_OBJECT_SLOTS,
};

static int device_query(struct model *m, struct drm_nvfifo_device_query *args)
{
	void *to = (void *)(uintptr_t)args->pointer;
	struct drm_nvfifo_query_time time = {
		.timer_ns = (__u64)model_read(m, NV_PTIMER_TIME_HIGH) << 32 |
			    model_read(m, NV_PTIMER_TIME_LOW),
		.monotonic_ns = m->now,
	};
	struct drm_nvfifo_query_device device;

	if (args->type == DRM_NVFIFO_QUERY_DEVICE && args->size >= sizeof(device)) {
		device = device_record(m);
		memcpy(to, &device, sizeof(device));
	} else if (args->type == DRM_NVFIFO_QUERY_LIMITS && args->size >= sizeof(limits)) {
		memcpy(to, &limits, sizeof(limits));
	} else if (args->type == DRM_NVFIFO_QUERY_TIME && args->size >= sizeof(time)) {
		memcpy(to, &time, sizeof(time));
	} else {
		return -EOPNOTSUPP;
	}

	return 0;
}

/* --- Syncobjs and events ------------------------------------------------- */

static int syncobj_create(struct model *m, struct drm_syncobj_create *args)
{
	if (m->fence_count == MODEL_FENCES)
		return -ENOMEM;

	m->fences[m->fence_count].used = true;
	args->handle = ++m->fence_count;

	return 0;
}

static int syncobj_destroy(struct model *m, const struct drm_syncobj_destroy *args)
{
	struct model_fence *f = model_fence_find(m, args->handle);

	if (!f)
		return -ENOENT;

	f->used = false;

	return 0;
}

static bool has_ended(void *arg)
{
	const struct model_fence *f = arg;

	return f->status;
}

static int syncobj_wait(struct model *m, const struct drm_syncobj_wait *args)
{
	const __u32 *handles = (const void *)(uintptr_t)args->handles;
	struct model_fence *f = model_fence_find(m, handles[0]);

	if (!f || args->count_handles != 1)
		return -ENOENT;
	if (f->status || model_work(m, has_ended, f, args->timeout_nsec - (__s64)m->now))
		return 0;

	return m->stopped ? -ECANCELED : -ETIME;
}

static int fence_status(void *ctx, __u32 handle, int *status)
{
	const struct model_fence *f = model_fence_find(ctx, handle);

	if (!f)
		return nvfifo_error(-ENOENT, "there is no fence %u", handle);

	*status = f->status;

	return 0;
}

static bool has_event(void *arg)
{
	return ((const struct model *)arg)->event_count;
}

static int event(void *ctx, int timeout_ms, union nvfifo_file_event *out)
{
	struct model *m = ctx;

	if (!m->event_count && !model_work(m, has_event, m, timeout_ms * MS))
		return 0;

	*out = m->events[0];
	m->event_count--;
	memmove(m->events, m->events + 1, m->event_count * sizeof(m->events[0]));

	return 1;
}

/* --- The file ------------------------------------------------------------ */

static int bo_close(struct model *m, const struct drm_gem_close *args)
{
	struct model_bo *bo = model_bo_find(m, args->handle);

	if (!bo)
		return -ENOENT;

	bo->used = false;

	return 0;
}

static int call_drm(struct model *m, unsigned long request, void *arg)
{
	switch (request) {
	case DRM_IOCTL_GEM_CLOSE:
		return bo_close(m, arg);
	case DRM_IOCTL_SYNCOBJ_CREATE:
		return syncobj_create(m, arg);
	case DRM_IOCTL_SYNCOBJ_DESTROY:
		return syncobj_destroy(m, arg);
	case DRM_IOCTL_SYNCOBJ_WAIT:
		return syncobj_wait(m, arg);
	default:
		return -EOPNOTSUPP;
	}
}

int model_call(struct model *m, unsigned long request, void *arg)
{
	if (m->stopped)
		return -ECANCELED;

	switch (request) {
	case DRM_IOCTL_NVFIFO_DEVICE_QUERY:
		return device_query(m, arg);
	case DRM_IOCTL_NVFIFO_BO_CREATE:
		return model_bo_create(m, arg);
	case DRM_IOCTL_NVFIFO_BO_LABEL:
		return model_bo_label(m, arg);
	case DRM_IOCTL_NVFIFO_VM_CREATE:
		return model_vm_create(m, arg);
	case DRM_IOCTL_NVFIFO_VM_DESTROY:
		return model_vm_destroy(m, arg);
	case DRM_IOCTL_NVFIFO_VM_BIND:
		return model_vm_bind(m, arg);
	case DRM_IOCTL_NVFIFO_CHANNEL_CREATE:
		return model_channel_create(m, arg);
	case DRM_IOCTL_NVFIFO_CHANNEL_DESTROY:
		return model_channel_destroy(m, arg);
	case DRM_IOCTL_NVFIFO_CHANNEL_QUERY:
		return model_channel_query(m, arg);
	case DRM_IOCTL_NVFIFO_OBJECT_CREATE:
		return model_object_create(m, arg);
	case DRM_IOCTL_NVFIFO_SUBMIT:
		return model_submit(m, arg);
	default:
		return call_drm(m, request, arg);
	}
}

static int call(void *ctx, unsigned long request, void *arg)
{
	return model_call(ctx, request, arg);
}

int model_file(const struct model *m)
{
	return m->fd;
}

void model_settle(struct model *m)
{
	model_work(m, NULL, NULL, MODEL_PATIENCE_NS);
}

static void *map(void *ctx, __u64 offset, __u64 size)
{
	return model_pages_map(ctx, offset, size);
}

static __s64 now(void *ctx)
{
	return (__s64)((struct model *)ctx)->now;
}

static bool never(void *arg)
{
	(void)arg;

	return false;
}

static void let_pass(void *ctx, __s64 ns)
{
	struct model *m = ctx;

	model_work(m, never, NULL, ns);

	/* Waits for a program that was ended must end, too. */
	if (m->stopped)
		m->now += (__u64)ns;
}

static void model_free(struct model *m)
{
	size_t i;

	model_card_stop(m);

	for (i = 0; i < MODEL_SPACES; i++) {
		if (m->vms[i])
			free(m->vms[i]->mappings);
		free(m->vms[i]);
	}

	free(m->fences);
	free(m);
}

static int open_file(void *ctx)
{
	((struct model *)ctx)->files++;

	return 0;
}

static void close_file(void *ctx)
{
	struct model *m = ctx;

	if (--m->files)
		return;

	if (m->tells)
		model_print_missing(m, "libnvfifo: ");
	model_free(m);
}

static const struct nvfifo_backend backend = {
	.open = open_file,
	.close = close_file,
	.call = call,
	.map = map,
	.fence_status = fence_status,
	.event = event,
	.now = now,
	.sleep = let_pass,
};

int model_open(const char *chipset, const struct model_watcher *watcher, struct model **out,
	       struct nvfifo_dev **dev)
{
	struct model *m = calloc(1, sizeof(*m));
	int ret = -ENOMEM;

	*out = NULL;
	*dev = NULL;
	if (!m)
		return nvfifo_error(-ENOMEM, "out of memory");

	m->fd = -1;
	m->watcher = watcher;
	m->fences = calloc(MODEL_FENCES, sizeof(*m->fences));
	if (m->fences)
		ret = model_card_start(m, chipset);
	if (!ret)
		ret = nvfifo_open_backend(&backend, m, "the model", dev);
	if (ret) {
		model_free(m);
		return ret;
	}

	*out = m;

	return 0;
}
