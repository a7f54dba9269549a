/* SPDX-License-Identifier: MIT */
/* Programs of system calls for the ioctl fuzzer. */
#ifndef NVFIFO_TESTS_FUZZ_IOCTL_H
#define NVFIFO_TESTS_FUZZ_IOCTL_H

#include "fuzz.h"

#define PROG_BYTES	320
#define PROG_CALLS	64		/* most calls of one program */

/**
 * struct prog - A program of system calls
 * @len: Bytes in @code.
 * @code: Each call takes its number and its arguments from the next bytes. So any bytes are a
 *	valid program, and mutation needs no knowledge of the format.
 */
struct prog {
	uint32_t len;
	uint8_t code[PROG_BYTES];
};

/**
 * struct world - State of the calls of a program; threads may share one
 * @fd: The render node.
 * @code_map: Memory of buffer 1, which holds commands.
 * @shared: dma-bufs and sync files that a program exported.
 * @maps: Mappings of a program.
 * @pipe: Moves bytes to and from mappings without a signal where a page is missing.
 * @calls: System calls so far.
 * @succeeded: How many of them returned no error.
 */
struct world {
	int fd;
	uint32_t *code_map;
	int shared[4];
	void *maps[4];
	int pipe[2];
	volatile uint32_t calls;
	volatile uint32_t succeeded;
};

/* Open the node and make the objects of most calls: buffer 1, address space 1, channel 1. */
bool world_open(struct world *w);
void world_close(struct world *w);

/* Execute @p; @skip leaves out that many bytes at its start. */
void prog_run(struct world *w, const struct prog *p, uint32_t skip);

#endif
