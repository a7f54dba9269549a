// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: VRAM and compression tags
 *
 * A buffer gets one extent of VRAM if a free one is large enough, else the largest free extents. So
 * the buffer needs few TLB entries.
 *
 * The compression state of VRAM is in tag cells, a hidden memory of the card. They belong to the
 * buffer, because all mappings of a page must use the same cells.
 *
 * Clearing of VRAM
 *
 * VRAM may hold data of another process, so it is cleared when a buffer gets it. If PGRAPH is in
 * use, the card clears large extents with M2MF, in a channel of the driver: it copies 64 KiB of
 * zeros repeatedly. The driver does not touch PGRAPH before a client has created a PGRAPH object.
 * The processor clears small extents, and those that the card did not clear in the time of the hang
 * limit. It also clears for calls that come while the channel works for another one.
 *
 * PFIFO, PGRAPH, the watchdog, errors and resets treat the channel like any other. Its DMA objects
 * for the zeros and for VRAM bypass the page tables, so neither has to be mapped. M2MF executes in
 * order, and the last copy of an extent writes a word of system memory, the mark. The extent is
 * zero if its fence has signalled success and the mark has been overwritten.
 *
 * The same channel copies VRAM to system memory before a suspend, piece by piece. The processor
 * reads VRAM slowly.
 *
 * A channel that fails or is late leaves the card before the memory gets an owner. A new one is
 * created after a second at the earliest.
 */
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/sched/signal.h>

#include "card/nvfifo_hw.h"
#include "mem/nvfifo_bo.h"
#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "mem/nvfifo_mem.h"
#include "fifo/nvfifo_sched.h"
#include "nvfifo_vm.h"

/* --- Compression tags ----------------------------------------------------- */

/**
 * nvfifo_bo_tags_get() - Get compression tag cells for a VRAM buffer
 * @bo: the buffer
 * @comp: compression mode, 1 or 2, which is the number of cells for 64 KiB
 *
 * Return: 0, -EBUSY if the buffer has cells in another mode, -ENOSPC.
 */
int nvfifo_bo_tags_get(struct nvfifo_bo *bo, u8 comp)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	u64 cells = (bo->shmem.base.size >> 16) * comp;
	int ret;

	guard(mutex)(&ndev->mem.lock);

	if (bo->tag_users && bo->comp != comp)
		return nvfifo_fail(ndev, -EBUSY, "the BO is compressed in mode %u", bo->comp);

	if (!bo->tag_users) {
		ret = drm_mm_insert_node(&ndev->mem.tags, &bo->tags, cells);
		if (ret)
			return nvfifo_fail(ndev, ret,
					   "no %llu of the %u compression tag cells are free",
					   cells, ndev->mem.facts.num_tags);

		bo->comp = comp;
		ndev->mem.tags_free -= cells;
	}

	bo->tag_users++;

	return 0;
}

/**
 * nvfifo_bo_tags_put() - Undo one nvfifo_bo_tags_get()
 * @bo: the buffer
 */
void nvfifo_bo_tags_put(struct nvfifo_bo *bo)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);

	guard(mutex)(&ndev->mem.lock);

	if (--bo->tag_users)
		return;

	ndev->mem.tags_free += bo->tags.size;
	drm_mm_remove_node(&bo->tags);
}

/**
 * nvfifo_bo_tag_cells() - Get the number of a buffer's tag cells
 * @bo: the buffer
 *
 * Return: the number, 0 without compressed mappings.
 */
u64 nvfifo_bo_tag_cells(struct nvfifo_bo *bo)
{
	guard(mutex)(&nvfifo_bo_device(bo)->mem.lock);

	return bo->tag_users ? bo->tags.size : 0;
}

/**
 * nvfifo_bo_tag() - Find the tag cell of a place in a buffer
 * @bo: the buffer, which has tag cells
 * @offset: of the place, bytes
 *
 * Return: number of the first cell of these 64 KiB.
 */
u64 nvfifo_bo_tag(const struct nvfifo_bo *bo, u64 offset)
{
	return bo->tags.start + (offset >> 16) * bo->comp;
}

/* --- VRAM ----------------------------------------------------------------- */

/**
 * nvfifo_vram_free() - Free a buffer's VRAM
 * @bo: the buffer, without mappings; nothing happens if it has none
 */
