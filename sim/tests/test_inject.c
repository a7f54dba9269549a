// SPDX-License-Identifier: MIT
/*
 * Failures on request by lines of text, as they come from the control socket and the control
 * capability.
 */
#include "rig_gr.h"

#define SUBC	3

static bool command(struct rig *r, const char *line)
{
	char answer[200];
	bool ok = nvsim_command(r->sim, line, answer, sizeof(answer));

	if (!ok)
		printf("# %s: %s\n", line, answer);
	return ok;
}

/* Through the control capability */
static uint32_t text(struct rig *r, const char *line)
{
	size_t len = strlen(line) + 1, i, n;
	uint32_t four;

	for (i = 0; i < len; i += 4) {
		four = 0;
		for (n = 0; n < 4 && i + n < len; n++)
			four |= (uint32_t)(uint8_t)line[i + n] << 8 * n;
		ctl(r, NVSIM_CTL_TEXT, four);
	}

	return ctl_result(r);
}

static struct rig *ready(const char *chip)
{
	struct nvsim_config cfg = {
		.chipset = chip,
		.vram_size = VRAM_SIZE,
		.bar1_size = 128 << 20,
		.bar3_size = 32 << 20,
		.engine_context = NVSIM_ENGINE_REQUIRE,
	};
	struct rig *r = rig_create_cfg(&cfg);

	rig_init_pfifo(r);
	gr_init(r);
	channel_create(r, 1, true);
	gr_context(r, 1);
	graph_object(r, 1, 1, 0x9010, 0x5039);
	bar_flush(r);
	playlist(r, 1, 1);

	return r;
}

static uint32_t ref(struct rig *r, unsigned int n)
{
	return rd(r, user(n, NV_USER_REF));
}

static void test_mistakes(void)
{
	static const char *const wrong[] = {
		"", "what", "inject", "inject nothing", "inject lost for", "inject lost for ever",
		"clear nothing", "force", "force 2101 0", "force 2100 123456789", "force ffffffff 0",
		"flip", "flip 1 every 0", "flip 1 at", "flip 1 at page", "delay", "delay lunch 5", "delay kick",
		"delay method 10000001", "irq", "irq more", "irq extra 99999", "irq storm", "irq storm pbus 0",
		"irq storm lunch 1", "irq storm unit 1 count 2", "vm-fault", "vm-fault 10", "vm-record", "vm-record 5 1 1 6 0 touch", "flush-stuck 10", "pgraph", "pgraph x",
		"pgraph mp", "pgraph mp 0 0 0 0 0", "pgraph mp 1 1000000 0 0 0", "pgraph prop",
		"pgraph prop 16 80 0 0", "pgraph prop 0 0 0 0",
		"inject lost for 1 2 3 4 5 6 7 8", "inject lost until", "inject lost until lunch",
	};
	struct rig *r = ready("g84");
	char answer[200], line[300];
	unsigned int i;
	bool ok = true;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok &= !nvsim_command(r->sim, wrong[i], answer, sizeof(answer)) && answer[0];

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = 0;
	ok &= !nvsim_command(r->sim, line, answer, sizeof(answer)) && strstr(answer, "vm-fault");
	tap(ok, "a wrong line is answered with the list of commands");
	tap(text(r, "inject nothing") == ~0u && text(r, line) == ~0u,
	    "the same through the control capability");
	tap(text(r, "force 400700 12345678") == 0 && rd(r, NV_PGRAPH_STATUS) == 0x12345678,
	    "which takes lines of any length");
	rig_destroy(r);
}

static void test_timed(void)
{
	struct rig *r = ready("g84");

	tap(command(r, "inject lost for 100") && rd(r, NV_PMC_BOOT_0) == ~0u,
	    "the card is gone for 100 us");
	tap(nvsim_run(r->sim, 10) == 100000, "nvsim_run() says when it is back");
	r->now += 100000;
	tap(rd(r, NV_PMC_BOOT_0) != ~0u, "and back again");
	tap(command(r, "inject freeze-stuck for 50"), "a freeze that takes its time");
	wr(r, NV_PFIFO_FREEZE, 1);
	run(r);
	tap(!(rd(r, NV_PFIFO_FREEZE) & 0x10), "it is not there at first");
	r->now += 60000;
	run(r);
	tap(rd(r, NV_PFIFO_FREEZE) & 0x10, "but later");

	wr(r, NV_PFIFO_FREEZE, 0);
	r->now += 4000;
	command(r, "inject playlist-stuck");
	playlist(r, 1, 1);
	tap(rd(r, NV_CACHE1_PLAYLIST_LEN) & 0x1000, "a playlist that stays pending");
	tap(command(r, "clear playlist-stuck") && command(r, "clear") &&
		    !(rd(r, NV_CACHE1_PLAYLIST_LEN) & 0x1000) && clean(r),
	    "until it is cleared");
	rig_destroy(r);
}

