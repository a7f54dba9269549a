// SPDX-License-Identifier: MIT
/*
 * The quirks that no source decides: both sides of each, and the mixes that --adverse
 * selects. test_quirk.c has the other quirks.
 */
#include "rig_gr.h"

#define Q(name)		(1ull << NVSIM_QUIRK_##name)

#define TIMESLICE_END	0x20000u

static struct rig *card(const char *chip, uint64_t quirks)
{
	struct nvsim_config cfg = {
		.chipset = chip,
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.quirks = quirks,
		.engine_context = NVSIM_ENGINE_REQUIRE,
	};

	return rig_create_cfg(&cfg);
}

static struct rig *ready(const char *chip, uint64_t quirks)
{
	struct rig *r = card(chip, quirks);

	rig_init_pfifo(r);
	if (r->g80) {
		wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) | 2);
		wr(r, NV_PME_CONTROL, 1);
	}

	channel_create(r, 1, true);
	playlist(r, 1, 1);

	return r;
}

static uint32_t ref(struct rig *r, unsigned int n)
{
	return rd(r, user(n, NV_USER_REF));
}

static unsigned int chid(struct rig *r)
{
	return rd(r, NV_CACHE1_PUSH1) & 0x7f;
}

/* --- after POST --- */

static void test_posted_units(void)
{
	struct nvsim_config cfg = {
		.chipset = "g84",
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.pmc_enable = 0x00110011,
	};
	struct rig *r = card("g84", Q(POSTED_UNITS));

	tap(rd(r, NV_PMC_ENABLE) & NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH), "posted-units=all");
	rig_destroy(r);
	r = card("g80", 0);
	tap(rd(r, NV_PMC_ENABLE) == 0x40110111, "posted-units=least: neither PGRAPH nor PVPE");
	rd(r, NV_PGRAPH_STATUS);
	tap(violated(r, "switched off in PMC.ENABLE"), "posted-units=least: PGRAPH is in reset");
	rig_destroy(r);
	r = rig_create_cfg(&cfg);
	tap(rd(r, NV_PMC_ENABLE) == 0x00110011, "PMC.ENABLE can be anything");
	rig_destroy(r);
}

static void test_posted_ptimer(void)
{
	struct rig *r = card("g92", 0);
	uint32_t before = rd(r, NV_PTIMER_TIME_LOW);

	r->now += 1000000;
	tap(rd(r, NV_PTIMER_TIME_LOW) == before, "posted-ptimer=stands");

	wr(r, NV_PTIMER_CLOCK_SOURCE, 2);
	wr(r, NV_PTIMER_CLOCK_DIV, 324);
	wr(r, NV_PTIMER_CLOCK_MUL, 125);
	r->now += 1000000;
	tap(rd(r, NV_PTIMER_TIME_LOW) - before >= 999968,
	    "posted-ptimer=stands: until its dividers are set");

	rig_destroy(r);
	r = card("g92", Q(POSTED_PTIMER));
	before = rd(r, NV_PTIMER_TIME_LOW);
	r->now += 1000000;
	tap(rd(r, NV_PTIMER_TIME_LOW) - before == 2000000, "posted-ptimer=runs: at twice the rate");
	wr(r, NV_PTIMER_CLOCK_DIV, 324);
	before = rd(r, NV_PTIMER_TIME_LOW);
	r->now += 1000000;
	tap(rd(r, NV_PTIMER_TIME_LOW) - before >= 999968, "posted-ptimer=runs: until it is set");
	rig_destroy(r);
}

/* Silence the units in the way that a driver must; PMC's mask of GT215 is not used. */
static void test_posted_irqs(enum nv_chip number)
{
	const char *chip = nvsim_chipset_names[number];
	struct rig *r = card(chip, Q(POSTED_IRQS));
	uint32_t all = NV_PMC_INTR_HOST__PTIMER | NV_PMC_INTR_HOST__PBUS |
		       NV_PMC_INTR_HOST__PDISPLAY | NV_PMC_INTR_HOST__PNVIO;
	uint32_t hot = number >= NV_CHIP_GT215 ? NV_PMC_INTR_HOST__PTHERM : 0;

	tap(rd(r, NV_PMC_INTR_HOST) == (all | hot) && rd(r, NV_PMC_INTR_EN_HOST) == 1,
	    "%s: posted-irqs=on: all are pending", chip);

	wr(r, NV_PTIMER_INTR, 1);
	wr(r, NV_PBUS_INTR, ~0u);
	wr(r, NV_PDISPLAY_INTR_0, ~0u);
	wr(r, NV_PDISPLAY_INTR_1, ~0u);
	wr(r, NV_PNVIO_GPIO_INTR_0, ~0u);
	if (number >= NV_CHIP_G94)
		wr(r, NV_PNVIO_GPIO_INTR_1, ~0u);
	if (number >= NV_CHIP_G94 && number != NV_CHIP_G200)
		wr(r, NV_PNVIO_AUXCH_INTR, ~0u);
	tap(rd(r, NV_PMC_INTR_HOST) == hot, "%s: posted-irqs=on: an acknowledgement ends each", chip);

	r->now += 2000000000;
	nvsim_run(r->sim, 1);
	tap(rd(r, NV_PMC_INTR_HOST) == ((all | hot) & ~NV_PMC_INTR_HOST__PTIMER),
	    "%s: posted-irqs=on: display, plugs and heat come again", chip);

	wr(r, NV_PBUS_INTR_EN, 0);
	wr(r, NV_PDISPLAY_INTR_EN_1, 0);
	wr(r, NV_PNVIO_GPIO_INTR_EN_0, 0);
	tap(rd(r, NV_PMC_INTR_HOST) == hot && clean(r), "%s: posted-irqs=on: masks hold them", chip);
	rig_destroy(r);

	r = card(chip, 0);
	r->now += 2000000000;
	nvsim_run(r->sim, 1);
	tap(!rd(r, NV_PMC_INTR_HOST) && !rd(r, NV_PMC_INTR_EN_HOST), "%s: posted-irqs=off", chip);
	rig_destroy(r);
}

