// SPDX-License-Identifier: MIT
/*
 * nouveau's calls on a driver that only records its calls. The tests compare the calls of nvfifo,
 * their arguments, and leaks after errors.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gl/gl.h"
#include "tests/tap.h"

#define VA_END	 0xffe0000000ull
#define MAX_CALLS 4096
#define MIB	 (1ull << 20)

/* The fake driver: its objects, the last call, and the call that will fail. */
static struct {
	uint32_t chipset;
	uint64_t features;
	uint32_t next_handle, next_id, next_syncobj;
	unsigned int bos, syncobjs, channels, vms, objects;	/* existing ones */
	uint64_t mapped;		/* bytes */
	unsigned int calls;		/* in all */
	unsigned int fail_at;		/* number of the call that fails, 0 for none */
	int fail_with;
	unsigned long fail_request;	/* or each of this kind */
	uint64_t vram_left;
	uint32_t bad_kind;		/* of bank type LSR */
	uint64_t sizes[MAX_CALLS];	/* of BOs by handle */
	uint32_t flags[MAX_CALLS], domains[MAX_CALLS];
	struct drm_nvfifo_vm_bind_op op;
	uint32_t bind_flags, bind_syncs;
	struct drm_nvfifo_sync sync[GL_CHANNELS];
	struct drm_nvfifo_object_create object;
	struct drm_nvfifo_entry entries[600];
	uint32_t entry_count;
	struct drm_nvfifo_sync signal;
	struct drm_syncobj_timeline_wait wait;
	uint64_t wait_points[GL_CHANNELS];
	int wait_result;
	bool draws;			/* a submission changes memory */
} fake;

static uint32_t page[GL_NOTIFIER_SIZE / 4];

static void *fake_map(int fd, uint64_t offset, size_t size)
{
	(void)fd;
	(void)offset;
	return size <= sizeof(page) ? page : NULL;
}

static int fake_unmap(void *map, size_t size)
{
	(void)map;
	(void)size;
	return 0;
}

static int fake_query(const struct drm_nvfifo_device_query *q)
{
	struct drm_nvfifo_query_device device = {
		.chipset = fake.chipset,
		.vram_size = 256 * MIB,
		.va_start = 0x10000,
		.va_end = VA_END,
		.features = fake.features,
		.graph_units = 0x01030003,
	};
	struct drm_nvfifo_query_limits limits = { .ring_order_max = 14, .submit_words = 1 << 20 };
	struct drm_nvfifo_query_time time = { .timer_ns = 0x123456789abcde0, .monotonic_ns = 1 };
	void *to = (void *)(uintptr_t)q->pointer;

	if (q->type == DRM_NVFIFO_QUERY_DEVICE)
		memcpy(to, &device, sizeof(device));
	else if (q->type == DRM_NVFIFO_QUERY_LIMITS)
		memcpy(to, &limits, sizeof(limits));
	else
		memcpy(to, &time, sizeof(time));
	return 0;
}

static int fake_bo_create(struct drm_nvfifo_bo_create *c)
{
	if (!c->size)
		return -EINVAL;
	if (c->domain == DRM_NVFIFO_DOMAIN_VRAM) {
		if (c->size > fake.vram_left)
			return -ENOSPC;
		c->size = (c->size + 65535) & ~65535ull;
	} else {
		c->size = (c->size + 4095) & ~4095ull;
	}
	c->handle = ++fake.next_handle;
	c->mmap_offset = (uint64_t)c->handle << 32;
	fake.sizes[c->handle] = c->size;
	fake.flags[c->handle] = c->flags;
	fake.domains[c->handle] = c->domain;
	fake.bos++;
	return 0;
}

static int fake_bind(const struct drm_nvfifo_vm_bind *b)
{
	const struct drm_nvfifo_vm_bind_op *op = (const void *)(uintptr_t)b->ops.ptr;

	fake.op = *op;
	fake.bind_flags = b->flags;
	fake.bind_syncs = b->syncs.count;
	if (b->syncs.count)
		memcpy(fake.sync, (const void *)(uintptr_t)b->syncs.ptr,
		       b->syncs.count * sizeof(fake.sync[0]));
	if (op->op == DRM_NVFIFO_VM_BIND_OP_UNMAP) {
		fake.mapped -= op->range;
		return 0;
	}
	if (op->kind && op->kind == fake.bad_kind && !(fake.flags[op->bo_handle] & DRM_NVFIFO_BO_LSR))
		return -EINVAL;
	if (op->compression && !(fake.features & DRM_NVFIFO_FEATURE_COMPRESSION))
		return -EINVAL;
	fake.mapped += op->range;
	return 0;
}

static int fake_submit(const struct drm_nvfifo_submit *s)
{
	fake.entry_count = s->entries.count;
	memcpy(fake.entries, (const void *)(uintptr_t)s->entries.ptr,
	       s->entries.count * sizeof(fake.entries[0]));
	memcpy(&fake.signal, (const void *)(uintptr_t)s->syncs.ptr, sizeof(fake.signal));
	return 0;
}

