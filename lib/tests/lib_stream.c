// SPDX-License-Identifier: MIT
/*
 * The decoder on pushbuffers that a real driver built, against another
 * program's decode of the same words.
 */
#include <errno.h>

#include "nvfifo_capture.h"
#include "nvfifo_text.h"
#include "tap.h"

#define GLES2	    "tests/data/mesa-gles2-nv96.txt"
#define GLES2_DEDMA "tests/data/mesa-gles2-nv96.dedma"
#define GL33	    "tests/data/mesa-gl33-nv96.txt"

struct stream {
	struct nvfifo_decoder d;
	struct nvfifo_words words;
	struct nvfifo_word *decoded;
	size_t segments;
	size_t carried;		/* segments that begin inside of a command */
	size_t bad_ib;
};

static int on_object(void *ctx, unsigned int channel, __u32 handle, __u32 oclass)
{
	struct stream *s = ctx;

	(void)channel;
	return nvfifo_decoder_handle(&s->d, handle, oclass);
}

static int on_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
		      const __u32 ib[2])
{
	struct nvfifo_ib_entry e = nvfifo_ib_decode(ib);
	struct stream *s = ctx;

	(void)channel;
	(void)index;
	s->segments++;
	s->carried += s->d.left != 0;
	s->bad_ib += e.address != va || e.words != words || e.not_main;
	return 0;
}

static int on_word(void *ctx, __u32 word)
{
	struct stream *s = ctx;

	s->decoded = realloc(s->decoded, (s->words.count + 1) * sizeof(*s->decoded));
	nvfifo_decode(&s->d, word, &s->decoded[s->words.count]);
	return nvfifo_words_add(&s->words, word);
}

static const struct nvfifo_capture_ops ops = {
	.object = on_object,
	.segment = on_segment,
	.word = on_word,
};

static struct stream read_stream(const char *path)
{
	struct stream s = { 0 };
	size_t len;
	char *text = tap_file(path, &len);
	int ret;

	nvfifo_decoder_init(&s.d, NVFIFO_FORMAT_NV04, 0x96);
	ret = nvfifo_capture_read(text, len, &ops, &s, NULL);
	tap(!ret && nvfifo_capture_detect(text, len), "%s is a dump and can be read", path);
	free(text);
	return s;
}

static void free_stream(struct stream *s)
{
	nvfifo_words_free(&s->words);
	free(s->decoded);
}

static void check_stream(struct stream *s, const char *path)
{
	char *text = malloc(s->words.count * 2 * NVFIFO_WORD_TEXT_MAX), *p = text;
	struct nvfifo_words back = { 0 };
	size_t i, invalid = 0, unnamed = 0;
	bool same;

	for (i = 0; i < s->words.count; i++) {
		const struct nvfifo_word *w = &s->decoded[i];

		invalid += w->kind == NVFIFO_WORD_INVALID || w->refused;
		if (w->kind == NVFIFO_WORD_DATA)
			unnamed += !nvfifo_method_name(w->oclass, w->method);
		p += nvfifo_listing_line(w, NVFIFO_FORMAT_NV04, i * 4, p);
		*p++ = '\n';
	}
	tap(!invalid, "%s: no word is refused", path);
	tap(!unnamed, "%s: all methods have names", path);
	tap(!s->d.left && !s->d.long_pending, "%s: no command is open at the end", path);
	tap(!s->bad_ib, "%s: the %zu IB entries decode to the dump's values", path, s->segments);
	same = !nvfifo_assemble(text, (size_t)(p - text), NVFIFO_FORMAT_NV04, NULL, NULL, &back,
				NULL) &&
	       back.count == s->words.count &&
	       !memcmp(back.data, s->words.data, back.count * sizeof(__u32));
	tap(same, "%s: %zu words survive disassembler and assembler", path, s->words.count);
	nvfifo_words_free(&back);
	free(text);
}

