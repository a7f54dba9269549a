/* SPDX-License-Identifier: MIT */
/*
 * The rig of the model's tests: a model on the host without transport or guest.
 *
 * The rig has host memory, a clock that the test advances, the last violation, and enough of
 * a driver to bring up channels. It builds the card's structures from the hardware
 * documents, not with the driver's code. RIG_VERBOSE=1 in the environment prints the trace.
 */
#ifndef SIM_TESTS_RIG_H
#define SIM_TESTS_RIG_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../nvsim.h"
#include "../nvsim_ctl.h"
#include "../../tests/tap.h"
#include "../../hw/nvfifo_reg_table.h"

#define RAM_BASE	0x10000000ull
#ifdef RIG_ALL_CHANNELS
#define RAM_SIZE	(36u << 20)
#else
#define RAM_SIZE	(4u << 20)	/* enough for 15 channels */
#endif
#define VRAM_SIZE	(64u << 20)

/* Layout of VRAM */
#define BAR_CHAN	0x00100000u
#define PLAYLIST_A	0x00180000u
#define PLAYLIST_B	0x00181000u
#define CHAN_BASE(n)	(0x00200000u + (n) * 0x40000u)
#define CHAN_DMAOBJ	0x8000u		/* objects, 32 bytes apart */
#define CHAN_RAMHT	0x10000u
#define CHAN_RAMFC_G84	0x6000u
#define CHAN_CACHE_G84	0x7000u
#ifdef RIG_ALL_CHANNELS
#define PT_BASE(n)	(0x02200000u + (n) * 0x20000u)
#else
#define PT_BASE(n)	(0x01000000u + (n) * 0x20000u)
#endif

/* Layout of a channel's address space */
#define VA_RING		0x00100000u
#define VA_PUSH		0x00110000u
#define VA_SEM		0x00140000u
#define RING_ORDER	6

#define H_SEM		0xbeef0201u

/*
 * How many rounds of a test with random inputs to run: one in ten, or all with NVSIM_ROUNDS=all in
 * the environment.
 */
static inline unsigned int rig_rounds(unsigned int all)
{
	const char *env = getenv("NVSIM_ROUNDS");

	return env && !strcmp(env, "all") ? all : all / 10;
}

struct rig {
	struct nvsim *sim;
	uint8_t *ram;
	uint64_t now;
	bool intx;
	unsigned int msis;
	unsigned int violations;
	const char *tolerate;	/* violations with this text do not count */
	char last_violation[400];
	char last_trace[400];
	unsigned int traces;
	bool g80, gt215, mcp89, verbose;	/* gt215: or later */
	bool playlist_other;
	unsigned int ib_put[128];
	uint32_t push_at[128];
};

static int rig_dma_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct rig *r = ctx;

	if (addr < RAM_BASE || addr - RAM_BASE >= RAM_SIZE || len > RAM_SIZE - (addr - RAM_BASE))
		return -1;
	memcpy(buf, r->ram + (addr - RAM_BASE), len);
	return 0;
}

static int rig_dma_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
	struct rig *r = ctx;

	if (addr < RAM_BASE || addr - RAM_BASE >= RAM_SIZE || len > RAM_SIZE - (addr - RAM_BASE))
		return -1;
	memcpy(r->ram + (addr - RAM_BASE), buf, len);
	return 0;
}

static void rig_intx(void *ctx, bool level)
{
	((struct rig *)ctx)->intx = level;
}

static void rig_msi(void *ctx, uint64_t addr, uint32_t data)
{
	(void)addr;
	(void)data;
	((struct rig *)ctx)->msis++;
}

static uint64_t rig_time(void *ctx)
{
	return ((struct rig *)ctx)->now;
}

static void rig_wait(void *ctx, uint64_t ns)
{
	((struct rig *)ctx)->now += ns;
}

static void rig_trace(void *ctx, const char *line)
{
	struct rig *r = ctx;

	r->traces++;
	snprintf(r->last_trace, sizeof(r->last_trace), "%s", line);
	if (r->verbose)
		printf("# %s\n", line);
}

static void rig_violation(void *ctx, const char *line)
{
	struct rig *r = ctx;

	if (r->tolerate && strstr(line, r->tolerate))
		return;
	r->violations++;
	snprintf(r->last_violation, sizeof(r->last_violation), "%s", line);
	if (r->verbose)
		printf("# VIOLATION %s\n", line);
}

static inline uint32_t rd(struct rig *r, uint32_t off)
{
	return nvsim_bar_read(r->sim, 0, off, 4);
}

