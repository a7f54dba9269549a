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
	static const char *const ends[] = { "  %.*s\n", " |%.*s|\n", "\n", "\n", "\n" };
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
		fprintf(f, ends[form], (int)n * 4, "................");
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
	words = nvfifo_paste_convert(text, len, &out_len);
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
	words = nvfifo_paste_convert(text, len, &out_len);
	tap(nvfifo_paste_detect(text, len) == NVFIFO_PASTE_DEDMA && same(&w, words, words ? out_len : 0, &word_ops),
	    "dedma's own output gives the words that it read");
	free(words);
	free(text);
	nvfifo_words_free(&w);
}

/* Text that gives the words, or none if there are none */
static void check_text(const struct nvfifo_words *w, char *text, const char *path, const char *form)
{
	size_t out_len = 0;
	char *words = nvfifo_paste_convert(text, strlen(text), &out_len);

	tap(same(w, words, out_len, &word_ops), "%s as %s: %zu words", path, form, w->count);
	free(words);
	free(text);
}

/* --- Dumps by their groups ------------------------------------------------------ */

/* How tools print memory: offset, bytes of a group, its format, how many in a line, and the end */
static const struct dump {
	const char *name;
	const char *offset;
	unsigned int bytes;
	const char *group;	/* NULL: binary digits */
	bool big;
	unsigned int groups;
	bool characters;
	const char *end;
} dumps[] = {
	{ "xxd -g1", "%08zx:", 1, " %02llx", false, 16, true, "" },
	{ "xxd -g4", "%08zx:", 4, " %08llx", true, 4, true, "" },
	{ "xxd -g8", "%08zx:", 8, " %016llx", true, 2, true, "" },
	{ "xxd -e", "%08zx:", 4, " %08llx", false, 4, true, "" },
	{ "xxd -e -g2", "%08zx:", 2, " %04llx", false, 8, true, "" },
	{ "xxd -c 24", "%08zx:", 2, " %04llx", true, 12, true, "" },
	{ "xxd -b", "%08zx:", 1, NULL, false, 6, true, "" },
	{ "od", "%07zo", 2, " %06llo", false, 8, false, "%07zo\n" },
	{ "od -b", "%07zo", 1, " %03llo", false, 16, false, "%07zo\n" },
	{ "od -tu4", "%07zo", 4, " %10llu", false, 4, false, "%07zo\n" },
	{ "od -tx8", "%07zo", 8, " %016llx", false, 2, false, "%07zo\n" },
	{ "od -Ax -tx4", "%06zx", 4, " %08llx", false, 4, false, "%06zx\n" },
	{ "od -Ad -tx4", "%07zu", 4, " %08llx", false, 4, false, "%07zu\n" },
	{ "hexdump -d", "%07zx", 2, "   %05llu", false, 8, false, "%07zx\n" },
	{ "gdb x/h", "0x7ffff7%06zx:\t", 2, "0x%04llx\t", false, 8, false, "" },
	{ "gdb x/g", "0x7ffff7%06zx <pb+16>:\t", 8, "0x%016llx\t", false, 2, false, "" },
	{ "gdb x/uw", "0x7ffff7%06zx:\t", 4, "%llu\t", false, 4, false, "" },
	{ "crash", "ffff8800%08zx: ", 4, " %08llx", false, 4, true, "" },
	{ "print_hex_dump()", "[   12.345678] pb: %08zx:", 1, " %02llx", false, 16, true, "" },
};

static void put_group(FILE *f, const struct dump *d, const unsigned char *bytes)
{
	unsigned long long v = 0;
	unsigned int i;

	for (i = 0; i < d->bytes; i++)
		v |= (unsigned long long)bytes[i] << 8 * (d->big ? d->bytes - 1 - i : i);
	if (d->group) {
		fprintf(f, d->group, v);
		return;
	}

	fputc(' ', f);
	for (i = 8; i-- > 0;)
		fputc('0' + (v >> i & 1), f);
}

static char *write_dump(const struct dump *d, const struct nvfifo_words *w)
{
	const size_t bytes = w->count * 4, line = d->groups * d->bytes;
	unsigned char *data = malloc(bytes);
	size_t len, at, i;
	char *text;
	FILE *f = open_memstream(&text, &len);

	for (i = 0; i < bytes; i++)
		data[i] = (unsigned char)(w->data[i / 4] >> 8 * (i % 4));
	for (at = 0; at < bytes; at += line) {
		const size_t n = bytes - at < line ? bytes - at : line;

		fprintf(f, d->offset, at);
		for (i = 0; i < n; i += d->bytes)
			put_group(f, d, data + at + i);
		fputs(d->characters ? "  " : "", f);
		for (i = 0; d->characters && i < n; i++)
			fputc(data[at + i] >= 0x20 && data[at + i] < 0x7f ? data[at + i] : '.', f);
		fputc('\n', f);
	}

	fprintf(f, d->end, bytes);
	fclose(f);
	free(data);

	return text;
}

