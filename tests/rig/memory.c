// SPDX-License-Identifier: MIT
/* Buffers, address spaces and mappings. */
#include "rig.h"

int bo_create_flags(struct nv *nv, struct bo *bo, uint32_t domain, uint32_t flags,
		    uint64_t size)
{
	struct drm_nvfifo_bo_create c = { .size = size, .domain = domain, .flags = flags };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_BO_CREATE, &c);

	memset(bo, 0, sizeof(*bo));
	if (ret)
		return ret;
	bo->handle = c.handle;
	bo->size = c.size;
	bo->offset = c.mmap_offset;
	return 0;
}

int bo_create(struct nv *nv, struct bo *bo, uint32_t domain, uint64_t size)
{
	return bo_create_flags(nv, bo, domain, 0, size);
}

int bo_info(struct nv *nv, uint32_t handle, struct drm_nvfifo_bo_info *info)
{
	memset(info, 0, sizeof(*info));
	info->handle = handle;
	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_BO_INFO, info);
}

int bo_label(struct nv *nv, uint32_t handle, const char *label)
{
	struct drm_nvfifo_bo_label l = {
		.handle = handle, .size = (uint32_t)strlen(label), .label = (uintptr_t)label,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_BO_LABEL, &l);
}

int bo_close(struct nv *nv, uint32_t handle)
{
	struct drm_gem_close c = { .handle = handle };

	return nv_ioctl(nv->fd, DRM_IOCTL_GEM_CLOSE, &c);
}

void bo_mmap(struct nv *nv, struct bo *bo)
{
	void *p = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, nv->fd,
		       (off_t)bo->offset);

	need(p != MAP_FAILED, "mmap: %s", strerror(errno));
	bo->map = p;
	map_keep(nv->fd, p, bo->size);
}

void bo_unmap(struct bo *bo)
{
	if (bo->map)
		maps_drop(-1, bo->map);
	bo->map = NULL;
}

int prime_export(struct nv *nv, uint32_t handle)
{
	struct drm_prime_handle p = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR, .fd = -1 };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);

	return ret ? ret : p.fd;
}

int prime_import(struct nv *nv, int fd, uint32_t *handle)
{
	struct drm_prime_handle p = { .fd = fd };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p);

	*handle = p.handle;
	return ret;
}

uint32_t *bo_map_apart(struct nv *nv, const struct bo *bo)
{
	int fd = prime_export(nv, bo->handle);
	void *p;

	need(fd >= 0, "PRIME_HANDLE_TO_FD: %s", strerror(-fd));
	p = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(p != MAP_FAILED, "mmap of a dma-buf: %s", strerror(errno));
	close(fd);
	return p;
}

struct bo sys_bo(struct nv *nv, uint64_t size)
{
	struct bo bo;
	int ret = bo_create(nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, size);

	need(!ret, "BO_CREATE system: %s", strerror(-ret));
	bo_mmap(nv, &bo);
	return bo;
}

struct bo vram_bo(struct nv *nv, uint64_t size)
{
	struct bo bo;
	int ret = bo_create(nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, size);

	need(!ret, "BO_CREATE VRAM: %s", strerror(-ret));
	return bo;
}

int vm_create(struct nv *nv, uint32_t *id)
{
	struct drm_nvfifo_vm_create c = { 0 };
	int ret = nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_CREATE, &c);

	*id = c.id;
	return ret;
}

uint32_t new_vm(struct nv *nv)
{
	uint32_t id;
	int ret = vm_create(nv, &id);

	need(!ret && id, "VM_CREATE: %s", strerror(-ret));
	return id;
}

int vm_destroy(struct nv *nv, uint32_t id)
{
	struct drm_nvfifo_vm_destroy d = { .id = id };

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_DESTROY, &d);
}

int vm_bind(struct nv *nv, uint32_t vm, const struct drm_nvfifo_vm_bind_op *ops,
	    uint32_t count)
{
	struct drm_nvfifo_vm_bind b = {
		.vm_id = vm,
		.ops = { .stride = sizeof(*ops), .count = count, .ptr = (uintptr_t)ops },
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_BIND, &b);
}

int vm_bind_async(struct nv *nv, uint32_t vm, const struct drm_nvfifo_vm_bind_op *ops,
		  uint32_t count, const struct drm_nvfifo_sync *syncs, uint32_t num_syncs)
{
	struct drm_nvfifo_vm_bind b = {
		.vm_id = vm,
		.flags = DRM_NVFIFO_VM_BIND_ASYNC,
		.ops = { .stride = sizeof(*ops), .count = count, .ptr = (uintptr_t)ops },
		.syncs = { .stride = sizeof(*syncs), .count = num_syncs, .ptr = (uintptr_t)syncs },
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_VM_BIND, &b);
}

struct drm_nvfifo_sync sync_wait_for(uint32_t handle)
{
	return (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_WAIT, .handle = handle };
}

struct drm_nvfifo_sync sync_signal(uint32_t handle)
{
	return (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = handle };
}

int vm_bind_when(struct nv *nv, uint32_t vm, struct drm_nvfifo_vm_bind_op op, uint32_t wait,
		 uint32_t signal)
{
	struct drm_nvfifo_sync s[2];
	uint32_t n = 0;

	if (wait)
		s[n++] = sync_wait_for(wait);
	if (signal)
		s[n++] = sync_signal(signal);
	return vm_bind_async(nv, vm, &op, 1, s, n);
}

struct drm_nvfifo_vm_bind_op op_map(const struct bo *bo, uint64_t va)
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_MAP,
		.bo_handle = bo->handle,
		.va = va,
		.range = bo->size,
	};

	return op;
}

struct drm_nvfifo_vm_bind_op op_unmap(uint64_t va, uint64_t range)
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_UNMAP, .va = va, .range = range,
	};

	return op;
}

int vm_map_at(struct nv *nv, uint32_t vm, const struct bo *bo, uint64_t va, uint32_t flags,
	      uint32_t page_shift)
{
	struct drm_nvfifo_vm_bind_op op = op_map(bo, va);

	op.flags = flags;
	op.page_shift = page_shift;
	return vm_bind(nv, vm, &op, 1);
}

int vm_unmap(struct nv *nv, uint32_t vm, uint64_t va, uint64_t range)
{
	struct drm_nvfifo_vm_bind_op op = op_unmap(va, range);

	return vm_bind(nv, vm, &op, 1);
}

uint64_t va_alloc(struct nv *nv, uint64_t size)
{
	uint64_t va = nv->va;

	nv->va += ((size + 64 * KIB - 1) & ~(64 * KIB - 1)) + 64 * KIB;
	return va;
}

uint64_t map_flags(struct nv *nv, uint32_t vm, const struct bo *bo, uint32_t flags)
{
	uint64_t va = va_alloc(nv, bo->size);
	int ret = vm_map_at(nv, vm, bo, va, flags, 0);

	need(!ret, "VM_BIND map: %s", strerror(-ret));
	return va;
}

uint64_t map(struct nv *nv, uint32_t vm, const struct bo *bo)
{
	return map_flags(nv, vm, bo, 0);
}