static int fake_wait(const struct drm_syncobj_timeline_wait *w)
{
	fake.wait = *w;
	memcpy(fake.wait_points, (const void *)(uintptr_t)w->points, w->count_handles * 8);
	return fake.wait_result;
}

static int fake_version(struct drm_version *v)
{
	memcpy(v->name, "nvfifo", 6);
	v->name_len = 6;
	return 0;
}

/* Calls that create or destroy an object */
static int fake_object(unsigned long request, void *arg)
{
	switch (request) {
	case DRM_IOCTL_NVFIFO_VM_CREATE:
		((struct drm_nvfifo_vm_create *)arg)->id = ++fake.next_id;
		fake.vms++;
		return 0;
	case DRM_IOCTL_NVFIFO_CHANNEL_CREATE:
		((struct drm_nvfifo_channel_create *)arg)->id = ++fake.next_id;
		fake.channels++;
		return 0;
	case DRM_IOCTL_NVFIFO_CHANNEL_DESTROY:
		fake.channels--;
		return 0;
	case DRM_IOCTL_NVFIFO_OBJECT_CREATE:
		fake.object = *(struct drm_nvfifo_object_create *)arg;
		fake.objects++;
		return 0;
	case DRM_IOCTL_NVFIFO_OBJECT_DESTROY:
		fake.objects--;
		return 0;
	case DRM_IOCTL_SYNCOBJ_CREATE:
		((struct drm_syncobj_create *)arg)->handle = ++fake.next_syncobj;
		fake.syncobjs++;
		return 0;
	case DRM_IOCTL_SYNCOBJ_DESTROY:
		fake.syncobjs--;
		return 0;
	}
	return -ENOTTY;
}

static int fake_ioctl(void *cookie, unsigned long request, void *arg)
{
	struct drm_nvfifo_bo_info *info = arg;

	(void)cookie;
	if (++fake.calls == fake.fail_at || request == fake.fail_request)
		return fake.fail_with;

	switch (request) {
	case DRM_IOCTL_VERSION:
		return fake_version(arg);
	case DRM_IOCTL_NVFIFO_DEVICE_QUERY:
		return fake_query(arg);
	case DRM_IOCTL_NVFIFO_BO_CREATE:
		return fake_bo_create(arg);
	case DRM_IOCTL_NVFIFO_BO_INFO:
		if (info->handle != 1000)
			return -ENOENT;
		info->size = 8192;
		return 0;
	case DRM_IOCTL_GEM_CLOSE:
		fake.bos--;
		return 0;
	case DRM_IOCTL_NVFIFO_VM_BIND:
		return fake_bind(arg);
	case DRM_IOCTL_NVFIFO_SUBMIT:
		if (fake.draws)
			memset(page + 0x200, 0x5a, 64);
		return fake_submit(arg);
	case DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT:
		return fake_wait(arg);
	case DRM_IOCTL_NVFIFO_CHANNEL_QUERY:
		return 0;
	}
	return fake_object(request, arg);
}

static struct gl_file *file;

static void begin(uint32_t chipset)
{
	struct gl_kernel kernel = { .ioctl = fake_ioctl };

	memset(&fake, 0, sizeof(fake));
	fake.chipset = chipset;
	fake.features = DRM_NVFIFO_FEATURE_VRAM_MMAP | DRM_NVFIFO_FEATURE_COMPRESSION;
	fake.vram_left = 256 * MIB;
	if (gl_file_create(&kernel, -1, &file))
		abort();
	file->map = fake_map;
	file->unmap = fake_unmap;
}

static void end(void)
{
	gl_file_destroy(file);
}

