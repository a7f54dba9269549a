// SPDX-License-Identifier: MIT
/*
 * PGRAPH: registers, contexts, and the methods that its objects have in common: binding, NOTIFY, DMA
 * objects, QUERY. Traps and reports are in gr.c.
 *
 * Copies (m2mf.c), 2D (eng2d.c) and 3D (gr3d/) are jobs that work in pieces beside PFIFO. Methods
 * of other classes, and those of a channel without a context, are recorded and have no effect. The
 * context program that the driver has uploaded loads and saves contexts; grctx.c runs it.
 */
#include <stdlib.h>

#include "core.h"
#include "engine.h"
#include "fault.h"
#include "gr.h"
#include "methods.h"
#include "pci.h"
#include "pfifo.h"
#include "pgraph.h"
#include "store.h"

#define CTX_VALID	(1u << 31)
#define SINGLE_STEP		0x400824	/* bit 31; the rest are flags of the context unit */

#define CLASS_NULL	0x0030

#define NOP		0x100
#define NOTIFY		0x104
#define SERIALIZE	0x110
#define PM_TRIGGER	0x140
#define DMA_NOTIFY	0x180
#define DMA_FIRST	0x180
#define DMA_END		0x200

/* State words of classes other than M2MF and 2D */
#define ST_DMA_NOTIFY	0
#define ST_DMA_QUERY	1
#define ST_QUERY_HIGH	2
#define ST_QUERY_LOW	3
#define ST_QUERY_SEQ	4

/* SIM_GR_NOTIFY_STATE: data of NOTIFY plus one, and its subchannel */
#define NOTIFY_MODE	0
#define NOTIFY_SUBC	1

static enum sim_gr_block block_of(u32 class)
{
	if (class == CLASS_M2MF)
		return SIM_GR_M2MF;
	if (class == CLASS_2D)
		return SIM_GR_2D;
	return sim_is_compute(class) ? SIM_GR_COMPUTE : SIM_GR_OTHER;
}

static u32 dma_notify(struct nvsim *s, u32 class)
{
	enum sim_gr_block b = block_of(class);
	const u32 *st = sim_gr_state(s, b);

	if (sim_is_3d(class))
		return sim_gr3d_dma_notify(s);
	return st[b == SIM_GR_M2MF || b == SIM_GR_2D ? DMA_NOTIFY / 4 : ST_DMA_NOTIFY];
}

/* --- interrupts and traps --- */

/* PGRAPH stops after a command until the driver clears bit 31 of 400824. */
void sim_pgraph_single_step(struct nvsim *s)
{
	GR(s, SINGLE_STEP) |= GR_STUCK;
	sim_gr_stop(s);
	sim_gr_intr(s, GR_INTR(SINGLE_STEP));
}

static bool mp_is_stopped(struct nvsim *s)
{
	if (s->gr->mp_stopped && s->gr->mp_kept && !GR(s, sim_gr_mp(s) + SIM_MP_STATUS))
		s->gr->mp_stopped = false;

	return s->gr->mp_stopped;
}

static bool is_unit_trap(struct nvsim *s, u32 off)
{
	u32 tp;

	switch (off) {
	case NV_PGRAPH_DISPATCH_TRAP:
	case NV_PGRAPH_M2MF_TRAP:
	case NV_PGRAPH_VFETCH_TRAP:
	case NV_PGRAPH_STRMOUT_TRAP:
	case NV_PGRAPH_CCACHE_TRAP:
	case NV_PGRAPH_CLIPID_TRAP:
		return true;
	}

	if (off < 0x408000)
		return false;
	if (s->chip < NV_CHIP_G200) {
		tp = off & 0xfff;
		return tp == 0x314 || tp == 0x900 || tp == 0xe08;
	}

	tp = off & 0x7ff;
	return tp == 0x31c || tp == 0x600 || tp == 0x708;
}

/* --- state for PFIFO --- */

/* Whether PGRAPH works or hangs */
static bool at_work(struct nvsim *s)
{
	return s->grctx->state != GRCTX_STOPPED || s->gr->m2mf_hung || s->gr->hung ||
	       s->gr->job != SIM_GR_JOB_NONE || sim_inject(s, NVSIM_INJECT_PGRAPH_BUSY);
}

/* PGRAPH's TLB was flushed; with NVSIM_QUIRK_FLUSH_BUSY that hangs a busy PGRAPH. */
void sim_pgraph_flushed(struct nvsim *s)
{
	bool works = s->grctx->state == GRCTX_RUNNING || s->gr->job != SIM_GR_JOB_NONE;

	if (!works)
		return;
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR PGRAPH hangs: its TLB was flushed while it worked");
	s->gr->hung = true;
}

