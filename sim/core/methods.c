// SPDX-License-Identifier: MIT
/*
 * Which methods the classes of PGRAPH have, and which values they take. Envytools' rnndb at
 * f102b823 is the source: nv_object.xml, nv_m2mf.xml, g80_2d.xml, g80_3d.xml, g80_compute.xml, and
 * the nv1_*.xml and nv3_gdi.xml of the G80's classes of older cards. Its authors scanned cards for
 * methods, so that it has those without a name, too.
 */
#include <stdlib.h>

#include "core.h"
#include "gr.h"
#include "methods.h"

/* Classes by generation: the bit in a row's mask is the place in such a list. */
struct method_range {
	u16 first, last;
	u8 generations;
	u8 from, end;		/* enum nv_chip, half open */
};

#define OF(mask, first, last)	{ first, last, mask, NV_CHIP_G80, NV_CHIP_END }
#define M(first, last)		OF(0xff, first, last)
#define FROM(chip, first, last)	{ first, last, 0xff, NV_CHIP_##chip, NV_CHIP_END }
#define BEFORE(chip, first, last)	{ first, last, 0xff, NV_CHIP_G80, NV_CHIP_##chip }

/* All objects of PGRAPH have these: NOP, NOTIFY, SERIALIZE, PM_TRIGGER, and two without a name. */
static const struct method_range methods_of_all[] = {
	M(0x0100, 0x0104), M(0x0110, 0x0110), M(0x0140, 0x0140), FROM(GT215, 0x0120, 0x0124),
};

