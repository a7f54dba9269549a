// SPDX-License-Identifier: MIT
/* Words in each form of other tools, made from recorded pushbuffers, and read back. */
#define _GNU_SOURCE
#include "nvfifo_capture.h"
#include "nvfifo_paste.h"
#include "tap.h"

static int add(void *ctx, __u32 word)
{
	return nvfifo_words_add(ctx, word);
}

static const struct nvfifo_capture_ops word_ops = { .word = add };

static int on_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
		      const __u32 ib[2])
{
	(void)ctx, (void)channel, (void)index, (void)va, (void)words, (void)ib;
	return 0;
}

static const struct nvfifo_capture_ops capture_ops = { .word = add, .segment = on_segment };

static void read_words(const char *path, struct nvfifo_words *w)
{
	size_t len;
	char *data = tap_file(path, &len);

	memset(w, 0, sizeof(*w));
	nvfifo_capture_read(data, len, &capture_ops, w, NULL);
	free(data);
}

/* --- The forms --------------------------------------------------------------- */

static void groups(FILE *f, const struct nvfifo_words *w, int form)
{
	static const char *const offsets[] = { "%08zx:", "%08zx", "%07zx", "%07zx", "%08zx:" };
	static const char *const ends[] = { "  ................\n", " |................|\n", "\n", "\n", "\n" };
	static const char *const last[] = { "", "%08zx\n", "%07zx\n", "", "" };
	size_t i, k;

	for (i = 0; i < w->count; i += 4) {
		const size_t n = w->count - i < 4 ? w->count - i : 4;

		fprintf(f, offsets[form], i * 4);
		for (k = 0; k < n; k++) {
			const __u32 v = w->data[i + k];

			if (form == 0)
				fprintf(f, " %02x%02x %02x%02x", v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff, v >> 24);
			else if (form == 1)
				fprintf(f, "%s%02x %02x %02x %02x ", k == 2 || !k ? "  " : " ", v & 0xff,
					v >> 8 & 0xff, v >> 16 & 0xff, v >> 24);
			else if (form == 2)
				fprintf(f, " %04x %04x", v & 0xffff, v >> 16);
			else
				fprintf(f, " %08x", v);
		}
		fputs(ends[form], f);
	}

	fprintf(f, last[form], w->count * 4);
}

static const char *const forms[] = {
	"xxd", "hexdump -C", "hexdump", "od -tx4", "nvapeek", "libdrm", "libdrm in syslog", "mmt", "demmt",
	"gdb", "C assignments", "C array", "OUT_RING()", "PUSH_DATA()", "Python", "Rust", "bytes", "Markdown",
	"gdb with its prompt",
};

/* Text of a form before its words, and after them */
static const char *const before[] = {
	[11] = "static const uint32_t words[4096] = {\n", [14] = "words = [",
	[15] = "let words: [u32; 4096] = [\n", [17] = "```\n", [18] = "(gdb) x/4096xw push->bgn\n",
};
static const char *const after[] = {
	[11] = "};\n", [14] = "]\n", [15] = "];\n", [17] = "```\n", [18] = "(gdb) quit\n",
};

static void write_bytes(FILE *f, const struct nvfifo_words *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		fprintf(f, "%02x %02x %02x %02x%s", w->data[i] & 0xff, w->data[i] >> 8 & 0xff,
			w->data[i] >> 16 & 0xff, w->data[i] >> 24, i % 4 == 3 ? "\n" : " ");
}

