// SPDX-License-Identifier: MIT
/*
 * Names of classes and methods, after rnndb. Methods below 0x100 are PFIFO's
 * own and mean the same on every subchannel; the others belong to the class
 * that is bound to the subchannel, and carry its name in front: "M2MF.FORMAT".
 */
#include <string.h>
#include <strings.h>

#include "nvfifo_priv.h"

struct name {
	__u16 id;
	const char *name;
};

/* Sorted by number, as are the tables below. */
static const struct name classes[] = {
	{ 0x0002, "DMA_READ" },
	{ 0x0003, "DMA_WRITE" },
	{ 0x0030, "NULL" },
	{ 0x003d, "DMA_RW" },
	{ 0x3174, "MPEG_G80" },
	{ 0x4075, "ME" },
	{ 0x4176, "VP1" },
	{ 0x502d, "2D" },
	{ 0x5039, "M2MF" },
	{ 0x5097, "3D_G80" },
	{ 0x50c0, "COMPUTE" },
	{ 0x7476, "VP2" },
	{ 0x74b0, "BSP" },
	{ 0x74c1, "CIPHER" },
	{ 0x8274, "MPEG_G84" },
	{ 0x8297, "3D_G84" },
	{ 0x8397, "3D_G200" },
	{ 0x8597, "3D_GT215" },
	{ 0x85b1, "PVLD_GT215" },
	{ 0x85b2, "PPDEC_GT215" },
	{ 0x85b3, "PPPP_GT215" },
	{ 0x85b5, "PCOPY" },
	{ 0x85c0, "COMPUTE_GT215" },
	{ 0x8697, "3D_MCP89" },
	{ 0x86b1, "PVLD_MCP89" },
	{ 0x88b1, "PVLD_G98" },
	{ 0x88b2, "PPDEC_G98" },
	{ 0x88b3, "PPPP_G98" },
	{ 0x88b4, "PSEC" },
};

static const struct name pfifo[] = {
	{ NVFIFO_MTHD_OBJECT, "OBJECT" },
	{ NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, "SEMAPHORE_ADDRESS_HIGH" },
	{ NVFIFO_MTHD_SEMAPHORE_ADDRESS_LOW, "SEMAPHORE_ADDRESS_LOW" },
	{ NVFIFO_MTHD_SEMAPHORE_SEQUENCE, "SEMAPHORE_SEQUENCE" },
	{ NVFIFO_MTHD_SEMAPHORE_TRIGGER, "SEMAPHORE_TRIGGER" },
	{ NVFIFO_MTHD_NOTIFY_INTR, "NOTIFY_INTR" },
	{ NVFIFO_MTHD_WRCACHE_FLUSH, "WRCACHE_FLUSH" },
	{ NVFIFO_MTHD_UNK28, "UNK28" },
	{ NVFIFO_MTHD_UNK2C, "UNK2C" },
	{ NVFIFO_MTHD_REF_CNT, "REF_CNT" },
	{ NVFIFO_MTHD_DMA_SEMAPHORE, "DMA_SEMAPHORE" },
	{ NVFIFO_MTHD_SEMAPHORE_OFFSET, "SEMAPHORE_OFFSET" },
	{ NVFIFO_MTHD_SEMAPHORE_ACQUIRE, "SEMAPHORE_ACQUIRE" },
	{ NVFIFO_MTHD_SEMAPHORE_RELEASE, "SEMAPHORE_RELEASE" },
	{ NVFIFO_MTHD_YIELD, "YIELD" },
};

