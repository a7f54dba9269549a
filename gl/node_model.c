// SPDX-License-Identifier: MIT
/*
 * A card without hardware: the model, in the program's own process. NVFIFO_GL_MODEL names the
 * chipset. Mesa finds the card by libdrm's functions, which this file puts in front of libdrm.
 *
 * The node is the file of the model's memory, so that mmap() of it works as it does for a buffer.
 * A submission ends before its call returns: fences have signalled, and waits end at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xf86drm.h>

#include "gl.h"
#include "node.h"
#include "nvfifo.h"
#include "tools/model/model.h"

#define EXPORT __attribute__((visibility("default")))

#define PATH_SIZE	64
#define PCI_NVIDIA	0x10de
#define PCI_BUS		1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct model *model;
static dev_t card_device;
static ino_t card_inode;
static bool has_failed;

static void show_trace(void *ctx, const char *line)
{
	(void)ctx;
	fprintf(stderr, "nvfifo-nouveau: %s\n", line);
}

static bool start(void)
{
	static struct model_watcher watcher = { .trace = show_trace };
	const char *chipset = getenv("NVFIFO_GL_MODEL");
	const char *trace = getenv("NVFIFO_GL_MODEL_TRACE");
	struct nvfifo_dev *dev;
	struct stat st;

	if (model || has_failed)
		return model;

	if (!chipset || !*chipset)
		chipset = "g96";
	if (model_open(chipset, trace && *trace ? &watcher : NULL, &model, &dev)) {
		gl_say("%s", nvfifo_last_error());
		has_failed = true;
		return false;
	}

	if (!fstat(model_file(model), &st)) {
		card_device = st.st_dev;
		card_inode = st.st_ino;
	}

	return true;
}

/* The model lives as long as the process. */
static bool has_card(void)
{
	bool has;

	pthread_mutex_lock(&lock);
	has = start();
	pthread_mutex_unlock(&lock);
	return has;
}

bool gl_node_is(int fd)
{
	struct stat st;

	return has_card() && !fstat(fd, &st) && st.st_dev == card_device &&
	       st.st_ino == card_inode;
}

/* --- calls --- */

static int version(struct drm_version *v)
{
	v->version_major = 1;
	v->version_minor = 0;
	v->version_patchlevel = 0;
	if (v->name && v->name_len)
		strncpy(v->name, "nvfifo", v->name_len);
	v->name_len = strlen("nvfifo");
	v->date_len = 0;
	v->desc_len = 0;
	return 0;
}

static int submit(struct drm_nvfifo_submit *args)
{
	struct drm_nvfifo_submit without = *args;
	int ret;

	without.syncs.count = 0;
	ret = model_call(model, DRM_IOCTL_NVFIFO_SUBMIT, &without);
	args->seqno = without.seqno;
	if (!ret)
		model_settle(model);
	return ret;
}

static int bind(const struct drm_nvfifo_vm_bind *args)
{
	struct drm_nvfifo_vm_bind without = *args;

	without.flags &= ~(__u32)DRM_NVFIFO_VM_BIND_ASYNC;
	without.syncs.count = 0;
	return model_call(model, DRM_IOCTL_NVFIFO_VM_BIND, &without);
}

static int call(unsigned long request, void *arg)
{
	static __u32 syncobjs;

	switch (request) {
	case DRM_IOCTL_VERSION:
		return version(arg);
	case DRM_IOCTL_NVFIFO_SUBMIT:
		return submit(arg);
	case DRM_IOCTL_NVFIFO_VM_BIND:
		return bind(arg);
	case DRM_IOCTL_SYNCOBJ_CREATE:
		((struct drm_syncobj_create *)arg)->handle = ++syncobjs;
		return 0;
	case DRM_IOCTL_SYNCOBJ_DESTROY:
	case DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT:
		return 0;
	default:
		return model_call(model, request, arg);
	}
}

int gl_node_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	(void)fd;
	pthread_mutex_lock(&lock);
	ret = call(request, arg);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* --- libdrm's list of devices --- */

/* A device with all that it points to. The program gets a pointer to the first member. */
struct device {
	drmDevice drm;
	drmPciBusInfo bus;
	drmPciDeviceInfo info;
	char *nodes[DRM_NODE_MAX];
	char path[PATH_SIZE];
};

static drmDevicePtr make_device(void)
{
	struct device *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;

	snprintf(d->path, sizeof(d->path), "/proc/%d/fd/%d", (int)getpid(), model_file(model));
	d->nodes[DRM_NODE_RENDER] = d->path;
	d->nodes[DRM_NODE_PRIMARY] = d->path;
	d->bus.bus = PCI_BUS;
	d->info.vendor_id = PCI_NVIDIA;
	d->drm.nodes = d->nodes;
	d->drm.available_nodes = 1 << DRM_NODE_RENDER;
	d->drm.bustype = DRM_BUS_PCI;
	d->drm.businfo.pci = &d->bus;
	d->drm.deviceinfo.pci = &d->info;
	return &d->drm;
}

EXPORT int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max_devices)
{
	(void)flags;
	if (!has_card())
		return 0;
	if (!devices || max_devices < 1)
		return 1;

	devices[0] = make_device();
	return devices[0] ? 1 : -ENOMEM;
}

EXPORT int drmGetDevices(drmDevicePtr devices[], int max_devices)
{
	return drmGetDevices2(DRM_DEVICE_GET_PCI_REVISION, devices, max_devices);
}

EXPORT int drmGetDevice2(int fd, uint32_t flags, drmDevicePtr *device)
{
	(void)flags;
	if (!gl_node_is(fd))
		return -ENODEV;

	*device = make_device();
	return *device ? 0 : -ENOMEM;
}

EXPORT int drmGetDevice(int fd, drmDevicePtr *device)
{
	return drmGetDevice2(fd, DRM_DEVICE_GET_PCI_REVISION, device);
}

EXPORT void drmFreeDevice(drmDevicePtr *device)
{
	if (!device)
		return;

	free(*device);
	*device = NULL;
}

EXPORT void drmFreeDevices(drmDevicePtr devices[], int count)
{
	int i;

	for (i = 0; devices && i < count; i++)
		drmFreeDevice(&devices[i]);
}

static char *node_name(int fd)
{
	char path[PATH_SIZE];

	if (!gl_node_is(fd))
		return NULL;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), model_file(model));
	return strdup(path);
}

EXPORT char *drmGetRenderDeviceNameFromFd(int fd)
{
	return node_name(fd);
}

EXPORT char *drmGetDeviceNameFromFd2(int fd)
{
	return node_name(fd);
}

EXPORT int drmGetNodeTypeFromFd(int fd)
{
	if (gl_node_is(fd))
		return DRM_NODE_RENDER;

	errno = ENODEV;
	return -1;
}
