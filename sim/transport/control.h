/* SPDX-License-Identifier: MIT */
/*
 * The control socket: people and scripts on the host send lines of text for nvsim_command(). The
 * answer to each is one line.
 */
#ifndef NVSIM_CONTROL_H
#define NVSIM_CONTROL_H

#include <stdbool.h>

struct control;
struct port;

/* Listen on @path. Returns NULL and sets errno on failure. */
struct control *control_open(const char *path);
void control_close(struct control *c);
/* The descriptor to watch for POLLIN; -1 if @c is NULL. */
int control_fd(const struct control *c);
/* Accept clients and run the commands that have arrived. */
void control_serve(struct control *c, struct port *port);

#endif
