// SPDX-License-Identifier: MIT
/*
 * PGRAPH refuses methods that a class does not have, and values outside of limits. Draws, launches
 * and copies are errors with some state. The expected codes are those of rnndb.
 */
#include "rig_3d.h"

#define SUBC_OLD	2
#define SUBC_COMPUTE	4

#define INTR_ILLEGAL_MTHD	0x00000010u

/* Send methods until one has a wrong answer; false then. @error 0: none, ~0: ILLEGAL_MTHD */
static bool answers(struct rig *r, uint32_t subc, uint32_t mthd, uint32_t data, uint32_t error)
{
	uint32_t want = error ? INTR_DATA : 0, intr, code;
	bool ok;

	if (error == ~0u)
		want = INTR_ILLEGAL_MTHD;

	r->push_at[1] = 0;
	submit(r, 1, M(subc, mthd, 1), data);
	run(r);
	intr = rd(r, NV_PGRAPH_INTR);
	code = rd(r, NV_PGRAPH_DATA_ERROR);
	ok = intr == want && (want != INTR_DATA || code == error) &&
	     (!want || rd(r, NV_PGRAPH_TRAPPED_ADDR) == (subc << 16 | mthd));
	if (!ok)
		printf("# subchannel %u, method %04x with %08x: INTR %08x, code %x\n", subc, mthd, data,
		       intr, code);
	if (intr)
		recover(r);
	return ok;
}

struct row {
	uint32_t subc, mthd, data, error;
};

static bool all_answer(struct rig *r, const struct row *rows, size_t count)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < count; i++)
		ok &= answers(r, rows[i].subc, rows[i].mthd, rows[i].data, rows[i].error);
	return ok;
}

#define ALL_ANSWER(r, rows)	all_answer(r, rows, sizeof(rows) / sizeof((rows)[0]))

static void test_methods(const char *chip)
{
	static const struct row rows[] = {
		{ SUBC_3D, 0x10c, 0, ~0u }, { SUBC_3D, 0x02f8, 0, ~0u }, { SUBC_3D, 0x0218, 0, ~0u },
		{ SUBC_3D, 0x0214, 0, 0 }, { SUBC_3D, 0x1efc, 0, ~0u }, { SUBC_3D, 0x1e20, 0, 0 },
		{ SUBC_2D, 0x022c, 0, ~0u }, { SUBC_2D, 0x0228, 0, 0 }, { SUBC_2D, 0x0540, 0, ~0u },
		{ SUBC_M2MF, 0x0300, 0, ~0u }, { SUBC_M2MF, 0x030c, 0, 0 },
		{ SUBC_COMPUTE, 0x0184, H_VM, ~0u }, { SUBC_COMPUTE, 0x1ffc, 0, ~0u },
		{ SUBC_COMPUTE, 0x0204, ~0u, 0 },
	};
	const uint32_t of_gt215 = strcmp(chip, "gt215") ? ~0u : 0;
	const uint32_t of_g84 = strcmp(chip, "g80") ? 0 : ~0u;
	struct rig *r = ready(chip);
	bool ok;

	submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0);
	run(r);
	/* IBLEND is the GT215's. */
	ok = all_answer(r, rows, 5) && answers(r, SUBC_3D, 0x1e20, 0, of_gt215);
	ok &= all_answer(r, rows + 6, sizeof(rows) / sizeof(rows[0]) - 6);
	tap(ok, "%s: each class has its methods and no others", chip);

	ok = answers(r, SUBC_3D, 0x1780, 0, of_g84) && answers(r, SUBC_3D, 0x0ffc, 0, of_g84) &&
	     answers(r, SUBC_2D, 0x0258, 0, of_g84) && answers(r, SUBC_3D, 0x120, 0, of_gt215);
	tap(ok && clean(r), "%s: and those of its chip", chip);
	rig_destroy(r);
}

