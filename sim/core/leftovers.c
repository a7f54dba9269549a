// SPDX-License-Identifier: MIT
/*
 * State that the firmware or an earlier driver has left. The display, GPIO lines and the thermal
 * sensor raise interrupts. PDAEMON keeps interrupts from the host, and PFIFO still runs a channel.
 *
 * The model of the display, PNVIO and PDAEMON ends there: it has their interrupts and no more.
 */
#include "core.h"
#include "gr.h"

#define VBLANK		(NV_FLD_MASK(NV_PDISPLAY_INTR_1__VBLANK_HEAD_0) | \
			 NV_FLD_MASK(NV_PDISPLAY_INTR_1__VBLANK_HEAD_1))
#define VBLANK_NS	16666667ull

/* A hot-plug line that is not steady: one edge per second */
#define PLUG_NS		1000000000ull
#define PLUG_RISES	(1u << 1)
#define PLUG_FALLS	(1u << 17)

/* As nouveau writes it: supervisor and VGA, and the two vertical blanks */
#define DISPLAY_INTRS	(0x00000370u | VBLANK)

/* The channel that kexec did not end, and its memory */
#define OLD_CHID	3
#define OLD_CHANNEL	0x00200000u
#define OLD_RING_ORDER	9

static bool has_auxch(const struct nvsim *s)
{
	return s->chip >= NV_CHIP_G94 && s->chip != NV_CHIP_G200;
}

static bool has_daemon(const struct nvsim *s)
{
	return s->chip >= NV_CHIP_GT215;
}

