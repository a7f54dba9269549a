// SPDX-License-Identifier: MIT
/*
 * PGRAPH: M2MF between all layouts, 2D fills, blits and images, notifiers, queries, and the errors
 * of each. The expected layout of a surface comes from a formula of rig_pgraph.h, not the model's.
 */
#include "rig_pgraph.h"

/* --- M2MF --- */

static void m2mf_linear(struct rig *r, uint32_t in, uint32_t pitch_in, uint32_t out,
			uint32_t pitch_out, uint32_t length, uint32_t lines, uint32_t notify)
{
	submit(r, 1, M(SUBC_M2MF, 0x200, 1), 1, M(SUBC_M2MF, 0x21c, 1), 1, M(SUBC_M2MF, 0x238, 2),
	       0, 0, M(SUBC_M2MF, 0x30c, 8), in, out, pitch_in, pitch_out, length, lines, 0x101,
	       notify);
}

static void test_m2mf(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t i, y;
	bool ok = true;

	fill_memory(r, 0xee);

	for (i = 0; i < 3 * 300; i++)
		set_byte(r, 0x1000 + i, i * 7);

	ram_set(r, RAM_NOTIFY + 0x1c, ~0u);
	r->now = 0x300000040ull;
	m2mf_linear(r, VA_MEM + 0x1000, 300, VA_MEM + 0x20000, 256, 100, 3, 0);
	submit(r, 1, M(0, 0x50, 1), 1);
	run(r);

	for (y = 0; y < 3; y++)
		for (i = 0; i < 256; i++)
			ok &= byte(r, 0x20000 + y * 256 + i) ==
			      (i < 100 ? (uint8_t)((y * 300 + i) * 7) : 0xee);

	tap(ok && ref(r, 1) == 1, "%s: M2MF copies lines", chip);
	tap(ram32(r, RAM_NOTIFY + 0x10) == 0x40 && ram32(r, RAM_NOTIFY + 0x14) == 3 &&
		    ram32(r, RAM_NOTIFY + 0x18) == 0 && ram32(r, RAM_NOTIFY + 0x1c) == 0 &&
		    !rd(r, NV_PGRAPH_INTR),
	    "%s: and writes its notifier, without an interrupt", chip);
	m2mf_linear(r, VA_MEM + 0x1000 + 600, (uint32_t)-300, VA_MEM + 0x20000, 256, 1, 3, 1);
	run(r);
	tap(byte(r, 0x20000) == (uint8_t)(600 * 7) && byte(r, 0x20100) == (uint8_t)(300 * 7) &&
		    byte(r, 0x20200) == 0 && rd(r, NV_PGRAPH_INTR) == INTR_BUFFER,
	    "%s: pitches have a sign; BUF_NOTIFY 1 interrupts", chip);

	wr(r, NV_PGRAPH_INTR, ~0u);

	for (i = 0; i < 10000; i++)
		set_byte(r, 0x1000 + i, i ^ i >> 8);

	m2mf_linear(r, VA_MEM + 0x1000, 0, VA_MEM + 0x40000, 0, 10000, 1, 0);
	run(r);

	for (ok = true, i = 0; i < 10000; i++)
		ok &= byte(r, 0x40000 + i) == (uint8_t)(i ^ i >> 8);

	tap(ok && byte(r, 0x40000 + 10000) == 0xee, "%s: a long line", chip);
	submit(r, 1, M(SUBC_M2MF, 0x31c, 4), 4, 1, 0x201, 0);
	run(r);
	tap(byte(r, 0x40000) == 0 && byte(r, 0x40002) == 1 && byte(r, 0x40004) == 2 &&
		    byte(r, 0x40001) == 1,
	    "%s: bytes can be spread", chip);

	submit(r, 1, M(SUBC_M2MF, 0x238, 2), VA_HIGH, VA_HIGH, M(SUBC_M2MF, 0x30c, 8),
	       VA_HOLE, VA_MEM + 0x80000, 0, 0, 64, 1, 0x101, 0);
	set_byte(r, 33, 0x42);
	run(r);
	tap(byte(r, 0x80000 + 33) == 0x42 && byte(r, 0x80000 + 64) == 0xee,
	    "%s: above 4 GiB", chip);
	tap(clean(r), "%s: no violation", chip);
	rig_destroy(r);
}

/* Lines without gaps, which begin in the middle of pages of VRAM that do not follow each other */
static void test_m2mf_runs(const char *chip)
{
	const uint32_t from = 0x1800, to = 0x80c00, length = 0x600, lines = 0x40, size = length * lines;
	struct rig *r = ready(chip);
	uint32_t i;
	bool ok = true;

	fill_memory(r, 0xee);
	map_vram(r, 1, VA_MEM + 0x4000, VRAM_MEM + 0x200000);
	map_vram(r, 1, VA_MEM + 0x86000, VRAM_MEM + 0x210000);
	bar_flush(r);

	for (i = 0; i < size; i++)
		set_byte(r, (from + i) >> 12 == 4 ? 0x200000 + ((from + i) & 0xfff) : from + i, i ^ i >> 8);

	m2mf_linear(r, VA_MEM + from, length, VA_MEM + to, length, length, lines, 0);
	submit(r, 1, M(0, 0x50, 1), 1);
	run(r);

	for (i = 0; i < size; i++)
		ok &= byte(r, (to + i) >> 12 == 0x86 ? 0x210000 + ((to + i) & 0xfff) : to + i) ==
		      (uint8_t)(i ^ i >> 8);

	tap(ok && ref(r, 1) == 1 && byte(r, to - 1) == 0xee && byte(r, to + size) == 0xee,
	    "%s: lines without gaps, over pages that do not follow each other", chip);

	/* A copy forward onto itself, by a page, repeats the first page. */
	m2mf_linear(r, VA_MEM + 0x80000, 0x1000, VA_MEM + 0x81000, 0x1000, 0x1000, 4, 0);
	run(r);
	for (ok = true, i = 0; i < 0x1000; i++)
		ok &= byte(r, 0x84000 + i) == byte(r, 0x80000 + i);

	tap(ok, "%s: a copy onto itself goes page by page", chip);
	tap(clean(r), "%s: no violation", chip);
	rig_destroy(r);
}

