// SPDX-License-Identifier: MIT
/*
 * A fuzzer of the model's 3D unit and of compute, under ASan and UBSan. Each round begins with a
 * draw that works, and spoils parts of it. Parts are programs, texture headers, vertex arrays,
 * targets, queries, transform feedback, launches and the context image. The test compares nothing.
 * Each round must end, and the model must stay inside its memory.
 *
 * Argument: rounds for each chipset (default 2, and 20 with NVSIM_ROUNDS=all in the environment). SEED in the environment selects another sequence.
 */
#include "../core/gr3d/gr3d.h"
#include "../core/number.h"
#include "nvfifo_text.h"
#include "rig_3d.h"

#define SUBC_COMPUTE	1
#define STEPS		300	/* calls of nvsim_run() that a round may take */

static uint32_t seed = 1, sent;

static uint32_t chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static uint32_t below(uint32_t n)
{
	return chance() % n;
}

/* Small numbers, addresses, floats, bits, and anything */
static uint32_t value(void)
{
	static const uint32_t floats[] = { 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
					   0x00800000, 0x7f7fffff, 0x4e800000, 0x80000000, 1 };

	switch (below(9)) {
	case 0:
		return chance();
	case 1:
		return ~0u >> below(32);
	case 2:
		return 1u << below(32);
	case 3:
		return VA_MEM + (chance() & (MEM_SIZE - 1));
	case 4:
		return VA_MEM + MEM_SIZE - below(64);
	case 5:
		return floats[below(10)];
	case 6:
		return below(0x100) | below(0x100) << 16;
	case 7:
		return 0x1b00 + below(3);
	}
	return below(40);
}

static void method(struct rig *r, uint32_t subc, uint32_t mthd, uint32_t data)
{
	submit(r, 1, M(subc, mthd, 1), data);
	sent += 2;
}

static void memory(struct rig *r, uint32_t off, const uint32_t *words, size_t count)
{
	nvsim_vram_write(r->sim, VRAM_MEM + off, words, count * 4);
	sent += count;
}

/* --- damage --- */

/* One that works with some bits changed, or words that may be instructions of any group */
static void spoil_program(struct rig *r, uint32_t off, const uint32_t *from, size_t count)
{
	uint32_t words[64], i, kind = below(4);

	for (i = 0; i < 64; i++)
		words[i] = chance() | (kind & 1);
	if (kind > 1)
		memcpy(words, from, count * 4);
	for (i = below(4); i; i--)
		words[below(count)] ^= 1u << below(32);
	memory(r, off, words, 64);
}

static void spoil_programs(struct rig *r)
{
	static const uint32_t emits[] = { 0xf0000201, 0xc0000780, 0xf0000201, 0xc0000780, 0xf0000401,
					  0xc0000780, 0xf0000201, 0xc0000781 };

	if (below(2))
		spoil_program(r, CODE + 0x40, vertex_program, sizeof(vertex_program) / 4);
	if (below(2))
		spoil_program(r, CODE + 0x1080, texture_program, sizeof(texture_program) / 4);
	if (below(3))
		return;
	spoil_program(r, CODE + 0x800, emits, 8);
	submit(r, 1, M(SUBC_3D, 0xf70, 2), 0, VA_MEM + CODE, M(SUBC_3D, 0x1410, 1), 0x800,
	       M(SUBC_3D, 0x1420, 1), value(), M(SUBC_3D, 0x17b0, 1), 1 + below(3),
	       M(SUBC_3D, 0x17fc, 1), value(), M(SUBC_3D, 0x1798, 1), 1);
	sent += 13;
}

static void spoil_textures(struct rig *r)
{
	uint32_t words[16], i;

	for (i = 0; i < 16; i++)
		words[i] = value();
	words[1] = below(4) ? VA_MEM + (chance() & 0xffff00) : value();
	if (below(2))
		words[2] &= ~0xffu;
	if (below(2))
		words[0] = RGBA | TYPES(below(8)) | below(64);
	memory(r, TIC, words, 8);
	memory(r, TSC, words + 8, 8);
	if (!below(4))
		method(r, SUBC_3D, 0x1444 + below(6) * 4, value());
	if (!below(8))
		method(r, SUBC_3D, 0x1554 + below(12) * 4, value());
}

/* Runs of methods of which one belongs to the next */
static void spoil_state(struct rig *r)
{
	static const struct {
		uint16_t first, count;
	} runs[] = {
		{ 0x200, 64 }, { 0x1240, 16 }, { 0x121c, 4 }, { 0xfe0, 8 }, { 0x1228, 3 },
		{ 0x900, 64 }, { 0x1000, 16 }, { 0x1080, 32 }, { 0x1ac0, 16 }, { 0x1650, 8 },
		{ 0xa00, 128 }, { 0xc00, 64 }, { 0xd00, 16 }, { 0xe00, 64 }, { 0x1280, 8 },
		{ 0x1694, 3 }, { 0x16ac, 24 }, { 0x17fc, 33 }, { 0x1480, 33 }, { 0x1a80, 16 },
		{ 0x1780, 8 }, { 0x1298, 1 }, { 0x1900, 16 }, { 0xfd4, 1 }, { 0x15cc, 3 }, { 0xfbc, 4 },
		{ 0xdac, 8 }, { 0x1380, 8 }, { 0x1340, 20 }, { 0x1e00, 64 }, { 0x13a0, 16 },
		{ 0x1540, 10 }, { 0x1984, 16 }, { 0x1b00, 4 }, { 0x140c, 8 }, { 0xf7c, 2 }, { 0xfa4, 2 },
		{ 0x1300, 8 }, { 0x15e4, 6 }, { 0x1640, 6 }, { 0x180, 16 }, { 0x1c0, 8 }, { 0x100, 0x700 },
	};
	uint32_t i, row, data;

	for (i = 1 + below(12); i; i--) {
		row = below(sizeof(runs) / sizeof(runs[0]));
		data = value();
		if (runs[row].first == 0x180 || runs[row].first == 0x1c0)
			data = below(6) ? H_VM : below(6);
		method(r, SUBC_3D, runs[row].first + below(runs[row].count) * 4, data);
	}
}

