// SPDX-License-Identifier: MIT
/*
 * PGRAPH: registers, interrupts and traps, and the methods that its objects have in common:
 * binding, NOTIFY, DMA objects, QUERY.
 *
 * Copies (m2mf.c), 2D (eng2d.c) and 3D (gr3d/) are jobs that work in pieces beside PFIFO. Methods
 * of other classes, and those of a channel without a context, are recorded and have no effect. The
 * context program that the driver has uploaded loads and saves contexts; grctx.c runs it.
 */
#include "core.h"
#include "gr.h"

#define INTR(name)	NV_FLD_MASK(NV_PGRAPH_INTR__##name)
#define TRAP(name)	NV_FLD_MASK(NV_PGRAPH_TRAP__##name)

#define UNIT_CLEAR	(1u << 30)
#define UNIT_ENABLE	(1u << 31)

#define STUCK		(1u << 31)
#define CTX_VALID	(1u << 31)
#define DISPATCH_STUCK_ADDR	0x400808
#define DISPATCH_STUCK_DATA	0x40080c
#define QUERY_STUCK_ADDR	0x40084c
#define QUERY_STUCK_DATA	0x40085c
#define DISPATCH_BUSY		0x4008e8	/* above bit 1: a command waits */
#define DISPATCH_COMMAND	0x400848
#define SINGLE_STEP		0x400824	/* bit 31; the rest are flags of the context unit */

/* Busy units in the first register of VSTATUS */
#define VSTATUS_VFETCH	(1u << 0)
#define VSTATUS_CCACHE	(1u << 3)

#define CLASS_NULL	0x0030
#define CLASS_2D	0x502d
#define CLASS_M2MF	0x5039

#define NOP		0x100
#define NOTIFY		0x104
#define SERIALIZE	0x110
#define PM_TRIGGER	0x140
#define DMA_NOTIFY	0x180
#define DMA_FIRST	0x180
#define DMA_END		0x200

#define PROP_CUDA	0x80	/* of PROP_TRAP */

#define COND_ALWAYS	1
#define COND_NON_ZERO	2
#define COND_EQUAL	3

/* State words of classes other than M2MF and 2D */
#define ST_DMA_NOTIFY	0
#define ST_DMA_QUERY	1
#define ST_QUERY_HIGH	2
#define ST_QUERY_LOW	3
#define ST_QUERY_SEQ	4

/* SIM_GR_NOTIFY_STATE: data of NOTIFY plus one, and its subchannel */
#define NOTIFY_MODE	0
#define NOTIFY_SUBC	1

static const u16 block_size[SIM_GR_BLOCKS] = {
	[SIM_GR_SUBCHANNELS] = 8,
	[SIM_GR_NOTIFY_STATE] = 2,
	[SIM_GR_M2MF] = 0x330 / 4,
	[SIM_GR_2D] = 0x8e0 / 4,
	[SIM_GR_COMPUTE] = 8,
	[SIM_GR_OTHER] = 8,
};

/* The word before the blocks. Any other value means that the units have no state. */
#define STATE_MAGIC	0x7a7e0001u

u32 *sim_gr_state(struct nvsim *s, enum sim_gr_block block)
{
	u32 words, at = 1, i;
	u32 *state = sim_grctx_words(&s->grctx, &words);

	if (state[0] != STATE_MAGIC) {
		memset(state, 0, words * sizeof(*state));
		state[0] = STATE_MAGIC;
	}

	for (i = 0; i < block; i++)
		at += block_size[i];

	return state + at;
}

bool sim_gr_vm(struct nvsim *s, enum sim_gr_port port, u16 inst, u64 logical, void *buf,
	       unsigned int len, bool write)
{
	return sim_vm_access(s, VMENG_PGRAPH, port, inst, logical, buf, len, write);
}

static bool is_3d(u32 class)
{
	return class == 0x5097 || class == 0x8297 || class == 0x8397 || class == 0x8597 ||
	       class == 0x8697;
}

