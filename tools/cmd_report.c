// SPDX-License-Identifier: MIT
/* "nvfifo report": summary of a test stick's report on one screen */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include <linux/pci_regs.h>

#include "nvfifo_reg_table.h"
#include "nvfifo_reg.h"
#include "nvfifo_text.h"
#include "nvsim.h"
#include "options.h"
#include "report_file.h"
#include "tools.h"

#define MIB	(1u << 20)

static const char help[] =
	"Usage: nvfifo report [OPTIONS] FILE\n\n"
	"Read a report of the test stick (make stick): the card, the result of each\n"
	"stage, the registers in which the card differs from the model of its chip after\n"
	"POST, and the rows of open-questions.rst that it answers. Needs no card. FILE\n"
	"is the .tar.gz, or the folder that was in it.\n\n"
	"The report's selftest.txt is a record: nvsim --replay repeats it on the model.\n"
	"nvsim --like FILE is a model with the card's values.\n\n"
	"Options:\n"
	"  --questions   print all rows of open-questions.rst with their answers instead\n"
	"  --file NAME   print this file of the report instead, such as dmesg.txt\n"
	"  --color WHEN  auto (default), always, never\n\n"
	"Exit codes: 0 all stages passed, 1 one did not, 2 a wrong option, or no report.\n\n"
	"Examples:\n"
	"  nvfifo report report-20261129-geforce-8600-gt.tar.gz\n"
	"  nvfifo report --file dmesg.txt report-20261129-geforce-8600-gt.tar.gz\n";

/* Print text of a report without control characters, which a terminal would obey. */
static void print_plain(const char *text, size_t len)
{
	for (; len; len--, text++)
		putchar(isprint((unsigned char)*text) || *text == '\t' ? *text : '?');
}

static void heading(const char *text)
{
	printf("\n%s%s%s\n", color(COLOR_HEAD), text, color(COLOR_OFF));
}

/* --- The card and the stages ---------------------------------------------- */

static void print_values(const struct report_file *r)
{
	static const char *const keys[] = { "board", "chip", "boot_0", "pci", "date", "nvfifo", "kernel",
					    "parameters" };
	char value[200];
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!report_value(r, keys[i], value, sizeof(value)))
			continue;
		printf("%-11s ", keys[i]);
		print_plain(value, strlen(value));
		putchar('\n');
	}
}

/* "stage 4 load with INTx: ok, ...", "hung at stage 5 self-test". Return: whether all are well. */
static bool print_stages(const struct report_file *r)
{
	const char *line = report_text(r, "result.txt");
	unsigned int good = 0, bad = 0;

	heading("stages");
	for (; *line; nvfifo_text_line(&line, NULL, 0)) {
		size_t len = nvfifo_text_line_len(line);
		const char *result = memmem(line, len, ": ", 2);
		bool stage = !strncmp(line, "stage ", 6) && result, ok;

		if (!stage && strncmp(line, "hung at", 7) && strncmp(line, "ended: ", 7) &&
		    strncmp(line, "last step: ", 11))
			continue;

		ok = stage && !strncmp(result + 2, "ok", 2);
		good += ok;
		bad += !ok;
		printf("  %s", color(ok ? COLOR_GOOD : COLOR_BAD));
		print_plain(line, len);
		printf("%s\n", color(COLOR_OFF));
	}

	if (!good && !bad)
		printf("  none: the test ended before the first\n");

	return good && !bad;
}

/* --- Differences to the model --------------------------------------------- */

static uint64_t no_time(void *ctx)
{
	(void)ctx;
	return 0;
}

static void no_level(void *ctx, bool level)
{
	(void)ctx;
	(void)level;
}

static void no_line(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
}

/* A card of that chip and with that memory, as the VBIOS leaves it */
static struct nvsim *new_model(const char *chip, uint64_t vram)
{
	static const struct nvsim_host host = {
		.time_ns = no_time, .intx = no_level, .trace = no_line, .violation = no_line,
	};
	struct nvsim_config cfg = {
		.chipset = chip, .vram_size = vram, .bar1_size = MIB, .bar3_size = 16 * MIB,
	};
	char err[200];
	struct nvsim *model = nvsim_create(&cfg, &host, err, sizeof(err));

	if (model)
		nvsim_cfg_write(model, PCI_COMMAND, PCI_COMMAND_MEMORY, 2);

	return model;
}

