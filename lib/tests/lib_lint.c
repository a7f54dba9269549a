// SPDX-License-Identifier: MIT
/* The checker: each rule is broken once, and valid words raise nothing. */
#include <errno.h>

#include "nvfifo_capture.h"
#include "nvfifo_lint.h"
#include "tap.h"

/* Rules that were broken, with commas. */
struct found {
	char rules[512];
	char place[64];		/* of the first one */
	unsigned int line;
	size_t word;
};

static bool seen[128];

static void on_finding(void *ctx, const struct nvfifo_finding *f)
{
	struct found *found = ctx;
	size_t used = strlen(found->rules);

	if (!used) {
		found->line = f->line;
		found->word = f->word;
		snprintf(found->place, sizeof(found->place), "%s", f->place);
	}
	seen[f->rule - nvfifo_lint_rules] = true;
	snprintf(found->rules + used, sizeof(found->rules) - used, "%s%s", used ? "," : "",
		 f->rule->name);
}

static void expect(const char *what, const struct found *have, const char *want)
{
	if (!tap(!strcmp(have->rules, want), "%s: %s", what, *want ? want : "nothing wrong"))
		printf("# found: %s\n", have->rules);
}

/* --- Words --------------------------------------------------------------- */

static const struct {
	const char *what, *words, *want;
	__u32 chipset;
} streams[] = {
	{ "a reference count", "00040050 1234", "", 0x50 },
	{ "nop", "0 0 0", "", 0x50 },
	{ "no command", "f0000000", "invalid-command", 0x84 },
	{ "GF100 header", "20010014 1", "nvc0-command", 0x84 },
	{ "GF100 immediate", "80000014", "nvc0-command", 0x84 },
	{ "jump", "00001001", "jump-in-ib-mode", 0x84 },
	{ "call", "00001002", "jump-in-ib-mode", 0x84 },
	{ "swapped", "20000400", "swapped-bytes", 0x84 },
	{ "absent method", "00040004 0", "invalid-method", 0x84 },
	{ "MCP89's method with a wrong bit 31", "0004002c 80000001", "mcp89-stop", 0xaf },
	{ "MCP89's method with bits 30 and 29", "0004002c 60000000", "mcp89-stop", 0xaf },
	{ "MCP89's method with bit 28 alone", "0004002c 10000000", "mcp89-stop", 0xaf },
	{ "MCP89's method with data it takes", "0004002c 50000001", "", 0xaf },
	{ "method of G84", "00040020 0", "g84-method", 0x50 },
	{ "method of G84 on G84", "00040020 0", "", 0x84 },
	{ "too few data", "00100050 1 2", "invalid-method,incomplete-command", 0x84 },
	{ "long without count", "000370a0", "incomplete-command", 0x84 },
	{ "count in bytes", "00100050 5", "count-in-bytes", 0x84 },
	{ "count 0", "00002050", "count-zero", 0x84 },
	{ "method beyond the end", "00087ffc 1 beef5039", "method-wraps,no-object", 0x84 },
	{ "no object", "0004a320 1", "no-object", 0x84 },
	{ "handle", "0004a000 beef5039 0004a320 1", "", 0x84 },
	{ "unknown handle", "0004a000 beef5038", "unknown-handle", 0x84 },
	{ "DMA object bound", "0004a000 beef0001", "wrong-object", 0x84 },
	{ "engine object as DMA object", "00040060 beef5039", "wrong-object", 0x84 },
	{ "absent method of M2MF", "0004a000 beef5039 0004a11c 1", "illegal-method", 0x84 },
	{ "copy without notifier", "0004a000 beef5039 0004a328 0", "m2mf-no-notify", 0x84 },
	{ "copy", "0004a000 beef5039 0004a180 beef0001 0004a328 0", "", 0x84 },
	{ "many lines", "0004a000 beef5039 0004a320 1000", "m2mf-lines", 0x84 },
	{ "subchannel of the fence", "0004e000 beef5039", "fence-subchannel", 0x50 },
	{ "release", "00040060 beef0001 00040064 40 0004006c 1", "", 0x50 },
	{ "release without offset", "00040060 beef0001 0004006c 1", "semaphore-no-offset", 0x50 },
	{ "release without object", "00040064 40 0004006c 1", "semaphore-no-dma", 0x50 },
	{ "unaligned", "00040060 beef0001 00040064 41", "semaphore-unaligned", 0x50 },
	{ "large offset", "00040060 beef0001 00040064 10000", "semaphore-too-large", 0x50 },
	{ "large address", "00040010 100", "semaphore-too-large", 0x84 },
	{ "operation", "00040060 beef0001 0004001c 3", "semaphore-operation", 0x84 },
	{ "outside of the object", "00040060 beef0001 00040064 1000 0004006c 1",
	  "semaphore-outside", 0x50 },
	{ "end of the object", "00040060 beef0001 00040064 ffc 0004006c 1", "", 0x50 },
	{ "long release at the end", "00040060 beef0001 00100010 0 ffc 1 2", "semaphore-outside",
	  0x84 },
	{ "read only", "00040060 beef0002 00040064 0 0004006c 1", "semaphore-read-only", 0x50 },
};

