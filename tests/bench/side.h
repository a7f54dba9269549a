/* SPDX-License-Identifier: MIT */
/*
 * Helpers for side_nvfifo.c and side_nouveau.c, which measure the same rows on either driver. Each
 * runs in a boot of its own. bench-nouveau.sh puts their lines side by side:
 *
 *	row NAME UNIT P10 MEDIAN SAMPLES
 *
 * UNIT is us, or an access to the card that the model counts: reads and writes of registers, and
 * stores to VRAM by a BAR. A store of many words counts once.
 *
 * tests/bench/count.c, a plugin of QEMU, counts the instructions between two marks. It numbers the
 * rows in the order in which they are printed.
 */
#ifndef NVFIFO_TESTS_BENCH_SIDE_H
#define NVFIFO_TESTS_BENCH_SIDE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../rig/rig.h"
#include "mark.h"

#define SIDE_SAMPLES	2000
#define SIDE_KIB	1024ull
#define SIDE_MIB	(1024 * SIDE_KIB)

/* Time for deferred work, which a row is to have */
#define SIDE_REST_US	50000

/* A long NOP, which does nothing on any processor and which the plugin knows. */
#define SIDE_MARK(what) \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80\n\t.long %c0" : : "i"(MARK_BASE | (what)) : "memory")

enum { SIDE_READS, SIDE_WRITES, SIDE_STORES, SIDE_COUNTERS };

static double side_us[SIDE_SAMPLES], side_accesses[SIDE_COUNTERS][SIDE_SAMPLES];
static uint32_t side_before[SIDE_COUNTERS];
static size_t side_n;
static int64_t side_start;

static inline int64_t side_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static inline void side_read_counters(uint32_t *counter)
{
	counter[SIDE_READS] = stat_of(mmio_reads);
	counter[SIDE_WRITES] = stat_of(mmio_writes);
	counter[SIDE_STORES] = stat_of(bar1_writes) + stat_of(bar3_writes);
}

static inline void side_begin(void)
{
	side_read_counters(side_before);
	side_start = side_now();
	SIDE_MARK(MARK_BEGIN);
}

static inline void side_end(void)
{
	uint32_t after[SIDE_COUNTERS], i;
	int64_t end;

	SIDE_MARK(MARK_END);
	end = side_now();
	if (side_n == SIDE_SAMPLES)
		return;

	side_read_counters(after);
	for (i = 0; i < SIDE_COUNTERS; i++)
		side_accesses[i][side_n] = after[i] - side_before[i];

	side_us[side_n++] = (double)(end - side_start) / 1000.0;
}

static inline int side_less(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static inline void side_unit(const char *name, const char *unit, double *samples)
{
	qsort(samples, side_n, sizeof(samples[0]), side_less);
	printf("row %s %s %.2f %.2f %zu\n", name, unit, samples[side_n / 10], samples[side_n / 2],
	       side_n);
}

/* Print the rows of a call, for the samples since the last one. */
static inline void side_row(const char *name)
{
	SIDE_MARK(MARK_ROW);
	if (!side_n)
		return;

	side_unit(name, "us", side_us);
	side_unit(name, "reads", side_accesses[SIDE_READS]);
	side_unit(name, "writes", side_accesses[SIDE_WRITES]);
	side_unit(name, "stores", side_accesses[SIDE_STORES]);
	fflush(stdout);
	side_n = 0;
}

/* Do as many rounds a second as it takes in so many processes. */
#define SIDE_RATE_MS	1500

struct side_worker {
	void (*open)(void);
	void (*round)(void);
	unsigned int per_round;
};

static inline void side_rate(const char *name, const struct side_worker *w, unsigned int processes)
{
	volatile uint64_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t total = 0;
	unsigned int i;
	int64_t end;

	if (shared == MAP_FAILED)
		exit(1);

	/* Words 0 to 7: rounds of each; 8: how many are ready; 9: when to start. */
	for (i = 0; i < processes; i++) {
		if (fork())
			continue;

		w->open();
		__atomic_fetch_add(&shared[8], 1, __ATOMIC_SEQ_CST);
		while (!shared[9])
			usleep(1000);
		end = side_now() + SIDE_RATE_MS * 1000000ll;
		while (side_now() < end) {
			w->round();
			shared[i] += w->per_round;
		}
		_exit(0);
	}

	while (shared[8] < processes)
		usleep(1000);
	shared[9] = 1;
	for (i = 0; i < processes; i++)
		wait(NULL);
	for (i = 0; i < processes; i++)
		total += shared[i];
	printf("row %s/%u rate %.0f %.0f 1\n", name, processes,
	       (double)total * 1000 / SIDE_RATE_MS, (double)total * 1000 / SIDE_RATE_MS);
	fflush(stdout);
	munmap((void *)shared, 4096);
}

#endif
