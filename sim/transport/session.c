// SPDX-License-Identifier: MIT
/*
 * The callbacks that both transports supply to the model: DMA, time, trace and violation lines.
 */
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "guest_mem.h"

static int host_dma_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct session *s = ctx;

	return guest_mem_read(s->mem, addr, buf, len);
}

static int host_dma_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
	struct session *s = ctx;

	return guest_mem_write(s->mem, addr, buf, len);
}

static uint64_t host_time(void *ctx)
{
	(void)ctx;
	return now_ns();
}

static void host_wait(void *ctx, uint64_t ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000),
	};

	(void)ctx;
	nanosleep(&time, NULL);
}

static void host_trace(void *ctx, const char *line)
{
	struct session *s = ctx;

	s->cfg.trace(s->cfg.ctx, line);
}

static void host_violation(void *ctx, const char *line)
{
	struct session *s = ctx;

	s->cfg.violation(s->cfg.ctx, line);
}

void session_init(struct session *s, const struct server_config *cfg, const struct guest_mem *mem,
		  struct nvsim_host *host)
{
	s->cfg = *cfg;
	s->mem = mem;
	host->ctx = s;
	host->dma_read = host_dma_read;
	host->dma_write = host_dma_write;
	host->time_ns = host_time;
	host->wait_ns = host_wait;
	host->trace = host_trace;
	host->violation = host_violation;
	port_init(&s->port, cfg->record, host);
}

void session_complain(struct session *s, const char *line)
{
	char text[300];

	snprintf(text, sizeof(text), "transport: %s", line);
	port_note(&s->port, text);
	s->cfg.violation(s->cfg.ctx, text);
}
