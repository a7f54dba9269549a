// SPDX-License-Identifier: MIT
/* "nvfifo explain": lines of the kernel log in words. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_log_priv.h"
#include "nvfifo_text.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo explain [OPTIONS] [FILE...]\n\n"
	"Explain what a log says about an NV50-family card: lines of nvfifo, nouveau,\n"
	"pscnv, of NVIDIA's driver (Xid), and libdrm's dump of a refused pushbuffer. The\n"
	"first line of each kind is printed with every field in words; a summary says\n"
	"what happened, how often, when, to which channel, what explains what, and what\n"
	"to do. Above 200 findings only the summary is printed.\n\n"
	"The log names each card's chip. Lines about cards of other generations are\n"
	"counted and not explained. Lines that were wrapped, joined or damaged are put\n"
	"right as far as that is possible. Lines come from FILEs or from standard input,\n"
	"as they arrive.\n\n"
	"Options:\n"
	"  --chipset C   g80 ... mcp89, or a board's name: the names of units as on this\n"
	"                chipset, instead of what the log says\n"
	"  --summary     only the summary\n"
	"  --all         all lines of a kind, and lines that are not understood as they\n"
	"                are\n"
	"  --json        one object of JSON for each line: line, driver, cls, decoded,\n"
	"                words, advice; then one with the summary\n"
	"  --messages FILE\n"
	"                also kinds of lines from FILE, in the language of\n"
	"                Documentation/guides/messages.rst; without the option from\n"
	"                nvfifo/messages in $XDG_CONFIG_HOME (~/.config), if it is there\n"
	"  --color WHEN  auto (default), always, never\n\n"
	"Exit codes: 0 lines were explained, or the log is about cards of other\n"
	"generations; 1 no line was understood; 2 a wrong option or file.\n\n"
	"Examples:\n"
	"  dmesg | nvfifo explain\n"
	"  nvfifo explain --summary dmesg.txt\n"
	"  journalctl -kf | nvfifo explain --chipset g84\n"
	"  nvfifo explain --messages examples/gart.tbl kernel.log\n"
	"  nvfifo explain --json kernel.log | python3 -m json.tool --json-lines\n";

/* Above that many findings only the summary is printed. */
#define FINDINGS_SHOWN	200

/* Input that does not go on for so long is shown before the rest comes. */
#define PAUSE_MS	300

/* A log that is read at once, to look for its cards first */
#define SCAN_MAX	(64u << 20)

struct options {
	__u32 chipset;
	bool json;
	bool all;
	bool summary;
	unsigned long explained;	/* lines, and files about other cards */
	/* of the file being read */
	struct nvfifo_log *log;
	FILE *out;	/* findings, kept until it is clear how many there are */
	char *kept;
	size_t kept_len;
	bool live;	/* the input made a pause: print at once */
	bool dropped;	/* too many findings */
};

static void print_json(FILE *out, const struct nvfifo_log_record *r, const struct nvfifo_explanation *e)
{
	struct nvfifo_json j = JSON_TO(out);
	size_t i;

	nvfifo_json_print(&j, "{line:%s", r->text);
	if (*r->note)
		nvfifo_json_string(&j, "note", r->note);
	nvfifo_json_string(&j, "driver", e->driver ? e->driver : "");
	nvfifo_json_string(&j, "cls", e->cls ? e->cls : "");
	nvfifo_row_json(&j, "decoded", &e->fields, false);
	nvfifo_json_open(&j, "words", '{');
	for (i = 0; i < e->fields.count; i++) {
		const struct nvfifo_field *f = &e->fields.fields[i];

		if (f->means)
			nvfifo_json_string(&j, f->name, f->means);
	}
	nvfifo_json_print(&j, "} advice:%s}\n", e->advice);
}

static void json_list(struct nvfifo_json *j, const char *name, const char *list, size_t row, size_t count)
{
	size_t i;

	nvfifo_json_open(j, name, '[');
	for (i = 0; i < count; i++)
		nvfifo_json_string(j, NULL, list + i * row);
	nvfifo_json_close(j, ']');
}

static void json_group(struct nvfifo_json *j, const struct log_group *g, int cause)
{
	nvfifo_json_print(j, "{cls:%s title:%s count:%lu first:%s last:%s", g->cls, g->title, g->count, g->first,
			  g->last);
	json_list(j, "channels", g->channels[0], sizeof(g->channels[0]), g->channel_count);
	json_list(j, "methods", g->methods[0], sizeof(g->methods[0]), g->method_count);
	json_list(j, "busy", g->busy[0], sizeof(g->busy[0]), g->busy_count);
	if (g->has_address)
		nvfifo_json_print(j, "low:%010llx high:%010llx", g->low, g->high);
	if (cause)
		nvfifo_json_print(j, "cause:%d because:%s", cause, g->because);
	nvfifo_json_print(j, "advice:%s}", g->advice);
}