/* dedma: "0004a000  size 1, subchannel 5 (0x0), offset 0x0000, increment". */
static bool same_header(const struct nvfifo_word *w, const char *line)
{
	unsigned int word, count, subc, obj, mthd;
	char how[16];

	if (sscanf(line, "%x size %u, subchannel %u (%x), offset %x, %15s", &word, &count, &subc,
		   &obj, &mthd, how) != 6)
		return false;
	return w->kind == NVFIFO_WORD_HEADER && w->word == word && w->cmd.count == count &&
	       w->cmd.subc == subc && w->cmd.method == mthd &&
	       w->cmd.type == (strcmp(how, "increment") ? NVFIFO_COMMAND_NONINCR : NVFIFO_COMMAND_INCR);
}

/*
 * dedma prints rnndb's "int" as a signed number even where no negative number has a
 * meaning. Names of methods whose values differ for that reason.
 */
static const char *const dedma_signs[] = {
	"3D.CB_DEF_SET",
	"3D.SEMANTIC_PTSZ",
};

static bool dedma_has_wrong_sign(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(dedma_signs) / sizeof(dedma_signs[0]); i++) {
		if (!strcmp(name, dedma_signs[i]))
			return true;
	}
	return false;
}

/* dedma prints floats with six digits after the point, however small they are. */
static bool same_float(const char *theirs, __u32 word)
{
	union {
		__u32 u;
		float f;
	} x = { .u = word };
	char text[64];

	snprintf(text, sizeof(text), "%f", (double)x.f);
	return !strcmp(theirs, text);
}

/* dedma: "beef0301    G80_M2MF.DMA_NOTIFY = 0xbeef0301". */
static bool same_data(const struct nvfifo_word *w, const char *line)
{
	const char *name = nvfifo_method_name(w->oclass, w->method), *theirs = strchr(line, '_');
	char ours[512], value[320];

	if (w->kind != NVFIFO_WORD_DATA || nvfifo_text_value(line, 16) != w->word)
		return false;
	if (strstr(line, "mapped to subchannel"))
		return w->method == NVFIFO_MTHD_OBJECT && w->oclass;
	if (!theirs || !name)
		return false;
	nvfifo_method_value(w->oclass, w->method, w->word, value, sizeof(value));
	snprintf(ours, sizeof(ours), "%s = %s", name, value);
	if (!strcmp(theirs + 1, ours) || dedma_has_wrong_sign(name))
		return true;
	if (strpbrk(value, ".e") && same_float(strstr(theirs, " = ") + 3, w->word))
		return true;
	printf("# ours: %s\n", ours);
	return false;
}

static void test_dedma(const struct stream *s)
{
	size_t len, i = 0, headers = 0, wrong = 0, named = 0;
	char *text = tap_file(GLES2_DEDMA, &len), *save, *line;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save), i++) {
		bool header = strstr(line, "  size "), ok;

		if (i >= s->words.count)
			break;
		ok = header ? same_header(&s->decoded[i], line) : same_data(&s->decoded[i], line);
		headers += header;
		named += !!strstr(line, " = ");
		if (!ok && wrong++ < 5)
			printf("# word %zu: %s\n", i, line);
	}
	tap(!line && i == s->words.count, "dedma's decode has a line for each of %zu words", i);
	tap(!wrong && headers > 200 && named > 700,
	    "dedma agrees on %zu headers and on names and values of %zu data words", headers, named);
	free(text);
}

static void test_long(const struct stream *s)
{
	size_t i, longs = 0, data = 0;

	for (i = 0; i < s->words.count; i++) {
		const struct nvfifo_word *w = &s->decoded[i];

		longs += w->kind == NVFIFO_WORD_COUNT && w->word == 300;
		data += w->kind == NVFIFO_WORD_DATA &&
			w->cmd.type == NVFIFO_COMMAND_LONG_NONINCR && w->method == 0x15f0;
	}
	tap(longs == 3 && data == 900,
	    "the three long headers of 300 words each take their data from the next segment");
	tap(s->carried == 3, "three segments begin inside of a command");
}

/* --- Dumps that are wrong ------------------------------------------------ */

