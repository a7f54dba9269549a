// SPDX-License-Identifier: MIT
/*
 * The 3D unit's methods: state, constant buffers, and the start of work. State lies in a strand of
 * the channel's context image, so that each channel has its own. Data of an unknown method are
 * kept, and do nothing.
 */
#include "gr3d.h"
#include "../gr.h"

#define MOST_STIPPLE	(1ll << 48)	/* pixels */

#define FUNC_NEVER	0x200
#define FLOAT_ONE	0x3f800000

/*
 * A new context of 3D has these values, and 0 elsewhere. They are those of nouveau's first image
 * (ctxnv50.c). The image keeps enumerations as small numbers. Here they have the form of the method.
 *
 * Some methods are 0 although the image has another value. No source says how the image packs
 * FP_CONTROL, CLEAR_FLAGS, RT_BLOCK, ZETA_BLOCK, VIEW_VOLUME_CLIP_CTRL, STRMOUT_BUFFERS_CTRL, CLIP_RECT
 * and the operations of STENCIL. Of VP_REG_ALLOC_TEMP it has a quarter. SEMANTIC_COLOR and
 * FP_INTERPOLANT_CTRL go beyond VP_RESULT_MAP_SIZE, and no source says that a card refuses each draw
 * until they are set.
 */
static const struct {
	u16 method;
	u8 count, stride;
	u32 value;
} start_3d[] = {
	{ RT_FORMAT(0), 1, 0, 0xcf },			/* A8R8G8B8 */
	{ RT_CONTROL, 1, 0, 0x0fac6881 },		/* one target, number 0 */
	{ RT_HORIZ(0), 8, 8, 0x400 },
	{ RT_VERT(0), 8, 8, 0x300 },
	{ RT_ARRAY_MODE, 1, 0, 1 },
	{ ZETA_FORMAT, 1, 0, 0x14 },			/* S8Z24 */
	{ ZETA_ENABLE, 1, 0, 1 },
	{ ZETA_HORIZ, 1, 0, 0x400 },
	{ ZETA_VERT, 1, 0, 0x300 },
	{ MSAA_MASK(0), 4, 4, 0xffff },
	{ COLOR_MASK(0), 1, 0, 0x1111 },		/* four bits in the image */
	{ SAMPLE_SHADING, 1, 0, 1 },

	{ BLEND_SEPARATE_ALPHA, 1, 0, 1 },
	{ BLEND_EQUATION_RGB, 1, 0, 0x8006 },		/* 1: a sum */
	{ BLEND_EQUATION_ALPHA, 1, 0, 0x8006 },
	{ BLEND_FUNC_SRC_RGB, 1, 0, 0x4001 },		/* 2: one */
	{ BLEND_FUNC_SRC_ALPHA, 1, 0, 0x4001 },
	{ BLEND_FUNC_DST_RGB, 1, 0, 0x4000 },		/* 1: zero */
	{ BLEND_FUNC_DST_ALPHA, 1, 0, 0x4000 },
	{ IBLEND(0) + 4, 8, 32, 0x8006 },
	{ IBLEND(0) + 8, 8, 32, 0x4001 },
	{ IBLEND(0) + 12, 8, 32, 0x4000 },
	{ IBLEND(0) + 16, 8, 32, 0x8006 },
	{ IBLEND(0) + 20, 8, 32, 0x4001 },
	{ IBLEND(0) + 24, 8, 32, 0x4000 },
	{ ALPHA_TEST_FUNC, 1, 0, FUNC_NEVER },		/* 0 */
	{ DEPTH_TEST_FUNC, 1, 0, FUNC_NEVER },
	{ STENCIL_FRONT_FUNC_FUNC, 1, 0, FUNC_NEVER },
	{ STENCIL_BACK_FUNC_FUNC, 1, 0, FUNC_NEVER },
	{ LOGIC_OP, 1, 0, 0x1500 },			/* 0: CLEAR */

	{ DEPTH_RANGE_FAR(0), 16, 16, FLOAT_ONE },
	{ VIEWPORT_TRANSFORM_EN, 1, 0, 1 },
	{ RASTERIZE_ENABLE, 1, 0, 1 },
	{ SHADE_MODEL, 1, 0, 0x1d01 },			/* 1: SMOOTH */
	{ LINE_WIDTH, 1, 0, FLOAT_ONE },
	{ LINE_STIPPLE, 1, 0, 0x00ffff00 },
	{ POLYGON_MODE_FRONT, 1, 0, 0x1b02 },		/* 2: FILL */
	{ POLYGON_MODE_BACK, 1, 0, 0x1b02 },
	{ FRONT_FACE, 1, 0, 0x900 },			/* 0: CW */
	{ CULL_FACE, 1, 0, 0x405 },			/* 1: BACK */

	{ VP_ATTR_EN(0), 1, 0, 0xf },
	{ VP_RESULT_MAP_SIZE, 1, 0, 4 },
	{ VP_RESULT_MAP(0), 1, 0, 0x03020100 },
	{ GP_RESULT_MAP_SIZE, 1, 0, 4 },
	{ GP_RESULT_MAP(0), 1, 0, 0x03020100 },
	{ GP_REG_ALLOC_TEMP, 1, 0, 4 },
	{ GP_VERTEX_OUTPUT_COUNT, 1, 0, 0x80 },
	{ GP_OUTPUT_PRIMITIVE_TYPE, 1, 0, 3 },
	{ FP_RESULT_COUNT, 1, 0, 4 },
	{ FP_REG_ALLOC_TEMP, 1, 0, 4 },
	{ SEMANTIC_CLIP, 1, 0, 0x804 },
	{ SEMANTIC_LAYER, 1, 0, 0x26 },
	{ SEMANTIC_PTSZ, 1, 0, 0x290 },			/* number 29, in the image from bit 1 on */
	{ SEMANTIC_PRIM_ID, 1, 0, 0x27 },
	{ SEMANTIC_VIEWPORT, 1, 0, 0x27 },
	{ STRMOUT_NUM_ATTRIBS(0), 4, 16, 4 },
	{ DRAW_TFB_STRIDE, 1, 0, 1 },

	{ TIC_LIMIT, 1, 0, 0x3fffff },
	{ TSC_LIMIT, 1, 0, 0x1fff },
	{ COUNTER_ENABLE, 1, 0, 0x7ff },
};

