// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Registers at an error
 *
 * An error that ends a channel leaves a dump. Its registers are read at the error, with fifo_lock
 * held, and kept with a reference to the channel. The work item that writes the dump runs when
 * the channel's fences have failed; nvfifo_dump.c has it.
 */
#include "nvfifo_card_dump.h"
#include "nvfifo_chan.h"
#include "nvfifo_chid.h"
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"

#define INTERVAL	250	/* from one dump to the next, ms; errors may come in thousands */

/* A row of NV_DUMP_REGS; no chip has a row of what cannot be read or is an array. */
#define DUMP_ROW(block, reg, stride, count, first, end, access) \
	{ reg, first, (access) != NV_WO && (count) == 1 ? (end) : 0 },
#define DUMP_NO_FIELD(reg, field)

static const struct nvfifo_dump_row {
	u32 offset;
	u8 first, end;	/* chips from the first to before the end have it */
} dump_rows[NV_DUMP_WORDS] = {
	NV_DUMP_REGS(DUMP_ROW, DUMP_NO_FIELD)
};

#undef DUMP_ROW
#undef DUMP_NO_FIELD

static bool has_reg(const struct nvfifo_device *ndev, const struct nvfifo_dump_row *r, u32 end)
{
	return ndev->chip->chip >= r->first && ndev->chip->chip < r->end && r->offset < end;
}

/**
 * nvfifo_regs_read - Read the registers of a dump
 * @ndev: the device, with fifo_lock held
 * @val: NV_DUMP_WORDS values, and the offset below which registers could be read
 */
void nvfifo_regs_read(struct nvfifo_device *ndev, u32 *val)
{
	u32 i, end = 0;

	if (nvfifo_card_answers(ndev))
		end = nvfifo_pgraph_is_used(ndev) ? ~0u : NV_DUMP_PGRAPH;

	for (i = 0; i < NV_DUMP_WORDS; i++)
		if (has_reg(ndev, &dump_rows[i], end))
			val[i] = nvfifo_rd32(ndev, dump_rows[i].offset);

	val[NV_DUMP_WORDS] = end;
}

/**
 * nvfifo_regs_print - Print what nvfifo_regs_read() has read
 * @ndev: the device
 * @val: its values
 * @p: where to
 */
void nvfifo_regs_print(struct nvfifo_device *ndev, const u32 *val, struct drm_printer *p)
{
	u32 i;

	for (i = 0; i < NV_DUMP_WORDS; i++)
		if (has_reg(ndev, &dump_rows[i], val[NV_DUMP_WORDS]))
			drm_printf(p, "reg %06x %08x\n", dump_rows[i].offset, val[i]);
}

/**
 * nvfifo_capture_prepare - Take the work item that writes dumps, before the card is touched
 * @ndev: the device
 * @write: prints the dump, and calls nvfifo_capture_end()
 */
void nvfifo_capture_prepare(struct nvfifo_device *ndev, work_func_t write)
{
	INIT_WORK(&ndev->dump.work, write);
}

/**
 * nvfifo_capture - Keep registers and channel for a dump, until the channel's fences have failed
 * @chan: the channel that an error ends, with fifo_lock held
 */
void nvfifo_capture(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;

	lockdep_assert_held(&ndev->fifo_lock);

	if (!IS_ENABLED(CONFIG_DEV_COREDUMP) || READ_ONCE(ndev->removing) ||
	    READ_ONCE(ndev->dump.chan) || ktime_before(ktime_get(), ndev->dump.next))
		return;

	ndev->dump.next = ktime_add_ms(ktime_get(), INTERVAL);
	kref_get(&chan->ref);
	nvfifo_regs_read(ndev, ndev->dump.regs);
	WRITE_ONCE(ndev->dump.chan, chan);
}

/**
 * nvfifo_capture_write - Have the dump of a channel written, if it was captured
 * @chan: the channel, whose fences have failed
 */
void nvfifo_capture_write(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;

	if (READ_ONCE(ndev->dump.chan) == chan)
		queue_work(system_freezable_wq, &ndev->dump.work);
}

/**
 * nvfifo_capture_end - The dump is written: drop the channel, and make room for the next one
 * @ndev: the device
 */
void nvfifo_capture_end(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan = ndev->dump.chan;

	WRITE_ONCE(ndev->dump.chan, NULL);
	nvfifo_chan_put(chan);
}

/**
 * nvfifo_capture_flush - Wait for a dump that is being written
 * @ndev: the device
 */
void nvfifo_capture_flush(struct nvfifo_device *ndev)
{
	flush_work(&ndev->dump.work);
}
