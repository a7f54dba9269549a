// SPDX-License-Identifier: MIT
/*
 * Records: the reader returns the writer's data, a replay has no differences, and a changed card or
 * record has some. Cut and damaged files must not crash the reader.
 *
 * Argument: operations for each chipset (default 3000). Built with NVFIFO_LIBFUZZER this is a
 * fuzzer of reader, decoder and replay, also of an mmiotrace, see "make fuzz-record".
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef NVFIFO_LIBFUZZER
#include "nvfifo_text.h"
#include "rig_record.h"
#endif

#include "../record/accesses.h"
#include "../record/decode.h"
#include "../record/replay.h"

/* Small, because many cards are made of it. */
static struct nvsim_config card = {
    .chipset = "g84",
    .vram_size = 20 << 20,
    .bar1_size = 1 << 20,
    .bar3_size = 16 << 20,
    /* Its clock is read. */
    .quirks = 1ull << NVSIM_QUIRK_POSTED_PTIMER,
};

static void decode_to(struct decode_config *cfg, const uint8_t *data, size_t size)
{
	struct record_reader r;
	char err[100];

	cfg->chipset = card.chipset;
	if (record_start(&r, data, size, err, sizeof(err)))
		decode_run(cfg, &r);
}

#ifdef NVFIFO_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct decode_config decode = {.to = UINT64_MAX, .only = ~0u};
	struct replay_config replay = {.card = card, .keep_going = true};
	struct replay_result result;
	struct accesses_config accesses = {.card = card, .keep_going = true};
	struct accesses_result accesses_result;
	struct mmiotrace trace;
	struct record_reader r;
	char err[200];

	decode.out = replay.out = accesses.out = fopen("/dev/null", "w");
	decode.all = size & 1;
	decode_to(&decode, data, size);
	if (record_start(&r, data, size, err, sizeof(err))) {
		replay_run(&replay, &r, &result, err, sizeof(err));
		nvsim_destroy(result.sim);
	}

	if (mmiotrace_open(&trace, (const char *)data, size, err, sizeof(err))) {
		decode_mmiotrace(&decode, &trace, err, sizeof(err));
		accesses_replay(&accesses, (const char *)data, size, &accesses_result, err,
				sizeof(err));
	}

	fclose(decode.out);

	return 0;
}

#else

static char path[] = "/tmp/test_record.XXXXXX";

/* --- Recording and reading --- */

struct file {
	uint8_t *data;
	size_t size;
};

static void start_record(void)
{
	rig_recorder = recorder_open(path, "chipset g84\n# a test\n");
	if (!rig_recorder) {
		printf("Bail out! cannot write %s\n", path);
		exit(1);
	}
}

static struct file end_record(struct rig *r)
{
	struct file f = {0};

	port_settle(&rig_port);
	if (!recorder_close(rig_recorder))
		printf("# the record could not be written\n");

	rig_recorder = NULL;
	r->sim = rig_port.sim;
	rig_destroy(r);
	f.data = record_load(path, &f.size);

	return f;
}

struct outcome {
	struct replay_result result;
	bool ok;
	char text[4000]; /* its text, truncated */
};

static struct outcome replay(const struct nvsim_config *cfg, const uint8_t *data, size_t size,
			     bool keep_going)
{
	struct replay_config rc = {.card = *cfg, .keep_going = keep_going};
	struct outcome o = {.ok = false};
	struct record_reader r;
	size_t text_len;
	char *text;

	rc.out = open_memstream(&text, &text_len);
	o.ok = record_start(&r, data, size, o.text, sizeof(o.text)) &&
	       replay_run(&rc, &r, &o.result, o.text, sizeof(o.text));
	fclose(rc.out);
	if (o.ok)
		snprintf(o.text, sizeof(o.text), "%s", text);

	free(text);
	nvsim_destroy(o.result.sim);
	o.result.sim = NULL;

	return o;
}

static bool replays(const struct nvsim_config *cfg, struct file f)
{
	struct outcome o = replay(cfg, f.data, f.size, false);
	bool ok = o.ok && !o.result.differences && o.result.end == RECORD_CLOSED;

	if (!ok)
		printf("# %llu differences, end %d at %zu of %zu: %s\n",
		       (unsigned long long)o.result.differences, o.result.end, o.result.end_at,
		       f.size, o.text);

	return ok;
}

