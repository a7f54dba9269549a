// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: The cleaner
 *
 * The cleaner is a channel of the driver that clears VRAM with M2MF: it copies 64 KiB of zeros
 * repeatedly. It is created when VRAM waits to be cleared and PGRAPH is in use. The driver does not
 * touch PGRAPH before a client has created a PGRAPH object. PFIFO, PGRAPH, the watchdog, errors
 * and resets treat the cleaner like any other channel.
 *
 * Its DMA objects for the zeros and for VRAM bypass the page tables, so neither has to be mapped.
 * M2MF executes in order, and the last copy of an extent writes a word of system memory, the mark.
 * The extent is zero if its fence has signalled success and the mark has been overwritten.
 *
 * The driver takes a cleaner that fails off the card, and creates a new one after a second at the
 * earliest. Until then the processor clears.
 */
#include <linux/dma-mapping.h>

#include "nvfifo_chan.h"
#include "nvfifo_cleaner.h"
#include "nvfifo_clear.h"
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_mem.h"
#include "nvfifo_object.h"
#include "nvfifo_sched.h"
#include "nvfifo_vm.h"

#define CLASS_M2MF	0x5039
#define SUBC_M2MF	0

/* Methods of M2MF */
#define M2MF_OBJECT		0x000
#define M2MF_DMA_NOTIFY		0x180
#define M2MF_DMA_BUFFER_OUT	0x188
#define M2MF_LINEAR_IN		0x200
#define M2MF_LINEAR_OUT		0x21c
#define M2MF_OFFSET_IN_HIGH	0x238
#define M2MF_OFFSET_IN		0x30c
#define M2MF_FORMAT_BYTES	0x101

#define HANDLE_M2MF	0x80000010
#define HANDLE_ZERO	0x80000011
#define HANDLE_VRAM	0x80000012
#define HANDLE_PAGE	0x80000013

/* Size of one launch: bytes copied, words of commands */
#define LAUNCH_BYTES	SZ_64K
#define LAUNCH_WORDS	12
#define LINE_BYTES	SZ_4K

/* Words of a launch with the address to which it copies */
#define LAUNCH_TO_HIGH	2
#define LAUNCH_TO_LOW	5

#define HEAD_WORDS	10
#define TAIL_WORDS	(2 + LAUNCH_WORDS)

/* The segment, then the page that the card writes: notifiers of M2MF, and the mark */
#define SEGMENT_BYTES	SZ_16K
#define MEM_BYTES	(SEGMENT_BYTES + SZ_4K)
#define MARK_OFFSET	SZ_2K
#define MARK_BYTES	64
#define MARK_PENDING	0xffffffff

#define LAUNCHES_MAX	(NVFIFO_CLEAR_EXTENT_MAX / LAUNCH_BYTES)

static_assert((HEAD_WORDS + LAUNCHES_MAX * LAUNCH_WORDS + TAIL_WORDS) * 4 <= SEGMENT_BYTES);

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

/* Copy zeros to an offset in the DMA object for output. */
static void put_launch(struct segment *seg, u64 to, u32 line_bytes, u32 lines)
{
	put_method(seg, M2MF_OFFSET_IN_HIGH, 2);
	put(seg, 0);
	put(seg, upper_32_bits(to));

	/* Offsets, pitches, length and number of lines, format; the last method starts the copy */
	put_method(seg, M2MF_OFFSET_IN, 8);
	put(seg, 0);
	put(seg, lower_32_bits(to));
	put(seg, line_bytes);
	put(seg, line_bytes);
	put(seg, line_bytes);
	put(seg, lines);
	put(seg, M2MF_FORMAT_BYTES);
	put(seg, 0);
}

/* Write a segment with launches that have no address yet. */
static void segment_write(struct nvfifo_cleaner_state *cleaner, u32 launches)
{
	struct segment seg = { .words = cleaner->mem };
	u32 i;

	put_method(&seg, M2MF_OBJECT, 1);
	put(&seg, HANDLE_M2MF);
	put_method(&seg, M2MF_DMA_NOTIFY, 3);
	put(&seg, HANDLE_PAGE);
	put(&seg, HANDLE_ZERO);
	put(&seg, HANDLE_VRAM);
	put_method(&seg, M2MF_LINEAR_IN, 1);
	put(&seg, 1);
	put_method(&seg, M2MF_LINEAR_OUT, 1);
	put(&seg, 1);

	for (i = 0; i < launches; i++)
		put_launch(&seg, 0, LINE_BYTES, LAUNCH_BYTES / LINE_BYTES);

	put_method(&seg, M2MF_DMA_BUFFER_OUT, 1);
	put(&seg, HANDLE_PAGE);
	put_launch(&seg, MARK_OFFSET, MARK_BYTES, 1);

	cleaner->launches = launches;
	cleaner->words = seg.count;
}

