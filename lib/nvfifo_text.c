// SPDX-License-Identifier: MIT
/* Text of other programs: numbers, lines, and the additions of mail, terminals and browsers. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_text.h"

/* --- Numbers ----------------------------------------------------------------- */

const char *nvfifo_text_skip(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;

	return s;
}

/* One more than the value of a digit; a dump of a pushbuffer has millions of them. */
static const unsigned char digit_values[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9,
	['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

unsigned int nvfifo_text_digit(char c)
{
	return digit_values[(unsigned char)c] - 1u;
}

size_t nvfifo_text_digits(const char *s, unsigned int base)
{
	size_t n = 0;

	while (nvfifo_text_digit(s[n]) < base)
		n++;

	return n;
}

bool nvfifo_text_is_0x(const char *s)
{
	return s[0] == '0' && (s[1] | 0x20) == 'x';
}

bool nvfifo_text_number(const char *s, size_t len, unsigned int base, __u64 *v)
{
	unsigned int digit;
	__u64 number = 0;
	size_t i;

	*v = 0;
	for (i = 0; i < len; i++) {
		digit = nvfifo_text_digit(s[i]);
		/* Fewer digits always fit, and a division takes long. */
		if (digit >= base || (i >= 15 && number > (~0ull - digit) / base))
			return false;
		number = number * base + digit;
	}

	*v = number;
	return len;
}

const char *nvfifo_text_hex(const char *s, __u64 *v, size_t *digits)
{
	s = nvfifo_text_skip(s);
	if (nvfifo_text_is_0x(s))
		s += 2;
	*digits = nvfifo_text_digits(s, 16);
	if (!nvfifo_text_number(s, *digits, 16, v))
		return NULL;

	return s + *digits;
}

const char *nvfifo_text_read(const char *s, unsigned int base, __u64 *v)
{
	size_t len;

	while (isspace((unsigned char)*s))
		s++;

	if ((!base || base == 16) && nvfifo_text_is_0x(s) && nvfifo_text_digit(s[2]) < 16) {
		base = 16;
		s += 2;
	}

	if (!base)
		base = 10;
	len = nvfifo_text_digits(s, base);

	return nvfifo_text_number(s, len, base, v) ? s + len : NULL;
}

__u64 nvfifo_text_value(const char *s, unsigned int base)
{
	__u64 v = 0;

	if (s)
		nvfifo_text_read(s, base, &v);

	return v;
}

bool nvfifo_text_whole(const char *s, size_t len, unsigned int base, __u64 max, __u64 *v)
{
	if ((!base || base == 16) && len > 2 && nvfifo_text_is_0x(s)) {
		base = 16;
		s += 2;
		len -= 2;
	}

	return nvfifo_text_number(s, len, base ? base : 10, v) && *v <= max;
}

/* --- Lines ------------------------------------------------------------------- */

const char *nvfifo_text_line_end(const char *s, const char *end)
{
	const char *newline = memchr(s, '\n', (size_t)(end - s));

	return newline ? newline : end;
}

const char *nvfifo_text_next_line(const char *s, const char *end)
{
	s = nvfifo_text_line_end(s, end);

	return s + (s < end);
}

size_t nvfifo_text_whole_lines(const char *s, size_t len)
{
	const char *newline = memrchr(s, '\n', len);

	return newline ? (size_t)(newline - s) + 1 : 0;
}

size_t nvfifo_text_line_len(const char *s)
{
	return strcspn(s, "\n");
}

bool nvfifo_text_line(const char **s, char *line, size_t size)
{
	const size_t len = nvfifo_text_line_len(*s), shown = len - (len && (*s)[len - 1] == '\r');

	if (line)
		snprintf(line, size, "%.*s", (int)shown, *s);
	if (!**s)
		return false;

	*s += len + ((*s)[len] == '\n');

	return true;
}

const char *nvfifo_text_word(const char *list, size_t i, char *word, size_t size)
{
	for (; i && *list; i--) {
		list += strcspn(list, " ");
		list += strspn(list, " ");
	}

	snprintf(word, size, "%.*s", (int)strcspn(list, " "), list);
	return *list ? word : NULL;
}

void nvfifo_text_add(char *text, size_t size, const char *fmt, ...)
{
	const size_t used = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + used, size - used, fmt, args);
	va_end(args);
}

void nvfifo_text_chomp(char *line)
{
	line[nvfifo_text_line_len(line)] = '\0';
}

bool nvfifo_text_file_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");

	*line = '\0';
	if (!f)
		return false;

	if (!fgets(line, (int)size, f))
		*line = '\0';
	fclose(f);
	nvfifo_text_chomp(line);

	return *line;
}

