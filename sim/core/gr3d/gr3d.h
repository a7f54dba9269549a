/* SPDX-License-Identifier: MIT */
/* The 3D unit: declarations that its stages share. Methods have the names of rnndb's G80_3D. */
#ifndef SIM_GR3D_H
#define SIM_GR3D_H

#include "../gr.h"

/* Methods; state is kept by their numbers */
#define DMA_ZETA		0x184
#define DMA_QUERY		0x188
#define DMA_VTXBUF		0x18c
#define DMA_LOCAL		0x190
#define DMA_STACK		0x194
#define DMA_CODE_CB		0x198
#define DMA_TSC			0x19c
#define DMA_TIC			0x1a0
#define DMA_TEXTURE		0x1a4
#define DMA_STRMOUT		0x1a8
#define DMA_COLOR(i)		(0x1c0 + 4 * (i))
#define RT_ADDRESS_HIGH(i)	(0x200 + 32 * (i))
#define RT_ADDRESS_LOW(i)	(0x204 + 32 * (i))
#define RT_FORMAT(i)		(0x208 + 32 * (i))
#define RT_BLOCK(i)		(0x20c + 32 * (i))
#define RT_LAYER_STRIDE(i)	(0x210 + 32 * (i))
#define VIEWPORT_HORIZ		0xc00
#define VIEWPORT_VERT		0xc04
#define DEPTH_RANGE_NEAR(n)	(0xc08 + 16 * (n))
#define DEPTH_RANGE_FAR(n)	(0xc0c + 16 * (n))
#define CLIP_RECT_HORIZ(i)	(0xd00 + 8 * (i))
#define CLIP_RECT_VERT(i)	(0xd04 + 8 * (i))
#define CLEAR_COLOR(i)		(0xd80 + 4 * (i))
#define CLEAR_DEPTH		0xd90
#define CLEAR_STENCIL		0xda0
#define PRIM_RESTART_WITH_DRAW_ARRAYS	0xde8
#define SCISSOR_ENABLE(n)	(0xe00 + 16 * (n))
#define SCISSOR_HORIZ(n)	(0xe04 + 16 * (n))
#define SCISSOR_VERT(n)		(0xe08 + 16 * (n))
#define CB_ADDR			0xf00
#define CB_DATA			0xf04
#define CB_DATA_END		0xf44
#define STENCIL_BACK_FUNC_REF	0xf54
#define STENCIL_BACK_MASK	0xf58
#define STENCIL_BACK_FUNC_MASK	0xf5c
#define VERTEX_RUNOUT_HIGH	0xf84
#define VERTEX_RUNOUT_LOW	0xf88
#define COLOR_MASK_COMMON	0xf90
#define DEPTH_BOUNDS(i)		(0xf9c + 4 * (i))
#define MSAA_MASK(i)		(0xfbc + 4 * (i))
#define SEMANTIC_VIEWPORT	0xfd4
#define ZETA_ADDRESS_HIGH	0xfe0
#define ZETA_ADDRESS_LOW	0xfe4
#define ZETA_FORMAT		0xfe8
#define ZETA_BLOCK		0xfec
#define ZETA_LAYER_STRIDE	0xff0
#define SCREEN_SCISSOR_HORIZ	0xff4
#define SCREEN_SCISSOR_VERT	0xff8
#define VERTEX_ID_BASE		0x1118
#define PRIMITIVE_ID		0x111c	/* a method from the G84 on; on the G80 only the counter */
#define RT_CONTROL		0x121c
#define RT_ARRAY_MODE		0x1224
#define ZETA_HORIZ		0x1228
#define ZETA_VERT		0x122c
#define LINKED_TSC		0x1234
#define DRAW_TFB_BYTES		0x123c
#define RT_HORIZ(i)		(0x1240 + 8 * (i))
#define RT_VERT(i)		(0x1244 + 8 * (i))
#define CB_DEF_ADDRESS_HIGH	0x1280
#define LOCAL_ADDRESS_HIGH	0x12d8
#define LOCAL_ADDRESS_LOW	0x12dc
#define LOCAL_SIZE_LOG		0x12e0
#define CB_DEF_ADDRESS_LOW	0x1284
#define CB_DEF_SET		0x1288
#define CALL_LIMIT_LOG		0x1290
#define STRMOUT_BUFFERS_CTRL	0x1294
#define FP_RESULT_COUNT		0x1298
#define CLEAR_FLAGS		0x143c
#define COUNTER_RESET		0x1530
#define VTX_ATTR_1F(i)		(0x300 + 4 * (i))
#define VTX_ATTR_2F(i)		(0x380 + 8 * (i))
#define VTX_ATTR_3F(i)		(0x400 + 16 * (i))
#define VTX_ATTR_4F(i)		(0x500 + 16 * (i))
#define VTX_ATTR_END		0x900	/* with halves, integers and bytes */
#define VERTEX_ARRAY_FETCH(i)	(0x900 + 16 * (i))
#define VERTEX_ARRAY_HIGH(i)	(0x904 + 16 * (i))
#define VERTEX_ARRAY_LOW(i)	(0x908 + 16 * (i))
#define VERTEX_ARRAY_DIVISOR(i)	(0x90c + 16 * (i))
#define VERTEX_ARRAY_PER_INSTANCE(i)	(0x1000 + 4 * (i))
#define VERTEX_ARRAY_LIMIT_HIGH(i)	(0x1080 + 8 * (i))
#define VERTEX_ARRAY_LIMIT_LOW(i)	(0x1084 + 8 * (i))
#define VIEWPORT_SCALE(n, axis)	(0xa00 + 32 * (n) + 4 * (axis))
#define VIEWPORT_TRANSLATE(n, axis)	(0xa0c + 32 * (n) + 4 * (axis))
#define COUNTER_ENABLE		0xd68
#define VERTEX_BUFFER_FIRST	0xd74
#define VERTEX_BUFFER_COUNT	0xd78
#define DEPTH_CLIP_NEGATIVE_Z	0xd7c
#define POLYGON_MODE_FRONT	0xdac
#define POLYGON_MODE_BACK	0xdb0
#define POLYGON_SMOOTH_ENABLE	0x0db4
#define POLYGON_OFFSET_POINT_ENABLE	0xdc0
#define POLYGON_OFFSET_LINE_ENABLE	0xdc4
#define STACK_ADDRESS_HIGH	0xd94
#define STACK_ADDRESS_LOW	0xd98
#define STACK_SIZE_LOG		0xd9c
#define STRMOUT_PARAMS_LATCH	0xda4
#define STRMOUT_PRIMITIVE_LIMIT	0xda8
#define POLYGON_OFFSET_FILL_ENABLE	0xdc8
#define GP_ADDRESS_HIGH		0xf70
#define GP_ADDRESS_LOW		0xf74
#define VP_ADDRESS_HIGH		0xf7c
#define VP_ADDRESS_LOW		0xf80
#define FP_ADDRESS_HIGH		0xfa4
#define FP_ADDRESS_LOW		0xfa8
#define DEPTH_TEST_ENABLE	0x12cc
#define SHADE_MODEL		0x12d4
#define BLEND_INDEPENDENT	0x12e4
#define DEPTH_WRITE_ENABLE	0x12e8
#define ALPHA_TEST_ENABLE	0x12ec
#define VB_ELEMENT_U8_SETUP	0x1300
#define VB_ELEMENT_U8		0x1304
#define DEPTH_TEST_FUNC		0x130c
#define ALPHA_TEST_REF		0x1310
#define ALPHA_TEST_FUNC		0x1314
#define DRAW_TFB_STRIDE		0x1318
#define BLEND_COLOR(i)		(0x131c + 4 * (i))
#define BLEND_SEPARATE_ALPHA	0x133c
#define BLEND_EQUATION_RGB	0x1340
#define BLEND_FUNC_SRC_RGB	0x1344
#define BLEND_FUNC_DST_RGB	0x1348
#define BLEND_EQUATION_ALPHA	0x134c
#define BLEND_FUNC_SRC_ALPHA	0x1350
#define BLEND_FUNC_DST_ALPHA	0x1358
#define BLEND_ENABLE_COMMON	0x135c
#define BLEND_ENABLE(i)		(0x1360 + 4 * (i))
#define STENCIL_ENABLE		0x1380
#define STENCIL_FRONT_OP_FAIL	0x1384
#define STENCIL_FRONT_OP_ZFAIL	0x1388
#define STENCIL_FRONT_OP_ZPASS	0x138c
#define STENCIL_FRONT_FUNC_FUNC	0x1390
#define STENCIL_FRONT_FUNC_REF	0x1394
#define STENCIL_FRONT_MASK	0x1398
#define STENCIL_FRONT_FUNC_MASK	0x139c
#define VP_START_ID		0x140c
#define GP_START_ID		0x1410
#define FP_START_ID		0x1414
#define GP_VERTEX_OUTPUT_COUNT	0x1420
#define VB_ELEMENT_BASE		0x1434
#define VB_INSTANCE_BASE	0x1438
#define DRAW_TFB_BASE		0x13a4
#define FRAG_COLOR_CLAMP_EN	0x13a8
#define LINE_WIDTH		0x13b0
#define TEX_LIMITS(stage)	(0x13b4 + 4 * (stage))
#define POINT_COORD_REPLACE_MAP(i)	(0x13c0 + 4 * (i))
#define BIND_TSC(stage)		(0x1444 + 8 * (stage))	/* VP, GP, FP */
#define BIND_TIC(stage)		(0x1448 + 8 * (stage))
#define STRMOUT_MAP(i)		(0x1480 + 4 * (i))
#define CLIP_DISTANCE_ENABLE	0x1510
#define SAMPLECNT_ENABLE	0x1514
#define POINT_SIZE		0x1518
#define POINT_SPRITE_ENABLE	0x1520
#define MULTISAMPLE_ENABLE	0x1534
#define ZETA_ENABLE		0x1538
#define MULTISAMPLE_CTRL	0x153c
#define NOPERSPECTIVE(i)	(0x1540 + 4 * (i))
#define COND_ADDRESS_HIGH	0x1550
#define COND_ADDRESS_LOW	0x1554
#define COND_MODE		0x1558
#define TSC_ADDRESS_HIGH	0x155c
#define TSC_ADDRESS_LOW		0x1560
#define TSC_LIMIT		0x1564
#define POLYGON_OFFSET_FACTOR	0x156c
#define LINE_SMOOTH_ENABLE	0x1570
#define TIC_ADDRESS_HIGH	0x1574
#define TIC_ADDRESS_LOW		0x1578
#define TIC_LIMIT		0x157c
#define STENCIL_TWO_SIDE_ENABLE	0x1594
#define STENCIL_BACK_OP_FAIL	0x1598
#define STENCIL_BACK_OP_ZFAIL	0x159c
#define STENCIL_BACK_OP_ZPASS	0x15a0
#define STENCIL_BACK_FUNC_FUNC	0x15a4
#define POLYGON_OFFSET_UNITS	0x15bc
#define LAYER			0x15cc
#define MULTISAMPLE_MODE	0x15d0
#define VERTEX_BEGIN_D3D	0x15d4
#define VERTEX_BEGIN_GL		0x15dc
#define VERTEX_END_GL		0x15e0
#define EDGEFLAG		0x15e4
#define VB_ELEMENT_U32		0x15e8
#define VB_ELEMENT_U16_SETUP	0x15ec
#define VB_ELEMENT_U16		0x15f0
#define VERTEX_DATA		0x1640
#define PRIM_RESTART_ENABLE	0x1644
#define PRIM_RESTART_INDEX	0x1648
#define VP_GP_BUILTIN_ATTR_EN	0x164c
#define VP_ATTR_EN(i)		(0x1650 + 4 * (i))
#define POINT_SMOOTH_ENABLE	0x1658
#define POINT_SPRITE_CTRL	0x1660
#define TEX_MISC		0x1664
#define LINE_STIPPLE_ENABLE	0x166c
#define LINE_STIPPLE		0x1680
#define PROVOKING_VERTEX_LAST	0x1684
#define VERTEX_TWO_SIDE_ENABLE	0x1688
#define POLYGON_STIPPLE_ENABLE	0x168c
#define SET_PROGRAM_CB		0x1694
#define SAMPLE_SHADING		0x169c
#define VP_RESULT_MAP_SIZE	0x16ac
#define VP_REG_ALLOC_TEMP	0x16b0
#define VP_RESULT_MAP(i)	(0x16bc + 4 * (i))
#define POLYGON_STIPPLE_PATTERN(i)	(0x1700 + 4 * (i))
#define STRMOUT_OFFSET(i)	(0x1780 + 4 * (i))
#define GP_ENABLE		0x1798
#define GP_REG_ALLOC_TEMP	0x17a0
#define GP_RESULT_MAP_SIZE	0x17ac
#define GP_OUTPUT_PRIMITIVE_TYPE	0x17b0
#define RASTERIZE_ENABLE	0x17b4
#define STRMOUT_ENABLE		0x17b8
#define GP_RESULT_MAP(i)	(0x17fc + 4 * (i))
#define POLYGON_OFFSET_CLAMP	0x187c
#define GP_VIEWPORT_ID_ENABLE	0x1900
#define SEMANTIC_COLOR		0x1904
#define SEMANTIC_CLIP		0x1908
#define SEMANTIC_LAYER		0x190c
#define SEMANTIC_PTSZ		0x1910
#define SEMANTIC_PRIM_ID	0x1914
#define CULL_FACE_ENABLE	0x1918
#define FRONT_FACE		0x191c
#define CULL_FACE		0x1920
#define PIXEL_CENTER_INTEGER	0x1924
#define FP_MULTISAMPLE		0x1928
#define VIEWPORT_TRANSFORM_EN	0x192c
#define VIEW_VOLUME_CLIP_CTRL	0x193c
#define CLIP_RECTS_EN		0x194c
#define CLIP_RECTS_MODE		0x1950
#define FP_INTERPOLANT_CTRL	0x1988
#define FP_REG_ALLOC_TEMP	0x198c
#define FP_CONTROL		0x19a8
#define DEPTH_BOUNDS_EN		0x19bc
#define LOGIC_OP_ENABLE		0x19c4
#define LOGIC_OP		0x19c8
#define COLOR_MASK(i)		(0x1a00 + 4 * (i))
#define STRMOUT_ADDRESS_HIGH(i)	(0x1a80 + 16 * (i))
#define STRMOUT_ADDRESS_LOW(i)	(0x1a84 + 16 * (i))
#define STRMOUT_NUM_ATTRIBS(i)	(0x1a88 + 16 * (i))
#define STRMOUT_OFFSET_LIMIT(i)	(0x1a8c + 16 * (i))
#define VERTEX_ARRAY_ATTRIB(i)	(0x1ac0 + 4 * (i))
#define CLEAR_BUFFERS		0x19d0
#define QUERY_ADDRESS_HIGH	0x1b00
#define QUERY_ADDRESS_LOW	0x1b04
#define QUERY_SEQUENCE		0x1b08
#define QUERY_GET		0x1b0c
#define IBLEND(i)		(0x1e00 + 32 * (i))