static void test_limits(const char *chip)
{
	static const struct row rows[] = {
		{ SUBC_3D, 0x1420, 0, 4 },	 { SUBC_3D, 0x1420, 1, 0 },
		{ SUBC_3D, 0x1420, 0x400, 0 },	 { SUBC_3D, 0x1420, 0x401, 4 },
		{ SUBC_3D, 0x1560, 0x10, 4 },	 { SUBC_3D, 0x1560, 0x20, 0 },
		{ SUBC_3D, 0x1564, 0x2000, 4 },	 { SUBC_3D, 0x1564, 0x1fff, 0 },
		{ SUBC_3D, 0x13b8, 0x74, 0 },	 { SUBC_3D, 0x13bc, 0x05, 4 },
		{ SUBC_3D, 0x13b4, 0x80, 4 },	 { SUBC_3D, 0x1a98, 0x40, 0 },
		{ SUBC_3D, 0x1ab8, 0x41, 4 },	 { SUBC_3D, 0x1294, 0x80100, 4 },
		{ SUBC_2D, 0x248, 0x10000, 0 },	 { SUBC_2D, 0x248, 0x10001, 4 },
		{ SUBC_2D, 0x244, 0x40001, 4 },	 { SUBC_COMPUTE, 0x298, 0x80, 4 },
		{ SUBC_COMPUTE, 0x298, 0x100, 0 }, { SUBC_COMPUTE, 0x374, 65 << 8, 4 },
		{ SUBC_COMPUTE, 0x3b0, 0, 4 },	 { SUBC_COMPUTE, 0x3b0, 64, 0 },
		{ SUBC_COMPUTE, 0x3b0, 65, 4 },	 { SUBC_COMPUTE, 0x5f0, 0x600, 4 },
		{ SUBC_COMPUTE, 0x5f0, 0x500, 0 }, { SUBC_COMPUTE, 0x5e8, 0x80, 4 },
		{ SUBC_COMPUTE, 0x3a8, 0x20, 0xb }, { SUBC_COMPUTE, 0x3a8, 0x4040, 4 },
	};
	struct rig *r = ready(chip);

	submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0);
	run(r);
	tap(ALL_ANSWER(r, rows) && clean(r), "%s: limits of values", chip);
	rig_destroy(r);
}

/* DMA objects for reading only, and with a supervisor's rights */
static void test_dma_objects(const char *chip)
{
	static const struct row rows[] = {
		{ SUBC_M2MF, 0x184, H_RO, 0 },	      { SUBC_M2MF, 0x188, H_RO, 9 },
		{ SUBC_M2MF, 0x180, H_RO, 9 },	      { SUBC_M2MF, 0x188, H_SUPER, 0xa },
		{ SUBC_2D, 0x184, H_RO, 9 },	      { SUBC_2D, 0x188, H_RO, 0 },
		{ SUBC_2D, 0x18c, H_RO, 0 },	      { SUBC_2D, 0x18c, H_SUPER, 0xa },
		{ SUBC_3D, 0x184, H_RO, 9 },	      { SUBC_3D, 0x188, H_RO, 9 },
		{ SUBC_3D, 0x18c, H_RO, 0 },	      { SUBC_3D, 0x190, H_RO, 9 },
		{ SUBC_3D, 0x194, H_RO, 9 },	      { SUBC_3D, 0x1a4, H_RO, 0 },
		{ SUBC_3D, 0x1a8, H_RO, 9 },	      { SUBC_3D, 0x1c0, H_RO, 9 },
		{ SUBC_3D, 0x1dc, H_RO, 9 },	      { SUBC_3D, 0x1a0, H_SUPER, 0xa },
		{ SUBC_3D, 0x180, H_NULL, 0 },	      { SUBC_COMPUTE, 0x1a0, H_RO, 9 },
		{ SUBC_COMPUTE, 0x1a4, H_RO, 9 },     { SUBC_COMPUTE, 0x1b8, H_RO, 9 },
		{ SUBC_COMPUTE, 0x1bc, H_RO, 9 },     { SUBC_COMPUTE, 0x1c0, H_RO, 0 },
		{ SUBC_COMPUTE, 0x1cc, H_SUPER, 0xa }, { SUBC_COMPUTE, 0x1a0, H_VM, 0 },
	};
	struct rig *r = ready(chip);

	submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0);
	run(r);
	tap(ALL_ANSWER(r, rows) && clean(r), "%s: READ_ONLY_OBJECT and SUPERVISOR_OBJECT", chip);
	rig_destroy(r);
}

