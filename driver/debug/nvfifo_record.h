/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_RECORD_H_
#define _NVFIFO_RECORD_H_

#include <linux/atomic.h>
#include <linux/jump_label.h>
#include <linux/types.h>

struct drm_printer;
struct nvfifo_device;

/* Accesses to a BAR; the letters are those of the file in debugfs. */
enum nvfifo_access_op {
	NVFIFO_ACCESS_READ,
	NVFIFO_ACCESS_WRITE,
	NVFIFO_ACCESS_WRITE_BYTE,
	NVFIFO_ACCESS_CLEAR,	/* the value is the number of bytes */
};

/**
 * struct nvfifo_access - One access of a BAR
 * @us: time, microseconds since the probe began
 * @where: bits 31:29 enum nvfifo_access_op, bit 28 BAR3 and not BAR0, 27:0 the offset
 * @value: the value read or written, or the number of bytes
 */
struct nvfifo_access {
	u32 us;
	u32 where;
	u64 value;
};

/**
 * struct nvfifo_record_state - The first accesses of the card
 * @log: array of accesses, or NULL without a record
 * @size: number of entries in @log
 * @count: number of accesses, also those for which @log has no room
 * @start: begin of the probe, ns of CLOCK_MONOTONIC
 */
struct nvfifo_record_state {
	struct nvfifo_access *log;
	u32 size;
	atomic_t count;
	u64 start;
};

DECLARE_STATIC_KEY_FALSE(nvfifo_recording);

int nvfifo_record_start(struct nvfifo_device *ndev);
void nvfifo_record_add(struct nvfifo_device *ndev, enum nvfifo_access_op op, bool bar3,
		       u32 offset, u64 value);
void nvfifo_record_print(struct nvfifo_device *ndev, struct drm_printer *p);

/* A static key makes this free while no card has a record. */
static inline void nvfifo_record_note(struct nvfifo_device *ndev, enum nvfifo_access_op op,
				      bool bar3, u32 offset, u64 value)
{
	if (static_branch_unlikely(&nvfifo_recording))
		nvfifo_record_add(ndev, op, bar3, offset, value);
}

#endif
