// SPDX-License-Identifier: MIT
/*
 * Memory of the model in WebAssembly, which has no mmap() of a part of a file. It comes from sbrk(),
 * zeroed, so the browser supplies its pages when they are touched. A command runs in an instance of
 * its own, which has one card at a time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nvfifo_priv.h"

#include "../model/priv.h"

static __u8 *memory;

int model_pages_get(struct model *m)
{
	/* "--step" may open a second card after the first one is closed. */
	if (memory)
		memset(memory, 0, MODEL_VRAM + MODEL_SYSTEM);
	else
		memory = sbrk(MODEL_VRAM + MODEL_SYSTEM);
	if (memory == (void *)-1) {
		memory = NULL;
		return nvfifo_error(-ENOMEM, "no memory for the model");
	}

	m->memory = memory;

	return 0;
}

void model_pages_put(struct model *m)
{
	m->memory = NULL;
}

void *model_pages_map(struct model *m, __u64 offset, __u64 size)
{
	if (offset > MODEL_VRAM + MODEL_SYSTEM || size > MODEL_VRAM + MODEL_SYSTEM - offset) {
		errno = EINVAL;
		return MAP_FAILED;
	}

	return m->memory + offset;
}
