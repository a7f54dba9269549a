// SPDX-License-Identifier: MIT
/*
 * The sequence of NVIDIA's X driver nv (xf86-video-nv), the third driver of this family that is
 * known to work on real cards. So the sequence has to work on the model. It loads one channel by
 * hand, without page tables, playlist, IB ring or context program, and draws with 2D.
 */
#include "rig.h"

#define OBJECT_DMA	0x0019003du	/* VRAM, read and write, user */
#define OBJECT_CTX	0x00190002u
#define OBJECT_HOST	0x001a003du	/* host memory, where an IGP's is */
#define OBJECT_END	0x00010000u	/* word 5 */

#define H_PUSH		0x80000011u
#define H_2D		0x80000012u
#define H_VRAM		0x80000013u
#define H_NOTIFY	0x80000014u

#define PUSH_SIZE	0xe000u
#define PUSH_LIMIT	0x7fffu

#define PITCH		1024u
#define SCREEN		0x00100000u	/* address of the drawing */

struct nv {
	struct rig *r;
	const char *chip;
	bool g80, igp;
	uint32_t base;		/* instance memory, as the firmware left the window */
	uint32_t push;		/* push buffer, an offset in VRAM */
	uint32_t put;		/* words */
};

static void inst(struct nv *nv, uint32_t off, uint32_t val)
{
	wr(nv->r, NV_PMEM_WINDOW + off, val);
}

static void object(struct nv *nv, uint32_t at, uint32_t word0, uint64_t start, uint64_t limit)
{
	inst(nv, at, word0);
	inst(nv, at + 4, limit);
	inst(nv, at + 8, start);
	inst(nv, at + 12, (limit >> 32) << 24 | (start >> 32));
	inst(nv, at + 16, 0);
	inst(nv, at + 20, OBJECT_END);
}

static void instance_memory(struct nv *nv)
{
	static const uint32_t ramht[][2] = {
		{ 0, 0x00100642 }, { H_PUSH, 0x644 }, { H_2D, 0x00100646 },
		{ H_VRAM, 0x648 }, { H_NOTIFY, 0x64a },
	};
	uint32_t i;

	for (i = 0; i < 0x80000; i += 4)
		inst(nv, i, 0);

	if (!nv->g80) {
		inst(nv, 0, 1);
		inst(nv, 4, nv->base + 0x200);
	}

	object(nv, nv->g80 ? 0x200 : 0x20, OBJECT_CTX, nv->base + 0x20000, nv->base + 0x7ffff);

	for (i = 0; i < sizeof(ramht) / sizeof(ramht[0]); i++) {
		inst(nv, 0x10000 + i * 8, ramht[i][0]);
		inst(nv, 0x10004 + i * 8, ramht[i][1]);
	}

	object(nv, 0x6420, 0x00190030, 0, 0);
	object(nv, 0x6440, OBJECT_DMA, nv->push, nv->push + 0x9fff);
	object(nv, 0x6460, 0x0000502d, 0, 0);
	if (nv->igp)
		object(nv, 0x6480, OBJECT_HOST, (uint64_t)rd(nv->r, NV_PFB_FAKEFB_BASE) << 12,
		       ((uint64_t)rd(nv->r, NV_PFB_FAKEFB_BASE) << 12) + VRAM_SIZE - 1);
	else
		object(nv, 0x6480, OBJECT_DMA, 0, VRAM_SIZE - 1);

	object(nv, 0x64a0, OBJECT_DMA, nv->base + 0x11000, nv->base + 0x1100f);
}

static void units_on(struct nv *nv)
{
	static const uint32_t traps[] = { 0x400804, 0x406800, 0x400c04,
					  0x401800, 0x405018, 0x402000 };
	uint32_t i;

	wr(nv->r, NV_PMC_ENABLE, 0xffff00ff);
	wr(nv->r, NV_PMC_ENABLE, 0xffffffff);
	wr(nv->r, NV_PFIFO_INTR, ~0u);
	wr(nv->r, 0x250c, 0x6f3cfc34);

	for (i = 0; i < sizeof(traps) / sizeof(traps[0]); i++)
		wr(nv->r, traps[i], 0xc0000000);

	wr(nv->r, NV_PGRAPH_TRAP, ~0u);
	wr(nv->r, NV_PGRAPH_INTR, ~0u);
}