static void print_differences(const struct report_file *r)
{
	const char *text = report_text(r, "registers.txt");
	unsigned int same = 0, other = 0;
	uint32_t offset, value, boot_0 = 0, vram = 0;
	struct nvsim *model;
	char chip[40];

	heading("registers that differ from the model after POST");
	report_value(r, "chip", chip, sizeof(chip));
	report_register(r, NV_PFB_MEM_AMOUNT, &vram);
	model = new_model(chip, vram < MIB ? MIB : vram & ~(MIB - 1));
	if (!model || !*text) {
		printf("  not compared: %s\n", model ? "the card's were not read" : "the chip is not known");
		if (model)
			nvsim_destroy(model);
		return;
	}

	report_register(r, 0, &boot_0);
	while (report_next_register(&text, &offset, &value)) {
		char name[NVFIFO_REG_NAME_MAX];
		struct nvfifo_reg_ref ref;
		uint32_t here = (uint32_t)nvsim_bar_read(model, 0, offset & 0xfffffc, 4);

		same += here == value;
		if (here == value)
			continue;

		other++;
		nvfifo_reg_at(offset & 0xfffffc, boot_0 >> 20 & 0x1ff, &ref);
		nvfifo_reg_name(&ref, name);
		printf("  %06x  %-24s card %08x  model %08x\n", offset & 0xfffffc, name, value, here);
	}

	printf("  %u of %u differ\n", other, same + other);
	nvsim_destroy(model);
}

/* --- Rows of open-questions.rst --------------------------------------------
 *
 * The stick puts the list of questions into the report, so that rows and answers are of one commit.
 * A row names lines of questions.txt (``kick``), steps of the self-test (steps 5, 12), or texts.
 */

enum row_state {
	ROW_NOT_ASKED,	/* nothing in the report is about it */
	ROW_TO_READ,	/* a text of the report may say something, which only a person can tell */
	ROW_ANSWERED,
};

/**
 * struct row - A line of questions.list
 * @state: "settled", "either way" or "open"
 * @part: the parts of the self-test that answer it, as in the page's field "Self-test"
 * @title: the question
 */
struct row {
	char state[16];
	char part[160];
	char title[160];
};

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Take a field that ends with a tab or the line. Return: the next field. */
static const char *take_field(const char *text, char *field, size_t size)
{
	size_t len = strcspn(text, "\t\n");

	snprintf(field, size, "%.*s", (int)len, text);
	text += len;

	return text + (*text == '\t');
}

/* Walk over questions.list, which *text points into. False after the last one. */
static bool next_row(const char **text, struct row *row)
{
	const char *rest = *text;

	if (!*rest)
		return false;

	rest = take_field(rest, row->state, sizeof(row->state));
	rest = take_field(rest, row->part, sizeof(row->part));
	take_field(rest, row->title, sizeof(row->title));
	nvfifo_text_line(text, NULL, 0);

	return true;
}

/* --- What the parts say --------------------------------------------------- */

static void append(char *answer, size_t size, const char *text, size_t len)
{
	nvfifo_text_add(answer, size, "%s%.*s", *answer ? "; " : "", (int)len, text);
}

/* Take the answer of a line of questions.txt, "  kick     a kick: ended 8 times". */
static bool line_answer(const struct report_file *r, const char *name, char *answer, size_t size)
{
	const char *line = report_text(r, "questions.txt");

	char text[300], *said;

	while (nvfifo_text_line(&line, text, sizeof(text))) {
		if (!has_prefix(text, "  ") || !has_prefix(text + 2, name) ||
		    text[2 + strlen(name)] != ' ')
			continue;

		said = strstr(text, ": ");
		if (!said || strstr(said, "was not read") || strstr(said, "never happened"))
			return false;

		append(answer, size, text + 2, strlen(name));
		nvfifo_text_add(answer, size, "%s", said);
		return true;
	}

	return false;
}

/* The self-test with the most steps */
static const char *selftest_text(const struct report_file *r)
{
	const char *text = report_text(r, "faults.txt");

	return *text ? text : report_text(r, "selftest.txt");
}

/* Find a step, " 5 ok          2647 us  a NOP is executed". "driver" ends the steps. */
static bool step_answer(const struct report_file *r, unsigned long step, char *answer, size_t size)
{
	const char *line = selftest_text(r);

	char verdict[16], said[60], text[60];
	unsigned long number;

	while (nvfifo_text_line(&line, text, sizeof(text)) && !has_prefix(text, "driver ")) {
		if (sscanf(text, "%lu %15s", &number, verdict) != 2 || number != step)
			continue;
		if (strcmp(verdict, "ok") && strcmp(verdict, "failed"))
			return false;

		snprintf(said, sizeof(said), "step %lu: %s", step, verdict);
		append(answer, size, said, strlen(said));
		return true;
	}

	return false;
}

/* All names in `` `` and all numbers of a part */
static bool parts_answer(const struct report_file *r, const char *part, char *answer, size_t size)
{
	bool found = false;

	while (*part) {
		__u64 step;

		if (has_prefix(part, "``")) {
			char name[40];
			size_t len = strcspn(part + 2, "`");

			snprintf(name, sizeof(name), "%.*s", (int)len, part + 2);
			found |= line_answer(r, name, answer, size);
			part += 2 + len + strspn(part + 2 + len, "`");
		} else if (isdigit((unsigned char)*part)) {
			part = nvfifo_text_read(part, 10, &step);
			found |= step_answer(r, (unsigned long)step, answer, size);
		} else {
			part++;
		}
	}

	return found;
}

