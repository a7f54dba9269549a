/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of an open file, and their limits */
#ifndef _NVFIFO_FILE_H_
#define _NVFIFO_FILE_H_

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/ratelimit_types.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct nvfifo_device;

/* Channels of one file: a quarter of PFIFO's. */
#define NVFIFO_FILE_CHANNELS	32

/* Address spaces of one file. */
#define NVFIFO_FILE_VMS		64

/**
 * struct nvfifo_file - One open file
 * @ref: references of DRM's file, and of objects that may outlive it
 * @vms: address spaces, by id
 * @chans: channels, by id
 * @num_channels: channels that are not freed yet
 * @num_vms: address spaces that are not freed yet
 * @zombies: channels that are destroyed and not freed yet
 * @bytes: sizes of the buffers that are not freed yet
 * @errors: limits the dumps of channels that errors end
 */
struct nvfifo_file {
	struct kref ref;
	struct xarray vms, chans;
	atomic64_t num_channels;
	atomic64_t num_vms;
	atomic_t zombies;
	atomic64_t bytes;
	struct ratelimit_state errors;
};

struct nvfifo_file *nvfifo_file_create(void);
struct nvfifo_file *nvfifo_file_get(struct nvfifo_file *nfile);
void nvfifo_file_put(struct nvfifo_file *nfile);
u64 nvfifo_file_max_bytes(struct nvfifo_device *ndev);
int nvfifo_file_add_channel(struct nvfifo_device *ndev, struct nvfifo_file *nfile);
int nvfifo_file_add_vm(struct nvfifo_device *ndev, struct nvfifo_file *nfile);
int nvfifo_file_add_bytes(struct nvfifo_device *ndev, struct nvfifo_file *nfile, u64 bytes);

#endif