static void test_streams(void)
{
	size_t i, j;

	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		struct found found = { .rules = "" };
		struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, streams[i].chipset,
							on_finding, &found);
		struct nvfifo_words words = { 0 };

		nvfifo_lint_object(l, 0, 0xbeef5039, 0x5039);
		nvfifo_lint_dma_object(l, -1, 0xbeef0001, 0x20000000, 0x20000fff, false);
		nvfifo_lint_dma_object(l, -1, 0xbeef0002, 0x20000000, 0x20000fff, true);
		nvfifo_lint_know_objects(l);
		nvfifo_capture_words(streams[i].words, strlen(streams[i].words), &words, NULL);
		for (j = 0; j < words.count; j++)
			nvfifo_lint_word(l, words.data[j], 0);
		nvfifo_words_free(&words);
		nvfifo_lint_end(l);
		expect(streams[i].what, &found, streams[i].want);
		nvfifo_lint_free(l);
	}
}

static void test_class(void)
{
	struct found found = { .rules = "" };
	struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, 0x50, on_finding, &found);

	nvfifo_lint_object(l, 0, 1, 0x5097);
	nvfifo_lint_object(l, 0, 2, 0x8297);
	nvfifo_lint_object(l, 0, 3, NVFIFO_CLASS_SOFTWARE);
	expect("a class of G84 on G80", &found, "illegal-class");
	nvfifo_lint_free(l);
}

/* --- Entries and rings --------------------------------------------------- */

static void test_entries(void)
{
	static const struct {
		const char *what;
		__u64 va;
		size_t words;
		__u32 ib[2];
		const char *want;
	} rows[] = {
		{ "entry", 0x2000, 4, { 0x2000, 4 << 10 }, "" },
		{ "entry with address above 4 GiB", 0x1200002000, 4, { 0x2000, 0x12 | 4 << 10 }, "" },
		{ "entry of length 0", 0x2000, 4, { 0x2000, 0 }, "ib-empty" },
		{ "entry in bytes", 0x2000, 4, { 0x2000, 16 << 10 }, "ib-length-in-bytes" },
		{ "entry too short", 0x2000, 4, { 0x2000, 3 << 10 }, "ib-length" },
		{ "entry elsewhere", 0x2000, 4, { 0x3000, 4 << 10 }, "ib-address" },
		{ "unaligned segment", 0x2002, 4, { 0x2002, 4 << 10 },
		  "ib-address,ib-address,ib-bits" },
		{ "unknown bit", 0x2000, 4, { 0x2000, 0x100 | 4 << 10 }, "ib-bits" },
	};
	size_t i, j;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct found found = { .rules = "" };
		struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, 0x84, on_finding,
							&found);

		nvfifo_lint_segment(l, 0, "segment", rows[i].va, rows[i].words, rows[i].ib, 0);
		for (j = 0; j < rows[i].words; j++)
			nvfifo_lint_word(l, 0, 0);
		nvfifo_lint_end(l);
		expect(rows[i].what, &found, rows[i].want);
		nvfifo_lint_free(l);
	}
}