void nvfifo_vram_free(struct nvfifo_bo *bo)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	struct nvfifo_extent *extent, *tmp;

	guard(mutex)(&ndev->mem.lock);

	list_for_each_entry_safe(extent, tmp, &bo->extents, link) {
		ndev->mem.vram_free += extent->node.size;
		drm_mm_remove_node(&extent->node);
		list_del(&extent->link);
		kfree(extent);
	}
}

/**
 * nvfifo_vram_granule() - Get the granularity of a buffer's size
 * @ndev: the device
 * @flags: DRM_NVFIFO_BO_LSR
 *
 * VRAM has two bank orders. Inside a row block, an address in one order names the memory cells of
 * another address in the other order. So memory of both orders must not share a row block. Buffers
 * for LSR kinds, which use the second order, consist of whole row blocks.
 *
 * Return: bytes, a multiple of 64 KiB.
 */
u32 nvfifo_vram_granule(const struct nvfifo_device *ndev, u32 flags)
{
	return flags & DRM_NVFIFO_BO_LSR ? ndev->mem.facts.row_block : SZ_64K;
}

/*
 * Add an extent to a buffer. The limit of a memory cgroup may stall kzalloc() for long, so it comes
 * before the lock, which other clients need. Return: 0, -ENOSPC or -ENOMEM.
 */
static int extent_alloc(struct nvfifo_device *ndev, struct nvfifo_bo *bo, u64 size, u64 align)
{
	struct nvfifo_extent *extent __free(kfree) = kzalloc(sizeof(*extent), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!extent)
		return -ENOMEM;

	/* The end of a VM_BIND takes the lock, and fences wait for it: no allocation inside. */
	guard(mutex)(&ndev->mem.lock);

	ret = drm_mm_insert_node_generic(&ndev->mem.vram, &extent->node, size, align, 0,
					 DRM_MM_INSERT_BEST);
	if (ret)
		return ret;

	ndev->mem.vram_free -= size;
	list_add_tail(&no_free_ptr(extent)->link, &bo->extents);

	return 0;
}

/**
 * nvfifo_vram_alloc() - Allocate a buffer's VRAM, in one extent or in several smaller ones
 * @bo: the buffer
 * @size: bytes, a multiple of nvfifo_vram_granule()
 * @flags: DRM_NVFIFO_BO_CONTIGUOUS, DRM_NVFIFO_BO_LSR
 *
 * The caller clears it by nvfifo_clear_bo(). After an error nvfifo_vram_free() frees the extents
 * that were allocated.
 *
 * Return: 0, -ENOSPC, -ENOMEM, -ENODEV, -EIO, or -EINTR if the process is being killed.
 */
int nvfifo_vram_alloc(struct nvfifo_bo *bo, u64 size, u32 flags)
{
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	const bool contiguous = flags & DRM_NVFIFO_BO_CONTIGUOUS;
	const u32 granule = nvfifo_vram_granule(ndev, flags);
	u64 left = size, part = size;
	int ret = 0;

	scoped_guard(mutex, &ndev->mem.lock)
		if (size > ndev->mem.vram_free)
			ret = -ENOSPC;

	while (left && !ret) {
		if (fatal_signal_pending(current))
			return -EINTR;

		/* The limit of a memory cgroup may stall each allocation for seconds. */
		ret = nvfifo_check_ending(ndev);
		if (ret)
			return ret;

		part = min(part, left);
		ret = extent_alloc(ndev, bo, part, granule);
		if (!ret) {
			left -= part;
		} else if (ret == -ENOSPC && !contiguous && part > granule) {
			part = DIV_U64_ROUND_UP(part / 2, granule) * granule;
			ret = 0;
		}
	}

	if (ret)
		drm_dbg(&ndev->drm, "bo_create.size %#llx: not that much%s VRAM is free\n", size,
			contiguous ? " contiguous" : "");

	return ret;
}

/* --- Clearing of VRAM ---------------------------------------------------- */

/*
 * Fewer bytes are not worth a SUBMIT. A context image, which is created under a lock, is smaller.
 */
#define CARD_MIN	SZ_2M

/* Most bytes that the card clears at a time. Other channels run in between. */
#define CARD_MAX	SZ_16M

#define CLASS_M2MF	0x5039
#define SUBC_M2MF	0

