/* SPDX-License-Identifier: MIT */
/* Shared by the subcommands of nvfifo */
#ifndef NVFIFO_TOOLS_H
#define NVFIFO_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "nvfifo.h"

/* Exit codes, the same for every subcommand. */
enum {
	EXIT_OK = 0,		/* done, and everything as expected */
	EXIT_DIFFERENT = 1,	/* done, but something differed */
	EXIT_USAGE = 2,		/* a wrong option, or an error in a file */
	EXIT_DEVICE = 3,	/* no device, or the device or driver refused */
	EXIT_NOT_MODELLED = 4,	/* the model left something out: no result for a card */
};

/**
 * struct subcommand - One of nvfifo's subcommands
 * @name: as typed
 * @summary: one line for "nvfifo --help"
 * @help: text of "nvfifo NAME --help"
 * @run: gets the arguments from the name on; returns an exit code
 */
struct subcommand {
	const char *name;
	const char *summary;
	const char *help;
	int (*run)(int argc, char **argv);
};

extern const struct subcommand cmd_info;
extern const struct subcommand cmd_chips;
extern const struct subcommand cmd_asm;
extern const struct subcommand cmd_disasm;
extern const struct subcommand cmd_dump;
extern const struct subcommand cmd_bench;
extern const struct subcommand cmd_bind;
extern const struct subcommand cmd_unbind;
extern const struct subcommand cmd_calc;
extern const struct subcommand cmd_context;
extern const struct subcommand cmd_explain;
extern const struct subcommand cmd_gl;
extern const struct subcommand cmd_lint;
extern const struct subcommand cmd_methods;
extern const struct subcommand cmd_peek;
extern const struct subcommand cmd_poke;
extern const struct subcommand cmd_report;
extern const struct subcommand cmd_run;
extern const struct subcommand cmd_selftest;
extern const struct subcommand cmd_trace;
extern const struct subcommand cmd_watch;

/* Print an error of the command line, and a pointer to the help. Return: EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int usage_error(const struct subcommand *cmd,
						      const char *fmt, ...);

/* The answer to "--chipset @name" for a name that is none. Return: EXIT_USAGE. */
int bad_chipset(const struct subcommand *cmd, const char *name);

/* End the program with an exit code, or another one if the output could not be written. */
__attribute__((noreturn)) void end_program(int code);

/* @memory, unless it is NULL: the program then ends with a message. */
void *need(void *memory);

/* The command's name and version, for --version. */
void print_version(void);

/* Print the candidates for the last of @words, those after the name of @cmd; it may be empty. */
void complete_subcommand(const struct subcommand *cmd, int count, char **words);

/* Print nvfifo_last_error(). Return: EXIT_DEVICE. */
int device_error(void);

/*
 * Open an input file, or take standard input for "-" and say so if it is a terminal. Return: NULL
 * after a message.
 */
FILE *open_input(const char *path);

/* Close it, unless it is standard input. */
void close_input(FILE *f);

/*
 * Read a whole file, "-" for standard input, into memory of malloc(), with a zero after it. Return:
 * 0, or an exit code after a message.
 */
int read_input(const char *path, char **data, size_t *len);

/**
 * read_tables() - Read tables of a user
 * @path: file, or NULL: nvfifo/@name in $XDG_CONFIG_HOME or ~/.config, if it is there
 * @name: see @path
 * @add: takes the text
 *
 * Return: an exit code; errors are printed.
 */
int read_tables(const char *path, const char *name, int (*add)(const char *name, const char *text));

/**
 * read_pieces() - Read a file from its start to its end without keeping it
 * @path: the file, "-" for standard input
 * @take: gets @len bytes, with @last set at the end; sets @taken to the number of bytes that it has
 *	used, at least all complete lines. Returns 0, or an exit code that ends the reading
 * @ctx: for @take
 *
 * Return: 0, or an exit code after a message.
 */
int read_pieces(const char *path,
		int (*take)(void *ctx, const char *data, size_t len, bool last, size_t *taken),
		void *ctx);

/**
 * debugfs_find() - Find a file of the driver in debugfs
 * @root: path of debugfs
 * @device: a node, a PCI address, or NULL for the first card
 * @name: name of the file
 * @path: out: its path
 * @size: size of @path
 *
 * Return: 0, or an exit code after a message.
 */
