// SPDX-License-Identifier: MIT
/*
 * Device calls: one thin function per ioctl, with a sentence when it fails.
 *
 * The ioctls are issued raw. A call that a signal interrupted is repeated.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <linux/sync_file.h>

#include "nvfifo_advice.h"
#include "nvfifo_backend.h"
#include "nvfifo_bind.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

#define DRI_DIR "/dev/dri"
#define MODEL_PREFIX "model:"

struct nvfifo_dev {
	int fd;
	char path[64];
	char pci[32];
	const struct nvfifo_backend *backend;	/* NULL for the kernel */
	void *ctx;				/* for it */
};

static _Thread_local char last_error[1024] = "no error";

const char *nvfifo_last_error(void)
{
	return last_error;
}

int nvfifo_error(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(last_error, sizeof(last_error), fmt, args);
	va_end(args);

	return err;
}

void *nvfifo_grow(void *array, size_t count, size_t size)
{
	char *a = array;

	if (!(count & (count - 1))) {
		size_t room = count ? count * 2 : 1;

		a = room > SIZE_MAX / size ? NULL : realloc(a, room * size);
	}

	if (a)
		memset(a + count * size, 0, size);
	else
		nvfifo_error(-ENOMEM, "out of memory");

	return a;
}

static int call_kernel(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);

	return ret < 0 ? -errno : 0;
}

static int call(const struct nvfifo_dev *dev, unsigned long request, void *arg)
{
	if (dev->backend)
		return dev->backend->call(dev->ctx, request, arg);
	return call_kernel(dev->fd, request, arg);
}

/* The same; @fmt is the name of the call in the sentence about its failure. */
__attribute__((format(printf, 4, 5))) static int
named_call(const struct nvfifo_dev *dev, unsigned long request, void *arg, const char *fmt, ...)
{
	int ret = call(dev, request, arg);
	va_list args;

	if (!ret)
		return 0;

	va_start(args, fmt);
	vsnprintf(last_error, sizeof(last_error), fmt, args);
	va_end(args);
	nvfifo_text_add(last_error, sizeof(last_error), ": %s", strerror(-ret));

	return ret;
}

/* As mmap(): MAP_FAILED and errno. */
static void *map_file(const struct nvfifo_dev *dev, __u64 offset, __u64 size)
{
	if (dev->backend)
		return dev->backend->map(dev->ctx, offset, size);
	return mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, (off_t)offset);
}

/* --- Finding a card ------------------------------------------------------ */

static int driver_version(int fd, char *name, size_t len, int version[3])
{
	struct drm_version v = { 0 };
	int ret;

	memset(name, 0, len);
	v.name = name;
	v.name_len = len - 1;
	ret = call_kernel(fd, DRM_IOCTL_VERSION, &v);
	version[0] = v.version_major;
	version[1] = v.version_minor;
	version[2] = v.version_patchlevel;

	return ret;
}

bool nvfifo_link_name(const char *link, char *name, size_t size)
{
	char target[512], *base;
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	*name = '\0';
	if (n <= 0)
		return false;

	target[n] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (strlen(base) >= size)
		return false;

	strcpy(name, base);
	return true;
}

/* The last part of a link in the sysfs entry of a node */
static bool node_link(const struct stat *st, const char *file, char *name, size_t size)
{
	char link[80];

	*name = '\0';
	if (!S_ISCHR(st->st_mode))
		return false;

	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/%s", major(st->st_rdev), minor(st->st_rdev),
		 file);

	return nvfifo_link_name(link, name, size);
}

/* The name of a group, or its number where /etc/group lacks it. */
static const char *group_name(unsigned int gid, char *name, size_t size)
{
	char line[256], found[64];
	unsigned int number;
	FILE *f = fopen("/etc/group", "re");

	snprintf(name, size, "%u", gid);
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63[^:]:%*[^:]:%u:", found, &number) == 2 && number == gid) {
			snprintf(name, size, "%s", found);
			break;
		}
	}
	if (f)
		fclose(f);

	return name;
}

static int not_allowed(const char *path)
{
	const mode_t both = S_IRGRP | S_IWGRP;
	char group[64];
	struct stat st;

	if (stat(path, &st) || (st.st_mode & both) != both)
		return nvfifo_error(-EACCES, "not allowed to open %s: become root", path);

	return nvfifo_error(-EACCES,
			    "not allowed to open %s: become root or a member of its group '%s'", path,
			    group_name(st.st_gid, group, sizeof(group)));
}

