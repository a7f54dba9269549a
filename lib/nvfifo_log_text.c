// SPDX-License-Identifier: MIT
/*
 * The text of a log as people paste it. A mail program or a terminal has wrapped its lines, or two
 * messages are in one line.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_log_priv.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

/* --- Beginnings of messages ------------------------------------------------ */

static const char *const drivers[] = {
	"nouveau", "nvfifo", "pscnv", "NVRM", "drm_nouveau",
};

bool log_is_driver(const char *line)
{
	size_t i;

	for (i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (strstr(line, drivers[i]))
			return true;
	}

	return false;
}

/* "[   97.536442]" at @s, also with damaged digits. Return: its length, or 0. */
static size_t time_stamp(const char *s)
{
	const char *end;
	size_t i, digits = 0, others = 0;

	if (*s != '[')
		return 0;

	end = strchr(s, ']');
	if (!end || end - s > 24 || end - s < 8 || !memchr(s, '.', (size_t)(end - s)))
		return 0;

	for (i = 1; i < (size_t)(end - s); i++) {
		digits += isdigit((unsigned char)s[i]) != 0;
		others += !isdigit((unsigned char)s[i]) && s[i] != '.' && s[i] != ' ';
	}

	return others <= 1 && digits >= 6 ? (size_t)(end - s) + 1 : 0;
}

/* "nouveau 0000:01:00.0", "nouveau E[", "[drm] nouveau" at @s, also with damaged digits */
bool log_is_driver_prefix(const char *s)
{
	static const char *const old[] = { "nouveau E[", "nouveau W[", "nouveau  [", "[drm] nouveau",
					   "nouveau ![" };
	size_t i, colons = 0;

	if (*s != 'n' && *s != '[')
		return false;

	for (i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
		if (!strncmp(s, old[i], strlen(old[i])))
			return true;
	}

	if (!strncmp(s, "nouveau ", 8))
		s += 8;
	else if (!strncmp(s, "nvfifo ", 7))
		s += 7;
	else
		return false;

	for (i = 0; i < 12 && s[i] > ' '; i++)
		colons += s[i] == ':' || s[i] == '.';

	return i == 12 && colons == 3;
}

/* "Jan  3 07:08:53 " or "2023-01-03T07:08:53" */
static bool is_date(const char *s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char month[4];

	if (strlen(s) < 16)
		return false;

	snprintf(month, sizeof(month), "%.3s", s);
	if (strstr(months, month) && s[3] == ' ' && (isdigit((unsigned char)s[5])) && s[9] == ':')
		return true;

	return isdigit((unsigned char)s[0]) && isdigit((unsigned char)s[3]) && s[4] == '-' && s[7] == '-';
}

size_t log_prefix_len(const char *line)
{
	const char *s = line + strspn(line, " \t"), *colon;
	size_t n;

	if (*s == '<' && isdigit((unsigned char)s[1]) && strchr(s, '>'))
		s = strchr(s, '>') + 1;
	if (is_date(s)) {
		colon = strstr(s + 15, ": ");
		if (!colon)
			return 0;
		s = colon + 2;
	}

	n = time_stamp(s);
	s += n;
	if (n && *s == ' ')
		s++;

	return s == line + strspn(line, " \t") ? 0 : (size_t)(s - line);
}

bool log_is_record_start(const char *line)
{
	size_t i;

	line += strspn(line, " \t>|");
	if (is_date(line) || *line == '<')
		return true;

	for (i = 0; line[i] && i < 60; i++) {
		if (time_stamp(line + i) || log_is_driver_prefix(line + i))
			return true;
	}

	return !strncmp(line, "NVRM", 4) || !strncmp(line, "nouveau:", 8) || !strncmp(line, "kernel:", 7);
}

/* The place of "Jan  3 07:08:53 host kernel: " in front of a time stamp at @at */
static size_t before_stamp(const char *line, size_t at)
{
	size_t i;

	if (at < 8 || strncmp(line + at - 8, "kernel: ", 8))
		return at;

	for (i = at - 8; i > 0 && at - i < 60; i--) {
		if (is_date(line + i))
			return i;
	}

	return at - 8;
}

/* A line of libdrm's dump of a submission */
static bool libdrm_line(const char *s)
{
	if (strncmp(s, "nouveau: ", 9))
		return false;

	s += 9;
	return !strncmp(s, "kernel rejected pushbuf", 23) || (!strncmp(s, "ch", 2) && isdigit((unsigned char)s[2]));
}

/* "PGRAPH_STATUS 00000503 PGRAPH_INTR 00000000": the position of the second name, or 0 */
static size_t second_register(const char *line)
{
	const char *s = line + strspn(line, " \t");
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]"), digits;

	if (*s != 'P' || n < 5 || !memchr(s, '_', n))
		return 0;

	s += n;
	n = strspn(s, " \t:=");
	s += n;
	if (s[0] == '0' && s[1] == 'x')
		s += 2;
	digits = strspn(s, "0123456789abcdefABCDEF");
	s += digits;
	if (!n || digits != 8 || (*s != ' ' && *s != '\t'))
		return 0;

	s += strspn(s, " \t");
	n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]");
	if (*s != 'P' || n < 5 || !memchr(s, '_', n))
		return 0;

	return (size_t)(s - line);
}

