// SPDX-License-Identifier: MIT
/*
 * The model's pusher against the documents' pseudocode, step by step, on random command
 * streams. The reference in this file shares no code with the model.
 *
 * The streams cover both modes, addresses above 4 GiB, a moving PUT, a DMA_LIMIT in the
 * middle, and both sides of every disputed point. The puller is off, so that all methods
 * stay in the CACHE, where they are compared.
 *
 * Argument: number of streams for each chip and mode (default 100). SEED in the environment
 * selects another sequence.
 */
#include "nvfifo_text.h"
#include "rig.h"

#define PUSH_WORDS	0x400u

/* The same page table is at 0 and here. */
#define VA_HIGH		0x1100000000ull

struct ref {
	bool ib_mode, get_advances, limit_excl, skip, level, long_len;
	uint64_t dma_limit;
	const char *chip;
	/* state, by the names of the pseudocode */
	uint64_t dma_get, dma_put, dma_mget;
	bool mget_valid;
	uint32_t ib_get, ib_put, dma_mcnt, dcount, subr_return, jmp_shadow, rsvd, data;
	uint32_t mthd, subc;
	bool ni, lenp, subr_active, not_main, unk8;
	uint32_t sli_mask;
	bool sli_enable, sli_active;
	unsigned int error;
	/* the CACHE */
	uint32_t cache[512][2];
	unsigned int entries;
	/* memory */
	uint32_t words[PUSH_WORDS];
	uint32_t ring[1 << RING_ORDER][2];
	uint32_t entries_written;
};

static uint32_t seed = 1;

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static uint32_t below(uint32_t n)
{
	return rnd() % n;
}

static bool method_ok(const struct ref *f, uint32_t m)
{
	static const uint16_t all[] = { 0x00, 0x50, 0x60, 0x64, 0x68, 0x6c, 0x80 };
	static const uint16_t g84[] = { 0x10, 0x14, 0x18, 0x1c, 0x20, 0x24 };
	unsigned int i;

	if (m >= 0x100)
		return true;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (m == all[i])
			return true;

	if (strcmp(f->chip, "g80"))
		for (i = 0; i < sizeof(g84) / sizeof(g84[0]); i++)
			if (m == g84[i])
				return true;

	return !strcmp(f->chip, "mcp89") && (m == 0x28 || m == 0x2c);
}

static bool mem(const struct ref *f, uint64_t addr, uint32_t *w)
{
	if (addr >= VA_HIGH)
		addr -= VA_HIGH;
	if (addr < VA_PUSH || addr >= VA_PUSH + PUSH_WORDS * 4)
		return false;
	*w = f->words[(addr - VA_PUSH) / 4];
	return true;
}

/* A word that is the data of a method. */
static void ref_data(struct ref *f, uint32_t w)
{
	f->data = w;
	if (!method_ok(f, f->mthd)) {
		f->error = 2;
		return;
	}

	if (!f->sli_enable || f->sli_active) {
		f->cache[f->entries][0] = f->mthd | f->subc << 13 | f->ni;
		f->cache[f->entries][1] = w;
		f->entries++;
	}

	if (!f->ni)
		f->mthd = (f->mthd + 4) & 0x1ffc;

	f->dma_mcnt--;
	f->dcount++;
}

/* A jump, call or return of NV04 mode; false if the word is none. */
static bool ref_flow(struct ref *f, uint32_t w)
{
	if ((w & 0xe0000003) == 0x20000000) {
		f->jmp_shadow = f->dma_get;
		f->dma_get = w & 0x1fffffff;
	} else if ((w & 3) == 1) {
		f->jmp_shadow = f->dma_get;
		f->dma_get = w & 0xfffffffc;
	} else if ((w & 3) == 2) {
		if (f->subr_active) {
			f->error = 1;
			return true;
		}

		f->subr_return = f->dma_get;
		f->subr_active = true;
		f->dma_get = w & 0xfffffffc;
	} else if (w == 0x00020000) {
		if (!f->subr_active) {
			f->error = 3;
			return true;
		}

		f->dma_get = f->subr_return;
		f->subr_active = false;
	} else {
		return false;
	}

	return true;
}

