/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the functions that explain log lines: they find the fields of a line, and set those
 * of its explanation.
 *
 * The kinds of lines are in the tables of lib/explain: a new one is a row of text. Rows name the
 * functions of the other files.
 */
#ifndef NVFIFO_EXPLAIN_PRIV_H
#define NVFIFO_EXPLAIN_PRIV_H

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_explain.h"
#include "nvfifo_names.h"
#include "nvfifo_priv.h"
#include "nvfifo_reg.h"
#include "nvfifo_table.h"
#include "nvfifo_text.h"

struct ctx {
	struct nvfifo_explanation *e;
	const struct explain_line *kind;
	const char *line;		/* the whole line, whatever "from" leaves of it */
	const char *const *args;	/* of the function, up to NULL */
	__u32 chipset;
	int err;
	char means[240];
	bool declined;
};

/* --- Setting ------------------------------------------------------------- */

static inline void put(struct ctx *c, const char *name, enum nvfifo_value kind, const char *text)
{
	if (nvfifo_row_set(&c->e->fields, name, kind, text, *c->means ? c->means : NULL))
		c->err = -ENOMEM;
	c->means[0] = '\0';
}

__attribute__((format(printf, 3, 4)))
static inline void str(struct ctx *c, const char *name, const char *fmt, ...)
{
	char text[480];
	va_list args;

	va_start(args, fmt);
	if (!strcmp(fmt, "%s")) {
		put(c, name, NVFIFO_VALUE_STRING, va_arg(args, const char *));
	} else {
		vsnprintf(text, sizeof(text), fmt, args);
		put(c, name, NVFIFO_VALUE_STRING, text);
	}
	va_end(args);
}

/* A number in hexadecimal with at least so many digits */
static inline void hexnum(struct ctx *c, const char *name, unsigned int digits, __u64 v)
{
	char text[17], *p = text + sizeof(text) - 1;
	unsigned int n = 0;

	*p = '\0';
	for (; n < digits || v; n++, v >>= 4)
		*--p = "0123456789abcdef"[v & 15];

	put(c, name, NVFIFO_VALUE_STRING, p);
}

static inline void num(struct ctx *c, const char *name, __s64 v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, (int64_t)v);
	put(c, name, NVFIFO_VALUE_NUMBER, text);
}

__attribute__((format(printf, 2, 3)))
static inline void means(struct ctx *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->means, sizeof(c->means), fmt, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3)))
static inline void advise(struct ctx *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->e->advice, sizeof(c->e->advice), fmt, args);
	va_end(args);
}

/* Names of bits as an array of JSON; no name needs an escape. */
static inline void put_bits(struct ctx *c, const char *name, const struct nvfifo_name *table, __u32 v)
{
	char names[600], text[620];
	const char *mark;

	nvfifo_bits_text(table, v, "UNK", "\", \"", names, sizeof(names));
	mark = *names ? "\"" : "";
	snprintf(text, sizeof(text), "[%s%s%s]", mark, names, mark);
	put(c, name, NVFIFO_VALUE_JSON, text);
}

/* --- Finding ------------------------------------------------------------- */

/* @word in @s in any case and not inside of a longer word. Return: the text after it, or NULL. */
static inline const char *find(const char *s, const char *word)
{
	size_t n = strlen(word);
	const char *p;

	for (p = s; *p; p++) {
		/* Most characters differ in more than their case. */
		if ((*p ^ *word) & ~0x20 || strncasecmp(p, word, n))
			continue;
		if (p > s && (isalnum((unsigned char)p[-1]) || p[-1] == '_') &&
		    isalnum((unsigned char)*word))
			continue;
		if ((isalnum((unsigned char)p[n]) || p[n] == '_') &&
		    isalnum((unsigned char)word[n - 1]))
			continue;

		return p + n;
	}

	return NULL;
}

static inline const char *hex_at(const char *s, __u64 *v)
{
	s = nvfifo_text_read(s + strspn(s, " \t:=[("), 16, v);

	/* Do not take a word that begins with a hexadecimal digit. */
	return !s || isalnum((unsigned char)*s) || (*s && strchr("_~#$%^@?&*|", *s)) ? NULL : s;
}

