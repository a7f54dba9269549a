// SPDX-License-Identifier: MIT
/* "nvfifo dump": a dump of the driver for a person, as JSON, or as a text program. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "dump_show.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo dump [OPTIONS] [FILE]\n\n"
	"Show a dump that the driver wrote when a channel died: what happened, in words;\n"
	"each channel's position, RAMFC, RAMHT, objects, ring and pushbuffer with the\n"
	"word that failed marked; mappings, page tables, registers.\n\n"
	"FILE is the dump, - standard input. Without FILE it is the newest one in\n"
	"/sys/class/devcoredump of a card of the driver, or if there is none the card's\n"
	"state as it is now, the file nvfifo_dump of debugfs. Both need root. The\n"
	"kernel keeps a device coredump for five minutes, or until something is written\n"
	"to it; copy it to keep it.\n\n"
	"In the listing => marks the word that failed (or where the puller waits, if\n"
	"none did), and -> the word that the pusher reads next.\n\n"
	"Options:\n"
	"  --summary       only what happened, and the words around the one that failed\n"
	"  --segment N     only the segment of IB entry N (of all channels)\n"
	"  --json          everything as one object of JSON\n"
	"  --program       the channel that died (or the first one) as a text program,\n"
	"                  to be edited and run again; buffers begin with zeros, and the\n"
	"                  channel is expected to die as it did\n"
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0\n"
	"  --sysfs DIR     where sysfs is, /sys if not given\n"
	"  --debugfs DIR   where debugfs is, /sys/kernel/debug if not given\n"
	"  --color WHEN    auto (default), always, never\n\n"
	"Exit codes: 0 done, 1 the dump is not complete or has lines that are wrong:\n"
	"what could be read is shown, 2 a wrong option, or no dump, 3 no dump was found.\n\n"
	"Examples:\n"
	"  nvfifo dump\n"
	"  nvfifo dump --summary card.dump\n"
	"  cat /sys/class/devcoredump/devcd1/data >card.dump\n"
	"  nvfifo dump --program card.dump >card.nvp\n"
	"  nvfifo dump --json card.dump | python3 -m json.tool\n";

/* The channel that died, else the first one. */
static int print_program(const struct nvfifo_coredump *d)
{
	const struct nvfifo_coredump_channel *c = d->channels;
	size_t i;

	for (i = 0; i < d->channel_count && !c->error; i++) {
		if (d->channels[i].error)
			c = &d->channels[i];
	}

	if (!d->channel_count) {
		fputs("nvfifo: the dump has no channel\n", stderr);
		return EXIT_USAGE;
	}

	return dump_print_program(d, c) ? EXIT_USAGE : EXIT_OK;
}

static bool has_segment(const struct nvfifo_coredump *d, unsigned long index)
{
	size_t i;

	for (i = 0; i < d->channel_count; i++) {
		if (dump_segment_of_ib(&d->channels[i], (__u32)index))
			return true;
	}

	return false;
}

/* Return: an exit code. */
static int show(const struct dump_options *o, const char *name, const char *data, size_t len)
{
	struct nvfifo_coredump d;
	size_t i;
	int ret = nvfifo_coredump_read(data, len, &d);

	if (ret) {
		fprintf(stderr, "nvfifo: %s: %s\n", name, nvfifo_last_error());
		return EXIT_USAGE;
	}

	if (o->program) {
		ret = print_program(&d);
		nvfifo_coredump_free(&d);
		return ret;
	}

	if (o->json)
		dump_print_json(&d);
	else
		dump_print_text(o, &d);
	fflush(stdout);

	for (i = 0; i < d.problem_count && i < NVFIFO_COREDUMP_PROBLEMS; i++)
		fprintf(stderr, "%s:%u:%u: %s\n", name, d.problems[i].line, d.problems[i].column,
			d.problems[i].text);

	if (i < d.problem_count)
		fprintf(stderr, "%s: %zu more lines are wrong\n", name, d.problem_count - i);
	ret = d.problem_count || d.cut || !d.complete ? EXIT_DIFFERENT : EXIT_OK;
	if (o->segment != EVERY_SEGMENT && !o->json && !has_segment(&d, o->segment)) {
		fprintf(stderr, "nvfifo: %s: the dump has no segment of IB entry %lu\n", name,
			o->segment);
		ret = EXIT_DIFFERENT;
	}
	nvfifo_coredump_free(&d);

	return ret;
}

/* Find the newest device coredump, else the state now. Return: an exit code, after a message. */
static int find_dump(const struct dump_options *o, char *path, size_t size)
{
	int ret;

	if (devcd_find(o->sysfs, o->device, path, size)) {
		fprintf(stderr, "nvfifo: reading %s, what the last error left\n", path);
		return EXIT_OK;
	}

	ret = debugfs_find(o->debugfs, o->device, "nvfifo_dump", path, size);
	if (!ret)
		fprintf(stderr, "nvfifo: there is no device coredump; reading %s, the state now\n",
			path);
	else
		fputs("nvfifo: there is no device coredump either; give a FILE\n", stderr);

	return ret;
}

static int run(int argc, char **argv)
{
	struct dump_options o = {
		.sysfs = "/sys",
		.debugfs = "/sys/kernel/debug",
		.segment = EVERY_SEGMENT,
	};
	const struct option_row rows[] = {
		OPTION_TEXT("device", 'd', &o.device),
		OPTION_TEXT("sysfs", 0, &o.sysfs),
		OPTION_TEXT("debugfs", 0, &o.debugfs),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_FLAG("summary", 0, &o.summary),
		OPTION_FLAG("program", 0, &o.program),
		OPTION_NUMBER("segment", 0, &o.segment, 0, 0x7fffffff, ""),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	const char *name = NULL;
	char path[PATH_MAX];
	char *data;
	size_t len;
	int ret;

	take_options(&cmd_dump, rows, 1, argc, argv);

	if (o.program && (o.json || o.summary || o.segment != EVERY_SEGMENT))
		return usage_error(&cmd_dump, "--program goes without --json, --summary and --segment");
	if (o.segment != EVERY_SEGMENT && (o.summary || o.json))
		return usage_error(&cmd_dump, "--segment goes without --summary and --json");
	if (o.summary && o.json)
		return usage_error(&cmd_dump, "--summary and --json exclude each other");
	if (o.device && optind < argc)
		return usage_error(&cmd_dump, "either --device or a file, not both");

	if (optind < argc) {
		name = input_name(argv[optind]);
		ret = read_input(argv[optind], &data, &len);
	} else {
		ret = find_dump(&o, path, sizeof(path));
		name = path;
		if (!ret)
			ret = read_input(path, &data, &len) ? EXIT_DEVICE : EXIT_OK;
	}

	if (ret)
		return ret;

	ret = show(&o, name, data, len);
	free(data);

	return ret;
}

const struct subcommand cmd_dump = {
	.name = "dump",
	.summary = "the driver's dump of a dead channel, in words",
	.help = help,
	.run = run,
};
