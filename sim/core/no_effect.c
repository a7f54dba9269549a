// SPDX-License-Identifier: MIT
/*
 * Methods of 3D, compute and 2D without an effect in the model, and the values with which a card does
 * the same. Any other value is reported as not modelled. All methods that
 * have no row here have an effect; testbox/check_source.py looks at this for
 * those without a name.
 *
 * Values are those that a new context has: "default" in the descriptions of envytools' rnndb, or
 * nouveau's ctxnv50.c. If Mesa's nv50 writes another one in each context, both are taken.
 */
#include "core.h"
#include "gr.h"
#include "methods.h"

struct no_effect {
	u16 class;		/* the first one of the generations */
	u16 method;
	u8 count, stride;
	u32 min, max;		/* values with which nothing is missing */
};

#define EACH		0, ~0u	/* nothing that a program can see depends on it */
#define NONE		1, 0	/* each one has an effect on a card */
#define ONLY(value)	value, value

/* Documentation/class_pages.py and testbox/check_model.py read these rows. */
static const struct no_effect rows[] = {
	/* Shares of programs in memory and registers */
	{ CLASS_3D, 0x0f44, 4, 4, EACH },	/* LOCAL_WARPS_LOG_ALLOC to STACK_WARPS_NO_CLAMP */
	{ CLASS_3D, 0x16b8, 1, 4, EACH },	/* VP_REG_ALLOC_RESULT */
	{ CLASS_3D, 0x17a8, 1, 4, EACH },	/* GP_REG_ALLOC_RESULT */
	{ CLASS_3D, 0x19a0, 1, 4, EACH },	/* REG_MODE */

	/* Caches, which the model does not have, and delays */
	{ CLASS_3D, 0x1114, 1, 4, EACH },	/* WRCACHE_FLUSH */
	{ CLASS_3D, 0x1330, 3, 4, EACH },	/* TSC_FLUSH, TIC_FLUSH, TEX_CACHE_CTL */
	{ CLASS_3D, 0x142c, 1, 4, EACH },	/* VERTEX_ARRAY_FLUSH */
	{ CLASS_3D, 0x1440, 1, 4, EACH },	/* CODE_CB_FLUSH */
	{ CLASS_3D, 0x1a24, 1, 4, EACH },	/* DELAY */
	{ CLASS_COMPUTE, 0x027c, 3, 4, EACH },	/* TSC_FLUSH, TIC_FLUSH, DELAY1 */
	{ CLASS_COMPUTE, 0x028c, 1, 4, EACH },	/* DELAY2 */
	{ CLASS_COMPUTE, 0x0380, 1, 4, EACH },	/* CODE_CB_FLUSH */
	{ CLASS_COMPUTE, 0x0398, 1, 4, EACH },	/* WRCACHE_FLUSH */
	{ CLASS_COMPUTE, 0x03d0, 1, 4, EACH },	/* TEX_CACHE_CTL */

	/* The model stops a program after a number of instructions. */
	{ CLASS_3D, 0x0de4, 1, 4, EACH },	/* WATCHDOG_TIMER */
	{ CLASS_COMPUTE, 0x0288, 1, 4, EACH },	/* WATCHDOG_TIMER */

	/* Performance counters */
	{ CLASS_3D, 0x12f0, 4, 4, EACH },	/* MP_PM_SET */
	{ CLASS_3D, 0x132c, 1, 4, EACH },	/* MP_PM_OVERFLOW_TRAP_ENABLE */
	{ CLASS_3D, 0x1580, 4, 4, EACH },	/* MP_PM_CONTROL */
	{ CLASS_COMPUTE, 0x02d0, 9, 4, EACH },	/* MP_PM_SET to MP_PM_OVERFLOW_TRAP_ENABLE */

	/* ZCULL and compression, which save traffic and change no pixel */
	{ CLASS_3D, 0x0dbc, 1, 4, EACH },	/* ZCULL_UNK0DBC */
	{ CLASS_3D, 0x0dd8, 1, 4, EACH },	/* ZCULL_UNK0DD8 */
	{ CLASS_3D, 0x1104, 2, 4, EACH },	/* UNK1104, UNK1108: go to ZCULL */
	{ CLASS_3D, 0x151c, 1, 4, EACH },	/* ZCULL_STATCTRS_ENABLE; its queries are a finding */
	{ CLASS_3D, 0x1590, 1, 4, EACH },	/* ZCULL_REGION */
	{ CLASS_3D, 0x1954, 2, 4, EACH },	/* ZCULL_VALIDATE, ZCULL_INVALIDATE */
	{ CLASS_3D, 0x1968, 2, 4, EACH },	/* UNK1968, FP_CTRL_UNK196C: go to ZCULL */
	{ CLASS_3D, 0x19cc, 1, 4, EACH },	/* ZETA_COMP_ENABLE */
	{ CLASS_3D, 0x19e0, 8, 4, EACH },	/* RT_COMP_ENABLE */

	/* State of parts that are a finding when they are used */
	{ CLASS_3D, 0x01ac, 1, 4, EACH },	/* DMA_CLIPID: CLIPID_ENABLE, CLIPID_FILL */
	{ CLASS_3D, 0x0d40, 8, 4, EACH },	/* CLIPID_REGION */
	{ CLASS_3D, 0x0fcc, 2, 4, EACH },	/* CLIPID_ADDRESS_HIGH, CLIPID_ADDRESS_LOW */
	{ CLASS_3D, 0x1504, 3, 4, EACH },	/* CLIPID_HEIGHT, CLIPID_FILL_RECT */
	{ CLASS_3D, 0x1980, 2, 4, EACH },	/* CLIPID_WIDTH, CLIPID_ID */
	{ CLASS_3D, 0x15d8, 1, 4, EACH },	/* VERTEX_END_D3D */
	{ CLASS_3D, 0x0c10, 15, 16, EACH },	/* VIEWPORT_HORIZ of 1 to 15: VIEW_VOLUME_CLIP_CTRL */
	{ CLASS_3D, 0x0c14, 15, 16, EACH },	/* VIEWPORT_VERT of 1 to 15 */
	{ CLASS_2D, 0x0294, 2, 4, EACH },	/* COLOR_KEY_FORMAT, COLOR_KEY */
	{ CLASS_2D, 0x02a4, 2, 4, EACH },	/* BETA1, BETA4: OPERATION */
	{ CLASS_2D, 0x02b0, 2, 4, EACH },	/* PATTERN_OFFSET, PATTERN_SELECT: ROP */
	{ CLASS_2D, 0x02ec, 1, 4, EACH },	/* PATTERN_BITMAP_FORMAT */
	{ CLASS_2D, 0x0300, 128, 4, EACH },	/* PATTERN_X8R8G8B8 to PATTERN_X1R5G5B5 */
	{ CLASS_2D, 0x0500, 16, 4, EACH },	/* PATTERN_Y8 */

	/* Blits onto their own source come out right without it. */
	{ CLASS_2D, 0x0884, 2, 4, EACH },	/* SET_PIXELS_FROM_MEMORY_CORRAL_SIZE, _SAFE_OVERLAP */

	/* The number of layers is that of RT_ARRAY_MODE. */
	{ CLASS_3D, 0x1230, 1, 4, EACH },	/* ZETA_ARRAY_MODE */

	/* The scans of rnndb's authors found nothing that these do. */
	{ CLASS_3D, 0x0db8, 1, 4, EACH },	/* UNK0DB8 */
	{ CLASS_3D, 0x0dcc, 1, 4, EACH },	/* UNK0DCC */
	{ CLASS_3D, 0x0f60, 4, 4, EACH },	/* UNK0F60 */
	{ CLASS_3D, 0x1040, 16, 4, EACH },	/* UNK1040 */
	{ CLASS_3D, 0x110c, 1, 4, EACH },	/* UNK110C */
	{ CLASS_3D, 0x1144, 1, 4, EACH },	/* UNK1144 */
	{ CLASS_3D, 0x1978, 1, 4, EACH },	/* UNK1978 */
	{ CLASS_3D, 0x1a2c, 1, 4, EACH },	/* UNK1A2C */
	{ CLASS_3D, 0x1a38, 1, 4, EACH },	/* UNK1A38 */
	{ CLASS_3D, 0x1a40, 16, 4, EACH },	/* UNK1A40 */

	/* Parts of 3D with a name */
	{ CLASS_3D, 0x0df8, 2, 4, ONLY(0) },	/* WINDOW_OFFSET_X, WINDOW_OFFSET_Y */
	{ CLASS_3D, 0x12d0, 1, 4, ONLY(3) },	/* D3D_FILL_MODE: SOLID */
	{ CLASS_3D, 0x1308, 1, 4, ONLY(1) },	/* D3D_CULL_MODE: NONE */
	{ CLASS_3D, 0x13ac, 1, 4, ONLY(0) },	/* SCREEN_Y_CONTROL */
	{ CLASS_3D, 0x1468, 6, 4, ONLY(0) },	/* BIND_TSC2, BIND_TIC2 */
	{ CLASS_3D, 0x15b4, 1, 4, ONLY(0) },	/* CSAA_ENABLE */
	{ CLASS_3D, 0x15b8, 1, 4, ONLY(0) },	/* FRAMEBUFFER_SRGB */
	{ CLASS_3D, 0x15f4, 2, 4, ONLY(0) },	/* VERTEX_BASE_HIGH, VERTEX_BASE_LOW */
	{ CLASS_3D, 0x165c, 1, 4, ONLY(0) },	/* POINT_RASTER_RULES: OGL */
	{ CLASS_3D, 0x1668, 1, 4, ONLY(0) },	/* LINE_SMOOTH_BLUR: LOW */
	{ CLASS_3D, 0x1670, 4, 4, NONE },	/* COVERAGE_LUT */
	{ CLASS_3D, 0x1690, 1, 4, ONLY(0) },	/* ISA_FLAGS */
	{ CLASS_3D, 0x1940, 1, 4, ONLY(0) },	/* CLIP_DISTANCE_MODE: CLIP */
	{ CLASS_3D, 0x197c, 1, 4, ONLY(0) },	/* CLIPID_ENABLE */
	{ CLASS_3D, 0x19d4, 1, 4, NONE },	/* CLIPID_FILL */
	{ CLASS_3D, 0x114c, 1, 4, NONE },	/* VTX_ATTR_DEFINE */
	{ CLASS_3D, 0x1150, 4, 4, NONE },	/* VTX_ATTR_DATA */

	/* The GT215's arrays of 32 buffers and attributes */
	{ CLASS_3D, 0x1130, 4, 4, NONE },	/* VP_ATTR_EN_ALT */
	{ CLASS_3D, 0x1160, 32, 4, NONE },	/* VERTEX_ARRAY_ATTRIB_ALT */
	{ CLASS_3D, 0x1880, 32, 4, NONE },	/* VERTEX_ARRAY_PER_INSTANCE_ALT */
	{ CLASS_3D, 0x1b3c, 32, 4, NONE },	/* VP_RESULT_MAP_ALT */
	{ CLASS_3D, 0x1c00, 128, 4, NONE },	/* VERTEX_ARRAY_FETCH_ALT to VERTEX_ARRAY_DIVISOR_ALT */
	{ CLASS_3D, 0x1f00, 64, 4, NONE },	/* VERTEX_ARRAY_LIMIT_ALT */

	/* Methods of 3D without a name, most of which go to some unit */
	{ CLASS_3D, 0x0120, 2, 4, ONLY(0) },
	{ CLASS_3D, 0x0214, 8, 32, ONLY(0) },	/* RT.UNK14 */
	{ CLASS_3D, 0x0d60, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x0d64, 1, 4, ONLY(0x04e3bfdf) },
	{ CLASS_3D, 0x0d6c, 2, 4, ONLY(0) },
	{ CLASS_3D, 0x0dd0, 2, 4, ONLY(0) },
	{ CLASS_3D, 0x0ddc, 2, 4, ONLY(0) },
	{ CLASS_3D, 0x0dec, 1, 4, ONLY(1) },
	{ CLASS_3D, 0x0df0, 1, 4, ONLY(0x40) },
	{ CLASS_3D, 0x0df4, 1, 4, ONLY(0x04e3bfdf) },
	{ CLASS_3D, 0x0f78, 1, 4, ONLY(0x00003e60) },	/* G80 */
	{ CLASS_3D, 0x0f78, 1, 4, ONLY(0x001ffe67) },	/* G84 and later */
	{ CLASS_3D, 0x0f78, 1, 4, ONLY(0x00087e67) },	/* GT215 to GT218 */
	{ CLASS_3D, 0x0f8c, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x0f94, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x0f98, 1, 4, ONLY(1) },
	{ CLASS_3D, 0x0fac, 1, 4, ONLY(0x000ff101) },
	{ CLASS_3D, 0x0fb0, 3, 4, ONLY(0) },
	{ CLASS_3D, 0x0fd8, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x0fdc, 1, 4, 0, 1 },		/* Mesa: 1 */
	{ CLASS_3D, 0x0ffc, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x1100, 1, 4, ONLY(3) },
	{ CLASS_3D, 0x1110, 1, 4, ONLY(1) },
	{ CLASS_3D, 0x1120, 4, 4, ONLY(0) },
	{ CLASS_3D, 0x1140, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x1220, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x1238, 1, 4, NONE },		/* causes a trap of CCACHE */
	{ CLASS_3D, 0x128c, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x129c, 1, 4, ONLY(0x20) },
	{ CLASS_3D, 0x12a0, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x12a8, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x12ac, 1, 4, 0, 1 },
	{ CLASS_3D, 0x12b0, 1, 4, ONLY(0x80007004) },
	{ CLASS_3D, 0x12b4, 1, 4, ONLY(0x04000400) },
	{ CLASS_3D, 0x12b8, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x1354, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x13a0, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x1400, 1, 4, 2, ~0u },		/* 16 or 32 lanes; Mesa: f */
	{ CLASS_3D, 0x1404, 1, 4, ONLY(0x80) },
	{ CLASS_3D, 0x1408, 1, 4, ONLY(5) },
	{ CLASS_3D, 0x1418, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x141c, 1, 4, ONLY(0x01000000) },
	{ CLASS_3D, 0x1430, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x152c, 1, 4, ONLY(0x00018000) },
	{ CLASS_3D, 0x1568, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x15a8, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x15ac, 1, 4, ONLY(3) },
	{ CLASS_3D, 0x15b0, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x15c4, 2, 4, ONLY(0) },
	{ CLASS_3D, 0x1698, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x16a0, 1, 4, ONLY(1) },
	{ CLASS_3D, 0x16b4, 1, 4, 1, 3 },
	{ CLASS_3D, 0x1944, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x1960, 1, 4, ONLY(0x11) },
	{ CLASS_3D, 0x19c0, 1, 4, 0, 1 },		/* Mesa: 1 */
	{ CLASS_3D, 0x19d8, 2, 4, NONE },
	{ CLASS_3D, 0x1a20, 1, 4, ONLY(0) },
	{ CLASS_3D, 0x1a28, 1, 4, ONLY(4) },
	{ CLASS_3D, 0x1a30, 2, 4, ONLY(0) },
	{ CLASS_3D, 0x1a3c, 1, 4, ONLY(0) },

	/* Compute */
	{ CLASS_COMPUTE, 0x0378, 1, 4, ONLY(0) },	/* LINKED_TSC */
	{ CLASS_COMPUTE, 0x037c, 1, 4, ONLY(0) },	/* ISA_FLAGS */
	{ CLASS_COMPUTE, 0x03e8, 1, 4, ONLY(0) },	/* TEX_MISC */
	{ CLASS_COMPUTE, 0x0120, 2, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x0200, 4, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x0228, 1, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x0290, 1, 4, 0, 1 },		/* Mesa: 1 */
	{ CLASS_COMPUTE, 0x02a0, 1, 4, 1, 3 },		/* Mesa: 1, CUDA: 3 */
	{ CLASS_COMPUTE, 0x02b0, 1, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x02bc, 1, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x02f4, 1, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x030c, 1, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x032c, 15, 4, ONLY(0) },	/* to 0364 */
	{ CLASS_COMPUTE, 0x036c, 2, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x038c, 3, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x039c, 2, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x03cc, 1, 4, NONE },		/* causes a trap of CCACHE */
	{ CLASS_COMPUTE, 0x03d4, 5, 4, ONLY(0) },
	{ CLASS_COMPUTE, 0x0700, 16, 4, ONLY(0) },

	/* 2D */
	{ CLASS_2D, 0x0850, 1, 4, ONLY(0) },		/* SIFC_DST_X_FRACT */
	{ CLASS_2D, 0x0858, 1, 4, ONLY(0) },		/* SIFC_DST_Y_FRACT */
	{ CLASS_2D, 0x0120, 2, 4, ONLY(0) },
	{ CLASS_2D, 0x0228, 1, 4, ONLY(0) },
	{ CLASS_2D, 0x0258, 1, 4, ONLY(0) },
	{ CLASS_2D, 0x0260, 1, 4, ONLY(0) },
	{ CLASS_2D, 0x058c, 1, 4, ONLY(0x1000) },
	{ CLASS_2D, 0x0870, 1, 4, ONLY(0x04444480) },
	{ CLASS_2D, 0x0880, 1, 4, ONLY(0) },
};

