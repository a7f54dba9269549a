// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: PGRAPH
 *
 * PGRAPH executes the methods of 2D, M2MF, 3D and compute objects for one channel at a time.
 * When PFIFO has a method for it from another channel it runs a context program, which the
 * driver has uploaded, and which saves the registers of one channel to its image and loads
 * those of the next. The image is found through a DMA object in the channel structure.
 *
 * Who never makes a PGRAPH object never gets it: PGRAPH is reset and set up when the first
 * object of any channel is made, and a channel has an image from its own first object on. The
 * image is a buffer of the driver's with the values of a channel that has done nothing.
 *
 * PGRAPH stops at an error until its interrupt is handled. The handler lets it go on, as
 * the channel can be taken off only then, and the channel is killed.
 */

#include "nvfifo_bo.h"
#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_gr.h"
#include "nvfifo_hw.h"
#include "nvfifo_irq.h"
#include "nvfifo_mem.h"
#include "nvfifo_mmu.h"
#include "nvfifo_ramht.h"

#define RAM_TYPE_GDDR5	4

static void write_reg(void *data, u32 reg, u32 val)
{
	nvfifo_wr32(data, reg, val);
}

/* Whatever it was at, it knows no channel any more. */
void nvfifo_gr_reset(struct nvfifo_device *ndev)
{
	u32 unit = NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH) |
		   (ndev->chip->g84 ? NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH_CTXSW) : 0);

	nvfifo_mask(ndev, NV_PMC_ENABLE, unit, 0);
	nvfifo_mask(ndev, NV_PMC_ENABLE, unit, unit);
}

/* Reset PGRAPH and upload the context program. */
void nvfifo_gr_init(struct nvfifo_device *ndev)
{
	u32 *program = ndev->gr_program;

	ndev->gr = (struct nvfifo_grctx) {
		.chip = ndev->chip->chip,
		.units = nvfifo_rd32(ndev, NV_PBUS_HWUNITS_0),
		.gddr5 = (nvfifo_rd32(ndev, NV_PFB_RAM_TYPE) & 7) == RAM_TYPE_GDDR5,
	};
	nvfifo_gr_reset(ndev);
	nvfifo_grctx_init(&ndev->gr, program, nvfifo_grctx_program(&ndev->gr, program), write_reg,
			  ndev);
	ndev->gr_up = true;
	if (ndev->chip->chip >= NV_CHIP_GT215)
		nvfifo_mask(ndev, NV_PMC_INTR_MASK_HOST, 0,
			    NV_FLD_MASK(NV_PMC_INTR_MASK_HOST__PGRAPH));
}

struct image {
	struct nvfifo_device *ndev;
	u64 addr;
};

static void write_image(void *data, u32 offset, u32 val)
{
	struct image *image = data;

	nvfifo_vram_wr32(image->ndev, image->addr + offset, val);
}

/* Give a channel its context image, with its lock held. Return: 0 or an errno. */
int nvfifo_gr_chan_init(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	u64 at = chan->inst.addr +
		 (ndev->chip->g84 ? NVFIFO_G84_ENGINES + 0x20 : NVFIFO_G80_ENGINES);
	struct image image = { .ndev = ndev };
	struct nvfifo_dmaobj obj = {
		.target = NVFIFO_DMAOBJ_VRAM,
		.access = NVFIFO_DMAOBJ_ACCESS_RW,
		.user = NVFIFO_DMAOBJ_USER_BOTH,
	};
	u32 w[NVFIFO_OBJECT_WORDS] = {}, size;
	struct drm_gem_object *gem;
	struct nvfifo_piece *piece;

	if (chan->gr_image)
		return 0;
	scoped_guard(mutex, &ndev->fifo_lock)
		if (!ndev->gr_up)
			nvfifo_gr_init(ndev);
	size = nvfifo_grctx_image(&ndev->gr, NULL, NULL);
	gem = nvfifo_bo_create_vram(ndev, chan->vm->quota, ALIGN(size, SZ_64K),
				    DRM_NVFIFO_BO_CONTIGUOUS, "PGRAPH context");
	if (IS_ERR(gem))
		return PTR_ERR(gem);
	piece = list_first_entry(&to_nvfifo_bo(gem)->pieces, struct nvfifo_piece, link);
	image.addr = piece->node.start;
	nvfifo_grctx_image(&ndev->gr, write_image, &image);
	obj.start = image.addr;
	obj.limit = image.addr + size - 1;
	nvfifo_dmaobj_encode(&obj, w);
	nvfifo_object_write(ndev, at, w);
	chan->gr_image = gem;
	return nvfifo_bar_flush(ndev);
}

/* --- Interrupts ---------------------------------------------------------- */

/* What methods ask for: no errors. */
#define NORMAL	(NV_PGRAPH_INTR__NOTIFY | NV_PGRAPH_INTR__QUERY | \
		 NV_PGRAPH_INTR__SYNC | NV_PGRAPH_INTR__BUFFER_NOTIFY)

static struct nvfifo_chan *current_channel(struct nvfifo_device *ndev)
{
	u32 cur = nvfifo_rd32(ndev, NV_PGRAPH_CTXCTL_CUR);
	struct nvfifo_chan *chan = NULL;

	if (!NV_FLD_GET(NV_PGRAPH_CTXCTL_CUR__VALID, cur))
		return NULL;
	while ((chan = nvfifo_chan_next(ndev, chan)))
		if (chan->inst.addr >> 12 == NV_FLD_GET(NV_PGRAPH_CTXCTL_CUR__CHAN, cur))
			break;
	return chan;
}

