// SPDX-License-Identifier: MIT
/*
 * Split virtqueue, device side.
 *
 * The guest may write to the ring's memory at any time. So every index and descriptor is
 * read once into a local variable and checked there.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "vring.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

void virtq_init(struct virtq *q)
{
	memset(q, 0, sizeof(*q));
	q->kick_fd = -1;
	q->call_fd = -1;
}

void virtq_reset(struct virtq *q)
{
	if (q->kick_fd >= 0)
		close(q->kick_fd);
	if (q->call_fd >= 0)
		close(q->call_fd);
	virtq_init(q);
}

static void *ring_part(const struct guest_mem *mem, const char *name, uint64_t uaddr, size_t len,
		       unsigned int align, char *err, size_t err_len)
{
	void *ptr;

	if (uaddr & (align - 1)) {
		snprintf(err, err_len, "%s ring at 0x%" PRIx64 " is not aligned to %u bytes", name,
			 uaddr, align);
		return NULL;
	}

	ptr = guest_mem_by_uaddr(mem, uaddr, len);

	/* The region's offset in its file may undo the alignment of the address. */
	if (ptr && ((uintptr_t)ptr & (align - 1)))
		ptr = NULL;

	if (!ptr)
		snprintf(err, err_len, "%s ring at 0x%" PRIx64 "+0x%zx is not in guest memory",
			 name, uaddr, len);

	return ptr;
}

int virtq_start(struct virtq *q, const struct guest_mem *mem, char *err, size_t err_len)
{
	struct vring_desc *desc;
	struct vring_avail *avail;
	struct vring_used *used;

	desc = ring_part(mem, "descriptor", q->desc_ua, q->num * sizeof(*desc),
			 VRING_DESC_ALIGN_SIZE, err, err_len);
	if (!desc)
		return -1;

	avail = ring_part(mem, "available", q->avail_ua,
			  sizeof(*avail) + q->num * sizeof(avail->ring[0]), VRING_AVAIL_ALIGN_SIZE,
			  err, err_len);
	if (!avail)
		return -1;

	used = ring_part(mem, "used", q->used_ua, sizeof(*used) + q->num * sizeof(used->ring[0]),
			 VRING_USED_ALIGN_SIZE, err, err_len);
	if (!used)
		return -1;

	q->desc = desc;
	q->avail = avail;
	q->used = used;
	q->used_idx = le16toh(used->idx);
	return 0;
}

void virtq_stop(struct virtq *q)
{
	q->desc = NULL;
	q->avail = NULL;
	q->used = NULL;
}

/* Add the buffer of descriptor @idx to the chain; 0, or -1 with a reason. */
static int chain_add(struct vchain *c, const struct guest_mem *mem, uint16_t idx,
		     const struct vring_desc *d, char *err, size_t err_len)
{
	uint64_t addr = le64toh(d->addr);
	uint32_t len = le32toh(d->len);
	uint16_t flags = le16toh(d->flags);
	uint8_t *ptr;

	if (flags & ~(VRING_DESC_F_NEXT | VRING_DESC_F_WRITE)) {
		snprintf(err, err_len, "descriptor %u has flags 0x%x that were not offered", idx,
			 flags);
		return -1;
	}

	if (!(flags & VRING_DESC_F_WRITE) && c->segs != c->out_segs) {
		snprintf(err, err_len, "descriptor %u: buffer to read after one to write", idx);
		return -1;
	}

	ptr = guest_mem_by_gpa(mem, addr, len);
	if (!ptr) {
		snprintf(err, err_len,
			 "descriptor %u: buffer 0x%" PRIx64 "+0x%x is not in guest memory", idx,
			 addr, len);
		return -1;
	}

	if (c->segs == VCHAIN_MAX_SEG) {
		snprintf(err, err_len, "descriptor chain %u has more than %d buffers", c->head,
			 VCHAIN_MAX_SEG);
		return -1;
	}

	c->seg[c->segs].ptr = ptr;
	c->seg[c->segs].len = len;
	c->segs++;
	if (flags & VRING_DESC_F_WRITE) {
		c->in_len += len;
	} else {
		c->out_len += len;
		c->out_segs = c->segs;
	}

	return 0;
}