static struct rig *left_card(const char *chip, enum nvsim_left left)
{
	struct nvsim_config cfg = {
		.chipset = chip,
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.left = left,
	};

	return rig_create_cfg(&cfg);
}

/* A software interrupt, as it needs no unit */
static bool delivers(struct rig *r)
{
	bool delivered;

	wr(r, NV_PMC_INTR_EN_HOST, 2);
	wr(r, NV_PMC_INTR_HOST, 1u << 31);
	delivered = !rd(r, NV_PMC_INTR_LN_HOST);
	wr(r, NV_PMC_INTR_HOST, 0);

	return delivered;
}

static void test_left(void)
{
	struct rig *r = left_card("gt215", NVSIM_LEFT_DAEMON_OFF);

	tap(!delivers(r), "left=daemon-off: no interrupt passes");
	wr(r, NV_PUNK022_PDAEMON_ENABLE, 1);
	tap(delivers(r), "left=daemon-off: but out of reset");
	rig_destroy(r);

	r = left_card("gt218", NVSIM_LEFT_DAEMON_IRQS);
	tap(!delivers(r), "left=daemon-irqs: none passes");
	wr(r, NV_PDAEMON_IREDIR_TRIGGER, NV_PDAEMON_IREDIR_TRIGGER__HOST);
	tap(delivers(r), "left=daemon-irqs: after HOST all do");
	wr(r, NV_PDAEMON_IREDIR_TRIGGER, NV_PDAEMON_IREDIR_TRIGGER__DAEMON);
	wr(r, NV_PUNK022_PDAEMON_ENABLE, 0);
	wr(r, NV_PUNK022_PDAEMON_ENABLE, 1);
	tap(delivers(r), "left=daemon-irqs: and after a reset");
	rig_destroy(r);

	r = left_card("g84", NVSIM_LEFT_DAEMON_OFF);
	tap(delivers(r), "left=daemon-off: the G84 has no PDAEMON");
	rig_destroy(r);

	r = left_card("g84", NVSIM_LEFT_CHANNEL);
	run(r);
	tap(rd(r, NV_CACHE1_PUSH1) == 0x10003 && rd(r, NV_CACHE1_DMA_STATE) >> 29 == 6 &&
		    rd(r, NV_PMC_INTR_HOST) & NV_PMC_INTR_HOST__PFIFO &&
		    rd(r, NV_PMC_INTR_HOST) & NV_PMC_INTR_HOST__PGRAPH,
	    "left=channel: PFIFO fetches, and faults");
	rig_destroy(r);

	r = left_card("mcp89", NVSIM_LEFT_NOUVEAU);
	run(r);
	tap(rd(r, NV_PFIFO_CACHES) == 1 && !rd(r, NV_PMC_INTR_HOST) &&
		    rd(r, NV_PMC_INTR_MASK_HOST) != ~0u,
	    "left=nouveau: PFIFO is on, and all units are silent");
	rig_destroy(r);
}

static void test_reset_idle(void)
{
	struct rig *r = card("g84", 0);
	uint32_t all;

	wr(r, NV_PMC_ENABLE, ~0u);
	all = rd(r, NV_PMC_ENABLE);
	tap(rd(r, NV_PFIFO_ENGINE_IDLE) == 0x3f, "reset-idle=clear: all units are on and idle");
	wr(r, NV_PMC_ENABLE, all & ~NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
	tap(rd(r, NV_PFIFO_ENGINE_IDLE) == 0x3e, "reset-idle=clear: PGRAPH in reset has no bit");

	rig_destroy(r);
	r = card("g84", Q(RESET_IDLE));
	wr(r, NV_PMC_ENABLE, all & ~NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
	tap(rd(r, NV_PFIFO_ENGINE_IDLE) == 0x3f, "reset-idle=set");
	rig_destroy(r);
}

static void test_bars(void)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = card("gt215", side ? 0 : Q(BARS));
		uint32_t all = rd(r, NV_PMC_ENABLE);
		uint32_t want = side ? 0x11223344 : 0x55667788;
		bool read_back;

		/* A write and a read that are lost */
		ctl(r, NVSIM_CTL_EXPECT_VIOLATION, side ? 2 : 0);
		nvsim_bar_write(r->sim, 1, 0x1000, 0x11223344, 4);
		wr(r, NV_PMC_ENABLE, all & ~NV_FLD_MASK(NV_PMC_ENABLE__PFIFO));
		nvsim_bar_write(r->sim, 1, 0x1000, 0x55667788, 4);
		read_back = nvsim_bar_read(r->sim, 1, 0x1000, 4) == 0x55667788;
		tap(read_back == !side && peek(r, 0x1000) == want,
		    "bars=%s: BAR1 with PFIFO off", side ? "pfifo" : "always");
		tap(vrd(r, 0x1000) == peek(r, 0x1000), "PMEM works either way");
		rig_destroy(r);
	}
}