#define GR3D_VIEWPORTS		16

/* Words of the state: first those of the methods, then derived ones. Word 0 is GR3D_STATE_MAGIC. */
#define GR3D_STATE_MAGIC	0x3d000001u
#define GR3D_METHODS		(0x2000 / 4)
#define GR3D_BUFFERS		128
#define GR3D_BUFFER(n)		(GR3D_METHODS + 3 * (n))	/* high, low, size in bytes */
#define GR3D_SAMPLES		GR3D_BUFFER(GR3D_BUFFERS)	/* 2 words, the low one first */
/* 16 buffers of each program, VP 0, FP 3: VALID | number */
#define GR3D_PROGRAM_CB(p, i)	(GR3D_SAMPLES + 2 + 16 * (p) + (i))
/* Of VP, GP and FP: VALID | number of the header */
#define GR3D_TEXTURES		128
#define GR3D_TEXTURE(stage, i)	(GR3D_PROGRAM_CB(4, 0) + GR3D_TEXTURES * (stage) + (i))
#define GR3D_SAMPLERS		16
#define GR3D_SAMPLER(stage, i)	(GR3D_TEXTURE(3, 0) + GR3D_SAMPLERS * (stage) + (i))
/* The last value of each attribute by VTX_ATTR */
#define GR3D_ATTRIBUTE(i)	(GR3D_SAMPLER(3, 0) + 4 * (i))
#define GR3D_INSTANCE		GR3D_ATTRIBUTE(16)
/* 2 words of each counter, by its number in COUNTER_ENABLE and QUERY_GET; the low one first */
#define GR3D_COUNTERS		10
#define GR3D_COUNTER(i)		(GR3D_INSTANCE + 1 + 2 * (i))
#define GR3D_SKIPS		GR3D_COUNTER(GR3D_COUNTERS)	/* COND_MODE skips draws and clears */
/* Since STRMOUT_PARAMS_LATCH: one had no room, primitives written; since a reset: vertices */
#define GR3D_STRMOUT_OVERFLOW	(GR3D_SKIPS + 1)
#define GR3D_STRMOUT_DONE	(GR3D_SKIPS + 2)
#define GR3D_STRMOUT_VERTICES	(GR3D_SKIPS + 3)
/* struct sim_open_draw, while another channel is loaded */
#define GR3D_OPEN		(GR3D_SKIPS + 4)
/* The state of compute: by the numbers of its methods, and whether COND_MODE skips launches */
#define GR3D_COMPUTE		(GR3D_OPEN + sizeof(struct sim_open_draw) / 4)
#define GR3D_COMPUTE_METHODS	(0x740 / 4)
#define GR3D_COMPUTE_SKIPS	(GR3D_COMPUTE + GR3D_COMPUTE_METHODS)
#define GR3D_WORDS		(GR3D_COMPUTE_SKIPS + 1)
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
	u8 bpp;
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
/* Four channels as floats. A missing channel is 0, a missing alpha 1. */
void sim_color_unpack(const struct sim_color_format *f, const u8 *raw, double value[4]);
/* The bits of @mask, one for each channel, that a write changes */
void sim_color_mask(const struct sim_color_format *f, u32 mask, u8 *out);

