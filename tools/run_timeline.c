// SPDX-License-Identifier: MIT
/*
 * A timeline of the model's work in the "JSON Trace Event Format" of Chrome, as trace_perfetto.c
 * writes it of the driver's events. The lines of the model's trace begin and end the bars:
 *
 *	SW ch 1 -> 2			PFIFO loads another channel
 *	IB ch 1 get 0 addr ... words 8	the pusher begins a segment
 *	WAIT ch 1 at ... want ...	the puller waits for a semaphore
 *	M ch 1 subc 0 mthd ...		the puller has executed a method
 *	ENG ch 1 engine 1 subc 0 ...	an engine got a method
 *	ERR ...				an error or a fault
 *
 * Bars are phase "X", a begin and a duration. A channel has a line for the pusher and one for the
 * puller, as the pusher is ahead. Times are microseconds of the model.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "run_timeline.h"

#define CHANNELS	128
#define ENGINES		16

/* Numbers of the lines; ui.perfetto.dev sorts by them. */
#define LINE_PFIFO	0
#define LINE_ENGINE	1
#define LINE_CHANNEL	100

/* A bar that has begun; it is written when it has ended. */
struct bar {
	bool open;
	__u64 begin;
	__u64 end;		/* the last work in it */
	char name[80];
};

struct timeline {
	FILE *f;
	struct nvfifo_json j;
	struct model *model;
	struct model_watcher watcher;
	__u64 words;		/* words read by the pusher, at the last look */
	bool named[LINE_CHANNEL + 2 * CHANNELS];
	struct bar loaded;
	struct bar segment[CHANNELS];
	struct bar wait[CHANNELS];
	struct bar engine[ENGINES];
	unsigned int user[ENGINES];	/* channel of the engine's last method */
};

static const char *const engine_names[ENGINES] = { "PFIFO's own methods", "PGRAPH" };

static void name_line(struct timeline *t, const char *what, unsigned int line, const char *name)
{
	nvfifo_json_open(&t->j, NULL, '{');
	nvfifo_json_string(&t->j, "ph", "M");
	nvfifo_json_string(&t->j, "name", what);
	nvfifo_json_number(&t->j, "pid", 0);
	nvfifo_json_number(&t->j, "tid", line);
	nvfifo_json_open(&t->j, "args", '{');
	nvfifo_json_string(&t->j, "name", name);
	nvfifo_json_close(&t->j, '}');
	nvfifo_json_close(&t->j, '}');
}

static void name_once(struct timeline *t, unsigned int line)
{
	unsigned int n = line - LINE_ENGINE;
	char name[40];

	if (t->named[line])
		return;

	t->named[line] = true;
	if (line == LINE_PFIFO)
		snprintf(name, sizeof(name), "PFIFO");
	else if (line >= LINE_CHANNEL)
		snprintf(name, sizeof(name), "channel %u, %s", (line - LINE_CHANNEL) / 2,
			 (line - LINE_CHANNEL) % 2 ? "puller" : "pusher");
	else if (engine_names[n])
		snprintf(name, sizeof(name), "%s", engine_names[n]);
	else
		snprintf(name, sizeof(name), "engine %u", n);
	name_line(t, "thread_name", line, name);
}

static void event(struct timeline *t, const char *phase, unsigned int line, const char *name,
		  __u64 time)
{
	name_once(t, line);
	nvfifo_json_open(&t->j, NULL, '{');
	nvfifo_json_string(&t->j, "ph", phase);
	nvfifo_json_string(&t->j, "name", name);
	nvfifo_json_number(&t->j, "pid", 0);
	nvfifo_json_number(&t->j, "tid", line);
	nvfifo_json_decimal(&t->j, "ts", 3, (double)time / 1000);
}

static void end(struct timeline *t, struct bar *b, unsigned int line)
{
	__u64 duration = b->end - b->begin;

	if (!b->open)
		return;

	b->open = false;
	event(t, "X", line, b->name, b->begin);

	/*
	 * Chrome's DevTools add ts and dur as doubles, and drop a bar that seems to begin before the
	 * one before it has ended. A bar that is 1 ns shorter ends in time.
	 */
	if (duration)
		duration--;
	nvfifo_json_decimal(&t->j, "dur", 3, (double)duration / 1000);
	nvfifo_json_close(&t->j, '}');
}

__attribute__((format(printf, 3, 4)))
static void begin(struct timeline *t, struct bar *b, const char *format, ...)
{
	va_list ap;

	b->open = true;
	b->begin = model_time(t->model);
	b->end = b->begin;
	va_start(ap, format);
	vsnprintf(b->name, sizeof(b->name), format, ap);
	va_end(ap);
}