/* Single bytes: between them nothing changes, and the object's limit holds for each. */
static void test_m2mf_bytes(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t i;
	bool ok = true;

	fill_memory(r, 0xee);
	for (i = 0; i < 0x4000; i++)
		set_byte(r, i, i ^ i >> 8);

	submit(r, 1, M(SUBC_M2MF, 0x200, 1), 1, M(SUBC_M2MF, 0x21c, 1), 1, M(SUBC_M2MF, 0x238, 2),
	       0, 0, M(SUBC_M2MF, 0x30c, 8), VA_MEM + 3, VA_MEM + 0x80001, 0, 0, 0x800, 1, 0x402, 0);
	run(r);

	for (i = 0; i < 0x2000; i++) {
		uint32_t at = 3 + i / 4 * 2;

		ok &= byte(r, 0x80001 + i) == (i % 4 ? 0xee : (uint8_t)(at ^ at >> 8));
	}

	tap(ok && byte(r, 0x82001) == 0xee, "%s: bytes can be spread over pages", chip);

	put_dmaobj(r, CHAN_BASE(1) + CHAN_DMAOBJ + 0x40, 0x7fc00002, 0, VA_MEM + 0x100);
	bar_flush(r);
	submit(r, 1, M(SUBC_M2MF, 0x184, 1), H_RO, M(SUBC_M2MF, 0x30c, 8), VA_MEM, VA_MEM + 0x90000, 0,
	       0, 0x81, 1, 0x102, 0);
	run(r);
	tap(!rd(r, NV_PGRAPH_INTR) && byte(r, 0x90080) == byte(r, 0x100),
	    "%s: the last byte is at the object's limit", chip);

	submit(r, 1, M(SUBC_M2MF, 0x30c, 8), VA_MEM, VA_MEM + 0x90000, 0, 0, 0x82, 1, 0x102, 0);
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) == INTR_TRAP && (rd(r, NV_PGRAPH_M2MF_TRAP) & 2),
	    "%s: and none lies beyond it", chip);
	recover(r);
	tap(clean(r), "%s: no violation", chip);
	rig_destroy(r);
}

/* Byte by byte it takes long: the transport has to get its turn meanwhile. */
static void test_pieces(void)
{
	struct rig *r = ready("g84");
	unsigned int runs = 0;

	submit(r, 1, M(SUBC_M2MF, 0x200, 1), 1, M(SUBC_M2MF, 0x21c, 1), 1, M(SUBC_M2MF, 0x238, 2),
	       0, 0, M(SUBC_M2MF, 0x30c, 8), VA_MEM, VA_MEM + 0x100000, 0, 0, 0x8000, 1, 0x202, 0);

	while (!nvsim_run(r->sim, 512))
		runs++;

	tap(runs >= 0x8000 / 4096 && !rd(r, NV_PGRAPH_STATUS) && clean(r),
	    "a copy of single bytes goes in small pieces (%u)", runs);
	rig_destroy(r);
}

static void test_m2mf_tiled(const char *chip)
{
	static const struct {
		uint32_t bw, bh, bd, w, h, d, z, x, y, length, lines;
	} cases[] = {
		{ 0, 0, 0, 64, 16, 1, 0, 0, 0, 64, 16 },
		{ 0, 2, 0, 300, 50, 1, 0, 0, 0, 300, 50 },
		{ 1, 3, 0, 500, 70, 1, 0, 13, 5, 301, 33 },
		{ 0, 5, 0, 640, 200, 1, 0, 63, 127, 130, 20 },
		{ 0, 1, 2, 200, 20, 7, 6, 10, 3, 100, 10 },
	};
	struct rig *r = ready(chip);
	unsigned int c;
	uint32_t i, y;

	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		uint32_t bw = cases[c].bw, bh = cases[c].bh, bd = cases[c].bd, w = cases[c].w;
		uint32_t h = cases[c].h, z = cases[c].z, length = cases[c].length;
		uint32_t dim = bw | bh << 4 | bd << 8, origin = cases[c].x | cases[c].y << 16;
		uint32_t at, count = 0, n = length * cases[c].lines;
		bool ok = true;

		fill_memory(r, 0);
		for (i = 0; i < n; i++)
			set_byte(r, i, 1 + i % 251);
		submit(r, 1, M(SUBC_M2MF, 0x200, 1), 1, M(SUBC_M2MF, 0x21c, 7), 0, dim, w, h,
		       cases[c].d, z, origin, M(SUBC_M2MF, 0x238, 2), 0, 0,
		       M(SUBC_M2MF, 0x30c, 8), VA_MEM, VA_MEM + 0x100000, length, 0, length,
		       cases[c].lines, 0x101, 0);
		run(r);
		for (y = 0; y < cases[c].lines; y++)
			for (i = 0; i < length; i++) {
				at = tiled(bw, bh, bd, w, h, cases[c].x + i, cases[c].y + y, z);
				ok &= byte(r, 0x100000 + at) == 1 + (y * length + i) % 251;
			}
		for (i = 0; i < 0x100000; i++)
			count += byte(r, 0x100000 + i) != 0;
		tap(ok && count == n, "%s: to blocks of %ux%ux%u gobs, and nowhere else", chip,
		    1 << bw, 1 << bh, 1 << bd);
		submit(r, 1, M(SUBC_M2MF, 0x200, 7), 0, dim, w, h, cases[c].d, z, origin,
		       M(SUBC_M2MF, 0x21c, 1), 1, M(SUBC_M2MF, 0x30c, 8), VA_MEM + 0x100000,
		       VA_MEM + 0x300000, 0, length, length, cases[c].lines, 0x101, 0);
		run(r);
		for (ok = true, i = 0; i < n; i++)
			ok &= byte(r, 0x300000 + i) == 1 + i % 251;
		tap(ok && clean(r), "%s: and back", chip);
	}

	rig_destroy(r);
}

/* Expected signs of a fault: the trap's unit and bits, the MMU's fault record */
static bool trapped(struct rig *r, uint32_t unit, uint32_t reg, uint32_t bits, uint32_t client,
		    uint32_t slot)
{
	uint32_t f = rd(r, NV_PFB_VM_FAULT_DATA);
	bool ok = rd(r, NV_PGRAPH_INTR) == INTR_TRAP && rd(r, NV_PGRAPH_TRAP) == unit &&
		  rd(r, reg) == (0x80000000 | bits) && (rd(r, NV_PMC_INTR_HOST) & 0x1000);

	if (r->gt215)
		ok &= (f & 0xffff00ff) == (slot << 24 | client << 16);
	else
		ok &= (f & 0xff0f) == (slot << 12 | client << 8);

	if (!ok)
		printf("# INTR %08x TRAP %08x unit %08x fault %08x\n", rd(r, NV_PGRAPH_INTR),
		       rd(r, NV_PGRAPH_TRAP), rd(r, reg), f);

	return ok;
}

