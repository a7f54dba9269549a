// SPDX-License-Identifier: MIT
/*
 * "nvfifo run": execute a text program and compare its results. The library's executor does the
 * work; run_text.c and run_json.c print it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/model.h"
#include "options.h"
#include "perfetto.h"
#include "png.h"
#include "run_show.h"
#include "step.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo run [OPTIONS] FILE.nvp...\n\n"
	"Run a text program on the card: create its buffers, channels and objects,\n"
	"submit its pushbuffers, and compare memory with what the program expects. Of\n"
	"several programs, each on a new card or channel, only the last line is printed,\n"
	"and the number that passed. nvfifo-program(5) describes the format.\n\n"
	"Options:\n"
	"  -d, --device D    /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n"
	"                    the first card of the nvfifo driver if not given\n"
	"  -m, --model[=CHIPSET]\n"
	"                    on the model of the card inside this process: no kernel, no\n"
	"                    driver, no card; g84 if not given\n"
	"  -s, --step        with --model: stop after each word that the pusher reads\n"
	"  --perfetto FILE   with --model: write a timeline to FILE, JSON that\n"
	"                    ui.perfetto.dev and Chrome's DevTools (performance) show:\n"
	"                    channels in PFIFO, segments, waits for semaphores, engines,\n"
	"                    errors\n"
	"  -t, --timeout MS  how long a wait may take, 1 to 600000, default 5000\n"
	"  -i, --images DIR  write the program's images there, as NAME.png\n"
	"  -q, --quiet       do not print pushbuffers, memory, channels, fences\n"
	"  -n, --dry-run     read the program, print pushbuffers and IB entries, need no\n"
	"                    card\n"
	"  --json            one object of JSON: verdict, checks, differences, memory,\n"
	"                    channels, fences, buffers, pushbuffers\n"
	"  --color WHEN      auto (default), always, never\n\n"
	"--step shows, after each word that the pusher has read, its meaning, where\n"
	"pusher and puller are, what the card did and the memory that changed since the\n"
	"last stop, and asks: Enter or s [N] goes on, b [N] back, g N to a word, u\n"
	"METHOD until the card has executed it, c to the end; x PLACE [N] prints memory,\n"
	"p REGISTER a register; q stops the program. Each run of the model is the same,\n"
	"so a step back is exact. With --json it asks nothing: a line of JSON has each\n"
	"pushbuffer with the meaning of its words, then each stop, up to 4096, and the\n"
	"last line is the object.\n\n"
	"The last line is PASS, FAIL, SKIP (the card lacks what the program requires),\n"
	"NOT MODELLED (the model left out what the lines before it say, so its results\n"
	"are not a card's) or STOPPED (by q), and the program's name.\n\n"
	"Exit codes: 0 passed, skipped or stopped, 1 something differed or a channel\n"
	"died unexpectedly, 2 a wrong option or an error in the program, 3 no card, or\n"
	"it refused a call, 4 not modelled. Of several programs, the greatest.\n\n"
	"Examples:\n"
	"  nvfifo run --model examples/01-refcnt-semaphore.nvp\n"
	"  nvfifo run --model=gt215 examples/05-2d-fill.nvp examples/06-2d-blit.nvp\n"
	"  nvfifo run --model=mcp89 --step examples/01-refcnt-semaphore.nvp\n"
	"  nvfifo run --model --perfetto timeline.json examples/02-semaphore-pair.nvp\n"
	"  nvfifo run examples/01-refcnt-semaphore.nvp\n"
	"  nvfifo run --dry-run examples/02-semaphore-pair.nvp\n"
	"  nvfifo run --images /tmp examples/08-drawing.nvp\n"
	"  nvfifo run --timeout 60000 --device 01:00.0 my.nvp\n";

#define MS 1000000LL

static int on_image(void *ctx, const struct nvfifo_prog_image *im, const unsigned char *rgb,
		    char *text)
{
	const struct run *r = ctx;
	char path[4096];
	int ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s.png", r->images, im->name) >= (int)sizeof(path))
		ret = -ENAMETOOLONG;
	if (!ret)
		ret = png_write(path, rgb, im->width, im->height);
	if (ret)
		snprintf(text, 256, "cannot write %.160s: %s", path, strerror(-ret));
	else
		snprintf(text, 256, "image %s, %u x %u, is in %.160s", im->name, im->width,
			 im->height, path);

	return ret;
}

static int open_device(struct run *r, const char *device)
{
	const struct model_watcher *watcher = NULL;

	if (!r->model)
		return nvfifo_open(device, &r->dev);

	if (r->step)
		watcher = step_watcher(r->step);
	else if (r->timeline)
		watcher = perfetto_watcher(r->timeline);

	return model_open(r->model, watcher, &r->card_model, &r->dev);
}

static int execute(struct run *r, __s64 timeout_ns)
{
	static const struct nvfifo_exec_ops ops = { .check = run_print_check };
	static const struct nvfifo_exec_ops with_images = { run_print_check, on_image };
	struct nvfifo_exec *x = &r->exec;
	int ret;

	x->prog = r->prog;
	x->dev = r->dev;
	x->chipset = r->chipset;
	x->timeout_ns = timeout_ns;
	x->ops = r->images ? &with_images : &ops;
	x->ctx = r;
	if (r->step)
		step_begin(r->step, r->card_model, r->prog, r->chipset);
	if (r->timeline)
		perfetto_run(r->timeline, r->card_model);

	ret = nvfifo_exec_run(x);
	step_end(r->step);
	perfetto_run_end(r->timeline);

	return ret;
}

/* To step back, run the program again on a new card. */
static int execute_again(struct run *r, __s64 timeout_ns)
{
	nvfifo_exec_free(&r->exec);
	nvfifo_close(r->dev);
	r->dev = NULL;
	if (open_device(r, NULL))
		return -EIO;

	return execute(r, timeout_ns);
}

