// SPDX-License-Identifier: MIT
/*
 * The stick puts the list of questions into the report, so that rows and answers are of one commit.
 * A row names lines of questions.txt (``kick``), steps of the self-test (steps 5, 12), or texts.
 */
#include "nvfifo_text.h"
#include "report_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Take a field that ends with a tab or the line. Return: the next field. */
static const char *take_field(const char *text, char *field, size_t size)
{
	size_t len = strcspn(text, "\t\n");

	snprintf(field, size, "%.*s", (int)len, text);
	text += len;

	return text + (*text == '\t');
}

bool report_next_row(const char **text, struct report_row *row)
{
	const char *rest = *text;

	if (!*rest)
		return false;

	rest = take_field(rest, row->state, sizeof(row->state));
	rest = take_field(rest, row->part, sizeof(row->part));
	take_field(rest, row->title, sizeof(row->title));
	nvfifo_text_line(text, NULL, 0);

	return true;
}

bool report_row_name(const struct report_row *row, char *name, size_t size)
{
	const char *quote = strstr(row->part, "``");
	size_t len = quote ? strcspn(quote + 2, "`") : 0;

	snprintf(name, size, "%.*s", (int)len, quote ? quote + 2 : "");

	return len;
}

/* --- What the parts say --------------------------------------------------- */

static void append(char *answer, size_t size, const char *text, size_t len)
{
	size_t used = strlen(answer);

	snprintf(answer + used, size - used, "%s%.*s", used ? "; " : "", (int)len, text);
}

/* Take the answer of a line of questions.txt, "  kick     a kick: ended 8 times". */
static bool line_answer(const struct report_file *r, const char *name, char *answer, size_t size)
{
	const char *line = report_text(r, "questions.txt");

	char text[300], *said;

	while (nvfifo_text_line(&line, text, sizeof(text))) {
		if (!has_prefix(text, "  ") || !has_prefix(text + 2, name) || text[2 + strlen(name)] != ' ')
			continue;

		said = strstr(text, ": ");
		if (!said || strstr(said, "was not read") || strstr(said, "never happened"))
			return false;

		append(answer, size, text + 2, strlen(name));
		snprintf(answer + strlen(answer), size - strlen(answer), "%s", said);
		return true;
	}

	return false;
}

/* The self-test with the most steps */
static const char *selftest_text(const struct report_file *r)
{
	const char *text = report_text(r, "faults.txt");

	return *text ? text : report_text(r, "selftest.txt");
}

/* Find a step, " 5 ok          2647 us  a NOP is executed". "driver" ends the steps. */
static bool step_answer(const struct report_file *r, unsigned long step, char *answer, size_t size)
{
	const char *line = selftest_text(r);

	char verdict[16], said[60], text[60];
	unsigned long number;

	while (nvfifo_text_line(&line, text, sizeof(text)) && !has_prefix(text, "driver ")) {
		if (sscanf(text, "%lu %15s", &number, verdict) != 2 || number != step)
			continue;
		if (strcmp(verdict, "ok") && strcmp(verdict, "failed"))
			return false;

		snprintf(said, sizeof(said), "step %lu: %s", step, verdict);
		append(answer, size, said, strlen(said));
		return true;
	}

	return false;
}

/* All names in `` `` and all numbers of a part */
static bool parts_answer(const struct report_file *r, const char *part, char *answer, size_t size)
{
	bool found = false;

	while (*part) {
		__u64 step;

		if (has_prefix(part, "``")) {
			char name[40];
			size_t len = strcspn(part + 2, "`");

			snprintf(name, sizeof(name), "%.*s", (int)len, part + 2);
			found |= line_answer(r, name, answer, size);
			part += 2 + len + strspn(part + 2 + len, "`");
		} else if (isdigit((unsigned char)*part)) {
			part = nvfifo_text_read(part, 10, &step);
			found |= step_answer(r, (unsigned long)step, answer, size);
		} else {
			part++;
		}
	}

	return found;
}

/* "stage 5 load with INTx: ok, ...": the last stage that loads the driver */
static bool probe_answer(const struct report_file *r, char *answer, size_t size)
{
	const char *line = report_text(r, "result.txt"), *found = NULL;

	for (; *line; nvfifo_text_line(&line, NULL, 0))
		if (has_prefix(line, "stage ") && has_prefix(line + strcspn(line + 6, " \n") + 6, " load with"))
			found = line;

	if (found)
		append(answer, size, found, nvfifo_text_line_len(found));

	return found;
}

/* A title that names a chip or the IGPs is about no other. */
static bool is_about_chip(const struct report_file *r, const char *title)
{
	static const struct {
		const char *word, *chip;
	} limits[] = {
		{ "IGP", "MCP" },
		{ "stolen memory", "MCP" },
		{ "of G80", "G80" },
		{ "MCP89", "MCP89" },
	};
	char chip[40];
	size_t i;

	report_value(r, "chip", chip, sizeof(chip));
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (strstr(title, limits[i].word) && !has_prefix(chip, limits[i].chip))
			return false;

	return !strstr(title, "(G84 and later)") || strcmp(chip, "G80");
}

enum report_row_state report_row_answer(const struct report_file *r, const struct report_row *row,
					char *answer, size_t size)
{
	*answer = '\0';
	if (!is_about_chip(r, row->title)) {
		snprintf(answer, size, "not about this chip");
		return ROW_NOT_ASKED;
	}
	if (parts_answer(r, row->part, answer, size))
		return ROW_ANSWERED;
	if (!strcmp(row->part, "probe") && probe_answer(r, answer, size))
		return ROW_ANSWERED;
	if (strstr(row->part, "the kernel log") && *report_text(r, "dmesg.txt")) {
		snprintf(answer, size, "see dmesg.txt");
		return ROW_TO_READ;
	}
	if (strstr(row->part, "the channel's line") && *selftest_text(r)) {
		snprintf(answer, size, "see the line of the channel in selftest.txt");
		return ROW_TO_READ;
	}

	if (!strcmp(row->part, "none"))
		snprintf(answer, size, "the self-test has no part that shows it");
	else
		snprintf(answer, size, "the test did not come to %s", row->part);

	return ROW_NOT_ASKED;
}
