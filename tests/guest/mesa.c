// SPDX-License-Identifier: MIT
/*
 * Pushbuffers of Mesa's nv50 driver, submitted as they were recorded. The objects come from the
 * record's grobj and notifierobj lines. Segments lie at their addresses, and each submission
 * becomes one SUBMIT. The test compares the engines' methods with a parse of the same words.
 *
 *	mesa [file]...		default: tests/data/mesa-*.txt
 *
 * Addresses below the first one that VM_BIND accepts move up by MOVE. The model executes nothing
 * that depends on them.
 *
 * Guards Mesa's pushbuffers (mesa.rst), on each generation.
 */
#include "expect.h"
#include "nvfifo_text.h"

#include <glob.h>

#define MOVE		(256 * MIB)
#define WINDOW		(64 * KIB)
#define MAX_WINDOWS	256
#define MAX_PUSHES	512
#define FILES		"/src/tests/data/mesa-*.txt"

static struct nv nv;
static uint32_t vm, hw;
static struct ch ch;
static struct bo data;
static uint64_t data_va;
static struct parser parser;
static struct expect want;

static struct {
	uint64_t va;
	struct bo bo;
	uint8_t used[WINDOW / 4];	/* words that this submission has written */
} windows[MAX_WINDOWS];
static uint32_t num_windows;

/* The file that is being read */
static const char *name;
static unsigned int line_number;

#define need_line(cond, what) need(cond, "%s:%u: %s", name, line_number, what)

static uint64_t place(uint64_t va)
{
	return va < nv.dev.va_start ? va + MOVE : va;
}

/* The CPU's address of the word that the card reads at @va. */
static volatile uint32_t *word_at(uint64_t va, uint8_t **used)
{
	uint64_t base = va & ~(WINDOW - 1);
	uint32_t i;

	for (i = 0; i < num_windows && windows[i].va != base; i++)
		;

	if (i == num_windows) {
		need_line(i < MAX_WINDOWS, "too many addresses");
		windows[i].va = base;
		windows[i].bo = sys_bo(&nv, WINDOW);
		need_line(!vm_map_at(&nv, vm, &windows[i].bo, base, 0, 0), "VM_BIND");
		num_windows++;
	}

	*used = &windows[i].used[(va - base) / 4];
	return (volatile uint32_t *)windows[i].bo.map + (va - base) / 4;
}

/* A segment may be there several times, but always with the same words. */
static void store(uint64_t va, uint32_t w)
{
	uint8_t *used;
	volatile uint32_t *p = word_at(va, &used);

	need_line(!*used || *p == w, "two segments of a submission differ at an address");
	*p = w;
	*used = 1;
}

/* --- Objects ------------------------------------------------------------------------------- */

static void dma_object(uint32_t handle, uint64_t start, uint64_t size)
{
	need_line(!object_dma(&nv, ch.id, handle, start, size), "OBJECT_CREATE of a DMA object");
}

/* False if the chip does not have the class. */
static bool graph_object(uint32_t handle, uint32_t oclass)
{
	const struct class *c = class_of(nv.dev.chipset, oclass);
	int ret = object_engine(&nv, ch.id, handle, oclass);

	if (!c) {
		refused(ret, EINVAL, "class of another chip");
		return false;
	}

	need_line(!ret, "OBJECT_CREATE of a class that the chip has");
	parser_object(&parser, handle, oclass, c->engine);
	return true;
}

/* --- Submissions ---------------------------------------------------------------------------- */

static struct drm_nvfifo_entry entries[MAX_PUSHES];
static uint32_t num_entries, submissions, words;

static void submit_all(void)
{
	struct drm_nvfifo_sync s = sync_signal(ch.done);
	uint32_t i;
	int ret;

	if (!num_entries)
		return;

	ret = submit_raw(&nv, ch.id, entries, num_entries, &s, 1, NULL);
	need_line(!ret, "SUBMIT");
	need_line(sync_finish(&nv, ch.done) == 1, "the submission ends");
	num_entries = 0;
	submissions++;

	for (i = 0; i < num_windows; i++)
		memset(windows[i].used, 0, sizeof(windows[i].used));
}

/* The IB words of the record say the same as its other numbers. */
static void check_ib(uint64_t va, uint32_t bytes, uint32_t noprefetch, uint32_t w0, uint32_t w1)
{
	need_line(w0 == (uint32_t)va && (w1 & 0xff) == va >> 32 && !(w1 & 0x300) &&
		  (w1 >> 10 & 0x1fffff) == bytes / 4 && w1 >> 31 == noprefetch && bytes % 4 == 0,
		  "the IB words are those of the segment");
}

enum line_kind { LINE_DONE, LINE_SKIP };

static uint64_t push_va;
static uint32_t push_left;

