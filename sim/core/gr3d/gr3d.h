/* SPDX-License-Identifier: MIT */
/* The 3D unit: what its stages share. Methods have the names of rnndb's G80_3D. */
#ifndef SIM_GR3D_H
#define SIM_GR3D_H

#include "../core.h"

/* Methods; state is kept by their numbers */
#define DMA_ZETA		0x184
#define DMA_QUERY		0x188
#define DMA_CODE_CB		0x198
#define DMA_COLOR(i)		(0x1c0 + 4 * (i))
#define RT_ADDRESS_HIGH(i)	(0x200 + 32 * (i))
#define RT_ADDRESS_LOW(i)	(0x204 + 32 * (i))
#define RT_FORMAT(i)		(0x208 + 32 * (i))
#define RT_BLOCK(i)		(0x20c + 32 * (i))
#define RT_LAYER_STRIDE(i)	(0x210 + 32 * (i))
#define VIEWPORT_HORIZ		0xc00
#define VIEWPORT_VERT		0xc04
#define CLEAR_COLOR(i)		(0xd80 + 4 * (i))
#define CLEAR_DEPTH		0xd90
#define CLEAR_STENCIL		0xda0
#define SCISSOR_ENABLE		0xe00
#define SCISSOR_HORIZ		0xe04
#define SCISSOR_VERT		0xe08
#define CB_ADDR			0xf00
#define CB_DATA			0xf04
#define CB_DATA_END		0xf44
#define ZETA_ADDRESS_HIGH	0xfe0
#define ZETA_ADDRESS_LOW	0xfe4
#define ZETA_FORMAT		0xfe8
#define ZETA_BLOCK		0xfec
#define ZETA_LAYER_STRIDE	0xff0
#define SCREEN_SCISSOR_HORIZ	0xff4
#define SCREEN_SCISSOR_VERT	0xff8
#define RT_ARRAY_MODE		0x1224
#define ZETA_HORIZ		0x1228
#define ZETA_VERT		0x122c
#define RT_HORIZ(i)		(0x1240 + 8 * (i))
#define RT_VERT(i)		(0x1244 + 8 * (i))
#define CB_DEF_ADDRESS_HIGH	0x1280
#define CB_DEF_ADDRESS_LOW	0x1284
#define CB_DEF_SET		0x1288
#define CLEAR_FLAGS		0x143c
#define COUNTER_RESET		0x1530
#define VERTEX_ARRAY_FETCH(i)	(0x900 + 16 * (i))
#define VERTEX_ARRAY_HIGH(i)	(0x904 + 16 * (i))
#define VERTEX_ARRAY_LOW(i)	(0x908 + 16 * (i))
#define VIEWPORT_SCALE(i)	(0xa00 + 4 * (i))
#define VIEWPORT_TRANSLATE(i)	(0xa0c + 4 * (i))
#define VERTEX_BUFFER_FIRST	0xd74
#define VERTEX_BUFFER_COUNT	0xd78
#define VP_ADDRESS_HIGH		0xf7c
#define VP_ADDRESS_LOW		0xf80
#define FP_ADDRESS_HIGH		0xfa4
#define FP_ADDRESS_LOW		0xfa8
#define DEPTH_TEST_ENABLE	0x12cc
#define DEPTH_WRITE_ENABLE	0x12e8
#define DEPTH_TEST_FUNC		0x130c
#define BLEND_ENABLE(i)		(0x1360 + 4 * (i))
#define STENCIL_ENABLE		0x1380
#define VP_START_ID		0x140c
#define FP_START_ID		0x1414
#define SAMPLECNT_ENABLE	0x1514
#define ZETA_ENABLE		0x1538
#define NOPERSPECTIVE(i)	(0x1540 + 4 * (i))
#define VERTEX_BEGIN_D3D	0x15d4
#define VERTEX_BEGIN_GL		0x15dc
#define VERTEX_END_GL		0x15e0
#define VERTEX_DATA		0x1640
#define VP_ATTR_EN(i)		(0x1650 + 4 * (i))
#define PROVOKING_VERTEX_LAST	0x1684
#define SET_PROGRAM_CB		0x1694
#define VP_RESULT_MAP_SIZE	0x16ac
#define VP_RESULT_MAP(i)	(0x16bc + 4 * (i))
#define GP_ENABLE		0x1798
#define CULL_FACE_ENABLE	0x1918
#define FRONT_FACE		0x191c
#define CULL_FACE		0x1920
#define VIEWPORT_TRANSFORM_EN	0x192c
#define FP_INTERPOLANT_CTRL	0x1988
#define FP_CONTROL		0x19a8
#define COLOR_MASK(i)		(0x1a00 + 4 * (i))
#define VERTEX_ARRAY_ATTRIB(i)	(0x1ac0 + 4 * (i))
#define CLEAR_BUFFERS		0x19d0
#define QUERY_ADDRESS_HIGH	0x1b00
#define QUERY_ADDRESS_LOW	0x1b04
#define QUERY_SEQUENCE		0x1b08
#define QUERY_GET		0x1b0c

