// SPDX-License-Identifier: MIT
/*
 * The rest of a board: the VBIOS, and with --whole-card the units that nvfifo leaves alone.
 *
 * Drivers that set up a whole card, such as nouveau, need these units to exist. They are plain
 * memory: each word keeps its last value. PDAEMON alone does more, because drivers wait for its
 * microcode: it announces its message rings and empties the one from the host.
 *
 * The VBIOS has headers, but no outputs and no scripts.
 */
#include <stdlib.h>

#include "core.h"
#include "board.h"
#include "store.h"

struct sim_board {
	u8 *rom;
	u8 *plain[NV_BAR0_SIZE >> 12];	/* pages of units that are plain memory */
};

#define PROM		0x300000u
#define PROM_END	0x400000u
#define ROM_SIZE	0x2000u


/*
 * PDAEMON: start, ring from the host (size and place, PUT, GET), ring to the host. The place of
 * the rings in its data is a convention of the microcode that drivers upload.
 */
#define FALCON_CPUCTL	0x10a100u
#define FALCON_START	(1u << 1)
#define RING_IN_PUT	0x10a4a0u
#define RING_IN_GET	0x10a4b0u
#define RING_IN		0x10a4d0u
#define RING_OUT	0x10a4dcu
#define RING_SIZE	0x80u
#define RING_AT		0x0c00u

/* Offsets in the ROM */
#define ROM_PCIR	0x0040
#define ROM_BIT		0x0080
#define ROM_BIT_i	0x0100
#define ROM_BIT_I	0x0120
#define ROM_SCRIPTS	0x0140
#define ROM_DCB		0x0160

struct unit {
	const char *name;
	u32 first, end;
	u32 enable;		/* bit of PMC.ENABLE plus 1, or 0 */
	u32 chips;		/* bit n: enum nv_chip n */
};

#define CHIPS(first, end)	((1u << NV_CHIP_##end) - (1u << NV_CHIP_##first))
#define ALL_CHIPS		CHIPS(G80, END)
#define VP2_CHIPS		(CHIPS(G84, G98) | CHIPS(G200, MCP77))
#define VP34_CHIPS		(CHIPS(G98, G200) | CHIPS(MCP77, END))

static const struct unit units[] = {
	{ "PCLOCK", 0x004000, 0x005000, 0, ALL_CHIPS },
	{ "PRMA", 0x007000, 0x008000, 0, ALL_CHIPS },
	{ "PTIMER", 0x009000, 0x00a000, 0, ALL_CHIPS },
	{ "PCOUNTER", 0x00a000, 0x00b000, 0, ALL_CHIPS },
	{ "PVPE", 0x00b000, 0x00c000, 1 + 1, CHIPS(G80, G84) | VP2_CHIPS },
	{ "PCONTROL", 0x00c000, 0x00d000, 0, ALL_CHIPS },
	{ "PNVIO", 0x00e000, 0x00f000, 0, ALL_CHIPS },
	{ "PVP", 0x00f000, 0x010000, 17 + 1, CHIPS(G80, G84) | VP2_CHIPS },
	{ "PBUS", 0x001000, 0x002000, 0, ALL_CHIPS },
	{ "PTHERM", 0x020000, 0x021000, 0, ALL_CHIPS },
	{ "PFUSE", 0x021000, 0x022000, 0, ALL_CHIPS },
	{ "PUNK022", 0x022000, 0x023000, 0, CHIPS(GT215, END) },
	{ "PHWSQ", 0x080000, 0x084000, 0, CHIPS(G92, END) },
	{ "PVLD", 0x084000, 0x085000, 15 + 1, VP34_CHIPS },
	{ "PPDEC", 0x085000, 0x086000, 17 + 1, VP34_CHIPS },
	{ "PPPP", 0x086000, 0x087000, 1 + 1, VP34_CHIPS },
	{ "PSEC", 0x087000, 0x088000, 14 + 1, CHIPS(G98, G200) | CHIPS(MCP77, GT215) },
	{ "PPCI_HDA", 0x08a000, 0x08b000, 0, CHIPS(GT215, END) },
	{ "PFB", 0x100000, 0x101000, 20 + 1, ALL_CHIPS },
	{ "PSTRAPS", 0x101000, 0x102000, 0, ALL_CHIPS },
	{ "PCIPHER", 0x102000, 0x103000, 14 + 1, VP2_CHIPS },
	{ "PBSP", 0x103000, 0x104000, 15 + 1, VP2_CHIPS },
	{ "PCOPY", 0x104000, 0x105000, 13 + 1, CHIPS(GT215, END) },
	{ "PDAEMON", 0x10a000, 0x10b000, 0, CHIPS(GT215, END) },
	{ "PFB", 0x110000, 0x112000, 20 + 1, ALL_CHIPS },
	{ "PVCOMP", 0x1c1000, 0x1c2000, 14 + 1, CHIPS(MCP89, END) },
	{ "PMEDIA", 0x200000, 0x201000, 4 + 1, ALL_CHIPS },
	{ "PRMIO", 0x601000, 0x602000, 0, ALL_CHIPS },
	{ "PDISPLAY", 0x610000, 0x700000, 30 + 1, ALL_CHIPS },
};

/* --- VBIOS --- */

static void put_le16(u8 *p, u32 v)
{
	p[0] = v;
	p[1] = v >> 8;
}

static void bit_entry(u8 *p, char id, u32 version, u32 length, u32 at)
{
	p[0] = id;
	p[1] = version;
	put_le16(p + 2, length);
	put_le16(p + 4, at);
}

