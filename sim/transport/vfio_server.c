// SPDX-License-Identifier: MIT
/*
 * The vfio-user server: the loop between the client and the model.
 *
 * The client emulates BARs and the MSI capability for the guest, but also forwards every write to
 * configuration space. So the model knows the guest's settings and decides when to send a message.
 * The client adds the message's address and data.
 *
 * Regions have the numbers of BARs. Configuration space has 4096 bytes if the card has the PCI
 * Express capability; those after the first 256 are 0.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "vfio_server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "access.h"
#include "control.h"

#define CFG_SIZE	 256u
#define CFG_SIZE_EXPRESS 4096u

#define PCI_CAPABILITY_LIST 0x34u
#define PCI_INTERRUPT_PIN   0x3du
#define PCI_CAP_ID_MSI	    0x05u
#define PCI_CAP_ID_EXP	    0x10u

/* The callbacks get the session, which is the first member of the server. */
static void host_intx(void *ctx, bool level)
{
	struct vfio_server *srv = ctx;

	vfu_intx(&srv->vfu, level);
}

static void host_msi(void *ctx, uint64_t addr, uint32_t data)
{
	struct vfio_server *srv = ctx;

	(void)addr;
	(void)data;
	vfu_msi(&srv->vfu);
}

void vfio_server_init(struct vfio_server *srv, const struct server_config *cfg,
		      struct nvsim_host *host)
{
	memset(srv, 0, sizeof(*srv));
	memset(host, 0, sizeof(*host));
	host->intx = host_intx;
	host->msi = host_msi;
	session_init(&srv->session, cfg, &srv->vfu.mem, host);
}

/* These reads bypass the port: they are no accesses of the guest and are not recorded. */
static bool has_capability(struct nvsim *sim, uint8_t id)
{
	uint32_t pos = nvsim_cfg_read(sim, PCI_CAPABILITY_LIST, 1), n;

	/* 48 capabilities fit after the header: a longer list is a loop. */
	for (n = 0; n < 48 && pos >= 0x40 && pos < CFG_SIZE; n++) {
		if (nvsim_cfg_read(sim, pos, 1) == id)
			return true;
		pos = nvsim_cfg_read(sim, pos + 1, 1);
	}

	return false;
}

static uint64_t region_size(void *ctx, unsigned int region)
{
	struct vfio_server *srv = ctx;

	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		return has_capability(srv->session.port.sim, PCI_CAP_ID_EXP) ? CFG_SIZE_EXPRESS
									     : CFG_SIZE;
	return region <= VFIO_PCI_ROM_REGION_INDEX ? nvsim_bar_size(srv->session.port.sim, region)
						   : 0;
}

static void region_read(void *ctx, unsigned int region, uint64_t off, uint8_t *buf, size_t len)
{
	struct vfio_server *srv = ctx;

	if (region != VFIO_PCI_CONFIG_REGION_INDEX) {
		access_bar_read(&srv->session.port, region, off, buf, len);
		return;
	}

	memset(buf, 0, len);
	if (off < CFG_SIZE)
		access_cfg_read(&srv->session.port, (uint32_t)off, buf,
				len < CFG_SIZE - off ? len : (size_t)(CFG_SIZE - off));
}

static void region_write(void *ctx, unsigned int region, uint64_t off, const uint8_t *buf,
			 size_t len)
{
	struct vfio_server *srv = ctx;

	if (region != VFIO_PCI_CONFIG_REGION_INDEX)
		access_bar_write(&srv->session.port, region, off, buf, len);
	else if (off < CFG_SIZE)
		access_cfg_write(&srv->session.port, (uint32_t)off, buf,
				 len < CFG_SIZE - off ? len : (size_t)(CFG_SIZE - off));
}