__u64 nvfifo_text_file(const char *path, unsigned int base)
{
	char line[32];

	nvfifo_text_file_line(path, line, sizeof(line));

	return nvfifo_text_value(line, base);
}

bool nvfifo_piece_is(const struct nvfifo_piece *p, const char *word)
{
	return p->len == strlen(word) && !memcmp(p->start, word, p->len);
}

/* --- Additions to a line ------------------------------------------------------ */

/* Texts, in any case, and the sign of each */
static const struct {
	const char *text;
	char sign;	/* 0: nothing */
} signs[] = {
	{ "&gt;", '>' }, { "&lt;", '<' }, { "&amp;", '&' }, { "&nbsp;", ' ' }, { "&quot;", '"' },
	{ "&#91;", '[' }, { "&#93;", ']' }, { "&#39;", '\'' }, { "&#160;", ' ' }, { "&#9;", ' ' },
	{ "<pre>", 0 }, { "</pre>", 0 }, { "<code>", 0 }, { "</code>", 0 }, { "<br>", 0 },
	{ "<br/>", 0 }, { "<br />", 0 }, { "<p>", 0 }, { "</p>", 0 }, { "[code]", 0 },
	{ "[/code]", 0 }, { "[pre]", 0 }, { "[/pre]", 0 }, { "[quote]", 0 }, { "[/quote]", 0 },
	{ "\xc2\xa0", ' ' }, { "\xe2\x80\xaf", ' ' }, { "\xe2\x80\x89", ' ' },
	{ "\xef\xbb\xbf", 0 }, { "\xe2\x80\x8b", 0 },
};

/* "ESC[1;31m", or "^[[1;31m" as cat -v has it. Return: its length, or 0. */
static size_t color_len(const char *s)
{
	size_t n;

	if (s[0] == '\x1b' && s[1] == '[')
		n = 2;
	else if (!strncmp(s, "^[[", 3))
		n = 3;
	else
		return 0;

	n += strspn(s + n, "0123456789;");
	return s[n] == 'm' || s[n] == 'K' ? n + 1 : 0;
}

/* The length of a sign in another form, or 0. @sign: out: the sign, 0 for none */
static size_t sign_len(const char *s, char *sign)
{
	size_t i, n = color_len(s);

	*sign = 0;
	if (n)
		return n;

	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		n = strlen(signs[i].text);
		if (*s == signs[i].text[0] && !strncasecmp(s, signs[i].text, n)) {
			*sign = signs[i].sign;
			return n;
		}
	}

	return 0;
}

/* Marks of a quotation ("> > "), of a table ("| "), or of a list ("- ", "* ") before a number */
static size_t marks_len(const char *s)
{
	size_t n = strspn(s, " \t"), mark = n;

	while (s[mark] == '>' || s[mark] == '|') {
		n = mark + 1 + strspn(s + mark + 1, " ");
		mark = n;
	}

	if ((s[n] == '-' || s[n] == '*') && s[n + 1] == ' ' && isxdigit((unsigned char)s[n + 2]))
		n += 2;

	return n;
}

bool nvfifo_text_clean(char *s)
{
	const char *from;
	bool changed = false;
	char *to = s, sign;
	size_t n;

	for (from = s; *from; from += n) {
		n = 0;
		if (*from == '<' || *from == '[' || *from == '&' || *from == '^' || *from == '\x1b' ||
		    *from & 0x80)
			n = sign_len(from, &sign);
		if (!n) {
			*to++ = *from;
			n = 1;
			continue;
		}
		if (sign)
			*to++ = sign;
		changed = true;
	}

	while (to > s && isspace((unsigned char)to[-1]))
		to--;
	*to = '\0';

	n = marks_len(s);
	if (n > strspn(s, " \t")) {
		memmove(s, s + n, strlen(s + n) + 1);
		changed = true;
	}

	return changed;
}
