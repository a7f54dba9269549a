// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: PGRAPH
 *
 * PGRAPH executes the methods of 2D, M2MF, 3D and compute objects for one channel at a time. When
 * PFIFO sends a method of another channel, PGRAPH runs a context program that the driver has
 * uploaded. The program saves the registers of one channel to its image, and loads those of the
 * next. A DMA object in the channel structure describes the image.
 *
 * The driver does not access PGRAPH before a channel creates its first PGRAPH object. Then it
 * resets PGRAPH and sets it up. A channel gets an image with its own first object: a buffer with
 * the initial values of a context. They depend on the card only, so the driver generates them once.
 * One word in a hundred is not zero. The driver writes only these, because new VRAM is zero.
 *
 * PGRAPH stops at an error until its interrupt is handled. With FIFO access off the handler
 * kills the channel, drops its work in PFIFO, and writes the registers that release the units.
 * Then PGRAPH must run again, because a kick of the channel waits for it.
 *
 * A PGRAPH that is busy beyond the limit of a job is reset. The reset costs one channel only: the
 * one whose context is loaded.
 *
 * Traps of PGRAPH
 *
 * A unit of PGRAPH that cannot continue traps. PGRAPH.TRAP has a bit for each kind of unit. The
 * unit's own registers hold the reason. DISPATCH holds the command that it could not execute, a
 * multiprocessor (MP) the instruction, PROP the address. The driver logs them, and keeps them for
 * the dump of the channel. Then it releases the unit.
 *
 * Each TP has a PROP and several MPs. G200 moved their registers.
 */
#include <linux/sched/signal.h>

#include "mem/nvfifo_bo.h"
#include "debug/nvfifo_dump.h"
#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_error.h"
#include "fifo/nvfifo_sched.h"
#include "gr/nvfifo_gr.h"
#include "card/nvfifo_hw.h"
#include "card/nvfifo_card.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"

#define RAM_TYPE_GDDR5	4

/* The words of VSTATUS, and the names of all units */
#define UNITS_TEXT	208

/* Reset PGRAPH, which unloads its context. */
static void gr_reset(struct nvfifo_device *ndev)
{
	u32 unit = NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH) |
		   (ndev->chip->g84 ? NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH_CTXSW) : 0);

	nvfifo_units_reset(ndev, unit);
}

/**
 * nvfifo_gr_init() - Reset PGRAPH, and upload the context program
 * @ndev: the device, with fifo_lock held unless it resumes
 *
 * PGRAPH's registers may be accessed from then on.
 */
void nvfifo_gr_init(struct nvfifo_device *ndev)
{
	const u32 access = NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS);
	const struct nvfifo_port port = nvfifo_port(ndev);
	u32 *program = ndev->gr.program;

	ndev->gr.ctx = (struct nvfifo_grctx) {
		.chip = ndev->chip->chip,
		.units = nvfifo_rd32(ndev, NV_PBUS_HWUNITS_0),
		.gddr5 = (nvfifo_rd32(ndev, NV_PFB_RAM_TYPE) & 7) == RAM_TYPE_GDDR5,
	};
	gr_reset(ndev);
	nvfifo_grctx_init(&ndev->gr.ctx, program, nvfifo_grctx_program(&ndev->gr.ctx, program),
			  port.write, port.card);

	/* Keep FIFO access off if a reset comes while a TLB flush waits for PGRAPH. */
	if (ndev->gr.paused)
		nvfifo_mask(ndev, NV_PGRAPH_CONTROL, access, 0);

	nvfifo_pgraph_set_used(ndev);

	if (ndev->chip->chip >= NV_CHIP_GT215)
		nvfifo_mask(ndev, NV_PMC_INTR_MASK_HOST, 0,
			    NV_FLD_MASK(NV_PMC_INTR_MASK_HOST__PGRAPH));
}

/* --- Context images ------------------------------------------------------ */

static void set_word(void *data, u32 offset, u32 val)
{
	__le32 *image = data;

	image[offset / 4] = cpu_to_le32(val);
}

/**
 * nvfifo_gr_release() - Free the initial image, with the device
 * @ndev: the device
 */
void nvfifo_gr_release(struct nvfifo_device *ndev)
{
	kvfree(ndev->gr.words);
}

/* List the words that are not zero. Return: the list, or NULL. */
static struct nvfifo_gr_word *image_words(const __le32 *image, u32 size, u32 *count)
{
	struct nvfifo_gr_word *words;
	u32 i, n = 0;

	for (i = 0; i < size / 4; i++)
		n += image[i] != 0;

	words = kvmalloc_array(n, sizeof(*words), GFP_KERNEL);
	if (!words)
		return NULL;

