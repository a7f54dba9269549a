// SPDX-License-Identifier: MIT
/* "nvfifo trace": the driver's work in words, from its trace events. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_calc.h"
#include "nvfifo_event.h"
#include "nvfifo_names.h"
#include "nvfifo_reg.h"
#include "nvfifo_text.h"
#include "options.h"
#include "perfetto.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo trace [OPTIONS] [FILE...]\n\n"
	"Show submissions, fences, mappings, TLB flushes, channels and faults as they\n"
	"happen, in words. Without FILE the driver's trace events are turned on, as\n"
	"root, and read until Ctrl-C. FILE is the output of trace-cmd report or of the\n"
	"file trace in tracefs, '-' is standard input.\n\n"
	"Options:\n"
	"  --tracefs DIR    default /sys/kernel/tracing\n"
	"  --words          disassemble each submission. The event nvfifo_words has its\n"
	"                   words; it is turned on with this option only\n"
	"  --accesses       also each access of the driver to a register and to instance\n"
	"                   memory\n"
	"  --channel N      only what is about PFIFO channel N\n"
	"  --json           one object of JSON for each event\n"
	"  --perfetto FILE  write a timeline to FILE: JSON that ui.perfetto.dev and\n"
	"                   the performance panel of Chrome's DevTools show, a bar for\n"
	"                   each submission, a line for each channel, marks for faults,\n"
	"                   flushes and errors;\n"
	"                   with --words, or if FILE has the event nvfifo_words, marks\n"
	"                   for segments, acquires of semaphores and objects of engines\n"
	"  --color WHEN     auto (default), always, never\n\n"
	"Exit codes: 0 done, 1 no event of the driver in FILE, 2 a wrong option or file,\n"
	"3 the driver's events are not there.\n\n"
	"Examples:\n"
	"  nvfifo trace --words\n"
	"  trace-cmd record -e nvfifo ./program && trace-cmd report | nvfifo trace -\n"
	"  nvfifo trace --channel 1 --json trace.txt\n"
	"  nvfifo trace --perfetto timeline.json trace.txt\n";

#define EVERY_CHANNEL (~0ul)

struct options {
	const char *tracefs;
	unsigned long channel;
	bool json;
	struct nvfifo_json j;		/* of the event being printed */
	bool words;
	bool accesses;
	struct nvfifo_event_follower follower;
	unsigned long events;
	bool has_submissions;
	bool has_words;	/* the event nvfifo_words was on */
	const char *perfetto;	/* file of the timeline, or NULL */
	struct perfetto *timeline;
	const struct nvfifo_event *event;	/* whose words come to the timeline */
};

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

/* --- One event ----------------------------------------------------------- */

static const char *value(const struct nvfifo_row *r, const char *name)
{
	const char *s = nvfifo_row_get(r, name);

	return s ? s : "";
}

static void print_bind(const struct nvfifo_row *r)
{
	struct nvfifo_pte p = nvfifo_pte_decode(nvfifo_text_value(value(r, "pte"), 16));

	/* The event has the attributes, but not the address, which differs from page to page. */
	printf("address space %s: %s %s, %s bytes", value(r, "vm"), p.present ? "map" : "unmap",
	       value(r, "va"), value(r, "size"));
	print_if(p.read_only, ", read only");
	print_if(p.supervisor, ", supervisor");
	if (p.present && p.kind)
		printf(", storage type %02x", p.kind);
	if (p.present && p.comp)
		printf(", compressed, tag %x", p.tag);
}

static void print_error_code(const struct nvfifo_row *r)
{
	static const char *const kinds[] = { "no error", "DMA_PUSHER", "CACHE_ERROR", "SEMAPHORE",
					     "time-out", "the card is gone", "PGRAPH" };
	unsigned long kind = nvfifo_text_value(value(r, "error"), 10);
	unsigned long code = nvfifo_text_value(value(r, "code"), 0);
	const struct nvfifo_name *n = NULL;
	char bits[120] = "";

	printf("%s", kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : "unknown error");
	if (kind == 1)
		n = nvfifo_name_find(nvfifo_pusher_errors, (__u32)code);
	else if (kind == 3)
		n = nvfifo_name_find(nvfifo_semaphore_errors, (__u32)code);
	else if (kind == 2)
		nvfifo_bits_text(nvfifo_pull0_bits, (__u32)code, "UNK", " ", bits, sizeof(bits));
	else if (kind == 6)
		nvfifo_bits_text(nvfifo_pgraph_intr_bits, (__u32)code, "UNK", " ", bits, sizeof(bits));
	if (n)
		printf(" %s: %s", n->name, n->means);
	else if (*bits)
		printf("%s%s", kind == 6 ? " " : ", PULL0 ", bits);
}