static void test_until(void)
{
	const uint32_t pfifo = NV_FLD_MASK(NV_PMC_ENABLE__PFIFO);
	const uint32_t pgraph = NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH);
	struct rig *r = ready("g84");
	uint32_t enable = rd(r, NV_PMC_ENABLE);

	tap(command(r, "inject barflush-stuck until units"), "a flush that hangs until a reset");

	wr(r, NV_PFLUSH_BAR_FLUSH, 1);
	wr(r, NV_PMC_ENABLE, enable & ~pfifo);
	wr(r, NV_PMC_ENABLE, enable);
	wr(r, NV_PMC_ENABLE, enable & ~pgraph);
	wr(r, NV_PMC_ENABLE, enable);
	tap(rd(r, NV_PFLUSH_BAR_FLUSH) & 2, "one unit after the other is not enough");
	wr(r, NV_PMC_ENABLE, enable & ~(pfifo | pgraph));
	wr(r, NV_PMC_ENABLE, enable);
	tap(!(rd(r, NV_PFLUSH_BAR_FLUSH) & 2), "both at once are");
	rig_destroy(r);
}

static void test_delay(void)
{
	struct rig *r = ready("g92");
	bool ok;

	ok = command(r, "delay tlb-flush 20") && command(r, "delay bar-flush 30") &&
	     command(r, "delay playlist 40") && command(r, "delay kick 50");
	tlb_flush(r, 5);
	bar_flush(r);
	tap(ok && (rd(r, NV_PFB_TLB_FLUSH) & 1) && (rd(r, NV_PFLUSH_BAR_FLUSH) & 2),
	    "flushes are busy for a time");
	r->now += 30000;
	tap(!(rd(r, NV_PFB_TLB_FLUSH) & 1) && !(rd(r, NV_PFLUSH_BAR_FLUSH) & 2), "and end");
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 1), chan_entry(r, 1));
	playlist(r, 0);
	tap(rd(r, NV_CACHE1_PLAYLIST_LEN) & 0x1000, "a playlist likewise");
	wr(r, NV_CACHE1_KICK_CHANNEL, CHAN_BASE(1) >> 12);
	tap(rd(r, NV_CACHE1_KICK_CHANNEL) == ~0u && nvsim_run(r->sim, 10) == 50000,
	    "and a kick, of which nvsim_run() knows the end");
	r->now += 50000;
	run(r);
	tap(!rd(r, NV_CACHE1_KICK_CHANNEL) && !(rd(r, NV_CACHE1_PLAYLIST_LEN) & 0x1000) && clean(r),
	    "all end");
	rig_destroy(r);
}

static void test_slow_registers(void)
{
	struct rig *r = ready("g92");
	uint64_t start;

	command(r, "delay register-read 20");
	start = r->now;
	rd(r, NV_PFIFO_INTR);
	tap(r->now - start == 20000, "a read of a register takes the time");
	command(r, "delay register-read 0");

	command(r, "delay register-write 50");
	submit(r, 1, M(0, 0x50, 1), 0x1);
	tap(nvsim_run(r->sim, 100) == 50000, "the doorbell is on its way");
	r->now += 50000;
	nvsim_run(r->sim, 100);
	command(r, "delay register-write 0");
	tap(ref(r, 1) == 1, "and arrives");

	command(r, "delay register-write 50");
	wr(r, NV_PFIFO_INTR_EN, 0x11);
	tap(rd(r, NV_PFIFO_INTR_EN) == 0x11, "a read does not overtake a write");
	rig_destroy(r);
}

static void test_slow_work(void)
{
	struct rig *r = ready("g92");

	command(r, "delay method 30");
	submit(r, 1, M(0, 0x50, 1), 0x1, M(0, 0x50, 1), 0x2);
	tap(nvsim_run(r->sim, 100) == 30000 && ref(r, 1) == 1, "a method takes the time");
	r->now += 29999;
	tap(nvsim_run(r->sim, 100) == 1 && ref(r, 1) == 1, "and no other method begins in it");
	r->now += 1;
	nvsim_run(r->sim, 100);
	tap(ref(r, 1) == 2, "but then");
	command(r, "delay method 0");
	r->now += 30000;

	command(r, "delay memory 7");
	submit(r, 1, M(0, 0x50, 1), 0x3);
	tap(nvsim_run(r->sim, 100) % 7000 == 0 && ref(r, 1) == 2, "an access to memory likewise");
	command(r, "clear");
	run(r);
	tap(ref(r, 1) == 3 && clean(r), "until the delay is cleared");
	rig_destroy(r);
}

