/* SPDX-License-Identifier: MIT */
/*
 * The vfio-user server: one guest's session, with its connection, the model, and the loop between
 * them.
 */
#ifndef NVSIM_VFIO_SERVER_H
#define NVSIM_VFIO_SERVER_H

#include "session.h"
#include "vfio_user.h"

struct vfio_server {
	struct session session; /* first, see session.h */
	struct vfu vfu;
	unsigned int spin_misses;
};

/* Prepare the callbacks for nvsim_create(); @srv must keep its address. */
void vfio_server_init(struct vfio_server *srv, const struct server_config *cfg,
		      struct nvsim_host *host);

/*
 * Serve the client at the other end of @sock, which this call takes over, until it hangs up or
 * cfg.stop is set. Returns 0, or -1 and a sentence in @err. At the end srv->session.port.sim is
 * the model, because a reset replaces it.
 */
int vfio_server_run(struct vfio_server *srv, struct nvsim *sim, int sock, char *err,
		    size_t err_len);

#endif