/* --- kick --- */

static void kick(struct rig *r, unsigned int n)
{
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, n), chan_entry(r, n));
	playlist(r, 0);
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(n) >> 12);
	run(r);
}

/* The way out that pscnv takes: its slice ends while PFIFO may not change channels */
static void end_slice(struct rig *r)
{
	wr(r, NV_PFIFO_CACHES, 0);
	wr(r, NV_PFIFO_TIMESLICE, TIMESLICE_END);
	wr(r, NV_PFIFO_CACHES, 1);
	run(r);
}

static struct rig *loaded(const char *chip, uint64_t quirks)
{
	struct rig *r = ready(chip, quirks);

	if (!r->g80)
		wr(r, NV_PFIFO_ENGINE_CTRL, 1);
	submit(r, 1, M(0, 0x50, 1), 7);
	run(r);
	return r;
}

static void test_kick_unloads(const char *chip)
{
	struct rig *r = loaded(chip, 0);

	kick(r, 1);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && chid(r) == 127, "%s: kick-unloads=yes", chip);
	rig_destroy(r);

	r = loaded(chip, Q(KICK_UNLOADS));
	kick(r, 1);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && chid(r) == 1,
	    "%s: kick-unloads=no: the kick ends, the channel stays in PUSH1", chip);
	end_slice(r);
	tap(chid(r) == 127 && peek(r, ramfc(r, 1) + 0x74) == 7 && clean(r),
	    "%s: kick-unloads=no: the end of its slice takes it off and saves it", chip);
	rig_destroy(r);

	r = loaded(chip, Q(KICK_UNLOADS));
	channel_create(r, 2, true);
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1));
	playlist(r, 1, 2);
	submit(r, 2, M(0, 0x50, 1), 9);
	run(r);
	tap(chid(r) == 2 && ref(r, 2) == 9 && peek(r, ramfc(r, 1) + 0x74) == 7,
	    "%s: kick-unloads=no: another channel with work takes its place", chip);
	rig_destroy(r);
}

static void test_empty_playlist(const char *chip)
{
	struct rig *r = loaded(chip, Q(EMPTY_PLAYLIST));

	kick(r, 1);
	end_slice(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && chid(r) == 1,
	    "%s: empty-playlist=keep: neither kick nor slice take it off", chip);
	submit(r, 1, M(0, 0x50, 1), 8);
	run(r);
	tap(violated(r, "not both enabled") && ref(r, 1) == 7,
	    "%s: empty-playlist=keep: but it does not run", chip);

	wr(r, NV_PFIFO_FREEZE, 1);
	r->now += 4000;
	wr(r, NV_CACHE1_PUSH0, 0);
	wr(r, NV_CACHE1_PUSH1, 127);
	wr(r, NV_PFIFO_FREEZE, 0);
	r->now += 4000;
	wr(r, NV_CACHE1_PUSH0, 1);
	channel_create(r, 2, true);
	playlist(r, 1, 2);
	submit(r, 2, M(0, 0x50, 1), 5);
	run(r);
	tap(ref(r, 2) == 5 && clean(r), "%s: empty-playlist=keep: PUSH1 by hand frees PFIFO", chip);
	rig_destroy(r);
}

static void test_kick_mask_0(void)
{
	struct rig *r = loaded("g84", 0);

	wr(r, NV_PFIFO_ENGINE_CTRL, 0);
	kick(r, 1);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0, "kick-mask-0=ends");

	rig_destroy(r);
	r = loaded("g84", Q(KICK_MASK_0));
	wr(r, NV_PFIFO_ENGINE_CTRL, 0);
	kick(r, 1);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == ~0u, "kick-mask-0=hangs");

	rig_destroy(r);
	r = loaded("g84", Q(KICK_MASK_0));
	kick(r, 1);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && chid(r) == 127,
	    "kick-mask-0=hangs: one engine's bit will do");
	rig_destroy(r);
}

static void test_kick_error(void)
{
	static const char * const names[] = { "waits", "ends" };
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = loaded("g84", side ? Q(KICK_ERROR) : 0);

		submit(r, 1, M(0, 0x60, 1), 0xdead);
		run(r);
		kick(r, 1);
		tap(rd(r, NV_CACHE1_KICK_CHANNEL) == (side ? 0 : ~0u) && rd(r, NV_PFIFO_INTR),
		    "kick-error=%s: with an error that nobody has handled", names[side]);
		wr(r, NV_CACHE1_PULL0, 0x111);
		wr(r, NV_PFIFO_INTR, ~0u);
		run(r);
		tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && chid(r) == 127,
		    "kick-error=%s: and after its handler", names[side]);
		rig_destroy(r);
	}
}

/* --- Playlist and ring --- */

