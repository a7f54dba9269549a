// SPDX-License-Identifier: MIT
/*
 * The vhost-user server: the loop between the guest's queues and the model.
 *
 * Commands: the guest's CPU stalls until a register read is answered, so the latency from kick to
 * answer determines the speed of a test. After each command the loop therefore polls the ring for a
 * short time, with kicks disabled, before it sleeps in ppoll().
 *
 * Used buffers of the command queue: the guest polls the ring for the answer to a read, and takes
 * all earlier buffers then. A notification would only cost it an interrupt. Posted writes are
 * notified in groups.
 *
 * Interrupts: an INTx line is a level, but a message to the guest is an edge. The guest returns the
 * message's buffer after its handler. If the line is still up then, the server sends the message
 * again, as a level interrupts again. If the guest does not access the card in between, no driver
 * handles the interrupt, and the server repeats it ever more slowly.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "control.h"

#define CMD_QUEUE 0
#define IRQ_QUEUE 1

/* Commands between two runs of the model: one full ring of UML's. */
#define COMMAND_BATCH 256

/* The loop polls the socket this often, even if the queues are busy. */
#define SOCKET_INTERVAL (1 * NS_PER_MS)

/* Posted writes are notified at this number or after this time. UML's ring has 256 entries. */
#define CALL_BATCH 64
#define CALL_DELAY (1 * NS_PER_MS)

/* An INTx that no driver handles: shortest and longest time between two messages */
#define INTX_BACKOFF_MIN (1 * NS_PER_MS)
#define INTX_BACKOFF_MAX (128 * NS_PER_MS)

/* A message counts as lost if the guest does not return its buffer within this time. */
#define INTX_LOST (200 * NS_PER_MS)

/* The callbacks get the session, which is the first member of the server. */
static void host_intx(void *ctx, bool level)
{
	struct server *srv = ctx;

	if (level && !srv->intx_level && !srv->intx_sent) {
		srv->intx_at = 0;
		srv->intx_backoff = INTX_BACKOFF_MIN;
	}
	srv->intx_level = level;
}

static void host_msi(void *ctx, uint64_t addr, uint32_t data)
{
	struct server *srv = ctx;
	unsigned int i;

	/* Equal messages that are not delivered yet merge, as in an interrupt controller. */
	for (i = 0; i < srv->msi_count; i++)
		if (srv->msi[i].addr == addr && srv->msi[i].data == data)
			return;

	if (srv->msi_count == SERVER_MAX_MSI) {
		session_complain(&srv->session,
				 "the guest takes no interrupt messages, one is lost");
		return;
	}

	srv->msi[srv->msi_count].addr = addr;
	srv->msi[srv->msi_count].data = data;
	srv->msi_count++;
}

static void pcidev_complain(void *ctx, const char *line)
{
	session_complain(ctx, line);
}

void server_init(struct server *srv, const struct server_config *cfg, struct nvsim_host *host)
{
	memset(srv, 0, sizeof(*srv));
	srv->pcidev.port = &srv->session.port;
	srv->pcidev.ctx = &srv->session;
	srv->pcidev.complain = pcidev_complain;

	memset(host, 0, sizeof(*host));
	host->intx = host_intx;
	host->msi = host_msi;
	session_init(&srv->session, cfg, &srv->vu.mem, host);
}

/* Returns the number of commands, or -1 and a sentence in vu.err. */
static int serve_commands(struct server *srv)
{
	struct virtq *q = &srv->vu.queue[CMD_QUEUE];
	struct vchain c;
	int count = 0;
	char why[160];

	if (!vu_queue_ready(&srv->vu, CMD_QUEUE))
		return 0;

	while (count < COMMAND_BATCH) {
		int rc = virtq_pop(q, &srv->vu.mem, &c, why, sizeof(why));

		if (rc < 0) {
			snprintf(srv->vu.err, sizeof(srv->vu.err), "command queue: %s", why);
			return -1;
		}
		if (!rc)
			break;
		virtq_push(q, c.head, pcidev_command(&srv->pcidev, &c));
		count++;
		if (c.in_len) {
			srv->uncalled = 0;
		} else if (!srv->uncalled++) {
			srv->call_at = now_ns() + CALL_DELAY;
		}
	}

	if (count)
		srv->intx_touched = true;

	if (srv->uncalled >= CALL_BATCH) {
		virtq_call(q);
		srv->uncalled = 0;
	}

	return count;
}