/* True if the replay differs, and says so with @text. */
static bool differs(const struct nvsim_config *cfg, struct file f, const char *text)
{
	struct outcome o = replay(cfg, f.data, f.size, false);
	bool ok = o.ok && o.result.differences == 1 && strstr(o.text, text) &&
		  strchr(o.text, '\n') == o.text + strlen(o.text) - 1;

	if (!ok)
		printf("# %llu differences: %s\n", (unsigned long long)o.result.differences,
		       o.text);

	return ok;
}

static char *decoded(struct file f, struct decode_config cfg)
{
	size_t len;
	char *text;

	if (!cfg.only)
		cfg.only = ~0u;

	if (!cfg.to)
		cfg.to = UINT64_MAX;

	cfg.out = open_memstream(&text, &len);
	decode_to(&cfg, f.data, f.size);
	fclose(cfg.out);

	return text;
}

/* --- A session in which everything happens --- */

static void bus_reset(struct rig *r, const struct nvsim_config *cfg)
{
	char err[200];

	port_note(&rig_port, "reset");
	r->sim = port_power_up(&rig_port, cfg, &rig_host, err, sizeof(err));
	nvsim_cfg_write(r->sim, 4, 6, 2);
}

/* A channel that writes to memory and raises an interrupt */
static void a_channel(struct rig *r)
{
	bring_up(r);
	submit(r, 1, M(0, 0x60, 1), H_SEM, M(0, 0x64, 1), 0x40, M(0, 0x6c, 1), 0xcafe,
	       M(0, 0x50, 1), 7);

	while (!nvsim_run(r->sim, 1000))
		;

	r->now += 5000;

	/* a header that is none: DMA_PUSHER */
	submit(r, 1, 0xffffffff);

	while (!nvsim_run(r->sim, 1000))
		;
}

static struct file short_session(void)
{
	static const uint8_t block[40] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	struct nvsim_config cfg = card;
	uint8_t back[40];
	struct rig *r;
	unsigned int i;

	start_record();
	r = rig_create_cfg(&cfg);
	r->now += 1234567;

	for (i = 0; i < 5; i++)
		rd(r, NV_PMC_BOOT_0);

	for (i = 0; i < 6; i++) {
		r->now += 1000;
		rd(r, NV_PTIMER_TIME_LOW);
		rd(r, NV_PFIFO_INTR);
	}

	nvsim_cfg_write(r->sim, 0x6a, 1, 2);
	nvsim_cfg_write(r->sim, 0x6c, 0xfee00000, 4);
	a_channel(r);
	rd(r, NV_PFIFO_INTR);
	rd(r, NV_CACHE1_DMA_GET);
	wr(r, NV_REG_AT(NV_PFIFO_CHAN_TABLE, 100), 0x02000010);
	nvsim_cfg_read(r->sim, 0x6a, 2);

	/* Disable MSI, so that the pending interrupt asserts the line. */
	nvsim_cfg_write(r->sim, 0x6a, 0, 2);
	port_bar_write_block(&rig_port, 1, 0x1000, block, sizeof(block));
	port_bar_read_block(&rig_port, 1, 0x1000, back, sizeof(back));
	port_bar_fill(&rig_port, 3, 0x2000, 0xa5, 100);
	ctl(r, NVSIM_CTL_INJECT, NVSIM_INJECT_TLB_STUCK);
	ctl(r, NVSIM_CTL_CLEAR, ~0u);
	rd(r, 0x0dead0);
	bus_reset(r, &cfg);
	rd(r, NV_PMC_BOOT_0);

	return end_record(r);
}

