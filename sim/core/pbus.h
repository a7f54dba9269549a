/* SPDX-License-Identifier: MIT */
/*
 * PBUS and PEEPHOLE
 */
#ifndef SIM_CORE_PBUS_H
#define SIM_CORE_PBUS_H

#include "core.h"

void sim_pbus_init(struct nvsim *s);
u32 sim_pbus_read(struct nvsim *s, u32 off);
void sim_pbus_write(struct nvsim *s, u32 off, u32 val);
void sim_pbus_fault(struct nvsim *s, u32 off, u32 data, bool write);
u32 sim_peephole_read(struct nvsim *s, bool data);
void sim_peephole_write(struct nvsim *s, bool rw_port, bool data, u32 val);
void sim_peephole_snoop(struct nvsim *s, u32 off);

#endif
