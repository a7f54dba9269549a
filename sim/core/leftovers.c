// SPDX-License-Identifier: MIT
/*
 * State that the firmware or an earlier driver has left. The display, GPIO lines and the thermal
 * sensor raise interrupts. PDAEMON keeps interrupts from the host, and PFIFO still runs a channel.
 *
 * The model of the display, PNVIO and PDAEMON ends there: it has their interrupts and no more.
 */
#include "core.h"
#include "leftovers.h"
#include "mem.h"
#include "mmu.h"
#include "pbus.h"
#include "pfifo.h"
#include "pgraph.h"
#include "pmc.h"
#include "sources.h"
#include "store.h"

/* As nouveau writes it: supervisor and VGA, and the two vertical blanks */
#define DISPLAY_INTRS	(0x00000370u | SIM_VBLANK)

/* The channel that kexec did not end, and its memory */
#define OLD_CHID	3
#define OLD_CHANNEL	0x00200000u
#define OLD_RING_ORDER	9

/* Interrupts that the firmware left enabled, all pending */
static void leave_interrupts(struct nvsim *s)
{
	*sim_reg(s, NV_PTIMER_INTR_EN) = 1;
	*sim_reg(s, NV_PTIMER_INTR) = NV_FLD_MASK(NV_PTIMER_INTR__ALARM);

	*sim_reg(s, NV_PBUS_INTR_EN) = NV_FLD_MASK(NV_PBUS_INTR__MMIO_FAULT) |
				       NV_FLD_MASK(NV_PBUS_INTR__THERM);
	*sim_reg(s, NV_PBUS_INTR) = NV_FLD_MASK(NV_PBUS_INTR__THERM);
	sim_sources_set_hot(s, true);

	*sim_reg(s, NV_PDISPLAY_INTR_EN_0) = 0x1f;
	*sim_reg(s, NV_PDISPLAY_INTR_EN_1) = DISPLAY_INTRS;
	*sim_reg(s, NV_PDISPLAY_INTR_0) = 1;
	*sim_reg(s, NV_PDISPLAY_INTR_1) = SIM_VBLANK;

	*sim_reg(s, NV_PNVIO_GPIO_INTR_EN_0) = ~0u;
	*sim_reg(s, NV_PNVIO_GPIO_INTR_0) = SIM_PLUG_RISES;
	if (s->chip >= NV_CHIP_G94) {
		*sim_reg(s, NV_PNVIO_GPIO_INTR_EN_1) = ~0u;
		*sim_reg(s, NV_PNVIO_GPIO_INTR_1) = SIM_PLUG_FALLS;
	}

	if (sim_has_auxch(s)) {
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
	if (sim_has_daemon(s))
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
	*sim_reg(s, NV_PGRAPH_INTR) = NV_FLD_MASK(NV_PGRAPH_INTR__TRAP);
	sim_fault_record(s, VMENG_PFIFO, 5, 0, 0, 0x20000000, false);

	if (sim_has_daemon(s)) {
		*sim_reg(s, NV_PFIFO_INTR_NRHOST) = NV_FLD_MASK(NV_PFIFO_INTR__NOTIFY);
		*sim_reg(s, NV_PFIFO_INTR_EN_NRHOST) = NV_FLD_MASK(NV_PFIFO_INTR__NOTIFY);
		*sim_reg(s, NV_PMC_INTR_EN_NRHOST) = 1;
	}

	*sim_reg(s, NV_PMC_INTR_EN_HOST) = 1;
}

/* Set these states up, after power-up and POST. */
void sim_leftovers_init(struct nvsim *s)
{
	sim_sources_set_hot(s, false);
	if (sim_has_daemon(s))
		*sim_reg(s, NV_PUNK022_PDAEMON_ENABLE) = s->cfg.left != NVSIM_LEFT_DAEMON_OFF;

	if (!s->posted)
		return;

	if (sim_quirk(s, NVSIM_QUIRK_POSTED_IRQS))
		leave_interrupts(s);

	if (s->cfg.left == NVSIM_LEFT_NOUVEAU)
		leave_nouveau(s);
	else if (s->cfg.left == NVSIM_LEFT_CHANNEL)
		leave_channel(s);
	else if (s->cfg.left == NVSIM_LEFT_DAEMON_IRQS && sim_has_daemon(s))
		*sim_reg(s, NV_PDAEMON_IREDIR_STATUS) = 1;
}
