/* SPDX-License-Identifier: MIT */
/* Declarations that the files of libnvfifo share and do not export */
#ifndef NVFIFO_PRIV_H
#define NVFIFO_PRIV_H

#include <stdarg.h>

#include "nvfifo.h"

/* Keep a sentence for nvfifo_last_error(). Return: @err, a negative errno. */
__attribute__((format(printf, 2, 3))) int nvfifo_error(int err, const char *fmt, ...);

#endif
