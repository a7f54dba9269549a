// SPDX-License-Identifier: MIT
/* Options of the subcommands: from a table of rows to getopt_long() and back. */
#define _GNU_SOURCE
#include <getopt.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_near.h"
#include "nvfifo_text.h"
#include "options.h"

#define ROWS_MAX	24
/* getopt_long()'s values for long forms start here, above every character. */
#define LONG_BASE	0x100
#define LONG_HELP	(LONG_BASE + ROWS_MAX)
#define LONG_VERSION	(LONG_HELP + 1)

static size_t count_rows(const struct option_row *rows)
{
	size_t n = 0;

	while (n < ROWS_MAX && rows[n].name)
		n++;

	return n;
}

static int needs_argument(const struct option_row *r)
{
	if (r->kind == OPTION_IS_FLAG)
		return no_argument;

	return r->kind == OPTION_IS_MODEL ? optional_argument : required_argument;
}

/* The tables of getopt_long(): @longs has room for all rows and three more. */
static void make_tables(const struct option_row *rows, size_t count, int arguments,
			struct option *longs, char *shorts)
{
	size_t i;

	/*
	 * With a leading ':' getopt_long() distinguishes a missing argument from an unknown option.
	 */
	if (arguments == ARGUMENTS_REST)
		*shorts++ = '+';
	*shorts++ = ':';
	*shorts++ = 'h';

	for (i = 0; i < count; i++) {
		int argument = needs_argument(&rows[i]);

		longs[i] = (struct option){ rows[i].name, argument, NULL, LONG_BASE + (int)i };
		if (!rows[i].letter)
			continue;

		*shorts++ = rows[i].letter;
		if (argument != no_argument)
			*shorts++ = ':';
		if (argument == optional_argument)
			*shorts++ = ':';
	}

	*shorts = '\0';
	longs[count] = (struct option){ "help", no_argument, NULL, LONG_HELP };
	longs[count + 1] = (struct option){ "version", no_argument, NULL, LONG_VERSION };
	longs[count + 2] = (struct option){ 0 };
}

static const struct option_row *find_row(const struct option_row *rows, size_t count, int opt)
{
	size_t i;

	if (opt >= LONG_BASE)
		return opt < LONG_BASE + (int)count ? &rows[opt - LONG_BASE] : NULL;

	for (i = 0; i < count; i++) {
		if (rows[i].letter == opt)
			return &rows[i];
	}

	return NULL;
}

static int take_number(const struct subcommand *cmd, const struct option_row *r)
{
	if (parse_unsigned(optarg, r->max, r->number) && *r->number >= r->min)
		return EXIT_OK;

	if (r->max > 0xffffffff)
		return usage_error(cmd, "--%s is a number from %lu%s, not '%s'", r->name, r->min,
				   r->unit, optarg);

	return usage_error(cmd, "--%s is %lu to %lu%s, not '%s'", r->name, r->min, r->max, r->unit,
			   optarg);
}

static int take_choice(const struct subcommand *cmd, const struct option_row *r)
{
	char list[80] = "", name[20];
	size_t count, i;

	for (count = 0; nvfifo_text_word(r->names, count, name, sizeof(name)); count++) {
		if (!strcasecmp(name, optarg)) {
			*r->choice = (unsigned int)(r->min + count);
			return EXIT_OK;
		}
	}

	for (i = 0; i < count; i++) {
		if (i)
			nvfifo_text_add(list, sizeof(list), i + 1 < count ? ", " : " or ");
		nvfifo_text_word(r->names, i, name, sizeof(name));
		nvfifo_text_add(list, sizeof(list), "%s", name);
	}

	return usage_error(cmd, "--%s is %s, not '%s'", r->name, list, optarg);
}

static int take(const struct subcommand *cmd, const struct option_row *r)
{
	__u32 chipset;

	switch (r->kind) {
	case OPTION_IS_FLAG:
		*r->flag = true;
		return EXIT_OK;
	case OPTION_IS_TEXT:
		if (!*optarg)
			return usage_error(cmd, "--%s is empty", r->name);
		*r->text = optarg;
		return EXIT_OK;
	case OPTION_IS_NUMBER:
		return take_number(cmd, r);
	case OPTION_IS_CHIPSET:
		*r->chipset = parse_chipset(optarg);
		return *r->chipset ? EXIT_OK : bad_chipset(cmd, optarg);
	case OPTION_IS_CHOICE:
		return take_choice(cmd, r);
	case OPTION_IS_MODEL:
		chipset = optarg ? parse_chipset(optarg) : (__u32)r->min;
		*r->text = nvfifo_chipset_name(chipset);
		return chipset ? EXIT_OK : bad_chipset(cmd, optarg);
	case OPTION_IS_CALL:
		return r->call(cmd, r->ctx, optarg);
	}

	return EXIT_USAGE;
}

