// SPDX-License-Identifier: MIT
/*
 * "nvfifo selftest": the first program for a real card. The first step that fails ends the test,
 * because later steps would fail for the same reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "nvfifo_explain.h"
#include "json.h"
#include "nvfifo_text.h"
#include "options.h"
#include "questions.h"
#include "selftest.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo selftest [OPTIONS]\n\n"
	"Try a card step by step, from opening it to channels that wait for each other,\n"
	"and stop at the first step that fails, with what to do next. The results go\n"
	"into one report file, to be sent with a bug report. It takes some seconds.\n\n"
	"If root runs it, and the event nvfifo_access has been traced since the card's\n"
	"probe, the report also answers open questions about the hardware, and contains\n"
	"all accesses of the card, which the model can repeat (nvsim --replay).\n"
	"hardware-bringup.rst says how.\n\n"
	"Options:\n"
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n"
	"                  the first card of the nvfifo driver if not given\n"
	"  --report FILE   default nvfifo-selftest.txt; '-' writes none\n"
	"  --faults        also the steps in which the card must refuse something: they\n"
	"                  kill a channel each\n"
	"  --timeout S     seconds that a step waits for the card, default 20\n"
	"  --tracefs DIR   default /sys/kernel/tracing\n"
	"  --list          the steps\n"
	"  --json          the result as one object of JSON instead of text\n"
	"  --color WHEN    auto (default), always, never\n\n"
	"Exit codes: 0 all steps passed, 1 a step failed, 2 a wrong option, 3 no card.\n\n"
	"Examples:\n"
	"  nvfifo selftest\n"
	"  nvfifo selftest --faults --report g84.txt\n";

/* --- The report ---------------------------------------------------------- */

static void report_channel(struct selftest *t)
{
	struct drm_nvfifo_channel_query q;

	if (!t->channel || nvfifo_channel_query(t->dev, t->channel, &q))
		return;

	fprintf(t->report,
		"\nchannel %u: state %u error %u code 0x%x method 0x%x data 0x%08x\n"
		"  get %010llx put %010llx mget %010llx ib_get %u ib_put %u ref %08x dma_state %08x method_count %u\n"
		"  submitted %llu completed %llu fault %u address %010llx engine %x client %x slot %x reason %x write %u\n",
		q.hw_id, q.state, q.error, q.error_code, q.error_method, q.error_data,
		(unsigned long long)q.get, (unsigned long long)q.put, (unsigned long long)q.mget,
		q.ib_get, q.ib_put, q.ref, q.dma_state, q.method_count,
		(unsigned long long)q.submitted, (unsigned long long)q.completed, q.fault,
		(unsigned long long)q.fault_address, q.fault_engine, q.fault_client, q.fault_slot,
		q.fault_reason, q.fault_write);
}

/* Print the kernel's log, if the user may read it. */
static void report_kernel_log(struct selftest *t)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char line[1024];
	ssize_t n;

	fputs("\nkernel log\n", t->report);
	if (fd < 0) {
		fprintf(t->report, "  cannot be read: %s\n", strerror(errno));
		return;
	}

	while ((n = read(fd, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		struct nvfifo_explanation e;
		const char *text;

		if (n < 0)
			continue;

		line[n] = '\0';
		nvfifo_text_chomp(line);
		text = strchr(line, ';');
		if (!text || (!strstr(text, "nvfifo 0") && !strstr(text, "nvfifo:")))
			continue;

		fprintf(t->report, "  %s\n", text + 1);
		if (nvfifo_explain(text + 1, t->d.chipset, &e) == 1 && *e.advice)
			fprintf(t->report, "    => %s\n", e.advice);
		nvfifo_explanation_free(&e);
	}

	close(fd);
}

/* Keep the lines of a trace that are accesses of this card. */
static void keep_accesses(char *text, const char *card)
{
	char *out = text, *line, *next = text, want[64];

	snprintf(want, sizeof(want), "nvfifo_access: card=%s ", card);
	while ((line = strsep(&next, "\n"))) {
		size_t n = strlen(line);
		bool whole = next;	/* it had a newline */

		if (!whole || !strstr(line, want))
			continue;

		memmove(out, line, n);
		out[n] = '\n';
		out += n + 1;
	}

	*out = '\0';
}

/* Print the trace of the card's accesses, which only root may read. */
static void report_questions(struct selftest *t)
{
	const char *node = strstr(nvfifo_path(t->dev), "renderD");
	char path[PATH_MAX], *text = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/trace", t->tracefs);
	if (!node || access(path, R_OK) || read_input(path, &text, &len))
		text = NULL;
	if (text)
		keep_accesses(text, node + strlen("renderD"));

	questions_write(t->report, text ? text : "");
	free(text);
}

static void report_head(struct selftest *t)
{
	struct utsname u;
	time_t now = time(NULL);
	char date[40];

	if (uname(&u))
		memset(&u, 0, sizeof(u));
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime(&now));
	fprintf(t->report, "nvfifo selftest, %s\nkernel %s %s %s\nnode %s PCI %s\n\n", date,
		u.sysname, u.release, u.machine, nvfifo_path(t->dev), nvfifo_pci_address(t->dev));
}

