/* SPDX-License-Identifier: MIT */
/*
 * Posted writes to registers
 */
#ifndef SIM_CORE_POSTED_H
#define SIM_CORE_POSTED_H

#include "core.h"

int sim_posted_create(struct nvsim *s);
/* Is the write to BAR0 delayed? */
bool sim_delay_write(struct nvsim *s, u32 off, u32 val, unsigned int size);
/* Execute all delayed writes. */
void sim_posted_arrive(struct nvsim *s);
/* Execute the delayed writes that are due. Return: ns until the next one is due. */
u64 sim_posted_poll(struct nvsim *s);

#endif