static unsigned int pusher_line(unsigned int channel)
{
	return LINE_CHANNEL + 2 * channel;
}

static void switched(struct timeline *t, unsigned int to)
{
	t->loaded.end = model_time(t->model);
	end(t, &t->loaded, LINE_PFIFO);
	if (to < CHANNELS)
		begin(t, &t->loaded, "channel %u", to);
}

static void engine_method(struct timeline *t, unsigned int channel, unsigned int engine)
{
	struct bar *b = &t->engine[engine];

	if (t->user[engine] != channel)
		end(t, b, LINE_ENGINE + engine);
	if (!b->open)
		begin(t, b, "channel %u", channel);
	t->user[engine] = channel;
	b->end = model_time(t->model);
}

static void mark(struct timeline *t, const char *line)
{
	event(t, "i", LINE_PFIFO, line, model_time(t->model));
	nvfifo_json_string(&t->j, "s", "g");
	nvfifo_json_close(&t->j, '}');
}

static void traced(void *ctx, const char *line)
{
	struct timeline *t = ctx;
	unsigned int channel, n, words;
	unsigned long long at;

	/* The model's set-up */
	if (!t->model)
		return;

	if (sscanf(line, "SW ch %*u -> %u", &n) == 1) {
		switched(t, n);
	} else if (sscanf(line, "IB ch %u get %u addr %llx words %u", &channel, &n, &at,
			  &words) == 4 && channel < CHANNELS) {
		end(t, &t->segment[channel], pusher_line(channel));
		begin(t, &t->segment[channel], "segment of entry %u, %u words at 0x%010llx", n, words, at);
	} else if (sscanf(line, "WAIT ch %u at %llx want %x", &channel, &at, &n) == 3 &&
		   channel < CHANNELS) {
		if (!t->wait[channel].open)
			begin(t, &t->wait[channel], "waits for semaphore 0x%010llx: 0x%x", at, n);
	} else if (sscanf(line, "M ch %u", &channel) == 1 && channel < CHANNELS) {
		t->wait[channel].end = model_time(t->model);
		end(t, &t->wait[channel], pusher_line(channel) + 1);
	} else if (sscanf(line, "ENG ch %u engine %u", &channel, &n) == 2 && n < ENGINES) {
		engine_method(t, channel, n);
	} else if (!strncmp(line, "ERR ", 4)) {
		mark(t, line + 4);
	}
}

/* A segment ends with the last word that the pusher reads of it. */
static bool stepped(void *ctx)
{
	struct timeline *t = ctx;
	struct model_position p;

	if (!t->model)
		return true;

	model_position(t->model, &p);
	if (p.words != t->words && p.channel < CHANNELS)
		t->segment[p.channel].end = model_time(t->model);
	t->words = p.words;

	return true;
}

struct timeline *timeline_create(const char *path)
{
	struct timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;

	t->f = fopen(path, "w");
	if (!t->f) {
		free(t);
		return NULL;
	}

	t->watcher.ctx = t;
	t->watcher.budget = 1;
	t->watcher.stepped = stepped;
	t->watcher.trace = traced;
	t->j = (struct nvfifo_json)JSON_TO(t->f);
	nvfifo_json_open(&t->j, NULL, '{');
	nvfifo_json_string(&t->j, "displayTimeUnit", "ns");
	nvfifo_json_open(&t->j, "traceEvents", '[');
	name_line(t, "process_name", 0, "the model");

	return t;
}

const struct model_watcher *timeline_watcher(const struct timeline *t)
{
	return &t->watcher;
}

void timeline_begin(struct timeline *t, struct model *model)
{
	t->model = model;
}

void timeline_end(struct timeline *t)
{
	unsigned int i;

	if (!t || !t->model)
		return;

	switched(t, CHANNELS);
	for (i = 0; i < CHANNELS; i++) {
		end(t, &t->segment[i], pusher_line(i));
		t->wait[i].end = model_time(t->model);
		end(t, &t->wait[i], pusher_line(i) + 1);
	}
	for (i = 0; i < ENGINES; i++)
		end(t, &t->engine[i], LINE_ENGINE + i);
	t->model = NULL;
}

int timeline_close(struct timeline *t)
{
	int ret = 0;

	if (!t)
		return 0;

	nvfifo_json_close(&t->j, ']');
	nvfifo_json_end(&t->j, '}');
	if (ferror(t->f))
		ret = -EIO;
	if (fclose(t->f) && !ret)
		ret = -errno;
	free(t);

	return ret;
}