static const struct method_range methods_of_3d[] = {
	M(0x0180, 0x01ac), M(0x01c0, 0x01dc), M(0x0200, 0x0214), M(0x0220, 0x0234),
	M(0x0240, 0x0254), M(0x0260, 0x0274), M(0x0280, 0x0294), M(0x02a0, 0x02b4),
	M(0x02c0, 0x02d4), M(0x02e0, 0x02f4), M(0x0300, 0x0408), M(0x0410, 0x0418),
	M(0x0420, 0x0428), M(0x0430, 0x0438), M(0x0440, 0x0448), M(0x0450, 0x0458),
	M(0x0460, 0x0468), M(0x0470, 0x0478), M(0x0480, 0x0488), M(0x0490, 0x0498),
	M(0x04a0, 0x04a8), M(0x04b0, 0x04b8), M(0x04c0, 0x04c8), M(0x04d0, 0x04d8),
	M(0x04e0, 0x04e8), M(0x04f0, 0x04f8), M(0x0500, 0x0a14), M(0x0a20, 0x0a34),
	M(0x0a40, 0x0a54), M(0x0a60, 0x0a74), M(0x0a80, 0x0a94), M(0x0aa0, 0x0ab4),
	M(0x0ac0, 0x0ad4), M(0x0ae0, 0x0af4), M(0x0b00, 0x0b14), M(0x0b20, 0x0b34),
	M(0x0b40, 0x0b54), M(0x0b60, 0x0b74), M(0x0b80, 0x0b94), M(0x0ba0, 0x0bb4),
	M(0x0bc0, 0x0bd4), M(0x0be0, 0x0bf4), M(0x0c00, 0x0dc8),
	OF(0x01, 0x0dcc, 0x0dcc), M(0x0dd0, 0x0e08), M(0x0e10, 0x0e18),
	M(0x0e20, 0x0e28), M(0x0e30, 0x0e38), M(0x0e40, 0x0e48), M(0x0e50, 0x0e58),
	M(0x0e60, 0x0e68), M(0x0e70, 0x0e78), M(0x0e80, 0x0e88), M(0x0e90, 0x0e98),
	M(0x0ea0, 0x0ea8), M(0x0eb0, 0x0eb8), M(0x0ec0, 0x0ec8), M(0x0ed0, 0x0ed8),
	M(0x0ee0, 0x0ee8), M(0x0ef0, 0x0ef8), M(0x0f00, 0x0ff8),
	FROM(G84, 0x0ffc, 0x0ffc), M(0x1000, 0x10fc), FROM(G84, 0x1100, 0x1100),
	OF(0x1e, 0x1104, 0x111c), OF(0x18, 0x1120, 0x1140), OF(0x1c, 0x1144, 0x1144),
	OF(0x1c, 0x114c, 0x115c), OF(0x18, 0x1160, 0x11dc), M(0x121c, 0x1238),
	OF(0x1c, 0x123c, 0x123c), M(0x1240, 0x12a0), M(0x12a8, 0x12b8),
	M(0x12cc, 0x1314), OF(0x1c, 0x1318, 0x1318), M(0x131c, 0x13a0),
	OF(0x1c, 0x13a4, 0x13a4), M(0x13a8, 0x1414), OF(0x18, 0x1418, 0x1418),
	M(0x141c, 0x1420), M(0x142c, 0x1458), M(0x1468, 0x14fc), M(0x1504, 0x1520),
	OF(0x1c, 0x152c, 0x152c), M(0x1530, 0x15bc), OF(0x18, 0x15c4, 0x15c8),
	M(0x15cc, 0x15f8), M(0x1640, 0x1660), OF(0x1c, 0x1664, 0x1664),
	M(0x1668, 0x1698), OF(0x18, 0x169c, 0x16a0), M(0x16ac, 0x16b0),
	OF(0x1c, 0x16b4, 0x16b4), M(0x16b8, 0x177c), OF(0x1c, 0x1780, 0x178c),
	M(0x1798, 0x1798), M(0x17a0, 0x17a0), M(0x17a8, 0x17b8), M(0x17fc, 0x187c),
	OF(0x18, 0x1880, 0x18fc), M(0x1900, 0x1924), OF(0x18, 0x1928, 0x1928),
	M(0x192c, 0x192c), M(0x193c, 0x1940), OF(0x18, 0x1944, 0x1944),
	M(0x194c, 0x1958), OF(0x18, 0x1960, 0x1960), M(0x1968, 0x196c),
	M(0x1978, 0x198c), M(0x19a0, 0x19a0), M(0x19a8, 0x19a8), M(0x19bc, 0x1a88),
	OF(0x1c, 0x1a8c, 0x1a8c), M(0x1a90, 0x1a98), OF(0x1c, 0x1a9c, 0x1a9c),
	M(0x1aa0, 0x1aa8), OF(0x1c, 0x1aac, 0x1aac), M(0x1ab0, 0x1ab8),
	OF(0x1c, 0x1abc, 0x1abc), M(0x1ac0, 0x1b0c), OF(0x08, 0x1b3c, 0x1bb8),
	OF(0x18, 0x1c00, 0x1e18), OF(0x18, 0x1e20, 0x1e38), OF(0x18, 0x1e40, 0x1e58),
	OF(0x18, 0x1e60, 0x1e78), OF(0x18, 0x1e80, 0x1e98), OF(0x18, 0x1ea0, 0x1eb8),
	OF(0x18, 0x1ec0, 0x1ed8), OF(0x18, 0x1ee0, 0x1ef8), OF(0x18, 0x1f00, 0x1ffc),
};

static const struct method_range methods_of_compute[] = {
	M(0x0180, 0x0180), M(0x01a0, 0x01a4), M(0x01b8, 0x01cc), M(0x0200, 0x0330),
	FROM(G84, 0x0334, 0x033c), M(0x0340, 0x034c), FROM(G84, 0x0350, 0x0354),
	M(0x0358, 0x0388), FROM(G84, 0x038c, 0x03a0), M(0x03a4, 0x03d0),
	FROM(G84, 0x03d4, 0x03e4), OF(0x02, 0x03e8, 0x03e8), M(0x0400, 0x0410),
	M(0x0420, 0x0430), M(0x0440, 0x0450), M(0x0460, 0x0470), M(0x0480, 0x0490),
	M(0x04a0, 0x04b0), M(0x04c0, 0x04d0), M(0x04e0, 0x04f0), M(0x0500, 0x0510),
	M(0x0520, 0x0530), M(0x0540, 0x0550), M(0x0560, 0x0570), M(0x0580, 0x0590),
	M(0x05a0, 0x05b0), M(0x05c0, 0x05d0), M(0x05e0, 0x05f0), M(0x0600, 0x06fc),
	BEFORE(G84, 0x0700, 0x073c),
};