static void test_playlist_pending(const char *chip)
{
	bool g80 = !strcmp(chip, "g80");
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready(chip, side ? Q(PLAYLIST_PENDING) : 0);
		uint32_t pending = side || g80 ? 0x1 : 0x10;
		char answer[200];

		nvsim_command(r->sim, "delay playlist 40", answer, sizeof(answer));
		playlist(r, 1, 1);
		tap(rd(r, NV_CACHE1_PLAYLIST_LEN) >> 8 == pending,
		    "%s: playlist-pending=%s", chip, side ? "bit-8" : "bit-12");
		rig_destroy(r);
	}
}

/* Two entries and an index past the ring: the pusher stops after them, or goes on for ever. */
static void test_ib_put(void)
{
	static const uint32_t ref_1[] = { M(0, 0x50, 1), 1 }, ref_2[] = { M(0, 0x50, 1), 2 };
	static const char * const names[] = { "endless", "wraps" };
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g94", side ? Q(IB_PUT) : 0);

		ib_raw(r, 1, VA_PUSH + push_words(r, 1, ref_1, 2), 2 << 10);
		ib_raw(r, 1, VA_PUSH + push_words(r, 1, ref_2, 2), 2 << 10);
		wr(r, user(1, NV_USER_IB_PUT), (1u << RING_ORDER) + 1);
		run(r);
		tap(violated(r, "entries") && (ref(r, 1) == 1) == side,
		    "ib-put=%s: an index past the ring", names[side]);
		tap((rd(r, user(1, NV_USER_IB_PUT)) == 1) == side, "ib-put=%s: as it reads",
		    names[side]);
		rig_destroy(r);
	}
}

/* --- MMU --- */

/* A page of each kind next to each other; an LSR page must not reach the other one. */
static void test_bank_types(void)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g84", side ? Q(BANK_TYPES) : 0);
		uint32_t block = 2 * 4 * 512 * 8, at = 0x02000000;	/* two partitions */
		uint32_t first = side ? 0x11111111 : 0x77;
		uint32_t second = side ? 0x77 : 0x22222222;

		vwr(r, at, 0x11111111);
		vwr(r, at + block / 2, 0x22222222);
		map_raw(r, 1, VA_SEM, at | 1);
		map_raw(r, 1, VA_SEM + 0x1000, 0x0000180000000000ull | at | 1);
		bar_flush(r);
		tlb_flush(r, 5);
		submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x1000, M(0, 0x6c, 1), 0x77);
		run(r);
		tap(peek(r, at) == first && peek(r, at + block / 2) == second && clean(r),
		    "bank-types=%s: a page with a type of the other bank type",
		    side ? "move" : "plain");
		submit(r, 1, M(0, 0x64, 1), 0, M(0, 0x6c, 1), 0x78);
		run(r);
		tap(peek(r, at) == 0x78, "bank-types=%s: a usual one", side ? "move" : "plain");
		rig_destroy(r);
	}
}

static void test_dmaobj_read(void)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g98", side ? Q(DMAOBJ_READ) : 0);
		uint32_t object = CHAN_BASE(1) + CHAN_DMAOBJ + 0x20;
		uint32_t old_place = side ? 1 : 2;
		uint32_t new_place = side ? 2 : 0;

		submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0, M(0, 0x6c, 1), 1);
		run(r);

		/* The driver rewrites the object that the channel has bound. */
		vwr(r, object + 8, VA_SEM + 0x100);
		bar_flush(r);
		submit(r, 1, M(0, 0x6c, 1), 2);
		run(r);
		tap(ram32(r, RAM_SEM) == old_place && ram32(r, RAM_SEM + 0x100) == new_place &&
			    clean(r),
		    "dmaobj-read=%s", side ? "use" : "bind");
		rig_destroy(r);
	}
}

/* --- PFIFO --- */

static void vram_segment(struct rig *r, uint32_t value)
{
	vwr(r, 0x02000000, M(0, 0x50, 1));
	vwr(r, 0x02000004, value);
}

static uint32_t run_segment(struct rig *r)
{
	ib_raw(r, 1, VA_SEM + 0x1000, 2 << 10);
	doorbell(r, 1);
	run(r);
	return ref(r, 1);
}

static void test_vram_segments(void)
{
	static const char * const names[] = { "at-once", "ordered" };
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g200", side ? Q(VRAM_SEGMENTS) : 0);

		map_vram(r, 1, VA_SEM + 0x1000, 0x02000000);
		vram_segment(r, 1);
		bar_flush(r);
		tap(run_segment(r) == 1 && clean(r), "vram-segments=%s: after a BAR flush",
		    names[side]);
		vram_segment(r, 2);
		vrd(r, 0x02000004);
		tap(run_segment(r) == 2 && clean(r), "vram-segments=%s: after a read back",
		    names[side]);
		vram_segment(r, 3);
		tap(run_segment(r) == 3 - side && r->violations, "vram-segments=%s: after neither",
		    names[side]);
		r->violations = 0;
		bar_flush(r);
		tap(run_segment(r) == 3 && clean(r), "vram-segments=%s: at the latest now",
		    names[side]);
		rig_destroy(r);
	}
}

/*
 * The first entry waits in an acquire, with more methods after it than the CACHE holds, while
 * the CPU changes the second one's words.
 */