/* Methods of M2MF */
#define M2MF_OBJECT		0x000
#define M2MF_DMA_NOTIFY		0x180
#define M2MF_DMA_BUFFER_IN	0x184
#define M2MF_LINEAR_IN		0x200
#define M2MF_LINEAR_OUT		0x21c
#define M2MF_OFFSET_IN_HIGH	0x238
#define M2MF_OFFSET_IN		0x30c
#define M2MF_FORMAT_BYTES	0x101

#define HANDLE_M2MF	0x80000010
#define HANDLE_ZERO	0x80000011
#define HANDLE_VRAM	0x80000012
#define HANDLE_PAGE	0x80000013
#define HANDLE_STAGE	0x80000014

/* Size of one launch: bytes copied, words of commands */
#define LAUNCH_BYTES	SZ_64K
#define LAUNCH_WORDS	12
#define LINE_BYTES	SZ_4K

/* The segment, then the page that the card writes: notifiers of M2MF, and the mark */
#define HEAD_WORDS	10
#define TAIL_WORDS	(3 + LAUNCH_WORDS)
#define SEGMENT_BYTES	SZ_16K
#define MEM_BYTES	(SEGMENT_BYTES + SZ_4K)
#define MARK_OFFSET	SZ_2K
#define MARK_BYTES	64
#define MARK_PENDING	0xffffffff

static_assert((HEAD_WORDS + CARD_MAX / LAUNCH_BYTES * LAUNCH_WORDS + TAIL_WORDS) * 4 <=
	      SEGMENT_BYTES);

/* --- The segment --------------------------------------------------------- */

struct segment {
	__le32 *words;
	u32 count;
};

static void put(struct segment *seg, u32 word)
{
	seg->words[seg->count++] = cpu_to_le32(word);
}

static void put_method(struct segment *seg, u32 method, u32 count)
{
	put(seg, nvfifo_mthd(SUBC_M2MF, method, count));
}

/* The object, the DMA objects for input and output, and both layouts */
static void put_head(struct segment *seg, u32 from, u32 to)
{
	put_method(seg, M2MF_OBJECT, 1);
	put(seg, HANDLE_M2MF);
	put_method(seg, M2MF_DMA_NOTIFY, 3);
	put(seg, HANDLE_PAGE);
	put(seg, from);
	put(seg, to);
	put_method(seg, M2MF_LINEAR_IN, 1);
	put(seg, 1);
	put_method(seg, M2MF_LINEAR_OUT, 1);
	put(seg, 1);
}

/* Copy lines from an offset in the DMA object for input to one in that for output. */
static void put_launch(struct segment *seg, u64 from, u64 to, u32 line_bytes, u32 lines)
{
	put_method(seg, M2MF_OFFSET_IN_HIGH, 2);
	put(seg, upper_32_bits(from));
	put(seg, upper_32_bits(to));

	/* Offsets, pitches, length and number of lines, format; the last method starts the copy */
	put_method(seg, M2MF_OFFSET_IN, 8);
	put(seg, lower_32_bits(from));
	put(seg, lower_32_bits(to));
	put(seg, line_bytes);
	put(seg, line_bytes);
	put(seg, line_bytes);
	put(seg, lines);
	put(seg, M2MF_FORMAT_BYTES);
	put(seg, 0);
}

/* The last copy overwrites the mark with zeros. */
static void put_mark(struct segment *seg)
{
	put_method(seg, M2MF_DMA_BUFFER_IN, 2);
	put(seg, HANDLE_ZERO);
	put(seg, HANDLE_PAGE);
	put_launch(seg, 0, MARK_OFFSET, MARK_BYTES, 1);
}

/* Write the segment that clears an extent. Return: its length in words. */
static u32 write_clear(struct nvfifo_clear_state *clear, u64 addr, u64 size)
{
	struct segment seg = { .words = clear->mem };
	u64 end = addr + size;

	put_head(&seg, HANDLE_ZERO, HANDLE_VRAM);

	for (; addr < end; addr += LAUNCH_BYTES)
		put_launch(&seg, 0, addr, LINE_BYTES, LAUNCH_BYTES / LINE_BYTES);

	put_mark(&seg);

	return seg.count;
}

/* Write the segment that copies VRAM to the stage. Return: its length in words. */
static u32 write_copy(struct nvfifo_clear_state *clear, u64 addr, u32 size)
{
	struct segment seg = { .words = clear->mem };

	put_head(&seg, HANDLE_VRAM, HANDLE_STAGE);
	put_launch(&seg, addr, 0, LINE_BYTES, size / LINE_BYTES);
	put_mark(&seg);

	return seg.count;
}