/* Is @text in @s in any case? */
static inline bool has_text(const char *s, const char *text)
{
	size_t n = strlen(text);

	for (; *s; s++) {
		if (!((*s ^ *text) & ~0x20) && !strncasecmp(s, text, n))
			return true;
	}

	return false;
}

/* The hexadecimal number after a name, wherever the name has one. Return: the text after it, or NULL. */
static inline const char *hex(const char *s, const char *name, __u64 *v)
{
	const char *end = NULL;

	*v = 0;
	while (s && !end) {
		s = find(s, name);
		end = s ? hex_at(s, v) : NULL;
	}

	return end;
}

/* The decimal number at @s or after blanks and signs. Return: the text after it, or NULL. */
static inline const char *dec_at(const char *s, __s64 *v)
{
	const char *p = s + strspn(s, " \t:=#");
	const bool minus = *p == '-';
	__u64 number;

	p = nvfifo_text_read(p + minus, 10, &number);
	if (!p || *p == 'x' || number >> 63)
		return NULL;

	*v = minus ? -(__s64)number : (__s64)number;
	return p;
}

/* The number after a name, also directly after it: "TP 4", "TP4" */
static inline const char *dec(const char *s, const char *name, __s64 *v)
{
	const char *p = find(s, name), *at = s;
	const size_t len = strlen(name);

	for (; !p && (at = strstr(at, name)); at += len) {
		if (isdigit((unsigned char)at[len]) && (at == s || strchr(" :-", at[-1])))
			p = at + len;
	}

	return p ? dec_at(p, v) : NULL;
}

/* The text in brackets that begins at @s or after blanks; brackets in it count. */
static inline const char *bracket(const char *s, char *text, size_t size)
{
	const char *from;
	int depth = 1;
	size_t n;

	text[0] = '\0';
	if (!s)
		return NULL;

	s += strspn(s, " \t");
	if (*s != '[')
		return NULL;

	for (from = ++s; *s; s++) {
		depth += (*s == '[') - (*s == ']');
		if (!depth)
			break;
	}

	n = (size_t)(s - from);
	snprintf(text, size, "%.*s", (int)(n < size ? n : size - 1), from);

	return *s ? s + 1 : s;
}

/* The entry of @table whose name is the @len characters at @text, or NULL. */
static inline const struct nvfifo_name *name_of_text(const struct nvfifo_name *table,
						     const char *text, size_t len)
{
	const struct nvfifo_name *n;

	for (n = table; n->name; n++) {
		if (strlen(n->name) == len && !strncmp(text, n->name, len))
			return n;
	}

	return NULL;
}

static inline const char *field(const struct ctx *c, const char *name)
{
	return nvfifo_row_get(&c->e->fields, name);
}

/* A hexadecimal field as a number, 0 if it is not there */
static inline __u32 field_value(const struct ctx *c, const char *name)
{
	return (__u32)nvfifo_text_value(field(c, name), 16);
}

/* --- Rows and functions ---------------------------------------------------- */

/* A function that a row names after "do": @s is the line, or its rest after "from". */
typedef void explain_fn(struct ctx *c, const char *s);

/* A row of a table of texts, such as those of "table errno" */
struct explain_row {
	const char *table;
	const char *key;
	const char *text;
};

/* The next row of a table; @row: the one before, or NULL. Return: NULL after the last. */
const struct explain_row *nvfifo_explain_row(const char *table, const struct explain_row *row);

/* The text of the row with a key, or NULL. */
const char *nvfifo_explain_text(const char *table, const char *key);

/* A table of names of bits or codes, such as "trap_mp" */
const struct nvfifo_name *nvfifo_explain_table(const char *name);

/* Functions that rows name after "do"; the list ends with an entry without name. */
struct explain_function {
	const char *name;
	explain_fn *run;
};

extern const struct explain_function nvfifo_explain_functions[];

/* A channel's descriptor, with so many digits for the address in it */
void nvfifo_explain_desc(struct ctx *c, const char *field, __u64 v, unsigned int digits);

/* The meanings of all bits that are set, as words for the next field. */
void nvfifo_explain_bits_mean(struct ctx *c, const struct nvfifo_name *bits, __u32 v);

/* --- The tables of messages ------------------------------------------------ */

/*
 * Documentation/guides/messages.rst has the language of the tables; the text is in lib/explain, and in
 * files of users. Pointers stay valid, because no table is ever freed.
 */

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
