// SPDX-License-Identifier: MIT
/*
 * Every parser of the library with damaged input. Two ways to run it:
 *
 * - as one of the host tests: a bounded number of rounds, each with a damaged piece
 *   of a real file, the same in every run; NVFIFO_FUZZ_ROUNDS changes how many;
 * - "make fuzz", with clang's libFuzzer, until it finds something; with
 *   FUZZ_PARSER=fuzz_program one parser only, whose input then has no first byte.
 *
 * The sanitizers are the judges. Besides, the assembler must take the
 * disassembler's output and give the same words.
 */
#include <errno.h>

#include "nvfifo_calc.h"
#include "nvfifo_coredump.h"
#include "nvfifo_capture.h"
#include "nvfifo_event.h"
#include "nvfifo_explain.h"
#include "nvfifo_lint.h"
#include "nvfifo_prog.h"
#include "nvfifo_reg.h"
#include "nvfifo_text.h"
#include "tap.h"

#define INPUT_MAX 16384

static void broken(const char *what)
{
	printf("# %s\n", what);
	fflush(stdout);
	abort();
}

/* --- Parsers ------------------------------------------------------------- */

/* An allocated copy, zero terminated, so that ASan finds reads past its end. */
static char *copy(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		exit(1);
	memcpy(text, data, len);
	text[len] = '\0';
	return text;
}

static int any_symbol(void *ctx, const char *name, size_t len, __u64 *value)
{
	(void)ctx;
	*value = len * 0x1000;
	return name[0] == 'x' ? -ENOENT : 0;
}

static void fuzz_assembler(const uint8_t *data, size_t len)
{
	struct nvfifo_words words = { 0 };
	struct nvfifo_diag diag;

	nvfifo_assemble((const char *)data + 1, len - 1, data[0] % 3, data[0] & 4 ? any_symbol : NULL,
			NULL, &words, &diag);
	nvfifo_words_free(&words);
}

/* Is it ASCII that JSON takes as it is? */
static bool needs_no_escape(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\')
			return false;
	}

	return true;
}

/* Words to text and back. */
static void fuzz_disassembler(const uint8_t *data, size_t len)
{
	enum nvfifo_format format = data[0] % 3;
	size_t count = (len - 1) / 4, i, used = 0;
	char *text = malloc(count * 2 * NVFIFO_WORD_TEXT_MAX + 1);
	struct nvfifo_words back = { 0 };
	struct nvfifo_decoder d;
	struct nvfifo_diag diag;
	__u32 *words = calloc(count + 1, sizeof(*words));

	if (!text || !words)
		exit(1);
	memcpy(words, data + 1, count * 4);
	nvfifo_decoder_init(&d, format, data[0] & 8 ? 0x50 : 0);
	nvfifo_decoder_handle(&d, words[0], 0x5097);
	nvfifo_decoder_handle(&d, words[count / 2], 0x502d);
	for (i = 0; i < count; i++) {
		struct nvfifo_word w;
		size_t line;

		nvfifo_decode(&d, words[i], &w);
		line = data[0] & 16 ? nvfifo_word_text(&w, format, text + used) :
				      nvfifo_listing_line(&w, format, i * 4, text + used);
		if (!needs_no_escape(text + used, line))
			broken("the disassembler's text needs an escape in JSON");
		used += line;
		text[used++] = '\n';
	}
	if (nvfifo_assemble(text, used, format, NULL, NULL, &back, &diag))
		broken("the assembler refuses the disassembler's text");
	if (back.count != count || (count && memcmp(back.data, words, count * 4)))
		broken("the disassembler's text gives other words");
	nvfifo_words_free(&back);
	free(words);
	free(text);
}

static void on_finding(void *ctx, const struct nvfifo_finding *f)
{
	size_t *n = ctx;

	*n += strlen(f->text) + strlen(f->place) + strlen(f->rule->name);
}

static int lint_object(void *ctx, unsigned int channel, __u32 handle, __u32 oclass)
{
	nvfifo_lint_object(ctx, channel, handle, oclass);
	return 0;
}

static int lint_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va,
			size_t words, const __u32 ib[2])
{
	(void)index;
	nvfifo_lint_segment(ctx, channel, "segment", va, words, ib, 0);
	return 0;
}

static int lint_word(void *ctx, __u32 word)
{
	nvfifo_lint_word(ctx, word, 0);
	return 0;
}

static int lint_remark(void *ctx, const char *line, size_t len)
{
	(void)ctx;
	return len && line[len - 1] == '\n' ? -EINVAL : 0;
}

