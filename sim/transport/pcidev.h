/* SPDX-License-Identifier: MIT */
/*
 * Commands of a PCI device over virtio (linux/virtio_pcidev.h), which UML sends to the model.
 */
#ifndef NVSIM_PCIDEV_H
#define NVSIM_PCIDEV_H

#include <stddef.h>
#include <stdint.h>

#include "vring.h"

struct port;

struct pcidev {
	struct port *port;
	void *ctx;
	/* Report a command that no driver should send. */
	void (*complain)(void *ctx, const char *line);
};

/*
 * Carry out the command in @c and write its answer there. Returns the number of bytes written.
 * The guest waits for the answer, so an invalid command gets one as well, of all ones.
 */
uint32_t pcidev_command(struct pcidev *pd, const struct vchain *c);

/* Interrupt messages; return the length, PCIDEV_MAX_IRQ at most. */
#define PCIDEV_MAX_IRQ 20
size_t pcidev_intx_message(uint8_t *buf);
size_t pcidev_msi_message(uint8_t *buf, uint64_t addr, uint32_t data);

#endif
