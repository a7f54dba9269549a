/* SPDX-License-Identifier: MIT */
/*
 * One guest's session over vfio-user: the connection on one side, the model on the
 * other, and the loop between them.
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

/* Prepare the callbacks for nvsim_create(); @srv must stay where it is. */
void vfio_server_init(struct vfio_server *srv, const struct server_config *cfg,
		      struct nvsim_host *host);

/*
 * Serve the client at the other end of @sock (taken over) until it hangs up or cfg.stop is set.
 * 0, or -1 and a sentence in @err. srv->session.port.sim is the model at the end: a reset replaces
 * it.
 */
int vfio_server_run(struct vfio_server *srv, struct nvsim *sim, int sock, char *err,
		    size_t err_len);

#endif
