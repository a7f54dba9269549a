// SPDX-License-Identifier: MIT
/*
 * State that makes a draw fail. rnndb's g80_defs.xml has the rules as descriptions of the codes of
 * DATA_ERROR. It does not say which method raises a code. In logs of cards that is the method that
 * brings the vertices: RT_LINEAR_WITH_ZETA at VB_ELEMENT_U8 (GT216, nouveau's list, 2024).
 */
#include "gr3d.h"

#define RT_IS_LINEAR	(1u << 31)	/* of RT_HORIZ */
#define WITH_GP		(1u << 16)	/* of LAYER */
#define FIRST_CSAA_MODE	8
#define MODE_4X2	3
#define MODE_4X2_D3D	4
#define MODE_4X2_VC	0xa

/*
 * BEGIN_END_ACTIVE: "you tried changing stuff while begin/end was active". In a log of a GT215 these
 * are BLEND_ENABLE and LOGIC_OP_ENABLE. No source has the list. So the model refuses methods of the
 * blocks that set targets, viewports, tests and blending, and takes all others.
 */
static bool sets_up_pixels(u32 mthd)
{
	return (mthd >= RT_ADDRESS_HIGH(0) && mthd < RT_ADDRESS_HIGH(8)) ||
	       (mthd >= VIEWPORT_SCALE(0, 0) && mthd < 0xd00) ||
	       (mthd >= DEPTH_TEST_ENABLE && mthd <= ALPHA_TEST_ENABLE) ||
	       (mthd >= BLEND_COLOR(0) && mthd <= BLEND_COLOR(3)) ||
	       (mthd >= BLEND_SEPARATE_ALPHA && mthd <= BLEND_FUNC_SRC_ALPHA) ||
	       (mthd >= BLEND_FUNC_DST_ALPHA && mthd <= STENCIL_FRONT_FUNC_MASK) ||
	       mthd == LOGIC_OP_ENABLE || mthd == LOGIC_OP;
}

bool sim_gr3d_is_locked(struct nvsim *s, u32 mthd)
{
	return s->gr->draw.open.active && sets_up_pixels(mthd);
}

/* --- targets --- */

static u32 target(const u32 *st, u32 i)
{
	return st[RT_CONTROL / 4] >> (4 + 3 * i) & 7;
}

static u32 target_count(const u32 *st)
{
	u32 count = st[RT_CONTROL / 4] & 0xf;

	return count < 8 ? count : 8;
}

static bool has_8_samples(u32 mode)
{
	return mode == MODE_4X2 || mode == MODE_4X2_D3D || mode == MODE_4X2_VC;
}

static enum sim_gr_error check_target(const u32 *st, u32 rt)
{
	const struct sim_color_format *format = sim_color_format(st[RT_FORMAT(rt) / 4]);
	u32 mode = st[MULTISAMPLE_MODE / 4] & 0xf;

	if (!format)
		return GR_OK;
	if (!(st[RT_HORIZ(rt) / 4] & RT_IS_LINEAR)) {
		if (st[RT_ADDRESS_LOW(rt) / 4] & 0xff)
			return GR_RT_INVALID_ALIGNMENT;
		return format->bpp == 16 && has_8_samples(mode) ? GR_RT_BPP128_WITH_MS8 : GR_OK;
	}
	if (st[ZETA_ENABLE / 4] & 1)
		return GR_RT_LINEAR_WITH_ZETA;
	return mode ? GR_RT_LINEAR_WITH_MSAA : GR_OK;
}

static enum sim_gr_error check_targets(const u32 *st)
{
	u32 i, rt, linear = 0, tiled = 0, used = 0;
	enum sim_gr_error err;

	for (i = 0; i < target_count(st); i++) {
		rt = target(st, i);
		if (!sim_color_format(st[RT_FORMAT(rt) / 4]))
			continue;
		if (used & 1u << rt)
			return GR_RT_DOUBLE_BIND;
		used |= 1u << rt;
		if (st[RT_HORIZ(rt) / 4] & RT_IS_LINEAR)
			linear++;
		else
			tiled++;
		if (linear && tiled)
			return GR_RT_TYPES_MISMATCH;
		err = check_target(st, rt);
		if (err)
			return err;
	}
	return GR_OK;
}

