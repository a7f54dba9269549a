/* SPDX-License-Identifier: MIT */
/*
 * Options of the subcommands. Each subcommand has a table of rows; the same mistake gets the
 * same message everywhere, and --help, -h and --version work everywhere.
 */
#ifndef NVFIFO_OPTIONS_H
#define NVFIFO_OPTIONS_H

#include <stdbool.h>

#include "nvfifo.h"
#include "tools.h"

enum option_kind {
	OPTION_IS_FLAG,
	OPTION_IS_TEXT,
	OPTION_IS_NUMBER,
	OPTION_IS_CHIPSET,
	OPTION_IS_CHOICE,
	OPTION_IS_MODEL,
	OPTION_IS_CALL,
};

/**
 * struct option_row - One option; made by the macros below
 * @name: without its dashes
 * @letter: short form, or 0
 * @kind: which of the following members is used
 * @flag: set to true
 * @text: set to the argument, or to the name of the model's chipset
 * @number: set to the argument, which is @min to @max
 * @min: least number, or the model's chipset if there is no argument
 * @max: largest number
 * @unit: of the number in messages, with a blank in front, or ""
 * @chipset: set to the chipset's id
 * @names: of the choices, with blanks between them
 * @choice: set to the place of the choice in @names, plus @min
 * @call: gets the argument; returns 0 or an exit code after a message
 * @ctx: for @call
 *
 * A table ends with a row without @name.
 */
struct option_row {
	const char *name;
	char letter;
	enum option_kind kind;
	bool *flag;
	const char **text;
	unsigned long *number;
	unsigned long min;
	unsigned long max;
	const char *unit;
	__u32 *chipset;
	const char *names;
	unsigned int *choice;
	int (*call)(const struct subcommand *cmd, void *ctx, const char *arg);
	void *ctx;
};

#define OPTION_FLAG(n, l, p)	{ .name = n, .letter = l, .kind = OPTION_IS_FLAG, .flag = p }
#define OPTION_TEXT(n, l, p)	{ .name = n, .letter = l, .kind = OPTION_IS_TEXT, .text = p }
#define OPTION_NUMBER(n, l, p, least, most, of) \
	{ .name = n, .letter = l, .kind = OPTION_IS_NUMBER, .number = p, .min = least, \
	  .max = most, .unit = of }
#define OPTION_CHIPSET(n, p)	{ .name = n, .kind = OPTION_IS_CHIPSET, .chipset = p }
#define OPTION_CHOICE(n, list, first, p) \
	{ .name = n, .kind = OPTION_IS_CHOICE, .names = list, .min = first, .choice = p }
#define OPTION_FORMAT(n, p)	OPTION_CHOICE(n, "nv04 nv04-dma nvc0", NVFIFO_FORMAT_NV04, p)
#define OPTION_COLOR(n)		OPTION_CHOICE(n, "auto always never", COLOR_AUTO, &color_when)
#define OPTION_MODEL(n, l, p, chip) \
	{ .name = n, .letter = l, .kind = OPTION_IS_MODEL, .text = p, .min = chip }
#define OPTION_CALL(n, l, f, c)	{ .name = n, .letter = l, .kind = OPTION_IS_CALL, .call = f, .ctx = c }
#define OPTION_END		{ .name = NULL }

/* Instead of a largest number of arguments */
#define ARGUMENTS_ANY	(-1)
#define ARGUMENTS_REST	(-2)	/* the first argument ends the options */

/**
 * take_options() - Read a subcommand's options
 * @cmd: the subcommand
 * @rows: its options, at most 24
 * @arguments: largest number of arguments that are not options, or one of the above
 * @argc: as its run() gets them
 * @argv: likewise; the arguments stand from optind on afterwards
 *
 * --help, --version and a mistake end the program.
 */
void take_options(const struct subcommand *cmd, const struct option_row *rows, int arguments,
		  int argc, char **argv);

/* Handles and classes of the options "--class HANDLE=CLASS" so far */
struct class_list {
	struct {
		__u32 handle;
		__u32 oclass;
	} rows[NVFIFO_DECODE_HANDLES];
	size_t count;
};

/* For OPTION_CALL(), with a struct class_list. */
int take_class(const struct subcommand *cmd, void *ctx, const char *arg);

#endif
