// SPDX-License-Identifier: MIT
/* "nvfifo gl": run a program with the distribution's Mesa on nvfifo. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "tools.h"

#define LIBRARY "libnvfifo-nouveau.so"
/* The library with the model of the card */
#define MODEL_LIBRARY "libnvfifo-nouveau-model.so"

/* The library's default */
#define CAPTURE_MIB 64

static const char help[] =
	"Usage: nvfifo gl [OPTIONS] [--] COMMAND [ARGUMENT]...\n\n"
	"Run COMMAND with the distribution's Mesa on a card that nvfifo drives. The\n"
	"preloaded library libnvfifo-nouveau.so makes nodes of nvfifo look like those of\n"
	"nouveau, so that Mesa's nv50 and libdrm_nouveau run unchanged.\n\n"
	"Options:\n"
	"  --device NAME    the card: a node or a PCI address; default: the first that\n"
	"                   Mesa finds\n"
	"  --model[=CHIPSET]\n"
	"                   on the model of the card inside COMMAND's own process: no\n"
	"                   card, no kernel, no driver, no root;\n"
	"                   CHIPSET as in \"nvfifo chips\", default g96\n"
	"  --capture FILE   write each pushbuffer to FILE, as text, with the memory that\n"
	"                   the program has written before it and the CRC-32 of the\n"
	"                   results; %p in the name is the number of the process\n"
	"  --capture-mib N  capture at most N MiB of memory, by default 64\n"
	"  --quiet          do not say on stderr why a channel died\n"
	"  --print          print the environment that COMMAND would have, and run\n"
	"                   nothing\n\n"
	"\"nvfifo disasm\" reads a capture. \"nvfifo disasm --program\" writes a text\n"
	"program that draws the same, on a card or on the model. With --capture each\n"
	"submission ends before the program goes on.\n\n"
	"There is no display: programs draw to memory (EGL's platforms surfaceless,\n"
	"device and gbm). On an X server without DRI3 (Xvfb), Mesa draws on the\n"
	"processor and says nothing.\n\n"
	"Exit codes: those of COMMAND; 2 a wrong option, a library or a command that is\n"
	"not there, 3 no such card.\n\n"
	"Examples:\n"
	"  nvfifo gl eglinfo -p surfaceless\n"
	"  nvfifo gl --model=g200 ./my-program\n"
	"  nvfifo gl --capture frame.txt ./my-program\n"
	"  nvfifo disasm --input capture frame.txt\n"
	"  nvfifo disasm --program frame.txt | nvfifo run --model=g96 -\n";

struct options {
	const char *device;
	const char *model;
	const char *capture;
	unsigned long capture_mib;
	bool quiet;
	bool print;
};

/* Set a variable, and show it with --print. */
__attribute__((format(printf, 3, 4)))
static int set(const struct options *o, const char *name, const char *format, ...)
{
	char *value = NULL;
	va_list args;
	int ret;

	va_start(args, format);
	ret = vasprintf(&value, format, args);
	va_end(args);
	if (ret >= 0)
		ret = setenv(name, value, 1);
	if (ret) {
		fprintf(stderr, "nvfifo gl: %s: %s\n", name, strerror(errno));
		return EXIT_USAGE;
	}

	if (o->print)
		printf("%s=%s\n", name, value);
	free(value);

	return EXIT_OK;
}

/* Places of the library, from the directory of the command: in the build tree, and installed */
static const char *const places[] = {
	"/../lib/",
	"/../lib/nvfifo/",
	"/../lib/x86_64-linux-gnu/nvfifo/",
	"/../lib64/nvfifo/",
};

/* The longest of them, with its end */
#define PLACE_SIZE sizeof("/../lib/x86_64-linux-gnu/nvfifo/" MODEL_LIBRARY)

static int find_library(const struct options *o, char *path, size_t size)
{
	const char *name = o->model ? MODEL_LIBRARY : LIBRARY;
	char *slash;
	ssize_t len;
	size_t i;

	len = readlink("/proc/self/exe", path, size - PLACE_SIZE);
	if (len < 0)
		return usage_error(&cmd_gl, "/proc/self/exe: %s", strerror(errno));

	path[len] = 0;
	slash = strrchr(path, '/');
	if (!slash)
		slash = path;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		strcpy(slash, places[i]);
		strcat(slash, name);
		if (!access(path, R_OK))
			return EXIT_OK;
	}

	*slash = 0;
	return usage_error(&cmd_gl, "no %s in ../lib or ../lib/nvfifo of %s; make tools builds it "
			   "where libdrm's headers are", name, path);
}

/* Put @first at the start of a list that the user may have set. */
static int prepend(const struct options *o, const char *name, const char *first)
{
	const char *others = getenv(name);

	if (!others || !*others)
		return set(o, name, "%s", first);

	return set(o, name, "%s:%s", first, others);
}

