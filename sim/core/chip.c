// SPDX-License-Identifier: MIT
/*
 * The 14 chips: their ids and engines, the classes that an engine accepts, and the place of an
 * engine's context in the channel structure.
 */
#include "core.h"
#include "chip.h"

#define PGRAPH	1
#define PCIPHER	5

/*
 * PFIFO engine ids: 1 PGRAPH, 2 PMPEG or PPPP, 3 PME or PCOPY, 4 PVP, 5 PCIPHER
 * and its successors, 6 PBSP or PVLD. VM engines likewise by chip.
 */
#define ENG_G80		0x1f	/* no crypt engine, no bitstream engine */
#define ENG_VP		0x77	/* no engine 3 */
#define ENG_VP4		0x5f	/* PCOPY, no engine 5 */
#define ENG_MCP89	0x7f

#define VM_COMMON	0x0173	/* 0 1 4 5 6 8 */
#define VM_G80		(VM_COMMON | 0x0080)
#define VM_VP		(VM_COMMON | 0x1e00)
#define VM_VP4		(VM_COMMON | 0x7a00)
#define VM_MCP89	(VM_COMMON | 0x7a80)

const struct sim_chip sim_chips[NV_CHIP_END] = {
	[NV_CHIP_G80] = { "g80", 0x50, 0x0191, 0x033f00ff, ENG_G80, VM_G80, false },
	[NV_CHIP_G84] = { "g84", 0x84, 0x0400, 0x03030003, ENG_VP, VM_VP, false },
	[NV_CHIP_G86] = { "g86", 0x86, 0x0421, 0x03030001, ENG_VP, VM_VP, false },
	[NV_CHIP_G92] = { "g92", 0x92, 0x0611, 0x030f00ff, ENG_VP, VM_VP, false },
	[NV_CHIP_G94] = { "g94", 0x94, 0x0622, 0x030f000f, ENG_VP, VM_VP, false },
	[NV_CHIP_G96] = { "g96", 0x96, 0x0640, 0x03030003, ENG_VP, VM_VP, false },
	[NV_CHIP_G98] = { "g98", 0x98, 0x06e4, 0x01010001, ENG_VP, VM_VP, false },
	[NV_CHIP_G200] = { "g200", 0xa0, 0x05e1, 0x07ff03ff, ENG_VP, VM_VP, false },
	[NV_CHIP_MCP77] = { "mcp77", 0xaa, 0x0848, 0x01010001, ENG_VP, VM_VP, true },
	[NV_CHIP_MCP79] = { "mcp79", 0xac, 0x0870, 0x03010001, ENG_VP, VM_VP, true },
	[NV_CHIP_GT215] = { "gt215", 0xa3, 0x0ca3, 0x0703000f, ENG_VP4, VM_VP4, false },
	[NV_CHIP_GT216] = { "gt216", 0xa5, 0x0a20, 0x07030003, ENG_VP4, VM_VP4, false },
	[NV_CHIP_GT218] = { "gt218", 0xa8, 0x0a65, 0x03010001, ENG_VP4, VM_VP4, false },
	[NV_CHIP_MCP89] = { "mcp89", 0xaf, 0x08a0, 0x07030003, ENG_MCP89, VM_MCP89, true },
};

const char *const nvsim_chipset_names[] = {
	"g80",	"g84",	 "g86",	  "g92",   "g94",   "g96",   "g98", "g200",
	"mcp77", "mcp79", "gt215", "gt216", "gt218", "mcp89", NULL,
};

const char *nvsim_chipset_of(uint32_t boot0)
{
	u32 chip;

	for (chip = 0; chip < NV_CHIP_END; chip++)
		if (sim_chips[chip].name && sim_chips[chip].id == (boot0 >> 20 & 0x1ff))
			return sim_chips[chip].name;
	return NULL;
}

struct class_row {
	u16 class;
	u8 first, end;		/* enum nv_chip, half open */
	u8 engine;
};

#define ROW(class, first, end, engine)	{ class, NV_CHIP_##first, NV_CHIP_##end, engine }

/* Only PGRAPH and PCIPHER check the class; those of other engines are drivers' conventions. */
static const struct class_row classes[] = {
	ROW(0x0012, G80, G84, 1), ROW(0x0019, G80, G84, 1), ROW(0x0030, G80, END, 1),
	ROW(0x0043, G80, G84, 1), ROW(0x0044, G80, G84, 1), ROW(0x004a, G80, G84, 1),
	ROW(0x0057, G80, G84, 1), ROW(0x005d, G80, G84, 1), ROW(0x005f, G80, G84, 1),
	ROW(0x0072, G80, G84, 1), ROW(0x305c, G80, G84, 1), ROW(0x3064, G80, G84, 1),
	ROW(0x3066, G80, G84, 1), ROW(0x307b, G80, G84, 1), ROW(0x308a, G80, G84, 1),
	ROW(0x5062, G80, G84, 1), ROW(0x5089, G80, G84, 1),
	ROW(0x502d, G80, END, 1), ROW(0x5039, G80, END, 1), ROW(0x50c0, G80, END, 1),
	ROW(0x5097, G80, G200, 1), ROW(0x8297, G84, G200, 1), ROW(0x8397, G200, GT215, 1),
	ROW(0x8597, GT215, MCP89, 1), ROW(0x8697, MCP89, END, 1), ROW(0x85c0, GT215, END, 1),
	ROW(0x74c1, G84, G98, 5), ROW(0x74c1, G200, MCP77, 5),
};

/* PCIPHER is engine 5 of the chips with VP2; its successors run microcode. */
static bool is_pcipher(const struct nvsim *s, u32 engine)
{
	return engine == PCIPHER && ((s->chip >= NV_CHIP_G84 && s->chip < NV_CHIP_G98) ||
				     s->chip == NV_CHIP_G200);
}

bool sim_class_ok(const struct nvsim *s, u32 engine, u32 class)
{
	size_t i;

	if (engine != PGRAPH && !is_pcipher(s, engine))
		return true;
	for (i = 0; i < ARRAY_LEN(classes); i++)
		if (classes[i].class == class && classes[i].engine == engine &&
		    s->chip >= classes[i].first && s->chip < classes[i].end)
			return true;
	return false;
}

/* Offset of an engine's context DMA object in the channel structure */
static u32 context_offset(const struct nvsim *s, u32 engine)
{
	static const u16 g80[SIM_ENGINES] = { 0, 0x200, 0x260, 0x240, 0x220 };
	static const u16 g84[SIM_ENGINES] = { 0, 0x20, 0x60, 0xc0, 0x40, 0xa0, 0x80 };

	return sim_is_g80(s) ? g80[engine] : g84[engine];
}

/* Whether an instance is the place of an engine's context DMA object */
bool sim_is_engine_ctx(const struct nvsim *s, u16 inst)
{
	u32 i;

	for (i = 1; i < SIM_ENGINES; i++)
		if (context_offset(s, i) >> 4 == inst)
			return true;
	return false;
}

u16 sim_engine_ctx(const struct nvsim *s, u32 engine)
{
	return context_offset(s, engine) >> 4;
}
