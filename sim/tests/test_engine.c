// SPDX-License-Identifier: MIT
/*
 * The engines as PFIFO sees them: their classes, the record of their methods, waits for an
 * idle engine. Also the error for a class that the chip does not have.
 */
#include "rig_gr.h"

#define INTR_ILLEGAL_CLASS	(1u << 5)
#define INTR_ILLEGAL_MTHD	(1u << 4)

static struct rig *ready_cfg(struct nvsim_config *cfg)
{
	struct rig *r = rig_create_cfg(cfg);

	rig_init_pfifo(r);
	channel_create(r, 1, true);
	channel_create(r, 2, true);
	playlist(r, 2, 1, 2);
	return r;
}

static struct rig *ready(const char *chip)
{
	struct nvsim_config cfg = {
		.chipset = chip,
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
	};

	return ready_cfg(&cfg);
}

static uint32_t ref(struct rig *r, unsigned int n)
{
	return rd(r, user(n, NV_USER_REF));
}

static uint32_t ctl_get(struct rig *r, uint32_t cmd, uint32_t arg)
{
	ctl(r, cmd, arg);
	return ctl_result(r);
}

/* zlib's crc32() bit by bit, over one little-endian word */
static uint32_t crc_word(uint32_t crc, uint32_t word)
{
	unsigned int i, k;

	crc ^= ~0u;

	for (i = 0; i < 4; i++) {
		crc ^= word >> 8 * i & 0xff;
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1) * 0xedb88320u;
	}

	return crc ^ ~0u;
}

static bool next_is(struct rig *r, unsigned int chid, uint32_t where, uint32_t data, uint32_t class,
		    uint32_t object)
{
	uint32_t have[4];
	unsigned int i;

	have[0] = ctl_get(r, NVSIM_CTL_REC_NEXT, chid);

	for (i = 1; i < 4; i++)
		have[i] = nvsim_cfg_read(r->sim, NVSIM_CTL_RESULT + 4 * i, 4);

	if (have[0] == where && have[1] == data && have[2] == class && have[3] == object)
		return true;

	printf("# record %08x %08x %04x %x, not %08x %08x %04x %x\n", have[0], have[1], have[2],
	       have[3], where, data, class, object);

	return false;
}

static void record_is_full(struct rig *r)
{
	uint32_t i;
	bool ok = true;
	uint32_t crc = 0;

	/* 40 times 2000 words, more than the record keeps */
	for (i = 0; i < 40; i++) {
		uint32_t words[2001], k;

		words[0] = NI(4, 0x860, 2000);
		for (k = 0; k < 2000; k++) {
			words[k + 1] = i << 16 | k;
			crc = crc_word(crc_word(crc, 0x140860), words[k + 1]);
		}

		r->push_at[1] = 0;
		submit_words(r, 1, words, 2001);
		run(r);
	}

	tap(ctl_get(r, NVSIM_CTL_REC_COUNT, 1) == 80000 && ctl_get(r, NVSIM_CTL_REC_CRC, 1) == crc,
	    "count and CRC go on past the end of the record");

	ctl(r, NVSIM_CTL_REC_SEEK, 0);

	for (i = 80000 - 65536; i < 80000; i++)
		ok = ok && next_is(r, 1, 1u << 24 | 0x140860, (i / 2000) << 16 | i % 2000, 0x502d,
				   (i / 2000) << 16 | i % 2000);

	tap(ok && ctl_get(r, NVSIM_CTL_REC_NEXT, 1) == ~0u && clean(r), "the last 65536 are kept");
}