	*count = n;
	for (i = 0, n = 0; i < size / 4; i++)
		if (image[i])
			words[n++] = (struct nvfifo_gr_word){ i * 4, le32_to_cpu(image[i]) };

	return words;
}

/*
 * Set PGRAPH up. Its TLB may hold translations of an earlier driver, or of an earlier load of this
 * one, to memory that has other owners now. An unmap flushes the TLB only once PGRAPH is in use.
 * Return: 0, -EIO or -ENODEV.
 */
static int gr_begin(struct nvfifo_device *ndev)
{
	unsigned int engine = NVFIFO_VM_PGRAPH;

	guard(mutex)(&ndev->engine_lock);
	guard(mutex)(&ndev->fifo_lock);

	if (nvfifo_pgraph_is_used(ndev))
		return 0;

	nvfifo_gr_init(ndev);

	return nvfifo_run_procedure_locked(ndev, "TLB flush", nvfifo_gr_flush_tlb, &engine);
}

/* Generate the initial image, unless another channel has done so. Return: 0 or -ENOMEM. */
static int image_prepare(struct nvfifo_device *ndev)
{
	struct nvfifo_gr_word *words __free(kvfree) = NULL;
	__le32 *image __free(kvfree) = NULL;
	struct nvfifo_grctx ctx;
	u32 size, count;

	scoped_guard(mutex, &ndev->fifo_lock) {
		if (ndev->gr.words)
			return 0;

		ctx = ndev->gr.ctx;
	}

	/*
	 * Allocate before fifo_lock is taken: signalling fences needs it, so no allocation may wait
	 * under it.
	 */
	size = nvfifo_grctx_image(&ctx, NULL, NULL);
	image = kvzalloc(size, GFP_KERNEL);
	if (!image)
		return -ENOMEM;

	nvfifo_grctx_image(&ctx, set_word, image);
	words = image_words(image, size, &count);
	if (!words)
		return -ENOMEM;

	guard(mutex)(&ndev->fifo_lock);

	if (!ndev->gr.words) {
		ndev->gr.image_size = size;
		ndev->gr.num_words = count;
		ndev->gr.words = no_free_ptr(words);
	}

	return 0;
}

/* Write the initial image to memory that is zero. Return: 0, -EIO or -ENODEV. */
static int image_write(struct nvfifo_device *ndev, u64 addr, u32 size)
{
	const struct nvfifo_gr_word *word = ndev->gr.words;
	const struct nvfifo_gr_word *end = word + ndev->gr.num_words;
	void __iomem *io;

	guard(mutex)(&ndev->bar1.lock);

	io = nvfifo_vram_io(ndev, addr, size);
	if (IS_ERR(io))
		return PTR_ERR(io);

	if (!io) {
		for (; word < end; word++)
			nvfifo_vram_wr32(ndev, addr + word->offset, word->value);
		return 0;
	}

	guard(rwsem_read)(&ndev->mem.bars_lock);

	for (; word < end; word++)
		iowrite32(word->value, io + word->offset);

	/* The writes must leave the CPU before a reset of PFIFO. */
	wmb();

	return 0;
}

/**
 * nvfifo_gr_chan_init() - Allocate a channel's context image
 * @chan: the channel, with its lock held; nothing happens if it has an image
 *
 * The first image of any channel sets PGRAPH up.
 *
 * Return: 0, -ENOMEM, -ENOSPC, -EINTR, -EIO or -ENODEV.
 */
int nvfifo_gr_chan_init(struct nvfifo_chan *chan)
{
	struct nvfifo_device *ndev = chan->ndev;
	u64 at = chan->inst.addr + nvfifo_chan_gr_object(ndev->chip->g84);
	struct drm_gem_object *gem __free(gem_put) = NULL;
	u32 w[NVFIFO_OBJECT_WORDS] = {};
	struct nvfifo_extent *extent;
	struct nvfifo_dmaobj obj;
	int ret;

	if (chan->gr_image)
		return 0;

	if (!nvfifo_pgraph_is_used(ndev)) {
		ret = gr_begin(ndev);
		if (ret)
			return ret;
	}

	ret = image_prepare(ndev);
	if (ret)
		return ret;

	gem = nvfifo_bo_create(ndev, chan->vm->nfile, DRM_NVFIFO_DOMAIN_VRAM,
			       ALIGN(ndev->gr.image_size, SZ_64K), DRM_NVFIFO_BO_CONTIGUOUS);
	if (IS_ERR(gem))
		return PTR_ERR(gem);

	scoped_guard(mutex, &ndev->bos.lock)
		strscpy(to_nvfifo_bo(gem)->label, "PGRAPH context");

	extent = list_first_entry(&to_nvfifo_bo(gem)->extents, struct nvfifo_extent, link);
	ret = image_write(ndev, extent->node.start, gem->size);
	if (ret)
		return ret;

	obj = nvfifo_gr_dmaobj(extent->node.start, ndev->gr.image_size);
	nvfifo_dmaobj_encode(&obj, w);
	nvfifo_object_write(ndev, at, w);
	WRITE_ONCE(chan->gr_image, no_free_ptr(gem));

	return nvfifo_bar_flush(ndev);
}

