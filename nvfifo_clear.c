// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Clearing of VRAM
 *
 * A buffer of VRAM begins with zeros, as its memory may hold data of another process. The driver
 * knows for each 64 KiB of free VRAM whether it is zero. Other memory is cleared when it is
 * allocated: large extents by the card, if it can, all else by the processor through BAR1.
 *
 * The card also clears freed memory in the background, in pieces that nobody can allocate
 * meanwhile. So most buffers find clean memory and wait for nothing.
 *
 * The card may be late, as all channels share it. A call waits for a piece for
 * NVFIFO_CLEAR_WAIT_MS. Then it abandons the piece: the memory has no owner until the card has
 * ended, and the call takes other memory, which the processor clears. So the card never writes to
 * memory of a new owner.
 *
 * This room decides what is cleared. nvfifo_cleaner.c has the channel that does it.
 */
#include <linux/bitmap.h>

#include "nvfifo_bo.h"
#include "nvfifo_clear.h"
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_mem.h"
#include "nvfifo_works.h"

#define PAGE_SHIFT_VRAM	16

/* A piece is at most this part of VRAM. */
#define PIECES_MIN	16

/* The processor clears less than this about as fast as the card can be asked to. */
#define CARD_MIN	SZ_1M

/* So much freed memory makes the card work in the background. */
#define FREED_MIN	SZ_2M

/* TIMEOUT: a piece takes milliseconds, unless others keep PGRAPH busy */
#define NVFIFO_CLEAR_WAIT_MS	500

/* TIMEOUT: the cleaner's channel leaves PGRAPH when the present work there has ended */
#define OWN_WAIT_MS	2000

/* TIMEOUT: as NVFIFO_CLEAR_WAIT_MS, but the caller has no other memory to take */
#define HOLD_WAIT_MS	2000

/* Memory that its owner wants to have cleared by the card. */
struct nvfifo_clear_request {
	struct list_head link;	/* in nvfifo_clear_state.requests; empty when it has ended */
	u64 addr, end;		/* what is left */
	bool refused;		/* the card does not clear it */
};

/**
 * nvfifo_clear_prepare - Make lists and the work item, before the card is touched
 * @ndev: the device
 * @work: nvfifo_cleaner_work()
 */
void nvfifo_clear_prepare(struct nvfifo_device *ndev, work_func_t work)
{
	INIT_WORK(&ndev->clear.work, work);
	INIT_LIST_HEAD(&ndev->clear.requests);
	init_waitqueue_head(&ndev->clear.waiters);
}

/**
 * nvfifo_clear_wake - Wake the calls that wait for cleared memory, or for the cleaner's own
 * @ndev: the device
 */
void nvfifo_clear_wake(struct nvfifo_device *ndev)
{
	wake_up_all(&ndev->clear.waiters);
}

/**
 * nvfifo_clear_init - Begin with VRAM of unknown contents
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
 * nvfifo_clear_release - Undo nvfifo_clear_init()
 * @ndev: the device, whose last buffer is gone
 */
void nvfifo_clear_release(struct nvfifo_device *ndev)
{
	bitmap_free(ndev->clear.clean);
	bitmap_free(ndev->clear.freed);
}

/* --- What is zero -------------------------------------------------------- */

/* Set or clear the bits of freed pages, and keep their number. */
static void freed_set(struct nvfifo_clear_state *clear, u64 addr, u64 size, bool on)
{
	const u32 first = addr >> PAGE_SHIFT_VRAM, count = size >> PAGE_SHIFT_VRAM;
	const u32 end = first + count;
	u32 page, was = 0;

	for (page = find_next_bit(clear->freed, end, first); page < end;
	     page = find_next_bit(clear->freed, end, page + 1))
		was++;

	if (on)
		bitmap_set(clear->freed, first, count);
	else
		bitmap_clear(clear->freed, first, count);

	clear->freed_pages -= was;

	if (on)
		clear->freed_pages += count;
}

