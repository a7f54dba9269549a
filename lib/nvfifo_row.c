// SPDX-License-Identifier: MIT
/* Rows of named values, and CSV. nvfifo_json.c has their JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "nvfifo_row.h"

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

int nvfifo_row_set(struct nvfifo_row *r, const char *name, enum nvfifo_value kind,
		      const char *text, const char *means)
{
	struct nvfifo_field *f = find(r, name);

	if (!f)
		f = add(r, name, kind);
	if (!f)
		return -ENOMEM;

	f->text = text ? copy(r, text) : NULL;
	f->means = means ? copy(r, means) : NULL;

	return (text && !f->text) || (means && !f->means) ? -ENOMEM : 0;
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