/* --- Traps of PGRAPH ----------------------------------------------------- */

/* Most MPs and PROPs in a report; usually all of them trap for the same reason */
#define REPORTED	4

#define NAMES_TEXT	160

/* Offsets of registers from the first one of an MP or PROP */
#define MP_TRAP		(NV_PGRAPH_MP0_TRAP - NV_PGRAPH_MP0_KEEP)
#define MP_PC		(NV_PGRAPH_MP0_PC - NV_PGRAPH_MP0_KEEP)
#define MP_OPCODE_LOW	(NV_PGRAPH_MP0_OPCODE_LOW - NV_PGRAPH_MP0_KEEP)
#define MP_OPCODE_HIGH	(NV_PGRAPH_MP0_OPCODE_HIGH - NV_PGRAPH_MP0_KEEP)

#define PROP_LOW	(NV_PGRAPH_PROP_ADDRESS_LOW - NV_PGRAPH_PROP_TRAP)
#define PROP_HIGH	(NV_PGRAPH_PROP_ADDRESS_HIGH - NV_PGRAPH_PROP_TRAP)
#define PROP_ACCESS	(NV_PGRAPH_PROP_ACCESS - NV_PGRAPH_PROP_TRAP)

/* State of a report */
struct report {
	struct nvfifo_device *ndev;
	struct nvfifo_chan *chan;	/* NULL if unknown */
	u32 id;				/* PFIFO's number of it, or 0 */
	unsigned int count;		/* of MPs and PROPs */
};

/* Read a register for the log, and keep it for the dump. */
static u32 report_read(struct report *r, u32 reg)
{
	u32 val = nvfifo_rd32(r->ndev, reg);

	if (r->chan)
		nvfifo_dump_register(r->chan, reg, val);

	return val;
}

/* --- DISPATCH ------------------------------------------------------------- */

static void report_stuck(struct report *r, const char *what, u32 stuck, u32 data_high, u32 data)
{
	u32 class = nvfifo_rd32(r->ndev, NV_PGRAPH_TRAPPED_CLASS) & 0xffff;
	u32 method = stuck & NV_FLD_MASK(NV_PGRAPH_DISPATCH_STUCK__METHOD);

	dev_err_ratelimited(r->ndev->drm.dev,
			    "channel %u: DISPATCH holds a %s, subchannel %u class %04x %s method %04x data %08x %08x, 400848 is %08x\n",
			    r->id, what, NV_FLD_GET(NV_PGRAPH_DISPATCH_STUCK__SUBCHANNEL, stuck),
			    class, nvfifo_name_or_unknown(nvfifo_engine_class_name(class)), method,
			    data_high, data,
			    nvfifo_rd32(r->ndev, NV_PGRAPH_DISPATCH_UNK848));
}

/* Report DISPATCH. The dump reads its registers itself. */
static void dispatch_report(struct report *r)
{
	u32 status = nvfifo_rd32(r->ndev, NV_PGRAPH_DISPATCH_TRAP);
	u32 command = nvfifo_rd32(r->ndev, NV_PGRAPH_DISPATCH_STUCK);
	u32 query = nvfifo_rd32(r->ndev, NV_PGRAPH_QUERY_STUCK);

	if (NV_FLD_GET(NV_PGRAPH_DISPATCH_TRAP__FAULT, status) &&
	    NV_FLD_GET(NV_PGRAPH_DISPATCH_STUCK__VALID, command))
		report_stuck(r, "command", command,
			     nvfifo_rd32(r->ndev, NV_PGRAPH_DISPATCH_STUCK_DATA_HIGH),
			     nvfifo_rd32(r->ndev, NV_PGRAPH_DISPATCH_STUCK_DATA));

	if (NV_FLD_GET(NV_PGRAPH_DISPATCH_TRAP__QUERY, status) &&
	    NV_FLD_GET(NV_PGRAPH_QUERY_STUCK__VALID, query))
		report_stuck(r, "query", query, 0,
			     nvfifo_rd32(r->ndev, NV_PGRAPH_QUERY_STUCK_DATA));
}

/* --- Multiprocessors ------------------------------------------------------ */