static u32 *mark_of(struct nvfifo_clear_state *clear)
{
	return clear->mem + SEGMENT_BYTES + MARK_OFFSET;
}

/* --- The channel --------------------------------------------------------- */

/* Take the channel off the card, and free its memory. */
static void channel_stop(struct nvfifo_device *ndev)
{
	struct nvfifo_clear_state *clear = &ndev->clear;

	if (clear->chan)
		nvfifo_chan_destroy(clear->chan);

	nvfifo_inst_free(ndev, &clear->zero);

	if (clear->vm) {
		nvfifo_vm_unmap_kernel(clear->vm, &clear->mem_va);
		nvfifo_vm_unmap_kernel(clear->vm, &clear->stage_va);
	}

	if (clear->mem)
		dma_free_coherent(&ndev->pdev->dev, MEM_BYTES, clear->mem, clear->mem_dma);

	if (clear->stage)
		dma_free_coherent(&ndev->pdev->dev, NVFIFO_VRAM_COPY_MAX, clear->stage,
				  clear->stage_dma);

	nvfifo_vm_put(clear->vm);
	clear->chan = NULL;
	clear->vm = NULL;
	clear->mem = NULL;
	clear->stage = NULL;
	clear->retry = jiffies + HZ;
}

/* Allocate the segment and the zeros. */
static int channel_memory(struct nvfifo_device *ndev)
{
	struct nvfifo_clear_state *clear = &ndev->clear;
	int ret;

	clear->mem = dma_alloc_coherent(&ndev->pdev->dev, MEM_BYTES, &clear->mem_dma,
					GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!clear->mem)
		return -ENOMEM;

	ret = nvfifo_vm_map_kernel(clear->vm, &clear->mem_va, clear->mem_dma, MEM_BYTES,
				   SEGMENT_BYTES);
	if (ret)
		return ret;

	ret = nvfifo_inst_alloc(ndev, &clear->zero, LAUNCH_BYTES, SZ_4K);
	if (ret)
		return ret;

	nvfifo_vram_fill(ndev, clear->zero.addr, LAUNCH_BYTES, 0);

	return nvfifo_bar_flush(ndev);
}

static int dma_object(struct nvfifo_chan *chan, u32 handle, const struct nvfifo_dmaobj *obj)
{
	u32 words[NVFIFO_OBJECT_WORDS] = {};

	nvfifo_dmaobj_encode(obj, words);

	return nvfifo_object_enter(chan, handle, NULL, words);
}

static int channel_objects(struct nvfifo_device *ndev)
{
	struct nvfifo_clear_state *clear = &ndev->clear;
	const u64 page = clear->mem_va.start + SEGMENT_BYTES;
	const struct nvfifo_dmaobj zero = {
		.oclass = NVFIFO_CLASS_DMA_READ,
		.target = NVFIFO_DMAOBJ_VRAM,
		.access = DRM_NVFIFO_ACCESS_RO,
		.user = DRM_NVFIFO_USER_BOTH,
		.cycle = DRM_NVFIFO_CYCLE_SHORT,
		.start = clear->zero.addr,
		.limit = clear->zero.addr + LAUNCH_BYTES - 1,
	};
	const struct nvfifo_dmaobj vram = {
		.oclass = NVFIFO_CLASS_DMA_RW,
		.target = NVFIFO_DMAOBJ_VRAM,
		.access = DRM_NVFIFO_ACCESS_RW,
		.user = DRM_NVFIFO_USER_BOTH,
		.cycle = DRM_NVFIFO_CYCLE_SHORT,
		.limit = nvfifo_mem_facts(ndev)->vram_size - 1,
	};
	const struct nvfifo_dmaobj mark = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_RW, page,
							    page + SZ_4K - 1);
	const u32 m2mf[NVFIFO_OBJECT_WORDS] = { CLASS_M2MF };
	struct nvfifo_chan *chan = clear->chan;
	int ret;

	guard(mutex)(&chan->lock);

	ret = dma_object(chan, HANDLE_ZERO, &zero);
	if (ret)
		return ret;

	ret = dma_object(chan, HANDLE_VRAM, &vram);
	if (ret)
		return ret;

	ret = dma_object(chan, HANDLE_PAGE, &mark);
	if (ret)
		return ret;

	return nvfifo_object_enter(chan, HANDLE_M2MF, nvfifo_class_find(ndev->chip, CLASS_M2MF),
				   m2mf);
}

