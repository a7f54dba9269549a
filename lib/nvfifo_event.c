// SPDX-License-Identifier: MIT
/* Reader of the driver's trace events. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo.h"
#include "nvfifo_event.h"
#include "nvfifo_text.h"

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
	const char *from = *s, *end;
	__u64 v;

	if (*from == '{' || *from == ',')
		from++;
	if (strncmp(from, "0x", 2))
		return false;

	end = nvfifo_text_read(from, 16, &v);
	if (!end || v > 0xffffffff || (*end && *end != ',' && *end != '}'))
		return false;

	*word = (__u32)v;
	*s = end;

	return true;
}

void nvfifo_event_free(struct nvfifo_event *e)
{
	nvfifo_row_free(&e->fields);
}

/* --- Channels ------------------------------------------------------------ */

struct nvfifo_event_channel {
	struct nvfifo_event_channel *next;
	unsigned long card;
	unsigned long id;
	struct nvfifo_decoder decoder;
};

/* A field as a number, 0 if the event does not have it */
static __u64 number(const struct nvfifo_event *e, const char *name, unsigned int base)
{
	return nvfifo_text_value(nvfifo_row_get(&e->fields, name), base);
}

static struct nvfifo_event_channel *find_channel(struct nvfifo_event_follower *f,
						 const struct nvfifo_event *e)
{
	const unsigned long card = (unsigned long)number(e, "card", 10);
	const unsigned long id = (unsigned long)number(e, "channel", 10);
	struct nvfifo_event_channel *c;

	for (c = f->channels; c; c = c->next) {
		if (c->card == card && c->id == id)
			return c;
	}

	c = malloc(sizeof(*c));
	if (!c)
		return NULL;

	c->next = f->channels;
	c->card = card;
	c->id = id;
	nvfifo_decoder_init(&c->decoder, NVFIFO_FORMAT_NV04, 0);
	f->channels = c;

	return c;
}

static void decode_words(struct nvfifo_decoder *d, const struct nvfifo_event *e,
			 nvfifo_event_word_fn *found, void *ctx)
{
	const char *data = nvfifo_row_get(&e->fields, "data");
	__u64 va = number(e, "va", 16) + 4 * number(e, "first", 10);
	struct nvfifo_word w;
	__u32 word;

	for (; data && nvfifo_event_next_word(&data, &word); va += 4) {
		nvfifo_decode(d, word, &w);
		if (found)
			found(ctx, va, &w);
	}
}

int nvfifo_event_follow(struct nvfifo_event_follower *f, const struct nvfifo_event *e,
			nvfifo_event_word_fn *found, void *ctx)
{
	bool starts = !strcmp(e->name, "channel_start"), has_words = !strcmp(e->name, "words");
	struct nvfifo_event_channel *c;

	if (!starts && !has_words && strcmp(e->name, "object"))
		return 0;

	c = find_channel(f, e);
	if (!c)
		return -ENOMEM;

	if (starts)
		nvfifo_decoder_init(&c->decoder, NVFIFO_FORMAT_NV04, 0);
	else if (has_words)
		decode_words(&c->decoder, e, found, ctx);
	else
		nvfifo_decoder_handle(&c->decoder, (__u32)number(e, "handle", 16),
				      (__u32)number(e, "class", 16));

	return 0;
}

void nvfifo_event_unfollow(struct nvfifo_event_follower *f)
{
	while (f->channels) {
		struct nvfifo_event_channel *next = f->channels->next;

		free(f->channels);
		f->channels = next;
	}
}