static void report_card(struct selftest *t)
{
	const struct drm_nvfifo_query_device *d = &t->d;

	fprintf(t->report,
		"\ndriver %d.%d.%d\n%.16s boot_0 %08x vram %llu bar1 %llu va %llx-%llx page_sizes %llx features %llx engines %x bound %x tags %u\n",
		t->version[0], t->version[1], t->version[2], (const char *)d->name, d->boot_0,
		(unsigned long long)d->vram_size, (unsigned long long)d->bar1_size,
		(unsigned long long)d->va_start, (unsigned long long)d->va_end,
		(unsigned long long)d->page_sizes, (unsigned long long)d->features, d->engines,
		d->bound_engines, d->tags);
}

/* --- Running ------------------------------------------------------------- */

static __s64 now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ll + ts.tv_nsec / 1000;
}

static void tear_down(struct selftest *t)
{
	if (t->channel)
		nvfifo_channel_destroy(t->dev, t->channel);
	if (t->syncobj)
		nvfifo_syncobj_destroy(t->dev, t->syncobj);
	if (t->vm)
		nvfifo_vm_destroy(t->dev, t->vm);
	nvfifo_bo_close(t->dev, &t->mem);
	nvfifo_bo_close(t->dev, &t->push);
	nvfifo_bo_close(t->dev, &t->other);
}

static bool wanted(const struct selftest *t, const struct selftest_step *s, bool faults)
{
	if (s->needs == SELFTEST_NEEDS_G84)
		return t->d.features & DRM_NVFIFO_FEATURE_SEMAPHORE64;
	return s->needs != SELFTEST_NEEDS_FAULTS || faults;
}

static void json_step(struct selftest *t, size_t i, const char *verdict, __s64 us)
{
	nvfifo_json_open(&t->json, NULL, '{');
	nvfifo_json_number(&t->json, "step", (__s64)i + 1);
	nvfifo_json_string(&t->json, "name", selftest_steps[i].name);
	nvfifo_json_string(&t->json, "verdict", verdict);
	nvfifo_json_number(&t->json, "us", us);
	nvfifo_json_close(&t->json, '}');
}

/* Return: the number of the step that failed, or selftest_step_count. */
static size_t run_steps(struct selftest *t, bool faults, bool json)
{
	size_t i;

	if (json) {
		nvfifo_json_open(&t->json, NULL, '{');
		nvfifo_json_open(&t->json, "steps", '[');
	}

	for (i = 0; i < selftest_step_count; i++) {
		const struct selftest_step *s = &selftest_steps[i];
		bool run = wanted(t, s, faults);
		__s64 start = now_us(), us;
		int ret = run ? s->run(t) : 0;
		const char *verdict = ret ? "FAILED" : "ok";
		enum color verdict_color = ret ? COLOR_BAD : COLOR_GOOD;

		if (!run) {
			verdict = "skipped";
			verdict_color = COLOR_DIM;
		}

		us = now_us() - start;
		fprintf(t->report, "%2zu %-7s %8lld us  %s\n", i + 1, verdict, (long long)us, s->name);
		if (json)
			json_step(t, i, ret ? "failed" : verdict, us);
		else
			printf("%2zu  %s%-7s%s  %s\n", i + 1,
			       color(verdict_color), verdict, color(COLOR_OFF), s->name);
		fflush(stdout);
		if (ret)
			break;
	}

	return i;
}