static void test_m2mf_faults(const char *chip)
{
	struct rig *r = ready(chip);

	m2mf_linear(r, VA_HOLE, 64, VA_MEM, 64, 64, 1, 0);
	submit(r, 1, M(0, 0x50, 1), 1);
	submit(r, 2, M(0, 0x50, 1), 1);
	run(r);
	tap(trapped(r, 2, NV_PGRAPH_M2MF_TRAP, 2, 3, 4), "%s: M2MF source fault", chip);
	tap(ref(r, 1) == 0 && ref(r, 2) == 1 && (rd(r, NV_PGRAPH_STATUS) & 0x41) == 0x41 &&
		    !(rd(r, NV_PFIFO_ENGINE_IDLE) & 1),
	    "%s: it hangs, other channels run", chip);
	wr(r, NV_PGRAPH_INTR, ~0u);
	tap(rd(r, NV_PGRAPH_INTR) == INTR_TRAP, "%s: the unit's trap comes first", chip);

	wr(r, NV_PGRAPH_M2MF_TRAP, 0xc0000000);
	wr(r, NV_PGRAPH_TRAP, 2);
	wr(r, NV_PGRAPH_INTR, ~0u);
	run(r);
	tap(!rd(r, NV_PGRAPH_INTR) && ref(r, 1) == 0, "%s: acknowledged, it still hangs", chip);

	wr(r, NV_PGRAPH_SUBUNIT_RESET, 2);
	wr(r, NV_PGRAPH_SUBUNIT_RESET, 0);
	r->now += 100000;
	run(r);
	tap(ref(r, 1) == 1 && !rd(r, NV_PGRAPH_STATUS), "%s: until M2MF is reset", chip);
	recover(r);

	m2mf_linear(r, VA_MEM, 64, VA_HOLE, 64, 64, 1, 0);
	run(r);
	tap(trapped(r, 2, NV_PGRAPH_M2MF_TRAP, 4, 3, 5), "%s: M2MF destination fault", chip);

	recover(r);
	set_byte(r, MEM_SIZE - 0x1000, 0x42);
	m2mf_linear(r, VA_MEM + MEM_SIZE - 0x2000, 0x1000, VA_MEM, 0x1000, 0x1000, 3, 0);
	run(r);
	tap(trapped(r, 2, NV_PGRAPH_M2MF_TRAP, 2, 3, 4) && byte(r, 0x1000) == 0x42,
	    "%s: the pages before a fault are copied", chip);

	recover(r);
	submit(r, 1, M(SUBC_M2MF, 0x180, 1), H_NULL);
	m2mf_linear(r, VA_MEM, 64, VA_MEM + 0x1000, 64, 64, 1, 0);
	run(r);
	tap(trapped(r, 2, NV_PGRAPH_M2MF_TRAP, 1, 3, 6) &&
		    (rd(r, NV_PFB_VM_FAULT_DATA) >> (r->gt215 ? 8 : 4) & 0xf) == 6,
	    "%s: without a notifier's object: NULL_DMAOBJ", chip);

	recover(r);
	wr(r, NV_PGRAPH_M2MF_TRAP, 0);
	m2mf_linear(r, VA_HOLE, 64, VA_MEM, 64, 64, 1, 0);
	run(r);
	tap(!rd(r, NV_PGRAPH_INTR) && rd(r, NV_PGRAPH_STATUS), "%s: a trap that is off is silent",
	    chip);
	recover(r);
	tap(clean(r), "%s: no violation", chip);
	rig_destroy(r);
}

static void test_data_errors(const char *chip)
{
	static const struct {
		uint32_t subc, mthd, data, error;
	} cases[] = {
		{ SUBC_M2MF, 0x200, 2, 0x05 },	   { SUBC_M2MF, 0x204, 0x1000, 0x0c },
		{ SUBC_M2MF, 0x210, 0, 0x04 },	   { SUBC_M2MF, 0x238, 0x100, 0x04 },
		{ SUBC_M2MF, 0x324, 0x103, 0x04 }, { SUBC_M2MF, 0x328, 2, 0x05 },
		{ SUBC_M2MF, 0x188, H_RO, 0x09 },  { SUBC_M2MF, 0x184, H_BAD, 0x08 },
		{ SUBC_2D, 0x200, 0x12, 0x05 },	   { SUBC_2D, 0x204, 2, 0x05 },
		{ SUBC_2D, 0x2a0, 0x100, 0x04 },   { SUBC_2D, 0x2ac, 7, 0x05 },
		{ SUBC_2D, 0x584, 0, 0x05 },	   { SUBC_2D, 0x184, H_RO, 0x09 },
		{ SUBC_2D, 0x104, 2, 0x05 },	   { SUBC_3D, 0x1b00, 0x100, 0x04 },
	};
	struct rig *r = ready(chip);
	unsigned int i;
	bool ok = true;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t subc = cases[i].subc, mthd = cases[i].mthd;
		bool here;

		submit(r, 1, M(subc, mthd, 1), cases[i].data, M(0, 0x50, 1), i + 1);
		run(r);
		here = rd(r, NV_PGRAPH_INTR) == INTR_DATA &&
		       rd(r, NV_PGRAPH_DATA_ERROR) == cases[i].error &&
		       rd(r, NV_PGRAPH_TRAPPED_ADDR) == (subc << 16 | mthd) &&
		       (mthd < 0x200 && mthd >= 0x180 ? true :
			rd(r, NV_PGRAPH_TRAPPED_DATA) == cases[i].data) &&
		       !(rd(r, NV_PGRAPH_CONTROL) & 1) && ref(r, 1) == i;
		if (!here)
			printf("# %04x %x: INTR %08x code %x\n", mthd, cases[i].data,
			       rd(r, NV_PGRAPH_INTR), rd(r, NV_PGRAPH_DATA_ERROR));
		ok &= here;
		recover(r);
		ok &= ref(r, 1) == i + 1;
	}

	tap(ok && clean(r), "%s: data errors, with code, method and data", chip);
	rig_destroy(r);
}

/* --- NOTIFY and QUERY --- */

static void test_illegal_methods(const char *chip)
{
	static const uint32_t bad[][2] = {
		{ SUBC_M2MF, 0x1ffc }, { SUBC_M2MF, 0x108 }, { SUBC_M2MF, 0x18c },
		{ SUBC_M2MF, 0x240 }, { SUBC_M2MF, 0x308 }, { SUBC_M2MF, 0x32c },
		{ SUBC_2D, 0x8e0 },
	};
	static const uint32_t good[] = { 0x100, 0x110, 0x140, 0x200, 0x23c, 0x30c };
	struct rig *r = ready(chip);
	unsigned int i;
	bool ok = true;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		/* 0x180 to 0x1fc need a handle. */
		submit(r, 1, M(bad[i][0], bad[i][1], 1), bad[i][1] == 0x18c ? H_VM : 0);
		run(r);
		ok &= rd(r, NV_PGRAPH_INTR) == 0x10 &&
		      rd(r, NV_PGRAPH_TRAPPED_ADDR) == (bad[i][0] << 16 | bad[i][1]);
		recover(r);
	}

	tap(ok, "%s: methods that M2MF and 2D do not have", chip);

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		submit(r, 1, M(SUBC_M2MF, good[i], 1), 1);
		run(r);
	}

	tap(!rd(r, NV_PGRAPH_INTR) && clean(r), "%s: and some that M2MF has", chip);
	rig_destroy(r);
}

