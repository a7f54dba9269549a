/* SPDX-License-Identifier: MIT */
/*
 * Included before each file for WebAssembly. emscripten has other numbers of errors. The number of
 * the error that ends a fence is part of the driver's interface and of the output.
 */
#ifndef NVFIFO_LINUX_ERRNO_H
#define NVFIFO_LINUX_ERRNO_H

/* As files define it that come after; the C library looks once. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#undef ECANCELED
#define ECANCELED	125

static inline const char *linux_strerror(int error)
{
	return error == ECANCELED ? "Operation canceled" : strerror(error);
}

#define strerror	linux_strerror

#endif
