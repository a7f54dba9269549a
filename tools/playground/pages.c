// SPDX-License-Identifier: MIT
/*
 * Memory of the model in WebAssembly, which has no mmap() of a part of a file. The array lies in
 * .bss, so the browser supplies its pages when they are touched. A command runs in an instance of
 * its own, which has one card at a time.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../model/priv.h"

static __u8 memory[MODEL_VRAM + MODEL_SYSTEM] __attribute__((aligned(4096)));
static bool used;

int model_pages_get(struct model *m)
{
	m->memory = memory;
	/* "--step" may open a second card after the first one is closed. */
	if (used)
		memset(memory, 0, sizeof(memory));
	used = true;

	return 0;
}

void model_pages_put(struct model *m)
{
	m->memory = NULL;
}

void *model_pages_map(struct model *m, __u64 offset, __u64 size)
{
	if (offset > sizeof(memory) || size > sizeof(memory) - offset) {
		errno = EINVAL;
		return MAP_FAILED;
	}

	return m->memory + offset;
}