static inline void wr(struct rig *r, uint32_t off, uint32_t val)
{
	nvsim_bar_write(r->sim, 0, off, val, 4);
}

static inline void run(struct rig *r)
{
	while (!nvsim_run(r->sim, 1000))
		;
}

/* Write through the PMEM window, as a driver does. */
static inline void vwr(struct rig *r, uint32_t addr, uint32_t val)
{
	wr(r, NV_PBUS_HOST_MEM_PMEM, addr >> 16);
	wr(r, NV_PMEM_WINDOW + (addr & 0xffff), val);
}

static inline uint32_t vrd(struct rig *r, uint32_t addr)
{
	wr(r, NV_PBUS_HOST_MEM_PMEM, addr >> 16);
	return rd(r, NV_PMEM_WINDOW + (addr & 0xffff));
}

/* Read VRAM directly: the model does not notice. */
static inline uint32_t peek(struct rig *r, uint32_t addr)
{
	uint8_t b[4] = { 0 };

	nvsim_vram_read(r->sim, addr, b, 4);
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void bar_flush(struct rig *r)
{
	wr(r, r->g80 ? NV_CACHE1_FLUSH_CTRL_G80 : NV_PFLUSH_BAR_FLUSH, 1);
}

static inline void tlb_flush(struct rig *r, unsigned int engine)
{
	wr(r, NV_PFB_TLB_FLUSH, engine << 16 | 1);
}

static inline uint32_t ram32(struct rig *r, uint32_t off)
{
	const uint8_t *p = r->ram + off;

	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void ram_set(struct rig *r, uint32_t off, uint32_t v)
{
	uint8_t *p = r->ram + off;

	p[0] = v;
	p[1] = v >> 8;
	p[2] = v >> 16;
	p[3] = v >> 24;
}

static inline void ctl(struct rig *r, uint32_t cmd, uint32_t arg)
{
	nvsim_cfg_write(r->sim, NVSIM_CTL_ARG, arg, 4);
	nvsim_cfg_write(r->sim, NVSIM_CTL_CMD, cmd, 4);
}

static inline uint32_t ctl_result(struct rig *r)
{
	return nvsim_cfg_read(r->sim, NVSIM_CTL_RESULT, 4);
}

/* Whether exactly one violation came since the last call, with @text in it */
static inline bool violated(struct rig *r, const char *text)
{
	bool ok = r->violations == 1 && strstr(r->last_violation, text);

	if (!ok)
		printf("# %u violations, last: %s\n", r->violations, r->last_violation);
	r->violations = 0;
	r->last_violation[0] = 0;
	return ok;
}

static inline bool clean(struct rig *r)
{
	bool ok = !r->violations;

	if (!ok)
		printf("# %u violations, last: %s\n", r->violations, r->last_violation);
	r->violations = 0;
	return ok;
}

static inline void rig_destroy(struct rig *r)
{
	nvsim_destroy(r->sim);
	free(r->ram);
	free(r);
}

static struct rig *rig_create_cfg(struct nvsim_config *cfg)
{
	struct nvsim_host host = {
		.dma_read = rig_dma_read,
		.dma_write = rig_dma_write,
		.intx = rig_intx,
		.msi = rig_msi,
		.time_ns = rig_time,
		.wait_ns = rig_wait,
		.trace = rig_trace,
		.violation = rig_violation,
	};
	struct rig *r = calloc(1, sizeof(*r));
	char err[200];

	host.ctx = r;
	r->ram = calloc(1, RAM_SIZE);
	r->now = 1000000;
	r->verbose = getenv("RIG_VERBOSE") != NULL;
	if (r->verbose)
		cfg->trace_mthd = true;
	r->g80 = !strcmp(cfg->chipset, "g80");
	r->mcp89 = !strcmp(cfg->chipset, "mcp89");
	r->gt215 = r->mcp89 || !strncmp(cfg->chipset, "gt21", 4);
	r->sim = nvsim_create(cfg, &host, err, sizeof(err));
	if (!r->sim) {
		printf("Bail out! %s\n", err);
		exit(1);
	}

	nvsim_cfg_write(r->sim, 4, 6, 2);
	return r;
}

static inline struct rig *rig_create(const char *chipset)
{
	struct nvsim_config cfg = {
		.chipset = chipset,
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
	};

	return rig_create_cfg(&cfg);
}

/* Take all units out of reset and set PTIMER to the rate of a 27 MHz crystal, as drivers do. */
static inline void rig_units_on(struct rig *r)
{
	wr(r, NV_PMC_ENABLE, ~0u);
	wr(r, NV_PTIMER_CLOCK_SOURCE, 2);
	wr(r, NV_PTIMER_CLOCK_DIV, 324);
	wr(r, NV_PTIMER_CLOCK_MUL, 125);
	wr(r, NV_PTIMER_TIME_HIGH, (uint32_t)(r->now >> 32));
	wr(r, NV_PTIMER_TIME_LOW, (uint32_t)r->now);
}

/* Reset PFIFO and start it with an empty playlist, interrupts on. */
static inline void rig_init_pfifo(struct rig *r)
{
	unsigned int i;

	rig_units_on(r);
	wr(r, NV_PMC_ENABLE, ~0x100u);
	wr(r, NV_PMC_ENABLE, ~0u);
	wr(r, NV_PFIFO_INTR, ~0u);
	wr(r, NV_PGRAPH_CONTROL, 0x10001);	/* PGRAPH takes methods */

	for (i = 0; i < 128; i++)
		wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, i), 0);
	wr(r, NV_CACHE1_PLAYLIST, PLAYLIST_A >> 12);
	wr(r, NV_CACHE1_PLAYLIST_LEN, 0);
	wr(r, NV_CACHE1_PUSH1, 0);
	wr(r, NV_CACHE1_PUSH0, 1);
	wr(r, NV_CACHE1_PULL0, 1);
	wr(r, NV_PFIFO_INTR_EN, 0x40101051);
	wr(r, NV_PFIFO_CACHES, 1);
	wr(r, NV_PMC_INTR_EN_HOST, 1);
}