/**
 * nvfifo_gr_owner - Which channel does PGRAPH work for?
 * @ndev: the device, with its fifo_lock held
 *
 * Return: the channel's number in PFIFO, 0 if PGRAPH is idle
 */
u32 nvfifo_gr_owner(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;

	if (!ndev->gr_up ||
	    !(nvfifo_rd32(ndev, NV_PGRAPH_STATUS) & NV_FLD_MASK(NV_PGRAPH_STATUS__ALL)))
		return 0;

	chan = current_channel(ndev);

	return chan ? chan->id : 0;
}

static void error_log(struct nvfifo_device *ndev, u32 id, const struct drm_nvfifo_channel_query *e)
{
	static const char * const traps[] = {
		"DISPATCH", "M2MF", "VFETCH", "STRMOUT", "CCACHE", "CLIPID", "TEX", "MP", "PROP",
	};
	const char *what = "";
	unsigned int i;

	if (e->error_code & NV_FLD_MASK(NV_PGRAPH_INTR__DATA_ERROR))
		what = nvfifo_data_error_name(e->error_detail);
	for (i = 0; i < ARRAY_SIZE(traps) && e->error_code & NV_FLD_MASK(NV_PGRAPH_INTR__TRAP); i++)
		if (e->error_detail & BIT(i))
			what = traps[i];
	dev_err_ratelimited(ndev->drm.dev,
			    "channel %u: PGRAPH %s %s, intr %08x detail %08x, class %04x subchannel %u method %04x data %08x\n",
			    id, nvfifo_gr_intr_name(e->error_code), what, e->error_code,
			    e->error_detail, nvfifo_rd32(ndev, NV_PGRAPH_TRAPPED_CLASS) & 0xffff,
			    e->error_method >> 13, e->error_method & 0x1ffc, e->error_data);
}

static void subunit_reset(struct nvfifo_device *ndev, u32 unit)
{
	nvfifo_wr32(ndev, NV_PGRAPH_SUBUNIT_RESET, unit);
	nvfifo_wr32(ndev, NV_PGRAPH_SUBUNIT_RESET, 0);
}

static void gr_error(struct nvfifo_device *ndev, struct drm_nvfifo_channel_query *e)
{
	u32 addr = nvfifo_rd32(ndev, NV_PGRAPH_TRAPPED_ADDR);
	struct nvfifo_chan *chan = current_channel(ndev);

	e->error = DRM_NVFIFO_ERROR_GRAPH;
	e->error_method = NV_FLD_GET(NV_PGRAPH_TRAPPED_ADDR__SUBCHANNEL, addr) << 13 |
			  (addr & NV_FLD_MASK(NV_PGRAPH_TRAPPED_ADDR__METHOD));
	e->error_data = nvfifo_rd32(ndev, NV_PGRAPH_TRAPPED_DATA);
	if (e->error_code & NV_FLD_MASK(NV_PGRAPH_INTR__TRAP)) {
		e->error_detail = nvfifo_rd32(ndev, NV_PGRAPH_TRAP);
		nvfifo_fault_take(ndev, chan, e);
	} else if (e->error_code & NV_FLD_MASK(NV_PGRAPH_INTR__DATA_ERROR)) {
		e->error_detail = nvfifo_rd32(ndev, NV_PGRAPH_DATA_ERROR);
	}
	error_log(ndev, chan ? chan->id : 0, e);
	atomic64_inc(&ndev->errors);
	if (!chan)
		return;
	nvfifo_chan_condemn(chan, e);
	nvfifo_chan_put(chan);
}

/*
 * Handle what PGRAPH told, with fifo_lock held: it waits for that, and whoever takes a channel
 * off waits for PGRAPH. A fence must have failed by then, as the commands behind the error
 * are executed until the channel is taken off. Return: whether there was something.
 */
bool nvfifo_gr_unblock(struct nvfifo_device *ndev)
{
	struct drm_nvfifo_channel_query e = {};

	if (ndev->gr_up)
		e.error_code = nvfifo_rd32(ndev, NV_PGRAPH_INTR);
	if (!e.error_code || e.error_code == ~0u)
		return false;
	if (e.error_code & ~NORMAL)
		gr_error(ndev, &e);
	if (e.error_code & NV_FLD_MASK(NV_PGRAPH_INTR__TRAP)) {
		/* These two stay as they are until they are reset. */
		if (e.error_detail & NV_FLD_MASK(NV_PGRAPH_TRAP__M2MF))
			subunit_reset(ndev, NV_FLD_MASK(NV_PGRAPH_SUBUNIT_RESET__M2MF));
		if (e.error_detail & NV_FLD_MASK(NV_PGRAPH_TRAP__STRMOUT))
			subunit_reset(ndev, NV_FLD_MASK(NV_PGRAPH_SUBUNIT_RESET__STRMOUT));
		nvfifo_grctx_traps(&ndev->gr, write_reg, ndev);
		nvfifo_wr32(ndev, NV_PGRAPH_TRAP, e.error_detail);
	}
	nvfifo_wr32(ndev, NV_PGRAPH_INTR, e.error_code);
	nvfifo_wr32(ndev, NV_PGRAPH_CONTROL, NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS) |
					     NV_FLD_MASK(NV_PGRAPH_CONTROL__QUERY_ENABLE));
	wake_up_all(&ndev->waiters);
	return true;
}

void nvfifo_gr_intr(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->fifo_lock);
	nvfifo_gr_unblock(ndev);
}
