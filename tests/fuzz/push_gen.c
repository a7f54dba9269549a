// SPDX-License-Identifier: MIT
/*
 * Generators of hostile pushbuffers, from random words to recorded pushbuffers of Mesa with a few
 * changed bits. The methods are those of the hardware documents, so that a pushbuffer passes the
 * first check of each unit.
 */
#include "nvfifo_text.h"
#include "push_gen.h"

#include <glob.h>

#define RECORDED_FILES	"/src/tests/data/mesa-*.txt"
#define RECORDED_MAX	65536

#define SW_OBJECT	0x80000001
#define FENCE_OBJECT	0x80000000

static uint32_t recorded[RECORDED_MAX];
static uint32_t num_recorded;

static void put(struct gen *g, uint32_t w)
{
	if (g->n < GEN_WORDS)
		g->words[g->n++] = w;
}

static void put_mthd(struct gen *g, uint32_t subc, uint32_t mthd, uint32_t data)
{
	put(g, cmd_word(subc, mthd, 1));
	put(g, data);
}

static uint32_t any_handle(struct gen *g)
{
	if (rng_one_in(&g->rng, 12))
		return FENCE_OBJECT;
	return g->handles[rng_below(&g->rng, g->num_handles)];
}

static uint64_t any_address(struct gen *g)
{
	uint64_t va = g->addresses[rng_below(&g->rng, g->num_addresses)];

	if (rng_one_in(&g->rng, 4))
		va += rng_below(&g->rng, 0x20000);
	return va;
}

/* Data that passes for a handle, an address, a size or a mode. */
static uint32_t any_data(struct gen *g)
{
	switch (rng_below(&g->rng, 8)) {
	case 0:
		return any_handle(g);
	case 1:
		return (uint32_t)any_address(g);
	case 2:
		return (uint32_t)(any_address(g) >> 32);
	case 3:
		return rng_below(&g->rng, 16);
	case 4:
		return 1u << rng_below(&g->rng, 32);
	case 5:
		return rng_below(&g->rng, 0x1000);
	case 6:
		return ~rng_below(&g->rng, 4);
	}

	return rng_word(&g->rng);
}

static void bind_objects(struct gen *g)
{
	uint32_t subc;

	for (subc = 0; subc < 8; subc++)
		if (g->engine_handles && !rng_one_in(&g->rng, 8))
			put_mthd(g, subc, 0, g->handles[rng_below(&g->rng, g->engine_handles)]);
}

static void gen_noise(struct gen *g)
{
	uint32_t n = 1 + rng_below(&g->rng, 64);

	while (n--)
		put(g, rng_word(&g->rng));
}

/* Correct headers, methods anywhere. */
static void gen_methods(struct gen *g)
{
	uint32_t n = 1 + rng_below(&g->rng, 200), i, count;

	bind_objects(g);

	while (n--) {
		uint32_t mthd = 0x100 + rng_below(&g->rng, 0x1f00 / 4) * 4;

		count = 1;
		if (rng_one_in(&g->rng, 8))
			count = 1 + rng_below(&g->rng, 20);
		put(g, cmd_word(rng_below(&g->rng, 8), mthd, count) |
		       (rng_one_in(&g->rng, 6) ? 0x40000000 : 0));
		for (i = 0; i < count; i++)
			put(g, any_data(g));
	}
}

/* PFIFO's own methods: objects, semaphores, references, yields, interrupts. */
static void gen_pfifo(struct gen *g)
{
	static const uint32_t mthds[] = {
		0x00, 0x10, 0x14, 0x18, 0x1c, 0x20, 0x24, 0x28, 0x2c, 0x50, 0x60, 0x64, 0x68,
		0x6c, 0x80,
	};
	uint32_t n = 1 + rng_below(&g->rng, 100);

	put_mthd(g, 0, NVFIFO_MTHD_DMA_SEMAPHORE, any_handle(g));

	while (n--) {
		uint32_t mthd = mthds[rng_below(&g->rng, ARRAY_SIZE(mthds))];
		uint32_t data = any_data(g);

		if (g->chipset == 0x50 && mthd >= 0x10 && mthd <= 0x2c && !rng_one_in(&g->rng, 20))
			mthd = 0x80;
		if (mthd == 0x00 && rng_one_in(&g->rng, 2))
			data = SW_OBJECT;
		if (mthd == 0x60)
			data = any_handle(g);
		if ((mthd == 0x64 || mthd == 0x14) && !rng_one_in(&g->rng, 8))
			data = rng_below(&g->rng, 1024) * 4;
		if (mthd == 0x10 && !rng_one_in(&g->rng, 8))
			data = 0;
		if (mthd == 0x1c)
			data = rng_below(&g->rng, 8);
		/* An acquire that never succeeds ends most segments early. */
		if ((mthd == 0x68 || (mthd == 0x1c && data != 2)) && !rng_one_in(&g->rng, 10))
			mthd = 0x50;
		put_mthd(g, rng_below(&g->rng, 8), mthd, data);
	}
}

