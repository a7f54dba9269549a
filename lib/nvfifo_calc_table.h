/* SPDX-License-Identifier: MIT */
/* Fields of the calculator's rows, and the tables of lib/calc. Nothing of these is ever freed. */
#ifndef NVFIFO_CALC_TABLE_H
#define NVFIFO_CALC_TABLE_H

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_calc.h"
#include "nvfifo_names.h"
#include "nvfifo_near.h"
#include "nvfifo_priv.h"
#include "nvfifo_reg.h"
#include "nvfifo_table.h"
#include "nvfifo_text.h"

struct calc {
	struct nvfifo_row *r;
	const struct calc_table *table;	/* of the kind */
	unsigned int flags;
	bool encoded;	/* the words were made from fields */
	bool vectors;	/* the fields are those of test vectors */
	int err;
	bool missing;	/* the error is a missing field */
	char *note;
	char means[200];
};

#define HEX 16
#define DEC 10

/* A word of a list with blanks between, upper and lower case being the same */
bool nvfifo_calc_has_word(const char *list, const char *word);

/* --- Reading fields ------------------------------------------------------ */

static inline struct nvfifo_field *find_field(const struct calc *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->r->count; i++) {
		if (!strcmp(c->r->fields[i].name, name))
			return &c->r->fields[i];
	}

	return NULL;
}

/* The value of a field, or NULL. A field that no calculator reads is a mistake in the input. */
static inline const char *field_text(const struct calc *c, const char *name)
{
	struct nvfifo_field *f = find_field(c, name);

	if (!f)
		return NULL;

	f->used = true;
	return f->text;
}

static inline bool has(const struct calc *c, const char *name)
{
	const char *s = field_text(c, name);

	return s && *s;
}

/* Whether one of the names in @list, with blanks between, is there. */
static inline bool has_one_of(const struct calc *c, const char *list)
{
	bool found = false;
	size_t i;

	for (i = 0; i < c->r->count; i++) {
		if (nvfifo_calc_has_word(list, c->r->fields[i].name))
			found |= has(c, c->r->fields[i].name);
	}

	return found;
}

static inline bool number(const char *s, unsigned int base, __u64 max, __u64 *value)
{
	__u64 v;

	s = nvfifo_text_read(s, base == 10 ? 0 : base, &v);
	if (!s || s[strspn(s, " \t\r\n")] || v > max)
		return false;

	*value = v;
	return true;
}

/* A number of JSON is decimal, so one of two digits cannot mean a hexadecimal field. */
static inline void check_json_number(struct calc *c, const char *name)
{
	const struct nvfifo_field *f = find_field(c, name);

	if (!f || f->kind != NVFIFO_VALUE_NUMBER || strlen(f->text) < 2 || c->err)
		return;

	c->err = nvfifo_error(-EINVAL, "%s is hexadecimal, which JSON writes as a string, not as the number %.40s",
			      name, f->text);
}

static inline __u64 opt(struct calc *c, const char *name, unsigned int base, __u64 max, __u64 absent)
{
	const char *s = field_text(c, name);
	__u64 v = absent;

	if (base == HEX)
		check_json_number(c, name);
	if (s && *s && !number(s, base, max, &v) && !c->err)
		c->err = nvfifo_error(-EINVAL,
				      base == HEX ?
					      "%s must be a hexadecimal number up to %" PRIx64
					      ", not '%.40s'" :
					      "%s must be a number up to %" PRIu64 ", not '%.40s'",
				      name, (uint64_t)max, s);

	return v;
}

static inline bool flag(struct calc *c, const char *name, bool absent)
{
	return opt(c, name, DEC, 1, absent) != 0;
}

static inline __u64 need(struct calc *c, const char *name, unsigned int base, __u64 max)
{
	if (!has(c, name) && !c->err) {
		c->missing = true;
		c->err = nvfifo_error(-EINVAL, "%s is missing", name);
	}

	return opt(c, name, base, max, 0);
}

/* A multiple of @align. */
static inline __u64 aligned(struct calc *c, const char *name, __u64 align, __u64 v)
{
	if (v % align && !c->err)
		c->err = nvfifo_error(-EINVAL, "%s must be a multiple of 0x%" PRIx64
				      ", not %" PRIx64, name, (uint64_t)align, (uint64_t)v);
	return v;
}

static inline bool is_one_of(const char *names, const char *s)
{
	size_t n = strlen(s);

	while (*names) {
		size_t m = strcspn(names, "|");

		if (m == n && !strncasecmp(names, s, n))
			return true;
		names += m + (names[m] == '|');
	}

	return false;
}

/* The place of the value in a list of lib/calc */
unsigned int nvfifo_calc_pick(struct calc *c, const char *name, const char *list, unsigned int absent);

/* @least or @most words, with blanks, commas, or the marks of an array of JSON between them */
static inline void words(struct calc *c, const char *name, __u32 *w, unsigned int least, unsigned int most)
{
	const char *s = field_text(c, name), *p = s ? s + strspn(s, " ,[]\"") : "";
	unsigned int n = 0;
	__u64 v;

	while (*p && n <= most) {
		p = nvfifo_text_read(p, HEX, &v);
		if (!p || n == most || v > 0xffffffff || (*p && !strchr(" ,]\"", *p)))
			break;
		w[n++] = (__u32)v;
		p += strspn(p, " ,[]\"");
	}

	if (p && !*p && (n == least || n == most))
		return;

	c->missing = !s || !*s;
	if (!c->err && least == most)
		c->err = nvfifo_error(-EINVAL, "%s must have %u hexadecimal words", name, most);
	else if (!c->err)
		c->err = nvfifo_error(-EINVAL, "%s must have %u or %u hexadecimal words, with ',' or blanks between them",
				      name, least, most);
}