static void test_rings(void)
{
	static const struct {
		const char *what;
		unsigned int written;
		__u64 get, put;
		const char *want;
	} rows[] = {
		{ "ring", 3, 0, 3, "" },
		{ "empty ring", 0, 2, 2, "" },
		{ "ring that wraps", 32, 30, 2, "" },
		{ "entry that was not written", 2, 0, 3, "ring-not-written" },
		{ "put in bytes", 2, 0, 16, "ib-put-in-bytes" },
		{ "put in bytes of a full ring", 32, 0, 31 * 8, "ib-put-in-bytes" },
		{ "put beyond the ring", 2, 0, 33, "ib-put" },
		{ "get beyond the ring", 2, 32, 0, "ib-put" },
	};
	size_t i, j;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct found found = { .rules = "" };
		struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, 0x84, on_finding,
							&found);
		__u32 ring[64] = { 0 };

		for (j = 0; j < rows[i].written; j++) {
			ring[j * 2] = 0x2000;
			ring[j * 2 + 1] = 4 << 10;
		}
		nvfifo_lint_ring(l, ring, 32, rows[i].get, rows[i].put);
		expect(rows[i].what, &found, rows[i].want);
		nvfifo_lint_free(l);
	}
}

/* --- Programs ------------------------------------------------------------ */

#define HEAD "buffer sem 4K\nchannel ch\nobject 1 dma rw sem 4K\n"

static const struct {
	const char *what, *text, *want;
	unsigned int line;
} programs[] = {
	{ "program", HEAD "push p {\nmthd 0 REF_CNT : 1\n}\nsubmit ch p\nwait\nexpect ref ch 1\n", "",
	  0 },
	{ "no wait", HEAD "push p {\nmthd 0 REF_CNT : 1\n}\nsubmit ch p\nexpect ref ch 1\n",
	  "no-wait", 8 },
	{ "an object that no card can do", HEAD "object 0x11 dma rw sem 4K kind 0x05\nwait\n", "object", 4 },
	{ "a mapping that no card can do", HEAD "buffer b 4K\nmap b auto compression single\nwait\n", "mapping", 5 },
	{ "nothing to do", HEAD, "nothing-to-do", 0 },
	{ "never submitted", HEAD "push p {\nmthd 0 REF_CNT : 1\n}\nwait\n", "never-submitted", 4 },
	{ "incomplete", HEAD "push p {\nnop\nmthd 0 REF_CNT x2\ndata 1\n}\nsubmit ch p\nwait\n",
	  "incomplete-command", 6 },
	{ "one command in two pushbuffers",
	  HEAD "push p {\nmthd 0 DMA_SEMAPHORE x2\n}\npush q {\ndata 1, 0\n}\nsubmit ch p, q\nwait\n", "", 0 },
	{ "absent object", HEAD "push p {\nmthd 0 DMA_SEMAPHORE : 2\n}\nsubmit ch p\nwait\n",
	  "unknown-handle", 5 },
	{ "object of another channel",
	  "buffer sem 4K\nchannel a\nchannel b\nobject b 1 dma rw sem 4K\npush p {\nmthd 0 DMA_SEMAPHORE : 1\n}\nsubmit a p\nwait\n",
	  "unknown-handle", 6 },
	{ "semaphore object of the submission before",
	  HEAD "push p {\nmthd 0 DMA_SEMAPHORE : 1\nmthd 0 SEMAPHORE_OFFSET : 0\n}\npush q {\nmthd 0 SEMAPHORE_RELEASE : 1\n}\nsubmit ch p\nsubmit ch q\nwait\n",
	  "semaphore-no-dma", 9 },
	{ "semaphore that nobody releases",
	  HEAD "push p {\nmthd 0 DMA_SEMAPHORE : 1\nmthd 0 SEMAPHORE_OFFSET : 0\nmthd 0 SEMAPHORE_ACQUIRE : 7\n}\nsubmit ch p\nwait\n",
	  "never-released", 7 },
	{ "semaphore that memory has",
	  HEAD "fill sem 7\npush p {\nmthd 0 DMA_SEMAPHORE : 1\nmthd 0 SEMAPHORE_OFFSET : 0\nmthd 0 SEMAPHORE_ACQUIRE : 7\n}\nsubmit ch p\nwait\n",
	  "", 0 },
	{ "read-only mapping",
	  "buffer sem 4K\nmap sem auto readonly\nchannel ch\nobject 1 dma rw sem 4K\npush p {\nmthd 0 DMA_SEMAPHORE : 1\nmthd 0 SEMAPHORE_OFFSET : 0\nmthd 0 SEMAPHORE_RELEASE : 7\n}\nsubmit ch p\nwait\n",
	  "semaphore-read-only", 8 },
	{ "nothing mapped",
	  "buffer sem 4K\nchannel ch\nobject 1 dma rw sem 64K\npush p {\nmthd 0 DMA_SEMAPHORE : 1\nmthd 0 SEMAPHORE_OFFSET : 0x2000\nmthd 0 SEMAPHORE_RELEASE : 7\n}\nsubmit ch p\nwait\n",
	  "outside-of-buffers", 7 },
	{ "small ring",
	  "channel ch order 3\npush p {\nnop\n}\nsubmit ch p, p, p, p, p, p, p\nwait\n", "ring-full", 5 },
	{ "SLI conditional", "channel ch sli 1\npush p {\nsli 1\n}\nsubmit ch p\nwait\n", "", 0 },
	{ "SLI conditional that is off",
	  "channel ch sli off\npush p {\nnop\nsli 1\n.word 3\n}\nsubmit ch p\nwait\n", "sli-off", 4 },
	{ "SLI conditional of the other channel",
	  "channel a sli off\nchannel b\npush p {\nsli 1\n}\nsubmit b p\nwait\n", "", 0 },
	{ "a last word",
	  "buffer w 4K\nchannel ch dma w last w+4\npush p at w linear {\nnop\nnop\n}\nsubmit ch p\n", "", 0 },
	{ "past the last word",
	  "buffer w 4K\nchannel ch dma w last w\npush p at w linear {\nnop\nnop\n}\nsubmit ch p\n",
	  "past-last", 3 },
};

