/* SPDX-License-Identifier: MIT */
/*
 * The rest of a board: VBIOS, and units that nvfifo leaves alone
 */
#ifndef SIM_CORE_BOARD_H
#define SIM_CORE_BOARD_H

#include "core.h"

int sim_board_create(struct nvsim *s);
void sim_board_destroy(struct nvsim *s);
void sim_board_clear(struct nvsim *s);
const char *sim_board_name(int chip, u32 off, u32 *first);
bool sim_board_owns(struct nvsim *s, u32 off);
u32 sim_board_read(struct nvsim *s, u32 off, unsigned int size);
void sim_board_write(struct nvsim *s, u32 off, u32 val, unsigned int size);

#endif