/**
 * nvfifo_clear_freed - Note that memory that held data is free
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
 * nvfifo_clear_taken - Note that memory has an owner, who calls nvfifo_clear_bo() for it
 * @ndev: the device, with mem.lock held
 * @addr: VRAM address, a multiple of 64 KiB
 * @size: bytes, a multiple of 64 KiB
 */
void nvfifo_clear_taken(struct nvfifo_device *ndev, u64 addr, u64 size)
{
	lockdep_assert_held(&ndev->mem.lock);

	freed_set(&ndev->clear, addr, size, false);
}

/* The first part of a range that is not zero. Return: false if there is none. */
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

static u64 piece_max(const struct nvfifo_device *ndev)
{
	u64 part = round_down(ndev->mem.facts.vram_pool / PIECES_MIN, SZ_64K);

	return min_t(u64, part, NVFIFO_CLEAR_PIECE_MAX);
}

/**
 * nvfifo_clear_is_possible - Can the card be asked to clear memory?
 * @ndev: the device
 *
 * Return: true if PGRAPH is in use, and the card neither given up nor about to go or to sleep.
 */
bool nvfifo_clear_is_possible(struct nvfifo_device *ndev)
{
	return nvfifo_pgraph_is_used(ndev) && nvfifo_is_usable(ndev) &&
	       !READ_ONCE(ndev->suspending) && !READ_ONCE(ndev->removing);
}

/**
 * nvfifo_clear_kick - Have the card clear freed memory, if there is enough of it
 * @ndev: the device
 */
void nvfifo_clear_kick(struct nvfifo_device *ndev)
{
	if (READ_ONCE(ndev->clear.freed_pages) < FREED_MIN >> PAGE_SHIFT_VRAM)
		return;

	if (nvfifo_clear_is_possible(ndev))
		queue_work(nvfifo_wq, &ndev->clear.work);
}

/* Take freed memory out of the allocator for the time in which the card clears it. */
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
	clear->size = min((u64)(next - first) << PAGE_SHIFT_VRAM, piece_max(ndev));
	freed_set(clear, clear->addr, clear->size, false);

	/* It is free, so this cannot fail. */
	clear->node.start = clear->addr;
	clear->node.size = clear->size;
	drm_mm_reserve_node(&ndev->mem.vram, &clear->node);

	return true;
}

/**
 * nvfifo_clear_next - Choose the memory that the card clears next
 * @ndev: the device
 * @addr: set to the VRAM address
 * @size: set to the number of bytes
 *
 * Calls that wait come before freed memory. nvfifo_clear_done() is to follow.
 *
 * Return: false if there is nothing, or the last piece has not ended.
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
		clear->size = min(request->end - request->addr, piece_max(ndev));
		clear->served = request;
	} else if (!take_freed(ndev)) {
		return false;
	}

	*addr = clear->addr;
	*size = clear->size;

	return true;
}

/**
 * nvfifo_clear_done - End a piece that the card does not touch any more
 * @ndev: the device
 * @zero: all of the piece is zero
 */
