/* SPDX-License-Identifier: MIT */
/* The steps of compare.c as operations that either driver implements */
#ifndef NVFIFO_TESTS_NOUVEAU_COMPARE_H
#define NVFIFO_TESTS_NOUVEAU_COMPARE_H

#include <stdbool.h>

/* Mistakes in a pushbuffer */
enum mistake {
	MISTAKE_METHOD,		/* a method below 0x100 that does not exist */
	MISTAKE_HANDLE,		/* binding a handle that RAMHT does not have */
	MISTAKE_SEMAPHORE,	/* a release to a page that is not mapped */
	MISTAKE_GRAPH,		/* a method that M2MF does not have */
	MISTAKE_TRAP,		/* M2MF reads a page that is not mapped */
	MISTAKES
};

/* One of each at a time. All return whether it went well. */
struct driver {
	const char *name;
	bool (*open)(void);
	bool (*channel)(void);
	bool (*objects)(void);	/* M2MF and 2D, bound */
	bool (*map)(void);	/* one more buffer in VRAM */
	bool (*work)(void);	/* a copy by M2MF, with a wait for its end */
	bool (*unmap)(void);
	bool (*mistake)(enum mistake what); /* does not wait */
	bool (*channel_free)(void);
};

extern const struct driver nouveau_driver, nvfifo_driver;

#endif
