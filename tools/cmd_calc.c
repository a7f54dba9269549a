// SPDX-License-Identifier: MIT
/* "nvfifo calc": encode and decode single things, or files of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvfifo_calc.h"
#include "nvfifo_near.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"
#include "options.h"
#include "terminal.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo calc [OPTIONS] KIND WORD...\n"
	"       nvfifo calc [OPTIONS] KIND FIELD=VALUE...\n"
	"       nvfifo calc [OPTIONS] [KIND] <FILE\n\n"
	"Decode words into fields, or encode fields into words. Without words and\n"
	"fields, do it for every line of standard input: CSV with a line of names first,\n"
	"or one object of JSON a line. The output has the same columns, the results\n"
	"filled in; the columns are those of the recorded test vectors of nouveau as\n"
	"well.\n\n"
	"Numbers are hexadecimal, with or without 0x, except counts, ids and flags.\n"
	"'nvfifo calc --list' shows the kinds and their words and fields:\n"
	"  pte pde dmaobj ramht ib chan fault dma-state pull0 kind ramfc ectx tlb pgraph\n\n"
	"Options:\n"
	"  --list        the kinds, their words and fields\n"
	"  --layouts FILE\n"
	"                also kinds from FILE, in the language of\n"
	"                Documentation/guides/messages.rst; without the option from\n"
	"                nvfifo/layouts in $XDG_CONFIG_HOME (~/.config), if it is there\n"
	"  --input FILE  read FILE instead of standard input, '-' is standard input\n"
	"  --json        print JSON, one object a line\n"
	"  --all         lines: add every decoded field, not only the kind's columns\n"
	"  --as-nouveau  follow nouveau where it differs from the documents of the\n"
	"                hardware; --hardware, the default, follows the documents\n"
	"  --color WHEN  auto (default), always, never\n\n"
	"A field that the kind does not have, that has no part in the result, or that\n"
	"the other fields contradict is an error. Columns of nouveau's vectors that have\n"
	"no part in the result are copied.\n\n"
	"Exit codes: 0 done, 2 a wrong option, word, field or line.\n\n"
	"Examples:\n"
	"  nvfifo calc pte 0000000012345109\n"
	"  nvfifo calc pte address=12345000 target=vram ro=1 contig=2\n"
	"  nvfifo calc dma-state 80006d7c\n"
	"  nvfifo calc fault chipset=96 00000265 00001054 0 00005000 00000012 00000100\n"
	"  nvfifo calc ramht handle=beef0201 bits=12 engine=1 offset=5540\n"
	"  nvfifo calc --layouts examples/chan-table.tbl chan-table 8001fb14\n"
	"  printf 'va,bytes\\n2000,1708\\n' | nvfifo calc ib\n";

struct options {
	const struct nvfifo_calc_kind *kind;
	unsigned int flags;
	bool json;
	/* Notes printed so far, each once. */
	char notes[8][200];
	unsigned int note_count;
};

/* The column of the names of words and fields */
#define LIST_INDENT 19

/* Print names beside their title, in lines as long as the terminal is wide. */
static void print_list(const char *title, const char *names)
{
	printf("           %-8s", title);
	print_wrapped(names, LIST_INDENT, LIST_INDENT);
}

/* All kinds, or one. */
static void list_kinds(const struct nvfifo_calc_kind *only)
{
	const struct nvfifo_calc_kind *k;

	for (k = nvfifo_calc_next(NULL); k; k = nvfifo_calc_next(k)) {
		if (only && only != k)
			continue;

		printf("%s%-10s%s %s\n", color(COLOR_HEAD), k->name, color(COLOR_OFF), k->means);
		print_list("words:", k->words);
		if (*k->fields)
			print_list("fields:", k->fields);
	}
}

/* Print a note, unless it was printed before: notes are about a whole file. */
static void say_note(struct options *o, const char *note)
{
	unsigned int i;

	for (i = 0; i < o->note_count; i++) {
		if (!strcmp(o->notes[i], note))
			return;
	}

	if (i < sizeof(o->notes) / sizeof(o->notes[0]))
		strcpy(o->notes[o->note_count++], note);
	fflush(stdout);
	fprintf(stderr, "nvfifo calc: note: %s\n", note);
}