static bool is_compute(u32 class)
{
	return class == 0x50c0 || class == 0x85c0;
}

static enum sim_gr_block block_of(u32 class)
{
	if (class == CLASS_M2MF)
		return SIM_GR_M2MF;
	if (class == CLASS_2D)
		return SIM_GR_2D;
	return is_compute(class) ? SIM_GR_COMPUTE : SIM_GR_OTHER;
}

static u32 dma_notify(struct nvsim *s, u32 class)
{
	enum sim_gr_block b = block_of(class);
	const u32 *st = sim_gr_state(s, b);

	if (is_3d(class))
		return sim_gr3d_dma_notify(s);
	return st[b == SIM_GR_M2MF || b == SIM_GR_2D ? DMA_NOTIFY / 4 : ST_DMA_NOTIFY];
}

/* --- interrupts and traps --- */

bool sim_pgraph_intr(struct nvsim *s)
{
	return GR(s, NV_PGRAPH_INTR) & GR(s, NV_PGRAPH_INTR_EN);
}

void sim_gr_intr(struct nvsim *s, u32 bits)
{
	GR(s, NV_PGRAPH_INTR) |= bits;
	sim_irq_update(s);
}

/* Stop PGRAPH until the driver enables FIFO access again. */
static void stop(struct nvsim *s)
{
	GR(s, NV_PGRAPH_CONTROL) &= ~NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS);
	s->gr.trapped = true;
}

static void refuse(struct nvsim *s, u32 intr, const char *what)
{
	const struct sim_gr_method *m = &s->gr.method;

	GR(s, NV_PGRAPH_TRAPPED_ADDR) = m->subc << 16 | m->mthd;
	GR(s, NV_PGRAPH_TRAPPED_DATA) = m->data;
	GR(s, NV_PGRAPH_TRAPPED_CLASS) = m->class;
	stop(s);
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR PGRAPH %s chan %08x subc %u class %04x mthd %04x data %08x", what,
			  s->engine[1].chan, m->subc, m->class, m->mthd, m->data);

	sim_gr_intr(s, intr);
}

/* PGRAPH stops after a command until the driver clears bit 31 of 400824. */
void sim_pgraph_single_step(struct nvsim *s)
{
	GR(s, SINGLE_STEP) |= STUCK;
	stop(s);
	sim_gr_intr(s, INTR(SINGLE_STEP));
}

void sim_gr_data_error(struct nvsim *s, enum sim_gr_error err)
{
	char what[32] = "DATA_ERROR 00";

	what[11] = "0123456789abcdef"[err >> 4 & 0xf];
	what[12] = "0123456789abcdef"[err & 0xf];
	GR(s, NV_PGRAPH_DATA_ERROR) = err;
	refuse(s, INTR(DATA_ERROR), what);
}

/* Latch a trap of a unit. It reaches TRAP and INTR only if it is enabled. */
static void unit_trap(struct nvsim *s, u32 reg, u32 bits, u32 unit)
{
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR PGRAPH TRAP unit %03x status %08x chan %08x", unit, bits,
			  s->engine[1].chan);

	GR(s, reg) |= bits;
	if (!(GR(s, reg) & UNIT_ENABLE))
		return;

	GR(s, NV_PGRAPH_TRAP) |= unit;
	if (GR(s, NV_PGRAPH_TRAP_EN) & unit)
		sim_gr_intr(s, INTR(TRAP));
}

/* Bits of DISPATCH_TRAP for a stuck command, which its unit still holds */
static u32 stuck_command(struct nvsim *s)
{
	u32 bits = 0;

	if (!sim_quirk(s, NVSIM_QUIRK_TRAP_RELEASE) && !s->gr.stuck)
		return 0;

	if ((GR(s, DISPATCH_STUCK_ADDR) & STUCK) || (GR(s, DISPATCH_BUSY) & ~3u) ||
	    GR(s, DISPATCH_COMMAND))
		bits |= NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__FAULT);
	if (GR(s, QUERY_STUCK_ADDR) & STUCK)
		bits |= NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__QUERY);

	return bits;
}

