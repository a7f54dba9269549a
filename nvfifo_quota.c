// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Shares of a file
 *
 * Nothing that the driver hands out can be taken back from its owner, so no file may hold all of
 * it: VRAM, compression tag cells, address spaces, and the kernel memory of page tables. A process
 * with CAP_SYS_RESOURCE may exceed the shares. A resource that outlives its file, for example a
 * shared buffer, stays on the file's account.
 */
#include <linux/mm.h>
#include <linux/module.h>

#include "nvfifo_args.h"
#include "nvfifo_quota.h"

/* An address space costs some 80 KiB of kernel memory. */
#define VMS_SHARE	64

/* Of the machine's memory: 1/8 in page tables maps at least 64 times the memory. */
#define TABLES_SHARE	8

/* Of instance memory, which channels need as well */
#define INST_TABLES_SHARE	4

static unsigned int file_share = 75;
module_param(file_share, uint, 0444);
MODULE_PARM_DESC(file_share, "Percent of VRAM, and of the compression tags, that one file may hold without CAP_SYS_RESOURCE (default: 75)");

/**
 * nvfifo_quota_create() - Open the account of a file
 *
 * Return: the account with one reference, NULL without memory.
 */
struct nvfifo_quota *nvfifo_quota_create(void)
{
	struct nvfifo_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);

	if (!quota)
		return NULL;

	kref_init(&quota->ref);
	spin_lock_init(&quota->lock);

	return quota;
}

/**
 * nvfifo_quota_get() - Take a reference
 * @quota: the account, NULL for the driver's own
 *
 * Return: @quota.
 */
struct nvfifo_quota *nvfifo_quota_get(struct nvfifo_quota *quota)
{
	if (quota)
		kref_get(&quota->ref);

	return quota;
}

static void quota_free(struct kref *ref)
{
	kfree(container_of(ref, struct nvfifo_quota, ref));
}

/**
 * nvfifo_quota_put() - Drop a reference
 * @quota: the account, or NULL
 */
void nvfifo_quota_put(struct nvfifo_quota *quota)
{
	if (quota)
		kref_put(&quota->ref, quota_free);
}

/**
 * nvfifo_quota_limit() - What one file may hold
 * @ndev: the card
 * @what: resource
 *
 * Return: the share, in the resource's unit.
 */
u64 nvfifo_quota_limit(const struct nvfifo_device *ndev, enum nvfifo_resource what)
{
	const u32 percent = min(file_share, 100u);

	switch (what) {
	case NVFIFO_TABLES:
		if (ndev->mmu.tables_in_vram)
			return ndev->mem.heap_size / INST_TABLES_SHARE;

		return (u64)totalram_pages() * PAGE_SIZE / TABLES_SHARE;
	case NVFIFO_VRAM:
		return div_u64(ndev->mem.vram_pool * percent, 100);
	case NVFIFO_TAGS:
		return ndev->mem.num_tags * percent / 100;
	default:
		return VMS_SHARE;
	}
}

/**
 * nvfifo_quota_used() - What a file holds
 * @quota: its account
 * @what: resource
 *
 * Return: the amount, in the resource's unit.
 */
u64 nvfifo_quota_used(struct nvfifo_quota *quota, enum nvfifo_resource what)
{
	guard(spinlock)(&quota->lock);

	return quota->used[what];
}

static bool quota_take(struct nvfifo_quota *quota, enum nvfifo_resource what, u64 amount,
		       u64 limit)
{
	guard(spinlock)(&quota->lock);
	if (amount > limit || quota->used[what] > limit - amount)
		return false;

	quota->used[what] += amount;

	return true;
}

/**
 * nvfifo_quota_charge() - Put something on a file's account
 * @ndev: the card
 * @quota: the account, NULL for the driver's own
 * @what: resource
 * @amount: in the resource's unit
 *
 * Context: in a call of the process that is to pay, as its privileges count.
 *
 * Return: 0, or -ENOSPC if the file would hold more than its share.
 */
int nvfifo_quota_charge(struct nvfifo_device *ndev, struct nvfifo_quota *quota,
			enum nvfifo_resource what, u64 amount)
{
	static const char * const names[] = {
		"bytes of page tables", "bytes of VRAM", "compression tags", "address spaces",
	};
	const u64 limit = nvfifo_quota_limit(ndev, what);

	if (!quota || quota_take(quota, what, amount, limit))
		return 0;

	if (capable(CAP_SYS_RESOURCE) && quota_take(quota, what, amount, U64_MAX))
		return 0;

	return nvfifo_fail(ndev, -ENOSPC, "the file's share is %llu %s", limit, names[what]);
}

/**
 * nvfifo_quota_uncharge() - Take something off a file's account
 * @quota: the account, or NULL
 * @what: resource
 * @amount: what was charged
 */
void nvfifo_quota_uncharge(struct nvfifo_quota *quota, enum nvfifo_resource what, u64 amount)
{
	if (!quota)
		return;

	guard(spinlock)(&quota->lock);
	quota->used[what] -= amount;
}
