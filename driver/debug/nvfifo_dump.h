/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_DUMP_H_
#define _NVFIFO_DUMP_H_

#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "nvfifo_reg_table.h"

struct drm_printer;
struct nvfifo_chan;
struct nvfifo_device;
struct nvfifo_vm;

/* Registers of the units of PGRAPH that have trapped */
#define NVFIFO_CAPTURE_UNITS	32

/**
 * struct nvfifo_capture - A channel that died, until its dump is written
 * @link: in nvfifo_dump_state.ready
 * @chan: the channel, referenced
 * @regs: registers at the error
 * @units: registers of trapped units
 * @units.reg: offset of one
 * @units.val: its value
 * @unit_count: their number
 */
struct nvfifo_capture {
	struct list_head link;
	struct nvfifo_chan *chan;
	u32 regs[NV_DUMP_WORDS + 1];
	struct {
		u32 reg, val;
	} units[NVFIFO_CAPTURE_UNITS];
	u32 unit_count;
};

/**
 * struct nvfifo_dump_state - Dumps of channels that died
 * @ready: captures of channels whose fences have failed (fifo_lock)
 * @captures: number of all captures
 * @next_lost: earliest time of the next dump of a lost card (fifo_lock)
 * @work: writes the dumps
 */
struct nvfifo_dump_state {
	struct list_head ready;
	atomic_t captures;
	ktime_t next_lost;
	struct work_struct work;
};

void nvfifo_print_bos(struct nvfifo_device *ndev, struct drm_printer *p);
void nvfifo_print_pde(struct drm_printer *p, u64 val);
void nvfifo_print_pte(struct drm_printer *p, u64 val);
void nvfifo_print_mappings(struct nvfifo_vm *vm, struct drm_printer *p);
void nvfifo_print_tables(struct nvfifo_vm *vm, struct drm_printer *p);
void nvfifo_dump(struct nvfifo_device *ndev, struct drm_printer *p);
void nvfifo_dump_work(struct work_struct *work);

/* nvfifo_dump.c */
void nvfifo_capture_prepare(struct nvfifo_device *ndev, work_func_t write);
void nvfifo_regs_read(struct nvfifo_device *ndev, u32 *val);
void nvfifo_regs_print(struct nvfifo_device *ndev, const u32 *val, struct drm_printer *p);
void nvfifo_capture(struct nvfifo_chan *chan);
void nvfifo_capture_register(struct nvfifo_chan *chan, u32 reg, u32 val);
void nvfifo_capture_print(const struct nvfifo_capture *capture, struct drm_printer *p);
void nvfifo_capture_write(struct nvfifo_chan *chan);
struct nvfifo_capture *nvfifo_capture_next(struct nvfifo_device *ndev);
void nvfifo_capture_end(struct nvfifo_device *ndev, struct nvfifo_capture *capture);
void nvfifo_capture_flush(struct nvfifo_device *ndev);

#endif