static void check_decoded(struct file f)
{
	char *text;

	text = decoded(f, (struct decode_config){0});
	tap(strstr(text, " R 000000 PMC.BOOT_0 = 084000a1  CHIPSET=84 STEPPING=a1  × 5\n") != NULL,
	    "a register's name, value and fields; five reads are one line");
	tap(strstr(text, " R 009400 PTIMER.TIME_LOW = 00443940  TIME=221ca\n") &&
		strstr(text, " R 002100 PFIFO.INTR = 00000000\n") &&
		strstr(text, "  these 2 lines × 6\n"),
	    "two registers in turn, one of them a clock, too");
	tap(strstr(text, " W 70603c PMEM VRAM+2c603c <- 403f6078\n") != NULL,
	    "memory by its window");
	tap(strstr(text, " W c0208c USER[1].IB_PUT <- 00000001\n") != NULL, "a channel's register");
	tap(strstr(text, "PFIFO.INTR = 00001000  DMA_PUSHER\n") != NULL, "a field of one bit");
	tap(strstr(text, "PFIFO.CHAN_TABLE[100] <- 02000010  ADDRESS=10 TARGET=2\n") != NULL,
	    "a field of this chip, not of the other");
	tap(strstr(text, "   DMA R 0010050000 24 bytes in 6 accesses: 00040060 beef0201 00040064 "
			 "00000040 0004006c 0000cafe\n") &&
		strstr(text, "   DMA W 00103f0040 4 bytes: 0000cafe\n"),
	    "DMA");
	tap(strstr(text, "   INTx up\n") != NULL, "the line");
	tap(strstr(text, "MSI 0000 to fee00000\n") != NULL, "an interrupt");
	tap(strstr(text, " W config MSI.CONTROL <- 0001\n") != NULL, "configuration space");
	tap(strstr(text, "INJECT TLB_STUCK\n") && strstr(text, "CLEAR all\n"), "an injection");
	tap(strstr(text, " R BAR1+0001000 40 bytes: ") &&
		strstr(text, " W BAR1+0001000 40 bytes: 04030201 08070605 00000009"),
	    "a block");
	tap(strstr(text, " W BAR3+0002000 100 bytes of a5\n") != NULL, "a fill");
	tap(strstr(text, " R 0dead0 ? = 00000000\n") &&
		strstr(text, "   violation: read of 0dead0 (?): no such register\n"),
	    "a place without a name, and the model's answer");
	tap(strstr(text, " power-up\n") && strstr(text, " reset\n"), "power-up, reset");
	free(text);
}

static void check_selected(struct file f)
{
	char *text;

	text = decoded(f, (struct decode_config){.all = true});
	tap(strstr(text, "PMC.BOOT_0 = ") && !strstr(text, "×") && !strstr(text, " in 6 accesses"),
	    "all lines, on request");
	free(text);
	text = decoded(f, (struct decode_config){.only = DECODE_DMA});
	tap(strstr(text, "  DMA R ") && !strstr(text, "PMC") && !strstr(text, "config"),
	    "only DMA");
	free(text);
	text = decoded(f, (struct decode_config){.only = DECODE_IRQ | DECODE_CONFIG});
	tap(!strstr(text, "DMA") && !strstr(text, "PMC") && strstr(text, "config") &&
		strstr(text, "MSI 0000"),
	    "only interrupts and configuration space");
	free(text);
	text = decoded(f, (struct decode_config){.from = 20, .to = 30});
	tap(nvfifo_text_value(text, 10) >= 20 && strlen(text) && strlen(text) < 1500, "only some");
	free(text);
}

static void test_session(void)
{
	struct file f = short_session();
	struct record_reader r;
	unsigned int seen[64] = {0}, i;
	struct record rec;
	char err[100], line[100];

	tap(record_start(&r, f.data, f.size, err, sizeof(err)), "a record is one");
	tap(record_header_line(&r, line, sizeof(line)) && !strcmp(line, "chipset g84") &&
		record_header_line(&r, line, sizeof(line)) && !strcmp(line, "# a test") &&
		!record_header_line(&r, line, sizeof(line)),
	    "with its header");

	while (record_next(&r, &rec))
		seen[rec.type]++;

	tap(r.end == RECORD_CLOSED && r.at == f.size, "it is closed, and ends where it ends");

	for (i = 1; i < RECORD_END; i++)
		if (!seen[i] &&
		    (i <= RECORD_POWER_UP || (i >= RECORD_TIME && i <= RECORD_RETURN_BYTES) ||
		     i >= RECORD_STAMP))
			break;

	tap(i == RECORD_END, "every kind of record is in it (but for %u)", i);
	tap(replays(&card, f), "it replays as it was");

	check_decoded(f);
	check_selected(f);
	free(f.data);
}