void nvfifo_clear_done(struct nvfifo_device *ndev, bool zero)
{
	struct nvfifo_clear_state *clear = &ndev->clear;
	struct nvfifo_clear_request *request;

	scoped_guard(mutex, &ndev->mem.lock) {
		request = clear->served;
		zero &= !clear->lost;

		if (request && zero)
			request->addr += clear->size;
		if (request && (!zero || request->addr == request->end)) {
			request->refused = !zero;
			list_del_init(&request->link);
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

	nvfifo_clear_wake(ndev);
}

/**
 * nvfifo_clear_refuse - Let all callers that wait clear their memory by the processor
 * @ndev: the device, with no piece under way
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
 * nvfifo_clear_pause - Begin no more pieces, before a suspend or for good
 * @ndev: the device
 *
 * Context: Process context, sleeps until the cleaner's work has ended. A piece may be under way.
 */
void nvfifo_clear_pause(struct nvfifo_device *ndev)
{
	disable_work_sync(&ndev->clear.work);
}

/**
 * nvfifo_clear_unpause - Undo nvfifo_clear_pause()
 * @ndev: the device
 *
 * Free VRAM may have lost its contents, which no suspend saves.
 */
void nvfifo_clear_unpause(struct nvfifo_device *ndev)
{
	scoped_guard(mutex, &ndev->mem.lock) {
		bitmap_zero(ndev->clear.clean, ndev->mem.facts.vram_size >> PAGE_SHIFT_VRAM);
		ndev->clear.lost = ndev->clear.size;
	}

	enable_work(&ndev->clear.work);
	queue_work(nvfifo_wq, &ndev->clear.work);
}

/**
 * nvfifo_clear_print - Print how much VRAM is not zero yet
 * @ndev: the device
 * @p: where to
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
 * nvfifo_clear_yield - Make the cleaner free its memory, as a caller needs it
 * @ndev: the device
 *
 * Waits until the memory is free, for OWN_WAIT_MS at most: the cleaner's channel may have to wait
 * for others' work in PGRAPH. Ends early for a process that is being killed.
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

	queue_work(nvfifo_wq, &ndev->clear.work);
	wait_event_killable_timeout(ndev->clear.waiters, !READ_ONCE(ndev->clear.own),
				    msecs_to_jiffies(OWN_WAIT_MS));
}

/**
 * nvfifo_clear_take_yield - Has a caller asked for the cleaner's memory?
 * @ndev: the device
 *
 * Return: true once for each nvfifo_clear_yield(), when nothing is under way.
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
 * nvfifo_clear_hold - Free all VRAM that counts as free
 * @ndev: the device
 * @size: bytes that the caller needs
 *
 * Waits for the memory that the card clears, and for the cleaner's own, HOLD_WAIT_MS and
 * OWN_WAIT_MS at most. Memory that the card may still write to after that stays taken. Nobody gets
 * it before the card has ended. No other piece of free memory is begun until nvfifo_clear_unhold().
 * Ends early for a process that is being killed, or with the card.
 *
 * Context: Process context, sleeps.
 *
 * Return: false, with nothing to undo, if that brings no room for @size.
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

	/* The cleaner does not stop before the card has ended the piece. */
	if (!drm_mm_node_allocated(&clear->node))
		nvfifo_clear_yield(ndev);

	return true;
}

/**
 * nvfifo_clear_unhold - Undo nvfifo_clear_hold()
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
 * Take the memory from the buffer while the card clears a piece of it. The piece has no owner until
 * the card has ended; the rest is free.
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

/* Wait while the card makes progress. */
static void request_wait(struct nvfifo_device *ndev, const struct nvfifo_clear_request *request)
{
	const long limit = msecs_to_jiffies(NVFIFO_CLEAR_WAIT_MS);
	u64 before;
	long left;

	do {
		before = READ_ONCE(request->addr);
		left = wait_event_killable_timeout(ndev->clear.waiters,
						   list_empty_careful(&request->link) ||
						   READ_ONCE(request->addr) != before ||
						   !nvfifo_clear_is_possible(ndev), limit);
	} while (left > 0 && !list_empty_careful(&request->link) && nvfifo_clear_is_possible(ndev));
}

/*
 * Have the card clear memory of a buffer. Return: 0, -EAGAIN if the processor has to do it, or
 * -ETIMEDOUT if the card is late, and the buffer has lost its memory.
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

	queue_work(nvfifo_wq, &clear->work);
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

static int clear_part(struct nvfifo_bo *bo, u64 addr, u64 size, bool card)
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
 * nvfifo_clear_bo - Clear the VRAM of a new buffer
 * @bo: the buffer
 * @card: the card may clear it, else the processor does
 *
 * Context: Process context, sleeps. No lock is held while the card works.
 *
 * Return: 0, -ETIMEDOUT if the card is late, and the buffer has lost its memory; else what
 * nvfifo_vram_clear() returns.
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
			ret = clear_part(bo, addr, size, card);
			if (ret)
				return ret;
		}
	}

	return 0;
}