static const struct method_range methods_of_2d[] = {
	M(0x0180, 0x018c), M(0x0200, 0x0228), M(0x0230, 0x0254),
	FROM(G94, 0x0258, 0x0258), M(0x0260, 0x026c), M(0x0280, 0x02b4),
	M(0x02e8, 0x053c), M(0x0580, 0x058c), M(0x05e0, 0x05e0), M(0x0600, 0x081c),
	M(0x0838, 0x0860), M(0x0870, 0x0870), M(0x0880, 0x088c), M(0x08b0, 0x08dc),
};

static const struct method_range methods_of_m2mf[] = {
	M(0x0180, 0x0188), M(0x0200, 0x023c), M(0x030c, 0x0328),
};

static const struct method_range methods_of_beta[] = {
	M(0x0180, 0x0180), M(0x0300, 0x0300),
};

static const struct method_range methods_of_clip[] = {
	M(0x0180, 0x0180), M(0x0300, 0x0304),
};

static const struct method_range methods_of_rop[] = {
	M(0x0180, 0x0180), M(0x0300, 0x0300),
};

static const struct method_range methods_of_pattern[] = {
	M(0x0180, 0x0180), M(0x0300, 0x031c), M(0x0400, 0x043c), M(0x0500, 0x057c),
	M(0x0600, 0x067c), M(0x0700, 0x07fc),
};

static const struct method_range methods_of_chroma[] = {
	M(0x0180, 0x0180), M(0x0300, 0x0304),
};

static const struct method_range methods_of_beta4[] = {
	M(0x0180, 0x0180), M(0x0300, 0x0300),
};

static const struct method_range methods_of_surface_2d[] = {
	M(0x0180, 0x0188), M(0x0200, 0x0234), M(0x0300, 0x030c),
};

static const struct method_range methods_of_gdi[] = {
	M(0x010c, 0x010c), M(0x0180, 0x0198), M(0x02fc, 0x0304), M(0x03fc, 0x04fc),
	M(0x05f4, 0x06fc), M(0x07ec, 0x09fc), M(0x0be4, 0x0dfc), M(0x0ff0, 0x13fc),
	M(0x17f0, 0x1ffc),
};

static const struct method_range methods_of_tri[] = {
	M(0x010c, 0x010c), M(0x0180, 0x0198), M(0x02fc, 0x0304), M(0x0310, 0x0318),
	M(0x0320, 0x0334), M(0x0400, 0x05fc),
};

static const struct method_range methods_of_lin[] = {
	M(0x010c, 0x010c), M(0x0180, 0x0198), M(0x02fc, 0x0304), M(0x0400, 0x067c),
};

static const struct method_range methods_of_blit[] = {
	M(0x010c, 0x010c), M(0x0180, 0x019c), M(0x02fc, 0x0308),
};

static const struct method_range methods_of_iifc[] = {
	M(0x010c, 0x010c), M(0x0180, 0x01a0), M(0x03e0, 0x1ffc),
};

static const struct method_range methods_of_sifc[] = {
	M(0x010c, 0x010c), M(0x0180, 0x0198), M(0x02f8, 0x0318), M(0x0400, 0x1ffc),
};

static const struct method_range methods_of_ifc[] = {
	M(0x0108, 0x010c), M(0x0180, 0x019c), M(0x02f8, 0x030c), M(0x0400, 0x1ffc),
};

static const struct method_range methods_of_tfc[] = {
	M(0x0108, 0x0108), M(0x0180, 0x0184), M(0x0300, 0x0310), M(0x0400, 0x1ffc),
};

static const struct method_range methods_of_sifm[] = {
	M(0x0108, 0x0108), M(0x0180, 0x0198), M(0x02fc, 0x031c), M(0x0400, 0x0418),
};