static void mp_report(struct report *r, u32 n)
{
	u32 keep = nvfifo_mp_first_register(&r->ndev->gr.ctx, n);
	u32 trap = report_read(r, keep + MP_TRAP);
	u32 pc = report_read(r, keep + MP_PC);
	u32 low = report_read(r, keep + MP_OPCODE_LOW);
	u32 high = report_read(r, keep + MP_OPCODE_HIGH);
	char names[NAMES_TEXT];

	dev_err_ratelimited(r->ndev->drm.dev,
			    "channel %u: MP %u of TP %u stopped: %08x %s, pc %06x warp %u, opcode %08x %08x\n",
			    r->id, n % NVFIFO_TP_MPS, n / NVFIFO_TP_MPS, trap,
			    nvfifo_bits_names(trap, nvfifo_mp_trap_name, names, sizeof(names)),
			    NV_FLD_GET(NV_PGRAPH_MP0_PC__PC, pc),
			    NV_FLD_GET(NV_PGRAPH_MP0_PC__WARP, pc), low, high);
}

static void mps_report(struct report *r)
{
	const struct nvfifo_grctx *ctx = &r->ndev->gr.ctx;
	const struct nvfifo_port port = nvfifo_port(r->ndev);
	u32 n = nvfifo_mp_next_trap(&port, ctx, 0);

	for (; n < NVFIFO_MPS; n = nvfifo_mp_next_trap(&port, ctx, n + 1))
		if (r->count++ < REPORTED)
			mp_report(r, n);
}

/* --- PROP ----------------------------------------------------------------- */

static u32 prop_trap(const struct nvfifo_device *ndev, u32 tp)
{
	if (ndev->chip->chip < NV_CHIP_G200)
		return NV_PGRAPH_G80_PROP_TRAP + tp * NV_PGRAPH_G80_PROP_TRAP__STRIDE;

	return NV_PGRAPH_PROP_TRAP + tp * NV_PGRAPH_PROP_TRAP__STRIDE;
}

/* The low bits of the address of a shader's access are in another register. */
static void prop_report(struct report *r, u32 tp, u32 trap, u32 reg)
{
	u32 low = report_read(r, reg + PROP_LOW), high = report_read(r, reg + PROP_HIGH);
	u32 access = report_read(r, reg + PROP_ACCESS);
	bool is_shader = NV_FLD_GET(NV_PGRAPH_PROP_TRAP__CUDA_FAULT, trap);
	const char *what = "access";
	char names[NAMES_TEXT];

	report_read(r, reg);
	if (is_shader && NV_FLD_GET(NV_PGRAPH_PROP_ACCESS__READ, access)) {
		what = "read";
		low |= NV_FLD_GET(NV_PGRAPH_PROP_ACCESS__READ_LOW, access);
	} else if (is_shader && NV_FLD_GET(NV_PGRAPH_PROP_ACCESS__WRITE, access)) {
		what = "write";
		low |= NV_FLD_GET(NV_PGRAPH_PROP_ACCESS__WRITE_LOW, access);
	}

	dev_err_ratelimited(r->ndev->drm.dev,
			    "channel %u: PROP of TP %u stopped: %08x %s, %s at %02x%08x\n", r->id,
			    tp, trap,
			    nvfifo_bits_names(trap, nvfifo_prop_trap_name, names, sizeof(names)),
			    what, high & 0xff, low);
}

static void props_report(struct report *r)
{
	unsigned long tps = NV_FLD_GET(NV_PBUS_HWUNITS_0__TPC_MASK, r->ndev->gr.ctx.units);
	u32 reg, trap;
	unsigned int tp;

	for_each_set_bit(tp, &tps, 16) {
		reg = prop_trap(r->ndev, tp);
		trap = nvfifo_rd32(r->ndev, reg) & ~NV_FLD_MASK(NV_PGRAPH_PROP_TRAP__ENABLE);
		if (trap && r->count++ < REPORTED)
			prop_report(r, tp, trap, reg);
	}
}

/* --- All of them ---------------------------------------------------------- */

/*
 * Log the registers of trapped units, and keep them for the dump, with fifo_lock held and PGRAPH
 * without FIFO access. PGRAPH works for @chan, which is NULL if unknown.
 */
static void gr_trap_report(struct nvfifo_device *ndev, struct nvfifo_chan *chan, u32 units)
{
	struct report r = { .ndev = ndev, .chan = chan };

	lockdep_assert_held(&ndev->fifo_lock);

	if (chan)
		r.id = chan->id;

	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__DISPATCH))
		dispatch_report(&r);
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__MP))
		mps_report(&r);
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__PROP))
		props_report(&r);
	if (r.count > REPORTED)
		dev_err_ratelimited(ndev->drm.dev, "channel %u: %u more units have trapped\n", r.id,
				    r.count - REPORTED);
}

/* --- Interrupts ---------------------------------------------------------- */

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
 * nvfifo_gr_owner() - Get the channel that PGRAPH works for
 * @ndev: the device, with its fifo_lock held
 *
 * Return: the channel's number in PFIFO, 0 if PGRAPH is idle
 */
