// SPDX-License-Identifier: MIT
/*
 * A fuzzer of the model's PGRAPH: random methods, registers, context programs and images, under
 * ASan and UBSan. No guest may crash the model. The test compares nothing; each round must end.
 *
 * Argument: operations for each chipset (default 5000). SEED in the environment selects another
 * sequence.
 */
#include "nvfifo_text.h"
#include "rig_gr.h"

#define H_VM	0x00000001u
#define H_RO	0x00000002u
#define H_NULL	0x00000003u

#define VA_MEM		0x00400000u
#define VRAM_MEM	0x02000000u
#define MEM_SIZE	0x00100000u

static uint32_t seed = 1;

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static uint32_t pick(const uint32_t *list, unsigned int n)
{
	return list[rnd() % n];
}

#define PICK(...) pick((const uint32_t[]){ __VA_ARGS__ }, \
		       sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void channel(struct rig *r, unsigned int n)
{
	uint32_t i;

	channel_create(r, n, true);
	gr_context(r, n);
	ramht_insert(r, n, hash9(H_VM), H_VM, 0x100000 | CHAN_DMAOBJ >> 4);
	put_dmaobj(r, CHAN_BASE(n) + CHAN_DMAOBJ + 0x40, 0x7fc00002, 0, 0xffffffffff);
	ramht_insert(r, n, hash9(H_RO), H_RO, 0x100000 | (CHAN_DMAOBJ + 0x40) >> 4);
	vwr(r, CHAN_BASE(n) + CHAN_DMAOBJ + 0x60, 0x30);
	ramht_insert(r, n, hash9(H_NULL), H_NULL, 0x100000 | (CHAN_DMAOBJ + 0x60) >> 4);
	graph_object(r, n, 1, 0x9000, 0x502d);
	graph_object(r, n, 1, 0x9010, 0x5039);
	graph_object(r, n, 1, 0x9020, PICK(0x5097, 0x8297, 0x8397, 0x8597, 0x8697));
	graph_object(r, n, 1, 0x9030, 0x50c0);

	for (i = 0; i < MEM_SIZE; i += 0x1000)
		map_vram(r, n, VA_MEM + i, VRAM_MEM + i);
}

static void bring_up(struct rig *r)
{
	nvsim_cfg_write(r->sim, 4, 6, 2);
	ctl(r, NVSIM_CTL_CLEAR, ~0u);
	wr(r, NV_PMC_ENABLE, 0);
	wr(r, NV_PMC_ENABLE, ~0u);
	rig_init_pfifo(r);
	gr_init(r);
	channel(r, 1);
	channel(r, 2);
	bar_flush(r);
	playlist(r, 2, 1, 2);
}

static uint32_t value(void)
{
	switch (rnd() % 10) {
	case 0:
		return rnd();
	case 1:
		return ~0u;
	case 2:
		return 1u << rnd() % 32;
	case 3:
		return VA_MEM + (rnd() & 0xfffc0);
	case 4:
		return PICK(0xcf, 0xe6, 0xd5, 0xdf, 0xe8, 0xe9, 0xf3, 0xee, 0xff);
	case 5:
		return PICK(H_VM, H_SEM, H_RO, H_NULL);
	case 6:
		return rnd() & 0xfc0;
	}

	return rnd() % 40;
}

/* A command for one of the objects, its methods mostly of those that do something */
static unsigned int command(uint32_t *w)
{
	uint32_t subc = rnd() % 4, count = 1 + rnd() % 10, mthd, i;

	switch (rnd() % 12) {
	case 0:
		w[0] = M(subc, 0, 1);
		w[1] = PICK(0x502d, 0x5039, 0x5097, 0x8297, 0x8397, 0x50c0, H_VM);
		return 2;
	case 1:
		mthd = 0x180 + rnd() % 8 * 4;
		w[0] = M(subc, mthd, 1);
		w[1] = PICK(H_VM, H_VM, H_VM, H_SEM, H_RO, H_NULL);
		return 2;
	case 2:
		mthd = PICK(0x100, 0x104, 0x110);
		count = 1;
		break;
	case 3:
		mthd = PICK(0x328, 0x8dc, 0x60c, 0x860, 0x1b0c, 0x31c);
		count = 1;
		break;
	case 4:
		mthd = PICK(0x200, 0x21c, 0x230, 0x30c, 0x580, 0x800, 0x838, 0x8b0, 0x1b00, 0x310);
		break;
	case 5:
		mthd = (rnd() & 0x7ff) << 2;
		break;
	default:
		mthd = PICK(0x200, 0x238, 0x280, 0x2ac, 0x30c, 0x31c, 0x580, 0x5e0, 0x600, 0x800,
			    0x850, 0x860, 0x8b0, 0x8c0, 0x8d0);
	}

	w[0] = M(subc, mthd, count) | (rnd() % 4 ? 0 : 0x40000000);

	for (i = 1; i <= count; i++)
		w[i] = value();

	return count + 1;
}

