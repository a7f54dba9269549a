// SPDX-License-Identifier: MIT
/*
 * The values that methods with an enumeration take, and flags.
 *
 * rnndb's INVALID_ENUM is an "invalid value for an enum bitfield/register". The lists of 3D are
 * those of rnndb's g80_3d.xml, which has OpenGL's numbers. NVIDIA's header of the next generation
 * (cl9097.h) has Direct3D's for the same methods, too. No source says whether this family takes
 * these, so that they are reported, as are flags other than 0 and 1. The lists of 2D, compute and
 * M2MF are those of rnndb, which NVIDIA's cl502d.h, cl50c0.h, cl85c0.h and cl5039.h have, too. Only
 * the headers say which formats 2D takes.
 */
#include "core.h"
#include "gr.h"
#include "methods.h"
#include "missing.h"

#define SPANS	11

struct span {
	u32 first, last;
};

enum list_name {
	FLAG, SURFACE, ZETA, SAMPLES, COMPARISON, BLEND_FACTOR, BLEND_EQUATION, STENCIL_OP, LOGIC_OP,
	POLYGON_MODE, FRONT_FACE, CULL_FACE, SHADE_MODEL, PRIMITIVE_GL, PRIMITIVE_D3D, SIZE, PROGRAM,
	ZERO, GOBS, DST_2D, SRC_2D, DRAW_2D, FROM_0_TO_1, FROM_0_TO_2, FROM_0_TO_3, FROM_0_TO_5,
	FROM_0_TO_6, FROM_1_TO_2, FROM_1_TO_3, FROM_1_TO_7,
};

#define NOTHING		{ 1, 0 }
#define ALL		{ 0, ~0u }

/* Documentation/class_pages.py and testbox/check_source.py read these lists and rows. */
static const struct list {
	u32 count;
	struct span taken[SPANS];
	struct span reported;	/* the model does not do these, and a card may */
} lists[] = {
	[FLAG] = { 1, { { 0, 1 } }, ALL },
	[SURFACE] = { 5, { { 0, 0 }, { 0x1c, 0x1d }, { 0xc0, 0xd2 }, { 0xd5, 0xe0 }, { 0xe3, 0xff } },
		      NOTHING },	/* 0: no target */
	[ZETA] = { 4, { { 0xa, 0xa }, { 0x13, 0x16 }, { 0x18, 0x19 }, { 0x1d, 0x1f } }, NOTHING },
	[SAMPLES] = { 2, { { 0, 5 }, { 8, 0xa } }, { 6, 0xb } },
	[COMPARISON] = { 1, { { 0x200, 0x207 } }, { 1, 8 } },
	[BLEND_FACTOR] = { 4, { { 0x4000, 0x4001 }, { 0x4300, 0x4308 }, { 0xc001, 0xc004 },
				{ 0xc900, 0xc903 } }, { 1, 0x13 } },
	[BLEND_EQUATION] = { 2, { { 0x8006, 0x8008 }, { 0x800a, 0x800b } }, { 1, 5 } },
	[STENCIL_OP] = { 4, { { 0, 0 }, { 0x150a, 0x150a }, { 0x1e00, 0x1e03 }, { 0x8507, 0x8508 } },
			 { 1, 8 } },
	[LOGIC_OP] = { 1, { { 0x1500, 0x150f } }, NOTHING },
	[POLYGON_MODE] = { 1, { { 0x1b00, 0x1b02 } }, NOTHING },
	[FRONT_FACE] = { 1, { { 0x900, 0x901 } }, NOTHING },
	[CULL_FACE] = { 2, { { 0x404, 0x405 }, { 0x408, 0x408 } }, NOTHING },
	[SHADE_MODEL] = { 1, { { 0x1d00, 0x1d01 } }, { 1, 2 } },
	[PRIMITIVE_GL] = { 1, { { 0, 0xd } }, NOTHING },
	[PRIMITIVE_D3D] = { 2, { { 1, 5 }, { 0xa, 0xd } }, NOTHING },
	[SIZE] = { 2, { { 1, 2 }, { 4, 4 } }, NOTHING },
	[PROGRAM] = { 2, { { 0, 0 }, { 2, 3 } }, NOTHING },
	[ZERO] = { 1, { { 0, 0 } }, ALL },	/* rnndb also has 1 */
	[GOBS] = { 1, { { 0, 5 } }, ALL },
	[DST_2D] = { 11, { { 0x1c, 0x1c }, { 0xc0, 0xc0 }, { 0xc3, 0xc3 }, { 0xca, 0xcb }, { 0xce, 0xd1 },
			   { 0xd5, 0xd6 }, { 0xdf, 0xdf }, { 0xe5, 0xe9 }, { 0xee, 0xee }, { 0xf2, 0xf3 },
			   { 0xf8, 0xff } }, NOTHING },
	[SRC_2D] = { 11, { { 0x1c, 0x1d }, { 0xc0, 0xc0 }, { 0xc3, 0xc3 }, { 0xca, 0xcb }, { 0xce, 0xd1 },
			   { 0xd5, 0xd6 }, { 0xdf, 0xdf }, { 0xe5, 0xe9 }, { 0xee, 0xee }, { 0xf2, 0xf3 },
			   { 0xf8, 0xff } }, NOTHING },
	[DRAW_2D] = { 10, { { 0xcf, 0xcf }, { 0xd1, 0xd1 }, { 0xd5, 0xd5 }, { 0xdf, 0xdf }, { 0xe6, 0xe6 },
			    { 0xe8, 0xe9 }, { 0xee, 0xee }, { 0xf3, 0xf3 }, { 0xf8, 0xf9 }, { 0xfb, 0xff } },
		      NOTHING },
	[FROM_0_TO_1] = { 1, { { 0, 1 } }, NOTHING },
	[FROM_0_TO_2] = { 1, { { 0, 2 } }, NOTHING },
	[FROM_0_TO_3] = { 1, { { 0, 3 } }, NOTHING },
	[FROM_0_TO_5] = { 1, { { 0, 5 } }, NOTHING },
	[FROM_0_TO_6] = { 1, { { 0, 6 } }, NOTHING },
	[FROM_1_TO_2] = { 1, { { 1, 2 } }, NOTHING },
	[FROM_1_TO_3] = { 1, { { 1, 3 } }, NOTHING },
	[FROM_1_TO_7] = { 1, { { 1, 7 } }, NOTHING },
};