static const struct method_range methods_of_null[] = { M(0x0100, 0x0100) };

#define CLASS(class, generation, name)	\
	{ class, generation, methods_of_##name, ARRAY_LEN(methods_of_##name) }

static const struct {
	u16 class;
	u8 generation;
	const struct method_range *range;
	u32 count;
} classes[SIM_METHOD_CLASSES] = {
	CLASS(0x0012, 0, beta),	     CLASS(0x0019, 0, clip),	CLASS(0x0030, 0, null),
	CLASS(0x0043, 0, rop),	     CLASS(0x0044, 0, pattern), CLASS(0x004a, 0, gdi),
	CLASS(0x0057, 0, chroma),    CLASS(0x005d, 0, tri),	CLASS(0x005f, 0, blit),
	CLASS(0x0072, 0, beta4),     CLASS(0x305c, 0, lin),	CLASS(0x3064, 0, iifc),
	CLASS(0x3066, 0, sifc),	     CLASS(0x307b, 0, tfc),	CLASS(0x308a, 0, ifc),
	CLASS(0x5062, 0, surface_2d), CLASS(0x5089, 0, sifm),	CLASS(0x502d, 0, 2d),
	CLASS(0x5039, 0, m2mf),	     CLASS(0x5097, 0, 3d),	CLASS(0x8297, 1, 3d),
	CLASS(0x8397, 2, 3d),	     CLASS(0x8597, 3, 3d),	CLASS(0x8697, 4, 3d),
	CLASS(0x50c0, 0, compute),   CLASS(0x85c0, 1, compute),
};

/*
 * Limits of a field, and the code of DATA_ERROR for any other value. rnndb gives min, max and align
 * of some and describes those of others ("accepts 0-3"), and names INVALID_VALUE for "too big / too
 * small / unaligned". The highest bits of addresses are 39:32. Modes of M2MF and 2D are those that
 * envytools' documents list. INVALID_BITFIELD stands for bits that NVIDIA's headers of M2MF and 2D
 * do not have. values.c has enumerations.
 */
struct limit {
	u16 class;		/* the first one of the generations */
	u16 method, count, stride;
	u8 high, low;		/* bits */
	u32 min, max, align;
	enum sim_gr_error error;
};

#define SUPERVISOR	(1u << 31)	/* of a DMA object */
#define ANY		(~0u)	/* any multiple of the alignment */
#define VALUE		GR_INVALID_VALUE
#define ENUM		GR_INVALID_ENUM
#define ADDRESS_ALIGNMENT	GR_INVALID_ADDRESS_ALIGNMENT
#define BITFIELD	GR_INVALID_BITFIELD

/* Documentation/class_pages.py reads these rows. */
static const struct limit limits[] = {
	{ CLASS_3D, 0x114c, 1, 4, 10, 8, 1, 4, 1, VALUE },		/* VTX_ATTR_DEFINE.COMP */
	{ CLASS_3D, 0x1280, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* CB_DEF_ADDRESS_HIGH */
	{ CLASS_3D, 0x1294, 1, 4, 19, 8, 0, 0x800, 1, VALUE },		/* STRMOUT_BUFFERS_CTRL.STRIDE */
	{ CLASS_3D, 0x1318, 1, 4, 31, 0, 1, 0xfff, 1, VALUE },		/* DRAW_TFB_STRIDE */
	{ CLASS_3D, 0x13b4, 3, 4, 3, 0, 0, 4, 1, VALUE },		/* TEX_LIMITS.SAMPLERS_LOG2 */
	{ CLASS_3D, 0x13b4, 3, 4, 7, 4, 0, 7, 1, VALUE },		/* TEX_LIMITS.TEXTURES_LOG2 */
	{ CLASS_3D, 0x1420, 1, 4, 31, 0, 1, 0x400, 1, VALUE },		/* GP_VERTEX_OUTPUT_COUNT */
	{ CLASS_3D, 0x1504, 1, 4, 31, 0, 0, 0x2000, 1, VALUE },		/* CLIPID_HEIGHT */
	{ CLASS_3D, 0x1550, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* COND_ADDRESS_HIGH */
	{ CLASS_3D, 0x1558, 1, 4, 31, 0, 0, 4, 1, ENUM },		/* COND_MODE */
	{ CLASS_3D, 0x1560, 1, 4, 31, 0, 0, ANY, 0x20, VALUE },		/* TSC_ADDRESS_LOW */
	{ CLASS_3D, 0x1564, 1, 4, 31, 0, 0, 0x1fff, 1, VALUE },		/* TSC_LIMIT */
	{ CLASS_3D, 0x1980, 1, 4, 31, 0, 0, 0x2000, 0x40, VALUE },	/* CLIPID_WIDTH */
	{ CLASS_3D, 0x1a88, 4, 16, 31, 0, 0, 0x40, 1, VALUE },		/* STRMOUT_NUM_ATTRIBS */
	{ CLASS_3D, 0x1b00, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* QUERY_ADDRESS_HIGH */
	{ CLASS_3D, 0x0ddc, 1, 4, 31, 0, 0, 2, 1, VALUE },		/* UNK0DDC */
	{ CLASS_3D, 0x0fb4, 1, 4, 31, 0, 0, 2, 1, VALUE },		/* UNK0FB4 */
	{ CLASS_3D, 0x0fb8, 1, 4, 31, 0, 0, 0x1f, 1, VALUE },		/* UNK0FB8 */
	{ CLASS_3D, 0x0ffc, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* UNK0FFC */
	{ CLASS_3D, 0x1100, 1, 4, 31, 0, 0, 3, 1, VALUE },		/* UNK1100 */
	{ CLASS_3D, 0x1220, 1, 4, 31, 0, 0, 0xc, 1, VALUE },		/* UNK1220 */
	{ CLASS_3D, 0x1238, 1, 4, 31, 0, 0, 0x3fffff, 1, VALUE },	/* UNK1238 */
	{ CLASS_3D, 0x13a0, 1, 4, 31, 0, 0, 2, 1, VALUE },		/* UNK13A0 */
	{ CLASS_3D, 0x1400, 1, 4, 31, 0, 0, 0xffff, 1, VALUE },		/* UNK1400_LANES */
	{ CLASS_3D, 0x1408, 1, 4, 31, 0, 0, 0xf, 1, VALUE },		/* UNK1408 */
	{ CLASS_3D, 0x15ac, 1, 4, 31, 0, 0, 3, 1, VALUE },		/* UNK15AC */
	{ CLASS_3D, 0x15c8, 1, 4, 31, 0, 0, 2, 1, VALUE },		/* UNK15C8 */
	{ CLASS_3D, 0x1a20, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* UNK1A20 */
	{ CLASS_COMPUTE, 0x2a0, 1, 4, 31, 0, 0, 8, 1, VALUE },		/* UNK02A0 */
	{ CLASS_COMPUTE, 0x32c, 1, 4, 31, 0, 0, 1, 1, VALUE },		/* UNK032C */
	{ CLASS_COMPUTE, 0x358, 1, 4, 31, 0, 0, 1, 1, VALUE },		/* UNK0358 */
	{ CLASS_COMPUTE, 0x35c, 1, 4, 31, 0, 0, 3, 1, VALUE },		/* UNK035C */
	{ CLASS_COMPUTE, 0x36c, 1, 4, 31, 0, 0, 3, 1, VALUE },		/* UNK036C */
	{ CLASS_COMPUTE, 0x370, 1, 4, 31, 0, 0, 1, 1, VALUE },		/* UNK0370 */
	{ CLASS_COMPUTE, 0x3cc, 1, 4, 31, 0, 0, 0x3fffff, 1, VALUE },	/* UNK03CC */
	{ CLASS_COMPUTE, 0x230, 1, 4, 31, 0, 0, ANY, 0x20, VALUE },	/* TSC_ADDRESS_LOW */
	{ CLASS_COMPUTE, 0x234, 1, 4, 31, 0, 0, 0x1fff, 1, VALUE },	/* TSC_LIMIT */
	{ CLASS_COMPUTE, 0x298, 1, 4, 31, 0, 0, ANY, 0x100, VALUE },	/* LOCAL_ADDRESS_LOW */
	{ CLASS_COMPUTE, 0x310, 1, 4, 31, 0, 0, 0xff, 1, VALUE },	/* QUERY_ADDRESS_HIGH */
	{ CLASS_COMPUTE, 0x328, 1, 4, 31, 0, 0, 4, 1, ENUM },		/* COND_MODE */
	{ CLASS_COMPUTE, 0x374, 1, 4, 15, 8, 0, 64, 1, VALUE },		/* USER_PARAM_COUNT.COUNT */
	{ CLASS_COMPUTE, 0x3a8, 1, 4, 31, 0, 0, ANY, 0x40, ADDRESS_ALIGNMENT },	/* SHARED_SIZE */
	{ CLASS_COMPUTE, 0x3a8, 1, 4, 31, 0, 0, 0x4000, 1, VALUE },	/* SHARED_SIZE */
	{ CLASS_COMPUTE, 0x3b0, 1, 4, 31, 0, 1, 64, 1, VALUE },		/* BLOCKDIM_Z */
	{ CLASS_COMPUTE, 0x3bc, 1, 4, 3, 0, 0, 4, 1, VALUE },		/* TEX_LIMITS.SAMPLERS_LOG2 */
	{ CLASS_COMPUTE, 0x3bc, 1, 4, 7, 4, 0, 7, 1, VALUE },		/* TEX_LIMITS.TEXTURES_LOG2 */
	{ CLASS_COMPUTE, 0x408, 16, 32, 31, 0, 0, 0x800000, 0x100, VALUE },	/* GLOBAL.PITCH */
	{ CLASS_COMPUTE, 0x410, 16, 32, 11, 8, 0, 5, 1, VALUE },	/* GLOBAL.MODE.BLOCK_HEIGHT */
	{ CLASS_2D, 0x204, 1, 4, 31, 0, 0, 1, 1, ENUM },		/* DST_LINEAR */
	{ CLASS_2D, 0x208, 1, 4, 31, 12, 0, 0, 1, BITFIELD },		/* DST_BLOCK_DIMENSIONS */
	{ CLASS_2D, 0x220, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* DST_ADDRESS_HIGH */
	{ CLASS_2D, 0x228, 1, 4, 31, 0, 0, 1, 1, VALUE },		/* UNK228 */
	{ CLASS_2D, 0x258, 1, 4, 31, 0, 0, 3, 1, VALUE },		/* UNK258 */
	{ CLASS_2D, 0x260, 1, 4, 31, 0, 0, 1, 1, VALUE },		/* UNK260 */
	{ CLASS_2D, 0x870, 1, 4, 31, 0, 0, 0x1fffffff, 1, VALUE },	/* UNK0870 */
	{ CLASS_2D, 0x880, 1, 4, 31, 0, 0, 2, 1, VALUE },		/* UNK0880 */
	{ CLASS_2D, 0x234, 1, 4, 31, 0, 0, 1, 1, ENUM },		/* SRC_LINEAR */
	{ CLASS_2D, 0x238, 1, 4, 31, 12, 0, 0, 1, BITFIELD },		/* SRC_BLOCK_DIMENSIONS */
	{ CLASS_2D, 0x244, 1, 4, 31, 0, 0, 0x40000, 1, VALUE },		/* SRC_PITCH */
	{ CLASS_2D, 0x248, 1, 4, 31, 0, 0, 0x10000, 1, VALUE },		/* SRC_WIDTH */
	{ CLASS_2D, 0x24c, 1, 4, 31, 0, 0, 0x10000, 1, VALUE },		/* SRC_HEIGHT */
	{ CLASS_2D, 0x250, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* SRC_ADDRESS_HIGH */
	{ CLASS_2D, 0x264, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* COND_ADDRESS_HIGH */
	{ CLASS_2D, 0x26c, 1, 4, 31, 0, 0, 4, 1, ENUM },		/* COND_MODE */
	{ CLASS_2D, 0x2a0, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* ROP */
	{ CLASS_2D, 0x2ac, 1, 4, 31, 0, 0, 6, 1, ENUM },		/* OPERATION */
	{ CLASS_2D, 0x580, 1, 4, 31, 0, 0, 4, 1, ENUM },		/* DRAW_SHAPE */
	{ CLASS_2D, 0x808, 1, 4, 31, 0, 0, 2, 1, ENUM },		/* SIFC_BITMAP_FORMAT */
	{ CLASS_M2MF, 0x200, 1, 4, 31, 0, 0, 1, 1, ENUM },		/* LAYOUT_IN */
	{ CLASS_M2MF, 0x204, 1, 4, 31, 12, 0, 0, 1, BITFIELD },	/* BLOCKLINEAR_DIMENSIONS_IN */
	{ CLASS_M2MF, 0x210, 1, 4, 31, 0, 1, 0x800, 1, VALUE },		/* BLOCKLINEAR_DEPTH_IN */
	{ CLASS_M2MF, 0x21c, 1, 4, 31, 0, 0, 1, 1, ENUM },		/* LAYOUT_OUT */
	{ CLASS_M2MF, 0x220, 1, 4, 31, 12, 0, 0, 1, BITFIELD },	/* BLOCKLINEAR_DIMENSIONS_OUT */
	{ CLASS_M2MF, 0x22c, 1, 4, 31, 0, 1, 0x800, 1, VALUE },		/* BLOCKLINEAR_DEPTH_OUT */
	{ CLASS_M2MF, 0x238, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* OFFSET_IN_HIGH */
	{ CLASS_M2MF, 0x23c, 1, 4, 31, 0, 0, 0xff, 1, VALUE },		/* OFFSET_OUT_HIGH */
	{ CLASS_M2MF, 0x328, 1, 4, 31, 0, 0, 1, 1, ENUM },		/* BUF_NOTIFY */
};

/* The class that an object method of an old 2D class takes, from 184 on; 2 stands for a DMA object. */
#define CLIP	0x0019
#define CHROMA	0x0057
#define SURFACE	0x5062
#define OPERANDS	0x0044, 0x0043, 0x0012, 0x0072	/* pattern, ROP, beta, beta4 */

static const struct {
	u16 class;
	u16 object[8];
} objects[] = {
	{ 0x004a, { 2, OPERANDS, SURFACE } },	{ 0x005d, { CLIP, OPERANDS, SURFACE } },
	{ 0x305c, { CLIP, OPERANDS, SURFACE } }, { 0x005f, { CHROMA, CLIP, OPERANDS, SURFACE } },
	{ 0x308a, { CHROMA, CLIP, OPERANDS, SURFACE } },
	{ 0x3064, { 2, CHROMA, CLIP, OPERANDS, SURFACE } },
	{ 0x3066, { CHROMA, OPERANDS, SURFACE } }, { 0x307b, { SURFACE } },
	{ 0x5089, { 2, OPERANDS, SURFACE } },
};

/* Methods that take a DMA object which the class writes to, besides DMA_NOTIFY of all */
static const struct {
	u16 class;		/* the first one of the generations */
	u16 first, last;
} written[] = {
	{ CLASS_M2MF, 0x188, 0x188 },		/* DMA_BUFFER_OUT */
	{ CLASS_2D, 0x184, 0x184 },		/* DMA_DST */
	{ CLASS_3D, 0x184, 0x188 },		/* DMA_ZETA, DMA_QUERY */
	{ CLASS_3D, 0x190, 0x194 },		/* DMA_LOCAL, DMA_STACK */
	{ CLASS_3D, 0x1a8, 0x1ac },		/* DMA_STRMOUT, DMA_CLIPID */
	{ CLASS_3D, 0x1c0, 0x1dc },		/* DMA_COLOR */
	{ CLASS_COMPUTE, 0x1a0, 0x1a4 },	/* DMA_GLOBAL, DMA_QUERY */
	{ CLASS_COMPUTE, 0x1b8, 0x1bc },	/* DMA_LOCAL, DMA_STACK */
};

static void add(struct nvsim *s, struct sim_methods *m, u32 generation,
		const struct method_range *r, u32 count)
{
	u32 i, method;

	for (i = 0; i < count; i++) {
		if (!(r[i].generations >> generation & 1) || s->chip < r[i].from || s->chip >= r[i].end)
			continue;
		for (method = r[i].first; method <= r[i].last; method += 4)
			sim_method_set(m->known, method);
	}
}

static void add_limits(struct sim_methods *m)
{
	u32 i, k;

	for (i = 0; i < ARRAY_LEN(limits); i++) {
		if (limits[i].class != sim_first_class(m->class))
			continue;
		for (k = 0; k < limits[i].count; k++)
			sim_method_set(m->limited, limits[i].method + k * limits[i].stride);
	}
}

int sim_methods_create(struct nvsim *s)
{
	struct sim_methods *m;
	u32 i;

	s->methods = calloc(SIM_METHOD_CLASSES, sizeof(*s->methods));
	if (!s->methods)
		return -1;

	for (i = 0; i < SIM_METHOD_CLASSES; i++) {
		m = &s->methods[i];
		m->class = classes[i].class;
		add(s, m, classes[i].generation, classes[i].range, classes[i].count);
		if (classes[i].range != methods_of_null)
			add(s, m, 0, methods_of_all, ARRAY_LEN(methods_of_all));
		add_limits(m);
		sim_no_effect_mark(m);
		sim_values_mark(m);
	}
	return 0;
}

/* The methods of a class that the chip has, see sim_class_ok() */
const struct sim_methods *sim_methods_of(const struct nvsim *s, u32 class)
{
	u32 i;

	for (i = 0; i < SIM_METHOD_CLASSES; i++)
		if (s->methods[i].class == class)
			return &s->methods[i];
	return NULL;
}

static bool is_within(const struct limit *l, u32 method, u32 data)
{
	u32 at = method - l->method;
	u32 value = data >> l->low & (u32)((2ull << (l->high - l->low)) - 1);

	if (method < l->method || at % l->stride || at / l->stride >= l->count)
		return true;
	return value >= l->min && value <= l->max && value % l->align == 0;
}

enum sim_gr_error sim_method_check(const struct sim_methods *m, u32 method, u32 data)
{
	u32 i;

	for (i = 0; i < ARRAY_LEN(limits); i++)
		if (limits[i].class == sim_first_class(m->class) && !is_within(&limits[i], method, data))
			return limits[i].error;
	return GR_OK;
}

static bool is_dma_object(u32 class)
{
	return class == 0x0002 || class == 0x0003 || class == 0x003d;
}

static bool is_written(u32 class, u32 method)
{
	u32 i;

	if (method == 0x180)
		return true;
	for (i = 0; i < ARRAY_LEN(written); i++)
		if (written[i].class == sim_first_class(class) && method >= written[i].first &&
		    method <= written[i].last)
			return true;
	return false;
}

/* Check the object of an object method by its word 0. Class 0002 is for reading only. */
enum sim_gr_error sim_method_check_object(u32 class, u32 method, u32 word)
{
	u32 i, wanted = 2, object = word & 0xffff, at = (method - 0x184) / 4;

	for (i = 0; method >= 0x184 && i < ARRAY_LEN(objects); i++)
		if (objects[i].class == class && at < ARRAY_LEN(objects[i].object))
			wanted = objects[i].object[at];
	if (wanted != 2)
		return object == wanted ? GR_OK : GR_INVALID_OBJECT;
	if (!is_dma_object(object))
		return GR_INVALID_OBJECT;
	if (word & SUPERVISOR)
		return GR_SUPERVISOR_OBJECT;
	return object == 0x0002 && is_written(class, method) ? GR_READ_ONLY_OBJECT : GR_OK;
}
