// SPDX-License-Identifier: MIT
/*
 * Timelines in the "JSON Trace Event Format" of Chrome. The phases "b" and "e" are the ends of a
 * bar with an id, and "X" is a bar with a duration. "i" is a moment, "M" names a process or a
 * thread. Times are microseconds.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "nvfifo_text.h"
#include "perfetto.h"
#include "tools.h"

#define FIRST_CARD	128	/* number of its render node */
#define CARDS		64
#define CHANNELS	128
#define ENGINES		16

/* Numbers of the model's lines; ui.perfetto.dev sorts by them. */
#define LINE_PFIFO	0
#define LINE_ENGINE	1
#define LINE_CHANNEL	100

/* A bar of the model that has begun; it is written when it has ended. */
struct bar {
	bool open;
	__u64 begin;
	__u64 end;		/* the last work in it */
	char name[80];
};

struct perfetto {
	const char *path;
	FILE *f;
	struct nvfifo_json j;
	/* The driver's events */
	bool named[CARDS][CHANNELS];	/* channels that have a name already; [0] is the card */
	unsigned long first[CARDS][CHANNELS];	/* first submission with a bar, 0 before it */
	/* The model's work */
	struct model *model;
	struct model_watcher watcher;
	__u64 words;		/* words read by the pusher, at the last look */
	bool line_named[LINE_CHANNEL + 2 * CHANNELS];
	struct bar loaded;
	struct bar segment[CHANNELS];
	struct bar wait[CHANNELS];
	struct bar engine[ENGINES];
	unsigned int user[ENGINES];	/* channel of the engine's last method */
};

static void open_event(struct perfetto *p, const char *phase, const char *name,
		       unsigned long process, unsigned long thread)
{
	nvfifo_json_print(&p->j, "{ph:%s name:%s pid:%lu tid:%lu", phase, name, process, thread);
}

/* @what: "process_name" or "thread_name" */
static void name_track(struct perfetto *p, const char *what, unsigned long process,
		       unsigned long thread, const char *name)
{
	open_event(p, "M", what, process, thread);
	nvfifo_json_print(&p->j, "args:{name:%s}}", name);
}

/* --- The driver's events ------------------------------------------------- */

static unsigned long number(const struct nvfifo_event *e, const char *field)
{
	return (unsigned long)nvfifo_text_value(nvfifo_row_get(&e->fields, field), 10);
}

static void name_tracks(struct perfetto *p, unsigned long card, unsigned long channel)
{
	bool *named = p->named[(card - FIRST_CARD) % CARDS];
	char name[40];

	snprintf(name, sizeof(name), "renderD%lu", card);
	if (!named[0])
		name_track(p, "process_name", card, 0, name);
	named[0] = true;
	snprintf(name, sizeof(name), "channel %lu", channel);
	if (!named[channel])
		name_track(p, "thread_name", card, channel, name);
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
	nvfifo_json_print(&p->j, "cat:%s id:%s", "submission", id);
}

