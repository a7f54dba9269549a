/* SPDX-License-Identifier: MIT */
/* Channels with objects of PGRAPH's classes and memory that they see, for its tests */
#ifndef SIM_TESTS_RIG_PGRAPH_H
#define SIM_TESTS_RIG_PGRAPH_H

#include "rig_gr.h"

#define H_VM		0x00000001u
#define H_RO		0x00000002u
#define H_SUPER		0x00000006u
#define H_NULL		0x00000003u
#define H_BAD		0x00000004u

/* 4 MiB of VRAM that channels 1 and 2 see at the same place */
#define VA_MEM		0x00400000u
#define VRAM_MEM	0x02000000u
#define MEM_SIZE	0x00400000u
#define VA_HOLE		0x00900000u
/* Bits 39:32; a part of the memory is here, another page is at VA_HOLE. */
#define VA_HIGH		0x11
#define PT_HIGH		4

#define VA_NOTIFY	VA_SEM
#define RAM_NOTIFY	RAM_SEM

#define SUBC_2D		3
#define SUBC_M2MF	5
#define SUBC_3D		6

#define INTR_NOTIFY	0x00000001u
#define INTR_QUERY	0x00000002u
#define INTR_DOUBLE	0x00000040u
#define INTR_BUFFER	0x00010000u
#define INTR_DATA	0x00100000u
#define INTR_TRAP	0x00200000u

static inline void object(struct rig *r, unsigned int n, uint32_t handle, uint32_t engine, uint32_t at)
{
	ramht_insert(r, n, hash9(handle), handle, engine << 20 | at >> 4);
}

static inline void gr_channel(struct rig *r, unsigned int n)
{
	uint32_t i;

	channel_create(r, n, true);
	gr_context(r, n);
	object(r, n, H_VM, 1, CHAN_DMAOBJ);
	put_dmaobj(r, CHAN_BASE(n) + CHAN_DMAOBJ + 0x40, 0x7fc00002, 0, 0xffffffffff);
	object(r, n, H_RO, 1, CHAN_DMAOBJ + 0x40);
	put_dmaobj(r, CHAN_BASE(n) + CHAN_DMAOBJ + 0xa0, 0xffc0003d, 0, 0xffffffffff);
	object(r, n, H_SUPER, 1, CHAN_DMAOBJ + 0xa0);
	vwr(r, CHAN_BASE(n) + CHAN_DMAOBJ + 0x60, 0x30);
	object(r, n, H_NULL, 1, CHAN_DMAOBJ + 0x60);
	vwr(r, CHAN_BASE(n) + CHAN_DMAOBJ + 0x80, 0x5039);
	object(r, n, H_BAD, 1, CHAN_DMAOBJ + 0x80);
	graph_object(r, n, 1, 0x9000, 0x502d);
	graph_object(r, n, 1, 0x9010, 0x5039);
	graph_object(r, n, 1, 0x9020, class_3d(r));
	graph_object(r, n, 1, 0x9030, 0x50c0);
	for (i = 0; i < MEM_SIZE; i += 0x1000)
		map_vram(r, n, VA_MEM + i, VRAM_MEM + i);
	vwr(r, CHAN_BASE(n) + pd_offset(r) + (VA_HIGH << 3) * 8, PT_BASE(PT_HIGH) | 0x63);
	for (i = 0x80000; i < 0x84000; i += 0x1000)
		map_vram(r, PT_HIGH, VA_MEM + i, VRAM_MEM + i);
	map_vram(r, PT_HIGH, VA_HOLE, VRAM_MEM);
	/* short slices */
	vwr(r, ramfc(r, n) + 0x44, 0x01000001);
	bar_flush(r);
}

static inline void bind_objects(struct rig *r, unsigned int n)
{
	submit(r, n, M(SUBC_2D, 0, 1), 0x502d, M(SUBC_M2MF, 0, 1), 0x5039, M(SUBC_3D, 0, 1),
	       class_3d(r), M(SUBC_M2MF, 0x180, 3), H_SEM, H_VM, H_VM, M(SUBC_2D, 0x180, 3), H_SEM,
	       H_VM, H_VM, M(SUBC_3D, 0x180, 1), H_SEM, M(SUBC_3D, 0x188, 1), H_VM);
}

