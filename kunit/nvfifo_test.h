/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers that all suites share.
 *
 * Random values come from a generator with a fixed seed: a failure repeats.
 */
#ifndef _NVFIFO_TEST_H_
#define _NVFIFO_TEST_H_

#include <linux/prandom.h>
#include <linux/types.h>

#include <kunit/test.h>

#include "nvfifo_command.h"
#include "nvfifo_fmt_user.h"

/* Rounds of each property test. */
#define NVFIFO_TEST_ROUNDS	4096

/* Multiplies the steps of the tests that change page tables at random. */
extern unsigned int nvfifo_test_random_factor;

static inline void nvfifo_test_seed(struct rnd_state *rnd)
{
	prandom_seed_state(rnd, 0x50);
}

static inline u64 nvfifo_test_rnd64(struct rnd_state *rnd)
{
	u64 high = prandom_u32_state(rnd);

	return high << 32 | prandom_u32_state(rnd);
}

/* A number from 0 to @n - 1. */
static inline u32 nvfifo_test_below(struct rnd_state *rnd, u32 n)
{
	return prandom_u32_state(rnd) % n;
}

#endif