#define REQUEST(name, type) \
	_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, DRM_COMMAND_BASE + DRM_NOUVEAU_##name, \
	     sizeof(struct drm_nouveau_##type))
#define CALL(name, type, arg) gl_ioctl(file, REQUEST(name, type), arg)

static int channel(uint32_t fb, uint32_t tt)
{
	struct drm_nouveau_channel_alloc req = { .fb_ctxdma_handle = fb, .tt_ctxdma_handle = tt };
	int ret = CALL(CHANNEL_ALLOC, channel_alloc, &req);

	return ret ? ret : req.channel;
}

static int gem(uint64_t size, uint32_t domain, uint32_t tile_flags, struct drm_nouveau_gem_info *info)
{
	struct drm_nouveau_gem_new req = {
		.info = { .size = size, .domain = domain, .tile_flags = tile_flags, .tile_mode = 3 },
	};
	int ret = CALL(GEM_NEW, gem_new, &req);

	*info = req.info;
	return ret;
}

static int gem_close(uint32_t handle)
{
	struct drm_gem_close req = { .handle = handle };

	return gl_ioctl(file, DRM_IOCTL_GEM_CLOSE, &req);
}

static int push(uint32_t channel, const struct drm_nouveau_gem_info *info, uint64_t offset,
		uint64_t length, bool write)
{
	struct drm_nouveau_gem_pushbuf_bo buffer = {
		.handle = info->handle,
		.write_domains = write ? NOUVEAU_GEM_DOMAIN_GART : 0,
	};
	struct drm_nouveau_gem_pushbuf_push segment = { .offset = offset, .length = length };
	struct drm_nouveau_gem_pushbuf req = {
		.channel = channel,
		.nr_buffers = 1,
		.buffers = (uintptr_t)&buffer,
		.nr_push = 1,
		.push = (uintptr_t)&segment,
		.suffix0 = 5,
	};
	int ret = CALL(GEM_PUSHBUF, gem_pushbuf, &req);

	return ret ? ret : (int)req.suffix0;
}

static int prep(uint32_t handle, uint32_t flags)
{
	struct drm_nouveau_gem_cpu_prep req = { .handle = handle, .flags = flags };

	return CALL(GEM_CPU_PREP, gem_cpu_prep, &req);
}

/* --- tests --- */

static void test_version(void)
{
	char name[5] = "xxxx", date[32] = "";
	struct drm_version v = {
		.name = name, .name_len = 4, .date = date, .date_len = sizeof(date),
	};

	begin(0x96);
	tap(!gl_ioctl(file, DRM_IOCTL_VERSION, &v) && v.version_major == 1 && v.version_minor == 3 &&
	    v.version_patchlevel == 1, "version 1.3.1, the least that Mesa 25 takes");
	tap(v.name_len == 7 && !strcmp(name, "nouv") && !strcmp(date, "20120801") && v.desc_len,
	    "the name, as far as it fits, and its length");
	v.name = (char *)8;
	tap(gl_ioctl(file, DRM_IOCTL_VERSION, &v) == -EFAULT, "a name to a bad address");
	end();
}

static void test_getparam(void)
{
	static const struct {
		uint64_t param, value;
	} rows[] = {
		{ NOUVEAU_GETPARAM_CHIPSET_ID, 0x96 },
		{ NOUVEAU_GETPARAM_FB_SIZE, 256 * MIB },
		{ NOUVEAU_GETPARAM_HAS_BO_USAGE, 1 },
		{ NOUVEAU_GETPARAM_GRAPH_UNITS, 0x01030003 },
		{ NOUVEAU_GETPARAM_PTIMER_TIME, 0x123456789abcde0 },
		{ NOUVEAU_GETPARAM_PCI_VENDOR, 0x10de },
	};
	struct drm_nouveau_getparam p;
	size_t i;

	begin(0x96);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		p = (struct drm_nouveau_getparam){ .param = rows[i].param };
		tap(!CALL(GETPARAM, getparam, &p) && p.value == rows[i].value, "parameter %u",
		    (unsigned int)rows[i].param);
	}
	p.param = 4711;
	tap(CALL(GETPARAM, getparam, &p) == -EINVAL, "a parameter that does not exist");
	tap(CALL(SETPARAM, setparam, &p) == -EINVAL, "SETPARAM");
	tap(CALL(GETPARAM, getparam, (void *)8) == -EFAULT, "a bad address");
	tap(CALL(SVM_INIT, getparam, &p) == -EINVAL, "SVM does not exist");
	end();
}

static void test_placement(void)
{
	struct drm_nouveau_gem_info a, b, c, d;

	begin(0x96);
	tap(!gem(100, NOUVEAU_GEM_DOMAIN_VRAM, 0x7000, &a) && a.size == 65536 &&
	    a.domain == NOUVEAU_GEM_DOMAIN_VRAM && a.tile_mode == 3 && a.tile_flags == 0x7000 &&
	    fake.op.kind == 0x70 && fake.op.va == a.offset, "VRAM with a kind");
	tap(!gem(100, NOUVEAU_GEM_DOMAIN_GART, 0, &b) && b.size == 4096 &&
	    b.domain == NOUVEAU_GEM_DOMAIN_GART && !fake.op.kind, "system memory");
	tap(a.offset >> 29 != b.offset >> 29, "pages of two sizes, two regions");
	tap(!gem(5 * MIB, NOUVEAU_GEM_DOMAIN_VRAM, 0x27000, &c) &&
	    fake.op.compression == DRM_NVFIFO_COMPRESSION_DOUBLE && c.offset == a.offset + 65536,
	    "compression, and the next address");

	fake.features = DRM_NVFIFO_FEATURE_VRAM_MMAP;
	tap(!gem(5 * MIB, NOUVEAU_GEM_DOMAIN_VRAM, 0x17000, &d) && !fake.op.compression &&
	    d.tile_flags == 0x7000, "no tag cells: without compression, and GEM_NEW says so");
	tap(!gem_close(a.handle) && !gem(200, NOUVEAU_GEM_DOMAIN_VRAM, 0, &d) && d.offset == a.offset,
	    "the address of a closed buffer is used again");

	fake.vram_left = 0;
	tap(!gem(100, NOUVEAU_GEM_DOMAIN_VRAM, 0x7000, &d) && d.domain == NOUVEAU_GEM_DOMAIN_GART &&
	    d.size == 4096, "VRAM is full: system memory");
	fake.bad_kind = 0x16;
	fake.vram_left = 256 * MIB;
	tap(!gem(100, NOUVEAU_GEM_DOMAIN_VRAM, 0x1600, &d) &&
	    fake.flags[d.handle] == DRM_NVFIFO_BO_LSR && d.domain == NOUVEAU_GEM_DOMAIN_VRAM,
	    "a kind of the other bank order");
	tap(gem(0, NOUVEAU_GEM_DOMAIN_VRAM, 0, &d) == -EINVAL &&
	    gem(1ull << 63, NOUVEAU_GEM_DOMAIN_GART, 0, &d) == -ENOMEM, "sizes that cannot be");
	end();

	begin(0x50);
	fake.vram_left = 0;
	tap(gem(100, NOUVEAU_GEM_DOMAIN_VRAM, 0x7000, &d) == -ENOMEM && !fake.bos,
	    "the G80 has no tiles in system memory");
	end();

	begin(0x96);
	file->device.features = 0;
	tap(!gem(100, NOUVEAU_GEM_DOMAIN_VRAM, 0, &d) && d.domain == NOUVEAU_GEM_DOMAIN_GART &&
	    !gem(100, NOUVEAU_GEM_DOMAIN_VRAM, 0x7000, &d) && d.domain == NOUVEAU_GEM_DOMAIN_VRAM,
	    "where VRAM cannot be mapped, a buffer without tiles is system memory");
	end();
}