/* state.c, compute.c: the values of a new context; compute has its part of the state */
void sim_gr3d_start_state(u32 *state);
void sim_compute_start_state(u32 *state);

/* The state of the channel on the unit. Inline, as each pixel asks for it several times. */
static inline u32 *sim_gr3d_state(struct nvsim *s)
{
	u32 *state = sim_grctx_strand(s->grctx, GR3D_WORDS);

	/* An image that no method has reached yet has other values there. */
	if (state[0] != GR3D_STATE_MAGIC)
		sim_gr3d_start_state(state);
	return state;
}

/* buffer.c: constant buffers of 3D and compute */
void sim_gr3d_define_buffer(u32 *st, u32 high, u32 low, u32 data);
void sim_gr3d_write_buffer(struct nvsim *s, u16 inst, u32 *addr, u32 data);

/* job.c */
bool sim_gr3d_more_emitted(const struct nvsim *s);
bool sim_gr3d_more_vertices(const struct sim_draw *d);
/* If there is no job, make one of the next part of the draw. */
void sim_gr3d_next_job(struct nvsim *s);
/* Drop the rest of the draw, after a fault or an unmodelled feature. */
void sim_gr3d_give_up(struct nvsim *s);

/* rules.c: errors of draws and bindings. Whether a method is refused between BEGIN and END */
bool sim_gr3d_is_locked(struct nvsim *s, u32 mthd);
enum sim_gr_error sim_gr3d_check_draw(const u32 *st);

