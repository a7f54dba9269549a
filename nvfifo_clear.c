// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Clearing of VRAM
 *
 * A new VRAM buffer is zeroed, because its memory may hold data of another process. The driver
 * knows for each 64 KiB of free VRAM whether it is zero. Memory that is not zero is cleared when it
 * is allocated: large extents by the card if PGRAPH is in use, others by the processor.
 *
 * The card also clears freed memory in the background, after a moment, so most buffers get zeroed
 * memory and do not wait. An extent cannot be allocated while the card clears it.
 *
 * The card may be late, as all channels share it. A call that sees no progress for
 * NVFIFO_CLEAR_WAIT_MS abandons the extent: the memory stays reserved until the card has cleared
 * it. The call takes other memory, which the processor clears. So the card never writes to memory
 * of a new owner.
 *
 * This file decides which memory is cleared. nvfifo_cleaner.c has the channel that clears it.
 */
#include <linux/bitmap.h>

#include "nvfifo_bo.h"
#include "nvfifo_clear.h"
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_mem.h"

#define PAGE_SHIFT_VRAM	16

/* The card clears at most one part in EXTENTS_MIN of VRAM as one extent */
#define EXTENTS_MIN	16

/* The processor clears fewer bytes in the time that a SUBMIT to the cleaner takes. */
#define CARD_MIN	SZ_1M

/* The card clears in the background once this many bytes are freed */
#define FREED_MIN	SZ_2M

/*
 * The background waits so long after a buffer is freed. A call that allocates memory meanwhile need
 * not wait for an extent of the background, and buffers that are freed together form one extent.
 */
#define BACKGROUND_DELAY_MS	10

/* TIMEOUT: an extent takes milliseconds, unless others keep PGRAPH busy */
#define NVFIFO_CLEAR_WAIT_MS	500

/* TIMEOUT: the cleaner's channel cannot leave PGRAPH before the work there has ended */
#define OWN_WAIT_MS	2000

/* TIMEOUT: as NVFIFO_CLEAR_WAIT_MS, but the caller has no other memory to take */
#define HOLD_WAIT_MS	2000

/* Memory of a new buffer, for the card to clear */
struct nvfifo_clear_request {
	struct list_head link;	/* in nvfifo_clear_state.requests; empty when it has ended */
	u64 addr, end;		/* range that is still to be cleared */
	bool refused;		/* the card does not clear it */
};

/**
 * nvfifo_clear_prepare() - Make lists and the work item, before the card is touched
 * @ndev: the device
 * @work: nvfifo_cleaner_work()
 */
void nvfifo_clear_prepare(struct nvfifo_device *ndev, work_func_t work)
{
	INIT_DELAYED_WORK(&ndev->clear.work, work);
	INIT_LIST_HEAD(&ndev->clear.requests);
	init_waitqueue_head(&ndev->clear.waiters);
}

/**
 * nvfifo_clear_run() - Run the cleaner's work item now
 * @ndev: the device
 *
 * Context: Any.
 */
void nvfifo_clear_run(struct nvfifo_device *ndev)
{
	mod_delayed_work(nvfifo_wq, &ndev->clear.work, 0);
}

/**
 * nvfifo_clear_wake() - Wake the calls that wait for cleared memory, or for memory of the cleaner
 * @ndev: the device
 */
void nvfifo_clear_wake(struct nvfifo_device *ndev)
{
	wake_up_all(&ndev->clear.waiters);
}

/**
 * nvfifo_clear_init() - Begin with VRAM of unknown contents
 * @ndev: the device, whose VRAM is known
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_clear_init(struct nvfifo_device *ndev)
{
	const u32 pages = ndev->mem.facts.vram_size >> PAGE_SHIFT_VRAM;

	ndev->clear.clean = bitmap_zalloc(pages, GFP_KERNEL);
	ndev->clear.freed = bitmap_zalloc(pages, GFP_KERNEL);

	return ndev->clear.clean && ndev->clear.freed ? 0 : -ENOMEM;
}

/**
 * nvfifo_clear_release() - Undo nvfifo_clear_init()
 * @ndev: the device, whose last buffer was freed
 */
