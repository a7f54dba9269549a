/* SPDX-License-Identifier: MIT */
/*
 * PMC: identification, the root of the interrupt tree, unit enables
 */
#ifndef SIM_CORE_PMC_H
#define SIM_CORE_PMC_H

#include "core.h"

void sim_pmc_init(struct nvsim *s);
u32 sim_pmc_read(struct nvsim *s, u32 off);
void sim_pmc_write(struct nvsim *s, u32 off, u32 val);
bool sim_pmc_line(struct nvsim *s);

#endif
