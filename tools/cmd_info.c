// SPDX-License-Identifier: MIT
/* "nvfifo info": what card there is and what the driver says of it. */
#include <getopt.h>
#include <string.h>

#include "nvfifo_names.h"
#include "nvfifo_record.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo info [OPTIONS]\n\n"
	"Show the card: chipset, memory, address space, features and limits.\n\n"
	"Options:\n"
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n"
	"                  the first card of the nvfifo driver if not given\n"
	"  --json          print a JSON object\n"
	"  --color WHEN    auto (default), always, never\n\n"
	"Exit codes: 0 done, 2 wrong option, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo info\n"
	"  nvfifo info --device 01:00.0 --json\n";

struct record {
	struct nvfifo_dev *dev;
	int version[3];
	struct drm_nvfifo_query_device d;
	struct drm_nvfifo_query_limits l;
};

static const struct {
	__u64 bit;
	const char *name;
	const char *text;
} features[] = {
	{ DRM_NVFIFO_FEATURE_SEMAPHORE64, "semaphore64", "64-bit semaphores, NOTIFY_INTR" },
	{ DRM_NVFIFO_FEATURE_IGP, "igp", "VRAM is stolen system memory" },
	{ DRM_NVFIFO_FEATURE_VRAM_MMAP, "vram_mmap", "VRAM can be mapped by the CPU" },
	{ DRM_NVFIFO_FEATURE_MSI, "msi", "message signalled interrupt" },
	{ DRM_NVFIFO_FEATURE_COMPRESSION, "compression", "compressed mappings of VRAM" },
	{ DRM_NVFIFO_FEATURE_ENCRYPTION, "encryption", "encrypted mappings of system memory" },
	{ DRM_NVFIFO_FEATURE_LONG_CYCLE, "long_cycle", "long partition cycles" },
	{ DRM_NVFIFO_FEATURE_USER_QUEUE, "user_queue", "channels whose owner rings the doorbell" },
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

/* PFIFO counts as an engine here. */
static const char *engine_name(const struct drm_nvfifo_query_device *d, unsigned int engine)
{
	return engine ? nvfifo_engine_name(d->chipset, engine) : "PFIFO";
}

static void print_size(const char *name, __u64 bytes)
{
	printf("  %-12s %llu MiB (0x%llx bytes)\n", name, (unsigned long long)bytes >> 20,
	       (unsigned long long)bytes);
}

static void print_engines(const char *name, const struct drm_nvfifo_query_device *d, __u32 mask)
{
	unsigned int i;

	printf("  %-12s", name);
	for (i = 0; i < 32; i++) {
		if (mask & 1u << i)
			printf(" %s", engine_name(d, i));
	}
	puts(mask ? "" : " none");
}

static void print_text(const struct record *r)
{
	const struct drm_nvfifo_query_device *d = &r->d;
	const struct drm_nvfifo_query_limits *l = &r->l;
	const char *pci = nvfifo_pci_address(r->dev);
	unsigned int i;

	printf("%s%s, chipset 0x%02x%s\n", color(COLOR_HEAD), (const char *)d->name, d->chipset,
	       color(COLOR_OFF));
	printf("  %-12s %s%s%s\n", "node", nvfifo_path(r->dev), *pci ? ", PCI " : "", pci);
	printf("  %-12s nvfifo %d.%d.%d\n", "driver", r->version[0], r->version[1], r->version[2]);
	printf("  %-12s 0x%08x, stepping 0x%02x\n", "PMC_BOOT_0", d->boot_0, d->boot_0 & 0xff);
	print_size("VRAM", d->vram_size);
	print_size("VRAM free", d->vram_free);
	print_size("BAR1", d->bar1_size);
	if (d->tags)
		printf("  %-12s %u cells, %u free\n", "tag memory", d->tags, d->tags_free);
	printf("  %-12s 0x%010llx to 0x%010llx\n", "addresses", (unsigned long long)d->va_start,
	       (unsigned long long)d->va_end - 1);
	printf("  %-12s", "page sizes");
	for (i = 0; i < 64; i++) {
		if (d->page_sizes & 1ULL << i)
			printf(i < 10 ? " %llu B" : " %llu KiB",
			       i < 10 ? 1ULL << i : (1ULL << i) >> 10);
	}
	printf("\n  %-12s", "features");
	for (i = 0; i < FEATURES; i++) {
		if (d->features & features[i].bit)
			printf(" %s", features[i].name);
	}
	puts(d->features ? "" : " none");
	for (i = 0; i < FEATURES; i++) {
		if (d->features & features[i].bit)
			printf("  %-12s   %s: %s\n", "", features[i].name, features[i].text);
	}
	print_engines("engines", d, d->engines);
	print_engines("objects of", d, d->bound_engines);
	printf("%slimits%s\n", color(COLOR_HEAD), color(COLOR_OFF));
	printf("  %-12s %u\n", "channels", l->channels);
	printf("  %-12s 2^%u to 2^%u entries, default 2^%u\n", "IB ring", l->ring_order_min,
	       l->ring_order_max, l->ring_order_default);
	printf("  %-12s %u entries of %u words, %u syncs\n", "SUBMIT", l->submit_entries,
	       l->submit_words, l->submit_syncs);
	printf("  %-12s %u operations\n", "VM_BIND", l->bind_ops);
	printf("  %-12s %u in a channel\n", "objects", l->objects);
	printf("  %-12s %u characters\n", "BO label", l->label_size);
}

static void print_json(const struct record *r)
{
	const struct drm_nvfifo_query_device *d = &r->d;
	const struct drm_nvfifo_query_limits *l = &r->l;
	const char *sep = "";
	unsigned int i;

	printf("{\n  \"chipset\": %u,\n  \"name\": ", d->chipset);
	nvfifo_json_write_string(stdout, (const char *)d->name);
	printf(",\n  \"node\": ");
	nvfifo_json_write_string(stdout, nvfifo_path(r->dev));
	printf(",\n  \"pci\": ");
	nvfifo_json_write_string(stdout, nvfifo_pci_address(r->dev));
	printf(",\n  \"driver_version\": \"%d.%d.%d\",\n", r->version[0], r->version[1],
	       r->version[2]);
	printf("  \"boot_0\": %u,\n  \"vram_size\": %llu,\n  \"vram_free\": %llu,\n", d->boot_0,
	       (unsigned long long)d->vram_size, (unsigned long long)d->vram_free);
	printf("  \"bar1_size\": %llu,\n  \"tags\": %u,\n  \"tags_free\": %u,\n",
	       (unsigned long long)d->bar1_size, d->tags, d->tags_free);
	printf("  \"va_start\": %llu,\n  \"va_end\": %llu,\n  \"page_sizes\": [",
	       (unsigned long long)d->va_start, (unsigned long long)d->va_end);
	for (i = 0; i < 64; i++) {
		if (!(d->page_sizes & 1ULL << i))
			continue;
		printf("%s%llu", sep, 1ULL << i);
		sep = ", ";
	}
	printf("],\n  \"features\": [");
	sep = "";
	for (i = 0; i < FEATURES; i++) {
		if (!(d->features & features[i].bit))
			continue;
		printf("%s\"%s\"", sep, features[i].name);
		sep = ", ";
	}
	printf("],\n  \"engines\": %u,\n  \"bound_engines\": %u,\n  \"limits\": {\n", d->engines,
	       d->bound_engines);
	printf("    \"channels\": %u,\n    \"ring_order_min\": %u,\n    \"ring_order_max\": %u,\n"
	       "    \"ring_order_default\": %u,\n",
	       l->channels, l->ring_order_min, l->ring_order_max, l->ring_order_default);
	printf("    \"submit_entries\": %u,\n    \"submit_words\": %u,\n    \"submit_syncs\": %u,\n"
	       "    \"bind_ops\": %u,\n    \"objects\": %u,\n    \"label_size\": %u\n  }\n}\n",
	       l->submit_entries, l->submit_words, l->submit_syncs, l->bind_ops, l->objects,
	       l->label_size);
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "color", required_argument, NULL, 'c' },
		{ 0 },
	};
	const char *device = NULL;
	struct record r = { 0 };
	bool json = false;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "d:", options, NULL)) != -1) {
		switch (opt) {
		case 'd':
			device = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'c':
			if (!parse_color(optarg))
				return usage_error(&cmd_info, "--color is auto, always or never");
			break;
		default:
			return bad_option(&cmd_info, argv);
		}
	}
	if (optind < argc)
		return usage_error(&cmd_info, "unexpected argument '%s'", argv[optind]);

	ret = nvfifo_open(device, &r.dev);
	if (ret)
		return device_error();
	ret = nvfifo_driver_version(r.dev, r.version);
	if (!ret)
		ret = nvfifo_query_device(r.dev, &r.d);
	if (!ret)
		ret = nvfifo_query_limits(r.dev, &r.l);
	if (ret)
		ret = device_error();
	else if (json)
		print_json(&r);
	else
		print_text(&r);
	nvfifo_close(r.dev);
	return ret;
}

const struct subcommand cmd_info = {
	.name = "info",
	.summary = "the card that is present",
	.help = help,
	.run = run,
};
