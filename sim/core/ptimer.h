/* SPDX-License-Identifier: MIT */
/*
 * PTIMER
 */
#ifndef SIM_CORE_PTIMER_H
#define SIM_CORE_PTIMER_H

#include "core.h"

int sim_ptimer_create(struct nvsim *s);
void sim_ptimer_init(struct nvsim *s);
u64 sim_ptimer_time(struct nvsim *s);
u32 sim_ptimer_read(struct nvsim *s, u32 off);
void sim_ptimer_write(struct nvsim *s, u32 off, u32 val);
u64 sim_ptimer_poll(struct nvsim *s);

#endif
