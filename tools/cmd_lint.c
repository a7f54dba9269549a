// SPDX-License-Identifier: MIT
/* "nvfifo lint": mistakes in pushbuffers, before the card sees them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_capture.h"
#include "nvfifo_lint.h"
#include "nvfifo_prog.h"
#include "nvfifo_row.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo lint [OPTIONS] [FILE...]\n\n"
	"Look for mistakes before submission: in text programs (*.nvp), in recorded\n"
	"submissions, and in words, hexadecimal, binary or in one of the forms that\n"
	"'nvfifo disasm' reads. Each mistake is printed with its position, and what the\n"
	"card would do with it. A mistake does not count if the program expects its\n"
	"channel to die ('expect dead'). Needs no card.\n\n"
	"Options:\n"
	"  --chipset C   g80 ... mcp89: also what only this chipset refuses\n"
	"  --format F    words: nv04 (default), nv04-dma, nvc0\n"
	"  --input I     program, hex, binary or capture; detected if not given\n"
	"  --class H=C   words: handle H is an object of class C; may come more than\n"
	"                once\n"
	"  --ring        the words are an IB ring, two for each entry\n"
	"  --put N       the ring's IB_PUT as it will be written\n"
	"  --get N       the ring's IB_GET, 0 if not given\n"
	"  --strict      exit code 1 for warnings, too\n"
	"  --json        one object of JSON for each mistake\n"
	"  --rules       all rules and what they mean\n"
	"  --color WHEN  auto (default), always, never\n\n"
	"Exit codes: 0 nothing wrong, 1 mistakes, 2 a wrong option, or a file that\n"
	"cannot be read.\n\n"
	"Examples:\n"
	"  nvfifo lint examples/01-refcnt-semaphore.nvp\n"
	"  echo 00080050 1234 | nvfifo lint --chipset g84\n"
	"  nvfifo lint --ring --put 2 ring.txt\n";

/* Above every IB_PUT and IB_GET */
#define NOT_GIVEN (~0ul)

struct options {
	__u32 chipset;
	enum nvfifo_format format;
	enum input input;
	bool ring;
	bool json;
	unsigned long get;
	unsigned long put;
	struct class_list classes;
	/* of the file being read */
	const char *name;
	char *data;
	size_t len;
	struct nvfifo_lint *lint;
	struct nvfifo_words words;
	/* of all */
	unsigned long errors;
	unsigned long warnings;
	unsigned long expected;
	bool explained[64];
};

static const char *plural(unsigned long count)
{
	return count == 1 ? "" : "s";
}

/* The place in the line, 0 if it is not known. */
static unsigned int column_of(const struct options *o, const struct nvfifo_finding *f)
{
	if (f->attribute)
		return nvfifo_prog_column(o->data, o->len, f->line, f->attribute);
	return f->column;
}

/* The program expects the mistake if it expects the channel to die. */
static const char *severity_of(const struct nvfifo_finding *f)
{
	if (f->expected)
		return "expected";

	return f->rule->severity == NVFIFO_LINT_ERROR ? "error" : "warning";
}

static void print_json(const struct options *o, const struct nvfifo_finding *f)
{
	const unsigned int column = column_of(o, f);
	struct nvfifo_json j = JSON_TO(stdout);

	nvfifo_json_print(&j, "{file:%s line:%u", o->name, f->line);
	if (column)
		nvfifo_json_number(&j, "column", column);
	nvfifo_json_string(&j, "severity", severity_of(f));
	if (f->expected)
		nvfifo_json_number(&j, "expected", f->expected);
	nvfifo_json_print(&j, "rule:%s place:%s", f->rule->name, f->place);
	if (f->has_word)
		nvfifo_json_print(&j, "word:%zu value:%08x", f->word, f->value);

	nvfifo_json_print(&j, "text:%s why:%s}\n", f->text, f->rule->why);
}

/* Print the program, and the line, word or channel of the finding. */
static void print_where(const struct options *o, const struct nvfifo_finding *f)
{
	printf("%s%s:", color(COLOR_HEAD), o->name);
	if (f->line)
		printf("%u:", f->line);
	if (column_of(o, f))
		printf("%u:", column_of(o, f));
	if (*f->place)
		printf(" %s", f->place);
	if (f->has_word)
		printf(" word %zu (%08x)", f->word, f->value);
	print_if(*f->place || f->has_word, ":");
}

