/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_METHOD_NAME_H_
#define _NVFIFO_METHOD_NAME_H_

#include <linux/types.h>

/* Room for the longest name with the number of an array's element. */
#define NVFIFO_METHOD_NAME	48

const char *nvfifo_method_text(u32 class, u32 method, char text[NVFIFO_METHOD_NAME]);

#endif
