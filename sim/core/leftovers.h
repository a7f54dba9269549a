/* SPDX-License-Identifier: MIT */
/*
 * State that the firmware or an earlier driver has left
 */
#ifndef SIM_CORE_LEFTOVERS_H
#define SIM_CORE_LEFTOVERS_H

#include "core.h"

/* Set these states up, after power-up and POST. */
void sim_leftovers_init(struct nvsim *s);

#endif
