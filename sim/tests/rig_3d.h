/* SPDX-License-Identifier: MIT */
/* Draws of the 3D unit: programs, a target, vertices, textures */
#ifndef SIM_TESTS_RIG_3D_H
#define SIM_TESTS_RIG_3D_H

#include "rig_pgraph.h"

/* A color target of the 2D tests' size: pitch-linear, or blocks of two gobs' height */
static inline void target_3d(struct rig *r, unsigned int n, uint32_t format, bool linear, uint32_t off)
{
	uint32_t tiling = linear ? 0u : 0x10u;
	uint32_t width = linear ? 0x80000200u : W2D;

	submit(r, n, M(SUBC_3D, 0x1c0, 1), H_VM, M(SUBC_3D, 0x200, 5), 0, VA_MEM + off, format,
	       tiling, 0, M(SUBC_3D, 0x1240, 2), width, H2D,
	       M(SUBC_3D, 0xff4, 2), W2D << 16, H2D << 16);
}

/* A pixel of that target with blocks */
static inline uint32_t tiled_pixel(struct rig *r, uint32_t x, uint32_t y)
{
	return peek(r, VRAM_MEM + tiled(0, 1, 0, W2D * 4, H2D, x * 4, y, 0));
}

/* As only() */
static inline bool only_tiled(struct rig *r, uint32_t color, uint32_t x0, uint32_t y0, uint32_t x1,
			      uint32_t y1)
{
	uint32_t x, y;

	for (y = 0; y < H2D; y++)
		for (x = 0; x < W2D; x++) {
			bool in = x >= x0 && x < x1 && y >= y0 && y < y1;

			if (tiled_pixel(r, x, y) != (in ? color : 0)) {
				printf("# (%u, %u) is %08x\n", x, y, tiled_pixel(r, x, y));
				return false;
			}
		}
	return true;
}

#define CODE 0x30000u	/* vertex programs; fragment programs 0x1000 above */

/*
 * As Mesa 22.3.6 compiles them: position and color are handed on; color times w, which is the
 * reciprocal of the first interpolant.
 */
static const uint32_t vertex_program[] = {
	0x10000001, 0x0423c788, 0x10000205, 0x0423c788, 0x10008001, 0x03f80003, 0x10007e05,
	0x0403c780, 0x00000401, 0x80c04780, 0x00000601, 0x80c00780, 0x10000411, 0x0423c788,
	0x10000615, 0x0423c788, 0x10000819, 0x0423c788, 0x10000a1d, 0x0423c789,
};

static const uint32_t fragment_program[] = {
	0x80000000, 0x9000000c, 0x82010600, 0x82020604, 0x80030609, 0x00020780, 0x8004060d,
	0x00020781,
};

static inline void set_program(struct rig *r, uint32_t off, const uint32_t *words, size_t size)
{
	nvsim_vram_write(r->sim, VRAM_MEM + CODE + off, words, size);
}

/* The state of a draw of 2 + 4 floats a vertex to a target of W2D x H2D */
static inline void setup_3d(struct rig *r)
{
	set_program(r, 0x40, vertex_program, sizeof(vertex_program));
	set_program(r, 0x1080, fragment_program, sizeof(fragment_program));
	target_3d(r, 1, 0xd5, true, 0);
	submit(r, 1, M(SUBC_3D, 0x121c, 1), 076543210 << 4 | 1, M(SUBC_3D, 0x198, 1), H_VM, M(SUBC_3D, 0xf7c, 2), 0, VA_MEM + CODE,
	       M(SUBC_3D, 0xfa4, 2), 0, VA_MEM + CODE + 0x1000, M(SUBC_3D, 0x140c, 1), 0x40,
	       M(SUBC_3D, 0x1414, 1), 0x80, M(SUBC_3D, 0x1650, 1), 0xf3, M(SUBC_3D, 0x1ac0, 2),
	       0x7e200000, 0x7e080001, M(SUBC_3D, 0x16ac, 1), 8, M(SUBC_3D, 0x16bc, 2), 0x03020100,
	       0x07060504, M(SUBC_3D, 0x1988, 1), 0x08040404, M(SUBC_3D, 0x1538, 1), 0,
	       M(SUBC_3D, 0x190, 1), H_VM,
	       M(SUBC_3D, 0x12d8, 3), 0, VA_MEM, 3, M(SUBC_3D, 0x194, 1), H_VM, M(SUBC_3D, 0xd94, 3), 0,
	       VA_MEM, 4);
	/* a viewport of 64 x 48 */
	submit(r, 1, M(SUBC_3D, 0xa00, 6), 0x42000000, 0x41c00000, 0x3f000000, 0x42000000,
	       0x41c00000, 0x3f000000, M(SUBC_3D, 0x192c, 1), 1, M(SUBC_3D, 0x1a00, 1), 0x1111,
	       M(SUBC_3D, 0x1530, 1), 1, M(SUBC_3D, 0x1514, 1), 1);
	run(r);
}

