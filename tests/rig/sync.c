// SPDX-License-Identifier: MIT
/* DRM syncobjs and sync files. */
#include "rig.h"

uint32_t sync_new(struct nv *nv)
{
	struct drm_syncobj_create c = { 0 };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_CREATE, &c);

	need(!ret, "SYNCOBJ_CREATE: %s", strerror(-ret));
	return c.handle;
}

void sync_free(struct nv *nv, uint32_t handle)
{
	struct drm_syncobj_destroy d = { .handle = handle };

	nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
}

int sync_wait_ms(struct nv *nv, uint32_t handle, unsigned int ms)
{
	struct drm_syncobj_wait w = {
		.handles = (uintptr_t)&handle,
		.count_handles = 1,
		.timeout_nsec = ms ? now_ns() + ms * 1000000ll : 0,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_WAIT, &w);
}

int timeline_wait_ms(struct nv *nv, uint32_t handle, uint64_t point, unsigned int ms)
{
	struct drm_syncobj_timeline_wait w = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
		.timeout_nsec = ms ? now_ns() + ms * 1000000ll : 0,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
}

int sync_has_fence(struct nv *nv, uint32_t handle)
{
	return sync_wait_ms(nv, handle, 0) != -EINVAL;
}

int sync_export(struct nv *nv, uint32_t handle)
{
	struct drm_syncobj_handle h = {
		.handle = handle, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, .fd = -1,
	};
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h);

	return ret ? ret : h.fd;
}

int sync_import(struct nv *nv, uint32_t handle, int fd)
{
	struct drm_syncobj_handle h = {
		.handle = handle, .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, .fd = fd,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h);
}

int sync_status(struct nv *nv, uint32_t handle)
{
	struct sync_file_info info;
	int fd = sync_export(nv, handle), ret;

	if (fd < 0)
		return -EBADF;
	memset(&info, 0, sizeof(info));
	ret = nv_ioctl(fd, SYNC_IOC_FILE_INFO, &info);
	close(fd);
	return ret ? -EBADF : info.status;
}

int sync_finish(struct nv *nv, uint32_t handle)
{
	int ret = sync_wait_ms(nv, handle, WAIT_MS);

	if (ret == -ETIME)
		return 0;
	if (ret)
		return -EBADF;
	return sync_status(nv, handle);
}

int sync_file_finish(int fd)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	struct sync_file_info info;

	do {
		memset(&info, 0, sizeof(info));
		if (nv_ioctl(fd, SYNC_IOC_FILE_INFO, &info))
			return -EBADF;
		if (info.status)
			return info.status;
		msleep(5);
	} while (now_ns() < end);
	return 0;
}
