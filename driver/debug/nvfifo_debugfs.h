/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_DEBUGFS_H_
#define _NVFIFO_DEBUGFS_H_

struct drm_minor;

#ifdef CONFIG_DEBUG_FS
void nvfifo_debugfs_init(struct drm_minor *minor);
#endif

#endif