/* On request: PGRAPH hangs until PMC resets it. */
void sim_pgraph_hang(struct nvsim *s)
{
	s->gr->hung = true;
}

/* Whether PGRAPH takes no methods; PFIFO sees work left. */
static bool busy(struct nvsim *s)
{
	return at_work(s) || s->gr->trapped;
}

/* --- callbacks of the context unit --- */

static bool ctx_bind(void *arg, uint32_t chan)
{
	struct nvsim *s = arg;
	u8 word[4];

	sim_vm_bind(s, VMENG_PGRAPH, true, chan);
	if (sim_engine_has_context(s, 1, chan & 0x3fffffff))
		return true;

	sim_violation(s, "PGRAPH loads channel %08x, which has no context for it",
		      chan & 0x3fffffff);
	return sim_gr_vm(s, SIM_GR_CTX, 0, 0, word, sizeof(word), false);
}

static bool ctx_access(void *arg, uint32_t offset, void *buf, uint32_t len, bool write)
{
	struct nvsim *s = arg;

	return sim_gr_vm(s, SIM_GR_CTX, sim_engine_ctx(s, 1), offset, buf, len, write);
}

static bool ctx_idle(void *arg)
{
	struct nvsim *s = arg;

	return s->gr->job == SIM_GR_JOB_NONE && !s->gr->m2mf_hung && !s->gr->trapped && !s->gr->hung &&
	       !sim_inject(s, NVSIM_INJECT_PGRAPH_BUSY);
}

static bool ctx_intr(void *arg)
{
	return sim_pgraph_intr(arg);
}

static void ctx_trap(void *arg, uint32_t bits)
{
	sim_gr_unit_trap(arg, NV_PGRAPH_DISPATCH_TRAP, bits, GR_TRAP(DISPATCH));
}

static void ctx_strands(void *arg, bool save)
{
	if (save)
		sim_gr3d_save(arg);
	else
		sim_gr3d_load(arg);
}

static void ctx_violation(void *arg, const char *text)
{
	sim_violation(arg, "%s", text);
}

static const struct sim_grctx_ops ctx_ops = {
	.bind = ctx_bind,
	.access = ctx_access,
	.idle = ctx_idle,
	.intr = ctx_intr,
	.trap = ctx_trap,
	.strands = ctx_strands,
	.violation = ctx_violation,
};

/* --- reset and context switch --- */

static void reset(struct nvsim *s)
{
	/* A reset ends an injected busy state. */
	sim_inject_end(s, NVSIM_INJECT_PGRAPH_BUSY);
	memset(s->gr, 0, sizeof(*s->gr));
	sim_grctx_reset(s->grctx);
	sim_vm_bind(s, VMENG_PGRAPH, false, 0);
	sim_irq_update(s);
}

/* Switch to @next, which is a value of 400330. False until it is the current context. */
static bool switch_context(struct nvsim *s, u32 next)
{
	if (s->grctx->state == GRCTX_STOPPED && GR(s, NV_PGRAPH_CTXCTL_CUR) != next) {
		if (!sim_grctx_want(s->grctx, next)) {
			if (!(GR(s, NV_PGRAPH_INTR) & GR_INTR(CONTEXT_SWITCH)))
				sim_gr_intr(s, GR_INTR(CONTEXT_SWITCH));
			return false;
		}
		if (s->cfg.trace_mthd)
			sim_trace(s, "GR %08x -> %08x", GR(s, NV_PGRAPH_CTXCTL_CUR), next);
	}

	if (s->grctx->state == GRCTX_RUNNING)
		sim_grctx_run(s->grctx);
	if (s->grctx->state != GRCTX_STOPPED || GR(s, NV_PGRAPH_CTXCTL_CUR) != next)
		return false;

	if (!sim_vm_is_bound(s, VMENG_PGRAPH, next & 0x3fffffff) || !(next & CTX_VALID))
		sim_vm_bind(s, VMENG_PGRAPH, next & CTX_VALID, next);
	return true;
}

static bool switch_to(struct nvsim *s, u32 chan)
{
	return switch_context(s, CTX_VALID | chan);
}