/* --- Differences --- */

static uint8_t *find_record(struct file f, enum record_type type, unsigned int nth)
{
	struct record_reader r;
	struct record rec;
	char err[100];

	if (!record_start(&r, f.data, f.size, err, sizeof(err)))
		return NULL;

	while (record_next(&r, &rec))
		if (rec.type == type && !nth--)
			return f.data + (rec.bytes ? (size_t)(rec.bytes - f.data) : rec.at);

	return NULL;
}

static void differences_of_cards(struct file f)
{
	struct nvsim_config cfg;
	struct outcome o;

	cfg = card;
	cfg.quirks |= 1ull << NVSIM_QUIRK_INVALID_CMD_GET;
	tap(differs(&cfg, f, ": 003244 CACHE1.DMA_GET: expected "), "another quirk shows in GET");
	cfg = card;
	cfg.quirks |= 1ull << NVSIM_QUIRK_ECTX_WORD3;
	tap(replays(&cfg, f), "one that does not matter here does not");
	cfg = card;
	cfg.chipset = "g86";
	tap(differs(&cfg, f, ": 000000 PMC.BOOT_0: expected "), "another chipset shows at once");
	cfg = card;
	cfg.vram_size = 21 << 20;
	tap(replays(&cfg, f), "a record without the amount of memory replays");
	cfg = card;
	cfg.no_msi = true;
	tap(differs(&cfg, f, "expected MSI 00000000 to fee00000, got INTx up"),
	    "a line instead of a message");
	cfg = card;
	cfg.quirks = 1ull << NVSIM_QUIRK_INVALID_CMD_GET;
	cfg.no_msi = true;
	o = replay(&cfg, f.data, f.size, true);
	tap(o.ok && o.result.differences > 1 && o.result.end == RECORD_CLOSED &&
		strstr(o.text, "MSI") && strstr(o.text, "DMA_GET"),
	    "all differences, on request");
}

static void difference_of_absence(struct file f)
{
	/* Reads of 0dead0, which is no register, and of PFB.MMU_CG, which is no violation */
	static const uint8_t nobody[] = {0x83, 0x80, 0xad, 0xbd, 0x03};
	static const uint8_t mmu_cg[] = {0x83, 0xc0, 0xc9, 0x81, 0x04};
	uint8_t *at;

	at = memmem(f.data, f.size, nobody, sizeof(nobody));
	tap(at != NULL, "the read of a place without a register");
	if (at)
		memcpy(at, mmu_cg, sizeof(mmu_cg));

	tap(differs(&card, f,
		    ": 100c98 PFB.MMU_CG: expected violation: read of 0dead0 (?): no such "
		    "register, got nothing more"),
	    "something that is missing");
	if (at)
		memcpy(at, nobody, sizeof(nobody));
}

static void test_differences(void)
{
	struct file f = short_session();
	struct outcome o;
	uint8_t *at;

	differences_of_cards(f);

	at = find_record(f, RECORD_DMA_WRITE, 0);
	*at ^= 1;
	tap(differs(&card, f, "byte 0 of the DMA write of 4 bytes at "),
	    "other bytes of a DMA write");
	*at ^= 1;
	at = find_record(f, RECORD_VIOLATION, 0);
	*at ^= 1;
	tap(differs(&card, f, "got violation: "), "another violation");
	*at ^= 1;
	at = find_record(f, RECORD_RETURN_BYTES, 0);
	at[3] ^= 0x40;
	tap(differs(&card, f, "byte 3 of 40: expected "), "other bytes of a block");
	at[3] ^= 0x40;

	/* of the value that a read of the time returned */
	at = find_record(f, RECORD_TIME, 2);
	at[1] ^= 2;
	tap(differs(&card, f, ": 009400 PTIMER.TIME_LOW: expected "), "another time");
	at[1] ^= 2;
	at = find_record(f, RECORD_DMA_READ, 1);
	*at ^= 0x10;
	o = replay(&card, f.data, f.size, false);
	tap(o.ok && o.result.differences == 1, "another word in the push buffer");
	*at ^= 0x10;
	difference_of_absence(f);
	tap(replays(&card, f), "and all of it is as it was");
	free(f.data);
}

