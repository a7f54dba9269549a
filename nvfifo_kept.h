/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_KEPT_H_
#define _NVFIFO_KEPT_H_

#include <linux/list.h>
#include <linux/mutex.h>

struct dentry;
struct nvfifo_device;

/**
 * struct nvfifo_kept_state - Dumps that debugfs keeps
 * @lock: guards all fields
 * @dir: the folder nvfifo_dumps, or NULL
 * @list: the dumps, the oldest first
 * @count: number of dumps
 * @bytes: bytes of all texts
 * @number: number of the last dump
 */
struct nvfifo_kept_state {
	struct mutex lock;		/* all of it */
	struct dentry *dir;
	struct list_head list;
	unsigned int count;
	size_t bytes;
	unsigned int number;
};

void nvfifo_kept_prepare(struct nvfifo_device *ndev);
void nvfifo_kept_files_init(struct nvfifo_device *ndev, struct dentry *root);
void nvfifo_kept_add(struct nvfifo_device *ndev, const void *user, const char *text, size_t len);
void nvfifo_kept_fini(struct nvfifo_device *ndev);

#endif
