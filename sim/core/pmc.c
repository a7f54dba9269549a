// SPDX-License-Identifier: MIT
/* PMC: identification, the interrupt tree's root, unit enables. */
#include "core.h"
#include "engine.h"
#include "fault.h"
#include "inject.h"
#include "mmu.h"
#include "pci.h"
#include "pfifo.h"
#include "pgraph.h"
#include "pmc.h"
#include "sources.h"
#include "store.h"

#define INTR_PFIFO	NV_FLD_MASK(NV_PMC_INTR_HOST__PFIFO)
#define INTR_PGRAPH	NV_FLD_MASK(NV_PMC_INTR_HOST__PGRAPH)
#define INTR_PTIMER	NV_FLD_MASK(NV_PMC_INTR_HOST__PTIMER)
#define INTR_PBUS	NV_FLD_MASK(NV_PMC_INTR_HOST__PBUS)
#define INTR_SOFTWARE	NV_FLD_MASK(NV_PMC_INTR_HOST__SOFTWARE)

#define ENABLE(unit)	NV_FLD_MASK(NV_PMC_ENABLE__##unit)

/* PMC.ENABLE after ffffffff, in logs of a GT218 and of an MCP79 */
#define ENABLE_ALL	0xdff3f113
#define ENABLE_ALL_MCP79	0xdff3d113

/* The least that a card needs to show boot messages; bit 0 has no name. */
#define ENABLE_LEAST	(1u | ENABLE(PMEDIA) | ENABLE(PFIFO) | ENABLE(PTIMER) | ENABLE(PFB) | \
			 ENABLE(PDISPLAY))

static u32 enable_bits(const struct nvsim *s)
{
	u32 bits = 0xffffffff;

	if (s->chip == NV_CHIP_GT218)
		return ENABLE_ALL;
	if (s->chip == NV_CHIP_MCP79)
		return ENABLE_ALL_MCP79;

	if (s->chip < NV_CHIP_GT215)
		bits &= ~(NV_FLD_MASK(NV_PMC_ENABLE__PCOPY) |
			  NV_FLD_MASK(NV_PMC_ENABLE__PCOPY_CTXSW));

	if (sim_is_g80(s))
		bits &= ~(NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH_CTXSW) |
			  NV_FLD_MASK(NV_PMC_ENABLE__PCRYPT) | NV_FLD_MASK(NV_PMC_ENABLE__PBSP));

	return bits;
}

static u32 posted_enable(const struct nvsim *s)
{
	u32 bits = ENABLE_LEAST;

	if (s->cfg.pmc_enable)
		bits = s->cfg.pmc_enable;
	else if (sim_quirk(s, NVSIM_QUIRK_POSTED_UNITS))
		bits = ENABLE_ALL;
	return bits & enable_bits(s);
}

void sim_pmc_init(struct nvsim *s)
{
	u32 boot0 = (u32)s->info->id << 20 | 0xa1;

	*sim_reg(s, NV_PMC_BOOT_0) = s->cfg.boot0 ? s->cfg.boot0 : boot0;
	*sim_reg(s, NV_PMC_NEW_ID) = (u32)s->info->id << 20 | 0xa1 << 12;
	*sim_reg(s, NV_PMC_INTR_MASK_HOST) = ~0u;
	*sim_reg(s, NV_PMC_INTR_MASK_NRHOST) = ~0u;
	*sim_reg(s, NV_PMC_INTR_MASK_DAEMON) = ~0u;
	if (s->posted)
		*sim_reg(s, NV_PMC_ENABLE) = posted_enable(s);
	s->big = s->cfg.big_endian;
}

static u32 intr_host(struct nvsim *s)
{
	u32 v = *sim_reg(s, NV_PMC_INTR_HOST) & INTR_SOFTWARE;

	if (*sim_reg(s, NV_PFIFO_INTR) & *sim_reg(s, NV_PFIFO_INTR_EN))
		v |= INTR_PFIFO;

	if (sim_pgraph_intr(s))
		v |= INTR_PGRAPH;

	if (*sim_reg(s, NV_PTIMER_INTR) & *sim_reg(s, NV_PTIMER_INTR_EN))
		v |= INTR_PTIMER;

	if (*sim_reg(s, NV_PBUS_INTR) & *sim_reg(s, NV_PBUS_INTR_EN))
		v |= INTR_PBUS;

	return v | sim_storm_bits(s, SIM_STORM_UNIT) | sim_sources_intr(s);
}

static u32 intr_nrhost(struct nvsim *s)
{
	if (s->chip < NV_CHIP_GT215)
		return 0;
	if (*sim_reg(s, NV_PFIFO_INTR_NRHOST) & *sim_reg(s, NV_PFIFO_INTR_EN_NRHOST))
		return INTR_PFIFO;
	return 0;
}

static bool line_host(struct nvsim *s)
{
	u32 v = intr_host(s), en = *sim_reg(s, NV_PMC_INTR_EN_HOST);

	if (!sim_daemon_passes(s))
		return false;

	if (s->chip >= NV_CHIP_GT215)
		v &= *sim_reg(s, NV_PMC_INTR_MASK_HOST) | INTR_SOFTWARE;

	return ((en & 1) && (v & ~INTR_SOFTWARE)) || ((en & 2) && (v & INTR_SOFTWARE));
}

static bool line_nrhost(struct nvsim *s)
{
	return s->chip >= NV_CHIP_GT215 && (*sim_reg(s, NV_PMC_INTR_EN_NRHOST) & 1) &&
	       (intr_nrhost(s) & *sim_reg(s, NV_PMC_INTR_MASK_NRHOST));
}

bool sim_pmc_line(struct nvsim *s)
{
	return line_host(s) || line_nrhost(s);
}

u32 sim_pmc_read(struct nvsim *s, u32 off)
{
	switch (off) {
	case NV_PMC_ENDIAN:
		return s->big ? 0x01000001 : 0;
	case NV_PMC_INTR_HOST:
		return intr_host(s);
	case NV_PMC_INTR_NRHOST:
		return intr_nrhost(s);
	case NV_PMC_INTR_LN_HOST:
		return !line_host(s);
	case NV_PMC_INTR_LN_NRHOST:
		return !line_nrhost(s);
	case NV_PMC_INTR_LN_DAEMON:
		return 1;
	}

	return *sim_reg(s, off);
}

void sim_pmc_write(struct nvsim *s, u32 off, u32 val)
{
	switch (off) {
	case NV_PMC_ENDIAN:
		if ((val & 1 << 24) && !s->cfg.endian_stuck)
			s->big = !s->big;
		return;
	case NV_PMC_INTR_HOST:
		*sim_reg(s, off) = val & INTR_SOFTWARE;
		break;
	case NV_PMC_INTR_EN_HOST:
		*sim_reg(s, off) = val & 3;
		break;
	case NV_PMC_ENABLE: {
		u32 off_now = *sim_reg(s, off) & ~val;

		*sim_reg(s, off) = val & enable_bits(s);
		if (off_now & NV_FLD_MASK(NV_PMC_ENABLE__PFIFO))
			sim_pfifo_reset(s, false);
		if (off_now & ENABLE(PFB))
			sim_mmu_end_flush(s);
		sim_engine_disabled(s, off_now);
		sim_inject_reset(s, off_now);
		if (sim_is_g80(s) && (off_now & NV_FLD_MASK(NV_PMC_ENABLE__PVPE)))
			*sim_reg(s, NV_PME_CONTROL) = 0;
		break;
	}
	default:
		*sim_reg(s, off) = val;
		break;
	}

	sim_irq_update(s);
}