/* Enumerations, of which rnndb or NVIDIA's headers have the values */
static void test_values(const char *chip)
{
	static const struct row rows[] = {
		{ SUBC_3D, 0x130c, 0x207, 0 },	      { SUBC_3D, 0x130c, 0x208, 5 },
		{ SUBC_3D, 0x130c, 0x1234, 5 },	      { SUBC_3D, 0x130c, 0, 5 },
		{ SUBC_3D, 0x19c8, 0x150f, 0 },	      { SUBC_3D, 0x19c8, 0x1510, 5 },
		{ SUBC_3D, 0x1340, 0x8006, 0 },	      { SUBC_3D, 0x134c, 0x8009, 5 },
		{ SUBC_3D, 0x1344, 0xc904, 5 },	      { SUBC_3D, 0x1358, 0xc903, 0 },
		{ SUBC_3D, 0x1384, 0x8508, 0 },	      { SUBC_3D, 0x1598, 0x8509, 5 },
		{ SUBC_3D, 0x1918, 1, 0 },	      { SUBC_3D, 0x1920, 0x406, 5 },
		{ SUBC_3D, 0x1920, 0x408, 0 },	      { SUBC_3D, 0x191c, 0x902, 5 },
		{ SUBC_3D, 0x0dac, 0x1b03, 5 },	      { SUBC_3D, 0x0db0, 0x1b00, 0 },
		{ SUBC_3D, 0x12d4, 0x1d02, 5 },	      { SUBC_3D, 0x15dc, 0xe, 5 },
		{ SUBC_3D, 0x15dc, 0x1000000e, 5 },   { SUBC_3D, 0x15d4, 0, 5 },
		{ SUBC_3D, 0x0208, 0xd3, 5 },	      { SUBC_3D, 0x02e8, 0xbf, 5 },
		{ SUBC_3D, 0x02e8, 0, 0 },	      { SUBC_3D, 0x0fe8, 0x17, 5 },
		{ SUBC_3D, 0x15d0, 0xc, 5 },	      { SUBC_3D, 0x17b0, 4, 5 },
		{ SUBC_3D, 0x1694, 0x10, 5 },	      { SUBC_3D, 0x1950, 3, 5 },
		{ SUBC_COMPUTE, 0x3b8, 3, 5 },	      { SUBC_COMPUTE, 0x3b8, 2, 0 },
		{ SUBC_2D, 0x0200, 0xc1, 5 },	      { SUBC_2D, 0x0200, 0x1d, 5 },
		{ SUBC_2D, 0x0230, 0x1d, 0 },	      { SUBC_2D, 0x0584, 0xca, 5 },
		{ SUBC_2D, 0x0584, 0xfe, 0 },	      { SUBC_2D, 0x0804, 0xfa, 5 },
		{ SUBC_2D, 0x0208, 0x60, 5 },	      { SUBC_2D, 0x0238, 0x550, 0 },
		{ SUBC_2D, 0x0238, 0x1000, 0xc },     { SUBC_2D, 0x02b4, 4, 5 },
		{ SUBC_2D, 0x02e8, 6, 5 },	      { SUBC_2D, 0x02ec, 2, 5 },
		{ SUBC_2D, 0x0810, 3, 5 },	      { SUBC_M2MF, 0x0204, 0x60, 5 },
		{ SUBC_M2MF, 0x0220, 0x600, 5 },      { SUBC_M2MF, 0x0220, 0x1000, 0xc },
		{ SUBC_M2MF, 0x0220, 0x550, 0 },
	};
	/* Direct3D's numbers, later cards' modes, and flags that are neither 0 nor 1 */
	static const struct row missing[] = {
		{ SUBC_3D, 0x130c, 4, 0 }, { SUBC_3D, 0x1344, 0x13, 0 }, { SUBC_3D, 0x12cc, 2, 0 },
		{ SUBC_3D, 0x15d0, 0xb, 0 }, { SUBC_3D, 0x020c, 0x60, 0 }, { SUBC_2D, 0x0290, 2, 0 },
		{ SUBC_3D, 0x1a1c, 0x20, 0 },
	};
	struct rig *r = ready(chip);
	struct nvsim_missing m;
	unsigned int i;
	bool ok;

	submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0);
	run(r);
	ok = ALL_ANSWER(r, rows);
	tap(ok && !nvsim_get_missing(r->sim, 0, &m), "%s: values of enumerations", chip);

	ok = true;
	for (i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		ok &= answers(r, missing[i].subc, missing[i].mthd, missing[i].data, 0) &&
		      nvsim_get_missing(r->sim, i, &m) && m.kind == NVSIM_MISSING_VALUE;
	tap(ok && !nvsim_get_missing(r->sim, i, &m), "%s: values of which no source says it are findings",
	    chip);
	rig_destroy(r);
}

/* rnndb: "invalid param to QUERY_GET", and "STRMOUT parameter without disabling STRMOUT first" */
static void test_operations(const char *chip)
{
	static const struct row rows[] = {
		{ SUBC_3D, 0x1b0c, 3, 3 },	 { SUBC_3D, 0x1b0c, 0x3000, 3 },
		{ SUBC_3D, 0x1b0c, 0xf010, 0 },	 { SUBC_3D, 0x1294, 0, 0 },
		{ SUBC_3D, 0x17b8, 1, 0 },	 { SUBC_3D, 0x1294, 0, 3 },
		{ SUBC_3D, 0x1a80, 0, 3 },	 { SUBC_3D, 0x1ab8, 4, 3 },
		{ SUBC_3D, 0x0da8, 0, 3 },	 { SUBC_3D, 0x1480, 0, 0 },
		{ SUBC_3D, 0x17b8, 0, 0 },	 { SUBC_3D, 0x1ab8, 4, 0 },
	};
	struct rig *r = ready(chip);

	submit(r, 1, M(SUBC_3D, 0x1b00, 3), 0, VA_MEM, 0);
	run(r);
	tap(ALL_ANSWER(r, rows) && clean(r), "%s: INVALID_OPERATION", chip);
	rig_destroy(r);
}