/* Put a message into a buffer of the guest. Returns 1, 0 without a buffer, -1 on a bad ring. */
static int send_irq(struct server *srv, const uint8_t *msg, size_t len)
{
	struct virtq *q = &srv->vu.queue[IRQ_QUEUE];
	struct vchain c;
	char why[160];

	for (;;) {
		int rc = virtq_pop(q, &srv->vu.mem, &c, why, sizeof(why));

		if (rc < 0) {
			snprintf(srv->vu.err, sizeof(srv->vu.err), "interrupt queue: %s", why);
			return -1;
		}
		if (!rc)
			return 0;
		if (c.in_len >= len)
			break;
		session_complain(&srv->session,
				 "buffer on the interrupt queue is too small for a message");
		virtq_push(q, c.head, 0);
	}

	vchain_write(&c, 0, msg, len);
	virtq_push(q, c.head, (uint32_t)len);
	return 1;
}

static bool intx_due(struct server *srv, uint64_t now)
{
	struct virtq *q = &srv->vu.queue[IRQ_QUEUE];

	if (srv->intx_sent && virtq_avail_idx(q) != srv->intx_avail) {
		srv->intx_sent = false;
		if (srv->intx_touched || !srv->intx_level) {
			srv->intx_at = 0;
			srv->intx_backoff = INTX_BACKOFF_MIN;
		} else {
			srv->intx_at = now + srv->intx_backoff;
			if (srv->intx_backoff < INTX_BACKOFF_MAX)
				srv->intx_backoff *= 2;
		}
	}

	/* While the guest has a message, intx_at is the time when it counts as lost. */
	return srv->intx_level && now >= srv->intx_at;
}

/* Deliver pending interrupts. Returns the number of messages sent, -1 on a bad ring. */
static int serve_interrupts(struct server *srv, uint64_t now)
{
	struct virtq *q = &srv->vu.queue[IRQ_QUEUE];
	uint8_t msg[PCIDEV_MAX_IRQ];
	unsigned int sent = 0;
	size_t len;
	int rc = 0;

	if (!vu_queue_ready(&srv->vu, IRQ_QUEUE))
		return 0;

	while (sent < srv->msi_count) {
		len = pcidev_msi_message(msg, srv->msi[sent].addr, srv->msi[sent].data);
		rc = send_irq(srv, msg, len);
		if (rc <= 0)
			break;
		sent++;
	}

	if (sent) {
		srv->msi_count -= sent;
		memmove(srv->msi, srv->msi + sent, srv->msi_count * sizeof(srv->msi[0]));
	}

	if (rc >= 0 && intx_due(srv, now)) {
		/* Read the index before sending: the guest may return the buffer at once. */
		uint16_t avail = virtq_avail_idx(q);

		len = pcidev_intx_message(msg);
		rc = send_irq(srv, msg, len);
		if (rc > 0) {
			srv->intx_avail = avail;
			srv->intx_sent = true;
			srv->intx_touched = false;
			srv->intx_at = now + INTX_LOST;
			sent++;
		}
	}

	if (sent)
		virtq_call(q);

	return rc < 0 ? -1 : (int)sent;
}

/* Whether an interrupt waits for the guest to return a buffer */
static bool waits_for_buffer(const struct server *srv)
{
	return srv->msi_count || srv->intx_level;
}

static bool has_work(const struct server *srv)
{
	const struct vu *vu = &srv->vu;
	const struct virtq *q = &vu->queue[IRQ_QUEUE];

	if (vu_queue_ready(vu, CMD_QUEUE) && virtq_has_work(&vu->queue[CMD_QUEUE]))
		return true;
	if (!vu_queue_ready(vu, IRQ_QUEUE))
		return false;
	if (srv->msi_count && virtq_has_work(q))
		return true;

	return srv->intx_level && srv->intx_sent && virtq_avail_idx(q) != srv->intx_avail;
}

static void want_kicks(struct server *srv, bool commands, bool buffers)
{
	if (vu_queue_ready(&srv->vu, CMD_QUEUE))
		virtq_want_kicks(&srv->vu.queue[CMD_QUEUE], commands);
	if (vu_queue_ready(&srv->vu, IRQ_QUEUE))
		virtq_want_kicks(&srv->vu.queue[IRQ_QUEUE], buffers);
}

/*
 * Poll the descriptors for at most @timeout ns. Returns 0, 1 if the guest has hung up, or -1 and a
 * sentence in vu.err.
 */
