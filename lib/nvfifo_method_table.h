/* SPDX-License-Identifier: MIT */
/* Rows of the method tables; nvfifo_method_table.c describes them. */
#ifndef NVFIFO_METHOD_TABLE_H
#define NVFIFO_METHOD_TABLE_H

#include <linux/types.h>

struct nvfifo_method_row {
	__u16 method;
	__u16 stride;
	__u16 count;
	__u8 generations;
	const char *name;
	const char *value;
};

struct nvfifo_method_type {
	const char *name;
	const char *value;
};

extern const struct nvfifo_method_type nvfifo_method_types[];
extern const struct nvfifo_method_row nvfifo_methods_2d[];
extern const struct nvfifo_method_row nvfifo_methods_m2mf[];
extern const struct nvfifo_method_row nvfifo_methods_3d[];
extern const struct nvfifo_method_row nvfifo_methods_compute[];
extern const struct nvfifo_method_row nvfifo_methods_cipher[];
extern const struct nvfifo_method_row nvfifo_methods_copy[];
extern const struct nvfifo_method_row nvfifo_methods_mpeg[];
extern const struct nvfifo_method_row nvfifo_methods_me[];
extern const struct nvfifo_method_row nvfifo_methods_vp1[];

#endif
