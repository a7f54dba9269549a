/* SPDX-License-Identifier: MIT */
/* Declarations that the files of libnvfifo share and do not export */
#ifndef NVFIFO_PRIV_H
#define NVFIFO_PRIV_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "nvfifo.h"

/* Keep a sentence for nvfifo_last_error(). Return: @err, a negative errno. */
__attribute__((format(printf, 2, 3))) int nvfifo_error(int err, const char *fmt, ...);

/*
 * The last part of the path that a link of sysfs leads to. Return: false, and @name is "", if there
 * is no such link or the part does not fit in @size bytes.
 */
bool nvfifo_link_name(const char *link, char *name, size_t size);

#endif