/* A blank ends a name in LD_PRELOAD, but not a folder in LD_LIBRARY_PATH. */
static int set_preload(const struct options *o, char *path)
{
	char *slash;
	int ret;

	if (strchr(path, ':'))
		return usage_error(&cmd_gl, "%s: LD_PRELOAD has no way to write a colon", path);
	if (!strchr(path, ' '))
		return prepend(o, "LD_PRELOAD", path);

	slash = strrchr(path, '/');
	if (strchr(slash, ' ') || strchr(path, ';'))
		return usage_error(&cmd_gl, "%s: the dynamic linker has no way to write this name", path);

	*slash = '\0';
	ret = prepend(o, "LD_LIBRARY_PATH", path);
	if (ret)
		return ret;

	return prepend(o, "LD_PRELOAD", slash + 1);
}

/* Name the card for Mesa. Without a card Mesa would draw on the processor, without a message. */
static int set_device(const struct options *o)
{
	struct nvfifo_dev *dev;
	char value[64];
	size_t i;

	if (nvfifo_open(o->device, &dev))
		return device_error();
	if (!o->device) {
		nvfifo_close(dev);
		return EXIT_OK;
	}

	snprintf(value, sizeof(value), "pci-%s", nvfifo_pci_address(dev));
	nvfifo_close(dev);

	for (i = 4; value[i]; i++) {
		if (value[i] == ':' || value[i] == '.')
			value[i] = '_';
	}

	return set(o, "DRI_PRIME", "%s", value);
}

/* Without this check the program would fail at its first submission. */
static int check_capture(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX] = ".";
	struct stat st;

	if (slash && snprintf(dir, sizeof(dir), "%.*s/", (int)(slash - path), path) >= PATH_MAX)
		return usage_error(&cmd_gl, "the name of the file is too long");

	if (access(dir, W_OK | X_OK))
		return usage_error(&cmd_gl, "--capture cannot write '%s': %s", path, strerror(errno));
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return usage_error(&cmd_gl, "--capture is a file, and '%s' is a folder", path);

	return EXIT_OK;
}

/* Set an absolute path, as the program may change its directory. */
static int set_capture(const struct options *o)
{
	char dir[PATH_MAX];
	int ret = check_capture(o->capture);

	if (ret)
		return ret;

	if (*o->capture == '/')
		return set(o, "NVFIFO_GL_CAPTURE", "%s", o->capture);
	if (!getcwd(dir, sizeof(dir)))
		return usage_error(&cmd_gl, "%s", strerror(errno));

	return set(o, "NVFIFO_GL_CAPTURE", "%s/%s", dir, o->capture);
}

static int run(int argc, char **argv)
{
	struct options o = { .capture_mib = CAPTURE_MIB };
	const struct option_row rows[] = {
		OPTION_TEXT("device", 0, &o.device),
		OPTION_MODEL("model", 0, &o.model, 0x96),
		OPTION_TEXT("capture", 0, &o.capture),
		OPTION_NUMBER("capture-mib", 0, &o.capture_mib, 0, 1024, " MiB"),
		OPTION_FLAG("quiet", 0, &o.quiet),
		OPTION_FLAG("print", 0, &o.print),
		OPTION_END,
	};
	char path[PATH_MAX + PLACE_SIZE];
	int ret;

	take_options(&cmd_gl, rows, ARGUMENTS_REST, argc, argv);
	if (optind == argc && !o.print)
		return usage_error(&cmd_gl, "no command given");
	if (o.model && o.device)
		return usage_error(&cmd_gl, "--model goes without --device");
	if (!o.capture && o.capture_mib != CAPTURE_MIB)
		return usage_error(&cmd_gl, "--capture-mib goes with --capture only");

	ret = find_library(&o, path, sizeof(path));
	if (!ret)
		ret = set_preload(&o, path);
	if (!ret && !o.model && (o.device || !o.print))
		ret = set_device(&o);
	if (!ret && o.model)
		ret = set(&o, "NVFIFO_GL_MODEL", "%s", o.model);
	if (!ret && o.capture)
		ret = set_capture(&o);
	if (!ret && o.capture && o.capture_mib != CAPTURE_MIB)
		ret = set(&o, "NVFIFO_GL_CAPTURE_MIB", "%lu", o.capture_mib);
	if (!ret && o.quiet)
		ret = set(&o, "NVFIFO_GL_QUIET", "1");
	if (ret || o.print)
		return ret;

	fflush(stdout);
	execvp(argv[optind], argv + optind);
	fprintf(stderr, "nvfifo gl: %s: %s\n", argv[optind], strerror(errno));

	return EXIT_USAGE;
}

const struct subcommand cmd_gl = {
	.name = "gl",
	.summary = "run a program with the distribution's Mesa on nvfifo",
	.help = help,
	.run = run,
};
