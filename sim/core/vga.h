/* SPDX-License-Identifier: MIT */
/*
 * The CRTC registers of VGA
 */
#ifndef SIM_CORE_VGA_H
#define SIM_CORE_VGA_H

#include "core.h"

int sim_vga_create(struct nvsim *s);
void sim_vga_init(struct nvsim *s);
bool sim_vga_owns(u32 off, unsigned int size);
u32 sim_vga_read(struct nvsim *s, u32 off, unsigned int size);
void sim_vga_write(struct nvsim *s, u32 off, u32 val, unsigned int size);

#endif
