// SPDX-License-Identifier: MIT
/* "nvfifo trace": what the driver does, from its trace events, in words. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvfifo_calc.h"
#include "nvfifo_names.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo trace [OPTIONS] [FILE...]\n\n"
	"Show submissions, fences, mappings, TLB flushes, channels and faults as they happen,\n"
	"in words. Without FILE the driver's trace events are turned on, as root, and read\n"
	"until Ctrl-C. FILE is text that trace-cmd report or the file trace of tracefs gave,\n"
	"'-' is standard input. Recorded words are for 'nvfifo disasm'.\n\n"
	"Options:\n"
	"  --tracefs DIR    default /sys/kernel/tracing\n"
	"  --channel N      only what is about PFIFO channel N\n"
	"  --json           one object of JSON for each event\n"
	"  --color WHEN     auto (default), always, never\n\n"
	"Exit codes: 0 done, 1 no event of the driver in FILE, 2 a wrong option or file, 3 the\n"
	"driver's events are not there.\n\n"
	"Examples:\n"
	"  nvfifo trace\n"
	"  trace-cmd record -e nvfifo ./program && trace-cmd report | nvfifo trace -\n"
	"  nvfifo trace --channel 3 --json trace.txt\n";

struct options {
	const char *tracefs;
	long channel;
	bool json;
	unsigned long events;
};

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

/* --- One event ----------------------------------------------------------- */

static const char *value(const struct nvfifo_record *r, const char *name)
{
	const char *s = nvfifo_record_get(r, name);

	return s ? s : "";
}

static void print_bind(const struct nvfifo_record *r)
{
	struct nvfifo_pte p = nvfifo_pte_decode(strtoull(value(r, "pte"), NULL, 16));

	/* The event has the attributes; where the memory lies differs from page to page. */
	printf("address space %s: %s %s, %s bytes%s%s", value(r, "vm"), p.present ? "map" : "unmap",
	       value(r, "va"), value(r, "size"), p.read_only ? ", read only" : "",
	       p.supervisor ? ", supervisor" : "");
	if (p.present && p.kind)
		printf(", storage type %02x", p.kind);
	if (p.present && p.comp)
		printf(", compressed, tag %x", p.tag);
}

static void print_error_code(const struct nvfifo_record *r)
{
	static const char *const kinds[] = { "no error", "DMA_PUSHER", "CACHE_ERROR", "SEMAPHORE" };
	unsigned long kind = strtoul(value(r, "error"), NULL, 10);
	unsigned long code = strtoul(value(r, "code"), NULL, 0);
	const struct nvfifo_name *n = NULL;
	char bits[120] = "";

	printf("%s", kind < 4 ? kinds[kind] : "time-out, or the card is gone");
	if (kind == 1)
		n = nvfifo_name_find(nvfifo_pusher_errors, (__u32)code);
	else if (kind == 3)
		n = nvfifo_name_find(nvfifo_semaphore_errors, (__u32)code);
	else if (kind == 2)
		nvfifo_bits_text(nvfifo_pull0_bits, (__u32)code, "UNK", " ", bits, sizeof(bits));
	if (n)
		printf(" %s: %s", n->name, n->means);
	else if (*bits)
		printf(", PULL0 %s", bits);
}

static void print_fault(const struct nvfifo_record *r)
{
	const struct nvfifo_name *n = nvfifo_fault_reasons;

	while (n->name && strcmp(n->name, value(r, "reason")))
		n++;
	printf("VM fault: %s of %s by %s, client %s, slot %s, channel structure %s: %s%s%s",
	       value(r, "access"), value(r, "address"), value(r, "engine"), value(r, "client"),
	       value(r, "slot"), value(r, "structure"), value(r, "reason"), n->name ? ", " : "",
	       n->name ? n->means : "");
}

static void print_words(const char *event, const struct nvfifo_record *r)
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
		       value(r, "submit"), strerror(abs(atoi(error))));
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
	} else {
		printf("%s", event);
	}
}

/* "channel=3 submit=12 ..." */
static int read_fields(struct nvfifo_record *r, char *s)
{
	char *piece, *save, *equals;
	int ret = 0;

	for (piece = strtok_r(s, " \t", &save); piece && !ret; piece = strtok_r(NULL, " \t", &save)) {
		equals = strchr(piece, '=');
		if (!equals) {
			/* Of a fault: "write at 0020020000". */
			if (!strcmp(piece, "read") || !strcmp(piece, "write"))
				ret = nvfifo_record_set(r, "access", NVFIFO_VALUE_STRING, piece, NULL);
			else if (strcmp(piece, "at"))
				ret = nvfifo_record_set(r, "address", NVFIFO_VALUE_STRING, piece, NULL);
			continue;
		}
		*equals = '\0';
		ret = nvfifo_record_set(r, piece, NVFIFO_VALUE_STRING, equals + 1, NULL);
	}
	return ret;
}

