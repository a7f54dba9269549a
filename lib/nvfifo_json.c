// SPDX-License-Identifier: MIT
/* JSON: the reader and the writer of this tree, and its rows. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_json.h"
#include "nvfifo_row.h"
#include "nvfifo_text.h"

/* Deep enough for everything real, and no way to overflow the stack. */
#define DEPTH_MAX 32

/* --- Reading ------------------------------------------------------------- */

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r'))
		s++;
	return s;
}

/* Return: the end of the string at @s, or NULL. */
static const char *skip_string(const char *s, const char *end)
{
	for (s++; s < end && *s != '"'; s++) {
		if (*s == '\\')
			s++;
	}
	return s < end ? s + 1 : NULL;
}

static bool is_scalar(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '+' || c == '-' || c == '.';
}

/* Return: the end of the value at @s, or NULL. Brackets must match, no more is checked. */
static const char *skip_value(const char *s, const char *end)
{
	char stack[DEPTH_MAX];
	unsigned int depth = 0;

	while (s < end) {
		const char *from = s;

		if (*s == '"') {
			s = skip_string(s, end);
			if (!s)
				return NULL;
		} else if (*s == '{' || *s == '[') {
			if (depth == DEPTH_MAX)
				return NULL;
			stack[depth++] = *s++ == '{' ? '}' : ']';
		} else if (depth && *s == stack[depth - 1]) {
			depth--;
			s++;
		} else if (depth && (*s == ',' || *s == ':')) {
			s++;
		} else {
			while (s < end && is_scalar(*s))
				s++;
			if (s == from)
				return NULL;
		}

		if (!depth)
			return s;

		s = skip_blanks(s, end);
	}

	return NULL;
}

static int hex4(const char *s, const char *end)
{
	__u64 v;

	/* No "0x" fits before four digits of a code point. */
	if (end - s < 4 || nvfifo_text_is_0x(s) || !nvfifo_text_whole(s, 4, 16, 0xffff, &v))
		return -1;

	return (int)v;
}

/* The string between @s and @end, without its escapes. Return: its length. */
static size_t unescape(const char *s, const char *end, char *out, size_t size)
{
	size_t n = 0;

	while (s < end && n + 4 < size) {
		int v;

		if (*s != '\\' || s + 1 == end) {
			out[n++] = *s++;
			continue;
		}

		s += 2;
		switch (s[-1]) {
		case 'n':
			out[n++] = '\n';
			break;
		case 't':
			out[n++] = '\t';
			break;
		case 'u':
			v = hex4(s, end);
			if (v < 0)
				break;
			s += 4;
			if (v < 0x80) {
				out[n++] = (char)(v ? v : '?');
			} else if (v < 0x800) {
				out[n++] = (char)(0xc0 | v >> 6);
				out[n++] = (char)(0x80 | (v & 0x3f));
			} else {
				out[n++] = (char)(0xe0 | v >> 12);
				out[n++] = (char)(0x80 | (v >> 6 & 0x3f));
				out[n++] = (char)(0x80 | (v & 0x3f));
			}
			break;
		default:
			out[n++] = s[-1];
		}
	}

	out[n] = '\0';
	return n;
}

static char *copy_string(const char *s, const char *end)
{
	size_t size = (size_t)(end - s) + 8;
	char *out = malloc(size);

	if (out)
		unescape(s, end, out, size);

	return out;
}

/* One "name": value. Return: the text after it, or NULL with the reason in *@ret. */
static const char *read_member(struct nvfifo_row *r, const char *s, const char *end, int *ret)
{
	const char *after, *value;
	enum nvfifo_value kind;
	char *name, *text;

	*ret = -EINVAL;
	if (s == end || *s != '"')
		return NULL;

	after = skip_string(s, end);
	if (!after)
		return NULL;

	value = skip_blanks(after, end);
	if (value == end || *value != ':')
		return NULL;

	value = skip_blanks(value + 1, end);
	name = copy_string(s + 1, after - 1);
	after = value < end ? skip_value(value, end) : NULL;
	if (!name || !after) {
		free(name);
		return NULL;
	}

	kind = NVFIFO_VALUE_JSON;
	if (*value == '"')
		kind = NVFIFO_VALUE_STRING;
	else if ((*value >= '0' && *value <= '9') || *value == '-')
		kind = NVFIFO_VALUE_NUMBER;
	text = kind == NVFIFO_VALUE_STRING ? copy_string(value + 1, after - 1) :
					     strndup(value, (size_t)(after - value));
	*ret = text ? nvfifo_row_set(r, name, kind, text, NULL) : -ENOMEM;
	free(name);
	free(text);

	return *ret ? NULL : after;
}