/* A kick. PGRAPH has not loaded a channel whose methods it only recorded. */
static bool unload(struct nvsim *s, u32 chan)
{
	const struct sim_engine *e = sim_engine(s, 1);

	if (e->valid && e->chan == chan) {
		if (e->recording)
			s->gr->trapped = false;
		if (busy(s) && s->grctx->state != GRCTX_RUNNING)
			return false;
	}

	if (GR(s, NV_PGRAPH_CTXCTL_CUR) != (CTX_VALID | chan))
		return true;

	return switch_context(s, 0);
}

/* --- notifiers and queries --- */

static void deliver(struct nvsim *s)
{
	u32 *st = sim_gr_state(s, SIM_GR_NOTIFY_STATE), mode = st[NOTIFY_MODE];

	st[NOTIFY_MODE] = 0;
	if (!sim_gr_notify(s, SIM_GR_NOTIFY, dma_notify(s, s->gr->method.class), 0))
		sim_gr_dispatch_fault(s);
	else if (mode == 2)
		sim_gr_intr(s, GR_INTR(NOTIFY));
}

static void mthd_compute(struct nvsim *s, u32 mthd, u32 data)
{
	u32 *st = sim_gr_state(s, SIM_GR_COMPUTE);

	switch (mthd) {
	case DMA_NOTIFY:
		st[ST_DMA_NOTIFY] = data;
		break;
	case 0x1a4:
		st[ST_DMA_QUERY] = data;
		break;
	case 0x310:
		st[ST_QUERY_HIGH] = data;
		break;
	case 0x314:
		st[ST_QUERY_LOW] = data;
		break;
	case 0x318:
		st[ST_QUERY_SEQ] = data;
		break;
	case 0x31c:
		sim_gr_query(s, &(struct sim_gr_query){
			.inst = st[ST_DMA_QUERY],
			.address = st[ST_QUERY_LOW] | (u64)(st[ST_QUERY_HIGH] & 0xff) << 32,
			.word = { st[ST_QUERY_SEQ] },
			.brief = data & 1u << 15,
			.intr = data & 1u << 9,
		});
		break;
	}
}

/* --- methods --- */

/* Check an object, a DMA object for most methods, and replace NULL by 0; false after an error. */
static bool take_object(struct nvsim *s, u32 class, u32 mthd, u32 *data)
{
	const u32 word = sim_gr_object(s, *data);
	enum sim_gr_error err = GR_OK;

	if ((word & 0xffff) == CLASS_NULL)
		*data = 0;
	else
		err = sim_method_check_object(class, mthd, word);
	if (err)
		sim_gr_data_error(s, err);
	return !err;
}

/* Methods of all graph objects */
static bool common_method(u32 mthd)
{
	return mthd == NOP || mthd == NOTIFY || mthd == SERIALIZE || mthd == PM_TRIGGER ||
	       mthd == DMA_NOTIFY;
}

static void execute(struct nvsim *s, u32 class, u32 mthd, u32 data)
{
	u32 *notify = sim_gr_state(s, SIM_GR_NOTIFY_STATE);
	enum sim_gr_error err = GR_OK;

	if (mthd == NOTIFY) {
		if (data > 1) {
			sim_gr_data_error(s, GR_INVALID_ENUM);
			return;
		}
		notify[NOTIFY_MODE] = data + 1;
		notify[NOTIFY_SUBC] = s->gr->method.subc;
		return;
	}

	if (mthd >= DMA_FIRST && mthd < DMA_END && !take_object(s, class, mthd, &data))
		return;
	if (sim_method_is_limited(s->gr->methods, mthd)) {
		err = sim_method_check(s->gr->methods, mthd, data);
		if (!err)
			sim_no_effect_check(s);
	}
	if (!err && s->gr->methods->typed[mthd / 4])
		err = sim_values_check(s);
	if (err) {
		sim_gr_data_error(s, err);
		return;
	}
	if (sim_is_3d(class)) {
		sim_gr3d_method(s, mthd, data);
		goto deliver;
	}

	switch (block_of(class)) {
	case SIM_GR_M2MF:
		if (mthd / 4 < SIM_GR_M2MF_WORDS)
			sim_m2mf_method(s, mthd, data);
		break;
	case SIM_GR_2D:
		if (mthd / 4 < SIM_GR_2D_WORDS)
			sim_eng2d_method(s, mthd, data);
		break;
	case SIM_GR_COMPUTE:
		mthd_compute(s, mthd, data);
		sim_compute_method(s, mthd, data);
		break;
	default:
		if (mthd == DMA_NOTIFY)
			sim_gr_state(s, SIM_GR_OTHER)[ST_DMA_NOTIFY] = data;
		else if (!common_method(mthd))
			sim_gr_missing(s, NVSIM_MISSING_CLASS, "class", class);
		break;
	}
deliver:
	/* A job's notifier is written at its end. */
	if (notify[NOTIFY_MODE] && s->gr->job == SIM_GR_JOB_NONE && !s->gr->trapped)
		deliver(s);
}

