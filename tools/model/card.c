// SPDX-License-Identifier: MIT
/* The card itself: its memory, its registers, its start, and its work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_priv.h"
#include "priv.h"

#define MIB		(1ULL << 20)
/* Time that a step takes; only the order of times has a meaning. */
#define STEP_NS		40
/* Steps without a watcher, between two looks at the interrupt */
#define STEPS		256

/* --- Callbacks of the model ---------------------------------------------- */

void *model_system(struct model *m, __u64 at)
{
	return m->memory + MODEL_VRAM + at;
}

static void *system_range(struct model *m, __u64 address, size_t len)
{
	if (address < MODEL_SYSTEM_BASE || address - MODEL_SYSTEM_BASE >= MODEL_SYSTEM ||
	    len > MODEL_SYSTEM - (address - MODEL_SYSTEM_BASE))
		return NULL;

	return model_system(m, address - MODEL_SYSTEM_BASE);
}

static int dma_read(void *ctx, uint64_t address, void *buf, size_t len)
{
	const void *from = system_range(ctx, address, len);

	if (!from)
		return -1;

	memcpy(buf, from, len);

	return 0;
}

static int dma_write(void *ctx, uint64_t address, const void *buf, size_t len)
{
	void *to = system_range(ctx, address, len);

	if (!to)
		return -1;

	memcpy(to, buf, len);

	return 0;
}

static void intx(void *ctx, bool level)
{
	((struct model *)ctx)->line = level;
}

/* The card sends no MSI, as no program enables it. */
static void msi(void *ctx, uint64_t address, uint32_t data)
{
	(void)ctx;
	(void)address;
	(void)data;
}

static uint64_t time_ns(void *ctx)
{
	return ((struct model *)ctx)->now;
}

static void trace(void *ctx, const char *line)
{
	const struct model *m = ctx;

	if (m->watcher && m->watcher->trace)
		m->watcher->trace(m->watcher->ctx, line);
}

static void violation(void *ctx, const char *line)
{
	struct model *m = ctx;

	m->violations++;
	fprintf(stderr, "nvfifo: the model objects: %s\n", line);
}

__u64 model_time(const struct model *m)
{
	return m->now;
}

unsigned int model_violations(const struct model *m)
{
	return m->violations;
}

bool model_missing(const struct model *m, unsigned int n, struct nvsim_missing *missing)
{
	return nvsim_get_missing(m->sim, n, missing);
}

void model_print_missing(const struct model *m, const char *prefix)
{
	char text[NVSIM_MISSING_TEXT];
	struct nvsim_missing missing;
	unsigned int i;

	for (i = 0; nvsim_get_missing(m->sim, i, &missing); i++)
		fprintf(stderr, "%sthe model did not do: %s\n", prefix,
			nvsim_missing_text(&missing, text, sizeof(text)));
}

/* --- Registers and VRAM -------------------------------------------------- */

__u32 model_read(struct model *m, __u32 reg)
{
	return (__u32)nvsim_bar_read(m->sim, 0, reg, 4);
}

void model_write(struct model *m, __u32 reg, __u32 value)
{
	nvsim_bar_write(m->sim, 0, reg, value, 4);
}

__u32 model_mask(struct model *m, __u32 reg, __u32 clear, __u32 set)
{
	__u32 old = model_read(m, reg);

	model_write(m, reg, (old & ~clear) | set);

	return old;
}

static __u32 port_read(void *card, __u32 reg)
{
	return model_read(card, reg);
}

static void port_write(void *card, __u32 reg, __u32 value)
{
	model_write(card, reg, value);
}

static __u32 port_vram_read(void *card, __u64 address)
{
	return model_vram_read(card, address);
}

static void port_vram_write(void *card, __u64 address, __u32 value)
{
	model_vram_write(card, address, value);
}