static void dispatch_trap(struct nvsim *s, u32 bit, u32 addr_reg, u32 data_reg)
{
	const struct sim_gr_method *m = &s->gr.method;

	GR(s, addr_reg) = STUCK | m->subc << 16 | m->mthd;
	GR(s, data_reg) = m->data;
	if (addr_reg == DISPATCH_STUCK_ADDR) {
		GR(s, DISPATCH_BUSY) |= 4;
		GR(s, DISPATCH_COMMAND) = 1;
	}

	GR(s, NV_PGRAPH_TRAPPED_ADDR) = m->subc << 16 | m->mthd;
	GR(s, NV_PGRAPH_TRAPPED_DATA) = m->data;
	GR(s, NV_PGRAPH_TRAPPED_CLASS) = m->class;
	stop(s);
	unit_trap(s, NV_PGRAPH_DISPATCH_TRAP, bit, TRAP(DISPATCH));
}

/* A fault hangs M2MF until its reset. */
void sim_gr_m2mf_fault(struct nvsim *s, u32 bits)
{
	s->gr.job = SIM_GR_JOB_NONE;
	s->gr.m2mf_hung = true;
	unit_trap(s, NV_PGRAPH_M2MF_TRAP, bits, TRAP(M2MF));
}

/* Trap register of a TP's unit. In this model the first TP of the card does all work. */
static u32 tp_register(struct nvsim *s, u32 unit)
{
	u32 mask = NV_FLD_GET(NV_PBUS_HWUNITS_0__TPC_MASK, *sim_reg(s, NV_PBUS_HWUNITS_0)), tp = 0;

	while (mask && !(mask >> tp & 1))
		tp++;

	if (s->chip < NV_CHIP_G200)
		return unit == TRAP(TEX) ? NV_REG_AT(NV_PGRAPH_G80_TEX_TRAP, tp & 7) :
					   NV_REG_AT(NV_PGRAPH_G80_PROP_TRAP, tp & 7);

	return unit == TRAP(TEX) ? NV_REG_AT(NV_PGRAPH_TEX_TRAP, tp % 10) :
				   NV_REG_AT(NV_PGRAPH_PROP_TRAP, tp % 10);
}

void sim_gr_tp_trap(struct nvsim *s, u32 unit, u32 bits)
{
	unit_trap(s, tp_register(s, unit), bits, unit);
}

/*
 * Reports of nouveau have lock-ups after VM faults of VFETCH and CCACHE. In the log of an MCP79 the
 * unit stays busy after the driver has handled the trap.
 */
static void fault_hangs(struct nvsim *s, u32 vstatus)
{
	if (!sim_quirk(s, NVSIM_QUIRK_UNIT_FAULT))
		return;

	s->gr.hung = true;
	s->gr.hung_units |= vstatus;
}

void sim_gr_vfetch_trap(struct nvsim *s, u32 bits)
{
	fault_hangs(s, VSTATUS_VFETCH);
	unit_trap(s, NV_PGRAPH_VFETCH_TRAP, bits, TRAP(VFETCH));
}

void sim_gr_ccache_trap(struct nvsim *s, u32 bits)
{
	fault_hangs(s, VSTATUS_CCACHE);
	unit_trap(s, NV_PGRAPH_CCACHE_TRAP, bits, TRAP(CCACHE));
}

void sim_gr_strmout_trap(struct nvsim *s, u32 bits)
{
	unit_trap(s, NV_PGRAPH_STRMOUT_TRAP, bits, TRAP(STRMOUT));
}

/* Registers of the first multiprocessor of a TP, from its base on */
#define MP_KEEP		0x10
#define MP_STATUS	0x14
#define MP_PC		0x24
#define MP_OPCODE	0x70

