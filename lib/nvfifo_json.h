/* SPDX-License-Identifier: MIT */
/*
 * The writer of JSON; nvfifo_row.h has the reader. Documentation/guides/json.rst has the members of
 * each subcommand's --json. Strings are always valid UTF-8.
 */
#ifndef NVFIFO_JSON_H
#define NVFIFO_JSON_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>

#include "nvfifo_hex.h"

/* --- Parts of a text ------------------------------------------------------ */

/* The text before a member's value, and before that of a member that is not the first. */
#define NVFIFO_JSON_FIRST(name)	"\"" name "\":"
#define NVFIFO_JSON_MEMBER(name) "," NVFIFO_JSON_FIRST(name)

/*
 * Each of these puts a value at @s and returns its end. Inputs have millions of words, so they are
 * inlined: a constant number of digits needs no loop.
 */
#define NVFIFO_JSON_INLINE static inline __attribute__((always_inline))

/* A string of at least @digits hexadecimal digits */
NVFIFO_JSON_INLINE char *nvfifo_json_put_hex(char *s, unsigned int digits, __u64 value)
{
	unsigned int more = digits;

	*s++ = '"';
	while (more < 16 && value >> 4 * more)
		more++;
	if (more == digits)
		s = nvfifo_put_digits(s, value, digits);
	else
		s = nvfifo_put_digits(s, value, more);
	*s++ = '"';

	return s;
}

/* A string without bytes that need an escape */
NVFIFO_JSON_INLINE char *nvfifo_json_put_plain(char *s, const char *text, size_t len)
{
	*s++ = '"';
	memcpy(s, text, len);
	s += len;
	*s++ = '"';

	return s;
}

/* At most 20 characters */
static inline char *nvfifo_json_put_number(char *s, __s64 value)
{
	__u64 left = value < 0 ? -(__u64)value : (__u64)value;
	char reversed[20];
	unsigned int n = 0;

	if (value < 0)
		*s++ = '-';
	if (left <= 0xffffffff)
		return nvfifo_put_decimal(s, (__u32)left);

	do {
		reversed[n++] = (char)('0' + left % 10);
		left /= 10;
	} while (left);

	while (n)
		*s++ = reversed[--n];

	return s;
}

/* --- Values in a file ----------------------------------------------------- */

#define NVFIFO_JSON_DEPTH	16	/* most brackets that are open at once */

/**
 * struct nvfifo_json_text - Text on its way to a file
 * @out: buffer
 * @room: its size, 512 bytes at least
 * @used: bytes in it
 *
 * A call of stdio for each part of a value would limit the speed. Closing a bracket, or a value
 * outside of all brackets, hands the text on.
 */
struct nvfifo_json_text {
	char *out;
	size_t room;
	size_t used;
};

/**
 * struct nvfifo_json - One value being written
 * @f: output, NULL to leave all in @text, which has the room for it
 * @text: text that @f lacks yet; values to two files may share it one after the other
 * @more: for each open bracket: true if it has a value
 * @depth: open brackets
 *
 * Set @f and @text and clear the rest before the first call.
 */
struct nvfifo_json {
	FILE *f;
	struct nvfifo_json_text *text;
	bool more[NVFIFO_JSON_DEPTH];
	unsigned int depth;
};

/*
 * In all of these @key is the member's name, NULL for an element of an array or the value. It is
 * written as it is: a name of this program, not of its input.
 */

/* Open an object or an array, with '{' or '['. */
void nvfifo_json_open(struct nvfifo_json *j, const char *key, char bracket);

/* Close it, with '}' or ']'. */
void nvfifo_json_close(struct nvfifo_json *j, char bracket);

/* Close the outermost one and end the line. */
void nvfifo_json_end(struct nvfifo_json *j, char bracket);

void nvfifo_json_string(struct nvfifo_json *j, const char *key, const char *value);

/* Addresses and words are strings of @digits hexadecimal digits, as people write them. */
void nvfifo_json_hex(struct nvfifo_json *j, const char *key, unsigned int digits, __u64 value);
void nvfifo_json_number(struct nvfifo_json *j, const char *key, __s64 value);

/* A value that is JSON already */
void nvfifo_json_raw(struct nvfifo_json *j, const char *key, const char *value);
void nvfifo_json_bool(struct nvfifo_json *j, const char *key, bool value);
void nvfifo_json_null(struct nvfifo_json *j, const char *key);

/**
 * nvfifo_json_print() - Write values by their shape
 * @j: the writer
 * @shape: names with colons, brackets and conversions, a blank between two members:
 *	"{va:%010llx words:%zu ib:[%08x %08x]}\n". A newline ends the line after the outermost
 *	bracket.
 *
 * Numbers are d, u, lu, zu, llu and lld; a bool is i, a string s. Digits with x and llx are for
 * nvfifo_json_hex(), those of .Nf come after the point. A part of a value is a shape, too:
 * "{name:%s words:[".
 */
__attribute__((format(printf, 2, 3)))
void nvfifo_json_print(struct nvfifo_json *j, const char *shape, ...);

struct nvfifo_row;

/* The fields of a row as an object, with their meanings in words if @means */
void nvfifo_row_json(struct nvfifo_json *j, const char *key, const struct nvfifo_row *r, bool means);

#endif
