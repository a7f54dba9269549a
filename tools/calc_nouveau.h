/* SPDX-License-Identifier: MIT */
/* What the nouveau driver does where it differs from the hardware's documents. */
#ifndef NVFIFO_CALC_NOUVEAU_H
#define NVFIFO_CALC_NOUVEAU_H

#include "nvfifo_calc.h"

/**
 * calc_as_nouveau() - Change results of nvfifo_calc() to those of the nouveau driver
 * @kind: what was calculated
 * @r: fields and results; results that differ are replaced
 *
 * The differences are the tag of a compressed mapping that begins inside of a buffer,
 * the value of an empty page directory entry, word 3 of an engine's context object,
 * the TLBs that nouveau never flushes, and the names in the line about a VM fault.
 * nouveau's functions: nv50_vmm_valid() (nvkm/subdev/mmu/vmmnv50.c), nv50_vmm_pde(),
 * g84_ectx_bind() and nv50_ectx_bind() (nvkm/engine/fifo/nv50.c, g84.c),
 * nv50_vmm_flush() (nvkm/subdev/mmu/vmmnv50.c), nv50_fb_intr() (nvkm/subdev/fb/nv50.c)
 * of Linux 6.12.
 *
 * Return: what differs, for a person, or "" if nothing does; -ENOMEM is not reported,
 * the results then stay those of the hardware.
 */
const char *calc_as_nouveau(const struct nvfifo_calc_kind *kind, struct nvfifo_row *r);

#endif
