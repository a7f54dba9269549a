/* SPDX-License-Identifier: MIT */
#ifndef SIM_CORE_METHODS_H
#define SIM_CORE_METHODS_H

#include "core.h"
#include "gr.h"

#define SIM_METHOD_CLASSES	26

/* The classes of the first generation, by which tables of methods go */
#define CLASS_3D	0x5097
#define CLASS_COMPUTE	0x50c0
#define CLASS_2D	0x502d
#define CLASS_M2MF	0x5039

/* A bit for each of a class's methods */
struct sim_methods {
	u16 class;
	u32 known[0x2000 / 4 / 32];
	u32 limited[0x2000 / 4 / 32];	/* some values are an error, or not modelled */
	u8 typed[0x2000 / 4];	/* its first row of values.c, from 1 on, or 0 */
};

/* methods.c */
int sim_methods_create(struct nvsim *s);
const struct sim_methods *sim_methods_of(const struct nvsim *s, u32 class);
enum sim_gr_error sim_method_check(const struct sim_methods *m, u32 method, u32 data);
enum sim_gr_error sim_method_check_object(u32 class, u32 method, u32 word);

/* no_effect.c */
void sim_no_effect_mark(struct sim_methods *m);
void sim_no_effect_check(struct nvsim *s);

/* values.c */
void sim_values_mark(struct sim_methods *m);
enum sim_gr_error sim_values_check(struct nvsim *s);

/* The class of the first generation with the methods of @class */
static inline u16 sim_first_class(u32 class)
{
	if (sim_is_3d(class))
		return CLASS_3D;
	return sim_is_compute(class) ? CLASS_COMPUTE : class;
}

static inline void sim_method_set(u32 *bits, u32 method)
{
	bits[method / 4 / 32] |= 1u << method / 4 % 32;
}

static inline bool sim_method_is_known(const struct sim_methods *m, u32 method)
{
	return m->known[method / 4 / 32] >> method / 4 % 32 & 1;
}

static inline bool sim_method_is_limited(const struct sim_methods *m, u32 method)
{
	return m->limited[method / 4 / 32] >> method / 4 % 32 & 1;
}

#endif
