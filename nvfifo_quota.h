/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_QUOTA_H_
#define _NVFIFO_QUOTA_H_

#include "nvfifo_drv.h"

/**
 * enum nvfifo_resource - Resources with a limit for each user
 * @NVFIFO_TABLES: Bytes of page tables.
 * @NVFIFO_VRAM: Bytes of VRAM.
 * @NVFIFO_TAGS: Compression tag cells.
 * @NVFIFO_VMS: Address spaces.
 * @NVFIFO_CHANNELS_OPEN: Channels.
 * @NVFIFO_SYSTEM: Bytes of system memory of buffers.
 * @NVFIFO_RESOURCES: Number of resources.
 */
enum nvfifo_resource {
	NVFIFO_TABLES,
	NVFIFO_VRAM,
	NVFIFO_TAGS,
	NVFIFO_VMS,
	NVFIFO_CHANNELS_OPEN,
	NVFIFO_SYSTEM,
	NVFIFO_RESOURCES
};

/**
 * struct nvfifo_quota - Account of a file
 * @ref: references of the file, and of objects that may outlive it
 * @user: account of the user who opened the file
 * @used: amounts, by resource
 * @zombies: destroyed channels that are not freed yet
 */
struct nvfifo_quota {
	struct kref ref;
	struct nvfifo_user *user;
	u64 used[NVFIFO_RESOURCES];
	atomic_t zombies;
};

/**
 * struct nvfifo_slot - Right of a job to occupy a worker, of which each user has a few
 * @link: in the queue of the user's jobs that wait for a slot
 * @ready: signalled when the job gets a slot after a wait
 * @held: the job has a slot
 */
struct nvfifo_slot {
	struct list_head link;
	struct dma_fence *ready;
	bool held;
};

int nvfifo_slot_init(struct nvfifo_slot *slot);
struct dma_fence *nvfifo_slot_take(struct nvfifo_quota *quota, struct nvfifo_slot *slot);
void nvfifo_slot_give(struct nvfifo_quota *quota, struct nvfifo_slot *slot);
void nvfifo_slot_fini(struct nvfifo_quota *quota, struct nvfifo_slot *slot);
const void *nvfifo_quota_user(const struct nvfifo_quota *quota);
bool nvfifo_quota_may_dump(struct nvfifo_quota *quota);
void nvfifo_quota_error(struct nvfifo_quota *quota);
s64 nvfifo_quota_work(ktime_t start);
s64 nvfifo_quota_life(ktime_t born, u32 made_us);
void nvfifo_quota_error_work(struct nvfifo_quota *quota, s64 ns);
u64 nvfifo_quota_error_charge(struct nvfifo_quota *quota);
u32 nvfifo_quota_error_delay(struct nvfifo_quota *quota);
u32 nvfifo_quota_error_wait(struct nvfifo_quota *quota);
int nvfifo_quota_error_turn_begin(struct nvfifo_quota *quota);
void nvfifo_quota_error_turn_end(struct nvfifo_quota *quota);
void nvfifo_quota_fini(void);
struct nvfifo_quota *nvfifo_quota_create(const struct nvfifo_device *ndev);
struct nvfifo_quota *nvfifo_quota_get(struct nvfifo_quota *quota);
void nvfifo_quota_put(struct nvfifo_quota *quota);
u64 nvfifo_quota_limit(const struct nvfifo_device *ndev, enum nvfifo_resource what);
u64 nvfifo_quota_used(struct nvfifo_quota *quota, enum nvfifo_resource what);
int nvfifo_quota_charge(struct nvfifo_device *ndev, struct nvfifo_quota *quota,
			enum nvfifo_resource what, u64 amount);
void nvfifo_quota_uncharge(struct nvfifo_quota *quota, enum nvfifo_resource what, u64 amount);
bool nvfifo_quota_take_wake(struct nvfifo_quota *quota);
void nvfifo_quota_give_wake(struct nvfifo_quota *quota);
void nvfifo_quota_turn_begin(struct nvfifo_quota *quota);
int nvfifo_quota_turn_try(struct nvfifo_quota *quota);
void nvfifo_quota_turn_end(struct nvfifo_quota *quota);
void nvfifo_quota_zombie(struct nvfifo_quota *quota, int change);
bool nvfifo_quota_has_zombies(const struct nvfifo_quota *quota);
bool nvfifo_quota_stall(struct nvfifo_quota *quota, u32 us);

#endif