/* Formats of 2D that do not go together, or not with an operation */
static void test_formats_of_2d(const char *chip)
{
	static const struct {
		uint32_t dst, src, operation, error;
	} rows[] = {
		{ 0xf3, 0xf3, 3, 0 },	 { 0xf3, 0xcf, 3, 0x34 }, { 0xee, 0xe8, 3, 0x34 },
		{ 0xe5, 0xcf, 3, 0x34 }, { 0xff, 0xcf, 3, 0x31 }, { 0xcf, 0xff, 3, 0x31 },
		{ 0xcf, 0xf3, 3, 0 },	 { 0xca, 0xca, 3, 0 },	  { 0xca, 0xca, 4, 0x33 },
		{ 0xca, 0xcf, 1, 0x33 }, { 0xca, 0xca, 0, 0 },	  { 0xe8, 0xe8, 4, 0 },
		{ 0xf3, 0xf3, 4, 0 },	 { 0xff, 0xff, 2, 0x33 }, { 0xd0, 0xcb, 3, 0 },
		{ 0xf2, 0xce, 3, 0 },
	};
	struct rig *r = ready(chip);
	struct nvsim_missing m;
	unsigned int i;
	bool ok = true;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r->push_at[1] = 0;
		submit(r, 1, M(SUBC_2D, 0x200, 2), rows[i].dst, 1, M(SUBC_2D, 0x214, 5), 256, 4, 4, 0, VA_MEM,
		       M(SUBC_2D, 0x230, 2), rows[i].src, 1, M(SUBC_2D, 0x244, 5), 256, 4, 4, 0,
		       VA_MEM + 0x1000, M(SUBC_2D, 0x2a0, 1), 0xcc, M(SUBC_2D, 0x2ac, 1),
		       rows[i].operation, M(SUBC_2D, 0x8b0, 11), 0, 0, 4, 4, 0, 1, 0, 1, 0, 0, 0);
		run(r);
		ok &= answers(r, SUBC_2D, 0x8dc, 0, rows[i].error);
	}
	tap(ok, "%s: ENG2D_FORMAT_MISMATCH, its B, and OPERATION_ILLEGAL_FOR_DST_FORMAT", chip);

	ok = answers(r, SUBC_2D, 0x2ac, 3, 0) && answers(r, SUBC_2D, 0x230, 0x1c, 0) &&
	     answers(r, SUBC_2D, 0x8dc, 0, 0);
	for (i = 0; nvsim_get_missing(r->sim, i, &m) && m.kind != NVSIM_MISSING_FORMAT_2D; i++)
		continue;
	tap(ok && nvsim_get_missing(r->sim, i, &m) && clean(r), "%s: a format that the model does not do",
	    chip);
	rig_destroy(r);
}

/* --- draws --- */

/* State on top of setup_3d(), by which the first vertex of a draw is refused */
static const struct {
	uint32_t error, state[6];	/* methods and data */
} draws[] = {
	{ 0 },
	{ 0x12, { 0x1240, 0x80000200, 0x1538, 1 } },	/* RT_LINEAR_WITH_ZETA */
	{ 0x17, { 0x1240, 0x80000200, 0x15d0, 1 } },	/* RT_LINEAR_WITH_MSAA */
	{ 0x10, { 0x121c, 0x002 } },	/* RT_DOUBLE_BIND: 0 and 0 */
	{ 0x11, { 0x121c, 0x082, 0x228, 0xd5, 0x1248, 0x80000200 } },	/* RT_TYPES_MISMATCH */
	{ 0x1a, { 0x204, VA_MEM + 0x40 } },	/* RT_INVALID_ALIGNMENT */
	{ 0x1f, { 0x208, 0xc0, 0x15d0, 3 } },	/* RT_BPP128_WITH_MS8 */
	{ 0x16, { 0x1538, 1, 0xfe8, 0x18 } },	/* ZETA_FORMAT_CSAA_MISMATCH */
	{ 0x16, { 0x1538, 1, 0xfe8, 0x16, 0x15d0, 8 } },
	{ 0x24, { 0x1650, 0 } },	/* VP_ZERO_INPUTS */
	{ 0x15, { 0x1298, 4, 0x198c, 3 } },	/* FP_TOO_FEW_REGS */
	{ 0, { 0x1298, 4, 0x198c, 4 } },
	{ 0x18, { 0x1988, 0x08040804 } },	/* FP_INTERPOLANT_START_OVER_LIMIT */
	{ 0x46, { 0x15cc, 0x10000 } },	/* LAYER_ID_NEEDS_GP */
	{ 0x19, { 0x15cc, 0x10000, 0x1798, 1, 0x190c, 0x40 } },	/* SEMANTIC_LAYER_OVER_LIMIT */
	{ 0x44, { 0x1900, 1, 0x1798, 1, 0xfd4, 0x40 } },	/* SEMANTIC_VIEWPORT_OVER_LIMIT */
	{ 0x0f, { 0x1900, 1 } },	/* VIEWPORT_ID_NEEDS_GP */
	{ 0x47, { 0x1510, 1, 0x1908, 0x108 } },	/* SEMANTIC_CLIP_OVER_LIMIT */
	{ 0x48, { 0x1910, 0x81 } },	/* SEMANTIC_PTSZ_OVER_LIMIT */
	{ 0x45, { 0x1904, 0x00040005 } },	/* SEMANTIC_COLOR_FRONT_OVER_LIMIT */
	{ 0x0e, { 0x1904, 0x00040504, 0x1688, 1 } },	/* SEMANTIC_COLOR_BACK_OVER_LIMIT */
	{ 0, { 0x1904, 0x00040404, 0x1688, 1 } },
};

