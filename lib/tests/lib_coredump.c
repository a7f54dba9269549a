// SPDX-License-Identifier: MIT
/* The reader of dumps: real ones that the driver made on the model, and damaged ones. */
#include "nvfifo_coredump.h"
#include "tap.h"

static struct nvfifo_coredump dump;
static struct nvfifo_coredump_blame blame;

static bool load(const char *name)
{
	char path[128];
	size_t len;
	char *text;
	int ret;

	snprintf(path, sizeof(path), "tests/golden/%s.dump", name);
	text = tap_file(path, &len);
	nvfifo_coredump_free(&dump);
	ret = nvfifo_coredump_read(text, len, &dump);
	free(text);
	if (!ret && dump.channel_count)
		nvfifo_coredump_blame(&dump, &dump.channels[0], &blame);
	return tap(!ret && dump.channel_count, "%s can be read", name);
}

/* The word that failed, by its address. */
static void test_blame(void)
{
	static const struct {
		const char *name;
		__u32 error;
		__u64 va; /* 0: no word */
		bool fault;
	} rows[] = {
		{ "bad-header", DRM_NVFIFO_ERROR_PUSHER, 0x120008, false },
		{ "bad-method", DRM_NVFIFO_ERROR_PUSHER, 0x140004, false },
		{ "vm-fault", DRM_NVFIFO_ERROR_PUSHER, 0, true },
		{ "cache", DRM_NVFIFO_ERROR_CACHE, 0x1c0004, false },
		{ "semaphore", DRM_NVFIFO_ERROR_SEMAPHORE, 0x1a0010, true },
		{ "g80-semaphore", DRM_NVFIFO_ERROR_SEMAPHORE, 0x1a0010, true },
		{ "timeout", DRM_NVFIFO_ERROR_TIMEOUT, 0x200010, false },
		{ "graph", DRM_NVFIFO_ERROR_GRAPH, 0x1e000c, false },
		{ "long", DRM_NVFIFO_ERROR_PUSHER, 0x265dc0, false },
		{ "dma-mode", DRM_NVFIFO_ERROR_PUSHER, 0x220c80, false },
		{ "two-channels", DRM_NVFIFO_ERROR_SEMAPHORE, 0x280008, false },
		{ "lost", DRM_NVFIFO_ERROR_LOST, 0, false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct nvfifo_coredump_channel *c;

		if (!load(rows[i].name))
			continue;
		c = &dump.channels[0];
		if (!tap(c->dead && c->error == rows[i].error &&
				 (rows[i].va ? blame.segment != NVFIFO_COREDUMP_NONE &&
						       blame.va == rows[i].va
					     : blame.segment == NVFIFO_COREDUMP_NONE) &&
				 !blame.stale &&
				 !nvfifo_coredump_channel_fault(&dump, c) == !rows[i].fault,
			 "%s: the word that failed", rows[i].name))
			printf("# error %u, word at %010llx of segment %zd\n", c->error,
			       (unsigned long long)blame.va, (ssize_t)blame.segment);
		tap(dump.complete && !dump.cut && !dump.problem_count && !dump.unknown,
		    "%s: all lines are understood", rows[i].name);
	}
}

/* The pusher has moved GET over the data word whose method it refuses, in DMA mode, too. */
static void test_dma_method(void)
{
	static const char old[] = "code 00000004 detail 00000000 method 00000054 data ffffffff";
	static const char new[] = "code 00000002 detail 00000000 method 00000050 data 0000018f";
	char *text, *at;
	size_t len;

	text = tap_file("tests/golden/dma-mode.dump", &len);
	at = strstr(text, old);
	if (!tap(at, "dma-mode has its error"))
		return;

	memcpy(at, new, strlen(new));
	nvfifo_coredump_free(&dump);
	tap(!nvfifo_coredump_read(text, len, &dump) && dump.channels[0].get == 0x220c80,
	    "INVALID_MTHD in DMA mode: GET is after the refused word");
	nvfifo_coredump_blame(&dump, &dump.channels[0], &blame);
	tap(blame.segment != NVFIFO_COREDUMP_NONE && blame.va == 0x220c7c && !blame.stale,
	    "INVALID_MTHD in DMA mode: the refused word");
	free(text);
}

static void test_content(void)
{
	const struct nvfifo_coredump_mapping *below, *above, *m;
	const struct nvfifo_coredump_fault *f;
	struct nvfifo_coredump_channel *c;
	struct nvfifo_coredump_walk w;
	char line[400];
	__u32 value;

	if (!load("semaphore"))
		return;
	c = &dump.channels[0];
	tap(dump.chipset == 0x84 && dump.boot_0 == 0x084000a1 && dump.vram == 64 << 20 &&
		    !strcmp(dump.wedged, "ok") && dump.has_counters && dump.errors == 4 &&
		    dump.reg_count > 100,
	    "the card");
	tap(c->id == 1 && !c->dma && !c->user && c->inst == 0x2e28000 && c->err == 125 &&
		    c->code == NVFIFO_SEMAPHORE_MEM_FAULT && c->method == 0x6c && c->data == 0x5e3,
	    "the channel");
	tap(c->has_pos && c->get == 0xffe000106c && c->ib_get == 2 && c->ib_put == 2 &&
		    c->ring == 0xffe0000000 && c->ring_order == 9 && c->ib_count == 2,
	    "its position and ring");
	tap(nvfifo_coredump_ramfc(c, NVFIFO_RAMFC_DMA_FETCH, &value) && value == 0x403f6078 &&
		    !nvfifo_coredump_ramfc(c, 0xf0, &value),
	    "RAMFC");
	tap(nvfifo_coredump_handle(c, 0x20) && nvfifo_coredump_handle(c, 0x20)->slot == 32 &&
		    !nvfifo_coredump_handle(c, 0x21) && nvfifo_coredump_object(c, 0x6480) &&
		    nvfifo_coredump_object(c, 0x6480)->words[2] == 0x180000,
	    "RAMHT and objects");
	f = nvfifo_coredump_channel_fault(&dump, c);
	tap(f && f->address == 0x180040 && f->write && f->engine == 5 && f->client == 4 &&
		    f->slot == 1,
	    "the fault");
	m = nvfifo_coredump_mapping(c, 0x180040, &below, &above);
	tap(!m && below && below->last == 0x10ffff && above && above->first == 0x1a0000,
	    "mappings around an address");
	m = nvfifo_coredump_mapping(c, 0x10ffff, &below, &above);
	tap(m && m->first == 0x100000, "the mapping of an address");
	nvfifo_coredump_walk(c, 0x180040, &w);
	tap(!w.present && w.reason == NVFIFO_FAULT_PAGE_NOT_PRESENT && w.index == 0x180, "no page");
	nvfifo_coredump_walk(c, 0x2000000, &w);
	tap(!w.present && w.reason == NVFIFO_FAULT_PT_TOO_SHORT, "a table that ends before");
	nvfifo_coredump_walk(c, 0x20000000, &w);
	tap(!w.present && w.reason == NVFIFO_FAULT_PT_NOT_PRESENT && !w.pde, "no table");
	nvfifo_coredump_walk(c, 0xffe0001044, &w);
	if (!tap(w.present && w.pte && w.linear == (w.pte->value & NVFIFO_PTE_ADDR_MASK) + 0x1044,
		 "a page of a block") || !w.pte)
		return;
	/* The same run, from the middle of its block on. */
	((struct nvfifo_coredump_pte *)w.pte)->first += 0x1000;
	nvfifo_coredump_walk(c, 0xffe0001044, &w);
	tap(w.present && w.linear == (w.pte->value & NVFIFO_PTE_ADDR_MASK) + 0x1044,
	    "a run that begins in a block");
	nvfifo_coredump_line(&dump, c, line, sizeof(line));
	tap(!strcmp(line, "channel 1: SEMAPHORE MEM_FAULT, method 006c data 000005e3"),
	    "as in the log");
}

static int count_unknown(void *ctx, size_t segment, size_t word, const struct nvfifo_word *w,
			 bool known)
{
	size_t *n = ctx;

	(void)segment;
	(void)word;
	n[0] += !known;
	n[1] += w->kind == NVFIFO_WORD_INVALID;
	return 0;
}

/* A window that begins inside of a command. */
static void test_window(void)
{
	size_t n[2] = { 0, 0 };

	if (!load("long"))
		return;
	tap(dump.channels[0].segments[0].skip == 5488 && dump.channels[0].segments[0].count == 1024,
	    "a part of a long segment");
	/* It begins with a command; data follow. */
	dump.channels[0].segments[0].data++;
	dump.channels[0].segments[0].skip++;
	dump.channels[0].segments[0].count--;
	nvfifo_coredump_decode(&dump, &dump.channels[0], count_unknown, n);
	tap(n[0] == 1, "the end of a command that begins before it (%zu words)", n[0]);
	nvfifo_coredump_blame(&dump, &dump.channels[0], &blame);
	tap(blame.va == 0x265dc0, "the word is found all the same");
	dump.channels[0].segments[0].data--;
}

/* The first of some words that say the same is not the one, if the registers know better. */
static void test_several(void)
{
	static const char text[] =
		"nvfifo dump 1\ncard a chipset 84 boot0 0 vram 0\n%s"
		"channel 1 state dead mode ib queue kernel inst 0 error 2 code 10 detail 0 method 60 data 777 errno 125\n"
		"pos get 100018 put 100018 mget 0 state 0 ib_get 1 ib_put 1 ref 0\nring address 0 order 9\n"
		"segment ib 0 va 0000100000 words 6\ndata 40060 777 40060 777 40060 777\nend\n";
	static const struct {
		const char *registers;
		size_t word;
		const char *what;
	} cases[] = {
		{ "", 1, "the first of three" },
		{ "reg 003204 00010001\nreg 003210 00000010\nreg 003270 00000008\n", 3,
		  "the one that the registers tell" },
	};
	char buf[800];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(buf, sizeof(buf), text, cases[i].registers);
		nvfifo_coredump_free(&dump);
		if (nvfifo_coredump_read(buf, strlen(buf), &dump))
			continue;
		nvfifo_coredump_blame(&dump, &dump.channels[0], &blame);
		tap(blame.matches == 3 && blame.word == cases[i].word, "%s", cases[i].what);
	}
}

