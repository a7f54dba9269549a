// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: System sleep
 *
 * User space is frozen during a suspend: no calls arrive. The work queues that run jobs, VM_BINDs
 * and the end of channels are not frozen: drivers that suspend earlier may wait for nvfifo's
 * fences. The suspend first pauses the schedulers, so that jobs outside of a ring stay queued. It
 * gives channels two seconds to become idle. Then the playlist is emptied, so that no channel
 * begins a further method of PGRAPH. A kick takes each channel off the card, idle or not, so that
 * its state is in instance memory. All allocated VRAM is copied to system memory, most of it by the
 * card if PGRAPH is in use, in a channel of the driver. nouveau evicts its buffers with M2MF, too.
 *
 * The resume repeats the checks and the memory set-up of probe. It writes instance memory and
 * buffers back and starts PFIFO with the existing channels. Only the firmware can set up a card
 * that lost its power, because the driver runs no VBIOS scripts. A card that is not set up, is not
 * the same, or does not answer is lost.
 *
 * Hibernation takes the same two steps. There is no runtime suspend, because only the firmware
 * could restart the card. So the driver keeps the usage count that the PCI core took.
 */
#include <linux/pm.h>
#include <linux/sizes.h>
#include <drm/drm_cache.h>

#include "mem/nvfifo_bo.h"
#include "card/nvfifo_card.h"
#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "fifo/nvfifo_sched.h"
#include "gr/nvfifo_gr.h"
#include "card/nvfifo_hw.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pusher.h"

/* Bytes of one allocation for saved VRAM: few enough for fragmented system memory */
#define SAVED_BYTES	SZ_32K

struct saved {
	struct list_head link;
	u64 addr;
	u32 size;
	bool is_copied;		/* by the card */
	void *data[NVFIFO_VRAM_COPY_MAX / SAVED_BYTES];
};

static void saved_free(struct nvfifo_device *ndev)
{
	struct saved *s, *tmp;
	u32 i;

	list_for_each_entry_safe(s, tmp, &ndev->pm.saved, link) {
		for (i = 0; i < ARRAY_SIZE(s->data); i++)
			kfree(s->data[i]);

		kfree(s);
	}

	INIT_LIST_HEAD(&ndev->pm.saved);
}

/* Note an extent of VRAM. The allocators' lock is held, so the kernel must not wait for memory. */
static int saved_add(struct nvfifo_device *ndev, u64 addr, u64 size)
{
	u64 end = addr + size;
	struct saved *s;

	for (; addr < end; addr += s->size) {
		s = kzalloc(sizeof(*s), GFP_NOWAIT);
		if (!s)
			return -ENOMEM;

		list_add_tail(&s->link, &ndev->pm.saved);
		s->addr = addr;
		s->size = min(end - addr, (u64)NVFIFO_VRAM_COPY_MAX);
	}

	return 0;
}

/* Allocate memory for the contents of the extents. */
static int saved_alloc(struct nvfifo_device *ndev)
{
	struct saved *s;
	u32 i;

	list_for_each_entry(s, &ndev->pm.saved, link) {
		for (i = 0; i * SAVED_BYTES < s->size; i++) {
			s->data[i] = kmalloc(min(s->size - i * SAVED_BYTES, (u32)SAVED_BYTES),
					     GFP_KERNEL | __GFP_NOWARN);
			if (!s->data[i])
				return -ENOMEM;
		}
	}

	return 0;
}

/* Copy a part of an extent through a window of BAR1 or BAR3, or word by word if @io is NULL. */
static void copy_part(struct nvfifo_device *ndev, void __iomem *io, u64 addr, u32 *data, u32 size,
		      bool back)
{
	struct iosys_map from = IOSYS_MAP_INIT_VADDR_IOMEM(io);
	struct iosys_map to = IOSYS_MAP_INIT_VADDR(data);
	u32 i;

	for (i = 0; !io && i < size / 4; i++) {
		if (back)
			nvfifo_vram_wr32(ndev, addr + i * 4, data[i]);
		else
			data[i] = nvfifo_vram_rd32(ndev, addr + i * 4);
	}

	if (!io)
		return;

	guard(rwsem_read)(&ndev->mem.bars_lock);

	if (back)
		memcpy_toio(io, data, size);
	else /* on the bus, a read of 64 bytes takes as long as one of 4 */
		drm_memcpy_from_wc(&to, &from, size);

	/* The writes must leave the CPU before a reset of PFIFO. */
	wmb();
}

static int copy(struct nvfifo_device *ndev, const struct saved *s, bool back)
{
	void __iomem *io;
	u32 at, size;

	guard(mutex)(&ndev->bar1.lock);

	io = nvfifo_vram_io(ndev, s->addr, s->size);
	if (IS_ERR(io))
		return PTR_ERR(io);

	for (at = 0; at < s->size; at += SAVED_BYTES) {
		size = min(s->size - at, (u32)SAVED_BYTES);
		copy_part(ndev, io ? io + at : NULL, s->addr + at, s->data[at / SAVED_BYTES], size,
			  back);
		cond_resched();
	}

	return 0;
}

/* Let the card copy the large extents. The processor copies the others. */
static void copy_by_card(struct nvfifo_device *ndev)
{
	const void *data;
	struct saved *s;
	u32 at;

	nvfifo_vram_copy_start(ndev);

	list_for_each_entry(s, &ndev->pm.saved, link) {
		if (s->size < SZ_64K || !IS_ALIGNED(s->addr | s->size, SZ_4K))
			continue;

		data = nvfifo_vram_copy(ndev, s->addr, s->size);
		if (!data)
			break;

		for (at = 0; at < s->size; at += SAVED_BYTES)
			memcpy(s->data[at / SAVED_BYTES], data + at,
			       min(s->size - at, (u32)SAVED_BYTES));

		s->is_copied = true;
	}

	nvfifo_vram_copy_end(ndev);
	nvfifo_chan_settle(ndev);

	/* The copies have started it again. */
	nvfifo_watch_stop(ndev);
}