static void write_form(FILE *f, const struct nvfifo_words *w, size_t form)
{
	static const char *const lines[] = {
		[5] = "nouveau: \t0x%08x\n", [6] = "Jan  3 07:08:53 host prog: nouveau: #0110x%08x\n",
		[7] = "--0000-- w 13:0x%04zx, 0x%08x \n", [8] = "PB: 0x%08x   SOME.METHOD = 0\n",
		[9] = "0x7fff%08zx:\t0x%08x\n", [10] = "\tpb[%zu] = 0x%x;\n", [12] = "OUT_RING(0x%08x);\n",
		[11] = "0x%08x,\n", [13] = "\tPUSH_DATA (push, 0x%08x);\n", [14] = "0x%08x, ", [17] = "0x%08x\n",
		[18] = "0x7fff%08zx:\t0x%08x\n",
	};
	const bool with_index = form == 7 || form == 9 || form == 10 || form == 18;
	size_t i;

	if (form < 5) {
		groups(f, w, (int)form);
		return;
	}

	if (form < sizeof(before) / sizeof(before[0]) && before[form])
		fputs(before[form], f);
	if (form == 16)
		write_bytes(f, w);
	for (i = 0; i < w->count && form != 16; i++) {
		if (form == 15)
			fprintf(f, "    0x%04x_%04x,\n", w->data[i] >> 16, w->data[i] & 0xffff);
		else if (with_index)
			fprintf(f, lines[form], i, w->data[i]);
		else
			fprintf(f, lines[form], w->data[i]);
	}
	if (form < sizeof(after) / sizeof(after[0]) && after[form])
		fputs(after[form], f);
}

static bool same(const struct nvfifo_words *a, const char *text, size_t len, const struct nvfifo_capture_ops *ops)
{
	struct nvfifo_words b = { 0 };
	bool ok = text && !nvfifo_capture_read(text, len, ops, &b, NULL) && a->count == b.count &&
		  !memcmp(a->data, b.data, a->count * sizeof(*a->data));

	if (!ok)
		printf("# %zu words, %zu expected\n", b.count, a->count);
	nvfifo_words_free(&b);

	return ok;
}

static void check(const char *path, size_t form)
{
	struct nvfifo_words w;
	char *text, *words;
	size_t len, out_len;
	FILE *f;

	read_words(path, &w);
	f = open_memstream(&text, &len);
	write_form(f, &w, form);
	fclose(f);
	words = nvfifo_paste_convert(nvfifo_paste_detect(text, len), text, len, &out_len);
	tap(same(&w, words, words ? out_len : 0, &word_ops), "%s as %s: %zu words", path, forms[form], w.count);
	free(words);
	free(text);
	nvfifo_words_free(&w);
}

/* The output of envytools' dedma for a recording */
static void check_dedma(void)
{
	struct nvfifo_words w;
	size_t len, out_len;
	char *text = tap_file("tests/data/mesa-gles2-nv96.dedma", &len), *words;

	read_words("tests/data/mesa-gles2-nv96.txt", &w);
	words = nvfifo_paste_convert(NVFIFO_PASTE_DEDMA, text, len, &out_len);
	tap(nvfifo_paste_detect(text, len) == NVFIFO_PASTE_DEDMA && same(&w, words, words ? out_len : 0, &word_ops),
	    "dedma's own output gives the words that it read");
	free(words);
	free(text);
	nvfifo_words_free(&w);
}

static void check_unknown(void)
{
	static const char *const texts[] = {
		"the card hangs\nwhat can I do\n", "[0x0] HDR 2001a0c0 subch 5 NINC\n\tmthd 0300 X\n",
		"ib[0] = 00002000 0006a400\n",
	};
	size_t i, len;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *words = nvfifo_paste_convert(nvfifo_paste_detect(texts[i], strlen(texts[i])), texts[i],
						   strlen(texts[i]), &len);

		tap(!words, "no words: %.12s", texts[i]);
		free(words);
	}
}

int main(void)
{
	static const char *const paths[] = {
		"tests/data/mesa-gles2-nv50.txt", "tests/data/mesa-gles2-nv96.txt",
		"tests/data/mesa-gles2-nva8.txt", "tests/data/mesa-gl33-nv96.txt",
	};
	size_t i, form;

	for (i = 0; i < 4; i++) {
		for (form = 0; form < sizeof(forms) / sizeof(forms[0]); form++)
			check(paths[i], form);
	}

	check_dedma();
	check_unknown();
	return tap_end();
}