/* The tables' limits of a stage */
struct sim_texture_limits {
	u32 limits;		/* TEX_LIMITS */
	u32 tic, tsc;		/* TIC_LIMIT, TSC_LIMIT */
};

enum sim_gr_error sim_gr3d_check_texture(const struct sim_texture_limits *l, u32 data);
enum sim_gr_error sim_gr3d_check_sampler(const struct sim_texture_limits *l, u32 data);

/* query.c */
enum sim_counter {
	SIM_COUNT_VFETCH_VERTICES,
	SIM_COUNT_VFETCH_PRIMITIVES,
	SIM_COUNT_VP_LAUNCHES,
	SIM_COUNT_GP_LAUNCHES,
	SIM_COUNT_GP_PRIMITIVES,
	SIM_COUNT_FEEDBACK,
	SIM_COUNT_GENERATED,
	SIM_COUNT_PRECLIP,
	SIM_COUNT_POSTCLIP,
	SIM_COUNT_PIXELS,
};

void sim_gr3d_count(u32 *st, enum sim_counter counter, u32 n);
/* Methods COUNTER_RESET and QUERY_GET; and COND_MODE, which reads the reports that it compares */
void sim_gr3d_reset_counter(struct nvsim *s, u32 *st, u32 data);
bool sim_gr3d_is_query(u32 data);
void sim_gr3d_query(struct nvsim *s, const u32 *st, u32 data);
void sim_gr3d_set_condition(struct nvsim *s, u32 *st);