/* A program of which the model left something out has neither passed nor failed. */
static int judge(struct run *r)
{
	char text[NVSIM_MISSING_TEXT];
	struct nvsim_missing first;

	if (r->card_model && model_missing(r->card_model, 0, &first)) {
		run_print_missing(r);
		snprintf(r->why, sizeof(r->why), "the model did not do: %s",
			 nvsim_missing_text(&first, text, sizeof(text)));
		r->verdict = VERDICT_NOT_MODELLED;
		return EXIT_NOT_MODELLED;
	}

	r->verdict = r->exec.failures ? VERDICT_FAIL : VERDICT_PASS;

	return r->exec.failures ? EXIT_DIFFERENT : EXIT_OK;
}

static int on_card(struct run *r, __s64 timeout_ns)
{
	struct nvfifo_exec *x = &r->exec;
	int ret;

	if (run_is_shown(r))
		run_print_head("run");
	ret = execute(r, timeout_ns);
	while (step_again(r->step))
		ret = execute_again(r, timeout_ns);

	/* Calls that fail because the user has quit are not errors of the program. */
	if (step_quit_at(r->step)) {
		r->verdict = VERDICT_STOPPED;
		return EXIT_OK;
	}

	if (ret) {
		r->verdict = VERDICT_ERROR;
		snprintf(r->why, sizeof(r->why), "%s%s%s", x->refused, *x->refused ? ": " : "",
			 nvfifo_last_error());
		fflush(stdout);
		fprintf(stderr, "nvfifo: %s\n", r->why);
		return EXIT_DEVICE;
	}

	if (run_is_shown(r) && !r->quiet) {
		run_print_state(r);
		if (x->failures)
			run_print_why(r);
	}

	return judge(r);
}

