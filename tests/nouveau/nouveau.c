// SPDX-License-Identifier: MIT
/*
 * The stock nouveau driver on the model: if this test fails, the model differs from cards.
 *
 * It creates a channel and objects, copies and draws with pushbuffers through nouveau's own ioctl,
 * and lets the kernel move buffers. All bytes are compared. Prints TAP.
 *
 * Argument: the expected chipset, in hexadecimal.
 */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../tap.h"
#include "client.h"
#include "nvfifo_text.h"

#define H_VRAM		0xbeef0201u
#define H_GART		0xbeef0202u
#define H_NOTIFY	0xbeef0301u
#define H_2D		0xbeef502du
#define H_M2MF		0xbeef5039u

#define SUBC_2D		3u
#define SUBC_M2MF	5u

#define SIZE		NOUVEAU_BO_SIZE
#define ADD		NOUVEAU_ADD

static int fd;
static int channel;

static bool check(bool ok, const char *what)
{
	if (!tap(ok, "%s", what))
		tap_diag("last error: %s", strerror(errno));
	return ok;
}

static void need(bool ok, const char *what)
{
	if (check(ok, what))
		return;
	exit(tap_end());
}

static bool submit(struct nouveau_bo *push, uint32_t words, struct nouveau_bo *a,
		   struct nouveau_bo *b)
{
	return nouveau_submit(fd, channel, push, words, a, b);
}

static bool idle(const struct nouveau_bo *b)
{
	return nouveau_idle(fd, b);
}

static void fill(uint8_t *p, uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < SIZE; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = seed >> 24;
	}
}

static bool same(const uint8_t *p, uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < SIZE; i++) {
		seed = seed * 1664525 + 1013904223;
		if (p[i] != (uint8_t)(seed >> 24)) {
			printf("#   byte %x is %02x, not %02x\n", i, p[i], seed >> 24);
			return false;
		}
	}

	return true;
}

/* The DMA object of the memory where the buffer is. */
static uint32_t memory_object(const struct nouveau_bo *bo)
{
	return bo->domain == NV_DOMAIN_VRAM ? H_VRAM : H_GART;
}

static uint32_t copy_words(struct nouveau_bo *push, struct nouveau_bo *from, struct nouveau_bo *to)
{
	uint32_t at = 0;

	at = ADD(push, at, SUBC_M2MF, 0x180, H_NOTIFY, memory_object(from), memory_object(to));
	at = ADD(push, at, SUBC_M2MF, 0x200, 1);
	at = ADD(push, at, SUBC_M2MF, 0x21c, 1);
	at = ADD(push, at, SUBC_M2MF, 0x238, (uint32_t)(from->va >> 32), (uint32_t)(to->va >> 32));
	return ADD(push, at, SUBC_M2MF, 0x30c, (uint32_t)from->va, (uint32_t)to->va, 0x1000, 0x1000,
		   0x1000, SIZE / 0x1000, 0x101, 0);
}

static void test_copies(struct nouveau_bo *push, struct nouveau_bo *vram, struct nouveau_bo *gart)
{
	uint32_t n;

	fill(gart->map, 1);
	memset(vram->map, 0, SIZE);
	n = copy_words(push, gart, vram);
	check(submit(push, n, vram, gart) && idle(vram), "M2MF copies host memory to VRAM");
	check(same(vram->map, 1), "all bytes are there");
	memset(gart->map, 0, SIZE);
	n = copy_words(push, vram, gart);
	check(submit(push, n, vram, gart) && idle(gart), "and back");
	check(same(gart->map, 1), "all bytes are there again");
}

/* The kernel has to move a buffer that is wanted somewhere else. */
static void test_moves(struct nouveau_bo *push, struct nouveau_bo *vram, struct nouveau_bo *gart)
{
	fill(vram->map, 2);
	vram->domain = NV_DOMAIN_GART;
	check(submit(push, 0, vram, gart) && idle(vram), "a buffer moves from VRAM to host memory");
	check(same(vram->map, 2), "with its contents");
	vram->domain = NV_DOMAIN_VRAM;
	check(submit(push, 0, vram, gart) && idle(vram), "and back to VRAM");
	check(same(vram->map, 2), "with its contents, too");
}

