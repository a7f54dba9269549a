/* SPDX-License-Identifier: MIT */
/*
 * Failures of enum nvsim_inject
 */
#ifndef SIM_CORE_INJECT_H
#define SIM_CORE_INJECT_H

#include "core.h"

/* @duration in ns; 0: until sim_inject_clear() */
void sim_inject_set(struct nvsim *s, unsigned int which, u64 duration);
void sim_inject_reset(struct nvsim *s, u32 units);
void sim_inject_clear(struct nvsim *s, u32 mask);
/* End the failures whose time is over. Returns the ns until the next one ends. */
u64 sim_inject_poll(struct nvsim *s);

#endif