static const struct name m2mf[] = {
	{ 0x100, "M2MF.NOP" },
	{ 0x104, "M2MF.NOTIFY" },
	{ 0x110, "M2MF.SERIALIZE" },
	{ 0x180, "M2MF.DMA_NOTIFY" },
	{ 0x184, "M2MF.DMA_BUFFER_IN" },
	{ 0x188, "M2MF.DMA_BUFFER_OUT" },
	{ 0x200, "M2MF.LAYOUT_IN" },
	{ 0x204, "M2MF.BLOCKLINEAR_DIMENSIONS_IN" },
	{ 0x208, "M2MF.BLOCKLINEAR_PITCH_IN" },
	{ 0x20c, "M2MF.BLOCKLINEAR_HEIGHT_IN" },
	{ 0x210, "M2MF.BLOCKLINEAR_DEPTH_IN" },
	{ 0x214, "M2MF.BLOCKLINEAR_POSITION_IN_Z" },
	{ 0x218, "M2MF.BLOCKLINEAR_POSITION_IN" },
	{ 0x21c, "M2MF.LAYOUT_OUT" },
	{ 0x220, "M2MF.BLOCKLINEAR_DIMENSIONS_OUT" },
	{ 0x224, "M2MF.BLOCKLINEAR_PITCH_OUT" },
	{ 0x228, "M2MF.BLOCKLINEAR_HEIGHT_OUT" },
	{ 0x22c, "M2MF.BLOCKLINEAR_DEPTH_OUT" },
	{ 0x230, "M2MF.BLOCKLINEAR_POSITION_OUT_Z" },
	{ 0x234, "M2MF.BLOCKLINEAR_POSITION_OUT" },
	{ 0x238, "M2MF.OFFSET_IN_HIGH" },
	{ 0x23c, "M2MF.OFFSET_OUT_HIGH" },
	{ 0x30c, "M2MF.OFFSET_IN" },
	{ 0x310, "M2MF.OFFSET_OUT" },
	{ 0x314, "M2MF.PITCH_IN" },
	{ 0x318, "M2MF.PITCH_OUT" },
	{ 0x31c, "M2MF.LINE_LENGTH_IN" },
	{ 0x320, "M2MF.LINE_COUNT" },
	{ 0x324, "M2MF.FORMAT" },
	{ 0x328, "M2MF.BUF_NOTIFY" },
};