static int channel_build(struct nvfifo_device *ndev)
{
	struct drm_nvfifo_channel_create args = { .ring_order = NVFIFO_RING_ORDER_MIN };
	struct nvfifo_clear_state *clear = &ndev->clear;
	struct nvfifo_chan *chan;
	int ret;

	clear->vm = nvfifo_vm_create(ndev, NULL);
	if (!clear->vm)
		return -ENOMEM;

	ret = channel_memory(ndev);
	if (ret)
		return ret;

	chan = nvfifo_chan_create(clear->vm, NULL, &args);
	if (IS_ERR(chan))
		return PTR_ERR(chan);

	clear->chan = chan;

	return channel_objects(ndev);
}

/*
 * Create the channel if there is none, at most once in a second after a failure. The memory cgroup
 * of the first caller pays for it.
 */
static bool channel_start(struct nvfifo_device *ndev)
{
	struct nvfifo_clear_state *clear = &ndev->clear;
	int ret;

	if (clear->chan)
		return true;

	if (clear->retry && time_before(jiffies, clear->retry))
		return false;

	ret = channel_build(ndev);
	if (!ret)
		return true;

	drm_dbg(&ndev->drm, "the card cannot clear VRAM: error %d\n", ret);
	channel_stop(ndev);

	return false;
}

/* Let the card execute the segment. Return: false if it has not, and will not any more. */
static bool segment_run(struct nvfifo_device *ndev, u32 words, unsigned long until)
{
	struct nvfifo_clear_state *clear = &ndev->clear;
	long timeout = until - jiffies;
	struct dma_fence *fence;
	bool done;

	WRITE_ONCE(*mark_of(clear), MARK_PENDING);
	fence = nvfifo_submit_segment(clear->chan, clear->mem_va.start, words);
	if (IS_ERR(fence)) {
		channel_stop(ndev);
		return false;
	}

	/* Not interruptible: a signal would cost the channel. The hang limit bounds the wait. */
	done = dma_fence_wait_timeout(fence, false, max(timeout, 1L)) > 0 && !fence->error &&
	       READ_ONCE(*mark_of(clear)) != MARK_PENDING;
	dma_fence_put(fence);

	if (!done) {
		drm_dbg(&ndev->drm, "the card did not clear or copy VRAM\n");
		channel_stop(ndev);
	}

	return done;
}

/* --- Clearing ------------------------------------------------------------ */

/* Return: false if the card has not cleared the extent. Then it does not write to it any more. */
static bool clear_part(struct nvfifo_device *ndev, u64 addr, u64 size, unsigned long until)
{
	if (time_after_eq(jiffies, until) || !channel_start(ndev))
		return false;

	return segment_run(ndev, write_clear(&ndev->clear, addr, size), until);
}

static bool card_may_clear(struct nvfifo_device *ndev)
{
	return nvfifo_pgraph_is_used(ndev) && nvfifo_phase(ndev) == NVFIFO_RUNNING;
}

/* Clear an extent with the card, from its start on. Return: the bytes that are zero now. */
static u64 clear_by_card(struct nvfifo_device *ndev, u64 addr, u64 size, unsigned long until)
{
	u64 done, part;

	if (size < CARD_MIN || !card_may_clear(ndev))
		return 0;

	/* The channel's own memory is cleared here, too, while its creator holds the lock. */
	if (!mutex_trylock(&ndev->clear.lock))
		return 0;

	for (done = 0; done < size; done += part) {
		part = min(size - done, (u64)CARD_MAX);
		if (!clear_part(ndev, addr + done, part, until))
			break;
	}

	mutex_unlock(&ndev->clear.lock);

	return done;
}

/**
 * nvfifo_clear_bo() - Clear the VRAM of a new buffer
 * @bo: the buffer
 *
 * Context: Process context, sleeps. Waits for the card for as long as the hang limit at most.
 *
 * Return: 0 or as nvfifo_vram_clear().
 */