/* A complete primitive: 1 to 4 corners, or for geometry programs with adjacency 4 or 6 vertices */
struct sim_primitive {
	u32 count;
	const struct sim_vertex *corner[6], *provoking;
	u32 edges;		/* of sim_gr3d_polygon() */
};

/* assemble.c */
#define SIM_PRIMITIVES	14	/* kinds of VERTEX_BEGIN_GL, of which four have adjacency */

void sim_gr3d_assemble(struct nvsim *s, const struct sim_vertex *v);
/* A new strip begins, or the draw ends: queue the rest of the last strip as a job. */
void sim_gr3d_end_strip(struct nvsim *s);
/* Send a primitive without adjacency to transform feedback and to the screen. */
void sim_gr3d_primitive(struct nvsim *s, const struct sim_primitive *p);

/* strmout.c */
void sim_gr3d_stream_out(struct nvsim *s, const struct sim_primitive *p);
void sim_gr3d_latch_stream_out(struct nvsim *s, u32 *st);

/* program.c */
enum sim_program {
	SIM_PROGRAM_VP = 0,
	SIM_PROGRAM_CP = 1,	/* which no method has as a number */
	SIM_PROGRAM_GP = 2,
	SIM_PROGRAM_FP = 3,
};

#define SIM_ATTRIBUTES	64	/* words of a[] and of v[] */
#define SIM_STACK	32	/* entries that the model has of a program's stack */

/* One vertex or one pixel */
struct sim_thread {
	enum sim_program program;
	u32 r[SIM_REGISTERS];
	u32 in[SIM_ATTRIBUTES];		/* a[] or v[] */
	u32 out[SIM_REGISTERS];		/* o[] */
	u32 a[8];
	u8 flags[4];			/* of $c: zero, sign, carry, overflow */
	const u32 *centroid;		/* v[] at another place of the pixel, or NULL */
	u32 sample;			/* the number of its sample, or 0 */
	u32 face;			/* v[255]: all ones in front, 0 behind */
	bool helper;			/* a pixel beside the triangle, for its neighbors */
	bool killed, ended;
	bool waits;			/* at a barrier */
	u32 pc;
	u32 stack[SIM_STACK];	/* addresses after calls and loops, with their kinds in bits 1:0 */
	u32 depth, limited;	/* entries, and those of limited calls among them */
	const struct sim_primitive *primitive;	/* p[] */
	u8 *local;		/* of compute: the thread's memory, or NULL until it is used */
};

/*
 * Bytes from one word of a vertex to the next in p[], which is $vstride. Mesa 22.3.6 multiplies a
 * byte offset of an input by 4 * $vstride; envytools' isa.rst saw 0x20 there.
 */
#define SIM_VSTRIDE	0x20
#define SIM_P_STRIDE	(16 * SIM_VSTRIDE)

/* special.c: the functions of programs, on the bits of floats */
#define SIM_NAN_BITS	0x7fffffffu	/* each result that is no number */

u32 sim_special_rcp(u32 v);
u32 sim_special_rsqrt(u32 v);
u32 sim_special_lg2(u32 v);
/* presin and preex2, which prepare the operands of the other functions */
u32 sim_special_prepare(u32 v, bool power);
u32 sim_special_sin(u32 v, bool cosine);
u32 sim_special_ex2(u32 v);

/* convert.c: cvt */
struct sim_conversion {
	u32 w1;			/* of the instruction */
	u32 a;			/* a word, or a half in its lower 16 bits */
	bool nan_is_zero;	/* of one that saturates */
};

u32 sim_convert(const struct sim_conversion *c, u32 *flags);

/* Modes of instructions on floats */
enum {
	SIM_ROUND_NEAREST,
	SIM_ROUND_DOWN,
	SIM_ROUND_UP,
	SIM_ROUND_ZERO,
};

/* @v without its last @n bits, of a number that may be negative */
unsigned __int128 sim_rounded(unsigned __int128 v, u32 n, u32 mode, bool negative);
/* A float's bits in the range from 0 to 1 */
u32 sim_float_saturated(u32 v, bool nan_is_zero);

/* double.c */
struct sim_double {
	u32 w0, w1;		/* the instruction */
	u64 a, b, c;
};

