// SPDX-License-Identifier: MIT
/* Writer of JSON. */
#include <inttypes.h>

#include "json.h"
#include "nvfifo_row.h"

static void put_key(struct json *j, const char *key)
{
	if (j->more[j->depth])
		fputc(',', j->f);
	j->more[j->depth] = true;
	if (key) {
		nvfifo_json_write_string(j->f, key);
		fputc(':', j->f);
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	put_key(j, key);
	fputc(bracket, j->f);
	j->more[++j->depth] = false;
}

void json_close(struct json *j, char bracket)
{
	fputc(bracket, j->f);
	j->depth--;
}

void json_end(struct json *j, char bracket)
{
	json_close(j, bracket);
	fputc('\n', j->f);
	j->more[0] = false;
}

void json_string(struct json *j, const char *key, const char *value)
{
	put_key(j, key);
	nvfifo_json_write_string(j->f, value);
}

void json_hex(struct json *j, const char *key, unsigned int digits, __u64 value)
{
	put_key(j, key);
	fprintf(j->f, "\"%0*" PRIx64 "\"", (int)digits, (uint64_t)value);
}

void json_number(struct json *j, const char *key, __s64 value)
{
	put_key(j, key);
	fprintf(j->f, "%" PRId64, (int64_t)value);
}

void json_decimal(struct json *j, const char *key, unsigned int digits, double value)
{
	put_key(j, key);
	fprintf(j->f, "%.*f", (int)digits, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	put_key(j, key);
	fputs(value ? "true" : "false", j->f);
}

void json_null(struct json *j, const char *key)
{
	put_key(j, key);
	fputs("null", j->f);
}

void json_row(struct json *j, const char *key, const struct nvfifo_row *r, bool means)
{
	put_key(j, key);
	nvfifo_row_write_json(j->f, r, means);
}
