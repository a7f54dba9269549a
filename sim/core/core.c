// SPDX-License-Identifier: MIT
/*
 * The core's frame: creation of a card, dispatch of BAR accesses to the units, interrupts, trace
 * lines. nvsim_run() lets PFIFO and PGRAPH work. Start reading here or in core.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "core.h"
#include "bar.h"
#include "board.h"
#include "command.h"
#include "control.h"
#include "engine.h"
#include "fault.h"
#include "inject.h"
#include "leftovers.h"
#include "mem.h"
#include "methods.h"
#include "missing.h"
#include "mmio.h"
#include "mmu.h"
#include "pbus.h"
#include "pci.h"
#include "pfifo.h"
#include "pflush.h"
#include "pgraph.h"
#include "pmc.h"
#include "posted.h"
#include "ptimer.h"
#include "sources.h"
#include "store.h"
#include "vga.h"
#include "watch.h"

static bool power_of_two(u64 v)
{
	return v && !(v & (v - 1));
}

static bool config_ok(const struct nvsim_config *cfg, char *err, size_t len)
{
	if (!cfg->chipset) {
		snprintf(err, len, "chipset: no name given");
		return false;
	}

	if (!cfg->vram_size || cfg->vram_size % (1 << 20) || cfg->vram_size >= 1ull << 32) {
		snprintf(err, len, "vram_size: %llu is not a multiple of 1 MiB up to 4095 MiB",
			 (unsigned long long)cfg->vram_size);
		return false;
	}

	if (!power_of_two(cfg->bar1_size) || cfg->bar1_size < 1 << 20 ||
	    cfg->bar1_size > 1ull << 36) {
		snprintf(err, len, "bar1_size: %llu is not a power of two from 1 MiB to 64 GiB",
			 (unsigned long long)cfg->bar1_size);
		return false;
	}

	if (!power_of_two(cfg->bar3_size) || cfg->bar3_size < 16 << 20 ||
	    cfg->bar3_size > 1ull << 30) {
		snprintf(err, len, "bar3_size: %llu is not a power of two from 16 MiB to 1 GiB",
			 (unsigned long long)cfg->bar3_size);
		return false;
	}

	if ((unsigned int)cfg->d3_loss >= NVSIM_D3_COUNT) {
		snprintf(err, len, "d3_loss: %d is not a number from 0 to %d", (int)cfg->d3_loss,
			 NVSIM_D3_COUNT - 1);
		return false;
	}

	if ((unsigned int)cfg->left >= NVSIM_LEFT_COUNT) {
		snprintf(err, len, "left: %d is not a number from 0 to %d", (int)cfg->left,
			 NVSIM_LEFT_COUNT - 1);
		return false;
	}

	if ((unsigned int)cfg->engine_context >= NVSIM_ENGINE_CONTEXT_COUNT) {
		snprintf(err, len, "engine_context: %d is not a number from 0 to %d",
			 (int)cfg->engine_context, NVSIM_ENGINE_CONTEXT_COUNT - 1);
		return false;
	}

	if (cfg->quirks >> NVSIM_QUIRK_COUNT) {
		snprintf(err, len, "quirks: %" PRIx64 " has bits above %d", cfg->quirks,
			 NVSIM_QUIRK_COUNT - 1);
		return false;
	}

	if (cfg->tags == 1 || cfg->tags > 4096) {
		snprintf(err, len, "tags: %u is not a number from 2 to 4096", cfg->tags);
		return false;
	}

	return true;
}

static void power_up(struct nvsim *s)
{
	u32 i;

	sim_pmc_init(s);
	sim_vga_init(s);
	sim_pbus_init(s);
	sim_pflush_init(s);
	sim_ptimer_init(s);
	sim_mmu_init(s);
	sim_pfifo_reset(s, true);

	for (i = 1; i < SIM_ENGINES; i++)
		sim_engine_reset(s, i);

	sim_leftovers_init(s);
}

/* PMCSR went from D3hot to D0. */
static void leave_d3(struct nvsim *s)
{
	if (s->cfg.d3_loss == NVSIM_D3_GONE)
		sim_inject_begin(s, NVSIM_INJECT_LOST);

	if (s->cfg.d3_loss == NVSIM_D3_LOST || s->cfg.d3_loss == NVSIM_D3_UNPOSTED) {
		s->posted = s->cfg.d3_loss == NVSIM_D3_LOST;
		sim_store_clear(s);
		sim_board_clear(s);
		sim_mmu_forget(s);
		sim_mem_lose(s);
		sim_pci_init(s);
		power_up(s);
	}

	sim_irq_update(s);
}

static const struct sim_calls calls = {
	.irq_line = sim_pmc_line,
	.tables_changed = sim_mmu_tables_changed,
	.gr_flushed = sim_pgraph_flushed,
	.leave_d3 = leave_d3,
};