static enum line_kind read_line(char *line)
{
	unsigned int a, b, c, d, e;
	unsigned long long va;

	if (push_left) {
		const char *p = line, *next;
		__u64 number;

		for (; (next = nvfifo_text_read(p, 16, &number)); p = next) {
			uint32_t w = (uint32_t)number;

			need_line(push_left, "more words than the segment has");
			store(push_va, w);
			parser_word(&parser, w, &want);
			push_va += 4;
			push_left--;
			words++;
		}
		need_line(!*p || *p == '\n', "a line of words");
	} else if (sscanf(line, "push %u va %llx bytes %u noprefetch %u ib %x %x", &a, &va, &b, &c,
			  &d, &e) == 6) {
		check_ib(va, b, c, d, e);
		need_line(num_entries < MAX_PUSHES && b, "a number of segments that fits");
		push_va = place(va);
		push_left = b / 4;
		entries[num_entries++] = (struct drm_nvfifo_entry){
			.address = push_va,
			.words = push_left,
			.flags = c ? DRM_NVFIFO_ENTRY_NO_PREFETCH : 0,
		};
	} else if (sscanf(line, "submit %u channel %u", &a, &b) == 2) {
		submit_all();
	} else if (sscanf(line, "grobj channel %u handle %x class %x", &a, &b, &c) == 3) {
		submit_all();
		if (!graph_object(b, c))
			return LINE_SKIP;
	} else if (sscanf(line, "notifierobj channel %u handle %x size %u", &a, &b, &c) == 3) {
		submit_all();
		dma_object(b, data_va, c);
	} else if (sscanf(line, "channel_alloc fb_ctxdma %x tt_ctxdma %x", &a, &b) == 2) {
		dma_object(a, nv.dev.va_start, nv.dev.va_end - nv.dev.va_start);
		if (a != b)
			dma_object(b, nv.dev.va_start, nv.dev.va_end - nv.dev.va_start);
	} else {
		need_line(line[0] == '\n' || !line[0] || line[0] == '#', "a line that is known");
	}

	return LINE_DONE;
}

static void forget(void)
{
	num_windows = 0;
	num_entries = 0;
	submissions = 0;
	words = 0;
	push_left = 0;
	line_number = 0;
	expect_forget(&want);
	memset(&parser, 0, sizeof(parser));
	memset(windows, 0, sizeof(windows));
}

/* Whether it was for this chip. */
static bool run_file(const char *path)
{
	struct drm_nvfifo_channel_query q;
	bool skipped = false;
	char line[4096];
	FILE *f;

	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	forget();
	f = fopen(path, "r");
	need(f, "%s: %s", path, strerror(errno));
	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
	hw = ch_query(&ch).hw_id;
	data = sys_bo(&nv, 4096);
	data_va = map(&nv, vm, &data);
	ctl(NVSIM_CTL_REC_RESET, 0);

	while (!skipped && fgets(line, sizeof(line), f)) {
		line_number++;
		skipped = read_line(line) == LINE_SKIP;
	}

	fclose(f);
	if (skipped) {
		diag("%s: the chip does not have all of its classes", name);
	} else {
		submit_all();
		need(!push_left, "%s: all words are there", name);
		q = ch_query(&ch);
		check(submissions && q.completed == submissions && !q.state,
		      "%s: %u submissions with %u words", name, submissions, words);
		check(!parser.wrong && !parser.left && !parser.count_comes,
		      "%s: the parser understands all of it", name);
		expect_check(&want, hw, name);
		check(want.n > words / 2, "%s: most words are methods", name);
		check(ch_works(&ch), "%s: the channel works after it", name);
	}

	forget();
	nv_close(&nv);
	return !skipped;
}

static char **files;
static int num_files;

static void t_files(void)
{
	int i, n = 0;

	need(ctl_present(), "the model");
	module_reload("engines=0x7e");
	ctl(NVSIM_CTL_ENGINE_CONTEXT, NVSIM_ENGINE_RECORD);

	for (i = 0; i < num_files; i++)
		n += run_file(files[i]);

	if (!n)
		skip("pushbuffers # SKIP no file has only classes of this chip");

	ctl(NVSIM_CTL_ENGINE_CONTEXT, NVSIM_ENGINE_REQUIRE);
}

static const struct test tests[] = { TEST(t_files) };

int main(int argc, char **argv)
{
	glob_t g = { 0 };

	files = argv + 1;
	num_files = argc - 1;
	if (!num_files && !glob(FILES, 0, NULL, &g)) {
		files = g.gl_pathv;
		num_files = (int)g.gl_pathc;
	}

	if (!num_files) {
		fprintf(stderr, "mesa: no %s\n", FILES);
		return 2;
	}

	return run_tests(1, argv, tests, ARRAY_SIZE(tests));
}