static void on_found(void *ctx, __u64 va, const struct nvfifo_word *w)
{
	size_t len = strlen(ctx);

	snprintf((char *)ctx + len, 200 - len, "%llx:%x ", (unsigned long long)va, w->word);
}

/* A ring of 8 entries: the second submission goes over its end. */
static void test_find(void)
{
	static const char text[] =
		"nvfifo dump 1\ncard a chipset 84 boot0 0 vram 0\n"
		"channel 1 state %s mode ib queue kernel inst 0 error %s code 10 detail 0 method 60 data 777 errno 125\n"
		"pos get 100018 put 100018 mget 0 state 0 ib_get 2 ib_put 2 ref 0\nring address 0 order 3\n"
		"segment ib 4 va 0000100000 words 1\ndata 0\nsegment ib 5 va 0000200000 words 1\ndata 0\n"
		"segment ib 6 va 0000300000 words 2\ndata 40050 1\n"
		"segment ib 7 va 0000400000 words 1\ndata 0\nsegment ib 0 va 0000500000 words 2\ndata 40050 2\n"
		"segment ib 1 va 0000600000 words 1\ndata 0\nend\n";
	static const struct {
		const char *what;
		struct nvfifo_coredump_submission s;
		bool is_dead, dead;	/* the channel; the search */
		const char *want;
	} rows[] = {
		{ "one entry", { 1, 6, 1 }, false, false, "100000:0 " },
		{ "entries past the end of the ring", { 1, 2, 3 }, false, false,
		  "300000:40050 300004:1 400000:0 500000:40050 500004:2 " },
		{ "another channel", { 2, 2, 3 }, false, false, "" },
		{ "the last one of a dead channel", { 1, 2, 1 }, true, true, "500000:40050 500004:2 " },
		{ "an earlier one of a dead channel", { 1, 6, 1 }, true, true, "" },
		{ "a dead channel whose number lives on", { 1, 2, 1 }, false, true, "" },
	};
	size_t i, words, want;
	char buf[1200], found[200];

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *state = rows[i].is_dead ? "dead" : "alive", *p;

		snprintf(buf, sizeof(buf), text, state, rows[i].is_dead ? "2" : "0");
		nvfifo_coredump_free(&dump);
		*found = '\0';
		words = nvfifo_coredump_read(buf, strlen(buf), &dump) ? ~0u :
			nvfifo_coredump_find(&dump, &rows[i].s, rows[i].dead, on_found, found);
		for (want = 0, p = rows[i].want; *p; p++)
			want += *p == ' ';
		if (!tap(words == want && !strcmp(found, rows[i].want), "find: %s", rows[i].what))
			printf("# %zu words: %s\n", words, found);
	}
}

