// SPDX-License-Identifier: MIT
/*
 * Sources of interrupts of which the model has no more: the display, GPIO lines, the thermal sensor.
 * PDAEMON can keep interrupts from the host.
 */
#include <stdlib.h>

#include "core.h"
#include "pci.h"
#include "sources.h"
#include "store.h"

#define VBLANK_NS	16666667ull

/* A hot-plug line that is not steady: one edge per second */
#define PLUG_NS		1000000000ull

struct sim_sources {
	u64 vblank_at, plug_at;	/* when the display and a GPIO line raise their interrupts again */
	bool too_hot;		/* PTHERM raises its interrupt */
};

int sim_sources_create(struct nvsim *s)
{
	s->sources = calloc(1, sizeof(*s->sources));
	return s->sources ? 0 : -1;
}

bool sim_has_auxch(const struct nvsim *s)
{
	return s->chip >= NV_CHIP_G94 && s->chip != NV_CHIP_G200;
}

bool sim_has_daemon(const struct nvsim *s)
{
	return s->chip >= NV_CHIP_GT215;
}

static bool plug_pending(struct nvsim *s)
{
	u32 pending = *sim_reg(s, NV_PNVIO_GPIO_INTR_0) & *sim_reg(s, NV_PNVIO_GPIO_INTR_EN_0);

	if (s->chip >= NV_CHIP_G94)
		pending |= *sim_reg(s, NV_PNVIO_GPIO_INTR_1) & *sim_reg(s, NV_PNVIO_GPIO_INTR_EN_1);

	if (sim_has_auxch(s))
		pending |= *sim_reg(s, NV_PNVIO_AUXCH_INTR) & *sim_reg(s, NV_PNVIO_AUXCH_INTR_EN);

	return pending;
}

static bool display_pending(struct nvsim *s)
{
	if (!(*sim_reg(s, NV_PMC_ENABLE) & NV_FLD_MASK(NV_PMC_ENABLE__PDISPLAY)))
		return false;

	return *sim_reg(s, NV_PDISPLAY_INTR_0) & *sim_reg(s, NV_PDISPLAY_INTR_EN_0) ||
	       *sim_reg(s, NV_PDISPLAY_INTR_1) & *sim_reg(s, NV_PDISPLAY_INTR_EN_1);
}

/* Bits of PMC.INTR_HOST that these units raise */
u32 sim_sources_intr(struct nvsim *s)
{
	u32 v = 0;

	if (display_pending(s))
		v |= NV_FLD_MASK(NV_PMC_INTR_HOST__PDISPLAY);

	if (plug_pending(s))
		v |= NV_FLD_MASK(NV_PMC_INTR_HOST__PNVIO);

	if (s->sources->too_hot && sim_has_daemon(s))
		v |= NV_FLD_MASK(NV_PMC_INTR_HOST__PTHERM);

	return v;
}

/*
 * Whether INTR_HOST reaches the host. From GT215 on it passes PDAEMON, which delivers it nowhere
 * while it is in reset, and may send it to its own processor.
 */
bool sim_daemon_passes(struct nvsim *s)
{
	return !sim_has_daemon(s) || (NV_FLD_GET(NV_PUNK022_PDAEMON_ENABLE__ENABLE,
					     *sim_reg(s, NV_PUNK022_PDAEMON_ENABLE)) &&
				  !*sim_reg(s, NV_PDAEMON_IREDIR_STATUS));
}

void sim_daemon_write(struct nvsim *s, u32 off, u32 val)
{
	switch (off) {
	case NV_PUNK022_PDAEMON_ENABLE:
		*sim_reg(s, off) = val & 1;
		if (!(val & 1))
			*sim_reg(s, NV_PDAEMON_IREDIR_STATUS) = 0;
		break;
	case NV_PDAEMON_IREDIR_TRIGGER:
		if (val & NV_FLD_MASK(NV_PDAEMON_IREDIR_TRIGGER__DAEMON))
			*sim_reg(s, NV_PDAEMON_IREDIR_STATUS) = 1;
		if (val & NV_FLD_MASK(NV_PDAEMON_IREDIR_TRIGGER__HOST))
			*sim_reg(s, NV_PDAEMON_IREDIR_STATUS) = 0;
		break;
	default:
		*sim_reg(s, off) = val;
		break;
	}

	sim_irq_update(s);
}

static bool due(struct nvsim *s, u64 *at, u64 period, u64 *next)
{
	u64 now = sim_now(s);
	bool is_due = now >= *at;

	if (is_due)
		*at = now + period;

	if (*at - now < *next)
		*next = *at - now;

	return is_due;
}

/* Raise interrupts that are due. Returns the ns until the next one. */
u64 sim_sources_poll(struct nvsim *s)
{
	u64 next = UINT64_MAX;

	if (!s->posted || !sim_quirk(s, NVSIM_QUIRK_POSTED_IRQS))
		return next;

	if (due(s, &s->sources->vblank_at, VBLANK_NS, &next))
		*sim_reg(s, NV_PDISPLAY_INTR_1) |= SIM_VBLANK;

	if (due(s, &s->sources->plug_at, PLUG_NS, &next)) {
		*sim_reg(s, NV_PNVIO_GPIO_INTR_0) |= SIM_PLUG_RISES | SIM_PLUG_FALLS;
		*sim_reg(s, NV_PBUS_INTR) |= NV_FLD_MASK(NV_PBUS_INTR__THERM);
	}

	sim_irq_update(s);

	return next;
}

void sim_sources_set_hot(struct nvsim *s, bool hot)
{
	s->sources->too_hot = hot;
}