int nvfifo_row_from_json(struct nvfifo_row *r, const char *text, size_t len, size_t *at)
{
	const char *end = text + len, *s = skip_blanks(text, end), *next;
	int ret = 0;

	*at = (size_t)(s - text);
	if (s == end || *s != '{')
		return -EINVAL;

	s = skip_blanks(s + 1, end);
	while (s < end && *s != '}') {
		*at = (size_t)(s - text);
		next = read_member(r, s, end, &ret);
		if (!next)
			return ret;

		s = skip_blanks(next, end);
		if (s < end && *s == ',')
			s = skip_blanks(s + 1, end);
		else
			break;
	}

	*at = (size_t)(s - text);
	if (s == end || *s != '}')
		return -EINVAL;

	s = skip_blanks(s + 1, end);
	*at = (size_t)(s - text);

	return s == end ? 0 : -EINVAL;
}

bool nvfifo_json_next(const char **p, char *item, size_t size)
{
	const char *end = *p + strlen(*p), *s = skip_blanks(*p, end), *after;

	if (s == end || (*s != '[' && *s != ','))
		return false;

	s = skip_blanks(s + 1, end);
	if (s == end || *s == ']')
		return false;

	after = skip_value(s, end);
	if (!after)
		return false;

	if (*s == '"') {
		unescape(s + 1, after - 1, item, size);
	} else {
		size_t n = (size_t)(after - s) < size ? (size_t)(after - s) : size - 1;

		memcpy(item, s, n);
		item[n] = '\0';
	}

	*p = after;
	return true;
}

/* --- Writing ------------------------------------------------------------- */