/*
 * Bits that the model does not look at, of methods whose other bits it knows. VIEW_VOLUME_CLIP_CTRL
 * has bit 10 in a new context. Mesa sets bit 12 where depth is clamped, and bit 0 in blits, which
 * have no view volume. Mesa's source says that 1080 stands for an exact view volume, which a card
 * otherwise leaves to the scissors.
 */
static const struct {
	u16 class, method;
	u32 bits;
} unread[] = {
	{ CLASS_3D, 0x143c, 1u << 0 },		/* CLEAR_FLAGS: STENCIL_MASK */
	{ CLASS_3D, 0x15e0, 3u << 0 },		/* VERTEX_END_GL */
	{ CLASS_3D, 0x1664, 1u << 1 },		/* TEX_MISC */
	{ CLASS_3D, 0x193c, 0x2886 },		/* VIEW_VOLUME_CLIP_CTRL */
	{ CLASS_3D, 0x1988, 1u << 28 },		/* FP_INTERPOLANT_CTRL */
	{ CLASS_COMPUTE, 0x0374, 0xff },	/* USER_PARAM_COUNT */
	{ CLASS_COMPUTE, 0x0384, 0xfffeff },	/* bit 8: all blocks */
};

static bool is_for(const struct no_effect *row, u32 method)
{
	u32 at = method - row->method;

	return method >= row->method && at % row->stride == 0 && at / row->stride < row->count;
}