/* A word that begins a command; false if it is no such word. */
static bool ref_header(struct ref *f, uint32_t w)
{
	if ((w & 0xe0030003) == 0 || (w & 0xe0030003) == 0x40000000) {
		f->mthd = w & 0x1ffc;
		f->subc = w >> 13 & 7;
		f->dma_mcnt = w >> 18 & 0x7ff;
		f->ni = w & 0x40000000;
		f->dcount = 0;
	} else if (f->ib_mode && (w & 0xffff0003) == 0x00030000) {
		f->mthd = w & 0x1ffc;
		f->subc = w >> 13 & 7;
		f->lenp = true;
		f->ni = true;
		f->dcount = 0;
	} else if (f->sli_enable && (w & 0xffff0003) == 0x00010000) {
		f->sli_active = (w >> 4 & 0xfff) & f->sli_mask;
	} else {
		return false;
	}

	return true;
}

/* Take a word of the segment; false while the cache has no room for it. */
static bool ref_word(struct ref *f)
{
	uint64_t old = f->dma_get, old_mget = f->dma_mget;
	bool past_limit = f->dma_get > f->dma_limit;
	uint32_t w;

	if (!f->lenp && f->dma_mcnt && f->entries == 512)
		return false;

	if (f->limit_excl)
		past_limit = f->dma_get >= f->dma_limit;

	if ((!f->ib_mode && past_limit) || !mem(f, f->dma_get, &w)) {
		f->error = 6;
		return true;
	}

	f->dma_get += 4;
	if (f->ib_mode && !f->not_main)
		f->dma_mget = f->dma_get;

	if (f->lenp) {
		f->lenp = false;
		f->dma_mcnt = w & 0xffffff;
		return true;
	}

	if (f->dma_mcnt) {
		ref_data(f, w);
		return true;
	}

	f->rsvd = w;
	if (!f->ib_mode && ref_flow(f, w))
		return true;
	if (ref_header(f, w))
		return true;

	f->error = 4;
	if (!f->get_advances) {
		f->dma_get = old;
		f->dma_mget = old_mget;
	}

	return true;
}

/* Take an entry of the ring. */
static void ref_entry(struct ref *f)
{
	uint32_t *e = f->ring[f->ib_get];
	uint32_t len = f->long_len ? e[1] >> 10 : e[1] << 1 >> 11;

	f->ib_get = (f->ib_get + 1) & ((1 << RING_ORDER) - 1);
	if (f->skip && (e[0] & 1))
		return;
	if (!len) {
		f->error = 5;
		return;
	}

	f->dma_get = (e[0] & ~3u) | (uint64_t)(e[1] & 0xff) << 32;
	f->dma_put = f->dma_get + 4ull * len;
	f->not_main = e[1] >> 9 & 1;
	f->unk8 = e[1] >> 8 & 1;
	f->subr_active = f->level && f->not_main;
	if (!f->not_main) {
		f->dma_mget = f->dma_get;
		f->mget_valid = true;
	}
}

/* One step; false when there is none to take. */
static bool ref_step(struct ref *f)
{
	if (f->error)
		return false;
	if (f->dma_get != f->dma_put)
		return ref_word(f);
	if (!f->ib_mode || f->ib_get == f->ib_put)
		return false;

	ref_entry(f);
	return true;
}

static uint32_t random_method(void)
{
	static const uint16_t some[] = { 0x00, 0x10, 0x14, 0x18, 0x1c, 0x20, 0x24, 0x28, 0x50, 0x60,
					 0x64, 0x68, 0x6c, 0x80, 0x100, 0x180, 0x1ffc };

	if (below(16) == 0)
		return (rnd() & 0x7ff) << 2;
	return some[below(sizeof(some) / sizeof(some[0]))];
}

