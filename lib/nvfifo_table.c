// SPDX-License-Identifier: MIT
/* Lines and words of the text of tables. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nvfifo.h"
#include "nvfifo_priv.h"
#include "nvfifo_table.h"

int nvfifo_table_error(const struct nvfifo_table *t, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);

	return nvfifo_error(-EINVAL, "%s:%u: %s", t->name, t->line, text);
}

/* strspn() takes long for the one blank that there mostly is. */
static char *skip(char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;

	return s;
}

bool nvfifo_table_is_quoted(const struct nvfifo_table *t)
{
	return *skip(t->at) == '"';
}

bool nvfifo_table_is_end(const struct nvfifo_table *t)
{
	return !*skip(t->at);
}

char *nvfifo_table_rest(struct nvfifo_table *t)
{
	char *s = skip(t->at);

	t->at = s + strlen(s);
	return s;
}

char *nvfifo_table_word(struct nvfifo_table *t)
{
	char *s = skip(t->at), *from, *to;

	if (!*s)
		return NULL;

	if (*s != '"') {
		t->at = s + strcspn(s, " \t");
		if (*t->at)
			*t->at++ = '\0';
		return s;
	}

	from = to = ++s;
	for (; *from && *from != '"'; from++) {
		if (*from == '\\' && from[1]) {
			from++;
			*to++ = (char)(*from == 't' ? '\t' : *from);
		} else {
			*to++ = *from;
		}
	}

	/* Without its end the text is the rest of the line. */
	t->at = *from ? from + 1 : from;
	*to = '\0';

	return s;
}

char *nvfifo_table_meaning(char *text)
{
	char *hash = strstr(text, " # "), *end = hash;

	if (!hash)
		return NULL;

	while (end > text && end[-1] == ' ')
		end--;
	*end = '\0';

	return hash + 3;
}

int nvfifo_table_bits(char *word, unsigned int *high, unsigned int *low)
{
	char *bracket = strchr(word, '[');
	int end = 0;

	if (!bracket)
		return 0;

	if (sscanf(bracket, "[%u:%u]%n", high, low, &end) != 2 || !end || bracket[end] || *high > 63 || *low > *high)
		return -1;

	*bracket = '\0';
	return 1;
}

int nvfifo_table_read(struct nvfifo_table *t, char *text, int (*take)(struct nvfifo_table *t, unsigned int depth))
{
	unsigned int depth;
	char *newline;
	size_t blanks;
	int ret = 0;

	for (; text && !ret; text = newline) {
		newline = strchr(text, '\n');
		if (newline)
			*newline++ = '\0';
		t->line++;
		text[strcspn(text, "\r")] = '\0';
		t->at = text;
		blanks = strspn(text, " \t");
		if (!text[blanks] || text[blanks] == '#')
			continue;

		depth = blanks > 0;
		if (blanks >= 8 || (blanks >= 2 && text[1] == '\t'))
			depth = 2;
		ret = take(t, depth);
	}

	return ret;
}

void nvfifo_table_sources(const struct nvfifo_source *source, int (*read_text)(const char *name, char *text))
{
	char *text;

	for (; source->name; source++) {
		text = strdup(source->text);
		/* The test of the library reads them all: only memory can be missing. */
		if (!text || read_text(source->name, text))
			fprintf(stderr, "nvfifo: %s\n", text ? nvfifo_last_error() : "out of memory");
	}
}
