// SPDX-License-Identifier: MIT
/*
 * An mmiotrace as input: its accesses with names, and its replay on the model. The sample has the
 * form that the kernel's Documentation/trace/mmiotrace.rst describes. It comes from no card.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>

#include "../../tests/tap.h"
#include "../record/accesses.h"
#include "../record/decode.h"
#include "../record/record.h"

#define SAMPLE	"tests/golden/mmiotrace-g84.txt"

static char *sample;

/* The sample with one text replaced, for the caller to free */
static char *with(const char *old, const char *new)
{
	const char *at = strstr(sample, old);
	char *text;

	if (!at || asprintf(&text, "%.*s%s%s", (int)(at - sample), sample, new, at + strlen(old)) < 0)
		abort();

	return text;
}

struct outcome {
	bool ok;
	struct accesses_result result;
	struct mmiotrace trace;
	char err[200];
	char *text;
};

static struct outcome decode(const char *text, unsigned int only, bool all)
{
	struct decode_config cfg = { .to = UINT64_MAX, .only = only, .all = all };
	struct outcome o = { .ok = false };
	size_t len;

	cfg.out = open_memstream(&o.text, &len);
	if (mmiotrace_open(&o.trace, text, strlen(text), o.err, sizeof(o.err))) {
		cfg.chipset = mmiotrace_chipset(&o.trace);
		if (!cfg.chipset)
			cfg.chipset = "g84";
		decode_mmiotrace(&cfg, &o.trace, o.err, sizeof(o.err));
		o.ok = !o.err[0];
	}
	fclose(cfg.out);

	return o;
}

static struct outcome replay(const char *text, const char *chipset, bool keep_going)
{
	struct accesses_config cfg = {
		.card = {
			.chipset = chipset,
			.vram_size = 64 << 20,
			.bar1_size = 64 << 20,
			.bar3_size = 32 << 20,
		},
		.keep_going = keep_going,
	};
	struct outcome o = { .ok = false };
	size_t len;

	cfg.out = open_memstream(&o.text, &len);
	o.ok = accesses_replay(&cfg, text, strlen(text), &o.result, o.err, sizeof(o.err));
	fclose(cfg.out);

	return o;
}

static void test_decode(void)
{
	struct outcome o = decode(sample, ~0u, false);
	char *text;

	tap(o.ok && mmiotrace_is(sample, strlen(sample)), "the sample is an mmiotrace");
	tap(strstr(o.text, "        7    105.227004 R 000000 PMC.BOOT_0 = 084200a2"),
	    "a read has its line, its time, its register and its value");
	tap(strstr(o.text, "W 000200 PMC.ENABLE <- 40110111  ") && strstr(o.text, "PFIFO"),
	    "a write has the names of its fields");
	tap(strstr(o.text, "W 700000 PMEM VRAM+100000 12 bytes in 3 accesses: 12345678 9abcdef0"),
	    "words through the window of PRAMIN are at their place in VRAM");
	tap(strstr(o.text, "R 070000 PFLUSH.BAR_FLUSH = 00000003") && strstr(o.text, "  × 2\n"),
	    "a poll is one line");
	tap(strstr(o.text, "MARK 105.300000 before the probe\n") &&
		    strstr(o.text, "MAP 105.227200 2 0xfd000000") &&
		    strstr(o.text, "UNKNOWN 105.300600 2 0xfd000000 66,0f,6f"),
	    "marks and mappings come among the accesses");
	tap(strstr(o.text, "W c0208c USER[1].IB_PUT <- 00000001"), "a doorbell");
	tap(strstr(o.text, " = de\n") && !strstr(o.text, "4401"),
	    "an access of a byte; those of the sound device are left out");
	tap(o.trace.others == 1 && o.trace.unknown == 1 && o.trace.lost == 12,
	    "other devices, unknown accesses and lost events are counted");
	free(o.text);

	text = with("MARK 0.000000 Lost 12 events.",
		    "CPU:1 [LOST 5 EVENTS]\nCPU:0 [LOST EVENTS]");
	o = decode(text, ~0u, false);
	tap(o.ok && o.trace.lost == 6 && strstr(o.text, "CPU:1 [LOST 5 EVENTS]\n"),
	    "lost events as the ring buffer counts them: %s", o.err);
	free(o.text);
	free(text);

	o = decode(sample, DECODE_MMIO, true);
	tap(o.ok && !strstr(o.text, "MARK") && !strstr(o.text, "×") &&
		    strstr(o.text, "W 700004 PMEM VRAM+100004 <- 9abcdef0"),
	    "--only mmio --all");
	free(o.text);
}