static void test_record(void)
{
	struct rig *r = ready("g96");
	uint32_t crc = 0;

	graph_object(r, 1, 1, 0x9000, 0x502d);
	graph_object(r, 2, 1, 0x9000, 0x5039);
	bar_flush(r);
	submit(r, 1, M(4, 0, 1), 0x502d, M(4, 0x180, 1), H_SEM, NI(4, 0x860, 2), 0x11, 0x22,
	       M(0, 0x50, 1), 1);
	submit(r, 2, M(5, 0, 1), 0x5039, M(5, 0x30c, 1), 0x33, M(0, 0x50, 1), 1);
	run(r);
	tap(ref(r, 1) == 1 && ref(r, 2) == 1 && clean(r), "methods of two channels run");
	tap(ctl_get(r, NVSIM_CTL_REC_COUNT, 0) == 6 && ctl_get(r, NVSIM_CTL_REC_COUNT, 1) == 4 &&
		    ctl_get(r, NVSIM_CTL_REC_COUNT, 2) == 2 &&
		    ctl_get(r, NVSIM_CTL_REC_COUNT, 3) == 0 &&
		    ctl_get(r, NVSIM_CTL_REC_COUNT, 128) == ~0u,
	    "they are counted by channel, PFIFO's own are not");
	ctl(r, NVSIM_CTL_REC_SEEK, 0);
	tap(next_is(r, 1, 1u << 24 | 0x140000, 0x502d, 0x502d, 0x900) &&
		    next_is(r, 1, 1u << 24 | 0x140180, H_SEM, 0x502d, (CHAN_DMAOBJ + 0x20) >> 4) &&
		    next_is(r, 1, 1u << 24 | 0x140860, 0x11, 0x502d, 0x11) &&
		    next_is(r, 1, 1u << 24 | 0x140860, 0x22, 0x502d, 0x22) &&
		    ctl_get(r, NVSIM_CTL_REC_NEXT, 1) == ~0u,
	    "with place, word, class and instance");
	ctl(r, NVSIM_CTL_REC_SEEK, 4);
	tap(next_is(r, 0, 2u << 24 | 0x150000, 0x5039, 0x5039, 0x900) &&
		    next_is(r, 0, 2u << 24 | 0x15030c, 0x33, 0x5039, 0x33),
	    "or of all channels from any place");
	crc = crc_word(crc_word(0, 0x150000), 0x5039);
	crc = crc_word(crc_word(crc, 0x15030c), 0x33);
	tap(ctl_get(r, NVSIM_CTL_REC_CRC, 2) == crc, "the CRC is that of place and word");
	ctl(r, NVSIM_CTL_REC_RESET, 0);
	tap(!ctl_get(r, NVSIM_CTL_REC_COUNT, 0) && !ctl_get(r, NVSIM_CTL_REC_CRC, 2) &&
		    ctl_get(r, NVSIM_CTL_REC_NEXT, 0) == ~0u,
	    "reset forgets all");

	record_is_full(r);
	rig_destroy(r);
}

/* Classes of PGRAPH and the chips they are on, by the names of the document's ranges */
static bool has_class(unsigned int chip, uint32_t class)
{
	switch (class) {
	case 0x0030:
	case 0x502d:
	case 0x5039:
	case 0x50c0:
		return true;
	case 0x5097:
		return chip < NV_CHIP_G200;
	case 0x8297:
		return chip >= NV_CHIP_G84 && chip < NV_CHIP_G200;
	case 0x8397:
		return chip == NV_CHIP_G200 || chip == NV_CHIP_MCP77 || chip == NV_CHIP_MCP79;
	case 0x8597:
		return chip == NV_CHIP_GT215 || chip == NV_CHIP_GT216 || chip == NV_CHIP_GT218;
	case 0x8697:
		return chip == NV_CHIP_MCP89;
	case 0x85c0:
		return chip >= NV_CHIP_GT215;
	case 0x0012:
	case 0x5062:
		return chip == NV_CHIP_G80;
	}

	return false;
}

