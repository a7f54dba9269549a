// SPDX-License-Identifier: MIT
/* A client of the nouveau driver. */
#define _FILE_OFFSET_BITS 64
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define M(subc, mthd, count)	((uint32_t)(count) << 18 | (subc) << 13 | (mthd))

int nouveau_open(void)
{
	char path[64];
	int i, fd;

	for (i = 128; i < 136; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	}

	return -1;
}

int nouveau_call(int fd, unsigned long req, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, req, arg);
	while (ret && (errno == EINTR || errno == EAGAIN));
	return ret;
}

bool nouveau_bo_new(int fd, struct nouveau_bo *b, uint32_t domain)
{
	struct nv_gem_new n = {
		.info = {
			.size = NOUVEAU_BO_SIZE,
			.domain = domain | NV_DOMAIN_GART | NV_DOMAIN_MAPPABLE,
		},
		.align = 0x1000,
	};

	memset(b, 0, sizeof(*b));
	if (nouveau_call(fd, NV_IOCTL_GEM_NEW, &n))
		return false;
	b->handle = n.info.handle;
	b->domain = domain;
	b->va = n.info.offset;
	b->map = mmap(NULL, NOUVEAU_BO_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      n.info.map_handle);
	return b->map != MAP_FAILED;
}

bool nouveau_bo_free(int fd, struct nouveau_bo *b)
{
	struct nv_gem_close c = { .handle = b->handle };

	munmap(b->map, NOUVEAU_BO_SIZE);
	return !nouveau_call(fd, NV_IOCTL_GEM_CLOSE, &c);
}

bool nouveau_idle(int fd, const struct nouveau_bo *b)
{
	struct nv_cpu_prep p = { .handle = b->handle, .flags = NV_CPU_PREP_WRITE };

	return !nouveau_call(fd, NV_IOCTL_GEM_CPU_PREP, &p);
}

bool nouveau_submit(int fd, int channel, struct nouveau_bo *push, uint32_t words,
		    struct nouveau_bo *a, struct nouveau_bo *b)
{
	struct nouveau_bo *all[] = { push, a, b };
	struct nv_pushbuf_bo bufs[3];
	struct nv_pushbuf_push seg = { .length = (words ? words : 1) * 4 };
	struct nv_pushbuf p = {
		.channel = channel,
		.nr_buffers = 3,
		.buffers = (uintptr_t)bufs,
		.nr_push = 1,
		.push = (uintptr_t)&seg,
	};
	unsigned int i;

	if (!words)
		*(uint32_t *)push->map = 0;	/* NOP */
	memset(bufs, 0, sizeof(bufs));
	for (i = 0; i < 3; i++) {
		bufs[i].handle = all[i]->handle;
		bufs[i].valid_domains = all[i]->domain;
		bufs[i].read_domains = all[i]->domain;
		bufs[i].write_domains = i ? all[i]->domain : 0;
	}

	return !nouveau_call(fd, NV_IOCTL_GEM_PUSHBUF, &p);
}

uint32_t nouveau_add(struct nouveau_bo *push, uint32_t at, uint32_t subc, uint32_t mthd,
		     const uint32_t *data, uint32_t count)
{
	uint32_t *w = (uint32_t *)push->map + at, i;

	w[0] = M(subc, mthd, count);
	for (i = 0; i < count; i++)
		w[i + 1] = data[i];
	return at + count + 1;
}