/* A trace may begin after a submission, whose fence then ends no bar. */
static bool has_bar(struct perfetto *p, const struct nvfifo_event *e)
{
	unsigned long *first =
	    &p->first[(number(e, "card") - FIRST_CARD) % CARDS][number(e, "channel")];
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

void perfetto_event(struct perfetto *p, const struct nvfifo_event *e)
{
	unsigned long channel = number(e, "channel");
	const char *name = e->name;

	if (!strcmp(e->name, "access") || channel >= CHANNELS)
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

	nvfifo_json_print(&p->j, "ts:%.3f", strtod(e->time, NULL) * 1e6);
	nvfifo_row_json(&p->j, "args", &e->fields, false);
	nvfifo_json_close(&p->j, '}');
}

void perfetto_word(struct perfetto *p, const struct nvfifo_event *e, __u64 va,
		   const struct nvfifo_word *w)
{
	const char *class = nvfifo_class_name(w->oclass);
	char name[80];

	if (number(e, "channel") >= CHANNELS)
		return;

	if (w->wait == NVFIFO_WAIT_ACQUIRE)
		snprintf(name, sizeof(name), "waits for a semaphore: 0x%x", w->word);
	else if (w->kind == NVFIFO_WORD_DATA && !w->method && class)
		snprintf(name, sizeof(name), "binds %s", class);
	else
		return;

	write_moment(p, e, name);
	nvfifo_json_print(&p->j, "ts:%.3f args:{va:%010llx word:%08x}}",
			  strtod(e->time, NULL) * 1e6, va, w->word);
}

/* --- The model's work ----------------------------------------------------
 *
 * The lines of the model's trace begin and end the bars:
 *
 *	SW ch 1 -> 2			PFIFO loads another channel
 *	IB ch 1 get 0 addr ... words 8	the pusher begins a segment
 *	WAIT ch 1 at ... want ...	the puller waits for a semaphore
 *	M ch 1 subc 0 mthd ...		the puller has executed a method
 *	ENG ch 1 engine 1 subc 0 ...	an engine got a method
 *	ERR ...				an error or a fault
 *
 * A channel has a line for the pusher and one for the puller, as the pusher is ahead.
 */

static void name_line(struct perfetto *p, unsigned int line)
{
	static const char *const engines[ENGINES] = { "PFIFO's own methods", "PGRAPH" };
	unsigned int n = line - LINE_ENGINE;
	char name[40];

	if (p->line_named[line])
		return;

	p->line_named[line] = true;
	if (line == LINE_PFIFO)
		snprintf(name, sizeof(name), "PFIFO");
	else if (line >= LINE_CHANNEL)
		snprintf(name, sizeof(name), "channel %u, %s", (line - LINE_CHANNEL) / 2,
			 (line - LINE_CHANNEL) % 2 ? "puller" : "pusher");
	else if (engines[n])
		snprintf(name, sizeof(name), "%s", engines[n]);
	else
		snprintf(name, sizeof(name), "engine %u", n);
	name_track(p, "thread_name", 0, line, name);
}

static void end(struct perfetto *p, struct bar *b, unsigned int line)
{
	__u64 duration = b->end - b->begin;

	if (!b->open)
		return;

	/*
	 * Chrome's DevTools add ts and dur as doubles, and drop a bar that seems to begin before
	 * the one before it has ended. A bar that is 1 ns shorter ends in time.
	 */
	if (duration)
		duration--;

	b->open = false;
	name_line(p, line);
	open_event(p, "X", b->name, 0, line);
	nvfifo_json_print(&p->j, "ts:%.3f dur:%.3f}", (double)b->begin / 1000,
			  (double)duration / 1000);
}

__attribute__((format(printf, 3, 4)))
static void begin(struct perfetto *p, struct bar *b, const char *format, ...)
{
	va_list ap;

	b->open = true;
	b->begin = model_time(p->model);
	b->end = b->begin;
	va_start(ap, format);
	vsnprintf(b->name, sizeof(b->name), format, ap);
	va_end(ap);
}

static unsigned int pusher_line(unsigned int channel)
{
	return LINE_CHANNEL + 2 * channel;
}

static void switched(struct perfetto *p, unsigned int to)
{
	p->loaded.end = model_time(p->model);
	end(p, &p->loaded, LINE_PFIFO);
	if (to < CHANNELS)
		begin(p, &p->loaded, "channel %u", to);
}

static void engine_method(struct perfetto *p, unsigned int channel, unsigned int engine)
{
	struct bar *b = &p->engine[engine];

	if (p->user[engine] != channel)
		end(p, b, LINE_ENGINE + engine);
	if (!b->open)
		begin(p, b, "channel %u", channel);
	p->user[engine] = channel;
	b->end = model_time(p->model);
}

static void traced(void *ctx, const char *line)
{
	struct perfetto *p = ctx;
	unsigned int channel, n, words;
	unsigned long long at;

	/* The model's set-up */
	if (!p->model)
		return;

	if (sscanf(line, "SW ch %*u -> %u", &n) == 1) {
		switched(p, n);
	} else if (sscanf(line, "IB ch %u get %u addr %llx words %u", &channel, &n, &at,
			  &words) == 4 && channel < CHANNELS) {
		end(p, &p->segment[channel], pusher_line(channel));
		begin(p, &p->segment[channel], "segment of entry %u, %u words at 0x%010llx", n,
		      words, at);
	} else if (sscanf(line, "WAIT ch %u at %llx want %x", &channel, &at, &n) == 3 &&
		   channel < CHANNELS) {
		if (!p->wait[channel].open)
			begin(p, &p->wait[channel], "waits for semaphore 0x%010llx: 0x%x", at, n);
	} else if (sscanf(line, "M ch %u", &channel) == 1 && channel < CHANNELS) {
		p->wait[channel].end = model_time(p->model);
		end(p, &p->wait[channel], pusher_line(channel) + 1);
	} else if (sscanf(line, "ENG ch %u engine %u", &channel, &n) == 2 && n < ENGINES) {
		engine_method(p, channel, n);
	} else if (!strncmp(line, "ERR ", 4)) {
		name_line(p, LINE_PFIFO);
		open_event(p, "i", line + 4, 0, LINE_PFIFO);
		nvfifo_json_print(&p->j, "ts:%.3f s:%s}", (double)model_time(p->model) / 1000, "g");
	}
}

/* A segment ends with the last word that the pusher reads of it. */
static bool stepped(void *ctx)
{
	struct perfetto *p = ctx;
	struct model_position at;

	if (!p->model)
		return true;

	model_position(p->model, &at);
	if (at.words != p->words && at.channel < CHANNELS)
		p->segment[at.channel].end = model_time(p->model);
	p->words = at.words;

	return true;
}

const struct model_watcher *perfetto_watcher(const struct perfetto *p)
{
	return &p->watcher;
}

void perfetto_run(struct perfetto *p, struct model *model)
{
	name_track(p, "process_name", 0, 0, "the model");
	p->model = model;
}

void perfetto_run_end(struct perfetto *p)
{
	unsigned int i;

	if (!p || !p->model)
		return;

	switched(p, CHANNELS);
	for (i = 0; i < CHANNELS; i++) {
		end(p, &p->segment[i], pusher_line(i));
		p->wait[i].end = model_time(p->model);
		end(p, &p->wait[i], pusher_line(i) + 1);
	}
	for (i = 0; i < ENGINES; i++)
		end(p, &p->engine[i], LINE_ENGINE + i);
	p->model = NULL;
}

/* --- The file ------------------------------------------------------------ */

static int file_error(const char *path)
{
	fprintf(stderr, "nvfifo: cannot write %s: %s\n", path, strerror(errno));
	return EXIT_USAGE;
}

struct perfetto *perfetto_create(const char *path)
{
	struct perfetto *p = calloc(1, sizeof(*p));

	if (p)
		p->f = fopen(path, "w");
	if (!p || !p->f) {
		file_error(path);
		free(p);
		return NULL;
	}

	p->path = path;
	p->watcher =
	    (struct model_watcher){.ctx = p, .budget = 1, .stepped = stepped, .trace = traced};
	p->j = (struct nvfifo_json)JSON_TO(p->f);
	nvfifo_json_print(&p->j, "{displayTimeUnit:%s traceEvents:[", "ns");

	return p;
}

int perfetto_close(struct perfetto *p)
{
	int ret = EXIT_OK;

	if (!p)
		return EXIT_OK;

	nvfifo_json_print(&p->j, "]}\n");
	if (ferror(p->f) | fclose(p->f))
		ret = file_error(p->path);
	free(p);

	return ret;
}