/* Create the units from the ground up. */
static int create_units(struct nvsim *s)
{
	static int (*const create[])(struct nvsim *s) = {
		sim_missing_create, sim_methods_create, sim_fault_create, sim_pci_create, sim_store_create,
		sim_vga_create, sim_mem_create, sim_mmu_create, sim_pflush_create, sim_ptimer_create, sim_pfifo_create,
		sim_engine_create, sim_pgraph_create, sim_board_create, sim_sources_create,
		sim_watch_create, sim_posted_create, sim_command_create, sim_control_create,
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(create); i++)
		if (create[i](s))
			return -1;

	return 0;
}

struct nvsim *nvsim_create(const struct nvsim_config *cfg, const struct nvsim_host *host,
			   char *err, size_t err_len)
{
	struct nvsim *s;
	int chip;

	if (!config_ok(cfg, err, err_len))
		return NULL;

	for (chip = 0; chip < NV_CHIP_END; chip++)
		if (!strcasecmp(cfg->chipset, sim_chips[chip].name))
			break;

	if (chip == NV_CHIP_END) {
		snprintf(err, err_len, "chipset: '%s' is none of g80 g84 g86 g92 g94 g96 g98 g200 "
				       "mcp77 mcp79 gt215 gt216 gt218 mcp89", cfg->chipset);
		return NULL;
	}

	s = calloc(1, sizeof(*s));
	if (!s) {
		snprintf(err, err_len, "out of memory");
		return NULL;
	}

	s->cfg = *cfg;
	s->host = *host;
	s->chip = chip;
	s->info = &sim_chips[chip];
	s->calls = &calls;
	s->cfg.chipset = s->info->name;
	if (create_units(s)) {
		snprintf(err, err_len, "out of memory for %llu bytes of VRAM",
			 (unsigned long long)cfg->vram_size);
		nvsim_destroy(s);
		return NULL;
	}

	sim_pci_init(s);
	s->posted = !cfg->not_posted;
	power_up(s);
	return s;
}

void nvsim_destroy(struct nvsim *s)
{
	if (!s)
		return;

	/* These have memory beyond their own structure. */
	sim_watch_destroy(s);
	sim_board_destroy(s);
	sim_pgraph_destroy(s);
	sim_mmu_destroy(s);
	sim_mem_destroy(s);
	sim_store_destroy(s);

	free(s->control);
	free(s->command);
	free(s->posted_writes);
	free(s->sources);
	free(s->engines);
	free(s->pfifo);
	free(s->ptimer);
	free(s->pflush);
	free(s->vga);
	free(s->pci);
	free(s->faults);
	free(s->missing);
	free(s->methods);
	free(s);
}

u64 nvsim_bar_size(struct nvsim *s, unsigned int bar)
{
	switch (bar) {
	case 0:
		return NV_BAR0_SIZE;
	case 1:
		return s->cfg.bar1_size;
	case 3:
		return s->cfg.bar3_size;
	}

	return 0;
}

static bool bar_reached(struct nvsim *s, unsigned int bar, u64 off, size_t size)
{
	u64 bar_size = nvsim_bar_size(s, bar);

	if (off >= bar_size || size > bar_size - off)
		return false;

	sim_inject_poll(s);
	sim_posted_poll(s);
	if (!sim_pci_decodes(s)) {
		sim_violation(s, "BAR%u access at %llx while the card does not decode memory", bar,
			      (unsigned long long)off);
		return false;
	}

	return !sim_lost(s);
}

static bool bar_access_ok(struct nvsim *s, unsigned int bar, u64 off, unsigned int size)
{
	return (size == 1 || size == 2 || size == 4 || size == 8) && bar_reached(s, bar, off, size);
}

static u64 all_ones(unsigned int size)
{
	return size >= 8 ? ~0ull : (1ull << 8 * size) - 1;
}

/* Control pages have registers of 32 bits: a wider access takes two of them in no known order. */
static void check_wide(struct nvsim *s, u64 off)
{
	if (off >= NV_USER_BASE && off < NV_USER_BASE + 128 * NV_USER_BASE__STRIDE)
		sim_violation(s, "access of 8 bytes to %06llx: a channel's page has 32-bit registers",
			      (unsigned long long)off);
}

u64 nvsim_bar_read(struct nvsim *s, unsigned int bar, u64 off, unsigned int size)
{
	if (!bar_access_ok(s, bar, off, size))
		return all_ones(size);

	sim_posted_arrive(s);
	if (bar != 0) {
		if (bar == 1)
			s->st.bar1_reads++;
		else
			s->st.bar3_reads++;
		return sim_aperture_read(s, bar, off, size);
	}

	s->st.mmio_reads++;
	sim_delay_read(s);
	if (size == 8) {
		u64 low;

		check_wide(s, off);
		low = sim_mmio_read(s, off, 4);

		return low | (u64)sim_mmio_read(s, off + 4, 4) << 32;
	}

	return sim_mmio_read(s, off, size);
}