/* --- Arguments ----------------------------------------------------------- */

static int add_argument(struct options *o, struct nvfifo_row *r, const char *arg,
			unsigned int *words)
{
	const char *equals = strchr(arg, '='), *old, *target;
	/* Kinds of which one field has all words */
	bool array = !strcmp(o->kind->words, "trap") || !strcmp(o->kind->words, "words");
	char name[64], *text;
	int ret;

	if (equals) {
		if (equals == arg || (size_t)(equals - arg) >= sizeof(name))
			return usage_error(&cmd_calc, "'%s' is not FIELD=VALUE", arg);

		snprintf(name, sizeof(name), "%.*s", (int)(equals - arg), arg);
		if (!equals[1])
			return usage_error(&cmd_calc, "%s has no value", name);
		if (nvfifo_row_get(r, name))
			return usage_error(&cmd_calc, "%s is given twice", name);
		if (nvfifo_row_set(r, name, NVFIFO_VALUE_STRING, equals + 1, NULL))
			return EXIT_USAGE;

		return EXIT_OK;
	}

	target = nvfifo_text_word(o->kind->words, array ? 0 : *words, name, sizeof(name));
	if (!target)
		return usage_error(&cmd_calc, "'%s' is one word too many: %s has '%s'", arg,
				   o->kind->name, o->kind->words);
	++*words;

	old = array ? nvfifo_row_get(r, target) : NULL;
	if (!old)
		return nvfifo_row_set(r, target, NVFIFO_VALUE_STRING, arg, NULL) ? EXIT_USAGE : EXIT_OK;

	if (asprintf(&text, "%s %s", old, arg) < 0)
		return EXIT_USAGE;
	ret = nvfifo_row_set(r, target, NVFIFO_VALUE_STRING, text, NULL);
	free(text);

	return ret ? EXIT_USAGE : EXIT_OK;
}

static void print_fields(const struct nvfifo_row *r)
{
	size_t i, width = 0;

	for (i = 0; i < r->count; i++) {
		if (strlen(r->fields[i].name) > width)
			width = strlen(r->fields[i].name);
	}

	for (i = 0; i < r->count; i++) {
		const struct nvfifo_field *f = &r->fields[i];

		printf("%s%-*s%s  %s", color(COLOR_HEAD), (int)width, f->name, color(COLOR_OFF),
		       f->text);
		if (f->means)
			printf("  # %s", f->means);
		putchar('\n');
	}
}

static int calc_arguments(struct options *o, char **args, int count)
{
	struct nvfifo_row r = { 0 };
	unsigned int words = 0;
	char note[200];
	int i, ret = EXIT_OK;

	for (i = 0; i < count && !ret; i++)
		ret = add_argument(o, &r, args[i], &words);
	if (!ret && nvfifo_calc(o->kind, &r, o->flags | NVFIFO_CALC_ALL | NVFIFO_CALC_STRICT, note)) {
		fprintf(stderr, "nvfifo calc: %s\n", nvfifo_last_error());
		ret = EXIT_USAGE;
	}

	if (!ret) {
		if (o->json) {
			nvfifo_row_write_json(stdout, &r, true);
			putchar('\n');
		} else {
			print_fields(&r);
		}

		if (*note)
			say_note(o, note);
	}

	nvfifo_row_free(&r);
	return ret;
}

/* --- Lines --------------------------------------------------------------- */

#define COLUMNS_MAX 64

/* A file of another format is wrong in every line. */
#define WRONG_LINES_MAX 10

struct lines {
	const char *name;
	unsigned long line;
	unsigned long rows;		/* lines of values so far */
	unsigned long right;		/* those without an error */
	char *header;			/* memory of the columns' names */
	char *columns[COLUMNS_MAX];
	size_t count;
	struct nvfifo_row *out;		/* lines of results, for CSV */
	size_t out_count;
};