/* --- Texts around the words ------------------------------------------------------ */

/* Text before all words, around each, and after all */
static const struct around {
	const char *name;
	const char *begin;
	const char *format;
	const char *end;
} arounds[] = {
	{ "decimal lines", "", "%u\n", "" },
	{ "decimal list", "", "%u, ", "\n" },
	{ "Python, decimal", "[", "%u, ", "]\n" },
	{ "a tuple of Python", "(", "0x%x, ", ")\n" },
	{ "struct.pack()", "struct.pack('<64I', ", "0x%x, ", ")\n" },
	{ "numpy", "np.array([", "%u, ", "], dtype=np.uint32)\n" },
	{ "append()", "", "pb.append(0x%08x)\n", "" },
	{ "Go", "pb := []uint32{", "0x%x, ", "}\n" },
	{ "JavaScript", "const pb = new Uint32Array([", "0x%x, ", "]);\n" },
	{ "JSON", "{\"words\": [", "\"0x%08x\", ", "\"\"]}\n" },
	{ "gdb's print", "$1 = {", "0x%x, ", "}\n" },
	{ "writel()", "", "\twritel(0x%08x, pb + 4);\n", "" },
	{ "nv_wo32()", "", "nv_wo32(obj, 0x10, 0x%08x);\n", "" },
	{ "comments", "", "OUT_RING(evo, 0x%08x); /* of (this) */\n", "" },
	{ "calls in a line", "", "PUSH_DATA (push, 0x%x); ", "\n" },
	{ "*p++", "", "*p++ = 0x%08x;\n", "" },
	{ "the suffix h", "", "%08Xh\n", "" },
	{ "a quotation", "", "> > 0x%08x\n", "" },
	{ "a list", "", "- 0x%08x\n", "" },
	{ "a page", "<pre>\n", "0x%08x<br/>\n", "</pre>\n" },
	{ "blanks of a page", "", "&nbsp;0x%08x\xc2\xa0\n", "" },
	{ "a forum", "[code]\n", "%08x\n", "[/code]\n" },
	{ "colours", "", "\x1b[1;31m0x%08x\x1b[0m\n", "" },
	{ "lines of a log", "", "[   12.345678] 0x%08x\n", "" },
	{ "Windows' lines", "", "0x%08x\r\n", "" },
	{ "a mark of UTF-8", "\xef\xbb\xbf", "0x%08x\n", "" },
	{ "libdrm without its name", "ch3: krec 0 pushes 1 bufs 0 relocs 0\n",
	  "\t0x%08x\n", "" },
	{ "libdrm quoted", "> nouveau: kernel rejected pushbuf: No such device\n", "> nouveau: \t0x%08x\n", "" },
};

static char *write_around(const struct around *a, const struct nvfifo_words *w)
{
	size_t len, i;
	char *text;
	FILE *f = open_memstream(&text, &len);

	fputs(a->begin, f);
	for (i = 0; i < w->count; i++)
		fprintf(f, a->format, w->data[i]);
	fputs(a->end, f);
	fclose(f);

	return text;
}

static char *write_digits(const struct nvfifo_words *w)
{
	size_t len, i;
	char *text;
	FILE *f = open_memstream(&text, &len);

	/* xxd -p writes 30 bytes in a line. */
	for (i = 0; i < w->count * 4; i++) {
		fprintf(f, "%02x", w->data[i / 4] >> 8 * (i % 4) & 0xff);
		if (i % 30 == 29)
			fputc('\n', f);
	}
	fclose(f);

	return text;
}

static void check_forms(const char *path)
{
	struct nvfifo_words w;
	size_t i;

	read_words(path, &w);
	/* People paste short pushbuffers. */
	w.count = w.count < 250 ? w.count : 250;
	for (i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++)
		check_text(&w, write_dump(&dumps[i], &w), path, dumps[i].name);
	for (i = 0; i < sizeof(arounds) / sizeof(arounds[0]); i++)
		check_text(&w, write_around(&arounds[i], &w), path, arounds[i].name);
	check_text(&w, write_digits(&w), path, "xxd -p");
	nvfifo_words_free(&w);
}

