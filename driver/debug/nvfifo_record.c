// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: A record of accesses
 *
 * With the module parameter ``record`` the driver records its first accesses of a card: to BAR0,
 * and to instance memory through BAR3. The model repeats them (``nvsim --replay``) and reports the
 * first difference between card and model. A replay must start from the card's initial state, so
 * the driver keeps the first accesses rather than the last.
 *
 * The driver records an access after making it, so accesses of two threads may be in the wrong
 * order.
 */
#include <linux/bitfield.h>
#include <linux/device/devres.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include <drm/drm_print.h>

#include "card/nvfifo_card.h"
#include "nvfifo_drv.h"
#include "debug/nvfifo_record.h"

#define RECORD_MAX	BIT(20)

#define WHERE_OP	GENMASK(31, 29)
#define WHERE_BAR3	BIT(28)
#define WHERE_OFFSET	GENMASK(27, 0)

static unsigned int record;
module_param(record, uint, 0444);
MODULE_PARM_DESC(record, "Keep the first accesses of the card for nvfifo_record in debugfs, up to this number, at most 1048576 (default: 0)");

DEFINE_STATIC_KEY_FALSE(nvfifo_recording);

/* Action for devres: free the record. */
static void record_end(void *data)
{
	struct nvfifo_device *ndev = data;

	static_branch_dec(&nvfifo_recording);
	vfree(ndev->record.log);
	ndev->record.log = NULL;
}

/**
 * nvfifo_record_start() - Begin the record of a card, if the module parameter is set
 * @ndev: the device, of which nothing has been accessed yet
 *
 * Context: Process context, at probe. The record ends with the binding of the driver.
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_record_start(struct nvfifo_device *ndev)
{
	if (!record)
		return 0;

	ndev->record.size = min(record, RECORD_MAX);
	ndev->record.start = ktime_get_ns();
	ndev->record.log = vzalloc(array_size(ndev->record.size, sizeof(*ndev->record.log)));
	if (!ndev->record.log)
		return -ENOMEM;

	static_branch_inc(&nvfifo_recording);

	return devm_add_action_or_reset(ndev->drm.dev, record_end, ndev);
}

/**
 * nvfifo_record_add() - Note an access
 * @ndev: the device, with or without a record
 * @op: the kind of access
 * @bar3: to BAR3 rather than BAR0
 * @offset: offset in the BAR, below 256 MiB
 * @value: the value read or written; for NVFIFO_ACCESS_CLEAR the number of bytes
 *
 * Context: Any.
 */
void nvfifo_record_add(struct nvfifo_device *ndev, enum nvfifo_access_op op, bool bar3,
		       u32 offset, u64 value)
{
	struct nvfifo_access *access;
	u32 n;

	if (!ndev->record.log)
		return;

	n = atomic_fetch_add_unless(&ndev->record.count, 1, INT_MAX);
	if (n >= ndev->record.size)
		return;

	access = &ndev->record.log[n];
	access->us = div_u64(ktime_get_ns() - ndev->record.start, NSEC_PER_USEC);
	access->value = value;

	/* Written last: it tells nvfifo_record_print() that the entry is complete. */
	smp_store_release(&access->where, FIELD_PREP(WHERE_OP, op + 1) |
					  (bar3 ? WHERE_BAR3 : 0) |
					  FIELD_PREP(WHERE_OFFSET, offset));
}

/**
 * nvfifo_record_print() - Write the record as text
 * @ndev: the device
 * @p: the printer
 *
 * A line for each access: microseconds, R4, W4, W1 or C, BAR, offset, value.
 */
void nvfifo_record_print(struct nvfifo_device *ndev, struct drm_printer *p)
{
	static const char * const ops[] = { "R4", "W4", "W1", "C" };
	u32 made = atomic_read(&ndev->record.count), n = min(made, ndev->record.size), i;

	drm_printf(p, "nvfifo-accesses 1\n");
	drm_printf(p, "chipset %s\n", nvfifo_chipset_name(ndev->chip->id));
	drm_printf(p, "kept %u of %u\n", n, made);
	for (i = 0; i < n; i++) {
		const struct nvfifo_access *access = &ndev->record.log[i];
		/* Read first, as it is written last. */
		u32 where = smp_load_acquire(&access->where);
		u32 op = FIELD_GET(WHERE_OP, where) - 1;

		/* The entry is not complete yet. */
		if (op >= ARRAY_SIZE(ops))
			continue;

		drm_printf(p, "%u %s %u %07x %llx\n", access->us, ops[op],
			   where & WHERE_BAR3 ? 3 : 0, (u32)FIELD_GET(WHERE_OFFSET, where),
			   access->value);
	}

	drm_printf(p, "end of accesses\n");
}