/* Random sizes against the rule: no two overlap, each region of 512 MiB has one size of page. */
static void test_addresses(void)
{
	enum { COUNT = 300, ROUNDS = 3000 };
	struct drm_nouveau_gem_info info[COUNT] = { 0 };
	unsigned int i, k, overlap = 0, mixed = 0, failed = 0;
	uint32_t seed = 1;

	begin(0x84);
	fake.vram_left = UINT64_MAX;
	for (i = 0; i < ROUNDS; i++) {
		struct drm_nouveau_gem_info *n;
		unsigned int at;

		seed = seed * 1664525 + 1013904223;
		at = (seed >> 8) % COUNT;
		n = &info[at];
		if (n->handle)
			failed += gem_close(n->handle) != 0;
		n->handle = 0;
		failed += gem(1 + (seed >> 4) % (40 * MIB), seed & 1 ? NOUVEAU_GEM_DOMAIN_VRAM :
								       NOUVEAU_GEM_DOMAIN_GART,
			      0, n) != 0;
		for (k = 0; k < COUNT; k++) {
			if (k == at || !info[k].handle)
				continue;
			overlap += info[k].offset < n->offset + n->size &&
				   n->offset < info[k].offset + info[k].size;
			mixed += info[k].domain != n->domain && info[k].offset >> 29 == n->offset >> 29;
		}
	}
	tap(!failed && !overlap && !mixed, "%u buffers of random sizes: %u fail, %u overlap, %u mix",
	    ROUNDS, failed, overlap, mixed);
	for (k = 0; k < COUNT; k++) {
		if (info[k].handle)
			gem_close(info[k].handle);
	}
	tap(!fake.bos && !fake.mapped && !file->small.first && !file->large.first, "nothing is left");
	end();
}

static void test_channel(void)
{
	struct drm_nouveau_channel_free release = { 0 };
	struct drm_nouveau_grobj_alloc object = { 0, 0xbeef502d, 0x502d };
	struct drm_nouveau_notifierobj_alloc notifier = { 0, 0xbeef0301, 32, 0 };
	struct drm_nouveau_gpuobj_free gone = { 0, 0xbeef502d };
	int a, b;

	begin(0x96);
	a = channel(0xbeef0201, 0xbeef0202);
	tap(a == 0 && fake.objects == 2 && fake.object.handle == 0xbeef0202 &&
	    fake.object.oclass == 0x3d && !fake.object.start && fake.object.size == VA_END,
	    "a channel, with two DMA objects over all addresses");
	tap(page[GL_PROLOGUE / 4] == 0x00040060 && page[GL_PROLOGUE / 4 + 1] == 0xbeef0201,
	    "its first commands name the first of them for semaphores");
	b = channel(1, 2);
	tap(b == 1 && fake.channels == 2 && fake.vms == 1, "a second one in the same address space");
	tap(!CALL(GROBJ_ALLOC, grobj_alloc, &object) && fake.object.oclass == 0x502d &&
	    fake.object.type == DRM_NVFIFO_OBJECT_ENGINE, "an object");
	tap(!CALL(NOTIFIEROBJ_ALLOC, notifierobj_alloc, &notifier) && !notifier.offset &&
	    fake.object.size == 32, "a notifier");
	tap(!CALL(NOTIFIEROBJ_ALLOC, notifierobj_alloc, &notifier) && notifier.offset == 32,
	    "the next one lies after it");
	notifier.size = GL_PROLOGUE;
	tap(CALL(NOTIFIEROBJ_ALLOC, notifierobj_alloc, &notifier) == -ENOMEM, "no room for it");
	notifier.size = ~0u;
	tap(CALL(NOTIFIEROBJ_ALLOC, notifierobj_alloc, &notifier) == -EINVAL, "4 GiB of notifiers");
	tap(!CALL(GPUOBJ_FREE, gpuobj_free, &gone), "GPUOBJ_FREE");
	tap(channel(~0u, 1) == -EINVAL && channel(1, ~0u) == -EINVAL, "handle ~0");
	object.channel = 7;
	notifier.channel = ~0u;
	gone.channel = -1;
	release.channel = 16;
	tap(CALL(GROBJ_ALLOC, grobj_alloc, &object) == -ENOENT &&
	    CALL(NOTIFIEROBJ_ALLOC, notifierobj_alloc, &notifier) == -ENOENT &&
	    CALL(GPUOBJ_FREE, gpuobj_free, &gone) == -ENOENT &&
	    CALL(CHANNEL_FREE, channel_free, &release) == -ENOENT, "channels that do not exist");
	release.channel = a;
	tap(!CALL(CHANNEL_FREE, channel_free, &release), "CHANNEL_FREE");
	release.channel = b;
	tap(!CALL(CHANNEL_FREE, channel_free, &release) && !fake.channels && !fake.syncobjs &&
	    !fake.bos && !fake.mapped, "and of the other; nothing is left");
	end();
}

