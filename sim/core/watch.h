/* SPDX-License-Identifier: MIT */
/*
 * Structures that the card has loaded and the CPU rewrites
 */
#ifndef SIM_CORE_WATCH_H
#define SIM_CORE_WATCH_H

#include "core.h"

int sim_watch_create(struct nvsim *s);
void sim_watch_destroy(struct nvsim *s);

#endif