/* fma, add, mul, min and max */
u64 sim_double(const struct sim_double *op, u32 *flags);
/* set: 0 less, 1 equal, 2 greater, 3 unordered */
u32 sim_double_relation(const struct sim_double *op);
/* cvt: from or to 64 bits, or both, but not from integer to integer */
u64 sim_double_convert(u32 w1, u64 a, u32 *flags);

/* geometry.c */
void sim_gr3d_geometry(struct nvsim *s, const struct sim_primitive *p);

/* strips.c */
void sim_gr3d_geometry_step(struct nvsim *s);

/* emit.c: clamp the results of a vertex that SEMANTIC_COLOR names to the range 0 to 1. */
void sim_gr3d_clamp_colors(const u32 *st, struct sim_vertex *v);
/* Instructions: emit, restart, and a word of p[], false if there is none */
void sim_gr3d_emit(struct nvsim *s, const struct sim_thread *t);
void sim_gr3d_restart(struct nvsim *s);
bool sim_gr3d_primitive_word(const struct sim_thread *t, u32 address, u32 *word);

/* Read the next instruction from memory again: memory, or the channel, may have changed. */
void sim_gr3d_forget_code(struct nvsim *s);

/* program.c: run a program to its end, for one thread or a quad; false if it cannot run, after a message. */
bool sim_gr3d_run(struct nvsim *s, struct sim_thread *threads, u32 count);
/*
 * Run warps of compute up to a barrier; @left is the number of instructions that the block may
 * still execute.
 */
#define SIM_BLOCK_LIMIT	(1u << 22)
void sim_gr3d_start_warps(struct nvsim *s, struct sim_thread *threads, u32 count);
bool sim_gr3d_run_warp(struct nvsim *s, struct sim_thread *threads, u32 count, u32 warp, u32 *left);

/* reach.c: memory that programs reach. Code's DMA object; registers; a place in s[], or NULL */
u16 sim_compute_code(struct nvsim *s, u64 *base, u32 *start);
u32 sim_compute_registers(struct nvsim *s);
u8 *sim_compute_shared(struct nvsim *s, u32 address, u32 bytes);
/*
 * May a program use local memory? Each thread's part is the model's own, because no source
 * describes where it lies. The start of the buffer stands for all, and must be mapped. Compute:
 * false after a fault, which is a trap. The programs of 3D go on, and the fault is one of the parts
 * that the model left out: Mesa 22.3.6 draws with a buffer that it has freed.
 */
bool sim_gr3d_local(struct nvsim *s, bool is_compute, bool write);
bool sim_gr3d_has_local(struct nvsim *s, bool is_compute);
/* The same for the buffer of the stack; there is no exception for 3D. */
bool sim_gr3d_stack(struct nvsim *s, bool is_compute, bool write);
u32 sim_gr3d_stack_entries(struct nvsim *s, bool is_compute);
u32 sim_gr3d_call_limit(struct nvsim *s, enum sim_program program);
/* False after a fault, which is a trap */
bool sim_compute_global(struct nvsim *s, u32 which, u32 address, void *buf, u32 bytes, bool write);

/* compute.c */
void sim_compute_step(struct nvsim *s);

/* integer.c: an instruction on integers. Halves lie in the lower 16 bits of operands and result. */
#define SIM_FLAG_ZERO		1u
#define SIM_FLAG_SIGN		2u
#define SIM_FLAG_CARRY		4u
#define SIM_FLAG_OVERFLOW	8u

enum sim_integer_width {
	SIM_INTEGER_WORDS,
	SIM_INTEGER_HALVES,
	SIM_INTEGER_HALF_OPERANDS,	/* the first two; @c and the result are words */
};

struct sim_integer {
	u32 w[2];	/* the instruction, of group 2 to 7 or d */
	bool is_half;	/* the operands @a and @b are, by sim_integer_width() */
	u32 a, b, c;	/* @c: of sums, products with a sum and differences */
};

enum sim_integer_width sim_integer_width(const u32 *w);
/* @flags: those of the carry, then those of the result; false if there is no such instruction */
bool sim_integer(const struct sim_integer *op, u32 *result, u32 *flags);

/* compressed.c: @raw is a block, @texel one of its 16 */
#define SIM_TEXEL_DXT1	0x24
#define SIM_TEXEL_DXT3	0x25
#define SIM_TEXEL_DXT5	0x26
#define SIM_TEXEL_RGTC1	0x27
#define SIM_TEXEL_RGTC2	0x28

void sim_texel_decompress(u32 id, bool is_signed, const u8 *raw, u32 texel, double value[4]);

/* texel.c */
struct sim_texel_format {
	u8 id, bytes;		/* of a texel, or of a compressed block */
	u8 bits[4], shift[4];	/* red, green, blue, alpha */
};

const struct sim_texel_format *sim_texel_format(u32 id);
/* In blocks of 4 x 4 */
bool sim_texel_is_compressed(const struct sim_texel_format *f);
/*
 * @header: word 0 of the texture header, which has types and sources of the components; @texel:
 * of a compressed block, whose first row comes first
 */
