// SPDX-License-Identifier: MIT
/* The nvfifo command: dispatch of subcommands, and their shared functions. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_boards.h"
#include "nvfifo_near.h"
#include "nvfifo_text.h"
#include "nvfifo_version.h"
#include "terminal.h"
#include "tools.h"

static const struct subcommand *const commands[] = {
	&cmd_info, &cmd_chips,	&cmd_asm,  &cmd_disasm, &cmd_run,   &cmd_lint,	   &cmd_methods, &cmd_calc,
	&cmd_explain, &cmd_dump, &cmd_peek, &cmd_poke, &cmd_watch,	&cmd_trace, &cmd_selftest, &cmd_report, &cmd_bench,
	&cmd_gl, &cmd_context, &cmd_bind, &cmd_unbind,
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static char json_bytes[65536];

struct nvfifo_json_text json_out = { .out = json_bytes, .room = sizeof(json_bytes) };

unsigned int color_when = COLOR_AUTO;

int usage_error(const struct subcommand *cmd, const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "nvfifo %s: ", cmd->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\nTry 'nvfifo %s --help'.\n", cmd->name);

	return EXIT_USAGE;
}

void print_version(void)
{
	puts("nvfifo " NVFIFO_VERSION);
}

/* Is it the name of a chip before or after this family, such as NV43 or GF100? */
static bool is_other_family(const char *name)
{
	static const char *const begin[] = { "nv0", "nv1", "nv2", "nv3", "nv4", "gf", "gk", "gm", "gp", "gv", "tu" };
	size_t i;

	for (i = 0; i < sizeof(begin) / sizeof(begin[0]); i++) {
		size_t length = strlen(begin[i]);

		if (!strncasecmp(name, begin[i], length) && strspn(name + length, "0123456789abcdefABCDEF") > 0)
			return true;
	}

	return false;
}

int bad_chipset(const struct subcommand *cmd, const char *name)
{
	struct nvfifo_near near;
	char more[200];

	/* A board's name that was sold with more than one chip */
	nvfifo_board_chipset(name, more, sizeof(more));
	if (*more)
		return usage_error(cmd, "'%s' may be %s; 'nvfifo chips \"%s\"' lists the boards",
				   name, more, name);

	if (is_other_family(name))
		return usage_error(cmd, "'%s' is a chip of another family; 'nvfifo chips' lists G80 to MCP89",
				   name);

	nvfifo_near_init(&near, name, strlen(name));
#define OFFER(id, chip) nvfifo_near_offer(&near, chip);
	NVFIFO_CHIPSET_IDS(OFFER)
#undef OFFER
	return usage_error(cmd, "'%s' is not a chipset, 'nvfifo chips' lists them%s", name,
			   nvfifo_near_text(&near, more, sizeof(more)));
}

int device_error(void)
{
	fflush(stdout);
	fprintf(stderr, "nvfifo: %s\n", nvfifo_last_error());
	return EXIT_DEVICE;
}

bool parse_unsigned(const char *text, unsigned long max, unsigned long *value)
{
	__u64 v;
	bool ok = nvfifo_text_whole(text, strlen(text), 0, max, &v);

	*value = (unsigned long)v;
	return ok;
}

bool parse_word(const char *text, __u32 *value)
{
	__u64 v;
	bool ok = nvfifo_text_whole(text, strlen(text), 16, 0xffffffff, &v);

	*value = (__u32)v;
	return ok;
}

__u32 parse_chipset(const char *name)
{
	const __u32 chipset = nvfifo_chipset_of_name(name, strlen(name));
	const char *digits = name;
	char hex[5] = "0x";
	unsigned long v;

	if (chipset)
		return chipset;

	/* The number in PMC.BOOT_0, as "calc" and JSON have it: "a3", "nva3" and "0xa3" */
	if (!strncasecmp(name, "nv", 2) || !strncasecmp(name, "0x", 2))
		digits += 2;
	if (strlen(digits) != 2)
		return nvfifo_board_chipset(name, NULL, 0);

	strcat(hex, digits);
	if (!parse_unsigned(hex, 0xff, &v) || !nvfifo_chipset_name((__u32)v))
		return 0;

	return (__u32)v;
}

const char *color(enum color c)
{
	static const char *const codes[] = {
		[COLOR_OFF] = "\033[0m",  [COLOR_GOOD] = "\033[32m", [COLOR_BAD] = "\033[1;31m",
		[COLOR_HEAD] = "\033[1m", [COLOR_DIM] = "\033[2m",
	};

	if (color_when == COLOR_AUTO) {
		const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
		bool on = output_is_terminal() && !(no && *no) && term && strcmp(term, "dumb");

		color_when = on ? COLOR_ALWAYS : COLOR_NEVER;
	}

	return color_when == COLOR_ALWAYS ? codes[c] : "";
}

const char *color_if(bool on, enum color c)
{
	return on ? color(c) : "";
}

void print_if(bool on, const char *text)
{
	if (on)
		fputs(text, stdout);
}

void print_means(const char *means)
{
	fputs(color(COLOR_DIM), stdout);
	if (means && *means)
		printf("  # %s", means);
	fputs(color(COLOR_OFF), stdout);
}

