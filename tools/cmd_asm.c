// SPDX-License-Identifier: MIT
/* "nvfifo asm": text to words. */
#define _GNU_SOURCE
#include <endian.h>
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
	"= 3).\n\n"
	"Options:\n"
	"  --format F     nv04 (default), nv04-dma (linear buffer: jumps and calls),\n"
	"                 nvc0\n"
	"  --binary       write little-endian binary words instead of hex text\n"
	"  --listing      write offset, word and text of each word\n"
	"  --json         write an object of JSON with the words\n"
	"  -o, --output P write to the file P, not to standard output; after an\n"
	"                 error in the text the file is as it was\n\n"
	"Exit codes: 0 done, 2 an error in the text (with its line and column).\n\n"
	"Examples:\n"
	"  echo 'mthd 0 REF_CNT : 0x1234' | nvfifo asm\n"
	"  nvfifo asm --binary -o push.bin push.txt\n"
	"  nvfifo disasm push.bin | nvfifo asm        returns the same words\n";

struct options {
	enum nvfifo_format format;
	bool binary;
	bool listing;
	bool json;
};

static void write_hex(const struct nvfifo_words *w, FILE *f)
{
	char text[9];
	size_t i;

	for (i = 0; i < w->count; i++) {
		nvfifo_put_word(text, w->data[i]);
		text[8] = i % 8 < 7 && i + 1 < w->count ? ' ' : '\n';
		fwrite_unlocked(text, 1, sizeof(text), f);
	}
}

/* Turn the words to little endian in their place, and write them all at once. */
static void write_binary(const struct nvfifo_words *w, FILE *f)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		w->data[i] = htole32(w->data[i]);

	fwrite(w->data, sizeof(*w->data), w->count, f);
}

static void write_listing(const struct nvfifo_words *w, enum nvfifo_format format, FILE *f)
{
	char line[2 * NVFIFO_WORD_TEXT_MAX];
	struct nvfifo_decoder decoder;
	struct nvfifo_word word;
	size_t i;

	nvfifo_decoder_init(&decoder, format, 0);
	for (i = 0; i < w->count; i++) {
		nvfifo_decode(&decoder, w->data[i], &word);
		nvfifo_listing_line(&word, format, i * 4, line);
		fputs_unlocked(line, f);
		putc_unlocked('\n', f);
	}
}

static void write_json(const struct nvfifo_words *w, FILE *f)
{
	struct nvfifo_json j = JSON_TO(f);
	size_t i;

	nvfifo_json_open(&j, NULL, '{');
	nvfifo_json_open(&j, "words", '[');
	for (i = 0; i < w->count; i++)
		nvfifo_json_hex(&j, NULL, 8, w->data[i]);
	nvfifo_json_close(&j, ']');
	nvfifo_json_end(&j, '}');
}

static int write_words(const struct options *o, const struct nvfifo_words *w, const char *path)
{
	FILE *f = path ? fopen(path, "wb") : stdout;

	if (f && o->binary)
		write_binary(w, f);
	else if (f && o->listing)
		write_listing(w, o->format, f);
	else if (f && o->json)
		write_json(w, f);
	else if (f)
		write_hex(w, f);

	/* The command's end writes the rest of standard output. */
	if (!f || (path && fclose(f))) {
		fprintf(stderr, "nvfifo: cannot write %s: %s\n", path, strerror(errno));
		return EXIT_USAGE;
	}

	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct options o = { .format = NVFIFO_FORMAT_NV04 };
	const char *input, *output = NULL;
	const struct option_row rows[] = {
		OPTION_FORMAT("format", &o.format),
		OPTION_FLAG("binary", 0, &o.binary),
		OPTION_FLAG("listing", 0, &o.listing),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_TEXT("output", 'o', &output),
		OPTION_END,
	};
	struct nvfifo_words words = { 0 };
	struct nvfifo_diag diag;
	char *text;
	size_t len;
	int ret;

	take_options(&cmd_asm, rows, 1, argc, argv);
	if (o.binary + o.listing + o.json > 1)
		return usage_error(&cmd_asm, "--binary, --listing and --json exclude each other");

	input = optind < argc ? argv[optind] : "-";
	ret = read_input(input, &text, &len);
	if (ret)
		return ret;

	ret = nvfifo_assemble(text, len, o.format, NULL, NULL, &words, &diag);
	if (!ret)
		ret = write_words(&o, &words, output);
	else if (ret == -EINVAL && input_is_program(input, text, len))
		fprintf(stderr,
			"%s is a text program, asm reads the commands of one pushbuffer: 'nvfifo run --dry-run' shows a program's words\n",
			input_name(input));
	else if (ret == -EINVAL)
		print_diag(input, &diag);
	else
		fprintf(stderr, "nvfifo: %s\n", nvfifo_last_error());

	nvfifo_words_free(&words);
	free(text);

	return ret ? EXIT_USAGE : EXIT_OK;
}

const struct subcommand cmd_asm = {
	.name = "asm",
	.summary = "text to pushbuffer words",
	.help = help,
	.run = run,
};