static uint32_t random_word(bool ib_mode)
{
	uint32_t head = below(8) << 13 | random_method();

	switch (below(ib_mode ? 12 : 24)) {
	case 0 ... 2:
		return below(4) << 18 | head;
	case 3 ... 5:
		return 0x40000000 | below(6) << 18 | head;
	case 6:
		return 0x00030000 | head;
	case 7:
		return below(5);
	case 8:
		return 0x00010000 | below(4) << 4;
	case 9:
		return below(64) ? 0 : rnd();
	case 10 ... 11:
		return 0;
	case 12 ... 13:
		return (VA_PUSH + below(PUSH_WORDS) * 4) | 1;
	case 14:
		return (VA_PUSH + below(PUSH_WORDS) * 4) | 2;
	case 15:
		return 0x00020000;
	case 16:
		return 0x20000000 | (VA_PUSH + below(PUSH_WORDS) * 4);
	}

	return below(3) << 18 | head;
}

#define CHECK(what, have, want) \
	do { \
		uint64_t have_ = (have), want_ = (want); \
		if (have_ != want_) { \
			printf("# %s: model %llx, pseudocode %llx\n", what, \
			       (unsigned long long)have_, (unsigned long long)want_); \
			ok = false; \
		} \
	} while (0)

static bool compare(struct rig *r, const struct ref *f)
{
	uint32_t state = rd(r, NV_CACHE1_DMA_STATE), i;
	bool ok = true;

	CHECK("error", state >> 29, f->error);
	CHECK("NONINC", state & 1, f->ni);
	CHECK("IB_UNK8", state >> 1 & 1, f->unk8);
	CHECK("METHOD", state & 0x1ffc, f->mthd);
	CHECK("SUBCHANNEL", state >> 13 & 7, f->subc);
	CHECK("LARGE_LEN_PENDING", state >> 16 & 1, f->lenp);
	CHECK("SUBROUTINE_ACTIVE", state >> 17 & 1, f->subr_active);
	CHECK("NON_MAIN", state >> 18 & 1, f->not_main);
	CHECK("GET", rd(r, NV_CACHE1_DMA_GET) | (uint64_t)rd(r, NV_CACHE1_DMA_GET_HIGH) << 32,
	      f->dma_get);
	CHECK("PUT", rd(r, NV_CACHE1_DMA_PUT) | (uint64_t)rd(r, NV_CACHE1_DMA_PUT_HIGH) << 32,
	      f->dma_put);
	CHECK("IB_GET", rd(r, NV_CACHE1_IB_GET), f->ib_get);

	/* The channel's page: the high half follows the low one. */
	CHECK("page GET", rd(r, user(1, NV_USER_DMA_GET)), f->dma_get & 0xffffffff);
	CHECK("page GET_HIGH", rd(r, user(1, NV_USER_DMA_GET_HIGH)), f->dma_get >> 32);
	CHECK("page PUT", rd(r, user(1, NV_USER_DMA_PUT)), f->dma_put & 0xffffffff);
	CHECK("page PUT_HIGH", rd(r, user(1, NV_USER_DMA_PUT_HIGH)), f->dma_put >> 32);
	CHECK("page CGET", rd(r, user(1, NV_USER_DMA_CGET)),
	      f->subr_active ? f->subr_return : f->dma_get & 0xffffffff);
	CHECK("page IB_GET", rd(r, user(1, NV_USER_IB_GET)), f->ib_get);
	CHECK("page IB_PUT", rd(r, user(1, NV_USER_IB_PUT)), f->ib_put);
	CHECK("METHOD_COUNT", rd(r, NV_CACHE1_METHOD_COUNT), f->dma_mcnt);
	CHECK("DCOUNT", rd(r, NV_CACHE1_DMA_DCOUNT_SHADOW), f->dcount);
	CHECK("RSVD", rd(r, NV_CACHE1_DMA_RSVD_SHADOW), f->rsvd);
	CHECK("DATA", rd(r, NV_CACHE1_DMA_DATA_SHADOW), f->data);
	CHECK("JMP", rd(r, NV_CACHE1_DMA_GET_JMP_SHADOW), f->jmp_shadow);
	CHECK("SUBROUTINE", rd(r, NV_CACHE1_SUBROUTINE), f->subr_return);
	CHECK("SLI", rd(r, NV_PFIFO_SLI) >> 28 & 1, f->sli_active);
	if (f->ib_mode) {
		CHECK("MGET", rd(r, NV_CACHE1_DMA_MGET), f->dma_mget & 0xffffffff);
		CHECK("page MGET", rd(r, user(1, NV_USER_DMA_MGET)), f->dma_mget & 0xffffffff);
		CHECK("page MGET_HIGH", rd(r, user(1, NV_USER_DMA_MGET_HIGH)) & 0xff,
		      f->dma_mget >> 32);
		CHECK("MGET_VALID", rd(r, NV_CACHE1_DMA_MGET_HIGH) >> 31, f->mget_valid);
	}

	CHECK("CACHE entries", rd(r, NV_CACHE1_PUT) >> 2, f->entries);

	for (i = 0; i < f->entries && ok; i++) {
		CHECK("CACHE method", rd(r, NV_REG_AT(NV_CACHE1_CACHE_MTHD, i)), f->cache[i][0]);
		CHECK("CACHE data", rd(r, NV_REG_AT(NV_CACHE1_CACHE_DATA, i)), f->cache[i][1]);
	}

	return ok && clean(r);
}