static void data_words(const char *s)
{
	const char *before = s;
	__u32 word;

	for (; s && nvfifo_event_next_word(&s, &word); before = s) {
		if (s <= before)
			broken("a word without a digit");
	}
}

/* Each line of a trace, as "nvfifo trace" reads it. */
static void fuzz_trace(const uint8_t *data, size_t len)
{
	char *text = strndup((const char *)data, len), *line, *save;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct nvfifo_event e;

		if (nvfifo_event_parse(line, &e) != 1)
			continue;
		if (!*e.name || strlen(e.name) >= sizeof(e.name))
			broken("an event without a name");
		data_words(nvfifo_row_get(&e.fields, "data"));
		nvfifo_event_free(&e);
	}
	free(text);
}

static void fuzz_dump(const uint8_t *data, size_t len)
{
	static const struct nvfifo_capture_ops dump = {
		.object = lint_object,
		.segment = lint_segment,
		.word = lint_word,
		.remark = lint_remark,
	};
	static const struct nvfifo_capture_ops hex = { .word = lint_word };
	size_t n = 0;
	struct nvfifo_lint *l = nvfifo_lint_new(data[0] % 3, data[0] & 4 ? 0x50 : 0xa8, on_finding,
						&n);
	struct nvfifo_diag diag;

	if (!l)
		exit(1);
	nvfifo_capture_detect((const char *)data + 1, len - 1);
	if (data[0] & 32)
		nvfifo_lint_know_objects(l);
	nvfifo_capture_read((const char *)data + 1, len - 1, data[0] & 16 ? &hex : &dump, l, &diag);
	nvfifo_lint_end(l);
	nvfifo_lint_free(l);
}

/* A capture that can be read becomes a program that can be read. */
static void fuzz_capture(const uint8_t *data, size_t len)
{
	struct nvfifo_prog prog;
	struct nvfifo_diag diag;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int ret;

	if (!f)
		exit(1);
	ret = nvfifo_capture_program((const char *)data + 1, len - 1, data[0] & 1 ? 0x50 : 0xa8, f,
				     &diag);
	fclose(f);
	if (!ret && nvfifo_prog_read(text, size, NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, &prog,
				     &diag))
		broken(nvfifo_last_error());
	if (!ret)
		nvfifo_prog_free(&prog);
	free(text);
}

static void fuzz_ring(const uint8_t *data, size_t len)
{
	__u32 ring[128] = { 0 };
	size_t n = 0;
	struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, 0, on_finding, &n);

	if (!l)
		exit(1);
	memcpy(ring, data + 1, len - 1 < sizeof(ring) ? len - 1 : sizeof(ring));
	nvfifo_lint_ring(l, ring, 64, data[0] & 63, ring[127] & 1 ? ring[127] : ring[127] & 127);
	nvfifo_lint_free(l);
}

static void fuzz_program(const uint8_t *data, size_t len)
{
	struct nvfifo_prog prog;
	struct nvfifo_diag diag;
	size_t n = 0;

	if (nvfifo_prog_read((const char *)data + 1, len - 1, NVFIFO_PROG_VA_START,
			     NVFIFO_PROG_VA_END, &prog, &diag))
		return;
	if (data[0] & 1) {
		struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, data[0] & 2 ? 0x50 : 0x84,
							on_finding, &n);

		if (!l)
			exit(1);
		nvfifo_lint_program(l, &prog);
		nvfifo_lint_free(l);
	}
	nvfifo_prog_free(&prog);
}

/* One of the kinds, whatever the number is */
static const struct nvfifo_calc_kind *some_kind(unsigned int number)
{
	const struct nvfifo_calc_kind *k = nvfifo_calc_next(NULL);

	for (; number; number--) {
		k = nvfifo_calc_next(k);
		if (!k)
			k = nvfifo_calc_next(NULL);
	}

	return k;
}

static void fuzz_calc(const uint8_t *data, size_t len)
{
	struct nvfifo_row r = { 0 };
	const struct nvfifo_calc_kind *k;
	char *text = copy(data + 1, len - 1), *values[16], note[200], item[64];
	const char *p;
	size_t at, i, n;

	if (!nvfifo_row_from_json(&r, text, len - 1, &at)) {
		if (at != len - 1)
			broken("an object of JSON ends in its middle");
	} else if (at > len - 1) {
		broken("a mistake lies after the end of the text");
	}
	k = nvfifo_calc_detect(&r);
	if (!k || data[0] & 1)
		k = some_kind(data[0] / 2);
	for (i = 0; i < r.count; i++) {
		p = r.fields[i].text;
		for (n = 0; n < 100 && nvfifo_json_next(&p, item, sizeof(item)); n++)
			;
	}
	nvfifo_calc(k, &r, data[0] >> 6, note);
	nvfifo_row_free(&r);
	nvfifo_csv_split(text, values, 16);
	free(text);
}