/* --- Short texts -------------------------------------------------------------------- */

/* Texts with the words in them, "" for none: with a part of the error then */
static const struct {
	const char *text;
	const char *words;
	const char *error;
} texts[] = {
	{ "00000000: 01100000 00000000 00000100 00000000  `...\n", "00040060", "" },
	{ "00000000: 60000400 0100efbe 50000400 0100feca  `.......P.......\n",
	  "00040060 beef0001 00040050 cafe0001", "" },
	{ "00000000: 00040060 beef0001 00040050 cafe0001\n", "00040060 beef0001 00040050 cafe0001", "" },
	{ "0000000 0060 0004 0001 beef\n*\n0000100\n", "", "-v prints all" },
	{ "000000 00040060 beef0001 00040050 cafe0001\n*\n000020\n",
	  "00040060 beef0001 00040050 cafe0001 00040060 beef0001 00040050 cafe0001", "" },
	{ "00040060 beef0001\n*\n", "", "left out" },
	{ "[0] 0x00040060\n[1] 0xbeef0001\n", "00040060 beef0001", "" },
	{ "0: 0x00040060\n1: 0xbeef0001\n", "00040060 beef0001", "" },
	{ "+0x0000: 0x00040060\n+0x0004: 0xbeef0001\n", "00040060 beef0001", "" },
	{ "0x0000 0x00040060\n0x0004 0xbeef0001\n", "00040060 beef0001", "" },
	{ "nouveau 0000:01:00.0: pb[0] = 0x40060\nnouveau 0000:01:00.0: pb[1] = 0xbeef0001\n",
	  "00040060 beef0001", "" },
	{ "pb = b'\\x60\\x00\\x04\\x00\\x01\\x00\\xef\\xbe'\n", "00040060 beef0001", "" },
	{ "BEGIN_NV04(push, 3, 0x1b0c, 1);\nPUSH_DATA (push, 0x11);\n", "00047b0c 00000011", "" },
	{ "BEGIN_NI04(push, 4, 0x0860, 2);\nPUSH_DATAf(push, 1.0f);\nPUSH_DATAh(push, 0x1200000000);\n",
	  "40088860 3f800000 00000012", "" },
	{ "BEGIN_NV04(push, SUBC_M2MF(0x0180), 1);\nPUSH_DATA (push, 0xbeef0201);\n", "", "not a number" },
	{ "BEGIN_NVC0(push, 0, 0x180, 1);\nPUSH_DATA (push, 1);\n", "", "GF100" },
	{ "262240\n3203334145\n", "00040060 beef0001", "" },
	{ "262240\n12\n", "00040060 0000000c", "" },
	{ "40060\n12\n", "00040060 00000012", "" },
	{ "00002000 8006a600\n", "", "segment of 425 words at 0000002000" },
	{ "20010100 00002000\n20010120 00002000\n", "", "nvfifo calc ib" },
	{ "ib[0] = 00002000 0006a400\n", "", "nvfifo calc ib" },
	{ "00400700: 00000503 00000000\n", "", "nvfifo peek --reads" },
	{ "00400700: 00000503\n00400380: 00000008\n", "", "nvfifo peek --reads" },
	{ "R 4 12.345678 1 0xfd400700 0x00000503 0x0 0\n", "", "mmiotrace" },
	{ "nouveau: ch5: krec 0 pushes 1 bufs 1 relocs 0\nnouveau: ch5: psh (unmapped) 00000000 0000000100 0000000120\n",
	  "", "unmapped" },
	{ "nouveau: ch5: psh 00000000 0000000100 0000000120\n[0x00000000] HDR 200181c2 subch 4 NINC\n", "",
	  "GF100" },
	{ "[0x0] HDR 2001a0c0 subch 5 NINC\n\tmthd 0300 X\n", "", "GF100" },
	{ "the card hangs\nwhat can I do\n", "", "not known" },
};

static void check_texts(void)
{
	size_t i, len;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *words = nvfifo_paste_convert(texts[i].text, strlen(texts[i].text), &len), *p;
		const char *found = words ? words : "";

		for (p = words; p && p[strlen(p) - 1] == '\n' && (p = strchr(p, '\n'));)
			*p = p[1] ? ' ' : '\0';
		tap(!strcmp(found, texts[i].words), "text %zu: %.60s", i, found);
		if (!words)
			tap(strstr(nvfifo_last_error(), texts[i].error), "text %zu: %s", i, nvfifo_last_error());
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
		check_forms(paths[i]);
	}

	check_dedma();
	check_texts();
	return tap_end();
}