static int copy_all(struct nvfifo_device *ndev, bool back)
{
	struct saved *s;
	int ret;

	list_for_each_entry(s, &ndev->pm.saved, link) {
		if (!back && s->is_copied)
			continue;

		ret = copy(ndev, s, back);
		if (ret)
			return ret;
	}

	return nvfifo_bar_flush(ndev);
}

static bool is_idle(struct nvfifo_device *ndev, void *data)
{
	nvfifo_fences_process_all(ndev);

	return bitmap_empty(ndev->fences.busy, NVFIFO_CHANNELS);
}

static int nvfifo_suspend(struct device *dev)
{
	struct nvfifo_device *ndev = dev_get_drvdata(dev);
	int ret = 0;

	if (nvfifo_is_usable(ndev)) {
		nvfifo_vram_copy_prepare(ndev);
		ret = nvfifo_mem_visit_used(ndev, saved_add);
	}
	if (!ret)
		ret = saved_alloc(ndev);
	if (ret) {
		nvfifo_vram_copy_end(ndev);
		saved_free(ndev);
		drm_err(&ndev->drm, "no memory for the contents of VRAM, and no suspend\n");
		return ret;
	}

	nvfifo_set_phase(ndev, NVFIFO_SUSPENDING);
	nvfifo_watch_stop(ndev);
	nvfifo_chan_sched_pause_all(ndev, true);
	nvfifo_vm_sched_pause_all(ndev, true);

	/* TIMEOUT: channels that are still busy continue after the resume */
	if (nvfifo_is_usable(ndev))
		nvfifo_poll(ndev, NVFIFO_TIMEOUT_US, is_idle, NULL);

	nvfifo_chan_settle(ndev);

	if (nvfifo_is_usable(ndev)) {
		if (nvfifo_chan_suspend_all(ndev))
			copy_by_card(ndev);

		scoped_guard(mutex, &ndev->fifo_lock)
			nvfifo_halt(ndev);
	}

	nvfifo_irq_stop(ndev);

	/* A failed copy does not end the suspend: the flush that failed has wedged the card. */
	if (nvfifo_is_usable(ndev)) {
		nvfifo_bo_hide_all(ndev);
		copy_all(ndev, false);
	}

	return 0;
}

static int tlb_flush_all(struct nvfifo_device *ndev)
{
	unsigned long engines = BIT(NVFIFO_VM_BAR) | nvfifo_vm_engines(ndev);
	unsigned int engine;
	int ret;

	for_each_set_bit(engine, &engines, NVFIFO_VM_ENGINES) {
		ret = nvfifo_tlb_flush(ndev, engine);
		if (ret)
			return ret;
	}

	return 0;
}

/* Set the card up again, and restore VRAM. Return: 0, or the errno of the step that failed. */
static int card_resume(struct nvfifo_device *ndev)
{
	int ret;

	ret = nvfifo_card_start(ndev);
	if (ret)
		return ret;

	ret = nvfifo_mem_start(ndev);
	if (ret)
		return ret;

	ret = copy_all(ndev, true);
	if (ret)
		return ret;

	if (nvfifo_pgraph_is_used(ndev))
		nvfifo_gr_init(ndev);

	ret = tlb_flush_all(ndev);
	if (ret)
		return ret;

	return nvfifo_chan_resume_all(ndev);
}

/* Let the schedulers run and free jobs again, with the card in use or given up. */
static void wake(struct nvfifo_device *ndev)
{
	saved_free(ndev);

	/* nvfifo_reset_park() leaves doorbells off, and page faults of control pages wait. */
	scoped_guard(mutex, &ndev->fifo_lock)
		nvfifo_fifo_doorbells(ndev, true);

	nvfifo_vm_sched_pause_all(ndev, false);
	nvfifo_chan_sched_pause_all(ndev, false);
}

/**
 * nvfifo_pm_fini() - End a suspend that no resume follows
 * @ndev: the device that is being removed, gone, with all channels dead
 *
 * A card that is pulled out of a sleeping machine is removed without a resume. A paused scheduler
 * frees no job, and each job keeps its channel and the module.
 */
void nvfifo_pm_fini(struct nvfifo_device *ndev)
{
	wake(ndev);
}

static int nvfifo_resume(struct device *dev)
{
	struct nvfifo_device *ndev = dev_get_drvdata(dev);
	int ret = 0;

	if (nvfifo_is_usable(ndev)) {
		ret = card_resume(ndev);

		if (!ret && nvfifo_set_phase(ndev, NVFIFO_RUNNING)) {
			nvfifo_irq_start(ndev);
			nvfifo_watch_start(ndev);
		} else {
			/* Its units may be off, and VRAM has lost its contents. */
			nvfifo_wedge(ndev, NVFIFO_LOST);
		}
	}

	wake(ndev);

	return ret;
}

/* Mask the card's interrupts: the kernel delivers them from now on, before nvfifo_resume(). */
static int nvfifo_resume_noirq(struct device *dev)
{
	struct nvfifo_device *ndev = dev_get_drvdata(dev);

	if (nvfifo_is_usable(ndev))
		nvfifo_irq_mute(ndev);

	return 0;
}

const struct dev_pm_ops nvfifo_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(nvfifo_suspend, nvfifo_resume)
	NOIRQ_SYSTEM_SLEEP_PM_OPS(NULL, nvfifo_resume_noirq)
};