/* Length of the UTF-8 character at @s, which is no ASCII, or 0. */
static size_t utf8_character(const char *s)
{
	/* Lowest values of characters of so many bytes: longer forms are wrong. */
	static const __u32 lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char c = (unsigned char)*s;
	unsigned int len = 2 + (c >= 0xe0) + (c >= 0xf0), i;
	__u32 value = c & (0xffu >> (len + 1));

	if (c < 0xc2 || c > 0xf4)
		return 0;

	for (i = 1; i < len; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | ((unsigned char)s[i] & 0x3f);
	}

	/* No halves of UTF-16 pairs, nothing above Unicode's end */
	if (value < lowest[len] || (value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
		return 0;

	return len;
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* A character that is not plain: its escape, or its bytes. @len: out: its bytes at @s. */
static char *escape(char *out, const char *s, size_t *len)
{
	const unsigned char c = (unsigned char)*s;

	*len = 1;
	if (c == '"' || c == '\\') {
		*out++ = '\\';
		*out++ = (char)c;
	} else if (c < 0x80) {
		memcpy(out, "\\u", 2);
		out = nvfifo_put_digits(out + 2, c, 4);
	} else if (utf8_character(s)) {
		*len = utf8_character(s);
		memcpy(out, s, *len);
		out += *len;
	} else {
		memcpy(out, "\\ufffd", 6);
		out += 6;
	}

	return out;
}

/* Bytes that a character may need */
#define ESCAPE_MAX	8

/*
 * Copy text with its escapes, up to its end or to the end of the room, and set *@s to the rest. A byte that is
 * not UTF-8 becomes U+FFFD, so the output is always UTF-8. Return: bytes written to @out.
 */
static size_t escape_text(const char **s, char *out, size_t room)
{
	char *at = out, *end = out + room;
	const char *from = *s;
	size_t len;

	while (*from && end - at >= ESCAPE_MAX) {
		if (is_plain((unsigned char)*from)) {
			*at++ = *from++;
			continue;
		}

		at = escape(at, from, &len);
		from += len;
	}

	*s = from;
	return (size_t)(at - out);
}

/* --- Values in a file ----------------------------------------------------- */

static void flush(struct nvfifo_json *j)
{
	if (!j->f)
		return;

	fwrite_unlocked(j->text->out, 1, j->text->used, j->f);
	j->text->used = 0;
}

/* Room for @len bytes, which is less than the buffer has. */
static char *room(struct nvfifo_json *j, size_t len)
{
	if (j->text->room - j->text->used < len)
		flush(j);

	return j->text->out + j->text->used;
}

static void put(struct nvfifo_json *j, const char *text, size_t len)
{
	if (len > j->text->room) {
		flush(j);
		fwrite_unlocked(text, 1, len, j->f);
		return;
	}

	memcpy(room(j, len), text, len);
	j->text->used += len;
}

static void put_string(struct nvfifo_json *j, const char *s)
{
	struct nvfifo_json_text *t = j->text;

	put(j, "\"", 1);
	while (*s) {
		room(j, 256);
		t->used += escape_text(&s, t->out + t->used, t->room - t->used);
	}

	put(j, "\"", 1);
}

static void put_name(struct nvfifo_json *j, const char *key, size_t len)
{
	char *s = room(j, len + 4);

	if (j->more[j->depth])
		*s++ = ',';
	j->more[j->depth] = true;
	if (key) {
		*s++ = '"';
		memcpy(s, key, len);
		s += len;
		*s++ = '"';
		*s++ = ':';
	}

	j->text->used = (size_t)(s - j->text->out);
}

static void put_key(struct nvfifo_json *j, const char *key)
{
	put_name(j, key, key ? strlen(key) : 0);
}

/* End a value. A value outside of all brackets is complete. */
static void end_value(struct nvfifo_json *j)
{
	if (!j->depth)
		flush(j);
}

void nvfifo_json_open(struct nvfifo_json *j, const char *key, char bracket)
{
	put_key(j, key);
	put(j, &bracket, 1);
	j->more[++j->depth] = false;
}

void nvfifo_json_close(struct nvfifo_json *j, char bracket)
{
	put(j, &bracket, 1);
	j->depth--;
	if (!j->depth)
		flush(j);
}

void nvfifo_json_end(struct nvfifo_json *j, char bracket)
{
	put(j, &bracket, 1);
	put(j, "\n", 1);
	j->depth--;
	j->more[0] = false;
	flush(j);
}

/* The name of the next value's member if it comes from the input; the value's @key is NULL. */
static void put_input_name(struct nvfifo_json *j, const char *name)
{
	put_key(j, NULL);
	put_string(j, name);
	put(j, ":", 1);
	j->more[j->depth] = false;
}

void nvfifo_json_string(struct nvfifo_json *j, const char *key, const char *value)
{
	put_key(j, key);
	put_string(j, value);
	end_value(j);
}

static void put_hex(struct nvfifo_json *j, unsigned int digits, __u64 value)
{
	char *s = room(j, 18);

	j->text->used += (size_t)(nvfifo_json_put_hex(s, digits, value) - s);
}

void nvfifo_json_hex(struct nvfifo_json *j, const char *key, unsigned int digits, __u64 value)
{
	put_key(j, key);
	put_hex(j, digits, value);
	end_value(j);
}

static void put_number(struct nvfifo_json *j, __s64 value)
{
	char *s = room(j, 20);

	j->text->used += (size_t)(nvfifo_json_put_number(s, value) - s);
}

void nvfifo_json_number(struct nvfifo_json *j, const char *key, __s64 value)
{
	put_key(j, key);
	put_number(j, value);
	end_value(j);
}

static void put_decimal(struct nvfifo_json *j, unsigned int digits, double value)
{
	char text[360];
	int n = snprintf(text, sizeof(text), "%.*f", (int)digits, value);

	put(j, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void nvfifo_json_raw(struct nvfifo_json *j, const char *key, const char *value)
{
	put_key(j, key);
	put(j, value, strlen(value));
	end_value(j);
}

void nvfifo_json_bool(struct nvfifo_json *j, const char *key, bool value)
{
	nvfifo_json_raw(j, key, value ? "true" : "false");
}

void nvfifo_json_null(struct nvfifo_json *j, const char *key)
{
	nvfifo_json_raw(j, key, "null");
}

/* The argument of an integer's conversion, which begins at its length. */
static __u64 integer(const char *conversion, va_list *args)
{
	if (*conversion == 'd')
		return (__u64)(__s64)va_arg(*args, int);
	if (*conversion == 'z')
		return va_arg(*args, size_t);
	if (*conversion != 'l')
		return va_arg(*args, unsigned int);

	return conversion[1] == 'l' ? va_arg(*args, __u64) : va_arg(*args, unsigned long);
}

/* Write the argument of the conversion at @s, after its '%'. Return: its last character. */
static const char *print_value(struct nvfifo_json *j, const char *s, va_list *args)
{
	unsigned int digits = 0;
	const char *end;

	/* The lower half of a digit's code is its value. */
	for (; *s <= '9'; s++)
		digits = *s == '.' ? 0 : digits * 10 + (*s & 0xf);

	for (end = s; *end == 'l' || *end == 'z';)
		end++;

	switch (*end) {
	case 's':
		put_string(j, va_arg(*args, const char *));
		break;
	case 'f':
		put_decimal(j, digits, va_arg(*args, double));
		break;
	case 'i':
		if (va_arg(*args, int))
			put(j, "true", 4);
		else
			put(j, "false", 5);
		break;
	case 'x':
		put_hex(j, digits, integer(s, args));
		break;
	default:
		put_number(j, (__s64)integer(s, args));
	}

	end_value(j);
	return end;
}

void nvfifo_json_print(struct nvfifo_json *j, const char *shape, ...)
{
	const char *s, *colon;
	bool named = false;
	va_list args;

	va_start(args, shape);
	for (s = shape; *s; s++) {
		switch (*s) {
		case ' ':
			break;
		case '{':
		case '[':
			if (!named)
				put_name(j, NULL, 0);
			named = false;
			put(j, s, 1);
			j->more[++j->depth] = false;
			break;
		case '}':
		case ']':
			if (s[1] == '\n')
				nvfifo_json_end(j, *s++);
			else
				nvfifo_json_close(j, *s);
			break;
		case '%':
			if (!named)
				put_name(j, NULL, 0);
			named = false;
			s = print_value(j, s + 1, &args);
			break;
		default:
			for (colon = s; *colon != ':';)
				colon++;
			put_name(j, s, (size_t)(colon - s));
			named = true;
			s = colon;
		}
	}
	va_end(args);
}

void nvfifo_row_json(struct nvfifo_json *j, const char *key, const struct nvfifo_row *r, bool means)
{
	char name[80];
	size_t i;

	nvfifo_json_open(j, key, '{');
	for (i = 0; i < r->count; i++) {
		const struct nvfifo_field *v = &r->fields[i];

		put_input_name(j, v->name);
		if (v->kind == NVFIFO_VALUE_STRING)
			nvfifo_json_string(j, NULL, v->text);
		else
			nvfifo_json_raw(j, NULL, *v->text ? v->text : "null");
		if (!means || !v->means)
			continue;

		snprintf(name, sizeof(name), "%s_means", v->name);
		put_input_name(j, name);
		nvfifo_json_string(j, NULL, v->means);
	}

	nvfifo_json_close(j, '}');
}

void nvfifo_row_write_json(FILE *f, const struct nvfifo_row *r, bool means)
{
	char out[1024];
	struct nvfifo_json_text text = { .out = out, .room = sizeof(out) };
	struct nvfifo_json j = { .f = f, .text = &text };

	nvfifo_row_json(&j, NULL, r, means);
}