static bool has_long(const struct option *longs, const char *name)
{
	for (; longs->name; longs++) {
		if (!strcmp(longs->name, name))
			return true;
	}

	return false;
}

/* Explain why getopt_long() refused @word, the argument that it looked at. */
static int refuse(const struct subcommand *cmd, const struct option *longs, const char *word)
{
	struct nvfifo_near near;
	char more[200], name[40];

	if (optopt >= LONG_BASE)
		return usage_error(cmd, "'%.*s' takes no argument", (int)strcspn(word, "="), word);
	if (optopt)
		return usage_error(cmd, "unknown option '-%c'", optopt);

	if (!strncmp(word, "--chip", 6) && has_long(longs, "model"))
		return usage_error(cmd, "unknown option '%s'; the card says its chipset, and the model has --model=CHIP",
				   word);

	nvfifo_near_init(&near, word, strcspn(word, "="));

	for (; longs->name; longs++) {
		snprintf(name, sizeof(name), "--%s", longs->name);
		nvfifo_near_offer(&near, name);
	}

	return usage_error(cmd, "unknown option '%s'%s", word,
			   nvfifo_near_text(&near, more, sizeof(more)));
}

/* One argument too many; a chipset may be one that lacks its option. */
static int too_many(const struct subcommand *cmd, const struct option_row *rows, char **words,
		    int count, int arguments)
{
	const struct option_row *r;
	int i;

	for (i = 0; i < count; i++) {
		if (!parse_chipset(words[i]))
			continue;

		for (r = rows; r->name; r++) {
			if (r->kind == OPTION_IS_CHIPSET)
				return usage_error(cmd, "unexpected argument '%s'; did you mean --%s %s?",
						   words[i], r->name, words[i]);
			if (!strcmp(r->name, "model"))
				return usage_error(cmd, "unexpected argument '%s'; did you mean --%s=%s?",
						   words[i], r->name, words[i]);
		}
	}

	return usage_error(cmd, "unexpected argument '%s'", words[arguments]);
}

void take_options(const struct subcommand *cmd, const struct option_row *rows, int arguments,
		  int argc, char **argv)
{
	const size_t count = count_rows(rows);
	struct option longs[ROWS_MAX + 3];
	char shorts[3 * ROWS_MAX + 4];
	int opt, ret = EXIT_OK;

	make_tables(rows, count, arguments, longs, shorts);

	while (!ret && (opt = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (opt == 'h' || opt == LONG_HELP) {
			fputs(cmd->help, stdout);
			end_program(EXIT_OK);
		}

		if (opt == LONG_VERSION) {
			print_version();
			end_program(EXIT_OK);
		}

		if (opt == ':')
			ret = usage_error(cmd, "'%s' needs an argument", argv[optind - 1]);
		else if (opt == '?')
			ret = refuse(cmd, longs, argv[optind - 1]);
		else
			ret = take(cmd, find_row(rows, count, opt));
	}

	if (!ret && arguments >= 0 && argc - optind > arguments)
		ret = too_many(cmd, rows, argv + optind, argc - optind, arguments);
	if (ret)
		end_program(ret);
}

/* --- --class HANDLE=CLASS ------------------------------------------------- */

/* "0x5039" or "M2MF" */
static bool parse_class(const char *text, __u32 *oclass)
{
	unsigned long number;

	if (parse_unsigned(text, 0xffff, &number)) {
		*oclass = (__u32)number;
		return true;
	}

	for (*oclass = nvfifo_class_next(0); *oclass; *oclass = nvfifo_class_next(*oclass)) {
		const char *name = nvfifo_class_name(*oclass);

		if (name && !strcasecmp(name, text))
			return true;
	}

	return false;
}

int take_class(const struct subcommand *cmd, void *ctx, const char *arg)
{
	struct class_list *list = ctx;
	unsigned long handle;
	char text[64], *equals;
	__u32 oclass;
	size_t i;

	snprintf(text, sizeof(text), "%s", arg);
	equals = strchr(text, '=');
	if (equals)
		*equals = '\0';
	if (!equals || !parse_unsigned(text, 0xffffffff, &handle) ||
	    !parse_class(equals + 1, &oclass))
		return usage_error(cmd, "--class is HANDLE=CLASS, such as 0xbeef5039=0x5039 or 0xbeef5039=M2MF, not '%s'",
				   arg);

	for (i = 0; i < list->count; i++) {
		if (list->rows[i].handle == handle && list->rows[i].oclass != oclass)
			return usage_error(cmd, "--class gives handle 0x%lx two classes, 0x%x and 0x%x",
					   handle, list->rows[i].oclass, oclass);
	}

	if (list->count == NVFIFO_DECODE_HANDLES)
		return usage_error(cmd, "at most %d times --class", NVFIFO_DECODE_HANDLES);

	list->rows[list->count].handle = (__u32)handle;
	list->rows[list->count++].oclass = oclass;

	return EXIT_OK;
}
