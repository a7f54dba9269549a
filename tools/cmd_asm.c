// SPDX-License-Identifier: MIT
/* "nvfifo asm": text to words. */
#define _GNU_SOURCE
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_hex.h"
#include "nvfifo_text.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo asm [OPTIONS] [FILE]\n\n"
	"Assemble the text of FILE, or of standard input, to the words of a pushbuffer.\n\n"
	"One command a line; '#' starts a comment:\n"
	"  mthd SUBC METHOD : DATA, DATA ...   increasing methods (0inc: one method)\n"
	"  mthd SUBC METHOD xCOUNT             only the header; 'data WORD, ...' follows\n"
	"  long SUBC METHOD : DATA, DATA ...   0inc with a 24-bit count\n"
	"  immd SUBC METHOD VALUE              one method and its data\n"
	"  data WORD, ..., .word WORD, ...     words as they are\n"
	"  nop                                 0\n"
	"  sli MASK                            what follows is for these cards\n"
	"  sli_store MASK, sli_use, end_segment                          (nvc0)\n"
	"  1inc SUBC METHOD : DATA, ...        increases once            (nvc0)\n"
	"  jump, old_jump, call ADDRESS, return                          (nv04-dma)\n"
	"METHOD is a number or a name: REF_CNT, M2MF.LINE_COUNT, 3D.RT[3].FORMAT. DATA\n"
	"is an expression, a float (1.5), addr(X) for both halves of an address, or what\n"
	"'nvfifo disasm' prints: a value's name (SRCCOPY), fields (SIZE = 4096 | BUFFER\n"
	"= 3). The words of a long input are written while it is read.\n\n"
	"Options:\n"
	"  --format F     nv04 (default), nv04-dma (linear buffer: jumps and calls),\n"
	"                 nvc0\n"
	"  --binary       write little-endian binary words instead of hex text\n"
	"  --listing      write offset, word and text of each word\n"
	"  --json         write an object of JSON with the words\n"
	"  -o, --output P write to the file P, not to standard output; after an\n"
	"                 error the file is empty or missing\n\n"
	"Exit codes: 0 done, 2 an error in the text (with its line and column).\n\n"
	"Examples:\n"
	"  echo 'mthd 0 REF_CNT : 0x1234' | nvfifo asm\n"
	"  nvfifo asm --binary -o push.bin push.txt\n"
	"  nvfifo disasm push.bin | nvfifo asm        returns the same words\n";

/* The output and its state */
struct output {
	const char *path;	/* NULL for standard output */
	enum nvfifo_format format;
	bool binary;
	bool listing;
	bool json;
	FILE *f;		/* NULL before the first word */
	size_t count;		/* words so far */
	struct nvfifo_decoder decoder;
	struct nvfifo_json object;
};

/* The source text and its words */
struct assembly {
	const char *input;
	unsigned int lines;	/* taken so far */
	struct nvfifo_words words;
	struct output out;
};

static int output_open(struct output *o)
{
	o->f = o->path ? fopen(o->path, "wb") : stdout;
	if (!o->f) {
		fprintf(stderr, "nvfifo: cannot write %s: %s\n", o->path, strerror(errno));
		return EXIT_USAGE;
	}

	if (o->listing)
		nvfifo_decoder_init(&o->decoder, o->format, 0);

	o->object = (struct nvfifo_json)JSON_TO(o->f);
	if (o->json) {
		nvfifo_json_open(&o->object, NULL, '{');
		nvfifo_json_open(&o->object, "words", '[');
	}

	return EXIT_OK;
}

static void write_hex(struct output *o, __u32 word)
{
	char text[9], *s = text;

	if (o->count)
		*s++ = o->count % 8 ? ' ' : '\n';

	s = nvfifo_put_word(s, word);
	fwrite_unlocked(text, 1, (size_t)(s - text), o->f);
}

/* Words of binary output that are written together */
#define BLOCK_WORDS	256

static void write_binary(struct output *o, const struct nvfifo_words *w)
{
	__u32 block[BLOCK_WORDS];
	size_t i, n;

	for (i = 0; i < w->count; i += n) {
		for (n = 0; n < BLOCK_WORDS && i + n < w->count; n++)
			block[n] = htole32(w->data[i + n]);
		fwrite_unlocked(block, sizeof(block[0]), n, o->f);
	}

	o->count += w->count;
}

static void write_listing(struct output *o, __u32 value)
{
	char line[2 * NVFIFO_WORD_TEXT_MAX];
	struct nvfifo_word word;

	nvfifo_decode(&o->decoder, value, &word);
	nvfifo_listing_line(&word, o->format, o->count * 4, line);
	fputs_unlocked(line, o->f);
	putc_unlocked('\n', o->f);
}

