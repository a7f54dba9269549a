// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Traps of PGRAPH
 *
 * A unit of PGRAPH that cannot continue traps. PGRAPH.TRAP has a bit for each kind of unit. The
 * unit's own registers have the reason. DISPATCH has the command that it could not execute, a
 * multiprocessor (MP) the instruction, PROP the address. The driver logs them, and keeps them for
 * the dump of the channel. Then it releases the unit by the same writes as nouveau. Without them
 * the trap repeats, or PGRAPH never becomes idle.
 *
 * Each TP has a PROP and several MPs. G200 moved their registers.
 */
#include "nvfifo_card_dump.h"
#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_gr.h"
#include "nvfifo_gr_trap.h"
#include "nvfifo_hw.h"

/* Most MPs and PROPs in a report; usually all of them trap for the same reason */
#define REPORTED	4

#define NAMES_TEXT	160

/* MPs are numbered across TPs; a TP has at most four. */
#define TP_MPS		4
#define MPS		(16 * TP_MPS)

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
		nvfifo_capture_register(r->chan, reg, val);

	return val;
}

/* --- DISPATCH ------------------------------------------------------------- */

static void report_stuck(struct report *r, const char *what, u32 stuck, u32 data_high, u32 data)
{
	u32 class = nvfifo_rd32(r->ndev, NV_PGRAPH_TRAPPED_CLASS) & 0xffff;
	u32 method = stuck & NV_FLD_MASK(NV_PGRAPH_DISPATCH_STUCK__METHOD);

	dev_err_ratelimited(r->ndev->drm.dev,
		   "channel %u: DISPATCH holds a %s, subchannel %u class %04x %s method %04x data %08x %08x, 400848 is %08x\n",
		   r->id, what, NV_FLD_GET(NV_PGRAPH_DISPATCH_STUCK__SUBCHANNEL, stuck), class,
		   nvfifo_name_or_unknown(nvfifo_engine_class_name(class)), method,
		   data_high, data,
		   nvfifo_rd32(r->ndev, NV_PGRAPH_DISPATCH_UNK848));
}

/* Report DISPATCH. nvfifo_regs_read() reads its registers for the dump. */
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

/* Clear the command that DISPATCH could not execute, or it would trap again. */
static void dispatch_release(struct nvfifo_device *ndev)
{
	u32 status = nvfifo_rd32(ndev, NV_PGRAPH_DISPATCH_TRAP);

	if (status & NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__FAULT)) {
		nvfifo_wr32(ndev, NV_PGRAPH_DISPATCH_STUCK, 0);
		nvfifo_mask(ndev, NV_PGRAPH_DISPATCH_UNK8E8, ~3u, 0);
		nvfifo_wr32(ndev, NV_PGRAPH_DISPATCH_UNK848, 0);
	}

	if (status & NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__QUERY))
		nvfifo_wr32(ndev, NV_PGRAPH_QUERY_STUCK, 0);
}

/* --- Multiprocessors ------------------------------------------------------ */

/* Get the first register of an MP. */
static u32 mp_keep(const struct nvfifo_device *ndev, u32 tp, u32 mp)
{
	static const u32 g80[] = {
		NV_PGRAPH_G80_MP0_KEEP, NV_PGRAPH_G80_MP1_KEEP,
	};
	static const u32 g200[] = {
		NV_PGRAPH_MP0_KEEP, NV_PGRAPH_MP1_KEEP, NV_PGRAPH_MP2_KEEP, NV_PGRAPH_MP3_KEEP,
	};

	if (ndev->chip->chip < NV_CHIP_G200)
		return g80[mp] + tp * NV_PGRAPH_G80_MP0_KEEP__STRIDE;

	return g200[mp] + tp * NV_PGRAPH_MP0_KEEP__STRIDE;
}

static void mp_report(struct report *r, u32 tp, u32 mp)
{
	u32 keep = mp_keep(r->ndev, tp, mp);
	u32 trap = report_read(r, keep + MP_TRAP);
	u32 pc = report_read(r, keep + MP_PC);
	u32 low = report_read(r, keep + MP_OPCODE_LOW);
	u32 high = report_read(r, keep + MP_OPCODE_HIGH);
	char names[NAMES_TEXT];

	dev_err_ratelimited(r->ndev->drm.dev,
		   "channel %u: MP %u of TP %u stopped: %08x %s, pc %06x warp %u, opcode %08x %08x\n",
		   r->id, mp, tp, trap,
		   nvfifo_bits_names(trap, nvfifo_mp_trap_name, names, sizeof(names)),
		   NV_FLD_GET(NV_PGRAPH_MP0_PC__PC, pc), NV_FLD_GET(NV_PGRAPH_MP0_PC__WARP, pc),
		   low, high);
}