static inline struct rig *ready(const char *chip)
{
	struct rig *r = rig_create(chip);

	rig_init_pfifo(r);
	gr_init(r);
	gr_channel(r, 1);
	gr_channel(r, 2);
	playlist(r, 2, 1, 2);
	bind_objects(r, 1);
	bind_objects(r, 2);
	run(r);
	return r;
}

static inline uint32_t ref(struct rig *r, unsigned int n)
{
	return rd(r, user(n, NV_USER_REF));
}

/* Zeros up to @end */
static inline void fill_memory_below(struct rig *r, uint32_t end)
{
	static const uint8_t zeros[4096];
	uint32_t i;

	for (i = 0; i < end; i += sizeof(zeros))
		nvsim_vram_write(r->sim, VRAM_MEM + i, zeros, sizeof(zeros));
}

static inline uint8_t byte(struct rig *r, uint32_t off)
{
	uint8_t b = 0;

	nvsim_vram_read(r->sim, VRAM_MEM + off, &b, 1);
	return b;
}

static inline void set_byte(struct rig *r, uint32_t off, uint8_t b)
{
	nvsim_vram_write(r->sim, VRAM_MEM + off, &b, 1);
}

static inline void fill_memory(struct rig *r, uint8_t b)
{
	static uint8_t page[0x10000];
	uint32_t i;

	memset(page, b, sizeof(page));
	for (i = 0; i < MEM_SIZE; i += sizeof(page))
		nvsim_vram_write(r->sim, VRAM_MEM + i, page, sizeof(page));
}

/* After an error: everything acknowledged and on again */
static inline void recover(struct rig *r)
{
	wr(r, NV_PGRAPH_SUBUNIT_RESET, 2);
	wr(r, NV_PGRAPH_SUBUNIT_RESET, 0);
	wr(r, NV_PGRAPH_DISPATCH_TRAP, 0xc0000000);
	wr(r, NV_PGRAPH_M2MF_TRAP, 0xc0000000);
	wr(r, r->gt215 ? 0x408600 : 0x408900, 0xc0000000);
	wr(r, r->gt215 ? 0x408708 : 0x408e08, 0xc0000000);
	wr(r, NV_PGRAPH_TRAP, ~0u);
	wr(r, NV_PGRAPH_INTR, ~0u);
	wr(r, NV_PGRAPH_CONTROL, 0x10001);
	wr(r, NV_PFB_VM_FAULT, 1u << 31);
	run(r);
}

/* The document's rule in words: blocks by x, y, z; in them gobs by x, y, z; in these lines */
static inline uint32_t tiled(uint32_t bw, uint32_t bh, uint32_t bd, uint32_t w, uint32_t h, uint32_t x,
		      uint32_t y, uint32_t z)
{
	uint32_t block_w = 64 << bw, block_h = 4 << bh, block_d = 1 << bd;
	uint32_t across = (w + block_w - 1) / block_w, down = (h + block_h - 1) / block_h;
	uint32_t block = x / block_w + across * (y / block_h) + across * down * (z / block_d);
	uint32_t in_x = x % block_w, in_y = y % block_h, in_z = z % block_d;
	uint32_t gob = in_x / 64 + (block_w / 64) * (in_y / 4) +
		       (block_w / 64) * (block_h / 4) * in_z;

	return block * (block_w * block_h * block_d) + gob * 256 + in_y % 4 * 64 + in_x % 64;
}

/* --- surfaces of W2D x H2D pixels --- */

#define W2D	100u
#define H2D	60u

static inline uint32_t pixel32(struct rig *r, uint32_t off, uint32_t pitch, uint32_t x, uint32_t y)
{
	return peek(r, VRAM_MEM + off + y * pitch + x * 4);
}

/* Whether exactly this rectangle of a 32-bit surface has a colour; all else is 0 */
static inline bool only(struct rig *r, uint32_t color, int x0, int y0, int x1, int y1)
{
	int x, y;

	for (y = 0; y < (int)H2D + 2; y++)
		for (x = 0; x < 128; x++) {
			bool in = x >= x0 && x < x1 && y >= y0 && y < y1;

			if (pixel32(r, 0, 512, x, y) != (in ? color : 0)) {
				printf("# (%d, %d) is %08x\n", x, y, pixel32(r, 0, 512, x, y));
				return false;
			}
		}
	return true;
}

#endif