/* --- Exactness --- */

static void test_exact(unsigned int count)
{
	unsigned int i, n;

	for (i = 0; nvsim_chipset_names[i]; i++) {
		struct nvsim_config cfg = {
		    .chipset = nvsim_chipset_names[i],
		    .vram_size = 20 << 20,
		    .bar1_size = 64 << 20,
		    .bar3_size = 32 << 20,
		    .quirks = rnd64() & ((1ull << NVSIM_QUIRK_COUNT) - 1),
		    .big_endian = rnd() % 4 == 0,
		    .whole_card = rnd() & 1,
		};
		struct file f;
		struct rig *r;

		start_record();
		r = rig_create_cfg(&cfg);
		bring_up(r);
		for (n = 0; n < count; n++) {
			operation(r);
			if (n == count / 2) {
				bus_reset(r, &cfg);
				bring_up(r);
			}
		}
		f = end_record(r);
		tap(replays(&cfg, f), "%s: %u random operations replay as they were, %zu bytes",
		    cfg.chipset, count, f.size);
		free(f.data);
	}
}

/* --- Cut and damaged files --- */

static FILE *nowhere(void)
{
	static FILE *f;

	if (!f)
		f = fopen("/dev/null", "w");
	return f;
}

/* Less than the other session, as it is replayed often. */
static struct file tiny_session(void)
{
	struct nvsim_config cfg = card;
	struct rig *r;

	start_record();
	r = rig_create_cfg(&cfg);
	rig_init_pfifo(r);
	nvsim_cfg_write(r->sim, 0x6a, 1, 2);
	port_bar_fill(&rig_port, 1, 0, 1, 64);
	wr(r, NV_PBUS_INTR_EN, ~0u);
	rd(r, 0xbad0);
	wr(r, 0xbad4, 1);
	r->now += 77;
	rd(r, NV_PTIMER_TIME_LOW);
	nvsim_run(r->sim, 10);
	port_note(&rig_port, "a note");

	return end_record(r);
}

static void test_cut(void)
{
	struct decode_config decode = {.to = UINT64_MAX, .only = ~0u, .out = nowhere()};
	struct file f = tiny_session(), copy;
	size_t n, header = 0, bad = 0;
	uint64_t last = 0;

	for (n = 0; n < f.size; n++) {
		struct outcome o;

		/* An allocation of its own, so that ASan sees a read past its end. */
		copy.data = malloc(n ? n : 1);
		memcpy(copy.data, f.data, n);
		o = replay(&card, copy.data, n, false);
		decode_to(&decode, copy.data, n);
		free(copy.data);
		if (!o.ok) {
			header += !!strstr(o.text, "header") || !!strstr(o.text, "no record");
			bad += last != 0;
			continue;
		}
		if (o.result.differences || o.result.end != RECORD_CUT || o.result.records < last ||
		    o.result.end_at > n)
			bad++;
		last = o.result.records;
	}

	tap(!bad && header > 20 && header < 100 && last > 100,
	    "cut at each of %zu bytes: whole records replay (%zu bad, %zu in the header)", f.size,
	    bad, header);
	free(f.data);
}

static void test_damage(void)
{
	struct decode_config decode = {.to = UINT64_MAX, .only = ~0u, .out = nowhere()};
	struct file f = short_session();
	unsigned int round, i, garbage = 0, other = 0;
	uint8_t *copy = malloc(f.size);

	for (round = 0; round < 300; round++) {
		size_t start = strlen(RECORD_MAGIC);
		struct outcome o;

		memcpy(copy, f.data, f.size);
		for (i = 1 + rnd() % 8; i; i--) {
			size_t at = start + rnd() % (f.size - start);

			if (rnd() & 1)
				copy[at] = (uint8_t)rnd();
			else
				copy[at] ^= (uint8_t)(1u << rnd() % 8);
		}
		decode.all = round & 1;
		decode_to(&decode, copy, f.size);
		o = replay(&card, copy, f.size, true);
		garbage += o.ok && o.result.end == RECORD_GARBAGE;
		other += o.ok && o.result.differences;
	}

	tap(garbage > 10 && other > 10, "300 damaged records do no harm (%u end early, %u differ)",
	    garbage, other);
	free(copy);
	free(f.data);
}