int nvfifo_clear_bo(struct nvfifo_bo *bo)
{
	const unsigned long until = jiffies + usecs_to_jiffies(nvfifo_job_timeout_us());
	struct nvfifo_device *ndev = nvfifo_bo_device(bo);
	struct nvfifo_extent *extent;
	u64 addr, size, done;
	int ret;

	list_for_each_entry(extent, &bo->extents, link) {
		addr = extent->node.start;
		size = extent->node.size;
		done = clear_by_card(ndev, addr, size, until);
		if (done == size)
			continue;

		ret = nvfifo_vram_clear(ndev, addr + done, size - done);
		if (ret)
			return ret;
	}

	return 0;
}

/* --- Copying ------------------------------------------------------------- */

static int stage_start(struct nvfifo_device *ndev)
{
	struct nvfifo_clear_state *clear = &ndev->clear;
	struct nvfifo_dmaobj stage;
	int ret;

	/* After a suspend that had to reset PFIFO, the channel kept it. */
	if (clear->stage)
		return 0;

	clear->stage = dma_alloc_coherent(&ndev->pdev->dev, NVFIFO_VRAM_COPY_MAX,
					  &clear->stage_dma, GFP_KERNEL | __GFP_NOWARN);
	if (!clear->stage)
		return -ENOMEM;

	ret = nvfifo_vm_map_kernel(clear->vm, &clear->stage_va, clear->stage_dma,
				   NVFIFO_VRAM_COPY_MAX, 0);
	if (ret)
		return ret;

	stage = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_RW, clear->stage_va.start,
				 clear->stage_va.start + NVFIFO_VRAM_COPY_MAX - 1);
	guard(mutex)(&clear->chan->lock);

	return dma_object(clear->chan, HANDLE_STAGE, &stage);
}

/**
 * nvfifo_vram_copy_prepare() - Allocate the channel and the memory for copies of VRAM
 * @ndev: the device, in use, with user space frozen
 *
 * Without them, or if PGRAPH is not in use, the processor copies.
 */
void nvfifo_vram_copy_prepare(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->clear.lock);

	if (card_may_clear(ndev) && channel_start(ndev) && stage_start(ndev))
		channel_stop(ndev);
}

/**
 * nvfifo_vram_copy_start() - Let the card copy VRAM, after its channels have been taken off
 * @ndev: the device, after nvfifo_vram_copy_prepare()
 */
void nvfifo_vram_copy_start(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->clear.lock);

	if (ndev->clear.stage && nvfifo_chan_resume(ndev->clear.chan))
		channel_stop(ndev);
}

/**
 * nvfifo_vram_copy() - Copy VRAM to system memory with the card
 * @ndev: the device, between nvfifo_vram_copy_start() and nvfifo_vram_copy_end()
 * @addr: VRAM address, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB, NVFIFO_VRAM_COPY_MAX at most
 *
 * Context: Process context, sleeps, for as long as the hang limit at most.
 *
 * Return: the contents, until the next call; NULL if the card does not copy.
 */
const void *nvfifo_vram_copy(struct nvfifo_device *ndev, u64 addr, u32 size)
{
	const unsigned long until = jiffies + usecs_to_jiffies(nvfifo_job_timeout_us());
	struct nvfifo_clear_state *clear = &ndev->clear;

	guard(mutex)(&clear->lock);

	if (!clear->stage || !segment_run(ndev, write_copy(clear, addr, size), until))
		return NULL;

	return clear->stage;
}

/**
 * nvfifo_vram_copy_end() - Take the channel of the copies off the card, and free it
 * @ndev: the device
 */
void nvfifo_vram_copy_end(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->clear.lock);

	if (!ndev->clear.stage)
		return;

	channel_stop(ndev);

	/* Nothing failed: BO_CREATE may create a new one at once. */
	ndev->clear.retry = 0;
}

/* --- The channel's end --------------------------------------------------- */

/**
 * nvfifo_clear_yield() - Free the channel, because a client finds no number or memory for its own
 * @ndev: the device
 *
 * Nothing happens while the channel is in use.
 */
void nvfifo_clear_yield(struct nvfifo_device *ndev)
{
	if (!mutex_trylock(&ndev->clear.lock))
		return;

	if (ndev->clear.chan)
		channel_stop(ndev);

	mutex_unlock(&ndev->clear.lock);
}

/**
 * nvfifo_clear_fini() - Free the channel of a card that is being removed
 * @ndev: the device, unplugged, with all channels dead
 */
void nvfifo_clear_fini(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->clear.lock);

	channel_stop(ndev);
}
