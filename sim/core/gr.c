// SPDX-License-Identifier: MIT
/*
 * The parts of PGRAPH that M2MF, 2D and 3D share: their method state in a channel's context, memory,
 * errors and traps, notifiers, queries and conditions.
 */
#include "core.h"
#include "engine.h"
#include "gr.h"
#include "mem.h"
#include "missing.h"
#include "pci.h"
#include "ptimer.h"
#include "store.h"

#define DISPATCH_STUCK_ADDR	0x400808
#define DISPATCH_STUCK_DATA	0x40080c
#define QUERY_STUCK_ADDR	0x40084c
#define QUERY_STUCK_DATA	0x40085c
#define DISPATCH_BUSY		0x4008e8	/* above bit 1: a command waits */
#define DISPATCH_COMMAND	0x400848

/* Busy units in the first register of VSTATUS */
#define VSTATUS_VFETCH	(1u << 0)
#define VSTATUS_CCACHE	(1u << 3)

#define PROP_CUDA	0x80	/* of PROP_TRAP */

#define COND_ALWAYS	1
#define COND_NON_ZERO	2
#define COND_EQUAL	3

/* The units have no state yet: set all blocks to 0. */
void sim_gr_state_init(struct nvsim *s)
{
	u32 words;
	u32 *state = sim_grctx_words(s->grctx, &words);

	memset(state, 0, words * sizeof(*state));
	state[0] = SIM_GR_STATE_MAGIC;
}

bool sim_gr_vm(struct nvsim *s, enum sim_gr_port port, u16 inst, u64 logical, void *buf,
	       unsigned int len, bool write)
{
	return sim_vm_access(s, VMENG_PGRAPH, port, inst, logical, buf, len, write);
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

void sim_gr_missing(struct nvsim *s, enum nvsim_missing_kind kind, const char *what, u32 data)
{
	const struct sim_gr_method *m = &s->gr->method;

	sim_missing(s, kind, (u64)m->class << 32 | data,
		    "%s %x, at method %04x of class %04x on subchannel %u with %08x", what, data,
		    m->mthd, m->class, m->subc, m->data);
}

void sim_gr_missing_method(struct nvsim *s, enum nvsim_missing_kind kind)
{
	const struct sim_gr_method *m = &s->gr->method;

	sim_missing(s, kind, (u64)m->class << 32 | m->mthd,
		    "method %04x of class %04x on subchannel %u with %08x", m->mthd, m->class, m->subc,
		    m->data);
}

/* Stop PGRAPH until the driver enables FIFO access again. */
void sim_gr_stop(struct nvsim *s)
{
	GR(s, NV_PGRAPH_CONTROL) &= ~NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS);
	s->gr->trapped = true;
}

/*
 * The last method that PGRAPH took. In the log of a GT216 a TIMEOUT of a multiprocessor has a method
 * that follows the draw, QUERY_GET.
 */
static void latch_method(struct nvsim *s)
{
	const struct sim_gr_method *m = &s->gr->method;

	GR(s, NV_PGRAPH_TRAPPED_ADDR) = m->subc << 16 | m->mthd;
	GR(s, NV_PGRAPH_TRAPPED_DATA) = m->data;
	GR(s, NV_PGRAPH_TRAPPED_CLASS) = m->class;
}

void sim_gr_refuse(struct nvsim *s, u32 intr, const char *what)
{
	const struct sim_gr_method *m = &s->gr->method;

	latch_method(s);
	sim_gr_stop(s);
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR PGRAPH %s chan %08x subc %u class %04x mthd %04x data %08x", what,
			  sim_engine(s, 1)->chan, m->subc, m->class, m->mthd, m->data);

	sim_gr_intr(s, intr);
}

void sim_gr_data_error(struct nvsim *s, enum sim_gr_error err)
{
	char what[32] = "DATA_ERROR 00";

	what[11] = "0123456789abcdef"[err >> 4 & 0xf];
	what[12] = "0123456789abcdef"[err & 0xf];
	GR(s, NV_PGRAPH_DATA_ERROR) = err;
	sim_gr_refuse(s, GR_INTR(DATA_ERROR), what);
}

