/* SPDX-License-Identifier: MIT */
/* The terminal: its width, and a pager for long output. */
#ifndef NVFIFO_TERMINAL_H
#define NVFIFO_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of the terminal on standard output, 0 if it is none. */
int terminal_columns(void);

/**
 * print_wrapped() - Print a text and a newline, in lines as long as the terminal is wide
 * @text: words with blanks between them
 * @indent: blanks before each line
 * @column: the column in which the text begins, @indent if nothing stands before it
 *
 * Without a terminal it is one line.
 */
void print_wrapped(const char *text, int indent, int column);

/* A text that is printed by pieces and then wrapped */
struct wrap {
	FILE *f;
	char *text;
	size_t size;
};

/* Begin a text. Return: the stream for its pieces. */
FILE *wrap_begin(struct wrap *w);

/* Print the text and a newline, as print_wrapped() does. */
void wrap_end(struct wrap *w, int indent, int column);

/* Is standard output a terminal, with or without a pager? */
bool output_is_terminal(void);

/**
 * pager_start() - Send standard output through a pager from now on
 *
 * The pager is $NVFIFO_PAGER, else $PAGER, else less; "" and cat are none. Without a terminal there
 * is none. The process waits for the pager when it ends.
 */
void pager_start(void);

#endif