static void test_notify(const char *chip)
{
	struct rig *r = ready(chip);

	ram_set(r, RAM_NOTIFY + 0xc, ~0u);
	r->now = 0x700000020ull;
	submit(r, 1, M(SUBC_2D, 0x104, 1), 0);
	run(r);
	tap(ram32(r, RAM_NOTIFY + 0xc) == ~0u, "%s: NOTIFY itself writes nothing", chip);
	submit(r, 1, M(SUBC_2D, 0x100, 1), 0);
	run(r);
	tap(ram32(r, RAM_NOTIFY) == 0x20 && ram32(r, RAM_NOTIFY + 4) == 7 &&
		    ram32(r, RAM_NOTIFY + 8) == 0 && ram32(r, RAM_NOTIFY + 0xc) == 0 &&
		    !rd(r, NV_PGRAPH_INTR),
	    "%s: the next method does", chip);
	submit(r, 1, M(SUBC_2D, 0x104, 1), 1, M(SUBC_2D, 0x100, 1), 0);
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) == INTR_NOTIFY, "%s: with an interrupt, if wanted", chip);

	recover(r);
	submit(r, 1, M(SUBC_2D, 0x104, 1), 0, M(SUBC_2D, 0x104, 1), 0);
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) == INTR_DOUBLE, "%s: two of them are one too many", chip);

	recover(r);
	submit(r, 1, M(SUBC_2D, 0x104, 1), 0, M(SUBC_M2MF, 0x100, 1), 0);
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) == INTR_DATA && rd(r, NV_PGRAPH_DATA_ERROR) == 3,
	    "%s: another subchannel in between", chip);

	recover(r);
	submit(r, 1, M(SUBC_2D, 0x104, 1), 0, M(SUBC_2D, 0x180, 1), H_SEM);
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) == INTR_DATA && rd(r, NV_PGRAPH_DATA_ERROR) == 3,
	    "%s: another object in between", chip);

	recover(r);
	submit(r, 1, M(SUBC_2D, 0x180, 1), H_NULL, M(SUBC_2D, 0x104, 1), 0, M(SUBC_2D, 0x100, 1),
	       0x55);
	run(r);
	tap(trapped(r, 1, NV_PGRAPH_DISPATCH_TRAP, 1, 3, 1) &&
		    rd(r, 0x400808) == (0x80000000 | SUBC_2D << 16 | 0x100) &&
		    rd(r, 0x40080c) == 0x55,
	    "%s: no object for it: DISPATCH has the method", chip);

	recover(r);
	ram_set(r, RAM_NOTIFY + 0xc, ~0u);
	submit(r, 1, M(SUBC_M2MF, 0x104, 1), 0);
	m2mf_linear(r, VA_MEM, 0, VA_MEM + 0x10000, 0, 0x10000, 1, 0);
	r->now += 100;
	run(r);
	tap(ram32(r, RAM_NOTIFY + 0xc) == 0 && clean(r), "%s: M2MF has it besides its own", chip);
	rig_destroy(r);
}

static void test_query(const char *chip)
{
	struct rig *r = ready(chip);

	fill_memory(r, 0xee);
	r->now = 0x900000060ull;
	submit(r, 1, M(SUBC_3D, 0x1b00, 4), 0, VA_MEM + 0x100, 0x1234, 0x1000f010);
	run(r);
	tap(peek(r, VRAM_MEM + 0x100) == 0x1234 && peek(r, VRAM_MEM + 0x104) == 0xeeeeeeee &&
		    !rd(r, NV_PGRAPH_INTR),
	    "%s: a short query", chip);
	submit(r, 1, M(SUBC_3D, 0x1b00, 4), 0, VA_MEM + 0x200, 0x77, 0x0010f000);
	run(r);
	tap(peek(r, VRAM_MEM + 0x200) == 0x77 && peek(r, VRAM_MEM + 0x204) == 0 &&
		    peek(r, VRAM_MEM + 0x208) == 0x60 && peek(r, VRAM_MEM + 0x20c) == 9 &&
		    rd(r, NV_PGRAPH_INTR) == INTR_QUERY,
	    "%s: a long one, with an interrupt", chip);

	recover(r);
	submit(r, 1, M(SUBC_3D, 0x1b08, 2), 0x88, 0x1000f001);
	run(r);
	tap(peek(r, VRAM_MEM + 0x200) == 0x77, "%s: mode 1 writes nothing", chip);

	wr(r, NV_PGRAPH_CONTROL, 1);
	submit(r, 1, M(SUBC_3D, 0x1b08, 2), 0x99, 0x1000f000);
	run(r);
	tap(peek(r, VRAM_MEM + 0x200) == 0x77, "%s: nor any without CONTROL bit 16", chip);

	wr(r, NV_PGRAPH_CONTROL, 0x10001);
	submit(r, 1, M(SUBC_3D, 0x1b04, 3), VA_HOLE, 0x99, 0x1000f000);
	run(r);
	tap(trapped(r, 1, NV_PGRAPH_DISPATCH_TRAP, 2, 3, 2) &&
		    rd(r, 0x40084c) == (0x80000000 | SUBC_3D << 16 | 0x1b0c),
	    "%s: a query into a hole", chip);

	recover(r);
	submit(r, 1, M(2, 0, 1), 0x50c0, M(2, 0x1a4, 1), H_VM, M(2, 0x310, 4), 0, VA_MEM + 0x300,
	       0xaa, 1 << 15);
	run(r);
	tap(peek(r, VRAM_MEM + 0x300) == 0xaa && peek(r, VRAM_MEM + 0x308) == 0xeeeeeeee && clean(r),
	    "%s: of compute", chip);
	rig_destroy(r);
}

/* --- 2D --- */

static void surface(struct rig *r, bool dst, uint32_t format, bool linear, uint32_t block,
		    uint32_t pitch, uint32_t off)
{
	submit(r, 1, M(SUBC_2D, dst ? 0x200 : 0x230, 10), format, linear, block, 1, 0, pitch, W2D,
	       H2D, 0, VA_MEM + off);
}

static void setup_2d(struct rig *r)
{
	submit(r, 1, M(SUBC_2D, 0x290, 1), 0, M(SUBC_2D, 0x2ac, 1), 3, M(SUBC_2D, 0x888, 2), 0, 0,
	       M(SUBC_2D, 0x580, 1), 4);
}

static void rect(struct rig *r, uint32_t format, uint32_t color, int x0, int y0, int x1, int y1)
{
	submit(r, 1, M(SUBC_2D, 0x584, 2), format, color, M(SUBC_2D, 0x600, 4), (uint32_t)x0,
	       (uint32_t)y0, (uint32_t)x1, (uint32_t)y1);
	run(r);
}

static uint32_t pixel16(struct rig *r, uint32_t off, uint32_t pitch, uint32_t x, uint32_t y)
{
	return byte(r, off + y * pitch + x * 2) | byte(r, off + y * pitch + x * 2 + 1) << 8;
}

