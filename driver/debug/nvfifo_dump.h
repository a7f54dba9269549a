/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_DUMP_H_
#define _NVFIFO_DUMP_H_

#include <linux/workqueue.h>

#include "nvfifo_reg_table.h"

struct drm_minor;
struct drm_printer;
struct nvfifo_chan;
struct nvfifo_device;
struct nvfifo_vm;

/* Registers of the units of PGRAPH that have trapped */
#define NVFIFO_DUMP_UNITS	32

/**
 * struct nvfifo_dump_state - The dump of a channel that died
 * @chan: the channel, referenced until its dump is written; NULL if there is none (fifo_lock)
 * @regs: registers at the error
 * @units: registers of trapped units
 * @units.reg: offset of one
 * @units.val: its value
 * @unit_count: their number
 * @work: writes the dump
 */
struct nvfifo_dump_state {
	struct nvfifo_chan *chan;
	u32 regs[NV_DUMP_WORDS + 1];
	struct {
		u32 reg, val;
	} units[NVFIFO_DUMP_UNITS];
	u32 unit_count;
	struct work_struct work;
};

void nvfifo_print_pde(struct drm_printer *p, u64 val);
void nvfifo_print_pte(struct drm_printer *p, u64 val);
void nvfifo_print_mappings(struct nvfifo_vm *vm, struct drm_printer *p);
void nvfifo_print_tables(struct nvfifo_vm *vm, struct drm_printer *p);

void nvfifo_dump(struct nvfifo_device *ndev, struct drm_printer *p);
void nvfifo_dump_work(struct work_struct *work);
void nvfifo_dump_capture(struct nvfifo_chan *chan);
void nvfifo_dump_register(struct nvfifo_chan *chan, u32 reg, u32 val);
void nvfifo_dump_queue(struct nvfifo_chan *chan);
void nvfifo_dump_flush(struct nvfifo_device *ndev);

/* nvfifo_debugfs.c */
void nvfifo_debugfs_init(struct drm_minor *minor);

#endif