static u32 mp_base(const struct nvsim *s, u32 tp)
{
	return s->chip < NV_CHIP_G200 ? 0x408200 + (tp << 12) : 0x408100 + (tp << 11);
}

/* The first TP of the card, as the model has all work done there */
static u32 first_tp(struct nvsim *s)
{
	return (u32)__builtin_ctz(NV_FLD_GET(NV_PBUS_HWUNITS_0__TPC_MASK,
					     *sim_reg(s, NV_PBUS_HWUNITS_0)));
}

static u32 mpc_trap(struct nvsim *s)
{
	return s->chip < NV_CHIP_G200 ? NV_REG_AT(NV_PGRAPH_G80_MPC_TRAP, first_tp(s)) :
					NV_REG_AT(NV_PGRAPH_MPC_TRAP, first_tp(s));
}

/*
 * A multiprocessor stops until its first register gets its own value back and its status is 0.
 * The MPC of its TP has bit 16 for it.
 */
void sim_pgraph_mp_trap(struct nvsim *s, u32 status, u32 pc, const u32 opcode[2])
{
	u32 mp = mp_base(s, first_tp(s));

	GR(s, mp + MP_STATUS) = status;
	GR(s, mp + MP_PC) = pc;
	GR(s, mp + MP_OPCODE) = opcode[0];
	GR(s, mp + MP_OPCODE + 4) = opcode[1];
	s->gr.mp_stopped = true;
	s->gr.mp_kept = false;
	stop(s);
	unit_trap(s, mpc_trap(s), 1u << 16, TRAP(MP));
}

static bool mp_is_stopped(struct nvsim *s)
{
	if (s->gr.mp_stopped && s->gr.mp_kept && !GR(s, mp_base(s, first_tp(s)) + MP_STATUS))
		s->gr.mp_stopped = false;

	return s->gr.mp_stopped;
}

/* PROP of a TP stops. Registers after its status have the address, and the kind of access. */
bool sim_pgraph_prop_trap(struct nvsim *s, u32 tp, u32 status, u64 address, u32 access)
{
	u32 reg;

	if (tp > 15 || !(NV_FLD_GET(NV_PBUS_HWUNITS_0__TPC_MASK,
				    *sim_reg(s, NV_PBUS_HWUNITS_0)) >> tp & 1))
		return false;

	reg = s->chip < NV_CHIP_G200 ? NV_REG_AT(NV_PGRAPH_G80_PROP_TRAP, tp) :
				       NV_REG_AT(NV_PGRAPH_PROP_TRAP, tp);
	GR(s, reg + 8) = (u32)address;
	GR(s, reg + 12) = address >> 32;
	GR(s, reg + 16) = access;
	stop(s);
	unit_trap(s, reg, status, TRAP(PROP));

	return true;
}

/* PROP reports accesses of compute: bit 31 says that it was a read, bits 3:2 a write. */
void sim_gr_global_trap(struct nvsim *s, u64 address, bool write)
{
	u32 byte = (u32)address & 0x1f, access = 1u << 31 | byte << 24;

	if (write)
		access = 0xc | byte << 7;
	sim_pgraph_prop_trap(s, first_tp(s), PROP_CUDA, address - byte, access);
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
	return s->grctx.state != GRCTX_STOPPED || s->gr.m2mf_hung || s->gr.hung ||
	       s->gr.job != SIM_GR_JOB_NONE || sim_inject(s, NVSIM_INJECT_PGRAPH_BUSY);
}

void sim_pgraph_flushed(struct nvsim *s)
{
	bool works = s->grctx.state == GRCTX_RUNNING || s->gr.job != SIM_GR_JOB_NONE;

	if (!works)
		return;
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR PGRAPH hangs: its TLB was flushed while it worked");
	s->gr.hung = true;
}