/* Words of the context image, while channel 2 has the unit */
static void spoil_image(struct rig *r)
{
	uint32_t i, word;

	submit(r, 2, M(SUBC_3D, 0x100, 1), 0, M(0, 0x50, 1), 1);
	run(r);
	for (i = 1 + below(40); i; i--) {
		word = value();
		nvsim_vram_write(r->sim, GR_IMAGE(1) + (below(0x80000) & ~3u), &word, 4);
		sent++;
	}
	/* Also words that the model has written there */
	sim_gr3d_state(r->sim)[1 + below(GR3D_WORDS - 1)] = value();
}

/* --- methods that start work --- */

static void draw(struct rig *r)
{
	uint32_t i, words[8];

	method(r, SUBC_3D, 0x15dc, below(16) | (below(4) ? 0 : value()));
	switch (below(5)) {
	case 0:
		submit(r, 1, M(SUBC_3D, 0xd74, 2), value(), below(2) ? below(20) : value());
		break;
	case 1:
		for (i = 0; i < 8; i++)
			words[i] = value();
		memory(r, 0x70000, words, 8);
		submit(r, 1, NI(SUBC_3D, below(2) ? 0x15e8 : 0x15f0, 4), value(), 1, 2, below(9));
		break;
	case 2:
		for (i = below(12); i; i--)
			method(r, SUBC_3D, 0x380 + below(0x280 / 4) * 4, value());
		break;
	default:
		for (i = below(9); i; i--)
			vertex(r, sim_bits_to_float(value()), (float)(int)below(5) - 2,
			       (float)below(2), sim_bits_to_float(value()), 1);
	}
	sent += 40;
	if (below(8))
		method(r, SUBC_3D, 0x15e0, 0);
	if (!below(3))
		method(r, SUBC_3D, 0x19d0, value());
	if (!below(3))
		submit(r, 1, M(SUBC_3D, 0x1b00, 4), below(4) ? 0 : value(), value(), 7, value());
}

static void launch(struct rig *r)
{
	static const uint32_t stores[] = { 0x04002001, 0xe4208780, 0x1400e011, 0x0423c780, 0xd0000211,
					   0xa0c00780, 0xd0010c1d, 0xc0c00780, 0xf0000001, 0xe0000781 };
	uint32_t i;

	spoil_program(r, CODE + 0x2000, stores, 10);
	submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0, M(SUBC_COMPUTE, 0x1a0, 1), H_VM,
	       M(SUBC_COMPUTE, 0x1c0, 1), H_VM, M(SUBC_COMPUTE, 0x210, 2), 0, VA_MEM + CODE,
	       M(SUBC_COMPUTE, 0x400, 5), 0, VA_MEM, 0, below(2) ? 0x3ff : value(), below(2),
	       M(SUBC_COMPUTE, 0x3b4, 1), 0x2000, M(SUBC_COMPUTE, 0x3a8, 3), below(0x200),
	       below(70) | below(9) << 16, 1 + below(64), M(SUBC_COMPUTE, 0x2b4, 1), below(530),
	       M(SUBC_COMPUTE, 0x2f8, 1), 1,
	       M(SUBC_COMPUTE, 0x3a4, 1), 1 + below(4) + 0x10000);
	for (i = below(6); i; i--)
		method(r, SUBC_COMPUTE, 0x180 + below(0x5c0 / 4) * 4, value());
	method(r, SUBC_COMPUTE, 0x368, 0);
	sent += 30;
}

/* A draw may have billions of vertices; it is left alone after some time. */
static bool settle(struct rig *r)
{
	uint32_t i;

	for (i = 0; i < STEPS; i++) {
		if (nvsim_run(r->sim, 200))
			return true;
	}
	return false;
}

static bool play(struct rig *r)
{
	uint32_t parts = chance();

	r->push_at[1] = 0;
	setup_textures(r);
	if (parts & 1)
		spoil_programs(r);
	if (parts & 2)
		spoil_textures(r);
	if (parts & 4)
		spoil_state(r);
	if (!(parts & 0x38))
		spoil_image(r);
	if (!settle(r))
		return false;
	r->push_at[1] = 0;
	if (parts & 0x1c0)
		draw(r);
	else
		launch(r);
	return settle(r);
}

int main(int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? nvfifo_text_value(argv[1], 0) : rig_rounds(20), i, n, ended;
	const char *env = getenv("SEED");

	if (env)
		seed = nvfifo_text_value(env, 0) | 1;
	for (i = 0; nvsim_chipset_names[i]; i++) {
		struct rig *r = NULL;

		for (n = 0, ended = 0; n < rounds; n++) {
			if (!r)
				r = ready(nvsim_chipset_names[i]);
			if (play(r))
				ended++;
			if (rd(r, NV_PGRAPH_INTR) || rd(r, NV_PFIFO_INTR) || !nvsim_run(r->sim, 1)) {
				rig_destroy(r);
				r = NULL;
			}
		}
		tap(ended > rounds / 2, "%s: %u rounds of %u ended", nvsim_chipset_names[i], ended, rounds);
		if (r)
			rig_destroy(r);
	}
	printf("# %u words sent\n", sent);
	return tap_end();
}