static void load_channel(struct nv *nv)
{
	struct rig *r = nv->r;

	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1),
	   nv->g80 ? 0x80000000 | nv->base >> 12 : 0x80000002 | nv->base >> 8);
	wr(r, NV_CACHE1_DMA_FETCH, 0x000f0078);
	wr(r, NV_CACHE1_DMA_INSTANCE, 0x644);
	wr(r, NV_CACHE1_DMA_LIMIT, PUSH_LIMIT);
	wr(r, 0x3254, 1);
	wr(r, NV_PFIFO_RAMHT, 0x1c001000);
	if (!nv->g80) {
		wr(r, NV_CACHE1_CACHE_INST, (nv->base + 0x1000) >> 10);
		wr(r, NV_CACHE1_CHAN_INST, nv->base >> 12);
	}

	wr(r, 0x400824, 0x4000);
	wr(r, NV_PGRAPH_CTXCTL_SWAP, 0x80000000 | nv->base >> 12);
	wr(r, 0x400320, 4);
	wr(r, NV_PGRAPH_CTXCTL_CUR, 0x80000000 | nv->base >> 12);
	wr(r, NV_PGRAPH_CONTROL, 0x10001);
	wr(r, NV_CACHE1_PULL0, 1);
	wr(r, NV_CACHE1_PUSH0, 1);
	wr(r, NV_CACHE1_DMA_PUSH, 0x1001);
	wr(r, NV_CACHE1_PUSH1, 0x10001);
}

/* BAR1 shows VRAM, so the push buffer is written through it. */
static void word(struct nv *nv, uint32_t v)
{
	nvsim_bar_write(nv->r->sim, 1, nv->push + 4 * nv->put++, v, 4);
}

static void method(struct nv *nv, uint32_t mthd, uint32_t count, const uint32_t *data)
{
	word(nv, count << 18 | mthd);
	while (count--)
		word(nv, *data++);
}

#define METHOD(nv, mthd, ...) \
	do { \
		const uint32_t data_[] = { __VA_ARGS__ }; \
		method(nv, mthd, sizeof(data_) / 4, data_); \
	} while (0)

/* A read of VRAM orders the words before PUT. */
static bool kick_off(struct nv *nv)
{
	nvsim_bar_read(nv->r->sim, 1, nv->push, 4);
	wr(nv->r, NV_REG_AT(NV_USER_BASE, 1) + NV_USER_DMA_PUT, nv->put * 4);
	run(nv->r);
	return rd(nv->r, NV_REG_AT(NV_USER_BASE, 1) + NV_USER_DMA_GET) == nv->put * 4;
}

static bool synchronize(struct nv *nv)
{
	uint32_t at = nv->base + 0x11000;

	nvsim_bar_write(nv->r->sim, 1, at + 0xa, 0x8000, 2);
	METHOD(nv, 0x104, 0);
	METHOD(nv, 0x100, 0);
	return kick_off(nv) && !nvsim_bar_read(nv->r->sim, 1, at + 0xa, 2);
}

static void start_2d(struct nv *nv)
{
	uint32_t i;

	for (i = 0; i < 8; i++)
		word(nv, 0);

	METHOD(nv, 0, H_2D);
	METHOD(nv, 0x180, H_NOTIFY, H_VRAM, H_VRAM);
	METHOD(nv, 0x290, 0);
	METHOD(nv, 0x2ac, 3);
	METHOD(nv, 0x200, 0xcf, 1);
	METHOD(nv, 0x214, PITCH, 256, 256, 0, SCREEN);
}

static uint32_t pixel(struct nv *nv, uint32_t x, uint32_t y)
{
	return peek(nv->r, SCREEN + y * PITCH + x * 4);
}