void nvfifo_clear_release(struct nvfifo_device *ndev)
{
	bitmap_free(ndev->clear.clean);
	bitmap_free(ndev->clear.freed);
}

/* --- Zeroed memory ------------------------------------------------------- */

/* Set or clear the bits of freed pages, and update their number. */
static void freed_set(struct nvfifo_clear_state *clear, u64 addr, u64 size, bool on)
{
	const u32 first = addr >> PAGE_SHIFT_VRAM, count = size >> PAGE_SHIFT_VRAM;
	unsigned int from = first, to;
	u32 was = 0;

	for_each_set_bitrange_from(from, to, clear->freed, first + count)
		was += to - from;

	if (on)
		bitmap_set(clear->freed, first, count);
	else
		bitmap_clear(clear->freed, first, count);

	clear->freed_pages -= was;

	if (on)
		clear->freed_pages += count;
}

/**
 * nvfifo_clear_freed() - Note that memory is free and holds data
 * @ndev: the device, with mem.lock held
 * @addr: VRAM address, a multiple of 64 KiB
 * @size: bytes, a multiple of 64 KiB
 */
void nvfifo_clear_freed(struct nvfifo_device *ndev, u64 addr, u64 size)
{
	lockdep_assert_held(&ndev->mem.lock);

	bitmap_clear(ndev->clear.clean, addr >> PAGE_SHIFT_VRAM, size >> PAGE_SHIFT_VRAM);
	freed_set(&ndev->clear, addr, size, true);
}

/**
 * nvfifo_clear_taken() - Note that memory belongs to a buffer, which nvfifo_clear_bo() clears
 * @ndev: the device, with mem.lock held
 * @addr: VRAM address, a multiple of 64 KiB
 * @size: bytes, a multiple of 64 KiB
 */
void nvfifo_clear_taken(struct nvfifo_device *ndev, u64 addr, u64 size)
{
	lockdep_assert_held(&ndev->mem.lock);

	freed_set(&ndev->clear, addr, size, false);
}

/* Find the first extent of a range that is not zero. Return: false if there is none. */
static bool next_dirty(struct nvfifo_device *ndev, u64 *addr, u64 end, u64 *size)
{
	const u32 last = end >> PAGE_SHIFT_VRAM;
	u32 first, next;

	guard(mutex)(&ndev->mem.lock);

	first = find_next_zero_bit(ndev->clear.clean, last, *addr >> PAGE_SHIFT_VRAM);
	if (first >= last)
		return false;

	next = find_next_bit(ndev->clear.clean, last, first);
	*addr = (u64)first << PAGE_SHIFT_VRAM;
	*size = (u64)(next - first) << PAGE_SHIFT_VRAM;

	return true;
}

/* --- The card's work ----------------------------------------------------- */

static u64 extent_max(const struct nvfifo_device *ndev)
{
	u64 share = round_down(ndev->mem.facts.vram_pool / EXTENTS_MIN, SZ_64K);

	return min_t(u64, share, NVFIFO_CLEAR_EXTENT_MAX);
}

/**
 * nvfifo_clear_is_possible() - Can the card clear memory?
 * @ndev: the device
 *
 * Return: true if PGRAPH is in use, and the card usable and neither being removed nor suspended.
 */
bool nvfifo_clear_is_possible(struct nvfifo_device *ndev)
{
	return nvfifo_pgraph_is_used(ndev) && nvfifo_is_usable(ndev) &&
	       !READ_ONCE(ndev->suspending) && !READ_ONCE(ndev->removing);
}

/**
 * nvfifo_clear_kick() - Let the card clear freed memory soon, if there is at least FREED_MIN
 * @ndev: the device
 */
void nvfifo_clear_kick(struct nvfifo_device *ndev)
{
	if (READ_ONCE(ndev->clear.freed_pages) < FREED_MIN >> PAGE_SHIFT_VRAM)
		return;

	if (nvfifo_clear_is_possible(ndev))
		queue_delayed_work(nvfifo_wq, &ndev->clear.work,
				   msecs_to_jiffies(BACKGROUND_DELAY_MS));
}