static void fill_shapes(struct rig *r, const char *chip)
{
	rect(r, 0xcf, 0xcafe1234, 10, 5, 30, 20);
	tap(only(r, 0xcafe1234, 10, 5, 30, 20), "%s: a rectangle without its right and lower edge",
	    chip);
	fill_memory(r, 0);
	rect(r, 0xcf, 0x11111111, 90, 50, -10, -20);
	tap(only(r, 0x11111111, 0, 0, 90, 50), "%s: corners the other way round, cut", chip);
	fill_memory(r, 0);
	rect(r, 0xcf, 0x22222222, 50, 40, 5000, 5000);
	tap(only(r, 0x22222222, 50, 40, W2D, H2D), "%s: cut at the surface's end", chip);

	fill_memory(r, 0);
	submit(r, 1, M(SUBC_2D, 0x280, 5), 20, 10, 30, 8, 1);
	rect(r, 0xcf, 0x33333333, 0, 0, 100, 60);
	tap(only(r, 0x33333333, 20, 10, 50, 18), "%s: clipped", chip);

	submit(r, 1, M(SUBC_2D, 0x290, 1), 0);
	fill_memory(r, 0);
	submit(r, 1, NI(SUBC_2D, 0x5e0, 2), 3 | 4 << 16, 9 | 6 << 16);
	run(r);
	tap(only(r, 0x33333333, 3, 4, 9, 6), "%s: packed points", chip);
}

static void fill_formats(struct rig *r, const char *chip)
{
	static const struct {
		uint32_t from, to, in, out;
	} colors[] = {
		{ 0xcf, 0xcf, 0x12345678, 0x12345678 }, { 0xcf, 0xd5, 0x12345678, 0x12785634 },
		{ 0xe6, 0xcf, 0x12345678, 0xff345678 }, { 0xcf, 0xe6, 0x12345678, 0x00345678 },
		{ 0xcf, 0xdf, 0x80ff00ff, 0x800003ff | 0x3ffu << 20 },
		{ 0xe8, 0xcf, 0x0000f81f, 0xffff00ff }, { 0xcf, 0xd1, 0xff0000ff, 0xfff00000 },
	};
	uint32_t i;
	bool ok;

	for (ok = true, i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		surface(r, true, colors[i].to, true, 0, 512, 0);
		rect(r, colors[i].from, colors[i].in, 1, 1, 2, 2);
		if (pixel32(r, 0, 512, 1, 1) != colors[i].out) {
			printf("# %02x to %02x: %08x\n", colors[i].from, colors[i].to,
			       pixel32(r, 0, 512, 1, 1));
			ok = false;
		}
	}

	surface(r, true, 0xe8, true, 0, 512, 0);
	rect(r, 0xcf, 0xffff8000, 7, 1, 8, 2);
	ok &= pixel16(r, 0, 512, 7, 1) == 0xfc00 && byte(r, 512 + 16) == 0;
	surface(r, true, 0xf3, true, 0, 512, 0);
	rect(r, 0xf3, 0x5a, 9, 1, 10, 2);
	ok &= byte(r, 512 + 9) == 0x5a;
	tap(ok, "%s: formats", chip);
}

static void fill_blocks(struct rig *r, const char *chip)
{
	uint32_t x, y, at;
	bool ok;

	fill_memory(r, 0);
	surface(r, true, 0xcf, false, 0x020, 0, 0x10000);
	rect(r, 0xcf, 0x44444444, 11, 3, 77, 41);

	for (ok = true, y = 0; y < H2D; y++)
		for (x = 0; x < W2D; x++) {
			bool in = x >= 11 && x < 77 && y >= 3 && y < 41;

			at = tiled(0, 2, 0, W2D * 4, H2D, x * 4, y, 0);
			ok &= peek(r, VRAM_MEM + 0x10000 + at) == (in ? 0x44444444 : 0);
		}

	tap(ok, "%s: in blocks", chip);
}

static void fill_errors(struct rig *r, const char *chip)
{
	submit(r, 1, M(SUBC_2D, 0x2ac, 1), 3);
	surface(r, true, 0xcf, true, 0, 500, 0);
	rect(r, 0xcf, 0, 0, 0, 1, 1);
	tap(rd(r, NV_PGRAPH_INTR) == INTR_DATA && rd(r, NV_PGRAPH_DATA_ERROR) == 0xb,
	    "%s: pitch has to be a multiple of 64", chip);

	recover(r);
	surface(r, true, 0xff, true, 0, 512, 0);
	rect(r, 0xcf, 0, 0, 0, 1, 1);
	tap(rd(r, NV_PGRAPH_DATA_ERROR) == 0x31,
	    "%s: a format of only one channel is not converted",
	    chip);

	recover(r);
	surface(r, true, 0xcf, true, 0, 512, VA_HOLE - VA_MEM);
	rect(r, 0xcf, 0, 0, 0, 1, 1);
	tap(trapped(r, 0x100, r->gt215 ? 0x408708 : 0x408e08, 0x10, 0xb, 0xc),
	    "%s: destination fault", chip);
	recover(r);
}

static void test_fill(const char *chip)
{
	struct rig *r = ready(chip);

	setup_2d(r);
	fill_memory(r, 0);
	surface(r, true, 0xcf, true, 0, 512, 0);
	fill_shapes(r, chip);
	fill_formats(r, chip);
	fill_blocks(r, chip);

	fill_memory(r, 0);
	surface(r, true, 0xcf, true, 0, 512, 0);
	rect(r, 0xcf, 0x0f0f0f0f, 0, 0, 10, 10);
	submit(r, 1, M(SUBC_2D, 0x2a0, 1), 0x66, M(SUBC_2D, 0x2ac, 1), 4);
	rect(r, 0xcf, 0x00ffff00, 5, 5, 15, 15);
	tap(pixel32(r, 0, 512, 7, 7) == 0x0ff0f00f && pixel32(r, 0, 512, 12, 12) == 0x00ffff00 &&
		    pixel32(r, 0, 512, 1, 1) == 0x0f0f0f0f,
	    "%s: raster operation 66 is exclusive or", chip);

	fill_errors(r, chip);
	submit(r, 1, M(0, 0x50, 1), 1);
	run(r);
	tap(ref(r, 1) == 1 && clean(r), "%s: and it goes on", chip);
	rig_destroy(r);
}

static void blit(struct rig *r, uint32_t x, uint32_t y, uint32_t w, uint32_t h, uint32_t sx,
		 uint32_t sy, uint32_t du_fract, uint32_t du)
{
	submit(r, 1, M(SUBC_2D, 0x88c, 1), 0, M(SUBC_2D, 0x8b0, 4), x, y, w, h,
	       M(SUBC_2D, 0x8c0, 8), du_fract, du, du_fract, du, 0, sx, 0, sy);
	run(r);
}

/*
 * As Mesa flips 48 rows: ORIGIN=CENTER, the last row as start, a step of -1; and the same from
 * right to left.
 */
