// SPDX-License-Identifier: MIT
/* An open file of the node: its kind, its parameters, and the dispatch of its calls. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gl.h"
#include "nvfifo_text.h"

/*
 * The first that has NVIF. Mesa 25 accepts no older version, and calls nothing that a later one
 * adds.
 */
#define VERSION_MAJOR 1
#define VERSION_MINOR 3
#define VERSION_PATCH 1

#define PCI_VENDOR_NVIDIA 0x10de
#define BUS_TYPE_PCIE	  2

void gl_say(const char *fmt, ...)
{
	const char *quiet = getenv("NVFIFO_GL_QUIET");
	va_list args;

	if (quiet && *quiet)
		return;

	fputs("nvfifo-nouveau: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

int gl_call(struct gl_file *file, unsigned long request, void *arg)
{
	return file->kernel.ioctl(file->kernel.cookie, request, arg);
}

/* The kernel copies, and says when an address is wrong. Some sandboxes forbid the call. */
static int copy(void *to, const void *from, size_t size, bool out)
{
	struct iovec local = { out ? (void *)from : to, size };
	struct iovec remote = { out ? to : (void *)from, size };
	ssize_t done;

	if (!size)
		return 0;

	if (out)
		done = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
	else
		done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	if (done == (ssize_t)size)
		return 0;
	if (done >= 0 || errno == EFAULT)
		return -EFAULT;

	memcpy(to, from, size);
	return 0;
}

int gl_copy_in(void *to, const void *from, size_t size)
{
	return copy(to, from, size, false);
}

int gl_copy_out(void *to, const void *from, size_t size)
{
	return copy(to, from, size, true);
}

/* --- the file --- */

static void *map_file(int fd, uint64_t offset, size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

	return map == MAP_FAILED ? NULL : map;
}

static int query(struct gl_file *file, uint32_t type, void *record, uint32_t size)
{
	struct drm_nvfifo_device_query args = {
		.type = type,
		.size = size,
		.pointer = (uintptr_t)record,
	};

	return gl_call(file, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &args);
}

static bool is_nvfifo(struct gl_file *file)
{
	char name[16] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	return !gl_call(file, DRM_IOCTL_VERSION, &version) && !strcmp(name, "nvfifo");
}

/* Half of the space for each size of pages; a region of 512 MiB then has one size. */
static void init_arenas(struct gl_file *file)
{
	uint64_t region = 512ull << 20;
	uint64_t start = (file->device.va_start + region - 1) / region * region;
	uint64_t end = file->device.va_end / region * region;
	uint64_t middle = start + (end - start) / 2 / region * region;

	file->small = (struct gl_arena){ .start = start, .end = middle, .page = 4096 };
	file->large = (struct gl_arena){ .start = middle, .end = end, .page = 65536 };
}

int gl_file_create(const struct gl_kernel *kernel, int fd, struct gl_file **file)
{
	struct gl_file *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return -ENOMEM;

	pthread_mutex_init(&f->lock, NULL);
	f->kernel = *kernel;
	f->fd = fd;
	f->map = map_file;
	f->unmap = munmap;
	ret = -ENODEV;
	if (!is_nvfifo(f))
		goto err_free;
	ret = query(f, DRM_NVFIFO_QUERY_DEVICE, &f->device, sizeof(f->device));
	if (ret)
		goto err_free;
	ret = query(f, DRM_NVFIFO_QUERY_LIMITS, &f->limits, sizeof(f->limits));
	if (ret)
		goto err_free;

	init_arenas(f);
	*file = f;
	return 0;

err_free:
	gl_file_destroy(f);
	return ret;
}

/* Each buffer begins with its extent, also those that could not be unmapped. */
static void free_buffers(struct gl_arena *arena)
{
	struct gl_extent *extent, *next;

	for (extent = arena->first; extent; extent = next) {
		next = extent->next;
		free(((struct gl_bo *)extent)->shadow);
		free(extent);
	}
}

void gl_file_destroy(struct gl_file *file)
{
	free_buffers(&file->small);
	free_buffers(&file->large);
	gl_nvif_forget_all(file);
	free(file->bos);
	pthread_mutex_destroy(&file->lock);
	free(file);
}

int gl_need_vm(struct gl_file *file)
{
	struct drm_nvfifo_vm_create args = { 0 };
	int ret;

	if (file->vm)
		return 0;

	ret = gl_call(file, DRM_IOCTL_NVFIFO_VM_CREATE, &args);
	if (ret)
		return ret;

	file->vm = args.id;
	return 0;
}

/* --- parameters --- */

/* Of the PCI device, from sysfs; 0 if it cannot be told. */
static uint64_t pci_number(struct gl_file *file, const char *attribute)
{
	char path[96], text[16] = "";
	struct stat st;
	FILE *f;

	if (fstat(file->fd, &st) || !S_ISCHR(st.st_mode))
		return 0;

	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/%s", major(st.st_rdev),
		 minor(st.st_rdev), attribute);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return nvfifo_text_value(text, 0);
}

/* System memory that buffers may take: half of it, as nouveau would let them. */
static uint64_t gart_size(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || size <= 0)
		return 512ull << 20;
	return (uint64_t)pages * (uint64_t)size / 2;
}

