// SPDX-License-Identifier: MIT
/* "nvfifo bench": time of the system calls that matter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo bench [OPTIONS]\n\n"
	"Measure a card: the time of SUBMIT with 1, 16 and 256 entries, of a round trip,\n"
	"of mapping and unmapping, and of creating a channel. Medians, without the first\n"
	"round.\n\n"
	"Options:\n"
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n"
	"                  the first card of the nvfifo driver if not given\n"
	"  --rounds N      number of rounds, 5 to 10000, default 200\n"
	"  --json          one object of JSON\n"
	"  --color WHEN    auto (default), always, never\n\n"
	"Exit codes: 0 done, 2 a wrong option, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo bench\n"
	"  nvfifo bench --rounds 1000 --json >g84.json\n";

#define ROUNDS_MAX 10000
#define ENTRIES_MAX 256
#define PUSH_VA 0x20000000ULL
#define MAP_VA 0x40000000ULL
#define MAP_BYTES (4u << 20)

struct bench {
	struct nvfifo_dev *dev;
	unsigned int rounds;
	bool json;
	struct nvfifo_json j;	/* of standard output */
	unsigned int printed;
	struct nvfifo_bo push;
	struct nvfifo_bo big;
	__u32 vm;
	__u32 channel;
	__u32 syncobj;
	double *us;
};

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median, minimum and maximum of the measurements. */
static void print(struct bench *b, const char *name, const char *what, unsigned int count)
{
	qsort(b->us, count, sizeof(*b->us), compare);
	if (b->json) {
		if (!b->printed)
			nvfifo_json_open(&b->j, NULL, '{');
		nvfifo_json_open(&b->j, name, '{');
		nvfifo_json_print(&b->j, "median_us:%.2f min_us:%.2f max_us:%.2f}",
				  b->us[count / 2], b->us[0], b->us[count - 1]);
	} else {
		printf("%-34s %10.1f us  (%.1f to %.1f)\n", what, b->us[count / 2], b->us[0],
		       b->us[count - 1]);
	}

	b->printed++;
	fflush(stdout);
}

static int submit(struct bench *b, unsigned int entries, __u32 syncobj)
{
	struct drm_nvfifo_sync s = { .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = syncobj };
	struct drm_nvfifo_entry e[ENTRIES_MAX];
	unsigned int i;

	for (i = 0; i < entries; i++)
		e[i] = (struct drm_nvfifo_entry){ .address = PUSH_VA + i * 64, .words = 1 };

	return nvfifo_submit(b->dev, b->channel, e, entries, &s, 1, NULL);
}

/* Time a submission, without or with the wait for its fence. */
static int bench_submit(struct bench *b, unsigned int entries, bool wait, const char *name,
			const char *what)
{
	double start, submitted;
	unsigned int i;
	int ret = 0;

	for (i = 0; i <= b->rounds && !ret; i++) {
		start = now_us();
		ret = submit(b, entries, b->syncobj);
		submitted = now_us();
		if (!ret)
			ret = nvfifo_syncobj_wait(b->dev, b->syncobj, 0, 5000000000);
		if (i)
			b->us[i - 1] = (wait ? now_us() : submitted) - start;
	}

	if (!ret)
		print(b, name, what, b->rounds);

	return ret;
}

static int bench_map(struct bench *b)
{
	unsigned int n = b->rounds / 5 + 1, i;
	double *unmap = need(calloc(n, sizeof(*unmap))), start;
	int ret = 0;

	for (i = 0; i <= n && !ret; i++) {
		start = now_us();
		ret = nvfifo_vm_map(b->dev, b->vm, &b->big, MAP_VA, 0, 0);
		if (i)
			b->us[i - 1] = now_us() - start;
		if (ret)
			break;

		start = now_us();
		ret = nvfifo_vm_unmap(b->dev, b->vm, MAP_VA, b->big.size);
		if (i)
			unmap[i - 1] = now_us() - start;
	}

	if (!ret) {
		print(b, "map_4MiB", "map 4 MiB of system memory", n);
		memcpy(b->us, unmap, n * sizeof(*unmap));
		print(b, "unmap_4MiB", "unmap them", n);
	}

	free(unmap);
	return ret;
}

static int bench_channel(struct bench *b)
{
	unsigned int n = b->rounds < 20 ? b->rounds : 20, i;
	__u32 channel;
	double start;
	int ret = 0;

	for (i = 0; i <= n && !ret; i++) {
		start = now_us();
		ret = nvfifo_channel_create(b->dev, b->vm, 0, &channel);
		if (i)
			b->us[i - 1] = now_us() - start;
		if (!ret)
			ret = nvfifo_channel_destroy(b->dev, channel);
	}

	if (!ret)
		print(b, "channel_create", "make a channel", n);

	return ret;
}

static int set_up(struct bench *b)
{
	int ret = nvfifo_bo_create(b->dev, 65536, DRM_NVFIFO_DOMAIN_SYSTEM, 0, &b->push);

	/* New memory is zero, and words of 0 have no effect. */
	if (!ret)
		ret = nvfifo_bo_create(b->dev, MAP_BYTES, DRM_NVFIFO_DOMAIN_SYSTEM, 0, &b->big);
	if (!ret)
		ret = nvfifo_vm_create(b->dev, &b->vm);
	if (!ret)
		ret = nvfifo_vm_map(b->dev, b->vm, &b->push, PUSH_VA, 0, 0);
	if (!ret)
		ret = nvfifo_channel_create(b->dev, b->vm, 0, &b->channel);

	return ret ? ret : nvfifo_syncobj_create(b->dev, &b->syncobj);
}

static int on_card(struct bench *b, const char *device)
{
	int ret = nvfifo_open(device, &b->dev);

	if (ret)
		return device_error();

	ret = set_up(b);
	if (!ret)
		ret = bench_submit(b, 1, false, "submit_1", "SUBMIT, 1 entry");
	if (!ret)
		ret = bench_submit(b, 16, false, "submit_16", "SUBMIT, 16 entries");
	if (!ret)
		ret = bench_submit(b, ENTRIES_MAX, false, "submit_256", "SUBMIT, 256 entries");
	if (!ret)
		ret = bench_submit(b, 1, true, "submit_to_signalled",
				   "SUBMIT until the fence is seen");
	if (!ret)
		ret = bench_map(b);
	if (!ret)
		ret = bench_channel(b);
	if (b->json && b->printed)
		nvfifo_json_end(&b->j, '}');
	if (ret)
		ret = device_error();

	/* The kernel frees the file's objects. */
	nvfifo_bo_unmap(&b->push);
	nvfifo_close(b->dev);

	return ret;
}

static int run(int argc, char **argv)
{
	struct bench b = { .j = JSON_TO(stdout) };
	unsigned long rounds = 200;
	const char *device = NULL;
	const struct option_row rows[] = {
		OPTION_TEXT("device", 'd', &device),
		OPTION_NUMBER("rounds", 0, &rounds, 5, ROUNDS_MAX, ""),
		OPTION_FLAG("json", 0, &b.json),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_bench, rows, 0, argc, argv);

	b.rounds = (unsigned int)rounds;
	b.us = need(calloc(b.rounds + 1, sizeof(*b.us)));
	ret = on_card(&b, device);
	free(b.us);

	return ret;
}

const struct subcommand cmd_bench = {
	.name = "bench",
	.summary = "time of submissions and mappings",
	.help = help,
	.run = run,
};