/* An error unless the method after NOTIFY is one of the same object that NOTIFY can refer to. */
static bool notify_disturbed(struct nvsim *s)
{
	u32 *st = sim_gr_state(s, SIM_GR_NOTIFY_STATE);
	const struct sim_gr_method *m = &s->gr->method;

	if (!st[NOTIFY_MODE])
		return false;
	if (m->mthd && m->mthd != NOTIFY && m->mthd != DMA_NOTIFY && m->subc == st[NOTIFY_SUBC])
		return false;

	st[NOTIFY_MODE] = 0;
	if (m->mthd == NOTIFY && m->subc == st[NOTIFY_SUBC])
		sim_gr_refuse(s, GR_INTR(DOUBLE_NOTIFY), "DOUBLE_NOTIFY");
	else
		sim_gr_data_error(s, GR_INVALID_OPERATION);

	return true;
}

/* Whether the chip has a class. Most methods are of the same class as the one before. */
static bool class_ok(struct nvsim *s, u16 class)
{
	if (s->gr->methods && class == s->gr->methods->class)
		return true;
	if (!sim_class_ok(s, 1, class))
		return false;

	s->gr->methods = sim_methods_of(s, class);
	return true;
}

/* A method that is only recorded may be of a class that no source has. */
static bool has_method(struct nvsim *s, u16 class, u32 mthd)
{
	const struct sim_methods *m = s->gr->methods;

	if (!m || m->class != class)
		m = sim_methods_of(s, class);
	return !m || sim_method_is_known(m, mthd);
}

/* @recording: without a context the class and method are checked, but have no effect. */
static void method(struct nvsim *s, u32 subc, u32 mthd, u32 data, u16 class, bool recording)
{
	u32 *bound = NULL;

	/* The binding of subchannels is part of the channel's context. */
	if (!recording) {
		bound = sim_gr_state(s, SIM_GR_SUBCHANNELS) + subc;
		if (!mthd)
			*bound = class;
		class = *bound;
	}

	s->gr->method = (struct sim_gr_method){ subc, mthd, data, class };
	if (mthd && !recording && sim_dispatch_stuck(s)) {
		s->gr->stuck = true;
		sim_gr_dispatch_fault(s);
		return;
	}

	if ((!mthd || !recording) && !class_ok(s, class))
		sim_gr_refuse(s, GR_INTR(ILLEGAL_CLASS), "ILLEGAL_CLASS");
	else if (mthd && !has_method(s, class, mthd))
		sim_gr_refuse(s, GR_INTR(ILLEGAL_MTHD), "ILLEGAL_MTHD");
	else if (!recording && !notify_disturbed(s) && mthd)
		execute(s, class, mthd, data);
}

/* Run a context program that the CPU has started or that had to wait; false if it did not end. */
static bool program_step(struct nvsim *s)
{
	if (s->grctx->state != GRCTX_RUNNING || sim_grctx_run(s->grctx) == GRCTX_RUNNING)
		return false;
	sim_pfifo_wake(s);
	return true;
}

/* Do one step of a job. Return: false if there is no job. */
bool sim_pgraph_step(struct nvsim *s)
{
	if (program_step(s))
		return true;

	if (s->gr->job == SIM_GR_JOB_NONE || s->gr->hung ||
	    sim_inject(s, NVSIM_INJECT_PGRAPH_BUSY) ||
	    !(*sim_reg(s, NV_PMC_ENABLE) & NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH)))
		return false;
	if (s->gr->job == SIM_GR_JOB_M2MF)
		sim_m2mf_step(s);
	else if (!sim_gr3d_step(s))
		sim_eng2d_step(s);

	if (s->gr->job == SIM_GR_JOB_NONE) {
		if (sim_gr_state(s, SIM_GR_NOTIFY_STATE)[NOTIFY_MODE] && !s->gr->m2mf_hung)
			deliver(s);
		sim_pfifo_wake(s);
	}

	return true;
}

/* --- creation --- */

static const struct sim_engine_ops engine_ops = {
	.reset = reset,
	.busy = busy,
	.switch_to = switch_to,
	.unload = unload,
	.method = method,
};

