// SPDX-License-Identifier: MIT
/*
 * Bytes and file descriptors over a unix stream socket.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for descriptors in one recvmsg(): more than a message may have, to detect an excess */
#define FDS_PER_RECV 16

/* The session ends if the other end does not read answers for this time. */
#define SEND_TIMEOUT_MS 1000

void stream_init(struct stream *st, int sock)
{
	memset(st, 0, sizeof(*st));
	st->sock = sock;
}

void stream_destroy(struct stream *st)
{
	stream_close_fds(st);
	close(st->sock);
	st->sock = -1;
}

void stream_close_fds(struct stream *st)
{
	while (st->fd_count) {
		int fd = st->fds[--st->fd_count];

		if (fd >= 0)
			close(fd);
	}
}

int stream_take_fd(struct stream *st, unsigned int i)
{
	int fd = st->fds[i];

	st->fds[i] = -1;
	return fd;
}

static bool collect_fds(struct stream *st, struct msghdr *mh)
{
	bool excess = mh->msg_flags & MSG_CTRUNC;
	struct cmsghdr *cm;

	for (cm = CMSG_FIRSTHDR(mh); cm; cm = CMSG_NXTHDR(mh, cm)) {
		size_t n, i;

		if (cm->cmsg_level != SOL_SOCKET || cm->cmsg_type != SCM_RIGHTS)
			continue;
		n = (cm->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(cm) + i * sizeof(int), sizeof(fd));
			if (st->fd_count < STREAM_MAX_FDS) {
				st->fds[st->fd_count++] = fd;
			} else {
				close(fd);
				excess = true;
			}
		}
	}

	return !excess;
}

long stream_recv(struct stream *st, void *buf, size_t want)
{
	union {
		char buf[CMSG_SPACE(FDS_PER_RECV * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {.iov_base = buf, .iov_len = want};
	struct msghdr mh = {
	    .msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = control.buf,
	    .msg_controllen = sizeof(control.buf),
	};
	ssize_t n = recvmsg(st->sock, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		if (errno == ECONNRESET)
			return -1;
		snprintf(st->err, sizeof(st->err), "cannot receive: %s", strerror(errno));
		return -2;
	}

	if (n == 0)
		return -1;

	if (!collect_fds(st, &mh)) {
		snprintf(st->err, sizeof(st->err), "a message carries more than %d descriptors",
			 STREAM_MAX_FDS);
		return -2;
	}

	return n;
}

int stream_send(struct stream *st, const void *buf, size_t len)
{
	const uint8_t *p = buf;

	while (len) {
		ssize_t n = send(st->sock, p, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		struct pollfd pfd = {.fd = st->sock, .events = POLLOUT};

		if (n > 0) {
			p += n;
			len -= (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN) {
			snprintf(st->err, sizeof(st->err), "cannot answer: %s", strerror(errno));
			return -1;
		}
		if (poll(&pfd, 1, SEND_TIMEOUT_MS) == 0) {
			snprintf(st->err, sizeof(st->err),
				 "the front-end does not read its answers");
			return -1;
		}
	}

	return 0;
}