static void test_draws(const char *chip)
{
	unsigned int i, k;
	struct rig *r;
	bool ok = true, here;

	for (i = 0; i < sizeof(draws) / sizeof(draws[0]); i++) {
		r = ready(chip);
		setup_3d(r);
		target_3d(r, 1, 0xd5, false, 0);
		for (k = 0; k < 6; k += 2)
			if (draws[i].state[k])
				submit(r, 1, M(SUBC_3D, draws[i].state[k], 1), draws[i].state[k + 1]);
		submit(r, 1, M(SUBC_3D, 0x15dc, 1), 5);
		run(r);
		here = !rd(r, NV_PGRAPH_INTR);
		vertex(r, -1, -1, 0, 1, 0);
		run(r);
		here &= rd(r, NV_PGRAPH_INTR) == (draws[i].error ? INTR_DATA : 0) &&
			rd(r, NV_PGRAPH_DATA_ERROR) == draws[i].error &&
			(!draws[i].error || rd(r, NV_PGRAPH_TRAPPED_ADDR) == (SUBC_3D << 16 | 0x1640));
		if (!here)
			printf("# row %u: INTR %08x, code %x\n", i, rd(r, NV_PGRAPH_INTR),
			       rd(r, NV_PGRAPH_DATA_ERROR));
		ok &= here && clean(r);
		rig_destroy(r);
	}
	tap(ok, "%s: state with which the first vertex of a draw is an error", chip);
}

static void test_between_begin_and_end(const char *chip)
{
	static const struct row rows[] = {
		{ SUBC_3D, 0x12e4, 0, 0xd }, { SUBC_3D, 0x19c4, 0, 0xd }, { SUBC_3D, 0x204, 0, 0xd },
		{ SUBC_3D, 0x15e4, 1, 0 }, { SUBC_3D, 0x500, 0, 0 }, { SUBC_3D, 0x1300, 0, 0 },
		{ SUBC_3D, 0x110, 0, 0 }, { SUBC_3D, 0x15e0, 0, 0 }, { SUBC_3D, 0x12e4, 0, 0 },
		{ SUBC_3D, 0x19c4, 0, 0 },
	};
	struct rig *r = ready(chip);

	setup_3d(r);
	submit(r, 1, M(SUBC_3D, 0x15dc, 1), 4);
	run(r);
	tap(ALL_ANSWER(r, rows) && clean(r), "%s: BEGIN_END_ACTIVE", chip);
	rig_destroy(r);
}

static void test_bindings(const char *chip)
{
	static const struct row rows[] = {
		/* A new context has the tables' limits of nouveau's first image. */
		{ SUBC_3D, 0x1458, 0x201, 0 }, { SUBC_3D, 0x1454, 0x1001, 0 },
		{ SUBC_COMPUTE, 0, 0x50c0, 0 }, { SUBC_COMPUTE, 0x3c4, 0x201, 0 },
		{ SUBC_COMPUTE, 0x3c0, 0x1001, 0 },
		{ SUBC_3D, 0x13bc, 0x21, 0 }, { SUBC_3D, 0x157c, 9, 0 }, { SUBC_3D, 0x1564, 7, 0 },
		{ SUBC_3D, 0x1458, 1 | 3 << 1 | 9 << 9, 0 }, { SUBC_3D, 0x1458, 1 | 4 << 1, 0x1c },
		{ SUBC_3D, 0x1458, 1 | 10 << 9, 3 }, { SUBC_3D, 0x1458, 4 << 1, 0 },
		{ SUBC_3D, 0x1454, 1 | 1 << 4 | 7 << 12, 0 }, { SUBC_3D, 0x1454, 1 | 2 << 4, 0x1b },
		{ SUBC_3D, 0x1454, 1 | 8 << 12, 3 },
	};
	struct rig *r = ready(chip);

	tap(ALL_ANSWER(r, rows) && clean(r), "%s: textures and samplers past TEX_LIMITS or the table",
	    chip);
	rig_destroy(r);
}