/* Is a node that cannot be opened another driver's? */
static bool is_another_drivers(const char *path)
{
	char driver[64];
	struct stat st;

	return !stat(path, &st) && node_link(&st, "device/driver", driver, sizeof(driver)) &&
	       strcmp(driver, "nvfifo");
}

static int open_node(const char *path, struct nvfifo_dev **out)
{
	struct nvfifo_dev *dev;
	int version[3], fd, ret;
	struct stat st;
	char name[32];

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		return not_allowed(path);
	if (fd < 0)
		return nvfifo_error(-errno, "cannot open %s: %s", path, strerror(errno));

	ret = driver_version(fd, name, sizeof(name), version);
	if (ret) {
		ret = nvfifo_error(-ENODEV, "%s is not a DRM device", path);
		goto err_close;
	}

	if (strcmp(name, "nvfifo")) {
		ret = nvfifo_error(-ENODEV, "%s belongs to the driver %s, not nvfifo", path, name);
		goto err_close;
	}

	if (strlen(path) >= sizeof(dev->path)) {
		ret = nvfifo_error(-ENAMETOOLONG, "the path %s is too long", path);
		goto err_close;
	}

	dev = calloc(1, sizeof(*dev));
	if (!dev) {
		ret = nvfifo_error(-ENOMEM, "out of memory");
		goto err_close;
	}

	dev->fd = fd;
	strcpy(dev->path, path);
	/* The PCI address is the name of the directory that the node's sysfs entry leads to. */
	if (!fstat(fd, &st))
		node_link(&st, "device", dev->pci, sizeof(dev->pci));
	*out = dev;
	return 0;

err_close:
	close(fd);

	return ret;
}

static int is_render_node(const struct dirent *e)
{
	return !strncmp(e->d_name, "renderD", 7);
}

static int no_card(const char *what)
{
	char advice[800];

	return nvfifo_error(-ENODEV, "%s: %s", what,
			    nvfifo_card_advice(NULL, advice, sizeof(advice)));
}

/* @name: the address as the user has written it */
static int no_card_at(const char *name, const char *address)
{
	char path[64], what[80];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s", address);
	if (access(path, F_OK))
		return nvfifo_error(-ENODEV, "no card is at PCI address %s: there is no such device",
				    name);

	snprintf(what, sizeof(what), "no card of the driver nvfifo is at PCI address %s", name);

	return no_card(what);
}

static int open_model(const char *chipset, struct nvfifo_dev **out)
{
	if (!nvfifo_model_open)
		return nvfifo_error(-ENODEV, "this program is linked with libnvfifo.a, which lacks the model: link it with libnvfifo.so");

	return nvfifo_model_open(chipset, out);
}

/* No name, and no card of the driver: the model, if the user wants one then. */
static int no_card_here(const char *what, struct nvfifo_dev **out)
{
	const char *chipset = getenv("NVFIFO_MODEL");

	if (chipset && *chipset)
		return open_model(chipset, out);

	return no_card(what);
}

int nvfifo_open(const char *name, struct nvfifo_dev **out)
{
	char address[NVFIFO_PCI_ADDRESS_MAX], denied[300] = "";
	struct dirent **list;
	int i, n;

	*out = NULL;
	if (name && !strncmp(name, MODEL_PREFIX, strlen(MODEL_PREFIX)))
		return open_model(name + strlen(MODEL_PREFIX), out);

	if (name && strchr(name, '/'))
		return open_node(name, out);

	if (name && !nvfifo_bind_address(name, address))
		return nvfifo_error(-EINVAL, "'%.60s' is neither a node such as " DRI_DIR
				    "/renderD128, a PCI address such as 0000:01:00.0, nor a model such as "
				    MODEL_PREFIX "g84", name);

	n = scandir(DRI_DIR, &list, is_render_node, alphasort);
	if (n < 0 && name)
		return no_card_at(name, address);
	if (n < 0)
		return no_card_here("there is no " DRI_DIR, out);

	for (i = 0; i < n; i++) {
		char path[300];
		int err;

		snprintf(path, sizeof(path), DRI_DIR "/%s", list[i]->d_name);
		free(list[i]);
		if (*out)
			continue;

		err = open_node(path, out);
		if (err == -EACCES && !is_another_drivers(path))
			strcpy(denied, path);
		if (*out && name && strcmp((*out)->pci, address)) {
			nvfifo_close(*out);
			*out = NULL;
		}
	}

	free(list);
	if (*out)
		return 0;

	if (*denied)
		return not_allowed(denied);
	if (!name)
		return no_card_here("no card of the driver nvfifo in " DRI_DIR, out);

	return no_card_at(name, address);
}

