// SPDX-License-Identifier: MIT
/*
 * The control socket. Its listener and its clients are in one epoll set, so that a transport has
 * one descriptor to watch.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../lib/nvfifo_text.h"
#include "../record/port.h"

#define CLIENTS	 4
#define LINE_MAX_LEN 256

struct client {
	int fd; /* -1: free */
	size_t len;
	char line[LINE_MAX_LEN];
};

struct control {
	int epoll, listener;
	struct sockaddr_un sa;
	struct client client[CLIENTS];
};

static int watch(const struct control *c, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data = {.fd = fd}};

	return epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &ev);
}

struct control *control_open(const char *path)
{
	struct control *c = calloc(1, sizeof(*c));
	unsigned int i;

	if (!c)
		return NULL;

	for (i = 0; i < CLIENTS; i++)
		c->client[i].fd = -1;

	c->sa.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(c->sa.sun_path)) {
		free(c);
		errno = ENAMETOOLONG;
		return NULL;
	}

	strcpy(c->sa.sun_path, path);
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	c->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->epoll < 0 || c->listener < 0 ||
	    bind(c->listener, (const struct sockaddr *)&c->sa, sizeof(c->sa)))
		goto err_close;
	if (listen(c->listener, CLIENTS) || watch(c, c->listener))
		goto err_unlink;

	return c;

err_unlink:
	unlink(path);
err_close:
	i = (unsigned int)errno;
	if (c->listener >= 0)
		close(c->listener);

	if (c->epoll >= 0)
		close(c->epoll);

	free(c);
	errno = (int)i;
	return NULL;
}

static void drop(struct client *cl)
{
	close(cl->fd);
	cl->fd = -1;
	cl->len = 0;
}

void control_close(struct control *c)
{
	unsigned int i;

	if (!c)
		return;

	for (i = 0; i < CLIENTS; i++)
		if (c->client[i].fd >= 0)
			drop(&c->client[i]);

	unlink(c->sa.sun_path);
	close(c->listener);
	close(c->epoll);
	free(c);
}

int control_fd(const struct control *c)
{
	return c ? c->epoll : -1;
}

static void accept_client(struct control *c)
{
	int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	unsigned int i;

	if (fd < 0)
		return;

	for (i = 0; i < CLIENTS; i++)
		if (c->client[i].fd < 0)
			break;

	if (i == CLIENTS || watch(c, fd)) {
		close(fd);
		return;
	}

	c->client[i].fd = fd;
	c->client[i].len = 0;
}

static bool answer(struct client *cl, struct port *port, const char *line)
{
	char text[LINE_MAX_LEN];
	size_t len;

	port_command(port, line, text, sizeof(text) - 1);
	len = strlen(text);
	text[len++] = '\n';
	return send(cl->fd, text, len, MSG_NOSIGNAL) == (ssize_t)len;
}

/* Run the complete lines that have arrived; false to drop the client. */
static bool lines(struct client *cl, struct port *port)
{
	const char *end;

	while ((end = nvfifo_text_line_end(cl->line, cl->line + cl->len)) < cl->line + cl->len) {
		size_t n = (size_t)(end - cl->line) + 1;

		cl->line[n - 1] = 0;
		if (!answer(cl, port, cl->line))
			return false;
		cl->len -= n;
		memmove(cl->line, cl->line + n, cl->len);
	}

	return cl->len < sizeof(cl->line);
}

static void serve_client(struct client *cl, struct port *port)
{
	ssize_t n = recv(cl->fd, cl->line + cl->len, sizeof(cl->line) - cl->len, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(cl);
		return;
	}

	cl->len += (size_t)n;
	if (!lines(cl, port))
		drop(cl);
}

void control_serve(struct control *c, struct port *port)
{
	struct epoll_event ev[CLIENTS + 1];
	int n = epoll_wait(c->epoll, ev, CLIENTS + 1, 0), i;
	unsigned int k;

	for (i = 0; i < n; i++) {
		if (ev[i].data.fd == c->listener) {
			accept_client(c);
			continue;
		}
		for (k = 0; k < CLIENTS; k++)
			if (c->client[k].fd == ev[i].data.fd)
				serve_client(&c->client[k], port);
	}
}
