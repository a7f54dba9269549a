/* SPDX-License-Identifier: MIT */
/*
 * The vhost-user server: one guest's session, with its connection, the model, and the loop between
 * them.
 */
#ifndef NVSIM_SERVER_H
#define NVSIM_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "pcidev.h"
#include "session.h"
#include "vhost_user.h"

/* MSI messages that may wait for a buffer; equal ones count once. */
#define SERVER_MAX_MSI 64

struct server {
	struct session session; /* first, see session.h */
	struct vu vu;
	struct pcidev pcidev;

	/* Posted writes whose buffers have not been notified */
	unsigned int uncalled;
	uint64_t call_at;

	bool intx_level;
	bool intx_sent;			/* the guest has a message */
	uint16_t intx_avail;		/* available index when it was sent */
	bool intx_touched;		/* the guest has accessed the card since */
	uint64_t intx_at, intx_backoff; /* when to send again, ns */

	unsigned int msi_count;
	struct {
		uint64_t addr;
		uint32_t data;
	} msi[SERVER_MAX_MSI];

	uint64_t last_active, last_poll;
	bool watch;		  /* the ring may be polled once after this access */
	unsigned int spin_misses; /* polls in a row that saw no work */
};

/* Prepare the callbacks for nvsim_create(); @srv must stay where it is. */
void server_init(struct server *srv, const struct server_config *cfg, struct nvsim_host *host);

/*
 * Serve the guest at the other end of @sock (taken over) until it hangs up or
 * cfg.stop is set. 0, or -1 and a sentence in @err.
 */
int server_run(struct server *srv, struct nvsim *sim, int sock, char *err, size_t err_len);

#endif
