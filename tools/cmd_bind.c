// SPDX-License-Identifier: MIT
/* "nvfifo bind" and "nvfifo unbind": give one card to the driver, and take it back. */
#include <stdio.h>
#include <unistd.h>

#include "nvfifo.h"
#include "nvfifo_bind.h"
#include "options.h"
#include "tools.h"

static const char bind_help[] =
	"Usage: nvfifo bind [OPTIONS] PCI-ADDRESS\n\n"
	"Bind one card to the nvfifo driver; the installed driver binds none by itself.\n"
	"The module must be loaded: 'modprobe nvfifo'. As root.\n\n"
	"bind refuses anything but an NVIDIA graphics card; a card that shows a console\n"
	"or the boot screen, unless --console; a card that is bound to another driver,\n"
	"unless --take; a card whose node a program has open. If nvfifo refuses the\n"
	"card, its usual driver gets it back.\n\n"
	"Options:\n"
	"  --console         bind the card even if it shows a console: the screen stays\n"
	"                    dark. For the boot screen's card, load the module with\n"
	"                    console=1\n"
	"  --take            unbind the card from its present driver first\n"
	"  -n, --dry-run     change nothing: print everything that stands in the way and\n"
	"                    the one command line that solves it all, or what would be\n"
	"                    written\n"
	"  --sysfs DIR       where sysfs is, default /sys\n\n"
	"Exit codes: 0 done, 2 wrong option, 3 refused.\n\n"
	"Examples:\n"
	"  nvfifo bind --dry-run 01:00.0\n";

static const char unbind_help[] =
	"Usage: nvfifo unbind [OPTIONS] PCI-ADDRESS\n\n"
	"Unbind a card from the nvfifo driver, and let the kernel bind it to its usual\n"
	"driver, if that is loaded. This works after 'rmmod nvfifo', too. Channels of\n"
	"programs end. As root.\n\n"
	"Options:\n"
	"  -n, --dry-run     only check, and print what would be written\n"
	"  --sysfs DIR       where sysfs is, default /sys\n\n"
	"Exit codes: 0 done, 2 wrong option, 3 refused.\n\n"
	"Examples:\n"
	"  nvfifo unbind --dry-run 01:00.0\n";

static void print_write(void *ctx, const char *path, const char *text)
{
	(void)ctx;
	printf("echo %s >%s\n", text, path);
}

/* Print why the card was refused, and the option that binds it anyway. */
static int tell_refusal(const struct nvfifo_binding *b)
{
	const char *hint = "";

	if (b->holder == NVFIFO_HOLDER_CONSOLE)
		hint = "; --console binds it anyway";
	else if (b->holder == NVFIFO_HOLDER_DRIVER)
		hint = "; --take unbinds it first, if no program uses it";

	fprintf(stderr, "nvfifo: %s%s\n", nvfifo_last_error(), hint);
	return EXIT_DEVICE;
}

static void print_obstacle(void *ctx, const char *why)
{
	(void)ctx;
	fprintf(stderr, "nvfifo: %s\n", why);
}

/*
 * Print all that is in the way of binding the card, and the one line for a shell that removes it.
 * Return: an exit code.
 */
static int tell_obstacles(struct nvfifo_binding *b)
{
	unsigned int found = nvfifo_bind_obstacles(b, print_obstacle);
	bool parameter = found & 1u << NVFIFO_HOLDER_PARAMETER;
	bool module = found & 1u << NVFIFO_HOLDER_MODULE;
	bool console = found & 1u << NVFIFO_HOLDER_CONSOLE;
	bool driver = found & 1u << NVFIFO_HOLDER_DRIVER;

	if (!found)
		return EXIT_OK;
	if (found & 1u << NVFIFO_HOLDER_NONE)
		return EXIT_DEVICE;

	fputs("To bind it anyway, as root:\n  ", stderr);
	if (parameter && !module)
		fputs("modprobe -r nvfifo && ", stderr);
	if (parameter || module)
		fprintf(stderr, "modprobe nvfifo%s && ", parameter ? " console=1" : "");

	fputs("nvfifo bind", stderr);
	if (console || b->console)
		fputs(" --console", stderr);
	if (driver || b->take)
		fputs(" --take", stderr);
	fprintf(stderr, " %s\n", b->address);

	return EXIT_DEVICE;
}

/* Bind or unbind the card that the argument names, or print the writes for it. */
static int work_on(const struct subcommand *cmd, struct nvfifo_binding *b, bool dry,
		   int (*work)(struct nvfifo_binding *b), int argc, char **argv)
{
	if (optind == argc)
		return usage_error(cmd, "the PCI address of one card is missing");
	if (argc - optind > 1)
		return usage_error(cmd, "one card at a time: unexpected argument '%s'",
				   argv[optind + 1]);
	if (!nvfifo_bind_address(argv[optind], b->address))
		return usage_error(cmd, "'%s' is not a PCI address such as 0000:01:00.0, whose device is 00 to 1f and function 0 to 7",
				   argv[optind]);

	if (dry && cmd == &cmd_bind && tell_obstacles(b))
		return EXIT_DEVICE;
	if (dry)
		b->write = print_write;
	if (work(b))
		return tell_refusal(b);
	if (!dry)
		printf("%s has %s\n", *b->driver ? b->driver : "no driver", b->address);
	return EXIT_OK;
}

static int run_bind(int argc, char **argv)
{
	struct nvfifo_binding b = { 0 };
	bool dry = false;
	const struct option_row rows[] = {
		OPTION_FLAG("console", 0, &b.console),
		OPTION_FLAG("take", 0, &b.take),
		OPTION_FLAG("dry-run", 'n', &dry),
		OPTION_TEXT("sysfs", 0, &b.sysfs),
		OPTION_END,
	};

	take_options(&cmd_bind, rows, ARGUMENTS_ANY, argc, argv);

	return work_on(&cmd_bind, &b, dry, nvfifo_bind, argc, argv);
}

static int run_unbind(int argc, char **argv)
{
	struct nvfifo_binding b = { 0 };
	bool dry = false;
	const struct option_row rows[] = {
		OPTION_FLAG("dry-run", 'n', &dry),
		OPTION_TEXT("sysfs", 0, &b.sysfs),
		OPTION_END,
	};

	take_options(&cmd_unbind, rows, ARGUMENTS_ANY, argc, argv);

	return work_on(&cmd_unbind, &b, dry, nvfifo_unbind, argc, argv);
}

const struct subcommand cmd_bind = {
	.name = "bind",
	.summary = "bind a card to the nvfifo driver",
	.help = bind_help,
	.run = run_bind,
};

const struct subcommand cmd_unbind = {
	.name = "unbind",
	.summary = "return a card to its usual driver",
	.help = unbind_help,
	.run = run_unbind,
};
