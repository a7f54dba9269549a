/* SPDX-License-Identifier: MIT */
/*
 * PGRAPH, as other units see it
 */
#ifndef SIM_CORE_PGRAPH_H
#define SIM_CORE_PGRAPH_H

#include "core.h"

int sim_pgraph_create(struct nvsim *s);
void sim_pgraph_destroy(struct nvsim *s);
/* Do one step of a job. Return: false if there is no job. */
bool sim_pgraph_step(struct nvsim *s);
u32 sim_pgraph_read(struct nvsim *s, u32 off);
void sim_pgraph_write(struct nvsim *s, u32 off, u32 val);
bool sim_pgraph_intr(struct nvsim *s);
/* PGRAPH's TLB was flushed; with NVSIM_QUIRK_FLUSH_BUSY that hangs a busy PGRAPH. */
void sim_pgraph_flushed(struct nvsim *s);

/* On request: */
void sim_pgraph_hang(struct nvsim *s);
void sim_pgraph_single_step(struct nvsim *s);
void sim_pgraph_mp_trap(struct nvsim *s, u32 status, u32 pc, const u32 opcode[2]);
/* False if the card has no such TP. */
bool sim_pgraph_prop_trap(struct nvsim *s, u32 tp, u32 status, u64 address, u32 access);

#endif