static int read_program(struct run *r, const char *path, const char *text, size_t len,
			__u64 va_start, __u64 va_end, struct nvfifo_prog *prog)
{
	struct nvfifo_diag diag;
	int ret = nvfifo_prog_read(text, len, va_start, va_end, prog, &diag);

	if (!ret && prog->step_count)
		return EXIT_OK;

	if (!ret) {
		snprintf(r->why, sizeof(r->why), "%s: the program has no statement that does something, such as submit",
			 input_name(path));
		nvfifo_prog_free(prog);
	} else if (ret == -EINVAL) {
		snprintf(r->why, sizeof(r->why), "%s:%u:%u: %s", input_name(path), diag.line,
			 diag.column, diag.text);
	} else {
		snprintf(r->why, sizeof(r->why), "nvfifo: %s", nvfifo_last_error());
	}

	fprintf(stderr, "%s\n", r->why);
	return EXIT_USAGE;
}

static int no_card(const struct run *r)
{
	int ret = device_error();

	if (!r->model)
		fputs("Without a card: nvfifo run --model FILE\n", stderr);
	return ret;
}

static int open_card(struct run *r, const char *device)
{
	if (r->model && run_is_shown(r))
		puts("model in this process: the driver, its checks and the kernel are bypassed");
	if (open_device(r, device) || nvfifo_query_device(r->dev, &r->card)) {
		snprintf(r->why, sizeof(r->why), "%s", nvfifo_last_error());
		nvfifo_close(r->dev);
		r->dev = NULL;
		return no_card(r);
	}

	r->chipset = r->card.chipset;
	if (run_is_shown(r))
		printf("card %s, chipset 0x%02x, at %s%s%s\n", (const char *)r->card.name,
		       r->card.chipset, nvfifo_path(r->dev),
		       *nvfifo_pci_address(r->dev) ? ", PCI " : "", nvfifo_pci_address(r->dev));

	return EXIT_OK;
}

/* Report the reason @why for which the card cannot do a line of the program; none if it is NULL. */
static void refuse(struct run *r, const char *path, const char *text, size_t len, unsigned int line,
		   const char *what, const char *why)
{
	if (!why)
		return;

	r->wrong = true;
	snprintf(r->why, sizeof(r->why), "%s:%u:%u: %s: %s", input_name(path), line,
		 nvfifo_prog_column(text, len, line, why), what, why);
	fprintf(stderr, "%s\n", r->why);
}

/* Chips with different attributes of mappings or objects: one of each generation */
static const __u32 generations[] = { 0x50, 0x84, 0xa0, 0xa3 };

/* The error of a mapping @b or else of an object @o */
static const char *error_on(const struct nvfifo_prog *p, const struct nvfifo_prog_buffer *b,
			    const struct nvfifo_prog_object *o, __u32 chipset)
{
	if (b)
		return nvfifo_prog_map_error(p, b, chipset);

	return nvfifo_prog_object_error(p, o, chipset);
}

/* The same. Without a chip, report only errors on all of them. */
static const char *attribute_error(const struct run *r, const struct nvfifo_prog_buffer *b,
				   const struct nvfifo_prog_object *o)
{
	const char *why = error_on(r->prog, b, o, r->chipset);
	size_t i;

	for (i = 0; why && !r->chipset && i < sizeof(generations) / sizeof(generations[0]); i++)
		why = error_on(r->prog, b, o, generations[i]);

	return why;
}

/* Report unmet requirements before any object is created on the card. */
static int check_attributes(struct run *r, const char *path, const char *text, size_t len,
			    const struct nvfifo_prog *p)
{
	char what[64];
	size_t i;

	for (i = 0; i < p->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &p->buffers[i];

		snprintf(what, sizeof(what), "map %s", b->name);
		refuse(r, path, text, len, b->map_line, what, attribute_error(r, b, NULL));
	}

	for (i = 0; i < p->object_count; i++) {
		const struct nvfifo_prog_object *o = &p->objects[i];

		snprintf(what, sizeof(what), "object 0x%x", o->handle);
		refuse(r, path, text, len, o->line, what, attribute_error(r, NULL, o));
	}

	return r->wrong ? EXIT_USAGE : EXIT_OK;
}

