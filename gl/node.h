/* SPDX-License-Identifier: MIT */
/* The card of a file: the kernel's (node.c), or a model in this process (node_model.c). */
#ifndef NVFIFO_GL_NODE_H
#define NVFIFO_GL_NODE_H

#include <stdbool.h>

/* Whether a file descriptor may be one of a card */
bool gl_node_is(int fd);

/**
 * gl_node_ioctl() - A call of the driver
 * @fd: A file descriptor of which gl_node_is() says so.
 * @file: Number of the open file, another one for each.
 * @request: As for ioctl(2).
 * @arg: As for ioctl(2).
 *
 * Return: 0 or -errno.
 */
int gl_node_ioctl(int fd, unsigned int file, unsigned long request, void *arg);

#endif
