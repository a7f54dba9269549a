// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Registers at an error
 *
 * An error that ends a channel leaves a dump. Its registers are read at the error, with fifo_lock
 * held, and kept with a reference to the channel. A work item in nvfifo_dump.c writes the dump
 * after the channel's fences have failed.
 */
#include <linux/slab.h>

#include "nvfifo_card_dump.h"
#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_file.h"
#include "nvfifo_hw.h"
#include "nvfifo_mmu.h"

#define CAPTURES	16	/* dumps that are not written yet */
#define LOST_INTERVAL	250	/* interval of the dumps of a lost card, ms */

/* A row of NV_DUMP_REGS. Rows of arrays and unreadable registers belong to no chip. */
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
 * nvfifo_regs_read() - Read the registers of a dump
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
 * nvfifo_regs_print() - Print the registers of nvfifo_regs_read()
 * @ndev: the device
 * @val: its values
 * @p: the printer
 */
void nvfifo_regs_print(struct nvfifo_device *ndev, const u32 *val, struct drm_printer *p)
{
	u32 i;

	for (i = 0; i < NV_DUMP_WORDS; i++)
		if (has_reg(ndev, &dump_rows[i], val[NV_DUMP_WORDS]))
			drm_printf(p, "reg %06x %08x\n", dump_rows[i].offset, val[i]);
}

/**
 * nvfifo_capture_prepare() - Take the work item that writes dumps, before the card is touched
 * @ndev: the device
 * @write: writes the dumps of nvfifo_capture_next()
 */
void nvfifo_capture_prepare(struct nvfifo_device *ndev, work_func_t write)
{
	INIT_WORK(&ndev->dump.work, write);
	INIT_LIST_HEAD(&ndev->dump.ready);
}

/* Is a dump wanted? A lost card ends all channels, and one dump describes all of them. */
static bool is_wanted(struct nvfifo_chan *chan)
{
	struct nvfifo_dump_state *dump = &chan->ndev->dump;

	if (atomic_read(&dump->captures) >= CAPTURES)
		return false;

	if (chan->error.error != DRM_NVFIFO_ERROR_LOST)
		return !chan->vm->nfile || __ratelimit(&chan->vm->nfile->errors);

	if (ktime_before(ktime_get(), dump->next_lost))
		return false;

	dump->next_lost = ktime_add_ms(ktime_get(), LOST_INTERVAL);

	return true;
}

/**
 * nvfifo_capture() - Keep registers and channel for a dump, until the channel's fences have failed
 * @chan: the channel that an error ends, with fifo_lock held
 *
 * nvfifo_capture_write() follows. An error that comes too soon after others of the same file
 * leaves no dump.
 */
void nvfifo_capture(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	struct nvfifo_capture *capture = NULL;

	lockdep_assert_held(&ndev->fifo_lock);
	if (READ_ONCE(ndev->removing) || chan->capture)
		return;

	/* fifo_lock is held, so the allocation must not wait. */
	if (is_wanted(chan))
		capture = kzalloc(sizeof(*capture), GFP_NOWAIT | __GFP_NOWARN);
	if (!capture)
		return;

	atomic_inc(&ndev->dump.captures);
	kref_get(&chan->ref);
	capture->chan = chan;
	nvfifo_regs_read(ndev, capture->regs);
	chan->capture = capture;
}

/**
 * nvfifo_capture_register() - Keep one more register for the dump of a channel
 * @chan: the channel, with fifo_lock held; nothing happens if its registers were not captured
 * @reg: offset of a register that nvfifo_regs_read() does not read
 * @val: its value
 */
void nvfifo_capture_register(struct nvfifo_chan *chan, u32 reg, u32 val)
{
	struct nvfifo_capture *capture = chan->capture;

	lockdep_assert_held(&chan->ndev->fifo_lock);
	if (!capture || capture->unit_count == ARRAY_SIZE(capture->units))
		return;

	capture->units[capture->unit_count].reg = reg;
	capture->units[capture->unit_count].val = val;
	capture->unit_count++;
}

/**
 * nvfifo_capture_print() - Print the registers of nvfifo_capture_register()
 * @capture: the capture
 * @p: the printer
 */
void nvfifo_capture_print(const struct nvfifo_capture *capture, struct drm_printer *p)
{
	u32 i;

	for (i = 0; i < capture->unit_count; i++)
		drm_printf(p, "reg %06x %08x\n", capture->units[i].reg, capture->units[i].val);
}

/**
 * nvfifo_capture_write() - Queue the dump of a channel, if it was captured
 * @chan: the channel, whose fences have failed
 */
void nvfifo_capture_write(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;

	scoped_guard(mutex, &ndev->fifo_lock) {
		if (!chan->capture)
			return;

		list_add_tail(&chan->capture->link, &ndev->dump.ready);
		chan->capture = NULL;
	}

	queue_work(system_freezable_wq, &ndev->dump.work);
}

/**
 * nvfifo_capture_next() - Get the next channel with a queued dump
 * @ndev: the device
 *
 * Return: the capture, for nvfifo_capture_end(), or NULL.
 */
struct nvfifo_capture *nvfifo_capture_next(struct nvfifo_device *ndev)
{
	struct nvfifo_capture *capture;

	guard(mutex)(&ndev->fifo_lock);
	capture = list_first_entry_or_null(&ndev->dump.ready, struct nvfifo_capture, link);
	if (capture)
		list_del(&capture->link);

	return capture;
}

/**
 * nvfifo_capture_end() - Free a capture, and drop its channel
 * @ndev: the device
 * @capture: the capture, which is freed
 */
void nvfifo_capture_end(struct nvfifo_device *ndev, struct nvfifo_capture *capture)
{
	nvfifo_chan_put(capture->chan);
	kfree(capture);
	atomic_dec(&ndev->dump.captures);
}

/**
 * nvfifo_capture_flush() - Write the dumps that are queued, and wait for one that is being written
 * @ndev: the device, which is being removed
 *
 * The removal of a card that was pulled out of a sleeping machine ends before the kernel thaws the
 * work queue. So this thread writes the dumps.
 *
 * Context: Process context, sleeps.
 */
void nvfifo_capture_flush(struct nvfifo_device *ndev)
{
	cancel_work_sync(&ndev->dump.work);
	ndev->dump.work.func(&ndev->dump.work);
}