/* Whether PGRAPH takes no methods; PFIFO sees work left. */
bool sim_pgraph_busy(struct nvsim *s)
{
	return at_work(s) || s->gr.trapped;
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

	return s->gr.job == SIM_GR_JOB_NONE && !s->gr.m2mf_hung && !s->gr.trapped && !s->gr.hung &&
	       !sim_inject(s, NVSIM_INJECT_PGRAPH_BUSY);
}

static bool ctx_intr(void *arg)
{
	return sim_pgraph_intr(arg);
}

static void ctx_trap(void *arg, uint32_t bits)
{
	unit_trap(arg, NV_PGRAPH_DISPATCH_TRAP, bits, TRAP(DISPATCH));
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

int sim_pgraph_init(struct nvsim *s)
{
	return sim_grctx_init(&s->grctx, s->chip, s->info->hwunits_0, &ctx_ops, s);
}

void sim_pgraph_fini(struct nvsim *s)
{
	sim_grctx_fini(&s->grctx);
}

void sim_pgraph_reset(struct nvsim *s)
{
	/* A reset ends an injected busy state. */
	s->inject &= ~(1u << NVSIM_INJECT_PGRAPH_BUSY);
	memset(&s->gr, 0, sizeof(s->gr));
	sim_grctx_reset(&s->grctx);
	sim_vm_bind(s, VMENG_PGRAPH, false, 0);
	sim_irq_update(s);
}

/* Switch to @next, which is a value of 400330. False until it is the current context. */
static bool switch_context(struct nvsim *s, u32 next)
{
	if (s->grctx.state == GRCTX_STOPPED && GR(s, NV_PGRAPH_CTXCTL_CUR) != next) {
		if (!sim_grctx_want(&s->grctx, next)) {
			if (!(GR(s, NV_PGRAPH_INTR) & INTR(CONTEXT_SWITCH)))
				sim_gr_intr(s, INTR(CONTEXT_SWITCH));
			return false;
		}
		if (s->cfg.trace_mthd)
			sim_trace(s, "GR %08x -> %08x", GR(s, NV_PGRAPH_CTXCTL_CUR), next);
	}

	sim_grctx_run(&s->grctx);
	if (s->grctx.state != GRCTX_STOPPED || GR(s, NV_PGRAPH_CTXCTL_CUR) != next)
		return false;

	if (!s->vm[VMENG_PGRAPH].bound || s->vm[VMENG_PGRAPH].chan != (next & 0x3fffffff) ||
	    !(next & CTX_VALID))
		sim_vm_bind(s, VMENG_PGRAPH, next & CTX_VALID, next);
	return true;
}

bool sim_pgraph_switch(struct nvsim *s, u32 chan)
{
	return switch_context(s, CTX_VALID | chan);
}

/* A kick. PGRAPH has not loaded a channel whose methods it only recorded. */
bool sim_pgraph_unload(struct nvsim *s, u32 chan)
{
	const struct sim_engine *e = &s->engine[1];

	if (e->valid && e->chan == chan) {
		if (e->recording)
			s->gr.trapped = false;
		if (sim_pgraph_busy(s) && s->grctx.state != GRCTX_RUNNING)
			return false;
	}

	if (GR(s, NV_PGRAPH_CTXCTL_CUR) != (CTX_VALID | chan))
		return true;

	return switch_context(s, 0);
}

/* --- notifiers and queries --- */

/* Write a notifier: 64 bits of time, 0, status 0. */
bool sim_gr_notify(struct nvsim *s, enum sim_gr_port port, u16 inst, u32 offset)
{
	u64 now = sim_ptimer_time(s);
	u8 raw[16] = { 0 };

	put_le32(raw, (u32)now);
	put_le32(raw + 4, now >> 32);
	return sim_gr_vm(s, port, inst, offset, raw, sizeof(raw), true);
}

static void deliver(struct nvsim *s)
{
	u32 *st = sim_gr_state(s, SIM_GR_NOTIFY_STATE), mode = st[NOTIFY_MODE];

	st[NOTIFY_MODE] = 0;
	if (!sim_gr_notify(s, SIM_GR_NOTIFY, dma_notify(s, s->gr.method.class), 0))
		dispatch_trap(s, NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__FAULT), DISPATCH_STUCK_ADDR,
			      DISPATCH_STUCK_DATA);
	else if (mode == 2)
		sim_gr_intr(s, INTR(NOTIFY));
}

