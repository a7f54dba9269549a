// SPDX-License-Identifier: MIT
/*
 * The quirks on which sources disagree: both sides of each. Also tests that need many
 * channels: 126 channels that pass a token round, and a ring without an end.
 */
#define RIG_ALL_CHANNELS
#include "rig.h"

static struct rig *ready(const char *chip, uint64_t quirks)
{
	struct nvsim_config cfg = {
		.chipset = chip,
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.quirks = quirks,
	};
	struct rig *r = rig_create_cfg(&cfg);

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	playlist(r, 1, 1);

	return r;
}

static uint32_t ref(struct rig *r, unsigned int n)
{
	return rd(r, user(n, NV_USER_REF));
}

static void test_parse(void)
{
	struct nvsim_config cfg = { 0 };
	const char *name, *value, *other, *help;
	char err[400], text[100];
	unsigned int i;
	bool ok = true;

	for (i = 0; nvsim_quirk_describe(i, &name, &value, &other, &help); i++) {
		snprintf(text, sizeof(text), "%s=%s", name, other);
		ok &= nvsim_quirk_parse(&cfg, text, err, sizeof(err)) && cfg.quirks == 1ull << i;
		snprintf(text, sizeof(text), "%s=%s", name, value);
		ok &= nvsim_quirk_parse(&cfg, text, err, sizeof(err)) && !cfg.quirks;
		ok &= help[0] != 0;
	}

	tap(ok && i == NVSIM_QUIRK_COUNT, "each point has a name and two sides");
	tap(!nvsim_quirk_parse(&cfg, "quark=1", err, sizeof(err)) && strstr(err, "ib-word0") &&
		    strstr(err, "ectx-word3"),
	    "a wrong name is answered with all names");
	tap(!nvsim_quirk_parse(&cfg, "ib-word0=no", err, sizeof(err)) &&
		    strstr(err, "ib-word0=unused or ib-word0=skip"),
	    "a wrong side with both sides");
	tap(!nvsim_quirk_parse(&cfg, "ib-word0", err, sizeof(err)) &&
		    !nvsim_quirk_parse(&cfg, "", err, sizeof(err)) &&
		    !nvsim_quirk_parse(&cfg, "ib-word", err, sizeof(err)) && !cfg.quirks,
	    "as is anything that is no name with a side");
}

static void test_control(void)
{
	struct rig *r = ready("g84", 0);

	ctl(r, NVSIM_CTL_QUIRK, NVSIM_QUIRK_INVALID_CMD_GET << 8 | 1);
	tap(ctl_result(r) == 0, "the control capability changes sides");
	ctl(r, NVSIM_CTL_QUIRK, NVSIM_QUIRK_INVALID_CMD_GET << 8);
	tap(ctl_result(r) == 1, "and tells where it was");
	ctl(r, NVSIM_CTL_QUIRK, NVSIM_QUIRK_COUNT << 8);
	tap(ctl_result(r) == ~0u, "there are no more points");
	ctl(r, NVSIM_CTL_QUIRK, 2);
	tap(ctl_result(r) == ~0u && clean(r), "nor sides");
	rig_destroy(r);
}

/* Three entries for channel 1: REF 1, the one in question, REF 3 */
static void three_entries(struct rig *r, uint32_t w0, uint32_t w1)
{
	static const uint32_t words[] = { M(0, 0x50, 1), 1, M(0, 0x50, 1), 2, M(0, 0x50, 1), 3 };
	uint32_t at = push_words(r, 1, words, 6);

	ib_raw(r, 1, VA_PUSH + at, 2 << 10);
	ib_raw(r, 1, (VA_PUSH + at + 8) | w0, 2 << 10 | w1);
	doorbell(r, 1);
	run(r);
}

