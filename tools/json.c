// SPDX-License-Identifier: MIT
/* Writer of JSON. */
#define _DEFAULT_SOURCE
#include <string.h>

#include "json.h"
#include "nvfifo_hex.h"
#include "nvfifo_row.h"

/*
 * Output is collected here, since a call of stdio for each part of a value would limit the speed.
 * Closing a bracket, or a value outside of all brackets, hands it on.
 */
static char out[65536];
static size_t used;

static void flush(struct json *j)
{
	fwrite_unlocked(out, 1, used, j->f);
	used = 0;
}

/* Room for @len bytes, far fewer than there are in all. */
static char *room(struct json *j, size_t len)
{
	if (sizeof(out) - used < len)
		flush(j);
	return out + used;
}

static inline void put(struct json *j, const char *text, size_t len)
{
	memcpy(room(j, len), text, len);
	used += len;
}

static void put_string(struct json *j, const char *s)
{
	put(j, "\"", 1);
	while (*s) {
		room(j, 256);
		used += nvfifo_json_escape(&s, out + used, sizeof(out) - used);
	}

	put(j, "\"", 1);
}

static void put_key(struct json *j, const char *key)
{
	const size_t len = key ? strlen(key) : 0;
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

	used = (size_t)(s - out);
}

/* End a value. A value outside of all brackets is complete. */
static void end_value(struct json *j)
{
	if (!j->depth)
		flush(j);
}

void json_open(struct json *j, const char *key, char bracket)
{
	put_key(j, key);
	put(j, &bracket, 1);
	j->more[++j->depth] = false;
}

void json_close(struct json *j, char bracket)
{
	put(j, &bracket, 1);
	j->depth--;
	flush(j);
}

void json_end(struct json *j, char bracket)
{
	put(j, &bracket, 1);
	put(j, "\n", 1);
	j->depth--;
	flush(j);
	j->more[0] = false;
}

void json_string(struct json *j, const char *key, const char *value)
{
	put_key(j, key);
	put_string(j, value);
	end_value(j);
}

void json_hex(struct json *j, const char *key, unsigned int digits, __u64 value)
{
	char *s;

	while (digits < 16 && value >> 4 * digits)
		digits++;
	put_key(j, key);
	s = room(j, 18);
	*s++ = '"';
	s = nvfifo_put_digits(s, value, digits);
	*s++ = '"';
	used = (size_t)(s - out);
	end_value(j);
}

void json_number(struct json *j, const char *key, __s64 value)
{
	__u64 left = value < 0 ? -(__u64)value : (__u64)value;
	char text[24];
	unsigned int n = 0;

	do {
		text[sizeof(text) - ++n] = (char)('0' + left % 10);
		left /= 10;
	} while (left);

	if (value < 0)
		text[sizeof(text) - ++n] = '-';
	put_key(j, key);
	put(j, text + sizeof(text) - n, n);
	end_value(j);
}

void json_decimal(struct json *j, const char *key, unsigned int digits, double value)
{
	char text[360];
	int n = snprintf(text, sizeof(text), "%.*f", (int)digits, value);

	put_key(j, key);
	put(j, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	end_value(j);
}

void json_raw(struct json *j, const char *key, const char *value)
{
	put_key(j, key);
	put(j, value, strlen(value));
	end_value(j);
}

void json_bool(struct json *j, const char *key, bool value)
{
	put_key(j, key);
	if (value)
		put(j, "true", 4);
	else
		put(j, "false", 5);
	end_value(j);
}

void json_null(struct json *j, const char *key)
{
	put_key(j, key);
	put(j, "null", 4);
	end_value(j);
}

void json_row(struct json *j, const char *key, const struct nvfifo_row *r, bool means)
{
	put_key(j, key);
	flush(j);
	nvfifo_row_write_json(j->f, r, means);
}
