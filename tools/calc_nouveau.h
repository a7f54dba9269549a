/* SPDX-License-Identifier: MIT */
/* Results of the nouveau driver that differ from the hardware's documents */
#ifndef NVFIFO_CALC_NOUVEAU_H
#define NVFIFO_CALC_NOUVEAU_H

#include "nvfifo_calc.h"

/**
 * calc_as_nouveau() - Change results of nvfifo_calc() to those of the nouveau driver
 * @kind: the calculated fields
 * @r: fields and results; results that differ are replaced
 *
 * There are five differences. Values differ in word 3 of an engine's context object and in
 * an empty page directory entry. A compressed mapping that begins inside of a buffer has
 * another tag. nouveau never flushes some TLBs. The names in the line about a VM fault differ.
 * nouveau's functions: nv50_vmm_valid() (nvkm/subdev/mmu/vmmnv50.c), nv50_vmm_pde(),
 * g84_ectx_bind() and nv50_ectx_bind() (nvkm/engine/fifo/nv50.c, g84.c),
 * nv50_vmm_flush() (nvkm/subdev/mmu/vmmnv50.c), nv50_fb_intr() (nvkm/subdev/fb/nv50.c)
 * of Linux 6.12.
 *
 * Return: the differences as text, or ""; -ENOMEM is not reported, and the results stay those of
 * the hardware.
 */
const char *calc_as_nouveau(const struct nvfifo_calc_kind *kind, struct nvfifo_row *r);

#endif