static const struct {
	const char *text;
	unsigned int line, column;
	const char *part;
} mistakes[] = {
	{ "push 0 va 0 bytes 8 noprefetch 0 ib 0 800\n1\n", 2, 1, "lacks 1 of the words" },
	{ "push 0 va 0 bytes 4 noprefetch 0 ib 0 400\n1 2\n", 2, 3, "more words" },
	{ "push 0 va 0 bytes 6 noprefetch 0 ib 0 400\n", 1, 39, "multiple of 4" },
	{ "push 0 va 10000000000 bytes 4 noprefetch 0 ib 0 400\n", 1, 11, "up to 0xffffffffff" },
	{ "push 0 bytes 4\n", 1, 8, "expected 'va'" },
	{ "push\n", 1, 5, "expected the number of the segment" },
	{ "submit x\n", 1, 8, "expected the number of the submission" },
	{ "submit 1 channel 128\n", 1, 18, "up to 0x7f" },
	{ "grobj channel 0 handle beef5039 class 15039\n", 1, 39, "up to 0xffff" },
	{ "1\n2 3g\n", 2, 3, "'3g' is not a word" },
	{ "123456789\n", 1, 1, "not a word of up to 8" },
	{ "push 0 va 0 bytes 4 noprefetch 0 ib 0\n", 1, 38, "second word" },
};

static void test_mistakes(void)
{
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct stream s = { 0 };
		struct nvfifo_diag d;
		int ret = nvfifo_capture_read(mistakes[i].text, strlen(mistakes[i].text), &ops, &s, &d);

		if (!tap(ret == -EINVAL && d.line == mistakes[i].line &&
				 d.column == mistakes[i].column && strstr(d.text, mistakes[i].part),
			 "wrong dump %zu is refused where it is: %s", i + 1, mistakes[i].part))
			printf("# %d, %u:%u: %s\n", ret, d.line, d.column, d.text);
		free_stream(&s);
	}
}

static void test_hex(void)
{
	static const char text[] = "# a remark\n00040050, 0x1234\r\n\n\tffffffff # end";
	static const struct nvfifo_capture_ops hex = { 0 };
	struct stream s = { 0 };
	struct nvfifo_diag d;
	int ret = nvfifo_capture_read(text, sizeof(text) - 1, &ops, &s, NULL);

	tap(!ret && s.words.count == 3 && s.words.data[0] == 0x40050 && s.words.data[1] == 0x1234 &&
		    s.words.data[2] == 0xffffffff,
	    "hex text with remarks, commas and 0x is read");
	tap(!nvfifo_capture_detect(text, sizeof(text) - 1), "and is not taken for a dump");
	free_stream(&s);
	ret = nvfifo_capture_read("1\nsubmit 0 channel 0\n", 21, &hex, NULL, &d);
	tap(ret == -EINVAL && d.line == 2 && strstr(d.text, "'submit' is not a word"),
	    "hex text has words and nothing else");
}

static int any_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
		       const __u32 ib[2])
{
	(void)ctx;
	(void)index;
	return channel >= NVFIFO_CAPTURE_CHANNELS || va > NVFIFO_VA_MASK ||
	       words > UINT32_MAX / 4 || !ib;
}

/* Bytes changed at random: it must end with 0 or an error, nothing else. */
static void test_damage(void)
{
	size_t len, n, i, refused = 0;
	char *text = tap_file(GLES2, &len), *copy = malloc(len);
	uint64_t seed = 5;

	for (n = 0; n < 2000; n++) {
		struct nvfifo_capture_ops some = { .segment = any_segment };
		size_t size = len % (1 + tap_random(&seed) % len) + 1;

		memcpy(copy, text, size);
		for (i = 0; i < 4; i++)
			copy[tap_random(&seed) % size] = (char)tap_random(&seed);
		refused += nvfifo_capture_read(copy, size, &some, NULL, NULL) != 0;
	}
	tap(refused > 1000, "damaged dumps are survived, %zu of 2000 refused", refused);
	free(copy);
	free(text);
}

int main(void)
{
	struct stream gles2 = read_stream(GLES2), gl33 = read_stream(GL33);

	check_stream(&gles2, GLES2);
	check_stream(&gl33, GL33);
	test_dedma(&gles2);
	test_long(&gl33);
	test_mistakes();
	test_hex();
	test_damage();
	free_stream(&gles2);
	free_stream(&gl33);
	return tap_end();
}