void sim_texel_unpack(const struct sim_texel_format *f, u32 header, bool srgb, const u8 *raw,
		      u32 texel, u32 value[4]);
/* Whether a program gets a constant as component @which */
bool sim_texel_is_constant(u32 header, u32 which);

/* texture.c */
enum sim_texture_type {
	SIM_TEXTURE_1D,
	SIM_TEXTURE_2D,
	SIM_TEXTURE_3D,
	SIM_TEXTURE_CUBE,
	SIM_TEXTURE_1D_ARRAY,
	SIM_TEXTURE_2D_ARRAY,
	SIM_TEXTURE_BUFFER,
	SIM_TEXTURE_RECTANGLE,
	SIM_TEXTURE_CUBE_ARRAY,
};

struct sim_texture {
	const struct sim_texel_format *format;
	u32 header;			/* word 0 */
	u32 type;
	bool linear, normalized, srgb;
	u64 address, layer_bytes;
	u32 pitch, width, height, depth, layers;
	u32 block_height, block_depth;	/* log2 of gobs */
	bool own_anisotropy;		/* MAX_ANISOTROPY of the header, not the sampler's */
	u32 anisotropy, spread;		/* texels between places of such a filter, or 0 */
	u32 first, last;		/* levels that can be seen */
	u32 mapped;			/* the last level that is there */
};

struct sim_texture_level {
	u64 offset;
	u32 size[3];			/* texels */
	u32 block_height, block_depth;
};

struct sim_texel_at {
	u32 x, y, z, layer;
};

/* Methods BIND_TIC and BIND_TSC; @stage 0 is VP, 2 FP */
void sim_gr3d_bind_texture(u32 *st, u32 stage, u32 data);
void sim_gr3d_bind_sampler(u32 *st, u32 stage, u32 data);
/* False if there is no texture that can be used, or after a fault */
bool sim_texture_load(struct nvsim *s, u32 stage, u32 slot, struct sim_texture *t, bool *fault);
bool sim_texture_is_cube(const struct sim_texture *t);
void sim_texture_level(const struct sim_texture *t, u32 level, struct sim_texture_level *l);
/* A texel outside is 0. Returns false after a fault. */
bool sim_texture_texel(struct nvsim *s, const struct sim_texture *t, u32 level,
		       const struct sim_texel_at *at, bool srgb, u32 value[4]);

/* sampler.c */
enum sim_sample_kind {
	SIM_SAMPLE_AUTO,
	SIM_SAMPLE_BIAS,
	SIM_SAMPLE_LOD,
	SIM_SAMPLE_FETCH,
	SIM_SAMPLE_GATHER,
	SIM_SAMPLE_SIZE,
	SIM_SAMPLE_PREPARE,	/* of arrays of cube maps */
	SIM_SAMPLE_QUERY_LOD,
};

/* A texture instruction of a quad; of a single thread only lane 0 */
struct sim_sample {
	enum sim_program program;
	enum sim_sample_kind kind;
	u32 texture, sampler;		/* slots */
	int offset[3];			/* texels */
	bool cube, derive;		/* coordinates are a direction; LOD from differences */
	u32 lanes;			/* lanes that want a result */
	u32 arg[SIM_QUAD][4], result[SIM_QUAD][4];
};

/* False after a fault */
bool sim_gr3d_sample(struct nvsim *s, struct sim_sample *q);

/* texop.c: an instruction of a quad; false after a fault, or if it is not @known */
bool sim_gr3d_texture(struct nvsim *s, struct sim_thread *threads, u32 count, u32 lanes,
		      const u32 w[2], bool *known);

/* vertex.c */
/* @data: of VERTEX_BEGIN_GL */
void sim_gr3d_begin(struct nvsim *s, u32 data);
void sim_gr3d_end(struct nvsim *s);
void sim_gr3d_vertex_word(struct nvsim *s, u32 data);
/* VTX_ATTR. The last component of attribute 0 completes a vertex. */
void sim_gr3d_attribute(struct nvsim *s, u32 mthd, u32 data);
void sim_gr3d_draw_arrays(struct nvsim *s, u32 first, u32 count);
/* A word of one, two or four indices */
void sim_gr3d_indices(struct nvsim *s, u32 mthd, u32 data);
void sim_gr3d_vertices_step(struct nvsim *s);

/*
 * Edges of a polygon, a bit for each corner at which an edge begins; ONLY draws these edges alone
 */
#define SIM_EDGES_ALL	0xfu
#define SIM_EDGES_ONLY	0x10u

/* clip.c: vertices before the viewport. The visible part is drawn triangle by triangle. */
void sim_gr3d_polygon(struct nvsim *s, const struct sim_vertex *const *v, u32 count,
		      const struct sim_vertex *provoking, u32 edges);
/* Cut the fan, a polygon, a line or a point, to its visible part, and place it on the screen. */
void sim_gr3d_clip_fan(const u32 *st, struct sim_draw *d);
/* Make the next triangle of the fan the job, or end the job if there is none. */
void sim_gr3d_fan_triangle(struct nvsim *s);
/* The same of the polygon, which may be drawn as lines or points */
void sim_gr3d_next_triangle(struct nvsim *s);