static void json_summary(struct nvfifo_json *j, const struct nvfifo_log *log)
{
	size_t *order = calloc(log->group_count + 1, sizeof(*order)), i, count;
	char why[300];

	if (!order)
		return;

	count = log_order(log, order);
	nvfifo_json_print(j, "{summary:{lines:%lu findings:%lu not_understood:%lu cut:%lu damaged:%lu cards:[",
			  log->records, log->explained, log->unknown, log->cut, log->mended);
	for (i = 0; i < log->cards.count; i++) {
		const struct log_card *c = &log->cards.list[i];

		nvfifo_json_print(j, "{address:%s chip:%s generation:%s not_explained:%lu nonsense:%i}", c->address,
				  c->name, c->generation ? c->generation : "", c->skipped,
				  log_is_nonsense(c, why, sizeof(why)));
	}

	nvfifo_json_print(j, "] groups:[");
	for (i = 0; i < count; i++) {
		const struct log_group *g = &log->groups[order[i]];

		json_group(j, g, log_place_of(order, count, g->cause));
	}

	nvfifo_json_print(j, "]}}\n");
	free(order);
}

static void print_text(FILE *out, const struct nvfifo_log_record *r)
{
	const struct nvfifo_explanation *e = r->e;
	size_t i;

	fprintf(out, "%s%s%s\n", color(COLOR_HEAD), r->text, color(COLOR_OFF));
	if (*r->note)
		fprintf(out, "  (%s)\n", r->note);

	for (i = 0; i < e->fields.count; i++) {
		const struct nvfifo_field *f = &e->fields.fields[i];

		if (!*f->text)
			continue;
		fprintf(out, "    %-22s %s%s", f->name, f->text, color(COLOR_DIM));
		if (f->means && *f->means)
			fprintf(out, "  # %s", f->means);
		fprintf(out, "%s\n", color(COLOR_OFF));
	}

	if (*e->advice)
		fprintf(out, "  %s=> %s%s\n", color(COLOR_GOOD), e->advice, color(COLOR_OFF));
}

static int on_record(void *ctx, const struct nvfifo_log_record *r)
{
	static const struct nvfifo_explanation nothing;
	const bool explained = r->kind == NVFIFO_RECORD_EXPLAINED;
	struct options *o = ctx;

	if (o->summary || o->dropped)
		return 0;

	if (o->json) {
		/* With --all, one that is not understood has empty strings and objects. */
		if (explained || o->all)
			print_json(o->out, r, explained ? r->e : &nothing);
		return 0;
	}

	if (explained && (o->all || !r->repeated))
		print_text(o->out, r);
	else if (!explained && o->all)
		fprintf(o->out, "%s\n", r->text);

	if (!o->all && !o->live && o->log->explained > FINDINGS_SHOWN)
		o->dropped = true;

	return 0;
}

/* Print the records that were kept. The rest is printed as it comes. */
static void go_live(struct options *o)
{
	if (o->out == stdout)
		return;

	fclose(o->out);
	if (!o->dropped)
		fwrite(o->kept, 1, o->kept_len, stdout);
	fflush(stdout);
	free(o->kept);
	o->kept = NULL;
	o->out = stdout;
	o->live = true;
}

static int take_lines(struct options *o, char *text, size_t len)
{
	char *end = text + len, *newline;
	size_t i, n;
	int ret = 0;

	for (; text < end && !ret; text = newline + 1) {
		newline = text + (nvfifo_text_line_end(text, end) - text);
		*newline = '\0';
		nvfifo_text_clean(text);
		n = strlen(text);

		/* A log must not send control sequences to a terminal. */
		for (i = 0; i < n; i++) {
			if ((unsigned char)text[i] < 0x20 && text[i] != '\t')
				text[i] = '?';
		}

		ret = nvfifo_log_line(o->log, text);
	}

	return ret;
}

/* Is there input now? At the end of a file there is. */
static bool has_input(int fd, int timeout)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout) != 0;
}

/*
 * Read up to the end, or to a pause of a pipe that stays open. Return: 1 at a pause, 0 at the end,
 * or a negative errno.
 */
