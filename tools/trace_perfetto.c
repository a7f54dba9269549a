// SPDX-License-Identifier: MIT
/*
 * Timelines in the "JSON Trace Event Format" of Chrome. The phases "b" and "e" are the ends of a bar
 * with an id, "i" is a moment, "M" names a process or a thread. Times are microseconds.
 */
#include <stdlib.h>
#include <string.h>

#include "nvfifo.h"
#include "nvfifo_text.h"
#include "trace_perfetto.h"

#define FIRST_CARD 128

static unsigned long number(const struct nvfifo_event *e, const char *field)
{
	return (unsigned long)nvfifo_text_value(nvfifo_row_get(&e->fields, field), 10);
}

static void open_event(struct perfetto *p, const char *phase, const char *name,
		       unsigned long card, unsigned long channel)
{
	nvfifo_json_open(&p->j, NULL, '{');
	nvfifo_json_string(&p->j, "ph", phase);
	nvfifo_json_string(&p->j, "name", name);
	nvfifo_json_number(&p->j, "pid", (__s64)card);
	nvfifo_json_number(&p->j, "tid", (__s64)channel);
}

static void name_track(struct perfetto *p, const char *what, const char *prefix,
		       unsigned long card, unsigned long channel, unsigned long number)
{
	char name[40];

	snprintf(name, sizeof(name), "%s%lu", prefix, number);
	open_event(p, "M", what, card, channel);
	nvfifo_json_open(&p->j, "args", '{');
	nvfifo_json_string(&p->j, "name", name);
	nvfifo_json_close(&p->j, '}');
	nvfifo_json_close(&p->j, '}');
}

static void name_tracks(struct perfetto *p, unsigned long card, unsigned long channel)
{
	bool *named = p->named[(card - FIRST_CARD) % PERFETTO_CARDS];

	if (!named[0])
		name_track(p, "process_name", "renderD", card, 0, card);
	named[0] = true;
	if (!named[channel])
		name_track(p, "thread_name", "channel ", card, channel, channel);
	named[channel] = true;
}

/* Submissions of a channel overlap, so each bar has an id of its own. */
static void write_bar(struct perfetto *p, const struct nvfifo_event *e, const char *phase)
{
	unsigned long card = number(e, "card"), channel = number(e, "channel");
	char name[40], id[60];

	snprintf(name, sizeof(name), "submission %lu", number(e, "submit"));
	snprintf(id, sizeof(id), "%lu.%lu.%lu", card, channel, number(e, "submit"));
	open_event(p, phase, name, card, channel);
	nvfifo_json_string(&p->j, "cat", "submission");
	nvfifo_json_string(&p->j, "id", id);
}

/* A trace may begin after a submission, whose fence then ends no bar. */
static bool has_bar(struct perfetto *p, const struct nvfifo_event *e)
{
	unsigned long *first = &p->first[(number(e, "card") - FIRST_CARD) % PERFETTO_CARDS][number(e, "channel")];
	unsigned long submission = number(e, "submit");

	if (!*first && !strcmp(e->name, "submit"))
		*first = submission;

	return *first && submission >= *first;
}

static void write_moment(struct perfetto *p, const struct nvfifo_event *e, const char *name)
{
	unsigned long channel = number(e, "channel");

	open_event(p, "i", name, number(e, "card"), channel);
	/* "t" is a mark in the channel's line, "p" one through all lines of the card. */
	nvfifo_json_string(&p->j, "s", channel ? "t" : "p");
}

void perfetto_begin(struct perfetto *p, FILE *f)
{
	memset(p, 0, sizeof(*p));
	p->j = (struct nvfifo_json)JSON_TO(f);
	nvfifo_json_open(&p->j, NULL, '{');
	nvfifo_json_string(&p->j, "displayTimeUnit", "ns");
	nvfifo_json_open(&p->j, "traceEvents", '[');
}

void perfetto_event(struct perfetto *p, const struct nvfifo_event *e)
{
	unsigned long channel = number(e, "channel");
	const char *name = e->name;

	if (!strcmp(e->name, "access") || channel >= PERFETTO_CHANNELS)
		return;
	if (!strcmp(e->name, "words")) {
		/* A long segment has several events. */
		if (number(e, "first"))
			return;
		name = "segment";
	}

	name_tracks(p, number(e, "card"), channel);
	if (!strcmp(e->name, "submit") && has_bar(p, e))
		write_bar(p, e, "b");
	else if (!strcmp(e->name, "fence") && has_bar(p, e))
		write_bar(p, e, "e");
	else
		write_moment(p, e, name);

	nvfifo_json_decimal(&p->j, "ts", 3, strtod(e->time, NULL) * 1e6);
	nvfifo_row_json(&p->j, "args", &e->fields, false);
	nvfifo_json_close(&p->j, '}');
}

void perfetto_word(struct perfetto *p, const struct nvfifo_event *e, __u64 va,
		   const struct nvfifo_word *w)
{
	const char *class = nvfifo_class_name(w->oclass);
	char name[80];

	if (number(e, "channel") >= PERFETTO_CHANNELS)
		return;

	if (w->wait == NVFIFO_WAIT_ACQUIRE)
		snprintf(name, sizeof(name), "waits for a semaphore: 0x%x", w->word);
	else if (w->kind == NVFIFO_WORD_DATA && !w->method && class)
		snprintf(name, sizeof(name), "binds %s", class);
	else
		return;

	write_moment(p, e, name);
	nvfifo_json_decimal(&p->j, "ts", 3, strtod(e->time, NULL) * 1e6);
	nvfifo_json_open(&p->j, "args", '{');
	nvfifo_json_hex(&p->j, "va", 10, va);
	nvfifo_json_hex(&p->j, "word", 8, w->word);
	nvfifo_json_close(&p->j, '}');
	nvfifo_json_close(&p->j, '}');
}

void perfetto_end(struct perfetto *p)
{
	nvfifo_json_close(&p->j, ']');
	nvfifo_json_end(&p->j, '}');
}