/* --- NVIF: words as programs send them --- */

/* The head, and the body that the type asks for */
struct nvif {
	uint8_t version, type, pad[4], owner, route;
	uint64_t token, object;
	uint8_t body[160];
};

#define NVIF_CALL(args, size) \
	gl_ioctl(file, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, \
			    DRM_COMMAND_BASE + DRM_NOUVEAU_NVIF, 24 + (size)), args)

static int nvif_new(uint8_t route, uint64_t token, uint64_t cookie, uint32_t handle, int32_t oclass)
{
	struct nvif args = { .type = 2, .owner = 0xff, .route = route, .token = token };

	memcpy(args.body + 16, &cookie, 8);
	memcpy(args.body + 24, &handle, 4);
	memcpy(args.body + 28, &oclass, 4);
	return NVIF_CALL(&args, 48);
}

static int nvif_delete(uint64_t cookie)
{
	struct nvif args = { .type = 3, .owner = 0xff, .object = cookie };

	return NVIF_CALL(&args, 0);
}

static void test_nvif_device(void)
{
	struct nvif info = { .type = 4, .owner = 0xff, .object = 0x1000 }, wrong;
	uint16_t chipset;
	uint64_t ram;

	begin(0xaf);
	tap(NVIF_CALL(&info, 112) == -ENOENT, "NVIF: no device yet");
	tap(!nvif_new(0, 0, 0x1000, 0, 0x80), "NVIF: a device");
	tap(!NVIF_CALL(&info, 112), "its description");
	memcpy(&chipset, info.body + 10, 2);
	memcpy(&ram, info.body + 16, 8);
	tap(!info.body[9] && chipset == 0xaf && info.body[13] == 6 && ram == 256 * MIB,
	    "an IGP of chipset 0xaf with 256 MiB");
	tap(!memcmp(info.body + 32, "NVAF", 5) && !memcmp(info.body + 48, "NVAF", 5), "its names");
	wrong = info;
	wrong.body[1] = 1;
	tap(NVIF_CALL(&wrong, 112) == -EINVAL, "another method");
	wrong = info;
	wrong.version = 1;
	tap(NVIF_CALL(&wrong, 112) == -ENOSYS, "another version of the call");
	wrong = info;
	wrong.body[0] = 1;
	tap(NVIF_CALL(&wrong, 112) == -ENOSYS, "another version of the method");
	wrong = info;
	wrong.type = 9;
	tap(NVIF_CALL(&wrong, 112) == -EINVAL, "another call");
	tap(nvif_new(0, 0, 0x2000, 0, 0x5070) == -EINVAL, "another class at the top");
	tap(!nvif_delete(0x1000) && nvif_delete(0x1000) == -ENOENT, "gone, once");
	end();

	begin(0x96);
	nvif_new(0, 0, 0x1000, 0, 0x80);
	tap(!NVIF_CALL(&info, 112) && info.body[9] == 3, "others are on PCI Express");
	end();
}

static void test_nvif_objects(void)
{
	struct nvif list = { .type = 1, .route = 0xff }, head = { .type = 4, .object = 0x10 };
	struct drm_nouveau_channel_free release = { 0 };
	int32_t oclass[4];
	unsigned int i;

	begin(0x96);
	tap(nvif_new(0xff, 0, 0x10, 0xbeef8297, 0x8297) == -ENOENT, "NVIF: no such channel");
	channel(1, 2);
	tap(!nvif_new(0xff, 0, 0x10, 0xbeef8297, 0x8297) && fake.objects == 3 &&
	    fake.object.handle == 0xbeef8297 && fake.object.oclass == 0x8297 &&
	    fake.object.type == DRM_NVFIFO_OBJECT_ENGINE, "NVIF: an object of a channel");
	tap(nvif_new(0xff, 1ull << 32, 0x20, 1, 0x8297) == -ENOENT, "a channel beyond all numbers");
	tap(NVIF_CALL(&head, 112) == -EINVAL, "it has no description");
	tap(!nvif_delete(0x10) && fake.objects == 2 && nvif_delete(0x10) == -ENOENT,
	    "deleted by the program's number, once");
	nvif_new(0xff, 0, 0x10, 5, 0x502d);
	tap(!nvif_new(0xff, 0, 0x10, 6, 0x5039) && !nvif_delete(0x10) && fake.objects == 3,
	    "a number used again names the last object");
	nvif_new(0xff, 0, 0x30, 7, 0x5039);
	CALL(CHANNEL_FREE, channel_free, &release);
	tap(nvif_delete(0x30) == -ENOENT, "gone with its channel");

	channel(1, 2);
	tap(!NVIF_CALL(&list, 8) && list.body[1] == 4, "how many classes there are");
	list.body[1] = 16;
	tap(!NVIF_CALL(&list, 136) && list.body[1] == 4, "which");
	for (i = 0; i < 4; i++)
		memcpy(&oclass[i], list.body + 8 + 8 * i, 4);
	tap(oclass[0] == 0x502d && oclass[1] == 0x5039 && oclass[2] == 0x50c0 && oclass[3] == 0x8297,
	    "2D, M2MF, compute, the chip's 3D");
	list.route = 0;
	tap(NVIF_CALL(&list, 136) == -EINVAL, "only of a channel");
	fake.fail_request = DRM_IOCTL_NVFIFO_OBJECT_CREATE;
	fake.fail_with = -EINVAL;
	tap(nvif_new(0xff, 0, 0x40, 8, 0x9097) == -EINVAL && nvif_delete(0x40) == -ENOENT,
	    "a class that the chip has not");
	end();
}