static void on_finding(void *ctx, const struct nvfifo_finding *f)
{
	bool error = f->rule->severity == NVFIFO_LINT_ERROR && !f->expected;
	enum color shade = error ? COLOR_BAD : COLOR_HEAD;
	size_t rule = (size_t)(f->rule - nvfifo_lint_rules);
	struct options *o = ctx;

	if (f->expected)
		o->expected++;
	else if (error)
		o->errors++;
	else
		o->warnings++;
	if (o->json) {
		print_json(o, f);
		return;
	}

	print_where(o, f);
	printf(" %s%s%s: %s [%s]\n", color(shade), severity_of(f), color(COLOR_OFF), f->text,
	       f->rule->name);
	if (rule < sizeof(o->explained) && !o->explained[rule]) {
		o->explained[rule] = true;
		printf("    %s%s%s\n", color(COLOR_DIM), f->rule->why, color(COLOR_OFF));
	}
	if (f->expected)
		printf("    %sLine %u expects the channel to die.%s\n", color(COLOR_DIM), f->expected,
		       color(COLOR_OFF));
}

/* --- Words and captures ------------------------------------------------- */

/* Read all words first, so that a mistake in the text is found before anything is reported. */
static int read_words(struct options *o, enum input input)
{
	const unsigned char *b = (const unsigned char *)o->data;
	struct nvfifo_diag diag;
	size_t i;
	int ret = 0;

	if (input != INPUT_BINARY) {
		ret = nvfifo_capture_words(o->data, o->len, &o->words, &diag);
		if (ret != -EINVAL)
			return ret;

		print_diag(o->name, &diag);
		if (input == INPUT_HEX && o->input == INPUT_LOOK)
			explain_words_input(o->name);
		return ret;
	}

	if (o->len % 4) {
		fprintf(stderr, "%s: %zu bytes are not a multiple of 4\n", o->name, o->len);
		return -EINVAL;
	}

	for (i = 0; i < o->len && !ret; i += 4)
		ret = nvfifo_words_add(&o->words, b[i] | b[i + 1] << 8 | b[i + 2] << 16 |
							  (__u32)b[i + 3] << 24);

	return ret;
}

static int lint_ring(struct options *o)
{
	size_t entries = o->words.count / 2;

	if (!entries || entries & (entries - 1) || o->words.count % 2) {
		fprintf(stderr, "%s: a ring has 2^n entries of two words, not %zu words\n", o->name,
			o->words.count);
		return EXIT_USAGE;
	}

	nvfifo_lint_ring(o->lint, o->words.data, entries, o->get, o->put);
	return EXIT_OK;
}

static int lint_words(struct options *o, enum input input)
{
	int ret = read_words(o, input);
	size_t i;

	if (ret == -ENOMEM)
		fputs("nvfifo: out of memory\n", stderr);
	if (ret)
		return EXIT_USAGE;
	if (o->ring)
		return lint_ring(o);

	for (i = 0; i < o->words.count; i++)
		nvfifo_lint_word(o->lint, o->words.data[i], 0);

	return EXIT_OK;
}

static int lint_capture(struct options *o)
{
	struct nvfifo_diag diag;

	if (!nvfifo_lint_capture(o->lint, o->data, o->len, &diag))
		return EXIT_OK;

	print_diag(o->name, &diag);
	return EXIT_USAGE;
}

/* --- Programs ------------------------------------------------------------ */

static int lint_program(struct options *o)
{
	struct nvfifo_prog prog;
	struct nvfifo_diag diag = { 0 };
	int ret = nvfifo_prog_read(o->data, o->len, NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, &prog,
				   &diag);

	if (ret) {
		fflush(stdout);
		if (ret == -EINVAL)
			print_diag(o->name, &diag);
		else
			fprintf(stderr, "nvfifo: %s\n", nvfifo_last_error());
		return EXIT_USAGE;
	}

	/* A program that must run everywhere is checked as on the oldest card. */
	if (!o->chipset && nvfifo_lint_chipset(&prog)) {
		nvfifo_lint_free(o->lint);
		o->lint = need(nvfifo_lint_new(o->format, nvfifo_lint_chipset(&prog), on_finding, o));
	}

	nvfifo_lint_program(o->lint, &prog);
	nvfifo_prog_free(&prog);

	return EXIT_OK;
}

static void add_classes(struct options *o)
{
	size_t i;

	for (i = 0; i < o->classes.count; i++)
		nvfifo_lint_object(o->lint, 0, o->classes.rows[i].handle,
				   o->classes.rows[i].oclass);
	if (i)
		nvfifo_lint_know_objects(o->lint);
}

