/* SPDX-License-Identifier: MIT */
/*
 * The flush of CPU writes
 */
#ifndef SIM_CORE_PFLUSH_H
#define SIM_CORE_PFLUSH_H

#include "core.h"

int sim_pflush_create(struct nvsim *s);
void sim_pflush_init(struct nvsim *s);
/* A stuck flush ends. */
void sim_pflush_end(struct nvsim *s);
u32 sim_barflush_read(struct nvsim *s);
void sim_barflush_write(struct nvsim *s, u32 val);

#endif