static void test_programs(void)
{
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct found found = { .rules = "" };
		struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, 0x50, on_finding,
							&found);
		struct nvfifo_prog prog;
		struct nvfifo_diag diag;

		if (nvfifo_prog_read(programs[i].text, strlen(programs[i].text),
				     NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, &prog, &diag)) {
			tap(false, "%s can be read: %s", programs[i].what, nvfifo_last_error());
		} else {
			nvfifo_lint_program(l, &prog);
			expect(programs[i].what, &found, programs[i].want);
			if (programs[i].line)
				tap(found.line == programs[i].line, "%s: line %u", programs[i].what,
				    found.line);
			nvfifo_prog_free(&prog);
		}
		nvfifo_lint_free(l);
	}
}

/* --- Captures ------------------------------------------------------------ */

#define OBJECT	"grobj channel 0 handle beef5039 class 5039\n"
#define PUSH	"push 3 va 0000002000 bytes 8 noprefetch 0 ib 00002000 00000800\n"

static void test_captures(void)
{
	static const struct {
		const char *what, *text, *want;
	} rows[] = {
		{ "a capture's object", OBJECT PUSH "0004a000 beef5039\n", "" },
		{ "another handle", OBJECT PUSH "0004a000 beef502d\n", "unknown-handle" },
		{ "a handle in a remark",
		  "notifierobj channel 0 handle beef502d size 32\n" OBJECT PUSH "0004a000 beef502d\n", "" },
		{ "without objects no handle is unknown", PUSH "0004a000 beef502d\n", "" },
	};
	struct nvfifo_diag diag = { 0 };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct found found = { .rules = "" };
		struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, 0x50, on_finding, &found);

		if (nvfifo_lint_capture(l, rows[i].text, strlen(rows[i].text), &diag))
			snprintf(found.rules, sizeof(found.rules), "%u: %s", diag.line, diag.text);
		nvfifo_lint_end(l);
		expect(rows[i].what, &found, rows[i].want);
		if (*rows[i].want)
			tap(!strcmp(found.place, "push 3 at 0x2000"), "%s: %s", rows[i].what, found.place);
		nvfifo_lint_free(l);
	}
}