/* The card has the range of addresses; without a card assume the driver's. */
static int run_program(struct run *r, bool dry, const char *device, const char *path,
		       const char *text, size_t len, __s64 timeout_ns, struct nvfifo_prog *prog)
{
	const char *missing;
	int ret;

	/* Errors in the text are found before a card is looked for. */
	ret = read_program(r, path, text, len, NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, prog);
	if (ret)
		return ret;
	if (!dry) {
		nvfifo_prog_free(prog);
		ret = open_card(r, device);
		if (!ret)
			ret = read_program(r, path, text, len, r->card.va_start, r->card.va_end,
					   prog);
		if (ret)
			return ret;
	}

	r->prog = prog;

	missing = dry ? NULL : nvfifo_exec_missing(prog, r->card.features);
	if (missing) {
		r->verdict = VERDICT_SKIP;
		snprintf(r->why, sizeof(r->why), "it needs %s, which this %s does not have", missing,
			 (const char *)r->card.name);
		return EXIT_OK;
	}

	ret = check_attributes(r, path, text, len, prog);
	if (ret)
		return ret;

	run_print_program(r);
	if (!dry)
		return on_card(r, timeout_ns);

	if (run_is_shown(r))
		run_print_dry(r);
	r->verdict = VERDICT_DRY;

	return EXIT_OK;
}

/* "examples/01-first.nvp" is called "01-first". */
static char *program_name(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name = need(strdup(base ? base + 1 : path)), *dot = strrchr(name, '.');

	if (dot && dot != name)
		*dot = '\0';

	return name;
}

/* Options that are not in struct run */
struct choice {
	const char *device;
	unsigned long timeout_ms;
	const char *perfetto;	/* file of the timeline, or NULL */
	bool dry;
	bool step;
};

/* Return: the errno for which files cannot be created in a folder, or 0. */
static int folder_error(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (!S_ISDIR(st.st_mode))
		return ENOTDIR;
	if (access(path, W_OK | X_OK))
		return errno;

	return 0;
}

/* Find a folder that cannot take the images before the card has drawn them. */
static int check_images(const struct run *r, const struct choice *c)
{
	int error;

	if (!r->images)
		return EXIT_OK;
	if (c->dry)
		return usage_error(&cmd_run, "--images goes without --dry-run, which draws nothing");

	error = folder_error(r->images);
	if (error)
		return usage_error(&cmd_run, "--images is a folder that can be written, not '%s': %s",
				   r->images, strerror(error));

	return EXIT_OK;
}

/* "run --model g96 program": the chipset is an argument of its own. */
static int check_programs(int count, char **words)
{
	int i;

	for (i = 0; count > 1 && i < count; i++) {
		if (parse_chipset(words[i]) && access(words[i], F_OK))
			return usage_error(&cmd_run, "unexpected argument '%s'; did you mean --model=%s?",
					   words[i], words[i]);
	}

	return EXIT_OK;
}

static int check_choice(const struct run *r, const struct choice *c, int argc, char **argv)
{
	if (optind == argc)
		return usage_error(&cmd_run, "the program to run is missing");
	if (c->step && !r->model)
		return usage_error(&cmd_run, "--step is for --model: a card does not stop");
	if (c->perfetto && !r->model)
		return usage_error(&cmd_run, "--perfetto is for --model; of a card's run: nvfifo trace --perfetto");
	if (c->perfetto && (c->step || argc - optind > 1))
		return usage_error(&cmd_run, "--perfetto is for one program, without --step");
	if (c->step && argc - optind > 1)
		return usage_error(&cmd_run, "--step is for one program: unexpected argument '%s'",
				   argv[optind + 1]);
	if (c->step && !r->json && !strcmp(argv[optind], "-"))
		return usage_error(&cmd_run, "--step takes its commands from standard input, so the program is a file");
	if (r->model && (c->device || c->dry))
		return usage_error(&cmd_run, "--model goes without --device and --dry-run");
	if (c->dry && c->device)
		return usage_error(&cmd_run, "--dry-run goes without --device: it uses no card");

	return check_images(r, c);
}

