/* SPDX-License-Identifier: MIT */
/*
 * The card's port: all that passes between the model and what drives it goes through here, so
 * this is where it is recorded. Without a recorder the functions are those of nvsim.h.
 */
#ifndef NVSIM_PORT_H
#define NVSIM_PORT_H

#include "../nvsim.h"

struct recorder;

struct port {
	struct nvsim *sim;
	struct recorder *rec;	/* NULL: nothing is recorded */
	struct nvsim_host host; /* the caller's, when something is */
};

/*
 * For a model that is created with @host afterwards. With a recorder @host is changed; @port
 * must then stay where it is.
 */
void port_init(struct port *port, struct recorder *rec, struct nvsim_host *host);

/*
 * A card as it comes out of power-up, in the place of the one that is there, if any. NULL and a
 * sentence in @err leave the old one.
 */
struct nvsim *port_power_up(struct port *port, const struct nvsim_config *cfg,
			    const struct nvsim_host *host, char *err, size_t err_len);

uint32_t port_cfg_read(struct port *port, uint32_t off, unsigned int size);
void port_cfg_write(struct port *port, uint32_t off, uint32_t val, unsigned int size);
uint64_t port_bar_read(struct port *port, unsigned int bar, uint64_t off, unsigned int size);
void port_bar_write(struct port *port, unsigned int bar, uint64_t off, uint64_t val,
		    unsigned int size);
void port_bar_read_block(struct port *port, unsigned int bar, uint64_t off, void *buf, size_t len);
void port_bar_write_block(struct port *port, unsigned int bar, uint64_t off, const void *buf,
			  size_t len);
void port_bar_fill(struct port *port, unsigned int bar, uint64_t off, uint8_t byte, size_t len);
uint64_t port_run(struct port *port, unsigned int budget);
void port_settle(struct port *port);
bool port_command(struct port *port, const char *line, char *answer, size_t len);

/* Of the transport: a client came, went, was refused something. */
void port_note(struct port *port, const char *text);

#endif