static void test_broken_texts(void)
{
	static const char capture[] = OBJECT PUSH "0004a000 beef503x\n", hex[] = "40050 1\n2 3 xyz\n";
	struct found found = { .rules = "" };
	struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, 0x50, on_finding, &found);
	struct nvfifo_words words = { 0 };
	struct nvfifo_diag diag = { 0 };

	tap(nvfifo_lint_capture(l, capture, strlen(capture), &diag) == -EINVAL && diag.line == 3,
	    "a capture with a word that is none");
	tap(nvfifo_capture_words(hex, strlen(hex), &words, &diag) == -EINVAL && diag.line == 2 &&
		    words.count == 4 && words.data[3] == 3,
	    "hex text: the words before a mistake");
	nvfifo_words_free(&words);
	nvfifo_lint_free(l);
}

/* --- The chipset of a program --------------------------------------------- */

static __u32 chipset_of(const char *text)
{
	struct nvfifo_prog prog;
	struct nvfifo_diag diag;
	__u32 chipset;

	if (nvfifo_prog_read(text, strlen(text), NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, &prog, &diag)) {
		printf("# %u:%u: %s\n", diag.line, diag.column, diag.text);
		return ~0u;
	}

	chipset = nvfifo_lint_chipset(&prog);
	nvfifo_prog_free(&prog);

	return chipset;
}

static void test_chipset(void)
{
	tap(chipset_of("object 1 class 0x5039\n") == 0x50, "a class of all cards: the oldest one");
	tap(chipset_of("object 1 class 0x8297\n") == 0, "a class of later cards: no single one");
	tap(chipset_of("requires semaphore64\n") == 0, "a feature of later cards: no single one");
}

/* Words of any kind, on every chipset and format. */
static void test_garbage(void)
{
	uint64_t seed = 5;
	struct found found = { .rules = "" };
	unsigned int round, i;

	for (round = 0; round < 300; round++) {
		struct nvfifo_lint *l = nvfifo_lint_new(round % 3, round & 1 ? 0x50 : 0xaf,
							on_finding, &found);

		nvfifo_lint_object(l, 0, 0xbeef5039, 0x5039);
		for (i = 0; i < 500; i++) {
			__u32 w = tap_random(&seed);

			found.rules[0] = '\0';
			nvfifo_lint_word(l, i % 5 ? w & 0x000cfffc : w, i);
		}
		nvfifo_lint_end(l);
		nvfifo_lint_free(l);
	}
	tap(true, "150000 random words do no harm");
}

/* --- Classes ------------------------------------------------------------- */

/* nvfifo_class_name() finds a class by bisection, so that each is found only in a sorted table. */
static void test_classes(void)
{
	unsigned int rows = 0, wrong = 0;
	__u32 oclass = 0;

	while ((oclass = nvfifo_class_next(oclass))) {
		rows++;
		if (!nvfifo_class_name(oclass) || !nvfifo_class_exists(0, oclass)) {
			printf("# class %04x is not found\n", oclass);
			wrong++;
		}
	}
	tap(rows == 45 && !wrong, "all %u classes are found", rows);
}

int main(void)
{
	test_classes();
	size_t i, missing = 0;

	test_streams();
	test_class();
	test_entries();
	test_rings();
	test_programs();
	test_captures();
	test_broken_texts();
	test_chipset();
	for (i = 0; nvfifo_lint_rules[i].name; i++) {
		if (!seen[i] && ++missing)
			printf("# %s\n", nvfifo_lint_rules[i].name);
	}
	tap(!missing, "each of %zu rules was broken once", i);
	test_garbage();
	return tap_end();
}