static int getparam(struct gl_file *file, void *arg)
{
	struct drm_nvfifo_query_time now = { 0 };
	struct drm_nouveau_getparam *param = arg;
	int ret;

	switch (param->param) {
	case NOUVEAU_GETPARAM_PCI_VENDOR:
		param->value = PCI_VENDOR_NVIDIA;
		return 0;
	case NOUVEAU_GETPARAM_PCI_DEVICE:
		param->value = pci_number(file, "device");
		return 0;
	case NOUVEAU_GETPARAM_BUS_TYPE:
		param->value = BUS_TYPE_PCIE;
		return 0;
	case NOUVEAU_GETPARAM_FB_SIZE:
		param->value = file->device.vram_size;
		return 0;
	case NOUVEAU_GETPARAM_AGP_SIZE:
		param->value = gart_size();
		return 0;
	case NOUVEAU_GETPARAM_CHIPSET_ID:
		param->value = file->device.chipset;
		return 0;
	case NOUVEAU_GETPARAM_VM_VRAM_BASE:
		param->value = 0;
		return 0;
	case NOUVEAU_GETPARAM_HAS_BO_USAGE:
		param->value = 1;
		return 0;
	case NOUVEAU_GETPARAM_HAS_PAGEFLIP:
		param->value = 0;
		return 0;
	case NOUVEAU_GETPARAM_GRAPH_UNITS:
		param->value = file->device.graph_units;
		return 0;
	case NOUVEAU_GETPARAM_PTIMER_TIME:
		ret = query(file, DRM_NVFIFO_QUERY_TIME, &now, sizeof(now));
		param->value = now.timer_ns;
		return ret;
	}
	return -EINVAL;
}

/* No parameter can be set. */
static int setparam(struct gl_file *file, void *arg)
{
	(void)file;
	(void)arg;
	return -EINVAL;
}

/* --- DRM_IOCTL_VERSION --- */

/* Like the DRM core: copy up to the buffer's length, and return the full length. */
static int version_text(char *to, __kernel_size_t *len, const char *text)
{
	size_t room = *len, size = strlen(text);
	int ret = 0;

	if (to && room)
		ret = gl_copy_out(to, text, room < size ? room : size);
	*len = size;
	return ret;
}

static int version(struct gl_file *file, void *arg)
{
	struct drm_version *v = arg;
	int ret;

	(void)file;
	v->version_major = VERSION_MAJOR;
	v->version_minor = VERSION_MINOR;
	v->version_patchlevel = VERSION_PATCH;
	ret = version_text(v->name, &v->name_len, "nouveau");
	if (!ret)
		ret = version_text(v->date, &v->date_len, "20120801");
	if (!ret)
		ret = version_text(v->desc, &v->desc_len, "nvfifo with nouveau's interface");
	return ret;
}

/* --- which call --- */

static const struct call {
	unsigned int nr;
	size_t size;
	int (*run)(struct gl_file *file, void *arg);
	bool waits;	/* takes the lock itself */
} calls[] = {
	{ _IOC_NR(DRM_IOCTL_VERSION), sizeof(struct drm_version), version, false },
	{ _IOC_NR(DRM_IOCTL_GEM_CLOSE), sizeof(struct drm_gem_close), gl_gem_close, false },
#define NR(name) (DRM_COMMAND_BASE + DRM_NOUVEAU_##name)
	{ NR(GETPARAM), sizeof(struct drm_nouveau_getparam), getparam, false },
	{ NR(SETPARAM), sizeof(struct drm_nouveau_setparam), setparam, false },
	{ NR(CHANNEL_ALLOC), sizeof(struct drm_nouveau_channel_alloc), gl_channel_alloc, false },
	{ NR(CHANNEL_FREE), sizeof(struct drm_nouveau_channel_free), gl_channel_free, false },
	{ NR(GROBJ_ALLOC), sizeof(struct drm_nouveau_grobj_alloc), gl_grobj_alloc, false },
	{ NR(NOTIFIEROBJ_ALLOC), sizeof(struct drm_nouveau_notifierobj_alloc),
	  gl_notifierobj_alloc, false },
	{ NR(GPUOBJ_FREE), sizeof(struct drm_nouveau_gpuobj_free), gl_gpuobj_free, false },
	{ NR(NVIF), GL_NVIF_SIZE, gl_nvif, false },
	{ NR(GEM_NEW), sizeof(struct drm_nouveau_gem_new), gl_gem_new, false },
	{ NR(GEM_PUSHBUF), sizeof(struct drm_nouveau_gem_pushbuf), gl_gem_pushbuf, false },
	{ NR(GEM_CPU_PREP), sizeof(struct drm_nouveau_gem_cpu_prep), gl_gem_cpu_prep, true },
	{ NR(GEM_CPU_FINI), sizeof(struct drm_nouveau_gem_cpu_fini), gl_gem_cpu_fini, false },
	{ NR(GEM_INFO), sizeof(struct drm_nouveau_gem_info), gl_gem_info, false },
#undef NR
};

static bool is_command(unsigned int nr)
{
	return nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END;
}

static int run(struct gl_file *file, const struct call *call, unsigned long request, void *arg)
{
	union {
		uint64_t align;
		unsigned char bytes[GL_NVIF_SIZE];
	} buffer = { 0 };
	size_t size = _IOC_SIZE(request);
	int ret;

	/* As the DRM core: a shorter argument of an older program ends in zeros. */
	if (size > call->size)
		size = call->size;
	ret = gl_copy_in(buffer.bytes, arg, size);
	if (ret)
		return ret;

	if (!call->waits)
		pthread_mutex_lock(&file->lock);
	ret = call->run(file, buffer.bytes);
	if (!call->waits)
		pthread_mutex_unlock(&file->lock);
	if (ret || !(_IOC_DIR(request) & _IOC_READ))
		return ret;
	return gl_copy_out(arg, buffer.bytes, size);
}

int gl_ioctl(struct gl_file *file, unsigned long request, void *arg)
{
	unsigned int nr = _IOC_NR(request);
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].nr == nr)
			return run(file, &calls[i], request, arg);
	}
	/* SVM does not exist; calls of the DRM core go to the kernel as they are. */
	if (is_command(nr))
		return -EINVAL;
	return gl_call(file, request, arg);
}