static void output_words(struct output *o, const struct nvfifo_words *w)
{
	size_t i;

	if (o->binary) {
		write_binary(o, w);
		return;
	}

	for (i = 0; i < w->count; i++) {
		if (o->listing)
			write_listing(o, w->data[i]);
		else if (o->json)
			nvfifo_json_hex(&o->object, NULL, 8, w->data[i]);
		else
			write_hex(o, w->data[i]);

		o->count++;
	}
}

/* The end of all words, or with @failed of those before an error. */
static int output_close(struct output *o, bool failed)
{
	const bool hex = !o->binary && !o->listing && !o->json;

	if (o->json && !failed) {
		nvfifo_json_close(&o->object, ']');
		nvfifo_json_end(&o->object, '}');
	}
	if (hex && o->count)
		putc_unlocked('\n', o->f);

	if (o->f == stdout)
		return EXIT_OK;

	/* A part of the words must not look like the whole program. */
	if (failed && (fflush(o->f) || ftruncate(fileno(o->f), 0)))
		fprintf(stderr, "nvfifo: %s has only a part of the words\n", o->path);
	if (fclose(o->f)) {
		fprintf(stderr, "nvfifo: cannot write %s: %s\n", o->path, strerror(errno));
		return EXIT_USAGE;
	}

	return EXIT_OK;
}

/* Report why the text could not be assembled. */
static void report(const char *input, int err, bool program, const struct nvfifo_diag *diag)
{
	if (program)
		fprintf(stderr,
			"%s is a text program, asm reads the commands of one pushbuffer: 'nvfifo run --dry-run' shows a program's words\n",
			input_name(input));
	else if (err == -EINVAL)
		print_diag(input, diag);
	else
		fprintf(stderr, "nvfifo: %s\n", nvfifo_last_error());
}

/* The last character of a line that is neither blank nor in a comment, or 0. */
static char last_character(const char *line, const char *end)
{
	const char *comment = memchr(line, '#', (size_t)(end - line));

	if (comment)
		end = comment;
	while (end > line && isspace((unsigned char)end[-1]))
		end--;

	return end > line ? end[-1] : 0;
}

/* Bytes of whole statements, 0 if there is none. A comma continues one on the next line. */
static size_t statements(const char *text, size_t len)
{
	size_t n = nvfifo_text_whole_lines(text, len), line;
	char last;

	for (; n; n = line) {
		line = nvfifo_text_whole_lines(text, n - 1);
		last = last_character(text + line, text + n - 1);
		if (last && last != ',')
			break;
	}

	return n;
}

static unsigned int count_lines(const char *text, size_t len)
{
	const char *s, *end = text + len;
	unsigned int n = 0;

	for (s = nvfifo_text_line_end(text, end); s < end; s = nvfifo_text_line_end(s + 1, end))
		n++;

	return n;
}

static int take_text(void *ctx, const char *text, size_t len, bool last, size_t *taken)
{
	struct assembly *a = ctx;
	size_t n = last ? len : statements(text, len);
	struct nvfifo_diag diag;
	int ret;

	a->words.count = 0;
	ret = nvfifo_assemble(text, n, a->out.format, NULL, NULL, &a->words, &diag);
	if (ret) {
		diag.line += a->lines;
		fflush(stdout);
		report(a->input, ret, ret == -EINVAL && input_is_program(a->input, text, len),
		       &diag);

		return EXIT_USAGE;
	}

	if (!a->out.f) {
		ret = output_open(&a->out);
		if (ret)
			return ret;
	}

	output_words(&a->out, &a->words);
	a->lines += count_lines(text, n);
	*taken = n;

	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct assembly a = { .out.format = NVFIFO_FORMAT_NV04 };
	struct output *o = &a.out;
	const struct option_row rows[] = {
		OPTION_FORMAT("format", &o->format),
		OPTION_FLAG("binary", 0, &o->binary),
		OPTION_FLAG("listing", 0, &o->listing),
		OPTION_FLAG("json", 0, &o->json),
		OPTION_TEXT("output", 'o', &o->path),
		OPTION_END,
	};
	int ret, closed;

	take_options(&cmd_asm, rows, 1, argc, argv);
	if (o->binary + o->listing + o->json > 1)
		return usage_error(&cmd_asm, "--binary, --listing and --json exclude each other");

	a.input = optind < argc ? argv[optind] : "-";
	ret = read_pieces(a.input, take_text, &a);
	nvfifo_words_free(&a.words);

	if (o->f) {
		closed = output_close(o, ret);
		if (!ret)
			ret = closed;
	}

	return ret;
}

const struct subcommand cmd_asm = {
	.name = "asm",
	.summary = "text to pushbuffer words",
	.help = help,
	.run = run,
};