/* Access for the functions that the driver shares */
struct nvfifo_port model_port(struct model *m)
{
	const struct nvfifo_port port = {
		.card = m,
		.chip = m->chip,
		.read = port_read,
		.write = port_write,
		.vram_read = port_vram_read,
		.vram_write = port_vram_write,
	};

	return port;
}

/* Through the PRAMIN window, as the driver does it */
__u32 model_vram_read(struct model *m, __u64 address)
{
	model_write(m, NV_PBUS_HOST_MEM_PMEM, (__u32)(address >> 16));

	return model_read(m, NV_PMEM_WINDOW + (address & 0xffff));
}

void model_vram_write(struct model *m, __u64 address, __u32 value)
{
	model_write(m, NV_PBUS_HOST_MEM_PMEM, (__u32)(address >> 16));
	model_write(m, NV_PMEM_WINDOW + (address & 0xffff), value);
}

void model_bar_flush(struct model *m)
{
	__u32 reg = NV_PFLUSH_BAR_FLUSH;

	if (!m->g84)
		reg = NV_CACHE1_FLUSH_CTRL_G80;
	model_write(m, reg, 1);
}

static void tlb_flush(struct model *m, unsigned int engine)
{
	model_write(m, NV_PFB_TLB_FLUSH, nvfifo_tlb_flush_value(engine));
	while (model_read(m, NV_PFB_TLB_FLUSH) & NVFIFO_TLB_FLUSH_TRIGGER)
		nvsim_run(m->sim, 1);
}

/* The engines that may know translations. PGRAPH is idle: nothing is mapped while it works. */
void model_tlb_flush(struct model *m)
{
	tlb_flush(m, NVFIFO_VM_PFIFO);
	if (m->gr_up)
		tlb_flush(m, NVFIFO_VM_PGRAPH);
}

/* --- Start --------------------------------------------------------------- */

static int find_chip(struct model *m)
{
	const struct nvfifo_chip *chip = nvfifo_chip_find(model_read(m, NV_PMC_BOOT_0));

	if (!chip)
		return -ENODEV;

	m->facts = chip;
	m->boot_0 = model_read(m, NV_PMC_BOOT_0);
	m->chipset = chip->id;
	m->chip = chip->chip;
	m->g84 = chip->g84;
	m->igp = chip->igp;

	return 0;
}

static void start_units(struct model *m)
{
	__u32 tag;

	model_write(m, NV_PMC_INTR_EN_HOST, 0);
	model_write(m, NV_PMC_ENABLE, ~0u);
	/* As the driver starts PTIMER with this model's crystal of 27 MHz: it counts ns. */
	model_write(m, NV_PTIMER_CLOCK_SOURCE, 2);
	model_write(m, NV_PTIMER_CLOCK_DIV, 324);
	model_write(m, NV_PTIMER_CLOCK_MUL, 125);

	model_write(m, NV_PFB_VM_FAULT,
		    m->facts->vm_fault_enable | NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING));
	if (m->igp) {
		m->igp_base = (__u64)model_read(m, NV_PFB_FAKEFB_BASE) << 12;
		return;
	}

	/* The register holds the last cell, and a PTE has 12 bits for it. */
	tag = model_read(m, NV_PFB_COMP_MAX_TAG);
	if (tag)
		m->tags = (tag < 0xfff ? tag : 0xfff) + 1;
}

