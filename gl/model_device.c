// SPDX-License-Identifier: MIT
/*
 * The names of a card that is the model: libdrm's list of devices, and the two nodes. libgbm and
 * Mesa take only a character device for a card, so fstat() shows the file of the model's memory as
 * one. Both nodes have the numbers of the render node.
 *
 * Nodes of other cards have other numbers, and stay as they are.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>

#include "node.h"
#include "node_model.h"

#define EXPORT __attribute__((visibility("default")))

#define DRM_MAJOR	226
#define RENDER_MINOR	128
#define PCI_NVIDIA	0x10de
#define PCI_BUS		1

static char card_node[] = "/dev/dri/card0";
static char render_node[] = "/dev/dri/renderD128";

/* --- files --- */

int gl_model_fstat(int fd, struct stat *st)
{
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

static bool is_node(const char *path)
{
	return path && (!strcmp(path, card_node) || !strcmp(path, render_node));
}

/* Return: the file of the model's memory if the path is a node's; else, or without a model, -1. */
static int node_file(const char *path)
{
	return is_node(path) ? gl_model_file() : -1;
}

EXPORT int fstat(int fd, struct stat *st)
{
	int ret = gl_model_fstat(fd, st);

	if (!ret && gl_model_is(st)) {
		st->st_mode = S_IFCHR | (st->st_mode & ~(mode_t)S_IFMT);
		st->st_rdev = makedev(DRM_MAJOR, RENDER_MINOR);
	}
	return ret;
}

EXPORT int fstat64(int fd, struct stat64 *st)
{
	struct stat seen;
	int ret = fstatat64(fd, "", st, AT_EMPTY_PATH);

	if (ret || gl_model_fstat(fd, &seen) || !gl_model_is(&seen))
		return ret;

	st->st_mode = S_IFCHR | (st->st_mode & ~(mode_t)S_IFMT);
	st->st_rdev = makedev(DRM_MAJOR, RENDER_MINOR);
	return 0;
}

EXPORT int stat(const char *path, struct stat *st)
{
	int fd = node_file(path);

	if (fd >= 0)
		return fstat(fd, st);
	return fstatat(AT_FDCWD, path, st, 0);
}

EXPORT int stat64(const char *path, struct stat64 *st)
{
	int fd = node_file(path);

	if (fd >= 0)
		return fstat64(fd, st);
	return fstatat64(AT_FDCWD, path, st, 0);
}

/* An open file of its own, as each open() of a node gives one */
static int open_file(int dir, const char *path, int flags, mode_t mode)
{
	int fd = node_file(path);
	char memory[32];

	if (fd >= 0) {
		snprintf(memory, sizeof(memory), "/proc/self/fd/%d", fd);
		path = memory;
	}

	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

/* Only a call that may make a file has the third argument. */
EXPORT int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);

	return open_file(AT_FDCWD, path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);

	return open_file(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);

	return open_file(dir, path, flags, mode);
}

EXPORT int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);

	return open_file(dir, path, flags | O_LARGEFILE, mode);
}

/* --- libdrm's list of devices --- */

/* A device with all that it points to. The program gets a pointer to the first member. */
struct device {
	drmDevice drm;
	drmPciBusInfo bus;
	drmPciDeviceInfo info;
	char *nodes[DRM_NODE_MAX];
};

static drmDevicePtr make_device(void)
{
	struct device *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;

	d->nodes[DRM_NODE_RENDER] = render_node;
	d->nodes[DRM_NODE_PRIMARY] = card_node;
	d->bus.bus = PCI_BUS;
	d->info.vendor_id = PCI_NVIDIA;
	d->drm.nodes = d->nodes;
	d->drm.available_nodes = 1 << DRM_NODE_RENDER | 1 << DRM_NODE_PRIMARY;
	d->drm.bustype = DRM_BUS_PCI;
	d->drm.businfo.pci = &d->bus;
	d->drm.deviceinfo.pci = &d->info;
	return &d->drm;
}

EXPORT int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max_devices)
{
	(void)flags;
	if (gl_model_file() < 0)
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

EXPORT char *drmGetRenderDeviceNameFromFd(int fd)
{
	return gl_node_is(fd) ? strdup(render_node) : NULL;
}

EXPORT char *drmGetDeviceNameFromFd2(int fd)
{
	return gl_node_is(fd) ? strdup(render_node) : NULL;
}

EXPORT int drmGetNodeTypeFromFd(int fd)
{
	if (gl_node_is(fd))
		return DRM_NODE_RENDER;

	errno = ENODEV;
	return -1;
}