static uint32_t patched(uint64_t quirks, uint32_t flag)
{
	static const uint32_t wait[] = {
		M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0, M(0, 0x68, 1), 1,
	};
	static const uint32_t next[] = { M(0, 0x50, 1), 1 };
	struct rig *r = ready("gt216", quirks);
	uint32_t first = push_words(r, 1, wait, 6), second, v, i;
	static const uint32_t many = NI(0, 0x50, 600), zero;

	push_words(r, 1, &many, 1);

	for (i = 0; i < 600; i++)
		push_words(r, 1, &zero, 1);

	second = push_words(r, 1, next, 2);
	ib_raw(r, 1, VA_PUSH + first, 607 << 10);
	ib_raw(r, 1, VA_PUSH + second, 2 << 10 | flag);
	doorbell(r, 1);
	run(r);
	ram_set(r, RAM_PUSH(1) + second + 4, 2);
	ram_set(r, RAM_SEM, 1);
	r->now += 60000;
	run(r);
	v = ref(r, 1);
	if (!clean(r))
		v = ~0u;

	rig_destroy(r);

	return v;
}

static void test_ib_prefetch(void)
{
	tap(patched(0, 0) == 2, "ib-prefetch=none: the words as they are when it is their turn");
	tap(patched(Q(IB_PREFETCH), 0) == 1, "ib-prefetch=next: the words as they were");
	tap(patched(Q(IB_PREFETCH), 1u << 31) == 2, "ib-prefetch=next: not with NO_PREFETCH");
}

static void test_ramht_hash(void)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("g80", side ? Q(RAMHT_HASH) : 0);

		/* 16 entries are searched */
		vwr(r, ramfc(r, 1) + 0x80, CHAN_RAMHT >> 4);
		bar_flush(r);
		submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x50, 1), 1);
		run(r);
		tap(ref(r, 1) == !side && !!rd(r, NV_PFIFO_INTR) == side,
		    "ramht-hash=%s: a short search", side ? "channel" : "handle");
		rig_destroy(r);
		r = ready("g80", side ? Q(RAMHT_HASH) : 0);
		vwr(r, ramfc(r, 1) + 0x80, NV_FLD_MASK(NV_PFIFO_RAMHT__SEARCH_FULL) | CHAN_RAMHT >> 4);
		bar_flush(r);
		submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x50, 1), 1);
		run(r);
		tap(ref(r, 1) == 1 && clean(r), "ramht-hash=%s: a full search",
		    side ? "channel" : "handle");
		rig_destroy(r);
	}
}

/* Resume the puller after a failed look-up. */
static void repeat_lookup(struct rig *r)
{
	wr(r, NV_CACHE1_HASH, 0);
	wr(r, NV_PFIFO_INTR, NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR));
	wr(r, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
	run(r);
}

static void test_ramht_lookup(void)
{
	struct rig *r = ready("g80", 0);

	submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x50, 1), 1);
	run(r);
	tap(ref(r, 1) == 1 && clean(r), "ramht-lookup=finds: a look-up");
	rig_destroy(r);

	r = ready("g80", Q(RAMHT_LOOKUP));
	submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x50, 1), 1);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) == NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR) &&
	    rd(r, NV_CACHE1_PULL0) == NV_FLD_MASK(NV_CACHE1_PULL0__HASH_FAILED),
	    "ramht-lookup=misses: the first look-up");
	r->now += 1000 * 1000 * 1000;
	repeat_lookup(r);
	tap(ref(r, 1) == 1 && clean(r), "ramht-lookup=misses: the same once more, a second later");
	rig_destroy(r);
}

static uint32_t semaphore_instance(struct rig *r)
{
	return rd(r, NV_CACHE1_SEMAPHORE) >> 16;
}

/* No entry has handle 0. */
static void test_ramht_empty(void)
{
	struct rig *r = ready("g80", 0);

	submit(r, 1, M(0, 0x60, 1), 0, M(0, 0x50, 1), 1);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) == NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR) &&
	    rd(r, NV_CACHE1_PULL0) == NV_FLD_MASK(NV_CACHE1_PULL0__HASH_FAILED) && !ref(r, 1),
	    "ramht-empty=skipped: handle 0");
	rig_destroy(r);

	r = ready("g80", Q(RAMHT_EMPTY));
	submit(r, 1, M(0, 0x60, 1), 0, M(0, 0x50, 1), 1);
	run(r);
	tap(!rd(r, NV_PFIFO_INTR) && !semaphore_instance(r) && ref(r, 1) == 1,
	    "ramht-empty=zero: handle 0 names the channel structure");
	rig_destroy(r);
}

/* Channel 1 has looked H_SEM up, and waits with a stopped puller in front of the look-up of 2. */
static struct rig *stopped_at_lookup(uint64_t quirks)
{
	struct rig *r = ready("g84", quirks);

	ramht_insert(r, 1, hash9(2), 2, 1u << 20 | CHAN_DMAOBJ >> 4);
	bar_flush(r);
	submit(r, 1, M(0, 0x60, 1), H_SEM);
	run(r);
	wr(r, NV_CACHE1_PULL0, 0);
	submit(r, 1, M(0, 0x60, 1), 2, M(0, 0x50, 1), 1);
	run(r);
	tap(rd(r, NV_CACHE1_HASH) == (CHAN_DMAOBJ + 0x20) >> 4 && ref(r, 1) == 0 && clean(r),
	    "puller-stop: HASH has the last look-up");

