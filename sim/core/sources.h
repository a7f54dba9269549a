/* SPDX-License-Identifier: MIT */
/*
 * Sources of interrupts of which the model has no more, and PDAEMON
 */
#ifndef SIM_CORE_SOURCES_H
#define SIM_CORE_SOURCES_H

#include "core.h"

#define SIM_VBLANK		(NV_FLD_MASK(NV_PDISPLAY_INTR_1__VBLANK_HEAD_0) | \
			 NV_FLD_MASK(NV_PDISPLAY_INTR_1__VBLANK_HEAD_1))
#define SIM_PLUG_RISES	(1u << 1)
#define SIM_PLUG_FALLS	(1u << 17)

int sim_sources_create(struct nvsim *s);
bool sim_has_auxch(const struct nvsim *s);
bool sim_has_daemon(const struct nvsim *s);
/* Bits of PMC.INTR_HOST that these units raise */
u32 sim_sources_intr(struct nvsim *s);
/* Raise interrupts that are due. Returns the ns until the next one. */
u64 sim_sources_poll(struct nvsim *s);
/* Whether PTHERM raises its interrupt */
void sim_sources_set_hot(struct nvsim *s, bool hot);
/* Whether INTR_HOST reaches the host */
bool sim_daemon_passes(struct nvsim *s);
void sim_daemon_write(struct nvsim *s, u32 off, u32 val);

#endif
