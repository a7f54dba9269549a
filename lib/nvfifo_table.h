/* SPDX-License-Identifier: MIT */
/*
 * Text of tables: lines of words, texts in quotation marks, and a rest. Lines that begin with a
 * blank belong to the line before them; those with two tabs, or eight blanks, to one of these.
 */
#ifndef NVFIFO_TABLE_H
#define NVFIFO_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct nvfifo_table - A text that is being read
 * @name: for errors, a file
 * @line: number of the line
 * @at: the rest of the line
 */
struct nvfifo_table {
	const char *name;
	unsigned int line;
	char *at;
};

/* A text that is in the program; lists of them, which the Makefile writes, end with one without name. */
struct nvfifo_source {
	const char *name;
	const char *text;
};

extern const struct nvfifo_source nvfifo_explain_sources[];
extern const struct nvfifo_source nvfifo_calc_sources[];
extern const struct nvfifo_source nvfifo_board_sources[];

/**
 * nvfifo_table_read() - Read a text line by line
 * @t: the reader, with its name
 * @text: the text, which is changed; the words stay in it
 * @take: takes a line that is neither empty nor a remark; @depth: 0, 1 or 2
 *
 * Return: 0, or the error of @take.
 */
int nvfifo_table_read(struct nvfifo_table *t, char *text, int (*take)(struct nvfifo_table *t, unsigned int depth));

/* The next word, or NULL. In quotation marks there are \t, \" and \\. */
char *nvfifo_table_word(struct nvfifo_table *t);

/* Is the next word in quotation marks? */
bool nvfifo_table_is_quoted(const struct nvfifo_table *t);

bool nvfifo_table_is_end(const struct nvfifo_table *t);

/* The rest of the line */
char *nvfifo_table_rest(struct nvfifo_table *t);

/* Cut "  # MEANING" off a text. Return: the meaning, or NULL. */
char *nvfifo_table_meaning(char *text);

/* Cut "[HIGH:LOW]" off a word. Return: 1 if it was there, 0 if not, -1 if it is wrong. */
int nvfifo_table_bits(char *word, unsigned int *high, unsigned int *low);

/* -EINVAL, with the place in front of the sentence */
__attribute__((format(printf, 2, 3))) int nvfifo_table_error(const struct nvfifo_table *t, const char *fmt, ...);

/* Read the texts of the program; @read_text may change the copy that it gets, and keep it. */
void nvfifo_table_sources(const struct nvfifo_source *source, int (*read_text)(const char *name, char *text));

#endif