static int parse_options(struct run *r, struct choice *c, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT("device", 'd', &c->device),
		OPTION_MODEL("model", 'm', &r->model, 0x84),
		OPTION_FLAG("step", 's', &c->step),
		OPTION_TEXT("perfetto", 0, &c->perfetto),
		OPTION_NUMBER("timeout", 't', &c->timeout_ms, 1, 600000, " ms"),
		OPTION_TEXT("images", 'i', &r->images),
		OPTION_FLAG("quiet", 'q', &r->quiet),
		OPTION_FLAG("dry-run", 'n', &c->dry),
		OPTION_FLAG("json", 0, &r->json),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_run, rows, ARGUMENTS_ANY, argc, argv);

	ret = check_programs(argc - optind, argv + optind);
	if (!ret)
		ret = check_choice(r, c, argc, argv);
	return ret;
}

/* Run a program with these options. Return: an exit code; @options gets the verdict. */
static int run_file(struct run *options, const struct choice *c, const char *path)
{
	struct nvfifo_prog prog = { 0 };
	struct run r = *options;
	char *text, *name;
	size_t len;
	int closed, ret = read_input(path, &text, &len);

	if (ret)
		return ret;

	if (c->step)
		r.step = step_create(r.json);
	if (c->perfetto) {
		r.timeline = perfetto_create(c->perfetto);
		if (!r.timeline) {
			free(text);
			return EXIT_USAGE;
		}
	}

	name = program_name(path);
	r.name = name;
	ret = run_program(&r, c->dry, c->device, path, text, len, (__s64)c->timeout_ms * MS, &prog);
	if (r.json)
		run_print_json(&r, ret);
	else
		run_print_verdict(&r);
	options->verdict = r.verdict;
	nvfifo_exec_free(&r.exec);
	nvfifo_prog_free(&prog);
	nvfifo_close(r.dev);
	step_free(r.step);
	free(name);
	free(text);
	closed = perfetto_close(r.timeline);

	return closed ? closed : ret;
}

/* Return: the exit code of the program that went worst. */
static int run_files(struct run *options, const struct choice *c, int count, char **paths)
{
	int worst = EXIT_OK, passed = 0, skipped = 0, missing = 0, i;

	for (i = 0; i < count; i++) {
		int ret;

		options->verdict = VERDICT_ERROR;
		ret = run_file(options, c, paths[i]);
		if (ret > worst)
			worst = ret;
		passed += options->verdict == VERDICT_PASS;
		skipped += options->verdict == VERDICT_SKIP;
		missing += options->verdict == VERDICT_NOT_MODELLED;
	}

	if (options->json || c->dry)
		return worst;

	printf("%d programs: %d passed, %d failed, %d skipped", count, passed,
	       count - passed - skipped - missing, skipped);
	if (missing)
		printf(", %d not modelled", missing);
	putchar('\n');

	return worst;
}

static int run(int argc, char **argv)
{
	struct choice c = { .timeout_ms = 5000 };
	struct run r = { .verdict = VERDICT_ERROR };
	int ret = parse_options(&r, &c, argc, argv);

	if (ret)
		return ret;
	if (argc - optind == 1)
		return run_file(&r, &c, argv[optind]);

	r.brief = true;
	return run_files(&r, &c, argc - optind, argv + optind);
}

const struct subcommand cmd_run = {
	.name = "run",
	.summary = "run a text program and compare memory",
	.help = help,
	.run = run,
};
