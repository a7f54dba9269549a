// SPDX-License-Identifier: MIT
/* "nvfifo disasm": words to text. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm_json.h"
#include "json.h"
#include "nvfifo_capture.h"
#include "nvfifo_row.h"
#include "nvfifo_text.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo disasm [OPTIONS] [FILE]\n\n"
	"Disassemble the words of FILE, or of standard input. The output is text that\n"
	"'nvfifo asm' turns back into the same words.\n\n"
	"The input format is detected:\n"
	"  hex      words in hexadecimal digits, '#' starts a comment\n"
	"  binary   little-endian 32-bit words\n"
	"  capture  recorded submissions: lines 'push N va ... bytes ... ib ...' and\n"
	"           words; the decoder's state goes on from segment to segment, as the\n"
	"           card's does\n\n"
	"Words in the forms of other tools are read as well: decimal words; libdrm's and\n"
	"Mesa's dump of a pushbuffer; dedma, demmt, valgrind-mmt; xxd (with -b, -c, -e,\n"
	"-g, -i, -p), hexdump, od, nvapeek, gdb, the kernel's hex dumps; C assignments\n"
	"and arrays, OUT_RING(), PUSH_DATA(), BEGIN_NV04() with numbers; lists of\n"
	"Python, Rust, Go and JSON. They may be quoted in a mail, copied from a page, or\n"
	"stand in a log. Registers, IB entries and traces of registers are refused with\n"
	"the command that reads them. Nothing is printed before the form is known.\n\n"
	"Text is UTF-8. The first MiB decides which form the input has.\n\n"
	"Options:\n"
	"  --input I      hex, binary or capture; detected if not given\n"
	"  --format F     nv04 (default), nv04-dma (linear buffer: jumps and calls),\n"
	"                 nvc0\n"
	"  --chipset C    g80 ... mcp89: mark PFIFO methods that this chipset refuses\n"
	"  --class H=C    handle H is an object of class C, a number or a name: names\n"
	"                 its methods\n"
	"  --source       print the text only, without offset and word\n"
	"  --json         one object of JSON for each word, segment and remark\n"
	"  --program      a capture as a text program, to be edited and run again: with\n"
	"                 the memory that 'nvfifo gl --capture' recorded; other\n"
	"                 memory of its commands becomes zeroed buffers\n"
	"  --strict       exit code 1 if the pusher would refuse a word\n"
	"  --color WHEN   auto (default), always, never\n\n"
	"Exit codes: 0 done, 1 with --strict: a word was refused, 2 an error in the\n"
	"input.\n\n"
	"Examples:\n"
	"  echo 00040050 1234 | nvfifo disasm\n"
	"  nvfifo disasm --chipset g80 --strict push.bin\n"
	"  nvfifo disasm --class 0xbeef5039=0x5039 words.txt\n"
	"  nvfifo disasm --program frame.txt >frame.nvp\n";

#define OUT_SIZE 65536

/* Bytes of a line, with its colours or as JSON */
#define LINE_MAX_SIZE	(3 * NVFIFO_WORD_TEXT_MAX)

_Static_assert(LINE_MAX_SIZE >= DISASM_JSON_MAX, "a line of JSON fits");

struct disasm {
	enum nvfifo_format format;
	enum input input;
	const char *path;
	bool guessed;	/* no option names the kind of input */
	bool checked;	/* the words are those of this family, as far as they tell */
	bool begun;	/* the reader of text has its first piece */
	struct nvfifo_capture reader;
	__u32 chipset;
	bool source;
	bool json;
	struct nvfifo_decoder *channels[NVFIFO_CAPTURE_CHANNELS];
	struct nvfifo_decoder *current;
	__u64 address;
	size_t bytes;	/* of binary input, so far */
	unsigned long refused;
	size_t used;	/* of @out, lines for standard output */
	char out[OUT_SIZE];
};

static void flush_lines(struct disasm *d)
{
	fwrite_unlocked(d->out, 1, d->used, stdout);
	d->used = 0;
}

static struct nvfifo_decoder *channel_decoder(struct disasm *d, unsigned int channel)
{
	struct nvfifo_decoder **slot = &d->channels[channel];

	if (!*slot) {
		*slot = need(malloc(sizeof(**slot)));
		nvfifo_decoder_init(*slot, d->format, d->chipset);
	}

	return *slot;
}

static int on_object(void *ctx, unsigned int channel, __u32 handle, __u32 oclass)
{
	/* More handles than the decoder keeps only cost names. */
	nvfifo_decoder_handle(channel_decoder(ctx, channel), handle, oclass);
	return 0;
}