/* --- launches and copies --- */

static const struct {
	uint32_t error, state[12];
} launches[] = {
	{ 0 },
	{ 0x2e, { 0x3ac, 8 | 1 << 16 } },	/* CP_NO_BLOCKDIM_LATCH */
	{ 0x2b, { 0x2b4, 65 } },	/* CP_BLOCK_SIZE_MISMATCH */
	{ 0x2a, { 0x2b4, 1025 } },	/* CP_NOT_ENOUGH_WARPS */
	{ 4, { 0x2b4, 768 } },
	{ 0x27, { 0x374, 13 << 8 } },	/* CP_MORE_PARAMS_THAN_SHARED: 0x44 bytes */
	{ 0, { 0x374, 12 << 8 } },
	{ 0x28, { 0x2c0, 257 } },	/* CP_NO_REG_SPACE_STRIPED */
	{ 0x29, { 0x2c0, 257, 0x3b8, 1 } },	/* CP_NO_REG_SPACE_PACKED */
	/* 4 warps where 2 are allocated: CP_NOT_ENOUGH_LOCAL_WARPS, CP_NOT_ENOUGH_STACK_WARPS */
	{ 0x2c, { 0x29c, 1, 0x2fc, 1, 0x300, 0, 0x2b4, 100, 0x3ac, 128 | 1 << 16, 0x2f8, 1 } },
	{ 0x2d, { 0x220, 4, 0x304, 1, 0x308, 0, 0x2b4, 100, 0x3ac, 128 | 1 << 16, 0x2f8, 1 } },
	{ 0x2c, { 0x29c, 1, 0x2fc, 0, 0x300, 0 } },
	{ 0, { 0x29c, 1, 0x2fc, 0 } },	/* LOCAL_WARPS_NO_CLAMP is set in a new context. */
};

static void test_launches(const char *chip)
{
	unsigned int i, k;
	bool ok = true, here;
	struct rig *r;
	uint32_t error;

	for (i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
		r = ready(chip);
		set_program(r, 0, (const uint32_t[]){ 0xf0000001, 0xe0000781 }, 8);
		submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0, M(SUBC_COMPUTE, 0x1c0, 1), H_VM,
		       M(SUBC_COMPUTE, 0x210, 2), 0, VA_MEM + CODE, M(SUBC_COMPUTE, 0x3a4, 4), 0x10001,
		       0x40, 64 | 1 << 16, 1, M(SUBC_COMPUTE, 0x2b4, 1), 64, M(SUBC_COMPUTE, 0x2b8, 1), 1,
		       M(SUBC_COMPUTE, 0x2f8, 1), 1);
		for (k = 0; k < 12; k += 2)
			if (launches[i].state[k])
				submit(r, 1, M(SUBC_COMPUTE, launches[i].state[k], 1),
				       launches[i].state[k + 1]);
		submit(r, 1, M(SUBC_COMPUTE, 0x368, 1), 0);
		run(r);
		error = launches[i].error;
		here = rd(r, NV_PGRAPH_INTR) == (error ? INTR_DATA : 0) &&
		       rd(r, NV_PGRAPH_DATA_ERROR) == error;
		if (!here)
			printf("# row %u: INTR %08x, code %x\n", i, rd(r, NV_PGRAPH_INTR),
			       rd(r, NV_PGRAPH_DATA_ERROR));
		ok &= here && clean(r);
		rig_destroy(r);
	}
	tap(ok, "%s: blocks that a multiprocessor cannot launch", chip);
}

static void test_copies(const char *chip)
{
	static const struct {
		uint32_t error, origin, layer;
	} rows[] = { { 0, 0, 0 }, { 0x23, 64, 0 }, { 0x23, 8 << 16, 0 }, { 0x21, 0, 2 }, { 0, 63, 1 } };
	struct rig *r = ready(chip);
	bool ok = true;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r->push_at[1] = 0;
		submit(r, 1, M(SUBC_M2MF, 0x200, 7), 0, 0, 64, 8, 2, rows[i].layer, rows[i].origin,
		       M(SUBC_M2MF, 0x21c, 1), 1, M(SUBC_M2MF, 0x238, 2), 0, 0,
		       M(SUBC_M2MF, 0x30c, 7), VA_MEM, VA_MEM + 0x1000, 64, 64, 1, 1, 0x101);
		run(r);
		ok &= answers(r, SUBC_M2MF, 0x328, 0, rows[i].error);
	}
	tap(ok && clean(r), "%s: origins outside of a surface", chip);
	rig_destroy(r);
}