/* "stage 5 load with INTx: ok, ...": the last stage that loads the driver */
static bool probe_answer(const struct report_file *r, char *answer, size_t size)
{
	const char *line = report_text(r, "result.txt"), *found = NULL;

	for (; *line; nvfifo_text_line(&line, NULL, 0))
		if (has_prefix(line, "stage ") &&
		    has_prefix(line + strcspn(line + 6, " \n") + 6, " load with"))
			found = line;

	if (found)
		append(answer, size, found, nvfifo_text_line_len(found));

	return found;
}

/* A title that names a chip or the IGPs is about no other. */
static bool is_about_chip(const struct report_file *r, const char *title)
{
	static const struct {
		const char *word, *chip;
	} limits[] = {
		{ "IGP", "MCP" },
		{ "stolen memory", "MCP" },
		{ "of G80", "G80" },
		{ "MCP89", "MCP89" },
	};
	char chip[40];
	size_t i;

	report_value(r, "chip", chip, sizeof(chip));
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (strstr(title, limits[i].word) && !has_prefix(chip, limits[i].chip))
			return false;

	return !strstr(title, "(G84 and later)") || strcmp(chip, "G80");
}

/* Find the report's answer to a question, or where it may be found. */
static enum row_state row_answer(const struct report_file *r, const struct row *row, char *answer,
				 size_t size)
{
	*answer = '\0';
	if (!is_about_chip(r, row->title)) {
		snprintf(answer, size, "not about this chip");
		return ROW_NOT_ASKED;
	}
	if (parts_answer(r, row->part, answer, size))
		return ROW_ANSWERED;
	if (!strcmp(row->part, "probe") && probe_answer(r, answer, size))
		return ROW_ANSWERED;
	if (strstr(row->part, "the kernel log") && *report_text(r, "dmesg.txt")) {
		snprintf(answer, size, "see dmesg.txt");
		return ROW_TO_READ;
	}
	if (strstr(row->part, "the channel's line") && *selftest_text(r)) {
		snprintf(answer, size, "see the line of the channel in selftest.txt");
		return ROW_TO_READ;
	}

	if (!strcmp(row->part, "none"))
		snprintf(answer, size, "the self-test has no part that shows it");
	else
		snprintf(answer, size, "the test did not come to %s", row->part);

	return ROW_NOT_ASKED;
}

/* All rows with the report's answers, a line a row, or those that it answers and that were open */
static void print_questions(const struct report_file *r, bool all)
{
	static const char *const states[] = { "not asked  ", "to read    ", "answered   " };
	const char *text = report_text(r, "questions.list");
	unsigned int rows = 0, answered = 0;
	struct row row;

	if (!all)
		heading("rows of open-questions.rst that it answers");

	while (next_row(&text, &row)) {
		char answer[300];
		enum row_state state = row_answer(r, &row, answer, sizeof(answer));

		rows++;
		answered += state == ROW_ANSWERED;
		if (!all && (state != ROW_ANSWERED || !strcmp(row.state, "settled")))
			continue;

		fputs(all ? states[state] : "  ", stdout);
		print_plain(row.title, strlen(row.title));
		printf(" (%s): ", row.state);
		print_plain(answer, strlen(answer));
		putchar('\n');
	}

	if (!all)
		printf("  %u of %u rows; --questions prints all, also those that were settled before\n",
		       answered, rows);
}

/* --- The command ---------------------------------------------------------- */

static int print_file(const struct report_file *r, const char *name)
{
	unsigned int i;

	for (i = 0; i < r->count; i++) {
		if (strcmp(r->entry[i].name, name))
			continue;
		fwrite(r->entry[i].text, 1, r->entry[i].len, stdout);
		return EXIT_OK;
	}

	fprintf(stderr, "nvfifo: the report has no file '%s'; 'tar -tzf' lists those of an archive\n", name);

	return EXIT_USAGE;
}

static int summary(const struct report_file *r)
{
	bool good;

	print_values(r);
	good = print_stages(r);
	print_differences(r);
	print_questions(r, false);

	return good ? EXIT_OK : EXIT_DIFFERENT;
}

static int run(int argc, char **argv)
{
	const char *file = NULL;
	struct report_file r;
	bool questions = false;
	const struct option_row rows[] = {
		OPTION_TEXT("file", 0, &file),
		OPTION_FLAG("questions", 0, &questions),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret = EXIT_OK;
	char err[300];

	take_options(&cmd_report, rows, 1, argc, argv);
	if (optind == argc)
		return usage_error(&cmd_report, "the report is missing");
	if (questions && file)
		return usage_error(&cmd_report, "--questions and --file exclude each other");
	if (!report_read(argv[optind], &r, err, sizeof(err))) {
		fprintf(stderr, "nvfifo: %s\n", err);
		return EXIT_USAGE;
	}

	if (questions)
		print_questions(&r, true);
	else if (file)
		ret = print_file(&r, file);
	else
		ret = summary(&r);
	report_free(&r);

	return ret;
}

const struct subcommand cmd_report = {
	.name = "report",
	.summary = "sum up the report of a test stick",
	.help = help,
	.run = run,
};