/* Mark the methods of which some value is a finding. */
void sim_no_effect_mark(struct sim_methods *m)
{
	u16 first = sim_first_class(m->class);
	u32 i, k;

	for (i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].class != first || (!rows[i].min && rows[i].max == ~0u))
			continue;
		for (k = 0; k < rows[i].count; k++)
			sim_method_set(m->limited, rows[i].method + k * rows[i].stride);
	}

	for (i = 0; i < ARRAY_LEN(unread); i++)
		if (unread[i].class == first)
			sim_method_set(m->limited, unread[i].method);
}

/* Report a method that has an effect on a card, but none here. */
void sim_no_effect_check(struct nvsim *s)
{
	const struct sim_gr_method *m = &s->gr->method;
	u16 first = sim_first_class(m->class);
	bool is_missing = false;
	u32 i;

	for (i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].class != first || !is_for(&rows[i], m->mthd))
			continue;
		if (m->data >= rows[i].min && m->data <= rows[i].max)
			return;
		is_missing = true;
	}

	for (i = 0; i < ARRAY_LEN(unread); i++)
		if (unread[i].class == first && unread[i].method == m->mthd)
			is_missing = m->data & unread[i].bits;

	if (is_missing)
		sim_gr_missing_method(s, NVSIM_MISSING_METHOD);
}
