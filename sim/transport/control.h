/* SPDX-License-Identifier: MIT */
/*
 * The control socket: lines of text for nvsim_command() from people and scripts on the host. Each
 * line is answered with one line.
 */
#ifndef NVSIM_CONTROL_H
#define NVSIM_CONTROL_H

#include <stdbool.h>

struct control;
struct port;

/* Listens on @path; NULL and errno. */
struct control *control_open(const char *path);
void control_close(struct control *c);
/* To be watched for POLLIN; -1 if @c is NULL. */
int control_fd(const struct control *c);
/* Carries out what has come. */
void control_serve(struct control *c, struct port *port);

#endif
