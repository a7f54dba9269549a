/* SPDX-License-Identifier: MIT */
/* Marks for tests/bench/count.c: long NOPs, which carry a mark as their displacement */
#ifndef NVFIFO_TESTS_BENCH_MARK_H
#define NVFIFO_TESTS_BENCH_MARK_H

#define MARK_BASE	0x6e760000
#define MARK_BEGIN	1	/* count from here */
#define MARK_END	2	/* to here: one sample */
#define MARK_ROW	3	/* the samples so far are one row's */

#endif