int sim_pgraph_create(struct nvsim *s)
{
	s->gr = calloc(1, sizeof(*s->gr));
	s->grctx = calloc(1, sizeof(*s->grctx));
	if (!s->gr || !s->grctx)
		return -1;

	sim_engine_register(s, 1, &engine_ops);
	sim_store_attach(s, 0x400000, 16, s->grctx->reg);
	return sim_grctx_init(s->grctx, s->chip, s->info->hwunits_0, &ctx_ops, s);
}

void sim_pgraph_destroy(struct nvsim *s)
{
	if (s->grctx)
		sim_grctx_fini(s->grctx);
	free(s->grctx);
	free(s->gr);
}

/* --- registers --- */

static u32 status(struct nvsim *s)
{
	u32 v = 0;

	if (s->gr->job == SIM_GR_JOB_M2MF || s->gr->m2mf_hung)
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__M2MF);

	if (s->gr->job == SIM_GR_JOB_FILL || s->gr->job == SIM_GR_JOB_BLIT)
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__ENG2D);

	if (s->grctx->state != GRCTX_STOPPED)
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__CTXPROG);

	if (s->gr->trapped)
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__DISPATCH);

	if (v || at_work(s))
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__BUSY);

	return v;
}

u32 sim_pgraph_read(struct nvsim *s, u32 off)
{
	switch (off) {
	case NV_PGRAPH_STATUS:
		return status(s);
	case NV_PGRAPH_VSTATUS:
		return s->gr->hung_units ? s->gr->hung_units : at_work(s);
	case NV_PGRAPH_INTR_EN:
		/* A log of an MCP79 reads 03711077 after ffffffff. */
		return s->chip == NV_CHIP_MCP79 ? GR(s, off) & 0x03711077 : GR(s, off);
	}
	return sim_grctx_owns(off) ? sim_grctx_read(s->grctx, off) : GR(s, off);
}

/* The driver has enabled FIFO access again. A stuck command traps once more. */
static void go_on(struct nvsim *s)
{
	u32 bits = s->gr->trapped ? sim_gr_stuck_command(s) : 0;

	if (s->gr->trapped && (GR(s, SINGLE_STEP) & GR_STUCK)) {
		sim_pgraph_single_step(s);
		return;
	}

	if (bits) {
		sim_gr_stop(s);
		sim_gr_unit_trap(s, NV_PGRAPH_DISPATCH_TRAP, bits, GR_TRAP(DISPATCH));
		return;
	}

	if (s->gr->trapped && mp_is_stopped(s)) {
		sim_gr_stop(s);
		sim_gr_mpc_trap(s, SIM_MPC_MP0);
		return;
	}

	s->gr->trapped = false;
	s->gr->stuck = false;
	sim_pfifo_wake(s);
}

void sim_pgraph_write(struct nvsim *s, u32 off, u32 val)
{
	switch (off) {
	case NV_PGRAPH_INTR:
		GR(s, off) &= ~val;
		GR(s, off) |= sim_storm(s, SIM_STORM_PGRAPH);
		/* INTR shows a trap until TRAP is clear. */
		if (GR(s, NV_PGRAPH_TRAP) & GR(s, NV_PGRAPH_TRAP_EN))
			GR(s, off) |= GR_INTR(TRAP);
		sim_irq_update(s);
		return;
	case NV_PGRAPH_TRAP:
		GR(s, off) &= ~val;
		return;
	case NV_PGRAPH_INTR_EN:
		GR(s, off) = val;
		sim_irq_update(s);
		return;
	case NV_PGRAPH_CONTROL:
		GR(s, off) = val;
		if (val & NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS))
			go_on(s);
		return;
	case NV_PGRAPH_SUBUNIT_RESET:
		sim_grctx_write(s->grctx, off, val);
		if (val & 2) {
			s->gr->m2mf_hung = false;
			if (s->gr->job == SIM_GR_JOB_M2MF)
				s->gr->job = SIM_GR_JOB_NONE;
			sim_pfifo_wake(s);
		}
		return;
	}

	if (is_unit_trap(s, off)) {
		u32 bits = val & GR_UNIT_CLEAR ? 0 : GR(s, off) & ~GR_UNIT_ENABLE;

		GR(s, off) = (val & GR_UNIT_ENABLE) | bits;
		return;
	}

	if (s->gr->mp_stopped && off == sim_gr_mp(s) + SIM_MP_KEEP && val == GR(s, off))
		s->gr->mp_kept = true;

	if (sim_grctx_owns(off))
		sim_grctx_write(s->grctx, off, val);
	else
		GR(s, off) = val;
}