/* Words of the state: first those of the methods, then what they make. Word 0 says that it is. */
#define GR3D_METHODS		(0x2000 / 4)
#define GR3D_BUFFERS		128
#define GR3D_BUFFER(n)		(GR3D_METHODS + 3 * (n))	/* high, low, size in bytes */
#define GR3D_SAMPLES		GR3D_BUFFER(GR3D_BUFFERS)	/* 2 words, the low one first */
/* 16 buffers of each program, VP 0, FP 3: VALID | number */
#define GR3D_PROGRAM_CB(p, i)	(GR3D_SAMPLES + 2 + 16 * (p) + (i))
#define GR3D_WORDS		GR3D_PROGRAM_CB(4, 0)
#define GR3D_CB_VALID		(1u << 31)

enum sim_channel_type {
	CHANNEL_UNORM,
	CHANNEL_SNORM,
	CHANNEL_UINT,
	CHANNEL_SINT,
	CHANNEL_FLOAT,
	CHANNEL_SRGB,	/* all but alpha */
	CHANNEL_UFLOAT,	/* 11 or 10 bits */
};

/* A surface format; channels are red, green, blue, alpha, with 0 bits for those that are not there. */
struct sim_color_format {
	u8 id, bpp;
	enum sim_channel_type type;
	u8 bits[4], shift[4];
};

struct sim_zeta_format {
	u8 id, bpp;
	bool is_float;
	u8 z_bits, z_shift, s_bits, s_shift;
};

/* format.c */
const struct sim_color_format *sim_color_format(u32 id);
const struct sim_zeta_format *sim_zeta_format(u32 id);
/* Bits of four channels, given as the bits of floats, or of integers for such formats */
void sim_color_pack(const struct sim_color_format *f, const u32 value[4], u8 *out);
/* The bits of @mask, one for each channel, that a write changes */
void sim_color_mask(const struct sim_color_format *f, u32 mask, u8 *out);

/* state.c */
u32 *sim_gr3d_state(struct nvsim *s);
/* The driver of the card does what the model does not know; said in the trace. */
__attribute__((format(printf, 2, 3))) void sim_gr3d_not_modelled(struct nvsim *s, const char *fmt,
								   ...);

/* program.c */
enum sim_program {
	SIM_PROGRAM_VP = 0,
	SIM_PROGRAM_FP = 3,
};

#define SIM_REGISTERS	128
#define SIM_ATTRIBUTES	64	/* words of a[] and of v[] */

/* One vertex or one pixel */
struct sim_thread {
	enum sim_program program;
	u32 r[SIM_REGISTERS];
	u32 in[SIM_ATTRIBUTES];		/* a[] or v[] */
	u32 out[SIM_REGISTERS];		/* o[] */
	u32 a[8];
	u8 flags[4];			/* of $c: zero, sign, carry, overflow */
	bool killed;
};

/* Run a program to its end; false if it cannot be, which has been said. */
bool sim_gr3d_run(struct nvsim *s, struct sim_thread *t);

/* vertex.c */
void sim_gr3d_begin(struct nvsim *s, u32 primitive);
void sim_gr3d_vertex_word(struct nvsim *s, u32 data);
void sim_gr3d_draw_arrays(struct nvsim *s, u32 first, u32 count);
void sim_gr3d_vertices_step(struct nvsim *s);

/* raster.c */
void sim_gr3d_triangle(struct nvsim *s, const struct sim_vertex *v[3]);
void sim_gr3d_triangle_step(struct nvsim *s);

/* target.c */
bool sim_gr3d_color(struct nvsim *s, u32 rt, u32 layer, struct sim_surface *f,
		    const struct sim_color_format **format);
bool sim_gr3d_zeta(struct nvsim *s, u32 layer, struct sim_surface *f,
		   const struct sim_zeta_format **format);
/* Screen scissor and scissor 0, cut to a surface: left, top, right, bottom */
void sim_gr3d_draw_area(struct nvsim *s, u32 width, u32 height, int64_t area[4]);
void sim_gr3d_target_fault(struct nvsim *s);
void sim_gr3d_start_clear(struct nvsim *s, u32 data);
void sim_gr3d_clear_step(struct nvsim *s);

#endif
