// SPDX-License-Identifier: MIT
/* Classes of objects: their names, and which chips have them, as the driver accepts them. */
#include <stdio.h>
#include <string.h>

#include "nvfifo_near.h"
#include "nvfifo_priv.h"

/* Places in the order of the hardware documents, which their ranges use. */
enum place {
	G80, G84, G86, G92, G94, G96, G98, G200, MCP77, MCP79, GT215, GT216, GT218, MCP89, PLACES,
};

static const __u32 chipsets[PLACES] = {
	[G80] = 0x50,	[G84] = 0x84,	[G86] = 0x86,	[G92] = 0x92,	[G94] = 0x94,
	[G96] = 0x96,	[G98] = 0x98,	[G200] = 0xa0,	[MCP77] = 0xaa, [MCP79] = 0xac,
	[GT215] = 0xa3, [GT216] = 0xa5, [GT218] = 0xa8, [MCP89] = 0xaf,
};

#define CHIPS(first, last) (((2u << (last)) - 1) & ~((1u << (first)) - 1))
#define ONLY(place) CHIPS(place, place)
#define ALL CHIPS(G80, MCP89)
#define VP2 (CHIPS(G84, G96) | ONLY(G200))
#define VP3 (ONLY(G98) | CHIPS(MCP77, MCP79))
#define VP4 CHIPS(GT215, MCP89)

/* Sorted by number. lib/tests/lib_lint.c compares the chips with the driver's table. */
static const struct row {
	__u16 oclass;
	__u16 chips;
	const char *name;
} rows[] = {
	{ 0x0002, ALL, "DMA_READ" },
	{ 0x0003, ALL, "DMA_WRITE" },
	{ 0x0012, ONLY(G80), "BETA" },
	{ 0x0019, ONLY(G80), "CLIP" },
	{ 0x0030, ALL, "NULL" },
	{ 0x003d, ALL, "DMA_RW" },
	{ 0x0043, ONLY(G80), "ROP" },
	{ 0x0044, ONLY(G80), "PATTERN" },
	{ 0x004a, ONLY(G80), "GDI_NV4" },
	{ 0x0057, ONLY(G80), "CHROMA_NV4" },
	{ 0x005d, ONLY(G80), "TRI_NV4" },
	{ 0x005f, ONLY(G80), "BLIT_NV4" },
	{ 0x0072, ONLY(G80), "BETA4" },
	{ 0x305c, ONLY(G80), "LIN_NV30" },
	{ 0x3064, ONLY(G80), "IIFC_NV30" },
	{ 0x3066, ONLY(G80), "SIFC_NV30" },
	{ 0x307b, ONLY(G80), "TFC_NV30" },
	{ 0x308a, ONLY(G80), "IFC_NV30" },
	{ 0x3174, ONLY(G80), "MPEG_G80" },
	{ 0x4075, ONLY(G80), "ME" },
	{ 0x4176, ONLY(G80), "VP1" },
	{ 0x502d, ALL, "2D" },
	{ 0x5039, ALL, "M2MF" },
	{ 0x5062, ONLY(G80), "SURFACE_2D_G80" },
	{ 0x5089, ONLY(G80), "SIFM_G80" },
	{ 0x5097, CHIPS(G80, G98), "3D_G80" },
	{ 0x50c0, ALL, "COMPUTE" },
	{ 0x7476, VP2, "VP2" },
	{ 0x74b0, VP2, "BSP" },
	{ 0x74c1, VP2, "CIPHER" },
	{ 0x8274, VP2, "MPEG_G84" },
	{ 0x8297, CHIPS(G84, G98), "3D_G84" },
	{ 0x8397, CHIPS(G200, MCP79), "3D_G200" },
	{ 0x8597, CHIPS(GT215, GT218), "3D_GT215" },
	{ 0x85b1, CHIPS(GT215, GT218), "PVLD_GT215" },
	{ 0x85b2, VP4, "PPDEC_GT215" },
	{ 0x85b3, VP4, "PPPP_GT215" },
	{ 0x85b5, VP4, "PCOPY" },
	{ 0x85c0, VP4, "COMPUTE_GT215" },
	{ 0x8697, ONLY(MCP89), "3D_MCP89" },
	{ 0x86b1, ONLY(MCP89), "PVLD_MCP89" },
	{ 0x88b1, VP3, "PVLD_G98" },
	{ 0x88b2, VP3, "PPDEC_G98" },
	{ 0x88b3, VP3, "PPPP_G98" },
	{ 0x88b4, VP3, "PSEC" },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct row *find(__u32 oclass)
{
	size_t low = 0, high = ROWS;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (rows[mid].oclass == oclass)
			return &rows[mid];

		if (rows[mid].oclass < oclass)
			low = mid + 1;
		else
			high = mid;
	}

	return NULL;
}

const char *nvfifo_class_name(__u32 oclass)
{
	const struct row *r = find(oclass);

	/* No row: no engine has it, so that no chip lacks it. */
	if (oclass == NVFIFO_CLASS_SOFTWARE)
		return "SOFTWARE";

	return r ? r->name : NULL;
}

bool nvfifo_class_exists(__u32 chipset, __u32 oclass)
{
	const struct row *r = find(oclass);
	unsigned int place;

	if (!r)
		return false;

	for (place = 0; place < PLACES; place++) {
		if (chipsets[place] == chipset)
			return r->chips >> place & 1;
	}

	return chipset == 0;
}

__u32 nvfifo_class_next(__u32 oclass)
{
	size_t i;

	for (i = 0; i < ROWS; i++) {
		if (rows[i].oclass > oclass)
			return rows[i].oclass;
	}

	return 0;
}
