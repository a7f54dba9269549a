// SPDX-License-Identifier: MIT
/*
 * vhost-user protocol, device side.
 *
 * The front-end, UML's virtio_uml, requires REPLY_ACK, BACKEND_REQ (it allocates its interrupt
 * together with that channel) and CONFIG. It sends one message at a time and waits for each answer.
 * This code does not rely on that: it collects bytes until a message is complete, and serves the
 * queues in between. A message that breaks the rules ends the session, because the two sides may
 * then disagree on the state. A request that is only unknown does not.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "vhost_user.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define OFFERED_FEATURES (VU_F_VERSION_1 | VU_F_PROTOCOL_FEATURES)
#define OFFERED_PROTOCOL (VU_PROTOCOL_REPLY_ACK | VU_PROTOCOL_BACKEND_REQ | VU_PROTOCOL_CONFIG)

/* Messages handled before the queues are served again */
#define MESSAGES_PER_CALL 32

static int vu_fail(struct vu *vu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int vu_fail(struct vu *vu, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(vu->err, sizeof(vu->err), fmt, ap);
	va_end(ap);
	return -1;
}

static const char *request_name(uint32_t request)
{
	switch (request) {
	case VU_GET_FEATURES:
		return "GET_FEATURES";
	case VU_SET_FEATURES:
		return "SET_FEATURES";
	case VU_SET_OWNER:
		return "SET_OWNER";
	case VU_RESET_OWNER:
		return "RESET_OWNER";
	case VU_SET_MEM_TABLE:
		return "SET_MEM_TABLE";
	case VU_SET_VRING_NUM:
		return "SET_VRING_NUM";
	case VU_SET_VRING_ADDR:
		return "SET_VRING_ADDR";
	case VU_SET_VRING_BASE:
		return "SET_VRING_BASE";
	case VU_GET_VRING_BASE:
		return "GET_VRING_BASE";
	case VU_SET_VRING_KICK:
		return "SET_VRING_KICK";
	case VU_SET_VRING_CALL:
		return "SET_VRING_CALL";
	case VU_SET_VRING_ERR:
		return "SET_VRING_ERR";
	case VU_GET_PROTOCOL_FEATURES:
		return "GET_PROTOCOL_FEATURES";
	case VU_SET_PROTOCOL_FEATURES:
		return "SET_PROTOCOL_FEATURES";
	case VU_GET_QUEUE_NUM:
		return "GET_QUEUE_NUM";
	case VU_SET_VRING_ENABLE:
		return "SET_VRING_ENABLE";
	case VU_SET_BACKEND_REQ_FD:
		return "SET_BACKEND_REQ_FD";
	case VU_GET_CONFIG:
		return "GET_CONFIG";
	case VU_SET_CONFIG:
		return "SET_CONFIG";
	}

	return "unknown request";
}

void vu_init(struct vu *vu, int sock)
{
	unsigned int i;

	memset(vu, 0, sizeof(*vu));
	stream_init(&vu->io, sock);
	vu->backend_fd = -1;
	for (i = 0; i < VU_QUEUES; i++)
		virtq_init(&vu->queue[i]);
}

static void drop_session(struct vu *vu)
{
	unsigned int i;

	for (i = 0; i < VU_QUEUES; i++)
		virtq_reset(&vu->queue[i]);

	guest_mem_clear(&vu->mem);
	if (vu->backend_fd >= 0)
		close(vu->backend_fd);

	vu->backend_fd = -1;
}

void vu_destroy(struct vu *vu)
{
	drop_session(vu);
	stream_destroy(&vu->io);
}

bool vu_queue_ready(const struct vu *vu, unsigned int index)
{
	const struct virtq *q = &vu->queue[index];

	/* Without protocol features there is no SET_VRING_ENABLE: rings start enabled. */
	return virtq_started(q) && (q->enabled || !(vu->features & VU_F_PROTOCOL_FEATURES));
}

/* Answer the current message with its own payload buffer, cut to @size. */
static int reply(struct vu *vu, uint32_t size)
{
	vu->msg.flags = VU_FLAG_VERSION | VU_FLAG_REPLY;
	vu->msg.size = size;
	if (stream_send(&vu->io, &vu->msg, VU_HEADER_SIZE + size))
		return vu_fail(vu, "%s", vu->io.err);
	return 0;
}

static int reply_u64(struct vu *vu, uint64_t value)
{
	memcpy(vu->msg.payload, &value, sizeof(value));
	return reply(vu, sizeof(value));
}

static uint64_t payload_u64(const struct vu *vu)
{
	uint64_t v;

	memcpy(&v, vu->msg.payload, sizeof(v));
	return v;
}

static int check_queue(struct vu *vu, uint64_t index)
{
	if (index < VU_QUEUES)
		return 0;
	return vu_fail(vu, "%s: queue %" PRIu64 ", this device has 0 to %d",
		       request_name(vu->msg.request), index, VU_QUEUES - 1);
}

/* Start a queue once all its parameters are known. */
static int try_start(struct vu *vu, unsigned int index)
{
	struct virtq *q = &vu->queue[index];
	char why[160];

	if (virtq_started(q) || !q->num || !q->have_addr || q->kick_fd < 0)
		return 0;
	if (virtq_start(q, &vu->mem, why, sizeof(why)))
		return vu_fail(vu, "queue %u: %s", index, why);

	return 0;
}

static int set_mem_table(struct vu *vu)
{
	struct {
		uint64_t gpa, size, uaddr, offset;
	} r;
	bool was_started[VU_QUEUES];
	uint32_t count, i;
	char why[160];

	if (vu->msg.size < 8)
		return vu_fail(vu, "SET_MEM_TABLE: %u bytes, too short", vu->msg.size);

	memcpy(&count, vu->msg.payload, sizeof(count));
	if (!count || count > VU_MAX_REGIONS)
		return vu_fail(vu, "SET_MEM_TABLE: %u regions, allowed are 1 to %d", count,
			       VU_MAX_REGIONS);

	/* UML always sends room for two regions, whatever the count says. */
	if (vu->msg.size < 8 + count * sizeof(r))
		return vu_fail(vu, "SET_MEM_TABLE: %u bytes for %u regions, needs %zu",
			       vu->msg.size, count, 8 + count * sizeof(r));

	if (vu->io.fd_count != count)
		return vu_fail(vu, "SET_MEM_TABLE: %u descriptors for %u regions", vu->io.fd_count,
			       count);

	for (i = 0; i < VU_QUEUES; i++) {
		was_started[i] = virtq_started(&vu->queue[i]);
		virtq_stop(&vu->queue[i]);
	}

	guest_mem_clear(&vu->mem);

	for (i = 0; i < count; i++) {
		memcpy(&r, vu->msg.payload + 8 + i * sizeof(r), sizeof(r));
		if (guest_mem_add(&vu->mem, r.gpa, r.size, r.uaddr, r.offset, vu->io.fds[i],
				  GUEST_MEM_READ | GUEST_MEM_WRITE, why, sizeof(why)))
			return vu_fail(vu, "SET_MEM_TABLE: %s", why);
	}

	for (i = 0; i < VU_QUEUES; i++)
		if (was_started[i] && try_start(vu, i))
			return -1;

	return 0;
}

static int set_vring_state(struct vu *vu)
{
	uint32_t v[2];
	struct virtq *q;

	memcpy(v, vu->msg.payload, sizeof(v));
	if (check_queue(vu, v[0]))
		return -1;

	q = &vu->queue[v[0]];

	switch (vu->msg.request) {
	case VU_SET_VRING_NUM:
		if (!v[1] || v[1] > VIRTQ_MAX_NUM || (v[1] & (v[1] - 1)))
			return vu_fail(vu,
				       "SET_VRING_NUM: %u entries, allowed are powers of two to %d",
				       v[1], VIRTQ_MAX_NUM);
		virtq_stop(q);
		q->num = v[1];
		return 0;
	case VU_SET_VRING_BASE:
		if (v[1] > UINT16_MAX)
			return vu_fail(vu, "SET_VRING_BASE: index %u, allowed are 0 to 65535",
				       v[1]);
		q->last_avail = (uint16_t)v[1];
		return 0;
	default:
		if (v[1] > 1)
			return vu_fail(vu, "SET_VRING_ENABLE: %u, allowed are 0 and 1", v[1]);
		q->enabled = v[1];
		return q->enabled ? try_start(vu, v[0]) : 0;
	}
}

static int get_vring_base(struct vu *vu)
{
	uint32_t v[2];

	memcpy(v, vu->msg.payload, sizeof(v));
	if (check_queue(vu, v[0]))
		return -1;

	/* A front-end stops a queue by asking for its index. */
	virtq_stop(&vu->queue[v[0]]);
	v[1] = vu->queue[v[0]].last_avail;
	memcpy(vu->msg.payload, v, sizeof(v));

	return reply(vu, sizeof(v));
}

static int set_vring_addr(struct vu *vu)
{
	struct {
		uint32_t index, flags;
		uint64_t desc, used, avail, log;
	} a;
	struct virtq *q;

	memcpy(&a, vu->msg.payload, sizeof(a));
	if (check_queue(vu, a.index))
		return -1;
	if (a.flags)
		return vu_fail(vu, "SET_VRING_ADDR: flags 0x%x, logging was not offered", a.flags);

	q = &vu->queue[a.index];
	virtq_stop(q);
	q->desc_ua = a.desc;
	q->used_ua = a.used;
	q->avail_ua = a.avail;
	q->have_addr = true;

	return 0;
}

static int set_vring_fd(struct vu *vu)
{
	const char *name = request_name(vu->msg.request);
	uint64_t v = payload_u64(vu);
	uint64_t index = v & VU_VRING_INDEX_MASK;
	unsigned int announced;
	struct virtq *q;
	struct stat st;
	int fd = -1;

	if (v & ~(VU_VRING_INDEX_MASK | VU_VRING_NO_FD))
		return vu_fail(vu, "%s: undefined bits in 0x%" PRIx64, name, v);
	if (check_queue(vu, index))
		return -1;

	announced = (v & VU_VRING_NO_FD) ? 0 : 1;
	if (vu->io.fd_count != announced)
		return vu_fail(vu, "%s: %u descriptors, the message announces %u", name,
			       vu->io.fd_count, announced);

	if (vu->io.fd_count) {
		/* poll() reports a file or a directory as readable for ever. */
		if (fstat(vu->io.fds[0], &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ||
		    S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode))
			return vu_fail(vu, "%s: not an eventfd, pipe or socket", name);
		fd = stream_take_fd(&vu->io, 0);
	}

	q = &vu->queue[index];

	switch (vu->msg.request) {
	case VU_SET_VRING_KICK:
		if (fd < 0)
			return vu_fail(vu, "SET_VRING_KICK: a queue needs a kick descriptor");
		if (q->kick_fd >= 0)
			close(q->kick_fd);
		q->kick_fd = fd;
		return try_start(vu, (unsigned int)index);
	case VU_SET_VRING_CALL:
		if (q->call_fd >= 0)
			close(q->call_fd);
		q->call_fd = fd;
		return 0;
	default:
		/* Ring errors end the session, which the front-end sees on the socket. */
		if (fd >= 0)
			close(fd);
		return 0;
	}
}

static int config_access(struct vu *vu, uint64_t *status)
{
	struct {
		uint32_t offset, size, flags;
	} c;

	if (vu->msg.size < sizeof(c))
		return vu_fail(vu, "%s: %u bytes, too short", request_name(vu->msg.request),
			       vu->msg.size);

	memcpy(&c, vu->msg.payload, sizeof(c));
	if (vu->msg.size - sizeof(c) < c.size)
		return vu_fail(vu, "%s: %u bytes announced, %zu in the message",
			       request_name(vu->msg.request), c.size, vu->msg.size - sizeof(c));

	if (c.offset > VU_CONFIG_SIZE || c.size > VU_CONFIG_SIZE - c.offset)
		return vu_fail(vu,
			       "%s: 0x%x+0x%x is outside of the configuration space of %d bytes",
			       request_name(vu->msg.request), c.offset, c.size, VU_CONFIG_SIZE);

	/* A virtio PCI device has no configuration fields: all zero, and read only. */
	if (vu->msg.request == VU_SET_CONFIG) {
		*status = 1;
		return 0;
	}

	memset(vu->msg.payload + sizeof(c), 0, c.size);

	return reply(vu, (uint32_t)sizeof(c) + c.size);
}

/* Exact payload size of the requests that have one, -1 for the others. */
static int payload_size(uint32_t request)
{
	switch (request) {
	case VU_GET_FEATURES:
	case VU_SET_OWNER:
	case VU_RESET_OWNER:
	case VU_GET_PROTOCOL_FEATURES:
	case VU_GET_QUEUE_NUM:
	case VU_SET_BACKEND_REQ_FD:
		return 0;
	case VU_SET_FEATURES:
	case VU_SET_PROTOCOL_FEATURES:
	case VU_SET_VRING_NUM:
	case VU_SET_VRING_BASE:
	case VU_GET_VRING_BASE:
	case VU_SET_VRING_KICK:
	case VU_SET_VRING_CALL:
	case VU_SET_VRING_ERR:
	case VU_SET_VRING_ENABLE:
		return 8;
	case VU_SET_VRING_ADDR:
		return 40;
	}

	return -1;
}

static bool takes_fds(uint32_t request)
{
	return request == VU_SET_MEM_TABLE || request == VU_SET_VRING_KICK ||
	       request == VU_SET_VRING_CALL || request == VU_SET_VRING_ERR ||
	       request == VU_SET_BACKEND_REQ_FD;
}

/* Check the header of the current message against its request. */
static int check_header(struct vu *vu)
{
	uint32_t request = vu->msg.request;
	int size = payload_size(request);

	if ((vu->msg.flags & ~VU_FLAG_NEED_REPLY) != VU_FLAG_VERSION)
		return vu_fail(vu, "%s (%u): flags 0x%x, version 1 has 0x1 and 0x9",
			       request_name(request), request, vu->msg.flags);

	if (size >= 0 && vu->msg.size != (uint32_t)size)
		return vu_fail(vu, "%s: %u bytes of payload, needs %d", request_name(request),
			       vu->msg.size, size);

	if (vu->io.fd_count && !takes_fds(request))
		return vu_fail(vu, "%s (%u): carries %u descriptors, takes none",
			       request_name(request), request, vu->io.fd_count);

	return 0;
}

/* Accept the features that @name chooses, if all of them are among those offered. */
static int choose_features(struct vu *vu, const char *name, uint64_t offered, uint64_t *features)
{
	uint64_t wrong = payload_u64(vu) & ~offered;

	if (wrong)
		return vu_fail(vu, "%s: 0x%" PRIx64 " was not offered", name, wrong);

	*features = payload_u64(vu);
	return 0;
}

static int set_backend_fd(struct vu *vu)
{
	if (vu->io.fd_count != 1)
		return vu_fail(vu, "SET_BACKEND_REQ_FD: %u descriptors, needs 1", vu->io.fd_count);

	if (vu->backend_fd >= 0)
		close(vu->backend_fd);
	vu->backend_fd = stream_take_fd(&vu->io, 0);
	return 0;
}

/* Carry out the current message; *@replied if it got its own answer. */
static int dispatch(struct vu *vu, bool *replied, uint64_t *status)
{
	int ret = check_header(vu);

	if (ret)
		return ret;

	switch (vu->msg.request) {
	case VU_GET_FEATURES:
		*replied = true;
		return reply_u64(vu, OFFERED_FEATURES);
	case VU_SET_FEATURES:
		return choose_features(vu, "SET_FEATURES", OFFERED_FEATURES, &vu->features);
	case VU_GET_PROTOCOL_FEATURES:
		*replied = true;
		return reply_u64(vu, OFFERED_PROTOCOL);
	case VU_SET_PROTOCOL_FEATURES:
		return choose_features(vu, "SET_PROTOCOL_FEATURES", OFFERED_PROTOCOL,
				       &vu->protocol_features);
	case VU_GET_QUEUE_NUM:
		*replied = true;
		return reply_u64(vu, VU_QUEUES);
	case VU_SET_OWNER:
		return 0;
	case VU_RESET_OWNER:
		drop_session(vu);
		return 0;
	case VU_SET_MEM_TABLE:
		return set_mem_table(vu);
	case VU_SET_VRING_NUM:
	case VU_SET_VRING_BASE:
	case VU_SET_VRING_ENABLE:
		return set_vring_state(vu);
	case VU_GET_VRING_BASE:
		*replied = true;
		return get_vring_base(vu);
	case VU_SET_VRING_ADDR:
		return set_vring_addr(vu);
	case VU_SET_VRING_KICK:
	case VU_SET_VRING_CALL:
	case VU_SET_VRING_ERR:
		return set_vring_fd(vu);
	case VU_SET_BACKEND_REQ_FD:
		return set_backend_fd(vu);
	case VU_GET_CONFIG:
		*replied = true;
		return config_access(vu, status);
	case VU_SET_CONFIG:
		return config_access(vu, status);
	}

	/* A newer front-end may send unknown requests: refuse them and continue. */
	*status = 1;
	return 0;
}

static int handle_message(struct vu *vu)
{
	bool need_reply = vu->msg.flags & VU_FLAG_NEED_REPLY;
	bool replied = false;
	uint64_t status = 0;
	int rc;

	rc = dispatch(vu, &replied, &status);
	stream_close_fds(&vu->io);
	vu->rx_len = 0;

	if (need_reply && !replied && (vu->protocol_features & VU_PROTOCOL_REPLY_ACK)) {
		char err[sizeof(vu->err)];

		/* Keep the failure's reason, even if the answer fails as well. */
		memcpy(err, vu->err, sizeof(err));
		if (reply_u64(vu, rc ? 1 : status) && !rc)
			return -1;
		if (rc)
			memcpy(vu->err, err, sizeof(err));
	}

	return rc;
}

/* Receive more of the current message; *@got is 0 when nothing has arrived. */
static enum vu_status receive_some(struct vu *vu, size_t want, size_t *got)
{
	long n = stream_recv(&vu->io, vu->rx + vu->rx_len, want);

	*got = 0;
	if (n == -1) {
		if (!vu->rx_len)
			return VU_CLOSED;
		vu_fail(vu, "the front-end hung up inside a message, after %zu bytes", vu->rx_len);
		return VU_ERROR;
	}

	if (n < 0) {
		vu_fail(vu, "%s", vu->io.err);
		return VU_ERROR;
	}

	vu->rx_len += (size_t)n;
	*got = (size_t)n;
	return VU_OK;
}

enum vu_status vu_receive(struct vu *vu)
{
	unsigned int handled = 0;

	while (handled < MESSAGES_PER_CALL) {
		size_t want = VU_HEADER_SIZE;
		size_t got;

		if (vu->rx_len >= VU_HEADER_SIZE) {
			if (vu->msg.size > VU_MAX_PAYLOAD) {
				vu_fail(vu, "%s (%u): %u bytes of payload, at most %d are allowed",
					request_name(vu->msg.request), vu->msg.request,
					vu->msg.size, VU_MAX_PAYLOAD);
				return VU_ERROR;
			}
			want += vu->msg.size;
		}

		if (vu->rx_len < want) {
			enum vu_status st = receive_some(vu, want - vu->rx_len, &got);

			if (st != VU_OK || !got)
				return st;
			continue;
		}

		if (handle_message(vu))
			return VU_ERROR;
		handled++;
	}

	return VU_OK;
}
