/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The chipsets of the family, and the classes of their engines. The kernel driver and the model in
 * a program's own process compile nvfifo_chip.c.
 */
#ifndef _NVFIFO_CHIP_H_
#define _NVFIFO_CHIP_H_

#include <linux/types.h>

#ifndef __KERNEL__
#include <stdbool.h>
#include <stddef.h>
#endif

#include "nvfifo_reg_table.h"

/* Facts about a chipset. */
struct nvfifo_chip {
	__u32 id;		/* PMC_BOOT_0[28:20] */
	enum nv_chip chip;	/* place in the order of the hardware documents */
	bool g84;		/* channel structure, BAR flush, PFIFO methods of G84 and later */
	bool igp;		/* VRAM is stolen system memory */
	bool gr_flush_idle;	/* PGRAPH must be idle while its TLB is flushed */
	bool msi_mmio;		/* MSI is re-armed by an MMIO write, else by a config cycle */
	bool no_msi;		/* MSI does not work */
	__u32 engines;		/* PFIFO engines present, bit n for engine n */
	__u32 vm_fault_enable;	/* PFB.VM_FAULT that reports every unit's faults */
};

const struct nvfifo_chip *nvfifo_chip_find(__u32 boot_0);

/* A class of objects: the engine that executes them, in PFIFO's and the MMU's numbers */
struct nvfifo_class {
	__u16 oclass;
	__u8 engine;
	__u8 vm_engine;
	__u16 chips;	/* bit n for enum nv_chip n */
};

const struct nvfifo_class *nvfifo_class_find(const struct nvfifo_chip *chip, __u32 oclass);

#endif