static int calc_row(struct options *o, struct lines *in, struct nvfifo_row *r)
{
	char note[200];

	in->rows++;
	if (!o->kind)
		o->kind = nvfifo_calc_detect(r);
	if (!o->kind) {
		fprintf(stderr, "%s:%lu: no known kind has these fields; give its name\n", in->name,
			in->line);
		return EXIT_USAGE;
	}

	if (nvfifo_calc(o->kind, r, o->flags, note)) {
		fflush(stdout);
		fprintf(stderr, "%s:%lu: %s\n", in->name, in->line, nvfifo_last_error());
		return EXIT_USAGE;
	}

	in->right++;
	if (*note)
		say_note(o, note);

	return EXIT_OK;
}

/* List the names of all lines' fields, in the order of their first use. Return: their number. */
static size_t all_columns(const struct lines *in, const char **names)
{
	size_t count = 0, i, k, n;

	for (i = 0; i < in->out_count; i++) {
		const struct nvfifo_row *r = &in->out[i];

		for (k = 0; k < r->count; k++) {
			for (n = 0; n < count && strcmp(names[n], r->fields[k].name); n++)
				;
			if (n == count && count < COLUMNS_MAX)
				names[count++] = r->fields[k].name;
		}
	}

	return count;
}

static void print_csv(const struct lines *in)
{
	const char *names[COLUMNS_MAX];
	size_t count = all_columns(in, names), i, k;

	for (k = 0; k < count; k++) {
		if (k)
			putchar(',');
		nvfifo_csv_write(stdout, names[k]);
	}
	if (count)
		putchar('\n');

	for (i = 0; i < in->out_count; i++) {
		for (k = 0; k < count; k++) {
			const char *text = nvfifo_row_get(&in->out[i], names[k]);

			if (k)
				putchar(',');
			nvfifo_csv_write(stdout, text ? text : "");
		}
		putchar('\n');
	}
}

static void free_lines(struct lines *in)
{
	size_t i;

	for (i = 0; i < in->out_count; i++)
		nvfifo_row_free(&in->out[i]);
	free(in->out);
	free(in->header);
}

static int csv_line(struct options *o, struct lines *in, char *line)
{
	char *values[COLUMNS_MAX];
	struct nvfifo_row r = { 0 }, *row;
	size_t n, i;
	int ret = EXIT_OK;

	if (!in->count) {
		in->header = strdup(line);
		in->count = in->header ? nvfifo_csv_split(in->header, in->columns, COLUMNS_MAX) : 0;
		if (in->count && in->count <= COLUMNS_MAX)
			return EXIT_OK;
		fprintf(stderr, "%s:%lu: more than %d columns\n", in->name, in->line, COLUMNS_MAX);
		in->count = 0;
		return EXIT_USAGE;
	}

	n = nvfifo_csv_split(line, values, COLUMNS_MAX);
	if (n != in->count) {
		fflush(stdout);
		fprintf(stderr, "%s:%lu: %zu values, but %zu columns\n", in->name, in->line, n,
			in->count);
		return EXIT_USAGE;
	}

	for (i = 0; i < n && !ret; i++)
		ret = nvfifo_row_set(&r, in->columns[i], NVFIFO_VALUE_STRING, values[i], NULL);
	ret = ret ? EXIT_USAGE : calc_row(o, in, &r);
	if (!ret && o->json) {
		nvfifo_row_write_json(stdout, &r, false);
		putchar('\n');
	} else if (!ret) {
		/* The first line does not have every field that a later one has. */
		row = need(NVFIFO_ADD(in->out, in->out_count));
		*row = r;
		return EXIT_OK;
	}

	nvfifo_row_free(&r);
	return ret;
}

static int json_line(struct options *o, struct lines *in, const char *line, size_t len)
{
	struct nvfifo_row r = { 0 };
	size_t at;
	int ret;

	if (nvfifo_row_from_json(&r, line, len, &at)) {
		fflush(stdout);
		fprintf(stderr, "%s:%lu:%zu: this is not a JSON object\n", in->name, in->line, at + 1);
		ret = EXIT_USAGE;
	} else {
		ret = calc_row(o, in, &r);
	}

	if (!ret) {
		nvfifo_row_write_json(stdout, &r, false);
		putchar('\n');
	}

	nvfifo_row_free(&r);
	return ret;
}

