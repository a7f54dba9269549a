/* SPDX-License-Identifier: MIT */
#ifndef SIM_CORE_METHODS_H
#define SIM_CORE_METHODS_H

#include "core.h"
#include "gr.h"

#define SIM_METHOD_CLASSES	26

/* A bit for each of a class's methods */
struct sim_methods {
	u16 class;
	u32 known[0x2000 / 4 / 32];
	u32 limited[0x2000 / 4 / 32];	/* sim_method_check() has a rule */
};

int sim_methods_create(struct nvsim *s);
const struct sim_methods *sim_methods_of(const struct nvsim *s, u32 class);
enum sim_gr_error sim_method_check(const struct sim_methods *m, u32 method, u32 data);
bool sim_method_takes_object(u32 class, u32 method, u32 object);

static inline bool sim_method_is_known(const struct sim_methods *m, u32 method)
{
	return m->known[method / 4 / 32] >> method / 4 % 32 & 1;
}

static inline bool sim_method_is_limited(const struct sim_methods *m, u32 method)
{
	return m->limited[method / 4 / 32] >> method / 4 % 32 & 1;
}

#endif
