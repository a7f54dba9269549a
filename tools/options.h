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
	OPTION_IS_FORMAT,
	OPTION_IS_COLOR,
	OPTION_IS_CALL,
};

/**
 * struct option_row - One option; made by the macros below
 * @name: without its dashes
 * @letter: short form, or 0
 * @kind: which of the following members is used
 * @optional: the argument may be missing; @call gets NULL then
 * @flag: set to true
 * @text: set to the argument
 * @number: set to the argument, which is @min to @max
 * @min: least number
 * @max: largest number
 * @unit: of the number in messages, with a blank in front, or ""
 * @chipset: set to the chipset's id
 * @format: set to the format of a pushbuffer
 * @call: gets the argument; returns 0 or an exit code after a message
 * @ctx: for @call
 *
 * A table ends with a row without @name.
 */
struct option_row {
	const char *name;
	char letter;
	enum option_kind kind;
	bool optional;
	bool *flag;
	const char **text;
	unsigned long *number;
	unsigned long min;
	unsigned long max;
	const char *unit;
	__u32 *chipset;
	enum nvfifo_format *format;
	int (*call)(const struct subcommand *cmd, void *ctx, const char *arg);
	void *ctx;
};

#define OPTION_FLAG(n, l, p)	{ .name = n, .letter = l, .kind = OPTION_IS_FLAG, .flag = p }
#define OPTION_TEXT(n, l, p)	{ .name = n, .letter = l, .kind = OPTION_IS_TEXT, .text = p }
#define OPTION_NUMBER(n, l, p, least, most, of) \
	{ .name = n, .letter = l, .kind = OPTION_IS_NUMBER, .number = p, .min = least, \
	  .max = most, .unit = of }
#define OPTION_CHIPSET(n, p)	{ .name = n, .kind = OPTION_IS_CHIPSET, .chipset = p }
#define OPTION_FORMAT(n, p)	{ .name = n, .kind = OPTION_IS_FORMAT, .format = p }
#define OPTION_COLOR(n)		{ .name = n, .kind = OPTION_IS_COLOR }
#define OPTION_CALL(n, l, f, c)	{ .name = n, .letter = l, .kind = OPTION_IS_CALL, .call = f, .ctx = c }
#define OPTION_MAYBE(n, l, f, c) \
	{ .name = n, .letter = l, .kind = OPTION_IS_CALL, .optional = true, .call = f, .ctx = c }
#define OPTION_END		{ .name = NULL }

/* Instead of a largest number of arguments */
#define ARGUMENTS_ANY	(-1)
#define ARGUMENTS_REST	(-2)	/* the first argument ends the options */

/* Instead of an exit code: the subcommand goes on. */
#define OPTIONS_TAKEN	(-1)

/**
 * take_options() - Read a subcommand's options
 * @cmd: the subcommand
 * @rows: its options, at most 24
 * @arguments: largest number of arguments that are not options, or one of the above
 * @argc: as its run() gets them
 * @argv: likewise; the arguments stand from optind on afterwards
 *
 * --help and --version are answered here.
 *
 * Return: OPTIONS_TAKEN, else the exit code to return.
 */
int take_options(const struct subcommand *cmd, const struct option_row *rows, int arguments,
		 int argc, char **argv);

#endif
