/* SPDX-License-Identifier: MIT */
/* Generators of hostile pushbuffers for the pushbuffer fuzzer. */
#ifndef NVFIFO_TESTS_PUSH_GEN_H
#define NVFIFO_TESTS_PUSH_GEN_H

#include "fuzz.h"

#define GEN_WORDS	2048	/* most words of one segment */
#define GEN_HANDLES	32
#define GEN_ADDRESSES	16
#define GEN_SOFTWARE	3	/* software objects of a channel that has them */
#define GEN_SOFTWARE_HANDLE 0x50f70000

/**
 * struct gen - Objects and addresses for a generator, and its output
 * @rng: Its random numbers.
 * @more: Random numbers for later additions, so that the kept cases stay the same.
 * @software: The channel has software objects.
 * @chipset: Chipset id of the card.
 * @dma_mode: The channel reads a linear buffer: jumps and calls have a meaning.
 * @base: Virtual address of @words[0].
 * @handles: Handles of objects that exist, and some that do not.
 * @num_handles: Their number.
 * @engine_handles: How many of the first @handles are objects of PGRAPH.
 * @addresses: Virtual addresses that mean something: mapped, read-only, unmapped, the last.
 * @num_addresses: Their number.
 * @words: The segment.
 * @n: Words so far.
 */
struct gen {
	struct rng rng;
	struct rng more;
	bool software;
	uint32_t chipset;
	bool dma_mode;
	uint64_t base;
	uint32_t handles[GEN_HANDLES];
	uint32_t num_handles;
	uint32_t engine_handles;
	uint64_t addresses[GEN_ADDRESSES];
	uint32_t num_addresses;
	uint32_t words[GEN_WORDS];
	uint32_t n;
};

/* Read the words of tests/data/mesa-*.txt; false if there are none. */
bool gen_read_recorded(void);

/* Write one segment by a random generator. */
void gen_segment(struct gen *g);

#endif
