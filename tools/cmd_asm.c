// SPDX-License-Identifier: MIT
/* "nvfifo asm": text to words. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_hex.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo asm [OPTIONS] [FILE]\n\n"
	"Assemble the text of FILE, or of standard input, to the words of a pushbuffer.\n\n"
	"One command a line; '#' starts a comment:\n"
	"  mthd SUBC METHOD : DATA, DATA ...   increasing methods (0inc: all to one method)\n"
	"  mthd SUBC METHOD xCOUNT             only the header; 'data WORD, ...' follows\n"
	"  long SUBC METHOD : DATA, DATA ...   0inc with a 24-bit count\n"
	"  immd SUBC METHOD VALUE              one method and its data\n"
	"  data WORD, ..., .word WORD, ...     words as they are\n"
	"  nop                                 0\n"
	"  sli MASK                            what follows is for these cards\n"
	"  sli_store MASK, sli_use, end_segment                          (nvc0)\n"
	"  1inc SUBC METHOD : DATA, ...        increases once            (nvc0)\n"
	"  jump, old_jump, call ADDRESS, return                          (nv04-dma)\n"
	"METHOD is a number or a name: REF_CNT, M2MF.LINE_COUNT, 3D.RT[3].FORMAT. DATA is an\n"
	"expression, a float (1.5), addr(X) for both halves of an address, or what 'nvfifo\n"
	"disasm' prints: a value's name (SRCCOPY), fields (SIZE = 4096 | BUFFER = 3).\n"
	"Input has at most 256 MiB and is kept in memory.\n\n"
	"Options:\n"
	"  --format F     nv04 (default), nv04-dma (linear buffer: jumps and calls), nvc0\n"
	"  --binary       write little-endian binary words instead of hex text\n"
	"  --listing      write offset, word and text of each word\n"
	"  --json         write an object of JSON with the words\n"
	"  -o, --output P write to the file P instead of standard output\n\n"
	"Exit codes: 0 done, 2 an error in the text (with its line and column).\n\n"
	"Examples:\n"
	"  echo 'mthd 0 REF_CNT : 0x1234' | nvfifo asm\n"
	"  nvfifo asm --binary -o push.bin push.txt\n"
	"  nvfifo disasm push.bin | nvfifo asm        gives the same words back\n";

static void write_hex(FILE *f, const struct nvfifo_words *w)
{
	char line[8 * 9], *s = line;
	size_t i;

	for (i = 0; i < w->count; i++) {
		const bool ends = i % 8 == 7 || i + 1 == w->count;

		s = nvfifo_put_word(s, w->data[i]);
		*s++ = ends ? '\n' : ' ';
		if (!ends)
			continue;

		fwrite_unlocked(line, 1, (size_t)(s - line), f);
		s = line;
	}
}

static void write_binary(FILE *f, const struct nvfifo_words *w)
{
	size_t i;

	for (i = 0; i < w->count; i++) {
		__u32 v = w->data[i];
		unsigned char b[4] = { v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff, v >> 24 };

		fwrite_unlocked(b, 1, 4, f);
	}
}

static void write_listing(FILE *f, const struct nvfifo_words *w, enum nvfifo_format format)
{
	struct nvfifo_decoder d;
	size_t i;

	nvfifo_decoder_init(&d, format, 0);

	for (i = 0; i < w->count; i++) {
		char line[2 * NVFIFO_WORD_TEXT_MAX];
		struct nvfifo_word word;

		nvfifo_decode(&d, w->data[i], &word);
		nvfifo_listing_line(&word, format, i * 4, line);
		fputs_unlocked(line, f);
		putc_unlocked('\n', f);
	}
}

static void write_json(FILE *f, const struct nvfifo_words *w)
{
	struct json j = { .f = f };
	size_t i;

	json_open(&j, NULL, '{');
	json_open(&j, "words", '[');
	for (i = 0; i < w->count; i++)
		json_hex(&j, NULL, 8, w->data[i]);
	json_close(&j, ']');
	json_end(&j, '}');
}

/* How the words are written */
struct output {
	const char *path;	/* NULL for standard output */
	enum nvfifo_format format;
	bool binary;
	bool listing;
	bool json;
};

/* Why the text could not be assembled. */
static void report(const char *input, int err, bool program, const struct nvfifo_diag *diag)
{
	if (program)
		fprintf(stderr,
			"%s is a text program, asm takes the commands of one pushbuffer: 'nvfifo run --dry-run' shows a program's words\n",
			input_name(input));
	else if (err == -EINVAL)
		fprintf(stderr, "%s:%u:%u: %s\n", input_name(input), diag->line, diag->column,
			diag->text);
	else
		fprintf(stderr, "nvfifo: %s\n", nvfifo_last_error());
}

static int write_output(const struct output *o, const struct nvfifo_words *words)
{
	FILE *f = stdout;

	if (o->path) {
		f = fopen(o->path, "wb");
		if (!f) {
			fprintf(stderr, "nvfifo: cannot write %s: %s\n", o->path, strerror(errno));
			return EXIT_USAGE;
		}
	}

	if (o->binary)
		write_binary(f, words);
	else if (o->listing)
		write_listing(f, words, o->format);
	else if (o->json)
		write_json(f, words);
	else
		write_hex(f, words);

	if (f != stdout && fclose(f)) {
		fprintf(stderr, "nvfifo: cannot write %s: %s\n", o->path, strerror(errno));
		return EXIT_USAGE;
	}

	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct output o = { .format = NVFIFO_FORMAT_NV04 };
	const struct option_row rows[] = {
		OPTION_FORMAT("format", &o.format),
		OPTION_FLAG("binary", 0, &o.binary),
		OPTION_FLAG("listing", 0, &o.listing),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_TEXT("output", 'o', &o.path),
		OPTION_END,
	};
	struct nvfifo_words words = { 0 };
	struct nvfifo_diag diag;
	const char *input;
	bool program;
	char *text;
	size_t len;
	int ret;

	ret = take_options(&cmd_asm, rows, 1, argc, argv);
	if (ret != OPTIONS_TAKEN)
		return ret;
	if (o.binary + o.listing + o.json > 1)
		return usage_error(&cmd_asm, "--binary, --listing and --json exclude each other");

	input = optind < argc ? argv[optind] : "-";
	ret = read_input(input, &text, &len);
	if (ret)
		return ret;

	ret = nvfifo_assemble(text, len, o.format, NULL, NULL, &words, &diag);
	program = ret == -EINVAL && input_is_program(input, text, len);
	free(text);
	if (ret) {
		report(input, ret, program, &diag);
		ret = EXIT_USAGE;
	} else {
		ret = write_output(&o, &words);
	}

	nvfifo_words_free(&words);
	return ret;
}

const struct subcommand cmd_asm = {
	.name = "asm",
	.summary = "text to pushbuffer words",
	.help = help,
	.run = run,
};
