// SPDX-License-Identifier: MIT
/*
 * Memory of the model as a file without a name: programs map parts of it, as they map a buffer of
 * the device file. Untouched pages take no memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nvfifo_priv.h"
#include "priv.h"

int model_pages_get(struct model *m)
{
	m->fd = memfd_create("nvfifo model", MFD_CLOEXEC);
	if (m->fd < 0 || ftruncate(m->fd, (off_t)(MODEL_VRAM + MODEL_SYSTEM)))
		return nvfifo_error(-errno, "no memory for the model: %s", strerror(errno));

	m->memory = mmap(NULL, MODEL_VRAM + MODEL_SYSTEM, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, m->fd, 0);
	if (m->memory == MAP_FAILED) {
		m->memory = NULL;
		return nvfifo_error(-errno, "no memory for the model: %s", strerror(errno));
	}

	return 0;
}

void model_pages_put(struct model *m)
{
	if (m->memory)
		munmap(m->memory, MODEL_VRAM + MODEL_SYSTEM);
	if (m->fd >= 0)
		close(m->fd);
}

void *model_pages_map(struct model *m, __u64 offset, __u64 size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, (off_t)offset);
}
