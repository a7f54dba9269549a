/* SPDX-License-Identifier: MIT */
/*
 * A row: named values in order, read from a line of CSV or JSON and written
 * back. The calculator, the explainer and the trace parser work on rows.
 */
#ifndef NVFIFO_ROW_H
#define NVFIFO_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum nvfifo_value - How a value is written in JSON
 * @NVFIFO_VALUE_STRING: with quotation marks
 * @NVFIFO_VALUE_NUMBER: as it is
 * @NVFIFO_VALUE_JSON: text of JSON: an array, an object, true, false, null
 */
enum nvfifo_value {
	NVFIFO_VALUE_STRING,
	NVFIFO_VALUE_NUMBER,
	NVFIFO_VALUE_JSON,
};

struct nvfifo_field {
	char *name;
	char *text;
	char *means;	/* in words, or NULL */
	enum nvfifo_value kind;
	bool used;	/* nvfifo_calc() has looked at it, or set it */
};

struct nvfifo_row_texts;

struct nvfifo_row {
	struct nvfifo_field *fields;
	size_t count;
	size_t room;
	struct nvfifo_row_texts *texts;	/* of the fields */
};

/* The value of a field, or NULL. */
const char *nvfifo_row_get(const struct nvfifo_row *r, const char *name);

/**
 * nvfifo_row_set() - Change a field, or add it at the end
 * @r: row
 * @name: field
 * @kind: how JSON writes it; a field that exists keeps its own
 * @text: value
 * @means: the same in words, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_row_set(struct nvfifo_row *r, const char *name, enum nvfifo_value kind,
		      const char *text, const char *means);
void nvfifo_row_free(struct nvfifo_row *r);

/**
 * nvfifo_row_from_json() - Read an object of JSON
 * @r: out: its members are added; values that are objects or arrays stay text
 * @text: the object, blanks around it are allowed
 * @len: its length
 * @at: out: where reading stopped, for the message
 *
 * Return: 0, -EINVAL if it is no object, -ENOMEM.
 */
int nvfifo_row_from_json(struct nvfifo_row *r, const char *text, size_t len, size_t *at);

/**
 * nvfifo_json_next() - Walk over an array of JSON
 * @p: in: text of the array, or its rest after an earlier call
 * @item: out: the value: a string without its marks and escapes, else its text
 * @size: size of @item; longer values are cut
 *
 * Return: whether there was one more.
 */
bool nvfifo_json_next(const char **p, char *item, size_t size);

/**
 * nvfifo_csv_split() - Cut a line of CSV into its values, in place
 * @line: zero terminated, without its newline; overwritten
 * @values: out: the values
 * @max: how many at most
 *
 * Return: how many there are, or @max + 1 if there are more.
 */
size_t nvfifo_csv_split(char *line, char **values, size_t max);

/* An object in one line, without newline; @means adds NAME_means for the words. */
void nvfifo_row_write_json(FILE *f, const struct nvfifo_row *r, bool means);

/* A value, with quotation marks if CSV needs them. */
void nvfifo_csv_write(FILE *f, const char *s);

#ifdef __cplusplus
}
#endif

#endif
