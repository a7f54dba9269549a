/* SPDX-License-Identifier: MIT */
/* The tables of lib/calc: words and their fields. Nothing of it is ever freed. */
#ifndef NVFIFO_CALC_TABLE_H
#define NVFIFO_CALC_TABLE_H

#include "nvfifo_calc_field.h"
#include "nvfifo_table.h"

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

/* A word of a list with blanks between, upper and lower case being the same */
bool nvfifo_calc_has_word(const char *list, const char *word);

/* Our name for a field that others call @name, or NULL */
const char *nvfifo_calc_usual(const char *name);

/* Fields into words, if there is one of them, else the words that are given. Return: whether there are words. */
bool nvfifo_calc_words(struct calc *c, __u64 *words);

/* The words as fields, and the fields of them */
void nvfifo_calc_set_words(struct calc *c, const __u64 *words);
void nvfifo_calc_decode(struct calc *c, const struct calc_table *table, const __u64 *words);

void nvfifo_calc_set_name(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v);

/* All that the rows say; for kinds without a function */
void nvfifo_calc_table(struct calc *c);

/* lib/calc, written by the Makefile */
extern const struct nvfifo_source nvfifo_calc_sources[];

#endif