/* --- the G80's classes of older cards --- */

static void test_old_classes(void)
{
	static const struct {
		uint32_t class, known, unknown;
	} rows[] = {
		{ 0x0012, 0x300, 0x304 }, { 0x0019, 0x304, 0x308 }, { 0x0043, 0x300, 0x304 },
		{ 0x0044, 0x7fc, 0x800 }, { 0x004a, 0x1ffc, 0x3f8 }, { 0x0057, 0x304, 0x308 },
		{ 0x005d, 0x5fc, 0x600 }, { 0x005f, 0x308, 0x30c }, { 0x0072, 0x300, 0x304 },
		{ 0x305c, 0x67c, 0x680 }, { 0x3064, 0x1ffc, 0x3dc }, { 0x3066, 0x1ffc, 0x31c },
		{ 0x307b, 0x1ffc, 0x314 }, { 0x308a, 0x1ffc, 0x310 }, { 0x5062, 0x30c, 0x310 },
		{ 0x5089, 0x418, 0x41c },
	};
	struct rig *r = ready("g80");
	bool ok = true;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		graph_object(r, 1, 1, 0x9100 + (uint32_t)i * 16, rows[i].class);
		bar_flush(r);
		ok &= answers(r, SUBC_OLD, 0, rows[i].class, 0) &&
		      answers(r, SUBC_OLD, rows[i].known, 0, 0) &&
		      answers(r, SUBC_OLD, rows[i].unknown, 0, ~0u);
	}
	tap(ok, "g80: the methods of its 2D classes of older cards");

	/* BLIT takes a CLIP, and no other object, nor a DMA object, at 188. */
	ok = answers(r, SUBC_OLD, 0, 0x005f, 0) && answers(r, SUBC_OLD, 0x188, 0x0019, 0) &&
	     answers(r, SUBC_OLD, 0x188, 0x0043, 8) && answers(r, SUBC_OLD, 0x188, H_VM, 8) &&
	     answers(r, SUBC_OLD, 0x188, H_NULL, 0) && answers(r, SUBC_OLD, 0x19c, 0x5062, 0) &&
	     answers(r, SUBC_OLD, 0x180, H_VM, 0);
	tap(ok && clean(r), "g80: and the objects that they take");
	rig_destroy(r);
}