static void start_pfifo(struct model *m)
{
	const struct nvfifo_port port = model_port(m);
	__u32 pfifo = NV_FLD_MASK(NV_PMC_ENABLE__PFIFO), intr = ~0u;

	if (!m->g84)
		intr &= ~(__u32)NV_PFIFO_INTR_EN__NOTIFY;
	model_mask(m, NV_PMC_ENABLE, pfifo, 0);
	model_mask(m, NV_PMC_ENABLE, pfifo, pfifo);
	nvfifo_pfifo_start(&port, m->playlist);
	model_write(m, NV_PFIFO_INTR_EN, intr);
	model_write(m, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
	model_write(m, NV_PMC_INTR_EN_HOST, 1);
}

/* Reset PGRAPH and upload its context program, before the first of its objects. */
void model_gr_start(struct model *m)
{
	__u32 program[NVFIFO_GRCTX_PROGRAM_MAX];
	__u32 unit = NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH);

	if (m->gr_up)
		return;

	if (m->g84)
		unit |= NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH_CTXSW);
	model_mask(m, NV_PMC_ENABLE, unit, 0);
	model_mask(m, NV_PMC_ENABLE, unit, unit);
	m->gr.chip = m->chip;
	m->gr.units = model_read(m, NV_PBUS_HWUNITS_0);
	m->gr.gddr5 = (model_read(m, NV_PFB_RAM_TYPE) & 7) == 4;
	nvfifo_grctx_init(&m->gr, program, nvfifo_grctx_program(&m->gr, program), port_write, m);
	if (m->chip >= NV_CHIP_GT215)
		model_mask(m, NV_PMC_INTR_MASK_HOST, 0,
			   NV_FLD_MASK(NV_PMC_INTR_MASK_HOST__PGRAPH));
	m->gr_up = true;
}

/**
 * model_card_start() - Make the card and start its units
 * @m: the model, cleared
 * @chipset: its name
 *
 * Return: 0, or a negative errno with nvfifo_last_error().
 */
int model_card_start(struct model *m, const char *chipset)
{
	struct nvsim_config cfg = {
		.chipset = chipset,
		.vram_size = MODEL_VRAM,
		.bar1_size = 256 * MIB,
		.bar3_size = 32 * MIB,
	};
	const struct nvsim_host host = {
		.ctx = m,
		.dma_read = dma_read,
		.dma_write = dma_write,
		.intx = intx,
		.msi = msi,
		.time_ns = time_ns,
		.trace = trace,
		.violation = violation,
	};
	char why[200];
	int ret = model_pages_get(m);

	if (ret)
		return ret;

	cfg.vram = m->memory;
	cfg.trace_mthd = m->watcher && m->watcher->trace;
	m->now = 1000000;
	m->sim = nvsim_create(&cfg, &host, why, sizeof(why));
	if (!m->sim)
		return nvfifo_error(-EINVAL, "the model refuses: %s", why);

	nvsim_cfg_write(m->sim, 4, 6, 2);	/* memory space, bus master */
	ret = find_chip(m);
	if (ret)
		return nvfifo_error(ret, "the model is not a card of this family");

	/* The first megabyte is the firmware's; instance memory lies at the end. */
	m->vram_next = MIB;
	m->inst_next = MODEL_VRAM - MIB;
	m->system_next = 0x10000;
	start_units(m);
	m->playlist = model_inst_alloc(m, 0x2000);
	start_pfifo(m);

	return 0;
}

void model_card_stop(struct model *m)
{
	if (m->sim)
		nvsim_destroy(m->sim);
	model_pages_put(m);
}

/* --- Work ---------------------------------------------------------------- */

/* Take the doorbells that owners of user queues have written to their control pages. */
static bool ring_doorbells(struct model *m)
{
	bool rung = false;
	__u32 i;

	for (i = NVFIFO_CHAN_MIN; i <= NVFIFO_CHAN_MAX; i++) {
		struct model_channel *c = &m->channels[i];
		__u32 *page, put;

		if (!c->used || !c->user_queue || c->dead)
			continue;

		page = model_system(m, c->control_at);
		put = page[NVFIFO_CONTROL_IB_PUT / 4];
		if (put == c->control_put)
			continue;

		c->control_put = put;
		model_write(m, NV_REG_AT(NV_USER_BASE, i) + NV_USER_IB_PUT, put);
		rung = true;
	}

	return rung;
}

