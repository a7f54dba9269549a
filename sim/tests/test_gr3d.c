// SPDX-License-Identifier: MIT
/*
 * 3D: clears, constant buffers, draws, blending, stencil, indices, textures, and random
 * programs and state.
 */
#include <math.h>

#include "../core/gr.h"
#include "rig_3d.h"

/* --- 3D: clears, constant buffers, queries --- */

static void clear_formats(struct rig *r, const char *chip)
{
	static const struct {
		uint32_t format, pixel[2];
	} rows[] = {
		/* red 1, green 0.2, blue 0, alpha 0.8 */
		{ 0xcf, { 0xccff3300 } }, { 0xd5, { 0xcc0033ff } }, { 0xe8, { 0xf9a0 } },
		{ 0xca, { 0x32663c00, 0x3a660000 } }, { 0xd1, { 0x800337ff } },
		{ 0xd7, { 0x6600197f } }, { 0xe0, { 0x001933c0 } }, { 0xf3, { 0xff } },
		{ 0xd6, { 0xcc007cff } }, { 0xe5, { 0x3f800000 } }, { 0xf7, { 0xcc } },
	};
	uint32_t i;
	bool ok = true;

	submit(r, 1, M(SUBC_3D, 0xd80, 4), 0x3f800000, 0x3e4ccccd, 0, 0x3f4ccccd);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fill_memory(r, 0);
		target_3d(r, 1, rows[i].format, true, 0);
		submit(r, 1, M(SUBC_3D, 0xff4, 2), 1u << 16, 1u << 16, M(SUBC_3D, 0x19d0, 1), 0x3c);
		run(r);
		if (peek(r, VRAM_MEM) == rows[i].pixel[0] && peek(r, VRAM_MEM + 4) == rows[i].pixel[1])
			continue;
		printf("# %02x: %08x %08x\n", rows[i].format, peek(r, VRAM_MEM),
		       peek(r, VRAM_MEM + 4));
		ok = false;
	}
	tap(ok, "%s: clears in %u formats", chip, i);
}

static void clear_blocks(struct rig *r, const char *chip)
{
	uint32_t x, y;
	bool ok = true;

	fill_memory(r, 0);
	target_3d(r, 1, 0xcf, false, 0x10000);
	submit(r, 1, M(SUBC_3D, 0x184, 1), H_VM, M(SUBC_3D, 0xfe0, 5), 0, VA_MEM + 0x20000, 0x14,
	       0x20, 0, M(SUBC_3D, 0x1228, 2), W2D, H2D, M(SUBC_3D, 0xd90, 1), 0x3f000000,
	       M(SUBC_3D, 0xda0, 1), 0x1a5, M(SUBC_3D, 0x19d0, 1), 0x3f);
	run(r);
	for (y = 0; y < H2D; y++)
		for (x = 0; x < W2D; x++) {
			ok &= peek(r, VRAM_MEM + 0x10000 + tiled(0, 1, 0, W2D * 4, H2D, x * 4, y, 0)) ==
			      0xcc003300;
			ok &= peek(r, VRAM_MEM + 0x20000 + tiled(0, 2, 0, W2D * 4, H2D, x * 4, y, 0)) ==
			      0x800000a5;
		}
	tap(ok && clean(r), "%s: color, depth and stencil in blocks", chip);
}

static void test_clear(const char *chip)
{
	struct rig *r = ready(chip);

	clear_formats(r, chip);

	fill_memory(r, 0);
	target_3d(r, 1, 0xcf, true, 0);
	submit(r, 1, M(SUBC_3D, 0xff4, 2), 10 | 30u << 16, 5 | 40u << 16, M(SUBC_3D, 0xe00, 3), 1,
	       20 | 90u << 16, 0 | 20u << 16, M(SUBC_3D, 0x19d0, 1), 0x3c);
	run(r);
	tap(only(r, 0xccff3300, 20, 5, 40, 20),
	    "%s: the area inside of both scissors is cleared", chip);
	submit(r, 1, M(SUBC_3D, 0xe00, 1), 0);
	target_3d(r, 1, 0xcf, true, 0);
	submit(r, 1, M(SUBC_3D, 0xd80, 1), 0, M(SUBC_3D, 0x19d0, 1), 0x04);
	run(r);
	tap(pixel32(r, 0, 512, 25, 10) == 0xcc003300 && pixel32(r, 0, 512, 99, 59) == 0,
	    "%s: only the channels that are asked for", chip);

	clear_blocks(r, chip);

	submit(r, 1, M(SUBC_3D, 0xfe4, 1), VA_HOLE, M(SUBC_3D, 0x19d0, 1), 1);
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) & 0x200000, "%s: a clear of nothing mapped is a trap", chip);
	rig_destroy(r);
}

static void test_constants(const char *chip)
{
	struct rig *r = ready(chip);

	fill_memory(r, 0);
	submit(r, 1, M(SUBC_3D, 0x198, 1), H_VM, M(SUBC_3D, 0x1280, 3), 0, VA_MEM + 0x1000,
	       5u << 16 | 12, M(SUBC_3D, 0x1280, 3), 0, VA_MEM + 0x2000, 6u << 16);
	submit(r, 1, M(SUBC_3D, 0xf00, 1), 1u << 8 | 5, NI(SUBC_3D, 0xf04, 3), 0x11, 0x22, 0x33);
	submit(r, 1, M(SUBC_3D, 0xf00, 1), 0x3fffu << 8 | 6, NI(SUBC_3D, 0xf04, 2), 0x44, 0x55);
	run(r);
	tap(peek(r, VRAM_MEM + 0x1000) == 0 && peek(r, VRAM_MEM + 0x1004) == 0x11 &&
	    peek(r, VRAM_MEM + 0x1008) == 0x22, "%s: words of a constant buffer", chip);
	tap(peek(r, VRAM_MEM + 0x100c) == 0, "%s: not past its end", chip);
	tap(peek(r, VRAM_MEM + 0x2000 + 0xfffc) == 0x44 && peek(r, VRAM_MEM + 0x2000) == 0x55 &&
	    clean(r), "%s: one of 64 KiB, to its end and from its start", chip);
	rig_destroy(r);
}

static void test_isolation_3d(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t i, n;
	bool ok = true;

	fill_memory(r, 0);
	for (n = 1; n <= 2; n++) {
		target_3d(r, n, 0xe4, true, n * 0x20000);
		submit(r, n, M(SUBC_3D, 0xd80, 1), n * 0x11111111);
	}
	run(r);
	for (i = 0; i < 10; i++) {
		for (n = 1; n <= 2; n++) {
			r->push_at[n] = 0;
			submit(r, n, M(SUBC_3D, 0xff4, 2), i | 1u << 16, i | 1u << 16,
			       M(SUBC_3D, 0x19d0, 1), 0x3c);
		}
		run(r);
		r->now += 60000;
	}
	for (i = 0; i < 10; i++)
		for (n = 1; n <= 2; n++)
			ok &= pixel32(r, n * 0x20000, 512, i, i) == n * 0x11111111;
	tap(ok && clean(r), "%s: two channels keep their state of 3D", chip);
	rig_destroy(r);
}

/* Clears with each COND_MODE, of two reports: the second one is that of @number and @value. */
static uint32_t conditions(struct rig *r, uint32_t number, uint32_t value)
{
	const uint32_t reports[8] = { 7, 3, 0, 0, number, value, 0, 0 };
	uint32_t mode, done = 0;

	nvsim_vram_write(r->sim, VRAM_MEM + 0x50000, reports, sizeof(reports));
	for (mode = 0; mode < 5; mode++) {
		r->push_at[1] = 0;
		submit(r, 1, M(SUBC_3D, 0x1558, 1), mode, M(SUBC_3D, 0xd80, 1), (mode + 1) << 24,
		       M(SUBC_3D, 0x19d0, 1), 0x3c);
		run(r);
		done |= (peek(r, VRAM_MEM) == (mode + 1) << 24 ? 1u : 0) << mode;
	}
	return done;
}

static void test_conditions(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t zero[2] = { 7, 0 };

	fill_memory(r, 0);
	target_3d(r, 1, 0xe4, true, 0);
	submit(r, 1, M(SUBC_3D, 0xff4, 2), 1u << 16, 1u << 16, M(SUBC_3D, 0x1550, 2), 0,
	       VA_MEM + 0x50000);
	run(r);
	tap(conditions(r, 7, 3) == 0x0e, "%s: equal reports", chip);
	tap(conditions(r, 7, 2) == 0x16 && conditions(r, 8, 3) == 0x16,
	    "%s: reports of another value, or of another number", chip);
	nvsim_vram_write(r->sim, VRAM_MEM + 0x50000, zero, sizeof(zero));
	r->push_at[1] = 0;
	submit(r, 1, M(SUBC_3D, 0x1558, 1), 2, M(SUBC_3D, 0xd80, 1), 0, M(SUBC_3D, 0x19d0, 1), 0x3c);
	run(r);
	tap(peek(r, VRAM_MEM) && clean(r), "%s: a report of zero", chip);
	submit(r, 1, M(SUBC_3D, 0x1554, 1), VA_HOLE, M(SUBC_3D, 0x1558, 1), 2);
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) & 0x200000, "%s: a condition that is not mapped is a trap", chip);
	rig_destroy(r);
}

/* --- 3D: draws --- */

static uint32_t samples(struct rig *r)
{
	submit(r, 1, M(SUBC_3D, 0x1b00, 4), 0, VA_MEM + 0x50000, 7, 0x0100f002);
	run(r);
	return peek(r, VRAM_MEM + 0x50000) == 7 ? peek(r, VRAM_MEM + 0x50004) : ~0u;
}

