/* SPDX-License-Identifier: MIT */
/*
 * Writer of JSON, used by every --json. Documentation/guides/json.rst has the members of
 * each subcommand's output. Strings are always valid UTF-8.
 */
#ifndef NVFIFO_JSON_H
#define NVFIFO_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/types.h>

#define JSON_DEPTH 16	/* most brackets that are open at once */

/**
 * struct json - One value being written
 * @f: output
 * @more: for each open bracket: true if it has a value
 * @depth: open brackets
 *
 * Set @f and clear the rest before the first call. Values to two files are not written at the
 * same time. Text that was printed to @f since a bracket was opened stands in front of it.
 */
struct json {
	FILE *f;
	bool more[JSON_DEPTH];
	unsigned int depth;
};

/*
 * In all of these @key is the member's name, NULL for an element of an array or the value. It is
 * written as it is: a name of this program, not of its input.
 */

/* Open an object or an array, with '{' or '['. */
void json_open(struct json *j, const char *key, char bracket);

/* Close it, with '}' or ']'. */
void json_close(struct json *j, char bracket);

/* Close the outermost one and end the line. */
void json_end(struct json *j, char bracket);

void json_string(struct json *j, const char *key, const char *value);

/* Addresses and words are strings of @digits hexadecimal digits, as people write them. */
void json_hex(struct json *j, const char *key, unsigned int digits, __u64 value);
void json_number(struct json *j, const char *key, __s64 value);

/* A number with @digits digits after the point. */
void json_decimal(struct json *j, const char *key, unsigned int digits, double value);
/* A value that is JSON already */
void json_raw(struct json *j, const char *key, const char *value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

struct nvfifo_row;

/* The fields of a row, with their meanings in words if @means. */
void json_row(struct json *j, const char *key, const struct nvfifo_row *r, bool means);

#endif