/* Another way to the card's BARs */
static void test_card(void)
{
	char *text = with("PCIDEV 0100", "LSPCI 0100");
	struct outcome o = decode(text, ~0u, false);

	tap(o.ok && strstr(o.text, "PMC.BOOT_0 = 084200a2"), "without PCIDEV: a MAP of 16 MiB");
	free(o.text);
	free(text);

	text = with("PCIDEV 0100", "PCIDEV 0200 10de0611 b ee000000 c000000c 0 ec000004 0 ec01 0 "
				   "1000000 10000000 0 2000000 0 80 0 \nPCIDEV 0100");
	o = decode(text, ~0u, false);
	tap(o.ok && strstr(o.text, "PMC.BOOT_0 = 084200a2"), "a card without accesses is another");
	free(o.text);
	free(text);

	text = with("R 4 105.300700 2 0xfd610184", "R 4 105.300700 2 0xd0000010");
	o = decode(text, ~0u, false);
	tap(o.ok && strstr(o.text, "R BAR1+0000010 = 00000070"), "BAR1");
	free(o.text);
	free(text);

	text = with("R 4 105.300700 2 0xfd610184", "R 4 105.300700 2 0xfa000020");
	o = decode(text, ~0u, false);
	tap(o.ok && strstr(o.text, "R BAR3+0000020 = 00000070"), "BAR3");
	free(o.text);
	free(text);
}

static void test_replay(void)
{
	struct outcome o = replay(sample, NULL, true);
	char *text;

	tap(o.ok && !o.result.differences && o.result.compared >= 6 && !o.text[0],
	    "the replay of the sample has no difference");
	tap(o.result.doorbell == 32 && o.result.unmodelled == 1 && o.result.others == 1 &&
		    o.result.unknown == 1 && o.result.lost == 12,
	    "it counts what it does not compare");
	free(o.text);

	text = with("0xfd100c80 0x60000", "0xfd100c80 0x60001");
	o = replay(text, NULL, false);
	tap(o.ok && o.result.differences == 1 &&
		    !strcmp(o.text, "line 26 at 0.073504 s: 100c80 PFB.TLB_FLUSH: the card 00060001, "
				    "the model 00060000\n"),
	    "a difference has its line and its register");
	free(o.text);
	free(text);

	text = with("0x84200a2", "0xffffffff");
	o = replay(text, NULL, false);
	tap(!o.ok && strstr(o.err, "no read of PMC_BOOT_0: name the card with --chipset NAME"),
	    "without PMC_BOOT_0 the card needs a name");
	free(o.text);
	o = replay(text, "g84", true);
	tap(o.ok && !o.result.differences, "with a name it is replayed");
	free(o.text);
	free(text);
}

static void test_refused(void)
{
	char *text = with("20070824", "20240101");
	struct outcome o = decode(text, ~0u, false);

	tap(!o.ok && strstr(o.err, "another version than 20070824"), "another version");
	free(o.text);
	free(text);

	text = with("R 4 105.300204 2", "R 3 105.300204 2");
	o = decode(text, ~0u, false);
	tap(!o.ok && !strcmp(o.err, "line 15 is not a line of an mmiotrace"), "a width of 3: %s", o.err);
	free(o.text);
	o = replay(text, NULL, false);
	tap(!o.ok && !strcmp(o.err, "line 15 is not a line of an mmiotrace"), "in a replay, too");
	free(o.text);
	free(text);

	text = with(" 2 0xfd400700 0x3 0xffffffffc0a02710 0\n", "");
	o = decode(text, ~0u, false);
	tap(o.ok && strstr(o.text, "USER[1].IB_PUT"), "a last line that is cut is no fault");
	free(o.text);
	free(text);

	text = with("10de0402", "10020402");
	*strstr(text, "0x1000000 ") = 'x';
	o = decode(text, ~0u, false);
	tap(!o.ok && strstr(o.err, "no access to BAR0"), "the card of another vendor");
	free(o.text);
	free(text);

	tap(!mmiotrace_is("nvsim-record 1\n\n", 16) && !mmiotrace_is("", 0) &&
		    !mmiotrace_is("Registers\n", 10),
	    "other files are no mmiotrace");
}

int main(void)
{
	size_t size;

	sample = (char *)record_load(SAMPLE, &size);
	if (!sample) {
		printf("Bail out! no " SAMPLE "\n");
		return 1;
	}
	sample[size] = 0;

	test_decode();
	test_card();
	test_replay();
	test_refused();
	free(sample);

	return tap_end();
}
