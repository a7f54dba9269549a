// SPDX-License-Identifier: MIT
/*
 * PGRAPH: its registers, its interrupts, and the methods of its objects.
 *
 * A channel without a context image gets no more than a class check; what it sends is in the
 * engine's record.
 */
#include "core.h"

#define INTR_ILLEGAL_MTHD	(1u << 4)
#define INTR_ILLEGAL_CLASS	(1u << 5)

#define CLASS_NULL	0x0030

bool sim_gr_vm(struct nvsim *s, enum sim_gr_port port, u16 inst, u64 logical, void *buf,
	       unsigned int len, bool write)
{
	return sim_vm_access(s, VMENG_PGRAPH, port, inst, logical, buf, len, write);
}

void sim_pgraph_reset(struct nvsim *s)
{
	memset(&s->gr, 0, sizeof(s->gr));
	sim_vm_bind(s, VMENG_PGRAPH, false, 0);
	sim_irq_update(s);
}

/* Does not take methods, and has work left as PFIFO sees it */
bool sim_pgraph_busy(struct nvsim *s)
{
	return s->gr.hung || s->gr.trapped || sim_inject(s, NVSIM_INJECT_PGRAPH_BUSY);
}

bool sim_pgraph_intr(struct nvsim *s)
{
	return GR(s, NV_PGRAPH_INTR) & GR(s, NV_PGRAPH_INTR_EN);
}

/*
 * Another channel comes; the one that @old says is there leaves. False while that
 * cannot be.
 */
bool sim_pgraph_switch(struct nvsim *s, bool old, u32 chan, bool context)
{
	u8 word[4];

	(void)old;
	sim_vm_bind(s, VMENG_PGRAPH, true, chan);
	if (!context && s->cfg.engine_context == NVSIM_ENGINE_REQUIRE) {
		sim_violation(s, "PGRAPH is used by channel %u, which has no context for it",
			      sim_pfifo_chid(s));
		sim_gr_vm(s, SIM_GR_CTX, 0, 0, word, sizeof(word), false);
		s->gr.hung = true;
		return false;
	}
	return true;
}

bool sim_pgraph_unload(struct nvsim *s)
{
	if (s->engine[1].recording)
		s->gr.trapped = false;
	if (sim_pgraph_busy(s))
		return false;
	sim_vm_bind(s, VMENG_PGRAPH, false, 0);
	return true;
}

/* Nothing goes on until FIFO access is switched on again. */
static void trap(struct nvsim *s, u32 intr, u32 subc, u32 mthd, u32 data, u16 class,
		 const char *what)
{
	GR(s, NV_PGRAPH_TRAPPED_ADDR) = subc << 16 | mthd;
	GR(s, NV_PGRAPH_TRAPPED_DATA) = data;
	GR(s, NV_PGRAPH_TRAPPED_CLASS) = class;
	GR(s, NV_PGRAPH_INTR) |= intr;
	GR(s, NV_PGRAPH_CONTROL) &= ~1u;
	s->gr.trapped = true;
	if (s->cfg.trace_mthd)
		sim_trace(s, "ERR PGRAPH %s chan %08x subc %u class %04x mthd %04x data %08x", what,
			  s->engine[1].chan, subc, class, mthd, data);
	sim_irq_update(s);
}

void sim_pgraph_method(struct nvsim *s, u32 subc, u32 mthd, u32 data, u16 class, bool recording)
{
	(void)recording;
	if (!mthd) {
		if (!sim_class_ok(s, 1, class))
			trap(s, INTR_ILLEGAL_CLASS, subc, mthd, data, class, "ILLEGAL_CLASS");
		return;
	}
	if (class == CLASS_NULL && mthd != 0x100)
		trap(s, INTR_ILLEGAL_MTHD, subc, mthd, data, class, "ILLEGAL_MTHD");
}

u32 sim_pgraph_read(struct nvsim *s, u32 off)
{
	if (off == NV_PGRAPH_VSTATUS || off == NV_PGRAPH_STATUS)
		return s->gr.hung || sim_inject(s, NVSIM_INJECT_PGRAPH_BUSY);
	return GR(s, off);
}

void sim_pgraph_write(struct nvsim *s, u32 off, u32 val)
{
	switch (off) {
	case NV_PGRAPH_INTR:
	case NV_PGRAPH_TRAP:
		GR(s, off) &= ~val;
		sim_irq_update(s);
		return;
	case NV_PGRAPH_INTR_EN:
		GR(s, off) = val;
		sim_irq_update(s);
		return;
	case NV_PGRAPH_CONTROL:
		GR(s, off) = val;
		if (val & 1) {
			s->gr.trapped = false;
			sim_pfifo_wake(s);
		}
		return;
	}
	GR(s, off) = val;
}