/* Latch a trap of a unit. It reaches TRAP and INTR only if it is enabled. */
void sim_gr_unit_trap(struct nvsim *s, u32 reg, u32 bits, u32 unit)
{
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR PGRAPH TRAP unit %03x status %08x chan %08x", unit, bits,
			  sim_engine(s, 1)->chan);

	GR(s, reg) |= bits;
	if (!(GR(s, reg) & GR_UNIT_ENABLE))
		return;

	GR(s, NV_PGRAPH_TRAP) |= unit;
	if (GR(s, NV_PGRAPH_TRAP_EN) & unit)
		sim_gr_intr(s, GR_INTR(TRAP));
}

/* Bits of DISPATCH_TRAP for a stuck command, which its unit still holds */
u32 sim_gr_stuck_command(struct nvsim *s)
{
	u32 bits = 0;

	if (!sim_quirk(s, NVSIM_QUIRK_TRAP_RELEASE) && !s->gr->stuck)
		return 0;

	if ((GR(s, DISPATCH_STUCK_ADDR) & GR_STUCK) || (GR(s, DISPATCH_BUSY) & ~3u) ||
	    GR(s, DISPATCH_COMMAND))
		bits |= NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__FAULT);
	if (GR(s, QUERY_STUCK_ADDR) & GR_STUCK)
		bits |= NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__QUERY);

	return bits;
}

static void dispatch_trap(struct nvsim *s, u32 bit, u32 addr_reg, u32 data_reg)
{
	const struct sim_gr_method *m = &s->gr->method;

	GR(s, addr_reg) = GR_STUCK | m->subc << 16 | m->mthd;
	GR(s, data_reg) = m->data;
	if (addr_reg == DISPATCH_STUCK_ADDR) {
		GR(s, DISPATCH_BUSY) |= 4;
		GR(s, DISPATCH_COMMAND) = 1;
	}

	latch_method(s);
	sim_gr_stop(s);
	sim_gr_unit_trap(s, NV_PGRAPH_DISPATCH_TRAP, bit, GR_TRAP(DISPATCH));
}

/* DISPATCH faults at the last method, and holds it. */
void sim_gr_dispatch_fault(struct nvsim *s)
{
	dispatch_trap(s, NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__FAULT), DISPATCH_STUCK_ADDR,
		      DISPATCH_STUCK_DATA);
}

/* A fault hangs M2MF until its reset. */
void sim_gr_m2mf_fault(struct nvsim *s, u32 bits)
{
	s->gr->job = SIM_GR_JOB_NONE;
	s->gr->m2mf_hung = true;
	sim_gr_unit_trap(s, NV_PGRAPH_M2MF_TRAP, bits, GR_TRAP(M2MF));
}

/* Trap register of a TP's unit. In this model the first TP of the card does all work. */
static u32 tp_register(struct nvsim *s, u32 unit)
{
	u32 mask = NV_FLD_GET(NV_PBUS_HWUNITS_0__TPC_MASK, *sim_reg(s, NV_PBUS_HWUNITS_0)), tp = 0;

	while (mask && !(mask >> tp & 1))
		tp++;

	if (s->chip < NV_CHIP_G200)
		return unit == GR_TRAP(TEX) ? NV_REG_AT(NV_PGRAPH_G80_TEX_TRAP, tp & 7) :
					   NV_REG_AT(NV_PGRAPH_G80_PROP_TRAP, tp & 7);

	return unit == GR_TRAP(TEX) ? NV_REG_AT(NV_PGRAPH_TEX_TRAP, tp % 10) :
				   NV_REG_AT(NV_PGRAPH_PROP_TRAP, tp % 10);
}

void sim_gr_tp_trap(struct nvsim *s, u32 unit, u32 bits)
{
	sim_gr_unit_trap(s, tp_register(s, unit), bits, unit);
}

/*
 * Reports of nouveau have lock-ups after VM faults of VFETCH and CCACHE. In the log of an MCP79 the
 * unit stays busy after the driver has handled the trap.
 */
static void fault_hangs(struct nvsim *s, u32 vstatus)
{
	if (!sim_quirk(s, NVSIM_QUIRK_UNIT_FAULT))
		return;

	s->gr->hung = true;
	s->gr->hung_units |= vstatus;
}

void sim_gr_vfetch_trap(struct nvsim *s, u32 bits)
{
	fault_hangs(s, VSTATUS_VFETCH);
	sim_gr_unit_trap(s, NV_PGRAPH_VFETCH_TRAP, bits, GR_TRAP(VFETCH));
}