int nvfifo_open_backend(const struct nvfifo_backend *backend, void *ctx, const char *path,
			struct nvfifo_dev **out)
{
	struct nvfifo_dev *dev = calloc(1, sizeof(*dev));
	int ret;

	*out = NULL;
	if (!dev)
		return nvfifo_error(-ENOMEM, "out of memory");

	ret = backend->open(ctx);
	if (ret) {
		free(dev);
		return nvfifo_error(ret, "cannot open %s: %s", path, strerror(-ret));
	}

	dev->fd = -1;
	dev->backend = backend;
	dev->ctx = ctx;
	snprintf(dev->path, sizeof(dev->path), "%s", path);
	*out = dev;

	return 0;
}

int nvfifo_open_again(const struct nvfifo_dev *dev, struct nvfifo_dev **again)
{
	if (dev->backend)
		return nvfifo_open_backend(dev->backend, dev->ctx, dev->path, again);
	return nvfifo_open(dev->path, again);
}

__s64 nvfifo_now(const struct nvfifo_dev *dev)
{
	struct timespec ts;

	if (dev->backend)
		return dev->backend->now(dev->ctx);

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__s64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void nvfifo_sleep(const struct nvfifo_dev *dev, __s64 ns)
{
	struct timespec ts = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	if (dev->backend)
		dev->backend->sleep(dev->ctx, ns);
	else
		nanosleep(&ts, NULL);
}

void nvfifo_close(struct nvfifo_dev *dev)
{
	if (!dev)
		return;

	if (dev->backend)
		dev->backend->close(dev->ctx);
	else
		close(dev->fd);
	free(dev);
}

int nvfifo_fd(const struct nvfifo_dev *dev)
{
	return dev->fd;
}

const char *nvfifo_path(const struct nvfifo_dev *dev)
{
	return dev->path;
}

const char *nvfifo_pci_address(const struct nvfifo_dev *dev)
{
	return dev->pci;
}

int nvfifo_driver_version(struct nvfifo_dev *dev, int version[3])
{
	char name[32];
	int ret = -ENODEV;

	if (!dev->backend)
		ret = driver_version(dev->fd, name, sizeof(name), version);

	return ret ? nvfifo_error(ret, "VERSION: %s", strerror(-ret)) : 0;
}

/* --- Queries ------------------------------------------------------------- */

static int query(struct nvfifo_dev *dev, __u32 type, void *record, __u32 size)
{
	struct drm_nvfifo_device_query q = {
		.type = type,
		.size = size,
		.pointer = (uintptr_t)record,
	};

	memset(record, 0, size);

	return named_call(dev, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q, "DEVICE_QUERY %u", type);
}

int nvfifo_query_device(struct nvfifo_dev *dev, struct drm_nvfifo_query_device *q)
{
	int ret = query(dev, DRM_NVFIFO_QUERY_DEVICE, q, sizeof(*q));

	q->name[sizeof(q->name) - 1] = 0;
	return ret;
}

int nvfifo_query_limits(struct nvfifo_dev *dev, struct drm_nvfifo_query_limits *q)
{
	return query(dev, DRM_NVFIFO_QUERY_LIMITS, q, sizeof(*q));
}

int nvfifo_query_time(struct nvfifo_dev *dev, struct drm_nvfifo_query_time *q)
{
	return query(dev, DRM_NVFIFO_QUERY_TIME, q, sizeof(*q));
}

/* --- Buffers ------------------------------------------------------------- */

static const char *domain_name(__u32 domain)
{
	if (domain == DRM_NVFIFO_DOMAIN_VRAM)
		return "VRAM";

	return domain == DRM_NVFIFO_DOMAIN_SYSTEM ? "system memory" : "an unknown domain";
}

int nvfifo_bo_create(struct nvfifo_dev *dev, __u64 size, __u32 domain, __u32 flags,
		     struct nvfifo_bo *bo)
{
	struct drm_nvfifo_bo_create c = { .size = size, .domain = domain, .flags = flags };
	int ret = named_call(dev, DRM_IOCTL_NVFIFO_BO_CREATE, &c,
			     "BO_CREATE of 0x%llx bytes in %s", size, domain_name(domain));

	memset(bo, 0, sizeof(*bo));
	if (ret)
		return ret;

	bo->handle = c.handle;
	bo->domain = domain;
	bo->size = c.size;
	bo->mmap_offset = c.mmap_offset;

	return 0;
}

int nvfifo_bo_info(struct nvfifo_dev *dev, const struct nvfifo_bo *bo,
		   struct drm_nvfifo_bo_info *info)
{
	memset(info, 0, sizeof(*info));
	info->handle = bo->handle;

	return named_call(dev, DRM_IOCTL_NVFIFO_BO_INFO, info, "BO_INFO of handle %u", bo->handle);
}

int nvfifo_bo_label(struct nvfifo_dev *dev, const struct nvfifo_bo *bo, const char *label)
{
	struct drm_nvfifo_bo_label l = {
		.handle = bo->handle,
		.size = (__u32)strlen(label),
		.label = (uintptr_t)label,
	};

	return named_call(dev, DRM_IOCTL_NVFIFO_BO_LABEL, &l,
			  "BO_LABEL of handle %u, \"%s\"", bo->handle, label);
}

int nvfifo_bo_map(struct nvfifo_dev *dev, struct nvfifo_bo *bo)
{
	void *map;

	if (bo->map)
		return 0;
	if (bo->size > SIZE_MAX)
		return nvfifo_error(-EOVERFLOW, "the buffer is too large to be mapped here");

	map = map_file(dev, bo->mmap_offset, bo->size);
	if (map == MAP_FAILED)
		return nvfifo_error(-errno, "mmap of 0x%llx bytes in %s: %s",
				    bo->size, domain_name(bo->domain), strerror(errno));
	bo->map = map;

	return 0;
}

void nvfifo_bo_unmap(struct nvfifo_bo *bo)
{
	if (bo->map)
		munmap(bo->map, (size_t)bo->size);
	bo->map = NULL;
}

int nvfifo_bo_close(struct nvfifo_dev *dev, struct nvfifo_bo *bo)
{
	struct drm_gem_close c = { .handle = bo->handle };

	nvfifo_bo_unmap(bo);
	memset(bo, 0, sizeof(*bo));

	return named_call(dev, DRM_IOCTL_GEM_CLOSE, &c, "GEM_CLOSE of handle %u", c.handle);
}

/* --- Address spaces ------------------------------------------------------ */

int nvfifo_vm_create(struct nvfifo_dev *dev, __u32 *vm)
{
	struct drm_nvfifo_vm_create c = { 0 };
	int ret = named_call(dev, DRM_IOCTL_NVFIFO_VM_CREATE, &c, "VM_CREATE");

	*vm = c.id;
	return ret;
}

int nvfifo_vm_destroy(struct nvfifo_dev *dev, __u32 vm)
{
	struct drm_nvfifo_vm_destroy d = { .id = vm };

	return named_call(dev, DRM_IOCTL_NVFIFO_VM_DESTROY, &d, "VM_DESTROY of %u", vm);
}

static int bind(struct nvfifo_dev *dev, struct drm_nvfifo_vm_bind *b,
		const struct drm_nvfifo_vm_bind_op *ops, __u32 count)
{
	b->ops = (struct drm_nvfifo_array){ sizeof(*ops), count, (uintptr_t)ops };
	if (count == 1)
		return named_call(dev, DRM_IOCTL_NVFIFO_VM_BIND, b,
				  "VM_BIND, %s 0x%llx bytes at 0x%llx",
				  ops->op == DRM_NVFIFO_VM_BIND_OP_MAP ? "map" : "unmap",
				  ops->range, ops->va);

	return named_call(dev, DRM_IOCTL_NVFIFO_VM_BIND, b, "VM_BIND of %u operations", count);
}

int nvfifo_vm_bind(struct nvfifo_dev *dev, __u32 vm, const struct drm_nvfifo_vm_bind_op *ops,
		   __u32 count)
{
	struct drm_nvfifo_vm_bind b = { .vm_id = vm };

	return bind(dev, &b, ops, count);
}

int nvfifo_vm_bind_async(struct nvfifo_dev *dev, __u32 vm,
			 const struct drm_nvfifo_vm_bind_op *ops, __u32 count,
			 const struct drm_nvfifo_sync *syncs, __u32 nsyncs)
{
	struct drm_nvfifo_vm_bind b = {
		.vm_id = vm,
		.flags = DRM_NVFIFO_VM_BIND_ASYNC,
		.syncs = { .stride = sizeof(*syncs), .count = nsyncs, .ptr = (uintptr_t)syncs },
	};

	return bind(dev, &b, ops, count);
}

int nvfifo_vm_map(struct nvfifo_dev *dev, __u32 vm, const struct nvfifo_bo *bo, __u64 va,
		  __u32 flags, __u32 page_shift)
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_MAP,
		.flags = flags,
		.bo_handle = bo->handle,
		.page_shift = page_shift,
		.va = va,
		.range = bo->size,
	};

	return nvfifo_vm_bind(dev, vm, &op, 1);
}