static bool plug_pending(struct nvsim *s)
{
	u32 pending = *sim_reg(s, NV_PNVIO_GPIO_INTR_0) & *sim_reg(s, NV_PNVIO_GPIO_INTR_EN_0);

	if (s->chip >= NV_CHIP_G94)
		pending |= *sim_reg(s, NV_PNVIO_GPIO_INTR_1) & *sim_reg(s, NV_PNVIO_GPIO_INTR_EN_1);

	if (has_auxch(s))
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
u32 sim_leftovers_intr(struct nvsim *s)
{
	u32 v = 0;

	if (display_pending(s))
		v |= NV_FLD_MASK(NV_PMC_INTR_HOST__PDISPLAY);

	if (plug_pending(s))
		v |= NV_FLD_MASK(NV_PMC_INTR_HOST__PNVIO);

	if (s->too_hot && has_daemon(s))
		v |= NV_FLD_MASK(NV_PMC_INTR_HOST__PTHERM);

	return v;
}

/*
 * Whether INTR_HOST reaches the host. From GT215 on it passes PDAEMON, which delivers it nowhere
 * while it is in reset, and may send it to its own processor.
 */
bool sim_daemon_passes(struct nvsim *s)
{
	return !has_daemon(s) || (NV_FLD_GET(NV_PUNK022_PDAEMON_ENABLE__ENABLE,
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
u64 sim_leftovers_poll(struct nvsim *s)
{
	u64 next = UINT64_MAX;

	if (!s->posted || !sim_quirk(s, NVSIM_QUIRK_POSTED_IRQS))
		return next;

	if (due(s, &s->vblank_at, VBLANK_NS, &next))
		*sim_reg(s, NV_PDISPLAY_INTR_1) |= VBLANK;

	if (due(s, &s->plug_at, PLUG_NS, &next)) {
		*sim_reg(s, NV_PNVIO_GPIO_INTR_0) |= PLUG_RISES | PLUG_FALLS;
		*sim_reg(s, NV_PBUS_INTR) |= NV_FLD_MASK(NV_PBUS_INTR__THERM);
	}

	sim_irq_update(s);

	return next;
}

/* Interrupts that the firmware left enabled, all pending */
static void leave_interrupts(struct nvsim *s)
{
	*sim_reg(s, NV_PTIMER_INTR_EN) = 1;
	*sim_reg(s, NV_PTIMER_INTR) = NV_FLD_MASK(NV_PTIMER_INTR__ALARM);

	*sim_reg(s, NV_PBUS_INTR_EN) = NV_FLD_MASK(NV_PBUS_INTR__MMIO_FAULT) |
				       NV_FLD_MASK(NV_PBUS_INTR__THERM);
	*sim_reg(s, NV_PBUS_INTR) = NV_FLD_MASK(NV_PBUS_INTR__THERM);
	s->too_hot = true;

	*sim_reg(s, NV_PDISPLAY_INTR_EN_0) = 0x1f;
	*sim_reg(s, NV_PDISPLAY_INTR_EN_1) = DISPLAY_INTRS;
	*sim_reg(s, NV_PDISPLAY_INTR_0) = 1;
	*sim_reg(s, NV_PDISPLAY_INTR_1) = VBLANK;

	*sim_reg(s, NV_PNVIO_GPIO_INTR_EN_0) = ~0u;
	*sim_reg(s, NV_PNVIO_GPIO_INTR_0) = PLUG_RISES;
	if (s->chip >= NV_CHIP_G94) {
		*sim_reg(s, NV_PNVIO_GPIO_INTR_EN_1) = ~0u;
		*sim_reg(s, NV_PNVIO_GPIO_INTR_1) = PLUG_FALLS;
	}

	if (has_auxch(s)) {
		*sim_reg(s, NV_PNVIO_AUXCH_INTR_EN) = 0xffff;
		*sim_reg(s, NV_PNVIO_AUXCH_INTR) = 1;
	}

	*sim_reg(s, NV_PMC_INTR_EN_HOST) = 1;
}

/* nouveau was removed: its units stay on and silent, and BAR3 points to memory that it has freed. */
static void leave_nouveau(struct nvsim *s)
{
	sim_pmc_write(s, NV_PMC_ENABLE, ~0u);
	sim_mem_lose(s);

	*sim_reg(s, NV_PTIMER_CLOCK_SOURCE) = 2;
	*sim_reg(s, NV_PTIMER_CLOCK_DIV) = 324;
	*sim_reg(s, NV_PTIMER_CLOCK_MUL) = 125;
	*sim_reg(s, NV_PDISPLAY_INTR_EN_1) = 0x370;
	*sim_reg(s, NV_PBUS_INTR_EN) = NV_FLD_MASK(NV_PBUS_INTR__MMIO_FAULT) |
				       NV_FLD_MASK(NV_PBUS_INTR__THERM);

	sim_pbus_write(s, NV_PBUS_HOST_MEM_CHAN,
		       NV_FLD_MASK(NV_PBUS_HOST_MEM_CHAN__WHICH_BAR) | OLD_CHANNEL >> 12);
	sim_pbus_write(s, NV_PBUS_HOST_MEM_BAR3, 1u << 31 | 0x20);
	*sim_reg(s, NV_PBUS_HOST_MEM_PMEM) = OLD_CHANNEL >> 16;

	sim_pfifo_write(s, NV_PFIFO_INTR_EN, 0xbfffffff);
	sim_pfifo_write(s, NV_CACHE1_PUSH0, 1);
	sim_pfifo_write(s, NV_CACHE1_PULL0, 1);
	sim_pfifo_write(s, NV_PFIFO_CACHES, 1);

	/* nouveau blocks all but its own interrupts, and leaves PTHERM's and PDAEMON's on. */
	if (has_daemon(s))
		*sim_reg(s, NV_PMC_INTR_MASK_HOST) = 0x04700100u | 0x000c0000u;
}

/*
 * The kernel was replaced under a driver that ran a channel: PFIFO still fetches, from memory that
 * is now another's. Bus mastering is off, and all interrupts are on.
 */
static void leave_channel(struct nvsim *s)
{
	u32 entry = sim_is_g80(s) ? OLD_CHANNEL >> 12 : OLD_CHANNEL >> 8;

	leave_nouveau(s);

	/* Without REASSIGN, as while a handler runs, the channel needs no playlist. */
	sim_pfifo_write(s, NV_PFIFO_CACHES, 0);
	sim_pfifo_write(s, NV_REG_AT(NV_PFIFO_CHAN_TABLE, OLD_CHID), 1u << 31 | entry);
	sim_pfifo_write(s, NV_CACHE1_DMA_FETCH, 0x403f6078);
	sim_pfifo_write(s, NV_CACHE1_IB_CONFIG, OLD_RING_ORDER << 16);
	sim_pfifo_write(s, NV_CACHE1_IB_PUT, 7);
	if (!sim_is_g80(s))
		sim_pfifo_write(s, NV_CACHE1_CHAN_INST, OLD_CHANNEL >> 12);
	sim_pfifo_write(s, NV_CACHE1_PUSH1, NV_FLD_MASK(NV_CACHE1_PUSH1__MODE_DMA) | OLD_CHID);
	sim_pfifo_write(s, NV_CACHE1_DMA_PUSH, 1);

	sim_pgraph_write(s, NV_PGRAPH_INTR_EN, ~0u);
	GR(s, NV_PGRAPH_INTR) = NV_FLD_MASK(NV_PGRAPH_INTR__TRAP);
	sim_fault_record(s, VMENG_PFIFO, 5, 0, 0, 0x20000000, false);

	if (has_daemon(s)) {
		PF(s, NV_PFIFO_INTR_NRHOST) = NV_FLD_MASK(NV_PFIFO_INTR__NOTIFY);
		PF(s, NV_PFIFO_INTR_EN_NRHOST) = NV_FLD_MASK(NV_PFIFO_INTR__NOTIFY);
		*sim_reg(s, NV_PMC_INTR_EN_NRHOST) = 1;
	}

	*sim_reg(s, NV_PMC_INTR_EN_HOST) = 1;
}

/* Set these states up, after power-up and POST. */
void sim_leftovers_init(struct nvsim *s)
{
	s->too_hot = false;
	if (has_daemon(s))
		*sim_reg(s, NV_PUNK022_PDAEMON_ENABLE) = s->cfg.left != NVSIM_LEFT_DAEMON_OFF;

	if (!s->posted)
		return;

	if (sim_quirk(s, NVSIM_QUIRK_POSTED_IRQS))
		leave_interrupts(s);

	if (s->cfg.left == NVSIM_LEFT_NOUVEAU)
		leave_nouveau(s);
	else if (s->cfg.left == NVSIM_LEFT_CHANNEL)
		leave_channel(s);
	else if (s->cfg.left == NVSIM_LEFT_DAEMON_IRQS && has_daemon(s))
		*sim_reg(s, NV_PDAEMON_IREDIR_STATUS) = 1;
}