void sim_gr_ccache_trap(struct nvsim *s, u32 bits)
{
	fault_hangs(s, VSTATUS_CCACHE);
	sim_gr_unit_trap(s, NV_PGRAPH_CCACHE_TRAP, bits, GR_TRAP(CCACHE));
}

void sim_gr_strmout_trap(struct nvsim *s, u32 bits)
{
	sim_gr_unit_trap(s, NV_PGRAPH_STRMOUT_TRAP, bits, GR_TRAP(STRMOUT));
}

/* The first TP of the card, as the model has all work done there */
u32 sim_gr_first_tp(struct nvsim *s)
{
	return (u32)__builtin_ctz(NV_FLD_GET(NV_PBUS_HWUNITS_0__TPC_MASK,
					     *sim_reg(s, NV_PBUS_HWUNITS_0)));
}

/* Registers of the first multiprocessor of the TP that does all work */
u32 sim_gr_mp(struct nvsim *s)
{
	u32 tp = sim_gr_first_tp(s);

	return s->chip < NV_CHIP_G200 ? 0x408200 + (tp << 12) : 0x408100 + (tp << 11);
}

void sim_gr_mpc_trap(struct nvsim *s, u32 bits)
{
	u32 tp = sim_gr_first_tp(s);

	sim_gr_unit_trap(s, s->chip < NV_CHIP_G200 ? NV_REG_AT(NV_PGRAPH_G80_MPC_TRAP, tp) :
						     NV_REG_AT(NV_PGRAPH_MPC_TRAP, tp),
			 bits, GR_TRAP(MP));
}

/*
 * A multiprocessor stops until its first register gets its own value back and its status is 0.
 * The MPC of its TP has bit 16 for it.
 */
void sim_pgraph_mp_trap(struct nvsim *s, u32 status, u32 pc, const u32 opcode[2])
{
	u32 mp = sim_gr_mp(s);

	GR(s, mp + SIM_MP_STATUS) = status;
	GR(s, mp + SIM_MP_PC) = pc;
	GR(s, mp + SIM_MP_OPCODE) = opcode[0];
	GR(s, mp + SIM_MP_OPCODE + 4) = opcode[1];
	s->gr->mp_stopped = true;
	s->gr->mp_kept = false;
	sim_gr_stop(s);
	sim_gr_mpc_trap(s, SIM_MPC_MP0);
}

/* A program traps. */
void sim_gr_mp_trap(struct nvsim *s, u32 status, u32 pc, const u32 opcode[2])
{
	latch_method(s);
	sim_pgraph_mp_trap(s, status, pc, opcode);
}

/* A program went past the end of its stack. */
void sim_gr_stack_trap(struct nvsim *s)
{
	latch_method(s);
	sim_gr_stop(s);
	sim_gr_mpc_trap(s, SIM_MPC_STACK_LIMIT);
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
	sim_gr_stop(s);
	sim_gr_unit_trap(s, reg, status, GR_TRAP(PROP));

	return true;
}

/* PROP reports accesses of compute: bit 31 says that it was a read, bits 3:2 a write. */
void sim_gr_global_trap(struct nvsim *s, u64 address, bool write)
{
	u32 byte = (u32)address & 0x1f, access = 1u << 31 | byte << 24;

	if (write)
		access = 0xc | byte << 7;
	latch_method(s);
	sim_pgraph_prop_trap(s, sim_gr_first_tp(s), PROP_CUDA, address - byte, access);
}

/* In logs of faults at local memory this register is 09030000: its bits 27:24 are the slot. */
void sim_gr_program_trap(struct nvsim *s, u32 slot, u64 address)
{
	latch_method(s);
	sim_pgraph_prop_trap(s, sim_gr_first_tp(s), PROP_CUDA, address & ~0x1full,
			     slot << 24 | 0x30000);
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
		sim_gr_intr(s, GR_INTR(COMPUTE_QUERY));
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

/* Word 0 of an object of PGRAPH's channel, which has its class in the lower half */
u32 sim_gr_object(struct nvsim *s, u32 inst)
{
	u32 chan = sim_engine(s, 1)->chan;

	return sim_struct_read32(s, chan >> 28 & 3,
				 ((u64)(chan & 0x0fffffff) << 12) + (inst & 0xffff) * 16ull,
				 "object");
}
