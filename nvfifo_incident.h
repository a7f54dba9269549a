/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_INCIDENT_H_
#define _NVFIFO_INCIDENT_H_

#include <linux/ratelimit_types.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct nvfifo_chan_error;
struct drm_printer;
struct nvfifo_device;
struct nvfifo_fault;

#define NVFIFO_INCIDENTS	64

/**
 * struct nvfifo_incident - A VM fault, or the end of a channel
 * @ns: time, ns of CLOCK_MONOTONIC
 * @channel: PFIFO's number, 0 if unknown
 * @error: enum drm_nvfifo_channel_error, 0 for a VM fault
 * @code: of the error; of a VM fault the reason
 * @method: of the error, as CHANNEL_QUERY returns it
 * @data: of the error
 * @address: of the VM fault
 * @engine: of the VM fault
 * @client: of the VM fault
 * @slot: of the VM fault
 * @write: of the VM fault
 */
struct nvfifo_incident {
	u64 ns;
	u32 channel;
	u32 error, code, method, data;
	u64 address;
	u8 engine, client, slot;
	bool write;
};

/**
 * struct nvfifo_incident_state - The last VM faults and errors of channels
 * @lock: guards @ring and @count
 * @ring: the last incidents
 * @count: number of incidents so far
 * @limit: for messages about errors
 * @unlogged: messages that were not printed since the last sum
 * @sum: prints @unlogged
 */
struct nvfifo_incident_state {
	spinlock_t lock;		/* the ring */
	struct nvfifo_incident ring[NVFIFO_INCIDENTS];
	u64 count;
	struct ratelimit_state limit;
	atomic_t unlogged;
	struct delayed_work sum;
};

void nvfifo_incident_init(struct nvfifo_device *ndev);
void nvfifo_incident_fini(struct nvfifo_device *ndev);

void nvfifo_incident_fault(struct nvfifo_device *ndev, u32 channel, const struct nvfifo_fault *f);
void nvfifo_incident_error(struct nvfifo_device *ndev, u32 channel,
			   const struct nvfifo_chan_error *e);
__printf(2, 3) void nvfifo_log(struct nvfifo_device *ndev, const char *fmt, ...);
void nvfifo_incident_print(struct nvfifo_device *ndev, struct drm_printer *p);

#endif