static void test_2d(struct nouveau_bo *push, struct nouveau_bo *vram, struct nouveau_bo *gart)
{
	uint32_t at = 0, x, y, want;
	bool ok = true;

	memset(vram->map, 0, SIZE);
	at = ADD(push, at, SUBC_2D, 0x180, H_NOTIFY, H_VRAM, H_VRAM);
	at = ADD(push, at, SUBC_2D, 0x200, 0xcf, 1, 0, 1, 0, 512, 128, 256,
		 (uint32_t)(vram->va >> 32), (uint32_t)vram->va);
	at = ADD(push, at, SUBC_2D, 0x290, 0);
	at = ADD(push, at, SUBC_2D, 0x2ac, 3);
	at = ADD(push, at, SUBC_2D, 0x580, 4, 0xcf, 0x00c0ffee);
	at = ADD(push, at, SUBC_2D, 0x600, 10, 20, 100, 200);
	check(submit(push, at, vram, gart) && idle(vram), "2D fills a rectangle");

	for (y = 0; y < 256; y++)
		for (x = 0; x < 128; x++) {
			want = x >= 10 && x < 100 && y >= 20 && y < 200 ? 0x00c0ffee : 0;
			ok &= ((uint32_t *)vram->map)[y * 128 + x] == want;
		}

	check(ok, "exactly that");
}

int main(int argc, char **argv)
{
	struct nv_getparam chip = { .param = NV_PARAM_CHIPSET };
	struct nv_channel_alloc ch = { .vram_handle = H_VRAM, .gart_handle = H_GART };
	struct nv_grobj_alloc obj = { .handle = H_M2MF, .class = 0x5039 };
	struct nv_notifier_alloc notify = { .handle = H_NOTIFY, .size = 0x20 };
	struct nouveau_bo push, vram, gart;
	struct nv_channel_free gone;
	uint32_t at;

	fd = nouveau_open();
	need(fd >= 0, "nouveau's render node");
	need(!nouveau_call(fd, NV_IOCTL_GETPARAM, &chip) &&
		     (argc < 2 || chip.value == nvfifo_text_value(argv[1], 16)),
	     "it knows the chipset");
	need(!nouveau_call(fd, NV_IOCTL_CHANNEL_ALLOC, &ch), "a channel");

	channel = ch.channel;
	obj.channel = channel;
	notify.channel = channel;
	need(!nouveau_call(fd, NV_IOCTL_GROBJ_ALLOC, &obj), "an M2MF object");
	obj.handle = H_2D;
	obj.class = 0x502d;
	need(!nouveau_call(fd, NV_IOCTL_GROBJ_ALLOC, &obj), "a 2D object");
	need(!nouveau_call(fd, NV_IOCTL_NOTIFIER_ALLOC, &notify), "a notifier");
	need(nouveau_bo_new(fd, &push, NV_DOMAIN_GART) && nouveau_bo_new(fd, &gart, NV_DOMAIN_GART) &&
		     nouveau_bo_new(fd, &vram, NV_DOMAIN_VRAM),
	     "buffers");
	at = ADD(&push, 0, SUBC_M2MF, 0, H_M2MF);
	at = ADD(&push, at, SUBC_2D, 0, H_2D);
	need(submit(&push, at, &vram, &gart) && idle(&push), "objects are bound by a pushbuffer");

	test_copies(&push, &vram, &gart);
	test_2d(&push, &vram, &gart);
	test_moves(&push, &vram, &gart);
	gone.channel = channel;
	check(!nouveau_call(fd, NV_IOCTL_CHANNEL_FREE, &gone), "the channel goes");
	close(fd);

	return tap_end();
}