static void test_classes(void)
{
	static const uint32_t classes[] = { 0x0030, 0x502d, 0x5039, 0x50c0, 0x5097, 0x8297, 0x8397,
					    0x8597, 0x8697, 0x85c0, 0x0012, 0x5062, 0x1234, 0 };
	unsigned int chip, i;

	for (chip = 0; nvsim_chipset_names[chip]; chip++) {
		struct rig *r = ready(nvsim_chipset_names[chip]);
		bool ok = true;

		wr(r, NV_PGRAPH_INTR_EN, ~0u);
		for (i = 0; classes[i]; i++) {
			uint32_t want = has_class(chip, classes[i]) ? 0 : INTR_ILLEGAL_CLASS;

			graph_object(r, 1, 1, 0x9000 + i * 0x10, classes[i]);
			bar_flush(r);
			submit(r, 1, M(i & 7, 0, 1), classes[i], M(0, 0x50, 1), i + 1);
			run(r);
			if (rd(r, NV_PGRAPH_INTR) != want ||
			    (rd(r, NV_PMC_INTR_HOST) & 0x1000) != (want ? 0x1000u : 0)) {
				printf("# class %04x: INTR %08x\n", classes[i], rd(r, NV_PGRAPH_INTR));
				ok = false;
			}
			if (want)
				ok &= rd(r, NV_PGRAPH_TRAPPED_ADDR) == (i & 7) << 16 &&
				      rd(r, NV_PGRAPH_TRAPPED_DATA) == 0x900 + i &&
				      rd(r, NV_PGRAPH_TRAPPED_CLASS) == classes[i] &&
				      ref(r, 1) != i + 1;
			wr(r, NV_PGRAPH_INTR, ~0u);
			wr(r, NV_PGRAPH_CONTROL, 0x10001);
			run(r);
			ok &= ref(r, 1) == i + 1 && !(rd(r, NV_PMC_INTR_HOST) & 0x1000);
		}

		tap(ok && clean(r), "%s: PGRAPH takes its own classes, and interrupts at others",
		    nvsim_chipset_names[chip]);
		rig_destroy(r);
	}
}

static void test_null(void)
{
	struct rig *r = ready("g80");

	graph_object(r, 1, 1, 0x9000, 0x0030);
	bar_flush(r);
	submit(r, 1, M(2, 0, 1), 0x30, M(2, 0x100, 1), 0, M(0, 0x50, 1), 1);
	run(r);
	tap(ref(r, 1) == 1 && !rd(r, NV_PGRAPH_INTR), "NULL object: NOP is all it takes");
	submit(r, 1, M(2, 0x200, 1), 5);
	run(r);
	tap(rd(r, NV_PGRAPH_INTR) == INTR_ILLEGAL_MTHD &&
		    rd(r, NV_PGRAPH_TRAPPED_ADDR) == 0x20200 && rd(r, NV_PGRAPH_TRAPPED_DATA) == 5 &&
		    !(rd(r, NV_PMC_INTR_HOST) & 0x1000) && clean(r),
	    "anything else is ILLEGAL_MTHD, which stays inside while it is masked");
	rig_destroy(r);
}

/* The other engines, by chip and id, with a class that drivers use there */
static void test_others(void)
{
	static const struct {
		const char *chip;
		uint32_t engine, class, enable;
	} cases[] = {
		{ "g80", 2, 0x3174, 1 << 1 },	{ "g80", 3, 0x4075, 1 << 1 },
		{ "g80", 4, 0x4176, 1 << 17 },	{ "g84", 2, 0x8274, 1 << 1 },
		{ "g84", 4, 0x7476, 1 << 17 },	{ "g84", 5, 0x74c1, 1 << 14 },
		{ "g84", 6, 0x74b0, 1 << 15 },	{ "g98", 5, 0x88b4, 1 << 14 },
		{ "g98", 6, 0x88b1, 1 << 15 },	{ "gt215", 3, 0x85b5, 1 << 13 },
		{ "mcp89", 5, 0x1234, 1 << 14 }, { "mcp89", 6, 0x86b1, 1 << 15 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig *r = ready(cases[i].chip);
		uint32_t e = cases[i].engine, en = rd(r, NV_PMC_ENABLE);
		bool ok;

		graph_object(r, 1, e, 0x9000, cases[i].class);
		bar_flush(r);
		wr(r, NV_PMC_ENABLE, en & ~cases[i].enable);
		submit(r, 1, M(3, 0, 1), cases[i].class);
		run(r);
		ok = violated(r, "switched off");
		wr(r, NV_PMC_ENABLE, en | cases[i].enable);
		submit(r, 1, M(3, 0, 1), cases[i].class, M(3, 0x300, 1), 7, M(0, 0x50, 1), 1);
		run(r);
		ok &= ref(r, 1) == 1 && rd(r, NV_CACHE1_ENGINE) == e << 12 &&
		      rd(r, NV_CACHE1_PULL1) == e;
		ctl(r, NVSIM_CTL_REC_SEEK, 1);
		ok &= next_is(r, 1, 1u << 24 | e << 20 | 3 << 16, cases[i].class, cases[i].class,
			      0x900) &&
		      next_is(r, 1, 1u << 24 | e << 20 | 3 << 16 | 0x300, 7, cases[i].class, 7);
		tap(ok && clean(r), "%s: engine %u takes and records methods", cases[i].chip, e);
		rig_destroy(r);
	}
}

static void kicks_while_busy(struct rig *r)
{
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1));
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 2), chan_entry(r, 2));
	playlist(r, 0);
	wr(r, NV_PFIFO_ENGINE_CTRL, 0x1);
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(2) >> 12);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0, "a kick of a channel that PGRAPH is not on ends");

	wr(r, NV_PFIFO_ENGINE_CTRL, 0x30);
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1) >> 12);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0, "so does one without PGRAPH in its mask");

	wr(r, NV_PFIFO_ENGINE_CTRL, 0x1);
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1) >> 12);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == ~0u, "any other waits");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	run(r);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && clean(r), "before PGRAPH is idle");
}