static void test_submit(void)
{
	struct drm_nouveau_gem_info info;

	begin(0x96);
	channel(0xbeef0201, 0xbeef0202);
	gem(4 * MIB, NOUVEAU_GEM_DOMAIN_GART, 0, &info);
	tap(!push(0, &info, 0x100, 0x40, false) && fake.entry_count == 2 &&
	    fake.entries[0].words == 2 && fake.entries[0].address == file->channels[0].prologue,
	    "each submission starts with the two words");
	tap(fake.entries[1].address == info.offset + 0x100 && fake.entries[1].words == 0x10 &&
	    !fake.entries[1].flags, "the segment");
	tap(fake.signal.flags == (DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE) &&
	    fake.signal.timeline_value == 1, "and signals a point");
	tap(!push(0, &info, 0, 8 | 1 << 23, true) &&
	    fake.entries[1].flags == DRM_NVFIFO_ENTRY_NO_PREFETCH && fake.entries[1].words == 2 &&
	    fake.signal.timeline_value == 2, "NO_PREFETCH, the next point");
	tap(!push(0, &info, 0, 4 * MIB, false) && fake.entry_count == 2 &&
	    fake.entries[1].words == 1 << 20, "as long as an entry may be");
	tap(push(0, &info, 0, 4 * MIB + 4, false) == -EINVAL &&
	    push(0, &info, 4, 4 * MIB, false) == -EINVAL &&
	    push(0, &info, ~3ull, 8, false) == -EINVAL, "beyond the buffer");
	tap(push(0, &info, 2, 8, false) == -EINVAL && push(0, &info, 0, 6, false) == -EINVAL &&
	    push(0, &info, 0, 0, false) == -EINVAL, "no whole words");
	tap(push(1, &info, 0, 8, false) == -ENOENT, "no such channel");
	info.handle = 999;
	tap(push(0, &info, 0, 8, false) == -ENOENT, "no such buffer");
	end();
}

static void test_wrong_lists(void)
{
	struct drm_nouveau_gem_pushbuf_bo buffer = { 0 };
	struct drm_nouveau_gem_pushbuf_push segment = { .bo_index = 1, .length = 4 };
	struct drm_nouveau_gem_pushbuf req = { .nr_buffers = 1, .buffers = 8, .nr_push = 1, .push = 8 };
	struct drm_nouveau_gem_info info;

	begin(0x96);
	channel(1, 2);
	gem(4096, NOUVEAU_GEM_DOMAIN_GART, 0, &info);
	tap(CALL(GEM_PUSHBUF, gem_pushbuf, &req) == -EFAULT, "buffers at a bad address");
	buffer.handle = info.handle;
	req.buffers = (uintptr_t)&buffer;
	tap(CALL(GEM_PUSHBUF, gem_pushbuf, &req) == -EFAULT, "segments at a bad address");
	req.push = (uintptr_t)&segment;
	tap(CALL(GEM_PUSHBUF, gem_pushbuf, &req) == -EINVAL, "a segment of no buffer");
	segment.bo_index = 0;
	req.nr_relocs = 1;
	tap(CALL(GEM_PUSHBUF, gem_pushbuf, &req) == -EINVAL, "relocations without the address");
	buffer.presumed.valid = 1;
	buffer.presumed.offset = info.offset;
	tap(!CALL(GEM_PUSHBUF, gem_pushbuf, &req), "relocations that change nothing");
	req.nr_push = NOUVEAU_GEM_MAX_PUSH + 1;
	tap(CALL(GEM_PUSHBUF, gem_pushbuf, &req) == -EINVAL, "too many segments");
	req.nr_push = 1;
	req.nr_buffers = ~0u;
	tap(CALL(GEM_PUSHBUF, gem_pushbuf, &req) == -EINVAL, "too many buffers");
	req.nr_buffers = 1;
	req.nr_relocs = ~0u;
	tap(CALL(GEM_PUSHBUF, gem_pushbuf, &req) == -EINVAL, "too many relocations");
	req.nr_push = 0;
	req.nr_relocs = 0;
	req.suffix0 = 1;
	fake.entry_count = 77;
	tap(!CALL(GEM_PUSHBUF, gem_pushbuf, &req) && !req.suffix0 && req.vram_available &&
	    req.gart_available && fake.entry_count == 77, "no segment: only a question");
	end();
}