static int on_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
		      const __u32 ib[2])
{
	struct nvfifo_ib_entry e = nvfifo_ib_decode(ib);
	struct nvfifo_json j = JSON_TO(stdout);
	struct disasm *d = ctx;

	d->current = channel_decoder(d, channel);
	d->address = va;
	flush_lines(d);
	if (d->json) {
		nvfifo_json_print(&j, "{segment:%u channel:%u va:%010llx words:%zu ib:[%08x "
				  "%08x]}\n", index, channel, va, words, ib[0], ib[1]);
		return 0;
	}

	printf("%s# push %u of channel %u: %zu words at 0x%010llx; IB entry %08x %08x%s%s\n",
	       color(COLOR_HEAD), index, channel, words, (unsigned long long)va, ib[0], ib[1],
	       e.not_main ? ", not main" : "", color(COLOR_OFF));
	if (e.address != va || e.words != words)
		printf("# the IB entry says %u words at 0x%010llx\n", e.words,
		       (unsigned long long)e.address);

	return 0;
}

/* Write the line of a word at @s. Return: its length. */
static inline size_t word_line(const struct disasm *d, const struct nvfifo_word *w, char *s)
{
	size_t len;

	if (d->source)
		len = nvfifo_word_text(w, d->format, s);
	else
		len = nvfifo_listing_line(w, d->format, d->address, s);
	s[len] = '\n';

	return len + 1;
}

/* The same for a word that the pusher refuses */
static size_t refused_line(const struct disasm *d, const struct nvfifo_word *w, char *s)
{
	char *end = stpcpy(s, color(COLOR_BAD));

	/* The line's end comes after the colour's. */
	end += word_line(d, w, end) - 1;
	end = stpcpy(end, color(COLOR_OFF));
	*end++ = '\n';

	return (size_t)(end - s);
}

static int on_word(void *ctx, __u32 word)
{
	struct disasm *d = ctx;
	struct nvfifo_word w;
	bool bad;
	char *s;

	if (!d->current)
		d->current = channel_decoder(d, 0);

	nvfifo_decode(d->current, word, &w);
	bad = w.kind == NVFIFO_WORD_INVALID || w.refused;
	d->refused += bad;
	if (OUT_SIZE - d->used < LINE_MAX_SIZE)
		flush_lines(d);

	s = d->out + d->used;
	if (d->json)
		d->used += disasm_json_word(&w, d->format, d->address, bad, s);
	else if (bad)
		d->used += refused_line(d, &w, s);
	else
		d->used += word_line(d, &w, s);
	d->address += 4;

	return 0;
}

static int on_remark(void *ctx, const char *line, size_t len)
{
	struct disasm *d = ctx;

	flush_lines(d);
	if (d->json) {
		struct nvfifo_json j = JSON_TO(stdout);
		char text[400];

		snprintf(text, sizeof(text), "%.*s", (int)len, line);
		nvfifo_json_print(&j, "{remark:%s}\n", text);
		return 0;
	}

	printf("%s# %.*s%s\n", color(COLOR_DIM), (int)len, line, color(COLOR_OFF));

	return 0;
}

static int take_binary(struct disasm *d, const char *data, size_t len, bool last, size_t *taken)
{
	const unsigned char *b = (const unsigned char *)data;
	size_t i;

	for (i = 0; i + 4 <= len; i += 4) {
		if (on_word(d, b[i] | b[i + 1] << 8 | b[i + 2] << 16 | (__u32)b[i + 3] << 24))
			return EXIT_USAGE;
	}

	*taken = i;
	d->bytes += i;
	if (!last || i == len)
		return EXIT_OK;

	flush_lines(d);
	fprintf(stderr, "%s: %zu bytes are not a multiple of 4; the last %zu were left out\n",
		input_name(d->path), d->bytes + len - i, len - i);

	return EXIT_USAGE;
}

static int take_text(struct disasm *d, const char *data, size_t len, bool last, size_t *taken)
{
	static const struct nvfifo_capture_ops hex_ops = { .word = on_word };
	static const struct nvfifo_capture_ops whole_ops = {
		.object = on_object,
		.segment = on_segment,
		.word = on_word,
		.remark = on_remark,
	};
	int ret;

	if (!d->begun)
		nvfifo_capture_begin(&d->reader, d->input == INPUT_CAPTURE ? &whole_ops : &hex_ops, d);
	d->begun = true;
	ret = nvfifo_capture_feed(&d->reader, data, len);
	*taken = len;
	if (!ret && last)
		ret = nvfifo_capture_end(&d->reader);
	flush_lines(d);
	if (ret == -EINVAL) {
		print_diag(d->path, &d->reader.diag);
		if (d->guessed && d->input == INPUT_HEX)
			explain_words_input(d->path);
	}

	return ret ? EXIT_USAGE : EXIT_OK;
}

/* Words in another form are converted as a whole. */
static int take_paste(struct disasm *d, const char *data, size_t len, size_t *taken)
{
	char *text = need(malloc(len + 1));
	size_t used;
	int ret;

	*taken = len;
	memcpy(text, data, len);
	ret = convert_input(d->path, &text, &len, &d->input);
	if (!ret && d->format == NVFIFO_FORMAT_NV04 && refuse_gf100(d->path, text, len))
		ret = EXIT_USAGE;
	if (!ret)
		ret = take_text(d, text, len, true, &used);
	free(text);

	return ret;
}

