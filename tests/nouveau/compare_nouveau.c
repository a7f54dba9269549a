// SPDX-License-Identifier: MIT
/* The nouveau driver's side of the comparison. */
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "compare.h"

#define H_VRAM		0xbeef0201u
#define H_GART		0xbeef0202u
#define H_NOTIFY	0xbeef0301u
#define H_2D		0xbeef502du
#define H_M2MF		0xbeef5039u

#define SUBC_2D		3u
#define SUBC_M2MF	5u

static int fd;
static int channel;
static struct nouveau_bo push, vram, gart, extra;

static bool open_node(void)
{
	fd = nouveau_open();
	return fd >= 0;
}

static bool channel_new(void)
{
	struct nv_channel_alloc ch = { .vram_handle = H_VRAM, .gart_handle = H_GART };

	if (nouveau_call(fd, NV_IOCTL_CHANNEL_ALLOC, &ch))
		return false;
	channel = ch.channel;
	return true;
}

static bool object(uint32_t handle, int32_t class)
{
	struct nv_grobj_alloc obj = { .channel = channel, .handle = handle, .class = class };

	return !nouveau_call(fd, NV_IOCTL_GROBJ_ALLOC, &obj);
}

static bool objects(void)
{
	struct nv_notifier_alloc notify = { .channel = channel, .handle = H_NOTIFY, .size = 0x20 };
	uint32_t at;

	if (!object(H_M2MF, 0x5039) || !object(H_2D, 0x502d) ||
	    nouveau_call(fd, NV_IOCTL_NOTIFIER_ALLOC, &notify))
		return false;
	if (!push.map && !(nouveau_bo_new(fd, &push, NV_DOMAIN_GART) &&
			   nouveau_bo_new(fd, &gart, NV_DOMAIN_GART) &&
			   nouveau_bo_new(fd, &vram, NV_DOMAIN_VRAM)))
		return false;

	at = NOUVEAU_ADD(&push, 0, SUBC_M2MF, 0, H_M2MF);
	at = NOUVEAU_ADD(&push, at, SUBC_M2MF, 0x180, H_NOTIFY, H_GART, H_VRAM);
	at = NOUVEAU_ADD(&push, at, SUBC_2D, 0, H_2D);
	at = NOUVEAU_ADD(&push, at, SUBC_2D, 0x180, H_NOTIFY, H_VRAM, H_VRAM);
	return nouveau_submit(fd, channel, &push, at, &vram, &gart) && nouveau_idle(fd, &push);
}

static bool map(void)
{
	return nouveau_bo_new(fd, &extra, NV_DOMAIN_VRAM);
}

static bool unmap(void)
{
	return nouveau_bo_free(fd, &extra);
}

static uint32_t copy(uint64_t from, uint64_t to)
{
	uint32_t at;

	at = NOUVEAU_ADD(&push, 0, SUBC_M2MF, 0x200, 1);
	at = NOUVEAU_ADD(&push, at, SUBC_M2MF, 0x21c, 1);
	at = NOUVEAU_ADD(&push, at, SUBC_M2MF, 0x238, (uint32_t)(from >> 32), (uint32_t)(to >> 32));
	return NOUVEAU_ADD(&push, at, SUBC_M2MF, 0x30c, (uint32_t)from, (uint32_t)to, 0x1000,
			   0x1000, 0x1000, 16, 0x101, 0);
}

static bool work(void)
{
	uint32_t n;

	memset(gart.map, 0x5a, NOUVEAU_BO_SIZE);
	n = copy(gart.va, vram.va);
	return nouveau_submit(fd, channel, &push, n, &vram, &gart) && nouveau_idle(fd, &vram) &&
	       vram.map[0xffff] == 0x5a;
}

static uint32_t release(uint32_t offset)
{
	uint32_t at;

	at = NOUVEAU_ADD(&push, 0, 0, 0x60, H_VRAM);
	at = NOUVEAU_ADD(&push, at, 0, 0x64, offset);
	return NOUVEAU_ADD(&push, at, 0, 0x6c, 1);
}

static bool mistake(enum mistake what)
{
	uint32_t n = 0;

	if (what == MISTAKE_METHOD)
		n = NOUVEAU_ADD(&push, 0, 0, 0x04, 0x1234);
	else if (what == MISTAKE_HANDLE)
		n = NOUVEAU_ADD(&push, 0, 2, 0, 0x0badbad0);
	else if (what == MISTAKE_SEMAPHORE)
		n = release(0x30000000);
	else if (what == MISTAKE_GRAPH)
		n = NOUVEAU_ADD(&push, 0, SUBC_M2MF, 0x1f00, 1);
	else
		n = copy(0x30000000, vram.va);
	return nouveau_submit(fd, channel, &push, n, &vram, &gart);
}

static bool channel_free(void)
{
	struct nv_channel_free gone = { .channel = channel };

	return !nouveau_call(fd, NV_IOCTL_CHANNEL_FREE, &gone);
}

const struct driver nouveau_driver = {
	.name = "nouveau",
	.open = open_node,
	.channel = channel_new,
	.objects = objects,
	.map = map,
	.work = work,
	.unmap = unmap,
	.mistake = mistake,
	.channel_free = channel_free,
};