/* M2MF: copies with state that is mostly right. */
static void gen_m2mf(struct gen *g)
{
	uint32_t n = 1 + rng_below(&g->rng, 40), subc = 5;
	bool linear = !rng_one_in(&g->rng, 3);

	put_mthd(g, subc, 0, 0xbeef5039);
	put_mthd(g, subc, 0x180, any_handle(g));
	put_mthd(g, subc, 0x184, any_handle(g));
	put_mthd(g, subc, 0x188, any_handle(g));
	put_mthd(g, subc, 0x200, linear);
	put_mthd(g, subc, 0x21c, linear || rng_one_in(&g->rng, 2));

	while (n--) {
		uint64_t from = any_address(g), to = any_address(g);
		bool large = rng_one_in(&g->rng, 60);

		put_mthd(g, subc, 0x238, (uint32_t)(from >> 32));
		put_mthd(g, subc, 0x23c, (uint32_t)(to >> 32));
		put_mthd(g, subc, 0x30c, (uint32_t)from);
		put_mthd(g, subc, 0x310, (uint32_t)to);
		put_mthd(g, subc, 0x314, rng_below(&g->rng, 0x2000));
		put_mthd(g, subc, 0x318, rng_below(&g->rng, 0x2000));
		put_mthd(g, subc, 0x31c, rng_below(&g->rng, large ? 0x400000 : 0x1000));
		put_mthd(g, subc, 0x320, rng_below(&g->rng, large ? 2048 : 20));
		put_mthd(g, subc, 0x324, rng_one_in(&g->rng, 8) ? any_data(g) : 0x101);
		if (rng_one_in(&g->rng, 6))
			put_mthd(g, subc, 0x204 + rng_below(&g->rng, 12) * 4, any_data(g));
		put_mthd(g, subc, 0x328, rng_below(&g->rng, 4));
	}
}

/* 2D: fills and blits of surfaces that are partly there. */
static void gen_2d(struct gen *g)
{
	static const uint32_t formats[] = { 0xcf, 0xe6, 0xe8, 0xf3, 0x00, 0xff };
	uint32_t n = 1 + rng_below(&g->rng, 20), subc = 4, i;

	put_mthd(g, subc, 0, 0xbeef502d);

	for (i = 0; i < 3; i++)
		put_mthd(g, subc, 0x180 + i * 4, any_handle(g));

	while (n--) {
		for (i = 0; i < 2; i++) {
			uint64_t va = any_address(g);
			uint32_t at = i ? 0x230 : 0x200;

			put_mthd(g, subc, at, formats[rng_below(&g->rng, ARRAY_SIZE(formats))]);
			put_mthd(g, subc, at + 4, rng_below(&g->rng, 2));
			put_mthd(g, subc, at + 0x14, rng_below(&g->rng, 0x200));
			put_mthd(g, subc, at + 0x18, rng_below(&g->rng, 64));
			put_mthd(g, subc, at + 0x1c, rng_below(&g->rng, 64));
			put_mthd(g, subc, at + 0x20, (uint32_t)(va >> 32));
			put_mthd(g, subc, at + 0x24, (uint32_t)va);
		}
		put_mthd(g, subc, 0x2ac, rng_below(&g->rng, 7));
		put_mthd(g, subc, 0x580, rng_below(&g->rng, 6));
		put_mthd(g, subc, 0x584, 0xcf);
		put_mthd(g, subc, 0x588, rng_word(&g->rng));
		for (i = 0; i < 4; i++)
			put_mthd(g, subc, 0x600 + i * 4, rng_below(&g->rng, 80));
		if (rng_one_in(&g->rng, 2))
			put_mthd(g, subc, 0x200 + rng_below(&g->rng, 0x180) * 4, any_data(g));
		if (rng_one_in(&g->rng, 3))
			put_mthd(g, subc, 0x8dc, rng_below(&g->rng, 64));
	}
}

