/* SPDX-License-Identifier: MIT */
#ifndef TESTS_BENCH_MEDIAN_H
#define TESTS_BENCH_MEDIAN_H

#include <stdlib.h>

static inline int median_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sort the values, and return the middle one: of an even number the upper of the two. */
static inline double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), median_order);

	return values[count / 2];
}

#endif