static void releases_while_busy(struct rig *r)
{
	submit(r, 1, M(2, 0x100, 1), 0, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x40);
	run(r);
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	submit(r, 1, M(0, 0x6c, 1), 10);
	run(r);
	tap(ram32(r, RAM_SEM + 0x40) == 9, "a release waits");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	run(r);
	tap(ram32(r, RAM_SEM + 0x40) == 10, "and is done then");

	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	submit(r, 1, M(0, 0x10, 4), 0, 0x80, 11, 2);
	submit(r, 1, M(3, 0, 1), 0x74c1, M(0, 0x50, 1), 12);
	run(r);
	tap(ram32(r, RAM_SEM + 0x80) == 0 && ref(r, 1) == 2, "so does a long release");
}

static void test_busy(void)
{
	struct rig *r = ready("g92");
	uint32_t i;

	for (i = 1; i <= 2; i++) {
		graph_object(r, i, 1, 0x9000, 0x5039);
		graph_object(r, i, 5, 0x9010, 0x74c1);
	}

	bar_flush(r);
	submit(r, 1, M(2, 0, 1), 0x5039, M(2, 0x100, 1), 0, M(0, 0x50, 1), 1);
	run(r);
	tap(rd(r, NV_PFIFO_ENGINE_IDLE) == 0x3f && !rd(r, NV_PGRAPH_STATUS), "all engines are idle");
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	tap(rd(r, NV_PFIFO_ENGINE_IDLE) == 0x3e && rd(r, NV_PGRAPH_STATUS) &&
		    rd(r, NV_PGRAPH_VSTATUS) == 1,
	    "PGRAPH is busy");

	submit(r, 1, M(0, 0x50, 1), 2);
	submit(r, 2, M(0, 0x50, 1), 3);
	run(r);
	tap(ref(r, 1) == 1 && ref(r, 2) == 3,
	    "REF_CNT waits for the engine that its channel used last, another channel goes on");

	submit(r, 2, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x40, M(0, 0x6c, 1), 9, M(3, 0, 1), 0x74c1,
	       M(0, 0x50, 1), 4);
	run(r);
	tap(ram32(r, RAM_SEM + 0x40) == 9 && ref(r, 2) == 4, "so do releases and other engines");

	submit(r, 2, M(2, 0, 1), 0x5039, M(0, 0x50, 1), 5);
	r->now += 1000000;
	run(r);
	tap(ref(r, 2) == 4 && rd(r, NV_CACHE1_ENGINE) != 0x100, "PGRAPH takes nothing");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	run(r);
	tap(ref(r, 1) == 2 && ref(r, 2) == 5, "idle again, all go on");

	releases_while_busy(r);
	kicks_while_busy(r);
	rig_destroy(r);
}

/* The last engine finishes before another one gets something. */
static void test_engine_order(void)
{
	struct rig *r = ready("g84");

	graph_object(r, 1, 1, 0x9000, 0x5039);
	graph_object(r, 1, 5, 0x9010, 0x74c1);
	bar_flush(r);
	submit(r, 1, M(3, 0, 1), 0x74c1, M(2, 0, 1), 0x5039);
	run(r);
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	submit(r, 1, M(3, 0x100, 1), 0, M(0, 0x50, 1), 1);
	run(r);
	tap(rd(r, NV_CACHE1_PULL1) == 1 && ref(r, 1) == 0, "PCIPHER waits for PGRAPH");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	run(r);
	tap(rd(r, NV_CACHE1_PULL1) == 5 && ref(r, 1) == 1 && clean(r), "and has its turn then");
	rig_destroy(r);
}