/* Software objects: bindings and methods, which stop PFIFO until the driver has answered. */
static void gen_software(struct gen *g)
{
	uint32_t n = 1 + rng_below(&g->more, 40);

	while (n--) {
		uint32_t subc = rng_below(&g->more, 8);

		if (rng_one_in(&g->more, 3))
			put_mthd(g, subc, 0, GEN_SOFTWARE_HANDLE + rng_below(&g->more, GEN_SOFTWARE));
		else
			put_mthd(g, subc, 0x100 + rng_below(&g->more, 0x700) * 4, rng_word(&g->more));
	}
}

/* Errors of PGRAPH in a row, which keep an error handler busy. */
static void gen_errors(struct gen *g)
{
	uint32_t n = 1 + rng_below(&g->rng, 500), subc = rng_below(&g->rng, 8);
	uint32_t mthd = 0x100 + rng_below(&g->rng, 0x80) * 4, data = any_data(g);

	bind_objects(g);
	if (rng_one_in(&g->rng, 3)) {
		/* DATA_ERROR: M2MF's NOTIFY takes 0 and 1. */
		subc = 5;
		mthd = 0x104;
		data = 7;
		put_mthd(g, subc, 0, 0xbeef5039);
	}

	while (n--)
		put_mthd(g, subc, mthd, data);
}

/* A random part of Mesa's words, with some words changed. */
static void gen_recorded(struct gen *g)
{
	uint32_t n = 50 + rng_below(&g->rng, 800), at, i, flips;

	if (!num_recorded)
		return;

	bind_objects(g);
	at = rng_below(&g->rng, num_recorded);

	for (i = 0; i < n; i++)
		put(g, recorded[(at + i) % num_recorded]);

	flips = rng_below(&g->rng, 10);

	while (flips-- && g->n) {
		uint32_t *w = &g->words[rng_below(&g->rng, g->n)];

		if (rng_one_in(&g->rng, 2))
			*w ^= 1u << rng_below(&g->rng, 32);
		else
			*w = any_data(g);
	}
}

/* Jumps, calls and returns, most of them into the segment. */
static void gen_jumps(struct gen *g)
{
	uint32_t n = 1 + rng_below(&g->rng, 30);

	while (n--) {
		uint32_t target = (uint32_t)g->base + rng_below(&g->rng, GEN_WORDS) * 4;

		if (rng_one_in(&g->rng, 6))
			target = (uint32_t)any_address(g) & ~3u;
		switch (rng_below(&g->rng, 6)) {
		case 0:
			put(g, JUMP(target));
			break;
		case 1:
			put(g, CALL(target));
			break;
		case 2:
			put(g, RETURN);
			break;
		case 3:
			put(g, OLD_JUMP(target & 0x1ffffffc));
			break;
		case 4:
			put_mthd(g, 0, 0x80, 0);
			break;
		default:
			put_mthd(g, 0, NVFIFO_MTHD_REF_CNT, rng_word(&g->rng));
		}
	}
}

void gen_segment(struct gen *g)
{
	static void (*const generators[])(struct gen *) = {
		gen_noise, gen_methods, gen_pfifo, gen_m2mf, gen_2d, gen_errors, gen_recorded,
	};
	uint32_t parts = 1 + rng_below(&g->rng, 3);

	g->n = 0;
	if (g->software && rng_one_in(&g->more, 2))
		gen_software(g);

	while (parts--) {
		if (g->dma_mode && rng_one_in(&g->rng, 2))
			gen_jumps(g);
		else
			generators[rng_below(&g->rng, ARRAY_SIZE(generators))](g);
	}

	if (!g->n)
		put(g, 0);
}

/* --- Recorded pushbuffers --------------------------------------------------- */

/* The words of a record stand alone in their lines, in hexadecimal. */
static void read_line(const char *line)
{
	__u64 w;

	while (num_recorded < RECORDED_MAX && (line = nvfifo_text_read(line, 16, &w)))
		recorded[num_recorded++] = (uint32_t)w;
}

static void read_file(const char *path)
{
	unsigned int bytes, left = 0;
	char line[4096];
	FILE *f = fopen(path, "r");

	if (!f)
		return;

	while (fgets(line, sizeof(line), f)) {
		uint32_t before = num_recorded;

		if (left) {
			read_line(line);
			bytes = (num_recorded - before) * 4;
			left = bytes < left ? left - bytes : 0;
		} else if (sscanf(line, "push %*u va %*x bytes %u", &bytes) == 1) {
			left = bytes;
		}
	}

	fclose(f);
}

bool gen_read_recorded(void)
{
	glob_t g = { 0 };
	size_t i;

	if (!glob(RECORDED_FILES, 0, NULL, &g))
		for (i = 0; i < g.gl_pathc; i++)
			read_file(g.gl_pathv[i]);

	globfree(&g);
	return num_recorded;
}
