/* SPDX-License-Identifier: MIT */
/* Helpers of the fuzzers that run in a guest: random numbers from a seed, which repeat */
#ifndef NVFIFO_TESTS_FUZZ_H
#define NVFIFO_TESTS_FUZZ_H

#include "../rig/rig.h"
#include "../rig/witness.h"
#include "nvfifo_text.h"

struct rng {
	uint64_t state;
};

/* SplitMix64: each seed is as good as any other, also 0 and small ones. */
static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline uint32_t rng_word(struct rng *r)
{
	return (uint32_t)rng_next(r);
}

/* A number below @n, which is not 0 */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

/* True once in @n times */
static inline bool rng_one_in(struct rng *r, uint32_t n)
{
	return !rng_below(r, n);
}

/* A number from the environment, or @otherwise. */
static inline uint64_t env_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	if (!text || !*text)
		return otherwise;
	return nvfifo_text_value(text, 0);
}

#endif