/* Up to the last newline, or all if there is none or nothing follows. */
static size_t whole_lines(const char *data, size_t len, bool last)
{
	const size_t lines = last ? 0 : nvfifo_text_whole_lines(data, len);

	return lines ? lines : len;
}

static int take_piece(void *ctx, const char *data, size_t len, bool last, size_t *taken)
{
	const size_t lines = whole_lines(data, len, last);
	struct disasm *d = ctx;

	if (d->input == INPUT_LOOK) {
		d->input = look_at_input(d->path, data, lines);
		d->guessed = true;
	}
	if (d->input == INPUT_OTHER_TEXT)
		return EXIT_USAGE;
	if (d->input == INPUT_BINARY)
		return take_binary(d, data, len, last, taken);

	if (d->input == INPUT_PASTE)
		return last ? take_paste(d, data, len, taken) : EXIT_OK;
	if (d->guessed && d->input == INPUT_HEX && !d->checked && d->format == NVFIFO_FORMAT_NV04 &&
	    refuse_gf100(d->path, data, lines))
		return EXIT_USAGE;
	d->checked = true;

	/* A line that goes on is looked at again when more of it is there. */
	if (lines == len && !last && data[len - 1] != '\n')
		return EXIT_OK;
	if (d->input != INPUT_PROGRAM)
		return take_text(d, data, lines, last, taken);

	fprintf(stderr,
		"%s is a text program, not words: 'nvfifo run --dry-run' shows its words, 'nvfifo lint' its mistakes\n",
		input_name(d->path));

	return EXIT_USAGE;
}

/* The words of GF100's format belong to other chips, whose classes are not known here. */
static int add_classes(struct disasm *d, const struct class_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		__u32 oclass = list->rows[i].oclass;

		if (d->format != NVFIFO_FORMAT_NVC0 && !nvfifo_class_exists(d->chipset, oclass))
			return usage_error(&cmd_disasm, "%s has no class 0x%04x; 'nvfifo methods' lists the classes",
					   d->chipset ? nvfifo_chipset_name(d->chipset) : "the family",
					   oclass);
		on_object(d, 0, list->rows[i].handle, oclass);
	}

	return EXIT_OK;
}

static void free_decoders(struct disasm *d)
{
	size_t i;

	for (i = 0; i < NVFIFO_CAPTURE_CHANNELS; i++)
		free(d->channels[i]);
}

/* The commands of a capture are followed twice, so all of it is read first. */
static int print_program(const struct disasm *d)
{
	struct nvfifo_diag diag = { 0 };
	char *text;
	size_t len;
	int ret = read_input(d->path, &text, &len);

	if (ret)
		return ret;

	if (d->input != INPUT_CAPTURE && look_at_input(d->path, text, len) != INPUT_CAPTURE) {
		fprintf(stderr, "%s is not a capture: --program needs lines 'push N va ...'\n",
			input_name(d->path));
		free(text);
		return EXIT_USAGE;
	}

	ret = nvfifo_capture_program(text, len, d->chipset, stdout, &diag);
	free(text);
	if (ret == -EINVAL)
		print_diag(d->path, &diag);
	else if (ret)
		fprintf(stderr, "%s: %s\n", input_name(d->path), nvfifo_last_error());

	return ret ? EXIT_USAGE : EXIT_OK;
}

static int run(int argc, char **argv)
{
	static struct disasm d = { .format = NVFIFO_FORMAT_NV04 };
	struct class_list classes = { .count = 0 };
	bool strict = false, program = false;
	const struct option_row rows[] = {
		OPTION_CHOICE("input", "hex binary capture", INPUT_HEX, &d.input),
		OPTION_FORMAT("format", &d.format),
		OPTION_CHIPSET("chipset", &d.chipset),
		OPTION_CALL("class", 0, take_class, &classes),
		OPTION_FLAG("source", 0, &d.source),
		OPTION_FLAG("json", 0, &d.json),
		OPTION_FLAG("strict", 0, &strict),
		OPTION_FLAG("program", 0, &program),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_disasm, rows, 1, argc, argv);

	d.path = optind < argc ? argv[optind] : "-";
	if (program && (d.json || d.source || strict || classes.count || d.format != NVFIFO_FORMAT_NV04))
		return usage_error(&cmd_disasm,
				   "--program goes with --chipset and --input capture only");
	if (d.json && d.source)
		return usage_error(&cmd_disasm, "--json and --source exclude each other");
	if (program)
		return print_program(&d);

	ret = add_classes(&d, &classes);
	if (ret) {
		free_decoders(&d);
		return ret;
	}

	ret = read_pieces(d.path, take_piece, &d);
	flush_lines(&d);
	free_decoders(&d);
	if (!ret && strict && d.refused) {
		fflush(stdout);
		fprintf(stderr, "%s: the pusher would refuse %lu words\n", input_name(d.path), d.refused);
		ret = EXIT_DIFFERENT;
	}

	return ret;
}

const struct subcommand cmd_disasm = {
	.name = "disasm",
	.summary = "pushbuffer words to text",
	.help = help,
	.run = run,
};