size_t log_second_record(const char *line)
{
	bool stamp = false, driver = false;
	size_t i = second_register(line), n;

	if (i)
		return i;

	for (i = 0; line[i]; i++) {
		if (line[i] == '[') {
			n = time_stamp(line + i);
			if (n && (stamp || driver))
				return before_stamp(line, i);
			if (n) {
				stamp = true;
				i += n - 1;
				continue;
			}
		}

		if ((line[i] == 'n' || line[i] == '[') && (log_is_driver_prefix(line + i) || libdrm_line(line + i))) {
			if (driver)
				return i;
			driver = true;
			i += 7;
		}
	}

	return 0;
}

void log_time(const char *line, char *text, size_t size)
{
	size_t i, n;

	text[0] = '\0';
	line += strspn(line, " \t>|");
	for (i = 0; line[i] && i < 60; i++) {
		n = time_stamp(line + i);
		if (n) {
			line += i + 1;
			n -= 2;
			n -= strspn(line, " ");
			line += strspn(line, " ");
			snprintf(text, size, "%.*s", (int)n, line);
			return;
		}
	}

	if (is_date(line))
		snprintf(text, size, "%.*s", isdigit((unsigned char)*line) ? 19 : 15, line);
}

/* --- Wrapped messages ------------------------------------------------------ */

/* A word of a message, or a number with as many digits as messages have. */
static bool is_whole(const char *s, size_t len)
{
	const size_t digits = nvfifo_text_digits(s, 16);

	if (!len)
		return true;
	if (log_is_word(s, len))
		return true;
	if (digits != len)
		return false;

	return len == 1 || len == 2 || len == 4 || len == 6 || len == 8 || len == 10 || len == 16;
}

int log_score(const char *text, __u32 chipset)
{
	struct nvfifo_explanation e;
	int score = 0;
	size_t i;

	if (nvfifo_explain(text, chipset, &e) == 1) {
		score = e.cut ? 10 : 40;
		for (i = 0; i < e.fields.count; i++)
			score += *e.fields.fields[i].text ? 2 : 0;
		if (!strcmp(e.cls, "other_family"))
			score = LOG_SCORE_FOREIGN;
	}

	nvfifo_explanation_free(&e);
	return score;
}

/* Is the line broken inside of a word (cut at a column) or between two (wrapped)? */
static bool is_broken_inside(const char *left, const char *right, size_t width)
{
	const size_t len = strlen(left), n = log_word_len(right);
	char joined[120];
	size_t from = len;

	while (from && (isalnum((unsigned char)left[from - 1]) || left[from - 1] == '_'))
		from--;

	/* Brackets and blanks need no blank between the lines. */
	if (from == len || !n)
		return true;
	if (is_whole(left + from, len - from) && is_whole(right, n))
		return len == width && nvfifo_text_digits(left + from, 16) == len - from && nvfifo_text_digits(right, 16) >= n;

	snprintf(joined, sizeof(joined), "%.50s%.*s", left + from, (int)(n < 50 ? n : 50), right);
	return is_whole(joined, strlen(joined)) || len == width;
}

/* Put a line at the end of the first @len characters of a message. */
static void put_right(char *joined, size_t len, size_t size, bool blank, const char *right)
{
	size_t n = strlen(right);

	if (blank && len + 1 < size)
		joined[len++] = ' ';
	if (n >= size - len)
		n = size - len - 1;
	memcpy(joined + len, right, n);
	joined[len + n] = '\0';
}

/* Both ways to put a line at the end of the message at @joined; the better understood one stays. */
static int join_one(char *joined, size_t size, const char *last, const char *right, size_t width,
		    __u32 chipset)
{
	const size_t len = strlen(joined);
	const bool inside = is_broken_inside(last, right, width);
	int first, second;

	put_right(joined, len, size, inside, right);
	second = log_score(joined, chipset);
	put_right(joined, len, size, !inside, right);
	first = log_score(joined, chipset);
	if (first >= second)
		return first;

	put_right(joined, len, size, inside, right);
	return second;
}

/* Does the line close a bracket that the text leaves open? */
static bool closes_bracket(const char *text, const char *right)
{
	int open = 0;

	for (; *text; text++)
		open += (*text == '[') - (*text == ']');

	return open > 0 && strchr(right, ']') && strcspn(right, "]") < strcspn(right, "[");
}

void log_join(char *const *pieces, size_t count, size_t width, __u32 chipset, size_t *used,
	      char *text, size_t size)
{
	int best = log_score(pieces[0], chipset), score;
	bool closes;
	char *joined = malloc(size);
	size_t i;

	snprintf(text, size, "%s", pieces[0]);
	*used = 1;
	if (!joined)
		return;

	snprintf(joined, size, "%s", pieces[0]);
	for (i = 1; i < count; i++) {
		const char *right = pieces[i];

		/* Marks of a quotation in a mail, or an indentation */
		right += *right == '>' ? 1 + strspn(right + 1, " >") : 0;
		right += strspn(right, " \t") > 1 ? strspn(right, " \t") : 0;
		closes = closes_bracket(joined, right);
		score = join_one(joined, size, pieces[i - 1], right, width, chipset);
		/* A line that says as much alone is a message of its own. */
		if (score < best || (score == best && !closes) || score <= log_score(right, chipset))
			continue;

		best = score;
		*used = i + 1;
		snprintf(text, size, "%s", joined);
	}

	free(joined);
}