static void test_ib_word0(void)
{
	struct rig *r = ready("g96", 0);

	three_entries(r, 1, 0);
	tap(ref(r, 1) == 2 && violated(r, "bits 1:0"), "ib-word0=unused: bit 0 is a mistake");
	rig_destroy(r);

	r = ready("g96", 1ull << NVSIM_QUIRK_IB_WORD0);
	three_entries(r, 1, 0);
	tap(ref(r, 1) == 1 && rd(r, user(1, NV_USER_IB_GET)) == 2 && clean(r),
	    "ib-word0=skip: bit 0 skips the entry");

	ib_raw(r, 1, 1, 0);
	doorbell(r, 1);
	run(r);
	tap(!rd(r, NV_PFIFO_INTR) && clean(r), "ib-word0=skip: which may be empty then");
	rig_destroy(r);
}

/* Two channels with short slices; how often PFIFO changes while 1 runs 200 methods */
static uint64_t switches(uint64_t quirks, uint32_t w0)
{
	struct rig *r = ready("g96", quirks);
	struct nvsim_stats before, after;
	uint32_t words[201], i, at;

	channel_create(r, 2, true);
	vwr(r, ramfc(r, 1) + 0x44, 0x01000010);
	vwr(r, ramfc(r, 2) + 0x44, 0x01000010);
	bar_flush(r);
	playlist(r, 2, 1, 2);
	words[0] = NI(0, 0x50, 200);

	for (i = 1; i <= 200; i++)
		words[i] = i;

	nvsim_get_stats(r->sim, &before);

	for (i = 1; i <= 2; i++) {
		at = push_words(r, i, words, 201);
		ib_raw(r, i, (VA_PUSH + at) | (i == 1 ? w0 : 0), 201 << 10);
		doorbell(r, i);
	}

	run(r);
	nvsim_get_stats(r->sim, &after);
	i = ref(r, 1) == 200 && ref(r, 2) == 200;
	rig_destroy(r);

	return i ? after.switches - before.switches : 0;
}

static void test_no_switch(void)
{
	uint64_t with = switches(1ull << NVSIM_QUIRK_IB_WORD0, 2);

	tap(switches(0, 0) > 20, "two channels share PFIFO by slices");
	tap(with >= 2 && with <= 4, "ib-word0=skip: bit 1 keeps the channel (%u switches)",
	    (unsigned int)with);
}

static void test_ib_bit8(void)
{
	static const uint32_t words[] = { M(0, 0x50, 1), 5 };
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g98", side << NVSIM_QUIRK_IB_BIT8);
		const char *name = side ? "privileged" : "unknown";
		bool judged, pages;

		/* a page for supervisors only */
		map_raw(r, 1, VA_PUSH + 0x1000, (RAM_BASE + RAM_PUSH(1) + 0x1000) | 0x61);
		bar_flush(r);
		r->push_at[1] = 0x1000;
		push_words(r, 1, words, 2);
		ib_raw(r, 1, VA_PUSH + 0x1000, 2 << 10 | 1 << 8);
		doorbell(r, 1);
		run(r);
		judged = side ? clean(r) : violated(r, "bit 8");
		tap((rd(r, NV_CACHE1_DMA_STATE) & 2) && judged, "ib-bit8=%s: shows in DMA_STATE", name);
		pages = side ? ref(r, 1) == 5 : (rd(r, NV_PFB_VM_FAULT_DATA) & 0xf0) == 0x30;
		tap(pages, "ib-bit8=%s: %s supervisor's pages", name, side ? "reads" : "does not read");
		if (side) {
			ib_raw(r, 1, VA_PUSH + 0x1000, 2 << 10);
			doorbell(r, 1);
			run(r);
			tap((rd(r, NV_PFB_VM_FAULT_DATA) & 0xf0) == 0x30 && clean(r),
			    "ib-bit8=privileged: without the bit it faults");
		}

		rig_destroy(r);
	}
}

static void test_ib_bit9(void)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g92", side << NVSIM_QUIRK_IB_BIT9);
		uint32_t mget, level = side ? 3 : 2;

		three_entries(r, 0, 0x200);
		mget = rd(r, user(1, NV_USER_DMA_MGET));
		tap(ref(r, 1) == 2 && mget == VA_PUSH + 8 &&
			    (rd(r, NV_CACHE1_DMA_STATE) >> 17 & 3) == level && clean(r),
		    "ib-bit9=%s: MGET stays", side ? "level" : "not-main");
		rig_destroy(r);
	}
}

