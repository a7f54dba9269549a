/* SPDX-License-Identifier: MIT */
/*
 * The tables of messages. Documentation/guides/messages.rst has their language; the text is in
 * lib/explain, and in files of users. Pointers stay valid, because no table is ever freed.
 */
#ifndef NVFIFO_EXPLAIN_TABLE_H
#define NVFIFO_EXPLAIN_TABLE_H

#include "nvfifo_explain_line.h"
#include "nvfifo_table.h"

#define STEP_NAMES	12

/* Kinds of steps */
enum explain_op {
	STEP_FIELD,	/* FIELD TYPE SOURCE: set a field to a value of the line */
	STEP_TEXT,	/* FIELD = TEXT */
	STEP_ADVICE,	/* => TEXT */
	STEP_FROM,	/* from "TEXT": later steps read the rest of the line */
	STEP_DO,	/* do BLOCK, or do FUNCTION ARGUMENT... */
	STEP_STOP,	/* stop: no more steps */
	STEP_DECLINE,	/* decline: the row is of another kind of line */
};

/**
 * struct explain_step - A step of a row
 * @op: its kind
 * @negate: only if the condition does not hold
 * @on_field: condition: the field is there, and has @on_text if that is not NULL
 * @on_text: condition without @on_field: the line has the text
 * @field: the field to set
 * @type: how to read it
 * @digits: of a number in hexadecimal, at least
 * @table: names of bits or codes
 * @source: the field that has the value, or NULL: the line has it after one of @names
 * @names: words of the line; for STEP_DO arguments
 * @low: the lowest bit of the value that counts
 * @mask: of the bits that count, after a shift to the right
 * @text: of STEP_TEXT, STEP_ADVICE and STEP_FROM
 * @means: the value in words, or NULL
 * @run: of STEP_DO: the function, or NULL: the block
 * @first: first step of the block
 * @count: how many it has
 */
struct explain_step {
	enum explain_op op;
	bool negate;
	const char *on_field;
	const char *on_text;
	const char *field;
	const struct explain_type *type;
	unsigned int digits;
	const struct nvfifo_name *table;
	const char *source;
	const char *names[STEP_NAMES];
	unsigned int low;
	__u64 mask;
	const char *text;
	const char *means;
	explain_fn *run;
	unsigned int first;
	unsigned int count;
};

/* The word after a type */
enum explain_argument {
	ARGUMENT_NONE,
	ARGUMENT_DIGITS,
	ARGUMENT_TABLE,
	ARGUMENT_REGISTER,
};

/**
 * struct explain_type - How to read a value
 * @name: in a table
 * @argument: the word after it
 * @value: sets the field to a number that was read, or NULL
 * @text: sets the field from the line at @s, for types that read no hexadecimal number
 */
struct explain_type {
	const char *name;
	enum explain_argument argument;
	void (*value)(struct ctx *c, const struct explain_step *step, __u64 v);
	void (*text)(struct ctx *c, const struct explain_step *step, const char *s);
};

/* Ends with an entry without name. */
extern const struct explain_type nvfifo_explain_types[];

/* Tables of names of bits and codes; ends with an entry without name. */
struct explain_names {
	const char *name;
	const struct nvfifo_name *table;
};

extern const struct explain_names nvfifo_explain_names[];

/* A kind of line: the first whose texts are all in the line explains it, unless a step declines. */
struct explain_line {
	const char *cls;
	const char *driver;
	const char *anchor;
	const char *also;	/* in any case of its letters, or NULL */
	const char *last;	/* a line without it is cut; ']' is the end of a bracket; or NULL */
	unsigned int digits;	/* of the number after @last */
	unsigned int first;	/* step */
	unsigned int count;
};

/* The rows have changed: in nvfifo_explain.c. */
void nvfifo_explain_index(void);

/* All kinds, those of users first. Return: how many. */
size_t nvfifo_explain_lines(const struct explain_line **lines);

/* Do @count steps. Return: false if one of them ended the row. */
bool nvfifo_explain_steps(struct ctx *c, const char *s, unsigned int first, unsigned int count);

const struct explain_step *nvfifo_explain_step(unsigned int number);

#endif
