/* SPDX-License-Identifier: MIT */
/*
 * The chips: their engines, classes, and places of contexts
 */
#ifndef SIM_CORE_CHIP_H
#define SIM_CORE_CHIP_H

#include "core.h"

#define SIM_ENGINES	7	/* PFIFO engine ids 0 to 6 */

extern const struct sim_chip sim_chips[NV_CHIP_END];

bool sim_class_ok(const struct nvsim *s, u32 engine, u32 class);
/* Instance of an engine's context DMA object in the channel structure */
u16 sim_engine_ctx(const struct nvsim *s, u32 engine);
/* Whether @inst is the instance of an engine's context DMA object */
bool sim_is_engine_ctx(const struct nvsim *s, u16 inst);

static inline bool sim_engine_exists(const struct nvsim *s, u32 engine)
{
	return engine < SIM_ENGINES && (s->info->engines & 1u << engine);
}

#endif
