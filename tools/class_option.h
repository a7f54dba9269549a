/* SPDX-License-Identifier: MIT */
/* --class HANDLE=CLASS of "nvfifo disasm" and "nvfifo lint" */
#ifndef NVFIFO_CLASS_OPTION_H
#define NVFIFO_CLASS_OPTION_H

#include "nvfifo.h"
#include "tools.h"

/* Handles and classes of the options so far */
struct class_list {
	struct {
		__u32 handle;
		__u32 oclass;
	} rows[NVFIFO_DECODE_HANDLES];
	size_t count;
};

/* For OPTION_CALL(), with a struct class_list. */
int take_class(const struct subcommand *cmd, void *ctx, const char *arg);

#endif