u32 nvfifo_gr_owner(struct nvfifo_device *ndev)
{
	struct nvfifo_chan *chan __free(chan_put) = NULL;

	if (!nvfifo_pgraph_is_used(ndev) ||
	    !(nvfifo_rd32(ndev, NV_PGRAPH_STATUS) & NV_FLD_MASK(NV_PGRAPH_STATUS__BUSY)))
		return 0;

	chan = current_channel(ndev);

	return chan ? chan->id : 0;
}

static void error_log(struct nvfifo_device *ndev, u32 id, const struct drm_nvfifo_channel_query *e)
{
	u32 class = nvfifo_rd32(ndev, NV_PGRAPH_TRAPPED_CLASS) & 0xffff;
	u32 method = e->error_method & 0x1ffc;
	char names[160];

	nvfifo_gr_error_names(e->error_code, e->error_detail, names, sizeof(names));
	dev_err_ratelimited(ndev->drm.dev,
			    "channel %u: PGRAPH %s, intr %08x detail %08x, class %04x %s subchannel %u method %04x data %08x\n",
			    id, names, e->error_code, e->error_detail, class,
			    nvfifo_name_or_unknown(nvfifo_engine_class_name(class)),
			    e->error_method >> 13, method, e->error_data);
}

/* Set CONTROL, with FIFO access on unless PGRAPH is paused. */
static void gr_control(struct nvfifo_device *ndev)
{
	u32 control = NV_FLD_MASK(NV_PGRAPH_CONTROL__QUERY_ENABLE);

	if (!ndev->gr.paused)
		control |= NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS);

	nvfifo_wr32(ndev, NV_PGRAPH_CONTROL, control);
}

static void gr_error(struct nvfifo_device *ndev, struct drm_nvfifo_channel_query *e)
{
	const struct nvfifo_port port = nvfifo_port(ndev);
	struct nvfifo_chan *chan = NULL;

	/* An interrupt without a source is not a channel's error. */
	if (e->error_code & NVFIFO_GR_ERRORS)
		chan = current_channel(ndev);

	nvfifo_gr_error_read(&port, e);

	if (e->error_code & NV_PGRAPH_INTR__TRAP)
		nvfifo_fault_take(ndev, chan, e);

	/* Record the position before the work is dropped. The pusher may be far ahead of PGRAPH. */
	if (chan && chan->phase == NVFIFO_CHAN_RUNNING)
		nvfifo_fifo_position(chan, e);

	error_log(ndev, chan ? chan->id : 0, e);
	atomic64_inc(&ndev->counters.errors);

	nvfifo_irq_stray(ndev, NVFIFO_SOURCE_PGRAPH,
			 e->error_code & ~(NVFIFO_GR_ERRORS | NVFIFO_GR_NORMAL));

	/* Kill first: it begins the dump, which then gets the registers of the units. */
	if (chan)
		nvfifo_chan_kill(chan, e);
	if (e->error_code & NV_PGRAPH_INTR__TRAP)
		gr_trap_report(ndev, chan, e->error_detail);
	if (!chan)
		return;

	nvfifo_fifo_drop(chan);
	nvfifo_chan_put(chan);
}

/**
 * nvfifo_gr_error_pending() - Does an error of PGRAPH wait for its handler?
 * @ndev: the device
 *
 * PMC's register can be read while PGRAPH is in reset. A client can raise NOTIFY and the like
 * without end; they are not errors. Context: Any.
 *
 * Return: true as well if the card does not answer.
 */
bool nvfifo_gr_error_pending(struct nvfifo_device *ndev)
{
	if (!nvfifo_pgraph_is_used(ndev))
		return false;
	if (!(nvfifo_rd32(ndev, NV_PMC_INTR_HOST) & NV_FLD_MASK(NV_PMC_INTR_HOST__PGRAPH)))
		return false;

	return nvfifo_rd32(ndev, NV_PGRAPH_INTR) & ~NVFIFO_GR_NORMAL;
}

/**
 * nvfifo_gr_unblock() - Handle the interrupts of PGRAPH
 * @ndev: the device, with fifo_lock held
 *
 * PGRAPH stands still until its interrupt is handled, and a kick or a TLB flush waits for PGRAPH.
 * The channel of an error is killed, and its work in PFIFO dropped, before PGRAPH takes methods
 * again.
 *
 * Return: true if there was an interrupt that a method causes. An interrupt that no source names
 * does not count: it does not end the caller's wait, and may repeat without end.
 */