static inline uint32_t pd_offset(struct rig *r)
{
	return r->g80 ? 0x1400 : 0x200;
}

static inline uint32_t ramfc(struct rig *r, unsigned int n)
{
	return CHAN_BASE(n) + (r->g80 ? 0 : CHAN_RAMFC_G84);
}

static inline void put_dmaobj(struct rig *r, uint32_t at, uint32_t w0, uint64_t start,
			      uint64_t limit)
{
	vwr(r, at, w0);
	vwr(r, at + 4, limit);
	vwr(r, at + 8, start);
	vwr(r, at + 12, (limit >> 32) << 24 | (start >> 32));
	vwr(r, at + 16, 0);
	vwr(r, at + 20, 0);
}

/* A 4 KiB page of the first 32 MiB of channel @n's address space */
static inline void map_raw(struct rig *r, unsigned int n, uint32_t va, uint64_t pte)
{
	uint32_t at = PT_BASE(n) + (va >> 12) * 8;

	vwr(r, at, pte);
	vwr(r, at + 4, pte >> 32);
}

static inline void map_ram(struct rig *r, unsigned int n, uint32_t va, uint32_t off)
{
	map_raw(r, n, va, (RAM_BASE + off) | 0x21);
}

static inline void map_vram(struct rig *r, unsigned int n, uint32_t va, uint32_t addr)
{
	map_raw(r, n, va, addr | 1);
}

/* Host memory of channel @n's ring, push buffer and semaphore page */
#define RAM_RING(n)	((n) * 0x40000u)
#define RAM_PUSH(n)	(RAM_RING(n) + 0x10000u)
#define RAM_SEM		(RAM_SIZE - 0x10000u)

static inline void ramht_insert(struct rig *r, unsigned int n, unsigned int slot, uint32_t handle,
				uint32_t context)
{
	uint32_t at = CHAN_BASE(n) + CHAN_RAMHT + slot * 8;

	vwr(r, at, handle);
	vwr(r, at + 4, context);
}

/* 9-bit XOR hash, as the table has 512 entries */
static inline unsigned int hash9(uint32_t h)
{
	unsigned int v = 0;

	for (; h; h >>= 9)
		v ^= h & 0x1ff;
	return v;
}

static inline void channel_tables(struct rig *r, unsigned int n)
{
	uint32_t pd = CHAN_BASE(n) + pd_offset(r), i;

	/* one page table, PT_SIZE 3: 32 MiB */
	vwr(r, pd, PT_BASE(n) | 0x63);
	vwr(r, pd + 4, 0);

	for (i = 0; i < 0x40; i++)
		map_ram(r, n, VA_RING + i * 0x1000, RAM_RING(n) + i * 0x1000);
	map_ram(r, n, VA_SEM, RAM_SEM);
	put_dmaobj(r, CHAN_BASE(n) + CHAN_DMAOBJ, 0x7fc0003d, 0, 0xffffffffff);
	put_dmaobj(r, CHAN_BASE(n) + CHAN_DMAOBJ + 0x20, 0x7fc0003d, VA_SEM, VA_SEM + 0xffff);
	ramht_insert(r, n, hash9(H_SEM), H_SEM, (CHAN_DMAOBJ + 0x20) >> 4);
}