static void test_ib_bit31(void)
{
	struct rig *r = ready("gt218", 0);

	three_entries(r, 0, 1u << 31);
	tap(ref(r, 1) == 2 && !rd(r, NV_PFIFO_INTR) && clean(r),
	    "ib-bit31=no-prefetch: an entry like any other");

	ib_raw(r, 1, VA_PUSH, 1u << 31);
	doorbell(r, 1);
	run(r);
	tap(rd(r, NV_CACHE1_DMA_STATE) >> 29 == 5 && clean(r),
	    "ib-bit31=no-prefetch: also if it is empty");
	rig_destroy(r);

	r = ready("gt218", 1ull << NVSIM_QUIRK_IB_BIT31);
	three_entries(r, 0, 1u << 31);
	tap(rd(r, NV_CACHE1_DMA_PUT) == VA_PUSH + 8 + 4 * ((1u << 21) + 2),
	    "ib-bit31=length: 2^21 words more");
	rig_destroy(r);
}

static void test_user(void)
{
	struct rig *r = ready("g84", 0);

	wr(r, user(1, 0x50), 7);
	tap(ref(r, 1) == 0 && violated(r, "no such writable register"), "user-50-80=unknown");
	wr(r, user(1, 0x80), 0);
	tap(violated(r, "no such writable register"), "user-50-80=unknown: nor 0x80");
	rig_destroy(r);

	r = ready("g84", 1ull << NVSIM_QUIRK_USER_50_80);
	wr(r, user(1, 0x50), 7);
	tap(ref(r, 1) == 7, "user-50-80=methods: 0x50 sets REF, also of an unloaded channel");

	submit(r, 1, M(0, 0x50, 1), 8);
	run(r);
	wr(r, user(1, 0x80), 0);
	tap(rd(r, NV_PFIFO_TIMESLICE) == 0x3ffff && clean(r), "user-50-80=methods: 0x80 yields");
	rig_destroy(r);
}

static void test_pfifo_tlb(void)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g94", side << NVSIM_QUIRK_PFIFO_TLB);
		static const uint32_t other[] = { M(0, 0x50, 1), 9 };

		submit(r, 1, M(0, 0x50, 1), 1);
		run(r);

		/* Map the push buffer's address to another page, without a flush. */
		map_ram(r, 1, VA_PUSH, RAM_PUSH(1) + 0x2000);
		bar_flush(r);
		ram_set(r, RAM_PUSH(1) + 0x2000, other[0]);
		ram_set(r, RAM_PUSH(1) + 0x2004, other[1]);
		ib_raw(r, 1, VA_PUSH, 2 << 10);
		doorbell(r, 1);
		run(r);
		nvsim_settle(r->sim);
		if (side)
			tap(ref(r, 1) == 9 && clean(r), "pfifo-tlb=coherent: the new page");
		else
			tap(ref(r, 1) == 1 && violated(r, "stale"), "pfifo-tlb=flush: the old page");
		rig_destroy(r);
	}
}

static void test_dma_limit(void)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g80", side << NVSIM_QUIRK_DMA_LIMIT);
		static const uint32_t words[] = { M(0, 0x50, 1), 1, M(0, 0x50, 1), 2 };

		channel_create(r, 2, false);
		vwr(r, ramfc(r, 2) + 0x4c, VA_PUSH + 12);
		bar_flush(r);
		playlist(r, 1, 2);
		push_words(r, 2, words, 4);
		wr(r, user(2, NV_USER_DMA_PUT), VA_PUSH + 16);
		run(r);
		tap(ref(r, 2) == 2 - side && (rd(r, NV_CACHE1_DMA_STATE) >> 29 == 6) == side &&
			    clean(r),
		    "dma-limit=%s", side ? "exclusive" : "inclusive");
		rig_destroy(r);
	}
}