static void print_help(FILE *f)
{
	size_t i;

	fputs("Usage: nvfifo SUBCOMMAND [OPTIONS]\n\n"
	      "Look at and drive an NV50-family card through the nvfifo driver.\n\n"
	      "Subcommands:\n",
	      f);
	for (i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n'nvfifo SUBCOMMAND --help' says more, with examples; --version is the version.\n\n"
	      "Exit codes: 0 all as expected, 1 something differed, 2 wrong option or an error\n"
	      "in a file, 3 no device or the device refused, 4 the model left something out.\n",
	      f);
}

static const struct subcommand *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	}

	return NULL;
}

static bool is_help(const char *s)
{
	return !strcmp(s, "--help") || !strcmp(s, "-h");
}

static int unknown_subcommand(const char *name)
{
	struct nvfifo_near near;
	char more[200];
	size_t i;

	nvfifo_near_init(&near, name, strlen(name));
	if (*name == '-') {
		nvfifo_near_offer(&near, "--help");
		nvfifo_near_offer(&near, "--version");
		nvfifo_near_text(&near, more, sizeof(more));
		fprintf(stderr, "nvfifo: unknown option '%s'%s\nTry 'nvfifo --help'.\n", name,
			*more ? more : "; the options of a subcommand follow its name");
		return EXIT_USAGE;
	}

	for (i = 0; i < COMMANDS; i++)
		nvfifo_near_offer(&near, commands[i]->name);
	nvfifo_near_offer(&near, "--version");
	nvfifo_near_text(&near, more, sizeof(more));
	fprintf(stderr, "nvfifo: there is no subcommand '%s'%s\nTry 'nvfifo --help'.\n", name, more);

	return EXIT_USAGE;
}

/* "nvfifo help", and "nvfifo help NAME" */
static int help_for(const char *name)
{
	const struct subcommand *cmd = name ? find_command(name) : NULL;

	if (name && !cmd)
		return unknown_subcommand(name);

	if (cmd)
		fputs(cmd->help, stdout);
	else
		print_help(stdout);

	return EXIT_OK;
}

/* "nvfifo --complete WORD...": @words are those after "nvfifo". */
static int complete(int count, char **words)
{
	const struct subcommand *cmd;
	size_t i;

	if (count >= 2 && strcmp(words[0], "help")) {
		cmd = find_command(words[0]);
		if (cmd)
			complete_subcommand(cmd, count - 1, words + 1);
		return EXIT_OK;
	}

	if (count > 2)
		return EXIT_OK;

	for (i = 0; i < COMMANDS; i++)
		printf("%s\t%s\n", commands[i]->name, commands[i]->summary);
	if (count < 2)
		puts("help\tthe help of a subcommand\n--help\n--version");

	return EXIT_OK;
}

/*
 * A closed descriptor would become that of the next file, and a read of standard input would
 * read this file. A /dev/null that is open for the other direction lets each use fail.
 */
static void occupy_closed_descriptors(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			return;
	}
}

/* Is the output a listing of something that does not come from the keyboard? */
static bool is_paged(const struct subcommand *cmd, int count, char **words)
{
	static const struct subcommand *const from_files[] = {
		&cmd_disasm, &cmd_dump, &cmd_explain, &cmd_lint, &cmd_report,
	};
	int i;

	if (cmd == &cmd_chips || cmd == &cmd_context || cmd == &cmd_methods)
		return true;
	for (i = 0; i < count; i++) {
		if ((cmd == &cmd_peek || cmd == &cmd_calc) && !strcmp(words[i], "--list"))
			return true;
	}

	for (i = 0; i < (int)(sizeof(from_files) / sizeof(from_files[0])); i++) {
		if (cmd == from_files[i])
			return !isatty(STDIN_FILENO) || (count && access(words[count - 1], F_OK) == 0);
	}

	return false;
}

static int run(int argc, char **argv)
{
	const struct subcommand *cmd;

	if (is_help(argv[1]) || !strcmp(argv[1], "help"))
		return help_for(argc > 2 ? argv[2] : NULL);

	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		print_version();
		return EXIT_OK;
	}

	if (!strcmp(argv[1], "--complete"))
		return complete(argc - 2, argv + 2);

	cmd = find_command(argv[1]);
	if (!cmd)
		return unknown_subcommand(argv[1]);

	if (is_paged(cmd, argc - 2, argv + 2))
		pager_start();
	return cmd->run(argc - 1, argv + 1);
}

void end_program(int code)
{
	/* A full disk must not look like success. */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "nvfifo: cannot write the output: %s\n", strerror(errno));
		exit(EXIT_USAGE);
	}

	exit(code);
}

void *need(void *memory)
{
	if (memory)
		return memory;

	fflush(stdout);
	fputs("nvfifo: out of memory\n", stderr);
	end_program(EXIT_USAGE);
}

int main(int argc, char **argv)
{
	occupy_closed_descriptors();

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}

	/* Long listings go out in large pieces. */
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	end_program(run(argc, argv));
}
