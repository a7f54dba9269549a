// SPDX-License-Identifier: MIT
/* "nvfifo watch": registers of BAR0 again and again. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "regs.h"

static const char watch_help[] =
	"Usage: nvfifo watch [OPTIONS] REG...\n\n"
	"Read registers repeatedly, one line each with the time in seconds and the\n"
	"fields that are not 0, until stopped.\n\n"
	REGS_HELP_NAMES REGS_HELP_ROOT
	"Options:\n"
	"  --interval MS   time between two rounds, 1 to 3600000, 500 if not given\n"
	"  --count N       end after N rounds\n"
	"  --until C       end when C holds: REG=VALUE, REG&MASK=VALUE or\n"
	"                  REG.FIELD=VALUE\n"
	"  --changes       print a register only if it has changed\n"
	REGS_HELP_WHERE
	"Exit codes: 0 done, 1 with --until: it was stopped before, 2 a wrong option or\n"
	"name, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo watch --changes PFIFO.INTR CACHE1.DMA_GET CACHE1.DMA_PUT\n"
	"  nvfifo watch --count 100 --until 'PFB.TLB_FLUSH&1=0' PFB.TLB_FLUSH\n"
	"  nvfifo watch --until CACHE1.DMA_PUSH.BUSY=0 003220\n";

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
	(void)signal;
	stopped = 1;
}

#define WATCH_MAX 64

struct watch {
	struct nvfifo_reg_ref refs[WATCH_MAX];
	__u32 last[WATCH_MAX];
	int count;
	unsigned long interval;
	unsigned long rounds; /* 0: until stopped */
	bool changes;
	const char *until;
	struct nvfifo_reg_ref until_ref;
	__u32 until_mask;
	__u32 until_value;
};

/* "REG=VALUE", "REG&MASK=VALUE" */
static int parse_until(const struct regs *r, struct watch *w)
{
	char name[120], *equals, *and;
	__u32 most;
	int ret;

	if (strlen(w->until) >= sizeof(name))
		return usage_error(r->cmd, "--until has more than %zu characters", sizeof(name) - 1);

	snprintf(name, sizeof(name), "%s", w->until);
	equals = strchr(name, '=');
	and = strchr(name, '&');
	w->until_mask = 0xffffffff;
	if (equals)
		*equals = '\0';
	if (and)
		*and = '\0';
	if (!equals || (and&&and > equals) || !regs_parse_word(equals + 1, &w->until_value) ||
	    (and&&!regs_parse_word(and+1, &w->until_mask)))
		return usage_error(
			r->cmd, "--until is REG=VALUE or REG&MASK=VALUE in hexadecimal, not '%s'",
			w->until);

	ret = regs_find(r, name, &w->until_ref);
	if (ret)
		return ret;

	most = w->until_mask;
	if (w->until_ref.field)
		most &= nvfifo_reg_mask(w->until_ref.field) >> w->until_ref.field->lo;
	if (w->until_value & ~most)
		return usage_error(r->cmd, "--until %s never holds: the value has bits outside of %x",
				   w->until, most);

	return EXIT_OK;
}

static bool until_holds(const struct watch *w, __u32 value)
{
	const struct nvfifo_reg *f = w->until_ref.field;

	if (f)
		value = regs_field_value(f, value);
	return (value & w->until_mask) == w->until_value;
}

static void print_line(const struct regs *r, const struct nvfifo_reg_ref *ref, double time, __u32 value)
{
	struct nvfifo_json j = JSON_TO(stdout);

	if (!r->json) {
		printf("%10.3f  ", time);
		print_reg_line(ref, r->chipset, value);
		return;
	}

	nvfifo_json_open(&j, NULL, '{');
	nvfifo_json_decimal(&j, "time", 3, time);
	regs_print_json(r, &j, ref, value);
	nvfifo_json_end(&j, '}');
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static int watch(struct regs *r, struct watch *w)
{
	struct sigaction stop = { .sa_handler = on_signal };
	struct timespec pause = { (time_t)(w->interval / 1000),
				  (long)(w->interval % 1000) * 1000000 };
	struct timespec start;
	unsigned long round;
	int i, ret;

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	clock_gettime(CLOCK_MONOTONIC, &start);

	for (round = 0; !stopped; round++) {
		bool holds = false;
		__u32 value;

		/*
		 * Read the register of --until first, so that the last lines show the reason of the
		 * stop.
		 */
		if (w->until) {
			ret = regs_read(r, w->until_ref.address, &value);
			if (ret)
				return ret;
			holds = until_holds(w, value);
		}

		for (i = 0; i < w->count; i++) {
			ret = regs_read(r, w->refs[i].address, &value);
			if (ret)
				return ret;
			if (!round || !w->changes || value != w->last[i])
				print_line(r, &w->refs[i], seconds_since(&start), value);
			w->last[i] = value;
		}

		fflush(stdout);
		if (holds)
			return EXIT_OK;
		if (round + 1 == w->rounds)
			break;

		nanosleep(&pause, NULL);
	}

	if (!w->until)
		return EXIT_OK;

	fprintf(stderr, "nvfifo: %s did not come\n", w->until);
	return EXIT_DIFFERENT;
}

static int find_watched(const struct regs *r, struct watch *w, char **names)
{
	int i, ret = EXIT_OK;

	for (i = 0; i < w->count && !ret; i++)
		ret = regs_find(r, names[i], &w->refs[i]);
	if (!ret && w->until)
		ret = parse_until(r, w);

	return ret;
}

static int run_watch(int argc, char **argv)
{
	struct regs r = { .cmd = &cmd_watch, .debugfs = REGS_DEBUGFS, .fd = -1 };
	struct watch w = { .interval = 500 };
	const struct option_row rows[] = {
		REGS_OPTIONS(&r),
		OPTION_NUMBER("interval", 0, &w.interval, 1, 3600000, " ms"),
		OPTION_NUMBER("count", 0, &w.rounds, 1, ULONG_MAX, ""),
		OPTION_TEXT("until", 0, &w.until),
		OPTION_FLAG("changes", 0, &w.changes),
		OPTION_END,
	};
	int ret = take_options(r.cmd, rows, ARGUMENTS_ANY, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;

	w.count = argc - optind;
	if (!w.count || w.count > WATCH_MAX)
		return usage_error(r.cmd, "1 to %d registers are needed", WATCH_MAX);

	ret = find_watched(&r, &w, argv + optind);
	if (!ret)
		ret = regs_open(&r, O_RDONLY);
	if (!ret)
		ret = find_watched(&r, &w, argv + optind);
	if (!ret)
		ret = watch(&r, &w);

	return regs_end(&r, ret);
}

const struct subcommand cmd_watch = {
	.name = "watch",
	.summary = "read registers repeatedly",
	.help = watch_help,
	.run = run_watch,
};
