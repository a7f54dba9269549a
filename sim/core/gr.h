/* SPDX-License-Identifier: MIT */
/*
 * The room of PGRAPH: its registers and contexts, and the functions of M2MF, 2D, 3D and compute.
 */
#ifndef SIM_CORE_GR_H
#define SIM_CORE_GR_H

#include "core.h"

/* pgraph.c */
void sim_pgraph_reset(struct nvsim *s);
bool sim_pgraph_busy(struct nvsim *s);
/* PGRAPH's TLB was flushed; with NVSIM_QUIRK_FLUSH_BUSY that hangs a busy PGRAPH. */
void sim_pgraph_flushed(struct nvsim *s);
void sim_pgraph_single_step(struct nvsim *s);
void sim_pgraph_mp_trap(struct nvsim *s, u32 status, u32 pc, const u32 opcode[2]);
/* False if the card has no such TP. */
bool sim_pgraph_prop_trap(struct nvsim *s, u32 tp, u32 status, u64 address, u32 access);
bool sim_pgraph_intr(struct nvsim *s);
int sim_pgraph_init(struct nvsim *s);
void sim_pgraph_fini(struct nvsim *s);
bool sim_pgraph_switch(struct nvsim *s, u32 chan);
bool sim_pgraph_unload(struct nvsim *s, u32 chan);
void sim_pgraph_method(struct nvsim *s, u32 subc, u32 mthd, u32 data, u16 class, bool recording);
bool sim_pgraph_step(struct nvsim *s);
u32 sim_pgraph_read(struct nvsim *s, u32 off);
void sim_pgraph_write(struct nvsim *s, u32 off, u32 val);
/* for M2MF, 2D and 3D: */
u32 *sim_gr_state(struct nvsim *s, enum sim_gr_block block);
bool sim_gr_vm(struct nvsim *s, enum sim_gr_port port, u16 inst, u64 logical, void *buf,
	       unsigned int len, bool write);
u32 sim_gr_object_class(struct nvsim *s, u32 inst);
bool sim_gr_notify(struct nvsim *s, enum sim_gr_port port, u16 inst, u32 offset);
void sim_gr_intr(struct nvsim *s, u32 bits);
void sim_gr_data_error(struct nvsim *s, enum sim_gr_error err);
void sim_gr_m2mf_fault(struct nvsim *s, u32 bits);
void sim_gr_tp_trap(struct nvsim *s, u32 unit, u32 bits);
void sim_gr_vfetch_trap(struct nvsim *s, u32 bits);
void sim_gr_ccache_trap(struct nvsim *s, u32 bits);
void sim_gr_strmout_trap(struct nvsim *s, u32 bits);
/* A fault at g[] */
void sim_gr_global_trap(struct nvsim *s, u64 address, bool write);

/* A query's report: 16 bytes, of which the last 8 are the time; a brief one is the first 4 */
struct sim_gr_query {
	u16 inst;
	u64 address;
	u32 word[2];
	bool brief, intr;
};
void sim_gr_query(struct nvsim *s, const struct sim_gr_query *q);

/* COND_MODE of 3D or 2D */
#define SIM_GR_COND_MODES	5

struct sim_gr_condition {
	u16 inst;
	u64 address;
	u32 mode;
};
bool sim_gr_condition(struct nvsim *s, const struct sim_gr_condition *c);

/* gr3d/ */
void sim_gr3d_method(struct nvsim *s, u32 mthd, u32 data);
bool sim_gr3d_step(struct nvsim *s);
u32 sim_gr3d_dma_notify(struct nvsim *s);
void sim_compute_method(struct nvsim *s, u32 mthd, u32 data);
/* A context switch: put the open draw into the channel's state, or take it. */
void sim_gr3d_save(struct nvsim *s);
void sim_gr3d_load(struct nvsim *s);

/* m2mf.c, eng2d.c */
void sim_m2mf_method(struct nvsim *s, u32 mthd, u32 data);
void sim_m2mf_step(struct nvsim *s);
void sim_eng2d_method(struct nvsim *s, u32 mthd, u32 data);
void sim_eng2d_step(struct nvsim *s);

#endif