static void test_flip(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t x, y, v;
	bool ok = true;

	setup_2d(r);

	for (y = 0; y < 48; y++)
		for (x = 0; x < 64; x++) {
			v = 0xff000000 | y << 8 | x;
			nvsim_vram_write(r->sim, VRAM_MEM + 0x40000 + y * 256 + x * 4, &v, 4);
		}

	surface(r, false, 0xd5, true, 0, 256, 0x40000);
	surface(r, true, 0xd5, true, 0, 256, 0);
	submit(r, 1, M(SUBC_2D, 0x88c, 1), 0, M(SUBC_2D, 0x8b0, 4), 0, 0, 64, 48,
	       M(SUBC_2D, 0x8c0, 8), 0, 1, 0, 0xffffffff, 0, 0, 0, 47);
	run(r);

	for (y = 0; y < 48; y++)
		for (x = 0; x < 64; x++)
			ok &= pixel32(r, 0, 256, x, y) == (0xff000000 | (47 - y) << 8 | x);

	tap(ok, "%s: a blit upside down", chip);

	submit(r, 1, M(SUBC_2D, 0x8b0, 4), 0, 0, 64, 48, M(SUBC_2D, 0x8c0, 8), 0, 0xffffffff, 0, 1,
	       0, 63, 0, 0);
	run(r);

	for (ok = true, y = 0; y < 48; y++)
		for (x = 0; x < 64; x++)
			ok &= pixel32(r, 0, 256, x, y) == (0xff000000 | y << 8 | (63 - x));

	tap(ok && clean(r), "%s: a blit from right to left", chip);
	rig_destroy(r);
}

/* Formats of 8 and 16 bytes, floating point, and those of which only the name differs */
static void test_blit_formats(const char *chip)
{
	static const struct {
		uint32_t from, to, in[4], out[4];
	} rows[] = {
		{ 0xc0, 0xc0, { 1, 2, 3, 0xffffffff }, { 1, 2, 3, 0xffffffff } },
		{ 0xc3, 0xc3, { 1, 2, 3, 4 }, { 1, 2, 3, 4 } },
		{ 0xca, 0xca, { 0x7fff7c01, 0xfc00ffff }, { 0x7fff7c01, 0xfc00ffff } },
		{ 0xc0, 0xca, { 0x3f800000, 0xbf000000, 0x477fe000, 0x33800000 },
		  { 0xb8003c00, 0x00017bff } },
		{ 0xca, 0xc0, { 0xb8003c00, 0x00017bff },
		  { 0x3f800000, 0xbf000000, 0x477fe000, 0x33800000 } },
		{ 0xc0, 0xd5, { 0x3f800000, 0xbf000000, 0x3f000000, 0x7fc00000 }, { 0x008000ff } },
		{ 0xcf, 0xc0, { 0x00ff0033 }, { 0x3f800000, 0, 0x3e4ccccd, 0 } },
		{ 0xe5, 0xc0, { 0x12345678 }, { 0x12345678, 0, 0, 0x3f800000 } },
		{ 0xd6, 0xd5, { 0x12345678 }, { 0x12091830 } },	/* sRGB to linear */
		{ 0xd5, 0xd6, { 0x12091830 }, { 0x12355678 } },
		{ 0xe7, 0xe6, { 0x12345678 }, { 0x00091830 } },
		{ 0xfa, 0xd6, { 0x12345678 }, { 0xff345678 } },
		{ 0xfd, 0xcf, { 0x12345678 }, { 0xff345678 } },
		{ 0xfe, 0xfe, { 0x12345678 }, { 0x12345678 } },
		{ 0xfb, 0xf8, { 0x7c1f }, { 0x7c1f } },
		{ 0xfc, 0xcf, { 0x7c1f }, { 0xffff00ff } },
	};
	struct rig *r = ready(chip);
	bool ok = true;
	uint32_t i, k;

	setup_2d(r);

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fill_memory(r, 0);
		nvsim_vram_write(r->sim, VRAM_MEM + 0x40000, rows[i].in, 16);
		surface(r, false, rows[i].from, true, 0, 2048, 0x40000);
		surface(r, true, rows[i].to, true, 0, 2048, 0);
		blit(r, 0, 0, 1, 1, 0, 0, 0, 1);
		for (k = 0; k < 4; k++) {
			uint32_t is = peek(r, VRAM_MEM + 4 * k);

			if (is == rows[i].out[k])
				continue;
			printf("# %02x to %02x, word %u: %08x\n", rows[i].from, rows[i].to, k, is);
			ok = false;
		}
	}

	tap(ok && clean(r), "%s: wide and floating point formats", chip);
	rig_destroy(r);
}

static void blit_formats(struct rig *r, const char *chip)
{
	uint32_t x, y, v;
	bool ok = true;

	for (y = 0; y < H2D; y++)
		for (x = 0; x < W2D; x++) {
			v = 0xff000000 | y << 8 | x;
			nvsim_vram_write(r->sim, VRAM_MEM + 0x40000 + y * 448 + x * 4, &v, 4);
		}

	surface(r, false, 0xcf, true, 0, 448, 0x40000);
	surface(r, true, 0xcf, false, 0x010, 0, 0);
	blit(r, 7, 9, 50, 30, 20, 11, 0, 1);

	for (y = 0; y < H2D; y++)
		for (x = 0; x < W2D; x++) {
			bool in = x >= 7 && x < 57 && y >= 9 && y < 39;

			v = peek(r, VRAM_MEM + tiled(0, 1, 0, W2D * 4, H2D, x * 4, y, 0));
			ok &= v == (in ? 0xff000000 | (y + 2) << 8 | (x + 13) : 0);
		}

	tap(ok, "%s: blit from pitch into blocks", chip);
	surface(r, true, 0xe8, true, 0, 256, 0x80000);
	blit(r, 0, 0, 4, 1, 0x20, 0x18, 0, 1);
	tap(pixel16(r, 0x80000, 256, 0, 0) == 0x00c4 && pixel16(r, 0x80000, 256, 3, 0) == 0x00c4,
	    "%s: with another format", chip);

	surface(r, true, 0xcf, true, 0, 448, 0x80000);
	blit(r, 0, 0, 20, 10, 10, 10, 0x80000000, 0);

	for (ok = true, y = 0; y < 10; y++)
		for (x = 0; x < 20; x++)
			ok &= pixel32(r, 0x80000, 448, x, y) ==
			      (0xff000000 | (10 + y / 2) << 8 | (10 + x / 2));

	tap(ok, "%s: twice as large", chip);
}