static void push(struct rig *r)
{
	unsigned int n = 1 + rnd() % 2, at = 0, k;
	uint32_t w[64];

	for (k = 0; k < 5; k++)
		at += command(w + at);

	if (r->push_at[n] > 0x8000)
		r->push_at[n] = 0;

	submit_words(r, n, w, at);
}

static void handle(struct rig *r)
{
	wr(r, NV_PGRAPH_SUBUNIT_RESET, 2);
	wr(r, NV_PGRAPH_SUBUNIT_RESET, 0);
	wr(r, NV_PGRAPH_DISPATCH_TRAP, 0xc0000000);
	wr(r, NV_PGRAPH_M2MF_TRAP, 0xc0000000);
	wr(r, NV_PGRAPH_TRAP, ~0u);
	wr(r, NV_PGRAPH_INTR, ~0u);
	wr(r, NV_PGRAPH_CONTROL, 0x10001);
	wr(r, NV_PFB_VM_FAULT, 1u << 31);
	if (rd(r, NV_PFIFO_INTR) & 1)
		wr(r, NV_CACHE1_GET, rd(r, NV_CACHE1_GET) + 4);

	wr(r, NV_CACHE1_DMA_STATE, 0);
	wr(r, NV_PFIFO_INTR, ~0u);
	wr(r, NV_CACHE1_DMA_PUSH, 1);
	wr(r, NV_CACHE1_PULL0, 1);
}

static void operation(struct rig *r)
{
	uint32_t v;

	/* States that only a reset ends */
	if ((rd(r, NV_PGRAPH_STATUS) & 0x100) && rnd() % 4 == 0)
		bring_up(r);

	switch (rnd() % (rnd() % 8 ? 16 : 32)) {
	case 0 ... 8:
		push(r);
		break;
	case 9 ... 12:
		handle(r);
		break;
	case 13 ... 15:
		rd(r, 0x400000 + (rnd() & 0xfffc));
		break;
	case 16:
		wr(r, 0x400000 + (rnd() & 0xfffc), value());
		break;
	case 17:
		wr(r, PICK(0x400300, 0x400304, 0x400310, 0x400320, 0x400324, 0x400328, 0x40032c,
			   0x400330, 0x400784, 0x400824, 0x40008c, 0x400040, 0x400500),
		   rnd() & 1 ? value() : 0x80000000 | CHAN_BASE(1 + rnd() % 2) >> 12);
		break;
	case 18:
		v = value();
		nvsim_vram_write(r->sim, GR_IMAGE(1 + rnd() % 2) + (rnd() & 0x7fffc), &v, 4);
		break;
	case 19:
		if (rnd() % 8 == 0)
			vwr(r, gr_context_object(r, 1 + rnd() % 2) + (rnd() % 6) * 4, value());
		break;
	case 20:
		wr(r, NV_PFIFO_ENGINE_CTRL, rnd() & 0x3f);
		wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1 + rnd() % 2) >> 12);
		break;
	case 21:
		if (rnd() % 4 == 0)
			bring_up(r);
		break;
	case 22:
		ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
		nvsim_run(r->sim, 100);
		ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
		break;
	case 23:
		ctl(r, NVSIM_CTL_ENGINE_CONTEXT, rnd() % 3);
		break;
	default:
		ctl(r, NVSIM_CTL_REC_SEEK, value());
		ctl(r, NVSIM_CTL_REC_NEXT, rnd() % 4);
	}

	r->now += rnd() & 0xfffff;
	nvsim_run(r->sim, 1 + rnd() % 1000);
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? nvfifo_text_value(argv[1], 0) : 5000, i, n;
	unsigned long long sent = 0;
	const char *env = getenv("SEED");

	if (env)
		seed = nvfifo_text_value(env, 0) | 1;

	for (i = 0; nvsim_chipset_names[i]; i++) {
		struct rig *r = rig_create(nvsim_chipset_names[i]);

		bring_up(r);
		for (n = 0; n < count; n++)
			operation(r);
		ctl(r, NVSIM_CTL_REC_COUNT, 0);
		printf("# %s: %u methods sent, %u violations\n", nvsim_chipset_names[i],
		       ctl_result(r), r->violations);
		sent += ctl_result(r);
		tap(true, "%s survives %u operations", nvsim_chipset_names[i], count);
		rig_destroy(r);
	}

	tap(count < 1000 || sent > 1000, "enough of them got through");

	return tap_end();
}