bool nvfifo_gr_unblock(struct nvfifo_device *ndev)
{
	u32 single_step = NV_FLD_MASK(NV_PGRAPH_CTXCTL_FLAGS_0__SINGLE_STEP);
	const struct nvfifo_port port = nvfifo_port(ndev);
	struct drm_nvfifo_channel_query e = {};

	lockdep_assert_held(&ndev->fifo_lock);

	if (nvfifo_pgraph_is_used(ndev))
		e.error_code = nvfifo_rd32(ndev, NV_PGRAPH_INTR);
	if (e.error_code == ~0u)
		return false;

	/* INTR shows masked interrupts as well. */
	e.error_code &= ~ndev->irq.masked[NVFIFO_SOURCE_PGRAPH];
	if (!e.error_code)
		return false;

	nvfifo_wr32(ndev, NV_PGRAPH_CONTROL, 0);

	if (e.error_code & ~NVFIFO_GR_NORMAL)
		gr_error(ndev, &e);
	if (e.error_code & NV_PGRAPH_INTR__TRAP)
		nvfifo_gr_trap_release(&port, &ndev->gr.ctx, e.error_detail);

	if (nvfifo_rd32(ndev, NV_PGRAPH_CTXCTL_FLAGS_0) & single_step)
		nvfifo_mask(ndev, NV_PGRAPH_CTXCTL_FLAGS_0, single_step, 0);

	nvfifo_wr32(ndev, NV_PGRAPH_INTR, e.error_code);
	gr_control(ndev);

	/* The error held back the fences of other channels. */
	nvfifo_fences_process_all(ndev);
	wake_up_all(&ndev->waiters);

	return e.error_code & (NVFIFO_GR_ERRORS | NVFIFO_GR_NORMAL);
}

/* --- Waiting for PGRAPH, and its reset ----------------------------------- */

/* Write VSTATUS and the names of busy units to @text, for a message. A state of 1 is busy. */
static const char *busy_units(struct nvfifo_device *ndev, char *text, size_t size)
{
	u32 states[NV_PGRAPH_VSTATUS__COUNT], reg, unit;
	bool any = false;
	size_t used;

	for (reg = 0; reg < NV_PGRAPH_VSTATUS__COUNT; reg++)
		states[reg] = nvfifo_rd32(ndev, NV_REG_AT(NV_PGRAPH_VSTATUS, reg));

	used = scnprintf(text, size, "VSTATUS %08x %08x %08x, busy units:", states[0], states[1],
			 states[2]);

	for (reg = 0; reg < NV_PGRAPH_VSTATUS__COUNT; reg++) {
		for (unit = 0; unit < 8; unit++) {
			if ((states[reg] >> unit * 3 & 7) != 1)
				continue;

			used += scnprintf(text + used, size - used, " %s",
					  nvfifo_name_or_unknown(nvfifo_gr_unit_name(reg, unit)));
			any = true;
		}
	}

	if (!any)
		scnprintf(text + used, size - used, " none");

	return text;
}

static bool gr_is_idle(struct nvfifo_device *ndev)
{
	u32 i, units;

	for (i = 0; i < NV_PGRAPH_VSTATUS__COUNT; i++)
		for (units = nvfifo_rd32(ndev, NV_REG_AT(NV_PGRAPH_VSTATUS, i)); units; units >>= 3)
			if ((units & 7) == 1)
				return false;

	return true;
}

/* Is the context of the channel with this descriptor in PGRAPH's registers? */
static bool gr_holds(struct nvfifo_device *ndev, u32 desc)
{
	u32 cur = nvfifo_rd32(ndev, NV_PGRAPH_CTXCTL_CUR);

	return NV_FLD_GET(NV_PGRAPH_CTXCTL_CUR__VALID, cur) &&
	       NV_FLD_GET(NV_PGRAPH_CTXCTL_CUR__CHAN, cur) == desc;
}

/*
 * Reset a busy PGRAPH, with fifo_lock held. The channel in its registers loses its state and is
 * killed; the state of other channels is in their images. PFIFO's puller is stopped during the
 * reset, so that no method reaches a unit in reset, or a PGRAPH without the channel's context.
 */
static void gr_recover(struct nvfifo_device *ndev)
{
	struct drm_nvfifo_channel_query e = {
		.error = DRM_NVFIFO_ERROR_TIMEOUT,
		.error_code = DRM_NVFIFO_HANG_GRAPH,
		.error_detail = nvfifo_rd32(ndev, NV_PGRAPH_STATUS),
	};
	struct nvfifo_chan *chan;
	char units[UNITS_TEXT];
	u32 pull;

	lockdep_assert_held(&ndev->fifo_lock);

	/* An error since the last poll is the reason of its channel's ban. */
	nvfifo_gr_unblock(ndev);
	pull = nvfifo_fifo_stop_puller(ndev);
	chan = current_channel(ndev);
	drm_err(&ndev->drm,
		"PGRAPH does not let go of channel %u and is reset: status %08x, %s\n",
		chan ? chan->id : 0, e.error_detail, busy_units(ndev, units, sizeof(units)));

	/* Kill the channel now: another reset may come before the ban. */
	if (chan) {
		nvfifo_fifo_position(chan, &e);
		nvfifo_chan_kill(chan, &e);
	}

	nvfifo_chan_put(chan);
	atomic_inc(&ndev->counters.gr_resets);
	nvfifo_gr_init(ndev);
	gr_control(ndev);
	nvfifo_fifo_start_puller(ndev, pull);
}

