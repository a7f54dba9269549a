/* SPDX-License-Identifier: MIT */
/* A client of the nouveau driver: its node, buffers, pushbuffers. */
#ifndef NVFIFO_TESTS_NOUVEAU_CLIENT_H
#define NVFIFO_TESTS_NOUVEAU_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

#define NOUVEAU_BO_SIZE	0x20000u

struct nouveau_bo {
	uint32_t handle, domain;
	uint64_t va;
	uint8_t *map;
};

/* The descriptor of the first render node, or -1 */
int nouveau_open(void);

/* ioctl(), restarted after a signal. */
int nouveau_call(int fd, unsigned long req, void *arg);

/* A mapped buffer of NOUVEAU_BO_SIZE bytes. nouveau may move one in VRAM to host memory. */
bool nouveau_bo_new(int fd, struct nouveau_bo *b, uint32_t domain);
bool nouveau_bo_free(int fd, struct nouveau_bo *b);

/* Wait until no work uses it. */
bool nouveau_idle(int fd, const struct nouveau_bo *b);

/*
 * Run @words from the start of @push. The kernel first moves @a and @b to their domains, if they
 * are elsewhere; it does so only for a submission that has words.
 */
bool nouveau_submit(int fd, int channel, struct nouveau_bo *push, uint32_t words,
		    struct nouveau_bo *a, struct nouveau_bo *b);

/* Write a command of @count words at word @at of @push. Returns the next command's place. */
uint32_t nouveau_add(struct nouveau_bo *push, uint32_t at, uint32_t subc, uint32_t mthd,
		     const uint32_t *data, uint32_t count);

#define NOUVEAU_ADD(push, at, subc, mthd, ...) \
	nouveau_add(push, at, subc, mthd, (const uint32_t[]){ __VA_ARGS__ }, \
		    sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)

#endif
