/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_CLEAR_H_
#define _NVFIFO_CLEAR_H_

#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/drm_mm.h>

/* Most bytes that the card clears at a time. Other channels run in between. */
#define NVFIFO_CLEAR_EXTENT_MAX	SZ_16M

struct nvfifo_bo;
struct nvfifo_clear_request;
struct nvfifo_device;

/**
 * struct nvfifo_clear_state - Zeroed VRAM, and VRAM for the card to clear
 * @work: nvfifo_cleaner_work(), which clears memory with the card
 * @clean: a bit for each 64 KiB of VRAM that is free and zero
 * @freed: a bit for each 64 KiB of VRAM that is free and held data
 * @freed_pages: number of bits in @freed
 * @requests: list of struct nvfifo_clear_request, for calls that wait for the card
 * @served: the request whose memory the card clears, NULL for freed memory
 * @addr: VRAM address of the extent that the card clears
 * @size: its bytes, 0 while the card clears nothing
 * @node: the extent in the allocator, while no buffer owns it
 * @abandoned: the owner of @node has given up its wait; until @node is cleared, no call waits for
 *	the card
 * @lost: a suspend may have lost the extent's contents
 * @holds: number of calls that need all free memory: the card clears none of it
 * @yield: a call needs the cleaner's memory
 * @own: bytes of VRAM that the cleaner holds, and frees when @yield is set
 * @waiters: calls that wait for cleared memory, or for memory of the cleaner
 *
 * All but @work and @waiters are guarded by nvfifo_device.mem.lock.
 */
struct nvfifo_clear_state {
	struct delayed_work work;
	unsigned long *clean, *freed;
	u32 freed_pages;
	struct list_head requests;
	struct nvfifo_clear_request *served;
	u64 addr, size;
	struct drm_mm_node node;
	bool abandoned;
	bool lost;
	u32 holds;
	bool yield;
	u64 own;
	wait_queue_head_t waiters;
};

void nvfifo_clear_prepare(struct nvfifo_device *ndev, work_func_t work);
int nvfifo_clear_init(struct nvfifo_device *ndev);
void nvfifo_clear_release(struct nvfifo_device *ndev);

int nvfifo_clear_bo(struct nvfifo_bo *bo, bool card);
void nvfifo_clear_print(struct nvfifo_device *ndev, struct drm_printer *p);
void nvfifo_clear_freed(struct nvfifo_device *ndev, u64 addr, u64 size);
void nvfifo_clear_taken(struct nvfifo_device *ndev, u64 addr, u64 size);
bool nvfifo_clear_is_possible(struct nvfifo_device *ndev);
void nvfifo_clear_run(struct nvfifo_device *ndev);
void nvfifo_clear_wake(struct nvfifo_device *ndev);
void nvfifo_clear_kick(struct nvfifo_device *ndev);
void nvfifo_clear_pause(struct nvfifo_device *ndev);
void nvfifo_clear_unpause(struct nvfifo_device *ndev);
void nvfifo_clear_yield(struct nvfifo_device *ndev);
bool nvfifo_clear_hold(struct nvfifo_device *ndev, u64 size);
void nvfifo_clear_unhold(struct nvfifo_device *ndev);

/* For nvfifo_cleaner.c */
bool nvfifo_clear_next(struct nvfifo_device *ndev, u64 *addr, u64 *size);
void nvfifo_clear_done(struct nvfifo_device *ndev, bool zero);
void nvfifo_clear_refuse(struct nvfifo_device *ndev);
bool nvfifo_clear_take_yield(struct nvfifo_device *ndev);

#endif