static void fill(struct rig *r, struct ref *f, uint32_t quirks)
{
	unsigned int i, entries;

	for (i = 0; i < PUSH_WORDS; i++) {
		f->words[i] = random_word(f->ib_mode);
		ram_set(r, RAM_PUSH(1) + i * 4, f->words[i]);
	}

	if (!f->ib_mode) {
		f->dma_get = VA_PUSH;
		f->dma_put = VA_PUSH;
		return;
	}

	entries = 1 + below((1 << RING_ORDER) - 1);

	for (i = 0; i < entries; i++) {
		uint32_t first = below(PUSH_WORDS - 64), len = 1 + below(64);
		uint64_t at = VA_PUSH + first * 4 + (below(3) ? 0 : VA_HIGH);
		uint32_t w0 = (uint32_t)at, w1 = len << 10 | below(2) << 9 | at >> 32;

		if (below(200) == 0)
			w1 &= 0x3ff;
		if (below(200) == 0)
			w0 = VA_PUSH + (PUSH_WORDS - 3) * 4;
		if (f->skip)
			w0 |= below(8) ? 0 : below(4);
		if (quirks & 1u << NVSIM_QUIRK_IB_BIT8)
			w1 |= below(2) << 8;

		/* Without a meaning as length this bit has none at all. */
		if (below(f->long_len ? 100 : 4) == 0)
			w1 |= 1u << 31;
		f->ring[i][0] = w0;
		f->ring[i][1] = w1;
		ib_raw(r, 1, w0, w1);
	}

	f->entries_written = entries;
}

/* The producer submits all or a part of the remaining words. */
static void put(struct rig *r, struct ref *f)
{
	if (f->ib_mode) {
		f->ib_put = below(2) ? f->entries_written : below(f->entries_written + 1);
		wr(r, user(1, NV_USER_IB_PUT), f->ib_put);
		return;
	}

	f->dma_put = VA_PUSH + below(PUSH_WORDS + 1) * 4;
	if (below(20) == 0)
		f->dma_put += VA_HIGH;

	wr(r, user(1, NV_USER_DMA_PUT_HIGH), f->dma_put >> 32);
	wr(r, user(1, NV_USER_DMA_PUT), (uint32_t)f->dma_put);
}