/* Reserve freed memory in the allocator while the card clears it. */
static bool take_freed(struct nvfifo_device *ndev)
{
	struct nvfifo_clear_state *clear = &ndev->clear;
	const u32 pages = ndev->mem.facts.vram_size >> PAGE_SHIFT_VRAM;
	u32 first, next;

	if (clear->holds || !clear->freed_pages)
		return false;

	first = find_first_bit(clear->freed, pages);
	next = find_next_zero_bit(clear->freed, pages, first);
	clear->addr = (u64)first << PAGE_SHIFT_VRAM;
	clear->size = min((u64)(next - first) << PAGE_SHIFT_VRAM, extent_max(ndev));
	freed_set(clear, clear->addr, clear->size, false);

	/* The range is free, so this cannot fail. */
	clear->node.start = clear->addr;
	clear->node.size = clear->size;
	drm_mm_reserve_node(&ndev->mem.vram, &clear->node);

	return true;
}

/**
 * nvfifo_clear_next() - Choose the memory that the card clears next
 * @ndev: the device
 * @addr: set to the VRAM address
 * @size: set to the number of bytes
 *
 * Requests of waiting calls come before freed memory. The caller calls nvfifo_clear_done() when the
 * card has ended.
 *
 * Return: false if no memory has to be cleared, or the card still clears the last extent.
 */
bool nvfifo_clear_next(struct nvfifo_device *ndev, u64 *addr, u64 *size)
{
	struct nvfifo_clear_state *clear = &ndev->clear;
	struct nvfifo_clear_request *request;

	guard(mutex)(&ndev->mem.lock);

	if (clear->size)
		return false;

	request = list_first_entry_or_null(&clear->requests, struct nvfifo_clear_request, link);
	if (request) {
		clear->addr = request->addr;
		clear->size = min(request->end - request->addr, extent_max(ndev));
		clear->served = request;
	} else if (!take_freed(ndev)) {
		return false;
	}

	*addr = clear->addr;
	*size = clear->size;

	return true;
}

/**
 * nvfifo_clear_done() - Release an extent that the card no longer writes
 * @ndev: the device
 * @zero: all of the extent is zero
 */
void nvfifo_clear_done(struct nvfifo_device *ndev, bool zero)
{
	struct nvfifo_clear_state *clear = &ndev->clear;
	struct nvfifo_clear_request *request;
	bool wake = true;

	scoped_guard(mutex, &ndev->mem.lock) {
		request = clear->served;
		zero &= !clear->lost;

		if (request && zero)
			request->addr += clear->size;
		if (request && (!zero || request->addr == request->end)) {
			request->refused = !zero;
			list_del_init(&request->link);
		} else if (request) {
			wake = false;	/* its next extent follows */
		}

		if (drm_mm_node_allocated(&clear->node)) {
			drm_mm_remove_node(&clear->node);

			if (zero)
				bitmap_set(clear->clean, clear->addr >> PAGE_SHIFT_VRAM,
					   clear->size >> PAGE_SHIFT_VRAM);
			else
				nvfifo_clear_freed(ndev, clear->addr, clear->size);
		}

		clear->served = NULL;
		clear->size = 0;
		clear->abandoned = false;
		clear->lost = false;
	}

	if (wake)
		nvfifo_clear_wake(ndev);
}

/**
 * nvfifo_clear_refuse() - Let all waiting calls clear their memory with the processor
 * @ndev: the device, while the card clears no extent
 */
void nvfifo_clear_refuse(struct nvfifo_device *ndev)
{
	struct nvfifo_clear_request *request, *tmp;

	scoped_guard(mutex, &ndev->mem.lock) {
		list_for_each_entry_safe(request, tmp, &ndev->clear.requests, link) {
			request->refused = true;
			list_del_init(&request->link);
		}
	}

	nvfifo_clear_wake(ndev);
}

/**
 * nvfifo_clear_pause() - Stop clearing, before a suspend or at removal
 * @ndev: the device
 *
 * Context: Process context, sleeps until the cleaner's work item has ended. The card may still
 * clear an extent.
 */
