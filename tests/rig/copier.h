/* SPDX-License-Identifier: MIT */
/* A file with a channel that copies by M2MF: how a test writes VRAM, and looks at it. */
#ifndef NVFIFO_TESTS_COPIER_H
#define NVFIFO_TESTS_COPIER_H

#include "rig.h"

/**
 * struct copier - An open file with a channel that copies
 * @nv: The file.
 * @vm: Its address space.
 * @ch: The channel.
 * @window: System memory, in which VRAM is looked at.
 * @window_va: Its address.
 */
struct copier {
	struct nv nv;
	uint32_t vm;
	struct ch ch;
	struct bo window;
	uint64_t window_va;
};

/* Open the node and make the channel. Ends the test if that fails. */
void copier_open(struct copier *p);

/* The number of words of a VRAM buffer that differ from @want. */
uint64_t copier_differing(struct copier *p, const struct bo *bo, uint32_t want);

/* Write @word all over a VRAM buffer. */
void copier_fill(struct copier *p, const struct bo *bo, uint32_t word);

/**
 * struct spy - Findings of a process that searches for others' data, in shared memory
 * @pid: The process.
 * @rounds: Buffers that it has looked at.
 * @wrong: Words in them that were not zero.
 * @refused: Times that it got no buffer.
 * @longest_ns: The longest time that BO_CREATE took.
 * @stop: The test wants it to end.
 */
struct spy {
	pid_t pid;
	volatile uint32_t rounds;
	volatile uint64_t wrong;
	volatile uint32_t refused;
	volatile int64_t longest_ns;
	volatile bool stop;
};

/*
 * Fork a process without privileges. Again and again it takes up to 6 MiB of VRAM, looks for words
 * that are not zero, fills them, and gives the VRAM back.
 */
struct spy *spy_start(void);

/* End the process. Checks that it has seen nothing but zeros, in @rounds or more buffers. */
void spy_stop(struct spy *spy, uint32_t rounds);

#endif
