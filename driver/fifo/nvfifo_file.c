// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Limits of an open file
 *
 * A file has a limited number of channels and address spaces, so that one client cannot take all
 * channels of PFIFO. The sizes of its buffers have a limit too. Each buffer takes a part of the
 * card's 1 TiB of mmap offsets, even before it has memory. A process with CAP_SYS_RESOURCE or
 * CAP_SYS_NICE may exceed the limits. Memory cgroups limit the memory.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "card/nvfifo_hw.h"
#include "nvfifo_drv.h"
#include "fifo/nvfifo_chan.h"
#include "mem/nvfifo_mem.h"

/* Dumps of a file's channels: a burst in each interval */
#define DUMP_INTERVAL	(2 * HZ)
#define DUMP_BURST	8

/**
 * nvfifo_file_create() - Make the counters of a file that is being opened
 *
 * Return: the file with one reference, NULL without memory.
 */
struct nvfifo_file *nvfifo_file_create(void)
{
	struct nvfifo_file *nfile = kzalloc(sizeof(*nfile), GFP_KERNEL_ACCOUNT);

	if (!nfile)
		return NULL;

	kref_init(&nfile->ref);
	xa_init_flags(&nfile->vms, XA_FLAGS_ALLOC1);
	xa_init_flags(&nfile->chans, XA_FLAGS_ALLOC1);
	ratelimit_state_init(&nfile->errors, DUMP_INTERVAL, DUMP_BURST);
	ratelimit_set_flags(&nfile->errors, RATELIMIT_MSG_ON_RELEASE);

	return nfile;
}

/**
 * nvfifo_file_get() - Take a reference
 * @nfile: the file, NULL for the driver's own objects
 *
 * Return: @nfile.
 */
struct nvfifo_file *nvfifo_file_get(struct nvfifo_file *nfile)
{
	if (nfile)
		kref_get(&nfile->ref);

	return nfile;
}

static void file_free(struct kref *ref)
{
	struct nvfifo_file *nfile = container_of(ref, struct nvfifo_file, ref);

	kfree(nfile);
}

/**
 * nvfifo_file_put() - Drop a reference
 * @nfile: the file, or NULL
 */
void nvfifo_file_put(struct nvfifo_file *nfile)
{
	if (nfile)
		kref_put(&nfile->ref, file_free);
}

/**
 * nvfifo_file_max_bytes() - Get the limit for the sizes of a file's buffers
 * @ndev: the card
 *
 * Return: bytes. A client cannot use more than all memory of the machine and of the card.
 */
u64 nvfifo_file_max_bytes(struct nvfifo_device *ndev)
{
	return (u64)totalram_pages() * PAGE_SIZE + nvfifo_mem_facts(ndev)->vram_size;
}

static bool may_exceed(void)
{
	return capable(CAP_SYS_RESOURCE) || capable(CAP_SYS_NICE);
}

/* Add to a counter, up to its limit. Return: 0 or -ENOSPC. */
static int count(struct nvfifo_device *ndev, atomic64_t *used, u64 amount, u64 limit,
		 const char *what)
{
	s64 old = atomic64_read(used);

	do {
		if (old + amount > limit && !may_exceed())
			return nvfifo_fail(ndev, -ENOSPC, "a file may have %llu %s", limit, what);
	} while (!atomic64_try_cmpxchg(used, &old, old + amount));

	return 0;
}

/**
 * nvfifo_file_add_channel() - Count one more channel of a file
 * @ndev: the card
 * @nfile: the file
 *
 * Context: In a call of the process that is limited: its capabilities count.
 *
 * Return: 0 or -ENOSPC.
 */
int nvfifo_file_add_channel(struct nvfifo_device *ndev, struct nvfifo_file *nfile)
{
	return count(ndev, &nfile->num_channels, 1, NVFIFO_FILE_CHANNELS, "channels");
}

/**
 * nvfifo_file_add_vm() - Count one more address space of a file
 * @ndev: the card
 * @nfile: the file
 *
 * Context: As nvfifo_file_add_channel().
 *
 * Return: 0 or -ENOSPC.
 */
int nvfifo_file_add_vm(struct nvfifo_device *ndev, struct nvfifo_file *nfile)
{
	return count(ndev, &nfile->num_vms, 1, NVFIFO_FILE_VMS, "address spaces");
}

/**
 * nvfifo_file_add_bytes() - Count the size of a buffer
 * @ndev: the card
 * @nfile: the file
 * @bytes: size of the buffer
 *
 * Context: As nvfifo_file_add_channel().
 *
 * Return: 0 or -ENOSPC.
 */
int nvfifo_file_add_bytes(struct nvfifo_device *ndev, struct nvfifo_file *nfile, u64 bytes)
{
	return count(ndev, &nfile->bytes, bytes, nvfifo_file_max_bytes(ndev), "bytes of buffers");
}