static int self_test(struct selftest *t, const char *path, bool faults, bool json)
{
	size_t bad;

	t->report = strcmp(path, "-") ? fopen(path, "w") : fopen("/dev/null", "w");
	if (!t->report) {
		fprintf(stderr, "nvfifo: cannot write %s: %s\n", path, strerror(errno));
		return EXIT_USAGE;
	}

	report_head(t);
	bad = run_steps(t, faults, json);
	if (bad < selftest_step_count)
		fprintf(t->report, "\n%s\n%s\n", t->why, selftest_steps[bad].advice);
	report_card(t);
	report_channel(t);
	report_kernel_log(t);
	report_questions(t);
	if (fclose(t->report))
		fprintf(stderr, "nvfifo: cannot write %s: %s\n", path, strerror(errno));
	if (json) {
		nvfifo_json_close(&t->json, ']');
		nvfifo_json_bool(&t->json, "passed", bad == selftest_step_count);
		nvfifo_json_string(&t->json, "why", t->why);
		nvfifo_json_string(&t->json, "advice", bad < selftest_step_count ? selftest_steps[bad].advice : "");
		nvfifo_json_string(&t->json, "report", path);
		nvfifo_json_end(&t->json, '}');
	} else if (bad < selftest_step_count) {
		printf("\n%sStep %zu failed:%s %s\n%s\n", color(COLOR_BAD), bad + 1, color(COLOR_OFF),
		       t->why, selftest_steps[bad].advice);
	} else {
		printf("\n%sPASS%s: %.16s works as far as this test goes\n", color(COLOR_GOOD),
		       color(COLOR_OFF), (const char *)t->d.name);
	}

	if (!json && strcmp(path, "-"))
		printf("The report is in %s.\n", path);

	return bad < selftest_step_count ? EXIT_DIFFERENT : EXIT_OK;
}

static int run(int argc, char **argv)
{
	const char *device = NULL, *report = "nvfifo-selftest.txt";
	bool faults = false, json = false, list = false;
	unsigned long timeout = 20;
	struct selftest t = { .json = JSON_TO(stdout), .tracefs = "/sys/kernel/tracing" };
	const struct option_row rows[] = {
		OPTION_TEXT("device", 'd', &device),
		OPTION_TEXT("report", 0, &report),
		OPTION_FLAG("faults", 0, &faults),
		OPTION_NUMBER("timeout", 0, &timeout, 1, 3600, " seconds"),
		OPTION_TEXT("tracefs", 0, &t.tracefs),
		OPTION_FLAG("list", 0, &list),
		OPTION_FLAG("json", 0, &json),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret = take_options(&cmd_selftest, rows, 0, argc, argv);
	size_t i;

	if (ret != OPTIONS_TAKEN)
		return ret;
	if (list && json)
		return usage_error(&cmd_selftest, "--list and --json exclude each other");
	if (list) {
		for (i = 0; i < selftest_step_count; i++) {
			const char *needs = "";

			if (selftest_steps[i].needs == SELFTEST_NEEDS_G84)
				needs = " (G84 and later)";
			else if (selftest_steps[i].needs == SELFTEST_NEEDS_FAULTS)
				needs = " (--faults)";
			printf("%2zu  %s%s\n", i + 1, selftest_steps[i].name, needs);
		}

		return EXIT_OK;
	}

	t.timeout_ns = (__s64)timeout * 1000000000;
	if (nvfifo_open(device, &t.dev)) {
		device_error();
		fputs("Is the module loaded (modprobe nvfifo), and the card bound to it (dmesg | nvfifo explain)?\n"
		      "It must not be bound to nouveau. May you open the node (group render)?\n",
		      stderr);
		return EXIT_DEVICE;
	}

	ret = self_test(&t, report, faults, json);
	tear_down(&t);
	nvfifo_close(t.dev);

	return ret;
}

const struct subcommand cmd_selftest = {
	.name = "selftest",
	.summary = "try a card step by step, write a report",
	.help = help,
	.run = run,
};
