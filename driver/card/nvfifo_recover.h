/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_RECOVER_H_
#define _NVFIFO_RECOVER_H_

#include <linux/types.h>

struct drm_printer;
struct nvfifo_device;
struct task_struct;

/* The resets of nvfifo_recover(), in their order. */
enum nvfifo_rung {
	NVFIFO_RUNG_PFIFO,
	NVFIFO_RUNG_UNITS,
	NVFIFO_RUNGS
};

/**
 * struct nvfifo_rung_count - Number and time of one kind of reset
 * @taken: all
 * @helped: resets after which the procedure ended
 * @longest_us: longest time, with the procedure that follows, microseconds
 */
struct nvfifo_rung_count {
	u32 taken, helped;
	s64 longest_us;
};

/**
 * struct nvfifo_recover_state - Recovery
 * @rungs: number and time of each kind of reset (fifo_lock)
 * @overdue: a procedure has timed out, so other waits return -ETIMEDOUT at once
 * @thread: the thread that makes the resets; no other thread waits for the card
 * @count: number of nvfifo_recover() calls that have ended
 */
struct nvfifo_recover_state {
	struct nvfifo_rung_count rungs[NVFIFO_RUNGS];
	bool overdue;
	struct task_struct *thread;
	unsigned int count;
};

/* A procedure of the card. Return: 0, -ETIMEDOUT if it did not end in time, -EIO or -ENODEV. */
typedef int (*nvfifo_procedure)(struct nvfifo_device *ndev, void *data);

/* State of procedures */
bool nvfifo_is_overdue(const struct nvfifo_device *ndev);
unsigned int nvfifo_recover_count(const struct nvfifo_device *ndev);
bool nvfifo_is_other_recovering(const struct nvfifo_device *ndev);

int nvfifo_poll_work(struct nvfifo_device *ndev, u32 timeout_us,
		     bool (*done)(struct nvfifo_device *ndev, void *data), void *data);
int nvfifo_run_procedure(struct nvfifo_device *ndev, const char *name, nvfifo_procedure run,
			 void *data);
int nvfifo_run_procedure_locked(struct nvfifo_device *ndev, const char *name,
				nvfifo_procedure run, void *data);
int nvfifo_recover(struct nvfifo_device *ndev, const char *name, nvfifo_procedure again,
		   void *data);

void nvfifo_recover_print(struct nvfifo_device *ndev, struct drm_printer *p);

/* --- reset --------------------------------------------------------------- */

struct nvfifo_device;

int nvfifo_reset_rung(struct nvfifo_device *ndev, enum nvfifo_rung rung);
void nvfifo_reset_done(struct nvfifo_device *ndev);
void nvfifo_reset_park(struct nvfifo_device *ndev);

#endif
