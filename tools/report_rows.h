/* SPDX-License-Identifier: MIT */
/* The questions of Documentation/open-questions.rst, and the answers of a test stick's report */
#ifndef NVFIFO_REPORT_ROWS_H
#define NVFIFO_REPORT_ROWS_H

#include "report_file.h"

enum report_row_state {
	ROW_NOT_ASKED,	/* nothing in the report is about it */
	ROW_TO_READ,	/* a text of the report may say something, which only a person can tell */
	ROW_ANSWERED,
};

/**
 * struct report_row - A line of questions.list
 * @state: "settled", "either way" or "open"
 * @part: the parts of the self-test that answer it, as in the page's field "Self-test"
 * @title: the question
 */
struct report_row {
	char state[16];
	char part[160];
	char title[160];
};

/* Walk over questions.list, which *text points into. False after the last one. */
bool report_next_row(const char **text, struct report_row *row);

/**
 * report_row_answer() - Find a report's answer to a question
 * @r: the report
 * @row: the question
 * @answer: out: the answer, or where it may be found
 * @size: size of @answer
 *
 * Return: whether that is an answer.
 */
enum report_row_state report_row_answer(const struct report_file *r, const struct report_row *row,
					char *answer, size_t size);

/* The first name of a line of questions.txt in a row's part, such as "kick". False if there is none. */
bool report_row_name(const struct report_row *row, char *name, size_t size);

#endif