static void test_values(void)
{
	struct rig *r = ready("g96");

	command(r, "force 400700 5 count 2");
	tap(rd(r, NV_PGRAPH_STATUS) == 5 && rd(r, NV_PGRAPH_STATUS) == 5 &&
		    rd(r, NV_PGRAPH_STATUS) == 0,
	    "a register reads wrong twice");
	command(r, "force 2100 ffffffff");
	command(r, "force 2100 off");
	tap(rd(r, NV_PFIFO_INTR) == 0, "or until it is told otherwise");

	command(r, "flip 10 every 3");
	submit(r, 1, M(0, 0x50, 1), 0x1, M(0, 0x50, 1), 0x2);
	run(r);

	/* The entry's two words come first, so the header is the third. */
	tap(rd(r, NV_PFIFO_INTR) || ref(r, 1) != 2, "bits of fetched words flip");
	rig_destroy(r);

	r = ready("g96");
	command(r, "flip ffffffff at 7000000");
	submit(r, 1, M(0, 0x50, 1), 0x3);
	run(r);
	tap(ref(r, 1) == 3, "a page that the pusher does not read flips nothing");
	command(r, "flip ffffffff at 110000");
	submit(r, 1, M(0, 0x50, 1), 0x4);
	run(r);
	tap(rd(r, NV_PFIFO_INTR) && ref(r, 1) == 3, "words of one page flip");
	rig_destroy(r);
}

static void test_interrupts(void)
{
	struct rig *r = ready("g98");
	unsigned int i;
	bool ok;

	nvsim_cfg_write(r->sim, 0x6a, 0x0081, 2);
	wr(r, NV_PMC_INTR_EN_HOST, 1);
	tap(command(r, "irq extra 3") && r->msis == 3, "three interrupts for nothing");

	nvsim_bar_write(r->sim, 0, NV_PPCI_MSI_REARM, 0xff, 1);
	command(r, "irq lose");
	submit(r, 1, M(0, 0x20, 1), 0);
	run(r);
	tap(r->msis == 3 && rd(r, NV_PFIFO_INTR), "one that is lost");

	wr(r, NV_PFIFO_INTR, ~0u);
	nvsim_bar_write(r->sim, 0, NV_PPCI_MSI_REARM, 0xff, 1);
	submit(r, 1, M(0, 0x20, 1), 0);
	run(r);
	tap(r->msis == 4 && clean(r), "the next one comes");

	wr(r, NV_PFIFO_INTR, ~0u);
	ok = command(r, "irq storm pfifo 20000 count 3");

	for (i = 0; i < 3; i++) {
		ok &= rd(r, NV_PFIFO_INTR) == 0x20000;
		wr(r, NV_PFIFO_INTR, ~0u);
	}

	tap(ok && !rd(r, NV_PFIFO_INTR), "an interrupt that comes again twice");

	ok = command(r, "irq storm pbus 8") && command(r, "irq storm pgraph 80000000");

	for (i = 0; i < 100; i++) {
		wr(r, NV_PBUS_INTR, ~0u);
		wr(r, NV_PGRAPH_INTR, ~0u);
		ok &= rd(r, NV_PBUS_INTR) == 8 && rd(r, NV_PGRAPH_INTR) == 0x80000000;
	}

	ok &= command(r, "irq storm pbus off") && command(r, "clear");
	wr(r, NV_PBUS_INTR, ~0u);
	wr(r, NV_PGRAPH_INTR, ~0u);
	tap(ok && !rd(r, NV_PBUS_INTR) && !rd(r, NV_PGRAPH_INTR), "and two that do so until the end");

	ok = command(r, "irq storm unit 4000000");
	for (i = 0; i < 100; i++)
		ok &= rd(r, NV_PMC_INTR_HOST) == 0x4000000;

	ok &= command(r, "irq storm unit off");
	tap(ok && !rd(r, NV_PMC_INTR_HOST), "one of a unit that has no acknowledgement");
	rig_destroy(r);
}

static void test_vm(void)
{
	struct rig *r = ready("g86");

	command(r, "vm-fault 5 110000");
	submit(r, 1, M(0, 0x50, 1), 1);
	run(r);
	tap((rd(r, NV_CACHE1_DMA_STATE) >> 29) == 6 && (rd(r, NV_PFB_VM_FAULT) >> 31),
	    "a VM fault at an address");
	rig_destroy(r);

	r = ready("g86");
	command(r, "flush-stuck 0");
	tlb_flush(r, 5);
	tap(!(rd(r, NV_PFB_TLB_FLUSH) & 1), "a flush of another engine ends");
	tlb_flush(r, 0);
	tap(rd(r, NV_PFB_TLB_FLUSH) & 1, "the one that is stuck does not");
	tap(command(r, "flush-stuck off") && !(rd(r, NV_PFB_TLB_FLUSH) & 1) && clean(r),
	    "until it is let go");
	rig_destroy(r);
}