	return r;
}

/* Start the puller, and stop it before it executes anything. */
static void stop_again(struct rig *r)
{
	wr(r, NV_CACHE1_PULL0, 1);
	wr(r, NV_CACHE1_PULL0, 0);
}

static void test_puller_stop(void)
{
	const uint32_t last = (CHAN_DMAOBJ + 0x20) >> 4, right = CHAN_DMAOBJ >> 4;
	const uint32_t failed = NV_FLD_MASK(NV_CACHE1_PULL0__HASH_FAILED);
	struct rig *r = stopped_at_lookup(0);

	stop_again(r);
	wr(r, NV_CACHE1_PULL0, 1);
	run(r);
	tap(ref(r, 1) == 1 && semaphore_instance(r) == right && clean(r),
	    "puller-stop=clean: a look-up after a stop");
	rig_destroy(r);

	r = stopped_at_lookup(Q(PULLER_STOP));
	stop_again(r);
	tap(!(rd(r, NV_CACHE1_PULL0) & failed), "puller-stop=spoils: the first stop raises nothing");
	wr(r, NV_CACHE1_PULL0, 1);
	run(r);
	tap(ref(r, 1) == 1 && semaphore_instance(r) == last,
	    "puller-stop=spoils: the look-up gives the last instance");
	rig_destroy(r);

	r = stopped_at_lookup(Q(PULLER_STOP));
	stop_again(r);
	wr(r, NV_CACHE1_HASH, 0);
	wr(r, NV_CACHE1_PULL0, 1);
	run(r);
	tap(ref(r, 1) == 1 && semaphore_instance(r) == right && clean(r),
	    "puller-stop=spoils: the right one, if HASH is cleared");
	rig_destroy(r);

	r = stopped_at_lookup(Q(PULLER_STOP));
	stop_again(r);
	stop_again(r);
	tap(rd(r, NV_CACHE1_PULL0) == failed &&
		    rd(r, NV_PFIFO_INTR) == NV_FLD_MASK(NV_PFIFO_INTR__CACHE_ERROR),
	    "puller-stop=spoils: the second stop fails the look-up");
	repeat_lookup(r);
	tap(ref(r, 1) == 1 && semaphore_instance(r) == right && clean(r),
	    "puller-stop=spoils: it is right when it is repeated");
	rig_destroy(r);
}

/* --- PGRAPH --- */

#define SUBC	3
#define SUBC_3D	4

static struct rig *gr_ready(const char *chip, uint64_t quirks)
{
	struct rig *r = ready(chip, quirks);
	uint32_t i;

	wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) | NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
	gr_init(r);
	gr_context(r, 1);
	graph_object(r, 1, 1, 0x9010, 0x5039);
	ramht_insert(r, 1, hash9(1), 1, 1u << 20 | CHAN_DMAOBJ >> 4);

	for (i = 0; i < 0x40000; i += 0x1000)
		map_vram(r, 1, 0x00400000 + i, 0x02000000 + i);

	bar_flush(r);
	submit(r, 1, M(SUBC, 0, 1), 0x5039, M(SUBC, 0x180, 3), H_SEM, 1, 1);
	run(r);

	return r;
}

static void copy(struct rig *r, uint32_t length)
{
	submit(r, 1, M(SUBC, 0x200, 1), 1, M(SUBC, 0x21c, 1), 1, M(SUBC, 0x238, 2), 0, 0,
	       M(SUBC, 0x30c, 8), 0x00400000, 0x00420000, 0, 0, length, 1, 0x101, 0);
}

static void test_flush_busy(const char *chip)
{
	bool g80 = !strcmp(chip, "g80");
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = gr_ready(chip, side ? Q(FLUSH_BUSY) : 0);

		tlb_flush(r, 0);
		tap(!rd(r, NV_PGRAPH_STATUS), "%s: flush-busy: an idle PGRAPH takes a flush", chip);
		copy(r, 0x10000);
		while (!rd(r, NV_PGRAPH_STATUS))
			nvsim_run(r->sim, 1);
		tlb_flush(r, 0);
		run(r);
		tap(!!rd(r, NV_PGRAPH_STATUS) == (side && !g80), "%s: flush-busy=%s", chip,
		    side ? "hangs" : "harmless");
		wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) & ~NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
		wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) | NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
		tap(!rd(r, NV_PGRAPH_STATUS) && clean(r), "%s: flush-busy=%s: a reset ends it", chip,
		    side ? "hangs" : "harmless");
		rig_destroy(r);
	}
}

/* CCACHE writes a word of a constant buffer that is not mapped. */
static void ccache_fault(struct rig *r)
{
	submit(r, 1, M(SUBC_3D, 0x198, 1), 1, M(SUBC_3D, 0x1280, 3), 0, 0x00900000, 0x10,
	       M(SUBC_3D, 0xf00, 2), 0, 5);
}

/* VFETCH reads a vertex that is not mapped. */
static void vfetch_fault(struct rig *r)
{
	submit(r, 1, M(SUBC_3D, 0x18c, 1), 1, M(SUBC_3D, 0x900, 3), 1u << 29 | 16, 0, 0x00900000,
	       M(SUBC_3D, 0x1650, 1), 0xf, M(SUBC_3D, 0x1ac0, 1), 1u << 19, M(SUBC_3D, 0x15dc, 1), 0,
	       M(SUBC_3D, 0xd74, 2), 0, 1);
}