static void test_waiting(void)
{
	struct drm_nouveau_gem_cpu_fini fini = { 0 };
	struct drm_nouveau_gem_info info, other;

	begin(0x96);
	channel(1, 2);
	channel(1, 2);
	gem(4096, NOUVEAU_GEM_DOMAIN_GART, 0, &info);
	gem(4096, NOUVEAU_GEM_DOMAIN_GART, 0, &other);
	fake.wait.count_handles = 99;
	tap(!prep(info.handle, NOUVEAU_GEM_CPU_PREP_WRITE) && fake.wait.count_handles == 99,
	    "an unused buffer: no wait");
	push(0, &info, 0, 4, true);
	push(0, &info, 0, 4, false);
	push(1, &info, 0, 4, false);
	tap(!prep(info.handle, 0) && fake.wait.count_handles == 1 && fake.wait_points[0] == 1,
	    "to read: the last work that writes");
	tap(!prep(info.handle, NOUVEAU_GEM_CPU_PREP_WRITE) && fake.wait.count_handles == 2 &&
	    fake.wait_points[0] == 2 && fake.wait_points[1] == 1 && fake.wait.timeout_nsec > 0,
	    "to write: the last work of each channel");
	fake.wait_result = -ETIME;
	tap(prep(info.handle, NOUVEAU_GEM_CPU_PREP_NOWAIT) == -EBUSY && !fake.wait.timeout_nsec,
	    "NOWAIT of a busy one is EBUSY");
	fake.wait_result = 0;
	tap(prep(4711, 0) == -ENOENT && CALL(GEM_CPU_FINI, gem_cpu_fini, &fini) == -ENOENT,
	    "no such buffer");
	fini.handle = info.handle;
	tap(!CALL(GEM_CPU_FINI, gem_cpu_fini, &fini), "CPU_FINI");
	tap(!gem_close(info.handle) && fake.bind_flags == DRM_NVFIFO_VM_BIND_ASYNC &&
	    fake.bind_syncs == 2 && fake.sync[0].timeline_value == 2 &&
	    fake.sync[1].timeline_value == 1 &&
	    fake.sync[0].flags == (DRM_NVFIFO_SYNC_WAIT | DRM_NVFIFO_SYNC_TIMELINE),
	    "GEM_CLOSE unmaps after the last work");
	fake.fail_request = DRM_IOCTL_NVFIFO_VM_BIND;
	fake.fail_with = -ENOMEM;
	tap(!gem_close(other.handle), "the handle goes even if it cannot be unmapped");
	fake.fail_request = 0;
	gem(4096, NOUVEAU_GEM_DOMAIN_GART, 0, &info);
	tap(info.offset != other.offset, "but its address is not used again");
	end();
}

static void test_dead(void)
{
	struct drm_nouveau_grobj_alloc object = { 0, 1, 0x502d };
	struct drm_nouveau_gem_info info;

	begin(0x96);
	channel(1, 2);
	gem(4096, NOUVEAU_GEM_DOMAIN_GART, 0, &info);
	push(0, &info, 0, 4, true);
	fake.fail_request = DRM_IOCTL_NVFIFO_SUBMIT;
	fake.fail_with = -ECANCELED;
	tap(push(0, &info, 0, 4, true) == -ENODEV && file->channels[0].point == 1 &&
	    info.handle && !prep(info.handle, 0) && fake.wait_points[0] == 1,
	    "submission to a dead channel is ENODEV and adds no point");
	fake.fail_request = DRM_IOCTL_NVFIFO_OBJECT_CREATE;
	tap(CALL(GROBJ_ALLOC, grobj_alloc, &object) == -ENODEV, "so is an object");
	end();
}

static void test_import(void)
{
	struct drm_nouveau_gem_info info = { .handle = 1000 };

	begin(0x96);
	tap(!CALL(GEM_INFO, gem_info, &info) && info.size == 8192 && info.offset &&
	    info.domain == NOUVEAU_GEM_DOMAIN_GART, "an imported buffer gets an address");
	info.offset = 0;
	tap(!CALL(GEM_INFO, gem_info, &info) && info.offset && fake.mapped == 8192, "only once");
	info.handle = 1001;
	tap(CALL(GEM_INFO, gem_info, &info) == -ENOENT, "no such handle");
	end();
}

/* Each call of the driver fails in turn; the translation must leak nothing. */
static void test_failures(void)
{
	unsigned int n, left = 0, succeeded = 0;
	struct drm_nouveau_channel_free release = { 0 };

	for (n = 1; n < 100 && !succeeded; n++) {
		begin(0x96);
		fake.fail_at = fake.calls + n;
		fake.fail_with = -ENOMEM;
		succeeded = channel(1, 2) == 0;
		fake.fail_at = 0;
		if (succeeded)
			CALL(CHANNEL_FREE, channel_free, &release);
		left += fake.bos + fake.syncobjs + fake.channels + (fake.mapped != 0) +
			(file->small.first != NULL);
		end();
	}
	tap(succeeded && n > 7 && !left, "CHANNEL_ALLOC with each of its %u calls failing: %u left", n,
	    left);
}