static unsigned int irq_count(void *ctx, unsigned int index)
{
	struct vfio_server *srv = ctx;

	switch (index) {
	case VFIO_PCI_INTX_IRQ_INDEX:
		return nvsim_cfg_read(srv->session.port.sim, PCI_INTERRUPT_PIN, 1) ? 1 : 0;
	case VFIO_PCI_MSI_IRQ_INDEX:
		return has_capability(srv->session.port.sim, PCI_CAP_ID_MSI) ? 1 : 0;
	case VFIO_PCI_ERR_IRQ_INDEX:
	case VFIO_PCI_REQ_IRQ_INDEX:
		/* Clients expect these interrupts to exist. The server never signals them. */
		return 1;
	}

	return 0;
}

static int reset(void *ctx)
{
	struct vfio_server *srv = ctx;
	struct nvsim *sim = srv->session.cfg.reset(srv->session.cfg.ctx);

	if (!sim)
		return -1;

	srv->session.port.sim = sim;
	srv->vfu.intx_level = false;
	return 0;
}

static void refused(void *ctx, const char *line, bool told)
{
	struct vfio_server *srv = ctx;
	char text[300];

	if (!told) {
		session_complain(&srv->session, line);
		return;
	}

	snprintf(text, sizeof(text), "transport: %s", line);
	port_note(&srv->session.port, text);
	srv->session.cfg.trace(srv->session.cfg.ctx, text);
}

static const struct vfu_ops ops = {
    .region_size = region_size,
    .read = region_read,
    .write = region_write,
    .irq_count = irq_count,
    .reset = reset,
    .refused = refused,
};

/* Wait for the client for at most @timeout ns. Returns -1 and vfu.err after an error. */
static int wait_client(struct vfio_server *srv, uint64_t timeout)
{
	struct pollfd pfd[] = {
	    {.fd = srv->vfu.io.sock, .events = POLLIN},
	    {.fd = control_fd(srv->session.cfg.control), .events = POLLIN},
	};
	struct timespec ts = {.tv_sec = (time_t)(timeout / NS_PER_S),
			      .tv_nsec = (long)(timeout % NS_PER_S)};

	if (ppoll(pfd, 2, timeout == UINT64_MAX ? NULL : &ts, srv->session.cfg.sigmask) >= 0) {
		if (pfd[1].revents)
			control_serve(srv->session.cfg.control, &srv->session.port);
		return 0;
	}

	if (errno == EINTR)
		return 0;

	snprintf(srv->vfu.err, sizeof(srv->vfu.err), "ppoll: %s", strerror(errno));
	return -1;
}

static int serve(struct vfio_server *srv)
{
	uint64_t spin_ns = srv->session.cfg.spin_us * NS_PER_US, spin_until = 0,
		 last_poll = now_ns();

	for (;;) {
		unsigned int handled;
		uint64_t now, next;

		if (*srv->session.cfg.stop)
			return 0;
		switch (vfu_receive(&srv->vfu, &handled)) {
		case VFU_OK:
			break;
		case VFU_CLOSED:
			return 0;
		case VFU_ERROR:
			return -1;
		}
		next = port_run(&srv->session.port, RUN_BUDGET);
		now = now_ns();

		if (handled) {
			if (now < spin_until)
				srv->spin_misses = 0;
			spin_until = spin_pays(srv->spin_misses) ? now + spin_ns : 0;
		}
		/* Signals arrive in ppoll() only, so call it at least once a millisecond. */
		if ((handled || !next || now < spin_until) && now - last_poll < NS_PER_MS)
			continue;
		if (handled || !next || now < spin_until) {
			next = 0;
		} else {
			if (spin_until)
				srv->spin_misses++;
			spin_until = 0;
			srv->session.cfg.idle(srv->session.cfg.ctx);
		}
		if (wait_client(srv, next))
			return -1;
		last_poll = now_ns();
	}
}

int vfio_server_run(struct vfio_server *srv, struct nvsim *sim, int sock, char *err, size_t err_len)
{
	int rc;

	srv->session.port.sim = sim;
	rc = vfu_init(&srv->vfu, sock, &ops, srv);
	if (!rc) {
		rc = serve(srv);
		vfu_destroy(&srv->vfu);
	}

	if (rc)
		snprintf(err, err_len, "%s", srv->vfu.err);

	return rc;
}