/* A fault at a query's report */
static void query_trap(struct nvsim *s)
{
	dispatch_trap(s, NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__QUERY), QUERY_STUCK_ADDR,
		      QUERY_STUCK_DATA);
}

void sim_gr_query(struct nvsim *s, const struct sim_gr_query *q)
{
	u64 now = sim_ptimer_time(s);
	u8 raw[16];

	if (!(GR(s, NV_PGRAPH_CONTROL) & NV_FLD_MASK(NV_PGRAPH_CONTROL__QUERY_ENABLE)))
		return;

	put_le32(raw, q->word[0]);
	put_le32(raw + 4, q->word[1]);
	put_le32(raw + 8, (u32)now);
	put_le32(raw + 12, now >> 32);
	if (!sim_gr_vm(s, SIM_GR_QUERY, q->inst, q->address, raw, q->brief ? 4 : 16, true))
		query_trap(s);
	else if (q->intr)
		sim_gr_intr(s, INTR(QUERY));
}

/*
 * COND_MODE, which reads the reports at once: whether work is done. NON_ZERO looks at word 1 of a
 * report, EQUAL at the first two words of a report and of the report 16 bytes after it.
 */
bool sim_gr_condition(struct nvsim *s, const struct sim_gr_condition *c)
{
	u8 raw[32] = { 0 };
	bool equal;

	if (c->mode < COND_NON_ZERO)
		return c->mode == COND_ALWAYS;
	if (!sim_gr_vm(s, SIM_GR_COND, c->inst, c->address, raw,
		       c->mode == COND_NON_ZERO ? 8 : sizeof(raw), false)) {
		query_trap(s);
		return false;
	}
	if (c->mode == COND_NON_ZERO)
		return get_le32(raw + 4);

	equal = get_le64(raw) == get_le64(raw + 16);
	return c->mode == COND_EQUAL ? equal : !equal;
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
		if (data > 0xff)
			sim_gr_data_error(s, GR_INVALID_VALUE);
		else
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

/* Class from word 0 of an object of PGRAPH's channel */
u32 sim_gr_object_class(struct nvsim *s, u32 inst)
{
	u32 chan = s->engine[1].chan;

	return sim_struct_read32(s, chan >> 28 & 3,
				 ((u64)(chan & 0x0fffffff) << 12) + (inst & 0xffff) * 16ull,
				 "object") & 0xffff;
}

/* Check a DMA object and replace the NULL object by 0; false after an error. */
static bool dma_object(struct nvsim *s, u32 *data)
{
	u32 class = sim_gr_object_class(s, *data);

	if (class == CLASS_NULL)
		*data = 0;
	else if (class != 0x0002 && class != 0x0003 && class != 0x003d)
		sim_gr_data_error(s, GR_INVALID_OBJECT);
	return !s->gr.trapped;
}

static void execute(struct nvsim *s, u32 class, u32 mthd, u32 data)
{
	u32 *notify = sim_gr_state(s, SIM_GR_NOTIFY_STATE);

	if (mthd == NOTIFY) {
		if (data > 1) {
			sim_gr_data_error(s, GR_INVALID_ENUM);
			return;
		}
		notify[NOTIFY_MODE] = data + 1;
		notify[NOTIFY_SUBC] = s->gr.method.subc;
		return;
	}

	if (mthd >= DMA_FIRST && mthd < DMA_END && !dma_object(s, &data))
		return;
	if (is_3d(class)) {
		sim_gr3d_method(s, mthd, data);
		goto deliver;
	}

	switch (block_of(class)) {
	case SIM_GR_M2MF:
		if (mthd / 4 < block_size[SIM_GR_M2MF])
			sim_m2mf_method(s, mthd, data);
		break;
	case SIM_GR_2D:
		if (mthd / 4 < block_size[SIM_GR_2D])
			sim_eng2d_method(s, mthd, data);
		break;
	case SIM_GR_COMPUTE:
		mthd_compute(s, mthd, data);
		sim_compute_method(s, mthd, data);
		break;
	default:
		if (mthd == DMA_NOTIFY)
			sim_gr_state(s, SIM_GR_OTHER)[ST_DMA_NOTIFY] = data;
		break;
	}
deliver:
	/* A job's notifier is written at its end. */
	if (notify[NOTIFY_MODE] && s->gr.job == SIM_GR_JOB_NONE && !s->gr.trapped)
		deliver(s);
}

/* An error unless the method after NOTIFY is one of the same object that NOTIFY can refer to. */
static bool notify_disturbed(struct nvsim *s)
{
	u32 *st = sim_gr_state(s, SIM_GR_NOTIFY_STATE);
	const struct sim_gr_method *m = &s->gr.method;

	if (!st[NOTIFY_MODE])
		return false;
	if (m->mthd && m->mthd != NOTIFY && m->mthd != DMA_NOTIFY && m->subc == st[NOTIFY_SUBC])
		return false;

	st[NOTIFY_MODE] = 0;
	if (m->mthd == NOTIFY && m->subc == st[NOTIFY_SUBC])
		refuse(s, INTR(DOUBLE_NOTIFY), "DOUBLE_NOTIFY");
	else
		sim_gr_data_error(s, GR_INVALID_OPERATION);

	return true;
}

/* Methods of all graph objects */
static bool common_method(u32 mthd)
{
	return mthd == NOP || mthd == NOTIFY || mthd == SERIALIZE || mthd == PM_TRIGGER ||
	       mthd == DMA_NOTIFY;
}

/* Sources list all methods of NULL and M2MF; of 2D they only have the last one's number. */
static bool bad_method(u32 class, u32 mthd)
{
	switch (class) {
	case CLASS_NULL:
		return mthd != NOP;
	case CLASS_M2MF:
		return !common_method(mthd) && !(mthd > DMA_NOTIFY && mthd <= 0x188) &&
		       !(mthd >= 0x200 && mthd <= 0x23c) && !(mthd >= 0x30c && mthd <= 0x328);
	case CLASS_2D:
		return mthd > 0x8dc;
	}

	return false;
}

/* @recording: without a context the class and method are checked, but have no effect. */
void sim_pgraph_method(struct nvsim *s, u32 subc, u32 mthd, u32 data, u16 class, bool recording)
{
	u32 *bound = NULL;

	/* The binding of subchannels is part of the channel's context. */
	if (!recording) {
		bound = sim_gr_state(s, SIM_GR_SUBCHANNELS) + subc;
		if (!mthd)
			*bound = class;
		class = *bound;
	}

	s->gr.method = (struct sim_gr_method){ subc, mthd, data, class };
	if (s->faults.dispatch && mthd && !recording) {
		s->faults.dispatch = false;
		s->gr.stuck = true;
		dispatch_trap(s, NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__FAULT), DISPATCH_STUCK_ADDR,
			      DISPATCH_STUCK_DATA);
		return;
	}

	if ((!mthd || !recording) && !sim_class_ok(s, 1, class))
		refuse(s, INTR(ILLEGAL_CLASS), "ILLEGAL_CLASS");
	else if (mthd && bad_method(class, mthd))
		refuse(s, INTR(ILLEGAL_MTHD), "ILLEGAL_MTHD");
	else if (!recording && !notify_disturbed(s) && mthd)
		execute(s, class, mthd, data);
}