void nvfifo_clear_pause(struct nvfifo_device *ndev)
{
	disable_delayed_work_sync(&ndev->clear.work);
}

/**
 * nvfifo_clear_unpause() - Undo nvfifo_clear_pause()
 * @ndev: the device
 *
 * A suspend does not save free VRAM, so it is no longer known to be zero.
 */
void nvfifo_clear_unpause(struct nvfifo_device *ndev)
{
	scoped_guard(mutex, &ndev->mem.lock) {
		bitmap_zero(ndev->clear.clean, ndev->mem.facts.vram_size >> PAGE_SHIFT_VRAM);
		ndev->clear.lost = ndev->clear.size;
	}

	enable_delayed_work(&ndev->clear.work);
	nvfifo_clear_run(ndev);
}

/**
 * nvfifo_clear_print() - Print the amount of freed VRAM that is not cleared yet
 * @ndev: the device
 * @p: the printer
 */
void nvfifo_clear_print(struct nvfifo_device *ndev, struct drm_printer *p)
{
	u64 freed, now;

	scoped_guard(mutex, &ndev->mem.lock) {
		freed = (u64)ndev->clear.freed_pages << PAGE_SHIFT_VRAM;
		now = ndev->clear.size;
	}

	drm_printf(p, "freed and not cleared: %llu KiB\n", freed >> 10);
	drm_printf(p, "being cleared by the card: %llu KiB\n", now >> 10);
}

/* --- Room ---------------------------------------------------------------- */

/**
 * nvfifo_clear_yield() - Make the cleaner free its memory for a caller
 * @ndev: the device
 *
 * Waits for OWN_WAIT_MS at most, because other channels' work in PGRAPH may keep the cleaner's
 * channel on the card. A fatal signal ends the wait.
 *
 * Context: Process context, sleeps.
 */
void nvfifo_clear_yield(struct nvfifo_device *ndev)
{
	if (!nvfifo_clear_is_possible(ndev))
		return;

	scoped_guard(mutex, &ndev->mem.lock) {
		if (!ndev->clear.own)
			return;

		ndev->clear.yield = true;
	}

	nvfifo_clear_run(ndev);
	wait_event_killable_timeout(ndev->clear.waiters, !READ_ONCE(ndev->clear.own),
				    msecs_to_jiffies(OWN_WAIT_MS));
}

/**
 * nvfifo_clear_take_yield() - Has a caller asked for the cleaner's memory?
 * @ndev: the device
 *
 * Return: true once for each nvfifo_clear_yield().
 */
bool nvfifo_clear_take_yield(struct nvfifo_device *ndev)
{
	bool yield;

	guard(mutex)(&ndev->mem.lock);

	yield = ndev->clear.yield;
	ndev->clear.yield = false;

	return yield;
}

/**
 * nvfifo_clear_hold() - Make the VRAM that the card clears allocatable
 * @ndev: the device
 * @size: bytes that the caller needs
 *
 * Waits HOLD_WAIT_MS at most for the extent that the card clears, and OWN_WAIT_MS for the cleaner's
 * memory. An extent that the card may still write stays reserved. The card clears no other free
 * memory until nvfifo_clear_unhold(). A fatal signal and the removal of the card end the wait.
 *
 * Context: Process context, sleeps.
 *
 * Return: false, with nothing to undo, if this cannot free @size bytes.
 */
bool nvfifo_clear_hold(struct nvfifo_device *ndev, u64 size)
{
	struct nvfifo_clear_state *clear = &ndev->clear;

	scoped_guard(mutex, &ndev->mem.lock) {
		if (size > ndev->mem.vram_free)
			return false;

		if (!drm_mm_node_allocated(&clear->node) && !clear->own)
			return false;

		clear->holds++;
	}

	wait_event_killable_timeout(ndev->clear.waiters, !drm_mm_node_allocated(&clear->node) ||
				    !nvfifo_clear_is_possible(ndev),
				    msecs_to_jiffies(HOLD_WAIT_MS));

	/* The cleaner does not stop before the card has cleared the extent. */
	if (!drm_mm_node_allocated(&clear->node))
		nvfifo_clear_yield(ndev);

	return true;
}

