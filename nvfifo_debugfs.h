/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_DEBUGFS_H_
#define _NVFIFO_DEBUGFS_H_

struct dentry;
struct drm_minor;
struct nvfifo_device;
struct nvfifo_vm;

/**
 * struct nvfifo_debugfs_state - Files in debugfs
 * @vms: the folder of address spaces
 */
struct nvfifo_debugfs_state {
	struct dentry *vms;
};

#ifdef CONFIG_DEBUG_FS
void nvfifo_debugfs_init(struct drm_minor *minor);
void nvfifo_debugfs_add_vm(struct nvfifo_vm *vm);
void nvfifo_debugfs_remove_vm(struct nvfifo_vm *vm);
void nvfifo_debugfs_fini(struct nvfifo_device *ndev);
#else
static inline void nvfifo_debugfs_fini(struct nvfifo_device *ndev) {}
static inline void nvfifo_debugfs_add_vm(struct nvfifo_vm *vm) {}
static inline void nvfifo_debugfs_remove_vm(struct nvfifo_vm *vm) {}
#endif

#endif