static void test_draw(struct nv *nv)
{
	METHOD(nv, 0x580, 4, 0xcf, 0x00c0ffee);
	METHOD(nv, 0x600, 10, 20, 30, 40);
	tap(synchronize(nv), "%s: a rectangle, and the notifier says when", nv->chip);
	tap(pixel(nv, 10, 20) == 0x00c0ffee && pixel(nv, 29, 39) == 0x00c0ffee &&
		    !pixel(nv, 9, 20) && !pixel(nv, 30, 39) && !pixel(nv, 10, 40),
	    "%s: which is where it should be", nv->chip);
	METHOD(nv, 0x230, 0xcf, 1);
	METHOD(nv, 0x244, PITCH, 256, 256, 0, SCREEN);
	METHOD(nv, 0x888, 0, 0);
	METHOD(nv, 0x8b0, 100, 100, 20, 20, 0, 1, 0, 1, 0, 10, 0, 20);
	tap(synchronize(nv) && pixel(nv, 100, 100) == 0x00c0ffee &&
		    pixel(nv, 119, 119) == 0x00c0ffee && !pixel(nv, 120, 119),
	    "%s: a blit", nv->chip);
}

/* The jump to the beginning at the end of the buffer */
static void test_wrap(struct nv *nv)
{
	uint32_t i;

	word(nv, 0x20000000);
	nv->put = 0;
	kick_off(nv);

	for (i = 0; i < 8; i++)
		word(nv, 0);

	METHOD(nv, 0x580, 4, 0xcf, 0x00123456);
	METHOD(nv, 0x600, 0, 0, 1, 1);
	tap(synchronize(nv) && pixel(nv, 0, 0) == 0x00123456, "%s: round the push buffer", nv->chip);
}

static void test_nv(const char *chip, uint64_t quirks, const char *what)
{
	struct nvsim_config cfg = {
		.chipset = chip,
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.quirks = quirks,
		.engine_context = NVSIM_ENGINE_REQUIRE,
	};
	struct rig *r = rig_create_cfg(&cfg);
	struct nv nv = { .r = r, .chip = what, .g80 = r->g80, .push = VRAM_SIZE - PUSH_SIZE };
	unsigned int i;

	nv.igp = !strncmp(chip, "mcp", 3);
	wr(r, NV_PBUS_HOST_MEM_BAR1, 0);

	/* Nothing is known of these but that nv clears them; the register table has none. */
	for (i = 0; i < 8; i++)
		wr(r, 0x1900 + 4 * i, 0);

	r->violations = 0;
	wr(r, NV_PBUS_INTR, ~0u);

	/* It never writes a BAR flush, which our driver must; the model insists on it. */
	r->tolerate = "not followed by a BAR flush";
	nv.base = rd(r, NV_PBUS_HOST_MEM_PMEM) << 16;
	instance_memory(&nv);
	units_on(&nv);
	load_channel(&nv);
	start_2d(&nv);
	tap(kick_off(&nv) && !rd(r, NV_PFIFO_INTR) && !rd(r, NV_PGRAPH_INTR),
	    "%s: channel 1 is loaded by PUSH1 and takes its words", what);
	test_draw(&nv);
	test_wrap(&nv);
	tap(clean(r), "%s: no violation but for BAR flushes", what);
	rig_destroy(r);
}

int main(void)
{
	struct nvsim_config cfg = { 0 };
	char err[100], what[40];
	unsigned int i;

	for (i = 0; nvsim_chipset_names[i]; i++)
		test_nv(nvsim_chipset_names[i], 0, nvsim_chipset_names[i]);

	nvsim_adverse_parse(&cfg, NULL, err, sizeof(err));
	/* The DDX has no handler that repeats a look-up. */
	cfg.quirks &= ~(1ull << NVSIM_QUIRK_RAMHT_LOOKUP);

	for (i = 0; nvsim_chipset_names[i]; i++) {
		snprintf(what, sizeof(what), "%s, adverse", nvsim_chipset_names[i]);
		test_nv(nvsim_chipset_names[i], cfg.quirks, what);
	}

	return tap_end();
}