/* GET is past the data of a method that the pusher refused, whatever they are now. */
static void test_method(void)
{
	static const char text[] =
		"nvfifo dump 1\nchannel 1 state dead mode ib queue kernel inst 0 error 1 code 2 detail 0 method 70 data 99 errno 125\n"
		"pos get 100008 put 100010 mget 0 state 40000070 ib_get 1 ib_put 1 ref 0\nring address 0 order 9\n"
		"segment ib 0 va 0000100000 words 4\ndata 40070 777 0 0\nend\n";

	nvfifo_coredump_free(&dump);
	if (!nvfifo_coredump_read(text, sizeof(text) - 1, &dump))
		nvfifo_coredump_blame(&dump, &dump.channels[0], &blame);
	tap(blame.word == 1 && blame.stale && blame.seen == 0x99, "data of a method that was refused");
}

/* Lines of units of PGRAPH, in order */
static void test_units(void)
{
	static const char text[] =
		"nvfifo dump 1\ncard a chipset %s boot0 0 vram 0\n%s"
		"channel 3 state dead mode ib queue kernel inst 0 error 6 code 200000 detail 181 method a104 data 0 errno 125\nend\n";
	static const struct {
		const char *chipset, *registers, *lines[3];
	} cases[] = {
		{ "84", "reg 400804 80000001\nreg 400808 80050104\nreg 40080c 00000007\nreg 400810 00000001\nreg 400814 00005039\nreg 400848 00000001\n",
		  { "channel 3: DISPATCH holds a command, subchannel 5 class 5039 method 0104 data 00000001 00000007, 400848 is 00000001" } },
		{ "84", "reg 400804 80000002\nreg 400808 80050104\nreg 40084c 80030110\nreg 40085c 00000009\nreg 400814 00008297\n",
		  { "channel 3: DISPATCH holds a query, subchannel 3 class 8297 method 0110 data 00000000 00000009, 400848 is 00000000" } },
		{ "84", "reg 40a294 00000010\nreg 40a2a4 05001234\nreg 40a2f0 10008001\nreg 40a2f4 e0800780\nreg 40de08 80000080\nreg 40de10 20239300\nreg 40de14 00000012\nreg 40de18 00000884\n",
		  { "channel 3: MP 1 of TP 2 stopped: 00000010 INVALID_OPCODE, pc 001234 warp 5, opcode 10008001 e0800780",
		    "channel 3: PROP of TP 5 stopped: 00000080 CUDA_FAULT, write at 1220239311" } },
		{ "a3", "reg 408a14 00000001\nreg 408a24 00000040\nreg 408708 80000010\nreg 408710 00001000\n",
		  { "channel 3: MP 2 of TP 1 stopped: 00000001 STACK_UNDERFLOW, pc 000040 warp 0, opcode 00000000 00000000",
		    "channel 3: PROP of TP 0 stopped: 00000010 DST2D_FAULT, access at 0000001000" } },
	};
	char buf[1200], line[400];
	unsigned int unit, n;
	bool same;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(buf, sizeof(buf), text, cases[i].chipset, cases[i].registers);
		nvfifo_coredump_free(&dump);
		same = !nvfifo_coredump_read(buf, strlen(buf), &dump) && dump.channel_count == 1;
		unit = 0;
		n = 0;
		while (same && nvfifo_coredump_unit_line(&dump, &dump.channels[0], &unit, line,
							 sizeof(line))) {
			same = n < 3 && cases[i].lines[n] && !strcmp(line, cases[i].lines[n]);
			n++;
			if (!same)
				printf("# %s\n", line);
		}
		tap(same && n && !cases[i].lines[n], "units of case %zu", i);
	}
}