/**
 * nvfifo_gr_recover() - Reset a PGRAPH that holds up a kick
 * @ndev: the device, with fifo_lock held and PGRAPH in use
 *
 * Callback of nvfifo_fifo_kick(). The channel in PGRAPH's registers is killed.
 *
 * Return: true if PGRAPH was busy and was reset, false if it is idle.
 */
bool nvfifo_gr_recover(struct nvfifo_device *ndev)
{
	if (gr_is_idle(ndev))
		return false;

	atomic_inc(&ndev->counters.timeouts);
	gr_recover(ndev);

	return true;
}

/**
 * nvfifo_gr_serves_other() - Is PGRAPH busy with the work of another channel?
 * @ndev: the device, with PGRAPH in use
 * @desc: descriptor of the channel to ignore
 *
 * Callback of nvfifo_fifo_kick().
 *
 * Return: true if it is, so that a kick may wait for as long as a job.
 */
bool nvfifo_gr_serves_other(struct nvfifo_device *ndev, u32 desc)
{
	return !gr_is_idle(ndev) && !gr_holds(ndev, desc);
}

/**
 * nvfifo_gr_forget() - Unload from PGRAPH a channel that PFIFO has unloaded
 * @ndev: the device, with fifo_lock held and PGRAPH in use
 * @desc: the channel's descriptor
 *
 * Callback of nvfifo_fifo_remove_chan(), after a reset. A kick may succeed now, and would keep the
 * state of a channel for a suspend. If it does not end, PGRAPH is reset.
 */
void nvfifo_gr_forget(struct nvfifo_device *ndev, u32 desc)
{
	if (!gr_holds(ndev, desc))
		return;

	if (gr_is_idle(ndev))
		nvfifo_fifo_kick_once(ndev, desc, BIT(NVFIFO_ENGINE_PGRAPH));

	if (gr_holds(ndev, desc))
		gr_recover(ndev);
}

/* PGRAPH does not become idle while an error waits for its handler. */
static bool gr_has_ended(struct nvfifo_device *ndev, void *data)
{
	if (nvfifo_gr_unblock(ndev)) {
		/* PFIFO has dropped the channel's work, and would continue with other work. */
		nvfifo_fifo_stop_pusher(ndev);
		nvfifo_fifo_stop_puller(ndev);
	}

	return gr_is_idle(ndev);
}

/**
 * nvfifo_gr_leave() - Let PGRAPH save its context before a reset
 * @ndev: the device, with fifo_lock held and PFIFO's puller stopped
 *
 * PGRAPH gets NVFIFO_TIMEOUT_US to end the methods that it has accepted. An error in them ends
 * their channel. The channel of a context that PGRAPH does not save is killed, too.
 */
void nvfifo_gr_leave(struct nvfifo_device *ndev)
{
	struct drm_nvfifo_channel_query e = {
		.error = DRM_NVFIFO_ERROR_TIMEOUT,
		.error_code = DRM_NVFIFO_HANG_GRAPH,
	};
	struct nvfifo_chan *chan __free(chan_put) = NULL;
	u32 desc;

	lockdep_assert_held(&ndev->fifo_lock);

	if (!nvfifo_pgraph_is_used(ndev))
		return;

	chan = current_channel(ndev);
	if (!chan || chan->dead)
		return;

	desc = nvfifo_chan_desc(chan->inst.addr, NVFIFO_TARGET_VRAM);

	/* Only a disabled channel may be kicked. */
	nvfifo_fifo_disable_chan(chan);

	/* A channel that has been killed since needs no saved state. */
	if (!nvfifo_poll(ndev, NVFIFO_TIMEOUT_US, gr_has_ended, NULL) && !chan->dead)
		nvfifo_fifo_kick_once(ndev, desc, BIT(NVFIFO_ENGINE_PGRAPH));

	if (!gr_holds(ndev, desc))
		return;

	nvfifo_gr_unblock(ndev);

	nvfifo_fifo_position(chan, &e);
	nvfifo_chan_kill(chan, &e);
}