static void fuzz_explain(const uint8_t *data, size_t len)
{
	struct nvfifo_explanation e;
	char *text = copy(data + 1, len - 1), *line, *save;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		nvfifo_explain(line, data[0], &e);
		nvfifo_explanation_free(&e);
	}
	free(text);
}

static int count_word(void *ctx, size_t segment, size_t word, const struct nvfifo_word *w, bool known)
{
	size_t *n = ctx;

	*n += segment + word + w->word + known;
	return 0;
}

static void fuzz_coredump(const uint8_t *data, size_t len)
{
	const struct nvfifo_coredump_mapping *below, *above;
	struct nvfifo_coredump_blame b;
	struct nvfifo_coredump_walk w;
	struct nvfifo_coredump d;
	char line[64];
	size_t i, n = 0;
	__u32 value;

	if (nvfifo_coredump_read((const char *)data + 1, len - 1, &d))
		return;
	for (i = 0; i < d.channel_count; i++) {
		const struct nvfifo_coredump_channel *c = &d.channels[i];
		const struct nvfifo_coredump_fault *f = nvfifo_coredump_channel_fault(&d, c);

		nvfifo_coredump_blame(&d, c, &b);
		if (b.segment != NVFIFO_COREDUMP_NONE &&
		    (b.segment >= c->segment_count || b.word >= c->segments[b.segment].count))
			broken("the failing word is not in the dump");
		if (b.get_segment != NVFIFO_COREDUMP_NONE &&
		    (b.get_segment >= c->segment_count ||
		     b.get_word > c->segments[b.get_segment].count))
			broken("GET is not in its segment");
		nvfifo_coredump_decode(&d, c, count_word, &n);
		nvfifo_coredump_walk(c, f ? f->address : c->get, &w);
		nvfifo_coredump_mapping(c, c->get, &below, &above);
		nvfifo_coredump_ramfc(c, data[0] * 4u, &value);
		nvfifo_coredump_line(&d, c, line, sizeof(line));
		if (f)
			nvfifo_coredump_fault_line(&d, f, line, sizeof(line));
	}
	nvfifo_coredump_free(&d);
}

static void fuzz_reg(const uint8_t *data, size_t len)
{
	char *text = copy(data + 1, len - 1), buf[NVFIFO_REG_VALUE_MAX], name[NVFIFO_REG_NAME_MAX];
	__u32 chipset = data[0] & 1 ? 0x50 : 0x84;
	struct nvfifo_reg_ref ref;
	char *line, *save;

	for (line = strtok_r(text, " \n", &save); line; line = strtok_r(NULL, " \n", &save)) {
		if (nvfifo_reg_parse(line, chipset, &ref))
			continue;
		if (ref.address >= NVFIFO_BAR0_BYTES || ref.address % 4)
			broken("a register is outside of BAR0");
		nvfifo_reg_name(&ref, name);
		if (ref.reg)
			nvfifo_reg_value(ref.reg, ref.field, data[0] * 0x01010101u, buf);
	}
	free(text);
}

static void (*const parsers[])(const uint8_t *data, size_t len) = {
	fuzz_assembler, fuzz_disassembler, fuzz_dump, fuzz_ring,
	fuzz_program,	fuzz_calc,	   fuzz_explain, fuzz_coredump,
	fuzz_reg,	fuzz_trace,	   fuzz_capture,
};

#define PARSERS (sizeof(parsers) / sizeof(parsers[0]))

/* The first byte chooses the parser, the second how it is called. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
#ifdef NVFIFO_FUZZ_PARSER
	(void)parsers;
	if (len)
		NVFIFO_FUZZ_PARSER(data, len);
#else
	if (len >= 2)
		parsers[data[0] % PARSERS](data + 1, len - 1);
#endif
	return 0;
}

/* --- Without libFuzzer --------------------------------------------------- */

#ifndef NVFIFO_LIBFUZZER

