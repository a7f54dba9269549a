/* SPDX-License-Identifier: MIT */
/*
 * The card's port: all traffic between the model and a transport goes through these functions, so
 * they are the place to record it. Without a recorder they are the functions of nvsim.h.
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
 * Prepare a port for a model that is created with @host afterwards. A recorder puts its own
 * callbacks into @host, which point to @port: @port must then keep its address.
 */
void port_init(struct port *port, struct recorder *rec, struct nvsim_host *host);

/*
 * Create a card in its state after power-up, which replaces the port's old card. NULL and a
 * sentence in @err if that fails; the old card then stays.
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

/* Record a note of the transport: a client came, left, or had a command refused. */
void port_note(struct port *port, const char *text);

#endif