/* Values before any method */
void sim_gr3d_start_state(u32 *state)
{
	size_t i;
	u32 n;

	memset(state, 0, GR3D_WORDS * sizeof(*state));
	state[0] = GR3D_STATE_MAGIC;
	for (i = 0; i < ARRAY_LEN(start_3d); i++) {
		for (n = 0; n < start_3d[i].count; n++)
			state[(start_3d[i].method + n * start_3d[i].stride) / 4] = start_3d[i].value;
	}
	sim_compute_start_state(state + GR3D_COMPUTE);
}

void sim_gr3d_save(struct nvsim *s)
{
	memcpy(sim_gr3d_state(s) + GR3D_OPEN, &s->gr->draw.open, sizeof(s->gr->draw.open));
}

/* A client may have changed the image: ignore an impossible draw. */
void sim_gr3d_load(struct nvsim *s)
{
	struct sim_open_draw *d = &s->gr->draw.open;

	memset(&s->gr->draw, 0, sizeof(s->gr->draw));
	memcpy(d, sim_gr3d_state(s) + GR3D_OPEN, sizeof(*d));
	if (d->vertices >= SIM_WAITING || d->words >= ARRAY_LEN(d->data) ||
	    d->primitive >= SIM_PRIMITIVES || d->stipple_next < 0 || d->stipple_next > MOST_STIPPLE)
		memset(d, 0, sizeof(*d));
}

/* --- methods --- */

/* The first vertices after VERTEX_BEGIN_GL */
static enum sim_gr_error check_draw(struct nvsim *s, const u32 *st)
{
	struct sim_draw *d = &s->gr->draw;
	enum sim_gr_error err;

	if (!d->open.active || d->checked)
		return GR_OK;
	err = sim_gr3d_check_draw(st);
	d->checked = !err;
	return err;
}

static struct sim_texture_limits texture_limits(const u32 *st, u32 stage)
{
	return (struct sim_texture_limits){
		st[TEX_LIMITS(stage) / 4], st[TIC_LIMIT / 4], st[TSC_LIMIT / 4],
	};
}

/*
 * rnndb has INVALID_OPERATION for "you changed STRMOUT parameter without disabling STRMOUT first",
 * but no list of parameters. STRMOUT_MAP is not refused, as Mesa's nv50 writes it before it disables.
 */
static bool sets_up_stream_out(u32 mthd)
{
	return mthd == STRMOUT_BUFFERS_CTRL || mthd == STRMOUT_PRIMITIVE_LIMIT ||
	       (mthd >= STRMOUT_ADDRESS_HIGH(0) && mthd < STRMOUT_ADDRESS_HIGH(4));
}

static enum sim_gr_error check(struct nvsim *s, const u32 *st, u32 mthd, u32 data)
{
	struct sim_texture_limits limits;

	if (sim_gr3d_is_locked(s, mthd))
		return GR_BEGIN_END_ACTIVE;
	switch (mthd) {
	case VERTEX_DATA:
	case VERTEX_BUFFER_COUNT:
	case DRAW_TFB_BYTES:
	case VB_ELEMENT_U8:
	case VB_ELEMENT_U16:
	case VB_ELEMENT_U32:
		return check_draw(s, st);
	case BIND_TIC(0):
	case BIND_TIC(1):
	case BIND_TIC(2):
		limits = texture_limits(st, (mthd - BIND_TIC(0)) / 8);
		return sim_gr3d_check_texture(&limits, data);
	case BIND_TSC(0):
	case BIND_TSC(1):
	case BIND_TSC(2):
		limits = texture_limits(st, (mthd - BIND_TSC(0)) / 8);
		return sim_gr3d_check_sampler(&limits, data);
	case QUERY_GET:
		return sim_gr3d_is_query(data) ? GR_OK : GR_INVALID_OPERATION;
	}
	if (sets_up_stream_out(mthd) && st[STRMOUT_ENABLE / 4] & 1)
		return GR_INVALID_OPERATION;
	return GR_OK;
}