static int calc_lines(struct options *o, const char *path)
{
	struct lines in = { .name = input_name(path) };
	char *data, *line, *end;
	size_t len, at;
	int ret = read_input(path, &data, &len), worst = EXIT_OK;
	unsigned int wrong = 0;

	if (ret)
		return ret;
	if (!input_is_text(data, len, &at)) {
		fprintf(stderr, "%s: no text: the byte 0x%02x at offset %zu\n", in.name,
			(unsigned char)data[at], at);
		free(data);
		return EXIT_USAGE;
	}

	for (line = data; line < data + len; line = end + 1) {
		/* read_input() leaves room after the last byte. */
		end = line + (nvfifo_text_line_end(line, data + len) - line);
		*end = '\0';
		in.line++;
		line[strcspn(line, "\r")] = '\0';
		line += strspn(line, " \t");
		if (!*line || *line == '#')
			continue;

		if (*line == '{')
			ret = json_line(o, &in, line, strlen(line));
		else
			ret = csv_line(o, &in, line);
		if (ret)
			worst = ret;
		if (ret && ++wrong == WRONG_LINES_MAX && !in.right) {
			fflush(stdout);
			fprintf(stderr, "%s: %u wrong lines, the rest is not read\n", in.name, wrong);
			break;
		}

		/* Without names or kind the following lines have no meaning. */
		if (ret && (!o->kind || (*line != '{' && !in.count)))
			break;
	}

	if (!worst && !in.rows) {
		fprintf(stderr, "%s: no lines of values\n", in.name);
		worst = EXIT_USAGE;
	}

	print_csv(&in);
	free_lines(&in);
	free(data);

	return worst;
}

static int unknown_kind(const char *name)
{
	const struct nvfifo_calc_kind *k;
	struct nvfifo_near near;
	char more[200];

	nvfifo_near_init(&near, name, strlen(name));
	for (k = nvfifo_calc_next(NULL); k; k = nvfifo_calc_next(k))
		nvfifo_near_offer(&near, k->name);

	return usage_error(&cmd_calc, "there is no kind '%s', see --list%s", name,
			   nvfifo_near_text(&near, more, sizeof(more)));
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	const char *path = NULL, *layouts = NULL;
	bool list = false, all = false, hardware = false, nouveau = false;
	const struct option_row rows[] = {
		OPTION_FLAG("list", 0, &list),
		OPTION_TEXT("input", 0, &path),
		OPTION_TEXT("layouts", 0, &layouts),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_FLAG("all", 0, &all),
		OPTION_FLAG("hardware", 0, &hardware),
		OPTION_FLAG("as-nouveau", 0, &nouveau),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_calc, rows, ARGUMENTS_ANY, argc, argv);
	if (hardware && nouveau)
		return usage_error(&cmd_calc, "--hardware and --as-nouveau exclude each other");

	if (all)
		o.flags |= NVFIFO_CALC_ALL;
	if (nouveau)
		o.flags |= NVFIFO_CALC_NOUVEAU;

	ret = read_tables(layouts, "layouts", nvfifo_calc_layouts);
	if (ret)
		return ret;

	if (optind < argc) {
		o.kind = nvfifo_calc_find(argv[optind]);
		if (!o.kind)
			return unknown_kind(argv[optind]);
		optind++;
	}

	if (list && (optind < argc || path))
		return usage_error(&cmd_calc, "--list accepts one kind, and no words, fields or --input");
	if (list && o.json)
		return usage_error(&cmd_calc, "--list and --json exclude each other");
	if (list) {
		list_kinds(o.kind);
		return EXIT_OK;
	}

	if (optind < argc && path)
		return usage_error(&cmd_calc, "either --input or words and fields, not both");
	if (optind < argc)
		return calc_arguments(&o, argv + optind, argc - optind);
	if (!path && isatty(STDIN_FILENO))
		return usage_error(&cmd_calc, "no words, no fields, and nothing on standard input");

	return calc_lines(&o, path ? path : "-");
}

const struct subcommand cmd_calc = {
	.name = "calc",
	.summary = "encode and decode PTEs, DMA objects, faults and more",
	.help = help,
	.run = run,
};
