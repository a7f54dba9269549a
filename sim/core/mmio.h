/* SPDX-License-Identifier: MIT */
/*
 * Accesses of the CPU to BAR0
 */
#ifndef SIM_CORE_MMIO_H
#define SIM_CORE_MMIO_H

#include "core.h"

u32 sim_mmio_read(struct nvsim *s, u32 off, unsigned int size);
/* Without checks, trace or side effects; all ones where there is no register. */
u32 sim_mmio_peek(struct nvsim *s, u32 off);
void sim_mmio_write(struct nvsim *s, u32 off, u32 val, unsigned int size);

#endif