/* VTX_ATTR with halves, integers and bytes: not an error, but a finding */
static void test_attributes(const char *chip)
{
	static const uint32_t known[] = { 0x0300, 0x0384, 0x0408, 0x050c };
	static const uint32_t missing[] = { 0x0340, 0x0604, 0x0680, 0x06c0, 0x0784, 0x0800, 0x08fc };
	struct rig *r = ready(chip);
	struct nvsim_missing m;
	bool ok = true;
	unsigned int i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ok &= answers(r, SUBC_3D, known[i], 0, 0);
	tap(ok && !nvsim_get_missing(r->sim, 0, &m), "%s: VTX_ATTR with floats is done", chip);

	for (i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		ok &= answers(r, SUBC_3D, missing[i], 0, 0) &&
		      nvsim_get_missing(r->sim, i, &m) && m.kind == NVSIM_MISSING_ATTRIBUTE;
	tap(ok, "%s: VTX_ATTR with others is a finding", chip);
	rig_destroy(r);
}

/* Methods that no unit of the model looks at: a finding unless the value is that of a new context */
static void test_without_effect(const char *chip)
{
	static const struct row quiet[] = {
		{ SUBC_3D, 0x1690, 0, 0 },	   { SUBC_3D, 0x1308, 1, 0 },
		{ SUBC_3D, 0x19c0, 1, 0 },	   { SUBC_3D, 0x1400, 0xf, 0 },
		{ SUBC_3D, 0x1330, 0x123, 0 },	   { SUBC_3D, 0x19e0, 1, 0 },
		{ SUBC_3D, 0x0f78, 0x3e60, 0 },	   { SUBC_3D, 0x0f78, 0x1ffe67, 0 },
		{ SUBC_COMPUTE, 0x02a0, 1, 0 },	   { SUBC_COMPUTE, 0x0380, 7, 0 },
		{ SUBC_2D, 0x0870, 0x4444480, 0 }, { SUBC_2D, 0x0888, 1, 0 },
	};
	static const struct row missing[] = {
		{ SUBC_3D, 0x1690, 0x10000, 0 }, { SUBC_3D, 0x1308, 2, 0 },
		{ SUBC_3D, 0x1400, 1, 0 },	 { SUBC_3D, 0x02f4, 5, 0 },
		{ SUBC_COMPUTE, 0x037c, 1, 0 },	 { SUBC_COMPUTE, 0x0364, 1, 0 },
		{ SUBC_2D, 0x0850, 0x8000, 0 },
	};
	struct rig *r = ready(chip);
	struct nvsim_missing m;
	unsigned int i;
	bool ok;

	ok = answers(r, SUBC_COMPUTE, 0, 0x50c0, 0) && ALL_ANSWER(r, quiet);
	tap(ok && !nvsim_get_missing(r->sim, 0, &m), "%s: methods without an effect on a card", chip);

	for (i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		ok &= answers(r, missing[i].subc, missing[i].mthd, missing[i].data, 0) &&
		      nvsim_get_missing(r->sim, i, &m) && m.kind == NVSIM_MISSING_METHOD;
	ok &= answers(r, SUBC_3D, 0x1690, 0x10000, 0) && nvsim_get_missing(r->sim, 0, &m) &&
	      m.count == 2 && strstr(m.first, "1690") && !nvsim_get_missing(r->sim, i, &m);
	tap(ok, "%s: methods that have one there, but not here, are findings", chip);

	ok = answers(r, SUBC_3D, 0x15ac, 4, 4) && answers(r, SUBC_COMPUTE, 0x036c, 4, 4) &&
	     answers(r, SUBC_2D, 0x0260, 2, 4) && !nvsim_get_missing(r->sim, i, &m);
	tap(ok, "%s: and values that they do not take are errors", chip);
	rig_destroy(r);
}

/* Bits that the model does not look at, of methods whose other bits it knows */
static void test_unread_bits(const char *chip)
{
	static const struct row quiet[] = {
		{ SUBC_3D, 0x143c, 0x10, 0 },		{ SUBC_3D, 0x15e0, 0, 0 },
		{ SUBC_3D, 0x193c, 0x1419, 0 },		{ SUBC_3D, 0x1988, 0x08040404, 0 },
		{ SUBC_COMPUTE, 0x0374, 0x400, 0 },	{ SUBC_COMPUTE, 0x0384, 0x100, 0 },
		{ SUBC_3D, 0x0c10, 5, 0 },		{ SUBC_3D, 0x0cf4, 5, 0 },
	};
	static const struct row missing[] = {
		{ SUBC_3D, 0x143c, 0x11, 0 },		{ SUBC_3D, 0x15e0, 1, 0 },
		{ SUBC_3D, 0x193c, 0x1080, 0 },		{ SUBC_3D, 0x1988, 0x10000000, 0 },
		{ SUBC_COMPUTE, 0x0374, 0x401, 0 },	{ SUBC_COMPUTE, 0x0384, 0x101, 0 },
	};
	struct rig *r = ready(chip);
	struct nvsim_missing m;
	unsigned int i;
	bool ok;

	ok = answers(r, SUBC_COMPUTE, 0, 0x50c0, 0) && ALL_ANSWER(r, quiet);
	tap(ok && !nvsim_get_missing(r->sim, 0, &m), "%s: values whose bits the model knows", chip);

	for (i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		ok &= answers(r, missing[i].subc, missing[i].mthd, missing[i].data, 0) &&
		      nvsim_get_missing(r->sim, i, &m) && m.kind == NVSIM_MISSING_METHOD;
	tap(ok && !nvsim_get_missing(r->sim, i, &m), "%s: other bits of theirs are findings", chip);

	if (r->gt215) {
		ok = answers(r, SUBC_3D, 0x1664, 4, 0) && !nvsim_get_missing(r->sim, i, &m) &&
		     answers(r, SUBC_3D, 0x1664, 2, 0) && nvsim_get_missing(r->sim, i, &m);
		tap(ok, "%s: also those of TEX_MISC", chip);
	}
	rig_destroy(r);
}

int main(void)
{
	static const char *const chips[] = { "g80", "gt215" };
	unsigned int i;

	for (i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		test_methods(chips[i]);
		test_limits(chips[i]);
		test_dma_objects(chips[i]);
		test_values(chips[i]);
		test_operations(chips[i]);
		test_formats_of_2d(chips[i]);
		test_draws(chips[i]);
		test_between_begin_and_end(chips[i]);
		test_bindings(chips[i]);
		test_launches(chips[i]);
		test_copies(chips[i]);
		test_attributes(chips[i]);
		test_without_effect(chips[i]);
		test_unread_bits(chips[i]);
	}
	test_old_classes();
	return tap_end();
}
