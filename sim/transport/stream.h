/* SPDX-License-Identifier: MIT */
/*
 * A unix stream socket whose messages may carry file descriptors. Receiving does not block.
 */
#ifndef NVSIM_STREAM_H
#define NVSIM_STREAM_H

#include <stddef.h>

#define STREAM_MAX_FDS 8

struct stream {
	int sock;
	/* Descriptors received since stream_close_fds(); one that was taken is -1. */
	unsigned int fd_count;
	int fds[STREAM_MAX_FDS];
	char err[160];
};

/* Takes over @sock. */
void stream_init(struct stream *st, int sock);
void stream_destroy(struct stream *st);

/*
 * Receive at most @want bytes. Returns their number, 0 if there are none now, -1 if the other end
 * has hung up, or -2 and st->err after an error.
 */
long stream_recv(struct stream *st, void *buf, size_t want);
/* Send all @len bytes. Returns 0, or -1 and st->err if the other end does not take them. */
int stream_send(struct stream *st, const void *buf, size_t len);

void stream_close_fds(struct stream *st);
/* The descriptor number @i now belongs to the caller. */
int stream_take_fd(struct stream *st, unsigned int i);

#endif
