// SPDX-License-Identifier: MIT
/* Rows of named values, and as much of JSON and CSV as they need. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "nvfifo_row.h"
#include "nvfifo_text.h"

/* Deep enough for everything real, and no way to overflow the stack. */
#define DEPTH_MAX 32

/* Texts of a row, which live as long as it does: a row needs one or two of these. */
struct nvfifo_row_texts {
	struct nvfifo_row_texts *next;
	size_t used;
	size_t room;
	char text[];
};

#define TEXTS_ROOM	(2048 - sizeof(struct nvfifo_row_texts))

static struct nvfifo_field *find(const struct nvfifo_row *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->count; i++) {
		if (*r->fields[i].name == *name && !strcmp(r->fields[i].name, name))
			return &r->fields[i];
	}

	return NULL;
}

const char *nvfifo_row_get(const struct nvfifo_row *r, const char *name)
{
	const struct nvfifo_field *f = find(r, name);

	return f ? f->text : NULL;
}

/* A copy of a text, which the row keeps. */
static char *copy(struct nvfifo_row *r, const char *text)
{
	const size_t size = strlen(text) + 1, room = size > TEXTS_ROOM ? size : TEXTS_ROOM;
	struct nvfifo_row_texts *t = r->texts;
	char *place;

	if (!t || t->room - t->used < size) {
		t = malloc(sizeof(*t) + room);
		if (!t)
			return NULL;
		t->next = r->texts;
		t->used = 0;
		t->room = room;
		r->texts = t;
	}

	place = t->text + t->used;
	memcpy(place, text, size);
	t->used += size;

	return place;
}

static struct nvfifo_field *add(struct nvfifo_row *r, const char *name, enum nvfifo_value kind)
{
	struct nvfifo_field *f;

	if (r->count == r->room) {
		size_t room = r->room ? r->room * 2 : 16;

		f = realloc(r->fields, room * sizeof(*f));
		if (!f)
			return NULL;
		r->fields = f;
		r->room = room;
	}

	f = &r->fields[r->count];
	memset(f, 0, sizeof(*f));
	f->name = copy(r, name);
	if (!f->name)
		return NULL;

	f->kind = kind;
	r->count++;

	return f;
}

static int replace(struct nvfifo_row *r, char **place, const char *text)
{
	char *text_copy = NULL;

	if (text) {
		text_copy = copy(r, text);
		if (!text_copy)
			return -ENOMEM;
	}

	*place = text_copy;

	return 0;
}

int nvfifo_row_set(struct nvfifo_row *r, const char *name, enum nvfifo_value kind,
		      const char *text, const char *means)
{
	struct nvfifo_field *f = find(r, name);

	if (!f)
		f = add(r, name, kind);
	if (!f || replace(r, &f->text, text) || replace(r, &f->means, means))
		return -ENOMEM;

	return 0;
}

void nvfifo_row_free(struct nvfifo_row *r)
{
	struct nvfifo_row_texts *t;

	while ((t = r->texts)) {
		r->texts = t->next;
		free(t);
	}

	free(r->fields);
	memset(r, 0, sizeof(*r));
}

/* --- JSON ---------------------------------------------------------------- */

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

/* The bytes of a UTF-8 character after its first one, whose lowest value is @min. */
struct utf8 {
	unsigned int more;
	unsigned int first;	/* bits of the first byte */
	__u32 min;
};

static bool utf8_lead(unsigned char c, struct utf8 *u)
{
	if (c >= 0xc2 && c <= 0xdf)
		*u = (struct utf8){ 1, c & 0x1fu, 0x80 };
	else if (c >= 0xe0 && c <= 0xef)
		*u = (struct utf8){ 2, c & 0x0fu, 0x800 };
	else if (c >= 0xf0 && c <= 0xf4)
		*u = (struct utf8){ 3, c & 0x07u, 0x10000 };
	else
		return false;
	return true;
}

/* Length of the UTF-8 character at @s, which is no ASCII, or 0. */
static size_t utf8_character(const char *s)
{
	struct utf8 u;
	unsigned int i;
	__u32 value;

	if (!utf8_lead((unsigned char)*s, &u))
		return 0;

	value = u.first;
	for (i = 1; i <= u.more; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | ((unsigned char)s[i] & 0x3f);
	}

	/* No long forms, no halves of UTF-16 pairs, nothing above Unicode's end. */
	if (value < u.min || (value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
		return 0;

	return u.more + 1;
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* A character that is not plain: its escape, or its bytes. @len: out: its bytes at @s. */
static char *escape(char *out, const char *s, size_t *len)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char c = (unsigned char)*s;

	*len = 1;
	if (c == '"' || c == '\\') {
		*out++ = '\\';
		*out++ = (char)c;
	} else if (c < 0x80) {
		memcpy(out, "\\u00", 4);
		out[4] = hex[c >> 4];
		out[5] = hex[c & 0xf];
		out += 6;
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

size_t nvfifo_json_escape(const char **s, char *out, size_t room)
{
	char *at = out, *end = out + room;
	const char *from = *s;
	size_t len;

	while (*from && end - at >= NVFIFO_JSON_ESCAPE_MAX) {
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

static void write_string(FILE *f, const char *s)
{
	char text[512];
	size_t len;

	fputc('"', f);

	while (*s) {
		len = nvfifo_json_escape(&s, text, sizeof(text));
		fwrite(text, 1, len, f);
	}

	fputc('"', f);
}

void nvfifo_row_write_json(FILE *f, const struct nvfifo_row *r, bool means)
{
	char name[80];
	size_t i;

	fputc('{', f);
	for (i = 0; i < r->count; i++) {
		const struct nvfifo_field *v = &r->fields[i];

		if (i)
			fputc(',', f);
		write_string(f, v->name);
		fputc(':', f);
		if (v->kind == NVFIFO_VALUE_STRING)
			write_string(f, v->text);
		else
			fputs(*v->text ? v->text : "null", f);
		if (means && v->means) {
			snprintf(name, sizeof(name), "%s_means", v->name);
			fputc(',', f);
			write_string(f, name);
			fputc(':', f);
			write_string(f, v->means);
		}
	}

	fputc('}', f);
}

/* --- CSV ----------------------------------------------------------------- */

size_t nvfifo_csv_split(char *line, char **values, size_t max)
{
	char *s = line, *out;
	size_t n = 0;

	for (;;) {
		if (n == max)
			return max + 1;

		values[n++] = s;
		if (*s == '"') {
			out = s++;
			while (*s && (*s != '"' || s[1] == '"')) {
				s += *s == '"';
				*out++ = *s++;
			}
			if (*s)
				s++;
			while (*s && *s != ',')
				*out++ = *s++;
		} else {
			s += strcspn(s, ",");
			out = s;
		}

		if (!*s) {
			*out = '\0';
			return n;
		}

		s++;
		*out = '\0';
	}
}

void nvfifo_csv_write(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"\n\r")) {
		fputs(s, f);
		return;
	}

	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}

	fputc('"', f);
}