static int read_some(int fd, char **text, size_t *used, size_t *room)
{
	char *bigger;
	ssize_t n;

	do {
		if (*used + 65536 > *room) {
			bigger = realloc(*text, 2 * *room + 131072);
			if (!bigger)
				return -ENOMEM;
			*text = bigger;
			*room = 2 * *room + 131072;
		}

		n = read(fd, *text + *used, *room - *used - 1);
		if (n < 0)
			return -errno;
		*used += (size_t)n;
	} while (n && *used < SCAN_MAX && has_input(fd, PAUSE_MS));

	return n ? 1 : 0;
}

/* Whole lines of the input so far; the rest stays. */
static int take_whole_lines(struct options *o, char *text, size_t *used, bool last)
{
	size_t len = last ? *used : nvfifo_text_whole_lines(text, *used);
	int ret;

	nvfifo_log_scan(o->log, text, len);
	ret = take_lines(o, text, len);
	*used -= len;
	memmove(text, text + len, *used);

	return ret;
}

static int read_log(struct options *o, int fd)
{
	size_t used = 0, room = 0;
	char *text = NULL;
	int state, ret = 0;

	do {
		state = read_some(fd, &text, &used, &room);
		if (state >= 0)
			ret = take_whole_lines(o, text, &used, !state);
		if (state <= 0 || ret)
			break;

		/* A message that waits for its other half has had the time to get it. */
		ret = nvfifo_log_flush(o->log);
		if (used < SCAN_MAX)
			go_live(o);
		fflush(stdout);
	} while (!ret);

	free(text);
	return state < 0 ? state : ret;
}

static void print_summary(struct options *o)
{
	const char *const colors[4] = {
		color(COLOR_HEAD), color(COLOR_GOOD), color(COLOR_DIM), color(COLOR_OFF),
	};
	struct nvfifo_json j = JSON_TO(stdout);

	if (o->json) {
		json_summary(&j, o->log);
		return;
	}

	/* A summary says no more than the explanation of a single line. */
	if (!o->summary && o->log->explained <= 1 && !o->log->unknown && !nvfifo_log_other_cards(o->log))
		return;
	if (o->dropped)
		printf("More than %d findings: only their summary follows; --all prints them.\n",
		       FINDINGS_SHOWN);
	nvfifo_log_summary(o->log, stdout, colors);
}

static int explain_file(struct options *o, const char *path)
{
	FILE *f = open_input(path);
	int ret;

	if (!f)
		return EXIT_USAGE;

	o->live = false;
	o->dropped = false;
	o->log = nvfifo_log_new(o->chipset, on_record, o);
	o->out = o->json || o->all ? stdout : open_memstream(&o->kept, &o->kept_len);
	ret = o->log && o->out ? read_log(o, fileno(f)) : -ENOMEM;
	if (!ret)
		ret = nvfifo_log_flush(o->log);
	if (o->out)
		go_live(o);
	fflush(stdout);

	if (ret < 0)
		fprintf(stderr, "nvfifo: cannot read %s: %s\n", input_name(path), strerror(-ret));
	else
		print_summary(o);
	if (o->log)
		o->explained += o->log->explained + nvfifo_log_other_cards(o->log);
	nvfifo_log_free(o->log);
	close_input(f);

	return ret ? EXIT_USAGE : EXIT_OK;
}

static void say_nothing_known(void)
{
	fputs("nvfifo: no line of nvfifo, nouveau or pscnv was understood; known are their messages of Linux 2.6.33 to 7, NVIDIA's Xid, libdrm's dump of a refused pushbuffer, and 'REGISTER VALUE'\n"
	      "nvfifo: 'nvfifo disasm' decodes words of a pushbuffer, 'nvfifo lint' finds mistakes in them; 'nvfifo peek --reads' reads lists of registers and mmiotrace\n",
	      stderr);
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	const char *messages = NULL;
	const struct option_row rows[] = {
		OPTION_CHIPSET("chipset", &o.chipset),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_FLAG("all", 0, &o.all),
		OPTION_FLAG("summary", 0, &o.summary),
		OPTION_TEXT("messages", 0, &messages),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_explain, rows, ARGUMENTS_ANY, argc, argv);

	if (o.all && o.summary)
		return usage_error(&cmd_explain, "--all and --summary exclude each other");

	ret = read_tables(messages, "messages", nvfifo_explain_messages);
	if (!ret && optind == argc)
		ret = explain_file(&o, "-");
	for (; optind < argc && !ret; optind++)
		ret = explain_file(&o, argv[optind]);
	if (!ret && !o.explained) {
		say_nothing_known();
		ret = EXIT_DIFFERENT;
	}

	return ret;
}

const struct subcommand cmd_explain = {
	.name = "explain",
	.summary = "lines of the kernel log in words",
	.help = help,
	.run = run,
};