/* Rows of one method follow each other. */
static const struct typed {
	u16 class;		/* the first one of the generations */
	u16 method;
	u8 count, stride;
	u8 high, low;		/* bits */
	u8 list;
} rows[] = {
{ CLASS_3D, 0x0208, 8, 32, 31, 0, SURFACE },	/* RT.FORMAT */
	{ CLASS_3D, 0x020c, 8, 32, 3, 0, ZERO },	/* RT.BLOCK_DIMENSIONS */
	{ CLASS_3D, 0x020c, 8, 32, 7, 4, GOBS },
	{ CLASS_3D, 0x020c, 8, 32, 11, 8, GOBS },
	{ CLASS_3D, 0x020c, 8, 32, 15, 12, ZERO },
	{ CLASS_3D, 0x0d7c, 1, 4, 31, 0, FLAG },	/* DEPTH_CLIP_NEGATIVE_Z */
	{ CLASS_3D, 0x0dac, 1, 4, 31, 0, POLYGON_MODE },	/* POLYGON_MODE_FRONT */
	{ CLASS_3D, 0x0db0, 1, 4, 31, 0, POLYGON_MODE },	/* POLYGON_MODE_BACK */
	{ CLASS_3D, 0x0db4, 1, 4, 31, 0, FLAG },	/* POLYGON_SMOOTH_ENABLE */
	{ CLASS_3D, 0x0dc0, 1, 4, 31, 0, FLAG },	/* POLYGON_OFFSET_POINT_ENABLE */
	{ CLASS_3D, 0x0dc4, 1, 4, 31, 0, FLAG },	/* POLYGON_OFFSET_LINE_ENABLE */
	{ CLASS_3D, 0x0dc8, 1, 4, 31, 0, FLAG },	/* POLYGON_OFFSET_FILL_ENABLE */
	{ CLASS_3D, 0x0de8, 1, 4, 31, 0, FLAG },	/* PRIM_RESTART_WITH_DRAW_ARRAYS */
	{ CLASS_3D, 0x0e00, 16, 16, 31, 0, FLAG },	/* SCISSOR_ENABLE */
	{ CLASS_3D, 0x0f90, 1, 4, 31, 0, FLAG },	/* COLOR_MASK_COMMON */
	{ CLASS_3D, 0x0fe8, 1, 4, 31, 0, ZETA },	/* ZETA_FORMAT */
	{ CLASS_3D, 0x0fec, 1, 4, 3, 0, ZERO },	/* ZETA_BLOCK_DIMENSIONS */
	{ CLASS_3D, 0x0fec, 1, 4, 7, 4, GOBS },
	{ CLASS_3D, 0x0fec, 1, 4, 11, 8, GOBS },
	{ CLASS_3D, 0x0fec, 1, 4, 15, 12, ZERO },
	{ CLASS_3D, 0x1000, 16, 4, 31, 0, FLAG },	/* VERTEX_ARRAY_PER_INSTANCE */
	{ CLASS_3D, 0x114c, 1, 4, 14, 12, SIZE },	/* VTX_ATTR_DEFINE.SIZE */
	{ CLASS_3D, 0x114c, 1, 4, 18, 16, FROM_1_TO_7 },	/* VTX_ATTR_DEFINE.TYPE */
	{ CLASS_3D, 0x1234, 1, 4, 31, 0, FLAG },	/* LINKED_TSC */
	{ CLASS_3D, 0x12cc, 1, 4, 31, 0, FLAG },	/* DEPTH_TEST_ENABLE */
	{ CLASS_3D, 0x12d0, 1, 4, 31, 0, FROM_1_TO_3 },	/* D3D_FILL_MODE */
	{ CLASS_3D, 0x12d4, 1, 4, 31, 0, SHADE_MODEL },	/* SHADE_MODEL */
	{ CLASS_3D, 0x12e4, 1, 4, 31, 0, FLAG },	/* BLEND_INDEPENDENT */
	{ CLASS_3D, 0x12e8, 1, 4, 31, 0, FLAG },	/* DEPTH_WRITE_ENABLE */
	{ CLASS_3D, 0x12ec, 1, 4, 31, 0, FLAG },	/* ALPHA_TEST_ENABLE */
	{ CLASS_3D, 0x1308, 1, 4, 31, 0, FROM_1_TO_3 },	/* D3D_CULL_MODE */
	{ CLASS_3D, 0x130c, 1, 4, 31, 0, COMPARISON },	/* DEPTH_TEST_FUNC */
	{ CLASS_3D, 0x1314, 1, 4, 31, 0, COMPARISON },	/* ALPHA_TEST_FUNC */
	{ CLASS_3D, 0x133c, 1, 4, 31, 0, FLAG },	/* BLEND_SEPARATE_ALPHA */
	{ CLASS_3D, 0x1340, 1, 4, 31, 0, BLEND_EQUATION },	/* BLEND_EQUATION_RGB */
	{ CLASS_3D, 0x1344, 1, 4, 31, 0, BLEND_FACTOR },	/* BLEND_FUNC_SRC_RGB */
	{ CLASS_3D, 0x1348, 1, 4, 31, 0, BLEND_FACTOR },	/* BLEND_FUNC_DST_RGB */
	{ CLASS_3D, 0x134c, 1, 4, 31, 0, BLEND_EQUATION },	/* BLEND_EQUATION_ALPHA */
	{ CLASS_3D, 0x1350, 1, 4, 31, 0, BLEND_FACTOR },	/* BLEND_FUNC_SRC_ALPHA */
	{ CLASS_3D, 0x1358, 1, 4, 31, 0, BLEND_FACTOR },	/* BLEND_FUNC_DST_ALPHA */
	{ CLASS_3D, 0x135c, 1, 4, 31, 0, FLAG },	/* BLEND_ENABLE_COMMON */
	{ CLASS_3D, 0x1360, 8, 4, 31, 0, FLAG },	/* BLEND_ENABLE */
	{ CLASS_3D, 0x1380, 1, 4, 31, 0, FLAG },	/* STENCIL_ENABLE */
	{ CLASS_3D, 0x1384, 1, 4, 31, 0, STENCIL_OP },	/* STENCIL_FRONT_OP_FAIL */
	{ CLASS_3D, 0x1388, 1, 4, 31, 0, STENCIL_OP },	/* STENCIL_FRONT_OP_ZFAIL */
	{ CLASS_3D, 0x138c, 1, 4, 31, 0, STENCIL_OP },	/* STENCIL_FRONT_OP_ZPASS */
	{ CLASS_3D, 0x1390, 1, 4, 31, 0, COMPARISON },	/* STENCIL_FRONT_FUNC_FUNC */
	{ CLASS_3D, 0x1520, 1, 4, 31, 0, FLAG },	/* POINT_SPRITE_ENABLE */
	{ CLASS_3D, 0x1534, 1, 4, 31, 0, FLAG },	/* MULTISAMPLE_ENABLE */
	{ CLASS_3D, 0x1538, 1, 4, 31, 0, FLAG },	/* ZETA_ENABLE */
	{ CLASS_3D, 0x1570, 1, 4, 31, 0, FLAG },	/* LINE_SMOOTH_ENABLE */
	{ CLASS_3D, 0x1580, 4, 4, 6, 4, FROM_0_TO_5 },	/* MP_PM_CONTROL.UNIT */
	{ CLASS_3D, 0x1594, 1, 4, 31, 0, FLAG },	/* STENCIL_TWO_SIDE_ENABLE */
	{ CLASS_3D, 0x1598, 1, 4, 31, 0, STENCIL_OP },	/* STENCIL_BACK_OP_FAIL */
	{ CLASS_3D, 0x159c, 1, 4, 31, 0, STENCIL_OP },	/* STENCIL_BACK_OP_ZFAIL */
	{ CLASS_3D, 0x15a0, 1, 4, 31, 0, STENCIL_OP },	/* STENCIL_BACK_OP_ZPASS */
	{ CLASS_3D, 0x15a4, 1, 4, 31, 0, COMPARISON },	/* STENCIL_BACK_FUNC_FUNC */
	{ CLASS_3D, 0x15d0, 1, 4, 31, 0, SAMPLES },	/* MULTISAMPLE_MODE */
	{ CLASS_3D, 0x15d4, 1, 4, 27, 0, PRIMITIVE_D3D },	/* VERTEX_BEGIN_D3D.PRIMITIVE */
	{ CLASS_3D, 0x15dc, 1, 4, 27, 0, PRIMITIVE_GL },	/* VERTEX_BEGIN_GL.PRIMITIVE */
	{ CLASS_3D, 0x15e4, 1, 4, 31, 0, FLAG },	/* EDGEFLAG */
	{ CLASS_3D, 0x1644, 1, 4, 31, 0, FLAG },	/* PRIM_RESTART_ENABLE */
	{ CLASS_3D, 0x1658, 1, 4, 31, 0, FLAG },	/* POINT_SMOOTH_ENABLE */
	{ CLASS_3D, 0x165c, 1, 4, 31, 0, FROM_0_TO_1 },	/* POINT_RASTER_RULES */
	{ CLASS_3D, 0x1668, 1, 4, 31, 0, FROM_0_TO_2 },	/* LINE_SMOOTH_BLUR */
	{ CLASS_3D, 0x166c, 1, 4, 31, 0, FLAG },	/* LINE_STIPPLE_ENABLE */
	{ CLASS_3D, 0x1684, 1, 4, 31, 0, FLAG },	/* PROVOKING_VERTEX_LAST */
	{ CLASS_3D, 0x1688, 1, 4, 31, 0, FLAG },	/* VERTEX_TWO_SIDE_ENABLE */
	{ CLASS_3D, 0x168c, 1, 4, 31, 0, FLAG },	/* POLYGON_STIPPLE_ENABLE */
	{ CLASS_3D, 0x1694, 1, 4, 7, 4, PROGRAM },	/* SET_PROGRAM_CB.PROGRAM */
	{ CLASS_3D, 0x1798, 1, 4, 31, 0, FLAG },	/* GP_ENABLE */
	{ CLASS_3D, 0x17b0, 1, 4, 31, 0, FROM_1_TO_3 },	/* GP_OUTPUT_PRIMITIVE_TYPE */
	{ CLASS_3D, 0x17b4, 1, 4, 31, 0, FLAG },	/* RASTERIZE_ENABLE */
	{ CLASS_3D, 0x17b8, 1, 4, 31, 0, FLAG },	/* STRMOUT_ENABLE */
	{ CLASS_3D, 0x1900, 1, 4, 31, 0, FLAG },	/* GP_VIEWPORT_ID_ENABLE */
	{ CLASS_3D, 0x1918, 1, 4, 31, 0, FLAG },	/* CULL_FACE_ENABLE */
	{ CLASS_3D, 0x191c, 1, 4, 31, 0, FRONT_FACE },	/* FRONT_FACE */
	{ CLASS_3D, 0x1920, 1, 4, 31, 0, CULL_FACE },	/* CULL_FACE */
	{ CLASS_3D, 0x1924, 1, 4, 31, 0, FLAG },	/* PIXEL_CENTER_INTEGER */
	{ CLASS_3D, 0x192c, 1, 4, 31, 0, FLAG },	/* VIEWPORT_TRANSFORM_EN */
	{ CLASS_3D, 0x193c, 1, 4, 13, 12, FROM_0_TO_2 },	/* VIEW_VOLUME_CLIP_CTRL.UNK12 */
	{ CLASS_3D, 0x194c, 1, 4, 31, 0, FLAG },	/* CLIP_RECTS_EN */
	{ CLASS_3D, 0x1950, 1, 4, 31, 0, FROM_0_TO_2 },	/* CLIP_RECTS_MODE */
	{ CLASS_3D, 0x19a0, 1, 4, 31, 0, FROM_1_TO_2 },	/* REG_MODE */
	{ CLASS_3D, 0x19bc, 1, 4, 31, 0, FLAG },	/* DEPTH_BOUNDS_EN */
	{ CLASS_3D, 0x19c4, 1, 4, 31, 0, FLAG },	/* LOGIC_OP_ENABLE */
	{ CLASS_3D, 0x19c8, 1, 4, 31, 0, LOGIC_OP },	/* LOGIC_OP */
	{ CLASS_3D, 0x1a00, 8, 4, 3, 0, FLAG },	/* COLOR_MASK.R */
	{ CLASS_3D, 0x1a00, 8, 4, 7, 4, FLAG },	/* COLOR_MASK.G */
	{ CLASS_3D, 0x1a00, 8, 4, 11, 8, FLAG },	/* COLOR_MASK.B */
	{ CLASS_3D, 0x1a00, 8, 4, 15, 12, FLAG },	/* COLOR_MASK.A */
	{ CLASS_3D, 0x1e00, 8, 32, 31, 0, FLAG },	/* IBLEND.SEPARATE_ALPHA */
	{ CLASS_3D, 0x1e04, 8, 32, 31, 0, BLEND_EQUATION },	/* IBLEND.EQUATION_RGB */
	{ CLASS_3D, 0x1e08, 8, 32, 31, 0, BLEND_FACTOR },	/* IBLEND.FUNC_SRC_RGB */
	{ CLASS_3D, 0x1e0c, 8, 32, 31, 0, BLEND_FACTOR },	/* IBLEND.FUNC_DST_RGB */
	{ CLASS_3D, 0x1e10, 8, 32, 31, 0, BLEND_EQUATION },	/* IBLEND.EQUATION_ALPHA */
	{ CLASS_3D, 0x1e14, 8, 32, 31, 0, BLEND_FACTOR },	/* IBLEND.FUNC_SRC_ALPHA */
	{ CLASS_3D, 0x1e18, 8, 32, 31, 0, BLEND_FACTOR },	/* IBLEND.FUNC_DST_ALPHA */

	{ CLASS_COMPUTE, 0x02b8, 1, 4, 31, 0, FLAG },	/* LANES32_ENABLE */
	{ CLASS_COMPUTE, 0x02e0, 4, 4, 6, 4, FROM_0_TO_5 },	/* MP_PM_CONTROL.UNIT */
	{ CLASS_COMPUTE, 0x02f8, 1, 4, 31, 0, FLAG },	/* BLOCKDIM_LATCH */
	{ CLASS_COMPUTE, 0x0300, 1, 4, 31, 0, FLAG },	/* LOCAL_WARPS_NO_CLAMP */
	{ CLASS_COMPUTE, 0x0308, 1, 4, 31, 0, FLAG },	/* STACK_WARPS_NO_CLAMP */
	{ CLASS_COMPUTE, 0x03b8, 1, 4, 31, 0, FROM_1_TO_2 },	/* REG_MODE */
	{ CLASS_COMPUTE, 0x03c8, 1, 4, 7, 0, FLAG },	/* SET_PROGRAM_CB.VALID */

	{ CLASS_2D, 0x0200, 1, 4, 31, 0, DST_2D },	/* DST_FORMAT */
	{ CLASS_2D, 0x0208, 1, 4, 3, 0, ZERO },	/* DST_BLOCK_DIMENSIONS */
	{ CLASS_2D, 0x0208, 1, 4, 7, 4, FROM_0_TO_5 },
	{ CLASS_2D, 0x0208, 1, 4, 11, 8, FROM_0_TO_5 },
	{ CLASS_2D, 0x0230, 1, 4, 31, 0, SRC_2D },	/* SRC_FORMAT */
	{ CLASS_2D, 0x0238, 1, 4, 3, 0, ZERO },	/* SRC_BLOCK_DIMENSIONS */
	{ CLASS_2D, 0x0238, 1, 4, 7, 4, FROM_0_TO_5 },
	{ CLASS_2D, 0x0238, 1, 4, 11, 8, FROM_0_TO_5 },
	{ CLASS_2D, 0x0290, 1, 4, 31, 0, FLAG },	/* CLIP_ENABLE */
	{ CLASS_2D, 0x0294, 1, 4, 31, 0, FROM_0_TO_6 },	/* COLOR_KEY_FORMAT */
	{ CLASS_2D, 0x029c, 1, 4, 31, 0, FLAG },	/* COLOR_KEY_ENABLE */
	{ CLASS_2D, 0x02b4, 1, 4, 31, 0, FROM_0_TO_3 },	/* PATTERN_SELECT */
	{ CLASS_2D, 0x02e8, 1, 4, 31, 0, FROM_0_TO_5 },	/* PATTERN_COLOR_FORMAT */
	{ CLASS_2D, 0x02ec, 1, 4, 31, 0, FROM_0_TO_1 },	/* PATTERN_BITMAP_FORMAT */
	{ CLASS_2D, 0x0584, 1, 4, 31, 0, DRAW_2D },	/* DRAW_COLOR_FORMAT */
	{ CLASS_2D, 0x0800, 1, 4, 31, 0, FLAG },	/* SIFC_BITMAP_ENABLE */
	{ CLASS_2D, 0x0804, 1, 4, 31, 0, DRAW_2D },	/* SIFC_FORMAT */
	{ CLASS_2D, 0x080c, 1, 4, 31, 0, FLAG },	/* SIFC_BITMAP_LSB_FIRST */
	{ CLASS_2D, 0x0810, 1, 4, 31, 0, FROM_0_TO_2 },	/* SIFC_BITMAP_LINE_PACK_MODE */
	{ CLASS_2D, 0x081c, 1, 4, 31, 0, FLAG },	/* SIFC_BITMAP_WRITE_BIT0_ENABLE */

	{ CLASS_M2MF, 0x0204, 1, 4, 3, 0, ZERO },	/* BLOCKLINEAR_DIMENSIONS_IN */
	{ CLASS_M2MF, 0x0204, 1, 4, 7, 4, FROM_0_TO_5 },
	{ CLASS_M2MF, 0x0204, 1, 4, 11, 8, FROM_0_TO_5 },
	{ CLASS_M2MF, 0x0220, 1, 4, 3, 0, ZERO },	/* BLOCKLINEAR_DIMENSIONS_OUT */
	{ CLASS_M2MF, 0x0220, 1, 4, 7, 4, FROM_0_TO_5 },
	{ CLASS_M2MF, 0x0220, 1, 4, 11, 8, FROM_0_TO_5 },
};