/* Make the segment clear an extent. Most extents have the size of the one before. */
static void segment_aim(struct nvfifo_cleaner_state *cleaner, u64 addr, u64 size)
{
	__le32 *launch = (__le32 *)cleaner->mem + HEAD_WORDS;
	u32 launches = DIV_ROUND_UP(size, LAUNCH_BYTES);
	u32 i;

	if (launches != cleaner->launches)
		segment_write(cleaner, launches);

	for (i = 0; i < launches; i++) {
		launch[LAUNCH_TO_HIGH] = cpu_to_le32(upper_32_bits(addr));
		launch[LAUNCH_TO_LOW] = cpu_to_le32(lower_32_bits(addr));
		launch += LAUNCH_WORDS;
		addr += LAUNCH_BYTES;
	}
}

static u32 *mark_of(struct nvfifo_cleaner_state *cleaner)
{
	return cleaner->mem + SEGMENT_BYTES + MARK_OFFSET;
}

/* --- The channel --------------------------------------------------------- */

/* Take the channel off the card, and free its memory. */
static void cleaner_stop(struct nvfifo_device *ndev)
{
	struct nvfifo_cleaner_state *cleaner = &ndev->cleaner;

	if (cleaner->chan)
		nvfifo_chan_destroy(cleaner->chan);

	nvfifo_inst_free(ndev, &cleaner->zero);

	if (cleaner->vm)
		nvfifo_vm_unmap_kernel(cleaner->vm, &cleaner->mem_va);

	if (cleaner->mem)
		dma_free_coherent(&ndev->pdev->dev, MEM_BYTES, cleaner->mem, cleaner->mem_dma);

	nvfifo_vm_put(cleaner->vm);
	cleaner->chan = NULL;
	cleaner->vm = NULL;
	cleaner->mem = NULL;
	cleaner->launches = 0;
}

/* Allocate the segment and the zeros. */
static int cleaner_memory(struct nvfifo_device *ndev)
{
	struct nvfifo_cleaner_state *cleaner = &ndev->cleaner;
	int ret;

	cleaner->mem = dma_alloc_coherent(&ndev->pdev->dev, MEM_BYTES, &cleaner->mem_dma,
					  GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!cleaner->mem)
		return -ENOMEM;

	ret = nvfifo_vm_map_kernel(cleaner->vm, &cleaner->mem_va, cleaner->mem_dma, MEM_BYTES,
				   SEGMENT_BYTES);
	if (ret)
		return ret;

	ret = nvfifo_inst_alloc(ndev, &cleaner->zero, LAUNCH_BYTES, SZ_4K);
	if (ret)
		return ret;

	nvfifo_vram_fill(ndev, cleaner->zero.addr, LAUNCH_BYTES, 0);

	return nvfifo_bar_flush(ndev);
}

static int dma_object(struct nvfifo_chan *chan, u32 handle, const struct nvfifo_dmaobj *obj)
{
	u32 words[NVFIFO_OBJECT_WORDS] = {};

	nvfifo_dmaobj_encode(obj, words);

	return nvfifo_object_enter(chan, handle, NULL, words);
}