static __u64 run_sim(struct model *m)
{
	unsigned int steps = STEPS;
	__u64 idle;

	if (m->watcher && m->watcher->budget)
		steps = m->watcher->budget;
	idle = nvsim_run(m->sim, steps);
	m->now += (__u64)steps * STEP_NS;
	if (m->watcher && m->watcher->stepped && !m->watcher->stepped(m->watcher->ctx))
		m->stopped = true;

	return idle;
}

/**
 * model_work() - Let the card work until something has happened
 * @m: the model
 * @done: whether it has; NULL lets the card work until it has nothing to do
 * @arg: for @done
 * @timeout_ns: longest time, of the card's
 *
 * Return: true if @done says so; without it, true if the card has nothing to do.
 */
bool model_work(struct model *m, bool (*done)(void *arg), void *arg, __s64 timeout_ns)
{
	__u64 until = m->now + (__u64)timeout_ns;

	if (timeout_ns < 0)
		until = UINT64_MAX;

	while (!m->stopped) {
		bool handled = ring_doorbells(m);
		__u64 idle = run_sim(m);

		handled |= m->line && model_interrupts(m);
		handled |= model_fences_process(m);
		handled |= model_jobs_start(m);
		if (done && done(arg))
			return true;

		if (handled || (!idle && m->now < until))
			continue;

		/* Only time can change the state, if anything can. */
		if (idle == UINT64_MAX || idle >= until - m->now || m->now >= until) {
			if (done && until != UINT64_MAX && m->now < until)
				m->now = until;
			return !done && idle == UINT64_MAX;
		}

		m->now += idle;
	}

	return false;
}

void model_position(struct model *m, struct model_position *p)
{
	struct nvsim_stats stats;
	__u32 id = NV_FLD_GET(NV_CACHE1_PUSH1__CHID, model_read(m, NV_CACHE1_PUSH1));

	nvsim_get_stats(m->sim, &stats);
	memset(p, 0, sizeof(*p));
	if (id <= NVFIFO_CHAN_MAX)
		p->channel = id;
	p->ib_get = model_read(m, NV_CACHE1_IB_GET);
	p->ib_put = model_read(m, NV_CACHE1_IB_PUT);
	p->get = model_read(m, NV_CACHE1_DMA_GET) |
		 (__u64)model_read(m, NV_CACHE1_DMA_GET_HIGH) << 32;
	p->put = model_read(m, NV_CACHE1_DMA_PUT) |
		 (__u64)model_read(m, NV_CACHE1_DMA_PUT_HIGH) << 32;
	p->dma_state = model_read(m, NV_CACHE1_DMA_STATE);
	p->left = model_read(m, NV_CACHE1_METHOD_COUNT);
	p->cached = ((model_read(m, NV_CACHE1_PUT) - model_read(m, NV_CACHE1_GET)) & 0xffc) / 4;
	p->ref = model_read(m, NV_CACHE1_REF);
	p->pull0 = model_read(m, NV_CACHE1_PULL0);
	p->words = stats.words;
	p->methods = stats.methods;
}

void model_lookups(const struct model *m, struct nvsim_lookups *lookups)
{
	nvsim_get_lookups(m->sim, lookups);
}

unsigned int model_cache(struct model *m, struct model_cached cache[MODEL_CACHE])
{
	__u32 at = model_read(m, NV_CACHE1_GET) / 4, end = model_read(m, NV_CACHE1_PUT) / 4;
	unsigned int count = 0;

	for (; (at & (2 * MODEL_CACHE - 1)) != (end & (2 * MODEL_CACHE - 1)) && count < MODEL_CACHE; at++) {
		const __u32 slot = at & (MODEL_CACHE - 1);

		cache[count].method = model_read(m, NV_REG_AT(NV_CACHE1_CACHE_MTHD, slot));
		cache[count++].data = model_read(m, NV_REG_AT(NV_CACHE1_CACHE_DATA, slot));
	}

	return count;
}

__u32 model_register(struct model *m, __u32 reg)
{
	return model_read(m, reg);
}