static bool has_mp(const struct nvfifo_device *ndev, u32 tp, u32 mp)
{
	const u32 units = ndev->gr.ctx.units;

	/* Before G200 a TP has two MPs, followed by the registers of the MPC. */
	if (ndev->chip->chip < NV_CHIP_G200 && mp >= 2)
		return false;

	return NV_FLD_GET(NV_PBUS_HWUNITS_0__TPC_MASK, units) >> tp & 1 &&
	       NV_FLD_GET(NV_PBUS_HWUNITS_0__MP_MASK, units) >> mp & 1;
}

/* Find the next MP with a trap, from number @n on. Return: its number, MPS if there is none. */
static u32 mp_next(struct nvfifo_device *ndev, u32 n)
{
	for (; n < MPS; n++)
		if (has_mp(ndev, n / TP_MPS, n % TP_MPS) &&
		    nvfifo_rd32(ndev, mp_keep(ndev, n / TP_MPS, n % TP_MPS) + MP_TRAP))
			break;

	return n;
}

static void mps_report(struct report *r)
{
	u32 n;

	for (n = mp_next(r->ndev, 0); n < MPS; n = mp_next(r->ndev, n + 1))
		if (r->count++ < REPORTED)
			mp_report(r, n / TP_MPS, n % TP_MPS);
}

/*
 * An MP continues when its first register is written with its own value, and the trap register with
 * 0.
 */
static void mps_release(struct nvfifo_device *ndev)
{
	u32 n, keep;

	for (n = mp_next(ndev, 0); n < MPS; n = mp_next(ndev, n + 1)) {
		keep = mp_keep(ndev, n / TP_MPS, n % TP_MPS);
		nvfifo_wr32(ndev, keep, nvfifo_rd32(ndev, keep));
		nvfifo_wr32(ndev, keep + MP_TRAP, 0);
	}
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

	dev_err_ratelimited(r->ndev->drm.dev, "channel %u: PROP of TP %u stopped: %08x %s, %s at %02x%08x\n", r->id,
		   tp, trap, nvfifo_bits_names(trap, nvfifo_prop_trap_name, names, sizeof(names)),
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

/**
 * nvfifo_gr_trap_report() - Log the registers of trapped units, and keep them for the dump
 * @ndev: the device, with fifo_lock held and PGRAPH without FIFO access
 * @chan: the channel that PGRAPH works for, whose registers are captured; NULL if unknown
 * @units: bits of PGRAPH.TRAP
 */
void nvfifo_gr_trap_report(struct nvfifo_device *ndev, struct nvfifo_chan *chan, u32 units)
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

static void write_reg(void *data, u32 reg, u32 val)
{
	nvfifo_wr32(data, reg, val);
}

static void subunit_reset(struct nvfifo_device *ndev, u32 unit)
{
	nvfifo_wr32(ndev, NV_PGRAPH_SUBUNIT_RESET, unit);
	nvfifo_wr32(ndev, NV_PGRAPH_SUBUNIT_RESET, 0);
}

/**
 * nvfifo_gr_trap_release() - Release the units that have trapped
 * @ndev: the device, with fifo_lock held and PGRAPH without FIFO access
 * @units: bits of PGRAPH.TRAP
 *
 * A unit's status is cleared before its reset. The other order would drop a fault of the next work.
 * Units that have not trapped keep their status: a unit that traps during this call raises the next
 * interrupt.
 */
void nvfifo_gr_trap_release(struct nvfifo_device *ndev, u32 units)
{
	lockdep_assert_held(&ndev->fifo_lock);

	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__DISPATCH))
		dispatch_release(ndev);
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__MP))
		mps_release(ndev);

	nvfifo_grctx_traps(&ndev->gr.ctx, units, write_reg, ndev);
	nvfifo_wr32(ndev, NV_PGRAPH_TRAP, units);

	/* M2MF and STRMOUT continue only after a reset. */
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__M2MF))
		subunit_reset(ndev, NV_FLD_MASK(NV_PGRAPH_SUBUNIT_RESET__M2MF));
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__STRMOUT))
		subunit_reset(ndev, NV_FLD_MASK(NV_PGRAPH_SUBUNIT_RESET__STRMOUT));
}
