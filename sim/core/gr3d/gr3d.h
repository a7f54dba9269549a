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
#define VERTEX_BEGIN_D3D	0x15d4
#define VERTEX_BEGIN_GL		0x15dc
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
#define GR3D_WORDS		(GR3D_SAMPLES + 2)

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

/* target.c */
void sim_gr3d_start_clear(struct nvsim *s, u32 data);
void sim_gr3d_clear_step(struct nvsim *s);

#endif