/**
 * nvfifo_clear_unhold() - Undo nvfifo_clear_hold()
 * @ndev: the device
 */
void nvfifo_clear_unhold(struct nvfifo_device *ndev)
{
	scoped_guard(mutex, &ndev->mem.lock)
		ndev->clear.holds--;

	nvfifo_clear_kick(ndev);
}

/* --- Clearing a buffer --------------------------------------------------- */

/*
 * Take the memory from the buffer while the card clears an extent of it. The extent stays reserved
 * until the card has cleared it; the rest is free.
 */
static void abandon(struct nvfifo_device *ndev, struct nvfifo_bo *bo)
{
	struct nvfifo_clear_state *clear = &ndev->clear;

	lockdep_assert_held(&ndev->mem.lock);

	nvfifo_vram_free_locked(bo);
	freed_set(clear, clear->addr, clear->size, false);
	clear->node.start = clear->addr;
	clear->node.size = clear->size;
	drm_mm_reserve_node(&ndev->mem.vram, &clear->node);
	list_del_init(&clear->served->link);
	clear->served = NULL;
	clear->abandoned = true;
}

/*
 * Wait for a request while the card clears an extent of it in each NVFIFO_CLEAR_WAIT_MS. The end of
 * an extent does not wake this thread.
 */
static void request_wait(struct nvfifo_device *ndev, const struct nvfifo_clear_request *request)
{
	const long limit = msecs_to_jiffies(NVFIFO_CLEAR_WAIT_MS);
	u64 before;
	long left;

	do {
		before = READ_ONCE(request->addr);
		left = wait_event_killable_timeout(ndev->clear.waiters,
						   list_empty_careful(&request->link) ||
						   !nvfifo_clear_is_possible(ndev), limit);
	} while (!left && READ_ONCE(request->addr) != before);
}

/*
 * Clear memory of a buffer with the card. Return: 0, -EAGAIN if the processor must clear it, or
 * -ETIMEDOUT if the card was late and the memory was taken from the buffer.
 */
static int clear_by_card(struct nvfifo_bo *bo, u64 addr, u64 size)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	struct nvfifo_clear_request request = { .addr = addr, .end = addr + size };
	struct nvfifo_clear_state *clear = &ndev->clear;

	scoped_guard(mutex, &ndev->mem.lock) {
		if (clear->abandoned)
			return -EAGAIN;

		list_add_tail(&request.link, &clear->requests);
	}

	nvfifo_clear_run(ndev);
	request_wait(ndev, &request);

	guard(mutex)(&ndev->mem.lock);

	if (clear->served == &request) {
		abandon(ndev, bo);
		return -ETIMEDOUT;
	}

	if (!list_empty(&request.link)) {
		list_del(&request.link);
		return -EAGAIN;
	}

	return request.refused ? -EAGAIN : 0;
}

static int clear_range(struct nvfifo_bo *bo, u64 addr, u64 size, bool card)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	int ret = -EAGAIN;

	if (card && size >= CARD_MIN && nvfifo_clear_is_possible(ndev))
		ret = clear_by_card(bo, addr, size);
	if (ret == -EAGAIN)
		ret = nvfifo_vram_clear(ndev, addr, size);

	return ret;
}

/**
 * nvfifo_clear_bo() - Clear the VRAM of a new buffer
 * @bo: the buffer
 * @card: use the card for large extents, not the processor alone
 *
 * Context: Process context, sleeps. No lock is held while the card works.
 *
 * Return: 0, -ETIMEDOUT if the card was late and the memory was taken from the buffer, else as
 * nvfifo_vram_clear().
 */
int nvfifo_clear_bo(struct nvfifo_bo *bo, bool card)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	struct nvfifo_extent *extent;
	u64 addr, end, size;
	int ret;

	list_for_each_entry(extent, &bo->extents, link) {
		end = extent->node.start + extent->node.size;

		for (addr = extent->node.start; next_dirty(ndev, &addr, end, &size); addr += size) {
			ret = clear_range(bo, addr, size, card);
			if (ret)
				return ret;
		}
	}

	return 0;
}
