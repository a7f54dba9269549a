/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A card, for the functions of this folder that access one. The kernel driver and the model in a
 * program's own process each have their own accesses.
 */
#ifndef _NVFIFO_PORT_H_
#define _NVFIFO_PORT_H_

#include "nvfifo_reg_table.h"

/**
 * struct nvfifo_port - A card
 * @card: for the functions
 * @chip: the card's
 * @read: reads a register
 * @write: writes a register
 * @vram_read: reads a word of VRAM
 * @vram_write: writes a word of VRAM
 */
struct nvfifo_port {
	void *card;
	enum nv_chip chip;
	__u32 (*read)(void *card, __u32 reg);
	void (*write)(void *card, __u32 reg, __u32 value);
	__u32 (*vram_read)(void *card, __u64 address);
	void (*vram_write)(void *card, __u64 address, __u32 value);
};

static inline __u32 nvfifo_port_read(const struct nvfifo_port *port, __u32 reg)
{
	return port->read(port->card, reg);
}

static inline void nvfifo_port_write(const struct nvfifo_port *port, __u32 reg, __u32 value)
{
	port->write(port->card, reg, value);
}

#endif
