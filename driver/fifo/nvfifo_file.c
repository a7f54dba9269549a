// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Limits of an open file
 *
 * A file has a limited number of channels and address spaces, so that one client cannot take all
 * channels of PFIFO. The total size of its buffers is limited, too. Each buffer takes a part of the
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
 * nvfifo_file_create() - Allocate the counters of a file that is being opened
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

/**
 * nvfifo_file_count() - Add to a counter of a file, up to its limit
 * @ndev: the card
 * @used: the counter
 * @amount: to add
 * @limit: the limit
 * @what: the counted things, for a message at debug level
 *
 * Context: In a call of the process that is limited: its capabilities count.
 *
 * Return: 0 or -ENOSPC.
 */
int nvfifo_file_count(struct nvfifo_device *ndev, atomic64_t *used, u64 amount, u64 limit,
		      const char *what)
{
	s64 old = atomic64_read(used);

	do {
		if (old + amount > limit && !may_exceed())
			return nvfifo_fail(ndev, -ENOSPC, "a file may have %llu %s", limit, what);
	} while (!atomic64_try_cmpxchg(used, &old, old + amount));

	return 0;
}
