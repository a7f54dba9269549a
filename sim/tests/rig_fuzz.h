/* SPDX-License-Identifier: MIT */
/*
 * Random accesses, structures and command streams for the fuzzers of the model. Enough of them are
 * valid that channels run.
 */
#ifndef SIM_TESTS_RIG_FUZZ_H
#define SIM_TESTS_RIG_FUZZ_H

#include "rig.h"

static uint32_t seed = 1;

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static uint64_t rnd64(void)
{
	uint64_t high = rnd();

	return high << 32 | rnd();
}

#define ADD_REG(block, reg, stride, count, first, end, access) { reg, stride, count },
#define NO_FLD(reg, field)

static const struct {
	uint32_t off, stride, count;
} regs[] = { NV_REGS(ADD_REG, NO_FLD) };

static uint32_t random_value(void)
{
	uint32_t few;

	switch (rnd() % 8) {
	case 0:
		return rnd();
	case 1:
		return ~0u;
	case 2:
		return 1u << rnd() % 32;
	case 3:
		return rnd() % 128;
	case 4:
		return CHAN_BASE(1 + rnd() % 3) >> 12;
	case 5:
		return 0x80000000 | (rnd() & 0xffff);
	}

	few = rnd();
	few &= rnd();

	return few & rnd();
}

static uint32_t random_reg(void)
{
	unsigned int i;

	if (rnd() % 16 == 0)
		return rnd() & 0xffffff;
	if (rnd() % 4 == 0)
		return user(rnd() % 5, (rnd() & 0x3f) * 4);

	i = rnd() % (sizeof(regs) / sizeof(regs[0]));
	return regs[i].off + rnd() % regs[i].count * regs[i].stride;
}

/* A word of some structure: channel, RAMFC, RAMHT, page tables, playlist */
static uint32_t random_structure(struct rig *r)
{
	unsigned int n = 1 + rnd() % 3;

	switch (rnd() % 6) {
	case 0:
		return ramfc(r, n) + (rnd() & 0xfc);
	case 1:
		return CHAN_BASE(n) + pd_offset(r) + (rnd() & 0x3ffc);
	case 2:
		return PT_BASE(n) + (VA_RING >> 12) * 8 + (rnd() & 0x3fc);
	case 3:
		return CHAN_BASE(n) + CHAN_DMAOBJ + (rnd() & 0x3c);
	case 4:
		return CHAN_BASE(n) + CHAN_RAMHT + (rnd() & 0xffc);
	}

	return PLAYLIST_A + (rnd() & 0x11fc);
}

static void random_push(struct rig *r)
{
	static const uint16_t mthds[] = { 0x50, 0x60, 0x64, 0x68, 0x6c, 0x80, 0x10,  0x14,
					  0x18, 0x1c, 0x20, 0x24, 0x00, 0x50, 0x180, 0x300 };
	static const uint32_t data[] = { H_SEM, 0x40, 1, 2, 4, 0, VA_SEM, VA_SEM + 0xffc };
	unsigned int n = 1 + rnd() % 3, i, count = 2 * (rnd() % 6);
	uint32_t w[10];

	if (r->push_at[n] > 0x8000)
		r->push_at[n] = 0;

	for (i = 0; i < count; i += 2) {
		w[i] = M(rnd() % 8, mthds[rnd() % 16], 1) | (rnd() & 0x40000000);
		w[i + 1] = data[rnd() % 8];
	}

	if (count && rnd() % 16 == 0)
		w[rnd() % count] = rnd();

	push_words(r, n, w, count);
	ib_raw(r, n, VA_PUSH + r->push_at[n] - count * 4, count << 10 | (rnd() & 0x200));
	if (rnd() % 32 == 0)
		ib_raw(r, n, rnd(), rnd());

	doorbell(r, n);
}

/* Handle an error as a driver does. Otherwise the first error would end all work. */
static void handle(struct rig *r)
{
	uint32_t intr = rd(r, NV_PFIFO_INTR);

	if (intr & 0x100001)
		wr(r, NV_CACHE1_GET, rd(r, NV_CACHE1_GET) + 4);

	if (intr & 0x1000) {
		wr(r, NV_CACHE1_METHOD_COUNT, 0);
		if (rd(r, NV_CACHE1_DMA_GET) == rd(r, NV_CACHE1_DMA_PUT))
			wr(r, NV_CACHE1_IB_GET, rd(r, NV_CACHE1_IB_PUT));
		wr(r, NV_CACHE1_DMA_GET, rd(r, NV_CACHE1_DMA_PUT));
		wr(r, NV_CACHE1_DMA_STATE, 0);
	}

	wr(r, NV_PFIFO_INTR, ~0u);
	wr(r, NV_CACHE1_DMA_PUSH, 1);
	wr(r, NV_CACHE1_PULL0, 1);
	wr(r, NV_PFIFO_CACHES, 1);
	wr(r, NV_PFB_VM_FAULT, 1u << 31);
}

static void bring_up(struct rig *r)
{
	nvsim_cfg_write(r->sim, 4, 6, 2);
	ctl(r, NVSIM_CTL_CLEAR, ~0u);
	if (rd(r, NV_PMC_ENDIAN))
		wr(r, NV_PMC_ENDIAN, 0x01000001);

	wr(r, NV_PMC_ENABLE, ~0u);
	wr(r, NV_PFIFO_FREEZE, 0);
	rig_init_pfifo(r);
	channel_create(r, 1, true);
	channel_create(r, 2, rnd() & 1);
	channel_create(r, 3, true);
	playlist(r, 3, 1, 2, 3);
}

static void operation(struct rig *r)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	unsigned int size = rnd() % 8 ? 4 : sizes[rnd() % 4];

	switch (rnd() % 16) {
	case 0 ... 1:
		nvsim_bar_read(r->sim, 0, random_reg(), size);
		break;
	case 2:
		if (rnd() % 8 == 0)
			nvsim_bar_write(r->sim, 0, random_reg(), random_value(), size);
		break;
	case 4:
		nvsim_bar_read(r->sim, rnd() & 2 ? 1 : 3, rnd() & 0x1ffffff, size);
		break;
	case 5:
		if (rnd() % 8 == 0)
			nvsim_bar_write(r->sim, rnd() & 2 ? 1 : 3, rnd() & 0x1ffffff,
					random_value(), size);
		break;
	case 6:
		if (rnd() % 8 == 0)
			vwr(r, random_structure(r), random_value());
		break;
	case 7:
		if (rnd() & 1)
			bar_flush(r);
		else
			tlb_flush(r, rnd() & 15);
		break;
	case 3:
	case 8 ... 11:
		random_push(r);
		break;
	case 12 ... 13:
		handle(r);
		break;
	case 14:
		r->now += rnd() & 0xfffff;
		if (rnd() % 8 == 0)
			nvsim_cfg_write(r->sim, rnd() & 0xff, random_value(), size);
		nvsim_cfg_read(r->sim, rnd() & 0x1ff, size);
		break;
	case 15:
		if (rnd() % 8 == 0)
			bring_up(r);
		break;
	}

	nvsim_run(r->sim, 1 + rnd() % 200);
}

#endif