static bool gr_wait_done(struct nvfifo_device *ndev, void *data)
{
	bool idle = gr_is_idle(ndev);

	if (!idle)
		nvfifo_fifo_poll(ndev);

	/* The handler of PGRAPH's errors waits for fifo_lock, so call it here. */
	if (nvfifo_gr_unblock(ndev))
		return false;

	if (!idle && !ndev->fifo.frozen)
		nvfifo_fifo_unblock(ndev);

	return idle;
}

/*
 * Wait until PGRAPH is idle, with engine_lock and fifo_lock held. Its present work may take as long
 * as a job. After that its channel is killed, and PGRAPH reset. @what is the reason of the wait,
 * for the message. Return: 0, -ETIMEDOUT or -ENODEV.
 */
static int gr_wait_idle(struct nvfifo_device *ndev, const char *what)
{
	/* TIMEOUT: the limit of a job, and of the card's own procedures */
	u32 limit = nvfifo_job_timeout_us() + NVFIFO_TIMEOUT_US;
	char units[UNITS_TEXT];
	int ret;

	ret = nvfifo_poll_work(ndev, limit, gr_wait_done, NULL);
	if (!ret)
		return 0;

	atomic_inc(&ndev->counters.timeouts);
	if (nvfifo_check_lost(ndev))
		return -ENODEV;

	drm_err(&ndev->drm, "PGRAPH does not get idle for %s: status %08x, %s\n", what,
		nvfifo_rd32(ndev, NV_PGRAPH_STATUS), busy_units(ndev, units, sizeof(units)));
	if (nvfifo_pgraph_is_used(ndev))
		gr_recover(ndev);

	if (gr_is_idle(ndev))
		return 0;

	return -ETIMEDOUT;
}

/**
 * nvfifo_gr_pause() - Turn FIFO access of PGRAPH off
 * @ndev: the device, with fifo_lock held
 *
 * The handler of an error does not turn it on again before gr_unpause().
 */
void nvfifo_gr_pause(struct nvfifo_device *ndev)
{
	lockdep_assert_held(&ndev->fifo_lock);

	ndev->gr.paused = true;
	nvfifo_mask(ndev, NV_PGRAPH_CONTROL, NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS), 0);
}

static void gr_unpause(struct nvfifo_device *ndev)
{
	lockdep_assert_held(&ndev->fifo_lock);

	ndev->gr.paused = false;
	nvfifo_mask(ndev, NV_PGRAPH_CONTROL, 0, NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS));
}

/**
 * nvfifo_gr_intr() - Handle an interrupt of PGRAPH
 * @ndev: the device
 *
 * Return: true for an error, false for an interrupt that a method requests.
 */
bool nvfifo_gr_intr(struct nvfifo_device *ndev)
{
	s64 errors;

	guard(mutex)(&ndev->fifo_lock);

	errors = atomic64_read(&ndev->counters.errors);
	nvfifo_gr_unblock(ndev);

	return atomic64_read(&ndev->counters.errors) != errors;
}

/**
 * nvfifo_gr_flush_tlb() - Flush PGRAPH's TLB, on most chips while PGRAPH is idle
 * @ndev: the device, with engine_lock and fifo_lock held
 * @data: for nvfifo_tlb_flush_once()
 *
 * A flush can lock up most cards while a unit of PGRAPH is busy. nouveau flushes G80 and MCP79 at
 * any time. Callback of nvfifo_tlb_flush().
 *
 * Return: 0, -ETIMEDOUT, -EIO or -ENODEV.
 */
int nvfifo_gr_flush_tlb(struct nvfifo_device *ndev, void *data)
{
	int ret;

	lockdep_assert_held(&ndev->fifo_lock);

	if (!ndev->chip->gr_flush_idle)
		return nvfifo_tlb_flush_once(ndev, data);

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	nvfifo_gr_pause(ndev);
	ret = gr_wait_idle(ndev, "a TLB flush");
	if (!ret)
		ret = nvfifo_tlb_flush_once(ndev, data);
	if (ret != -ENODEV)
		gr_unpause(ndev);

	return ret;
}

/**
 * nvfifo_gr_quiesce() - Keep PGRAPH idle, or let it take methods again
 * @ndev: the device, with engine_lock and fifo_lock held and PGRAPH in use
 * @what: the reason, for the message; NULL if @on is false
 * @on: pause PGRAPH, and wait until it is idle
 *
 * Callback of nvfifo_fifo_freeze().
 *
 * Return: 0, or with PGRAPH not paused -ETIMEDOUT or -ENODEV.
 */
int nvfifo_gr_quiesce(struct nvfifo_device *ndev, const char *what, bool on)
{
	int ret = 0;

	if (on) {
		nvfifo_gr_pause(ndev);
		ret = gr_wait_idle(ndev, what);
	}

	if ((!on || ret) && ret != -ENODEV)
		gr_unpause(ndev);

	return ret;
}