static void print_fault(const struct nvfifo_row *r)
{
	const struct nvfifo_name *n = nvfifo_fault_reasons;

	while (n->name && strcmp(n->name, value(r, "reason")))
		n++;

	printf("VM fault: %s of %s by %s, client %s, slot %s, channel structure %s: %s",
	       value(r, "access"), value(r, "address"), value(r, "engine"), value(r, "client"),
	       value(r, "slot"), value(r, "structure"), value(r, "reason"));
	if (n->name)
		printf(", %s", n->means);
}

static void print_segment(const struct nvfifo_row *r)
{
	printf("channel %s: submission %s, entry %s at %s, %s words", value(r, "channel"),
	       value(r, "submit"), value(r, "entry"), value(r, "va"), value(r, "words"));
	if (strcmp(value(r, "first"), "0"))
		printf(", from word %s on", value(r, "first"));
}

/* As nvsim --decode prints them: "W 100c80 PFB.TLB_FLUSH <- 00000001" */
static void print_access(const struct nvfifo_row *r)
{
	const char *op = value(r, "op"), *arrow = *op == 'R' ? "=" : "<-";
	char name[NVFIFO_REG_NAME_MAX];
	struct nvfifo_reg_ref ref;

	if (*op == 'C') {
		printf("BAR%s+%s: 0x%s bytes cleared", value(r, "bar"), value(r, "offset"),
		       value(r, "value"));
	} else if (strcmp(value(r, "bar"), "0")) {
		printf("%c BAR%s+%s %s %s", *op, value(r, "bar"), value(r, "offset"), arrow,
		       value(r, "value"));
	} else {
		nvfifo_reg_at((__u32)nvfifo_text_value(value(r, "offset"), 16), 0, &ref);
		nvfifo_reg_name(&ref, name);
		printf("%c %s %s %s %s", *op, value(r, "offset"), name, arrow, value(r, "value"));
	}
}

static void print_words(const char *event, const struct nvfifo_row *r)
{
	const char *error = value(r, "error");

	if (!strcmp(event, "submit"))
		printf("channel %s: submission %s, %s entries, IB_PUT %s", value(r, "channel"),
		       value(r, "submit"), value(r, "entries"), value(r, "ib_put"));
	else if (!strcmp(event, "fence") && !strcmp(error, "0"))
		printf("channel %s: submission %s has ended", value(r, "channel"),
		       value(r, "submit"));
	else if (!strcmp(event, "fence"))
		printf("channel %s: submission %s ended with %s", value(r, "channel"),
		       value(r, "submit"),
		       strerror((int)nvfifo_text_value(error + (*error == '-'), 10)));
	else if (!strcmp(event, "words"))
		print_segment(r);
	else if (!strcmp(event, "object"))
		printf("channel %s: object 0x%s of class 0x%s", value(r, "channel"),
		       value(r, "handle"), value(r, "class"));
	else if (!strcmp(event, "bind"))
		print_bind(r);
	else if (!strcmp(event, "flush"))
		printf("TLB of %s flushed%s", value(r, "engine"),
		       strcmp(value(r, "ret"), "0") ? ", and did not end: the MMU is stuck" : "");
	else if (!strcmp(event, "channel_start"))
		printf("channel %s: started, structure %s", value(r, "channel"),
		       value(r, "structure"));
	else if (!strcmp(event, "channel_stop"))
		printf("channel %s: taken off the card", value(r, "channel"));
	else if (!strcmp(event, "channel_dead")) {
		printf("channel %s is DEAD: ", value(r, "channel"));
		print_error_code(r);
	} else if (!strcmp(event, "fault")) {
		print_fault(r);
	} else if (!strcmp(event, "access")) {
		print_access(r);
	} else {
		printf("%s", event);
	}
}