/* Return: 0, or an exit code. */
static int trace_line(struct options *o, char *line)
{
	struct nvfifo_record r = { 0 };
	char *name = strstr(line, "nvfifo_"), *colon = name ? strchr(name, ':') : NULL;
	char stamp[64] = "", event[40], *piece, *save;
	const char *channel;
	int ret;

	if (!colon || (size_t)(colon - name) >= sizeof(event) + 7)
		return EXIT_OK;
	snprintf(event, sizeof(event), "%.*s", (int)(colon - name - 7), name + 7);
	/* The time is the number with the colon in front of the event. */
	*name = '\0';
	for (piece = strtok_r(line, " ", &save); piece; piece = strtok_r(NULL, " ", &save)) {
		size_t n = strlen(piece);

		if (n > 2 && n < sizeof(stamp) && piece[n - 1] == ':' && strchr(piece, '.') &&
		    strspn(piece, "0123456789.") == n - 1)
			snprintf(stamp, sizeof(stamp), "%.*s", (int)(n - 1), piece);
	}
	ret = read_fields(&r, colon + 1);
	channel = nvfifo_record_get(&r, "channel");
	if (ret || (o->channel >= 0 && (!channel || atol(channel) != o->channel))) {
		nvfifo_record_free(&r);
		return ret ? EXIT_USAGE : EXIT_OK;
	}
	o->events++;
	if (o->json) {
		printf("{\"time\":\"%s\",\"event\":", stamp);
		nvfifo_json_write_string(stdout, event);
		fputs(",\"fields\":", stdout);
		nvfifo_record_write_json(stdout, &r, false);
		puts("}");
	} else {
		bool bad = !strcmp(event, "channel_dead") || !strcmp(event, "fault");

		printf("%s%14s%s  %s", color(COLOR_DIM), stamp, color(COLOR_OFF),
		       bad ? color(COLOR_BAD) : "");
		print_words(event, &r);
		printf("%s\n", bad ? color(COLOR_OFF) : "");
	}
	nvfifo_record_free(&r);
	return EXIT_OK;
}

static int trace_stream(struct options *o, FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	int ret = EXIT_OK;

	while (!ret && !stopped && getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		ret = trace_line(o, line);
		fflush(stdout);
	}
	free(line);
	return ret;
}

/* --- Live ---------------------------------------------------------------- */

/* Write to a file of tracefs. Return: 0 or -errno; @old gets what was there. */
static int tracefs_write(const struct options *o, const char *name, const char *text, char *old)
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
	struct sigaction stop = { .sa_handler = on_signal };
	char path[300], old[2] = "0";
	int ret = tracefs_write(o, events, "1", old);
	FILE *f;

	if (ret) {
		fprintf(stderr, "nvfifo: cannot turn on %s/%s: %s\n%s", o->tracefs, events,
			strerror(-ret),
			ret == -ENOENT ? "Is the module loaded, and tracefs mounted?\n" :
			ret == -EACCES || ret == -EPERM ? "Only root may.\n" : "");
		return EXIT_DEVICE;
	}
	snprintf(path, sizeof(path), "%s/trace_pipe", o->tracefs);
	f = fopen(path, "r");
	if (f) {
		/* Without SA_RESTART, so that the read ends. */
		sigaction(SIGINT, &stop, NULL);
		sigaction(SIGTERM, &stop, NULL);
		ret = trace_stream(o, f);
		fclose(f);
	} else {
		fprintf(stderr, "nvfifo: cannot open %s: %s\n", path, strerror(errno));
		ret = EXIT_DEVICE;
	}
	if (*old != '1')
		tracefs_write(o, events, "0", NULL);
	return ret;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "tracefs", required_argument, NULL, 't' },
		{ "channel", required_argument, NULL, 'n' },
		{ "json", no_argument, NULL, 'j' },
		{ "color", required_argument, NULL, 'k' },
		{ 0 },
	};
	struct options o = { .tracefs = "/sys/kernel/tracing", .channel = -1 };
	unsigned long v;
	int opt, ret = EXIT_OK;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 't':
			o.tracefs = optarg;
			break;
		case 'n':
			if (!parse_unsigned(optarg, 127, &v))
				return usage_error(&cmd_trace, "--channel is 0 to 127, not '%s'",
						   optarg);
			o.channel = (long)v;
			break;
		case 'j':
			o.json = true;
			break;
		case 'k':
			if (!parse_color(optarg))
				return usage_error(&cmd_trace, "--color is auto, always or never");
			break;
		default:
			return bad_option(&cmd_trace, argv);
		}
	}
	if (optind == argc)
		return trace_live(&o);
	for (; optind < argc && !ret; optind++) {
		bool std = !strcmp(argv[optind], "-");
		FILE *f = std ? stdin : fopen(argv[optind], "r");

		if (!f) {
			fprintf(stderr, "nvfifo: cannot open %s: %s\n", argv[optind],
				strerror(errno));
			return EXIT_USAGE;
		}
		ret = trace_stream(&o, f);
		if (!std)
			fclose(f);
	}
	if (!ret && !o.events) {
		fputs("nvfifo: no event of the driver\n", stderr);
		ret = EXIT_DIFFERENT;
	}
	return ret;
}

const struct subcommand cmd_trace = {
	.name = "trace",
	.summary = "what the driver does, from its trace events",
	.help = help,
	.run = run,
};
