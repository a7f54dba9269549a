// SPDX-License-Identifier: MIT
/* "nvfifo explain": lines of the kernel log in words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_explain.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo explain [OPTIONS] [FILE...]\n\n"
	"Explain what the kernel log says about an NV50-family card: each line of nvfifo,\n"
	"nouveau or pscnv that is understood is printed with every field in words, and what to\n"
	"make of it. Lines come from FILEs or from standard input, as they arrive.\n\n"
	"Options:\n"
	"  --chipset C   g80 ... mcp89: the names of units as on this chipset\n"
	"  --json        one object of JSON for each line: line, driver, cls, decoded, words,\n"
	"                advice\n"
	"  --all         print lines that are not understood, too, as they are\n"
	"  --color WHEN  auto (default), always, never\n\n"
	"Exit codes: 0 lines were explained, 1 none was understood, 2 a wrong option or file.\n\n"
	"Examples:\n"
	"  dmesg | nvfifo explain\n"
	"  journalctl -kf | nvfifo explain --chipset g84\n"
	"  nvfifo explain --json kernel.log | python3 -m json.tool --json-lines\n";

struct options {
	__u32 chipset;
	bool json;
	bool all;
	unsigned long explained;
};

static void print_json(const char *line, const struct nvfifo_explanation *e)
{
	struct json j = { .f = stdout };
	size_t i;

	json_open(&j, NULL, '{');
	json_string(&j, "line", line);
	json_string(&j, "driver", e->driver ? e->driver : "");
	json_string(&j, "cls", e->cls ? e->cls : "");
	json_row(&j, "decoded", &e->fields, false);
	json_open(&j, "words", '{');
	for (i = 0; i < e->fields.count; i++) {
		const struct nvfifo_field *f = &e->fields.fields[i];

		if (f->means)
			json_string(&j, f->name, f->means);
	}
	json_close(&j, '}');
	json_string(&j, "advice", e->advice);
	json_end(&j, '}');
}

static void print_text(const char *line, const struct nvfifo_explanation *e)
{
	size_t i;

	printf("%s%s%s\n", color(COLOR_HEAD), line, color(COLOR_OFF));

	for (i = 0; i < e->fields.count; i++) {
		const struct nvfifo_field *f = &e->fields.fields[i];

		if (!*f->text)
			continue;
		printf("    %-22s %s", f->name, f->text);
		print_means(f->means);
		putchar('\n');
	}

	if (*e->advice)
		printf("  %s=> %s%s\n", color(COLOR_GOOD), e->advice, color(COLOR_OFF));
}

static int explain_line(struct options *o, const char *line)
{
	struct nvfifo_explanation e;
	int ret = nvfifo_explain(line, o->chipset, &e);

	if (ret < 0) {
		fputs("nvfifo: out of memory\n", stderr);
		return EXIT_USAGE;
	}

	/* With --all, one that is not understood has empty strings and objects. */
	if ((ret || o->all) && o->json)
		print_json(line, &e);
	else if (ret)
		print_text(line, &e);
	else if (o->all)
		puts(line);
	o->explained += (unsigned long)ret;
	nvfifo_explanation_free(&e);

	return EXIT_OK;
}

/* Explain line by line, for a pipe that stays open. */
static int explain_file(struct options *o, const char *path)
{
	FILE *f = open_input(path);
	size_t room = 0, i;
	char *line = NULL;
	int ret = EXIT_OK;
	ssize_t len;

	if (!f)
		return EXIT_USAGE;

	while (!ret && (len = getline(&line, &room, f)) >= 0) {
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			line[--len] = '\0';

		/* A log must not send control sequences to a terminal. */
		for (i = 0; i < (size_t)len; i++) {
			if ((unsigned char)line[i] < 0x20 && line[i] != '\t')
				line[i] = '?';
		}

		ret = explain_line(o, line);
		fflush(stdout);
	}

	if (!ret && ferror(f)) {
		fprintf(stderr, "nvfifo: cannot read %s: %s\n", input_name(path), strerror(errno));
		ret = EXIT_USAGE;
	}

	free(line);
	close_input(f);

	return ret;
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	const struct option_row rows[] = {
		OPTION_CHIPSET("chipset", &o.chipset),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_FLAG("all", 0, &o.all),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret = take_options(&cmd_explain, rows, ARGUMENTS_ANY, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;

	ret = EXIT_OK;
	if (optind == argc)
		ret = explain_file(&o, "-");
	for (; optind < argc && !ret; optind++)
		ret = explain_file(&o, argv[optind]);
	if (!ret && !o.explained) {
		fputs("nvfifo: no line of nvfifo, nouveau or pscnv was understood\n", stderr);
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