static int poll_guest(struct server *srv, uint64_t timeout)
{
	struct pollfd pfd[2 + VU_QUEUES];
	struct timespec ts = {.tv_sec = (time_t)(timeout / NS_PER_S),
			      .tv_nsec = (long)(timeout % NS_PER_S)};
	unsigned int i;
	int n;

	pfd[0].fd = srv->vu.io.sock;
	pfd[0].events = POLLIN;

	for (i = 0; i < VU_QUEUES; i++) {
		pfd[1 + i].fd = vu_queue_ready(&srv->vu, i) ? srv->vu.queue[i].kick_fd : -1;
		pfd[1 + i].events = POLLIN;
	}

	pfd[1 + VU_QUEUES].fd = control_fd(srv->session.cfg.control);
	pfd[1 + VU_QUEUES].events = POLLIN;

	n = ppoll(pfd, 2 + VU_QUEUES, timeout == UINT64_MAX ? NULL : &ts, srv->session.cfg.sigmask);
	if (n < 0 && errno != EINTR) {
		snprintf(srv->vu.err, sizeof(srv->vu.err), "ppoll: %s", strerror(errno));
		return -1;
	}

	if (n <= 0)
		return 0;

	if (pfd[1 + VU_QUEUES].revents)
		control_serve(srv->session.cfg.control, &srv->session.port);

	for (i = 0; i < VU_QUEUES; i++)
		if (pfd[1 + i].revents && virtq_drain_kick(&srv->vu.queue[i])) {
			/* The guest has closed the descriptor; the socket will say why. */
			virtq_stop(&srv->vu.queue[i]);
		}

	if (pfd[0].revents) {
		switch (vu_receive(&srv->vu)) {
		case VU_OK:
			break;
		case VU_CLOSED:
			return 1;
		case VU_ERROR:
			return -1;
		}
	}

	return 0;
}

/* Poll the ring until the time @until. True if there is work. */
static bool spin(struct server *srv, uint64_t until)
{
	do {
		unsigned int i;

		for (i = 0; i < 32; i++) {
			if (has_work(srv))
				return true;
#if defined(__x86_64__) || defined(__i386__)
			__builtin_ia32_pause();
#endif
		}
	} while (now_ns() < until);
	return false;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Time until the loop must notify writes or repeat INTx */
static uint64_t own_timeout(const struct server *srv, uint64_t now)
{
	uint64_t at = UINT64_MAX;

	if (srv->uncalled)
		at = srv->call_at;

	/* Without a free buffer the loop waits for the guest's kick, not for a time. */
	if (srv->intx_level && vu_queue_ready(&srv->vu, IRQ_QUEUE) &&
	    virtq_has_work(&srv->vu.queue[IRQ_QUEUE]))
		at = min_u64(at, srv->intx_at);
	if (at == UINT64_MAX)
		return UINT64_MAX;

	return at > now ? at - now : 0;
}

static int serve(struct server *srv)
{
	uint64_t spin_ns = srv->session.cfg.spin_us * NS_PER_US;

	srv->last_active = now_ns();
	for (;;) {
		int commands, sent, rc;
		uint64_t now, next, timeout;

		if (*srv->session.cfg.stop)
			return 0;

		commands = serve_commands(srv);
		if (commands < 0)
			return -1;
		next = port_run(&srv->session.port, RUN_BUDGET);
		now = now_ns();
		sent = serve_interrupts(srv, now);
		if (sent < 0)
			return -1;
		if (srv->uncalled && now >= srv->call_at) {
			if (vu_queue_ready(&srv->vu, CMD_QUEUE))
				virtq_call(&srv->vu.queue[CMD_QUEUE]);
			srv->uncalled = 0;
		}

		if (commands || sent) {
			srv->last_active = now;
			srv->watch = true;
		}
		if (commands || sent || !next) {
			if (now - srv->last_poll < SOCKET_INTERVAL)
				continue;
			timeout = 0;
		} else {
			timeout = min_u64(next, own_timeout(srv, now));
			if (srv->watch && now - srv->last_active < spin_ns) {
				srv->watch = false;
				if (spin_pays(srv->spin_misses) &&
				    spin(srv, now + min_u64(spin_ns, timeout))) {
					srv->spin_misses = 0;
					continue;
				}
				srv->spin_misses++;
			}
		}

		if (timeout) {
			srv->session.cfg.idle(srv->session.cfg.ctx);
			want_kicks(srv, true, waits_for_buffer(srv));
			if (has_work(srv))
				timeout = 0;
		}
		rc = poll_guest(srv, timeout);
		if (rc)
			return rc < 0 ? -1 : 0;
		srv->last_poll = now_ns();
		want_kicks(srv, false, false);
	}
}

int server_run(struct server *srv, struct nvsim *sim, int sock, char *err, size_t err_len)
{
	int rc;

	srv->session.port.sim = sim;
	vu_init(&srv->vu, sock);
	rc = serve(srv);
	if (rc)
		snprintf(err, err_len, "%s", srv->vu.err);

	vu_destroy(&srv->vu);
	return rc;
}