static void test_triangles(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t x, y, v;
	bool ok = true;

	setup_3d(r);
	fill_memory_below(r, CODE);
	quad(r, -1, -1, 0, 1);
	tap(only(r, 0xff00ff00, 0, 0, 32, 48), "%s: two triangles cover a half, once", chip);
	tap(samples(r) == 32 * 48, "%s: as many samples", chip);
	fill_memory_below(r, CODE);
	submit(r, 1, M(SUBC_3D, 0xe00, 3), 1, 5 | 20u << 16, 7 | 9u << 16);
	quad(r, -1, -1, 0.5, 1);
	tap(only(r, 0xff00ff00, 5, 7, 20, 9), "%s: inside the scissor", chip);
	submit(r, 1, M(SUBC_3D, 0xe00, 1), 0, M(SUBC_3D, 0x1918, 1), 1, M(SUBC_3D, 0x191c, 2), 0x900,
	       0x404);
	fill_memory_below(r, CODE);
	quad(r, -1, -1, 0, 1);
	tap(only(r, 0, 0, 0, 0, 0), "%s: front faces are culled", chip);
	submit(r, 1, M(SUBC_3D, 0x1920, 1), 0x405);
	quad(r, -1, -1, 0, 1);
	tap(only(r, 0xff00ff00, 0, 0, 32, 48), "%s: back faces are not these", chip);
	submit(r, 1, M(SUBC_3D, 0x1918, 1), 0);

	/* Red to the right, blue down, over 64 x 48 pixels and as much below their diagonal */
	fill_memory_below(r, CODE);
	submit(r, 1, M(SUBC_3D, 0x15dc, 1), 4);
	vertex(r, -1, -1, 0, 0, 0);
	vertex(r, 1, -1, 1, 0, 0);
	vertex(r, -1, 1, 0, 0, 1);
	submit(r, 1, M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	for (y = 0; y < 48; y++)
		for (x = 0; x < 64; x++) {
			bool in = (x + 0.5) / 64 + (y + 0.5) / 48 < 1;

			v = 0xff000000 | (uint32_t)((y + 0.5) / 48 * 255 + 0.5) << 16 |
			    (uint32_t)((x + 0.5) / 64 * 255 + 0.5);
			if ((x * 2 + 1) * 48 + (y * 2 + 1) * 64 == 2 * 64 * 48)
				continue;
			if (pixel32(r, 0, 512, x, y) != (in ? v : 0)) {
				printf("# %u, %u is %08x\n", x, y, pixel32(r, 0, 512, x, y));
				ok = false;
			}
		}
	tap(ok && clean(r), "%s: a shaded triangle", chip);
	rig_destroy(r);
}

/* How many pixels are green, of which @x, @y has to be one */
static uint32_t greens(struct rig *r, uint32_t x, uint32_t y)
{
	uint32_t count = 0, i, k;

	for (i = 0; i < 48; i++)
		for (k = 0; k < 64; k++)
			count += pixel32(r, 0, 512, k, i) == 0xff00ff00;
	return pixel32(r, 0, 512, x, y) == 0xff00ff00 ? count : ~0u;
}

/* A triangle whose last vertex comes after another channel's draw */
static void test_open_draws(const char *chip)
{
	struct rig *r = ready(chip);

	fill_memory(r, 0);
	setup_3d(r);
	submit(r, 1, M(SUBC_3D, 0x15dc, 1), 4);
	vertex(r, -1, -1, 0, 1, 0);
	vertex(r, 3, -1, 0, 1, 0);
	submit(r, 1, NI(SUBC_3D, 0x1640, 2), float_bits(-1), float_bits(3));
	run(r);
	submit(r, 2, M(SUBC_3D, 0x15dc, 1), 0, M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	submit(r, 1, NI(SUBC_3D, 0x1640, 4), 0, 0x3f800000, 0, 0x3f800000, M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	tap(pixel32(r, 0, 512, 1, 1) == 0xff00ff00 && pixel32(r, 0, 512, 40, 30) == 0xff00ff00 &&
	    clean(r),
	    "%s: a draw goes on after another channel's", chip);
	rig_destroy(r);
}

static void test_lines(const char *chip)
{
	static const float right[] = { 5.5f, 7.5f, 20.5f, 7.5f }, left[] = { 20.5f, 7.5f, 5.5f, 7.5f };
	static const float down[] = { 9.5f, 2.5f, 9.5f, 30.5f }, up[] = { 9.5f, 30.5f, 9.5f, 2.5f };
	static const float square[] = { 4.5f, 4.5f, 24.5f, 4.5f, 24.5f, 14.5f, 4.5f, 14.5f };
	static const float slope[] = { 10.5f, 10.5f, 20.5f, 15.5f };
	static const float beyond[] = { -300, 20.5f, 400, 20.5f };
	struct rig *r = ready(chip);
	uint32_t x;
	bool ok = true;

	setup_3d(r);
	shape(r, 1, right, 2);
	tap(only(r, 0xff00ff00, 5, 7, 20, 8), "%s: a line to the right, without its last pixel", chip);
	shape(r, 1, left, 2);
	tap(only(r, 0xff00ff00, 6, 7, 21, 8), "%s: and to the left", chip);
	shape(r, 1, down, 2);
	tap(only(r, 0xff00ff00, 9, 2, 10, 30), "%s: downwards", chip);
	shape(r, 1, up, 2);
	tap(only(r, 0xff00ff00, 9, 3, 10, 31), "%s: and upwards", chip);
	shape(r, 2, square, 4);
	tap(greens(r, 4, 5) == 60, "%s: a loop has each of its pixels", chip);
	shape(r, 3, square, 4);
	tap(greens(r, 24, 8) == 50 && pixel32(r, 0, 512, 4, 8) == 0, "%s: a strip is open", chip);
	shape(r, 1, square, 4);
	tap(greens(r, 10, 14) == 40 && pixel32(r, 0, 512, 24, 8) == 0, "%s: two separate lines", chip);
	shape(r, 1, slope, 2);
	for (x = 10; x < 20; x++)
		ok &= pixel32(r, 0, 512, x, x / 2 + 5) == 0xff00ff00 ||
		      pixel32(r, 0, 512, x, (x + 1) / 2 + 5) == 0xff00ff00;
	tap(ok && greens(r, 10, 10) == 10, "%s: one pixel in each column", chip);
	submit(r, 1, M(SUBC_3D, 0x13b0, 1), float_bits(5));
	shape(r, 1, right, 2);
	tap(only(r, 0xff00ff00, 5, 5, 20, 10), "%s: a line of five pixels", chip);
	submit(r, 1, M(SUBC_3D, 0x13b0, 1), float_bits(1), M(SUBC_3D, 0x1918, 1), 1,
	       M(SUBC_3D, 0x1920, 1), 0x408, M(SUBC_3D, 0xff4, 2), 64u << 16, 48u << 16);
	shape(r, 1, beyond, 2);
	tap(only(r, 0xff00ff00, 0, 20, 64, 21) && clean(r), "%s: clipped lines, which nothing culls",
	    chip);
	rig_destroy(r);
}

static void test_points(const char *chip)
{
	static const float at[] = { 20.5f, 10.5f };
	struct rig *r = ready(chip);

	setup_3d(r);
	shape(r, 0, at, 1);
	tap(only(r, 0xff00ff00, 20, 10, 21, 11), "%s: a point is a pixel", chip);
	submit(r, 1, M(SUBC_3D, 0x1518, 1), float_bits(7));
	shape(r, 0, at, 1);
	tap(only(r, 0xff00ff00, 17, 7, 24, 14), "%s: or a square of pixels", chip);
	/* The size is result 5, green's 1, and not POINT_SIZE. */
	submit(r, 1, M(SUBC_3D, 0x1910, 1), 5u << 4 | 1);
	shape(r, 0, at, 1);
	tap(only(r, 0xff00ff00, 20, 10, 21, 11), "%s: of the size that the program gives", chip);

	/* Red and green, results 4 and 5, become coordinates; blue 1, and alpha stays. */
	submit(r, 1, M(SUBC_3D, 0x1910, 1), 0, M(SUBC_3D, 0x1520, 1), 1, M(SUBC_3D, 0x1660, 1), 0x10,
	       M(SUBC_3D, 0x13c0, 1), 0x04210000, M(SUBC_3D, 0x1518, 1), float_bits(4));
	shape(r, 0, at, 1);
	tap(pixel32(r, 0, 512, 18, 8) == 0xffff0000 && pixel32(r, 0, 512, 21, 8) == 0xffff00bf &&
	    pixel32(r, 0, 512, 18, 11) == 0xffffbf00, "%s: with coordinates from above", chip);
	submit(r, 1, M(SUBC_3D, 0x1660, 1), 0);
	shape(r, 0, at, 1);
	tap(pixel32(r, 0, 512, 18, 8) == 0xffffff00 && pixel32(r, 0, 512, 21, 11) == 0xffff40bf &&
	    clean(r), "%s: and from below", chip);
	rig_destroy(r);
}

/* Green, with the share of the pixel as alpha. The fan has no pixel without a share. */
static void test_smooth(const char *chip)
{
	static const float right[] = { 5.5f, 7.75f, 20.5f, 7.75f }, at[] = { 20.5f, 10.5f };
	static const float slope[] = { 10.5f, 10.5f, 30.5f, 25.5f };
	struct rig *r = ready(chip);

	setup_3d(r);
	submit(r, 1, M(SUBC_3D, 0x1570, 1), 1);
	shape(r, 1, right, 2);
	tap(pixel32(r, 0, 512, 10, 7) == 0xbf00ff00 && pixel32(r, 0, 512, 10, 8) == 0x4000ff00 &&
	    pixel32(r, 0, 512, 10, 6) == 0 && pixel32(r, 0, 512, 10, 9) == 0,
	    "%s: a smooth line has a share of the pixels on both sides", chip);
	tap(pixel32(r, 0, 512, 5, 7) == 0x6000ff00 && pixel32(r, 0, 512, 20, 7) == 0x6000ff00 &&
	    pixel32(r, 0, 512, 4, 7) == 0 && pixel32(r, 0, 512, 21, 7) == 0,
	    "%s: and half a pixel at its ends", chip);
	submit(r, 1, M(SUBC_3D, 0x13b0, 1), float_bits(4.5f));
	shape(r, 1, slope, 2);
	/* 0.4, 1.8 and 2.4 pixels beside the middle; the border is at 2.25 */
	tap(pixel32(r, 0, 512, 20, 18) == 0xff00ff00 && pixel32(r, 0, 512, 21, 16) == 0xf200ff00 &&
	    pixel32(r, 0, 512, 22, 16) == 0x5900ff00,
	    "%s: a share across a line that slopes", chip);

	submit(r, 1, M(SUBC_3D, 0x1658, 1), 1, M(SUBC_3D, 0x1518, 1), float_bits(6.5f));
	shape(r, 0, at, 1);
	tap(pixel32(r, 0, 512, 20, 12) == 0xff00ff00 && pixel32(r, 0, 512, 20, 13) == 0xbf00ff00 &&
	    pixel32(r, 0, 512, 22, 12) == 0xeb00ff00 && pixel32(r, 0, 512, 23, 13) == 0,
	    "%s: a smooth point is a disk", chip);
	submit(r, 1, M(SUBC_3D, 0x15d0, 1), 2, M(SUBC_3D, 0x1534, 1), 1, M(SUBC_3D, 0x1518, 1),
	       float_bits(1));
	target_3d(r, 1, 0xd5, false, 0);
	shape(r, 0, at, 1);
	tap(tiled_pixel(r, 40, 20) == 0xff00ff00 && clean(r), "%s: but not with samples", chip);
	rig_destroy(r);
}

/* Results 4 to 7 are the color of the front, 0 to 3 here that of the back. */
/* Lines of a triangle: EDGEFLAG hides the line that begins at a corner. */
static void test_edge_flags(const char *chip)
{
	static const float corners[3][2] = { { 10, 10 }, { 30, 10 }, { 10, 30 } };
	struct rig *r = ready(chip);
	uint32_t hidden, i, count[4];

	setup_3d(r);
	submit(r, 1, M(SUBC_3D, 0xdac, 2), 0x1b01, 0x1b01);
	for (hidden = 0; hidden < 4; hidden++) {
		fill_memory_below(r, CODE);
		submit(r, 1, M(SUBC_3D, 0x15dc, 1), 4);
		for (i = 0; i < 3; i++) {
			submit(r, 1, M(SUBC_3D, 0x15e4, 1), (uint32_t)(i != hidden));
			vertex(r, (corners[i][0] + 0.5f) / 32 - 1, (corners[i][1] + 0.5f) / 24 - 1, 0, 1, 0);
		}
		submit(r, 1, M(SUBC_3D, 0x15e0, 1), 0);
		run(r);
		r->push_at[1] = 0;
		/* On the first side, or on the last one */
		if (hidden)
			count[hidden] = greens(r, 20, 10);
		else
			count[hidden] = greens(r, 10, 20);
	}
	/* Three sides of 20 pixels; a corner belongs to the line that begins there. */
	tap(count[3] == 60 && count[0] == 40 && count[1] == 40 && count[2] == 40 && clean(r),
	    "%s: sides that have an edge flag (%u %u %u %u)", chip, count[3], count[0], count[1],
	    count[2]);
	rig_destroy(r);
}

/* Places of samples in a pixel, in 1/16 of it, and in memory: envytools, g80-surface */
static const struct {
	uint32_t mode, log_x, log_y, x, y, column, row;
} sample_rows[] = {
	{ 0, 0, 0, 8, 8, 0, 0 },
	{ 1, 1, 0, 4, 4, 0, 0 }, { 1, 1, 0, 12, 12, 1, 0 },
	{ 2, 1, 1, 6, 2, 0, 0 }, { 2, 1, 1, 14, 6, 1, 0 }, { 2, 1, 1, 2, 10, 0, 1 },
	{ 2, 1, 1, 10, 14, 1, 1 },
	{ 3, 2, 1, 1, 7, 0, 0 }, { 3, 2, 1, 5, 3, 1, 0 }, { 3, 2, 1, 3, 13, 0, 1 },
	{ 3, 2, 1, 7, 11, 1, 1 }, { 3, 2, 1, 9, 5, 2, 0 }, { 3, 2, 1, 15, 1, 3, 0 },
	{ 3, 2, 1, 11, 15, 2, 1 }, { 3, 2, 1, 13, 9, 3, 1 },
};

/* A square of 1/16 of a pixel around a sample reaches that one only, if its mask has it. */
static void test_samples(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t i, row, x, y, mask, set, right, wrong = 0;
	float left, top;

	setup_3d(r);
	target_3d(r, 1, 0xd5, false, 0);
	submit(r, 1, M(SUBC_3D, 0x1534, 1), 1);
	for (i = 0; i < 2 * sizeof(sample_rows) / sizeof(sample_rows[0]); i++) {
		row = i / 2;
		mask = i & 1 ? 0xffff : 0;
		fill_memory_below(r, CODE);
		submit(r, 1, M(SUBC_3D, 0x15d0, 1), sample_rows[row].mode, M(SUBC_3D, 0xfbc, 4), mask,
		       mask, mask, mask);
		left = 5 + ((float)sample_rows[row].x - 0.5f) / 16;
		top = 7 + ((float)sample_rows[row].y - 0.5f) / 16;
		quad(r, left / 32 - 1, top / 24 - 1, (left + 0.0625f) / 32 - 1, (top + 0.0625f) / 24 - 1);
		set = 0;
		for (y = 0; y < H2D; y++)
			for (x = 0; x < W2D; x++)
				set += peek(r, VRAM_MEM + tiled(0, 1, 0, W2D * 4, H2D, x * 4, y, 0)) != 0;
		x = 5u << sample_rows[row].log_x | sample_rows[row].column;
		y = 7u << sample_rows[row].log_y | sample_rows[row].row;
		right = peek(r, VRAM_MEM + tiled(0, 1, 0, W2D * 4, H2D, x * 4, y, 0)) == 0xff00ff00;
		/* Masks are for pixels that have several samples. */
		mask |= sample_rows[row].mode ? 0 : 1;
		wrong += set != (uint32_t)(mask != 0) || right != set;
	}
	tap(!wrong && clean(r), "%s: places and masks of samples (%u of %u are wrong)", chip, wrong, i);
	rig_destroy(r);
}

static void test_colors_of_sides(const char *chip)
{
	struct rig *r = ready(chip);

	setup_3d(r);
	submit(r, 1, M(SUBC_3D, 0x1904, 1), 4 | 0u << 8 | 4u << 16, M(SUBC_3D, 0x191c, 1), 0x900);
	fill_memory_below(r, CODE);
	quad(r, -1, -1, 1, 1);
	tap(only(r, 0xff00ff00, 0, 0, 64, 48), "%s: without two sides, the front's color", chip);
	submit(r, 1, M(SUBC_3D, 0x1688, 1), 1);
	fill_memory_below(r, CODE);
	quad(r, -1, -1, 1, 1);
	tap(pixel32(r, 0, 512, 63, 47) == 0xff00ff00, "%s: with two, too", chip);
	submit(r, 1, M(SUBC_3D, 0x191c, 1), 0x901);
	fill_memory_below(r, CODE);
	quad(r, -1, -1, 1, 1);
	tap(pixel32(r, 0, 512, 63, 47) == 0xff00fafb && clean(r), "%s: from behind, the back's", chip);
	rig_destroy(r);
}

/* A quad whose corners differ in color. Its own color is that of the corner that provokes. */
static uint32_t flat_quad(struct rig *r, uint32_t primitive, uint32_t last)
{
	static const float strip[4][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 }, { 1, 1 } };
	uint32_t i, at;

	submit(r, 1, M(SUBC_3D, 0x1684, 1), last, M(SUBC_3D, 0x1988, 1), 0x08000404,
	       M(SUBC_3D, 0x15dc, 1), primitive);
	for (i = 0; i < 4; i++) {
		at = primitive == 7 ? i ^ i >> 1 : i;
		vertex(r, strip[at][0], strip[at][1], i & 1, i >> 1, 0);
	}
	submit(r, 1, M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	r->push_at[1] = 0;
	return pixel32(r, 0, 512, 20, 20);
}

static void test_provoking_corner(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t kind;

	setup_3d(r);
	for (kind = 7; kind < 9; kind++) {
		tap(flat_quad(r, kind, 1) == 0xff00ffff, "%s: the last of 4 corners provokes (%u)",
		    chip, kind);
		tap(flat_quad(r, kind, 0) == 0xff000000, "%s: the first one does (%u)", chip, kind);
	}
	tap(clean(r), "%s: quads of one color break no rule", chip);
	rig_destroy(r);
}

static void test_arrays_and_depth(const char *chip)
{
	static const float vertices[] = {
		-1, -1, 0, 1, 0, 1, 1, -1, 0, 1, 0, 1, -1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1,
	};
	struct rig *r = ready(chip);
	uint32_t x, y;
	bool ok = true;

	setup_3d(r);
	fill_memory_below(r, CODE);
	nvsim_vram_write(r->sim, VRAM_MEM + 0x38000, vertices, sizeof(vertices));
	submit(r, 1, M(SUBC_3D, 0x18c, 1), H_VM, M(SUBC_3D, 0x900, 3), 0x20000018, 0,
	       VA_MEM + 0x38000, M(SUBC_3D, 0x1ac0, 2), 0x7e200000, 0x7e080000 | 8 << 5,
	       M(SUBC_3D, 0x15dc, 1), 5, M(SUBC_3D, 0xd74, 2), 0, 4, M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	tap(only(r, 0xff00ff00, 0, 0, 64, 48) && clean(r), "%s: vertices from an array", chip);

	/* z is 0.6: nearer than the left half of the buffer, behind the right one */
	fill_memory_below(r, CODE);
	target_3d(r, 1, 0xd5, false, 0);
	submit(r, 1, M(SUBC_3D, 0xa14, 1), float_bits(0.6f), M(SUBC_3D, 0x184, 1), H_VM,
	       M(SUBC_3D, 0xfe0, 5), 0, VA_MEM + 0x10000, 0x13, 0, 0,
	       M(SUBC_3D, 0x1228, 2), W2D, H2D, M(SUBC_3D, 0xd90, 1), float_bits(0.75f),
	       M(SUBC_3D, 0xff4, 1), 20u << 16, M(SUBC_3D, 0x19d0, 1), 1, M(SUBC_3D, 0xff4, 1),
	       W2D << 16, M(SUBC_3D, 0x1538, 1), 1, M(SUBC_3D, 0x12cc, 1), 1, M(SUBC_3D, 0x12e8, 1),
	       1, M(SUBC_3D, 0x130c, 1), 0x201, M(SUBC_3D, 0x15dc, 1), 5, M(SUBC_3D, 0xd74, 2), 0, 4,
	       M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	tap(only_tiled(r, 0xff00ff00, 0, 0, 20, 48), "%s: only nearer pixels", chip);
	for (y = 0; y < 48; y++)
		for (x = 0; x < 40; x += 2)
			if (peek(r, VRAM_MEM + 0x10000 + tiled(0, 0, 0, W2D * 2, H2D, x * 2, y, 0)) !=
			    (x < 20 ? 0x99999999 : 0)) {
				printf("# depth of %u, %u\n", x, y);
				ok = false;
			}
	tap(ok && clean(r), "%s: and its depth", chip);
	rig_destroy(r);
}

/* --- 3D: instructions --- */

#define PROGRAM_WORDS 20

/* A fragment program from 0x80 on, and the word that it leaves in $r0 */
struct program_row {
	const char *what;
	uint32_t result, words[PROGRAM_WORDS];
};

#define MOV(r, v)	0x10008001 | (r) << 2 | ((v) & 0x3f) << 16, 3 | (uint32_t)(v) >> 6 << 2
#define FLOW_TO(op, at)	(op) << 28 | 3 | (at) / 4 << 11
#define EXIT		0xf0000001, 0xe0000781
#define SHORT_NOP	0x10008204	/* mov b32 $r1 $r1 */
#define LOOP		0x40000003, 0x00000780	/* breakaddr 0 */

static const struct program_row program_rows[] = {
	{ "a breakaddr whose bits of a condition say never", 1, {
		FLOW_TO(4, 0xa0), 0, MOV(0, 1), 0x50000003, 0x780, MOV(0, 2), EXIT } },
	{ "a call whose bits of a condition say never", 6, {
		FLOW_TO(2, 0x90), 0, EXIT, MOV(0, 6), 0x30000003, 0x780 } },
	{ "a ret without a call ends the program", 5, {
		MOV(0, 5), 0x30000003, 0x780, MOV(0, 7), EXIT } },
	{ "a ret whose condition does not hold", 7, {
		FLOW_TO(2, 0x90), 0x780, EXIT, MOV(0, 5), 0x30000003, 0, MOV(0, 7), 0x30000003, 0x780 } },
	{ "local memory, a word", 0x1234, {
		MOV(0, 0x1234), 0xd000e001, 0x60c00780, MOV(0, 0), 0xd000e001, 0x40c00780, EXIT } },
	{ "of another address it is 0", 0, {
		MOV(0, 0x1234), 0xd000e001, 0x60c00780, 0xd0010001, 0x40c00780, EXIT } },
	{ "its bytes, by an address register", 0xffffff80, {
		MOV(0, 0x8034), 0xd0002001, 0x60c00780, MOV(0, 0x11), 0x00000005, 0xc0000780,
		0xd4000001, 0x40200780, EXIT } },
	{ "a signed half of it", 0xffff8034, {
		MOV(0, 0x8034), 0xd0002001, 0x60c00780, 0xd0002001, 0x40600780, EXIT } },
	{ "four words of it", 4, {
		MOV(0, 1), MOV(1, 2), MOV(2, 3), MOV(3, 4), 0xd0002001, 0x60a00780,
		0xd0001011, 0x40a00780, 0xd0003801, 0x40c00780, EXIT } },
	{ "an input at an address", 0x3f800000, {
		MOV(0, 4), 0x00000005, 0xc0000780, 0x84010001, 0x780, EXIT } },
	{ "the product in front of a sum is cut off", 0x3f801000, {
		MOV(0, 0x3f800fff), MOV(1, 0x3f800001), MOV(2, 0x33800000), 0xe0010001, 0x8780,
		EXIT } },
	{ "a product that is too small is 0", 0, {
		MOV(0, 0x00800000), MOV(1, 0x3f000000), 0xc0010001, 0x780, EXIT } },
	{ "a small operand is -0", 0x80000000, {
		MOV(0, 0x807fffff), MOV(1, 0x7f000000), 0xc0010001, 0x780, EXIT } },
	{ "each result that is no number is the same", 0x7fffffff, {
		MOV(0, 0xff800bbb), MOV(1, 0x3f800000), 0xc0010001, 0x780, EXIT } },
	{ "the sine of pi, by presin", 0, {
		MOV(0, 0x40490fdb), 0xb0000001, 0xc0000780, 0x90000001, 0x80000780, EXIT } },
	{ "the cosine of -5", 0x3e913c1f, {
		MOV(0, 0xc0a00000), 0xb0000001, 0xc0000780, 0x90000001, 0xa0000780, EXIT } },
	{ "a power of two, of an operand that preex2 negates", 0x3eeedb3f, {
		MOV(0, 0x3f8ccccd), 0xb0000001, 0xc4004780, 0x90000001, 0xc0000780, EXIT } },
	{ "a reciprocal square root of the absolute value", 0x3ee4f92d, {
		MOV(0, 0xc0a00000), 0x90000001, 0x40100780, EXIT } },
	{ "a logarithm", 0xbf7ffffb, { MOV(0, 0x3f000001), 0x90000001, 0x60000780, EXIT } },
	{ "a sum of an absolute difference, signed", 12, {
		MOV(0, 0xfffffffd), MOV(1, 2), MOV(2, 7), 0x50010001, 0x0c008780, EXIT } },
	{ "a sum of an absolute difference, unsigned", 0xfffffffb + 7u, {
		MOV(0, 2), MOV(1, 0xfffffffd), MOV(2, 7), 0x50010001, 0x04008780, EXIT } },
	{ "a short one, into its destination", 9, {
		MOV(0, 7), MOV(1, 3), MOV(2, 5), 0x50028200, SHORT_NOP, EXIT } },
	{ "a short reciprocal of a negated operand", 0xbeaaaaab, {
		MOV(0, 0x40400000), 0x90400000, SHORT_NOP, EXIT } },
	{ "a product with the low half of a constant", 0x6a95, {
		MOV(0, 5), 0x40800001, 0x00000780, EXIT } },
	{ "and with the high one", 0xb16, {
		MOV(0, 6), 0x40810001, 0x00000780, EXIT } },
};

static void run_program_row(struct rig *r, const struct program_row *row, const char *chip)
{
	set_program(r, 0x1080, row->words, sizeof(row->words));
	fill_memory_below(r, CODE);
	quad(r, -1, -1, 1, 1);
	if (!tap(peek(r, VRAM_MEM) == row->result && clean(r), "%s: %s", chip, row->what))
		printf("# %08x, not %08x\n", peek(r, VRAM_MEM), row->result);
}

static void test_instructions(const char *chip)
{
	struct rig *r = ready(chip);
	size_t i;

	setup_3d(r);
	target_3d(r, 1, 0xe4, true, 0);
	submit(r, 1, M(SUBC_3D, 0x1280, 3), 0, VA_MEM + 0x50000, 5u << 16 | 0x100,
	       M(SUBC_3D, 0xf00, 1), 5, NI(SUBC_3D, 0xf04, 1), 0x01d91551,
	       M(SUBC_3D, 0x1694, 1), 5u << 12 | 0x31);
	run(r);
	for (i = 0; i < sizeof(program_rows) / sizeof(program_rows[0]); i++)
		run_program_row(r, &program_rows[i], chip);
	rig_destroy(r);
}

/* Instructions that a card refuses, and the status of the multiprocessor */
static const struct {
	const char *what;
	uint32_t status, words[4];
} refused[] = {
	{ "an opcode that does not exist", SIM_MP_INVALID_OPCODE, { 0x90000001, 0x20000780, EXIT } },
	{ "no instruction at all", SIM_MP_INVALID_OPCODE, { 0xf6bfffbf, 0xffffffff, EXIT } },
	{ "an address of $a0 that counts on", SIM_MP_INVALID_OPCODE, { 0xd2000001, 0x40c00780, EXIT } },
	{ "a program without an end", SIM_MP_TIMEOUT, { 0x10000003, 0x00000780, EXIT } },
	{ "a break without a loop", SIM_MP_STACK_UNDERFLOW, { 0x50000003, 0x00000780, EXIT } },
	{ "a return out of a loop", SIM_MP_STACK_MISMATCH, { LOOP, 0x30000003, 0x00000780 } },
	{ "a break out of a call", SIM_MP_STACK_MISMATCH, { FLOW_TO(2, 8), 0x780, 0x50000003, 0x780 } },
	{ "trap", SIM_MP_INVALID_OPCODE, { 0x90000003, 0x00000780, EXIT } },
	{ "its short form", SIM_MP_INVALID_OPCODE, { 0x90000002, SHORT_NOP, EXIT } },
	{ "an emit of a fragment program", SIM_MP_INVALID_OPCODE, { 0xf0000201, 0xc0000780, EXIT } },
	{ "a long instruction at half its size", SIM_MP_INVALID_OPCODE, { SHORT_NOP, EXIT, SHORT_NOP } },
};

static struct rig *drawn(const char *chip, const uint32_t *words, size_t size)
{
	struct rig *r = ready(chip);

	setup_3d(r);
	fill_memory_below(r, CODE);
	set_program(r, 0x1000, words, size);
	submit(r, 1, M(SUBC_3D, 0x1414, 1), 0);
	quad(r, -1, -1, 0, 1);
	submit(r, 1, M(0, 0x50, 1), 9);
	run(r);
	return r;
}

static void test_refused_programs(const char *chip)
{
	struct rig *r;
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		r = drawn(chip, refused[i].words, sizeof(refused[i].words));
		if (!tap(rd(r, NV_PGRAPH_INTR) & 0x200000 && only(r, 0, 0, 0, 0, 0) &&
			 rd(r, sim_gr_mp(r->sim) + SIM_MP_STATUS) == refused[i].status,
			 "%s: %s is a trap", chip, refused[i].what))
			printf("# status %x\n", rd(r, sim_gr_mp(r->sim) + SIM_MP_STATUS));
		rig_destroy(r);
	}
}

enum stack_end { ENDS, OVERFLOWS, FAULTS, NOT_DONE, WRONG };

/* Draw with @loops nested loops and an end; a stack of this size, at this address */
static bool stack_is(const char *chip, uint32_t log, uint32_t loops, uint32_t address,
		     enum stack_end end)
{
	static const uint32_t loop[] = { LOOP }, exit[] = { EXIT };
	uint32_t words[80], i, bits = 0;
	struct rig *r = ready(chip);
	struct nvsim_missing missing;
	bool ok;

	for (i = 0; i < loops; i++)
		memcpy(&words[2 * i], loop, sizeof(loop));
	memcpy(&words[2 * i], exit, sizeof(exit));

	setup_3d(r);
	set_program(r, 0x1000, words, 8 * loops + 8);
	submit(r, 1, M(SUBC_3D, 0x1414, 1), 0, M(SUBC_3D, 0xd94, 3), 0, address, log);
	quad(r, -1, -1, 0, 1);

	if (rd(r, NV_PGRAPH_INTR) & 0x200000)
		bits = rd(r, NV_PGRAPH_TRAP) == 1u << 7 ? OVERFLOWS : FAULTS;
	if (bits == FAULTS && !fault_is(r, 0xb, 0xb))
		bits = WRONG;
	if (!bits && nvsim_get_missing(r->sim, 0, &missing))
		bits = NOT_DONE;
	ok = bits == end;
	if (!ok)
		printf("# log %u, %u loops: %u, not %u\n", log, loops, bits, end);
	rig_destroy(r);

	return ok;
}

static void test_stack(const char *chip)
{
	tap(stack_is(chip, 4, 8, VA_MEM, ENDS) && stack_is(chip, 4, 9, VA_MEM, OVERFLOWS),
	    "%s: a stack of 8 entries", chip);
	tap(stack_is(chip, 1, 4, VA_MEM, ENDS) && stack_is(chip, 1, 5, VA_MEM, OVERFLOWS),
	    "%s: it has 4 at least", chip);
	tap(stack_is(chip, 6, 16, VA_HOLE, ENDS) && stack_is(chip, 6, 17, VA_HOLE, FAULTS) &&
	    stack_is(chip, 6, 32, VA_MEM, ENDS), "%s: from the 17th on they are in memory", chip);
	tap(stack_is(chip, 0, 0, VA_HOLE, ENDS) && stack_is(chip, 0, 1, VA_MEM, NOT_DONE) &&
	    stack_is(chip, 0xd, 33, VA_MEM, NOT_DONE), "%s: no stack, and a large one, are not modelled",
	    chip);
}

/* Calls with the bit "lim" do nothing if as many of them are active as CALL_LIMIT_LOG says. */
static void test_limited_calls(const char *chip)
{
	static const struct {
		uint32_t log, result;
	} rows[] = { { 0, 5 }, { 0x100, 6 }, { 0x200, 7 }, { 0xf00, 7 }, { 0x0ff, 5 } };
	static const uint32_t words[] = {
		MOV(0, 5), FLOW_TO(2, 0x98), 0x40, EXIT,
		MOV(0, 6), FLOW_TO(2, 0xb0), 0x40, 0x30000003, 0x780,
		MOV(0, 7), 0x30000003, 0x780,
	};
	struct rig *r = ready(chip);
	uint32_t i, right = 0;

	setup_3d(r);
	target_3d(r, 1, 0xe4, true, 0);
	set_program(r, 0x1080, words, sizeof(words));
	for (i = 0; i < 5; i++) {
		fill_memory_below(r, CODE);
		submit(r, 1, M(SUBC_3D, 0x1290, 1), rows[i].log);
		quad(r, -1, -1, 1, 1);
		right += peek(r, VRAM_MEM) == rows[i].result;
	}
	tap(right == 5 && clean(r), "%s: limited calls, %u of 5", chip, right);
	rig_destroy(r);
}

/* preret is an instruction of the GT215. */
static void test_preret(const char *chip)
{
	static const uint32_t words[] = {
		MOV(0, 5), FLOW_TO(0xdu, 0xa8), 0, MOV(1, 7), 0x30000003, 0x780, EXIT,
		0x10008200, SHORT_NOP, EXIT,	/* mov b32 $r0 $r1 */
	};
	struct rig *r = ready(chip);

	setup_3d(r);
	target_3d(r, 1, 0xe4, true, 0);
	set_program(r, 0x1080, words, sizeof(words));
	fill_memory_below(r, CODE);
	quad(r, -1, -1, 1, 1);
	if (r->gt215)
		tap(peek(r, VRAM_MEM) == 7 && clean(r),
		    "%s: ret goes where preret says", chip);
	else
		tap(rd(r, NV_PGRAPH_INTR) & 0x200000 && rd(r, sim_gr_mp(r->sim) + SIM_MP_STATUS) ==
		    SIM_MP_INVALID_OPCODE, "%s: preret is a trap", chip);
	rig_destroy(r);
}

/* A program that the model cannot run draws nothing and stops nothing. */
static void test_wrong_programs(const char *chip)
{
	static const uint32_t memory[] = { 0xd0000001, 0x80000780, 0x10000001, 0x00000781 };
	static const uint32_t recursion[] = { 0x20000003, 0x00000780, EXIT };
	struct rig *r = drawn(chip, memory, sizeof(memory));
	struct nvsim_missing missing;

	tap(only(r, 0, 0, 0, 0, 0) && ref(r, 1) == 9 && clean(r), "%s: a program that is not modelled",
	    chip);
	tap(nvsim_get_missing(r->sim, 0, &missing) && missing.count &&
	    missing.kind == NVSIM_MISSING_INSTRUCTION && strstr(missing.first, "d0000001 80000780 at CODE+0x0") &&
	    !nvsim_get_missing(r->sim, 1, &missing), "%s: which the model says: %s", chip, missing.first);
	submit(r, 1, M(SUBC_3D, 0x15dc, 1), 0xb, M(SUBC_3D, 0x1640, 1), 0, M(SUBC_3D, 0x15e0, 1), 0,
	       M(SUBC_3D, 0xd74, 2), 0, 0xffffffff, M(0, 0x50, 1), 10);
	run(r);
	tap(ref(r, 1) == 10 && clean(r), "%s: vertices outside of a draw", chip);
	submit(r, 1, M(SUBC_3D, 0xf7c, 2), 0, VA_HOLE);
	quad(r, -1, -1, 0, 1);
	tap(rd(r, NV_PGRAPH_INTR) & 0x200000, "%s: a program that is not mapped is a trap", chip);
	rig_destroy(r);

	r = drawn(chip, recursion, sizeof(recursion));
	tap(rd(r, NV_PGRAPH_INTR) & 0x200000, "%s: calls without an end are a trap", chip);
	rig_destroy(r);
}

/* 3D goes on without the buffer of local memory, where a card faults; compute faults (test_compute). */
static void test_local_buffer(const char *chip)
{
	static const uint32_t local[] = { 0xd000e001, 0x60c00780, 0x10000001, 0x00000781 };
	struct rig *r = drawn(chip, local, sizeof(local));
	struct nvsim_missing missing;

	tap(clean(r) && !nvsim_get_missing(r->sim, 0, &missing), "%s: the buffer of local memory", chip);

	submit(r, 1, M(SUBC_3D, 0x12d8, 2), 0, VA_HOLE);
	quad(r, -1, -1, 0, 1);
	tap(clean(r) && nvsim_get_missing(r->sim, 0, &missing) && missing.kind == NVSIM_MISSING_LOCAL,
	    "%s: without it the model says that it left the fault out", chip);
	rig_destroy(r);
}

/* --- 3D: targets --- */

/* A draw of 0, 1, 0, 1 over a target that is 0.2, 0.4, 0.6, 0.8 */
static uint32_t blended(struct rig *r, uint32_t equation, uint32_t source, uint32_t target)
{
	uint32_t i;

	for (i = 0; i < 64; i++)
		nvsim_vram_write(r->sim, VRAM_MEM + i * 4, &(uint32_t){ 0xcc996633 }, 4);
	submit(r, 1, M(SUBC_3D, 0x1340, 3), equation, source, target);
	quad(r, -1, -1, 0, 1);
	return pixel32(r, 0, 512, 2, 0);
}

static void test_blending(const char *chip)
{
	static const struct {
		uint32_t equation, source, target, want;
	} rows[] = {
		{ 0x8006, 0x4001, 0x4001, 0xff99ff33 }, { 0x8006, 0x4001, 0x4000, 0xff00ff00 },
		{ 0x8006, 0x4000, 0x4001, 0xcc996633 }, { 0x8006, 0x4302, 0x4303, 0xff00ff00 },
		{ 0x8006, 0x4306, 0x4000, 0xcc006600 }, { 0x8006, 0x4307, 0x4000, 0x33009900 },
		{ 0x8006, 0x4304, 0x4000, 0xcc00cc00 }, { 0x8006, 0x4308, 0x4000, 0xff003300 },
		{ 0x8006, 0xc001, 0x4000, 0x33006600 }, { 0x8006, 0xc004, 0x4000, 0xcc00cc00 },
		{ 0x800a, 0x4001, 0x4001, 0x33009900 }, { 0x800b, 0x4001, 0x4001, 0x00990033 },
		{ 0x8007, 0x4000, 0x4000, 0xcc006600 }, { 0x8008, 0x4000, 0x4000, 0xff99ff33 },
	};
	struct rig *r = ready(chip);
	bool ok = true;
	uint32_t i, got;

	setup_3d(r);
	submit(r, 1, M(SUBC_3D, 0x133c, 1), 0, M(SUBC_3D, 0x1360, 1), 1,
	       M(SUBC_3D, 0x131c, 4), float_bits(1), float_bits(0.4f),
	       float_bits(0), float_bits(0.2f));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		got = blended(r, rows[i].equation, rows[i].source, rows[i].target);
		if (got == rows[i].want)
			continue;
		printf("# %04x %04x %04x: %08x\n", rows[i].equation, rows[i].source, rows[i].target,
		       got);
		ok = false;
	}
	tap(ok && clean(r), "%s: blending by %u equations", chip, i);
	submit(r, 1, M(SUBC_3D, 0x1360, 1), 0, M(SUBC_3D, 0x19c4, 2), 1, 0x1506);
	tap(blended(r, 0x8006, 0x4001, 0x4000) == (0xff00ff00 ^ 0xcc996633), "%s: exclusive or", chip);
	submit(r, 1, M(SUBC_3D, 0x19c4, 1), 0, M(SUBC_3D, 0x1a00, 1), 0x0011);
	tap(blended(r, 0x8006, 0x4001, 0x4000) == 0xcc99ff00, "%s: a mask of two channels", chip);

	/* A second target; the program has one result for both. */
	fill_memory_below(r, CODE);
	submit(r, 1, M(SUBC_3D, 0x1a00, 2), 0x1111, 0x1111, M(SUBC_3D, 0x121c, 1), 076543210 << 4 | 2,
	       M(SUBC_3D, 0x1c4, 1), H_VM, M(SUBC_3D, 0x220, 5), 0, VA_MEM + 0x8000, 0xe8, 0, 0,
	       M(SUBC_3D, 0x1248, 2), 0x80000200u, H2D);
	quad(r, -1, -1, 0, 1);
	tap(pixel32(r, 0, 512, 5, 5) == 0xff00ff00 && pixel32(r, 0x8000, 512, 5, 5) == 0x07e007e0 &&
	    pixel32(r, 0x8000, 512, 16, 5) == 0 && clean(r), "%s: two targets of two formats", chip);
	rig_destroy(r);
}

static uint32_t stencil_at(struct rig *r, uint32_t x, uint32_t y)
{
	return byte(r, 0x10000 + tiled(0, 0, 0, W2D * 4, H2D, x * 4, y, 0) + 3);
}

/* Whether a draw or a clear with this state is reported as one @kind of finding, or as none */
static bool is_missing(const char *chip, uint32_t mthd, uint32_t data, bool draws, uint32_t kind)
{
	struct rig *r = ready(chip);
	struct nvsim_missing m;
	bool ok;

	setup_3d(r);
	target_3d(r, 1, 0xd5, false, 0);
	submit(r, 1, M(SUBC_3D, 0x184, 1), H_VM, M(SUBC_3D, 0xfe0, 5), 0, VA_MEM + 0x10000, 0x16, 0, 0,
	       M(SUBC_3D, 0x1228, 2), W2D, H2D, M(SUBC_3D, mthd, 1), data);
	if (draws)
		quad(r, -1, -1, 0, 1);
	else
		submit(r, 1, M(SUBC_3D, 0x19d0, 1), 0x3f);
	run(r);

	if (kind == NVSIM_MISSING_COUNT)
		ok = !nvsim_get_missing(r->sim, 0, &m);
	else
		ok = nvsim_get_missing(r->sim, 0, &m) && m.kind == kind &&
		     !nvsim_get_missing(r->sim, 1, &m);
	ok &= clean(r);
	rig_destroy(r);

	return ok;
}

static void test_missing(const char *chip)
{
	tap(is_missing(chip, 0x208, 0xfb, true, NVSIM_MISSING_COLOR) &&
	    is_missing(chip, 0x208, 0xfd, false, NVSIM_MISSING_COLOR) &&
	    is_missing(chip, 0x208, 0, true, NVSIM_MISSING_COUNT) &&
	    is_missing(chip, 0x208, 0xf3, true, NVSIM_MISSING_COUNT),
	    "%s: a color format that the model does not have, for draws and clears", chip);
	tap(is_missing(chip, 0xfe8, 0x1f, false, NVSIM_MISSING_ZETA) &&
	    is_missing(chip, 0xfe8, 0x14, false, NVSIM_MISSING_COUNT),
	    "%s: a clear of a depth format that the model does not have", chip);
	tap(is_missing(chip, 0x15d0, 8, true, NVSIM_MISSING_SAMPLES) &&
	    is_missing(chip, 0x15d0, 8, false, NVSIM_MISSING_SAMPLES) &&
	    is_missing(chip, 0x15d0, 3, true, NVSIM_MISSING_COUNT),
	    "%s: modes of multisampling that the model does not have", chip);
}

static void test_stencil(const char *chip)
{
	static const struct {
		uint32_t function, reference, fail, zpass, want;
		bool drawn;
	} rows[] = {
		{ 0x202, 5, 0x1e00, 0x1e02, 6, true }, { 0x202, 4, 0x1e03, 0x1e02, 4, false },
		{ 0x201, 4, 0x1e00, 0x1e01, 4, true }, { 0x204, 4, 0x150a, 0x1e00, 0xfa, false },
		{ 0x207, 0, 0x1e00, 0x0000, 0, true }, { 0x200, 0, 0x8508, 0x0000, 4, false },
	};
	struct rig *r = ready(chip);
	bool ok = true;
	uint32_t i;

	setup_3d(r);
	target_3d(r, 1, 0xd5, false, 0);
	submit(r, 1, M(SUBC_3D, 0x184, 1), H_VM, M(SUBC_3D, 0xfe0, 5), 0, VA_MEM + 0x10000, 0x16, 0, 0,
	       M(SUBC_3D, 0x1228, 2), W2D, H2D, M(SUBC_3D, 0x1538, 1), 1, M(SUBC_3D, 0xda0, 1), 5,
	       M(SUBC_3D, 0x1380, 1), 1, M(SUBC_3D, 0x1398, 2), 0xff, 0xff);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fill_memory_below(r, CODE);
		submit(r, 1, M(SUBC_3D, 0x19d0, 1), 2, M(SUBC_3D, 0x1384, 5), rows[i].fail, 0x1e00,
		       rows[i].zpass, rows[i].function, rows[i].reference);
		quad(r, -1, -1, 0, 1);
		if (stencil_at(r, 3, 3) == rows[i].want && stencil_at(r, 40, 3) == 5 &&
		    (tiled_pixel(r, 3, 3) == 0xff00ff00) == rows[i].drawn)
			continue;
		printf("# row %u: %02x, %08x\n", i, stencil_at(r, 3, 3), tiled_pixel(r, 3, 3));
		ok = false;
	}
	tap(ok && clean(r), "%s: stencil tests and operations", chip);
	submit(r, 1, M(SUBC_3D, 0xda0, 1), 0x55, M(SUBC_3D, 0x19d0, 1), 2, M(SUBC_3D, 0x1384, 5), 0x1e00, 0x1e00,
	       0x1e01, 0x207,
	       0xff, M(SUBC_3D, 0x1398, 1), 0x0f);
	quad(r, -1, -1, 0, 1);
	tap(stencil_at(r, 3, 3) == 0x5f, "%s: a mask of bits", chip);
	rig_destroy(r);
}

static void test_indices(const char *chip)
{
	/* Corners of two rectangles beside each other, and one unused vertex */
	static const float vertices[] = {
		-1, -1, 0, 1, 0, 1, 0, -1, 0, 1, 0, 1, -1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
		1, -1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 9, 9, 1, 1, 1, 1,
	};
	struct rig *r = ready(chip);

	setup_3d(r);
	nvsim_vram_write(r->sim, VRAM_MEM + 0x38000, vertices, sizeof(vertices));
	submit(r, 1, M(SUBC_3D, 0x18c, 1), H_VM, M(SUBC_3D, 0x900, 3), 0x20000018, 0,
	       VA_MEM + 0x38000, M(SUBC_3D, 0x1ac0, 2), 0x7e200000, 0x7e080000 | 8 << 5);
	fill_memory_below(r, CODE);
	submit(r, 1, M(SUBC_3D, 0x15dc, 1), 4, NI(SUBC_3D, 0x15e8, 6), 0, 1, 2, 2, 1, 3,
	       M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	tap(only(r, 0xff00ff00, 0, 0, 32, 48), "%s: indices of 32 bits", chip);
	fill_memory_below(r, CODE);
	submit(r, 1, M(SUBC_3D, 0x15ec, 1), 2u << 30 | 4, M(SUBC_3D, 0x15dc, 1), 5,
	       NI(SUBC_3D, 0x15f0, 3), 1 << 16 | 6, 3 << 16 | 4, 6 << 16 | 5,
	       M(SUBC_3D, 0x15ec, 1), 0, M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	tap(only(r, 0xff00ff00, 32, 0, 64, 48), "%s: four of six indices of 16 bits", chip);
	fill_memory_below(r, CODE);
	submit(r, 1, M(SUBC_3D, 0x1434, 1), 1, M(SUBC_3D, 0x15dc, 1), 5,
	       NI(SUBC_3D, 0x1304, 1), 0 | 3 << 8 | 2 << 16 | 4 << 24, M(SUBC_3D, 0x15e0, 1), 0,
	       M(SUBC_3D, 0x1434, 1), 0);
	run(r);
	tap(only(r, 0xff00ff00, 32, 0, 64, 48), "%s: indices of 8 bits, and a base", chip);
	fill_memory_below(r, CODE);
	submit(r, 1, M(SUBC_3D, 0x1644, 2), 1, 0xffff, M(SUBC_3D, 0x15dc, 1), 5,
	       NI(SUBC_3D, 0x15e8, 6), 4, 5, 0xffff, 0, 1, 2, M(SUBC_3D, 0x15e0, 1), 0,
	       M(SUBC_3D, 0x1644, 1), 0);
	run(r);
	tap(pixel32(r, 0, 512, 1, 1) == 0xff00ff00 && !pixel32(r, 0, 512, 40, 40) &&
	    !pixel32(r, 0, 512, 31, 46) && !pixel32(r, 0, 512, 28, 10) && clean(r), "%s: an index that begins a new strip", chip);

	fill_memory_below(r, CODE);
	quad(r, -1, -1, 1e7f, 1);
	tap(only(r, 0xff00ff00, 0, 0, W2D, 48) && clean(r), "%s: a corner far away is clipped", chip);
	rig_destroy(r);
}

/* --- 3D: textures --- */

/* A channel of a pixel of the target of floats */
static float float_at(struct rig *r, uint32_t x, uint32_t y, uint32_t channel)
{
	uint32_t bits = peek(r, VRAM_MEM + y * 512 + x * 16 + channel * 4);
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

#define UNORM	2u
#define FLOAT	7u

/* A pitch texture of @width x @height; a sampler of nearest texels that repeats */
static void pitch_texture(struct rig *r, uint32_t word0, uint32_t width, uint32_t height,
			  const void *texels, size_t size)
{
	uint32_t tic[8] = { word0, VA_MEM + IMAGE, 0x8005d000 | 1u << 31, 64, width, 1u << 16 | height };
	uint32_t tsc[8] = { 0x2000, 0x51 };

	nvsim_vram_write(r->sim, VRAM_MEM + IMAGE, texels, size);
	set_headers(r, tic, tsc);
}

static void test_texel_formats(const char *chip)
{
	static const struct {
		uint32_t word0, texel[4];
		float want[4];
	} rows[] = {
		{ RGBA | TYPES(UNORM) | 0x08, { 0xcc0033ff }, { 1, 0.2f, 0, 0.8f } },
		/* blue first, as BGRA8 has it */
		{ 4u << 18 | 3u << 21 | 2u << 24 | 5u << 27 | TYPES(UNORM) | 0x08, { 0xccff3300 },
		  { 1, 0.2f, 0, 0.8f } },
		{ RGBA | TYPES(1u) | 0x08, { 0x80007f81 }, { -1, 1, 0, -1 } },
		{ 2u << 18 | 7u << 27 | TYPES(UNORM) | 0x1d, { 0x33 }, { 0.2f, 0, 0, 1 } },
		{ 2u << 18 | 3u << 21 | 7u << 27 | TYPES(UNORM) | 0x18, { 0xff33 }, { 0.2f, 1, 0, 1 } },
		{ RGBA | TYPES(UNORM) | 0x15, { 0xf81f }, { 1, 0, 1, 0 } },
		{ RGBA | TYPES(UNORM) | 0x12, { 0xf03c }, { 0.8f, 0.2f, 0, 1 } },
		{ RGBA | TYPES(UNORM) | 0x14, { 0x801f }, { 1, 0, 0, 1 } },
		{ RGBA | TYPES(FLOAT) | 0x03, { 0x40003c00, 0x3800c000 }, { 1, 2, -2, 0.5f } },
		{ RGBA | TYPES(FLOAT) | 0x01, { 0x3f800000, 0x40490fdb, 0xc0000000, 0 },
		  { 1, 3.14159274f, -2, 0 } },
		{ RGBA | TYPES(FLOAT) | 0x21, { 0x781e03c0 }, { 1, 1, 1, 0 } },
		{ 2u << 18 | 2u << 21 | 2u << 24 | 7u << 27 | TYPES(UNORM) | 0x2a, { 0xaa800000 },
		  { 8388608 / 16777215.0f, 8388608 / 16777215.0f, 8388608 / 16777215.0f, 1 } },
		{ 2u << 18 | 7u << 27 | TYPES(FLOAT) | 0x2f, { 0x3e800000 }, { 0.25f, 0, 0, 1 } },
		{ 2u << 18 | 6u << 27 | TYPES(UNORM) | 0x3a, { 0xffff }, { 1, 0, 0, 0x1p-149f } },
		/* the first texel of a block: a fourth color of three, alpha, 1/7 of the way, the least */
		{ RGBA | TYPES(UNORM) | 0x24, { 0xf800f800, 3 }, { 0, 0, 0, 0 } },
		{ RGBA | TYPES(UNORM) | 0x24, { 0xf800001f, 2 }, { 0.5f, 0, 0.5f, 1 } },
		{ RGBA | TYPES(UNORM) | 0x24, { 0x001ff800, 2 }, { 2 / 3.0f, 0, 1 / 3.0f, 1 } },
		{ RGBA | TYPES(UNORM) | 0x25, { 3, 0, 0x001ff800, 0 }, { 1, 0, 0, 0.2f } },
		{ RGBA | TYPES(UNORM) | 0x26, { 0x000200ff, 0, 0x001ff800, 1 }, { 0, 0, 1, 6 / 7.0f } },
		{ RGBA | TYPES(UNORM) | 0x27, { 0x0007ff00, 0 }, { 1, 0, 0, 1 } },
		{ RGBA | TYPES(1u) | 0x27, { 0x00007f00, 0 }, { 0, 0, 0, 1 } },
		{ RGBA | TYPES(1u) | 0x28, { 0x00067f81, 0, 0x00000081, 0 }, { -1, -1, 0, 1 } },
		{ RGBA | TYPES(FLOAT) | 0x20, { 0x80040201 }, { 0x1p-8f, 0x1p-8f, 0x1p-8f, 1 } },
	};
	struct rig *r = ready(chip);
	bool ok = true;
	uint32_t i, k;

	setup_textures(r);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pitch_texture(r, rows[i].word0, 1, 1, rows[i].texel, sizeof(rows[i].texel));
		textured_quad(r, 1, 1);
		for (k = 0; k < 4; k++) {
			if (float_at(r, 3, 5, k) == rows[i].want[k])
				continue;
			printf("# row %u, channel %u: %.9g\n", i, k, float_at(r, 3, 5, k));
			ok = false;
		}
	}
	tap(ok && clean(r), "%s: texels of %u formats", chip, i);
	rig_destroy(r);
}

/* Level @level of layer @layer in blocks; a level's block is no higher than it has to be. */
static uint32_t block_texel(uint32_t size, uint32_t levels, uint32_t layer, uint32_t level,
			    uint32_t x, uint32_t y)
{
	uint32_t at = 0, bytes = 0, i, bh, first = 0;

	for (i = 0; i < levels; i++) {
		uint32_t s = size >> i ? size >> i : 1;

		for (bh = 2; bh && 4u << (bh - 1) >= s; bh--)
			;
		if (!i)
			first = bh;
		if (i == level)
			at = bytes + tiled(0, bh, 0, s * 4, s, x * 4, y, 0);
		bytes += (s * 4 + 63) / 64 * 64 * ((s + (4u << bh) - 1) / (4u << bh) * (4u << bh));
	}
	bytes = (bytes + (256u << first) - 1) / (256u << first) * (256u << first);
	return at + layer * bytes;
}

/* Each texel of two layers of five levels of 16 x 16 has its place as its color. */
static void test_texture_layout(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t tic[8] = { RGBA | TYPES(4u) | 0x08, VA_MEM + IMAGE,
			    0x80001000 | 5u << 14 | 2u << 22, 0x300000, 1u << 31 | 16,
			    4u << 28 | 2u << 16 | 16, 0x03000000, 4u << 4 };
	uint32_t tsc[8] = { 0x2000, 0x51 }, layer, level, x, y, v, got;
	bool ok = true;
	float end;

	setup_textures(r);
	for (layer = 0; layer < 2; layer++)
		for (level = 0; level < 5; level++)
			for (y = 0; y < (16u >> level); y++)
				for (x = 0; x < (16u >> level); x++) {
					v = x | y << 8 | level << 16 | layer << 24;
					nvsim_vram_write(r->sim, VRAM_MEM + IMAGE +
							 block_texel(16, 5, layer, level, x, y), &v, 4);
				}
	target_3d(r, 1, 0xc2, true, 0);
	submit(r, 1, M(SUBC_3D, 0xff4, 2), 8u << 16, 8u << 16);
	for (layer = 0; layer < 2; layer++) {
		for (level = 0; level < 2; level++) {
			/* The view begins at this level; one layer is a texture of 2D. */
			tic[1] = VA_MEM + IMAGE + block_texel(16, 5, layer, 0, 0, 0);
			tic[2] = 0x80001000 | 1u << 14 | 2u << 22;
			tic[7] = 4u << 4 | level;
			if (!strcmp(chip, "g80") && level)
				continue;
			set_headers(r, tic, tsc);
			end = level ? 1 : 0.5f;
			textured_quad(r, end, end);
			for (y = 0; y < 8; y++)
				for (x = 0; x < 8; x++) {
					got = peek(r, VRAM_MEM + y * 512 + x * 16) |
					      peek(r, VRAM_MEM + y * 512 + x * 16 + 4) << 8 |
					      peek(r, VRAM_MEM + y * 512 + x * 16 + 8) << 16 |
					      peek(r, VRAM_MEM + y * 512 + x * 16 + 12) << 24;
					if (got == (x | y << 8 | level << 16 | layer << 24))
						continue;
					printf("# %u %u of level %u, layer %u: %08x\n", x, y, level,
					       layer, got);
					ok = false;
				}
		}
	}
	tap(ok && clean(r), "%s: texels of levels and layers in blocks", chip);
	rig_destroy(r);
}

static void wrap_modes(struct rig *r, const char *chip, uint32_t *tic, uint32_t *tsc)
{
	static const struct {
		uint32_t mode;
		float want[8];
	} rows[] = {
		{ 0, { 0, 0.2f, 0.4f, 1, 0, 0.2f, 0.4f, 1 } },
		{ 1, { 0, 0.2f, 0.4f, 1, 1, 0.4f, 0.2f, 0 } },
		{ 2, { 0, 0.2f, 0.4f, 1, 1, 1, 1, 1 } },
		{ 3, { 0, 0.2f, 0.4f, 1, 0.5f, 0.5f, 0.5f, 0.5f } },
		{ 4, { 0, 0.2f, 0.4f, 1, 1, 1, 1, 1 } },
		{ 5, { 0, 0.2f, 0.4f, 1, 1, 1, 1, 1 } },
	};
	bool ok = true;
	uint32_t i, x;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tsc[0] = 0x2000 | rows[i].mode;
		set_headers(r, tic, tsc);
		textured_quad(r, 2, 1);
		for (x = 0; x < 8; x++) {
			if (float_at(r, x, 2, 0) == rows[i].want[x])
				continue;
			printf("# mode %u, pixel %u: %g\n", rows[i].mode, x, float_at(r, x, 2, 0));
			ok = false;
		}
	}
	tap(ok, "%s: wrap modes", chip);
}

static void test_wrap_and_filter(const char *chip)
{
	/* Texels of R8: 0, 51, 102, 255; coordinates run from 0 to 2 over 8 pixels. */
	static const uint8_t texels[] = { 0, 51, 102, 255 };
	static const float linear[] = { 0, 0.05f, 0.15f, 0.25f, 0.35f, 0.55f, 0.85f, 1 };
	uint32_t tic[8] = { 2u << 18 | 7u << 27 | TYPES(UNORM) | 0x1d, VA_MEM + IMAGE,
			    0x8005d000 | 1u << 31, 64, 4, 1u << 16 | 1 };
	uint32_t tsc[8] = { 0x2000, 0x51, 0, 0, 0x3f000000, 0x3f000000, 0x3f000000, 0x3f000000 };
	struct rig *r = ready(chip);
	bool ok = true;
	uint32_t x;

	setup_textures(r);
	pitch_texture(r, tic[0], 4, 1, texels, sizeof(texels));
	wrap_modes(r, chip, tic, tsc);
	ok = true;
	tsc[0] = 0x2000 | 2 | 2 << 3;
	tsc[1] = 0x62;
	set_headers(r, tic, tsc);
	textured_quad(r, 1, 1);
	for (x = 0; x < 8; x++) {
		if (fabsf(float_at(r, x, 2, 0) - linear[x]) < 0.001f)
			continue;
		printf("# linear, pixel %u: %g\n", x, float_at(r, x, 2, 0));
		ok = false;
	}
	tap(ok && clean(r), "%s: a linear filter", chip);

	/* A shadow: 1 where the reference, blue, is less than the texel */
	tsc[0] = 0x2000 | 1u << 9 | 1u << 10;
	tsc[1] = 0x51;
	set_headers(r, tic, tsc);
	textured_quad(r, 1, 1);
	ok = float_at(r, 0, 0, 0) == 0 && float_at(r, 2, 0, 0) == 1 && float_at(r, 7, 0, 0) == 1;
	tap(ok && clean(r), "%s: texels compared with a reference", chip);
	submit(r, 1, M(SUBC_3D, 0x1578, 1), VA_HOLE);
	textured_quad(r, 1, 1);
	tap(rd(r, NV_PGRAPH_INTR) & 0x200000, "%s: a table of headers that is not mapped is a trap",
	    chip);
	rig_destroy(r);
}

static uint32_t fuzz_seed = 1;

static uint32_t chance(void)
{
	fuzz_seed = fuzz_seed * 1664525 + 1013904223;
	return fuzz_seed >> 8 | fuzz_seed << 24;
}

/* Random headers, samplers and texture instructions */
static void test_random_textures(const char *chip)
{
	const uint32_t rounds = rig_rounds(300);
	struct rig *r = ready(chip);
	uint32_t words[16], i, k;
	unsigned int gone_on = 0;

	setup_textures(r);
	for (i = 0; i < rounds; i++) {
		if (rd(r, NV_PGRAPH_INTR) || rd(r, NV_PFIFO_INTR)) {
			rig_destroy(r);
			r = ready(chip);
			setup_textures(r);
		}
		memcpy(words, texture_program, sizeof(texture_program));
		if (chance() & 1)
			words[6] = 0xf0000001 | (chance() & 0x0fc1fe00);
		if (chance() & 1)
			words[7] = (chance() & 0xffffc008) | 0x781;
		if (chance() % 8 == 0)
			words[6] ^= 1u << chance() % 32;
		set_program(r, 0x1080, words, sizeof(texture_program));
		for (k = 0; k < 16; k++)
			words[k] = chance() & (chance() & 1 ? ~0u : 0x00f0f00f);
		words[1] = VA_MEM + (chance() & 0xffff00);
		if (chance() & 7)
			words[2] &= ~0xffu;
		if (chance() & 3)
			words[0] = (words[0] & ~0x3fu) | 0x08;
		if (chance() & 3)
			words[4] &= 0x800000ff;
		set_headers(r, words, words + 8);
		textured_quad(r, (float)(int)(chance() % 9) - 4, (float)(chance() % 100000) - 1000);
		submit(r, 1, M(0, 0x50, 1), i);
		run(r);
		gone_on += ref(r, 1) == i;
	}
	tap(gone_on > rounds / 3, "%s: %u draws of %u with random textures ended without an error", chip,
	    gone_on, rounds);
	rig_destroy(r);
}

/* Random programs and state, under the sanitizers: each draw must end, and PGRAPH continue. */
/* A geometry program that emits @bits vertices and more, and transform feedback, both or none */
static void before_rasteriser(struct rig *r, uint32_t bits)
{
	uint32_t words[20], i;

	for (i = 0; i < 20; i += 2) {
		words[i] = bits >> i & 1 ? 0xf0000201 : 0xf0000401;
		words[i + 1] = i == 18 ? 0xc0000781 : 0xc0000780;
	}
	words[bits >> 20 & 7] ^= 1u << (bits >> 23 & 31);
	set_program(r, 0x800, words, sizeof(words));
	submit(r, 1, M(SUBC_3D, 0xf70, 2), 0, VA_MEM + CODE, M(SUBC_3D, 0x1410, 1), 0x800,
	       M(SUBC_3D, 0x1420, 1), 9, M(SUBC_3D, 0x17b0, 1), 1 + bits % 3, M(SUBC_3D, 0x1798, 1),
	       bits >> 28 & 1, M(SUBC_3D, 0x1a8, 1), H_VM, M(SUBC_3D, 0x1294, 1), 0x2001,
	       M(SUBC_3D, 0x1480, 1), 0x83828180, M(SUBC_3D, 0x1a80, 3), 0, VA_MEM + 0x60000, 8,
	       M(SUBC_3D, 0xda8, 1), 5, M(SUBC_3D, 0xda4, 1), 1, M(SUBC_3D, 0x17b8, 1),
	       bits >> 29 & 1);
}

static void test_random_programs(const char *chip)
{
	static const uint32_t methods[] = {
		0x200, 0x208, 0x20c, 0x900, 0xc00, 0xd74, 0xe00, 0xfe8, 0xff4, 0x1224, 0x1240, 0x1280,
		0x12cc, 0x130c, 0x140c, 0x1540, 0x1650, 0x1694, 0x16bc, 0x1918, 0x1988, 0x1a00, 0x1ac0,
		0xa00, 0x1360, 0x19d0, 0x1b0c, 0xf00, 0x121c, 0x1340, 0x1380, 0x1390, 0x193c, 0x1510,
		0x15e8, 0x15ec, 0x15f0, 0x1644, 0x164c, 0xdc8, 0x19c4, 0x15cc, 0x13a8, 0x13b0, 0x13c0,
		0x1518, 0x1520, 0x1660, 0x1688, 0x1904, 0x1910, 0x1420, 0x17b0, 0x17b4, 0x17fc, 0x190c,
		0x1914, 0x1294, 0x1480, 0xda8, 0x1a84, 0x1a88, 0x1a8c, 0x1780, 0x123c, 0x1554, 0x1558,
	};
	const uint32_t rounds = rig_rounds(100);
	struct rig *r = ready(chip);
	uint32_t words[64], i, k, at;
	float at_random[10];
	unsigned int gone_on = 0;

	for (i = 0; i < rounds; i++) {
		if (rd(r, NV_PGRAPH_INTR) || rd(r, NV_PFIFO_INTR)) {
			rig_destroy(r);
			r = ready(chip);
		}
		setup_3d(r);
		for (k = 0; k < 64; k++)
			words[k] = chance() | (chance() & 1);
		memcpy(words, chance() & 1 ? vertex_program : words, sizeof(vertex_program));
		if (chance() & 1)
			words[chance() % 20] ^= 1u << chance() % 32;
		set_program(r, 0x40, words, sizeof(words));
		memcpy(words, chance() & 1 ? fragment_program : words, sizeof(fragment_program));
		words[chance() % 8] ^= 1u << chance() % 32;
		set_program(r, 0x1080, words, sizeof(words));
		before_rasteriser(r, chance());
		/* A value outside of an enumeration ends the round. */
		for (k = 0; k < i % 4; k++) {
			at = methods[chance() % (sizeof(methods) / sizeof(methods[0]))] + chance() % 2 * 4;
			submit(r, 1, M(SUBC_3D, at, 1), chance() & 3 ? chance() % 300 : chance());
		}
		quad(r, (float)(int)(chance() % 5) - 2, -1, 0, (float)(chance() % 3));
		for (k = 0; k < 10; k++)
			at_random[k] = (float)(int)(chance() % 100) - 20;
		shape(r, chance() % 14, at_random, 5);
		submit(r, 1, M(0, 0x50, 1), i);
		run(r);
		gone_on += ref(r, 1) == i;
	}
	tap(gone_on > rounds / 10, "%s: %u draws of %u with random state ended without an error", chip,
	    gone_on, rounds);
	rig_destroy(r);
}

/* Random modes of samples and polygons, targets, stipple, depth and filters: draws must end. */
static void test_random_pixels(const char *chip)
{
	static const uint32_t methods[][3] = {
		/* first method, methods, values that mean something */
		{ 0x15d0, 1, 12 }, { 0x1534, 1, 2 }, { 0x153c, 1, 32 }, { 0xfbc, 4, 256 }, { 0x169c, 1, 32 },
		{ 0x1928, 1, 4 }, { 0xdb4, 1, 2 }, { 0xdc0, 3, 2 }, { 0x166c, 1, 2 }, { 0x1680, 1, 0xffffff },
		{ 0x168c, 1, 2 }, { 0x1700, 32, ~0u }, { 0x15e4, 1, 2 }, { 0x1240, 4, 300 }, { 0x121c, 1, 9 },
		{ 0x1224, 1, 0x20010 }, { 0x15cc, 1, 8 }, { 0xff4, 2, ~0u }, { 0xfe8, 3, 256 },
		{ 0x1228, 2, 300 }, { 0x1538, 1, 2 }, { 0x12cc, 1, 2 }, { 0x1298, 1, 140 }, { 0x19a8, 1, 512 },
		{ 0x13b0, 1, ~0u }, { 0x1518, 1, ~0u }, { 0x1924, 1, 2 }, { 0x1380, 1, 2 },
		{ 0x1570, 1, 2 }, { 0x1658, 1, 2 },
	};
	const uint32_t rounds = rig_rounds(300);
	struct rig *r = ready(chip);
	float at_random[10];
	uint32_t i, k, row, value;
	unsigned int gone_on = 0;

	for (i = 0; i < rounds; i++) {
		if (rd(r, NV_PGRAPH_INTR) || rd(r, NV_PFIFO_INTR)) {
			rig_destroy(r);
			r = ready(chip);
		}
		setup_3d(r);
		target_3d(r, 1, chance() & 3 ? 0xd5 : 0xc0 + chance() % 0x40, !(chance() & 7), 0);
		submit(r, 1, M(SUBC_3D, 0x198c, 1), 140, M(SUBC_3D, 0xdac, 2), 0x1b00 + chance() % 3, 0x1b00 + chance() % 3);
		for (k = 0; k < 8; k++) {
			row = chance() % (sizeof(methods) / sizeof(methods[0]));
			value = chance() & 7 ? chance() % methods[row][2] : chance();
			submit(r, 1, M(SUBC_3D, methods[row][0] + chance() % methods[row][1] * 4, 1), value);
		}
		submit(r, 1, M(SUBC_3D, 0x19d0, 1), chance() & 0x3f);
		for (k = 0; k < 10; k++)
			at_random[k] = (float)(int)(chance() % 100) - 20;
		shape(r, chance() % 14, at_random, 5);
		submit(r, 1, M(0, 0x50, 1), i);
		run(r);
		gone_on += ref(r, 1) == i;
	}
	tap(gone_on > rounds / 3, "%s: %u draws of %u with random pixel state ended without an error", chip,
	    gone_on, rounds);
	rig_destroy(r);
}

int main(void)
{
	static const char *const chips[] = { "g80", "g96", "gt216" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		test_clear(chips[i]);
		test_constants(chips[i]);
		test_conditions(chips[i]);
		test_triangles(chips[i]);
		test_open_draws(chips[i]);
		test_lines(chips[i]);
		test_points(chips[i]);
		test_smooth(chips[i]);
		test_edge_flags(chips[i]);
		test_samples(chips[i]);
		test_colors_of_sides(chips[i]);
		test_provoking_corner(chips[i]);
		test_arrays_and_depth(chips[i]);
		test_instructions(chips[i]);
		test_refused_programs(chips[i]);
		test_stack(chips[i]);
		test_limited_calls(chips[i]);
		test_preret(chips[i]);
		test_wrong_programs(chips[i]);
		test_local_buffer(chips[i]);
		test_blending(chips[i]);
		test_missing(chips[i]);
		test_stencil(chips[i]);
		test_indices(chips[i]);
		test_texel_formats(chips[i]);
		test_texture_layout(chips[i]);
		test_wrap_and_filter(chips[i]);
		test_random_programs(chips[i]);
		test_random_pixels(chips[i]);
		test_random_textures(chips[i]);
	}
	for (i = 0; nvsim_chipset_names[i]; i++)
		test_isolation_3d(nvsim_chipset_names[i]);
	return tap_end();
}