static void test_unit_fault(const char *chip)
{
	static const struct {
		const char *name;
		void (*fault)(struct rig *r);
		uint32_t reg, trap, vstatus;
	} units[] = {
		{ "CCACHE", ccache_fault, NV_PGRAPH_CCACHE_TRAP,
		  NV_FLD_MASK(NV_PGRAPH_TRAP__CCACHE), 0x8 },
		{ "VFETCH", vfetch_fault, NV_PGRAPH_VFETCH_TRAP,
		  NV_FLD_MASK(NV_PGRAPH_TRAP__VFETCH), 0x1 },
	};
	uint32_t side, i;

	for (i = 0; i < 2 * sizeof(units) / sizeof(units[0]); i++) {
		const char *name = units[i / 2].name;
		struct rig *r;

		side = i % 2;
		r = gr_ready(chip, side ? Q(UNIT_FAULT) : 0);
		graph_object(r, 1, 1, 0x9020, class_3d(r));
		bar_flush(r);
		submit(r, 1, M(SUBC_3D, 0, 1), class_3d(r));
		run(r);
		units[i / 2].fault(r);
		run(r);
		tap(rd(r, NV_PGRAPH_TRAP) == units[i / 2].trap && clean(r),
		    "%s: unit-fault: a VM fault of %s", chip, name);
		wr(r, units[i / 2].reg, 0xc0000000);
		wr(r, NV_PGRAPH_TRAP, ~0u);
		wr(r, NV_PGRAPH_INTR, ~0u);
		wr(r, NV_PGRAPH_CONTROL, 0x10001);
		run(r);
		tap(!!rd(r, NV_PGRAPH_STATUS) == side &&
			    rd(r, NV_PGRAPH_VSTATUS) == side * units[i / 2].vstatus,
		    "%s: unit-fault=%s: after the trap of %s", chip, side ? "hangs" : "ends", name);
		wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) & ~NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
		wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) | NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
		tap(!rd(r, NV_PGRAPH_STATUS) && !rd(r, NV_PGRAPH_VSTATUS) && clean(r),
		    "%s: unit-fault=%s: a reset ends it", chip, side ? "hangs" : "ends");
		rig_destroy(r);
	}
}

/* Handle the trap without the writes that free DISPATCH. */
static void acknowledge(struct rig *r)
{
	wr(r, NV_PGRAPH_DISPATCH_TRAP, 0xc0000000);
	wr(r, NV_PGRAPH_TRAP, ~0u);
	wr(r, NV_PGRAPH_INTR, ~0u);
	wr(r, NV_PGRAPH_CONTROL, 0x10001);
	run(r);
}

static void test_trap_release(const char *chip)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = gr_ready(chip, side ? Q(TRAP_RELEASE) : 0);

		/* a notifier that is not there */
		put_dmaobj(r, CHAN_BASE(1) + CHAN_DMAOBJ + 0x40, 0x7fc0003d, 0x900000, 0x900fff);
		ramht_insert(r, 1, hash9(2), 2, 1u << 20 | (CHAN_DMAOBJ + 0x40) >> 4);
		bar_flush(r);
		submit(r, 1, M(SUBC, 0x180, 1), 2, M(SUBC, 0x104, 1), 0, M(SUBC, 0x100, 1), 0,
		       M(0, 0x50, 1), 6);
		run(r);
		tap(rd(r, NV_PGRAPH_TRAP) == 1 && rd(r, 0x400808) >> 31, "%s: a NOTIFY that faults",
		    chip);
		wr(r, NV_PFB_VM_FAULT, 1u << 31);
		acknowledge(r);
		tap((rd(r, NV_PGRAPH_TRAP) == 1) == side && (ref(r, 1) == 6) == !side,
		    "%s: trap-release=%s: after the acknowledgement alone", chip,
		    side ? "registers" : "fifo-access");
		wr(r, 0x400808, 0);
		wr(r, 0x4008e8, rd(r, 0x4008e8) & 3);
		wr(r, 0x400848, 0);
		acknowledge(r);
		tap(!rd(r, NV_PGRAPH_TRAP) && ref(r, 1) == 6 && clean(r),
		    "%s: trap-release=%s: after the command was taken away", chip,
		    side ? "registers" : "fifo-access");
		rig_destroy(r);
	}
}

/* --- interrupts --- */

/* Have PTIMER's alarm assert the card's interrupt, with MSI on. */
static void ring(struct rig *r)
{
	wr(r, NV_PTIMER_INTR_EN, 0);
	nvsim_cfg_write(r->sim, 4, 6, 2);
	nvsim_cfg_write(r->sim, 0x6a, 1, 2);
	r->msis = 0;
	wr(r, NV_PMC_INTR_EN_HOST, 1);
	wr(r, NV_PTIMER_ALARM_LOW, rd(r, NV_PTIMER_TIME_LOW));
	wr(r, NV_PTIMER_INTR_EN, 1);
}