static void mmio_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	if (!sim_delay_write(s, off, val, size))
		sim_mmio_write(s, off, val, size);
}

void nvsim_bar_write(struct nvsim *s, unsigned int bar, u64 off, u64 val, unsigned int size)
{
	if (!bar_access_ok(s, bar, off, size))
		return;

	val &= all_ones(size);
	if (bar != 0) {
		if (bar == 1)
			s->st.bar1_writes++;
		else
			s->st.bar3_writes++;
		sim_posted_arrive(s);
		sim_aperture_write(s, bar, off, val, size);
		return;
	}

	s->st.mmio_writes++;
	if (size == 8) {
		check_wide(s, off);
		mmio_write(s, off, val, 4);
		mmio_write(s, off + 4, val >> 32, 4);
		return;
	}

	mmio_write(s, off, val, size);
}

/* Size of the next aligned access of a block */
static unsigned int access_size(u64 off, size_t left)
{
	unsigned int size = 8;

	while (size > left || (off & (size - 1)))
		size /= 2;
	return size;
}

void nvsim_bar_read_block(struct nvsim *s, unsigned int bar, u64 off, void *buf, size_t len)
{
	u8 *p = buf;

	if (bar == 0 || !len || !bar_reached(s, bar, off, len)) {
		memset(buf, 0xff, len);
		return;
	}

	sim_posted_arrive(s);
	if (bar == 1)
		s->st.bar1_reads++;
	else
		s->st.bar3_reads++;

	if (sim_aperture_plain(s, bar)) {
		sim_aperture_block(s, bar, off, p, len, false);
		return;
	}

	while (len) {
		unsigned int n = access_size(off, len), i;
		u64 v = sim_aperture_read(s, bar, off, n);

		for (i = 0; i < n; i++)
			p[i] = v >> 8 * i;
		off += n;
		p += n;
		len -= n;
	}
}

static void write_part(struct nvsim *s, unsigned int bar, u64 off, const u8 *p, size_t len)
{
	if (sim_aperture_plain(s, bar)) {
		/* A write does not change the buffer, so the cast is safe. */
		sim_aperture_block(s, bar, off, (u8 *)p, len, true);
		return;
	}

	while (len) {
		unsigned int n = access_size(off, len), i;
		u64 v = 0;

		for (i = 0; i < n; i++)
			v |= (u64)p[i] << 8 * i;
		sim_aperture_write(s, bar, off, v, n);
		off += n;
		p += n;
		len -= n;
	}
}

static bool start_block_write(struct nvsim *s, unsigned int bar, u64 off, size_t len)
{
	if (bar == 0 || !len || !bar_reached(s, bar, off, len))
		return false;

	sim_posted_arrive(s);
	if (bar == 1)
		s->st.bar1_writes++;
	else
		s->st.bar3_writes++;
	return true;
}

void nvsim_bar_write_block(struct nvsim *s, unsigned int bar, u64 off, const void *buf, size_t len)
{
	if (start_block_write(s, bar, off, len))
		write_part(s, bar, off, buf, len);
}

void nvsim_bar_fill(struct nvsim *s, unsigned int bar, u64 off, u8 byte, size_t len)
{
	u8 page[0x1000];
	size_t n;

	if (!start_block_write(s, bar, off, len))
		return;

	memset(page, byte, sizeof(page));

	for (; len; off += n, len -= n) {
		n = sizeof(page) - (off & (sizeof(page) - 1));
		if (n > len)
			n = len;
		write_part(s, bar, off, page, n);
	}
}

/* The accesses of a usual step at most: of a word, a semaphore, or a part of a copy */
#define STEP_ACCESSES	8

u64 nvsim_run(struct nvsim *s, unsigned int budget)
{
	u64 next, deadline, stalled, due, posted, injected = sim_inject_poll(s);
	unsigned int spent = 0;

	posted = sim_posted_poll(s);
	if (posted < injected)
		injected = posted;
	if (sim_lost(s) || sim_pci_asleep(s))
		return injected;

	next = sim_ptimer_poll(s);
	if (injected < next)
		next = injected;

	due = sim_sources_poll(s);
	if (due < next)
		next = due;

	do {
		bool worked;

		stalled = sim_stalled(s);
		if (stalled)
			return stalled < next ? stalled : next;

		s->accesses = 0;
		worked = sim_pgraph_step(s);
		if (sim_pfifo_step(s) != STEP_DONE && !worked) {
			deadline = sim_pfifo_deadline(s);
			return deadline < next ? deadline : next;
		}
		/* A step with many accesses to memory counts as that many steps. */
		spent += s->accesses > STEP_ACCESSES ? s->accesses : 1;
	} while (spent < budget);
	return 0;
}

void nvsim_get_stats(const struct nvsim *s, struct nvsim_stats *st)
{
	*st = s->st;
}

void nvsim_get_lookups(const struct nvsim *s, struct nvsim_lookups *lookups)
{
	*lookups = s->seen;
}