/* So it does before the driver is told of a software object. */
static void test_software_order(void)
{
	struct rig *r = ready("g84");

	graph_object(r, 1, 1, 0x9000, 0x5039);
	graph_object(r, 1, 0, 0x9010, 0x506e);
	bar_flush(r);
	submit(r, 1, M(2, 0, 1), 0x5039);
	run(r);
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	submit(r, 1, M(4, 0, 1), 0x506e);
	submit(r, 2, M(0, 0x50, 1), 7);
	run(r);
	tap(!(rd(r, NV_PFIFO_INTR) & 1) && ref(r, 2) == 7,
	    "a software object waits for PGRAPH, another channel goes on");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) & 1 && rd(r, NV_CACHE1_PULL0) & 1 << 8,
	    "CACHE_ERROR for it comes then");
	rig_destroy(r);

	r = ready("g84");
	graph_object(r, 1, 1, 0x9000, 0x5039);
	bar_flush(r);
	submit(r, 1, M(2, 0, 1), 0x5039);
	run(r);
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	submit(r, 1, M(4, 0x100, 1), 1);
	run(r);
	tap(!(rd(r, NV_PFIFO_INTR) & 1), "so does a method of a subchannel without an object");
	ctl(r, NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) & 1 && rd(r, NV_CACHE1_PULL0) & 1 << 8, "which ends in CACHE_ERROR");
	rig_destroy(r);
}

static void test_require(void)
{
	static const char *const chips[] = { "g80", "g98", "gt218" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct nvsim_config cfg = {
			.chipset = chips[i],
			.vram_size = VRAM_SIZE,
			.bar1_size = 128 << 20,
			.bar3_size = 32 << 20,
			.engine_context = NVSIM_ENGINE_REQUIRE,
		};
		struct rig *r = ready_cfg(&cfg);
		uint32_t en = rd(r, NV_PMC_ENABLE), want = i == 2 ? 0x00030600 : 0x0360;

		gr_init(r);
		graph_object(r, 1, 1, 0x9000, 0x5039);
		bar_flush(r);
		submit(r, 1, M(2, 0, 1), 0x5039, M(0, 0x50, 1), 1);
		submit(r, 2, M(0, 0x50, 1), 1);
		run(r);
		tap(violated(r, "no context") && rd(r, NV_PGRAPH_STATUS) &&
			    rd(r, NV_PFB_VM_FAULT_DATA) == want && ref(r, 1) == 0 && ref(r, 2) == 1,
		    "%s: without a context PGRAPH faults and hangs, others go on", chips[i]);
		wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1));
		playlist(r, 1, 2);
		if (!r->g80)
			wr(r, NV_PFIFO_ENGINE_CTRL, 1);
		else
			wr(r, NV_PME_CONTROL, 1);
		wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1) >> 12);
		run(r);
		wr(r, NV_PMC_ENABLE, en & ~0x1000u);
		wr(r, NV_PMC_ENABLE, en);
		wr(r, NV_PGRAPH_CONTROL, 0x10001);
		run(r);
		tap(rd(r, NV_CACHE1_KICK_CHANNEL) == 0 && !rd(r, NV_PGRAPH_STATUS) && clean(r),
		    "%s: until it is reset", chips[i]);
		ctl(r, NVSIM_CTL_ENGINE_CONTEXT, NVSIM_ENGINE_IGNORE);
		tap(ctl_result(r) == NVSIM_ENGINE_REQUIRE, "%s: the switch can be turned", chips[i]);
		submit(r, 2, M(2, 0, 1), 0x5039);
		graph_object(r, 2, 1, 0x9000, 0x5039);
		bar_flush(r);
		wr(r, NV_CACHE1_PULL0, 1);
		wr(r, NV_PFIFO_INTR, 1);
		submit(r, 2, M(0, 0x50, 1), 2);
		run(r);
		tap(ref(r, 2) == 2 && clean(r), "%s: and then no interrupt follows", chips[i]);
		rig_destroy(r);
	}
}

int main(void)
{
	test_record();
	test_classes();
	test_null();
	test_others();
	test_busy();
	test_engine_order();
	test_software_order();
	test_require();
	return tap_end();
}