/* outline.c: the fan is the visible part of @v, which is drawn as lines or points. Else false */
bool sim_gr3d_outlines(struct nvsim *s, const struct sim_vertex *const *v, u32 count,
		       const struct sim_vertex *provoking, u32 edges);
/* Make the next line or point the job; it may have no pixels. */
void sim_gr3d_next_outline(struct nvsim *s);

/* stipple.c: a line from one end to the other, placed on the screen */
void sim_gr3d_stipple_line(struct nvsim *s, const struct sim_vertex ends[2]);
/* Whether stipple or clip rectangles may hide pixels of the triangle, and whether they hide one */
bool sim_gr3d_may_hide(const u32 *st, const struct sim_draw *d);
bool sim_gr3d_hides(const u32 *st, const struct sim_draw *d, int64_t x, int64_t y);

/* thin.c */
void sim_gr3d_line(struct nvsim *s, const struct sim_vertex *a, const struct sim_vertex *b,
		   const struct sim_vertex *provoking);
void sim_gr3d_point(struct nvsim *s, const struct sim_vertex *v);

/* samples.c: a sample's place in 1/16 of a pixel, and in the block that is the pixel in memory */
struct sim_sample_place {
	u8 x, y, column, row;
};

#define SIM_PIXEL_SAMPLES	8

struct sim_samples {
	u8 log_x, log_y, count;		/* the block's size, log2; samples of a pixel */
	struct sim_sample_place place[SIM_PIXEL_SAMPLES];
};

/* Of MULTISAMPLE_MODE; one sample for a mode that is none */
const struct sim_samples *sim_gr3d_samples(const u32 *st);
bool sim_gr3d_has_samples(const u32 *st);
/* Whether the samples of a pixel may differ: several, each with its own place */
bool sim_gr3d_samples_differ(const u32 *st);

/* multisample.c: draw a quad with several samples in each pixel. */
bool sim_gr3d_quad_of_samples(struct nvsim *s, int64_t x, int64_t y);

/* raster.c */
/* A place on the screen, in 1/SIM_SUBPIXEL of a pixel: the corners' shares in it, its depth */
#define SIM_SUBPIXEL		256

struct sim_spot {
	int64_t x, y;
	double share[3], z;
};

/* smooth.c: are lines or points smooth, by the state that enables it? */
bool sim_gr3d_is_smooth(const u32 *st, u32 enable);
/* Make the fan's two corners the rectangle of a line; there are none if it has no length. */
void sim_gr3d_smooth_line(struct sim_draw *d, double width);
/* Return: the size of the square that has all pixels of the point. */
double sim_gr3d_smooth_point(struct sim_draw *d, double size);
/*
 * Multiply alphas by the share of the pixel that the line or point covers. Drop a pixel without
 * coverage.
 */
void sim_gr3d_smooth(const u32 *st, const struct sim_draw *d, const struct sim_spot *spot,
		     struct sim_thread *t);

/* Is the spot in the triangle? Sets the shares even if it is outside. */
bool sim_gr3d_covers(const struct sim_draw *d, struct sim_spot *spot);
double sim_gr3d_spot_depth(const struct sim_draw *d, const struct sim_spot *spot);
void sim_gr3d_interpolants(const u32 *st, const struct sim_draw *d, const struct sim_spot *spot,
			   u32 in[SIM_ATTRIBUTES]);
void sim_gr3d_count_sample(u32 *st);
void sim_gr3d_triangle(struct nvsim *s, const struct sim_vertex *v[3]);
/* Draw two lines of the triangle. Return: whether it is done, or the draw was given up. */
bool sim_gr3d_triangle_step(struct nvsim *s);
bool sim_gr3d_is_culled(const u32 *st, bool front);

/* depth.c */
bool sim_gr3d_alpha_test(const u32 *st, const struct sim_thread *t);
/* The depth that a program gives, or else @z */
double sim_gr3d_depth_of(struct nvsim *s, const struct sim_thread *t, double z);
/* The offset of a triangle's depth: by its slope, and by the least steps of the format */
double sim_gr3d_depth_offset(const u32 *st, const struct sim_vertex corner[3]);
/* Stencil and depth: false if the pixel is hidden, or *@fault if memory cannot be reached. */
bool sim_gr3d_depth_test(struct nvsim *s, int64_t x, int64_t y, double z, bool *fault);

/* blend.c: to all targets; false after a fault */
bool sim_gr3d_write_colors(struct nvsim *s, int64_t x, int64_t y, const struct sim_thread *t);

/* target.c */
bool sim_gr3d_color(struct nvsim *s, u32 rt, u32 layer, struct sim_surface *f,
		    const struct sim_color_format **format);
bool sim_gr3d_zeta(struct nvsim *s, u32 layer, struct sim_surface *f,
		   const struct sim_zeta_format **format);
/* Screen scissor and the viewport's scissor, cut to the targets: left, top, right, bottom */
void sim_gr3d_draw_area(struct nvsim *s, int64_t area[4]);
void sim_gr3d_target_fault(struct nvsim *s);
void sim_gr3d_start_clear(struct nvsim *s, u32 data);
void sim_gr3d_clear_step(struct nvsim *s);

#endif