/* Run a context program that the CPU has started or that had to wait; false if it did not end. */
static bool program_step(struct nvsim *s)
{
	if (s->grctx.state != GRCTX_RUNNING || sim_grctx_run(&s->grctx) == GRCTX_RUNNING)
		return false;
	sim_pfifo_wake(s);
	return true;
}

/* Do one step of a job. Return: false if there is no job. */
bool sim_pgraph_step(struct nvsim *s)
{
	if (program_step(s))
		return true;

	if (s->gr.job == SIM_GR_JOB_NONE || s->gr.hung ||
	    sim_inject(s, NVSIM_INJECT_PGRAPH_BUSY) ||
	    !(*sim_reg(s, NV_PMC_ENABLE) & NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH)))
		return false;
	if (s->gr.job == SIM_GR_JOB_M2MF)
		sim_m2mf_step(s);
	else if (!sim_gr3d_step(s))
		sim_eng2d_step(s);

	if (s->gr.job == SIM_GR_JOB_NONE) {
		if (sim_gr_state(s, SIM_GR_NOTIFY_STATE)[NOTIFY_MODE] && !s->gr.m2mf_hung)
			deliver(s);
		sim_pfifo_wake(s);
	}

	return true;
}

/* --- registers --- */

static u32 status(struct nvsim *s)
{
	u32 v = 0;

	if (s->gr.job == SIM_GR_JOB_M2MF || s->gr.m2mf_hung)
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__M2MF);

	if (s->gr.job == SIM_GR_JOB_FILL || s->gr.job == SIM_GR_JOB_BLIT)
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__ENG2D);

	if (s->grctx.state != GRCTX_STOPPED)
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__CTXPROG);

	if (s->gr.trapped)
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__DISPATCH);

	if (v || at_work(s))
		v |= NV_FLD_MASK(NV_PGRAPH_STATUS__ALL);

	return v;
}