static void test_damaged(void)
{
	static const char *const none[] = { "", "nvfifo", "nvfifo dump ", "nvfifo dump x",
					    "\nnvfifo dump 1\n" };
	size_t len, cut, i;
	char *text;

	if (load("damaged"))
		tap(dump.problem_count == 34 && dump.cut && dump.complete && dump.unknown == 1 &&
			    dump.problems[0].line == 2 && dump.problems[0].column == 50 &&
			    dump.channel_count == 3 &&
			    !strcmp(dump.channels[2].mappings[0].label, "?[31mred?"),
		    "%zu wrong lines are told", dump.problem_count);
	if (load("stale"))
		tap(!dump.complete && blame.stale && blame.seen == 0x20000000 && blame.word == 0,
		    "a word that the card saw otherwise");
	nvfifo_coredump_free(&dump);
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		tap(nvfifo_coredump_read(none[i], strlen(none[i]), &dump), "text %zu is no dump",
		    i);
	/* Every piece of a dump is a dump. */
	text = tap_file("tests/golden/two-channels.dump", &len);
	for (cut = 14, i = 0; cut < len; cut += 37) {
		char *piece = malloc(cut);

		if (!piece)
			break;
		memcpy(piece, text, cut);
		if (nvfifo_coredump_read(piece, cut, &dump) || dump.complete ||
		    dump.problem_count > 1)
			i++;
		nvfifo_coredump_free(&dump);
		free(piece);
	}
	tap(!i, "pieces of a dump can be read (%zu cannot)", i);
	free(text);
}

int main(void)
{
	test_blame();
	test_dma_method();
	test_content();
	test_window();
	test_several();
	test_find();
	test_method();
	test_units();
	test_damaged();
	nvfifo_coredump_free(&dump);
	return tap_end();
}