/* Calls with arguments of chance, under the sanitizers */
static void test_random(void)
{
	static const unsigned int sizes[] = { 0, 1, 4, 8, 12, 16, 40, 48, 64, 100, 255 };
	uint64_t words[32], seed = 7;
	unsigned int i, k, unknown = 0;

	begin(0x96);
	channel(1, 2);
	for (i = 0; i < 200000; i++) {
		unsigned int nr;

		for (k = 0; k < 32; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			words[k] = seed >> 33 & (k % 3 ? 7 : 0xffffffff);
			if (seed >> 60 == 1)
				words[k] = seed;
		}
		nr = seed >> 40 & 1 ? DRM_COMMAND_BASE + 0x40 + (seed >> 42) % 5 :
				      DRM_COMMAND_BASE + (seed >> 42) % 10;
		if ((seed >> 50) % 9 == 0)
			nr = _IOC_NR(DRM_IOCTL_GEM_CLOSE);
		unknown += gl_ioctl(file, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, nr,
					       sizes[(seed >> 54) % 11]), words) > 0;
		if (fake.next_handle > MAX_CALLS - 8)
			break;
	}
	tap(!unknown, "%u calls with random arguments return 0 or an error", i);
	end();
}

/* Submissions of test_capture()'s child, in a file that is opened once in a process */
static bool submit_captured(const char *path)
{
	struct drm_nouveau_gem_info info, other;

	setenv("NVFIFO_GL_CAPTURE", path, 1);
	setenv("NVFIFO_GL_CAPTURE_MIB", "0", 1);
	begin(0x96);
	channel(1, 2);
	gem(4096, NOUVEAU_GEM_DOMAIN_GART, 0, &info);
	memset(page, 0, sizeof(page));
	page[0] = 0x00040050;
	page[1] = 7;
	fake.draws = true;
	push(0, &info, 0, 8, true);
	/* More than no MiB */
	page[0x180] = 1;
	push(0, &info, 0, 8, true);
	setenv("NVFIFO_GL_CAPTURE_MIB", "1", 1);
	page[0x180] = 2;
	page[0x181] = 3;
	page[0x300] = 4;
	push(0, &info, 0, 8, true);
	gem_close(info.handle);
	gem(4096, NOUVEAU_GEM_DOMAIN_GART, 0, &other);
	end();
	/* In a capture, an address means one buffer. */
	return other.offset != info.offset;
}

static void test_capture(void)
{
	static const char wanted[] =
		"channel_alloc fb_ctxdma 00000001 tt_ctxdma 00000002 channel 0\n"
		"submit 1 channel 0 buffers 1 relocs 0 pushes 1 suffix 00000000 00000000\n"
		"mapped va 0020001000 bytes 4096 domain system kind 00 compression 0 lsr 0\n"
		"push 0 va 0020001000 bytes 8 noprefetch 0 ib 20001000 00000800\n"
		"00040050 00000007\n"
		"result va 0020001800 bytes 64 crc 0eaab849\n"
		"submit 2 channel 0 buffers 1 relocs 0 pushes 1 suffix 00000000 00000000\n"
		"left_out va 0020001600 bytes 4\n"
		"push 0 va 0020001000 bytes 8 noprefetch 0 ib 20001000 00000800\n"
		"00040050 00000007\n"
		"submit 3 channel 0 buffers 1 relocs 0 pushes 1 suffix 00000000 00000000\n"
		"contents va 0020001600 bytes 8\n"
		"00000002 00000003\n"
		"contents va 0020001c00 bytes 4\n"
		"00000004\n"
		"push 0 va 0020001000 bytes 8 noprefetch 0 ib 20001000 00000800\n"
		"00040050 00000007\n";
	char path[] = "/tmp/nvfifo-capture-XXXXXX", got[4096];
	int fd = mkstemp(path), status = 1;
	ssize_t len;
	pid_t child;

	if (!tap(fd >= 0, "a file for the capture"))
		return;
	fflush(stdout);
	child = fork();
	if (!child)
		_exit(submit_captured(path) ? 0 : 1);
	waitpid(child, &status, 0);
	len = read(fd, got, sizeof(got) - 1);
	got[len > 0 ? len : 0] = 0;
	close(fd);
	unlink(path);
	tap(!status, "in a capture, no address is used twice");
	if (!tap(!strcmp(got, wanted), "memory before and after each submission is captured"))
		printf("%s", got);
}

int main(void)
{
	setenv("NVFIFO_GL_QUIET", "1", 1);
	/* Before the first call, which looks whether there is to be a capture */
	test_capture();
	test_version();
	test_getparam();
	test_placement();
	test_addresses();
	test_channel();
	test_nvif_device();
	test_nvif_objects();
	test_submit();
	test_wrong_lists();
	test_waiting();
	test_dead();
	test_import();
	test_failures();
	test_random();
	return tap_end();
}