static inline uint32_t float_bits(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static inline void vertex(struct rig *r, float x, float y, float red, float green, float blue)
{
	submit(r, 1, NI(SUBC_3D, 0x1640, 6), float_bits(x), float_bits(y), float_bits(red),
	       float_bits(green), float_bits(blue), 0x3f800000);
}

/* Four corners, by halves of the viewport from its middle */
static inline void quad(struct rig *r, float left, float top, float right, float bottom)
{
	submit(r, 1, M(SUBC_3D, 0x15dc, 1), 5);
	vertex(r, left, top, 0, 1, 0);
	vertex(r, right, top, 0, 1, 0);
	vertex(r, left, bottom, 0, 1, 0);
	vertex(r, right, bottom, 0, 1, 0);
	submit(r, 1, M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	r->push_at[1] = 0;
}

/* Green vertices at the pixels' places, which are x and y in turn */
static inline void shape(struct rig *r, uint32_t primitive, const float *at, uint32_t count)
{
	uint32_t i;

	fill_memory_below(r, CODE);
	submit(r, 1, M(SUBC_3D, 0x15dc, 1), primitive);
	for (i = 0; i < count; i++)
		vertex(r, at[2 * i] / 32 - 1, at[2 * i + 1] / 24 - 1, 0, 1, 0);
	submit(r, 1, M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	r->push_at[1] = 0;
}

#define TIC	0x60000u
#define TSC	0x61000u
#define IMAGE	0x80000u

#define RGBA	(2u << 18 | 3u << 21 | 4u << 24 | 5u << 27)
#define TYPES(t) ((t) << 6 | (t) << 9 | (t) << 12 | (t) << 15)

/* Red and green, times w, are the coordinates; blue is in a third register. */
static const uint32_t texture_program[] = {
	0x80000000, 0x9000000c, 0x82010600, 0x82020604, 0x80030609, 0x00020780, 0xf6400001,
	0x0000c781,
};

static inline void set_headers(struct rig *r, const uint32_t tic[8], const uint32_t tsc[8])
{
	nvsim_vram_write(r->sim, VRAM_MEM + TIC, tic, 32);
	nvsim_vram_write(r->sim, VRAM_MEM + TSC, tsc, 32);
}

/* Draws go to a target of floats, of 8 x 8 pixels, and the program samples texture 0. */
static inline void setup_textures(struct rig *r)
{
	setup_3d(r);
	set_program(r, 0x1080, texture_program, sizeof(texture_program));
	target_3d(r, 1, 0xc0, true, 0);
	submit(r, 1, M(SUBC_3D, 0xff4, 2), 8u << 16, 8u << 16, M(SUBC_3D, 0xa00, 6), 0x40800000,
	       0x40800000, 0x3f000000, 0x40800000, 0x40800000, 0x3f000000, M(SUBC_3D, 0x19c, 3),
	       H_VM, H_VM, H_VM, M(SUBC_3D, 0x1574, 3), 0, VA_MEM + TIC, 63, M(SUBC_3D, 0x155c, 3), 0,
	       VA_MEM + TSC, 63, M(SUBC_3D, 0x1454, 2), 1, 1);
	run(r);
}

/* Over all 8 x 8 pixels, with coordinates that are 0 and @u, @v at the ends */
static inline void textured_quad(struct rig *r, float u, float v)
{
	submit(r, 1, M(SUBC_3D, 0x15dc, 1), 5);
	vertex(r, -1, -1, 0, 0, 0);
	vertex(r, 1, -1, u, 0, 0);
	vertex(r, -1, 1, 0, v, 0);
	vertex(r, 1, 1, u, v, 0);
	submit(r, 1, M(SUBC_3D, 0x15e0, 1), 0);
	run(r);
	r->push_at[1] = 0;
}

#endif