/* --- Words of a submission ----------------------------------------------- */

static void print_word(void *ctx, __u64 va, const struct nvfifo_word *w)
{
	char line[2 * NVFIFO_WORD_TEXT_MAX];
	struct options *o = ctx;

	if (!o->json) {
		nvfifo_listing_line(w, NVFIFO_FORMAT_NV04, va, line);
		printf("                  %s\n", line);
		return;
	}

	nvfifo_word_text(w, NVFIFO_FORMAT_NV04, line);
	nvfifo_json_print(&o->j, "{va:%010llx word:%08x text:%s}", va, w->word,
			  line + strspn(line, " "));
}

/* Without memory the trace goes on, but its words may lack the names of their methods. */
static void follow(struct options *o, const struct nvfifo_event *e, nvfifo_event_word_fn *found)
{
	if (nvfifo_event_follow(&o->follower, e, found, o))
		fputs("nvfifo: out of memory\n", stderr);
}

static void take_word(void *ctx, __u64 va, const struct nvfifo_word *w)
{
	struct options *o = ctx;

	perfetto_word(o->timeline, o->event, va, w);
}

static void add_to_timeline(struct options *o, const struct nvfifo_event *e)
{
	perfetto_event(o->timeline, e);
	o->event = e;
	if (!strcmp(e->name, "words"))
		follow(o, e, take_word);
}

static void print_event_json(struct options *o, const struct nvfifo_event *e)
{
	struct nvfifo_json *j = &o->j;

	*j = (struct nvfifo_json)JSON_TO(stdout);
	nvfifo_json_print(j, "{time:%s event:%s", e->time, e->name);
	nvfifo_row_json(j, "fields", &e->fields, false);
	if (o->words && !strcmp(e->name, "words")) {
		nvfifo_json_open(j, "words", '[');
		follow(o, e, print_word);
		nvfifo_json_close(j, ']');
	}

	nvfifo_json_end(j, '}');
}

static void print_event(struct options *o, const struct nvfifo_event *e)
{
	bool bad = !strcmp(e->name, "channel_dead") || !strcmp(e->name, "fault");

	printf("%s%14s%s  %s", color(COLOR_DIM), e->time, color(COLOR_OFF),
	       bad ? color(COLOR_BAD) : "");
	print_words(e->name, &e->fields);
	printf("%s\n", bad ? color(COLOR_OFF) : "");
	if (o->words && !strcmp(e->name, "words"))
		follow(o, e, print_word);
}

/* Return: 0, or an exit code. */
static int trace_line(struct options *o, char *line)
{
	struct nvfifo_event e;
	const char *channel;
	int ret = nvfifo_event_parse(line, &e);

	if (ret < 0)
		return EXIT_USAGE;
	if (!ret)
		return EXIT_OK;

	/* Words are decoded when they are printed. */
	if (strcmp(e.name, "words"))
		follow(o, &e, NULL);

	channel = nvfifo_row_get(&e.fields, "channel");
	if (o->channel == EVERY_CHANNEL ||
	    (channel && nvfifo_text_value(channel, 10) == o->channel)) {
		o->events++;
		o->has_submissions |= !strcmp(e.name, "submit");
		o->has_words |= !strcmp(e.name, "words");
		if (o->timeline)
			add_to_timeline(o, &e);
		else if (o->json)
			print_event_json(o, &e);
		else
			print_event(o, &e);
	}

	nvfifo_event_free(&e);
	return EXIT_OK;
}

static int trace_stream(struct options *o, FILE *f, const char *name)
{
	char *line = NULL;
	size_t room = 0;
	int ret = EXIT_OK;

	while (!ret && !stopped && getline(&line, &room, f) >= 0) {
		nvfifo_text_chomp(line);
		ret = trace_line(o, line);
		fflush(stdout);
	}

	free(line);
	if (!ret && !stopped && ferror(f)) {
		fprintf(stderr, "nvfifo: cannot read %s: %s\n", input_name(name), strerror(errno));
		ret = EXIT_USAGE;
	}

	return ret;
}

/* --- Live ---------------------------------------------------------------- */

