/* SPDX-License-Identifier: MIT */
/*
 * The host's apertures
 */
#ifndef SIM_CORE_BAR_H
#define SIM_CORE_BAR_H

#include "core.h"

u64 sim_aperture_read(struct nvsim *s, unsigned int bar, u64 off, unsigned int size);
void sim_aperture_write(struct nvsim *s, unsigned int bar, u64 off, u64 val, unsigned int size);
/* Any number of bytes. Bytes that fault read as the fault pattern; the others are transferred. */
void sim_aperture_block(struct nvsim *s, unsigned int bar, u64 off, u8 *buf, size_t len,
			bool write);
bool sim_aperture_plain(struct nvsim *s, unsigned int bar);
u32 sim_pmem_peek(struct nvsim *s, u32 off);
u32 sim_pmem_read(struct nvsim *s, u32 off, unsigned int size);
void sim_pmem_write(struct nvsim *s, u32 off, u32 val, unsigned int size);
u32 sim_peephole_mem_read(struct nvsim *s, u32 addr);
void sim_peephole_mem_write(struct nvsim *s, u32 addr, u32 val);

#endif