static void blit_onto_itself(struct rig *r, const char *chip)
{
	uint32_t x, y;
	bool ok = true;

	/* onto itself, one line down and three pixels right, then back */
	surface(r, true, 0xcf, true, 0, 448, 0x40000);
	blit(r, 3, 1, 90, 50, 0, 0, 0, 1);

	for (ok = true, y = 1; y < 51; y++)
		for (x = 3; x < 93; x++)
			ok &= pixel32(r, 0x40000, 448, x, y) ==
			      (0xff000000 | (y - 1) << 8 | (x - 3));

	tap(ok, "%s: onto itself further down and right", chip);

	blit(r, 0, 0, 90, 50, 3, 1, 0, 1);

	for (ok = true, y = 0; y < 50; y++)
		for (x = 0; x < 90; x++)
			ok &= pixel32(r, 0x40000, 448, x, y) == (0xff000000 | y << 8 | x);

	tap(ok, "%s: and up and left", chip);

	/* more than it does at a time */
	for (x = 0; x < 4000; x++)
		nvsim_vram_write(r->sim, VRAM_MEM + 0x80000 + x * 4, &x, 4);

	submit(r, 1, M(SUBC_2D, 0x200, 10), 0xcf, 1, 0, 1, 0, 16384, 4000, 1, VA_HIGH,
	       VA_MEM + 0x80000, M(SUBC_2D, 0x230, 10), 0xcf, 1, 0, 1, 0, 16384, 4000, 1, VA_HIGH,
	       VA_MEM + 0x80000);
	blit(r, 5, 0, 3900, 1, 0, 0, 0, 1);

	for (ok = true, x = 0; x < 3900; x++)
		ok &= pixel32(r, 0x80000, 0, x + 5, 0) == x;

	tap(ok, "%s: a long line onto itself", chip);
}

static void test_blit(const char *chip)
{
	struct rig *r = ready(chip);

	setup_2d(r);
	fill_memory(r, 0);
	blit_formats(r, chip);
	blit_onto_itself(r, chip);
	surface(r, false, 0xcf, true, 0, 448, VA_HOLE - VA_MEM);
	surface(r, true, 0xcf, true, 0, 448, 0x40000);
	blit(r, 0, 0, 2, 2, 0, 0, 0, 1);
	tap(trapped(r, 0x40, r->gt215 ? 0x408600 : 0x408900, 1, 0xa, 0), "%s: source fault", chip);
	recover(r);
	tap(clean(r), "%s: no violation", chip);
	rig_destroy(r);
}

static void test_sifc(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t x, y;
	bool ok;

	setup_2d(r);
	fill_memory(r, 0);
	surface(r, true, 0xe8, true, 0, 256, 0);
	submit(r, 1, M(SUBC_2D, 0x800, 2), 0, 0xe8, M(SUBC_2D, 0x838, 10), 3, 2, 0, 1, 0, 1, 0, 5, 0,
	       7, NI(SUBC_2D, 0x860, 4), 0x22221111, 0xdead3333, 0x55554444, 0xdead6666);
	run(r);

	for (ok = true, y = 0; y < 12; y++)
		for (x = 0; x < 12; x++) {
			bool in = x >= 5 && x < 8 && y >= 7 && y < 9;

			ok &= pixel16(r, 0, 256, x, y) ==
			      (in ? ((y - 7) * 3 + x - 4) * 0x1111 : 0);
		}

	tap(ok, "%s: image of 16-bit pixels, lines start with a word", chip);

	surface(r, true, 0xcf, true, 0, 512, 0x10000);
	submit(r, 1, M(SUBC_2D, 0x800, 2), 0, 0xcf, M(SUBC_2D, 0x838, 10), 2, 1, 0, 1, 0, 1, 0, 99,
	       0, 0, NI(SUBC_2D, 0x860, 3), 0xaaaaaaaa, 0xbbbbbbbb, 0xcccccccc);
	run(r);
	tap(pixel32(r, 0x10000, 512, 99, 0) == 0xaaaaaaaa &&
		    pixel32(r, 0x10000, 512, 100, 0) == 0 && pixel32(r, 0x10000, 512, 0, 1) == 0,
	    "%s: cut at the surface's end, words too many are dropped", chip);

	/* 10x2 bits, lines start with a byte: a diagonal cross of ones over zeros */
	submit(r, 1, M(SUBC_2D, 0x800, 1), 1, M(SUBC_2D, 0x808, 6), 0, 0, 1, 0x01010101, 0x02020202,
	       1, M(SUBC_2D, 0x838, 10), 10, 2, 0, 1, 0, 1, 0, 20, 0, 30, M(SUBC_2D, 0x860, 1),
	       0x40214080);
	run(r);
	tap(pixel32(r, 0x10000, 512, 20, 30) == 0x02020202 &&
		    pixel32(r, 0x10000, 512, 21, 30) == 0x01010101 &&
		    pixel32(r, 0x10000, 512, 29, 30) == 0x02020202 &&
		    pixel32(r, 0x10000, 512, 22, 31) == 0x02020202 &&
		    pixel32(r, 0x10000, 512, 27, 31) == 0x02020202 &&
		    pixel32(r, 0x10000, 512, 29, 31) == 0x02020202 &&
		    pixel32(r, 0x10000, 512, 30, 31) == 0,
	    "%s: bits, with two colours", chip);

	submit(r, 1, M(SUBC_2D, 0x81c, 1), 0, M(SUBC_2D, 0x838, 10), 8, 1, 0, 1, 0, 1, 0, 20, 0, 32,
	       M(SUBC_2D, 0x860, 1), 0x80);
	run(r);
	tap(pixel32(r, 0x10000, 512, 20, 32) == 0x02020202 && !pixel32(r, 0x10000, 512, 21, 32) &&
		    clean(r),
	    "%s: or only the ones", chip);
	rig_destroy(r);
}

/* --- beside each other --- */

/* Two channels with different state, method by method */
static void test_isolation(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t i, n;
	bool ok = true;

	fill_memory(r, 0);

	for (n = 1; n <= 2; n++) {
		submit(r, n, M(SUBC_2D, 0x200, 10), 0xcf, 1, 0, 1, 0, 512, W2D, H2D, 0,
		       VA_MEM + n * 0x20000, M(SUBC_2D, 0x290, 1), 0, M(SUBC_2D, 0x2ac, 1), 3,
		       M(SUBC_2D, 0x580, 3), 4, 0xcf, n * 0x11111111);
	}

	run(r);

	for (i = 0; i < 10; i++) {
		for (n = 1; n <= 2; n++) {
			r->push_at[n] = 0;
			submit(r, n, M(SUBC_2D, 0x600, 4), i, i, i + 1, i + 1);
		}

		run(r);
		r->now += 60000;
	}

	for (i = 0; i < 10; i++)
		for (n = 1; n <= 2; n++)
			ok &= pixel32(r, n * 0x20000, 512, i, i) == n * 0x11111111;

	tap(ok && clean(r), "%s: two channels keep their state", chip);
	rig_destroy(r);
}

static void reset_pgraph(struct rig *r)
{
	uint32_t en = rd(r, NV_PMC_ENABLE);

	wr(r, NV_PMC_ENABLE, en & ~0x1000u);
	wr(r, NV_PMC_ENABLE, en);
}

