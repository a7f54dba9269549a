/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of nvfifo_card.c.
 */
#ifndef _NVFIFO_CARD_H_
#define _NVFIFO_CARD_H_

#include <linux/pci.h>

#include "nvfifo_drv.h"
#include "nvfifo_reg_table.h"

bool nvfifo_card_has_display(struct nvfifo_device *ndev);
bool nvfifo_card_find_firmware_fb(const struct pci_dev *pdev, u64 *first, u64 *end);
int nvfifo_card_map(struct nvfifo_device *ndev);
int nvfifo_card_start(struct nvfifo_device *ndev);
void nvfifo_card_reset_units(struct nvfifo_device *ndev);
void nvfifo_card_mask_units(struct nvfifo_device *ndev);
int nvfifo_timer_start(struct nvfifo_device *ndev);
u64 nvfifo_timer_read(struct nvfifo_device *ndev);
void nvfifo_timer_intr(struct nvfifo_device *ndev);

/* --- chip_table ---------------------------------------------------------- */

/* Facts about a chipset. */
struct nvfifo_chip {
	u32 id;			/* PMC_BOOT_0[28:20] */
	enum nv_chip chip;	/* place in the order of the hardware documents */
	bool g84;		/* channel structure, BAR flush, PFIFO methods of G84 and later */
	bool igp;		/* VRAM is stolen system memory */
	bool gr_flush_idle;	/* PGRAPH must be idle while its TLB is flushed */
	bool msi_mmio;		/* MSI is re-armed by an MMIO write, else by a config cycle */
	bool no_msi;		/* MSI does not work */
	u32 engines;		/* PFIFO engines present, bit n for engine n */
	u32 vm_fault_enable;	/* PFB.VM_FAULT that reports every unit's faults */
};

extern const struct pci_device_id nvfifo_pci_ids[];
const struct nvfifo_chip *nvfifo_chip_find(u32 boot_0);

/* A class of objects: the engine that executes them, in PFIFO's and the MMU's numbers */
struct nvfifo_class {
	u16 oclass;
	u8 engine, vm_engine;
	u16 chips;	/* bit n for enum nv_chip n */
};

const struct nvfifo_class *nvfifo_class_find(const struct nvfifo_chip *chip, u32 oclass);

#endif