static void test_ectx(void)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g84", side << NVSIM_QUIRK_ECTX_WORD3);
		bool judged;

		/* PGRAPH's context object, read as a semaphore's */
		put_dmaobj(r, CHAN_BASE(1) + 0x20, 0x7fc0003d, VA_SEM, VA_SEM + 0xffff);
		vwr(r, CHAN_BASE(1) + 0x2c, 0x00140000);
		ramht_insert(r, 1, hash9(0x77), 0x77, 0x2);
		bar_flush(r);
		submit(r, 1, M(0, 0x60, 1), 0x77, M(0, 0x64, 1), 0x10, M(0, 0x6c, 1), 3);
		run(r);
		judged = side ? clean(r) : violated(r, "bits 23:8 of word 3");
		tap(ram32(r, RAM_SEM + 0x10) == 3 && judged, "ectx-word3=%s",
		    side ? "low" : "high");
		rig_destroy(r);
	}
}

/* IB_PUT past the ring: PFIFO reads its entries for ever, other channels continue. */
static void test_endless_ring(const char *chip)
{
	struct rig *r = ready(chip, 0);
	struct nvsim_stats st;
	unsigned int i;
	bool ok = true;

	channel_create(r, 2, true);
	playlist(r, 2, 1, 2);

	for (i = 0; i < 1u << RING_ORDER; i++)
		ib_raw(r, 1, VA_PUSH, 1 << 10);

	wr(r, user(1, NV_USER_IB_PUT), 1 << RING_ORDER);
	tap(violated(r, "the ring has"), "%s: IB_PUT past the ring is a mistake", chip);

	for (i = 0; i < 20; i++) {
		uint64_t next;

		nvsim_run(r->sim, 10000);
		submit(r, 2, M(0, 0x50, 1), i + 1);
		next = nvsim_run(r->sim, 10000);
		ok &= ref(r, 2) == i + 1 && next && next <= 1000000;
		r->now += 60000;
	}

	nvsim_get_stats(r->sim, &st);
	tap(ok, "%s: others run, and there is time between two rounds", chip);
	tap(st.ib_entries > 20 * (1u << RING_ORDER), "%s: it goes on for ever (%u entries)", chip,
	    (unsigned int)st.ib_entries);

	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1));
	playlist(r, 1, 2);
	if (r->g80)
		wr(r, NV_PME_CONTROL, 1);

	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1) >> 12);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && clean(r), "%s: until it is kicked", chip);
	rig_destroy(r);
}

/* Each channel waits for its number in the semaphore and writes the next one. */
static void test_126(const char *chip)
{
	struct rig *r = ready(chip, 0);
	unsigned int n, round, i;
	uint32_t at = PLAYLIST_B;

	for (n = 2; n <= 126; n++)
		channel_create(r, n, true);

	for (i = 0; i < 126; i++)
		vwr(r, at + i * 4, 126 - i);

	bar_flush(r);
	wr(r, NV_CACHE1_PLAYLIST, at >> 12);
	wr(r, NV_CACHE1_PLAYLIST_LEN, 126);

	for (round = 0; round < 3; round++)
		for (n = 126; n >= 1; n--)
			submit(r, n, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x40, M(0, 0x68, 1),
			       round * 126 + n, M(0, 0x6c, 1), round * 126 + n + 1,
			       M(0, 0x50, 1), round + 1);

	ram_set(r, RAM_SEM + 0x40, 1);

	for (i = 0; i < 2000 && ram32(r, RAM_SEM + 0x40) != 3 * 126 + 1; i++) {
		run(r);
		r->now += 60000;
	}

	tap(ram32(r, RAM_SEM + 0x40) == 3 * 126 + 1 && ref(r, 1) == 3 && ref(r, 126) == 3 &&
		    clean(r),
	    "%s: 126 channels hand a token round three times", chip);
	rig_destroy(r);
}

int main(void)
{
	test_parse();
	test_control();
	test_ib_word0();
	test_no_switch();
	test_ib_bit8();
	test_ib_bit9();
	test_ib_bit31();
	test_user();
	test_pfifo_tlb();
	test_dma_limit();
	test_ectx();
	test_endless_ring("g80");
	test_endless_ring("mcp79");
	test_126("g80");
	test_126("gt216");

	return tap_end();
}
