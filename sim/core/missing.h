/* SPDX-License-Identifier: MIT */
/* The register of the parts of programs that the model left out */
#ifndef SIM_CORE_MISSING_H
#define SIM_CORE_MISSING_H

#include "core.h"

int sim_missing_create(struct nvsim *s);

/*
 * Count one more of @kind. Entries with different @keys count apart: an instruction, a method, a
 * value. The text of the first one stays, with its place.
 */
__attribute__((format(printf, 4, 5))) void sim_missing(struct nvsim *s,
						       enum nvsim_missing_kind kind, u64 key,
						       const char *fmt, ...);

#endif