static void start_channel(struct rig *r, struct ref *f)
{
	uint32_t sli = below(3), i;

	rig_init_pfifo(r);
	wr(r, NV_CACHE1_PULL0, 0);
	channel_create(r, 1, f->ib_mode);

	/* nothing is mapped after the push buffer */
	for (i = PUSH_WORDS * 4; i < 0x10000; i += 0x1000)
		map_raw(r, 1, VA_PUSH + i, 0);

	vwr(r, CHAN_BASE(1) + pd_offset(r) + (uint32_t)(VA_HIGH >> 29) * 8, PT_BASE(1) | 0x63);
	f->sli_mask = sli == 2 ? 2 : 1;
	f->sli_enable = sli != 0;
	f->sli_active = sli != 0;
	vwr(r, ramfc(r, 1) + 0x7c, (sli ? 0x30000000 : 0) | f->sli_mask);
	if (!f->ib_mode)
		vwr(r, ramfc(r, 1) + 0x4c, (uint32_t)f->dma_limit);

	bar_flush(r);
	playlist(r, 1, 1);
}

static bool one_stream(const char *chip, bool ib_mode, uint32_t quirks, unsigned int *kinds)
{
	struct nvsim_config cfg = {
		.chipset = chip,
		.vram_size = 20 << 20,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.quirks = quirks,
	};
	struct ref f = {
		.ib_mode = ib_mode,
		.get_advances = quirks >> NVSIM_QUIRK_INVALID_CMD_GET & 1,
		.limit_excl = quirks >> NVSIM_QUIRK_DMA_LIMIT & 1,
		.skip = quirks >> NVSIM_QUIRK_IB_WORD0 & 1,
		.level = quirks >> NVSIM_QUIRK_IB_BIT9 & 1,
		.long_len = quirks >> NVSIM_QUIRK_IB_BIT31 & 1,
		.dma_limit = below(2) ? 0xffffffff : VA_PUSH + below(16) * 4,
		.chip = chip,
	};
	struct rig *r = rig_create_cfg(&cfg);
	unsigned int steps = 0;
	bool ok = true, more = true;
	uint32_t i;

	start_channel(r, &f);
	fill(r, &f, quirks);

	do
		put(r, &f);

	while (f.ib_put == f.ib_get && f.dma_put == f.dma_get);
	nvsim_run(r->sim, 1);

	while (ok && more && steps < 3000) {
		unsigned int n = below(50) + 1;

		for (i = 0; i < n && more; i++) {
			more = ref_step(&f);
			if (more)
				nvsim_run(r->sim, 1);
		}
		steps += n;
		ok = compare(r, &f);
		if (ok && below(4) == 0) {
			put(r, &f);
			more = true;
		}
	}

	/* If the pseudocode stops, the model must also stop. */
	if (ok && !more) {
		nvsim_run(r->sim, 10);
		ok = compare(r, &f);
	}

	kinds[f.error]++;
	rig_destroy(r);

	return ok;
}

int main(int argc, char **argv)
{
	static const char *const chips[] = { "g80", "g84", "mcp89" };
	unsigned int count = argc > 1 ? nvfifo_text_value(argv[1], 0) : 100, i, n, kinds[7] = { 0 };
	const char *env = getenv("SEED");
	bool all = true;

	if (env)
		seed = nvfifo_text_value(env, 0) | 1;

	for (i = 0; i < 12; i++) {
		const char *chip = chips[i % 3];
		bool ib_mode = i / 3 & 1, other = i / 6 & 1;
		const char *mode, *sides;
		uint32_t start = 0, quirks = 0;
		bool ok = true;

		for (n = 0; n < count && ok; n++) {
			start = seed;
			quirks = other ? rnd() & ((1u << NVSIM_QUIRK_POSTED_UNITS) - 1) : 0;
			ok = one_stream(chip, ib_mode, quirks, kinds);
		}

		if (!ok)
			printf("# stream %u, seed %u, quirks %x\n", n, start, quirks);
		mode = ib_mode ? "IB" : "NV04";
		sides = other ? "random quirks" : "default sides";
		tap(ok, "%s, %s mode, %s: %u streams", chip, mode, sides, count);
	}

	for (i = 0; i < 7; i++) {
		printf("# %u streams ended with error %u\n", kinds[i], i);
		all = all && kinds[i];
	}

	/* Few streams need not meet them all. */
	tap(count < 40 || all, "every error came up");

	return tap_end();
}