/* The MCP79 and its two ways of a re-arm: through MMIO, and as a configuration write */
static void test_msi_mirror(void)
{
	uint32_t side;

	for (side = 0; side < 2; side++) {
		struct rig *r = ready("mcp79", side ? Q(MSI_MIRROR) : 0);
		const char *name = side ? "ignored" : "rearms";

		ring(r);
		tap(r->msis == 1, "msi-mirror=%s: the first message needs no re-arm", name);
		ring(r);
		tap(!r->msis, "msi-mirror=%s: the second one does", name);
		nvsim_bar_write(r->sim, 0, NV_PPCI_MSI_REARM, 0xff, 1);
		tap(r->msis == !side, "msi-mirror=%s: a re-arm through MMIO", name);
		ring(r);
		nvsim_cfg_write(r->sim, 0x68, 0xff, 1);
		tap(r->msis == 1 && clean(r), "msi-mirror=%s: a configuration write re-arms", name);
		rig_destroy(r);
	}
}

/* --- all of them --- */

#define ADVERSE		(Q(COUNT) - Q(POSTED_UNITS))

static void test_adverse(void)
{
	struct nvsim_config cfg = { 0 }, again = { 0 };
	uint64_t all, seen = 0, always = ~0ull;
	char err[200], text[40];
	unsigned int seed;

	/* The other side of these quirks is easier for a driver. */
	uint64_t easy = Q(POSTED_UNITS) | Q(POSTED_PTIMER) | Q(RESET_IDLE) | Q(BARS) |
			Q(KICK_ERROR) | Q(IB_PUT) | Q(FROZEN);

	cfg.quirks = easy;
	nvsim_adverse_parse(&cfg, NULL, err, sizeof(err));
	all = cfg.quirks | easy;
	tap(!(cfg.quirks & easy) && all == ADVERSE,
	    "--adverse: the harder side of all points that no source decides, and of no other");

	for (seed = 0; seed < 64; seed++) {
		snprintf(text, sizeof(text), "random:%u", seed);
		cfg.quirks = Q(IB_BIT31);
		nvsim_adverse_parse(&cfg, text, err, sizeof(err));
		nvsim_adverse_parse(&again, text, err, sizeof(err));
		seen |= cfg.quirks;
		always &= cfg.quirks;
	}

	tap(seen == (all | Q(IB_BIT31)) && always == Q(IB_BIT31) &&
		    (again.quirks | Q(IB_BIT31)) == cfg.quirks,
	    "--adverse random: 64 seeds take and leave each point, the same for the same seed");
	tap(!nvsim_adverse_parse(&cfg, "random:x", err, sizeof(err)) &&
		    !nvsim_adverse_parse(&cfg, "some", err, sizeof(err)) &&
		    strstr(err, "some: needs all or random:SEED"),
	    "--adverse: anything else is refused");
}

/* The mixes of variants.txt must cover all four combinations of sides for each pair of points. */
static void test_pairs(void)
{
	FILE *f = fopen("tests/guest/variants.txt", "r");
	struct nvsim_config cfg = { 0 };
	unsigned int a, b, missing = 0;
	uint8_t seen[NVSIM_QUIRK_COUNT][NVSIM_QUIRK_COUNT] = { 0 };
	char err[200], line[200];

	while (f && fgets(line, sizeof(line), f)) {
		char *mix = strstr(line, "random:");

		if (!mix)
			continue;
		mix[strcspn(mix, " ")] = 0;
		nvsim_adverse_parse(&cfg, mix, err, sizeof(err));
		for (a = NVSIM_QUIRK_POSTED_UNITS; a < NVSIM_QUIRK_COUNT; a++)
			for (b = a + 1; b < NVSIM_QUIRK_COUNT; b++)
				seen[a][b] |= 1 << ((cfg.quirks >> a & 1) * 2 + (cfg.quirks >> b & 1));
	}

	if (f)
		fclose(f);

	for (a = NVSIM_QUIRK_POSTED_UNITS; a < NVSIM_QUIRK_COUNT; a++)
		for (b = a + 1; b < NVSIM_QUIRK_COUNT; b++)
			missing += ADVERSE >> a & ADVERSE >> b & 1 && seen[a][b] != 0xf;

	tap(!missing, "variants.txt: its mixes cover all pairs of points (but for %u)", missing);
}

int main(void)
{
	enum nv_chip chip;

	test_posted_units();
	test_posted_ptimer();
	for (chip = NV_CHIP_G80; chip < NV_CHIP_END; chip++)
		test_posted_irqs(chip);

	test_left();
	test_reset_idle();
	test_bars();
	test_kick_unloads("g80");
	test_kick_unloads("g84");
	test_empty_playlist("g80");
	test_empty_playlist("gt218");
	test_kick_mask_0();
	test_kick_error();
	test_playlist_pending("g80");
	test_playlist_pending("g84");
	test_ib_put();
	test_bank_types();
	test_dmaobj_read();
	test_vram_segments();
	test_ib_prefetch();
	test_ramht_hash();
	test_ramht_lookup();
	test_ramht_empty();
	test_puller_stop();
	test_flush_busy("g80");
	test_flush_busy("g84");
	test_flush_busy("mcp89");
	test_unit_fault("g80");
	test_unit_fault("gt215");
	test_trap_release("g80");
	test_trap_release("gt215");
	test_msi_mirror();
	test_adverse();
	test_pairs();

	return tap_end();
}
