// SPDX-License-Identifier: MIT
/*
 * The card's port: each function forwards a call to the model or to its host, and records it.
 */
#include "port.h"

#include <string.h>

#include "record.h"

static void put(struct port *port, enum record_type type, unsigned int size, uint64_t a, uint64_t b,
		unsigned int count)
{
	uint64_t numbers[] = {a, b};

	recorder_put(port->rec, type, size, numbers, count, NULL, 0);
}

static void put_data(struct port *port, enum record_type type, uint64_t a, uint64_t b,
		     unsigned int count, const void *data, size_t len)
{
	uint64_t numbers[] = {a, b};

	recorder_put(port->rec, type, 0, numbers, count, data, len);
}

static void put_text(struct port *port, enum record_type type, const char *text)
{
	size_t len = strlen(text);

	put_data(port, type, len, 0, 1, text, len);
}

static void stamp(struct port *port)
{
	if (port->host.time_ns)
		recorder_time(port->rec, RECORD_STAMP, port->host.time_ns(port->host.ctx));
}

/* Calls by the model to its host */

static int tap_dma_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct port *port = ctx;
	int rc = port->host.dma_read(port->host.ctx, addr, buf, len);

	put_data(port, RECORD_DMA_READ, addr, (uint64_t)len << 1 | !!rc, 2, buf, rc ? 0 : len);
	return rc;
}

static int tap_dma_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
	struct port *port = ctx;
	int rc = port->host.dma_write(port->host.ctx, addr, buf, len);

	put_data(port, RECORD_DMA_WRITE, addr, (uint64_t)len << 1 | !!rc, 2, buf, len);
	return rc;
}

static void tap_intx(void *ctx, bool level)
{
	struct port *port = ctx;

	put(port, RECORD_INTX, 0, level, 0, 1);
	port->host.intx(port->host.ctx, level);
}

static void tap_msi(void *ctx, uint64_t addr, uint32_t data)
{
	struct port *port = ctx;

	put(port, RECORD_MSI, 0, addr, data, 2);
	port->host.msi(port->host.ctx, addr, data);
}

static uint64_t tap_time(void *ctx)
{
	struct port *port = ctx;
	uint64_t ns = port->host.time_ns(port->host.ctx);

	recorder_time(port->rec, RECORD_TIME, ns);
	return ns;
}

static void tap_trace(void *ctx, const char *line)
{
	struct port *port = ctx;

	port->host.trace(port->host.ctx, line);
}

static void tap_violation(void *ctx, const char *line)
{
	struct port *port = ctx;

	put_text(port, RECORD_VIOLATION, line);
	port->host.violation(port->host.ctx, line);
}

void port_init(struct port *port, struct recorder *rec, struct nvsim_host *host)
{
	memset(port, 0, sizeof(*port));
	port->rec = rec;
	if (!rec)
		return;
	port->host = *host;
	host->ctx = port;
	/* A callback that the caller lacks stays NULL: the model works without it. */
	if (host->dma_read)
		host->dma_read = tap_dma_read;
	if (host->dma_write)
		host->dma_write = tap_dma_write;
	if (host->intx)
		host->intx = tap_intx;
	if (host->msi)
		host->msi = tap_msi;
	if (host->time_ns)
		host->time_ns = tap_time;
	if (host->trace)
		host->trace = tap_trace;
	if (host->violation)
		host->violation = tap_violation;
}

/* Calls into the model */

struct nvsim *port_power_up(struct port *port, const struct nvsim_config *cfg,
			    const struct nvsim_host *host, char *err, size_t err_len)
{
	struct nvsim *sim;

	if (port->rec) {
		stamp(port);
		put(port, RECORD_POWER_UP, 0, 0, 0, 0);
	}
	sim = nvsim_create(cfg, host, err, err_len);
	if (!sim)
		return NULL;
	if (port->sim) {
		nvsim_settle(port->sim);
		nvsim_destroy(port->sim);
	}
	port->sim = sim;
	return sim;
}

uint32_t port_cfg_read(struct port *port, uint32_t off, unsigned int size)
{
	uint32_t v;

	if (!port->rec)
		return nvsim_cfg_read(port->sim, off, size);
	stamp(port);
	put(port, RECORD_CFG_READ, size, off, 0, 1);
	v = nvsim_cfg_read(port->sim, off, size);
	put(port, RECORD_RETURN, 0, v, 0, 1);
	return v;
}

void port_cfg_write(struct port *port, uint32_t off, uint32_t val, unsigned int size)
{
	if (port->rec) {
		stamp(port);
		put(port, RECORD_CFG_WRITE, size, off, val, 2);
	}
	nvsim_cfg_write(port->sim, off, val, size);
}

uint64_t port_bar_read(struct port *port, unsigned int bar, uint64_t off, unsigned int size)
{
	uint64_t v;

	if (!port->rec)
		return nvsim_bar_read(port->sim, bar, off, size);
	stamp(port);
	put(port, RECORD_BAR_READ, size, off << 3 | bar, 0, 1);
	v = nvsim_bar_read(port->sim, bar, off, size);
	put(port, RECORD_RETURN, 0, v, 0, 1);
	return v;
}

void port_bar_write(struct port *port, unsigned int bar, uint64_t off, uint64_t val,
		    unsigned int size)
{
	if (port->rec) {
		stamp(port);
		put(port, RECORD_BAR_WRITE, size, off << 3 | bar, val, 2);
	}
	nvsim_bar_write(port->sim, bar, off, val, size);
}

void port_bar_read_block(struct port *port, unsigned int bar, uint64_t off, void *buf, size_t len)
{
	if (port->rec) {
		stamp(port);
		put(port, RECORD_BLOCK_READ, 0, off << 3 | bar, len, 2);
	}
	nvsim_bar_read_block(port->sim, bar, off, buf, len);
	if (port->rec)
		put_data(port, RECORD_RETURN_BYTES, len, 0, 1, buf, len);
}

void port_bar_write_block(struct port *port, unsigned int bar, uint64_t off, const void *buf,
			  size_t len)
{
	if (port->rec) {
		stamp(port);
		put_data(port, RECORD_BLOCK_WRITE, off << 3 | bar, len, 2, buf, len);
	}
	nvsim_bar_write_block(port->sim, bar, off, buf, len);
}

void port_bar_fill(struct port *port, unsigned int bar, uint64_t off, uint8_t byte, size_t len)
{
	if (port->rec) {
		uint64_t numbers[] = {off << 3 | bar, len, byte};

		stamp(port);
		recorder_put(port->rec, RECORD_FILL, 0, numbers, 3, NULL, 0);
	}
	nvsim_bar_fill(port->sim, bar, off, byte, len);
}

uint64_t port_run(struct port *port, unsigned int budget)
{
	uint64_t next;

	if (!port->rec)
		return nvsim_run(port->sim, budget);
	put(port, RECORD_RUN, 0, budget, 0, 1);
	next = nvsim_run(port->sim, budget);
	put(port, RECORD_RETURN, 0, next + 1, 0, 1);
	return next;
}

void port_settle(struct port *port)
{
	if (port->rec) {
		stamp(port);
		put(port, RECORD_SETTLE, 0, 0, 0, 0);
	}
	nvsim_settle(port->sim);
}

bool port_command(struct port *port, const char *line, char *answer, size_t len)
{
	if (port->rec) {
		stamp(port);
		put_text(port, RECORD_COMMAND, line);
	}
	return nvsim_command(port->sim, line, answer, len);
}

void port_note(struct port *port, const char *text)
{
	if (!port->rec)
		return;
	stamp(port);
	put_text(port, RECORD_NOTE, text);
}