/* Formats with a C in their names have the coverage samples of CSAA. */
static bool csaa_mismatch(const u32 *st)
{
	u32 format = st[ZETA_FORMAT / 4];
	bool has = format == 0x18 || format == 0x1d || format == 0x1e || format == 0x1f;

	return st[ZETA_ENABLE / 4] & 1 &&
	       has != ((st[MULTISAMPLE_MODE / 4] & 0xf) >= FIRST_CSAA_MODE);
}

/* --- results of the vertex or geometry program --- */

static u32 outputs(const u32 *st)
{
	return st[(st[GP_ENABLE / 4] & 1 ? GP_RESULT_MAP_SIZE : VP_RESULT_MAP_SIZE) / 4];
}

static enum sim_gr_error check_colors(const u32 *st)
{
	u32 color = st[SEMANTIC_COLOR / 4], count = color >> 16 & 0xff;

	if (count && (color & 0xff) + count > outputs(st))
		return GR_SEMANTIC_COLOR_FRONT_OVER_LIMIT;
	if (count && st[VERTEX_TWO_SIDE_ENABLE / 4] & 1 && (color >> 8 & 0xff) + count > outputs(st))
		return GR_SEMANTIC_COLOR_BACK_OVER_LIMIT;
	return GR_OK;
}

static enum sim_gr_error check_results(const u32 *st)
{
	u32 clip = st[SEMANTIC_CLIP / 4], size = st[SEMANTIC_PTSZ / 4];
	u32 inputs = st[FP_INTERPOLANT_CTRL / 4];
	bool gp = st[GP_ENABLE / 4] & 1;

	if (st[LAYER / 4] & WITH_GP) {
		if (!gp)
			return GR_LAYER_ID_NEEDS_GP;
		if ((st[SEMANTIC_LAYER / 4] & 0xff) >= outputs(st))
			return GR_SEMANTIC_LAYER_OVER_LIMIT;
	}
	if (st[GP_VIEWPORT_ID_ENABLE / 4] & 1) {
		if (!gp)
			return GR_VIEWPORT_ID_NEEDS_GP;
		if ((st[SEMANTIC_VIEWPORT / 4] & 0xff) >= outputs(st))
			return GR_SEMANTIC_VIEWPORT_OVER_LIMIT;
	}
	if (st[CLIP_DISTANCE_ENABLE / 4] && (clip & 0xff) + (clip >> 8 & 0xf) > outputs(st))
		return GR_SEMANTIC_CLIP_OVER_LIMIT;
	if (size & 1 && (size >> 4 & 0xff) >= outputs(st))
		return GR_SEMANTIC_PTSZ_OVER_LIMIT;
	if (inputs & 0xff && (inputs >> 8 & 0xff) >= outputs(st))
		return GR_FP_INTERPOLANT_START_OVER_LIMIT;
	return check_colors(st);
}

enum sim_gr_error sim_gr3d_check_draw(const u32 *st)
{
	enum sim_gr_error err = check_targets(st);

	if (err)
		return err;
	if (csaa_mismatch(st))
		return GR_ZETA_FORMAT_CSAA_MISMATCH;
	if (!st[VP_ATTR_EN(0) / 4] && !st[VP_ATTR_EN(1) / 4] && !st[VP_GP_BUILTIN_ATTR_EN / 4])
		return GR_VP_ZERO_INPUTS;
	if (st[FP_RESULT_COUNT / 4] > st[FP_REG_ALLOC_TEMP / 4])
		return GR_FP_TOO_FEW_REGS;
	return check_results(st);
}

/* --- textures --- */

/* A place that TEX_LIMITS does not have, or a number past the table's limit */
enum sim_gr_error sim_gr3d_check_texture(const struct sim_texture_limits *l, u32 data)
{
	if (!(data & 1))
		return GR_OK;
	if ((data >> 1 & 0xff) >= 1u << (l->limits >> 4 & 0xf))
		return GR_TEXTURE_OVER_LIMIT;
	return (data >> 9 & 0x3fffff) > l->tic ? GR_INVALID_OPERATION : GR_OK;
}

enum sim_gr_error sim_gr3d_check_sampler(const struct sim_texture_limits *l, u32 data)
{
	if (!(data & 1))
		return GR_OK;
	if ((data >> 4 & 0xf) >= 1u << (l->limits & 0xf))
		return GR_SAMPLER_OVER_LIMIT;
	return (data >> 12 & 0x1ff) > l->tsc ? GR_INVALID_OPERATION : GR_OK;
}