static void test_refused(void)
{
	static const char *const bad[] = {
	    "",
	    "nvsim",
	    "hello, world, this is no record\n\n",
	    "nvsim-record 2\nchipset g84\n\n",
	    "nvsim-record 1\nchipset g84\n",
	};
	unsigned int i, refused = 0;
	struct record_reader r;
	struct outcome o;
	char err[100];

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused +=
		    !record_start(&r, (const uint8_t *)bad[i], strlen(bad[i]), err, sizeof(err)) &&
		    err[0];

	tap(refused == i, "a file that is no record, or of another version, is refused");

	/* a read before any card is there */
	o = replay(&card, (const uint8_t *)"nvsim-record 1\n\n\x83\0\x16\0\x22\2", 22, false);
	tap(!o.ok && strstr(o.text, "before any card"), "an access before power-up is refused");
	o = replay(&card, (const uint8_t *)"nvsim-record 1\n\n\x0a\x08\x80\x80\x80\x80\x01\x16\0",
		   16 + 9, false);
	tap(o.ok && o.result.end == RECORD_GARBAGE && o.result.end_at == 16 + 1,
	    "work without an end is no record");
}

static void test_writer(void)
{
	static uint8_t big[200000];
	struct record_reader r;
	struct record rec;
	uint64_t numbers[2] = {8, sizeof(big)};
	struct recorder *w;
	unsigned int n = 0;
	char err[100];
	struct file f;
	bool ok;

	memset(big, 0x5a, sizeof(big));
	w = recorder_open(path, "");
	recorder_put(w, RECORD_BLOCK_WRITE, 0, numbers, 2, big, sizeof(big));
	recorder_time(w, RECORD_STAMP, 100);
	recorder_time(w, RECORD_STAMP, 100);
	recorder_time(w, RECORD_TIME, 50);
	numbers[0] = UINT64_MAX;
	recorder_put(w, RECORD_RETURN, 0, numbers, 1, NULL, 0);
	recorder_idle(w, 1000000000);
	f.data = record_load(path, &f.size);
	tap(f.size > sizeof(big) && f.data[f.size - 1] == 1,
	    "an idle moment brings it to the file");
	free(f.data);
	tap(recorder_close(w), "it is closed");
	f.data = record_load(path, &f.size);
	ok = record_start(&r, f.data, f.size, err, sizeof(err)) && record_next(&r, &rec) &&
	     rec.len == sizeof(big) && !memcmp(rec.bytes, big, sizeof(big)) && rec.bar == 0 &&
	     rec.addr == 1;
	tap(ok, "more bytes than the buffer has");
	ok = record_next(&r, &rec) && rec.type == RECORD_STAMP && rec.time == 0 &&
	     record_next(&r, &rec) && rec.type == RECORD_TIME && rec.value == 50;
	tap(ok, "a time that is known is not written again, and one may go back");
	ok = record_next(&r, &rec) && rec.value == UINT64_MAX && !record_next(&r, &rec);
	tap(ok && r.end == RECORD_CLOSED, "the largest number");
	free(f.data);

	w = recorder_open("/dev/full", "");

	while (n++ < 10)
		recorder_put(w, RECORD_BLOCK_WRITE, 0, numbers, 2, big, sizeof(big));

	errno = 0;
	tap(!recorder_close(w) && errno == ENOSPC, "a full disk is told at the end");
	tap(!recorder_open("/nowhere/at/all", "") && errno == ENOENT, "a file that cannot be");
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? nvfifo_text_value(argv[1], 0) : 3000;
	int fd = mkstemp(path);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (fd < 0) {
		printf("Bail out! no temporary file\n");
		return 1;
	}

	close(fd);
	test_session();
	test_differences();
	test_exact(count);
	test_cut();
	test_damage();
	test_refused();
	test_writer();
	unlink(path);

	return tap_end();
}

#endif