int nvfifo_vm_unmap(struct nvfifo_dev *dev, __u32 vm, __u64 va, __u64 range)
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_UNMAP,
		.va = va,
		.range = range,
	};

	return nvfifo_vm_bind(dev, vm, &op, 1);
}

/* --- Channels and objects ------------------------------------------------ */

/* The kernel wants the time on the monotonic clock at which it gives up. */
static __s64 deadline(const struct nvfifo_dev *dev, __s64 timeout_ns)
{
	__s64 now = nvfifo_now(dev);

	return timeout_ns < 0 || timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

int nvfifo_channel_create_with(struct nvfifo_dev *dev, struct drm_nvfifo_channel_create *c)
{

	return named_call(dev, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, c,
			  "CHANNEL_CREATE with ring order %u", c->ring_order);
}

int nvfifo_channel_create(struct nvfifo_dev *dev, __u32 vm, __u32 ring_order, __u32 *channel)
{
	struct drm_nvfifo_channel_create c = { .vm_id = vm, .ring_order = ring_order };
	int ret = nvfifo_channel_create_with(dev, &c);

	*channel = c.id;
	return ret;
}

int nvfifo_channel_destroy(struct nvfifo_dev *dev, __u32 channel)
{
	struct drm_nvfifo_channel_destroy d = { .id = channel };

	return named_call(dev, DRM_IOCTL_NVFIFO_CHANNEL_DESTROY, &d,
			  "CHANNEL_DESTROY of %u", channel);
}

int nvfifo_channel_query(struct nvfifo_dev *dev, __u32 channel, struct drm_nvfifo_channel_query *q)
{
	memset(q, 0, sizeof(*q));
	q->id = channel;

	return named_call(dev, DRM_IOCTL_NVFIFO_CHANNEL_QUERY, q, "CHANNEL_QUERY of %u", channel);
}

int nvfifo_channel_wait(struct nvfifo_dev *dev, __u32 channel, const volatile __u32 *word,
			__u32 value, __s64 timeout_ns)
{
	struct drm_nvfifo_channel_wait w = {
		.channel_id = channel,
		.value = value,
		.address = (uintptr_t)word,
		.timeout_ns = deadline(dev, timeout_ns),
	};
	int ret = named_call(dev, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w, "CHANNEL_WAIT of %u", channel);

	if (ret == -ETIME)
		return nvfifo_error(ret, "channel %u did not write 0x%x in time", channel, value);
	if (ret == -ECANCELED)
		return nvfifo_error(ret, "channel %u is dead", channel);

	return ret;
}

int nvfifo_channel_map_control(struct nvfifo_dev *dev, const struct drm_nvfifo_channel_create *c,
			       volatile __u32 **control)
{
	void *map;

	*control = NULL;
	if (!c->control_offset)
		return nvfifo_error(-EINVAL, "channel %u has no control page: it was made without DRM_NVFIFO_CHANNEL_USER_QUEUE",
				    c->id);
	map = map_file(dev, c->control_offset, NVFIFO_CONTROL_BYTES);
	if (map == MAP_FAILED)
		return nvfifo_error(-errno, "mmap of channel %u's control page: %s", c->id,
				    strerror(errno));
	*control = map;

	return 0;
}

void nvfifo_channel_unmap_control(volatile __u32 *control)
{
	if (control)
		munmap((void *)control, NVFIFO_CONTROL_BYTES);
}

int nvfifo_event_read_any(struct nvfifo_dev *dev, int timeout_ms, union nvfifo_file_event *event)
{
	struct pollfd p = { .fd = dev->fd, .events = POLLIN };
	ssize_t n;
	int ret;

	memset(event, 0, sizeof(*event));
	if (dev->backend)
		return dev->backend->event(dev->ctx, timeout_ms, event);

	ret = poll(&p, 1, timeout_ms);
	if (ret < 0)
		return nvfifo_error(-errno, "poll for events: %s", strerror(errno));
	if (!ret)
		return 0;
	if (!(p.revents & POLLIN))
		return nvfifo_error(-EIO, "poll for events: 0x%x", (unsigned int)p.revents);

	n = read(dev->fd, event, sizeof(*event));
	if (n < 0)
		return nvfifo_error(-errno, "read of an event: %s", strerror(errno));
	if (n == sizeof(event->dead) && event->base.type == DRM_NVFIFO_EVENT_CHANNEL_DEAD)
		return 1;
	if (n == sizeof(event->method) && event->base.type == DRM_NVFIFO_EVENT_SOFTWARE_METHOD)
		return 1;

	return nvfifo_error(-EPROTO, "read of an event: %zd bytes of type 0x%x", n,
			    event->base.type);
}

int nvfifo_event_read(struct nvfifo_dev *dev, int timeout_ms,
		      struct drm_nvfifo_event_channel_dead *event)
{
	union nvfifo_file_event any;
	int ret = nvfifo_event_read_any(dev, timeout_ms, &any);

	if (ret == 1 && any.base.type != DRM_NVFIFO_EVENT_CHANNEL_DEAD)
		return nvfifo_error(-EPROTO, "an event of type 0x%x, not of a dead channel",
				    any.base.type);
	*event = any.dead;

	return ret;
}

int nvfifo_object_create(struct nvfifo_dev *dev, const struct drm_nvfifo_object_create *o)
{
	struct drm_nvfifo_object_create c = *o;

	return named_call(dev, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c,
			  "OBJECT_CREATE of handle 0x%08x, class 0x%04x", o->handle, o->oclass);
}

int nvfifo_dma_object_create(struct nvfifo_dev *dev, __u32 channel, __u32 handle, __u32 oclass,
			     __u32 access, __u64 start, __u64 size)
{
	struct drm_nvfifo_object_create o = {
		.channel_id = channel,
		.handle = handle,
		.type = DRM_NVFIFO_OBJECT_DMA,
		.oclass = oclass,
		.access = access,
		.start = start,
		.size = size,
	};

	return nvfifo_object_create(dev, &o);
}

int nvfifo_engine_object_create(struct nvfifo_dev *dev, __u32 channel, __u32 handle, __u32 oclass)
{
	struct drm_nvfifo_object_create o = {
		.channel_id = channel,
		.handle = handle,
		.type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = oclass,
	};

	return nvfifo_object_create(dev, &o);
}

int nvfifo_object_destroy(struct nvfifo_dev *dev, __u32 channel, __u32 handle)
{
	struct drm_nvfifo_object_destroy d = { .channel_id = channel, .handle = handle };

	return named_call(dev, DRM_IOCTL_NVFIFO_OBJECT_DESTROY, &d,
			  "OBJECT_DESTROY of 0x%08x", handle);
}

static int submit(struct nvfifo_dev *dev, __u32 channel, __u32 flags,
		  const struct drm_nvfifo_entry *entries, __u32 count,
		  const struct drm_nvfifo_sync *syncs, __u32 nsyncs, __u64 *seqno)
{
	struct drm_nvfifo_submit s = {
		.channel_id = channel,
		.flags = flags,
		.entries = { .stride = sizeof(*entries),
			     .count = count,
			     .ptr = (uintptr_t)entries },
		.syncs = { .stride = sizeof(*syncs), .count = nsyncs, .ptr = (uintptr_t)syncs },
	};
	int ret = call(dev, DRM_IOCTL_NVFIFO_SUBMIT, &s);

	if (ret)
		return nvfifo_error(ret, "SUBMIT of %u entries to channel %u: %s%s", count,
				    channel, strerror(-ret),
				    ret == -ECANCELED ? " (the channel is dead)" : "");
	if (seqno)
		*seqno = s.seqno;

	return 0;
}

int nvfifo_submit(struct nvfifo_dev *dev, __u32 channel, const struct drm_nvfifo_entry *entries,
		  __u32 count, const struct drm_nvfifo_sync *syncs, __u32 nsyncs, __u64 *seqno)
{
	return submit(dev, channel, 0, entries, count, syncs, nsyncs, seqno);
}

int nvfifo_submit_try(struct nvfifo_dev *dev, __u32 channel,
		      const struct drm_nvfifo_entry *entries, __u32 count,
		      const struct drm_nvfifo_sync *syncs, __u32 nsyncs, __u64 *seqno)
{
	return submit(dev, channel, DRM_NVFIFO_SUBMIT_TRY, entries, count, syncs, nsyncs, seqno);
}

/* --- Syncobjs ------------------------------------------------------------ */

int nvfifo_syncobj_create(struct nvfifo_dev *dev, __u32 *handle)
{
	struct drm_syncobj_create c = { 0 };
	int ret = named_call(dev, DRM_IOCTL_SYNCOBJ_CREATE, &c, "SYNCOBJ_CREATE");

	*handle = c.handle;
	return ret;
}

int nvfifo_syncobj_destroy(struct nvfifo_dev *dev, __u32 handle)
{
	struct drm_syncobj_destroy d = { .handle = handle };

	return named_call(dev, DRM_IOCTL_SYNCOBJ_DESTROY, &d, "SYNCOBJ_DESTROY of %u", handle);
}

/* Return: 0, or -ETIME if the fence has not signalled by then. */
static int syncobj_wait_until(struct nvfifo_dev *dev, __u32 handle, __u64 point, __s64 until)
{
	if (point) {
		struct drm_syncobj_timeline_wait w = {
			.handles = (uintptr_t)&handle,
			.points = (uintptr_t)&point,
			.timeout_nsec = until,
			.count_handles = 1,
			.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
		};

		return call(dev, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
	} else {
		struct drm_syncobj_wait w = {
			.handles = (uintptr_t)&handle,
			.timeout_nsec = until,
			.count_handles = 1,
			.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
		};

		return call(dev, DRM_IOCTL_SYNCOBJ_WAIT, &w);
	}
}

int nvfifo_syncobj_wait(struct nvfifo_dev *dev, __u32 handle, __u64 point, __s64 timeout_ns)
{
	__s64 until = deadline(dev, timeout_ns);
	int ret;

	ret = syncobj_wait_until(dev, handle, point, until);
	if (ret == -ETIME)
		return nvfifo_error(ret, "the fence did not signal in time");

	return ret ? nvfifo_error(ret, "SYNCOBJ_WAIT: %s", strerror(-ret)) : 0;
}

/* Only a sync file returns the error of a fence. */
int nvfifo_syncobj_status(struct nvfifo_dev *dev, __u32 handle, int *status)
{
	struct drm_syncobj_handle h = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
		.fd = -1,
	};
	struct sync_file_info info = { 0 };
	int ret;

	if (dev->backend)
		return dev->backend->fence_status(dev->ctx, handle, status);

	ret = named_call(dev, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h, "SYNCOBJ_HANDLE_TO_FD");
	if (ret)
		return ret;

	ret = call_kernel(h.fd, SYNC_IOC_FILE_INFO, &info);
	close(h.fd);
	*status = info.status;

	return ret ? nvfifo_error(ret, "SYNC_IOC_FILE_INFO: %s", strerror(-ret)) : 0;
}

int nvfifo_syncobj_point(struct nvfifo_dev *dev, __u32 handle, __u64 *point)
{
	struct drm_syncobj_timeline_array a = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)point,
		.count_handles = 1,
	};

	return named_call(dev, DRM_IOCTL_SYNCOBJ_QUERY, &a, "SYNCOBJ_QUERY of %u", handle);
}