/* A program, words or a capture: --input says it, else the content does. */
static int lint_content(struct options *o, const char *path)
{
	enum input input = o->input;
	int ret = EXIT_OK;

	if (!o->len)
		fprintf(stderr, "nvfifo: %s is empty: nothing was checked\n", o->name);
	if (input == INPUT_LOOK)
		input = look_at_input(path, o->data, o->len);
	if (input == INPUT_OTHER_TEXT)
		return EXIT_USAGE;

	/* A program says its format and its objects itself. */
	if (input == INPUT_PROGRAM && !o->ring) {
		if (o->format == NVFIFO_FORMAT_NV04 && !o->classes.count)
			return lint_program(o);
		return usage_error(&cmd_lint, "--%s is for words, and %s is a program",
				   o->classes.count ? "class" : "format", o->name);
	}

	if (input == INPUT_PASTE)
		ret = convert_input(o->name, &o->data, &o->len, &input);
	if (ret)
		return ret;

	if (o->input == INPUT_LOOK && input == INPUT_HEX && o->format == NVFIFO_FORMAT_NV04 && !o->ring &&
	    refuse_gf100(o->name, o->data, o->len))
		return EXIT_USAGE;

	add_classes(o);
	ret = input == INPUT_CAPTURE && !o->ring ? lint_capture(o) : lint_words(o, input);
	if (!ret)
		nvfifo_lint_end(o->lint);

	return ret;
}

static int lint_file(struct options *o, const char *path)
{
	int ret = read_input(path, &o->data, &o->len);

	if (ret)
		return ret;

	o->name = input_name(path);
	o->lint = need(nvfifo_lint_new(o->format, o->chipset, on_finding, o));
	ret = lint_content(o, path);
	nvfifo_lint_free(o->lint);
	nvfifo_words_free(&o->words);
	free(o->data);

	return ret;
}

static void list_rules(void)
{
	const struct nvfifo_rule *r;

	for (r = nvfifo_lint_rules; r->name; r++)
		printf("%s%s%s (%s)\n    %s\n", color(COLOR_HEAD), r->name, color(COLOR_OFF),
		       r->severity == NVFIFO_LINT_ERROR ? "error" : "warning", r->why);
}

static int run(int argc, char **argv)
{
	struct options o = { .format = NVFIFO_FORMAT_NV04, .put = NOT_GIVEN, .get = NOT_GIVEN };
	bool strict = false, rules = false;
	const struct option_row rows[] = {
		OPTION_CHIPSET("chipset", &o.chipset),
		OPTION_FORMAT("format", &o.format),
		OPTION_CHOICE("input", "program hex binary capture", INPUT_PROGRAM, &o.input),
		OPTION_CALL("class", 0, take_class, &o.classes),
		OPTION_FLAG("ring", 0, &o.ring),
		OPTION_NUMBER("put", 0, &o.put, 0, 0xffffffff, ""),
		OPTION_NUMBER("get", 0, &o.get, 0, 0xffffffff, ""),
		OPTION_FLAG("strict", 0, &strict),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_FLAG("rules", 0, &rules),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_lint, rows, ARGUMENTS_ANY, argc, argv);
	if (rules && (optind < argc || o.json))
		return usage_error(&cmd_lint, "--rules goes without --json and files");
	if (rules) {
		list_rules();
		return EXIT_OK;
	}

	if (o.ring != (o.put != NOT_GIVEN))
		return usage_error(&cmd_lint, "--ring and --put go together");
	if (!o.ring && o.get != NOT_GIVEN)
		return usage_error(&cmd_lint, "--get goes with --ring only");
	if (o.get == NOT_GIVEN)
		o.get = 0;

	ret = EXIT_OK;
	if (optind == argc)
		ret = lint_file(&o, "-");
	for (; optind < argc && !ret; optind++)
		ret = lint_file(&o, argv[optind]);
	if (ret)
		return ret;

	if (!o.json) {
		printf("%lu error%s, %lu warning%s", o.errors, plural(o.errors), o.warnings,
		       plural(o.warnings));
		if (o.expected)
			printf(", %lu expected", o.expected);
		putchar('\n');
	}

	return o.errors || (strict && o.warnings) ? EXIT_DIFFERENT : EXIT_OK;
}

const struct subcommand cmd_lint = {
	.name = "lint",
	.summary = "look for mistakes before submission",
	.help = help,
	.run = run,
};
