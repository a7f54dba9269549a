/* SPDX-License-Identifier: MIT */
/* The part of the nouveau driver's system calls that the test uses, as kernels from 4.x on have it. */
#ifndef NVFIFO_TESTS_NOUVEAU_ABI_H
#define NVFIFO_TESTS_NOUVEAU_ABI_H

#include <stdint.h>
#include <sys/ioctl.h>

struct nv_getparam {
	uint64_t param, value;
};

#define NV_PARAM_CHIPSET	11

struct nv_channel_alloc {
	uint32_t vram_handle, gart_handle;
	int32_t channel;
	uint32_t pushbuf_domains;
	uint32_t notifier_handle;
	struct {
		uint32_t handle, class;
	} subchan[8];
	uint32_t nr_subchan;
};

struct nv_channel_free {
	int32_t channel;
};

struct nv_grobj_alloc {
	int32_t channel;
	uint32_t handle;
	int32_t class;
};

struct nv_notifier_alloc {
	uint32_t channel, handle, size, offset;
};

#define NV_DOMAIN_VRAM		(1 << 1)
#define NV_DOMAIN_GART		(1 << 2)
#define NV_DOMAIN_MAPPABLE	(1 << 3)

struct nv_gem_info {
	uint32_t handle, domain;
	uint64_t size, offset, map_handle;
	uint32_t tile_mode, tile_flags;
};

struct nv_gem_new {
	struct nv_gem_info info;
	uint32_t channel_hint, align;
};

struct nv_pushbuf_bo {
	uint64_t user_priv;
	uint32_t handle, read_domains, write_domains, valid_domains;
	uint32_t presumed_valid, presumed_domain;
	uint64_t presumed_offset;
};

struct nv_pushbuf_push {
	uint32_t bo_index, pad;
	uint64_t offset, length;
};

struct nv_pushbuf {
	uint32_t channel, nr_buffers;
	uint64_t buffers;
	uint32_t nr_relocs, nr_push;
	uint64_t relocs, push;
	uint32_t suffix0, suffix1;
	uint64_t vram_available, gart_available;
};

#define NV_CPU_PREP_WRITE	4

struct nv_cpu_prep {
	uint32_t handle, flags;
};

struct nv_gem_close {
	uint32_t handle, pad;
};

#define NV_IOCTL_GETPARAM	_IOWR('d', 0x40, struct nv_getparam)
#define NV_IOCTL_CHANNEL_ALLOC	_IOWR('d', 0x42, struct nv_channel_alloc)
#define NV_IOCTL_CHANNEL_FREE	_IOW('d', 0x43, struct nv_channel_free)
#define NV_IOCTL_GROBJ_ALLOC	_IOW('d', 0x44, struct nv_grobj_alloc)
#define NV_IOCTL_NOTIFIER_ALLOC	_IOWR('d', 0x45, struct nv_notifier_alloc)
#define NV_IOCTL_GEM_NEW	_IOWR('d', 0x80, struct nv_gem_new)
#define NV_IOCTL_GEM_PUSHBUF	_IOWR('d', 0x81, struct nv_pushbuf)
#define NV_IOCTL_GEM_CPU_PREP	_IOW('d', 0x82, struct nv_cpu_prep)
#define NV_IOCTL_GEM_CLOSE	_IOW('d', 0x09, struct nv_gem_close)
#define NV_IOCTL_GEM_INFO	_IOWR('d', 0x84, struct nv_gem_info)

#endif