static void kick(struct rig *r, unsigned int n)
{
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, n), chan_entry(r, n));
	playlist(r, 1, 3 - n);
	if (r->g80)
		wr(r, NV_PME_CONTROL, 1);
	else
		wr(r, NV_PFIFO_ENGINE_CTRL, 1);

	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(n) >> 12);
	run(r);
}

static void start(struct rig *r, unsigned int n)
{
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, n), chan_entry(r, n) | 1u << 31);
	playlist(r, 2, 1, 2);
}

static void contexts_kept(struct rig *r, const char *chip)
{
	uint32_t desc = CHAN_BASE(1) >> 12;

	submit(r, 1, M(SUBC_M2MF, 0x31c, 1), 0x1234);
	run(r);
	tap(rd(r, NV_PGRAPH_CTXCTL_CUR) == (0x80000000 | desc) && !rd(r, NV_PGRAPH_CTXCTL_CONTROL),
	    "%s: a method brings its channel's context", chip);
	kick(r, 1);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && rd(r, NV_PGRAPH_CTXCTL_CUR) == 0 && clean(r),
	    "%s: a kick takes it away", chip);

	reset_pgraph(r);
	gr_init(r);
	start(r, 1);
	fill_memory(r, 0x5a);
	submit(r, 1, M(SUBC_M2MF, 0x200, 1), 1, M(SUBC_M2MF, 0x21c, 1), 1, M(SUBC_M2MF, 0x238, 2),
	       0, 0, M(SUBC_M2MF, 0x30c, 4), VA_MEM, VA_MEM + 0x20000, 0, 0,
	       M(SUBC_M2MF, 0x320, 3), 1, 0x101, 0);
	set_byte(r, 0x1233, 1);
	set_byte(r, 0x1234, 2);
	run(r);
	tap(byte(r, 0x21233) == 1 && byte(r, 0x21234) == 0x5a && clean(r),
	    "%s: its state was in the image, over a reset", chip);
}

static void contexts_image_too_small(struct rig *r, const char *chip)
{
	/* an image that is too small */
	kick(r, 1);
	put_dmaobj(r, gr_context_object(r, 1), 0x00190000, GR_IMAGE(1), GR_IMAGE(1) + 0x7fff);
	bar_flush(r);
	wr(r, NV_PFB_VM_FAULT, 1u << 31);
	start(r, 1);
	submit(r, 1, M(SUBC_M2MF, 0x100, 1), 0, M(0, 0x50, 1), 1);
	run(r);
	tap(trapped(r, 1, NV_PGRAPH_DISPATCH_TRAP, 8, 3, 0) && ref(r, 1) != 1 &&
		    (rd(r, NV_PFB_VM_FAULT_DATA) >> (r->gt215 ? 8 : 4) & 0xf) == 0xf &&
		    (rd(r, NV_PGRAPH_STATUS) & 0x101) == 0x101,
	    "%s: an image that is too small: fault of the context's slot, PGRAPH hangs", chip);
	kick(r, 1);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0, "%s: a channel that never got in can go", chip);
	reset_pgraph(r);
	run(r);
	tap(!rd(r, NV_PGRAPH_STATUS) && clean(r), "%s: after a reset it is idle again", chip);
}

static void contexts_by_software(struct rig *r, const char *chip)
{
	uint32_t desc = CHAN_BASE(1) >> 12;

	/* switching by software: an interrupt, and then by hand */
	wr(r, NV_PGRAPH_CONTROL, 0x10001);
	r->now += 100000;
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) == 0x1000 && ref(r, 1) != 1,
	    "%s: with DEBUG_3 off the host is asked to switch", chip);

	wr(r, NV_PGRAPH_CTXCTL_CUR, 0x80000000 | desc);
	wr(r, NV_PGRAPH_INTR, ~0u);
	r->now += 100000;
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) == 0x20 && rd(r, NV_PGRAPH_TRAPPED_CLASS) == 0,
	    "%s: which gives a channel without objects", chip);

	wr(r, NV_PGRAPH_INTR, ~0u);
	wr(r, NV_PGRAPH_CONTROL, 0x10001);
	submit(r, 1, M(SUBC_M2MF, 0, 1), 0x5039, M(0, 0x50, 1), 2);
	r->now += 100000;
	run(r);
	tap(ref(r, 1) == 2 && clean(r), "%s: and works with new ones", chip);
}

static void test_contexts(const char *chip)
{
	struct rig *r = ready(chip);

	contexts_kept(r, chip);
	contexts_image_too_small(r, chip);

	/* no program */
	wr(r, NV_PGRAPH_DEBUG_3, 4);
	wr(r, NV_PGRAPH_CONTROL, 0x10001);
	gr_context(r, 1);
	bar_flush(r);
	start(r, 1);
	run(r);
	tap(violated(r, "no instruction") && rd(r, NV_PGRAPH_STATUS), "%s: without a program it hangs",
	    chip);
	reset_pgraph(r);

	contexts_by_software(r, chip);
	rig_destroy(r);
}

static void test_beside(const char *chip)
{
	struct rig *r = ready(chip);
	unsigned int i;

	m2mf_linear(r, VA_MEM, 0x1000, VA_MEM + 0x200000, 0x1000, 0x1000, 256, 0);
	submit(r, 1, M(0, 0x50, 1), 1);

	for (i = 0; i < 100 && !rd(r, NV_PGRAPH_STATUS); i++)
		nvsim_run(r->sim, 1);

	tap((rd(r, NV_PGRAPH_STATUS) & 0x41) == 0x41 && rd(r, NV_PGRAPH_VSTATUS) &&
		    !(rd(r, NV_PFIFO_ENGINE_IDLE) & 1),
	    "%s: a copy takes its time", chip);
	submit(r, 2, M(0, 0x50, 1), 1);
	nvsim_run(r->sim, 200);
	tap(ref(r, 2) == 1 && ref(r, 1) == 0, "%s: other channels run meanwhile", chip);

	run(r);
	r->now += 100000;
	run(r);
	tap(ref(r, 1) == 1 && !rd(r, NV_PGRAPH_STATUS) && clean(r), "%s: REF_CNT waited for it",
	    chip);
	rig_destroy(r);
}

int main(void)
{
	static const char *const chips[] = { "g80", "g96", "gt216" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		test_m2mf(chips[i]);
		test_m2mf_runs(chips[i]);
		test_m2mf_bytes(chips[i]);
		test_m2mf_tiled(chips[i]);
		test_m2mf_faults(chips[i]);
		test_data_errors(chips[i]);
		test_illegal_methods(chips[i]);
		test_notify(chips[i]);
		test_query(chips[i]);
		test_fill(chips[i]);
		test_blit(chips[i]);
		test_flip(chips[i]);
		test_blit_formats(chips[i]);
		test_sifc(chips[i]);
		test_beside(chips[i]);
	}

	for (i = 0; nvsim_chipset_names[i]; i++) {
		test_isolation(nvsim_chipset_names[i]);
		test_contexts(nvsim_chipset_names[i]);
	}

	test_pieces();

	return tap_end();
}