static const struct name twod[] = {
	{ 0x100, "2D.NOP" },
	{ 0x104, "2D.NOTIFY" },
	{ 0x110, "2D.SERIALIZE" },
	{ 0x180, "2D.DMA_NOTIFY" },
	{ 0x184, "2D.DMA_DST" },
	{ 0x188, "2D.DMA_SRC" },
	{ 0x18c, "2D.DMA_COND" },
	{ 0x200, "2D.DST_FORMAT" },
	{ 0x204, "2D.DST_LINEAR" },
	{ 0x208, "2D.DST_BLOCK_DIMENSIONS" },
	{ 0x20c, "2D.DST_DEPTH" },
	{ 0x210, "2D.DST_LAYER" },
	{ 0x214, "2D.DST_PITCH" },
	{ 0x218, "2D.DST_WIDTH" },
	{ 0x21c, "2D.DST_HEIGHT" },
	{ 0x220, "2D.DST_ADDRESS_HIGH" },
	{ 0x224, "2D.DST_ADDRESS_LOW" },
	{ 0x230, "2D.SRC_FORMAT" },
	{ 0x234, "2D.SRC_LINEAR" },
	{ 0x238, "2D.SRC_BLOCK_DIMENSIONS" },
	{ 0x23c, "2D.SRC_DEPTH" },
	{ 0x240, "2D.SRC_LAYER" },
	{ 0x244, "2D.SRC_PITCH" },
	{ 0x248, "2D.SRC_WIDTH" },
	{ 0x24c, "2D.SRC_HEIGHT" },
	{ 0x250, "2D.SRC_ADDRESS_HIGH" },
	{ 0x254, "2D.SRC_ADDRESS_LOW" },
	{ 0x26c, "2D.COND_MODE" },
	{ 0x280, "2D.CLIP_X" },
	{ 0x284, "2D.CLIP_Y" },
	{ 0x288, "2D.CLIP_W" },
	{ 0x28c, "2D.CLIP_H" },
	{ 0x290, "2D.CLIP_ENABLE" },
	{ 0x29c, "2D.COLOR_KEY_ENABLE" },
	{ 0x2a0, "2D.ROP" },
	{ 0x2ac, "2D.OPERATION" },
	{ 0x2e8, "2D.PATTERN_COLOR_FORMAT" },
	{ 0x580, "2D.DRAW_SHAPE" },
	{ 0x584, "2D.DRAW_COLOR_FORMAT" },
	{ 0x588, "2D.DRAW_COLOR" },
	{ 0x5e0, "2D.DRAW_POINT16" },
	{ 0x600, "2D.DRAW_POINT32_X0" },
	{ 0x604, "2D.DRAW_POINT32_Y0" },
	{ 0x608, "2D.DRAW_POINT32_X1" },
	{ 0x60c, "2D.DRAW_POINT32_Y1" },
	{ 0x800, "2D.SIFC_BITMAP_ENABLE" },
	{ 0x804, "2D.SIFC_FORMAT" },
	{ 0x838, "2D.SIFC_WIDTH" },
	{ 0x83c, "2D.SIFC_HEIGHT" },
	{ 0x840, "2D.SIFC_DX_DU_FRACT" },
	{ 0x844, "2D.SIFC_DX_DU_INT" },
	{ 0x848, "2D.SIFC_DY_DV_FRACT" },
	{ 0x84c, "2D.SIFC_DY_DV_INT" },
	{ 0x850, "2D.SIFC_DST_X_FRACT" },
	{ 0x854, "2D.SIFC_DST_X_INT" },
	{ 0x858, "2D.SIFC_DST_Y_FRACT" },
	{ 0x85c, "2D.SIFC_DST_Y_INT" },
	{ 0x860, "2D.SIFC_DATA" },
	{ 0x888, "2D.SET_PIXELS_FROM_MEMORY_SAFE_OVERLAP" },
	{ 0x88c, "2D.BLIT_CONTROL" },
	{ 0x8b0, "2D.BLIT_DST_X" },
	{ 0x8b4, "2D.BLIT_DST_Y" },
	{ 0x8b8, "2D.BLIT_DST_W" },
	{ 0x8bc, "2D.BLIT_DST_H" },
	{ 0x8c0, "2D.BLIT_DU_DX_FRACT" },
	{ 0x8c4, "2D.BLIT_DU_DX_INT" },
	{ 0x8c8, "2D.BLIT_DV_DY_FRACT" },
	{ 0x8cc, "2D.BLIT_DV_DY_INT" },
	{ 0x8d0, "2D.BLIT_SRC_X_FRACT" },
	{ 0x8d4, "2D.BLIT_SRC_X_INT" },
	{ 0x8d8, "2D.BLIT_SRC_Y_FRACT" },
	{ 0x8dc, "2D.BLIT_SRC_Y_INT" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const struct name *list;
	size_t count;
} tables[] = {
	{ pfifo, COUNT(pfifo) },
	{ m2mf, COUNT(m2mf) },
	{ twod, COUNT(twod) },
};

static const char *find(const struct name *list, size_t count, __u32 id)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (list[mid].id == id)
			return list[mid].name;
		if (list[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

const char *nvfifo_class_name(__u32 oclass)
{
	return find(classes, COUNT(classes), oclass);
}

const char *nvfifo_method_name(__u32 oclass, __u32 method)
{
	if (method < 0x100)
		return find(pfifo, COUNT(pfifo), method);
	switch (oclass) {
	case 0x5039:
		return find(m2mf, COUNT(m2mf), method);
	case 0x502d:
		return find(twod, COUNT(twod), method);
	}
	return NULL;
}

int nvfifo_method_by_name(const char *name, size_t len)
{
	size_t t, i;

	for (t = 0; t < COUNT(tables); t++) {
		for (i = 0; i < tables[t].count; i++) {
			const char *n = tables[t].list[i].name;

			if (strlen(n) == len && !strncasecmp(n, name, len))
				return tables[t].list[i].id;
		}
	}
	return -1;
}