int virtq_pop(struct virtq *q, const struct guest_mem *mem, struct vchain *c, char *err,
	      size_t err_len)
{
	uint16_t avail = le16toh(virtq_avail_idx(q));
	unsigned int count = 0;
	uint16_t idx;

	if (avail == q->last_avail)
		return 0;

	if ((uint16_t)(avail - q->last_avail) > q->num) {
		snprintf(err, err_len, "available index went from %u to %u in a ring of %u",
			 q->last_avail, avail, q->num);
		return -1;
	}

	idx = le16toh(q->avail->ring[q->last_avail & (q->num - 1)]);
	c->head = idx;
	c->out_segs = 0;
	c->segs = 0;
	c->out_len = 0;
	c->in_len = 0;

	for (;;) {
		struct vring_desc d;

		if (idx >= q->num) {
			snprintf(err, err_len, "descriptor %u of a ring of %u", idx, q->num);
			return -1;
		}
		if (count++ == q->num) {
			snprintf(err, err_len, "descriptor chain %u is a loop", c->head);
			return -1;
		}

		/* The guest may change it at any time: read it once. */
		memcpy(&d, &q->desc[idx], sizeof(d));
		if (chain_add(c, mem, idx, &d, err, err_len))
			return -1;

		if (!(le16toh(d.flags) & VRING_DESC_F_NEXT))
			break;
		idx = le16toh(d.next);
	}

	q->last_avail++;
	return 1;
}

void virtq_push(struct virtq *q, uint16_t head, uint32_t len)
{
	struct vring_used_elem *e = &q->used->ring[q->used_idx & (q->num - 1)];

	e->id = htole32(head);
	e->len = htole32(len);
	q->used_idx++;
	__atomic_store_n(&q->used->idx, htole16(q->used_idx), __ATOMIC_RELEASE);
}

void virtq_want_kicks(struct virtq *q, bool want)
{
	/* The caller reads the ring again after it asked for kicks: order the two. */
	__atomic_store_n(&q->used->flags, htole16(want ? 0 : VRING_USED_F_NO_NOTIFY),
			 __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

int virtq_drain_kick(struct virtq *q)
{
	uint64_t buf[8];
	struct iovec iov = {.iov_base = buf, .iov_len = sizeof(buf)};
	ssize_t n;

	/*
	 * The guest shares the file description, so O_NONBLOCK would change its end, too.
	 * poll() has seen data; RWF_NOWAIT is for the case of a second reader.
	 */
	n = preadv2(q->kick_fd, &iov, 1, -1, RWF_NOWAIT);
	if (n < 0 && errno == EOPNOTSUPP)
		n = read(q->kick_fd, buf, sizeof(buf));

	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return 0;

	return -1;
}

void virtq_call(struct virtq *q)
{
	static const uint64_t one = 1;
	struct pollfd pfd = {.fd = q->call_fd, .events = POLLOUT};

	if (q->call_fd < 0)
		return;

	/* Used index first, then the flag: the guest does the reverse. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (le16toh(__atomic_load_n(&q->avail->flags, __ATOMIC_RELAXED)) &
	    VRING_AVAIL_F_NO_INTERRUPT)
		return;

	/* A full descriptor still holds a notification that the guest has not seen. */
	if (send(q->call_fd, &one, sizeof(one), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
	    errno == ENOTSOCK && poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLOUT) &&
	    write(q->call_fd, &one, sizeof(one)) < 0 && errno == EPIPE) {
		close(q->call_fd);
		q->call_fd = -1;
	}
}

size_t vchain_read(const struct vchain *c, uint64_t off, void *buf, size_t len)
{
	size_t done = 0;
	unsigned int i;

	for (i = 0; i < c->out_segs && done < len; i++) {
		size_t n;

		if (off >= c->seg[i].len) {
			off -= c->seg[i].len;
			continue;
		}
		n = c->seg[i].len - (size_t)off;
		if (n > len - done)
			n = len - done;
		memcpy((uint8_t *)buf + done, c->seg[i].ptr + off, n);
		done += n;
		off = 0;
	}

	return done;
}

size_t vchain_write(const struct vchain *c, uint64_t off, const void *buf, size_t len)
{
	size_t done = 0;
	unsigned int i;

	for (i = c->out_segs; i < c->segs && done < len; i++) {
		size_t n;

		if (off >= c->seg[i].len) {
			off -= c->seg[i].len;
			continue;
		}
		n = c->seg[i].len - (size_t)off;
		if (n > len - done)
			n = len - done;
		memcpy(c->seg[i].ptr + off, (const uint8_t *)buf + done, n);
		done += n;
		off = 0;
	}

	return done;
}