/* Expansion ROM with a PCI data structure, the vendor's table of tables, and a device table */
static void make_vbios(struct nvsim *s)
{
	u8 *rom = s->board->rom, sum = 0;
	u32 i;

	memset(rom, 0, ROM_SIZE);
	put_le16(rom, 0xaa55);
	rom[2] = ROM_SIZE / 512;
	rom[3] = 0xcb;		/* return */
	put_le16(rom + 0x18, ROM_PCIR);
	put_le16(rom + 0x36, ROM_DCB);

	put_le32(rom + ROM_PCIR, 0x52494350);	/* "PCIR" */
	put_le16(rom + ROM_PCIR + 4, 0x10de);
	put_le16(rom + ROM_PCIR + 6, s->info->pci_device);
	put_le16(rom + ROM_PCIR + 10, 0x18);
	rom[ROM_PCIR + 15] = 0x03;
	put_le16(rom + ROM_PCIR + 16, ROM_SIZE / 512);
	rom[ROM_PCIR + 21] = 0x80;	/* the last image */

	memcpy(rom + ROM_BIT, "\xff\xb8" "BIT", 6);
	put_le16(rom + ROM_BIT + 6, 0x0100);
	rom[ROM_BIT + 8] = 12;
	rom[ROM_BIT + 9] = 6;
	rom[ROM_BIT + 10] = 2;
	bit_entry(rom + ROM_BIT + 12, 'i', 2, 16, ROM_BIT_i);
	bit_entry(rom + ROM_BIT + 18, 'I', 1, 14, ROM_BIT_I);

	for (i = 0; i < 12; i++)
		sum += rom[ROM_BIT + i];

	rom[ROM_BIT + 11] = -sum;

	/* version 60.<chipset>, which no vendor uses */
	rom[ROM_BIT_i + 2] = s->info->id;
	rom[ROM_BIT_i + 3] = 0x60;
	put_le16(rom + ROM_BIT_I, ROM_SCRIPTS);

	rom[ROM_DCB] = 0x40;
	rom[ROM_DCB + 1] = 0x1b;
	rom[ROM_DCB + 3] = 8;
	put_le32(rom + ROM_DCB + 6, 0x4edcbdcb);

	for (i = 0, sum = 0; i < ROM_SIZE; i++)
		sum += rom[i];

	rom[ROM_SIZE - 1] = -sum;
}

/* --- units --- */

int sim_board_create(struct nvsim *s)
{
	s->board = calloc(1, sizeof(*s->board));
	if (!s->board)
		return -1;

	s->board->rom = malloc(ROM_SIZE);
	if (!s->board->rom)
		return -1;
	make_vbios(s);
	return 0;
}

void sim_board_destroy(struct nvsim *s)
{
	size_t i;

	if (!s->board)
		return;

	free(s->board->rom);
	for (i = 0; i < ARRAY_LEN(s->board->plain); i++)
		free(s->board->plain[i]);
	free(s->board);
}

/* Clear the units: power was off. */
void sim_board_clear(struct nvsim *s)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(s->board->plain); i++)
		if (s->board->plain[i])
			memset(s->board->plain[i], 0, 0x1000);
}

static const struct unit *find(int chip, u32 off)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(units); i++)
		if (off >= units[i].first && off < units[i].end && units[i].chips >> chip & 1)
			return &units[i];
	return NULL;
}

/*
 * Get the name and first byte of the unit, or the VBIOS, at @off on a chip; NULL if there is none.
 */
const char *sim_board_name(int chip, u32 off, u32 *first)
{
	const struct unit *u = find(chip, off);

	*first = u ? u->first : PROM;
	if (u)
		return u->name;
	return off >= PROM && off < PROM_END ? "PROM" : NULL;
}

/* Whether a unit of the board, or the VBIOS, answers at @off */
bool sim_board_owns(struct nvsim *s, u32 off)
{
	const struct unit *u;

	if (off >= PROM && off < PROM_END)
		return true;
	if (!s->cfg.whole_card)
		return false;

	u = find(s->chip, off);
	return u && (!u->enable || *sim_reg(s, NV_PMC_ENABLE) >> (u->enable - 1) & 1);
}

static u8 *plain(struct nvsim *s, u32 off)
{
	u8 **page = &s->board->plain[off >> 12];

	if (!*page)
		*page = calloc(1, 0x1000);
	return *page ? *page + (off & 0xfff) : NULL;
}

static void set_word(struct nvsim *s, u32 off, u32 val)
{
	u8 *p = plain(s, off);

	if (p)
		put_le32(p, val);
}

u32 sim_board_read(struct nvsim *s, u32 off, unsigned int size)
{
	u32 v = 0, i;
	u8 *p;

	if (off >= PROM && off < PROM_END) {
		for (i = 0; i < size; i++)
			v |= (u32)(off - PROM + i < ROM_SIZE ? s->board->rom[off - PROM + i] : 0xff) << 8 * i;
		return v;
	}

	p = plain(s, off);

	for (i = 0; p && i < size; i++)
		v |= (u32)p[i] << 8 * i;

	return v;
}

void sim_board_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	u32 i;
	u8 *p;

	if (off >= PROM && off < PROM_END)
		return;

	p = plain(s, off);

	for (i = 0; p && i < size; i++)
		p[i] = val >> 8 * i;

	if (off == FALCON_CPUCTL && (val & FALCON_START)) {
		set_word(s, RING_IN, RING_SIZE << 16 | RING_AT);
		set_word(s, RING_OUT, RING_SIZE << 16 | (RING_AT + RING_SIZE));
	} else if (off == RING_IN_PUT) {
		set_word(s, RING_IN_GET, val);
	}
}