/* Whether the results are those of nouveau where it differs from the documents of the hardware. */
static inline bool is_nouveau(const struct calc *c)
{
	return c->flags & NVFIFO_CALC_NOUVEAU;
}

/* --- Setting fields ------------------------------------------------------ */

/* Are two names synonyms in one of the lists? */
bool nvfifo_calc_are_synonyms(const char *a, const char *b);

/* Does the given text have the same value as the result? */
static inline bool same_value(const char *given, const char *result)
{
	__u64 a, b;

	if (!strcasecmp(given, result))
		return true;

	if (!number(result, HEX, ~0ULL, &b)) {
		/* A number may be given for each name of a list; the words show the rest. */
		return number(given, HEX, ~0ULL, &a) || nvfifo_calc_are_synonyms(given, result);
	}

	if (!number(given, HEX, ~0ULL, &a))
		return false;
	if (a == b)
		return true;

	return number(result, DEC, ~0ULL, &b) && a == b;
}

static inline void check_contradiction(struct calc *c, const char *name, const char *result)
{
	const struct nvfifo_field *f;

	if (c->err || !(c->flags & NVFIFO_CALC_STRICT))
		return;

	f = find_field(c, name);
	if (f && *f->text && !same_value(f->text, result))
		c->err = nvfifo_error(-EINVAL, "%s is given as '%.40s', but the other fields make it '%.40s'",
				      name, f->text, result);
}

static inline void set_text(struct calc *c, const char *name, enum nvfifo_value kind, const char *text)
{
	const char *words_means = *c->means ? c->means : NULL;
	struct nvfifo_field *f;

	check_contradiction(c, name, text);
	if (!c->err && nvfifo_row_set(c->r, name, kind, text, words_means))
		c->err = nvfifo_error(-ENOMEM, "out of memory");
	f = find_field(c, name);
	if (f)
		f->used = true;
	c->means[0] = '\0';
}

__attribute__((format(printf, 4, 5))) static void set(struct calc *c, const char *name,
						      enum nvfifo_value kind, const char *fmt, ...)
{
	char text[96];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	set_text(c, name, kind, text);
}

/* Set the meaning, in words, of the next set(). */
__attribute__((format(printf, 2, 3))) static void means(struct calc *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->means, sizeof(c->means), fmt, args);
	va_end(args);
}

#define STR NVFIFO_VALUE_STRING
#define NUM NVFIFO_VALUE_NUMBER

/* Fields beside the columns of test vectors only where they are wanted. */
static inline bool details(const struct calc *c)
{
	return !c->vectors || c->flags & NVFIFO_CALC_ALL;
}

static inline void note(struct calc *c, const char *text)
{
	snprintf(c->note, 200, "%s", text);
}

/* --- Tables ---------------------------------------------------------------- */

#define CALC_WORDS	8
#define CALC_PARTS	4

/* A value of a field, and its meaning. In a list of names, the names with '|' between them */
struct calc_value {
	const char *key;
	const char *means;
};

/**
 * struct calc_row - A field of words
 * @name: the field
 * @type: how it is written
 * @digits: at least, of a number in hexadecimal
 * @list: first value of its list of names
 * @list_count: how many the list has
 * @values: first value with a meaning of its own
 * @value_count: how many
 * @parts: its bits, the highest first
 * @part_count: how many parts it has
 * @shift: it is a multiple of that power of 2
 * @absent: its value in words that are made without it
 * @needed: words cannot be made without it
 * @only_set: not shown if it is 0
 * @only_decoded: shown if the words were given
 * @last: with the value 0 no more fields are shown
 * @means: its meaning, with {} forms, or NULL
 */
struct calc_row {
	const char *name;
	const struct calc_type *type;
	unsigned int digits;
	size_t list, list_count;
	size_t values, value_count;
	struct {
		unsigned int word, high, low;
	} parts[CALC_PARTS];
	size_t part_count;
	unsigned int shift;
	__u64 absent;
	bool needed;
	bool only_set;
	bool only_decoded;
	bool last;
	const char *means;
};

/* A kind, for the calculator */
struct calc_table {
	struct nvfifo_calc_kind kind;	/* first */
	const char *also;		/* more names, with blanks between */
	const char *carried;		/* columns of test vectors that have no part in the result */
	void (*calc)(struct calc *c);	/* NULL: its rows say all */
	unsigned int bits[CALC_WORDS];
	size_t word_count;
	size_t rows, row_count;
};

/* A type of field: sets it to @v. A type in hexadecimal needs no 0x. */
struct calc_type {
	const char *name;
	bool hex;
	void (*set)(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v);
};

/* Ends with an entry without name. */
extern const struct calc_type nvfifo_calc_types[];

struct calc_function {
	const char *name;
	void (*calc)(struct calc *c);
};

extern const struct calc_function nvfifo_calc_functions[];

/* The words as fields, and the fields of them */
void nvfifo_calc_set_words(struct calc *c, const __u64 *words);
void nvfifo_calc_decode(struct calc *c, const struct calc_table *table, const __u64 *words);

void nvfifo_calc_set_name(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v);

/* All that the rows say, with the words that they make. Return: whether there are words. */
bool nvfifo_calc_table(struct calc *c, __u64 *words);

#endif