/* DRAW_TFB_BYTES: as many vertices as transform feedback has written */
static void draw_written(struct nvsim *s, const u32 *st, u32 bytes)
{
	u32 base = st[DRAW_TFB_BASE / 4], stride = st[DRAW_TFB_STRIDE / 4];

	if (stride && bytes > base)
		sim_gr3d_draw_arrays(s, 0, (bytes - base) / stride);
}

void sim_gr3d_method(struct nvsim *s, u32 mthd, u32 data)
{
	u32 *st = sim_gr3d_state(s);
	enum sim_gr_error err = check(s, st, mthd, data);

	if (err) {
		sim_gr_data_error(s, err);
		return;
	}
	if (mthd >= CB_DATA && mthd < CB_DATA_END) {
		sim_gr3d_write_buffer(s, st[DMA_CODE_CB / 4], &st[CB_ADDR / 4], data);
		return;
	}
	st[mthd / 4] = data;
	sim_gr3d_forget_code(s);
	if (mthd >= VTX_ATTR_1F(0) && mthd < VTX_ATTR_END)
		sim_gr3d_attribute(s, mthd, data);
	switch (mthd) {
	case CB_DEF_SET:
		sim_gr3d_define_buffer(st, st[CB_DEF_ADDRESS_HIGH / 4],
				       st[CB_DEF_ADDRESS_LOW / 4], data);
		break;
	case COUNTER_RESET:
		sim_gr3d_reset_counter(s, st, data);
		break;
	case QUERY_GET:
		/* Mode 1 only waits for a query, and queries of the model have always ended. */
		if ((data & 3) != 1)
			sim_gr3d_query(s, st, data);
		break;
	case COND_MODE:
		sim_gr3d_set_condition(s, st);
		break;
	case CLEAR_BUFFERS:
		if (!st[GR3D_SKIPS])
			sim_gr3d_start_clear(s, data);
		break;
	case VERTEX_BEGIN_GL:
		sim_gr3d_begin(s, data);
		break;
	case VERTEX_END_GL:
		sim_gr3d_end(s);
		break;
	case VERTEX_BEGIN_D3D:
		sim_gr_missing(s, NVSIM_MISSING_BEGIN_D3D, "primitive", data);
		break;
	case VERTEX_DATA:
		sim_gr3d_vertex_word(s, data);
		break;
	case VERTEX_BUFFER_COUNT:
		sim_gr3d_draw_arrays(s, st[VERTEX_BUFFER_FIRST / 4], data);
		break;
	case DRAW_TFB_BYTES:
		draw_written(s, st, data);
		break;
	case STRMOUT_PARAMS_LATCH:
		sim_gr3d_latch_stream_out(s, st);
		break;
	case BIND_TIC(0):
	case BIND_TIC(1):
	case BIND_TIC(2):
		sim_gr3d_bind_texture(st, (mthd - BIND_TIC(0)) / 8, data);
		break;
	case BIND_TSC(0):
	case BIND_TSC(1):
	case BIND_TSC(2):
		sim_gr3d_bind_sampler(st, (mthd - BIND_TSC(0)) / 8, data);
		break;
	case VB_ELEMENT_U8:
	case VB_ELEMENT_U16:
	case VB_ELEMENT_U32:
		sim_gr3d_indices(s, mthd, data);
		break;
	case SET_PROGRAM_CB:
		st[GR3D_PROGRAM_CB(data >> 4 & 3, data >> 8 & 0xf)] =
			(data & 1 ? GR3D_CB_VALID : 0) | (data >> 12 & 0x7f);
		break;
	}
}

u32 sim_gr3d_dma_notify(struct nvsim *s)
{
	return sim_gr3d_state(s)[0x180 / 4];
}

/* One piece of a job of 3D; false if the job is not one. */
bool sim_gr3d_step(struct nvsim *s)
{
	switch (s->gr->job) {
	case SIM_GR_JOB_CLEAR:
		sim_gr3d_clear_step(s);
		return true;
	case SIM_GR_JOB_TRIANGLE:
		if (sim_gr3d_triangle_step(s)) {
			sim_gr3d_next_triangle(s);
			sim_gr3d_next_job(s);
		}
		return true;
	case SIM_GR_JOB_VERTICES:
		sim_gr3d_vertices_step(s);
		return true;
	case SIM_GR_JOB_COMPUTE:
		sim_compute_step(s);
		return true;
	case SIM_GR_JOB_GEOMETRY:
		sim_gr3d_geometry_step(s);
		return true;
	default:
		return false;
	}
}