static void go_on(struct rig *r)
{
	wr(r, NV_PGRAPH_DISPATCH_TRAP, 0xc0000000);
	wr(r, NV_PGRAPH_TRAP, ~0u);
	wr(r, NV_PGRAPH_INTR, ~0u);
	wr(r, NV_PGRAPH_CONTROL, 0x10001);
	run(r);
}

static void test_pgraph(const char *chip)
{
	struct rig *r = ready(chip);

	command(r, "pgraph dispatch");
	submit(r, 1, M(SUBC, 0, 1), 0x5039, M(SUBC, 0x100, 1), 0, M(0, 0x50, 1), 4);
	run(r);
	tap(rd(r, NV_PGRAPH_TRAP) == 1, "%s: a command gets stuck in DISPATCH", chip);
	go_on(r);
	tap(rd(r, NV_PGRAPH_TRAP) == 1 && ref(r, 1) == 0, "%s: acknowledging is not enough", chip);

	wr(r, 0x400808, 0);
	wr(r, 0x4008e8, rd(r, 0x4008e8) & 3);
	wr(r, 0x400848, 0);
	go_on(r);
	tap(rd(r, NV_PGRAPH_TRAP) == 0 && ref(r, 1) == 4, "%s: its registers let go of it", chip);

	command(r, "pgraph step");
	go_on(r);
	submit(r, 1, M(SUBC, 0x100, 1), 0, M(0, 0x50, 1), 5);
	run(r);
	tap((rd(r, NV_PGRAPH_INTR) & 1u << 24) && ref(r, 1) == 4, "%s: single step", chip);
	wr(r, 0x400824, rd(r, 0x400824) & ~(1u << 31));
	go_on(r);
	tap(ref(r, 1) == 5, "%s: until bit 31 of 400824 goes", chip);

	command(r, "pgraph hang");
	submit(r, 1, M(SUBC, 0x100, 1), 0, M(0, 0x50, 1), 6);
	run(r);
	tap(rd(r, NV_PGRAPH_STATUS) && ref(r, 1) == 5, "%s: PGRAPH hangs", chip);
	wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) & ~NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
	wr(r, NV_PMC_ENABLE, rd(r, NV_PMC_ENABLE) | NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH));
	tap(!rd(r, NV_PGRAPH_STATUS) && clean(r), "%s: until its reset", chip);
	rig_destroy(r);
}

/* The registers of TP 0: its MP 0, the trap of its MPC, the trap of its PROP */
static void test_units(const char *chip, uint32_t mp, uint32_t mpc, uint32_t prop)
{
	struct rig *r = ready(chip);

	submit(r, 1, M(SUBC, 0, 1), 0x5039, M(0, 0x50, 1), 1);
	run(r);
	command(r, "pgraph mp 10 1234 5 10008001 e0800780");
	tap(rd(r, NV_PGRAPH_TRAP) == 0x80 && rd(r, mpc) == (1u << 31 | 1u << 16) &&
		    rd(r, mp + 0x14) == 0x10 && rd(r, mp + 0x24) == 0x05001234 &&
		    rd(r, mp + 0x70) == 0x10008001 && rd(r, mp + 0x74) == 0xe0800780,
	    "%s: a multiprocessor stops", chip);

	wr(r, mpc, 0xc0000000);
	wr(r, mp + 0x14, 0);
	go_on(r);
	tap(rd(r, NV_PGRAPH_TRAP) == 0x80, "%s: one of the two writes is not enough", chip);
	wr(r, mpc, 0xc0000000);
	wr(r, mp + 0x10, rd(r, mp + 0x10));
	go_on(r);
	tap(!rd(r, NV_PGRAPH_TRAP) && rd(r, mpc) == 1u << 31, "%s: both are", chip);

	command(r, "pgraph prop 0 80 1220239300 80000000");
	tap(rd(r, NV_PGRAPH_TRAP) == 0x100 && rd(r, prop) == (1u << 31 | 0x80) &&
		    rd(r, prop + 8) == 0x20239300 && rd(r, prop + 12) == 0x12 &&
		    rd(r, prop + 16) == 1u << 31,
	    "%s: PROP stops", chip);
	wr(r, prop, 0xc0000000);
	go_on(r);
	submit(r, 1, M(SUBC, 0x100, 1), 0, M(0, 0x50, 1), 2);
	run(r);
	tap(!rd(r, NV_PGRAPH_TRAP) && ref(r, 1) == 2 && clean(r), "%s: and goes on", chip);
	rig_destroy(r);
}

int main(void)
{
	test_mistakes();
	test_timed();
	test_until();
	test_delay();
	test_slow_registers();
	test_slow_work();
	test_values();
	test_interrupts();
	test_vm();
	test_pgraph("g80");
	test_pgraph("gt215");
	test_units("g80", 0x408200, 0x408314, 0x408e08);
	test_units("gt215", 0x408100, 0x40831c, 0x408708);

	return tap_end();
}
