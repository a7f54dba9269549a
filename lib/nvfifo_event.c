// SPDX-License-Identifier: MIT
/* Reader of the driver's trace events. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_event.h"

#define PREFIX "nvfifo_"
#define PREFIX_LEN (sizeof(PREFIX) - 1)

/* The time is the number with a colon in front of the event. */
static void read_time(char *line, struct nvfifo_event *e)
{
	char *piece, *save;

	for (piece = strtok_r(line, " ", &save); piece; piece = strtok_r(NULL, " ", &save)) {
		size_t n = strlen(piece);

		if (n > 2 && n < sizeof(e->time) && piece[n - 1] == ':' && strchr(piece, '.') &&
		    strspn(piece, "0123456789.") == n - 1)
			snprintf(e->time, sizeof(e->time), "%.*s", (int)(n - 1), piece);
	}
}

/* "channel=3 submit=12 ..."; of a fault also "write at 0020020000". */
static int read_fields(char *s, struct nvfifo_row *r)
{
	char *piece, *save, *equals;
	const char *name;
	int ret = 0;

	for (piece = strtok_r(s, " \t", &save); piece && !ret; piece = strtok_r(NULL, " \t", &save)) {
		equals = strchr(piece, '=');
		if (equals) {
			*equals = '\0';
			ret = nvfifo_row_set(r, piece, NVFIFO_VALUE_STRING, equals + 1, NULL);
			continue;
		}

		if (!strcmp(piece, "at"))
			continue;

		name = "address";
		if (!strcmp(piece, "read") || !strcmp(piece, "write"))
			name = "access";
		ret = nvfifo_row_set(r, name, NVFIFO_VALUE_STRING, piece, NULL);
	}

	return ret;
}

int nvfifo_event_parse(char *line, struct nvfifo_event *e)
{
	char *name = strstr(line, PREFIX), *colon = name ? strchr(name, ':') : NULL;

	memset(e, 0, sizeof(*e));
	if (!colon || (size_t)(colon - name) >= sizeof(e->name) + PREFIX_LEN ||
	    colon <= name + PREFIX_LEN)
		return 0;

	snprintf(e->name, sizeof(e->name), "%.*s", (int)((size_t)(colon - name) - PREFIX_LEN),
		 name + PREFIX_LEN);
	*name = '\0';
	read_time(line, e);
	if (!read_fields(colon + 1, &e->fields))
		return 1;

	nvfifo_event_free(e);
	return -ENOMEM;
}

bool nvfifo_event_next_word(const char **s, __u32 *word)
{
	const char *from = *s;
	unsigned long v;
	char *end;

	if (*from == '{' || *from == ',')
		from++;
	if (strncmp(from, "0x", 2))
		return false;

	v = strtoul(from, &end, 16);
	if (v > 0xffffffff || (*end && *end != ',' && *end != '}'))
		return false;

	*word = (__u32)v;
	*s = end;

	return true;
}

void nvfifo_event_free(struct nvfifo_event *e)
{
	nvfifo_row_free(&e->fields);
}