static int cleaner_objects(struct nvfifo_device *ndev)
{
	struct nvfifo_cleaner_state *cleaner = &ndev->cleaner;
	const u64 page = cleaner->mem_va.start + SEGMENT_BYTES;
	const struct nvfifo_dmaobj zero = {
		.oclass = NVFIFO_CLASS_DMA_READ,
		.target = NVFIFO_DMAOBJ_VRAM,
		.access = DRM_NVFIFO_ACCESS_RO,
		.user = DRM_NVFIFO_USER_BOTH,
		.cycle = DRM_NVFIFO_CYCLE_SHORT,
		.start = cleaner->zero.addr,
		.limit = cleaner->zero.addr + LAUNCH_BYTES - 1,
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
	struct nvfifo_chan *chan = cleaner->chan;
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

static int cleaner_build(struct nvfifo_device *ndev)
{
	struct drm_nvfifo_channel_create args = { .ring_order = NVFIFO_RING_ORDER_MIN };
	struct nvfifo_cleaner_state *cleaner = &ndev->cleaner;
	struct nvfifo_chan *chan;
	int ret;

	cleaner->vm = nvfifo_vm_create_kernel(ndev);
	if (!cleaner->vm)
		return -ENOMEM;

	ret = cleaner_memory(ndev);
	if (ret)
		return ret;

	chan = nvfifo_chan_create(cleaner->vm, NULL, &args);
	if (IS_ERR(chan))
		return PTR_ERR(chan);

	cleaner->chan = chan;

	return cleaner_objects(ndev);
}

/* Create the channel, unless the last attempt was less than a second ago. */
static int cleaner_start(struct nvfifo_device *ndev)
{
	struct nvfifo_cleaner_state *cleaner = &ndev->cleaner;
	int ret;

	if (cleaner->chan)
		return 0;

	if (cleaner->retry && time_before(jiffies, cleaner->retry))
		return -EAGAIN;

	cleaner->retry = jiffies + HZ;
	ret = cleaner_build(ndev);
	if (ret) {
		drm_dbg(&ndev->drm, "the card cannot clear VRAM: error %d\n", ret);
		cleaner_stop(ndev);
	}

	return ret;
}

/* --- Extents -------------------------------------------------------------- */

static void fence_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct nvfifo_cleaner_state *cleaner = container_of(cb, struct nvfifo_cleaner_state, cb);
	struct nvfifo_device *ndev = container_of(cleaner, struct nvfifo_device, cleaner);

	nvfifo_clear_run(ndev);
}

/* Return: false while the card works on an extent. */
static bool extent_end(struct nvfifo_device *ndev)
{
	struct nvfifo_cleaner_state *cleaner = &ndev->cleaner;
	bool zero;

	if (!cleaner->fence)
		return true;

	if (!dma_fence_is_signaled(cleaner->fence))
		return false;

	zero = !cleaner->fence->error && READ_ONCE(*mark_of(cleaner)) != MARK_PENDING;
	dma_fence_put(cleaner->fence);
	cleaner->fence = NULL;

	/* The cleaner must be off the card before the extent gets an owner. */
	if (!zero) {
		drm_dbg(&ndev->drm, "the card did not clear VRAM\n");
		cleaner_stop(ndev);
		cleaner->retry = jiffies + HZ;
	}

	nvfifo_clear_done(ndev, zero);

	return true;
}

static int extent_submit(struct nvfifo_device *ndev, u64 addr, u64 size)
{
	struct nvfifo_cleaner_state *cleaner = &ndev->cleaner;
	struct dma_fence *fence;

	WRITE_ONCE(*mark_of(cleaner), MARK_PENDING);
	segment_aim(cleaner, addr, size);
	fence = nvfifo_submit_segment(cleaner->chan, cleaner->mem_va.start, cleaner->words);
	if (IS_ERR(fence))
		return PTR_ERR(fence);

	cleaner->fence = fence;

	return 0;
}

/* Start to clear the next extent. Return: true if there was one, and it has already ended. */
static bool extent_begin(struct nvfifo_device *ndev)
{
	struct nvfifo_cleaner_state *cleaner = &ndev->cleaner;
	u64 addr, size;
	int ret;

	if (!nvfifo_clear_next(ndev, &addr, &size))
		return false;

	ret = cleaner_start(ndev);
	if (!ret) {
		ret = extent_submit(ndev, addr, size);
		if (ret)
			cleaner_stop(ndev);
	}

	if (ret) {
		nvfifo_clear_done(ndev, false);
		nvfifo_clear_refuse(ndev);

		return false;
	}

	return dma_fence_add_callback(cleaner->fence, &cleaner->cb, fence_signalled);
}

/**
 * nvfifo_cleaner_work() - Clear VRAM with the card, one extent after the other
 * @work: nvfifo_device.clear.work, queued by callers that wait, and by the fence of an extent
 */
void nvfifo_cleaner_work(struct work_struct *work)
{
	struct nvfifo_device *ndev = container_of(work, struct nvfifo_device, clear.work.work);

	CLASS(nvfifo_enter, entered)(ndev);
	if (!entered.is_open)
		return;

	while (extent_end(ndev)) {
		if (nvfifo_clear_take_yield(ndev))
			cleaner_stop(ndev);

		if (!nvfifo_clear_is_possible(ndev)) {
			nvfifo_clear_refuse(ndev);
			return;
		}

		if (!extent_begin(ndev))
			return;
	}
}

/**
 * nvfifo_cleaner_fini() - Free the channel of a card that is being removed
 * @ndev: the device, unplugged, with all channels dead
 */
void nvfifo_cleaner_fini(struct nvfifo_device *ndev)
{
	struct nvfifo_cleaner_state *cleaner = &ndev->cleaner;

	nvfifo_clear_pause(ndev);

	if (cleaner->fence) {
		dma_fence_remove_callback(cleaner->fence, &cleaner->cb);
		dma_fence_put(cleaner->fence);
		cleaner->fence = NULL;
		nvfifo_clear_done(ndev, false);
	}

	cleaner_stop(ndev);
}