int debugfs_find(const char *root, const char *device, const char *name, char *path, size_t size);

/* Advice for a file of debugfs that cannot be opened or read, or "". */
const char *debugfs_advice(int err);

/**
 * devcd_find() - Find the newest device coredump of a card
 * @sysfs: path of sysfs
 * @device: a node, a PCI address, or NULL for any card of the driver
 * @path: out: its path
 * @size: size of @path
 *
 * Return: whether there is one.
 */
bool devcd_find(const char *sysfs, const char *device, char *path, size_t size);

struct nvfifo_reg_ref;
struct nvfifo_json;

/* The fields of a register that are not 0: "  REASSIGN, STATE 3" */
void print_reg_fields(const struct nvfifo_reg_ref *ref, __u32 chipset, __u32 value);

/* All of them as a member of JSON */
void json_reg_fields(struct nvfifo_json *j, const struct nvfifo_reg_ref *ref, __u32 chipset,
		     __u32 value);

/* "002500  00000001  PFIFO.CACHES  REASSIGN", in colours, with the fields that are not 0. */
void print_reg_line(const struct nvfifo_reg_ref *ref, __u32 chipset, __u32 value);

/* Name of the input in messages: the path, or "standard input" for "-" */
const char *input_name(const char *path);

/* The first ones are the choices of --input, in their order. */
enum input {
	INPUT_LOOK,
	INPUT_PROGRAM,
	INPUT_HEX,
	INPUT_BINARY,
	INPUT_CAPTURE,
	INPUT_PASTE,	/* words in another form, for convert_input() */
	INPUT_OTHER_TEXT, /* nothing that the command reads */
};

/**
 * input_is_text() - Whether all of an input is UTF-8 without control characters
 * @data: the input
 * @len: its bytes
 * @at: out: offset of the first byte that is not
 */
bool input_is_text(const char *data, size_t len, size_t *at);

/**
 * look_at_input() - Find out the kind of a file
 * @path: its path, "-" for standard input; "*.nvp" is a program
 * @data: its contents
 * @len: how many bytes
 *
 * UTF-8 without control characters is text. If it is binary for another reason than
 * its name, or text in another encoding, a line on standard error says so.
 *
 * Return: anything but INPUT_LOOK.
 */
enum input look_at_input(const char *path, const char *data, size_t len);

/**
 * convert_input() - Turn words in a form of another tool into hex text or a capture
 * @path: its path, for messages
 * @data: in: the input, from malloc(); out: the result, or freed
 * @len: in and out: its bytes
 * @input: out: INPUT_HEX or INPUT_CAPTURE
 *
 * Return: 0, or an exit code after a message with the forms that are known.
 */
int convert_input(const char *path, char **data, size_t *len, enum input *input);

/* Say that words are those of GF100 or later, if they are. Return: whether they are. */
bool refuse_gf100(const char *path, const char *data, size_t len);

/* Print a mistake in a file with its place. */
void print_diag(const char *path, const struct nvfifo_diag *diag);

/* Whether a file is a text program, by its name or by a line of it. */
bool input_is_program(const char *path, const char *data, size_t len);

/* Say that a file was guessed to hold words, when it turned out to hold something else. */
void explain_words_input(const char *path);

/* "g84", "0x84", "NV84": the chipset id, or 0. */
__u32 parse_chipset(const char *name);

/* A decimal number, or a hexadecimal one with 0x. Return: whether it is one, up to @max. */
bool parse_unsigned(const char *text, unsigned long max, unsigned long *value);

/* A word in hexadecimal, with or without 0x. Return: false if it is none. */
bool parse_word(const char *text, __u32 *value);

/* --color; automatic is: if standard output is a terminal. */
extern unsigned int color_when;
enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum color { COLOR_OFF, COLOR_GOOD, COLOR_BAD, COLOR_HEAD, COLOR_DIM };

/* The escape sequence, or "" without colours. */
const char *color(enum color c);

/* The same if @on, else "". */
const char *color_if(bool on, enum color c);

/* Print @text if @on. */
void print_if(bool on, const char *text);

/* Print the meaning of a value, dimmed, after the value: " # MEANS"; nothing for NULL or "". */
void print_means(const char *means);

#endif