u32 sim_pgraph_read(struct nvsim *s, u32 off)
{
	switch (off) {
	case NV_PGRAPH_STATUS:
		return status(s);
	case NV_PGRAPH_VSTATUS:
		return s->gr.hung_units ? s->gr.hung_units : at_work(s);
	}
	return sim_grctx_owns(off) ? sim_grctx_read(&s->grctx, off) : GR(s, off);
}

/* The driver has enabled FIFO access again. A stuck command traps once more. */
static void go_on(struct nvsim *s)
{
	u32 bits = s->gr.trapped ? stuck_command(s) : 0;

	if (s->gr.trapped && (GR(s, SINGLE_STEP) & STUCK)) {
		sim_pgraph_single_step(s);
		return;
	}

	if (bits) {
		stop(s);
		unit_trap(s, NV_PGRAPH_DISPATCH_TRAP, bits, TRAP(DISPATCH));
		return;
	}

	if (s->gr.trapped && mp_is_stopped(s)) {
		stop(s);
		unit_trap(s, mpc_trap(s), 1u << 16, TRAP(MP));
		return;
	}

	s->gr.trapped = false;
	s->gr.stuck = false;
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
			GR(s, off) |= INTR(TRAP);
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
		sim_grctx_write(&s->grctx, off, val);
		if (val & 2) {
			s->gr.m2mf_hung = false;
			if (s->gr.job == SIM_GR_JOB_M2MF)
				s->gr.job = SIM_GR_JOB_NONE;
			sim_pfifo_wake(s);
		}
		return;
	}

	if (is_unit_trap(s, off)) {
		u32 bits = val & UNIT_CLEAR ? 0 : GR(s, off) & ~UNIT_ENABLE;

		GR(s, off) = (val & UNIT_ENABLE) | bits;
		return;
	}

	if (s->gr.mp_stopped && off == mp_base(s, first_tp(s)) + MP_KEEP && val == GR(s, off))
		s->gr.mp_kept = true;

	if (sim_grctx_owns(off))
		sim_grctx_write(&s->grctx, off, val);
	else
		GR(s, off) = val;
}