static inline void channel_ramfc(struct rig *r, unsigned int n, bool ib)
{
	uint32_t fc = ramfc(r, n), i;

	for (i = 0; i < 0xa4; i += 4)
		vwr(r, fc + i, 0);
	vwr(r, fc + 0x3c, ib ? 0x403f6078 : 0x003f6078);
	vwr(r, fc + 0x44, 0x01003fff);
	vwr(r, fc + 0x48, CHAN_DMAOBJ >> 4);
	if (ib) {
		vwr(r, fc + 0x50, VA_RING);
		vwr(r, fc + 0x54, RING_ORDER << 16);
	} else {
		vwr(r, fc + 0x08, VA_PUSH);
		vwr(r, fc + 0x10, VA_PUSH);
		vwr(r, fc + 0x4c, 0xffffffff);
	}

	vwr(r, fc + 0x60, 0x7fffffff);
	vwr(r, fc + 0x7c, 0x30000001);
	vwr(r, fc + 0x80, 0x04000000 | CHAN_RAMHT >> 4);
	if (!r->g80) {
		vwr(r, fc + 0x88, (CHAN_BASE(n) + CHAN_CACHE_G84) >> 10);
		vwr(r, fc + 0x98, CHAN_BASE(n) >> 12);
	}
}

/* Add a graph object to channel @n. Its handle is its class. */
static inline void graph_object(struct rig *r, unsigned int n, uint32_t engine, uint32_t at,
				uint32_t class)
{
	vwr(r, CHAN_BASE(n) + at, class);
	ramht_insert(r, n, hash9(class), class, engine << 20 | at >> 4);
}

static inline void playlist(struct rig *r, unsigned int count, ...)
{
	uint32_t at = r->playlist_other ? PLAYLIST_B : PLAYLIST_A;
	unsigned int i;
	va_list ap;

	r->playlist_other = !r->playlist_other;
	va_start(ap, count);

	for (i = 0; i < count; i++)
		vwr(r, at + i * 4, va_arg(ap, unsigned int));
	va_end(ap);
	bar_flush(r);
	wr(r, NV_CACHE1_PLAYLIST, at >> 12);
	wr(r, NV_CACHE1_PLAYLIST_LEN, count);
}

static inline uint32_t chan_entry(struct rig *r, unsigned int n)
{
	return r->g80 ? CHAN_BASE(n) >> 12 : ramfc(r, n) >> 8;
}

/* Create channel @n, but leave it out of the playlist. */
static inline void channel_create(struct rig *r, unsigned int n, bool ib)
{
	channel_tables(r, n);
	channel_ramfc(r, n, ib);
	bar_flush(r);
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, n), chan_entry(r, n));
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, n), chan_entry(r, n) | 1u << 31);
	r->ib_put[n] = 0;
	r->push_at[n] = 0;
}

static inline uint32_t user(unsigned int n, uint32_t reg)
{
	return NV_REG_AT(NV_USER_BASE, n) + reg;
}

#define M(subc, mthd, count)	((uint32_t)(count) << 18 | (subc) << 13 | (mthd))
#define NI(subc, mthd, count)	(0x40000000u | M(subc, mthd, count))

/* Append words to channel @n's push buffer; returns their offset. */
static inline uint32_t push_words(struct rig *r, unsigned int n, const uint32_t *w,
				  unsigned int count)
{
	uint32_t at = r->push_at[n], i;

	for (i = 0; i < count; i++)
		ram_set(r, RAM_PUSH(n) + at + i * 4, w[i]);
	r->push_at[n] += count * 4;
	return at;
}

static inline void ib_raw(struct rig *r, unsigned int n, uint32_t w0, uint32_t w1)
{
	uint32_t at = RAM_RING(n) + r->ib_put[n] * 8;

	ram_set(r, at, w0);
	ram_set(r, at + 4, w1);
	r->ib_put[n] = (r->ib_put[n] + 1) & ((1 << RING_ORDER) - 1);
}

static inline void doorbell(struct rig *r, unsigned int n)
{
	wr(r, user(n, NV_USER_IB_PUT), r->ib_put[n]);
}

static inline void submit_words(struct rig *r, unsigned int n, const uint32_t *w,
				unsigned int count)
{
	uint32_t at = push_words(r, n, w, count);

	ib_raw(r, n, VA_PUSH + at, count << 10);
	doorbell(r, n);
}

#define submit(r, n, ...) \
	do { \
		const uint32_t words_[] = { __VA_ARGS__ }; \
		submit_words(r, n, words_, sizeof(words_) / 4); \
	} while (0)

#endif