static bool is_for(const struct typed *row, u16 class, u32 method)
{
	u32 at = method - row->method;

	return row->class == class && method >= row->method && at % row->stride == 0 &&
	       at / row->stride < row->count;
}

/* Note the first row of each method of a class. */
void sim_values_mark(struct sim_methods *m)
{
	u16 first = sim_first_class(m->class);
	u32 i, k, method;

	_Static_assert(ARRAY_LEN(rows) < 256, "the number of a row is a byte");

	for (i = 0; i < ARRAY_LEN(rows); i++) {
		for (k = 0; rows[i].class == first && k < rows[i].count; k++) {
			method = rows[i].method + k * rows[i].stride;
			if (!m->typed[method / 4])
				m->typed[method / 4] = i + 1;
		}
	}
}

static bool is_in(const struct span *span, u32 value)
{
	return value >= span->first && value <= span->last;
}

static bool takes(const struct list *list, u32 value)
{
	u32 i;

	for (i = 0; i < list->count; i++)
		if (is_in(&list->taken[i], value))
			return true;
	return false;
}

/* Check the value of a method with rows; report one that the model does not do. */
enum sim_gr_error sim_values_check(struct nvsim *s)
{
	const struct sim_gr_method *m = &s->gr->method;
	const u16 first = sim_first_class(m->class);
	u32 i, value;

	for (i = s->gr->methods->typed[m->mthd / 4] - 1u; i < ARRAY_LEN(rows); i++) {
		if (!is_for(&rows[i], first, m->mthd))
			break;
		value = m->data >> rows[i].low & (u32)((2ull << (rows[i].high - rows[i].low)) - 1);
		if (takes(&lists[rows[i].list], value))
			continue;
		if (!is_in(&lists[rows[i].list].reported, value))
			return GR_INVALID_ENUM;
		sim_gr_missing_method(s, NVSIM_MISSING_VALUE);
	}
	return GR_OK;
}
