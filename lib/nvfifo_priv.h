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

/* The chip of an id, enum nv_chip, in whose order the list of ids is; -1 if unknown */
int nvfifo_chip_of(__u32 chipset);

/*
 * Make room for one more element in an array of @count elements of @size bytes, and clear it. The
 * room doubles, so that the count alone tells whether the array is full. Return: the array, or NULL
 * after nvfifo_error().
 */
void *nvfifo_grow(void *array, size_t count, size_t size);

/* Add a cleared element. Value: a pointer to it, NULL without memory. */
#define NVFIFO_ADD(array, count)                                                       \
	({                                                                             \
		__typeof__(array) grown_ = nvfifo_grow(array, count, sizeof(*(array))); \
		if (grown_)                                                            \
			(array) = grown_;                                              \
		grown_ ? &(array)[(count)++] : NULL;                                   \
	})

/* Add a copy of @element. Value: 0 or -ENOMEM. */
#define NVFIFO_APPEND(array, count, element)                             \
	({                                                               \
		__typeof__(array) added_ = NVFIFO_ADD(array, count);     \
		if (added_)                                              \
			*added_ = (element);                             \
		added_ ? 0 : -ENOMEM;                                    \
	})

#endif