/* Write to a file of tracefs. Return: 0 or -errno; @old gets the old contents. */
static int tracefs_write(struct options *o, const char *name, const char *text, char *old)
{
	char path[300];
	ssize_t n;
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%s/%s", o->tracefs, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;

	n = old ? read(fd, old, 1) : 0;
	if (n < 0 || pwrite(fd, text, strlen(text), 0) < 0)
		ret = -errno;
	close(fd);

	return ret;
}

static int trace_live(struct options *o)
{
	static const char events[] = "events/nvfifo/enable";
	static const char words[] = "events/nvfifo/nvfifo_words/enable";
	static const char accesses[] = "events/nvfifo/nvfifo_access/enable";
	struct sigaction stop = { .sa_handler = on_signal };
	char path[300], old[2] = "0";
	int ret = tracefs_write(o, events, "1", old);
	FILE *f;

	if (ret) {
		fprintf(stderr, "nvfifo: cannot turn on %s/%s: %s\n", o->tracefs, events,
			strerror(-ret));
		if (ret == -ENOENT)
			fprintf(stderr, "Is the module loaded, and tracefs mounted?\n");
		else if (ret == -EACCES || ret == -EPERM)
			fprintf(stderr, "Only root may.\n");
		return EXIT_DEVICE;
	}

	tracefs_write(o, words, o->words ? "1" : "0", NULL);
	tracefs_write(o, accesses, o->accesses ? "1" : "0", NULL);

	snprintf(path, sizeof(path), "%s/trace_pipe", o->tracefs);
	f = fopen(path, "r");
	if (f) {
		/* Without SA_RESTART, so that the read ends. */
		sigaction(SIGINT, &stop, NULL);
		sigaction(SIGTERM, &stop, NULL);
		ret = trace_stream(o, f, path);
		fclose(f);
	} else {
		fprintf(stderr, "nvfifo: cannot open %s: %s\n", path, strerror(errno));
		ret = EXIT_DEVICE;
	}

	if (*old != '1')
		tracefs_write(o, events, "0", NULL);

	return ret;
}

/* Trace the files of the command line, or live. */
static int trace_all(struct options *o, int argc, char **argv)
{
	int ret = EXIT_OK;

	if (optind == argc)
		return trace_live(o);

	for (; optind < argc && !ret; optind++) {
		FILE *f = open_input(argv[optind]);

		if (!f)
			return EXIT_USAGE;

		ret = trace_stream(o, f, argv[optind]);
		close_input(f);
	}

	if (o->words && o->has_submissions && !o->has_words)
		fputs("nvfifo: no words of submissions: the event nvfifo_words was off\n", stderr);
	if (ret || o->events)
		return ret;

	fputs("nvfifo: no event of the driver", stderr);
	if (o->channel != EVERY_CHANNEL)
		fprintf(stderr, " is about channel %lu", o->channel);
	fputc('\n', stderr);

	return EXIT_DIFFERENT;
}

static int trace_to_timeline(struct options *o, int argc, char **argv)
{
	int ret, closed;

	o->timeline = perfetto_create(o->perfetto);
	if (!o->timeline)
		return EXIT_USAGE;

	ret = trace_all(o, argc, argv);
	closed = perfetto_close(o->timeline);

	return closed ? closed : ret;
}

static int run(int argc, char **argv)
{
	struct options o = {
		.tracefs = "/sys/kernel/tracing",
		.channel = EVERY_CHANNEL,
	};
	const struct option_row rows[] = {
		OPTION_TEXT("tracefs", 0, &o.tracefs),
		OPTION_NUMBER("channel", 0, &o.channel, 0, 127, ""),
		OPTION_FLAG("words", 0, &o.words),
		OPTION_FLAG("accesses", 0, &o.accesses),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_TEXT("perfetto", 0, &o.perfetto),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_trace, rows, ARGUMENTS_ANY, argc, argv);
	if (o.perfetto && o.json) {
		fprintf(stderr, "nvfifo trace: --perfetto: not together with --json\n");
		return EXIT_USAGE;
	}

	ret = o.perfetto ? trace_to_timeline(&o, argc, argv) : trace_all(&o, argc, argv);
	nvfifo_event_unfollow(&o.follower);

	return ret;
}

const struct subcommand cmd_trace = {
	.name = "trace",
	.summary = "what the driver does, from its trace events",
	.help = help,
	.run = run,
};