static const struct {
	unsigned int parser;
	const char *path;
} seeds[] = {
	{ 0, "tests/golden/source.txt" },
	{ 0, "tests/golden/disasm-nv04.out" },
	{ 0, "tests/golden/disasm-nvc0.out" },
	{ 1, "tests/data/mesa-gl33-nv96.txt" },
	{ 2, "tests/data/mesa-gles2-nv96.txt" },
	{ 2, "tests/golden/capture.txt" },
	{ 2, "tests/golden/words.txt" },
	{ 3, "tests/golden/ring.txt" },
	{ 4, "examples/01-refcnt-semaphore.nvp" },
	{ 4, "examples/02-semaphore-pair.nvp" },
	{ 4, "tests/golden/mistakes.nvp" },
	{ 4, "tests/golden/attributes.nvp" },
	{ 4, "tests/golden/spaces.nvp" },
	{ 9, "tests/golden/trace.txt" },
	{ 9, "tests/golden/submit.txt" },
	{ 9, "tests/golden/words.trace" },
	{ 10, "tests/data/mesa-gles2-nv96.txt" },
	{ 10, "tests/golden/capture.txt" },
	{ 5, "tests/data/calc/vm_fault.jsonl" },
	{ 5, "tests/data/calc/ramht_insert.jsonl" },
	{ 5, "tests/data/calc/ramfc.jsonl" },
	{ 5, "tests/data/calc/pte_runs.jsonl" },
	{ 5, "tests/data/calc/dma_pusher.jsonl" },
	{ 6, "tests/golden/kernel.log" },
	{ 6, "tests/data/dmesg.jsonl" },
	{ 7, "tests/golden/bad-header.dump" },
	{ 7, "tests/golden/semaphore.dump" },
	{ 7, "tests/golden/dma-mode.dump" },
	{ 7, "tests/golden/damaged.dump" },
	{ 8, "tests/golden/registers.txt" },
};

#define SEEDS (sizeof(seeds) / sizeof(seeds[0]))

static uint64_t state = 0x6e766669666f;

static size_t below(size_t n)
{
	return n ? tap_random(&state) % n : 0;
}

static size_t damage(uint8_t *data, size_t len, const char *from, size_t from_len)
{
	static const char *const pieces[] = { "0xffffffff", "{", "}", "\"", "\n", "x99999", "-1", "[",
					      "(((((((((", "18446744073709551615", " ", ",", "hi(" };
	size_t times = below(6), at, n;
	const char *piece;

	while (times--) {
		at = below(len);
		switch (below(5)) {
		case 0:
			if (len)
				data[at] = (uint8_t)tap_random(&state);
			break;
		case 1:
			n = below(len - at) % 64;
			memmove(data + at, data + at + n, len - at - n);
			len -= n;
			break;
		case 2:
			piece = pieces[below(sizeof(pieces) / sizeof(pieces[0]))];
			n = strlen(piece);
			if (len + n > INPUT_MAX)
				break;
			memmove(data + at + n, data + at, len - at);
			memcpy(data + at, piece, n);
			len += n;
			break;
		case 3:
			n = below(from_len < 200 ? from_len : 200);
			if (len + n > INPUT_MAX)
				break;
			memmove(data + at + n, data + at, len - at);
			memcpy(data + at, from + below(from_len - n), n);
			len += n;
			break;
		default:
			if (len)
				data[at] ^= (uint8_t)(1u << below(8));
		}
	}
	return len;
}

int main(void)
{
	static uint8_t input[INPUT_MAX + 2];
	const char *text = getenv("NVFIFO_FUZZ_ROUNDS");
	unsigned long rounds = text ? nvfifo_text_value(text, 0) : 40000, i;
	char *files[SEEDS];
	size_t lens[SEEDS], s, len, at;

	for (s = 0; s < SEEDS; s++)
		files[s] = tap_file(seeds[s].path, &lens[s]);
	for (i = 0; i < rounds; i++) {
		s = i % SEEDS;
		/* A few lines from somewhere, or all of a short file; a dump needs its begin. */
		at = lens[s] > 4000 && seeds[s].parser != 7 ? below(lens[s]) : 0;
		if (at) {
			const char *newline = memchr(files[s] + at, '\n', lens[s] - at);

			at = newline ? (size_t)(newline + 1 - files[s]) : 0;
		}
		len = lens[s] - at;
		if (len >= 4000) {
			size_t cut = below(seeds[s].parser == 7 ? INPUT_MAX / 2 : 4000);

			if (cut < len)
				len = cut;
		}
		input[0] = (uint8_t)seeds[s].parser;
		input[1] = (uint8_t)tap_random(&state);
		memcpy(input + 2, files[s] + at, len);
		len = damage(input + 2, len, files[s], lens[s]);
		LLVMFuzzerTestOneInput(input, len + 2);
	}
	for (s = 0; s < SEEDS; s++)
		free(files[s]);
	tap(true, "%lu damaged inputs for %zu parsers do no harm", rounds, PARSERS);
	return tap_end();
}

#endif
